// Package autopilot has the rules of seed 001 (pr-autopilot) as tables: which
// of the two modes a configuration means, the reviewers as rows, and what is
// read out of what they said. It is pure.
//
// Start at [Derive] and [Reviewer].
package autopilot

import "fmt"

// A Mode is who fixes and who judges (seed 001).
type Mode string

// The modes.
const (
	X Mode = "X" // people or a job fix, other reviewers judge
	Y Mode = "Y" // Copilot's coding agent fixes, its commits are judged
)

// A PrimaryFixer is the setting primaryFixer.
type PrimaryFixer string

// Who fixes (seed 001, primaryFixer). Claude stands for the user's own job.
const (
	Auto       PrimaryFixer = "auto"
	Claude     PrimaryFixer = "claude"
	CopilotSwe PrimaryFixer = "copilotSwe"
)

// Drivers are what drives a loop by the reviewers' settings.
type Drivers string

// What drives the loop: a reviewer that is asked in each round, the coding
// agent in its mode each-iter, both, or nothing. A reviewer that is asked at
// the end alone never drives a loop.
const (
	OnlyReviewers Drivers = "reviewers"
	OnlyAgent     Drivers = "agent"
	Both          Drivers = "both"
	Nothing       Drivers = "none"
)

// DriversOf names the drivers.
func DriversOf(reviewers, agent bool) Drivers {
	switch {
	case reviewers && agent:
		return Both
	case reviewers:
		return OnlyReviewers
	case agent:
		return OnlyAgent
	}
	return Nothing
}

// The five messages of the derivation. A configuration with one of them is
// refused, so each says what to write instead.
const (
	Conflict      = "primaryFixer claude conflicts with copilotSwe.mode each-iter, in which Copilot's coding agent fixes too; set copilotSwe.mode to off, review-score or final-only, or primaryFixer to copilotSwe"
	Ambiguous     = "both a reviewer of each round and copilotSwe.mode each-iter are on, so it is ambiguous who fixes; set primaryFixer to copilotSwe, or copilotSwe.mode to another mode"
	NeedsReviewer = "primaryFixer claude is Mode X, which needs a reviewer that is asked in each round: cursor, copilot or codex each-iter, copilotSwe review-score, or another one"
	NeedsAgent    = "primaryFixer copilotSwe is Mode Y, which needs copilotSwe.mode each-iter"
	NoDriver      = "no reviewer is asked in each round and no fixer is on, so nothing would drive the loop; turn a reviewer on, as in reviewers: {copilot: each-iter}"
)

// Ignored is what to know of a cell that has a mode all the same: reviewers
// that cost money are not read in it.
const Ignored = "primaryFixer copilotSwe is Mode Y, in which the reviewers of each round are not read; turn them off to save their cost"

// cells are the derivation of the mode, in the order of seed 001's table: each
// value of primaryFixer with each kind of drivers. Where Says is set and Mode
// is empty the configuration is refused.
var cells = []Cell{
	{"M1", Claude, OnlyReviewers, X, ""},
	{"M2", Claude, OnlyAgent, "", Conflict},
	{"M3", Claude, Both, "", Conflict},
	{"M4", Claude, Nothing, "", NeedsReviewer},
	{"M5", CopilotSwe, OnlyReviewers, "", NeedsAgent},
	{"M6", CopilotSwe, OnlyAgent, Y, ""},
	{"M7", CopilotSwe, Both, Y, Ignored},
	{"M8", CopilotSwe, Nothing, "", NeedsAgent},
	{"M9", Auto, OnlyReviewers, X, ""},
	{"M10", Auto, OnlyAgent, Y, ""},
	{"M11", Auto, Both, "", Ambiguous},
	{"M12", Auto, Nothing, "", NoDriver},
}

// A Cell is one cell of the derivation.
type Cell struct {
	ID      string
	Fixer   PrimaryFixer
	Drivers Drivers
	Mode    Mode   // empty: refused
	Says    string // why refused, or what to know; one sentence without a full stop
}

// Derive returns the cell of a configuration. An unknown fixer is Auto.
func Derive(fixer PrimaryFixer, drivers Drivers) Cell {
	for _, c := range cells {
		if c.Drivers == drivers && (c.Fixer == fixer || c.Fixer == Auto && fixer != Claude && fixer != CopilotSwe) {
			return c
		}
	}
	panic("autopilot: the derivation has no cell for " + string(fixer) + " and " + string(drivers))
}

// Drift says that the mode of the configuration is no longer the one that a
// pull request was begun in, and names both. Nothing was begun where stored is
// empty.
func Drift(stored, derived Mode) (says string, drifted bool) {
	if stored == "" || stored == derived {
		return "", false
	}
	return fmt.Sprintf("it was begun in Mode %s, and the configuration means Mode %s now", stored, derived), true
}
