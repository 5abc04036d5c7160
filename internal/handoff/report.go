package handoff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// A Report is what a fixer says it did (design 5, "Report"). Each text in it
// is a stranger's.
type Report struct {
	Handoff Ref    `json:"handoff"`
	Head    pr.SHA `json:"head"` // after the fixer's push
	Step    Step   `json:"step"`
	Status  Status `json:"status"`
	// NextAction is what is to be done next where something is left.
	NextAction string `json:"nextAction,omitempty"`
	// NeedsExtensionMinutes are asked for by a partial report; 0: none.
	NeedsExtensionMinutes int           `json:"needsExtensionMinutes,omitempty"`
	Items                 []Item        `json:"items,omitempty"`
	Checks                []Command     `json:"checks,omitempty"`
	Verdicts              []HunkVerdict `json:"verdicts,omitempty"`
	// Findings are what the runs of the step review found.
	Findings []Found `json:"findings,omitempty"`
	// Score is what a review gives the head, 1 to 5; 0: none.
	Score int `json:"score,omitempty"`
	// Recap is the answer to a recap; nil in a report of any other step.
	Recap *RecapAnswer   `json:"recap,omitempty"`
	Usage map[string]any `json:"usage,omitempty"`
}

// A Status is how far a fixer came (seed 003, "Time-boxing").
type Status string

// The statuses.
const (
	Complete   Status = "complete"
	Unfinished Status = "partial"
	Blocked    Status = "blocked"
)

// An Item is what was done about one finding.
type Item struct {
	Finding   string   `json:"finding"` // its id in the brief
	Action    Action   `json:"action"`
	Rationale string   `json:"rationale,omitempty"`
	Commit    pr.SHA   `json:"commit,omitempty"` // may be abbreviated
	Files     []string `json:"files,omitempty"`
}

// A Found is one thing that a review found.
type Found struct {
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"` // of the head's side, from 1
	Severity string `json:"severity,omitempty"`
	Message  string `json:"message"`
	Angle    string `json:"angle,omitempty"` // of the run that found it
}

// A Command is one command of the build, with how it ended.
type Command struct {
	Cmd  string `json:"cmd"`
	Exit int    `json:"exit"`
}

