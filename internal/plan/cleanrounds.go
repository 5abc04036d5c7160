package plan

import (
	"slices"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/round"
)

// cleanInARow is how many of Copilot's newest reviews of the head in a row found
// nothing (cleanRounds). A notice is no review, and ends no row.
func (s *step) cleanInARow() int {
	n := 0
	for i := range slices.Backward(s.facts.Reviews) {
		switch r := &s.facts.Reviews[i]; {
		case r.Kind != facts.Genuine || r.Commit != s.snap.Head:
		case r.Clean && r.Threads == 0:
			n++
		default:
			return n
		}
	}
	return n
}

// severalClean: cleanRounds asks for more than one, and Copilot is one of the
// reviewers of each round, which alone can be asked about a head again.
func (s *step) severalClean() bool {
	return s.in.Settings.CleanRounds > 1 && s.facts.Agent == nil && slices.ContainsFunc(s.facts.Loop, facts.Reviewer.IsCopilot)
}

func (s *step) enoughClean(known bool) round.Answer {
	return round.Of(known, s.cleanInARow() >= int(s.in.Settings.CleanRounds))
}

// anotherClean: that is what is missing, before a second look and a final pass. It
// is the one reason to ask about a head that was reviewed and is clean.
func (s *step) anotherClean() bool {
	missing := s.plan.Converged.Missing
	return len(missing) > 0 && missing[0] == "clean_rounds" &&
		!slices.ContainsFunc(missing[1:], func(m string) bool { return m != "settle" && m != lastOf })
}
