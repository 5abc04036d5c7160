package plan

import (
	"fmt"
	"slices"
	"strings"
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
	"github.com/prloop/prloop/internal/quest"
	"github.com/prloop/prloop/internal/round"
)

// order is the order inside a step (design 1, "Order inside a step"). Read
// from the top: the first row that decides ends the step. A row's function
// fills the plan and reports whether it decided.
//
// The conductor says who has control (seed 004), and no row goes against it: a
// row with outcomes is asked under these alone (TestRowsKeepToTheRoute). Those
// without are about the step itself, or stop whoever has control. S17 belongs to
// a wait too: while one reviewer of a round is waited for, another may be due.
var order = []row{
	{"S1", "there is no such pull request", missing, nil},
	{"S1b", "prloop armed a merge that must not be made any more: it is taken back", letGo, nil},
	{"S1a", "prloop leaves the repository, or has left it, and nothing has begun it anew", leave, nil},
	{"S2", "a switch leaves it out: the input paused, or the label prloop:skip", switchedOff, nil},
	{"S3", "the configuration file could not be read", configUnknown, nil},
	{"S4", "another run holds the lease", leased, nil},
	{"S4a", "two runs began a journal each (conductor priority 1)", duplicated, under(conductor.NeedsReconcile)},
	{"S4d", "prloop began a merge of this head (merge wait)", waitToLand, nil},
	{"S4b", "the mode of the configuration is not the one that it was begun in", drifted, nil},
	{"S4c", "it was merged while prloop was at it, and the merge commit is watched", watched, nil},
	{"S5", "it is merged or closed (life-cycle guard)", over, nil},
	{"S5a", "a person stopped it, and nothing has begun it anew", stopped, nil},
	{"S6", "the configuration does not select it, it is not enrolled, or an older one has the same head", leftOut, nil},
	{"S6a", "a person paused it", heldByCommand, nil},
	{"S6b", "it is stacked on another pull request, and all of it waits (select.stacked: park)", parkedOnParent, nil},
	{"S6c", "a person holds the review", heldByPerson, nil},
	{"S7", "its head is a branch that prloop never works on (head-branch guard)", headBranch, nil},
	{"S7a", "checks failed on what our own fixer pushed", ownPushRed, nil},
	{"S8", "it is a draft", draft, under(conductor.HandoffToCopilotLoop)},
	{"S9", "a fact that the decision needs is unknown", unknownFact, nil},
	{"S9a", "a stop of this head holds: the fixer is parked, or its push was", parked, nil},
	{"S9f", "a person asked for a review", askedFor, nil},
	{"S9b", "the reviewer loop has control, or its block stops the loop (conductor priorities 6, 10, 11)", reviewerLoop, under(conductor.HandoffToReviewerLoop, conductor.StopNeedsHuman)},
	{"S9c", "the reviewer loop waits, and the Copilot loop has nothing that goes first (conductor priority 14)", reviewerWaits, under(conductor.ContinueCurrentWait)},
	{"S9d", "a finding that was declined before came back", declinedAgain, under(conductor.HandoffToCopilotLoop)},
	{"S9e", "Mode Y: what the coding agent pushed is to be judged, or cannot be", judged, under(conductor.HandoffToCopilotLoop, conductor.ContinueCurrentWait, conductor.StopNeedsHuman)},
	{"S10", "the outcome is there: converged, or an end of the Copilot loop", outcome, under(conductor.HandoffToCopilotLoop)},
	{"S10a", "a reviewer of the final pass disagrees", finalThreads, under(conductor.HandoffToCopilotLoop, conductor.StopNeedsHuman)},
	{"S11", "the rounds are spent", capped, under(conductor.StopNeedsHuman)},
	{"S11a", "the loop has taken as long as wallClockCap allows", tooLong, nil},
	{"S12", "more threads are open than maxOpenThreads", threadLimit, nil},
	{"S12a", "the rounds go in circles, or a finding is raised for the third time", oscillating, under(conductor.HandoffToCopilotLoop)},
	{"S12c", "a recap is due before the loop goes back, or asks for something", recap, under(conductor.HandoffToCopilotLoop)},
	{"S12b", "a check failed that has passed on this head before, and nothing else is open", rerun, under(conductor.StopNeedsHuman, conductor.HandoffToCopilotLoop)},
	{"S12d", "it goes without a review, and what was open was worked off once", once, under(conductor.HandoffToCopilotLoop)},
	{"S12e", "Mode Y: the coding agent is to be asked, or was", agentTurn, under(conductor.HandoffToCopilotLoop, conductor.ContinueCurrentWait)},
	{"S13", "feedback is open", feedback, under(conductor.HandoffToCopilotLoop)},
	{"S14", "checks run, or have not begun", waitForCI, under(conductor.ContinueCurrentWait)},
	{"S15", "the Copilot loop is blocked", blocked, under(conductor.StopNeedsHuman)},
	{"S16", "the review cannot be requested", unavailable, under(conductor.StopNeedsHuman)},
	{"S17", "a review is due", ask, under(conductor.HandoffToCopilotLoop, conductor.ContinueCurrentWait)},
	{"S18", "a review was requested", waitForReview, under(conductor.ContinueCurrentWait, conductor.HandoffToCopilotLoop)},
	{"S19", "otherwise", nothingDecides, nil},
}

func under(outcomes ...conductor.Outcome) []conductor.Outcome { return outcomes }

type row struct {
	id    string
	says  string
	then  func(*step) bool
	under []conductor.Outcome // nil: whoever has control
}

// asked reports whether the row may decide where the conductor says outcome.
func (r row) asked(outcome conductor.Outcome) bool {
	return r.under == nil || slices.Contains(r.under, outcome)
}

// Order returns the rows for the README: id and words.
func Order() [][2]string {
	rows := make([][2]string, len(order))
	for i, r := range order {
		rows[i] = [2]string{r.id, r.says}
	}
	return rows
}

