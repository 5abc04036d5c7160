package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// What prloop left is begun anew by a person, and by nothing else (design 7).
func TestWhatIsLeftStaysLeft(t *testing.T) {
	left := func(at time.Duration) func(*Input) {
		return func(in *Input) {
			known(in)
			in.Journal.Final = &journal.Final{Reason: journal.Left, Head: headA, At: opened.Add(at)}
		}
	}
	closed := func(in *Input) { in.Record.Left = opened.Add(time.Minute) }
	started := func(at time.Duration) func(*Input) {
		return func(in *Input) { in.Journal.Orders.Started = &journal.Sight{Head: headA, At: opened.Add(at)} }
	}
	pushed := func(in *Input) { in.Journal.Final.Head = headB }
	tests := []struct {
		why  string
		in   Input
		left bool
	}{
		{"by its own final record", input(left(time.Minute)), true},
		{"a new head begins it anew, where no record says that prloop left", input(left(time.Minute), pushed), false},
		{"the push of a job that was out does not", input(left(time.Minute), pushed, func(in *Input) {
			in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headB, At: opened, Deadline: opened.Add(time.Hour), Withdrawn: true}}
		}), true},
		{"a reopening does", input(left(time.Minute), edit(func(s *pr.Snapshot) {
			s.Events = append(s.Events, pr.Event{Kind: pr.Reopened, At: opened.Add(2 * time.Minute)})
		})), false},
		{"with the record a new head does not", input(left(time.Minute), pushed, closed), true},
		{"the record holds what has no journal", input(closed), true},
		{"and what a run of leave did not come to", input(known, closed), true},
		{"a person's start takes it in again", input(left(time.Minute), closed, started(2*time.Minute)), false},
		{"a start from before does not", input(left(2*time.Minute), closed, started(time.Minute)), true},
		{"leave ends what was started since the record was closed", input(known, closed, started(2*time.Minute), func(in *Input) { in.Leaving = true }), true},
		{"what is merged is over already", input(known, closed, edit(func(s *pr.Snapshot) { s.State = pr.Merged })), false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			p := Decide(tt.in)
			if got := p.Code == Left; got != tt.left {
				t.Errorf("Decide = %s (%s), left %t, want %t", p.Code, p.Why, got, tt.left)
			}
			if p.Code == Left && (len(p.Effects) > 0 || p.Handoff != nil) {
				t.Errorf("it begins something: %v", p.Effects)
			}
		})
	}
}

// Leaving takes back what is out, and what begins anew counts from there.
func TestLeavingWithdrawsHandovers(t *testing.T) {
	in := input(known, edit(reviewed), func(in *Input) {
		in.Leaving = true
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, At: opened, Deadline: opened.Add(time.Hour)}}
		in.Journal.HandedOver = 1
		in.Journal.Waits = []journal.Wait{{What: "handoff", Head: headA}}
		in.Journal.Orders.Paused = opened
	})
	p := Decide(in)
	j := Settle(in.Journal, in, p, nil, in.Snapshot.At)
	if j.Final == nil || j.Final.Reason != journal.Left {
		t.Fatalf("the final record is %+v", j.Final)
	}
	want := []journal.Handoff{{Number: 1, Head: headA, At: opened, Deadline: opened.Add(time.Hour), Withdrawn: true}}
	if diff := cmp.Diff(want, j.Handoffs); diff != "" {
		t.Errorf("hand-overs (-want +got):\n%s", diff)
	}
	if len(j.Waits) > 0 || !j.Orders.Paused.IsZero() || j.Orders.Zero.Rounds != 1 {
		t.Errorf("what begins anew finds waits %v, orders %+v", j.Waits, j.Orders)
	}
	in.Journal = j
	if again := Decide(in); again.Code != Left || again.Final != nil || again.Acts() {
		t.Errorf("a second time it does %+v", again)
	}
}
