package plan

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// An issue with the configured label is a quest of its own (design 3, "Issues
// too"): research, a reproduction and a plan are handed over one after the other,
// checkpoints A and B between them, until a pull request closes it and takes the
// quest over. The engine, the effects, the journal and the lock are those of a
// pull request; of the order of a step what is about heads and reviews falls away.

// issueOrder is the order inside a step on an issue: the first row that decides
// ends it.
var issueOrder = []row{
	{"Q1", "there is no such issue, or issues.label takes on none", missingIssue, nil},
	{"Q1a", "prloop leaves the repository, or has left it, and nothing has begun it anew", leave, nil},
	{"Q2", "a switch leaves it out: the input paused, or the label prloop:skip", switchedOff, nil},
	{"Q3", "the configuration file could not be read", configUnknown, nil},
	{"Q4", "another run holds the lease", leased, nil},
	{"Q4a", "two runs began a journal each (conductor priority 1)", duplicated, nil},
	{"Q5", "a pull request closes it, and has taken its quest over", inherited, nil},
	{"Q6", "it is closed", issueOver, nil},
	{"Q7", "it has not the label of issues.label", issueLeftOut, nil},
	{"Q8", "a person stopped it, and nothing has begun it anew", stopped, nil},
	{"Q9", "a person paused it", heldByCommand, nil},
	{"Q10", "its comments are unknown", issueUnknown, nil},
	{"Q11", "otherwise its quest says what is next", issueQuest, nil},
}

// issueAccounting is the order in which a report for an issue is taken.
var issueAccounting = []row{
	{"Q1", "there is no such issue, or issues.label takes on none", missingIssue, nil},
	{"Q1a", "prloop leaves the repository, or has left it, and nothing has begun it anew", leave, nil},
	{"Q2", "a switch leaves it out: the input paused, or the label prloop:skip", switchedOff, nil},
	{"Q3", "the configuration file could not be read", configUnknown, nil},
	{"Q4", "another run holds the lease", leased, nil},
	{"Q5", "a pull request closes it, and has taken its quest over", inherited, nil},
	{"Q6", "it is closed", issueOver, nil},
	{"Q8", "a person stopped it, and nothing has begun it anew", stopped, nil},
	{"Q10", "its comments are unknown", issueUnknown, nil},
}

// IssueOrder returns the rows for the README: id and words.
func IssueOrder() [][2]string {
	rows := make([][2]string, len(issueOrder))
	for i, r := range issueOrder {
		rows[i] = [2]string{r.id, r.says}
	}
	return rows
}

// decideIssue says what one step does on an issue.
func decideIssue(in Input) Plan {
	in, heard, notices, needs := listenOnIssue(in)
	if len(needs) > 0 {
		return Plan{Decision: Wait, Code: FactUnknown, Needs: needs}
	}
	s := newIssueStep(in)
	s.plan.Heard, s.plan.Notices = heard, notices
	return s.decideBy(issueOrder)
}

// newIssueStep understands the input: where the quest stands.
func newIssueStep(in Input) *step {
	s := &step{in: in, snap: in.Snapshot, now: in.Snapshot.At, given: in.Settings, observed: true}
	in.Settings = lifted(in.Settings, in.Journal, s.day())
	s.all = in.Journal.Handoffs
	in.Journal.Handoffs = standing(in.Journal.Handoffs)
	s.in, s.plan.OnIssue = in, true
	s.observeIssue()
	return s
}

func missingIssue(s *step) bool {
	switch {
	case s.in.Settings.Issues.Label == "" && s.snap.Missing(pr.FactConfig) == nil:
		return s.decide(NotAPullRequest, "the event is about issue #%d, and issues.label names no label", s.snap.Number)
	case s.snap.Found:
		return false
	}
	return s.decide(NoPullRequest, "there is no issue #%d in this repository", s.snap.Number)
}

// issueOver: it was closed. What its pull request took over goes on there.
func issueOver(s *step) bool {
	if s.snap.State == pr.Open {
		return false
	}
	if f := s.in.Journal.Final; s.acted() && f == nil {
		s.plan.Final = &journal.Final{Reason: string(IssueClosed), At: s.now}
	}
	return s.decide(IssueClosed, "it is closed")
}

// labelled: it is one that the configuration takes on. The repository record is
// an issue of ours, and never a quest.
func (s *step) labelled() bool {
	label := s.in.Settings.Issues.Label
	return label != "" && slices.Contains(s.snap.Labels, label) && s.snap.Record.Number != s.snap.Number
}

