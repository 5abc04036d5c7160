package githubtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"
)

// memberOf is one member of a JSON object.
func memberOf(t *testing.T, r io.Reader, name string) any {
	t.Helper()
	var v map[string]any
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v[name]
}

// status is the status of an answer, with GitHub's message where there is one.
func status(res *github.Response, err error) string {
	if res == nil {
		return err.Error()
	}
	if e, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return fmt.Sprintf("%d %s", res.StatusCode, e.Message)
	}
	if err != nil {
		return fmt.Sprintf("%d %v", res.StatusCode, err)
	}
	return fmt.Sprint(res.StatusCode)
}

var ctx = context.Background()

func TestRepositoryAndPullRequest(t *testing.T) {
	w := world(Options{IssuesOff: true})
	n := w.OpenPR(PR{
		Author: "hubot", HeadRepo: "hubot/demo", HeadRef: "feature", Head: "1111111111111111111111111111111111111111", Draft: true,
		Labels: []string{"prloop"},
	})
	c := rest(w, "wf")
	repo, _, err := c.Repositories.Get(ctx, "Octo", "DEMO")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the repository", "octo/demo main private=true issues=false",
		fmt.Sprintf("%s %s private=%t issues=%t", repo.GetFullName(), repo.GetDefaultBranch(), repo.GetPrivate(), repo.GetHasIssues()))
	p, _, err := c.PullRequests.Get(ctx, "octo", "demo", n)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the pull request", "open draft=true hubot hubot/demo:feature 1111111111111111111111111111111111111111 → main prloop draft true",
		fmt.Sprintf("%s draft=%t %s %s:%s %s → %s %s %s %t", p.GetState(), p.GetDraft(), p.GetUser().GetLogin(), p.GetHead().GetRepo().GetFullName(),
			p.GetHead().GetRef(), p.GetHead().GetSHA(), p.GetBase().GetRef(), p.Labels[0].GetName(), p.GetMergeableState(), p.GetMergeable()))
	_, res, err := c.PullRequests.Get(ctx, "octo", "demo", 99)
	same(t, "one that is not there", "404 Not Found", status(res, err))
	_, res, err = c.Repositories.Get(ctx, "octo", "other")
	same(t, "another repository", "404 Not Found", status(res, err))
}

func TestAForkThatIsGoneHasNoRepository(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{HeadGone: true})
	p, _, err := rest(w, "wf").PullRequests.Get(ctx, "octo", "demo", n)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "head.repo", nil, p.Head.Repo)
}

func TestCommentsByREST(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	c := rest(w, "wf")
	made, res, err := c.Issues.CreateComment(ctx, "octo", "demo", n, &github.IssueComment{Body: github.String("hello")})
	same(t, "creating", "201", status(res, err))
	same(t, "its author", "github-actions[bot] Bot", made.GetUser().GetLogin()+" "+made.GetUser().GetType())
	w.Advance(time.Minute)
	edited, res, err := c.Issues.EditComment(ctx, "octo", "demo", made.GetID(), &github.IssueComment{Body: github.String("hello again")})
	same(t, "editing", "200", status(res, err))
	same(t, "when it was edited", start.Add(time.Minute), edited.GetUpdatedAt().Time)
	got, res, err := c.Issues.GetComment(ctx, "octo", "demo", made.GetID())
	same(t, "getting", "200", status(res, err))
	same(t, "its text", "hello again", got.GetBody())
	res, err = c.Issues.DeleteComment(ctx, "octo", "demo", made.GetID())
	same(t, "deleting", "204", status(res, err))
	_, res, err = c.Issues.GetComment(ctx, "octo", "demo", made.GetID())
	same(t, "getting it afterwards", "404 Not Found", status(res, err))
	_, res, err = c.Issues.CreateComment(ctx, "octo", "demo", n, &github.IssueComment{Body: github.String(" ")})
	same(t, "an empty one", "422 Validation Failed", status(res, err))
	_, res, err = c.Issues.CreateComment(ctx, "octo", "demo", n, &github.IssueComment{Body: github.String(strings.Repeat("x", 65537))})
	same(t, "one that is too long", "422 Validation Failed", status(res, err))
	_, res, err = c.Issues.CreateComment(ctx, "octo", "demo", 99, &github.IssueComment{Body: github.String("x")})
	same(t, "one on nothing", "404 Not Found", status(res, err))
	same(t, "what changed", []string{
		"opened on #1 by mona", "comment_created 2400000001 on #1 by github-actions[bot]", "comment_edited 2400000001 on #1 by github-actions[bot]",
		"comment_deleted 2400000001 on #1 by github-actions[bot]",
	}, keys(w, 0))
}

