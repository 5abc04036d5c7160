package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

const (
	head  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	other = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// quiet is GitHub's answer for a pull request with nothing on it.
const quiet = `{
  "rateLimit": {"cost": 1},
  "viewer": {"login": "github-actions[bot]", "databaseId": 41898282},
  "repository": {
    "name": "demo", "owner": {"login": "octo"}, "hasIssuesEnabled": true, "defaultBranchRef": {"name": "main"},
    "autoMergeAllowed": false, "mergeCommitAllowed": true, "squashMergeAllowed": true, "rebaseMergeAllowed": false, "deleteBranchOnMerge": false,
    "config": null,
    "issues": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
    "pullRequest": {
      "id": "PR_1", "number": 7, "url": "https://github.com/octo/demo/pull/7", "title": "Add a thing", "state": "OPEN",
      "isDraft": false, "viewerCanUpdate": true, "locked": false, "author": {"__typename": "User", "login": "Mona", "databaseId": 5},
      "headRefOid": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "headRefName": "feature",
      "headRepository": {"nameWithOwner": "octo/demo"},
      "baseRefName": "main", "baseRefOid": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
      "createdAt": "2026-10-05T10:00:00Z", "updatedAt": "2026-10-05T11:00:00Z", "mergeStateStatus": "CLEAN",
      "mergedAt": null, "mergedBy": null, "mergeCommit": null, "autoMergeRequest": null, "mergeQueueEntry": null,
      "isMergeQueueEnabled": false, "headRef": {"name": "feature"},
      "labels": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "comments": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "reviews": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "reviewThreads": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "reviewRequests": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "timelineItems": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "baseRef": {"refUpdateRule": null, "rules": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}}},
      "stack": {"associatedPullRequests": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}}},
      "twins": {"nodes": [{"commit": {"associatedPullRequests": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}}}}]},
      "closingIssuesReferences": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "commits": {"nodes": [{"commit": {
        "oid": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "checkSuites": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
        "statusCheckRollup": null
      }}]}
    }
  }
}`

// quietSnapshot is what quiet says.
func quietSnapshot() *pr.Snapshot {
	return &pr.Snapshot{
		At:     noon,
		Repo:   pr.Repo{Owner: "octo", Name: "demo", DefaultBranch: "main"},
		Viewer: pr.Actor{Login: "github-actions", Bot: true, ID: 41898282},
		Found:  true, ID: "PR_1", Number: 7, URL: "https://github.com/octo/demo/pull/7", Title: "Add a thing", State: pr.Open,
		Author: pr.Actor{Login: "mona", ID: 5},
		Head:   head, HeadRef: "feature", HeadRepo: "octo/demo",
		Base:      pr.Branch{Name: "main", OID: other},
		CreatedAt: noon.Add(-2 * time.Hour), UpdatedAt: noon.Add(-time.Hour), MergeState: "CLEAN", CanUpdate: true,
		Config: pr.File{Path: ".github/prloop.yml"},
		Merges: pr.Merges{Methods: []pr.MergeMethod{pr.MergeCommits, pr.Squash}},
	}
}

// A change sets one place of an answer: a path, and JSON. Numbers in the path
// are indices.
type change struct{ path, json string }

// inPull is the place of the pull request's field.
func inPull(field, json string) change { return change{"repository.pullRequest." + field, json} }

// nodes is a list that ends with these.
func nodes(list ...string) string {
	return `{"nodes":[` + strings.Join(list, ",") + `],"pageInfo":{"hasNextPage":false,"endCursor":null}}`
}

// onePage is a list that goes on at cursor.
func onePage(cursor string, list ...string) string {
	return fmt.Sprintf(`{"nodes":[%s],"pageInfo":{"hasNextPage":true,"endCursor":%s}}`, strings.Join(list, ","), cursor)
}

// edited is the answer base with the changes in it, in an envelope with errs.
func edited(t testing.TB, base string, errs string, changes ...change) answer {
	t.Helper()
	var data any
	if err := json.Unmarshal([]byte(base), &data); err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		var value any
		if err := json.Unmarshal([]byte(c.json), &value); err != nil {
			t.Fatalf("%s: %v in %s", c.path, err, c.json)
		}
		at := &data
		for step := range strings.SplitSeq(c.path, ".") {
			switch in := (*at).(type) {
			case map[string]any:
				box, ok := in[step].(*any) // a change before has gone this way
				if !ok {
					v := in[step]
					box = &v
				}
				in[step], at = box, box
			case []any:
				var i int
				if _, err := fmt.Sscan(step, &i); err != nil {
					t.Fatal(err)
				}
				at = &in[i]
			}
		}
		*at = value
	}
	body := map[string]any{"data": data}
	if errs != "" {
		body["errors"] = json.RawMessage(errs)
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: 200, body: string(b)}
}

// A hub answers from the queries' own variables: what is not asked for is not
// in the answer, as on GitHub.
type hub struct {
	t      testing.TB
	answer func(n int, vars map[string]any) answer
	vars   []map[string]any
}