// Words returns the condition of the row with this id.
func Words(id string) string {
	if i := slices.IndexFunc(order, func(r row) bool { return r.id == id }); i >= 0 {
		return order[i].says
	}
	if i := slices.IndexFunc(issueOrder, func(r row) bool { return r.id == id }); i >= 0 {
		return issueOrder[i].says
	}
	if id == "R" {
		return "a fixer's report is there (command: report)"
	}
	return ""
}

// A step is one decision in the making.
type step struct {
	in    Input
	given config.Settings // as configured; those of in are as people lifted them
	snap  *pr.Snapshot
	facts facts.Facts
	now   time.Time
	plan  Plan

	end end // what stands where no merge follows

	book   *journal.Ledger // once it was asked for
	signs  []round.Sign    // as the ledger was read first
	single bool            // it goes without a review
	mute   bool            // Copilot is not asked, because it goes without one
	anew   bool            // it did, and a person spoke since
	// cameBack: two reviews may have raised the same finding; nil: not asked yet.
	cameBack *bool
	awaiting []string // see marks
	// all are the hand-overs, those too that were withdrawn.
	all []journal.Handoff

	quest    *Spine // see spine
	observed bool
}

func (s *step) decide(code Code, why string, args ...any) bool {
	s.plan.Code, s.plan.Decision = code, Find(code).Decision
	s.plan.Why = fmt.Sprintf(why, args...)
	return true
}

// duplicated: two journals stand, of two runs that both found none. This step
// makes one of them, and the decision is made anew over it (design 3, Ownership).
func duplicated(s *step) bool {
	if !s.in.Duplicates {
		return false
	}
	s.plan.Leads = true
	return s.decide(NeedsReconcile, "two runs began a journal each; they are joined into the older one")
}

func missing(s *step) bool {
	if s.snap.Found {
		return false
	}
	return s.decide(NoPullRequest, "there is no pull request #%d in this repository", s.snap.Number)
}

func switchedOff(s *step) bool {
	switch {
	case s.in.Paused:
		s.decide(Paused, "the input paused is true")
	case slices.Contains(s.snap.Labels, config.LabelSkip):
		s.decide(SkipLabel, "it has the label %s", config.LabelSkip)
	default:
		return false
	}
	s.lookOn()
	return true
}

func configUnknown(s *step) bool { return s.unknown(pr.FactConfig, pr.FactPullRequest) }

// unknown decides where one of these facts is unknown, and names it.
func (s *step) unknown(which ...pr.Fact) bool {
	for _, f := range which {
		u := s.snap.Missing(f)
		if u == nil {
			continue
		}
		if u.Right != "" {
			return s.decide(MissingRight, "the %s could not be read: the token lacks the permission %q", f, u.Right)
		}
		return s.decide(FactUnknown, "the %s could not be read in full: %s", f, u.Why)
	}
	return false
}

// leased: a lease that still holds belongs to a run that is acting now. (The
// caller has taken the lease out of the journal where it knows that its run is
// over.) So does a lock without a lease, until it is as old as a lease gets.
func leased(s *step) bool {
	why := s.liveOwner()
	if why == "" {
		return false
	}
	return s.decide(LiveOwner, "%s", why)
}

// liveOwner says who else acts on the pull request now; empty where nobody
// does. It notes when that is over at the latest.
func (s *step) liveOwner() string {
	if l := s.in.Journal.Lease; l != nil && s.now.Before(l.Until) {
		s.plan.NextWake = l.Until
		return fmt.Sprintf("run %d holds the lease until %s", l.Run, clock(l.Until))
	}
	if until := s.in.LockedSince.Add(journal.LeaseTime); !s.in.LockedSince.IsZero() && s.in.Journal.Lease == nil && s.now.Before(until) {
		s.plan.NextWake = until
		return "another run holds the lock"
	}
	return ""
}

// drifted: a loop goes on in the mode that it was begun in, or not at all (seed
// 001, mode-drift guard; autopilot D20: in both modes). It stands behind the
// journal, which has the mode, and before everything that a mode does. What is
// merged or closed drifts no more.
func drifted(s *step) bool {
	says, ok := autopilot.Drift(autopilot.Mode(s.in.Journal.Mode), s.in.Settings.Mode)
	if !ok || s.snap.State != pr.Open {
		return false
	}
	return s.decide(ModeDrift, "%s", says)
}

func over(s *step) bool {
	var code Code
	switch s.snap.State {
	case pr.Open:
		return false
	case pr.Merged:
		code = Merged
		s.decide(code, "it is merged")
	case pr.Closed:
		code = Closed
		s.decide(code, "it was closed without a merge")
	default:
		return s.decide(FactUnknown, "its state is %q, which prloop does not know", s.snap.State)
	}
	if s.acted() && (s.in.Journal.Final == nil || s.in.Journal.Final.Reason != string(code)) {
		s.plan.Final = &journal.Final{Reason: string(code), Head: s.snap.Head, At: s.now}
	}
	return true
}

// acted: prloop has a journal here, so it has done something before.
func (s *step) acted() bool { return s.in.Memory != journal.MemoryNone }

func leftOut(s *step) bool {
	if why, ok := selected(s.in.Settings.Select, s.snap, s.in.Journal.Orders.Started != nil); !ok {
		return s.decide(NotSelected, "%s", why)
	}
	if s.acted() || s.in.Journal.Orders.Started != nil || slices.Contains(s.snap.Labels, config.LabelEnrol) {
		return false
	}
	if Enrolled(s.in.Settings.Select.Enrol, s.snap.Labels, s.facts.HeadAt, s.snap.CreatedAt, s.now) {
		return s.duplicate()
	}
	return s.decide(NotEnrolled, "it has no journal and no label %s, and was not opened, reopened, made ready or pushed to in the last %d hours",
		config.LabelEnrol, int(config.EnrolFor/time.Hour))
}