func TestAReactionIsNewOnlyOnce(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	id := w.Comment(n, ActionsBot, "journal")
	post := func(token string) (int64, string) {
		r, res, err := rest(w, token).Reactions.CreateIssueCommentReaction(ctx, "octo", "demo", id, "eyes")
		return r.GetID(), status(res, err)
	}
	first, got := post("wf")
	same(t, "the first time", "201", got)
	w.Advance(time.Minute)
	second, got := post("wf")
	same(t, "the second time", "200", got)
	same(t, "its id", first, second)
	third, got := post("pat")
	same(t, "by somebody else", "201", got)

	c := rest(w, "wf")
	list, _, err := c.Reactions.ListIssueCommentReactions(ctx, "octo", "demo", id, nil)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, r := range list {
		seen = append(seen, r.GetUser().GetLogin()+" "+r.GetContent())
	}
	same(t, "the reactions", []string{"github-actions[bot] eyes", "mona eyes"}, seen)

	res, err := c.Reactions.DeleteIssueCommentReaction(ctx, "octo", "demo", id, third)
	same(t, "removing another's", "403 Resource not accessible by integration", status(res, err))
	res, err = c.Reactions.DeleteIssueCommentReaction(ctx, "octo", "demo", id, first)
	same(t, "removing ours", "204", status(res, err))
	res, err = c.Reactions.DeleteIssueCommentReaction(ctx, "octo", "demo", id, first)
	same(t, "removing it again", "404 Not Found", status(res, err))
	_, got = post("wf")
	same(t, "after it was removed", "201", got)
	for token, want := range map[string]bool{"wf": true, "pat": true, "app": false} {
		w.AddToken(Token{Value: "app", Kind: App, Login: "my-app[bot]", Rights: everything()})
		groups := onPR(t, w, token, `comments(first: 9) { nodes { reactionGroups { content viewerHasReacted createdAt } } }`)
		eyes := fmt.Sprintf(`{"content":"EYES","viewerHasReacted":%t,"createdAt":"2026-11-30T09:01:00Z"}`, want)
		if !strings.Contains(groups, eyes) || !strings.Contains(groups, `{"content":"HEART","viewerHasReacted":false,"createdAt":null}`) {
			t.Errorf("the groups as %s sees them are %s, want %s", token, groups, eyes)
		}
	}
	same(t, "when GraphQL says it was made", `{"comments":{"nodes":[{"reactions":{"totalCount":2,"nodes":[`+
		`{"content":"EYES","createdAt":"2026-11-30T09:01:00Z","user":{"login":"mona"}},{"content":"EYES","createdAt":"2026-11-30T09:01:00Z","user":null}],"viewerHasReacted":true}}]}}`,
		onPR(t, w, "wf", `comments(first: 9) { nodes { reactions(first: 9, content: EYES) { totalCount nodes { content createdAt user { login } } viewerHasReacted } } }`))
}

func TestALockedConversationTakesNothingFromAWorkflow(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	id := w.Comment(n, ActionsBot, "journal")
	w.SetPull(n, func(p *Pull) { p.Locked = true })
	c := rest(w, "wf")
	_, res, err := c.Issues.CreateComment(ctx, "octo", "demo", n, &github.IssueComment{Body: github.String("x")})
	same(t, "a comment", "403 Unable to create comment because issue is locked.", status(res, err))
	_, res, err = c.Issues.EditComment(ctx, "octo", "demo", id, &github.IssueComment{Body: github.String("x")})
	same(t, "an edit", "403 Unable to update comment because issue is locked.", status(res, err))
	_, res, err = c.Reactions.CreateIssueCommentReaction(ctx, "octo", "demo", id, "eyes")
	same(t, "a reaction", "403 Unable to react because issue is locked.", status(res, err))
	_, res, err = rest(w, "pat").Issues.CreateComment(ctx, "octo", "demo", n, &github.IssueComment{Body: github.String("x")})
	same(t, "a comment of a person with write access", "201", status(res, err))
}

