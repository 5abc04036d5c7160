package handoff

import (
	"strings"
	"unicode"
)

// A Next is what follows an accepted report besides its answers: the time box
// (seed 003, "Time-boxing & extension protocol"). The zero Next is that nothing
// does.
type Next struct {
	Kind NextKind
	// Minutes are how much longer the same hand-over may take (Extend).
	Minutes int
	// Findings are the ids to hand over anew (Narrow).
	Findings []string
	Why      string // one sentence of ours, without a full stop
}

// A NextKind is one of the things that can follow.
type NextKind string

// What can follow a report.
const (
	Nothing NextKind = ""
	Extend  NextKind = "extend"
	Narrow  NextKind = "narrow"
	Park    NextKind = "park"
)

// boxRows say what follows. The first row that holds decides.
var boxRows = []struct {
	id    string
	says  string // why, in words
	holds func(*box) bool
	then  func(*box) Next
}{
	{"B1", "the fixer is blocked, so a person is needed", func(b *box) bool { return b.r.Status == Blocked }, park},
	{"B2", "the work is complete", func(b *box) bool { return b.r.Status != Unfinished }, nothing},
	{"B3", "it is partial, says what is next and asks for time", (*box).extends, extend},
	{"B4", "every finding has its answer", func(b *box) bool { return answers(b.r.Step) && len(b.rest) == 0 }, nothing},
	{"B5", "it is partial and gets no more time, so half of what is left goes out", func(b *box) bool { return len(b.rest) > 0 && !b.out.Narrowed }, narrow},
	{"B6", "it is partial, gets no more time, and cannot become less", func(*box) bool { return true }, park},
}

type box struct {
	r    Report
	out  Out
	rest []Finding // without an answer, in the order of the hand-over
}

func (b *box) next() Next {
	for _, row := range boxRows {
		if row.holds(b) {
			n := row.then(b)
			if n.Kind != Nothing {
				n.Why = row.says
			}
			return n
		}
	}
	panic("handoff: no row of the time box holds; the table has lost its last row")
}

func (b *box) extends() bool {
	return b.r.NeedsExtensionMinutes > 0 && b.out.Extensions < maxExtensions && concrete(b.r.NextAction)
}

func nothing(*box) Next { return Next{} }
func park(*box) Next    { return Next{Kind: Park} }

func extend(b *box) Next {
	return Next{Kind: Extend, Minutes: min(b.r.NeedsExtensionMinutes, maxExtension)}
}

// narrow takes the first half, and the larger one, in the order in which the
// waves would be worked off: findings of one file stay together at its front.
func narrow(b *box) Next {
	half := (len(b.rest) + 1) / 2
	var ids []string
	for _, w := range waves(b.rest) {
		ids = append(ids, w...)
	}
	return Next{Kind: Narrow, Findings: ids[:half:half]}
}

// vague are words that, alone, say nothing of what is next.
var vague = words(`
	a again all am and carry continue continuing do doing done finish fixing go going have i if it keep left more
	need needed next of on remaining rest resume same some still stuff task tasks that the then thing things this
	time to try trying up wait we will with work working
`)

// concrete reports whether a next action names something to do.
func concrete(s string) bool {
	for _, w := range wordsOf(s) {
		if !vague[w] {
			return true
		}
	}
	return false
}

// words is a set of words.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// wordsOf are the words of s in lower case, an apostrophe being part of one.
func wordsOf(s string) []string {
	s = strings.NewReplacer("’", "'", "ʼ", "'").Replace(strings.ToLower(s))
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
}