// A HunkVerdict is what a reviewing fixer says of one hunk.
type HunkVerdict struct {
	File    string `json:"file"`
	Range   string `json:"range,omitempty"`
	Verdict Ruling `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
}

// A Ruling is what is said of one hunk (seed 001, Y.8).
type Ruling string

// The rulings.
const (
	Approve  Ruling = "APPROVE"
	Pushback Ruling = "PUSHBACK"
	Pause    Ruling = "PAUSE" // holds until a person says otherwise
)

// Bounds of a report.
const (
	MaxReport  = 1 << 20 // bytes
	maxEntries = 500     // of each list
	maxText    = 4000    // characters of a rationale, a reason or a next action
	maxPath    = 4096    // characters, as Linux has it
	maxID      = 1024
	maxNumber  = 1<<31 - 1 // GitHub's numbers are 32 bits
)

// An exit code may be any 32 bits: Windows has 0xC0000005.
const minExit, maxExit = -1 << 31, 1<<32 - 1

const (
	fullSHA  = `^([0-9a-f]{40}|[0-9a-f]{64})$`
	shortSHA = `^([0-9a-f]{7,64})?$`
	sayFull  = "a full commit id in lower case"
)

// refSpec and reportSpec are where a report is defined: the schema and the
// reader come from them.
func refSpec() spec {
	return objectOf(
		need("pr", "Number of the pull request, or of the issue", between(1, maxNumber)),
		need("head", "The commit that the findings are about", matching(fullSHA, sayFull)),
		need("number", "Which hand-over of this pull request it is", between(1, maxNumber)),
	)
}

func reportSpec() spec {
	return objectOf(
		need("handoff", "The hand-over, copied from the brief", refSpec()),
		need("head", "The pull request's head after the fixer's push; without a push that of the brief", matching(fullSHA, sayFull)),
		may("step", "What was asked for, copied from the brief", oneOf(Steps()...).otherwise(string(Fix))),
		need("status", "`complete`; `partial`: some of it is left; `blocked`: a person is needed", oneOf(Complete, Unfinished, Blocked)),
		may("nextAction", "What is to be done next, concretely, where something is left; of the step `plan`, the plan", textOf(maxText)),
		may("needsExtensionMinutes", "How many more minutes a partial report asks for; 0 asks for none", between(0, 1000)),
		may("items", "What was done about each finding; one that is not mentioned is escalated", listOf(maxEntries, objectOf(
			need("finding", "The finding's id, copied from the brief", textOf(maxID)),
			need("action", "`fix`, `decline`, `drift` (documents had drifted from the code), `partial` or `escalate`", oneOf(Actions()...)),
			may("rationale", "Why, in two to four sentences; it stands in the reply", textOf(maxText)),
			may("commit", "The commit that fixes it, pushed to the pull request's branch", matching(shortSHA, "a commit id in lower case, of 7 digits or more")),
			may("files", "Files that were changed for it, from the repository's root", listOf(maxEntries, textOf(maxPath))),
		))),
		may("checks", "The commands that were run to build and test, none of which failed; of the step `reproduce`, those that fail by what the issue describes", listOf(maxEntries, objectOf(
			need("cmd", "The command", textOf(maxText)),
			need("exit", "Its exit code", between(minExit, maxExit)),
		))),
		may("verdicts", "What a review says of each hunk", listOf(maxEntries, objectOf(
			need("file", "The file, from the repository's root", textOf(maxPath)),
			may("range", "The hunk, as its header has it", textOf(100)),
			need("verdict", "`APPROVE`, `PUSHBACK` or `PAUSE`", oneOf(Approve, Pushback, Pause)),
			may("reason", "Why", textOf(maxText)),
		))),
		may("findings", "What the runs of the step `review` found, or the step `research`; a finding of a review with a place in the diff stands there, any other in the summary", listOf(maxEntries, objectOf(
			may("path", "The file, from the repository's root", textOf(maxPath)),
			may("line", "The line of the head's side", between(0, maxNumber)),
			may("severity", "`critical`, `high`, `medium`, `low` or `note`; any other word counts as medium", textOf(100)),
			need("message", "What was found", textOf(maxText)),
			may("angle", "What the run looked for, as the brief has it", textOf(100)),
		))),
		may("score", "What a review gives the head by its rubric, from 1 to 5; only 5 is a success", between(0, 5)),
		may("recap", "The answer to a recap, the step `recap`", recapSpec()),
		may("usage", "What the work took, as the fixer counts it; prloop only shows it", anything()),
	)
}

// ReportSchema is the JSON Schema of a report, for report.schema.json.
func ReportSchema() []byte { return schemaOf(reportSpec(), "prloop report (command: report)") }

// Parse reads a report. An error is a *fail.Error that lists every problem: an
// unknown key or word with what was probably meant, a value of the wrong type,
// a missing key, whatever is out of bounds. The report beside it is zero.
//
// What is well-formed need not be true: see [Check].
func Parse(data []byte) (Report, error) {
	refuse := func(why string) (Report, error) {
		return Report{}, &fail.Error{
			What: "The report cannot be read, so nothing was done",
			Why:  why,
			Fix:  "Correct the report and run this command again; internal/handoff/report.schema.json says what a report may have",
		}
	}
	if len(data) > MaxReport {
		return refuse(fmt.Sprintf("it has %d bytes, and at most %d are read", len(data), MaxReport))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	values, problems, err := read(data, reportSpec(), "the report")
	switch {
	case err != nil:
		return refuse(err.Error())
	case len(problems) > 0:
		return refuse(strings.Join(problems, "; "))
	}
	checked, err := json.Marshal(values)
	if err != nil {
		panic("handoff: what was read as JSON is JSON: " + err.Error())
	}
	var r Report
	if err := json.Unmarshal(checked, &r); err != nil {
		panic("handoff: the report's spec and its type differ: " + err.Error())
	}
	return r, nil
}
