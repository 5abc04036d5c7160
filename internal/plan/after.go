package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// Settle is the journal after the effects of p came to results: it enters what
// was asked, handed over and told. The outbox and the lease are the caller's
// (journal.Begin, journal.Finish).
func Settle(j journal.Journal, in Input, p Plan, results []effect.Result, now time.Time) journal.Journal {
	if in.Snapshot.Issue != nil {
		return settleIssue(j, in, p, results, now)
	}
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	if j.Mode == "" {
		j.Mode = string(in.Settings.Mode)
	}
	j = recallReviews(recallAgent(journal.Saw(j, in.Snapshot.Head, in.Snapshot.At), p), in)
	for _, r := range results {
		if r.Outcome == effect.Failed && r.Right != "" && !isRequest(r.Effect) {
			j = journal.Refuse(j, journal.Refusal{Key: r.Effect.Key(), Right: r.Right, Via: via(in.UserToken)})
		}
		switch e := r.Effect.(type) {
		case effect.RequestReview:
			if r.Outcome == effect.Stale || r.Outcome == effect.Skipped {
				continue
			}
			j.Orders.Asked = nil
			j = journal.Asked(j, journal.Request{
				Reviewer: e.Reviewer,
				Head:     e.Head,
				At:       orNow(r.At, now),
				Result:   r.Request,
				Rung:     r.Rung,
				Tries:    e.Try,
				Via:      via(in.UserToken),
			})
		case effect.Mention:
			if r.Outcome == effect.Stale || r.Outcome == effect.Skipped {
				continue
			}
			j.Orders.Asked = nil
			j = journal.Asked(j, journal.Request{
				Reviewer: e.Reviewer,
				Head:     e.Head,
				At:       orNow(r.At, now),
				Result:   cmp.Or(r.Request, effect.Errored),
				Tries:    e.Try,
				Via:      via(in.UserToken),
			})
		case effect.Comment:
			if r.Outcome == effect.Done || r.Outcome == effect.AlreadySo {
				j = journal.Tell(j, journal.Told{Topic: e.Topic, Head: e.Head})
			}
		case effect.Record:
			if until, err := time.Parse(time.RFC3339, e.QuotaUntil); err == nil && r.Outcome == effect.Failed {
				j = journal.SetQuota(j, journal.Quota{Reviewer: e.Reviewer, Until: until})
			}
		case effect.DraftReview:
			j = drafted(j, e, r, in.Snapshot.At)
		case effect.DiscardReview:
			j.Draft = nil // also where it was left as it is: it is that person's now
		case effect.React:
			j = journal.AnsweredBy(j, e.Comment, e.Content)
		case effect.MarkReady, effect.Rerun, effect.Revert, effect.UpdateStatus, effect.Hide, effect.Reply, effect.Resolve, effect.CheckRun, effect.TakeOver:
		case effect.Merge, effect.DisarmMerge, effect.UpdateBranch, effect.DeleteBranch: // settleLanding
		}
	}
	j = reverted(together(Enter(recollect(j, in, results), in, p), p, results), results)
	j.Ledger = round.Enter(j.Ledger, nil, j.Answers)
	if p.Handoff != nil {
		j = recapped(journal.HandOff(j, *p.Handoff), p)
		if p.Single != nil {
			if j.Single = p.Single; *p.Single == (journal.Single{}) {
				j.Single = nil
			}
		}
	}
	j = settleAgent(j, in, p, results, now)
	if in.Inherited != nil && j.Other == 0 {
		j.Other = in.Inherited.Issue
	}
	if p.Settling != nil {
		j.Settled = p.Settling
	}
	if p.Cleaned != nil {
		j.Cleaned = p.Cleaned
	}
	j = Shown(Prove(j, p), results)
	switch {
	case p.Final != nil:
		j.Final = p.Final
		if p.Code == Left {
			j = endLoop(j, p)
		}
	case p.Code == Left:
	case in.Snapshot.State == pr.Open && j.Orders.Stopped == nil:
		j.Final = nil // reopened: the record of the end is over
	}
	j.Counters = counters(j, p, in, now)
	return settleLanding(j, in, p, results, now)
}

