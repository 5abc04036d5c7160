package plan

import (
	"github.com/prloop/prloop/internal/event"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/quest"
)

// A Code is a reason code: why a run decided as it did, in one word that a
// workflow can branch on. The list is closed (Reasons).
type Code string

// The reason codes.
const (
	Draft Code = "draft"

	WaitingForReview Code = "waiting_for_review"

	WaitingForCI Code = "waiting_for_ci"

	RunsNeedApproval Code = "runs_need_approval"

	CheckStale Code = "check_stale"

	RequestBackoff Code = "request_backoff"

	HandedOver Code = "handed_over"

	HeadMoved Code = "head_moved"

	LiveOwner Code = "live_owner"

	FactUnknown Code = "fact_unknown"

	RateLimited Code = "rate_limited"

	ReadOnlyToken Code = "read_only_token"

	NeedsReconcile Code = "needs_reconcile"

	ReviewRequested Code = "review_requested"

	MarkedReady Code = "marked_ready"

	ChecksRerun Code = "checks_rerun"

	HandoffDue Code = "handoff_due"

	FeedbackOpen Code = "feedback_open"

	ReportAccepted Code = "report_accepted"

	ReportIncomplete Code = "report_incomplete"

	ReportStale Code = "report_stale"

	NoReport Code = "no_report"

	FixerParked Code = "fixer_parked"

	TamperPause Code = "tamper_pause"

	GraphBroken Code = "knowledge_graph_broken"

	GraphMissing Code = "knowledge_graph_missing"

	Oscillation Code = "oscillation"

	ThirdRaise Code = "third_raise"

	FixIterationCap Code = "fix_iteration_cap"

	PushbackCap Code = "pushback_cap"

	Stalled Code = "stalled"

	WallClockCap Code = "wall_clock_cap"

	DeclinedAgain Code = "declined_again"

	SingleDone Code = "single_iteration_done"

	SingleIncomplete Code = "single_iteration_incomplete"

	Settling Code = "settling"

	CheckpointA Code = "checkpoint_a"

	CheckpointB Code = "checkpoint_b"

	CheckpointShadow Code = "checkpoint_shadow"

	RevisionAsked Code = "revision_asked"

	Claimed Code = "claimed"

	Rejected Code = "rejected"

	FinalPass Code = "final_pass"

	FinalPassAsked Code = "final_pass_asked"

	FinalPassDisagrees Code = facts.PassDisagrees

	FinalPassSilent Code = "final_pass_no_answer"

	RecapDue Code = "recap_due"

	RecapOut Code = "recap_out"

	RecapAsked Code = "recap_asked"

	RecapHandoff Code = "recap_handoff"

	PausedByCommand Code = "paused_by_command"

	StoppedByCommand Code = "stopped_by_command"

	Left Code = Code(journal.Left)

	WaitingForParent Code = "waiting_for_parent"

	ParentOver Code = "parent_over"

	IssueWork Code = "issue_work"

	IssueWorkOut Code = "issue_work_out"

	WaitingForPullRequest Code = "waiting_for_pull_request"

	IssueUnclear Code = "issue_unclear"

	ResearchComplete Code = Code(quest.ResearchComplete)

	CannotReproduce Code = Code(quest.CannotReproduce)

	IssueInherited Code = "issue_inherited"

	IssueClosed Code = "issue_closed"

	ForkHeadNotCleared Code = "fork_head_not_cleared"

	ReviewDue Code = "review_due"

	Reviewing Code = "reviewing"

	ReviewPrepared Code = facts.TopicPrepared

	StateImported Code = "state_imported"

	Duplicate Code = "duplicate"

	AgentRed Code = "agent_ci_failed"

	CommandReviewDue Code = "command_reviewer_due"

	CommandReviewOut Code = "command_reviewer_out"

	NotSubmitted Code = "review_not_submitted"

	ReviewInvalidated Code = "review_invalidated"

	ReviewerBlocked Code = "reviewer_blocked"

	WaitingForFollowup Code = "waiting_for_author_followup"

	WaitingForReRequest Code = "waiting_for_re_request"

	ReviewerRefuses Code = "reviewer_refuses"

	ModeDrift Code = "mode_drift"

	WaitingForAgent Code = "waiting_for_agent"

	WaitingForVerdicts Code = "waiting_for_verdicts"

	AgentAsked Code = "agent_asked"

	AgentJudged Code = "agent_judged"

	VerdictsDue Code = "verdicts_due"

	AgentNeedsUser Code = "agent_needs_user_token"

	AgentRefuses Code = "agent_refuses"

	AgentContent Code = "agent_content_without_commits"

	AgentInactive Code = "agent_inactive"

	AgentPaused Code = "agent_paused"

	AgentEmpty Code = "agent_empty_diff"

	AgentRewrote Code = "agent_history_rewritten"

	AgentPushbackCap Code = "agent_pushback_cap"

	ReviewUnavailable Code = "review_unavailable"

	Unregistered Code = "review_request_unregistered"

	RequestFailed Code = "request_failed"

	ReviewWaitCap Code = "review_wait_cap"

	LayoutUnknown Code = "review_layout_unknown"

	ReviewErrors Code = "review_errors"

	ReviewQuota Code = "review_quota"

	NothingToReview Code = "nothing_to_review"

	ChecksFailed Code = "checks_failed"

	OwnPushFailed Code = "own_push_failed"

	NoChecks Code = "no_checks"

	CIWaitCap Code = "ci_wait_cap"

	MergeConflict Code = "merge_conflict"

	RoundCapReached Code = "round_cap_reached"

	ThreadLimit Code = "thread_limit"

	BudgetExhausted Code = "budget_exhausted"

	HeadBranchGuard Code = "head_branch_guard"

	MissingRight Code = "missing_right"

	NotWritable Code = "journal_not_writable"

	Unavailable Code = "github_unavailable"

	WaitingForMerge Code = "waiting_for_merge"

	MergeStateUnknown Code = "merge_state_unknown"

	Merging Code = "merging"

	MergeQueued Code = "merge_queued"

	MergeMade Code = "merge_made"

	MergeDisarmed Code = "merge_disarmed"

	BranchUpdated Code = "branch_updated"

	ApprovalNeeded Code = "approval_needed"

	ReadyPaused Code = "ready_while_paused"

	ReadyDraft Code = "ready_while_draft"

	MergeChecks Code = "merge_checks_not_green"

	MergeWithoutChecks Code = "merge_without_checks"

	ChangesRequested Code = "changes_requested"

	ThreadsOpen Code = "merge_threads_open"

	NothingToMerge Code = "nothing_to_merge"

	MergeConflicts Code = "merge_conflicts"

	MergeBehind Code = "merge_behind"

	MergeBlocked Code = "merge_blocked"

	LandRefused Code = "land_refused"

	MergeTakenBack Code = "merge_taken_back"

	MergeStuck Code = "merge_stuck"

	ApprovedByHand Code = "approved_merge_by_hand"

	MergeClosed Code = "merge_closed"

	BaseNotAllowed Code = "base_not_allowed"

	Converged Code = "converged"

	LowSignal Code = "low_signal_converged"

	CapClean Code = "round_cap_clean_fallback"

	DirectGate Code = "internal_tooling_direct_gate"

	Watching Code = "watching"

	RegressionSeen Code = "regression_seen"

	RevertOpened Code = "revert_opened"

	RolledBack Code = "rolled_back"

	RevertClosed Code = "revert_closed"

	RevertFailed Code = "revert_failed"

	WatchedClean Code = "watched_clean"

	WatchedNothing Code = "watched_nothing"

	WatchedUnclear Code = "watched_unclear"

	RevertReceipt Code = "rollback_receipt"

	Merged Code = "merged"

	Closed Code = "closed"

	Paused Code = "paused"

	SkipLabel Code = "skip_label"

	NotSelected Code = "not_selected"

	NotEnrolled Code = "not_enrolled"

	NoPullRequest Code = "no_pull_request"

	UnsupportedEvent Code = Code(event.UnsupportedEvent)

	NotAPullRequest Code = Code(event.NotAPullRequest)

	EventIgnored Code = Code(event.EventIgnored)
)

