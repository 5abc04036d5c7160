package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// events has every event that prloop listens to: its activity types, and how
// its payload says where to look. Names and types are those of GitHub's page
// "Events that trigger workflows".
var events = []struct {
	name    string
	actions []string
	look    func(payload) (finding, error)
}{
	{"pull_request", pullActions, aPull},
	{"pull_request_target", pullActions, aPull},
	{"pull_request_review", []string{"submitted", "edited", "dismissed"}, aPull},
	{"pull_request_review_comment", []string{"created", "edited", "deleted"}, aPull},
	{"issue_comment", []string{"created", "edited", "deleted"}, aComment},
	{"issues", issueActions, aComment},
	{"check_run", []string{"created", "rerequested", "completed", "requested_action"}, theCheckRun},
	{"check_suite", []string{"completed", "requested", "rerequested"}, theCheckSuite},
	{"status", nil, aStatus},
	{"workflow_run", []string{"requested", "in_progress", "completed"}, theWorkflowRun},
	{"merge_group", []string{"checks_requested", "destroyed"}, aMergeGroup},
	{"schedule", nil, everything},
	{"workflow_dispatch", nil, aDispatch},
	{"repository_dispatch", nil, aRepositoryDispatch},
	{"push", nil, aPush},
}

// pullActions are the activity types of pull_request.
var pullActions = []string{
	"assigned", "unassigned", "labeled", "unlabeled", "opened", "edited", "closed", "reopened", "synchronize",
	"converted_to_draft", "locked", "unlocked", "enqueued", "dequeued", "milestoned", "demilestoned",
	"ready_for_review", "review_requested", "review_request_removed", "auto_merge_enabled", "auto_merge_disabled",
}

// issueActions are the activity types of issues.
var issueActions = []string{
	"opened", "edited", "deleted", "transferred", "pinned", "unpinned", "closed", "reopened", "assigned", "unassigned",
	"labeled", "unlabeled", "locked", "unlocked", "milestoned", "demilestoned", "typed", "untyped",
}

// A finding is what a payload comes to.
type finding struct {
	target Target
	why    string
	fork   bool
}

// Parse reads the payload body of the event called name. A pinned number (0:
// none) wins over everything, over a damaged payload too: whoever pins says
// where to look, and more is not wanted of an event.
//
// An event that prloop does not listen to is no error but [Nothing], whatever
// its payload is. A payload that cannot be read is a *fail.Error that names the
// event, and the byte or the member that is wrong, and quotes nothing of it.
func Parse(name string, body []byte, pinned int) (Event, error) {
	e, err := parse(name, body)
	if pinned > 0 {
		return Event{Name: name, Action: e.Action, Fork: e.Fork, Target: Numbers{[]int{pinned}}, Why: "the input pr names it"}, nil
	}
	return e, err
}

func parse(name string, body []byte) (Event, error) {
	for _, row := range events {
		if row.name != name {
			continue
		}
		var p payload
		err := decode(body, &p)
		if err != nil {
			return Event{}, unreadable(name, err)
		}
		f, err := row.look(p)
		if err != nil {
			return Event{}, unreadable(name, err)
		}
		e := Event{Name: name, Target: f.target, Why: f.why, Fork: f.fork}
		if slices.Contains(row.actions, p.Action) {
			e.Action = p.Action
		}
		return e, nil
	}
	return Event{Name: name, Target: Nothing{
		UnsupportedEvent, fmt.Sprintf("prloop does not listen to the event %.64q", name),
	}, Why: "no payload of this event leads to a pull request"}, nil
}

func unreadable(name string, err error) error {
	return &fail.Error{
		What: "The event file could not be read",
		Why:  fmt.Sprintf("The payload of the %s event %s", name, err),
		Fix:  "Re-run the job; outside of GitHub Actions, let GITHUB_EVENT_PATH name a file with the payload of that event",
		Err:  err,
	}
}

