package quest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An invariant is one sentence that no step, or no whole sequence, may break.
// It is written without the table: what it knows of the machine is in it.
type invariant struct {
	id, says string
	step     func(s *seen) string
	// dear looks at a step, too, but takes further ones: at some steps only.
	dear func(s *seen) string
	// node looks at where a quest is, whatever comes next.
	node func(s *seen) string
	// whole looks at a sequence of accepted and absorbed events.
	whole func(m *machine, past *past, p *Policy, r *rand.Rand) string
}

// invariants are P1 to P44 of the life cycle.
var invariants = []invariant{
	{id: "P01", says: "the same arguments give the same answer, and stay as they were", dear: deterministic},
	{id: "P02", says: "after the end everything but usage and a regression is absorbed", step: terminalAbsorbs},
	{id: "P03", says: "usage is recorded in every state, and changes nothing else", step: usageAlways},
	{id: "P04", says: "usage is the sum of the receipts", step: usageIsTheSum},
	{id: "P05", says: "an invalid event changes nothing and says where it was", step: invalidChangesNothing},
	{id: "P06", says: "an event id that was applied does nothing", dear: duplicateDoesNothing},
	{id: "P07", says: "a fold is its steps, and stops at the first invalid one", whole: foldIsSteps},
	{id: "P08", says: "a snapshot and the rest are the whole", whole: snapshotAndRest},
	{id: "P09", says: "no key is there twice", step: keysAreUnique},
	{id: "P10", says: "no text of the payload is in a key", dear: keysHaveNoText},
	{id: "P11", says: "the revision grows by one, and only where it may", step: revisionGrows},
	{id: "P12", says: "only the published edges are there", step: onlyTheseEdges},
	{id: "P13", says: "landing begins by an approval of C alone, and C holds in it", step: landingNeedsC},
	{id: "P14", says: "C binds revision, digest, base and head when landing begins", step: cBindsAtLanding},
	{id: "P15", says: "watching, closed and rolled_back are entered from their own states alone", step: afterLanding},
	{id: "P16", says: "ready needs a proof that matches", step: readyNeedsProof},
	{id: "P17", says: "proof, signal in proof, base and human revision take C back", step: cIsTakenBack},
	{id: "P18", says: "held quests know an active state to go back to, others none", step: returnToHolds},
	{id: "P19", says: "pause and resume change nothing", node: pauseAndResume},
	{id: "P20", says: "claim and release change nothing", node: claimAndRelease},
	{id: "P21", says: "a claim has one owner, and nothing else has one", step: ownerIsHeld},
	{id: "P22", says: "a claimed review refuses commands, and is left by its own ways alone", step: claimRefuses},
	{id: "P23", says: "a failed proof ends a claim", step: failedProofEndsClaim},
	{id: "P24", says: "attempts stay within their bound", step: attemptsAreBounded},
	{id: "P25", says: "research only never patches", step: researchOnly},
	{id: "P26", says: "in shadow no decision moves", step: shadowMovesNothing},
	{id: "P27", says: "in blocking no automatic decision moves", step: blockingWaits},
	{id: "P28", says: "without a decision nothing passes a checkpoint", step: checkpointsHold},
	{id: "P29", says: "an automatic decision without evidence is invalid", step: evidenceIsNeeded},
	{id: "P30", says: "a checkpoint is asked for once when it is reached, with its flag", step: checkpointIsAsked},
	{id: "P31", says: "forge writes and mutes belong to their transitions", step: writesBelong},
	{id: "P32", says: "kill and reject abandon, and stop what works", step: killStops},
	{id: "P33", says: "the severity is never below its floor, which never falls", step: severityFloor},
	{id: "P34", says: "id, fingerprint and first signal stay", step: identityStays},
	{id: "P35", says: "one agent at a time", step: oneAgent},
	{id: "P36", says: "a quest that is neither held nor over can move", node: canMove},
	{id: "P37", says: "one command abandons every quest that is not over", node: canBeKilled},
	{id: "P38", says: "a child waits until its parent has landed", step: childWaits},
	{id: "P39", says: "no signal is lost", step: signalsAreKept},
	{id: "P40", says: "a quest survives its spelling, with what it does not know", dear: roundTrip},
	{id: "P41", says: "a bundle with one byte changed is refused", dear: digestHolds},
	{id: "P42", says: "independent events change places freely", dear: placesChange},
	{id: "P43", says: "no effect depends on the clock", dear: noClock},
	{id: "P44", says: "after a crash exactly the undelivered effects are left", whole: undeliveredIsLeft},
}

