package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// executor is a new process that carries effects out.
func (b *bench) executor() *Executor {
	target := NewTarget(b.seen)
	target.MergeRecord = b.merge
	return NewExecutor(b.client(), target)
}

// do carries e out in a new process.
func (b *bench) do(e effect.Effect) (effect.Result, error) {
	return b.executor().Do(b.Context(), e)
}

// A deed is everything that carrying out an effect came to.
type deed struct {
	Result   effect.Result // without effect and time
	Age      string        // how long ago GitHub registered it; empty where the result does not say
	Requests int           // since the decision
	Writes   []string      // since the decision, with their status
	Changes  []string      // of the world
}

// deed carries e out and tells what that came to.
func (b *bench) deed(e effect.Effect) deed {
	b.Helper()
	r, err := b.do(e)
	if err != nil {
		b.Fatalf("%s: %v", e, err)
	}
	age := ""
	if !r.At.IsZero() {
		age = b.w.Now().Sub(r.At).String()
	}
	r.Effect, r.Note, r.At = nil, b.plain(r.Note), time.Time{}
	return deed{r, age, len(b.w.Log()) - b.requests, b.writes(), b.changed()}
}

// An act is an effect in a world in which it has to be carried out.
type act struct {
	name   string
	before []setting
	effect func(*bench) effect.Effect
}

var acts = []act{
	{"a review request", []setting{withPerson}, func(b *bench) effect.Effect {
		return effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1}
	}},
	{"a mention", []setting{withPerson}, func(b *bench) effect.Effect {
		return effect.Mention{Reviewer: pr.CopilotAgent, Head: b.head, Try: 1, Body: "@copilot please review this."}
	}},
	{"a reaction", []setting{func(b *bench) { b.w.Comment(b.n, "mona", "/prloop pause") }}, reaction},
	{"a re-run", []setting{withRed, mayRerun}, func(b *bench) effect.Effect { return effect.Rerun{Job: 60, Run: 50, Head: b.head} }},
	{"a check run", []setting{mayCheck}, func(b *bench) effect.Effect {
		return effect.CheckRun{Head: b.head, Digest: "sha256:0f", Title: "Converged", Summary: "All of it holds.", Text: "{}"}
	}},
	{"marking ready", []setting{asDraft}, func(b *bench) effect.Effect { return effect.MarkReady{Head: b.head} }},
	{"a revert", []setting{asMerged, withPerson}, revertOf},
	{"a comment", nil, func(b *bench) effect.Effect {
		return effect.Comment{Topic: "round_cap_reached", Head: b.head, Body: "The rounds are spent."}
	}},
	{"hiding", []setting{withNote}, func(b *bench) effect.Effect {
		return effect.Hide{CommentID: b.w.Pull(b.n).Comments[0].ID, Topic: "round_cap_reached", Head: b.head}
	}},
	{"the first entry of the record", nil, func(b *bench) effect.Effect { return entry(b, 1) }},
	{"a further entry of the record", []setting{withRecord}, func(b *bench) effect.Effect { return entry(b, 2) }},
	{"a reply", []setting{withThread}, func(b *bench) effect.Effect { return replyTo(b) }},
	{"resolving", []setting{withThread, replied}, func(b *bench) effect.Effect { return resolutionOf(b) }},
	{"resolving with a person's token", []setting{withThread, withPerson}, func(b *bench) effect.Effect { return resolutionOf(b) }},
}

func entry(b *bench, number int) effect.Record {
	return effect.Record{PR: number, Head: b.head, Reviewer: pr.CopilotReviewer, Day: "2026-11-30"}
}

// The weather at any single request changes nothing but the number of runs:
// the same is so at the end, and nothing was done twice. A run that died is
// one kind of weather; what follows is the next run.
func TestEachEffectIsDoneOnceInAnyWeather(t *testing.T) {
	t.Parallel()
	faults := []githubtest.Fault{
		githubtest.Status502, githubtest.Status502After, githubtest.SecondaryLimit, githubtest.SecondaryLimitRetryAfter,
		githubtest.TooManyRequests, githubtest.ResetBefore, githubtest.ResetAfter, githubtest.Dead,
	}
	for _, a := range acts {
		quiet := newBench(t, a.before...)
		want := quiet.deed(a.effect(quiet))
		if want.Result.Outcome != effect.Done {
			t.Fatalf("%s in good weather: %+v", a.name, want)
		}
		for i := 1; i <= want.Requests; i++ {
			for _, f := range faults {
				t.Run(fmt.Sprintf("%s, request %d, %s", a.name, i, f), func(t *testing.T) {
					t.Parallel()
					b := newBench(t, a.before...)
					e := a.effect(b)
					b.nth(i, f)
					r, err := b.do(e)
					if err != nil {
						if limit, limited := errors.AsType[*RateLimited](err); !limited && !errors.Is(err, ErrUnavailable) {
							t.Fatalf("an error that is no weather: %v (%v)", err, limit)
						}
						if r, err = b.do(e); err != nil {
							t.Fatalf("the next run: %v", err)
						}
					}
					if r.Outcome != effect.Done && r.Outcome != effect.AlreadySo {
						t.Errorf("the result is %+v", r)
					}
					if diff := cmp.Diff(want.Changes, b.changed()); diff != "" {
						t.Errorf("what changed (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

// Once GitHub is gone for good, the error says so, and the effect may be asked
// for again.
func TestGoneGitHubIsWeather(t *testing.T) {
	t.Parallel()
	for _, a := range acts {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, a.before...)
			e := a.effect(b)
			b.w.SetFault(func(githubtest.Request) githubtest.Fault { return githubtest.Status502 })
			r, err := b.do(e)
			if diff := cmp.Diff(effect.Result{Effect: e}, r); diff != "" {
				t.Errorf("a result beside the error (-want +got):\n%s", diff)
			}
			if !errors.Is(err, ErrUnavailable) {
				t.Errorf("the error is %v", err)
			}
			b.w.SetFault(nil)
			if r, err := b.do(e); err != nil || r.Outcome != effect.Done {
				t.Errorf("afterwards: %+v, %v", r, err)
			}
		})
	}
}

// A run that is being ended stops, and does not call that the weather.
func TestEndedRunStops(t *testing.T) {
	t.Parallel()
	for _, a := range acts {
		b := newBench(t, a.before...)
		e := a.effect(b)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.executor().Do(ctx, e)
		if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: the error is %v", a.name, err)
		}
	}
}

// Everything that the writing half asks of GraphQL is in GitHub's own schema.
func TestWritingSpeaksGitHubsGraphQL(t *testing.T) {
	schema := gitHubsSchema(t)
	tape := &recorder{queries: map[string]bool{}}
	silent := func(b *bench) {
		b.w.SetRung(githubtest.Endpoint, githubtest.Does{Drop: true})
		b.w.SetRung(githubtest.REST, githubtest.Does{Drop: true})
	}
	for _, a := range acts {
		b := newBench(t, append(a.before, silent)...)
		b.tape = tape
		if r := b.deed(a.effect(b)); r.Result.Outcome != effect.Done {
			t.Fatalf("%s: %+v", a.name, r)
		}
	}
	queries := slices.Sorted(maps.Keys(tape.queries))
	// Eight looks (the draft, the requests, the conversation, the mentions in
	// it, a comment, the records, a thread, the newest pull requests) and six
	// mutations.
	if len(queries) != 14 {
		t.Fatalf("%d queries, want 14: %q", len(queries), queries)
	}
	if err := githubtest.Validate(schema, queries...); err != nil {
		t.Error(err)
	}
}