// A payload has the members that prloop reads, of all events. A pointer or a
// raw message is nil where the member is missing or null: accounts, forks and
// texts can be gone, and nothing here needs them.
type payload struct {
	Action     string `json:"action"`
	Repository *repo  `json:"repository"`

	PullRequest *pull `json:"pull_request"`
	Issue       *struct {
		Number      *int            `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`

	CheckRun    *checks `json:"check_run"`
	CheckSuite  *checks `json:"check_suite"`
	WorkflowRun *checks `json:"workflow_run"`
	MergeGroup  *struct {
		HeadRef string `json:"head_ref"`
		HeadSHA string `json:"head_sha"`
	} `json:"merge_group"`
	SHA string `json:"sha"` // status

	Inputs *struct {
		PR json.RawMessage `json:"pr"`
	} `json:"inputs"`
	ClientPayload *struct {
		PR          json.RawMessage `json:"pr"`
		PullRequest json.RawMessage `json:"pull_request"`
		Number      json.RawMessage `json:"number"`
	} `json:"client_payload"`

	Ref     string `json:"ref"` // push
	After   string `json:"after"`
	Deleted bool   `json:"deleted"`
}

type repo struct {
	ID int64 `json:"id"`
}

type pull struct {
	Number *int `json:"number"`
	Head   struct {
		Ref  string `json:"ref"`
		Repo *repo  `json:"repo"`
	} `json:"head"`
	Base struct {
		Repo *repo `json:"repo"`
	} `json:"base"`
}

// checks is a check run, a check suite or a workflow run.
type checks struct {
	HeadSHA      string `json:"head_sha"`
	PullRequests []pull `json:"pull_requests"`
}

// decode reads body into p. Its errors complete the sentence "The payload …".
func decode(body []byte, p *payload) error {
	trimmed := strings.TrimSpace(string(body))
	if trimmed == "" {
		return errors.New("is empty")
	}
	err := json.Unmarshal(body, p)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not JSON: it is damaged at byte %d of %d", syntax.Offset, len(body))
	}
	if trimmed[0] != '{' {
		return errors.New("is JSON, but not an object")
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("has another type than GitHub sends at %s (byte %d)", mismatch.Field, mismatch.Offset)
	}
	if err != nil {
		return errors.New("is JSON that prloop cannot take in")
	}
	return nil
}

// aPull looks at the pull request that the payload is about.
func aPull(p payload) (finding, error) {
	if p.PullRequest == nil {
		return finding{}, lacks("pull_request")
	}
	n, err := number(p.PullRequest.Number, "pull_request.number")
	if err != nil {
		return finding{}, err
	}
	found := finding{Numbers{[]int{n}}, "the payload is about it", !p.inside(p.PullRequest.Head.Repo)}
	if m := revertBranch.FindStringSubmatch(p.PullRequest.Head.Ref); m != nil && !found.fork && slices.Contains([]string{"opened", "closed", "reopened"}, p.Action) {
		if reverts, err := parseNumber(m[1], "pull_request.head.ref"); err == nil && reverts != n {
			both := []int{reverts, n}
			slices.Sort(both)
			found.target, found.why = Numbers{both}, "the payload is about it, or about the pull request that reverts it"
		}
	}
	return found, nil
}

// revertBranch is the branch that GitHub makes for a pull request that reverts
// another one.
var revertBranch = regexp.MustCompile(`^revert-([1-9][0-9]{0,9})-.`)

// inside reports whether r is the repository of the run. A repository that is
// gone or not told is another one.
func (p payload) inside(r *repo) bool {
	return r != nil && p.Repository != nil && r.ID != 0 && r.ID == p.Repository.ID
}

// aComment looks at the pull request or issue that was commented on, or that
// something happened to. GitHub sends issue_comment for both; only the member
// issue.pull_request tells them apart.
func aComment(p payload) (finding, error) {
	if p.Issue == nil {
		return finding{}, lacks("issue")
	}
	n, err := number(p.Issue.Number, "issue.number")
	if err != nil {
		return finding{}, err
	}
	if absent(p.Issue.PullRequest) {
		return finding{target: Issue{n}, why: "the payload is about an issue"}, nil
	}
	return finding{target: Numbers{[]int{n}}, why: "the comment is on it"}, nil
}

func theCheckRun(p payload) (finding, error)   { return p.checked(p.CheckRun, "check_run") }
func theCheckSuite(p payload) (finding, error) { return p.checked(p.CheckSuite, "check_suite") }
func theWorkflowRun(p payload) (finding, error) {
	return p.checked(p.WorkflowRun, "workflow_run")
}

// checked looks at the pull requests that GitHub lists beside the checks, all
// of them: one commit can be the head of several. The list has pull requests
// of other repositories of the network too, and is empty for forks; then the
// commit stands for them.
func (p payload) checked(c *checks, member string) (finding, error) {
	if c == nil {
		return finding{}, lacks(member)
	}
	var numbers []int
	for _, listed := range c.PullRequests {
		if !p.inside(listed.Base.Repo) {
			continue
		}
		n, err := number(listed.Number, member+".pull_requests.number")
		if err != nil {
			return finding{}, err
		}
		numbers = append(numbers, n)
	}
	if len(numbers) > 0 {
		slices.Sort(numbers)
		return finding{target: Numbers{slices.Compact(numbers)}, why: "the payload lists it beside the checks"}, nil
	}
	why := "the payload lists no pull request of this repository, only the commit of the checks"
	return commit(c.HeadSHA, member+".head_sha", why)
}