func deterministic(s *seen) string {
	again, effects, err := s.m.step(*s.before, s.e, *s.p)
	switch {
	case flatten(s.before) != s.was:
		return fmt.Sprintf("the argument became %+v", flatten(s.before))
	case flatten(&again) != s.is || !slices.Equal(effects, s.effects) || (err == nil) != (s.err == nil):
		return fmt.Sprintf("the second answer is %+v %+v %v", flatten(&again), effects, err)
	}
	return ""
}

func terminalAbsorbs(s *seen) string {
	if s.was.state != Closed && s.was.state != Abandoned || s.e.Type == UsageReceipt {
		return ""
	}
	if s.was.state == Closed && s.e.Type == RegressionMatched && s.e.Fingerprint == s.was.fingerprint {
		return ""
	}
	if s.err != nil || s.is != s.was || len(s.effects) > 0 {
		return fmt.Sprint("it did something: ", s.err)
	}
	return ""
}

func usageAlways(s *seen) string {
	if s.e.Type != UsageReceipt || s.was.state == unborn || s.before.Applied.Has(s.e.ID) {
		return ""
	}
	want := s.was
	want.receipts++
	want.amount += s.e.Amount
	want.applied++
	if s.err != nil || s.is != want || len(s.effects) > 0 {
		return fmt.Sprint("it did not just count: ", s.err)
	}
	return ""
}

func usageIsTheSum(s *seen) string {
	if s.past == nil {
		return ""
	}
	if s.e.Type == UsageReceipt && s.was.state != unborn && !s.past.receipt[s.e.ID] {
		s.past.receipt[s.e.ID] = true
		s.past.amount += s.e.Amount
	}
	if s.is.amount != s.past.amount || s.is.receipts != len(s.past.receipt) {
		return fmt.Sprintf("%v in %d receipts, want %v in %d", s.is.amount, s.is.receipts, s.past.amount, len(s.past.receipt))
	}
	return ""
}

func invalidChangesNothing(s *seen) string {
	if s.err == nil {
		if s.e.Type == "no_such_event" && !s.was.state.Terminal() || s.e.ID == "" {
			return "what is no event was taken"
		}
		return ""
	}
	invalid, ok := errors.AsType[*Invalid](s.err)
	if !ok || invalid.State != s.was.state || invalid.Event != s.e.Type || invalid.Reason == "" {
		return fmt.Sprint("the error does not name state and event: ", s.err)
	}
	if s.is != s.was || len(s.effects) > 0 {
		return "it did something"
	}
	return ""
}

func duplicateDoesNothing(s *seen) string {
	if !s.moved() {
		return ""
	}
	again, effects, err := s.m.step(s.after, s.e, *s.p)
	if err != nil || len(effects) > 0 || flatten(&again) != s.is {
		return fmt.Sprintf("the second time it led to %+v, %+v, %v", flatten(&again), effects, err)
	}
	return ""
}

func foldIsSteps(m *machine, past *past, p *Policy, r *rand.Rand) string {
	// One event that has no place is put in somewhere.
	at := r.IntN(len(past.events) + 1)
	events := slices.Insert(slices.Clone(past.events), at, Event{ID: "wrong", Type: "no_such_event"})
	q := New("trail")
	var want []Effect
	first := -1
	for i, e := range events {
		next, effects, err := m.step(q, e, *p)
		if err != nil {
			first = i
			break
		}
		q, want = next, append(want, effects...)
	}
	got, effects, err := m.fold(New("trail"), events, *p)
	index := -1
	if invalid, ok := errors.AsType[*Invalid](err); ok {
		index = invalid.Index
	}
	if flatten(&got) != flatten(&q) || !slices.Equal(effects, want) || index != first {
		return fmt.Sprintf("fold: %+v, invalid at %d; steps: %+v, invalid at %d", flatten(&got), index, flatten(&q), first)
	}
	return ""
}

