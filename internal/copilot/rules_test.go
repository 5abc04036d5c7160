package copilot

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A situation is what the machine is asked about.
type situation struct {
	Snapshot
	Config
}

// on is an open pull request with green checks that nobody has reviewed yet,
// without a cap, changed by each edit in turn.
func on(edits ...func(*situation)) situation {
	s := situation{
		Snapshot{
			PRExists: true, PRNumber: new(7),
			CopilotReviewRequestStatus: NotRequested, CIStatus: CISuccess,
		},
		DefaultConfig(),
	}
	for _, edit := range edits {
		edit(&s)
	}
	return s
}

func gone(s *situation)           { s.PRExists, s.PRNumber = false, nil }
func merged(s *situation)         { s.PRMerged = true }
func closed(s *situation)         { s.PRClosed = true }
func asDraft(s *situation)        { s.PRDraft = true }
func asked(s *situation)          { s.CopilotReviewRequestStatus = Requested }
func askedBefore(s *situation)    { s.CopilotReviewRequestStatus = AlreadyRequested }
func cannotAsk(s *situation)      { s.CopilotReviewRequestStatus = Unavailable }
func askingFailed(s *situation)   { s.CopilotReviewRequestStatus = RequestFailed }
func reviewedBefore(s *situation) { s.CopilotReviewPresent = true }
func reviewedHere(s *situation)   { s.CopilotReviewPresent, s.CopilotReviewOnCurrentHead = true, true }
func twoErrors(s *situation)      { s.CopilotErrorReviewCountOnCurrentHead = 2 }
func oneError(s *situation)       { s.CopilotErrorReviewCountOnCurrentHead = 1 }
func withThread(s *situation)     { s.UnresolvedThreadCount = 1 }
func actionable(s *situation)     { s.ActionableThreadCount = 1 }
func withBody(s *situation)       { s.CopilotBodyFeedbackUnresolved = true }
func fixed(s *situation)          { s.AgentFixStatus = "applied" }
func red(s *situation)            { s.CIStatus = CIFailure }
func running(s *situation)        { s.CIStatus = CIPending }
func noChecks(s *situation)       { s.CIStatus = CINone }
func nearlyGreen(s *situation)    { s.CIStatus = CrediblyGreen }
func unheardOf(s *situation)      { s.CIStatus = "" }
func conflicting(s *situation)    { s.MergeStateStatus = "DIRTY" }
func waived(s *situation)         { s.PreApprovalRequireCI = false }
func spent(s *situation)          { s.CopilotReviewRoundCount, s.MaxCopilotRounds = 5, 5 }
func direct(s *situation)         { s.InternalToolingDirectGate = true }
func late(s *situation)           { s.CopilotReviewRoundCount, s.StopOnLowSignal = 4, true }
func highAgain(s *situation)      { s.LastCopilotRoundMaxSignal = "high" }

