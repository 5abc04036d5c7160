package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/conductor"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/reviewer"
)

// preparing: hubot's reviews are prepared.
func preparing(in *Input) { in.Settings.ReviewerLoop.Login = "hubot" }

var hubot = pr.Actor{Login: "hubot"}

func hubotAsked(in *Input) { in.Snapshot.Requests = append(in.Snapshot.Requests, hubot) }

func submitted(state pr.ReviewState, commit pr.SHA) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Reviews = append(s.Reviews, pr.Review{ID: "PRR_hubot", Author: hubot, State: state, Commit: commit, SubmittedAt: opened.Add(6 * time.Minute)})
	})
}

// out is a hand-over of the review at a head, made in the first minute.
func out(number int, head pr.SHA, edits ...func(*journal.Handoff)) func(*Input) {
	return func(in *Input) {
		known(in)
		h := journal.Handoff{Number: number, Head: head, At: opened.Add(time.Minute), Deadline: opened.Add(time.Hour), Step: facts.StepReview}
		for _, e := range edits {
			e(&h)
		}
		in.Journal.Handoffs = append(in.Journal.Handoffs, h)
		in.Journal.HandedOver = number
	}
}

func posted(head pr.SHA) func(*Input) {
	return func(in *Input) {
		in.Journal.Draft = &journal.Draft{ID: "PRR_draft", Head: head, At: opened.Add(2 * time.Minute), Comments: 1}
	}
}