func issueLeftOut(s *step) bool {
	if s.labelled() {
		return false
	}
	return s.decide(NotSelected, "it has not the label %q of issues.label", s.in.Settings.Issues.Label)
}

// heir is the pull request that closes the issue and takes its quest over: one of
// this repository's own branches, since whoever opens one from a fork may be
// anybody.
func heir(snap *pr.Snapshot) (pr.Linked, bool) {
	for _, state := range []pr.State{pr.Open, pr.Merged} {
		for _, l := range snap.ClosedBy {
			if l.State == state && !l.Fork {
				return l, true
			}
		}
	}
	return pr.Linked{}, false
}

func inherited(s *step) bool {
	if !s.labelled() || !s.acted() && s.snap.State != pr.Open {
		return false
	}
	if s.unknown(pr.FactLinks) {
		return true
	}
	f := s.in.Journal.Final
	before := f != nil && f.Reason == string(IssueInherited)
	l, ok := heir(s.snap)
	switch started := s.in.Journal.Orders.Started; {
	case !ok && !before, !ok && started != nil && started.At.After(f.At):
		return false
	case !ok:
		return s.decide(IssueInherited, "pull request #%d had taken it over, and is closed", s.in.Journal.Other)
	case !s.acted():
		return s.decide(IssueInherited, "pull request #%d closes it", l.Number)
	case !before, s.in.Journal.Other != l.Number:
		s.plan.Final = &journal.Final{Reason: string(IssueInherited), Head: l.Head, At: s.now}
	}
	s.plan.Heir = l.Number
	return s.decide(IssueInherited, "pull request #%d closes it and has taken it over", l.Number)
}

func issueUnknown(s *step) bool { return s.unknown(pr.FactComments) }

// observeIssue enters what the world shows.
func (s *step) observeIssue() {
	snap := s.snap
	if !snap.Found || snap.Missing(pr.FactPullRequest) != nil || snap.Missing(pr.FactConfig) != nil {
		return
	}
	kept, policy := s.in.Journal.Quest, policyOf(s.in.Settings)
	if kept == nil {
		if snap.State == pr.Open && s.labelled() {
			s.beginIssue(1, policy)
		}
		return
	}
	q, was, _, err := kept.Fold()
	s.quest = &Spine{Quest: q, Policy: was, Was: *kept}
	if err != nil {
		s.quest.Was = journal.Quest{Number: kept.Number, Policy: was, From: q, Folded: kept.Folded}
		s.quest.Refused = append(s.quest.Refused, "The journal's quest is damaged and goes on from where it could be read: "+err.Error())
	}
	if q.State.Terminal() && snap.State == pr.Open && s.labelled() && s.in.Journal.Orders.Stopped == nil && s.leftSince().IsZero() {
		s.beginIssue(kept.Number+1, policy)
	}
	s.changePolicy(policy)
	if snap.State == pr.Closed && !s.quest.Quest.State.Terminal() {
		if _, ok := heir(snap); !ok {
			s.enter(quest.Event{ID: "closed@" + snap.ID, Type: quest.Kill, Actor: "github", Admin: true})
		}
	}
}

// beginIssue starts a quest: the issue is the signal, and its label the triage.
func (s *step) beginIssue(number int, policy quest.Policy) {
	snap := s.snap
	from := quest.New(trail(snap, number))
	sp := &Spine{Quest: from, Policy: policy, Was: journal.Quest{Number: number, Policy: policy, From: from}}
	if s.quest != nil {
		sp.Refused = s.quest.Refused
	}
	s.quest = sp
	signal, route := "issue@"+snap.ID, quest.AutoFix
	if s.in.Settings.Issues.Route == config.IssueResearchOnly {
		route = quest.ResearchOnly
	}
	s.enter(quest.Event{
		ID: signal, At: snap.CreatedAt, Type: quest.SignalReceived, Signal: quest.Ref(signal),
		Fingerprint: snap.Repo.String() + "#" + strconv.Itoa(snap.Number), Risk: "issue",
	})
	s.enter(quest.Event{ID: signal + ".triage", At: snap.CreatedAt, Type: quest.TriageDecided, Route: route})
}

