package facts_test

import (
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// minSeverity leaves a bot's finding alone that is known to be below it, and
// nothing else.
func TestMinSeverityLeaves(t *testing.T) {
	floor := func(levels ...config.Severity) edit {
		return setting(func(s *config.Settings) { s.MinSeverity = levels })
	}
	low, picture := said(reviewer, "Low severity: rename this."), said(reviewer, `<img alt="Low severity" src="x"> Rename this.`)
	const clean = "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟢 Approval recommended\n\nFine.\n\n**Findings:** None"
	twoRounds := func(in *facts.Input) {
		copilotReview("R1", clean, head, "11:00:00")(in)
		copilotReview("R2", clean, head, "11:30:00")(in)
	}
	tests := []struct {
		name  string
		edits []edit
		left  int
	}{
		{"it says that it is low", []edit{floor(config.Mid), thread("T1", low)}, 1},
		{"its picture does", []edit{floor(config.Mid), thread("T1", picture)}, 1},
		{"it says so before a colon", []edit{floor(config.Mid), thread("T1", said(reviewer, "**nit: rename this"))}, 1},
		{"words of it weigh less than is asked for", []edit{floor(config.High), thread("T1", said(reviewer, "Consider another name."))}, 1},
		{"they weigh as much", []edit{floor(config.Mid), thread("T1", said(reviewer, "Consider another name."))}, 0},
		{"nobody says how grave it is", []edit{floor(config.High), thread("T1", said(reviewer, "Sort these."))}, 0},
		{"the option is not set", []edit{thread("T1", low)}, 0},
		{"the first round wants all", []edit{floor(config.Low, config.Mid), thread("T1", low)}, 0},
		{"the second does not", []edit{floor(config.Low, config.Mid), twoRounds, thread("T1", low)}, 1},
		{"strict wants all", []edit{floor(config.Mid), strict, thread("T1", low)}, 0},
		{"a person's thread", []edit{floor(config.High), thread("T1", said(mona, "Low severity: rename this."))}, 0},
		{"a person spoke about it", []edit{floor(config.Mid), job, thread("T1", low, said(mona, "Please do."))}, 0},
		{"a stranger's is none of ours", []edit{floor(config.Mid), thread("T1", said(stranger, "Low severity: rename this."))}, 0},
		{"an answered one is answered", []edit{floor(config.Mid), thread("T1", low, mine(said(hubot, reply)))}, 0},
		{"our answer, and the bot again", []edit{floor(config.Mid), thread("T1", low, mine(said(hubot, reply)), low)}, 1},
		{"a resolved one is over", []edit{floor(config.Mid), thread("T1", low), resolved}, 0},
	}
	for _, tt := range tests {
		f := derive(tt.edits...)
		if len(f.Left) != tt.left {
			t.Errorf("%s: %d findings are left, want %d: %+v", tt.name, len(f.Left), tt.left, f.Left)
		}
		if len(f.Left) > 0 && (len(f.Awaiting) > 0 || f.Copilot.UnresolvedThreadCount > 0 || f.Threads.Awaiting > 0 || f.Threads.Open != 1) {
			t.Errorf("%s: what is left is open, and awaits nobody: %+v", tt.name, f.Threads)
		}
	}
}

// A verdict without a finding has no severity, so it is never left.
func TestMinSeverityLeavesNoVerdict(t *testing.T) {
	high := setting(func(s *config.Settings) { s.MinSeverity = []config.Severity{config.High} })
	const worry = "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟡 Changes recommended\n\nSome.\n\n**Findings:** None"
	f := derive(high, copilotReview("R1", worry, head, "11:30:00", inState(pr.Commented)))
	if len(f.Left) != 0 || len(f.Awaiting) != 1 {
		t.Errorf("left %+v, awaiting %+v", f.Left, f.Awaiting)
	}
}
