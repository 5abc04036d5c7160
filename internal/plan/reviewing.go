package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/conductor"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/reviewer"
)

// reviewing says what a step does while the reviewer loop has control (seed
// 004, priorities 10 and 11), by its states, in the order in which a review
// passes through them. Each row decides.
var reviewing = []struct {
	state reviewer.State
	says  string
	then  func(*step) bool
}{
	{reviewer.ReviewRequested, "a review is asked for: hand it over", (*step).handOverReview},
	{reviewer.DetermineReviewPlan, "a job prepares it: wait for its report", (*step).reviewWait},
	{reviewer.ReviewsRunning, "the job asked for more time: wait for its report", (*step).reviewWait},
	{reviewer.DraftReviewPosted, "it is prepared: tell its author", (*step).prepared},
	{reviewer.WaitingForUserSubmit, "its author knows: wait", (*step).prepared},
	{reviewer.ReviewInvalidated, "it is of an older head: discard it", (*step).discard},
	{reviewer.SubmittedReview, "it was submitted: its threads are work for the fixer", (*step).followUp},
}

// reviewerLoop is the step of the reviewer loop, where the conductor gives it
// control or where its block stops the loop (priority 6).
func reviewerLoop(s *step) bool {
	if s.plan.Routing.StopReason == conductor.ReviewerBlocked {
		h := s.newestReview()
		return s.decide(ReviewerBlocked, "hand-over %d of a review for %s ended without one that can be submitted", h.Number, s.reviewerLogin())
	}
	if s.plan.Routing.RoutingOutcome != conductor.HandoffToReviewerLoop {
		return false
	}
	for _, row := range reviewing {
		if row.state == s.plan.Reviewer.State {
			return row.then(s)
		}
	}
	// merge_results and draft_review_ready are passed through within one step.
	return s.decide(FactUnknown, "the reviewer loop is in the state %s, in which no step begins", s.plan.Reviewer.State)
}

// reviewerWaits holds the Copilot loop back where the conductor says so: its
// weak states yield to a submitted review that still wants something (seed 004,
// priority 14). What the Copilot loop itself waits for is told by its own rows.
func reviewerWaits(s *step) bool {
	if s.plan.Routing.RoutingOutcome != conductor.ContinueCurrentWait ||
		slices.Contains([]copilot.State{copilot.WaitingForCopilotReview, copilot.WaitingForCI}, s.plan.Copilot.State) {
		return false
	}
	if s.plan.Reviewer.State == reviewer.WaitingForReRequest {
		return s.decide(WaitingForReRequest, "%s asked for changes, and the head has moved since", s.reviewerLogin())
	}
	return s.decide(WaitingForFollowup, "%s asked for changes at %s", s.reviewerLogin(), s.snap.Head.Short())
}

func (s *step) reviewerLogin() pr.Login { return pr.Login(s.facts.Reviewer.ReviewerLogin) }

// newestReview is the newest hand-over of a review that is prepared.
func (s *step) newestReview() journal.Handoff {
	var newest journal.Handoff
	for _, h := range s.in.Journal.Handoffs {
		if h.Prepares() {
			newest = h
		}
	}
	return newest
}

func (s *step) handOverReview() bool {
	if !s.in.UserToken {
		return s.decide(MissingRight, "a review by %s cannot be prepared: there is no user-token of that account", s.reviewerLogin())
	}
	if b := s.in.Settings.Budgets.HandoffsPerPullRequest; s.in.Journal.HandedOver >= b {
		return s.decide(BudgetExhausted, "%d of %d hand-overs of budgets.handoffsPerPullRequest are used", s.in.Journal.HandedOver, b)
	}
	if s.in.Sweep || s.in.Reporting {
		return s.handoffDue("a review of %s by %s is due for a job", s.snap.Head.Short(), s.reviewerLogin())
	}
	s.plan.Handoff = &journal.Handoff{
		Number:   s.in.Journal.HandedOver + 1,
		Head:     s.snap.Head,
		At:       s.now,
		Deadline: s.now.Add(handoff.DefaultBudget().For(handoff.Review, 0) + s.in.Settings.HandoffGrace),
		Step:     facts.StepReview,
	}
	return s.decide(ReviewDue, "a review of %s by %s is asked for, and its preparation is handed over", s.snap.Head.Short(), s.reviewerLogin())
}

// Angles are what the runs of the review look for that p hands over, in their
// order; none where it hands over something else.
func (p Plan) Angles(set config.Settings) []string {
	if p.Handoff == nil || !p.Handoff.Prepares() {
		return nil
	}
	var names []string
	for _, run := range reviewer.PlanReview(set.ReviewerLoop.Angles, 0).Runs {
		names = append(names, string(run.Angle))
	}
	return names
}

// reviewWait waits for the report of the job that prepares the review. A job
// that does not report is started once more, and then no more (design 5).
func (s *step) reviewWait() bool {
	newest, tries := s.newestReview(), 0
	for _, h := range s.in.Journal.Handoffs {
		if h.Head == s.snap.Head && h.Prepares() {
			tries++
		}
	}
	if s.now.Before(newest.Deadline) && newest.Number != s.retried().Redo {
		s.waitFor("review_job", newest.At, newest.Deadline, NoReport)
		return s.decide(Reviewing, "a job prepares the review of %s by %s", s.snap.Head.Short(), s.reviewerLogin())
	}
	if tries < 2+s.retried().Jobs {
		return s.handOverReview()
	}
	return s.decide(NoReport, "%d hand-overs of the review of %s went without a report", tries, s.snap.Head.Short())
}

