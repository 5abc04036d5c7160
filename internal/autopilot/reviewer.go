package autopilot

import (
	"regexp"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Reviewer is one reviewer of the loop, as a row (design 4).
type Reviewer struct {
	Name   string // "cursor"; that of another bot is its login
	Logins []pr.Login
	// Trigger is what starts a review of a head, Mention the words where that
	// is a comment.
	Trigger Trigger
	Mention string
	// Signal is how the reviewer tells that it is content.
	Signal Signal
	// ScoreLine is a pattern of the score (signal score), whose one group is the
	// digit; a string, so that rows can be compared.
	ScoreLine string
	// Threshold is the least score that is a success, 1 to 5.
	Threshold int
	// Check is the name of its check run (signal check).
	Check string
	Phase Phase
	// Required: nothing converges before it has reviewed the head.
	Required bool
	// PostsThreads: its findings are review threads.
	PostsThreads bool
	// Remarks: what it says in comments of the conversation counts beside its
	// reviews, where a signal stands in it.
	Remarks bool
	// WaitCap is how long a review of a head is waited for.
	WaitCap time.Duration
	// Refusals are words with which this reviewer says that it will not review,
	// lower case, beside those that all use (ReadNotice).
	Refusals []string
}

// A Trigger is what starts a review.
type Trigger string

// The triggers (design 4).
const (
	NoTrigger Trigger = "none"    // the reviewer looks at each push by itself
	Request   Trigger = "request" // a review request
	Mention   Trigger = "mention" // a comment that names it, by a person's token
	Command   Trigger = "command" // work that is handed over, with a report
)

// A Signal is how a reviewer tells that it is content.
type Signal string

// The signals (design 4).
const (
	Threads Signal = "threads" // a review, and no thread of it open
	Score   Signal = "score"   // a number from 1 to 5 on a line of its own
	Verdict Signal = "verdict" // words
	Check   Signal = "check"   // the conclusion of its check run
	Report  Signal = "report"  // the report of a command
)

// A Phase is when a reviewer is asked.
type Phase string

// The phases (seed 001, mode).
const (
	Off       Phase = "off"
	EachIter  Phase = "each-iter"
	FinalOnly Phase = "final-only"
)

// The patterns of seed 001.
const (
	CursorScore    = `(?i)score:\s*([1-5])`
	ReadinessScore = `(?i)readiness:\s*([1-5])`
)

var presetScores = map[string]*regexp.Regexp{
	CursorScore:    regexp.MustCompile(CursorScore),
	ReadinessScore: regexp.MustCompile(ReadinessScore),
}

// Pattern compiles a pattern for scores. The pattern is valid: whoever read the
// configuration has looked at it (ScorePattern).
func Pattern(s string) *regexp.Regexp {
	if re, ok := presetScores[s]; ok {
		return re
	}
	return regexp.MustCompile(s)
}

// ScorePattern says what is wrong with a pattern for scores; empty where nothing
// is. Its one group is the digit.
func ScorePattern(s string) (wrong string) {
	re, err := regexp.Compile(s)
	switch {
	case len(s) > 200:
		return "has more than 200 bytes"
	case err != nil:
		return "is no regular expression that Go reads (RE2)"
	case re.NumSubexp() != 1:
		return "must have one group, which is the digit of the score"
	case re.MatchString(""):
		return "fits a text without anything in it"
	}
	return ""
}

// The words of the mentions. What must be read stands in no HTML comment: the
// coding agent is not shown those.
const (
	MentionScore = "@copilot please review this pull request. Review only: do not push any change.\n\n" +
		"List what blocks it from being merged. Then end with a line of exactly this form, on its own:\n\n" +
		"Readiness: X/5\n\nwhere 1 is not mergeable and 5 is ready to merge."
	MentionCodex = "@codex review"
	MentionFinal = "@copilot please review this pull request. Review only: do not push any change.\n\n" +
		"If nothing blocks it from being merged, answer with this line alone:\n\n" +
		"Approved\n\nOtherwise list what must be changed first."
)

// Presets are the reviewers that are known by name, in the order of seed 001's
// table, each in the form of its usual setting. Their phases and logins, and
// what the configuration says of them, are filled in by [config].
var Presets = []Reviewer{
	{
		Name: "cursor", Logins: []pr.Login{"cursor"},
		Trigger: NoTrigger, Signal: Score, ScoreLine: CursorScore, Threshold: 5,
		PostsThreads: true, Remarks: true,
		Refusals: []string{"bugbot is not enabled", "bugbot couldn't run", "bugbot could not run"},
	},
	{
		Name: "copilot", Logins: []pr.Login{pr.CopilotReviewer, pr.Copilot},
		Trigger: Request, Signal: Threads, PostsThreads: true,
	},
	{
		Name: "copilotSwe", Logins: []pr.Login{pr.CopilotAgent},
		Trigger: Mention, Mention: MentionScore, Signal: Score, ScoreLine: ReadinessScore, Threshold: 5,
		Remarks: true,
	},
	{
		Name: "codex", Logins: []pr.Login{"chatgpt-codex-connector"},
		Trigger: Mention, Mention: MentionCodex, Signal: Verdict, PostsThreads: true, Remarks: true,
		Refusals: []string{"to use codex here", "create an environment for this repo"},
	},
	{
		Name: "claudeSelf", Trigger: Command, Signal: Report, Threshold: 5,
	},
	{
		Name: "coderabbit", Logins: []pr.Login{"coderabbitai"},
		Trigger: NoTrigger, Signal: Threads, PostsThreads: true,
		Refusals: []string{"review skipped", "reviews paused", "review was skipped"},
	},
}

// Preset returns the preset of a name.
func Preset(name string) Reviewer {
	for _, p := range Presets {
		if p.Name == name {
			return p
		}
	}
	panic("autopilot: no preset is called " + name)
}

// Is reports whether a is the reviewer: one of its logins, and a bot. A person
// may be called what a bot is called (case C015). Copilot's two products share
// a login on some surfaces; the ids tell them apart.
func (r Reviewer) Is(a pr.Actor) bool {
	if !a.Bot {
		return false
	}
	for _, l := range r.Logins {
		switch l {
		case pr.CopilotReviewer, pr.Copilot:
			if a.IsCopilotReviewer() {
				return true
			}
		case pr.CopilotAgent:
			if a.IsCopilotAgent() {
				return true
			}
		case a.Login:
			return true
		}
	}
	return false
}
