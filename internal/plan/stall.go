package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// progress is the name of the wait that the stall guard begins.
const progress = "progress"

// ourTurn are the waits in which it is prloop's turn, and that no time of their
// own ends. In all others somebody else's review, check, report, push or word is
// waited for, with its own cap or, where it is a person's, with none: the stall
// guard does not count there (design 6).
var ourTurn = []Code{FactUnknown, ReportIncomplete}

// stall is the stall guard of seed 001 (step 11.5): where prloop would act, and
// nothing that matters has changed for stallTickCap ticks, it stops and calls a
// person. The step that meets such a wait first notes when that was; the ticks are
// the time gone by since then, however many runs there were. It comes after all
// rows, since every one of them goes before it (design 1).
//
// It needs a journal, and a configuration that could be read: nothing is done by
// defaults instead.
func (s *step) stall() {
	p := &s.plan
	if s.in.Memory != journal.MemoryFound || s.in.Reporting || p.Account != nil || p.Wait != nil || p.Acts() ||
		!slices.Contains(ourTurn, p.Code) || s.snap.Missing(pr.FactConfig) != nil {
		return
	}
	w := journal.Wait{What: progress, Head: s.snap.Head, Since: s.now, Then: string(Stalled), Mark: s.fingerprint()}
	for _, old := range s.in.Journal.Waits {
		if old.What == w.What && old.Head == w.Head && old.Mark == w.Mark {
			w.Since = later(old.Since, s.retried().At)
		}
	}
	w.Until = w.Since.Add(time.Duration(s.in.Settings.StallTickCap) * s.in.Settings.PollInterval)
	p.Wait = &w // also once its time is over: without its beginning it would begin anew
	if s.now.Before(w.Until) {
		p.NextWake = w.Until
		return
	}
	p.NextWake, p.Leads = time.Time{}, false
	s.decide(Stalled, "nothing has changed since %s, and %s", clock(w.Since), p.Why)
}

// fingerprint is a digest of what progress would change: the head, what the
// reviewers of the loop said, the threads, the checks that count (reference D7).
// What anybody else says is none. A fact that could not be read in full goes in by
// its name alone: parts of it come and go.
func (s *step) fingerprint() string {
	var list []string
	add := func(f pr.Fact, words ...any) {
		if s.snap.Missing(f) == nil {
			list = append(list, fmt.Sprintln(words...))
		}
	}
	ours := func(a pr.Actor) bool {
		is := func(r facts.Reviewer) bool { return r.Is(a) }
		return slices.ContainsFunc(s.facts.Loop, is) || slices.ContainsFunc(s.facts.Final, is)
	}
	for _, r := range s.snap.Reviews {
		if ours(r.Author) {
			add(pr.FactReviews, "review", r.ID, r.State)
		}
	}
	for _, c := range s.snap.Comments {
		if ours(c.Author) {
			add(pr.FactComments, "comment", c.ID, c.EditedAt.Unix())
		}
	}
	for i := range s.snap.Threads {
		t := &s.snap.Threads[i]
		add(pr.FactThreads, "thread", t.ID, t.Resolved, len(t.Comments))
	}
	for _, c := range s.facts.CI.Checks {
		add(pr.FactChecks, "check", c.Name, c.State)
	}
	for _, u := range s.snap.Unknown {
		list = append(list, "unknown "+string(u.Fact))
	}
	slices.Sort(list)
	return journal.Mark(string(s.snap.Head) + "\n" + string(s.plan.Code) + "\n" + strings.Join(list, ""))
}

// noted reports whether j knows when the wait for progress began.
func noted(j journal.Journal, w *journal.Wait) bool {
	return w == nil || w.What != progress || slices.ContainsFunc(j.Waits, func(o journal.Wait) bool {
		return o.What == w.What && o.Head == w.Head && o.Mark == w.Mark && o.Since.Equal(w.Since)
	})
}

// spent notes that the time of a wait is over, for the counters.
func (s *step) spent(what string, since, until time.Time, then Code) {
	s.plan.Spent = &journal.Wait{What: what, Head: s.snap.Head, Since: since, Until: until, Then: string(then)}
}

// tooLong stops what has taken as long as wallClockCap allows, since prloop's
// first effect on the pull request. It stands behind the outcome, and before
// everything that would begin something new or go on waiting.
func tooLong(s *step) bool {
	end := s.wallClock()
	if end.IsZero() || s.now.Before(end) {
		return false
	}
	return s.decide(WallClockCap, "prloop began at %s, and wallClockCap is %d minutes", clock(s.begun()), int(s.in.Settings.WallClockCap/time.Minute))
}

// wallClock is when wallClockCap is over; zero where nothing was begun, or
// where there is no such cap.
func (s *step) wallClock() time.Time {
	if s.in.Settings.WallClockCap == 0 || s.in.Journal.StartedAt.IsZero() {
		return time.Time{}
	}
	return s.begun().Add(s.in.Settings.WallClockCap)
}

// begun is from when wallClockCap counts: prloop's first effect, or the newest
// reset, stop or retry of this cap.
func (s *step) begun() time.Time {
	return later(s.in.Journal.StartedAt, s.in.Journal.Orders.Zero.Clock)
}

// wakeInTime lets no wait sleep beyond the wall clock.
func (s *step) wakeInTime() {
	end, p := s.wallClock(), &s.plan
	if end.IsZero() || p.Decision != Wait && p.Decision != Act && p.Decision != Handoff || s.snap.State != pr.Open {
		return
	}
	if s.now.Before(end) && (p.NextWake.IsZero() || end.Before(p.NextWake)) {
		p.NextWake = end
	}
}
