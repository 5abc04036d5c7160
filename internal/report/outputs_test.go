package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The outputs are those of design 10 that exist by now, in its order.
func TestOutputsStandInTheDesignsOrder(t *testing.T) {
	t.Parallel()
	want := []string{
		"decision", "reason-code", "reason", "result", "pr-number", "head-sha", "state", "reviewer-state", "routing-outcome", "quest-state", "round",
		"converged", "should-fix", "should-review", "handoff", "brief-path", "proof", "targets", "next-wake",
	}
	var docs, one, sweep []string
	for _, d := range OutputDocs {
		docs = append(docs, d.Name)
		if d.Doc == "" || strings.HasSuffix(d.Doc, ".") || strings.Contains(d.Doc, "\n") {
			t.Errorf("the words of %s are not one sentence without a full stop: %q", d.Name, d.Doc)
		}
	}
	for _, o := range Outputs(run()) {
		one = append(one, o.Name)
	}
	for _, o := range SweepOutputs([]Run{run()}) {
		sweep = append(sweep, o.Name)
	}
	if diff := cmp.Diff([][]string{want, want, want}, [][]string{docs, one, sweep}); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// pretty is outs for a golden file: a line each, JSON indented.
func pretty(t *testing.T, outs []Output) string {
	t.Helper()
	var b strings.Builder
	for _, o := range outs {
		value := o.Value
		if strings.HasPrefix(value, "{") {
			var v any
			dec := json.NewDecoder(strings.NewReader(value))
			dec.UseNumber()
			if err := dec.Decode(&v); err != nil {
				t.Fatalf("%s is no JSON: %v", o.Name, err)
			}
			if strings.ContainsAny(value, "\r\n") {
				t.Fatalf("%s is more than one line", o.Name)
			}
			indented, err := json.MarshalIndent(json.RawMessage(value), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			value = string(indented)
		}
		fmt.Fprintf(&b, "%s: %s\n", o.Name, value)
	}
	return b.String()
}

func TestOutputsOfAStep(t *testing.T) {
	t.Parallel()
	golden(t, "outputs-wait.golden", pretty(t, Outputs(run())))
	golden(t, "outputs-handoff.golden", pretty(t, Outputs(run(withFindings))))
	golden(t, "outputs-nothing.golden", pretty(t, Outputs(Run{
		At: at(0), Event: "push", Why: "no event that prloop reads", Repo: "octo/hello",
		Decision: "skip", Code: "unsupported_event", Reason: "The event push says nothing about a pull request",
	})))
	golden(t, "outputs-sweep.golden", pretty(t, SweepOutputs([]Run{
		{At: at(0), Event: "schedule", Repo: "octo/hello", Requests: 1, Points: 1, Notices: []string{"Issues are switched off, so the budget of the day holds per pull request"}},
		run(), run(withFindings, func(r *Run) { r.PR = 8 }), run(stopped, func(r *Run) { r.PR = 9 }),
	})))
}

// value is one output by name.
func value(t *testing.T, outs []Output, name string) string {
	t.Helper()
	i := slices.IndexFunc(outs, func(o Output) bool { return o.Name == name })
	if i < 0 {
		t.Fatalf("there is no output %s", name)
	}
	return outs[i].Value
}

// A proof that does not fit beside the rest of the result is left out there,
// and counted; the output proof has it.
func TestAProofLeavesTheResultFirst(t *testing.T) {
	t.Parallel()
	proof := `{"passed":["` + strings.Repeat("x", maxOutput) + `"]}`
	outs := Outputs(run(func(r *Run) { r.Converged, r.Proof = true, &Proof{Text: proof, Digest: "sha256:0f"} }))
	var got struct {
		Proof   json.RawMessage
		Copilot any
		LeftOut leftOut
	}
	if err := json.Unmarshal([]byte(value(t, outs, "result")), &got); err != nil {
		t.Fatal(err)
	}
	if string(got.Proof) != "null" || got.LeftOut.Proof != 1 || got.Copilot == nil {
		t.Errorf("the proof is %.40s, left out: %+v", got.Proof, got.LeftOut)
	}
	if value(t, outs, "proof") != proof {
		t.Error("the output proof is another one")
	}
}

// What strangers wrote is in result, handoff and proof alone (design 10).
func TestStrangersValuesAreInJSONAlone(t *testing.T) {
	t.Parallel()
	const canary = "canary"
	r := run(withFindings, func(r *Run) {
		for i := range r.Findings {
			r.Findings[i].Path, r.Findings[i].Text, r.Findings[i].Author = canary, canary, canary
		}
		r.Checks = []Check{{Name: canary}}
		r.Proof = &Proof{Text: `{"checks":{"passed":["` + canary + `"]}}`, Digest: "sha256:0f"}
		r.Handoff.Base, r.Handoff.Findings = canary, r.Findings
	})
	var want, got []string
	want = []string{"result", "handoff", "proof"}
	for _, o := range Outputs(r) {
		if strings.Contains(o.Value, canary) {
			got = append(got, o.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("outputs with a stranger's value (-want +got)\n" + diff)
	}
}

// A scalar output is one line without control characters or characters that
// nobody sees, whatever the sentence quotes.
func TestScalarsAreOneCleanLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strangers().Draw(t, "text")
		for _, o := range Outputs(run(func(r *Run) { r.Decision, r.Code, r.Reason, r.State = s, s, s+strings.Repeat(s, 1000), s })) {
			bad := strings.IndexFunc(o.Value, func(c rune) bool { return unicode.IsControl(c) || unseen(c) })
			if bad >= 0 || !slices.Equal([]rune(o.Value), []rune(strings.ToValidUTF8(o.Value, ""))) {
				t.Fatalf("%s is not clean at %d: %q", o.Name, bad, o.Value)
			}
			if o.Name == "reason" && len(o.Value) > maxWord {
				t.Fatalf("the reason has %d bytes", len(o.Value))
			}
		}
	})
}

// JSON says the same after it was made harmless for scripts and logs, and has
// none of what a shell or the runner would act on.
func TestJSONIsHarmlessAndSaysTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(strangers().Draw(t, "text"), "\ufffd")
		s := encode(map[string]string{"v": want})
		var got map[string]string
		if err := json.Unmarshal([]byte(s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if diff := cmp.Diff(map[string]string{"v": want}, got); diff != "" {
			t.Fatal("(-want +got)\n" + diff)
		}
		if strings.ContainsAny(s, "'`$<>&\n\r") || strings.Contains(s, "##[") || strings.ContainsFunc(s, unseen) {
			t.Fatalf("not harmless: %q", s)
		}
	})
}

