package journal

import (
	"cmp"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// Cleaned is the newest clean-up of outdated threads, once after convergence (seed
// 003, step 10): at which head it was tried, and when.
type Cleaned struct {
	Head pr.SHA    `json:"head"`
	At   time.Time `json:"at"`
}

func compareCleaned(x, y Cleaned) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Head, y.Head))
}
