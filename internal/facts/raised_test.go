package facts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// A finding is the same one wherever its line has moved to, and another one in
// another file, under another line of code or with other words.
func TestLedgerKeysSurviveLineMoves(t *testing.T) {
	const path, text, code = "parser.go", "The error of Close on line 12 is dropped (see lines 10-14).", "\tf.Close()"
	first := ledgerKey(path, text, code)
	same := [][3]string{
		{path, "The error of Close on line 240 is dropped (see lines 238-242).", code},
		{path, "the  error of close on line 12\n is dropped (see lines 10-14).", code},
		{path, text, "\t\tf.Close()  "},
		{path, "<!-- id: abc -->" + text, code},
	}
	for _, s := range same {
		if ledgerKey(s[0], excerpt(s[1]), s[2]) != first {
			t.Errorf("%q is another finding", s)
		}
		if fingerprint(s[0], s[1], s[2]) != fingerprint(path, text, code) {
			t.Errorf("%q has another fingerprint", s)
		}
	}
	other := [][3]string{
		{"lexer.go", text, code},
		{path, "The error of Open on line 12 is dropped (see lines 10-14).", code},
		{path, text, "\tg.Close()"},
		{path, text, ""},
		{path, text + " " + code, ""},
	}
	for _, o := range other {
		if ledgerKey(o[0], o[1], o[2]) == first {
			t.Errorf("%q is the same finding", o)
		}
	}
}

func TestRaised(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	copilot := pr.Actor{Login: pr.CopilotReviewer, Bot: true}
	clean := "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟢 Approval recommended\n\nFine.\n\n**Findings:** None"
	thread := func(id, review string, resolved bool) pr.Thread {
		return pr.Thread{ID: id, Path: "a.go", Resolved: resolved, Comments: []pr.ThreadComment{
			{ID: id + "c", Author: copilot, Body: "This can be nil.", Code: "use(x)", ReviewID: review},
			{ID: id + "d", Author: pr.Actor{Login: "mona"}, Body: "No.", ReviewID: "R9"},
		}}
	}
	snap := pr.Snapshot{
		Head: "b",
		Reviews: []pr.Review{
			{ID: "R1", Author: copilot, State: pr.Commented, Commit: "a", SubmittedAt: at, Body: clean},
			{ID: "RE", Author: copilot, State: pr.Commented, Commit: "a", SubmittedAt: at.Add(time.Minute), Body: "Copilot encountered an error and was unable to review this pull request."},
			{ID: "R2", Author: copilot, State: pr.Commented, Commit: "b", SubmittedAt: at.Add(time.Hour), Body: clean},
		},
		Threads: []pr.Thread{thread("T1", "R1", true), thread("T2", "R2", false), thread("T3", "RX", false), {ID: "T4"}},
	}
	k := ledgerKey("a.go", "This can be nil.", "use(x)")
	want := []journal.LedgerRound{
		{Round: 1, Head: "a", Findings: []journal.LedgerFinding{{Key: k, Mark: journal.Mark("T1"), Path: "a.go", Action: Resolved}}},
		{Round: 2, Head: "b", Findings: []journal.LedgerFinding{{Key: k, Mark: journal.Mark("T2"), Path: "a.go"}}},
	}
	if diff := cmp.Diff(want, Raised(&snap, classifyAll(&snap))); diff != "" {
		t.Errorf("raised (-want +got):\n%s", diff)
	}
	if !MayRepeat(&snap, classifyAll(&snap)) {
		t.Error("two reviews raised the same finding, and MayRepeat says that they did not")
	}
	once := snap
	once.Threads = snap.Threads[:1]
	if MayRepeat(&once, classifyAll(&once)) {
		t.Error("one review raised one finding, and MayRepeat says that it came back")
	}
	for _, f := range []pr.Fact{pr.FactReviews, pr.FactThreads} {
		half := snap
		half.Unknown = []pr.Unknown{{Fact: f, Why: "a page is missing"}}
		if got := Raised(&half, classifyAll(&half)); got != nil {
			t.Errorf("with %s unknown, half a history is told: %+v", f, got)
		}
	}
}