func many(n, size int) []Finding {
	all := make([]Finding, n)
	for i := range all {
		all[i] = Finding{
			ID: fmt.Sprintf("PRRT_%d", i), Path: "internal/a.go", Line: i, Author: "mona", Trusted: true,
			Severity: []string{"low", "high", "", "mid"}[i%4], Text: strings.Repeat("é", size/2),
		}
	}
	return all
}

// utf16Bytes is how GitHub counts outputs.
func utf16Bytes(outs []Output) int {
	n := 0
	for _, o := range outs {
		n += 2 * len(utf16.Encode([]rune(o.Name+o.Value)))
	}
	return n
}

// However much there is to tell, every output stays below its limit, all
// together below GitHub's 1 MiB (C102), and what is left out is counted.
func TestEveryOutputFits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("&", 10000)
	rows := map[string]struct {
		run              Run
		texts            int // left out of the result
		findings         int
		handed           int // left out of the handoff
		minKept, minHand int
	}{
		"everything fits":              {run: run(withFindings), minKept: 3, minHand: 2},
		"texts are left out first":     {run: run(func(r *Run) { r.Findings = many(300, 2000) }), texts: 300, minKept: 300},
		"then findings from the end":   {run: run(func(r *Run) { r.Findings = many(3000, 100) }), texts: 3000, findings: 1000, minKept: 500},
		"whole findings are left out":  {run: run(func(r *Run) { r.Handoff = &Handoff{Findings: many(300, 2000)} }), handed: 250, minHand: 40},
		"a text alone is too large":    {run: run(func(r *Run) { r.Handoff = &Handoff{Findings: many(1, 200<<10)} }), handed: 1},
		"a thousand checks":            {run: run(func(r *Run) { r.Checks = slices.Repeat([]Check{{Name: long}}, 1000) })},
		"every list and word is huge":  {run: huge(long)},
		"a snapshot of its own weight": {run: run(func(r *Run) { r.Copilot.Snapshot = slices.Repeat([]string{long}, 100) })},
		"a snapshot that is no JSON":   {run: run(func(r *Run) { r.Copilot.Snapshot = math.NaN() })},
		"a year that RFC 3339 has not": {run: run(func(r *Run) { r.At = time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC) })},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outs := Outputs(row.run)
			for _, o := range outs {
				if limit := map[bool]int{true: 96 << 10, false: 128 << 10}[o.Name == "handoff"]; len(o.Value) >= limit {
					t.Errorf("%s has %d bytes", o.Name, len(o.Value))
				}
			}
			if n := utf16Bytes(outs); n > 1<<20 {
				t.Errorf("the outputs have %d bytes together", n)
			}
			var res result
			if err := json.Unmarshal([]byte(value(t, outs, "result")), &res); err != nil {
				t.Fatal(err)
			}
			left := leftOut{}
			if res.LeftOut != nil {
				left = *res.LeftOut
			}
			if left.Texts < row.texts || left.Findings < row.findings || len(res.Findings) < row.minKept {
				t.Errorf("the result keeps %d findings and leaves out %+v", len(res.Findings), left)
			}
			if want, got := len(row.run.Findings), len(res.Findings)+left.Findings; want != got {
				t.Errorf("the result counts %d findings of %d", got, want)
			}
			if want, got := len(row.run.Checks), len(res.Checks)+left.Checks; want != got {
				t.Errorf("the result counts %d checks of %d", got, want)
			}
			if row.run.Handoff == nil {
				return
			}
			var h Handoff
			if err := json.Unmarshal([]byte(value(t, outs, "handoff")), &h); err != nil {
				t.Fatal(err)
			}
			if h.LeftOut < row.handed || len(h.Findings) < row.minHand {
				t.Errorf("the handoff keeps %d findings and leaves out %d", len(h.Findings), h.LeftOut)
			}
			all := row.run.Handoff
			ids := len(h.Untrusted) + h.UntrustedLeftOut
			if want, got := len(all.Findings)+len(all.Untrusted), len(h.Findings)+h.LeftOut+ids; want != got {
				t.Errorf("the handoff counts %d of %d", got, want)
			}
		})
	}
}

