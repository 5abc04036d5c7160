package round

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// facts is a head that has converged, changed by each edit in turn.
func facts(edits ...func(*Facts)) Facts {
	f := Facts{
		Open: Yes, Reviewed: Yes, ReviewedAtHead: Yes, ReviewClean: Yes,
		Pending: No, ThreadsAwaitUs: No, BodyFinding: No,
		ChecksGreen: Yes, Settled: Yes, Settle: true, Agreed: Yes, Pass: true, CleanInARow: Yes, SeveralClean: true,
	}
	for _, edit := range edits {
		edit(&f)
	}
	return f
}

func TestEachConditionAloneHoldsBackConvergence(t *testing.T) {
	type row struct {
		name        string
		no, unknown func(*Facts)
	}
	// In the order of the table: each row breaks its own condition only.
	rows := []row{
		{"open", func(f *Facts) { f.Open = No }, func(f *Facts) { f.Open = Unknown }},
		{"review", func(f *Facts) { f.Reviewed = No }, func(f *Facts) { f.Reviewed = Unknown }},
		{"review_at_head", func(f *Facts) { f.ReviewedAtHead = No }, func(f *Facts) { f.ReviewedAtHead = Unknown }},
		{"clean", func(f *Facts) { f.ReviewClean = No }, func(f *Facts) { f.ReviewClean = Unknown }},
		{"no_pending", func(f *Facts) { f.Pending = Yes }, func(f *Facts) { f.Pending = Unknown }},
		{"threads", func(f *Facts) { f.ThreadsAwaitUs = Yes }, func(f *Facts) { f.ThreadsAwaitUs = Unknown }},
		{"body", func(f *Facts) { f.BodyFinding = Yes }, func(f *Facts) { f.BodyFinding = Unknown }},
		{"checks", func(f *Facts) { f.ChecksGreen = No }, func(f *Facts) { f.ChecksGreen = Unknown }},
		{"clean_rounds", func(f *Facts) { f.CleanInARow = No }, func(f *Facts) { f.CleanInARow = Unknown }},
		{"settle", func(f *Facts) { f.Settled = No }, func(f *Facts) { f.Settled = Unknown }},
		{"final_pass", func(f *Facts) { f.Agreed = No }, func(f *Facts) { f.Agreed = Unknown }},
	}
	var want, got []string
	for _, r := range rows {
		want = append(want, r.name)
	}
	for _, c := range Conditions() {
		got = append(got, c.Name)
		if c.Words == "" {
			t.Errorf("condition %s has no words", c.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("conditions (-want +got):\n%s", diff)
	}
	for _, r := range rows {
		broken := Verdict{Missing: []string{r.name}}
		if diff := cmp.Diff(broken, Converged(facts(r.no))); diff != "" {
			t.Errorf("%s does not hold (-want +got):\n%s", r.name, diff)
		}
		unread := Verdict{Missing: []string{r.name}, Unknown: []string{r.name}}
		if diff := cmp.Diff(unread, Converged(facts(r.unknown))); diff != "" {
			t.Errorf("%s is unknown (-want +got):\n%s", r.name, diff)
		}
	}
}

func TestConverged(t *testing.T) {
	tests := []struct {
		name  string
		facts Facts
		want  Verdict
	}{
		{
			"a clean review of a green head that nothing awaits has converged",
			facts(),
			Verdict{Converged: true, Kind: Review},
		},
		{
			"facts that nobody read have not converged",
			Facts{Settle: true, Pass: true, SeveralClean: true},
			Verdict{
				Missing: []string{"open", "review", "review_at_head", "clean", "no_pending", "threads", "body", "checks", "clean_rounds", "settle", "final_pass"},
				Unknown: []string{"open", "review", "review_at_head", "clean", "no_pending", "threads", "body", "checks", "clean_rounds", "settle", "final_pass"},
			},
		},
		{
			"a clean review of the head counts for nothing while another one is in flight",
			facts(func(f *Facts) { f.Pending = Yes }),
			Verdict{Missing: []string{"no_pending"}},
		},
		{
			"red checks are not asked about where the configuration waives them",
			facts(func(f *Facts) { f.ChecksGreen, f.IgnoreChecks = No, true }),
			Verdict{Converged: true, Kind: Review},
		},
		{
			"one snapshot is enough where settle does not ask for two",
			facts(func(f *Facts) { f.Settled, f.Settle = Unknown, false }),
			Verdict{Converged: true, Kind: Review},
		},
		{
			"what was found and declined converges, and says so",
			facts(func(f *Facts) { f.Found = true }),
			Verdict{Converged: true, Kind: DeclinesOnly},
		},
		{
			"what is below minSeverity converges, whatever else was answered, and says so",
			facts(func(f *Facts) { f.Found, f.Left, f.Below = true, true, true }),
			Verdict{Converged: true, Kind: BelowMin},
		},
		{
			"an end of the loop takes the reviews as they are, however few found nothing",
			facts(func(f *Facts) { f.CleanInARow, f.Ended = No, CapFallback }),
			Verdict{Converged: true, Kind: CapFallback},
		},
		{
			"what was found, answered and left open converges, and says so",
			facts(func(f *Facts) { f.Found, f.Left = true, true }),
			Verdict{Converged: true, Kind: Answered},
		},
		{
			"what the rubric alone judged converges, and says so",
			facts(func(f *Facts) { f.Rubric = true }),
			Verdict{Converged: true, Kind: Rubric},
		},
		{
			"a verdict of the rubric is none where the loop ended without one",
			facts(func(f *Facts) { f.Rubric, f.Ended = true, CapFallback }),
			Verdict{Converged: true, Kind: CapFallback},
		},
		{
			"a thread that awaits us is no declined one",
			facts(func(f *Facts) { f.Found, f.ThreadsAwaitUs = true, Yes }),
			Verdict{Missing: []string{"threads"}},
		},
		{
			"low signal converges although the head itself was not reviewed",
			facts(func(f *Facts) { f.Ended, f.ReviewedAtHead, f.ReviewClean = LowSignal, No, Unknown }),
			Verdict{Converged: true, Kind: LowSignal},
		},
		{
			"low signal says so where the head was reviewed too",
			facts(func(f *Facts) { f.Ended = LowSignal }),
			Verdict{Converged: true, Kind: LowSignal},
		},
		{
			"low signal waits for a review that is pending",
			facts(func(f *Facts) { f.Ended, f.Pending = LowSignal, Yes }),
			Verdict{Missing: []string{"no_pending"}},
		},
		{
			"the clean cap converges although the head itself was not reviewed",
			facts(func(f *Facts) { f.Ended, f.ReviewedAtHead, f.ReviewClean = CapFallback, No, Unknown }),
			Verdict{Converged: true, Kind: CapFallback},
		},
		{
			"the clean cap waits for a review that is pending",
			facts(func(f *Facts) { f.Ended, f.Pending = CapFallback, Yes }),
			Verdict{Missing: []string{"no_pending"}},
		},
		{
			"the cap with open feedback is no convergence",
			facts(func(f *Facts) { f.Ended, f.ReviewedAtHead = "round_cap_reached", No }),
			Verdict{Missing: []string{"review_at_head"}},
		},
		{
			"everything that is missing is named, in the table's order",
			facts(func(f *Facts) { f.ChecksGreen, f.ThreadsAwaitUs, f.Open = No, Unknown, No }),
			Verdict{Missing: []string{"open", "threads", "checks"}, Unknown: []string{"threads"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Converged(tt.facts)); diff != "" {
				t.Errorf("Converged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingOpenEverConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacts(t)
		v := Converged(f)
		if diff := cmp.Diff(v, Converged(f)); diff != "" {
			t.Fatalf("the same facts judged twice (-first +second):\n%s", diff)
		}
		if v.Converged != (len(v.Missing) == 0) || v.Converged != (v.Kind != "") {
			t.Fatalf("verdict contradicts itself: %+v", v)
		}
		for _, u := range v.Unknown {
			if !slices.Contains(v.Missing, u) {
				t.Fatalf("%s is unknown but not missing: %+v", u, v)
			}
		}
		if !v.Converged {
			return
		}
		if f.Open != Yes || f.Reviewed != Yes || f.Pending != No || f.ThreadsAwaitUs != No || f.BodyFinding != No {
			t.Fatalf("converged with something open: %+v", f)
		}
		if f.ChecksGreen != Yes && !f.IgnoreChecks {
			t.Fatalf("converged without green checks: %+v", f)
		}
		if f.Found && v.Kind == Review {
			t.Fatalf("what was found and only answered counts as clean: %+v", f)
		}
		if (v.Kind == Review || v.Kind == DeclinesOnly || v.Kind == Answered || v.Kind == Rubric) && (f.ReviewedAtHead != Yes || f.ReviewClean != Yes) {
			t.Fatalf("converged by a review that the head has not: %+v", f)
		}
	})
}

// drawFacts draws mostly good facts, so that whole verdicts are reached often.
func drawFacts(t *rapid.T) Facts {
	answer := rapid.SampledFrom([]Answer{Unknown, No, Yes})
	good := func(want Answer) *rapid.Generator[Answer] {
		return rapid.OneOf(rapid.Just(want), rapid.Just(want), rapid.Just(want), answer)
	}
	return Facts{
		Open: good(Yes).Draw(t, "open"), Reviewed: good(Yes).Draw(t, "reviewed"),
		ReviewedAtHead: good(Yes).Draw(t, "at head"), ReviewClean: good(Yes).Draw(t, "clean"),
		Pending: good(No).Draw(t, "pending"), ThreadsAwaitUs: good(No).Draw(t, "threads"),
		BodyFinding: good(No).Draw(t, "body"), Found: rapid.Bool().Draw(t, "found"), Left: rapid.Bool().Draw(t, "left"),
		ChecksGreen: good(Yes).Draw(t, "checks"), IgnoreChecks: rapid.Bool().Draw(t, "ignore checks"),
		Settled: good(Yes).Draw(t, "settled"), Settle: rapid.Bool().Draw(t, "settle"),
		CleanInARow: good(Yes).Draw(t, "in a row"), SeveralClean: rapid.Bool().Draw(t, "several"), Below: rapid.Bool().Draw(t, "below"),
		Agreed: good(Yes).Draw(t, "agreed"), Pass: rapid.Bool().Draw(t, "pass"),
		Ended: rapid.SampledFrom([]string{"", LowSignal, CapFallback, "done"}).Draw(t, "ended"),
	}
}

func TestOf(t *testing.T) {
	tests := []struct {
		known, yes bool
		want       string
	}{
		{false, false, "unknown"},
		{false, true, "unknown"},
		{true, false, "no"},
		{true, true, "yes"},
	}
	for _, tt := range tests {
		if got := Of(tt.known, tt.yes).String(); got != tt.want {
			t.Errorf("Of(%v, %v) = %s, want %s", tt.known, tt.yes, got, tt.want)
		}
	}
}

func TestRounds(t *testing.T) {
	tests := []struct {
		name    string
		genuine []int
		want    int
	}{
		{"Copilot alone: its own count", []int{3}, 3},
		{"the largest of several reviewers", []int{1, 4, 2}, 4},
		{"no review yet", []int{0, 0}, 0},
		{"no reviewer", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Rounds(tt.genuine); got != tt.want {
				t.Errorf("Rounds(%v) = %d, want %d", tt.genuine, got, tt.want)
			}
		})
	}
}
