package journal

import (
	"bytes"
	"strings"

	"github.com/prloop/prloop/internal/pr"
)

// A Ledger is what the rounds of review raised, what became of it, and what was
// pushed for it: by it a loop that goes in circles is seen (design 6). What it
// means is said in package round.
type Ledger struct {
	// Rounds are the newest rounds, oldest first.
	Rounds []LedgerRound `json:"rounds,omitempty"`
	// Scope is how many files the pull request changed when its first round was
	// entered; 0 where that is not known.
	Scope int `json:"scope,omitempty"`
	// Folded are the totals of older rounds.
	Folded LedgerTotals `json:"folded,omitzero"`
}

// A LedgerRound is one genuine review and the push that answered it.
type LedgerRound struct {
	Round    int             `json:"round"` // from 1
	Head     pr.SHA          `json:"head"`  // that was reviewed
	Findings []LedgerFinding `json:"findings,omitempty"`
	Patches  []LedgerPatch   `json:"patches,omitempty"`
}

// A LedgerFinding is one finding of a round. Key is the same in each round that
// raises it, wherever its line has moved to; Mark is of its id, which is new each
// time.
type LedgerFinding struct {
	Key  string `json:"key"`
	Mark string `json:"mark"`
	Path string `json:"path,omitempty"` // a stranger's text, cut to 120 bytes
	// Action is what became of it: that of a report, or "resolved" where
	// somebody resolved its thread; empty while nothing did. Handoff is the
	// number of the hand-over whose report answered it.
	Action  string `json:"action,omitempty"`
	Handoff int    `json:"handoff,omitempty"`
}

// A LedgerPatch is what a push did to one file: a digest of the lines that it
// took out and put in, and of the same change backwards.
type LedgerPatch struct {
	Path string `json:"path"` // a stranger's text, cut to 120 bytes
	ID   string `json:"id"`
	Back string `json:"back"`
}

// LedgerTotals count what the rounds had that were folded.
type LedgerTotals struct {
	Rounds   int `json:"rounds"` // up to this one
	Raised   int `json:"raised"`
	Fixed    int `json:"fixed"`
	Declined int `json:"declined"`
}

// LedgerPath is a path as the ledger keeps it.
func LedgerPath(path string) string {
	const most = 120
	if len(path) <= most {
		return path
	}
	return strings.ToValidUTF8(path[:most], "")
}

// ledgerRows is how many findings and patches a ledger keeps for each row that
// other lists keep.
const ledgerRows = 3

// fold cuts the ledger to at most keep rounds, and ledgerRows times as many
// findings and patches, the newest; the rest goes into the totals. A round is
// kept whole or not at all, because half a round shows what it did not raise.
func (l Ledger) fold(keep int) Ledger {
	room, first := keep*ledgerRows, len(l.Rounds)
	for first > 0 && len(l.Rounds)-first < keep {
		r := l.Rounds[first-1]
		if room -= len(r.Findings) + len(r.Patches); room < 0 {
			break
		}
		first--
	}
	one := func(n *int) { *n = min(*n+1, maxNumber) }
	for _, r := range l.Rounds[:first] {
		l.Folded.Rounds = max(l.Folded.Rounds, r.Round)
		for _, f := range r.Findings {
			one(&l.Folded.Raised)
			switch f.Action {
			case "fix":
				one(&l.Folded.Fixed)
			case "decline":
				one(&l.Folded.Declined)
			}
		}
	}
	l.Rounds = newest(l.Rounds, len(l.Rounds)-first)
	return l
}

// whole returns l with lists of its own, nil where they are empty.
func (l Ledger) whole() Ledger {
	l.Rounds = each(l.Rounds, func(r *LedgerRound) {
		r.Findings = each(r.Findings, func(*LedgerFinding) {})
		r.Patches = each(r.Patches, func(*LedgerPatch) {})
	})
	return l
}

// numbers are all that the ledger counts.
func (l Ledger) numbers() []int {
	all := []int{l.Scope, l.Folded.Rounds, l.Folded.Raised, l.Folded.Fixed, l.Folded.Declined}
	for _, r := range l.Rounds {
		all = append(all, r.Round)
		for _, f := range r.Findings {
			all = append(all, f.Handoff)
		}
	}
	return all
}

// more is the one of two ledgers that says more: a ledger only grows.
func more(a, b Ledger) Ledger {
	x, errA := Spell(a)
	y, errB := Spell(b)
	if errA != nil || errB != nil || len(x) < len(y) || len(x) == len(y) && bytes.Compare(x, y) < 0 {
		return b
	}
	return a
}
