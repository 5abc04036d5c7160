package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// A Claim is a report with what it is held against beside the snapshot.
type Claim struct {
	Report handoff.Report
	// Commits are those of the pull request; CommitsKnown that they were read
	// in full.
	Commits      []pr.SHA
	CommitsKnown bool
	// Push is what changed since the head that was handed over; nil where
	// nothing was pushed.
	Push *handoff.Push
	// Diff is what the pull request changes, for a report of the step review; nil:
	// it was not read.
	Diff *handoff.Push
	// Spans are what the rounds pushed that a recap reverts ([RevertSpans]).
	Spans []handoff.Push
}

// together notes the answers that one comment gave. A comment that was for an
// older head, or that nobody came to, gave none.
func together(j journal.Journal, p Plan, results []effect.Result) journal.Journal {
	given := slices.ContainsFunc(results, func(r effect.Result) bool {
		c, ok := r.Effect.(effect.Comment)
		return ok && strings.HasPrefix(c.Topic, answersTopic) && r.Outcome != effect.Stale && r.Outcome != effect.Skipped
	})
	if !given {
		return j
	}
	for _, a := range p.AgainTogether {
		j = journal.Answered(j, a)
	}
	if p.Account == nil {
		return j
	}
	for _, a := range p.Account.Answers {
		if slices.Contains(p.Account.Together, a.Finding) {
			j = journal.Answered(j, a)
		}
	}
	return j
}

// An Account is a report held against the world.
type Account struct {
	Number  int
	Head    pr.SHA // that the report was taken at
	Step    handoff.Step
	Status  string
	Said    string // a short mark of what it says is to be done next
	Verdict handoff.Verdict
	Answers []journal.Answer
	// Together are those of Answers that one comment gives, and no thread. Until
	// it stands nothing on GitHub shows them.
	Together []string // finding marks
	// Park is the reason code of a stop that holds at this head.
	Park Code
	// Next are findings, by their marks, that are to be handed over next: half of
	// what was left over.
	Next []string
}

// next is what the journal keeps of Next.
func (a *Account) next() string {
	if len(a.Next) == 0 {
		return ""
	}
	return strings.Join(a.Next, " ") + "@" + string(a.Head)
}

// answersTopic begins the topics of the comments that answer findings without
// a thread. They stay: what was answered goes on being so.
const answersTopic = "answers_"

// accounting is the order in which a report is taken: what speaks against any
// step speaks against it too.
var accounting = []row{
	{"S1", "there is no such pull request", missing, nil},
	{"S1a", "prloop leaves the repository, or has left it, and nothing has begun it anew", leave, nil},
	{"S2", "a switch leaves it out: the input paused, or the label prloop:skip", switchedOff, nil},
	{"S3", "the configuration file could not be read", configUnknown, nil},
	{"S4", "another run holds the lease", leased, nil},
	{"S5", "it is merged or closed (life-cycle guard)", over, nil},
	{"S5a", "a person stopped it, and nothing has begun it anew", stopped, nil},
	{"S9", "a fact that the decision needs is unknown", unknownFact, nil},
}

// Take says what a step does by a fixer's report: it answers each finding,
// resolves the threads that may be, and notes what was said (design 5, Report).
// A report that is refused is in Account.Verdict, and nothing is done by it.
func Take(in Input, c Claim) Plan {
	if in.Snapshot.Issue != nil {
		return takeIssue(in, c)
	}
	s := newStep(in)
	return s.decideBy(append(slices.Clip(accounting), row{"R", "a report is there", func(s *step) bool { return s.account(c) }, nil}))
}