// duplicate leaves a pull request alone where an older one has the same head (seed
// 002, triage): its reviews and fixes would be made twice, on one branch. It is the
// older that is selected. A person who takes this one in says that both are meant, and
// what was begun goes on. A fork's is no older one of the repository's own branch:
// strangers must not hold that back.
func (s *step) duplicate() bool {
	if s.snap.State != pr.Open {
		return false
	}
	if s.unknown(pr.FactTwins) {
		return true
	}
	for _, t := range s.snap.Twins {
		if t.Number > s.snap.Number || t.Fork && !s.snap.Fork() || slices.Contains(t.Labels, config.LabelSkip) {
			continue
		}
		older := pr.Snapshot{Base: pr.Branch{Name: t.Base}, Author: t.Author, Labels: t.Labels, Repo: s.snap.Repo, HeadRepo: s.snap.HeadRepo}
		if !t.Fork {
			older.HeadRepo = s.snap.Repo.String()
		}
		if _, taken := selected(s.in.Settings.Select, &older, false); taken {
			return s.decide(Duplicate, "its head is that of #%d too, which is older", t.Number)
		}
	}
	return false
}

// selected says whether the configuration selects the pull request, and why
// not.
func selected(sel config.Select, p *pr.Snapshot, started bool) (string, bool) {
	labelled := started || slices.Contains(p.Labels, config.LabelEnrol)
	switch {
	case len(sel.Bases) > 0 && !config.MatchAny(sel.Bases, p.Base.Name):
		return "select.bases does not name its base branch", false
	case labelled:
		return "", true
	case p.Fork() && !sel.Forks:
		return "its head is not in this repository; the label " + config.LabelEnrol + " or select.forks takes it in", false
	case p.Author.Bot && !p.Author.IsCopilotAgent() && !slices.ContainsFunc(sel.Bots, func(b string) bool { return pr.NewLogin(b) == p.Author.Login }):
		return "its author is a bot that select.bots does not name", false
	case len(sel.Labels) > 0 && !slices.ContainsFunc(sel.Labels, func(l string) bool { return slices.Contains(p.Labels, l) }):
		return "it has none of the labels of select.labels", false
	}
	return "", true
}

// Enrolled reports whether a pull request without a journal is in the loop
// (design 10, "Enrolled is a fact, not an event").
func Enrolled(e config.Enrol, labels []string, headAt, createdAt, now time.Time) bool {
	if slices.Contains(labels, config.LabelEnrol) {
		return true
	}
	switch e {
	case config.EnrolAll:
		return true
	case config.EnrolFresh:
		newest := createdAt
		if headAt.After(newest) {
			newest = headAt
		}
		return now.Sub(newest) <= config.EnrolFor
	case config.EnrolNone:
	}
	return false
}

// headBranch guards branches that are never a pull request's own (seed 001,
// head guard; autopilot D1): of this repository only, since a fork's main is
// an ordinary head.
func headBranch(s *step) bool {
	if s.snap.Fork() {
		return false
	}
	if slices.Contains(append(trunks(s.snap), s.snap.Base.Name), s.snap.HeadRef) {
		return s.decide(HeadBranchGuard, "its head is the branch %q", s.snap.HeadRef)
	}
	return false
}

func draft(s *step) bool {
	if !s.snap.Draft {
		return false
	}
	if s.in.Settings.Draft != config.DraftReady {
		if s.ready() {
			return s.toLand(Converged, "%s is reviewed, and nothing is open", s.snap.Head.Short())
		}
		return s.decide(Draft, "it is a draft")
	}
	if s.in.Settings.RequireCI {
		if s.facts.CI.Status == copilot.CIFailure {
			return s.decide(ChecksFailed, "%s failed", names(s.facts.CI.Failing))
		}
		if s.facts.CI.Status != copilot.CISuccess && s.facts.CI.Status != copilot.CrediblyGreen {
			return s.ciWait()
		}
	}
	ready := effect.MarkReady{Head: s.snap.Head}
	if r, ok := s.in.Journal.RefusedFor(ready.Key(), via(s.in.UserToken)); ok {
		return s.decide(MissingRight, "it could not be marked ready for review: the token lacks the permission %q", r.Right)
	}
	s.plan.Effects = append(s.plan.Effects, ready)
	s.plan.Leads = true
	return s.decide(MarkedReady, "its checks pass, and draft: ready is set")
}

// unknownFact: what the rules about feedback and reviews read must be whole.
// Checks are asked for where they decide (ciWait).
func unknownFact(s *step) bool {
	return s.unknown(pr.FactComments, pr.FactReviews, pr.FactThreads, pr.FactRequests, pr.FactEvents)
}

// endings are the states of the Copilot loop that end it well.
var endings = map[copilot.State]Code{
	copilot.LowSignalConverged:        LowSignal,
	copilot.RoundCapCleanFallback:     CapClean,
	copilot.InternalToolingDirectGate: DirectGate,
}

func outcome(s *step) bool {
	s.plan.Converged = round.Converged(s.convergence())
	state := s.plan.Copilot.State
	if state == copilot.InternalToolingDirectGate {
		return s.toLand(DirectGate, "it has the label %q, so it skips Copilot's review", s.in.Settings.InternalTooling.Label)
	}
	if !s.plan.Converged.Converged {
		return s.settles() || s.finalPass()
	}
	s.prove()
	s.cleanUp()
	s.showProof()
	if waitsForParent(s) {
		return true
	}
	if s.single {
		return s.toLand(SingleDone, "nothing that awaits an answer is open at %s, and nobody was asked for a review of it", s.snap.Head.Short())
	}
	if code, ok := endings[state]; ok {
		return s.toLand(code, "%s", map[Code]string{
			LowSignal: fmt.Sprintf("after %d rounds the newest one had nothing of weight", s.facts.Rounds),
			CapClean:  fmt.Sprintf("%d of %d rounds are spent, and nothing is open", s.facts.Rounds, s.in.Settings.Refinement.MaxCopilotRounds),
		}[code])
	}
	if a := s.facts.Agent; a != nil && a.AtHead != nil && a.AtHead.Person && s.plan.Converged.Kind == round.Rubric {
		return s.toLand(Converged, "a person let %s go on, and nothing is open; a person decides about the merge", s.snap.Head.Short())
	}
	if s.plan.Converged.Kind == round.NeverReviewed {
		return s.toLand(Converged, "a review of %s was asked for and never came; nothing is open, and a person decides about the merge", s.snap.Head.Short())
	}
	return s.toLand(Converged, "%s reviewed %s and %s%s", s.reviewers(), s.snap.Head.Short(), map[string]string{
		round.Review:       "nothing is open",
		round.DeclinesOnly: "all that it found was declined or resolved",
		round.Answered:     "all that it found is answered; what stays open is a person's to decide",
		round.BelowMin:     fmt.Sprintf("nothing awaits an answer but %s below minSeverity, left for a person to look at", count(len(s.facts.Left), "finding", "findings")),
		round.Rubric:       "no rule of it speaks against a hunk; a person decides about the merge",
	}[s.plan.Converged.Kind], s.agreeing())
}

