package githubtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzGraphQL sends any text as a query: there must be an answer, it must be
// JSON, and a query must change nothing.
func FuzzGraphQL(f *testing.F) {
	for _, q := range []string{
		`{ viewer { login } }`,
		`{ repository(owner: "octo", name: "demo") { pullRequest(number: 1) { id comments(first: 3) { nodes { id body } pageInfo { endCursor } } } } }`,
		`query($n: Int = 1) { repository(owner: "octo", name: "demo") { pullRequest(number: $n) { ...F } } } fragment F on PullRequest { number author { ... on User { login } } }`,
		`{ node(id: "PR_kwDOAA000001") { ... on PullRequest { reviewThreads(last: 1) { edges { cursor node { comments(first: 1) { totalCount } } } } } } }`,
		`mutation { addComment(input: {subjectId: "PR_kwDOAA000001", body: "x"}) { clientMutationId } }`,
		`{ repository(owner: "octo", name: "demo") { issues(first: 99999999999999999999, orderBy: {field: CREATED_AT, direction: ASC}) { totalCount } } }`,
		`{ __schema { types { name } } __type(name: "Query") { name } }`,
		`fragment A on Query { ...B } fragment B on Query { ...A } { ...A }`,
		`{ nodes(ids: [null, 1, "x"]) { id } }`,
		`query($s: [PullRequestState!]) { repository(owner: "octo", name: "demo") { pullRequests(first: 1, states: $s) @include(if: $s) { totalCount } } }`,
		`subscription { x }`,
		`{`,
	} {
		f.Add(q, `{"n": 1, "s": "OPEN"}`)
	}
	f.Fuzz(func(t *testing.T, query, variables string) {
		var vars map[string]any
		if json.Unmarshal([]byte(variables), &vars) != nil {
			vars = nil
		}
		body, err := json.Marshal(map[string]any{"query": query, "variables": vars})
		if err != nil {
			t.Fatal(err)
		}
		w := world(Options{})
		n := w.OpenPR(PR{})
		w.Comment(n, "mona", "hello")
		w.Review(n, Submitted{By: CopilotReviewer, Findings: []Finding{{Path: "a.go", Line: 1, Text: "x"}}})
		w.Check(n, Check{Name: "build", Conclusion: "SUCCESS"})
		before := len(w.Changes())
		c := client(w, "wf")
		c.Timeout = 10 * time.Second
		res, err := c.Post("https://api.github.com/graphql", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !json.Valid(text) {
			t.Fatalf("%d %v: %s", res.StatusCode, err, text)
		}
		if !w.Log()[0].Write && len(w.Changes()) != before {
			t.Errorf("a query changed the world: %v", w.Changes()[before:])
		}
	})
}

// FuzzREST sends any path and body to every method.
func FuzzREST(f *testing.F) {
	for _, r := range routes() {
		f.Add(r.method, strings.NewReplacer("{n}", "1", "{id}", "2400000001", "{branch}", "main", "{sha}", "x").Replace(r.path), `{"body":"x","title":"t"}`)
	}
	f.Add("GET", "/pulls/%zz", "")
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := http.NewRequest(method, "https://api.github.com/repos/octo/demo"+path, strings.NewReader(body))
		if err != nil {
			return // no such request can be made
		}
		w := world(Options{})
		w.Comment(w.OpenPR(PR{}), ActionsBot, "hello")
		res, err := client(w, "wf").Do(r)
		if err != nil {
			return // a method that the client refuses
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 500 || len(text) > 0 && !json.Valid(text) {
			t.Fatalf("%d %v: %s", res.StatusCode, err, text)
		}
	})
}
