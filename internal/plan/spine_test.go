package plan

import (
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// heldBy: the head has converged, and then somebody claimed the review.
func heldBy(who string) func(*Input) {
	return func(in *Input) {
		in.Journal.Quest = Decide(*in).Quest.Kept().With(quest.Event{ID: "comment@1.1", Type: quest.Claim, Actor: who})
	}
}

// modes sets what decisions at the checkpoints do.
func modes(a, b, c config.Checkpoint) func(*Input) {
	return func(in *Input) { in.Settings.Checkpoints = config.Checkpoints{A: a, B: b, C: c} }
}

func consent(who pr.Login) func(*Input) {
	return func(in *Input) {
		in.Journal.Orders.Landing = &journal.Consent{Head: headA, At: opened, By: who, Comment: 5}
	}
}

func reviewOf(who pr.Actor, state pr.ReviewState, commit pr.SHA, trusted bool) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Reviews = append(s.Reviews, pr.Review{ID: "PRR_p", Author: who, State: state, Commit: commit, Trusted: trusted, SubmittedAt: s.At})
	})
}

// The quest has the last word on a merge: what a decision at checkpoint C moves,
// in each mode, by whom.
func TestWhatLands(t *testing.T) {
	t.Parallel()
	const a, c = config.CheckpointAdvisory, config.CheckpointAuto
	hubot := pr.Actor{Login: "hubot"}
	advisory := modes(a, a, config.CheckpointAdvisory)
	for name, tt := range map[string]struct {
		in   Input
		code Code // why not
		may  bool
	}{
		"blocking, nobody approved":         {input(known, edit(reviewed)), "", false},
		"blocking, approved by a command":   {input(known, edit(reviewed), consent("hubot")), "", true},
		"blocking, approved by a review":    {input(known, edit(reviewed), reviewOf(hubot, pr.Approved, headA, true)), "", true},
		"approved by one who may not write": {input(known, edit(reviewed), reviewOf(hubot, pr.Approved, headA, false)), "", false},
		"approved at another head":          {input(known, edit(reviewed), reviewOf(hubot, pr.Approved, headB, true)), "", false},
		"approved by a bot":                 {input(known, edit(reviewed), reviewOf(pr.Actor{Login: "hubot", Bot: true}, pr.Approved, headA, true)), "", false},
		"approved, and taken back":          {input(known, edit(reviewed), reviewOf(hubot, pr.Approved, headA, true), reviewOf(hubot, pr.ChangesRequested, headA, true)), "", false},
		"advisory, by itself":               {input(known, edit(reviewed), advisory), "", true},
		"advisory, claimed":                 {input(known, edit(reviewed), advisory, heldBy("mona")), Claimed, false},
		"shadow, approved":                  {input(known, edit(reviewed), modes(a, a, config.CheckpointShadow), consent("hubot")), CheckpointShadow, false},
		"A is not passed":                   {input(known, edit(reviewed), modes(config.CheckpointBlocking, a, c), consent("hubot")), CheckpointA, false},
	} {
		s := newStep(tt.in)
		s.prove()
		may, code, why := s.mayLand()
		if may != tt.may || code != tt.code || may == (why != "") {
			t.Errorf("%s: %v, %q, %q, want %v, %q", name, may, code, why, tt.may, tt.code)
		}
		if landed := s.land(); landed != tt.may || landed != (s.quest.Quest.State == quest.Landing) {
			t.Errorf("%s: it lands: %v, and the quest is at %s", name, landed, s.quest.Quest.State)
		}
		if len(s.quest.Refused) > 0 {
			t.Errorf("%s: the table refused %q", name, s.quest.Refused)
		}
	}
}

