package round

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/prloop/prloop/internal/journal"
)

// Actions that the ledger knows: those of a report that end a finding, and
// "resolved", which somebody did without a report.
const (
	actFix      = "fix"
	actDecline  = "decline"
	actDrift    = "drift"
	actResolved = "resolved"
)

// Enter brings the ledger up to what GitHub shows now: raised are the rounds with
// what each found, said what reports answered. What was entered before stays,
// though its thread be deleted since; a report's word is never lost to one that
// only resolved. Rounds that were folded stay so.
func Enter(l journal.Ledger, raised []journal.LedgerRound, said []journal.Answer) journal.Ledger {
	rounds := slices.Clone(l.Rounds)
	for _, r := range raised {
		if r.Round <= l.Folded.Rounds {
			continue
		}
		i := slices.IndexFunc(rounds, func(o journal.LedgerRound) bool { return o.Round == r.Round })
		if i < 0 {
			rounds = append(rounds, r)
			i = len(rounds) - 1
		}
		rounds[i].Head, rounds[i].Findings = r.Head, unite(rounds[i].Findings, r.Findings)
	}
	sort.Slice(rounds, func(i, j int) bool { return rounds[i].Round < rounds[j].Round })
	for i := range rounds {
		rounds[i].Findings = slices.Clone(rounds[i].Findings)
	}
	for _, a := range said {
		if f := answeredBy(rounds, a); f != nil {
			f.Action, f.Handoff = a.Action, a.Number
		}
	}
	l.Rounds = rounds
	return l
}

// answeredBy is the finding that a answers: one without a thread has the same
// mark in each round, and the answer is to the round that it was given in.
func answeredBy(rounds []journal.LedgerRound, a journal.Answer) *journal.LedgerFinding {
	var newest *journal.LedgerFinding
	for i := range rounds {
		for k := range rounds[i].Findings {
			switch f := &rounds[i].Findings[k]; {
			case f.Mark != a.Finding:
			case f.Handoff == a.Number:
				return f
			default:
				newest = f
			}
		}
	}
	return newest
}

// Scoped notes how many files the pull request changes, where nothing is noted
// and its first round is just entered.
func Scoped(l journal.Ledger, files int) journal.Ledger {
	if l.Scope == 0 && len(l.Rounds) > 0 && l.Rounds[0].Round == 1 && len(l.Rounds) == 1 {
		l.Scope = files
	}
	return l
}

// Grown says that the pull request has grown out of its scope: twice as many
// files as at its first review, and 5 more at least. It is a sign of drift and no
// circle (reference: recap gate), so it stops nothing.
func Grown(l journal.Ledger, files int) (says string, ok bool) {
	if l.Scope == 0 || files < 2*l.Scope || files-l.Scope < 5 {
		return "", false
	}
	return fmt.Sprintf("The pull request has grown out of its scope: files changed at its first review: %d, and now: %d", l.Scope, files), true
}

// unite joins the findings of one round by their marks.
func unite(old, now []journal.LedgerFinding) []journal.LedgerFinding {
	out := slices.Clone(old)
	for _, f := range now {
		i := slices.IndexFunc(out, func(o journal.LedgerFinding) bool { return o.Mark == f.Mark })
		switch {
		case i < 0:
			out = append(out, f)
		case out[i].Action == "" || out[i].Action == actResolved:
			out[i].Key, out[i].Path, out[i].Action = f.Key, f.Path, f.Action
		}
	}
	return out
}

// Pushed enters what a push that answered round n did to its files.
func Pushed(l journal.Ledger, n int, patches []journal.LedgerPatch) journal.Ledger {
	l.Rounds = slices.Clone(l.Rounds)
	for i := range l.Rounds {
		if l.Rounds[i].Round == n {
			l.Rounds[i].Patches = slices.Clone(patches)
		}
	}
	return l
}

