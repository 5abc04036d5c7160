// Package handoff is the contract between prloop and a fixer (people, a job of
// the user's): a brief goes out, a report comes in (design 5; seed 003,
// "Sub-agent delegation map"). It says what a fixer is told, whether its report
// counts, what is answered to each finding, which threads may be resolved, and
// what of a push nobody asked for.
//
// Everything here is a function of its arguments. What a reviewer or a fixer
// wrote is a stranger's text: it leaves as JSON, quoted with %q, or through the
// quoting that the caller hands in.
//
// Start at [NewBrief], [Parse] and [Check].
package handoff

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/prloop/prloop/internal/pr"
)

// A Ref names one hand-over. A report copies it from its brief.
type Ref struct {
	PR     int    `json:"pr"`
	Head   pr.SHA `json:"head"`   // that the findings are about
	Number int    `json:"number"` // of this pull request's hand-overs, from 1
}

// A Step is what a hand-over asks for.
type Step string

// The steps, in the words of design 5.
const (
	Fix        Step = "fix" // triage, fix and build in one; the default
	Triage     Step = "triage"
	Build      Step = "build"
	Review     Step = "review"
	Recap      Step = "recap"
	Rebase     Step = "rebase"
	Research   Step = "research"
	Reproduce  Step = "reproduce"
	Plan       Step = "plan"
	Respondent Step = "respondent"
)

// Steps returns every step, in the order of design 5.
func Steps() []Step {
	return []Step{Fix, Triage, Build, Review, Recap, Rebase, Research, Reproduce, Plan, Respondent}
}

// An Action is what was done about one finding.
type Action string

// The actions (seed 003, step 8).
const (
	FixIt    Action = "fix"
	Decline  Action = "decline"
	Drift    Action = "drift" // documents or a test plan had drifted from the code
	Partial  Action = "partial"
	Escalate Action = "escalate"
)

// Actions returns every action, in the order of design 5.
func Actions() []Action { return []Action{FixIt, Decline, Drift, Partial, Escalate} }

// Mark is a short digest of a finding's id: what the journal keeps of a
// hand-over, and what a reply's hidden marker names. Ids are long, and that of
// a check has a stranger's text in it.
func Mark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}
