// Package facts derives what the machines decide on from what GitHub showed:
// what a review is worth, whether a request stands, which threads await us,
// what the checks say. Every derivation is here once, for every caller.
//
// Unknown is never zero and never clean: what a missing fact would have shown
// is left at its worst, and the snapshot keeps the fact's name
// (pr.Snapshot.Unknown) for whoever needs it.
//
// Start at [Derive].
package facts

import (
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/reviewer"
)

// Own says which checks are prloop's own. They are left out everywhere: a loop
// must not wait for a check that it posts itself.
type Own struct {
	CheckRunID int64  // the check run of this job
	RunID      int64  // GITHUB_RUN_ID
	Workflow   string // path of this workflow's file, as in GITHUB_WORKFLOW_REF
	Job        string // GITHUB_JOB, the last resort where nothing else is known
}

// Input is what the facts are derived from.
type Input struct {
	Snapshot *pr.Snapshot
	Journal  journal.Journal // zero where there is none
	Settings config.Settings
	Own      Own
	// UserToken: requests are made with a user's rights.
	UserToken bool
	// Identities are accounts that are, or were, prloop, beside those of the
	// settings. Whoever the token is need not be named.
	Identities []pr.Login
}

// Facts are one pull request, understood.
type Facts struct {
	// Copilot is the snapshot of seed 000, complete.
	Copilot copilot.Snapshot
	Request Request
	// Reviews are Copilot's submitted reviews, oldest first, classified.
	Reviews []Review
	// Rounds counts the genuine ones, on any head.
	Rounds int
	// AtHead is the newest genuine review of the head; nil where there is none.
	AtHead *Review
	// NoticeAtHead is the newest notice (error, quota, …) of the head that no
	// genuine review of it followed; nil where there is none.
	NoticeAtHead *Review
	ErrorsAtHead int
	// HeadAt is when the head appeared; never a commit's date.
	HeadAt time.Time
	// FirstSight: HeadAt is this snapshot's own time, and the next step knows of
	// it only if the journal notes it.
	FirstSight bool
	CI         CI
	// Awaiting are the findings that await us: threads in GitHub's order, then
	// findings without a thread, then failing checks where they are handed over.
	// None of them is a stranger's who has no right to write.
	Awaiting []Finding
	// Left are open findings that would await us, and are below minSeverity: they
	// are not handed over, and not answered.
	Left    []Finding
	Threads Threads
	// QuotaUntil is until when Copilot is not asked; zero where it may be.
	QuotaUntil time.Time
	// Reviewer is the snapshot of the reviewer loop, complete.
	Reviewer reviewer.Snapshot
	// Loop are the reviewers of each round, Copilot among them where it is one.
	// What the fields above say of the review of the head (Rounds, and all of
	// Copilot) is of all of them; Request, Reviews, AtHead and what notices say
	// is Copilot's own.
	Loop []Reviewer
	// Final are the reviewers that are asked at the end alone (the final pass).
	// Nothing of theirs is in Rounds or Copilot, but threads, which count whoever
	// opened them. Pass is that the final pass of this head was begun.
	Final []Reviewer
	Pass  bool
	// Agent is the loop with Copilot's coding agent; nil in Mode X. In Mode Y its
	// verdicts are the review of the head, and Loop is empty.
	Agent *Agent
}

// A Request is the derived state of the review request.
type Request struct {
	Status copilot.RequestStatus
	// Row is the id of the row that decided (see requestRows).
	Row string
	// Why says in our words which fact decided.
	Why string
	// Since is when the standing request began; zero where none stands.
	Since time.Time
	// Settled: GitHub shows the request, or a review that answered it, so a
	// pending outbox entry for it is done.
	Settled bool
}

// A Kind is what a review's body turned out to be.
type Kind string

// The kinds of reviews. Only Genuine ones count.
const (
	Genuine         Kind = "review"
	ErrorNotice     Kind = "error_notice"
	QuotaNotice     Kind = "quota_notice"
	NothingToReview Kind = "nothing_to_review"
	StillReviewing  Kind = "still_reviewing"
	UnknownLayout   Kind = "unknown_layout"
	Container       Kind = "container" // no body and no threads: it only holds a reply
	Dismissed       Kind = "dismissed"
	Unbound         Kind = "unbound" // GitHub no longer tells which commit it looked at
)

// A Review is one submitted review of Copilot's, classified.
type Review struct {
	pr.Review
	Kind Kind
	// Layout is the layout that was recognised ("v1", "mid", "v2", "v2oct");
	// empty where none was.
	Layout string
	// Clean: the body, by its layout, finds nothing. A body can only make the
	// verdict worse: clean says nothing about threads.
	Clean bool
	// Findings are those of the body that have no thread; where the verdict is
	// not clean and nothing at all has a thread, the verdict itself.
	Findings []Finding
	Threads  int // threads that this review opened
	// QuotaUntil is the time that a quota notice states; zero where none.
	QuotaUntil time.Time
}

// CI is what the checks of the head say.
type CI struct {
	Status copilot.CIStatus
	// Set is which checks count: "required", "all" or "globs".
	Set string
	// Reason says more of a pending status: "", "runs_need_approval" or
	// "check_stale".
	Reason string
	// Checks are those that count, sorted by name. Missing ones are among them,
	// so none has begun where there are as many of these as of those.
	Checks  []Check
	Failing []string
	Pending []string // without the missing ones
	// Running: some check of the head has not ended, whether it counts here or not.
	Running bool
	// Flaky are failing jobs that no change of the code made fail.
	Flaky   []Flaky
	Missing []string // what the base requires (or ci.checks names) and never reported
}

// A Flaky is a job of GitHub Actions that failed in its first attempt, on a head
// on which it has passed in another run.
type Flaky struct {
	Name     string // a stranger may name a check
	Job, Run int64  // database ids
}

// A Check is the newest run of one check.
type Check struct {
	Name     string // a stranger may name a check
	Workflow string
	State    string // pass, fail, pend
	Detail   string // GitHub's status or conclusion, lower case
	Required bool
	URL      string
}

// A Finding is one piece of open work.
type Finding struct {
	// ID is the thread's node id, "body:<key>" or "check:<name>".
	ID       string
	Thread   string // the thread's node id, where it has one
	Path     string // a stranger's text
	Line     int
	Author   pr.Login
	Bot      bool
	Trusted  bool
	Severity string // high, mid, low
	Text     string // a stranger's text
	Outdated bool
	URL      string
	// Unsure: nobody said how grave it is, and no word of it does. It is asked
	// only where minSeverity leaves something.
	Unsure bool
}

// Threads counts the unresolved threads. Where the threads could not be read in
// full, at least one is open and awaits us.
type Threads struct {
	Open     int // all unresolved
	Awaiting int // those that await us
	People   int // of these open ones: opened by a trusted person
	// Untrusted are ids of threads opened and last spoken in by untrusted
	// accounts: listed, never handed over.
	Untrusted []string
	// Answered are ids of threads that are open and answered.
	Answered []string
}