// Each state of the reviewer loop that a step can meet has one thing to do.
func TestReviewing(t *testing.T) {
	reported := func(h *journal.Handoff) { h.Reported = "complete" }
	past := func(h *journal.Handoff) { h.Deadline = opened.Add(10 * time.Minute) }
	hubotsThread := edit(func(s *pr.Snapshot) {
		s.Threads = append(s.Threads, pr.Thread{ID: "PRRT_h", Path: "a.go", Line: 3, Comments: []pr.ThreadComment{{ID: "PRRC_h", Author: hubot, Trusted: true, Body: "Off by one.", CreatedAt: opened}}})
	})
	discard := []effect.Effect{effect.DiscardReview{ReviewID: "PRR_draft", Login: "hubot", Head: headB, Comments: 1}}
	tests := []struct {
		name    string
		in      Input
		state   reviewer.State
		want    Code
		effects []effect.Effect
		number  int // of the hand-over
	}{
		{"asked", input(preparing, hubotAsked), reviewer.ReviewRequested, ReviewDue, nil, 1},
		{"asked, after another hand-over", input(preparing, hubotAsked, known, func(in *Input) { in.Journal.HandedOver = 3 }), reviewer.ReviewRequested, ReviewDue, nil, 4},
		{"asked, in a sweep", input(preparing, hubotAsked, func(in *Input) { in.Sweep = true }), reviewer.ReviewRequested, HandoffDue, nil, 0},
		{"asked, without a token of the account", input(preparing, hubotAsked, func(in *Input) { in.UserToken = false }), reviewer.ReviewRequested, MissingRight, nil, 0},
		{"asked, and the budget is spent", input(preparing, hubotAsked, known, func(in *Input) { in.Journal.HandedOver = 10 }), reviewer.ReviewRequested, BudgetExhausted, nil, 0},
		{"handed over", input(preparing, hubotAsked, out(1, headA)), reviewer.DetermineReviewPlan, Reviewing, nil, 0},
		{"handed over for an older head", input(preparing, hubotAsked, out(1, headB)), reviewer.ReviewRequested, ReviewDue, nil, 2},
		{"more time was hubotAsked for", input(preparing, hubotAsked, out(1, headA, func(h *journal.Handoff) { h.Reported = "partial/0a1b2c3d" })), reviewer.ReviewsRunning, Reviewing, nil, 0},
		{"no report in time", input(preparing, hubotAsked, out(1, headA, past)), reviewer.DetermineReviewPlan, ReviewDue, nil, 2},
		{"no report in time, twice", input(preparing, hubotAsked, out(1, headA, past), func(in *Input) { in.Journal.Handoffs = append(in.Journal.Handoffs, in.Journal.Handoffs[0]) }), reviewer.DetermineReviewPlan, NoReport, nil, 0},
		{"the job is blocked", input(preparing, hubotAsked, out(1, headA, func(h *journal.Handoff) { h.Parked = "reviewer_blocked@" + string(headA) })), reviewer.BlockedNeedsUserDecision, ReviewerBlocked, nil, 0},
		{"it was blocked at an older head", input(preparing, hubotAsked, out(1, headB, func(h *journal.Handoff) { h.Parked = "reviewer_blocked@" + string(headB) })), reviewer.ReviewRequested, ReviewDue, nil, 2},
		{"nobody asks any more", input(preparing, out(1, headA)), reviewer.WaitingForReviewRequest, ReviewRequested, nil, 0},
		{"asked again after it wanted changes", input(preparing, hubotAsked, known, submitted(pr.ChangesRequested, headB)), reviewer.ReviewRequested, ReviewDue, nil, 1},
		{"and handed over", input(preparing, hubotAsked, submitted(pr.ChangesRequested, headB), out(2, headA, func(h *journal.Handoff) { h.At = opened.Add(7 * time.Minute) })), reviewer.DetermineReviewPlan, Reviewing, nil, 0},
		{"prepared", input(preparing, hubotAsked, out(1, headA, reported), posted(headA)), reviewer.DraftReviewPosted, ReviewPrepared, nil, 0},
		{"prepared, and told", input(preparing, hubotAsked, out(1, headA, reported), posted(headA), func(in *Input) {
			in.Journal.Told = []journal.Told{{Topic: string(ReviewPrepared), Head: headA}}
		}), reviewer.WaitingForUserSubmit, ReviewPrepared, nil, 0},
		{"the head moved, and it is still hubotAsked for", input(preparing, hubotAsked, out(1, headB, reported), posted(headB)), reviewer.ReviewInvalidated, ReviewDue, discard, 2},
		{"the head moved, and nobody asks any more", input(preparing, out(1, headB, reported), posted(headB)), reviewer.ReviewInvalidated, ReviewInvalidated, discard, 0},
		{"submitted, with a thread", input(preparing, out(1, headA, reported), posted(headA), submitted(pr.Commented, headA), hubotsThread), reviewer.SubmittedReview, FeedbackOpen, nil, 2},
		{"submitted, with nothing to do", input(preparing, out(1, headA, reported), posted(headA), submitted(pr.Approved, headA)), reviewer.WaitingForReviewRequest, ReviewRequested, nil, 0},
		{"asked again at the same head after that", input(preparing, hubotAsked, out(1, headA, reported), submitted(pr.Approved, headA)), reviewer.ReviewRequested, ReviewDue, nil, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Settings.Notify = config.NotifyNone
			got := Decide(tt.in)
			if got.Reviewer.State != tt.state || got.Code != tt.want {
				t.Errorf("%s by %s (%s), the reviewer loop is in %s; want %s in %s", got.Code, got.Row, got.Why, got.Reviewer.State, tt.want, tt.state)
			}
			made := slices.DeleteFunc(slices.Clone(got.Effects), func(e effect.Effect) bool {
				return e.Type() == "request_review" || e.Type() == "record"
			})
			if len(made) == 0 {
				made = nil
			}
			if diff := cmp.Diff(tt.effects, made); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			number := 0
			if got.Handoff != nil {
				number = got.Handoff.Number
			}
			if number != tt.number {
				t.Errorf("hand-over %d, want %d", number, tt.number)
			}
		})
	}
}

