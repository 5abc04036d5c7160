package plan

import (
	"testing"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

var codex = pr.Actor{Login: "chatgpt-codex-connector", Bot: true}

// inPass: prloop asked codex at the end of headA, minutes after the opening.
func inPass(minutes int) func(*Input) {
	return func(in *Input) {
		known(in)
		at := opened.Add(time.Duration(minutes) * time.Minute)
		in.Journal.Pass = &journal.Pass{Head: headA, At: at}
		in.Journal.Requests = []journal.Request{{Reviewer: codex.Login, Head: headA, At: at, Result: effect.Landed, Tries: 1, Via: "user-token"}}
	}
}

// The reviewers of the final pass are asked once nothing else is missing, and
// their answers are weighed; silence is none of them.
func TestFinalPass(t *testing.T) {
	atTheEnd := with(t, "reviewers: {copilot: each-iter, codex: {mode: final-only, postCommentsToPR: true}}")
	optional := with(t, "reviewers: {copilot: each-iter, codex: {mode: final-only, postCommentsToPR: true, required: false}}")
	bot := with(t, "reviewers: {copilot: each-iter, bots: [{login: some-bot, mode: final-only}]}")
	botSaid := edit(func(s *pr.Snapshot) {
		s.Reviews = append(s.Reviews, pr.Review{ID: "PRR_bot", Author: pr.Actor{Login: "some-bot", Bot: true}, State: pr.ChangesRequested, Commit: headA, SubmittedAt: opened.Add(6 * time.Minute), Body: "Not like this."})
	})
	objects := says(codex, 9, "Please fix the error path first.")
	dismissed := func(in *Input) {
		f := Decide(*in).Facts
		in.Journal.Answers = []journal.Answer{{Finding: journal.Mark(f.Final[0].Findings[0].ID), Action: facts.ByCommand, Head: headA}}
	}
	through := func(in *Input) { in.Journal.Orders.Retried = &journal.Retry{Head: headA, Through: true} }
	tests := []struct {
		says string
		in   Input
		want Code
	}{
		{"rounds come first", input(atTheEnd), ReviewRequested},
		{"so do checks", input(atTheEnd, edit(reviewed), check("")), WaitingForCI},
		{"then it is asked", input(atTheEnd, edit(reviewed)), FinalPassAsked},
		{"without a user-token it cannot be", input(atTheEnd, edit(reviewed), func(in *Input) { in.UserToken = false }), ReviewUnavailable},
		{"and who is not required is passed over", input(optional, edit(reviewed), func(in *Input) { in.UserToken = false }), Converged},
		{"the budget holds", input(atTheEnd, edit(reviewed), func(in *Input) { in.Settings.Budgets.ReviewsPerPullRequest = 0 }), BudgetExhausted},
		{"it is waited for", input(atTheEnd, edit(reviewed), inPass(8)), FinalPass},
		{"silence is no answer", input(atTheEnd, edit(reviewed), inPass(8), later2(time.Hour)), FinalPassSilent},
		{"of who is not required it holds nothing up", input(optional, edit(reviewed), inPass(8), later2(time.Hour)), Converged},
		{"it agrees", input(atTheEnd, edit(reviewed), inPass(8), says(codex, 9, "Didn't find any major issues.")), Converged},
		{"it objects", input(atTheEnd, edit(reviewed), inPass(8), objects), FinalPassDisagrees},
		{"as long as nobody deals with it", input(atTheEnd, edit(reviewed), inPass(8), objects, later2(24*time.Hour)), FinalPassDisagrees},
		{"a person lets it go on", input(atTheEnd, edit(reviewed), inPass(8), objects, through), FeedbackOpen},
		{"a person dismisses it", input(atTheEnd, edit(reviewed), inPass(8), objects, dismissed), Converged},
		{"what it said before it was asked is no answer", input(atTheEnd, edit(reviewed), inPass(8), says(codex, 7, "Didn't find any major issues.")), FinalPass},
		{"a new head cancels it", input(atTheEnd, edit(reviewed), inPass(8), anotherHead), ReviewRequested},
		{"a bot that looks by itself counts at the end", input(bot, botSaid), ReviewRequested},
		{"and objects there", input(bot, edit(reviewed), botSaid), FinalPassDisagrees},
		{"nobody is asked in single iteration", input(atTheEnd, iterated(headB)), SingleDone},
	}
	for _, tt := range tests {
		got := Decide(tt.in)
		if got.Code != tt.want {
			t.Errorf("%s: %s by %s (%s), want %s", tt.says, got.Code, got.Row, got.Why, tt.want)
		}
		if (got.Code == FinalPass || got.Code == FinalPassSilent || got.Code == FinalPassDisagrees) && (got.Converged.Converged || got.Proof != nil) {
			t.Errorf("%s: it has converged", tt.says)
		}
	}
	// What a person overruled is no clean end: the merge waits for a person.
	if got := Decide(input(atTheEnd, edit(reviewed), inPass(8), objects, dismissed)); got.Converged.Kind != round.DeclinesOnly {
		t.Errorf("after an objection that was dismissed the kind is %q", got.Converged.Kind)
	}
}

// The final pass of a head is known again by any of its traces, so that its
// threads never become work by themselves.
func TestFinalPassIsKnownAgain(t *testing.T) {
	copilotLast := with(t, "reviewers: {cursor: true, copilot: final-only}")
	traces := map[string]func(*Input){
		"the journal's own row": func(in *Input) { in.Journal.Pass = &journal.Pass{Head: headA, At: opened} },
		"its request": func(in *Input) {
			in.Journal.Requests = []journal.Request{{Reviewer: pr.CopilotReviewer, Head: headA, At: opened, Result: effect.Landed, Tries: 1}}
		},
		"its note": func(in *Input) {
			in.Journal.Told = []journal.Told{{Topic: string(FinalPassDisagrees), Head: pr.SHA(headA.Short())}}
		},
	}
	for name, trace := range traces {
		if got := Decide(input(copilotLast, known, edit(reviewed), threads(1), says(cursor, 2, "Score: 5/5"), trace)); got.Code != FinalPassDisagrees {
			t.Errorf("%s: %s (%s)", name, got.Code, got.Why)
		}
	}
	if got := Decide(input(copilotLast, known, edit(reviewed), threads(1), says(cursor, 2, "Score: 5/5"))); got.Code != FeedbackOpen {
		t.Errorf("threads of before the final pass: %s (%s)", got.Code, got.Why)
	}
}
