package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

// A world is what was read for one step: the input of the decision, and where
// the journal stands.
type world struct {
	in    plan.Input
	found journal.Found
	// begun is the journal with the intent, once that is written.
	begun journal.Journal
}

// load reads everything that a decision about pull request number depends on, or
// about the issue of that number. A quiet one is one request.
func (r *run) load(ctx context.Context, number int) (world, error) {
	want := github.Want{ConfigPath: r.inputs.ConfigPath}
	read := r.client.Snapshot
	if r.issues[number] {
		read = r.client.Issue
	}
	snap, err := read(ctx, number, want)
	if err != nil {
		return world{}, err
	}
	if !snap.Found && !r.issues[number] {
		// An input or a report names an issue as it names a pull request.
		if settings, err := r.settings(snap); err == nil && settings.Issues.Label != "" {
			r.markIssue(number)
			return r.load(ctx, number)
		}
	}
	settings, err := r.settings(snap)
	if err != nil && r.inputs.Command == config.Leave {
		// What is wrong with it holds nobody here.
		settings, err = config.Defaults(), nil
	}
	if err != nil {
		return world{}, err
	}
	found := journal.Find(snap.Comments, number, r.key(), settings.Identities)
	if found.Memory.Lost() {
		found.Journal = journal.Rebuild(snap, string(found.Memory), snap.At, found.Prior)
	}
	found.Journal.PR = number
	w := world{found: found, in: plan.Input{
		Settings:   settings,
		Snapshot:   snap,
		Journal:    found.Journal,
		Memory:     found.Memory,
		Record:     r.record(snap),
		Own:        r.own,
		Paused:     r.inputs.Paused,
		Quote:      handoff.Quoting{Text: report.Prose, Code: report.Code},
		Replayed:   r.env.Simulated,
		Sweep:      r.sweep,
		Duplicates: len(found.Duplicates) > 0,
		Detached:   strings.HasPrefix(r.env.Getenv("GITHUB_REF"), "refs/pull/"),
		UserToken:  r.inputs.UserToken != "",
		Reporting:  r.inputs.Command == config.TakeReport,
		Leaving:    r.inputs.Command == config.Leave,
		StartsLeft: settings.Budgets.StartsPerRun - r.starts,
	}}
	if found.Comment.Locked && !r.holds {
		w.in.LockedSince = found.Comment.UpdatedAt
	}
	return w, r.leaseOver(ctx, &w)
}

// settings reads the configuration: the file of the default branch, and the
// input settings over it.
func (r *run) settings(snap *pr.Snapshot) (config.Settings, error) {
	settings, warnings, err := parseSettings(snap, r.inputs)
	if err != nil {
		return config.Settings{}, err
	}
	for _, w := range warnings {
		r.runner.Warning("prloop configuration", w.String())
	}
	return settings, nil
}

func parseSettings(snap *pr.Snapshot, in config.Inputs) (config.Settings, []config.Warning, error) {
	var sources []config.Source
	if snap.Config.Found {
		sources = append(sources, config.Source{Name: snap.Config.Path, Text: snap.Config.Text})
	}
	if in.Settings != "" {
		sources = append(sources, config.Source{Name: "input settings", Text: in.Settings})
	}
	settings, warnings, err := config.ParseSettings(sources...)
	if in.AutoMerge != "" {
		settings.AutoMerge.Enabled = in.AutoMerge == "true"
	}
	return settings, warnings, err
}

// record reads the repository record. A damaged one is empty: its values only
// merge, so nothing is lost that a pull request's own journal does not keep.
func (r *run) record(snap *pr.Snapshot) journal.Record {
	if snap.Record.Number == 0 {
		return journal.Record{}
	}
	rec, _, err := journal.DecodeRecord(snap.Record.Body, r.key())
	if err != nil {
		r.runner.Warning("prloop", fmt.Sprintf("The repository record, issue #%d, is damaged and starts anew: %v", snap.Record.Number, err))
		return journal.Record{}
	}
	if !snap.Record.Closed {
		rec.Left = time.Time{} // a person opened the issue again
	}
	return rec
}

// leaseOver takes a lease out of the journal whose run is over, where GitHub
// tells (actions: read); it is asked only about a lease that still holds.
func (r *run) leaseOver(ctx context.Context, w *world) error {
	l := w.in.Journal.Lease
	if l == nil || !w.in.Snapshot.At.Before(l.Until) {
		return nil
	}
	if l.Run == r.runID && l.Attempt < r.tries {
		w.in.Journal.Lease = nil
		return nil
	}
	over, known, err := r.client.RunOver(ctx, l.Run, l.Attempt)
	if err != nil {
		return err
	}
	if known && over {
		w.in.Journal.Lease = nil
	}
	return nil
}

