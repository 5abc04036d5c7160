package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/quest"
)

// replay plays the events of a quest from a file, or from standard input for
// "-": a list of them, or a comment with a journal. It says what each did. An
// invalid one ends it, with exit code 1.
func replay(sys *System, file string) error {
	text, err := readFile(sys, file)
	if err != nil {
		return noFile("prloop replay FILE", err)
	}
	if kept, err := journal.Peek(string(text)); !errors.Is(err, journal.ErrNone) {
		if err != nil {
			return damaged(err)
		}
		return playJournal(sys, kept)
	}
	played, err := quest.Replay(text)
	if err != nil {
		return &fail.Error{
			What: "The file has no events to replay",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Give it one JSON value, a list of events or {trail, policy, events}, or the text of prloop's status comment",
			Err:  err,
		}
	}
	return play(sys, played, 0)
}

// explain says what a journal keeps of the life cycle of its pull request.
func explain(f *flag.FlagSet) runner {
	file := f.String("journal", "", "the text of prloop's status comment, from `FILE` or from standard input (-)")
	return func(_ context.Context, sys *System, _ []string) error {
		if *file == "" {
			return &usageError{what: "there is nothing to explain", help: "Name a file with the text of prloop's status comment: prloop explain --journal FILE, or - for standard input"}
		}
		text, err := readFile(sys, *file)
		if err != nil {
			return noFile("prloop explain --journal FILE", err)
		}
		kept, err := journal.Peek(string(text))
		if err != nil {
			return damaged(err)
		}
		return playJournal(sys, kept)
	}
}

// playJournal plays the quest of a journal: from its first event, or from where
// the older ones were folded.
func playJournal(sys *System, j journal.Journal) error {
	k := j.Quest
	if k == nil {
		return &fail.Error{What: "The journal has no quest", Why: "it was written before its pull request had one", Fix: "Let prloop take a step there first"}
	}
	if k.Folded > 0 {
		fmt.Fprintf(sys.Stdout, "%d older events led to %s, revision %d\n", k.Folded, k.From.State, k.From.Rev)
	}
	return play(sys, quest.Play(k.From, k.Events, k.Policy), k.Folded)
}

// play says what each event did; the first one has the number first.
func play(sys *System, played []quest.Played, first int) error {
	for i, p := range played {
		fmt.Fprint(sys.Stdout, p.Words(first+i))
		if p.Invalid != nil {
			return exitCode(1)
		}
	}
	return nil
}

func noFile(usage string, err error) error {
	return &fail.Error{
		What: "The events could not be read",
		Why:  fmt.Sprintf("%q", err.Error()),
		Fix:  "Name the file: " + usage + ", or - for standard input",
		Err:  err,
	}
}

func damaged(err error) error {
	return &fail.Error{
		What: "The journal cannot be read",
		Why:  fmt.Sprintf("%q", err.Error()),
		Fix:  "Give the text of prloop's status comment as it stands: gh api repos/OWNER/NAME/issues/comments/ID --jq .body",
		Err:  err,
	}
}

func readFile(sys *System, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(sys.Stdin)
	}
	return os.ReadFile(file)
}