// Patch is what a unified diff did to a file, as the ledger keeps it: the lines
// that it took out and put in, in their order, without their numbers and without
// white space around them; and the same change backwards. It is false where the
// diff changes no line, or is not shown.
func Patch(path, diff string) (journal.LedgerPatch, bool) {
	var there, back strings.Builder
	for line := range strings.Lines(diff) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] != '+' && line[0] != '-' {
			continue
		}
		text := strings.TrimSpace(line[1:])
		if text == "" {
			continue
		}
		there.WriteString(line[:1] + text + "\n")
		back.WriteString(map[byte]string{'+': "-", '-': "+"}[line[0]] + text + "\n")
	}
	if there.Len() == 0 {
		return journal.LedgerPatch{}, false
	}
	return journal.LedgerPatch{Path: journal.LedgerPath(path), ID: digest(path, there.String()), Back: digest(path, back.String())}, true
}

// digest is of a file's changed lines, whatever their order: a diff shows what it
// takes out before what it puts in, also where it goes backwards.
func digest(path, lines string) string {
	sorted := strings.Split(lines, "\n")
	slices.Sort(sorted)
	sum := sha256.Sum256([]byte(path + "\n" + strings.Join(sorted, "\n")))
	return hex.EncodeToString(sum[:6])
}

// A Sign is one thing by which a loop is seen to go in circles.
type Sign struct {
	ID   string // of the row
	Says string // in words; a path in it is quoted
	// Marks are of the open findings that it is about; empty where it is about a
	// push.
	Marks []string
}

// signs are what the ledger is searched for, in this order.
var signs = []struct {
	id   string
	says string
	find func(*search) []Sign
}{
	{"O1", "a finding asks again for an edit that was taken back", (*search).redo},
	{"O2", "a push makes an edit that was made and taken back before", (*search).again},
	{"O3", "two findings of one file take turns", (*search).turns},
	{"O4", "a finding that reports answered twice is raised for the third time", (*search).third},
}

// A search looks through one ledger.
type search struct {
	rounds []journal.LedgerRound
	open   func(mark string) bool
}

// Signs searches the ledger. Open tells which findings, by their marks, are open
// work: only about those is anything asked again. It is the order of the table.
func Signs(l journal.Ledger, open func(mark string) bool) []Sign {
	s := &search{l.Rounds, open}
	var all []Sign
	for _, row := range signs {
		for _, found := range row.find(s) {
			found.ID = row.id
			all = append(all, found)
		}
	}
	return all
}

// raises are the rounds that raised a key, oldest first, with its finding there.
func (s *search) raises(key string) (rounds []int, findings []journal.LedgerFinding) {
	for _, r := range s.rounds {
		if i := slices.IndexFunc(r.Findings, func(f journal.LedgerFinding) bool { return f.Key == key }); i >= 0 {
			rounds, findings = append(rounds, r.Round), append(findings, r.Findings[i])
		}
	}
	return rounds, findings
}

// asked are the open findings of the newest round that raised anything open.
func (s *search) asked() (round int, list []journal.LedgerFinding) {
	for i := len(s.rounds) - 1; i >= 0; i-- {
		for _, f := range s.rounds[i].Findings {
			if s.open(f.Mark) {
				list = append(list, f)
			}
		}
		if list != nil {
			return s.rounds[i].Round, list
		}
	}
	return 0, nil
}

// undone is the round after n whose push took back what the push of n did to
// path; 0 where none did.
func (s *search) undone(n int, path string) int {
	for _, r := range s.rounds {
		if r.Round != n {
			continue
		}
		for _, p := range r.Patches {
			for _, later := range s.rounds {
				if p.Path == path && later.Round > n && slices.ContainsFunc(later.Patches, func(q journal.LedgerPatch) bool { return q.ID == p.Back }) {
					return later.Round
				}
			}
		}
	}
	return 0
}

// redo: the hard stop of the triage (seed 003, step 4): about to redo an edit
// that was reverted.
func (s *search) redo() []Sign {
	var list []Sign
	now, open := s.asked()
	for _, f := range open {
		rounds, findings := s.raises(f.Key)
		for i, n := range rounds {
			if n >= now || findings[i].Action != actFix {
				continue
			}
			if by := s.undone(n, f.Path); by > 0 && by < now {
				list = append(list, Sign{
					Says:  fmt.Sprintf("round %d undoes round %d in %q, and round %d asks for it again", by, n, f.Path, now),
					Marks: []string{f.Mark},
				})
				break
			}
		}
	}
	return list
}

