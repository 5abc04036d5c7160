// Package reviewer is the state machine of the reviewer loop, in which prloop
// prepares a review for somebody: it maps a snapshot of observable facts to
// exactly one state, by an ordered table of which the first row that holds
// decides. Seed 004 consumes its states; the table and the pure parts around
// it (angles, merged findings) are those of the loop family that the seed
// names.
//
// Start at [Interpret].
package reviewer

import (
	"encoding/json"

	"github.com/prloop/prloop/internal/loose"
)

// A State is one state of the reviewer loop, by seed 004's name.
type State string

// The states of the reviewer loop.
const (
	WaitingForReviewRequest  State = "waiting_for_review_request"
	ReviewRequested          State = "review_requested"
	DetermineReviewPlan      State = "determine_review_plan"
	ReviewsRunning           State = "reviews_running"
	MergeResults             State = "merge_results"
	DraftReviewReady         State = "draft_review_ready"
	DraftReviewPosted        State = "draft_review_posted"
	WaitingForUserSubmit     State = "waiting_for_user_submit"
	SubmittedReview          State = "submitted_review"
	WaitingForAuthorFollowup State = "waiting_for_author_followup"
	WaitingForReRequest      State = "waiting_for_re_request"
	ReviewInvalidated        State = "review_invalidated"
	BlockedNeedsUserDecision State = "blocked_needs_user_decision"
)

// A Status is how far a part of the work has come: none before it began.
type Status string

// The values of localPlanningStatus (none, determining, complete, failed),
// localReviewRunsStatus (none, running, completed, failed), localMergeStatus
// (none, ready, failed), draftReviewNotificationStatus (none, notified) and
// reviewSubmissionStatus (none, submitted, failed).
const (
	None        Status = "none"
	Determining Status = "determining"
	Complete    Status = "complete"
	Running     Status = "running"
	Completed   Status = "completed"
	Ready       Status = "ready"
	Notified    Status = "notified"
	Submitted   Status = "submitted"
	Failed      Status = "failed"
)

// A Snapshot has the facts that the machine looks at, by the loop family's
// names. Build one with [Normalize] where the values come from outside.
// Reviews by the reviewers of the Copilot loop are none of it: theirs would
// keep this loop busy for ever (design 3).
//
// An empty text stands for null.
type Snapshot struct {
	PRExists                      bool   `json:"prExists"`
	PRNumber                      *int64 `json:"prNumber"`
	PRDraft                       bool   `json:"prDraft"`
	PRMerged                      bool   `json:"prMerged"`
	PRClosed                      bool   `json:"prClosed"`
	PRHeadSHA                     string `json:"prHeadSha"`
	ReviewRequested               bool   `json:"reviewRequested"`
	ReviewerLogin                 string `json:"reviewerLogin"` // lower-case; empty: any reviewer (Scope)
	LocalPlanningStatus           Status `json:"localPlanningStatus"`
	LocalReviewRunsStatus         Status `json:"localReviewRunsStatus"`
	LocalMergeStatus              Status `json:"localMergeStatus"`
	DraftReviewPrepared           bool   `json:"draftReviewPrepared"`
	DraftReviewPosted             bool   `json:"draftReviewPosted"`
	DraftReviewID                 *int64 `json:"draftReviewId"`
	DraftReviewURL                string `json:"draftReviewUrl"`
	DraftReviewCommitSHA          string `json:"draftReviewCommitSha"`
	DraftReviewNotificationStatus Status `json:"draftReviewNotificationStatus"`
	SubmittedReviewPresent        bool   `json:"submittedReviewPresent"`
	SubmittedReviewCommitSHA      string `json:"submittedReviewCommitSha"`
	SubmittedReviewState          string `json:"submittedReviewState"` // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, or empty
	ReviewSubmissionStatus        Status `json:"reviewSubmissionStatus"`
	// FollowupHandedOver says that the follow-up of the submitted review was
	// handed over once. It is prloop's own fact (design 3): without it the rows
	// that ask for it are off.
	FollowupHandedOver bool `json:"followupHandedOver"`
}

// The values of reviewerScope.
const (
	SingleReviewer = "single_reviewer"
	AllReviewers   = "all_reviewers"
)

// Scope is the derived fact reviewerScope: whose reviews the snapshot has.
func (s Snapshot) Scope() string {
	if s.ReviewerLogin == "" {
		return AllReviewers
	}
	return SingleReviewer
}

// MarshalJSON spells empty texts as null and adds reviewerScope. What it
// writes, [Normalize] reads back.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	type fields Snapshot
	return json.Marshal(struct {
		fields
		PRHeadSHA                *string `json:"prHeadSha"`
		ReviewerLogin            *string `json:"reviewerLogin"`
		ReviewerScope            string  `json:"reviewerScope"`
		DraftReviewURL           *string `json:"draftReviewUrl"`
		DraftReviewCommitSHA     *string `json:"draftReviewCommitSha"`
		SubmittedReviewCommitSHA *string `json:"submittedReviewCommitSha"`
		SubmittedReviewState     *string `json:"submittedReviewState"`
	}{
		fields(s), loose.OrNull(s.PRHeadSHA), loose.OrNull(s.ReviewerLogin), s.Scope(), loose.OrNull(s.DraftReviewURL),
		loose.OrNull(s.DraftReviewCommitSHA), loose.OrNull(s.SubmittedReviewCommitSHA), loose.OrNull(s.SubmittedReviewState),
	})
}

// A Result is what the machine says of a snapshot.
type Result struct {
	State              State   `json:"state"`
	Rule               string  `json:"rule"` // id of the row that decided (Table)
	AllowedTransitions []State `json:"allowedTransitions"`
	NextAction         string  `json:"nextAction"` // a sentence of ours, without a full stop
}

// Interpret maps a snapshot to exactly one state: the first row of the table
// that holds decides ([Table]). It is total and reads nothing but its
// argument. AllowedTransitions is a fresh slice, empty where there is no way
// on.
//
// There is no state for the end: a pull request that is merged or closed waits
// for a review request, and the conductor sees from the Copilot loop that all
// is done (seed 004, priority 2).
func Interpret(s Snapshot) Result {
	r := first(s)
	return Result{State: r.then, Rule: r.id, AllowedTransitions: after(r.then), NextAction: nextAction(r.then)}
}
