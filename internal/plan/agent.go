package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// What Mode Y adds to the rows of the order: Copilot's coding agent fixes, and
// what it pushes is judged hunk by hunk (seed 001, Y.4 to Y.10; design 2, 5).
// The verdict of the head is its review, so the machines, the caps and
// convergence are those of Mode X.

// An AgentPush is what came to the head since it was judged last. It is read
// where the decision asks for it (pr.FactAgentPush).
type AgentPush struct {
	Base, Head pr.SHA // in full, of what was read
	// Known: the commits were read in full. Rewritten: Base is none of them.
	Known, Rewritten bool
	// ByAgent: one of the commits since Base is the coding agent's; HeadByAgent:
	// the head itself is.
	ByAgent, HeadByAgent bool
	Push                 handoff.Push
}

// agentPush is what was read for the head as it is, nil where that is still to
// be read. It names the fact then.
func (s *step) agentPush() *AgentPush {
	p, base := s.in.AgentPush, s.facts.Agent.Base
	if p == nil || p.Head != s.snap.Head || !strings.HasPrefix(string(p.Base), string(base)) {
		s.plan.Needs = append(s.plan.Needs, pr.FactAgentPush)
		s.decide(FactUnknown, "the commits of the coding agent were not read yet")
		return nil
	}
	return p
}

// judged judges what the agent pushed, and stops where that cannot be judged. It
// stands before the outcome: a head that nobody judged is reviewed by nobody.
// Commits go before words (autopilot D25), and before the caps: a verdict spends
// nothing.
func judged(s *step) bool {
	a := s.facts.Agent
	switch {
	case a == nil:
		return false
	case s.snap.Author.IsCopilotAgent() && s.snap.ChangedFiles == 0:
		return s.decide(AgentEmpty, "the coding agent opened it, and GitHub shows no changed file")
	case a.AtHead != nil && a.AtHead.Ruling == facts.Paused:
		return s.decide(AgentPaused, "the verdict of iteration %d on %s is PAUSE", a.AtHead.Iteration, s.snap.Head.Short())
	case a.AtHead != nil, a.Base == "", strings.HasPrefix(string(s.snap.Head), string(a.Base)), a.Asked.Head == s.snap.Head:
		return false
	case s.told(AgentRewrote):
		return s.decide(AgentRewrote, "a head that was judged or asked about before is no commit of the branch any more")
	case s.in.Settings.Reviewers.Judge == config.JudgeReport && s.judgesOut():
		return true
	}
	p := s.agentPush()
	switch {
	case p == nil:
		return true
	case p.Rewritten:
		return s.decide(AgentRewrote, "a head that was judged or asked about before is no commit of the branch any more")
	case !p.Known:
		return s.decide(FactUnknown, "the commits since %s could not be read in full", a.Base.Short())
	case !p.ByAgent:
		return false // a person's push: the agent is asked about it
	}
	hunks := handoff.JudgeAgent(p.Push, handoff.Limits{})
	if s.in.Settings.Reviewers.Judge == config.JudgeRubric || handoff.Sum(hunks) == handoff.Pause {
		return s.verdict(hunks, s.in.Settings.Reviewers.Judge == config.JudgeRubric, AgentJudged)
	}
	return s.handOverVerdicts(p)
}

// verdict gives the verdict on the head in one comment, and where hunks go back
// to the agent it is mentioned in the same step.
func (s *step) verdict(hunks []handoff.Hunk, rubric bool, code Code) bool {
	n := s.facts.Rounds + 1
	sum := handoff.Sum(hunks)
	said := handoff.Judging{Iteration: n, Head: s.snap.Head, Hunks: hunks}
	c := effect.Comment{Topic: facts.VerdictTopic(n, string(sum), s.facts.Agent.Base, rubric), Head: s.snap.Head, Body: said.Comment(s.quote())}
	s.plan.Effects = append(s.plan.Effects, c)
	s.plan.Leads = true
	limit := s.in.Settings.Refinement.MaxCopilotRounds
	if sum == handoff.Pushback && s.in.UserToken && s.in.Journal.Orders.Paused.IsZero() && (limit == 0 || n < limit) && !s.pushbacksSpent() && !s.budgetSpent(pr.CopilotAgent) {
		verdict := facts.Finding{ID: fmt.Sprintf("body:verdict-%d@%s", n, s.snap.Head.Short()), Trusted: true, Text: strings.Join(facts.Items(c.Body), "\n")}
		s.mentionAgent(append(slices.Clip(s.facts.Awaiting), verdict))
	}
	return s.decide(code, "the commits at %s get the verdict %s (iteration %d)", s.snap.Head.Short(), sum, n)
}

