package plan

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// What people command in comments (design 10). A command is heard before the
// rows of the order are asked: it changes what the journal says, and the rows
// decide over that, so that one run hears, answers and goes on. The reaction is
// an effect; what was heard stands in the journal from the intent on, and is
// never heard again.

// The replies to a command: what became of it, in one word.
const (
	replyDone      = "done"
	replySo        = "so"            // it is so already
	replyTold      = "told"          // the status comment is the answer
	replyUnseen    = "unseen"        // the head is newer than the comment
	replyUnknown   = "unknown"       // no such word
	replyMisused   = "misused"       // other arguments than the word takes
	replyForbidden = "forbidden"     // no write permission
	replyLater     = "not_available" // not in this version
	replyOver      = "over"          // the pull request is merged or closed
	replyRetry     = "retry"         // a cap that resume does not lift
	replyNothing   = "nothing"       // nothing is capped here
	replyPaused    = "paused"        // resume goes first
	replySpend     = "spend"         // a budget, which approve spend lifts
	replyNoSpend   = "no_spend"      // no budget is used up
	replyCapped    = "capped"        // the rounds are spent
	replyReviewed  = "reviewed"      // the head has its review
	replyNobody    = "nobody"        // nobody can be asked
	replyNoFinding = "no_finding"    // no open finding has this id
	replyUnmerged  = "unmerged"      // there is no merge to take back
	replyThread    = "thread"        // the finding has a thread
	replyNoPause   = "no_pause"      // nothing is paused by a verdict
	replyNoOptIn   = "no_opt_in"     // automerge on without the opt-in
	replyHeard     = "heard"         // by a journal that was lost since
	replyLeft      = "left"          // prloop has left the repository
	replyNotHere   = "not_here"      // an issue has nothing of the kind
	// What the life cycle says to it.
	replyClaimed         = "claimed"          // a person holds the review
	replyUnclaimed       = "unclaimed"        // nobody does
	replyNoCheckpoint    = "no_checkpoint"    // it waits at none
	replyOtherCheckpoint = "other_checkpoint" // it waits at another one
	replyOlder           = "older"            // the head is newer than the comment
	replyRecorded        = "recorded"         // shadow: it moves nothing
)

// replies say how each reply is told: the reaction, and the words in the status
// comment, empty where the reaction says it all. %[1]s is the command, %[2]s what
// it takes, %[3]s a suggestion, %[4]s all the words there are.
var replies = map[string]struct {
	reaction pr.Reaction
	says     string
}{
	replyDone:      {pr.Rocket, ""},
	replySo:        {pr.PlusOne, ""},
	replyTold:      {pr.PlusOne, ""},
	replyHeard:     {pr.PlusOne, ""},
	replyUnseen:    {pr.Rocket, "%[1]s took the pull request in; its head was not seen by prloop before the comment, so look at it and comment %[1]s again to clear it for a fixer"},
	replyUnknown:   {pr.Confused, "no such command%[3]s; there are %[4]s"},
	replyMisused:   {pr.Confused, "%[1]s takes %[2]s"},
	replyForbidden: {pr.Confused, "refused: its author has no write permission here"},
	replyLater:     {pr.Confused, "%[1]s is not available in this version of prloop"},
	replyOver:      {pr.Confused, "%[1]s came after the end of the pull request"},
	replyRetry:     {pr.Confused, "%[1]s changes no count, and one is used up here; `/prloop retry` allows it once more"},
	replyNothing:   {pr.Confused, "%[1]s: nothing has run into a cap here"},
	replyPaused:    {pr.Confused, "%[1]s: it is paused; `/prloop resume` goes first"},
	replySpend:     {pr.Confused, "%[1]s lifts no budget; `/prloop approve spend` does"},
	replyNoSpend:   {pr.Confused, "%[1]s: no budget is used up"},
	replyCapped:    {pr.Confused, "%[1]s lifts no cap, and the rounds are spent; `/prloop retry` allows one more"},
	replyReviewed:  {pr.Confused, "%[1]s: this head has its review; `/prloop rerequest --force` asks again"},
	replyNobody:    {pr.Confused, "%[1]s: there is no reviewer that can be asked"},
	replyNoFinding: {pr.Confused, "%[1]s: no open finding without a thread has this id"},
	replyLeft:      {pr.Confused, "%[1]s: prloop has left this repository; `/prloop start` takes the pull request in again"},
	replyUnmerged:  {pr.Confused, "%[1]s: the pull request is not merged"},
	replyNoOptIn:   {pr.Confused, "%[1]s only takes `/prloop automerge off` back; the opt-in is the configuration's (autoMerge.enabled, humanMergeOnly)"},
	replyThread:    {pr.Confused, "%[1]s: this finding has a thread; answer or resolve that"},
	replyNoPause:   {pr.Confused, "%[1]s: no verdict pauses this head, and it waits neither at checkpoint A nor at B; the merge is approved by `/prloop approve C`"},

	replyClaimed:         {pr.Confused, "%[1]s: a person holds the review; whoever claimed it, or an administrator, comments `/prloop release` first"},
	replyUnclaimed:       {pr.Confused, "%[1]s: nobody holds the review"},
	replyNoCheckpoint:    {pr.Confused, "%[1]s: it waits at no checkpoint now"},
	replyOtherCheckpoint: {pr.Confused, "%[1]s: it waits at another checkpoint; see the life cycle above"},
	replyOlder:           {pr.Confused, "%[1]s: the head is newer than the comment; look at it, and comment again"},
	replyRecorded:        {pr.PlusOne, "%[1]s is on record; the checkpoint is in shadow mode, so nothing moves"},
	replyNotHere:         {pr.Confused, "%[1]s is for pull requests"},
}

