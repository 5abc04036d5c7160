// Package plan is the one decider: it joins the facts, the machines and the
// journal into what one step does. It is pure, and every caller uses it: the
// action, the simulation, explain.
//
// Start at [Decide]. The order of a step is a table of its own (order.go): the
// first row that holds decides.
package plan

import (
	"slices"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/conductor"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/reviewer"
	"github.com/prloop/prloop/internal/round"
)

// A Decision is what a step comes to, in one word.
type Decision string

// The decisions (design 10, outputs).
const (
	Wait    Decision = "wait"
	Act     Decision = "act"
	Handoff Decision = "handoff"
	Stop    Decision = "stop"
	Done    Decision = "done"
	Skip    Decision = "skip"
)

// An Input is everything that a decision depends on.
type Input struct {
	Settings config.Settings
	Snapshot *pr.Snapshot
	// Journal is what we remember, zero where nothing; Memory says how it was
	// found.
	Journal journal.Journal
	Memory  journal.Memory
	Record  journal.Record
	// Sweep: this run steps many pull requests, and starts no job for any.
	Sweep bool
	// Duplicates: more than one journal of ours stands. Journal is the fold of all.
	Duplicates bool
	// LockedSince is when the journal comment was last written where a lock is
	// on it; zero where none is. A lock is never older than that by itself: it
	// stands while its run acts, or it is left over from one that died.
	LockedSince time.Time
	// Own says which checks are this job's.
	Own facts.Own
	// Paused is the paused switch.
	Paused bool
	// Replayed: the facts are no live reading (simulate, replay).
	Replayed bool
	// Detached: the run's checkout is a merge ref, no branch.
	Detached bool
	// UserToken: requests are made with a user's rights.
	UserToken bool
	// Quote makes strangers' text safe in the replies to findings.
	Quote handoff.Quoting
	// Reporting: the run took a fixer's report, so no fixer waits for what it
	// hands over.
	Reporting bool
	// Foreseen: the input is a world that [After] foresees.
	Foreseen bool
	// Leaving: the run ends every loop of the repository (command: leave).
	Leaving bool
	// Inherited is the quest of the issue that the pull request closes; nil where
	// there is none. IssuesRead says that it was looked for.
	Inherited  *Inherited
	IssuesRead bool
	// AgentPush is what the coding agent pushed, where that was asked for.
	AgentPush *AgentPush
	// StartsLeft is how many pull requests this run may still start.
	StartsLeft int
}

// A Plan is what one step does.
type Plan struct {
	Decision Decision
	Code     Code
	// Why is one sentence in our words, without a full stop. Names that
	// strangers chose (checks) are quoted in it.
	Why string

	Row     string // id of the row of the step's order that decided
	Facts   facts.Facts
	Copilot copilot.Result // the machine's reading
	// Reviewer is the state of the reviewer loop, Routing who has control by
	// the seventeen priorities of seed 004.
	Reviewer  reviewer.Result
	Routing   conductor.Decision
	Converged round.Verdict
	// Patches are what the push that a report claims did to its files.
	Patches []journal.LedgerPatch
	// Again are the answers by reference to findings that were declined before, in
	// their threads; AgainTogether those that one comment gives. Until it stands
	// nothing on GitHub shows them.
	Again, AgainTogether []journal.Answer
	// Proof says by what the head has converged, ProofText in its one spelling;
	// nil and empty where it has not.
	Proof     *round.Proof
	ProofText string

	Effects []effect.Effect
	// Wait is what is waited for; nil where nothing with a beginning is.
	Wait *journal.Wait
	// Spent is a wait whose time is over, where that is what the decision is about.
	Spent *journal.Wait
	// NextWake is when to look again at the latest; zero: on a change only.
	NextWake time.Time
	// About are the marks of the findings that a mention of the coding agent names.
	About string
	// Handoff is the work that this step gives away; nil where none.
	Handoff *journal.Handoff
	// Account is the report that this step answers by; nil where none.
	Account *Account
	// Recap is what this step notes of the recap; nil where nothing.
	Recap *journal.Recap
	// Settling is the snapshot that this step notes because it looks converged;
	// nil where none is.
	Settling *journal.Settled
	// Pass is the final pass that this step begins; nil where it begins none.
	Pass *journal.Pass
	// Cleaned is the clean-up that this step tries; nil where it tries none.
	Cleaned *journal.Cleaned
	// Single notes that the loop goes without a review, the zero one that it does
	// so no more; nil where nothing is noted.
	Single *journal.Single
	// OnIssue: it is about an issue.
	OnIssue bool
	// Heir is the pull request that has taken an issue over; 0: none.
	Heir int
	// Final is the final record that this step writes; nil where none.
	Final *journal.Final
	// Leads: the effects lead straight to another step.
	Leads bool
	// Watch is what is remembered of the watch over the merge; nil where none is.
	Watch *journal.Watch
	// Needs are facts that the decision asks for and that were not read yet.
	// Where it is not empty, nothing else in the plan counts.
	Needs []pr.Fact
	// Import is the state of pr-autopilot that this step takes over; nil where none.
	Import *autopilot.State
	// Heard are the commands in comments that this step hears and answers.
	Heard []Obeyed
	// Notices are things to know beside the decision, in our words.
	Notices []string
	// Quest is the life cycle as it stands after this step; nil where there is
	// none, or where the step has nothing to say of the pull request.
	Quest *Spine
	// Causes are the quest's effects that effects of this step deliver: quest keys
	// by target keys.
	Causes map[effect.Key]string
}

