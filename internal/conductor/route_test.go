package conductor

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/reviewer"
)

// A row of seed 004's scenario matrix says these parts of a decision.
type scenario struct {
	Outcome    Outcome
	Action     Action
	StopReason StopReason
	Family     Family
	Entrypoint Entrypoint
}

func of(d Decision) scenario {
	return scenario{d.RoutingOutcome, d.OuterAction, d.StopReason, d.HandoffEnvelope.LoopFamily, d.HandoffEnvelope.Entrypoint}
}

// The scenario matrix of seed 004, by its numbers.
func TestScenarios(t *testing.T) {
	reconcile := scenario{NeedsReconcile, Stop, UnknownState, "", ""}
	tests := []struct {
		id, name string
		inputs   []Input
		want     scenario
	}{
		{
			"1", "outer wait remains outer wait",
			[]Input{on("waiting_for_copilot_review", "waiting_for_review_request")},
			scenario{"continue_current_wait", "continue_wait", "", "outer_loop", "outer_loop_wait"},
		},
		{
			"2", "reviewer-active routes to the reviewer loop",
			[]Input{on("pr_ready_no_feedback", "review_requested")},
			scenario{"handoff_to_reviewer_loop", "reenter_reviewer_loop", "", "reviewer_loop", "reviewer_loop_handler"},
		},
		{
			"3", "Copilot-active routes to the Copilot loop",
			[]Input{on("unresolved_feedback_present", "waiting_for_author_followup")},
			scenario{"handoff_to_copilot_loop", "reenter_copilot_loop", "", "copilot_loop", "copilot_pr_handoff"},
		},
		{
			"4", "blocked stops for a person",
			[]Input{on("blocked_needs_user_decision", "waiting_for_review_request")},
			scenario{"stop_needs_human", "stop", "copilot_blocked", "", ""},
		},
		{
			"5", "a terminal state is terminal, whatever the reviewer loop does", allReviewerStates("done"),
			scenario{"done_terminal", "done", "", "", ""},
		},
		{
			"6", "a live owner suppresses the hand-off",
			[]Input{on("unresolved_feedback_present", "waiting_for_author_followup", live)},
			scenario{"stay_with_current_live_owner", "continue_wait", "", "outer_loop", "outer_loop_wait"},
		},
		{"7", "no target fails closed", []Input{on("pr_draft", "review_requested", noTarget)}, reconcile},
		{
			"7", "a number that is no positive integer fails closed",
			[]Input{on("pr_draft", "review_requested", noNumber), on("pr_draft", "review_requested", func(in *Input) { in.Target.PR = -3 })},
			reconcile,
		},
		{"7", "an empty state fails closed", []Input{on("", "review_requested")}, reconcile},
		{"7", "an unrecognised combination fails closed", []Input{on("unheard_of", "waiting_for_review_request"), on("unheard_of", "unheard_of")}, reconcile},
	}
	numbers := map[string]bool{}
	for _, tt := range tests {
		numbers[tt.id] = true
		t.Run(tt.id+" "+tt.name, func(t *testing.T) {
			for _, in := range tt.inputs {
				if diff := cmp.Diff(tt.want, of(Route(in))); diff != "" {
					t.Errorf("%+v (-want +got):\n%s", in, diff)
				}
			}
		})
	}
	if len(numbers) != 7 {
		t.Errorf("the matrix has 7 scenarios, the table %d", len(numbers))
	}
}

func allReviewerStates(c copilot.State) []Input {
	var inputs []Input
	for _, r := range append(reviewer.States(), unknown) {
		inputs = append(inputs, on(c, r))
	}
	return inputs
}

