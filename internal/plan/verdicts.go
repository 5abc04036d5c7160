package plan

import (
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// judgesOut: a job judges the head already, or did not report twice. It is asked
// before anything is read: what the rubric pauses was never handed over.
func (s *step) judgesOut() bool {
	newest, tries := s.judging()
	switch {
	case newest.Parked != "":
		return s.decide(FixerParked, "the job that judges %s cannot go on", s.snap.Head.Short())
	case tries > 0 && s.now.Before(newest.Deadline) && newest.Number != s.retried().Redo:
		s.waitFor("verdicts", newest.At, newest.Deadline, NoReport)
		return s.decide(WaitingForVerdicts, "a job judges the commits at %s", s.snap.Head.Short())
	case tries >= 2+s.retried().Jobs:
		return s.decide(NoReport, "%d hand-overs of the judging of %s went without a report", tries, s.snap.Head.Short())
	}
	return false
}

// judging is the newest hand-over of the head's judging, and how many there were.
func (s *step) judging() (newest journal.Handoff, tries int) {
	for _, h := range s.in.Journal.Handoffs {
		if h.Judges != "" && h.Head == s.snap.Head {
			newest = h
			tries++
		}
	}
	return newest, tries
}

// handOverVerdicts hands the judging of the head over, once, and once more where
// no report came (design 5, copilotSwe.judge: report).
func (s *step) handOverVerdicts(p *AgentPush) bool {
	if b := s.in.Settings.Budgets.HandoffsPerPullRequest; s.in.Journal.HandedOver >= b {
		return s.decide(BudgetExhausted, "%d of %d hand-overs of budgets.handoffsPerPullRequest are used", s.in.Journal.HandedOver, b)
	}
	if s.in.Sweep || s.in.Reporting {
		return s.handoffDue("the judging of %s is due for a job", s.snap.Head.Short())
	}
	s.plan.Handoff = &journal.Handoff{
		Number:   s.in.Journal.HandedOver + 1,
		Head:     s.snap.Head,
		At:       s.now,
		Deadline: s.now.Add(handoff.DefaultBudget().For(handoff.Review, 0) + s.in.Settings.HandoffGrace),
		Step:     facts.StepReview,
		Judges:   p.Base,
	}
	return s.decide(VerdictsDue, "the coding agent's commits since %s are handed over to be judged", p.Base.Short())
}

// Judges is the head since which the commits are to be judged that the report's
// hand-over is about; empty where a review is prepared.
func Judges(j journal.Journal, number int) pr.SHA {
	for _, h := range j.Handoffs {
		if h.Number == number {
			return h.Judges
		}
	}
	return ""
}

// takeVerdicts gives the verdict by a report of the step review: of each hunk the
// graver ruling counts, the report's or the rubric's.
func (s *step) takeVerdicts(asked journal.Handoff, c Claim, v handoff.Verdict) bool {
	a, number := s.facts.Agent, c.Report.Handoff.Number
	switch {
	case a == nil:
		return s.decide(ReportStale, "hand-over %d is of Mode Y, and this is Mode X now", number)
	case asked.Head != s.snap.Head:
		return s.decide(ReportStale, "the verdicts are of %s, and the head is %s now", asked.Head.Short(), s.snap.Head.Short())
	case a.AtHead != nil:
		return s.decide(ReportAccepted, "the verdict on %s was given before", s.snap.Head.Short())
	}
	switch v.Next.Kind {
	case handoff.Park:
		s.plan.Account.Park = FixerParked
		return s.decide(FixerParked, "the job that judges %s cannot go on", s.snap.Head.Short())
	case handoff.Extend:
		return s.decide(ReportAccepted, "the judging of %s gets %d minutes more", s.snap.Head.Short(), v.Next.Minutes)
	case handoff.Nothing, handoff.Narrow:
	}
	hunks := handoff.Combine(handoff.JudgeAgent(*c.Diff, handoff.Limits{}), c.Report.Verdicts)
	return s.verdict(hunks, false, ReportAccepted)
}

// rubricAlone: no report stood behind the verdict on the head.
func (s *step) rubricAlone() bool {
	a := s.facts.Agent
	return a != nil && a.AtHead != nil && a.AtHead.Rubric
}
