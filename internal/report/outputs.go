package report

import (
	"strconv"
	"strings"
	"time"
)

// An Output is one output of the action.
type Output struct{ Name, Value string }

// An OutputDoc is one row of the outputs: its name, what it says, and where its
// value comes from.
type OutputDoc struct {
	Name string
	Doc  string // one sentence, no full stop

	value func(Run) string
}

// OutputDocs are in the order that the README shows them. This slice is where
// outputs are defined (design 10); action.yml and the README are generated from
// it.
//
// Whatever a stranger wrote is in result, handoff and proof alone, which are JSON.
// The others are words, numbers and times of ours, so they can be used in an
// expression without care.
var OutputDocs = []OutputDoc{
	{
		"decision", "What the step came to: `wait`, `act`, `handoff`, `stop`, `done` or `skip`",
		func(r Run) string { return word(r.Decision) },
	},
	{
		"reason-code", "Why, as one of the reason codes that the README lists",
		func(r Run) string { return word(r.Code) },
	},
	{
		"reason", "Why, in one sentence",
		func(r Run) string { return word(r.Reason) },
	},
	{
		"result", "All that the run has to tell, as JSON (`schema: prloop.result/v1`), below 128 KiB",
		resultJSON,
	},
	{
		"pr-number", "Number of the pull request",
		func(r Run) string { return number(r.PR) },
	},
	{
		"head-sha", "The head that the decision is about",
		func(r Run) string { return word(string(r.Head)) },
	},
	{
		"state", "State of the Copilot loop; empty where the step ended before it",
		func(r Run) string { return word(r.State) },
	},
	{
		"reviewer-state", "State of the reviewer loop; empty where the step ended before it",
		func(r Run) string { return word(r.ReviewerState) },
	},
	{
		"routing-outcome", "Which loop has control, in the conductor's words",
		func(r Run) string { return word(r.RoutingOutcome) },
	},
	{
		"quest-state", "Where the pull request stands in its life cycle, from `sensed` to `closed`; empty where it has not begun",
		func(r Run) string {
			if r.Quest == nil {
				return ""
			}
			return word(r.Quest.State)
		},
	},
	{
		"round", "How many rounds of review the pull request has had",
		func(r Run) string {
			if r.PR == 0 {
				return ""
			}
			return strconv.Itoa(r.Round)
		},
	},
	{
		"converged", "`true` when the head is proven to be clean",
		func(r Run) string { return strconv.FormatBool(r.Converged) },
	},
	{
		"should-fix", "`true` in the one run that hands work over: start a fixer then",
		func(r Run) string { return strconv.FormatBool(r.ShouldFix) },
	},
	{
		"should-review", "`true` in the one run that hands a review over (for `reviewerLoop.reviewerLogin`, of what the coding agent pushed, or by a reviewer that is a job: codex, claudeSelf): start the reviewing job then",
		func(r Run) string { return strconv.FormatBool(r.ShouldReview) },
	},
	{
		"handoff", "The work handed over, as JSON below 96 KiB; empty where there is none",
		func(r Run) string {
			if r.Brief != "" {
				return r.Brief
			}
			return handoffJSON(r.Handoff)
		},
	},
	{
		"brief-path", "File in the workspace with the whole brief, for later steps of the same job; empty where there is none",
		func(r Run) string { return r.BriefPath },
	},
	{
		"proof", "The proof of convergence, as canonical JSON with its SHA-256 (`prloop verify` checks it); empty where the head has not converged",
		func(r Run) string {
			if r.Proof == nil {
				return ""
			}
			return r.Proof.Text
		},
	},
	{
		"targets", "Pull requests with work for a job that this run starts none for, as JSON: `[{pr, head, decision, reason-code}]`, at most 256; start a step with the input `pr` for each. Empty where there is none",
		func(r Run) string { return targets([]Run{r}) },
	},
	{
		"next-wake", "When to look again at the latest (RFC 3339, UTC); empty where only a change matters",
		func(r Run) string { return instant(r.NextWake) },
	},
}

// Limits of one output. GitHub allows 1 MiB for all outputs of a job, counted
// in UTF-16; Linux allows 128 KiB for one environment variable with its name,
// which is how a later step reads an output.
const (
	maxOutput  = 120 << 10
	maxHandoff = 96<<10 - 1
	maxWord    = 1000 // of a scalar output
)

// Outputs returns the outputs of one run, all of them, in order. Each is below
// 128 KiB, handoff below 96 KiB.
func Outputs(r Run) []Output {
	outs := make([]Output, 0, len(OutputDocs))
	for _, d := range OutputDocs {
		outs = append(outs, Output{d.Name, d.value(r)})
	}
	return outs
}

// SweepOutputs returns the outputs of a run over many pull requests. A run
// without a number among them speaks for the sweep itself: its event and
// notices, and what it asked of GitHub where it had no pull request to look at.
//
// The scalar outputs are empty, so that nobody takes one pull request for all,
// except decision, which is the most urgent one (see [MostUrgent]), and targets;
// everything else is in result, as pulls.
func SweepOutputs(runs []Run) []Output {
	outs := make([]Output, 0, len(OutputDocs))
	for _, d := range OutputDocs {
		o := Output{Name: d.Name}
		switch d.Name {
		case "decision":
			o.Value = MostUrgent(runs)
		case "result":
			o.Value = sweepJSON(runs)
		case "targets":
			o.Value = targets(runs)
		}
		outs = append(outs, o)
	}
	return outs
}

// maxTargets is how many jobs a matrix may have
// (https://docs.github.com/en/actions/reference/limits).
const maxTargets = 256

// targets are the pull requests that work for a job waits on, in the order in
// which they were stepped. Those beyond the limit come with the next sweep.
func targets(runs []Run) string {
	type target struct {
		PR       int    `json:"pr"`
		Head     string `json:"head"`
		Decision string `json:"decision"`
		Code     string `json:"reason-code"`
	}
	var list []target
	for _, r := range pulls(runs) {
		if r.JobDue && len(list) < maxTargets {
			list = append(list, target{r.PR, word(string(r.Head)), word(r.Decision), word(r.Code)})
		}
	}
	if list == nil {
		return ""
	}
	return encode(list)
}

// urgency has the decisions, the most urgent first: a person is missing; work
// waits for a fixer; something was done, so look at it; something is waited
// for; it is over; it was none of ours.
var urgency = []string{"stop", "handoff", "act", "wait", "done", "skip"}

// MostUrgent returns the most urgent decision of runs: stop (a person is
// needed) before handoff (work waits for a fixer), act (something has changed),
// wait, done and skip. Without any run it is skip.
func MostUrgent(runs []Run) string {
	best := len(urgency) - 1
	for _, r := range pulls(runs) {
		best = min(best, rank(r.Decision))
	}
	return urgency[best]
}

// rank is how urgent a decision is, 0 first. One that nobody knows is as
// urgent as any.
func rank(decision string) int {
	for i, d := range urgency {
		if d == decision {
			return i
		}
	}
	return 0
}

// pulls are the runs that are about a pull request.
func pulls(runs []Run) []Run {
	var out []Run
	for _, r := range runs {
		if r.PR != 0 {
			out = append(out, r)
		}
	}
	return out
}

// word is a scalar output: one bounded line.
func word(s string) string {
	s = Line(s)
	if len(s) <= maxWord {
		return s
	}
	return strings.ToValidUTF8(s[:maxWord-len("…")], "") + "…"
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// instant is t as outputs tell times: RFC 3339 in UTC, or nothing.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
