package quest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A flat is a quest that can be compared: everything that a step may change,
// lists by their length.
type flat struct {
	id, fingerprint, parent, owner, head, base, proofBase, commit, note, ended, reason string
	state, returnTo                                                                    State
	route                                                                              Route
	risk                                                                               string
	severity, floor                                                                    Severity
	first, check                                                                       Ref
	plan, rebase, proofRuns, spend, watched                                            bool
	hasProof, hasPending, hasA, hasB, hasC                                             bool
	proof                                                                              Proof
	pending                                                                            Pending
	a, b, c                                                                            Approval
	rev, attempts, rebases, lost                                                       int
	signals, children, decisions, evidence, applied, receipts                          int
	amount                                                                             float64
	muted                                                                              int64
}

func flatten(q *Quest) flat {
	f := flat{
		id: q.ID, fingerprint: q.Fingerprint, parent: q.Parent, owner: q.Owner, head: q.PatchHead, base: q.Base, proofBase: q.ProofBase,
		commit: q.Commit, note: q.Note, ended: q.Ended, reason: q.ParkReason, state: q.State, returnTo: q.ReturnTo, route: q.Route, risk: q.Risk,
		severity: q.Severity, floor: q.SeverityFloor, check: q.Check, plan: q.PlanPending, rebase: q.RebasePending,
		proofRuns: q.ProofPending, spend: q.SpendPending, watched: q.WatchedClean, rev: q.Rev, attempts: q.Attempts, rebases: q.Rebases,
		lost: q.Lost, signals: len(q.Signals), children: len(q.Children), decisions: len(q.Decisions), evidence: len(q.Evidence),
		applied: len(q.Applied.ids), muted: q.MutedUntil.UnixNano(),
	}
	if len(q.Signals) > 0 {
		f.first = q.Signals[0]
	}
	for _, u := range q.Usage {
		f.receipts += u.Receipts
		f.amount += u.Amount
	}
	f.hasProof, f.hasPending = set1(&f.proof, q.Proof), set1(&f.pending, q.CheckpointPending)
	f.hasA, f.hasB, f.hasC = set1(&f.a, q.Approvals.A), set1(&f.b, q.Approvals.B), set1(&f.c, q.Approvals.C)
	return f
}

func set1[T any](to, from *T) bool {
	if from != nil {
		*to = *from
	}
	return from != nil
}

// abstract is what of a quest decides where it can go: the node of the search.
func abstract(q *Quest) flat {
	f := flatten(q)
	f.signals, f.children, f.decisions, f.evidence, f.applied, f.receipts, f.amount, f.muted = 0, 0, 0, 0, 0, 0, 0, 0
	f.commit, f.note, f.ended = "", "", ""
	// An approval counts by whether it binds; A and B by being there.
	f.a, f.b = Approval{}, Approval{}
	f.c.By, f.c.Actor = "", ""
	// Digests follow from the rest; only whether they are the same counts.
	f.b.Digest = ""
	if f.hasC && f.c.Digest == f.proof.Digest {
		f.b.Digest = "same"
	}
	f.c.Digest, f.proof.Digest = "", ""
	return f
}

// lean drops what only grows, and what the states from here on do not ask for
// before they set it anew.
func lean(q Quest) Quest {
	goes := q.State
	if goes.Held() {
		goes = q.ReturnTo
	}
	if slices.Contains([]State{Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching}, goes) {
		q.PatchHead, q.Base = "", "b0"
	}
	if goes != Proving && !q.ProofPending {
		q.ProofBase = ""
	}
	q.Severity = q.SeverityFloor
	if q.PatchHead == "h2" {
		q = renamed(q, "h1", "h2")
	}
	if q.Base == "b1" {
		q = renamed(q, "b0", "b1")
	}
	q.Signals = q.Signals[:min(1, len(q.Signals))]
	q.Children, q.Decisions, q.Evidence, q.Usage, q.Applied = nil, nil, nil, nil, Applied{}
	return q
}

