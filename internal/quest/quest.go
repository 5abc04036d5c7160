// Package quest is the quest state machine of seed 002: the durable life cycle
// of a piece of work, from the signal to the end of the watch. A quest and an
// event give the next quest and the effects to carry out, by a table that has
// a row for every state and event.
//
// What the seed leaves open is settled in the table's rows and said there.
//
// Start at [Step]; the table itself is in table.go.
package quest

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// A State is one state of a quest, by the seed's name. A quest that no signal
// has started yet has none, the empty one.
type State string

// The sixteen states, in the seed's order.
const (
	Sensed       State = "sensed"
	Triaged      State = "triaged"
	Researching  State = "researching"
	Hypothesised State = "hypothesised"
	Reproducing  State = "reproducing"
	Planned      State = "planned"
	Patching     State = "patching"
	Proving      State = "proving"
	Ready        State = "ready"
	Landing      State = "landing"
	Watching     State = "watching"
	Closed       State = "closed"
	RolledBack   State = "rolled_back"
	Parked       State = "parked"
	HandedOff    State = "handed_off"
	Abandoned    State = "abandoned"
)

// unborn is the state of a quest before its signal.
const unborn State = ""

// allStates has every state, in the seed's order.
var allStates = []State{
	Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching, Proving,
	Ready, Landing, Watching, Closed, RolledBack, Parked, HandedOff, Abandoned,
}

// States returns the sixteen states, in the seed's order.
func States() []State { return slices.Clone(allStates) }

// A Route is what triage chose.
type Route string

// The routes of seed 002, "How a quest starts".
const (
	AutoFix      Route = "auto_fix"
	ResearchOnly Route = "research_only"
	Human        Route = "human"
	Ignore       Route = "ignore"
	Duplicate    Route = "duplicate"
	Conflict     Route = "conflict"
)

// A Checkpoint is one of A, B and C, or empty.
type Checkpoint string

// The checkpoints.
const (
	A Checkpoint = "A"
	B Checkpoint = "B"
	C Checkpoint = "C"
)

var checkpoints = map[State]Checkpoint{Hypothesised: A, Planned: B, Ready: C}

// checkpointOf returns the checkpoint of a state, or "".
func checkpointOf(s State) Checkpoint {
	return checkpoints[s]
}

// At returns the checkpoint of a state, or "".
func At(s State) Checkpoint { return checkpointOf(s) }

// Why a quest is parked. A pause may give a reason of its own.
const (
	Paused             = "paused"
	WaitingParent      = "waiting_parent"
	CannotReproduce    = "cannot_reproduce"
	AttemptsExhausted  = "attempts_exhausted"
	ResearchComplete   = "research_complete"
	LandRefusedReason  = "land_refused"
	RebaseCapReached   = "rebase_cap"
	AgentLostReason    = "agent_lost"
	regressionReason   = "regression"
	endedKilled        = "killed"
	Rejected           = "rejected"
	endedIgnored       = "ignored"
	endedDuplicate     = "duplicate"
	endedWatchedClean  = "watched_clean"
	patchStep          = "patch"
	planStep           = "plan"
	reproduceStep      = "reproduce"
	researchStep       = "research"
	landedOutsideWords = "merged by a person, past the checkpoint"
)

