package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

const (
	headA pr.SHA = "1f0c9a2e00000000000000000000000000000000"
	headB pr.SHA = "2b7d01c500000000000000000000000000000000"
)

// opened is when the pull request of the tests was opened; it is ten minutes
// later now.
var opened = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

var copilotActor = pr.Actor{Login: pr.CopilotReviewer, Bot: true}

// input is an open pull request of ten minutes, with green checks and never
// reviewed, changed by each edit in turn.
func input(edits ...func(*Input)) Input {
	snap := &pr.Snapshot{
		At: opened.Add(10 * time.Minute), Repo: pr.Repo{Owner: "octo-org", Name: "demo", DefaultBranch: "main"},
		Found: true, ID: "PR_7", Number: 7, URL: "https://github.com/octo-org/demo/pull/7", State: pr.Open,
		Author: pr.Actor{Login: "mona"}, Head: headA, HeadRef: "feature", HeadRepo: "octo-org/demo",
		Base: pr.Branch{Name: "main", OID: headB}, CreatedAt: opened, UpdatedAt: opened, HeadSuiteAt: opened, MergeState: "CLEAN",
		Config: pr.File{Path: ".github/prloop.yml"}, Graph: pr.GraphPresent,
		Checks: []pr.Check{{Name: "build", State: "COMPLETED", Conclusion: "SUCCESS", App: "github-actions", WorkflowKnown: true, Workflow: "CI", RunID: 1, RunNumber: 1, RunAttempt: 1, StartedAt: opened}},
	}
	in := Input{Settings: config.Defaults(), Snapshot: snap, Memory: journal.MemoryNone, UserToken: true, StartsLeft: 5}
	for _, edit := range edits {
		edit(&in)
	}
	return in
}

func edit(f func(*pr.Snapshot)) func(*Input) { return func(in *Input) { f(in.Snapshot) } }

func check(conclusion string) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Checks[0].Conclusion, s.Checks[0].State = conclusion, "COMPLETED"
		if conclusion == "" {
			s.Checks[0].State = "IN_PROGRESS"
		}
	})
}

func reviewed(s *pr.Snapshot) {
	s.Reviews = append(s.Reviews, pr.Review{
		ID: "PRR_1", Author: copilotActor, State: pr.Commented, Commit: headA, SubmittedAt: opened.Add(5 * time.Minute),
		Body: "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟢 Approval recommended\n\nFine.\n\n**Review effort:** Lite  \n**Findings:** None",
	})
}

func notice(body string) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		n := len(s.Reviews) + 1
		s.Reviews = append(s.Reviews, pr.Review{ID: fmt.Sprint("PRR_", n), Author: copilotActor, State: pr.Commented, Commit: headA, SubmittedAt: opened.Add(time.Duration(n) * time.Minute), Body: body})
	})
}

func threads(n int) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		for i := range n {
			s.Threads = append(s.Threads, pr.Thread{ID: fmt.Sprint("PRRT_", i), Path: "a.go", Line: i + 1, Comments: []pr.ThreadComment{{
				ID: fmt.Sprint("PRRC_", i), Author: copilotActor, Body: "This can be nil.", CreatedAt: opened, ReviewID: "PRR_1",
			}}})
		}
	})
}

// again makes the review of the head the one after these rounds, whose findings
// are what the first thread says.
func again(rounds ...journal.LedgerRound) func(*Input) {
	return func(in *Input) {
		for i := range rounds { // a review each, so that the numbers fit
			r := in.Snapshot.Reviews[len(in.Snapshot.Reviews)-1]
			r.ID, r.Commit, r.SubmittedAt = fmt.Sprint("PRR_old", i), headB, opened.Add(time.Duration(i)*time.Second)
			in.Snapshot.Reviews = append([]pr.Review{r}, in.Snapshot.Reviews...)
			for k := range rounds[i].Findings {
				t := in.Snapshot.Threads[0]
				t.ID, t.Resolved = fmt.Sprint("PRRT_old", i, k), true
				t.Comments = []pr.ThreadComment{t.Comments[0]}
				t.Comments[0].ReviewID = r.ID
				in.Snapshot.Threads = append(in.Snapshot.Threads, t)
				rounds[i].Findings[k].Mark = journal.Mark(t.ID)
			}
		}
		here := newStep(*in).ledger().Rounds
		for i := range rounds {
			for k := range rounds[i].Findings {
				rounds[i].Findings[k].Key = here[len(here)-1].Findings[0].Key
			}
		}
		in.Journal.Ledger.Rounds = rounds
	}
}

func requested(s *pr.Snapshot) {
	s.Events = append(s.Events, pr.Event{Kind: pr.ReviewRequested, At: opened.Add(time.Minute), Reviewer: copilotActor})
}

func known(in *Input) { // prloop has been here
	in.Memory = journal.MemoryFound
	in.Journal = journal.Journal{PR: 7, Rev: 3, StartedAt: opened}
}

