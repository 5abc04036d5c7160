package facts

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// The states of a check that counts.
const (
	Pass = "pass"
	Fail = "fail"
	Pend = "pend"
)

// conclusions is what a completed check run, or a commit status, comes to
// (design 2, "Checks"). Everything else pends: what has not completed, what
// waits for an approval, what nobody knows.
var conclusions = []struct {
	says, state string
}{
	{"SUCCESS", Pass},
	{"NEUTRAL", Pass},
	{"SKIPPED", Pass},
	{"FAILURE", Fail},
	{"TIMED_OUT", Fail},
	{"CANCELLED", Fail}, // the newest of its name
	{"STARTUP_FAILURE", Fail},
	{"ERROR", Fail},
}

// pendingReasons are the conclusions that pend for a reason of their own. The
// first row that some pending check has is the reason.
var pendingReasons = []struct{ detail, reason string }{
	{"action_required", "runs_need_approval"},
	{"stale", "check_stale"},
}

// leftOut are the checks that never count: the loop must not wait for a check
// that it posts itself, and a reviewer's own run is no check of the code. What
// the base requires of them alone is not waited for either.
var leftOut = []struct {
	says string
	is   func(Own, *pr.Check) bool
}{
	{"this job", func(o Own, c *pr.Check) bool { return o.CheckRunID != 0 && !c.Status && c.ID == o.CheckRunID }},
	{"a proof that prloop shows", func(_ Own, c *pr.Check) bool {
		return !c.Status && c.Name == effect.ProofCheck && strings.HasPrefix(c.ExternalID, "sha256:")
	}},
	{"this run", func(o Own, c *pr.Check) bool { return o.RunID != 0 && !c.Status && c.RunID == o.RunID }},
	{"a run of this workflow's file", func(o Own, c *pr.Check) bool {
		return o.Workflow != "" && c.WorkflowKnown && workflowFile(c.WorkflowPath) == workflowFile(o.Workflow)
	}},
	{"a job of this job's name, where the workflow is unknown", func(o Own, c *pr.Check) bool {
		return !c.WorkflowKnown && !c.Status && isActions(c) && o.Job != "" && c.Name == o.Job
	}},
	{"Copilot's own run", func(_ Own, c *pr.Check) bool { return isReviewersRun(c) }},
}

// reviewersFiles are the workflow files of Copilot's own runs; reviewersNames
// the names of its check or status, and reviewersWorkflows of the workflow,
// where the file is not known.
var (
	reviewersFiles = []string{
		"dynamic/copilot-pull-request-reviewer",
		"dynamic/agents/copilot-pull-request-reviewer",
		"dynamic/copilot-swe-agent",
	}
	reviewersNames     = []string{"copilot-pull-request-reviewer", "Copilot code review"}
	reviewersWorkflows = []string{"Copilot code review"}
)

func isReviewersRun(c *pr.Check) bool {
	if file := workflowFile(c.WorkflowPath); file != "" {
		return slices.ContainsFunc(reviewersFiles, func(f string) bool {
			rest, ok := strings.CutPrefix(file, f)
			return ok && (rest == "" || rest[0] == '/')
		})
	}
	if slices.Contains(reviewersNames, c.Name) || c.WorkflowKnown && slices.Contains(reviewersWorkflows, c.Workflow) {
		return true
	}
	// Its check run is called "Agent". Without the workflow nothing tells it
	// from another job of that name, but that nobody requires it.
	return !c.WorkflowKnown && !c.Status && isActions(c) && c.Name == "Agent" && !c.Required
}

func isActions(c *pr.Check) bool { return c.App == "github-actions" || c.App == "" }

// workflowFile spells the path of a workflow file in one way. The runner says
// owner/repo/.github/workflows/x.yml@refs/heads/main, the run's own path has
// only the middle.
func workflowFile(path string) string {
	path, _, _ = strings.Cut(path, "@")
	for _, dir := range []string{".github/workflows/", "dynamic/"} {
		if i := strings.Index(path, dir); i == 0 || i > 0 && path[i-1] == '/' {
			return path[i:]
		}
	}
	return path
}

