package githubtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// ask sends a query as it stands and returns the data as it came, and the
// errors as "TYPE path: message".
func ask(t *testing.T, w *World, token, query string, variables map[string]any) (data string, errs []string) {
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
		Errors []struct {
			Type    string
			Path    []any
			Message string
		}
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, e := range out.Errors {
		var path []string
		for _, p := range e.Path {
			path = append(path, fmt.Sprint(p))
		}
		errs = append(errs, strings.TrimSpace(fmt.Sprintf("%s %s: %s", e.Type, strings.Join(path, "."), e.Message)))
	}
	return string(out.Data), errs
}

// onPR asks for fields of pull request 1 and returns them; there must be no
// error.
func onPR(t *testing.T, w *World, token, fields string) string {
	t.Helper()
	data, errs := ask(t, w, token, `{ repository(owner: "octo", name: "demo") { pullRequest(number: 1) { `+fields+` } } }`, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	data = strings.TrimPrefix(data, `{"repository":{"pullRequest":`)
	return strings.TrimSuffix(data, `}}`)
}

func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Account{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// keys are the keys of all changes since the n'th.
func keys(w *World, n int) []string {
	var out []string
	for _, c := range w.Changes()[n:] {
		out = append(out, c.String())
	}
	return out
}

func TestWhatFallsDueHappensInTimeOrderAtItsOwnTime(t *testing.T) {
	w := world(Options{})
	var got []string
	note := func(what string) func(*World) {
		return func(w *World) { got = append(got, what+" "+w.Now().Format("15:04:05")) }
	}
	w.At(2*time.Minute, "second", note("second"))
	w.At(time.Minute, "first", func(w *World) {
		note("first")(w)
		w.At(30*time.Second, "nested", note("nested"))
	})
	w.At(2*time.Minute, "third, of the same time", note("third"))
	w.At(time.Hour, "later", note("later"))
	same(t, "what is scheduled", []string{"first", "second", "third, of the same time", "later"}, w.Due())
	next, ok := w.NextDue()
	same(t, "when the next thing happens", start.Add(time.Minute), next)
	same(t, "whether there is one", true, ok)

	w.Advance(10 * time.Minute)

	want := []string{"first 09:01:00", "nested 09:01:30", "second 09:02:00", "third 09:02:00"}
	same(t, "what happened", want, got)
	same(t, "the clock", start.Add(10*time.Minute), w.Now())
}

func TestAPausedWorldGoesOnAsItWouldHaveOnlyLater(t *testing.T) {
	w := world(Options{})
	var got []string
	w.At(time.Minute, "first", func(w *World) { got = append(got, "first "+w.Now().Format("15:04")) })
	w.Pause(time.Hour)
	same(t, "the clock", start.Add(time.Hour), w.Now())
	same(t, "what happened meanwhile", nil, got)
	w.Advance(time.Minute)
	same(t, "what happened", []string{"first 10:01"}, got)
}

func TestTheDateHeaderIsTheSimulatedClock(t *testing.T) {
	w := world(Options{})
	w.Advance(90 * time.Minute)
	res, err := client(w, "wf").Get("https://api.github.com/repos/octo/demo")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	same(t, "Date", "Mon, 30 Nov 2026 10:30:00 GMT", res.Header.Get("Date"))
}

// story plays a bit of everything and returns all that can be seen of it.
func story(t *testing.T) []string {
	w := world(Options{})
	w.SetChecks(ScriptedCheck{Check: Check{Name: "build"}, Takes: time.Minute})
	w.SetReviewer(CopilotReviewer, Reviewer{SubmitAfter: time.Minute, Rounds: []Round{{Findings: []Finding{{Path: "a.go", Line: 1, Text: "x"}}}}})
	n := w.OpenPR(PR{})
	w.Request(n, "mona", CopilotReviewer)
	w.Advance(time.Hour)
	w.Push(n, Push{})
	w.Comment(n, ActionsBot, "hello")
	w.Advance(time.Hour)
	out := keys(w, 0)
	return append(out, onPR(t, w, "wf", `id headRefOid comments(first: 9) { nodes { id fullDatabaseId } } reviews(first: 9) { nodes { id } }`))
}

func TestTheSameCallsGiveTheSameWorld(t *testing.T) {
	same(t, "two worlds", story(t), story(t))
}

func TestPullReturnsACopy(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Labels: []string{"a"}})
	id := w.Comment(n, "mona", "before")
	got := w.Pull(n)
	w.EditComment(id, "mona", "after")
	w.Label(n, "mona", "b")
	same(t, "the comment in the copy", "before", got.Comments[0].Body)
	same(t, "the labels of the copy", []string{"a"}, got.Labels)
}

func TestAccountsAreFoundWhateverTheCase(t *testing.T) {
	w := world(Options{})
	w.AddAccount(Account{Login: "Hubot", Permission: "maintain"})
	w.AddAccount(Account{Login: "hubot", Seat: true})
	same(t, "the account", Account{Login: "Hubot", ID: 9003, Permission: "maintain", Seat: true, nodeID: "U_kwDOAA000003"}, *w.accounts["hubot"])
	w.AddAccount(Account{Login: "hubot[bot]"})
	same(t, "the bot of the same name", "none", w.accounts["hubot[bot]"].Permission)
}