// drafted notes a review that was prepared, or that it could not be.
func drafted(j journal.Journal, e effect.DraftReview, r effect.Result, now time.Time) journal.Journal {
	switch r.Outcome {
	case effect.Done, effect.AlreadySo:
		j.Draft = &journal.Draft{ID: r.ID, Head: e.Head, At: now, Comments: r.Comments, Text: r.Text}
		return journal.Change(j, e.Handoff, func(h *journal.Handoff) { h.Reported = string(handoff.Complete) })
	case effect.Failed:
		return journal.Change(j, e.Handoff, func(h *journal.Handoff) { h.Parked = string(ReviewerBlocked) + "@" + string(e.Head) })
	case effect.Stale, effect.Skipped:
	}
	return j
}

// isRequest: a refusal of it is kept with the request itself.
func isRequest(e effect.Effect) bool {
	switch e.(type) {
	case effect.RequestReview, effect.Mention:
		return true
	case effect.MarkReady, effect.Rerun, effect.Revert, effect.Comment, effect.UpdateStatus, effect.Hide, effect.Record, effect.Reply, effect.Resolve,
		effect.DraftReview, effect.DiscardReview, effect.React, effect.CheckRun,
		effect.Merge, effect.DisarmMerge, effect.UpdateBranch, effect.DeleteBranch, effect.TakeOver:
	}
	return false
}

// recollect enters a request that an earlier run made and did not live to enter:
// its key is pending, and since the intent GitHub shows a request of Copilot.
func recollect(j journal.Journal, in Input, results []effect.Result) journal.Journal {
	for _, e := range in.Journal.Pending {
		wish, ok := strings.CutPrefix(string(e.Key), "review:"+string(pr.CopilotReviewer)+"@")
		if !ok || slices.ContainsFunc(results, func(r effect.Result) bool { return r.Effect.Key() == e.Key }) {
			continue
		}
		i := slices.IndexFunc(in.Snapshot.Events, func(ev pr.Event) bool {
			return ev.Kind == pr.ReviewRequested && ev.Reviewer.IsCopilotReviewer() && !ev.At.Before(e.At)
		})
		short, number, _ := strings.Cut(wish, "#")
		try, err := strconv.Atoi(number)
		// Or the repository record says that the quota ran out since then: that was
		// noted before the run died.
		out := in.Record.QuotaUntil(pr.CopilotReviewer).Add(-facts.QuotaTime)
		if i < 0 && err == nil && !out.Before(e.At) {
			j = journal.Asked(j, journal.Request{
				Reviewer: pr.CopilotReviewer, Head: longHead(in, short), At: out, Result: effect.Quota, Tries: try, Via: via(in.UserToken),
			})
		}
		if i < 0 || err != nil {
			continue
		}
		j = journal.Asked(j, journal.Request{
			Reviewer: pr.CopilotReviewer,
			Head:     longHead(in, short),
			At:       in.Snapshot.Events[i].At,
			Result:   effect.Landed,
			Tries:    try,
			Via:      via(in.UserToken),
		})
		j = journal.Delivered(j, e)
	}
	return j
}

// longHead is the head that begins with short: the one that stands, or one
// that the journal saw.
func longHead(in Input, short string) pr.SHA {
	if in.Snapshot.Head.Short() == short {
		return in.Snapshot.Head
	}
	for _, s := range in.Journal.Heads {
		if s.Head.Short() == short {
			return s.Head
		}
	}
	return pr.SHA(short)
}

// via is the token kind that a request is made with (journal.Request.Via).
func via(userToken bool) string {
	if userToken {
		return facts.ViaUser
	}
	return facts.ViaWorkflow
}

func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// ticks are the poll ticks of the review wait that stands, derived from its
// beginning (design 6): waiting itself writes nothing.
func ticks(p Plan, in Input, now time.Time) int {
	w := cmp.Or(p.Wait, p.Spent)
	if w == nil || w.What != "copilot_review" && w.What != "review" || w.Since.IsZero() {
		return 0
	}
	return int(now.Sub(w.Since) / in.Settings.PollInterval)
}

