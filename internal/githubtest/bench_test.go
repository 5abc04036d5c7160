package githubtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Options{})
	}
}

// BenchmarkQuery is one request of about the size of a snapshot.
func BenchmarkQuery(b *testing.B) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	for range 20 {
		w.Review(n, Submitted{By: "mona", Findings: []Finding{{Path: "a.go", Line: 3, Text: "x"}}})
	}
	body := `{"query":"{repository(owner:\"octo\",name:\"demo\"){pullRequest(number:1){headRefOid title comments(first:100){nodes{id body author{__typename login}}} reviews(first:100){nodes{id state commit{oid} author{login}}} reviewThreads(first:100){nodes{id path line comments(first:50){nodes{id body author{login}}}}} commits(last:1){nodes{commit{statusCheckRollup{contexts(first:100){nodes{... on CheckRun{name status conclusion} ... on StatusContext{context state}}}}}}}}}}"}`
	c := &http.Client{Transport: as{"pat", w.Transport()}}
	w.Spend("pat", 0, -1<<30)
	for b.Loop() {
		res, err := c.Post("https://api.github.com/graphql", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			b.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
