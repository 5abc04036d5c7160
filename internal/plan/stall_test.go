package plan

import (
	"testing"
	"time"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// stuck is a pull request whose threads cannot be read, which prloop knows.
func stuck(edits ...func(*Input)) Input {
	in := input(known, unknown(pr.FactThreads, ""), edit(reviewed))
	for _, e := range edits {
		e(&in)
	}
	return in
}

// begun is in after the step that met it first.
func begun(in Input) Input {
	p := Decide(in)
	if p.Wait != nil {
		in.Journal.Waits = []journal.Wait{*p.Wait}
	}
	return in
}

// The stall guard counts time and not runs, from the step that met the wait first.
func TestStall(t *testing.T) {
	first := Decide(stuck())
	if first.Code != FactUnknown || first.Wait == nil || first.Entered(stuck().Journal) {
		t.Fatalf("the first step decides %s and waits for %v, want %s with a wait that is not noted yet", first.Code, first.Wait, FactUnknown)
	}
	until := first.Wait.Until // 6 ticks of 5 minutes
	if want := first.Wait.Since.Add(30 * time.Minute); !until.Equal(want) || !first.NextWake.Equal(want) {
		t.Errorf("it ends at %s, and prloop looks at %s, want %s", until, first.NextWake, want)
	}
	for after := time.Second; after < 30*time.Minute; after += 29 * time.Second {
		in := begun(stuck())
		later2(after)(&in)
		if p := Decide(in); p.Code != FactUnknown || !p.Entered(in.Journal) {
			t.Fatalf("%s later it decides %s, and has something to note: %t", after, p.Code, !p.Entered(in.Journal))
		}
	}
	for _, after := range []time.Duration{30 * time.Minute, 72 * time.Hour} {
		in := begun(stuck())
		later2(after)(&in)
		p := Decide(in)
		if p.Code != Stalled || p.Wait == nil || !p.Wait.Since.Equal(first.Wait.Since) {
			t.Errorf("%s later it decides %s by %v, want %s since %s", after, p.Code, p.Wait, Stalled, first.Wait.Since)
		}
		if n := Settle(in.Journal, in, p, nil, in.Snapshot.At).Counters.TicksWithoutProgress; n != int(after/(5*time.Minute)) {
			t.Errorf("%s later ticksWithoutProgress is %d", after, n)
		}
	}
}

// What the fingerprint holds ends the stall; what it does not hold leaves it as
// it is.
func TestWhatIsProgress(t *testing.T) {
	since := Decide(stuck()).Wait.Since
	for _, c := range []struct {
		name string
		do   func(*Input)
		anew bool
	}{
		{"nothing", func(*Input) {}, false},
		{"a new head", edit(func(s *pr.Snapshot) { s.Head = headB }), true},
		{"a review by a reviewer of the loop", notice("Copilot encountered an error."), true},
		{"a comment by one", edit(func(s *pr.Snapshot) {
			s.Comments = append(s.Comments, pr.Comment{ID: "IC_1", Author: copilotActor, Body: "Hm."})
		}), true},
		{"a check that ends otherwise", check("FAILURE"), true},
		{"another fact that is unknown", unknown(pr.FactChecks, ""), true},
		{"a review by somebody else", edit(func(s *pr.Snapshot) {
			s.Reviews = append(s.Reviews, pr.Review{ID: "PRR_9", Author: pr.Actor{Login: "stranger"}, State: pr.Commented, Commit: headA, SubmittedAt: opened, Body: "Nice."})
		}), false},
		{"a comment by somebody else", edit(func(s *pr.Snapshot) {
			s.Comments = append(s.Comments, pr.Comment{ID: "IC_2", Author: pr.Actor{Login: "stranger"}, Body: "Any news?"})
		}), false},
		{"a part of what could not be read in full", threads(3), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := begun(stuck())
			later2(time.Hour)(&in)
			c.do(&in)
			p := Decide(in)
			if p.Code != FactUnknown && p.Code != Stalled {
				t.Fatalf("it decides %s", p.Code)
			}
			if anew := p.Code == FactUnknown && !p.Wait.Since.Equal(since); anew != c.anew {
				t.Errorf("it decides %s, counting from %s; want it to begin anew: %t", p.Code, p.Wait.Since, c.anew)
			}
		})
	}
}

// Where it is not prloop's turn, where it has never acted, and where the
// configuration is unknown, nothing stalls.
func TestNothingStallsOutOfTurn(t *testing.T) {
	people := func(in *Input) {
		known(in)
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, Findings: journal.Mark("PRRT_0"), At: opened}}
	}
	for _, c := range []struct {
		name string
		in   Input
		want Code
	}{
		{"handed over to people", input(edit(reviewed), threads(1), people), HandedOver},
		{"a draft", input(known, edit(func(s *pr.Snapshot) { s.Draft = true })), Draft},
		{"no journal yet", input(unknown(pr.FactThreads, ""), edit(reviewed), edit(func(s *pr.Snapshot) { s.Labels = []string{"prloop"} })), FactUnknown},
		{"the configuration is unknown", input(known, unknown(pr.FactConfig, "")), FactUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := begun(c.in)
			later2(30 * 24 * time.Hour)(&in)
			if p := Decide(in); p.Code != c.want || p.Wait != nil && p.Wait.What == progress {
				t.Errorf("a month later it decides %s and waits for %v, want %s", p.Code, p.Wait, c.want)
			}
		})
	}
}

// No wait sleeps beyond the wall clock, and the outcome goes first.
func TestWallClock(t *testing.T) {
	capped := func(in *Input) {
		known(in)
		in.Settings.WallClockCap = 20 * time.Minute
	}
	waiting := input(capped, edit(requested))
	if p := Decide(waiting); p.Code != WaitingForReview || !p.NextWake.Equal(opened.Add(20*time.Minute)) {
		t.Errorf("it decides %s and looks again at %s, want %s at the end of the wall clock", p.Code, p.NextWake, WaitingForReview)
	}
	later2(10 * time.Minute)(&waiting)
	if p := Decide(waiting); p.Code != WallClockCap {
		t.Errorf("at its end it decides %s, want %s", p.Code, WallClockCap)
	}
	done := input(capped, edit(reviewed))
	later2(time.Hour)(&done)
	if p := Decide(done); p.Code != Converged {
		t.Errorf("what has converged decides %s, want %s", p.Code, Converged)
	}
	never := input(func(in *Input) { in.Settings.WallClockCap = time.Minute })
	if p := Decide(never); p.Code != ReviewRequested {
		t.Errorf("where nothing was begun it decides %s, want %s", p.Code, ReviewRequested)
	}
}
