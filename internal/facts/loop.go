package facts

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// A Reviewer is one reviewer of each round with what it came to.
type Reviewer struct {
	autopilot.Reviewer
	autopilot.Outcome
	// Status is that of its review of the head, Row the id of the row that
	// decided, and Why that row in words.
	Status copilot.RequestStatus
	Row    string
	Why    string
	// Since is when what is waited for began, Until when the waiting ends; zero
	// where nothing is waited for.
	Since, Until time.Time
	// Asked is what prloop asked of it for the head.
	Asked journal.Request
	// Job is the newest hand-over that asked its job about the head, where its
	// trigger is a command; zero where none did.
	Job journal.Handoff
	// Findings have no thread: a verdict below what is asked for.
	Findings []Finding
}

// IsCopilot reports whether r is Copilot code review.
func (r Reviewer) IsCopilot() bool { return r.Name == "copilot" }

// Login is the account by which the journal knows the reviewer; a job has none.
func (r Reviewer) Login() pr.Login {
	if len(r.Logins) == 0 {
		return ""
	}
	return r.Logins[0]
}

// Waits reports whether something of the reviewer is under way.
func (r Reviewer) Waits() bool {
	return r.Status == copilot.Requested || r.Status == copilot.AlreadyRequested
}

// mostMentions is how often one head is mentioned to a reviewer: a missing
// score is asked for once more (design 4).
const mostMentions = 2

// Due reports whether the reviewer is to be asked about the head now.
func (r Reviewer) Due() bool {
	if r.AtHead || r.Status != copilot.NotRequested {
		return false
	}
	switch r.Trigger {
	case autopilot.Request:
		return true
	case autopilot.Mention:
		return r.Asked.Tries == 0 || r.Silent && r.Asked.Tries < mostMentions
	case autopilot.Command:
		return true
	case autopilot.NoTrigger:
	}
	return false
}

// loopRows derive what stands between a reviewer and its review of the head,
// for all but Copilot, whose table is requestRows. Read from the top: the first
// row that holds decides.
var loopRows = []loopRow{
	{"ra", "it has reviewed the head", copilot.NotRequested, func(l *looking) bool { return l.AtHead && !l.Working }},
	{"rb", "its check of the head runs", copilot.Requested, func(l *looking) bool { return l.Working && l.inTime(l.in.headAt) }},
	{"rc", "it says that it will not review", copilot.Unavailable, func(l *looking) bool { return l.says(autopilot.Refused, autopilot.Skipped) }},
	{"rd", "it says that its quota is used up", copilot.Unavailable, func(l *looking) bool { return l.says(autopilot.NoQuota) }},
	{"re", "it says from when on it can review", copilot.Requested, func(l *looking) bool { return l.says(autopilot.RateWindow) && l.inWindow() }},
	{"rf", "reviews, comments or checks could not be read in full", copilot.Requested, (*looking).unread},
	{"rg", "it looks at each push by itself", copilot.Requested, func(l *looking) bool { return l.Trigger == autopilot.NoTrigger && l.inTime(l.in.headAt) }},
	{"rh", "it was asked, and its answer lacks the signal", copilot.NotRequested, func(l *looking) bool { return l.Silent && l.Asked.Tries > 0 && l.Asked.Tries < mostMentions }},
	{"ri", "it was asked for the head", copilot.AlreadyRequested, func(l *looking) bool { return l.landed() && l.inTime(l.Asked.At) }},
	{"rj", "the mention of it failed", copilot.RequestFailed, func(l *looking) bool { return string(l.Asked.Result) == "failed" }},
	{"rk", "a mention of it needs user-token", copilot.Unavailable, func(l *looking) bool { return l.Trigger == autopilot.Mention && !l.in.UserToken && !l.landed() }},
	{"rl", "otherwise", copilot.NotRequested, func(*looking) bool { return true }},
}

type loopRow struct {
	id     string
	says   string
	status copilot.RequestStatus
	holds  func(*looking) bool
}

// looking has what the rows read.
type looking struct {
	*Reviewer
	in *loopInput
}

type loopInput struct {
	Input
	headAt time.Time
	opened map[string]int // threads, by the review that opened them; see threads
}

// threads is how many threads a review opened.
func (in *loopInput) threads(review string) int {
	if in.opened == nil {
		in.opened = map[string]int{}
		for i := range in.Snapshot.Threads {
			if t := &in.Snapshot.Threads[i]; len(t.Comments) > 0 && t.Comments[0].ReviewID != "" {
				in.opened[t.Comments[0].ReviewID]++
			}
		}
	}
	return in.opened[review]
}

func (l *looking) says(kinds ...autopilot.NoticeKind) bool {
	return l.Notice != nil && slices.Contains(kinds, l.Notice.Kind)
}

// inWindow: a rate window lasts until the time that it names, and a review may
// take its time after that.
func (l *looking) inWindow() bool {
	end := l.Notice.Until
	if end.IsZero() {
		end = l.NoticeAt
	}
	l.Since, l.Until = l.NoticeAt, end.Add(l.WaitCap)
	return l.Required || l.in.Snapshot.At.Before(l.Until)
}

