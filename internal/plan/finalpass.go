package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// The final pass (seed 001, step 9a; autopilot D11): once nothing else is missing
// for convergence, the reviewers of the phase final-only are asked about the head,
// over as many runs as it takes. It is of that head alone: a new one cancels it,
// and is reviewed in rounds first. An objection parks; silence is no answer, and
// no answer is not a pass.

// lastOf is the name of the condition that the final pass is.
const lastOf = "final_pass"

// hasPass reports whether there is a final pass. Mode Y has none (seed 001), nor
// has single iteration, where nobody is asked.
func (s *step) hasPass() bool { return len(s.facts.Final) > 0 && !s.single }

// agreed: every reviewer of the final pass agrees, or is not required and has
// let its time go by.
func (s *step) agreed(known bool) round.Answer {
	all := true
	for i := range s.facts.Final {
		r := &s.facts.Final[i]
		all = all && (s.agrees(r) || !r.Required && s.passedOver(r))
	}
	return round.Of(known, all)
}

// agrees: it reviewed the head, and what it found is dealt with. Its threads are
// a condition of their own.
func (s *step) agrees(r *facts.Reviewer) bool {
	return r.AtHead && !s.awaited(r) && len(r.Findings) == 0
}

// awaited: a review of it is on its way.
func (s *step) awaited(r *facts.Reviewer) bool { return r.Waits() && s.now.Before(s.passUntil(r)) }

// passUntil is until when it is waited for. A retry gives it the same time again.
func (s *step) passUntil(r *facts.Reviewer) time.Time {
	if at := s.retried().At; at.After(r.Since) && r.Trigger != autopilot.Command {
		return at.Add(r.WaitCap)
	}
	return r.Until
}

// passedOver: it is not required, and has no review to give.
func (s *step) passedOver(r *facts.Reviewer) bool {
	return !r.AtHead && !s.awaited(r) && (!s.passDue(r) || s.withoutQuota(r))
}

// passDue: it is to be asked about the head now.
func (s *step) passDue(r *facts.Reviewer) bool {
	return r.Due() || r.IsCopilot() && !r.AtHead && r.Status == copilot.NotRequested
}

func (s *step) withoutQuota(r *facts.Reviewer) bool {
	n := s.facts.NoticeAtHead
	return r.IsCopilot() && (n != nil && n.Kind == facts.NothingToReview ||
		s.now.Before(later(s.facts.QuotaUntil, s.in.Record.QuotaUntil(pr.CopilotReviewer))))
}

// finalPass takes the step of the final pass, where that is all that is missing.
func (s *step) finalPass() bool {
	if !slices.Equal(s.plan.Converged.Missing, []string{lastOf}) {
		return false
	}
	if p := s.in.Journal.Pass; p == nil || p.Head != s.snap.Head {
		s.plan.Pass = &journal.Pass{Head: s.snap.Head, At: s.now}
	}
	return s.objection() || s.askFinal() || s.waitForFinal()
}

// finalThreads stops where a reviewer of the final pass opened threads that await
// us: an objection is a person's to weigh, and no work for the fixer (design 6,
// "disagreement parks"), until a person lets it go on.
func finalThreads(s *step) bool {
	if !s.facts.Pass || !s.hasPass() || s.retried().Through {
		return false
	}
	return s.objection()
}

// objection decides where one of the reviewers disagrees, and names all who do.
func (s *step) objection() bool {
	var who []string
	open := 0
	for i := range s.facts.Final {
		r := &s.facts.Final[i]
		n := len(r.Findings)
		if !r.AtHead {
			n = 0
		}
		for k := range s.snap.Threads {
			if t := &s.snap.Threads[k]; !t.Resolved && r.Opened(t) && slices.ContainsFunc(s.facts.Awaiting, func(f facts.Finding) bool { return f.Thread == t.ID }) {
				n++
			}
		}
		if n > 0 {
			who = append(who, display(r))
			open += n
		}
	}
	if open == 0 {
		return false
	}
	return s.decide(FinalPassDisagrees, "%s found something at %s in the final pass, and %s open", strings.Join(who, " and "), s.snap.Head.Short(), count(open, "finding is", "findings are"))
}

// askFinal asks all who are due.
func (s *step) askFinal() bool {
	var named []string
	for i := range s.facts.Final {
		r := &s.facts.Final[i]
		if r.IsCopilot() || r.Trigger != autopilot.Mention || !r.Due() {
			continue
		}
		if s.budgetSpent(r.Login()) {
			return true
		}
		s.count(r.Login())
		s.plan.Effects = append(s.plan.Effects, effect.Mention{Reviewer: r.Login(), Head: s.snap.Head, Try: r.Asked.Tries + 1, Body: r.Mention})
		named = append(named, display(r))
	}
	for i := range s.facts.Final {
		r := &s.facts.Final[i]
		if !r.IsCopilot() || !s.passDue(r) || !r.Required && s.withoutQuota(r) || s.blockedFinal(r) {
			continue
		}
		switch asked := s.askCopilot(); {
		case asked && s.plan.Code == ReviewRequested:
			named = append(named, display(r))
		case len(named) == 0: // why it is not asked; where others are, the next step says that
			return asked
		}
	}
	if job := s.startJob(s.facts.Final, " in the final pass"); job && (s.plan.Handoff != nil || len(named) == 0) {
		return true
	}
	if len(named) == 0 {
		return false
	}
	return s.decide(FinalPassAsked, "all else is there at %s, and %s asked in the final pass", s.snap.Head.Short(), isOrAre(named))
}

