package quest

import (
	"slices"
	"time"
)

// The conditions of the table.
var (
	otherNamed = cond{"of names another quest", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Of != "" && e.Of != q.ID
	}}
	parentNamed = cond{"parent names another quest", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Parent != "" && e.Parent != q.ID
	}}
	hypothesisGiven = cond{"with a hypothesis", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Hypothesis != "" }}
	checkGiven      = cond{"with a failing check", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Check != "" }}
	planGiven       = cond{"with a plan", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Plan != "" }}
	headGiven       = cond{"with a head", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Head != "" }}
	actorGiven      = cond{"somebody is named", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Actor != "" }}
	addressed       = cond{"it asks for an answer", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Addressed }}
	complete        = cond{"complete", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Complete }}

	planPending    = cond{"a plan is being written", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.PlanPending }}
	noPlanPending  = not("no plan is being written", planPending)
	rebasePending  = cond{"a rebase is due", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.RebasePending }}
	proofPending   = cond{"a proof runs", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.ProofPending }}
	spendPending   = cond{"a spend waits", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.SpendPending }}
	noSpendPending = not("no spend waits", spendPending)
	busy           = cond{"work is going on", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.Busy() }}
	isChild        = cond{"it has a parent", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.Parent != "" }}
	lostBefore     = cond{"for the second time", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.Lost > 0 }}
	agentAtWork    = cond{"an agent is at work", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool {
		return q.State != Planned || q.PlanPending
	}}
	wasWatchedClean = cond{"the watch ended clean", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.WatchedClean }}
	cDoesNotBind    = cond{"C no longer binds", func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return !q.CBinds() }}
	flagDiffers     = cond{"the blocking flag is another one", func(_ *machine, q *Quest, _ *Event, p *Policy) bool {
		return q.CheckpointPending != nil && q.CheckpointPending.Blocking != (p.mode(q.CheckpointPending.CP) == Blocking)
	}}

	attemptsLeft = cond{"attempts remain", func(_ *machine, q *Quest, _ *Event, p *Policy) bool { return q.Attempts+1 < p.MaxAttempts }}
	rebasesLeft  = cond{"rebases remain", func(_ *machine, q *Quest, _ *Event, p *Policy) bool { return q.Rebases < p.RebaseCap }}
	freshAsked   = cond{"requireFreshBase", func(_ *machine, _ *Quest, _ *Event, p *Policy) bool { return p.RequireFreshBase }}
	// A base that is named and is the known one has not moved.
	baseMoved = cond{"to another commit", func(_ *machine, q *Quest, e *Event, _ *Policy) bool { return e.Base == "" || e.Base != q.Base }}
	baseStays = not("to the known commit", baseMoved)
	newHead   = cond{"a new head", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Head != "" && e.Head != q.PatchHead
	}}
	bundleMatches = cond{"the bundle and its digest match", func(_ *machine, q *Quest, e *Event, p *Policy) bool {
		return bundleFault(q, e, p) == ""
	}}
	// A signal belongs here if it has our fingerprint, or somebody has said so.
	ours = cond{"with our fingerprint", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Fingerprint == q.Fingerprint || e.Fingerprint == "" && e.Type == SignalAdded
	}}
	regressionIsOurs = cond{"with our fingerprint", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return (e.Fingerprint == "" || e.Fingerprint == q.Fingerprint) && (e.Quest == "" || e.Quest == q.ID)
	}}
	sameCommit = cond{"the commit that is watched", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Commit == "" || e.Commit == q.Commit
	}}

	byOwner = cond{"by the one who claimed it", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Actor == q.Owner
	}}
	byOwnerOrAdmin = cond{"by the one who claimed it, or an administrator", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		return e.Actor == q.Owner || e.Admin
	}}
	notLanded  = not("not landed yet", goesBackTo(Watching, RolledBack))
	notWaiting = not("it waits for no parent", parkedFor(WaitingParent))
	// What a pause parked anybody may resume; what ran into an end is a
	// person's to take back.
	mayResume = cond{"by a person, or nothing but a pause", func(_ *machine, q *Quest, e *Event, _ *Policy) bool {
		switch q.ParkReason {
		case CannotReproduce, AttemptsExhausted, ResearchComplete, LandRefusedReason, RebaseCapReached, AgentLostReason, WaitingParent:
			return e.By != Automatic
		default:
			return true
		}
	}}
)

