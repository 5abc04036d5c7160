package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// A step that acts writes the journal twice: [Begin] before its effects,
// [Finish] after them. In between GitHub is changed. After a crash a pending
// key says only that its effect may have happened: the next step decides anew,
// looks on GitHub, and carries out what is still wished.
//
// Every function here returns a journal of its own; the one it is given stays
// as it was.

// Begin is the intent: one revision on, the effects pending since now, under
// lease. A lease without an end gets one [LeaseTime] from now. An effect that
// is pending already keeps its time; one that was done before is no longer
// done. The first Begin of a pull request is its start.
func Begin(j Journal, lease Lease, effects []effect.Key, now time.Time) Journal {
	j = Compact(j)
	j.Rev++
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	if lease.Until.IsZero() {
		lease.Until = now.Add(LeaseTime)
	}
	j.Lease = &lease
	for _, key := range effects {
		j.Done = without(j.Done, func(e Entry) bool { return e.Key == key })
		if !slices.ContainsFunc(j.Pending, func(e Entry) bool { return e.Key == key }) {
			j.Pending = append(j.Pending, Entry{Key: key, At: now})
		}
	}
	return j
}

// Finish is the done write: one revision on, no lease, done and dropped no
// longer pending, done entered at now. Dropped are the effects that were
// refused, are stale, or are no longer wished; whatever is in neither list
// stays pending.
func Finish(j Journal, done, dropped []effect.Key, now time.Time) Journal {
	j = Compact(j)
	j.Rev++
	j.Lease = nil
	causes := map[effect.Key]string{}
	for _, e := range j.Pending {
		causes[e.Key] = e.Cause
	}
	j.Pending = without(j.Pending, func(e Entry) bool {
		return slices.Contains(done, e.Key) || slices.Contains(dropped, e.Key)
	})
	for _, key := range done {
		j.Done = append(without(j.Done, func(e Entry) bool { return e.Key == key }), Entry{Key: key, At: now, Cause: causes[key]})
	}
	return Compact(j)
}

// Delivered is j once GitHub shows that a pending effect came about: it is done,
// since it was begun, and for what it was asked for.
func Delivered(j Journal, e Entry) Journal {
	same := func(o Entry) bool { return o.Key == e.Key }
	j.Pending, j.Done = without(j.Pending, same), append(without(j.Done, same), e)
	return j
}

// Because enters what each pending effect was asked for by: quest keys by target
// keys.
func Because(j Journal, causes map[effect.Key]string) Journal {
	j.Pending = each(j.Pending, func(e *Entry) {
		if cause := causes[e.Key]; cause != "" {
			e.Cause = cause
		}
	})
	return j
}

// Saw notes that head was there at now. A head that was seen before keeps the
// time of its first sight.
func Saw(j Journal, head pr.SHA, now time.Time) Journal {
	if slices.ContainsFunc(j.Heads, func(s Sight) bool { return s.Head == head }) {
		return j
	}
	j.Heads = with(j.Heads, Sight{Head: head, At: now})
	return j
}

// SetWait enters w. A wait for the same thing at the same head goes on: it
// keeps the time when it began, so that no cap starts anew. One for the same
// thing at another head is over.
func SetWait(j Journal, w Wait) Journal {
	for _, old := range j.Waits {
		if old.What == w.What && old.Head == w.Head {
			w.Since = earlier(old.Since, w.Since)
		}
	}
	j.Waits = with(ClearWait(j, w.What).Waits, w)
	return j
}

// ClearWait ends the waits for what, at any head.
func ClearWait(j Journal, what string) Journal {
	j.Waits = without(j.Waits, func(w Wait) bool { return w.What == what })
	return j
}

// Asked enters what came of a review request: the row of its reviewer and head
// is replaced by r. Without a number of tries r is one more than the row had;
// the number never falls.
//
// The total Asked grows by one where GitHub shows the request or its review
// (in flight, landed, reviewed at head) and this try was not counted before. A
// request that GitHub refused or dropped buys nothing and counts nothing.
func Asked(j Journal, r Request) Journal {
	counted := false
	i := slices.IndexFunc(j.Requests, func(o Request) bool { return o.Reviewer == r.Reviewer && o.Head == r.Head })
	switch {
	case i >= 0:
		old := j.Requests[i]
		if r.Tries == 0 {
			r.Tries = old.Tries + 1
		}
		counted = old.counts() && old.Tries >= r.Tries
		r.Tries = max(r.Tries, old.Tries)
	case r.Tries == 0:
		r.Tries = 1
	}
	if r.counts() && !counted {
		j.Asked++
	}
	j.Requests = with(without(j.Requests, func(o Request) bool { return o.Reviewer == r.Reviewer && o.Head == r.Head }), r)
	return j
}

// Tell enters a further comment, once for each topic and head.
func Tell(j Journal, t Told) Journal {
	if slices.ContainsFunc(j.Told, func(o Told) bool { return o.Topic == t.Topic && o.Head.Short() == t.Head.Short() }) {
		return j
	}
	j.Told = with(j.Told, t)
	return j
}

// Refuse enters an effect that a token had no right to, once for each kind of
// token.
func Refuse(j Journal, r Refusal) Journal {
	j.Refused = with(without(j.Refused, func(o Refusal) bool { return o.Key == r.Key && o.Via == r.Via }), r)
	return j
}

// RefusedFor returns the refusal of key by this kind of token.
func (j Journal) RefusedFor(key effect.Key, via string) (Refusal, bool) {
	i := slices.IndexFunc(j.Refused, func(r Refusal) bool { return r.Key == key && r.Via == via })
	if i < 0 {
		return Refusal{}, false
	}
	return j.Refused[i], true
}

// HandOff enters a hand-over. Without a number it gets the next one; one whose
// number, head and findings are there already changes nothing.
func HandOff(j Journal, h Handoff) Journal {
	next := handedOver(j) + 1
	if h.Number == 0 {
		h.Number = next
	}
	if slices.ContainsFunc(j.Handoffs, func(o Handoff) bool {
		return o.Number == h.Number && o.Head == h.Head && o.Findings == h.Findings
	}) {
		return j
	}
	j.Handoffs = with(j.Handoffs, h)
	j.HandedOver = max(next, h.Number)
	return j
}

// Mark is a short digest of a finding's id: what the journal keeps of it. Ids
// are long, and that of a check has a stranger's text in it.
func Mark(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}

// Answered enters what a report said of a finding: the newest word counts.
func Answered(j Journal, a Answer) Journal {
	j.Answers = with(without(j.Answers, func(o Answer) bool {
		return o.Finding == a.Finding && o.Head == a.Head && o.Number == a.Number
	}), a)
	return j
}

// Change replaces the hand-over of that number by what f makes of it.
func Change(j Journal, number int, f func(*Handoff)) Journal {
	j.Handoffs = slices.Clone(j.Handoffs)
	for i := range j.Handoffs {
		if j.Handoffs[i].Number == number {
			f(&j.Handoffs[i])
		}
	}
	return j
}

// Withdraw takes every hand-over back: nobody waits for one of them any more.
func Withdraw(j Journal) Journal {
	j.Handoffs = each(j.Handoffs, func(h *Handoff) { h.Withdrawn = true })
	return j
}

// SetQuota enters until when a reviewer has no quota; the later time holds.
func SetQuota(j Journal, q Quota) Journal {
	j.QuotaUntil = uniteQuotas(j.QuotaUntil, []Quota{q})
	return j
}

// with returns list with row at its end, in a list of its own.
func with[T any](list []T, row T) []T {
	return append(slices.Clip(list), row)
}