func snapshotAndRest(m *machine, past *past, p *Policy, r *rand.Rand) string {
	whole, effects, err := m.fold(New("trail"), past.events, *p)
	k := r.IntN(len(past.events) + 1)
	q, first, err1 := m.fold(New("trail"), past.events[:k], *p)
	q, second, err2 := m.fold(q, past.events[k:], *p)
	if flatten(&q) != flatten(&whole) || !slices.Equal(slices.Concat(first, second), effects) || err != nil || err1 != nil || err2 != nil {
		return fmt.Sprintf("cut at %d of %d: %+v, whole: %+v (%v %v %v)", k, len(past.events), flatten(&q), flatten(&whole), err, err1, err2)
	}
	return ""
}

func keysAreUnique(s *seen) string {
	for i, e := range s.effects {
		parts := strings.SplitN(e.Key, ":", 6)
		if len(parts) != 5 || parts[2] != string(e.Type) || parts[1] != strconv.Itoa(s.is.rev) {
			return fmt.Sprintf("%q is no key of %s at revision %d", e.Key, e.Type, s.is.rev)
		}
		for _, before := range s.effects[:i] {
			if before.Key == e.Key {
				return e.Key
			}
		}
		if s.past == nil {
			continue
		}
		if s.past.keys[e.Key] {
			return e.Key
		}
		s.past.keys[e.Key] = true
	}
	return ""
}

func keysHaveNoText(s *seen) string {
	if len(s.effects) == 0 {
		return ""
	}
	other := s.e
	other.Text, other.Reason = "other words", "other words"
	if other.Signal != "" {
		other.Signal = "other words"
	}
	if other.Hypothesis != "" {
		other.Hypothesis = "other words"
	}
	_, effects, _ := s.m.step(*s.before, other, *s.p)
	if !slices.EqualFunc(effects, s.effects, func(a, b Effect) bool { return a.Key == b.Key }) {
		return fmt.Sprintf("with other words: %+v", effects)
	}
	return ""
}

func revisionGrows(s *seen) string {
	if s.was.state == unborn {
		return ""
	}
	may := s.e.Type == RollbackReceipt && s.e.Complete || s.e.Type == RegressionMatched ||
		s.e.Type == HumanRevision && s.e.Head != "" && s.e.Head != s.was.head
	if d := s.is.rev - s.was.rev; d != 0 && (d != 1 || !may) {
		return fmt.Sprintf("by %d on %s", d, s.e.Type)
	}
	must := s.e.Type == RollbackReceipt && s.e.Complete || s.e.Type == RegressionMatched
	if must && s.moved() && s.is.rev == s.was.rev {
		return "it did not grow"
	}
	return ""
}

// edges is the published adjacency of the states; landed_outside leads to
// watching from everywhere besides.
var edges = map[State][]State{
	unborn:       {Sensed},
	Sensed:       {Triaged, Researching, Parked, Abandoned},
	Triaged:      {Researching, Parked, Abandoned},
	Researching:  {Hypothesised, Parked, Abandoned},
	Hypothesised: {Reproducing, Researching, Parked, HandedOff, Abandoned},
	Reproducing:  {Planned, Parked, Abandoned},
	Planned:      {Patching, Parked, HandedOff, Abandoned},
	Patching:     {Proving, Parked, Abandoned},
	Proving:      {Ready, Patching, Parked, Abandoned},
	Ready:        {Landing, Patching, Proving, Parked, HandedOff, Abandoned},
	Landing:      {Watching, Patching, Proving, Ready, Parked, Abandoned},
	Watching:     {Closed, RolledBack, Parked, Abandoned},
	RolledBack:   {Researching, Parked, Abandoned},
	Closed:       {Researching},
	Parked:       {Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching, Proving, Ready, Landing, Watching, RolledBack, Abandoned, Closed},
	HandedOff:    {Hypothesised, Planned, Ready, Proving, Patching, Parked, Abandoned},
	Abandoned:    {},
}

