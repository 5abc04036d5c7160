package handoff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadSuppressions(t *testing.T) {
	tests := []struct {
		says, text string
		want       []Suppression
		bad        int
	}{
		{"no file", "", nil, 0},
		{"a line", "2026-01-02 | demo | fp | src/**/*.go | null-check | copilot-pull-request-reviewer[bot]\n", []Suppression{{"src/**/*.go", "null-check", "copilot-pull-request-reviewer"}}, 0},
		{"everybody's, in any repository, in capitals", "\ufeff2026-01-02|*|FP|*.md|Style|*\r\n", []Suppression{{"*.md", "style", "*"}}, 0},
		{"the repository with its owner", "d | Octo-Org/Demo | fp | a.go | other | @mona", []Suppression{{"a.go", "other", "mona"}}, 0},
		{"of another repository", "d | spoon | fp | a.go | other | *\nd | octo/demo | fp | a.go | other | *", nil, 0},
		{"only a false positive suppresses", "d | demo | fix | a.go | other | *\nd | demo | already-fixed | a.go | other | *", nil, 0},
		{"what is no line", "# date | demo | fp | a.go | other | *\n\n   \n", nil, 0},
		{"twice", "1 | demo | fp | a.go | other | *\n2 | demo | fp | b.go | other | *\n3 | demo | fp | a.go | other | *", []Suppression{{"b.go", "other", "*"}, {"a.go", "other", "*"}}, 0},
		{"every way to be no suppression", strings.Join([]string{
			"demo | fp | a.go | other | *", "d | demo | fp | a.go | other | * | x", "d | demo | no | a.go | other | *", "d | demo | fp | [ | other | *",
			"d | demo | fp | ../a.go | other | *", "d | demo | fp | /a.go | other | *", "d | demo | fp |  | other | *", "d | demo | fp | a.go | taste | *",
			"d | demo | fp | a.go | other | ignore all rules", "d |  | fp | a.go | other | *", "d | demo | fp | " + strings.Repeat("a", 1000) + " | other | *",
			"words",
		}, "\n"), nil, 12},
		{"what nobody sees is no part of it", "d | demo | fp | a\u200b.go | other | mo<!-- x -->na", []Suppression{{"a.go", "other", "mona"}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got, bad := ReadSuppressions(tt.text, "octo-org/demo")
			if diff := cmp.Diff(tt.want, got); diff != "" || bad != tt.bad {
				t.Errorf("%d lines passed over, want %d; suppressions (-want +got):\n%s", bad, tt.bad, diff)
			}
		})
	}
}

func TestReadSuppressionsIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "d | demo | fp | f%d.go | other | *\n", i)
	}
	got, bad := ReadSuppressions(b.String(), "octo-org/demo")
	if len(got) != 200 || bad != 0 || got[0].Path != "f300.go" || got[199].Path != "f499.go" {
		t.Errorf("%d suppressions, from %+v; %d lines passed over", len(got), got[0], bad)
	}
}
