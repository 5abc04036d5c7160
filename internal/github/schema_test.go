package github

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/githubtest"
)

// A recorder takes down the GraphQL text of what passes.
type recorder struct {
	next    http.RoundTripper
	queries map[string]bool
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		var in struct{ Query string }
		if json.Unmarshal(body, &in) == nil && in.Query != "" {
			r.queries[in.Query] = true
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.next.RoundTrip(req)
}

// gitHubsSchema is the text of the file that PRLOOP_SCHEMA names.
func gitHubsSchema(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PRLOOP_SCHEMA")
	if path == "" {
		t.Skip("PRLOOP_SCHEMA names no file: the queries were not held against GitHub's full schema")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every query that reading sends is one that GitHub would answer.
func TestQueriesAreGitHubs(t *testing.T) {
	schema := gitHubsSchema(t)
	l := newLive(t)
	l.w.Review(l.n, githubtest.Submitted{By: "hubot", Findings: findings(1)})
	for i := range 100 {
		l.w.Reply(l.w.Pull(l.n).Threads[0].ID, "mona", fmt.Sprint(i))
	}
	rec := &recorder{next: l.w.Transport(), queries: map[string]bool{}}
	c, _ := client(t, rec)
	if _, err := c.Snapshot(t.Context(), l.n, Want{ConfigPath: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(t.Context(), "", ListSize, Want{ConfigPath: "x"}); err != nil {
		t.Fatal(err)
	}
	var queries []string
	for q := range rec.queries {
		queries = append(queries, q)
	}
	// A first page and a later one differ in what they ask for by variables
	// alone, so there are three: snapshot, thread and list.
	if len(queries) != 3 {
		t.Fatalf("%d queries, want 3: %q", len(queries), queries)
	}
	if err := githubtest.Validate(schema, queries...); err != nil {
		t.Error(err)
	}
}
