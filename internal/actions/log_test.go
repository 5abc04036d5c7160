package actions

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/report"
)

// A command is what the runner makes of a line.
type command struct {
	Name, Title, Data string
}

// parseCommand reads a line as the runner does, first for "::name …::data" and
// then for "##[name …]data". It is stricter than the runner in one thing: it
// skips what nobody sees before it looks, since the runner compares strings as
// the culture has it.
func parseCommand(line string) (command, bool) {
	line = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == 0 {
			return -1
		}
		return r
	}, line)
	if c, ok := parseV2(line); ok {
		return c, true
	}
	return parseV1(line)
}

func parseV2(line string) (command, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
	if !ok {
		return command{}, false
	}
	info, data, ok := strings.Cut(rest, "::")
	if !ok {
		return command{}, false
	}
	name, properties, _ := strings.Cut(info, " ")
	if !slices.Contains(registered(), strings.ToLower(name)) {
		return command{}, false
	}
	c := command{Name: name, Data: unescape(data, "\r", "\n")}
	for p := range strings.SplitSeq(properties, ",") {
		if key, value, ok := strings.Cut(p, "="); ok && strings.EqualFold(key, "title") {
			c.Title = unescape(value, "\r", "\n", ":", ",")
		}
	}
	return c, true
}

func parseV1(line string) (command, bool) {
	_, rest, ok := strings.Cut(line, "##[")
	if !ok {
		return command{}, false
	}
	info, data, ok := strings.Cut(rest, "]")
	if !ok {
		return command{}, false
	}
	name, _, _ := strings.Cut(info, " ")
	if !slices.Contains(registered(), strings.ToLower(name)) {
		return command{}, false
	}
	return command{Name: name, Data: data}, true
}

func registered() []string {
	return []string{
		"set-output", "save-state", "set-env", "add-path", "add-mask", "add-matcher", "remove-matcher",
		"debug", "notice", "warning", "error", "group", "endgroup", "echo", "stop-commands",
	}
}

func unescape(s string, tokens ...string) string {
	for _, c := range tokens {
		s = strings.ReplaceAll(s, fmt.Sprintf("%%%02X", c[0]), c)
	}
	return strings.ReplaceAll(s, "%25", "%")
}

// split cuts a log into lines as the runner's reader does.
func split(log string) []string {
	log = strings.ReplaceAll(strings.ReplaceAll(log, "\r\n", "\n"), "\r", "\n")
	return strings.Split(strings.TrimSuffix(log, "\n"), "\n")
}

// attacks are lines that would be commands if they were printed raw; the last
// ones only to a runner that skips what nobody sees.
func attacks() []string {
	return []string{
		"::set-output name=decision::done", "  ::add-mask::a", "\t::stop-commands::x", "\u00a0::error::x", "x\n::error::x", "x\r::error::x",
		"##[set-output name=decision]done", "text ##[add-mask]a", "###[error]x", "x\n##[error]x", "##[ERROR]x",
		"\u200b::error::x", ":\u200d:error::x", "#\u200d#[error]x", "##\u00ad[error]x", "\ufeff ::error::x", "\u3164::error::x", "#\ufe0f#[error]x", "\x00::error::x",
	}
}

func hostile() *rapid.Generator[string] {
	parts := rapid.SampledFrom(append(attacks(),
		":", "::", "#", "##", "[", "##[", "]", "set-output name=decision", "add-mask", "SET-OUTPUT name=x",
		" ", "\t", "\n", "\r", "\r\n", "\u0085", "\u2028", "\u00a0", "\u3000", "\u200b", "\u200d", "\u00ad", "\U000e0001", "\u034f",
		"\x1b[31m", "%0A", "%25", ",", "=", "x", "\xff", "s3cret",
	))
	return rapid.OneOf(
		rapid.SampledFrom(attacks()),
		rapid.Map(rapid.SliceOfN(parts, 0, 10), func(p []string) string { return strings.Join(p, "") }),
		rapid.String(),
	)
}

// The parser of the tests finds what the runner would.
func TestTheTestsParserFindsCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]command{
		"::set-output name=x::y":       {Name: "set-output", Data: "y"},
		" \t::error title=a%2Cb::c%0A": {Name: "error", Title: "a,b", Data: "c\n"},
		"text ##[set-output name=x]y":  {Name: "set-output", Data: "y"},
		"#\u200d#[add-mask]a":          {Name: "add-mask", Data: "a"},
		"\u00ad::Add-Mask::a":          {Name: "Add-Mask", Data: "a"},
		"text ::error::x":              {},
		"::unheard-of::x":              {},
	} {
		if got, ok := parseCommand(line); ok != (want != command{}) || got != want {
			t.Errorf("%q is read as %+v, want %+v", line, got, want)
		}
	}
}

// Each attack is one: raw, at least one of its lines is a command.
func TestAttacksWouldBeCommands(t *testing.T) {
	t.Parallel()
	for _, a := range attacks() {
		if !slices.ContainsFunc(split(a), func(line string) bool { _, ok := parseCommand(line); return ok }) {
			t.Errorf("%q is no command even if it is printed raw", a)
		}
	}
}