// issueQuest takes the quest as far as it goes by itself, and hands over what an
// agent is to do.
func issueQuest(s *step) bool {
	q := &s.quest.Quest
	if cp := quest.At(q.State); cp != "" && !q.PlanPending {
		object, at := s.newestAnswer()
		s.decideAt(cp, object, at)
	}
	if cp := quest.At(q.State); cp != "" && !q.PlanPending {
		return s.waitsAt(cp)
	}
	if step := agentStep(q); step != "" {
		return s.issueWork(step)
	}
	if q.State == quest.HandedOff {
		return s.decideClaimed()
	}
	switch q.ParkReason {
	case quest.ResearchComplete:
		return s.decide(ResearchComplete, "the research is there, and issues.route asks for no more")
	case quest.CannotReproduce:
		return s.decide(CannotReproduce, "no command shows what the issue describes")
	case quest.AgentLostReason:
		return s.decide(NoReport, "two hand-overs went without a report")
	}
	return s.decide(FixerParked, "the quest is %s (%s)", q.State, q.ParkReason)
}

// agentStep is what an agent is to do while the quest stands there; empty where
// nothing.
func agentStep(q *quest.Quest) handoff.Step {
	switch {
	case q.State == quest.Researching:
		return handoff.Research
	case q.PlanPending && (q.State == quest.Reproducing || q.State == quest.Planned):
		return handoff.Plan
	case q.State == quest.Reproducing:
		return handoff.Reproduce
	case q.State == quest.Patching:
		return handoff.Fix
	}
	return ""
}

// waitsAt waits at a checkpoint for a person.
func (s *step) waitsAt(cp quest.Checkpoint) bool {
	mode := map[quest.Checkpoint]quest.Mode{quest.A: s.quest.Policy.Checkpoints.A, quest.B: s.quest.Policy.Checkpoints.B}[cp]
	switch {
	case mode == quest.Shadow:
		return s.decide(CheckpointShadow, "checkpoint %s is in shadow mode", cp)
	case cp == quest.A:
		return s.decide(CheckpointA, "what the research found waits for an approval")
	}
	return s.decide(CheckpointB, "the plan waits for an approval")
}

// newestAnswer is the newest hand-over that a report answered: what a checkpoint
// is decided on.
func (s *step) newestAnswer() (id string, at time.Time) {
	for _, h := range slices.Backward(s.all) {
		if h.Reported != "" {
			return "handoff@" + strconv.Itoa(h.Number), h.At
		}
	}
	return "issue@" + s.snap.ID, s.snap.CreatedAt
}

// wish is the newest start of an agent that the quest asked for; empty where it
// is so old that it was folded away.
func (s *step) wish() string { return s.quest.newest(quest.StartAgent) }

// issueWork hands a step over, once for each time that the quest asks for it. A
// job that does not report is started once more, and then no more (seed 002,
// agent_lost).
func (s *step) issueWork(step handoff.Step) bool {
	h, out := s.handed(step)
	switch {
	case !out:
		return s.handOverIssue(step)
	case h.Deadline.IsZero(), s.now.Before(h.Deadline) && h.Reported == "", s.now.Before(h.Deadline) && !strings.HasPrefix(h.Reported, string(handoff.Complete)):
		s.waitFor("handoff", h.At, h.Deadline, NoReport)
		if h.Deadline.IsZero() {
			s.plan.Wait, s.plan.NextWake = nil, time.Time{}
		}
		return s.decide(IssueWorkOut, "the %s of hand-over %d was handed over at %s", words(step), h.Number, clock(h.At))
	case strings.HasPrefix(h.Reported, string(handoff.Complete)):
		return s.decide(WaitingForPullRequest, "the fix of hand-over %d is reported, and no pull request closes the issue yet", h.Number)
	}
	s.enter(quest.Event{ID: "handoff@" + strconv.Itoa(h.Number) + ".lost", At: h.Deadline, Type: quest.AgentLost, Reason: "no report"})
	if s.quest.Quest.State == quest.Parked {
		return s.decide(NoReport, "two hand-overs of the %s went without a report", words(step))
	}
	return s.handOverIssue(step)
}

// words are what people read of a step.
func words(step handoff.Step) string {
	return map[handoff.Step]string{handoff.Research: "research", handoff.Reproduce: "reproduction", handoff.Plan: "plan", handoff.Fix: "fix"}[step]
}

// handed is the hand-over that delivers what the quest asks for now.
func (s *step) handed(step handoff.Step) (journal.Handoff, bool) {
	wish := s.wish()
	for _, h := range slices.Backward(s.in.Journal.Handoffs) {
		if stepOf(h) == step && (wish == "" || h.Cause == wish) {
			return h, true
		}
	}
	return journal.Handoff{}, false
}

