package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shurcooL/githubv4"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestAQueryIsHeldAgainstTheSchema(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{})
	for _, row := range []struct{ name, query, want string }{
		{"an unknown field", `{ repository(owner: "octo", name: "demo") { stars } }`, `Cannot query field "stars" on type "Repository".`},
		{"an unknown argument", `{ repository(owner: "octo", name: "demo", colour: 1) { id } }`, `Unknown argument "colour" on field "Query.repository".`},
		{"a missing argument", `{ repository(owner: "octo") { id } }`, `Field "repository" argument "name" of type "String!" is required, but it was not provided.`},
		{"a field without a selection", `{ repository(owner: "octo", name: "demo") }`, `Field "repository" of type "Repository" must have a selection of subfields. Did you mean "repository { ... }"?`},
		{"a fragment on what it cannot be", `{ viewer { ... on PullRequest { id } } }`, `Fragment cannot be spread here as objects of type "User" can never be of type "PullRequest".`},
		{"no syntax", `{ viewer`, `Expected Name, found <EOF>`},
		{"an unused variable", `query($n: Int!) { viewer { login } }`, `Variable "$n" is never used.`},
		{"a value of the wrong type", `{ repository(owner: "octo", name: "demo") { pullRequest(number: "1") { id } } }`, `Int cannot represent non-integer value: "1"`},
		{"an enum value that is none", `{ repository(owner: "octo", name: "demo") { pullRequests(first: 1, states: OPENED) { totalCount } } }`, `Value "OPENED" does not exist in "[PullRequestState!]" enum. Did you mean the enum value "OPEN"?`},
	} {
		t.Run(row.name, func(t *testing.T) {
			data, errs := ask(t, w, "wf", row.query, nil)
			same(t, "data", "", data)
			same(t, "the first error", ": "+row.want, errs[0])
		})
	}
}

func TestVariablesAreCoerced(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{Labels: []string{"a"}})
	const q = `query($n: Int!, $s: [PullRequestState!], $first: Int = 1) { repository(owner: "octo", name: "demo") {
		pullRequest(number: $n) { number } pullRequests(states: $s, first: $first, labels: "a") { totalCount } } }`
	data, errs := ask(t, w, "wf", q, map[string]any{"n": 1, "s": "OPEN"})
	same(t, "errors", nil, errs)
	same(t, "one value for a list", `{"repository":{"pullRequest":{"number":1},"pullRequests":{"totalCount":1}}}`, data)
	_, errs = ask(t, w, "wf", q, map[string]any{})
	same(t, "a variable that is not given", []string{": must be defined"}, errs)
	_, errs = ask(t, w, "wf", q, map[string]any{"n": "one"})
	same(t, "a variable of the wrong type", []string{": cannot use string as Int"}, errs)
}

func TestFragmentsAliasesAndDirectives(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Check(n, Check{Name: "build", Conclusion: "SUCCESS"})
	w.Check(n, Check{Name: "legacy", StatusOnly: true, Conclusion: "ERROR"})
	data, errs := ask(t, w, "wf", `query($yes: Boolean = true) {
		here: repository(owner: "octo", name: "demo") { ...R }
		repository(owner: "octo", name: "demo") { one: pullRequest(number: 1) { title @skip(if: $yes) number @include(if: $yes) ...P } }
	}
	fragment R on Repository { __typename kind: __typename name name }
	fragment P on PullRequest {
		author { __typename ... on User { login } ... on Bot { id } }
		statusCheckRollup { contexts(first: 5) { nodes { __typename ... on RequirableByPullRequest { isRequired(pullRequestNumber: 1) }
			... on CheckRun { name conclusion } ... on StatusContext { context state } } } }
		statusCheckRollup { state }
	}`, nil)
	same(t, "errors", nil, errs)
	same(t, "data", `{"here":{"__typename":"Repository","kind":"Repository","name":"demo"},"repository":{"one":{"number":1,`+
		`"author":{"__typename":"User","login":"mona"},"statusCheckRollup":{"contexts":{"nodes":[`+
		`{"__typename":"CheckRun","isRequired":false,"name":"build","conclusion":"SUCCESS"},`+
		`{"__typename":"StatusContext","isRequired":false,"context":"legacy","state":"ERROR"}]},"state":"FAILURE"}}}}`, data)
}

