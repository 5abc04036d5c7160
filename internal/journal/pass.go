package journal

import (
	"cmp"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Pass is the final pass of the newest head that had one (seed 001, step 9a):
// since when its reviewers are asked. It is of that head alone: a new one cancels
// it.
type Pass struct {
	Head pr.SHA    `json:"head"`
	At   time.Time `json:"at"`
}

func comparePasses(x, y Pass) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Head, y.Head))
}
