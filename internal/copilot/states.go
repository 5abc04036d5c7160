package copilot

// states has what each state means for the loop: one row a state, in the
// seed's order. TestStatesAreComplete holds it against the constants.
var states = []stateRow{
	{NoPR, actionRequired, false, "Open a pull request for this work"},
	{PRDraft, actionRequired, false, "Mark the pull request as ready for review"},
	{PRReadyNoFeedback, actionRequired, false, "Ask Copilot for a first review"},
	{WaitingForCopilotReview, pending, false, "Wait for Copilot's review of this head, and ask for nothing meanwhile"},
	{UnresolvedFeedbackPresent, unresolvedFeedback, false, "Fix or decline each open finding, then answer and resolve its thread"},
	{AlreadyFixedNeedsReplyResolve, unresolvedFeedback, false, "Answer and resolve every open thread before the next request"},
	{ReadyToRerequestReview, actionRequired, false, "Ask Copilot to review the new head"},
	{ReviewRequestUnavailable, blocked, true, "Stop: Copilot cannot be asked here; enable its code review or ask somebody else"},
	{WaitingForCI, pending, false, "Wait for the checks of this head"},
	{BlockedNeedsUserDecision, blocked, true, "Stop: a person has to decide how to go on"},
	{Done, done, true, "Nothing is left to do in this loop"},
	{InternalToolingDirectGate, directGate, false, "Go on to the pre-approval gate without a review by Copilot"},
	{LowSignalConverged, done, true, "Ask for no more reviews: the late rounds brought minor remarks only"},
	{RoundCapReached, blocked, true, "Stop: every permitted round is spent, and the head is not clean; a person has to decide"},
	{RoundCapCleanFallback, done, true, "Ask for no more reviews: every permitted round is spent, and the head is clean"},
}

// suppressed takes the place of ready_to_rerequest_review's next action where
// the head is clean by its own review.
const suppressed = "Ask for no further review of this head: it has a clean one; a new head changes that"

type stateRow struct {
	state       State
	disposition string
	terminal    bool // of the Copilot loop; it allows neither a gate nor a merge
	next        string
}

// The values of loopDisposition.
const (
	pending            = "pending"
	unresolvedFeedback = "unresolved_feedback"
	blocked            = "blocked"
	directGate         = "direct_gate"
	done               = "done"
	cleanConverged     = "clean_converged"
	actionRequired     = "action_required"
)

// transitions is the seed's list of required transitions, in its order. It is
// published and advisory: a snapshot may jump (merged by hand, a new push),
// and that is no error. Whatever has no row here has no way on.
var transitions = []Transition{
	{PRDraft, PRReadyNoFeedback, "marked ready"},
	{PRReadyNoFeedback, WaitingForCopilotReview, "review asked for"},
	{WaitingForCopilotReview, UnresolvedFeedbackPresent, "reviewed, threads open"},
	{WaitingForCopilotReview, ReadyToRerequestReview, "reviewed, nothing open"},
	{WaitingForCopilotReview, WaitingForCI, "checks run, or have yet to appear"},
	{UnresolvedFeedbackPresent, AlreadyFixedNeedsReplyResolve, "fix applied, threads open"},
	{UnresolvedFeedbackPresent, UnresolvedFeedbackPresent, "one thread at a time"},
	{AlreadyFixedNeedsReplyResolve, ReadyToRerequestReview, "all threads answered and resolved"},
	{ReadyToRerequestReview, WaitingForCopilotReview, "asked again"},
	{ReadyToRerequestReview, ReviewRequestUnavailable, "cannot be asked again"},
	{ReadyToRerequestReview, Done, "complete"},
	{WaitingForCI, PRReadyNoFeedback, "green, no review yet"},
	{WaitingForCI, ReadyToRerequestReview, "green, reviewed before"},
	{WaitingForCI, BlockedNeedsUserDecision, "checks failed"},
	{InternalToolingDirectGate, Done, "on to the pre-approval gate"},
}

// A Transition is an edge of the state graph, with a few words for its label.
type Transition struct {
	From, To State
	Words    string
}

// States returns every state, in the seed's order.
func States() []State {
	all := make([]State, len(states))
	for i, row := range states {
		all[i] = row.state
	}
	return all
}

// Transitions returns the edges of the state graph, in the seed's order.
func Transitions() []Transition {
	return append([]Transition(nil), transitions...)
}

// after returns where s may go next; it is empty, not nil, where nowhere.
func after(s State) []State {
	to := []State{}
	for _, t := range transitions {
		if t.From == s {
			to = append(to, t.To)
		}
	}
	return to
}

func rowOf(s State) stateRow {
	for _, row := range states {
		if row.state == s {
			return row
		}
	}
	panic("copilot: state " + string(s) + " has no row")
}
