// Package fail has the error with a reader: what happened, why, and what to
// do. Everything that a user can mend is such an error; any other error is
// ours, and [Render] says so.
package fail

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a failure with a reader. Each field is one sentence without a full
// stop; What and Fix are never empty. Values that strangers wrote stand in Why
// quoted with %q.
type Error struct {
	What string // what happened, in the reader's words
	Why  string // the cause, with the names and values involved
	Fix  string // the next thing to do
	Err  error  // the underlying error, for errors.Is and the debug log
}

func (e *Error) Error() string {
	if e.Why == "" {
		return e.What
	}
	return e.What + ": " + e.Why
}

func (e *Error) Unwrap() error { return e.Err }

// Of returns err as an error with a reader. One that has none is a bug in
// prloop or the weather, and says so.
func Of(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{
		What: "prloop stopped because of an unexpected error",
		Why:  fmt.Sprintf("%q", err.Error()),
		Fix:  "Re-run the job; if it fails again, report the line above",
		Err:  err,
	}
}

// Render returns err as the three lines that its reader sees, in the log and
// in the job summary.
func Render(err error) string {
	e := Of(err)
	var b strings.Builder
	fmt.Fprintf(&b, "What happened: %s.\n", e.What)
	if e.Why != "" {
		fmt.Fprintf(&b, "Why: %s.\n", e.Why)
	}
	fmt.Fprintf(&b, "What to do: %s.\n", e.Fix)
	return b.String()
}
