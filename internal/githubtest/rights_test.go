package githubtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"
)

// less is everything but one right.
func less(right string) map[string]string {
	r := everything()
	delete(r, right)
	return r
}

// with is everything, with one right at another level.
func with(right, level string) map[string]string {
	r := everything()
	r[right] = level
	return r
}

// rightsWorld has one pull request with all that a right may hide.
func rightsWorld(token Token) *World {
	w := world(Options{})
	token.Value = "t"
	w.AddToken(token)
	w.SetFile(".github/prloop.yml", "x: 1\n")
	n := w.OpenPR(PR{Author: "hubot", Draft: true})
	w.Check(n, Check{Name: "build", Conclusion: "SUCCESS"})
	w.Check(n, Check{Name: "legacy", StatusOnly: true, Conclusion: "SUCCESS"})
	w.Review(n, Submitted{By: CopilotReviewer, Findings: []Finding{{Path: "a.go", Line: 1, Text: "x"}}})
	w.Comment(n, "hubot", "hello")
	w.OpenIssue("hubot", "an issue", "", "prloop")
	return w
}

func TestWhatATokenMayNotReadIsNullWithAnErrorAtItsPath(t *testing.T) {
	const pull = "repository.pullRequest"
	const refused = ": Resource not accessible by integration"
	for _, row := range []struct {
		name  string
		token Token
		query string // of the repository
		data  string
		errs  []string
	}{
		{
			"the rollup without checks: read",
			Token{Kind: Workflow, Rights: less("checks")},
			`pullRequest(number: 1) { number statusCheckRollup { state } }`,
			`{"pullRequest":{"number":1,"statusCheckRollup":null}}`,
			[]string{"FORBIDDEN " + pull + ".statusCheckRollup" + refused},
		},
		{
			"the workflow run without actions: read",
			Token{Kind: Workflow, Rights: less("actions")},
			`pullRequest(number: 1) { statusCheckRollup { contexts(first: 2) { nodes { ... on CheckRun { name checkSuite { app { slug } workflowRun { runNumber } } } } } } }`,
			`{"pullRequest":{"statusCheckRollup":{"contexts":{"nodes":[{"name":"build","checkSuite":{"app":{"slug":"github-actions"},"workflowRun":null}},{}]}}}}`,
			[]string{"FORBIDDEN " + pull + ".statusCheckRollup.contexts.nodes.0.checkSuite.workflowRun" + refused},
		},
		{
			"a commit status without statuses: read",
			Token{Kind: Workflow, Rights: less("statuses")},
			`pullRequest(number: 1) { statusCheckRollup { contexts(first: 2) { nodes { __typename } } } }`,
			`{"pullRequest":{"statusCheckRollup":{"contexts":{"nodes":[{"__typename":"CheckRun"},null]}}}}`,
			[]string{"FORBIDDEN " + pull + ".statusCheckRollup.contexts.nodes.1" + refused},
		},
		{
			"the rollup with a fine-grained token",
			Token{Kind: FineGrained, Login: "mona", Rights: everything()},
			`pullRequest(number: 1) { statusCheckRollup { state } }`,
			`{"pullRequest":{"statusCheckRollup":null}}`,
			[]string{"FORBIDDEN " + pull + ".statusCheckRollup: Resource not accessible by personal access token"},
		},
		{
			"the pull request without pull-requests: read",
			Token{Kind: Workflow, Rights: less("pull-requests")},
			`pullRequest(number: 1) { number }`,
			`{"pullRequest":null}`,
			[]string{"FORBIDDEN " + pull + refused},
		},
		{
			"issues without issues: read",
			Token{Kind: App, Login: "my-app[bot]", Rights: less("issues")},
			`isPrivate issue(number: 2) { number }`,
			`{"isPrivate":true,"issue":null}`,
			[]string{"FORBIDDEN repository.issue" + refused},
		},
		{
			"a file without contents: read",
			Token{Kind: Workflow, Rights: less("contents")},
			`object(expression: "main:.github/prloop.yml") { __typename }`,
			`{"object":null}`,
			[]string{"FORBIDDEN repository.object" + refused},
		},
		{
			"a pull request that is not there",
			Token{Kind: Workflow, Rights: everything()},
			`pullRequest(number: 99) { number }`,
			`{"pullRequest":null}`,
			[]string{"NOT_FOUND repository.pullRequest: Could not resolve to a PullRequest with the number of 99."},
		},
		{
			"nothing refused to a person's classic token",
			Token{Kind: User, Login: "mona"},
			`pullRequest(number: 1) { statusCheckRollup { contexts(first: 2) { nodes { ... on CheckRun { checkSuite { workflowRun { runNumber } } } } } } }`,
			`{"pullRequest":{"statusCheckRollup":{"contexts":{"nodes":[{"checkSuite":{"workflowRun":{"runNumber":1}}},{}]}}}}`, nil,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			data, errs := ask(t, rightsWorld(row.token), "t", `{ repository(owner: "octo", name: "demo") { `+row.query+` } }`, nil)
			same(t, "data", `{"repository":`+row.data+`}`, data)
			same(t, "errors", row.errs, errs)
		})
	}
}

