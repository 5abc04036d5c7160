package journal

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// Fold joins two journals of one pull request (two runs that both found none
// wrote one each; design 3, Ownership). Where they differ the higher revision
// wins; where the revisions are equal too, whatever is safer: the earlier wait,
// the later quota, no digest. Lists are united by their keys. No count gets
// lower, and none is added up (C081).
//
// The order of a and b makes no difference, and folding one of them in again
// changes nothing (TestFold…). Rows come out oldest first.
func Fold(a, b Journal) Journal {
	a, b = whole(a), whole(b)
	c := cmp.Compare(a.Rev, b.Rev)
	j := Journal{
		PR:          winner(c, a.PR, b.PR, larger),
		Rev:         max(a.Rev, b.Rev),
		StartedAt:   earlier(a.StartedAt, b.StartedAt),
		Mode:        winner(c, a.Mode, b.Mode, orEmpty),
		Counters:    maxCounters(a.Counters, b.Counters),
		Asked:       max(a.Asked, b.Asked),
		HandedOver:  max(a.HandedOver, b.HandedOver),
		Ledger:      winner(c, a.Ledger, b.Ledger, more),
		Lease:       winner(c, a.Lease, b.Lease, given(compareLeases)),
		Draft:       winner(c, a.Draft, b.Draft, given(compareDrafts)),
		Proof:       winner(c, a.Proof, b.Proof, given(compareProofs)),
		Final:       winner(c, a.Final, b.Final, given(compareFinals)),
		Rebuilt:     winner(c, a.Rebuilt, b.Rebuilt, given(compareRebuilts)),
		Status:      winner(c, a.Status, b.Status, orEmpty),
		Fingerprint: winner(c, a.Fingerprint, b.Fingerprint, orEmpty),
		NextWake:    winner(c, a.NextWake, b.NextWake, earlier),
		Settled:     winner(c, a.Settled, b.Settled, given(compareSettled)),
		Recap:       winner(c, a.Recap, b.Recap, given(compareRecaps)),
		Single:      winner(c, a.Single, b.Single, given(compareSingles)),
		Agent:       winner(c, a.Agent, b.Agent, given(compareAgents)),
		Orders:      winner(c, a.Orders, b.Orders, moreOrders),
		Watch:       winner(c, a.Watch, b.Watch, given(compareWatches)),
		Pass:        winner(c, a.Pass, b.Pass, given(comparePasses)),
		Cleaned:     winner(c, a.Cleaned, b.Cleaned, given(compareCleaned)),
		Quest:       winner(c, a.Quest, b.Quest, moreQuest),
		Landing:     winner(c, a.Landing, b.Landing, given(compareLandings)),
		Imported:    winner(c, a.Imported, b.Imported, given(compareImported)),
		Other:       winner(c, a.Other, b.Other, larger),
	}
	if j.Rebuilt == nil {
		j.Rebuilt = cmp.Or(a.Rebuilt, b.Rebuilt) // it stays known that one was made from history
	}

	j.Heads = unite(c, a.Heads, b.Heads, compareSights,
		func(s Sight) pr.SHA { return s.Head },
		func(_ int, x, y Sight) Sight { return first(compareSights, x, y) }) // the first sight
	type asking struct {
		reviewer pr.Login
		head     pr.SHA
	}
	j.Requests = unite(c, a.Requests, b.Requests, compareRequests,
		func(r Request) asking { return asking{r.Reviewer, r.Head} },
		func(c int, x, y Request) Request {
			r := winner(c, x, y, func(x, y Request) Request { return latest(compareRequests, x, y) })
			r.Tries = max(x.Tries, y.Tries)
			return r
		})
	type handing struct {
		number   int
		head     pr.SHA
		findings string
	}
	j.Handoffs = unite(c, a.Handoffs, b.Handoffs, compareHandoffs,
		func(h Handoff) handing { return handing{h.Number, h.Head, h.Findings} },
		func(c int, x, y Handoff) Handoff {
			return winner(c, x, y, func(x, y Handoff) Handoff { return latest(compareHandoffs, x, y) })
		})
	j.Answers = unite(c, a.Answers, b.Answers, compareAnswers,
		func(x Answer) Answer { return Answer{Finding: x.Finding, Head: x.Head, Number: x.Number} },
		func(c int, x, y Answer) Answer {
			return winner(c, x, y, func(x, y Answer) Answer { return latest(compareAnswers, x, y) })
		})
	type waiting struct {
		what string
		head pr.SHA
	}
	j.Waits = unite(c, a.Waits, b.Waits, compareWaits,
		func(w Wait) waiting { return waiting{w.What, w.Head} },
		func(c int, x, y Wait) Wait {
			return winner(c, x, y, func(x, y Wait) Wait { return first(compareWaits, x, y) })
		})
	j.Told = unite(c, a.Told, b.Told, compareTold,
		func(t Told) Told { return Told{t.Topic, pr.SHA(t.Head.Short())} },
		func(_ int, x, y Told) Told { return latest(compareTold, x, y) }) // the full head, where one has it
	j.Refused = unite(c, a.Refused, b.Refused, compareRefusals,
		func(r Refusal) Refusal { return Refusal{Key: r.Key, Via: r.Via} },
		func(_ int, x, y Refusal) Refusal { return latest(compareRefusals, x, y) })
	key := func(e Entry) effect.Key { return e.Key }
	j.Done = unite(c, a.Done, b.Done, compareEntries, key,
		func(_ int, x, y Entry) Entry { return latest(compareEntries, x, y) })
	j.Pending = unite(c, a.Pending, b.Pending, compareEntries, key,
		func(_ int, x, y Entry) Entry { return latest(compareEntries, x, y) })
	j.Pending = without(j.Pending, func(p Entry) bool {
		return slices.ContainsFunc(j.Done, func(d Entry) bool { return d.Key == p.Key && !d.At.Before(p.At) })
	})
	j.QuotaUntil = uniteQuotas(a.QuotaUntil, b.QuotaUntil)

	j.Asked, j.HandedOver = asked(j), handedOver(j)
	return j
}

