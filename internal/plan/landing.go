package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// The wait for a merge that prloop began (seed 001, 0.6). It goes before everything
// else that a step does: no reviewer is asked, no cap and no check is looked at
// while GitHub has the merge. Its ends are the seed's four: merged, a conflict, its
// cap, or somebody took it back.

// reasonsToLetGo say when a merge that prloop armed must not be made any more. The
// first that holds is told. What ends the run's business with the pull request goes
// first, then the head, whose merge was never judged, then what closes the gates.
var reasonsToLetGo = []struct {
	says  func(*step) string // empty: it does not hold
	skips bool               // the run does nothing else
}{
	{func(s *step) string { return when(!s.leftSince().IsZero(), "prloop leaves this repository") }, false},
	{func(s *step) string {
		return when(s.in.Paused && !s.in.Settings.KeepQueue, "the input paused is true")
	}, true},
	{func(s *step) string {
		return when(slices.Contains(s.snap.Labels, config.LabelSkip) && !s.in.Settings.KeepQueue, "it has the label "+config.LabelSkip)
	}, true},
	{func(s *step) string {
		st := s.in.Journal.Orders.Stopped
		return when(st != nil && !begunAnew(s.in, *st), "a person stopped it")
	}, false},
	{func(s *step) string {
		return when(!s.in.Journal.Orders.Paused.IsZero() && !s.in.Settings.KeepQueue, "a person paused it")
	}, false},
	{func(s *step) string { return when(s.landing() == nil, "the head is "+s.snap.Head.Short()+" now") }, false},
	{func(s *step) string { return s.closedBy() }, false},
	{func(s *step) string {
		return when(!s.in.Settings.AutoMerge.Enabled && s.snap.Missing(pr.FactConfig) == nil, "autoMerge.enabled is not set any more")
	}, false},
	{func(s *step) string {
		probe := *s
		return when(s.snap.Missing(pr.FactConfig) == nil && baseClosed(&probe), "its base is another one")
	}, false},
	{func(s *step) string { return when(s.snap.Draft, "it is a draft") }, false},
	{func(s *step) string {
		who := s.objector()
		return when(who != "", string(who)+" asks for changes")
	}, false},
	{func(s *step) string { return when(s.openThreads() > 0, "a thread is open") }, false},
}

func when(so bool, words string) string {
	if so {
		return words
	}
	return ""
}

// letGo takes back a merge that prloop armed, where it must not be made any more.
// It goes before everything: a merge that nobody judged is worse than anything that
// a later row holds back. Where the run goes on, so do the rows.
func letGo(s *step) bool {
	if !s.snap.Found || s.snap.State != pr.Open || !s.armedByUs() || s.in.Duplicates || s.liveOwner() != "" {
		return false
	}
	why, skips := "", false
	for _, r := range reasonsToLetGo {
		if why = r.says(s); why != "" {
			skips = r.skips
			break
		}
	}
	if why == "" {
		return false
	}
	e := s.disarm()
	if s.refused(e) {
		return s.decide(MissingRight, "the merge that is armed must not be made (%s), and cannot be taken back: the token lacks the permission %q", why, s.lack(e))
	}
	s.takeBack(e, why)
	return skips && s.decide(MergeDisarmed, "the merge of %s that was armed is taken back: %s", e.Head.Short(), why)
}

func (s *step) takeBack(e effect.DisarmMerge, why string) {
	s.plan.Effects = append(s.plan.Effects, e)
	s.plan.Notices = append(s.plan.Notices, fmt.Sprintf("The merge of %s that prloop had armed is taken back: %s", e.Head.Short(), why))
}

// disarm is the wish to take back what is armed.
func (s *step) disarm() effect.DisarmMerge {
	e := effect.DisarmMerge{Head: s.snap.Head}
	if l := s.in.Journal.Landing; l != nil {
		e.Head = l.Head
	}
	if s.snap.AutoMerge != nil {
		e.At = s.snap.AutoMerge.At.UTC().Format(time.RFC3339)
	} else if s.snap.Queue != nil {
		e.At = s.snap.Queue.At.UTC().Format(time.RFC3339)
	}
	return e
}

// armed: GitHub has a merge to make, whoever asked for it.
func (s *step) armed() bool { return s.snap.AutoMerge != nil || s.snap.Queue != nil }

