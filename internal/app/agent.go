package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

// agentPush reads what came to the head since base, which may be a commit id's
// first digits: whose commits these are, and what they change.
//
// The branch was rewritten where base, or a head that was judged since, is no
// commit of it any more.
func (r *run) agentPush(ctx context.Context, snap *pr.Snapshot, agent *facts.Agent) (*plan.AgentPush, error) {
	base := agent.Base
	commits, known, err := r.client.CommitsBy(ctx, snap.Number)
	if err != nil {
		return nil, err
	}
	p := &plan.AgentPush{Base: base, Head: snap.Head}
	at, head, judged := -1, -1, len(agent.Judged) == 0
	for i, c := range commits {
		if strings.HasPrefix(string(c.SHA), string(base)) {
			at, p.Base = i, c.SHA
		}
		judged = judged || pr.SHA(c.SHA.Short()) == agent.Judged[len(agent.Judged)-1].Head
		if c.SHA == snap.Head {
			head = i
		}
	}
	switch {
	case (at < 0 || !judged) && known:
		p.Rewritten = true
		return p, nil
	case at < 0 || !known || head < at:
		return p, nil // unknown: too many commits, or the head has moved since
	}
	for _, c := range commits[at+1 : head+1] {
		p.ByAgent = p.ByAgent || c.Author.IsCopilotAgent()
		p.HeadByAgent = c.Author.IsCopilotAgent() // of the last one
	}
	p.Known = true
	if !p.ByAgent {
		return p, nil
	}
	push, err := r.push(ctx, p.Base, snap.Head)
	if err != nil {
		return nil, err
	}
	p.Push = *push
	return p, nil
}

// judge is the row of the verdicts in the table of reviewers.
func judge(in plan.Input, f facts.Facts) report.Reviewer {
	row := report.Reviewer{Name: "verdicts on the coding agent's commits", Rounds: f.Rounds}
	switch a := f.Agent; {
	case a.AtHead != nil:
		row.Head = in.Snapshot.Head
		row.Status = fmt.Sprintf("%s: %s", in.Snapshot.Head.Short(), strings.ToUpper(a.AtHead.Ruling))
		if a.AtHead.Person {
			row.Status += " by a person"
		}
	case a.Waiting:
		row.Status = "the agent was asked at " + stamp(a.Asked.At)
	case f.Rounds > 0:
		row.Status = "judged an earlier head"
	default:
		row.Status = "not asked yet"
	}
	return row
}
