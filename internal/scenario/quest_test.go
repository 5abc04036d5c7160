package scenario

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/quest"
)

// owed is what the journal of the first pull request says: what its quest asked
// for, under which keys, and what of it was delivered.
type owed struct {
	Left      []string // the undelivered keys
	delivered []string
	known     bool
}

func (p *player) owed() (o owed) {
	n, err := p.number("")
	if err != nil {
		return o
	}
	c, ok := p.journalComment(n)
	if !ok {
		return o
	}
	j, _, err := journal.Decode(c.Body, []byte(p.inputs["state-key"]))
	if err != nil || j.Quest == nil || j.Quest.Folded > 0 {
		return o
	}
	_, _, effects, err := j.Quest.Fold()
	if err != nil {
		return o
	}
	done := map[string]bool{}
	for _, e := range j.Done {
		done[e.Cause] = true
	}
	for _, h := range j.Handoffs {
		done[h.Cause] = true
	}
	for _, e := range quest.Undelivered(effects, func(key string) bool { return done[key] }) {
		o.Left = append(o.Left, e.Key)
	}
	delete(done, "")
	o.delivered, o.known = slices.Sorted(maps.Keys(done)), true
	return o
}

// told plays s, with a cut after request of run (0: none), and returns what was
// owed after every run and, of the run that was cut, before and after the run
// that makes up for it.
func owing(t *testing.T, s Story, run, request int) (after []owed, wires []int, cut, mended owed) {
	t.Helper()
	opt := Options{Dir: t.TempDir(), Queries: &queries, Recover: true}
	if run > 0 {
		opt.Fault = func(r, q int) Fault {
			if r == run && q == request {
				return Cut
			}
			return NoFault
		}
	}
	p, err := newPlayer(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	p.opt.Watch = func(r Played) {
		switch {
		case r.Recovery:
			mended = p.owed()
			after[len(after)-1] = mended
			return
		case r.Broken:
			cut = p.owed()
		}
		after, wires = append(after, p.owed()), append(wires, r.Wire)
	}
	for _, l := range s.Lines {
		if err := p.do(context.Background(), l); err != nil && !errors.Is(err, errSame) {
			t.Fatal(err)
		}
		if run > 0 && len(after) == run {
			break // what follows is the undisturbed story again
		}
	}
	return after, wires, cut, mended
}

// P44: what a recovered run is owed is the fold of the journal without the keys
// that were delivered. Whatever request a run dies after, the run that makes up
// for it delivers nothing that was delivered, and leaves exactly what the
// undisturbed run leaves.
func TestP44RecoveryIsTheFoldAndWhatIsUndelivered(t *testing.T) {
	t.Parallel()
	cuts, deliveries := 0, 0
	for _, s := range stories(t) {
		if !slices.Contains([]string{"copilot-two-findings", "checkpoint-a-and-b", "claimed", "quest-pause-exact", "fix-iteration-cap"}, s.Name) {
			continue
		}
		want, wires, _, _ := owing(t, s, 0, 0)
		for run := range want {
			for request := 1; request <= wires[run]; request++ {
				if !*every && (request+run)%oneCutIn > 0 { // these few under the race detector too
					continue
				}
				after, _, cut, mended := owing(t, s, run+1, request)
				cuts++
				if diff := cmp.Diff(want[run].Left, after[run].Left); diff != "" {
					t.Errorf("%s: run %d died after request %d, and then is owed (-undisturbed +recovered):\n%s", s.Name, run+1, request, diff)
				}
				if !cut.known || !mended.known {
					continue
				}
				for _, key := range mended.delivered {
					if slices.Contains(cut.delivered, key) {
						continue
					}
					deliveries++
					if _, ours := slices.BinarySearch(slices.Sorted(slices.Values(cut.Left)), key); !ours && slices.Contains(want[max(0, run-1)].delivered, key) {
						t.Errorf("%s: run %d died after request %d, and %s was delivered twice", s.Name, run+1, request, key)
					}
				}
			}
		}
	}
	if cuts < 50 || deliveries < 10 {
		t.Errorf("only %d cuts with %d deliveries were looked at", cuts, deliveries)
	}
	t.Logf("%d cuts, %d deliveries made up for", cuts, deliveries)
}
