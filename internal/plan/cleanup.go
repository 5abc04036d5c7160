package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// cleaning are the guards of the clean-up, in their order: the first that holds
// leaves the thread as it is, and is counted by its words (reference orchestration,
// section 11). Force gets past the last one alone.
var cleaning = []struct {
	is    string
	says  string
	force bool // cleanup: force gets past it
	holds func(*cleanable) bool
}{
	{"unknown", "somebody who spoke in it is not known any more", false, (*cleanable).ghost},
	{"foreign", "somebody beside its reviewer and prloop spoke in it", false, (*cleanable).foreign},
	{"decided", "what it says is a person's to decide", false, (*cleanable).undecided},
	{"awaiting", "it awaits an answer", true, (*cleanable).awaits},
}

// A cleanable is an outdated, unresolved thread of one of the loop's reviewers.
type cleanable struct {
	*pr.Thread
	opener autopilot.Reviewer
	ours   func(*pr.ThreadComment) bool
	action string // what the newest report said of it; empty where none did
}

func (c *cleanable) ghost() bool {
	return slices.ContainsFunc(c.Comments, func(m pr.ThreadComment) bool { return m.Author.Login == "" })
}

func (c *cleanable) foreign() bool {
	return slices.ContainsFunc(c.Comments, func(m pr.ThreadComment) bool { return !c.ours(&m) && !c.opener.Is(m.Author) })
}

// undecided: it was answered, and by nothing that ends it; or nobody knows any
// more by what (the journal was lost).
func (c *cleanable) undecided() bool {
	return slices.ContainsFunc(c.Comments, func(m pr.ThreadComment) bool { return c.ours(&m) }) &&
		!slices.Contains([]string{string(handoff.FixIt), string(handoff.Decline), string(handoff.Drift)}, c.action)
}

func (c *cleanable) awaits() bool { return !c.ours(&c.Comments[len(c.Comments)-1]) }

// cleanUp resolves what is left of outdated threads, once at a head that has
// converged (seed 003, step 10): a net, since each thread is resolved with its
// answer. That one of them cannot be is no end of convergence.
func (s *step) cleanUp() {
	mode := s.in.Settings.CleanUp
	if c := s.in.Journal.Cleaned; mode == config.CleanOff || c != nil && c.Head == s.snap.Head {
		return
	}
	reviewers := s.in.Settings.Rows()
	ours := facts.Ours(facts.Input{Snapshot: s.snap, Journal: s.in.Journal, Settings: s.in.Settings})
	skipped := map[string]int{}
	var replies, resolves []effect.Effect
	var ids []string
	for i := range s.snap.Threads {
		t := &s.snap.Threads[i]
		k := -1
		if len(t.Comments) > 0 {
			k = slices.IndexFunc(reviewers, func(r autopilot.Reviewer) bool { return r.Is(t.Comments[0].Author) })
		}
		if !t.Outdated || t.Resolved || k < 0 {
			continue
		}
		c := &cleanable{t, reviewers[k], ours, s.actionOn(t.ID)}
		if is := c.kept(mode == config.CleanForce); is != "" {
			skipped[is]++
			continue
		}
		mark := journal.Mark(t.ID)
		resolve := effect.Resolve{Thread: t.ID, Head: s.snap.Head, Finding: mark}
		if s.refused(resolve) {
			continue
		}
		if c.awaits() {
			replies = append(replies, effect.Reply{Thread: t.ID, Head: s.snap.Head, Finding: mark, Body: cleanWords})
		}
		resolves = append(resolves, resolve)
		ids = append(ids, t.ID)
	}
	if len(resolves) == 0 {
		return
	}
	says := fmt.Sprintf("The clean-up resolves %s", count(len(ids), "outdated thread", "outdated threads"))
	if mode == config.CleanDry {
		says = fmt.Sprintf("The clean-up would resolve %s (cleanup: dry-run): %s", count(len(ids), "outdated thread", "outdated threads"), strings.Join(ids[:min(len(ids), 10)], ", "))
	}
	for _, g := range cleaning {
		if n := skipped[g.is]; n > 0 {
			says += fmt.Sprintf("; %d left, because %s", n, g.says)
		}
	}
	s.plan.Notices = append(s.plan.Notices, says)
	if mode == config.CleanDry {
		return
	}
	s.plan.Effects = append(s.plan.Effects, slices.Concat(replies, resolves)...)
	s.plan.Cleaned = &journal.Cleaned{Head: s.snap.Head, At: s.now}
}

// kept is the guard that keeps the thread; empty where none does.
func (c *cleanable) kept(force bool) string {
	for _, g := range cleaning {
		if g.holds(c) && (!force || !g.force) {
			return g.is
		}
	}
	return ""
}

const cleanWords = "The lines that this is about are gone, and it was left open as being below minSeverity. It is resolved in the clean-up after convergence (cleanup: force)."

// actionOn is what the newest report said of a thread; empty where none did.
func (s *step) actionOn(thread string) string {
	action := ""
	for _, a := range s.in.Journal.Answers {
		if a.Finding == journal.Mark(thread) {
			action = a.Action
		}
	}
	return action
}
