package handoff

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// Templates are the words of replies, by action: Markdown of the repository's
// own, with the placeholders of config. An action without a template has
// prloop's own words.
type Templates map[Action]string

// own are prloop's own words: what was done, in which commit or without one,
// and what stands for a rationale that is missing.
var own = map[Action]struct{ in, plain, silent string }{
	FixIt:    {"Fixed in {commit}.", "Fixed.", ""},
	Decline:  {"Not changed.", "Not changed.", "No reason was given."},
	Drift:    {"This had drifted from the code, and is mended in {commit}.", "This had drifted from the code.", ""},
	Partial:  {"Done in part, in {commit}. It stays open.", "Done in part. It stays open.", ""},
	Escalate: {"A person should decide this (see {commit}). It stays open.", "A person should decide this. It stays open.", "The fixer had no answer to it."},
}

// TemplatesOf are the templates of the configuration, which has checked them.
func TemplatesOf(given config.Templates) Templates {
	t := Templates{}
	for action, words := range map[Action]string{
		FixIt: given.Fix, Decline: given.Decline, Drift: given.Drift, Partial: given.Partial, Escalate: given.Escalate,
	} {
		if words != "" {
			t[action] = words
		}
	}
	return t
}

// Quoting makes a stranger's text safe in Markdown, on one line: without
// markup, mentions, references, links and HTML. Text is for sentences
// (report.Prose), Code for names (report.Code).
type Quoting struct {
	Text, Code func(string) string
}

// Marker is the hidden comment at the start of a reply: who wrote it, for which
// hand-over, and which findings it answers. A repeated run finds it, and does
// not answer twice (see facts.ReplyMarker).
func Marker(number int, ids ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", facts.ReplyMarker, number)
	for _, id := range ids {
		b.WriteString(" " + Mark(id))
	}
	b.WriteString(" -->")
	return b.String()
}

var markerForm = regexp.MustCompile(`^` + regexp.QuoteMeta(facts.ReplyMarker) + ` ([1-9][0-9]{0,8})((?: [0-9a-f]{8})+) -->(?:\n|$)`)

// ParseMarker returns what the marker at the start of a comment says. Whose
// comment it is, it cannot say: see facts.Ours.
func ParseMarker(body string) (number int, marks []string, ok bool) {
	m := markerForm.FindStringSubmatch(strings.ReplaceAll(body, "\r\n", "\n"))
	if m == nil {
		return 0, nil, false
	}
	number, err := strconv.Atoi(m[1])
	return number, strings.Fields(m[2]), err == nil
}

// maxComment bounds a comment, in bytes: GitHub takes 65,536 characters.
const maxComment = 60_000

// Comment is the reply in the finding's thread, with its marker.
func (r Reply) Comment(t Templates, q Quoting, number int) string {
	return Marker(number, r.Finding.ID) + "\n" + r.says(t, q)
}

// Together is the one comment that answers the findings without a thread. Where
// they do not all fit in, the last ones are counted; its marker names them all.
// It is empty where there are none.
func Together(list []Reply, t Templates, q Quoting, number int) string {
	if len(list) == 0 {
		return ""
	}
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.Finding.ID
	}
	var b strings.Builder
	b.WriteString(Marker(number, ids...) + "\nTo what has no thread of its own:\n")
	for i, r := range list {
		// In an item of a list, further lines are set in.
		item := "\n- " + q.Code(place(r.Finding)) + ": " + strings.ReplaceAll(r.says(t, q), "\n", "\n  ")
		if b.Len()+len(item) > maxComment {
			fmt.Fprintf(&b, "\n- and %d more; the run's summary has them all", len(list)-i)
			break
		}
		b.WriteString(item)
	}
	return b.String()
}

// Posts reports whether the reply is written at all: a person's thread gets no
// reply that no report wrote (design 10, "Noise").
func (r Reply) Posts() bool { return !r.Silent || r.Finding.Bot || r.Finding.Thread == "" }

// Split parts replies by where they are posted: in the finding's thread, or in
// one comment.
func Split(list []Reply) (threads, together []Reply) {
	for _, r := range list {
		if r.Finding.Thread != "" {
			threads = append(threads, r)
		} else {
			together = append(together, r)
		}
	}
	return threads, together
}

// says is the reply in words. A template that names a commit gives way to
// prloop's own words where there is none.
func (r Reply) says(t Templates, q Quoting) string {
	mine, commit := own[r.Action], ""
	lead := mine.plain
	if isHex(r.Commit) {
		commit, lead = string(r.Commit), mine.in
	}
	words, ok := t[r.Action]
	if !ok || commit == "" && strings.Contains(words, config.InCommit) {
		words = lead + " " + config.InRationale
	}
	rationale := mine.silent
	if given := q.Text(clip(strings.TrimSpace(facts.Clean(r.Rationale)), maxQuoted)); given != "" {
		rationale = given
	}
	return strings.TrimSpace(strings.NewReplacer(
		config.InCommit, commit, config.InRationale, rationale, config.InFinding, q.Code(place(r.Finding)),
	).Replace(words))
}

// maxQuoted bounds a rationale in a reply, in bytes. Quoted, it is several
// times as long at the worst.
const maxQuoted = 6_000

func isHex(s pr.SHA) bool {
	return s != "" && strings.Trim(string(s), "0123456789abcdef") == ""
}

// place names a finding to a person: where it is, or else its id.
func place(f facts.Finding) string {
	switch {
	case f.Path == "":
		return f.ID
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}
