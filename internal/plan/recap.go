package plan

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// recap is the gate at every recap.interval-th round (seed 003, "round-cap recap
// gate"): the breaker that stops a loop which has left its scope. It stands
// before what begins another round: open feedback of the round is worked off
// first, unless that round is one more already.
func recap(s *step) bool {
	r := s.in.Journal.Recap
	open := s.plan.Copilot.State == copilot.UnresolvedFeedbackPresent
	if !s.due() && !open {
		return false
	}
	if s.recapDue(open) {
		return s.handRecap(journal.Recap{Round: s.facts.Rounds}, "%d rounds are over, and whether the loop goes on is asked", s.facts.Rounds)
	}
	if r == nil {
		return false
	}
	switch handoff.RecapVerdict(r.Verdict) {
	case "":
		return s.awaitRecap(r.Number, "the recap of %d rounds", r.Round)
	case handoff.HandOff:
		return s.decide(RecapHandoff, "the recap of %d rounds handed it over to a person", r.Round)
	case handoff.RevertAndShip:
		switch {
		case r.Done():
			return open && s.endsAfterRevert(*r)
		case r.Revert == 0:
			return s.handRecap(*r, "the recap says to revert %s", these(r.Rounds))
		}
		return s.awaitRecap(r.Revert, "the revert of %s", these(r.Rounds))
	case handoff.Continue:
	}
	return false
}

// recapDue: the multiple grew since the newest recap, by however many rounds (9
// to 11 is once). Feedback of the very round that makes it full goes first: its
// fix, its replies and its push are steps 5 to 8 of that round.
func (s *step) recapDue(open bool) bool {
	n, every, last := s.facts.Rounds, s.in.Settings.Recap.Interval, 0
	if r := s.in.Journal.Recap; r != nil {
		last = r.Round
	}
	return n/every > last/every && (!open || n%every != 0)
}

// endsAfterRevert: revert and ship ends the loop, so what the one review after
// it finds is no more work for a fixer.
func (s *step) endsAfterRevert(r journal.Recap) bool {
	if s.facts.Rounds <= r.Round {
		return false
	}
	return s.decide(RecapHandoff, "the push took back %s, and the review after that still found something", these(r.Rounds))
}

// handRecap hands a recap over, or the revert that its answer asks for. It is no
// work on findings, so their budget does not hold it back: the gate would else be
// shut just where the rounds are many.
func (s *step) handRecap(r journal.Recap, why string, args ...any) bool {
	if (s.in.Sweep || s.in.Reporting) && s.in.Settings.Fixer == config.Job {
		return s.handoffDue(why, args...)
	}
	number := s.in.Journal.HandedOver + 1
	s.plan.Handoff = &journal.Handoff{Number: number, Head: s.snap.Head, At: s.now, Step: string(handoff.Recap), Deadline: s.recapDeadline()}
	if old := s.in.Journal.Recap; old != nil {
		r.Reverted = old.Reverted
	}
	if r.Verdict == "" {
		r.Number = number
	} else {
		r.Revert = number
	}
	s.plan.Recap = &r
	return s.decide(RecapDue, why, args...)
}

func (s *step) recapDeadline() time.Time {
	if s.in.Settings.Fixer == config.Job {
		return s.now.Add(handoff.DefaultBudget().For(handoff.Recap, 1) + s.in.Settings.HandoffGrace)
	}
	return s.now.Add(s.in.Settings.Recap.Deadline)
}

// awaitRecap waits for the report on a hand-over. No answer in time is a
// hand-off, and so is a hand-over that the journal does not know any more.
func (s *step) awaitRecap(number int, what string, args ...any) bool {
	h := s.in.Journal.Given(number)
	what = fmt.Sprintf(what, args...)
	if !s.now.Before(h.Deadline) {
		return s.decide(RecapHandoff, "no answer on %s (hand-over %d) came in time", what, number)
	}
	s.waitFor("recap", h.At, h.Deadline, RecapHandoff)
	if s.in.Settings.Fixer == config.Job {
		return s.decide(RecapOut, "a job has %s (hand-over %d)", what, number)
	}
	return s.decide(RecapAsked, "a person is asked for %s (hand-over %d at %s)", what, number, h.Head)
}