// A person's stop, and closing the pull request, end the quest from every state
// that an open pull request can be in, and take back what is at work. A claim
// keeps out whoever does not hold the review, but keeps nothing open.
func TestKillFromEveryState(t *testing.T) {
	t.Parallel()
	with := func(q quest.Quest, edits ...func(*Input)) Input {
		q.ID, q.Rev, q.Route, q.PatchHead, q.Risk = "octo/demo#7/1", 1, quest.AutoFix, string(headA), "own"
		in := input(append([]func(*Input){known, edit(requested)}, edits...)...) // a wait, which moves no quest
		q.Base = base(in.Snapshot)
		in.Journal.Quest = &journal.Quest{Number: 1, Policy: policyOf(in.Settings), From: q}
		return in
	}
	closed := edit(func(s *pr.Snapshot) { s.State = pr.Closed })
	states := 0
	for _, state := range quest.States() {
		if state.Terminal() || state == quest.Watching || state == quest.RolledBack {
			continue // over, or the pull request is merged
		}
		states++
		q := quest.Quest{State: state}
		if state == quest.Parked {
			q.ReturnTo, q.ParkReason = quest.Proving, quest.Paused
		}
		if state == quest.HandedOff {
			q.ReturnTo, q.Owner = quest.Ready, "mona"
		}
		busy := q.Busy()
		stop := with(q, commands("stop"))
		stop.Snapshot.Comments[0].Author.Login = "mona"
		for how, in := range map[string]Input{"stop": stop, "closed": with(q, closed)} {
			p := Decide(in)
			want := map[string]Code{"stop": StoppedByCommand, "closed": Closed}[how]
			if p.Code != want || p.Quest == nil || p.Quest.Quest.State != quest.Abandoned || len(p.Quest.Refused) > 0 {
				t.Errorf("%s at %s: decided %s, the quest: %+v", how, state, p.Code, p.Quest)
				continue
			}
			stopped := false
			_, _, wishes, _ := p.Quest.Kept().Fold()
			for _, w := range wishes {
				stopped = stopped || w.Type == quest.StopAgent
			}
			if state != quest.Parked && stopped != busy {
				t.Errorf("%s at %s: work is taken back: %v, want %v", how, state, stopped, busy)
			}
			// It stays so, and what is written down is the same once more.
			in.Journal, in.Memory = Enter(in.Journal, in, p), journal.MemoryFound
			if again := Decide(in); again.Code != want || again.Quest.Quest.State != quest.Abandoned || len(again.Quest.Added) > 0 {
				t.Errorf("%s at %s, the next step: %s, %+v", how, state, again.Code, again.Quest)
			}
		}
	}
	if states != 12 {
		t.Errorf("%d states were stopped in", states)
	}
	in := with(quest.Quest{State: quest.HandedOff, ReturnTo: quest.Ready, Owner: "hubot"}, commands("stop"))
	if p := Decide(in); p.Code != Claimed || p.Heard[0].Reply != replyClaimed || p.Quest.Quest.State != quest.HandedOff {
		t.Errorf("a stop by somebody else: %s, %+v", p.Code, p.Heard)
	}
	in.Snapshot.Admins = map[pr.Login]bool{in.Snapshot.Comments[0].Author.Login: true}
	if p := Decide(in); p.Code != StoppedByCommand || p.Quest.Quest.State != quest.Abandoned {
		t.Errorf("a stop by an administrator: %s, %+v", p.Code, p.Heard)
	}
}

// What no table takes is told, and changes nothing.
func TestARefusedEventIsTold(t *testing.T) {
	t.Parallel()
	s := newStep(input(known))
	s.spine()
	was := s.quest.Quest.State
	if s.enter(quest.Event{ID: "proof@1", Type: quest.ProofSucceeded}) || s.quest.Quest.State != was || len(s.quest.Refused) != 1 ||
		s.quest.Refused[0] != "The quest takes no proof_succeeded (proof@1): at researching, this state has no use for this event" {
		t.Errorf("%q, at %s", s.quest.Refused, s.quest.Quest.State)
	}
	for _, e := range s.quest.Added {
		if e.ID == "proof@1" {
			t.Error("it is kept")
		}
	}
}

// What the step does for the quest names the wish that it delivers: the newest of
// its kind, also where an earlier step entered it.
func TestWhatIsDoneNamesItsCause(t *testing.T) {
	t.Parallel()
	research := input()
	handed := input(known, edit(reviewed), threads(1))
	landing := input(known, edit(reviewed), func(in *Input) { in.Settings.AutoMerge.Enabled = true })
	for name, tt := range map[string]struct {
		in   Input
		of   string // the type of the effect; empty: the hand-over
		kind quest.EffectType
	}{
		"the first review is research":   {research, "request_review", quest.StartAgent},
		"a hand-over is the patch":       {handed, "", quest.StartAgent},
		"the note calls to checkpoint C": {input(known, edit(reviewed)), "comment", quest.RequestCheckpoint},
	} {
		p := Decide(tt.in)
		got := ""
		if p.Handoff != nil && tt.of == "" {
			got = p.Handoff.Cause
		}
		for _, e := range p.Effects {
			if e.Type() == tt.of {
				got = p.Causes[e.Key()]
			}
		}
		if !strings.Contains(got, ":"+string(tt.kind)+":") {
			t.Errorf("%s: caused by %q", name, got)
		}
	}
	s := newStep(landing)
	s.prove()
	s.plan.Quest = s.spine()
	if s.land(); s.quest.newest(causes[effect.Merge{}.Type()]...) == "" {
		t.Errorf("the merge has no cause at %s", s.quest.Quest.State)
	}
}