// A report of a review becomes one pending review: each finding once, in its
// place where the diff has that, and no stranger's text as it came.
func TestTakeAReview(t *testing.T) {
	in := input(preparing, hubotAsked, out(1, headA))
	in.Quote = handoff.Quoting{Text: func(s string) string { return "<" + s + ">" }, Code: func(s string) string { return "`" + s + "`" }}
	claim := func(edits ...func(*Claim)) Claim {
		c := Claim{
			Report: handoff.Report{
				Handoff: handoff.Ref{PR: 7, Head: headA, Number: 1}, Head: headA, Step: handoff.Review, Status: handoff.Complete,
				Findings: []handoff.Found{
					{Path: "a.go", Line: 3, Severity: "high", Message: "Off by one", Angle: "tests"},
					{Path: "a.go", Line: 3, Message: "off by ONE"},
					{Path: "a.go", Line: 90, Message: "Too long", Angle: "@octocat"},
					{Message: "No test"},
				},
			},
			Diff: &handoff.Push{Complete: true, Files: []handoff.Changed{{Path: "a.go", Patch: "@@ -1,2 +1,4 @@\n+x"}}},
		}
		for _, e := range edits {
			e(&c)
		}
		return c
	}
	summary := "Prepared by prloop. Nobody but you sees this review until you submit it; change or delete whatever is wrong."
	want := []effect.Effect{effect.DraftReview{
		Login: "hubot", Head: headA, Handoff: 1,
		Body:     summary + "\n\n`a.go` line 90 **medium**: <Too long>\n\n**medium**: <No test>",
		Comments: []effect.DraftComment{{Path: "a.go", Line: 3, Body: "**high, tests**: <Off by one>"}},
	}}
	got := Take(in, claim())
	if diff := cmp.Diff(want, got.Effects); diff != "" || got.Code != ReportAccepted {
		t.Errorf("%s (-want +got):\n%s", got.Code, diff)
	}
	clean := Take(in, claim(func(c *Claim) { c.Report.Findings = nil }))
	if e := clean.Effects[0].(effect.DraftReview); e.Body != summary+"\n\nNothing was found." || e.Comments != nil {
		t.Errorf("a review that found nothing says %q", e.Body)
	}
	for name, c := range map[string]Claim{
		"a newer hand-over is out": claim(func(c *Claim) { c.Report.Handoff.Number, c.Report.Handoff.Head = 0, headA }),
		"items":                    claim(func(c *Claim) { c.Report.Items = []handoff.Item{{Finding: "x", Action: handoff.Escalate}} }),
		"never made":               claim(func(c *Claim) { c.Report.Handoff.Number = 2 }),
	} {
		if got := Take(in, c); got.Account.Verdict.Kind != handoff.Refused || len(got.Effects) > 0 {
			t.Errorf("%s: %s with %d effects", name, got.Account.Verdict.Kind, len(got.Effects))
		}
	}
	if got := Take(in, claim(func(c *Claim) { c.Report.Head = headB })); got.Code != ReportStale || len(got.Effects) > 0 {
		t.Errorf("a report of another head: %s with %d effects", got.Code, len(got.Effects))
	}
	// What was taken before, or is hubotAsked for no more, makes no second review.
	for want, edit := range map[Code]func(*Input){
		ReportAccepted:  func(in *Input) { in.Journal.Handoffs[0].Reported = "complete" },
		ReviewerBlocked: func(in *Input) { in.Journal.Handoffs[0].Parked = "reviewer_blocked@" + string(headA) },
		ReportStale:     func(in *Input) { in.Snapshot.Requests = nil },
	} {
		if got := Take(input(preparing, hubotAsked, out(1, headA), edit, func(in *Input) { in.Settings.Notify = config.NotifyNone }), claim()); got.Code != want || len(got.Effects) > 0 {
			t.Errorf("%s with %d effects, want %s with none", got.Code, len(got.Effects), want)
		}
	}
	// The fixer's hand-over beside it makes it no older.
	beside := input(preparing, hubotAsked, out(1, headA), func(in *Input) {
		in.Journal.Handoffs = append(in.Journal.Handoffs, journal.Handoff{Number: 2, Head: headA, Findings: "0a1b2c3d"})
		in.Journal.HandedOver = 2
	})
	if got := Take(beside, claim()); got.Code != ReportAccepted {
		t.Errorf("beside a fixer's hand-over: %s, %s", got.Code, got.Account.Verdict.Reason())
	}
}

