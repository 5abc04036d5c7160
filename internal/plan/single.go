package plan

import (
	"slices"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
)

// goSingle puts the step into single-iteration mode where that holds, and feeds
// the machine that no review is asked for (design 4). It is sticky: the journal
// keeps it from the hand-over on, over new heads too, until a review came after
// all or the configuration says off.
func (s *step) goSingle() {
	mode, noted := s.in.Settings.SingleIteration, s.in.Journal.Single
	status, review := s.facts.Copilot.CopilotReviewRequestStatus, s.facts.AtHead
	switch {
	case mode == config.SingleOff:
		return
	case status == copilot.Requested, status == copilot.AlreadyRequested:
		s.mute = mode == config.SingleOn || noted != nil
		return // one that is on its way is waited for, whoever asked
	case review != nil && (noted == nil || review.SubmittedAt.After(noted.At)):
		return
	case mode == config.SingleOn:
	case noted != nil:
		if !s.refusedReview() && s.spokeAgain() {
			s.anew = true // the review may be had by now: it is asked for again
			return
		}
	case !s.refusedReview() || len(s.facts.Awaiting) == 0:
		return
	}
	s.single, s.mute = true, true
	s.facts.Copilot.CopilotReviewRequestStatus = copilot.NotRequested
	s.plan.Facts = s.facts
}

// owed: beside Copilot, which alone goes unasked, another required reviewer of each
// round can review the head and has not. It is asked and waited for as ever (design
// 4: single iteration is about the review that cannot be had). Where Copilot is no
// reviewer the configuration means all of them (singleIteration: on).
func (s *step) owed() bool {
	return slices.ContainsFunc(s.facts.Loop, facts.Reviewer.IsCopilot) && slices.ContainsFunc(s.facts.Loop, func(r facts.Reviewer) bool {
		return !r.IsCopilot() && r.Required && !r.AtHead && (r.Due() || r.Waits())
	})
}

// refusedReview: the review of the head cannot be had, as the answer to our own
// request said. A quota, or a request that was dropped, is no such answer.
func (s *step) refusedReview() bool {
	if s.facts.Request.Status != copilot.Unavailable {
		return false
	}
	r := s.requestAtHead().Result
	return r == effect.Forbidden || r == effect.NotAvailable
}

// spokeAgain: a person has spoken in a thread that awaits us, after its one
// iteration was handed over.
func (s *step) spokeAgain() bool {
	noted := s.in.Journal.Single
	open := map[string]bool{}
	for _, f := range s.facts.Awaiting {
		open[f.Thread] = f.Thread != ""
	}
	trusts := facts.Trusts(s.in.Settings)
	for i := range s.snap.Threads {
		t := &s.snap.Threads[i]
		if !open[t.ID] || len(t.Comments) == 0 {
			continue
		}
		if c := &t.Comments[len(t.Comments)-1]; !c.Author.Bot && !c.Mine && trusts(c) && c.CreatedAt.After(noted.At) {
			return true
		}
	}
	return false
}

// once holds single-iteration mode to one iteration: what awaits us at a later
// head was handed over before, or is a reviewer's answer to the fix. A person
// who speaks arms it anew.
func once(s *step) bool {
	noted := s.in.Journal.Single
	if !s.single || noted == nil || noted.Head == s.snap.Head || len(s.facts.Awaiting) == 0 {
		return false
	}
	if _, out := s.out(); out || s.spokeAgain() {
		return false
	}
	return s.decide(SingleIncomplete, "the threads of %s were worked off once, and %s open", noted.Head.Short(), count(len(s.facts.Awaiting), "finding is", "findings are"))
}
