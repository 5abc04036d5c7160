package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	gh "github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/fail"
)

const date = "Mon, 05 Oct 2026 12:00:00 GMT"

var noon = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

// An answer is one scripted response. Status 0 breaks the connection.
type answer struct {
	status int
	header map[string]string
	body   string
}

// A script answers one request after the other, and the last answer again.
type script struct {
	mu       sync.Mutex
	answers  []answer
	requests []*http.Request
	bodies   []string
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answers[min(len(s.requests), len(s.answers)-1)]
	body := ""
	if req.Body != nil {
		b, _ := io.ReadAll(req.Body)
		body = string(b)
	}
	s.requests, s.bodies = append(s.requests, req), append(s.bodies, body)
	if a.status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	resp := &http.Response{StatusCode: a.status, Header: http.Header{"Date": {date}}, Body: io.NopCloser(strings.NewReader(a.body))}
	for k, v := range a.header {
		resp.Header.Set(k, v)
	}
	return resp, nil
}

// client is a client on s that never waits. waits has what it would have
// waited for: the attempts.
func client(t testing.TB, rt http.RoundTripper) (c *Client, waits *[]int) {
	t.Helper()
	waits = new([]int)
	c, err := New(Options{
		Token: "wf", UserToken: "pat", Owner: "octo", Repo: "demo",
		Transport: rt,
		Backoff: func(attempt int, _ *http.Response) time.Duration {
			*waits = append(*waits, attempt)
			return 0
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, waits
}

// What a read and a write of each kind do with each kind of answer.
func TestCallsByAnswer(t *testing.T) {
	ok := answer{status: 200, body: `{"data":{"viewer":{"login":"mona"}},"login":"mona","id":1}`}
	limits := map[string]answer{
		"429 with nothing":                     {status: 429},
		"429 and nothing left":                 {status: 429, header: map[string]string{"x-ratelimit-remaining": "0"}},
		"403 with retry-after":                 {status: 403, header: map[string]string{"retry-after": "30"}, body: `{"message":"Forbidden"}`},
		"403 and nothing left":                 {status: 403, header: map[string]string{"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1791201620"}, body: `{"message":"API rate limit exceeded"}`},
		"403 that only says so":                {status: 403, header: map[string]string{"x-ratelimit-remaining": "4999"}, body: `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`},
		"200 with the error type RATE_LIMITED": {status: 200, body: `{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`},
	}
	type row struct {
		name    string
		answers []answer
		call    string // "read", "write", "query" or "mutate"
		want    error  // nil, a sentinel, or a value of the type
		tries   int
	}
	rows := []row{
		{"a read that works", []answer{ok}, "read", nil, 1},
		{"a query that works", []answer{ok}, "query", nil, 1},
		{"a write that works", []answer{ok}, "write", nil, 1},
		{"a mutation that works", []answer{ok}, "mutate", nil, 1},

		{"a read is repeated after 502", []answer{{status: 502}, ok}, "read", nil, 2},
		{"a read is repeated after 503 and 504", []answer{{status: 503}, {status: 504}, ok}, "read", nil, 3},
		{"a read is repeated after a reset", []answer{{}, ok}, "read", nil, 2},
		{"a query is repeated after 502", []answer{{status: 502, body: "<html>"}, ok}, "query", nil, 2},
		{"a query is repeated after a reset", []answer{{}, ok}, "query", nil, 2},
		{"a query is repeated when its data is a string", []answer{{status: 200, body: `{"data":"null","errors":[{"message":"Something went wrong"}]}`}, ok}, "query", nil, 2},
		{"a query is repeated when there is no data and no reason", []answer{{status: 200, body: `{"data":null}`}, ok}, "query", nil, 2},
		{"a query is repeated when the answer is no JSON", []answer{{status: 200, body: `{"data":{"viewer"`}, ok}, "query", nil, 2},
		{"a read is repeated after 500", []answer{{status: 500}, ok}, "read", nil, 2},
		{"a read is not repeated after 404", []answer{{status: 404}}, "read", &Refused{Status: 404}, 1},
		{"a read gives up after three retries", []answer{{status: 502}}, "read", ErrUnavailable, 4},
		{"a query gives up after three retries", []answer{{}}, "query", ErrUnavailable, 4},

		{"a write is not repeated after 502", []answer{{status: 502}, ok}, "write", ErrUncertain, 1},
		{"a write is not repeated after a reset", []answer{{}, ok}, "write", ErrUncertain, 1},
		{"a mutation is not repeated after 502", []answer{{status: 502}, ok}, "mutate", ErrUncertain, 1},
		{"a mutation is not repeated after a reset", []answer{{}, ok}, "mutate", ErrUncertain, 1},
		{"a mutation is not repeated when its data is a string", []answer{{status: 200, body: `{"data":"null"}`}, ok}, "mutate", ErrUncertain, 1},

		{"a read without the right", []answer{{status: 403, body: `{"message":"Resource not accessible by integration"}`}}, "read", &Denied{Message: "Resource not accessible by integration"}, 1},
		{"a write without the right", []answer{{status: 403, body: `{"message":"Resource not accessible by integration"}`}}, "write", &Denied{Message: "Resource not accessible by integration"}, 1},
		{"a query without the right", []answer{{status: 200, body: `{"data":null,"errors":[{"type":"FORBIDDEN","message":"no"}]}`}}, "query", &Denied{Message: "no"}, 1},
		{"a mutation without the right", []answer{{status: 200, body: `{"data":{"addComment":null},"errors":[{"type":"FORBIDDEN","path":["addComment"],"message":"no"}]}`}}, "mutate", &Denied{Message: "no"}, 1},
		{"a mutation that is refused", []answer{{status: 200, body: `{"data":{"addComment":null},"errors":[{"type":"UNPROCESSABLE","path":["addComment"],"message":"Body is too long"}]}`}}, "mutate", &Refused{Status: 200, Type: "UNPROCESSABLE", Message: "Body is too long"}, 1},
		{"a write that is refused", []answer{{status: 422, body: `{"message":"Validation Failed","errors":[{"message":"one pending review"}]}`}}, "write", &Refused{Status: 422, Message: "Validation Failed: one pending review"}, 1},
		{"a bad token in a read", []answer{{status: 401, body: `{"message":"Bad credentials"}`}}, "read", &Refused{Status: 401, Message: "Bad credentials"}, 1},
		{"a bad token in a query", []answer{{status: 401, body: `{"message":"Bad credentials"}`}}, "query", &Refused{Status: 401, Message: "Bad credentials"}, 1},
		{"a query that this server does not know", []answer{{status: 200, body: `{"errors":[{"message":"Field 'x' doesn't exist","extensions":{"code":"undefinedField"}}]}`}}, "query", &Refused{Status: 200, Type: "undefinedField", Message: "Field 'x' doesn't exist"}, 1},
	}
	for name, limit := range limits {
		graph := limit.status == 200
		for _, call := range []string{"read", "query"} {
			if call == "query" || !graph {
				rows = append(rows,
					row{"a " + call + " waits for " + name, []answer{limit, ok}, call, nil, 2},
					row{"a " + call + " gives up on an endless " + name, []answer{limit}, call, new(RateLimited), -1},
				)
			}
		}
		for _, call := range []string{"write", "mutate"} {
			if call == "mutate" || !graph {
				rows = append(rows, row{"a " + call + " is not repeated after " + name, []answer{limit, ok}, call, new(RateLimited), 1})
			}
		}
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{answers: tt.answers}
			c, _ := client(t, s)
			var err error
			switch tt.call {
			case "read":
				_, _, err = c.rest.Users.Get(t.Context(), "")
				err = judge(err)
			case "write":
				_, _, err = c.rest.Issues.AddLabelsToIssue(t.Context(), "octo", "demo", 1, []string{"x"})
				if _, decode := errors.AsType[*json.UnmarshalTypeError](err); decode {
					err = nil // the body is of no label
				}
				err = judge(err)
			case "query":
				var q struct{ Viewer struct{ Login string } }
				_, err = c.ask(t.Context(), new(exchange), &q, nil)
				if err == nil && q.Viewer.Login != "mona" {
					t.Errorf("the query brought %+v", q)
				}
			case "mutate":
				var m struct {
					Viewer     *struct{ Login string }
					AddComment *struct{ Subject struct{ ID string } } `graphql:"addComment(input: $input)"`
				}
				var errs []GraphQLError
				errs, err = c.mutate(t.Context(), &m, githubv4.AddCommentInput{}, User)
				if len(errs) > 0 && err == nil {
					t.Errorf("the mutation went well in spite of %v", errs)
				}
			}
			checkError(t, tt.want, err)
			if got := len(s.requests); tt.tries > 0 && got != tt.tries {
				t.Errorf("%d requests, want %d", got, tt.tries)
			}
			write := tt.call == "write" || tt.call == "mutate"
			if write && len(s.requests) != 1 {
				t.Errorf("a write was sent %d times", len(s.requests))
			}
		})
	}
}

func checkError(t *testing.T, want, err error) {
	t.Helper()
	switch want := want.(type) { //nolint:errorlint // want is a value that a row names, never wrapped.
	case nil:
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
	case *RateLimited:
		if got, ok := errors.AsType[*RateLimited](err); !ok || !got.Until.After(noon) {
			t.Errorf("error %v, want a rate limit that ends after noon", err)
		}
	case *Denied:
		got, _ := errors.AsType[*Denied](err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	case *Refused:
		got, _ := errors.AsType[*Refused](err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	default:
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}

func TestRateLimitSaysUntilWhen(t *testing.T) {
	tests := []struct {
		name   string
		answer answer
		want   time.Duration // after noon
	}{
		{"the header's seconds", answer{status: 429, header: map[string]string{"Retry-After": "90"}}, 90 * time.Second},
		{"the header's date", answer{status: 429, header: map[string]string{"Retry-After": "Mon, 05 Oct 2026 12:05:00 GMT"}}, 5 * time.Minute},
		{"the reset, once nothing is left", answer{status: 403, header: map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": fmt.Sprint(noon.Add(20 * time.Minute).Unix())}}, 20 * time.Minute},
		{"a reset in the past is soon", answer{status: 429, header: map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": fmt.Sprint(noon.Unix() - 5)}}, time.Second},
		{"a reset does not count while something is left", answer{status: 429, header: map[string]string{"X-Ratelimit-Remaining": "7", "X-Ratelimit-Reset": fmt.Sprint(noon.Add(time.Hour).Unix())}}, time.Minute},
		{"a number that is none", answer{status: 429, header: map[string]string{"Retry-After": "soon"}}, time.Minute},
		{"a number beyond reason", answer{status: 429, header: map[string]string{"Retry-After": "99999999999"}}, 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := client(t, &script{answers: []answer{tt.answer}})
			_, err := c.rest.Issues.DeleteComment(t.Context(), "octo", "demo", 1)
			got, ok := errors.AsType[*RateLimited](err)
			if !ok {
				t.Fatalf("error %v, want a rate limit", err)
			}
			if want := noon.Add(tt.want); !got.Until.Equal(want) {
				t.Errorf("until %v, want %v", got.Until, want)
			}
		})
	}
}

// The run's patience is one minute for all waits together, and none is spent
// on a wait that is too long.
func TestPatienceIsOneMinute(t *testing.T) {
	after := func(s string) answer { return answer{status: 429, header: map[string]string{"Retry-After": s}} }
	ok := answer{status: 200, body: `{}`}
	s := &script{answers: []answer{after("40"), ok, after("30")}}
	c, waits := client(t, s)
	if _, _, err := c.rest.Users.Get(t.Context(), ""); err != nil {
		t.Fatalf("a wait of 40 seconds: %v", err)
	}
	_, _, err := c.rest.Users.Get(t.Context(), "")
	limit, ok2 := errors.AsType[*RateLimited](err)
	if !ok2 {
		t.Fatalf("a wait of 30 seconds more: %v, want a rate limit", err)
	}
	if diff := cmp.Diff([]int{1}, *waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	if c.wait(t.Context(), limit) {
		t.Error("30 seconds were waited for with 20 left")
	}
	limit.wait = 20 * time.Second
	if !c.wait(t.Context(), limit) {
		t.Error("20 seconds were not waited for with 20 left")
	}
}

// Without a Backoff the pauses are GitHub's, else 1, 2 and 4 seconds.
func TestPausesAreGitHubs(t *testing.T) {
	d := &door{}
	var got []time.Duration
	for attempt := range 3 {
		got = append(got, d.pause(0, 0, attempt, nil))
	}
	x := &exchange{limited: &RateLimited{wait: 17 * time.Second}}
	req, _ := http.NewRequestWithContext(context.WithValue(t.Context(), exchangeKey{}, x), http.MethodGet, DefaultAPIURL, nil)
	got = append(got, d.pause(0, 0, 0, &http.Response{Request: req}))
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 17 * time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

// go-github refuses to send anything more once an answer said that nothing is
// left. That is judged here alone, by GitHub's clock.
func TestNothingLeftStopsNothingByItself(t *testing.T) {
	future := fmt.Sprint(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
	s := &script{answers: []answer{{status: 200, body: `{}`, header: map[string]string{"X-Ratelimit-Limit": "10", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": future}}}}
	c, _ := client(t, s)
	for range 2 {
		if _, _, err := c.rest.Users.Get(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
}

func TestQueryKeepsDataAndEveryErrorBesideIt(t *testing.T) {
	s := &script{answers: []answer{{status: 200, body: `{"data":{"rateLimit":{"cost":3},"viewer":{"login":"mona"}},"errors":[
		{"type":"FORBIDDEN","path":["repository","pullRequest","comments","nodes",4,"editor"],"message":"first"},
		{"type":"NOT_FOUND","path":["repository"],"message":"second"}]}`}}}
	c, _ := client(t, s)
	var q struct {
		RateLimit struct{ Cost int }
		Viewer    struct{ Login string }
	}
	got, err := c.ask(t.Context(), new(exchange), &q, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []GraphQLError{
		{Type: "FORBIDDEN", Path: []string{"repository", "pullRequest", "comments", "nodes", "4", "editor"}, Message: "first"},
		{Type: "NOT_FOUND", Path: []string{"repository"}, Message: "second"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if q.Viewer.Login != "mona" {
		t.Errorf("the data is lost: %+v", q)
	}
	if diff := cmp.Diff(Counts{Requests: 1, Points: 3}, c.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestNowIsTheNewestDate(t *testing.T) {
	at := func(d string) answer {
		return answer{status: 200, body: `{}`, header: map[string]string{"Date": d}}
	}
	s := &script{answers: []answer{at("Mon, 05 Oct 2026 12:00:07 GMT"), at("Mon, 05 Oct 2026 12:00:03 GMT"), at("yesterday")}}
	c, _ := client(t, s)
	if got := c.Now(); !got.IsZero() {
		t.Errorf("before the first answer it is %v", got)
	}
	for range 3 {
		if _, _, err := c.rest.Users.Get(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if want, got := noon.Add(7*time.Second), c.Now(); !got.Equal(want) {
			t.Errorf("now %v, want %v", got, want)
		}
	}
}

// A write whose time is over is not sent; a read is, and tells the time.
func TestUntil(t *testing.T) {
	s := &script{answers: []answer{{status: 200, body: `{"data":{}}`}}}
	c, _ := client(t, s)
	ctx := Until(t.Context(), noon.Add(time.Second))
	rest := func(ctx context.Context) error {
		_, _, err := c.rest.Issues.EditComment(ctx, "octo", "demo", 1, new(gh.IssueComment))
		return judge(err)
	}
	graph := func(ctx context.Context) error {
		var m struct {
			MinimizeComment struct{ ClientMutationID string } `graphql:"minimizeComment(input: $input)"`
		}
		_, err := c.mutate(ctx, &m, githubv4.MinimizeCommentInput{}, Workflow)
		return err
	}
	for _, write := range []func(context.Context) error{rest, graph} {
		if err := write(ctx); err != nil {
			t.Errorf("in time: error %v", err)
		}
	}
	s.answers = []answer{{status: 200, body: `{"data":{}}`, header: map[string]string{"Date": "Mon, 05 Oct 2026 12:00:01 GMT"}}}
	if _, _, err := c.rest.Users.Get(ctx, ""); err != nil {
		t.Errorf("a read: error %v", err)
	}
	want := len(s.requests)
	for _, write := range []func(context.Context) error{rest, graph} {
		if err := write(ctx); !errors.Is(err, ErrPast) {
			t.Errorf("too late: error %v, want ErrPast", err)
		}
	}
	if got := len(s.requests); want != got {
		t.Errorf("%d requests left the client, want %d", got, want)
	}
	if err := rest(t.Context()); err != nil {
		t.Errorf("without an end: error %v", err)
	}
}

// Trace and counts tell of every attempt, and whose token it carried; the
// person's is for writes that ask for it alone.
func TestEveryAttemptIsCountedAndTraced(t *testing.T) {
	var got []Call
	s := &script{answers: []answer{
		{status: 502},
		{status: 200, body: `{}`},
		{status: 200, body: `{"data":{"rateLimit":{"cost":2}}}`},
		{status: 200, body: `{"data":{"addComment":{"clientMutationId":""}}}`},
		{},
	}}
	c, err := New(Options{
		Token: "wf", UserToken: "pat", Owner: "octo", Repo: "demo", Transport: s,
		Backoff: func(int, *http.Response) time.Duration { return 0 },
		Trace:   func(c Call) { got = append(got, c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := as(t.Context(), User)
	if _, _, err := c.rest.Issues.Get(ctx, "octo", "demo", 7); err != nil {
		t.Fatal(err)
	}
	type someQuery struct{ RateLimit struct{ Cost int } }
	if _, err := c.ask(ctx, new(exchange), new(someQuery), nil); err != nil {
		t.Fatal(err)
	}
	var m struct {
		AddComment struct{ ClientMutationID string } `graphql:"addComment(input: $input)"`
	}
	if _, err := c.mutate(t.Context(), &m, githubv4.AddCommentInput{}, User); err != nil {
		t.Fatal(err)
	}
	_, err = c.rest.Issues.DeleteComment(t.Context(), "octo", "demo", 9)
	checkError(t, ErrUncertain, err)

	want := []Call{
		{Method: "GET", Path: "/repos/octo/demo/issues/7", Status: 502},
		{Method: "GET", Path: "/repos/octo/demo/issues/7", Status: 200},
		{Method: "query", Path: "someQuery", Status: 200, Points: 2},
		{Method: "mutation", Path: "addComment", Status: 200, Points: 1, Write: true, As: User},
		{Method: "DELETE", Path: "/repos/octo/demo/issues/comments/9", Write: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Counts{Requests: 5, Writes: 2, Points: 3}, c.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	var tokens []string
	for _, req := range s.requests {
		tokens = append(tokens, req.Header.Get("Authorization"))
	}
	if diff := cmp.Diff([]string{"Bearer wf", "Bearer wf", "Bearer wf", "Bearer pat", "Bearer wf"}, tokens); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

// A repository that was renamed is followed; the token goes nowhere else, and
// no write is sent on.
func TestRedirects(t *testing.T) {
	to := func(url string) answer {
		return answer{status: 301, header: map[string]string{"Location": url}, body: `{"message":"Moved Permanently"}`}
	}
	ok := answer{status: 200, body: `{}`}
	tests := []struct {
		name    string
		answers []answer
		write   bool
		want    []string // hosts
		wantErr bool
	}{
		{"a read is followed within GitHub", []answer{to("https://api.github.com/repositories/1/issues/7"), ok}, false, []string{"api.github.com", "api.github.com"}, false},
		{"a read is not followed elsewhere", []answer{to("https://example.com/"), ok}, false, []string{"api.github.com"}, true},
		{"a read is not followed in circles", []answer{to("https://api.github.com/x")}, false, []string{"api.github.com", "api.github.com", "api.github.com", "api.github.com", "api.github.com"}, true},
		{"a write is not followed", []answer{to("https://api.github.com/x"), ok}, true, []string{"api.github.com"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{answers: tt.answers}
			c, _ := client(t, s)
			var err error
			if tt.write {
				_, err = c.rest.Issues.DeleteComment(t.Context(), "octo", "demo", 1)
			} else {
				_, _, err = c.rest.Issues.Get(t.Context(), "octo", "demo", 7)
			}
			if (err != nil) != tt.wantErr {
				t.Errorf("error %v, want one: %t", err, tt.wantErr)
			}
			var got []string
			for _, req := range s.requests {
				got = append(got, req.URL.Host)
			}
			if len(got) > len(tt.want) {
				got = got[:len(tt.want)]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hosts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACancelledContextEndsTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, _ := client(t, &script{answers: []answer{{status: 502}}})
	_, err := c.ask(ctx, new(exchange), new(struct{ Viewer struct{ Login string } }), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestExplain(t *testing.T) {
	c, _ := client(t, &script{answers: []answer{{status: 200}}})
	tests := []struct {
		name string
		err  error
		want *fail.Error // nil: err goes through
	}{
		{"a bad token", &Refused{Status: 401, Message: "Bad credentials"}, &fail.Error{
			What: `GitHub does not accept the token of the input "github-token"`,
			Why:  `it answers "Bad credentials"`,
			Fix:  "Pass a token that is valid; without the input, the workflow's own token is used",
		}},
		{"a missing right that is known", &Denied{Right: "contents: read", Message: "no"}, &fail.Error{
			What: "The token may not read the pull request",
			Why:  `GitHub answers "no"`,
			Fix:  `Give the job the permission "contents: read"`,
		}},
		{"a missing right that is not known", &Denied{Message: "no\n::error::x"}, &fail.Error{
			What: "The token may not read the pull request",
			Why:  `GitHub answers "no\n::error::x"`,
			Fix:  `Give the token of the input "github-token" the rights that the README lists`,
		}},
		{"a repository that is not there", &Refused{Status: 200, Type: "NOT_FOUND", Message: "Could not resolve"}, &fail.Error{
			What: `The repository "octo/demo" is not there, or the token may not see it`,
			Why:  `GitHub answers "Could not resolve"`,
			Fix:  `Check the repository's name, and give the job the permission "contents: read"`,
		}},
		{"an old server", &Refused{Status: 200, Type: "undefinedField", Message: "Field 'x'"}, &fail.Error{
			What: "This GitHub does not know what prloop asks for",
			Why:  `it answers "Field 'x'"`,
			Fix:  "Use prloop with github.com, or with a newer version of GitHub Enterprise Server",
		}},
		{"the weather", ErrUnavailable, nil},
		{"a limit", &RateLimited{Until: noon}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := c.explain("read the pull request", tt.err)
			got, _ := errors.AsType[*fail.Error](err)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(fail.Error{}, "Err")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !errors.Is(err, tt.err) {
				t.Errorf("%v does not lead back to %v", err, tt.err)
			}
		})
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no token", Options{Owner: "o", Repo: "r"}, "There is no token to speak with GitHub"},
		{"an address without a host", Options{Token: "x", Owner: "o", Repo: "r", APIURL: "api"}, "The address of GitHub is not one"},
		{"an address of another kind", Options{Token: "x", Owner: "o", Repo: "r", GraphQLURL: "ftp://x"}, "The address of GitHub is not one"},
		{"no repository", Options{Token: "x"}, "The repository is not named as one"},
		{"a repository that leads elsewhere", Options{Token: "x", Owner: "..", Repo: "a/b"}, "The repository is not named as one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.o)
			got, ok := errors.AsType[*fail.Error](err)
			if !ok || got.What != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
