package actions

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/report"
)

// maxOutputs bounds all outputs together. GitHub refuses more than 1 MiB for a
// job, counted in UTF-16, when the job is over and with an error that names no
// output; it is better to know at once.
const maxOutputs = 1 << 20

var outputName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// SetOutputs sets outputs, all of them or, beside an error, none. Values arrive
// as they are. Where there is no file for them (GITHUB_OUTPUT is not set) they
// are printed for a person, and nothing is set.
func (r *Runner) SetOutputs(outs []report.Output) error {
	text, err := encode(outs)
	if err != nil {
		return err
	}
	path := r.getenv("GITHUB_OUTPUT")
	if path == "" {
		for _, o := range outs {
			r.Info(o.Name + ": " + o.Value)
		}
		return nil
	}
	if err := appendTo(path, text); err != nil {
		return &fail.Error{
			What: "The outputs could not be written",
			Why:  fmt.Sprintf("the file that GITHUB_OUTPUT names, %q: %v", path, cause(err)),
			Fix:  "Run prloop as a step of a workflow; from a shell, let GITHUB_OUTPUT name a file in a folder that exists, or leave it unset",
			Err:  err,
		}
	}
	return nil
}

// encode writes outs in the form of the file that GITHUB_OUTPUT names. Each
// value stands between two lines with a fresh random delimiter: behind a fixed
// one, as the library has it, a value that holds that line could set outputs of
// its own.
func encode(outs []report.Output) (string, error) {
	var b strings.Builder
	size := 0
	for _, o := range outs {
		if !outputName.MatchString(o.Name) {
			return "", fmt.Errorf("output name %q is not a name", o.Name)
		}
		// The runner decodes the file as UTF-8; what is none would be changed.
		value := strings.ToValidUTF8(o.Value, "\ufffd")
		size += 2 * len(utf16.Encode([]rune(o.Name+value)))
		delimiter := "prloop_" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.Name, delimiter, value, delimiter)
	}
	if size > maxOutputs {
		return "", &fail.Error{
			What: "The outputs are too large",
			Why:  fmt.Sprintf("they have %d bytes together; GitHub takes %d", size, maxOutputs),
			Fix:  "Report this: prloop has to keep its outputs small",
		}
	}
	return b.String(), nil
}

// maxSummary is what GitHub takes of one step
// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits).
const maxSummary = 1 << 20

// Summary adds Markdown to the job summary. Where there is no file for it
// (GITHUB_STEP_SUMMARY is not set) it is printed. One that cannot be added is
// worth a warning and no more.
//
// The library's AddStepSummary is not used: it panics where the file cannot be
// written, and knows no limit.
func (r *Runner) Summary(markdown string) {
	markdown = strings.TrimRight(r.redact(markdown), "\n") + "\n"
	path := r.getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		// A terminal makes no mention of anything, so what breaks them up is in
		// the way.
		for line := range strings.Lines(strings.ReplaceAll(markdown, "\u2060", "")) {
			r.Info(strings.TrimRight(line, "\n"))
		}
		return
	}
	size := int64(len(markdown))
	if there, err := os.Stat(path); err == nil && there.Size() > 0 {
		markdown = "\n" + markdown
		size += there.Size() + 1
	}
	if size > maxSummary {
		r.Warning("prloop", "The job summary has no room for all there is to tell, so a part of it is left out.")
		return
	}
	if err := appendTo(path, markdown); err != nil {
		r.Warning("prloop", fmt.Sprintf("The job summary could not be written: %v.", cause(err)))
	}
}

// appendTo adds text to the end of a file of the runner's, with one write.
func appendTo(path, text string) (err error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	_, err = f.WriteString(text)
	return err
}