// flaky: the build passed on this head, and failed in a later run.
func flaky(in *Input) {
	in.Settings.CI.RerunFlaky = true
	passed := in.Snapshot.Checks[0]
	passed.ID, passed.WorkflowPath = 10, ".github/workflows/ci.yml"
	failed := passed
	failed.ID, failed.RunID, failed.RunNumber, failed.Conclusion = 11, 2, 2, "FAILURE"
	in.Snapshot.Checks = []pr.Check{passed, failed}
}

// drift: it was begun in the other mode.
func drift(in *Input) { in.Journal.Mode = string(autopilot.Y) }

func unknown(f pr.Fact, right string) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Unknown = append(s.Unknown, pr.Unknown{Fact: f, Why: "a page is missing", Right: right})
	})
}

func later2(d time.Duration) func(*Input) { return edit(func(s *pr.Snapshot) { s.At = s.At.Add(d) }) }

// witnesses has an input for each row of the order, in its order: the row
// decides, and no row above it.
var witnesses = []struct {
	row  string
	in   Input
	want Code
}{
	{"S1", input(edit(func(s *pr.Snapshot) { s.Found = false })), NoPullRequest},
	{"S1b", input(landing(effect.MergeArmed), func(in *Input) { in.Paused = true }), MergeDisarmed},
	{"S1a", input(known, func(in *Input) { in.Leaving = true }), Left},
	{"S2", input(func(in *Input) { in.Paused = true }), Paused},
	{"S3", input(unknown(pr.FactConfig, "")), FactUnknown},
	{"S4", input(known, func(in *Input) { in.Journal.Lease = &journal.Lease{Run: 9, Until: opened.Add(time.Hour)} }), LiveOwner},
	{"S4a", input(known, func(in *Input) { in.Duplicates = true }), NeedsReconcile},
	{"S4d", input(landing(effect.MergeArmed)), WaitingForMerge},
	{"S4b", input(known, drift), ModeDrift},
	{"S4c", input(known, merged(nil)), WatchedNothing},
	{"S5", input(edit(func(s *pr.Snapshot) { s.State = pr.Merged })), Merged},
	{"S5a", input(known, func(in *Input) { in.Journal.Orders.Stopped = &journal.Sight{Head: headA, At: opened} }), StoppedByCommand},
	{"S6", input(edit(func(s *pr.Snapshot) { s.HeadRepo = "" })), NotSelected},
	{"S6a", input(known, func(in *Input) { in.Journal.Orders.Paused = opened }), PausedByCommand},
	{"S6b", input(stacked(pr.Open), func(in *Input) { in.Settings.Select.Stacked = config.StackedPark }), WaitingForParent},
	{"S6c", input(known, edit(reviewed), heldBy("hubot")), Claimed},
	{"S7", input(edit(func(s *pr.Snapshot) { s.HeadRef = "master" })), HeadBranchGuard},
	{"S7a", input(known, check("FAILURE"), claimed("fix")), OwnPushFailed},
	{"S8", input(edit(func(s *pr.Snapshot) { s.Draft = true })), Draft},
	{"S9", input(unknown(pr.FactThreads, "")), FactUnknown},
	{"S9a", input(known, edit(reviewed), threads(1), func(in *Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, Parked: string(FixerParked) + "@" + string(headA)}}
	}), FixerParked},
	{"S9f", input(known, edit(reviewed), func(in *Input) {
		in.Journal.Orders.Asked = &journal.Asking{Head: headA, At: opened.Add(time.Hour), Over: 1}
	}), ReviewRequested},
	{"S9b", input(preparing, hubotAsked), ReviewDue},
	{"S9c", input(preparing, edit(reviewed), submitted(pr.ChangesRequested, headA)), WaitingForFollowup},
	{"S9d", input(known, edit(reviewed), threads(2), again(journal.LedgerRound{
		Round: 1, Head: headB, Findings: []journal.LedgerFinding{{Mark: "0a", Path: "a.go", Action: "decline", Handoff: 1}},
	})), DeclinedAgain},
	{"S9e", input(known, modeY, judgedAt(headA, facts.Paused)), AgentPaused},
	{"S10", input(edit(reviewed)), Converged},
	{"S10a", input(known, edit(reviewed), threads(1), func(in *Input) {
		in.Settings.Reviewers.Copilot.Mode, in.Settings.Reviewers.Cursor.Mode = config.FinalOnly, config.EachIter
		in.Journal.Pass = &journal.Pass{Head: headA, At: opened}
	}, says(cursor, 2, "Score: 5/5")), FinalPassDisagrees},
	{"S11", input(edit(reviewed), threads(1), func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 1 }), RoundCapReached},
	{"S11a", input(known, edit(reviewed), threads(1), func(in *Input) { in.Settings.WallClockCap = 10 * time.Minute }), WallClockCap},
	{"S12", input(edit(reviewed), threads(50)), ThreadLimit},
	{"S12a", input(known, edit(reviewed), threads(1), again(
		journal.LedgerRound{Round: 1, Head: headB, Findings: []journal.LedgerFinding{{Mark: "0a", Path: "a.go", Action: "fix", Handoff: 1}}, Patches: []journal.LedgerPatch{{Path: "a.go", ID: "1", Back: "2"}}},
		journal.LedgerRound{Round: 2, Head: headB, Patches: []journal.LedgerPatch{{Path: "a.go", ID: "2", Back: "1"}}},
	)), Oscillation},
	{"S12c", input(known, edit(reviewed), anotherHead, none, rounds(10)), RecapDue},
	{"S12b", input(flaky), ChecksRerun},
	{"S12d", input(known, threads(1), iterated(headB)), SingleIncomplete},
	{"S12e", input(modeY), AgentAsked},
	{"S13", input(edit(reviewed), threads(1)), FeedbackOpen},
	{"S14", input(check("")), WaitingForCI},
	{"S15", input(check("FAILURE")), ChecksFailed},
	{"S16", input(known, func(in *Input) {
		in.Journal.Requests = []journal.Request{{Reviewer: pr.CopilotReviewer, Head: headA, At: opened, Result: effect.Forbidden, Tries: 1, Via: "user-token"}}
	}), ReviewUnavailable},
	{"S17", input(), ReviewRequested},
	{"S18", input(edit(requested)), WaitingForReview},
}

