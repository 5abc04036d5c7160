package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// Every pull request in the loop is a quest (design 3, Quest; seed 002). The
// journal has it as events. A step first enters what the world shows beside them
// (observe), the rows of the order decide, and what they decide is entered last
// (conclude). Both look at where the quest stands and at the world, never at what
// started the run, so a step that was not written down is made the same again.

// A Spine is the quest of a pull request within one step.
type Spine struct {
	Quest  quest.Quest
	Policy quest.Policy
	// Was is the quest before this step, Added what the step enters.
	Was   journal.Quest
	Added []quest.Event
	// Wishes are the effects that Added asks for, oldest first.
	Wishes []quest.Effect
	// Refused says in our words which events the table did not take.
	Refused []string
}

// Kept is what the journal keeps of it.
func (sp *Spine) Kept() *journal.Quest { return sp.Was.With(sp.Added...) }

// trail names the quests of a pull request: owner/name#number/which. It has no
// colon, since keys have.
func trail(p *pr.Snapshot, number int) string {
	return p.Repo.String() + "#" + strconv.Itoa(p.Number) + "/" + strconv.Itoa(number)
}

// policyOf is the quest's policy by the settings that are in force.
func policyOf(set config.Settings) quest.Policy {
	p := quest.DefaultPolicy()
	p.Checkpoints = quest.Checkpoints{A: quest.Mode(set.Checkpoints.A), B: quest.Mode(set.Checkpoints.B), C: quest.Mode(set.Checkpoints.C)}
	if set.Checkpoints.C == config.CheckpointAuto || set.Checkpoints.C == "" {
		p.Checkpoints.C = quest.Blocking
		if set.AutoMerge.Enabled && !set.HumanMergeOnly {
			p.Checkpoints.C = quest.Advisory // its decision is that of the gates
		}
	}
	p.MaxAttempts = set.FixIterationCap
	return p
}

// spine is the quest as the journal and the world show it; nil where there is
// none, because prloop never had anything to do with the pull request while it
// was open.
func (s *step) spine() *Spine {
	if !s.observed {
		s.observed = true
		s.observe()
	}
	return s.quest
}

// observe enters what the world shows.
func (s *step) observe() {
	snap := s.snap
	if !snap.Found || snap.Missing(pr.FactPullRequest) != nil {
		return
	}
	kept := s.in.Journal.Quest
	if kept == nil && snap.State != pr.Open && !s.acted() {
		return
	}
	policy := policyOf(s.in.Settings)
	switch {
	case kept == nil && s.in.Inherited != nil:
		s.inherit(*s.in.Inherited)
	case kept == nil:
		s.begin(1, policy)
	default:
		q, err := quest.After(kept.From, kept.Events, kept.Policy)
		was := quest.PolicyAfter(kept.Policy, kept.Events)
		s.quest = &Spine{Quest: q, Policy: was, Was: *kept}
		if err != nil {
			// Every event in it was accepted once, so somebody changed it.
			s.quest.Was = journal.Quest{Number: kept.Number, Policy: was, From: q, Folded: kept.Folded}
			s.quest.Refused = append(s.quest.Refused, "The journal's quest is damaged and goes on from where it could be read: "+err.Error())
		}
		if q.State == "" { // one that is to begin, after a journal that was lost
			s.begin(kept.Number, policy)
		}
		if q.State.Terminal() && snap.State == pr.Open && s.in.Journal.Orders.Stopped == nil && s.leftSince().IsZero() {
			s.begin(kept.Number+1, policy)
		}
	}
	if snap.Missing(pr.FactConfig) == nil {
		s.changePolicy(policy)
	}
	s.observeParent()
	s.observeBase()
	s.observeHead()
	switch q := &s.quest.Quest; {
	case snap.State == pr.Merged && receivedBack(s.in.Journal):
	case snap.State == pr.Merged && q.State == quest.Landing:
		s.enter(quest.Event{ID: s.mergeID(), At: snap.MergedAt, Type: quest.Landed, Commit: string(snap.MergeCommit)})
	case snap.State == pr.Merged && !landedAlready(q) && q.ReturnTo != quest.Landing:
		s.enter(quest.Event{ID: s.mergeID(), At: snap.MergedAt, Type: quest.LandedOutside, Commit: string(snap.MergeCommit)})
	case snap.State == pr.Merged && q.ReturnTo == quest.Landing:
		s.enter(quest.Event{ID: s.mergeID(), At: snap.MergedAt, Type: quest.Landed, Commit: string(snap.MergeCommit)})
	case snap.State == pr.Closed && !q.State.Terminal():
		// Whoever closed it was allowed to: a claim does not keep it open.
		s.enter(quest.Event{ID: "closed@" + snap.ID, Type: quest.Kill, Actor: "github", Admin: true})
	}
}

