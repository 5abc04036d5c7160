package facts

import (
	"strings"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/pr"
)

// The severities of findings, by seed 000's names.
const (
	High = "high"
	Mid  = "mid"
	Low  = "low"
)

// severities is the table of words by which the weight of a finding is
// guessed, where its author gave none: how words begin, the gravest first.
// Whatever has none of them is low.
var severities = []struct {
	level  string
	begins []string
}{
	{High, []string{
		"bug", "break", "broke", "bypass", "corrupt", "crash", "credential", "danger", "deadlock", "diverg",
		"exception", "exploit", "fail", "fatal", "hang", "incorrect", "infinite", "inconsisten", "inject", "invalid",
		"leak", "lose", "loss", "lost", "missing", "overflow", "overwrit", "panic", "privilege", "race", "regress",
		"secret", "secur", "silent", "unsafe", "vulnerab", "wrong",
	}},
	{Mid, []string{
		"alternativ", "avoid", "better", "clarif", "cleaner", "complex", "confus", "consider", "could", "coverage",
		"duplicat", "edge", "extract", "handl", "improv", "ineffic", "maintain", "maybe", "perform", "prefer",
		"recommend", "redundan", "refactor", "simplif", "should", "slow", "suggest", "test", "unused", "valid", "would",
	}},
}

// levels are the words that reviewers put on their findings.
var levels = []struct{ says, level string }{
	{"critical", High},
	{"major", High},
	{"high", High},
	{"medium", Mid},
	{"moderate", Mid},
	{"low", Low},
	{"minor", Low},
	{"nitpick", Low},
	{"nit", Low},
}

// levelOf is the severity that a reviewer's word stands for; empty where it is
// none.
func levelOf(word string) string {
	for _, l := range levels {
		if l.says == word {
			return l.level
		}
	}
	return ""
}

// severity is how grave a finding is: as its picture says, or by its words.
func severity(text string) string {
	if l := alt(bound(text, maxText)); l != "" {
		return l
	}
	return grave.weigh(text)
}

// weighed: the text says how grave it is, by a level that its author put on it or
// by a word of the table. What has neither counts as low where weights are added
// up, and is nothing that anybody may leave (minSeverity).
func weighed(text string) bool {
	text = bound(text, maxText)
	return alt(text) != "" || stated(text) != "" || grave.weigh(text) != Low
}

// stated is the level that a reviewer wrote on its finding: "Low severity", or a
// word before a colon, among the first words.
func stated(text string) string {
	const beginning = 200
	text = strings.ToLower(strings.TrimLeft(text[:min(len(text), beginning)], "#*_[( \n\t"))
	for _, l := range levels {
		if strings.HasPrefix(text, l.says+":") || strings.Contains(text, l.says+" severity") {
			return l.level
		}
	}
	return ""
}

// leaving is how grave a finding is at least that is work (minSeverity).
type leaving struct{ floor config.Severity }

// leaves reports whether f is left: a bot's, and known to be below.
func (l leaving) leaves(f Finding) bool {
	return l.floor != config.Low && f.Bot && !f.Unsure && config.Severity(f.Severity).Rank() < l.floor.Rank()
}

// takeOut moves what is left from list to f.Left.
func (l leaving) takeOut(f *Facts, list []Finding) []Finding {
	if l.floor == config.Low {
		return list
	}
	var kept []Finding
	for _, g := range list {
		if l.leaves(g) {
			f.Left = append(f.Left, g)
		} else {
			kept = append(kept, g)
		}
	}
	return kept
}

// A dictionary finds how words of each severity begin, by their first two
// letters.
type dictionary [26][26][]struct{ begins, level string }

// grave is the table severities as a dictionary. It is never written to.
var grave = index()

func index() *dictionary {
	var d dictionary
	for _, s := range severities {
		for _, w := range s.begins {
			at := &d[w[0]-'a'][w[1]-'a']
			*at = append(*at, struct{ begins, level string }{w, s.level})
		}
	}
	return &d
}

// weigh finds the gravest word among the first maxText bytes of text.
func (d *dictionary) weigh(text string) string {
	level := Low
	text = text[:min(len(text), maxText)]
	inWord := false
	for i := 0; i+1 < len(text); i++ {
		if !isLetter(text[i]) {
			inWord = false
			continue
		}
		if inWord {
			continue
		}
		inWord = true
		if !isLetter(text[i+1]) {
			continue
		}
		for _, w := range d[text[i]|0x20-'a'][text[i+1]|0x20-'a'] {
			if !continues(text[i+2:], w.begins[2:]) {
				continue
			}
			if w.level == High {
				return High
			}
			level = Mid
		}
	}
	return level
}

// continues: s begins with these lower-case letters, in any case.
func continues(s, letters string) bool {
	if len(s) < len(letters) {
		return false
	}
	for i := range len(letters) {
		if s[i]|0x20 != letters[i] {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// signal is lastCopilotRoundMaxSignal: the gravest finding of the newest round,
// that is of the threads that the newest genuine review opened (resolved ones
// too) and of what stands in its body alone; empty where it found nothing. The
// seed's code looks at every thread there ever was, so that one early bug keeps
// the signal high for good; the name says "last round", and that is read here.
func signal(snap *pr.Snapshot, newest Review, w weights) string {
	gravest := ""
	weigh := func(level string) {
		if rank(level) > rank(gravest) {
			gravest = level
		}
	}
	for i := range snap.Threads {
		if gravest == High {
			return gravest
		}
		if t := &snap.Threads[i]; len(t.Comments) > 0 && newest.ID != "" && t.Comments[0].ReviewID == newest.ID {
			weigh(w.of(i, t))
		}
	}
	for _, f := range newest.Findings {
		weigh(f.Severity)
	}
	return gravest
}

// weights remembers, for each thread, how grave its first comment is.
type weights []string

func (w weights) of(i int, t *pr.Thread) string {
	if w[i] == "" {
		w[i] = severity(t.Comments[0].Body)
	}
	return w[i]
}

func rank(level string) int {
	switch level {
	case High:
		return 3
	case Mid:
		return 2
	case Low:
		return 1
	}
	return 0
}