// An Obeyed is one command that a step hears, with what its effect on the
// journal depends on.
type Obeyed struct {
	journal.Order
	Head    pr.SHA
	Now     time.Time
	Stood   Code   // the reason code that stood before it
	Rounds  int    // so far
	Over    int    // requests for the head so far
	Finding string // mark of the finding that is dismissed
	Spent   journal.Zero
	// Made and Back are the fixes and the rounds of nothing but pushbacks so far;
	// of Mode Y Made are the verdicts that went back to the agent.
	Made, Back int
	// CP is the checkpoint that a decision moved, By who approved the merge, Mark
	// what was open where it was sent back.
	CP, Mark string
	By       pr.Login
	// Outside: it was heard while the pull request was left out.
	Outside bool
	Off     bool // automerge off
}

// mostHeard is how many commands one step hears; the rest waits for the next.
const mostHeard = 10

// unheard are the commands that nobody heard yet, oldest first. Where the
// comments could not be read in full nobody knows what was said last.
func unheard(in Input) []command.Command {
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
	if len(list) == 0 || snap.Missing(pr.FactComments) != nil || !listens(in) {
		return nil
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].At.Before(list[j].At) })
	switch s, since := newStep(in), leftSince(in); {
	case in.Leaving:
		return nil
	case !since.IsZero() && !s.acted():
		list = slices.DeleteFunc(list, func(c command.Command) bool { return c.Word != command.Start || !c.At.After(since) })
	case since.IsZero() && leftOut(s):
		list = slices.DeleteFunc(list, func(c command.Command) bool { return c.Word != command.Start })
	}
	return list[:min(len(list), mostHeard)]
}

// listens reports whether this run may do anything on a command: no switch
// leaves the pull request out, nobody else acts on it, and a first effect is
// still to be had.
func listens(in Input) bool {
	s := &step{in: in, snap: in.Snapshot, now: in.Snapshot.At}
	return in.Snapshot.Found && !switchedOff(s) && s.liveOwner() == "" && !in.Duplicates && in.Snapshot.Missing(pr.FactConfig) == nil &&
		(s.acted() || in.StartsLeft > 0)
}

// Askers are the people whose permission a step asks for: the authors of the
// commands that are heard in it.
func Askers(in Input) []pr.Login {
	if in.Snapshot.Issue != nil {
		list := writersOf(in.Snapshot)
		for _, c := range unheardOnIssue(in) {
			if !slices.Contains(list, c.Author) {
				list = append(list, c.Author)
			}
		}
		return list
	}
	var list []pr.Login
	for _, c := range unheard(in) {
		if !slices.Contains(list, c.Author) {
			list = append(list, c.Author)
		}
	}
	return list
}