// landedAlready: nothing is left to land.
func landedAlready(q *quest.Quest) bool {
	return q.State.Terminal() || slices.Contains([]quest.State{quest.Watching, quest.RolledBack}, q.State) ||
		slices.Contains([]quest.State{quest.Watching, quest.RolledBack}, q.ReturnTo) || q.Commit != ""
}

func (s *step) mergeID() string {
	if s.snap.MergeCommit == "" {
		return "merge@" + string(s.snap.Head)
	}
	return "merge@" + string(s.snap.MergeCommit)
}

// begin starts a quest: the pull request is the signal. Its head is entered as
// the first one, which is its author's.
func (s *step) begin(number int, policy quest.Policy) {
	snap := s.snap
	from := quest.New(trail(snap, number))
	sp := &Spine{Quest: from, Policy: policy, Was: journal.Quest{Number: number, Policy: policy, From: from}}
	if s.quest != nil {
		sp.Refused = s.quest.Refused
	}
	s.quest = sp
	opened := "opened@" + snap.ID
	s.enter(quest.Event{
		ID: opened, At: snap.CreatedAt, Type: quest.SignalReceived, Signal: quest.Ref(opened),
		Fingerprint: snap.Repo.String() + "#" + strconv.Itoa(snap.Number), Risk: s.risk(), Base: base(snap),
	})
	s.enter(s.triage(opened))
	s.enter(quest.Event{ID: "push@" + string(snap.Head), At: s.facts.HeadAt, Type: quest.HumanRevision, Head: string(snap.Head)})
}

// risk says whose change it is: a proof is bound to it.
func (s *step) risk() string {
	switch {
	case s.snap.Fork():
		return "fork"
	case s.snap.Author.Bot:
		return "bot"
	}
	return "own"
}

// base is the base branch as the quest knows it: its name, and where it stood.
func base(p *pr.Snapshot) string { return p.Base.Name + "@" + string(p.Base.OID) }

// changePolicy enters another policy than the one that held.
func (s *step) changePolicy(to quest.Policy) {
	if s.quest.Policy != to && !s.quest.Quest.State.Terminal() {
		s.enter(quest.Event{ID: s.serial("policy"), Type: quest.PolicyChanged, Policy: &to})
	}
}

// observeBase enters that the pull request has another base branch, or that its
// base moved in a way that matters: GitHub asks for an update, or sees a
// conflict (reference/quest.md A7). A busy base moves all day.
func (s *step) observeBase() {
	q, now := &s.quest.Quest, base(s.snap)
	if q.Base == now || q.State.Terminal() || s.snap.State != pr.Open {
		return
	}
	same := strings.HasPrefix(q.Base, s.snap.Base.Name+"@")
	if same && s.snap.MergeState != "BEHIND" && s.snap.MergeState != "DIRTY" || q.State == quest.Landing && same {
		return
	}
	s.enter(quest.Event{ID: "base@" + string(s.snap.Base.OID), Type: quest.BaseChanged, Base: now})
}

