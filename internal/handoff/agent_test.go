package handoff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// In Mode Y nobody handed over a finding: that none names a file speaks against
// nothing, and what takes a finding to be allowed is held.
func TestJudgeAgent(t *testing.T) {
	tests := []struct {
		says string
		push Push
		rule string
		want Ruling
	}{
		{"a change of code", Push{Complete: true, Files: []Changed{changed("a.go", "-x", "+y")}}, "T15", Approve},
		{"a workflow", Push{Complete: true, Files: []Changed{changed(".github/workflows/ci.yml", "+x")}}, "T2", Pause},
		{"what reviewers are told", Push{Complete: true, Files: []Changed{changed("AGENTS.md", "+x")}}, "T5", Pause},
		{"a lock file", Push{Complete: true, Files: []Changed{changed("go.sum", "+x")}}, "T7", Pause},
		{"a skipped test", Push{Complete: true, Files: []Changed{changed("a_test.go", "+\tt.Skip()")}}, "T9", Pause},
		{"a silenced warning", Push{Complete: true, Files: []Changed{changed("a.go", "+x() //nolint")}}, "T13", Pushback},
		{"nothing at all", Push{Complete: true}, "P2", Pause},
		{"not all that changed", Push{}, "P1", Pause},
	}
	for _, tt := range tests {
		got := JudgeAgent(tt.push, Limits{})
		if len(got) != 1 || got[0].Rule != tt.rule || Sum(got) != tt.want {
			t.Errorf("%s: %v comes to %s, want %s by %s", tt.says, got, Sum(got), tt.want, tt.rule)
		}
	}
}

func TestSum(t *testing.T) {
	of := func(list ...Ruling) []Hunk {
		var all []Hunk
		for _, r := range list {
			all = append(all, Hunk{File: "a", Ruling: r})
		}
		return all
	}
	tests := []struct {
		hunks []Hunk
		want  Ruling
	}{
		{nil, Pause},
		{of(Approve, Approve), Approve},
		{of(Approve, Pushback), Pushback},
		{of(Pushback, Pause, Approve), Pause},
		{of(Approve, "MAYBE"), Pause},
	}
	for _, tt := range tests {
		if got := Sum(tt.hunks); got != tt.want {
			t.Errorf("%v come to %s, want %s", tt.hunks, got, tt.want)
		}
	}
}

func TestCombine(t *testing.T) {
	hunk := func(r Ruling) Hunk {
		return Hunk{File: "a.go", Range: "-1 +1", Rule: "T15", Ruling: r, Reason: "rubric"}
	}
	said := func(r Ruling) HunkVerdict {
		return HunkVerdict{File: "a.go", Range: "-1 +1", Verdict: r, Reason: "review"}
	}
	tests := []struct {
		says   string
		rubric Hunk
		said   []HunkVerdict
		want   Ruling
		reason string
	}{
		{"both approve", hunk(Approve), []HunkVerdict{said(Approve)}, Approve, "rubric"},
		{"the review pushes back", hunk(Approve), []HunkVerdict{said(Pushback)}, Pushback, "review"},
		{"the review does not take a hold back", hunk(Pause), []HunkVerdict{said(Approve)}, Pause, "rubric"},
		{"the gravest of two verdicts", hunk(Approve), []HunkVerdict{said(Approve), said(Pause), said(Pushback)}, Pause, "review"},
		{"no verdict", hunk(Approve), nil, Pause, ReasonSilent},
		{"a verdict on another hunk", hunk(Approve), []HunkVerdict{{File: "a.go", Range: "-9 +9", Verdict: Approve}}, Pause, ReasonSilent},
		{"a word that is no verdict", hunk(Approve), []HunkVerdict{said("LGTM")}, Pause, "review"},
		{"the push as a whole has no verdict", Hunk{Rule: "P2", Ruling: Pause, Reason: "rubric"}, nil, Pause, "rubric"},
	}
	for _, tt := range tests {
		got := Combine([]Hunk{tt.rubric}, tt.said)
		if len(got) != 1 || got[0].Ruling != tt.want || got[0].Reason != tt.reason {
			t.Errorf("%s: %+v, want %s (%s)", tt.says, got, tt.want, tt.reason)
		}
	}
}

// Whatever a review says, nothing that the rubric holds is let through.
func TestCombineNeverLetsThrough(t *testing.T) {
	rulings := rapid.SampledFrom([]Ruling{Approve, Pushback, Pause, "X"})
	rapid.Check(t, func(t *rapid.T) {
		var rubric []Hunk
		var said []HunkVerdict
		for range rapid.IntRange(1, 4).Draw(t, "hunks") {
			file := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "file")
			rubric = append(rubric, Hunk{File: file, Ruling: rulings.Draw(t, "ruling")})
			said = append(said, HunkVerdict{File: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "of"), Verdict: rulings.Draw(t, "said")})
		}
		got := Combine(rubric, said)
		for i := range rubric {
			if gravity(got[i].Ruling) < gravity(rubric[i].Ruling) {
				t.Fatalf("%v became %v by %v", rubric[i], got[i], said)
			}
		}
	})
}

func TestTheVerdictComment(t *testing.T) {
	q := Quoting{Text: func(s string) string { return "<" + s + ">" }, Code: func(s string) string { return "`" + s + "`" }}
	r := Judging{Iteration: 2, Head: "1f0c9a2e00000000000000000000000000000000", Rewritten: true, Hunks: []Hunk{
		{Rule: "P4", Ruling: Pause, Reason: "more lines change than the limit allows"},
		{File: "a @octocat.go", Range: "-1 +1", Ruling: Pushback, Reason: "wrong"},
		{File: "b.go", Ruling: Approve, Reason: "fine"},
	}}
	want := `### Review of the agent's commits, iteration 2

At 1f0c9a2, 2 hunks. The branch was rewritten, so the change is taken from where it parts from what was judged last.

- **PAUSE** the push as a whole: <more lines change than the limit allows>
- **PUSHBACK** ` + "`a @octocat.go` `-1 +1`" + `: <wrong>
- **APPROVE** ` + "`b.go`" + `: <fine>

**Verdict: PAUSE**`
	if diff := cmp.Diff(want, r.Comment(q)); diff != "" {
		t.Errorf("comment (-want +got):\n%s", diff)
	}
	r.Hunks = []Hunk{{File: "a.go", Ruling: Pushback, Reason: strings.Repeat("é", 4000)}}
	if got := r.Comment(q); len(got) > 600 || !strings.Contains(got, "é…>") {
		t.Errorf("a long reason makes a comment of %d bytes", len(got))
	}
	r.Hunks = make([]Hunk, maxShown+3)
	if got := r.Comment(q); !strings.Contains(got, "- and 3 more\n") || strings.Count(got, "\n- ") != maxShown+1 {
		t.Errorf("a long comment lists %d lines", strings.Count(got, "\n- "))
	}
}
