package reviewer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlanReview(t *testing.T) {
	all := []Run{
		{"review-angle-01", Correctness},
		{"review-angle-02", Tests},
		{"review-angle-03", Maintainability},
		{"review-angle-04", Security},
		{"review-angle-05", Scope},
	}
	tests := []struct {
		name     string
		wanted   []string
		parallel int
		want     Plan
	}{
		{"without a wish every angle is run, three at once", nil, 0, Plan{3, all}},
		{"a wish keeps its order", []string{"security", "tests"}, 2, Plan{2, []Run{{"review-angle-01", Security}, {"review-angle-02", Tests}}}},
		{"an angle is run once", []string{"tests", "Tests", " tests "}, 1, Plan{1, []Run{{"review-angle-01", Tests}}}},
		{"a name that is no angle is dropped", []string{"style", "scope", ""}, 1, Plan{1, []Run{{"review-angle-01", Scope}}}},
		{"a wish of no angle is none", []string{"style"}, 4, Plan{4, all}},
		{"at most four go at once", nil, 5, Plan{4, all}},
		{"a number below one is none", nil, -1, Plan{3, all}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, PlanReview(tt.wanted, tt.parallel)); diff != "" {
				t.Errorf("PlanReview (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	inDiff := func(path string, line int) bool { return path == "a.go" && line < 10 }
	tests := []struct {
		name     string
		findings []Finding
		inDiff   func(string, int) bool
		want     Merged
	}{
		{"nothing was found", nil, nil, Merged{}},
		{
			"a finding with a place goes there",
			[]Finding{{"a.go", 3, "Leaks", High, Tests}},
			nil,
			Merged{Inline: []Finding{{"a.go", 3, "Leaks", High, Tests}}},
		},
		{
			"a finding of no line, or of no file, goes into the summary",
			[]Finding{{"a.go", 0, "x", Low, Scope}, {"", 3, "y", Note, Scope}, {"a.go", -1, "z", Low, Scope}},
			nil,
			Merged{Summary: []Finding{{"a.go", 0, "x", Low, Scope}, {"", 3, "y", Note, Scope}, {"a.go", 0, "z", Low, Scope}}},
		},
		{
			"a line that is not in the diff cannot have a comment",
			[]Finding{{"a.go", 3, "x", Low, Scope}, {"a.go", 10, "y", Low, Scope}},
			inDiff,
			Merged{Inline: []Finding{{"a.go", 3, "x", Low, Scope}}, Summary: []Finding{{"a.go", 10, "y", Low, Scope}}},
		},
		{
			"the same message at the same place is one finding, and the heaviest",
			[]Finding{{"a.go", 3, "Leaks", Low, Tests}, {"b.go", 1, "x", Low, Tests}, {" a.go", 3, " LEAKS\n", Critical, Security}, {"a.go", 3, "leaks", Note, Scope}},
			nil,
			Merged{Inline: []Finding{{"a.go", 3, "Leaks", Critical, Tests}, {"b.go", 1, "x", Low, Tests}}},
		},
		{
			"another line, another file or another message is another finding",
			[]Finding{{"a.go", 3, "x", Low, Tests}, {"a.go", 4, "x", Low, Tests}, {"b.go", 3, "x", Low, Tests}, {"a.go", 3, "y", Low, Tests}},
			nil,
			Merged{Inline: []Finding{{"a.go", 3, "x", Low, Tests}, {"a.go", 4, "x", Low, Tests}, {"b.go", 3, "x", Low, Tests}, {"a.go", 3, "y", Low, Tests}}},
		},
		{
			"no text runs over into the next one",
			[]Finding{{"a|1", 0, "x", Low, Tests}, {"a", 1, "|x", Low, Tests}},
			nil,
			Merged{Inline: []Finding{{"a", 1, "|x", Low, Tests}}, Summary: []Finding{{"a|1", 0, "x", Low, Tests}}},
		},
		{
			"a finding that says nothing is counted, wherever it is",
			[]Finding{{"a.go", 3, " \t", High, Tests}, {"", 0, "", High, Tests}},
			nil,
			Merged{Silent: 2},
		},
		{
			"a severity that nobody knows is medium",
			[]Finding{{"a.go", 3, "x", "blocker", Tests}, {"a.go", 4, "y", "", Tests}, {"a.go", 5, "z", " HIGH ", Tests}},
			nil,
			Merged{Inline: []Finding{{"a.go", 3, "x", Medium, Tests}, {"a.go", 4, "y", Medium, Tests}, {"a.go", 5, "z", High, Tests}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Merge(tt.findings, tt.inDiff)); diff != "" {
				t.Errorf("Merge (-want +got):\n%s", diff)
			}
		})
	}
}

// Merging loses no finding, and merging what was merged changes nothing.
func TestMergeIsWhole(t *testing.T) {
	finding := rapid.Custom(func(t *rapid.T) Finding {
		return Finding{
			Path:     rapid.SampledFrom([]string{"", "a.go", "b.go"}).Draw(t, "path"),
			Line:     rapid.IntRange(-1, 2).Draw(t, "line"),
			Message:  rapid.SampledFrom([]string{"", "x", "X", "y"}).Draw(t, "message"),
			Severity: rapid.SampledFrom(append([]Severity{"", "odd"}, severities...)).Draw(t, "severity"),
			Angle:    rapid.SampledFrom(Angles()).Draw(t, "angle"),
		}
	})
	inDiff := func(path string, _ int) bool { return path == "a.go" }
	rapid.Check(t, func(t *rapid.T) {
		findings := rapid.SliceOf(finding).Draw(t, "findings")
		got := Merge(findings, inDiff)
		all := append(append([]Finding{}, got.Inline...), got.Summary...)
		for _, f := range got.Inline {
			if f.Path != "a.go" || f.Line < 1 {
				t.Fatalf("a comment without a place: %+v", f)
			}
		}
		for _, f := range findings {
			if f.Message == "" {
				continue
			}
			one := Merge([]Finding{f}, nil)
			want := append(one.Inline, one.Summary...)[0]
			found := 0
			for _, g := range all {
				if g.Path == want.Path && g.Line == want.Line && (g.Message == "x" || g.Message == "X") == (want.Message == "x" || want.Message == "X") {
					found++
					if heavier(g.Severity, want.Severity) != g.Severity {
						t.Fatalf("%+v became %+v, which is lighter", want, g)
					}
				}
			}
			if found != 1 {
				t.Fatalf("%+v is there %d times", want, found)
			}
		}
		again := Merge(all, inDiff)
		again.Silent = got.Silent
		if diff := cmp.Diff(got, again); diff != "" {
			t.Fatalf("merged twice (-once +twice):\n%s", diff)
		}
	})
}

func TestDraft(t *testing.T) {
	say := func(f Finding) string { return string(f.Severity) + ": " + f.Message }
	merged := Merged{
		Inline:  []Finding{{"a.go", 3, "Leaks", High, Tests}},
		Summary: []Finding{{"", 0, "x", Low, Scope}, {"b.go", 0, "y", Note, Scope}},
	}
	want := Draft{CommitID: head, Body: "low: x\n\nnote: y", Comments: []Comment{{"a.go", 3, "RIGHT", "high: Leaks"}}}
	if diff := cmp.Diff(want, merged.Draft(head, say)); diff != "" {
		t.Errorf("Draft (-want +got):\n%s", diff)
	}
	want = Draft{CommitID: head, Comments: []Comment{}}
	if diff := cmp.Diff(want, Merged{}.Draft(head, say)); diff != "" {
		t.Errorf("Draft of nothing (-want +got):\n%s", diff)
	}
}
