package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
)

// An acceptance is one row of seed 001's stop table (T1 to T30, in its order), one of
// its acceptance scenarios (by their ids) or one of its defects (D1 to D38; what
// is expected instead).
type acceptance struct {
	id, says string
	// story and run (from 1) say where it is played; the story may also stand
	// here: script, with config.
	story          string
	run            int
	config, script string
	// outcome is the seed's word for it, decision and code are prloop's; of an
	// error code is a part of what it says.
	outcome  string
	decision plan.Decision
	code     plan.Code
	kept     string // a part of what the journal keeps; empty: nothing is asked for
	// missing is the feature that is not built yet; then nothing is played.
	missing string
	// brief is a part of what the hand-over tells the fixer.
	brief string
}

// exitOne is the decision of a run that ends with an error and decides nothing.
const exitOne plan.Decision = "exit 1"

// seedFeatures are what rows may lack. Once one of them is there (a reason code of its
// has this word in it, or the configuration key has an effect) its rows must be
// played.
var seedFeatures = map[string]struct {
	words []string // parts of reason codes
	key   string   // a key that has no effect without it
	gone  plan.Code
}{}

const (
	reviewedScript = `
check build takes=1m
round v2 a.go:3 "This can be nil."
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
`
	cleanScript = `
check build takes=1m
open by=mona base=dev
advance 2m
run workflow_run completed
advance 6m
run workflow_run completed
`
	queuedScript = `
rules base=dev require=build approvals=1
` + cleanScript + `run workflow_run completed
`
	leftoverScript = `
account cursor[bot] permission=read
check build takes=1m
open by=mona base=dev
advance 2m
run workflow_run completed
review by=cursor[bot] a.go:3 "This can be nil."
advance 6m
run workflow_run completed
`
	openedScript = "open by=mona\nrun pull_request opened"
)

