package handoff

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/prloop/prloop/internal/pr"
)

// lintRows are the ways in which a reply is none (seed 003 and its step 8:
// thanks alone, "will fix later", bare disagreement, a fix without a commit;
// L5 is the rule of dev-loops' reply-resolve-review-thread).
var lintRows = []lintRow{
	{"L1", "a fix names no commit", func(a Action, _ []string, _ string, c pr.SHA) bool {
		return a == FixIt && c == ""
	}},
	{"L2", "it is thanks and nothing else", func(_ Action, w []string, _ string, _ pr.SHA) bool {
		return only(w, thanks, filler) && some(w, thanks)
	}},
	{"L3", "it puts the work off, and names no issue that keeps it", func(_ Action, _ []string, text string, _ pr.SHA) bool {
		return putsOff.MatchString(text) && !tracked.MatchString(text)
	}},
	{"L4", "it disagrees and gives no reason", func(_ Action, w []string, _ string, _ pr.SHA) bool {
		return only(w, disagreement, thanks, filler) && some(w, disagreement)
	}},
	{"L5", "it has fewer than 30 characters, and no commit", func(a Action, w []string, text string, c pr.SHA) bool {
		switch {
		case c != "" || namesCommit(text):
			return false
		case a == Escalate && len(w) == 0:
			return false // prloop asks in its own words
		}
		return weight(text) < minReply && a != FixIt
	}},
}

type lintRow struct {
	id    string
	says  string
	holds func(a Action, words []string, text string, commit pr.SHA) bool
}

// minReply is how many characters a reply without a commit has at least.
const minReply = 30

// Lint returns why text is no reply to a finding on which this action was
// taken: every reason, in our words, without full stops. It knows English
// alone; what is written in another language has only to be long enough.
func Lint(action Action, text string, commit pr.SHA) []string {
	var reasons []string
	for _, row := range lint(action, text, commit) {
		reasons = append(reasons, row.says)
	}
	return reasons
}

func lint(action Action, text string, commit pr.SHA) []lintRow {
	text = strings.TrimSpace(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	w := wordsOf(text)
	var found []lintRow
	for _, row := range lintRows {
		if row.holds(action, w, text, commit) {
			found = append(found, row)
		}
	}
	return found
}

var (
	thanks = words(`
		ack acknowledged agree agreed appreciate appreciated awesome catch cheers comment excellent feedback good
		great input kudos lgtm nice noted ok okay pointing point review reviewing right spotting sure suggestion
		thank thanks thx true ty understood yes
	`)
	disagreement = words(`
		by can't cannot correct decline declined design disagree disagreed don't false fix happening incorrect intended
		intentional invalid issue irrelevant n/a na needed necessary no nope not opinion positive problem rejected
		skip skipped unnecessary won't wont wontfix works wrong
	`)
	filler = words(`
		a about again all am an and any are as at be been bit but bug can case comment completely do does done finding
		for from here hi i i'm i've in is it it's its just kindly me much my of on one our out please point really
		respectfully review see so sorry strongly suggestion that that's the there think this to very was we we'll
		we're will with you your
	`)
)

// putsOff: a promise without a commit.
var putsOff = regexp.MustCompile(`\b(will|we'll|i'll|shall|going to|gonna|plan to|to be|should|can|could|let's)\b[^.!?\n]{0,60}` +
	`\b(later|soon|eventually|afterwards|some ?day|another time|next (time|week|sprint|release|pr|iteration)|` +
	`(in|as) (a|the|some|another) (later|future|follow-?up|separate|next)\b|follow-?up)` +
	`|\b(fix|address|handle|do|look at|revisit)(ing)? (this|it|that|them)? ?(later|soon|eventually)\b|^(later|todo|soon)\W*$`)

// tracked: an issue, a pull request or an address that keeps what is put off.
var tracked = regexp.MustCompile(`(^|[^\w&])#\d+\b|\bgh-\d+\b|\b[a-z][a-z0-9]+-\d+\b|https?://\S+`)

func only(w []string, sets ...map[string]bool) bool {
	for _, word := range w {
		in := false
		for _, set := range sets {
			in = in || set[word]
		}
		if !in {
			return false
		}
	}
	return len(w) > 0
}

func some(w []string, set map[string]bool) bool {
	for _, word := range w {
		if set[word] {
			return true
		}
	}
	return false
}

// commitToken is what people and programs write for a commit: an id with at
// least one letter, digits alone behind a word that says so, or an address.
var (
	commitToken  = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
	commitDigits = regexp.MustCompile(`\b(fixed in|commit|sha|rev)\s+[0-9]{7,40}\b`)
	commitURL    = regexp.MustCompile(`/commit/[0-9a-f]{7,40}\b`)
)

// namesCommit reads lower-case text.
func namesCommit(text string) bool {
	if commitDigits.MatchString(text) || commitURL.MatchString(text) {
		return true
	}
	for _, t := range commitToken.FindAllString(text, -1) {
		if strings.ContainsAny(t, "abcdef") && strings.ContainsAny(t, "0123456789") {
			return true // "defaced" is a word
		}
	}
	return false
}

// weight counts characters; one of a script that writes words without blanks
// says as much as two.
func weight(s string) int {
	n := 0
	for _, r := range s {
		n++
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	return n
}
