package plan

import (
	"time"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// leave ends the loop where prloop leaves the repository (design 7, "command:
// leave"), and holds every other one back from beginning: what a run of leave
// did not come to, the next run of anything ends. It stands before the switches,
// which only hold still what is there: what is armed would stay armed.
//
// It ends by a start in a comment. Where there is no repository record to say
// that prloop left, a reopening or a person's new head begins the pull request
// anew as well, as after every final record.
func leave(s *step) bool {
	since := s.leftSince()
	switch {
	case since.IsZero(), s.snap.State != pr.Open:
		return false
	case !s.acted():
		return s.decide(Left, "prloop left this repository at %s", clock(since))
	case leased(s), s.unknown(pr.FactPullRequest, pr.FactComments), s.in.Memory.Lost() && s.unknown(journal.RebuildReads()...):
		return true
	}
	if f := s.in.Journal.Final; f == nil || f.Reason != journal.Left {
		s.plan.Final = &journal.Final{Reason: journal.Left, Head: s.snap.Head, At: s.now}
	}
	if s.in.Reporting {
		return s.decide(Left, "prloop left this repository at %s, so the report counts for nothing", clock(since))
	}
	return s.decide(Left, "prloop left this repository at %s", clock(since))
}

func (s *step) leftSince() time.Time {
	in := s.in
	in.Journal.Handoffs = s.all
	return leftSince(in)
}

// leftSince is when prloop left, as far as that holds for this pull request;
// zero where it does not.
func leftSince(in Input) time.Time {
	j := in.Journal
	begun := func(at time.Time) bool { return j.Orders.Started != nil && j.Orders.Started.At.After(at) }
	if f := j.Final; f != nil && f.Reason == journal.Left && !begun(f.At) {
		if !in.Record.Left.IsZero() || !begunAnew(in, journal.Sight{Head: f.Head, At: f.At}) {
			return f.At
		}
	}
	switch at := in.Record.Left; {
	case !at.IsZero() && !begun(at):
		return at
	case in.Leaving:
		return in.Snapshot.At
	}
	return time.Time{}
}

// leftBefore: prloop has left, and c does not begin anew what it ended.
func (s *step) leftBefore(c command.Command) bool {
	since := s.leftSince()
	return !since.IsZero() && (c.Word != command.Start || !c.At.After(since))
}

// endLoop is the journal of a loop that prloop left: nobody waits for anything,
// and what begins anew counts from here.
func endLoop(j journal.Journal, p Plan) journal.Journal {
	j = journal.Withdraw(j)
	j.Waits = nil
	j.Orders.Paused, j.Orders.Stopped, j.Orders.Retried, j.Orders.Asked = time.Time{}, nil, nil, nil
	j.Orders.Zero.Rounds = p.Facts.Rounds
	return j
}

// standing are the hand-overs that nobody withdrew.
func standing(list []journal.Handoff) []journal.Handoff {
	for i, h := range list {
		if !h.Withdrawn {
			continue
		}
		kept := append([]journal.Handoff(nil), list[:i]...)
		for _, h := range list[i:] {
			if !h.Withdrawn {
				kept = append(kept, h)
			}
		}
		return kept
	}
	return list
}