var acceptanceRows = []acceptance{
	{id: "T1", says: "what the run needs is missing: no event file", script: "open by=mona\nrun pull_request opened no-event-file", run: 1, outcome: "ABORT", decision: exitOne, code: "event.json"},
	{id: "T2", says: "not in a repository", script: "open by=mona\nrun pull_request opened env-GITHUB_REPOSITORY=", run: 1, outcome: "ABORT", decision: exitOne, code: "GITHUB_REPOSITORY"},
	{id: "T3", says: "not authenticated", story: "bad-token", run: 1, outcome: "ABORT", decision: exitOne, code: "Bad credentials"},
	{id: "T4", says: "the pull request is not found", story: "not-there", run: 1, outcome: "ABORT", decision: plan.Skip, code: plan.NoPullRequest},
	{id: "T5", says: "no driver", config: "reviewers: {}", script: openedScript, run: 1, outcome: "ABORT", decision: exitOne, code: "nothing would drive the loop"},
	{id: "T6", says: "primaryFixer claude and copilotSwe each-iter", config: "primaryFixer: claude\nreviewers: {copilotSwe: each-iter}", script: openedScript, run: 1, outcome: "ABORT", decision: exitOne, code: "primaryFixer claude conflicts"},
	{id: "T7", says: "ambiguous fixer", config: "reviewers: {copilot: each-iter, copilotSwe: each-iter}", script: openedScript, run: 1, outcome: "ABORT", decision: exitOne, code: "ambiguous who fixes"},
	{id: "T8", says: "closed", story: "merged-and-reopened", run: 2, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Closed, kept: "final closed"},
	{id: "T8", says: "merged", story: "watch-none", run: 3, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Merged, kept: "final merged"},
	{id: "T9", says: "the head is a branch that is nobody's own", story: "head-branch-guard", run: 1, outcome: "ABORT", decision: plan.Stop, code: plan.HeadBranchGuard},
	{id: "T10", says: "fixIterationCap", story: "fix-iteration-cap", run: 9, outcome: "ABORT", decision: plan.Stop, code: plan.FixIterationCap, kept: "fixIterations 2"},
	{id: "T11", says: "CI failed on our last push", config: "fixer: job", script: ownPushRedScript, run: 4, outcome: "ABORT", decision: plan.Stop, code: plan.OwnPushFailed, kept: "fixIterations 1"},
	{id: "T12", says: "pollTickCap", story: "review-wait-cap", run: 7, outcome: "ABORT", decision: plan.Stop, code: plan.ReviewWaitCap, kept: "pollTicksWithoutReview 10"},
	{id: "T13", says: "every reviewer is content", story: "copilot-two-findings", run: 6, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "proof of"},
	{id: "T14", says: "50 threads", story: "thread-limit", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.ThreadLimit, kept: "asked 1"},
	{id: "T15", says: "triage has a question for a person", config: "fixer: job", script: blockedScript, run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.FixerParked, kept: "parked fixer_parked"},
	{id: "T16", says: "the pre-commit commands failed", config: "fixer: job", script: profileFailsScript, run: 3, outcome: "ABORT", decision: exitOne, code: `"go test ./..." ended with 2`, kept: "waits for handoff"},
	{id: "T17", says: "stallTickCap", story: "stalled", run: 7, outcome: "PAUSE", decision: plan.Stop, code: plan.Stalled, kept: "ticksWithoutProgress 6"},
	{id: "T18", says: "a final-pass reviewer disagrees", story: "final-pass-disagrees", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.FinalPassDisagrees, kept: "asked 1"},
	{id: "T19", says: "content, and merging is not opted in", story: "copilot-two-findings", run: 6, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "proof of"},
	{id: "T20", says: "all gates pass: queued", story: "merge-queued", run: 2, outcome: "CONTINUE", decision: plan.Act, code: plan.MergeQueued, kept: "waits for merge"},
	{id: "T21", says: "conflicts while queued", story: "merge-stuck", run: 3, outcome: "STOP", decision: plan.Stop, code: plan.MergeConflicts, kept: "armed"},
	{id: "T22", says: "pollTickCap while queued", story: "merge-stuck", run: 7, outcome: "STOP", decision: plan.Stop, code: plan.MergeStuck, kept: "pollTicksWhileQueued 10"},
	{id: "T23", says: "merged after queueing", story: "merge-stuck", run: 11, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Merged, kept: "final merged"},
	{id: "T24", says: "graph: off", story: "report-two-findings", run: 2, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},
	{id: "T25", says: "graph: a queued merge comes first", config: "graphify: {advisory: always}\nautoMerge: {enabled: true}", script: queuedScript, run: 3, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForMerge},
	{id: "T26", says: "graph: auto, there is one", story: "knowledge-graph", run: 7, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen, brief: "graphify-out/graph.json"},
	{id: "T27", says: "graph: auto, no folder", story: "knowledge-graph", run: 3, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},
	{id: "T28", says: "graph: auto, folder without graph", story: "knowledge-graph", run: 6, outcome: "PAUSE", decision: plan.Stop, code: plan.GraphBroken},
	{id: "T29", says: "graph: always, no graph", story: "knowledge-graph-always", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.GraphMissing},
	{id: "T30", says: "graph: always, folder without graph", story: "knowledge-graph-always", run: 4, outcome: "PAUSE", decision: plan.Stop, code: plan.GraphBroken},

	{id: "1", says: "the good case", story: "report-two-findings", run: 6, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "fixIterations 1"},
	{id: "2", says: "silent reviewers", story: "review-wait-cap", run: 7, outcome: "ABORT", decision: plan.Stop, code: plan.ReviewWaitCap},
	{id: "3", says: "a stubborn reviewer", story: "pushback-cap", run: 5, outcome: "PAUSE", decision: plan.Stop, code: plan.PushbackCap, kept: "pushbackRounds 1"},
	{id: "4", says: "red CI on our own push", config: "fixer: job", script: ownPushRedScript, run: 4, outcome: "ABORT", decision: plan.Stop, code: plan.OwnPushFailed},
	{id: "5", says: "the head is main", story: "head-branch-guard", run: 1, outcome: "ABORT", decision: plan.Stop, code: plan.HeadBranchGuard},
	{id: "6", says: "no score line", story: "review-score-missing", run: 4, outcome: "ABORT", decision: plan.Stop, code: plan.ReviewWaitCap},
	{id: "7", says: "merged outside", story: "watch-none", run: 3, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Merged, kept: "final merged"},
	{id: "8", says: "the profile fails", config: "fixer: job", script: profileFailsScript, run: 3, outcome: "ABORT", decision: exitOne, code: `"go test ./..." ended with 2`},
	{id: "9", says: "a question of architecture", config: "fixer: job", script: blockedScript, run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.FixerParked},
	{id: "10", says: "the profile of the package manager", story: "handoff-brief", run: 2, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen, brief: `yarn lint`},
	{id: "11", says: "5/5 and an open thread", config: "reviewers: {cursor: true}", script: fiveAndOpenScript, run: 1, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},
	{id: "12", says: "CI is pending", story: "copilot-two-findings", run: 1, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForCI},
	{id: "13", says: "success schedules nothing", story: "copilot-two-findings", run: 6, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged},
	{id: "14", says: "paused", story: "left-out", run: 3, outcome: "SKIP", decision: plan.Skip, code: plan.Paused},
	{id: "15", says: "a flood of threads", story: "thread-limit", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.ThreadLimit},
	{id: "16", says: "six ticks of stall", story: "stalled", run: 7, outcome: "PAUSE", decision: plan.Stop, code: plan.Stalled},
	{id: "17Y", says: "Mode Y: the agent refuses", story: "mode-y-refuses", run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.AgentRefuses},
	{id: "17Y", says: "Mode Y: the agent is idle", story: "mode-y-silent", run: 6, outcome: "ABORT", decision: plan.Stop, code: plan.AgentInactive},
	{id: "17Y", says: "Mode Y: the agent approves without a commit", story: "mode-y-content", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.AgentContent},
	{id: "18", says: "the final pass disagrees", story: "final-pass-disagrees", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.FinalPassDisagrees},
	{id: "19", says: "no driver", config: "reviewers: {}", script: openedScript, run: 1, outcome: "ABORT", decision: exitOne, code: "nothing would drive the loop"},
	{id: "20", says: "a reviewer that is a command", story: "command-reviewer", run: 7, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "proof of"},
	{id: "20", says: "one at the end disagrees", story: "command-reviewer-final", run: 4, outcome: "PAUSE", decision: plan.Stop, code: plan.FinalPassDisagrees},
	{id: "21", says: "threads of a bot that is off block the merge", config: "autoMerge: {enabled: true}", script: leftoverScript, run: 2, outcome: "SUCCESS_STOP", decision: plan.Stop, code: plan.ThreadsOpen},
	{id: "22", says: "Mode Y: pushback, then approve", story: "mode-y", run: 8, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged},
	{id: "23", says: "Mode Y: pause", story: "mode-y-paused", run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.AgentPaused},
	{id: "24", says: "Mode Y: mode drift", story: "mode-drift", run: 2, outcome: "ABORT", decision: plan.Stop, code: plan.ModeDrift},
	{id: "25-30 draft", says: "a draft is not begun", story: "draft-waits", run: 1, outcome: "CONTINUE", decision: plan.Wait, code: plan.Draft},
	{id: "25-30 ignored", says: "what the configuration leaves out", story: "left-out", run: 1, outcome: "SKIP", decision: plan.Skip, code: plan.NotSelected},
	{id: "25-30 old", says: "what nobody enrolled", story: "left-out", run: 5, outcome: "SKIP", decision: plan.Skip, code: plan.NotEnrolled},
	{id: "25-30 duplicate", says: "two pull requests of one head", story: "duplicate-taken-in", run: 1, outcome: "SKIP", decision: plan.Skip, code: plan.Duplicate},
	{id: "31", says: "off by default: no merge call", story: "copilot-two-findings", run: 6, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged},
	{id: "32", says: "base main", story: "merge-gates", run: 6, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.BaseNotAllowed},
	{id: "33", says: "queue once, state kept", story: "merge-queued", run: 2, outcome: "CONTINUE", decision: plan.Act, code: plan.MergeQueued, kept: "merge of 114b47c armed"},
	{id: "34", says: "no second queue, no trigger", story: "merge-queued", run: 4, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForMerge, kept: "asked 1"},
	{id: "35", says: "paused", story: "merge-gates", run: 4, outcome: "SUCCESS_STOP", decision: plan.Stop, code: plan.ReadyPaused},
	{id: "36", says: "merged", story: "merge-stuck", run: 11, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Merged, kept: "final merged"},
	{id: "37", says: "auto-merge is off: merged directly", config: "autoMerge: {enabled: true}\nwatch: {minutes: 0}", script: "repo auto-merge=off\n" + cleanScript, run: 2, outcome: "SUCCESS_STOP", decision: plan.Act, code: plan.MergeMade, kept: "final merged"},
	{id: "38", says: "conflicts: kept", story: "merge-stuck", run: 4, outcome: "STOP", decision: plan.Stop, code: plan.MergeConflicts, kept: "armed"},
	{id: "38", says: "stuck: kept", story: "merge-stuck", run: 8, outcome: "STOP", decision: plan.Stop, code: plan.MergeStuck, kept: "armed"},
	{id: "38", says: "recovered", story: "merge-stuck", run: 11, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Merged, kept: "final merged"},
	{id: "52", says: "the knowledge graph, eleven rows", story: "knowledge-graph", run: 3, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},

	{id: "D1", says: "the head is guarded, not the target", story: "head-branch-guard", run: 1, outcome: "ABORT", decision: plan.Stop, code: plan.HeadBranchGuard},
	{id: "D2", says: "the outcome goes before the cap", story: "fix-iteration-cap", run: 12, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "fixIterations 2"},
	{id: "D3", says: "one request for a head", story: "events-many", run: 17, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForReview, kept: "asked 1"},
	{id: "D4", says: "a score of an older head is none", story: "cursor-score", run: 4, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForReview},
	{id: "D5", says: "pushbacks are kept without a push", story: "pushback-cap", run: 3, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "pushbackRounds 1"},
	{id: "D6", says: "a ping-pong of pushbacks ends", story: "pushback-cap", run: 5, outcome: "PAUSE", decision: plan.Stop, code: plan.PushbackCap},
	{id: "D6", says: "at the third raise of one finding too", story: "declined-again", run: 8, outcome: "PAUSE", decision: plan.Stop, code: plan.ThirdRaise},
	{id: "D7", says: "a word of somebody else is no progress", story: "stalled", run: 7, outcome: "PAUSE", decision: plan.Stop, code: plan.Stalled},
	{id: "D8", says: "waiting for CI has a cap", story: "checks-never-end", run: 4, outcome: "PAUSE", decision: plan.Stop, code: plan.CIWaitCap},
	{id: "D9", says: "a required check that never reported pends", story: "checks-required", run: 1, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForCI},
	{id: "D10", says: "comments and their authors by GitHub's own ids", story: "reviewer-by-login", run: 5, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged},
	{id: "D11", says: "the final pass over several runs", story: "final-pass", run: 2, outcome: "CONTINUE", decision: plan.Wait, code: plan.FinalPass, kept: "waits for final_pass"},
	{id: "D11", says: "silence in the final pass is not a pass", story: "final-pass-no-answer", run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.FinalPassSilent, kept: "asked 1"},
	{id: "D12", says: "read again right before the merge", story: "merge-moved", run: 2, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForCI},
	{id: "D13", says: "refusals by their class: clean, so merged directly", story: "merge-clean-status", run: 2, outcome: "SUCCESS_STOP", decision: plan.Act, code: plan.MergeMade},
	{id: "D13", says: "unstable, so waited for", story: "merge-unstable", run: 3, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForMerge},
	{id: "D13", says: "unknown, so blocked, state kept", story: "merge-refused", run: 3, outcome: "STOP", decision: plan.Stop, code: plan.LandRefused, kept: "refused"},
	{id: "D14", says: "a push cancels the queue", story: "merge-pushed", run: 3, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForCI, kept: "waits for ci"},
	{id: "D14", says: "somebody cancels it", story: "merge-taken-back", run: 3, outcome: "STOP", decision: plan.Stop, code: plan.MergeTakenBack},
	{id: "D15", says: "a resumed wait may wait again", story: "merge-stuck", run: 10, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForMerge, kept: "waits for merge from 09:58 to 10:48"},
	{id: "D16", says: "every exit saves", story: "thread-limit", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.ThreadLimit, kept: "asked 1"},
	{id: "D17", says: "a report is taken whole or not at all", story: "report-refused", run: 5, outcome: "ABORT", decision: exitOne, code: "was never handed over"},
	{id: "D17", says: "a question, and nothing was changed", config: "fixer: job", script: blockedScript, run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.FixerParked},
	{id: "D18", says: "a failed profile is told, and nothing is answered", config: "fixer: job", script: profileFailsScript, run: 3, outcome: "ABORT", decision: exitOne, code: `"go test ./..." ended with 2`},
	{id: "D19", says: "the guards of a profile go into the brief", story: "handoff-brief", run: 2, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen, brief: `git diff --name-only`},
	{id: "D20", says: "mode drift in both modes", story: "mode-drift", run: 2, outcome: "ABORT", decision: plan.Stop, code: plan.ModeDrift, kept: "mode X"},
	{id: "D21", says: "versions of an imported state", story: "state-import", run: 3, outcome: "CONTINUE", decision: plan.Act, code: plan.StateImported, kept: "fixIterations 2"},
	{id: "D22", says: "a red head of somebody else's is not the agent's", story: "mode-y-red", run: 5, outcome: "ABORT", decision: plan.Stop, code: plan.ChecksFailed},
	{id: "D22", says: "one of its own is", story: "mode-y-red", run: 4, outcome: "ABORT", decision: plan.Stop, code: plan.AgentRed, kept: "reviewIteration 1"},
	{id: "D23", says: "an empty diff is no approval", story: "mode-y-empty", run: 1, outcome: "PAUSE", decision: plan.Stop, code: plan.AgentEmpty},
	{id: "D24", says: "a force-push", story: "mode-y-rewritten", run: 2, outcome: "PAUSE", decision: plan.Stop, code: plan.AgentRewrote},
	{id: "D25", says: "refusal and approval by words", story: "mode-y-refuses", run: 3, outcome: "PAUSE", decision: plan.Stop, code: plan.AgentRefuses},
	{id: "D26", says: "only commits and verdicts are activity", story: "mode-y-silent", run: 6, outcome: "ABORT", decision: plan.Stop, code: plan.AgentInactive},
	{id: "D27", says: "a pause can be approved", story: "mode-y-approved", run: 5, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.Converged, kept: "proof of"},
	{id: "D27", says: "of a fixer's push too", story: "report-tamper-approved", run: 6, outcome: "CONTINUE", decision: plan.Act, code: plan.ReportAccepted},
	{id: "D28", says: "triggered once", story: "mode-y", run: 2, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForAgent},
	{id: "D29", says: "a person's thread is work", story: "threads-of-others", run: 4, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},
	{id: "D30", says: "the version of an imported state", story: "state-import", run: 1, outcome: "ABORT", decision: exitOne, code: "stateSchemaVersion is"},
	{id: "D31", says: "5/5 and an open thread", config: "reviewers: {cursor: true}", script: fiveAndOpenScript, run: 1, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},
	{id: "D32", says: "what a failed gate keeps", story: "merge-gates", run: 7, outcome: "SUCCESS_STOP", decision: plan.Done, code: plan.BaseNotAllowed, kept: "proof of 114b47c"},
	{id: "D33", says: "no thread is no review of the head", story: "copilot-two-findings", run: 5, outcome: "CONTINUE", decision: plan.Act, code: plan.ReviewRequested},
	{id: "D34", says: "each reviewer is waited for by itself", story: "cursor-and-copilot", run: 2, outcome: "CONTINUE", decision: plan.Wait, code: plan.WaitingForReview},
	{id: "D35", says: "somebody else's red check as work", story: "report-without-thread", run: 4, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen},
	{id: "D36", says: "files out of the repository are refused", story: "report-refused", run: 7, outcome: "ABORT", decision: exitOne, code: "leads out of the repository"},
	{id: "D37", says: "suppressed findings go into the brief", story: "handoff-brief", run: 2, outcome: "CONTINUE", decision: plan.Handoff, code: plan.FeedbackOpen, brief: `null-check`},
	{id: "D38", says: "a fork's head", story: "fork-read-only", run: 2, outcome: "CONTINUE", decision: plan.Wait, code: plan.ReadOnlyToken},
}