func TestARepositoryThatATokenCannotSeeIsNotThere(t *testing.T) {
	for _, token := range []Token{{Kind: Workflow, Rights: everything(), Blind: true}, {Kind: User, Login: "outsider"}} {
		w := rightsWorld(token)
		w.AddAccount(Account{Login: "outsider", Permission: "none"})
		data, errs := ask(t, w, "t", `{ repository(owner: "octo", name: "demo") { id } }`, nil)
		same(t, "data", `{"repository":null}`, data)
		same(t, "errors", []string{"NOT_FOUND repository: Could not resolve to a Repository with the name 'octo/demo'."}, errs)
		_, res, err := rest(w, "t").PullRequests.Get(ctx, "octo", "demo", 1)
		same(t, "by REST", "404 Not Found", status(res, err))
	}
}

func TestABadTokenIsRefused(t *testing.T) {
	w := world(Options{})
	w.RemoveToken("pat")
	_, res, err := rest(w, "pat").Users.Get(ctx, "")
	same(t, "by REST", "401 Bad credentials", status(res, err))
	var q struct{ Viewer struct{ Login string } }
	err = graphql(w, "pat").Query(ctx, &q, nil)
	same(t, "by GraphQL", true, err != nil && strings.Contains(err.Error(), "401"))
}

// A mutation of rightsWorld's objects, as "name(input)".
func mutationOf(w *World, name string) string {
	p := w.Pull(1)
	input := map[string]string{
		"markPullRequestReadyForReview":   fmt.Sprintf(`{pullRequestId: %q}`, p.ID),
		"closePullRequest":                fmt.Sprintf(`{pullRequestId: %q}`, p.ID),
		"requestReviewsByLogin":           fmt.Sprintf(`{pullRequestId: %q, userLogins: ["mona"], union: true}`, p.ID),
		"resolveReviewThread":             fmt.Sprintf(`{threadId: %q}`, p.Threads[0].ID),
		"addPullRequestReviewThreadReply": fmt.Sprintf(`{pullRequestReviewThreadId: %q, body: "x"}`, p.Threads[0].ID),
		"addComment":                      fmt.Sprintf(`{subjectId: %q, body: "x"}`, p.ID),
		"updateIssueComment":              fmt.Sprintf(`{id: %q, body: "x"}`, p.Comments[0].ID),
		"deleteIssueComment":              fmt.Sprintf(`{id: %q}`, p.Comments[0].ID),
		"minimizeComment":                 fmt.Sprintf(`{subjectId: %q, classifier: OUTDATED}`, p.Comments[0].ID),
		"mergePullRequest":                fmt.Sprintf(`{pullRequestId: %q}`, p.ID),
		"enablePullRequestAutoMerge":      fmt.Sprintf(`{pullRequestId: %q}`, p.ID),
		"enqueuePullRequest":              fmt.Sprintf(`{pullRequestId: %q}`, p.ID),
		"dequeuePullRequest":              fmt.Sprintf(`{id: %q}`, p.ID),
		"deleteRef":                       fmt.Sprintf(`{refId: "REF_%s"}`, p.HeadRef),
	}[name]
	return `mutation { ` + name + `(input: ` + input + `) { clientMutationId } }`
}

