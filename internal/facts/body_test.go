package facts_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		cleanBody, redBody, "", "```\n", "<details><summary>", "</details></details>", "<details><summary>Open (1)</summary>\n- [a](#discussion_r1)\n- b\n",
		"## Pull request overview\n<details>\n<summary>Suppressed comments (2)</summary>\n\n**a:1**\n* x\n```\n</details>\n```\n**b:99999999999999999999**\n* y\n",
		"### Previously missed\n\n`a.go:1`\n\ntext\n---\n", "<!-- ccr-overview-v2 -->\r\n### 🟢 Approved\r\n**0 open findings**", "Copilot was unable to review: quota 2026-10-08T00:00:00Z",
		"`<details>` ``<summary>`", "**Open (2)** of\n* a\n  * b\n", "<SUMMARY class='x'>3 open findings</SUMMARY >",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, changes bool) {
		state := pr.Commented
		if changes {
			state = pr.ChangesRequested
		}
		got := derive(copilotReview("R1", body, head, "11:30:00", inState(state)))
		if len(got.Reviews) != 1 {
			t.Fatalf("%d reviews, want 1", len(got.Reviews))
		}
		r := got.Reviews[0]
		if len(r.Findings) > 100 {
			t.Errorf("%d findings, want at most 100", len(r.Findings))
		}
		if r.Clean && (len(r.Findings) > 0 || r.Layout == "" || changes) {
			t.Errorf("clean, and yet %+v", r)
		}
		seen := map[string]bool{}
		for _, x := range r.Findings {
			if len(x.Text) > 4<<10 || len(x.Path) > 512 || x.Line < 0 || x.Text != facts.Clean(x.Text) || seen[x.ID] {
				t.Errorf("a finding out of bounds, or twice: %+v", x)
			}
			seen[x.ID] = true
		}
		if diff := cmp.Diff(got, derive(copilotReview("R1", body, head, "11:30:00", inState(state)))); diff != "" {
			t.Error("the same body twice (-want +got)\n" + diff)
		}
	})
}

// What hostile bodies cost is bounded: none takes time out of proportion.
func TestHostileBodies(t *testing.T) {
	long := func(s string) string { return strings.Repeat(s, (200<<10)/len(s)) }
	bodies := map[string]string{
		"tags without an end":  long("<details"),
		"nested details":       long("<details><summary>Open (1)</summary>\n"),
		"backticks":            long("`a``"),
		"one long line":        long("<b a"),
		"unclosed links":       long("- [a](#discussion_r"),
		"entries without end":  "### Suppressed comments (9)\n" + long("**a.go:1**\n* Wrong.\n"),
		"comments in comments": long("<!-<!--"),
		"one endless entry":    "### Suppressed comments (9)\n**a.go:1**\n* " + long("wrong "),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			r := derive(copilotReview("R1", cleanBody+body, head, "11:30:00")).Reviews[0]
			total := 0
			for _, f := range r.Findings {
				total += len(f.Text)
			}
			if len(r.Findings) > 100 || total > 100*(4<<10) {
				t.Errorf("%d findings of %d bytes", len(r.Findings), total)
			}
		})
	}
}
