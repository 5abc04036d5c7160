package plan

import (
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// NoticeGraph is the name of the notice that a repository has no knowledge
// graph. It goes out once for each repository (seed 001, 0.6a).
const NoticeGraph = "graphify"

// graphRows is the table of the advisory (seed 001, 0.6a): what is there by what
// the configuration asks for. off is looked at first, and looks for nothing.
var graphRows = []struct {
	graph    pr.Graph
	advisory config.Advisory
	then     func(*step) bool
}{
	{pr.GraphPresent, config.AdvisoryAuto, goOn},
	{pr.GraphPresent, config.AdvisoryAlways, goOn},
	{pr.GraphBroken, config.AdvisoryAuto, graphBroken},
	{pr.GraphBroken, config.AdvisoryAlways, graphBroken},
	{pr.GraphAbsent, config.AdvisoryAuto, graphNotice},
	{pr.GraphAbsent, config.AdvisoryAlways, graphMissing},
}

// knowledgeGraph asks for a knowledge graph of the code before work goes to a
// job, which is told to query it. People need no such advice, and a step that
// hands nothing over does not look.
func (s *step) knowledgeGraph() bool {
	advisory := s.in.Settings.Graphify.Advisory
	if s.in.Settings.Fixer != config.Job || advisory == config.AdvisoryOff {
		return false
	}
	if s.snap.Graph == "" {
		s.plan.Needs = append(s.plan.Needs, pr.FactGraph)
		return s.decide(FactUnknown, "the knowledge graph was not looked for yet")
	}
	for _, row := range graphRows {
		if row.graph == s.snap.Graph && row.advisory == advisory {
			return row.then(s)
		}
	}
	return s.decide(FactUnknown, "what was found of the knowledge graph is %q, which prloop does not know", s.snap.Graph)
}

func goOn(*step) bool { return false }

func graphBroken(s *step) bool {
	return s.decide(GraphBroken, "the folder %s is there, and %s is not: its last build did not end", pr.GraphFolder, pr.GraphFile)
}

func graphMissing(s *step) bool {
	return s.decide(GraphMissing, "graphify.advisory is always, and there is no %s", pr.GraphFile)
}

// graphNotice tells of it once, and goes on.
func graphNotice(s *step) bool {
	if s.in.Record.Notified(NoticeGraph) || !s.recordable() {
		return false
	}
	s.plan.Effects = append(s.plan.Effects, effect.Record{Notice: NoticeGraph, NoticeAt: s.now.UTC().Format(time.RFC3339)})
	s.plan.Notices = append(s.plan.Notices, "This repository has no knowledge graph of its code ("+pr.GraphFile+"); with one a fixer reads less. graphify.advisory: off ends this notice, which comes once")
	return false
}

// GraphHint is what a fixer is told of the knowledge graph; empty where there is
// none or graphify.promptHint is false.
func GraphHint(in Input) string {
	if in.Snapshot.Graph != pr.GraphPresent || !in.Settings.Graphify.PromptHint {
		return ""
	}
	return "The knowledge graph of the code is in " + pr.GraphFile + ": query it for a symbol and what it is connected with before you open files, and open files where it does not say enough"
}
