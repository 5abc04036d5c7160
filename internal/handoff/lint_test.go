package handoff

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/pr"
)

func TestLint(t *testing.T) {
	const (
		noCommit = "a fix names no commit"
		thanks   = "it is thanks and nothing else"
		putsOff  = "it puts the work off, and names no issue that keeps it"
		disagree = "it disagrees and gives no reason"
		short    = "it has fewer than 30 characters, and no commit"
	)
	tests := []struct {
		action Action
		text   string
		commit pr.SHA
		want   []string
	}{
		{FixIt, "", headB, nil},
		{FixIt, "Null is checked now.", headB, nil},
		{FixIt, "Null is checked before the first use of it.", "", []string{noCommit}},
		{FixIt, "Thanks, great catch!", headB, []string{thanks}},
		{FixIt, "I will fix this later.", headB, []string{putsOff}},
		{Decline, "Thank you so much for the review, really appreciated!", "", []string{thanks}},
		{Decline, "I’ll address this in a follow-up, it is too large.", "", []string{putsOff}},
		{Decline, "We should look at this again soon, but not in this change.", "", []string{putsOff}},
		{Decline, "TO" + "DO", "", []string{putsOff, short}},
		{Partial, "The reader is done; the writer will be done in a follow-up, see #12.", "", nil},
		{Partial, "The reader is done; the writer is to be done later: https://github.com/octo/spoon/issues/4", "", nil},
		{Partial, "The rest will be in the next release.", "", []string{putsOff}},
		{Decline, "I disagree.", "", []string{disagree, short}},
		{Decline, "Sorry, but I really don't agree with this suggestion at all, thanks.", "", []string{disagree}},
		{Decline, "Not a bug. Works as intended, by design.", "", []string{disagree}},
		{Decline, "Not a bug: the caller holds the lock (store.go:41).", "", nil},
		{Decline, "I disagree because the list is never empty: parse.go refuses it.", "", nil},
		{Decline, "The future is computed later, by the scheduler in run.go.", "", nil},
		{Decline, "see parse.go:12", "", []string{short}},
		{Decline, "done in a1b2c3d", "", nil},
		{Decline, "fixed in 1234567", "", nil},
		{Decline, "number 1234567", "", []string{short}},
		{Decline, "defaced facade", "", []string{short}},
		{Drift, "", headB, nil},
		{Drift, "", "", []string{short}},
		{Partial, "", "", []string{short}},
		{Escalate, "", "", nil},
		{Escalate, "Which of the two?", "", []string{short}},
		{Decline, "この値は呼び出し元で既に検査されています", "", nil},
		{Decline, "既に検査済み", "", []string{short}},
	}
	for _, tt := range tests {
		t.Run(string(tt.action)+" "+tt.text, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Lint(tt.action, tt.text, tt.commit)); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}
