// Package effect has everything that prloop may change on GitHub, as a closed
// set of values. An effect says what is wished, for which head; how it is done,
// and whether it is so already, is the executor's business (internal/github).
package effect

import (
	"fmt"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Key is the target key of an effect: what makes two wishes the same wish,
// across runs. The journal's outbox is keyed by it.
type Key string

// Effect is one change on GitHub. The set is closed.
//
//sumtype:decl
type Effect interface {
	// Key identifies the wish. Whatever must happen again after a push has
	// the head in its key.
	Key() Key
	// Type is the name of the effect in outputs and logs.
	Type() string
	// String is the effect in one line of words, for logs, summary and golden
	// files. It holds no stranger's text.
	fmt.Stringer
	sealed()
}

// RequestReview asks Reviewer to review Head, by the ladder with proof
// (design 4). It is stale once the pull request has moved to another head.
type RequestReview struct {
	Reviewer pr.Login
	Head     pr.SHA
	// Again: the reviewer has reviewed this pull request before; the ladder
	// takes its third rung before the second.
	Again bool
	// Try counts the requests for this head, from 1: a request that was
	// dropped, or answered by an error notice, is tried again under a new key.
	Try int
}

// Mention asks Reviewer for a review of Head in a comment that names it, with a
// person's token: a bot's mention starts nothing (GitHub documents that only
// users with write access start the coding agent). It is stale once the pull
// request has moved to another head.
type Mention struct {
	Reviewer pr.Login
	Head     pr.SHA
	Try      int    // counts the mentions for this head, from 1
	Body     string // what is asked, in our words
}

// Marker is the hidden last line by which the comment is known again.
func (e Mention) Marker() string { return "<!-- prloop:" + string(e.Key()) + noteSuffix }

// Rerun runs a job of GitHub Actions again that failed in the first attempt of
// its workflow run. It is stale once the pull request has moved to another head.
type Rerun struct {
	Job, Run int64 // database ids
	Head     pr.SHA
}

// MarkReady takes a draft out of draft. It is stale once the head moved.
type MarkReady struct {
	Head pr.SHA
}

// Comment posts Body once for each Topic and Head: the one short comment that
// calls a person, or tells that the loop is over.
type Comment struct {
	Topic string // a reason code
	Head  pr.SHA
	Body  string
}

// Marker is the hidden last line by which the comment is known again. Only in a
// comment of our own does it mean anything.
func (e Comment) Marker() string { return notePrefix + string(e.Key()) + noteSuffix }

const (
	notePrefix = "<!-- prloop:note "
	noteSuffix = " -->"
)

// ParseNote returns topic and head (its first seven digits) of the marker at
// the end of body, as [Comment.Marker] writes it.
func ParseNote(body string) (topic string, head pr.SHA, ok bool) {
	body = strings.TrimRight(body, "\r\n ")
	i := strings.LastIndex(body, notePrefix)
	if i < 0 {
		return "", "", false
	}
	key, ok := strings.CutSuffix(body[i+len(notePrefix):], noteSuffix)
	if !ok {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(key, "comment:")
	if !ok {
		return "", "", false
	}
	topic, h, ok := strings.Cut(rest, "@")
	return topic, pr.SHA(h), ok
}

// UpdateStatus writes the status comment, whose lower part is the journal.
// Digest is of the text that people read; it makes the wish.
type UpdateStatus struct {
	Digest string
}

// Hide minimises an own comment that no longer says what is so.
type Hide struct {
	CommentID string // node id
	Topic     string
	Head      pr.SHA // the head it spoke of
}

// Record enters what belongs to no single pull request into the repository
// record. Its entries only merge.
type Record struct {
	PR       int
	Head     pr.SHA
	Reviewer pr.Login
	// Day is the UTC day whose budget the request counts to, as 2006-01-02.
	Day string
	// QuotaUntil (RFC 3339), where not empty, is until when the reviewer is
	// asked for nothing in the whole repository.
	QuotaUntil string
	// Notice is the name of a notice that goes out once per repository, NoticeAt
	// (RFC 3339) when it did.
	Notice, NoticeAt string
	// Left (RFC 3339), where not empty, is when prloop was told to leave the
	// repository: the record is closed with it.
	Left string
}

// Reply answers the finding of a review thread with Body, once for each
// finding, head and hand-over. It is stale once the head moved or the thread is
// gone.
type Reply struct {
	Thread string // node id
	Head   pr.SHA // the head that the answer speaks of
	// Handoff is the number of the hand-over whose report is answered.
	Handoff int
	// Finding is a short mark of the finding: letters, digits and "._:-".
	Finding string
	// Body is what people read, with [Reply.Marker] on a line of its own. Where
	// it has no marker the executor adds one.
	Body string
}

// Marker is the hidden line by which the reply is known again: the first one in
// Body, or one that says the key. It begins with facts.ReplyMarker. Only in a
// comment of our own does it mean anything.
func (e Reply) Marker() string {
	if line := replyLine(e.Body); line != "" {
		return line
	}
	return replyPrefix + string(e.Key()) + noteSuffix
}

const replyPrefix = "<!-- prloop:reply "

// IsReply reports whether a line of body is the marker of a reply, whichever.
// Whose body it is, the caller has to know.
func IsReply(body string) bool { return replyLine(body) != "" }

// replyLine is the first line of body that is the marker of a reply, or "".
func replyLine(body string) string {
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n ")
		if strings.HasPrefix(line, replyPrefix) && strings.HasSuffix(line, noteSuffix) {
			return line
		}
	}
	return ""
}

// Resolve resolves a review thread whose finding was answered. It is stale once
// the head moved or the thread is gone. Nobody resolves a person's thread: one
// that a person opened, or in which a person spoke last.
type Resolve struct {
	Thread  string // node id
	Head    pr.SHA
	Finding string // a short mark of the finding, as in Reply
}

// DraftReview begins a review of Head on the account Login, which user-token
// has to be, and leaves it pending: only that account sees it, until it submits
// it (design 3, reviewer loop). It is stale once the head moved.
type DraftReview struct {
	Login   pr.Login
	Head    pr.SHA
	Handoff int    // the number of the hand-over whose report is in it
	Body    string // without its marker
	// Comments stand at lines of the head's side of the diff. Where GitHub
	// refuses one of the lines, all of them go into the body.
	Comments []DraftComment
}

// A DraftComment is one comment of a DraftReview.
type DraftComment struct {
	Path string // a stranger's text
	Line int    // from 1
	Body string
}

// Marker is the hidden line in the review's body by which it is known again. In
// a review of another account it means nothing.
func (e DraftReview) Marker() string { return "<!-- prloop:" + string(e.Key()) + noteSuffix }

// DiscardReview deletes the review that DraftReview began, of a head that is no
// more. One that was submitted, or that somebody wrote in, is left as it is.
type DiscardReview struct {
	ReviewID string // node id
	Login    pr.Login
	Head     pr.SHA // that the review is of
	Comments int    // so many of its comments are prloop's
	Text     string // a digest of what prloop wrote in it; empty: not known
}

// TakeOver ends the quest of an issue there, because a pull request goes on with
// it: the step on the issue that says so, under the issue's own lock.
type TakeOver struct {
	Issue int
}

// Key of a review request: reviewer, head and try.
func (e RequestReview) Key() Key {
	return Key(fmt.Sprintf("review:%s@%s#%d", e.Reviewer, e.Head.Short(), e.Try))
}

// Key of a mention: reviewer, head and try.
func (e Mention) Key() Key {
	return Key(fmt.Sprintf("mention:%s@%s#%d", e.Reviewer, e.Head.Short(), e.Try))
}

// Key of a re-run: the job, and its head.
func (e Rerun) Key() Key { return Key(fmt.Sprintf("rerun:%d@%s", e.Job, e.Head.Short())) }

// Key of marking ready: the head.
func (e MarkReady) Key() Key { return Key("ready@" + e.Head.Short()) }

// Key of a comment: topic and head.
func (e Comment) Key() Key { return Key("comment:" + e.Topic + "@" + e.Head.Short()) }

// Key of the status: its text.
func (e UpdateStatus) Key() Key { return Key("status:" + e.Digest) }

// Key of hiding: the comment.
func (e Hide) Key() Key { return Key("hide:" + e.CommentID) }

// Key of an entry in the record.
func (e Record) Key() Key {
	if e.Left != "" {
		return "record:left"
	}
	if e.Notice != "" {
		return Key("record:notice:" + e.Notice)
	}
	if e.QuotaUntil != "" {
		return Key(fmt.Sprintf("record:quota:%s@%s", e.Reviewer, e.QuotaUntil))
	}
	return Key(fmt.Sprintf("record:%d:%s@%s", e.PR, e.Reviewer, e.Head.Short()))
}

// Key of a reply: finding, head and hand-over.
func (e Reply) Key() Key {
	return Key(fmt.Sprintf("reply:%s@%s#%d", e.Finding, e.Head.Short(), e.Handoff))
}

// Key of resolving: finding and head.
func (e Resolve) Key() Key { return Key("resolve:" + e.Finding + "@" + e.Head.Short()) }

// Key of a prepared review: account, head and hand-over.
func (e DraftReview) Key() Key {
	return Key(fmt.Sprintf("draft-review:%s@%s#%d", e.Login, e.Head.Short(), e.Handoff))
}

// Key of discarding one: the review.
func (e DiscardReview) Key() Key { return Key("discard-review:" + e.ReviewID) }

// Key of taking over: the issue.
func (e TakeOver) Key() Key { return Key(fmt.Sprintf("take-over:%d", e.Issue)) }

// Type names; they stand in outputs.
func (RequestReview) Type() string { return "request_review" }

// Type of Mention.
func (Mention) Type() string { return "mention" }

// Type of Rerun.
func (Rerun) Type() string { return "rerun" }

// Type of MarkReady.
func (MarkReady) Type() string { return "mark_ready" }

// Type of Comment.
func (Comment) Type() string { return "comment" }

// Type of UpdateStatus.
func (UpdateStatus) Type() string { return "update_status" }

// Type of Hide.
func (Hide) Type() string { return "hide" }

// Type of Record.
func (Record) Type() string { return "record" }

// Type of Reply.
func (Reply) Type() string { return "reply" }

// Type of Resolve.
func (Resolve) Type() string { return "resolve" }

// Type of DraftReview.
func (DraftReview) Type() string { return "draft_review" }

// Type of TakeOver.
func (TakeOver) Type() string { return "take_over" }

// Type of DiscardReview.
func (DiscardReview) Type() string { return "discard_review" }

func (e RequestReview) String() string {
	again := ""
	if e.Again {
		again = " again"
	}
	return fmt.Sprintf("ask %s%s to review %s", e.Reviewer, again, e.Head.Short())
}

func (e Mention) String() string {
	return fmt.Sprintf("mention %s to review %s", e.Reviewer, e.Head.Short())
}

func (e Rerun) String() string {
	return fmt.Sprintf("run job %d again at %s", e.Job, e.Head.Short())
}

func (e MarkReady) String() string { return "mark " + e.Head.Short() + " ready for review" }

func (e Comment) String() string { return "comment on " + e.Topic + at(e.Head) }

func (UpdateStatus) String() string { return "update the status comment" }

func (e Hide) String() string { return "hide the comment on " + e.Topic + at(e.Head) }

// at is the head in words; an issue has none.
func at(head pr.SHA) string {
	if head == "" {
		return ""
	}
	return " at " + head.Short()
}

func (e Record) String() string {
	if e.Left != "" {
		return "close the repository record with a last word"
	}
	if e.Notice != "" {
		return "note in the repository record that the notice on " + e.Notice + " went out"
	}
	if e.QuotaUntil != "" {
		return fmt.Sprintf("note in the repository record that %s has no quota until %s", e.Reviewer, e.QuotaUntil)
	}
	return fmt.Sprintf("count the review of %s by %s in the repository record", e.Head.Short(), e.Reviewer)
}

func (e Reply) String() string { return "reply in the thread " + e.Thread + " at " + e.Head.Short() }

func (e Resolve) String() string { return "resolve the thread " + e.Thread + " at " + e.Head.Short() }

func (e DraftReview) String() string {
	return fmt.Sprintf("prepare the review of %s by %s", e.Head.Short(), e.Login)
}

func (e DiscardReview) String() string {
	return fmt.Sprintf("discard the prepared review of %s by %s", e.Head.Short(), e.Login)
}

func (e TakeOver) String() string { return fmt.Sprintf("take over the quest of issue %d", e.Issue) }

func (TakeOver) sealed()      {}
func (RequestReview) sealed() {}
func (Mention) sealed()       {}
func (Rerun) sealed()         {}
func (MarkReady) sealed()     {}
func (Comment) sealed()       {}
func (UpdateStatus) sealed()  {}
func (Hide) sealed()          {}
func (Record) sealed()        {}
func (Reply) sealed()         {}
func (Resolve) sealed()       {}
func (DraftReview) sealed()   {}
func (DiscardReview) sealed() {}

// Outcome says what came of carrying an effect out.
type Outcome string

// The outcomes. Only a failure is an error; staleness is normal life.
const (
	Done      Outcome = "done"
	AlreadySo Outcome = "already so" // GitHub was in the wished state
	Stale     Outcome = "stale"      // the head moved, or the wish no longer applies
	Skipped   Outcome = "skipped"    // dry run, or a right is missing
	Failed    Outcome = "failed"     // GitHub refused; Note says how
)

// A RequestResult is what became of a review request (design 4).
type RequestResult string

// The results of the request ladder.
const (
	InFlight       RequestResult = "in_flight"        // it was asked already
	Landed         RequestResult = "landed"           // the timeline shows the request
	ReviewedAtHead RequestResult = "reviewed_at_head" // a review of this head is there
	Dropped        RequestResult = "dropped"          // GitHub said yes and registered nothing
	Forbidden      RequestResult = "forbidden"        // this token may not ask
	NotAvailable   RequestResult = "not_available"    // Copilot review is not to be had here
	Quota          RequestResult = "quota"            // no quota left
	Flagged        RequestResult = "flagged"          // the account is flagged
	Errored        RequestResult = "failed"           // an answer that nobody knows
)

// A Result is an effect with what came of it.
type Result struct {
	Effect  Effect
	Outcome Outcome
	// Request is the result of a RequestReview or a Mention; empty for other
	// effects.
	Request RequestResult
	// Rung is the rung of the ladder that proved itself, from 1.
	Rung int
	// Merge is the result of a Merge; empty for other effects.
	Merge MergeResult
	// ID is the commit that a Merge made, and the node id of a DraftReview that stands, Comments how many it has;
	// and Text a digest of what prloop wrote in it; zero elsewhere.
	ID       string
	Comments int
	Text     string
	// Number is the pull request that a Revert opened, or found; 0 elsewhere.
	Number int
	// At is when GitHub registered what was wished (for a review request: the
	// time of its timeline event), on GitHub's clock; zero where unknown.
	At time.Time
	// Note says more in our own words (a missing right, GitHub's class of
	// refusal); it holds no stranger's text.
	Note string
	// Right is the permission that was missing, where one was.
	Right string
}