func (s *step) account(c Claim) bool {
	r := c.Report
	var asked journal.Handoff // the hand-over that the report names
	for _, h := range s.all {
		if h.Number == r.Handoff.Number {
			asked = h
		}
	}
	if asked.Withdrawn {
		return s.decide(ReportStale, "hand-over %d was withdrawn", asked.Number)
	}
	v := handoff.Check(r, handoff.Context{
		PR:           s.snap.Number,
		Head:         s.snap.Head,
		Findings:     s.findingsOf(r),
		Known:        strings.Fields(asked.Findings),
		Out:          s.newestOut(r.Step, asked),
		Commits:      c.Commits,
		CommitsKnown: c.CommitsKnown,
		Now:          s.now,
		Rounds:       s.revertible(),
		Scored:       scored(asked.Reviewer),
	})
	s.plan.Account = &Account{
		Number: r.Handoff.Number, Head: s.snap.Head, Step: r.Step, Status: string(r.Status), Said: journal.Mark(r.NextAction), Verdict: v,
	}
	switch v.Kind {
	case handoff.Refused:
		return s.decide(ReportStale, "the report was refused")
	case handoff.Stale:
		return s.decide(ReportStale, "%s", v.Problems[0].Says)
	case handoff.Unread:
		return s.decide(FactUnknown, "the commits of the pull request could not be read in full")
	case handoff.Accepted:
	}
	if v.Late {
		s.plan.Notices = append(s.plan.Notices, "The report came after its deadline; it counts all the same")
	}
	if r.Step == handoff.Review && asked.Judges != "" {
		return s.takeVerdicts(asked, c, v)
	}
	if r.Step == handoff.Review && asked.Reviewer != "" {
		return s.takeCommand(asked, c, v)
	}
	if r.Step == handoff.Review {
		return s.takeReview(c, v)
	}
	if r.Step == handoff.Recap {
		return s.takeRecap(c, v)
	}
	if c.Push != nil {
		if held := handoff.Held(handoff.Judge(*c.Push, s.facts.Awaiting, handoff.Limits{})); len(held) > 0 && !s.approved() {
			s.plan.Account.Park = TamperPause
			return s.decide(TamperPause, "%s in %q", held[0].Reason, held[0].File)
		}
		if circle := s.pushed(c.Push); circle != "" && !s.retried().Through {
			s.plan.Account.Park = Oscillation
			return s.decide(Oscillation, "%s", circle)
		}
	}
	s.answer(v, r.Handoff.Number)
	done := count(len(v.Replies), "finding is", "findings are")
	switch v.Next.Kind {
	case handoff.Park:
		s.plan.Account.Park = FixerParked
		return s.decide(FixerParked, "%s", v.Next.Why)
	case handoff.Narrow:
		s.plan.Account.Next = marksOf(v.Next.Findings)
		return s.decide(ReportAccepted, "%s answered, and half of the rest is to be handed over again", done)
	case handoff.Extend:
		return s.decide(ReportAccepted, "%s answered, and the fixer gets %d minutes more", done, v.Next.Minutes)
	case handoff.Nothing:
	}
	return s.decide(ReportAccepted, "%s answered by the report on hand-over %d", done, r.Handoff.Number)
}

// findingsOf is what a report may answer: what awaits us, and of what minSeverity
// has left meanwhile that which it speaks of.
func (s *step) findingsOf(r handoff.Report) []facts.Finding {
	list := slices.Clip(s.facts.Awaiting)
	for _, f := range s.facts.Left {
		if slices.ContainsFunc(r.Items, func(it handoff.Item) bool { return it.Finding == f.ID }) {
			list = append(list, f)
		}
	}
	return list
}

// newestOut is the newest hand-over of a step, of the kind that the report names.
// One of another is no newer one: a review is prepared beside the fixer's work,
// and beside the judging of the coding agent's.
func (s *step) newestOut(step handoff.Step, asked journal.Handoff) handoff.Out {
	var out handoff.Out
	for _, h := range s.in.Journal.Handoffs {
		if (h.Judges != "") != (asked.Judges != "") || h.Reviewer != asked.Reviewer {
			continue
		}
		if of := stepOf(h); of == step || step == "" && of == handoff.Fix {
			out = handoff.Out{Number: h.Number, Head: h.Head, Step: of, At: h.At, Deadline: h.Deadline, Extensions: h.Extensions, Narrowed: h.Narrowed}
		}
	}
	return out
}

func stepOf(h journal.Handoff) handoff.Step {
	if h.Step == "" {
		return handoff.Fix
	}
	return handoff.Step(h.Step)
}

