package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// mergeable is a pull request that has converged and that prloop merges.
func mergeable(in *Input) {
	known(in)
	edit(reviewed)(in)
	in.Settings.AutoMerge = config.AutoMerge{Enabled: true, AllowedTargetBranches: []string{"main"}, MergeMethod: config.Squash}
	in.Snapshot.ChangedFiles = 2
	in.Snapshot.Merges = pr.Merges{Auto: true, Methods: []pr.MergeMethod{pr.Squash}}
	in.Journal.Heads = []journal.Sight{{Head: headA, At: opened}}
}

// landing is a mergeable one whose merge was asked for five minutes ago.
func landing(came effect.MergeResult) func(*Input) {
	return func(in *Input) {
		mergeable(in)
		in.Journal.Landing = &journal.Landing{Head: headA, At: opened.Add(5 * time.Minute), Try: 1, Came: came, Mark: "CLEAN"}
		if came == effect.MergeArmed {
			in.Snapshot.AutoMerge = &pr.AutoMerge{At: opened.Add(5 * time.Minute), By: pr.Actor{Login: "octocat"}}
		}
	}
}

func disarmed(in *Input) { in.Snapshot.AutoMerge = nil }

func says2(by string, state pr.ReviewState, at pr.SHA, trusted bool) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Reviews = append(s.Reviews, pr.Review{ID: by, Author: pr.Actor{Login: pr.Login(by)}, State: state, Commit: at, Trusted: trusted, SubmittedAt: opened.Add(9 * time.Minute)})
	})
}