func onlyTheseEdges(s *seen) string {
	from, to := s.was.state, s.is.state
	if from == to || s.e.Type == LandedOutside && to == Watching && from != unborn && !from.Terminal() {
		return ""
	}
	// A watch that ended clean during a pause closes on resume.
	if from == Parked && to == Closed && (s.was.returnTo != Watching || !s.was.watched || s.e.Type != Resume) {
		return "closed from " + string(s.was.returnTo)
	}
	if !slices.Contains(edges[from], to) {
		return fmt.Sprintf("%s to %s", from, to)
	}
	if to == Closed && from != Watching && from != Parked || to == Researching && from == Closed && s.e.Type != RegressionMatched {
		return fmt.Sprintf("%s to %s on %s", from, to, s.e.Type)
	}
	return ""
}

func landingNeedsC(s *seen) string {
	inLanding := func(f *flat) bool { return f.state == Landing || f.returnTo == Landing }
	if s.is.state == Landing && !binds(&s.is) {
		return "in landing without an approval that binds"
	}
	if !inLanding(&s.is) || inLanding(&s.was) {
		return ""
	}
	if s.was.state != Ready || s.e.Type != Decision || s.e.CP != C || s.e.Verdict != Approve {
		return fmt.Sprintf("landing from %s on %s", s.was.state, s.e.Type)
	}
	return ""
}

func binds(f *flat) bool {
	return f.hasC && f.hasProof && f.c.Rev == f.rev && f.c.Digest == f.proof.Digest && f.c.Base == f.base && f.c.Head == f.head
}

func cBindsAtLanding(s *seen) string {
	if s.is.state == Landing && s.was.state != Landing && !binds(&s.is) {
		return fmt.Sprintf("it binds %+v", s.is.c)
	}
	return ""
}

func afterLanding(s *seen) string {
	if s.e.Type == LandedOutside {
		return ""
	}
	from := func(f *flat) State {
		if f.state == Parked {
			return f.returnTo
		}
		return f.state
	}
	was, is := from(&s.was), from(&s.is)
	ok := true
	switch {
	case was == is:
	case is == Watching:
		ok = was == Landing && s.e.Type == Landed
	case is == Closed:
		ok = was == Watching
	case is == RolledBack:
		ok = was == Watching && s.e.Type == RegressionSeen
	}
	if !ok {
		return fmt.Sprintf("%s from %s on %s", is, was, s.e.Type)
	}
	return ""
}

func readyNeedsProof(s *seen) string {
	goes := func(f *flat) bool { return f.state == Ready || f.returnTo == Ready && !f.proofRuns }
	if !goes(&s.is) {
		return ""
	}
	if !s.is.hasProof || s.is.proof.Head != s.is.head || s.is.proof.Rev != s.is.rev || s.is.proof.Digest == "" {
		return fmt.Sprintf("the proof is %+v", s.is.proof)
	}
	if s.e.Type != ProofSucceeded || !s.moved() {
		return ""
	}
	var b bundle
	text, err := Canonical(s.e.Bundle)
	if err != nil || json.Unmarshal(text, &b) != nil || b.QuestID != s.was.id || b.Rev != s.was.rev || b.Risk != s.was.risk ||
		b.Base != s.was.proofBase || b.Head != s.was.head || b.Head == "" {
		return fmt.Sprintf("the bundle is %s", s.e.Bundle)
	}
	return ""
}

func cIsTakenBack(s *seen) string {
	if !s.moved() || !s.is.hasC {
		return ""
	}
	proving := s.was.state == Proving || s.was.proofRuns
	switch {
	case s.e.Type == ProofSucceeded, s.e.Type == HumanRevision, s.e.Type == BaseChanged, s.e.Type == SignalAdded && proving:
		return fmt.Sprintf("it stands after %s", s.e.Type)
	}
	return ""
}

