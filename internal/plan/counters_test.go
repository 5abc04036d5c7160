package plan

import (
	"testing"

	"github.com/prloop/prloop/internal/journal"
)

// What the two counters count, and what they do not.
func TestFixIterationsAndPushbackRounds(t *testing.T) {
	handed := func(h journal.Handoff, answers ...string) journal.Journal {
		j := journal.Journal{Handoffs: []journal.Handoff{h}}
		for _, a := range answers {
			j.Answers = append(j.Answers, journal.Answer{Finding: a, Action: a, Head: h.Head, Number: h.Number})
		}
		return j
	}
	fix := journal.Handoff{Number: 3, Head: headA, Iteration: 1, Pushbacks: 2}
	reported := func(status string) journal.Handoff {
		h := fix
		h.Reported = status
		return h
	}
	batch := reported("complete/2")
	batch.Rest = "0a"
	review := journal.Handoff{Number: 4, Head: headB, Step: "review"}
	beside := handed(fix)
	beside.Handoffs = append(beside.Handoffs, review)
	counted := handed(fix)
	counted.Counters = journal.Counters{FixIterations: 4, PushbackRounds: 3}
	for _, c := range []struct {
		name       string
		j          journal.Journal
		fixes      int // at headB, the head after the one that was handed over
		same       int // at headA
		pushedBack int
	}{
		{"nothing was handed over", journal.Journal{}, 0, 0, 0},
		{"handed over, and a new head came", handed(fix), 2, 1, 2},
		{"a fix among the answers", handed(reported("complete/2"), "fix", "decline"), 2, 1, 2},
		{"half a fix is one", handed(reported("complete/2"), "partial", "decline"), 2, 1, 2},
		{"nothing but pushbacks", handed(reported("complete/2"), "decline", "drift"), 1, 1, 3},
		{"a pushback and an escalation", handed(reported("complete/2"), "decline", "escalate"), 1, 1, 3},
		{"escalations alone are no pushback", handed(reported("complete/1"), "escalate"), 2, 1, 2},
		{"the report is partial: the round goes on", handed(reported("partial/1"), "decline"), 2, 1, 2},
		{"the brief had no room for all: the round goes on", handed(batch, "decline", "drift"), 2, 1, 2},
		{"a review is prepared beside it", beside, 2, 1, 2},
		{"a count is never lowered: the journal was rebuilt", counted, 4, 4, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fixIterations(c.j, headB); got != c.fixes {
				t.Errorf("fixIterations after a new head = %d, want %d", got, c.fixes)
			}
			if got := fixIterations(c.j, headA); got != c.same {
				t.Errorf("fixIterations at the same head = %d, want %d", got, c.same)
			}
			if got := pushbackRounds(c.j); got != c.pushedBack {
				t.Errorf("pushbackRounds = %d, want %d", got, c.pushedBack)
			}
		})
	}
}