// listen hears the new commands. Where a fact has to be read first, needs names
// it, and nothing was heard.
func listen(in Input) (after Input, heard []Obeyed, notices []string, needs []pr.Fact) {
	list := unheard(in)
	in.Journal = renew(in.Journal, in) // what is over is nothing that a command finds
	if len(list) > 0 && !in.Snapshot.WritersRead {
		return in, nil, nil, []pr.Fact{pr.FactPermission}
	}
	for _, c := range list {
		may, known := in.Snapshot.Writers[c.Author]
		if !known {
			notices = append(notices, fmt.Sprintf("The command of comment %d is not heard yet: whether its author may write here could not be read", c.ID))
			continue
		}
		s := newStep(in)
		o := Obeyed{
			Head: s.snap.Head, Now: s.now, Rounds: s.facts.Rounds, Over: s.requestAtHead().Tries,
			Made: s.made(), Back: pushbackRounds(s.in.Journal),
		}
		o.Comment, o.At, o.Word = c.ID, c.At, string(c.Word)
		o.Outside = leftOut(newStep(in))
		if o.Reply = s.refuses(c, may); o.Reply == "" {
			standing := newStep(in).decideBy(order)
			if len(standing.Needs) > 0 {
				return in, nil, nil, standing.Needs
			}
			o.Stood = standing.Code
			s.quest, s.observed = standing.Quest, true // the command finds it where it stood
			if o.Reply = s.commandOn(c, &o); o.Reply == "" || o.Reply == replyDone {
				o.Reply = obeying[c.Word](s, c, &o)
			}
			if s.quest != nil && len(s.quest.Added) > 0 && (o.Reply == replyDone || o.Reply == replyRecorded) {
				in.Journal.Quest = s.quest.Kept()
			}
		}
		if o.Reply == replyUnknown {
			o.Near = near(c.Typed)
		}
		o.Reaction = replies[o.Reply].reaction
		in.Journal = obey(in.Journal, o)
		heard = append(heard, o)
	}
	return in, heard, notices, nil
}

// refuses is the reply to a command that is none to weigh; empty where it is.
func (s *step) refuses(c command.Command, may bool) string {
	row, known := command.Find(c.Word)
	switch {
	case !may:
		return replyForbidden
	case !known:
		return replyUnknown
	case !c.Fits:
		return replyMisused
	case s.leftBefore(c):
		return replyLeft
	case row.Later:
		return replyLater
	}
	if over := s.lateFor(c); over != "" {
		return over
	}
	if s.heldFrom(c) {
		return replyClaimed
	}
	return ""
}

// near is the word that was meant perhaps, one of ours; empty where none is.
func near(typed string) string {
	_, word, _ := strings.Cut(config.DidYouMean(typed, command.Words()), `"`)
	word, _, _ = strings.Cut(word, `"`)
	return word
}

// obeying weighs each command over what stands, and returns the reply.
var obeying = map[command.Word]func(s *step, c command.Command, o *Obeyed) string{
	command.Status: func(*step, command.Command, *Obeyed) string { return replyTold },
	command.Pause: func(s *step, _ command.Command, _ *Obeyed) string {
		return doneUnless(!s.in.Journal.Orders.Paused.IsZero())
	},
	command.Resume: func(s *step, _ command.Command, o *Obeyed) string {
		if o.Stood == BudgetExhausted {
			return replySpend
		}
		if !held(o.Stood) && atCap[o.Stood] != notCapped {
			return replyRetry
		}
		return doneUnless(s.in.Journal.Orders.Paused.IsZero() && !held(o.Stood) && !watchStop(o.Stood))
	},
	command.Stop: func(s *step, _ command.Command, _ *Obeyed) string {
		return doneUnless(s.in.Journal.Orders.Stopped != nil)
	},
	command.Start: weighStart,
	command.Retry: func(_ *step, _ command.Command, o *Obeyed) string {
		switch {
		case held(o.Stood), atCap[o.Stood] != notCapped:
			return replyDone
		case o.Stood == BudgetExhausted:
			return replySpend
		case o.Stood == PausedByCommand:
			return replyPaused
		}
		return replyNothing
	},
	command.Reset: func(s *step, _ command.Command, o *Obeyed) string {
		zero := s.in.Journal.Orders.Zero
		return doneUnless(zero.Rounds == o.Rounds && zero.Fixes == o.Made && zero.Pushbacks == o.Back && o.Stood != WallClockCap)
	},
	command.Claim:     byQuest,
	command.Release:   byQuest,
	command.Reject:    byQuest,
	command.Revise:    byQuest,
	command.Revert:    weighRevert,
	command.Rerequest: weighRerequest,
	command.Dismiss:   weighDismiss,
	command.Automerge: func(s *step, c command.Command, o *Obeyed) string {
		o.Off = strings.EqualFold(c.Args0(), "off")
		return weighAutomerge(s, c.Args0())
	},
	command.Approve: func(s *step, c command.Command, o *Obeyed) string {
		b, j := s.in.Settings.Budgets, s.in.Journal
		switch {
		case o.CP != "":
			return replyDone
		case c.Args0() != "": // a budget
		case paused(o.Stood):
			return replyDone
		case s.approved():
			return replySo
		default:
			return replyNoPause
		}
		if j.Asked >= b.ReviewsPerPullRequest {
			o.Spent.Reviews = j.Asked
		}
		if j.HandedOver >= b.HandoffsPerPullRequest {
			o.Spent.Handoffs = j.HandedOver
		}
		if s.in.Record.ReviewsOn(s.day()) >= b.ReviewsPerDay {
			o.Spent.Day = s.day()
		}
		if o.Spent == (journal.Zero{}) {
			return replyNoSpend
		}
		return replyDone
	},
}