func TestIssuesByREST(t *testing.T) {
	w := world(Options{})
	c := rest(w, "wf")
	made, res, err := c.Issues.Create(ctx, "octo", "demo", &github.IssueRequest{
		Title: github.String("record"), Body: github.String("one"), Labels: &[]string{"prloop"},
	})
	same(t, "creating", "201", status(res, err))
	_, res, err = c.Issues.Edit(ctx, "octo", "demo", made.GetNumber(), &github.IssueRequest{Body: github.String("two")})
	same(t, "editing", "200", status(res, err))
	_, res, err = c.Issues.AddLabelsToIssue(ctx, "octo", "demo", made.GetNumber(), []string{"dashboard"})
	same(t, "labelling", "200", status(res, err))
	got, res, err := c.Issues.Get(ctx, "octo", "demo", made.GetNumber())
	same(t, "getting", "200", status(res, err))
	same(t, "the issue", "record two open prloop dashboard", fmt.Sprintf("%s %s %s %s %s", got.GetTitle(), got.GetBody(), got.GetState(), got.Labels[0].GetName(), got.Labels[1].GetName()))
	list, _, err := c.Issues.ListByRepo(ctx, "octo", "demo", &github.IssueListByRepoOptions{Labels: []string{"prloop"}, Creator: "app/github-actions"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "found by label and creator", 1, len(list))
	data, errs := ask(t, w, "wf", `{ repository(owner: "octo", name: "demo") { hasIssuesEnabled issues(first: 5, labels: ["prloop"], states: OPEN,
		filterBy: {createdBy: "github-actions"}, orderBy: {field: CREATED_AT, direction: ASC}) { nodes { number body viewerDidAuthor editor { login } } } } }`, nil)
	same(t, "errors", nil, errs)
	same(t, "found by GraphQL", `{"repository":{"hasIssuesEnabled":true,"issues":{"nodes":[{"number":1,"body":"two","viewerDidAuthor":true,"editor":{"login":"github-actions"}}]}}}`, data)
	same(t, "the next pull request's number", 2, w.OpenPR(PR{}))
	p, res, err := c.Issues.Get(ctx, "octo", "demo", 2)
	same(t, "a pull request as an issue", "200", status(res, err))
	same(t, "whether it is one", true, p.IsPullRequest())
}

func TestIssuesThatAreSwitchedOff(t *testing.T) {
	w := world(Options{IssuesOff: true})
	n := w.OpenPR(PR{})
	c := rest(w, "wf")
	_, res, err := c.Issues.Create(ctx, "octo", "demo", &github.IssueRequest{Title: github.String("x")})
	same(t, "creating", "410 Issues are disabled for this repo", status(res, err))
	_, res, err = c.Issues.CreateComment(ctx, "octo", "demo", n, &github.IssueComment{Body: github.String("x")})
	same(t, "a comment on a pull request", "201", status(res, err))
}

func TestPermissionOfAnAccount(t *testing.T) {
	w := world(Options{})
	w.AddAccount(Account{Login: "keeper", Permission: "maintain"})
	w.AddAccount(Account{Login: "sorter", Permission: "triage"})
	w.AddAccount(Account{Login: "stranger", Permission: "none"})
	var got []string
	for _, login := range []string{"octo", "keeper", "mona", "sorter", "stranger", "nobody"} {
		p, res, err := rest(w, "wf").Repositories.GetPermissionLevel(ctx, "octo", "demo", login)
		if err != nil {
			got = append(got, login+" "+status(res, err))
			continue
		}
		got = append(got, login+" "+p.GetPermission())
	}
	same(t, "permissions", []string{
		"octo admin", "keeper write", "mona write", "sorter read", "stranger none", "nobody 404 nobody is not a user",
	}, got)
}

func TestWhoAmI(t *testing.T) {
	w := world(Options{})
	_, res, err := rest(w, "wf").Users.Get(ctx, "")
	same(t, "by REST with the workflow token", "403 Resource not accessible by integration", status(res, err))
	u, res, err := rest(w, "pat").Users.Get(ctx, "")
	same(t, "by REST as a person", "200 mona", status(res, err)+" "+u.GetLogin())
	for token, want := range map[string]string{"wf": `{"viewer":{"login":"github-actions[bot]","databaseId":41898282}}`, "pat": `{"viewer":{"login":"mona","databaseId":9002}}`} {
		data, errs := ask(t, w, token, `{ viewer { login databaseId } }`, nil)
		same(t, "errors", nil, errs)
		same(t, "by GraphQL", want, data)
	}
}

func TestWorkflowRuns(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Check(n, Check{Name: "build", RunID: 7})
	w.Check(n, Check{Name: "build", RunID: 7, Attempt: 2})
	own := w.AddRun(WorkflowRun{Event: "schedule"})
	c := rest(w, "wf")
	r, res, err := c.Actions.GetWorkflowRunByID(ctx, "octo", "demo", 7)
	same(t, "getting", "200", status(res, err))
	same(t, "the run", "CI in_progress attempt 2", fmt.Sprintf("%s %s attempt %d", r.GetName(), r.GetStatus(), r.GetRunAttempt()))
	r, _, err = c.Actions.GetWorkflowRunAttempt(ctx, "octo", "demo", 7, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "its first attempt", 1, r.GetRunAttempt())
	w.EndRun(own, "cancelled")
	r, _, err = c.Actions.GetWorkflowRunByID(ctx, "octo", "demo", own)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "our own run", "completed cancelled", r.GetStatus()+" "+r.GetConclusion())
	_, res, err = c.Actions.GetWorkflowRunByID(ctx, "octo", "demo", 8)
	same(t, "one that is not there", "404 Not Found", status(res, err))
}

