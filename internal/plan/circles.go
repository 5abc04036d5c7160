package plan

import (
	"fmt"
	"slices"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// oscillating forces the escalation of what goes in circles, whatever a fixer
// would answer (seed 003, step 4: the hard stop). It holds as long as what it is
// about is open: until people answer or resolve it, or the head has moved on.
func oscillating(s *step) bool {
	if s.retried().Through || !s.repeats() {
		return false
	}
	for _, sign := range s.circles() {
		switch {
		case len(sign.Marks) == 0: // about a push: told when its report was taken
		case sign.ID == "O4":
			return s.decide(ThirdRaise, "%s", sign.Says)
		default:
			return s.decide(Oscillation, "%s", sign.Says)
		}
	}
	return false
}

// repeats: there is open work that an earlier round may have raised too. Without
// it nothing goes in circles, and nobody has to look.
func (s *step) repeats() bool {
	return len(s.facts.Awaiting) > 0 && s.mayRepeat()
}

// mayRepeat is facts.MayRepeat, asked once.
func (s *step) mayRepeat() bool {
	if s.cameBack == nil {
		s.cameBack = new(s.facts.Rounds > 1 && facts.MayRepeat(s.snap, s.facts.Reviews))
	}
	return *s.cameBack
}

// ledger is what the rounds raised and what became of it, up to now.
func (s *step) ledger() journal.Ledger {
	if s.book == nil {
		s.book = new(ledgerOf(s.in, s.facts.Reviews))
	}
	return *s.book
}

func ledgerOf(in Input, reviews []facts.Review) journal.Ledger {
	return round.Scoped(round.Enter(in.Journal.Ledger, facts.Raised(in.Snapshot, reviews), in.Journal.Answers), in.Snapshot.ChangedFiles)
}

// circles are the signs that the ledger shows of what awaits us.
func (s *step) circles() []round.Sign {
	if s.signs == nil {
		open := s.awaitingMarks()
		s.signs = round.Signs(s.ledger(), func(mark string) bool { return open[mark] })
	}
	return s.signs
}

// awaitingMarks are the marks of the findings that await us.
func (s *step) awaitingMarks() map[string]bool {
	open := make(map[string]bool, len(s.facts.Awaiting))
	for _, f := range s.facts.Awaiting {
		open[journal.Mark(f.ID)] = true
	}
	return open
}

// declinedAgain answers a declined finding that came back by reference to the
// first answer, without a new hand-over (design 4). One that is raised for the
// third time is a person's.
func declinedAgain(s *step) bool {
	if !s.mayRefer() {
		return false
	}
	ours := facts.Ours(facts.Input{Snapshot: s.snap, Journal: s.in.Journal, Settings: s.in.Settings})
	open := s.awaitingMarks()
	var third []string
	for _, sign := range s.circles() {
		third = append(third, sign.Marks...)
	}
	var replies, resolves []effect.Effect
	n := 0
	for i := range s.snap.Threads {
		t := &s.snap.Threads[i]
		mark := journal.Mark(t.ID)
		first, number, ok := round.Declined(s.ledger(), mark)
		if !ok || t.Resolved || first.Handoff == 0 || slices.Contains(third, mark) {
			continue
		}
		awaits := open[mark]
		if !awaits && !referred(t, first.Handoff, ours) {
			continue
		}
		did := false
		if reply := s.reference(t, first, number); awaits && !s.refused(reply) {
			replies, did = append(replies, reply), true
		}
		resolve := effect.Resolve{Thread: t.ID, Head: s.snap.Head, Finding: mark}
		if may, _ := handoff.MayResolve(handoff.Decline, t, ours); may && !s.refused(resolve) {
			resolves, did = append(resolves, resolve), true
		}
		if did {
			n++
			s.plan.Again = append(s.plan.Again, journal.Answer{Finding: mark, Action: first.Action, Head: s.snap.Head, Number: first.Handoff})
		}
	}
	n += s.referTogether(third)
	if n == 0 {
		return false
	}
	s.plan.Effects = append(s.plan.Effects, slices.Concat(replies, resolves)...)
	s.plan.Leads = true
	return s.decide(DeclinedAgain, "%s answered by reference", count(n, "finding that was declined before came back, and is", "findings that were declined before came back, and are"))
}

// mayRefer: something that was declined may have come back, and be open: as work,
// or because a run died between its reply and the resolve.
func (s *step) mayRefer() bool {
	return len(s.facts.Awaiting)+len(s.facts.Threads.Answered) > 0 && s.mayRepeat()
}

// referTogether answers the findings without a thread that came back in one
// comment, and counts them.
func (s *step) referTogether(third []string) int {
	var replies []handoff.Reply
	var answers []journal.Answer
	number := 0
	for _, f := range s.facts.Awaiting {
		mark := journal.Mark(f.ID)
		first, round, ok := round.Declined(s.ledger(), mark)
		if f.Thread != "" || !ok || first.Handoff == 0 || slices.Contains(third, mark) {
			continue
		}
		number = max(number, first.Handoff)
		answers = append(answers, journal.Answer{Finding: mark, Action: first.Action, Head: s.snap.Head, Number: first.Handoff})
		replies = append(replies, handoff.Reply{
			Finding: f, Action: handoff.Action(first.Action),
			Rationale: fmt.Sprintf("This was raised in round %d, and the answer of then still stands.", round),
		})
	}
	c := effect.Comment{Topic: fmt.Sprintf("%sagain_%d", answersTopic, number), Head: s.snap.Head}
	if len(replies) == 0 || s.refused(c) {
		return 0
	}
	c.Body = handoff.Together(replies, nil, s.in.Quote, number) + "\n" + c.Marker()
	s.plan.Effects, s.plan.AgainTogether = append(s.plan.Effects, c), answers
	return len(replies)
}

// reference is the answer to a finding that came back: where the first one is.
func (s *step) reference(t *pr.Thread, first journal.LedgerFinding, number int) effect.Reply {
	where := ""
	for i := range s.snap.Threads {
		if journal.Mark(s.snap.Threads[i].ID) == first.Mark && s.snap.Threads[i].URL != "" {
			where = ": " + s.snap.Threads[i].URL
		}
	}
	mark := journal.Mark(t.ID)
	return effect.Reply{
		Thread: t.ID, Head: s.snap.Head, Handoff: first.Handoff, Finding: mark,
		Body: handoff.Marker(first.Handoff, t.ID) + fmt.Sprintf("\nThis was raised in round %d, and the answer of then still stands%s", number, where),
	}
}

// referred: our answer by reference is the last word in the thread, so that a run
// which died after it left the resolve undone.
func referred(t *pr.Thread, number int, ours func(*pr.ThreadComment) bool) bool {
	if len(t.Comments) == 0 {
		return false
	}
	last := &t.Comments[len(t.Comments)-1]
	n, marks, ok := handoff.ParseMarker(last.Body)
	return ok && ours(last) && n == number && slices.Contains(marks, handoff.Mark(t.ID))
}

// left: some of what the review of the head found is open: answered, and a
// person's to decide.
func (s *step) left() bool {
	for _, r := range s.ledger().Rounds {
		if r.Head != s.snap.Head {
			continue
		}
		for _, f := range r.Findings {
			if f.Action != facts.Resolved && f.Action != string(handoff.Decline) && f.Action != string(handoff.Drift) && f.Action != facts.ByCommand {
				return true
			}
		}
	}
	return false
}

// pushed enters what the claimed push did to its files, and says whether it makes
// an edit that was made and taken back before; empty where it does not.
func (s *step) pushed(p *handoff.Push) string {
	var patches []journal.LedgerPatch
	const most = 40 // more than the tamper guard lets pass without a person
	for _, f := range p.Files[:min(len(p.Files), most)] {
		if patch, ok := round.Patch(f.Path, f.Patch); ok {
			patches = append(patches, patch)
		}
	}
	s.plan.Patches = patches
	for _, sign := range round.Signs(round.Pushed(s.ledger(), s.facts.Rounds, patches), func(string) bool { return false }) {
		return sign.Says
	}
	return ""
}