func TestDecisionIsWhole(t *testing.T) {
	tests := []struct {
		name string
		in   Input
		want string
	}{
		{
			"a hand-off has its target, its handler and what that needs",
			on("unresolved_feedback_present", "waiting_for_author_followup", isolated, func(in *Input) { in.Target.Repo = " Mona/Spoon\n" }),
			`{"routingOutcome":"handoff_to_copilot_loop","outerAction":"reenter_copilot_loop","stopReason":null,` +
				`"handoffEnvelope":{"targetIdentity":{"repo":"mona/spoon","pr":7},"loopFamily":"copilot_loop","entrypoint":"copilot_pr_handoff",` +
				`"reason":"Priority 13: the Copilot loop has feedback to work off (Copilot loop: unresolved_feedback_present, reviewer loop: waiting_for_author_followup)",` +
				`"requiredArgs":{"repo":"mona/spoon","pr":7},"requiresLocalIsolation":true,"confidence":"authoritative"},"priority":"13"}`,
		},
		{
			"a stop has its arguments and no handler",
			on("no_pr", "waiting_for_review_request", func(in *Input) { in.SourceMode = "" }),
			`{"routingOutcome":"stop_needs_human","outerAction":"stop","stopReason":"pr_not_ready",` +
				`"handoffEnvelope":{"targetIdentity":{"repo":"mona/spoon","pr":7},"loopFamily":null,"entrypoint":null,` +
				`"reason":"Priority 3: there is no pull request (Copilot loop: no_pr, reviewer loop: waiting_for_review_request)",` +
				`"requiredArgs":{"repo":"mona/spoon","pr":7},"requiresLocalIsolation":false,"confidence":"local"},"priority":"3"}`,
		},
		{
			"a failed pre-check has no arguments, and what is known of the target",
			on("no_pr", "waiting_for_review_request", isolated, noNumber, func(in *Input) { in.SourceMode = FromSnapshot }),
			`{"routingOutcome":"needs_reconcile","outerAction":"stop","stopReason":"unknown_state",` +
				`"handoffEnvelope":{"targetIdentity":{"repo":"mona/spoon","pr":null},"loopFamily":null,"entrypoint":null,` +
				`"reason":"Pre-check 0a: the target is missing or malformed",` +
				`"requiredArgs":{},"requiresLocalIsolation":true,"confidence":"snapshot"},"priority":"0a"}`,
		},
		{
			"without a target there is no identity, and a strange source is local",
			on("no_pr", "waiting_for_review_request", noTarget, func(in *Input) { in.SourceMode = "Authoritative" }),
			`{"routingOutcome":"needs_reconcile","outerAction":"stop","stopReason":"unknown_state",` +
				`"handoffEnvelope":{"targetIdentity":null,"loopFamily":null,"entrypoint":null,` +
				`"reason":"Pre-check 0a: the target is missing or malformed",` +
				`"requiredArgs":{},"requiresLocalIsolation":false,"confidence":"local"},"priority":"0a"}`,
		},
		{
			"a state that is somebody's text is not repeated",
			on("::error::x", reviewer.State(strings.Repeat("a", 65))),
			`{"routingOutcome":"needs_reconcile","outerAction":"stop","stopReason":"unknown_state",` +
				`"handoffEnvelope":{"targetIdentity":{"repo":"mona/spoon","pr":7},"loopFamily":null,"entrypoint":null,` +
				`"reason":"Priority 17: the states fit no rule (Copilot loop: an unknown state, reviewer loop: an unknown state)",` +
				`"requiredArgs":{"repo":"mona/spoon","pr":7},"requiresLocalIsolation":false,"confidence":"authoritative"},"priority":"17"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(Route(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Route (-want +got):\n%s", diff)
			}
		})
	}
}

// What routing normalises, it normalises in a copy.
func TestTargetIsTheCallers(t *testing.T) {
	want := Target{"Mona/Spoon", 7}
	got := want
	Route(Input{Target: &got, CopilotState: "done", ReviewerState: "review_requested"}).HandoffEnvelope.TargetIdentity.PR = 8
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the target after routing (-want +got):\n%s", diff)
	}
}

// The guarantees of seed 004, under its ids, over every combination.
func TestGuarantees(t *testing.T) {
	handoffs := []Outcome{HandoffToCopilotLoop, HandoffToReviewerLoop}
	n := 0
	everyInput(func(in Input) {
		n++
		got := Route(in)
		e := got.HandoffEnvelope
		if e.RequiresLocalIsolation != in.RequiresLocalIsolation {
			t.Fatalf("ROUTING-LOCAL-ISOLATION-PASSTHROUGH: %+v lost its isolation", in)
		}
		if live := e.LoopFamily != "" || e.Entrypoint != ""; live == got.RoutingOutcome.Terminal() {
			t.Fatalf("ROUTING-FAIL-CLOSED-RECONCILE: %s with family %q and entrypoint %q", got.RoutingOutcome, e.LoopFamily, e.Entrypoint)
		}
		if (got.StopReason != "") != (got.OuterAction == Stop) {
			t.Fatalf("%s with stop reason %q", got.OuterAction, got.StopReason)
		}
		blank := in.Target == nil || strings.TrimSpace(in.CopilotState) == "" || strings.TrimSpace(in.ReviewerState) == ""
		if blank && (got.RoutingOutcome != NeedsReconcile || got.StopReason != UnknownState || e.RequiredArgs != Args{}) {
			t.Fatalf("ROUTING-FAIL-CLOSED-RECONCILE: %+v is not whole, and comes to %+v", in, got)
		}
		if !blank && e.RequiredArgs != (Args{"mona/spoon", 7}) {
			t.Fatalf("%+v comes without its arguments: %+v", in, e.RequiredArgs)
		}

		// Isolation decides nothing.
		other := in
		other.RequiresLocalIsolation = !in.RequiresLocalIsolation
		if diff := cmp.Diff(of(got), of(Route(other))); diff != "" {
			t.Fatalf("%+v with and without isolation:\n%s", in, diff)
		}

		// Owners: two of them stop everything, a live one takes the place of
		// every hand-off and of nothing else, any other is none.
		free, owned, doubled, strange := in, in, in, in
		free.OwnershipState = ""
		live(&owned)
		duplicate(&doubled)
		somebody(&strange)
		want := of(Route(free))
		if diff := cmp.Diff(want, of(Route(strange))); diff != "" {
			t.Fatalf("%+v with an unknown owner:\n%s", in, diff)
		}
		if slices.Contains(handoffs, want.Outcome) {
			want = scenario{StayWithCurrentLiveOwner, ContinueWait, "", OuterLoop, OuterLoopWait}
		}
		if diff := cmp.Diff(want, of(Route(owned))); diff != "" {
			t.Fatalf("%+v with a live owner:\n%s", in, diff)
		}
		if d := Route(doubled); !blank && (d.RoutingOutcome != NeedsReconcile || d.StopReason != OwnershipConflict) {
			t.Fatalf("%+v with two owners comes to %+v", in, d)
		}
	})
	if n < 3000 {
		t.Errorf("only %d combinations", n)
	}
}

// States of the reviewer loop that need local execution stay with it when that
// has to be isolated (ROUTING-LOCAL-ISOLATION-PASSTHROUGH).
func TestIsolationStopsNoLocalExecution(t *testing.T) {
	for _, r := range []reviewer.State{"review_requested", "determine_review_plan", "reviews_running", "merge_results", "draft_review_ready"} {
		got := Route(on(copilot.PRReadyNoFeedback, r, isolated))
		if got.RoutingOutcome != HandoffToReviewerLoop || !got.HandoffEnvelope.RequiresLocalIsolation {
			t.Errorf("%s comes to %+v", r, got)
		}
	}
}

func TestOutcomesAreComplete(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "conductor.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []Outcome
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Outcome" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, Outcome(text))
		}
		return true
	})
	if len(want) != 7 {
		t.Fatalf("the seed has 7 outcomes, the source %d", len(want))
	}
	if diff := cmp.Diff(want, Outcomes()); diff != "" {
		t.Errorf("Outcomes (-declared +rows):\n%s", diff)
	}
	for _, o := range want {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.then == o }) {
			t.Errorf("no row of the rules comes to %s", o)
		}
	}
}

// Seed 004, "Required transitions": evaluations are independent, so that any
// outcome may follow one that does not end.
func TestTransitions(t *testing.T) {
	all := Outcomes()
	want := map[Outcome][]Outcome{
		"continue_current_wait":        all,
		"handoff_to_copilot_loop":      all,
		"handoff_to_reviewer_loop":     all,
		"stay_with_current_live_owner": all,
		"stop_needs_human":             {},
		"done_terminal":                {},
		"needs_reconcile":              {},
	}
	got := map[Outcome][]Outcome{}
	for _, o := range Outcomes() {
		got[o] = o.Next()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transitions (-want +got):\n%s", diff)
	}
}

// What a caller does to a list must not reach the tables.
func TestListsAreCopies(t *testing.T) {
	Outcomes()[0] = DoneTerminal
	ContinueCurrentWait.Next()[0] = DoneTerminal
	Table()[0].ID = "0"
	want := []any{ContinueCurrentWait, ContinueCurrentWait, "0a"}
	got := []any{Outcomes()[0], ContinueCurrentWait.Next()[0], Table()[0].ID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a caller wrote (-want +got):\n%s", diff)
	}
}
