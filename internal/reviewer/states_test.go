package reviewer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// declared returns the values of the constants of type State, as they stand in
// the source.
func declared(t *testing.T) []State {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "reviewer.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var states []State
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "State" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, State(text))
		}
		return true
	})
	return states
}

func TestStatesAreComplete(t *testing.T) {
	want := declared(t)
	if len(want) != 13 {
		t.Fatalf("the loop family has 13 states, the source %d", len(want))
	}
	if diff := cmp.Diff(want, States()); diff != "" {
		t.Errorf("States (-declared +rows):\n%s", diff)
	}
	for _, state := range want {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.then == state }) {
			t.Errorf("no row of the rules comes to %s", state)
		}
	}
}

// TestTransitions states the whole graph, the end included.
func TestTransitions(t *testing.T) {
	want := map[State][]State{
		WaitingForReviewRequest: {ReviewRequested, SubmittedReview, BlockedNeedsUserDecision},
		ReviewRequested:         {DetermineReviewPlan, BlockedNeedsUserDecision, SubmittedReview},
		DetermineReviewPlan:     {ReviewsRunning, BlockedNeedsUserDecision, SubmittedReview},
		ReviewsRunning:          {MergeResults, BlockedNeedsUserDecision, SubmittedReview},
		MergeResults:            {DraftReviewReady, BlockedNeedsUserDecision, SubmittedReview},
		DraftReviewReady:        {DraftReviewPosted, BlockedNeedsUserDecision, SubmittedReview},
		DraftReviewPosted:       {WaitingForUserSubmit, ReviewInvalidated, SubmittedReview, BlockedNeedsUserDecision},
		WaitingForUserSubmit:    {SubmittedReview, ReviewInvalidated, BlockedNeedsUserDecision},
		SubmittedReview: {
			ReviewRequested, WaitingForReviewRequest, BlockedNeedsUserDecision,
			WaitingForAuthorFollowup, WaitingForReRequest, // prloop's follow-up (design 3)
		},
		WaitingForAuthorFollowup: {SubmittedReview, ReviewRequested, WaitingForReviewRequest, WaitingForReRequest},
		WaitingForReRequest:      {ReviewRequested, SubmittedReview},
		ReviewInvalidated:        {ReviewRequested, BlockedNeedsUserDecision},
		BlockedNeedsUserDecision: {},
	}
	got := map[State][]State{}
	edges := 0
	for _, state := range States() {
		got[state] = after(state)
		edges += len(got[state])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transitions (-want +got):\n%s", diff)
	}
	if edges != len(Transitions()) {
		t.Errorf("%d edges leave the states, and the graph has %d", edges, len(Transitions()))
	}
	for _, e := range Transitions() {
		if e.Words == "" {
			t.Errorf("%s -> %s has no words", e.From, e.To)
		}
	}
}

// The life of a review goes along the edges that are published: each step
// changes what the last one left, and no step jumps.
func TestALifeGoesAlongTheEdges(t *testing.T) {
	life := []struct {
		what string
		edit func(*Snapshot)
		want State
	}{
		{"nobody has asked", func(*Snapshot) {}, WaitingForReviewRequest},
		{"a review is asked for", asked, ReviewRequested},
		{"the plan is begun", planningNow, DetermineReviewPlan},
		{"the angles are chosen and run", func(s *Snapshot) { planned(s); runningNow(s) }, ReviewsRunning},
		{"the runs end", ran, MergeResults},
		{"their findings are merged", mergedResults, DraftReviewReady},
		{"the review is posted, pending", func(s *Snapshot) { preparedDraft(s); postedDraft(s) }, DraftReviewPosted},
		{"its link is passed on", told, WaitingForUserSubmit},
		{"the head moves", func(s *Snapshot) { s.PRHeadSHA = older }, ReviewInvalidated},
		{"the pending review is discarded, with all that led to it", func(s *Snapshot) { *s = on(asked); s.PRHeadSHA = older }, ReviewRequested},
		{"the plan is begun again", planningNow, DetermineReviewPlan},
		{"the angles run again", func(s *Snapshot) { planned(s); runningNow(s) }, ReviewsRunning},
		{"the runs end again", ran, MergeResults},
		{"their findings are merged again", mergedResults, DraftReviewReady},
		{"the review is posted again", outdatedDraft, DraftReviewPosted},
		{"its link is passed on again", told, WaitingForUserSubmit},
		{"the reviewer submits it", func(s *Snapshot) { s.DraftReviewPosted, s.ReviewRequested = false, false; reviewedBefore(s) }, SubmittedReview},
		{"the follow-up is handed over", followedUp, WaitingForAuthorFollowup},
		{"the author pushes", func(s *Snapshot) { s.PRHeadSHA = head }, WaitingForReRequest},
		{"the author asks again", asked, ReviewRequested},
	}
	s := on()
	last := WaitingForReviewRequest
	for _, step := range life {
		step.edit(&s)
		got := Interpret(s).State
		if got != step.want {
			t.Fatalf("%s: the state is %s, want %s", step.what, got, step.want)
		}
		if got != last && !slices.Contains(after(last), got) {
			t.Errorf("%s: %s -> %s is no edge", step.what, last, got)
		}
		last = got
	}
}

// What a caller does to a list must not reach the tables.
func TestListsAreCopies(t *testing.T) {
	s := on(asked)
	Interpret(s).AllowedTransitions[0] = SubmittedReview
	Transitions()[0].To = SubmittedReview
	States()[1] = SubmittedReview
	Table()[0].ID = "0"
	want := []any{DetermineReviewPlan, ReviewRequested, ReviewRequested, "1"}
	got := []any{Interpret(s).AllowedTransitions[0], Transitions()[0].To, States()[1], Table()[0].ID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a caller wrote (-want +got):\n%s", diff)
	}
}