// Each gate closed alone, by each way to close it, has its own reason code; all
// open is the merge.
func TestEachGateAlone(t *testing.T) {
	t.Parallel()
	stranger := edit(func(s *pr.Snapshot) {
		s.Threads = []pr.Thread{{ID: "T", Path: "a.go", Comments: []pr.ThreadComment{{ID: "1", Author: pr.Actor{Login: "stranger"}, Body: "Hm?", CreatedAt: opened}}}}
	})
	off := func(in *Input) { in.Settings.AutoMerge.Enabled = false }
	approved := says2("hubot", pr.Approved, headA, true)
	byCommand := func(in *Input) {
		in.Journal.Orders.Landing = &journal.Consent{Head: headA, At: opened, By: "hubot", Comment: 5}
	}
	single := func(in *Input) {
		in.Settings.SingleIteration, in.Snapshot.Reviews = config.SingleOn, nil
	}
	gate := func(label string) func(*Input) {
		return func(in *Input) {
			in.Settings.InternalTooling.Label = label
			in.Snapshot.Labels = []string{label}
		}
	}
	tests := []struct {
		gate, says string
		in         Input
		want       Code
	}{
		{"", "all are open", input(mergeable), Merging},
		{"1", "no opt-in", input(mergeable, off), Converged},
		{"1", "no opt-in, and a person approves", input(mergeable, off, approved), ApprovedByHand},
		{"1", "no opt-in, and a person approves by a command", input(mergeable, off, byCommand), ApprovedByHand},
		{"1", "humanMergeOnly", input(mergeable, func(in *Input) { in.Settings.HumanMergeOnly = true }), MergeClosed},
		{"1", "humanMergeOnly, and a person approves", input(mergeable, approved, func(in *Input) { in.Settings.HumanMergeOnly = true }), ApprovedByHand},
		{"1", "automerge off", input(mergeable, func(in *Input) { in.Journal.Orders.ByHand = opened }), MergeClosed},
		{"2", "paused", input(mergeable, func(in *Input) { in.Journal.Orders.Paused = opened }), ReadyPaused},
		{"3", "a base that is not allowed", input(mergeable, edit(func(s *pr.Snapshot) { s.Base.Name = "next" })), BaseNotAllowed},
		{"3", "a base that is allowed and on the block list", input(mergeable, func(in *Input) { in.Settings.AutoMerge.NeverMergeToBranches = []string{"ma*"} }), BaseNotAllowed},
		{"4", "a draft", input(mergeable, edit(func(s *pr.Snapshot) { s.Draft = true })), ReadyDraft},
		{"5", "a red check that convergence does not ask for", input(mergeable, check("FAILURE"), func(in *Input) { in.Settings.RequireCI = false }), MergeChecks},
		{"5", "a check that runs", input(mergeable, check(""), func(in *Input) { in.Settings.RequireCI = false }), WaitingForCI},
		{"5", "no check", input(mergeable, edit(func(s *pr.Snapshot) { s.Checks = nil }), func(in *Input) { in.Settings.RequireCI = false }), MergeWithoutChecks},
		{"", "no check, and that is configured", input(mergeable, edit(func(s *pr.Snapshot) { s.Checks = nil }), func(in *Input) { in.Settings.RequireCI, in.Settings.AutoMerge.WithoutChecks = false, true }), Merging},
		{"5", "checks that could not be read", input(mergeable, unknown(pr.FactChecks, "checks: read"), func(in *Input) { in.Settings.RequireCI = false }), MissingRight},
		{"6", "armed by somebody", input(mergeable, edit(func(s *pr.Snapshot) { s.AutoMerge = &pr.AutoMerge{By: pr.Actor{Login: "hubot"}} })), WaitingForMerge},
		{"6", "queued by somebody", input(mergeable, edit(func(s *pr.Snapshot) { s.Queue = &pr.QueueEntry{} })), WaitingForMerge},
		{"6", "whether it is armed is not known", input(mergeable, unknown(pr.FactMerging, "")), FactUnknown},
		{"7", "the direct gate", input(mergeable, gate("tooling")), ApprovalNeeded},
		{"", "the direct gate, and a person approves", input(mergeable, gate("tooling"), approved), Merging},
		{"7", "nobody reviewed", input(mergeable, single), ApprovalNeeded},
		{"", "nobody reviewed, and a person approves by a command", input(mergeable, single, byCommand), Merging},
		{"7", "a fork's head", input(mergeable, edit(func(s *pr.Snapshot) { s.HeadRepo, s.Labels = "stranger/demo", []string{config.LabelEnrol} })), ApprovalNeeded},
		{"7", "an approval of an older head is none", input(mergeable, gate("tooling"), says2("hubot", pr.Approved, headB, true)), ApprovalNeeded},
		{"7", "nor is one by somebody who may not write", input(mergeable, gate("tooling"), says2("stranger", pr.Approved, headA, false)), ApprovalNeeded},
		{"7", "nor is its author's own", input(mergeable, gate("tooling"), says2("mona", pr.Approved, headA, true)), ApprovalNeeded},
		{"7", "nor is a bot's", input(mergeable, gate("tooling"), edit(func(s *pr.Snapshot) {
			s.Reviews = append(s.Reviews, pr.Review{ID: "b", Author: copilotActor, State: pr.Approved, Commit: headA, Trusted: true, SubmittedAt: opened.Add(9 * time.Minute)})
		})), ApprovalNeeded},
		{"7", "one that was taken back", input(mergeable, gate("tooling"), approved, says2("hubot", pr.Dismissed, headA, true)), ApprovalNeeded},
		{"7a", "checkpoint C is blocking", input(mergeable, modes("advisory", "advisory", config.CheckpointBlocking)), ApprovalNeeded},
		{"7a", "checkpoint C is in shadow mode", input(mergeable, approved, modes("advisory", "advisory", config.CheckpointShadow)), CheckpointShadow},
		{"", "checkpoint C is blocking, and a person approves", input(mergeable, approved, modes("advisory", "advisory", config.CheckpointBlocking)), Merging},
		{"8", "a person asks for changes", input(mergeable, says2("stranger", pr.ChangesRequested, headB, false)), ChangesRequested},
		{"8", "a person approves, another asks for changes", input(mergeable, approved, says2("octavia", pr.ChangesRequested, headA, true)), ChangesRequested},
		{"", "a person asked for changes and approves now", input(mergeable, says2("hubot", pr.ChangesRequested, headB, true), approved), Merging},
		{"9", "a stranger's thread", input(mergeable, stranger), ThreadsOpen},
		{"9", "a stranger's thread is none of the people's", input(mergeable, stranger, func(in *Input) { in.Settings.Ignore = true }), ThreadsOpen},
		{"10", "the direct gate with a review under way", input(mergeable, gate("tooling"), approved, edit(func(s *pr.Snapshot) {
			s.Reviews = s.Reviews[len(s.Reviews)-1:]
			requested(s)
		})), WaitingForReview},
		{"11", "it changes nothing", input(mergeable, edit(func(s *pr.Snapshot) { s.ChangedFiles = 0 })), NothingToMerge},
		{"12", "a rule refused it", input(landing(effect.RulesRefuse)), MergeBlocked},
		{"12", "GitHub did not say why", input(landing(effect.Unmergeable)), LandRefused},
		{"12", "it was dirty", input(landing(effect.DirtyStatus)), MergeConflicts},
		{"12", "it was behind", input(landing(effect.BehindBase)), MergeBehind},
		{"", "a rule refused it, and GitHub shows something else now", input(landing(effect.RulesRefuse), edit(func(s *pr.Snapshot) { s.MergeState = "UNSTABLE" })), Merging},
		{"", "it was unstable, and nothing runs any more", input(landing(effect.UnstableStatus)), Merging},
		{"13", "GitHub does not know yet", input(mergeable, edit(func(s *pr.Snapshot) { s.MergeState = "UNKNOWN" })), MergeStateUnknown},
		{"13", "conflicts", input(mergeable, edit(func(s *pr.Snapshot) { s.MergeState = "DIRTY" })), MergeConflicts},
		{"13", "behind", input(mergeable, edit(func(s *pr.Snapshot) { s.MergeState = "BEHIND" })), MergeBehind},
		{"13", "behind, and updates are on", input(mergeable, edit(func(s *pr.Snapshot) { s.MergeState = "BEHIND" }), func(in *Input) { in.Settings.AutoMerge.UpdateBranch = true }), BranchUpdated},
		{"13", "a method that is not allowed", input(mergeable, func(in *Input) { in.Settings.AutoMerge.MergeMethod = config.Rebase }), MergeBlocked},
		{"", "a queue has a method of its own", input(mergeable, func(in *Input) { in.Settings.AutoMerge.MergeMethod, in.Snapshot.HasQueue = config.Rebase, true }), Merging},
		{"", "blocked is what auto-merge is for", input(mergeable, edit(func(s *pr.Snapshot) { s.MergeState = "BLOCKED" })), Merging},
	}
	closed := map[string]bool{}
	for _, tt := range tests {
		p := Decide(tt.in)
		if p.Code != tt.want || p.Why == "" {
			t.Errorf("gate %s, %s: Decide = %s by %s (%s), want %s", tt.gate, tt.says, p.Code, p.Row, p.Why, tt.want)
		}
		merges := 0
		for _, e := range p.Effects {
			if m, ok := e.(effect.Merge); ok {
				merges++
				if m.Head != headA || m.Method == "" || m.Way == "" {
					t.Errorf("%s: %+v", tt.says, m)
				}
			}
		}
		if (merges == 1) != (tt.want == Merging) || merges > 1 {
			t.Errorf("gate %s, %s: %d merges", tt.gate, tt.says, merges)
		}
		closed[tt.gate] = true
	}
	for _, g := range Gates() {
		if !closed[g[0]] {
			t.Errorf("nothing closes gate %s (%s) alone", g[0], g[1])
		}
	}
}

