package quest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEval(t *testing.T) {
	const begin = `{"id":"s@1","at":"2026-11-30T09:00:00Z","type":"signal_received","signal":{"check":"build"},"fingerprint":"f","severity":"high"}`
	sensed := func(trail string) string {
		return `{"quest":{"id":"` + trail + `","rev":1,"state":"sensed","severity":3,"severityFloor":3,"fingerprint":"f","signals":["{\"check\":\"build\"}"],"attempts":0,"appliedEventIds":["s@1"]},` +
			`"effects":[{"key":"` + strings.ReplaceAll(trail, ":", "%3A") + `:1:run_triage:s@1:1","type":"run_triage"}],`
	}
	tests := []struct{ name, line, want string }{
		{"no events, no quest", `{"events":[]}`, `{"quest":{"id":"eval","rev":0,"state":"","attempts":0,"appliedEventIds":[]},"effects":[],"invalid":null}`},
		{"an event", `{"trail":"pr-7","policy":null,"events":[` + begin + `]}`, sensed("pr-7") + `"invalid":null}`},
		{"a colon in the trail is escaped in its keys", `{"trail":"a:b","events":[` + begin + `]}`, sensed("a:b") + `"invalid":null}`},
		{"the same event twice", `{"events":[` + begin + `,` + begin + `]}`, sensed("eval") + `"invalid":null}`},
		{
			"the first invalid one ends it", `{"events":[` + begin + `,{"id":"l@1","type":"landed"},{"id":"x","type":"kill"}]}`,
			sensed("eval") + `"invalid":{"index":1,"state":"sensed","event":"landed","reason":"this state has no use for this event"}}`,
		},
		{
			"an event without an id", `{"events":[` + begin + `,{"type":"pause"}]}`,
			sensed("eval") + `"invalid":{"index":1,"state":"sensed","event":"pause","reason":"the event has no id"}}`,
		},
		{
			"what cannot be read is invalid, by its type", `{"events":[` + begin + `,{"id":7,"type":"pause"}]}`,
			sensed("eval") + `"invalid":{"index":1,"state":"sensed","event":"pause","reason":"the event cannot be read: \"json: cannot unmarshal number into Go struct field plain.id of type string\""}}`,
		},
		{
			"what is no object is invalid", `{"events":[` + begin + `,[]]}`,
			sensed("eval") + `"invalid":{"index":1,"state":"sensed","event":"","reason":"the event cannot be read: \"json: cannot unmarshal array into Go value of type quest.plain\""}}`,
		},
		{"an empty line is none", ``, `{"error":"the line is empty"}`},
		{"a line without events", `{"policy":{}}`, `{"error":"events is not a list"}`},
		{"events that are no list", `{"events":{}}`, `{"error":"events is not a list"}`},
		{"a trail that is no text", `{"trail":7,"events":[]}`, `{"error":"the trail is no text"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(Eval([]byte(tt.line)))); diff != "" {
				t.Errorf("Eval (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNormalizePolicy(t *testing.T) {
	with := func(edit func(*Policy)) Policy {
		p := DefaultPolicy()
		edit(&p)
		return p
	}
	tests := []struct {
		name, raw string
		want      Policy
	}{
		{"null is the default", `null`, DefaultPolicy()},
		{"a list is the default", `[]`, DefaultPolicy()},
		{
			"every key is read", `{"checkpoints":{"A":"shadow","B":"blocking","C":"advisory"},"maxAttempts":2,"rebaseCap":0,"muteHours":1.5,"requireFreshBase":true,"shadowHumanOverride":true}`,
			Policy{Checkpoints{Shadow, Blocking, Advisory}, 2, 0, 1.5, true, true},
		},
		{"a mode alone", `{"checkpoints":{"C":"advisory"}}`, with(func(p *Policy) { p.Checkpoints.C = Advisory })},
		{
			"the wrong type counts as absent",
			`{"checkpoints":"shadow","maxAttempts":"2","rebaseCap":-1,"muteHours":null,"requireFreshBase":1,"shadowHumanOverride":"true"}`, DefaultPolicy(),
		},
		{"no attempt at all is none", `{"maxAttempts":0,"checkpoints":{"A":"none"}}`, DefaultPolicy()},
	}
	for _, tt := range tests {
		var raw any
		if err := json.Unmarshal([]byte(tt.raw), &raw); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, NormalizePolicy(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A mode that nobody knows is blocking.
func TestUnknownModeBlocks(t *testing.T) {
	p := Policy{Checkpoints: Checkpoints{A: "perhaps"}}
	if p.mode(A) != Blocking || p.mode(B) != Blocking || p.mode("D") != Blocking {
		t.Errorf("%s %s %s", p.mode(A), p.mode(B), p.mode("D"))
	}
}

// What an event says survives its spelling, the unknown included.
func TestEventsReadBack(t *testing.T) {
	text := `{"id":"e","at":"2026-11-30T09:00:00Z","type":"decision","evidence":["run 7"],"cp":"C","verdict":"approve","by":"automatic","binding":{"head":"h"},"later":{"a":[1]}}`
	var e Event
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(e)
	if err != nil || string(back) != text {
		t.Errorf("%v: %s became %s", err, text, back)
	}
	for in, want := range map[string]Refs{`"x"`: {"x"}, `["x",null,""]`: {"x"}, `{"a": 1}`: {`{"a":1}`}, `null`: nil, `[]`: nil, `false`: nil, `{}`: nil, `true`: {"true"}} {
		var e Event
		if err := json.Unmarshal([]byte(`{"evidence":`+in+`}`), &e); err != nil || !slices.Equal(e.Evidence, want) {
			t.Errorf("evidence %s is %q (%v), want %q", in, e.Evidence, err, want)
		}
	}
	if err := json.Unmarshal([]byte(`{"severity":"awful"}`), &e); err == nil {
		t.Error("a severity that nobody knows was taken")
	}
}

// A long quest finds its ids as a short one does.
func TestAppliedIDs(t *testing.T) {
	var a Applied
	for _, e := range longList(3 * few) {
		if a.Has(e.ID) {
			t.Fatalf("%s is there before it came", e.ID)
		}
		a.add(e.ID)
		c := a.clone()
		c.add("other")
		if !a.Has(e.ID) || a.Has("other") || !c.Has("other") {
			t.Fatalf("after %s", e.ID)
		}
	}
	text, err := json.Marshal(a)
	var back Applied
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || !back.Equal(a) || !back.Has("e0") {
		t.Errorf("%v: %s", err, text)
	}
	if err := json.Unmarshal([]byte(`["x","x"]`), &back); err != nil || len(back.IDs()) != 1 {
		t.Errorf("%v: %q", err, back.IDs())
	}
}

func longList(n int) []Event {
	list := make([]Event, n)
	for i := range list {
		list[i].ID = "e" + strings.Repeat("x", i)
	}
	list[0].ID = "e0"
	return list
}

// FuzzEval: whatever the line, the answer is one line of JSON, and always the
// same one.
func FuzzEval(f *testing.F) {
	events, err := json.Marshal(map[string]any{"events": straight(10)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(events)
	for _, line := range []string{``, `{}`, `{"events":[{}]}`, `{"events":[null],"trail":""}`, `{"events":[{"id":"a","type":"signal_received","at":1}]}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got := Eval(line)
		if bytes.ContainsAny(got, "\r\n") || !json.Valid(got) {
			t.Fatalf("%q is no line of JSON", got)
		}
		if diff := cmp.Diff(string(got), string(Eval(line))); diff != "" {
			t.Fatalf("answered twice (-first +second):\n%s", diff)
		}
	})
}