func routed(routes ...Route) cond {
	return cond{"to " + commas(routes), func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return slices.Contains(routes, e.Route) }}
}

func routeIs(r Route) cond {
	return cond{"route " + string(r), func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.Route == r }}
}

func verdictIs(v Verdict) cond {
	return cond{string(v), func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.Verdict == v }}
}

func goesBackTo(states ...State) cond {
	return cond{"from " + commas(states), func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return slices.Contains(states, q.ReturnTo) }}
}

func parkedFor(reason string) cond {
	return cond{"for " + reason, func(_ *machine, q *Quest, _ *Event, _ *Policy) bool { return q.ParkReason == reason }}
}

// decides holds where this verdict acts, by the decision matrix.
func decides(v Verdict) cond {
	return cond{string(v), func(m *machine, q *Quest, e *Event, p *Policy) bool {
		if e.Verdict != v {
			return false
		}
		got, _ := m.rule(q, e, p)
		return got == acts
	}}
}

// decidesAny holds where the matrix gives this ruling, whatever the verdict.
func decidesAny(r ruling) cond {
	return cond{string(r), func(m *machine, q *Quest, e *Event, p *Policy) bool {
		got, _ := m.rule(q, e, p)
		return got == r
	}}
}

// commas is values between commas.
func commas[T ~string](values []T) string {
	text := ""
	for i, v := range values {
		if i > 0 {
			text += ", "
		}
		text += string(v)
	}
	return text
}

// The changes of the table.

func begin(q *Quest, e *Event, _ *Policy) {
	q.Rev = 1
	q.Signals = append(q.Signals, e.Signal)
	q.Fingerprint, q.Risk, q.Base = e.Fingerprint, e.Risk, e.Base
	q.Severity, q.SeverityFloor = e.Severity, e.Severity
}

func setRoute(q *Quest, e *Event, _ *Policy) {
	q.Route = e.Route
	if e.Risk != "" {
		q.Risk = e.Risk
	}
	if e.Base != "" {
		q.Base = e.Base
	}
}

// waitForParent keeps the route that triage would have given; without one the
// child is fixed.
func waitForParent(q *Quest, e *Event, p *Policy) {
	q.Parent, q.ReturnTo, q.Route = e.Parent, Researching, AutoFix
	if e.Then == ResearchOnly {
		q.Route = ResearchOnly
	}
	park(WaitingParent)(q, e, p)
}

// mute counts from the event's own time, because deciding has no clock.
func mute(q *Quest, e *Event, p *Policy) {
	q.MutedUntil = e.At.Add(time.Duration(p.MuteHours * float64(time.Hour)))
}

func addEvidence(q *Quest, e *Event, _ *Policy) { q.Evidence = append(q.Evidence, e.Evidence...) }

func addResults(q *Quest, e *Event, _ *Policy) {
	if e.Results != "" {
		q.Evidence = append(q.Evidence, e.Results)
	}
}

func addChild(q *Quest, e *Event, _ *Policy) {
	if e.Child != "" && !slices.Contains(q.Children, e.Child) {
		q.Children = append(q.Children, e.Child)
	}
	q.Evidence = append(q.Evidence, e.Evidence...)
}

func addSignal(q *Quest, e *Event, _ *Policy) {
	q.Signals = append(q.Signals, e.Signal)
	q.Severity = max(q.Severity, e.Severity)
}

func addUsage(q *Quest, e *Event, _ *Policy) {
	i, found := slices.BinarySearchFunc(q.Usage, e.Unit, func(u Usage, unit string) int {
		switch {
		case u.Unit < unit:
			return -1
		case u.Unit > unit:
			return 1
		}
		return 0
	})
	if !found {
		q.Usage = slices.Insert(q.Usage, i, Usage{Unit: e.Unit})
	}
	q.Usage[i].Receipts++
	q.Usage[i].Amount += e.Amount
}

// decided puts a decision that counts on record, over the last one at this
// checkpoint; heard puts one there that moves nothing.
func decided(q *Quest, e *Event, _ *Policy) { record(q, e, true) }
func heard(q *Quest, e *Event, _ *Policy)   { record(q, e, false) }

