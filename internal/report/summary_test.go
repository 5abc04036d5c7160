package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

func TestSummaryOfAStep(t *testing.T) {
	t.Parallel()
	golden(t, "summary-wait.md", Summary(run()))
	golden(t, "summary-handoff.md", Summary(run(withFindings)))
	golden(t, "summary-stop.md", Summary(run(stopped, func(r *Run) {
		r.DryRun, r.Checks, r.Missing = true, nil, nil
		r.Notices = []string{`The journal was edited by somebody else ("@mona | x") and was made anew from GitHub's history`}
	})))
	golden(t, "summary-done.md", Summary(run(func(r *Run) {
		r.Decision, r.Code, r.Reason, r.State = "done", "converged", "Copilot has reviewed this head and nothing is open", "ready_to_rerequest_review"
		r.Converged, r.Missing, r.Wait, r.NextWake, r.Effects = true, nil, nil, time.Time{}, nil
		r.Proof = &Proof{
			Text: `{"schema":"prloop.proof/v1"}`, Digest: "sha256:0f",
			Rows: []ProofRow{{"checks", "\"@mona | #1 `x`\" passed (1 check)"}},
		}
		r.Graph = Graph{}
	})))
	golden(t, "summary-nothing.md", Summary(Run{Decision: "skip", Code: "unsupported_event", Reason: "The event push says nothing about a pull request", Event: "push"}))
	golden(t, "summary-sweep.md", SummarySweep([]Run{
		{Decision: "done", Event: "schedule", Requests: 1, Points: 1, Notices: []string{"Issues are switched off"}},
		run(), run(withFindings, func(r *Run) { r.PR, r.URL = 8, "https://github.com/octo/hello/pull/8" }),
		run(stopped, func(r *Run) { r.PR, r.URL = 9, "https://github.com/octo/hello/pull/9" }),
	}))
}

func TestStatusAndNote(t *testing.T) {
	t.Parallel()
	golden(t, "status-wait.md", Status(run()))
	golden(t, "status-handoff.md", Status(run(withFindings)))
	golden(t, "status-stop.md", Status(run(stopped)))
	golden(t, "note.md", Note(run(stopped)))
	golden(t, "note-mention.md", Note(run(withFindings), "mona", "hubot"))
}

// Each state of seed 000 has words for people.
func TestEachStateHasWords(t *testing.T) {
	t.Parallel()
	states := []string{
		"no_pr", "pr_draft", "pr_ready_no_feedback", "waiting_for_copilot_review", "unresolved_feedback_present",
		"already_fixed_needs_reply_resolve", "ready_to_rerequest_review", "review_request_unavailable", "waiting_for_ci",
		"blocked_needs_user_decision", "done", "internal_tooling_direct_gate", "low_signal_converged", "round_cap_reached",
		"round_cap_clean_fallback",
	}
	for _, s := range states {
		got := Status(Run{PR: 7, State: s})
		if stateWords[s] == "" || !strings.Contains(got, capital(stateWords[s])) || strings.Contains(got, s) {
			t.Errorf("the status says the state %s as %q", s, got)
		}
	}
	if len(stateWords) != len(states) {
		t.Errorf("%d states have words, want %d", len(stateWords), len(states))
	}
}

// A state that nobody has words for is shown by its name.
func TestAnUnknownStateIsNamed(t *testing.T) {
	t.Parallel()
	if got := Status(Run{PR: 7, State: "brand_new"}); !strings.Contains(got, "`brand_new`") {
		t.Errorf("the status is %q", got)
	}
}

// While prloop waits, the status stays the same: nothing that tells of one run
// is in it.
func TestTheStatusStaysTheSameWhileWaiting(t *testing.T) {
	t.Parallel()
	want := Status(run())
	later := run(func(r *Run) {
		r.At, r.NextWake = at(55), at(59)
		r.Event, r.Why, r.Rule, r.RuleWords = "schedule", "the sweep came by", "copilot 8b", "other words"
		r.Effects, r.Notices, r.Missing, r.Graph = nil, []string{"GitHub was slow"}, nil, Graph{}
		r.Requests, r.Writes, r.Points = 1, 0, 9
		r.Checks, r.Copilot, r.Threads = nil, nil, ThreadCounts{}
		r.Wait.Since = r.Wait.Since.In(time.FixedZone("there", 7200))
	})
	got := Status(later)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the status of a later run (-want +got)\n" + diff)
	}
	if StatusDigest(want) != StatusDigest(got) {
		t.Error("one text has two digests")
	}
	if moved := Status(run(func(r *Run) { r.Head = headA })); StatusDigest(moved) == StatusDigest(want) {
		t.Error("the status of another head has the same digest")
	}
}

