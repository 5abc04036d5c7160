package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/plan"
)

// waits are the states in which prloop waits, each with the story that leads
// there. The last run of the story begins the wait, at the full minute begun; it
// is over after so long, and the first run after that decides then.
var waits = []struct {
	name   string
	config string
	script string
	begun  string // hours and minutes
	after  time.Duration
	then   plan.Code
	// next is what the runs decide that come after that one; empty: the same.
	next plan.Code
}{
	{"Copilot's review", "", `
round v2 silent
check build takes=1m
open by=mona
advance 2m
run workflow_run completed`, "09:02", 50 * time.Minute, plan.ReviewWaitCap, ""},
	{"the review of one that looks at each push by itself", "reviewers: {cursor: true}", `
account cursor[bot]
check build takes=1m
open by=mona
advance 2m
run workflow_run completed`, "09:00", 50 * time.Minute, plan.ReviewWaitCap, ""},
	{"the review of one that is mentioned", "reviewers: {copilotSwe: review-score}", `
check build takes=1m
open by=mona
advance 2m
run workflow_run completed`, "09:02", 50 * time.Minute, plan.ReviewWaitCap, ""},
	{"checks that run", "", `
check slow takes=1m conclusion=NEVER
open by=mona
advance 2m
run workflow_run requested`, "09:00", 6 * time.Hour, plan.CIWaitCap, ""},
	{"checks of the head after a review, with a journal", "", `
check build takes=1m
round v2
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
check slow takes=1m conclusion=NEVER
push by=mona
advance 2m
run pull_request synchronize`, "09:08", 6 * time.Hour, plan.CIWaitCap, ""},
	{"checks that have not begun", "ci: {grace: 30}", `
open by=mona
run pull_request opened`, "09:00", 30 * time.Minute, plan.NoChecks, ""},
	{"the report of a fixer job, for the second time", "fixer: job", `
check build takes=1m
round v2 a.go:3 "This can be nil."
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
advance 46m
run workflow_dispatch pr=7`, "09:54", 45 * time.Minute, plan.NoReport, ""},
	{"the report of a job that prepares a review, for the second time", "reviewerLoop: {reviewerLogin: mona}", `
check build takes=1m
open by=hubot
request mona by=hubot
advance 2m
run pull_request review_requested
advance 60m
run workflow_dispatch pr=7`, "10:02", 50 * time.Minute, plan.NoReport, ""},
	{"a prepared review that nobody submits", "reviewerLoop: {reviewerLogin: mona, waitCap: 90}", `
check build takes=1m
open by=hubot
push by=hubot paths=a.go
request mona by=hubot
advance 2m
run pull_request review_requested
report prepared.json`, "09:02", 90 * time.Minute, plan.NotSubmitted, ""},
	{"the report of a reviewer's job, for the second time", "reviewers: {codex: each-iter}", `
check build takes=1m
open by=mona
advance 2m
run workflow_run completed
advance 51m
run workflow_dispatch pr=7`, "09:53", 50 * time.Minute, plan.NoReport, ""},
	{"the next try of a dropped request", "", `
rung all drops
check build takes=1m
open by=mona
advance 2m
run workflow_run completed
advance 5m
run workflow_dispatch pr=7`, "09:07", 10 * time.Minute, plan.Unregistered, ""},
	{"quota", "", `
round quota
check build takes=1m
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted`, "09:07", 24 * time.Hour, plan.ReviewRequested, plan.WaitingForReview},
	{"progress", "fixer: job", `
check build takes=1m
round v2 a.go:3 "This can be nil." b.go:3 "And this."
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
push by=mona
die 8
report done.json
advance 11m
run workflow_dispatch pr=7`, "09:19", 30 * time.Minute, plan.Stalled, ""},
	{"people, within the wall clock", "wallClockCap: 90", `
check build takes=1m
round v2 a.go:3 "This can be nil."
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted`, "09:02", 90 * time.Minute, plan.WallClockCap, ""},
}

const doneReport = `
-- prepared.json --
{"handoff": {"pr": 7, "head": "{head}", "number": 1}, "head": "{head}", "step": "review", "status": "complete"}
-- done.json --
{"handoff": {"pr": 7, "head": "{handed}", "number": 1}, "head": "{head}", "status": "complete",
 "items": [
  {"finding": "{finding1}", "action": "fix", "commit": "{head}", "files": ["a.go"]},
  {"finding": "{finding2}", "action": "decline", "rationale": "The reader returns io.EOF on an empty line."}
 ]}
`

// However the runs come, a second or four hours apart: none of them stops before
// the cap's time, the first one after it does, all name the same cap, and while
// prloop waits nothing is written (design 6: a burst burns nothing, a cron that is
// hours late is counted honestly).
func TestEachWaitEndsOnTimeHoweverTheRunsCome(t *testing.T) {
	for _, w := range waits {
		for _, apart := range []string{"1s", "4h"} {
			t.Run(w.name+" "+apart, func(t *testing.T) {
				t.Parallel()
				begun, err := time.Parse("2006-01-02 15:04", "2026-11-30 "+w.begun)
				if err != nil {
					t.Fatal(err)
				}
				end := begun.Add(w.after)
				first := play(t, waiting(t, w.config, w.script), Options{})
				setup := len(first.Runs)
				last := first.Runs[setup-1]
				script := w.script + "\ntimes 50 workflow_dispatch pr=7 every=1s\n"
				// 25 of the next 50 come before the end, and 25 at and after it.
				script += fmt.Sprintf("advance %s\ntimes 50 workflow_dispatch pr=7 every=1s\n", end.Sub(last.At)-75*time.Second)
				if apart == "4h" {
					script = w.script + "\nadvance 4h\ntimes 8 workflow_dispatch pr=7 every=4h\n"
				}
				told := play(t, waiting(t, w.config, script), Options{})
				before, after := 0, 0
				for _, r := range told.Runs[setup:] {
					got := plan.Code(code(r))
					switch {
					case r.At.Before(end):
						before++
						if got == w.then || r.Writes != 0 {
							t.Fatalf("at %s, before %s, it decides %s with %d writes", r.At, end, got, r.Writes)
						}
						if one := r.Runs[0]; one.Decision == "stop" && got != plan.ReviewQuota || one.NextWake.IsZero() || one.NextWake.After(end) {
							t.Fatalf("at %s, before %s, it decides %s and looks again at %s", r.At, end, got, one.NextWake)
						}
					case after == 0:
						after++
						if got != w.then {
							t.Fatalf("at %s, the first run from %s on, it decides %s (%s), want %s", r.At, end, got, r.Runs[0].Reason, w.then)
						}
					default:
						after++
						want := w.then
						if w.next != "" {
							want = w.next
						}
						if apart == "1s" && (got != want || r.Writes != 0) {
							t.Fatalf("at %s, after %s, it decides %s with %d writes, want %s", r.At, end, got, r.Writes, want)
						}
					}
				}
				if apart == "1s" && (before != 75 || after != 25) || after == 0 {
					t.Fatalf("%d runs came before %s and %d after", before, end, after)
				}
			})
		}
	}
}

// waiting is a story with this configuration and script.
func waiting(t *testing.T, config, script string) Story {
	t.Helper()
	s, err := Parse("waiting", []byte("A wait.\n\n-- script --\n"+script+doneReport+"-- config.yml --\n"+config+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
