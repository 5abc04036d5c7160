package conductor

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func decode(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestNormalize(t *testing.T) {
	blank := Input{SourceMode: Local}
	at := func(repo string, pr int) Input { return Input{Target: &Target{repo, pr}, SourceMode: Local} }
	tests := []struct {
		name, raw string
		want      Input
	}{
		{"an empty object has every default", `{}`, blank},
		{"an array passes, and has none of the keys", `[{"copilotState": "done"}]`, blank},
		{
			"every field is read", `{"target": {"repo": "Mona/Spoon", "pr": 7}, "copilotState": "done", "reviewerState": "review_requested",
				"ownershipState": "live_owner", "sourceMode": "authoritative", "requiresLocalIsolation": true}`,
			Input{&Target{"Mona/Spoon", 7}, "done", "review_requested", LiveOwner, Authoritative, true},
		},
		{"an outcome that is already chosen is noise", `{"outerAction": "done", "routingOutcome": "done_terminal"}`, blank},
		{"states are kept as they are", `{"copilotState": " done ", "reviewerState": "X"}`, Input{CopilotState: " done ", ReviewerState: "X", SourceMode: Local}},
		{"states are texts", `{"copilotState": 7, "reviewerState": ["done"], "ownershipState": {"live_owner": true}}`, blank},
		{"a source is exact", `{"sourceMode": "Authoritative"}`, blank},
		{"a snapshot is a source", `{"sourceMode": "snapshot"}`, Input{SourceMode: FromSnapshot}},
		{"whatever is meant for yes isolates", `{"requiresLocalIsolation": "yes"}`, Input{SourceMode: Local, RequiresLocalIsolation: true}},
		{"null does not isolate", `{"requiresLocalIsolation": null}`, blank},
		{"a target that is a text is none", `{"target": "mona/spoon#7"}`, blank},
		{"a target that is null is none", `{"target": null}`, blank},
		{"a target that is a number is none", `{"target": 7}`, blank},
		{"an empty target lacks both parts", `{"target": {}}`, at("", 0)},
		{"a list is a target without parts", `{"target": ["mona/spoon", 7]}`, at("", 0)},
		{"a repository loses the blanks around it", `{"target": {"repo": " mona/spoon ", "pr": 7, "x": 1}}`, at("mona/spoon", 7)},
		{"a repository is a text", `{"target": {"repo": 5, "pr": 7}}`, at("", 7)},
		{"7.0 is whole", `{"target": {"repo": "mona/spoon", "pr": 7.0}}`, at("mona/spoon", 7)},
		{"half a number is none", `{"target": {"repo": "mona/spoon", "pr": 1.5}}`, at("mona/spoon", 0)},
		{"a number in quotes is none", `{"target": {"repo": "mona/spoon", "pr": "7"}}`, at("mona/spoon", 0)},
		{"no pull request has a number below one", `{"target": {"repo": "mona/spoon", "pr": -1}}`, at("mona/spoon", 0)},
		{"no pull request has an endless number", `{"target": {"repo": "mona/spoon", "pr": 1e999}}`, at("mona/spoon", 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Normalize(decode(t, tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Normalize (-want +got):\n%s", diff)
			}
		})
	}
	for _, raw := range []string{`null`, `true`, `7`, `"x"`} {
		got, err := Normalize(decode(t, raw))
		if !errors.Is(err, ErrNoInput) || cmp.Diff(Input{}, got) != "" {
			t.Errorf("Normalize(%s) = %+v, %v; want nothing and %v", raw, got, err, ErrNoInput)
		}
	}
}

func TestEval(t *testing.T) {
	waiting := func(isolation string) string {
		return `{"routingOutcome":"continue_current_wait","outerAction":"continue_wait","stopReason":null,"priority":"14",` +
			`"handoffEnvelope":{"targetIdentity":{"repo":"mona/spoon","pr":7},"loopFamily":"outer_loop","entrypoint":"outer_loop_wait",` +
			`"reason":"Priority 14: the Copilot loop or the reviewer loop waits (Copilot loop: waiting_for_ci, reviewer loop: waiting_for_review_request)",` +
			`"requiredArgs":{"repo":"mona/spoon","pr":7},"confidence":"local","requiresLocalIsolation":` + isolation + `}}`
	}
	const input = `"target": {"repo": "Mona/Spoon", "pr": 7}, "copilotState": "waiting_for_ci", "reviewerState": "waiting_for_review_request"`
	tests := []struct {
		name, line, want string
	}{
		{"an input gets its decision", `{"input": {` + input + `}}`, waiting(`false`)},
		{"a newline and other keys change nothing", `{"id": 1, "input": {` + input + `, "outerAction": "done"}}` + "\r\n", waiting(`false`)},
		{"isolation is passed on", `{"input": {` + input + `, "requiresLocalIsolation": true}}`, waiting(`true`)},
		{"isolation is passed on as it came", `{"input": {` + input + `, "requiresLocalIsolation": "yes"}}`, waiting(`"yes"`)},
		{"isolation that is null came", `{"input": {` + input + `, "requiresLocalIsolation": null}}`, waiting(`null`)},
		{"half a line is none", `{"input": {`, `{"error":"the line is not JSON: unexpected EOF"}`},
		{"a list is none", `[{"input": {}}]`, `{"error":"the line is not an object with the key input"}`},
		{"a line without an input is none", `{"snapshot": {}}`, `{"error":"the input is not an object"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(Eval([]byte(tt.line)))); diff != "" {
				t.Errorf("Eval (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the line, the answer is one line of JSON: an error, or a decision
// with every key, which carries no hand-off where it fails closed.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"input":[]}`, `{"input":null}`, "{\"input\":{}}\n{\"input\":{}}",
		`{"input":{"target":{"repo":" Mona/Spoon ","pr":1e2},"copilotState":"done","reviewerState":"x","requiresLocalIsolation":{"a":[1e999]}}}`,
		`{"input":{"target":[],"copilotState":"pr_draft","reviewerState":"\u0085","ownershipState":"live_owner","sourceMode":"snapshot"}}`,
		"{\"input\":{\"copilotState\":\"\u2028\xff\"}}", strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(seed))
	}
	full := []string{"handoffEnvelope", "outerAction", "priority", "routingOutcome", "stopReason"}
	envelope := []string{"confidence", "entrypoint", "loopFamily", "reason", "requiredArgs", "requiresLocalIsolation", "targetIdentity"}
	f.Fuzz(func(t *testing.T, line []byte) {
		got := Eval(line)
		if bytes.ContainsAny(got, "\r\n") {
			t.Fatalf("more than one line: %q", got)
		}
		if diff := cmp.Diff(got, Eval(line)); diff != "" {
			t.Fatalf("answered twice (-first +second):\n%s", diff)
		}
		var answer map[string]any
		d := json.NewDecoder(bytes.NewReader(got))
		d.UseNumber() // isolation may be a number that no float64 holds
		if err := d.Decode(&answer); err != nil {
			t.Fatalf("%q is not JSON: %v", got, err)
		}
		if slices.Equal(keysOf(answer), []string{"error"}) {
			return
		}
		if diff := cmp.Diff(full, keysOf(answer)); diff != "" {
			t.Fatalf("%q is neither a decision nor an error (-want +got):\n%s", got, diff)
		}
		e, _ := answer["handoffEnvelope"].(map[string]any)
		if diff := cmp.Diff(envelope, keysOf(e)); diff != "" {
			t.Fatalf("%q has another envelope (-want +got):\n%s", got, diff)
		}
		outcome, _ := answer["routingOutcome"].(string)
		if Outcome(outcome).Terminal() != (e["loopFamily"] == nil && e["entrypoint"] == nil) {
			t.Fatalf("%q carries a hand-off and fails closed, or neither", got)
		}
	})
}

func keysOf(m map[string]any) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
