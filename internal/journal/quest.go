package journal

import (
	"bytes"
	"slices"

	"github.com/prloop/prloop/internal/quest"
)

// A Quest is the quest of the pull request: how it stood once, and every event
// since (design 3, Quest; seed 002, "Replay"). The fold of the two is the quest
// as it stands, and asks for the same effects under the same keys.
type Quest struct {
	// Number counts the quests of the pull request, from 1: after the end of one
	// another may begin.
	Number int `json:"number"`
	// Policy is what held when Events begin. An event policy_changed brings
	// another one.
	Policy quest.Policy `json:"policy"`
	// From is the quest before Events; Folded counts the events that went into
	// it.
	From   quest.Quest   `json:"from"`
	Folded int           `json:"folded,omitempty"`
	Events []quest.Event `json:"events,omitempty"` // oldest first
}

// Fold is the quest as it stands, the policy that holds now, and the effects
// that the events asked for. Its error is a *quest.Invalid: a quest of ours is
// one of events that were accepted, so one with an error is damaged. What is
// returned then is the quest before it.
func (k *Quest) Fold() (quest.Quest, quest.Policy, []quest.Effect, error) {
	q, effects, err := quest.Fold(k.From, k.Events, k.Policy)
	return q, quest.PolicyAfter(k.Policy, k.Events), effects, err
}

// With is k with further events at its end.
func (k *Quest) With(events ...quest.Event) *Quest {
	next := *k
	next.Events = append(slices.Clip(k.Events), events...)
	return &next
}

// keepIDs is how many ids of events a shortened quest remembers. Events come
// from comparing the world with the quest, and commands are marked as heard in
// Orders, so an id that is older than these does not come again.
const keepIDs = 40

// keepEvents is how many events stand in a journal one by one: more than most
// pull requests have.
const keepEvents = 40

// keep folds all but the newest events into the quest before them. One that
// cannot be folded stays as it is.
func (k *Quest) keep(events int) *Quest {
	n := len(k.Events) - events
	if n <= 0 {
		return k
	}
	from, _, err := quest.Fold(k.From, k.Events[:n], k.Policy)
	if err != nil {
		return k
	}
	next := *k
	next.Policy = quest.PolicyAfter(k.Policy, k.Events[:n])
	next.Folded = min(k.Folded+n, maxNumber)
	next.Events = newest(k.Events, events)
	from.Applied = from.Applied.Newest(min(keepIDs, events))
	from.Evidence = newest(from.Evidence, events)
	from.Children = newest(from.Children, events)
	if most := max(1, events); len(from.Signals) > most { // the first one started it
		from.Signals = append(from.Signals[:1:1], newest(from.Signals, most-1)...)
	}
	next.From = from
	return &next
}

// whole returns k with times in UTC and whole seconds, in lists of its own.
func (k *Quest) whole() {
	k.From.MutedUntil = second(k.From.MutedUntil)
	k.Events = each(k.Events, func(e *quest.Event) { e.At = second(e.At) })
}

// numbers are all that the quest counts.
func (k *Quest) numbers() []int {
	q := k.From
	all := []int{k.Number, k.Folded, q.Rev, q.Attempts, q.Rebases, q.Lost, k.Policy.MaxAttempts, k.Policy.RebaseCap}
	for i := range k.Events {
		all = append(all, k.Events[i].Rev)
		if p := k.Events[i].Policy; p != nil {
			all = append(all, p.MaxAttempts, p.RebaseCap)
		}
	}
	return all
}

// moreQuest is the one of two that says more.
func moreQuest(a, b *Quest) *Quest {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	x, errA := Spell(a)
	y, errB := Spell(b)
	if errA != nil || errB != nil || len(x) < len(y) || len(x) == len(y) && bytes.Compare(x, y) < 0 {
		return b
	}
	return a
}
