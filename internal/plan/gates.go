package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// What stands between a head that has converged and its merge (seed 001,
// safeAutoMerge; design 7). The first row that holds decides, and it alone
// speaks: its reason code is the one notification.
//
// The order is the seed's: the opt-in goes first, so that nobody who never wanted
// a merge hears of its other conditions; what is closed for good goes before what
// may still come; GitHub's own words about the merge go last, since they are worth
// nothing before the rest holds.
var gates = []struct {
	id, says string
	holds    func(*step) bool // it decided: the gate is closed
}{
	{"1", "autoMerge.enabled, and nobody closed the merge (humanMergeOnly, /prloop automerge off)", notOptedIn},
	{"2", "not paused", pausedAtC},
	{"3", "its base is allowed, and never on the block list", baseClosed},
	{"4", "open, and no draft", draftAtC},
	{"5", "the checks that count are green now, and there are some", checksNotGreen},
	{"6", "neither armed nor queued already", armedAlready},
	{"7", "the end is one that prloop may judge by itself, or a person approved this head", needsApproval},
	{"7a", "the life cycle lets it land: checkpoint C is passed, and nobody holds the review", heldAtC},
	{"8", "no person's changes-requested review stands", changesStand},
	{"9", "no thread of a person, or of a bot that nobody answers, is open", threadsStand},
	{"10", "no review of this head is under way", reviewUnderWay},
	{"11", "it changes something", nothingChanged},
	{"12", "the last refusal of this head is no longer what GitHub shows", refusedBefore},
	{"13", "GitHub says that it can be merged, in this way", cannotMerge},
}

// Gates returns the rows for the README: id and words.
func Gates() [][2]string {
	rows := make([][2]string, len(gates))
	for i, g := range gates {
		rows[i] = [2]string{g.id, g.says}
	}
	return rows
}

// An end is how the loop ended at this head: what is told where no merge follows.
type end struct {
	code Code
	why  string
}

// toLand merges what has come to an end, or says what stands against that.
func (s *step) toLand(code Code, why string, args ...any) bool {
	s.end = end{code, fmt.Sprintf(why, args...)}
	for _, g := range gates {
		if g.holds(s) {
			return true
		}
	}
	return s.merge()
}

// merge wishes the merge itself.
func (s *step) merge() bool {
	if !s.acted() && s.in.StartsLeft <= 0 {
		return s.decide(BudgetExhausted, "this run has started as many pull requests as budgets.startsPerRun (%d) allows", s.in.Settings.Budgets.StartsPerRun)
	}
	e := effect.Merge{
		Head: s.snap.Head, Base: s.snap.Base.Name, Method: s.method(), Way: effect.Armed, Settled: s.nothingRuns(), Try: s.mergeTry(),
	}
	switch {
	case s.snap.HasQueue:
		e.Way = effect.Queued
	case !s.snap.Merges.Auto:
		e.Way = effect.Direct
	}
	if s.refused(e) {
		return s.decide(MissingRight, "%s cannot be merged: the token lacks the permission %q", s.snap.Head.Short(), s.lack(e))
	}
	s.plan.Effects = append(s.plan.Effects, e)
	s.land()
	if !s.in.UserToken {
		s.plan.Notices = append(s.plan.Notices, "There is no user-token, so the merge is made by the workflow token, and what that merges starts no workflows")
	}
	return s.decide(Merging, "%s; every gate of the merge is open at %s%s", s.end.why, s.snap.Head.Short(), s.approvedWords())
}

// lack is the right that e was refused for.
func (s *step) lack(e effect.Effect) string {
	r, _ := s.in.Journal.RefusedFor(e.Key(), via(s.in.UserToken))
	return r.Right
}

func (s *step) approvedWords() string {
	if by, _ := s.approver(); by != "" {
		return fmt.Sprintf(", and %s approved it", by)
	}
	return ""
}

// Came is p once its effects came to results: of a merge GitHub alone says what
// became of it, and only its success is called queued or made.
func (p Plan) Came(results []effect.Result) Plan {
	for _, r := range results {
		if _, ok := r.Effect.(effect.Merge); !ok || r.Outcome != effect.Done && r.Outcome != effect.AlreadySo {
			continue
		}
		switch r.Merge {
		case effect.MergeMade:
			p.Code = MergeMade
		case effect.MergeArmed, effect.MergeQueued:
			p.Code = MergeQueued
		case effect.NotAllowed, effect.CleanStatus, effect.NoProtection, effect.NeedsQueue, effect.UnstableStatus, effect.DirtyStatus, effect.BehindBase,
			effect.DraftStatus, effect.RulesRefuse, effect.HeadChanged, effect.BaseChanged, effect.Unmergeable, effect.MergeRefused:
		}
	}
	p.Decision = Find(p.Code).Decision
	return p
}

