package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// Watching (design 7): what stands on the merge commit is held against what stood
// on the commit before it. Watching only reads; a revert is the one thing that it
// may begin.

// ends are the final records with which a watch is over: a later event begins
// nothing anew, only a person's /prloop revert does.
var ends = []Code{Merged, StoppedByCommand, WatchedClean, WatchedNothing, WatchedUnclear, RevertReceipt}

// watches reports whether the merge is prloop's to watch: it had begun before it
// was merged, and nobody has stopped it. What a person asks to be reverted goes on
// whatever the configuration says, and after the end too.
func (s *step) watches() bool {
	if s.snap.State != pr.Merged || !s.acted() || s.in.Journal.Orders.Stopped != nil {
		return false
	}
	if !s.begunBefore() || !s.leftSince().IsZero() {
		return false
	}
	w := s.in.Journal.Watch
	if w != nil && w.Receipt == "" && (!w.Wanted.IsZero() || w.Revert > 0) {
		return true
	}
	f := s.in.Journal.Final
	return s.in.Settings.Watch.For > 0 && (f == nil || !slices.Contains(ends, Code(f.Reason)))
}

// begunBefore: prloop had begun before it was merged.
func (s *step) begunBefore() bool {
	return s.snap.Missing(pr.FactMerging) != nil || s.in.Journal.StartedAt.Before(s.snap.MergedAt)
}

// watched: it was merged, and the watch over the merge commit goes on, or ends.
func watched(s *step) bool {
	if !s.watches() {
		return s.wasWatched()
	}
	if s.unknown(pr.FactMerging) {
		return true
	}
	seen := s.snap.Watched
	if seen == nil {
		s.plan.Needs = append(s.plan.Needs, pr.FactWatch)
		return s.decide(FactUnknown, "what stands on the merge commit was not read yet")
	}
	w := journal.Watch{}
	if s.in.Journal.Watch != nil {
		w = *s.in.Journal.Watch
	}
	w.Commit, w.Since, w.Until = s.snap.MergeCommit, s.snap.MergedAt, s.snap.MergedAt.Add(s.in.Settings.Watch.For)
	found := facts.Watch(seen, s.in.Own, s.in.Settings)
	w = w.Seen(found.Regressions)
	s.plan.Watch = &w
	if s.revertStands(&w, seen) {
		return true
	}
	bad := stillBad(w.Regressions, found, seen)
	switch {
	case !w.Wanted.IsZero() && len(bad) > 0:
		return s.revert(&w, evidence(bad, w.Commit, seen.Before)+"; a person asked for the revert")
	case !w.Wanted.IsZero():
		return s.revert(&w, "a person asked for the revert")
	case len(bad) > 0 && !w.Kept && s.in.Settings.Watch.OnRegression == config.RevertRegression && s.in.Journal.Orders.Paused.IsZero() && w.Revert == 0:
		return s.revert(&w, evidence(bad, w.Commit, seen.Before))
	case len(bad) > 0 && !w.Kept:
		why := evidence(bad, w.Commit, seen.Before)
		if s.in.Settings.Watch.OnRegression == config.RevertRegression && !s.in.Journal.Orders.Paused.IsZero() {
			why += "; it is paused, so no revert is opened"
		}
		return s.decide(RegressionSeen, "%s", why)
	}
	return s.window(&w, found, seen)
}

// stillBad are the regressions that stand: those that fail, and those that failed
// before and have not passed since. One that runs again, was cancelled, or cannot
// be read now has not.
func stillBad(noted []string, found facts.Watching, seen *pr.Watched) []string {
	bad := slices.Clone(found.Regressions)
	for _, n := range noted {
		lost := seen.Missing(pr.FactWatch) != nil || seen.Missing(pr.FactChecksNow) != nil && !facts.IsDeployment(n) ||
			seen.Missing(pr.FactDeployments) != nil && facts.IsDeployment(n)
		if !slices.Contains(bad, n) && (lost || slices.Contains(found.Unclear, n) || slices.Contains(found.Pending, n)) {
			bad = append(bad, n)
		}
	}
	slices.Sort(bad)
	return bad
}

