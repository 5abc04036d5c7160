package copilot

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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
	blank := Snapshot{CopilotReviewRequestStatus: NotRequested, CIStatus: CINone}
	with := func(edit func(*Snapshot)) Snapshot {
		s := blank
		edit(&s)
		return s
	}
	tests := []struct {
		name, raw string
		want      Snapshot
	}{
		{"an empty object has every default", `{}`, blank},
		{"an array passes, and has none of the keys", `[{"prExists": true}]`, blank},
		{
			"every field is read", `{"prExists": true, "prNumber": 7, "prDraft": true, "prMerged": true, "prClosed": true,
				"copilotReviewRequestStatus": "already-requested", "copilotReviewPresent": true, "copilotReviewOnCurrentHead": true,
				"unresolvedThreadCount": 1, "actionableThreadCount": 2, "copilotBodyFeedbackUnresolved": true,
				"ciStatus": "crediblyGreen", "agentFixStatus": "applied", "copilotReviewRoundCount": 3,
				"lastCopilotRoundMaxSignal": "mid", "copilotErrorReviewCountOnCurrentHead": 4, "mergeStateStatus": "DIRTY"}`,
			Snapshot{
				PRExists: true, PRNumber: new(7), PRDraft: true, PRMerged: true, PRClosed: true,
				CopilotReviewRequestStatus: AlreadyRequested, CopilotReviewPresent: true, CopilotReviewOnCurrentHead: true,
				UnresolvedThreadCount: 1, ActionableThreadCount: 2, CopilotBodyFeedbackUnresolved: true,
				CIStatus: CrediblyGreen, AgentFixStatus: "applied", CopilotReviewRoundCount: 3,
				LastCopilotRoundMaxSignal: "mid", CopilotErrorReviewCountOnCurrentHead: 4, MergeStateStatus: "DIRTY",
			},
		},
		{"a text is true, whatever it says", `{"prExists": "false"}`, with(func(s *Snapshot) { s.PRExists = true })},
		{"an empty list is true", `{"prMerged": []}`, with(func(s *Snapshot) { s.PRMerged = true })},
		{"an empty object is true", `{"prClosed": {}}`, with(func(s *Snapshot) { s.PRClosed = true })},
		{"a number other than zero is true", `{"prDraft": -0.5}`, with(func(s *Snapshot) { s.PRDraft = true })},
		{"zero, null and the empty text are false", `{"prExists": 0, "prDraft": -0, "prMerged": "", "prClosed": null}`, blank},
		{
			"a review of the head is a review", `{"copilotReviewOnCurrentHead": 1, "copilotReviewPresent": false}`,
			with(func(s *Snapshot) { s.CopilotReviewOnCurrentHead, s.CopilotReviewPresent = true, true }),
		},
		{"a number without a pull request is none", `{"prNumber": 7}`, blank},
		{"half a number is rounded down", `{"prExists": 1, "prNumber": 0.5}`, with(func(s *Snapshot) { s.PRExists, s.PRNumber = true, new(0) })},
		{"a pull request below one has no number", `{"prExists": 1, "prNumber": -2}`, with(func(s *Snapshot) { s.PRExists = true })},
		{"no pull request has the number zero", `{"prExists": 1, "prNumber": 0}`, with(func(s *Snapshot) { s.PRExists = true })},
		{"a number in quotes is none", `{"prExists": 1, "prNumber": "7"}`, with(func(s *Snapshot) { s.PRExists = true })},
		{"names are exact", `{"copilotReviewRequestStatus": "Requested", "ciStatus": "SUCCESS", "agentFixStatus": "Applied", "lastCopilotRoundMaxSignal": "High", "mergeStateStatus": "dirty"}`, blank},
		{"names are texts", `{"copilotReviewRequestStatus": ["requested"], "ciStatus": true, "agentFixStatus": 1}`, blank},
		{
			"counts are rounded down", `{"unresolvedThreadCount": 0.9, "actionableThreadCount": 2.9, "copilotReviewRoundCount": 1e2}`,
			with(func(s *Snapshot) { s.ActionableThreadCount, s.CopilotReviewRoundCount = 2, 100 }),
		},
		{"a count that is none reads as zero", `{"unresolvedThreadCount": "3", "actionableThreadCount": null, "copilotReviewRoundCount": -3}`, blank},
		{
			"a count beyond every number is still many", `{"unresolvedThreadCount": 1e999, "copilotReviewRoundCount": 99999999999999999999}`,
			with(func(s *Snapshot) {
				s.UnresolvedThreadCount, s.CopilotReviewRoundCount = math.MaxInt32, math.MaxInt32
			}),
		},
		{"error reviews are counted in whole numbers", `{"copilotErrorReviewCountOnCurrentHead": 2.5}`, blank},
		{"error reviews are finite", `{"copilotErrorReviewCountOnCurrentHead": 1e999}`, blank},
		{"2.0 is whole", `{"copilotErrorReviewCountOnCurrentHead": 2.0}`, with(func(s *Snapshot) { s.CopilotErrorReviewCountOnCurrentHead = 2 })},
		{"keys are exact", `{"PRExists": true, "prexists": true}`, blank},
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
			var floats any // numbers as float64
			if err := json.Unmarshal([]byte(tt.raw), &floats); err != nil {
				return // 1e999 is only a json.Number
			}
			if got, err := Normalize(floats); err != nil || cmp.Diff(tt.want, got) != "" {
				t.Errorf("Normalize of float64 numbers, %v (-want +got):\n%s", err, cmp.Diff(tt.want, got))
			}
		})
	}
	for _, raw := range []string{`null`, `true`, `7`, `"x"`} {
		got, err := Normalize(decode(t, raw))
		if !errors.Is(err, ErrNoSnapshot) || cmp.Diff(Snapshot{}, got) != "" {
			t.Errorf("Normalize(%s) = %+v, %v; want nothing and %v", raw, got, err, ErrNoSnapshot)
		}
	}
}

