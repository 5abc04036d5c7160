package cli

import (
	"fmt"
	"io"
	"os"

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
		fmt.Fprint(sys.Stdout, p.Words(i))
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
