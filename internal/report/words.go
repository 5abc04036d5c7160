package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// stateWords says each state of the Copilot loop in words for people (seed 000,
// "States"; the last four are of its refinement and its routing layer).
var stateWords = map[string]string{
	"no_pr":                             "there is no pull request",
	"pr_draft":                          "the pull request is a draft",
	"pr_ready_no_feedback":              "ready for its first review",
	"waiting_for_copilot_review":        "Copilot's review is under way",
	"unresolved_feedback_present":       "feedback is waiting to be worked off",
	"already_fixed_needs_reply_resolve": "the fixes are in, and their threads want an answer",
	"ready_to_rerequest_review":         "nothing is open on this head",
	"review_request_unavailable":        "Copilot cannot be asked for a review",
	"waiting_for_ci":                    "the checks are still running",
	"blocked_needs_user_decision":       "a person has to decide",
	"done":                              "the pull request is merged or closed",
	"internal_tooling_direct_gate":      "internal tooling only, so Copilot's review is left out",
	"low_signal_converged":              "the last reviews found hardly anything, so there is no further one",
	"round_cap_reached":                 "the rounds are used up, and something is still open",
	"round_cap_clean_fallback":          "the rounds are used up, and nothing is open",
}

// ofOthers are the words of states in which "Copilot" stands for all reviewers
// of the loop, where it is not the only one.
var ofOthers = map[string]string{
	"waiting_for_copilot_review": "a review is under way",
	"review_request_unavailable": "a review that is needed cannot be had",
}

// words says the state of the loop in words; false where it has none.
func (r Run) words() (string, bool) {
	for _, v := range r.Reviewers {
		if w, ok := ofOthers[r.State]; ok && v.Name != "Copilot" {
			return w, true
		}
	}
	w, ok := stateWords[r.State]
	return w, ok
}

// headline says each decision as the heading of a comment or a summary.
func headline(decision string) string {
	switch decision {
	case "wait":
		return "prloop is waiting"
	case "act":
		return "prloop is at work"
	case "handoff":
		return "prloop hands work over"
	case "stop":
		return "prloop has stopped and needs you"
	case "done":
		return "prloop is done"
	case "skip":
		return "prloop leaves this pull request alone"
	}
	return "prloop"
}

// sentence is a sentence of ours as Markdown, with its full stop.
func sentence(s string) string {
	s = Line(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") {
		return Prose(s)
	}
	return Prose(s) + "."
}

// opening is a sentence that begins a line.
func opening(s string) string { return sentence(capital(Line(s))) }

// date is t for people: an absolute time, so that a text which holds it stays
// the same while time goes by.
func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// span says since and until when something is waited for, and what then.
func (w Wait) span() string {
	var parts []string
	if !w.Since.IsZero() {
		parts = append(parts, "since "+date(w.Since))
	}
	switch {
	case w.Until.IsZero():
		parts = append(parts, "without a limit")
	case w.Then != "":
		parts = append(parts, "until "+date(w.Until)+" (then "+Code(w.Then)+")")
	default:
		parts = append(parts, "until "+date(w.Until))
	}
	return strings.Join(parts, ", ")
}

// waiting says what is waited for.
func waiting(w *Wait) string {
	return "**Waiting for:** " + Prose(clip(w.What, 200)) + ", " + w.span() + "."
}

// rounds says which round it is.
func rounds(r Run) string {
	if r.RoundCap > 0 {
		return "round " + strconv.Itoa(r.Round) + " of " + strconv.Itoa(r.RoundCap)
	}
	return "round " + strconv.Itoa(r.Round)
}

// head is a head as people read commits.
func head(s pr.SHA) string { return Code(s.Short()) }

// where is the place of a finding.
func where(f Finding) string {
	switch {
	case f.Path == "":
		return "–"
	case f.Line > 0:
		return Cell(f.Path + ":" + strconv.Itoa(f.Line))
	}
	return Cell(f.Path)
}

// capital is s with its first letter in upper case; s begins in ASCII.
func capital(s string) string {
	// A name or a commit stays as it is spelled.
	if word, _, _ := strings.Cut(s, " "); word == "" || strings.ContainsAny(word, "_0123456789") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// A table is a Markdown table with a bound on its rows.
type table struct {
	head []string
	rows [][]string // Markdown already
	more int        // rows left out
}

// String is the table, or nothing where it has no rows.
func (t table) String() string {
	if len(t.rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.head)
	line(strings.Split(strings.Repeat("---,", len(t.head)-1)+"---", ","))
	for _, r := range t.rows {
		line(r)
	}
	if t.more > 0 {
		b.WriteString("\n… and " + strconv.Itoa(t.more) + " more.\n")
	}
	return b.String()
}

// within is t with as many of its rows as fit into room bytes together with the
// text before it, or nothing where not even one fits.
func (t table) within(room int, before string) string {
	for ; len(t.rows) > 0; t.more++ {
		if s := before + t.String(); len(s) <= room {
			return s
		}
		t.rows = t.rows[:len(t.rows)-1]
	}
	return ""
}

// firstOf is the first n of list, and how many more there are.
func firstOf[T any](list []T, n int) (first []T, more int) {
	n = min(n, len(list))
	return list[:n], len(list) - n
}