func capped(s *step) bool {
	if s.plan.Copilot.State != copilot.RoundCapReached {
		return false
	}
	// Clean, with checks still pending, is a wait for them (design 6).
	f := s.facts
	if f.Copilot.UnresolvedThreadCount == 0 && !f.Copilot.CopilotBodyFeedbackUnresolved && f.CI.Status != copilot.CIFailure {
		return s.ciWait()
	}
	what := count(len(f.Awaiting), "finding is open", "findings are open")
	if len(f.Awaiting) == 0 {
		what = names(f.CI.Failing) + " failed"
	}
	return s.decide(RoundCapReached, "%d of %d rounds are spent, and %s", f.Rounds, s.in.Settings.Refinement.MaxCopilotRounds, what)
}

func threadLimit(s *step) bool {
	if open := s.facts.Threads.Open; open >= s.in.Settings.MaxOpenThreads {
		return s.decide(ThreadLimit, "%d threads are open, maxOpenThreads is %d", open, s.in.Settings.MaxOpenThreads)
	}
	return false
}

// rerun runs flaky jobs again (ci.rerunFlaky). It stands before feedback, since
// ci.red: handoff makes findings of failing checks; any other finding goes
// first, and a token that may not is not asked twice.
func rerun(s *step) bool {
	set, red := s.in.Settings, s.facts.CI.Status == copilot.CIFailure
	if !set.CI.RerunFlaky || !set.RequireCI || !red || !s.acted() && s.in.StartsLeft <= 0 {
		return false
	}
	if slices.ContainsFunc(s.facts.Awaiting, func(f facts.Finding) bool { return !strings.HasPrefix(f.ID, "check:") }) {
		return false
	}
	var again []string
	for _, f := range s.facts.CI.Flaky {
		e := effect.Rerun{Job: f.Job, Run: f.Run, Head: s.snap.Head}
		if s.refused(e) {
			s.plan.Notices = append(s.plan.Notices, "A failed check that has passed on this head before is not run again: the token lacks the permission actions: write")
			continue
		}
		s.plan.Effects = append(s.plan.Effects, e)
		again = append(again, f.Name)
	}
	if len(again) == 0 {
		return false
	}
	return s.decide(ChecksRerun, "%s failed at %s, where it has passed before", names(again), s.snap.Head.Short())
}

func feedback(s *step) bool {
	if st := s.plan.Copilot.State; st != copilot.UnresolvedFeedbackPresent && st != copilot.AlreadyFixedNeedsReplyResolve {
		return false
	}
	if s.plan.Copilot.State == copilot.AlreadyFixedNeedsReplyResolve {
		return s.decide(ReportIncomplete, "a report for %s was accepted, and its answers are not all made", s.snap.Head.Short())
	}
	marks := s.marks()
	if next, narrowed := s.following(marks); len(next) > 0 {
		return s.handOver(next, narrowed)
	}
	if h, ok := s.out(); ok && within(marks, h.Findings, h.Rest) {
		s.waitFor("handoff", h.At, h.Deadline, NoReport)
		return s.decide(HandedOver, "%s handed over at %s", count(len(marks), "finding was", "findings were"), h.Head.Short())
	}
	if s.handedOver(marks) {
		if s.in.Settings.Fixer == config.Job && s.jobTries(marks) {
			return true
		}
		if s.in.Settings.Fixer != config.Job {
			return s.decide(HandedOver, "%s handed over at %s", count(len(marks), "finding was", "findings were"), s.snap.Head.Short())
		}
	}
	return s.handOver(marks, false)
}

// handOver gives the findings away, under a number of its own. A run that takes a
// report leaves work for a job to the next one: the job waits for the run of a
// step, as it does where a sweep finds work.
func (s *step) handOver(marks []string, narrowed bool) bool {
	if s.fixesSpent() {
		return true
	}
	if b := s.in.Settings.Budgets.HandoffsPerPullRequest; s.in.Journal.HandedOver >= b {
		return s.decide(BudgetExhausted, "%d of %d hand-overs of budgets.handoffsPerPullRequest are used", s.in.Journal.HandedOver, b)
	}
	if s.in.Settings.Fixer == config.Job && !Cleared(s.in) {
		return s.decide(ForkHeadNotCleared, "%s open at %s, which lives in a fork", count(len(marks), "finding is", "findings are"), s.snap.Head.Short())
	}
	if s.knowledgeGraph() {
		return true
	}
	if s.heldBack(quest.Patching) {
		return true
	}
	if (s.in.Sweep || s.in.Reporting) && s.in.Settings.Fixer == config.Job {
		return s.handoffDue("%s for a fixer job at %s", count(len(marks), "finding is due", "findings are due"), s.snap.Head.Short())
	}
	rest := s.marks()
	if says, ok := round.Grown(s.in.Journal.Ledger, s.snap.ChangedFiles); ok {
		s.plan.Notices = append(s.plan.Notices, says)
	}
	s.plan.Handoff = &journal.Handoff{
		Number:   s.in.Journal.HandedOver + 1,
		Head:     s.snap.Head,
		Findings: strings.Join(marks, " "),
		At:       s.now,
		Narrowed: narrowed,
		// As they stand: the next hand-over counts on from here.
		Iteration: fixIterations(s.in.Journal, s.snap.Head),
		Pushbacks: pushbackRounds(s.in.Journal),
		Rest:      strings.Join(beside(rest, marks), " "),
	}
	s.plan.Handoff.Deadline = s.deadline(len(marks))
	if s.anew {
		s.plan.Single = &journal.Single{}
	}
	if s.single {
		s.plan.Single = &journal.Single{At: s.now, Head: s.snap.Head}
	}
	return s.decide(FeedbackOpen, "%s handed over at %s", count(len(marks), "finding is", "findings are"), s.snap.Head.Short())
}

