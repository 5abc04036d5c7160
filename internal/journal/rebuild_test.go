package journal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

var reviewer = pr.Actor{Login: pr.CopilotReviewer, Bot: true, ID: pr.CopilotReviewerID}

func history(edits ...func(*pr.Snapshot)) *pr.Snapshot {
	s := &pr.Snapshot{Number: 7, Found: true, State: pr.Open, Head: headB, CreatedAt: at(-100), HeadSuiteAt: at(30)}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

func event(kind pr.EventKind, minute int, who pr.Actor) func(*pr.Snapshot) {
	return func(s *pr.Snapshot) {
		s.Events = append(s.Events, pr.Event{Kind: kind, At: at(minute), Actor: mona, Reviewer: who})
	}
}

func asks(minutes ...int) func(*pr.Snapshot) {
	return func(s *pr.Snapshot) {
		for _, m := range minutes {
			event(pr.ReviewRequested, m, reviewer)(s)
		}
	}
}

func review(minute int, head pr.SHA, edits ...func(*pr.Review)) func(*pr.Snapshot) {
	return func(s *pr.Snapshot) {
		r := pr.Review{Author: reviewer, State: pr.Commented, Commit: head, SubmittedAt: at(minute)}
		for _, edit := range edits {
			edit(&r)
		}
		s.Reviews = append(s.Reviews, r)
	}
}

func comments(list ...pr.Comment) func(*pr.Snapshot) {
	return func(s *pr.Snapshot) { s.Comments = append(s.Comments, list...) }
}

func noSuite(s *pr.Snapshot) { s.HeadSuiteAt = time.Time{} }

func TestRebuild(t *testing.T) {
	t.Parallel()
	now := at(200)
	// want is a journal that knows nothing but that it was rebuilt.
	want := func(edits ...func(*Journal)) Journal {
		j := Journal{PR: 7, StartedAt: now, Heads: []Sight{{headB, now}}, Rebuilt: &Rebuilt{WhyEdited, now}}
		for _, edit := range edits {
			edit(&j)
		}
		return j
	}
	requested := func(minute, tries, asked int) func(*Journal) {
		return func(j *Journal) {
			j.Requests = []Request{{Reviewer: pr.CopilotReviewer, Head: headB, At: at(minute), Result: effect.Landed, Tries: tries}}
			j.Asked = asked
		}
	}
	body := encode(t, "", Journal{PR: 7, Rev: 1}, nil)

	for _, row := range []struct {
		name  string
		snap  *pr.Snapshot
		prior *Journal
		want  Journal
	}{
		{"nothing is there but the pull request", history(), nil, want()},
		{
			"a request that is not older than the head is the head's", history(asks(30)), nil,
			want(requested(30, 1, 1)),
		},
		{
			"every request counts, those of the head are its tries", history(asks(-5, 29, 31, 44)), nil,
			want(requested(44, 2, 4)),
		},
		{
			"a request that is older than the head counts, and does not stand", history(asks(29)), nil,
			want(func(j *Journal) { j.Asked = 1 }),
		},
		{
			"a request of a person is none of Copilot's", history(event(pr.ReviewRequested, 31, mona), event(pr.ReviewRequested, 32, pr.Actor{Login: pr.Copilot, Bot: true, ID: pr.CopilotAgentID})), nil,
			want(),
		},
		{
			"a request that was taken back counts, and does not stand", history(asks(31), event(pr.ReviewRequestRemoved, 32, reviewer)), nil,
			want(func(j *Journal) { j.Asked = 1 }),
		},
		{
			"one that was taken back and made again stands", history(asks(31), event(pr.ReviewRequestRemoved, 32, reviewer), asks(33)), nil,
			want(requested(33, 2, 2)),
		},
		{
			"the head was forced back to a commit that was checked before: an older request is another head's",
			history(asks(40), event(pr.HeadForcePushed, 50, pr.Actor{})), nil,
			want(func(j *Journal) { j.Asked = 1 }),
		},
		{
			"an older force push says nothing about the head", history(event(pr.HeadForcePushed, 10, pr.Actor{}), asks(20, 40)), nil,
			want(requested(40, 1, 2)),
		},
		{
			"nothing tells how old the head is: a request that no review answered stands", history(noSuite, asks(-50, 10)), nil,
			want(requested(10, 1, 2)),
		},
		{
			"nothing tells how old the head is: a review of another commit has used the request up",
			history(noSuite, asks(10), review(12, headA)), nil,
			want(func(j *Journal) { j.Asked, j.HandedOver, j.Counters.FixIterations = 1, 1, 1 }),
		},
		{
			"nothing tells how old the head is: a review of the head answers its request",
			history(noSuite, asks(10), review(12, headB)), nil,
			want(requested(10, 1, 1), func(j *Journal) { j.HandedOver, j.Heads = 1, []Sight{{headB, at(12)}} }),
		},
		{
			"hand-overs are one for each commit that Copilot reviewed, fix iterations for each that is not the head",
			history(
				review(1, headA), review(2, headA), review(3, headC), review(31, headB),
				review(32, "9", func(r *pr.Review) { r.State = pr.Pending }),
				review(33, ""),
				review(34, "8", func(r *pr.Review) { r.Author = mona }),
			), nil,
			want(func(j *Journal) {
				j.HandedOver, j.Counters.FixIterations, j.Heads = 3, 2, []Sight{{headB, at(31)}}
			}),
		},
		{
			"our notes are told, strangers' are not; the head's is known in full, and proves when the head was there",
			history(comments(note(3, headA), note(4, headA), note(35, headB), note(6, headC, by(mona)))), nil,
			want(func(j *Journal) {
				j.Told = []Told{{"feedback_open", "1f0c9a2"}, {"feedback_open", headB}}
				j.StartedAt, j.Heads = at(3), []Sight{{headB, at(35)}}
			}),
		},
		{
			"the comment that carried the journal is our first trace, whatever it says now",
			history(comments(said(1, "Coverage: 81 %"), said(2, body, by(mona)), said(5, body+" and more"), said(6, body))), nil,
			want(func(j *Journal) { j.StartedAt = at(5) }),
		},
		{
			"of the old journal only higher numbers, earlier times and a pause count",
			history(asks(31)),
			new(full(func(j *Journal) {
				j.Rev, j.Asked, j.HandedOver, j.StartedAt = 12, 6, 3, at(2)
				j.Heads = []Sight{{headA, at(1)}, {headB, at(29)}}
				j.Requests = []Request{{pr.CopilotReviewer, headA, at(1), effect.Forbidden, 0, 9, ""}, {pr.CopilotReviewer, headB, at(31), effect.Forbidden, 0, 3, "x"}}
			})),
			want(func(j *Journal) {
				j.Rev, j.Asked, j.HandedOver, j.StartedAt, j.Counters = 12, 6, 3, at(2), full().Counters
				j.Orders.Paused, j.Imported = at(40), full().Imported
				j.Quest = &Quest{Number: 2, Policy: quest.DefaultPolicy()}
				j.Heads = []Sight{{headB, at(29)}}
				j.Requests = []Request{{Reviewer: pr.CopilotReviewer, Head: headB, At: at(31), Result: effect.Landed, Tries: 3}}
			}),
		},
		{
			"lower numbers and later times of the old journal do not count",
			history(asks(10, 31, 32), review(31, headB), review(20, headA), comments(note(3, headA))),
			&Journal{
				PR: 7, Rev: 2, Asked: 1, StartedAt: at(90), Heads: []Sight{{headB, at(900)}},
				Requests: []Request{{Reviewer: pr.CopilotReviewer, Head: headB, Tries: 1}},
			},
			want(requested(32, 2, 3), func(j *Journal) {
				j.Rev, j.HandedOver, j.Counters.FixIterations, j.StartedAt = 2, 2, 1, at(3)
				j.Heads, j.Told = []Sight{{headB, at(31)}}, []Told{{"feedback_open", "1f0c9a2"}}
			}),
		},
		{
			"tries that GitHub never registered are not forgotten",
			history(),
			&Journal{PR: 7, Rev: 2, Requests: []Request{{pr.CopilotReviewer, headB, at(31), effect.Landed, 1, 2, "user-token"}}},
			want(func(j *Journal) {
				j.Rev, j.Asked = 2, 0
				j.Requests = []Request{{Reviewer: pr.CopilotReviewer, Head: headB, At: at(31), Result: effect.Dropped, Tries: 2}}
			}),
		},
		{
			"a try that lies ahead was not made then",
			history(),
			&Journal{PR: 7, Rev: 2, Requests: []Request{{Reviewer: pr.CopilotReviewer, Head: headB, At: at(900), Tries: 2}}},
			want(func(j *Journal) {
				j.Rev = 2
				j.Requests = []Request{{Reviewer: pr.CopilotReviewer, Head: headB, At: now, Result: effect.Dropped, Tries: 2}}
			}),
		},
		{
			"rows of another reviewer or head say nothing of the head",
			history(),
			&Journal{PR: 7, Rev: 2, Requests: []Request{{Reviewer: "hubot", Head: headB, Tries: 2}, {Reviewer: pr.CopilotReviewer, Head: headA, Tries: 2}}},
			want(func(j *Journal) { j.Rev = 2 }),
		},
	} {
		got := Rebuild(row.snap, WhyEdited, now, row.prior)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

// Whatever somebody wrote into a journal, none of its words comes back, and no
// count falls below it or below what history shows.
func TestRebuildTakesNothingButNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prior := made[Journal]([]string{"a stranger's word", string(headB), string(pr.CopilotReviewer)}).Draw(t, "prior")
		s := history(asks(make([]int, rapid.IntRange(0, 3).Draw(t, "requests"))...), review(31, headB), review(1, headA), comments(note(3, headA)))
		bare := Rebuild(s, WhyDamaged, at(200), nil)
		got := Rebuild(s, WhyDamaged, at(200), &prior)

		next := Asked(HandOff(Begin(got, Lease{}, nil, at(201)), Handoff{Head: headB}), Request{Reviewer: pr.CopilotReviewer, Head: headB, Result: effect.Landed})
		body, err := Encode("", next, nil)
		if err != nil {
			t.Fatalf("the journal cannot go on: %v", err)
		}
		prior = believed(prior)
		if strings.Contains(body, "stranger") {
			t.Fatalf("a word of the old journal came back: %s", body)
		}
		if got.Counters != maxCounters(bare.Counters, prior.Counters) {
			t.Fatalf("counters are %+v, from %+v and %+v", got.Counters, bare.Counters, prior.Counters)
		}
		if got.Asked != max(bare.Asked, prior.Asked) || got.HandedOver < max(bare.HandedOver, prior.HandedOver) {
			t.Fatalf("asked %d, handed over %d, from %+v and %+v", got.Asked, got.HandedOver, bare, prior)
		}
		if got.StartedAt.After(bare.StartedAt) || got.Heads[0].At.After(bare.Heads[0].At) {
			t.Fatalf("a beginning moved on: %+v, was %+v", got, bare)
		}
	})
}

func TestRebuildReads(t *testing.T) {
	t.Parallel()
	want := []pr.Fact{pr.FactComments, pr.FactReviews, pr.FactEvents}
	got := RebuildReads()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}
