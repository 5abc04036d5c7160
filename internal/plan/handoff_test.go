package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

func marked(ids ...string) string { return strings.Join(marksOf(ids), " ") }

// atWork is hand-over 1 of the first two of three findings at headA, with 45
// minutes for its job.
func atWork(edits ...func(*journal.Handoff)) func(*Input) {
	return func(in *Input) {
		edit(reviewed)(in)
		threads(3)(in)
		known(in)
		in.Settings.Fixer = config.Job
		h := journal.Handoff{
			Number: 1, Head: headA, At: opened, Deadline: opened.Add(45 * time.Minute),
			Findings: marked("PRRT_0", "PRRT_1"), Rest: marked("PRRT_2"),
		}
		for _, edit := range edits {
			edit(&h)
		}
		in.Journal.Handoffs, in.Journal.HandedOver = []journal.Handoff{h}, 1
	}
}

func resolved(ids ...int) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		for _, i := range ids {
			s.Threads[i].Resolved = true
		}
	})
}

// What is handed over while a hand-over is out, and after it.
func TestWhatFollowsAHandOver(t *testing.T) {
	moved := edit(func(s *pr.Snapshot) { s.Head = headB })
	reported := func(h *journal.Handoff) { h.Reported = string(handoff.Complete) + "/2" }
	second := func(in *Input) {
		in.Journal.Handoffs = append(in.Journal.Handoffs, journal.Handoff{
			Number: 2, Head: headA, At: opened, Deadline: opened.Add(5 * time.Minute), Findings: marked("PRRT_2"),
		})
	}
	tests := []struct {
		says string
		in   Input
		code Code
		want string // marks
		rest string
	}{
		{"a job is at work, and what it had no room for waits", input(atWork()), HandedOver, "", ""},
		{"its push is no new work", input(atWork(), moved), HandedOver, "", ""},
		{"a finding of which it knows nothing is", input(atWork(func(h *journal.Handoff) { h.Rest = "" })), FeedbackOpen, marked("PRRT_0", "PRRT_1", "PRRT_2"), ""},
		{"its time is over", input(atWork(), later2(time.Hour)), FeedbackOpen, marked("PRRT_0", "PRRT_1", "PRRT_2"), ""},
		{"its time is over at another head", input(atWork(), moved, later2(time.Hour)), FeedbackOpen, marked("PRRT_0", "PRRT_1", "PRRT_2"), ""},
		{"it is answered, so the rest follows", input(atWork(reported), resolved(0, 1)), FeedbackOpen, marked("PRRT_2"), ""},
		{"it is answered in part, and its job may be at work still", input(atWork(reported), resolved(0)), HandedOver, "", ""},
		{"it is answered after a push: what is open goes out", input(atWork(reported), moved, resolved(0, 1)), FeedbackOpen, marked("PRRT_2"), ""},
		{"half of what was left over is next", input(atWork(func(h *journal.Handoff) {
			h.Reported, h.Next = "partial/1", marked("PRRT_1")+"@"+string(headA)
		}), resolved(0)), FeedbackOpen, marked("PRRT_1"), marked("PRRT_2")},
		{"but not once it was dealt with", input(atWork(func(h *journal.Handoff) {
			h.Reported, h.Next = "partial/1", marked("PRRT_1")+"@"+string(headA)
		}), resolved(0, 1)), FeedbackOpen, marked("PRRT_2"), ""},
		{"the run of a report leaves it to the next one", input(atWork(reported), resolved(0, 1), func(in *Input) { in.Reporting = true }), HandoffDue, "", ""},
		{"one that follows has two tries of its own", input(atWork(reported), resolved(0, 1), second), FeedbackOpen, marked("PRRT_2"), ""},
		{"and no third", input(atWork(reported), resolved(0, 1), second, second), NoReport, "", ""},
		{"people see all there is, and nothing follows", input(atWork(), resolved(0, 1), func(in *Input) { in.Settings.Fixer = config.People }), HandedOver, "", ""},
	}
	for _, tt := range tests {
		p := Decide(tt.in)
		var h journal.Handoff
		if p.Handoff != nil {
			h = *p.Handoff
		}
		if p.Code != tt.code {
			t.Errorf("%s: %s (%s), want %s", tt.says, p.Code, p.Why, tt.code)
		}
		if diff := cmp.Diff([2]string{tt.want, tt.rest}, [2]string{h.Findings, h.Rest}); diff != "" {
			t.Errorf("%s: handed over and left (-want +got):\n%s", tt.says, diff)
		}
	}
}

// A hand-over shrinks to what fits, and its job gets the time for that.
func TestFitting(t *testing.T) {
	in := input(edit(reviewed), threads(12), func(in *Input) { in.Settings.Fixer = config.Job })
	p := Decide(in)
	if len(p.Handed()) != 12 || len(p.Given()) != 12 {
		t.Fatalf("%d findings are handed over (%s)", len(p.Handed()), p.Why)
	}
	same := p.Fitting(in, []string{"PRRT_0", "PRRT_1", "PRRT_2", "PRRT_3", "PRRT_4", "PRRT_5", "PRRT_6", "PRRT_7", "PRRT_8", "PRRT_9", "PRRT_10", "PRRT_11"})
	if diff := cmp.Diff(p.Handoff, same.Handoff); diff != "" || same.Why != p.Why {
		t.Errorf("all of them fit, and yet (-want +got):\n%s", diff)
	}
	some := p.Fitting(in, []string{"PRRT_0", "PRRT_7"})
	if len(some.Handed()) != 2 || len(some.Given()) != 12 || len(p.Handed()) != 12 {
		t.Errorf("%d of %d are handed over, want 2 of 12", len(some.Handed()), len(some.Given()))
	}
	if got := p.Handoff.Deadline.Sub(some.Handoff.Deadline); got != 10*time.Minute {
		t.Errorf("its deadline is %s earlier, want two waves of five minutes", got)
	}
	if !strings.Contains(some.Why, "no room for 10 more") {
		t.Errorf("it does not say what was left out: %s", some.Why)
	}
}
