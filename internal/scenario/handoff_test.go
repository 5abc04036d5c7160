package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/report"
)

// story is the one of this name.
func story(t *testing.T, name string) Story {
	t.Helper()
	list := stories(t)
	i := slices.IndexFunc(list, func(s Story) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no story %s", name)
	}
	return list[i]
}

// output is what the runner reads of one output of a run; empty where it was
// not written.
func (r Played) output(name string) string {
	_, rest, ok := strings.Cut("\n"+r.Outputs, "\n"+name+"<<")
	if !ok {
		return ""
	}
	delim, rest, _ := strings.Cut(rest, "\n")
	value, _, _ := strings.Cut(rest, "\n"+delim+"\n")
	return value
}

// Fifty events come during one hand-over. A fixer is started by one of the runs,
// in its outputs as in its result, and all that come after it write nothing.
func TestOneOfFiftyEventsStartsTheFixer(t *testing.T) {
	told := play(t, story(t, "handoff-events"), Options{})
	var during []Played // the runs from the hand-over on
	for _, r := range told.Runs {
		if len(during) > 0 || len(r.Runs) == 1 && r.Runs[0].Handoff != nil {
			during = append(during, r)
		}
	}
	if len(during) < 50 {
		t.Fatalf("%d runs came during the hand-over, want at least 50", len(during))
	}
	events := map[string]bool{}
	started, written := 0, 0
	for i, r := range during {
		events[r.Event] = true
		if slices.ContainsFunc(r.Runs, func(one report.Run) bool { return one.ShouldFix }) {
			started++
		}
		if said := r.output("should-fix"); said == "true" {
			written++
		} else if said != "false" && r.Event != "schedule" { // a sweep hands nothing over
			t.Errorf("run %d says should-fix %q", r.N, said)
		}
		if i > 0 && r.Writes != 0 {
			t.Errorf("run %d (%s) made %d writes during the hand-over:\n%s", r.N, r.Event, r.Writes, r.Words())
		}
	}
	if started != 1 || written != 1 {
		t.Errorf("of %d runs %d started a fixer, and the output should-fix was true in %d; want 1 and 1", len(during), started, written)
	}
	if len(events) < 5 {
		t.Errorf("all runs were of %d kinds of events, want 5", len(events))
	}
}