func aStatus(p payload) (finding, error) {
	return commit(p.SHA, "sha", "the payload names the commit of the status")
}

// queueRef is the branch that a merge queue makes for one pull request.
var queueRef = regexp.MustCompile(`^(?:refs/heads/)?gh-readonly-queue/.+/pr-([1-9][0-9]*)-[0-9a-f]+$`)

// aMergeGroup looks at the pull request that the queue's branch is named
// after, else at the group's commit.
func aMergeGroup(p payload) (finding, error) {
	if p.MergeGroup == nil {
		return finding{}, lacks("merge_group")
	}
	if m := queueRef.FindStringSubmatch(p.MergeGroup.HeadRef); m != nil {
		n, err := parseNumber(m[1], "merge_group.head_ref")
		if err != nil {
			return finding{}, err
		}
		return finding{target: Numbers{[]int{n}}, why: "the branch of the merge queue is named after it"}, nil
	}
	return commit(p.MergeGroup.HeadSHA, "merge_group.head_sha", "the payload names the commit of the merge group")
}

func everything(payload) (finding, error) {
	return finding{target: Sweep{}, why: "the event is about no single pull request"}, nil
}

func aDispatch(p payload) (finding, error) {
	if p.Inputs == nil {
		return everything(p)
	}
	return named(p, "inputs.pr", p.Inputs.PR)
}

func aRepositoryDispatch(p payload) (finding, error) {
	c := p.ClientPayload
	switch {
	case c == nil:
		return everything(p)
	case !absent(c.PR):
		return named(p, "client_payload.pr", c.PR)
	case !absent(c.PullRequest):
		return named(p, "client_payload.pull_request", c.PullRequest)
	default:
		return named(p, "client_payload.number", c.Number)
	}
}

// named looks at the pull request that raw, a member which people fill, names:
// a number, its digits as a string, or an object with a number. Nothing there
// means everything.
func named(p payload, member string, raw json.RawMessage) (finding, error) {
	if absent(raw) {
		return everything(p)
	}
	var (
		n      int
		digits string
		object struct {
			Number *int `json:"number"`
		}
		err error
	)
	switch {
	case json.Unmarshal(raw, &digits) == nil && strings.TrimSpace(digits) == "":
		return everything(p)
	case json.Unmarshal(raw, &digits) == nil:
		n, err = parseNumber(strings.TrimSpace(digits), member)
	case json.Unmarshal(raw, &n) == nil:
		n, err = number(&n, member)
	case raw[0] == '{' && json.Unmarshal(raw, &object) == nil:
		n, err = number(object.Number, member+".number")
	default:
		err = noNumber(member)
	}
	if err != nil {
		return finding{}, err
	}
	return finding{target: Numbers{[]int{n}}, why: member + " names it"}, nil
}

// aPush looks at the pull requests whose head was pushed. Tags and deleted
// branches are nobody's head.
func aPush(p payload) (finding, error) {
	switch {
	case p.Ref == "":
		return finding{}, lacks("ref")
	case !strings.HasPrefix(p.Ref, "refs/heads/"):
		return finding{target: Nothing{EventIgnored, "what was pushed is no branch"}, why: "the payload names a tag"}, nil
	case p.Deleted:
		return finding{target: Nothing{EventIgnored, "the branch was deleted"}, why: "the payload says so"}, nil
	}
	return commit(p.After, "after", "the payload names the commit that was pushed")
}

var sha = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

func commit(s, member, why string) (finding, error) {
	if s == "" {
		return finding{}, lacks(member)
	}
	s = strings.ToLower(s)
	if !sha.MatchString(s) || strings.Trim(s, "0") == "" {
		return finding{}, fmt.Errorf("has no commit id at %s", member)
	}
	return finding{target: Commit{pr.SHA(s)}, why: why}, nil
}

// number returns *n if it can be the number of a pull request. GitHub's
// GraphQL takes 32 bits.
func number(n *int, member string) (int, error) {
	if n == nil {
		return 0, lacks(member)
	}
	if *n < 1 || *n > math.MaxInt32 {
		return 0, noNumber(member)
	}
	return *n, nil
}

func parseNumber(digits, member string) (int, error) {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, noNumber(member)
	}
	return number(&n, member)
}

func lacks(member string) error { return fmt.Errorf("lacks %s", member) }

func noNumber(member string) error {
	return fmt.Errorf("has no number of a pull request at %s", member)
}

// absent reports whether nobody filled a member in.
func absent(raw json.RawMessage) bool {
	s := string(raw)
	return s == "" || s == "null" || s == `""`
}
