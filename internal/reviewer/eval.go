package reviewer

import (
	"errors"
	"strings"

	"github.com/prloop/prloop/internal/loose"
)

// Eval is the machine as a black box: one line of JSON in, one line of JSON
// out, without a newline at its end. The line has {snapshot}, which is read as
// [Normalize] does; other keys are left alone. The answer is a [Result], or
// {"error": …} where the line holds no snapshot.
func Eval(line []byte) []byte {
	return loose.Answer(line, "snapshot", func(in map[string]any) (any, error) {
		s, err := Normalize(in["snapshot"])
		if err != nil {
			return nil, err
		}
		return Interpret(s), nil
	})
}

// ErrNoSnapshot says that a value is no snapshot at all.
var ErrNoSnapshot = errors.New("the snapshot is not an object")

// Normalize reads a decoded JSON value as a snapshot, by the meaning that the
// loop family's own interpreter gives it. Only a value that is neither object
// nor array is an error (ErrNoSnapshot); a field of the wrong type falls to
// its default. Flags have JavaScript's truthiness, so "false" is true.
//
// Numbers may be float64 or json.Number. The keys of an array are not looked
// at: it has none of them.
func Normalize(raw any) (Snapshot, error) {
	m, ok := loose.Object(raw)
	if !ok {
		return Snapshot{}, ErrNoSnapshot
	}
	s := Snapshot{
		PRExists:                      loose.Truthy(m["prExists"]),
		PRDraft:                       loose.Truthy(m["prDraft"]),
		PRMerged:                      loose.Truthy(m["prMerged"]),
		PRClosed:                      loose.Truthy(m["prClosed"]),
		ReviewRequested:               loose.Truthy(m["reviewRequested"]),
		ReviewerLogin:                 strings.ToLower(loose.Text(m["reviewerLogin"])),
		LocalPlanningStatus:           loose.One(m["localPlanningStatus"], None, Determining, Complete, Failed),
		LocalReviewRunsStatus:         loose.One(m["localReviewRunsStatus"], None, Running, Completed, Failed),
		LocalMergeStatus:              loose.One(m["localMergeStatus"], None, Ready, Failed),
		DraftReviewPrepared:           loose.Truthy(m["draftReviewPrepared"]),
		DraftReviewPosted:             loose.Truthy(m["draftReviewPosted"]),
		DraftReviewID:                 loose.ID(m["draftReviewId"]),
		DraftReviewURL:                loose.Text(m["draftReviewUrl"]),
		DraftReviewCommitSHA:          loose.Text(m["draftReviewCommitSha"]),
		DraftReviewNotificationStatus: loose.One(m["draftReviewNotificationStatus"], None, Notified),
		SubmittedReviewPresent:        loose.Truthy(m["submittedReviewPresent"]),
		SubmittedReviewCommitSHA:      loose.Text(m["submittedReviewCommitSha"]),
		SubmittedReviewState: loose.One(strings.ToUpper(loose.Text(m["submittedReviewState"])), "",
			"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"),
		ReviewSubmissionStatus: loose.One(m["reviewSubmissionStatus"], None, Submitted, Failed),
		FollowupHandedOver:     loose.Truthy(m["followupHandedOver"]),
	}
	if s.PRExists {
		s.PRNumber = loose.ID(m["prNumber"])
		s.PRHeadSHA = loose.Text(m["prHeadSha"])
	}
	return s, nil
}
