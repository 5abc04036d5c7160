package quest

import "fmt"

// An Arrival is what becomes of a signal: it starts a quest, goes to one that
// is there, or is dropped.
type Arrival struct {
	Does Arriving
	// Quest is the id of the quest that the event goes to; empty where a new
	// one is started, or none.
	Quest string
	// Event is the event for that quest.
	Event Event
}

// Arriving is one of the ways a signal can go.
type Arriving string

// The ways of a signal (seed 002, "How a quest starts").
const (
	Starts Arriving = "starts"  // a new quest
	Joins  Arriving = "joins"   // an open quest that has its fingerprint
	Opens  Arriving = "reopens" // a closed quest, by a regression
	Muted  Arriving = "muted"   // nothing
)

// Arrive says where a signal goes, given every quest that is known, oldest
// first. regression says that somebody found it to be one. An open quest with
// its fingerprint takes it even while that is muted: muting keeps quests from
// starting, and no signal of an open one may be lost. A closed quest takes it
// as a regression alone; an abandoned one never does.
func Arrive(signal Event, regression bool, known []Quest) Arrival {
	var closed *Quest
	muted := false
	for i := range known {
		q := &known[i]
		if q.Fingerprint != signal.Fingerprint {
			continue
		}
		switch {
		case q.State == Closed:
			closed = q
		case q.State != Abandoned && q.State != unborn:
			return Arrival{Joins, q.ID, as(signal, SignalAdded)}
		}
		muted = muted || signal.At.Before(q.MutedUntil)
	}
	switch {
	case regression && closed != nil:
		e := as(signal, RegressionMatched)
		e.Quest = closed.ID
		return Arrival{Opens, closed.ID, e}
	case muted:
		return Arrival{Does: Muted}
	default:
		return Arrival{Does: Starts, Event: as(signal, SignalReceived)}
	}
}

func as(e Event, t EventType) Event {
	e.Type = t
	return e
}

// TriageFault says why a triage decision on a quest names another one that
// cannot be named, given every quest that is known, or "". The older quest of
// a duplicate is there; a parent is there, has not ended, and does not itself
// wait for this quest.
func TriageFault(q Quest, decision Event, known []Quest) string {
	byID := map[string]*Quest{}
	for i := range known {
		byID[known[i].ID] = &known[i]
	}
	if decision.Route == Duplicate && byID[decision.Of] == nil {
		return fmt.Sprintf("there is no quest %q", decision.Of)
	}
	if decision.Route != Conflict {
		return ""
	}
	parent := byID[decision.Parent]
	if parent == nil {
		return fmt.Sprintf("there is no quest %q", decision.Parent)
	}
	if parent.State.Terminal() {
		return fmt.Sprintf("quest %q has ended", decision.Parent)
	}
	// No chain is longer than there are quests, and this one.
	id := decision.Parent
	for range len(known) + 1 {
		if id == q.ID {
			return fmt.Sprintf("quest %q waits for this one", decision.Parent)
		}
		if byID[id] == nil {
			break
		}
		id = byID[id].Parent
	}
	return ""
}
