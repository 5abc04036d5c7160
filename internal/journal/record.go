package journal

import (
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Record is what belongs to no single pull request: the repository record.
// It sits in one issue by us, in a block like the journal's. Its entries only
// merge ([MergeRecord]): whoever writes reads again and repeats until its own
// entry is in. The zero Record is the empty one.
type Record struct {
	// Days are the reviews that were bought, by UTC day, oldest day first.
	Days []Day `json:"days,omitempty"`
	// Quota is until when a reviewer is asked for nothing in this repository,
	// sorted by reviewer.
	Quota []Quota `json:"quota,omitempty"`
	// Notices are the notices that go out once per repository, sorted by name.
	Notices []Notice `json:"notices,omitempty"`
	// Cursor is where the next sweep goes on.
	Cursor Cursor `json:"cursor"`
}

// A Day is the reviews of one UTC day: a set, whose size is the count.
type Day struct {
	Day     string  `json:"day"` // as 2006-01-02
	Reviews []Spent `json:"reviews"`
}

// Spent is one review that was asked for.
type Spent struct {
	PR       int      `json:"pr"`
	Head     pr.SHA   `json:"head"` // its first seven digits
	Reviewer pr.Login `json:"reviewer"`
}

// A Notice is a notice that went out.
type Notice struct {
	Name string    `json:"name"` // in our own words
	At   time.Time `json:"at"`
}

// A Cursor is how far a sweep came: all pull requests up to Number were seen
// when it stopped at At. Number 0 begins at the first.
type Cursor struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}