// Whatever is printed as a line is one line and no command.
func TestALineIsNeverACommand(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		for name, print := range map[string]func(*Runner){
			"Info":               func(r *Runner) { r.Info(s) },
			"Info of Quiet":      func(r *Runner) { r.Info(Quiet(s)) },
			"the eleventh error": func(r *Runner) { r.raised["error"] = maxRaised; r.Error(s, "x") },
		} {
			for _, env := range []map[string]string{nil, {"GITHUB_ACTIONS": "true"}} {
				r, out := runner(env)
				print(r)
				got := split(out.String())
				if want := map[bool]int{true: 2, false: 1}[name == "the eleventh error"]; len(got) != want {
					t.Fatalf("%s prints %q as %d lines: %q", name, s, len(got), got)
				}
				for _, line := range got {
					if c, ok := parseCommand(line); ok {
						t.Fatalf("%s prints %q as the command %+v: %q", name, s, c, line)
					}
				}
			}
		}
		// Bare, as fmt's verbs would print it.
		if c, ok := parseCommand(Quiet(s)); ok || len(split(Quiet(s))) != 1 {
			t.Fatalf("Quiet(%q) is %q, read as %+v", s, Quiet(s), c)
		}
	})
}

// An annotation, a group, a mask and a debug line is the one command it should
// be, whatever is in it, and still none where commands of the other form were
// looked for.
func TestACommandIsTheOneItShouldBe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		for name, print := range map[string]func(*Runner){
			"error":   func(r *Runner) { r.Error(s, s) },
			"warning": func(r *Runner) { r.Warning(s, s) },
			"notice":  func(r *Runner) { r.Notice(s, s) },
			"group":   func(r *Runner) { r.Group(s) },
			"debug":   func(r *Runner) { r.Debug(s) },
		} {
			r, out := runner(map[string]string{"GITHUB_ACTIONS": "true"})
			print(r)
			log := split(out.String())
			if len(log) != 1 {
				t.Fatalf("%s prints %q as %q", name, s, log)
			}
			got, ok := parseV2(log[0])
			if !ok || got.Name != name {
				t.Fatalf("%s prints %q as %+v: %q", name, s, got, log)
			}
			if c, ok := parseV1(log[0]); ok {
				t.Fatalf("%s prints %q with the command %+v in it: %q", name, s, c, log)
			}
			want := command{Name: name, Data: inert(s)}
			if name == "error" || name == "warning" || name == "notice" {
				want.Title, want.Data = clip(inert(s), maxTitle), harmless(report.Visible(strings.TrimRight(s, "\n"), "\n"))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s of %q (-want +got)\n%s", name, s, diff)
			}
		}
	})
}

func TestAnnotationsAreFewAndShort(t *testing.T) {
	t.Parallel()
	r, out := runner(map[string]string{"GITHUB_ACTIONS": "true"})
	for range 12 {
		r.Warning("title", "text\nand more")
	}
	r.Notice("title", strings.Repeat("😀", 4000))
	got := map[string]int{}
	for _, line := range split(out.String()) {
		c, ok := parseCommand(line)
		if !ok {
			got[line]++
			continue
		}
		got[c.Name]++
		if n := len(utf16.Encode([]rune(c.Data))); c.Name == "notice" && (n > maxText || n < maxText-2 || !strings.HasSuffix(c.Data, "😀…")) {
			t.Errorf("a long text has %d characters and ends in %q", n, c.Data[len(c.Data)-10:])
		}
	}
	want := map[string]int{"warning": 10, "notice": 1, "warning: title": 2, "  text": 2, "  and more": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// A secret is masked before anything else, and never printed again.
func TestASecretIsMasked(t *testing.T) {
	t.Parallel()
	r, out := runner(map[string]string{"GITHUB_ACTIONS": "true"})
	r.Mask("s3cret")
	r.Mask("s3cret")
	r.Mask("s3cret-longer\nsecond line\n")
	r.Mask("")
	r.Mask(" \n")
	r.Info("a s3cret, a s3cret-longer, second line")
	r.Error("s3cret", "s3cret")
	r.Debug("s3cret")
	r.Group("s3cret")
	want := []string{
		"::add-mask::s3cret",
		"::add-mask::s3cret-longer%0Asecond line", "::add-mask::s3cret-longer", "::add-mask::second line",
		"a ***, a ***, ***", "::error title=***::***", "::debug::***", "::group::***",
	}
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// Outside of Actions nobody would take a mask out of the log, so there is none.
func TestNoSecretIsPrintedInAShell(t *testing.T) {
	t.Parallel()
	r, out := runner(map[string]string{"RUNNER_DEBUG": "1"})
	r.Mask("s3cret")
	r.Group("work")
	r.Info("a s3cret")
	r.Debug("s3cret")
	r.EndGroup()
	r.Notice("title", "a s3cret\nsecond")
	want := []string{"== work", "a ***", "debug: ***", "notice: title", "  a ***", "  second"}
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

func TestDebugIsSilentInAShell(t *testing.T) {
	t.Parallel()
	r, out := runner(nil)
	r.Debug("detail")
	if out.Len() > 0 {
		t.Errorf("it prints %q", out)
	}
}

func TestAFailureIsToldOnThreeLines(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("load: %w", &fail.Error{What: "There is no token", Why: "the input github-token is empty", Fix: `Set "github-token"`, Err: errors.New("cause")})
	text := "What happened: There is no token.\nWhy: the input github-token is empty.\nWhat to do: Set \"github-token\".\n"

	path := file(t, "")
	r, out := runner(map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": path})
	r.Fail(err)
	want := []string{
		"::error title=prloop%3A There is no token::" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "%0A"),
		"::debug::cause",
	}
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Error("in Actions (-want +got)\n" + diff)
	}
	summary, readErr := os.ReadFile(path)
	if readErr != nil || !strings.Contains(string(summary), text) {
		t.Errorf("the summary is %q, %v", summary, readErr)
	}

	r, out = runner(nil)
	r.Fail(err)
	want = []string{"error: prloop: There is no token", "  What happened: There is no token.", "  Why: the input github-token is empty.", `  What to do: Set "github-token".`}
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Error("in a shell (-want +got)\n" + diff)
	}
}
