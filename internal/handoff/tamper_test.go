package handoff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/facts"
)

// changed is a modified file with one hunk of these lines; its counts follow.
func changed(path string, lines ...string) Changed {
	c := Changed{Path: path, Status: "modified", Patch: "@@ -1,9 +1,9 @@ func x\n" + strings.Join(lines, "\n")}
	for _, l := range lines {
		switch l[0] {
		case '+':
			c.Additions++
		case '-':
			c.Deletions++
		}
	}
	return c
}

func TestJudge(t *testing.T) {
	named := func(paths ...string) []facts.Finding {
		var list []facts.Finding
		for _, p := range paths {
			list = append(list, facts.Finding{ID: p, Path: p})
		}
		return list
	}
	edit := []string{" a", "-b", "+c"}
	removed := func(path string) Changed {
		return Changed{Path: path, Status: "removed", Deletions: 1, Patch: "@@ -1 +0,0 @@\n-x"}
	}
	tests := []struct {
		says string
		file Changed
		on   []facts.Finding
		rule string
		want Ruling
	}{
		{"a file that a finding names", changed("a.go", edit...), named("a.go"), "T15", Approve},
		{"a failed check may be mended anywhere", changed("a.go", edit...), []facts.Finding{{ID: "check:build"}}, "T15", Approve},
		{"a file that no finding names", changed("b.go", edit...), named("a.go"), "T14", Pushback},
		{"a test need not be named", changed("b_test.go", "+func TestB(t *testing.T) {", "+\tt.Errorf(\"x\")", "+}"), named("a.go"), "T15", Approve},
		{"a path out of the repository", changed("../a.go", edit...), named("../a.go"), "T1", Pause},
		{"a workflow, even one that a finding names", changed(".github/workflows/ci.yml", edit...), named(".github/workflows/ci.yml"), "T2", Pause},
		{"a workflow in other letters", changed(".GitHub/Workflows/ci.yml", edit...), named("a.go"), "T2", Pause},
		{"a workflow moved away", Changed{Path: "old.yml", Previous: ".github/workflows/ci.yml", Status: "renamed"}, named("old.yml"), "T2", Pause},
		{"an action in a folder", changed("tools/setup/action.yaml", edit...), named("a.go"), "T2", Pause},
		{"prloop's own configuration", changed(".github/prloop.yml", edit...), named("a.go"), "T2", Pause},
		{"the code owners", changed(".github/CODEOWNERS", edit...), named(".github/CODEOWNERS"), "T3", Pause},
		{"the code owners at the root", changed("CODEOWNERS", edit...), named("a.go"), "T3", Pause},
		{"elsewhere it is a file like any", changed("x/CODEOWNERS", edit...), named("x/CODEOWNERS"), "T15", Approve},
		{"prloop's own folder", changed(".prloop/brief.json", edit...), named("a.go"), "T4", Pause},
		{"a file that is never committed", changed("my.local", edit...), named("my.local"), "T4", Pause},
		{"what fixers are told", changed("AGENTS.md", edit...), []facts.Finding{{ID: "check:build"}}, "T5", Pause},
		{"a finding is about it", changed("AGENTS.md", edit...), named("AGENTS.md"), "T15", Approve},
		{"the rules of a linter, because the linter failed", changed(".golangci.yml", edit...), []facts.Finding{{ID: "check:lint"}}, "T6", Pause},
		{"a lock file", changed("web/package-lock.json", edit...), named("a.go"), "T7", Pause},
		{"a lock file whose manifest a finding names", changed("web/package-lock.json", edit...), named("web/package.json"), "T15", Approve},
		{"the manifest of another folder", changed("web/package-lock.json", edit...), named("package.json"), "T7", Pause},
		{"a deleted test", removed("a_test.go"), named("a_test.go"), "T8", Pause},
		{"a deleted file that is no test", removed("a.go"), named("a.go"), "T15", Approve},
		{"a test that is no longer called one", Changed{Path: "a.txt", Previous: "a_test.go", Status: "renamed"}, named("a.txt"), "T8", Pause},
		{"a test that is only moved", Changed{Path: "b/a_test.go", Previous: "a_test.go", Status: "renamed"}, named("a.go"), "T15", Approve},
		{"a test function taken out", changed("a_test.go", "-func TestX(t *testing.T) {", "-}", "+var x = 1"), named("a_test.go"), "T8", Pause},
		{"one replaced by another", changed("a_test.go", "-func TestX(t *testing.T) {", "+func TestY(t *testing.T) {"), named("a_test.go"), "T15", Approve},
		{"Go: a skip", changed("a_test.go", "+\tt.Skip(\"flaky\")"), named("a_test.go"), "T9", Pause},
		{"JavaScript: a skip", changed("src/a.test.ts", "-it('x', () => {", "+it.skip('x', () => {"), named("src/a.test.ts"), "T8", Pause},
		{"JavaScript: only one of them runs", changed("src/a.spec.ts", "+describe.only('x', () => {})"), named("src/a.spec.ts"), "T9", Pause},
		{"Python: a skip", changed("tests/a.py", "+@pytest.mark.skip"), named("tests/a.py"), "T9", Pause},
		{"Java: a skip", changed("src/AThingTest.java", "+  @Disabled"), named("src/AThingTest.java"), "T9", Pause},
		{"Rust: a skip", changed("tests/a.rs", "+#[ignore]"), named("tests/a.rs"), "T9", Pause},
		{"a skip taken back", changed("a_test.go", "-\tt.Skip(\"flaky\")"), named("a_test.go"), "T15", Approve},
		{"skip is a word elsewhere", changed("stream.ts", "+x.pipe(it.skip(1))"), named("stream.ts"), "T15", Approve},
		{"Go: an assertion taken out", changed("a_test.go", "-\t\tt.Errorf(\"x\")", "+\t\t_ = got"), named("a_test.go"), "T10", Pause},
		{"Go: one made a comment", changed("a_test.go", "-\tassert.Equal(t, a, b)", "+\t// assert.Equal(t, a, b)"), named("a_test.go"), "T10", Pause},
		{"JavaScript: an assertion that cannot fail", changed("a.test.js", "-  expect(x).toBe(1)", "+  expect(true).toBe(true)"), named("a.test.js"), "T10", Pause},
		{"Python: an assertion that cannot fail", changed("test_a.py", "-    assert x == 1", "+    assert True"), named("test_a.py"), "T10", Pause},
		{"Rust: an assertion taken out", changed("tests/a.rs", "-    assert!(x);", "+    drop(x);"), named("tests/a.rs"), "T10", Pause},
		{"an assertion changed", changed("a_test.go", "-\tassert.Equal(t, 1, b)", "+\tassert.Equal(t, 2, b)"), named("a_test.go"), "T15", Approve},
		{"assertions of code are the code's", changed("a.py", "-    assert x"), named("a.py"), "T15", Approve},
		{"a binary file", Changed{Path: "a.png", Status: "modified"}, named("a.png"), "T11", Pause},
		{"a patch that was cut", Changed{Path: "a.go", Status: "modified", Additions: 3, Patch: "@@ -0,0 +1,3 @@\n+x"}, named("a.go"), "T11", Pause},
		{"a patch without a header", Changed{Path: "a.go", Status: "modified", Patch: "nothing"}, named("a.go"), "T11", Pause},
		{"too many lines", changed("a.go", slices.Repeat([]string{"+x"}, 401)...), named("a.go"), "T12", Pause},
		{"a silenced linter", changed("a.go", "-\tx()", "+\tx() //nolint:errcheck // it does not matter"), named("a.go"), "T13", Pushback},
		{"a silenced linter in Python", changed("a.py", "+import x  # noqa"), named("a.py"), "T13", Pushback},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got := Judge(Push{Files: []Changed{tt.file}, Complete: true}, tt.on, Limits{NeverCommit: []string{"*.local"}})
			if len(got) != 1 || got[0].Rule != tt.rule || got[0].Ruling != tt.want {
				t.Fatalf("rulings are %v, want one of %s by %s", got, tt.want, tt.rule)
			}
			if got[0].Reason == "" || got[0].File != tt.file.Path {
				t.Errorf("ruling %+v has no reason or another file", got[0])
			}
		})
	}
}

