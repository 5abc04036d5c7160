package journal

import (
	"cmp"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Single is that the loop goes without a review, in single-iteration mode
// (seed 003, "Single-iteration fallback"): since when, and at which head its one
// iteration was handed over.
type Single struct {
	At   time.Time `json:"at"`
	Head pr.SHA    `json:"head"`
}

func compareSingles(x, y Single) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Head, y.Head))
}
