package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

var (
	cursor = pr.Actor{Login: "cursor", Bot: true}
	swe    = pr.Actor{Login: pr.CopilotAgent, Bot: true}
)

// with has the settings of a configuration file.
func with(t *testing.T, text string) func(*Input) {
	t.Helper()
	set, _, err := config.ParseSettings(config.Source{Name: "file", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return func(in *Input) { in.Settings = set }
}

// says is a comment of the conversation, minutes after the pull request was
// opened.
func says(by pr.Actor, minutes int, body string) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Comments = append(s.Comments, pr.Comment{ID: "IC_" + body, Author: by, Body: body, CreatedAt: opened.Add(time.Duration(minutes) * time.Minute)})
	})
}

// asked: prloop mentioned the coding agent so often, minutes after the opening.
func asked(tries, minutes int) func(*Input) {
	return func(in *Input) {
		known(in)
		in.Journal.Requests = []journal.Request{{
			Reviewer: pr.CopilotAgent, Head: headA, At: opened.Add(time.Duration(minutes) * time.Minute), Result: effect.Landed, Tries: tries, Via: "user-token",
		}}
	}
}

// The same file means the same plan with and without the wrapper of
// pr-autopilot, where it says everything.
func TestTheWrapperMeansTheSamePlan(t *testing.T) {
	const file = `
pollIntervalSeconds: 90
pollTickCap: 10
primaryFixer: auto
reviewers:
  cursor: {enabled: true, login: "cursor[bot]", scoreRegex: "(?i)score:\\s*([1-5])"}
  copilot: {mode: each-iter, login: "copilot-pull-request-reviewer[bot]"}
  copilotSwe: {mode: review-score, login: copilot-swe-agent, scoreRegex: "(?i)readiness:\\s*([1-5])"}
  codex: {mode: "off", postCommentsToPR: false}
  claudeSelf: {enabled: false, rubricFile: SELF-REVIEW-RUBRIC.md}
autoMerge: {allowedTargetBranches: [dev], neverMergeToBranches: [master, main, production], mergeMethod: squash}
preCommitProfiles: {default-npm: [{cmd: npm test}]}
graphify: {advisory: auto, promptHint: true}
`
	wrapped := "prAutopilot:\n  " + strings.ReplaceAll(strings.TrimSpace(file), "\n", "\n  ")
	worlds := map[string][]func(*Input){
		"new":            nil,
		"a score":        {says(cursor, 2, "Score: 3/5")},
		"reviewed":       {edit(reviewed), says(cursor, 2, "Score: 5/5"), asked(1, 1), says(swe, 2, "Readiness: 5/5")},
		"after the cap":  {later2(16 * time.Minute)},
		"with threads":   {edit(reviewed), threads(2)},
		"checks running": {check("")},
	}
	codes := map[Code]bool{}
	for name, edits := range worlds {
		bare := Decide(input(append(edits, with(t, file))...))
		under := Decide(input(append(edits, with(t, wrapped))...))
		if diff := cmp.Diff(bare, under); diff != "" {
			t.Errorf("%s: plan (-without the wrapper +with it):\n%s", name, diff)
		}
		codes[bare.Code] = true
	}
	if len(codes) < 4 {
		t.Errorf("these worlds come to %d decisions, which shows little", len(codes))
	}
}