// A graph that holds no syntax but its own, and marks the state.
func TestTheGraphMarksTheCurrentState(t *testing.T) {
	t.Parallel()
	g := Graph{
		States: []string{"pr_draft", "done", "x --> y\n    click done href \"https://evil.example\"", "```"},
		Edges:  [][2]string{{"pr_draft", "done"}, {"done", "nowhere"}, {"```", "done"}},
	}
	want := "```mermaid\nstateDiagram-v2\n" +
		"    classDef current fill:#0969da,stroke:#0969da,color:#ffffff,font-weight:bold\n" +
		"    pr_draft\n    done\n    pr_draft --> done\n    class done current\n```\n"
	if diff := cmp.Diff(want, mermaid(g, "done")); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
	want = strings.Replace(want, "    class done current\n", "", 1)
	if diff := cmp.Diff(want, mermaid(g, "unheard_of")); diff != "" {
		t.Error("an unknown state (-want +got)\n" + diff)
	}
}

// withText puts s wherever a stranger's value or a quote of one can stand.
func withText(s string) edit {
	return func(r *Run) {
		r.Reason, r.ToDo, r.RuleWords, r.Why = "It says "+s, "Look at "+s, s, s
		r.Missing, r.Notices = []string{s}, []string{s}
		r.Reviewers = []Reviewer{{Name: s, Status: s, Head: pr.SHA(s)}}
		r.Checks = []Check{{Name: s, State: s, Detail: s}}
		r.Findings = []Finding{{ID: s, Path: s, Author: s, Severity: s, Text: s, URL: s, Trusted: true}}
		r.Effects = []Effect{{Type: s, Key: s, Words: s, Outcome: s, Result: s, Note: s}}
		r.Wait = &Wait{What: "it" + s, Then: s, Until: at(0)}
		r.Code, r.State, r.Event, r.URL = s, s, s, s
	}
}

// Whatever strangers wrote, a summary, a status and a note have the tables they
// should have, and no link, no HTML, no image, no mention and no marker.
func TestNothingHostileComesOut(t *testing.T) {
	t.Parallel()
	check := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, s string,
	) {
		t.Helper()
		r := run(withText(s))
		for name, row := range map[string]struct {
			text    string
			columns []int // of each row of its tables
		}{
			"summary": {Summary(r), []int{4, 4, 4, 4, 5, 5, 4, 4}},
			"sweep":   {SummarySweep([]Run{r, r}), []int{6, 6, 6}},
			"status":  {Status(r), []int{4, 4, 3, 3}},
			"note":    {Note(r, s), nil},
		} {
			got := readMarkdown(row.text)
			var columns []int
			for _, cells := range got.rows {
				columns = append(columns, len(cells))
			}
			if diff := cmp.Diff(row.columns, columns); diff != "" {
				t.Fatalf("the tables of the %s (-want +got)\n%s\nfor %q in\n%s", name, diff, s, row.text)
			}
			html := slices.DeleteFunc(got.html, func(h string) bool { return h == "<sub>" || h == "</sub>" })
			links := slices.DeleteFunc(got.links, func(l string) bool { return l == s })
			if len(html)+len(links)+len(got.others) > 0 {
				t.Fatalf("the %s has HTML %q, links %q, and %q for %q:\n%s", name, html, links, got.others, s, row.text)
			}
			except := "\x00"
			if name == "note" && isLogin(s) {
				except = "@" + s + " "
			}
			if l := liveIn(row.text, except); l != "" {
				t.Fatalf("the %s is live at %q for %q:\n%s", name, l, s, row.text)
			}
			if strings.Contains(row.text, "<!--") || strings.ContainsFunc(strings.ReplaceAll(row.text, joiner, ""), unseen) {
				t.Fatalf("the %s has a marker or something unseen for %q:\n%q", name, s, row.text)
			}
		}
	}
	for _, s := range hostile {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, strangers().Draw(t, "text")) })
}

// What an account that cannot push wrote is not read out.
func TestUntrustedTextIsNotReadOut(t *testing.T) {
	t.Parallel()
	for name, got := range map[string]string{"summary": Summary(run(withFindings)), "status": Status(run(withFindings))} {
		if strings.Contains(got, "merge") {
			t.Errorf("the %s says what nobody may read out:\n%s", name, got)
		}
	}
}

