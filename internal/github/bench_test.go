package github

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// A bench is one open pull request of a world, and a run on it.
type bench struct {
	*testing.T
	w      *githubtest.World
	n      int
	head   pr.SHA
	person bool         // the run has a user-token
	seen   *pr.Snapshot // what the decision was made on
	merge  func(effect.Record, ...string) (string, error)
	tape   *recorder // where not nil, it takes down what is asked of GraphQL
	// What the world had seen when the run began.
	requests, changes int
}

// A setting changes a bench before the decision, or after it.
type setting func(*bench)

// allRights are those that the README asks for, and issues for the record.
var allRights = map[string]string{
	"contents": "write", "pull-requests": "write", "issues": "write", "checks": "read", "statuses": "read", "actions": "read",
}

// newBench makes a pull request, lets before happen, and decides on a snapshot
// of it.
func newBench(t *testing.T, before ...setting) *bench {
	t.Helper()
	b := &bench{T: t, w: githubtest.New(githubtest.Options{}), merge: mergeLines}
	b.rights(allRights)
	b.w.AddToken(githubtest.Token{Value: "person", Kind: githubtest.User, Login: "octocat", Write: true, CopilotSeat: true})
	b.w.AddAccount(githubtest.Account{Login: "mona", Permission: "write", Seat: true})
	b.n = b.w.OpenPR(githubtest.PR{Author: "mona"})
	b.w.Advance(time.Minute)
	for _, f := range before {
		f(b)
	}
	b.decide()
	return b
}

func (b *bench) rights(r map[string]string) {
	b.w.AddToken(githubtest.Token{Value: "workflow", Kind: githubtest.Workflow, Rights: r})
}

// decide takes a snapshot, as a run does before it acts.
func (b *bench) decide() {
	b.Helper()
	s, err := b.client().Snapshot(b.Context(), b.n, Want{})
	if err != nil {
		b.Fatal(err)
	}
	b.head, b.seen = s.Head, s
	b.requests, b.changes = len(b.w.Log()), len(b.w.Changes())
}

// mergeLines is a record whose entries are lines.
func mergeLines(e effect.Record, bodies ...string) (string, error) {
	lines := []string{string(e.Key())}
	for _, body := range bodies {
		lines = append(lines, strings.FieldsFunc(body, func(r rune) bool { return r == '\n' || r == '\r' })...)
	}
	return strings.Join(set(lines), "\n"), nil
}

// client is a new process.
func (b *bench) client() *Client {
	b.Helper()
	o := Options{
		Token: "workflow", Owner: "octo", Repo: "demo", Transport: b.w.Transport(),
		Backoff: func(int, *http.Response) time.Duration { return 0 },
	}
	if b.tape != nil {
		b.tape.next = o.Transport
		o.Transport = b.tape
	}
	if b.person {
		o.UserToken = "person"
	}
	c, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// writes are the requests since the decision that may change something.
func (b *bench) writes() []string {
	var lines []string
	for _, r := range b.w.Log()[b.requests:] {
		if r.Unknown {
			b.Errorf("the world does not know %s", r)
		}
		if !r.Write {
			continue
		}
		what := r.Method + " " + strings.TrimPrefix(r.Path, "/repos/octo/demo/")
		if len(r.Fields) > 0 {
			what = strings.Join(r.Fields, " ")
		}
		lines = append(lines, fmt.Sprintf("%s %d as %s", what, r.Status, r.Login))
	}
	return lines
}

// plain is s with the head under that name.
func (b *bench) plain(s string) string {
	return strings.ReplaceAll(s, pr.SHA(b.w.Pull(b.n).Head).Short(), "HEAD")
}

// changed is what this run changed since the decision.
func (b *bench) changed() []string {
	var lines []string
	for _, c := range b.w.Changes()[b.changes:] {
		if c.Request != 0 {
			lines = append(lines, b.plain(c.String()))
		}
	}
	return lines
}

// nth makes the n-th request from now on fail with f, once.
func (b *bench) nth(n int, f githubtest.Fault) {
	n += len(b.w.Log())
	b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
		if r.N == n {
			return f
		}
		return githubtest.None
	})
}

// Settings.

func withPerson(b *bench) { b.person = true }

// withRed has a failed job on the head: job 60 of run 50.
func withRed(b *bench) {
	b.w.Check(b.n, githubtest.Check{Name: "build", Conclusion: "FAILURE", RunID: 50, CheckRunID: 60})
}

// mayRerun lets the workflow's token write actions.
func mayRerun(b *bench) {
	more := maps.Clone(allRights)
	more["actions"] = "write"
	b.rights(more)
}

// mayCheck lets the workflow's token write checks.
func mayCheck(b *bench) {
	more := maps.Clone(allRights)
	more["checks"] = "write"
	b.rights(more)
}

// asMerged is the pull request once it is merged.
func asMerged(b *bench) { b.w.Merge(b.n, "mona") }

func revertOf(b *bench) effect.Effect {
	return effect.Revert{PR: b.n, Commit: b.seen.MergeCommit, Title: "Revert #1", Body: "Why.", Try: 1}
}

func revertMarker(b *bench) string {
	return effect.Revert{Commit: pr.SHA(b.w.Pull(b.n).MergeCommit), Try: 1}.Marker()
}

// openedBy is a pull request of this repository, with the marker of a revert or not.
func openedBy(by, head string, marked bool) setting {
	return func(b *bench) {
		o := githubtest.PR{Author: by, HeadRef: head, Body: "Words."}
		if marked {
			o.Body += "\n\n" + revertMarker(b)
		}
		b.w.OpenPR(o)
	}
}

func asDraft(b *bench) { b.w.Draft(b.n, "mona") }

// lacking takes the right to write away from the workflow's token.
func lacking(names ...string) setting {
	return func(b *bench) {
		less := maps.Clone(allRights)
		for _, name := range names {
			less[name] = "read"
		}
		b.rights(less)
	}
}

func mayOnlyRead(b *bench) { lacking("contents", "pull-requests", "issues")(b) }

// many comments of a person.
func many(n int) setting {
	return func(b *bench) {
		for range n {
			b.w.Comment(b.n, "mona", "Words.")
		}
	}
}

func replaceHead(s, head string) string { return strings.ReplaceAll(s, "%HEAD%", head) }

func pushed(b *bench)  { b.w.Push(b.n, githubtest.Push{By: "mona"}) }
func merged(b *bench)  { b.w.Merge(b.n, "mona") }
func drafted(b *bench) { b.w.Draft(b.n, "mona") }

func withNote(b *bench) { b.w.Comment(b.n, githubtest.ActionsBot, "An old note.") }

func withRecord(b *bench) {
	b.w.OpenIssue(githubtest.ActionsBot, "the record", "entry 1", "prloop")
}