// wasWatched repeats how a watch ended, for every later event.
func (s *step) wasWatched() bool {
	f := s.in.Journal.Final
	if s.snap.State != pr.Merged || f == nil || !slices.Contains(ends[2:], Code(f.Reason)) {
		return false
	}
	if w := s.in.Journal.Watch; w != nil && w.End != "" {
		return s.decide(Code(f.Reason), "%s", w.End)
	}
	return s.decide(Code(f.Reason), "the watch over the merge ended at %s", clock(f.At))
}

// evidence says what passed before and fails now.
func evidence(bad []string, commit, before pr.SHA) string {
	verb := "fails"
	if len(bad) > 1 {
		verb = "fail"
	}
	was := "before"
	if before != "" {
		was = "at " + before.Short() + ", the commit before it"
	}
	return fmt.Sprintf("%s %s at the merge commit %s and passed %s", names(bad), verb, commit.Short(), was)
}

// revertStands decides by the pull request that takes the merge back, whoever
// opened it. One that was closed counts only if it is ours: then a person decided
// against it, and only a person's word opens another.
func (s *step) revertStands(w *journal.Watch, seen *pr.Watched) bool {
	r := seen.Revert
	switch {
	case r == nil && w.Revert > 0 && w.Wanted.IsZero():
		return s.watchUnknown(seen)
	case r == nil:
		return false
	case r.State == pr.Merged:
		w.Revert, w.Receipt, w.Wanted = r.Number, r.Commit, time.Time{}
		if w.Receipt == "" {
			w.Receipt = w.Commit // GitHub names none: it is merged all the same
		}
		return s.watchEnded(RevertReceipt, "#%d was merged at %s: the merge is taken back", r.Number, clock(r.MergedAt))
	case r.State == pr.Open:
		w.Revert, w.Wanted = r.Number, time.Time{}
		return s.decide(RolledBack, "#%d takes the merge back, and is not merged yet", r.Number)
	case r.State == pr.Closed && w.Wanted.IsZero() && (r.Ours || r.Number == w.Revert):
		w.Revert = r.Number
		if w.Kept {
			return false
		}
		return s.decide(RevertClosed, "#%d, which would take the merge back, was closed without a merge", r.Number)
	}
	return false
}

// watchUnknown decides where something of the watch could not be read, and names
// the first of it.
func (s *step) watchUnknown(seen *pr.Watched) bool {
	if len(seen.Unknown) == 0 {
		return false
	}
	return s.decide(FactUnknown, "%s", unread(seen.Unknown[0]))
}

func unread(u pr.Unknown) string {
	if u.Right != "" {
		return fmt.Sprintf("the %s could not be read: the token lacks the permission %q", u.Fact, u.Right)
	}
	return fmt.Sprintf("the %s could not be read in full: %s", u.Fact, u.Why)
}

// revert opens the pull request that takes the merge back, once.
func (s *step) revert(w *journal.Watch, because string) bool {
	e := effect.Revert{
		PR: s.snap.Number, Commit: w.Commit, Try: max(w.Tries, 1),
		Title: fmt.Sprintf("Revert #%d", s.snap.Number),
		Body:  s.revertBody(because),
	}
	if w.Commit == "" {
		return s.decide(FactUnknown, "GitHub names no merge commit, so nothing can be reverted")
	}
	if r, ok := s.in.Journal.RefusedFor(e.Key(), via(s.in.UserToken)); ok {
		return s.decide(RevertFailed, "%s, and the revert could not be opened: the token lacks the permission %q", because, r.Right)
	}
	if w.Failed == e.Try {
		return s.decide(RevertFailed, "%s, and GitHub refused to open the revert", because)
	}
	if !s.in.UserToken {
		s.plan.Notices = append(s.plan.Notices, "There is no user-token, so no workflow runs on the revert pull request: what the workflow's token opens starts none")
	}
	s.plan.Effects = append(s.plan.Effects, e)
	return s.decide(RevertOpened, "%s", because)
}