// Still says why e is not wished any more over what was read again right before it;
// empty: it is.
func Still(in Input, e effect.Merge) string {
	p := Decide(in)
	switch {
	case len(p.Needs) > 0:
		return "something was said since"
	case slices.ContainsFunc(p.Effects, func(o effect.Effect) bool { return o.Key() == e.Key() }):
		return ""
	}
	return "it would be decided otherwise now (" + string(p.Code) + ")"
}

// optedIn: nothing but the facts of this head stands against a merge by prloop.
func (s *step) optedIn() bool {
	return s.in.Settings.AutoMerge.Enabled && s.closedBy() == ""
}

// closedBy says who closed the merge for prloop; empty where nobody did.
func (s *step) closedBy() string {
	switch {
	case s.in.Settings.HumanMergeOnly:
		return "humanMergeOnly is set"
	case !s.in.Journal.Orders.ByHand.IsZero():
		return "a person commented /prloop automerge off"
	}
	return ""
}

// notOptedIn is gate 1. Without the opt-in prloop never merges, whoever approves.
func notOptedIn(s *step) bool {
	if s.optedIn() {
		return false
	}
	closed := s.closedBy()
	by, _ := s.approver()
	switch {
	case by != "" && closed == "":
		closed = "autoMerge.enabled is not set"
		fallthrough
	case by != "":
		return s.decide(ApprovedByHand, "%s, and %s approved %s; %s, so a person merges", s.end.why, by, s.snap.Head.Short(), closed)
	case s.in.Settings.AutoMerge.Enabled:
		return s.decide(MergeClosed, "%s; %s, so a person merges", s.end.why, closed)
	}
	return s.decide(s.end.code, "%s", s.end.why)
}

func pausedAtC(s *step) bool {
	return !s.in.Journal.Orders.Paused.IsZero() && s.decide(ReadyPaused, "%s, and a person paused it", s.end.why)
}

func baseClosed(s *step) bool {
	switch base := s.snap.Base.Name; {
	case config.MatchAny(s.in.Settings.AutoMerge.NeverMergeToBranches, base):
		return s.decide(BaseNotAllowed, "%s; autoMerge.neverMergeToBranches has its base %s", s.end.why, names([]string{base}))
	case !config.MatchAny(s.in.Settings.AutoMerge.AllowedTargetBranches, base):
		return s.decide(BaseNotAllowed, "%s; autoMerge.allowedTargetBranches has not its base %s", s.end.why, names([]string{base}))
	}
	return false
}

func draftAtC(s *step) bool {
	return s.snap.Draft && s.decide(ReadyDraft, "%s, and it is a draft", s.end.why)
}

// checksNotGreen is gate 5. What is not known, or has not ended, is not green; a
// set that is empty is never green by itself (D9).
func checksNotGreen(s *step) bool {
	if s.unknown(pr.FactChecks, pr.FactRules) {
		return true
	}
	ci := s.facts.CI
	switch {
	case len(ci.Failing) > 0:
		return s.decide(MergeChecks, "%s, and %s failed", s.end.why, names(ci.Failing))
	case len(ci.Checks) == 0 && s.in.Settings.AutoMerge.WithoutChecks:
		return false
	case len(ci.Checks) == 0:
		return s.decide(MergeWithoutChecks, "%s, and no check counts at %s", s.end.why, s.snap.Head.Short())
	case ci.Status == copilot.CISuccess:
		return false
	}
	return s.ciWait()
}

// armedAlready is gate 6: what is armed or queued and not by prloop is somebody
// else's merge, which is waited for. Prloop's own goes before (row S4d).
func armedAlready(s *step) bool {
	switch {
	case s.takenBack():
		return false
	case s.unknown(pr.FactMerging):
		return true
	case s.snap.Queue != nil:
		return s.decide(WaitingForMerge, "%s put it into the merge queue", actor(s.snap.Queue.By))
	case s.snap.AutoMerge != nil:
		return s.decide(WaitingForMerge, "%s has GitHub merge it as soon as nothing holds it back", actor(s.snap.AutoMerge.By))
	}
	return false
}

func actor(a pr.Actor) string {
	if a.Login == "" {
		return "somebody"
	}
	return string(a.Login)
}