func TestWhatATokenMayChange(t *testing.T) {
	const refused = "Resource not accessible by integration"
	reader := Token{Kind: User, Login: "reader"}
	writer := Token{Kind: User, Login: "mona", Write: true}
	for _, row := range []struct {
		mutation string
		token    Token
		want     string // message of the refusal
	}{
		{"markPullRequestReadyForReview", Token{Kind: Workflow, Rights: everything()}, ""},
		{"markPullRequestReadyForReview", Token{Kind: Workflow, Rights: with("contents", "read")}, refused},
		{"markPullRequestReadyForReview", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, refused},
		{"markPullRequestReadyForReview", Token{Kind: FineGrained, Login: "mona", Write: true, Rights: with("contents", "read")}, "Resource not accessible by personal access token"},
		{"markPullRequestReadyForReview", writer, ""},
		{"markPullRequestReadyForReview", reader, "reader does not have the correct permissions to execute this."},
		{"resolveReviewThread", Token{Kind: Workflow, Rights: everything()}, ""},
		{"resolveReviewThread", Token{Kind: Workflow, Rights: with("contents", "read")}, refused},
		{"resolveReviewThread", reader, "reader does not have the correct permissions to execute this."},
		{"resolveReviewThread", Token{Kind: User, Login: "hubot"}, ""}, // the author
		{"addPullRequestReviewThreadReply", Token{Kind: Workflow, Rights: with("contents", "read")}, ""},
		{"addPullRequestReviewThreadReply", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, refused},
		{"addPullRequestReviewThreadReply", reader, ""},
		{"addComment", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, ""}, // by issues: write
		{"addComment", Token{Kind: Workflow, Rights: map[string]string{"pull-requests": "write"}}, ""},
		{"addComment", Token{Kind: Workflow, Rights: map[string]string{"pull-requests": "read"}}, refused},
		{"addComment", reader, ""},
		{"updateIssueComment", Token{Kind: Workflow, Rights: everything()}, ""}, // anybody's
		{"updateIssueComment", reader, "reader does not have the correct permissions to execute this."},
		{"updateIssueComment", Token{Kind: User, Login: "hubot"}, ""}, // its own
		{"deleteIssueComment", writer, ""},
		{"deleteIssueComment", reader, "reader does not have the correct permissions to execute this."},
		{"minimizeComment", Token{Kind: Workflow, Rights: everything()}, ""},
		{"minimizeComment", reader, "reader does not have the correct permissions to execute this."},
		{"requestReviewsByLogin", Token{Kind: Workflow, Rights: everything()}, ""},
		{"requestReviewsByLogin", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, refused},
		{"closePullRequest", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, refused},
		{"mergePullRequest", Token{Kind: Workflow, Rights: with("contents", "read")}, refused},
		{"mergePullRequest", Token{Kind: Workflow, Rights: everything()}, "Pull Request is still a draft"},
		{"enablePullRequestAutoMerge", Token{Kind: Workflow, Rights: with("contents", "read")}, refused},
		{"enqueuePullRequest", Token{Kind: Workflow, Rights: with("contents", "read")}, refused},
		{"enqueuePullRequest", Token{Kind: Workflow, Rights: everything()}, "The base branch has no merge queue"},
		{"dequeuePullRequest", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, refused},
		{"dequeuePullRequest", Token{Kind: Workflow, Rights: everything()}, "Pull request is not in the queue"},
		{"deleteRef", Token{Kind: Workflow, Rights: with("contents", "read")}, refused},
		{"deleteRef", Token{Kind: Workflow, Rights: with("pull-requests", "read")}, ""},
		{"enablePullRequestAutoMerge", Token{Kind: Workflow, Rights: everything()}, "Pull request Pull request is in draft state"},
	} {
		t.Run(fmt.Sprintf("%s by %s %v", row.mutation, row.token.Login, row.token.Rights), func(t *testing.T) {
			w := rightsWorld(row.token)
			before := len(w.Changes())
			data, errs := ask(t, w, "t", mutationOf(w, row.mutation), nil)
			if row.want == "" {
				same(t, "errors", nil, errs)
				same(t, "data", `{"`+row.mutation+`":{"clientMutationId":null}}`, data)
				if len(w.Changes()) == before {
					t.Error("nothing changed")
				}
				return
			}
			kind := "FORBIDDEN"
			if strings.HasPrefix(row.want, "Pull") || strings.HasPrefix(row.want, "The base") {
				kind = "UNPROCESSABLE"
			}
			same(t, "errors", []string{kind + " " + row.mutation + ": " + row.want}, errs)
			same(t, "data", `{"`+row.mutation+`":null}`, data)
			same(t, "changes", 0, len(w.Changes())-before)
		})
	}
}

