package actions

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/report"
)

// The runner parses every line of stdout and of stderr, in two forms
// (actions/runner, ActionCommand.cs): "::command …::" at the start of a line,
// behind any blanks, and "##[command …]" anywhere in it. It compares as the
// culture has it, which skips characters that nobody sees, so none of those is
// printed. "::set-output" and "##[set-output" still set outputs.

// Info prints one line, which the runner reads as no command. Line ends and
// what nobody sees in it stand as escapes. Text of strangers goes through
// [Quiet] first, so that it is seen where it begins and ends.
func (r *Runner) Info(line string) { r.gh.Infof("%s", inert(r.redact(line))) }

// inert is s as one line that is no command.
func inert(s string) string {
	s = harmless(report.Visible(s, ""))
	if blanks := len(s) - len(strings.TrimLeft(s, " ")); strings.HasPrefix(s[blanks:], "::") {
		s = s[:blanks] + ": :" + s[blanks+2:]
	}
	return s
}

// harmless breaks up the command that may stand anywhere.
func harmless(s string) string { return strings.ReplaceAll(s, "##[", "# #[") }

// Quiet quotes a stranger's text for the log: one line, in quotes, in which
// nothing is a command and everything is seen.
func Quiet(s string) string { return harmless(report.Visible(strconv.Quote(s), "")) }

// Debug prints a line that is shown where step debug logging is on.
func (r *Runner) Debug(line string) {
	switch line = inert(r.redact(line)); {
	case r.InActions():
		r.gh.Debugf("%s", line)
	case r.Debugging():
		r.Info("debug: " + line)
	}
}

// Group begins a group of lines under a title, which ends with [Runner.EndGroup].
// Groups do not nest.
func (r *Runner) Group(title string) {
	title = inert(r.redact(title))
	if r.InActions() {
		r.gh.Group(title)
		return
	}
	r.Info("== " + title)
}

// EndGroup ends a group.
func (r *Runner) EndGroup() {
	if r.InActions() {
		r.gh.EndGroup()
	}
}

// Mask keeps a secret out of the log, ours and what the runner shows of later
// steps. It is called before anything else is printed. Nothing is masked for an
// empty secret, and outside of Actions the secret itself is not printed.
func (r *Runner) Mask(secret string) {
	var fresh []string
	for _, s := range append([]string{secret}, strings.FieldsFunc(secret, func(c rune) bool { return c == '\n' || c == '\r' })...) {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(fresh, s) {
			fresh = append(fresh, s)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range fresh {
		if slices.Contains(r.secrets, s) {
			continue
		}
		if r.InActions() {
			r.gh.AddMask(s)
		}
		r.secrets = append(r.secrets, s)
	}
	sort.SliceStable(r.secrets, func(i, j int) bool { return len(r.secrets[i]) > len(r.secrets[j]) })
}

// redact is s without secrets.
func (r *Runner) redact(s string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, "***")
	}
	return s
}

// Limits of annotations (actions/runner, ExecutionContext.cs): what is above
// them is cut or lost without a word.
const (
	maxRaised = 10   // of each level, for one step
	maxText   = 4096 // in UTF-16
	maxTitle  = 200
)

// Notice raises a notice. Above ten of a level, annotations become lines of the
// log; a text of more than 4,096 characters is cut.
func (r *Runner) Notice(title, text string) { r.raise(report.LevelNotice, title, text) }

// Warning raises a warning, within the limits of [Runner.Notice].
func (r *Runner) Warning(title, text string) { r.raise(report.LevelWarning, title, text) }

// Error raises an error, within the limits of [Runner.Notice]. It does not end
// the run.
func (r *Runner) Error(title, text string) { r.raise(report.LevelError, title, text) }

// Annotate raises an annotation at its level.
func (r *Runner) Annotate(a report.Annotation) { r.raise(a.Level, a.Title, a.Text) }

// Fail tells of an error with its three lines, as an annotation and in the job
// summary. Its cause is for the debug log.
func (r *Runner) Fail(err error) {
	summary, a := report.Failure(err)
	r.Annotate(a)
	if cause := fail.Of(err).Err; cause != nil {
		r.Debug(cause.Error())
	}
	if r.getenv("GITHUB_STEP_SUMMARY") != "" { // without a file it would say the same twice
		r.Summary(summary)
	}
}

func (r *Runner) raise(level report.Level, title, text string) {
	r.mu.Lock()
	r.raised[string(level)]++
	full := r.raised[string(level)] > maxRaised
	r.mu.Unlock()
	title = clip(inert(r.redact(title)), maxTitle)
	text = strings.TrimRight(r.redact(text), "\n")
	if !r.InActions() || full {
		r.Info(string(level) + ": " + title)
		for line := range strings.Lines(text) {
			r.Info("  " + strings.TrimRight(line, "\n"))
		}
		return
	}
	text = clip(harmless(report.Visible(text, "\n")), maxText)
	gh := r.gh.WithFieldsMap(map[string]string{"title": title})
	switch level {
	case report.LevelNotice:
		gh.Noticef("%s", text)
	case report.LevelWarning:
		gh.Warningf("%s", text)
	case report.LevelError:
		gh.Errorf("%s", text)
	}
}

// clip shortens s to at most n characters as .NET counts them.
func clip(s string, n int) string {
	units := utf16.Encode([]rune(s))
	if len(units) <= n {
		return s
	}
	end := n - 1
	if utf16.IsSurrogate(rune(units[end-1])) && units[end-1] < 0xdc00 {
		end-- // half of a pair
	}
	return string(utf16.Decode(units[:end])) + "…"
}