// again: of the newest push, whatever asked for it.
func (s *search) again() []Sign {
	var list []Sign
	for i := len(s.rounds) - 1; i >= 0; i-- {
		newest := s.rounds[i]
		if len(newest.Patches) == 0 {
			continue
		}
		for _, p := range newest.Patches {
			for _, r := range s.rounds[:i] {
				if !slices.ContainsFunc(r.Patches, func(q journal.LedgerPatch) bool { return q.ID == p.ID }) {
					continue
				}
				says := fmt.Sprintf("round %d makes in %q the same change as round %d", newest.Round, p.Path, r.Round)
				if by := s.undone(r.Round, p.Path); by > 0 && by < newest.Round {
					says = fmt.Sprintf("round %d undoes round %d in %q, which undid round %d", newest.Round, by, p.Path, r.Round)
				}
				list = append(list, Sign{Says: says})
				break
			}
		}
		break
	}
	return list
}

// turns: of two findings in one file each comes back once the other was worked
// off. Findings that were declined come back by themselves; they are no sign.
func (s *search) turns() []Sign {
	now, open := s.asked()
	for _, f := range open {
		mine, last := s.comesBack(f.Key, now)
		if last == 0 {
			continue
		}
		for _, r := range s.rounds {
			for _, g := range r.Findings {
				if g.Path != f.Path || g.Key == f.Key || r.Round >= now {
					continue
				}
				other, before := s.comesBack(g.Key, r.Round)
				if before == 0 || before >= last || r.Round <= last || slices.ContainsFunc(mine, func(n int) bool { return slices.Contains(other, n) }) {
					continue
				}
				return []Sign{{
					Says:  fmt.Sprintf("round %d undoes round %d in %q, and round %d asks for it again", r.Round, last, f.Path, now),
					Marks: []string{f.Mark},
				}}
			}
		}
	}
	return nil
}

// comesBack: the key is raised by round n, was not by the one before it, and was
// worked off in an earlier one, which is returned with all rounds that raised it.
func (s *search) comesBack(key string, n int) (rounds []int, last int) {
	rounds, findings := s.raises(key)
	for i, r := range rounds {
		if r < n-1 && (findings[i].Action == actFix || findings[i].Action == actResolved) {
			last = r
		}
	}
	if !slices.Contains(rounds, n) || slices.Contains(rounds, n-1) {
		return rounds, 0
	}
	return rounds, last
}

// third: it was answered in two earlier rounds, whatever the answers were.
func (s *search) third() []Sign {
	var list []Sign
	now, open := s.asked()
	for _, f := range open {
		rounds, findings := s.raises(f.Key)
		var answered []int
		for i, n := range rounds {
			if n < now && (findings[i].Action == actFix || ends(findings[i].Action)) {
				answered = append(answered, n)
			}
		}
		if len(answered) >= 2 {
			list = append(list, Sign{
				Says:  fmt.Sprintf("round %d raises in %q what rounds %d and %d raised, and reports answered it both times", now, f.Path, answered[0], answered[len(answered)-1]),
				Marks: []string{f.Mark},
			})
		}
	}
	return list
}

// ends: an action that leaves the code as it is.
func ends(action string) bool { return action == actDecline || action == actDrift }

// Declined returns the finding of an earlier round that was declined, or called
// drift, where the one with this mark says the same again; false where none was.
func Declined(l journal.Ledger, mark string) (first journal.LedgerFinding, round int, ok bool) {
	for i := len(l.Rounds) - 1; i >= 0; i-- {
		for _, f := range l.Rounds[i].Findings {
			if f.Mark != mark {
				continue
			}
			for _, r := range l.Rounds[:i] {
				for _, g := range r.Findings {
					if g.Key == f.Key && ends(g.Action) {
						return g, r.Round, true
					}
				}
			}
			return journal.LedgerFinding{}, 0, false
		}
	}
	return journal.LedgerFinding{}, 0, false
}
