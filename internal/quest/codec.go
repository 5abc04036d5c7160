package quest

import (
	"encoding/json"
	"reflect"
	"strings"
)

// MarshalJSON writes the record with the fields of it that this version does
// not know.
func (q Quest) MarshalJSON() ([]byte, error) {
	type plain Quest
	return withRest(plain(q), q.Rest)
}

// UnmarshalJSON reads a record and keeps the fields that it does not know.
func (q *Quest) UnmarshalJSON(data []byte) error {
	type plain Quest
	var fresh plain
	if err := json.Unmarshal(data, &fresh); err != nil {
		return err
	}
	rest, err := unknown(data, questKeys)
	*q = Quest(fresh)
	q.Rest = rest
	return err
}

// MarshalJSON writes the event with the fields that this version does not know.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return withRest(plain(e), e.Rest)
}

// UnmarshalJSON reads an event and keeps the fields that it does not know.
func (e *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	var fresh plain
	if err := json.Unmarshal(data, &fresh); err != nil {
		return err
	}
	rest, err := unknown(data, eventKeys)
	*e = Event(fresh)
	e.Rest = rest
	return err
}

var (
	questKeys = keysOf(reflect.TypeFor[Quest]())
	eventKeys = keysOf(reflect.TypeFor[Event]())
)

// keysOf returns the JSON keys of a struct, in lower case, as package json
// matches them.
func keysOf(t reflect.Type) map[string]bool {
	keys := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys[strings.ToLower(name)] = true
	}
	return keys
}

func unknown(data []byte, known map[string]bool) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for key := range all {
		if known[strings.ToLower(key)] {
			delete(all, key)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// withRest appends the unknown fields, in the order of their names.
func withRest(v any, rest map[string]json.RawMessage) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil || len(rest) == 0 {
		return text, err
	}
	more, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), more[1:]...), nil
}