// armedByUs: it was prloop that asked. Where the journal was lost, what the
// workflow's own account armed was. Where GitHub does not show whether anything is
// armed, what the journal says holds.
func (s *step) armedByUs() bool {
	l := s.in.Journal.Landing
	if s.snap.Missing(pr.FactMerging) != nil {
		return l != nil && (l.Came == effect.MergeArmed || l.Came == effect.MergeQueued)
	}
	mine := func(a pr.Actor) bool { return a.Login != "" && a.Login == s.snap.Viewer.Login }
	return s.armed() && (l != nil && (l.Came == "" || l.Came.Pins()) ||
		s.snap.AutoMerge != nil && mine(s.snap.AutoMerge.By) || s.snap.Queue != nil && mine(s.snap.Queue.By))
}

// waitToLand waits for the merge that was asked for at this head.
func waitToLand(s *step) bool {
	l := s.landing()
	if l == nil || s.snap.State != pr.Open || !l.Came.Pins() && (l.Came != "" || !s.armed()) || s.takenBack() {
		return false
	}
	if s.unknown(pr.FactMerging) {
		return true
	}
	switch {
	case !s.armed() && l.Came != effect.MergeMade:
		if s.retried().At.After(l.At) {
			return false // a person wants it tried again
		}
		return s.decide(MergeTakenBack, "the merge of %s was armed at %s, and GitHub shows it armed no more: somebody disabled it, or GitHub let it go", s.snap.Head.Short(), clock(l.At))
	case s.snap.MergeState == "DIRTY":
		return s.decide(MergeConflicts, "the merge of %s waits at GitHub, and it has conflicts with its base", s.snap.Head.Short())
	case s.snap.MergeState == "BEHIND" && s.in.Settings.AutoMerge.UpdateBranch:
		s.takeBack(s.disarm(), "its base has moved on, and the head is brought up to date")
		s.end.why = fmt.Sprintf("the merge of %s cannot come about", s.snap.Head.Short())
		return s.behind()
	}
	return s.waitForMerge(l, "GitHub has not made it yet")
}

// takenBack: this step takes the armed merge back.
func (s *step) takenBack() bool {
	return slices.ContainsFunc(s.plan.Effects, func(e effect.Effect) bool {
		_, ok := e.(effect.DisarmMerge)
		return ok
	})
}

// landedTopic is the topic of the one comment that tells of the end of a merge that
// prloop began. It stays as it is.
const landedTopic = "landed"

// ended does what is due once a merge that prloop began has ended: it is told,
// once, and the head branch goes (design 7; native auto-merge leaves it).
func (s *step) ended() {
	l := s.in.Journal.Landing
	if l == nil || s.snap.State == pr.Open || s.plan.Decision == Skip || slices.Contains(unseeing, s.plan.Code) || s.snap.Head != l.Head || l.Came != "" && !l.Came.Pins() {
		return
	}
	made := s.snap.State == pr.Merged
	words := "**It was closed without a merge**, at `%s`. The merge that prloop had begun ended with it."
	if made {
		words = "**It is merged**: `%s`, the head that prloop judged."
	}
	if s.in.Settings.Notify != config.NotifyNone && !s.told(landedTopic) {
		c := effect.Comment{Topic: landedTopic, Head: s.snap.Head}
		c.Body = fmt.Sprintf(words+"\n\n%s", s.snap.Head.Short(), c.Marker())
		s.plan.Effects = append(s.plan.Effects, c)
	}
	if !made || s.in.Settings.AutoMerge.KeepBranch || s.snap.Merges.DeletesHead || s.snap.HeadDeleted || s.snap.Fork() || s.snap.Missing(pr.FactMerging) != nil {
		return
	}
	if e := (effect.DeleteBranch{Branch: s.snap.HeadRef, Head: s.snap.Head}); !s.did(e) {
		s.plan.Effects = append(s.plan.Effects, e)
	}
}

// did: it was tried before, and is not tried again.
func (s *step) did(e effect.Effect) bool {
	return s.refused(e) || slices.ContainsFunc(s.in.Journal.Done, func(d journal.Entry) bool { return d.Key == e.Key() })
}

// enterLanding enters what a step does to the merge that prloop began: before its effects
// what is meant, after them what came of it.
func enterLanding(j journal.Journal, in Input, p Plan) journal.Journal {
	for _, e := range p.Effects {
		m, ok := e.(effect.Merge)
		if !ok {
			continue
		}
		j = Prove(j, p) // by what it is merged, whatever becomes of this run
		if l := j.Landing; l == nil || l.Head != m.Head || l.Try != m.Try {
			j.Landing = &journal.Landing{Head: m.Head, At: in.Snapshot.At, Try: m.Try}
		}
	}
	return j
}

