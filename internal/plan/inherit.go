package plan

import (
	"slices"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// An Inherited is the quest of an issue, which the pull request that closes it
// goes on with (design 3, "Issues too").
type Inherited struct {
	Issue int
	Quest journal.Quest
}

// Closing are the issues whose quest the pull request may take over: open ones
// with the label, which it closes from a branch of this repository.
func Closing(in Input) []int {
	label, snap := in.Settings.Issues.Label, in.Snapshot
	if label == "" || snap.Fork() || in.Journal.Quest != nil {
		return nil
	}
	var list []int
	for _, l := range snap.Closes {
		if l.State == pr.Open && (l.Cut || slices.Contains(l.Labels, label)) {
			list = append(list, l.Number)
		}
	}
	return list
}

// mayInherit: what the step is about to write begins the journal, and whether an
// issue's quest goes before it is not known yet.
func mayInherit(in Input, p Plan) bool {
	return p.Acts() && !in.IssuesRead && len(Closing(in)) > 0
}

// inherit goes on with the quest of the issue. Whoever opened the pull request
// goes on with it: what held the quest there holds no more.
func (s *step) inherit(i Inherited) {
	q, was, _, err := i.Quest.Fold()
	if q.State.Terminal() {
		s.begin(1, policyOf(s.in.Settings))
		return
	}
	s.quest = &Spine{Quest: q, Policy: was, Was: i.Quest}
	if err != nil {
		s.quest.Was = journal.Quest{Number: i.Quest.Number, Policy: was, From: q, Folded: i.Quest.Folded}
	}
	if q.State == quest.Parked {
		s.enter(quest.Event{ID: "opened@" + s.snap.ID, At: s.snap.CreatedAt, Type: quest.Resume, By: quest.Person})
	}
}

// takeOver ends the quest on the issue, until that is done.
func (s *step) takeOver() {
	issue := s.in.Journal.Other
	if s.in.Inherited != nil && issue == 0 {
		issue = s.in.Inherited.Issue
	}
	e := effect.TakeOver{Issue: issue}
	done := slices.ContainsFunc(s.in.Journal.Done, func(d journal.Entry) bool { return d.Key == e.Key() })
	if p := &s.plan; issue != 0 && !done && s.snap.Issue == nil && !s.snap.Fork() && p.Account == nil && s.snap.State == pr.Open && (s.acted() || p.Acts()) {
		p.Effects = append(p.Effects, e)
	}
}