func (s *step) handOverIssue(step handoff.Step) bool {
	job := s.in.Settings.Fixer == config.Job
	switch b := s.in.Settings.Budgets; {
	case s.in.Journal.HandedOver >= b.HandoffsPerPullRequest:
		return s.decide(BudgetExhausted, "%d of %d hand-overs of budgets.handoffsPerPullRequest are used", s.in.Journal.HandedOver, b.HandoffsPerPullRequest)
	case !s.acted() && s.in.StartsLeft <= 0:
		return s.decide(BudgetExhausted, "this run has started as many quests as budgets.startsPerRun (%d) allows", b.StartsPerRun)
	case (s.in.Sweep || s.in.Reporting) && job, s.in.Foreseen && !s.writersKnown():
		return s.handoffDue("the %s of the issue is due", words(step))
	case !s.snap.WritersRead:
		s.plan.Needs = append(s.plan.Needs, pr.FactPermission)
		return s.decide(FactUnknown, "who may write here was not read yet")
	}
	texts, _ := Texts(s.snap)
	if !slices.ContainsFunc(texts, func(f facts.Finding) bool { return f.Trusted }) {
		return s.decide(IssueUnclear, "its text is of an account without write permission, which goes to no job")
	}
	h := &journal.Handoff{Number: s.in.Journal.HandedOver + 1, Head: s.snap.Issue.Base, At: s.now, Step: string(step), Cause: s.wish()}
	if step == handoff.Fix {
		h.Step = ""
	}
	if job {
		h.Deadline = s.now.Add(handoff.DefaultBudget().For(step, 1) + s.in.Settings.HandoffGrace)
	}
	s.plan.Handoff = h
	return s.decide(IssueWork, "the %s of the issue is handed over", words(step))
}

// writersKnown: it was asked of everybody who said something.
func (s *step) writersKnown() bool {
	return !slices.ContainsFunc(writersOf(s.snap), func(l pr.Login) bool { _, known := s.snap.Writers[l]; return !known })
}

// mostTexts is how many comments of an issue go into a brief, the newest.
const mostTexts = 20

// Texts are what was said in an issue, as a brief has it: the issue itself, then
// the newest comments, oldest first. What prloop posted of earlier reports is
// among them. Untrusted are ids alone: of accounts without write permission, and
// of bots.
func Texts(snap *pr.Snapshot) (list []facts.Finding, untrusted []string) {
	add := func(id string, by pr.Actor, ours bool, text string, url string) {
		if ours || !by.Bot && by.Login != "" && snap.Writers[by.Login] {
			list = append(list, facts.Finding{ID: id, Author: by.Login, Trusted: true, Text: text, URL: url})
		} else {
			untrusted = append(untrusted, id)
		}
	}
	add("issue:"+strconv.Itoa(snap.Number), wrote(snap.Author, snap.Issue.Editor, snap.Issue.EditedAt), false, snap.Title+"\n\n"+snap.Issue.Body, snap.URL)
	for _, c := range talkOf(snap) {
		id := "comment:" + strconv.FormatInt(c.DatabaseID, 10)
		add(id, wrote(c.Author, c.Editor, c.EditedAt), c.Mine, c.Body, fmt.Sprintf("%s#issuecomment-%d", snap.URL, c.DatabaseID))
	}
	return list, untrusted
}

// talkOf are the newest comments that say something of the work: no commands, no
// notes of ours, nothing hidden.
func talkOf(snap *pr.Snapshot) []pr.Comment {
	var list []pr.Comment
	for i := range snap.Comments {
		c := &snap.Comments[i]
		topic, _, note := effect.ParseNote(c.Body)
		_, cmd := command.Of(c)
		if c.Minimized || cmd || c.Mine && (!note || !strings.HasPrefix(topic, answersTopic)) {
			continue
		}
		list = append(list, *c)
	}
	return list[max(0, len(list)-mostTexts):]
}

// wrote is whose words a text has: who edited it last, else its author.
func wrote(author, editor pr.Actor, edited time.Time) pr.Actor {
	if !edited.IsZero() {
		return editor // a ghost's are nobody's
	}
	return author
}

// writersOf are the people whose permission a brief asks for.
func writersOf(snap *pr.Snapshot) []pr.Login {
	var list []pr.Login
	add := func(a pr.Actor) {
		if !a.Bot && a.Login != "" && !slices.Contains(list, a.Login) {
			list = append(list, a.Login)
		}
	}
	add(wrote(snap.Author, snap.Issue.Editor, snap.Issue.EditedAt))
	for _, c := range talkOf(snap) {
		if !c.Mine {
			add(wrote(c.Author, c.Editor, c.EditedAt))
		}
	}
	return list
}

