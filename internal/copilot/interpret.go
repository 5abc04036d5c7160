package copilot

// Interpret maps a snapshot to exactly one state: the first row of the table
// that holds decides ([Table]). It is total and reads nothing but its
// arguments. AllowedTransitions is a fresh slice, empty where there is no way
// on.
//
// Terminal ends the Copilot loop only; it allows neither a gate nor a merge.
// Clean convergence (SameHeadCleanConverged) is no state of its own: the state
// stays ready_to_rerequest_review, and another request for the same head is
// suppressed (seed 000).
func Interpret(s Snapshot, c Config) Result {
	r := first(s, c)
	row := rowOf(r.then)
	result := Result{
		State:                 r.then,
		Rule:                  r.id,
		AllowedTransitions:    after(r.then),
		NextAction:            row.next,
		RoundCapCleanEligible: r.then == RoundCapCleanFallback,
		LoopDisposition:       row.disposition,
		Terminal:              row.terminal,
	}
	if r.then != ReadyToRerequestReview {
		return result
	}
	result.AutoRerequestEligible = !s.CopilotReviewOnCurrentHead
	result.SameHeadCleanConverged = s.CopilotReviewOnCurrentHead &&
		s.UnresolvedThreadCount == 0 && s.ActionableThreadCount == 0 && !s.CopilotBodyFeedbackUnresolved
	if result.SameHeadCleanConverged {
		result.NextAction = suppressed
		result.LoopDisposition = cleanConverged
		result.Terminal = true
	}
	return result
}
