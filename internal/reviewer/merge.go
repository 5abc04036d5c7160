package reviewer

import (
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/loose"
)

// A Severity says how much a finding weighs.
type Severity string

// The severities, the heaviest first.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
	Note     Severity = "note"
)

// severities are in order of weight.
var severities = []Severity{Critical, High, Medium, Low, Note}

// SeverityOf reads a severity; blanks around it and its case do not count. One
// that nobody knows is medium, so that it is neither ignored nor a reason to
// stop.
func SeverityOf(text string) Severity {
	return loose.One(strings.ToLower(loose.Trim(text)), Medium, severities...)
}

// A Finding is what one run has to say. Its path and its message are
// strangers' text.
type Finding struct {
	Path     string   `json:"path"` // from the root of the repository; empty: of no file
	Line     int      `json:"line"` // of the head's side, from 1; below it: of no line
	Message  string   `json:"message"`
	Severity Severity `json:"severity"`
	Angle    Angle    `json:"angle"` // of the run
}

// Merged is what several runs found, each finding once, in the order in which
// they were found.
type Merged struct {
	Inline  []Finding // with a place in the diff
	Summary []Finding // without one
	Silent  int       // findings that had nothing to say
}

// Merge joins findings that have the same path, line and message, whatever its
// case: the first keeps its place, the heaviest severity stands. A finding with
// a path and a line goes to its place, any other into the summary.
//
// GitHub refuses a review as a whole if one comment has a line that is not in
// the diff (422, REST "Create a review for a pull request"), so a finding with
// a line of which inDiff says no goes into the summary too. Where inDiff is
// nil, every line counts as in the diff.
func Merge(findings []Finding, inDiff func(path string, line int) bool) Merged {
	type place struct {
		path    string
		line    int
		message string
	}
	var merged Merged
	var joined []Finding
	seen := map[place]int{} // to the index in joined
	for _, f := range findings {
		f.Path, f.Message = loose.Trim(f.Path), loose.Trim(f.Message)
		f.Line, f.Severity = max(f.Line, 0), SeverityOf(string(f.Severity))
		if f.Message == "" {
			merged.Silent++
			continue
		}
		key := place{f.Path, f.Line, strings.ToLower(f.Message)}
		i, again := seen[key]
		if !again {
			seen[key] = len(joined)
			joined = append(joined, f)
			continue
		}
		joined[i].Severity = heavier(joined[i].Severity, f.Severity)
	}
	for _, f := range joined {
		if f.Path != "" && f.Line > 0 && (inDiff == nil || inDiff(f.Path, f.Line)) {
			merged.Inline = append(merged.Inline, f)
		} else {
			merged.Summary = append(merged.Summary, f)
		}
	}
	return merged
}

func heavier(a, b Severity) Severity {
	if slices.Index(severities, b) < slices.Index(severities, a) {
		return b
	}
	return a
}

// A Draft is a review as GitHub creates it, by the names of its REST endpoint
// "Create a review for a pull request". It has no event, which leaves it
// pending: only its author sees it, until that person submits it.
type Draft struct {
	CommitID string    `json:"commit_id"`
	Body     string    `json:"body,omitempty"`
	Comments []Comment `json:"comments"`
}

// A Comment stands at one line of the head's side of the diff.
type Comment struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Side string `json:"side"`
	Body string `json:"body"`
}

// Draft returns the pending review of head that has what was found: a comment
// for each finding with a place, the others one below the other in the body.
// What it says of a finding comes from say, which makes strangers' text safe.
func (m Merged) Draft(head string, say func(Finding) string) Draft {
	d := Draft{CommitID: head, Comments: []Comment{}}
	for _, f := range m.Inline {
		d.Comments = append(d.Comments, Comment{Path: f.Path, Line: f.Line, Side: "RIGHT", Body: say(f)})
	}
	var said []string
	for _, f := range m.Summary {
		said = append(said, say(f))
	}
	d.Body = strings.Join(said, "\n\n")
	return d
}