// noteHead is what the notes are bound to: a person is called once for it. Of an
// issue it is the number of the newest hand-over that a report answered.
func (s *step) noteHead() pr.SHA {
	if s.snap.Issue == nil {
		return s.snap.Head
	}
	for _, h := range slices.Backward(s.all) {
		if h.Reported != "" {
			return pr.SHA(strconv.Itoa(h.Number))
		}
	}
	return ""
}

// finishIssue adds what every decision brings along.
func (s *step) finishIssue() {
	p := &s.plan
	if len(p.Needs) > 0 {
		return
	}
	if sp := s.quest; sp != nil {
		switch {
		case p.Code == Left || p.Code == StoppedByCommand:
			if !sp.Quest.State.Terminal() {
				s.enter(quest.Event{ID: s.serial("stop@" + s.snap.ID), Type: quest.Kill, Actor: "github", Admin: true})
			}
		case p.Code == FixerParked && sp.Quest.State.Active():
			s.enter(quest.Event{ID: s.serial("stop@" + s.snap.ID), Type: quest.Pause, Reason: string(FixerParked), Actor: "github"})
		}
		if p.Quest = sp; p.Code == IssueInherited {
			p.Quest = nil // it goes on there
		}
		p.Notices = append(p.Notices, sp.Refused...)
	}
	if s.in.Journal.Rebuilt != nil && s.in.Memory != journal.MemoryFound {
		p.Notices = append(p.Notices, rebuiltNotice(s.in.Memory))
	}
	s.notes()
}

// takeIssue says what a step does by a report for an issue.
func takeIssue(in Input, c Claim) Plan {
	s := newIssueStep(in)
	return s.decideBy(append(slices.Clip(issueAccounting), row{"R", "a report is there", func(s *step) bool { return s.accountIssue(c) }, nil}))
}

func (s *step) accountIssue(c Claim) bool {
	r := c.Report
	var asked journal.Handoff
	for _, h := range s.all {
		if h.Number == r.Handoff.Number {
			asked = h
		}
	}
	out := handoff.Out{}
	for _, h := range s.in.Journal.Handoffs {
		out = handoff.Out{Number: h.Number, Head: h.Head, Step: stepOf(h), At: h.At, Deadline: h.Deadline, Extensions: h.Extensions, Narrowed: true}
	}
	if r.Step == "" {
		r.Step = handoff.Fix
	}
	v := handoff.Check(r, handoff.Context{PR: s.snap.Number, Head: r.Head, Known: knownTexts(s.snap), Out: out, Now: s.now, CommitsKnown: true, Commits: named(r)})
	s.plan.Account = &Account{Number: r.Handoff.Number, Head: asked.Head, Step: r.Step, Status: string(r.Status), Said: journal.Mark(r.NextAction), Verdict: v}
	switch {
	case asked.Withdrawn:
		return s.decide(ReportStale, "hand-over %d was withdrawn", asked.Number)
	case v.Kind == handoff.Refused:
		return s.decide(ReportStale, "the report was refused")
	case v.Kind == handoff.Stale:
		return s.decide(ReportStale, "%s", v.Problems[0].Says)
	case strings.HasPrefix(asked.Reported, string(handoff.Complete)), asked.Reported != "" && asked.Reported == reportKey(s.plan.Account):
		return s.decide(ReportStale, "hand-over %d has this report already", asked.Number)
	case s.quest == nil || agentStep(&s.quest.Quest) != r.Step && stands(&s.quest.Quest) != stateOf(r.Step):
		return s.decide(ReportStale, "the quest is past the step %s", r.Step)
	}
	if v.Late {
		s.plan.Notices = append(s.plan.Notices, "The report came after its deadline; it counts all the same")
	}
	return s.answerIssue(r, v)
}

// stateOf is where a quest stands while this step is done.
func stateOf(step handoff.Step) quest.State {
	return map[handoff.Step]quest.State{
		handoff.Research: quest.Researching, handoff.Reproduce: quest.Reproducing, handoff.Plan: quest.Reproducing, handoff.Fix: quest.Patching,
	}[step]
}

// knownTexts are the ids that a report for an issue may name.
func knownTexts(snap *pr.Snapshot) []string {
	list, _ := Texts(snap)
	ids := make([]string, len(list))
	for i, f := range list {
		ids[i] = f.ID
	}
	return ids
}

