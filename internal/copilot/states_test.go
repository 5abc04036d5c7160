package copilot

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
	f, err := parser.ParseFile(token.NewFileSet(), "copilot.go", nil, 0)
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
	if len(want) != 15 {
		t.Fatalf("the seed has 12 states and three of its refinement, the source %d", len(want))
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

// TestTransitions states the whole graph, terminal states included.
func TestTransitions(t *testing.T) {
	want := map[State][]State{
		NoPR:                          {},
		PRDraft:                       {PRReadyNoFeedback},
		PRReadyNoFeedback:             {WaitingForCopilotReview},
		WaitingForCopilotReview:       {UnresolvedFeedbackPresent, ReadyToRerequestReview, WaitingForCI},
		UnresolvedFeedbackPresent:     {AlreadyFixedNeedsReplyResolve, UnresolvedFeedbackPresent},
		AlreadyFixedNeedsReplyResolve: {ReadyToRerequestReview}, // COPILOT-STATE-REPLY-BEFORE-REREQUEST
		ReadyToRerequestReview:        {WaitingForCopilotReview, ReviewRequestUnavailable, Done},
		ReviewRequestUnavailable:      {},
		WaitingForCI:                  {PRReadyNoFeedback, ReadyToRerequestReview, BlockedNeedsUserDecision},
		BlockedNeedsUserDecision:      {},
		Done:                          {},
		InternalToolingDirectGate:     {Done},
		LowSignalConverged:            {},
		RoundCapReached:               {},
		RoundCapCleanFallback:         {},
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

// What a caller does to a list must not reach the tables.
func TestListsAreCopies(t *testing.T) {
	s := on()
	Interpret(s.Snapshot, s.Config).AllowedTransitions[0] = NoPR
	Transitions()[0].To = NoPR
	States()[1] = NoPR
	Table()[0].ID = "0"
	want := []any{[]State{WaitingForCopilotReview}, PRReadyNoFeedback, PRDraft, "1"}
	got := []any{Interpret(s.Snapshot, s.Config).AllowedTransitions, Transitions()[0].To, States()[1], Table()[0].ID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a caller wrote (-want +got):\n%s", diff)
	}
}
