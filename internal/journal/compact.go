package journal

import "github.com/prloop/prloop/internal/effect"

// keepRows is how many rows of each list a journal keeps: more than one pull
// request needs in the budgets' reach, and little enough for [MaxBody].
const keepRows = 50

// Compact cuts every list to its newest rows. What was counted stays counted:
// the ids of what is cut are folded into the totals Asked and HandedOver, whose
// high-water marks also number the next hand-over. No count is ever lowered
// (TestCompactLowersNoCount).
//
// A wish that is cut from Pending or Done is looked up on GitHub again before
// it is carried out, as every wish is.
func Compact(j Journal) Journal { return compact(j, keepRows) }

func compact(j Journal, keep int) Journal {
	j.Asked, j.HandedOver = asked(j), handedOver(j)
	j.Heads = newest(j.Heads, keep)
	j.Requests = newest(j.Requests, keep)
	j.Handoffs = newest(j.Handoffs, keep)
	j.Ledger = j.Ledger.fold(keep)
	j.Waits = newest(j.Waits, keep)
	j.Told = newest(j.Told, keep)
	j.Refused = newest(j.Refused, keep)
	j.Answers = newest(j.Answers, keep)
	j.Pending = newest(j.Pending, keep)
	j.Done = newest(j.Done, keep)
	j.QuotaUntil = newest(j.QuotaUntil, keep)
	j.Orders = j.Orders.keep(min(keep, keepOrders))
	if j.Quest != nil {
		j.Quest = j.Quest.keep(min(keep, keepEvents))
	}
	return j
}

// newest returns the last rows of list, in a list of its own.
func newest[T any](list []T, keep int) []T {
	return each(list[max(0, len(list)-keep):], func(*T) {})
}

// asked is the total of review requests: never less than the rows show.
func asked(j Journal) int {
	n := 0
	for _, r := range j.Requests {
		if r.counts() {
			n++
		}
	}
	return max(j.Asked, n)
}

// handedOver is the total of hand-overs: never less than the rows show.
func handedOver(j Journal) int {
	n := max(j.HandedOver, len(j.Handoffs))
	for _, h := range j.Handoffs {
		n = max(n, h.Number)
	}
	return n
}

// counts reports whether a review was bought, as far as GitHub shows.
func (r Request) counts() bool {
	switch r.Result {
	case effect.InFlight, effect.Landed, effect.ReviewedAtHead:
		return true
	case effect.Dropped, effect.Forbidden, effect.NotAvailable, effect.Quota, effect.Flagged, effect.Errored:
		return false
	}
	return false
}