// observeHead enters a new head. In patching it is the patch, whoever pushed it,
// once the job that works there has reported; elsewhere it is a person's
// revision.
func (s *step) observeHead() {
	q, head := &s.quest.Quest, string(s.snap.Head)
	if q.PatchHead == head || q.State.Terminal() || s.snap.State != pr.Open {
		return
	}
	e := quest.Event{ID: "push@" + head, At: s.facts.HeadAt, Type: quest.HumanRevision, Head: head}
	if at := stands(q); at == quest.Patching {
		if h, out := s.out(); out && h.Reported == "" {
			return
		}
		e.Type = quest.PatchWritten
	} else if at == quest.Watching || at == quest.RolledBack {
		return
	}
	s.enter(e)
}

// stands is the state of a quest, or of a held one the state that it goes back
// to.
func stands(q *quest.Quest) quest.State {
	if q.State.Held() {
		return q.ReturnTo
	}
	return q.State
}

// enter takes one event. What the table refuses changes nothing and is told. It
// reports whether the event was taken, or was absorbed.
func (s *step) enter(e quest.Event) bool {
	sp := s.quest
	if sp.Quest.Applied.Has(e.ID) {
		e.ID = s.serial(e.ID)
	}
	e.At = e.At.UTC().Truncate(time.Second)
	if sp.Added == nil {
		sp.Added = make([]quest.Event, 0, 8) // a quest that begins with its first findings
	}
	n := len(sp.Added)
	sp.Added = append(sp.Added, e)
	wishes, taken, err := quest.Take(&sp.Quest, &sp.Added[n], sp.Policy)
	if err != nil || !taken {
		sp.Added = sp.Added[:n]
	}
	if err != nil {
		sp.Refused = append(sp.Refused, "The quest takes no "+string(e.Type)+" ("+e.ID+"): "+refusal(err))
		return false
	}
	if taken && e.Policy != nil {
		sp.Policy = *e.Policy
	}
	sp.Wishes = append(sp.Wishes, wishes...)
	return true
}

// refusal is why the table refuses an event, with the state.
func refusal(err error) string {
	if i, ok := err.(*quest.Invalid); ok { //nolint:errorlint // Step returns nothing else.
		return fmt.Sprintf("at %s, %s", i.State, i.Reason)
	}
	return err.Error()
}

// serial is an id that no event of the quest has: the same object may come about
// a second time, and some events have no object.
func (s *step) serial(of string) string {
	return of + "." + strconv.Itoa(s.quest.Was.Folded+len(s.quest.Was.Events)+len(s.quest.Added)+1)
}

// parks are the codes of stops that hold until somebody says how it goes on
// (design 7): the quest is parked for them.
var parks = []Code{
	PausedByCommand, ReadyPaused, FixIterationCap, PushbackCap, RoundCapReached, WallClockCap, ThirdRaise, Oscillation, TamperPause, FixerParked, NoReport,
	RecapHandoff, ReviewerBlocked, FinalPassDisagrees, FinalPassSilent, NotSubmitted, Stalled, ReviewWaitCap, CIWaitCap, AgentInactive, AgentPaused, AgentPushbackCap, AgentRewrote, AgentRefuses, AgentContent,
	SingleIncomplete, RegressionSeen, RevertClosed, RevertFailed,
}

// unseeing are the codes of a step that says nothing of the pull request: the
// quest stays as it is.
var unseeing = []Code{FactUnknown, RateLimited, ReadOnlyToken, HeadMoved, LiveOwner, NeedsReconcile, NotWritable, Unavailable, MissingRight, ModeDrift}

// proven are the codes of a head that has converged.
var proven = []Code{
	Converged, LowSignal, CapClean, DirectGate, SingleDone,
	ApprovalNeeded, ApprovedByHand, MergeClosed, BaseNotAllowed, ReadyDraft, MergeChecks, MergeWithoutChecks, ChangesRequested, ThreadsOpen, NothingToMerge,
	MergeConflicts, MergeBehind, MergeBlocked, LandRefused, MergeTakenBack, MergeStuck, MergeStateUnknown, WaitingForMerge,
}

