package github

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// The three ways to ask, as they stand in the server's log.
const (
	viaEndpoint  = "POST pulls/1/copilot-code-review %d as %s"
	viaReviewers = "POST pulls/1/requested_reviewers %d as %s"
	viaByLogin   = "requestReviewsByLogin %d as %s"
)

// asked1 is the change of the world when Copilot is asked once.
func asked1(by string) []string {
	return []string{"review_requested copilot-pull-request-reviewer[bot] at HEAD on #1 by " + by}
}

func TestRequestReview(t *testing.T) {
	t.Parallel()
	landed := func(rung int) effect.Result {
		return effect.Result{Outcome: effect.Done, Request: effect.Landed, Rung: rung}
	}
	so := func(r effect.RequestResult) effect.Result {
		return effect.Result{Outcome: effect.AlreadySo, Request: r}
	}
	not := func(r effect.RequestResult, note string) effect.Result {
		return effect.Result{Outcome: effect.Failed, Request: r, Note: note}
	}
	forbidden := func(note string) effect.Result {
		r := not(effect.Forbidden, note)
		r.Right = rightRequest
		return r
	}
	// does sets what a rung does for a person's token.
	does := func(r githubtest.Rung, d ...githubtest.Does) setting {
		return func(b *bench) { b.w.SetRung(r, d...) }
	}
	works := func(r githubtest.Rung) setting {
		return func(b *bench) { b.w.SetWorkflowRung(r, githubtest.Does{}) }
	}
	drop := githubtest.Does{Drop: true}
	no := func(status int, reason string) githubtest.Does {
		return githubtest.Does{Status: status, Reason: reason}
	}
	again := func(e *effect.RequestReview) { e.Again = true }
	retry := func(e *effect.RequestReview) { e.Try = 2 }
	const silent = "the dedicated endpoint: nothing was registered; requested_reviewers: nothing was registered; requestReviewsByLogin: nothing was registered"

	tests := []struct {
		name   string
		before []setting // what the decision saw
		after  []setting // what happened since
		edit   func(*effect.RequestReview)
		want   deed
	}{
		{
			"the endpoint is enough: a look, the request, its proof",
			[]setting{withPerson},
			nil, nil,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"a request that GitHub drops in silence is not believed: the second rung",
			[]setting{withPerson, does(githubtest.Endpoint, drop)},
			nil, nil,
			deed{landed(2), "0s", 6, []string{fmt.Sprintf(viaEndpoint, 201, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat")}, asked1("octocat")},
		},
		{
			"two silent rungs: the third",
			[]setting{withPerson, does(githubtest.Endpoint, drop), does(githubtest.REST, drop)},
			nil, nil,
			deed{
				landed(3), "0s", 9,
				[]string{fmt.Sprintf(viaEndpoint, 201, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
				asked1("octocat"),
			},
		},
		{
			"a further request takes the third rung before the second",
			[]setting{withPerson, does(githubtest.Endpoint, drop), reviewedBefore, pushed},
			nil, again,
			deed{landed(3), "0s", 6, []string{fmt.Sprintf(viaEndpoint, 201, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")}, asked1("octocat")},
		},
		{
			"every rung silent: dropped, to be tried again later",
			[]setting{withPerson, does(githubtest.Endpoint, drop), does(githubtest.REST, drop), does(githubtest.ByLogin, drop)},
			nil, nil,
			deed{
				not(effect.Dropped, silent), "", 10,
				[]string{fmt.Sprintf(viaEndpoint, 201, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
				nil,
			},
		},
		{
			"the workflow's token is answered yes and asks nobody: forbidden, with the way out",
			nil, nil, nil,
			deed{
				forbidden(silent), "", 10,
				[]string{
					fmt.Sprintf(viaEndpoint, 201, githubtest.ActionsBot), fmt.Sprintf(viaReviewers, 201, githubtest.ActionsBot),
					fmt.Sprintf(viaByLogin, 200, githubtest.ActionsBot),
				},
				nil,
			},
		},
		{
			"where the workflow's token may ask, it asks",
			[]setting{works(githubtest.Endpoint)},
			nil, nil,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, githubtest.ActionsBot)}, asked1(githubtest.ActionsBot)},
		},
		{
			"an endpoint that is not there is passed over at once",
			[]setting{withPerson, does(githubtest.Endpoint, no(404, ""))},
			nil, nil,
			deed{landed(2), "0s", 4, []string{fmt.Sprintf(viaEndpoint, 404, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat")}, asked1("octocat")},
		},
		{
			"a token that the endpoint refuses may still do by another rung",
			[]setting{withPerson, does(githubtest.Endpoint, no(403, ""))},
			nil, nil,
			deed{landed(2), "0s", 4, []string{fmt.Sprintf(viaEndpoint, 403, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat")}, asked1("octocat")},
		},
		{
			"one that every rung refuses is forbidden",
			[]setting{withPerson, does(githubtest.Endpoint, no(403, "")), does(githubtest.REST, no(403, "")), does(githubtest.ByLogin, no(403, ""))},
			nil, nil,
			deed{
				forbidden("the dedicated endpoint: forbidden; requested_reviewers: forbidden; requestReviewsByLogin: forbidden"), "", 4,
				[]string{fmt.Sprintf(viaEndpoint, 403, "octocat"), fmt.Sprintf(viaReviewers, 403, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
				nil,
			},
		},
		{
			"404 everywhere is what somebody without write access gets",
			[]setting{withPerson, does(githubtest.Endpoint, no(404, "")), does(githubtest.REST, no(404, "")), does(githubtest.ByLogin, no(403, ""))},
			nil, nil,
			deed{
				forbidden("the dedicated endpoint: not there; requested_reviewers: not there; requestReviewsByLogin: forbidden"), "", 4,
				[]string{fmt.Sprintf(viaEndpoint, 404, "octocat"), fmt.Sprintf(viaReviewers, 404, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
				nil,
			},
		},
		{
			"GitHub itself says that a request pends",
			[]setting{withPerson, does(githubtest.Endpoint, no(409, ""))},
			nil, nil,
			deed{so(effect.InFlight), "", 2, []string{fmt.Sprintf(viaEndpoint, 409, "octocat")}, nil},
		},
		{
			"no quota: no other rung is tried",
			[]setting{withPerson, does(githubtest.Endpoint, no(422, "NO_QUOTA"))},
			nil, nil,
			deed{not(effect.Quota, "the dedicated endpoint: no quota is left"), "", 2, []string{fmt.Sprintf(viaEndpoint, 422, "octocat")}, nil},
		},
		{
			"a flagged account: no other rung is tried",
			[]setting{withPerson, does(githubtest.Endpoint, no(403, "ACTOR_FLAGGED"))},
			nil, nil,
			deed{not(effect.Flagged, "the dedicated endpoint: the account is flagged"), "", 2, []string{fmt.Sprintf(viaEndpoint, 403, "octocat")}, nil},
		},
		{
			"a repository without Copilot review: no other rung is tried",
			[]setting{withPerson, does(githubtest.Endpoint, no(422, "REPOSITORY_NOT_ELIGIBLE"))},
			nil, nil,
			deed{not(effect.NotAvailable, "the dedicated endpoint: not available"), "", 2, []string{fmt.Sprintf(viaEndpoint, 422, "octocat")}, nil},
		},
		{
			"an actor who is not eligible may still do by another rung",
			[]setting{withPerson, does(githubtest.Endpoint, no(422, "ACTOR_NOT_ELIGIBLE"))},
			nil, nil,
			deed{landed(2), "0s", 4, []string{fmt.Sprintf(viaEndpoint, 422, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat")}, asked1("octocat")},
		},
		{
			"a reason that nobody knows is no end either",
			[]setting{withPerson, does(githubtest.Endpoint, no(422, "INVALID_REVIEW_EFFORT"))},
			nil, nil,
			deed{landed(2), "0s", 4, []string{fmt.Sprintf(viaEndpoint, 422, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat")}, asked1("octocat")},
		},
		{
			"an endpoint that cannot serve now is left alone until the next try",
			[]setting{withPerson, does(githubtest.Endpoint, no(503, ""))},
			nil, nil,
			deed{not(effect.Dropped, "the dedicated endpoint: nothing was registered"), "", 4, []string{fmt.Sprintf(viaEndpoint, 503, "octocat")}, nil},
		},
		{
			"asked by somebody since the decision",
			[]setting{withPerson},
			[]setting{func(b *bench) { b.w.Request(b.n, "mona", githubtest.CopilotReviewer) }},
			nil,
			deed{so(effect.InFlight), "0s", 1, nil, nil},
		},
		{
			"asked before the head moved: a review is on its way",
			[]setting{withPerson, func(b *bench) { b.w.Request(b.n, "mona", githubtest.CopilotReviewer) }, pushed},
			nil, nil,
			deed{so(effect.InFlight), "0s", 1, nil, nil},
		},
		{
			"Copilot has begun, so the list of requests is empty: still in flight",
			[]setting{withPerson, copilotBusy},
			nil, nil,
			deed{so(effect.InFlight), "1m0s", 1, nil, nil},
		},
		{
			"Copilot is asked, and no event says so",
			[]setting{withPerson, unannounced},
			nil, nil,
			deed{so(effect.InFlight), "", 1, nil, nil},
		},
		{
			"a request that a person took back is none",
			[]setting{withPerson, func(b *bench) {
				b.w.Request(b.n, "mona", githubtest.CopilotReviewer)
				b.w.Withdraw(b.n, "mona", githubtest.CopilotReviewer)
			}},
			nil, nil,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"a request of the coding agent is not one of the reviewer",
			[]setting{withPerson, func(b *bench) { b.w.Request(b.n, "mona", githubtest.CopilotAgent) }},
			nil, nil,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"reviewed since the decision",
			[]setting{withPerson},
			[]setting{reviewedBefore},
			nil,
			deed{so(effect.ReviewedAtHead), "", 1, nil, nil},
		},
		{
			"an error notice that the decision saw is asked over",
			[]setting{withPerson, reviewedBefore},
			nil, retry,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"a review that arrived after the error notice is not",
			[]setting{withPerson, reviewedBefore},
			[]setting{reviewedBefore},
			retry,
			deed{so(effect.ReviewedAtHead), "", 1, nil, nil},
		},
		{
			"a review of an earlier head is none of this one",
			[]setting{withPerson, reviewedBefore, pushed},
			nil, nil,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"a request that was answered for an earlier head is over",
			[]setting{withPerson, answered, pushed},
			nil, again,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"what Copilot did before proves nothing now",
			[]setting{withPerson, answered, pushed, does(githubtest.Endpoint, drop), does(githubtest.REST, drop), does(githubtest.ByLogin, drop)},
			nil, nil,
			deed{
				not(effect.Dropped, silent), "", 10,
				[]string{fmt.Sprintf(viaEndpoint, 201, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
				nil,
			},
		},
		{
			"a review that was dismissed since is none",
			[]setting{withPerson},
			[]setting{func(b *bench) {
				b.w.Dismiss(b.w.Review(b.n, githubtest.Submitted{By: githubtest.CopilotReviewer, Body: "x"}), "mona", "no")
			}},
			nil,
			deed{landed(1), "0s", 3, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"the head moved since the decision",
			[]setting{withPerson},
			[]setting{pushed},
			nil,
			deed{stale("the head is HEAD now"), "", 1, nil, nil},
		},
		{
			"merged since the decision",
			[]setting{withPerson},
			[]setting{merged},
			nil,
			deed{stale("the pull request is merged"), "", 1, nil, nil},
		},
		{
			"made a draft since the decision",
			[]setting{withPerson},
			[]setting{drafted},
			nil,
			deed{stale("the pull request is a draft"), "", 1, nil, nil},
		},
		{
			"only Copilot is asked in this way",
			[]setting{withPerson},
			nil, func(e *effect.RequestReview) { e.Reviewer = "hubot" },
			deed{not(effect.Errored, "only Copilot can be asked in this way"), "", 0, nil, nil},
		},
		{
			"the evidence is found on the second page of the timeline, the state on the second of the requests",
			[]setting{withPerson, talkative},
			nil, nil,
			deed{landed(1), "0s", 5, []string{fmt.Sprintf(viaEndpoint, 201, "octocat")}, asked1("octocat")},
		},
		{
			"people who are asked already stay asked",
			[]setting{withPerson, func(b *bench) { b.w.Request(b.n, "mona", "hubot") }, does(githubtest.Endpoint, drop), does(githubtest.REST, drop)},
			nil, nil,
			deed{
				landed(3), "0s", 9,
				[]string{fmt.Sprintf(viaEndpoint, 201, "octocat"), fmt.Sprintf(viaReviewers, 201, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
				asked1("octocat"),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			e := effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1}
			if tt.edit != nil {
				tt.edit(&e)
			}
			for _, f := range tt.after {
				f(b)
			}
			got := b.deed(e)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// reviewedBefore: Copilot has reviewed the head.
func reviewedBefore(b *bench) {
	b.w.Review(b.n, githubtest.Submitted{By: githubtest.CopilotReviewer, Body: "x"})
	b.w.Advance(time.Second)
}

// copilotBusy: Copilot was asked and has begun.
func copilotBusy(b *bench) {
	b.w.SetReviewer(githubtest.CopilotReviewer, githubtest.Reviewer{StartAfter: time.Second, SubmitAfter: time.Hour})
	b.w.Request(b.n, "mona", githubtest.CopilotReviewer)
	b.w.Advance(time.Minute)
}

// answered: Copilot was asked, worked, and reviewed.
func answered(b *bench) {
	b.w.SetReviewer(githubtest.CopilotReviewer, githubtest.Reviewer{StartAfter: time.Second, SubmitAfter: time.Minute})
	b.w.Request(b.n, "mona", githubtest.CopilotReviewer)
	b.w.Advance(time.Hour)
}

// talkative: more of everything than a page holds.
func talkative(b *bench) {
	for range 60 {
		b.w.Request(b.n, "mona", githubtest.CopilotReviewer)
		b.w.Withdraw(b.n, "mona", githubtest.CopilotReviewer)
	}
}

// GitHub shows what was asked later than it says yes: the second look finds
// it, and no further rung is tried.
func TestLateEvidenceCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		age  string
		late setting
	}{
		{"as an event", "0s", func(b *bench) { b.w.Request(b.n, "octocat", githubtest.CopilotReviewer) }},
		{"in the list of requests alone", "", unannounced},
		{"as a review", "", func(b *bench) {
			b.w.Review(b.n, githubtest.Submitted{By: githubtest.CopilotReviewer, Body: "x"})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, withPerson, answered, pushed, func(b *bench) { b.w.SetRung(githubtest.Endpoint, githubtest.Does{Drop: true}) })
			b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
				if r.N == b.requests+4 { // look, request, proof, and now the second look
					tt.late(b)
				}
				return githubtest.None
			})
			want := deed{
				effect.Result{Outcome: effect.Done, Request: effect.Landed, Rung: 1},
				tt.age, 4,
				[]string{fmt.Sprintf(viaEndpoint, 201, "octocat")},
				nil,
			}
			got := b.deed(effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// unannounced: Copilot stands in the list of requests, and no event says so.
func unannounced(b *bench) {
	b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Requests = append(p.Requests, githubtest.CopilotReviewer) })
}

// Copilot that begins at once is proof enough, even where the request itself
// does not show.
func TestBegunWorkIsProof(t *testing.T) {
	t.Parallel()
	b := newBench(t, withPerson, func(b *bench) {
		b.w.SetRung(githubtest.Endpoint, githubtest.Does{Drop: true})
		b.w.SetReviewer(githubtest.CopilotReviewer, githubtest.Reviewer{StartAfter: time.Second, SubmitAfter: time.Hour})
	})
	b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
		if r.N == b.requests+3 {
			b.w.Request(b.n, "octocat", githubtest.CopilotReviewer)
			b.w.Advance(time.Minute)
			b.w.SetPull(b.n, func(p *githubtest.Pull) {
				p.Events = slices.DeleteFunc(p.Events, func(e *githubtest.Event) bool { return e.Kind == "review_requested" })
			})
		}
		return githubtest.None
	})
	want := deed{
		effect.Result{Outcome: effect.Done, Request: effect.Landed, Rung: 1},
		"59s", 3,
		[]string{fmt.Sprintf(viaEndpoint, 201, "octocat")},
		nil,
	}
	got := b.deed(effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A head that moves while the ladder is climbed ends it: nobody asks for a
// review of a head that nobody decided on.
func TestTheHeadIsPinnedOnEveryRung(t *testing.T) {
	t.Parallel()
	for _, moves := range []setting{pushed, drafted, merged} {
		b := newBench(t, withPerson, func(b *bench) { b.w.SetRung(githubtest.Endpoint, githubtest.Does{Drop: true}) })
		b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
			if r.N == b.requests+3 {
				moves(b)
			}
			return githubtest.None
		})
		want := deed{
			stale("the pull request changed while Copilot was being asked"), "", 4,
			[]string{fmt.Sprintf(viaEndpoint, 201, "octocat")},
			nil,
		}
		got := b.deed(effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A run that dies between any two requests leaves a world from which the next
// run asks at most once more, and only where nothing was registered: however
// far the ladder has to be climbed, Copilot is asked once.
func TestCopilotIsAskedOnceWhereverTheRunDies(t *testing.T) {
	t.Parallel()
	drop := githubtest.Does{Drop: true}
	for silent, rungs := range [][]githubtest.Rung{
		nil, {githubtest.Endpoint}, {githubtest.Endpoint, githubtest.REST},
	} {
		before := []setting{withPerson, func(b *bench) {
			for _, r := range rungs {
				b.w.SetRung(r, drop)
			}
		}}
		whole := newBench(t, before...)
		request := func(b *bench) effect.Effect {
			return effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1}
		}
		want := whole.deed(request(whole))
		for i := 1; i <= want.Requests+1; i++ {
			t.Run(fmt.Sprintf("%d silent rungs, dead at request %d", silent, i), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, before...)
				b.nth(i, githubtest.Dead)
				if _, err := b.do(request(b)); (err == nil) != (i > want.Requests) {
					t.Fatalf("the first run: %v", err)
				}
				b.w.SetFault(nil)
				r, err := b.do(request(b))
				if err != nil {
					t.Fatal(err)
				}
				if r.Request != effect.Landed && r.Request != effect.InFlight {
					t.Errorf("the second run: %+v", r)
				}
				if diff := cmp.Diff(want.Changes, b.changed()); diff != "" {
					t.Errorf("what changed (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// A 429 of the endpoint is a limit and not a refusal.
func TestEndpointOverItsLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t, withPerson, func(b *bench) { b.w.SetRung(githubtest.Endpoint, githubtest.Does{Status: 429, Reason: "RATE_LIMITED"}) })
	e := effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1}
	_, err := b.do(e)
	if _, ok := errors.AsType[*RateLimited](err); !ok {
		t.Errorf("the error is %v", err)
	}
	want := []string{fmt.Sprintf(viaEndpoint, 429, "octocat"), fmt.Sprintf(viaEndpoint, 429, "octocat")}
	if diff := cmp.Diff(want, b.writes()); diff != "" {
		t.Errorf("it waits once, as long as it may (-want +got):\n%s", diff)
	}
}

// A GitHub Enterprise Server has neither the endpoint nor the mutation.
func TestEnterpriseServerHasOneRung(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, w: githubtest.New(githubtest.Options{Enterprise: true}), person: true}
	b.rights(allRights)
	b.w.AddToken(githubtest.Token{Value: "person", Kind: githubtest.User, Login: "octocat", Write: true, CopilotSeat: true})
	b.n = b.w.OpenPR(githubtest.PR{Author: "mona"})
	b.w.SetRung(githubtest.REST, githubtest.Does{Status: 422, Reason: "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the octo/demo repository."})
	b.decide()
	want := deed{
		effect.Result{
			Outcome: effect.Failed, Request: effect.NotAvailable,
			Note: "the dedicated endpoint: not there; requested_reviewers: not available; requestReviewsByLogin: not there",
		},
		"", 4,
		[]string{fmt.Sprintf(viaEndpoint, 404, "octocat"), fmt.Sprintf(viaReviewers, 422, "octocat"), fmt.Sprintf(viaByLogin, 200, "octocat")},
		nil,
	}
	got := b.deed(effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the rungs say of themselves to GitHub: the API version of the endpoint,
// the [bot] login, and that nobody else's request is replaced.
func TestRungsSayWhatGitHubWants(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{status: 201, body: `{}`}}}
	c, _ := client(t, s)
	x := NewExecutor(c, Target{Number: 7})
	for _, r := range ladder {
		_ = r.ask(x, t.Context(), &sight{id: "PR_7"})
	}
	type said struct{ Method, Path, Version, Token, Body string }
	want := []said{
		{"POST", "/repos/octo/demo/pulls/7/copilot-code-review", "2026-03-10", "Bearer pat", ""},
		{
			"POST", "/repos/octo/demo/pulls/7/requested_reviewers", "2022-11-28", "Bearer pat",
			`{"reviewers":["copilot-pull-request-reviewer[bot]"]}` + "\n",
		},
		{
			"POST", "/graphql", "", "Bearer pat",
			`{"query":"mutation($input:RequestReviewsByLoginInput!){requestReviewsByLogin(input: $input){pullRequest{id}}}",` +
				`"variables":{"input":{"pullRequestId":"PR_7","botLogins":["copilot-pull-request-reviewer[bot]"],"union":true}}}` + "\n",
		},
	}
	var got []said
	for i, r := range s.requests {
		got = append(got, said{r.Method, r.URL.Path, r.Header.Get("X-Github-Api-Version"), r.Header.Get("Authorization"), s.bodies[i]})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each row of the table of meanings is the first that fits some answer.
func TestEveryMeaningDecides(t *testing.T) {
	t.Parallel()
	for i, m := range meanings {
		id := max(m.rung, 1)
		err := error(&Refused{Status: m.status, Message: m.word})
		if m.status == http.StatusForbidden {
			err = &Denied{Message: m.word}
		}
		var first meaning
		for _, o := range meanings {
			if (o.rung == 0 || o.rung == id) && o.status == m.status && strings.Contains(m.word, o.word) {
				first = o
				break
			}
		}
		if diff := cmp.Diff(m, first, cmp.AllowUnexported(meaning{})); diff != "" {
			t.Errorf("row %d never decides (-row +what does):\n%s", i+1, diff)
		}
		result, ends := interpret(ladder[id-1], err)
		if result != m.result || ends != m.ends {
			t.Errorf("row %d: %s, %t; want %s, %t", i+1, result, ends, m.result, m.ends)
		}
	}
}

// What does not fit together is judged from the strongest word that was said.
func TestVerdict(t *testing.T) {
	t.Parallel()
	const d, f, na, e = effect.Dropped, effect.Forbidden, effect.NotAvailable, effect.Errored
	tests := []struct {
		name string
		said []effect.RequestResult
		ends bool
		app  bool
		want effect.RequestResult
	}{
		{"silence somewhere: it may work later", []effect.RequestResult{f, na, d}, false, false, d},
		{"silence towards an app is how GitHub forbids it", []effect.RequestResult{d, d, d}, false, true, f},
		{"an app without the reviewer, too: its token asks nobody", []effect.RequestResult{na, na, na}, false, true, f},
		{"no quota is no quota for an app, too", []effect.RequestResult{effect.Quota}, true, true, effect.Quota},
		{"a right comes before what is not there", []effect.RequestResult{f, na, e}, false, false, f},
		{"what is not there comes before what nobody knows", []effect.RequestResult{e, na, absent}, false, false, na},
		{"nobody knows", []effect.RequestResult{absent, e, e}, false, false, e},
		{"nothing is there: somebody without write access", []effect.RequestResult{absent, absent, absent}, false, false, f},
		{"an end is an end", []effect.RequestResult{d, effect.Flagged}, true, false, effect.Flagged},
		{"the endpoint cannot serve now", []effect.RequestResult{d}, true, true, d},
	}
	for _, tt := range tests {
		var replies []reply
		for i, r := range tt.said {
			replies = append(replies, reply{rung: ladder[i], result: r, ends: tt.ends && i+1 == len(tt.said)})
		}
		got := verdict(replies, tt.app)
		if got.Request != tt.want || got.Outcome != effect.Failed || (got.Right == rightRequest) != (tt.want == f) {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
}

// Whatever a rung can mean can be told.
func TestEveryMeaningHasWords(t *testing.T) {
	t.Parallel()
	for _, m := range append(meanings, meaning{result: effect.Dropped}, meaning{result: effect.Errored}) {
		if m.result != effect.InFlight && inWords[m.result] == "" {
			t.Errorf("%s has no words", m.result)
		}
	}
}

// A request whose reviewer GitHub hides in one list and shows in the other is
// no new one.
func TestHiddenReviewerIsNoEvidence(t *testing.T) {
	t.Parallel()
	var before sight
	hidden := reviewItem{Typename: "ReviewRequestedEvent"}
	hidden.Asked.CreatedAt = noon
	before.take(&hidden)
	if before.standing {
		t.Error("a hidden reviewer counts as Copilot")
	}
	var shown mark
	shown.note(noon)
	if shown.after(before.maybe) {
		t.Error("the same event passes for a new one")
	}
	shown.note(noon)
	if !shown.after(before.maybe) {
		t.Error("a second event of that second is not seen")
	}
}

func TestLadderOrder(t *testing.T) {
	t.Parallel()
	for again, want := range map[bool][]int{false: {1, 2, 3}, true: {1, 3, 2}} {
		var got []int
		for _, r := range rungs(again) {
			got = append(got, r.id)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("again %t (-want +got):\n%s", again, diff)
		}
	}
}
