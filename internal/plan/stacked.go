package plan

import (
	"slices"
	"strconv"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// A pull request is stacked where it goes into the branch of another one
// (design 3, "Stacked pull requests"). It must not be merged before that one:
// with select.stacked: loop its merge waits, with park all of it.

// parent is the newest pull request of its base branch, an open one before any
// other; ok is false where it is not stacked. Branches that prloop never works on
// are heads as well, of releases: what goes into them is no stack.
func (s *step) parent() (p pr.Linked, ok bool) {
	if !s.onBranch() || len(s.snap.Parents) == 0 {
		return pr.Linked{}, false
	}
	if i := slices.IndexFunc(s.snap.Parents, func(l pr.Linked) bool { return l.State == pr.Open }); i >= 0 {
		return s.snap.Parents[i], true
	}
	return s.snap.Parents[0], true
}

// onBranch: its base is a branch of the kind that a pull request has.
func (s *step) onBranch() bool { return !slices.Contains(trunks(s.snap), s.snap.Base.Name) }

// trunks are the branches that are no pull request's own.
func trunks(p *pr.Snapshot) []string { return []string{"dev", "master", "main", p.Repo.DefaultBranch} }

// parkedOnParent parks all of it until its parent has landed. A parent that
// ended without landing is a person's to judge.
func parkedOnParent(s *step) bool {
	if s.in.Settings.Select.Stacked != config.StackedPark || !s.onBranch() {
		return false
	}
	if s.unknown(pr.FactParents) {
		return true
	}
	p, stacked := s.parent()
	if !stacked || p.State == pr.Merged {
		return false
	}
	return s.behindParent(p)
}

// waitsForParent holds what has converged back from its merge.
func waitsForParent(s *step) bool {
	if !s.onBranch() {
		return false
	}
	if s.unknown(pr.FactParents) {
		return true
	}
	p, stacked := s.parent()
	return stacked && s.behindParent(p)
}

func (s *step) behindParent(p pr.Linked) bool {
	switch p.State {
	case pr.Merged:
		return s.decide(ParentOver, "pull request #%d, on whose branch it is stacked, is merged, and it still goes into that branch", p.Number)
	case pr.Closed:
		return s.decide(ParentOver, "pull request #%d, on whose branch it is stacked, was closed without a merge", p.Number)
	case pr.Open:
	}
	return s.decide(WaitingForParent, "it is stacked on pull request #%d, which is open", p.Number)
}

// behind are the codes of one that its parent holds back; where it has converged
// it is ready all the same.
var behind = []Code{WaitingForParent, ParentOver}

// triage is how the quest begins: one that waits for its parent in all has the
// route conflict.
func (s *step) triage(opened string) quest.Event {
	e := quest.Event{ID: opened + ".triage", At: s.snap.CreatedAt, Type: quest.TriageDecided, Route: quest.AutoFix}
	if s.in.Settings.Select.Stacked != config.StackedPark || s.snap.Missing(pr.FactParents) != nil {
		return e
	}
	if p, stacked := s.parent(); stacked && p.State != pr.Merged {
		e.Route, e.Parent, e.Then = quest.Conflict, trail(&pr.Snapshot{Repo: s.snap.Repo, Number: p.Number}, 1), quest.AutoFix
	}
	return e
}

// observeParent enters what became of the parent that the quest waits for. One
// that a person pointed at another base, or let loop, has nothing to wait for.
func (s *step) observeParent() {
	q := &s.quest.Quest
	if q.State != quest.Parked || q.ParkReason != quest.WaitingParent || s.snap.Missing(pr.FactParents) != nil {
		return
	}
	p, stacked := s.parent()
	switch over := "parent@" + strconv.Itoa(p.Number); {
	case !stacked, s.in.Settings.Select.Stacked != config.StackedPark:
		s.enter(quest.Event{ID: s.serial("base@" + string(s.snap.Base.OID)), Type: quest.Resume, By: quest.Person})
	case p.State == pr.Merged:
		s.enter(quest.Event{ID: over, Type: quest.ParentLanded})
	case p.State == pr.Closed && !q.Applied.Has(over+".closed"):
		s.enter(quest.Event{ID: over + ".closed", Type: quest.ParentEnded})
	}
}
