package plan

import (
	"strings"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
)

// A reviewer that is a job of the user's (trigger command, signal report; seed 001,
// codex and claudeSelf): it is asked by a hand-over of the step review, and its
// report is its review of the head. In each round or in the final pass it stands
// beside the others.

// startJob hands the head over to the first of these reviewers whose job is due, one
// in a step. Nothing is decided where none is.
func (s *step) startJob(list []facts.Reviewer, when string) bool {
	for i := range list {
		r := &list[i]
		if r.Trigger != autopilot.Command || !r.Due() {
			continue
		}
		if b := s.in.Settings.Budgets.HandoffsPerPullRequest; s.in.Journal.HandedOver >= b {
			return s.decide(BudgetExhausted, "%d of %d hand-overs of budgets.handoffsPerPullRequest are used", s.in.Journal.HandedOver, b)
		}
		if !Cleared(s.in) {
			return s.decide(ForkHeadNotCleared, "the review by %s is due at %s, which lives in a fork", r.Name, s.snap.Head.Short())
		}
		if !s.acted() && s.in.StartsLeft <= 0 {
			return s.decide(BudgetExhausted, "this run has started as many pull requests as budgets.startsPerRun (%d) allows", s.in.Settings.Budgets.StartsPerRun)
		}
		if s.in.Sweep || s.in.Reporting {
			return s.handoffDue("the review of %s by %s is due for a job", s.snap.Head.Short(), r.Name)
		}
		wait := r.WaitCap
		if wait == 0 {
			wait = handoff.DefaultBudget().For(handoff.Review, 0) + s.in.Settings.HandoffGrace
		}
		s.plan.Handoff = &journal.Handoff{
			Number: s.in.Journal.HandedOver + 1, Head: s.snap.Head, At: s.now, Deadline: s.now.Add(wait),
			Step: facts.StepReview, Reviewer: r.Name,
		}
		return s.decide(CommandReviewDue, "the review of %s by %s is handed over to a job%s", s.snap.Head.Short(), r.Name, when)
	}
	return false
}

// jobFailed stops where the job of a reviewer that is required came to nothing.
func (s *step) jobFailed(r *facts.Reviewer) bool {
	if r.Job.Parked != "" {
		return s.decide(ReviewerBlocked, "the job of %s cannot review %s", r.Name, s.snap.Head.Short())
	}
	return s.decide(NoReport, "%d hand-overs of the review of %s by %s went without a report", r.Asked.Tries, s.snap.Head.Short(), r.Name)
}

// ReviewerOf is the reviewer of the loop whose review the hand-over asks for; empty
// where it asks for something else.
func ReviewerOf(j journal.Journal, number int) string { return j.Given(number).Reviewer }

// scored: a review by this reviewer has to give a score, since its rubric has one.
func scored(name string) bool { return name == "claudeSelf" }

// JobReviewer is the reviewer that the hand-over of p asks, as its brief tells it.
func (p Plan) JobReviewer(set config.Settings) handoff.JobReviewer {
	who := handoff.JobReviewer{Name: p.Handoff.Reviewer, Score: scored(p.Handoff.Reviewer)}
	if who.Score {
		who.RubricFile = set.Reviewers.ClaudeSelf.RubricFile
	}
	return who
}

// takeCommand makes the review of a job out of its report: one comment with what it
// found. Nothing is clean that is not said so: any finding, any ruling that is not
// APPROVE and a score below the threshold object.
func (s *step) takeCommand(asked journal.Handoff, c Claim, v handoff.Verdict) bool {
	r := s.jobOf(asked.Reviewer)
	switch {
	case r == nil:
		return s.decide(ReportStale, "%s reviews by a job no more", asked.Reviewer)
	case asked.Head != s.snap.Head:
		return s.decide(ReportStale, "the review is of %s, and the head is %s now", asked.Head.Short(), s.snap.Head.Short())
	case r.AtHead:
		return s.decide(ReportAccepted, "the review of %s by %s was taken before", s.snap.Head.Short(), r.Name)
	}
	switch v.Next.Kind {
	case handoff.Park:
		s.plan.Account.Park = ReviewerBlocked
		return s.decide(ReviewerBlocked, "the job of %s cannot review %s", r.Name, s.snap.Head.Short())
	case handoff.Extend:
		return s.decide(ReportAccepted, "the review by %s gets %d minutes more", r.Name, v.Next.Minutes)
	case handoff.Nothing, handoff.Narrow:
	}
	said := handoff.JobReview{Reviewer: r.Name, Head: s.snap.Head, Threshold: r.Threshold, Report: c.Report}
	body, clean := said.Comment(s.quote())
	s.plan.Effects = append(s.plan.Effects, effect.Comment{
		Topic: facts.ReviewTopic(r.Name, clean, c.Report.Score), Head: s.snap.Head, Body: body,
	})
	s.plan.Leads = true
	if clean {
		return s.decide(ReportAccepted, "%s reviewed %s, and is content", r.Name, s.snap.Head.Short())
	}
	return s.decide(ReportAccepted, "%s reviewed %s: %s", r.Name, s.snap.Head.Short(), said.Objects())
}

// jobOf is the reviewer of this name, where it reviews by a job.
func (s *step) jobOf(name string) *facts.Reviewer {
	for _, list := range [][]facts.Reviewer{s.facts.Loop, s.facts.Final} {
		for i := range list {
			if list[i].Name == name && list[i].Trigger == autopilot.Command {
				return &list[i]
			}
		}
	}
	return nil
}

// recallReviews notes in j the reviews by jobs that GitHub shows and that an earlier
// run did not live to enter.
func recallReviews(j journal.Journal, in Input) journal.Journal {
	for i := range in.Snapshot.Comments {
		c := &in.Snapshot.Comments[i]
		topic, head, ok := effect.ParseNote(c.Body)
		if _, review := facts.ReadReviewTopic(topic); !ok || !review || !c.Mine {
			continue
		}
		j = journal.Tell(j, journal.Told{Topic: topic, Head: longHead(in, head.Short())})
	}
	return j
}

// isReview: the comment of this topic is a review, which stays.
func isReview(topic string) bool {
	_, ok := facts.ReadReviewTopic(topic)
	return ok || facts.RulingOf(topic) != "" || strings.HasPrefix(topic, answersTopic)
}
