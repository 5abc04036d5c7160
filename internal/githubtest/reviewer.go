package githubtest

import (
	"fmt"
	"strings"
	"time"
)

// A Reviewer is the script of an account that answers review requests.
type Reviewer struct {
	StartAfter  time.Duration // from the request to the start of the review
	SubmitAfter time.Duration // from the start to the review
	// Rounds are the reviews of each pull request in order; after the last one
	// every review is clean.
	Rounds []Round
	// NoCheck: the review shows no check run of its own on the head.
	NoCheck bool
}

// A Round is one review of the script.
type Round struct {
	Layout   Layout
	Findings []Finding
	State    string // COMMENTED
	Body     string // instead of what the layout says
	Resolved int    // findings that the body lists as resolved since last time
	Silent   bool   // the request stands for ever
	Hangs    bool   // the review starts and is never submitted
	// Vanishes: the request is taken off the list and no review begins.
	Vanishes bool
	// StartAfter and SubmitAfter, where not zero, are those of this round.
	StartAfter, SubmitAfter time.Duration
}

// A Finding is one remark of a review.
type Finding struct {
	Path     string
	Line     int // 0: about the file
	Text     string
	Severity string // High, Medium, Low; Medium if empty
	BodyOnly bool   // stands in the body, without a thread
	Code     string // the line that it is about; one for all if empty
}

// SetReviewer gives login a script.
func (w *World) SetReviewer(login string, r Reviewer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reviewers[key(login)] = r
}

// Rounds returns how many reviews of pull request n login has begun.
func (w *World) Rounds(n int, login string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pull(n).rounds[key(login)]
}

// begin schedules what follows a request, which is the ask'th of its reviewer
// on p.
func (w *World) begin(p *Pull, reviewer string, ask int) {
	script, ok := w.reviewers[key(reviewer)]
	if !ok {
		return
	}
	i := p.rounds[key(reviewer)]
	var round Round
	if i < len(script.Rounds) {
		round = script.Rounds[i]
	}
	if round.Silent {
		return
	}
	if round.StartAfter == 0 {
		round.StartAfter = script.StartAfter
	}
	if round.SubmitAfter == 0 {
		round.SubmitAfter = script.SubmitAfter
	}
	copilot := key(reviewer) == key(CopilotReviewer)
	w.later(round.StartAfter, reviewer+" starts a review", func() {
		// Withdrawn, or asked again since: another timer takes care.
		if p.State != "OPEN" || !w.requested(p, reviewer) || p.asks[key(reviewer)] != ask {
			return
		}
		p.rounds[key(reviewer)]++
		if round.Vanishes {
			p.Requests = without(p.Requests, reviewer)
			return
		}
		r := w.startReview(p, reviewer, p.Head)
		var check *CheckRun
		if copilot {
			w.event(p, Event{Kind: "copilot_work_started", Actor: reviewer})
			if !script.NoCheck {
				check = w.check(p, p.Head, copilotCheck(round.Layout))
			}
		}
		w.changed(r.Author, "review_started", p.Number, "of "+short(r.Commit), "")
		if round.Hangs {
			return
		}
		w.later(round.SubmitAfter, reviewer+" submits its review", func() {
			w.finish(r, round, check)
		})
	})
}

func (w *World) finish(r *Review, round Round, check *CheckRun) {
	body := round.Body
	if body == "" {
		body = round.Layout.body(round.Findings, round.Resolved, firstID("reviewComment")+w.last["reviewComment"]+1)
	}
	state := round.State
	if state == "" {
		state = "COMMENTED"
	}
	findings := round.Findings
	if round.Layout.notice() {
		findings = nil
	}
	w.submit(r, state, body, findings)
	if check != nil {
		conclusion := "SUCCESS"
		if round.Layout == ErrorNotice || round.Layout == QuotaNotice {
			conclusion = "FAILURE"
		}
		w.complete(check, conclusion)
	}
	if key(r.Author) == key(CopilotReviewer) {
		kind := "copilot_work_finished"
		if round.Layout == ErrorNotice || round.Layout == QuotaNotice {
			kind = "copilot_work_finished_failure"
		}
		w.event(r.pull, Event{Kind: kind, Actor: r.Author})
	}
}

