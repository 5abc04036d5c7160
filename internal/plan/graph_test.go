package plan

import (
	"slices"
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// The nine cells of seed 001's advisory (0.6a), that its notice comes once for a
// repository, and that people and off are not looked for.
func TestKnowledgeGraph(t *testing.T) {
	tests := []struct {
		advisory config.Advisory
		graph    pr.Graph
		want     Code
		notice   bool
	}{
		{config.AdvisoryOff, pr.GraphPresent, FeedbackOpen, false},
		{config.AdvisoryOff, pr.GraphBroken, FeedbackOpen, false},
		{config.AdvisoryOff, pr.GraphAbsent, FeedbackOpen, false},
		{config.AdvisoryAuto, pr.GraphPresent, FeedbackOpen, false},
		{config.AdvisoryAuto, pr.GraphBroken, GraphBroken, false},
		{config.AdvisoryAuto, pr.GraphAbsent, FeedbackOpen, true},
		{config.AdvisoryAlways, pr.GraphPresent, FeedbackOpen, false},
		{config.AdvisoryAlways, pr.GraphBroken, GraphBroken, false},
		{config.AdvisoryAlways, pr.GraphAbsent, GraphMissing, false},
	}
	notes := func(p Plan) bool {
		return slices.ContainsFunc(p.Effects, func(e effect.Effect) bool { return e.Key() == "record:notice:graphify" })
	}
	for _, tt := range tests {
		in := func(edits ...func(*Input)) Input {
			return input(append([]func(*Input){edit(reviewed), threads(1), func(in *Input) {
				in.Settings.Fixer, in.Settings.Graphify.Advisory, in.Snapshot.Graph = config.Job, tt.advisory, tt.graph
			}}, edits...)...)
		}
		if got := Decide(in()); got.Code != tt.want || notes(got) != tt.notice {
			t.Errorf("%s, %s: %s (%s), noted %t", tt.advisory, tt.graph, got.Code, got.Why, notes(got))
		}
		told := Decide(in(func(in *Input) { in.Record.Notices = []journal.Notice{{Name: NoticeGraph, At: opened}} }))
		if told.Code != tt.want || notes(told) {
			t.Errorf("%s, %s, told before: %s, noted %t", tt.advisory, tt.graph, told.Code, notes(told))
		}
		if got := Decide(in(func(in *Input) { in.Settings.Fixer = config.People })); got.Code != FeedbackOpen || len(got.Effects) > 0 {
			t.Errorf("%s, %s, people fix: %s", tt.advisory, tt.graph, got.Code)
		}
		unread := Decide(in(func(in *Input) { in.Snapshot.Graph = "" }))
		if needs := slices.Contains(unread.Needs, pr.FactGraph); needs != (tt.advisory != config.AdvisoryOff) {
			t.Errorf("%s: it is looked for: %t", tt.advisory, needs)
		}
		hint := GraphHint(in(func(in *Input) { in.Settings.Graphify.PromptHint = true }))
		if (hint != "") != (tt.graph == pr.GraphPresent) || GraphHint(in(func(in *Input) { in.Settings.Graphify.PromptHint = false })) != "" {
			t.Errorf("%s: the hint is %q", tt.graph, hint)
		}
	}
}
