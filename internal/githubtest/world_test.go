package githubtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"
)

var start = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// everything is what a workflow's token can be given at most.
func everything() map[string]string {
	return map[string]string{
		"contents": "write", "pull-requests": "write", "issues": "write", "checks": "read", "statuses": "read", "actions": "write",
	}
}

// world has one workflow token "wf" with all rights and one of a person with a
// seat, "pat".
func world(o Options) *World {
	o.Now = start
	w := New(o)
	w.AddToken(Token{Value: "wf", Kind: Workflow, Rights: everything()})
	w.AddToken(Token{Value: "pat", Kind: User, Login: "mona", Write: true, CopilotSeat: true})
	return w
}

// as is an HTTP client with a token.
type as struct {
	token string
	next  http.RoundTripper
}

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.token)
	return a.next.RoundTrip(r)
}

func client(w *World, token string) *http.Client {
	return &http.Client{Transport: as{token, w.Transport()}}
}

func rest(w *World, token string) *github.Client { return github.NewClient(client(w, token)) }

func graphql(w *World, token string) *githubv4.Client {
	return githubv4.NewClient(client(w, token))
}

// ask sends a query as it stands and returns data and errors as JSON.
func ask(t *testing.T, w *World, token, query string, variables map[string]any) (data string, errs []map[string]any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	res, err := client(w, token).Post("https://api.github.com/graphql", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Data   json.RawMessage
		Errors []map[string]any
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(out.Data), out.Errors
}

func TestSmoke(t *testing.T) {
	w := world(Options{})
	w.SetChecks(ScriptedCheck{Check: Check{Name: "build", Required: true}, After: time.Minute, Takes: 2 * time.Minute})
	w.SetReviewer(CopilotReviewer, Reviewer{
		StartAfter: time.Minute, SubmitAfter: 4 * time.Minute,
		Rounds: []Round{{Findings: []Finding{{Path: "a.go", Line: 3, Text: "Off by one."}}}},
	})
	n := w.OpenPR(PR{Author: "mona"})
	_, _, err := rest(w, "pat").PullRequests.RequestReviewers(context.Background(), "octo", "demo", n, github.ReviewersRequest{Reviewers: []string{CopilotReviewer}})
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(10 * time.Minute)
	data, errs := ask(t, w, "wf", `query Q($n: Int!) { viewer { login } rateLimit { cost remaining }
		repository(owner: "octo", name: "demo") { pullRequest(number: $n) {
			headRefOid mergeStateStatus
			reviews(last: 10) { nodes { author { __typename login } state commit { oid } body } }
			reviewThreads(first: 100) { totalCount nodes { id path line comments(first: 10) { nodes { body author { login ... on Bot { databaseId } } viewerDidAuthor } } } }
			timelineItems(first: 100, itemTypes: [REVIEW_REQUESTED_EVENT]) { nodes { __typename ... on ReviewRequestedEvent { createdAt requestedReviewer { ... on Bot { login } } } } }
			statusCheckRollup { state contexts(first: 50) { nodes { __typename ... on CheckRun { name databaseId conclusion isRequired(pullRequestNumber: $n) checkSuite { workflowRun { file { path } workflow { name } runAttempt } } } } } }
		} } }`, map[string]any{"n": n})
	t.Log(data, errs)
	for _, c := range w.Changes() {
		t.Log(c)
	}
	for _, c := range w.Log() {
		t.Log(c)
	}
}