// needsApproval: in every end but a review of this head that is clean by itself a
// person decides, whatever autoMerge says (design 6); so for a change by somebody
// who may not write here, which no bot's word alone merges (design 7). That is the
// author of a fork's head: whoever may write has a branch here to push to.
func needsApproval(s *step) bool {
	why := ""
	by, _ := s.approver()
	switch {
	case by != "":
		return false
	case s.end.code != Converged:
		why = "this end is for a person to judge"
	case s.plan.Converged.Kind != round.Review:
		why = "what its review found is for a person to judge"
	case s.snap.Fork():
		why = "its head is not of this repository"
	default:
		return false
	}
	return s.decide(ApprovalNeeded, "%s; %s", s.end.why, why)
}

// heldAtC: the quest has the last word on landing.
func heldAtC(s *step) bool {
	if s.spine() != nil {
		s.unpark(s.end.code)
	}
	may, code, why := s.mayLand()
	switch {
	case may:
		return false
	case code == "", !slices.ContainsFunc(Reasons, func(r Reason) bool { return r.Code == code }):
		return s.decide(ApprovalNeeded, "%s; %s", s.end.why, why)
	}
	return s.decide(code, "%s; %s", s.end.why, why)
}

// opinions are the last words of the people who approved or asked for changes, one
// of each, oldest first.
func (s *step) opinions() []*pr.Review {
	var list []*pr.Review
	for i := range s.snap.Reviews {
		v := &s.snap.Reviews[i]
		if v.Author.Bot || v.Author.Login == "" || v.State == pr.Pending || v.State == pr.Commented {
			continue
		}
		list = append(slices.DeleteFunc(list, func(o *pr.Review) bool { return o.Author.Login == v.Author.Login }), v)
	}
	return list
}

// objector is a person whose changes-requested review stands, at whatever head.
func (s *step) objector() pr.Login {
	for _, v := range s.opinions() {
		if v.State == pr.ChangesRequested {
			return v.Author.Login
		}
	}
	return ""
}

func changesStand(s *step) bool {
	who := s.objector()
	return who != "" && s.decide(ChangesRequested, "%s, and %s asks for changes", s.end.why, who)
}

// openThreads counts the threads that hold a merge back: every open one, but those
// of people with write permission where people: ignore is set.
func (s *step) openThreads() int {
	n := s.facts.Threads.Open
	if s.in.Settings.Ignore {
		n -= s.facts.Threads.People
	}
	return n
}

func threadsStand(s *step) bool {
	n := s.openThreads()
	return n > 0 && s.decide(ThreadsOpen, "%s, and %s", s.end.why, count(n, "thread is open", "threads are open"))
}

// reviewUnderWay: one that nobody waits for (required: false), or that was asked
// for by hand, is waited for before a merge all the same.
func reviewUnderWay(s *step) bool {
	for i := range s.facts.Loop {
		if r := &s.facts.Loop[i]; s.awaited(r) {
			s.waitFor("review", r.Since, r.Until, ReviewWaitCap)
			return s.decide(WaitingForReview, "%s, and a review of it by %s is under way", s.end.why, display(r))
		}
	}
	return s.convergence().Pending != round.No && s.decide(WaitingForReview, "%s, and a review of it is under way", s.end.why)
}

func nothingChanged(s *step) bool {
	return s.snap.ChangedFiles == 0 && s.decide(NothingToMerge, "%s, and it changes no file", s.end.why)
}

// refusedBefore: GitHub refused this head, and shows of it what it showed then. A
// retry by a person asks once more.
func refusedBefore(s *step) bool {
	l := s.landing()
	if l == nil || l.Came == "" || l.Came.Pins() || l.Mark != s.mergeMark() || s.retried().At.After(l.At) {
		return false
	}
	if l.Came == effect.UnstableStatus || l.Came == effect.BaseChanged {
		return !s.nothingRuns() && s.waitForMerge(l, "checks are running that GitHub waits for")
	}
	row := refusedAs[l.Came]
	if row.code == "" {
		row = refusedAs[effect.MergeRefused]
	}
	return s.decide(row.code, "%s; %s", s.end.why, row.says)
}

// refusedAs says what each class of GitHub's refusals comes to.
var refusedAs = map[effect.MergeResult]struct {
	code Code
	says string
}{
	effect.DirtyStatus:  {MergeConflicts, "GitHub says that it has conflicts"},
	effect.BehindBase:   {MergeBehind, "GitHub wants it up to date with its base"},
	effect.RulesRefuse:  {MergeBlocked, "GitHub refuses the merge by a rule of the base"},
	effect.NeedsQueue:   {MergeBlocked, "GitHub merges it by its queue alone, and does not take it there"},
	effect.NotAllowed:   {MergeBlocked, "GitHub allows no auto-merge here, and refuses the merge at once"},
	effect.NoProtection: {MergeBlocked, "GitHub refuses the merge"},
	effect.CleanStatus:  {MergeBlocked, "GitHub refuses the merge"},
	effect.DraftStatus:  {ReadyDraft, "GitHub says that it is a draft"},
	effect.Unmergeable:  {LandRefused, "GitHub says that it cannot be merged, and not why"},
	effect.MergeRefused: {LandRefused, "GitHub refuses the merge in words that prloop does not know; the log of the run has them"},
}