// named are the commits that a report names: they are on a branch that no pull
// request shows yet, so there is nothing to hold them against.
func named(r handoff.Report) []pr.SHA {
	var list []pr.SHA
	for _, it := range r.Items {
		if it.Commit != "" && !slices.Contains(list, it.Commit) {
			list = append(list, it.Commit)
		}
	}
	return list
}

// answerIssue enters what a report brings, and posts it: the journal keeps no
// stranger's words.
func (s *step) answerIssue(r handoff.Report, v handoff.Verdict) bool {
	n := r.Handoff.Number
	id, ref := "report@"+strconv.Itoa(n), quest.Ref("hand-over "+strconv.Itoa(n))
	e := quest.Event{ID: id, At: s.now, Evidence: quest.Refs{ref}}
	switch v.Next.Kind {
	case handoff.Park, handoff.Narrow:
		s.plan.Account.Park = FixerParked
		s.enter(quest.Event{ID: id + ".blocked", Type: quest.Pause, Reason: string(FixerParked), Actor: "github"})
		s.post(n, "**Not done**", r.NextAction)
		return s.decide(FixerParked, "%s", "the "+words(r.Step)+" is not complete, and gets no more time")
	case handoff.Extend:
		return s.decide(ReportAccepted, "the %s gets %d minutes more", words(r.Step), v.Next.Minutes)
	case handoff.Nothing:
	}
	switch r.Step { //nolint:exhaustive // The check knows which step was asked for.
	case handoff.Research:
		e.Type, e.Hypothesis = quest.ResearchDone, ref
		s.enter(e)
		s.postFound(n, r.Findings)
	case handoff.Reproduce:
		s.reproduced(e, r, ref)
	case handoff.Plan:
		e.Type, e.Plan, e.Evidence = quest.PlanWritten, ref, nil
		s.enter(e)
		s.post(n, "**Plan**", r.NextAction)
	default:
		s.post(n, "**Fix**", r.NextAction)
	}
	return s.decide(ReportAccepted, "the %s of hand-over %d is there", words(r.Step), n)
}

// reproduced: a command that fails shows what the issue describes.
func (s *step) reproduced(e quest.Event, r handoff.Report, ref quest.Ref) {
	n := r.Handoff.Number
	i := slices.IndexFunc(r.Checks, func(c handoff.Command) bool { return c.Exit != 0 })
	e.Evidence = nil
	if i < 0 {
		e.Type, e.Reason = quest.NotReproducible, "no command fails"
		s.enter(e)
		s.post(n, "**Not reproduced**: no command fails.", r.NextAction)
		return
	}
	e.Type, e.Check = quest.Reproduced, quest.Ref(fmt.Sprintf("command %d of %s", i+1, ref))
	if strings.TrimSpace(r.NextAction) != "" {
		e.Plan = ref
	}
	s.enter(e)
	s.post(n, fmt.Sprintf("**Reproduced**: the command %s ends with %d.", s.in.Quote.Code(r.Checks[i].Cmd), r.Checks[i].Exit), r.NextAction)
}

// post posts what a report says in one comment, once.
func (s *step) post(number int, head, text string) {
	c := effect.Comment{Topic: fmt.Sprintf("%s%d", answersTopic, number)}
	c.Body = fmt.Sprintf("%s (hand-over %d)\n", head, number)
	if text = strings.TrimSpace(text); text != "" {
		c.Body += "\n" + s.in.Quote.Text(text) + "\n"
	}
	c.Body += "\n" + c.Marker()
	s.plan.Effects = append(s.plan.Effects, c)
}

// mostFound is how many findings of a research are posted.
const mostFound = 20

func (s *step) postFound(number int, list []handoff.Found) {
	var b strings.Builder
	fmt.Fprintf(&b, "**Research** (hand-over %d)\n\n", number)
	for i, f := range list {
		if i == mostFound {
			fmt.Fprintf(&b, "- … and %d more\n", len(list)-i)
			break
		}
		b.WriteString("- ")
		if f.Path != "" {
			where := f.Path
			if f.Line > 0 {
				where += ":" + strconv.Itoa(f.Line)
			}
			b.WriteString(s.in.Quote.Code(where) + ": ")
		}
		b.WriteString(s.in.Quote.Text(f.Message) + "\n")
	}
	c := effect.Comment{Topic: fmt.Sprintf("%s%d", answersTopic, number)}
	c.Body = b.String() + "\n" + c.Marker()
	s.plan.Effects = append(s.plan.Effects, c)
}

