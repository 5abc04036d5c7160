package quest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// straight is the beginning of the straight line, up to and with step n: 0 is
// the signal, 2 the hypothesis, 4 the reproduction, 6 the patch, 7 its proof, 8
// the approval of C, 9 the landing, 10 the end of the watch.
func straight(n int) []Event {
	var q Quest
	var events []Event
	for i, k := range []func(*Quest) Event{
		kinds[0], triage(AutoFix), kind(Event{Type: ResearchDone, Hypothesis: "h"}), decision(A, Approve, Person),
		kind(Event{Type: Reproduced, Check: "c", Plan: "p"}), decision(B, Approve, Person), kind(Event{Type: PatchWritten, Head: "h1"}),
		proofOf(func(*bundle) {}), decision(C, Approve, Person), kind(Event{Type: Landed, Commit: "m"}), kind(Event{Type: WatchClean}),
	} {
		if i == 0 {
			q = New("trail")
		}
		e := k(&q)
		e.ID = "s" + string(rune('a'+i))
		events = append(events, e)
		q, _, _ = Step(q, e, DefaultPolicy())
		if i == n {
			break
		}
	}
	return events
}

// The golden traces: a start, what happens then, and the states and effects
// that come of it, one line an event.
func TestTraces(t *testing.T) {
	usual := DefaultPolicy()
	two := usual
	two.MaxAttempts = 2
	shadowA := usual
	shadowA.Checkpoints.A = Shadow
	proved := proofOf(func(*bundle) {})
	failed := kind(Event{Type: ProofFailed})
	patched := kind(Event{Type: PatchWritten, Head: "h2"})
	tests := []struct {
		name   string
		policy Policy
		begin  []Event
		then   []func(*Quest) Event
		want   string
	}{
		{
			"the straight line", usual, nil, asKinds(straight(10)),
			`sensed: trail:1:run_triage:t0:1
researching: trail:1:start_agent:t1:1
hypothesised: trail:1:request_checkpoint:t2:1
reproducing: trail:1:start_agent:t3:1
planned: trail:1:request_checkpoint:t4:1
patching: trail:1:start_agent:t5:1
proving: trail:1:run_proof:t6:1
ready: trail:1:request_checkpoint:t7:1
landing: trail:1:land:t8:1
watching: trail:1:start_watch:t9:1 trail:1:register_regression_probe:t9:1 trail:1:resume_dependents:t9:1
closed: trail:1:reply_comment:t10:1
`,
		},
		{
			"research only parks at A, and again until it is rerouted", usual, straight(0),
			[]func(*Quest) Event{
				triage(ResearchOnly), kind(Event{Type: ResearchDone, Hypothesis: "h"}), decision(A, Approve, Person),
				kind(Event{Type: Resume}), decision(A, Approve, Person), kind(Event{Type: Reroute, Route: AutoFix}), kind(Event{Type: Resume}), decision(A, Approve, Person),
			},
			`researching: trail:1:start_agent:t0:1
hypothesised: trail:1:request_checkpoint:t1:1
parked(hypothesised) research_complete: trail:1:notify_inbox:t2:1
hypothesised: trail:1:request_checkpoint:t3:1
parked(hypothesised) research_complete: trail:1:notify_inbox:t4:1
parked(hypothesised) research_complete:
hypothesised: trail:1:request_checkpoint:t6:1
reproducing: trail:1:start_agent:t7:1
`,
		},
		{
			"what cannot be reproduced parks, and a person lets it try again", usual, straight(3),
			[]func(*Quest) Event{kind(Event{Type: NotReproducible}), kind(Event{Type: Resume, By: Automatic}), kind(Event{Type: Resume})},
			`parked(reproducing) cannot_reproduce: trail:1:notify_inbox:t0:1
parked(reproducing) cannot_reproduce: invalid: what parked it is a person's to take back
reproducing: trail:1:start_agent:t2:1
`,
		},
		{
			"the proof fails until every attempt is used up", two, straight(6),
			[]func(*Quest) Event{failed, patched, failed, kind(Event{Type: Resume})},
			`patching: trail:1:start_agent:t0:1
proving: trail:1:run_proof:t1:1
parked(patching) attempts_exhausted: trail:1:notify_inbox:t2:1
patching: trail:1:start_agent:t3:1
`,
		},
		{
			"the base moves while it lands: rebased, proved again, landed", usual, straight(8),
			[]func(*Quest) Event{kind(Event{Type: BaseChanged, Base: "b1"}), patched, proved, decision(C, Approve, Person), kind(Event{Type: Landed, Commit: "m"})},
			`patching: trail:1:rebase:t0:1
proving: trail:1:run_proof:t1:1
ready: trail:1:request_checkpoint:t2:1
landing: trail:1:land:t3:1
watching: trail:1:start_watch:t4:1 trail:1:register_regression_probe:t4:1 trail:1:resume_dependents:t4:1
`,
		},
		{
			"a regression is rolled back, and the next revision lands", usual, straight(9),
			append([]func(*Quest) Event{
				kind(Event{Type: RegressionSeen}), kind(Event{Type: RollbackReceipt}), kind(Event{Type: RollbackReceipt, Complete: true}),
				kind(Event{Type: ResearchDone, Hypothesis: "h"}), decision(A, Approve, Person), kind(Event{Type: Reproduced, Check: "c", Plan: "p"}),
				decision(B, Approve, Person), patched,
			}, proved, decision(C, Approve, Person), kind(Event{Type: Landed, Commit: "m"}), kind(Event{Type: WatchClean})),
			`rolled_back: trail:1:rollback:t0:1 trail:1:notify_inbox:t0:1
rolled_back: trail:1:notify_inbox:t1:1
researching: trail:2:start_agent:t2:1
hypothesised: trail:2:request_checkpoint:t3:1
reproducing: trail:2:start_agent:t4:1
planned: trail:2:request_checkpoint:t5:1
patching: trail:2:start_agent:t6:1
proving: trail:2:run_proof:t7:1
ready: trail:2:request_checkpoint:t8:1
landing: trail:2:land:t9:1
watching: trail:2:start_watch:t10:1 trail:2:register_regression_probe:t10:1 trail:2:resume_dependents:t10:1
closed: trail:2:reply_comment:t11:1
`,
		},
		{
			"a closed quest is reopened by its regression, and no other", usual, straight(10),
			[]func(*Quest) Event{
				kind(Event{Type: RegressionMatched, Signal: "x", Fingerprint: "other"}), kind(Event{Type: SignalAdded, Signal: "x"}),
				kind(Event{Type: RegressionMatched, Signal: "x", Fingerprint: "f"}),
			},
			"closed:\nclosed:\nresearching: trail:2:start_agent:t2:1\n",
		},
		{
			"claimed at C, a new head is pushed, its proof succeeds", usual, straight(7),
			[]func(*Quest) Event{
				kind(Event{Type: Claim, Actor: "mona"}), kind(Event{Type: HumanRevision, Head: "h2"}), decision(C, Approve, Person), proved,
				kind(Event{Type: Release, Actor: "hubot"}), kind(Event{Type: Release, Actor: "mona"}), decision(C, Approve, Person),
			},
			`handed_off(ready): trail:1:reply_comment:t0:1
handed_off(ready): trail:2:run_proof:t1:1
handed_off(ready): invalid: a person holds this review: only the one who claimed it, or an administrator, can release it
handed_off(ready): trail:2:request_checkpoint:t3:1
handed_off(ready): invalid: a person holds this review: only the one who claimed it, or an administrator, can release it
ready: trail:2:request_checkpoint:t5:1
landing: trail:2:land:t6:1
`,
		},
		{
			"claimed at C, a new head is pushed, its proof fails", usual, straight(7),
			[]func(*Quest) Event{kind(Event{Type: Claim, Actor: "mona"}), kind(Event{Type: HumanRevision, Head: "h2"}), failed},
			`handed_off(ready): trail:1:reply_comment:t0:1
handed_off(ready): trail:2:run_proof:t1:1
patching: trail:2:start_agent:t2:1
`,
		},
		{
			"in shadow A records and does not move", shadowA, straight(2),
			[]func(*Quest) Event{decision(A, Approve, Person), decision(A, Reject, Person), decision(A, Approve, Automatic)},
			"hypothesised:\nhypothesised:\nhypothesised:\n",
		},
		{
			"usage that comes late is recorded in closed", usual, straight(10),
			[]func(*Quest) Event{kind(Event{Type: UsageReceipt, Amount: 2}), kind(Event{Type: Pause})},
			"closed: usage 2\nclosed: usage 2\n",
		},
		{
			"landing when the approval no longer binds asks again", usual, straight(8),
			[]func(*Quest) Event{kind(Event{Type: Pause}), kind(Event{Type: BaseChanged, Base: "b1"}), kind(Event{Type: Resume})},
			`parked(landing) paused: trail:1:stop_agent:t0:1
parked(landing) paused:
ready: trail:1:request_checkpoint:t2:1
`,
		},
		{
			"the base moves while the proof runs: the proof is of the base it began with", usual, straight(6),
			[]func(*Quest) Event{kind(Event{Type: BaseChanged, Base: "b1"}), proofOf(func(b *bundle) { b.Base = "b1" }), proved},
			`proving:
proving: invalid: the bundle has base "b1", want "b0"
ready: trail:1:request_checkpoint:t2:1
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, _, err := Fold(New("trail"), tt.begin, tt.policy)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for i, k := range tt.then {
				e := k(&q)
				e.ID = "t" + strconv.Itoa(i)
				var effects []Effect
				q, effects, err = Step(q, e, tt.policy)
				got.WriteString(line(&q, effects, err))
			}
			if got.String() != tt.want {
				t.Errorf("got\n%swant\n%s", got.String(), tt.want)
			}
		})
	}
}

func line(q *Quest, effects []Effect, err error) string {
	text := string(q.State)
	if q.ReturnTo != "" {
		text += "(" + string(q.ReturnTo) + ")"
	}
	if q.ParkReason != "" {
		text += " " + q.ParkReason
	}
	text += ":"
	if invalid, ok := errors.AsType[*Invalid](err); ok {
		text += " invalid: " + invalid.Reason
	}
	for _, e := range effects {
		text += " " + e.Key
	}
	if len(q.Usage) > 0 {
		text += " usage " + strconv.Itoa(int(q.Usage[0].Amount))
	}
	return text + "\n"
}

func asKinds(events []Event) []func(*Quest) Event {
	var all []func(*Quest) Event
	for _, e := range events {
		all = append(all, kind(e))
	}
	return all
}

// What the fold without keys comes to is what the fold comes to.
func TestAfterIsTheFoldWithoutKeys(t *testing.T) {
	t.Parallel()
	events := []Event{
		{ID: "s@1", Type: SignalReceived},
		{ID: "t@1", Type: TriageDecided, Route: AutoFix},
		{ID: "r@1", Type: ResearchDone, Hypothesis: "h"},
		{ID: "p@1", Type: PolicyChanged, Policy: &Policy{Checkpoints: Checkpoints{Shadow, Advisory, Blocking}, MaxAttempts: 2}},
		{ID: "d@1", Type: Decision, CP: A, Verdict: Approve, By: Person, Actor: "mona"},
		{ID: "x@1", Type: Landed},
		{ID: "k@1", Type: Kill},
	}
	want, _, wrong := Fold(New("pr-1"), events, DefaultPolicy())
	got, err := After(New("pr-1"), events, DefaultPolicy())
	if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wrong) || err == nil || got.State != Hypothesised {
		t.Errorf("%v, %v (-fold +after):\n%s", wrong, err, diff)
	}
}
