package quest

import (
	"slices"
	"strings"
)

// A Row is one row of the transition table, in words.
type Row struct {
	ID    string
	From  []State     // empty: before the first signal
	On    []EventType // empty: every event that no row above takes
	When  string      // the condition, without a full stop; empty: always
	To    string      // a state, or what becomes of the event
	Moves State       // the state after it, where it is always the same one
	Asks  []EffectType
}

// Table returns the transition table in its order, for documents.
func Table() []Row {
	all := make([]Row, len(table))
	for i, r := range table {
		all[i] = Row{ID: r.id, From: r.in, On: r.on, When: saying(r.when), To: r.then.words(), Moves: r.then.to}
		if len(r.on) == len(allEvents) {
			all[i].On = nil
		}
		if len(r.in) == 1 && r.in[0] == unborn {
			all[i].From = nil
		}
		for _, a := range r.asks {
			all[i].Asks = append(all[i].Asks, a.effect)
		}
	}
	return all
}

func saying(w when) string {
	says := make([]string, len(w))
	for i, c := range w {
		says[i] = c.says
	}
	return strings.Join(says, ", ")
}

// words says where an outcome leads.
func (o *outcome) words() string {
	switch {
	case o.absorbed:
		return "absorbed"
	case o.why != nil:
		return "invalid: " + o.says
	case o.back:
		return "where it came from"
	case o.held != "":
		return "the same, back to " + string(o.held)
	case o.via != "":
		return string(o.via) + ", " + string(o.to)
	case o.to != "":
		return string(o.to)
	default:
		return "the same"
	}
}

// Many returns the words for a set of states that has a name, or "".
func Many(states []State) string {
	for _, set := range []struct {
		states []State
		says   string
	}{
		{active, "every active state"},
		{activeOrParked, "every active state, parked"},
		{live, "every state but closed and abandoned"},
		{terminal, "closed, abandoned"},
		{allStates, "every state"},
	} {
		if slices.Equal(states, set.states) {
			return set.says
		}
	}
	return ""
}

// Allowed are the commands that the quest would not refuse now, by the table,
// in the order of [Events]. A decision is one on the checkpoint at hand, by a
// person; a claim and a release are by the one who holds the review, where
// somebody does.
func Allowed(q Quest, p Policy) []EventType {
	var list []EventType
	cp := checkpointOf(q.State)
	for i := range allEvents {
		if allEvents[i].nature != command {
			continue
		}
		who := q.Owner
		if who == "" {
			who = "somebody"
		}
		e := Event{ID: "allowed?", Type: allEvents[i].event, Actor: who, CP: cp, Verdict: Approve, By: Person, Route: AutoFix}
		if r, why := rules.find(&q, &e, &p); r != nil && why == "" {
			list = append(list, e.Type)
		}
	}
	return list
}