// renamed has two names changed for each other. The kinds of events treat both
// alike, so the quest before and the one after can do the same.
func renamed(q Quest, a, b string) Quest {
	swap := func(s *string) {
		switch *s {
		case a:
			*s = b
		case b:
			*s = a
		}
	}
	swap(&q.PatchHead)
	swap(&q.Base)
	swap(&q.ProofBase)
	if q.Proof != nil {
		p := *q.Proof
		swap(&p.Head)
		swap(&p.Base)
		q.Proof = &p
	}
	if q.Approvals.C != nil {
		c := *q.Approvals.C
		swap(&c.Head)
		swap(&c.Base)
		q.Approvals.C = &c
	}
	return q
}

var epoch = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// kinds are the events that the explorers try: of every type the variants that
// rows tell apart, and some that fit nowhere.
var kinds = []func(q *Quest) Event{
	func(*Quest) Event {
		return Event{Type: SignalReceived, Signal: "s", Fingerprint: "f", Severity: 2, Base: "b0", Risk: "low"}
	},
	func(*Quest) Event { return Event{Type: SignalReceived, Signal: "s", Fingerprint: "other"} },
	triage(AutoFix), triage(ResearchOnly), triage(Human), triage(Ignore), triage(Duplicate), triage(Conflict), triage("none"),
	kind(Event{Type: RegressionMatched, Signal: "again", Fingerprint: "f", Severity: 1}),
	kind(Event{Type: RegressionMatched, Signal: "again", Fingerprint: "other", Severity: 1}),
	kind(Event{Type: ResearchDone, Hypothesis: "h"}),
	kind(Event{Type: ResearchDone}),
	kind(Event{Type: Reproduced, Check: "c", Plan: "p"}),
	kind(Event{Type: Reproduced, Check: "c"}),
	kind(Event{Type: Reproduced}),
	kind(Event{Type: NotReproducible}),
	kind(Event{Type: PlanWritten, Plan: "p"}),
	kind(Event{Type: PatchWritten, Head: "h1"}),
	kind(Event{Type: PatchWritten, Head: "h2"}),
	kind(Event{Type: PatchWritten}),
	proofOf(func(*bundle) {}), proofOf(func(b *bundle) { b.Head = "other" }), proofOf(func(b *bundle) { b.Rev++ }),
	proofOf(func(b *bundle) { b.Base = "other" }), proofOf(func(b *bundle) { b.Risk = "other" }), proofOf(func(b *bundle) { b.QuestID = "other" }),
	func(q *Quest) Event {
		e := proofOf(func(*bundle) {})(q)
		e.Digest = "0"
		return e
	},
	kind(Event{Type: ProofFailed}),
	kind(Event{Type: ProbesNeeded}),
	kind(Event{Type: ProbesDone, Results: "r"}),
	kind(Event{Type: AgentLost}),
	kind(Event{Type: SpendNeeded}),
	decision(A, Approve, Person), decision(A, Revise, Person), decision(A, Reject, Person),
	decision(A, Approve, Automatic), decision(A, Revise, Automatic), decision(A, Reject, Automatic),
	decision(B, Approve, Person), decision(B, Revise, Person), decision(B, Reject, Person),
	decision(B, Approve, Automatic), decision(B, Revise, Automatic), decision(B, Reject, Automatic),
	decision(C, Approve, Person), decision(C, Revise, Person), decision(C, Reject, Person),
	decision(C, Approve, Automatic), decision(C, Revise, Automatic), decision(C, Reject, Automatic),
	func(q *Quest) Event {
		e := decision(checkpointOf(q.State), Approve, Automatic)(q)
		e.Evidence = nil
		return e
	},
	func(q *Quest) Event {
		e := decision(checkpointOf(q.State), Approve, Person)(q)
		e.Rev = q.Rev + 1
		return e
	},
	func(q *Quest) Event {
		e := decision(C, Approve, Person)(q)
		e.Binding = &Binding{Head: "other"}
		return e
	},
	kind(Event{Type: SpendDecided, Verdict: Approve}),
	kind(Event{Type: SpendDecided, Verdict: Deny}),
	kind(Event{Type: Pause}),
	kind(Event{Type: Resume, By: Person}),
	kind(Event{Type: Resume, By: Automatic}),
	kind(Event{Type: Kill, Actor: "mona"}),
	kind(Event{Type: Kill, Actor: "hubot", Admin: true}),
	kind(Event{Type: Kill, Actor: "hubot"}),
	kind(Event{Type: Claim, Actor: "mona"}),
	kind(Event{Type: Claim, Actor: "hubot"}),
	kind(Event{Type: Claim}),
	kind(Event{Type: Release, Actor: "mona"}),
	kind(Event{Type: Release, Actor: "hubot"}),
	kind(Event{Type: Release, Actor: "hubot", Admin: true}),
	kind(Event{Type: Comment, Addressed: true}),
	kind(Event{Type: Comment}),
	kind(Event{Type: HumanRevision}),
	kind(Event{Type: HumanRevision, Head: "h1"}),
	kind(Event{Type: HumanRevision, Head: "h2"}),
	kind(Event{Type: Reroute, Route: AutoFix}),
	kind(Event{Type: Reroute, Route: Ignore}),
	kind(Event{Type: BaseChanged, Base: "b0"}),
	kind(Event{Type: BaseChanged, Base: "b1"}),
	kind(Event{Type: Landed, Commit: "m"}),
	kind(Event{Type: LandedOutside, Commit: "m2"}),
	kind(Event{Type: LandRefused}),
	kind(Event{Type: RegressionSeen}),
	kind(Event{Type: WatchClean}),
	kind(Event{Type: RollbackReceipt, Complete: true}),
	kind(Event{Type: RollbackReceipt}),
	kind(Event{Type: SignalAdded, Signal: "more", Severity: 3}),
	kind(Event{Type: ParentLanded}),
	kind(Event{Type: ParentEnded}),
	kind(Event{Type: ChildEvidence, Child: "child", Evidence: Refs{"e"}}),
	kind(Event{Type: RespondentDone, Evidence: Refs{"e"}}),
	kind(Event{Type: PolicyChanged}),
	kind(Event{Type: UsageReceipt, Amount: 2}),
	kind(Event{Type: "no_such_event"}),
}

