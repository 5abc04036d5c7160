package githubtest_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prloop/prloop/internal/githubtest"
)

// The pull request of the package's page, from its opening to the review of
// the fix.
func Example() {
	w := githubtest.New(githubtest.Options{Owner: "octo", Repo: "demo", Now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)})
	w.AddAccount(githubtest.Account{Login: "mona", Permission: "write", Seat: true})
	w.SetChecks(githubtest.ScriptedCheck{Check: githubtest.Check{Name: "build", Required: true}, Takes: 3 * time.Minute})
	w.SetReviewer(githubtest.CopilotReviewer, githubtest.Reviewer{
		StartAfter: time.Minute, SubmitAfter: 4 * time.Minute,
		Rounds: []githubtest.Round{
			{Layout: githubtest.V2, Findings: []githubtest.Finding{{Path: "a.go", Line: 3, Text: "Off by one."}}},
			{Layout: githubtest.V2}, // clean
		},
	})
	n := w.OpenPR(githubtest.PR{Author: "mona", HeadRef: "feature"})
	w.Request(n, "mona", githubtest.CopilotReviewer)
	w.At(30*time.Minute, "mona pushes the fix", func(w *githubtest.World) {
		w.Push(n, githubtest.Push{By: "mona"})
		w.Resolve(w.Pull(n).Threads[0].ID, "mona")
		w.Request(n, "mona", githubtest.CopilotReviewer)
	})

	w.Advance(time.Hour)

	for _, c := range w.Changes() {
		fmt.Println(c.At.Format("15:04"), c.What, "by", c.By)
	}
	_ = &http.Client{Transport: w.Transport()} // how clients reach it

	// Output:
	// 09:00 opened by mona
	// 09:00 review_requested by mona
	// 09:00 check_started by github-actions[bot]
	// 09:01 check_started by github-actions[bot]
	// 09:01 review_started by copilot-pull-request-reviewer[bot]
	// 09:03 check_success by github-actions[bot]
	// 09:05 reviewed by copilot-pull-request-reviewer[bot]
	// 09:05 check_success by github-actions[bot]
	// 09:30 pushed by mona
	// 09:30 thread_resolved by mona
	// 09:30 review_requested by mona
	// 09:30 check_started by github-actions[bot]
	// 09:31 check_started by github-actions[bot]
	// 09:31 review_started by copilot-pull-request-reviewer[bot]
	// 09:33 check_success by github-actions[bot]
	// 09:35 reviewed by copilot-pull-request-reviewer[bot]
	// 09:35 check_success by github-actions[bot]
}
