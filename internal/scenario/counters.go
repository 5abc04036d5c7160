package scenario

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/journal"
)

// counters are what the journal keeps of seed 001's counters, of the waits that
// stand, and of the end.
func (p *player) counters() string {
	n, err := p.number("")
	if err != nil {
		return "(no pull request)"
	}
	j, ok := p.journalOf(n)
	if !ok {
		return "(no journal)"
	}
	return kept(j)
}

// journalOf is the journal of pull request n; false where there is none that
// holds.
func (p *player) journalOf(n int) (journal.Journal, bool) {
	c, ok := p.journalComment(n)
	if !ok {
		return journal.Journal{}, false
	}
	j, _, err := journal.Decode(c.Body, []byte(p.inputs["state-key"]))
	return j, err == nil
}

// kept tells what a journal keeps, without what is nought.
func kept(j journal.Journal) string {
	var parts []string
	for _, c := range []struct {
		name string
		n    int
	}{
		{"fixIterations", j.Counters.FixIterations},
		{"pollTicksWithoutReview", j.Counters.PollTicksWithoutReview},
		{"pollTicksWithoutActivity", j.Counters.PollTicksWithoutActivity},
		{"ticksWithoutProgress", j.Counters.TicksWithoutProgress},
		{"reviewIteration", j.Counters.ReviewIteration},
		{"pushbackRounds", j.Counters.PushbackRounds},
		{"pollTicksWhileQueued", j.Counters.PollTicksWhileQueued},
	} {
		if c.n != 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.name, c.n))
		}
	}
	parts = append(parts, fmt.Sprintf("asked %d, handed over %d", j.Asked, j.HandedOver))
	for _, w := range j.Waits {
		parts = append(parts, fmt.Sprintf("waits for %s from %s to %s, then %s", w.What, w.Since.Format("15:04"), w.Until.Format("15:04"), w.Then))
	}
	if j.Proof != nil {
		parts = append(parts, "proof of "+j.Proof.Head.Short())
	}
	if l := j.Landing; l != nil {
		parts = append(parts, "merge of "+l.Head.Short()+" "+string(l.Came))
	}
	if j.Final != nil {
		parts = append(parts, "final "+j.Final.Reason)
	}
	for _, h := range j.Handoffs {
		if h.Parked != "" {
			parts = append(parts, "parked "+h.Parked[:min(len(h.Parked), 30)])
		}
	}
	if j.Mode != "" {
		parts = append(parts, "mode "+j.Mode)
	}
	return strings.Join(parts, "; ") + "\n"
}