// Acts reports whether p changes anything for the pull request.
// A command that was heard does: it is answered, and kept.
func (p Plan) Acts() bool {
	return len(p.Effects) > 0 || p.Handoff != nil || p.Settling != nil || p.Pass != nil || len(p.Heard) > 0 || p.Import != nil
}

// Decide says what one step does. It is a pure function of its input: the same
// input gives the same plan (TestDecideIsDeterministic), and it always says
// why.
func Decide(in Input) Plan {
	if in.Snapshot.Issue != nil {
		return decideIssue(in)
	}
	in, heard, notices, needs := listen(in)
	if len(needs) > 0 {
		return Plan{Decision: Wait, Code: FactUnknown, Needs: needs}
	}
	s := newStep(in)
	s.plan.Heard, s.plan.Notices = heard, notices
	p := s.decideBy(order)
	switch {
	case mayInherit(in, p):
		return Plan{Decision: Wait, Code: FactUnknown, Needs: []pr.Fact{pr.FactIssue}}
	case in.IssuesRead && p.Acts() && in.Journal.Quest == nil && in.Snapshot.Missing(pr.FactIssue) != nil:
		// Its quest would begin anew, where it may have begun long ago.
		s = newStep(in)
		s.unknown(pr.FactIssue)
		return s.plan
	}
	return p
}

// newStep understands the input: the facts, the machines, who has control.
func newStep(in Input) *step {
	s := &step{in: in, snap: in.Snapshot, now: in.Snapshot.At, given: in.Settings}
	in.Settings = lifted(in.Settings, in.Journal, s.day())
	s.all = in.Journal.Handoffs
	in.Journal.Handoffs = standing(in.Journal.Handoffs)
	s.in = in
	s.facts = facts.Derive(facts.Input{
		Snapshot:  in.Snapshot,
		Journal:   in.Journal,
		Settings:  in.Settings,
		Own:       in.Own,
		UserToken: in.UserToken,
	})
	s.plan.Facts = s.facts
	s.goSingle()
	s.plan.Copilot = copilot.Interpret(s.facts.Copilot, machine(in.Settings, in.Snapshot))
	s.plan.Reviewer = reviewer.Interpret(s.facts.Reviewer)
	s.plan.Routing = s.route()
	return s
}

// decideBy lets the first row that holds decide.
func (s *step) decideBy(rows []row) Plan {
	for _, r := range rows {
		if r.asked(s.plan.Routing.RoutingOutcome) && r.then(s) {
			s.plan.Row = r.id
			if s.snap.Issue != nil {
				s.finishIssue()
			} else {
				s.finish()
				s.because()
			}
			return s.plan
		}
	}
	panic("plan: no row of the order decides; it has lost its last row")
}

// machine is the configuration of the Copilot loop for this pull request. The
// direct gate is assigned here: it is no fact of a snapshot (seed 000).
func machine(set config.Settings, p *pr.Snapshot) copilot.Config {
	label := set.InternalTooling.Label
	return copilot.Config{
		MaxCopilotRounds:          float64(set.Refinement.MaxCopilotRounds),
		StopOnLowSignal:           set.Refinement.StopOnLowSignal,
		LowSignalRoundThreshold:   float64(set.Refinement.LowSignalRoundThreshold),
		LowSignalMaxComments:      float64(set.Refinement.LowSignalMaxComments),
		PreApprovalRequireCI:      set.RequireCI,
		InternalToolingDirectGate: label != "" && slices.Contains(p.Labels, label),
	}
}

// route asks the conductor who has control.
func (s *step) route() conductor.Decision {
	owner := ""
	switch {
	case s.liveOwner() != "":
		owner = conductor.LiveOwner
	case s.in.Duplicates:
		owner = conductor.DuplicateLocalOwners
	}
	source := conductor.Authoritative
	if s.in.Replayed {
		source = conductor.FromSnapshot
	}
	return conductor.Route(conductor.Input{
		Target:                 &conductor.Target{Repo: s.snap.Repo.String(), PR: s.snap.Number},
		CopilotState:           string(s.plan.Copilot.State),
		ReviewerState:          string(s.plan.Reviewer.State),
		OwnershipState:         owner,
		SourceMode:             source,
		RequiresLocalIsolation: s.in.Detached || s.snap.Fork(),
	})
}