// withFixer are the codes of findings that are with the fixer.
var withFixer = []Code{FeedbackOpen, HandoffDue, HandedOver, AgentAsked, WaitingForAgent, ReportIncomplete}

// conclude enters what the step decided.
func (s *step) conclude() {
	sp := s.spine()
	if sp == nil {
		return
	}
	code := s.plan.Code
	q := &sp.Quest
	switch {
	case s.plan.Decision == Skip || slices.Contains(unseeing, code) || len(s.plan.Needs) > 0:
	case code == StoppedByCommand, code == Rejected, code == Left:
		if !q.State.Terminal() {
			s.enter(quest.Event{ID: s.serial("stop@" + string(s.snap.Head)), Type: quest.Kill, Actor: "github", Admin: true})
		}
	default:
		s.unpark(code)
		switch {
		case slices.Contains(parks, code):
			s.park(code)
		case slices.Contains(withFixer, code):
			s.toward(quest.Patching)
		case slices.Contains(proven, code), s.plan.Converged.Converged && slices.Contains(behind, code):
			s.toward(quest.Ready)
		}
		s.concludeWatch(code)
	}
	s.plan.Quest = sp
	s.plan.Notices = append(s.plan.Notices, sp.Refused...)
}

// causes are the quest's effects by what delivers them on GitHub, by the type of
// the effect (design 3, the second table). The newest wish of one of the kinds
// is the one that is delivered.
var causes = map[string][]quest.EffectType{
	effect.RequestReview{}.Type(): {quest.RunProof, quest.StartAgent},
	effect.Mention{}.Type():       {quest.RunProof, quest.StartAgent},
	effect.Comment{}.Type():       {quest.RequestCheckpoint, quest.NotifyInbox},
	effect.React{}.Type():         {quest.ReplyComment},
	effect.Merge{}.Type():         {quest.Land},
	effect.DisarmMerge{}.Type():   {quest.StopAgent},
	effect.UpdateBranch{}.Type():  {quest.Rebase},
	effect.Revert{}.Type():        {quest.Rollback},
}

// because notes which of the quest's effects the step delivers.
func (s *step) because() {
	p := &s.plan
	if p.Quest == nil {
		return
	}
	for _, e := range p.Effects {
		if key := p.Quest.newest(causes[e.Type()]...); key != "" {
			if p.Causes == nil {
				p.Causes = map[effect.Key]string{}
			}
			p.Causes[e.Key()] = key
		}
	}
	if p.Handoff != nil {
		p.Handoff.Cause = p.Quest.newest(quest.StartAgent)
	}
}

// newest is the key of the newest wish of one of these types; empty where the
// quest has none.
func (sp *Spine) newest(types ...quest.EffectType) string {
	if len(types) == 0 {
		return ""
	}
	last := func(list []quest.Effect) string {
		for _, w := range slices.Backward(list) {
			if slices.Contains(types, w.Type) {
				return w.Key
			}
		}
		return ""
	}
	if key := last(sp.Wishes); key != "" {
		return key
	}
	_, _, before, _ := sp.Was.Fold()
	return last(before)
}

// keepQuest is j with the quest of p.
func keepQuest(j journal.Journal, p Plan) journal.Journal {
	if p.Quest != nil && p.Decision != Skip {
		j.Quest = p.Quest.Kept()
	}
	return j
}

// unpark resumes a quest whose stop holds no more: a new head came, or people
// dealt with what was open. A pause ends by a command alone.
func (s *step) unpark(code Code) {
	q := &s.quest.Quest
	reason := Code(q.ParkReason)
	if q.State != quest.Parked || q.ParkReason == quest.Paused || reason == code || code == FixIterationCap && q.ParkReason == quest.AttemptsExhausted {
		return
	}
	if q.ParkReason == quest.AttemptsExhausted || slices.Contains(parks, reason) {
		s.enter(quest.Event{ID: s.serial("push@" + string(s.snap.Head)), At: s.facts.HeadAt, Type: quest.Resume, By: quest.Person})
	}
}

