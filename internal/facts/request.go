package facts

import (
	"strings"
	"time"

	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// The kinds of tokens that a request is made with (journal.Request.Via).
const (
	ViaUser     = "user-token"
	ViaWorkflow = "github-token"
)

// QuotaTime is for how long a quota notice holds that states no time (design 4).
const QuotaTime = 24 * time.Hour

// requestRows is the one derivation of copilotReviewRequestStatus (seed 000,
// "active current-head request"; design 2, "Request status"). Read from the
// top: the first row that holds decides.
//
// Times are GitHub's, in whole seconds, so that what happened in one second has
// no order (C049). A review answers a request of its own second: a review takes
// minutes, so such a pair tells of two requests, and GitHub lists the open one.
// Taken the other way round, a request that was answered would stand until the
// wait cap and stop the loop; taken this way, at worst a review comes that
// nobody waits for. A removal counts only when it is later than the request.
var requestRows = []requestRow{
	{"a", "a review of the head is in the making (PENDING)", pendingReview},
	{"b", "Copilot is listed, and answered nothing on the head", listedUnanswered},
	{"c", "Copilot is listed, and was asked after its newest answer on the head", listedAgain},
	{"d", "Copilot was asked after its newest answer on any head", askedSince},
	{"e", "its newest answer on the head is no review yet", awaitedNotice},
	{"u", "reviews, requests or timeline could not be read in full", unknownRequest},
	{"f", "prloop asked for the head, and nothing came since", askedByUs},
	{"g", "prloop's request for the head was refused", refused},
	{"h", "a ruleset asks Copilot at every push", askedByRule},
	{"i", "otherwise", notRequested},
}

type requestRow struct {
	id   string
	says string
	then func(*asking) (Request, bool)
}

// asking has what the rows read.
type asking struct {
	in     Input
	snap   *pr.Snapshot
	headAt time.Time

	listed  bool
	answer  *Review         // Copilot's newest answer on the head
	any     *Review         // and on any head
	asked   time.Time       // the newest review_requested of Copilot
	removed bool            // which was removed later
	ours    journal.Request // what prloop asked for this head
}

// request derives the state of the review request.
func request(in Input, f Facts) Request {
	a := &asking{in: in, snap: in.Snapshot, headAt: f.HeadAt}
	for _, r := range a.snap.Requests {
		a.listed = a.listed || r.IsCopilotReviewer()
	}
	for i, r := range f.Reviews {
		// A dismissed review was an answer; the container of a reply never was.
		if r.Kind == Container {
			continue
		}
		a.any = &f.Reviews[i]
		if r.Commit == a.snap.Head {
			a.answer = a.any
		}
	}
	var removed time.Time
	for _, e := range a.snap.Events {
		switch {
		case !e.Reviewer.IsCopilotReviewer():
		case e.Kind == pr.ReviewRequested:
			a.asked = later(a.asked, e.At)
		case e.Kind == pr.ReviewRequestRemoved:
			removed = later(removed, e.At)
		}
	}
	a.removed = removed.After(a.asked)
	for _, r := range in.Journal.Requests {
		if r.Reviewer == pr.CopilotReviewer && r.Head == a.snap.Head {
			a.ours = r
		}
	}
	for _, row := range requestRows {
		if req, ok := row.then(a); ok {
			req.Row, req.Why = row.id, row.says+req.Why
			return req
		}
	}
	panic("facts: no row of the request holds; the table has lost its last row")
}

// since is the request that GitHub shows, as old as it is: as its event says,
// else as we asked, else as old as the head.
func (a *asking) since() time.Time {
	switch {
	case !a.asked.IsZero():
		return a.asked
	case !a.ours.At.IsZero():
		return a.ours.At
	}
	return a.headAt
}

// answeredSince: the review was submitted at t or later.
func answeredSince(r *Review, t time.Time) bool {
	return r != nil && !r.SubmittedAt.Before(t)
}

func pendingReview(a *asking) (Request, bool) {
	for _, r := range a.snap.Reviews {
		if r.Author.IsCopilotReviewer() && r.State == pr.Pending && (r.Commit == a.snap.Head || r.Commit == "") {
			return Request{Status: copilot.Requested, Since: a.since(), Settled: true}, true
		}
	}
	return Request{}, false
}

func listedUnanswered(a *asking) (Request, bool) {
	return Request{Status: copilot.Requested, Since: a.since(), Settled: true}, a.listed && a.answer == nil
}

// listedAgain: without an event of it nobody knows how old the request is; it
// stands then. GitHub keeps listing a reviewer after its review at times, so
// that an older request is stale.
func listedAgain(a *asking) (Request, bool) {
	if !a.listed {
		return Request{}, false
	}
	unknown := a.asked.IsZero() || a.snap.Missing(pr.FactEvents) != nil
	return Request{Status: copilot.Requested, Since: a.since(), Settled: true},
		unknown || !answeredSince(a.answer, a.asked)
}

// askedSince: once Copilot is at work the list is empty, and its pending review
// is shown to nobody. A request that is older than the head may have been for
// that one before it, so it counts no longer than it is waited for.
func askedSince(a *asking) (Request, bool) {
	if a.listed || a.asked.IsZero() || a.removed || answeredSince(a.any, a.asked) {
		return Request{}, false
	}
	if a.asked.Before(a.headAt) && !a.snap.At.Before(a.asked.Add(a.in.Settings.ReviewWait())) {
		return Request{}, false
	}
	return Request{Status: copilot.Requested, Since: a.asked, Settled: true}, true
}

func awaitedNotice(a *asking) (Request, bool) {
	if a.answer == nil || a.answer.Kind != StillReviewing && a.answer.Kind != UnknownLayout {
		return Request{}, false
	}
	return Request{Status: copilot.Requested, Since: a.answer.SubmittedAt, Settled: a.settled()}, true
}

// settled: an answer on the head settles the request, be it a notice; where
// one is pending in the outbox, only an answer that came since it was begun.
func (a *asking) settled() bool {
	if a.answer == nil {
		return false
	}
	begins := "review:" + string(pr.CopilotReviewer) + "@" + a.snap.Head.Short() + "#"
	for _, e := range a.in.Journal.Pending {
		if strings.HasPrefix(string(e.Key), begins) && !answeredSince(a.answer, e.At) {
			return false
		}
	}
	return true
}

// unknownRequest: nothing may be asked for, and nothing is clean, while the
// facts that would show a request are missing.
func unknownRequest(a *asking) (Request, bool) {
	for _, f := range []pr.Fact{pr.FactReviews, pr.FactRequests, pr.FactEvents} {
		if a.snap.Missing(f) != nil {
			return Request{Status: copilot.Requested, Since: a.since()}, true
		}
	}
	return Request{}, false
}

// answers says what the result of our own request stands for (design 4; the
// results by its names). A dropped one, or one for want of quota, is none.
var answers = []struct {
	result string
	status copilot.RequestStatus
	says   string
}{
	{"in_flight", copilot.AlreadyRequested, ""},
	{"landed", copilot.AlreadyRequested, ""},
	{"forbidden", copilot.Unavailable, ": the token may not ask for it"},
	{"not_available", copilot.Unavailable, ": Copilot's review is not to be had here"},
	{"flagged", copilot.Unavailable, ": the account is flagged"},
	{"failed", copilot.RequestFailed, ": nobody knows GitHub's answer"},
	{"reviewed_at_head", copilot.NotRequested, ""},
	{"dropped", copilot.NotRequested, ""},
	{"quota", copilot.NotRequested, ""},
}

func (a *asking) result() (status copilot.RequestStatus, says string) {
	for _, r := range answers {
		if r.result == string(a.ours.Result) {
			return r.status, r.says
		}
	}
	return copilot.NotRequested, ""
}

// askedByUs: that a person took the request back since is an end of it too.
func askedByUs(a *asking) (Request, bool) {
	status, _ := a.result()
	if status != copilot.AlreadyRequested || answeredSince(a.any, a.ours.At) || a.removedSince(a.ours.At) {
		return Request{}, false
	}
	return Request{Status: status, Since: a.ours.At}, true
}

func (a *asking) removedSince(t time.Time) bool {
	for _, e := range a.snap.Events {
		if e.Kind == pr.ReviewRequestRemoved && e.Reviewer.IsCopilotReviewer() && e.At.After(t) {
			return true
		}
	}
	return false
}

// refused: a refusal of one kind of token says nothing about the other, and a
// review of the head that came since shows that it is over (C027).
func refused(a *asking) (Request, bool) {
	status, says := a.result()
	switch {
	case answeredSince(a.answer, a.ours.At):
		return Request{}, false
	case status == copilot.RequestFailed:
	case status == copilot.Unavailable && a.ours.Via == via(a.in.UserToken):
	default:
		return Request{}, false
	}
	return Request{Status: status, Why: says}, true
}

func via(user bool) string {
	if user {
		return ViaUser
	}
	return ViaWorkflow
}

// askedByRule: the reviewer's trigger is none then; its wait cap is the grace
// (design 4). Rules that could not be read may ask too.
func askedByRule(a *asking) (Request, bool) {
	rule := a.snap.Rules.CopilotReviewOnPush || a.snap.Missing(pr.FactRules) != nil
	if !rule || a.answer != nil || !a.snap.At.Before(a.headAt.Add(a.in.Settings.ReviewWait())) {
		return Request{}, false
	}
	return Request{Status: copilot.Requested, Since: a.headAt}, true
}

func notRequested(a *asking) (Request, bool) {
	return Request{Status: copilot.NotRequested, Settled: a.settled()}, true
}

// quotaUntil is until when Copilot is not to be asked: the latest of its quota
// notices' times, of our own request that met with no quota, and of what the
// journal keeps. It is a hint and no lock (C027): a genuine review that came
// after the notice ends it, and so does time.
func quotaUntil(in Input, reviews []Review) time.Time {
	var until, evidence, review time.Time
	hold := func(at, end time.Time) {
		evidence, until = later(evidence, at), later(until, end)
	}
	for _, r := range reviews {
		switch {
		case r.Kind == Genuine:
			review = later(review, r.SubmittedAt)
		case r.Kind == QuotaNotice && !r.QuotaUntil.IsZero():
			hold(r.SubmittedAt, r.QuotaUntil)
		case r.Kind == QuotaNotice:
			hold(r.SubmittedAt, r.SubmittedAt.Add(QuotaTime))
		}
	}
	for _, r := range in.Journal.Requests {
		if r.Reviewer == pr.CopilotReviewer && r.Result == "quota" {
			hold(r.At, r.At.Add(QuotaTime))
		}
	}
	for _, q := range in.Journal.QuotaUntil {
		if q.Reviewer == pr.CopilotReviewer {
			hold(evidence, q.Until)
		}
	}
	if !in.Snapshot.At.Before(until) || !evidence.IsZero() && review.After(evidence) {
		return time.Time{}
	}
	return until
}
