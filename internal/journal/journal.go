// Package journal is what prloop remembers of one pull request: the lower part
// of its one comment there, a hidden block in one canonical spelling. On top
// of it stands what people read (package report writes that).
//
// The journal saves requests and keeps the time of waits; correctness does not
// rest on it: a journal that is damaged, edited by somebody else or deleted is
// rebuilt from GitHub's own history ([Rebuild]), and every effect is looked at
// on GitHub before it is done.
//
// Start at [Find].
package journal

import (
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// A Journal is the memory of one pull request. Times are GitHub's, in UTC,
// whole seconds. Fields keep their order: the canonical spelling depends on it.
type Journal struct {
	// PR is the pull request that the journal speaks of; a journal that names
	// another one is none.
	PR int `json:"pr"`
	// Rev grows by one with every write.
	Rev int `json:"rev"`
	// StartedAt is when prloop's first effect on this pull request was done.
	StartedAt time.Time `json:"startedAt"`
	// Mode is the mode of seed 001 that the loop was begun in, X or Y; empty
	// where it was begun before that was noted.
	Mode string `json:"mode,omitempty"`
	// Counters are seed 001's, written down whenever the journal is written.
	Counters Counters `json:"counters"`
	// Heads has when prloop first saw the newest heads, oldest first.
	Heads []Sight `json:"heads,omitempty"`
	// Requests are the review requests of the newest heads, oldest first, one
	// row for each reviewer and head. Asked counts all there ever were that
	// GitHub shows ([Asked]).
	Requests []Request `json:"requests,omitempty"`
	Asked    int       `json:"asked"`
	// Handoffs are the newest hand-overs, oldest first. HandedOver counts all.
	Handoffs   []Handoff `json:"handoffs,omitempty"`
	HandedOver int       `json:"handedOver"`
	// Answers are what accepted reports said of findings, the newest last.
	Answers []Answer `json:"answers,omitempty"`
	// Ledger is what the rounds raised, and what became of it.
	Ledger Ledger `json:"ledger,omitzero"`
	// Waits are the waits that stand.
	Waits []Wait `json:"waits,omitempty"`
	// Told has the topic and head of each further comment (effect.Comment).
	Told []Told `json:"told,omitempty"`
	// Lease is whose step is writing; nil between steps.
	Lease *Lease `json:"lease,omitempty"`
	// Pending are the effects that were begun; Done the newest that were
	// carried out. Both are keyed by the target key.
	Pending []Entry `json:"pending,omitempty"`
	Done    []Entry `json:"done,omitempty"`
	// Refused are effects that GitHub refused for a missing right: they are not
	// tried again with the same kind of token.
	Refused []Refusal `json:"refused,omitempty"`
	// Draft is the review that waits to be submitted; nil where none does.
	Draft *Draft `json:"draft,omitempty"`
	// Proof is the newest proof of convergence; nil where there was none.
	Proof *Proven `json:"proof,omitempty"`
	// Final is the final record, once the loop is over.
	Final *Final `json:"final,omitempty"`
	// Rebuilt says that, and why, this journal was made from history.
	Rebuilt *Rebuilt `json:"rebuilt,omitempty"`
	// QuotaUntil is until when a reviewer is not asked, where there is no
	// repository record to keep it.
	QuotaUntil []Quota `json:"quotaUntil,omitempty"`
	// Status is the digest of the text that people read above the block.
	Status string `json:"status,omitempty"`
	// Fingerprint is of the facts that the sweep lists; NextWake is when a
	// wait is next due. Together they let a sweep leave the pull request alone.
	Fingerprint string    `json:"fingerprint,omitempty"`
	NextWake    time.Time `json:"nextWake"`
	// Recap is the newest look back on the rounds; nil where none was due.
	Recap *Recap `json:"recap,omitempty"`
	// Single is that the loop goes without a review; nil where it does not.
	Single *Single `json:"single,omitempty"`
	// Agent is where Mode Y stands; nil where the agent was never asked.
	Agent *Agent `json:"agent,omitempty"`
	// Settled is the newest snapshot that looked converged; nil where none was
	// noted.
	Settled *Settled `json:"settled,omitempty"`
	// Orders are what people commanded in comments.
	Orders Orders `json:"orders,omitzero"`
	// Pass is the newest final pass; nil where none was begun.
	Pass *Pass `json:"pass,omitempty"`
	// Quest is the life cycle of the pull request; nil before its first event
	// was written down.
	Quest *Quest `json:"quest,omitempty"`
	// Cleaned is the newest clean-up; nil where there was none.
	Cleaned *Cleaned `json:"cleaned,omitempty"`
	// Watch is the watch over the merge; nil before it is merged.
	Watch *Watch `json:"watch,omitempty"`
	// Landing is the newest merge that prloop began; nil where it began none.
	Landing *Landing `json:"landing,omitempty"`
	// Imported is what was taken over from pr-autopilot; nil where nothing was.
	Imported *Imported `json:"imported,omitempty"`
	// Other is the issue whose quest a pull request goes on with, and of an issue
	// the pull request that has taken it over; 0: none.
	Other int `json:"other,omitempty"`
}

// Counters are the counters of seed 001, by its names.
type Counters struct {
	FixIterations            int `json:"fixIterations"`
	PollTicksWithoutReview   int `json:"pollTicksWithoutReview"`
	PollTicksWithoutActivity int `json:"pollTicksWithoutActivity"`
	TicksWithoutProgress     int `json:"ticksWithoutProgress"`
	ReviewIteration          int `json:"reviewIteration"`
	// PushbackRounds is not of the seed: its rounds of nothing but pushbacks had
	// no count and no end (reference D6).
	PushbackRounds int `json:"pushbackRounds,omitempty"`
	// PollTicksWhileQueued is of a merge that GitHub took on and has not made yet;
	// autoMergeQueued and autoMergeAt are in its Landing.
	PollTicksWhileQueued int `json:"pollTicksWhileQueued,omitempty"`
}

// A Sight is when prloop first saw a head.
type Sight struct {
	Head pr.SHA    `json:"head"`
	At   time.Time `json:"at"`
}

// A Request is what prloop asked of one reviewer for one head.
type Request struct {
	Reviewer pr.Login             `json:"reviewer"`
	Head     pr.SHA               `json:"head"`
	At       time.Time            `json:"at"` // of the newest try
	Result   effect.RequestResult `json:"result"`
	Rung     int                  `json:"rung"`
	Tries    int                  `json:"tries"`
	// Via is which token asked: "user-token" or "github-token". A refusal of
	// one says nothing about the other.
	Via string `json:"via"`
}

// A Handoff is work given away: the findings (as a digest of their ids) of one
// head, under a number.
type Handoff struct {
	Number   int       `json:"number"`
	Head     pr.SHA    `json:"head"`
	Findings string    `json:"findings"`
	At       time.Time `json:"at"`
	// Deadline is until when a report of a job is waited for; zero where
	// people fix. Extensions counts how often it was moved.
	Deadline   time.Time `json:"deadline,omitzero"`
	Extensions int       `json:"extensions,omitempty"`
	// Narrowed: it holds half of what an earlier one held.
	Narrowed bool `json:"narrowed,omitempty"`
	// Reported is the status of the accepted report; empty until there is one.
	Reported string `json:"reported,omitempty"`
	// Parked is the reason code of a stop that holds, with the head that it
	// holds at (code@head); empty where none does.
	Parked string `json:"parked,omitempty"`
	// Rest are findings that the brief had no room for: they go out once this
	// hand-over is answered.
	Rest string `json:"rest,omitempty"`
	// Next are findings that its report left over and that go out next, with the
	// head that it was taken at (marks@head).
	Next string `json:"next,omitempty"`
	// Step is what was asked for (design 5); empty: a fix.
	Step string `json:"step,omitempty"`
	// Iteration and Pushbacks are the counters fixIterations and pushbackRounds as
	// they stood when it was handed over.
	Iteration int `json:"iteration,omitempty"`
	Pushbacks int `json:"pushbacks,omitempty"`
	// Judges is the head since which the agent's commits are to be judged, where
	// the step is review and no review is prepared (Mode Y).
	Judges pr.SHA `json:"judges,omitempty"`
	// Withdrawn: nobody waits for it any more, and its report counts for nothing.
	Withdrawn bool `json:"withdrawn,omitempty"`
	// Reviewer is the reviewer of the loop whose review of the head this asks
	// for, by its name, where the step is review and its trigger a command.
	Reviewer string `json:"reviewer,omitempty"`
	// Cause is the key of the quest's effect that it delivers.
	Cause string `json:"cause,omitempty"`
}

// Prepares reports whether the hand-over asks for a review that somebody else
// submits: no judging of the coding agent's commits, and no reviewer's of the
// loop.
func (h Handoff) Prepares() bool { return h.Step == "review" && h.Judges == "" && h.Reviewer == "" }

// A Draft is the review that prloop prepared for somebody: a pending review of
// that account, which nobody else sees until it is submitted.
type Draft struct {
	ID       string    `json:"id"` // node id of the review
	Head     pr.SHA    `json:"head"`
	At       time.Time `json:"at"`
	Comments int       `json:"comments"` // so many are prloop's
	// Text is a digest of what prloop wrote in it; empty where that is not known.
	Text string `json:"text,omitempty"`
}

// An Answer is what an accepted report said of one finding. Its words are in the
// reply, not here.
type Answer struct {
	Finding string `json:"finding"` // a short mark of its id
	Action  string `json:"action"`
	Head    pr.SHA `json:"head"`
	Number  int    `json:"number"` // of the hand-over
}

// A Wait is one thing that prloop waits for.
type Wait struct {
	What  string    `json:"what"`
	Head  pr.SHA    `json:"head"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	Then  string    `json:"then"` // the reason code at Until
	// Mark is a digest of what ends the wait when it changes; empty where that is
	// not told by a digest.
	Mark string `json:"mark,omitempty"`
}

// Told is one further comment. Of a rebuilt one the first seven digits of the
// head are known, except at the head of that moment: compare pr.SHA.Short.
type Told struct {
	Topic string `json:"topic"`
	Head  pr.SHA `json:"head"`
}

// A Lease is whose step is writing, and for how long.
type Lease struct {
	Reaction int64     `json:"reaction"` // id of the eyes reaction that is the lock; 0 before there is one
	Run      int64     `json:"run"`
	Attempt  int       `json:"attempt"`
	Until    time.Time `json:"until"`
}

// LeaseTime is how long a lease holds: longer than any run acts.
const LeaseTime = 10 * time.Minute

// A Refusal is an effect that a token had no right to.
type Refusal struct {
	Key   effect.Key `json:"key"`
	Right string     `json:"right"` // in the words of a workflow file
	Via   string     `json:"via"`   // the kind of token, as in Request
}

// An Entry is one effect in the outbox. Cause is the key of the quest's effect
// that asked for it; empty where none did.
type Entry struct {
	Key   effect.Key `json:"key"`
	At    time.Time  `json:"at"`
	Cause string     `json:"cause,omitempty"`
}

// A Final is how the loop ended.
type Final struct {
	Reason string    `json:"reason"`
	Head   pr.SHA    `json:"head"`
	At     time.Time `json:"at"`
}

// Left is the reason in the final record of a loop that ended because prloop left
// the repository.
const Left = "left"

// A Proven is what is kept of a proof of convergence: as much as it takes to
// make the same one again while nothing else changes.
type Proven struct {
	Head   pr.SHA `json:"head"`
	Base   pr.SHA `json:"base"`   // where the base branch stood
	Rev    int    `json:"rev"`    // the revision that it was made over
	Digest string `json:"digest"` // of the whole proof
	// Shown: a check run on the head carries it, or could not be made.
	Shown bool `json:"shown,omitempty"`
}

// Rebuilt says why a journal was made from history.
type Rebuilt struct {
	Why string    `json:"why"` // one of the Why constants
	At  time.Time `json:"at"`
}

// A Quota is until when one reviewer has no quota.
type Quota struct {
	Reviewer pr.Login  `json:"reviewer"`
	Until    time.Time `json:"until"`
}