func kind(e Event) func(*Quest) Event { return func(*Quest) Event { return e } }

func triage(r Route) func(*Quest) Event {
	return kind(Event{Type: TriageDecided, Route: r, Of: "older", Parent: "parent"})
}

func decision(cp Checkpoint, v Verdict, by By) func(*Quest) Event {
	return kind(Event{Type: Decision, CP: cp, Verdict: v, By: by, Actor: "mona", Evidence: Refs{"e"}})
}

// A bundle is what of a proof bundle is held against the quest.
type bundle struct {
	QuestID string `json:"questId"`
	Rev     int    `json:"rev"`
	Risk    string `json:"risk"`
	Base    string `json:"base"`
	Head    string `json:"head"`
}

// proofOf is a bundle for the quest as it is, changed by edit.
func proofOf(edit func(*bundle)) func(*Quest) Event {
	return func(q *Quest) Event {
		b := bundle{q.ID, q.Rev, q.Risk, q.ProofBase, q.PatchHead}
		edit(&b)
		if e, ok := proofs.Load(b); ok {
			return e.(Event)
		}
		text, err := json.Marshal(struct {
			bundle
			Checks []string `json:"checks"`
		}{b, []string{"build", "test"}})
		if err != nil {
			panic(err)
		}
		digest, err := Digest(text)
		if err != nil {
			panic(err)
		}
		e := Event{Type: ProofSucceeded, Bundle: text, Digest: digest}
		proofs.Store(b, e)
		return e
	}
}

// proofs are those that were made already.
var proofs sync.Map

// A seen is one step, as an invariant looks at it.
type seen struct {
	m       *machine
	p       *Policy
	before  *Quest
	was, is flat
	e       Event
	after   Quest
	effects []Effect
	err     error
	// past is what came before in a sequence; nil in the search.
	past *past
}

// moved: the event was accepted and changed something.
func (s *seen) moved() bool { return s.err == nil && s.is.applied > s.was.applied }

// count is how many effects of a type were asked for.
func (s *seen) count(t EffectType) int {
	n := 0
	for _, e := range s.effects {
		if e.Type == t {
			n++
		}
	}
	return n
}

// then steps on from a quest, with a fresh id.
func (s *seen) then(q Quest, e Event) (Quest, []Effect, error) {
	e.ID = "then" + fmt.Sprint(len(q.Applied.ids))
	return s.m.step(q, e, *s.p)
}

// A past is what is known of a sequence besides the quest.
type past struct {
	events  []Event // those that were accepted or absorbed
	keys    map[string]bool
	effects []Effect
	amount  float64
	receipt map[string]bool
	agents  int
}

