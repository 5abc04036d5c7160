package plan

import (
	"testing"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// What is counted as declined was found by a review of this head, once for each
// finding, however often it was raised.
func TestDeclinedCountsTheFindingsOfTheHead(t *testing.T) {
	finding := func(key, action string) journal.LedgerFinding { return journal.LedgerFinding{Key: key, Action: action} }
	s := &step{snap: &pr.Snapshot{Head: headA}, book: &journal.Ledger{}}
	s.book.Rounds = []journal.LedgerRound{
		{Round: 1, Head: headB, Findings: []journal.LedgerFinding{finding("x", "decline")}},
		{Round: 2, Head: headA, Findings: []journal.LedgerFinding{finding("a", "decline"), finding("b", "drift"), finding("c", "fix")}},
		{Round: 3, Head: headA, Findings: []journal.LedgerFinding{finding("a", "decline"), finding("d", "decline")}},
	}
	if got := s.declined(); got != 2 {
		t.Errorf("%d findings count as declined, want 2", got)
	}
}
