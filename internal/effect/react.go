package effect

import (
	"fmt"

	"github.com/prloop/prloop/internal/pr"
)

// React answers a comment by a reaction of the workflow's identity. GitHub keeps
// one for each account and content, so doing it twice changes nothing. It is
// stale once the comment is deleted.
type React struct {
	Comment   int64  // database id
	CommentID string // node id of the same comment
	Content   pr.Reaction
}

// Key of a reaction: comment and content.
func (e React) Key() Key { return Key(fmt.Sprintf("react:%d@%s", e.Comment, e.Content)) }

// Type of React.
func (React) Type() string { return "react" }

func (e React) String() string {
	return fmt.Sprintf("answer comment %d with %s", e.Comment, e.Content)
}

func (React) sealed() {}
