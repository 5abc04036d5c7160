package githubtest

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// A Deployment is a commit on its way to an environment.
type Deployment struct {
	ID          string
	DatabaseID  int64
	Environment string
	CreatedAt   time.Time
	Statuses    []*DeploymentStatus // oldest first

	commit *Commit
}

// A DeploymentStatus is where a deployment stood at a time.
type DeploymentStatus struct {
	ID        string
	State     string // of the enum DeploymentStatusState
	CreatedAt time.Time

	deployment *Deployment
}

// Deploy puts a deployment status on a commit: a new deployment where the commit
// has none to that environment, or where the newest has ended. A success makes
// the earlier successes of the environment inactive, on whatever commit
// (https://docs.github.com/en/rest/deployments/statuses, auto_inactive).
func (w *World) Deploy(oid, environment, state string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	commit := w.commit(oid, "")
	var d *Deployment
	for _, old := range commit.Deployments {
		if old.Environment == environment && !old.ended() {
			d = old
		}
	}
	if d == nil {
		d = &Deployment{DatabaseID: w.id("deployment"), Environment: environment, CreatedAt: w.now, commit: commit}
		d.ID = w.node("DE", d)
		commit.Deployments = append(commit.Deployments, d)
	}
	if state == "SUCCESS" {
		for _, old := range w.deployments() {
			if old != d && old.Environment == environment && old.latest() != nil && old.latest().State == "SUCCESS" {
				w.deploymentStatus(old, "INACTIVE")
			}
		}
	}
	w.deploymentStatus(d, state)
	w.changed(ActionsBot, "deployment_"+strings.ToLower(state), 0, environment+" at "+short(oid), "")
}

func (w *World) deploymentStatus(d *Deployment, state string) {
	s := &DeploymentStatus{State: state, CreatedAt: w.now, deployment: d}
	s.ID = w.node("DES", s)
	d.Statuses = append(d.Statuses, s)
}

// deployments are all there are, in the order of their ids.
func (w *World) deployments() []*Deployment {
	var all []*Deployment
	for _, c := range w.commits {
		all = append(all, c.Deployments...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].DatabaseID < all[j].DatabaseID })
	return all
}

func (d *Deployment) latest() *DeploymentStatus {
	if len(d.Statuses) == 0 {
		return nil
	}
	return d.Statuses[len(d.Statuses)-1]
}

func (d *Deployment) ended() bool {
	return d.latest() != nil && slices.Contains([]string{"SUCCESS", "FAILURE", "ERROR", "INACTIVE"}, d.latest().State)
}

func deploymentFields() map[string]resolver {
	return map[string]resolver{
		"id":           of(func(d *Deployment) any { return d.ID }),
		"databaseId":   of(func(d *Deployment) any { return narrow(d.DatabaseID) }),
		"environment":  of(func(d *Deployment) any { return d.Environment }),
		"createdAt":    of(func(d *Deployment) any { return d.CreatedAt }),
		"commitOid":    of(func(d *Deployment) any { return d.commit.OID }),
		"latestStatus": of(func(d *Deployment) any { return orNil(d.latest()) }),
		"statuses": of(func(d *Deployment) any {
			list := slices.Clone(d.Statuses)
			slices.Reverse(list)
			return anys(list)
		}),
	}
}

func deploymentStatusFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(s *DeploymentStatus) any { return s.ID }),
		"state":      of(func(s *DeploymentStatus) any { return s.State }),
		"createdAt":  of(func(s *DeploymentStatus) any { return s.CreatedAt }),
		"deployment": of(func(s *DeploymentStatus) any { return s.deployment }),
	}
}

// revertPull opens the pull request that reverts a merged one. GitHub does so as
// often as it is asked: its branch gets a number where the name is taken.
func (c *call) revertPull(in args) (payload, error) {
	p, err := c.allow(in, mergePull)
	if err != nil {
		return nil, err
	}
	switch {
	case c.w.noReverts != "":
		return nil, gqlFail("UNPROCESSABLE", "%s", c.w.noReverts)
	case p.State != "MERGED":
		return nil, gqlFail("UNPROCESSABLE", "The pull request is not merged.")
	}
	branch := fmt.Sprintf("revert-%d-%s", p.Number, p.HeadRef)
	name := branch
	for i := 1; c.w.headOf(name) != nil; i++ {
		name = fmt.Sprintf("%s-%d", branch, i)
	}
	n := c.w.openPR(PR{
		Author: c.who.Login, HeadRef: name, Base: p.Base, Draft: in.flag("draft"),
		Title: cmp.Or(in.str("title"), fmt.Sprintf("Revert %q", p.Title)),
		Body:  cmp.Or(in.str("body"), fmt.Sprintf("Reverts %s#%d", c.w.name(), p.Number)),
	})
	return payload{"pullRequest": p, "revertPullRequest": c.w.pulls[n]}, nil
}

// RefuseReverts makes every revert be refused with this message, as where it
// conflicts with what came since; with none they are opened again.
func (w *World) RefuseReverts(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noReverts = message
}

// Branch is the commit that a branch stands at.
func (w *World) Branch(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.baseOID(cmp.Or(name, w.opt.DefaultBranch))
}

// Parents are the parents of a commit, the first one first.
func (w *World) Parents(oid string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.commits[oid]; c != nil {
		return slices.Clone(c.Parents)
	}
	return nil
}

// below is a commit with all that is below it, newest first.
func (w *World) below(from *Commit) []*Commit {
	seen := map[string]bool{from.OID: true}
	list := []*Commit{from}
	for i := 0; i < len(list); i++ {
		for _, oid := range list[i].Parents {
			if c := w.commits[oid]; c != nil && !seen[oid] {
				seen[oid] = true
				list = append(list, c)
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].At.After(list[j].At) })
	return list
}

// Brought reports whether a commit on the base came with pull request n: its
// merge commit, or one of those that a rebase made.
func (w *World) Brought(n int, oid string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	return p.MergeCommit == oid || slices.Contains(p.rebased, oid)
}