// answer makes the effects of the replies: all replies, then the resolves.
func (s *step) answer(v handoff.Verdict, number int) {
	inThread, together := handoff.Split(v.Replies)
	ours := facts.Ours(facts.Input{Snapshot: s.snap, Journal: s.in.Journal, Settings: s.in.Settings})
	words := handoff.TemplatesOf(s.in.Settings.Templates)
	var resolves []effect.Effect
	for _, r := range inThread {
		mark := journal.Mark(r.Finding.ID)
		if r.Posts() {
			s.plan.Effects = append(s.plan.Effects, effect.Reply{
				Thread: r.Finding.Thread, Head: s.snap.Head, Handoff: number, Finding: mark,
				Body: r.Comment(words, s.in.Quote, number),
			})
		}
		i := slices.IndexFunc(s.snap.Threads, func(t pr.Thread) bool { return t.ID == r.Finding.Thread })
		if i < 0 {
			continue
		}
		if may, _ := handoff.MayResolve(r.Action, &s.snap.Threads[i], ours); may {
			resolves = append(resolves, effect.Resolve{Thread: r.Finding.Thread, Head: s.snap.Head, Finding: mark})
		}
	}
	// What was answered before, by a run of this report that died or had no
	// right to, may still have to be resolved.
	for _, item := range v.Settled {
		i := slices.IndexFunc(s.snap.Threads, func(t pr.Thread) bool { return t.ID == item.Finding })
		if i < 0 || s.snap.Threads[i].Resolved || !slices.Contains(s.facts.Threads.Answered, item.Finding) {
			continue
		}
		if may, _ := handoff.MayResolve(item.Action, &s.snap.Threads[i], ours); may {
			resolves = append(resolves, effect.Resolve{Thread: item.Finding, Head: s.snap.Head, Finding: journal.Mark(item.Finding)})
		}
	}
	if text := handoff.Together(together, words, s.in.Quote, number); text != "" {
		c := effect.Comment{Topic: fmt.Sprintf("%s%d", answersTopic, number), Head: s.snap.Head}
		c.Body = text + "\n" + c.Marker()
		s.plan.Effects = append(s.plan.Effects, c)
	}
	s.plan.Effects = append(s.plan.Effects, resolves...)
	for _, r := range together {
		s.plan.Account.Together = append(s.plan.Account.Together, journal.Mark(r.Finding.ID))
	}
	for _, r := range v.Replies {
		s.plan.Account.Answers = append(s.plan.Account.Answers, journal.Answer{
			Finding: journal.Mark(r.Finding.ID), Action: string(r.Action), Head: s.snap.Head, Number: number,
		})
	}
}

// marksOf are the marks of findings by their ids, sorted.
func marksOf(ids []string) []string {
	marks := make([]string, len(ids))
	for i, id := range ids {
		marks[i] = journal.Mark(id)
	}
	slices.Sort(marks)
	return marks
}

// parked: a stop of this head holds until there is a new head, or until people
// have dealt with what is open.
func parked(s *step) bool {
	for _, h := range s.in.Journal.Handoffs {
		code, at, _ := strings.Cut(h.Parked, "@")
		if h.Step == "" && pr.SHA(at) == s.snap.Head && (s.facts.Threads.Open > 0 || len(s.facts.Awaiting) > 0) {
			return s.decide(Code(code), "hand-over %d ended so, and %s open", h.Number, count(max(s.facts.Threads.Open, len(s.facts.Awaiting)), "finding is", "findings are"))
		}
	}
	return false
}

// Enter notes in j what a report said, before anything is done by it: a run
// that dies leaves behind that the answers are owed. An answer without a thread
// is noted once its comment was tried (Settle): a finding that counts as
// answered is not answered again.
func Enter(j journal.Journal, in Input, p Plan) journal.Journal {
	if in.Snapshot.Issue != nil {
		return enterIssue(j, in, p)
	}
	j = enterPush(renew(j, in), in)
	if p.Import != nil {
		j = imported(j, in, *p.Import)
	}
	for _, o := range p.Heard {
		j = obey(j, o)
	}
	for _, a := range p.Again {
		j = journal.Answered(j, a)
	}
	j = enterLanding(j, in, p)
	if p.Pass != nil {
		j.Pass = p.Pass
	}
	if p.Watch != nil {
		j.Watch = p.Watch
	}
	j = Prove(j, p) // a check run that carries it is known again by its digest
	if p.Account != nil {
		j = recapped(enterAccount(j, p), p)
	}
	l := ledgerOf(in, p.Facts.Reviews)
	if p.Patches != nil {
		l = round.Pushed(l, p.Facts.Rounds, p.Patches)
	}
	j.Ledger = round.Enter(l, nil, j.Answers)
	return keepQuest(j, p)
}

