package plan

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// A third head, before the two others.
const headC = pr.SHA("3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f")

// parkedBy: a hand-over of fixes ended so at this head.
func parkedBy(code Code) func(*Input) {
	return func(in *Input) {
		in.Settings.Fixer = config.Job
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, Parked: string(code) + "@" + string(headA)}}
		in.Journal.HandedOver = 1
	}
}

// circling: a fix was made, taken back, and is asked for again.
var circling = again(
	journal.LedgerRound{Round: 1, Head: headB, Findings: []journal.LedgerFinding{{Mark: "0a", Path: "a.go", Action: "fix", Handoff: 1}}, Patches: []journal.LedgerPatch{{Path: "a.go", ID: "1", Back: "2"}}},
	journal.LedgerRound{Round: 2, Head: headB, Patches: []journal.LedgerPatch{{Path: "a.go", ID: "2", Back: "1"}}},
)

// raised: a finding was declined twice, and is there again.
var raised = again(
	journal.LedgerRound{Round: 1, Head: headB, Findings: []journal.LedgerFinding{{Mark: "0a", Path: "a.go", Action: "decline", Handoff: 1}}},
	journal.LedgerRound{Round: 2, Head: headB, Findings: []journal.LedgerFinding{{Mark: "0b", Path: "a.go", Action: "decline", Handoff: 2}}},
)

func answered(result effect.RequestResult, tries int) func(*Input) {
	return func(in *Input) {
		in.Journal.Requests = []journal.Request{{Reviewer: pr.CopilotReviewer, Head: headA, At: opened, Result: result, Tries: tries, Via: facts.ViaUser}}
	}
}

func counted(c journal.Counters) func(*Input) {
	return func(in *Input) { in.Settings.Fixer, in.Journal.Counters = config.Job, c }
}

