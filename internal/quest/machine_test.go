package quest

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(4000) // millions of small steps
	m.Run()
}

// Every state and event has a row, and the last one of each pair has no
// condition, so that one is always taken.
func TestEveryPairHasARow(t *testing.T) {
	counts := map[string]int{}
	for _, s := range append([]State{unborn}, allStates...) {
		for _, e := range Events() {
			rows := rules.byPair[s][e]
			if len(rows) == 0 || len(rows[len(rows)-1].when) > 0 {
				t.Errorf("%s at %q: no row is always taken", e, s)
				continue
			}
			for i, r := range rows[:len(rows)-1] {
				if len(r.when) == 0 && slices.Contains(rows[i+1].in, s) && len(rows[i+1].in) < 3 && len(rows[i+1].on) < 3 {
					t.Errorf("%s at %q: row %s is never reached, after %s", e, s, rows[i+1].id, r.id)
				}
			}
			switch first := rows[0].then; {
			case first.absorbed:
				counts["absorbed"]++
			case first.why != nil:
				counts["refused"]++
			default:
				counts["taken"]++
			}
		}
	}
	t.Logf("%d states and none × %d events, %d rows: %v", len(allStates), len(Events()), len(table), counts)
}

func TestRowsAreNamedOnce(t *testing.T) {
	var ids []string
	for _, r := range slices.Concat(table, entries) {
		if slices.Contains(ids, r.id) {
			t.Errorf("two rows are %s", r.id)
		}
		ids = append(ids, r.id)
	}
	if len(EffectTypes()) != 19 || len(States()) != 16 {
		t.Errorf("%d effects, %d states; the seed has 19 and 16", len(EffectTypes()), len(States()))
	}
}

// Whatever can be reached holds every invariant, and every row of the table
// and every state is reached.
func TestEveryReachableNode(t *testing.T) {
	all := policies()
	explorers := make([]*explorer, len(all))
	t.Run("policies", func(t *testing.T) {
		for i, p := range all {
			t.Run(fmt.Sprintf("%s-%s-%s", p.Checkpoints.A, p.Checkpoints.B, p.Checkpoints.C), func(t *testing.T) {
				t.Parallel()
				x := newExplorer(rules, invariants)
				limit := 0
				if thin > 1 {
					limit = 400
				}
				if broken := x.search(p, limit); broken != "" {
					t.Error(broken)
				}
				explorers[i] = x
			})
		}
	})
	nodes, steps := 0, 0
	states, rows := map[State]int{}, map[string]string{}
	for _, x := range explorers {
		nodes, steps = nodes+x.nodes, steps+x.steps
		for s, n := range x.states {
			states[s] += n
		}
		for r, w := range x.rows {
			if rows[r] == "" {
				rows[r] = w
			}
		}
	}
	if thin > 1 {
		t.Logf("thinned out under the race detector: %d nodes, %d steps", nodes, steps)
		return
	}
	t.Logf("%d nodes, %d steps, %d policies, %d states, %d rows taken", nodes, steps, len(all), len(states)-1, len(rows))
	for _, s := range allStates {
		if states[s] == 0 {
			t.Errorf("%s is never reached", s)
		}
	}
	rows["policy"] = policyWitness()
	holdWitnesses(t, rows)
}

// policyWitness takes the one row that a search under one policy cannot: the
// mode of a checkpoint changes while its request stands.
func policyWitness() string {
	p := policies()[0]
	q, _, _ := Fold(New("trail"), straight(2), p)
	p.Checkpoints.A = Advisory
	x := newExplorer(rules, nil)
	e := Event{ID: "policy", Type: PolicyChanged}
	if r := rules.pick(&q, &e, &p); r == nil || r.id != "policy" {
		return ""
	}
	x.look(&q, flatten(&q), e, &p, nil, false)
	return witness(&x.seen)
}

// holdWitnesses compares what the first step that takes each row does with
// testdata/rows.txt, which says it for people.
func holdWitnesses(t *testing.T, rows map[string]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Each row with the first step that takes it: the state (and where a held quest\n# goes back to) + the event = the next state, what changed, THE EFFECTS. Written\n# by go test -run TestEveryReachableNode -update; read the difference like code.\n")
	for _, r := range table {
		if rows[r.id] == "" {
			t.Errorf("row %s is never taken", r.id)
		}
		fmt.Fprintf(&b, "%s: %s\n", r.id, rows[r.id])
	}
	if *update {
		if err := os.WriteFile("testdata/rows.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("what the rows do (-want +got):\n%s", diff)
	}
}

const sequences = 100_000 / thin

// Random sequences hold every invariant; one that does not is shrunk.
func TestRandomSequences(t *testing.T) {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		steps  int
		states = map[State]int{}
	)
	const workers = 2
	for w := range workers {
		wg.Go(func() {
			x := newExplorer(rules, invariants)
			for seed := w; seed < sequences; seed += workers {
				if events, p, broken := x.walk(uint64(seed), 32); broken != "" {
					t.Errorf("sequence %d: %s\nshrunk to %s", seed, broken, spelled(x.shrink(slices.Clone(events), p)))
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			steps += x.steps
			for s, n := range x.states {
				states[s] += n
			}
		})
	}
	wg.Wait()
	t.Logf("%d sequences of %d steps hold %d invariants; steps that ended in each state: %v", sequences, steps, len(invariants), states)
	for _, s := range allStates {
		if states[s] == 0 {
			t.Errorf("%s is never reached", s)
		}
	}
	if thin > 1 {
		t.Logf("thinned out under the race detector: one sequence in %d", thin)
	}
}

// shrink leaves out events as long as the rest breaks something.
func (x *explorer) shrink(events []Event, p Policy) []Event {
	for i := len(events) - 1; i >= 0; i-- {
		if fewer := slices.Delete(slices.Clone(events), i, i+1); x.replays(fewer, p) != "" {
			events = fewer
		}
	}
	return events
}

// replays plays a sequence again, looking at every step closely.
func (x *explorer) replays(events []Event, p Policy) string {
	past := (&past{}).fresh()
	q := New("trail")
	is := flatten(&q)
	for _, e := range events {
		if broken := x.stand(&q, is, &p); broken != "" {
			return broken
		}
		var broken string
		if q, is, _, broken = x.look(&q, is, e, &p, past, true); broken != "" {
			return broken
		}
	}
	return ""
}