func record(q *Quest, e *Event, counts bool) {
	q.Decisions = slices.DeleteFunc(q.Decisions, func(d Decided) bool { return d.CP == e.CP })
	q.Decisions = append(q.Decisions, Decided{e.CP, e.Verdict, decider(e), e.Actor, counts})
}

func approve(q *Quest, e *Event, _ *Policy) {
	a := &Approval{Rev: q.Rev, By: decider(e), Actor: e.Actor}
	switch e.CP {
	case A:
		q.Approvals.A = a
	case B:
		q.Approvals.B = a
	case C:
		a.Digest, a.Base, a.Head = q.Proof.Digest, q.Base, q.PatchHead
		q.Approvals.C = a
	}
}

func setCheck(q *Quest, e *Event, _ *Policy)      { q.Check = e.Check }
func planNeeded(q *Quest, _ *Event, _ *Policy)    { q.PlanPending = true }
func planDone(q *Quest, _ *Event, _ *Policy)      { q.PlanPending = false }
func noAttempts(q *Quest, _ *Event, _ *Policy)    { q.Attempts = 0 }
func noRebases(q *Quest, _ *Event, _ *Policy)     { q.Rebases = 0 }
func countLost(q *Quest, _ *Event, _ *Policy)     { q.Lost++ }
func countRebase(q *Quest, _ *Event, _ *Policy)   { q.Rebases++ }
func rebaseNeeded(q *Quest, _ *Event, _ *Policy)  { q.RebasePending = true }
func proofRuns(q *Quest, _ *Event, _ *Policy)     { q.ProofPending = true }
func proofRan(q *Quest, _ *Event, _ *Policy)      { q.ProofPending = false }
func proofFromHere(q *Quest, _ *Event, _ *Policy) { q.ProofBase = q.Base }
func clearC(q *Quest, _ *Event, _ *Policy)        { q.Approvals.C = nil }
func dropRequest(q *Quest, _ *Event, _ *Policy)   { q.CheckpointPending = nil }
func setOwner(q *Quest, e *Event, _ *Policy)      { q.Owner = e.Actor }
func setCommit(q *Quest, e *Event, _ *Policy)     { q.Commit = e.Commit }
func spendAsked(q *Quest, _ *Event, _ *Policy)    { q.SpendPending = true }
func spendAnswered(q *Quest, _ *Event, _ *Policy) { q.SpendPending = false }
func watchedClean(q *Quest, _ *Event, _ *Policy)  { q.WatchedClean = true }
func unwatched(q *Quest, _ *Event, _ *Policy)     { q.WatchedClean = false }

func clearProof(q *Quest, _ *Event, _ *Policy) {
	q.Proof, q.Approvals.C = nil, nil
}

// countAttempt: the proof and what was approved of it are gone either way. A
// proof of a patch that came while every attempt was used up counts no more.
func countAttempt(q *Quest, e *Event, p *Policy) {
	q.Attempts = min(q.Attempts+1, max(1, p.MaxAttempts))
	clearProof(q, e, p)
}

func setPatch(q *Quest, e *Event, p *Policy) {
	q.PatchHead, q.RebasePending = e.Head, false
	if e.Base != "" {
		q.Base = e.Base
	}
	clearProof(q, e, p)
}

func setProof(q *Quest, e *Event, _ *Policy) {
	q.Proof = &Proof{Digest: e.Digest, Rev: q.Rev, Base: q.ProofBase, Head: q.PatchHead, Stale: q.ProofBase != q.Base}
	q.Approvals.C = nil
}

// setBase notes where the base is now. A proof of an older one is stale.
func setBase(q *Quest, e *Event, _ *Policy) {
	if e.Base == "" {
		return
	}
	q.Base = e.Base
	if q.Proof != nil {
		proof := *q.Proof
		proof.Stale = proof.Base != q.Base
		q.Proof = &proof
	}
}

func setHead(q *Quest, e *Event, _ *Policy) {
	if e.Head != "" {
		q.PatchHead = e.Head
	}
}

// revise takes a person's new head: the revision that was proved is over.
func revise(q *Quest, e *Event, p *Policy) {
	q.Rev++
	q.PatchHead, q.Attempts, q.Decisions = e.Head, 0, nil
	clearProof(q, e, p)
}

