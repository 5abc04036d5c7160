package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/quest"
)

// replay plays a list of events from a file, or from standard input for "-",
// and says what each did. An invalid one ends it, with exit code 1.
func replay(sys *System, file string) error {
	text, err := readFile(sys, file)
	if err != nil {
		return &fail.Error{
			What: "The events could not be read",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Name the file: prloop replay FILE, or - for standard input",
			Err:  err,
		}
	}
	played, err := quest.Replay(text)
	if err != nil {
		return &fail.Error{
			What: "The file has no events to replay",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Give it one JSON value: a list of events, or {trail, policy, events}",
			Err:  err,
		}
	}
	for i, p := range played {
		printPlayed(sys.Stdout, i, p)
		if p.Invalid != nil {
			return exitCode(1)
		}
	}
	return nil
}

func readFile(sys *System, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(sys.Stdin)
	}
	return os.ReadFile(file)
}

// printPlayed says in words what an event did. What comes from the file is
// quoted where it is not plain.
func printPlayed(w io.Writer, i int, p quest.Played) {
	fmt.Fprintf(w, "%4d  %s %s: ", i, simply(string(p.Event.Type)), simply(p.Event.ID))
	switch {
	case p.Invalid != nil:
		fmt.Fprintf(w, "invalid at %s: %s\n", where(p.From, ""), p.Invalid.Reason)
		return
	case p.Absorbed:
		fmt.Fprintf(w, "absorbed at %s\n", where(p.From, ""))
		return
	}
	fmt.Fprintf(w, "%s → %s, revision %d\n", where(p.From, ""), where(p.Quest.State, p.Quest.ReturnTo), p.Quest.Rev)
	for _, e := range p.Effects {
		fmt.Fprintf(w, "        %s  %s\n", e.Type, simply(e.Key))
	}
}

// where is a state, and where a held quest goes back to.
func where(s, back quest.State) string {
	switch {
	case s == "":
		return "no quest"
	case back != "":
		return fmt.Sprintf("%s (from %s)", s, back)
	}
	return string(s)
}

// simply is a text as it is, or quoted where that could be read as more.
func simply(s string) string {
	if q := strconv.QuoteToASCII(s); s == "" || q != `"`+s+`"` {
		return q
	}
	return s
}