// prepared: a person has to submit it. The comment that tells of it comes with
// the reason code, once for each head. That the account deleted it nobody else
// sees, so the wait has an end; a retry looks at it with the account's own token.
func (s *step) prepared() bool {
	d := s.in.Journal.Draft
	until := d.At.Add(s.in.Settings.ReviewerLoop.SubmitWait())
	if !s.now.Before(until) {
		return s.decide(NotSubmitted, "a review of %s was prepared for %s at %s, and it was not submitted", s.snap.Head.Short(), s.reviewerLogin(), clock(d.At))
	}
	s.waitFor("submission", d.At, until, NotSubmitted)
	return s.decide(ReviewPrepared, "a review of %s is prepared, and %s alone sees it and can submit it", s.snap.Head.Short(), s.reviewerLogin())
}

// discard deletes the review of the older head. Where one is still asked for,
// the next is handed over at once.
func (s *step) discard() bool {
	d := s.in.Journal.Draft
	s.plan.Effects = append(s.plan.Effects, effect.DiscardReview{
		ReviewID: d.ID, Login: s.reviewerLogin(), Head: d.Head, Comments: d.Comments, Text: d.Text,
	})
	if s.facts.Reviewer.ReviewRequested {
		return s.handOverReview()
	}
	s.plan.Leads = true
	return s.decide(ReviewInvalidated, "the prepared review is of %s, and the head is %s", d.Head.Short(), s.snap.Head.Short())
}

// followUp hands the threads of the submitted review over, like all others that
// await us.
func (s *step) followUp() bool {
	if limit := threadLimit(s); limit {
		return true
	}
	return s.handOver(s.marks(), false)
}

// takeReview makes the pending review out of a report of the step review: what
// was found, each thing once, where GitHub can show it.
func (s *step) takeReview(c Claim, v handoff.Verdict) bool {
	number := c.Report.Handoff.Number
	switch h := s.newestReview(); {
	case h.Parked != "":
		return s.decide(ReviewerBlocked, "the report on hand-over %d was taken before, and no review came of it", number)
	case h.Reported == string(handoff.Complete):
		return s.decide(ReportAccepted, "the report on hand-over %d was taken before", number)
	case !s.facts.Reviewer.ReviewRequested:
		return s.decide(ReportStale, "no review by %s is asked for any more", s.reviewerLogin())
	}
	switch v.Next.Kind {
	case handoff.Park:
		s.plan.Account.Park = ReviewerBlocked
		return s.decide(ReviewerBlocked, "the job that prepares the review of %s cannot go on", s.snap.Head.Short())
	case handoff.Extend:
		return s.decide(ReportAccepted, "the review gets %d minutes more", v.Next.Minutes)
	case handoff.Nothing, handoff.Narrow:
	}
	merged := reviewer.Merge(found(c.Report.Findings), c.Diff.Shows)
	e := effect.DraftReview{Login: s.reviewerLogin(), Head: s.snap.Head, Handoff: number, Body: s.summary(merged)}
	// More than mostInline stand in the body: a look reads so many back.
	if more := merged.Inline[min(len(merged.Inline), mostInline):]; len(more) > 0 {
		merged.Summary = append(slices.Clip(merged.Summary), more...)
		merged.Inline = merged.Inline[:mostInline]
		e.Body = s.summary(merged)
	}
	for _, f := range merged.Inline {
		e.Comments = append(e.Comments, effect.DraftComment{Path: f.Path, Line: f.Line, Body: s.says(f)})
	}
	s.plan.Effects = append(s.plan.Effects, e)
	n := len(merged.Inline) + len(merged.Summary)
	return s.decide(ReportAccepted, "the review of %s is prepared with %s", s.snap.Head.Short(), count(n, "finding", "findings"))
}

// mostInline is how many comments a prepared review has at most.
const mostInline = 100

func found(list []handoff.Found) []reviewer.Finding {
	out := make([]reviewer.Finding, len(list))
	for i, f := range list {
		out[i] = reviewer.Finding{Path: f.Path, Line: f.Line, Message: f.Message, Severity: reviewer.Severity(f.Severity), Angle: reviewer.Angle(f.Angle)}
	}
	return out
}

// says is a finding as its comment has it. The message is the job's text.
func (s *step) says(f reviewer.Finding) string {
	about := string(f.Severity)
	if slices.Contains(reviewer.Angles(), f.Angle) {
		about += ", " + string(f.Angle)
	}
	return fmt.Sprintf("**%s**: %s", about, s.quote().Text(f.Message))
}

// summary is the body of the review.
func (s *step) summary(m reviewer.Merged) string {
	lines := []string{"Prepared by prloop. Nobody but you sees this review until you submit it; change or delete whatever is wrong."}
	if len(m.Inline)+len(m.Summary) == 0 {
		lines = append(lines, "Nothing was found.")
	}
	for _, f := range m.Summary {
		place := ""
		if f.Path != "" {
			place = s.quote().Code(f.Path) + " "
		}
		if f.Path != "" && f.Line > 0 {
			place += fmt.Sprintf("line %d ", f.Line)
		}
		lines = append(lines, place+s.says(f))
	}
	return strings.Join(lines, "\n\n")
}

// quote never passes a text on as it is.
func (s *step) quote() handoff.Quoting {
	q := s.in.Quote
	if q.Text == nil {
		q.Text = func(t string) string { return fmt.Sprintf("%q", t) }
	}
	if q.Code == nil {
		q.Code = func(t string) string { return fmt.Sprintf("%q", t) }
	}
	return q
}
