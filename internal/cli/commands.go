package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/prloop/prloop/internal/conductor"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/quest"
	"github.com/prloop/prloop/internal/reviewer"
	"github.com/prloop/prloop/internal/round"
)

// A command is one row of the command line.
type command struct {
	name string // its words
	args string // what may follow them, for the help
	says string
	// most is how many arguments may follow.
	most int
	// flags declares the flags, and returns what runs once they are read.
	flags func(*flag.FlagSet) runner
}

// A runner carries a command out.
type runner func(ctx context.Context, sys *System, args []string) error

// commandLine is the whole command line. It is read by package flag, because
// the libraries for this reach methods by their names, so that the linker
// keeps every method of GitHub's client: 4 MB of a binary of at most 12.
func commandLine() []command {
	return []command{
		{name: "", says: "Take one step, as the action does.", flags: plain(func(ctx context.Context, sys *System, _ []string) error { return step(ctx, sys) })},
		{name: "simulate", args: "[flags]", says: "Play the whole loop against the embedded GitHub: no token, no network.", flags: simulate},
		{name: "eval copilot", says: "Ask the Copilot loop: a line {snapshot, config} in, a line with its state and flags out.", flags: eval(copilot.Eval)},
		{name: "eval reviewer", says: "Ask the reviewer loop: a line {snapshot} in, a line with its state out.", flags: eval(reviewer.Eval)},
		{name: "eval conductor", says: "Ask who gets control: a line {input} in, a line with the outcome and its envelope out.", flags: eval(conductor.Eval)},
		{name: "eval convergence", says: "Ask whether a head has converged, by the guards of seed 003: a line of its facts in, a line with both forms out.", flags: eval(round.Eval)},
		{name: "verify", args: "FILE [--live]", says: "Check a proof of convergence: its digest, and with --live each claim against GitHub.", most: 1, flags: verify},
		{name: "eval quest", says: "Ask the life cycle: a line {trail, policy, events} in, a line with the quest, its effects and the first invalid event out.", flags: eval(quest.Eval)},
		{name: "explain", args: "--journal FILE", says: "Say how a pull request came to where it stands: the events that its journal keeps.", flags: explain},
		{name: "replay", args: "FILE", says: "Play the events of a quest, from a list or from the text of a status comment: what each did, up to the first invalid one.", most: 1, flags: plain(func(_ context.Context, sys *System, args []string) error {
			return replay(sys, append(args, "")[0])
		})},
		{name: "config validate", args: "[FILE]", says: "Check a configuration file and say all that is wrong with it.", most: 1, flags: plain(func(_ context.Context, sys *System, args []string) error {
			return validate(sys, append(args, ".github/prloop.yml")[0])
		})},
		{name: "config import", args: "FILE", says: "Take pr-autopilot over: its settings file becomes a configuration file, a state file the input report of command: report.", most: 1, flags: plain(func(_ context.Context, sys *System, args []string) error {
			return takeOver(sys, args)
		})},
		{name: "version", says: "Print the version.", flags: plain(func(_ context.Context, sys *System, _ []string) error {
			fmt.Fprintln(sys.Stdout, "prloop", version())
			return nil
		})},
	}
}

// plain is a command without flags.
func plain(r runner) func(*flag.FlagSet) runner {
	return func(*flag.FlagSet) runner { return r }
}

// eval answers each line of standard input with one line.
func eval(answer func([]byte) []byte) func(*flag.FlagSet) runner {
	return plain(func(_ context.Context, sys *System, _ []string) error { return evalLines(sys, answer) })
}

func simulate(f *flag.FlagSet) runner {
	var c simulateCommand
	f.BoolVar(&c.list, "list", false, "list the stories and end")
	f.StringVar(&c.story, "story", defaultStory, "the story to play: a `NAME` of --list, or a txtar file")
	f.StringVar(&c.config, "config", "", "a configuration `FILE` to play it with, instead of the story's own")
	f.IntVar(&c.faults, "faults", 0, "let `N` random faults happen; the story must end the same")
	f.Uint64Var(&c.seed, "seed", 1, "`SEED` of the random faults")
	f.BoolVar(&c.json, "json", false, "print one JSON object a step instead of words")
	f.StringVar(&c.serve, "serve", "", "serve the story's GitHub at `ADDRESS` until it is ended, and let others play")
	return func(ctx context.Context, sys *System, _ []string) error { return c.run(ctx, sys) }
}

// A usageError is a command line that is none.
type usageError struct {
	what string
	help string
}

func (e *usageError) Error() string {
	return fmt.Sprintf("What happened: The command line is none that prloop knows\nWhy: %s\nWhat to do: %s\n", e.what, e.help)
}

// find returns the command that args begin with, and the rest of args.
func find(list []command, args []string) (command, []string, error) {
	if len(args) == 0 {
		return list[0], nil, nil
	}
	for _, c := range list[1:] {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.name {
			return c, args[len(words):], nil
		}
	}
	for _, help := range []string{"help", "-h", "-help", "--help"} {
		if args[0] == help {
			return command{flags: plain(func(_ context.Context, sys *System, _ []string) error {
				printHelp(sys.Stdout, list)
				return nil
			})}, nil, nil
		}
	}
	var names []string
	for _, c := range list[1:] {
		names = append(names, c.name)
	}
	return command{}, nil, &usageError{
		what: fmt.Sprintf("there is no command %q", strings.Join(args, " ")),
		help: "Use one of: " + strings.Join(names, ", ") + "; \"prloop --help\" says what they do",
	}
}

// start reads the flags and runs the command.
func (c command) start(ctx context.Context, sys *System, args []string) error {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	r := c.flags(set)
	rest, err := parse(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(sys.Stdout, strings.TrimSpace("prloop "+c.name+" "+c.args)+"\n\n"+c.says)
		printFlags(sys.Stdout, set)
		return nil
	case err != nil:
		return &usageError{what: err.Error(), help: fmt.Sprintf("\"prloop %s --help\" lists the flags", c.name)}
	case len(rest) > c.most:
		return &usageError{what: fmt.Sprintf("%q is too much", rest[c.most]), help: fmt.Sprintf("\"prloop %s --help\" says what it takes", c.name)}
	}
	return r(ctx, sys, rest)
}

// parse reads flags wherever they stand; behind "--" there are none.
func parse(set *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		left := set.Args()
		if len(left) == 0 || len(args) > len(left) && args[len(args)-len(left)-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

func printHelp(w io.Writer, list []command) {
	fmt.Fprint(w, "prloop takes a pull request from opened to merged and watched. Started by a\nworkflow run, without a command, it takes one step and is gone.\n\n")
	for _, c := range list[1:] {
		fmt.Fprintf(w, "  prloop %-24s %s\n", strings.TrimSpace(c.name+" "+c.args), c.says)
	}
}

func printFlags(w io.Writer, set *flag.FlagSet) {
	set.VisitAll(func(f *flag.Flag) {
		arg, says := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			says += " (" + f.DefValue + ")"
		}
		fmt.Fprintf(w, "  --%-16s %s\n", strings.TrimSpace(f.Name+" "+arg), says)
	})
}