// UnmarshalJSON reads what MarshalJSON wrote, for the tests.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" || len(raw) > len(`"2006-01-02T15:04:05Z"`) {
		return nil
	}
	return json.Unmarshal(raw, &s.Time)
}

// huge is a run in which nothing is short.
func huge(long string) Run {
	words := slices.Repeat([]string{long}, 200)
	findings := slices.Repeat([]Finding{{ID: long, Path: long, Author: long, Severity: long, Text: long, URL: long, Trusted: true}}, 50)
	return Run{
		Event: long, Why: long, Repo: long, PR: 7, URL: long, Head: headA,
		Decision: long, Code: long, Reason: long, ToDo: long, Rule: long, RuleWords: long, RoutingOutcome: long, RoutingWhy: long, State: long,
		Missing: words, Wait: &Wait{What: long, Then: long}, Notices: words,
		Reviewers: slices.Repeat([]Reviewer{{Name: long, Status: long}}, 100), Findings: findings,
		Checks:  slices.Repeat([]Check{{Name: long, State: long, Detail: long}}, 100),
		Effects: slices.Repeat([]Effect{{Type: long, Key: long, Words: long, Outcome: long, Result: long, Note: long}}, 100),
		Copilot: &Copilot{State: long, AllowedTransitions: words, NextAction: long, Snapshot: words},
		Handoff: &Handoff{PR: 7, Head: headA, Base: long, Findings: findings, Untrusted: words},
		Graph:   Graph{States: words},
	}
}

// What is left out of a handoff is of the lowest severity; what is in it keeps
// its order.
func TestGraveFindingsAreHandedOverFirst(t *testing.T) {
	t.Parallel()
	var h Handoff
	all := many(400, 500)
	if err := json.Unmarshal([]byte(handoffJSON(&Handoff{Findings: all})), &h); err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	for i, f := range h.Findings {
		kept[f.Severity]++
		if i > 0 && f.Line <= h.Findings[i-1].Line {
			t.Errorf("finding %s stands behind %s", f.ID, h.Findings[i-1].ID)
		}
	}
	if kept["high"] != 100 || kept["low"] != 0 || h.LeftOut != len(all)-len(h.Findings) {
		t.Errorf("kept by severity: %v, left out: %d", kept, h.LeftOut)
	}
}