// witnesses has, for each row of the table and in its order, a situation in
// which that row decides, with everything that the machine says of it.
var witnesses = []struct {
	situation situation
	want      Result
}{
	{on(gone), Result{Rule: "1", State: NoPR, LoopDisposition: "action_required"}},
	{on(merged), Result{Rule: "2", State: Done, LoopDisposition: "done", Terminal: true}},
	{on(asDraft), Result{
		Rule: "3", State: PRDraft, LoopDisposition: "action_required",
		AllowedTransitions: []State{PRReadyNoFeedback},
	}},
	{on(cannotAsk), Result{Rule: "4", State: ReviewRequestUnavailable, LoopDisposition: "blocked", Terminal: true}},
	{on(askingFailed), Result{Rule: "5", State: BlockedNeedsUserDecision, LoopDisposition: "blocked", Terminal: true}},
	{on(reviewedBefore, spent), Result{
		Rule: "cap-clean", State: RoundCapCleanFallback, LoopDisposition: "done", Terminal: true,
		RoundCapCleanEligible: true,
	}},
	{on(reviewedHere, spent, withThread), Result{
		Rule: "cap", State: RoundCapReached, LoopDisposition: "blocked", Terminal: true,
	}},
	{on(reviewedHere, withThread, fixed), Result{
		Rule: "6", State: AlreadyFixedNeedsReplyResolve, LoopDisposition: "unresolved_feedback",
		AllowedTransitions: []State{ReadyToRerequestReview},
	}},
	{on(reviewedHere, withThread), Result{
		Rule: "7", State: UnresolvedFeedbackPresent, LoopDisposition: "unresolved_feedback",
		AllowedTransitions: []State{AlreadyFixedNeedsReplyResolve, UnresolvedFeedbackPresent},
	}},
	{on(asked), Result{
		Rule: "8", State: WaitingForCopilotReview, LoopDisposition: "pending",
		AllowedTransitions: []State{UnresolvedFeedbackPresent, ReadyToRerequestReview, WaitingForCI},
	}},
	{on(twoErrors), Result{Rule: "8a", State: BlockedNeedsUserDecision, LoopDisposition: "blocked", Terminal: true}},
	{on(reviewedHere, red), Result{Rule: "9", State: BlockedNeedsUserDecision, LoopDisposition: "blocked", Terminal: true}},
	{on(reviewedHere, running), Result{
		Rule: "10", State: WaitingForCI, LoopDisposition: "pending",
		AllowedTransitions: []State{PRReadyNoFeedback, ReadyToRerequestReview, BlockedNeedsUserDecision},
	}},
	{on(reviewedHere, running, conflicting), Result{
		Rule: "10-dirty", State: BlockedNeedsUserDecision, LoopDisposition: "blocked", Terminal: true,
	}},
	{on(reviewedBefore), Result{
		Rule: "11", State: ReadyToRerequestReview, LoopDisposition: "action_required",
		AllowedTransitions:    []State{WaitingForCopilotReview, ReviewRequestUnavailable, Done},
		AutoRerequestEligible: true,
	}},
	{on(reviewedBefore, late), Result{Rule: "low-signal", State: LowSignalConverged, LoopDisposition: "done", Terminal: true}},
	{on(reviewedBefore, direct), Result{
		Rule: "11-direct", State: InternalToolingDirectGate, LoopDisposition: "direct_gate",
		AllowedTransitions: []State{Done},
	}},
	{on(red), Result{Rule: "12", State: BlockedNeedsUserDecision, LoopDisposition: "blocked", Terminal: true}},
	{on(noChecks), Result{
		Rule: "13", State: WaitingForCI, LoopDisposition: "pending",
		AllowedTransitions: []State{PRReadyNoFeedback, ReadyToRerequestReview, BlockedNeedsUserDecision},
	}},
	{on(noChecks, conflicting), Result{
		Rule: "13-dirty", State: BlockedNeedsUserDecision, LoopDisposition: "blocked", Terminal: true,
	}},
	{on(), Result{
		Rule: "14", State: PRReadyNoFeedback, LoopDisposition: "action_required",
		AllowedTransitions: []State{WaitingForCopilotReview},
	}},
	{on(direct), Result{
		Rule: "14-direct", State: InternalToolingDirectGate, LoopDisposition: "direct_gate",
		AllowedTransitions: []State{Done},
	}},
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
		got = append(got, w.want.Rule)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("witnesses in the order of the table (-table +witnesses):\n%s", diff)
	}
	if words := Words("15"); words != "" {
		t.Errorf("row 15 is not there, and has the words %q", words)
	}
	for i, w := range witnesses {
		want := w.want
		if want.AllowedTransitions == nil {
			want.AllowedTransitions = []State{}
		}
		want.NextAction = rowOf(want.State).next
		if diff := cmp.Diff(want, Interpret(w.situation.Snapshot, w.situation.Config)); diff != "" {
			t.Errorf("row %s (-want +got):\n%s", want.Rule, diff)
		}
		if Table()[i].State != want.State {
			t.Errorf("row %s says %s in the table, and decides %s", want.Rule, Table()[i].State, want.State)
		}
	}
}

