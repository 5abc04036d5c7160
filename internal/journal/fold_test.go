package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// few are so few words that rows of two journals often have the same key.
var few = []string{"", "copilot", string(headA), string(headB)}

func drawTwo(t *rapid.T) (a, b Journal) {
	return made[Journal](few).Draw(t, "a"), made[Journal](few).Draw(t, "b")
}

func TestFoldIsCommutative(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTwo(t)
		if diff := cmp.Diff(Fold(a, b), Fold(b, a)); diff != "" {
			t.Fatalf("Fold(a, b) and Fold(b, a) (-ab +ba):\n%s", diff)
		}
	})
}

func TestFoldIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTwo(t)
		ab := Fold(a, b)
		for name, again := range map[string]Journal{"itself": Fold(ab, ab), "a": Fold(ab, a), "b": Fold(b, ab)} {
			if diff := cmp.Diff(ab, again); diff != "" {
				t.Fatalf("folding %s in again changes something (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestFoldLowersNoCountAndAddsNoneUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTwo(t)
		j := Fold(a, b)
		if want := maxCounters(a.Counters, b.Counters); want != j.Counters {
			t.Fatalf("counters are %+v, want %+v", j.Counters, want)
		}
		if j.Rev != max(a.Rev, b.Rev) {
			t.Fatalf("revision is %d, of %d and %d", j.Rev, a.Rev, b.Rev)
		}
		if least, most := max(a.Asked, b.Asked), max(a.Asked, b.Asked, len(j.Requests)); j.Asked < least || j.Asked > most {
			t.Fatalf("asked is %d, want from %d to %d", j.Asked, least, most)
		}
		if least, most := max(a.HandedOver, b.HandedOver), max(handedOver(a), handedOver(b), len(j.Handoffs)); j.HandedOver < least || j.HandedOver > most {
			t.Fatalf("handed over is %d, want from %d to %d", j.HandedOver, least, most)
		}
		for _, r := range append(a.Requests[:len(a.Requests):len(a.Requests)], b.Requests...) {
			for _, got := range j.Requests {
				if got.Reviewer == r.Reviewer && got.Head == r.Head && got.Tries < r.Tries {
					t.Fatalf("tries are %d, were %d", got.Tries, r.Tries)
				}
			}
		}
	})
}

func TestFoldUnitesLists(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTwo(t)
		j := Fold(a, b)
		rows := func(j Journal) map[any]bool {
			keys := map[any]bool{}
			for _, s := range j.Heads {
				keys[s.Head] = true
			}
			for _, r := range j.Requests {
				keys[[2]string{string(r.Reviewer), string(r.Head)}] = true
			}
			for _, h := range j.Handoffs {
				keys[[3]any{h.Number, h.Head, h.Findings}] = true
			}
			for _, w := range j.Waits {
				keys[[3]string{"wait", w.What, string(w.Head)}] = true
			}
			for _, o := range j.Told {
				keys[Told{o.Topic, pr.SHA(o.Head.Short())}] = true
			}
			for _, e := range append(j.Pending[:len(j.Pending):len(j.Pending)], j.Done...) {
				keys[[2]any{"outbox", e.Key}] = true
			}
			for _, q := range j.QuotaUntil {
				keys[[2]any{"quota", q.Reviewer}] = true
			}
			return keys
		}
		want := rows(a)
		for k := range rows(b) {
			want[k] = true
		}
		if diff := cmp.Diff(want, rows(j)); diff != "" {
			t.Fatalf("keys of the rows (-want +got):\n%s", diff)
		}
	})
}