func enterAccount(j journal.Journal, p Plan) journal.Journal {
	for _, a := range p.Account.Answers {
		if !slices.Contains(p.Account.Together, a.Finding) {
			j = journal.Answered(j, a)
		}
	}
	if park := p.Account.Park; park != "" {
		j = journal.Change(j, p.Account.Number, func(h *journal.Handoff) { h.Parked = string(park) + "@" + string(p.Account.Head) })
	}
	if next := p.Account.next(); next != "" {
		j = journal.Change(j, p.Account.Number, func(h *journal.Handoff) { h.Next = next })
	}
	if len(p.Account.Answers) == 0 && p.Account.Step != handoff.Review && p.Account.Step != handoff.Recap {
		return j
	}
	extended := p.Account.Verdict.Next.Kind == handoff.Extend
	return journal.Change(j, p.Account.Number, func(h *journal.Handoff) {
		if extended && h.Reported != reportKey(p.Account) {
			h.Deadline = h.Deadline.Add(time.Duration(p.Account.Verdict.Next.Minutes) * time.Minute)
			h.Extensions++
		}
		if p.Account.Step != handoff.Review || extended {
			h.Reported = reportKey(p.Account) // a review is there once it is made (Settle)
		}
	})
}

// Entered reports whether j has all that it must note of p: the report was taken
// before, the head that a wait counts from was seen, the proof is noted.
func (p Plan) Entered(j journal.Journal) bool {
	if !noted(j, p.Wait) || p.Facts.FirstSight && p.Wait != nil || p.Proof != nil && (j.Proof == nil || j.Proof.Digest != p.Proof.Digest) {
		return false
	}
	if p.Settling != nil && (j.Settled == nil || j.Settled.Sight != p.Settling.Sight) {
		return false
	}
	if len(p.Heard) > 0 || p.Import != nil {
		return false
	}
	if p.Account == nil {
		return true
	}
	if !p.recapEntered(j) {
		return false
	}
	for _, a := range p.Account.Answers {
		if !slices.Contains(j.Answers, a) && !slices.Contains(p.Account.Together, a.Finding) {
			return false
		}
	}
	for _, h := range j.Handoffs {
		if h.Number != p.Account.Number {
			continue
		}
		if next := p.Account.next(); next != "" && h.Next != next {
			return false
		}
		if p.Account.Park != "" && h.Parked != string(p.Account.Park)+"@"+string(p.Account.Head) {
			return false
		}
		if a := p.Account; (a.Step == handoff.Review || a.Step == handoff.Recap || p.OnIssue) && a.Verdict.Next.Kind == handoff.Extend && h.Reported != reportKey(p.Account) {
			return false
		}
	}
	return true
}

// reportKey tells one report of a hand-over from the next, so that a report
// that is taken twice extends once.
func reportKey(a *Account) string {
	if a.Step == handoff.Review || a.Step == handoff.Recap || len(a.Answers) == 0 {
		return a.Status + "/" + a.Said
	}
	return fmt.Sprintf("%s/%d", a.Status, len(a.Answers))
}

// Handed are the findings that the hand-over of p gives away.
func (p Plan) Handed() []facts.Finding { return p.handed(false) }

// Given are those, and those that its brief has no room for.
func (p Plan) Given() []facts.Finding { return p.handed(true) }

func (p Plan) handed(rest bool) []facts.Finding {
	if p.Handoff == nil {
		return nil
	}
	given := map[string]bool{}
	for m := range strings.FieldsSeq(p.Handoff.Findings) {
		given[m] = true
	}
	for m := range strings.FieldsSeq(p.Handoff.Rest) {
		given[m] = given[m] || rest
	}
	return slices.DeleteFunc(slices.Clone(p.Facts.Awaiting), func(f facts.Finding) bool { return !given[journal.Mark(f.ID)] })
}