func TestEveryRowHasAWitness(t *testing.T) {
	rows := Order()
	for _, w := range witnesses {
		got := Decide(w.in)
		if got.Code != w.want || got.Why == "" {
			t.Errorf("%s: Decide = %s by %s (%s), want %s", w.row, got.Code, got.Row, got.Why, w.want)
		}
		if got.Row != w.row {
			t.Errorf("the witness of %s is decided by %s: %s", w.row, got.Row, got.Why)
		}
	}
	// S19 is the floor: the rows above it leave nothing, and where one ever
	// does, it stops and names what convergence lacks.
	if len(rows) != len(witnesses)+1 {
		t.Errorf("%d rows have %d witnesses", len(rows), len(witnesses))
	}
}

// Where two rows hold, the upper one wins for a reason.
func TestPrecedence(t *testing.T) {
	merged := edit(func(s *pr.Snapshot) { s.State = pr.Merged })
	lease := func(in *Input) { in.Journal.Lease = &journal.Lease{Run: 9, Until: opened.Add(time.Hour)} }
	tests := []struct {
		why  string
		in   Input
		want Code
	}{
		{"what prloop is told to leave is ended, paused or not: what is armed would stay armed", input(known, func(in *Input) { in.Leaving, in.Paused = true, true }), Left},
		{"leaving does not ask what the configuration says", input(known, unknown(pr.FactConfig, ""), func(in *Input) { in.Leaving = true }), Left},
		{"a run that acts now is waited for by leaving too", input(known, lease, func(in *Input) { in.Leaving = true }), LiveOwner},
		{"a journal that cannot be looked for is not left unseen", input(known, unknown(pr.FactComments, ""), func(in *Input) { in.Leaving = true }), FactUnknown},
		{"the paused switch stops everything, a merged pull request too", input(known, merged, func(in *Input) { in.Paused = true }), Paused},
		{"what the configuration says is unknown before anything else is asked of it", input(unknown(pr.FactConfig, ""), edit(func(s *pr.Snapshot) { s.HeadRepo = "" })), FactUnknown},
		{"what was stopped is over, paused or not", input(known, func(in *Input) {
			in.Journal.Orders.Stopped, in.Journal.Orders.Paused = &journal.Sight{Head: headA, At: opened}, opened
		}), StoppedByCommand},
		{"what is merged while it is paused is merged", input(known, merged, func(in *Input) { in.Journal.Orders.Paused = opened }), Merged},
		{"a pause holds whatever was asked for", input(known, func(in *Input) {
			in.Journal.Orders.Paused, in.Journal.Orders.Asked = opened, &journal.Asking{Head: headA}
		}), PausedByCommand},
		{"a stop that holds is not got round by asking for a review", input(known, edit(reviewed), threads(1), func(in *Input) {
			in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, Parked: string(FixerParked) + "@" + string(headA)}}
			in.Journal.Orders.Asked = &journal.Asking{Head: headA}
		}), FixerParked},
		{"two runs do not close one pull request", input(known, lease, merged), LiveOwner},
		{"a run that acts now is let go on, whatever the mode", input(known, drift, lease), LiveOwner},
		{"what is merged drifts no more", input(known, drift, merged), Merged},
		{"a head that nobody works on is not worked on in another mode either", input(known, drift, edit(func(s *pr.Snapshot) { s.HeadRef = "master" })), ModeDrift},
		{"a draft waits, in whatever mode", input(edit(func(s *pr.Snapshot) { s.Draft = true }), func(in *Input) { in.Settings.Mode = autopilot.Y }), Draft},
		{"a merged pull request needs no selection", input(merged, edit(func(s *pr.Snapshot) { s.Author = pr.Actor{Login: "renovate", Bot: true} })), Merged},
		{"a draft is waited for although its threads are unknown", input(edit(func(s *pr.Snapshot) { s.Draft = true }), unknown(pr.FactThreads, "")), Draft},
		{"unknown threads are never no threads", input(edit(reviewed), unknown(pr.FactThreads, "")), FactUnknown},
		{"a clean outcome in the last round is success, not exhaustion", input(edit(reviewed), func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 1 }), CapClean},
		{"open feedback is not held back by a red check", input(edit(reviewed), threads(1), check("FAILURE")), FeedbackOpen},
		{"open feedback is not held back by an active request", input(edit(reviewed), threads(1), edit(requested)), FeedbackOpen},
		{"a parked head is not converged while a thread of it is open, answered or not", input(known, edit(reviewed), threads(1), func(in *Input) {
			in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, Parked: string(FixerParked) + "@" + string(headA)}}
			t := &in.Snapshot.Threads[0]
			t.Comments = append(t.Comments, pr.ThreadComment{ID: "PRRC_9", Mine: true, Trusted: true, Author: pr.Actor{Login: "github-actions", Bot: true}, Body: "<!-- prloop:reply 1 0a1b2c3d -->\nA person should decide this."})
		}), FixerParked},
		{"the reviewer loop's work goes before the Copilot loop's request (conductor 11 before 16)", input(preparing, hubotAsked), ReviewDue},
		{"and before its open feedback (conductor 11 before 13)", input(preparing, hubotAsked, edit(reviewed), threads(1)), ReviewDue},
		{"but Copilot's review is waited for before it (conductor 9 before 11)", input(preparing, hubotAsked, edit(requested)), WaitingForReview},
		{"a head is not converged while somebody wants changes (conductor 14 before 16)", input(preparing, edit(reviewed), submitted(pr.ChangesRequested, headB)), WaitingForReRequest},
		{"open feedback goes before that wait (conductor 13 before 14)", input(preparing, edit(reviewed), submitted(pr.ChangesRequested, headA), threads(1)), FeedbackOpen},
		{"without reviewerLoop.reviewerLogin nobody's review is prepared", input(hubotAsked), ReviewRequested},
		{"two journals are joined before anything is decided on one of them (conductor 1 before 2)", input(known, merged, func(in *Input) { in.Duplicates = true }), NeedsReconcile},
		{"a lock of another run is left alone, with two journals too", input(known, lease, func(in *Input) { in.Duplicates = true }), LiveOwner},
		{"open feedback goes before a check that is to run again", input(flaky, edit(reviewed), threads(1)), FeedbackOpen},
		{"a failing check is run again before it is handed over", input(flaky, func(in *Input) { in.Settings.CI.Red = config.RedHandoff }), ChecksRerun},
		{"without the switch nothing is run again", input(flaky, func(in *Input) { in.Settings.CI.RerunFlaky = false }), ChecksFailed},
		{"a second attempt is not run again", input(flaky, edit(func(s *pr.Snapshot) { s.Checks[1].RunAttempt = 2 })), ChecksFailed},
		{"a check that never passed on this head failed by the code", input(flaky, edit(func(s *pr.Snapshot) { s.Checks = s.Checks[1:] })), ChecksFailed},
		{"a token without the right is asked once", input(known, flaky, func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: effect.Rerun{Job: 11, Run: 2, Head: headA}.Key(), Right: "actions: write", Via: "user-token"}}
		}), ChecksFailed},
		{"no review is bought for a red head", input(check("FAILURE")), ChecksFailed},
		{"no review is bought while checks run", input(check("")), WaitingForCI},
	}
	for _, tt := range tests {
		if got := Decide(tt.in); got.Code != tt.want {
			t.Errorf("%s: decided %s by %s (%s), want %s", tt.why, got.Code, got.Row, got.Why, tt.want)
		}
	}
}

