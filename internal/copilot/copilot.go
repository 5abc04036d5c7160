// Package copilot is the Copilot loop state machine of seed 000: it maps a
// snapshot of observable facts to exactly one state, by an ordered table of
// which the first row that holds decides.
//
// Start at [Interpret].
package copilot

import (
	"encoding/json"

	"github.com/prloop/prloop/internal/loose"
)

// A State is one state of the Copilot loop, by the seed's name.
type State string

// The states of seed 000, and the three that its refinement owns.
const (
	NoPR                          State = "no_pr"
	PRDraft                       State = "pr_draft"
	PRReadyNoFeedback             State = "pr_ready_no_feedback"
	WaitingForCopilotReview       State = "waiting_for_copilot_review"
	UnresolvedFeedbackPresent     State = "unresolved_feedback_present"
	AlreadyFixedNeedsReplyResolve State = "already_fixed_needs_reply_resolve"
	ReadyToRerequestReview        State = "ready_to_rerequest_review"
	ReviewRequestUnavailable      State = "review_request_unavailable"
	WaitingForCI                  State = "waiting_for_ci"
	BlockedNeedsUserDecision      State = "blocked_needs_user_decision"
	Done                          State = "done"
	InternalToolingDirectGate     State = "internal_tooling_direct_gate"
	LowSignalConverged            State = "low_signal_converged"
	RoundCapReached               State = "round_cap_reached"
	RoundCapCleanFallback         State = "round_cap_clean_fallback"
)

// A RequestStatus is the current known state of the review request.
type RequestStatus string

// The values of copilotReviewRequestStatus (seed 000, "Review request status
// values").
const (
	Requested        RequestStatus = "requested"
	AlreadyRequested RequestStatus = "already-requested"
	Unavailable      RequestStatus = "unavailable"
	NotRequested     RequestStatus = "none"
	RequestFailed    RequestStatus = "failed"
)

// A CIStatus is the rollup of the checks that count.
type CIStatus string

// The values of ciStatus; CrediblyGreen is known to the seed's code only.
const (
	CISuccess     CIStatus = "success"
	CIFailure     CIStatus = "failure"
	CIPending     CIStatus = "pending"
	CINone        CIStatus = "none"
	CrediblyGreen CIStatus = "crediblyGreen"
)

// A Snapshot has the facts of seed 000's schema under its names. Build one
// with [Normalize] where the values come from outside.
type Snapshot struct {
	PRExists                      bool          `json:"prExists"`
	PRNumber                      *int          `json:"prNumber"`
	PRDraft                       bool          `json:"prDraft"`
	PRMerged                      bool          `json:"prMerged"`
	PRClosed                      bool          `json:"prClosed"`
	CopilotReviewRequestStatus    RequestStatus `json:"copilotReviewRequestStatus"`
	CopilotReviewPresent          bool          `json:"copilotReviewPresent"`
	CopilotReviewOnCurrentHead    bool          `json:"copilotReviewOnCurrentHead"`
	UnresolvedThreadCount         int           `json:"unresolvedThreadCount"`
	ActionableThreadCount         int           `json:"actionableThreadCount"`
	CopilotBodyFeedbackUnresolved bool          `json:"copilotBodyFeedbackUnresolved"`
	CIStatus                      CIStatus      `json:"ciStatus"`
	AgentFixStatus                string        `json:"agentFixStatus"` // "applied", or empty for the seed's null
	CopilotReviewRoundCount       int           `json:"copilotReviewRoundCount"`
	LastCopilotRoundMaxSignal     string        `json:"lastCopilotRoundMaxSignal"` // high, mid, low, or empty
	// The two rows around the machine; without these facts they are off.
	CopilotErrorReviewCountOnCurrentHead int    `json:"copilotErrorReviewCountOnCurrentHead"`
	MergeStateStatus                     string `json:"mergeStateStatus"`
}

// MarshalJSON spells an empty agentFixStatus or lastCopilotRoundMaxSignal as
// the seed's null. What it writes, [Normalize] reads back.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	type fields Snapshot
	return json.Marshal(struct {
		fields
		AgentFixStatus            *string `json:"agentFixStatus"`
		LastCopilotRoundMaxSignal *string `json:"lastCopilotRoundMaxSignal"`
	}{fields(s), loose.OrNull(s.AgentFixStatus), loose.OrNull(s.LastCopilotRoundMaxSignal)})
}

// A Config has the knobs of the machine, by seed 000's names.
type Config struct {
	MaxCopilotRounds        float64 // 0: no cap
	StopOnLowSignal         bool
	LowSignalRoundThreshold float64 // default 3
	LowSignalMaxComments    float64 // default 2
	PreApprovalRequireCI    bool    // default true
	// InternalToolingDirectGate is assigned by the routing layer (paths or
	// label), never derived from a snapshot.
	InternalToolingDirectGate bool
}

// DefaultConfig is the configuration of the seed's interpreter: no cap, no
// low-signal stop, checks required.
func DefaultConfig() Config {
	return Config{LowSignalRoundThreshold: 3, LowSignalMaxComments: 2, PreApprovalRequireCI: true}
}

// A Result is what the machine says of a snapshot.
type Result struct {
	State                  State   `json:"state"`
	Rule                   string  `json:"rule"` // id of the row that decided (Table)
	AllowedTransitions     []State `json:"allowedTransitions"`
	NextAction             string  `json:"nextAction"` // a sentence of ours, without a full stop
	AutoRerequestEligible  bool    `json:"autoRerequestEligible"`
	SameHeadCleanConverged bool    `json:"sameHeadCleanConverged"`
	RoundCapCleanEligible  bool    `json:"roundCapCleanEligible"`
	LoopDisposition        string  `json:"loopDisposition"`
	Terminal               bool    `json:"terminal"`
}