// A Reason is one reason code with its words.
type Reason struct {
	Code     Code
	Decision Decision // the decision that it goes with
	Says     string   // one sentence for the README, without a full stop
	ToDo     string   // what a person can do; empty where nothing is to be done
	Calls    bool     // it calls a person: one short comment, once for each head
}

// Reasons is the closed list of reason codes, in the order of the README.
var Reasons = []Reason{
	{Draft, Wait, "The pull request is a draft", "Mark it ready for review", false},
	{WaitingForReview, Wait, "A review was asked for and has not come yet", "", false},
	{WaitingForCI, Wait, "Checks of the head are running, or have not begun", "", false},
	{RunsNeedApproval, Wait, "Workflow runs of the head wait for somebody to approve them", "Open the checks of the pull request and press \"Approve and run\"", false},
	{CheckStale, Wait, "GitHub marked a check of the head stale, so it will not end by itself", "Re-run the stale check", false},
	{RequestBackoff, Wait, "A review request was dropped by GitHub, and is tried again later", "", false},
	{HandedOver, Wait, "The open findings of this head were handed over", "Push a fix, or answer or resolve the threads", false},
	{ReportIncomplete, Wait, "A report was accepted, and not all of its answers are on the pull request yet", "Re-run the report job", false},
	{CommandReviewOut, Wait, "A job of yours reviews the head, as one of the loop's reviewers", "", false},
	{Reviewing, Wait, "A job of yours prepares the review that was asked of the account of user-token", "", false},
	{ReviewPrepared, Wait, "A review is prepared and waits for its author to submit it", "Open the changed files of the pull request, read the pending review, and submit it", true},
	{WaitingForFollowup, Wait, "The submitted review asks for changes", "Push what it asks for, then ask for the review again", false},
	{WaitingForReRequest, Wait, "The submitted review asked for changes, and the head has moved since", "Ask for the review again", false},
	{CheckpointA, Wait, "What was found waits at checkpoint A for a person's approval (checkpoints.A: blocking)", "Look at what was found; comment `/prloop approve A` to let the work begin, `/prloop revise` to have it reviewed again, or `/prloop reject`", true},
	{CheckpointB, Wait, "The work waits at checkpoint B for a person's approval (checkpoints.B: blocking)", "Comment `/prloop approve B` to hand the work over, `/prloop revise` to change first what is to be done, or `/prloop reject`", true},
	{CheckpointShadow, Wait, "A checkpoint is in shadow mode: decisions are put on record and move nothing", "Change the mode of the checkpoint to let prloop go on, or go on by hand", true},
	{IssueWorkOut, Wait, "Research, a reproduction, a plan or a fix of an issue was handed over", "Report on it (command: report), or open a pull request that closes the issue", false},
	{WaitingForPullRequest, Wait, "The fix of an issue is reported, and no pull request closes it yet", "Open the pull request, and let its text say that it closes the issue", false},
	{WaitingForParent, Wait, "It is stacked on another pull request, which has not landed yet (select.stacked)", "Merge that one first", false},
	{Settling, Wait, "The head looks converged, and a second look is to show the same (settle)", "", false},
	{FinalPass, Wait, "All else is there for the head to have converged, and a reviewer of the final pass was asked and has not answered yet", "", false},
	{RevisionAsked, Wait, "A person sent it back at a checkpoint, and nothing has changed since", "Push, or change what is open: resolve, answer or dismiss findings, or start new threads", false},
	{Claimed, Wait, "A person holds the review (`/prloop claim`), so prloop begins nothing and decides nothing", "Who claimed it comments `/prloop release` to give it back; an administrator may, too", false},
	{RecapOut, Wait, "A job of yours looks back on all rounds, or reverts those that it named", "", false},
	{RecapAsked, Wait, "A person is asked to look back on all rounds, or to revert those that were named, before the loop goes on", "Report on the hand-over with the step recap (command: report): continue, revert-and-ship with the rounds, or handoff", true},
	{WaitingForAgent, Wait, "Copilot's coding agent was asked, and no commit of it has come yet", "", false},
	{WaitingForVerdicts, Wait, "A job of yours judges what Copilot's coding agent pushed", "", false},
	{Watching, Wait, "It is merged, and checks and deployments of the merge commit are watched (watch.minutes)", "", false},
	{RolledBack, Wait, "A pull request that takes the merge back is open; once it is merged, this one is over", "Review and merge the revert; close it to keep the change", true},
	{WaitingForMerge, Wait, "GitHub has the merge, and has not made it yet", "", false},
	{MergeStateUnknown, Wait, "GitHub has not worked out yet whether the pull request can be merged", "", false},
	{HeadMoved, Wait, "The head moved while the step was acting", "", false},
	{LiveOwner, Wait, "Another run of prloop is acting on this pull request", "", false},
	{FactUnknown, Wait, "A fact that the decision needs could not be read in full", "", false},
	{RateLimited, Wait, "GitHub's rate limit is used up until the stated time", "", false},
	{ReadOnlyToken, Wait, "The token of this run may only read, so nothing was written", "Let a schedule run do it: it has a token that writes", false},

	{NeedsReconcile, Act, "Two runs began a journal each, and they were joined into one", "", false},
	{ReviewRequested, Act, "A review of the head was asked for", "", false},
	{FinalPassAsked, Act, "All else is there for the head to have converged, and the reviewers of the final pass (`final-only`) were asked", "", false},
	{AgentAsked, Act, "Copilot's coding agent was asked to work on the head, by a mention", "", false},
	{AgentJudged, Act, "What Copilot's coding agent pushed was judged, hunk by hunk, in one comment", "", false},
	{MarkedReady, Act, "The draft was marked ready for review", "", false},
	{ChecksRerun, Act, "A check failed that has passed on this head before, and is run again once", "", false},
	{StateImported, Act, "A state file of pr-autopilot was taken over: its counts, its mode and what it had declined", "", false},
	{ReportAccepted, Act, "A fixer's report was accepted, and the findings were answered by it", "", false},
	{DeclinedAgain, Act, "Findings that were declined before came back, and were answered by reference to the first answer", "", false},

	{RevertOpened, Act, "The pull request that takes the merge back was opened", "", false},
	{Merging, Act, "Every gate of the merge is open, and it is asked of GitHub", "", false},
	{MergeQueued, Act, "GitHub took the merge on: it makes it as soon as nothing holds it back, or by its queue", "", false},
	{MergeMade, Act, "prloop merged the pull request", "", false},
	{MergeDisarmed, Act, "A merge that prloop had armed was taken back, because prloop was switched off", "", false},
	{BranchUpdated, Act, "The head was behind its base and was brought up to date (autoMerge.updateBranch); the new head is reviewed again", "", false},

	{ReviewInvalidated, Act, "The prepared review was of an older head and was discarded", "", false},

	{ReviewDue, Handoff, "A review was asked of the account of user-token, and its preparation was handed over in this run", "", false},
	{CommandReviewDue, Handoff, "The review of a reviewer that is a job of yours was handed over in this run (output `should-review`)", "Let the job report on the head, in a report of the step review: findings, verdicts or a score", false},
	{RecapDue, Handoff, "So many rounds are over (recap.interval) that somebody looks back on all of them first, or reverts those that were named, and this was handed over in this run", "Report on the hand-over with the step recap", false},
	{VerdictsDue, Handoff, "What Copilot's coding agent pushed was handed over in this run to be judged (output `should-review`)", "Let a job give a verdict on every hunk, in a report of the step review", false},
	{HandoffDue, Handoff, "Work for a job is open, and this run (a sweep, or one that took a report) starts none: it is in the output `targets` until a step of this pull request alone hands it over", "Let the workflow start a step with the input pr for each of the output targets", false},
	{IssueWork, Handoff, "The next step of an issue was handed over in this run: research, a reproduction, a plan or the fix (output `handoff`, step)", "Do it, and report on it (command: report); a fix opens a pull request that closes the issue", false},
	{FeedbackOpen, Handoff, "Findings are open and were handed over in this run", "Push a fix, or answer or resolve the threads", false},

	{NoReport, Stop, "A fixer job was started twice for the same findings, and neither run reported", "Look at the fixer's job; work the findings off by hand, push, or comment `/prloop retry` to start it once more", true},
	{FixerParked, Stop, "The fixer is blocked, or its time is used up with work still open", "Work the open findings off by hand, push, or comment `/prloop retry` to hand them over once more", true},
	{GraphBroken, Stop, "The folder of the knowledge graph is there, and the graph is not", "Build it anew (graphify extract), or set graphify.advisory: off", true},
	{GraphMissing, Stop, "graphify.advisory is always, and the repository has no knowledge graph", "Build it (graphify extract), or set graphify.advisory: auto", true},
	{TamperPause, Stop, "The push that a report claims changes what a fixer must not change by itself", "Look at the named change; revert it, or comment `/prloop approve` to keep it, and re-run the report job", true},
	{NotSubmitted, Stop, "A prepared review was not submitted within its time (reviewerLoop.waitCap)", "Submit it; or, where it is no more, comment `/prloop retry` to have it prepared once more", true},
	{ReviewerBlocked, Stop, "A review that a job of yours was to prepare, or to give, could not be", "Look at the report job; review by hand, push, or comment `/prloop retry` to have it done once more", true},
	{Oscillation, Stop, "The rounds go in circles: an edit is made, taken back and asked for again", "Decide which of the two it shall be, and answer or resolve the threads, or comment `/prloop resume` to let it go on", true},
	{SingleDone, Stop, "There is no review (singleIteration), what was open was worked off once, and nothing awaits an answer", "Review it yourself, and merge it; a comment of yours in a thread starts another iteration", true},
	{SingleIncomplete, Stop, "There is no review (singleIteration), what was open was worked off once, and something is still open", "Answer or resolve the open threads; a comment of yours in one starts another iteration", true},
	{RecapHandoff, Stop, "The look back on all rounds handed the pull request to a person, or nobody answered it in time", "Decide how it goes on: comment `/prloop resume` to continue, or report on the newest hand-over with the step recap (command: report), which counts late too", true},
	{ThirdRaise, Stop, "A finding that was answered twice was raised for the third time", "Decide it: change the code, answer or resolve the thread yourself, or comment `/prloop resume` to hand it over all the same", true},
	{FinalPassDisagrees, Stop, "A reviewer of the final pass found something, and that is a person's to weigh", "Answer or resolve its threads, dismiss what has none, or push; comment `/prloop resume` to hand it to the fixer instead", true},
	{FinalPassSilent, Stop, "A reviewer of the final pass gave no answer within its time, which is not a pass", "Review it yourself and merge it, or comment `/prloop retry` to wait once more", true},
	{FixIterationCap, Stop, "As many fixes are made as fixIterationCap allows, and findings are open", "Work the open findings off by hand, raise fixIterationCap, or comment `/prloop retry` for one more fix", true},
	{PushbackCap, Stop, "As many rounds as fixIterationCap allows ended with every finding declined, and findings are open again", "Decide the open findings yourself: change the code, answer or resolve the threads, or comment `/prloop retry` for one more round", true},
	{Stalled, Stop, "It was prloop's turn, and nothing has changed for as long as stallTickCap allows", "Look at the named fact or report; re-run the job, push, or comment `/prloop retry` to wait once more", true},
	{WallClockCap, Stop, "The loop has taken as long as wallClockCap allows", "Finish by hand, raise wallClockCap, or comment `/prloop retry` for as long again", true},
	{AgentNeedsUser, Stop, "Copilot's coding agent fixes here (Mode Y), and it listens to people alone", "Give prloop the user-token of a person with write access and a Copilot seat", true},
	{AgentRefuses, Stop, "Copilot's coding agent says that it will not work on this, or cannot", "Read what it says; do the work by hand and push, or comment `/prloop retry` to ask it once more", true},
	{AgentContent, Stop, "Copilot's coding agent approves, and changed nothing: that alone is no review", "Review the pull request yourself; then merge it, push, or comment `/prloop approve` to let it go on", true},
	{AgentInactive, Stop, "Copilot's coding agent did nothing within its time", "Look at the agent's quota and at its session; push, or comment `/prloop retry` to ask it once more", true},
	{AgentPaused, Stop, "The verdict on what Copilot's coding agent pushed is PAUSE: a person has to decide about it", "Read the verdict comment; push what shall be instead, or comment `/prloop approve` to accept this head", true},
	{AgentEmpty, Stop, "Copilot's coding agent opened the pull request, and nothing is changed in it", "Wait for its commits, or close the pull request", true},
	{AgentRewrote, Stop, "The branch was rewritten since its commits were judged last, so what is new cannot be told", "Read the whole change yourself; then merge it, or comment `/prloop approve` to accept this head", true},
	{AgentPushbackCap, Stop, "As many verdicts went back to Copilot's coding agent as fixIterationCap allows, and the newest asks for changes still", "Finish the open work by hand, raise fixIterationCap, or comment `/prloop retry` to send it back once more", true},
	{IssueUnclear, Stop, "Nobody with write permission has said what the issue is about, and the words of others go to no job", "Describe it in a comment", true},
	{ResearchComplete, Stop, "The research of an issue is complete, and was all that was asked for (issues.route: research_only)", "Read it; comment `/prloop resume` to go on to the fix, or close the issue", true},
	{CannotReproduce, Stop, "What an issue describes could not be reproduced", "Say in a comment how to see it, then comment `/prloop resume`; or close the issue", true},
	{ParentOver, Stop, "The pull request on whose branch it is stacked is over, and it still goes into that branch", "Change its base branch, or close it", true},
	{RegressionSeen, Stop, "A check or a deployment fails on the merge commit that passed on the commit before it", "Comment `/prloop revert` to open the revert, or `/prloop resume` to let it go on", true},
	{RevertClosed, Stop, "The pull request that would take the merge back was closed without a merge", "Comment `/prloop revert` to open another, or `/prloop resume` to let it go on", true},
	{RevertFailed, Stop, "The pull request that takes the merge back could not be opened: a right is missing, the repository does not let workflows open pull requests (Settings, Actions, General), or the change cannot be reverted by itself any more", "Mend that and comment `/prloop revert`, or revert it by hand", true},
	{PausedByCommand, Stop, "A person paused it by a comment; it stays exactly where it is", "Comment /prloop resume to go on", false},
	{ForkHeadNotCleared, Stop, "The head lives in a fork, and nobody with write permission has cleared it for the fixer's job", "Look at the head, then comment /prloop start to clear it", true},
	{ReviewUnavailable, Stop, "A review that the loop needs cannot be asked for here with this token", "Give prloop a user-token of a person with write access and a Copilot seat, or let a ruleset of the base branch ask for the review", true},
	{ReviewerRefuses, Stop, "A reviewer that the loop needs says that it will not review, or that its quota is used up", "Read what it says, and mend that with the reviewer; or set required: false for it", true},
	{Unregistered, Stop, "GitHub accepted the review request again and again and registered none", "Look at the quota of the account that asks; ask for the review by hand, or comment `/prloop retry`", true},
	{RequestFailed, Stop, "The review request failed in a way that prloop does not know", "The log of the run has GitHub's answer; ask for the review by hand, or comment `/prloop retry`", true},
	{ReviewWaitCap, Stop, "The review did not come within its time", "Ask for the review by hand, push a new commit, or comment `/prloop retry` to wait once more", true},
	{LayoutUnknown, Stop, "The review says nothing that prloop can read, which is not a clean review", "Read the review yourself; or comment `/prloop retry` to ask once more", true},
	{ReviewErrors, Stop, "Copilot answered twice for this head that it met an error", "Push a new commit, or comment `/prloop retry` later to ask once more", true},
	{ReviewQuota, Stop, "The quota for Copilot's reviews is used up", "Wait until the stated time, or raise the quota", true},
	{NothingToReview, Stop, "Copilot found no file in this pull request that it reviews", "Let a person review it", true},
	{ChecksFailed, Stop, "Checks of the head failed", "Mend what the failing checks show, and push", true},
	{OwnPushFailed, Stop, "Checks failed on what the fixer pushed", "Look at what it pushed: mend it or take it back, and push", true},
	{AgentRed, Stop, "Checks failed on what Copilot's coding agent pushed, and was judged", "Look at what it pushed: mend it or take it back, and push", true},
	{NoChecks, Stop, "No check has begun on this head: there is no CI (then set gates.preApproval.requireCi: false), it was pushed with the workflow token (which starts no workflows), or its runs wait for approval", "Find out which of the three it is; comment `/prloop retry` to wait once more", true},
	{CIWaitCap, Stop, "Checks were waited for as long as ci.waitCap allows", "Look at why the pending checks do not end, and re-run them; comment `/prloop retry` to wait once more", true},
	{MergeConflict, Stop, "The pull request has conflicts, so its checks cannot start", "Resolve the conflicts with the base branch", true},
	{RoundCapReached, Stop, "The rounds of refinement.maxCopilotRounds are spent, and work is still open", "Finish the open work by hand, raise refinement.maxCopilotRounds, or comment `/prloop retry` for one more round", true},
	{ThreadLimit, Stop, "More threads are open than maxOpenThreads allows", "Answer or resolve threads, or raise maxOpenThreads", true},
	{BudgetExhausted, Stop, "A budget of the configuration is used up", "Raise the named budget, or wait until it is free again", true},
	{ApprovalNeeded, Stop, "The loop has come to an end that a person has to approve before prloop merges", "Approve the pull request, or comment `/prloop approve C`, and prloop merges it; or merge it yourself", true},
	{ReadyPaused, Stop, "The head is ready to be merged, and a person paused it", "Comment `/prloop resume`, or merge it yourself", true},
	{ReadyDraft, Stop, "The head is ready to be merged, and the pull request is a draft", "Mark it ready for review, or merge it yourself", true},
	{MergeChecks, Stop, "The head is ready to be merged, and checks of it failed", "Mend what the failing checks show, and push; or merge it yourself", true},
	{MergeWithoutChecks, Stop, "The head is ready to be merged, and no check counts for it, which is not green", "Merge it yourself, or set autoMerge.withoutChecks: true", true},
	{ChangesRequested, Stop, "The head is ready to be merged, and a person's review that asks for changes stands", "Settle it with the reviewer: a new review of theirs, or its dismissal, lets prloop go on", true},
	{ThreadsOpen, Stop, "The head is ready to be merged, and review threads are open", "Resolve the open threads; those of people count for nothing with people: ignore", true},
	{NothingToMerge, Stop, "The pull request changes no file, so there is nothing to merge", "Push the change, or close the pull request", true},
	{MergeConflicts, Stop, "The head is ready to be merged, or waits for that at GitHub, and it has conflicts with its base", "Resolve the conflicts with the base branch, and push", true},
	{MergeBehind, Stop, "The head is ready to be merged, and the base wants it up to date", "Update the branch, or set autoMerge.updateBranch: true", true},
	{MergeBlocked, Stop, "GitHub refuses the merge, because a rule of the base is not met, or its way is not allowed", "Look at what the pull request still lacks (an approval perhaps), then comment `/prloop retry`; or merge it yourself", true},
	{LandRefused, Stop, "GitHub refuses the merge for a reason that prloop does not know", "Look at the log of the run, then comment `/prloop retry`; or merge it yourself", true},
	{MergeTakenBack, Stop, "The merge that prloop armed is armed no more, and the pull request is not merged: somebody disabled it, or the queue let it go", "Comment `/prloop retry` to have it merged, or merge it yourself", true},
	{MergeStuck, Stop, "GitHub has had the merge for as long as pollTickCap allows, and has not made it", "Look at what holds it back (an approval, a check); it stays armed, and `/prloop retry` waits once more", true},
	{HeadBranchGuard, Stop, "The head is a branch that prloop never works on", "Open the pull request from a branch of its own", false},
	{ModeDrift, Stop, "The configuration means another mode of fixing than the one that this pull request was begun in", "Restore the configuration, or delete prloop's status comment here to begin anew in the new mode", true},
	{MissingRight, Stop, "A right is missing that the next step needs", "Grant the named permission in the workflow; what was refused is tried again after `/prloop retry`", true},
	{NotWritable, Stop, "The journal comment cannot be written, so nothing was done", "Unlock the conversation, or grant pull-requests: write", false},
	{Unavailable, Stop, "GitHub could not be read", "", false},

	{Converged, Done, "The head is reviewed and clean, and nothing is open: it waits for a person to merge", "Merge it", true},
	{ApprovedByHand, Done, "The head has come to its end and a person approved it, and prloop may not merge here", "Merge it", true},
	{MergeClosed, Done, "The head has come to its end, and the merge is closed for prloop (humanMergeOnly, /prloop automerge off)", "Merge it", true},
	{BaseNotAllowed, Done, "The head is ready to be merged, and its base is none that prloop merges into", "Merge it, or name the base in autoMerge.allowedTargetBranches", true},
	{LowSignal, Done, "The last rounds found nothing of weight (refinement.stopOnLowSignal)", "Read it once more, and merge it", true},
	{CapClean, Done, "The rounds are spent and nothing is open", "Read the newest commits yourself, and merge it", true},
	{DirectGate, Done, "The pull request is internal tooling and skips Copilot's review", "Review and merge it", false},
	{IssueInherited, Done, "A pull request closes the issue and has taken its quest over", "", false},
	{IssueClosed, Done, "The issue is closed", "", false},
	{StoppedByCommand, Done, "A person stopped it by a comment", "Comment /prloop start, reopen it or push to begin anew", false},
	{Left, Done, "prloop has left the repository (command: leave), so nothing begins a loop by itself", "Comment /prloop start to take this pull request in again, or reopen the issue of the repository record for all of them", false},
	{Rejected, Done, "A person rejected it at a checkpoint", "Comment /prloop start, reopen it or push to begin anew", false},
	{WatchedClean, Done, "It is merged, and in the time of the watch nothing failed on the merge commit that had passed before", "", false},
	{WatchedNothing, Done, "It is merged, and in the time of the watch no check and no deployment was seen on the merge commit", "", false},
	{WatchedUnclear, Done, "It is merged and the watch is over, and not all of it could be seen or compared: that is not clean", "Look at what is named on the merge commit; comment `/prloop revert` to take the merge back", false},
	{RevertReceipt, Done, "The revert was merged, so the merge is taken back", "", false},
	{Merged, Done, "The pull request is merged", "", false},
	{Closed, Done, "The pull request was closed without a merge", "", false},

	{Paused, Skip, "prloop is switched off by the input paused", "", false},
	{SkipLabel, Skip, "The label prloop:skip leaves the pull request out", "Remove the label to let prloop go on", false},
	{NotSelected, Skip, "The configuration does not select this pull request", "Add the label prloop, or widen select: in the configuration", false},
	{NotEnrolled, Skip, "The pull request is not in the loop, and nothing happened to it lately", "Add the label prloop to take it in", false},
	{Duplicate, Skip, "An older pull request has the same head, and prloop works on that one", "Close one of the two; or add the label prloop, or comment /prloop start, to take this one in as well", false},
	{NoPullRequest, Skip, "There is no open pull request to look at", "", false},
	{ReportStale, Skip, "The report is for an earlier head or an earlier hand-over, so it counts for nothing", "", false},
	{UnsupportedEvent, Skip, "prloop does nothing on this event", "Take the event out of the workflow's triggers", false},
	{NotAPullRequest, Skip, "The event is about an issue, not about a pull request", "", false},
	{EventIgnored, Skip, "The event changes nothing that prloop looks at", "", false},
}

// Find returns the row of code. Every code has one (TestEveryCodeHasARow).
func Find(code Code) Reason {
	for _, r := range Reasons {
		if r.Code == code {
			return r
		}
	}
	panic("plan: reason code " + string(code) + " is not in the list")
}