func doneUnless(so bool) string {
	if so {
		return replySo
	}
	return replyDone
}

// held: stops that hold until a person says how it goes on (design 7).
func held(code Code) bool {
	return paused(code) || slices.Contains([]Code{FixerParked, Oscillation, ThirdRaise, ReviewerBlocked, RecapHandoff, FinalPassDisagrees}, code)
}

// paused: a verdict, or words that are none, hold this head until a person has
// looked at it. An approval of that person, or a resume, lets it go on as it is
// (reference D27).
func paused(code Code) bool {
	return slices.Contains([]Code{TamperPause, AgentPaused, AgentContent, AgentRewrote}, code)
}

// approved: a person let this head go on as it is.
func (s *step) approved() bool {
	a := s.in.Journal.Orders.Approved
	return a != nil && a.Head == s.snap.Head
}

// A lift is what a retry allows once more.
type lift int

const (
	notCapped  lift = iota
	oneJob          // one more hand-over to a job
	oneRound        // one more round
	oneReview       // one more request for a review
	oneWait         // one more wait, of the same length
	oneFix          // one more hand-over of fixes, or verdict that goes back
	oneBack         // one more round of which every finding may be declined
	oneClock        // wallClockCap once more from now on
	oneMention      // one more mention of the coding agent
	oneDraft        // one more preparation of a review
	oneTry          // what a right was missing for, once more
)

// atCap are the stops at a cap, each with what a retry allows once more.
var atCap = map[Code]lift{
	NoReport:        oneJob,
	RoundCapReached: oneRound,
	ReviewWaitCap:   oneReview,
	FinalPassSilent: oneReview,
	Unregistered:    oneReview,
	RequestFailed:   oneReview,
	ReviewErrors:    oneReview,
	LayoutUnknown:   oneReview,
	CIWaitCap:       oneWait,
	NoChecks:        oneWait,
	Stalled:         oneWait,

	FixIterationCap:  oneFix,
	AgentPushbackCap: oneFix,
	PushbackCap:      oneBack,
	WallClockCap:     oneClock,
	AgentRefuses:     oneMention,
	AgentInactive:    oneMention,
	NotSubmitted:     oneDraft,
	MergeStuck:       oneWait,
	MergeTakenBack:   oneWait,
	MergeBlocked:     oneWait,
	LandRefused:      oneWait,
	MissingRight:     oneTry,
}

// weighStart: the start clears the head that the person saw, which is none that
// came after the comment, or may have.
func weighStart(s *step, c command.Command, _ *Obeyed) string {
	orders := s.in.Journal.Orders
	unseen := s.snap.Fork() && !s.sawBefore(c.At)
	switch {
	case unseen:
		return replyUnseen
	case orders.Stopped != nil, orders.Started == nil, !s.leftSince().IsZero(), s.snap.Fork() && orders.Started.Head != s.snap.Head:
		return replyDone
	}
	return replySo
}

