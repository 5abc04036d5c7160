package quest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// An EventType says what happened. The seed names no events; these names are
// ours.
type EventType string

// The events, in their groups.
const (
	// How a quest starts.
	SignalReceived    EventType = "signal_received"
	TriageDecided     EventType = "triage_decided"
	RegressionMatched EventType = "regression_matched"
	// What an agent or a runner reports.
	ResearchDone    EventType = "research_done"
	Reproduced      EventType = "reproduced"
	NotReproducible EventType = "not_reproducible"
	PlanWritten     EventType = "plan_written"
	PatchWritten    EventType = "patch_written"
	ProofSucceeded  EventType = "proof_succeeded"
	ProofFailed     EventType = "proof_failed"
	ProbesNeeded    EventType = "probes_needed"
	ProbesDone      EventType = "probes_done"
	AgentLost       EventType = "agent_lost" // the deadline passed without a report
	SpendNeeded     EventType = "spend_needed"
	// What is decided.
	Decision     EventType = "decision"
	SpendDecided EventType = "spend_decided"
	// What a person does.
	Pause         EventType = "pause"
	Resume        EventType = "resume"
	Kill          EventType = "kill"
	Claim         EventType = "claim"
	Release       EventType = "release"
	Comment       EventType = "comment"
	HumanRevision EventType = "human_revision"
	Reroute       EventType = "reroute"
	// What happens in the world.
	BaseChanged     EventType = "base_changed"
	Landed          EventType = "landed"
	LandedOutside   EventType = "landed_outside" // merged by a person
	LandRefused     EventType = "land_refused"
	RegressionSeen  EventType = "regression_seen"
	WatchClean      EventType = "watch_clean"
	RollbackReceipt EventType = "rollback_receipt"
	SignalAdded     EventType = "signal_added"
	ParentLanded    EventType = "parent_landed"
	ParentEnded     EventType = "parent_ended"
	ChildEvidence   EventType = "child_evidence"
	RespondentDone  EventType = "respondent_done"
	PolicyChanged   EventType = "policy_changed"
	// Bookkeeping.
	UsageReceipt EventType = "usage_receipt"
)

// allEvents has every event with its nature, which decides what becomes of it
// while the quest is held: a command may be refused, a fact is never lost, and
// bookkeeping is always accepted.
var allEvents = []struct {
	event  EventType
	nature nature
}{
	{SignalReceived, fact},
	{TriageDecided, command},
	{RegressionMatched, fact},
	{ResearchDone, fact},
	{Reproduced, fact},
	{NotReproducible, fact},
	{PlanWritten, fact},
	{PatchWritten, fact},
	{ProofSucceeded, fact},
	{ProofFailed, fact},
	{ProbesNeeded, command},
	{ProbesDone, fact},
	{AgentLost, fact},
	{SpendNeeded, command},
	{Decision, command},
	{SpendDecided, command},
	{Pause, command},
	{Resume, command},
	{Kill, command},
	{Claim, command},
	{Release, command},
	{Comment, fact},
	{HumanRevision, fact},
	{Reroute, command},
	{BaseChanged, fact},
	{Landed, fact},
	{LandedOutside, fact},
	{LandRefused, fact},
	{RegressionSeen, fact},
	{WatchClean, fact},
	{RollbackReceipt, fact},
	{SignalAdded, fact},
	{ParentLanded, fact},
	{ParentEnded, fact},
	{ChildEvidence, fact},
	{RespondentDone, fact},
	{PolicyChanged, fact},
	{UsageReceipt, bookkeeping},
}

type nature int

const (
	command nature = iota
	fact
	bookkeeping
)

// Events returns every event, in the order of their groups.
func Events() []EventType {
	all := make([]EventType, len(allEvents))
	for i, e := range allEvents {
		all[i] = e.event
	}
	return all
}

// A Verdict is what a decision says.
type Verdict string

// The verdicts. A spend is approved or denied.
const (
	Approve Verdict = "approve"
	Revise  Verdict = "revise"
	Reject  Verdict = "reject"
	Deny    Verdict = "deny"
)

// A By says who decided.
type By string

// A decision is a person's, or an automatic one with evidence.
const (
	Person    By = "person"
	Automatic By = "automatic"
)

