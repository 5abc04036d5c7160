package github

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// What is posted calls no bot, and has its marker once.
func TestPostedComment(t *testing.T) {
	t.Parallel()
	const words, marker = "@mona, ask @copilot yourself.", "<!-- prloop:note comment:round_cap_reached@HEAD -->"
	for _, body := range []string{words, words + "\n\n" + marker} {
		b := newBench(t)
		e := effect.Comment{Topic: "round_cap_reached", Head: b.head, Body: strings.ReplaceAll(body, "HEAD", b.head.Short())}
		b.deed(e)
		posted := b.w.Pull(b.n).Comments[0].Body
		if diff := cmp.Diff("@mona, ask @\u200bcopilot yourself.\n\n"+marker, b.plain(posted)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if topic, head, ok := effect.ParseNote(posted); topic != e.Topic || head != pr.SHA(b.head.Short()) || !ok {
			t.Errorf("it is read as %q, %q, %t", topic, head, ok)
		}
	}
}

func TestTame(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"the coding agent is not called", "Ask @copilot to look.", "Ask @\u200bcopilot to look."},
		{"in any case of letters", "@Copilot", "@\u200bCopilot"},
		{"by any of its names", "@copilot-swe-agent @copilot-pull-request-reviewer[bot]", "@\u200bcopilot-swe-agent @\u200bcopilot-pull-request-reviewer[bot]"},
		{"nor by a command", "/copilot\n/gemini review", "/\u200bcopilot\n/\u200bgemini review"},
		{"nor are others", "(@codex)@claude,@coderabbitai", "(@\u200bcodex)@\u200bclaude,@\u200bcoderabbitai"},
		{"nor any bot", "@some-app[bot]", "@\u200bsome-app[bot]"},
		{"a quotation is no shelter", "`@copilot`", "`@\u200bcopilot`"},
		{"people are", "@mona and @claudette", "@mona and @claudette"},
		{"an address is no mention", "mail x@copilot.example", "mail x@copilot.example"},
		{"a path is no command", "https://docs.github.com/en/rest/pulls/copilot-code-review", "https://docs.github.com/en/rest/pulls/copilot-code-review"},
		{"nothing to do", "", ""},
	}
	for _, tt := range tests {
		if got := tame(tt.body); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// However words are put together, nobody is called, only the zero width space
// is added, and taming twice is taming once.
func TestTameAlwaysTames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"@", "/", "copilot", "Codex", "[bot]", "-", " ", "\n", "x", "\u200b", "ü", "mona"})
		body := strings.Join(rapid.SliceOf(word).Draw(t, "body"), "")
		got := tame(body)
		if again := tame(got); again != got {
			t.Fatalf("%q, and tamed again %q", got, again)
		}
		if strings.ReplaceAll(got, "\u200b", "") != strings.ReplaceAll(body, "\u200b", "") {
			t.Fatalf("%q became %q", body, got)
		}
		for _, live := range []string{" @copilot", "\n@copilot", " /copilot", "@codex[bot]"} {
			if strings.Contains(strings.ToLower(" "+got), live) && !strings.Contains("x"+live, "x@codex[bot]") {
				t.Fatalf("%q has a live %q", got, live)
			}
		}
	})
}