// pushbacksSpent: fixIterationCap verdicts went back to the agent already. The
// cap forbids one more, and no success (autopilot D2).
func (s *step) pushbacksSpent() bool { return s.made() >= s.fixCap() }

// agentTurn asks the agent, once for each head and set of findings, and waits
// for it.
func agentTurn(s *step) bool {
	a := s.facts.Agent
	if a == nil {
		return false
	}
	marks := findingMarks(s.facts.Awaiting)
	state := s.plan.Copilot.State
	open := state == copilot.UnresolvedFeedbackPresent
	if a.Waiting && within(marks, a.Asked.About) && !s.retried().At.After(a.Asked.At) {
		until := a.Asked.At.Add(s.in.Settings.AgentWait())
		if a.Asked.Head == s.snap.Head || s.now.Before(until) {
			return s.waitForAgent(until)
		}
	}
	due := open || state == copilot.PRReadyNoFeedback || state == copilot.ReadyToRerequestReview && !s.facts.Copilot.CopilotReviewOnCurrentHead ||
		a.Waiting && state == copilot.WaitingForCopilotReview
	return due && s.askAgent()
}

// waitForAgent waits for commits. Only they, or a verdict, are activity
// (autopilot D26); a refusal and an approval end the wait.
func (s *step) waitForAgent(until time.Time) bool {
	a := s.facts.Agent
	switch {
	case a.Answer == facts.Declines:
		return s.decide(AgentRefuses, "the coding agent answered the mention of %s: %s", clock(a.Asked.At), a.Says)
	case a.Answer == facts.Content:
		return s.decide(AgentContent, "the coding agent answered the mention of %s without a commit: %s", clock(a.Asked.At), a.Says)
	case !s.now.Before(until):
		return s.decide(AgentInactive, "the coding agent was asked at %s, and no commit of it came within its time", clock(a.Asked.At))
	}
	s.waitFor("agent", a.Asked.At, until, AgentInactive)
	return s.decide(WaitingForAgent, "the coding agent was asked at %s", clock(a.Asked.At))
}

func (s *step) askAgent() bool {
	switch {
	case s.pushbacksSpent() && s.facts.Agent.AtHead != nil && s.facts.Agent.AtHead.Ruling == facts.SentBack:
		return s.decide(AgentPushbackCap, "%s back to the coding agent, fixIterationCap allows no more", count(s.made(), "verdict went", "verdicts went"))
	case !s.in.UserToken:
		return s.decide(AgentNeedsUser, "a mention of the coding agent needs user-token, and there is none")
	case s.budgetSpent(pr.CopilotAgent):
		return true
	case s.heldBack(quest.Patching):
		return true
	}
	s.mentionAgent(s.facts.Awaiting)
	if n := len(s.facts.Awaiting); n > 0 {
		return s.decide(AgentAsked, "%s for the coding agent at %s", count(n, "finding is", "findings are"), s.snap.Head.Short())
	}
	return s.decide(AgentAsked, "the coding agent is to review %s and fix what it finds", s.snap.Head.Short())
}

// mostItems is how many findings a mention names.
const mostItems = 20

// mentionAgent mentions the agent with the findings. Nothing stands in a hidden
// comment but the marker: GitHub keeps those from the agent.
func (s *step) mentionAgent(list []facts.Finding) {
	if s.recordable() {
		s.plan.Effects = append(s.plan.Effects, effect.Record{PR: s.snap.Number, Head: s.snap.Head, Reviewer: pr.CopilotAgent, Day: s.day()})
	}
	var b strings.Builder
	b.WriteString("@copilot please review this pull request and fix any issues, with commits to its branch.")
	if len(list) > 0 {
		b.Reset()
		b.WriteString("@copilot please address these findings, with commits to this pull request's branch:\n")
	}
	for i, f := range list {
		if i == mostItems {
			fmt.Fprintf(&b, "\n- and %d more, in the open threads", len(list)-mostItems)
			break
		}
		switch {
		case f.Thread == "" && f.Text != "": // the lines of a verdict, which are ours
			b.WriteString("\n- " + strings.ReplaceAll(f.Text, "\n", "\n- "))
		case f.Thread == "":
			fmt.Fprintf(&b, "\n- the items of the verdict %s", f.ID[len("body:"):])
		default:
			fmt.Fprintf(&b, "\n- %s", s.quote().Code(place(f)))
			if f.Trusted {
				fmt.Fprintf(&b, ": %s", s.quote().Text(f.Text))
			}
		}
	}
	tries := 0
	for _, r := range s.in.Journal.Requests {
		if r.Head == s.snap.Head && r.Reviewer == pr.CopilotAgent {
			tries = r.Tries
		}
	}
	s.plan.Effects = append(s.plan.Effects, effect.Mention{Reviewer: pr.CopilotAgent, Head: s.snap.Head, Try: tries + 1, Body: b.String()})
	s.plan.About = strings.Join(findingMarks(list), " ")
}

