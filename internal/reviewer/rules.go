package reviewer

import (
	"slices"
	"strings"
)

// rules is the ordered table of the reviewer loop, with its numbers. Read from
// the top: the first row that holds decides.
//
// A row with over is no rule of its own: where the row that it names decides,
// and its condition holds too, it takes that row's place. Rules 5 and 6 have
// two results each; the rows "moved" and "followup" are prloop's (design 3),
// so that a submitted review does not keep control for ever.
//
// Planning that is complete has no row: it says nothing that the runs do not
// say. What the submitted review decided (SubmittedReviewState) is not asked
// for either.
var rules = []rule{
	{id: "1", when: notOpen, then: WaitingForReviewRequest},
	{id: "2", when: draft, then: WaitingForReviewRequest},
	{id: "3", when: failed, then: BlockedNeedsUserDecision},
	{id: "4", when: all(posted, draftOutdated), then: ReviewInvalidated},
	{id: "5", when: posted, then: DraftReviewPosted},
	{id: "5-notified", over: "5", when: notified, then: WaitingForUserSubmit},
	{id: "6", when: reviewed, then: SubmittedReview},
	{id: "6-again", over: "6", when: all(headMoved, requested), then: ReviewRequested},
	{id: "6-moved", over: "6", when: all(handedOver, headMoved), then: WaitingForReRequest},
	{id: "6-followup", over: "6", when: handedOver, then: WaitingForAuthorFollowup},
	{id: "7", when: submitted, then: SubmittedReview},
	{id: "7-moved", over: "7", when: all(handedOver, headMoved), then: WaitingForReRequest},
	{id: "7-followup", over: "7", when: handedOver, then: WaitingForAuthorFollowup},
	{id: "8", when: prepared, then: DraftReviewReady},
	{id: "9", when: runsDone, then: MergeResults},
	{id: "10", when: running, then: ReviewsRunning},
	{id: "11", when: planning, then: DetermineReviewPlan},
	{id: "12", when: requested, then: ReviewRequested},
	{id: "13", when: always, then: WaitingForReviewRequest},
}

// A rule is one row of the table.
type rule struct {
	id   string
	over string // the row whose place this one takes; empty for a rule of its own
	when cond
	then State
}

// first returns the row that decides. It is total: the last rule always holds
// (TestSomeRowAlwaysDecides).
func first(s Snapshot) rule {
	for i, r := range rules {
		if r.over != "" || !r.when.holds(s) {
			continue
		}
		for _, o := range rules[i+1:] {
			if o.over == r.id && o.when.holds(s) {
				return o
			}
		}
		return r
	}
	panic("reviewer: no rule holds; the table has lost its last row")
}

// A cond is a condition and the words for it, which the generated table and
// the job summary show.
type cond struct {
	says  string
	holds func(Snapshot) bool
}

var (
	notOpen = cond{"there is no pull request, or it is merged or closed", func(s Snapshot) bool {
		return !s.PRExists || s.PRMerged || s.PRClosed
	}}
	draft = cond{"it is a draft", func(s Snapshot) bool {
		return s.PRDraft
	}}
	failed = cond{"planning, a run, the merge of the results or the submission has failed", func(s Snapshot) bool {
		return slices.Contains([]Status{
			s.ReviewSubmissionStatus, s.LocalPlanningStatus, s.LocalReviewRunsStatus, s.LocalMergeStatus,
		}, Failed)
	}}
	posted = cond{"a draft review is posted", func(s Snapshot) bool {
		return s.DraftReviewPosted
	}}
	draftOutdated = cond{"it is of another head", func(s Snapshot) bool {
		return differ(s.DraftReviewCommitSHA, s.PRHeadSHA)
	}}
	notified = cond{"its link was passed on", func(s Snapshot) bool {
		return s.DraftReviewNotificationStatus == Notified
	}}
	reviewed = cond{"a submitted review is there", func(s Snapshot) bool {
		return s.SubmittedReviewPresent
	}}
	headMoved = cond{"the head has moved since", func(s Snapshot) bool {
		return differ(s.SubmittedReviewCommitSHA, s.PRHeadSHA)
	}}
	requested = cond{"a review is asked for", func(s Snapshot) bool {
		return s.ReviewRequested
	}}
	handedOver = cond{"its follow-up was handed over", func(s Snapshot) bool {
		return s.FollowupHandedOver
	}}
	submitted = cond{"the review counts as submitted", func(s Snapshot) bool {
		return s.ReviewSubmissionStatus == Submitted
	}}
	prepared = cond{"the results are merged, or a draft review is prepared", func(s Snapshot) bool {
		return s.DraftReviewPrepared || s.LocalMergeStatus == Ready
	}}
	runsDone = cond{"the runs are completed", func(s Snapshot) bool {
		return s.LocalReviewRunsStatus == Completed
	}}
	running = cond{"the runs are running", func(s Snapshot) bool {
		return s.LocalReviewRunsStatus == Running
	}}
	planning = cond{"the plan is being made", func(s Snapshot) bool {
		return s.LocalPlanningStatus == Determining
	}}
	always = cond{"otherwise", func(Snapshot) bool { return true }}
)

// differ reports whether two commits are known and not the same. A commit that
// is not known is no reason to throw work away.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

func all(cs ...cond) cond {
	says := make([]string, len(cs))
	for i, c := range cs {
		says[i] = c.says
	}
	return cond{strings.Join(says, ", and "), func(s Snapshot) bool {
		return !slices.ContainsFunc(cs, func(c cond) bool { return !c.holds(s) })
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
