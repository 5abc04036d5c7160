package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

var agentActor = pr.Actor{Login: pr.CopilotAgent, Bot: true}

// modeY: the coding agent fixes, and the rubric judges.
func modeY(in *Input) {
	in.Settings.Mode, in.Settings.Reviewers.Judge = autopilot.Y, config.JudgeRubric
	in.Settings.Reviewers.CopilotSwe.Mode, in.Settings.Reviewers.Copilot.Mode = config.EachIter, config.Off
}

// agentAsked: the agent was mentioned at head, at the time when it was opened.
func agentAsked(head pr.SHA) func(*Input) {
	return func(in *Input) { in.Journal.Agent = &journal.Agent{Base: head, Head: head, At: opened} }
}

// judgedAt: a verdict was given on head, about what came after headB.
func judgedAt(head pr.SHA, ruling string) func(*Input) {
	return func(in *Input) {
		in.Journal.Told = append(in.Journal.Told, journal.Told{Topic: facts.VerdictTopic(1, ruling, headB, true), Head: head})
		in.Journal.Agent = &journal.Agent{Base: headB, JudgedAt: opened}
		if ruling == facts.Approved {
			in.Journal.Agent.Base = head
		}
	}
}

// pushed: the agent's commit since base changes a line of this file.
func pushed(base pr.SHA, path, line string) func(*Input) {
	return func(in *Input) {
		in.AgentPush = &AgentPush{Base: base, Head: headA, Known: true, ByAgent: true, Push: handoff.Push{Complete: true, Files: []handoff.Changed{{
			Path: path, Status: "modified", Additions: 1, Deletions: 1, Patch: "@@ -1 +1 @@\n-a\n+" + line,
		}}}}
	}
}

// agents: the head is the agent's own commit.
func agents(head pr.SHA) func(*Input) {
	return func(in *Input) {
		a := journal.Agent{}
		if in.Journal.Agent != nil {
			a = *in.Journal.Agent
		}
		a.Pushed = head
		in.Journal.Agent = &a
	}
}

func agentSays(author pr.Actor, body string) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Comments = append(s.Comments, pr.Comment{ID: "IC_1", Author: author, Body: body, CreatedAt: opened.Add(time.Minute)})
	})
}

