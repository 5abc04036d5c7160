package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// The push of a job that was out when the loop was stopped begins nothing anew,
// and is remembered, so that a person's push after it does.
func TestAPersonsPushAfterTheJobsBeginsAnew(t *testing.T) {
	t.Parallel()
	job := journal.Handoff{Number: 1, Head: headB, At: opened.Add(-time.Minute), Deadline: opened.Add(time.Hour)}
	in := input(known, func(in *Input) {
		in.Journal.Orders.Stopped = &journal.Sight{Head: headB, At: opened}
		in.Journal.Final = &journal.Final{Reason: string(StoppedByCommand), Head: headB, At: opened}
		in.Journal.Handoffs = []journal.Handoff{job}
	})
	p := Decide(in)
	if p.Code != StoppedByCommand || p.Final == nil || p.Final.Head != headA {
		t.Fatalf("the job's push: %s, noted as %+v", p.Code, p.Final)
	}
	in.Journal.Final = p.Final
	if p := Decide(in); p.Code != StoppedByCommand || p.Final != nil {
		t.Errorf("the step after it: %s, noted again as %+v", p.Code, p.Final)
	}
	in.Snapshot.Head = headC
	if p := Decide(in); p.Code == StoppedByCommand {
		t.Errorf("a push after the job's: %s (%s)", p.Code, p.Why)
	}
}

// A start that takes a pull request in makes nothing of what was said before it.
func TestWhatWasSaidBeforeTheStartIsOver(t *testing.T) {
	t.Parallel()
	outside := func(in *Input) { in.Settings.Select.Enrol = config.EnrolNone }
	in := input(outside, commands("stop"), commands("start"))
	in.Snapshot.Comments[0].CreatedAt = opened
	p := Decide(in)
	if len(p.Heard) != 1 || p.Heard[0].Word != "start" || p.Code != ReviewRequested {
		t.Fatalf("heard %+v, and it comes to %s", p.Heard, p.Code)
	}
	in.Journal, in.Memory = Enter(in.Journal, in, p), journal.MemoryFound
	if p := Decide(in); len(p.Heard) > 0 || p.Code != ReviewRequested {
		t.Errorf("the step after it heard %+v, and comes to %s", p.Heard, p.Code)
	}
	commands("stop")(&in)
	in.Snapshot.Comments[2].CreatedAt = in.Snapshot.At
	if p := Decide(in); p.Code != StoppedByCommand {
		t.Errorf("a stop after it comes to %s", p.Code)
	}
}

// A budget counts what the same step asks of others. Whom it still allows is
// asked; the next step says why the others are not.
func TestOneStepDoesNotOverdrawABudget(t *testing.T) {
	t.Parallel()
	two := func(in *Input) {
		known(in)
		in.Settings.Reviewers.Copilot.Mode = config.EachIter
		in.Settings.Reviewers.CopilotSwe.Mode = config.ReviewScore
		in.Settings.Reviewers.Codex.Mode, in.Settings.Reviewers.Codex.PostCommentsToPR = config.EachIter, true
	}
	left := func(reviews int) func(*Input) {
		return func(in *Input) { in.Journal.Asked = in.Settings.Budgets.ReviewsPerPullRequest - reviews }
	}
	today := func(reviews int) func(*Input) {
		return func(in *Input) { in.Settings.Budgets.ReviewsPerDay = reviews }
	}
	for _, c := range []struct {
		name  string
		in    Input
		asked int
		want  Code
	}{
		{"all of them", input(two), 3, ReviewRequested},
		{"three are left of the pull request", input(two, left(3)), 3, ReviewRequested},
		{"two are left", input(two, left(2)), 2, ReviewRequested},
		{"one is left", input(two, left(1)), 1, ReviewRequested},
		{"none is left", input(two, left(0)), 0, BudgetExhausted},
		{"two are left of the day", input(two, today(2)), 2, ReviewRequested},
		{"one is left of the day", input(two, today(1)), 1, ReviewRequested},
	} {
		p, n := Decide(c.in), 0
		for _, e := range p.Effects {
			if e.Type() == "request_review" || e.Type() == "mention" {
				n++
			}
		}
		if p.Code != c.want || n != c.asked {
			t.Errorf("%s: %s (%s) asks %d, want %s and %d", c.name, p.Code, p.Why, n, c.want, c.asked)
		}
	}
}