// A Quest is the record of one. Only [Step] and [Fold] change it.
type Quest struct {
	ID    string `json:"id"` // the trail
	Rev   int    `json:"rev"`
	State State  `json:"state"`

	Route         Route    `json:"route,omitempty"`
	Risk          string   `json:"risk,omitempty"`
	Severity      Severity `json:"severity,omitempty"`
	SeverityFloor Severity `json:"severityFloor,omitempty"`
	Fingerprint   string   `json:"fingerprint,omitempty"`
	Signals       []Ref    `json:"signals,omitempty"` // the first one started the quest
	Parent        string   `json:"parent,omitempty"`
	Children      []string `json:"children,omitempty"` // of whom evidence came

	// ReturnTo is where a parked or handed-off quest goes back to; empty in
	// every other state. ParkReason is set in parked alone, Owner in handed_off
	// alone.
	ReturnTo   State  `json:"returnTo,omitempty"`
	ParkReason string `json:"parkReason,omitempty"`
	Owner      string `json:"owner,omitempty"`

	PatchHead string `json:"patchHead,omitempty"`
	Base      string `json:"base,omitempty"`
	// ProofBase is the base that the running proof began with; the proof is
	// held against it, not against the base's newer tip.
	ProofBase string    `json:"proofBase,omitempty"`
	Proof     *Proof    `json:"proof,omitempty"`
	Approvals Approvals `json:"approvals,omitzero"`
	// Decisions are the last one at each checkpoint of this revision, whether
	// it counted or not.
	Decisions         []Decided `json:"decisions,omitempty"`
	CheckpointPending *Pending  `json:"checkpointPending,omitempty"`

	PlanPending   bool `json:"planPending,omitempty"`
	RebasePending bool `json:"rebasePending,omitempty"`
	// ProofPending: a proof runs while the review is held by a person. In
	// proving one always runs.
	ProofPending bool `json:"proofPending,omitempty"`
	SpendPending bool `json:"spendPending,omitempty"`
	// WatchedClean: the watch ended clean while the quest was parked; resuming
	// closes it.
	WatchedClean bool `json:"watchedClean,omitempty"`

	Attempts int    `json:"attempts"`          // failed proofs of this revision
	Rebases  int    `json:"rebases,omitempty"` // of this revision
	Lost     int    `json:"lost,omitempty"`    // agents that never reported, in this state
	Check    Ref    `json:"check,omitempty"`   // the failing check of the reproduction
	Commit   string `json:"commit,omitempty"`  // what landed
	Note     string `json:"note,omitempty"`
	Ended    string `json:"ended,omitempty"` // why it is closed or abandoned
	// MutedUntil: until then the fingerprint starts no quest.
	MutedUntil time.Time `json:"mutedUntil,omitzero"`
	Evidence   []Ref     `json:"evidence,omitempty"`
	Usage      []Usage   `json:"usage,omitempty"`

	// Applied are the ids of the events that changed this quest.
	Applied Applied `json:"appliedEventIds"`

	// Rest has the fields of a record that a newer prloop wrote.
	Rest map[string]json.RawMessage `json:"-"`
}

// New returns the quest of a trail before its first event.
func New(trail string) Quest { return Quest{ID: trail} }

// A Proof is an accepted proof bundle, by what it is bound to.
type Proof struct {
	Digest string `json:"digest"`
	Rev    int    `json:"rev"`
	Base   string `json:"base"`
	Head   string `json:"head"`
	// Stale: the base has moved since.
	Stale bool `json:"stale,omitempty"`
}

// Approvals are those that count.
type Approvals struct {
	A *Approval `json:"A,omitempty"`
	B *Approval `json:"B,omitempty"`
	C *Approval `json:"C,omitempty"`
}

// An Approval is bound to what was approved.
type Approval struct {
	Rev    int    `json:"rev"`
	Digest string `json:"digest,omitempty"`
	Base   string `json:"base,omitempty"`
	Head   string `json:"head,omitempty"`
	By     By     `json:"by"`
	Actor  string `json:"actor,omitempty"`
}

// A Decided is a decision that was heard at a checkpoint.
type Decided struct {
	CP      Checkpoint `json:"cp"`
	Verdict Verdict    `json:"verdict"`
	By      By         `json:"by"`
	Actor   string     `json:"actor,omitempty"`
	// Counts: it was acted on. Otherwise it is on record only.
	Counts bool `json:"counts,omitempty"`
}

// A Pending is a checkpoint request that stands.
type Pending struct {
	CP         Checkpoint `json:"cp"`
	Occurrence int        `json:"occurrence"`
	Blocking   bool       `json:"blocking"` // by the policy when it was asked for
}