// inTime: a review that began to be waited for at since is still waited for.
// The end of it is the plan's to see where the reviewer is required: there is
// nothing else to be done. One that is not required is passed over then.
//
// A retry of a person lets it be waited for once more.
func (l *looking) inTime(since time.Time) bool {
	if r := l.in.Journal.Orders.Retried; r != nil && r.Head == l.in.Snapshot.Head {
		since = later(since, r.At)
	}
	l.Since, l.Until = since, since.Add(l.WaitCap)
	return l.Required || l.in.Snapshot.At.Before(l.Until)
}

func (l *looking) landed() bool {
	return l.Asked.Tries > 0 && slices.Contains([]string{"landed", "in_flight"}, string(l.Asked.Result))
}

func (l *looking) unread() bool {
	for _, f := range []pr.Fact{pr.FactReviews, pr.FactComments, pr.FactChecks} {
		if l.in.Snapshot.Missing(f) == nil || f == pr.FactChecks && l.Signal != autopilot.Check {
			continue
		}
		l.Since, l.Until = l.in.headAt, l.in.headAt.Add(l.WaitCap)
		return true
	}
	return false
}

// loop reads the reviewers of each round, and those of the final pass. Copilot's
// facts are f's own.
func loop(in Input, f *Facts) (each, final []Reviewer) {
	li := &loopInput{Input: in, headAt: f.HeadAt}
	for _, row := range in.Settings.Rows() {
		r := Reviewer{Reviewer: row}
		if r.IsCopilot() {
			r.copilot(f)
		} else {
			r.look(li)
		}
		if row.Phase == autopilot.FinalOnly {
			final = append(final, r)
		} else {
			each = append(each, r)
		}
	}
	return each, final
}

// copilot fills r in from Copilot's own facts.
func (r *Reviewer) copilot(f *Facts) {
	r.Status, r.Row, r.Why, r.Since = f.Request.Status, f.Request.Row, f.Request.Why, f.Request.Since
	if r.Waits() {
		if r.Since.IsZero() {
			r.Since = f.HeadAt
		}
		r.Until = r.Since.Add(r.WaitCap)
	}
	r.Rounds, r.Present, r.AtHead = f.Rounds, f.Rounds > 0, f.AtHead != nil
	r.Content = r.AtHead && f.AtHead.Clean
}

// look reads any other reviewer.
func (r *Reviewer) look(in *loopInput) {
	if r.Trigger == autopilot.Command {
		r.command(in)
		r.stand(in)
		return
	}
	for _, q := range in.Journal.Requests {
		if q.Reviewer == r.Login() && q.Head == in.Snapshot.Head {
			r.Asked = q
		}
	}
	r.Outcome = r.Read(autopilot.Seen{
		Head: in.Snapshot.Head, HeadAt: in.headAt, AskedAt: r.Asked.At, Said: in.said(r), Run: in.run(r),
	})
	// Reviews and comments that were not read may take these back.
	if in.Snapshot.Missing(pr.FactReviews) != nil || in.Snapshot.Missing(pr.FactComments) != nil {
		r.AtHead, r.Content = false, false
	}
	r.stand(in)
	if r.AtHead && r.Judges != "" {
		r.Findings = []Finding{r.verdict()}
	}
}

// stand fills in what stands between r and its review of the head.
func (r *Reviewer) stand(in *loopInput) {
	l := &looking{Reviewer: r, in: in}
	rows := loopRows
	if r.Trigger == autopilot.Command {
		rows = commandRows
	}
	for _, row := range rows {
		if row.holds(l) {
			r.Status, r.Row, r.Why = row.status, row.id, row.says
			break
		}
	}
	if !r.Waits() {
		r.Since, r.Until = time.Time{}, time.Time{}
	}
}

// said is what the reviewer said, oldest first.
func (in *loopInput) said(r *Reviewer) []autopilot.Said {
	var all []autopilot.Said
	for _, v := range in.Snapshot.Reviews {
		if r.Is(v.Author) {
			all = append(all, autopilot.Said{
				ID: v.ID, At: v.SubmittedAt, Commit: v.Commit, Review: true, State: v.State,
				Text: Clean(bound(v.Body, maxRead)), Threads: in.threads(v.ID), URL: v.URL,
			})
		}
	}
	for _, c := range in.Snapshot.Comments {
		if r.Is(c.Author) && !c.Minimized && byAuthor(c) {
			all = append(all, autopilot.Said{ID: c.ID, At: c.CreatedAt, Text: Clean(bound(c.Body, maxRead))})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if !all[i].At.Equal(all[j].At) {
			return all[i].At.Before(all[j].At)
		}
		return all[i].ID < all[j].ID
	})
	return all
}

// byAuthor: nobody else has changed the comment.
func byAuthor(c pr.Comment) bool { return c.EditedAt.IsZero() || c.Editor.Login == c.Author.Login }