// deadline is until when a job may work on so many findings; people have none.
func (s *step) deadline(findings int) time.Time {
	if s.in.Settings.Fixer != config.Job {
		return time.Time{}
	}
	waves := (findings + waveSize - 1) / waveSize
	return s.now.Add(handoff.DefaultBudget().For(handoff.Fix, waves) + s.in.Settings.HandoffGrace)
}

// Fitting is p with the hand-over of these findings alone, by their ids: those
// that its brief has room for. The others go out once this one is answered.
func (p Plan) Fitting(in Input, ids []string) Plan {
	marks := marksOf(ids)
	h := *p.Handoff
	left := slices.DeleteFunc(strings.Fields(h.Findings), func(m string) bool { return slices.Contains(marks, m) })
	if len(left) == 0 {
		return p
	}
	s := &step{in: in, now: h.At}
	rest := slices.Concat(strings.Fields(h.Rest), left)
	slices.Sort(rest)
	h.Findings, h.Rest, h.Deadline = strings.Join(marks, " "), strings.Join(rest, " "), s.deadline(len(marks))
	p.Handoff = &h
	p.Why = fmt.Sprintf("%s handed over at %s; the brief has no room for %d more, which follow once these are answered",
		count(len(marks), "finding is", "findings are"), h.Head.Short(), len(left))
	return p
}

// waveSize is how many findings a wave has at most (seed 003).
const waveSize = 5

// fixes are the hand-overs of work for the fixer, oldest first: a review is
// prepared beside them (plan/reviewing.go).
func (s *step) fixes() []journal.Handoff {
	return slices.DeleteFunc(slices.Clone(s.in.Journal.Handoffs), func(h journal.Handoff) bool { return h.Step != "" })
}

// handoffDue: work for a job is there, and this run's outputs start none. It is
// handed over by the next run of a step that is of this pull request alone.
func (s *step) handoffDue(why string, args ...any) bool {
	s.plan.NextWake = s.now
	return s.decide(HandoffDue, why, args...)
}

// out is the newest hand-over while its job is at work. What the job pushes
// meanwhile makes a new head, and no new work: its report speaks of that head.
func (s *step) out() (journal.Handoff, bool) {
	fixes := s.fixes()
	if len(fixes) == 0 || s.in.Settings.Fixer != config.Job {
		return journal.Handoff{}, false
	}
	h := fixes[len(fixes)-1]
	over := strings.HasPrefix(h.Reported, string(handoff.Complete)) && h.Head != s.snap.Head || h.Number == s.retried().Redo
	return h, s.now.Before(h.Deadline) && !over
}

// following are the findings that go out after the newest hand-over, once that is
// answered: half of what its report left over, or what its brief had no room
// for.
func (s *step) following(marks []string) (next []string, narrowed bool) {
	fixes := s.fixes()
	if len(fixes) == 0 {
		return nil, false
	}
	h := fixes[len(fixes)-1]
	if left, at, _ := strings.Cut(h.Next, "@"); pr.SHA(at) == s.snap.Head {
		if next = among(marks, left); len(next) > 0 {
			return next, true
		}
	}
	open := len(among(marks, h.Findings)) > 0
	if open || h.Reported == "" || h.Head != s.snap.Head || len(among(marks, h.Rest)) == 0 {
		return nil, false
	}
	return marks, h.Narrowed
}

// among are the marks that stand in list.
func among(marks []string, list string) []string {
	in := strings.Fields(list)
	return slices.DeleteFunc(slices.Clone(marks), func(m string) bool { return !slices.Contains(in, m) })
}

// within: each of the marks stands in one of the lists.
func within(marks []string, lists ...string) bool {
	in := map[string]bool{}
	for _, list := range lists {
		for m := range strings.FieldsSeq(list) {
			in[m] = true
		}
	}
	return !slices.ContainsFunc(marks, func(m string) bool { return !in[m] })
}

// jobTries stops where a job was started twice at this head for work that is open
// still, and did not report: it is started once more, and then no more (design 5).
func (s *step) jobTries(marks []string) bool {
	tries := 0
	for _, h := range s.fixes() {
		if h.Head == s.snap.Head && !h.Narrowed && len(among(marks, h.Findings)) > 0 {
			tries++
		}
	}
	if tries < 2+s.retried().Jobs {
		return false
	}
	return s.decide(NoReport, "%d hand-overs at %s went without a report", tries, s.snap.Head.Short())
}

// handedOver: every finding was handed over at this head before. What was
// answered or resolved since leaves a smaller set, which is no new work.
func (s *step) handedOver(marks []string) bool {
	var before []string
	for _, h := range s.fixes() {
		if h.Head == s.snap.Head {
			before = append(before, h.Findings, h.Rest)
		}
	}
	return within(marks, before...)
}

func waitForCI(s *step) bool {
	if s.plan.Copilot.State != copilot.WaitingForCI {
		return false
	}
	return s.ciWait()
}

// ciWait waits for checks, with its limits (design 2, Checks).
func (s *step) ciWait() bool {
	if s.unknown(pr.FactChecks, pr.FactRules) {
		return true
	}
	ci := s.facts.CI
	began := later(s.facts.HeadAt, s.retried().At)
	if len(ci.Checks) == len(ci.Missing) { // none has begun
		until := began.Add(s.in.Settings.CI.Grace)
		if !s.now.Before(until) {
			return s.decide(NoChecks, "no check has begun on %s since %s", s.snap.Head.Short(), clock(began))
		}
		s.waitFor("ci", began, until, NoChecks)
		return s.decide(WaitingForCI, "no check has begun on %s yet", s.snap.Head.Short())
	}
	until := began.Add(s.in.Settings.CI.WaitCap)
	if !s.now.Before(until) {
		return s.decide(CIWaitCap, "%s did not end since %s", names(slices.Concat(ci.Pending, ci.Missing)), clock(began))
	}
	s.waitFor("ci", began, until, CIWaitCap)
	pending := names(slices.Concat(ci.Pending, ci.Missing))
	switch {
	case ci.Reason == string(RunsNeedApproval):
		return s.decide(RunsNeedApproval, "%s waits for an approval to run", pending)
	case ci.Reason == string(CheckStale):
		return s.decide(CheckStale, "%s is stale", pending)
	case len(ci.Failing) > 0:
		return s.decide(WaitingForCI, "%s failed, and ci.red: wait is set", names(ci.Failing))
	}
	return s.decide(WaitingForCI, "%s has not ended", pending)
}