func TestTableSaysInWordsWhatARowAsks(t *testing.T) {
	want := []Row{
		{"6", "a thread or the body of a review has open feedback, and a report has an answer to all of it", AlreadyFixedNeedsReplyResolve},
		{"11", "Copilot has reviewed", ReadyToRerequestReview},
		{"low-signal", "rule 11 would decide, and late rounds bring only minor remarks", LowSignalConverged},
	}
	var got []Row
	for _, row := range Table() {
		if row.ID == "6" || row.ID == "11" || row.ID == "low-signal" {
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
	tests := []struct {
		why       string
		situation situation
		want      string
	}{
		{"what is not there cannot be merged", on(gone, merged), "1"},
		{"closed is the end, merged or not", on(closed), "2"},
		{"a merged pull request is done, draft or not", on(merged, asDraft), "2"},
		{"a draft asks for nothing, whatever a request came to", on(asDraft, cannotAsk), "3"},
		{"a draft waits for its author, not for its checks", on(asDraft, red), "3"},
		{"a request that cannot be made stops before threads are looked at", on(cannotAsk, withThread), "4"},
		{"a request that cannot be made stops before the cap", on(cannotAsk, spent), "4"},
		{"a request that failed stops before threads are looked at", on(askingFailed, withThread, fixed), "5"},
		{"a request that failed stops before the cap", on(askingFailed, spent), "5"},
		{"a clean cap ends the loop although a request is active", on(reviewedHere, spent, asked), "cap-clean"},
		{"a clean cap ends the loop although the head moved on", on(reviewedBefore, spent), "cap-clean"},
		{"a clean cap asks for no checks where they are waived", on(reviewedHere, spent, red, waived), "cap-clean"},
		{"credibly green is green at the cap", on(reviewedHere, spent, nearlyGreen), "cap-clean"},
		{"red checks at the cap leave nothing to do but ask a person", on(reviewedHere, spent, red), "cap"},
		{"the cap outranks feedback that is fixed", on(reviewedHere, spent, withThread, fixed), "cap"},
		{"the cap outranks feedback in a body", on(reviewedHere, spent, withBody), "cap"},
		{"a review in flight at the cap is still waited for", on(reviewedHere, spent, running, asked), "8"},
		{"feedback at the cap is worked off while a review is in flight", on(reviewedHere, spent, withThread, asked), "7"},
		{"a fix at the cap is answered while a review is in flight", on(reviewedHere, spent, withThread, fixed, asked), "6"},
		{"one round before the cap the loop goes on", on(reviewedBefore, spent, func(s *situation) { s.CopilotReviewRoundCount = 4 }), "11"},
		{"half a round is a round", on(reviewedBefore, spent, func(s *situation) { s.MaxCopilotRounds = 4.5 }), "cap-clean"},
		{"no cap below one", on(reviewedBefore, spent, func(s *situation) { s.MaxCopilotRounds = -1 }), "11"},
		{"a fix without feedback answers nothing", on(reviewedHere, fixed), "11"},
		{"unresolved feedback outranks an active request", on(withThread, asked), "7"},
		{"a finding in a body is feedback like a thread", on(withBody, askedBefore), "7"},
		{"unresolved feedback outranks red checks", on(reviewedHere, withThread, red), "7"},
		{"an active request outranks a submitted review of the head", on(reviewedHere, asked), "8"},
		{"an active request outranks red checks", on(reviewedHere, asked, red), "8"},
		{"an active request outranks failed reviews", on(asked, twoErrors), "8"},
		{"one failed review is asked again", on(oneError), "14"},
		{"failed reviews count for nothing once the head is reviewed", on(reviewedHere, twoErrors), "11"},
		{"failed reviews stop the loop before its checks do", on(reviewedBefore, twoErrors, running), "8a"},
		{"red checks fail whether or not the branch conflicts", on(reviewedHere, red, conflicting), "9"},
		{"a conflict holds up nothing once checks are green", on(reviewedHere, conflicting), "11"},
		{"a conflict holds up nothing where checks are waived", on(reviewedHere, running, conflicting, waived), "11"},
		{"checks that have not reported are not green", on(reviewedHere, noChecks), "10"},
		{"a check status that nobody knows is not green", on(reviewedHere, unheardOf), "10"},
		{"credibly green is green", on(reviewedHere, nearlyGreen), "11"},
		{"waived checks hold nothing back after a review", on(reviewedHere, red, waived), "11"},
		{"waived checks hold nothing back before one", on(noChecks, waived), "14"},
		{"low signal waits for red checks", on(reviewedBefore, late, red), "9"},
		{"one high remark is signal", on(reviewedBefore, late, highAgain), "11"},
		{"many remarks are signal", on(reviewedBefore, late, func(s *situation) { s.ActionableThreadCount = 3 }), "11"},
		{"a few remarks are low signal", on(reviewedBefore, late, func(s *situation) { s.ActionableThreadCount = 2 }), "low-signal"},
		{"early rounds are no low signal", on(reviewedBefore, late, func(s *situation) { s.CopilotReviewRoundCount = 3 }), "11"},
		{"low signal is off by default", on(reviewedBefore, late, func(s *situation) { s.StopOnLowSignal = false }), "11"},
		{"at the cap low signal is not asked any more", on(reviewedBefore, late, spent), "cap-clean"},
		{"a loop that has ended needs no direct gate", on(reviewedBefore, late, direct), "low-signal"},
		{"internal tooling waits for its checks too", on(direct, running), "13"},
		{"internal tooling answers feedback too", on(direct, withThread), "7"},
		{"a review of the head is a review", on(func(s *situation) { s.CopilotReviewOnCurrentHead = true }), "11"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if got := Interpret(tt.situation.Snapshot, tt.situation.Config).Rule; got != tt.want {
				t.Errorf("decided by %s, want %s", got, tt.want)
			}
		})
	}
}

// A row that takes another one's place stands below it, and only there.
func TestRowsThatTakeAPlaceStandBelowIt(t *testing.T) {
	own := map[string]bool{}
	ids := map[string]bool{}
	for _, r := range rules {
		if ids[r.id] {
			t.Errorf("row %s is there twice", r.id)
		}
		ids[r.id] = true
		if r.over == "" {
			own[r.id] = true
		} else if !own[r.over] {
			t.Errorf("row %s takes the place of %s, which no rule above it is", r.id, r.over)
		}
	}
}

func TestSomeRowAlwaysDecides(t *testing.T) {
	i := len(rules) - 1
	for rules[i].over != "" {
		i--
	}
	last := rules[i]
	rapid.Check(t, func(t *rapid.T) {
		s := situations().Draw(t, "situation")
		if !last.when.holds(s.Snapshot, s.Config) {
			t.Fatalf("%s, the last rule, does not hold", last.id)
		}
		got := Interpret(s.Snapshot, s.Config)
		if !slices.Contains(States(), got.State) || got.NextAction == "" || Words(got.Rule) == "" || got.AllowedTransitions == nil {
			t.Fatalf("an incomplete result: %+v", got)
		}
		if diff := cmp.Diff(got, Interpret(s.Snapshot, s.Config)); diff != "" {
			t.Fatalf("interpreted twice (-first +second):\n%s", diff)
		}
	})
}

// The guarantees of seed 000, under its ids.
func TestGuarantees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := situations().Draw(t, "situation")
		got := Interpret(s.Snapshot, s.Config)
		live := s.PRExists && !s.PRMerged && !s.PRClosed && !s.PRDraft
		stopped := s.CopilotReviewRequestStatus == Unavailable || s.CopilotReviewRequestStatus == RequestFailed
		active := s.CopilotReviewRequestStatus == Requested || s.CopilotReviewRequestStatus == AlreadyRequested
		open := s.UnresolvedThreadCount > 0 || s.CopilotBodyFeedbackUnresolved
		capped := s.MaxCopilotRounds > 0 && float64(s.CopilotReviewRoundCount) >= s.MaxCopilotRounds

		if live && open && !stopped {
			allowed := []State{UnresolvedFeedbackPresent, AlreadyFixedNeedsReplyResolve}
			if capped && !active {
				allowed = []State{RoundCapReached}
			}
			if !slices.Contains(allowed, got.State) {
				t.Fatalf("COPILOT-STATE-UNRESOLVED-PRIORITY: feedback is open, and the state is %s", got.State)
			}
		}
		if live && active && !open && !capped && got.State != WaitingForCopilotReview {
			t.Fatalf("COPILOT-STATE-ACTIVE-REQUEST-WAIT: a request is active, and the state is %s", got.State)
		}
		if live && stopped && got.State != ReviewRequestUnavailable && got.State != BlockedNeedsUserDecision {
			t.Fatalf("COPILOT-STATE-TERMINAL-STOP: the request has failed, and the state is %s", got.State)
		}
		if got.AutoRerequestEligible && (s.CopilotReviewOnCurrentHead || open || active) {
			t.Fatalf("a request would be repeated: %+v", got)
		}
		if got.SameHeadCleanConverged && (!s.CopilotReviewOnCurrentHead || open || active || got.AutoRerequestEligible || !got.Terminal) {
			t.Fatalf("clean without a clean review of the head: %+v", got)
		}
		// A status that nobody knows stands for "not reported yet".
		red := s.CIStatus == CIFailure || s.CIStatus == CIPending || s.CIStatus == CINone || s.CIStatus == ""
		onward := []State{ReadyToRerequestReview, PRReadyNoFeedback, RoundCapCleanFallback, LowSignalConverged, InternalToolingDirectGate}
		if red && s.PreApprovalRequireCI && slices.Contains(onward, got.State) {
			t.Fatalf("checks are not green, and the loop goes on to %s", got.State)
		}
	})
}