func TestASkipLabelAndADraftThatMayBeMadeReady(t *testing.T) {
	draft := edit(func(s *pr.Snapshot) { s.Draft = true })
	ready := func(in *Input) { in.Settings.Draft = config.DraftReady }
	tests := []struct {
		name    string
		in      Input
		want    Code
		effects []effect.Effect
	}{
		{"the label leaves it out", input(edit(func(s *pr.Snapshot) { s.Labels = []string{config.LabelSkip} })), SkipLabel, nil},
		{"green, so it is made ready", input(draft, ready), MarkedReady, []effect.Effect{effect.MarkReady{Head: headA}}},
		{"still running", input(draft, ready, check("")), WaitingForCI, nil},
		{"red", input(draft, ready, check("FAILURE")), ChecksFailed, nil},
		{"red does not matter where checks are not required", input(draft, ready, check("FAILURE"), func(in *Input) { in.Settings.RequireCI = false }), MarkedReady, []effect.Effect{effect.MarkReady{Head: headA}}},
		{"the right was missing before, with this kind of token", input(draft, ready, known, func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: effect.MarkReady{Head: headA}.Key(), Right: "contents: write", Via: "user-token"}}
			in.Journal.Told = []journal.Told{{Topic: string(MissingRight), Head: headA}}
		}), MissingRight, nil},
		{"the right was missing with another kind of token", input(draft, ready, known, func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: effect.MarkReady{Head: headA}.Key(), Right: "contents: write", Via: "github-token"}}
		}), MarkedReady, []effect.Effect{effect.MarkReady{Head: headA}}},
	}
	for _, tt := range tests {
		got := Decide(tt.in)
		if got.Code != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.name, got.Code, got.Why, tt.want)
		}
		if diff := cmp.Diff(tt.effects, got.Effects); diff != "" {
			t.Errorf("%s: effects (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A request is pinned to the head, is counted before it is made, and says when
// it is a request for another round.
func TestARequestForAReview(t *testing.T) {
	record := effect.Record{PR: 7, Head: headA, Reviewer: pr.CopilotReviewer, Day: "2026-11-30"}
	request := effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: headA, Try: 1}
	again := request
	again.Again = true
	tests := []struct {
		name string
		in   Input
		want []effect.Effect
	}{
		{"the first", input(), []effect.Effect{record, request}},
		{"for another round", input(edit(func(s *pr.Snapshot) { reviewed(s); s.Reviews[0].Commit = headB })), []effect.Effect{record, again}},
		{"without a repository record", input(edit(func(s *pr.Snapshot) { s.Repo.IssuesOff = true })), []effect.Effect{request}},
		{"where the record may not be read", input(unknown(pr.FactRecord, "issues: read")), []effect.Effect{request}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Decide(tt.in).Effects); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestADroppedRequestIsTriedAgainLater(t *testing.T) {
	dropped := func(tries int, at time.Time) func(*Input) {
		return func(in *Input) {
			known(in)
			in.Journal.Requests = []journal.Request{{Reviewer: pr.CopilotReviewer, Head: headA, At: at, Result: effect.Dropped, Tries: tries, Via: "user-token"}}
		}
	}
	now := opened.Add(10 * time.Minute)
	tests := []struct {
		name  string
		tries int
		at    time.Time
		want  Code
		due   time.Time
	}{
		{"not yet", 1, now.Add(-5*time.Minute + time.Second), RequestBackoff, now.Add(time.Second)},
		{"after five minutes", 1, now.Add(-5 * time.Minute), ReviewRequested, time.Time{}},
		{"the second waits twice as long", 2, now.Add(-9 * time.Minute), RequestBackoff, now.Add(time.Minute)},
		{"after ten minutes", 2, now.Add(-10 * time.Minute), ReviewRequested, time.Time{}},
		{"after the third nothing is tried any more", 3, now.Add(-time.Hour), Unregistered, time.Time{}},
	}
	for _, tt := range tests {
		got := Decide(input(dropped(tt.tries, tt.at)))
		if got.Code != tt.want || !got.NextWake.Equal(tt.due) {
			t.Errorf("%s: %s, next wake %v, want %s, %v", tt.name, got.Code, got.NextWake, tt.want, tt.due)
		}
	}
}

// Each wait ends at its time, not before, however often it is looked at.
func TestWaitsEndAtTheirTime(t *testing.T) {
	const second = time.Second
	tests := []struct {
		name string
		in   Input
		cap  time.Duration // from the opening
		want [2]Code       // before and from then on
	}{
		{"no check has begun", input(edit(func(s *pr.Snapshot) { s.Checks = nil })), 15 * time.Minute, [2]Code{WaitingForCI, NoChecks}},
		{"a check does not end", input(check("")), 6 * time.Hour, [2]Code{WaitingForCI, CIWaitCap}},
		{"a review does not come", input(edit(requested), edit(func(s *pr.Snapshot) { s.WorkRead = true })), 51 * time.Minute, [2]Code{WaitingForReview, ReviewWaitCap}},
	}
	for _, tt := range tests {
		for i, at := range []time.Duration{tt.cap - second, tt.cap} {
			in := tt.in
			snap := *in.Snapshot
			snap.At = opened.Add(at)
			in.Snapshot = &snap
			if got := Decide(in); got.Code != tt.want[i] {
				t.Errorf("%s, after %v: %s (%s), want %s", tt.name, at, got.Code, got.Why, tt.want[i])
			}
		}
	}
}

func TestACapAsksForCopilotsWorkOnce(t *testing.T) {
	in := input(edit(requested), later2(2*time.Hour))
	if diff := cmp.Diff([]pr.Fact{pr.FactWork}, Decide(in).Needs); diff != "" {
		t.Errorf("needs (-want +got):\n%s", diff)
	}
	in.Snapshot.WorkRead = true
	in.Snapshot.Work = []pr.Event{{Kind: pr.WorkStarted, At: opened.Add(2 * time.Minute)}}
	in.Snapshot.At = opened.Add(90 * time.Minute)
	if got := Decide(in); got.Code != WaitingForReview || len(got.Needs) != 0 {
		t.Errorf("Copilot is at work: %s (%s), needs %v", got.Code, got.Why, got.Needs)
	}
	in.Snapshot.Work = append(in.Snapshot.Work, pr.Event{Kind: pr.WorkFailed, At: opened.Add(3 * time.Minute)})
	if got := Decide(in); got.Code != ReviewWaitCap {
		t.Errorf("Copilot's work has failed: %s (%s)", got.Code, got.Why)
	}
}

func TestBudgetsHold(t *testing.T) {
	day := journal.Record{Days: []journal.Day{{Day: "2026-11-30", Reviews: []journal.Spent{{PR: 9, Head: "abcdef0", Reviewer: pr.CopilotReviewer}}}}}
	mine := journal.Record{Days: []journal.Day{{Day: "2026-11-30", Reviews: []journal.Spent{{PR: 7, Head: pr.SHA(headA.Short()), Reviewer: pr.CopilotReviewer}}}}}
	one := func(in *Input) { in.Settings.Budgets.ReviewsPerDay = 1 }
	tests := []struct {
		name string
		in   Input
		want Code
		key  string
	}{
		{"of the day", input(one, func(in *Input) { in.Record = day }), BudgetExhausted, "budgets.reviewsPerDay"},
		{"a request that is counted already is not counted twice", input(one, func(in *Input) { in.Record = mine }), ReviewRequested, ""},
		{"of another day", input(one, func(in *Input) { in.Record = day }, later2(-24*time.Hour)), ReviewRequested, ""},
		{"of the pull request", input(known, func(in *Input) { in.Journal.Asked = 10 }), BudgetExhausted, "budgets.reviewsPerPullRequest"},
		{"of the run's starts", input(func(in *Input) { in.StartsLeft = 0 }), BudgetExhausted, "budgets.startsPerRun"},
		{"one that was started before is no start", input(known, func(in *Input) { in.StartsLeft = 0 }), ReviewRequested, ""},
		{"of hand-overs", input(known, edit(reviewed), threads(1), func(in *Input) { in.Journal.HandedOver = 10 }), BudgetExhausted, "budgets.handoffsPerPullRequest"},
	}
	for _, tt := range tests {
		if got := Decide(tt.in); got.Code != tt.want || !strings.Contains(got.Why, tt.key) {
			t.Errorf("%s: %s (%s), want %s naming %q", tt.name, got.Code, got.Why, tt.want, tt.key)
		}
	}
}

// The same findings of the same head are handed over once; fewer of them are
// no new work, one more is.
func TestFindingsAreHandedOverOnce(t *testing.T) {
	in := input(edit(reviewed), threads(3))
	first := Decide(in)
	if first.Code != FeedbackOpen || first.Handoff == nil || first.Handoff.Number != 1 {
		t.Fatalf("first: %s, %+v", first.Code, first.Handoff)
	}
	known(&in)
	in.Journal = journal.HandOff(in.Journal, *first.Handoff)
	if got := Decide(in); got.Code != HandedOver || got.Handoff != nil {
		t.Errorf("again: %s, %+v", got.Code, got.Handoff)
	}
	in.Snapshot.Threads[1].Resolved = true
	if got := Decide(in); got.Code != HandedOver {
		t.Errorf("one of them is resolved: %s", got.Code)
	}
	in.Snapshot.Threads[1].Resolved = false
	in.Snapshot.Threads[0].ID = "PRRT_new"
	if got := Decide(in); got.Code != FeedbackOpen || got.Handoff.Number != 2 {
		t.Errorf("a new one: %s, %+v", got.Code, got.Handoff)
	}
}

// A person is called once for each topic and head, only where prloop has acted,
// and what no longer is so is hidden.
func TestAPersonIsCalledOnce(t *testing.T) {
	red := check("FAILURE")
	call := effect.Comment{Topic: string(ChecksFailed), Head: headA}
	told := func(in *Input) { in.Journal.Told = []journal.Told{{Topic: string(ChecksFailed), Head: headA}} }
	note := func(topic Code, head pr.SHA) func(*Input) {
		return edit(func(s *pr.Snapshot) {
			s.Comments = append(s.Comments, pr.Comment{ID: "IC_9", DatabaseID: 9, Mine: true, Body: "Words.\n" + effect.Comment{Topic: string(topic), Head: head}.Marker()})
		})
	}
	tests := []struct {
		name string
		in   Input
		want []effect.Effect
	}{
		{"not where prloop has done nothing", input(red), nil},
		{"called", input(red, known), []effect.Effect{call}},
		{"not again", input(red, known, told), nil},
		{"never, where notify: none is set", input(red, known, func(in *Input) { in.Settings.Notify = config.NotifyNone }), nil},
		{"its own note stays", input(red, known, told, note(ChecksFailed, headA)), nil},
		{"a note of an earlier head goes", input(red, known, told, note(ChecksFailed, headB)), []effect.Effect{effect.Hide{CommentID: "IC_9", Topic: string(ChecksFailed), Head: pr.SHA(headB.Short())}}},
		{"somebody else's does not", input(red, known, told, note(ChecksFailed, headB), edit(func(s *pr.Snapshot) { s.Comments[0].Mine = false })), nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Decide(tt.in).Effects); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWhoIsSelectedAndEnrolled(t *testing.T) {
	bot := edit(func(s *pr.Snapshot) { s.Author = pr.Actor{Login: "renovate", Bot: true} })
	fork := edit(func(s *pr.Snapshot) { s.HeadRepo = "stranger/demo" })
	old := later2(50 * time.Hour)
	label := edit(func(s *pr.Snapshot) { s.Labels = []string{config.LabelEnrol} })
	sel := func(f func(*config.Select)) func(*Input) { return func(in *Input) { f(&in.Settings.Select) } }
	tests := []struct {
		name string
		in   Input
		want Code
	}{
		{"a person's, opened lately", input(), ReviewRequested},
		{"a bot's is not", input(bot), NotSelected},
		{"a bot's that is named is", input(bot, sel(func(s *config.Select) { s.Bots = []string{"Renovate[bot]"} })), ReviewRequested},
		{"a person who is called like a bot is a person", input(edit(func(s *pr.Snapshot) { s.Author = pr.Actor{Login: "renovate"} })), ReviewRequested},
		{"Copilot's agent is", input(edit(func(s *pr.Snapshot) { s.Author = pr.Actor{Login: pr.CopilotAgent, Bot: true} })), ReviewRequested},
		{"a fork is not", input(fork), NotSelected},
		{"a fork is where the configuration says so", input(fork, sel(func(s *config.Select) { s.Forks = true })), ReviewRequested},
		{"a fork with the label is", input(fork, label), ReviewRequested},
		{"the wrong base", input(sel(func(s *config.Select) { s.Bases = []string{"release/*"} })), NotSelected},
		{"a label that is asked for and missing", input(sel(func(s *config.Select) { s.Labels = []string{"review"} })), NotSelected},
		{"two days old", input(old), NotEnrolled},
		{"two days old, with the label", input(old, label), ReviewRequested},
		{"two days old, in the loop", input(old, known), ReviewRequested},
		{"two days old, where all are enrolled", input(old, sel(func(s *config.Select) { s.Enrol = config.EnrolAll })), ReviewRequested},
		{"new, where none is", input(sel(func(s *config.Select) { s.Enrol = config.EnrolNone })), NotEnrolled},
		{"pushed to lately", input(old, edit(func(s *pr.Snapshot) { s.HeadSuiteAt = s.At.Add(-time.Hour) })), ReviewRequested},
	}
	for _, tt := range tests {
		if got := Decide(tt.in); got.Code != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.name, got.Code, got.Why, tt.want)
		}
	}
}

// A step that could not see says nothing of what was told before: a note that it
// hid would not be told again.
func TestAStepThatCannotSeeHidesNothing(t *testing.T) {
	note := effect.Comment{Topic: string(ChecksFailed), Head: headA}
	noted := func(in *Input) {
		known(in)
		in.Snapshot.Comments = []pr.Comment{{ID: "IC_1", Mine: true, Body: "Checks failed.\n" + note.Marker()}}
	}
	hides := func(p Plan) bool {
		return slices.ContainsFunc(p.Effects, func(e effect.Effect) bool { return e.Type() == "hide" })
	}
	if p := Decide(input(noted, unknown(pr.FactThreads, ""))); p.Code != FactUnknown || hides(p) {
		t.Errorf("%s hides a note: %t", p.Code, hides(p))
	}
	if p := Decide(input(noted)); p.Code != ReviewRequested || !hides(p) {
		t.Errorf("%s hides a note that is outdated: %t", p.Code, hides(p))
	}
}

func TestEveryCodeHasARow(t *testing.T) {
	seen := map[Code]bool{}
	for _, r := range Reasons {
		if seen[r.Code] {
			t.Errorf("%s stands twice", r.Code)
		}
		seen[r.Code] = true
		if r.Says == "" || strings.HasSuffix(r.Says, ".") || strings.HasSuffix(r.ToDo, ".") {
			t.Errorf("%s: one sentence, without a full stop, not %q and %q", r.Code, r.Says, r.ToDo)
		}
		if r.Calls && r.ToDo == "" {
			t.Errorf("%s calls a person and does not say what to do", r.Code)
		}
		if Find(r.Code).Code != r.Code {
			t.Errorf("%s is not found", r.Code)
		}
	}
}

// edits are what the properties are made of: few values, so that they meet.
var edits = map[string]func(*Input){
	"reviewed": edit(reviewed), "one thread": threads(1), "requested": edit(requested), "known": known,
	"red": check("FAILURE"), "running": check(""), "draft": edit(func(s *pr.Snapshot) { s.Draft = true }),
	"conflict": edit(func(s *pr.Snapshot) { s.MergeState = "DIRTY" }), "old": later2(72 * time.Hour), "hour": later2(time.Hour),
	"merged": edit(func(s *pr.Snapshot) { s.State = pr.Merged }), "fork": edit(func(s *pr.Snapshot) { s.HeadRepo = "" }),
	"error":            notice("Copilot encountered an error and was unable to review this pull request. You can try again by re-requesting a review."),
	"quota":            notice("Copilot was unable to review this pull request because the user who requested the review has reached their quota limit."),
	"no threads known": unknown(pr.FactThreads, ""), "no checks known": unknown(pr.FactChecks, "checks: read"), "no events known": unknown(pr.FactEvents, ""),
	"preparing": preparing, "hubot asked": hubotAsked, "hubot wants changes": submitted(pr.ChangesRequested, headA),
	"review out": out(1, headA), "review posted": posted(headA), "old review posted": posted(headB),
	"sweep": func(in *Input) { in.Sweep = true }, "job": func(in *Input) { in.Settings.Fixer = config.Job },
	"two journals": func(in *Input) { in.Duplicates = in.Memory == journal.MemoryFound },
	"work":         edit(func(s *pr.Snapshot) { s.WorkRead = true }), "new head": edit(func(s *pr.Snapshot) { s.Head = headB }),
}

func drawn(t *rapid.T) Input {
	names := make([]string, 0, len(edits))
	for n := range edits {
		names = append(names, n)
	}
	slices.Sort(names)
	in := input()
	for _, n := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 6).Draw(t, "edits") {
		edits[n](&in)
	}
	return in
}

func TestDecideIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		a, b := Decide(in), Decide(in)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("two decisions on one input:\n%s", diff)
		}
		if a.Row == "S19" {
			t.Fatalf("no row above the floor decides: %+v", a.Copilot)
		}
		if len(a.Needs) == 0 && (a.Why == "" || a.Row == "" || Find(a.Code).Decision != a.Decision) {
			t.Fatalf("a decision that does not say why: %+v", a)
		}
	})
}