func blocked(s *step) bool {
	if s.plan.Copilot.State != copilot.BlockedNeedsUserDecision {
		return false
	}
	switch {
	case s.facts.Copilot.CopilotReviewRequestStatus == copilot.RequestFailed:
		if r := s.first(copilot.RequestFailed); r != nil && r.Trigger == autopilot.Command {
			return s.jobFailed(r)
		}
		return s.decide(RequestFailed, "the request for %s failed: %s", s.snap.Head.Short(), s.stands(copilot.RequestFailed))
	case s.plan.Copilot.Rule == "8a":
		return s.decide(ReviewErrors, "%d error notices are all that Copilot answered for %s", s.facts.ErrorsAtHead, s.snap.Head.Short())
	case s.facts.CI.Status == copilot.CIFailure:
		if s.unknown(pr.FactChecks) && len(s.facts.CI.Failing) == 0 {
			return true
		}
		return s.decide(ChecksFailed, "%s failed", names(s.facts.CI.Failing))
	}
	return s.decide(MergeConflict, "GitHub says that it cannot be merged (%s)", s.snap.MergeState)
}

func unavailable(s *step) bool {
	if s.plan.Copilot.State != copilot.ReviewRequestUnavailable {
		return false
	}
	if r := s.first(copilot.Unavailable); r != nil && r.Trigger == autopilot.Command {
		return s.jobFailed(r)
	}
	if r := s.first(copilot.Unavailable); r != nil && r.Notice != nil {
		return s.decide(ReviewerRefuses, "%s: %s", r.Name, r.Why)
	}
	return s.decide(ReviewUnavailable, "%s", s.stands(copilot.Unavailable))
}

// The back-off of dropped requests: after the first 5 minutes, then twice as
// long, and after the third try no more.
const (
	dropBackoff = 5 * time.Minute
	dropTries   = 3
)

func ask(s *step) bool {
	if s.single && !s.owed() || !s.due() {
		return false
	}
	var copilotDue bool
	for i := range s.facts.Loop {
		r := &s.facts.Loop[i]
		if r.IsCopilot() {
			copilotDue = len(s.facts.Loop) == 1 || r.Due() || s.anotherClean()
			copilotDue = copilotDue && !s.mute
		}
	}
	named, decided := s.mentions()
	if decided {
		return true
	}
	if copilotDue && s.askCopilot() {
		if s.plan.Code != ReviewRequested && len(named) == 0 {
			return true
		}
		if s.plan.Code == ReviewRequested {
			named = append(named, "Copilot")
		}
	}
	// Whom it can ask now a step does ask; the next one says why it cannot the others.
	by, alone := strings.Join(named, ", "), len(named) == 1 && named[0] == "Copilot"
	if n := len(named); n > 1 && named[n-1] == "Copilot" {
		by = strings.Join(named[:n-1], ", ") + " and Copilot"
	}
	was, why := s.plan.Code, s.plan.Why
	switch job := s.startJob(s.facts.Loop, s.inRound()); {
	case len(named) == 0:
		return job
	case job && s.plan.Handoff != nil:
		s.plan.Why += "; that by " + by + " is asked for too"
		return true
	case alone:
		return s.decide(was, "%s", why)
	}
	return s.decide(ReviewRequested, "the review of %s by %s is due (round %d)", s.snap.Head.Short(), by, s.facts.Rounds+1)
}

func (s *step) inRound() string { return fmt.Sprintf(" (round %d)", s.facts.Rounds+1) }

// askCopilot requests Copilot's review.
func (s *step) askCopilot() bool {
	if n := s.facts.NoticeAtHead; n != nil && n.Kind == facts.NothingToReview {
		return s.decide(NothingToReview, "Copilot answered at %s that it could review no file of %s", clock(n.SubmittedAt), s.snap.Head.Short())
	}
	if until := later(s.facts.QuotaUntil, s.in.Record.QuotaUntil(pr.CopilotReviewer)); s.now.Before(until) {
		s.waitFor("quota", time.Time{}, until, ReviewRequested)
		if s.recordable() && !s.in.Record.QuotaUntil(pr.CopilotReviewer).Equal(until) {
			s.plan.Effects = append(s.plan.Effects, effect.Record{Reviewer: pr.CopilotReviewer, QuotaUntil: until.UTC().Format(time.RFC3339)})
		}
		return s.decide(ReviewQuota, "no quota for Copilot's reviews until %s", clock(until))
	}
	asked := s.requestAtHead()
	if asked.Result == effect.Dropped {
		if asked.Tries >= dropTries {
			return s.decide(Unregistered, "%d requests for %s were accepted and none was registered", asked.Tries, s.snap.Head.Short())
		}
		again := asked.At.Add(dropBackoff << (asked.Tries - 1))
		if s.now.Before(again) {
			s.waitFor("backoff", asked.At, again, ReviewRequested)
			return s.decide(RequestBackoff, "request %d for %s was dropped; the next one is due at %s", asked.Tries, s.snap.Head.Short(), clock(again))
		}
	}
	if s.budgetSpent(pr.CopilotReviewer) {
		return true
	}
	if s.recordable() {
		s.plan.Effects = append(s.plan.Effects, effect.Record{PR: s.snap.Number, Head: s.snap.Head, Reviewer: pr.CopilotReviewer, Day: s.day()})
	}
	s.plan.Effects = append(s.plan.Effects, effect.RequestReview{
		Reviewer: pr.CopilotReviewer,
		Head:     s.snap.Head,
		Again:    len(s.facts.Reviews) > 0,
		Try:      asked.Tries + 1,
	})
	if s.anotherClean() && s.plan.Converged.Missing[0] == "no_new_comments" {
		return s.decide(ReviewRequested, "what Copilot found at %s is dealt with, and a review that finds nothing is due (round %d; convergence: literal)", s.snap.Head.Short(), s.facts.Rounds+1)
	}
	if s.anotherClean() {
		return s.decide(ReviewRequested, "%d of the %d clean reviews in a row of cleanRounds are there at %s, and Copilot's next one is due (round %d)",
			s.cleanInARow(), s.in.Settings.CleanRounds, s.snap.Head.Short(), s.facts.Rounds+1)
	}
	return s.decide(ReviewRequested, "Copilot's review of %s is due (round %d)", s.snap.Head.Short(), s.facts.Rounds+1)
}