// copilotCheck is the check run that a Copilot review shows on the head: it is
// itself a workflow run. Only a quota notice shows under another name.
func copilotCheck(l Layout) Check {
	name := "Agent"
	if l == QuotaNotice {
		name = "copilot-pull-request-reviewer"
	}
	return Check{
		Name: name, Workflow: "Copilot code review", Event: "dynamic",
		Path: "dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer",
	}
}

func without(list []string, login string) []string {
	var out []string
	for _, l := range list {
		if key(l) != key(login) {
			out = append(out, l)
		}
	}
	return out
}

// A Layout is a shape of the text of a Copilot review.
type Layout int

// The layouts. V2 without findings is clean; so are the first two.
const (
	V2             Layout = iota // "ccr-overview-v2", findings counted in a line
	V1                           // "Copilot reviewed n out of n changed files"
	V1Short                      // the same in one line, "no new comments"
	V2October                    // "n open findings"
	ErrorNotice                  // "Copilot encountered an error"
	QuotaNotice                  // "has reached their quota limit"
	NoFiles                      // "wasn't able to review any files"
	StillReviewing               // a progress note
	Unknown                      // a layout that nobody has seen
)

// notice reports whether the text stands instead of a review.
func (l Layout) notice() bool { return l >= ErrorNotice && l <= StillReviewing }

const picture = `<picture><source media="(prefers-color-scheme: dark)" srcset="https://example.com/%[1]s-dark.svg">` +
	`<img src="https://example.com/%[1]s.png" alt="%[2]s severity" width="62" height="18" align="texttop"></picture>`

func severity(f Finding) string {
	s := f.Severity
	if s == "" {
		s = "Medium"
	}
	return fmt.Sprintf(picture, strings.ToLower(s), s)
}

// body writes the review. first is the database id of the first thread's
// comment, which the text links to.
func (l Layout) body(findings []Finding, resolved int, first int64) string {
	var open, inBody []Finding
	for _, f := range findings {
		if f.BodyOnly {
			inBody = append(inBody, f)
		} else {
			open = append(open, f)
		}
	}
	switch l {
	case V1, V1Short:
		return v1(l, open, inBody)
	case V2:
		return v2(open, inBody, resolved, first)
	case V2October:
		return october(open, inBody, resolved, first)
	case ErrorNotice:
		return "Copilot encountered an error and was unable to review this pull request. You can try again by re-requesting a review."
	case QuotaNotice:
		return "Copilot was unable to review this pull request because the user who requested the review has reached their quota limit."
	case NoFiles:
		return "Copilot wasn't able to review any files in this pull request. Check if the **Files changed** in this pull request " +
			"are included in [default exclusions](https://docs.github.com/en/copilot/reference/review-excluded-files)."
	case StillReviewing:
		return "Copilot is still reviewing this pull request. Findings will appear here when the review completes."
	case Unknown:
		return "<!-- ccr-overview-v9 -->\n\n## Something new\n\nStatus: needs attention\n"
	}
	return ""
}

func v1(l Layout, open, inBody []Finding) string {
	count := "no comments"
	switch {
	case l == V1Short && len(open) == 0:
		count = "no new comments"
	case len(open) == 1:
		count = "1 comment"
	case len(open) > 1:
		count = fmt.Sprintf("%d comments", len(open))
	}
	line := "Copilot reviewed 6 out of 6 changed files in this pull request and generated " + count + ".\n"
	if len(inBody) > 0 {
		var b strings.Builder
		fmt.Fprintf(&b, "\n<details>\n<summary>Comments suppressed due to low confidence (%d)</summary>\n\n", len(inBody))
		for _, f := range inBody {
			fmt.Fprintf(&b, "**%s:%d**\n* %s\n", f.Path, f.Line, f.Text)
		}
		line += b.String() + "</details>\n"
	}
	if l == V1Short {
		return line
	}
	return "## Pull request overview\n\nWords about the change.\n\n### Reviewed changes\n\n" + line
}

