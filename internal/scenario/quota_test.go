package scenario

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/githubtest"
)

// askings are the times of the requests of the log that ask Copilot for a review,
// by whichever rung, and whatever came of them.
func askings(log []githubtest.Request) []string {
	var at []string
	for _, q := range log {
		post := q.Method == "POST" && (strings.HasSuffix(q.Path, "/copilot-code-review") || strings.HasSuffix(q.Path, "/requested_reviewers"))
		if post || slices.Contains(q.Fields, "requestReviewsByLogin") {
			at = append(at, q.At.Format("02 15:04"))
		}
	}
	return at
}

// One answer that the quota is used up stops the asking for every pull request of
// the repository until its time, in the sweep that met it too, by the server's
// own log. The next request is the one after that time.
func TestOneQuotaAnswerHoldsForTheRepository(t *testing.T) {
	told := play(t, story(t, "quota-of-all"), Options{Again: true})
	if diff := cmp.Diff([]string{"30 09:02", "01 09:02"}, askings(told.World.Log())); diff != "" {
		t.Errorf("requests for a review in the server's log (-want +got):\n%s", diff)
	}
	if n := len(told.Runs); n != 5 || told.Runs[1].At.Sub(told.Runs[0].At) != time.Hour {
		t.Errorf("the story has %d runs, the second of them %s after the sweep", n, told.Runs[1].At.Sub(told.Runs[0].At))
	}
}
