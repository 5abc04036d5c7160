// Package event reads the payload that woke a run as one of a closed set of
// targets. The event only says where to look: everything is read again, so an
// old payload (a re-run), a dropped, doubled or reordered event changes nothing.
//
// Start at [Parse].
package event

import "github.com/prloop/prloop/internal/pr"

// An Event is what woke the run, and where to look because of it.
type Event struct {
	Name   string // as GITHUB_EVENT_NAME has it
	Action string // one of GitHub's activity types, else empty; never a stranger's text
	Target Target
	// Why says in our words how the target came out of the payload.
	Why string
	// Fork: the payload says that the head lives in another repository (or
	// that its repository is gone), so the token is probably read-only.
	Fork bool
}

// A Target is where a run looks. The set is closed.
//
//sumtype:decl
type Target interface{ sealed() }

// Numbers are pull requests that the payload names, ascending, without doubles.
type Numbers struct{ PRs []int }

// Issue is an issue that the payload names, which is no pull request.
type Issue struct{ Number int }

// Commit stands for the open pull requests whose head is SHA: the payload
// names none.
type Commit struct{ SHA pr.SHA }

// Sweep stands for every selected pull request.
type Sweep struct{}

// Nothing means that there is nothing to do, and says why.
type Nothing struct {
	Code    Code
	Because string // a sentence in our words, without a full stop
}

func (Numbers) sealed() {}
func (Issue) sealed()   {}
func (Commit) sealed()  {}
func (Sweep) sealed()   {}
func (Nothing) sealed() {}

// A Code is the reason code of a run that has nothing to do.
type Code string

// The reasons for nothing. They are reason codes of the outputs.
const (
	UnsupportedEvent Code = "unsupported_event"
	NotAPullRequest  Code = "not_a_pull_request"
	EventIgnored     Code = "event_ignored"
)
