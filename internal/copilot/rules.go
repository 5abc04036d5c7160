package copilot

import (
	"slices"
	"strings"
)

// rules is the ordered table of seed 000, "Interpretation Rules", with the
// seed's numbers. Read from the top: the first row that holds decides. Between
// the seed's rows stand those that the seed leaves out of its scope: the round
// cap, error reviews, conflicts, low signal and the direct gate.
//
// A row with over is no rule of its own: where the row that it names decides,
// and its condition holds too, it takes that row's place. Rows 9, 10, 12 and
// 13 ask for checks that preApprovalRequireCi demands.
var rules = []rule{
	{id: "1", when: noPullRequest, then: NoPR},
	{id: "2", when: mergedOrClosed, then: Done},
	{id: "3", when: draft, then: PRDraft},
	{id: "4", when: requestUnavailable, then: ReviewRequestUnavailable},
	{id: "5", when: requestFailed, then: BlockedNeedsUserDecision},
	{id: "cap-clean", when: all(roundsSpent, noFeedback, green), then: RoundCapCleanFallback},
	{id: "cap", when: all(roundsSpent, noRequest), then: RoundCapReached},
	{id: "6", when: all(feedback, fixApplied), then: AlreadyFixedNeedsReplyResolve},
	{id: "7", when: feedback, then: UnresolvedFeedbackPresent},
	{id: "8", when: requestActive, then: WaitingForCopilotReview},
	{id: "8a", when: all(headNotReviewed, reviewsFailed), then: BlockedNeedsUserDecision},
	{id: "9", when: all(reviewed, checksBlock), then: BlockedNeedsUserDecision},
	{id: "10", when: all(reviewed, checksWait), then: WaitingForCI},
	{id: "10-dirty", over: "10", when: conflict, then: BlockedNeedsUserDecision},
	{id: "11", when: reviewed, then: ReadyToRerequestReview},
	{id: "low-signal", over: "11", when: lowSignal, then: LowSignalConverged},
	{id: "11-direct", over: "11", when: internalTooling, then: InternalToolingDirectGate},
	{id: "12", when: checksBlock, then: BlockedNeedsUserDecision},
	{id: "13", when: checksWait, then: WaitingForCI},
	{id: "13-dirty", over: "13", when: conflict, then: BlockedNeedsUserDecision},
	{id: "14", when: always, then: PRReadyNoFeedback},
	{id: "14-direct", over: "14", when: internalTooling, then: InternalToolingDirectGate},
}

// A rule is one row of the table.
type rule struct {
	id   string
	over string // the row whose place this one takes; empty for a rule of its own
	when cond
	then State
}

// first returns the row that decides. It is total: the last rule of its own
// always holds (TestSomeRowAlwaysDecides).
func first(s Snapshot, c Config) rule {
	for i, r := range rules {
		if r.over != "" || !r.when.holds(s, c) {
			continue
		}
		for _, o := range rules[i+1:] {
			if o.over == r.id && o.when.holds(s, c) {
				return o
			}
		}
		return r
	}
	panic("copilot: no rule holds; the table has lost its last row")
}

// A cond is a condition and the words for it, which the generated table and
// the job summary show.
type cond struct {
	says  string
	holds func(Snapshot, Config) bool
}