// recordable: there is a repository record, or one can be opened. Without one
// what it keeps holds for each pull request by itself, and that is said.
func (s *step) recordable() bool {
	why := ""
	switch u := s.snap.Missing(pr.FactRecord); {
	case s.snap.Repo.IssuesOff:
		why = "issues are switched off"
	case u != nil && u.Right != "":
		why = "the token lacks the permission " + u.Right
	case u != nil:
		why = "it could not be read in full"
	default:
		return true
	}
	s.plan.Notices = append(s.plan.Notices, "There is no repository record ("+why+"), so budgets.reviewsPerDay and the quota clock hold for this pull request alone")
	return false
}

func (s *step) day() string { return s.now.UTC().Format(time.DateOnly) }

// budgetSpent: a budget forbids the next request. A request that the record
// counts already is not counted twice.
func (s *step) budgetSpent(who pr.Login) bool {
	b := s.in.Settings.Budgets
	asked, today := s.in.Journal.Asked, s.in.Record.ReviewsOn(s.day())
	for _, e := range s.plan.Effects { // what this very step asks of others
		_, request := e.(effect.RequestReview)
		_, mention := e.(effect.Mention)
		if request || mention {
			asked++
		}
		if r, ok := e.(effect.Record); ok && r.Day != "" && !s.in.Record.Counts(r.Day, r.PR, r.Head, r.Reviewer) {
			today++
		}
	}
	switch {
	case asked >= b.ReviewsPerPullRequest:
		return s.decide(BudgetExhausted, "%d of %d reviews of budgets.reviewsPerPullRequest are used", asked, b.ReviewsPerPullRequest)
	case !s.in.Record.Counts(s.day(), s.snap.Number, s.snap.Head, who) && today >= b.ReviewsPerDay:
		return s.decide(BudgetExhausted, "%d of %d reviews of budgets.reviewsPerDay are used in this repository today", today, b.ReviewsPerDay)
	case !s.acted() && s.in.StartsLeft <= 0:
		return s.decide(BudgetExhausted, "this run has started as many pull requests as budgets.startsPerRun (%d) allows", b.StartsPerRun)
	}
	return false
}

func (s *step) requestAtHead() journal.Request {
	for _, r := range s.in.Journal.Requests {
		if r.Head == s.snap.Head && r.Reviewer == pr.CopilotReviewer {
			return r
		}
	}
	return journal.Request{}
}

func waitForReview(s *step) bool {
	// A clean end at the cap waits for a review that is still in flight.
	_, ended := endings[s.plan.Copilot.State]
	inFlight := slices.Contains([]copilot.RequestStatus{copilot.Requested, copilot.AlreadyRequested}, s.facts.Copilot.CopilotReviewRequestStatus)
	if s.plan.Copilot.State != copilot.WaitingForCopilotReview && (!ended || !inFlight) {
		return false
	}
	if r := s.soonest(); r != nil && !r.IsCopilot() {
		return s.waitForOther(r)
	}
	since := s.facts.Request.Since
	if since.IsZero() {
		since = s.facts.HeadAt
	}
	until := since.Add(s.in.Settings.ReviewWait())
	if s.now.Before(until) {
		s.waitFor("copilot_review", since, until, ReviewWaitCap)
		if n := s.facts.NoticeAtHead; n != nil && n.SubmittedAt.Equal(since) {
			return s.decide(WaitingForReview, "Copilot's answer of %s is no review that prloop can read", clock(since))
		}
		return s.decide(WaitingForReview, "Copilot was asked at %s", clock(since))
	}
	return s.copilotSilent(since, until, inARound)
}

// working: Copilot began after since and has not ended.
func (s *step) working(since time.Time) bool {
	at := false
	for _, e := range s.snap.Work {
		if e.At.Before(since) {
			continue
		}
		if e.Kind == pr.WorkStarted {
			at = true
		}
		if e.Kind == pr.WorkFinished || e.Kind == pr.WorkFailed {
			at = false
		}
	}
	return at
}

// nothingDecides: the machine sees an end, but what convergence asks for is
// not all there.
func nothingDecides(s *step) bool {
	if s.in.Settings.RequireCI && s.unknown(pr.FactChecks, pr.FactRules) {
		return true
	}
	return s.decide(FactUnknown, "the head is reviewed, but convergence still lacks: %s", strings.Join(s.plan.Converged.Missing, ", "))
}

// waitFor notes what is waited for.
func (s *step) waitFor(what string, since, until time.Time, then Code) {
	s.plan.Wait = &journal.Wait{What: what, Head: s.snap.Head, Since: since, Until: until, Then: string(then)}
	s.plan.NextWake = until
}

// refused: this token had no right to e before, and is not asked again.
func (s *step) refused(e effect.Effect) bool {
	_, ok := s.in.Journal.RefusedFor(e.Key(), via(s.in.UserToken))
	return ok
}

// finish adds what every decision brings along: the one comment that calls a
// person, and the hiding of those that no longer say what is so.
func (s *step) finish() {
	p := &s.plan
	if len(p.Needs) > 0 {
		return
	}
	if slices.Contains(proven, p.Code) {
		s.heldBack(quest.Ready)
	}
	s.ended()
	s.stall()
	s.wakeInTime()
	s.conclude()
	if s.in.Journal.Rebuilt != nil && s.in.Memory != journal.MemoryFound {
		p.Notices = append(p.Notices, rebuiltNotice(s.in.Memory))
	}
	s.notes()
}

