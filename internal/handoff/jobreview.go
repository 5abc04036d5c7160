package handoff

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// A JobReview is the review of a head by a job of the user's, as its report has it.
type JobReview struct {
	Reviewer  string
	Head      pr.SHA
	Threshold int // the least score that is a success; 0: there is no score
	Report    Report
}

// An objection is one thing that is not as it should be. Place and text are
// strangers' text.
type objection struct {
	weight, path, place, text string
}

func (r JobReview) objections() []objection {
	var list []objection
	if s := r.Report.Score; s > 0 && s < r.Threshold {
		list = append(list, objection{weight: r.grave(), text: fmt.Sprintf("the score is %d of 5, and %d is asked for", s, r.Threshold)})
	}
	for _, v := range r.Report.Verdicts {
		if v.Verdict == Approve {
			continue
		}
		weight := string(Pushback)
		if v.Verdict != Pushback {
			weight = string(Pause)
		}
		list = append(list, objection{weight, v.File, v.Range, v.Reason})
	}
	for _, f := range r.Report.Findings {
		o := objection{severity(f.Severity), f.Path, "", f.Message}
		if f.Path != "" && f.Line > 0 {
			o.path = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		list = append(list, o)
	}
	return list
}

// grave is how much a score below the threshold weighs.
func (r JobReview) grave() string {
	if r.Report.Score <= 2 {
		return "high"
	}
	return "medium"
}

// severity is the word of a report; one that nobody knows is medium.
func severity(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	switch word {
	case "critical", "high", "low", "note":
		return word
	}
	return "medium"
}

// Objects says in our words what it comes to where it is not clean.
func (r JobReview) Objects() string {
	n := len(r.objections())
	if s := r.Report.Score; s > 0 && s < r.Threshold {
		return fmt.Sprintf("the score is %d of 5, with %s", s, plural(n-1, "finding"))
	}
	return plural(n, "finding")
}

// Comment is the comment with the review: what was found, a line each, as
// facts.ReviewItems reads it. It is clean where nothing was.
func (r JobReview) Comment(q Quoting) (text string, clean bool) {
	list := r.objections()
	var b strings.Builder
	fmt.Fprintf(&b, "### Review by %s\n\nAt %s", r.Reviewer, r.Head.Short())
	if r.Report.Score > 0 {
		fmt.Fprintf(&b, ", score %d of 5", r.Report.Score)
	}
	fmt.Fprintf(&b, ", %s.\n\n", plural(len(list), "finding"))
	for i, o := range list {
		if i == maxShown {
			b.WriteString(facts.ReviewItem("high", fmt.Sprintf("and %d more, which the report has\n", len(list)-maxShown)))
			break
		}
		where := ""
		if o.path != "" {
			where = q.Code(o.path)
			if o.place != "" {
				where += " " + q.Code(o.place)
			}
			where += ": "
		}
		b.WriteString(facts.ReviewItem(o.weight, where+q.Text(clip(o.text, maxReason))+"\n"))
	}
	if len(list) == 0 {
		b.WriteString("**Nothing was found**")
	} else {
		b.WriteString("\n**It objects**")
	}
	return b.String(), len(list) == 0
}