// Usage is the sum of all receipts in one unit.
type Usage struct {
	Unit     string  `json:"unit,omitempty"`
	Receipts int     `json:"receipts"`
	Amount   float64 `json:"amount"`
}

// CBinds reports whether checkpoint C is approved for exactly this revision,
// proof, base and head.
func (q *Quest) CBinds() bool {
	c := q.Approvals.C
	return c != nil && q.Proof != nil &&
		c.Rev == q.Rev && c.Digest == q.Proof.Digest && c.Base == q.Base && c.Head == q.PatchHead
}

// Terminal reports whether a state ends a quest.
func (s State) Terminal() bool { return s == Closed || s == Abandoned }

// Held reports whether a state stands still until somebody lets it go on.
func (s State) Held() bool { return s == Parked || s == HandedOff }

// Active reports whether a state is none of held, terminal and unborn.
// rolled_back and watching are active.
func (s State) Active() bool { return s != unborn && !s.Terminal() && !s.Held() }

// working are the states in which somebody may be at work, or a merge armed.
var working = []State{Researching, Reproducing, Patching, Proving, Landing, Watching, RolledBack}

// Busy reports whether an agent or a runner may be at work for the quest, or
// an armed merge stands.
func (q *Quest) Busy() bool {
	return slices.Contains(working, q.State) || q.State == Planned && q.PlanPending || q.State == HandedOff && q.ProofPending
}

// clone copies all that a step may change.
func (q *Quest) clone() Quest {
	c := *q
	c.Signals = slices.Clone(q.Signals)
	c.Children = slices.Clone(q.Children)
	c.Decisions = slices.Clone(q.Decisions)
	c.Evidence = slices.Clone(q.Evidence)
	c.Usage = slices.Clone(q.Usage)
	c.Applied = q.Applied.clone()
	return c
}

// Applied is a set of event ids in the order in which they came. Its zero
// value is empty.
type Applied struct {
	ids []string
	has map[string]struct{} // of more ids than few
}

// few ids are looked through faster than they are hashed.
const few = 64

// Has reports whether the event id was applied.
func (a *Applied) Has(id string) bool {
	if a.has == nil {
		return slices.Contains(a.ids, id)
	}
	_, ok := a.has[id]
	return ok
}

// IDs returns the event ids, oldest first.
func (a *Applied) IDs() []string { return slices.Clone(a.ids) }

func (a *Applied) add(id string) {
	a.ids = append(a.ids, id)
	switch {
	case a.has != nil:
		a.has[id] = struct{}{}
	case len(a.ids) > few:
		a.has = make(map[string]struct{}, 2*few)
		for _, id := range a.ids {
			a.has[id] = struct{}{}
		}
	}
}

// grow makes room for n more ids.
func (a *Applied) grow(n int) {
	a.ids = slices.Grow(a.ids, n)
	if len(a.ids)+n <= few {
		return
	}
	has := make(map[string]struct{}, len(a.ids)+n)
	for _, id := range a.ids {
		has[id] = struct{}{}
	}
	a.has = has
}

// Newest returns the newest n of the ids: what an old quest is shortened to.
func (a *Applied) Newest(n int) Applied {
	var short Applied
	for _, id := range a.ids[max(0, len(a.ids)-n):] {
		short.add(id)
	}
	return short
}

func (a *Applied) clone() Applied {
	return Applied{slices.Clone(a.ids), maps.Clone(a.has)}
}

// Equal reports whether both have the same ids in the same order.
func (a Applied) Equal(b Applied) bool { return slices.Equal(a.ids, b.ids) }

// MarshalJSON writes the ids as a list.
func (a Applied) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]string{}, a.ids...))
}

// UnmarshalJSON reads a list of ids; one that is in it twice is in it once.
func (a *Applied) UnmarshalJSON(data []byte) error {
	var ids []string
	if err := json.Unmarshal(data, &ids); err != nil {
		return err
	}
	*a = Applied{}
	for _, id := range ids {
		if !a.Has(id) {
			a.add(id)
		}
	}
	return nil
}
