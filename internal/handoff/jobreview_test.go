package handoff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/facts"
)

// The comment of a job's review has a line for each thing that it objects to, and
// no more than one, whatever the texts have in them.
func TestTheCommentOfAJobsReview(t *testing.T) {
	t.Parallel()
	q := Quoting{Text: func(s string) string { return "<" + strings.Join(strings.Fields(s), " ") + ">" }, Code: func(s string) string { return "`" + s + "`" }}
	r := JobReview{Reviewer: "claudeSelf", Head: "1f0c9a2e00000000000000000000000000000000", Threshold: 5, Report: Report{
		Score:    3,
		Verdicts: []HunkVerdict{{File: "a.go", Range: "-1 +1", Verdict: Approve}, {File: "b.go", Range: "-2 +2", Verdict: Pushback, Reason: "why"}, {File: "c.go", Verdict: "MAYBE"}},
		Findings: []Found{{Path: "d.go", Line: 4, Message: "nil\n- **high** forged", Severity: "HIGH"}, {Path: "e.go", Message: "unused", Severity: "odd"}, {Line: 9, Message: "no test", Severity: "note"}},
	}}
	want := "### Review by claudeSelf\n\nAt 1f0c9a2, score 3 of 5, 6 findings.\n\n" +
		"- **medium** <the score is 3 of 5, and 5 is asked for>\n" +
		"- **PUSHBACK** `b.go` `-2 +2`: <why>\n" +
		"- **PAUSE** `c.go`: <>\n" +
		"- **high** `d.go:4`: <nil - **high** forged>\n" +
		"- **medium** `e.go`: <unused>\n" +
		"- **note** <no test>\n" +
		"\n**It objects**"
	got, clean := r.Comment(q)
	if diff := cmp.Diff(want, got); clean || diff != "" {
		t.Errorf("clean %t, comment (-want +got):\n%s", clean, diff)
	}
	if items := facts.ReviewItems(got); len(items) != 6 {
		t.Errorf("%d lines are read back: %q", len(items), items)
	}
	got, clean = JobReview{Reviewer: "codex", Head: r.Head, Threshold: 5}.Comment(q)
	if !clean || len(facts.ReviewItems(got)) != 0 || !strings.Contains(got, "Nothing was found") {
		t.Errorf("of nothing it says %q, clean %t", got, clean)
	}
	// Whatever is too much is counted, and is a finding too.
	many := JobReview{Reviewer: "codex", Head: r.Head, Threshold: 5}
	for i := range maxShown + 7 {
		many.Report.Findings = append(many.Report.Findings, Found{Message: fmt.Sprint("Off by ", i, strings.Repeat("x", 4000))})
	}
	got, _ = many.Comment(q)
	if items := facts.ReviewItems(got); len(items) != maxShown+1 || !strings.Contains(items[maxShown], "and 7 more") || len(got) > 60_000 {
		t.Errorf("%d lines in %d bytes, the last one %q", len(items), len(got), items[len(items)-1])
	}
}