func TestSeveralReviewers(t *testing.T) {
	const (
		cursorAlone = "reviewers: {cursor: true}"
		both        = "reviewers: {cursor: true, copilot: each-iter}"
		optional    = "reviewers: {cursor: {required: false, waitCap: 20}, copilot: each-iter}"
		score       = "reviewers: {copilotSwe: review-score}"
	)
	mention := func(try int) effect.Effect {
		return effect.Mention{Reviewer: pr.CopilotAgent, Head: headA, Try: try}
	}
	request := effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: headA, Try: 1}
	noUser := func(in *Input) { in.UserToken = false }
	tests := []struct {
		says string
		file string
		in   []func(*Input)
		want Code
		asks []effect.Effect
	}{
		{"Cursor looks by itself", cursorAlone, nil, WaitingForReview, nil},
		{"a score that is too low is work", cursorAlone, []func(*Input){says(cursor, 2, "Score: 3/5\n\nThe null check is missing.")}, FeedbackOpen, nil},
		{"five of five converges", cursorAlone, []func(*Input){says(cursor, 2, "Score: 5/5")}, Converged, nil},
		{"five of five and an open thread of its own", cursorAlone, []func(*Input){says(cursor, 2, "Score: 5/5"), edit(func(s *pr.Snapshot) {
			s.Threads = []pr.Thread{{ID: "PRRT_1", Comments: []pr.ThreadComment{{Author: cursor, Body: "This can be nil."}}}}
		})}, FeedbackOpen, nil},
		{"without a score it is waited for", cursorAlone, []func(*Input){says(cursor, 2, "I looked at it.")}, WaitingForReview, nil},
		{"as long as its cap", cursorAlone, []func(*Input){later2(51 * time.Minute)}, ReviewWaitCap, nil},
		{"Cursor that is switched off", cursorAlone, []func(*Input){says(cursor, 2, "Bugbot is not enabled for this repository.")}, ReviewerRefuses, nil},
		{"and a person who is called like it says nothing", cursorAlone, []func(*Input){says(pr.Actor{Login: "cursor"}, 2, "Score: 5/5")}, WaitingForReview, nil},

		{"Copilot is asked while Cursor looks", both, nil, ReviewRequested, []effect.Effect{request}},
		{"Copilot is not asked before the checks are green", both, []func(*Input){check("")}, WaitingForReview, nil},
		{"one content reviewer of two is not enough", both, []func(*Input){edit(reviewed)}, WaitingForReview, nil},
		{"both are content", both, []func(*Input){edit(reviewed), says(cursor, 6, "Score: 5/5")}, Converged, nil},
		{"one of them is not", both, []func(*Input){edit(reviewed), says(cursor, 6, "Score: 4/5")}, FeedbackOpen, nil},
		{"an optional one is waited for", optional, []func(*Input){edit(reviewed)}, WaitingForReview, nil},
		{"and no longer than its cap", optional, []func(*Input){edit(reviewed), later2(30 * time.Minute)}, Converged, nil},

		{"a mention", score, nil, ReviewRequested, []effect.Effect{mention(1)}},
		{"no mention without a person's token", score, []func(*Input){noUser}, ReviewUnavailable, nil},
		{"the answer is waited for", score, []func(*Input){asked(1, 1)}, WaitingForReview, nil},
		{"an answer", score, []func(*Input){asked(1, 1), says(swe, 3, "Readiness: 5/5")}, Converged, nil},
		{"an answer without a score is asked for once more", score, []func(*Input){asked(1, 1), says(swe, 3, "It looks good to me.")}, ReviewRequested, []effect.Effect{mention(2)}},
		{"and not a third time", score, []func(*Input){asked(2, 1), says(swe, 3, "It looks good to me.")}, WaitingForReview, nil},
		{"but until the cap", score, []func(*Input){asked(2, 1), says(swe, 3, "It looks good to me."), later2(52 * time.Minute)}, ReviewWaitCap, nil},
		{"a refusal", score, []func(*Input){asked(1, 1), says(swe, 3, "I'm unable to review this.")}, ReviewerRefuses, nil},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got := Decide(input(append([]func(*Input){with(t, tt.file)}, tt.in...)...))
			if got.Code != tt.want {
				t.Errorf("decided %s by %s (%s), want %s", got.Code, got.Row, got.Why, tt.want)
			}
			var asks []effect.Effect
			for _, e := range got.Effects {
				switch e := e.(type) {
				case effect.RequestReview:
					asks = append(asks, e)
				case effect.Mention:
					e.Body = ""
					asks = append(asks, e)
				case effect.MarkReady, effect.Rerun, effect.Revert, effect.Comment, effect.UpdateStatus, effect.Hide, effect.Record, effect.Reply, effect.Resolve,
					effect.DraftReview, effect.DiscardReview, effect.React, effect.CheckRun, effect.Merge, effect.DisarmMerge, effect.UpdateBranch, effect.DeleteBranch, effect.TakeOver:
				}
			}
			if diff := cmp.Diff(tt.asks, asks); diff != "" {
				t.Errorf("asks (-want +got):\n%s", diff)
			}
		})
	}
}

// A round found something whoever of the reviewers did: what was all declined is
// not told as a clean review.
func TestFindingsOfEveryReviewerAreFound(t *testing.T) {
	for body, want := range map[string]bool{"Score: 3/5\n\nThe null check is missing.": true, "Score: 5/5": false} {
		s := newStep(input(with(t, "reviewers: {cursor: true}"), says(cursor, 2, body)))
		if got := s.convergence().Found; got != want {
			t.Errorf("%q: found %t", body, got)
		}
	}
}
