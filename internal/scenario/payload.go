package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/prloop/prloop/internal/githubtest"
)

// object is one JSON object of a payload.
type object = map[string]any

// payload is what GitHub would send for event: the parts that say where to
// look, as the world has them now. "file=NAME" gives a file of the story as it
// is.
func (p *player) payload(l Line, event, action string) ([]byte, error) {
	if name, ok := l.Attrs["file"]; ok {
		text, ok := p.story.Files[name]
		if !ok {
			return nil, fmt.Errorf("the story has no file %q", name)
		}
		return []byte(text), nil
	}
	body := object{
		"repository": object{"id": 1, "full_name": Owner + "/" + Repo, "name": Repo, "default_branch": "main", "owner": object{"login": Owner}},
		"sender":     object{"login": "mona", "type": "User"},
	}
	if action != "" {
		body["action"] = action
	}
	number, err := p.number(l.Attrs["pr"])
	if err != nil {
		return nil, err
	}
	var pull githubtest.Pull
	pull.Number = number
	if slices.Contains(p.world.Pulls(), number) {
		pull = p.world.Pull(number)
	}
	if l.Attrs["commit"] == "merge" { // what happens on the base since it was merged
		pull.Head, pull.HeadRef = pull.MergeCommit, pull.Base
	}
	switch event {
	case "pull_request", "pull_request_target":
		body["number"], body["pull_request"] = number, p.pullObject(pull)
	case "pull_request_review":
		body["pull_request"], body["review"] = p.pullObject(pull), object{"id": 1, "state": "commented", "body": nil}
	case "pull_request_review_comment":
		body["pull_request"], body["comment"] = p.pullObject(pull), object{"id": 1, "body": "words"}
	case "issues":
		body["issue"] = object{"number": number, "state": "open"}
	case "issue_comment":
		issue := object{"number": number, "state": "open"}
		if l.Attrs["issue"] == "" && !slices.Contains(p.things, number) {
			issue["pull_request"] = object{"url": "https://api.github.test/repos/" + Owner + "/" + Repo + "/pulls/" + strconv.Itoa(number)}
		}
		body["issue"], body["comment"] = issue, object{"id": 1, "body": "words", "user": object{"login": "mona", "type": "User"}}
	case "check_run":
		body["check_run"] = object{"id": 1, "head_sha": pull.Head, "pull_requests": p.references(l, pull)}
	case "check_suite":
		body["check_suite"] = object{"id": 1, "head_sha": pull.Head, "pull_requests": p.references(l, pull)}
	case "workflow_run":
		body["workflow_run"] = object{"id": 1, "event": "pull_request", "head_sha": pull.Head, "head_branch": pull.HeadRef, "pull_requests": p.references(l, pull)}
	case "status":
		body["sha"], body["state"], body["context"] = pull.Head, "success", "legacy"
	case "merge_group":
		body["merge_group"] = object{
			"head_sha": strings.Repeat("d", 40),
			"head_ref": fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-%d-%s", number, strings.Repeat("e", 40)),
			"base_ref": "refs/heads/main",
		}
	case "schedule":
		body = object{"schedule": "*/15 * * * *"}
	case "workflow_dispatch":
		inputs := object{}
		if number != 0 {
			inputs["pr"] = strconv.Itoa(number)
		}
		body["inputs"], body["ref"] = inputs, "refs/heads/main"
	case "repository_dispatch":
		client := object{}
		if number != 0 {
			client["pr"] = number
		}
		body["action"], body["client_payload"] = "prloop", client
	case "push":
		body["ref"], body["before"], body["after"], body["deleted"] = "refs/heads/"+pull.HeadRef, strings.Repeat("0", 40), pull.Head, false
	}
	return json.Marshal(body)
}

// references are the pull requests that a check's payload names: none where
// the story says "unnamed".
func (p *player) references(l Line, pull githubtest.Pull) []object {
	if l.Attrs["unnamed"] != "" || l.Attrs["commit"] != "" {
		return []object{}
	}
	return []object{{
		"number": pull.Number,
		"head":   object{"sha": pull.Head, "ref": pull.HeadRef, "repo": object{"id": 1}},
		"base":   object{"sha": strings.Repeat("b", 40), "ref": pull.Base, "repo": object{"id": 1}},
	}}
}

func (p *player) pullObject(pull githubtest.Pull) object {
	head := object{"sha": pull.Head, "ref": pull.HeadRef}
	switch pull.HeadRepo {
	case "":
		head["repo"] = nil
	case Owner + "/" + Repo:
		head["repo"] = object{"id": 1, "full_name": pull.HeadRepo}
	default:
		head["repo"] = object{"id": 2, "full_name": pull.HeadRepo, "fork": true}
	}
	return object{
		"number": pull.Number,
		"state":  strings.ToLower(pull.State),
		"draft":  pull.Draft,
		"title":  pull.Title,
		"user":   object{"login": pull.Author, "type": "User"},
		"head":   head,
		"base":   object{"ref": pull.Base, "sha": strings.Repeat("b", 40), "repo": object{"id": 1, "full_name": Owner + "/" + Repo}},
	}
}

// pull is number of a pull request that there is.
func (p *player) pull(s string) (int, error) {
	n, err := p.number(s)
	if err == nil && !slices.Contains(p.world.Pulls(), n) && !slices.Contains(p.things, n) {
		err = fmt.Errorf("there is no pull request #%d", n)
	}
	return n, err
}

// comments are those of a pull request or an issue.
func (p *player) comments(n int) []*githubtest.Comment {
	if i, ok := p.world.Issue(n); ok {
		return i.Comments
	}
	return p.world.Pull(n).Comments
}

// number is the pull request that an attribute names; without one it is the
// first of the story, if there is any.
func (p *player) number(s string) (int, error) {
	switch {
	case s == "none":
		return 0, nil
	case s != "":
		n, err := strconv.Atoi(strings.TrimPrefix(s, "#"))
		if err != nil {
			return 0, fmt.Errorf("%q is no number of a pull request", s)
		}
		return n, nil
	case len(p.pulls) > 0:
		return p.pulls[0], nil
	case len(p.things) > 0:
		return p.things[0], nil
	}
	return 0, nil
}
