// Package cli is the command line of prloop: without arguments it is the
// action, with arguments a tool of the same code.
//
// Start at [Main].
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/alecthomas/kong"

	"github.com/prloop/prloop/internal/app"
	"github.com/prloop/prloop/internal/conductor"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/reviewer"
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

// commands is the command line, as kong reads it.
type commands struct {
	Run      runCommand      `cmd:"" default:"1" hidden:"" help:"Take one step, as the action does."`
	Simulate simulateCommand `cmd:"" help:"Play the whole loop against the embedded GitHub: no token, no network."`
	Eval     evalCommand     `cmd:"" help:"Ask a state machine: one JSON line in, one JSON line out."`
	Config   configCommand   `cmd:"" help:"Look at a configuration file."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// Main runs the command that args name and returns the exit code: 0, or 1 for
// an error that somebody has to mend, 2 for a command line that is none.
func Main(ctx context.Context, args []string, sys System) int {
	var cmds commands
	code := 0
	parser, err := kong.New(&cmds,
		kong.Name("prloop"),
		kong.Description("Takes a pull request from opened to merged and watched. Started by a workflow run, it takes one step and is gone."),
		kong.Writers(sys.Stdout, sys.Stderr),
		kong.Exit(func(c int) { code = c; panic(exited{}) }),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(&sys),
	)
	if err != nil {
		panic(fmt.Sprintf("cli: the command line does not describe itself: %v", err))
	}
	parsed, done := parse(parser, args, &code)
	if done {
		return code
	}
	err = parsed.Run()
	var exit exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	fmt.Fprint(sys.Stderr, fail.Render(err))
	return 1
}

// exited unwinds kong, which asks to exit after --help.
type exited struct{}

func parse(parser *kong.Kong, args []string, code *int) (parsed *kong.Context, done bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
			done = true
		}
	}()
	parsed, err := parser.Parse(args)
	if err != nil {
		parser.Errorf("%s", err)
		*code = 2
		return nil, true
	}
	return parsed, false
}

// exitCode is an error that was told already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

type runCommand struct{}

// Run takes one step, as the action does.
func (runCommand) Run(ctx context.Context, sys *System) error {
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

type evalCommand struct {
	Copilot   evalCopilot   `cmd:"" help:"The Copilot loop: {snapshot, config} to its state and flags."`
	Reviewer  evalReviewer  `cmd:"" help:"The reviewer loop: {snapshot} to its state."`
	Conductor evalConductor `cmd:"" help:"Who gets control: {input} to the routing outcome and its envelope."`
}

type evalCopilot struct{}

// Run answers each line of standard input with one line.
func (evalCopilot) Run(sys *System) error { return evalLines(sys, copilot.Eval) }

type evalReviewer struct{}

// Run answers each line of standard input with one line.
func (evalReviewer) Run(sys *System) error { return evalLines(sys, reviewer.Eval) }

type evalConductor struct{}

// Run answers each line of standard input with one line.
func (evalConductor) Run(sys *System) error { return evalLines(sys, conductor.Eval) }

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

type configCommand struct {
	Validate configValidate `cmd:"" help:"Check a configuration file and say all that is wrong with it."`
}

type configValidate struct {
	File string `arg:"" optional:"" default:".github/prloop.yml" help:"The file; by default .github/prloop.yml."`
}

// Run checks the file as the action would, and says what is in force.
func (c configValidate) Run(sys *System) error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return &fail.Error{
			What: "The configuration file could not be read",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Name the file: prloop config validate FILE",
			Err:  err,
		}
	}
	settings, warnings, err := config.ParseSettings(config.Source{Name: c.File, Text: string(text)})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintln(sys.Stdout, "warning:", w)
	}
	fmt.Fprintf(sys.Stdout, "%s is valid.\n%s\n", c.File, breaker(settings))
	return nil
}

// breaker says which of the two breakers of the loop is in force (design 6).
func breaker(s config.Settings) string {
	if n := s.Refinement.MaxCopilotRounds; n > 0 {
		return fmt.Sprintf("The loop ends after %d rounds (refinement.maxCopilotRounds).", n)
	}
	return "The loop has no cap of rounds (refinement.maxCopilotRounds: none)."
}

type versionCommand struct{}

// Run prints the version that the build carries.
func (versionCommand) Run(sys *System) error {
	fmt.Fprintln(sys.Stdout, "prloop", version())
	return nil
}