func maxCounters(a, b Counters) Counters {
	return Counters{
		FixIterations:            max(a.FixIterations, b.FixIterations),
		PollTicksWithoutReview:   max(a.PollTicksWithoutReview, b.PollTicksWithoutReview),
		PollTicksWithoutActivity: max(a.PollTicksWithoutActivity, b.PollTicksWithoutActivity),
		TicksWithoutProgress:     max(a.TicksWithoutProgress, b.TicksWithoutProgress),
		ReviewIteration:          max(a.ReviewIteration, b.ReviewIteration),
		PushbackRounds:           max(a.PushbackRounds, b.PushbackRounds),
		PollTicksWhileQueued:     max(a.PollTicksWhileQueued, b.PollTicksWhileQueued),
	}
}

// uniteQuotas keeps the later time of each reviewer, sorted by reviewer.
func uniteQuotas(a, b []Quota) []Quota {
	return unite(0, a, b, compareQuotas,
		func(q Quota) pr.Login { return q.Reviewer },
		func(_ int, x, y Quota) Quota { return latest(compareQuotas, x, y) })
}

// unite joins two lists by the key of their rows and sorts the outcome. join
// gets the comparison of the two revisions: c between the lists, 0 within one.
// Apart from c it must not depend on the order of its rows.
func unite[T any, K comparable](c int, a, b []T, compare func(x, y T) int, key func(T) K, join func(c int, x, y T) T) []T {
	var out []T
	at := make(map[K]int, len(a)+len(b))
	enter := func(c int, row T) {
		if i, ok := at[key(row)]; ok {
			out[i] = join(c, out[i], row)
			return
		}
		at[key(row)] = len(out)
		out = append(out, row)
	}
	for _, row := range a {
		enter(0, row)
	}
	if len(b) > 0 {
		for _, row := range unite(0, b, nil, compare, key, join) {
			enter(c, row)
		}
	}
	// Not slices.SortFunc: a copy of it for each kind of row is 100 KB of binary.
	sort.Slice(out, func(i, j int) bool { return compare(out[i], out[j]) < 0 })
	return out
}

// without returns the rows of list that drop does not name, in a list of its
// own; nil where none is left.
func without[T any](list []T, drop func(T) bool) []T {
	var out []T
	for _, row := range list {
		if !drop(row) {
			out = append(out, row)
		}
	}
	return out
}

// winner returns the value of the higher revision: c compares the revisions.
// Where they are equal, tie decides.
func winner[T any](c int, a, b T, tie func(a, b T) T) T {
	switch {
	case c > 0:
		return a
	case c < 0:
		return b
	}
	return tie(a, b)
}

func larger(a, b int) int { return max(a, b) }

// orEmpty is a where both agree, else empty: an unknown digest, which makes
// whoever relies on it look again.
func orEmpty(a, b string) string {
	if a == b {
		return a
	}
	return ""
}

