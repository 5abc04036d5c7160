package facts

import (
	"slices"
	"sort"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// Resolved is what the ledger notes of a finding whose thread somebody resolved
// and no report answered.
const Resolved = "resolved"

// raised are the rounds of review with what each of them raised: one round for
// each genuine review, oldest first, from 1, its findings by their marks. It is empty where reviews or threads
// could not be read in full: half a history would show comings and goings that
// never were.
func raised(in Input, reviews []Review) []journal.LedgerRound {
	snap := in.Snapshot
	if snap.Missing(pr.FactReviews) != nil || snap.Missing(pr.FactThreads) != nil {
		return nil
	}
	byReview := map[string][]journal.LedgerFinding{}
	for i := range snap.Threads {
		t := &snap.Threads[i]
		if len(t.Comments) == 0 || t.Comments[0].ReviewID == "" {
			continue
		}
		c := &t.Comments[0]
		f := journal.LedgerFinding{Key: ledgerKey(t.Path, excerpt(c.Body), c.Code), Mark: journal.Mark(t.ID), Path: journal.LedgerPath(t.Path)}
		if t.Resolved {
			f.Action = Resolved
		}
		byReview[c.ReviewID] = append(byReview[c.ReviewID], f)
	}
	var rounds []journal.LedgerRound
	for _, r := range reviews {
		if r.Kind != Genuine {
			continue
		}
		found := byReview[r.ID]
		for _, f := range r.Findings {
			found = append(found, journal.LedgerFinding{Key: ledgerKey(f.Path, f.Text, ""), Mark: journal.Mark(f.ID), Path: journal.LedgerPath(f.Path)})
		}
		sort.Slice(found, func(i, j int) bool { return found[i].Mark < found[j].Mark })
		rounds = append(rounds, journal.LedgerRound{Round: len(rounds) + 1, Head: r.Commit, Findings: slices.Clip(found)})
	}
	return rounds
}