// startOver begins the next revision from research, with nothing of the last
// one but its history.
func startOver(q *Quest, e *Event, p *Policy) {
	q.Rev++
	q.Approvals, q.Decisions, q.Attempts, q.Rebases, q.PatchHead, q.ProofBase = Approvals{}, nil, 0, 0, "", ""
	q.PlanPending, q.RebasePending, q.ProofPending, q.SpendPending, q.WatchedClean = false, false, false, false, false
	q.Ended, q.Commit, q.Note = "", "", ""
	clearProof(q, e, p)
}

// reopen keeps the identity and the floor of the severity.
func reopen(q *Quest, e *Event, _ *Policy) {
	q.Signals = append(q.Signals, e.Signal)
	q.Severity = max(q.SeverityFloor, e.Severity)
}

func endWatch(q *Quest, e *Event, _ *Policy) {
	q.Ended = endedWatchedClean
	if e.Reason != "" {
		q.Ended = e.Reason
	}
}

func landOutside(q *Quest, e *Event, _ *Policy) {
	q.Commit, q.Note = e.Commit, landedOutsideWords
	q.PlanPending, q.RebasePending, q.SpendPending = false, false, false
}

func parkAsTold(q *Quest, e *Event, _ *Policy) {
	q.ParkReason = Paused
	if e.Reason != "" {
		q.ParkReason = e.Reason
	}
}

func park(reason string) act  { return func(q *Quest, _ *Event, _ *Policy) { q.ParkReason = reason } }
func returnTo(s State) act    { return func(q *Quest, _ *Event, _ *Policy) { q.ReturnTo = s } }
func ended(reason string) act { return func(q *Quest, _ *Event, _ *Policy) { q.Ended = reason } }

// The effects of the table.
var (
	runTriage        = ask{effect: RunTriage}
	startResearch    = ask{effect: StartAgent, step: researchStep}
	startReproduce   = ask{effect: StartAgent, step: reproduceStep}
	startPlan        = ask{effect: StartAgent, step: planStep}
	startPatch       = ask{effect: StartAgent, step: patchStep}
	stopAgent        = ask{effect: StopAgent}
	stopIfBusy       = ask{effect: StopAgent, when: when{busy}}
	runProof         = ask{effect: RunProof}
	runProbes        = ask{effect: RunProbes}
	requestSpend     = ask{effect: RequestSpend}
	startRespondent  = ask{effect: StartRespondentRun}
	landIt           = ask{effect: Land}
	rebase           = ask{effect: Rebase}
	rollback         = ask{effect: Rollback}
	startWatch       = ask{effect: StartWatch}
	registerProbe    = ask{effect: RegisterRegressionProbe}
	resumeDependents = ask{effect: ResumeDependents}

	// request carries the flag of the policy as it is now.
	request = ask{effect: RequestCheckpoint, fill: func(w *Effect, q *Quest, _ *Event, p *Policy) {
		s := q.State
		if w.Held = s == HandedOff; w.Held {
			s = q.ReturnTo
		}
		w.CP = checkpointOf(s)
		w.Blocking = p.mode(w.CP) == Blocking
	}}
	mergeSignal   = ask{effect: MergeSignal, fill: func(w *Effect, q *Quest, _ *Event, _ *Policy) { w.To = q.ID }}
	mergeSignalOf = ask{effect: MergeSignal, fill: func(w *Effect, _ *Quest, e *Event, _ *Policy) { w.To = e.Of }}
	childEvidence = ask{effect: DeliverChildEvidence, when: when{isChild}, fill: func(w *Effect, q *Quest, _ *Event, _ *Policy) { w.To = q.Parent }}

	muteFingerprint = ask{effect: MuteFingerprint, fill: func(w *Effect, _ *Quest, _ *Event, p *Policy) { w.Hours = p.MuteHours }}
)

// replyIfAsked is what a comment that asks for one gets.
var replyIfAsked = ask{effect: ReplyComment, when: when{addressed}}

func inbox(text string) ask { return ask{effect: NotifyInbox, text: text} }

func reply(text string) ask { return ask{effect: ReplyComment, text: text} }

func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}
