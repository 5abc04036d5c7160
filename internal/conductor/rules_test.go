package conductor

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/reviewer"
)

// on is a pull request whose loops are in these states, which nobody owns,
// changed by each edit in turn.
func on(c copilot.State, r reviewer.State, edits ...func(*Input)) Input {
	in := Input{
		Target:       &Target{Repo: "mona/spoon", PR: 7},
		CopilotState: string(c), ReviewerState: string(r),
		SourceMode: Authoritative,
	}
	for _, edit := range edits {
		edit(&in)
	}
	return in
}

func live(in *Input)       { in.OwnershipState = LiveOwner }
func duplicate(in *Input)  { in.OwnershipState = DuplicateLocalOwners }
func somebody(in *Input)   { in.OwnershipState = "some_other_ownership" }
func isolated(in *Input)   { in.RequiresLocalIsolation = true }
func noTarget(in *Input)   { in.Target = nil }
func noNumber(in *Input)   { in.Target.PR = 0 }
func noCopilot(in *Input)  { in.CopilotState = "" }
func noReviewer(in *Input) { in.ReviewerState = " \t" }

// unknown is a state of neither loop; nobody is the reviewer loop at rest.
const (
	unknown = "re_review_needed"
	nobody  = reviewer.WaitingForReviewRequest
)

// witnesses has, for each row of the table and in its order, an input for
// which that row decides.
var witnesses = []struct {
	input    Input
	priority string
	want     Outcome
	reason   StopReason
}{
	{on(copilot.Done, nobody, noTarget), "0a", NeedsReconcile, UnknownState},
	{on(copilot.Done, nobody, noCopilot), "0b", NeedsReconcile, UnknownState},
	{on(copilot.Done, nobody, noReviewer), "0c", NeedsReconcile, UnknownState},
	{on(copilot.Done, nobody, duplicate), "1", NeedsReconcile, OwnershipConflict},
	{on(copilot.Done, nobody), "2", DoneTerminal, ""},
	{on(copilot.NoPR, nobody), "3", StopNeedsHuman, PRNotReady},
	{on(copilot.ReviewRequestUnavailable, nobody), "4", StopNeedsHuman, ReviewUnavailable},
	{on(copilot.BlockedNeedsUserDecision, nobody), "5", StopNeedsHuman, CopilotBlocked},
	{on(copilot.WaitingForCI, reviewer.BlockedNeedsUserDecision), "6", StopNeedsHuman, ReviewerBlocked},
	{on(copilot.RoundCapReached, nobody), "6a", StopNeedsHuman, RoundCapReached},
	{on(copilot.PRDraft, nobody, live), "7", StayWithCurrentLiveOwner, ""},
	{on(copilot.PRDraft, nobody), "8", HandoffToCopilotLoop, ""},
	{on(copilot.WaitingForCopilotReview, reviewer.ReviewRequested), "9", ContinueCurrentWait, ""},
	{on(copilot.WaitingForCI, reviewer.ReviewRequested, live), "10", StayWithCurrentLiveOwner, ""},
	{on(copilot.WaitingForCI, reviewer.ReviewRequested), "11", HandoffToReviewerLoop, ""},
	{on(copilot.UnresolvedFeedbackPresent, reviewer.WaitingForReRequest, live), "12", StayWithCurrentLiveOwner, ""},
	{on(copilot.UnresolvedFeedbackPresent, reviewer.WaitingForReRequest), "13", HandoffToCopilotLoop, ""},
	{on(copilot.PRReadyNoFeedback, reviewer.WaitingForReRequest, live), "14", ContinueCurrentWait, ""},
	{on(copilot.PRReadyNoFeedback, nobody, live), "15", StayWithCurrentLiveOwner, ""},
	{on(copilot.PRReadyNoFeedback, nobody), "16", HandoffToCopilotLoop, ""},
	{on(unknown, nobody), "17", NeedsReconcile, UnknownState},
}

