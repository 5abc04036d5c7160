package journal

import (
	"testing"
	"time"
)

func TestStaleLock(t *testing.T) {
	t.Parallel()
	const reaction = 900
	lease := func(reaction int64, until time.Time) *Lease {
		return &Lease{Reaction: reaction, Run: 77, Attempt: 1, Until: until}
	}
	for _, row := range []struct {
		name     string
		lease    *Lease
		reaction int64
		created  time.Time
		now      time.Time
		runOver  bool
		want     bool
	}{
		{"the lease names it and holds", lease(reaction, at(10)), reaction, at(0), at(9), false, false},
		{"the lease names it and holds, although the reaction is old", lease(reaction, at(30)), reaction, at(0), at(29), false, false},
		{"the lease names it and is past", lease(reaction, at(10)), reaction, at(0), at(10), false, true},
		{"the lease names it and its run is over", lease(reaction, at(10)), reaction, at(0), at(1), true, true},
		{"no lease: it is young", nil, reaction, at(0), at(9), false, false},
		{"no lease: it is ten minutes old", nil, reaction, at(0), at(10), false, true},
		{"the lease names another: it is young", lease(901, at(0)), reaction, at(0), at(9), false, false},
		{"the lease names another: it is ten minutes old", lease(901, at(60)), reaction, at(0), at(10), false, true},
		{"the lease names another, whose run is over: it is young", lease(901, at(60)), reaction, at(0), at(9), true, false},
		{"the lease was written before there was a lock: it is young", lease(0, at(0)), reaction, at(5), at(9), false, false},
		{"a lease without an end: the age decides, and it is young", lease(reaction, time.Time{}), reaction, at(0), at(9), false, false},
		{"a lease without an end: the age decides, and it is old", lease(reaction, time.Time{}), reaction, at(0), at(10), false, true},
		{"no lease, and nobody knows when it was created", nil, reaction, time.Time{}, at(60), false, false},
		{"a reaction without an id is nobody's lock", lease(0, at(0)), 0, at(0), at(60), true, false},
	} {
		got := StaleLock(Journal{Lease: row.lease}, row.reaction, row.created, row.now, row.runOver)
		if row.want != got {
			t.Errorf("%s: stale is %v, want %v", row.name, got, row.want)
		}
	}
}