func TestJudgeHasARowForEachHunk(t *testing.T) {
	patch := "@@ -1,2 +1,2 @@ func a() {\n-\tassert.True(t, x)\n+\tx()\n@@ -9 +9,2 @@\n \tb\n+\tc\n\\ No newline at end of file\n@@ -20,0 +22 @@\n+\tassert.True(t, x)"
	push := Push{Complete: true, Files: []Changed{
		{Path: "a.go", Status: "modified", Additions: 1, Patch: "@@ -3,0 +4 @@\n+x"},
		{Path: "a_test.go", Status: "modified", Additions: 3, Deletions: 1, Patch: patch},
	}}
	on := []facts.Finding{{ID: "T1", Path: "a.go"}}
	const ok = "nothing speaks against it"
	want := []Hunk{
		{"a.go", "-3,0 +4", "T15", Approve, ok},
		{"a_test.go", "-1,2 +1,2", "T15", Approve, ok}, // the assertion only moved
		{"a_test.go", "-9 +9,2", "T15", Approve, ok},
		{"a_test.go", "-20,0 +22", "T15", Approve, ok},
	}
	if diff := cmp.Diff(want, Judge(push, on, Limits{})); diff != "" {
		t.Errorf("rulings (-want +got):\n%s", diff)
	}
	push.Files[1].Patch, push.Files[1].Additions = strings.TrimSuffix(patch, "\n@@ -20,0 +22 @@\n+\tassert.True(t, x)"), 2
	held := []Hunk{{"a_test.go", "-1,2 +1,2", "T10", Pause, "it takes assertions out of tests"}}
	if diff := cmp.Diff(held, Held(Judge(push, on, Limits{}))); diff != "" {
		t.Errorf("rulings that hold (-want +got):\n%s", diff)
	}
}