// sawBefore: a step saw this head before at, and it did not go and come back
// since. The head's check suite tells nothing here: another pull request may
// have given the commit one before it was pushed to this.
func (s *step) sawBefore(at time.Time) bool {
	return !s.facts.HeadAt.After(at) && slices.ContainsFunc(s.in.Journal.Heads, func(h journal.Sight) bool {
		return h.Head == s.snap.Head && !h.At.After(at)
	})
}

func weighRerequest(s *step, c command.Command, o *Obeyed) string {
	status := s.facts.Copilot.CopilotReviewRequestStatus
	switch {
	case o.Stood == PausedByCommand:
		return replyPaused
	case o.Stood == BudgetExhausted, s.in.Journal.Asked >= s.in.Settings.Budgets.ReviewsPerPullRequest:
		return replySpend
	case s.plan.Copilot.State == copilot.RoundCapReached, s.plan.Copilot.State == copilot.RoundCapCleanFallback:
		return replyCapped
	case !s.copilotAsked() && len(s.mentionable()) == 0:
		return replyNobody
	case status == copilot.Requested && o.Stood == WaitingForReview, s.in.Journal.Orders.Asked != nil:
		return replySo
	case s.facts.Copilot.CopilotReviewOnCurrentHead && c.Args0() == "":
		return replyReviewed
	}
	return replyDone
}

func weighDismiss(s *step, c command.Command, o *Obeyed) string {
	key := strings.Join(c.Args, " ")
	for _, f := range s.facts.Awaiting {
		switch {
		case f.ID != key && f.ID != "body:"+key:
		case f.Thread != "":
			return replyThread
		default:
			o.Finding = journal.Mark(f.ID)
			return replyDone
		}
	}
	if slices.ContainsFunc(s.in.Journal.Answers, func(a journal.Answer) bool {
		return a.Action == facts.ByCommand && (a.Finding == journal.Mark(key) || a.Finding == journal.Mark("body:"+key))
	}) {
		return replySo
	}
	return replyNoFinding
}

// obey is the journal after a command. One that was heard before changes
// nothing.
func obey(j journal.Journal, o Obeyed) journal.Journal {
	if _, heard := j.Orders.HeardOf(o.Comment, o.At); heard {
		return j
	}
	j = journal.Hear(j, o.Order)
	if o.Reply != replyDone && o.Reply != replyUnseen {
		return j
	}
	r := &j.Orders
	switch command.Word(o.Word) {
	case command.Pause:
		r.Paused = o.Now
	case command.Resume:
		if r.Paused.IsZero() && watchStop(o.Stood) {
			return keepMerge(j)
		}
		if r.Paused.IsZero() {
			return unpark(j, o)
		}
		r.Paused = time.Time{}
	case command.Stop:
		r.Stopped, r.Paused = &journal.Sight{Head: o.Head, At: o.Now}, time.Time{}
		r.Zero = zeroed(r.Zero, o) // what begins anew counts from here
	case command.Start:
		r.Started, r.Stopped = &journal.Sight{Head: o.Head, At: o.Now}, nil
		if o.Reply == replyUnseen {
			r.Started.Head = ""
		}
		if o.Outside && o.At.After(r.To) {
			r.To = o.At // what was said before is over: it was said to nobody
		}
	case command.Retry:
		return retry(j, o)
	case command.Reset:
		r.Zero = zeroed(r.Zero, o)
	case command.Rerequest:
		r.Asked = &journal.Asking{Head: o.Head, At: o.Now, Over: o.Over}
	case command.Revert:
		return wantRevert(j, o.Now)
	case command.Dismiss:
		return journal.Answered(j, journal.Answer{Finding: o.Finding, Action: facts.ByCommand, Head: o.Head})
	case command.Automerge:
		if r.ByHand = (time.Time{}); o.Off {
			r.ByHand = o.Now
		}
	case command.Reject:
		r.Stopped, r.Paused = &journal.Sight{Head: o.Head, At: o.Now}, time.Time{}
		r.Zero = zeroed(r.Zero, o)
	case command.Revise:
		r.Revised, r.Landing = &journal.Revised{CP: o.CP, Head: o.Head, Mark: o.Mark}, nil
		if quest.Checkpoint(o.CP) == quest.A {
			r.Asked = &journal.Asking{Head: o.Head, At: o.Now, Over: o.Over}
		}
	case command.Approve:
		if o.By != "" {
			r.Landing = &journal.Consent{Head: o.Head, At: o.At, By: o.By, Comment: o.Comment}
		}
		if o.CP != "" {
			return j
		}
		if paused(o.Stood) && o.Spent == (journal.Zero{}) {
			return unpark(j, o)
		}
		r.Zero.Reviews = max(r.Zero.Reviews, o.Spent.Reviews)
		r.Zero.Handoffs = max(r.Zero.Handoffs, o.Spent.Handoffs)
		if o.Spent.Day != "" {
			r.Zero.Day = o.Spent.Day
		}
	case command.Status, command.Claim, command.Release, command.Recap:
	}
	return j
}