// notes adds the one comment that calls a person, the answers to commands, and
// the hiding of notes that no longer say what is so.
func (s *step) notes() {
	p := &s.plan
	if p.Decision == Skip || p.Code == LiveOwner || !s.acted() && !p.Acts() && !s.callsFirst() {
		return
	}
	s.takeOver()
	r := Find(p.Code)
	if r.Calls && s.in.Settings.Notify != config.NotifyNone && !s.told(p.Code) {
		p.Effects = append(p.Effects, effect.Comment{Topic: string(p.Code), Head: s.noteHead()})
	}
	p.Effects = slices.DeleteFunc(append(s.reactions(), p.Effects...), s.refused)
	if p.Account != nil {
		return // the step after the report says which notes still hold
	}
	if slices.Contains(passing, p.Code) {
		return // it says nothing of what the notes say
	}
	for _, c := range s.snap.Comments {
		topic, head, ok := effect.ParseNote(c.Body)
		if !ok || !c.Mine || c.Minimized || isReview(topic) || topic == landedTopic || topic == string(p.Code) && head == pr.SHA(s.noteHead().Short()) {
			continue
		}
		if hide := (effect.Hide{CommentID: c.ID, Topic: topic, Head: head}); !s.refused(hide) {
			p.Effects = append(p.Effects, hide)
		}
	}
}

// passing are the codes of a step that could not see, or not act: what was told
// before may be so still, and a note that is hidden is not told again.
var passing = []Code{FactUnknown, LiveOwner, NeedsReconcile, Settling, Claimed}

func (s *step) told(code Code) bool {
	return slices.ContainsFunc(s.in.Journal.Told, func(t journal.Told) bool {
		return t.Topic == string(code) && pr.SHA(t.Head.Short()) == pr.SHA(s.noteHead().Short())
	})
}

func rebuiltNotice(m journal.Memory) string {
	return fmt.Sprintf("The journal was rebuilt from GitHub's history (%s): rounds, requests and notes are known again, the time of a hand-over is not", m)
}

// convergence are the facts that round judges (design 6, Converged).
func (s *step) convergence() round.Facts {
	f, snap := s.facts, s.snap
	reviews := snap.Missing(pr.FactReviews) == nil
	threads := snap.Missing(pr.FactThreads) == nil
	requests := reviews && snap.Missing(pr.FactRequests) == nil && snap.Missing(pr.FactEvents) == nil
	checks := snap.Missing(pr.FactChecks) == nil && snap.Missing(pr.FactRules) == nil
	active := f.Copilot.CopilotReviewRequestStatus == copilot.Requested || f.Copilot.CopilotReviewRequestStatus == copilot.AlreadyRequested
	found := f.AtHead != nil && (!f.AtHead.Clean || f.AtHead.Threads > 0) ||
		slices.ContainsFunc(f.Loop, func(r facts.Reviewer) bool { return !r.IsCopilot() && r.AtHead && (r.Judges != "" || r.Threads > 0) }) ||
		slices.ContainsFunc(f.Final, func(r facts.Reviewer) bool { return r.AtHead && (r.Judges != "" || r.Threads > 0) })
	return round.Facts{
		Open:           round.Of(snap.Found, snap.State == pr.Open && !snap.Draft),
		Reviewed:       round.Of(reviews, f.Rounds > 0),
		ReviewedAtHead: round.Of(reviews, f.Copilot.CopilotReviewOnCurrentHead),
		ReviewClean:    round.Of(reviews && threads, f.Copilot.CopilotReviewOnCurrentHead && !f.Copilot.CopilotBodyFeedbackUnresolved),
		Pending:        round.Of(requests, active),
		ThreadsAwaitUs: round.Of(threads, f.Copilot.UnresolvedThreadCount > 0),
		BodyFinding:    round.Of(reviews, f.Copilot.CopilotBodyFeedbackUnresolved),
		ChecksGreen:    round.Of(checks, f.CI.Status == copilot.CISuccess),
		Found:          found,
		Left:           found && f.Copilot.UnresolvedThreadCount == 0 && s.left(),
		IgnoreChecks:   !s.in.Settings.RequireCI,
		Ended:          string(s.plan.Copilot.State),
		Single:         s.single && !s.owed(),
		Rubric:         s.rubricAlone(),
		Settle:         s.in.Settings.Settle,
		Settled:        s.settled(),
		CleanInARow:    s.enoughClean(reviews && threads),
		SeveralClean:   s.severalClean(),
		Literal:        s.literal(),
		NothingNew:     round.Of(reviews && threads, s.literal() && s.nothingNew()),
		AnyAwaits:      round.Of(threads, s.literal() && s.anyAwaits()),
		Triggered:      round.Of(requests, s.literal() && s.triggered()),
		Below:          len(f.Left) > 0,
		Pass:           s.hasPass(),
		Agreed:         s.agreed(reviews && threads && requests),
	}
}

// marks are those of what awaits us, made once.
func (s *step) marks() []string {
	if s.awaiting == nil {
		s.awaiting = findingMarks(s.facts.Awaiting)
	}
	return slices.Clone(s.awaiting)
}

// beside are the marks of all that given does not have.
func beside(all, given []string) []string {
	if slices.Equal(all, given) {
		return nil
	}
	has := map[string]bool{}
	for _, m := range given {
		has[m] = true
	}
	return slices.DeleteFunc(all, func(m string) bool { return has[m] })
}

// findingMarks are short digests of the findings' ids, sorted: what the
// journal keeps of a hand-over, since ids are long and texts are a stranger's.
func findingMarks(list []facts.Finding) []string {
	marks := make([]string, 0, len(list))
	for _, f := range list {
		marks = append(marks, journal.Mark(f.ID))
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

// names quotes names that strangers chose, three at most.
func names(list []string) string {
	const most = 3
	quoted := make([]string, 0, most)
	for _, n := range list[:min(len(list), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	switch more := len(list) - most; {
	case len(list) == 0:
		return "a check"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), more)
	}
	return strings.Join(quoted, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