func v2(open, inBody []Finding, resolved int, first int64) string {
	var b strings.Builder
	heading := "### 🟢 Approval recommended"
	switch {
	case len(open) > 0:
		heading = "### 🟡 Changes recommended"
	case len(inBody) > 0:
		heading = "### 🔵 Needs a closer look"
	}
	fmt.Fprintf(&b, "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n%s\n\nOne sentence.\n\n**Review effort:** Lite  \n", heading)
	if len(open) == 0 {
		b.WriteString("**Findings:** None")
	} else {
		b.WriteString("**Findings:** " + bySeverity(open))
		fmt.Fprintf(&b, "\n\n<details open>\n<summary><strong>Open (%d)</strong></summary>\n", len(open))
		list(&b, open, first)
		b.WriteString("\n</details>")
	}
	if len(inBody) > 0 {
		fmt.Fprintf(&b, "\n\n<details>\n<summary><strong>Previously missed (%d)</strong></summary>\n\n"+
			"In code that hasn't changed since last review\n", len(inBody))
		missed(&b, inBody)
		b.WriteString("</details>")
	}
	if resolved > 0 {
		fmt.Fprintf(&b, "\n\n<details>\n<summary><strong>Resolved since last review (%d)</strong></summary>\n", resolved)
		done(&b, resolved)
		b.WriteString("\n</details>")
	}
	return b.String()
}

func october(open, inBody []Finding, resolved int, first int64) string {
	var b strings.Builder
	heading := "### 🟢 Approved"
	switch {
	case len(open) > 0:
		heading = "### 🟡 Changes recommended"
	case len(inBody) > 0:
		heading = "### 🔵 Needs a closer look"
	}
	fmt.Fprintf(&b, "<!-- ccr-overview-v2 -->\n\n%s\n\nOne sentence.\n\n", heading)
	if len(open) == 0 {
		b.WriteString("**0 open findings**")
	} else {
		fmt.Fprintf(&b, "<details open>\n<summary><strong>%d open %s</strong></summary>\n", len(open), plural(len(open), "finding"))
		list(&b, open, first)
		b.WriteString("\n</details>")
	}
	if len(inBody) > 0 {
		fmt.Fprintf(&b, "\n\n<details>\n<summary><strong>Previously missed (%d)</strong></summary>\n", len(inBody))
		missed(&b, inBody)
		b.WriteString("</details>")
	}
	if resolved > 0 {
		fmt.Fprintf(&b, "\n\n<details>\n<summary><strong>%d resolved since last review</strong></summary>\n", resolved)
		done(&b, resolved)
		b.WriteString("\n</details>")
	}
	b.WriteString("\n\n🧠 **Review effort:** Lite")
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// bySeverity is the count as the overview has it: one number per severity,
// each before its picture.
func bySeverity(findings []Finding) string {
	var parts []string
	for _, s := range []string{"High", "Medium", "Low"} {
		n := 0
		for _, f := range findings {
			if f.Severity == s || f.Severity == "" && s == "Medium" {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, severity(Finding{Severity: s})))
		}
	}
	return strings.Join(parts, " · ")
}

func list(b *strings.Builder, findings []Finding, first int64) {
	for i, f := range findings {
		fmt.Fprintf(b, "\n- %s [%s](#discussion_r%d) · New", severity(f), f.Text, first+int64(i))
	}
}

func missed(b *strings.Builder, findings []Finding) {
	for _, f := range findings {
		fmt.Fprintf(b, "\n<details>\n<summary>%s %s</summary>\n\n`%s:%d`\n\n%s\n</details>\n", severity(f), f.Text, f.Path, f.Line, f.Text)
	}
}

func done(b *strings.Builder, n int) {
	for i := range n {
		fmt.Fprintf(b, "\n- %s [Fixed thing](#discussion_r%d)", severity(Finding{}), 700+i)
	}
}
