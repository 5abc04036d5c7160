package plan

import (
	"slices"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// iterated: the one iteration of single-iteration mode was handed over at head.
func iterated(head pr.SHA) func(*Input) {
	return func(in *Input) { in.Journal.Single = &journal.Single{At: opened.Add(2 * time.Minute), Head: head} }
}

func answer(r effect.RequestResult) func(*Input) {
	return func(in *Input) {
		in.Journal.Requests = []journal.Request{{Reviewer: pr.CopilotReviewer, Head: in.Snapshot.Head, At: opened, Result: r, Tries: 1, Via: "user-token"}}
	}
}

func mode(m config.Single) func(*Input) { return func(in *Input) { in.Settings.SingleIteration = m } }

// says: this account has the last word in the first thread, at that minute.
func saysLast(who pr.Actor, minute int) func(*Input) {
	return func(in *Input) {
		s := in.Snapshot
		in.Settings.Fixer = config.Job // people who fix answer by what they say
		s.Threads[0].Comments = append(s.Threads[0].Comments, pr.ThreadComment{ID: "PRRC_x", Author: who, Trusted: true, Body: "And here?", CreatedAt: opened.Add(time.Duration(minute) * time.Minute)})
	}
}

func TestSingleIteration(t *testing.T) {
	mona, bot := pr.Actor{Login: "mona"}, pr.Actor{Login: "octobot", Bot: true}
	tests := []struct {
		name  string
		edits []func(*Input)
		want  Code
		noted bool // that it goes without a review
	}{
		{"refused, and nothing open", []func(*Input){answer(effect.Forbidden)}, ReviewUnavailable, false},
		{"refused, and a thread open", []func(*Input){answer(effect.Forbidden), threads(1)}, FeedbackOpen, true},
		{"not to be had, and a thread open", []func(*Input){answer(effect.NotAvailable), threads(1)}, FeedbackOpen, true},
		{"flagged is neither", []func(*Input){answer(effect.Flagged), threads(1)}, ReviewUnavailable, false},
		{"dropped is neither", []func(*Input){answer(effect.Dropped), threads(1)}, FeedbackOpen, false},
		{"off", []func(*Input){mode(config.SingleOff), answer(effect.Forbidden), threads(1)}, ReviewUnavailable, false},
		{"off, though it was on", []func(*Input){mode(config.SingleOff), iterated(headB)}, ReviewRequested, false},
		{"on asks nobody", []func(*Input){mode(config.SingleOn)}, SingleDone, false},
		{"on, and a thread open", []func(*Input){mode(config.SingleOn), threads(1)}, FeedbackOpen, true},
		{"on, and a review on its way", []func(*Input){mode(config.SingleOn), edit(requested)}, WaitingForReview, false},
		{"on, and a review came", []func(*Input){mode(config.SingleOn), edit(reviewed)}, Converged, false},
		{"on, and checks run", []func(*Input){mode(config.SingleOn), check("")}, WaitingForCI, false},
		{"on, and checks failed", []func(*Input){mode(config.SingleOn), check("FAILURE")}, ChecksFailed, false},
		{"sticky at the next head", []func(*Input){iterated(headB)}, SingleDone, false},
		{"sticky, and a review on its way", []func(*Input){iterated(headB), edit(requested)}, WaitingForReview, false},
		{"until a review came", []func(*Input){iterated(headB), edit(reviewed)}, Converged, false},
		{"the thread is still open at the next head", []func(*Input){iterated(headB), threads(1)}, SingleIncomplete, false},
		{"a bot speaks", []func(*Input){iterated(headB), threads(1), saysLast(bot, 5)}, SingleIncomplete, false},
		{"a person spoke before", []func(*Input){iterated(headB), threads(1), saysLast(mona, 1)}, SingleIncomplete, false},
		{"a person speaks, and the review may be had", []func(*Input){iterated(headB), threads(1), saysLast(mona, 5)}, FeedbackOpen, true},
		{"a person speaks, and it is refused still", []func(*Input){iterated(headB), answer(effect.Forbidden), threads(1), saysLast(mona, 5)}, FeedbackOpen, true},
	}
	in := input(known, iterated(headB), threads(1), saysLast(mona, 5))
	if j := Settle(in.Journal, in, Decide(in), nil, in.Snapshot.At); j.Single != nil {
		t.Error("a person spoke, and the loop goes without a review for ever")
	}
	for _, tt := range tests {
		in := input(slices.Concat([]func(*Input){known}, tt.edits)...)
		got := Decide(in)
		if got.Code != tt.want || (got.Single != nil) != tt.noted {
			t.Errorf("%s: %s by %s (%s), noted %v; want %s, noted %v", tt.name, got.Code, got.Row, got.Why, got.Single, tt.want, tt.noted)
		}
		if slices.ContainsFunc(got.Effects, func(e effect.Effect) bool { _, ask := e.(effect.RequestReview); return ask }) != (tt.want == ReviewRequested) {
			t.Errorf("%s: %s asks for a review", tt.name, got.Code)
		}
		if tt.noted && got.Single.Head != "" && Settle(in.Journal, in, got, nil, in.Snapshot.At).Single == nil {
			t.Errorf("%s: the journal does not have it", tt.name)
		}
		if single := tt.want == SingleDone; single != (got.Proof != nil && got.Proof.SingleIteration && got.Proof.Kind == round.Single) {
			t.Errorf("%s: the proof is %s", tt.name, got.ProofText)
		}
		if got.Code == SingleDone && got.Facts.Copilot.CopilotReviewRequestStatus != copilot.NotRequested {
			t.Errorf("%s: the machine was told %s", tt.name, got.Facts.Copilot.CopilotReviewRequestStatus)
		}
	}
}

// Single iteration is about Copilot's review, which cannot be had: another reviewer
// that has to review each head is asked and waited for all the same.
func TestSingleIterationAsksTheOthers(t *testing.T) {
	both := with(t, "reviewers: {copilot: each-iter, codex: {mode: each-iter, postCommentsToPR: true}}")
	asked := func(in *Input) {
		in.Journal.Requests = []journal.Request{{Reviewer: codex.Login, Head: headA, At: opened.Add(3 * time.Minute), Result: effect.Landed, Tries: 1, Via: "user-token"}}
	}
	tests := []struct {
		name  string
		edits []func(*Input)
		want  Code
		asks  string
	}{
		{"the next head", []func(*Input){iterated(headB)}, ReviewRequested, "mention"},
		{"while it looks", []func(*Input){iterated(headB), asked}, WaitingForReview, ""},
		{"when its time is over", []func(*Input){iterated(headB), asked, later2(2 * time.Hour)}, ReviewWaitCap, ""},
		{"it approves", []func(*Input){iterated(headB), asked, says(codex, 5, "Didn't find any major issues.")}, SingleDone, ""},
		{"it finds something again", []func(*Input){iterated(headB), asked, says(codex, 5, "Please fix the error path.")}, SingleIncomplete, ""},
		{"it cannot be had either", []func(*Input){iterated(headB), func(in *Input) { in.UserToken = false }}, SingleDone, ""},
	}
	for _, tt := range tests {
		got := Decide(input(slices.Concat([]func(*Input){known, both}, tt.edits)...))
		asks := ""
		for _, e := range got.Effects {
			if e.Type() == (effect.Mention{}).Type() || e.Type() == (effect.RequestReview{}).Type() {
				asks += e.Type()
			}
		}
		if got.Code != tt.want || asks != tt.asks {
			t.Errorf("%s: %s by %s (%s), asks %q; want %s, %q", tt.name, got.Code, got.Row, got.Why, asks, tt.want, tt.asks)
		}
	}
}
