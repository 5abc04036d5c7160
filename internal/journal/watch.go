package journal

import (
	"cmp"
	"slices"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Watch is what is remembered of the watch over a merge (design 7).
type Watch struct {
	Commit pr.SHA    `json:"commit"` // the merge commit
	Since  time.Time `json:"since"`  // when it was merged
	Until  time.Time `json:"until"`
	// Regressions are the names of checks and deployments that passed before and
	// failed, whenever that was seen; Kept: a person let it go on with them.
	// Strangers may choose the names.
	Regressions []string `json:"regressions,omitempty"`
	Kept        bool     `json:"kept,omitempty"`
	// Tries counts the reverts that were wished; Wanted is when a person asked for
	// the newest, until it is open.
	Tries  int       `json:"tries,omitempty"`
	Wanted time.Time `json:"wanted,omitzero"`
	// Failed is the try that GitHub refused for another reason than a missing
	// right; 0: none.
	Failed int `json:"failed,omitempty"`
	// Revert is the pull request that takes the merge back, 0 while there is none;
	// Receipt the commit that it was merged as.
	Revert  int    `json:"revert,omitempty"`
	Receipt pr.SHA `json:"receipt,omitempty"`
	// End is how it ended, as it was told: one sentence of ours, in which names of
	// checks are quoted. Empty while it goes on.
	End string `json:"end,omitempty"`
}

// keepRegressions is how many names are kept: more tell a person nothing more.
const keepRegressions = 10

// Seen enters names of regressions, each once.
func (w Watch) Seen(names []string) Watch {
	w.Regressions = slices.Clone(w.Regressions)
	for _, n := range names {
		if !slices.Contains(w.Regressions, n) && len(w.Regressions) < keepRegressions {
			w.Regressions = append(w.Regressions, n)
		}
	}
	return w
}

func (w Watch) whole() Watch {
	w.Since, w.Until, w.Wanted = second(w.Since), second(w.Until), second(w.Wanted)
	w.Regressions = each(w.Regressions, func(*string) {})
	return w
}

func compareWatches(x, y Watch) int {
	kept := func(w Watch) int {
		if w.Kept {
			return 1
		}
		return 0
	}
	return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.Tries, y.Tries), cmp.Compare(x.Revert, y.Revert), cmp.Compare(x.Receipt, y.Receipt),
		x.Wanted.Compare(y.Wanted), cmp.Compare(kept(x), kept(y)), cmp.Compare(x.Failed, y.Failed), slices.Compare(x.Regressions, y.Regressions),
		cmp.Compare(x.End, y.End), cmp.Compare(x.Commit, y.Commit), x.Until.Compare(y.Until))
}
