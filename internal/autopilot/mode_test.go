package autopilot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// derived has the twelve cells once more, as seed 001's rules and its
// pre-flight say them one after the other, so that a slip in the table shows.
func derived(fixer PrimaryFixer, reviewers, agent bool) (Mode, string) {
	switch fixer {
	case Claude:
		switch {
		case agent:
			return "", Conflict
		case !reviewers:
			return "", NeedsReviewer
		}
		return X, ""
	case CopilotSwe:
		switch {
		case !agent:
			return "", NeedsAgent
		case reviewers:
			return Y, Ignored
		}
		return Y, ""
	case Auto:
	}
	switch {
	case agent && !reviewers:
		return Y, ""
	case reviewers && !agent:
		return X, ""
	case reviewers && agent:
		return "", Ambiguous
	}
	return "", NoDriver
}

func TestDeriveHasTwelveCells(t *testing.T) {
	seen := map[string]bool{}
	for _, fixer := range []PrimaryFixer{Auto, Claude, CopilotSwe} {
		for _, reviewers := range []bool{true, false} {
			for _, agent := range []bool{true, false} {
				mode, says := derived(fixer, reviewers, agent)
				c := Derive(fixer, DriversOf(reviewers, agent))
				if c.Mode != mode || c.Says != says {
					t.Errorf("%s, reviewers %t, agent %t: cell %s is %q, %q, want %q, %q", fixer, reviewers, agent, c.ID, c.Mode, c.Says, mode, says)
				}
				if seen[c.ID] {
					t.Errorf("cell %s decides twice", c.ID)
				}
				seen[c.ID] = true
				t.Logf("%-3s %-10s %-9s -> %q %s", c.ID, c.Fixer, c.Drivers, c.Mode, c.Says)
			}
		}
	}
	if len(seen) != len(cells) || len(cells) != 12 {
		t.Errorf("%d of %d cells decide, want 12 of 12", len(seen), len(cells))
	}
}

// No two ways to be refused read alike.
func TestTheFiveMessagesAreDistinct(t *testing.T) {
	cellsOf := map[string][]string{}
	for _, c := range cells {
		if c.Mode == "" {
			cellsOf[c.Says] = append(cellsOf[c.Says], c.ID)
		}
	}
	want := map[string][]string{
		Conflict: {"M2", "M3"}, Ambiguous: {"M11"}, NeedsReviewer: {"M4"}, NeedsAgent: {"M5", "M8"}, NoDriver: {"M12"},
	}
	if diff := cmp.Diff(want, cellsOf); diff != "" {
		t.Errorf("messages by cell (-want +got):\n%s", diff)
	}
}

func TestAnUnknownFixerIsAuto(t *testing.T) {
	if got := Derive("", OnlyReviewers).ID; got != "M9" {
		t.Errorf("without primaryFixer the cell is %s, want M9", got)
	}
}

func TestDriftNamesBothModes(t *testing.T) {
	tests := []struct {
		stored, derived Mode
		says            string
	}{
		{"", X, ""},
		{X, X, ""},
		{Y, Y, ""},
		{X, Y, "it was begun in Mode X, and the configuration means Mode Y now"},
		{Y, X, "it was begun in Mode Y, and the configuration means Mode X now"},
	}
	for _, tt := range tests {
		says, drifted := Drift(tt.stored, tt.derived)
		if says != tt.says || drifted != (tt.says != "") {
			t.Errorf("Drift(%q, %q) = %q, %t, want %q", tt.stored, tt.derived, says, drifted, tt.says)
		}
	}
}
