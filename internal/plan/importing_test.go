package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
)

var aState = autopilot.State{Version: 4, PR: 7, Repo: "Octo-Org/demo", Mode: autopilot.X, FixIterations: 3, ReviewIteration: 2, Back: 1, Pushbacks: []string{"PRRT_0"}, CreatedAt: opened.Add(-time.Hour)}

// A state raises counts and never lowers one, and taken twice it changes nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	in := input()
	p, wrong := Import(in, aState)
	if wrong != "" || p.Code != StateImported || !p.Acts() || p.Entered(in.Journal) {
		t.Fatalf("wrong %q, %s (%s)", wrong, p.Code, p.Why)
	}
	j := Enter(in.Journal, in, p)
	j.Quest = nil
	want := journal.Journal{
		StartedAt: opened.Add(-time.Hour), Mode: "X", Counters: journal.Counters{FixIterations: 3, ReviewIteration: 2},
		Answers: []journal.Answer{{Finding: journal.Mark("PRRT_0"), Action: "decline"}}, Imported: &journal.Imported{Version: 4, Back: 1},
	}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	in.Journal, in.Memory = Enter(in.Journal, in, p), journal.MemoryFound
	in.Journal.PR, in.Journal.Rev = 7, 1
	if p, _ := Import(in, aState); p.Code != StateImported || p.Acts() {
		t.Errorf("taken twice: %s (%s), acts %t", p.Code, p.Why, p.Acts())
	}
	lower := aState
	lower.FixIterations, lower.ReviewIteration, lower.Back, lower.CreatedAt = 1, 0, 0, opened.Add(time.Minute)
	p, _ = Import(in, lower)
	if after := Enter(in.Journal, in, p); after.Counters != in.Journal.Counters || !after.StartedAt.Equal(in.Journal.StartedAt) || after.Imported.Back != 1 {
		t.Errorf("an older state lowers %+v to %+v", in.Journal.Counters, after.Counters)
	}
}

// What was counted before counts: the caps hold over both.
func TestWhatWasImportedCounts(t *testing.T) {
	t.Parallel()
	state := aState
	state.FixIterations = 5
	in := input(known, counted(journal.Counters{}), threads(1))
	in.Snapshot.Reviews = input(func(in *Input) { reviewed(in.Snapshot) }).Snapshot.Reviews
	p, _ := Import(in, state)
	in.Journal = Enter(in.Journal, in, p)
	if p := Decide(in); p.Code != FixIterationCap {
		t.Errorf("five fixes before: %s (%s)", p.Code, p.Why)
	}
	y := aState
	y.Mode, y.Back, y.Head = autopilot.Y, 5, headB
	in = input(known, modeY)
	p, wrong := Import(in, y)
	in.Journal = Enter(in.Journal, in, p)
	if wrong != "" || in.Journal.Agent == nil || in.Journal.Agent.Base != headB {
		t.Errorf("wrong %q, commits are judged since %+v, want %s", wrong, in.Journal.Agent, headB.Short())
	}
	judgedAt(headA, facts.SentBack)(&in)
	if p := Decide(in); p.Code != AgentPushbackCap {
		t.Errorf("five verdicts that went back before: %s (%s)", p.Code, p.Why)
	}
	// It was begun in a mode, which the drift guard holds to (D20).
	x := aState
	in = input(known, modeY)
	p, wrong = Import(in, x)
	in.Journal = Enter(in.Journal, in, p)
	if p := Decide(in); wrong != "" || p.Code != ModeDrift {
		t.Errorf("wrong %q, %s (%s)", wrong, p.Code, p.Why)
	}
}

func TestWhatIsNotImported(t *testing.T) {
	t.Parallel()
	with := func(f func(*autopilot.State)) autopilot.State {
		st := aState
		f(&st)
		return st
	}
	for _, c := range []struct {
		in    Input
		state autopilot.State
		wrong string
	}{
		{input(), with(func(s *autopilot.State) { s.PR = 8 }), "it is of pull request #8, and this is #7"},
		{input(), with(func(s *autopilot.State) { s.Repo = "a/b" }), `it is of the repository "a/b"`},
		{input(modeY), with(func(s *autopilot.State) { s.Version = 1 }), "version 1, which knows Mode X alone"},
		{input(known, func(in *Input) { in.Journal.Mode = "Y" }), aState, "begun in Mode X, and prloop has begun in Mode Y"},
	} {
		if p, wrong := Import(c.in, c.state); !strings.Contains(wrong, c.wrong) || p.Acts() {
			t.Errorf("wrong %q, want %q; it acts: %t", wrong, c.wrong, p.Acts())
		}
	}
	for want, in := range map[Code]Input{
		LiveOwner:        input(known, func(in *Input) { in.Journal.Lease = &journal.Lease{Run: 9, Until: opened.Add(time.Hour)} }),
		Paused:           input(func(in *Input) { in.Paused = true }),
		StoppedByCommand: input(known, func(in *Input) { in.Journal.Orders.Stopped = &journal.Sight{Head: headA, At: opened} }),
	} {
		if p, wrong := Import(in, aState); wrong != "" || p.Code != want || p.Import != nil {
			t.Errorf("wrong %q, %s (%s), want %s", wrong, p.Code, p.Why, want)
		}
	}
}