func place(f facts.Finding) string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}

// enterPush notes in j that the head is the agent's own commit, where that was
// read: a red check of it is the agent's then, and of any other head it is not
// (autopilot D22).
func enterPush(j journal.Journal, in Input) journal.Journal {
	p := in.AgentPush
	if p == nil || !p.HeadByAgent || p.Head != in.Snapshot.Head || in.Settings.Mode != autopilot.Y {
		return j
	}
	a := journal.Agent{Base: p.Base}
	if j.Agent != nil {
		a = *j.Agent
	}
	a.Pushed = p.Head
	j.Agent = &a
	return j
}

// recallAgent notes in j the verdicts that GitHub shows and that an earlier run did
// not live to enter.
func recallAgent(j journal.Journal, p Plan) journal.Journal {
	a := p.Facts.Agent
	if a == nil || !a.Untold {
		return j
	}
	last := a.Judged[len(a.Judged)-1]
	stands := a.Asked
	if j.Agent != nil {
		stands.Pushed = j.Agent.Pushed
	}
	j.Agent = &stands
	return journal.Tell(j, journal.Told{Topic: last.Topic(), Head: last.Head})
}

// settleAgent notes in j what became of a verdict and of a mention.
func settleAgent(j journal.Journal, in Input, p Plan, results []effect.Result, now time.Time) journal.Journal {
	if p.Facts.Agent == nil {
		return j
	}
	a := journal.Agent{Base: p.Facts.Agent.Base}
	if j.Agent != nil {
		a = *j.Agent
	}
	was := a
	for _, r := range results {
		if r.Outcome != effect.Done && r.Outcome != effect.AlreadySo {
			continue
		}
		switch e := r.Effect.(type) {
		case effect.Comment:
			if ruling := facts.RulingOf(e.Topic); ruling != "" {
				a = journal.Agent{Base: a.Base, JudgedAt: orNow(r.At, now), Pushed: a.Pushed}
				j.Counters.ReviewIteration = max(j.Counters.ReviewIteration, p.Facts.Rounds+1)
				if ruling == facts.Approved {
					a.Base = e.Head
				}
			}
		case effect.Mention:
			if e.Reviewer == pr.CopilotAgent {
				a.Head, a.About, a.At = e.Head, p.About, orNow(r.At, now)
				if a.Base == "" {
					a.Base = e.Head
				}
			}
		case effect.RequestReview, effect.MarkReady, effect.Rerun, effect.Revert, effect.UpdateStatus, effect.Hide, effect.Record, effect.Reply, effect.Resolve,
			effect.DraftReview, effect.DiscardReview, effect.React, effect.CheckRun, effect.Merge, effect.DisarmMerge, effect.UpdateBranch, effect.DeleteBranch, effect.TakeOver:
		}
	}
	if a != was {
		j.Agent = &a
	}
	j.Counters.ReviewIteration = max(j.Counters.ReviewIteration, p.Facts.Rounds)
	if w := p.Wait; w != nil && w.What == "agent" {
		j.Counters.PollTicksWithoutActivity = int(now.Sub(w.Since) / in.Settings.PollInterval)
	}
	return j
}

// judgedAt is when the verdict on the head was given. The journal's word is the
// same in the step that gives it and in all that follow.
func (s *step) judgedAt() time.Time {
	if j := s.in.Journal.Agent; j != nil && !j.JudgedAt.IsZero() {
		return j.JudgedAt
	}
	return cmp.Or(s.facts.Agent.AtHead.At, s.facts.HeadAt)
}
