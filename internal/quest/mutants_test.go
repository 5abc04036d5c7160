package quest

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/mutants.txt")

const mutantsFile = "testdata/mutants.txt"

// A mutant is the machine with one mistake in it.
type mutant struct {
	id   string // row/mistake
	make func() *machine
}

// mutants are made from the table by rule: each row loses its condition, its
// changes and effects one by one, leads elsewhere, or is gone; refusals let
// pass; and what the machine has besides rows is wrong in one place.
func mutants() []mutant {
	var all []mutant
	add := func(id string, edit func(m *machine)) {
		all = append(all, mutant{id, func() *machine {
			m := newMachine(slices.Clone(table), slices.Clone(matrix), slices.Clone(entries))
			edit(m)
			m.index()
			return m
		}})
	}
	for i, r := range table {
		one := func(mistake string, edit func(r *row)) {
			add(r.id+"/"+mistake, func(m *machine) { edit(&m.rows[i]) })
		}
		add(r.id+"/gone", func(m *machine) { m.rows = slices.Delete(m.rows, i, i+1) })
		if len(r.when) > 0 {
			one("always", func(r *row) { r.when = nil })
		}
		if r.then.absorbed || r.then.why != nil {
			one("passes", func(r *row) { r.then = stay })
			one("changes", func(r *row) {
				r.then = outcome{why: func(_ *machine, q *Quest, _ *Event, _ *Policy) string {
					q.Attempts++
					return "no"
				}}
			})
			continue
		}
		for _, s := range []State{Patching, Ready, Landing, RolledBack, Parked, HandedOff} {
			one("to-"+string(s), func(r *row) { r.then = to(s) })
		}
		one("stays", func(r *row) { r.then = stay })
		for k := range r.does {
			one(fmt.Sprintf("loses-change-%d", k+1), func(r *row) { r.does = slices.Delete(slices.Clone(r.does), k, k+1) })
		}
		for k := range r.asks {
			one(fmt.Sprintf("loses-effect-%d", k+1), func(r *row) { r.asks = slices.Delete(slices.Clone(r.asks), k, k+1) })
			one(fmt.Sprintf("doubles-effect-%d", k+1), func(r *row) { r.asks = append(slices.Clone(r.asks), r.asks[k]) })
		}
		if r.enters {
			one("enters-nothing", func(r *row) { r.enters = false })
		}
		// Mistakes that any row could have are tried on a few.
		if i%6 == 0 || slices.Contains([]string{"comment", "usage", "pause", "proof"}, r.id) {
			anywhere(one)
		}
	}
	for i, r := range entries {
		add(r.id+"/gone", func(m *machine) { m.entry = slices.Delete(m.entry, i, i+1) })
	}
	for i, r := range matrix {
		for _, to := range []ruling{acts, recorded, toInbox} {
			add(fmt.Sprintf("matrix-%s/approve-%.12s", r.id, to), func(m *machine) { m.matrix[i].approve = to })
			add(fmt.Sprintf("matrix-%s/revise-%.12s", r.id, to), func(m *machine) { m.matrix[i].revise = to })
			add(fmt.Sprintf("matrix-%s/reject-%.12s", r.id, to), func(m *machine) { m.matrix[i].reject = to })
		}
	}
	add("machine/forgets-ids", func(m *machine) { m.known = func(*Quest, *Event) bool { return false } })
	add("machine/key-without-event", func(m *machine) {
		m.key = func(trail string, rev int, effect EffectType, _ *Event, n int) string {
			return Key(trail, rev, effect, "", n)
		}
	})
	add("machine/key-with-text", func(m *machine) {
		m.key = func(trail string, rev int, effect EffectType, e *Event, n int) string {
			return Key(trail, rev, effect, e.ID+string(e.Text), n)
		}
	})
	add("machine/key-with-another-revision", func(m *machine) {
		m.key = func(trail string, rev int, effect EffectType, e *Event, n int) string {
			return Key(trail, rev+1, effect, e.ID, n)
		}
	})
	return all
}

// anywhere are the mistakes that any row could have.
func anywhere(one func(mistake string, edit func(*row))) {
	also := map[string]act{
		"resets-attempts":    noAttempts,
		"clears-C":           clearC,
		"grows-revision":     func(q *Quest, _ *Event, _ *Policy) { q.Rev++ },
		"lowers-severity":    func(q *Quest, _ *Event, _ *Policy) { q.Severity-- },
		"renames":            func(q *Quest, _ *Event, _ *Policy) { q.Fingerprint += "x" },
		"drops-signals":      func(q *Quest, _ *Event, _ *Policy) { q.Signals = q.Signals[:len(q.Signals)-1] },
		"charges":            func(q *Quest, e *Event, p *Policy) { e.Amount++; addUsage(q, e, p) },
		"owns":               func(q *Quest, _ *Event, _ *Policy) { q.Owner = "hubot" },
		"writes-no-unicode":  func(q *Quest, _ *Event, _ *Policy) { q.Note = "\xff" },
		"writes-into-before": func(q *Quest, _ *Event, _ *Policy) { spoil(q) },
	}
	for _, name := range slices.Sorted(maps.Keys(also)) {
		one(name, func(r *row) { r.does = append(slices.Clone(r.does), also[name]) })
	}
	one("asks-the-clock", func(r *row) {
		odd := cond{"", func(_ *machine, _ *Quest, e *Event, _ *Policy) bool { return e.At.Second()%2 == 1 }}
		r.asks = append(slices.Clone(r.asks), ask{effect: NotifyInbox, when: when{odd}})
	})
	one("counts-calls", func(r *row) {
		n := 0
		r.does = append(slices.Clone(r.does), func(q *Quest, _ *Event, _ *Policy) { n++; q.Attempts += n })
	})
	for _, a := range []ask{landIt, muteFingerprint, startResearch, request, stopAgent} {
		one("asks-"+string(a.effect), func(r *row) { r.asks = append(slices.Clone(r.asks), a) })
	}
}

