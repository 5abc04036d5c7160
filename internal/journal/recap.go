package journal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/pr"
)

// A Recap is the newest look back on all rounds (seed 003, "round-cap recap
// gate"). Until when its answer is waited for stands in its hand-over.
type Recap struct {
	Round  int `json:"round"`  // the round count when it was asked for
	Number int `json:"number"` // of the hand-over that asks for it
	// Verdict is the answer in the words of a report (handoff.Verdicts); empty
	// while there is none.
	Verdict string `json:"verdict,omitempty"`
	// Rounds are to be reverted, ascending, as the pull request stood at Head.
	Rounds []int  `json:"rounds,omitempty"`
	Head   pr.SHA `json:"head,omitempty"`
	// Revert is the number of the hand-over that asks for the reverts; 0 while
	// none does.
	Revert int `json:"revert,omitempty"`
	// Reverted are all rounds that were reverted and whose reverts were checked,
	// by this recap and by older ones, ascending.
	Reverted []int `json:"reverted,omitempty"`
}

// Done reports whether all is reverted that the recap asks for.
func (r Recap) Done() bool {
	return !slices.ContainsFunc(r.Rounds, func(n int) bool { return !slices.Contains(r.Reverted, n) })
}

// Given is the hand-over of this number; zero where it is not known any more.
func (j Journal) Given(number int) Handoff {
	for _, h := range j.Handoffs {
		if h.Number == number {
			return h
		}
	}
	return Handoff{}
}

func (r Recap) whole() Recap {
	r.Rounds, r.Reverted = each(r.Rounds, func(*int) {}), each(r.Reverted, func(*int) {})
	return r
}

func (r Recap) numbers() []int {
	return slices.Concat([]int{r.Round, r.Number, r.Revert}, r.Rounds, r.Reverted)
}

func compareRecaps(x, y Recap) int {
	return cmp.Or(cmp.Compare(x.Round, y.Round), cmp.Compare(x.Number, y.Number), cmp.Compare(x.Revert, y.Revert), strings.Compare(x.Verdict, y.Verdict),
		cmp.Compare(x.Head, y.Head), slices.Compare(x.Rounds, y.Rounds), slices.Compare(x.Reverted, y.Reverted))
}
