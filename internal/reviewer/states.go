package reviewer

// states has the next action of each state: one row a state.
// TestStatesAreComplete holds it against the constants.
var states = []stateRow{
	{WaitingForReviewRequest, "Wait until somebody asks for a review"},
	{ReviewRequested, "Note what is under review, and begin a plan for it"},
	{DetermineReviewPlan, "Choose the angles to review from"},
	{ReviewsRunning, "Wait until the run of every angle has ended"},
	{MergeResults, "Merge what the runs found into one review"},
	{DraftReviewReady, "Create the review on GitHub, pending"},
	{DraftReviewPosted, "Pass the link of the pending review on to its reviewer"},
	{WaitingForUserSubmit, "Wait until the reviewer submits the pending review"},
	{SubmittedReview, "Hand the review over to be worked off, until another one is asked for"},
	{WaitingForAuthorFollowup, "Wait for the author's answer to the review"},
	{WaitingForReRequest, "Wait until a review of the new head is asked for"},
	{ReviewInvalidated, "Discard the pending review, which is of an older head, and begin again"},
	{BlockedNeedsUserDecision, "Stop: a person has to decide how to go on"},
}

type stateRow struct {
	state State
	next  string
}

// transitions has the edges that the loop family's own table allows, its later
// additions (a review may be submitted, and a run may fail, at any time)
// included, and the three that the follow-up states of prloop need. It is
// published and advisory: a snapshot may jump (merged by hand, a new push),
// and that is no error. Whatever has no row here has no way on.
var transitions = []Transition{
	{WaitingForReviewRequest, ReviewRequested, "review asked for"},
	{WaitingForReviewRequest, SubmittedReview, "reviewed unasked"},
	{WaitingForReviewRequest, BlockedNeedsUserDecision, "failed"},
	{ReviewRequested, DetermineReviewPlan, "planning begun"},
	{ReviewRequested, BlockedNeedsUserDecision, "failed"},
	{ReviewRequested, SubmittedReview, "reviewed by hand"},
	{DetermineReviewPlan, ReviewsRunning, "angles chosen"},
	{DetermineReviewPlan, BlockedNeedsUserDecision, "planning failed"},
	{DetermineReviewPlan, SubmittedReview, "reviewed by hand"},
	{ReviewsRunning, MergeResults, "every run ended"},
	{ReviewsRunning, BlockedNeedsUserDecision, "a run failed"},
	{ReviewsRunning, SubmittedReview, "reviewed by hand"},
	{MergeResults, DraftReviewReady, "merged"},
	{MergeResults, BlockedNeedsUserDecision, "merging failed"},
	{MergeResults, SubmittedReview, "reviewed by hand"},
	{DraftReviewReady, DraftReviewPosted, "posted, pending"},
	{DraftReviewReady, BlockedNeedsUserDecision, "posting failed"},
	{DraftReviewReady, SubmittedReview, "reviewed by hand"},
	{DraftReviewPosted, WaitingForUserSubmit, "link passed on"},
	{DraftReviewPosted, ReviewInvalidated, "head moved"},
	{DraftReviewPosted, SubmittedReview, "submitted"},
	{DraftReviewPosted, BlockedNeedsUserDecision, "failed"},
	{WaitingForUserSubmit, SubmittedReview, "submitted"},
	{WaitingForUserSubmit, ReviewInvalidated, "head moved"},
	{WaitingForUserSubmit, BlockedNeedsUserDecision, "submitting failed"},
	{SubmittedReview, ReviewRequested, "head moved, asked again"},
	{SubmittedReview, WaitingForReviewRequest, "review gone, or the pull request is closed"},
	{SubmittedReview, BlockedNeedsUserDecision, "failed"},
	{SubmittedReview, WaitingForAuthorFollowup, "follow-up handed over"},
	{SubmittedReview, WaitingForReRequest, "follow-up handed over, head moved"},
	{WaitingForAuthorFollowup, SubmittedReview, "another review submitted"},
	{WaitingForAuthorFollowup, ReviewRequested, "head moved, asked again"},
	{WaitingForAuthorFollowup, WaitingForReviewRequest, "review gone, or the pull request is closed"},
	{WaitingForAuthorFollowup, WaitingForReRequest, "head moved"},
	{WaitingForReRequest, ReviewRequested, "asked again"},
	{WaitingForReRequest, SubmittedReview, "another review submitted"},
	{ReviewInvalidated, ReviewRequested, "pending review discarded"},
	{ReviewInvalidated, BlockedNeedsUserDecision, "failed"},
}

// A Transition is an edge of the state graph, with a few words for its label.
type Transition struct {
	From, To State
	Words    string
}

// States returns every state.
func States() []State {
	all := make([]State, len(states))
	for i, row := range states {
		all[i] = row.state
	}
	return all
}

// Transitions returns the edges of the state graph.
func Transitions() []Transition {
	return append([]Transition(nil), transitions...)
}

// after returns where s may go next; it is empty, not nil, where nowhere.
func after(s State) []State {
	to := []State{}
	for _, t := range transitions {
		if t.From == s {
			to = append(to, t.To)
		}
	}
	return to
}

func nextAction(s State) string {
	for _, row := range states {
		if row.state == s {
			return row.next
		}
	}
	panic("reviewer: state " + string(s) + " has no row")
}
