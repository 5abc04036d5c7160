package github

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// canned answers every request alike, without a network.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Date": {date}}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

// BenchmarkSnapshot is what reading costs besides the network: making the
// query, and turning the answer into facts.
func BenchmarkSnapshot(b *testing.B) {
	var threads []string
	for i := range 100 {
		threads = append(threads, fmt.Sprintf(`{"id":"T_%d","path":"a.go","line":%d,"originalLine":%d,"isResolved":false,"isOutdated":false,"subjectType":"LINE","comments":`, i, i, i)+nodes(
			`{"id":"RC_1","author":{"__typename":"Bot","login":"copilot-pull-request-reviewer","databaseId":175728472},"viewerDidAuthor":false,"body":"Off by one.","createdAt":"2026-10-05T11:00:00Z","url":"https://github.com/rc1","pullRequestReview":{"id":"R_1","authorCanPushToRepository":true}}`,
			`{"id":"RC_2","author":null,"viewerDidAuthor":true,"body":"Done.","createdAt":"2026-10-05T11:10:00Z","url":"https://github.com/rc2","pullRequestReview":null}`,
		)+`}`)
	}
	for _, bm := range []struct {
		name    string
		changes []change
	}{
		{"quiet", nil},
		{"100 threads", []change{inPull("reviewThreads", nodes(threads...))}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			c, _ := client(b, canned(edited(b, quiet, "", bm.changes...).body))
			b.ReportAllocs()
			for b.Loop() {
				s, err := c.Snapshot(b.Context(), 7, Want{ConfigPath: "x"})
				if err != nil || len(s.Unknown) > 0 {
					b.Fatal(s, err)
				}
			}
			counts := c.Counts()
			b.ReportMetric(float64(counts.Points)/float64(counts.Requests), "points/request")
		})
	}
}