// decide asks the one decider, and reads what it asks for.
func (r *run) decide(ctx context.Context, w *world) (_ plan.Plan, err error) {
	for {
		p := plan.Decide(w.in)
		if len(p.Needs) == 0 {
			return p, nil
		}
		for _, f := range p.Needs {
			if f == pr.FactAgentPush {
				if w.in.AgentPush, err = r.agentPush(ctx, w.in.Snapshot, p.Facts.Agent); err != nil {
					return plan.Plan{}, err
				}
				continue
			}
			if f == pr.FactPermission {
				if err = r.writers(ctx, w.in); err != nil {
					return plan.Plan{}, err
				}
				continue
			}
			if f == pr.FactWatch {
				if w.in.Snapshot.Watched, err = r.client.Watch(ctx, w.in.Snapshot, plan.KnownRevert(w.in)); err != nil {
					return plan.Plan{}, err
				}
				continue
			}
			if f == pr.FactIssue {
				if err = r.inherit(ctx, w); err != nil {
					return plan.Plan{}, err
				}
				continue
			}
			if err = r.need(ctx, w.in.Snapshot, f); err != nil {
				return plan.Plan{}, err
			}
		}
	}
}

// markIssue notes that a number is an issue's.
func (r *run) markIssue(number int) {
	if r.issues == nil {
		r.issues = map[int]bool{}
	}
	r.issues[number] = true
}

// inherit looks for the quest of an issue that the pull request closes: the first
// that has one and has given it to nobody. What cannot be read is not known.
func (r *run) inherit(ctx context.Context, w *world) error {
	w.in.IssuesRead = true
	for _, n := range plan.Closing(w.in) {
		snap, err := r.client.Issue(ctx, n, github.Want{})
		if err != nil {
			return err
		}
		for _, f := range []pr.Fact{pr.FactPullRequest, pr.FactComments} {
			if u := snap.Missing(f); u != nil {
				w.in.Snapshot.Unknown = append(w.in.Snapshot.Unknown, pr.Unknown{Fact: pr.FactIssue, Why: u.Why, Right: u.Right})
				return nil
			}
		}
		found := journal.Find(snap.Comments, n, r.key(), w.in.Settings.Identities)
		if j := found.Journal; !found.Memory.Lost() && j.Quest != nil && (j.Other == 0 || j.Other == w.in.Snapshot.Number) {
			w.in.Inherited = &plan.Inherited{Issue: n, Quest: *j.Quest}
			return nil
		}
	}
	return nil
}

// need reads one further fact into snap.
func (r *run) need(ctx context.Context, snap *pr.Snapshot, f pr.Fact) error {
	if f == pr.FactGraph {
		return r.graph(ctx, snap)
	}
	if f != pr.FactWork {
		return fmt.Errorf("the decision asks for the fact %q, which has no reader", f)
	}
	work, err := r.client.Work(ctx, snap.Number)
	if err != nil {
		if _, denied := errors.AsType[*fail.Error](err); denied {
			return err
		}
		return fmt.Errorf("read Copilot's work events: %w", err)
	}
	snap.Work, snap.WorkRead = work, true
	return nil
}

// graph looks for a knowledge graph of the code: in the workspace where there is
// a checkout, else in the tree of the head (design 5, "Hand-over").
func (r *run) graph(ctx context.Context, snap *pr.Snapshot) error {
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(r.runner.Workspace(), filepath.FromSlash(name)))
		return err == nil
	}
	if r.runner.Workspace() != "" && there(".git") {
		switch {
		case there(pr.GraphFile):
			snap.Graph = pr.GraphPresent
		case there(pr.GraphFolder):
			snap.Graph = pr.GraphBroken
		default:
			snap.Graph = pr.GraphAbsent
		}
		return nil
	}
	var err error
	snap.Graph, err = r.client.Graph(ctx, snap.Head)
	return err
}

// writers asks which of the people who command may write. Where the token may
// not ask, nobody's command is heard.
func (r *run) writers(ctx context.Context, in plan.Input) error {
	snap := in.Snapshot
	snap.Writers, snap.Admins = map[pr.Login]bool{}, map[pr.Login]bool{}
	for _, login := range plan.Askers(in) {
		may, admin, err := r.client.MayWrite(ctx, login)
		if _, denied := errors.AsType[*github.Denied](err); denied {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the permission of who commands: %w", err)
		}
		snap.Writers[login], snap.Admins[login] = may, admin
	}
	snap.WritersRead = true
	return nil
}