func TestARequestNamesItsOperation(t *testing.T) {
	w := world(Options{})
	data, errs := ask(t, w, "wf", `query A { viewer { login } } query B { viewer { id } }`, nil)
	same(t, "data", "", data)
	same(t, "errors", []string{": An operation name is required"}, errs)
	body := `{"query":"query A { viewer { login } } query B { rateLimit { cost } viewer { id } }","operationName":"B"}`
	res, err := client(w, "wf").Post("https://api.github.com/graphql", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	log := w.Log()
	same(t, "the log", "2 POST /graphql B{rateLimit viewer} 200", log[1].String())
}

func TestABodyThatIsNoJSON(t *testing.T) {
	w := world(Options{})
	res, err := client(w, "wf").Post("https://api.github.com/graphql", "application/json", strings.NewReader("query"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	same(t, "status", 400, res.StatusCode)
	same(t, "message", "Problems parsing JSON", memberOf(t, res.Body, "message"))
}

func TestConnectionsWantBoundaries(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Comment(n, "mona", "x")
	const at = " repository.pullRequest.comments: "
	for _, row := range []struct{ args, selection, want string }{
		{``, `nodes { id }`, "MISSING_PAGINATION_BOUNDARIES" + at + "You must provide a `first` or `last` value to properly paginate the `comments` connection."},
		{`(first: 101)`, `nodes { id }`, "EXCESSIVE_PAGINATION" + at + "Requesting 101 records on the `comments` connection exceeds the `first` limit of 100 records."},
		{`(first: 0)`, `nodes { id }`, "ARGUMENT_LIMIT" + at + "`first` and `last` on the `comments` connection must be between 1 and 100."},
		{`(first: 1, last: 1)`, `nodes { id }`, "BAD_USER_INPUT" + at + "Passing both `first` and `last` values to paginate the `comments` connection is not supported."},
		{`(first: 1, after: "nonsense")`, `nodes { id }`, "INVALID_CURSOR_ARGUMENTS" + at + "`nonsense` does not appear to be a valid cursor."},
		{``, `totalCount`, ""},
		{`(first: 100)`, `nodes { id }`, ""},
	} {
		t.Run(row.args+row.selection, func(t *testing.T) {
			data, errs := ask(t, w, "wf", `{ repository(owner: "octo", name: "demo") { pullRequest(number: 1) { comments`+row.args+` { `+row.selection+` } } } }`, nil)
			if row.want == "" {
				same(t, "errors", nil, errs)
				return
			}
			// comments must not be null, so the pull request is.
			same(t, "data", `{"repository":{"pullRequest":null}}`, data)
			same(t, "errors", []string{row.want}, errs)
		})
	}
}

func TestAListIsReadFromPageToPage(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	var ids []int64
	for i := range 5 {
		ids = append(ids, w.Comment(n, "mona", fmt.Sprint(i)))
	}
	page := func(args string) (texts string, info string) {
		t.Helper()
		got := onPR(t, w, "wf", `comments(`+args+`) { totalCount nodes { body } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`)
		var v struct {
			Comments struct {
				TotalCount int
				Nodes      []struct{ Body string }
				PageInfo   struct {
					HasNextPage, HasPreviousPage bool
					StartCursor, EndCursor       string
				}
			}
		}
		if err := json.Unmarshal([]byte(got), &v); err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Comments.Nodes {
			texts += c.Body
		}
		pi := v.Comments.PageInfo
		texts += fmt.Sprintf(" next=%t previous=%t of %d", pi.HasNextPage, pi.HasPreviousPage, v.Comments.TotalCount)
		if strings.HasPrefix(args, "last") {
			return texts, pi.StartCursor
		}
		return texts, pi.EndCursor
	}
	got, cursor := page(`first: 2`)
	same(t, "the first two", "01 next=true previous=false of 5", got)
	// What is deleted and added in between neither hides nor doubles anything.
	w.DeleteComment(ids[0], "mona")
	w.Comment(n, "mona", "5")
	got, cursor = page(fmt.Sprintf(`first: 2, after: %q`, cursor))
	same(t, "the next two", "23 next=true previous=true of 5", got)
	got, _ = page(fmt.Sprintf(`first: 2, after: %q`, cursor))
	same(t, "the last two", "45 next=false previous=true of 5", got)
	w.DeleteComment(ids[3], "mona") // the one that the cursor stands for
	got, _ = page(fmt.Sprintf(`first: 2, after: %q`, cursor))
	same(t, "after a cursor whose comment is gone", "45 next=false previous=true of 4", got)
	got, cursor = page(`last: 2`)
	same(t, "from the end", "45 next=false previous=true of 4", got)
	got, _ = page(fmt.Sprintf(`last: 2, before: %q`, cursor))
	same(t, "before those", "12 next=true previous=false of 4", got)
}

func TestEdgesCarryCursors(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Comment(n, "mona", "a")
	w.Comment(n, "mona", "b")
	got := onPR(t, w, "wf", `comments(first: 1) { edges { cursor node { body } } }`)
	var v struct {
		Comments struct {
			Edges []struct {
				Cursor string
				Node   struct{ Body string }
			}
		}
	}
	if err := json.Unmarshal([]byte(got), &v); err != nil {
		t.Fatal(err)
	}
	same(t, "the text", "a", v.Comments.Edges[0].Node.Body)
	got = onPR(t, w, "wf", fmt.Sprintf(`comments(first: 1, after: %q) { nodes { body } }`, v.Comments.Edges[0].Cursor))
	same(t, "what follows its cursor", `{"comments":{"nodes":[{"body":"b"}]}}`, got)
}

// The formula is that of GitHub's page on the limits of the GraphQL API.
func TestThePriceOfAQuery(t *testing.T) {
	repo := func(inner string) string {
		return `{ rateLimit { cost nodeCount } repository(owner: "octo", name: "demo") { ` + inner + ` } }`
	}
	for _, row := range []struct {
		name, query string
		cost, nodes int
	}{
		{"no connection", repo(`id`), 1, 0},
		{"GitHub's own example: 1 + 100 requests", repo(`pullRequests(first: 100) { nodes { comments(first: 100) { nodes { id } } } }`), 1, 10100},
		{
			"a nest of three: 1 + 50 + 50 × 20 = 1051 requests",
			repo(`pullRequests(first: 50) { nodes { reviewThreads(first: 20) { nodes { comments(first: 10) { nodes { id } } } } } }`), 11, 50 + 1000 + 10000,
		},
		{
			"side by side: 1 + 3 × 100 requests",
			repo(`pullRequests(first: 100) { nodes { comments(first: 1) { nodes { id } } reviews(last: 1) { nodes { id } } labels(first: 1) { nodes { id } } } }`), 3, 400,
		},
		{"the same connection twice is one", repo(`pullRequests(first: 100) { nodes { comments(first: 1) { nodes { id } } comments(first: 1) { totalCount } } }`), 1, 200},
		{
			"under another name it is another",
			repo(`pullRequests(first: 100) { nodes { a: comments(first: 1) { nodes { id } } b: comments(last: 1) { nodes { id } } } }`), 2, 300,
		},
		{"what is left out costs nothing", repo(`pullRequests(first: 100) { nodes { comments(first: 100) @include(if: false) { nodes { id } } } }`), 1, 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := world(Options{})
			data, errs := ask(t, w, "wf", row.query, nil)
			same(t, "errors", nil, errs)
			var v struct{ RateLimit struct{ Cost, NodeCount int } }
			if err := json.Unmarshal([]byte(data), &v); err != nil {
				t.Fatal(err)
			}
			same(t, "cost", row.cost, v.RateLimit.Cost)
			same(t, "nodes", row.nodes, v.RateLimit.NodeCount)
			same(t, "points in the log", row.cost, w.Log()[0].Points)
		})
	}
}

func TestAQueryForTooManyNodesIsRefused(t *testing.T) {
	w := world(Options{})
	data, errs := ask(t, w, "wf", `{ repository(owner: "octo", name: "demo") { pullRequests(first: 100) { nodes { reviewThreads(first: 100) { nodes {
		comments(first: 100) { nodes { id } } } } } } } }`, nil)
	same(t, "data", "", data)
	same(t, "errors", []string{"MAX_NODE_LIMIT_EXCEEDED : This query requests up to 1010100 possible nodes which exceeds the maximum limit of 500,000."}, errs)
}

func TestPointsRunOutAndComeBackWithTheHour(t *testing.T) {
	w := world(Options{})
	w.Spend("wf", 0, 999)
	data, errs := ask(t, w, "wf", `{ rateLimit { limit used remaining resetAt } }`, nil)
	same(t, "errors", nil, errs)
	same(t, "the last point", `{"rateLimit":{"limit":1000,"used":1000,"remaining":0,"resetAt":"2026-11-30T10:00:00Z"}}`, data)
	res, err := client(w, "wf").Post("https://api.github.com/graphql", "application/json", strings.NewReader(`{"query":"{ viewer { login } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	same(t, "status of the next", 200, res.StatusCode)
	same(t, "remaining", "0", res.Header.Get("X-RateLimit-Remaining"))
	same(t, "reset", fmt.Sprint(start.Add(time.Hour).Unix()), res.Header.Get("X-RateLimit-Reset"))
	_, errs = ask(t, w, "wf", `{ viewer { login } }`, nil)
	same(t, "its error", []string{"RATE_LIMITED : API rate limit exceeded for installation ID 1."}, errs)
	w.Advance(time.Hour)
	_, errs = ask(t, w, "wf", `{ viewer { login } }`, nil)
	same(t, "in the next hour", nil, errs)
}

func TestRESTRequestsRunOutToo(t *testing.T) {
	w := world(Options{})
	w.Spend("wf", 1000, 0)
	_, res, err := rest(w, "wf").Repositories.Get(ctx, "octo", "demo")
	if res == nil {
		t.Fatal(err)
	}
	same(t, "status", http.StatusForbidden, res.StatusCode)
	same(t, "remaining", 0, res.Rate.Remaining)
}

// A mutation's refusal leaves the others to be done, and says which it was.
func TestMutationsGoOneAfterTheOther(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	data, errs := ask(t, w, "wf", `mutation($id: ID!) {
		a: addComment(input: {subjectId: $id, body: "one", clientMutationId: "x"}) { clientMutationId commentEdge { node { body } } }
		b: addComment(input: {subjectId: "PR_nothing", body: "two"}) { clientMutationId }
		c: markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
	}`, map[string]any{"id": w.Pull(n).ID})
	same(t, "data", `{"a":{"clientMutationId":"x","commentEdge":{"node":{"body":"one"}}},"b":null,"c":null}`, data)
	same(t, "errors", []string{
		"NOT_FOUND b: Could not resolve to a node with the global id of 'PR_nothing'",
		"UNPROCESSABLE c: Pull request is not in draft state.",
	}, errs)
}

func TestEachMutation(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Draft: true})
	w.Review(n, Submitted{By: CopilotReviewer, Findings: []Finding{{Path: "a.go", Line: 1, Text: "x"}}})
	comment := w.Comment(n, ActionsBot, "old")
	p := w.Pull(n)
	vars := map[string]any{"pr": p.ID, "thread": p.Threads[0].ID, "comment": p.Comments[0].ID}
	for _, row := range []struct{ variables, mutation, want string }{
		{`$pr: ID!`, `markPullRequestReadyForReview(input: {pullRequestId: $pr}) { pullRequest { isDraft } }`, `{"pullRequest":{"isDraft":false}}`},
		{`$pr: ID!`, `convertPullRequestToDraft(input: {pullRequestId: $pr}) { pullRequest { isDraft } }`, `{"pullRequest":{"isDraft":true}}`},
		{`$pr: ID!`, `closePullRequest(input: {pullRequestId: $pr}) { pullRequest { state } }`, `{"pullRequest":{"state":"CLOSED"}}`},
		{`$pr: ID!`, `reopenPullRequest(input: {pullRequestId: $pr}) { pullRequest { state } }`, `{"pullRequest":{"state":"OPEN"}}`},
		{`$thread: ID!`, `addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $thread, body: "y"}) { comment { body author { login } } }`, `{"comment":{"body":"y","author":{"login":"github-actions"}}}`},
		{`$thread: ID!`, `resolveReviewThread(input: {threadId: $thread}) { thread { isResolved } }`, `{"thread":{"isResolved":true}}`},
		{`$thread: ID!`, `unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } }`, `{"thread":{"isResolved":false}}`},
		{`$comment: ID!`, `updateIssueComment(input: {id: $comment, body: "new"}) { issueComment { body } }`, `{"issueComment":{"body":"new"}}`},
		{`$comment: ID!`, `minimizeComment(input: {subjectId: $comment, classifier: OFF_TOPIC}) { minimizedComment { isMinimized minimizedReason } }`, `{"minimizedComment":{"isMinimized":true,"minimizedReason":"off-topic"}}`},
		{`$comment: ID!`, `unminimizeComment(input: {subjectId: $comment}) { unminimizedComment { isMinimized } }`, `{"unminimizedComment":{"isMinimized":false}}`},
		{`$comment: ID!`, `deleteIssueComment(input: {id: $comment}) { clientMutationId }`, `{"clientMutationId":null}`},
	} {
		data, errs := ask(t, w, "wf", `mutation(`+row.variables+`) { m: `+row.mutation+` }`, vars)
		same(t, "errors of "+row.mutation, nil, errs)
		same(t, row.mutation, `{"m":`+row.want+`}`, data)
	}
	same(t, "what changed", []string{
		"ready_for_review at " + short(p.Head) + " on #1 by github-actions[bot]",
		"convert_to_draft on #1 by github-actions[bot]", "closed on #1 by github-actions[bot]", "reopened on #1 by github-actions[bot]",
		"replied 2900000002 in " + p.Threads[0].ID + " on #1 by github-actions[bot]",
		"thread_resolved " + p.Threads[0].ID + " on #1 by github-actions[bot]", "thread_unresolved " + p.Threads[0].ID + " on #1 by github-actions[bot]",
		fmt.Sprintf("comment_edited %d on #1 by github-actions[bot]", comment), fmt.Sprintf("comment_hidden %d on #1 by github-actions[bot]", comment),
		fmt.Sprintf("comment_shown %d on #1 by github-actions[bot]", comment), fmt.Sprintf("comment_deleted %d on #1 by github-actions[bot]", comment),
	}, keys(w, 3))
}

func TestRefusalsOfAutoMerge(t *testing.T) {
	green, red := Check{Name: "build", Conclusion: "SUCCESS"}, Check{Name: "other", Conclusion: "FAILURE"}
	for _, row := range []struct {
		name  string
		opt   Options
		rules Rules
		check *Check
		set   func(*Pull)
		fail  string
		want  string
	}{
		{"not allowed", Options{AutoMergeOff: true}, Rules{}, nil, nil, "", "Auto merge is not allowed for this repository"},
		{"no protection", Options{}, Rules{}, nil, nil, "", "Pull request Protected branch rules not configured for this branch"},
		{"nothing to wait for", Options{}, Rules{Contexts: []string{"build"}}, &green, nil, "", "Pull request Pull request is in clean status"},
		{"unstable", Options{}, Rules{ThreadResolution: true}, &red, nil, "", "Pull request Pull request is in unstable status"},
		{"as it is told", Options{}, Rules{}, nil, nil, "Something else", "Something else"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := world(row.opt)
			w.SetRules("", row.rules)
			n := w.OpenPR(PR{})
			if row.check != nil {
				w.Check(n, *row.check)
			}
			if row.fail != "" {
				w.FailMerges(row.fail)
			}
			_, errs := ask(t, w, "wf", `mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }`, map[string]any{"id": w.Pull(n).ID})
			same(t, "errors", []string{"UNPROCESSABLE enablePullRequestAutoMerge: " + row.want}, errs)
		})
	}
}

func TestAMergeQueueTakesTheMergeAndShowsNoAutoMerge(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{MergeQueue: true})
	n := w.OpenPR(PR{})
	data, errs := ask(t, w, "wf", `mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { autoMergeRequest { mergeMethod } isInMergeQueue mergeQueueEntry { state } } } }`,
		map[string]any{"id": w.Pull(n).ID})
	same(t, "errors", nil, errs)
	same(t, "data", `{"enablePullRequestAutoMerge":{"pullRequest":{"autoMergeRequest":null,"isInMergeQueue":true,"mergeQueueEntry":{"state":"QUEUED"}}}}`, data)
	w.Push(n, Push{})
	same(t, "after a push", `{"isInMergeQueue":false}`, onPR(t, w, "wf", `isInMergeQueue`))
}

func TestAMergeQueueIsEnteredAndLeft(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	in := map[string]any{"id": w.Pull(n).ID, "head": w.Pull(n).Head}
	const enter = `mutation($id: ID!, $head: GitObjectID) { enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) { mergeQueueEntry { state } } }`
	const leave = `mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { clientMutationId } }`
	_, errs := ask(t, w, "wf", enter, in)
	same(t, "no queue", []string{"UNPROCESSABLE enqueuePullRequest: The base branch has no merge queue"}, errs)
	w.SetRules("", Rules{MergeQueue: true})
	_, errs = ask(t, w, "wf", `mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`, map[string]any{"id": in["id"]})
	same(t, "beside the queue", []string{"UNPROCESSABLE mergePullRequest: Repository rule violations found\n\nChanges must be made through the merge queue"}, errs)
	data, errs := ask(t, w, "wf", enter, in)
	same(t, "errors", nil, errs)
	same(t, "entered", `{"enqueuePullRequest":{"mergeQueueEntry":{"state":"QUEUED"}}}`, data)
	_, errs = ask(t, w, "wf", enter, in)
	same(t, "twice", []string{"UNPROCESSABLE enqueuePullRequest: Pull request is already in the queue"}, errs)
	same(t, "pinned to", w.Pull(n).Head, w.Log()[len(w.Log())-1].Expected)
	_, errs = ask(t, w, "wf", leave, map[string]any{"id": in["id"]})
	same(t, "errors", nil, errs)
	same(t, "queued", false, w.Pull(n).Queued)
	in["head"] = strings.Repeat("0", 40)
	_, errs = ask(t, w, "wf", enter, in)
	same(t, "another head", []string{"UNPROCESSABLE enqueuePullRequest: Head branch was modified. Review and try the merge again."}, errs)
}

// A head branch is deleted; what is open from it, or based on it, is closed. A
// protected one stays.
func TestAHeadBranchIsDeleted(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{HeadRef: "feature"})
	child := w.OpenPR(PR{Base: "feature"})
	const deletes = `mutation { deleteRef(input: {refId: "REF_feature"}) { clientMutationId } }`
	w.SetRules("feature", Rules{Approvals: 1})
	_, errs := ask(t, w, "wf", deletes, nil)
	same(t, "protected", []string{"UNPROCESSABLE deleteRef: Cannot delete this branch"}, errs)
	delete(w.rules, "feature")
	w.Merge(n, "mona")
	same(t, "before", `{"headRef":{"name":"feature"}}`, onPR(t, w, "wf", `headRef { name }`))
	_, errs = ask(t, w, "wf", deletes, nil)
	same(t, "errors", nil, errs)
	same(t, "after", `{"headRef":null}`, onPR(t, w, "wf", `headRef { name }`))
	same(t, "merged", "MERGED", w.Pull(n).State)
	same(t, "its child", "CLOSED", w.Pull(child).State)
	_, errs = ask(t, w, "wf", deletes, nil)
	same(t, "again", []string{"NOT_FOUND deleteRef: Could not resolve to a node with the global id of 'REF_feature'"}, errs)
}

func TestAPinnedMergeRefusesAnotherHead(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	head := w.Pull(n).Head
	w.Push(n, Push{})
	var m struct {
		MergePullRequest struct {
			PullRequest struct{ Merged bool }
		} `graphql:"mergePullRequest(input: $input)"`
	}
	merge := func(head string) string {
		return result(graphql(w, "wf").Mutate(ctx, &m, githubv4.MergePullRequestInput{
			PullRequestID: w.Pull(n).ID, ExpectedHeadOid: githubv4.NewGitObjectID(githubv4.GitObjectID(head)),
		}, nil))
	}
	same(t, "the head that was judged", "Head branch was modified. Review and try the merge again.", merge(head))
	same(t, "today's head", "ok", merge(w.Pull(n).Head))
	same(t, "merged", true, m.MergePullRequest.PullRequest.Merged)
}

func TestABranchThatIsBehindCanBeUpdatedOnce(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.SetPull(n, func(p *Pull) { p.Behind = true })
	update := func() []string {
		_, errs := ask(t, w, "pat", `mutation($id: ID!, $head: GitObjectID) { updatePullRequestBranch(input: {pullRequestId: $id, expectedHeadOid: $head}) { pullRequest { headRefOid } } }`,
			map[string]any{"id": w.Pull(n).ID, "head": w.Pull(n).Head})
		return errs
	}
	same(t, "the first time", nil, update())
	same(t, "commits", 2, len(w.Pull(n).Commits))
	same(t, "the second time", []string{"UNPROCESSABLE updatePullRequestBranch: There are no new commits on the base branch."}, update())
}

func TestPullRequestsAreListedInOrder(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{HeadRef: "a", Labels: []string{"prloop"}})
	w.Advance(time.Minute)
	w.OpenPR(PR{HeadRef: "b", Labels: []string{"prloop", "other"}})
	w.Advance(time.Minute)
	w.OpenPR(PR{HeadRef: "c"})
	w.Close(3, "mona")
	w.Advance(time.Minute)
	w.Comment(1, "mona", "moves updatedAt")
	list := func(args string) string {
		data, errs := ask(t, w, "wf", `{ repository(owner: "octo", name: "demo") { pullRequests(first: 9`+args+`) { nodes { number } } } }`, nil)
		same(t, "errors", nil, errs)
		return strings.TrimSuffix(strings.TrimPrefix(data, `{"repository":{"pullRequests":{"nodes":[`), `]}}}`)
	}
	same(t, "all", `{"number":1},{"number":2},{"number":3}`, list(``))
	same(t, "open ones", `{"number":1},{"number":2}`, list(`, states: OPEN`))
	same(t, "by label", `{"number":2}`, list(`, labels: ["other"]`))
	same(t, "by branch", `{"number":3}`, list(`, headRefName: "c"`))
	same(t, "newest first", `{"number":3},{"number":2},{"number":1}`, list(`, orderBy: {field: CREATED_AT, direction: DESC}`))
	same(t, "last updated first", `{"number":1},{"number":3},{"number":2}`, list(`, orderBy: {field: UPDATED_AT, direction: DESC}`))
}

func TestADatabaseIDOfMoreThan32BitsIsGivenInFull(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: "hubot", Findings: []Finding{{Path: "a.go", Line: 1, Text: "x"}}})
	same(t, "the ids", `{"reviews":{"nodes":[{"databaseId":null,"fullDatabaseId":"3500000001"}]},"reviewThreads":{"nodes":[{"comments":{"nodes":[{"databaseId":null,"fullDatabaseId":"2900000001"}]}}]}}`,
		onPR(t, w, "wf", `reviews(first: 1) { nodes { databaseId fullDatabaseId } } reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { databaseId fullDatabaseId } } } }`))
}

// Every field of every object type is asked for once, so that each resolver
// runs and gives what its type says.
func TestEveryFieldGivesWhatItsTypeSays(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{
		Contexts: []string{"x"}, Checks: []string{"build"}, Workflows: []string{".github/workflows/must.yml"}, ThreadResolution: true,
		MergeQueue: true, Copilot: &CopilotRule{},
	})
	n := w.OpenPR(PR{Labels: []string{"prloop"}, Draft: true})
	w.SetFile("a.txt", "text")
	w.Review(n, Submitted{By: CopilotReviewer, Body: "b", Findings: []Finding{{Path: "a.go", Line: 1, Text: "x"}}})
	w.Reply(w.Pull(n).Threads[0].ID, "mona", "y")
	w.Dismiss(w.Review(n, Submitted{By: "hubot", State: "APPROVED"}), "mona", "no")
	w.React(w.Comment(n, "mona", "hello"), "hubot", "+1")
	w.DeleteComment(w.Comment(n, "mona", "gone"), "mona")
	w.Ready(n, "mona")
	w.Draft(n, "mona")
	w.Ready(n, "mona")
	w.Label(n, "mona", "b")
	w.Unlabel(n, "mona", "b")
	w.Close(n, "mona")
	w.Reopen(n, "mona")
	w.Push(n, Push{Force: true})
	w.Check(n, Check{Name: "build", Conclusion: "SUCCESS"})
	w.Check(n, Check{Name: "lint", App: "linty", Conclusion: "SUCCESS"})
	w.Check(n, Check{Name: "legacy", StatusOnly: true, Creator: "hubot"})
	w.Request(n, "mona", CopilotReviewer)
	w.Withdraw(n, "mona", CopilotReviewer)
	w.Request(n, "mona", "hubot")
	w.OpenIssue("mona", "an issue", "body", "prloop")
	w.SetPull(n, func(p *Pull) { p.Queued, p.AutoMerge = true, &AutoMerge{At: start, By: "mona", Method: "SQUASH"} })
	w.Deploy(w.Merge(w.OpenPR(PR{}), "mona"), "production", "SUCCESS")

	const repo = `repository(owner: "octo", name: "demo") { `
	const pull = repo + `pullRequest(number: 1) { `
	const check = pull + `statusCheckRollup { contexts(first: 9) { nodes { ... on CheckRun { checkSuite { `
	paths := map[string]string{
		"Query": ``, "RateLimit": `rateLimit { `, "Repository": repo, "Ref": repo + `defaultBranchRef { `, "Blob": repo + `object(expression: "main:a.txt") { ... on Blob { `,
		"RefUpdateRule": pull + `baseRef { refUpdateRule { `, "RepositoryRule": pull + `baseRef { rules(first: 9) { nodes { `,
		"StatusCheckConfiguration": pull + `baseRef { rules(first: 9) { nodes { parameters { ... on RequiredStatusChecksParameters { requiredStatusChecks { `,
		"WorkflowFileReference":    pull + `baseRef { rules(first: 9) { nodes { parameters { ... on WorkflowsParameters { workflows { `,
		"PullRequestCommit":        pull + `commits(first: 9) { nodes { `, "ReviewRequest": pull + `reviewRequests(first: 9) { nodes { `,
		"Label": pull + `labels(first: 9) { nodes { `, "StatusCheckRollup": pull + `statusCheckRollup { `, "App": check + `app { `,
		"Workflow": check + `workflowRun { workflow { `, "WorkflowRunFile": check + `workflowRun { file { `,
		"AutoMergeRequest": pull + `autoMergeRequest { `, "MergeQueueEntry": pull + `mergeQueueEntry { `,
		"StatusCheckRollupContextConnection": pull + `statusCheckRollup { contexts(first: 9) { `,
		"CheckRunStateCount":                 pull + `statusCheckRollup { contexts(first: 9) { checkRunCountsByState { `,
		"StatusContextStateCount":            pull + `statusCheckRollup { contexts(first: 9) { statusContextCountsByState { `,
		"ReactionGroup":                      pull + `comments(first: 1) { nodes { reactionGroups { `,
		"ReactionConnection":                 pull + `comments(first: 1) { nodes { reactions(first: 9) { `,
		"PullRequestTimelineItemsConnection": pull + `timelineItems(first: 100) { `,
		"PageInfo":                           pull + `comments(first: 1) { pageInfo { `,
		"IssueCommentEdge":                   pull + `comments(first: 1) { edges { `,
	}
	for _, name := range []string{"CopilotCodeReview", "RequiredStatusChecks", "Workflows", "PullRequest", "MergeQueue"} {
		paths[name+"Parameters"] = pull + `baseRef { rules(first: 9) { nodes { parameters { ... on ` + name + `Parameters { `
	}
	asked := map[string]bool{}
	send := func(name, query string) {
		t.Helper()
		asked[name] = true
		data, errs := ask(t, w, "pat", query, nil)
		for _, e := range errs {
			t.Errorf("%s: %s", name, e)
		}
		if !strings.Contains(data, `"`+name+`"`) {
			t.Errorf("%s was not reached: %s in %s", name, query, data)
		}
	}
	for name, path := range paths {
		send(name, "{ "+path+allFields(name)+strings.Repeat("} ", strings.Count(path, "{")+1))
	}
	for id, v := range w.nodes {
		if name := typeOf(v); name != "" && id != "" {
			if e, ok := v.(*Event); ok {
				name = typeOf(e.item(w))
			}
			send(name, fmt.Sprintf("{ node(id: %q) { ... on %s { %s } } }", id, name, allFields(name)))
		}
	}
	for _, def := range ours() {
		switch {
		case def.Kind != ast.Object, asked[def.Name], slices.Contains([]string{"Mutation", "Team", "Mannequin", "BaseRefChangedEvent"}, def.Name):
		case strings.HasSuffix(def.Name, "Payload"), strings.HasSuffix(def.Name, "Connection"), strings.HasSuffix(def.Name, "Edge"):
		case strings.HasPrefix(def.Name, "AutoMerge"): // events of an armed merge, in a test of their own
		default:
			t.Errorf("%s was not asked for", def.Name)
		}
	}
}

// allFields selects all fields of a type; of objects below it their type.
func allFields(name string) string {
	arguments := map[string]string{
		"Query.repository": `(owner: "octo", name: "demo")`, "Query.node": `(id: "PR_kwDOAA000001")`, "Query.nodes": `(ids: ["I_kwDOAA000001"])`,
		"Query.user": `(login: "mona")`, "Repository.pullRequest": `(number: 1)`, "Repository.issue": `(number: 2)`,
		"Repository.issueOrPullRequest": `(number: 2)`, "Repository.label": `(name: "prloop")`, "Repository.object": `(expression: "main:a.txt")`,
		"Repository.ref": `(qualifiedName: "refs/heads/main")`, "CheckRun.isRequired": `(pullRequestNumber: 1)`,
		"StatusContext.isRequired": `(pullRequestId: "PR_kwDOAA000001")`,
	}
	g := theGraph()
	var b strings.Builder
	b.WriteString("__typename ")
	for _, f := range g.schema.Types[name].Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		of := g.schema.Types[f.Type.Name()]
		b.WriteString(f.Name + arguments[name+"."+f.Name])
		switch {
		case of.IsLeafType():
		case strings.HasSuffix(of.Name, "Connection"):
			b.WriteString(`(first: 9) { totalCount nodes { __typename } edges { cursor node { __typename } } pageInfo { hasNextPage } }`)
		default:
			b.WriteString(` { __typename }`)
		}
		b.WriteString(" ")
	}
	return b.String()
}
