// Package report is what a run says of itself, as values: the outputs, the job
// summary, the status comment, the annotations. It takes neutral values and
// gives text; nothing here reads or writes.
//
// A stranger's text (titles, branch names, paths, findings, check names) comes
// in raw and leaves only quoted, fenced or escaped: see [Cell] and [Fence].
//
// Start at [Run].
package report

import (
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Run is everything that one step over one pull request has to tell.
type Run struct {
	At    time.Time
	Event string // name and action
	Why   string // why this pull request
	Repo  string
	PR    int // 0: none; of an issue, where Issue says so
	Issue bool
	// New: prloop has written nothing there yet.
	New  bool
	URL  string
	Head pr.SHA

	Decision string // wait, act, handoff, stop, done, skip
	Code     string // the reason code
	Reason   string // one sentence in our words, without a full stop; may quote with %q
	ToDo     string // what a person can do now; empty where nothing

	// Place is where a person does it, as a URL; empty where that is plain.
	Place string

	Says      string // what the reason code says of itself, in one sentence
	Rule      string // id of the row of the step's order that decided, such as "S17"
	RuleWords string // its condition in words
	// CopilotRule is the row of the Copilot table that gave State.
	CopilotRule, CopilotRuleWords string
	State                         string // the Copilot loop's state; empty where it was not reached
	Graph                         Graph
	Round                         int
	RoundCap                      int // 0: none
	Converged                     bool
	Missing                       []string // what convergence still lacks
	// Proof says by what it has converged; nil where it has not.
	Proof *Proof

	Wait     *Wait // what is waited for
	NextWake time.Time

	Reviewers []Reviewer
	Findings  []Finding
	Left      []Finding // open ones that are below minSeverity
	Checks    []Check
	Threads   ThreadCounts
	Effects   []Effect
	// Heading is what a run over many pull requests is called; empty: a sweep.
	Heading string
	Notices []string // things to know, in our words: a journal rebuilt, a right that is missing
	DryRun  bool
	// Answers are what the newest commands in comments were told.
	Answers []Answer
	// Quest is where the pull request stands in its life cycle; nil where it has
	// none.
	Quest *Quest

	Copilot *Copilot
	// ReviewerState, RoutingOutcome and Conductor are what the conductor says:
	// its return shape in seed 004's names goes into the result as it is.
	ReviewerState  string
	RoutingOutcome string
	Priority       string // the conductor's row that decided
	RoutingWhy     string // that row in words, with both states
	Conductor      any
	Handoff        *Handoff
	// Brief is what the output handoff holds; BriefWhole what the file at
	// BriefPath does.
	Brief, BriefWhole, BriefPath string
	ShouldFix                    bool
	ShouldReview                 bool
	// JobDue: work for a job is open, and this run hands none over.
	JobDue bool

	// What the whole run asked of GitHub, so far; the runs of a sweep share it.
	Requests, Writes, Points int
}

// A Quest is the life cycle of a pull request as it stands, in the words of seed
// 002.
type Quest struct {
	Trail string `json:"trail"`
	Rev   int    `json:"rev"`
	State string `json:"state"`
	// ReturnTo is where a parked or handed-off quest goes back to, Reason why it
	// is parked or has ended, Owner who holds the review.
	ReturnTo string `json:"returnTo,omitempty"`
	Reason   string `json:"reason"`
	Owner    string `json:"owner,omitempty"`
	// Allowed are the commands that the table does not refuse now.
	Allowed []string `json:"allowed"`
}

// An Answer is what a command in a comment was told, in our own words, as
// Markdown.
type Answer struct{ URL, Says string }

// A Graph is the state graph of the Copilot loop, for the summary.
type Graph struct {
	States []string
	Edges  [][2]string
}

// A Proof is the proof of convergence: its one spelling, which is JSON, and what
// it says, for people.
type Proof struct {
	Text   string
	Digest string
	Rows   []ProofRow
}

// A ProofRow is one claim of a proof.
type ProofRow struct{ Name, Says string }

// A Wait is one thing that is waited for.
type Wait struct {
	What  string // in our words
	Since time.Time
	Until time.Time // zero: no limit
	Then  string    // the reason code at Until
}

// A Reviewer is one row of the table of reviewers.
type Reviewer struct {
	Name   string
	Status string // in our words
	Head   pr.SHA // of its newest review
	Rounds int
}

// A Finding is one piece of open work. Path and Text are a stranger's.
type Finding struct {
	ID       string `json:"id"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Author   string `json:"author,omitempty"`
	Trusted  bool   `json:"trusted"`
	Severity string `json:"severity,omitempty"`
	Text     string `json:"text,omitempty"`
	Outdated bool   `json:"outdated,omitempty"`
	URL      string `json:"url,omitempty"`
}

// A Check is one check that counts. Name is a stranger's.
type Check struct {
	Name     string
	State    string // pass, fail, pend
	Detail   string
	Required bool
}

// ThreadCounts has what the threads come to.
type ThreadCounts struct {
	Open      int
	Awaiting  int
	Answered  int
	Untrusted int
}

// An Effect is one effect with its outcome.
type Effect struct {
	Type    string `json:"type"`
	Key     string `json:"key"`
	Words   string `json:"words"`
	Outcome string `json:"outcome"`
	Result  string `json:"result,omitempty"`
	Note    string `json:"note,omitempty"`
}

// Copilot is seed 000's request and watch contract, by its names.
type Copilot struct {
	State                  string               `json:"state"`
	AllowedTransitions     []string             `json:"allowedTransitions"`
	Action                 string               `json:"action"` // watch, fix, stop
	NextAction             string               `json:"nextAction"`
	ReviewRequestStatus    string               `json:"reviewRequestStatus"`
	WatchArgs              *WatchArgs           `json:"watchArgs"`
	LoopDisposition        string               `json:"loopDisposition"`
	Terminal               bool                 `json:"terminal"`
	AutoRerequestEligible  bool                 `json:"autoRerequestEligible"`
	SameHeadCleanConverged bool                 `json:"sameHeadCleanConverged"`
	RoundCapCleanEligible  bool                 `json:"roundCapCleanEligible"`
	RequestWatchContract   RequestWatchContract `json:"requestWatchContract"`
	Rule                   string               `json:"rule"`
	Snapshot               any                  `json:"snapshot"`
}

// WatchArgs say what to watch for: a review of Head after NotBefore, until
// Until.
type WatchArgs struct {
	PR        int       `json:"pr"`
	Head      pr.SHA    `json:"head"`
	NotBefore time.Time `json:"notBefore"`
	Until     time.Time `json:"until"`
}

// RequestWatchContract is seed 000's routing of requests and watches.
type RequestWatchContract struct {
	RoutingState string `json:"routingState"`
	StopState    string `json:"stopState,omitempty"`
}

// A Handoff is the work that this run gives away.
type Handoff struct {
	PR       int       `json:"pr"`
	Head     pr.SHA    `json:"head"`
	Base     string    `json:"base"`
	Number   int       `json:"number"`
	Findings []Finding `json:"findings"`
	// LeftOut counts findings that did not fit; Untrusted are ids of threads
	// by strangers, listed and not handed over.
	LeftOut   int      `json:"leftOut,omitempty"`
	Untrusted []string `json:"untrusted,omitempty"`
	// UntrustedLeftOut counts ids that did not fit.
	UntrustedLeftOut int `json:"untrustedLeftOut,omitempty"`
	// Step is what is asked for where that is no fix.
	Step string `json:"step,omitempty"`
}
