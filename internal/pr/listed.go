package pr

import "time"

// Listed is one pull request as a sweep lists it, open or ended: enough to tell whether
// anything changed since prloop last looked, not enough to decide on.
type Listed struct {
	Number int
	// State, and HeadRef (a stranger's text), are only of those that ended.
	State      State
	HeadRef    string
	Draft      bool
	Author     Actor
	Head       SHA
	HeadRepo   string // "owner/name"; empty once it is gone
	Base       Branch
	Labels     []string // sorted
	CreatedAt  time.Time
	UpdatedAt  time.Time
	MergeState string // GraphQL enum MergeStateStatus, as it came
	// Rollup is the state of all checks of the head in one word (GraphQL enum
	// StatusState), empty where there is none; Checks counts them by state.
	Rollup   string
	Checks   []Count        // sorted by state; check runs and commit statuses apart
	Threads  []ListedThread // in GitHub's order
	Requests []Actor        // who is asked for a review now; teams are left out
	// Reviews are the last five, oldest first. Comments are the first and the
	// last fifteen, oldest first, among them the journal where it is one of
	// these; CommentCount is how many there are.
	Reviews      []Review
	Comments     []Comment
	CommentCount int
	// Unknown are the facts that the listing could not show in full. Whoever
	// compares takes the pull request for changed.
	Unknown []Unknown
}

// A Count is how many checks are in one state.
type Count struct {
	Status bool   // commit statuses, not check runs
	State  string // GraphQL enums CheckRunState and StatusState
	N      int
}

// ListedThread is a review thread without its text.
type ListedThread struct {
	ID       string
	Resolved bool
}