// spoil writes through a pointer that the quest before shares.
func spoil(q *Quest) {
	for _, a := range []*Approval{q.Approvals.A, q.Approvals.B, q.Approvals.C} {
		if a != nil {
			a.Actor += "x"
		}
	}
}

// catch returns the first of n sequences of a mutant in which an invariant is
// broken, or -1. A mutant that makes the machine panic is caught.
func catch(m *machine, checks []invariant, n int) (seed int) {
	x := newExplorer(m, checks)
	x.rare = 4
	defer func() {
		if recover() != nil {
			seed = max(seed, 0)
		}
	}()
	for seed = range n {
		if _, _, broken := x.walk(uint64(seed*4), 32); broken != "" {
			return seed
		}
	}
	return -1
}

func only(id string) []invariant {
	i := slices.IndexFunc(invariants, func(c invariant) bool { return c.id == id })
	return invariants[i : i+1]
}

// proves holds the invariant id against the machine, which it lets pass, and
// against the mutants that testdata/mutants.txt gives it, which it catches.
func proves(t *testing.T, id string) {
	t.Helper()
	t.Parallel()
	checks := only(id)
	if seed := catch(rules, checks, 200/thin+1); seed >= 0 {
		t.Errorf("the machine itself breaks it, in sequence %d", seed)
	}
	file, err := os.ReadFile(mutantsFile)
	if err != nil {
		t.Fatal(err)
	}
	all := mutants()
	n := 0
	for line := range strings.Lines(string(file)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), id+" ")
		if !ok {
			continue
		}
		n++
		i := slices.IndexFunc(all, func(m mutant) bool { return m.id == name })
		switch {
		case i < 0:
			t.Errorf("there is no mutant %s; write the list with -update", name)
		case catch(all[i].make(), checks, 3000) < 0:
			t.Errorf("the mutant %s is not caught", name)
		}
	}
	if n == 0 {
		t.Errorf("no mutant belongs to it; write the list with -update")
	}
}

// TestMutants writes, with -update, which invariant catches which mutant.
func TestMutants(t *testing.T) {
	if !*update {
		t.Skipf("the list of %d mutants is written with -update", len(mutants()))
	}
	all := mutants()
	caught := make([][]string, len(all))
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := w; i < len(all); i += 2 {
				checks := slices.Clone(invariants)
				for seed := 0; seed < 60; {
					broken := firstBroken(all[i].make(), checks, &seed)
					if broken == "" {
						break
					}
					caught[i] = append(caught[i], broken)
					checks = slices.DeleteFunc(checks, func(c invariant) bool { return c.id == broken })
				}
			}
		})
	}
	wg.Wait()
	writeMutants(t, all, caught)
}

// firstBroken is the first invariant that a mutant breaks from seed on.
func firstBroken(m *machine, checks []invariant, seed *int) (id string) {
	x := newExplorer(m, checks)
	x.rare = 32
	defer func() {
		if recover() != nil {
			*seed++
			id = ""
		}
	}()
	for ; *seed < 60; *seed++ {
		if _, _, broken := x.walk(uint64(*seed*4), 32); broken != "" {
			id, _, _ := strings.Cut(broken, " ")
			return id
		}
	}
	return ""
}

// writeMutants gives each invariant the mutants that few others catch.
func writeMutants(t *testing.T, all []mutant, caught [][]string) {
	t.Helper()
	file, err := os.Create(mutantsFile)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	order := make([]int, len(all))
	survive := 0
	for i := range all {
		order[i] = i
		if len(caught[i]) == 0 {
			survive++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(caught[a]), len(caught[b])) })
	fmt.Fprintf(out, "# Written by go test -run TestMutants -update: of %d mutants of the table %d\n", len(all), len(all)-survive)
	fmt.Fprintln(out, "# break an invariant; what the others change is held by rows.txt. For each")
	fmt.Fprintln(out, "# invariant, mutants that few others catch.")
	for _, c := range invariants {
		n := 0
		for _, i := range order {
			// Rows of a claim are met so seldom that all their mutants are tried.
			may := slices.Contains(caught[i], c.id) || c.id == "P23" && strings.HasPrefix(all[i].id, "claimed-proof-")
			if n < 2 && may && catch(all[i].make(), only(c.id), 600) >= 0 {
				fmt.Fprintln(out, c.id, all[i].id)
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s catches no mutant", c.id)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
