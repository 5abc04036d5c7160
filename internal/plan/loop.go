package plan

import (
	"strings"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
)

// What several reviewers of each round add to the rows of the order. With
// Copilot alone nothing here decides.

// display is the name of a reviewer for people.
func display(r *facts.Reviewer) string {
	if r.IsCopilot() {
		return "Copilot"
	}
	return r.Name
}

// reviewers are the names of those who had to review the head.
func (s *step) reviewers() string {
	switch {
	case s.facts.Agent != nil && s.facts.Agent.AtHead != nil && s.facts.Agent.AtHead.Person:
		return "a person"
	case s.rubricAlone():
		return "prloop's rubric"
	case s.facts.Agent != nil:
		return "the judging job"
	}
	var list []string
	for i := range s.facts.Loop {
		if r := &s.facts.Loop[i]; r.Required {
			list = append(list, display(r))
		}
	}
	if len(list) == 0 {
		return "Copilot"
	}
	return strings.Join(list, " and ")
}

// stands is why the review cannot be had, in the words of the first reviewer
// that is required and stands so.
func (s *step) stands(status copilot.RequestStatus) string {
	if r := s.first(status); r != nil {
		return r.Name + ": " + r.Why
	}
	return s.facts.Request.Why
}

// first is the first reviewer beside Copilot that is required and stands so; nil
// where none does.
func (s *step) first(status copilot.RequestStatus) *facts.Reviewer {
	for i := range s.facts.Loop {
		if r := &s.facts.Loop[i]; !r.IsCopilot() && r.Required && r.Status == status {
			return r
		}
	}
	return nil
}

// due: the machine wants a review to be asked for. Where one reviewer's review
// is on its way the others are asked all the same, if the machine would ask
// without that one.
func (s *step) due() bool {
	if asks(s.plan.Copilot) || s.anotherClean() {
		return true
	}
	if s.plan.Copilot.State != copilot.WaitingForCopilotReview {
		return false
	}
	for i := range s.facts.Loop {
		if r := &s.facts.Loop[i]; r.Due() && (!r.IsCopilot() || !s.mute) {
			without := s.facts.Copilot
			without.CopilotReviewRequestStatus = copilot.NotRequested
			return asks(copilot.Interpret(without, machine(s.in.Settings, s.snap)))
		}
	}
	return false
}

func asks(r copilot.Result) bool {
	return r.State == copilot.PRReadyNoFeedback || r.State == copilot.ReadyToRerequestReview && r.AutoRerequestEligible
}

// mentions asks the reviewers that are asked by a comment, and returns their
// names. Where a budget is spent it decides, or leaves the others to the step
// after the one that asks those it still allows.
func (s *step) mentions() (named []string, decided bool) {
	for i := range s.facts.Loop {
		r := &s.facts.Loop[i]
		if r.Trigger != autopilot.Mention || !r.Due() {
			continue
		}
		if s.budgetSpent(r.Login()) {
			return named, len(named) == 0
		}
		if s.recordable() {
			s.plan.Effects = append(s.plan.Effects, effect.Record{PR: s.snap.Number, Head: s.snap.Head, Reviewer: r.Login(), Day: s.day()})
		}
		s.plan.Effects = append(s.plan.Effects, effect.Mention{
			Reviewer: r.Login(), Head: s.snap.Head, Try: r.Asked.Tries + 1, Body: r.Mention,
		})
		named = append(named, r.Name)
	}
	return named, false
}

// soonest is the reviewer whose wait ends first; nil where nobody's is known.
func (s *step) soonest() *facts.Reviewer {
	var first *facts.Reviewer
	for i := range s.facts.Loop {
		if r := &s.facts.Loop[i]; r.Waits() && (first == nil || r.Until.Before(first.Until)) {
			first = r
		}
	}
	return first
}

// waitForOther waits for the review of a reviewer other than Copilot.
func (s *step) waitForOther(r *facts.Reviewer) bool {
	if r.Trigger == autopilot.Command {
		s.waitFor("job_review", r.Since, r.Until, NoReport)
		return s.decide(CommandReviewOut, "a job reviews %s as %s", s.snap.Head.Short(), r.Name)
	}
	if s.now.Before(r.Until) {
		s.waitFor("review", r.Since, r.Until, ReviewWaitCap)
		return s.decide(WaitingForReview, "the review of %s by %s is waited for since %s: %s", s.snap.Head.Short(), display(r), clock(r.Since), r.Why)
	}
	s.spent("review", r.Since, r.Until, ReviewWaitCap)
	lacks := "no review of it"
	if r.Silent {
		lacks = "no " + string(r.Signal) + " of it"
	}
	return s.decide(ReviewWaitCap, "%s was waited for at %s since %s, and %s came within its time", display(r), s.snap.Head.Short(), clock(r.Since), lacks)
}