func returnToHolds(s *seen) string {
	switch {
	case s.is.state == Parked && !slices.Contains(edges[Parked][:12], s.is.returnTo):
		return fmt.Sprintf("parked goes back to %q", s.is.returnTo)
	case s.is.state == Parked && s.is.reason == "":
		return "parked for nothing"
	case s.is.state == HandedOff && checkpointOf(s.is.returnTo) == "":
		return fmt.Sprintf("handed_off goes back to %q", s.is.returnTo)
	case s.is.state != Parked && s.is.state != HandedOff && (s.is.returnTo != "" || s.is.reason != ""):
		return fmt.Sprintf("%s goes back to %q (%s)", s.is.state, s.is.returnTo, s.is.reason)
	}
	return ""
}

// unchanged is a quest without what a round trip through a held state may
// change: the ids that were applied, and the request that was made again.
func unchanged(f flat) flat {
	f.applied, f.lost = 0, 0
	f.hasPending, f.pending = false, Pending{}
	f.proofBase = ""
	return f
}

func pauseAndResume(s *seen) string {
	q := *s.before
	if !slices.Contains(edges[Parked][:12], q.State) {
		return ""
	}
	parked, _, err := s.then(q, Event{Type: Pause})
	if err != nil || parked.State != Parked {
		return fmt.Sprintf("paused to %s: %v", parked.State, err)
	}
	resumed, effects, err := s.then(parked, Event{Type: Resume})
	if err != nil || unchanged(flatten(&resumed)) != unchanged(s.was) {
		return fmt.Sprintf("resumed to %+v: %v", flatten(&resumed), err)
	}
	if len(effects) != 1 {
		return fmt.Sprintf("resuming asks for %+v", effects)
	}
	return ""
}

func claimAndRelease(s *seen) string {
	q := *s.before
	if checkpointOf(q.State) == "" || q.PlanPending {
		return ""
	}
	held, _, err := s.then(q, Event{Type: Claim, Actor: "mona"})
	if err != nil || held.State != HandedOff || held.Owner != "mona" {
		return fmt.Sprintf("claimed to %s: %v", held.State, err)
	}
	if _, _, err := s.then(held, Event{Type: Claim, Actor: "hubot"}); err == nil {
		return "somebody else could claim it too"
	}
	back, _, err := s.then(held, Event{Type: Release, Actor: "mona"})
	if err != nil || unchanged(flatten(&back)) != unchanged(s.was) {
		return fmt.Sprintf("released to %+v: %v", flatten(&back), err)
	}
	return ""
}

func ownerIsHeld(s *seen) string {
	if (s.is.owner != "") != (s.is.state == HandedOff) {
		return fmt.Sprintf("the owner is %q in %s", s.is.owner, s.is.state)
	}
	if s.was.state == HandedOff && s.is.state == HandedOff && s.was.owner != s.is.owner {
		return fmt.Sprintf("the owner was %q and is %q", s.was.owner, s.is.owner)
	}
	return ""
}

func claimRefuses(s *seen) string {
	if s.was.state != HandedOff || s.before.Applied.Has(s.e.ID) {
		return ""
	}
	owner := s.e.Actor == s.was.owner || s.e.Admin
	var ok, leaves bool
	refused := []EventType{TriageDecided, ProbesNeeded, SpendNeeded, Decision, SpendDecided, Pause, Resume, Reroute}
	switch e := s.e.Type; {
	case slices.Contains(refused, e):
	case e == Claim:
		ok = s.e.Actor == s.was.owner
	case e == Release, e == Kill:
		ok, leaves = owner, owner
	case e == ProofFailed, e == LandedOutside:
		ok, leaves = true, true
	default:
		ok = true
	}
	if !ok && s.err == nil {
		return fmt.Sprintf("%s by %q was taken", s.e.Type, s.e.Actor)
	}
	if !leaves && s.is.state != HandedOff {
		return fmt.Sprintf("left by %s to %s", s.e.Type, s.is.state)
	}
	return ""
}

func failedProofEndsClaim(s *seen) string {
	if s.was.state != HandedOff || s.e.Type != ProofFailed || s.err != nil || !s.moved() {
		return ""
	}
	if s.is.owner != "" || s.is.state != Patching && s.is.state != Parked {
		return fmt.Sprintf("%s of %q", s.is.state, s.is.owner)
	}
	return ""
}