// ways has an input for each stop that a person lifts by a comment, with what the
// commands make of it.
func ways() []struct {
	code    Code
	in      Input
	command string
	want    Code
} {
	open := []func(*Input){known, edit(reviewed), threads(1)}
	with := func(more ...func(*Input)) Input { return input(append(open[:3:3], more...)...) }
	due := edit(func(s *pr.Snapshot) { s.WorkRead = true })
	recap := func(in *Input) { in.Journal.Recap = &journal.Recap{Round: 10, Number: 3, Verdict: "handoff"} }
	long := func(in *Input) { in.Settings.WallClockCap = 5 * time.Minute }
	sentBack := func(in *Input) { in.Settings.FixIterationCap = 1; judgedAt(headA, facts.SentBack)(in) }
	again := func(in *Input) { // the verdict before it went back too
		in.Journal.Told = append([]journal.Told{{Topic: facts.VerdictTopic(1, facts.SentBack, headC, true), Head: headC}}, journal.Told{Topic: facts.VerdictTopic(2, facts.SentBack, headB, true), Head: headA})
	}
	judging := func(in *Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, Step: facts.StepReview, Judges: headB, At: opened, Deadline: opened.Add(time.Hour), Parked: string(FixerParked) + "@" + string(headA)}}
		in.Journal.HandedOver = 1
	}
	rewritten := func(in *Input) { in.AgentPush = &AgentPush{Base: headB, Head: headA, Rewritten: true} }
	codexLast := func(in *Input) {
		in.Settings.Reviewers.Codex.Mode, in.Settings.Reviewers.Codex.PostCommentsToPR = config.FinalOnly, true
	}
	pages := "Copilot encountered an error and was unable to review this pull request. You can try again by re-requesting a review."
	return []struct {
		code    Code
		in      Input
		command string
		want    Code
	}{
		{FixerParked, with(parkedBy(FixerParked)), "resume", FeedbackOpen},
		{FixerParked, with(parkedBy(FixerParked)), "retry", FeedbackOpen},
		{TamperPause, with(parkedBy(TamperPause)), "resume", FeedbackOpen},
		{TamperPause, with(parkedBy(TamperPause)), "approve", FeedbackOpen},
		{Oscillation, with(circling), "resume", FeedbackOpen},
		{ThirdRaise, with(raised), "resume", FeedbackOpen},
		{ReviewerBlocked, input(preparing, hubotAsked, out(1, headA, func(h *journal.Handoff) { h.Parked = string(ReviewerBlocked) + "@" + string(headA) })), "retry", ReviewDue},
		{FixerParked, input(known, modeY, byReport, agentAsked(headB), pushed(headB, "a.go", "b"), judging), "retry", VerdictsDue},
		{RecapHandoff, input(known, none, edit(reviewed), anotherHead, rounds(10), recap), "resume", ReviewRequested},
		{RecapHandoff, input(known, none, edit(reviewed), anotherHead, rounds(10), recap), "retry", ReviewRequested},
		{FinalPassDisagrees, input(codexLast, edit(reviewed), inPass(8), says(codex, 9, "Please fix the error path first.")), "resume", FeedbackOpen},
		{FinalPassSilent, input(codexLast, edit(reviewed), inPass(8), later2(2*time.Hour)), "retry", FinalPass},
		{AgentPaused, input(known, modeY, judgedAt(headA, facts.Paused)), "approve", Converged},
		{AgentPaused, input(known, modeY, judgedAt(headA, facts.Paused)), "resume", Converged},
		{AgentContent, input(known, modeY, agentAsked(headA), agentSays(agentActor, "LGTM")), "approve", Converged},
		{AgentContent, input(known, modeY, agentAsked(headA), agentSays(agentActor, "LGTM")), "resume", Converged},
		{AgentRewrote, input(known, modeY, agentAsked(headB), rewritten), "approve", Converged},
		{AgentRewrote, input(known, modeY, agentAsked(headB), rewritten), "resume", Converged},

		{NoReport, input(handed("", 2)), "retry", FeedbackOpen},
		{RoundCapReached, with(func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 1 }), "retry", FeedbackOpen},
		{ReviewWaitCap, input(known, edit(requested), due, later2(time.Hour)), "retry", ReviewRequested},
		{Unregistered, input(known, answered(effect.Dropped, 3)), "retry", ReviewRequested},
		{RequestFailed, input(known, answered(effect.Errored, 1)), "retry", ReviewRequested},
		{ReviewErrors, input(known, notice(pages), notice(pages)), "retry", ReviewRequested},
		{LayoutUnknown, input(known, notice("Hm."), due, later2(2*time.Hour)), "retry", ReviewRequested},
		{CIWaitCap, input(known, check(""), later2(7*time.Hour)), "retry", WaitingForCI},
		{NoChecks, input(known, edit(func(s *pr.Snapshot) { s.Checks = nil }), later2(time.Hour)), "retry", WaitingForCI},
		{Stalled, func() Input { in := begun(stuck()); later2(time.Hour)(&in); return in }(), "retry", FactUnknown},
		{FixIterationCap, with(counted(journal.Counters{FixIterations: 5})), "retry", FeedbackOpen},
		{FixIterationCap, with(counted(journal.Counters{FixIterations: 5})), "reset", FeedbackOpen},
		{PushbackCap, with(counted(journal.Counters{PushbackRounds: 5})), "retry", FeedbackOpen},
		{PushbackCap, with(counted(journal.Counters{PushbackRounds: 5})), "reset", FeedbackOpen},
		{WallClockCap, with(long), "retry", FeedbackOpen},
		{WallClockCap, with(long), "reset", FeedbackOpen},
		{AgentRefuses, input(known, modeY, agentAsked(headA), agentSays(agentActor, "I cannot help with that.")), "retry", AgentAsked},
		{AgentInactive, input(known, modeY, agentAsked(headA), later2(time.Hour)), "retry", AgentAsked},
		{AgentPushbackCap, input(known, modeY, sentBack, again), "retry", AgentAsked},
		{AgentPushbackCap, input(known, modeY, sentBack, again), "reset", AgentAsked},
		{NotSubmitted, input(preparing, hubotAsked, out(1, headA, func(h *journal.Handoff) { h.Reported = "complete" }), posted(headA), later2(8*24*time.Hour)), "retry", ReviewDue},
		{MergeStuck, input(landing(effect.MergeArmed), later2(time.Hour)), "retry", WaitingForMerge},
		{MergeTakenBack, input(landing(effect.MergeArmed), disarmed), "retry", Merging},
		{MergeBlocked, input(landing(effect.RulesRefuse)), "retry", Merging},
		{LandRefused, input(landing(effect.MergeRefused)), "retry", Merging},
		{MissingRight, input(mergeable, func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: effect.Merge{Head: headA, Try: 1}.Key(), Right: "contents: write", Via: "user-token"}}
		}), "retry", Merging},
	}
}

