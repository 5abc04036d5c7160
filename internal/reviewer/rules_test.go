package reviewer

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const (
	head  = "1f0c9a2e"
	older = "77a01b3c"
)

// on is an open pull request of which nobody has asked for a review, changed
// by each edit in turn.
func on(edits ...func(*Snapshot)) Snapshot {
	s := Snapshot{
		PRExists: true, PRNumber: new(int64(7)), PRHeadSHA: head,
		LocalPlanningStatus: None, LocalReviewRunsStatus: None, LocalMergeStatus: None,
		DraftReviewNotificationStatus: None, ReviewSubmissionStatus: None,
	}
	for _, edit := range edits {
		edit(&s)
	}
	return s
}

func gone(s *Snapshot)            { s.PRExists, s.PRNumber, s.PRHeadSHA = false, nil, "" }
func merged(s *Snapshot)          { s.PRMerged = true }
func closed(s *Snapshot)          { s.PRClosed = true }
func asDraft(s *Snapshot)         { s.PRDraft = true }
func asked(s *Snapshot)           { s.ReviewRequested = true }
func planningNow(s *Snapshot)     { s.LocalPlanningStatus = Determining }
func planned(s *Snapshot)         { s.LocalPlanningStatus = Complete }
func noPlan(s *Snapshot)          { s.LocalPlanningStatus = Failed }
func runningNow(s *Snapshot)      { s.LocalReviewRunsStatus = Running }
func ran(s *Snapshot)             { s.LocalReviewRunsStatus = Completed }
func runFailed(s *Snapshot)       { s.LocalReviewRunsStatus = Failed }
func mergedResults(s *Snapshot)   { s.LocalMergeStatus = Ready }
func mergeFailed(s *Snapshot)     { s.LocalMergeStatus = Failed }
func preparedDraft(s *Snapshot)   { s.DraftReviewPrepared = true }
func postedDraft(s *Snapshot)     { s.DraftReviewPosted, s.DraftReviewCommitSHA = true, head }
func outdatedDraft(s *Snapshot)   { s.DraftReviewPosted, s.DraftReviewCommitSHA = true, older }
func draftOfNoCommit(s *Snapshot) { s.DraftReviewPosted, s.DraftReviewCommitSHA = true, "" }
func told(s *Snapshot)            { s.DraftReviewNotificationStatus = Notified }
func reviewedHere(s *Snapshot)    { s.SubmittedReviewPresent, s.SubmittedReviewCommitSHA = true, head }

func reviewedBefore(s *Snapshot) { s.SubmittedReviewPresent, s.SubmittedReviewCommitSHA = true, older }

func reviewedSomehow(s *Snapshot) { s.SubmittedReviewPresent, s.SubmittedReviewCommitSHA = true, "" }
func submittedNow(s *Snapshot)    { s.ReviewSubmissionStatus = Submitted }
func ofAnOlderHead(s *Snapshot)   { s.SubmittedReviewCommitSHA = older }
func submitFailed(s *Snapshot)    { s.ReviewSubmissionStatus = Failed }
func followedUp(s *Snapshot)      { s.FollowupHandedOver = true }
func unknownHead(s *Snapshot)     { s.PRHeadSHA = "" }

// witnesses has, for each row of the table and in its order, a snapshot in
// which that row decides, and the state that it comes to.
var witnesses = []struct {
	snapshot Snapshot
	rule     string
	want     State
}{
	{on(merged), "1", WaitingForReviewRequest},
	{on(asDraft, asked), "2", WaitingForReviewRequest},
	{on(runFailed), "3", BlockedNeedsUserDecision},
	{on(outdatedDraft), "4", ReviewInvalidated},
	{on(postedDraft), "5", DraftReviewPosted},
	{on(postedDraft, told), "5-notified", WaitingForUserSubmit},
	{on(reviewedHere), "6", SubmittedReview},
	{on(reviewedBefore, asked), "6-again", ReviewRequested},
	{on(reviewedBefore, followedUp), "6-moved", WaitingForReRequest},
	{on(reviewedHere, followedUp), "6-followup", WaitingForAuthorFollowup},
	{on(submittedNow), "7", SubmittedReview},
	{on(submittedNow, ofAnOlderHead, followedUp), "7-moved", WaitingForReRequest},
	{on(submittedNow, followedUp), "7-followup", WaitingForAuthorFollowup},
	{on(mergedResults), "8", DraftReviewReady},
	{on(ran), "9", MergeResults},
	{on(runningNow), "10", ReviewsRunning},
	{on(planningNow), "11", DetermineReviewPlan},
	{on(asked), "12", ReviewRequested},
	{on(), "13", WaitingForReviewRequest},
}

