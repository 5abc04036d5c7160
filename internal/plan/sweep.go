package plan

import (
	"slices"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// Due reports whether a sweep reads this pull request whole: it is in the loop
// (a journal, or the label), or something happened to it while it counts as
// fresh. updatedAt is never before an opening, a reopening or a push, so what
// it rules out is not fresh. What the listing could not show in full is due.
func Due(l pr.Listed, now time.Time) bool {
	switch {
	case slices.Contains(l.Labels, config.LabelSkip):
		return false
	case slices.Contains(l.Labels, config.LabelEnrol), len(l.Unknown) > 0:
		return true
	case journal.Find(l.Comments, l.Number, nil, nil).Comment.DatabaseID != 0:
		return true
	}
	return now.Sub(l.UpdatedAt) <= config.EnrolFor
}