var (
	noPullRequest = cond{"there is no pull request", func(s Snapshot, _ Config) bool {
		return !s.PRExists
	}}
	mergedOrClosed = cond{"the pull request is merged or closed", func(s Snapshot, _ Config) bool {
		return s.PRMerged || s.PRClosed
	}}
	draft = cond{"it is a draft", func(s Snapshot, _ Config) bool {
		return s.PRDraft
	}}
	requestUnavailable = cond{"Copilot cannot be asked for a review", func(s Snapshot, _ Config) bool {
		return s.CopilotReviewRequestStatus == Unavailable
	}}
	requestFailed = cond{"the review request failed unexpectedly", func(s Snapshot, _ Config) bool {
		return s.CopilotReviewRequestStatus == RequestFailed
	}}
	requestActive = cond{"a review request is active for the head", func(s Snapshot, _ Config) bool {
		return s.CopilotReviewRequestStatus == Requested || s.CopilotReviewRequestStatus == AlreadyRequested
	}}
	noRequest   = not("no review request is active", requestActive)
	roundsSpent = cond{"every permitted round is spent", func(s Snapshot, c Config) bool {
		return c.MaxCopilotRounds > 0 && float64(s.CopilotReviewRoundCount) >= c.MaxCopilotRounds
	}}
	feedback = cond{"a thread or the body of a review has open feedback", func(s Snapshot, _ Config) bool {
		return s.UnresolvedThreadCount > 0 || s.CopilotBodyFeedbackUnresolved
	}}
	noFeedback = not("no feedback is open", feedback)
	fixApplied = cond{"a report has an answer to all of it", func(s Snapshot, _ Config) bool {
		return s.AgentFixStatus == fixAppliedStatus
	}}
	reviewed = cond{"Copilot has reviewed", func(s Snapshot, _ Config) bool {
		return s.CopilotReviewPresent || s.CopilotReviewOnCurrentHead
	}}
	headNotReviewed = cond{"Copilot has not reviewed the head", func(s Snapshot, _ Config) bool {
		return !s.CopilotReviewOnCurrentHead
	}}
	reviewsFailed = cond{"two reviews of the head ended in an error", func(s Snapshot, _ Config) bool {
		return s.CopilotErrorReviewCountOnCurrentHead >= 2
	}}
	green = cond{"checks are green or not required", func(s Snapshot, c Config) bool {
		return !c.PreApprovalRequireCI || passed(s.CIStatus)
	}}
	checksBlock = cond{"required checks have failed", func(s Snapshot, c Config) bool {
		return c.PreApprovalRequireCI && s.CIStatus == CIFailure
	}}
	// What is neither passed nor failed waits, a status nobody knows included.
	checksWait = cond{"required checks are pending or have not reported", func(s Snapshot, c Config) bool {
		return c.PreApprovalRequireCI && s.CIStatus != CIFailure && !passed(s.CIStatus)
	}}
	// Checks of a pull request cannot start while GitHub can make no merge
	// commit of it, so waiting would never end.
	conflict = cond{"the branch conflicts with its base, so checks cannot start", func(s Snapshot, _ Config) bool {
		return s.MergeStateStatus == dirty
	}}
	lowSignal = cond{"late rounds bring only minor remarks", func(s Snapshot, c Config) bool {
		return c.StopOnLowSignal &&
			float64(s.CopilotReviewRoundCount) > c.LowSignalRoundThreshold &&
			float64(s.ActionableThreadCount) <= c.LowSignalMaxComments &&
			s.LastCopilotRoundMaxSignal != highSignal
	}}
	internalTooling = cond{"only internal tooling is touched, by configuration", func(_ Snapshot, c Config) bool {
		return c.InternalToolingDirectGate
	}}
	always = cond{"otherwise", func(Snapshot, Config) bool { return true }}
)

// Values of the snapshot that conditions ask for and that have no type of
// their own.
const (
	fixAppliedStatus = "applied"
	highSignal       = "high"
	dirty            = "DIRTY" // GraphQL enum MergeStateStatus
)

func passed(c CIStatus) bool { return c == CISuccess || c == CrediblyGreen }

func not(says string, c cond) cond {
	return cond{says, func(s Snapshot, cfg Config) bool { return !c.holds(s, cfg) }}
}

func all(cs ...cond) cond {
	says := make([]string, len(cs))
	for i, c := range cs {
		says[i] = c.says
	}
	return cond{strings.Join(says, ", and "), func(s Snapshot, cfg Config) bool {
		return !slices.ContainsFunc(cs, func(c cond) bool { return !c.holds(s, cfg) })
	}}
}

// A Row is one row of the table of rules, in words.
type Row struct {
	ID    string
	Words string // the condition, without a full stop
	State State
}

// Table returns the rules in their order, for documents and the job summary.
func Table() []Row {
	table := make([]Row, len(rules))
	for i, r := range rules {
		table[i] = Row{ID: r.id, Words: r.when.says, State: r.then}
		if r.over != "" {
			table[i].Words = "rule " + r.over + " would decide, and " + r.when.says
		}
	}
	return table
}

// Words returns the condition of the row id, or "" where no row has that id.
func Words(id string) string {
	table := Table()
	if i := slices.IndexFunc(table, func(r Row) bool { return r.ID == id }); i >= 0 {
		return table[i].Words
	}
	return ""
}