// Of two gates that are closed the upper one speaks.
func TestTheFirstClosedGateSpeaks(t *testing.T) {
	t.Parallel()
	closers := []struct {
		gate  string
		close func(*Input)
		code  Code
	}{
		{"1", func(in *Input) { in.Settings.AutoMerge.Enabled = false }, Converged},
		{"3", func(in *Input) { in.Settings.AutoMerge.AllowedTargetBranches = nil }, BaseNotAllowed},
		{"5", func(in *Input) { check("FAILURE")(in); in.Settings.RequireCI = false }, MergeChecks},
		{"6", edit(func(s *pr.Snapshot) { s.Queue = &pr.QueueEntry{} }), WaitingForMerge},
		{"8", says2("hubot", pr.ChangesRequested, headA, true), ChangesRequested},
		{"9", edit(func(s *pr.Snapshot) {
			s.Threads = []pr.Thread{{ID: "T", Path: "a.go", Comments: []pr.ThreadComment{{ID: "1", Author: pr.Actor{Login: "stranger"}, Body: "Hm?", CreatedAt: opened}}}}
		}), ThreadsOpen},
		{"11", edit(func(s *pr.Snapshot) { s.ChangedFiles = 0 }), NothingToMerge},
		{"13", edit(func(s *pr.Snapshot) { s.MergeState = "DIRTY" }), MergeConflicts},
	}
	for i, upper := range closers {
		for _, lower := range closers[i+1:] {
			if p := Decide(input(mergeable, lower.close, upper.close)); p.Code != upper.code {
				t.Errorf("gates %s and %s: %s (%s), want %s", upper.gate, lower.gate, p.Code, p.Why, upper.code)
			}
		}
	}
}

