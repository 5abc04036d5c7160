package facts_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// A reading is what a review of the head, alone on the pull request, comes to.
type reading struct {
	Kind     facts.Kind
	Layout   string
	Clean    bool
	Feedback bool // copilotBodyFeedbackUnresolved
	Genuine  bool // it is the review of the head
	Request  copilot.RequestStatus
	Findings []string // "severity path:line text"
}

func readingOf(edits ...edit) reading {
	f := derive(edits...)
	r := f.Reviews[len(f.Reviews)-1]
	out := reading{
		Kind: r.Kind, Layout: r.Layout, Clean: r.Clean,
		Feedback: f.Copilot.CopilotBodyFeedbackUnresolved,
		Genuine:  f.AtHead != nil,
		Request:  f.Request.Status,
	}
	for _, x := range r.Findings {
		out.Findings = append(out.Findings, fmt.Sprintf("%s %s:%d %s", x.Severity, x.Path, x.Line, x.Text))
	}
	return out
}

// Every payload of reviews is here; the test fails for one that is not.
func TestPayloadsOfReviews(t *testing.T) {
	tests := []struct {
		file    string
		threads int // that the review opened
		want    reading
	}{
		{"notice-error", 0, reading{Kind: facts.ErrorNotice, Request: "none"}},
		{"notice-no-files", 0, reading{Kind: facts.NothingToReview, Request: "none"}},
		{"notice-quota", 0, reading{Kind: facts.QuotaNotice, Request: "none"}},
		{"notice-still-reviewing", 0, reading{Kind: facts.StillReviewing, Request: "requested"}},
		{"unknown-layout", 0, reading{Kind: facts.UnknownLayout, Request: "requested"}},
		{"unknown-layout", 1, reading{Kind: facts.Genuine, Genuine: true, Request: "none"}},
		{"v1-no-comments", 0, reading{Kind: facts.Genuine, Layout: "v1", Clean: true, Genuine: true, Request: "none"}},
		{"v1-no-new-comments", 0, reading{Kind: facts.Genuine, Layout: "v1", Clean: true, Genuine: true, Request: "none"}},
		{"v2-clean", 0, reading{Kind: facts.Genuine, Layout: "v2", Clean: true, Genuine: true, Request: "none"}},
		{"v2-none-but-previously-missed", 0, reading{
			Kind: facts.Genuine, Layout: "v2", Genuine: true, Request: "none", Feedback: true,
			Findings: []string{"mid src/domain/contract.js:171 Finding title\n\nProse of the finding."},
		}},
		{"v2-open-severity-split", 3, reading{Kind: facts.Genuine, Layout: "v2", Genuine: true, Request: "none"}},
		{"v2-resolved-only-not-green", 0, reading{
			Kind: facts.Genuine, Layout: "v2", Genuine: true, Request: "none", Feedback: true,
			Findings: []string{"mid :0 Needs a closer look\n\nAuth changes deserve a final human look."},
		}},
		{"v2oct-approved", 0, reading{Kind: facts.Genuine, Layout: "v2oct", Clean: true, Genuine: true, Request: "none"}},
		{"v2oct-open-findings", 3, reading{Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none"}},
		{"v2oct-zero-open-but-prose-findings", 0, reading{
			Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none", Feedback: true,
			Findings: []string{"mid :0 Needs a closer look\n\nSeven moderate findings remain unresolved."},
		}},
	}
	seen := []string{"lookalike-authors"} // TestOnlyTheReviewersReviewsCount
	for _, tt := range tests {
		seen = append(seen, tt.file)
		t.Run(fmt.Sprintf("%s, %d threads", tt.file, tt.threads), func(t *testing.T) {
			r := load[payload](t, "reviews", tt.file+".json").review("R1")
			edits := []edit{snapshot(func(s *pr.Snapshot) { s.Reviews = append(s.Reviews, r) })}
			for i := range tt.threads {
				edits = append(edits, thread(fmt.Sprint("T", i), of("R1", said(reviewer, "Remark"))))
			}
			if diff := cmp.Diff(tt.want, readingOf(edits...)); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
	files, err := filepath.Glob("testdata/reviews/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !slices.Contains(seen, name) {
			t.Errorf("no row reads %s", f)
		}
	}
}

// What bodies were not seen in the payloads: the forms of public reports.
func TestBodies(t *testing.T) {
	const (
		v2   = "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟢 Approval recommended\n\nOne sentence.\n\n**Findings:** None\n"
		v1   = "## Pull request overview\n\nWords.\n\n### Reviewed changes\n\nCopilot reviewed 3 out of 3 changed files in this pull request and generated no new comments.\n"
		mid  = "### 🟢 Approval recommended\n\nA sentence.\n\n<details>\n<summary>Pull request overview</summary>\n\nWords.\n</details>\n\n<details>\n<summary>Review details</summary>\n\n%s- **Files reviewed:** 1/1 changed files\n- **Comments generated:** %s\n- **Review effort level:** Lite\n</details>\n"
		list = "**src/first.go:65**\n* Add coverage for this branch.\n```go\nreturn value // </details>\n```\n**src/first.go:58**\n* Wrong sign.\n* And a typo.\n**README.md**\n* Nothing grave.\n"
	)
	genuine := func(layout string, findings ...string) reading {
		return reading{Kind: facts.Genuine, Layout: layout, Genuine: true, Request: "none", Feedback: len(findings) > 0, Findings: findings}
	}
	clean := func(layout string) reading {
		r := genuine(layout)
		r.Clean = true
		return r
	}
	listed := []string{
		"mid src/first.go:65 Add coverage for this branch.\n```go\nreturn value // </details>\n```",
		"high src/first.go:58 Wrong sign.",
		"low src/first.go:58 And a typo.",
		"low README.md:0 Nothing grave.",
	}
	tests := []struct {
		name string
		body string
		want reading
	}{
		{"the first layout with low-confidence comments is not clean, and they are findings", v1 +
			"\n<details>\n<summary>Comments suppressed due to low confidence (4)</summary>\n\n" + list + "</details>\n", genuine("v1", listed...)},
		{"so they are under the later title", v1 + "\n<details>\n<summary>Suppressed comments (4)</summary>\n\n" + list + "</details>\n", genuine("v1", listed...)},
		{"an empty list of them is none", v1 + "\n<details>\n<summary>Suppressed comments (0)</summary>\n</details>\n", clean("v1")},
		{
			"a list that cannot be read is a finding as a whole", v1 + "\n<details>\n<summary>Suppressed comments (1)</summary>\n\nSee the wrong offset.\n</details>\n",
			genuine("v1", "high :0 Suppressed comments (1)\n\n\nSee the wrong offset."),
		},
		{"files that were not reviewed are no finding", v1 + "\n<details>\n<summary>Files not reviewed (1)</summary>\n\n* **go.sum**: Language not supported\n</details>\n", clean("v1")},
		{"the first layout counts comments", strings.Replace(v1, "no new", "2", 1), genuine("v1", "mid :0 "+strings.TrimSpace(strings.Replace(v1, "no new", "2", 1)))},
		{"the first layout without a count is not clean", "## Pull request overview\n\nWords.\n", genuine("v1", "mid :0 ## Pull request overview\n\nWords.")},
		{
			"generated no comments yet is no count of none", "Copilot reviewed 1 out of 2 changed files and generated no comments yet but goes on.",
			genuine("v1", "mid :0 Copilot reviewed 1 out of 2 changed files and generated no comments yet but goes on."),
		},
		{"the layout between them is clean with a green verdict and no comments", fmt.Sprintf(mid, "", "0"), clean("mid")},
		{"its list of suppressed comments ends at the bookkeeping", fmt.Sprintf(mid, "### Suppressed comments (4)\n\n"+list+"\n", "0"), genuine("mid", listed...)},
		{
			"a bold line parts its lists", fmt.Sprintf(mid, "### Suppressed comments (1)\n\n**a.go:1**\n* One.\n\n**Previously missed (1)** — in code that has not changed.\n\n**b.go:2-4**\n* Two.\n\n", "0 new"),
			genuine("mid", "low a.go:1 One.", "low b.go:2 Two."),
		},
		{"its comments are not clean", fmt.Sprintf(mid, "", "2"), genuine("mid", "mid :0 Approval recommended\n\nA sentence.")},
		{"without a count neither that one is clean", "### 🟢 Approval recommended\n\nA sentence.\n", genuine("mid", "mid :0 Approval recommended\n\nA sentence.")},
		{"nor the newest layout", "<!-- ccr-overview-v2 -->\n\n### 🟢 Approved\n\nLooks right.\n", genuine("v2oct", "mid :0 Approved\n\nLooks right.")},
		{"another verdict is an unknown layout", strings.Replace(v2, "Approval recommended", "Partially reviewed", 1), reading{Kind: facts.UnknownLayout, Request: "requested"}},
		{"another marker is an unknown layout", strings.Replace(v2, "-v2", "-v3", 1), reading{Kind: facts.UnknownLayout, Request: "requested"}},
		{"a marker inside the text is none", "Words.\n\n" + v2, reading{Kind: facts.UnknownLayout, Request: "requested"}},
		{"line ends do not matter", strings.ReplaceAll(v2, "\n", "\r\n"), clean("v2")},
		{"a verdict in other words below makes it worse", v2 + "\n### 🔵 Needs a closer look\n", genuine("v2", "mid :0 Approval recommended\n\nOne sentence.")},
		{"two counts that differ: some counts", v2 + "\n**Findings:** 2\n", genuine("v2", "mid :0 Approval recommended\n\nOne sentence.")},
		{"a count in a fence is no count", strings.Replace(v2, "**Findings:** None", "```\n**Findings:** None\n```", 1), genuine("v2", "mid :0 Approval recommended\n\nOne sentence.")},
		{"a fence that is left open hides what comes, and is not clean", v2 + "\n```\n", genuine("v2", "mid :0 Approval recommended\n\nOne sentence.")},
		{"an HTML comment hides nothing", v2 + "\n<!--\n<details><summary>Open (1)</summary>\n\n- Wrong sign\n</details>\n", genuine("v2", "high :0 Wrong sign")},
		{"an unknown list with a count is not clean", v2 + "\n<details>\n<summary>Nitpicks (2)</summary>\n\n- One\n- Two\n</details>\n", genuine("v2", "mid :0 Approval recommended\n\nOne sentence.")},
		{
			"an open entry without a link is a finding", v2 + "\n<details open>\n<summary><strong>Open (2)</strong></summary>\n\n- <img alt=\"High severity\" width=\"62\"> Unlocked map · New\n  in two places\n- Another\n</details>\n",
			genuine("v2", "high :0 Unlocked map · New\n  in two places", "low :0 Another"),
		},
		{
			"an open entry that links to a discussion that is not there is a finding", v2 + "\n<details open>\n<summary><strong>Open (1)</strong></summary>\n\n- [A leak](#discussion_r9) · New\n</details>\n",
			genuine("v2", "high :0 [A leak](#discussion_r9) · New"),
		},
		{
			"details inside a finding belong to it", v2 + "\n<details>\n<summary>Previously missed (1)</summary>\n<details><summary>Reject it</summary>\n\nBefore use.\n\n<details><summary>How</summary> Like this.</details>\n\nSo reject.</details></details>\n",
			genuine("v2", "low :0 Reject it\n\nBefore use.\n\nHow\n Like this.\n\nSo reject."),
		},
		{"an entry on one long line is cut, not lost", v1 + "\n### Suppressed comments (1)\n\n**a.go:1**\n* " + strings.Repeat("ä", 6000) + "\n", genuine("v1", "low a.go:1 "+strings.Repeat("ä", 2046)+"…")},
		{"the same words at two lines are two findings", v1 + "\n### Suppressed comments (2)\n\n**a.go:1**\n* Same.\n**a.go:2**\n* Same.\n", genuine("v1", "low a.go:1 Same.", "low a.go:2 Same.")},
		{"a notice may wear a marker and quotation marks", "> Copilot wasn’t able to review this pull request because you have no premium requests left.", reading{Kind: facts.QuotaNotice, Request: "none"}},
		{"a refusal for another reason is an error notice", "Copilot was unable to review this pull request because it is too large.", reading{Kind: facts.ErrorNotice, Request: "none"}},
		{"a notice is one only where a body begins with it", v2 + "\nCopilot encountered an error in the words above.\n", clean("v2")},
		{"no body and no threads: it holds a reply", "", reading{Kind: facts.Container, Request: "none"}},
		{"nothing visible is no body", "<!-- x -->\u200b\n", reading{Kind: facts.Container, Request: "none"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readingOf(copilotReview("R1", tt.body, head, "11:30:00"))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

// What is beside the body: state, commit, threads.
func TestStructureComesFirst(t *testing.T) {
	linked := func(open bool, address string) edit {
		return snapshot(func(s *pr.Snapshot) {
			c := of("R0", said(reviewer, "Remark"))
			c.URL = address
			s.Threads = append(s.Threads, pr.Thread{ID: "T1", Path: "a.go", Resolved: !open, Comments: []pr.ThreadComment{c}})
		})
	}
	const r9 = "https://github.com/octo/mona/pull/7#discussion_r9"
	const opened = "<!-- ccr-overview-v2 -->\n\n### 🟡 Changes recommended\n\nOne sentence.\n\n<details open>\n<summary><strong>1 open finding</strong></summary>\n\n- [A](#discussion_r9)\n</details>\n"
	tests := []struct {
		name  string
		edits []edit
		want  reading
	}{
		{
			"a review that requests changes is not clean, whatever its body",
			[]edit{copilotReview("R1", cleanBody, head, "11:30:00", inState(pr.ChangesRequested))},
			reading{Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none", Feedback: true, Findings: []string{"mid :0 Approved\n\nLooks right."}},
		},
		{
			"a request for changes without a word is a review",
			[]edit{copilotReview("R1", "", head, "11:30:00", inState(pr.ChangesRequested))},
			reading{Kind: facts.Genuine, Genuine: true, Request: "none", Feedback: true, Findings: []string{"mid :0 Changes are requested, without a word."}},
		},
		{
			"an approval does not make the body's verdict better",
			[]edit{copilotReview("R1", redBody, head, "11:30:00", inState(pr.Approved))},
			reading{Kind: facts.Genuine, Layout: "v2", Genuine: true, Request: "none", Feedback: true, Findings: []string{"mid :0 Changes recommended\n\nOne sentence."}},
		},
		{
			"a review in a state that nobody knows does not count",
			[]edit{copilotReview("R1", cleanBody, head, "11:30:00", inState("NEW"))},
			reading{Kind: facts.UnknownLayout, Request: "requested"},
		},
		{
			"a dismissed review does not count",
			[]edit{copilotReview("R1", cleanBody, head, "11:30:00", inState(pr.Dismissed))},
			reading{Kind: facts.Dismissed, Request: "none"},
		},
		{
			"a review of no commit does not count",
			[]edit{copilotReview("R1", cleanBody, "", "11:30:00")},
			reading{Kind: facts.Unbound, Layout: "v2oct", Clean: true, Request: "none"},
		},
		{
			"a review of an older head is no review of this one",
			[]edit{copilotReview("R1", cleanBody, older, "10:30:00")},
			reading{Kind: facts.Genuine, Layout: "v2oct", Clean: true, Request: "none"},
		},
		{
			"threads without a body are a review that is not clean",
			[]edit{copilotReview("R1", "", head, "11:30:00"), thread("T1", of("R1", said(reviewer, "Remark")))},
			reading{Kind: facts.Genuine, Genuine: true, Request: "none"},
		},
		{
			"a notice in a review that opened threads is a review",
			[]edit{copilotReview("R1", "Copilot encountered an error.", head, "11:30:00"), thread("T1", of("R1", said(reviewer, "Remark")))},
			reading{Kind: facts.Genuine, Genuine: true, Request: "none"},
		},
		{
			"a not clean verdict whose findings are threads is no finding of the body",
			[]edit{copilotReview("R1", redBody, head, "11:30:00"), thread("T1", of("R1", said(reviewer, "Remark")))},
			reading{Kind: facts.Genuine, Layout: "v2", Genuine: true, Request: "none"},
		},
		{
			"nor is it once these threads are resolved",
			[]edit{copilotReview("R1", redBody, head, "11:30:00"), thread("T1", of("R1", said(reviewer, "Remark"))), resolved},
			reading{Kind: facts.Genuine, Layout: "v2", Genuine: true, Request: "none"},
		},
		{
			"an open entry that links to an older thread is that thread's",
			[]edit{copilotReview("R1", opened, head, "11:30:00"), linked(true, r9)},
			reading{Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none"},
		},
		{
			"where no thread shows an address the link is believed",
			[]edit{copilotReview("R1", opened, head, "11:30:00"), linked(true, "")},
			reading{Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none"},
		},
		{
			"where they do, a link to none of them is not",
			[]edit{copilotReview("R1", opened, head, "11:30:00"), linked(true, r9+"9")},
			reading{Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none", Feedback: true, Findings: []string{"low :0 [A](#discussion_r9)"}},
		},
		{
			"a resolved thread that the body lists does not keep it open",
			[]edit{copilotReview("R1", opened, head, "11:30:00"), linked(false, r9)},
			reading{Kind: facts.Genuine, Layout: "v2oct", Genuine: true, Request: "none"},
		},
		{
			"without reviews read in full there is no review of the head",
			[]edit{copilotReview("R1", cleanBody, head, "11:30:00"), unknown(pr.FactReviews)},
			reading{Kind: facts.Genuine, Layout: "v2oct", Clean: true, Request: "requested"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readingOf(tt.edits...)); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

func TestOnlyTheReviewersReviewsCount(t *testing.T) {
	rows := load[[]payload](t, "reviews", "lookalike-authors.json")
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3", len(rows))
	}
	for i, row := range rows {
		f := derive(snapshot(func(s *pr.Snapshot) { s.Reviews = append(s.Reviews, row.review("R1")) }))
		if len(f.Reviews) != 0 || f.AtHead != nil || f.Rounds != 0 || f.Copilot.CopilotReviewPresent {
			t.Errorf("row %d: a review by %+v counts: %+v", i, row.Author, f.Reviews)
		}
	}
}

// What the newest review, the counts and the notices of a head come to.
func TestReviewsOfAHead(t *testing.T) {
	type counts struct {
		AtHead, Notice string // ids
		Rounds, Errors int
		Present        bool
	}
	const failed = "Copilot encountered an error and was unable to review this pull request."
	tests := []struct {
		name  string
		edits []edit
		want  counts
	}{
		{"nothing", nil, counts{}},
		{
			"the same head twice is two rounds, and the newer one decides",
			[]edit{copilotReview("R1", redBody, head, "11:10:00"), copilotReview("R2", cleanBody, head, "11:20:00")},
			counts{AtHead: "R2", Rounds: 2, Present: true},
		},
		{
			"of two in one second the worse one decides",
			[]edit{copilotReview("R1", redBody, head, "11:10:00"), copilotReview("R2", cleanBody, head, "11:10:00")},
			counts{AtHead: "R1", Rounds: 2, Present: true},
		},
		{
			"notices are no rounds",
			[]edit{copilotReview("R1", failed, head, "11:10:00"), copilotReview("R2", failed, head, "11:20:00")},
			counts{Notice: "R2", Errors: 2},
		},
		{"errors of another head do not count here", []edit{copilotReview("R1", failed, older, "10:10:00")}, counts{}},
		{
			"a review ends a notice",
			[]edit{copilotReview("R1", failed, head, "11:10:00"), copilotReview("R2", cleanBody, head, "11:20:00")},
			counts{AtHead: "R2", Rounds: 1, Errors: 1, Present: true},
		},
		{
			"a notice after the review leaves the review",
			[]edit{copilotReview("R1", cleanBody, head, "11:10:00"), copilotReview("R2", failed, head, "11:20:00")},
			counts{AtHead: "R1", Notice: "R2", Rounds: 1, Errors: 1, Present: true},
		},
		{
			"a dismissed round is none, and revives no older verdict of the head as newer",
			[]edit{copilotReview("R1", cleanBody, older, "10:10:00"), copilotReview("R2", redBody, head, "11:20:00", inState(pr.Dismissed))},
			counts{Rounds: 1, Present: true},
		},
		{"a pending review is none yet", []edit{copilotReview("R1", "", head, "11:10:00", inState(pr.Pending))}, counts{}},
		{"containers are none", []edit{copilotReview("R1", "", head, "11:10:00")}, counts{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := derive(tt.edits...)
			got := counts{Rounds: f.Rounds, Errors: f.ErrorsAtHead, Present: f.Copilot.CopilotReviewPresent}
			if f.AtHead != nil {
				got.AtHead = f.AtHead.ID
			}
			if f.NoticeAtHead != nil {
				got.Notice = f.NoticeAtHead.ID
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
			if f.Copilot.CopilotReviewRoundCount != f.Rounds || f.Copilot.CopilotErrorReviewCountOnCurrentHead != f.ErrorsAtHead || f.Copilot.CopilotReviewOnCurrentHead != (f.AtHead != nil) {
				t.Errorf("the snapshot differs from the facts: %+v", f.Copilot)
			}
		})
	}
}

func TestAFindingKeepsItsIDAcrossReviews(t *testing.T) {
	ids := func(body string) []string {
		var all []string
		for _, f := range derive(copilotReview("R1", body, head, "11:30:00")).Awaiting {
			all = append(all, f.ID)
		}
		return all
	}
	list := func(entries string) string {
		return "Copilot reviewed 1 out of 1 changed files and generated no comments.\n\n### Suppressed comments (2)\n\n" + entries
	}
	first := ids(list("**a.go:1**\n* Wrong sign.\n**b.go:1**\n* Wrong sign.\n"))
	later := ids(list("**b.go:1**\n* WRONG   sign.\n**a.go:99**\n* Wrong sign.\n"))
	if len(first) != 2 || first[0] == first[1] {
		t.Fatalf("ids %q, want two that differ by their paths", first)
	}
	slices.Reverse(later)
	if diff := cmp.Diff(first, later); diff != "" {
		t.Error("line, order, case and white space count (-want +got)\n" + diff)
	}
}

func TestQuotaNotices(t *testing.T) {
	const notice = "Copilot was unable to review this pull request because the user who requested the review has reached their quota limit."
	tests := []struct {
		name string
		body string
		want time.Time
	}{
		{"no time is stated", notice, time.Time{}},
		{"a time", notice + " It resets at 2026-11-01T00:00:00+02:00.", time.Date(2026, 10, 31, 22, 0, 0, 0, time.UTC)},
		{"a day stands for its beginning", notice + " It resets on 2026-11-01.", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{"a day in words", notice + " It resets on November 1, 2026.", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{"a short month", notice + " It resets on Nov 1, 2026.", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{"the past is no such time", notice + " It was reached on 2026-10-01.", time.Time{}},
		{"nor is next year", notice + " It resets on 2027-10-08.", time.Time{}},
		{"no day has this date", notice + " It resets on 2026-10-39.", time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := derive(copilotReview("R1", tt.body, head, "11:30:00"))
			if diff := cmp.Diff(tt.want, f.Reviews[0].QuotaUntil); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
			want := tt.want
			if want.IsZero() {
				want = at("11:30:00").Add(24 * time.Hour)
			}
			if diff := cmp.Diff(want, f.QuotaUntil); diff != "" {
				t.Error("until when Copilot is not asked (-want +got)\n" + diff)
			}
		})
	}
}

// A body can only make the verdict worse: whatever it says, the review is at
// best what it would be with a clean one. (That a body links to a discussion
// which exists is no word of the body's: the thread is there. No such link is
// drawn here.)
func TestNoBodyBeatsACleanOne(t *testing.T) {
	parts := []string{
		cleanBody, redBody, "<!-- ccr-overview-v2 -->\n\n", "### 🟢 Approved\n\n", "### 🔵 Needs a closer look\n\n", "**0 open findings**\n", "**2 open findings**\n",
		"**Findings:** None\n", "**Findings:** 2\n", "## Pull request overview\n\n", "Copilot reviewed 1 out of 1 files and generated no comments.\n",
		"<details>\n<summary>Suppressed comments (1)</summary>\n\n", "**a.go:3**\n* Wrong.\n", "- [A](#discussion_r1)\n", "</details>\n", "```\n", "<!--", "-->", "\u200b",
		"Copilot encountered an error and was unable to review.\n", "Copilot is still reviewing this pull request.\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "body"), "")
		edits := genWorld(t)
		state := rapid.SampledFrom([]pr.ReviewState{pr.Commented, pr.Approved, pr.ChangesRequested, pr.Dismissed}).Draw(t, "state")
		with := func(b string) facts.Facts {
			return derive(append(slices.Clone(edits), copilotReview("R9", b, head, "11:59:00", inState(state)))...)
		}
		noCleaner(t, with(cleanBody), with(body))
	})
}