// earlier returns the earlier time; a zero one counts as none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func first[T any](compare func(x, y T) int, x, y T) T  { return slices.MinFunc([]T{x, y}, compare) }
func latest[T any](compare func(x, y T) int, x, y T) T { return slices.MaxFunc([]T{x, y}, compare) }

// given makes a tie between two pointers: any value before none, then the
// larger one.
func given[T any](compare func(x, y T) int) func(a, b *T) *T {
	return func(a, b *T) *T {
		if a == nil || b != nil && compare(*b, *a) > 0 {
			return b
		}
		return a
	}
}

// What follows orders rows: by time, then by everything else, so that equal
// means the same.

func compareSights(x, y Sight) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Head, y.Head))
}

func compareRequests(x, y Request) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Reviewer, y.Reviewer), cmp.Compare(x.Head, y.Head),
		cmp.Compare(x.Tries, y.Tries), cmp.Compare(x.Rung, y.Rung), cmp.Compare(x.Result, y.Result), strings.Compare(x.Via, y.Via))
}

func compareHandoffs(x, y Handoff) int {
	flag := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Number, y.Number), cmp.Compare(x.Head, y.Head), strings.Compare(x.Findings, y.Findings),
		cmp.Compare(x.Extensions, y.Extensions), x.Deadline.Compare(y.Deadline), strings.Compare(x.Reported, y.Reported), strings.Compare(x.Parked, y.Parked), cmp.Compare(flag(x.Narrowed), flag(y.Narrowed)),
		strings.Compare(x.Rest, y.Rest), strings.Compare(x.Next, y.Next), strings.Compare(x.Step, y.Step),
		cmp.Compare(x.Iteration, y.Iteration), cmp.Compare(x.Pushbacks, y.Pushbacks), cmp.Compare(x.Judges, y.Judges),
		cmp.Compare(flag(x.Withdrawn), flag(y.Withdrawn)),
		cmp.Compare(x.Reviewer, y.Reviewer),
		strings.Compare(x.Cause, y.Cause))
}

func compareDrafts(x, y Draft) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID), cmp.Compare(x.Head, y.Head), cmp.Compare(x.Comments, y.Comments), strings.Compare(x.Text, y.Text))
}

func compareWaits(x, y Wait) int {
	return cmp.Or(x.Since.Compare(y.Since), strings.Compare(x.What, y.What), cmp.Compare(x.Head, y.Head),
		x.Until.Compare(y.Until), strings.Compare(x.Then, y.Then), strings.Compare(x.Mark, y.Mark))
}

func compareTold(x, y Told) int {
	return cmp.Or(strings.Compare(x.Topic, y.Topic), cmp.Compare(x.Head, y.Head))
}

func compareAnswers(x, y Answer) int {
	return cmp.Or(cmp.Compare(x.Number, y.Number), strings.Compare(x.Finding, y.Finding), cmp.Compare(x.Head, y.Head), strings.Compare(x.Action, y.Action))
}

func compareRefusals(x, y Refusal) int {
	return cmp.Or(cmp.Compare(x.Key, y.Key), strings.Compare(x.Via, y.Via), strings.Compare(x.Right, y.Right))
}

func compareEntries(x, y Entry) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Key, y.Key), strings.Compare(x.Cause, y.Cause))
}

func compareQuotas(x, y Quota) int {
	return cmp.Or(cmp.Compare(x.Reviewer, y.Reviewer), x.Until.Compare(y.Until))
}

func compareLeases(x, y Lease) int {
	return cmp.Or(x.Until.Compare(y.Until), cmp.Compare(x.Run, y.Run), cmp.Compare(x.Attempt, y.Attempt), cmp.Compare(x.Reaction, y.Reaction))
}

func compareFinals(x, y Final) int {
	return cmp.Or(x.At.Compare(y.At), strings.Compare(x.Reason, y.Reason), cmp.Compare(x.Head, y.Head))
}

func compareProofs(x, y Proven) int {
	shown := func(p Proven) int {
		if p.Shown {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(x.Rev, y.Rev), cmp.Compare(x.Head, y.Head), cmp.Compare(x.Base, y.Base), strings.Compare(x.Digest, y.Digest), cmp.Compare(shown(x), shown(y)))
}

func compareRebuilts(x, y Rebuilt) int {
	return cmp.Or(x.At.Compare(y.At), strings.Compare(x.Why, y.Why))
}