// revertBody is the description of the revert, in our words; names of checks are
// quoted.
func (s *step) revertBody(because string) string {
	quote := s.in.Quote.Text
	if quote == nil {
		quote = func(t string) string { return t }
	}
	return fmt.Sprintf("Reverts #%d.\n\n%s.\n\nReview and merge it to take the change back; close it to keep the change.", s.snap.Number, quote(upper(because)))
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// window waits for the end of the watch, and says how it ended. What has not
// ended by then, or could not be read, is waited for as long again.
func (s *step) window(w *journal.Watch, found facts.Watching, seen *pr.Watched) bool {
	if s.now.Before(w.Until) {
		s.waitFor("watch", w.Since, w.Until, "")
		if w.Commit == "" {
			return s.decide(Watching, "it was merged at %s, and the merge commit is watched", clock(w.Since))
		}
		return s.decide(Watching, "it was merged as %s at %s, and that commit is watched", w.Commit.Short(), clock(w.Since))
	}
	if last := w.Until.Add(s.in.Settings.Watch.For); s.now.Before(last) {
		var open string
		switch {
		case len(seen.Unknown) > 0:
			open = unread(seen.Unknown[0])
		case len(found.Pending) > 0:
			open = names(found.Pending) + " has not ended"
		}
		if open != "" {
			s.waitFor("watch", w.Since, last, WatchedUnclear)
			return s.decide(Watching, "the time of the watch is over, and %s", open)
		}
	}
	var left []string
	if w.Kept && len(w.Regressions) > 0 {
		left = append(left, "a person let it go on with "+names(w.Regressions)+", which passed before and failed")
	}
	if len(found.Unclear) > 0 {
		left = append(left, names(found.Unclear)+" failed or was cancelled, with nothing from before to hold it against")
	}
	if len(found.Pending) > 0 {
		left = append(left, names(found.Pending)+" did not end")
	}
	for _, u := range seen.Unknown {
		left = append(left, unread(u))
	}
	red := ""
	if len(found.Red) > 0 {
		red = "; " + names(found.Red) + " was red before already"
	}
	if !w.Kept && len(w.Regressions) > 0 {
		red += "; " + names(w.Regressions) + " failed first, and passed when run again"
	}
	switch {
	case len(left) > 0:
		return s.watchEnded(WatchedUnclear, "%s: %s%s", w.Commit.Short(), strings.Join(left, "; "), red)
	case found.Nothing():
		return s.watchEnded(WatchedNothing, "no check and no deployment was seen on %s", w.Commit.Short())
	}
	return s.watchEnded(WatchedClean, "%s on %s, and nothing that passed before failed%s", count(found.Passed, "check passed", "checks and deployments passed"), w.Commit.Short(), red)
}

// watchEnded decides with a code that ends the watch, and writes the final record.
func (s *step) watchEnded(code Code, why string, args ...any) bool {
	s.plan.Final = &journal.Final{Reason: string(code), Head: s.snap.Head, At: s.now}
	s.decide(code, why, args...)
	s.plan.Watch.End = s.plan.Why
	return true
}

// reverted enters what became of a revert.
func reverted(j journal.Journal, results []effect.Result) journal.Journal {
	for _, r := range results {
		e, ok := r.Effect.(effect.Revert)
		if !ok || j.Watch == nil {
			continue
		}
		w := *j.Watch
		switch r.Outcome {
		case effect.Done, effect.AlreadySo:
			w.Revert, w.Tries, w.Wanted, w.Failed = r.Number, e.Try, time.Time{}, 0
		case effect.Failed:
			if w.Tries = e.Try; r.Right == "" {
				w.Failed = e.Try
			}
		case effect.Stale, effect.Skipped:
		}
		j.Watch = &w
	}
	return j
}

// The commands that are heard once it is merged, while the watch goes on; a
// revert is heard after its end too.
var watchWords = []command.Word{command.Status, command.Pause, command.Resume, command.Stop, command.Revert}

// lateFor is the reply to a command on what is merged or closed; empty where it
// is weighed.
func (s *step) lateFor(c command.Command) string {
	merged := s.snap.State == pr.Merged
	switch {
	case c.Word == command.Revert && s.snap.State == pr.Open:
		return replyUnmerged
	case s.snap.State == pr.Open:
		return ""
	case c.Word == command.Revert && merged && s.acted() && s.begunBefore():
		return ""
	case slices.Contains(watchWords, c.Word) && c.Word != command.Revert && s.watches():
		return ""
	}
	return replyOver
}

func weighRevert(_ *step, _ command.Command, o *Obeyed) string {
	return doneUnless(slices.Contains([]Code{RolledBack, RevertOpened, RevertReceipt}, o.Stood))
}

// watchStop: a watch that waits for a person's word.
func watchStop(code Code) bool {
	return slices.Contains([]Code{RegressionSeen, RevertClosed, RevertFailed}, code)
}

// wantRevert enters that a person asked for the revert; keepMerge that one lets it
// go on as it is.
func wantRevert(j journal.Journal, now time.Time) journal.Journal {
	w := journal.Watch{}
	if j.Watch != nil {
		w = *j.Watch
	}
	w.Tries, w.Wanted, w.Kept = w.Tries+1, now, false
	j.Watch, j.Orders.Stopped = &w, nil
	return j
}

func keepMerge(j journal.Journal) journal.Journal {
	w := journal.Watch{}
	if j.Watch != nil {
		w = *j.Watch
	}
	w.Kept, w.Wanted = true, time.Time{}
	j.Watch = &w
	return j
}

// KnownRevert is the pull request that takes the merge back, as the journal has it;
// 0 where it is to be looked for.
func KnownRevert(in Input) int {
	if w := in.Journal.Watch; w != nil && w.Wanted.IsZero() {
		return w.Revert
	}
	return 0
}

// lookOn tells of a regression where a switch leaves the pull request out: the
// watch only reads, and nothing is done about it.
func (s *step) lookOn() {
	switch {
	case !s.watches() || s.snap.Missing(pr.FactMerging) != nil:
		return
	case s.snap.Watched == nil:
		s.plan.Needs = append(s.plan.Needs, pr.FactWatch)
		return
	}
	var noted []string
	if w := s.in.Journal.Watch; w != nil && !w.Kept {
		noted = w.Regressions
	}
	seen := s.snap.Watched
	if bad := stillBad(noted, facts.Watch(seen, s.in.Own, s.in.Settings), seen); len(bad) > 0 {
		s.plan.Why += "; " + evidence(bad, s.snap.MergeCommit, seen.Before)
	}
}

// AwaitsNew is why a quest is parked whose merge was taken back (design 3): the
// next pull request begins its next revision.
const AwaitsNew = "awaits_new_pull_request"

// overForGood are the codes with which a merge is over, and nothing took it back.
var overForGood = []Code{Merged, WatchedClean, WatchedNothing, WatchedUnclear}

// concludeWatch enters what the watch came to into the quest. It looks at where
// the quest stands, so that what was entered before is not entered again.
func (s *step) concludeWatch(code Code) {
	q, commit := &s.quest.Quest, string(s.snap.MergeCommit)
	regression := func() {
		if stands(q) == quest.Watching {
			s.enter(quest.Event{ID: "regression@" + commit, At: s.now, Type: quest.RegressionSeen, Reason: s.plan.Why})
		}
	}
	switch {
	case slices.Contains(overForGood, code) && stands(q) == quest.Watching && !q.WatchedClean:
		s.enter(quest.Event{ID: "watched@" + commit, At: s.now, Type: quest.WatchClean, Reason: string(code)})
	case code == RevertOpened, code == RolledBack:
		regression()
	case code == RevertClosed:
		regression()
		if id := fmt.Sprintf("closed@#%d", s.plan.Watch.Revert); stands(q) == quest.RolledBack && !q.Applied.Has(id) {
			s.enter(quest.Event{ID: id, At: s.now, Type: quest.RollbackReceipt, Reason: s.plan.Why})
		}
	case code == RevertReceipt && s.plan.Watch != nil:
		regression()
		if q.State == quest.Closed {
			// It was over, and a person took it back all the same: a regression of what
			// this quest was about (seed 002, "Regression").
			id := "merge@" + string(s.plan.Watch.Receipt)
			s.enter(quest.Event{ID: id, At: s.now, Type: quest.RegressionMatched, Signal: quest.Ref(id), Fingerprint: q.Fingerprint, Severity: q.Severity})
		}
		if stands(q) == quest.RolledBack {
			s.enter(quest.Event{ID: "merge@" + string(s.plan.Watch.Receipt), At: s.now, Type: quest.RollbackReceipt, Complete: true, Commit: string(s.plan.Watch.Receipt)})
		}
		if q.State.Active() {
			s.enter(quest.Event{ID: "awaits@" + string(s.plan.Watch.Receipt), At: s.now, Type: quest.Pause, Reason: AwaitsNew, Actor: "github"})
		}
	}
}

// receivedBack: the revert was merged, so that the merge is none that a quest is
// watching.
func receivedBack(j journal.Journal) bool { return j.Watch != nil && j.Watch.Receipt != "" }
