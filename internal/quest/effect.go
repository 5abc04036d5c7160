package quest

import (
	"slices"
	"strconv"
	"strings"
)

// An EffectType is what a transition can ask for.
type EffectType string

// The nineteen effects of seed 002, "Effects".
const (
	RunTriage               EffectType = "run_triage"
	StartAgent              EffectType = "start_agent"
	StopAgent               EffectType = "stop_agent"
	RunProof                EffectType = "run_proof"
	RunProbes               EffectType = "run_probes"
	RequestCheckpoint       EffectType = "request_checkpoint"
	RequestSpend            EffectType = "request_spend"
	StartRespondentRun      EffectType = "start_respondent_run"
	Land                    EffectType = "land"
	Rebase                  EffectType = "rebase"
	Rollback                EffectType = "rollback"
	StartWatch              EffectType = "start_watch"
	RegisterRegressionProbe EffectType = "register_regression_probe"
	NotifyInbox             EffectType = "notify_inbox"
	ReplyComment            EffectType = "reply_comment"
	MergeSignal             EffectType = "merge_signal"
	MuteFingerprint         EffectType = "mute_fingerprint"
	ResumeDependents        EffectType = "resume_dependents"
	DeliverChildEvidence    EffectType = "deliver_child_evidence"
)

// EffectTypes returns the nineteen, in the seed's order.
func EffectTypes() []EffectType {
	return []EffectType{
		RunTriage, StartAgent, StopAgent, RunProof, RunProbes, RequestCheckpoint, RequestSpend, StartRespondentRun,
		Land, Rebase, Rollback, StartWatch, RegisterRegressionProbe, NotifyInbox, ReplyComment, MergeSignal,
		MuteFingerprint, ResumeDependents, DeliverChildEvidence,
	}
}

// An Effect is a wish. Its key is the same for the same transition, whenever
// and however often it is computed.
type Effect struct {
	Key  string     `json:"key"`
	Type EffectType `json:"type"`
	// Step is what the agent is to do: research, reproduce, plan or patch.
	Step string `json:"step,omitempty"`
	// CP and Blocking are of a checkpoint request. Held: a person holds the
	// review, so it cannot be decided yet.
	CP       Checkpoint `json:"cp,omitempty"`
	Blocking bool       `json:"blocking,omitempty"`
	Held     bool       `json:"held,omitempty"`
	// To is the quest that a signal or evidence goes to.
	To string `json:"to,omitempty"`
	// Hours is how long a fingerprint is muted.
	Hours float64 `json:"hours,omitempty"`
	// Text is for people, and may have words of strangers in it.
	Text string `json:"text,omitempty"`
}

// Key returns trail:rev:type:event:occurrence, with the revision after the
// transition. A colon in a part is escaped, so that no part has one.
func Key(trail string, rev int, effect EffectType, event string, occurrence int) string {
	return part(trail) + ":" + strconv.Itoa(rev) + ":" + string(effect) + ":" + part(event) + ":" + strconv.Itoa(occurrence)
}

var escapes = strings.NewReplacer("%", "%25", ":", "%3A")

func part(s string) string {
	if !strings.ContainsAny(s, ":%") {
		return s
	}
	return escapes.Replace(s)
}

// Undelivered returns the effects whose keys delivered does not know, in their
// order: what is left to do after a crash.
func Undelivered(effects []Effect, delivered func(key string) bool) []Effect {
	return slices.DeleteFunc(slices.Clone(effects), func(e Effect) bool { return delivered(e.Key) })
}
