package plan

import (
	"testing"

	"github.com/prloop/prloop/internal/config"
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
