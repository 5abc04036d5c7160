package journal

import (
	"cmp"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// A Landing is the merge that prloop began (seed 001: autoMergeQueued,
// autoMergeAt): of which head, when, and what GitHub made of it.
type Landing struct {
	Head pr.SHA    `json:"head"`
	At   time.Time `json:"autoMergeAt"`
	Try  int       `json:"try"`
	// Came is what GitHub did, or the class of its refusal; empty while the merge
	// is only meant.
	Came effect.MergeResult `json:"came,omitempty"`
	// Mark is what GitHub showed of the pull request's mergeability at a refusal.
	Mark string `json:"mark,omitempty"`
}

func compareLandings(x, y Landing) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Try, y.Try), cmp.Compare(x.Head, y.Head), cmp.Compare(x.Came, y.Came), cmp.Compare(x.Mark, y.Mark))
}