func TestPullRequestsOfACommit(t *testing.T) {
	w := world(Options{})
	sha := "1111111111111111111111111111111111111111"
	w.OpenPR(PR{Head: sha})
	w.OpenPR(PR{Head: sha, Base: "release"})
	c := rest(w, "wf")
	list, _, err := c.PullRequests.ListPullRequestsWithCommit(ctx, "octo", "demo", sha, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, p := range list {
		got = append(got, p.GetNumber())
	}
	same(t, "their numbers", []int{1, 2}, got)
	_, res, err := c.PullRequests.ListPullRequestsWithCommit(ctx, "octo", "demo", strings.Repeat("9", 40), nil)
	same(t, "a commit that is not there", "422 No commit found for SHA: "+strings.Repeat("9", 40), status(res, err))
}

func TestMergingByREST(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Draft: true})
	c := rest(w, "wf")
	merge := func(sha string) string {
		_, res, err := c.PullRequests.Merge(ctx, "octo", "demo", n, "", &github.PullRequestOptions{SHA: sha})
		return status(res, err)
	}
	head := w.Pull(n).Head
	same(t, "a draft", "405 Pull Request is still a draft", merge(head))
	w.Ready(n, "mona")
	same(t, "another head", "409 Head branch was modified. Review and try the merge again.", merge(strings.Repeat("9", 40)))
	w.SetRules("", Rules{Contexts: []string{"build"}})
	same(t, "a check is missing", "405 Repository rule violations found\n\n1 of 1 required status checks are expected.", merge(head))
	w.SetRules("", Rules{})
	w.FailMerges("Base branch was modified. Review and try the merge again.")
	same(t, "as it is told", "409 Base branch was modified. Review and try the merge again.", merge(head))
	same(t, "else", "200", merge(head))
	same(t, "once more", "405 Pull Request is not mergeable", merge(head))
	same(t, "the state", "MERGED", w.Pull(n).State)
}

func TestARepliedThreadByREST(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: CopilotReviewer, Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}}})
	w.Reply(w.Pull(n).Threads[0].ID, "mona", "two")
	c := rest(w, "wf")
	list, _, err := c.PullRequests.ListComments(ctx, "octo", "demo", n, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "who began the thread", "Copilot 175728472", fmt.Sprintf("%s %d", list[0].GetUser().GetLogin(), list[0].GetUser().GetID()))
	made, res, err := c.PullRequests.CreateCommentInReplyTo(ctx, "octo", "demo", n, "by the list of comments", list[0].GetID())
	same(t, "by the list of comments", "201", status(res, err))
	same(t, "what it answers", list[0].GetID(), made.GetInReplyTo())
	for id, want := range map[int64]int{list[0].GetID(): 201, list[1].GetID(): 404} {
		r, err := c.NewRequest(http.MethodPost, fmt.Sprintf("repos/octo/demo/pulls/%d/comments/%d/replies", n, id), map[string]string{"body": "three"})
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(ctx, r, nil)
		if res == nil {
			t.Fatal(err)
		}
		same(t, "a reply to the first and to a later comment", want, res.StatusCode)
	}
	same(t, "comments of the thread", 4, len(w.Pull(n).Threads[0].Comments))
	reviews, _, err := c.PullRequests.ListReviews(ctx, "octo", "demo", n, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "who reviewed", "copilot-pull-request-reviewer[bot]", reviews[0].GetUser().GetLogin())
}