func TestSameHeadRequestIsSuppressed(t *testing.T) {
	clean := on(reviewedHere)
	want := Result{
		State: ReadyToRerequestReview, Rule: "11",
		AllowedTransitions:     []State{WaitingForCopilotReview, ReviewRequestUnavailable, Done},
		NextAction:             suppressed,
		SameHeadCleanConverged: true,
		LoopDisposition:        "clean_converged",
		Terminal:               true,
	}
	if diff := cmp.Diff(want, Interpret(clean.Snapshot, clean.Config)); diff != "" {
		t.Errorf("clean on the current head (-want +got):\n%s", diff)
	}

	// Neither clean nor eligible: a person's thread is open on a reviewed head.
	want.NextAction = rowOf(ReadyToRerequestReview).next
	want.SameHeadCleanConverged, want.Terminal, want.LoopDisposition = false, false, "action_required"
	people := on(reviewedHere, actionable)
	if diff := cmp.Diff(want, Interpret(people.Snapshot, people.Config)); diff != "" {
		t.Errorf("reviewed, with an actionable thread (-want +got):\n%s", diff)
	}
}

// situations draws from few values, so that conditions meet.
func situations() *rapid.Generator[situation] {
	return rapid.Custom(func(t *rapid.T) situation {
		often := rapid.SampledFrom([]bool{true, true, true, true, true, false})
		rare := rapid.SampledFrom([]bool{false, false, false, false, false, true})
		few := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3})
		s := situation{
			Snapshot{
				PRExists:                             often.Draw(t, "exists"),
				PRDraft:                              rare.Draw(t, "draft"),
				PRMerged:                             rare.Draw(t, "merged"),
				PRClosed:                             rare.Draw(t, "closed"),
				CopilotReviewRequestStatus:           rapid.SampledFrom([]RequestStatus{NotRequested, NotRequested, Requested, AlreadyRequested, Unavailable, RequestFailed, ""}).Draw(t, "request"),
				CopilotReviewOnCurrentHead:           rapid.Bool().Draw(t, "on head"),
				UnresolvedThreadCount:                few.Draw(t, "unresolved"),
				ActionableThreadCount:                few.Draw(t, "actionable"),
				CopilotBodyFeedbackUnresolved:        rare.Draw(t, "body"),
				CIStatus:                             rapid.SampledFrom([]CIStatus{CISuccess, CISuccess, CrediblyGreen, CIFailure, CIPending, CINone, ""}).Draw(t, "checks"),
				AgentFixStatus:                       rapid.SampledFrom([]string{"", "applied"}).Draw(t, "fix"),
				CopilotReviewRoundCount:              rapid.SampledFrom([]int{0, 1, 2, 4, 5, 6}).Draw(t, "rounds"),
				LastCopilotRoundMaxSignal:            rapid.SampledFrom([]string{"", "low", "mid", "high"}).Draw(t, "signal"),
				CopilotErrorReviewCountOnCurrentHead: few.Draw(t, "errors"),
				MergeStateStatus:                     rapid.SampledFrom([]string{"", "CLEAN", "DIRTY"}).Draw(t, "merge state"),
			},
			Config{
				MaxCopilotRounds:          rapid.SampledFrom([]float64{0, 0, 2, 2.5, 5}).Draw(t, "cap"),
				StopOnLowSignal:           rapid.Bool().Draw(t, "stop on low signal"),
				LowSignalRoundThreshold:   rapid.SampledFrom([]float64{0, 2, 3}).Draw(t, "threshold"),
				LowSignalMaxComments:      rapid.SampledFrom([]float64{0, 1, 2}).Draw(t, "comments"),
				PreApprovalRequireCI:      often.Draw(t, "checks required"),
				InternalToolingDirectGate: rare.Draw(t, "direct"),
			},
		}
		s.CopilotReviewPresent = s.CopilotReviewOnCurrentHead || rapid.Bool().Draw(t, "present")
		if s.PRExists {
			s.PRNumber = new(7)
		}
		return s
	})
}

func BenchmarkInterpret(b *testing.B) {
	s := on(reviewedHere)
	for b.Loop() {
		if got := Interpret(s.Snapshot, s.Config); got.Rule != "11" {
			b.Fatalf("decided by %s", got.Rule)
		}
	}
}
