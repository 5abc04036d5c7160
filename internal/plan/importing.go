package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/journal"
)

// A state file of pr-autopilot can be taken over (design 8; seed 001, "State
// schema"): its counts, its mode, and which findings it declined. What it says of
// waits and of the merge queue is GitHub's to say here. A count is only ever raised:
// nothing that was counted here is forgotten for it.

// Import says what a step does by a state file. wrong says why it is none of this
// pull request's; nothing is done then.
func Import(in Input, st autopilot.State) (p Plan, wrong string) {
	s := newStep(in)
	if s.snap.Found {
		if wrong = s.notOurs(st); wrong != "" {
			return Plan{}, wrong
		}
	}
	return s.decideBy(append(slices.Clip(accounting), row{"R", "a state file of pr-autopilot is there", func(s *step) bool { return s.importState(st) }, nil})), ""
}

// notOurs says why the state is of something else.
func (s *step) notOurs(st autopilot.State) string {
	begun, means := autopilot.Mode(s.in.Journal.Mode), s.in.Settings.Mode
	switch {
	case st.PR != s.snap.Number:
		return fmt.Sprintf("it is of pull request #%d, and this is #%d", st.PR, s.snap.Number)
	case st.Repo != "" && !strings.EqualFold(st.Repo, s.snap.Repo.String()):
		return fmt.Sprintf("it is of the repository %q, and this is %s", st.Repo, s.snap.Repo)
	case st.Version == 1 && means == autopilot.Y:
		return "it is of version 1, which knows Mode X alone, and the configuration means Mode Y"
	case st.Mode != "" && begun != "" && st.Mode != begun:
		return fmt.Sprintf("it was begun in Mode %s, and prloop has begun in Mode %s here", st.Mode, begun)
	}
	return ""
}

func (s *step) importState(st autopilot.State) bool {
	before, errA := journal.Spell(s.in.Journal)
	after, errB := journal.Spell(imported(s.in.Journal, s.in, st))
	if errA == nil && errB == nil && bytes.Equal(before, after) {
		return s.decide(StateImported, "the state of version %d says nothing that is not known here", st.Version)
	}
	s.plan.Import = &st
	return s.decide(StateImported, "the state of version %d is taken over: %s, %s, and %s before", st.Version,
		count(st.FixIterations, "fix", "fixes"), count(st.ReviewIteration, "verdict", "verdicts"), count(len(st.Pushbacks), "finding was declined", "findings were declined"))
}

// imported is the journal with what the state says beyond it.
func imported(j journal.Journal, in Input, st autopilot.State) journal.Journal {
	j.Counters.FixIterations = max(j.Counters.FixIterations, st.FixIterations)
	j.Counters.ReviewIteration = max(j.Counters.ReviewIteration, st.ReviewIteration)
	if j.Mode == "" && st.Mode != "" {
		j.Mode = string(st.Mode) // the drift guard says where the configuration means another
	}
	if at := st.CreatedAt; !at.IsZero() && at.Before(in.Snapshot.At) && (j.StartedAt.IsZero() || at.Before(j.StartedAt)) {
		j.StartedAt = at
	}
	for _, id := range st.Pushbacks {
		mark := journal.Mark(id)
		if !slices.ContainsFunc(j.Answers, func(a journal.Answer) bool { return a.Finding == mark }) {
			j = journal.Answered(j, journal.Answer{Finding: mark, Action: "decline"})
		}
	}
	if st.Mode == autopilot.Y && j.Agent == nil && st.Head != "" {
		j.Agent = &journal.Agent{Base: st.Head} // what came after it is judged
	}
	back := st.Back
	if j.Imported != nil {
		back = max(back, j.Imported.Back)
	}
	if j.Imported == nil || *j.Imported != (journal.Imported{Version: st.Version, Back: back}) {
		j.Imported = &journal.Imported{Version: st.Version, Back: back}
	}
	return j
}
