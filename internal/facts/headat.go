package facts

import (
	"time"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// headAt says when the head appeared (design 2): the latest of the pull
// request's creation, its ready, reopened and force-push events, and the head's
// first check suite; without a suite, the journal's first sight of this head.
// A commit's date is its author's to choose, and counts for nothing.
//
// fresh: that first sight is this very snapshot. Nothing on GitHub tells when
// the head was pushed, and the journal, which knows older heads, does not know
// this one yet.
func headAt(snap *pr.Snapshot, j journal.Journal) (at time.Time, fresh bool) {
	at = snap.CreatedAt
	for _, e := range snap.Events {
		if e.Kind == pr.ReadyForReview || e.Kind == pr.Reopened || e.Kind == pr.HeadForcePushed {
			at = later(at, e.At)
		}
	}
	if !snap.HeadSuiteAt.IsZero() {
		return later(at, snap.HeadSuiteAt), false
	}
	for _, s := range j.Heads {
		if s.Head == snap.Head {
			return later(at, s.At), false
		}
	}
	if len(j.Heads) == 0 {
		return at, false
	}
	return later(at, snap.At), true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