// Every stop that holds, or is at a cap, ends by a command of a person (design
// 7), and its words name that one. What the command allowed is allowed once.
func TestEveryStopHasItsWayOut(t *testing.T) {
	t.Parallel()
	named := map[Code]bool{}
	for _, w := range ways() {
		name := string(w.code) + " " + w.command
		if p := Decide(w.in); p.Code != w.code {
			t.Errorf("%s: it stands at %s by %s (%s)", name, p.Code, p.Row, p.Why)
			continue
		}
		named[w.code] = named[w.code] || strings.Contains(Find(w.code).ToDo, "`/prloop "+w.command+"`")
		in := w.in
		commands(w.command)(&in)
		p := Decide(in)
		if p.Code != w.want || len(p.Heard) != 1 || p.Heard[0].Reply != replyDone {
			t.Errorf("%s: heard %+v, and it comes to %s by %s (%s), want %s", name, p.Heard, p.Code, p.Row, p.Why, w.want)
			continue
		}
		in.Journal = Enter(in.Journal, in, p)
		if p := Decide(in); p.Code != w.want || len(p.Heard) > 0 {
			t.Errorf("%s: the step after it comes to %s (%s), want %s", name, p.Code, p.Why, w.want)
		}
		// At another head a verdict holds again; what is asked is asked once.
		in.Snapshot.Head = headC
		if again := renew(in.Journal, in); again.Orders.Approved != nil {
			t.Errorf("%s: the approval holds at another head", name)
		}
	}
	for _, r := range Reasons {
		if (held(r.Code) || atCap[r.Code] != notCapped) != named[r.Code] {
			t.Errorf("%s holds or is at a cap: %t; its way out is played, and its words name it: %t (%s)", r.Code, !named[r.Code], named[r.Code], r.ToDo)
		}
	}
}

// A resume changes no count: at a cap the answer names the retry.
func TestAResumeLiftsNoCap(t *testing.T) {
	t.Parallel()
	for _, w := range ways() {
		if held(w.code) {
			continue
		}
		in := w.in
		commands("resume")(&in)
		p := Decide(in)
		if len(p.Heard) != 1 || p.Heard[0].Reply != replyRetry {
			t.Errorf("%s: heard %+v", w.code, p.Heard)
		}
		in.Journal = Enter(in.Journal, in, p)
		if p := Decide(in); p.Code != w.code {
			t.Errorf("%s: it comes to %s", w.code, p.Code)
		}
	}
}

// An approval without a pause says so, and a second one changes nothing.
func TestAnApprovalNeedsAPause(t *testing.T) {
	t.Parallel()
	in := input(known, commands("approve"))
	if p := Decide(in); p.Heard[0].Reply != replyNoPause {
		t.Errorf("nothing is paused: heard %+v", p.Heard)
	}
	in = input(known, modeY, judgedAt(headA, facts.Paused), commands("approve"))
	in.Journal = Enter(in.Journal, in, Decide(in))
	commands("approve")(&in)
	if p := Decide(in); len(p.Heard) != 1 || p.Heard[0].Reply != replySo || p.Code != Converged {
		t.Errorf("twice: heard %+v, and it comes to %s", p.Heard, p.Code)
	}
	// The verdict that was approved stays the one that GitHub shows, and what comes
	// after it is judged alone.
	if j := in.Journal.Agent; j == nil || j.Base != headA {
		t.Errorf("the next commits are judged since %+v, want %s", j, headA.Short())
	}
}

var quoting = handoff.Quoting{Text: strconv.Quote, Code: strconv.Quote}

// The tamper guard lets a push go on that a person approved at this head, and no
// other one.
func TestAnApprovedPushIsTaken(t *testing.T) {
	t.Parallel()
	in := input(known, edit(reviewed), threads(1))
	in.Settings.Fixer, in.Quote = config.Job, quoting
	in.Journal.Handoffs, in.Journal.HandedOver = []journal.Handoff{{Number: 1, Head: headB, Findings: journal.Mark("PRRT_0"), At: opened, Deadline: opened.Add(time.Hour)}}, 1
	c := Claim{
		Report: handoff.Report{
			Handoff: handoff.Ref{PR: 7, Head: headB, Number: 1}, Head: headA, Step: handoff.Fix, Status: handoff.Complete,
			Items: []handoff.Item{{Finding: "PRRT_0", Action: handoff.FixIt, Commit: headA}},
		},
		Commits: []pr.SHA{headA}, CommitsKnown: true,
		Push: &handoff.Push{Complete: true, Files: []handoff.Changed{{Path: "CODEOWNERS", Status: "modified", Additions: 1, Deletions: 1, Patch: "@@ -1 +1 @@\n-a\n+b"}}},
	}
	if p := Take(in, c); p.Code != TamperPause {
		t.Fatalf("the report comes to %s (%s), want %s", p.Code, p.Why, TamperPause)
	}
	in.Journal.Orders.Approved = &journal.Sight{Head: headA, At: opened}
	if p := Take(in, c); p.Code != ReportAccepted {
		t.Errorf("approved: the report comes to %s (%s), want %s", p.Code, p.Why, ReportAccepted)
	}
	in.Journal.Orders.Approved.Head = headB
	if p := Take(in, c); p.Code != TamperPause {
		t.Errorf("approved at another head: the report comes to %s, want %s", p.Code, TamperPause)
	}
}