// However much there is to tell, the texts stay in their bounds and say what
// they leave out.
func TestEveryTextFits(t *testing.T) {
	t.Parallel()
	wide := huge(strings.Repeat("漢&", 3000))
	long := run(func(r *Run) {
		r.Findings = many(500, 50)
		r.Checks = slices.Repeat(r.Checks, 200)
	})
	var sweep []Run
	for i := range 2000 {
		sweep = append(sweep, run(func(r *Run) { r.PR = i + 1 }))
	}
	for name, row := range map[string]struct {
		text  string
		limit int
		says  string
	}{
		"a huge summary":  {Summary(wide), maxSummary, "Left out, because it would not fit: convergence"},
		"a long summary":  {Summary(long), maxSummary, "… and 400 more."},
		"a huge sweep":    {SummarySweep([]Run{wide, wide}), maxSummary, "2 pull requests"},
		"a long sweep":    {SummarySweep(sweep), maxSummary, "more."},
		"a huge status":   {Status(wide), maxStatus, "###"},
		"a long status":   {Status(long), maxStatus, "**Open findings: 500**"},
		"a huge note":     {Note(wide, slices.Repeat([]string{"mona"}, 100)...), maxStatus, "@mona"},
		"a huge error":    {first(Failure(errors.New(strings.Repeat("`&", 1<<17)))), maxSummary, "…"},
		"a page too full": {full(), 3000, "Left out, because it would not fit: checks."},
	} {
		if len(row.text) > row.limit || !strings.Contains(row.text, row.says) {
			t.Errorf("%s has %d bytes of %d, or does not say %q", name, len(row.text), row.limit, row.says)
		}
	}
}

func first(s string, _ Annotation) string { return s }

func full() string {
	p := page{max: 3000}
	p.add("Why", "because\n")
	p.add("Checks", strings.Repeat("x", 2500)+"\n")
	p.add("Notices", "- one\n")
	return p.String()
}

func TestFailureHasThreeLines(t *testing.T) {
	t.Parallel()
	err := &fail.Error{
		What: "The configuration is not valid",
		Why:  ".github/prloop.yml:3:1: unknown key \"reviewer\"\n::set-output name=decision::done\n```\n<!-- prloop:journal:v1 -->",
		Fix:  "Write \"reviewers\"",
	}
	summary, a := Failure(fmt.Errorf("load: %w", err))
	golden(t, "failure.md", summary)
	want := Annotation{LevelError, "prloop: The configuration is not valid", fail.Render(err)}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
	if got := readMarkdown(summary); len(got.blocks) != 1 || len(got.html) > 0 {
		t.Errorf("the summary of an error reads as %+v", got)
	}
}

// Few annotations: only what a person has to know.
func TestOnlyWhatMattersIsAnnotated(t *testing.T) {
	t.Parallel()
	got := map[string]Annotation{}
	for _, d := range urgency {
		if a, ok := Annotate(run(stopped, func(r *Run) { r.Decision = d })); ok {
			got[d] = a
		}
	}
	text := "GitHub answered \"not available\" to the request.\nWhat to do: Switch Copilot code review on, or set \"reviewers.copilot: off\"."
	want := map[string]Annotation{
		"stop":    {LevelWarning, "prloop has stopped and needs you: pull request 7", text},
		"handoff": {LevelNotice, "prloop hands work over: pull request 7", text},
		"done":    {LevelNotice, "prloop is done: pull request 7", text},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// A note mentions only what is spelled like a person's login.
func TestOnlyLoginsAreMentioned(t *testing.T) {
	t.Parallel()
	got := Note(run(stopped), "mona", "octo/team", "-x", "hu bot", "a|b", strings.Repeat("a", 40), "", "hubot")
	if !strings.HasPrefix(got, "@mona @hubot **") || strings.Count(got, "@") != 2 {
		t.Errorf("the note is %q", got)
	}
}

func TestTheFirstLineOfAFindingSaysSomething(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<picture><img src=\"x\"></picture>\n\n**Loop** never ends\nmore": "Loop never ends",
		"<!-- hidden -->\n### Title\nmore":                                "Title",
		"if a < b && c > d {":                                             "if a < b && c > d {",
		"\n \n":                                                           "",
		strings.Repeat("x", 300):                                          strings.Repeat("x", 119) + "…",
	} {
		if diff := cmp.Diff(want, firstLine(text)); diff != "" {
			t.Errorf("the first line of %q (-want +got)\n%s", text, diff)
		}
	}
}

// Where Copilot is not the only reviewer, or none, the words of a state do not
// speak of it alone.
func TestWordsOfSeveralReviewers(t *testing.T) {
	tests := []struct {
		state     string
		reviewers []string
		want      string
	}{
		{"waiting_for_copilot_review", []string{"Copilot"}, "Copilot's review is under way"},
		{"waiting_for_copilot_review", nil, "Copilot's review is under way"},
		{"waiting_for_copilot_review", []string{"cursor"}, "a review is under way"},
		{"waiting_for_copilot_review", []string{"cursor", "Copilot"}, "a review is under way"},
		{"review_request_unavailable", []string{"copilotSwe"}, "a review that is needed cannot be had"},
		{"waiting_for_ci", []string{"cursor"}, "the checks are still running"},
		{"no_such_state", []string{"cursor"}, ""},
	}
	for _, tt := range tests {
		r := Run{State: tt.state}
		for _, name := range tt.reviewers {
			r.Reviewers = append(r.Reviewers, Reviewer{Name: name})
		}
		if got, ok := r.words(); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s of %q: %q, want %q", tt.state, tt.reviewers, got, tt.want)
		}
	}
}
