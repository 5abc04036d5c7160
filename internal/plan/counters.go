package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// fixIterations is seed 001's counter of this name: how many hand-overs of fixes
// were followed by a new head. It counts heads and not hand-overs, so that a job
// that is started twice, or that gets half of the work, counts once. A round of
// nothing but pushbacks is none (pushbackRounds has it).
func fixIterations(j journal.Journal, head pr.SHA) int {
	n := j.Counters.FixIterations
	h, ok := newestFix(j)
	if !ok {
		return n
	}
	made := h.Iteration
	if h.Head != head && !pushedBack(j, h) {
		made++
	}
	return max(n, made)
}

// pushbackRounds are the hand-overs that were answered by pushbacks alone: they
// raise no fixIterations, and without a count of their own would have no end
// (reference D6).
func pushbackRounds(j journal.Journal) int {
	n := j.Counters.PushbackRounds
	h, ok := newestFix(j)
	if !ok {
		return n
	}
	made := h.Pushbacks
	if pushedBack(j, h) {
		made++
	}
	return max(n, made)
}

// pushedBack: the report on h is complete, declined or corrected something, and
// changed nothing. What its brief had no room for is still to come.
func pushedBack(j journal.Journal, h journal.Handoff) bool {
	if !strings.HasPrefix(h.Reported, string(handoff.Complete)) || h.Rest != "" {
		return false
	}
	back := false
	for _, a := range j.Answers {
		if a.Number != h.Number {
			continue
		}
		switch handoff.Action(a.Action) {
		case handoff.FixIt, handoff.Partial:
			return false
		case handoff.Decline, handoff.Drift:
			back = true
		case handoff.Escalate:
		}
	}
	return back
}

// newestFix is the newest hand-over of fixes.
func newestFix(j journal.Journal) (journal.Handoff, bool) {
	for _, h := range slices.Backward(j.Handoffs) {
		if h.Step == "" {
			return h, true
		}
	}
	return journal.Handoff{}, false
}

// fixesSpent stops where the next hand-over of fixes would be one too many (seed
// 001, step 4). It is asked where the work is handed over, behind the outcome: the
// good review of the last fix is seen (reference D2).
func (s *step) fixesSpent() bool {
	limit := s.in.Settings.FixIterationCap
	if n, most := s.made(), s.fixCap(); n >= most {
		return s.decide(FixIterationCap, "%d of %d fixes of fixIterationCap are made, and %s open", n, most, count(len(s.facts.Awaiting), "finding is", "findings are"))
	}
	if n := pushbackRounds(s.in.Journal); n >= s.backCap() {
		return s.decide(PushbackCap, "%s with every finding declined, fixIterationCap is %d, and %s open",
			count(n, "round ended", "rounds ended"), limit, count(len(s.facts.Awaiting), "finding is", "findings are"))
	}
	return false
}

// made is what fixIterationCap counts: the fixes, in Mode Y the verdicts that went
// back to the agent.
func (s *step) made() int {
	a := s.facts.Agent
	if a == nil {
		return fixIterations(s.in.Journal, s.snap.Head)
	}
	n := 0
	if i := s.in.Journal.Imported; i != nil {
		n = i.Back
	}
	for _, v := range a.Judged {
		if v.Ruling == facts.SentBack && (a.AtHead == nil || v.Iteration != a.AtHead.Iteration) {
			n++
		}
	}
	return n
}

// fixCap is fixIterationCap as it counts here: from the newest reset or stop, and
// with the one more that a retry allowed.
func (s *step) fixCap() int {
	o := s.in.Journal.Orders
	most := s.in.Settings.FixIterationCap + o.Zero.Fixes
	if o.Retried != nil {
		most = max(most, o.Retried.Fixes)
	}
	return most
}

// backCap is the same of the rounds of nothing but pushbacks.
func (s *step) backCap() int {
	o := s.in.Journal.Orders
	most := s.in.Settings.FixIterationCap + o.Zero.Pushbacks
	if o.Retried != nil {
		most = max(most, o.Retried.Pushbacks)
	}
	return most
}

// counters are seed 001's as they stand after p, for the journal that is being
// written: every exit that writes saves them, and none of them is counted by
// runs (design 6).
func counters(j journal.Journal, p Plan, in Input, now time.Time) journal.Counters {
	c := j.Counters
	c.FixIterations = fixIterations(j, in.Snapshot.Head)
	c.PushbackRounds = pushbackRounds(j)
	c.PollTicksWithoutReview = ticks(p, in, now)
	c.TicksWithoutProgress = 0
	if p.Wait != nil && p.Wait.What == progress {
		c.TicksWithoutProgress = int(now.Sub(p.Wait.Since) / in.Settings.PollInterval)
	}
	return c
}
