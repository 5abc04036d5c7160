package actions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/report"
)

// parseOutputs reads an output file as the runner does on Linux: a line ends
// with \n alone; NAME=VALUE, or NAME<<DELIMITER up to the line that is the
// delimiter and nothing else; anything else fails the step.
func parseOutputs(text string) (map[string]string, error) {
	outs := map[string]string{}
	next := func() (line string, ended, ok bool) {
		if text == "" {
			return "", false, false
		}
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		return line, ended, true
	}
	for {
		line, _, ok := next()
		if !ok {
			return outs, nil
		}
		if line == "" {
			continue
		}
		equals, heredoc := strings.Index(line, "="), strings.Index(line, "<<")
		switch {
		case equals >= 0 && (heredoc < 0 || equals < heredoc):
			outs[line[:equals]] = line[equals+1:]
		case heredoc > 0 && line[heredoc+2:] != "":
			name, delimiter := line[:heredoc], line[heredoc+2:]
			var value []string
			for {
				line, ended, ok := next()
				if !ok {
					return nil, fmt.Errorf("matching delimiter not found %q", delimiter)
				}
				if line == delimiter {
					break
				}
				if !ended {
					return nil, errors.New("the value has no line end")
				}
				value = append(value, line)
			}
			outs[name] = strings.Join(value, "\n")
		default:
			return nil, fmt.Errorf("invalid format %q", line)
		}
	}
}

func values() *rapid.Generator[string] {
	parts := rapid.SampledFrom([]string{
		"", "x", "\n", "\r", "\r\n", "=", "<<", "a<<b", "decision=done", "prloop_", "EOF", "ghadelimiter_1", "\x00", "\xff", "é",
		"_GitHubActionsFileCommandDelimeter_", "\nprloop_AAAAAAAAAAAAAAAAAAAAAAAAAA\n", "::set-output name=x::y", " ",
	})
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(parts, 0, 10), func(p []string) string { return strings.Join(p, "") }),
		rapid.String(),
	)
}

// The runner reads back exactly the values that were written, whatever is in
// them, and no others (C101).
func TestOutputsSurviveTheRunner(t *testing.T) {
	t.Parallel()
	path := file(t, "")
	rapid.Check(t, func(rt *rapid.T) {
		if err := os.Truncate(path, 0); err != nil {
			rt.Fatal(err)
		}
		r, out := runner(map[string]string{"GITHUB_OUTPUT": path})
		outs := []report.Output{
			{Name: "decision", Value: values().Draw(rt, "decision")},
			{Name: "next-wake", Value: values().Draw(rt, "next-wake")},
			{Name: "empty", Value: ""},
			{Name: "pair", Value: "a=b"},
			{Name: "crlf", Value: "line\r\n"},
		}
		want := map[string]string{}
		for _, o := range outs {
			want[o.Name] = strings.ToValidUTF8(o.Value, "\ufffd")
			if err := r.SetOutputs([]report.Output{o}); err != nil { // in more than one write, too
				rt.Fatal(err)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := parseOutputs(string(text))
		if err != nil {
			rt.Fatalf("the runner fails the step: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal("the runner reads (-want +got)\n" + diff)
		}
		if out.Len() > 0 {
			rt.Fatalf("outputs are printed too: %q", out)
		}
	})
}

// A whole run's outputs arrive as report makes them.
func TestARunsOutputsArrive(t *testing.T) {
	t.Parallel()
	path := file(t, "")
	r, _ := runner(map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": path})
	outs := report.Outputs(report.Run{
		PR: 7, Decision: "handoff", Reason: "2 findings\n::set-output name=decision::done",
		Handoff: &report.Handoff{PR: 7, Findings: []report.Finding{{ID: "PRRT_a", Trusted: true, Text: "x\nEOF\ndecision=done\n"}}},
	})
	if err := r.SetOutputs(outs); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, o := range outs {
		want[o.Name] = o.Value
	}
	got, err := parseOutputs(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// Beside an error nothing is set.
func TestOutputsAreSetWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	good := report.Output{Name: "decision", Value: "wait"}
	for name, row := range map[string]struct {
		outs   []report.Output
		folder bool   // whether the file's folder exists
		what   string // of the error that has a reader; else its text
	}{
		"a name with a line end":     {[]report.Output{good, {Name: "a\nb", Value: "x"}}, true, `output name "a\nb" is not a name`},
		"a name with an equals sign": {[]report.Output{good, {Name: "a=b", Value: "x"}}, true, `output name "a=b" is not a name`},
		"no name":                    {[]report.Output{good, {Value: "x"}}, true, `output name "" is not a name`},
		"more than 1 MiB in UTF-16":  {[]report.Output{good, {Name: "result", Value: strings.Repeat("x", 512<<10)}}, true, "The outputs are too large"},
		"no folder for the file":     {[]report.Output{good}, false, "The outputs could not be written"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "output")
			if !row.folder {
				path = filepath.Join(path, "output")
			}
			r, out := runner(map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": path})
			err := r.SetOutputs(row.outs)
			if err == nil {
				t.Fatal("there is no error")
			}
			got := err.Error()
			if e, ok := errors.AsType[*fail.Error](err); ok {
				got = e.What
			}
			if diff := cmp.Diff(row.what, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
			if _, err := os.Stat(path); err == nil || out.Len() > 0 {
				t.Errorf("something is written beside the error, %q to the log", out)
			}
		})
	}
}

// From a shell, a person reads them.
func TestOutputsArePrintedWhereThereIsNoFile(t *testing.T) {
	t.Parallel()
	r, out := runner(nil)
	if err := r.SetOutputs([]report.Output{{Name: "decision", Value: "wait"}, {Name: "reason", Value: "a\nb ##[set-output name=x]y"}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"decision: wait", `reason: a\nb # #[set-output name=x]y`}, lines(out)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

func TestSummariesAddUp(t *testing.T) {
	t.Parallel()
	path := file(t, "")
	r, out := runner(map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": path})
	r.Mask("s3cret")
	out.Reset()
	r.Summary("## one\n\n")
	r.Summary("## two, s3cret")
	r.Summary(strings.Repeat("x", maxSummary-20)) // has no room any more
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("## one\n\n## two, ***\n", string(got)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
	want := []string{"::warning title=prloop::The job summary has no room for all there is to tell, so a part of it is left out."}
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

func TestASummaryThatCannotBeWrittenIsAWarning(t *testing.T) {
	t.Parallel()
	r, out := runner(map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": filepath.Join(t.TempDir(), "no", "file")})
	r.Summary("## one")
	if diff := cmp.Diff([]string{"::warning title=prloop::The job summary could not be written: no such file or directory."}, lines(out)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

func TestASummaryIsPrintedWhereThereIsNoFile(t *testing.T) {
	t.Parallel()
	r, out := runner(nil)
	r.Summary("## one\n\n::notice::@\u2060mona\n")
	if diff := cmp.Diff([]string{"## one", "", ": :notice::@mona"}, lines(out)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}
