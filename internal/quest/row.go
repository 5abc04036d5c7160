package quest

// A row is one line of the transition table: in these states, on these events,
// where the condition holds, the quest goes there, with these changes, and
// asks for these effects. Of the rows of a state and event the first one whose
// condition holds is taken.
type row struct {
	id     string
	in     in
	on     on
	when   when // all of them
	then   outcome
	does   does
	asks   asks
	enters bool // asks for what the state that it goes back to begins with
}

// The columns of a row.
type (
	in   []State
	on   []EventType
	when []cond
	does []act
	asks []ask
)

// hold reports whether every condition holds.
func (w when) hold(m *machine, q *Quest, e *Event, p *Policy) bool {
	for i := range w {
		if !w[i].holds(m, q, e, p) {
			return false
		}
	}
	return true
}

// These states and events stand for many.
var (
	active = in{
		Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching, Proving, Ready, Landing, Watching, RolledBack,
	}
	activeOrParked = append(in{Parked}, active...)
	live           = append(in{HandedOff}, activeOrParked...)
	terminal       = in{Closed, Abandoned}
	anyEvent       = on(Events())
	commands       = natured(command)
)

func natured(n nature) on {
	var all on
	for _, e := range allEvents {
		if e.nature == n {
			all = append(all, e.event)
		}
	}
	return all
}

// A cond is a condition and the words for it.
type cond struct {
	says  string
	holds func(m *machine, q *Quest, e *Event, p *Policy) bool
}

func not(says string, c cond) cond {
	return cond{says, func(m *machine, q *Quest, e *Event, p *Policy) bool { return !c.holds(m, q, e, p) }}
}

// An outcome is where a row leads to: a move, a refusal, or nothing at all.
type outcome struct {
	to       State // the state after it; empty where move leaves it
	via      State // a state that is passed through
	back     bool  // to where a held quest goes back
	held     State // a held quest stays, and will go back to this one
	absorbed bool
	why      func(m *machine, q *Quest, e *Event, p *Policy) string
	says     string // of a refusal
}

// move sets the state. Where nothing is named it stays.
func (o *outcome) move(q *Quest) {
	switch {
	case o.back:
		q.State = q.ReturnTo
	case o.held != "":
		q.ReturnTo = o.held
		return
	case o.to != "":
		if o.to.Held() && q.ReturnTo == "" {
			q.ReturnTo = q.State
		}
		q.State = o.to
	default:
		return
	}
	if !q.State.Held() {
		q.ReturnTo = ""
	}
	if q.State != Parked {
		q.ParkReason, q.WatchedClean = "", false
	}
	if q.State != HandedOff {
		q.Owner, q.ProofPending = "", false
	}
}

func to(s State) outcome         { return outcome{to: s} }
func through(v, s State) outcome { return outcome{via: v, to: s} }
func later(s State) outcome      { return outcome{held: s} }

var (
	stay   = outcome{}
	goBack = outcome{back: true}
	absorb = outcome{absorbed: true}
)

// refuse is an invalid transition, with the reason that people are told.
func refuse(says string) outcome {
	return outcome{says: says, why: func(*machine, *Quest, *Event, *Policy) string { return says }}
}

// refuseFor is one whose reason depends on the event.
func refuseFor(says string, why func(q *Quest, e *Event, p *Policy) string) outcome {
	return outcome{says: says, why: func(_ *machine, q *Quest, e *Event, p *Policy) string { return why(q, e, p) }}
}

// An act changes the record.
type act func(q *Quest, e *Event, p *Policy)

// An ask is an effect that a row asks for, where the condition holds on the
// quest before the transition.
type ask struct {
	effect EffectType
	step   string // of an agent
	text   string // for people
	when   when
	fill   func(w *Effect, q *Quest, e *Event, p *Policy)
}
