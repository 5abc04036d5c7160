package journal

import (
	"errors"
	"slices"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// Why a journal was rebuilt ([Rebuilt]).
const (
	WhyDamaged = string(MemoryDamaged)
	WhyEdited  = string(MemoryEdited)
	WhyOther   = string(MemoryOther)
	WhyDeleted = string(MemoryDeleted)
)

// RebuildReads are the facts that [Rebuild] counts in. Where one of them could
// not be read in full, a rebuilt journal counts too little and must not be
// written.
func RebuildReads() []pr.Fact {
	return []pr.Fact{pr.FactComments, pr.FactReviews, pr.FactEvents}
}

// Rebuild makes a journal from GitHub's own history where the one that was
// there does not hold, and says why. prior, where not nil, is what the old one
// said ([Found.Prior]): of it only numbers are believed, and only where they
// are higher than what history shows. So no count falls and no cap starts anew,
// whatever somebody wrote into it.
//
// Known again are
//   - how often Copilot was asked: every review_requested event counts, whoever
//     caused it, because the timeline does not tell our requests from others';
//   - the request that stands for the head, where one does ([Request]);
//   - the notes that went out, by their markers in our own comments;
//   - when prloop began and when the head was there at the latest;
//   - the commands of people that carry our reaction: none is obeyed twice, and a
//     pause or a stop holds on.
//
// Taken from the number of commits that Copilot reviewed, which is rather too
// high than too low, are the hand-overs (one for each) and the fix iterations
// (one for each that is no longer the head).
//
// Not known again are which findings were handed over, when a wait began, until
// when a reviewer has no quota, which effects were pending, who held the lease,
// how the loop ended, and the requests that GitHub never registered: those are
// found or asked anew. Rounds are no count of the journal's: they are counted
// from GitHub's reviews at every step.
//
// The revision is the prior one: [Begin] and [Finish] take it on.
func Rebuild(s *pr.Snapshot, why string, now time.Time, prior *Journal) Journal {
	var old Journal
	if prior != nil {
		old = believed(*prior)
	}
	j := Journal{
		PR:       s.Number,
		Rev:      old.Rev,
		Counters: old.Counters,
		Told:     notes(s.Comments),
		Rebuilt:  &Rebuilt{Why: why, At: now},
	}
	for i, t := range j.Told {
		if t.Head == pr.SHA(s.Head.Short()) {
			j.Told[i].Head = s.Head
		}
	}
	j.StartedAt = earlier(began(s, now), old.StartedAt)
	j = Saw(j, s.Head, seen(s, now, old))

	j.Asked = max(old.Asked, len(requests(s)))
	if r, ok := standing(s); ok {
		j.Requests = []Request{r}
	}
	if i := slices.IndexFunc(old.Requests, func(r Request) bool {
		return r.Head == s.Head && r.Reviewer == pr.CopilotReviewer
	}); i >= 0 {
		row := old.Requests[i]
		if len(j.Requests) == 0 && row.Tries > 0 {
			// It was asked, and the timeline shows nothing that stands.
			j.Requests = []Request{{
				Reviewer: pr.CopilotReviewer, Head: s.Head, At: earlier(now, row.At), Result: effect.Dropped,
			}}
		}
		for i := range j.Requests {
			j.Requests[i].Tries = max(j.Requests[i].Tries, row.Tries)
		}
	}

	commits := reviewed(s)
	j.Orders = obeyed(s, old.Orders)
	if k := old.Quest; k != nil { // its keys are used up: the next quest begins with another number
		j.Quest = &Quest{Number: min(k.Number, maxNumber/2) + 1, Policy: quest.DefaultPolicy()}
	}
	j.HandedOver = max(old.HandedOver, len(commits))
	fixed := len(commits)
	if slices.Contains(commits, s.Head) {
		fixed--
	}
	j.Counters.FixIterations = max(j.Counters.FixIterations, fixed)
	j.Imported = old.Imported
	return Compact(j)
}

// believed is an old journal with room left to count on: nothing that prloop
// counts comes near these numbers, but whoever edited the journal may have.
func believed(j Journal) Journal {
	const most = maxNumber / 2
	j.Rev, j.Asked, j.HandedOver = min(j.Rev, most), min(j.Asked, most), min(handedOver(j), most)
	j.Handoffs = nil
	j.Imported = one(j.Imported, func(i *Imported) { i.Back = min(i.Back, most) })
	c := &j.Counters
	for _, n := range []*int{
		&c.FixIterations, &c.PollTicksWithoutReview, &c.PollTicksWithoutActivity, &c.TicksWithoutProgress, &c.ReviewIteration, &c.PushbackRounds, &c.PollTicksWhileQueued,
	} {
		*n = min(*n, most)
	}
	j.Requests = each(j.Requests, func(r *Request) { r.Tries = min(r.Tries, most) })
	return j
}

// notes are the topics and heads of our own notes, oldest first.
func notes(comments []pr.Comment) []Told {
	var j Journal
	for _, c := range comments {
		if topic, head, ok := effect.ParseNote(c.Body); ok && c.Mine {
			j = Tell(j, Told{Topic: topic, Head: head})
		}
	}
	return j.Told
}

// began is the time of our earliest trace: a note or a comment that carries, or
// carried, a journal; now where there is none.
func began(s *pr.Snapshot, now time.Time) time.Time {
	at := now
	for _, c := range s.Comments {
		_, _, note := effect.ParseNote(c.Body)
		_, _, err := unseal(journalWord, journalMark, c.Body)
		if c.Mine && (note || !errors.Is(err, ErrNone)) {
			at = earlier(at, c.CreatedAt)
		}
	}
	return at
}

// seen is when the head was there at the latest: a note or a review of it
// proves it, and so does what the old journal says, unless it lies ahead.
func seen(s *pr.Snapshot, now time.Time, old Journal) time.Time {
	at := now
	for _, c := range s.Comments {
		if _, head, ok := effect.ParseNote(c.Body); ok && c.Mine && head == pr.SHA(s.Head.Short()) {
			at = earlier(at, c.CreatedAt)
		}
	}
	for _, r := range s.Reviews {
		if r.Commit == s.Head {
			at = earlier(at, r.SubmittedAt)
		}
	}
	for _, o := range old.Heads {
		if o.Head == s.Head {
			at = earlier(at, o.At)
		}
	}
	return at
}

// requests are the times when Copilot was asked for a review, oldest first.
func requests(s *pr.Snapshot) []time.Time {
	var at []time.Time
	for _, e := range s.Events {
		if e.Kind == pr.ReviewRequested && e.Reviewer.IsCopilotReviewer() {
			at = append(at, e.At)
		}
	}
	return at
}

// standing is the row of the request for the head. An event carries no commit,
// so a request is the head's where it is not older than the head; where nothing
// tells how old the head is, where no review has answered it since. A request
// that was taken back stands no more.
func standing(s *pr.Snapshot) (Request, bool) {
	asked := requests(s)
	if len(asked) == 0 {
		return Request{}, false
	}
	last := slices.MaxFunc(asked, time.Time.Compare)
	if slices.ContainsFunc(s.Events, func(e pr.Event) bool {
		return e.Kind == pr.ReviewRequestRemoved && e.Reviewer.IsCopilotReviewer() && !e.At.Before(last)
	}) {
		return Request{}, false
	}
	tries := 1
	if head := s.HeadSuiteAt; !head.IsZero() {
		for _, e := range s.Events {
			if e.Kind == pr.HeadForcePushed && e.At.After(head) {
				head = e.At // back to a commit that was checked before
			}
		}
		if last.Before(head) {
			return Request{}, false
		}
		tries = len(without(asked, func(at time.Time) bool { return at.Before(head) }))
	} else if slices.ContainsFunc(s.Reviews, func(r pr.Review) bool {
		return r.Author.IsCopilotReviewer() && r.Commit != s.Head && !r.SubmittedAt.Before(last)
	}) {
		return Request{}, false
	}
	return Request{
		Reviewer: pr.CopilotReviewer, Head: s.Head, At: last, Result: effect.Landed, Tries: tries,
	}, true
}

// reviewed are the commits that Copilot submitted a review of, each once, in
// the order of the reviews. A notice counts too: its text is not judged here.
func reviewed(s *pr.Snapshot) []pr.SHA {
	var commits []pr.SHA
	for _, r := range s.Reviews {
		if r.Author.IsCopilotReviewer() && r.State != pr.Pending && r.Commit != "" && !slices.Contains(commits, r.Commit) {
			commits = append(commits, r.Commit)
		}
	}
	return commits
}