// park parks the quest for a stop that holds.
func (s *step) park(code Code) {
	q := &s.quest.Quest
	if code == FixIterationCap && stands(q) == quest.Proving && q.State != quest.Parked {
		s.failed()
	}
	if !q.State.Active() {
		return // parked for it already, or claimed
	}
	reason := string(code)
	if code == PausedByCommand || code == ReadyPaused {
		reason = quest.Paused
	}
	s.enter(quest.Event{ID: s.serial("stop@" + string(s.snap.Head)), Type: quest.Pause, Reason: reason, Actor: "github"})
}

// toward takes the quest as far toward a state as the modes of its checkpoints
// allow. What it passes has no step of its own: nothing is configured that would
// reproduce a finding or write a plan, so both are done in the step that finds
// the work (design 3).
func (s *step) toward(target quest.State) {
	q := &s.quest.Quest
	for moved := true; moved && q.State != target; {
		moved = s.pass(target)
	}
}

// pass makes one move toward target, and reports whether it did.
func (s *step) pass(target quest.State) bool {
	q := &s.quest.Quest
	was, ran := q.State, q.ProofPending
	object, at := s.object()
	switch q.State { //nolint:exhaustive // From every other state nothing leads there.
	case quest.Researching:
		if s.sentBack(quest.A) {
			return false
		}
		s.enter(quest.Event{ID: object, At: at, Type: quest.ResearchDone, Hypothesis: s.hypothesis(object), Evidence: quest.Refs{quest.Ref(object)}})
	case quest.Hypothesised:
		s.decideAt(quest.A, object, at)
	case quest.Reproducing:
		s.enter(quest.Event{ID: object + ".reproduced", At: at, Type: quest.Reproduced, Check: "none configured", Plan: s.hypothesis(object)})
	case quest.Planned:
		if q.PlanPending && s.sentBack(quest.B) {
			return false
		}
		if q.PlanPending {
			return s.enter(quest.Event{ID: object + ".plan", At: at, Type: quest.PlanWritten, Plan: s.hypothesis(object)}) && !q.PlanPending
		}
		s.decideAt(quest.B, object, at)
	case quest.Patching:
		if s.sentBack(quest.C) {
			return false
		}
		s.enter(quest.Event{ID: "push@" + string(s.snap.Head) + ".patch", At: s.facts.HeadAt, Type: quest.PatchWritten, Head: string(s.snap.Head)})
	case quest.Proving, quest.HandedOff:
		switch {
		case q.State == quest.HandedOff && !q.ProofPending:
		case target == quest.Ready:
			s.proved()
		default:
			s.failed()
		}
	case quest.Ready, quest.Landing:
		if target != quest.Patching {
			return false
		}
		if q.State == quest.Landing {
			return s.enter(quest.Event{ID: object + ".found", At: at, Type: quest.HumanRevision, Head: string(s.snap.Head)})
		}
		// A reviewer that finds something after the proof sends it back.
		s.enter(quest.Event{ID: object + ".found", At: at, Type: quest.Decision, CP: quest.C, Verdict: quest.Revise, By: quest.Person, Actor: s.finder()})
	}
	return q.State != was || q.ProofPending != ran
}

// decideAt is prloop's own decision at a checkpoint. It counts where the
// checkpoint is advisory; in shadow it is put on record, once.
func (s *step) decideAt(cp quest.Checkpoint, object string, at time.Time) {
	mode := s.quest.Policy.Checkpoints.A
	if cp == quest.B {
		mode = s.quest.Policy.Checkpoints.B
	}
	on := slices.ContainsFunc(s.quest.Quest.Decisions, func(d quest.Decided) bool { return d.CP == cp })
	if mode == quest.Blocking || mode == quest.Shadow && on {
		return
	}
	s.enter(quest.Event{
		ID: object + "." + string(cp), At: at, Type: quest.Decision, CP: cp, Verdict: quest.Approve, By: quest.Automatic, Evidence: quest.Refs{quest.Ref(object)},
	})
}

