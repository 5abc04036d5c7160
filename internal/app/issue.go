package app

import (
	"fmt"
	"slices"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/report"
)

// describeIssue says in neutral values what a step on an issue came to.
func (r *run) describeIssue(in plan.Input, p plan.Plan, a acted) report.Run {
	snap, reason := in.Snapshot, plan.Find(p.Code)
	one := r.blank()
	one.Issue = true
	one.At, one.Repo, one.PR, one.URL = snap.At, snap.Repo.String(), snap.Number, snap.URL
	one.Decision, one.Code, one.Reason, one.ToDo, one.Says = string(p.Decision), string(p.Code), p.Why, reason.ToDo, reason.Says
	one.JobDue = p.Code == plan.HandoffDue
	one.New = in.Memory == journal.MemoryNone && len(a.results) == 0
	one.Rule, one.RuleWords = p.Row, plan.Words(p.Row)
	one.Quest = life(p)
	if one.NextWake = p.NextWake; one.NextWake.IsZero() {
		one.NextWake = a.next.NextWake
	}
	if p.Wait != nil {
		one.Wait = &report.Wait{What: waitWords[p.Wait.What], Since: p.Wait.Since, Until: p.Wait.Until, Then: p.Wait.Then}
	}
	one.Notices = slices.Concat(p.Notices, rightNotices(a.results))
	for _, said := range p.Answers(in) {
		one.Answers = append(one.Answers, report.Answer{URL: fmt.Sprintf("%s#issuecomment-%d", snap.URL, said.Comment), Says: said.Says})
	}
	one.Effects = effects(p, a.results, r.inputs.DryRun)
	if p.Handoff == nil || r.inputs.DryRun {
		return one
	}
	texts, untrusted := plan.Texts(snap)
	step := p.Handoff.Step
	if step == "" {
		step = string(handoff.Fix)
	}
	one.Handoff = &report.Handoff{
		PR: snap.Number, Head: p.Handoff.Head, Base: snap.Base.Name, Number: p.Handoff.Number, Step: step,
		Findings: handedOver(findings(texts)), Untrusted: untrusted,
	}
	one.ShouldFix = true
	one.Brief, one.BriefWhole = r.briefIssue(in, p, texts, untrusted)
	return one
}

// briefIssue is what an agent is told of an issue: as the output, and whole.
func (r *run) briefIssue(in plan.Input, p plan.Plan, texts []facts.Finding, untrusted []string) (output, whole string) {
	snap, h := in.Snapshot, p.Handoff
	step := handoff.Step(h.Step)
	b := handoff.NewBrief(handoff.Input{
		Ref:           handoff.Ref{PR: snap.Number, Head: h.Head, Number: h.Number},
		Step:          step,
		Repository:    snap.Repo.String(),
		Base:          snap.Base.Name,
		Findings:      texts,
		Untrusted:     untrusted,
		RuleFiles:     r.ruleFiles(),
		CommitMessage: fmt.Sprintf("fix: what issue %d describes", snap.Number),
		Trailer:       fmt.Sprintf("Prloop-Handoff: %d", h.Number),
		At:            h.At,
		Deadline:      h.Deadline,
		Grace:         in.Settings.HandoffGrace,
		People:        h.Deadline.IsZero(),
		Issue:         snap.Number,
	})
	const all = 16 << 20
	output, _ = handoff.Encode(b, handoff.MaxOutput)
	whole, _ = handoff.Encode(b, all)
	return output, whole
}