// Whatever is unknown, waits, or is open, a head is not called converged with
// it, and a review is asked for only where nothing stands against it.
func TestUnknownIsNeverClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		p := Decide(in)
		f := p.Facts
		if p.Converged.Converged && (len(in.Snapshot.Unknown) > 0 || f.Threads.Awaiting > 0 || in.Snapshot.Draft || in.Snapshot.State != pr.Open) {
			t.Fatalf("converged with %d unknown facts and %d threads", len(in.Snapshot.Unknown), f.Threads.Awaiting)
		}
		asks := slices.ContainsFunc(p.Effects, func(e effect.Effect) bool { _, ok := e.(effect.RequestReview); return ok })
		if asks && (len(in.Snapshot.Unknown) > 0 || f.Threads.Awaiting > 0 || f.CI.Status != "success" || f.Rounds >= in.Settings.Refinement.MaxCopilotRounds) {
			t.Fatalf("asks for a review with %+v", f.Copilot)
		}
	})
}

// What a step leads to is what the next step finds: after the effects nothing
// of what was done is wished again.
func TestWhatWasDoneIsNotWishedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		p := Decide(in)
		if len(p.Needs) > 0 || !p.Acts() {
			return
		}
		var results []effect.Result
		for _, e := range p.Effects {
			results = append(results, effect.Result{Effect: e, Outcome: effect.Done, Request: effect.Landed, Rung: 1, At: in.Snapshot.At})
		}
		j := Settle(in.Journal, in, p, results, in.Snapshot.At)
		next := Decide(After(in, j, results))
		for _, e := range next.Effects {
			for _, r := range results {
				if r.Effect.Key() == e.Key() {
					t.Fatalf("%s is wished again after it was done (%s, then %s)", e, p.Code, next.Code)
				}
			}
		}
		if p.Handoff != nil && next.Handoff != nil {
			t.Fatalf("handed over twice: %+v, then %+v", p.Handoff, next.Handoff)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	in := input(edit(reviewed), threads(100), known)
	in.Settings.MaxOpenThreads = 1000
	for b.Loop() {
		Decide(in)
	}
}
