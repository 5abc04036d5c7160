package autopilot

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const stateHead = "8a9e674d929e682dd20faed60703656e3414f80b"

// What each version of a state file says, and what is refused.
func TestReadState(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 5, 29, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		says, text string
		want       State
		wrong      string
	}{
		{
			"version 1 has no version, and other words for pushbacks (D21)",
			`{"prNumber": 7, "fixIterations": 2, "pushbackReplies": [{"threadId": "PRRT_1", "iteration": 1, "reason": "no"}]}`,
			State{Version: 1, PR: 7, Mode: X, FixIterations: 2, Pushbacks: []string{"PRRT_1"}},
			"",
		},
		{
			"where it has both, the newer words count",
			`{"prNumber": 7, "fixIterations": 2, "pushbackReplies": [{"threadId": "PRRT_1"}], "threadPushbacks": [{"threadId": "PRRT_2"}]}`,
			State{Version: 1, PR: 7, Mode: X, FixIterations: 2, Pushbacks: []string{"PRRT_2"}},
			"",
		},
		{"version 2", `{"stateSchemaVersion": 2, "prNumber": 7, "fixIterations": 0, "resolvedMode": "X"}`, State{Version: 2, PR: 7, Mode: X}, ""},
		{
			"version 3 has a merge queue, which GitHub knows (D30)",
			`{"stateSchemaVersion": 3, "prNumber": 7, "fixIterations": 1, "autoMergeQueued": true, "autoMergeAt": "2026-05-29T10:00:00Z", "pollTicksWhileQueued": 3}`,
			State{Version: 3, PR: 7, FixIterations: 1},
			"",
		},
		{
			"version 4, in Mode Y",
			`{"stateSchemaVersion": 4, "prNumber": 7, "repo": "octo-org/demo", "headRef": "f", "resolvedMode": "Y", "createdAt": "2026-05-29T12:00:00+02:00", "updatedAt": "x",
			  "fixIterations": 0, "reviewIteration": 3, "lastHandledHeadOid": "` + stateHead + `", "commitPushbacks": [{"iteration": 1, "atOid": "x", "pushbacks": []}, {}],
			  "handledOids": ["x"], "handledCommentIds": [1], "graphifyAvailable": false, "autoTriggered": true}`,
			State{Version: 4, PR: 7, Repo: "octo-org/demo", Mode: Y, ReviewIteration: 3, Back: 2, Head: stateHead, CreatedAt: created},
			"",
		},
		{"a version that nobody knows", `{"stateSchemaVersion": 5, "prNumber": 7, "fixIterations": 0}`, State{}, `stateSchemaVersion is "5", and versions 1 (without the key) to 4 are known`},
		{"version 1 never names itself", `{"stateSchemaVersion": 1, "prNumber": 7, "fixIterations": 0}`, State{}, `stateSchemaVersion is "1"`},
		{"half a version", `{"stateSchemaVersion": 2.5, "prNumber": 7, "fixIterations": 0}`, State{}, `stateSchemaVersion is "2.5"`},
		{"no pull request", `{"stateSchemaVersion": 4, "prNumber": 0, "fixIterations": 0}`, State{}, "prNumber is 0"},
		{"a count below zero", `{"prNumber": 7, "fixIterations": -1}`, State{}, "fixIterations is -1, want a number from 0 to 100000"},
		{"a count beyond all", `{"prNumber": 7, "fixIterations": 100001}`, State{}, "fixIterations is 100001"},
		{"a mode that there is not", `{"stateSchemaVersion": 4, "prNumber": 7, "fixIterations": 0, "resolvedMode": "Z"}`, State{}, `resolvedMode is "Z", want X or Y`},
		{"a head that is none", `{"prNumber": 7, "fixIterations": 0, "lastHandledHeadOid": "main"}`, State{}, `lastHandledHeadOid is "main"`},
		{"a time that is none", `{"prNumber": 7, "fixIterations": 0, "createdAt": "today"}`, State{}, `createdAt is "today"`},
		{"a thread that is none", `{"prNumber": 7, "fixIterations": 0, "threadPushbacks": [{"threadId": "a b"}]}`, State{}, `names the thread "a b"`},
		{"two problems are two", `{"prNumber": 0, "fixIterations": -1}`, State{}, "no pull request; fixIterations"},
		{"text for a number", `{"prNumber": "7", "fixIterations": 0}`, State{}, "it is no state file"},
		{"no JSON", `prNumber: 7`, State{}, "it is no state file"},
		{"too long", `{"prNumber": 7}` + strings.Repeat(" ", MaxState), State{}, "at most"},
	} {
		got, wrong := ReadState([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || c.wrong == "" && wrong != "" || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: wrong %q, state (-want +got):\n%s", c.says, wrong, diff)
		}
		if c.wrong != "" {
			continue
		}
		// It is spelled in the newest version, and says the same there.
		again, wrong := ReadState(got.Spell())
		got.Version = 4
		if diff := cmp.Diff(got, again); wrong != "" || diff != "" {
			t.Errorf("%s: spelled anew it is wrong by %q, or another one:\n%s", c.says, wrong, diff)
		}
		if !IsState(got.Spell()) || !IsState([]byte(c.text)) {
			t.Errorf("%s: it is not seen to be a state", c.says)
		}
	}
	for _, text := range []string{`{"handoff": {}, "prNumber": 7, "fixIterations": 0}`, `{"prNumber": 7}`, `[]`, ``, `{"prAutopilot": {}}`} {
		if IsState([]byte(text)) {
			t.Errorf("%q is no state", text)
		}
	}
}

// Whatever bytes come, a state is bounded, or what is wrong is said.
func FuzzReadState(f *testing.F) {
	f.Add([]byte(`{"stateSchemaVersion": 4, "prNumber": 7, "fixIterations": 1, "threadPushbacks": [{"threadId": "PRRT_1"}]}`))
	f.Add([]byte(`{"prNumber": 1e3, "fixIterations": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, wrong := ReadState(data)
		if wrong != "" {
			if diff := cmp.Diff(State{}, s); diff != "" {
				t.Fatalf("what is wrong says something: %s", diff)
			}
			return
		}
		if s.PR < 1 || s.Version < 1 || s.Version > 4 || s.FixIterations < 0 || s.FixIterations > maxCount || len(s.Pushbacks) > maxPushbacks {
			t.Fatalf("it read %+v", s)
		}
	})
}
