package githubtest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// post posts a comment and returns the status, or the error.
func post(c *http.Client, base string) (status int, header http.Header, body string, err error) {
	res, err := c.Post(base+"/repos/octo/demo/issues/1/comments", "application/json", strings.NewReader(`{"body":"x"}`))
	if err != nil {
		return 0, nil, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(text), err
}

func TestWhatAFaultDoes(t *testing.T) {
	for _, row := range []struct {
		fault  Fault
		status int
		errno  error
		retry  string // Retry-After
		body   string // what stands in it
		done   int    // comments that were made
		logged string
	}{
		{None, 201, nil, "", `"body":"x"`, 1, "1 POST /repos/octo/demo/issues/1/comments 201 → comment_created 2400000001 on #1"},
		{Status502, 502, nil, "", "502 Bad Gateway", 0, "1 POST /repos/octo/demo/issues/1/comments 502"},
		{Status502After, 502, nil, "", "502 Bad Gateway", 1, "1 POST /repos/octo/demo/issues/1/comments 502 → comment_created 2400000001 on #1"},
		{SecondaryLimit, 403, nil, "", "secondary rate limit", 0, "1 POST /repos/octo/demo/issues/1/comments 403"},
		{SecondaryLimitRetryAfter, 403, nil, "60", "secondary rate limit", 0, "1 POST /repos/octo/demo/issues/1/comments 403"},
		{SecondaryLimit200, 403, nil, "", "secondary rate limit", 0, "1 POST /repos/octo/demo/issues/1/comments 403"},
		{TooManyRequests, 429, nil, "", "", 0, "1 POST /repos/octo/demo/issues/1/comments 429"},
		{ResetBefore, 0, syscall.ECONNRESET, "", "", 0, "1 POST /repos/octo/demo/issues/1/comments 0"},
		{ResetAfter, 0, syscall.ECONNRESET, "", "", 1, "1 POST /repos/octo/demo/issues/1/comments 0 → comment_created 2400000001 on #1"},
		{Dead, 0, syscall.ECONNRESET, "", "", 0, "1 POST /repos/octo/demo/issues/1/comments 0"},
	} {
		t.Run(row.fault.String(), func(t *testing.T) {
			w := world(Options{})
			w.OpenPR(PR{})
			w.SetFault(func(r Request) Fault {
				if r.N == 1 && r.Write && r.Login == ActionsBot && r.Token == Workflow {
					return row.fault
				}
				return None
			})
			c := client(w, "wf")
			status, header, body, err := post(c, "https://api.github.com")
			same(t, "status", row.status, status)
			if !errors.Is(err, row.errno) || (err == nil) != (row.errno == nil) {
				t.Errorf("the error is %v, want %v", err, row.errno)
			}
			same(t, "Retry-After", row.retry, header.Get("Retry-After"))
			if !strings.Contains(body, row.body) {
				t.Errorf("the body is %q, want it to have %q", body, row.body)
			}
			same(t, "comments", row.done, len(w.Pull(1).Comments))
			same(t, "the log", row.logged, w.Log()[0].String())

			_, _, _, err = post(c, "https://api.github.com")
			if row.fault == Dead {
				if !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("after death the same client gets %v, want a refusal", err)
				}
				same(t, "requests that reached the world", 1, len(w.Log()))
			} else {
				same(t, "the next request's error", nil, err)
			}
			_, _, _, err = post(client(w, "wf"), "https://api.github.com")
			same(t, "another client's error", nil, err)
		})
	}
}