// fresh is the past of a new sequence.
func (p *past) fresh() *past {
	if p.keys == nil {
		p.keys, p.receipt = map[string]bool{}, map[string]bool{}
	}
	clear(p.keys)
	clear(p.receipt)
	p.events, p.effects, p.amount, p.agents = p.events[:0], p.effects[:0], 0, 0
	return p
}

// look takes one step and says which invariant it breaks, and how. close says
// how closely to look: at the step alone, or at what else could follow.
func (x *explorer) look(q *Quest, was flat, e Event, p *Policy, past *past, close bool) (Quest, flat, []Effect, string) {
	s := &x.seen
	s.m, s.p, s.before, s.was, s.e, s.past = x.m, p, q, was, e, past
	s.after, s.effects, s.err = x.m.step(*q, e, *p)
	s.is = flatten(&s.after)
	x.steps++
	for i := range x.checks {
		c := &x.checks[i]
		why := ""
		if c.step != nil {
			why = c.step(s)
		}
		if why == "" && c.dear != nil && close {
			why = c.dear(s)
		}
		if why != "" {
			return s.after, s.is, s.effects, fmt.Sprintf("%s (%s): %s\n at %s\n on %s\n to %s\n asks %s (%v)",
				c.id, c.says, why, spelled(q), spelled(e), spelled(s.after), spelled(s.effects), s.err)
		}
	}
	if s.err == nil && past != nil {
		past.events = append(past.events, e)
		past.effects = append(past.effects, s.effects...)
	}
	return s.after, s.is, s.effects, ""
}

// stand looks at where a quest is.
func (x *explorer) stand(q *Quest, was flat, p *Policy) string {
	s := seen{m: x.m, p: p, before: q, was: was}
	for i := range x.checks {
		if x.checks[i].node == nil {
			continue
		}
		if why := x.checks[i].node(&s); why != "" {
			return fmt.Sprintf("%s (%s): %s\n at %s", x.checks[i].id, x.checks[i].says, why, spelled(q))
		}
	}
	return ""
}