func TestEveryRowHasAWitness(t *testing.T) {
	var want, got []string
	for _, row := range Table() {
		want = append(want, row.ID)
		if row.Words == "" || row.Words != Words(row.ID) {
			t.Errorf("row %s: Table has the words %q, Words %q", row.ID, row.Words, Words(row.ID))
		}
	}
	for _, w := range witnesses {
		got = append(got, w.priority)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("witnesses in the order of the table (-table +witnesses):\n%s", diff)
	}
	if words := Words("18"); words != "" {
		t.Errorf("row 18 is not there, and has the words %q", words)
	}
	for i, w := range witnesses {
		want := Row{ID: w.priority, Words: Words(w.priority), Outcome: w.want, StopReason: w.reason}
		d := Route(w.input)
		got := Row{ID: d.Priority, Words: Words(d.Priority), Outcome: d.RoutingOutcome, StopReason: d.StopReason}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row %s (-want +got):\n%s", w.priority, diff)
		}
		if diff := cmp.Diff(want, Table()[i]); diff != "" {
			t.Errorf("row %s in the table (-want +got):\n%s", w.priority, diff)
		}
	}
}

func TestTableSaysInWordsWhatARowAsks(t *testing.T) {
	want := []Row{
		{"2", "the pull request is merged or closed", DoneTerminal, ""},
		{"6a", "every permitted round is spent", StopNeedsHuman, RoundCapReached},
		{"12", "the Copilot loop has feedback to work off, and a live owner has control", StayWithCurrentLiveOwner, ""},
	}
	var got []Row
	for _, row := range Table() {
		if row.ID == "2" || row.ID == "6a" || row.ID == "12" {
			got = append(got, row)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

// Where two rows hold, the upper one wins for a reason. Each reason is written
// down, so that nobody reorders the table by accident.
func TestPrecedence(t *testing.T) {
	const (
		loopBlocked = copilot.BlockedNeedsUserDecision
		blockedToo  = reviewer.BlockedNeedsUserDecision
	)
	tests := []struct {
		why   string
		input Input
		want  string
	}{
		{"without a target nobody knows whose states these are", on("", "", noTarget), "0a"},
		{"without a number there is no target", on(copilot.Done, nobody, noNumber), "0a"},
		{"a run without a target has no owners", on(copilot.Done, nobody, noTarget, duplicate), "0a"},
		{"a blank state is none, whoever owns the run", on("  ", nobody, duplicate), "0b"},
		{"the Copilot loop is asked first", on("", ""), "0b"},
		{"a reviewer loop that says nothing could be anywhere, even at the end", on(copilot.Done, ""), "0c"},
		{"two owners come before what either of them saw", on(copilot.Done, blockedToo, duplicate), "1"},
		{"two owners come before a stop", on(copilot.NoPR, nobody, duplicate), "1"},
		{"done is done, though the reviewer loop is blocked", on(copilot.Done, blockedToo), "2"},
		{"done is done, though somebody owns the run", on(copilot.Done, reviewer.ReviewRequested, live), "2"},
		{"without a pull request the reviewer loop has no say", on(copilot.NoPR, blockedToo), "3"},
		{"a reviewer that cannot be asked is the Copilot loop's stop", on(copilot.ReviewRequestUnavailable, blockedToo), "4"},
		{"a live owner cannot ask either", on(copilot.ReviewRequestUnavailable, reviewer.ReviewRequested, live), "4"},
		{"the Copilot loop's block is told first", on(loopBlocked, blockedToo), "5"},
		{"a block outranks work of the reviewer loop", on(loopBlocked, reviewer.ReviewRequested), "5"},
		{"a blocked reviewer loop stops a draft too", on(copilot.PRDraft, blockedToo), "6"},
		{"a blocked reviewer loop outranks the wait for a review", on(copilot.WaitingForCopilotReview, blockedToo), "6"},
		{"a blocked reviewer loop is told before the spent rounds", on(copilot.RoundCapReached, blockedToo), "6"},
		{"a blocked reviewer loop stops an unknown state", on(unknown, blockedToo), "6"},
		{"spent rounds outrank work of the reviewer loop", on(copilot.RoundCapReached, reviewer.ReviewRequested), "6a"},
		{"spent rounds are not the live owner's to go on with", on(copilot.RoundCapReached, reviewer.ReviewRequested, live), "6a"},
		{"a draft outranks work of the reviewer loop", on(copilot.PRDraft, reviewer.ReviewRequested), "8"},
		{"a draft stays with its owner, whatever the reviewer loop does", on(copilot.PRDraft, reviewer.ReviewRequested, live), "7"},
		{"a draft outranks waits of the reviewer loop", on(copilot.PRDraft, reviewer.WaitingForReRequest), "8"},
		{"the review of this head settles before the reviewer loop goes on", on(copilot.WaitingForCopilotReview, reviewer.SubmittedReview), "9"},
		{"waiting for a review is waiting, whoever owns the run", on(copilot.WaitingForCopilotReview, reviewer.ReviewRequested, live), "9"},
		{"the reviewer loop does not wait for checks", on(copilot.WaitingForCI, reviewer.SubmittedReview), "11"},
		{"the reviewer loop's work outranks feedback", on(copilot.UnresolvedFeedbackPresent, reviewer.SubmittedReview), "11"},
		{"the reviewer loop's work needs no known state of the other loop", on(unknown, reviewer.ReviewsRunning), "11"},
		{"an owner of the reviewer loop's work keeps it", on(copilot.UnresolvedFeedbackPresent, reviewer.SubmittedReview, live), "10"},
		{"feedback does not wait for an author who is it", on(copilot.AlreadyFixedNeedsReplyResolve, reviewer.WaitingForAuthorFollowup), "13"},
		{"an owner of the feedback keeps it", on(copilot.AlreadyFixedNeedsReplyResolve, reviewer.WaitingForAuthorFollowup, live), "12"},
		{"checks are waited for", on(copilot.WaitingForCI, nobody), "14"},
		{"a wait is no owner's", on(copilot.WaitingForCI, reviewer.WaitingForReRequest, live), "14"},
		{"a request yields to the author's follow-up", on(copilot.ReadyToRerequestReview, reviewer.WaitingForAuthorFollowup), "14"},
		{"a converged loop yields to the author's follow-up", on(copilot.LowSignalConverged, reviewer.WaitingForAuthorFollowup), "14"},
		{"a wait of the reviewer loop needs no known state of the other loop", on(unknown, reviewer.WaitingForReRequest), "14"},
		{"a clean end at the cap goes on to the gates", on(copilot.RoundCapCleanFallback, nobody), "16"},
		{"low signal goes on to the gates", on(copilot.LowSignalConverged, nobody), "16"},
		{"internal tooling goes on to the gates", on(copilot.InternalToolingDirectGate, nobody), "16"},
		{"an unknown state of the reviewer loop holds nothing up", on(copilot.ReadyToRerequestReview, unknown), "16"},
		{"an unknown owner is none", on(copilot.ReadyToRerequestReview, nobody, somebody), "16"},
		{"an owner of the next request keeps it", on(copilot.ReadyToRerequestReview, unknown, live), "15"},
		{"an owner of an unknown state is no help", on(unknown, nobody, live), "17"},
		{"states are exact", on(" done ", nobody), "17"},
		{"states are lower-case", on("DONE", nobody), "17"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if got := Route(tt.input).Priority; got != tt.want {
				t.Errorf("decided by %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSomeRowAlwaysDecides(t *testing.T) {
	last := rules[len(rules)-1]
	everyInput(func(in Input) {
		if !last.when.holds(in) {
			t.Fatalf("%s, the last rule, does not hold", last.id)
		}
		got := Route(in)
		if !slices.Contains(Outcomes(), got.RoutingOutcome) || got.HandoffEnvelope.Reason == "" || Words(got.Priority) == "" {
			t.Fatalf("an incomplete decision: %+v", got)
		}
		if diff := cmp.Diff(got, Route(in)); diff != "" {
			t.Fatalf("routed twice (-first +second):\n%s", diff)
		}
	})
}

// Each state of the Copilot loop against a reviewer loop that has work, waits,
// or was never asked: who decides.
func TestClassesOfTheCopilotLoop(t *testing.T) {
	type decided struct{ Work, Waits, Rest string }
	want := map[copilot.State]decided{
		copilot.NoPR:                          {"3", "3", "3"},
		copilot.PRDraft:                       {"8", "8", "8"},
		copilot.PRReadyNoFeedback:             {"11", "14", "16"},
		copilot.WaitingForCopilotReview:       {"9", "9", "9"},
		copilot.UnresolvedFeedbackPresent:     {"11", "13", "13"},
		copilot.AlreadyFixedNeedsReplyResolve: {"11", "13", "13"},
		copilot.ReadyToRerequestReview:        {"11", "14", "16"},
		copilot.ReviewRequestUnavailable:      {"4", "4", "4"},
		copilot.WaitingForCI:                  {"11", "14", "14"},
		copilot.BlockedNeedsUserDecision:      {"5", "5", "5"},
		copilot.Done:                          {"2", "2", "2"},
		copilot.InternalToolingDirectGate:     {"11", "14", "16"},
		copilot.LowSignalConverged:            {"11", "14", "16"},
		copilot.RoundCapReached:               {"6a", "6a", "6a"},
		copilot.RoundCapCleanFallback:         {"11", "14", "16"},
	}
	got := map[copilot.State]decided{}
	for _, s := range copilot.States() {
		got[s] = decided{
			Route(on(s, reviewer.ReviewsRunning)).Priority,
			Route(on(s, reviewer.WaitingForReRequest)).Priority,
			Route(on(s, nobody)).Priority,
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("priorities (-want +got):\n%s", diff)
	}
}

// Each state of the reviewer loop against a Copilot loop whose next request
// yields to it, and against one that is not known.
func TestClassesOfTheReviewerLoop(t *testing.T) {
	type decided struct{ Weak, Unknown string }
	want := map[reviewer.State]decided{
		reviewer.WaitingForReviewRequest:  {"16", "17"},
		reviewer.ReviewRequested:          {"11", "11"},
		reviewer.DetermineReviewPlan:      {"11", "11"},
		reviewer.ReviewsRunning:           {"11", "11"},
		reviewer.MergeResults:             {"11", "11"},
		reviewer.DraftReviewReady:         {"11", "11"},
		reviewer.DraftReviewPosted:        {"11", "11"},
		reviewer.WaitingForUserSubmit:     {"11", "11"},
		reviewer.SubmittedReview:          {"11", "11"},
		reviewer.WaitingForAuthorFollowup: {"14", "14"},
		reviewer.WaitingForReRequest:      {"14", "14"},
		reviewer.ReviewInvalidated:        {"11", "11"},
		reviewer.BlockedNeedsUserDecision: {"6", "6"},
	}
	got := map[reviewer.State]decided{}
	for _, s := range reviewer.States() {
		got[s] = decided{Route(on(copilot.ReadyToRerequestReview, s)).Priority, Route(on(unknown, s)).Priority}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("priorities (-want +got):\n%s", diff)
	}
}

// The classes name states that the loops have, each once.
func TestClassesNameStates(t *testing.T) {
	var ofCopilot, ofReviewer []string
	for _, s := range copilot.States() {
		ofCopilot = append(ofCopilot, string(s))
	}
	for _, s := range reviewer.States() {
		ofReviewer = append(ofReviewer, string(s))
	}
	classes := []struct {
		states, of []string
	}{
		{slices.Concat(copilotStrongStates, copilotWeakStates, copilotWaitStates), ofCopilot},
		{slices.Concat(reviewerActiveStates, reviewerWaitStates), ofReviewer},
	}
	for _, class := range classes {
		seen := map[string]bool{}
		for _, s := range class.states {
			if seen[s] || !slices.Contains(class.of, s) {
				t.Errorf("%s is no state of its loop, or in two classes", s)
			}
			seen[s] = true
		}
	}
}

// everyInput calls f with every combination of states, owners and isolation.
func everyInput(f func(Input)) {
	for _, c := range append(copilot.States(), unknown, "", " ") {
		for _, r := range append(reviewer.States(), unknown, "") {
			for _, owner := range []func(*Input){func(*Input) {}, live, duplicate, somebody} {
				f(on(c, r, owner))
				f(on(c, r, owner, isolated))
				f(on(c, r, owner, noTarget))
			}
		}
	}
}