func TestEveryRowHasAWitness(t *testing.T) {
	var want, got []string
	for _, row := range Table() {
		want = append(want, row.ID)
		if row.Words == "" || row.Words != Words(row.ID) {
			t.Errorf("row %s: Table has the words %q, Words %q", row.ID, row.Words, Words(row.ID))
		}
	}
	for _, w := range witnesses {
		got = append(got, w.rule)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("witnesses in the order of the table (-table +witnesses):\n%s", diff)
	}
	if words := Words("14"); words != "" {
		t.Errorf("row 14 is not there, and has the words %q", words)
	}
	for i, w := range witnesses {
		want := Result{State: w.want, Rule: w.rule, AllowedTransitions: after(w.want), NextAction: nextAction(w.want)}
		if diff := cmp.Diff(want, Interpret(w.snapshot)); diff != "" {
			t.Errorf("row %s (-want +got):\n%s", w.rule, diff)
		}
		if Table()[i].State != w.want {
			t.Errorf("row %s says %s in the table, and decides %s", w.rule, Table()[i].State, w.want)
		}
	}
}

func TestTableSaysInWordsWhatARowAsks(t *testing.T) {
	want := []Row{
		{"4", "a draft review is posted, and it is of another head", ReviewInvalidated},
		{"6", "a submitted review is there", SubmittedReview},
		{"6-again", "rule 6 would decide, and the head has moved since, and a review is asked for", ReviewRequested},
	}
	var got []Row
	for _, row := range Table() {
		if row.ID == "4" || row.ID == "6" || row.ID == "6-again" {
			got = append(got, row)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

// Where two rows hold, the upper one wins for a reason. Each reason is written
// down, so that nobody reorders the table by accident.
func TestPrecedence(t *testing.T) {
	tests := []struct {
		why      string
		snapshot Snapshot
		want     string
	}{
		{"what is not there is not reviewed, whatever failed", on(gone, runFailed), "1"},
		{"closed is the end of a review, merged or not", on(closed, asked), "1"},
		{"a merged pull request needs no submit", on(merged, postedDraft, told), "1"},
		{"a merged draft is merged", on(merged, asDraft), "1"},
		{"a draft is not ready for a review, asked for or not", on(asDraft, asked), "2"},
		{"what failed before matters again once it is ready", on(asDraft, mergeFailed), "2"},
		{"a failed plan stops, though its runs went on", on(noPlan, ran), "3"},
		{"a failed run stops, though others were merged", on(runFailed, mergedResults), "3"},
		{"a failed merge stops, though a draft stands on GitHub", on(mergeFailed, postedDraft), "3"},
		{"a failed submission stops, though a review is there", on(submitFailed, reviewedHere), "3"},
		{"a failure stops even what is outdated", on(submitFailed, outdatedDraft), "3"},
		{"a pending review of another head is discarded, told or not", on(outdatedDraft, told), "4"},
		{"a pending review of another head is discarded, though an older one was submitted", on(outdatedDraft, reviewedBefore), "4"},
		{"a pending review of no known commit is kept", on(draftOfNoCommit), "5"},
		{"a pending review is kept while the head is not known", on(outdatedDraft, unknownHead), "5"},
		{"a pending review outranks one that was submitted", on(postedDraft, reviewedHere), "5"},
		{"a pending review outranks the loop's own note of a submission", on(postedDraft, submittedNow), "5"},
		{"a pending review that stands was prepared", on(postedDraft, preparedDraft, mergedResults), "5"},
		{"a link without a pending review is no wait for a submit", on(told), "13"},
		{"a submitted review outranks the runs that led to it", on(reviewedHere, mergedResults, ran), "6"},
		{"asked again for the same head is no new work", on(reviewedHere, asked), "6"},
		{"a new head alone is no request", on(reviewedBefore), "6"},
		{"a review of no known commit is not asked for again", on(reviewedSomehow, asked), "6"},
		{"asked again while the head is not known waits for it", on(reviewedBefore, asked, unknownHead), "6"},
		{"asked again for a new head ends the wait for a follow-up", on(reviewedBefore, asked, followedUp), "6-again"},
		{"asked again for the same head does not hand its follow-up over twice", on(reviewedHere, asked, followedUp), "6-followup"},
		{"a follow-up of a review of no known commit waits for its author", on(reviewedSomehow, followedUp), "6-followup"},
		{"the review itself outranks the note of its submission", on(reviewedHere, submittedNow), "6"},
		{"a note of a submission is enough until the review is seen", on(submittedNow, asked), "7"},
		{"a note of a submission outranks what was prepared for it", on(submittedNow, preparedDraft), "7"},
		{"a follow-up without a review is none", on(followedUp, asked), "12"},
		{"a prepared draft is posted, though its runs are not told of", on(preparedDraft, runningNow), "8"},
		{"merged results are ready, though a run is still told of", on(mergedResults, runningNow), "8"},
		{"runs that are done need no plan any more", on(ran, planningNow), "9"},
		{"runs outrank the plan that they come from", on(runningNow, planningNow), "10"},
		{"a plan that is being made is not begun again", on(planningNow, asked), "11"},
		{"a plan that is complete says nothing by itself", on(planned, asked), "12"},
		{"a plan that is complete asks for nothing", on(planned), "13"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if got := Interpret(tt.snapshot).Rule; got != tt.want {
				t.Errorf("decided by %s, want %s", got, tt.want)
			}
		})
	}
}

// A row that takes another one's place stands below it, and only there.
func TestRowsThatTakeAPlaceStandBelowIt(t *testing.T) {
	own := map[string]bool{}
	ids := map[string]bool{}
	for _, r := range rules {
		if ids[r.id] {
			t.Errorf("row %s is there twice", r.id)
		}
		ids[r.id] = true
		if r.over == "" {
			own[r.id] = true
		} else if !own[r.over] {
			t.Errorf("row %s takes the place of %s, which no rule above it is", r.id, r.over)
		}
	}
	if len(own) != 13 {
		t.Errorf("the loop family has 13 rules, the table %d", len(own))
	}
}

func TestSomeRowAlwaysDecides(t *testing.T) {
	last := rules[len(rules)-1]
	rapid.Check(t, func(t *rapid.T) {
		s := snapshots().Draw(t, "snapshot")
		if !last.when.holds(s) {
			t.Fatalf("%s, the last rule, does not hold", last.id)
		}
		got := Interpret(s)
		if !slices.Contains(States(), got.State) || got.NextAction == "" || Words(got.Rule) == "" || got.AllowedTransitions == nil {
			t.Fatalf("an incomplete result: %+v", got)
		}
		if diff := cmp.Diff(got, Interpret(s)); diff != "" {
			t.Fatalf("interpreted twice (-first +second):\n%s", diff)
		}
	})
}

func TestGuarantees(t *testing.T) {
	waits := []State{WaitingForAuthorFollowup, WaitingForReRequest}
	rapid.Check(t, func(t *rapid.T) {
		s := snapshots().Draw(t, "snapshot")
		got := Interpret(s)
		reviewable := s.PRExists && !s.PRMerged && !s.PRClosed && !s.PRDraft
		broken := slices.Contains([]Status{s.LocalPlanningStatus, s.LocalReviewRunsStatus, s.LocalMergeStatus, s.ReviewSubmissionStatus}, Failed)

		if !reviewable && got.State != WaitingForReviewRequest {
			t.Fatalf("nothing can be reviewed, and the state is %s", got.State)
		}
		if (got.State == BlockedNeedsUserDecision) != (reviewable && broken) {
			t.Fatalf("something failed: %v, and the state is %s", broken, got.State)
		}
		if got.State == ReviewInvalidated && s.DraftReviewCommitSHA == s.PRHeadSHA {
			t.Fatal("a pending review of the head would be discarded")
		}

		// The follow-up takes the place of a submitted review, and of nothing
		// else; without its fact the loop family's own table decides.
		with, without := s, s
		with.FollowupHandedOver, without.FollowupHandedOver = true, false
		on, off := Interpret(with), Interpret(without)
		switch {
		case slices.Contains(waits, off.State):
			t.Fatalf("nothing was handed over, and the state is %s", off.State)
		case off.State == SubmittedReview && !slices.Contains(waits, on.State):
			t.Fatalf("the follow-up was handed over, and the state is %s", on.State)
		case off.State != SubmittedReview && on.State != off.State:
			t.Fatalf("no submitted review, and a follow-up changes %s to %s", off.State, on.State)
		}

		// What the machine does not ask for changes nothing.
		s.PRNumber, s.DraftReviewID = new(int64(99)), new(int64(98))
		s.ReviewerLogin, s.DraftReviewURL, s.SubmittedReviewState = "mona", "https://github.test/x", "APPROVED"
		if diff := cmp.Diff(got, Interpret(s)); diff != "" {
			t.Fatalf("with other names and numbers (-want +got):\n%s", diff)
		}
	})
}

// snapshots draws from few values, so that conditions meet.
func snapshots() *rapid.Generator[Snapshot] {
	return rapid.Custom(func(t *rapid.T) Snapshot {
		often := rapid.SampledFrom([]bool{true, true, true, true, true, false})
		rare := rapid.SampledFrom([]bool{false, false, false, false, false, true})
		commit := rapid.SampledFrom([]string{head, head, older, ""})
		s := Snapshot{
			PRExists:                      often.Draw(t, "exists"),
			PRDraft:                       rare.Draw(t, "draft"),
			PRMerged:                      rare.Draw(t, "merged"),
			PRClosed:                      rare.Draw(t, "closed"),
			ReviewRequested:               rapid.Bool().Draw(t, "requested"),
			ReviewerLogin:                 rapid.SampledFrom([]string{"", "hubot"}).Draw(t, "reviewer"),
			LocalPlanningStatus:           rapid.SampledFrom([]Status{None, None, None, Determining, Complete, Failed}).Draw(t, "planning"),
			LocalReviewRunsStatus:         rapid.SampledFrom([]Status{None, None, None, Running, Completed, Failed}).Draw(t, "runs"),
			LocalMergeStatus:              rapid.SampledFrom([]Status{None, None, None, Ready, Failed}).Draw(t, "merge"),
			DraftReviewPrepared:           rare.Draw(t, "prepared"),
			DraftReviewPosted:             rare.Draw(t, "posted"),
			DraftReviewURL:                rapid.SampledFrom([]string{"", "https://github.test/mona/spoon/pull/7"}).Draw(t, "link"),
			DraftReviewCommitSHA:          commit.Draw(t, "draft's commit"),
			DraftReviewNotificationStatus: rapid.SampledFrom([]Status{None, Notified}).Draw(t, "notified"),
			SubmittedReviewPresent:        rapid.Bool().Draw(t, "reviewed"),
			SubmittedReviewCommitSHA:      commit.Draw(t, "review's commit"),
			SubmittedReviewState:          rapid.SampledFrom([]string{"", "COMMENTED", "DISMISSED"}).Draw(t, "verdict"),
			ReviewSubmissionStatus:        rapid.SampledFrom([]Status{None, None, None, Submitted, Failed}).Draw(t, "submission"),
			FollowupHandedOver:            rapid.Bool().Draw(t, "followed up"),
		}
		if s.PRExists {
			s.PRNumber, s.PRHeadSHA = new(int64(7)), commit.Draw(t, "head")
		}
		if s.DraftReviewPosted {
			s.DraftReviewID = new(int64(3_000_000_000))
		}
		return s
	})
}