// zeroed makes today's counts the new zero. Budgets are none of them (design 7).
func zeroed(z journal.Zero, o Obeyed) journal.Zero {
	z.Rounds, z.Fixes, z.Pushbacks, z.Clock = o.Rounds, o.Made, o.Back, o.Now
	return z
}

// unpark lets what holds at the head go on.
func unpark(j journal.Journal, o Obeyed) journal.Journal {
	for _, h := range j.Handoffs {
		if strings.HasSuffix(h.Parked, "@"+string(o.Head)) {
			j = journal.Change(j, h.Number, func(h *journal.Handoff) { h.Parked = "" })
		}
	}
	if paused(o.Stood) && o.Word != string(command.Retry) {
		j.Orders.Approved = &journal.Sight{Head: o.Head, At: o.Now}
		if o.Stood != TamperPause { // Mode Y: what was approved is judged no more
			next := journal.Agent{Base: o.Head, JudgedAt: o.Now}
			if j.Agent != nil {
				next.Pushed = j.Agent.Pushed
			}
			j.Agent = &next
		}
	}
	if r := j.Recap; o.Stood == RecapHandoff && r != nil {
		gone := *r
		gone.Verdict, gone.Rounds, gone.Head, gone.Revert = string(handoff.Continue), nil, "", 0
		j.Recap = &gone
	}
	next := journal.Retry{Head: o.Head, Through: true}
	if old := j.Orders.Retried; old != nil {
		next.Rounds, next.Fixes, next.Pushbacks = old.Rounds, old.Fixes, old.Pushbacks
		if old.Head == o.Head {
			next.At, next.Jobs = old.At, old.Jobs
		}
	}
	j.Orders.Retried = &next
	return j
}

// retry allows what stood at a cap once more.
func retry(j journal.Journal, o Obeyed) journal.Journal {
	redo := 0
	for _, h := range j.Handoffs {
		if strings.HasSuffix(h.Parked, "@"+string(o.Head)) {
			redo = h.Number
		}
	}
	j = unpark(j, o)
	r := j.Orders.Retried
	r.At, r.Redo = o.Now, redo
	switch atCap[o.Stood] {
	case notCapped, oneJob:
		r.Jobs++
	case oneRound:
		r.Rounds = o.Rounds + 1
	case oneReview:
		j.Orders.Asked = &journal.Asking{Head: o.Head, At: o.Now, Over: o.Over}
	case oneFix:
		r.Fixes = o.Made + 1
	case oneBack:
		r.Pushbacks = o.Back + 1
	case oneClock:
		j.Orders.Zero.Clock = o.Now
	case oneDraft:
		j.Draft = nil // one that stands is found again by its marker
	case oneTry:
		j.Refused = nil
	case oneWait, oneMention: // they count from r.At
	}
	return j
}

// lifted are the settings with the caps and budgets that people moved.
func lifted(set config.Settings, j journal.Journal, day string) config.Settings {
	set.Refinement.MaxCopilotRounds = RoundCap(set, j)
	b, zero := &set.Budgets, j.Orders.Zero
	b.ReviewsPerPullRequest += zero.Reviews
	b.HandoffsPerPullRequest += zero.Handoffs
	if zero.Day == day {
		b.ReviewsPerDay = math.MaxInt32
	}
	return set
}