// An Event is one thing that happened. Which fields it needs depends on its
// type; the comments name it.
type Event struct {
	ID   string    `json:"id"` // what makes two reports the same event
	At   time.Time `json:"at,omitzero"`
	Type EventType `json:"type"`

	Signal      Ref      `json:"signal,omitempty"` // signal_received, signal_added, regression_matched
	Fingerprint string   `json:"fingerprint,omitempty"`
	Severity    Severity `json:"severity,omitempty"`
	Risk        string   `json:"risk,omitempty"` // signal_received, triage_decided

	Route  Route  `json:"route,omitempty"`  // triage_decided, reroute
	Of     string `json:"of,omitempty"`     // triage_decided, route duplicate: the older quest
	Parent string `json:"parent,omitempty"` // triage_decided, route conflict: the quest to wait for
	Then   Route  `json:"then,omitempty"`   // triage_decided, route conflict: the route after the wait
	Quest  string `json:"quest,omitempty"`  // regression_matched: the closed quest

	Hypothesis Ref    `json:"hypothesis,omitempty"` // research_done
	Evidence   Refs   `json:"evidence,omitempty"`   // research_done, decision, child_evidence, respondent_done
	Check      Ref    `json:"check,omitempty"`      // reproduced: the failing check
	Plan       Ref    `json:"plan,omitempty"`       // reproduced, plan_written
	Reason     string `json:"reason,omitempty"`     // whatever stops or fails
	Head       string `json:"head,omitempty"`       // patch_written, human_revision
	Base       string `json:"base,omitempty"`       // base_changed; where it is known signal_received, triage_decided, patch_written
	Results    Ref    `json:"results,omitempty"`    // probes_done

	Bundle json.RawMessage `json:"bundle,omitempty"` // proof_succeeded
	Digest string          `json:"digest,omitempty"` // proof_succeeded

	CP      Checkpoint `json:"cp,omitempty"`      // decision
	Verdict Verdict    `json:"verdict,omitempty"` // decision, spend_decided
	By      By         `json:"by,omitempty"`      // decision, resume
	Rev     int        `json:"rev,omitempty"`     // decision: the revision that was decided on
	Binding *Binding   `json:"binding,omitempty"` // decision at C: what was approved

	Actor     string `json:"actor,omitempty"`     // commands
	Admin     bool   `json:"admin,omitempty"`     // kill, release
	Addressed bool   `json:"addressed,omitempty"` // comment: it asks for an answer
	Text      Ref    `json:"text,omitempty"`      // comment

	Commit   string  `json:"commit,omitempty"`   // landed, landed_outside
	Complete bool    `json:"complete,omitempty"` // rollback_receipt
	Child    string  `json:"child,omitempty"`    // child_evidence
	Amount   float64 `json:"amount,omitempty"`   // usage_receipt
	Unit     string  `json:"unit,omitempty"`     // usage_receipt

	// Policy is what holds from this event on: policy_changed. Without one the
	// policy that is given holds.
	Policy *Policy `json:"policy,omitempty"`

	// Rest has the fields that this version does not know.
	Rest map[string]json.RawMessage `json:"-"`
}

// A Binding is what an approval of C was given for; an empty field binds
// nothing.
type Binding struct {
	Rev    int    `json:"rev,omitempty"`
	Digest string `json:"digest,omitempty"`
	Base   string `json:"base,omitempty"`
	Head   string `json:"head,omitempty"`
}

// A Ref is a reference to something outside, as a text. Any other JSON value
// is taken as the text that spells it; null, false and the empty ones are none.
type Ref string

// UnmarshalJSON never fails on JSON.
func (r *Ref) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*r = Ref(text)
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	if slices.Contains([]string{"null", "false", "{}", "[]"}, b.String()) {
		b.Reset()
	}
	*r = Ref(b.String())
	return nil
}

// Refs are references; a single one may stand without its list.
type Refs []Ref

// UnmarshalJSON reads a list of references, or a single one. Empty ones count
// as absent.
func (r *Refs) UnmarshalJSON(data []byte) error {
	var list []Ref
	if json.Unmarshal(data, &list) != nil {
		list = make([]Ref, 1)
		if err := list[0].UnmarshalJSON(data); err != nil {
			return err
		}
	}
	*r = slices.DeleteFunc(list, func(ref Ref) bool { return ref == "" })
	if len(*r) == 0 {
		*r = nil
	}
	return nil
}

// Severity is how bad a signal is: the larger, the worse.
type Severity int

// UnmarshalJSON reads a whole number, or one of low, medium, high and critical,
// which are 1 to 4.
func (s *Severity) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) != nil {
		return json.Unmarshal(data, (*int)(s))
	}
	i := slices.Index([]string{"", "low", "medium", "high", "critical"}, word)
	if i < 0 {
		return fmt.Errorf("severity %q is none of low, medium, high, critical", word)
	}
	*s = Severity(i)
	return nil
}