// How the merge is asked for first, and that what was only meant is the same wish.
func TestTheMergeThatIsWished(t *testing.T) {
	t.Parallel()
	wish := func(in Input) effect.Merge {
		for _, e := range Decide(in).Effects {
			if m, ok := e.(effect.Merge); ok {
				return m
			}
		}
		return effect.Merge{}
	}
	base := effect.Merge{Head: headA, Base: "main", Method: pr.Squash, Way: effect.Armed, Settled: true, Try: 1}
	with := func(f func(*effect.Merge)) effect.Merge { m := base; f(&m); return m }
	for says, tt := range map[string]struct {
		in   Input
		want effect.Merge
	}{
		"auto-merge is tried":                   {input(mergeable), base},
		"where it is off, the merge is made":    {input(mergeable, edit(func(s *pr.Snapshot) { s.Merges.Auto = false })), with(func(m *effect.Merge) { m.Way = effect.Direct })},
		"a base with a queue":                   {input(mergeable, edit(func(s *pr.Snapshot) { s.HasQueue = true })), with(func(m *effect.Merge) { m.Way = effect.Queued })},
		"a run that died before it":             {input(landing("")), base},
		"a refusal that no longer holds counts": {input(landing(effect.UnstableStatus)), with(func(m *effect.Merge) { m.Try = 2 })},
		"another check runs, which is not waited": {input(mergeable, edit(func(s *pr.Snapshot) {
			s.Checks = append(s.Checks, pr.Check{Name: "slow", State: "IN_PROGRESS", WorkflowKnown: true})
			s.Checks[0].Required = true
		})), with(func(m *effect.Merge) { m.Settled = false })},
	} {
		if diff := cmp.Diff(tt.want, wish(tt.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", says, diff)
		}
	}
}

// The merge is what delivers the quest's effect land.
func TestTheMergeHasTheQuestsKey(t *testing.T) {
	t.Parallel()
	p := Decide(input(mergeable))
	for _, e := range p.Effects {
		if _, ok := e.(effect.Merge); ok && !strings.Contains(p.Causes[e.Key()], ":land:") {
			t.Errorf("%s is caused by %q", e, p.Causes[e.Key()])
		}
	}
}

// What is armed is taken back for each reason, before anything else is done; what
// somebody else armed never is.
func TestWhatIsArmedIsLetGo(t *testing.T) {
	t.Parallel()
	disarms := func(p Plan) bool {
		return len(p.Effects) > 0 && p.Effects[0].Type() == effect.DisarmMerge{}.Type()
	}
	armed := landing(effect.MergeArmed)
	keep := func(in *Input) { in.Settings.KeepQueue = true }
	paused := func(in *Input) { in.Journal.Orders.Paused = opened }
	moved := edit(func(s *pr.Snapshot) { s.Head = headC })
	for says, tt := range map[string]struct {
		in   Input
		want bool
		code Code
	}{
		"nothing is wrong":                  {input(armed), false, WaitingForMerge},
		"the switch":                        {input(armed, func(in *Input) { in.Paused = true }), true, MergeDisarmed},
		"the switch, and the queue is kept": {input(armed, keep, func(in *Input) { in.Paused = true }), false, Paused},
		"the label":                         {input(armed, edit(func(s *pr.Snapshot) { s.Labels = []string{config.LabelSkip} })), true, MergeDisarmed},
		"a pause":                           {input(armed, paused), true, ReadyPaused},
		"a pause, and the queue is kept":    {input(armed, paused, keep), false, WaitingForMerge},
		"a stop":                            {input(armed, keep, func(in *Input) { in.Journal.Orders.Stopped = &journal.Sight{Head: headA, At: opened} }), true, StoppedByCommand},
		"leave":                             {input(armed, keep, func(in *Input) { in.Leaving = true }), true, Left},
		"a push":                            {input(armed, keep, moved), true, ReviewRequested},
		"automerge off":                     {input(armed, func(in *Input) { in.Journal.Orders.ByHand = opened }), true, MergeClosed},
		"the opt-in is taken back":          {input(armed, func(in *Input) { in.Settings.AutoMerge.Enabled = false }), true, Converged},
		"another base":                      {input(armed, edit(func(s *pr.Snapshot) { s.Base.Name = "next" })), true, BaseNotAllowed},
		"it is a draft":                     {input(armed, edit(func(s *pr.Snapshot) { s.Draft = true })), true, ReadyDraft},
		"a person asks for changes":         {input(armed, says2("hubot", pr.ChangesRequested, headA, true)), true, ChangesRequested},
		"a person armed it":                 {input(mergeable, paused, edit(func(s *pr.Snapshot) { s.AutoMerge = &pr.AutoMerge{By: pr.Actor{Login: "hubot"}} })), false, ReadyPaused},
		"a push to what a person armed":     {input(mergeable, moved, edit(func(s *pr.Snapshot) { s.AutoMerge = &pr.AutoMerge{By: pr.Actor{Login: "hubot"}} })), false, ReviewRequested},
		"our own account's, by a lost journal": {input(mergeable, edit(func(s *pr.Snapshot) {
			s.Viewer = pr.Actor{Login: "github-actions"}
			s.AutoMerge = &pr.AutoMerge{By: s.Viewer}
		})), true, Merging},
		"whether it is armed is not known": {input(armed, paused, disarmed, unknown(pr.FactMerging, "")), true, ReadyPaused},
		"a run that died after it armed":   {input(armed, paused, func(in *Input) { in.Journal.Landing.Came = "" }), true, ReadyPaused},
		"another run acts":                 {input(armed, paused, func(in *Input) { in.Journal.Lease = &journal.Lease{Run: 9, Until: opened.Add(time.Hour)} }), false, LiveOwner},
		"it cannot be taken back": {input(armed, paused, func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: effect.DisarmMerge{Head: headA, At: "2026-11-30T09:05:00Z"}.Key(), Right: "contents: write", Via: "user-token"}}
		}), false, MissingRight},
	} {
		p := Decide(tt.in)
		if disarms(p) != tt.want || p.Code != tt.code {
			t.Errorf("%s: %s by %s (%s), %v; want %s", says, p.Code, p.Row, p.Why, p.Effects, tt.code)
		}
		if said := strings.Contains(strings.Join(p.Notices, " "), "is taken back"); said != tt.want {
			t.Errorf("%s: it says %q", says, p.Notices)
		}
	}
}

