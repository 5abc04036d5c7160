package plan

import (
	"slices"

	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
)

// ownPushRed stops where checks fail on what our own fixer pushed (seed 001, step
// 5): it is no wait, and goes before open feedback and before the caps (design 1).
// ci.red is about the red checks of others; of our own push no further fix is
// built on a broken one. A job that has passed on this head before is another
// matter, if ci.rerunFlaky is set: then it did not fail by the push.
//
// In Mode Y it is the agent's push, once that was judged (seed 001, Y.4.5), and
// nobody else's on top of it (autopilot D22).
func ownPushRed(s *step) bool {
	ci, set := s.facts.CI, s.in.Settings
	if a := s.facts.Agent; a != nil {
		pushed := s.in.Journal.Agent != nil && s.in.Journal.Agent.Pushed == s.snap.Head
		if !set.RequireCI || len(ci.Failing) == 0 || !pushed || a.AtHead == nil || a.AtHead.Person || set.CI.RerunFlaky && len(ci.Flaky) > 0 {
			return false
		}
		return s.decide(AgentRed, "%s failed on %s, which the coding agent pushed", names(ci.Failing), s.snap.Head.Short())
	}
	if !set.RequireCI || len(ci.Failing) == 0 || set.CI.RerunFlaky && len(ci.Flaky) > 0 || !s.pushedByUs() {
		return false
	}
	return s.decide(OwnPushFailed, "%s failed on %s, which a fixer's report claims", names(ci.Failing), s.snap.Head.Short())
}

// pushedByUs: an accepted report claims fixes in this head, which came after the
// one that was handed over.
func (s *step) pushedByUs() bool {
	return slices.ContainsFunc(s.in.Journal.Answers, func(a journal.Answer) bool {
		if a.Head != s.snap.Head || handoff.Action(a.Action) != handoff.FixIt && handoff.Action(a.Action) != handoff.Partial {
			return false
		}
		return slices.ContainsFunc(s.in.Journal.Handoffs, func(h journal.Handoff) bool { return h.Number == a.Number && h.Head != a.Head })
	})
}