// After is the input as the next step will find it if nothing else happens:
// the snapshot with what the results changed on GitHub, and the journal j that
// is being written. From it the status comment tells what comes next, so that
// the next step has nothing to correct.
func After(in Input, j journal.Journal, results []effect.Result) Input {
	snap := *in.Snapshot
	snap.Events = slices.Clone(snap.Events)
	snap.Requests = slices.Clone(snap.Requests)
	snap.Comments = slices.Clone(snap.Comments)
	snap.Threads = slices.Clone(snap.Threads)
	for _, r := range results {
		switch e := r.Effect.(type) {
		case effect.RequestReview:
			if r.Outcome != effect.Done && r.Outcome != effect.AlreadySo {
				continue
			}
			if r.Request == effect.Landed || r.Request == effect.InFlight {
				who := pr.Actor{Login: pr.CopilotReviewer, Bot: true}
				at := orNow(r.At, snap.At)
				if !slices.ContainsFunc(snap.Events, func(e pr.Event) bool {
					return e.Kind == pr.ReviewRequested && e.Reviewer.IsCopilotReviewer() && !e.At.Before(at)
				}) {
					snap.Events = append(snap.Events, pr.Event{Kind: pr.ReviewRequested, At: at, Reviewer: who})
				}
			}
		case effect.MarkReady:
			if r.Outcome == effect.Done || r.Outcome == effect.AlreadySo {
				snap.Draft = false
			}
		case effect.Revert:
			if (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo) && snap.Watched != nil {
				seen := *snap.Watched
				seen.Revert = &pr.Revert{Number: r.Number, State: pr.Open, Ours: true}
				snap.Watched = &seen
			}
		case effect.Rerun:
			snap.Checks = slices.Clone(snap.Checks)
			for i, c := range snap.Checks {
				if c.ID == e.Job && (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo) {
					snap.Checks[i].State, snap.Checks[i].Conclusion, snap.Checks[i].RunAttempt = "IN_PROGRESS", "", c.RunAttempt+1
				}
			}
		case effect.Hide:
			for i, c := range snap.Comments {
				if c.ID == e.CommentID && (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo) {
					snap.Comments[i].Minimized = true
				}
			}
		case effect.Record:
			if entry, err := journal.RecordOf(e); err == nil && (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo) {
				in.Record = journal.MergeRecord(in.Record, entry)
			}
		case effect.Reply:
			if r.Outcome == effect.Done || r.Outcome == effect.AlreadySo {
				changeThread(&snap, e.Thread, func(t *pr.Thread) {
					t.Comments = append(slices.Clip(t.Comments), pr.ThreadComment{
						Author: snap.Viewer, Mine: true, Trusted: true, Body: e.Body, CreatedAt: snap.At,
					})
				})
			}
		case effect.Resolve:
			if r.Outcome == effect.Done || r.Outcome == effect.AlreadySo {
				changeThread(&snap, e.Thread, func(t *pr.Thread) { t.Resolved = true })
			}
		case effect.React:
			for i, c := range snap.Comments {
				if c.DatabaseID == e.Comment && (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo) {
					snap.Comments[i].Answer = e.Content
				}
			}
		case effect.Merge, effect.DisarmMerge, effect.UpdateBranch, effect.DeleteBranch:
			afterMerge(&snap, r)
		case effect.Mention, effect.Comment, effect.UpdateStatus, effect.DraftReview, effect.DiscardReview, effect.CheckRun, effect.TakeOver: // the journal has it
		}
	}
	snap.WritersRead = true // what was said since is heard by the next step
	next := in
	next.Foreseen = true
	next.Snapshot, next.Journal, next.Memory, next.Duplicates = &snap, j, journal.MemoryFound, false
	return next
}

func changeThread(snap *pr.Snapshot, id string, f func(*pr.Thread)) {
	for i := range snap.Threads {
		if snap.Threads[i].ID == id {
			f(&snap.Threads[i])
		}
	}
}