// run is the newest run of the reviewer's check on the head; what has not begun
// will begin later. A commit status of that name is anybody's.
func (in *loopInput) run(r *Reviewer) (newest autopilot.Run) {
	if r.Check == "" {
		return newest
	}
	var last *pr.Check
	for i := range in.Snapshot.Checks {
		if c := &in.Snapshot.Checks[i]; !c.Status && c.Name == r.Check && (last == nil || byStart(c, last) >= 0) {
			last = c
		}
	}
	if last == nil {
		return newest
	}
	return autopilot.Run{State: last.State, Conclusion: last.Conclusion}
}

// verdict is what the reviewer is not content with as a finding: our words for
// it, and below them its own.
func (r *Reviewer) verdict() Finding {
	f := Finding{Author: r.Login(), Bot: true, Trusted: true, Severity: Mid}
	switch {
	case r.Score > 0 && r.Score <= 2:
		f.Severity = High
	case r.Score == 4:
		f.Severity = Low
	}
	f.Text = r.Name + ": " + r.Judges + "."
	if r.By != nil {
		f.Text, f.URL = f.Text+"\n\n"+excerpt(r.By.Text), r.By.URL
	}
	f.Text = strings.TrimSpace(f.Text)
	f.ID = "body:" + key("", f.Text)
	return f
}

// others reports whether reviewers other than Copilot take part, or Copilot
// does not. Where neither is so the facts of the seed's machine are Copilot's.
func others(all []Reviewer) bool { return len(all) != 1 || !all[0].IsCopilot() }

// aggregate makes the facts of the seed's machine out of all reviewers of each
// round (design 2, "Several per-iteration reviewers"). w has the weights of the
// threads' comments.
func aggregate(in Input, f *Facts, all []Reviewer, answered func(Finding) bool, w weights) {
	c := &f.Copilot
	copilotOn := slices.ContainsFunc(all, Reviewer.IsCopilot)
	if !copilotOn {
		c.CopilotErrorReviewCountOnCurrentHead, c.LastCopilotRoundMaxSignal = 0, ""
		c.CopilotBodyFeedbackUnresolved = false
		f.Awaiting = slices.DeleteFunc(f.Awaiting, func(g Finding) bool { return g.Thread == "" })
	}
	c.CopilotReviewPresent, c.CopilotReviewOnCurrentHead, f.Rounds = false, true, 0
	required := false
	for _, r := range all {
		c.CopilotReviewPresent = c.CopilotReviewPresent || r.Present
		for _, g := range r.Findings {
			if !answered(g) {
				f.Awaiting = append(f.Awaiting, g)
				c.CopilotBodyFeedbackUnresolved = true
			}
		}
		if r.Required {
			required = true
			c.CopilotReviewOnCurrentHead = c.CopilotReviewOnCurrentHead && r.AtHead
			f.Rounds = max(f.Rounds, r.Rounds)
		}
	}
	c.CopilotReviewOnCurrentHead = c.CopilotReviewOnCurrentHead && required
	c.CopilotReviewRoundCount = f.Rounds
	c.CopilotReviewRequestStatus = together(all, c.UnresolvedThreadCount > 0 || c.CopilotBodyFeedbackUnresolved)
	c.LastCopilotRoundMaxSignal = gravest(in.Snapshot, c.LastCopilotRoundMaxSignal, all, w)
}

// together is the request status of all reviewers: pending is that any of them
// is; failed or unavailable, that nothing better can become of those who are
// required and have not reviewed the head. Open feedback is worked off first.
func together(all []Reviewer, feedback bool) copilot.RequestStatus {
	status, missing, unavailable, failed := copilot.NotRequested, 0, 0, 0
	for _, r := range all {
		lacks := 0
		if r.Required && !r.AtHead {
			lacks = 1
		}
		missing += lacks
		switch r.Status {
		case copilot.Requested:
			return copilot.Requested
		case copilot.AlreadyRequested:
			status = copilot.AlreadyRequested
		case copilot.Unavailable:
			unavailable += lacks
		case copilot.RequestFailed:
			failed += lacks
		case copilot.NotRequested:
		}
	}
	switch {
	case status != copilot.NotRequested, missing == 0, feedback:
		return status
	case unavailable == missing:
		return copilot.Unavailable
	case unavailable+failed == missing:
		return copilot.RequestFailed
	}
	return status
}

// gravest is how grave the newest round is over all reviewers; High where one
// of them does not tell.
func gravest(snap *pr.Snapshot, least string, all []Reviewer, w weights) string {
	level := least
	weigh := func(l string) {
		if rank(l) > rank(level) {
			level = l
		}
	}
	for _, r := range all {
		if r.IsCopilot() {
			continue
		}
		if r.Present && !r.AtHead {
			weigh(High)
		}
		for _, g := range r.Findings {
			weigh(g.Severity)
		}
		for i := range snap.Threads {
			if t := &snap.Threads[i]; len(t.Comments) > 0 && r.Is(t.Comments[0].Author) {
				weigh(w.of(i, t))
			}
		}
	}
	return level
}

// reviewersOf are the reviewers that the settings have on, whose words count as
// those of somebody who may ask for work.
func reviewersOf(set config.Settings) []autopilot.Reviewer {
	if set.CopilotAlone() {
		return nil
	}
	return set.Rows()
}
