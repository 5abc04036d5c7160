package journal

import (
	"cmp"
	"strings"
	"time"
)

// Settled is a snapshot that looked converged: a digest of what it showed, and
// when it was taken.
type Settled struct {
	Sight string    `json:"sight"`
	At    time.Time `json:"at"`
}

func compareSettled(x, y Settled) int {
	return cmp.Or(x.At.Compare(y.At), strings.Compare(x.Sight, y.Sight))
}