// RoundCap is refinement.maxCopilotRounds as it counts here: from the newest
// reset or stop, and with the one more that a retry allowed. 0 is no cap.
func RoundCap(set config.Settings, j journal.Journal) int {
	most := set.Refinement.MaxCopilotRounds
	if most == 0 {
		return 0
	}
	most += j.Orders.Zero.Rounds
	if r := j.Orders.Retried; r != nil {
		most = max(most, r.Rounds)
	}
	return most
}

// retried is what was allowed at this head; the zero value where nothing was.
func (s *step) retried() journal.Retry {
	if r := s.in.Journal.Orders.Retried; r != nil && r.Head == s.snap.Head {
		return *r
	}
	return journal.Retry{}
}

// stopped: a person stopped the loop, and nothing has begun it anew since: no
// start, no reopening, no new head (design 7). The push of a job that was out
// when it was stopped is none of a person's.
func stopped(s *step) bool {
	st := s.in.Journal.Orders.Stopped
	if st == nil || begunAnew(s.in, *st) {
		return false
	}
	// The record keeps the head of the job's push too, so that the one after it
	// is known for somebody else's.
	code, says := StoppedByCommand, "stopped"
	if k := s.in.Journal.Quest; k != nil && s.spine() != nil && s.quest.Quest.Ended == quest.Rejected {
		code, says = Rejected, "rejected"
	}
	if f := s.in.Journal.Final; f == nil || f.Reason != string(code) || f.Head != s.snap.Head && s.snap.Head != st.Head {
		s.plan.Final = &journal.Final{Reason: string(code), Head: s.snap.Head, At: st.At}
	}
	if st.Head == "" { // an issue has none
		return s.decide(code, "a person %s it at %s", says, clock(st.At))
	}
	return s.decide(code, "a person %s it at %s", says, st.Head.Short())
}

func begunAnew(in Input, st journal.Sight) bool {
	if slices.ContainsFunc(in.Snapshot.Events, func(e pr.Event) bool { return e.Kind == pr.Reopened && e.At.After(st.At) }) {
		return true
	}
	if in.Snapshot.Head == st.Head {
		return false
	}
	out := slices.ContainsFunc(in.Journal.Handoffs, func(h journal.Handoff) bool {
		return h.Step == "" && h.At.Before(st.At) && st.At.Before(h.Deadline) && h.Head == st.Head
	})
	f := in.Journal.Final
	pushed := f != nil && f.Reason == string(StoppedByCommand) && f.Head != st.Head && f.Head != in.Snapshot.Head
	return !out || pushed
}

// renew takes a stop out of the journal that is over, and a retry or a request
// that was for an older head.
func renew(j journal.Journal, in Input) journal.Journal {
	if st := j.Orders.Stopped; st != nil && begunAnew(in, *st) {
		j.Orders.Stopped = nil
	}
	if a := j.Orders.Approved; a != nil && a.Head != in.Snapshot.Head {
		j.Orders.Approved = nil
	}
	if l := j.Orders.Landing; l != nil && l.Head != in.Snapshot.Head {
		j.Orders.Landing = nil
	}
	if a := j.Orders.Asked; a != nil && (a.Head != in.Snapshot.Head || askedSince(in, *a)) {
		j.Orders.Asked = nil
	}
	if letGoSince(j, in.Snapshot) {
		j.Landing = nil
	}
	return j
}

// askedSince: GitHub shows a request of Copilot since a person asked for one, be
// it by a run that died before it noted that, or by hand.
func askedSince(in Input, a journal.Asking) bool {
	return slices.ContainsFunc(in.Snapshot.Events, func(e pr.Event) bool {
		return e.Kind == pr.ReviewRequested && e.Reviewer.IsCopilotReviewer() && !e.At.Before(a.At)
	})
}

// heldByCommand: a person paused it. It stays exactly where it is: what comes in
// meanwhile is seen, and nothing is begun.
func heldByCommand(s *step) bool {
	at := s.in.Journal.Orders.Paused
	if at.IsZero() {
		return false
	}
	if s.ready() {
		return s.toLand(Converged, "%s is reviewed, and nothing is open", s.snap.Head.Short())
	}
	return s.decide(PausedByCommand, "a person paused it at %s", clock(at))
}