const (
	ownPushRedScript = `
check build takes=1m conclusion=SUCCESS,FAILURE
round v2 a.go:3 "This can be nil."
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
push by=mona paths=a.go
report fixed.json
advance 2m
run workflow_run completed
-- fixed.json --
{"handoff": {"pr": 7, "head": "{handed}", "number": 1}, "head": "{head}", "status": "complete",
 "items": [{"finding": "{finding1}", "action": "fix", "commit": "{head}", "files": ["a.go"]}]}
`
	blockedScript = reviewedScript + `report blocked.json
-- blocked.json --
{"handoff": {"pr": 7, "head": "{handed}", "number": 1}, "head": "{head}", "status": "blocked", "nextAction": "Decide whether New may return nil"}
`
	profileFailsScript = reviewedScript + `push by=mona paths=a.go
report red.json
-- red.json --
{"handoff": {"pr": 7, "head": "{handed}", "number": 1}, "head": "{head}", "status": "complete",
 "items": [{"finding": "{finding1}", "action": "fix", "commit": "{head}", "files": ["a.go"]}],
 "checks": [{"cmd": "go test ./...", "exit": 2}]}
`
	fiveAndOpenScript = `
account cursor[bot]
check build takes=1m
open by=mona
advance 4m
review by=cursor[bot] body="Score: 5/5" a.go:3 "This can be nil."
run pull_request_review submitted
`
)