// cannotMerge: what GitHub says of the merge in the snapshot. A rule that is not
// met (BLOCKED) is what auto-merge waits for, so it is asked.
func cannotMerge(s *step) bool {
	switch s.snap.MergeState {
	case "UNKNOWN":
		s.plan.NextWake = s.now.Add(s.in.Settings.PollInterval)
		return s.decide(MergeStateUnknown, "%s; GitHub has not worked out yet whether it can be merged", s.end.why)
	case "DIRTY":
		return s.decide(MergeConflicts, "%s, and it has conflicts with its base", s.end.why)
	case "BEHIND":
		return s.behind()
	}
	if !s.snap.HasQueue && !slices.Contains(s.snap.Merges.Methods, s.method()) {
		return s.decide(MergeBlocked, "%s; autoMerge.mergeMethod is %s, which the repository does not allow", s.end.why, s.in.Settings.AutoMerge.MergeMethod)
	}
	return false
}

// behind brings a head up to date with its base, where that is configured.
func (s *step) behind() bool {
	if !s.in.Settings.AutoMerge.UpdateBranch {
		return s.decide(MergeBehind, "%s, and its base has moved on", s.end.why)
	}
	e := effect.UpdateBranch{Head: s.snap.Head}
	if s.refused(e) {
		return s.decide(MissingRight, "%s cannot be brought up to date: the token lacks the permission %q", s.snap.Head.Short(), s.lack(e))
	}
	s.plan.Effects = append(s.plan.Effects, e)
	if !s.in.UserToken {
		s.plan.Notices = append(s.plan.Notices, "There is no user-token, so the branch is updated by the workflow token, and what that pushes starts no workflows")
	}
	s.plan.Leads = true
	return s.decide(BranchUpdated, "%s; its base has moved on, and autoMerge.updateBranch is set", s.end.why)
}

// method is autoMerge.mergeMethod in GitHub's words.
func (s *step) method() pr.MergeMethod {
	m := s.in.Settings.AutoMerge.MergeMethod
	return pr.MergeMethod(strings.ToUpper(string(m)))
}

// mergeMark is what GitHub shows of how the pull request may be merged.
func (s *step) mergeMark() string { return s.snap.MergeState }

// nothingRuns: no check of the head runs that GitHub would wait for. Our own job's
// never counts.
func (s *step) nothingRuns() bool { return !s.facts.CI.Running }

// ready: the head has converged, and prloop would merge it were it not for the
// gates. It is asked where a row before the outcome decides.
func (s *step) ready() bool {
	if !s.optedIn() {
		return false
	}
	f := s.convergence()
	f.Open = round.Of(s.snap.Found, s.snap.State == pr.Open)
	s.plan.Converged = round.Converged(f)
	return s.plan.Converged.Converged
}

// landing is the merge that prloop began for this head; nil where it began none.
func (s *step) landing() *journal.Landing {
	if l := s.in.Journal.Landing; l != nil && l.Head == s.snap.Head {
		return l
	}
	return nil
}

// mergeTry counts on where this head was refused, or let go, and is tried again.
// One that was only meant is the same wish.
func (s *step) mergeTry() int {
	l := s.landing()
	switch {
	case l == nil:
		return 1
	case l.Came == "":
		return l.Try
	}
	return l.Try + 1
}

// mergeUntil is until when a merge is waited for: pollTickCap ticks, and as many
// again for a retry (D15).
func (s *step) mergeUntil(l *journal.Landing) time.Time {
	return later(l.At, s.retried().At).Add(time.Duration(s.in.Settings.PollTickCap) * s.in.Settings.PollInterval)
}

func (s *step) waitForMerge(l *journal.Landing, why string) bool {
	until := s.mergeUntil(l)
	if !s.now.Before(until) {
		s.spent(mergeWait, l.At, until, MergeStuck)
		return s.decide(MergeStuck, "the merge of %s was asked for at %s and has not come about: %s", s.snap.Head.Short(), clock(l.At), why)
	}
	s.waitFor(mergeWait, later(l.At, s.retried().At), until, MergeStuck)
	return s.decide(WaitingForMerge, "the merge of %s was asked for at %s, and %s", s.snap.Head.Short(), clock(l.At), why)
}

// mergeWait is the name of the wait for a merge.
const mergeWait = "merge"