// enterIssue is the journal with what people commanded, and with where the quest
// goes. What a report brings is noted once it is posted (settleIssue).
func enterIssue(j journal.Journal, in Input, p Plan) journal.Journal {
	j = renew(j, in)
	for _, o := range p.Heard {
		j = obey(j, o)
	}
	if p.Account == nil {
		j = keepQuest(j, p)
	}
	return j
}

// settleIssue is the journal after the effects of p came to results.
func settleIssue(j journal.Journal, in Input, p Plan, results []effect.Result, now time.Time) journal.Journal {
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	posted := p.Account == nil || len(p.Effects) == 0
	for _, r := range results {
		if r.Outcome == effect.Failed && r.Right != "" {
			j = journal.Refuse(j, journal.Refusal{Key: r.Effect.Key(), Right: r.Right, Via: via(in.UserToken)})
		}
		if e, ok := r.Effect.(effect.Comment); ok {
			if r.Outcome == effect.Done || r.Outcome == effect.AlreadySo {
				j = journal.Tell(j, journal.Told{Topic: e.Topic, Head: e.Head})
			}
			posted = posted || strings.HasPrefix(e.Topic, answersTopic) && r.Outcome != effect.Stale
		}
		if e, ok := r.Effect.(effect.React); ok {
			j = journal.AnsweredBy(j, e.Comment, e.Content)
		}
	}
	j = enterIssue(j, in, p)
	if a := p.Account; a != nil && posted && a.Verdict.Kind == handoff.Accepted && p.Code != ReportStale {
		j = keepQuest(j, p)
		extended := a.Verdict.Next.Kind == handoff.Extend
		j = journal.Change(j, a.Number, func(h *journal.Handoff) {
			h.Reported = reportKey(a)
			if extended {
				h.Deadline = h.Deadline.Add(time.Duration(a.Verdict.Next.Minutes) * time.Minute)
				h.Extensions++
			}
		})
	}
	if p.Handoff != nil {
		j = journal.HandOff(j, *p.Handoff)
	}
	switch {
	case p.Final != nil:
		j.Final = p.Final
		if p.Code == Left {
			j = endLoop(j, p)
		}
		if p.Code == IssueInherited || p.Code == IssueClosed {
			j = journal.Withdraw(j)
		}
		if p.Heir != 0 {
			j.Other = p.Heir
		}
	case p.Code == Left, p.Code == IssueInherited:
	case in.Snapshot.State == pr.Open && j.Orders.Stopped == nil:
		j.Final, j.Other = nil, 0
	}
	return j
}

// What goes on an issue by command.
var onIssues = []command.Word{
	command.Start, command.Pause, command.Resume, command.Stop, command.Retry, command.Approve, command.Revise, command.Reject,
	command.Claim, command.Release, command.Status,
}

// listenOnIssue hears the new commands on an issue, as listen does on a pull
// request.
func listenOnIssue(in Input) (after Input, heard []Obeyed, notices []string, needs []pr.Fact) {
	list := unheardOnIssue(in)
	if len(list) > 0 && !in.Snapshot.WritersRead {
		return in, nil, nil, []pr.Fact{pr.FactPermission}
	}
	for _, c := range list {
		may, known := in.Snapshot.Writers[c.Author]
		if !known {
			notices = append(notices, fmt.Sprintf("The command of comment %d is not heard yet: whether its author may write here could not be read", c.ID))
			continue
		}
		s := newIssueStep(in)
		o := Obeyed{Now: s.now}
		o.Comment, o.At, o.Word = c.ID, c.At, string(c.Word)
		if o.Reply = s.refusesOnIssue(c, may); o.Reply == "" {
			o.Reply = s.obeyOnIssue(c, &o)
		}
		if o.Reply == replyUnknown {
			o.Near = near(c.Typed)
		}
		o.Reaction = replies[o.Reply].reaction
		if s.quest != nil && len(s.quest.Added) > 0 && (o.Reply == replyDone || o.Reply == replyRecorded) {
			in.Journal.Quest = s.quest.Kept()
		}
		in.Journal = obey(in.Journal, o)
		heard = append(heard, o)
	}
	return in, heard, notices, nil
}