func TestNormalizeConfig(t *testing.T) {
	with := func(edit func(*Config)) Config {
		c := DefaultConfig()
		edit(&c)
		return c
	}
	tests := []struct {
		name, raw string
		want      Config
	}{
		{"null is the default", `null`, DefaultConfig()},
		{"a list is the default", `[1]`, DefaultConfig()},
		{"an empty object is the default", `{}`, DefaultConfig()},
		{
			"every key is read", `{"maxCopilotRounds": 2.5, "stopOnLowSignal": true, "lowSignalRoundThreshold": 0, "lowSignalMaxComments": 1, "preApprovalRequireCi": false}`,
			Config{MaxCopilotRounds: 2.5, StopOnLowSignal: true, LowSignalMaxComments: 1},
		},
		{
			"a value of the wrong type counts as absent",
			`{"maxCopilotRounds": "2", "stopOnLowSignal": 1, "lowSignalRoundThreshold": null, "lowSignalMaxComments": [1], "preApprovalRequireCi": 0}`,
			DefaultConfig(),
		},
		{"null does not waive checks", `{"preApprovalRequireCi": null}`, DefaultConfig()},
		{"true asks for checks", `{"preApprovalRequireCi": true}`, DefaultConfig()},
		{"false is no low-signal stop", `{"stopOnLowSignal": false}`, DefaultConfig()},
		{"a cap beyond every number is one", `{"maxCopilotRounds": 1e999}`, with(func(c *Config) { c.MaxCopilotRounds = math.Inf(1) })},
		{"the direct gate is the router's to assign", `{"internalToolingDirectGate": true, "InternalToolingDirectGate": true}`, DefaultConfig()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NormalizeConfig(decode(t, tt.raw))); diff != "" {
				t.Errorf("NormalizeConfig (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEval(t *testing.T) {
	waiting := `{"state":"waiting_for_copilot_review","rule":"8",` +
		`"allowedTransitions":["unresolved_feedback_present","ready_to_rerequest_review","waiting_for_ci"],` +
		`"nextAction":"Wait for Copilot's review of this head, and ask for nothing meanwhile",` +
		`"autoRerequestEligible":false,"sameHeadCleanConverged":false,"roundCapCleanEligible":false,` +
		`"loopDisposition":"pending","terminal":false}`
	tests := []struct {
		name, line, want string
	}{
		{
			"a snapshot gets its state",
			`{"snapshot": {"prExists": true, "copilotReviewRequestStatus": "requested"}, "config": null}`,
			waiting,
		},
		{
			"a newline, other keys and a missing config change nothing",
			`{"id": 1, "snapshot": {"prExists": true, "copilotReviewRequestStatus": "requested"}}` + "\r\n",
			waiting,
		},
		{
			"no way on is an empty list", `{"snapshot": {}}`,
			`{"state":"no_pr","rule":"1","allowedTransitions":[],"nextAction":"Open a pull request for this work",` +
				`"autoRerequestEligible":false,"sameHeadCleanConverged":false,"roundCapCleanEligible":false,` +
				`"loopDisposition":"action_required","terminal":false}`,
		},
		{"an empty line is none", ``, `{"error":"the line is empty"}`},
		{"blanks are none", " \n", `{"error":"the line is empty"}`},
		{"half a line is none", `{"snapshot": {`, `{"error":"the line is not JSON: unexpected EOF"}`},
		{"two values are none", `{"snapshot": {}} {}`, `{"error":"the line is more than one JSON value"}`},
		{"a value with rubbish behind it is none", `{"snapshot": {}} x`, `{"error":"the line is more than one JSON value"}`},
		{"a list is none", `[{"snapshot": {}}]`, `{"error":"the line is not an object with the key snapshot"}`},
		{"a line without a snapshot is none", `{"config": {}}`, `{"error":"the snapshot is not an object"}`},
		{"a snapshot that is a text is none", `{"snapshot": "x"}`, `{"error":"the snapshot is not an object"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(Eval([]byte(tt.line)))); diff != "" {
				t.Errorf("Eval (-want +got):\n%s", diff)
			}
		})
	}
}

// What a result says of its snapshot can be fed back to the machine.
func TestSnapshotsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := situations().Draw(t, "situation").Snapshot
		if want.CopilotReviewRequestStatus == "" {
			want.CopilotReviewRequestStatus = NotRequested
		}
		if want.CIStatus == "" {
			want.CIStatus = CINone
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var raw map[string]any
		if err := json.Unmarshal(text, &raw); err != nil {
			t.Fatal(err)
		}
		if fix, ok := raw["agentFixStatus"]; !ok || fix == "" {
			t.Fatalf("agentFixStatus is neither null nor a word: %s", text)
		}
		got, err := Normalize(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

// Whatever the line, the answer is one line of JSON: an error, or a result
// with every key.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"snapshot":[]}`, `{"snapshot":null}`, "{\"snapshot\":{}}\n{\"snapshot\":{}}",
		`{"snapshot":{"prExists":"false","prNumber":1e999,"unresolvedThreadCount":-0.0},"config":{"maxCopilotRounds":"2"}}`,
		`{"snapshot":{"prExists":1,"copilotReviewOnCurrentHead":{},"ciStatus":"success","copilotReviewRoundCount":9},"config":{"maxCopilotRounds":2.5}}`,
		"{\"snapshot\":{\"prExists\":\"\u2028\xff\"}}", strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(seed))
	}
	full := []string{
		"allowedTransitions", "autoRerequestEligible", "loopDisposition", "nextAction", "roundCapCleanEligible",
		"rule", "sameHeadCleanConverged", "state", "terminal",
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got := Eval(line)
		if bytes.ContainsAny(got, "\r\n") {
			t.Fatalf("more than one line: %q", got)
		}
		if diff := cmp.Diff(got, Eval(line)); diff != "" {
			t.Fatalf("answered twice (-first +second):\n%s", diff)
		}
		var answer map[string]any
		if err := json.Unmarshal(got, &answer); err != nil {
			t.Fatalf("%q is not JSON: %v", got, err)
		}
		var keys []string
		for key := range answer {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if diff := cmp.Diff(full, keys); diff != "" && !slices.Equal(keys, []string{"error"}) {
			t.Fatalf("%q is neither a result nor an error (-want +got):\n%s", got, diff)
		}
	})
}
