package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/pr"
)

// Watching is what a merge commit shows against the commit before it (design 7).
// Names are strangers' text, sorted, without doubles.
type Watching struct {
	// Regressions passed before and fail now, each in its newest attempt.
	Regressions []string
	// Red fail now, and failed before already: no regression.
	Red []string
	// Unclear say neither: they fail now, and there is nothing from before that
	// they could be held against; or their newest run was cancelled.
	Unclear []string
	Pending []string
	Passed  int
}

// Nothing reports whether nothing at all was seen.
func (w Watching) Nothing() bool {
	return len(w.Regressions)+len(w.Red)+len(w.Unclear)+len(w.Pending)+w.Passed == 0
}

// Watch holds what stands on the merge commit against what stood before it. What
// passes and what fails is as everywhere (conclusions), but for one thing: a run
// that was cancelled says nothing here. The next merge cancels it in many a
// repository (concurrency), and a revert for that would be for nothing.
//
// A kind of fact (checks, deployments) that was not read in full shows no
// regression: what was not read may be the newer attempt. What fails of it is
// unclear.
func Watch(w *pr.Watched, own Own, set config.Settings) Watching {
	now := stoodOn(w.Now, own, set)
	then := stoodOn(w.Then, own, set)
	var out Watching
	for _, c := range now {
		unread := w.Missing(pr.FactWatch) != nil || w.Missing(pr.FactBefore) != nil
		if c.deployment {
			unread = unread || w.Missing(pr.FactDeployments) != nil
		} else {
			unread = unread || w.Missing(pr.FactChecksNow) != nil || w.Missing(pr.FactChecksThen) != nil
		}
		before := c.before(then)
		switch {
		case c.state == Pass:
			out.Passed++
		case c.state == Pend:
			out.Pending = append(out.Pending, c.name)
		case c.state == Fail && !unread && before == Pass:
			out.Regressions = append(out.Regressions, c.name)
		case c.state == Fail && !unread && before == Fail:
			out.Red = append(out.Red, c.name)
		default:
			out.Unclear = append(out.Unclear, c.name)
		}
	}
	for _, list := range []*[]string{&out.Regressions, &out.Red, &out.Unclear, &out.Pending} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return out
}

// A stood is one check, or the deployment to one environment, on a commit.
type stood struct {
	name       string
	state      string // Pass, Fail, Pend; unsaid
	deployment bool
	// What tells it from others of its name.
	status, known bool
	app, file     string
}

// unsaid is the state of what says nothing of the code.
const unsaid = ""

func stoodOn(s pr.Standing, own Own, set config.Settings) []stood {
	counted, _ := takeOut(own, s.Checks, reviewersChecks(set))
	var list []stood
	for _, j := range newest(counted) {
		c := stood{name: bound(squeeze(Clean(j.Name)), maxName), state: j.State, status: j.status, known: j.known}
		c.app, c.file = j.from.App, cmp.Or(j.file, j.Workflow)
		if j.Detail == "cancelled" {
			c.state = unsaid
		}
		list = append(list, c)
	}
	return append(list, deployed(s.Deployments)...)
}

// before is the state of the same in then: of several that cannot be told apart
// the worst. It is unsaid where there is none, or where it had not ended.
func (c stood) before(then []stood) string {
	state, found := Pass, false
	for _, d := range then {
		same := d.name == c.name && d.deployment == c.deployment && d.status == c.status && d.app == c.app &&
			(d.file == c.file || !d.known || !c.known)
		if !same {
			continue
		}
		found = true
		switch {
		case d.state == Fail:
			return Fail
		case d.state != Pass:
			state = unsaid
		}
	}
	if !found {
		return unsaid
	}
	return state
}

// deploymentStates are what a deployment's status comes to; all others pend.
// INACTIVE says that a later deployment took its place, and nothing of itself.
var deploymentStates = map[string]string{"SUCCESS": Pass, "FAILURE": Fail, "ERROR": Fail}

// ofDeployment begins the name of a deployment; no check is called so by chance.
const ofDeployment = "deployment to "

// IsDeployment reports whether a name of [Watching] is that of a deployment.
func IsDeployment(name string) bool { return strings.HasPrefix(name, ofDeployment) }

// deployed judges the newest deployment to each environment by its newest status
// that says something.
func deployed(all []pr.Deployment) []stood {
	newest := map[string]*pr.Deployment{}
	var order []string
	for i := range all {
		d, old := &all[i], newest[all[i].Environment]
		if old == nil {
			order = append(order, d.Environment)
		}
		if old == nil || cmp.Or(d.CreatedAt.Compare(old.CreatedAt), cmp.Compare(d.ID, old.ID)) > 0 {
			newest[d.Environment] = d
		}
	}
	var list []stood
	for _, env := range order {
		c := stood{name: ofDeployment + bound(squeeze(Clean(env)), maxName), state: Pend, deployment: true}
		var last pr.DeploymentStatus
		for _, s := range newest[env].Statuses {
			later := s.At.Compare(last.At)
			if s.State != "INACTIVE" && (later > 0 || later == 0 && weight(deploymentStates[s.State]) > weight(deploymentStates[last.State])) {
				last = s
			}
		}
		if state, ok := deploymentStates[last.State]; ok {
			c.state = state
		} else if last.State == "" && len(newest[env].Statuses) > 0 {
			c.state = unsaid // inactive before it came to anything
		}
		list = append(list, c)
	}
	return list
}
