package quest

import (
	"fmt"
	"math/bits"
	"slices"
)

// Step takes one event. It returns the next quest and the effects to carry
// out, in the order in which to ask for them. What it was given stays as it
// was.
//
// An event that has no place here is an [*Invalid] error, and the quest
// returned is the one given. An event that was applied already, and anything
// that comes after the end, is absorbed: no change, no effects, no error.
func Step(q Quest, e Event, p Policy) (Quest, []Effect, error) {
	return rules.step(q, e, p)
}

// Take is [Step] on a quest that is the caller's own: it changes q, unless the
// event is invalid or absorbed. taken says that it was neither.
func Take(q *Quest, e *Event, p Policy) (effects []Effect, taken bool, err error) {
	p = e.policy(p)
	r, why := rules.find(q, e, &p)
	switch {
	case why != "":
		return nil, false, &Invalid{State: q.State, Event: e.Type, Reason: why}
	case r == nil:
		return nil, false, nil
	}
	return rules.take(q, e, &p, r, nil), true, nil
}

// Fold takes a list of events in their order, from q on, under a policy that
// holds until an event brings another one. It stops at the first invalid one and
// returns the quest before it, the effects up to there and an [*Invalid] with
// its index.
func Fold(q Quest, events []Event, p Policy) (Quest, []Effect, error) {
	return rules.fold(q, events, p)
}

// After is the quest that [Fold] returns, without the effects: it spells no keys.
func After(q Quest, events []Event, p Policy) (Quest, error) {
	next, _, err := unspoken.fold(q, events, p)
	return next, err
}

// An Invalid is an event that the state has no place for.
type Invalid struct {
	Index  int       `json:"index"` // in the list that was folded
	State  State     `json:"state"`
	Event  EventType `json:"event"`
	Reason string    `json:"reason"` // values that strangers wrote are quoted in it
}

func (i *Invalid) Error() string {
	return fmt.Sprintf("event %d: %q at %q: %s", i.Index, i.Event, i.State, i.Reason)
}

// A machine is a table with what it takes to look a row up. The product has
// one, rules; tests make others with a mistake in them.
type machine struct {
	rows   []row
	matrix []ruleOfMode
	entry  []row // what entering a state again asks for
	key    func(trail string, rev int, effect EffectType, e *Event, occurrence int) string
	known  func(q *Quest, e *Event) bool // the event was applied already

	byPair map[State]map[EventType][]*row
}

// rules is the table as the product uses it.
var rules = newMachine(table, matrix, entries)

// unspoken is the same table with no keys.
var unspoken = func() *machine {
	m := *rules
	m.key = func(string, int, EffectType, *Event, int) string { return "" }
	return &m
}()

func newMachine(rows []row, matrix []ruleOfMode, entry []row) *machine {
	m := &machine{
		rows: rows, matrix: matrix, entry: entry,
		key: func(trail string, rev int, effect EffectType, e *Event, occurrence int) string {
			return Key(trail, rev, effect, e.ID, occurrence)
		},
		known: func(q *Quest, e *Event) bool { return q.Applied.Has(e.ID) },
	}
	m.index()
	return m
}

// index sorts the rows by state and event, in their order.
func (m *machine) index() {
	m.byPair = map[State]map[EventType][]*row{}
	for i := range m.rows {
		r := &m.rows[i]
		for _, s := range r.in {
			if m.byPair[s] == nil {
				m.byPair[s] = map[EventType][]*row{}
			}
			for _, e := range r.on {
				m.byPair[s][e] = append(m.byPair[s][e], r)
			}
		}
	}
}

// step is Step with the machine's table.
func (m *machine) step(q Quest, e Event, p Policy) (Quest, []Effect, error) {
	p = e.policy(p)
	r, why := m.find(&q, &e, &p)
	switch {
	case why != "":
		return q, nil, &Invalid{State: q.State, Event: e.Type, Reason: why}
	case r == nil:
		return q, nil, nil
	}
	next := q.clone()
	effects := m.take(&next, &e, &p, r, nil)
	return next, effects, nil
}

// fold is Fold with the machine's table. It clones once, not at each event.
func (m *machine) fold(q Quest, events []Event, p Policy) (Quest, []Effect, error) {
	next := q.clone()
	next.Applied.grow(len(events))
	effects := make([]Effect, 0, len(events))
	for i := range events {
		p = events[i].policy(p)
		r, why := m.find(&next, &events[i], &p)
		switch {
		case why != "":
			return next, effects, &Invalid{Index: i, State: next.State, Event: events[i].Type, Reason: why}
		case r != nil:
			effects = m.take(&next, &events[i], &p, r, effects)
		}
	}
	return next, effects, nil
}

// find returns the row that the event takes. No row and no reason: it is
// absorbed. With a reason it is invalid.
func (m *machine) find(q *Quest, e *Event, p *Policy) (*row, string) {
	if e.ID == "" {
		return nil, "the event has no id"
	}
	if m.known(q, e) {
		return nil, ""
	}
	r := m.pick(q, e, p)
	switch {
	case r == nil && q.State.Terminal(), r != nil && r.then.absorbed:
		return nil, ""
	case r == nil:
		return nil, "there is no such event"
	case r.then.why != nil:
		return nil, r.then.why(m, q, e, p)
	default:
		return r, ""
	}
}

// pick returns the first row whose condition holds; none for what is no event.
func (m *machine) pick(q *Quest, e *Event, p *Policy) *row {
	for _, r := range m.byPair[q.State][e.Type] {
		if r.when.hold(m, q, e, p) {
			return r
		}
	}
	return nil
}

// take carries a row out on q, and appends the effects that it asks for.
func (m *machine) take(q *Quest, e *Event, p *Policy, r *row, effects []Effect) []Effect {
	// Whether an effect is wanted is asked of the quest as it was.
	var wanted uint64
	for i := range r.asks {
		if r.asks[i].when.hold(m, q, e, p) {
			wanted |= 1 << i
		}
	}
	first := len(effects)
	was := q.State
	for _, do := range r.does {
		do(q, e, p)
	}
	r.then.move(q)
	if q.State != was {
		q.Lost = 0
	}
	for ; wanted != 0; wanted &= wanted - 1 {
		effects = m.ask(effects, first, &r.asks[bits.TrailingZeros64(wanted)], q, e, p)
	}
	if r.enters {
		for i := range m.entry {
			in := &m.entry[i]
			if slices.Contains(in.in, q.State) && in.when.hold(m, q, e, p) {
				for i := range in.asks {
					effects = m.ask(effects, first, &in.asks[i], q, e, p)
				}
				break
			}
		}
	}
	if checkpointOf(q.State) == "" && q.State != HandedOff {
		q.CheckpointPending = nil
	}
	q.Applied.add(e.ID)
	return effects
}

// ask appends one effect with its key. The effects of this transition begin at
// first.
func (m *machine) ask(effects []Effect, first int, a *ask, q *Quest, e *Event, p *Policy) []Effect {
	occurrence := 1
	for i := range effects[first:] {
		if effects[first+i].Type == a.effect {
			occurrence++
		}
	}
	w := Effect{Type: a.effect, Step: a.step, Text: a.text, Key: m.key(q.ID, q.Rev, a.effect, e, occurrence)}
	if a.effect == NotifyInbox {
		w.Text = withReason(a.text, e.Reason)
	}
	if a.fill != nil {
		a.fill(&w, q, e, p)
	}
	if a.effect == RunProof {
		q.ProofBase = q.Base
	}
	if a.effect == RequestCheckpoint {
		q.CheckpointPending = &Pending{w.CP, occurrence, w.Blocking}
	}
	return append(effects, w)
}