// checks derives what the checks of the head say (design 2).
func checks(in Input) CI {
	snap := in.Snapshot
	counted, own := takeOut(in.Own, snap.Checks, reviewersChecks(in.Settings))
	required := requiredNames(snap.Rules.RequiredContexts, counted, own)
	all := newest(counted)
	running := false
	for i := range all {
		c := &all[i]
		running = running || c.State == Pend
		c.Required = c.Required || slices.Contains(required, c.Name) || c.ofWorkflow(snap.Rules.RequiredWorkflows)
	}
	for _, name := range required {
		if !slices.ContainsFunc(all, func(c judgement) bool { return c.Name == name }) {
			all = append(all, missing(name))
		}
	}
	for _, path := range snap.Rules.RequiredWorkflows {
		if workflowFile(path) != workflowFile(in.Own.Workflow) &&
			!slices.ContainsFunc(all, func(c judgement) bool { return c.ofWorkflow([]string{path}) }) {
			all = append(all, missing(path))
		}
	}
	ci := CI{Set: set(in, all), Running: running}
	all = ci.choose(in.Settings.CI.Globs, all)
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		if o := cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Workflow, b.Workflow)); o != 0 {
			return o < 0
		}
		return a.compare(*b) < 0
	})
	ci.sum(all)
	ci.Flaky = flaky(all, counted)
	if snap.Missing(pr.FactChecks) != nil || snap.Missing(pr.FactRules) != nil {
		// What was not read may pend or fail; that it failed was read.
		if ci.Status != copilot.CIFailure {
			ci.Status = copilot.CIPending
		}
	}
	return ci
}

// flaky are the failing jobs of all that passed on this head in another run of
// their workflow: what failed since is no change of the code. A second attempt
// is not tried again, so that each job is run again once.
func flaky(all []judgement, counted []*pr.Check) []Flaky {
	var list []Flaky
	for _, j := range all {
		c := j.from
		if j.State != Fail || c == nil || c.Status || !c.WorkflowKnown || c.ID == 0 || c.RunID == 0 || c.RunAttempt != 1 || c.App != "github-actions" {
			continue
		}
		passed := func(d *pr.Check) bool {
			return !d.Status && d.WorkflowKnown && d.Name == c.Name && d.App == c.App && workflowFile(d.WorkflowPath) == j.file &&
				d.RunID != c.RunID && isOver(d) && strings.EqualFold(d.Conclusion, "SUCCESS")
		}
		if slices.ContainsFunc(counted, passed) {
			list = append(list, Flaky{Name: c.Name, Job: c.ID, Run: c.RunID})
		}
	}
	return list
}

// takeOut parts the checks that count from those that never do. Where the
// workflow of a check is unknown, it is ours by the name that our own check
// run has.
//
// reviewers are the names of checks by which a reviewer gives its verdict.
func takeOut(own Own, all []pr.Check, reviewers []string) (counted, out []*pr.Check) {
	var names []string
	for i := range all {
		if c := &all[i]; own.CheckRunID != 0 && !c.Status && c.ID == own.CheckRunID {
			names = append(names, c.Name)
		}
	}
	counted = make([]*pr.Check, 0, len(all))
	for i := range all {
		c := &all[i]
		isOut := !c.WorkflowKnown && !c.Status && isActions(c) && slices.Contains(names, c.Name) ||
			!c.Status && slices.Contains(reviewers, c.Name)
		for _, l := range leftOut {
			isOut = isOut || l.is(own, c)
		}
		if isOut {
			out = append(out, c)
		} else {
			counted = append(counted, c)
		}
	}
	return counted, out
}

// reviewersChecks are the checks by which reviewers of the loop give their
// verdict: a review, and no check of the code.
func reviewersChecks(set config.Settings) []string {
	var names []string
	for _, r := range reviewersOf(set) {
		if r.Check != "" {
			names = append(names, r.Check)
		}
	}
	return names
}