// askedFor asks for the review that a person asked for, once, whatever the loop
// would say of it. Budgets hold, and a quota that is used up is waited for.
func askedFor(s *step) bool {
	a := s.in.Journal.Orders.Asked
	if a == nil || a.Head != s.snap.Head || askedSince(s.in, *a) {
		return false
	}
	if s.now.Before(later(s.facts.QuotaUntil, s.in.Record.QuotaUntil(pr.CopilotReviewer))) {
		return false
	}
	if s.budgetSpent(pr.CopilotReviewer) {
		return true
	}
	if s.copilotAsked() {
		s.count(pr.CopilotReviewer)
		s.plan.Effects = append(s.plan.Effects, effect.RequestReview{
			Reviewer: pr.CopilotReviewer, Head: s.snap.Head, Again: len(s.facts.Reviews) > 0, Try: a.Over + 1,
		})
	}
	for _, m := range s.mentionable() {
		s.count(m.Reviewer)
		s.plan.Effects = append(s.plan.Effects, m)
	}
	return len(s.plan.Effects) > 0 && s.decide(ReviewRequested, "a person asked for a review of %s", s.snap.Head.Short())
}

// count enters a request in the repository record.
func (s *step) count(who pr.Login) {
	if s.recordable() {
		s.plan.Effects = append(s.plan.Effects, effect.Record{PR: s.snap.Number, Head: s.snap.Head, Reviewer: who, Day: s.day()})
	}
}

// copilotAsked: Copilot is one of the loop's reviewers, and asked by request.
func (s *step) copilotAsked() bool {
	if len(s.facts.Loop) == 0 {
		return true
	}
	return slices.ContainsFunc(s.asked(), facts.Reviewer.IsCopilot)
}

// asked are the reviewers whose turn it is: those of the final pass once that has
// begun, before it those of each round.
func (s *step) asked() []facts.Reviewer {
	if s.facts.Pass {
		return s.facts.Final
	}
	return s.facts.Loop
}

// mentionable are the mentions by which the loop's other reviewers are asked.
func (s *step) mentionable() []effect.Mention {
	var list []effect.Mention
	turn := s.asked()
	for i := range turn {
		if r := &turn[i]; r.Trigger == autopilot.Mention && !r.Waits() {
			list = append(list, effect.Mention{Reviewer: r.Login(), Head: s.snap.Head, Try: r.Asked.Tries + 1, Body: r.Mention})
		}
	}
	return list
}

// Cleared reports whether a fixer's job may be started for the head: it is the
// repository's own, or a person cleared this very head by a start.
func Cleared(in Input) bool {
	started := in.Journal.Orders.Started
	return !in.Snapshot.Fork() || started != nil && started.Head == in.Snapshot.Head
}

// reactions are the answers that are still owed.
func (s *step) reactions() []effect.Effect {
	var list []effect.Effect
	for _, o := range s.in.Journal.Orders.Heard {
		if o.Told {
			continue
		}
		for _, c := range s.snap.Comments {
			if c.DatabaseID == o.Comment && c.Answer != o.Reaction {
				list = append(list, effect.React{Comment: o.Comment, CommentID: c.ID, Content: o.Reaction})
			}
		}
	}
	return list
}

// A Said is the answer to one command, for people.
type Said struct {
	Comment int64 // database id
	Says    string
}

// mostSaid is how many answers stand in the status comment.
const mostSaid = 3

// Answers are what the newest commands at this head were told beyond the
// reaction, newest first.
func (p Plan) Answers(in Input) []Said {
	var list []Said
	for _, o := range slices.Backward(in.Journal.Orders.Heard) {
		if o.At.Before(p.Facts.HeadAt) || len(list) == mostSaid {
			break
		}
		if says := saying(o); says != "" {
			list = append(list, Said{o.Comment, says})
		}
	}
	return list
}

func saying(o journal.Order) string {
	says := replies[o.Reply].says
	if !strings.Contains(says, "%") {
		return says
	}
	row, _ := command.Find(command.Word(o.Word))
	suggestion, takes := "", "nothing more"
	if o.Near != "" {
		suggestion = " (`/prloop " + o.Near + "` perhaps)"
	}
	if row.Takes != "" {
		takes = "`" + row.Takes + "`"
	}
	text := fmt.Sprintf(says+"%[5]s", "`/prloop "+o.Word+"`", takes, suggestion, "`"+strings.Join(command.Words(), "`, `")+"`", "")
	return text
}