// Each row of seed 001's stop table, each of its acceptance scenarios and each of
// its defects comes to what the seed wants, and is printed with what the journal
// keeps of it. Rows with different outcomes never share a reason code.
func TestAcceptance(t *testing.T) {
	outcomes := map[string]string{} // by decision and code
	lines := make([]string, len(acceptanceRows))
	t.Run("rows", func(t *testing.T) {
		for i, row := range acceptanceRows {
			if row.missing != "" {
				lines[i] = fmt.Sprintf("%-16s not built: %s (%s)", row.id, row.missing, row.says)
				continue
			}
			key := string(row.decision) + " " + string(row.code)
			if was, ok := outcomes[key]; ok && was != row.outcome {
				t.Errorf("%s: %s is the outcome %s here, and %s elsewhere", row.id, key, row.outcome, was)
			}
			outcomes[key] = row.outcome
			t.Run(row.id, func(t *testing.T) {
				t.Parallel()
				lines[i] = row.play(t)
			})
		}
	})
	t.Logf("id, decision, reason code, what is kept:\n%s", strings.Join(lines, "\n"))
}

// play plays the row, and returns its line.
func (row acceptance) play(t *testing.T) string {
	t.Helper()
	var s Story
	if row.script != "" {
		s = waiting(t, row.config, row.script)
	} else {
		s = story(t, row.story)
	}
	told := play(t, untilRun(t, s, row.run), Options{})
	r := told.Runs[row.run-1]
	kept := keptOf(told.World)
	if !strings.Contains(kept, row.kept) {
		t.Errorf("the journal keeps %q, want %q among it", kept, row.kept)
	}
	if row.decision == exitOne {
		e, ok := errors.AsType[*fail.Error](r.Err)
		if !ok || r.Exit != 1 || !strings.Contains(e.Error(), string(row.code)) {
			t.Fatalf("run %d ends with %d and %v, want an error with %q", row.run, r.Exit, r.Err, row.code)
		}
		return fmt.Sprintf("%-16s %s (%s); %s", row.id, exitOne, row.code, kept)
	}
	if len(r.Runs) == 0 {
		t.Fatalf("run %d ends with %v, want %s (%s)", row.run, r.Err, row.decision, row.code)
	}
	one := r.Runs[0]
	if one.Decision != string(row.decision) || one.Code != string(row.code) {
		t.Errorf("run %d decides %s (%s), want %s (%s)", row.run, one.Decision, one.Code, row.decision, row.code)
	}
	if !strings.Contains(one.Brief, row.brief) {
		t.Errorf("the brief has no %q:\n%s", row.brief, one.Brief)
	}
	if one.Decision == string(plan.Done) && !one.NextWake.IsZero() {
		t.Errorf("it is done, and looks again at %s", one.NextWake)
	}
	merges := strings.Contains(s.Config, "autoMerge") || strings.Contains(row.config, "autoMerge")
	for _, q := range told.World.Log() {
		if mergeCall(q) && !merges {
			t.Errorf("request %d would merge", q.N)
		}
	}
	return fmt.Sprintf("%-16s %s (%s); %s", row.id, one.Decision, one.Code, kept)
}