// takeRecap takes a report of the step recap: an answer, or that what it named
// is reverted. A late one counts: it can only say more than silence did.
func (s *step) takeRecap(c Claim, v handoff.Verdict) bool {
	old := s.in.Journal.Recap
	number, answer := c.Report.Handoff.Number, c.Report.Recap
	if old == nil || number != old.Number && number != old.Revert {
		return s.decide(ReportStale, "hand-over %d asks for no recap any more", number)
	}
	r := *old
	s.plan.Recap = &r
	switch v.Next.Kind {
	case handoff.Extend:
		return s.decide(ReportAccepted, "the recap gets %d minutes more", v.Next.Minutes)
	case handoff.Park:
		r.Verdict = string(handoff.HandOff)
		return s.decide(RecapHandoff, "the recap cannot be given: %s", v.Next.Why)
	case handoff.Nothing, handoff.Narrow:
	}
	if old.Revert == number && answer.Verdict == handoff.RevertAndShip {
		return s.takeRevert(c, &r)
	}
	r.Verdict, r.Rounds, r.Head, r.Revert = string(answer.Verdict), nil, "", 0
	switch answer.Verdict {
	case handoff.HandOff:
		return s.decide(RecapHandoff, "the recap of %d rounds handed it over to a person", r.Round)
	case handoff.RevertAndShip:
		r.Rounds, r.Head = union(answer.Rounds, nil), s.snap.Head
		return s.decide(ReportAccepted, "the recap says to revert %s", these(r.Rounds))
	case handoff.Continue:
	}
	return s.decide(ReportAccepted, "the recap of %d rounds says to go on", r.Round)
}

// takeRevert holds the claimed push against what the rounds pushed. One that is
// another change is refused; where GitHub does not show enough to tell, a person
// has to look.
func (s *step) takeRevert(c Claim, r *journal.Recap) bool {
	wrong, unread := undoes(c)
	switch {
	case unread != "":
		r.Verdict = string(handoff.HandOff)
		return s.decide(RecapHandoff, "whether the push reverts %s cannot be checked: %s", these(r.Rounds), unread)
	case len(wrong) > 0:
		s.plan.Recap = nil
		s.plan.Account.Verdict.Kind = handoff.Refused
		for _, says := range wrong {
			s.plan.Account.Verdict.Problems = append(s.plan.Account.Verdict.Problems, handoff.Problem{ID: "R1", Says: says})
		}
		return s.decide(ReportStale, "the report was refused")
	}
	r.Reverted = union(r.Reverted, r.Rounds)
	return s.decide(ReportAccepted, "the push reverts %s", these(r.Rounds))
}

// undoes compares the push with the spans backwards, file by file: which lines
// are taken out and put in.
func undoes(c Claim) (wrong []string, unread string) {
	if c.Push == nil {
		return []string{"it says that the rounds are reverted, and nothing was pushed"}, ""
	}
	want := map[string]string{}
	for _, span := range c.Spans {
		if !span.Complete {
			return nil, "GitHub does not show all files that the rounds changed"
		}
		for _, f := range span.Files {
			p, ok := round.Patch(f.Path, f.Patch)
			if _, twice := want[f.Path]; !ok || twice || f.Previous != "" {
				return nil, fmt.Sprintf("what the rounds did to %q is not shown as one change of lines", f.Path)
			}
			want[f.Path] = p.Back
		}
	}
	if !c.Push.Complete {
		return nil, "GitHub does not show all files that the push changes"
	}
	for _, f := range c.Push.Files {
		back, asked := want[f.Path]
		delete(want, f.Path)
		p, _ := round.Patch(f.Path, f.Patch)
		switch {
		case !asked:
			wrong = append(wrong, fmt.Sprintf("the push changes %q, which no round to be reverted did", f.Path))
		case p.ID != back:
			wrong = append(wrong, fmt.Sprintf("the push does not take back in %q what the rounds did there, or does more", f.Path))
		}
	}
	for path := range want {
		wrong = append(wrong, fmt.Sprintf("the push leaves %q as the rounds made it", path))
	}
	sort.Strings(wrong)
	return wrong, ""
}

// pushes are what each round pushed: from the head that it reviewed to the next
// one that was reviewed, or to head.
func pushes(l journal.Ledger, head pr.SHA) []handoff.Span {
	var spans []handoff.Span
	for i, r := range l.Rounds {
		to := head
		for _, later := range l.Rounds[i+1:] {
			if later.Head != r.Head {
				to = later.Head
				break
			}
		}
		if r.Head != "" && to != r.Head {
			spans = append(spans, handoff.Span{Rounds: []int{r.Round}, From: r.Head, To: to, Commits: []pr.SHA{}})
		}
	}
	return spans
}

