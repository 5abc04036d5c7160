package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

const (
	mergeCommit pr.SHA = "3c00000000000000000000000000000000000000"
	baseBefore  pr.SHA = "4d00000000000000000000000000000000000000"
)

// merged is the pull request merged an hour ago, and what stands on the merge
// commit; nil: nothing.
func merged(seen *pr.Watched) func(*Input) {
	return func(in *Input) {
		if seen == nil {
			seen = &pr.Watched{}
		}
		w := *seen
		w.Commit, w.Before = mergeCommit, baseBefore
		s := in.Snapshot
		s.State, s.MergedAt, s.MergeCommit, s.At, s.Watched = pr.Merged, opened.Add(time.Hour), mergeCommit, opened.Add(2*time.Hour), &w
	}
}

// after is how long after the merge it is.
func after(d time.Duration) func(*Input) {
	return func(in *Input) { in.Snapshot.At = in.Snapshot.MergedAt.Add(d) }
}

func status(name, state string) pr.Check {
	return pr.Check{Name: name, Status: true, State: state, WorkflowKnown: true}
}

func standsOn(then, now []pr.Check) *pr.Watched {
	return &pr.Watched{Then: pr.Standing{Checks: then}, Now: pr.Standing{Checks: now}}
}

func remembers(w journal.Watch) func(*Input) {
	return func(in *Input) { in.Journal.Watch = &w }
}

func final(code Code) func(*Input) {
	return func(in *Input) {
		in.Journal.Final = &journal.Final{Reason: string(code), Head: headA, At: opened.Add(90 * time.Minute)}
	}
}

