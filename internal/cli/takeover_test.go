package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
)

// taken gives text to "prloop config import -".
func taken(t *testing.T, text string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(t.Context(), []string{"config", "import", "-"}, System{
		Getenv: func(string) string { return "" }, Stdin: strings.NewReader(text), Stdout: &o, Stderr: &e,
	})
	return o.String(), e.String(), code
}

// A state file of any version comes out in the newest one, which a run takes.
func TestConfigImportOfAState(t *testing.T) {
	out, errs, code := taken(t, `{"prNumber": 7, "fixIterations": 2, "pushbackReplies": [{"threadId": "PRRT_1"}]}`)
	if code != 0 || strings.Count(out, "\n") != 1 || !strings.Contains(errs, "#7, version 1") {
		t.Fatalf("it ended with %d: %q, %q", code, out, errs)
	}
	st, wrong := autopilot.ReadState([]byte(out))
	if wrong != "" || st.Version != 4 || st.FixIterations != 2 || st.Mode != autopilot.X || len(st.Pushbacks) != 1 {
		t.Errorf("what it prints is wrong by %q: %+v", wrong, st)
	}
}

// A settings file comes out as a configuration file that means the same.
func TestConfigImportOfSettings(t *testing.T) {
	const block = `{"pollTickCap": 7, "reviewers": {"cursor": {"enabled": false}, "copilot": {"mode": "each-iter"}}}`
	out, errs, code := taken(t, `{"model": "x", "hooks": {}, "prAutopilot": `+block+`}`)
	if code != 0 || errs != "" {
		t.Fatalf("it ended with %d: %s", code, errs)
	}
	set, _, err := config.ParseSettings(config.Source{Name: "out", Text: out})
	if err != nil || set.PollTickCap != 7 || set.Reviewers.Copilot.Mode != config.EachIter || set.PollInterval.Seconds() != 90 {
		t.Errorf("what it prints means %+v, %v", set, err)
	}
}

func TestConfigImportRefuses(t *testing.T) {
	for text, why := range map[string]string{
		`{"stateSchemaVersion": 9, "prNumber": 7}`: `stateSchemaVersion is "9"`,
		`{"prAutopilot": {"pollTickCap": 0}}`:      "pollTickCap",
		`{"model": "x"}`:                           "neither a state file",
		`no JSON`:                                  "neither a state file",
		``:                                         "neither a state file",
		`{"handoff": {}, "prNumber": 7, "fixIterations": 0}`: "neither a state file",
	} {
		if out, errs, code := taken(t, text); code != 1 || out != "" || !strings.Contains(errs, why) {
			t.Errorf("%s: ended with %d, %q, %q", text, code, out, errs)
		}
	}
}