// Each kind of review looks at its own hand-overs: a review that is prepared is no
// newer one than the judging of the agent's commits.
func TestAReviewBesideAnotherIsNoNewerOne(t *testing.T) {
	t.Parallel()
	beside := func(in *Input) {
		in.Journal.Handoffs = append(in.Journal.Handoffs, journal.Handoff{Number: 2, Head: headA, Step: facts.StepReview, At: opened, Deadline: opened.Add(time.Hour)})
		in.Journal.HandedOver = 2
	}
	p := Take(input(known, modeY, byReport, agentAsked(headB), judgesHead(headA), beside), verdicts("b"))
	if p.Code != ReportAccepted {
		t.Errorf("verdicts, with a review prepared since: %s (%s), want %s", p.Code, p.Why, ReportAccepted)
	}
	newer := func(in *Input) {
		beside(in)
		in.Journal.Handoffs[1].Judges = headB
	}
	p = Take(input(known, modeY, byReport, agentAsked(headB), judgesHead(headA), newer), verdicts("b"))
	if p.Code != ReportStale {
		t.Errorf("verdicts, with a newer judging out: %s (%s), want %s", p.Code, p.Why, ReportStale)
	}
	c := Claim{Report: handoff.Report{Handoff: handoff.Ref{PR: 7, Head: headA, Number: 2}, Head: headA, Step: handoff.Review, Status: handoff.Complete}, Diff: &handoff.Push{}}
	in := input(preparing, hubotAsked, known, judgesHead(headA), beside, func(in *Input) {
		in.Journal.Handoffs = append(in.Journal.Handoffs, journal.Handoff{Number: 3, Head: headA, Step: facts.StepReview, Judges: headB, At: opened, Deadline: opened.Add(time.Hour)})
		in.Journal.HandedOver = 3
	})
	if p := Take(in, c); p.Code != ReportAccepted || len(p.Effects) == 0 {
		t.Errorf("a prepared review, with a newer judging out: %s (%s) with %v, want %s", p.Code, p.Why, p.Effects, ReportAccepted)
	}
}

// A prepared review has at most as many comments as a look reads back; the others
// stand in its body.
func TestAPreparedReviewHasItsLimit(t *testing.T) {
	t.Parallel()
	in := input(preparing, hubotAsked, out(1, headA))
	c := Claim{Report: handoff.Report{Handoff: handoff.Ref{PR: 7, Head: headA, Number: 1}, Head: headA, Step: handoff.Review, Status: handoff.Complete}}
	patch := "@@ -0,0 +1,120 @@"
	for i := range 120 {
		patch += "\n+line"
		c.Report.Findings = append(c.Report.Findings, handoff.Found{Path: "a.go", Line: i + 1, Message: fmt.Sprint("Off by ", i)})
	}
	c.Diff = &handoff.Push{Complete: true, Files: []handoff.Changed{{Path: "a.go", Status: "modified", Patch: patch, Additions: 120}}}
	d, ok := Take(in, c).Effects[0].(effect.DraftReview)
	if !ok || len(d.Comments) != mostInline || !strings.Contains(d.Body, `"a.go" line 101 `) || strings.Contains(d.Body, `"a.go" line 100 `) {
		t.Errorf("%d comments, want %d, and the body\n%s", len(d.Comments), mostInline, d.Body)
	}
}

// Nobody but the account sees that a prepared review is no more, so it is not
// waited for without end; a retry has it prepared anew.
func TestAPreparedReviewIsNotWaitedForWithoutEnd(t *testing.T) {
	t.Parallel()
	ready := func(h *journal.Handoff) { h.Reported = "complete" }
	in := input(preparing, hubotAsked, out(1, headA, ready), posted(headA))
	first := Decide(in)
	until := opened.Add(2*time.Minute + 7*24*time.Hour)
	if first.Code != ReviewPrepared || !first.NextWake.Equal(until) {
		t.Fatalf("it comes to %s, and looks again at %s, want %s", first.Code, first.NextWake, until)
	}
	in.Snapshot.At = until.Add(-time.Second)
	if p := Decide(in); p.Code != ReviewPrepared {
		t.Errorf("a second before: %s", p.Code)
	}
	in.Snapshot.At = until
	if p := Decide(in); p.Code != NotSubmitted {
		t.Errorf("then: %s", p.Code)
	}
	in.Settings.ReviewerLoop.WaitCap, in.Snapshot.At = time.Hour, opened.Add(62*time.Minute)
	if p := Decide(in); p.Code != NotSubmitted {
		t.Errorf("by reviewerLoop.waitCap: %s", p.Code)
	}
}

// A comment takes back no request for changes; an approval and a dismissal do.
func TestARequestForChangesStands(t *testing.T) {
	t.Parallel()
	then := func(state pr.ReviewState) func(*Input) {
		return edit(func(s *pr.Snapshot) {
			s.Reviews = append(s.Reviews, pr.Review{ID: "PRR_hubot2", Author: hubot, State: state, Commit: headA, SubmittedAt: opened.Add(7 * time.Minute)})
		})
	}
	for state, want := range map[pr.ReviewState]string{pr.Commented: "CHANGES_REQUESTED", pr.ChangesRequested: "CHANGES_REQUESTED", pr.Approved: ""} {
		in := input(preparing, submitted(pr.ChangesRequested, headA), then(state))
		if got := newStep(in).facts.Reviewer.SubmittedReviewState; got != want {
			t.Errorf("then %s: the review that stands is %q, want %q", state, got, want)
		}
	}
	in := input(preparing, submitted(pr.Dismissed, headA), then(pr.Commented))
	if got := newStep(in).facts.Reviewer.SubmittedReviewState; got != "" {
		t.Errorf("dismissed, then commented: %q", got)
	}
}
