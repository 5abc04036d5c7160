package journal

import "time"

// StaleLock reports whether the lock, an eyes reaction of ours on the journal
// comment, belongs to nobody any more, so that it may be removed by its id and
// taken anew (design 3, Ownership):
//
//   - the lease names this very reaction, and is past or its run is over, or
//   - no lease names it, and it was created [LeaseTime] ago or earlier.
//
// j is the journal as it was read under this look at the lock, reactionID and
// createdAt are of the reaction, now is GitHub's. runOver says that the run of
// the lease was asked about and is over; without "actions: read" it is false.
// What is unknown (a reaction without id or time) is never stale.
func StaleLock(j Journal, reactionID int64, createdAt, now time.Time, runOver bool) bool {
	if reactionID == 0 {
		return false
	}
	if l := j.Lease; l != nil && l.Reaction == reactionID {
		if runOver {
			return true
		}
		if !l.Until.IsZero() {
			return !now.Before(l.Until)
		}
	}
	return !createdAt.IsZero() && !now.Before(createdAt.Add(LeaseTime))
}