// object names what GitHub shows as the newest word on the head: its review,
// else the push itself.
func (s *step) object() (id string, at time.Time) {
	if r := newestReview(s.facts); r != nil {
		return "review@" + r.ID, r.SubmittedAt
	}
	return "push@" + string(s.snap.Head) + ".seen", s.facts.HeadAt
}

// finder is who found what is open: the author of the first finding.
func (s *step) finder() string {
	for _, f := range s.facts.Awaiting {
		if f.Author != "" {
			return string(f.Author)
		}
	}
	return "github"
}

// hypothesis says in our words what there is to do.
func (s *step) hypothesis(object string) quest.Ref {
	if n := len(s.facts.Awaiting); n > 0 {
		return quest.Ref(count(n, "finding", "findings") + " of " + object)
	}
	return "no finding"
}

// failed enters that the proof of the head failed: something is open there. The
// quest's bound is fixIterationCap and no cap of its own, so where the loop goes
// on the bound does too.
func (s *step) failed() {
	sp := s.quest
	if p := sp.Policy; s.plan.Code != FixIterationCap && sp.Quest.Attempts+1 >= p.MaxAttempts {
		p.MaxAttempts = sp.Quest.Attempts + 2
		s.changePolicy(p)
	}
	object, at := s.object()
	s.enter(quest.Event{ID: object, At: at, Type: quest.ProofFailed, Reason: string(s.hypothesis(object))})
}

// proved enters the proof of the head. The bundle names the proof of convergence
// by its digest; where the head has converged without one, it says by what.
func (s *step) proved() {
	q := &s.quest.Quest
	by := string(s.plan.Copilot.State) // the direct gate asks for no proof
	if s.plan.Proof != nil {
		by = s.plan.Proof.Digest
	}
	bundle, err := json.Marshal(bundle{q.ProofBase, q.PatchHead, by, q.ID, q.Rev, q.Risk})
	digest := ""
	if err == nil {
		digest, err = quest.Digest(bundle)
	}
	if err != nil {
		panic(fmt.Sprintf("plan: a bundle is texts and a number: %v", err))
	}
	const short = 12
	s.enter(quest.Event{ID: "proof@" + digest[:short], At: s.now, Type: quest.ProofSucceeded, Bundle: bundle, Digest: digest})
}

// A bundle is what a proof of the quest is bound to (seed 002, "Proof
// completion"), in canonical order.
type bundle struct {
	Base    string `json:"base"`
	Head    string `json:"head"`
	Proof   string `json:"proof"`
	QuestID string `json:"questId"`
	Rev     int    `json:"rev"`
	Risk    string `json:"risk"`
}

// commandsOf are the commands in comments by which people do what the table
// allows; a decision is on the checkpoint at hand.
var commandsOf = map[quest.EventType][]command.Word{
	quest.Decision: {command.Approve, command.Revise, command.Reject},
	quest.Pause:    {command.Pause},
	quest.Resume:   {command.Resume},
	quest.Kill:     {command.Stop},
	quest.Claim:    {command.Claim},
	quest.Release:  {command.Release},
}

// Allowed are the commands that the quest would not refuse now.
func (sp *Spine) Allowed() []string {
	list := []string{}
	for _, e := range quest.Allowed(sp.Quest, sp.Policy) {
		for _, w := range commandsOf[e] {
			word := string(w)
			if cp := quest.At(sp.Quest.State); cp != "" && w == command.Approve {
				word += " " + string(cp)
			}
			list = append(list, word)
		}
	}
	return list
}