func attemptsAreBounded(s *seen) string {
	if s.is.attempts > s.p.MaxAttempts {
		return fmt.Sprintf("%d of %d", s.is.attempts, s.p.MaxAttempts)
	}
	if s.e.Type == ProofFailed && s.moved() {
		if s.is.attempts != min(s.was.attempts+1, s.p.MaxAttempts) {
			return "the attempt is not counted"
		}
		if s.was.attempts+1 >= s.p.MaxAttempts && s.is.state != Parked {
			return "past the bound, and goes on"
		}
	}
	return ""
}

func researchOnly(s *seen) string {
	past := []State{Reproducing, Planned, Patching, Proving, Ready, Landing}
	if s.is.route == ResearchOnly && (slices.Contains(past, s.is.state) || slices.Contains(past, s.is.returnTo)) {
		return fmt.Sprintf("%s (%s)", s.is.state, s.is.returnTo)
	}
	return ""
}

func shadowMovesNothing(s *seen) string {
	if s.e.Type != Decision || s.p.mode(checkpointOf(s.was.state)) != Shadow || s.p.ShadowHumanOverride && s.e.By == Person {
		return ""
	}
	if s.is.state != s.was.state || len(s.effects) > 0 {
		return fmt.Sprintf("%s of %s led to %s", s.e.Verdict, s.e.By, s.is.state)
	}
	return ""
}

func blockingWaits(s *seen) string {
	if s.e.Type != Decision || s.e.By != Automatic || s.p.mode(checkpointOf(s.was.state)) != Blocking {
		return ""
	}
	if s.is.state != s.was.state || len(s.effects) > 0 {
		return fmt.Sprintf("%s led to %s", s.e.Verdict, s.is.state)
	}
	return ""
}

func checkpointsHold(s *seen) string {
	passes := s.was.state == Hypothesised && s.is.state == Reproducing || s.was.state == Planned && s.is.state == Patching ||
		s.was.state == Ready && s.is.state == Landing
	if passes && (s.e.Type != Decision || s.e.Verdict != Approve || s.e.CP != checkpointOf(s.was.state)) {
		return fmt.Sprintf("%s passed %s by %s", s.is.state, s.was.state, s.e.Type)
	}
	return ""
}

func evidenceIsNeeded(s *seen) string {
	if s.e.Type == Decision && s.e.By == Automatic && len(s.e.Evidence) == 0 && !s.was.state.Terminal() && s.err == nil && !s.before.Applied.Has(s.e.ID) {
		return "it was taken"
	}
	return ""
}

func checkpointIsAsked(s *seen) string {
	if !s.moved() {
		return ""
	}
	n := s.count(RequestCheckpoint)
	cp := checkpointOf(s.is.state)
	if s.is.state == HandedOff {
		cp = checkpointOf(s.is.returnTo)
	}
	if cp != "" && s.is.state != HandedOff && s.is.state != s.was.state && !s.is.plan && n != 1 {
		return fmt.Sprintf("%s is reached with %d requests", s.is.state, n)
	}
	if n > 0 && cp == "" {
		return fmt.Sprintf("a request in %s", s.is.state)
	}
	for _, e := range s.effects {
		if e.Type == RequestCheckpoint && (e.CP != cp || e.Blocking != (s.p.mode(cp) == Blocking) || e.Held != (s.is.state == HandedOff)) {
			return fmt.Sprintf("%+v", e)
		}
	}
	// While nobody holds it, a checkpoint that waits for a decision has a
	// standing request.
	if cp != "" && s.is.state != HandedOff && s.is.hasPending == s.is.plan {
		return fmt.Sprintf("in %s the standing request is %+v", s.is.state, s.is.pending)
	}
	return ""
}