func TestFold(t *testing.T) {
	t.Parallel()
	base := Journal{PR: 7, Rev: 1}
	with := func(edits ...func(*Journal)) Journal {
		j := base
		for _, edit := range edits {
			edit(&j)
		}
		return j
	}
	rev := func(n int) func(*Journal) { return func(j *Journal) { j.Rev = n } }
	request := func(result effect.RequestResult, minute, tries int) func(*Journal) {
		return func(j *Journal) {
			j.Requests = append(j.Requests, Request{Reviewer: pr.CopilotReviewer, Head: headA, At: at(minute), Result: result, Tries: tries})
		}
	}
	wait := func(since int) func(*Journal) {
		return func(j *Journal) { j.Waits = []Wait{{"ci", headA, at(since), at(60), "ci_timeout", ""}} }
	}
	for _, row := range []struct {
		name       string
		a, b, want Journal
	}{
		{
			"the higher revision wins, the number of tries stays the higher one",
			with(rev(3), request(effect.Landed, 1, 1)), with(rev(2), request(effect.Dropped, 9, 4)),
			with(rev(3), request(effect.Landed, 1, 4), func(j *Journal) { j.Asked = 1 }),
		},
		{
			"of two first revisions the later request wins",
			with(request(effect.Landed, 1, 1)), with(request(effect.Dropped, 2, 1)),
			with(request(effect.Dropped, 2, 1), func(j *Journal) { j.Asked = 0 }),
		},
		{
			"of two first revisions the earlier wait goes on",
			with(wait(5)), with(wait(3)), with(wait(3)),
		},
		{
			"a wait that the higher revision began again stands as it is there",
			with(wait(3)), with(rev(2), wait(5)), with(rev(2), wait(5)),
		},
		{
			"the count is the higher one and no sum (C081)",
			with(func(j *Journal) { j.Asked, j.HandedOver, j.Counters.FixIterations = 2, 1, 1 }),
			with(func(j *Journal) { j.Asked, j.HandedOver, j.Counters.FixIterations = 1, 3, 1 }),
			with(func(j *Journal) { j.Asked, j.HandedOver, j.Counters.FixIterations = 2, 3, 1 }),
		},
		{
			"two hand-overs under one number are two",
			with(func(j *Journal) {
				j.HandedOver, j.Handoffs = 1, []Handoff{{Number: 1, Head: headA, Findings: "0a", At: at(1)}}
			}),
			with(func(j *Journal) {
				j.HandedOver, j.Handoffs = 1, []Handoff{{Number: 1, Head: headA, Findings: "0b", At: at(2)}}
			}),
			with(func(j *Journal) {
				j.HandedOver, j.Handoffs = 2, []Handoff{{Number: 1, Head: headA, Findings: "0a", At: at(1)}, {Number: 1, Head: headA, Findings: "0b", At: at(2)}}
			}),
		},
		{
			"what one of them carried out is not pending",
			with(func(j *Journal) { j.Pending = []Entry{{"ready@1f0c9a2", at(1), ""}, {"hide:x", at(1), ""}} }),
			with(func(j *Journal) { j.Done = []Entry{{"ready@1f0c9a2", at(1), ""}} }),
			with(func(j *Journal) {
				j.Pending, j.Done = []Entry{{"hide:x", at(1), ""}}, []Entry{{"ready@1f0c9a2", at(1), ""}}
			}),
		},
		{
			"what was begun again after it was done is pending",
			with(func(j *Journal) { j.Pending = []Entry{{"status:9c56cc5", at(4), ""}} }),
			with(func(j *Journal) { j.Done = []Entry{{"status:9c56cc5", at(1), ""}} }),
			with(func(j *Journal) {
				j.Pending, j.Done = []Entry{{"status:9c56cc5", at(4), ""}}, []Entry{{"status:9c56cc5", at(1), ""}}
			}),
		},
		{
			"the first sight, the first start, the later quota, the earlier wake, and no digest that only one of them knows",
			with(func(j *Journal) {
				j.Heads, j.StartedAt, j.NextWake = []Sight{{headA, at(2)}}, at(2), at(9)
				j.QuotaUntil, j.Status, j.Fingerprint = []Quota{{pr.CopilotReviewer, at(5)}}, "9c56cc5", "ba7816b"
			}),
			with(func(j *Journal) {
				j.Heads, j.StartedAt, j.NextWake = []Sight{{headA, at(1)}}, at(1), at(8)
				j.QuotaUntil, j.Status, j.Fingerprint = []Quota{{pr.CopilotReviewer, at(6)}}, "9c56cc5", "2cf24db"
			}),
			with(func(j *Journal) {
				j.Heads, j.StartedAt, j.NextWake = []Sight{{headA, at(1)}}, at(1), at(8)
				j.QuotaUntil, j.Status = []Quota{{pr.CopilotReviewer, at(6)}}, "9c56cc5"
			}),
		},
		{
			"a final record that the higher revision took back stays gone",
			with(func(j *Journal) { j.Final = &Final{"converged", headA, at(1)} }), with(rev(2)), with(rev(2)),
		},
		{
			"a final record of one of two first revisions stays",
			with(func(j *Journal) { j.Final = &Final{"converged", headA, at(1)} }), base,
			with(func(j *Journal) { j.Final = &Final{"converged", headA, at(1)} }),
		},
		{
			"the proof is that of the higher revision",
			with(func(j *Journal) { j.Proof = &Proven{headA, headC, 1, "sha256:0a", false} }),
			with(rev(2), func(j *Journal) { j.Proof = &Proven{headB, headC, 2, "sha256:0b", false} }),
			with(rev(2), func(j *Journal) { j.Proof = &Proven{headB, headC, 2, "sha256:0b", false} }),
		},
		{
			"that it was rebuilt stays known",
			with(func(j *Journal) { j.Rebuilt = &Rebuilt{"edited", at(1)} }), with(rev(2)),
			with(rev(2), func(j *Journal) { j.Rebuilt = &Rebuilt{"edited", at(1)} }),
		},
		{
			"a comment is told once, and its full head is kept",
			with(func(j *Journal) { j.Told = []Told{{"converged", "1f0c9a2"}} }),
			with(func(j *Journal) { j.Told = []Told{{"converged", headA}} }),
			with(func(j *Journal) { j.Told = []Told{{"converged", headA}} }),
		},
	} {
		if diff := cmp.Diff(row.want, Fold(row.a, row.b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}