func TestJudgeThePush(t *testing.T) {
	small := changed("a.go", "+x")
	tests := []struct {
		says   string
		push   Push
		limits Limits
		want   []string // rules that hold
	}{
		{"within its limits", Push{[]Changed{small}, true}, Limits{}, nil},
		{"not all of it is known", Push{[]Changed{small}, false}, Limits{}, []string{"P1"}},
		{"nothing is known", Push{}, Limits{}, []string{"P1"}},
		{"it changes nothing", Push{nil, true}, Limits{}, []string{"P2"}},
		{"more files than the limit", Push{slices.Repeat([]Changed{small}, 51), true}, Limits{}, []string{"P3"}},
		{"more files than a limit of the repository's", Push{[]Changed{small, small}, true}, Limits{Files: 1}, []string{"P3"}},
		{"more lines than the limit", Push{slices.Repeat([]Changed{changed("a.go", slices.Repeat([]string{"+x"}, 400)...)}, 3), true}, Limits{}, []string{"P4"}},
		{"a limit of the repository's", Push{slices.Repeat([]Changed{changed("a.go", slices.Repeat([]string{"+x"}, 400)...)}, 3), true}, Limits{Lines: 1200}, nil},
		{"more lines of a file than a limit of the repository's", Push{[]Changed{changed("a.go", "+x", "-y")}, true}, Limits{FileLines: 1}, []string{"T12"}},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			var got []string
			for _, h := range Held(Judge(tt.push, []facts.Finding{{ID: "T", Path: "a.go"}}, tt.limits)) {
				got = append(got, h.Rule)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rules that hold (-want +got):\n%s", diff)
			}
		})
	}
}

// The rows have ids in order; the ones that hold come before the others.
func TestTamperRows(t *testing.T) {
	rows := TamperRows()
	for i, r := range rows {
		want := fmt.Sprintf("P%d", i+1)
		if i >= len(pushRows) {
			want = fmt.Sprintf("T%d", i+1-len(pushRows))
		}
		if r[0] != want || r[2] == "" {
			t.Errorf("row %q, want the id %s and words", r, want)
		}
	}
	if !slices.IsSortedFunc(tamperRows, func(a, b tamperRow) int {
		order := []Ruling{Pause, Pushback, Approve}
		return slices.Index(order, a.ruling) - slices.Index(order, b.ruling)
	}) {
		t.Error("a row that holds stands below one that does not")
	}
}

// Judge has a ruling for whatever a push may be.
func TestJudgeIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Push
		for range rapid.IntRange(0, 4).Draw(t, "files") {
			p.Files = append(p.Files, Changed{
				Path:      rapid.SampledFrom([]string{"", "a.go", "a_test.go", "../x", ".github/workflows/x.yml", "go.sum"}).Draw(t, "path"),
				Previous:  rapid.SampledFrom([]string{"", "", "b_test.go"}).Draw(t, "previous"),
				Status:    rapid.SampledFrom([]string{"added", "removed", "modified", "renamed", "copied", "changed", "unchanged", "new word"}).Draw(t, "status"),
				Additions: rapid.IntRange(-1, 2).Draw(t, "additions"),
				Patch:     strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"@@ -1 +1 @@", "@@", "+x", "-assert(", " ", "", "\\"}), 0, 6).Draw(t, "lines"), "\n"),
			})
		}
		p.Complete = rapid.Bool().Draw(t, "complete")
		rulings := Judge(p, []facts.Finding{{Path: "a.go"}}, Limits{})
		files := map[string]bool{}
		for _, h := range rulings {
			files[h.File] = true
			if h.Reason == "" || h.Rule == "" || !slices.Contains([]Ruling{Approve, Pushback, Pause}, h.Ruling) || strings.Contains(h.String(), "\n") {
				t.Fatalf("ruling %+v", h)
			}
		}
		for _, f := range p.Files {
			if !files[f.Path] {
				t.Fatalf("%q has no ruling", f.Path)
			}
		}
		if (!p.Complete || len(p.Files) == 0) && len(Held(rulings)) == 0 {
			t.Fatal("a push of which nothing is known is not held")
		}
	})
}