// What Mode Y comes to, and the rows that stand against each other (seed 001,
// Y.4 to Y.10; autopilot section 14).
func TestModeY(t *testing.T) {
	out := func(h journal.Handoff) func(*Input) {
		return func(in *Input) {
			h.Head, h.Step, h.Judges = headA, "review", headB
			in.Journal.Handoffs = append(in.Journal.Handoffs, h)
			in.Journal.HandedOver++
		}
	}
	tests := []struct {
		why  string
		in   Input
		want Code
	}{
		{"it is asked once the checks are green", input(known, modeY, check("")), WaitingForCI},
		{"Y.5: it is asked once", input(known, modeY, agentAsked(headA)), WaitingForAgent},
		{"Y.6: the cap is derived from the mention", input(known, modeY, agentAsked(headA), later2(40*time.Minute)), AgentInactive},
		{"and not a second before", input(known, modeY, agentAsked(headA), later2(40*time.Minute-time.Second)), WaitingForAgent},
		{"Y.7a: a refusal stops", input(known, modeY, agentAsked(headA), agentSays(agentActor, "I cannot help with that.")), AgentRefuses},
		{"Y.7e: an approval without commits is a question", input(known, modeY, agentAsked(headA), agentSays(agentActor, "LGTM")), AgentContent},
		{"D25: what is not approved is no approval", input(known, modeY, agentAsked(headA), agentSays(agentActor, "This is not approved.")), WaitingForAgent},
		{"somebody else's words are not the agent's", input(known, modeY, agentAsked(headA), agentSays(pr.Actor{Login: "copilot-swe-agent"}, "I cannot help with that.")), WaitingForAgent},
		{"D25: commits go before words", input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b"), agentSays(agentActor, "I cannot help with that.")), AgentJudged},
		{"Y.8: what it pushed is judged before the caps", input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b"), later2(24*time.Hour)), AgentJudged},
		{"a person's push is no activity of the agent", input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b"), func(in *Input) { in.AgentPush.ByAgent = false }), WaitingForAgent},
		{"but it is a new head to ask about", input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b"), func(in *Input) { in.AgentPush.ByAgent = false }, later2(time.Hour)), AgentAsked},
		{"D24: a rewritten history is not judged", input(known, modeY, agentAsked(headB), func(in *Input) { in.AgentPush = &AgentPush{Base: headB, Head: headA, Rewritten: true} }), AgentRewrote},
		{"commits that were not read in full are unknown", input(known, modeY, agentAsked(headB), func(in *Input) { in.AgentPush = &AgentPush{Base: headB, Head: headA} }), FactUnknown},
		{"D23: the agent's own pull request without a change", input(known, modeY, edit(func(s *pr.Snapshot) { s.Author = agentActor }), judgedAt(headA, facts.Approved)), AgentEmpty},
		{"Y.10: all approved has converged", input(known, modeY, judgedAt(headA, facts.Approved)), Converged},
		{"but not over red checks", input(known, modeY, judgedAt(headA, facts.Approved), check("FAILURE")), ChecksFailed},
		{"Y.4.5: of its own push they stop, whatever else is open", input(known, modeY, judgedAt(headA, facts.SentBack), agents(headA), check("FAILURE")), AgentRed},
		{"and once that was approved", input(known, modeY, judgedAt(headA, facts.Approved), agents(headA), check("FAILURE")), AgentRed},
		{"D22: of somebody else's on top they are not the agent's", input(known, modeY, judgedAt(headA, facts.Approved), agents(headB), check("FAILURE")), ChecksFailed},
		{"D22: nor before anything was judged", input(known, modeY, agents(headA), check("FAILURE")), ChecksFailed},
		{"nor where a person let it go on", input(known, modeY, judgedAt(headA, facts.Paused), agents(headA), check("FAILURE"), func(in *Input) {
			in.Journal.Orders.Approved = &journal.Sight{Head: headA, At: opened}
		}), ChecksFailed},
		{"nor over an open thread", input(known, modeY, judgedAt(headA, facts.Approved), threads(1)), AgentAsked},
		{"Y.10: what is sent back is asked for", input(known, modeY, judgedAt(headA, facts.SentBack)), AgentAsked},
		{"a round too many is not", input(known, modeY, judgedAt(headA, facts.SentBack), func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 1 }), RoundCapReached},
		{"without a person's token nobody is asked", input(known, modeY, func(in *Input) { in.UserToken = false }), AgentNeedsUser},
		{"but what was pushed is judged", input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b"), func(in *Input) { in.UserToken = false }), AgentJudged},
		{"report: a job judges", input(known, modeY, byReport, agentAsked(headB), pushed(headB, "a.go", "b")), VerdictsDue},
		{"report: a PAUSE of the rubric stands at once", input(known, modeY, byReport, agentAsked(headB), pushed(headB, "CODEOWNERS", "b")), AgentJudged},
		{"report: it is handed over once", input(known, modeY, byReport, agentAsked(headB), out(journal.Handoff{Number: 1, Deadline: opened.Add(time.Hour)})), WaitingForVerdicts},
		{"report: and once more", input(known, modeY, byReport, agentAsked(headB), pushed(headB, "a.go", "b"), out(journal.Handoff{Number: 1, Deadline: opened})), VerdictsDue},
		{"report: and no more", input(known, modeY, byReport, agentAsked(headB), out(journal.Handoff{Number: 1, Deadline: opened}), out(journal.Handoff{Number: 2, Deadline: opened})), NoReport},
		{"report: but for a retry", input(known, modeY, byReport, agentAsked(headB), pushed(headB, "a.go", "b"), out(journal.Handoff{Number: 1, Deadline: opened}), out(journal.Handoff{Number: 2, Deadline: opened}), func(in *Input) {
			in.Journal.Orders.Retried = &journal.Retry{Head: headA, Jobs: 1}
		}), VerdictsDue},
		{"report: a job that cannot go on", input(known, modeY, byReport, agentAsked(headB), out(journal.Handoff{Number: 1, Deadline: opened.Add(time.Hour), Parked: "fixer_parked@" + string(headA)})), FixerParked},
	}
	for _, tt := range tests {
		if got := Decide(tt.in); got.Code != tt.want || len(got.Needs) > 0 {
			t.Errorf("%s: decided %s by %s (%s), needs %v, want %s", tt.why, got.Code, got.Row, got.Why, got.Needs, tt.want)
		}
	}
}

// The commits are asked for where a head is new, and nowhere else: a quiet run
// is one request.
func TestCommitsAreReadWhereTheHeadIsNew(t *testing.T) {
	if p := Decide(input(known, modeY, agentAsked(headB))); len(p.Needs) != 1 || p.Needs[0] != pr.FactAgentPush {
		t.Errorf("at a new head the decision needs %v", p.Needs)
	}
	stale := input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b"))
	stale.AgentPush.Head = headB
	if p := Decide(stale); len(p.Needs) != 1 {
		t.Errorf("with the commits of another head it needs %v", p.Needs)
	}
}

// A verdict sends back, in one step, by one comment and one mention that names the
// hunks: the agent may not see the workflow's comments.
func TestAVerdictThatSendsBack(t *testing.T) {
	p := Decide(input(known, modeY, agentAsked(headB), pushed(headB, "a.go", "b //nolint")))
	var c effect.Comment
	var m effect.Mention
	for _, e := range p.Effects {
		if comment, ok := e.(effect.Comment); ok {
			c = comment
		}
		if mention, ok := e.(effect.Mention); ok {
			m = mention
		}
	}
	if c.Topic != "verdict_1_pushback_"+headB.Short()+"_rubric" || !strings.Contains(c.Body, "Verdict: PUSHBACK") {
		t.Errorf("the verdict comment is %q: %s", c.Topic, c.Body)
	}
	if m.Head != headA || !strings.HasPrefix(m.Body, "@copilot ") || !strings.Contains(m.Body, "it silences a warning") {
		t.Errorf("the mention is %+v", m)
	}
}

// What was sent back or paused stays in what is judged next; what was approved
// does not (no later commit hides it).
func TestOnlyAnApprovalMovesTheBase(t *testing.T) {
	for line, want := range map[string]pr.SHA{"b": headA, "b //nolint": headB} {
		in := input(known, modeY, agentAsked(headB), pushed(headB, "a.go", line))
		p := Decide(in)
		var results []effect.Result
		for _, e := range p.Effects {
			results = append(results, effect.Result{Effect: e, Outcome: effect.Done, Request: effect.Landed})
		}
		if got := Settle(in.Journal, in, p, results, in.Snapshot.At); got.Agent.Base != want {
			t.Errorf("after %q the base is %s, want %s", line, got.Agent.Base, want)
		}
	}
}

// With the rubric alone a person decides about the merge.
func TestTheRubricAloneIsAKindOfItsOwn(t *testing.T) {
	p := Decide(input(known, modeY, judgedAt(headA, facts.Approved)))
	if p.Converged.Kind != round.Rubric || p.Proof == nil || p.Proof.Kind != round.Rubric {
		t.Errorf("converged as %q", p.Converged.Kind)
	}
}

// A pause holds the mention back: on a verdict of a report, too.
func TestAPausedLoopMentionsNobody(t *testing.T) {
	hold := func(in *Input) { in.Journal.Orders.Paused = opened }
	for _, held := range []bool{false, true} {
		in := input(known, modeY, byReport, agentAsked(headB), judgesHead(headA))
		if held {
			hold(&in)
		}
		p := Take(in, verdicts("b //nolint"))
		if p.Code != ReportAccepted {
			t.Fatalf("decided %s (%s)", p.Code, p.Why)
		}
		mentions := slices.ContainsFunc(p.Effects, func(e effect.Effect) bool { _, ok := e.(effect.Mention); return ok })
		if mentions == held {
			t.Errorf("paused %t: mentioned %t", held, mentions)
		}
	}
}

// What a job judged is no verdict on a head that it never saw.
func TestVerdictsOfAnOlderHeadAreStale(t *testing.T) {
	c := verdicts("b")
	c.Report.Handoff.Head, c.Commits, c.CommitsKnown = headB, []pr.SHA{headB, headA}, true
	p := Take(input(known, modeY, byReport, agentAsked(headB), judgesHead(headB)), c)
	if p.Code != ReportStale || len(p.Effects) > 0 {
		t.Errorf("decided %s (%s) with %d effects, want %s and none", p.Code, p.Why, len(p.Effects), ReportStale)
	}
}

func byReport(in *Input) { in.Settings.Reviewers.Judge = config.JudgeReport }

// judgesHead: a job was asked to judge the commits up to head.
func judgesHead(head pr.SHA) func(*Input) {
	return func(in *Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: head, Step: facts.StepReview, Judges: headB, At: opened, Deadline: opened.Add(time.Hour)}}
		in.Journal.HandedOver = 1
	}
}

// verdicts is the report of hand-over 1, about a commit with this line.
func verdicts(line string) Claim {
	diff := handoff.Push{Complete: true, Files: []handoff.Changed{{
		Path: "a.go", Status: "modified", Additions: 1, Deletions: 1, Patch: "@@ -1 +1 @@\n-a\n+" + line,
	}}}
	r := handoff.Report{Handoff: handoff.Ref{PR: 7, Head: headA, Number: 1}, Head: headA, Step: handoff.Review, Status: handoff.Complete}
	for _, h := range handoff.JudgeAgent(diff, handoff.Limits{}) {
		r.Verdicts = append(r.Verdicts, handoff.HunkVerdict{File: h.File, Range: h.Range, Verdict: handoff.Approve})
	}
	return Claim{Report: r, Diff: &diff}
}
