package report

import "github.com/prloop/prloop/internal/fail"

// A Level is how loud an annotation is, in the words of the runner's commands.
type Level string

// The levels.
const (
	LevelNotice  Level = "notice"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// An Annotation is one line of a run that people see without opening the log.
type Annotation struct {
	Level Level
	Title string
	Text  string
}

// Failure is how a run tells of an error: the job summary and the annotation,
// both with the three lines of [fail.Render].
func Failure(err error) (summary string, a Annotation) {
	text := fail.Render(err)
	const most = 60000 // of the characters of an error; all its problems are listed
	summary = "## prloop could not go on\n\n" + Fence(clip(text, most))
	return summary, Annotation{LevelError, "prloop: " + clip(Line(fail.Of(err).What), 200), text}
}

// Annotate is the annotation of a run, where it has one: a stop warns, because a
// person is needed; a hand-over and the end of the loop are notices; waiting
// and acting are nobody's concern.
func Annotate(r Run) (Annotation, bool) {
	text := Line(r.Reason) + "."
	if r.ToDo != "" {
		text += "\nWhat to do: " + Line(r.ToDo) + "."
	}
	title := headline(r.Decision)
	if r.PR != 0 {
		title += ": pull request " + number(r.PR)
	}
	switch r.Decision {
	case "stop":
		return Annotation{LevelWarning, title, text}, true
	case "handoff", "done":
		return Annotation{LevelNotice, title, text}, true
	}
	return Annotation{}, false
}
