package facts

import (
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/reviewer"
)

// StepReview is the step of a hand-over that asks for a review (design 5).
const StepReview = "review"

// reviewerLoop derives the snapshot of the reviewer loop: what one account
// (reviewerLoop.reviewerLogin) was asked, prepares and submitted. Without one
// nothing is prepared, and the loop waits for a request. The reviewers of the
// Copilot loop are other accounts, so theirs never enter it (design 3).
//
// Requests and reviews are read in full before anything is decided by it
// (plan, S9).
func reviewerLoop(in Input, f Facts) reviewer.Snapshot {
	snap := in.Snapshot
	s := reviewer.Snapshot{
		PRExists: snap.Found,
		PRDraft:  snap.Draft,
		PRMerged: snap.State == pr.Merged,
		PRClosed: snap.State == pr.Closed,

		LocalPlanningStatus: reviewer.None, LocalReviewRunsStatus: reviewer.None, LocalMergeStatus: reviewer.None,
		DraftReviewNotificationStatus: reviewer.None, ReviewSubmissionStatus: reviewer.None,
	}
	if snap.Found {
		number := int64(snap.Number)
		s.PRNumber, s.PRHeadSHA = &number, string(snap.Head)
	}
	login := pr.NewLogin(in.Settings.ReviewerLoop.Login)
	if login == "" || (pr.Actor{Login: login, Bot: true}).IsCopilotReviewer() {
		return s
	}
	s.ReviewerLogin = string(login)
	s.ReviewRequested = slices.ContainsFunc(snap.Requests, func(a pr.Actor) bool { return a.Login == login })
	submittedReview(in, f, login, &s)
	preparedReview(in, login, &s)
	return s
}

// submittedReview fills in the account's newest review, for as long as it asks
// for something: it wants changes, or a thread of the account awaits us. One
// that asks for nothing is over, so that it does not keep control for ever
// (design 3).
func submittedReview(in Input, f Facts, login pr.Login, s *reviewer.Snapshot) {
	var newest, stands pr.Review
	for _, r := range in.Snapshot.Reviews {
		if r.Author.Login != login || r.State == pr.Pending || r.State == pr.Dismissed {
			continue
		}
		newest = r
		if r.State != pr.Commented {
			stands = r
		}
	}
	if newest.ID == "" || s.ReviewRequested && beingPrepared(in, newest.SubmittedAt) {
		return
	}
	// A comment takes no request for changes back: an approval or a dismissal does.
	if stands.State == pr.ChangesRequested {
		newest = stands
	}
	open := slices.DeleteFunc(slices.Clone(f.Awaiting), func(x Finding) bool { return x.Author != login || x.Thread == "" })
	if newest.State != pr.ChangesRequested && len(open) == 0 {
		return
	}
	s.SubmittedReviewPresent = true
	s.SubmittedReviewCommitSHA = string(newest.Commit)
	s.SubmittedReviewState = string(newest.State)
	// What was handed over at this head, or is to be, is the follow-up.
	given := handedAt(in.Journal, in.Snapshot.Head)
	s.FollowupHandedOver = !slices.ContainsFunc(open, func(x Finding) bool { return !given[journal.Mark(x.ID)] })
}

// beingPrepared: the account is asked once more, and its next review of this
// head was handed over since t. Until that is there the one before is over.
func beingPrepared(in Input, t time.Time) bool {
	return slices.ContainsFunc(in.Journal.Handoffs, func(h journal.Handoff) bool {
		return h.Prepares() && h.Head == in.Snapshot.Head && !h.At.Before(t)
	})
}

// handedAt has the marks of the findings that were handed over to a fixer at
// head.
func handedAt(j journal.Journal, head pr.SHA) map[string]bool {
	given := map[string]bool{}
	for _, h := range j.Handoffs {
		if h.Head != head || h.Step != "" {
			continue
		}
		for m := range strings.FieldsSeq(h.Findings) {
			given[m] = true
		}
	}
	return given
}

// preparedReview fills in how far the review that prloop prepares has come: the
// newest hand-over of the step review at this head says so by its report, and
// the journal knows what was made of that.
func preparedReview(in Input, login pr.Login, s *reviewer.Snapshot) {
	j, head := in.Journal, in.Snapshot.Head
	if d := j.Draft; d != nil && !submittedSince(in.Snapshot, login, d) {
		s.DraftReviewPosted = true
		s.DraftReviewURL = in.Snapshot.URL + "/files"
		s.DraftReviewCommitSHA = string(d.Head)
		if slices.ContainsFunc(j.Told, func(t journal.Told) bool { return t.Topic == TopicPrepared && t.Head.Short() == d.Head.Short() }) {
			s.DraftReviewNotificationStatus = reviewer.Notified
		}
		return
	}
	if !s.ReviewRequested {
		return // nobody waits for it any more
	}
	for _, h := range j.Handoffs {
		if h.Head != head || !h.Prepares() {
			continue
		}
		_, at, parked := strings.Cut(h.Parked, "@")
		s.LocalPlanningStatus, s.LocalReviewRunsStatus = reviewer.Determining, reviewer.None
		switch {
		case parked && pr.SHA(at) == head:
			s.LocalReviewRunsStatus = reviewer.Failed
		case strings.HasPrefix(h.Reported, "partial"):
			s.LocalReviewRunsStatus = reviewer.Running
		case h.Reported != "": // prepared, and over since: submitted or discarded
			s.LocalPlanningStatus = reviewer.Complete
		}
	}
}

// TopicPrepared is the topic of the comment that tells of a prepared review; it
// is the reason code that goes with it.
const TopicPrepared = "review_prepared"

// submittedSince: the account handed a review in since the draft was made. An
// account has one pending review at a time, so it was that one.
func submittedSince(snap *pr.Snapshot, login pr.Login, d *journal.Draft) bool {
	return slices.ContainsFunc(snap.Reviews, func(r pr.Review) bool {
		return r.State != pr.Pending && (r.ID == d.ID || r.Author.Login == login && !r.SubmittedAt.Before(d.At))
	})
}
