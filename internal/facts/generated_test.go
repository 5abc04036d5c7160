package facts

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// The sentence as a regular expression says it, which is how it was written
// down first.
var generatedSentence = regexp.MustCompile(`(?:^|[^a-z])generated (\S+)(?: new)? comments?(\S*)(\s|$)`)

func TestGeneratedReadsTheSentence(t *testing.T) {
	parts := []string{"generated ", "no", "3", " new", " comment", "s", ".", " ", "\t", "x", "(", "new", "generated", "**"}
	rapid.Check(t, func(t *rapid.T) {
		line := ""
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(parts), 1, 10).Draw(t, "line") {
			line += p
		}
		var want [3]any
		if m := generatedSentence.FindStringSubmatch(line); m == nil {
			want = [3]any{"", false, false}
		} else {
			want = [3]any{m[1], m[2] == "" && m[3] == "" || m[2] == ".", true}
		}
		quantity, ended, ok := generated(line)
		if got := [3]any{quantity, ended, ok}; got != want {
			t.Fatalf("%q: %v, want %v", line, got, want)
		}
	})
}