// landed enters what came of a merge that this step asked for.
func landed(j journal.Journal, in Input, e effect.Merge, r effect.Result, now time.Time) journal.Journal {
	l := journal.Landing{Head: e.Head, At: now, Try: e.Try, Came: r.Merge}
	switch {
	case r.Outcome == effect.Done, r.Outcome == effect.AlreadySo:
		if r.Merge == effect.MergeMade && in.Settings.Watch.For == 0 {
			j.Final = &journal.Final{Reason: string(Merged), Head: e.Head, At: now}
		}
	case r.Outcome == effect.Failed && r.Merge != "":
		l.Mark = in.Snapshot.MergeState
	default:
		j.Landing = in.Journal.Landing // it came to nothing
		return j
	}
	j.Landing = &l
	return j
}

// letGoSince: the merge that the journal knows of stands no more, by a push, or by
// a run that took it back and did not live to enter that.
func letGoSince(j journal.Journal, snap *pr.Snapshot) bool {
	l := j.Landing
	if l == nil || snap.State != pr.Open || snap.AutoMerge != nil || snap.Queue != nil || snap.Missing(pr.FactMerging) != nil {
		return false
	}
	began := string(effect.DisarmMerge{Head: l.Head}.Key())
	return l.Head != snap.Head || slices.ContainsFunc(j.Pending, func(e journal.Entry) bool { return strings.HasPrefix(string(e.Key), began) })
}

// settleLanding is the journal after the effects. What an earlier run did, and did
// not live to enter, GitHub shows.
func settleLanding(j journal.Journal, in Input, p Plan, results []effect.Result, now time.Time) journal.Journal {
	snap := in.Snapshot
	if l := j.Landing; l != nil && l.Came == "" {
		came := effect.MergeResult("")
		switch {
		case snap.Head != l.Head:
		case snap.State == pr.Merged:
			came = effect.MergeMade
		case snap.Queue != nil:
			came = effect.MergeQueued
		case snap.AutoMerge != nil:
			came = effect.MergeArmed
		}
		if came != "" {
			j.Landing = &journal.Landing{Head: l.Head, At: l.At, Try: l.Try, Came: came}
		}
	}
	for _, r := range results {
		if m, ok := r.Effect.(effect.Merge); ok {
			j = landed(j, in, m, r, now)
		}
		if _, ok := r.Effect.(effect.DisarmMerge); ok && (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo) {
			j.Landing = nil
		}
	}
	j.Counters.PollTicksWhileQueued = 0
	for _, w := range []*journal.Wait{p.Wait, p.Spent} {
		if w != nil && w.What == mergeWait {
			j.Counters.PollTicksWhileQueued = int(now.Sub(w.Since) / in.Settings.PollInterval)
		}
	}
	return j
}

// afterMerge lays what the results changed of the merge over the snapshot.
func afterMerge(snap *pr.Snapshot, r effect.Result) {
	if r.Outcome != effect.Done && r.Outcome != effect.AlreadySo {
		return
	}
	switch e := r.Effect.(type) { //nolint:gochecksumtype // Of the others After tells.
	case effect.Merge:
		if r.Merge == effect.MergeMade {
			snap.State, snap.MergedAt, snap.MergedBy, snap.MergeCommit = pr.Merged, snap.At, snap.Viewer, pr.SHA(r.ID)
			snap.AutoMerge, snap.Queue = nil, nil
		}
		if r.Merge == effect.MergeArmed {
			snap.AutoMerge = &pr.AutoMerge{At: snap.At, By: snap.Viewer, Method: e.Method}
		}
		if r.Merge == effect.MergeQueued {
			snap.Queue = &pr.QueueEntry{At: snap.At, By: snap.Viewer}
		}
	case effect.DisarmMerge:
		snap.AutoMerge, snap.Queue = nil, nil
	case effect.UpdateBranch:
		snap.MergeState = "UNKNOWN" // until GitHub has worked it out for the new head
	case effect.DeleteBranch:
		snap.HeadDeleted = true
	}
}

// weighAutomerge: off closes the merge here for prloop, on takes that back, and no
// more: the opt-in is the configuration's.
func weighAutomerge(s *step, args string) string {
	off := !s.in.Journal.Orders.ByHand.IsZero()
	switch {
	case strings.EqualFold(args, "off"):
		return doneUnless(off)
	case off:
		return replyDone
	case !s.optedIn():
		return replyNoOptIn
	}
	return replySo
}