// What a merge comes to (design 7), by what stands on it and what was said.
func TestWatched(t *testing.T) {
	pass, fails := []pr.Check{status("unit", "SUCCESS")}, []pr.Check{status("unit", "FAILURE")}
	regression := func() *pr.Watched { return standsOn(pass, fails) }
	reverts := func(in *Input) { in.Settings.Watch.OnRegression = config.RevertRegression }
	revert := func(r pr.Revert) func(*Input) {
		return func(in *Input) { in.Snapshot.Watched.Revert = &r }
	}
	lost := func(w *pr.Watched, f pr.Fact) *pr.Watched { w.Lose(f, "a page is missing", ""); return w }
	wanted := journal.Watch{Tries: 1, Wanted: opened.Add(100 * time.Minute)}
	type came struct {
		Code    Code
		Row     string
		Effects []effect.Key
		Final   string
		Revert  int
		Noted   []string // the regressions
	}
	unit := []string{"unit"}
	for _, c := range []struct {
		name string
		in   Input
		want came
	}{
		{"merged without prloop having acted", input(merged(regression())), came{Code: Merged, Row: "S5"}},
		{"prloop began after the merge", input(known, merged(regression()), func(in *Input) { in.Journal.StartedAt = in.Snapshot.MergedAt }), came{Code: Merged, Row: "S5", Final: "merged"}},
		{"minutes: 0", input(known, merged(regression()), func(in *Input) { in.Settings.Watch.For = 0 }), came{Code: Merged, Row: "S5", Final: "merged"}},
		{"a person stopped it", input(known, merged(regression()), func(in *Input) { in.Journal.Orders.Stopped = &journal.Sight{Head: headA, At: opened} }), came{Code: Merged, Row: "S5", Final: "merged"}},
		{"prloop left", input(known, merged(regression()), func(in *Input) { in.Record.Left = opened.Add(time.Hour) }), came{Code: Merged, Row: "S5", Final: "merged"}},
		{"it ended as merged before there was a watch", input(known, merged(regression()), final(Merged)), came{Code: Merged, Row: "S5"}},
		{"it is not known when and as what it was merged", input(known, merged(regression()), unknown(pr.FactMerging, "contents: read")), came{Code: MissingRight, Row: "S4c"}},

		{"within its time", input(known, merged(standsOn(pass, pass)), after(10*time.Minute)), came{Code: Watching, Row: "S4c"}},
		{"within its time, and nothing was seen", input(known, merged(nil), after(10*time.Minute)), came{Code: Watching, Row: "S4c"}},
		{"a regression within its time", input(known, merged(regression()), after(10*time.Minute)), came{Code: RegressionSeen, Row: "S4c", Noted: unit}},
		{"a regression that a late run sees", input(known, merged(regression()), after(5*time.Hour)), came{Code: RegressionSeen, Row: "S4c", Noted: unit}},
		{"clean", input(known, merged(standsOn(pass, pass))), came{Code: WatchedClean, Row: "S4c", Final: "watched_clean"}},
		{"red before is no regression", input(known, merged(standsOn(fails, fails))), came{Code: WatchedClean, Row: "S4c", Final: "watched_clean"}},
		{"nothing at all", input(known, merged(nil)), came{Code: WatchedNothing, Row: "S4c", Final: "watched_nothing"}},
		{"the switch: it is read and told, and nothing is done", input(known, merged(regression()), reverts, func(in *Input) { in.Paused = true }), came{Code: Paused, Row: "S2"}},
		{"red, and there was nothing before", input(known, merged(standsOn(nil, fails))), came{Code: WatchedUnclear, Row: "S4c", Final: "watched_unclear"}},
		{"it runs when the time is over", input(known, merged(standsOn(pass, []pr.Check{status("unit", "PENDING")})), after(31*time.Minute)), came{Code: Watching, Row: "S4c"}},
		{"it runs when as long again is over", input(known, merged(standsOn(pass, []pr.Check{status("unit", "PENDING")}))), came{Code: WatchedUnclear, Row: "S4c", Final: "watched_unclear"}},
		{"unread when the time is over", input(known, merged(lost(standsOn(pass, pass), pr.FactDeployments)), after(31*time.Minute)), came{Code: Watching, Row: "S4c"}},
		{"unread when as long again is over: never clean", input(known, merged(lost(standsOn(pass, pass), pr.FactDeployments))), came{Code: WatchedUnclear, Row: "S4c", Final: "watched_unclear"}},
		{"nothing seen, and unread: not nothing", input(known, merged(lost(standsOn(nil, nil), pr.FactChecksNow))), came{Code: WatchedUnclear, Row: "S4c", Final: "watched_unclear"}},

		{"it fails no more, run again", input(known, merged(standsOn(pass, pass)), remembers(journal.Watch{Regressions: unit})), came{Code: WatchedClean, Row: "S4c", Final: "watched_clean", Noted: unit}},
		{"it runs again", input(known, merged(standsOn(pass, []pr.Check{status("unit", "PENDING")})), remembers(journal.Watch{Regressions: unit})), came{Code: RegressionSeen, Row: "S4c", Noted: unit}},
		{"it cannot be read any more", input(known, merged(lost(standsOn(nil, nil), pr.FactChecksNow)), remembers(journal.Watch{Regressions: unit})), came{Code: RegressionSeen, Row: "S4c", Noted: unit}},
		{"a person lets it go on", input(known, merged(regression()), after(10*time.Minute), remembers(journal.Watch{Regressions: unit, Kept: true})), came{Code: Watching, Row: "S4c", Noted: unit}},
		{"a person lets it go on, with onRegression: revert", input(known, merged(regression()), after(10*time.Minute), reverts, remembers(journal.Watch{Regressions: unit, Kept: true})), came{Code: Watching, Row: "S4c", Noted: unit}},
		{"a person let it go on, and the time is over: not clean", input(known, merged(regression()), remembers(journal.Watch{Regressions: unit, Kept: true})), came{Code: WatchedUnclear, Row: "S4c", Final: "watched_unclear", Noted: unit}},

		{"onRegression: revert", input(known, merged(regression()), reverts), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#1"}, Noted: unit}},
		{"onRegression: revert, and it is paused", input(known, merged(regression()), reverts, func(in *Input) { in.Journal.Orders.Paused = opened }), came{Code: RegressionSeen, Row: "S4c", Noted: unit}},
		{"a person asked for it", input(known, merged(regression()), remembers(wanted)), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#1"}, Noted: unit}},
		{"a person asked for it, although it is paused", input(known, merged(nil), remembers(wanted), func(in *Input) { in.Journal.Orders.Paused = opened }), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#1"}}},
		{"a person asked for it after the end", input(known, merged(standsOn(pass, pass)), remembers(wanted), final(WatchedClean)), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#1"}}},
		{"a person asked for it, and nothing is watched", input(known, merged(nil), remembers(wanted), func(in *Input) { in.Settings.Watch.For = 0 }), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#1"}}},
		{"the token may not", input(known, merged(regression()), reverts, func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: "revert:3c00000#1", Right: "contents: write", Via: facts.ViaUser}}
		}), came{Code: RevertFailed, Row: "S4c", Noted: unit}},
		{"GitHub refused it", input(known, merged(regression()), reverts, remembers(journal.Watch{Failed: 1})), came{Code: RevertFailed, Row: "S4c", Noted: unit}},
		{"a person asked again after GitHub refused it", input(known, merged(regression()), remembers(journal.Watch{Failed: 1, Tries: 2, Wanted: opened})), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#2"}, Noted: unit}},

		{"the revert is open", input(known, merged(regression()), reverts, revert(pr.Revert{Number: 21, State: pr.Open, Ours: true})), came{Code: RolledBack, Row: "S4c", Revert: 21, Noted: unit}},
		{"somebody opened it by hand", input(known, merged(regression()), revert(pr.Revert{Number: 21, State: pr.Open})), came{Code: RolledBack, Row: "S4c", Revert: 21, Noted: unit}},
		{"it is merged", input(known, merged(regression()), revert(pr.Revert{Number: 21, State: pr.Merged, Commit: headB})), came{Code: RevertReceipt, Row: "S4c", Revert: 21, Final: "rollback_receipt", Noted: unit}},
		{"ours was closed", input(known, merged(regression()), reverts, revert(pr.Revert{Number: 21, State: pr.Closed, Ours: true})), came{Code: RevertClosed, Row: "S4c", Revert: 21, Noted: unit}},
		{"ours was closed, and a person lets it go on", input(known, merged(regression()), reverts, revert(pr.Revert{Number: 21, State: pr.Closed, Ours: true}), remembers(journal.Watch{Kept: true, Revert: 21})), came{Code: WatchedUnclear, Row: "S4c", Revert: 21, Final: "watched_unclear", Noted: unit}},
		{"ours was closed, and a person wants another", input(known, merged(regression()), revert(pr.Revert{Number: 21, State: pr.Closed, Ours: true}), remembers(journal.Watch{Revert: 21, Tries: 2, Wanted: opened})), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#2"}, Revert: 21, Noted: unit}},
		{"one by hand was closed: that decides nothing", input(known, merged(regression()), reverts, revert(pr.Revert{Number: 21, State: pr.Closed})), came{Code: RevertOpened, Row: "S4c", Effects: []effect.Key{"revert:3c00000#1"}, Noted: unit}},
		{"the revert that is known cannot be read", input(known, merged(lost(regression(), pr.FactReverts)), reverts, remembers(journal.Watch{Revert: 21})), came{Code: FactUnknown, Row: "S4c", Revert: 21, Noted: unit}},

		{"a later event after the end", input(known, merged(regression()), final(WatchedClean)), came{Code: WatchedClean, Row: "S4c"}},
		{"a later event after the receipt", input(known, merged(regression()), final(RevertReceipt), remembers(journal.Watch{Revert: 21, Receipt: headB})), came{Code: RevertReceipt, Row: "S4c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Decide(c.in)
			got := came{Code: p.Code, Row: p.Row}
			for _, e := range p.Effects {
				if _, ok := e.(effect.Comment); !ok {
					got.Effects = append(got.Effects, e.Key())
				}
			}
			if p.Final != nil {
				got.Final = p.Final.Reason
			}
			if p.Watch != nil {
				got.Revert, got.Noted = p.Watch.Revert, p.Watch.Regressions
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", p.Why, diff)
			}
		})
	}
}

// A watch asks for one further fact, and only where it needs it.
func TestWatchedReadsOnNeed(t *testing.T) {
	in := input(known, merged(nil))
	in.Snapshot.Watched = nil
	if p := Decide(in); !slices.Equal(p.Needs, []pr.Fact{pr.FactWatch}) {
		t.Errorf("it asks for %v", p.Needs)
	}
	in.Journal.Final = &journal.Final{Reason: string(WatchedClean)}
	if p := Decide(in); len(p.Needs) > 0 {
		t.Errorf("after its end it asks for %v", p.Needs)
	}
}

// The switches hold everything, and still a regression is told in the run.
func TestWatchedWhileSwitchedOff(t *testing.T) {
	seen := standsOn([]pr.Check{status("unit", "SUCCESS")}, []pr.Check{status("unit", "FAILURE")})
	for _, off := range []func(*Input){
		func(in *Input) { in.Paused = true },
		func(in *Input) { in.Snapshot.Labels = []string{config.LabelSkip} },
	} {
		p := Decide(input(known, merged(seen), off))
		if p.Decision != Skip || p.Acts() || p.Watch != nil || !strings.Contains(p.Why, `"unit" fails at the merge commit 3c00000`) {
			t.Errorf("%s (%s)", p.Code, p.Why)
		}
		unread := input(known, merged(seen), off)
		unread.Snapshot.Watched = nil
		if p := Decide(unread); !slices.Equal(p.Needs, []pr.Fact{pr.FactWatch}) {
			t.Errorf("it asks for %v", p.Needs)
		}
	}
}

// What a revert came to is noted, and the step after it waits for the receipt.
func TestRevertIsNoted(t *testing.T) {
	in := input(known, merged(standsOn([]pr.Check{status("unit", "SUCCESS")}, []pr.Check{status("unit", "FAILURE")})), func(in *Input) {
		in.Settings.Watch.OnRegression = config.RevertRegression
	})
	p := Decide(in)
	for _, c := range []struct {
		result effect.Result
		next   Code
		want   journal.Watch
	}{
		{effect.Result{Outcome: effect.Done, Number: 21}, RolledBack, journal.Watch{Tries: 1, Revert: 21}},
		{effect.Result{Outcome: effect.AlreadySo, Number: 21}, RolledBack, journal.Watch{Tries: 1, Revert: 21}},
		{effect.Result{Outcome: effect.Failed}, RevertFailed, journal.Watch{Tries: 1, Failed: 1}},
		{effect.Result{Outcome: effect.Failed, Right: "contents: write"}, RevertFailed, journal.Watch{Tries: 1}},
	} {
		c.result.Effect = p.Effects[0]
		c.want.Commit, c.want.Since, c.want.Until, c.want.Regressions = mergeCommit, in.Snapshot.MergedAt, in.Snapshot.MergedAt.Add(30*time.Minute), []string{"unit"}
		j := Settle(in.Journal, in, p, []effect.Result{c.result}, in.Snapshot.At)
		if diff := cmp.Diff(&c.want, j.Watch); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.result.Outcome, diff)
		}
		if next := Decide(After(in, j, []effect.Result{c.result})); next.Code != c.next {
			t.Errorf("%s: then %s (%s), want %s", c.result.Outcome, next.Code, next.Why, c.next)
		}
	}
}

// What a sweep steps of what ended.
func TestDueEnded(t *testing.T) {
	now := opened.Add(48 * time.Hour)
	repo := pr.Repo{Owner: "octo", Name: "demo"}
	carries := func(n int, j journal.Journal, at time.Time) pr.Comment {
		j.PR = n
		body, err := journal.Encode("Words.", j, nil)
		if err != nil {
			t.Fatal(err)
		}
		return pr.Comment{DatabaseID: int64(n), Mine: true, Body: body, CreatedAt: at, UpdatedAt: at}
	}
	at := now.Add(-time.Hour)
	over := journal.Journal{Rev: 1, StartedAt: opened, Final: &journal.Final{Reason: "watched_clean", At: at}}
	goes := journal.Journal{Rev: 1, StartedAt: opened}
	ended := func(n int, j *journal.Journal, updated time.Time) pr.Listed {
		l := pr.Listed{Number: n, State: pr.Merged, HeadRef: "branch", HeadRepo: "octo/demo", UpdatedAt: updated}
		if j != nil {
			l.Comments, l.CommentCount = []pr.Comment{carries(n, *j, at)}, 1
		}
		return l
	}
	with := func(l pr.Listed, f func(*pr.Listed)) pr.Listed { f(&l); return l }
	died, asked, opened := over, over, over
	died.Pending = []journal.Entry{{Key: "revert:3c00000#1", At: at}}
	asked.Watch = &journal.Watch{Tries: 1, Wanted: at}
	opened.Watch = &journal.Watch{Tries: 1, Revert: 21}
	got := DueEnded([]pr.Listed{
		with(ended(13, &over, at), func(l *pr.Listed) { l.Comments[0].Locked = true }), // by a run that died
		ended(14, &died, at), ended(15, &asked, at), ended(16, &opened, at),
		with(ended(17, &over, at), func(l *pr.Listed) {
			l.Comments = append(l.Comments, pr.Comment{DatabaseID: 99, Author: pr.Actor{Login: "mona"}, Body: "/prloop revert", CreatedAt: at})
		}),
		ended(1, nil, at),
		ended(2, &goes, at),
		ended(3, &over, at),
		ended(4, &over, at.Add(time.Minute)),
		ended(5, &goes, now.Add(-25*time.Hour)),
		with(ended(6, nil, at), func(l *pr.Listed) { l.CommentCount = 31 }),
		with(ended(7, nil, at), func(l *pr.Listed) { l.Unknown = []pr.Unknown{{Fact: pr.FactComments}} }),
		with(ended(20, nil, at), func(l *pr.Listed) { l.HeadRef = "revert-10-branch" }),
		with(ended(21, nil, at), func(l *pr.Listed) { l.HeadRef = "revert-3-branch" }),                           // over already
		with(ended(22, nil, at), func(l *pr.Listed) { l.HeadRef, l.HeadRepo = "revert-11-branch", "mona/demo" }), // a fork's
		with(ended(23, nil, now.Add(-25*time.Hour)), func(l *pr.Listed) { l.HeadRef = "revert-12-branch" }),      // long ago
		with(ended(24, nil, at), func(l *pr.Listed) { l.HeadRef = "revert-99999999999-x" }),                      // no number
		with(ended(25, nil, at), func(l *pr.Listed) { l.HeadRef = "feature-revert-13-x" }),                       // no such branch
	}, repo, nil, now)
	if diff := cmp.Diff([]int{2, 4, 6, 7, 10, 13, 14, 15, 16, 17}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The watch in quest words (design 3), each step over the quest of the one before.
func TestWatchInQuestWords(t *testing.T) {
	pass, fails := []pr.Check{status("unit", "SUCCESS")}, []pr.Check{status("unit", "FAILURE")}
	bad := standsOn(pass, fails)
	back := func(state pr.State) *pr.Watched {
		w := *bad
		w.Revert = &pr.Revert{Number: 21, State: state, Ours: true}
		if state == pr.Merged {
			w.Revert.Commit = headB
		}
		return &w
	}
	soon := after(time.Minute)
	reverts := func(in *Input) { in.Settings.Watch.OnRegression = config.RevertRegression }
	type step struct {
		seen *pr.Watched
		edit func(*Input)
		want string // code: state, revision
	}
	nothing := func(*Input) {}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"clean", []step{
			{standsOn(pass, nil), soon, "watching: watching 1"}, {standsOn(pass, pass), nothing, "watched_clean: closed 1"}, {standsOn(pass, pass), nothing, "watched_clean: closed 1"},
		}},
		{"nothing is watched", []step{{nil, func(in *Input) { in.Settings.Watch.For = 0 }, "merged: closed 1"}}},
		{"told, and kept", []step{
			{bad, soon, "regression_seen: parked regression_seen from watching 1"},
			{bad, soon, "regression_seen: parked regression_seen from watching 1"},
			{bad, func(in *Input) { soon(in); in.Journal = keepMerge(in.Journal) }, "watching: watching 1"},
			{bad, nothing, "watched_unclear: closed 1"},
		}},
		{"told, reverted at a person's word, and received", []step{
			{bad, soon, "regression_seen: parked regression_seen from watching 1"},
			{bad, func(in *Input) { in.Journal = wantRevert(in.Journal, opened) }, "revert_opened: rolled_back 1"},
			{back(pr.Open), nothing, "rolled_back: rolled_back 1"},
			{back(pr.Merged), nothing, "rollback_receipt: parked awaits_new_pull_request from researching 2"},
			{back(pr.Merged), nothing, "rollback_receipt: parked awaits_new_pull_request from researching 2"},
		}},
		{"reverted, closed, reverted again", []step{
			{bad, reverts, "revert_opened: rolled_back 1"},
			{back(pr.Closed), reverts, "revert_closed: parked revert_closed from rolled_back 1"},
			{back(pr.Closed), func(in *Input) { in.Journal = wantRevert(in.Journal, opened) }, "revert_opened: rolled_back 1"},
			{back(pr.Merged), nothing, "rollback_receipt: parked awaits_new_pull_request from researching 2"},
		}},
		{"over, and taken back all the same: a regression reopens it", []step{
			{standsOn(pass, pass), nothing, "watched_clean: closed 1"},
			{standsOn(pass, pass), func(in *Input) { in.Journal = wantRevert(in.Journal, opened) }, "revert_opened: closed 1"},
			{back(pr.Merged), nothing, "rollback_receipt: parked awaits_new_pull_request from researching 2"},
			{back(pr.Merged), nothing, "rollback_receipt: parked awaits_new_pull_request from researching 2"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := input(known).Journal
			for i, st := range c.steps {
				in := input(known, merged(st.seen), func(in *Input) { in.Journal = j }, st.edit)
				p := Decide(in)
				q := p.Quest.Quest
				got := fmt.Sprintf("%s: %s", p.Code, q.State)
				if q.ParkReason != "" {
					got += fmt.Sprintf(" %s from %s", q.ParkReason, q.ReturnTo)
				}
				if got += fmt.Sprint(" ", q.Rev); got != st.want {
					t.Errorf("step %d: %s, want %s", i+1, got, st.want)
				}
				if len(p.Quest.Refused) > 0 {
					t.Errorf("step %d: %v", i+1, p.Quest.Refused)
				}
				j = Settle(in.Journal, in, p, nil, in.Snapshot.At)
			}
		})
	}
}