func writesBelong(s *seen) string {
	rollsBack := s.is.state == RolledBack || s.is.state == Parked && s.is.returnTo == RolledBack
	for _, e := range s.effects {
		belongs := map[EffectType]bool{
			Land:            s.is.state == Landing && s.was.state != Landing,
			Rollback:        rollsBack && (s.e.Type == RegressionSeen || s.e.Type == Resume),
			Rebase:          s.is.state == Patching && s.is.rebase,
			MuteFingerprint: s.is.state == Abandoned && s.e.Route == Ignore,
		}
		if ok, asked := belongs[e.Type]; asked && !ok {
			return fmt.Sprintf("%s in %s", e.Type, s.is.state)
		}
	}
	switch {
	case s.is.state == Landing && s.was.state != Landing && s.count(Land) != 1:
		return "landing begins without land"
	case rollsBack && s.e.Type == RegressionSeen && s.moved() && s.count(Rollback) != 1:
		return "a regression without a rollback"
	}
	return ""
}

func killStops(s *seen) string {
	if s.err != nil || !s.moved() || s.e.Type != Kill && (s.e.Type != Decision || s.e.Verdict != Reject || s.is.state == s.was.state) {
		return ""
	}
	working := []State{Researching, Reproducing, Patching, Proving, Landing, Watching, RolledBack}
	works := slices.Contains(working, s.was.state) || s.was.state == Planned && s.was.plan || s.was.proofRuns
	if s.is.state != Abandoned {
		return "it ended in " + string(s.is.state)
	}
	if (s.count(StopAgent) == 1) != works {
		return fmt.Sprintf("%d stops in %s", s.count(StopAgent), s.was.state)
	}
	return ""
}

func severityFloor(s *seen) string {
	if s.is.severity < s.is.floor || s.is.floor < s.was.floor {
		return fmt.Sprintf("severity %d, floor %d after %d", s.is.severity, s.is.floor, s.was.floor)
	}
	return ""
}

func identityStays(s *seen) string {
	if s.is.id != s.was.id || s.was.state != unborn && (s.is.fingerprint != s.was.fingerprint || s.is.first != s.was.first) {
		return fmt.Sprintf("%q %q %q became %q %q %q", s.was.id, s.was.fingerprint, s.was.first, s.is.id, s.is.fingerprint, s.is.first)
	}
	return ""
}

func oneAgent(s *seen) string {
	if s.past == nil || !s.moved() {
		return ""
	}
	if slices.Contains([]EventType{ResearchDone, Reproduced, NotReproducible, PlanWritten, PatchWritten}, s.e.Type) {
		s.past.agents = 0
	}
	for _, e := range s.effects {
		if e.Type == StopAgent {
			s.past.agents = 0
		}
		if e.Type != StartAgent {
			continue
		}
		if s.past.agents++; s.past.agents > 1 {
			return fmt.Sprintf("%s begins beside another one", e.Step)
		}
	}
	if s.is.state.Terminal() && s.past.agents > 0 {
		return "one is still at work"
	}
	return ""
}

func canMove(s *seen) string {
	if !slices.Contains(edges[Parked][:12], s.was.state) {
		return ""
	}
	for _, k := range kinds {
		e := k(s.before)
		if e.Type == Kill || e.Type == Pause || e.Type == LandedOutside || e.Type == Claim {
			continue // these stop or leave it
		}
		if next, _, err := s.then(*s.before, e); err == nil && (next.State != s.was.state || next.PlanPending != s.was.plan) {
			return ""
		}
	}
	if s.p.mode(checkpointOf(s.was.state)) == Shadow && checkpointOf(s.was.state) != "" {
		return "" // shadow keeps it there, by its meaning
	}
	return "nothing moves it"
}

func canBeKilled(s *seen) string {
	if s.was.state == unborn || s.was.state.Terminal() {
		return ""
	}
	for _, e := range []Event{{Type: Kill, Actor: s.was.owner}, {Type: Kill, Actor: "nobody", Admin: true}} {
		if next, _, err := s.then(*s.before, e); err != nil || next.State != Abandoned {
			return fmt.Sprintf("it is in %s: %v", next.State, err)
		}
	}
	return ""
}

func childWaits(s *seen) string {
	if s.was.state != Parked || s.was.reason != WaitingParent || s.is.state == Parked && s.is.reason == WaitingParent {
		return ""
	}
	if slices.Contains([]EventType{ParentLanded, Kill, LandedOutside}, s.e.Type) || s.e.Type == Resume && s.e.By != Automatic {
		return ""
	}
	return fmt.Sprintf("it went to %s on %s", s.is.state, s.e.Type)
}