func (h *hub) RoundTrip(req *http.Request) (*http.Response, error) {
	var in struct {
		Query     string
		Variables map[string]any
	}
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		h.t.Fatal(err)
	}
	a := h.answer(len(h.vars), in.Variables)
	h.vars = append(h.vars, in.Variables)
	if a.status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	if a.status == 200 && strings.Contains(in.Query, "reviewThreads") {
		a.body = withoutUnasked(h.t, a.body, in.Variables)
	}
	return &http.Response{StatusCode: a.status, Header: http.Header{"Date": {date}}, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

func withoutUnasked(t testing.TB, body string, vars map[string]any) string {
	var out map[string]any
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		return body
	}
	drop := func(part string, path ...string) {
		if vars["with"+part] == true {
			return
		}
		at := out["data"]
		for _, step := range path[:len(path)-1] {
			switch in := at.(type) {
			case map[string]any:
				at = in[step]
			case []any:
				at = in[0]
			}
		}
		if in, ok := at.(map[string]any); ok {
			delete(in, path[len(path)-1])
		}
	}
	drop("Config", "repository", "config")
	drop("Record", "repository", "issues")
	for _, field := range []string{"autoMergeAllowed", "mergeCommitAllowed", "squashMergeAllowed", "rebaseMergeAllowed", "deleteBranchOnMerge"} {
		drop("Merging", "repository", field)
	}
	for _, field := range []string{"mergedAt", "mergedBy", "mergeCommit", "autoMergeRequest", "mergeQueueEntry", "isMergeQueueEnabled", "headRef"} {
		drop("Merging", "repository", "pullRequest", field)
	}
	drop("Labels", "repository", "pullRequest", "labels")
	drop("Comments", "repository", "pullRequest", "comments")
	drop("Reviews", "repository", "pullRequest", "reviews")
	drop("Threads", "repository", "pullRequest", "reviewThreads")
	drop("Requests", "repository", "pullRequest", "reviewRequests")
	drop("Events", "repository", "pullRequest", "timelineItems")
	drop("Rules", "repository", "pullRequest", "baseRef")
	drop("Parents", "repository", "pullRequest", "stack")
	drop("Twins", "repository", "pullRequest", "twins")
	drop("Links", "repository", "pullRequest", "closingIssuesReferences")
	drop("Suites", "repository", "pullRequest", "commits", "nodes", "0", "commit", "checkSuites")
	drop("Checks", "repository", "pullRequest", "commits", "nodes", "0", "commit", "statusCheckRollup")
	b, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// snap reads pull request 7 from a GitHub that gives these answers in turn.
func snap(t testing.TB, answers ...answer) (*pr.Snapshot, *hub, error) {
	t.Helper()
	h := &hub{t: t, answer: func(n int, _ map[string]any) answer { return answers[min(n, len(answers)-1)] }}
	c, err := New(Options{
		Token: "wf", Owner: "octo", Repo: "demo", Transport: h,
		Backoff: func(int, *http.Response) time.Duration { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Snapshot(t.Context(), 7, Want{ConfigPath: ".github/prloop.yml"})
	return s, h, err
}

const commits0 = "commits.nodes.0.commit."

// Every field of a snapshot, from an answer in which all are given.
func TestSnapshotReadsEverything(t *testing.T) {
	const bot = `{"__typename":"Bot","login":"copilot-pull-request-reviewer","databaseId":175728472}`
	got, h, err := snap(t, edited(t, quiet, "",
		change{"repository.config", `{"__typename":"Blob","isTruncated":false,"text":"reviewers: {}\n"}`},
		change{"repository.issues", nodes(
			`{"id":"I_1","number":3,"state":"OPEN","body":"a stranger's","viewerDidAuthor":false}`,
			`{"id":"I_2","number":4,"state":"CLOSED","body":"closed","viewerDidAuthor":true}`,
			`{"id":"I_3","number":5,"state":"OPEN","body":"the record","viewerDidAuthor":true}`,
			`{"id":"I_4","number":6,"state":"OPEN","body":"a later one","viewerDidAuthor":true}`,
		)},
		inPull("isDraft", "true"), inPull("locked", "true"), inPull("headRepository", "null"), inPull("author", "null"),
		inPull("mergeStateStatus", `"SOMETHING_NEW"`),
		change{"repository.autoMergeAllowed", "true"}, change{"repository.deleteBranchOnMerge", "true"}, change{"repository.rebaseMergeAllowed", "true"},
		inPull("mergedAt", `"2026-10-05T11:20:00Z"`), inPull("mergedBy", `{"__typename":"User","login":"Mona","databaseId":5}`),
		inPull("mergeCommit", `{"oid":"`+other+`"}`),
		inPull("autoMergeRequest", `{"enabledAt":"2026-10-05T11:10:00Z","enabledBy":{"__typename":"Bot","login":"github-actions","databaseId":41898282},"mergeMethod":"SQUASH"}`),
		inPull("mergeQueueEntry", `{"enqueuedAt":"2026-10-05T11:15:00Z","enqueuer":{"__typename":"User","login":"Mona","databaseId":5},"state":"SOMETHING_NEW"}`),
		inPull("isMergeQueueEnabled", "true"), inPull("headRef", "null"),
		inPull("changedFiles", `14`),
		inPull("labels", nodes(`{"name":"prloop"}`, `{"name":"bug"}`)),
		inPull("comments", nodes(
			`{"id":"C_2","fullDatabaseId":"9000000002","author":null,"viewerDidAuthor":false,"body":"later","createdAt":"2026-10-05T11:00:00+02:00","updatedAt":"2026-10-05T11:00:00Z","lastEditedAt":"2026-10-05T11:30:00Z","editor":{"__typename":"User","login":"Hubot","databaseId":6},"isMinimized":true,"reactionGroups":[{"content":"EYES","viewerHasReacted":false},{"content":"HEART","viewerHasReacted":true}]}`,
			`{"id":"C_1","fullDatabaseId":null,"author":{"__typename":"Bot","login":"github-actions","databaseId":41898282},"viewerDidAuthor":true,"body":"mine","createdAt":"2026-10-05T08:00:00Z","updatedAt":"2026-10-05T08:00:00Z","lastEditedAt":null,"editor":null,"isMinimized":false,"reactionGroups":[{"content":"HEART","viewerHasReacted":false},{"content":"EYES","viewerHasReacted":true}]}`,
		)),
		inPull("reviews", nodes(
			`{"id":"R_0","author":{"__typename":"User","login":"mona"},"authorCanPushToRepository":true,"state":"PENDING","commit":null,"submittedAt":null,"body":"","url":""}`,
			`{"id":"R_1","author":`+bot+`,"authorCanPushToRepository":false,"state":"SOMETHING_NEW","commit":{"oid":"`+head+`"},"submittedAt":"2026-10-05T11:00:00Z","body":"text","url":"https://github.com/r"}`,
		)),
		inPull("reviewThreads", nodes(
			`{"id":"T_1","path":"a.go","line":null,"originalLine":12,"isResolved":true,"isOutdated":true,"subjectType":"LINE","comments":`+nodes(
				`{"id":"RC_1","author":`+bot+`,"viewerDidAuthor":false,"body":"Off by one.","diffHunk":"@@ -1,2 +1,3 @@\n before\n+for i <= n {\n","createdAt":"2026-10-05T11:00:00Z","url":"https://github.com/rc1","pullRequestReview":{"id":"R_1","authorCanPushToRepository":true}}`,
				`{"id":"RC_2","author":null,"viewerDidAuthor":true,"body":"Done.","createdAt":"2026-10-05T11:10:00Z","url":"https://github.com/rc2","pullRequestReview":null}`,
			)+`}`,
			`{"id":"T_2","path":"b.go","line":3,"originalLine":null,"isResolved":false,"isOutdated":false,"subjectType":"FILE","comments":`+nodes()+`}`,
		)),
		inPull("reviewRequests", nodes(
			`{"requestedReviewer":{"__typename":"Bot","login":"copilot-pull-request-reviewer","databaseId":175728472}}`,
			`{"requestedReviewer":{"__typename":"Team"}}`,
			`{"requestedReviewer":null}`,
			`{"requestedReviewer":{"__typename":"User","login":"Hubot","databaseId":6}}`,
			`{"requestedReviewer":{"__typename":"Mannequin","login":"old-hand"}}`,
		)),
		inPull("timelineItems", nodes(
			`{"__typename":"ReopenedEvent","createdAt":"2026-10-05T10:50:00Z","actor":null}`,
			`{"__typename":"ReviewRequestedEvent","createdAt":"2026-10-05T10:10:00Z","actor":{"__typename":"User","login":"mona","databaseId":5},"requestedReviewer":`+bot+`}`,
			`{"__typename":"ReviewRequestRemovedEvent","createdAt":"2026-10-05T10:20:00Z","actor":{"__typename":"User","login":"mona","databaseId":5},"requestedReviewer":{"__typename":"Team"}}`,
			`{"__typename":"ReadyForReviewEvent","createdAt":"2026-10-05T10:30:00Z","actor":{"__typename":"User","login":"mona","databaseId":5}}`,
			`{"__typename":"ConvertToDraftEvent","createdAt":"2026-10-05T10:40:00Z","actor":{"__typename":"User","login":"mona","databaseId":5}}`,
			`{"__typename":"HeadRefForcePushedEvent","createdAt":"2026-10-05T11:00:00Z","actor":{"__typename":"User","login":"mona","databaseId":5}}`,
			`{"__typename":"SomethingNew"}`,
		)),
		inPull("baseRef", `{"refUpdateRule":{"requiredStatusCheckContexts":["lint","build"]},"rules":`+nodes(
			`{"type":"REQUIRED_STATUS_CHECKS","parameters":{"__typename":"RequiredStatusChecksParameters","requiredStatusChecks":[{"context":"build"},{"context":"a test"}]}}`,
			`{"type":"WORKFLOWS","parameters":{"__typename":"WorkflowsParameters","workflows":[{"path":".github/workflows/z.yml"},{"path":".github/workflows/a.yml"}]}}`,
			`{"type":"COPILOT_CODE_REVIEW","parameters":{"__typename":"CopilotCodeReviewParameters","reviewOnPush":true}}`,
			`{"type":"NON_FAST_FORWARD","parameters":null}`,
		)+`}`),
		inPull(commits0+"checkSuites", nodes(`{"createdAt":"2026-10-05T10:02:00Z"}`, `{"createdAt":"2026-10-05T10:01:00Z"}`)),
		inPull(commits0+"statusCheckRollup", `{"contexts":`+nodes(
			`{"__typename":"CheckRun","databaseId":10,"name":"build","status":"COMPLETED","conclusion":"SOMETHING_NEW","isRequired":true,"startedAt":"2026-10-05T10:03:00Z","detailsUrl":"https://github.com/run","checkSuite":{"app":{"slug":"github-actions"},"workflowRun":{"databaseId":100,"runNumber":8,"runAttempt":2,"file":{"path":".github/workflows/ci.yml"},"workflow":{"name":"CI","url":"https://github.com/octo/demo/actions/workflows/ci.yml"}}}}`,
			`{"__typename":"CheckRun","databaseId":11,"name":"Agent","status":"IN_PROGRESS","conclusion":null,"isRequired":false,"startedAt":null,"detailsUrl":null,"checkSuite":{"app":{"slug":"github-actions"},"workflowRun":{"databaseId":101,"runNumber":1,"runAttempt":1,"file":null,"workflow":{"name":"Copilot code review","url":"https://github.com/octo/demo/actions/workflows/dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer"}}}}`,
			`{"__typename":"CheckRun","databaseId":12,"name":"old","status":"QUEUED","conclusion":null,"isRequired":false,"startedAt":null,"detailsUrl":null,"checkSuite":{"app":null,"workflowRun":{"databaseId":102,"runNumber":1,"runAttempt":1,"file":null,"workflow":{"name":"Old","url":"https://github.com/octo/demo/actions/workflows/old.yml"}}}}`,
			`{"__typename":"CheckRun","databaseId":13,"name":"scan","status":"COMPLETED","conclusion":"NEUTRAL","isRequired":false,"startedAt":"2026-10-05T10:03:00Z","detailsUrl":"","checkSuite":{"app":{"slug":"scanner"},"workflowRun":null}}`,
			`{"__typename":"StatusContext","context":"deploy","state":"EXPECTED","isRequired":true,"createdAt":"2026-10-05T10:04:00Z","targetUrl":null}`,
		)+`}`),
	))
	if err != nil {
		t.Fatal(err)
	}
	at := func(hour, minute int) time.Time { return time.Date(2026, 10, 5, hour, minute, 0, 0, time.UTC) }
	mona, hubot := pr.Actor{Login: "mona", ID: 5}, pr.Actor{Login: "hubot", ID: 6}
	copilot := pr.Actor{Login: pr.CopilotReviewer, Bot: true, ID: pr.CopilotReviewerID}
	want := quietSnapshot()
	want.ChangedFiles = 14
	want.MergedAt, want.MergedBy, want.MergeCommit = at(11, 20), mona, other
	want.AutoMerge = &pr.AutoMerge{At: at(11, 10), By: pr.Actor{Login: "github-actions", Bot: true, ID: 41898282}, Method: pr.Squash}
	want.Queue = &pr.QueueEntry{At: at(11, 15), By: mona, State: "SOMETHING_NEW"}
	want.HasQueue, want.HeadDeleted = true, true
	want.Merges = pr.Merges{Auto: true, DeletesHead: true, Methods: []pr.MergeMethod{pr.MergeCommits, pr.Squash, pr.Rebase}}
	want.Draft, want.Locked, want.HeadRepo, want.Author, want.MergeState = true, true, "", pr.Actor{}, "SOMETHING_NEW"
	want.Config = pr.File{Path: ".github/prloop.yml", Found: true, Text: "reviewers: {}\n"}
	want.Record = pr.Record{Number: 5, ID: "I_3", Body: "the record"}
	want.Labels = []string{"bug", "prloop"}
	want.Comments = []pr.Comment{
		{ID: "C_1", Author: pr.Actor{Login: "github-actions", Bot: true, ID: 41898282}, Mine: true, Body: "mine", CreatedAt: at(8, 0), UpdatedAt: at(8, 0), Locked: true},
		{ID: "C_2", DatabaseID: 9000000002, Body: "later", CreatedAt: at(9, 0), UpdatedAt: at(11, 0), EditedAt: at(11, 30), Editor: hubot, Minimized: true},
	}
	want.Reviews = []pr.Review{
		{ID: "R_1", Author: copilot, State: "SOMETHING_NEW", Commit: head, SubmittedAt: at(11, 0), Body: "text", URL: "https://github.com/r"},
		{ID: "R_0", Author: pr.Actor{Login: "mona"}, Trusted: true, State: pr.Pending},
	}
	want.Threads = []pr.Thread{
		{ID: "T_1", Path: "a.go", OriginalLine: 12, Resolved: true, Outdated: true, URL: "https://github.com/rc1", Comments: []pr.ThreadComment{
			{ID: "RC_1", Author: copilot, Trusted: true, Body: "Off by one.", Code: "for i <= n {", CreatedAt: at(11, 0), ReviewID: "R_1", URL: "https://github.com/rc1"},
			{ID: "RC_2", Mine: true, Body: "Done.", CreatedAt: at(11, 10), URL: "https://github.com/rc2"},
		}},
		{ID: "T_2", Path: "b.go", Line: 3, FileLevel: true},
	}
	want.Requests = []pr.Actor{copilot, hubot, {Login: "old-hand"}}
	want.Events = []pr.Event{
		{Kind: pr.ReviewRequested, At: at(10, 10), Actor: mona, Reviewer: copilot},
		{Kind: pr.ReviewRequestRemoved, At: at(10, 20), Actor: mona},
		{Kind: pr.ReadyForReview, At: at(10, 30), Actor: mona},
		{Kind: pr.ConvertedToDraft, At: at(10, 40), Actor: mona},
		{Kind: pr.Reopened, At: at(10, 50)},
		{Kind: pr.HeadForcePushed, At: at(11, 0), Actor: mona},
	}
	want.Rules = pr.Rules{
		RequiredContexts:    []string{"a test", "build", "lint"},
		RequiredWorkflows:   []string{".github/workflows/a.yml", ".github/workflows/z.yml"},
		CopilotReviewOnPush: true,
	}
	want.HeadSuiteAt = at(10, 1)
	want.Checks = []pr.Check{
		{Name: "build", State: "COMPLETED", Conclusion: "SOMETHING_NEW", Required: true, ID: 10, App: "github-actions", StartedAt: at(10, 3), URL: "https://github.com/run", WorkflowKnown: true, Workflow: "CI", WorkflowPath: ".github/workflows/ci.yml", RunID: 100, RunNumber: 8, RunAttempt: 2},
		{Name: "Agent", State: "IN_PROGRESS", ID: 11, App: "github-actions", WorkflowKnown: true, Workflow: "Copilot code review", WorkflowPath: "dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer", RunID: 101, RunNumber: 1, RunAttempt: 1},
		{Name: "old", State: "QUEUED", ID: 12, WorkflowKnown: true, Workflow: "Old", WorkflowPath: ".github/workflows/old.yml", RunID: 102, RunNumber: 1, RunAttempt: 1},
		{Name: "scan", State: "COMPLETED", Conclusion: "NEUTRAL", ID: 13, App: "scanner", StartedAt: at(10, 3), WorkflowKnown: true},
		{Name: "deploy", Status: true, State: "EXPECTED", Required: true, StartedAt: at(10, 4), WorkflowKnown: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if len(h.vars) != 1 {
		t.Errorf("%d requests, want 1", len(h.vars))
	}
}

// Of a hunk the line is kept that its comment is about, and no more of it.
func TestLastLineOfAHunk(t *testing.T) {
	tests := []struct{ hunk, want string }{
		{"@@ -1,2 +1,2 @@ func a()\n \tb()\n-\tc()\n+\td()", "\td()"},
		{"@@ -1,2 +1,2 @@\r\n gone\r\n-\tc()\r\n", "\tc()"},
		{"@@ -1 +1 @@ only a header", ""},
		{"", ""},
		{"@@ -1 +1 @@\n+" + strings.Repeat("é", 300), strings.Repeat("é", 200)},
		{"@@ -1 +1 @@\n+" + strings.Repeat("é", 199) + "x" + strings.Repeat("é", 9), strings.Repeat("é", 199) + "x"},
	}
	for _, tt := range tests {
		if got := lastLine(tt.hunk); got != tt.want {
			t.Errorf("lastLine(%.40q) = %q, want %q", tt.hunk, got, tt.want)
		}
	}
}

func TestQuietPullRequestIsOneRequest(t *testing.T) {
	got, h, err := snap(t, edited(t, quiet, ""))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(quietSnapshot(), got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if len(h.vars) != 1 {
		t.Errorf("%d requests, want 1", len(h.vars))
	}
}

// What is unknown, and why, for each way in which a part can be missing from
// one answer; and that nothing else is.
func TestSnapshotOfHalfAnAnswer(t *testing.T) {
	forbidden := func(path string) string {
		return fmt.Sprintf(`[{"type":"FORBIDDEN","path":["%s"],"message":"Resource not accessible by integration"}]`, strings.ReplaceAll(path, ".", `","`))
	}
	const hidden = "GitHub does not show it to this token"
	run := func(runs string) string {
		return `{"__typename":"CheckRun","databaseId":10,"name":"build","status":"QUEUED","conclusion":null,"isRequired":false,"startedAt":null,"detailsUrl":null,"checkSuite":{"app":null,"workflowRun":` + runs + `}}`
	}
	tests := []struct {
		name    string
		changes []change
		errs    string
		want    []pr.Unknown
		// also says what else differs from the quiet snapshot.
		also func(*pr.Snapshot)
	}{
		{
			name:    "checks may not be read",
			changes: []change{inPull(commits0+"statusCheckRollup", "null")},
			errs:    forbidden("repository.pullRequest.commits.nodes.0.commit.statusCheckRollup"),
			want:    []pr.Unknown{{Fact: pr.FactChecks, Why: hidden, Right: "checks: read"}},
		},
		{
			name:    "check suites may not be read",
			changes: []change{inPull(commits0+"checkSuites", "null")},
			errs:    forbidden("repository.pullRequest.commits.nodes.0.commit.checkSuites"),
			want:    []pr.Unknown{{Fact: pr.FactChecks, Why: hidden, Right: "checks: read"}},
		},
		{
			name:    "checks are there, their workflows may not be read",
			changes: []change{inPull(commits0+"statusCheckRollup", `{"contexts":`+nodes(run("null"))+`}`)},
			errs:    forbidden("repository.pullRequest.commits.nodes.0.commit.statusCheckRollup.contexts.nodes.0.checkSuite.workflowRun"),
			want:    []pr.Unknown{{Fact: pr.FactWorkflows, Why: hidden, Right: "actions: read"}},
			also:    func(s *pr.Snapshot) { s.Checks = []pr.Check{{Name: "build", State: "QUEUED", ID: 10}} },
		},
		{
			name:    "a kind of check that nobody knows",
			changes: []change{inPull(commits0+"statusCheckRollup", `{"contexts":`+nodes(`{"__typename":"Omen"}`, run("null"))+`}`)},
			want:    []pr.Unknown{{Fact: pr.FactChecks, Why: "GitHub answers with a kind of check that prloop does not know"}},
			also: func(s *pr.Snapshot) {
				s.Checks = []pr.Check{{Name: "build", State: "QUEUED", ID: 10, WorkflowKnown: true}}
			},
		},
		{
			name:    "the checks are those of an earlier head",
			changes: []change{inPull(commits0+"oid", `"`+other+`"`)},
			want:    []pr.Unknown{{Fact: pr.FactChecks, Why: "GitHub still shows the checks of an earlier head"}},
		},
		{
			name:    "no commit",
			changes: []change{inPull("commits.nodes", "[]")},
			want:    []pr.Unknown{{Fact: pr.FactChecks, Why: "GitHub leaves the head commit out"}},
		},
		{
			name:    "issues may not be read",
			changes: []change{{"repository.issues", "null"}},
			errs:    forbidden("repository.issues"),
			want:    []pr.Unknown{{Fact: pr.FactRecord, Why: hidden, Right: "issues: read"}},
		},
		{
			name:    "issues are switched off, so there is no record to know",
			changes: []change{{"repository.issues", "null"}, {"repository.hasIssuesEnabled", "false"}},
			errs:    forbidden("repository.issues"),
			also:    func(s *pr.Snapshot) { s.Repo.IssuesOff = true },
		},
		{
			name: "the merge settings may not be read",
			errs: forbidden("repository.autoMergeAllowed"),
			want: []pr.Unknown{{Fact: pr.FactMerging, Why: hidden, Right: "contents: read and pull-requests: read"}},
			also: func(s *pr.Snapshot) { s.Merges = pr.Merges{} },
		},
		{
			name:    "the merge commit may not be read",
			changes: []change{inPull("mergeCommit", "null")},
			errs:    forbidden("repository.pullRequest.mergeCommit"),
			want:    []pr.Unknown{{Fact: pr.FactMerging, Why: hidden, Right: "contents: read and pull-requests: read"}},
			also:    func(s *pr.Snapshot) { s.Merges = pr.Merges{} },
		},
		{
			name:    "GitHub names no way to merge",
			changes: []change{{"repository.mergeCommitAllowed", "false"}, {"repository.squashMergeAllowed", "false"}},
			want:    []pr.Unknown{{Fact: pr.FactMerging, Why: "GitHub names no way to merge"}},
			also:    func(s *pr.Snapshot) { s.Merges = pr.Merges{} },
		},
		{
			name: "the configuration may not be read",
			errs: forbidden("repository.config"),
			want: []pr.Unknown{{Fact: pr.FactConfig, Why: hidden, Right: "contents: read"}},
		},
		{
			name:    "the configuration is a folder",
			changes: []change{{"repository.config", `{"__typename":"Tree"}`}},
			want:    []pr.Unknown{{Fact: pr.FactConfig, Why: "it is no file"}},
			also:    func(s *pr.Snapshot) { s.Config.Found = true },
		},
		{
			name:    "the configuration is binary",
			changes: []change{{"repository.config", `{"__typename":"Blob","isTruncated":false,"text":null}`}},
			want:    []pr.Unknown{{Fact: pr.FactConfig, Why: "it is no text"}},
			also:    func(s *pr.Snapshot) { s.Config.Found = true },
		},
		{
			name:    "the configuration is too large",
			changes: []change{{"repository.config", `{"__typename":"Blob","isTruncated":true,"text":"reviewers:"}`}},
			want:    []pr.Unknown{{Fact: pr.FactConfig, Why: "it is too large for GitHub to show it whole"}},
			also:    func(s *pr.Snapshot) { s.Config.Found = true },
		},
		{
			name: "reviews may not be read by a personal access token",
			errs: `[{"type":"FORBIDDEN","path":["repository","pullRequest","reviews"],"message":"Resource not accessible by personal access token"}]`,
			want: []pr.Unknown{{Fact: pr.FactReviews, Why: "GitHub does not show it to this personal access token", Right: "pull-requests: read"}},
		},
		{
			name: "comments want single sign-on",
			errs: `[{"type":"FORBIDDEN","path":["repository","pullRequest","comments"],"message":"Resource protected by organization SAML enforcement."}]`,
			want: []pr.Unknown{{Fact: pr.FactComments, Why: "the organization wants the token authorised for single sign-on first", Right: "pull-requests: read"}},
		},
		{
			name: "an error of a type that nobody wrote",
			errs: `[{"type":"INTERNAL","path":["repository","pullRequest","timelineItems"],"message":"x"}]`,
			want: []pr.Unknown{{Fact: pr.FactEvents, Why: "GitHub answers with the error INTERNAL"}},
		},
		{
			name: "an error whose type is somebody's text",
			errs: `[{"type":"::error::x","path":["repository","pullRequest","labels"],"message":"x"}]`,
			want: []pr.Unknown{{Fact: pr.FactPullRequest, Why: "GitHub answers with an error"}},
		},
		{
			name: "an error without a path",
			errs: `[{"type":"SERVICE_UNAVAILABLE","message":"x"}]`,
			want: []pr.Unknown{{Fact: pr.FactPullRequest, Why: "GitHub answers with the error SERVICE_UNAVAILABLE"}},
		},
		{
			name:    "a team that the token may not see",
			errs:    forbidden("repository.pullRequest.reviewRequests.nodes.0.requestedReviewer"),
			changes: []change{inPull("reviewRequests", nodes(`{"requestedReviewer":null}`))},
		},
		{
			name: "an entry is null (case C059)",
			changes: []change{inPull("reviewThreads", nodes("null",
				`{"id":"T_2","path":"a.go","line":3,"originalLine":3,"isResolved":false,"isOutdated":false,"subjectType":"LINE","comments":`+nodes()+`}`))},
			errs: `[{"type":"NOT_FOUND","path":["repository","pullRequest","reviewThreads","nodes",0],"message":"Could not resolve to a node."}]`,
			want: []pr.Unknown{{Fact: pr.FactThreads, Why: "GitHub answers with the error NOT_FOUND"}},
			also: func(s *pr.Snapshot) {
				s.Threads = []pr.Thread{{ID: "T_2", Path: "a.go", Line: 3, OriginalLine: 3}}
			},
		},
		{
			name:    "an entry is null and nothing says why",
			changes: []change{inPull("comments", nodes("null"))},
			want:    []pr.Unknown{{Fact: pr.FactComments, Why: "GitHub leaves out an entry"}},
		},
		{
			name:    "the entries of a list are null",
			changes: []change{inPull("reviews.nodes", "null")},
			want:    []pr.Unknown{{Fact: pr.FactReviews, Why: "GitHub leaves it out"}},
		},
		{
			name: "a thread without its comments",
			changes: []change{inPull("reviewThreads", nodes(
				`{"id":"T_2","path":"a.go","line":3,"originalLine":3,"isResolved":false,"isOutdated":false,"subjectType":"LINE","comments":null}`))},
			want: []pr.Unknown{{Fact: pr.FactThreads, Why: "of the comments of a thread: GitHub leaves it out"}},
			also: func(s *pr.Snapshot) {
				s.Threads = []pr.Thread{{ID: "T_2", Path: "a.go", Line: 3, OriginalLine: 3}}
			},
		},
		{
			name:    "the base branch is gone",
			changes: []change{inPull("baseRef", "null")},
			want:    []pr.Unknown{{Fact: pr.FactRules, Why: "the base branch is gone"}},
		},
		{
			name:    "a rule without what it demands",
			changes: []change{inPull("baseRef.rules", nodes(`{"type":"REQUIRED_STATUS_CHECKS","parameters":null}`))},
			want:    []pr.Unknown{{Fact: pr.FactRules, Why: "GitHub does not say what a rule demands"}},
		},
		{
			name:    "a required check without a name",
			changes: []change{inPull("baseRef.refUpdateRule", `{"requiredStatusCheckContexts":[null,"build"]}`)},
			want:    []pr.Unknown{{Fact: pr.FactRules, Why: "GitHub leaves out the name of a required check"}},
			also:    func(s *pr.Snapshot) { s.Rules.RequiredContexts = []string{"build"} },
		},
		{
			name:    "a list announces a page and does not say which",
			changes: []change{inPull("timelineItems.pageInfo", `{"hasNextPage":true,"endCursor":null}`)},
			want:    []pr.Unknown{{Fact: pr.FactEvents, Why: "GitHub announces a further page and does not say which"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, h, err := snap(t, edited(t, quiet, tt.errs, tt.changes...))
			if err != nil {
				t.Fatal(err)
			}
			want := quietSnapshot()
			want.Unknown = tt.want
			if tt.also != nil {
				tt.also(want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("snapshot (-want +got):\n%s", diff)
			}
			if len(h.vars) != 1 {
				t.Errorf("%d requests, want 1", len(h.vars))
			}
		})
	}
}

// A refusal on something that GitHub's schema promises takes everything above
// it along. The part is given up, and the rest is asked for again.
func TestRefusalThatTakesEverythingAlong(t *testing.T) {
	tests := []struct {
		name  string
		first answer
		off   string // what is not asked for again
		want  pr.Unknown
	}{
		{
			"issues take the repository along",
			edited(t, `{"rateLimit":{"cost":1},"viewer":{"login":"x","databaseId":1},"repository":null}`, `[{"type":"FORBIDDEN","path":["repository","issues"],"message":"no"}]`),
			"withRecord",
			pr.Unknown{Fact: pr.FactRecord, Why: "GitHub does not show it to this token", Right: "issues: read"},
		},
		{
			"threads take the pull request along",
			edited(t, quiet, `[{"type":"FORBIDDEN","path":["repository","pullRequest","reviewThreads"],"message":"no"}]`, change{"repository.pullRequest", "null"}),
			"withThreads",
			pr.Unknown{Fact: pr.FactThreads, Why: "GitHub does not show it to this token", Right: "pull-requests: read"},
		},
		{
			"a workflow run takes its check along",
			edited(t, quiet, `[{"type":"FORBIDDEN","path":["repository","pullRequest","commits","nodes",0,"commit","statusCheckRollup","contexts","nodes",0,"checkSuite","workflowRun"],"message":"no"}]`,
				inPull(commits0+"statusCheckRollup", `{"contexts":`+nodes("null")+`}`)),
			"withRuns",
			pr.Unknown{Fact: pr.FactWorkflows, Why: "GitHub does not show it to this token", Right: "actions: read"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, h, err := snap(t, tt.first, edited(t, quiet, ""))
			if err != nil {
				t.Fatal(err)
			}
			want := quietSnapshot()
			want.Unknown = []pr.Unknown{tt.want}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("snapshot (-want +got):\n%s", diff)
			}
			if len(h.vars) != 2 || h.vars[0][tt.off] != true || h.vars[1][tt.off] != false {
				t.Errorf("asked %v", h.vars)
			}
		})
	}
}

func TestNoSuchPullRequest(t *testing.T) {
	want := &pr.Snapshot{
		At:     noon,
		Repo:   pr.Repo{Owner: "octo", Name: "demo", DefaultBranch: "main"},
		Viewer: pr.Actor{Login: "github-actions", Bot: true, ID: 41898282},
		Number: 7, Config: pr.File{Path: ".github/prloop.yml"},
	}
	for name, errs := range map[string]string{
		"GitHub says so":                 `[{"type":"NOT_FOUND","path":["repository","pullRequest"],"message":"Could not resolve to a PullRequest with the number of 7."}]`,
		"GitHub answers with null alone": "",
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := snap(t, edited(t, quiet, errs, change{"repository.pullRequest", "null"}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("snapshot (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a number that none can have", func(t *testing.T) {
		h := &hub{t: t}
		c, _ := client(t, h)
		for _, number := range []int{-1, 0, 1 << 40} {
			got, err := c.Snapshot(t.Context(), number, Want{})
			if err != nil || got.Found || len(h.vars) != 0 {
				t.Errorf("%d: %+v, %v after %d requests", number, got, err, len(h.vars))
			}
		}
	})
}

// A pull request that is there and cannot be shown is not one without comments
// and threads: everything is unknown.
func TestPullRequestThatGitHubCannotShow(t *testing.T) {
	got, _, err := snap(t, edited(t, quiet, `[{"type":"INTERNAL","path":["repository","pullRequest","mergeStateStatus"],"message":"x"}]`, change{"repository.pullRequest", "null"}))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Found {
		t.Error("it is not found")
	}
	for _, fact := range []pr.Fact{pr.FactPullRequest, pr.FactComments, pr.FactReviews, pr.FactThreads, pr.FactRequests, pr.FactEvents, pr.FactRules, pr.FactChecks, pr.FactWorkflows} {
		if got.Missing(fact) == nil {
			t.Errorf("%s counts as known", fact)
		}
	}
	if got.Missing(pr.FactConfig) != nil || got.Missing(pr.FactRecord) != nil {
		t.Errorf("the parts beside it are unknown too: %v", got.Unknown)
	}
}

func TestSnapshotErrors(t *testing.T) {
	tests := []struct {
		name   string
		answer answer
		want   string // of the fail.Error; empty for err
		err    error
	}{
		{"no such repository", edited(t, quiet, `[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve to a Repository"}]`, change{"repository", "null"}), `The repository "octo/demo" is not there, or the token may not see it`, nil},
		{"a repository that the token may not see", edited(t, quiet, `[{"type":"FORBIDDEN","path":["repository"],"message":"IP allow list"}]`, change{"repository", "null"}), "The token may not read the pull request", nil},
		{"a repository that is null", edited(t, quiet, "", change{"repository", "null"}), "", ErrUnavailable},
		{"a bad token", answer{status: 401, body: `{"message":"Bad credentials"}`}, `GitHub does not accept the token of the input "github-token"`, nil},
		{"an old server", answer{status: 200, body: `{"errors":[{"message":"Field 'rules' doesn't exist on type 'Ref'","extensions":{"code":"undefinedField"}}]}`}, "This GitHub does not know what prloop asks for", nil},
		{"GitHub is down", answer{status: 502}, "", ErrUnavailable},
		{"the network is down", answer{}, "", ErrUnavailable},
		{"the rate limit", answer{status: 200, body: `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`}, "", new(RateLimited)},
		{"an answer of another shape", answer{status: 200, body: `{"data":{"rateLimit":[1],"viewer":7}}`}, "prloop stopped because of an unexpected error", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := snap(t, tt.answer)
			if got != nil || err == nil {
				t.Fatalf("snapshot %+v, error %v", got, err)
			}
			if tt.err != nil {
				checkError(t, tt.err, err)
				return
			}
			if e := fail.Of(err); e.What != tt.want {
				t.Errorf("error %q (%v), want %q", e.What, err, tt.want)
			}
		})
	}
}

// Pages of every list are followed together: a list that has ended is not
// asked for again.
func TestFurtherPagesAreAskedForTogether(t *testing.T) {
	text := func(id string) string {
		return `{"id":"` + id + `","fullDatabaseId":"1","author":null,"viewerDidAuthor":false,"body":"","createdAt":"2026-10-05T11:00:00Z","updatedAt":"2026-10-05T11:00:00Z","lastEditedAt":null,"editor":null,"isMinimized":false}`
	}
	got, h, err := snap(t,
		edited(t, quiet, "", inPull("comments", onePage(`"c1"`, text("C_1"))), inPull("labels", onePage(`"l1"`, `{"name":"b"}`))),
		edited(t, quiet, "", inPull("comments", onePage(`"c2"`, text("C_2"))), inPull("labels", nodes(`{"name":"a"}`))),
		edited(t, quiet, "", inPull("comments", nodes(text("C_3")))),
	)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range got.Comments {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"C_1", "C_2", "C_3"}, ids); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, got.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if len(got.Unknown) > 0 {
		t.Errorf("unknown: %v", got.Unknown)
	}
	type asked struct{ comments, labels, reviews, config, afterComments, afterLabels any }
	var asks []asked
	for _, v := range h.vars {
		asks = append(asks, asked{v["withComments"], v["withLabels"], v["withReviews"], v["withConfig"], v["afterComments"], v["afterLabels"]})
	}
	want := []asked{
		{true, true, true, true, nil, nil},
		{true, true, false, false, "c1", "l1"},
		{true, false, false, false, "c2", "l1"},
	}
	if diff := cmp.Diff(want, asks, cmp.AllowUnexported(asked{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestAListWithoutAnEnd(t *testing.T) {
	label := func(cursor string) answer {
		return edited(t, quiet, "", inPull("labels", onePage(cursor, `{"name":"b"}`)))
	}
	tests := []struct {
		name     string
		answer   func(n int) answer
		requests int
		want     string
	}{
		{"the same cursor twice", func(int) answer { return label(`"x"`) }, 2, "GitHub sends the same page again and again"},
		{"two cursors in turns", func(n int) answer { return label(fmt.Sprintf(`"%d"`, n%2)) }, 3, "GitHub sends the same page again and again"},
		{"a new cursor every time", func(n int) answer { return label(fmt.Sprintf(`"%d"`, n)) }, maxPages, "it has more than 50 pages"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &hub{t: t, answer: func(n int, _ map[string]any) answer { return tt.answer(n) }}
			c, _ := client(t, h)
			got, err := c.Snapshot(t.Context(), 7, Want{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]pr.Unknown{{Fact: pr.FactPullRequest, Why: tt.want}}, got.Unknown); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
			if len(h.vars) != tt.requests {
				t.Errorf("%d requests, want %d", len(h.vars), tt.requests)
			}
		})
	}
}

// When GitHub times out over a page it is asked for less, and what was read
// before is kept.
func TestSmallerPagesAfterATimeout(t *testing.T) {
	tooBig := answer{status: 502, body: `{"data":"null","errors":[{"message":"Something went wrong while executing your query."}]}`}
	partial := edited(t, quiet, `[{"type":"RESOURCE_LIMITS_EXCEEDED","message":"Resource limits for this query exceeded."}]`, change{"repository.pullRequest", "null"})
	tests := []struct {
		name    string
		answers []answer
		want    []any // sizes
		err     error
	}{
		{"once", []answer{tooBig, edited(t, quiet, "")}, []any{100., 50.}, nil},
		{"by a gateway", []answer{{status: 504, body: "<html>"}, edited(t, quiet, "")}, []any{100., 50.}, nil},
		{"by resource limits", []answer{partial, edited(t, quiet, "")}, []any{100., 50.}, nil},
		{"down to ten", []answer{tooBig, tooBig, tooBig, edited(t, quiet, "")}, []any{100., 50., 25., 10.}, nil},
		{"in vain", []answer{tooBig}, []any{100., 50., 25., 10.}, ErrUnavailable},
		{"not after a mere 503", []answer{{status: 503}, edited(t, quiet, "")}, []any{100., 100.}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, h, err := snap(t, tt.answers...)
			checkError(t, tt.err, err)
			if tt.err == nil {
				if diff := cmp.Diff(quietSnapshot(), got); diff != "" {
					t.Errorf("snapshot (-want +got):\n%s", diff)
				}
			}
			var sizes []any
			for _, v := range h.vars {
				sizes = append(sizes, v["size"])
			}
			if diff := cmp.Diff(tt.want, sizes); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
		})
	}
}

// Two pages of two heads are no snapshot.
func TestHeadMovesBetweenPages(t *testing.T) {
	labels := inPull("labels", onePage(`"x"`, `{"name":"b"}`))
	first := edited(t, quiet, "", labels)
	moved := edited(t, quiet, "", inPull("headRefOid", `"`+other+`"`), inPull(commits0+"oid", `"`+other+`"`))
	t.Run("once", func(t *testing.T) {
		got, h, err := snap(t, first, moved, moved)
		if err != nil {
			t.Fatal(err)
		}
		if got.Head != other || len(got.Labels) > 0 || len(got.Unknown) > 0 || len(h.vars) != 3 {
			t.Errorf("head %s, labels %v, unknown %v after %d requests", got.Head.Short(), got.Labels, got.Unknown, len(h.vars))
		}
	})
	t.Run("again and again", func(t *testing.T) {
		h := &hub{t: t, answer: func(n int, _ map[string]any) answer { return []answer{first, moved}[n%2] }}
		c, _ := client(t, h)
		got, err := c.Snapshot(t.Context(), 7, Want{})
		if err != nil {
			t.Fatal(err)
		}
		want := []pr.Unknown{{Fact: pr.FactPullRequest, Why: "its head moves faster than it can be read"}}
		if diff := cmp.Diff(want, got.Unknown); diff != "" || len(h.vars) != 6 {
			t.Errorf("after %d requests, unknown (-want +got):\n%s", len(h.vars), diff)
		}
	})
}