func spelled(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// policies are those under which the machine is searched: each mode of each
// checkpoint, both kinds of base, bounds of one and of two attempts.
func policies() []Policy {
	return []Policy{
		{Checkpoints: Checkpoints{Blocking, Advisory, Advisory}, MaxAttempts: 2, RebaseCap: 1, MuteHours: 24},
		{Checkpoints: Checkpoints{Advisory, Blocking, Blocking}, MaxAttempts: 1, RebaseCap: 1, MuteHours: 24, RequireFreshBase: true},
		{Checkpoints: Checkpoints{Advisory, Advisory, Shadow}, MaxAttempts: 1, RebaseCap: 0, MuteHours: 24},
		{Checkpoints: Checkpoints{Advisory, Shadow, Advisory}, MaxAttempts: 1, RebaseCap: 0, MuteHours: 24},
		{Checkpoints: Checkpoints{Shadow, Shadow, Shadow}, MaxAttempts: 1, RebaseCap: 0, MuteHours: 24, ShadowHumanOverride: true},
		{Checkpoints: Checkpoints{Shadow, Shadow, Shadow}, MaxAttempts: 1, RebaseCap: 0, MuteHours: 24},
	}
}

// An explorer holds a machine against invariants, and counts what it saw.
type explorer struct {
	m      *machine
	checks []invariant
	useful map[State][]int
	onward map[State][]int
	seen   seen // one for all steps: it is large
	past   past
	events []Event
	rare   int // one step in so many is looked at closely

	nodes, steps int
	states       map[State]int
	rows         map[string]string // a witness of each row that was taken
}

func newExplorer(m *machine, checks []invariant) *explorer {
	return &explorer{m: m, rare: 256, checks: checks, useful: useful(m, false), onward: useful(m, true), states: map[State]int{}, rows: map[string]string{}}
}

// search visits every node that can be reached, up to revision 2, breadth
// first, and tries every kind of event at each. It ends at the first step that
// breaks something, or after limit nodes where that is not 0.
func (x *explorer) search(p Policy, limit int) string {
	queue := []Quest{New("trail")}
	visited := map[flat]bool{abstract(&queue[0]): true}
	for len(queue) > 0 && (limit == 0 || x.nodes < limit) {
		q := queue[0]
		queue = queue[1:]
		x.nodes++
		x.states[q.State]++
		was := flatten(&q)
		if broken := x.stand(&q, was, &p); broken != "" {
			return broken
		}
		for _, k := range kinds {
			e := k(&q)
			if e.Type == SpendNeeded && !p.RequireFreshBase {
				continue // a spend stands beside all else: it is searched under one policy
			}
			e.ID, e.At = "e", epoch
			next, _, _, broken := x.look(&q, was, e, &p, nil, x.steps%499 == 0)
			if broken != "" {
				return broken
			}
			if r := x.m.pick(&q, &e, &p); r != nil && x.rows[r.id] == "" {
				x.rows[r.id] = witness(&x.seen)
			}
			if next.Rev > 2 || next.Applied.ids == nil {
				continue
			}
			next = lean(next)
			if key := abstract(&next); !visited[key] {
				visited[key] = true
				queue = append(queue, next)
			}
		}
	}
	return ""
}

// witness says in one line what a step did.
func witness(s *seen) string {
	from, to := string(s.was.state), string(s.is.state)
	if s.was.returnTo != "" {
		from += "(" + string(s.was.returnTo) + ")"
	}
	if s.is.returnTo != "" {
		to += "(" + string(s.is.returnTo) + ")"
	}
	text := from + " + " + string(s.e.Type)
	for _, part := range []string{string(s.e.CP), string(s.e.Verdict), string(s.e.Route), s.e.Head} {
		if part != "" {
			text += " " + part
		}
	}
	invalid, _ := errors.AsType[*Invalid](s.err)
	switch {
	case invalid != nil:
		return text + " = invalid: " + invalid.Reason
	case !s.moved():
		return text + " = absorbed"
	}
	text += " = " + to
	for _, f := range changed(&s.was, &s.is) {
		text += " " + f
	}
	for _, e := range s.effects {
		text += " " + strings.ToUpper(string(e.Type))
		for _, part := range []string{e.Step, string(e.CP), e.To} {
			if part != "" {
				text += "/" + part
			}
		}
	}
	return text
}

// changed names what of a record a step changed, besides the state.
func changed(was, is *flat) []string {
	var all []string
	say := func(name string, changed bool, now any) {
		if changed {
			all = append(all, fmt.Sprintf("%s:%v", name, now))
		}
	}
	say("rev", was.rev != is.rev, is.rev)
	say("route", was.route != is.route, is.route)
	say("reason", was.reason != is.reason && is.reason != "", is.reason)
	say("owner", was.owner != is.owner, is.owner)
	say("head", was.head != is.head, is.head)
	say("base", was.base != is.base, is.base)
	say("proof", was.hasProof != is.hasProof, is.hasProof)
	say("A", was.hasA != is.hasA, is.hasA)
	say("B", was.hasB != is.hasB, is.hasB)
	say("C", was.hasC != is.hasC, is.hasC)
	say("plan", was.plan != is.plan, is.plan)
	say("rebase", was.rebase != is.rebase, is.rebase)
	say("proving", was.proofRuns != is.proofRuns, is.proofRuns)
	say("spend", was.spend != is.spend, is.spend)
	say("watched", was.watched != is.watched, is.watched)
	say("attempts", was.attempts != is.attempts, is.attempts)
	say("rebases", was.rebases != is.rebases, is.rebases)
	say("lost", was.lost != is.lost, is.lost)
	say("check", was.check != is.check, is.check)
	say("commit", was.commit != is.commit, is.commit)
	say("ended", was.ended != is.ended, is.ended)
	say("parent", was.parent != is.parent, is.parent)
	say("severity", was.severity != is.severity, is.severity)
	say("signals", was.signals != is.signals, is.signals)
	say("decisions", was.decisions != is.decisions, is.decisions)
	say("evidence", was.evidence != is.evidence, is.evidence)
	say("children", was.children != is.children, is.children)
	say("usage", was.amount != is.amount, is.amount)
	say("muted", was.muted != is.muted, is.muted)
	return all
}

// leadsOn reports whether an event is one of the main line, or ends a hold.
func leadsOn(s State, e Event) bool {
	switch {
	case e.Type == Decision:
		return e.Verdict == Approve && e.CP == checkpointOf(s) && e.Rev == 0 && e.Binding == nil && len(e.Evidence) > 0
	case e.Type == TriageDecided:
		return e.Route == AutoFix
	case e.Type == ResearchDone:
		return e.Hypothesis != ""
	case e.Type == Reproduced:
		return e.Check != ""
	case e.Type == PatchWritten:
		return e.Head != ""
	case e.Type == Release, e.Type == Claim && s == Ready:
		return e.Actor == "mona"
	case e.Type == HumanRevision, e.Type == ProofFailed:
		return s == HandedOff
	}
	return slices.Contains([]EventType{
		SignalReceived, PlanWritten, ProofSucceeded, Landed, WatchClean, RegressionSeen, RollbackReceipt, RegressionMatched, Resume,
	}, e.Type)
}

// useful has, for each state, the kinds that the table gives a row that is no
// refusal; onward only those that lead on.
func useful(m *machine, onward bool) map[State][]int {
	all := map[State][]int{}
	for _, s := range append([]State{unborn}, allStates...) {
		for i, k := range kinds {
			e := k(&Quest{ID: "trail", State: s})
			if onward && !leadsOn(s, e) || onward && e.Type == ProofSucceeded && slices.ContainsFunc(all[s], func(k int) bool { return kinds[k](&Quest{}).Type == ProofSucceeded }) {
				continue // of the proofs the first one matches
			}
			if slices.ContainsFunc(m.byPair[s][e.Type], func(r *row) bool { return r.then.why == nil && !r.then.absorbed }) {
				all[s] = append(all[s], i)
			}
		}
	}
	return all
}

func randomPolicy(r *rand.Rand) Policy {
	modes := []Mode{Blocking, Advisory, Advisory, Shadow}
	mode := func() Mode { return modes[r.IntN(len(modes))] }
	return Policy{
		Checkpoints: Checkpoints{mode(), mode(), mode()}, MaxAttempts: 1 + r.IntN(3), RebaseCap: r.IntN(3), MuteHours: 24,
		RequireFreshBase: r.IntN(4) == 0, ShadowHumanOverride: r.IntN(3) == 0,
	}
}

// walk takes one random sequence and returns its events and what it broke.
func (x *explorer) walk(seed uint64, length int) ([]Event, Policy, string) {
	r := rand.New(rand.NewPCG(seed, 1))
	p := randomPolicy(r)
	past := x.past.fresh()
	q := New("trail")
	is := flatten(&q)
	events := x.events[:0]
	defer func() { x.events = events }()
	for i := range length {
		e := x.next(r, &q, events, i)
		events = append(events, e)
		close := r.IntN(x.rare) == 0
		if close {
			if broken := x.stand(&q, is, &p); broken != "" {
				return events, p, broken
			}
		}
		var broken string
		if q, is, _, broken = x.look(&q, is, e, &p, past, close); broken != "" {
			return events, p, broken
		}
		x.states[q.State]++
		if q.State.Terminal() && r.IntN(3) == 0 {
			break
		}
	}
	if seed%4 != 0 {
		return events, p, ""
	}
	return events, p, x.whole(past, &p, r)
}

// whole looks at a sequence as a whole.
func (x *explorer) whole(past *past, p *Policy, r *rand.Rand) string {
	for _, c := range x.checks {
		if c.whole == nil {
			continue
		}
		if why := c.whole(x.m, past, p, r); why != "" {
			return fmt.Sprintf("%s (%s): %s", c.id, c.says, why)
		}
	}
	return ""
}

// next picks an event: four in five are such as the state has a use for, one
// in twenty came before, the rest are any.
func (x *explorer) next(r *rand.Rand, q *Quest, events []Event, i int) Event {
	n := r.IntN(100)
	if n >= 95 && len(events) > 0 {
		return events[r.IntN(len(events))]
	}
	k := r.IntN(len(kinds))
	some := x.useful[q.State]
	if n < 55 {
		some = x.onward[q.State]
	}
	if n < 80 && len(some) > 0 {
		k = some[r.IntN(len(some))]
		// Stopping for good ends a walk; most of them should go on.
		if t := kinds[k](q).Type; (t == Kill || t == LandedOutside || t == Pause) && r.IntN(6) > 0 {
			k = some[r.IntN(len(some))]
		}
	}
	e := kinds[k](q)
	e.ID, e.At = "e"+strconv.Itoa(i), epoch.Add(time.Duration(i)*time.Minute)
	return e
}
