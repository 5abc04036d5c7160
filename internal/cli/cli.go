// Package cli is the command line of prloop: without arguments it is the
// action, with arguments a tool of the same code.
//
// Start at [Main].
package cli

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/prloop/prloop/internal/app"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/fail"
)

// A System is the process's surroundings.
type System struct {
	Getenv         func(string) string
	Environ        func() []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Stories has testdata/scenarios, for simulate.
	Stories fs.FS
}

// Main runs the command that args name and returns the exit code: 0, or 1 for
// an error that somebody has to mend, 2 for a command line that is none.
func Main(ctx context.Context, args []string, sys System) int {
	c, rest, err := find(commandLine(), args)
	if err == nil {
		err = c.start(ctx, &sys, rest)
	}
	var exit exitCode
	wrong, misused := errors.AsType[*usageError](err)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case misused:
		fmt.Fprint(sys.Stderr, wrong.Error())
		return 2
	}
	fmt.Fprint(sys.Stderr, fail.Render(err))
	return 1
}

// exitCode is an error that was told already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// step takes one step, as the action does.
func step(ctx context.Context, sys *System) error {
	if sys.Getenv("GITHUB_EVENT_NAME") == "" {
		return &fail.Error{
			What: "There is no event to act on",
			Why:  "GITHUB_EVENT_NAME is not set: prloop without a command is what a workflow run starts",
			Fix:  "Use it in a workflow, or try \"prloop simulate\"; \"prloop --help\" lists the commands",
		}
	}
	r := app.Run(ctx, app.Env{Getenv: sys.Getenv, Environ: sys.Environ, Stdout: sys.Stdout})
	if r.Exit != 0 {
		return exitCode(r.Exit)
	}
	return nil
}

// The longest line that eval reads; a longer one is answered with an error.
const maxLine = 16 << 20

func evalLines(sys *System, answer func([]byte) []byte) error {
	in := bufio.NewReaderSize(sys.Stdin, 1<<16)
	out := bufio.NewWriter(sys.Stdout)
	defer out.Flush() //nolint:errcheck // The last Flush below is the one that is looked at.
	for {
		line, err := readLine(in)
		if len(line) > 0 || err == nil {
			var reply []byte
			if len(line) > maxLine {
				reply = fmt.Appendf(nil, `{"error":"the line is longer than %d bytes"}`, maxLine)
			} else {
				reply = answer(line)
			}
			if _, werr := out.Write(append(reply, '\n')); werr != nil {
				return fmt.Errorf("write the answer: %w", werr)
			}
			if in.Buffered() == 0 {
				if werr := out.Flush(); werr != nil {
					return fmt.Errorf("write the answer: %w", werr)
				}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return out.Flush()
		case err != nil:
			return fmt.Errorf("read standard input: %w", err)
		}
	}
}

// readLine reads one line without its end. Of a line that is too long it keeps
// only enough to see that.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, more, err := in.ReadLine()
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if err != nil || !more {
			return line, err
		}
	}
}

// validate checks the file as the action would, and says what is in force.
func validate(sys *System, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return &fail.Error{
			What: "The configuration file could not be read",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Name the file: prloop config validate FILE",
			Err:  err,
		}
	}
	settings, warnings, err := config.ParseSettings(config.Source{Name: file, Text: string(text)})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintln(sys.Stdout, "warning:", w)
	}
	fmt.Fprintf(sys.Stdout, "%s is valid.\n%s\n", file, breaker(settings))
	return nil
}

// breaker says which of the two breakers of the loop is in force, the cap of
// rounds or the recap gate (design 6), and what both leave to a budget.
func breaker(s config.Settings) string {
	n, every := s.Refinement.MaxCopilotRounds, s.Recap.Interval
	switch {
	case n > 0 && n <= every:
		return fmt.Sprintf("The loop ends after %d rounds (refinement.maxCopilotRounds); the recap after every %d rounds (recap.interval) is never reached.", n, every)
	case n > 0:
		return fmt.Sprintf("The recap gate comes after every %d rounds (recap.interval), and the loop ends after %d (refinement.maxCopilotRounds).", every, n)
	}
	return fmt.Sprintf("The loop has no cap of rounds (refinement.maxCopilotRounds: none); the recap gate after every %d rounds (recap.interval) is the breaker.", every)
}