// untilRun is s up to its run n.
func untilRun(t *testing.T, s Story, n int) Story {
	t.Helper()
	for i, l := range s.Lines {
		switch l.Name {
		case "run", "report":
			n--
		case "times":
			many, err := strconv.Atoi(l.Args[0])
			if err != nil {
				t.Fatal(err)
			}
			n -= many
		}
		if n <= 0 {
			s.Lines = s.Lines[:i+1]
			return s
		}
	}
	t.Fatalf("%s has %d runs too few", s.Name, n)
	return s
}

// keptOf is what the journal of #7 keeps.
func keptOf(w *githubtest.World) string {
	for _, c := range w.Pull(7).Comments {
		if !strings.EqualFold(c.Author, githubtest.ActionsBot) || !strings.Contains(c.Body, journalMark) {
			continue
		}
		if j, _, err := journal.Decode(c.Body, nil); err == nil {
			return strings.TrimSpace(kept(j))
		}
	}
	return "no journal"
}

// A row may say that a feature is not built only as long as that is so.
func TestWhatIsNotBuiltIsNotThere(t *testing.T) {
	lacking := map[string][]string{}
	for _, row := range acceptanceRows {
		if row.missing != "" {
			lacking[row.missing] = append(lacking[row.missing], row.id)
		}
	}
	for name, f := range seedFeatures {
		if len(lacking[name]) == 0 {
			t.Errorf("no row lacks %s; take it out of the list", name)
		}
		for _, why := range seenBy(f.words, f.key, f.gone, plan.Reasons) {
			t.Errorf("%s is there (%s), so these rows must be played: %s", name, why, strings.Join(lacking[name], ", "))
		}
		delete(lacking, name)
	}
	for name, ids := range lacking {
		t.Errorf("%q is no feature of the list; rows %s", name, strings.Join(ids, ", "))
	}
	// The check sees what it looks for.
	if why := seenBy([]string{"wait_cap"}, "pollTickCap", "no_such_code", plan.Reasons); len(why) != 4 {
		t.Errorf("of two reason codes, a key and a code that is gone it sees %q", why)
	}
}

// seenBy says by what a feature is seen to be there.
func seenBy(words []string, key string, gone plan.Code, reasons []plan.Reason) []string {
	var why []string
	stands := false
	for _, r := range reasons {
		stands = stands || r.Code == gone
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(string(r.Code), w) }) {
			why = append(why, "reason code "+string(r.Code))
		}
	}
	if gone != "" && !stands {
		why = append(why, "no reason code "+string(gone))
	}
	if i := slices.IndexFunc(config.Keys, func(k config.Key) bool { return k.Path == key }); i >= 0 && !config.Keys[i].Later {
		why = append(why, "configuration key "+key)
	}
	return why
}
