package handoff

// A Rule is one row of the rubric by which findings (and, where a push is
// reviewed, hunks) are judged.
type Rule struct {
	ID    string `json:"id"`
	Class string `json:"class"` // apply, push back, pause
	For   string `json:"for"`   // threads, hunks, both
	Case  string `json:"case"`
}

// The classes of the rubric's rows.
const (
	Apply    = "apply"
	PushBack = "push back"
	Ask      = "pause"
)

// Rubric returns the default rubric: the pushback rubric of seed 001, in order
// of precedence. The first row that fits decides; what none fits pauses.
func Rubric() []Rule {
	return []Rule{
		{"R1", Ask, "threads", "it asks for another architecture"},
		{"R2", Ask, "both", "it changes what a feature does"},
		{"R3", Ask, "threads", "reviewers contradict each other"},
		{"R4", Ask, "threads", "judging it needs knowledge that is not in the diff"},
		{"R5", Ask, "both", "the edit would be made again after it was taken back, or cannot be undone"},
		{"R6", Ask, "hunks", "what users see changes, and neither the pull request nor a linked issue says so"},
		{"R7", Apply, "both", "security"},
		{"R8", Apply, "both", "correctness: null, off by one, a race, a missing await, wrong types, dead code"},
		{"R9", PushBack, "both", "style that no linter of the repository asks for"},
		{"R10", PushBack, "both", "types become weaker"},
		{"R11", PushBack, "threads", "the diff was misread"},
		{"R12", PushBack, "both", "it is handled already; say where"},
		{"R13", PushBack, "both", "a refactoring that has nothing to do with the change"},
		{"R14", PushBack, "threads", "a feature outside of the pull request's title"},
		{"R15", Apply, "both", "a path that can be reached has no test"},
		{"R16", Apply, "both", "it breaks a rule that the repository states"},
		{"R17", Apply, "both", "a reference that has gone stale"},
		{"R18", Apply, "both", "a migration is not safe"},
		{"R19", Apply, "hunks", "renames, typing mistakes, constants, annotations"},
		{"R20", Ask, "both", "anything else"},
	}
}

// Discovery returns the order in which a fixer looks for the build where no
// pre-commit profile is configured. Commands are found, never made up.
func Discovery() []string {
	return []string{
		"the rule files of the repository: CONTRIBUTING, AGENTS, README, instructions",
		"the workflows that check pull requests",
		"the targets of a Makefile, Justfile or Taskfile",
		"the scripts of the package manager whose lock file is there",
		"the language's own tool: go, cargo, dotnet, mvn, gradle, tox",
		"nothing found: run nothing, leave checks empty and say so in nextAction; a gap is reported as a gap",
	}
}
