package facts

import (
	"slices"
	"sort"
	"strings"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// Resolved is what the ledger notes of a finding whose thread somebody resolved
// and no report answered.
const Resolved = "resolved"

// Raised are the rounds of review with what each of them raised: one round for
// each genuine review, oldest first, from 1, its findings by their marks. It is empty where reviews or threads
// could not be read in full: half a history would show comings and goings that
// never were.
func Raised(snap *pr.Snapshot, reviews []Review) []journal.LedgerRound {
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

// MayRepeat reports whether two reviews may have raised the same finding, as far
// as GitHub still shows their threads. It is far cheaper than to look, never false
// where they did, and in most pull requests no closer look is needed.
func MayRepeat(snap *pr.Snapshot, reviews []Review) bool {
	seen := make(map[uint64]string, len(snap.Threads))
	again := func(print uint64, review string) bool {
		before, ok := seen[print]
		seen[print] = review
		return ok && before != review
	}
	for i := range snap.Threads {
		t := &snap.Threads[i]
		if len(t.Comments) > 0 && again(fingerprint(t.Path, t.Comments[0].Body, t.Comments[0].Code), t.Comments[0].ReviewID) {
			return true
		}
	}
	for i := range reviews {
		for _, f := range reviews[i].Findings {
			if again(fingerprint(f.Path, f.Text, ""), reviews[i].ID) {
				return true
			}
		}
	}
	return false
}

// fingerprint is the same for two findings that have one ledgerKey: a hash of the
// end of the path, the first letters of the text and those of the code. Like the
// key it passes over case, white space, HTML comments and the numbers of the text.
func fingerprint(path, text, code string) uint64 {
	const most = 16
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(path[max(0, len(path)-most):]) {
		h = hash(h, lower(c))
	}
	for i, n := 0, 0; i < len(text) && n < most; i++ {
		if text[i] == '<' && strings.HasPrefix(text[i:], "<!--") {
			end := strings.Index(text[i:], "-->")
			if end < 0 {
				break
			}
			i += end + len("-->") - 1
			continue
		}
		if c := lower(text[i]); c >= 'a' && c <= 'z' {
			h = hash(h, c)
			n++
		}
	}
	h = hash(h, 0)
	for i, n := 0, 0; i < len(code) && n < most; i++ {
		if c := lower(code[i]); c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			h = hash(h, c)
			n++
		}
	}
	return h
}

func hash(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