// requiredNames are the contexts that the base requires, by its rules or as a
// check itself says (isRequired), without those that only a check that never
// counts reports.
func requiredNames(contexts []string, counted, out []*pr.Check) []string {
	var names []string
	for _, n := range contexts {
		named := func(c *pr.Check) bool { return c.Name == n }
		if !slices.ContainsFunc(out, named) || slices.ContainsFunc(counted, named) {
			names = append(names, n)
		}
	}
	for _, c := range counted {
		if c.Required && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// A judgement is a check that counts, with where it came from.
type judgement struct {
	Check
	status bool
	file   string
	known  bool
	from   *pr.Check // nil: it never reported
}

func (c judgement) ofWorkflow(files []string) bool {
	return c.known && slices.ContainsFunc(files, func(f string) bool { return c.file != "" && workflowFile(f) == c.file })
}

// compare orders checks of one name: a total order, so that the order in which
// GitHub lists them does not matter.
func (c judgement) compare(d judgement) int {
	if o := strings.Compare(c.State, d.State); o != 0 {
		return o
	}
	if o := strings.Compare(c.Detail, d.Detail); o != 0 {
		return o
	}
	if o := strings.Compare(c.URL, d.URL); o != 0 || c.Required == d.Required {
		return o
	}
	if c.Required {
		return 1
	}
	return -1
}

func missing(name string) judgement {
	return judgement{Check: Check{Name: name, State: Pend, Detail: detailMissing, Required: true}}
}

// Details of checks that never reported. A commit status that is only expected
// has not reported either.
const (
	detailMissing  = "missing"
	detailExpected = "expected"
)

// isOver: the check came to an end.
func isOver(c *pr.Check) bool {
	if c.Status {
		return !strings.EqualFold(c.State, "PENDING") && !strings.EqualFold(c.State, "EXPECTED")
	}
	return strings.EqualFold(c.State, "COMPLETED")
}

// judge reads one check.
func judge(c *pr.Check) judgement {
	says, over := c.State, isOver(c)
	if over && !c.Status {
		says = c.Conclusion
	}
	j := judgement{
		Check: Check{
			Name:     c.Name,
			Workflow: c.Workflow,
			State:    Pend,
			Detail:   strings.ToLower(says),
			Required: c.Required,
			URL:      c.URL,
		},
		status: c.Status,
		file:   workflowFile(c.WorkflowPath),
		known:  c.WorkflowKnown,
		from:   c,
	}
	for _, k := range conclusions {
		if over && strings.EqualFold(k.says, says) {
			j.State = k.state
		}
	}
	return j
}

// set is which checks count: as configured, else those that the base requires
// where it requires any, else all.
func set(in Input, all []judgement) string {
	switch {
	case in.Settings.CI.Set != "":
		return in.Settings.CI.Set
	case slices.ContainsFunc(all, func(c judgement) bool { return c.Required }):
		return "required"
	}
	return "all"
}

// choose keeps the checks of the set. A glob without a wildcard names a check
// that has to report; one with a wildcard takes what there is.
func (ci *CI) choose(globs []string, all []judgement) []judgement {
	switch ci.Set {
	case "required":
		return slices.DeleteFunc(all, func(c judgement) bool { return !c.Required })
	case "globs":
		kept := slices.DeleteFunc(all, func(c judgement) bool {
			return !slices.ContainsFunc(globs, func(g string) bool { return g == c.Name || doublestar.MatchUnvalidated(g, c.Name) })
		})
		for _, g := range globs {
			named := func(c judgement) bool { return c.Name == g }
			if !strings.ContainsAny(g, `*?[{\`) && !slices.ContainsFunc(kept, named) {
				m := missing(g)
				m.Required = false
				kept = append(kept, m)
			}
		}
		return kept
	}
	return all
}

// sum adds up the checks of the set.
func (ci *CI) sum(all []judgement) {
	reasons := map[string]bool{}
	for _, c := range all {
		ci.Checks = append(ci.Checks, c.Check)
		switch {
		case c.State == Fail:
			ci.Failing = append(ci.Failing, c.Name)
		case c.Detail == detailMissing, c.status && c.Detail == detailExpected:
			ci.Missing = append(ci.Missing, c.Name)
		case c.State == Pend:
			ci.Pending = append(ci.Pending, c.Name)
			reasons[c.Detail] = true
		}
	}
	ci.Failing, ci.Pending, ci.Missing = slices.Compact(ci.Failing), slices.Compact(ci.Pending), slices.Compact(ci.Missing)
	switch {
	case len(ci.Failing) > 0:
		ci.Status = copilot.CIFailure
	case len(ci.Pending)+len(ci.Missing) > 0:
		ci.Status = copilot.CIPending
		for _, r := range pendingReasons {
			if reasons[r.detail] {
				ci.Reason = r.reason
				break
			}
		}
	case len(ci.Checks) == 0:
		ci.Status = copilot.CINone
	default:
		ci.Status = copilot.CISuccess
	}
}

// newest keeps the newest run of each check and judges it. Runs are told apart
// by app and workflow: of one workflow's runs on this head the one with the
// highest number counts, and jobs of the older ones are superseded (C112,
// C113). While the newest run, or its newest attempt, is not over, a job that
// it has not begun yet pends. Where the workflow of a check could not be read,
// the worst of its name counts.
func newest(all []*pr.Check) []judgement {
	type group struct{ kind, app, workflow string }
	groups := map[group][]*pr.Check{}
	var order []group
	for _, c := range all {
		g := group{kind: "run", app: c.App, workflow: cmp.Or(workflowFile(c.WorkflowPath), c.Workflow)}
		switch {
		case c.Status:
			g = group{kind: "status"}
		case !c.WorkflowKnown:
			g = group{kind: "unknown", app: c.App}
		case g.workflow == "" || c.RunID == 0 && c.RunNumber == 0:
			g = group{kind: "app", app: c.App, workflow: g.workflow}
		}
		if _, ok := groups[g]; !ok {
			order = append(order, g)
		}
		groups[g] = append(groups[g], c)
	}
	var kept []judgement
	for _, g := range order {
		switch g.kind {
		case "run":
			kept = append(kept, newestRun(groups[g])...)
		case "unknown":
			kept = append(kept, eachName(groups[g], worst)...)
		default:
			kept = append(kept, eachName(groups[g], latest)...)
		}
	}
	return kept
}

// newestRun judges the runs of one workflow.
func newestRun(all []*pr.Check) []judgement {
	last := slices.MaxFunc(all, func(a, b *pr.Check) int {
		return cmp.Or(cmp.Compare(a.RunNumber, b.RunNumber), cmp.Compare(a.RunID, b.RunID))
	})
	run := make([]*pr.Check, 0, len(all))
	attempt := 0
	for _, c := range all {
		if c.RunID == last.RunID && c.RunNumber == last.RunNumber {
			run = append(run, c)
			attempt = max(attempt, c.RunAttempt)
		}
	}
	begun := slices.DeleteFunc(slices.Clone(run), func(c *pr.Check) bool { return c.RunAttempt != attempt })
	if !slices.ContainsFunc(begun, func(c *pr.Check) bool { return !isOver(c) }) {
		// A re-run of failed jobs alone leaves the others to the attempt before.
		return eachName(run, func(same []*pr.Check) judgement {
			newest := slices.MaxFunc(same, func(a, b *pr.Check) int { return cmp.Compare(a.RunAttempt, b.RunAttempt) }).RunAttempt
			return latest(slices.DeleteFunc(same, func(c *pr.Check) bool { return c.RunAttempt != newest }))
		})
	}
	current := eachName(begun, latest)
	for _, c := range eachName(all, worst) {
		if !slices.ContainsFunc(current, func(d judgement) bool { return d.Name == c.Name }) {
			c.State, c.Detail = Pend, "superseded"
			current = append(current, c)
		}
	}
	return current
}

// eachName judges the checks of each name together. It keeps that one of them
// is required.
func eachName(all []*pr.Check, judge func(same []*pr.Check) judgement) []judgement {
	names := make(map[string][]*pr.Check, len(all))
	var order []string
	for _, c := range all {
		if names[c.Name] == nil {
			order = append(order, c.Name)
		}
		names[c.Name] = append(names[c.Name], c)
	}
	kept := make([]judgement, 0, len(order))
	for _, n := range order {
		required := slices.ContainsFunc(names[n], func(c *pr.Check) bool { return c.Required })
		j := judge(names[n])
		j.Required = required
		kept = append(kept, j)
	}
	return kept
}

// worst judges checks of one name by the worst of them.
func worst(same []*pr.Check) judgement {
	bad := judge(same[0])
	for _, c := range same[1:] {
		j := judge(c)
		if o := cmp.Compare(weight(j.State), weight(bad.State)); o > 0 || o == 0 && j.compare(bad) > 0 {
			bad = j
		}
	}
	return bad
}

// latest judges checks of one name by the one that began last, where what has
// not begun will begin later; of equals the worst counts, and of all of them
// where a completed one does not tell when it began.
func latest(same []*pr.Check) judgement {
	if len(same) == 1 {
		return judge(same[0])
	}
	newest := same[0]
	for _, c := range same {
		if c.StartedAt.IsZero() && isOver(c) {
			return worst(same)
		}
		if byStart(c, newest) > 0 {
			newest = c
		}
	}
	return worst(slices.DeleteFunc(slices.Clone(same), func(c *pr.Check) bool { return byStart(c, newest) < 0 }))
}

// weight orders states: the worst is the heaviest.
func weight(state string) int {
	return slices.Index([]string{Pass, Pend, Fail}, state)
}

// byStart: what began later is newer. What has not begun will begin later.
func byStart(a, b *pr.Check) int {
	if a.StartedAt.IsZero() != b.StartedAt.IsZero() {
		if a.StartedAt.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID))
}

// failures are the failing checks as findings (ci.red: handoff). The text is
// ours; it quotes the name, which a stranger may have chosen.
func failures(ci CI) []Finding {
	var all []Finding
	for _, c := range ci.Checks {
		if c.State != Fail {
			continue
		}
		name := bound(squeeze(Clean(c.Name)), maxName)
		if slices.ContainsFunc(all, func(f Finding) bool { return f.ID == "check:"+name }) {
			continue // of another workflow
		}
		all = append(all, Finding{
			ID:       "check:" + name,
			Trusted:  true, // that it failed is GitHub's word
			Severity: High,
			Text:     fmt.Sprintf("The check %q ended with %s.", name, c.Detail),
			URL:      c.URL,
		})
	}
	return all
}