func TestRulesOfABranch(t *testing.T) {
	w := world(Options{})
	w.SetRules("release/1.0", Rules{Checks: []string{"ci"}, Copilot: &CopilotRule{OnPush: true}})
	res, err := client(w, "wf").Get("https://api.github.com/repos/octo/demo/rules/branches/release%2F1.0")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got []struct {
		Type       string
		Parameters map[string]any
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	same(t, "the types", "required_status_checks copilot_code_review", got[0].Type+" "+got[1].Type)
	same(t, "Copilot's rule", map[string]any{"review_on_push": true, "review_draft_pull_requests": false}, got[1].Parameters)
}

func TestADispatchIsNoted(t *testing.T) {
	w := world(Options{})
	res, err := rest(w, "wf").Actions.CreateWorkflowDispatchEventByFileName(ctx, "octo", "demo", "prloop.yml",
		github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: map[string]any{"pr": "7"}})
	same(t, "the answer", "204", status(res, err))
	same(t, "what changed", `workflow_dispatched prloop.yml on main by github-actions[bot] {"pr":"7"}`,
		w.Changes()[0].String()+" "+w.Changes()[0].Text)
	res, err = rest(w, "wf").Actions.CreateWorkflowDispatchEventByFileName(ctx, "octo", "demo", "prloop.yml",
		github.CreateWorkflowDispatchEventRequest{Ref: "nowhere"})
	same(t, "on no branch", "422 No ref found for: nowhere", status(res, err))
}

func TestListsHavePagesOfAHundredAtMost(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	for i := range 250 {
		w.Comment(n, "mona", fmt.Sprint(i))
	}
	c := rest(w, "wf")
	var sizes, next []int
	o := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 1000}}
	for {
		list, res, err := c.Issues.ListComments(ctx, "octo", "demo", n, o)
		if err != nil {
			t.Fatal(err)
		}
		sizes, next = append(sizes, len(list)), append(next, res.NextPage)
		if res.NextPage == 0 {
			same(t, "the last text", "249", list[len(list)-1].GetBody())
			break
		}
		o.Page = res.NextPage
	}
	same(t, "sizes", []int{100, 100, 50}, sizes)
	same(t, "next pages", []int{2, 3, 0}, next)
	list, _, err := c.Issues.ListComments(ctx, "octo", "demo", n, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the size of a page by default", 30, len(list))
}

func TestAPathThatIsNotSimulatedIsRemembered(t *testing.T) {
	w := world(Options{})
	for _, path := range []string{"/rate_limit", "/repos/octo/demo/branches/main/protection", "/repos/octo"} {
		res, err := client(w, "wf").Get("https://api.github.com" + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		same(t, path, 404, res.StatusCode)
	}
	var got []string
	for _, r := range w.Unknown() {
		got = append(got, r.Method+" "+r.Path)
	}
	same(t, "what is remembered", []string{"GET /rate_limit", "GET /repos/octo/demo/branches/main/protection", "GET /repos/octo"}, got)
}

func TestFilesOfTheDefaultBranch(t *testing.T) {
	w := world(Options{})
	w.SetFile(".github/prloop.yml", "fixer: people\n")
	w.SetFile("logo.png", "\xff\xfe\x00")
	const q = `query($e: String!) { repository(owner: "octo", name: "demo") { object(expression: $e) { __typename ... on Blob { text isBinary isTruncated byteSize } } } }`
	for _, row := range [][2]string{
		{"main:.github/prloop.yml", `{"repository":{"object":{"__typename":"Blob","text":"fixer: people\n","isBinary":false,"isTruncated":false,"byteSize":14}}}`},
		{"HEAD:.github/prloop.yml", `{"repository":{"object":{"__typename":"Blob","text":"fixer: people\n","isBinary":false,"isTruncated":false,"byteSize":14}}}`},
		{"main:logo.png", `{"repository":{"object":{"__typename":"Blob","text":null,"isBinary":true,"isTruncated":false,"byteSize":3}}}`},
		{"main:missing", `{"repository":{"object":null}}`},
		{"other:.github/prloop.yml", `{"repository":{"object":null}}`},
	} {
		data, errs := ask(t, w, "wf", q, map[string]any{"e": row[0]})
		same(t, "errors", nil, errs)
		same(t, row[0], row[1], data)
	}
	f, _, _, err := rest(w, "wf").Repositories.GetContents(ctx, "octo", "demo", ".github/prloop.yml", nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.GetContent()
	same(t, "by REST", "fixer: people\n", text)
	same(t, "its decoding", nil, err)
}