// revertible are the rounds that pushed something, by their numbers.
func (s *step) revertible() []int {
	head := s.snap.Head
	if r := s.in.Journal.Recap; r != nil && r.Head != "" {
		head = r.Head // later pushes are the revert's own
	}
	var rounds []int
	for _, p := range pushes(s.ledger(), head) {
		rounds = append(rounds, p.Rounds...)
	}
	return rounds
}

// RevertSpans are what the recap of in asks to revert, newest first, rounds in a
// row as one span; nil where it asks for nothing.
func RevertSpans(in Input) []handoff.Span {
	r := in.Journal.Recap
	if r == nil || r.Verdict != string(handoff.RevertAndShip) {
		return nil
	}
	return newStep(in).spans(*r)
}

func (s *step) spans(r journal.Recap) []handoff.Span {
	var list []handoff.Span
	for _, p := range pushes(s.ledger(), r.Head) {
		if !slices.Contains(r.Rounds, p.Rounds[0]) {
			continue
		}
		switch n := len(list) - 1; {
		case n >= 0 && list[n].To == p.To: // two reviews of one head
			list[n].Rounds = append(list[n].Rounds, p.Rounds...)
		case n >= 0 && list[n].To == p.From:
			list[n].Rounds, list[n].To = append(list[n].Rounds, p.Rounds...), p.To
		default:
			list = append(list, p)
		}
	}
	slices.Reverse(list)
	return list
}

// RecapBrief is what the recap that p hands over looks back on, or what it asks
// to revert; nil where it hands over something else.
func (p Plan) RecapBrief(in Input) *handoff.RecapBrief {
	if p.Handoff == nil || p.Handoff.Step != string(handoff.Recap) || p.Recap == nil {
		return nil
	}
	s := newStep(in)
	l := s.ledger()
	b := &handoff.RecapBrief{
		Round: s.facts.Rounds, Title: s.snap.Title, FilesAtFirst: l.Scope, FilesNow: s.snap.ChangedFiles,
		Rounds: []handoff.RecapRound{}, Drift: []string{}, Revert: []handoff.Span{},
	}
	for _, r := range l.Rounds {
		one := handoff.RecapRound{Round: r.Round, Head: r.Head, Findings: []handoff.RecapFinding{}}
		for _, f := range r.Findings {
			one.Findings = append(one.Findings, handoff.RecapFinding{Path: f.Path, Action: f.Action})
		}
		b.Rounds = append(b.Rounds, one)
	}
	if says, ok := round.Grown(l, s.snap.ChangedFiles); ok {
		b.Drift = append(b.Drift, says)
	}
	for _, sign := range s.circles() {
		b.Drift = append(b.Drift, sign.Says)
	}
	if p.Recap.Verdict != "" {
		b.Revert = append(b.Revert, s.spans(*p.Recap)...)
	}
	return b
}

// recapped notes in j what p says of the recap.
func recapped(j journal.Journal, p Plan) journal.Journal {
	if p.Recap != nil {
		j.Recap = p.Recap
	}
	return j
}

// recapEntered: j has what a report said of the recap.
func (p Plan) recapEntered(j journal.Journal) bool {
	if p.Recap == nil {
		return true
	}
	a, b := p.Recap, j.Recap
	return b != nil && a.Round == b.Round && a.Verdict == b.Verdict && a.Revert == b.Revert && slices.Equal(a.Rounds, b.Rounds) && slices.Equal(a.Reverted, b.Reverted)
}

// reverted are the rounds that were reverted, for the proof; never nil.
func (s *step) reverted() []int {
	if r := s.in.Journal.Recap; r != nil {
		return append([]int{}, r.Reverted...)
	}
	return []int{}
}

// these are rounds in words: "round 9", "rounds 9, 10".
func these(rounds []int) string {
	var list []string
	for _, n := range rounds {
		list = append(list, strconv.Itoa(n))
	}
	if len(rounds) == 1 {
		return "round " + list[0]
	}
	return "rounds " + strings.Join(list, ", ")
}

// union is both lists, ascending, each number once.
func union(a, b []int) []int {
	all := slices.Concat(a, b)
	sort.Ints(all)
	return slices.Compact(all)
}
