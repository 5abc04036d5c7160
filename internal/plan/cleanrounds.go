package plan

import (
	"slices"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
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

// anotherClean: a review that finds nothing is what is missing, before a second look
// and a final pass. It is the one reason to ask about a head that was reviewed and
// on which nothing is open.
func (s *step) anotherClean() bool {
	missing := s.plan.Converged.Missing
	switch {
	case len(missing) == 0, !slices.ContainsFunc(s.facts.Loop, facts.Reviewer.IsCopilot):
		return false
	case missing[0] != "clean_rounds" && missing[0] != "no_new_comments":
		return false
	}
	return !slices.ContainsFunc(missing[1:], func(m string) bool { return m != "clean_rounds" && m != "settle" && m != lastOf })
}

func (s *step) literal() bool { return s.in.Settings.Convergence == config.Literal }

// nothingNew, anyAwaits and triggered are what seed 003 asks in its own words
// (convergence: literal). Of other reviewers than Copilot being content counts.
func (s *step) nothingNew() bool {
	if a := s.facts.Agent; a != nil {
		return a.AtHead != nil && !s.facts.Copilot.CopilotBodyFeedbackUnresolved
	}
	for i := range s.facts.Loop {
		r := &s.facts.Loop[i]
		if clean := r.Content && (!r.IsCopilot() || s.facts.AtHead.Threads == 0) && (r.IsCopilot() || r.Threads == 0); r.Required && !clean {
			return false
		}
	}
	return len(s.facts.Loop) > 0
}

// anyAwaits: in an open thread the last word is not ours.
func (s *step) anyAwaits() bool {
	ours := facts.Ours(facts.Input{Snapshot: s.snap, Journal: s.in.Journal, Settings: s.in.Settings})
	return slices.ContainsFunc(s.snap.Threads, func(t pr.Thread) bool {
		return !t.Resolved && (len(t.Comments) == 0 || !ours(&t.Comments[len(t.Comments)-1]))
	})
}

// triggered: a review of the pull request was asked for once, by whomever, and no
// notice that stands where it should asks for another try.
func (s *step) triggered() bool {
	if s.facts.NoticeAtHead != nil {
		return false
	}
	return s.in.Journal.Asked > 0 || slices.ContainsFunc(s.snap.Events, func(e pr.Event) bool { return e.Kind == pr.ReviewRequested })
}