func signalsAreKept(s *seen) string {
	want := s.was.signals
	if slices.Contains([]EventType{SignalReceived, SignalAdded, RegressionMatched}, s.e.Type) && s.moved() {
		want++
	}
	if s.is.signals != want {
		return fmt.Sprintf("%d, want %d", s.is.signals, want)
	}
	if s.e.Type == SignalAdded && s.moved() && s.count(MergeSignal) != 1 {
		return "merge_signal is not asked for"
	}
	if s.e.Type == SignalAdded && s.err != nil && s.was.state != unborn {
		return fmt.Sprint("refused: ", s.err)
	}
	return ""
}

func roundTrip(s *seen) string {
	for _, q := range []Quest{s.after, withUnknown(s.after)} {
		text, err := json.Marshal(q)
		var back Quest
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || flatten(&back) != flatten(&q) || string(back.Rest["new"]) != string(q.Rest["new"]) {
			return fmt.Sprintf("%v: %s became %s", err, text, spelled(back))
		}
	}
	return ""
}

func withUnknown(q Quest) Quest {
	q.Rest = map[string]json.RawMessage{"new": json.RawMessage(`{"a":[1,2]}`)}
	return q
}

func digestHolds(s *seen) string {
	if s.e.Type != ProofSucceeded || !s.moved() {
		return ""
	}
	for i := range s.e.Bundle {
		e := s.e
		e.Bundle = bytes.Clone(s.e.Bundle)
		e.Bundle[i] ^= 1
		if next, _, err := s.m.step(*s.before, e, *s.p); err == nil {
			return fmt.Sprintf("%s was taken for %s, to %s", e.Bundle, s.e.Bundle, next.State)
		}
	}
	return ""
}

func placesChange(s *seen) string {
	if !s.moved() || s.was.state == unborn {
		return ""
	}
	inProof := s.was.state == Proving || s.is.state == Proving || s.was.proofRuns || s.is.proofRuns
	others := []Event{{Type: Comment, ID: "aside"}, {Type: UsageReceipt, Amount: 3, ID: "aside"}}
	if !inProof && s.e.Type != RegressionMatched {
		others = append(others, Event{Type: SignalAdded, Signal: "aside", Severity: 1, ID: "aside"})
	}
	for _, aside := range others {
		if aside.Type != UsageReceipt && (s.was.state.Terminal() || s.is.state.Terminal()) {
			continue // what comes after the end is absorbed
		}
		first, _, err1 := s.m.step(*s.before, aside, *s.p)
		first, _, err2 := s.m.step(first, s.e, *s.p)
		second, _, err3 := s.m.step(s.after, aside, *s.p)
		if flatten(&first) != flatten(&second) || err1 != nil || err2 != nil || err3 != nil {
			return fmt.Sprintf("%s before: %+v, after: %+v (%v %v %v)", aside.Type, flatten(&first), flatten(&second), err1, err2, err3)
		}
	}
	return ""
}

func noClock(s *seen) string {
	e := s.e
	e.At = e.At.Add(12345 * time.Second)
	_, effects, err := s.m.step(*s.before, e, *s.p)
	if !slices.Equal(effects, s.effects) || (err == nil) != (s.err == nil) {
		return fmt.Sprintf("later: %+v, %v", effects, err)
	}
	return ""
}

func undeliveredIsLeft(m *machine, past *past, p *Policy, r *rand.Rand) string {
	delivered := map[string]bool{}
	var want []Effect
	for _, e := range past.effects {
		if r.IntN(2) == 0 {
			delivered[e.Key] = true
		} else {
			want = append(want, e)
		}
	}
	_, effects, err := m.fold(New("trail"), past.events, *p)
	got := Undelivered(effects, func(key string) bool { return delivered[key] })
	if err != nil || !slices.Equal(got, want) {
		return fmt.Sprintf("%d effects are left, want %d (%v)", len(got), len(want), err)
	}
	return ""
}
