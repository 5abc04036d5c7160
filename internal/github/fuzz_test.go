package github

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Whatever GitHub, or whoever answers in its place, sends: reading ends, with
// a snapshot or an error, and within the bounds of a list.
func FuzzAnswer(f *testing.F) {
	f.Add(200, edited(f, quiet, "").body)
	f.Add(200, edited(f, quietList, "").body)
	f.Add(200, edited(f, quiet, `[{"type":"FORBIDDEN","path":["repository","pullRequest","reviewThreads"],"message":"no"}]`, change{"repository.pullRequest", "null"}).body)
	f.Add(200, edited(f, quiet, `[{"type":"NOT_FOUND","path":["repository","pullRequest"],"message":"no"}]`, inPull("labels", onePage(`"x"`, `{"name":"b"}`)), inPull("comments", nodes("null"))).body)
	f.Add(200, edited(f, quiet, "", inPull("reviewThreads", nodes(`{"id":"T","path":"a","comments":`+onePage(`"y"`)+`}`))).body)
	f.Add(200, edited(f, quiet, "", inPull("commits.nodes", "[null]"), inPull("baseRef.rules", nodes("null"))).body)
	f.Add(200, `{"data":"null","errors":[{"message":"x"}]}`)
	f.Add(200, `{"data":null,"errors":[{"type":"RATE_LIMITED","path":[1,2.5,{}],"message":"x"}]}`)
	f.Add(403, `{"message":"secondary rate limit"}`)
	f.Add(502, "<html>")
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		s := &script{answers: []answer{{status: status, body: body}}}
		c, err := New(Options{Token: "wf", Owner: "octo", Repo: "demo", Transport: s, Backoff: func(int, *http.Response) time.Duration { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := c.Snapshot(t.Context(), 7, Want{ConfigPath: "x"})
		if (snap == nil) != (err != nil) {
			t.Errorf("snapshot %v, error %v", snap, err)
		}
		if len(s.requests) > 4*maxPages {
			t.Errorf("%d requests", len(s.requests))
		}
		if snap != nil && !json.Valid([]byte(body)) {
			t.Errorf("a snapshot out of %q", body)
		}
		if p, err := c.List(t.Context(), "", ListSize, Want{ConfigPath: "x"}); err != nil && (len(p.Pulls) > 0 || p.Next != "") {
			t.Errorf("a page %+v beside the error %v", p, err)
		}
		if work, err := c.Work(t.Context(), 7); err != nil && work != nil {
			t.Errorf("events %v beside the error %v", work, err)
		}
	})
}