// blockedFinal: Copilot answered twice with an error, so that it is asked no more.
func (s *step) blockedFinal(*facts.Reviewer) bool { return s.facts.ErrorsAtHead >= mostErrors }

// mostErrors is how many error notices at one head stop (design 3).
const mostErrors = 2

func isOrAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, " and ") + " are"
}

// waitForFinal waits for the answer that is due first, and says what else stands
// between. Who is not required is waited for no longer than its time.
func (s *step) waitForFinal() bool {
	var first, over, lacks *facts.Reviewer
	for i := range s.facts.Final {
		r := &s.facts.Final[i]
		switch {
		case s.awaited(r):
			if first == nil || s.passUntil(r).Before(s.passUntil(first)) {
				first = r
			}
		case s.agrees(r) || !r.Required:
		case r.Waits():
			over = r
		default:
			lacks = r
		}
	}
	switch {
	case lacks != nil:
		return s.cannotPass(lacks)
	case over != nil && over.IsCopilot():
		return s.copilotSilent(over.Since, s.passUntil(over), inFinalPass)
	case over != nil:
		return s.silent(over)
	}
	if first.Trigger == autopilot.Command {
		s.waitFor("job_review", first.Since, first.Until, NoReport)
		return s.decide(CommandReviewOut, "a job reviews %s as %s in the final pass", s.snap.Head.Short(), first.Name)
	}
	s.waitFor("final_pass", first.Since, s.passUntil(first), FinalPassSilent)
	return s.decide(FinalPass, "%s is waited for at %s since %s", display(first), s.snap.Head.Short(), clock(first.Since))
}

// cannotPass: a required reviewer of the final pass cannot be had, or was asked
// as often as may be.
func (s *step) cannotPass(r *facts.Reviewer) bool {
	switch {
	case r.Trigger == autopilot.Command:
		return s.jobFailed(r)
	case r.IsCopilot() && s.blockedFinal(r):
		return s.decide(ReviewErrors, "%d error notices are all that Copilot answered for %s", s.facts.ErrorsAtHead, s.snap.Head.Short())
	case r.Status == copilot.RequestFailed:
		return s.decide(RequestFailed, "the request for %s failed: %s: %s", s.snap.Head.Short(), display(r), r.Why)
	case r.Status == copilot.Unavailable && r.Notice != nil:
		return s.decide(ReviewerRefuses, "%s: %s", r.Name, r.Why)
	case r.Status == copilot.Unavailable:
		return s.decide(ReviewUnavailable, "%s: %s", display(r), r.Why)
	}
	return s.silent(r)
}

// silent: no answer came in time, which is not a pass.
func (s *step) silent(r *facts.Reviewer) bool {
	s.spent("final_pass", r.Since, r.Until, FinalPassSilent)
	since := r.Since
	if since.IsZero() {
		since = r.Asked.At
	}
	return s.decide(FinalPassSilent, "%s was waited for at %s since %s, and gave no answer in its time", display(r), s.snap.Head.Short(), clock(since))
}

// A turn is what a wait for Copilot's review is part of.
type turn struct {
	wait    string // its name in the journal
	code    Code   // while it lasts
	over    Code   // and after it
	nothing string // what did not come
}

var (
	inARound    = turn{"copilot_review", WaitingForReview, ReviewWaitCap, "no review of %[2]s came within its time"}
	inFinalPass = turn{"final_pass", FinalPass, FinalPassSilent, "no review of %[2]s came within its time, which is no pass"}
)

// copilotSilent: Copilot's time is over. Once before the stop, its own work events
// are read.
func (s *step) copilotSilent(since, until time.Time, t turn) bool {
	if !s.snap.WorkRead {
		s.plan.Needs = append(s.plan.Needs, pr.FactWork)
		return s.decide(FactUnknown, "Copilot's work events were not read yet")
	}
	if longest := until.Add(s.in.Settings.ReviewWait()); s.working(since) && s.now.Before(longest) {
		s.waitFor(t.wait, since, longest, t.over)
		return s.decide(t.code, "Copilot was asked at %s and is at work", clock(since))
	}
	s.spent(t.wait, since, until, t.over)
	if n := s.facts.NoticeAtHead; n != nil && (n.Kind == facts.UnknownLayout || n.Kind == facts.StillReviewing) {
		return s.decide(LayoutUnknown, "the review of %s has a form that prloop does not know, and no thread", s.snap.Head.Short())
	}
	return s.decide(t.over, "Copilot was asked at %[1]s, and "+t.nothing, clock(since), s.snap.Head.Short())
}

// agreeing says what the reviewers of the final pass came to, for the reason of a
// head that has converged; empty where there was none.
func (s *step) agreeing() string {
	if !s.hasPass() {
		return ""
	}
	var agree, found []string
	for i := range s.facts.Final {
		switch r := &s.facts.Final[i]; {
		case !s.agrees(r):
		case r.Threads > 0 || !r.Content:
			found = append(found, display(r))
		default:
			agree = append(agree, display(r))
		}
	}
	says := ""
	if len(agree) > 0 {
		says = "; " + strings.Join(agree, " and ") + " found nothing in the final pass"
	}
	if len(found) > 0 {
		says += "; what " + strings.Join(found, " and ") + " found in the final pass is dealt with"
	}
	return says
}