// A merge that is armed once more after a retry is refused by no older answer, and
// one whose checks are lost waits no longer than its cap.
func TestTheMergeWait(t *testing.T) {
	t.Parallel()
	for says, tt := range map[string]struct {
		in   Input
		want Code
	}{
		"it waits":              {input(landing(effect.MergeArmed), later2(44*time.Minute)), WaitingForMerge},
		"its cap":               {input(landing(effect.MergeArmed), later2(46*time.Minute)), MergeStuck},
		"a conflict":            {input(landing(effect.MergeArmed), edit(func(s *pr.Snapshot) { s.MergeState = "DIRTY" })), MergeConflicts},
		"somebody took it back": {input(landing(effect.MergeArmed), disarmed), MergeTakenBack},
		"a run that took it back died": {input(landing(effect.MergeArmed), disarmed, func(in *Input) {
			in.Journal.Pending = []journal.Entry{{Key: effect.DisarmMerge{Head: headA, At: "x"}.Key()}}
		}), Merging},
		"a push let it go":                 {input(landing(effect.MergeArmed), disarmed, edit(func(s *pr.Snapshot) { s.Head = headC })), ReviewRequested},
		"no drift, no red check is asked":  {input(landing(effect.MergeArmed), drift, check("FAILURE")), WaitingForMerge},
		"it is merged":                     {input(landing(effect.MergeArmed), edit(func(s *pr.Snapshot) { s.State = pr.Merged })), Merged},
		"it is closed":                     {input(landing(effect.MergeArmed), edit(func(s *pr.Snapshot) { s.State = pr.Closed })), Closed},
		"GitHub has made it, and lags":     {input(landing(effect.MergeMade)), WaitingForMerge},
		"whether it is armed is not known": {input(landing(effect.MergeArmed), disarmed, unknown(pr.FactMerging, "")), FactUnknown},
		"behind, and updates are on":       {input(landing(effect.MergeArmed), edit(func(s *pr.Snapshot) { s.MergeState = "BEHIND" }), func(in *Input) { in.Settings.AutoMerge.UpdateBranch = true }), BranchUpdated},
		"an unstable one waits for a check": {input(landing(effect.UnstableStatus), edit(func(s *pr.Snapshot) {
			s.Checks = append(s.Checks, pr.Check{Name: "slow", State: "IN_PROGRESS", WorkflowKnown: true})
			s.Checks[0].Required = true
		})), WaitingForMerge},
		"and no longer than its cap": {input(landing(effect.UnstableStatus), later2(time.Hour), edit(func(s *pr.Snapshot) {
			s.Checks = append(s.Checks, pr.Check{Name: "slow", State: "IN_PROGRESS", WorkflowKnown: true})
			s.Checks[0].Required = true
		})), MergeStuck},
	} {
		if p := Decide(tt.in); p.Code != tt.want {
			t.Errorf("%s: %s by %s (%s), want %s", says, p.Code, p.Row, p.Why, tt.want)
		}
	}
}
