package quest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/prloop/prloop/internal/loose"
)

// Eval is the machine as a black box: one line of JSON in, one line of JSON
// out, without a newline at its end. The line has {trail, policy, events}; the
// trail is "eval" where it is missing, the policy is read as [NormalizePolicy]
// does. The answer is {quest, effects: [{key, type}], invalid}, the quest as it
// is before the first invalid event, or {"error": …} where the line holds no
// list of events.
func Eval(line []byte) []byte {
	return loose.Answer(line, "events", func(in map[string]any) (any, error) {
		l, err := newList(in, line)
		if err != nil {
			return nil, err
		}
		a := answer{Quest: l.start, Effects: []wish{}}
		for _, s := range l.play() {
			a.Quest = s.Quest
			for _, e := range s.Effects {
				a.Effects = append(a.Effects, wish{e.Key, e.Type})
			}
			a.Invalid = s.Invalid
		}
		return a, nil
	})
}

type answer struct {
	Quest   Quest    `json:"quest"`
	Effects []wish   `json:"effects"`
	Invalid *Invalid `json:"invalid"`
}

type wish struct {
	Key  string     `json:"key"`
	Type EffectType `json:"type"`
}

// A Played is one event of a list and what came of it.
type Played struct {
	Event   Event
	From    State
	Quest   Quest // after the event
	Effects []Effect
	// Absorbed: nothing changed, and that is right.
	Absorbed bool
	// Invalid ends the list.
	Invalid *Invalid
}

// Replay plays a list of events from a file: {trail, policy, events} as [Eval]
// takes it, or the events alone. It ends after the first invalid one. Its error
// says why the text is no such list.
func Replay(text []byte) ([]Played, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		text = slices.Concat([]byte(`{"events":`), text, []byte("}"))
	}
	var in map[string]any
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	l, err := newList(in, text)
	if err != nil {
		return nil, err
	}
	return l.play(), nil
}

// A list is events to play, not yet read one by one: what is no event is an
// invalid one.
type list struct {
	start  Quest
	policy Policy
	events []json.RawMessage
}

// errNoEvents says that there is no list of events at all.
var errNoEvents = errors.New("events is not a list")

// newList reads a list from an object and the text that it was decoded from:
// a bundle is what its bytes say.
func newList(in map[string]any, text []byte) (list, error) {
	if _, ok := in["events"].([]any); !ok {
		return list{}, errNoEvents
	}
	l := list{start: New("eval"), policy: NormalizePolicy(in["policy"])}
	switch t := in["trail"].(type) {
	case nil:
	case string:
		l.start.ID = cmp.Or(t, l.start.ID)
	default:
		return list{}, errors.New("the trail is no text")
	}
	var raw map[string]json.RawMessage
	err := json.Unmarshal(text, &raw)
	if err == nil {
		err = json.Unmarshal(raw["events"], &l.events)
	}
	return l, err
}

func (l list) play() []Played {
	played := make([]Played, 0, len(l.events))
	q := l.start
	for i, raw := range l.events {
		e, err := readEvent(raw)
		p := Played{Event: e, From: q.State, Quest: q}
		if err != nil {
			p.Invalid = &Invalid{State: q.State, Event: e.Type, Reason: err.Error()}
		} else {
			l.policy = e.policy(l.policy)
			p = playOne(q, e, l.policy)
		}
		if p.Invalid != nil {
			p.Invalid.Index = i
		}
		q = p.Quest
		played = append(played, p)
		if p.Invalid != nil {
			break
		}
	}
	return played
}

func playOne(q Quest, e Event, policy Policy) Played {
	p := Played{Event: e, From: q.State}
	var err error
	if p.Quest, p.Effects, err = Step(q, e, policy); err != nil {
		p.Invalid, _ = errors.AsType[*Invalid](err)
	}
	p.Absorbed = err == nil && !p.Quest.Applied.Has(e.ID) || q.Applied.Has(e.ID)
	return p
}

// Play plays events from q on as [Fold] folds them, and tells each. It ends
// after the first invalid one.
func Play(q Quest, events []Event, policy Policy) []Played {
	played := make([]Played, 0, len(events))
	for i := range events {
		policy = events[i].policy(policy)
		p := playOne(q, events[i], policy)
		if p.Invalid != nil {
			p.Invalid.Index = i
		}
		if played = append(played, p); p.Invalid != nil {
			break
		}
		q = p.Quest
	}
	return played
}

// readEvent reads a JSON value as an event. Of one that is none it returns the
// type, where it has one.
func readEvent(text []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(text, &e); err != nil {
		var m map[string]any
		_ = json.Unmarshal(text, &m) // without an object there is no type
		return Event{Type: EventType(loose.Text(m["type"]))}, fmt.Errorf("the event cannot be read: %q", err.Error())
	}
	return e, nil
}