// Whatever the caller says, text by an account that cannot push is handed to
// nobody: its id is.
func TestUntrustedTextIsNeverHandedOver(t *testing.T) {
	t.Parallel()
	r := run(withFindings, func(r *Run) { r.Handoff.Findings = r.Findings })
	want := Handoff{PR: 7, Head: headB, Base: "main", Number: 1, Untrusted: []string{"PRRT_c", "PRRT_c"}}
	for _, f := range r.Findings[:2] {
		f.Text = Plain(f.Text)
		want.Findings = append(want.Findings, f)
	}
	outs := Outputs(r)
	var got Handoff
	if err := json.Unmarshal([]byte(value(t, outs, "handoff")), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
	for _, o := range outs {
		if strings.Contains(o.Value, "merge") {
			t.Errorf("%s passes on what nobody may read out: %s", o.Name, o.Value)
		}
	}
}

func TestTheMostUrgentDecisionSpeaksForASweep(t *testing.T) {
	t.Parallel()
	of := func(decisions ...string) []Run {
		runs := []Run{{Decision: "stop"}} // the sweep itself is no pull request
		for i, d := range decisions {
			runs = append(runs, Run{PR: i + 1, Decision: d})
		}
		return runs
	}
	for want, runs := range map[string][]Run{
		"stop":    of("wait", "stop", "handoff"),
		"handoff": of("act", "handoff", "done"),
		"act":     of("skip", "act", "wait"),
		"wait":    of("done", "wait"),
		"done":    of("skip", "done"),
		"skip":    of(),
	} {
		if got := MostUrgent(runs); got != want {
			t.Errorf("of %v the most urgent is %q, want %q", runs, got, want)
		}
	}
}

// A sweep tells every pull request in as much detail as fits for all alike, and
// drops the least urgent ones only where not even a row for each fits.
func TestASweepFits(t *testing.T) {
	t.Parallel()
	full := func(i int) Run {
		return run(func(r *Run) {
			r.PR, r.Findings = i, many(3, 1000)
			if i == 3000 {
				stopped(r)
			}
		})
	}
	for n, want := range map[int]struct {
		detail string
		left   int
	}{
		1: {detail: "full"}, 20: {detail: "full"}, 35: {detail: "no texts"}, 100: {detail: "short"}, 400: {detail: "row"}, 3000: {detail: "row", left: 2000},
	} {
		var runs []Run
		for i := range n {
			runs = append(runs, full(i+1))
		}
		outs := SweepOutputs(runs)
		raw := value(t, outs, "result")
		if len(raw) > maxOutput {
			t.Errorf("the result of %d pull requests has %d bytes", n, len(raw))
		}
		var got struct {
			Schema, Detail string
			Counts         map[string]int
			Pulls          []row
			LeftOut        leftOut
			Requests       int
		}
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			t.Fatal(err)
		}
		if got.Schema != Schema || got.Detail != want.detail || got.LeftOut.Pulls < want.left || len(got.Pulls)+got.LeftOut.Pulls != n || got.Requests != 6 {
			t.Errorf("the result of %d pull requests: %s, %s, %d told, %d left out, %d requests",
				n, got.Schema, got.Detail, len(got.Pulls), got.LeftOut.Pulls, got.Requests)
		}
		if !slices.IsSortedFunc(got.Pulls, func(a, b row) int { return a.PR - b.PR }) {
			t.Errorf("%d pull requests are out of order", n)
		}
		if n == 3000 {
			if last := got.Pulls[len(got.Pulls)-1]; last.PR != 3000 || last.Decision != "stop" {
				t.Errorf("the one that needs a person was left out; the last one told is %+v", last)
			}
		}
		for _, o := range outs {
			if !slices.Contains([]string{"result", "decision", "targets"}, o.Name) && o.Value != "" {
				t.Errorf("the output %s of a sweep is %q", o.Name, o.Value)
			}
		}
	}
}
