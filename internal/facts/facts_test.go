package facts_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

const (
	head  pr.SHA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	older pr.SHA = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

var (
	reviewer = pr.Actor{Login: pr.CopilotReviewer, Bot: true}
	agent    = pr.Actor{Login: pr.CopilotAgent, Bot: true}
	mona     = pr.Actor{Login: "mona"} // may push
	hubot    = pr.Actor{Login: "hubot", Bot: true}
	stranger = pr.Actor{Login: "octocat"}
)

// at is a time of the day on which everything happens.
func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05", "2026-10-07 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

// An edit changes the input of Derive.
type edit func(*facts.Input)

// input is an open pull request that nobody reviewed, at 12:00; its head came
// at 11:00, and one check passed on it.
func input(edits ...edit) facts.Input {
	in := facts.Input{
		Snapshot: &pr.Snapshot{
			At:          at("12:00:00"),
			Found:       true,
			Number:      7,
			State:       pr.Open,
			Head:        head,
			CreatedAt:   at("10:00:00"),
			HeadSuiteAt: at("11:00:00"),
			MergeState:  "CLEAN",
			Checks:      []pr.Check{run("test", "SUCCESS")},
		},
		Settings: config.Defaults(),
	}
	for _, e := range edits {
		e(&in)
	}
	return in
}

func derive(edits ...edit) facts.Facts { return facts.Derive(input(edits...)) }

func setting(change func(*config.Settings)) edit {
	return func(in *facts.Input) { change(&in.Settings) }
}

func snapshot(change func(*pr.Snapshot)) edit {
	return func(in *facts.Input) { change(in.Snapshot) }
}

func unknown(fs ...pr.Fact) edit {
	return snapshot(func(s *pr.Snapshot) {
		for _, f := range fs {
			s.Unknown = append(s.Unknown, pr.Unknown{Fact: f, Why: "a page is missing"})
		}
	})
}

// The bodies of a clean and of a not clean review.
const (
	cleanBody = "<!-- ccr-overview-v2 -->\n\n### 🟢 Approved\n\nLooks right.\n\n**0 open findings**\n"
	redBody   = "<!-- ccr-overview-v2 -->\n\n### 🟡 Changes recommended\n\nOne sentence.\n\n**Findings:** 1\n"
)

// copilot is a review by Copilot; edits change it.
func copilotReview(id, body string, commit pr.SHA, clock string, edits ...func(*pr.Review)) edit {
	r := pr.Review{ID: id, Author: reviewer, State: pr.Commented, Commit: commit, SubmittedAt: at(clock), Body: body}
	for _, e := range edits {
		e(&r)
	}
	return snapshot(func(s *pr.Snapshot) { s.Reviews = append(s.Reviews, r) })
}

func inState(s pr.ReviewState) func(*pr.Review) { return func(r *pr.Review) { r.State = s } }

// thread is an unresolved thread with these comments.
func thread(id string, comments ...pr.ThreadComment) edit {
	return snapshot(func(s *pr.Snapshot) {
		s.Threads = append(s.Threads, pr.Thread{ID: id, Path: "a.go", Line: 10, Comments: comments})
	})
}

func said(a pr.Actor, body string) pr.ThreadComment {
	return pr.ThreadComment{Author: a, Trusted: a == mona, Body: body}
}

func of(review string, c pr.ThreadComment) pr.ThreadComment {
	c.ReviewID = review
	return c
}

func resolved(in *facts.Input) {
	for i := range in.Snapshot.Threads {
		in.Snapshot.Threads[i].Resolved = true
	}
}

// run is a completed check run of the workflow CI.
func run(name, conclusion string) pr.Check {
	return pr.Check{
		Name: name, State: "COMPLETED", Conclusion: conclusion, App: "github-actions", ID: 1, StartedAt: at("11:01:00"),
		WorkflowKnown: true, Workflow: "CI", WorkflowPath: ".github/workflows/ci.yml", RunID: 1, RunNumber: 1, RunAttempt: 1,
	}
}

func checks(list ...pr.Check) edit {
	return snapshot(func(s *pr.Snapshot) { s.Checks = list })
}

// load reads a file of testdata.
func load[T any](t testing.TB, path ...string) T {
	t.Helper()
	var v T
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(fmt.Errorf("read %s: %w", filepath.Join(path...), err))
	}
	return v
}

// A payload is a review as GitHub's REST interface shows it.
type payload struct {
	Author *struct {
		Login string
		Bot   bool
		ID    int64
	}
	State pr.ReviewState
	Body  string
}

func (p payload) review(id string) pr.Review {
	r := pr.Review{ID: id, State: p.State, Body: p.Body, Commit: head, SubmittedAt: at("11:30:00")}
	if p.Author != nil {
		r.Author = pr.Actor{Login: pr.NewLogin(p.Author.Login), Bot: p.Author.Bot, ID: p.Author.ID}
	}
	return r
}