// What came of a prepared review is remembered: where it stands, that it could
// not be made, that it is no more.
func TestSettleAReview(t *testing.T) {
	in := input(preparing, hubotAsked, out(1, headA))
	make := effect.DraftReview{Login: "hubot", Head: headA, Handoff: 1}
	tests := []struct {
		name  string
		r     effect.Result
		draft *journal.Draft
		state reviewer.State
	}{
		{"made", effect.Result{Effect: make, Outcome: effect.Done, ID: "PRR_d", Comments: 2}, &journal.Draft{ID: "PRR_d", Head: headA, At: in.Snapshot.At, Comments: 2}, reviewer.DraftReviewPosted},
		{"there already", effect.Result{Effect: make, Outcome: effect.AlreadySo, ID: "PRR_d"}, &journal.Draft{ID: "PRR_d", Head: headA, At: in.Snapshot.At}, reviewer.DraftReviewPosted},
		{"refused", effect.Result{Effect: make, Outcome: effect.Failed}, nil, reviewer.BlockedNeedsUserDecision},
		{"the head moved", effect.Result{Effect: make, Outcome: effect.Stale}, nil, reviewer.DetermineReviewPlan},
	}
	for _, tt := range tests {
		j := Settle(in.Journal, in, Plan{}, []effect.Result{tt.r}, in.Snapshot.At)
		if diff := cmp.Diff(tt.draft, j.Draft); diff != "" {
			t.Errorf("%s: draft (-want +got):\n%s", tt.name, diff)
		}
		if got := Decide(After(in, j, []effect.Result{tt.r})).Reviewer.State; got != tt.state {
			t.Errorf("%s: the reviewer loop is in %s, want %s", tt.name, got, tt.state)
		}
	}
	in.Journal.Draft = &journal.Draft{ID: "PRR_d", Head: headB}
	for _, o := range []effect.Outcome{effect.Done, effect.AlreadySo, effect.Stale, effect.Failed} {
		if j := Settle(in.Journal, in, Plan{}, []effect.Result{{Effect: effect.DiscardReview{ReviewID: "PRR_d"}, Outcome: o}}, in.Snapshot.At); j.Draft != nil {
			t.Errorf("discarding was %s, and the draft is still known", o)
		}
	}
}

// The conductor is the one routing authority (seed 004): no row decides against
// it, whatever the world looks like.
func TestRowsKeepToTheRoute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		p := Decide(in)
		if len(p.Needs) > 0 {
			return
		}
		outcome := p.Routing.RoutingOutcome
		i := slices.IndexFunc(order, func(r row) bool { return r.id == p.Row })
		if !order[i].asked(outcome) {
			t.Fatalf("%s decides while the conductor says %s", p.Row, outcome)
		}
		for _, e := range p.Effects {
			needs, ok := map[string]conductor.Outcome{
				"request_review": conductor.HandoffToCopilotLoop, "mark_ready": conductor.HandoffToCopilotLoop,
				"discard_review": conductor.HandoffToReviewerLoop,
			}[e.Type()]
			if ok && outcome != needs {
				t.Fatalf("%s while the conductor says %s", e, outcome)
			}
		}
		if p.Handoff != nil && !strings.HasPrefix(string(outcome), "handoff_to_") {
			t.Fatalf("work is handed over while the conductor says %s", outcome)
		}
		if h := p.Handoff; h != nil && h.Step == facts.StepReview && outcome != conductor.HandoffToReviewerLoop {
			t.Fatalf("a review is handed over while the conductor says %s", outcome)
		}
	})
}

// The names of the angles stand in the configuration too.
func TestAnglesAreThoseOfTheMachine(t *testing.T) {
	var all []string
	for _, a := range reviewer.Angles() {
		all = append(all, string(a))
	}
	set, _, err := config.ParseSettings(config.Source{Name: "t", Text: "reviewerLoop:\n  angles: [" + strings.Join(all, ", ") + "]\n"})
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Handoff: &journal.Handoff{Step: facts.StepReview}}
	if diff := cmp.Diff(all, p.Angles(set)); diff != "" {
		t.Errorf("angles (-want +got):\n%s", diff)
	}
	if got := (Plan{Handoff: &journal.Handoff{}}).Angles(set); got != nil {
		t.Errorf("a fixer is told the angles %v", got)
	}
}