func unheardOnIssue(in Input) []command.Command {
	snap := in.Snapshot
	var list []command.Command
	for i := range snap.Comments {
		c, ok := command.Of(&snap.Comments[i])
		if !ok {
			continue
		}
		if _, heard := in.Journal.Orders.HeardOf(c.ID, c.At); !heard {
			list = append(list, c)
		}
	}
	s := &step{in: in, snap: snap, now: snap.At}
	if len(list) == 0 || snap.Missing(pr.FactComments) != nil || !listens(in) || in.Leaving || !s.labelled() {
		return nil
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].At.Before(list[j].At) })
	if since := leftSince(in); !since.IsZero() && in.Memory == journal.MemoryNone {
		list = slices.DeleteFunc(list, func(c command.Command) bool { return c.Word != command.Start || !c.At.After(since) })
	}
	return list[:min(len(list), mostHeard)]
}

func (s *step) refusesOnIssue(c command.Command, may bool) string {
	_, known := command.Find(c.Word)
	switch {
	case !may:
		return replyForbidden
	case !known:
		return replyUnknown
	case !slices.Contains(onIssues, c.Word):
		return replyNotHere
	case !c.Fits:
		return replyMisused
	case s.leftBefore(c):
		return replyLeft
	case s.snap.State != pr.Open:
		return replyOver
	case s.heldFrom(c):
		return replyClaimed
	}
	return ""
}

// obeyOnIssue weighs a command, enters what it is to the quest, and returns the
// reply.
func (s *step) obeyOnIssue(c command.Command, o *Obeyed) string {
	orders, sp := s.in.Journal.Orders, s.quest
	e := quest.Event{ID: commentID(c.ID, c.At.Unix()), At: c.At, Actor: string(c.Author), Admin: s.snap.Admins[c.Author], By: quest.Person}
	if sp == nil {
		return replyNoCheckpoint
	}
	switch c.Word { //nolint:exhaustive // refusesOnIssue lets no other through.
	case command.Status:
		return replyTold
	case command.Start:
		f := s.in.Journal.Final
		return doneUnless(orders.Stopped == nil && orders.Started != nil && s.leftSince().IsZero() && (f == nil || f.At.Before(orders.Started.At)))
	case command.Claim:
		e.Type = quest.Claim
		return s.commanded(e)
	case command.Release:
		if e.Type = quest.Release; sp.Quest.State != quest.HandedOff {
			return replyUnclaimed
		}
		return s.commanded(e)
	case command.Pause:
		if e.Type = quest.Pause; !orders.Paused.IsZero() {
			return replySo
		}
		if sp.Quest.State.Active() {
			return s.commanded(e)
		}
		return replyDone
	case command.Stop:
		if e.Type = quest.Kill; orders.Stopped != nil {
			return replySo
		}
		return s.commanded(e)
	case command.Resume, command.Retry:
		return s.resumeOnIssue(e, orders)
	}
	return s.decideOnIssue(c, o, e)
}

// resumeOnIssue goes on after a pause or a stop that holds. After a research that
// was all that was asked for it goes on to the fix.
func (s *step) resumeOnIssue(e quest.Event, orders journal.Orders) string {
	q := &s.quest.Quest
	e.Type = quest.Resume
	if q.State != quest.Parked || !orders.Paused.IsZero() && q.ParkReason != quest.Paused {
		return doneUnless(orders.Paused.IsZero()) // a pause over a stop gives way to the stop
	}
	if q.ParkReason == quest.ResearchComplete {
		s.enter(quest.Event{ID: e.ID + ".route", At: e.At, Type: quest.Reroute, Route: quest.AutoFix, Actor: e.Actor, By: quest.Person})
	}
	return s.commanded(e)
}

// decideOnIssue is a person's decision at the checkpoint at hand, or on a budget.
func (s *step) decideOnIssue(c command.Command, o *Obeyed, e quest.Event) string {
	q := &s.quest.Quest
	if strings.EqualFold(c.Args0(), "spend") {
		if s.in.Journal.HandedOver < s.in.Settings.Budgets.HandoffsPerPullRequest {
			return replyNoSpend
		}
		o.Spent.Handoffs = s.in.Journal.HandedOver
		return replyDone
	}
	at, asked := quest.At(q.State), quest.Checkpoint(strings.ToUpper(c.Args0()))
	switch {
	case at == "", q.PlanPending:
		return replyNoCheckpoint
	case asked != "" && asked != at:
		return replyOtherCheckpoint
	}
	e.Type, e.CP, e.Rev = quest.Decision, at, q.Rev
	e.Verdict = map[command.Word]quest.Verdict{command.Approve: quest.Approve, command.Revise: quest.Revise, command.Reject: quest.Reject}[c.Word]
	was := q.State
	if reply := s.commanded(e); reply != replyDone {
		return reply
	}
	if q.State == was && !q.PlanPending {
		return replyRecorded
	}
	return replyDone
}
