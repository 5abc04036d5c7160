package conductor

import (
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/loose"
)

// rules is the priority order of seed 004, with its numbers
// (ROUTING-PRIORITY-ORDER). Read from the top: the first row that holds
// decides. Above the seed's rows stand the pre-checks, which fail closed
// (ROUTING-FAIL-CLOSED-RECONCILE) before anything else is looked at; 6a is
// design 3's.
var rules = []rule{
	{id: "0a", when: badTarget, then: NeedsReconcile, why: UnknownState, preCheck: true},
	{id: "0b", when: noCopilotState, then: NeedsReconcile, why: UnknownState, preCheck: true},
	{id: "0c", when: noReviewerState, then: NeedsReconcile, why: UnknownState, preCheck: true},
	{id: "1", when: duplicateOwners, then: NeedsReconcile, why: OwnershipConflict},
	{id: "2", when: copilotIs("the pull request is merged or closed", "done"), then: DoneTerminal},
	{id: "3", when: copilotIs("there is no pull request", "no_pr"), then: StopNeedsHuman, why: PRNotReady},
	{id: "4", when: copilotIs("Copilot cannot be asked for a review", "review_request_unavailable"), then: StopNeedsHuman, why: ReviewUnavailable},
	{id: "5", when: copilotIs("the Copilot loop is blocked", blocked), then: StopNeedsHuman, why: CopilotBlocked},
	{id: "6", when: reviewerIs("the reviewer loop is blocked", blocked), then: StopNeedsHuman, why: ReviewerBlocked},
	{id: "6a", when: copilotIs("every permitted round is spent", "round_cap_reached"), then: StopNeedsHuman, why: RoundCapReached},
	{id: "7", when: all(draft, liveOwner), then: StayWithCurrentLiveOwner},
	{id: "8", when: draft, then: HandoffToCopilotLoop},
	{id: "9", when: copilotIs("Copilot's review of this head is awaited", "waiting_for_copilot_review"), then: ContinueCurrentWait},
	{id: "10", when: all(reviewerActive, liveOwner), then: StayWithCurrentLiveOwner},
	{id: "11", when: reviewerActive, then: HandoffToReviewerLoop},
	{id: "12", when: all(copilotStrong, liveOwner), then: StayWithCurrentLiveOwner},
	{id: "13", when: copilotStrong, then: HandoffToCopilotLoop},
	{id: "14", when: anyWait, then: ContinueCurrentWait},
	{id: "15", when: all(copilotWeak, liveOwner), then: StayWithCurrentLiveOwner},
	{id: "16", when: copilotWeak, then: HandoffToCopilotLoop},
	{id: "17", when: always, then: NeedsReconcile, why: UnknownState},
}

// A rule is one row of the table.
type rule struct {
	id       string
	when     cond
	then     Outcome
	why      StopReason // of a stop or a reconcile, and of nothing else
	preCheck bool       // its envelope has no arguments
}

// first returns the row that decides. It is total: the last row always holds
// (TestSomeRowAlwaysDecides).
func first(in Input) rule {
	for _, r := range rules {
		if r.when.holds(in) {
			return r
		}
	}
	panic("conductor: no rule holds; the table has lost its last row")
}

// The classes of states. Active states of the reviewer loop outrank the
// Copilot loop's; of that loop's, the strong ones win over the reviewer loop's
// waits and the weak ones yield to them. A state that stands nowhere, here or
// in a row of the table, is as good as unknown; waiting_for_review_request is
// one on purpose, so that the Copilot loop alone decides where nobody asked
// for a review.
//
// The last three weak ones are classed by design 3.
var (
	copilotStrongStates = []string{
		"unresolved_feedback_present", "already_fixed_needs_reply_resolve",
	}
	copilotWeakStates = []string{
		"pr_ready_no_feedback", "ready_to_rerequest_review",
		"low_signal_converged", "round_cap_clean_fallback", "internal_tooling_direct_gate",
	}
	copilotWaitStates = []string{
		"waiting_for_copilot_review", "waiting_for_ci",
	}
	reviewerActiveStates = []string{
		"review_requested", "determine_review_plan", "reviews_running", "merge_results", "draft_review_ready",
		"draft_review_posted", "waiting_for_user_submit", "submitted_review", "review_invalidated",
	}
	reviewerWaitStates = []string{
		"waiting_for_author_followup", "waiting_for_re_request",
	}
)

// blocked is a state of both loops.
const blocked = "blocked_needs_user_decision"

// A cond is a condition and the words for it, which the envelope, the
// generated table and the job summary show.
type cond struct {
	says  string
	holds func(Input) bool
}

var (
	badTarget = cond{"the target is missing or malformed", func(in Input) bool {
		return in.Target == nil || in.Target.Repo == "" || in.Target.PR < 1
	}}
	noCopilotState = cond{"the state of the Copilot loop is missing", func(in Input) bool {
		return loose.Trim(in.CopilotState) == ""
	}}
	noReviewerState = cond{"the state of the reviewer loop is missing", func(in Input) bool {
		return loose.Trim(in.ReviewerState) == ""
	}}
	duplicateOwners = cond{"two owners claim the run", func(in Input) bool {
		return in.OwnershipState == DuplicateLocalOwners
	}}
	liveOwner = cond{"a live owner has control", func(in Input) bool {
		return in.OwnershipState == LiveOwner
	}}
	draft          = copilotIs("the pull request is a draft", "pr_draft")
	reviewerActive = reviewerIs("the reviewer loop has work to do", reviewerActiveStates...)
	copilotStrong  = copilotIs("the Copilot loop has feedback to work off", copilotStrongStates...)
	copilotWeak    = copilotIs("the Copilot loop can go on", copilotWeakStates...)
	anyWait        = either("the Copilot loop or the reviewer loop waits",
		copilotIs("", copilotWaitStates...), reviewerIs("", reviewerWaitStates...))
	always = cond{"the states fit no rule", func(Input) bool { return true }}
)

func copilotIs(says string, states ...string) cond {
	return cond{says, func(in Input) bool { return slices.Contains(states, in.CopilotState) }}
}

func reviewerIs(says string, states ...string) cond {
	return cond{says, func(in Input) bool { return slices.Contains(states, in.ReviewerState) }}
}

func either(says string, a, b cond) cond {
	return cond{says, func(in Input) bool { return a.holds(in) || b.holds(in) }}
}

func all(cs ...cond) cond {
	says := make([]string, len(cs))
	for i, c := range cs {
		says[i] = c.says
	}
	return cond{strings.Join(says, ", and "), func(in Input) bool {
		return !slices.ContainsFunc(cs, func(c cond) bool { return !c.holds(in) })
	}}
}

// A Row is one row of the table of priorities, in words.
type Row struct {
	ID         string
	Words      string // the condition, without a full stop
	Outcome    Outcome
	StopReason StopReason // empty where the outcome stops nothing
}

// Table returns the priorities in their order, for documents and the job
// summary.
func Table() []Row {
	table := make([]Row, len(rules))
	for i, r := range rules {
		table[i] = Row{ID: r.id, Words: r.when.says, Outcome: r.then, StopReason: r.why}
	}
	return table
}

// Words returns the condition of the row id, or "" where no row has that id.
func Words(id string) string {
	table := Table()
	if i := slices.IndexFunc(table, func(r Row) bool { return r.ID == id }); i >= 0 {
		return table[i].Words
	}
	return ""
}