func TestAReadOnlyTokenIsRefusedByREST(t *testing.T) {
	w := rightsWorld(Token{Kind: Workflow, Rights: map[string]string{"contents": "read", "pull-requests": "read", "issues": "read"}})
	c := rest(w, "t")
	id := w.Pull(1).Comments[0].DatabaseID
	for name, f := range map[string]func() (*github.Response, error){
		"comment": func() (*github.Response, error) {
			_, res, err := c.Issues.CreateComment(ctx, "octo", "demo", 1, &github.IssueComment{Body: github.String("x")})
			return res, err
		},
		"edit": func() (*github.Response, error) {
			_, res, err := c.Issues.EditComment(ctx, "octo", "demo", id, &github.IssueComment{Body: github.String("x")})
			return res, err
		},
		"reaction": func() (*github.Response, error) {
			_, res, err := c.Reactions.CreateIssueCommentReaction(ctx, "octo", "demo", id, "eyes")
			return res, err
		},
		"issue": func() (*github.Response, error) {
			_, res, err := c.Issues.Create(ctx, "octo", "demo", &github.IssueRequest{Title: github.String("x")})
			return res, err
		},
		"label": func() (*github.Response, error) {
			_, res, err := c.Issues.AddLabelsToIssue(ctx, "octo", "demo", 1, []string{"x"})
			return res, err
		},
		"merge": func() (*github.Response, error) {
			_, res, err := c.PullRequests.Merge(ctx, "octo", "demo", 1, "", nil)
			return res, err
		},
		"workflow run": func() (*github.Response, error) {
			_, res, err := c.Actions.GetWorkflowRunByID(ctx, "octo", "demo", 1)
			return res, err
		},
	} {
		res, err := f()
		same(t, name, "403 Resource not accessible by integration", status(res, err))
	}
}

func TestWhatTheViewerIsToldOfItsRights(t *testing.T) {
	const q = `viewerCanUpdate reviewThreads(first: 1) { nodes { viewerCanReply viewerCanResolve } } comments(first: 1) { nodes { viewerCanUpdate viewerCanMinimize } }`
	for _, row := range []struct {
		name  string
		token Token
		want  string
	}{
		{
			"a workflow with all rights",
			Token{Kind: Workflow, Rights: everything()},
			`{"viewerCanUpdate":true,"reviewThreads":{"nodes":[{"viewerCanReply":true,"viewerCanResolve":true}]},"comments":{"nodes":[{"viewerCanUpdate":true,"viewerCanMinimize":true}]}}`,
		},
		{
			"a workflow with contents: read",
			Token{Kind: Workflow, Rights: with("contents", "read")},
			`{"viewerCanUpdate":true,"reviewThreads":{"nodes":[{"viewerCanReply":true,"viewerCanResolve":false}]},"comments":{"nodes":[{"viewerCanUpdate":true,"viewerCanMinimize":true}]}}`,
		},
		{
			"a reader",
			Token{Kind: User, Login: "reader"},
			`{"viewerCanUpdate":false,"reviewThreads":{"nodes":[{"viewerCanReply":true,"viewerCanResolve":false}]},"comments":{"nodes":[{"viewerCanUpdate":false,"viewerCanMinimize":false}]}}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			same(t, "the answer", row.want, onPR(t, rightsWorld(row.token), "t", q))
		})
	}
}