func TestA502OfGraphQLIsJSONWhoseDataIsAString(t *testing.T) {
	w := world(Options{})
	w.SetFault(func(Request) Fault { return Status502 })
	res, err := client(w, "wf").Post("https://api.github.com/graphql", "application/json", strings.NewReader(`{"query":"{ viewer { login } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	same(t, "status", 502, res.StatusCode)
	same(t, "data", any("null"), memberOf(t, res.Body, "data"))
}

func TestGraphQLTellsOfASecondaryLimitInA200Too(t *testing.T) {
	w := world(Options{})
	w.SetFault(func(Request) Fault { return SecondaryLimit200 })
	data, errs := ask(t, w, "wf", `{ viewer { login } }`, nil)
	same(t, "data", "", data)
	same(t, "errors", []string{"RATE_LIMITED : You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}, errs)
}

func TestAFieldThatFailsLeavesTheRest(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{})
	const q = `{ repository(owner: "octo", name: "demo") { pullRequest(number: 1) { number reviewRequests(first: 1) { totalCount } } } }`
	w.FailField("PullRequest.reviewRequests", "INTERNAL", "Something went wrong.")
	data, errs := ask(t, w, "wf", q, nil)
	same(t, "data", `{"repository":{"pullRequest":{"number":1,"reviewRequests":null}}}`, data)
	same(t, "errors", []string{"INTERNAL repository.pullRequest.reviewRequests: Something went wrong."}, errs)
	w.FailField("PullRequest.reviewRequests", "", "")
	_, errs = ask(t, w, "wf", q, nil)
	same(t, "errors once it is mended", nil, errs)
}

func TestAFieldThatMustNotBeNullTakesItsParentAlong(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{})
	w.FailField("PageInfo.hasNextPage", "INTERNAL", "Something went wrong.")
	data, errs := ask(t, w, "wf", `{ viewer { login } repository(owner: "octo", name: "demo") { pullRequest(number: 1) { comments(first: 1) { pageInfo { hasNextPage } } } } }`, nil)
	same(t, "data", `{"viewer":{"login":"github-actions[bot]"},"repository":{"pullRequest":null}}`, data)
	same(t, "errors", []string{"INTERNAL repository.pullRequest.comments.pageInfo.hasNextPage: Something went wrong."}, errs)
}

func TestAFaultSeesWhatIsAskedFor(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	var got []Request
	w.SetFault(func(r Request) Fault {
		got = append(got, r)
		return None
	})
	ask(t, w, "pat", `query Q { viewer { login } rateLimit { cost } }`, nil)
	ask(t, w, "wf", mutationText(w.Pull(n).ID), nil)
	want := []Request{
		{N: 1, At: start, Method: "POST", Path: "/graphql", Operation: "Q", Fields: []string{"viewer", "rateLimit"}, Login: "mona", Token: User},
		{N: 2, At: start, Method: "POST", Path: "/graphql", Fields: []string{"addComment"}, Write: true, Login: ActionsBot, Token: Workflow},
	}
	same(t, "the requests", want, got)
	log := w.Log()
	same(t, "points", 1, log[0].Points)
	same(t, "the effect", "comment_created 2400000001 on #1", log[1].Effect)
	same(t, "the number at the change", 2, w.Changes()[1].Request)
	same(t, "the text at the change", "x", w.Changes()[1].Text)
}

func mutationText(id string) string {
	return `mutation { addComment(input: {subjectId: "` + id + `", body: "x"}) { clientMutationId } }`
}

func TestAFaultMayMoveTheWorld(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.SetFault(func(Request) Fault {
		w.Push(n, Push{Head: "2222222222222222222222222222222222222222"})
		w.Advance(time.Minute)
		return None
	})
	same(t, "the head that the answer shows", `{"headRefOid":"2222222222222222222222222222222222222222"}`, onPR(t, w, "wf", `headRefOid`))
}

func TestFaultsOverSockets(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{})
	server := httptest.NewServer(w)
	defer server.Close()
	c := &http.Client{Transport: as{"wf", &http.Transport{DisableKeepAlives: true}}}

	status, header, _, err := post(c, server.URL)
	same(t, "status", 201, status)
	same(t, "error", nil, err)
	same(t, "Date", "Mon, 30 Nov 2026 09:00:00 GMT", header.Get("Date"))

	for _, row := range []struct {
		fault Fault
		done  int
	}{{ResetBefore, 1}, {ResetAfter, 2}, {Dead, 2}} {
		w.SetFault(func(Request) Fault { return row.fault })
		if _, _, _, err := post(c, server.URL); err == nil {
			t.Errorf("%s: there was an answer", row.fault)
		}
		same(t, row.fault.String()+": comments", row.done, len(w.Pull(1).Comments))
	}
	before := len(w.Log())
	if _, _, _, err := post(c, server.URL); err == nil {
		t.Error("a dead server answered")
	}
	same(t, "requests that reached the world since", 0, len(w.Log())-before)
	w.SetFault(nil)
	status, _, _, err = post(c, server.URL)
	same(t, "status afterwards", 201, status)
	same(t, "error afterwards", nil, err)
}

func TestGraphQLOverSockets(t *testing.T) {
	w := world(Options{})
	server := httptest.NewServer(w)
	defer server.Close()
	for _, path := range []string{"/graphql", "/api/graphql"} {
		c := &http.Client{Transport: as{"wf", http.DefaultTransport}}
		res, err := c.Post(server.URL+path, "application/json", strings.NewReader(`{"query":"{ viewer { login } }"}`))
		if err != nil {
			t.Fatal(err)
		}
		same(t, path, any(map[string]any{"viewer": map[string]any{"login": ActionsBot}}), memberOf(t, res.Body, "data"))
		res.Body.Close()
	}
}

func TestACancelledRequestDoesNotReachTheWorld(t *testing.T) {
	w := world(Options{})
	c, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(c, http.MethodGet, "https://api.github.com/repos/octo/demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client(w, "wf").Do(r)
	if err == nil {
		res.Body.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	same(t, "requests", 0, len(w.Log()))
}

func TestManyClientsAtOnce(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.SetChecks(ScriptedCheck{Check: Check{Name: "build"}, Takes: time.Minute})
	done := make(chan error)
	for range 8 {
		go func() {
			for range 20 {
				if _, _, _, err := post(client(w, "wf"), "https://api.github.com"); err != nil {
					done <- err
					return
				}
				w.Advance(time.Second)
				w.Push(n, Push{})
				_, _ = w.Pull(n), w.Changes()
			}
			done <- nil
		}()
	}
	for range 8 {
		same(t, "error", nil, <-done)
	}
	same(t, "comments", 160, len(w.Pull(n).Comments))
}
