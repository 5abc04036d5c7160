// Package conductor is the routing contract of seed 004: it says which loop
// family gets control of a pull request now, and with what envelope, from the
// states that the Copilot loop and the reviewer loop are in and from who owns
// the run. It is the one routing authority: nothing hands it an action that is
// already chosen (ROUTING-EVALUATOR-AUTHORITY).
//
// Start at [Route].
package conductor

import (
	"encoding/json"

	"github.com/prloop/prloop/internal/loose"
)

// An Outcome is one of the seven closed routing outcomes of seed 004.
type Outcome string

// The routing outcomes, in the seed's order.
const (
	ContinueCurrentWait      Outcome = "continue_current_wait"
	HandoffToCopilotLoop     Outcome = "handoff_to_copilot_loop"
	HandoffToReviewerLoop    Outcome = "handoff_to_reviewer_loop"
	StayWithCurrentLiveOwner Outcome = "stay_with_current_live_owner"
	StopNeedsHuman           Outcome = "stop_needs_human"
	DoneTerminal             Outcome = "done_terminal"
	NeedsReconcile           Outcome = "needs_reconcile"
)

// An Action is the outer loop's action, derived from the outcome.
type Action string

// The values of outerAction.
const (
	ContinueWait        Action = "continue_wait"
	ReenterCopilotLoop  Action = "reenter_copilot_loop"
	ReenterReviewerLoop Action = "reenter_reviewer_loop"
	Stop                Action = "stop"
	Done                Action = "done"
)

// A StopReason says why the outer action is stop. It is empty, and null in
// JSON, with any other action.
type StopReason string

// The values of stopReason; RoundCapReached is design 3's, the others are seed
// 004's.
const (
	PRNotReady        StopReason = "pr_not_ready"
	ReviewUnavailable StopReason = "review_unavailable"
	CopilotBlocked    StopReason = "copilot_blocked"
	ReviewerBlocked   StopReason = "reviewer_blocked"
	RoundCapReached   StopReason = "round_cap_reached"
	OwnershipConflict StopReason = "ownership_conflict"
	UnknownState      StopReason = "unknown_state"
)

// MarshalJSON spells no reason as null.
func (r StopReason) MarshalJSON() ([]byte, error) { return json.Marshal(loose.OrNull(string(r))) }

// A Family is the loop family that receives control. It is empty, and null in
// JSON, where none does.
type Family string

// The values of loopFamily.
const (
	OuterLoop    Family = "outer_loop"
	CopilotLoop  Family = "copilot_loop"
	ReviewerLoop Family = "reviewer_loop"
)

// MarshalJSON spells no family as null.
func (f Family) MarshalJSON() ([]byte, error) { return json.Marshal(loose.OrNull(string(f))) }

// An Entrypoint names the handler that takes the next step. It is empty, and
// null in JSON, where no automated one does.
type Entrypoint string

// The values of entrypoint.
const (
	OuterLoopWait       Entrypoint = "outer_loop_wait"
	CopilotPRHandoff    Entrypoint = "copilot_pr_handoff"
	ReviewerLoopHandler Entrypoint = "reviewer_loop_handler"
)

// MarshalJSON spells no entrypoint as null.
func (e Entrypoint) MarshalJSON() ([]byte, error) { return json.Marshal(loose.OrNull(string(e))) }

// A Source says how good the states are: read live, kept locally, or taken
// from a snapshot (simulate, eval, replay).
type Source string

// The values of sourceMode, and of confidence.
const (
	Authoritative Source = "authoritative"
	Local         Source = "local" // the default
	FromSnapshot  Source = "snapshot"
)

// The values of ownershipState that count. Any other routes by the states
// alone, like none.
const (
	LiveOwner            = "live_owner"
	DuplicateLocalOwners = "duplicate_local_owners"
)

// A Target is a pull request: a repository (owner/name) and its number. An
// empty repository and a number below one are what a malformed target lacks;
// they are null in JSON.
type Target struct {
	Repo string
	PR   int
}

// MarshalJSON writes {repo, pr}.
func (t Target) MarshalJSON() ([]byte, error) {
	var pr *int
	if t.PR > 0 {
		pr = &t.PR
	}
	return json.Marshal(struct {
		Repo *string `json:"repo"`
		PR   *int    `json:"pr"`
	}{loose.OrNull(t.Repo), pr})
}

// An Input is what routing asks for, by seed 004's names. Build one with
// [Normalize] where the values come from outside.
type Input struct {
	Target         *Target // nil: there is none
	CopilotState   string  // of package copilot
	ReviewerState  string  // of package reviewer
	OwnershipState string  // LiveOwner, DuplicateLocalOwners, or anything else
	SourceMode     Source  // empty: Local
	// RequiresLocalIsolation says that the run's checkout is detached or the
	// head lives in a fork, so that local work needs a checkout of its own. It
	// decides nothing and is passed on with every outcome
	// (ROUTING-LOCAL-ISOLATION-PASSTHROUGH).
	RequiresLocalIsolation bool
}

// A Decision is the return shape of seed 004, with the priority that decided.
type Decision struct {
	RoutingOutcome  Outcome    `json:"routingOutcome"`
	OuterAction     Action     `json:"outerAction"`
	StopReason      StopReason `json:"stopReason"`
	HandoffEnvelope Envelope   `json:"handoffEnvelope"`
	Priority        string     `json:"priority"` // id of the row that decided (Table)
}

// An Envelope is the hand-off payload for whoever works next. Where routing
// fails closed it carries no live hand-off: no family and no entrypoint.
type Envelope struct {
	TargetIdentity         *Target    `json:"targetIdentity"` // normalised; nil where there is no target
	LoopFamily             Family     `json:"loopFamily"`
	Entrypoint             Entrypoint `json:"entrypoint"`
	Reason                 string     `json:"reason"` // a sentence of ours, without a full stop
	RequiredArgs           Args       `json:"requiredArgs"`
	RequiresLocalIsolation bool       `json:"requiresLocalIsolation"`
	Confidence             Source     `json:"confidence"`
}

// Args are the arguments that a handler needs. They are empty, and {} in JSON,
// where a pre-check failed.
type Args struct {
	Repo string `json:"repo,omitempty"`
	PR   int    `json:"pr,omitempty"`
}
