package githubtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Check is a check run or a commit status to put on a head.
type Check struct {
	Name       string
	Conclusion string // SUCCESS, FAILURE, …; of a commit status its state
	Status     string // COMPLETED where there is a conclusion, else IN_PROGRESS
	Required   bool   // by this check's own word; rules of the base count too
	StatusOnly bool   // a commit status, not a check run
	App        string // slug; github-actions
	Workflow   string // name; CI, for github-actions
	Path       string // of the workflow file; .github/workflows/<name>.yml
	Event      string // pull_request
	// RunID is the workflow run; 0: the run of this workflow on this head,
	// begun if there is none. Attempt above the run's own re-runs it.
	RunID     int64
	RunNumber int
	Attempt   int
	StartedAt time.Time // now
	URL       string
	// CheckRunID is the database id of the check run; 0: the next one.
	CheckRunID int64
	Creator    string // of a commit status
	Text       string // description of a commit status
}

// A ScriptedCheck runs on every head that appears.
type ScriptedCheck struct {
	Check
	After time.Duration // from the head to the start
	Takes time.Duration // from the start to the end; with Never it stays
	Never bool          // it starts and does not end
	// Conclusions are those of the first head, the second, and so on of a pull
	// request; the last one repeats. Empty: the Check's own, or SUCCESS.
	Conclusions []string
}

// SetChecks says what runs on every head from now on.
func (w *World) SetChecks(list ...ScriptedCheck) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checks = slices.Clone(list)
}

// Commit is a commit with its checks.
type Commit struct {
	ID       string
	OID      string
	Message  string
	Author   string // the account that it is linked to; empty: none
	Parents  []string
	At       time.Time
	Files    []FileChange
	Suites   []*CheckSuite
	Statuses []*CommitStatus
	// Deployments are oldest first.
	Deployments []*Deployment
	// contexts are check runs and statuses in the order of their appearance.
	contexts []any
}

// CheckSuite is a suite of check runs: one per workflow run, or per app.
type CheckSuite struct {
	ID         string
	DatabaseID int64
	App        string
	CreatedAt  time.Time
	Run        *WorkflowRun // nil for other apps than github-actions
	CheckRuns  []*CheckRun

	commit *Commit
}

// CheckRun is a check run.
type CheckRun struct {
	ID          string
	DatabaseID  int64
	Name        string
	Status      string
	Conclusion  string
	StartedAt   time.Time
	CompletedAt time.Time
	URL         string
	Required    bool
	// What an app says of it.
	ExternalID, Title, Summary, Text string

	suite *CheckSuite
}

// CommitStatus is a commit status; of a name only the newest is shown.
type CommitStatus struct {
	ID         string
	DatabaseID int64
	Context    string
	State      string
	Text       string
	URL        string
	Creator    string
	CreatedAt  time.Time
	Required   bool

	commit *Commit
}

// WorkflowRun is a run of a workflow.
type WorkflowRun struct {
	ID         string
	DatabaseID int64
	Number     int
	Attempt    int
	Name       string
	Path       string
	Event      string
	Status     string // queued, in_progress, completed, as REST spells it
	Conclusion string
	HeadSHA    string
	HeadBranch string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Attempts   map[int]string // status of earlier attempts

	workflowID int64
	workflow   string // node id of the workflow
	suite      *CheckSuite
}

// commit makes a commit; an empty oid is a new one.
func (w *World) commit(oid, message string) *Commit {
	if oid == "" {
		oid = w.sha(message)
	}
	if c := w.commits[oid]; c != nil {
		return c
	}
	c := &Commit{OID: oid, Message: message, At: w.now}
	c.ID = w.node("C", c)
	w.commits[oid] = c
	return c
}

// headAppeared begins the scripted checks on a new head.
func (w *World) headAppeared(p *Pull, by string) {
	head := p.Head
	nth := len(w.headsSeen(p))
	for _, s := range w.checks {
		conclusion := cmp.Or(s.Conclusion, "SUCCESS")
		if len(s.Conclusions) > 0 {
			conclusion = s.Conclusions[min(nth, len(s.Conclusions))-1]
		}
		w.later(s.After, s.Name+" starts", func() {
			c := s.Check
			c.Conclusion, c.Status = "", cmp.Or(s.Status, "IN_PROGRESS")
			if c.StatusOnly {
				c.Conclusion, c.Creator = "PENDING", cmp.Or(c.Creator, by)
			}
			run := w.check(p, head, c)
			if s.Never {
				return
			}
			w.later(s.Takes, s.Name+" ends", func() {
				if s.StatusOnly {
					c.Conclusion = conclusion
					w.check(p, head, c)
					return
				}
				w.complete(run, conclusion)
			})
		})
	}
}

// headsSeen are the commits that were the head of p, by its timeline.
func (w *World) headsSeen(p *Pull) []string {
	var heads []string
	for _, e := range p.Events {
		if e.Kind == "committed" || e.Kind == "head_ref_force_pushed" {
			heads = append(heads, e.Commit)
		}
	}
	return heads
}

// Check puts a check on the head of pull request n and returns the database id
// of its check run (0 for a commit status).
func (w *World) Check(n int, c Check) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	if r := w.check(p, p.Head, c); r != nil {
		return r.DatabaseID
	}
	return 0
}

// CheckOn is [World.Check] for any commit.
func (w *World) CheckOn(oid string, c Check) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.check(nil, oid, c); r != nil {
		return r.DatabaseID
	}
	return 0
}

// FinishCheck completes a check run.
func (w *World) FinishCheck(id int64, conclusion string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.checkRun(id)
	if r == nil {
		panic(fmt.Sprintf("githubtest: there is no check run %d", id))
	}
	w.complete(r, conclusion)
}

// checkRun finds a check run by its id; nil where there is none.
func (w *World) checkRun(id int64) *CheckRun {
	for _, c := range w.commits {
		for _, s := range c.Suites {
			for _, r := range s.CheckRuns {
				if r.DatabaseID == id {
					return r
				}
			}
		}
	}
	return nil
}

// check adds a check run or a status to a commit. p is nil for a commit that
// is no head.
func (w *World) check(p *Pull, oid string, c Check) *CheckRun {
	commit := w.commit(oid, "")
	number := 0
	if p != nil {
		number = p.Number
	}
	if c.StatusOnly {
		s := &CommitStatus{
			DatabaseID: w.id("status"), Context: c.Name, State: cmp.Or(c.Conclusion, "PENDING"), Text: c.Text, URL: c.URL,
			Creator: c.Creator, CreatedAt: w.now, Required: c.Required, commit: commit,
		}
		s.ID = w.node("SC", s)
		commit.Statuses = append(commit.Statuses, s)
		i := slices.IndexFunc(commit.contexts, func(v any) bool {
			old, ok := v.(*CommitStatus)
			return ok && old.Context == c.Name
		})
		if i >= 0 {
			commit.contexts[i] = s
		} else {
			commit.contexts = append(commit.contexts, s)
		}
		w.changed(cmp.Or(c.Creator, ActionsBot), "status_"+strings.ToLower(s.State), number, c.Name+" at "+short(oid), "")
		w.settle()
		return nil
	}
	suite := w.suite(p, commit, c)
	r := &CheckRun{
		DatabaseID: c.CheckRunID, Name: c.Name, Status: c.Status, Conclusion: c.Conclusion, StartedAt: c.StartedAt,
		URL: c.URL, Required: c.Required, suite: suite,
	}
	if r.DatabaseID == 0 {
		r.DatabaseID = w.id("checkRun")
	}
	if r.StartedAt.IsZero() {
		r.StartedAt = w.now
	}
	if r.Status == "" {
		r.Status = "IN_PROGRESS"
		if r.Conclusion != "" {
			r.Status = "COMPLETED"
		}
	}
	if r.URL == "" && suite.Run != nil {
		r.URL = fmt.Sprintf("https://github.com/%s/actions/runs/%d/job/%d", w.name(), suite.Run.DatabaseID, r.DatabaseID)
	}
	r.ID = w.node("CR", r)
	// Within a suite only the newest of a name is shown.
	commit.contexts = slices.DeleteFunc(commit.contexts, func(v any) bool {
		old, ok := v.(*CheckRun)
		return ok && old.suite == suite && old.Name == r.Name
	})
	suite.CheckRuns = append(suite.CheckRuns, r)
	commit.contexts = append(commit.contexts, r)
	if r.Status == "COMPLETED" {
		r.CompletedAt = w.now
	}
	w.settleRun(suite)
	by := suite.App + "[bot]"
	what := "check_started"
	if r.Status == "COMPLETED" {
		what = "check_" + strings.ToLower(r.Conclusion)
	}
	w.changed(by, what, number, fmt.Sprintf("%s %d at %s", r.Name, r.DatabaseID, short(oid)), "")
	w.settle()
	return r
}

// suite finds or begins the check suite that c belongs to.
func (w *World) suite(p *Pull, commit *Commit, c Check) *CheckSuite {
	app := cmp.Or(c.App, "github-actions")
	workflow := cmp.Or(c.Workflow, "CI")
	for _, s := range slices.Backward(commit.Suites) {
		if s.App != app || app == "github-actions" && (s.Run.Name != workflow || c.RunID != 0 && s.Run.DatabaseID != c.RunID) {
			continue
		}
		if s.Run != nil && c.Attempt > s.Run.Attempt {
			s.Run.Attempts[s.Run.Attempt] = s.Run.Status
			s.Run.Attempt, s.Run.Status, s.Run.Conclusion = c.Attempt, "in_progress", ""
			// All jobs run again: what the earlier attempt showed is gone.
			commit.contexts = slices.DeleteFunc(commit.contexts, func(v any) bool {
				old, ok := v.(*CheckRun)
				return ok && old.suite == s
			})
		}
		return s
	}
	s := &CheckSuite{DatabaseID: w.id("suite"), App: app, CreatedAt: w.now, commit: commit}
	s.ID = w.node("CS", s)
	commit.Suites = append(commit.Suites, s)
	if app == "github-actions" {
		s.Run = w.workflowRun(p, commit, c, workflow)
		s.Run.suite = s
	}
	return s
}

func (w *World) workflowRun(p *Pull, commit *Commit, c Check, workflow string) *WorkflowRun {
	counter := "number of " + workflow
	w.last[counter]++
	r := &WorkflowRun{
		DatabaseID: c.RunID, Number: cmp.Or(c.RunNumber, int(w.last[counter])), Attempt: cmp.Or(c.Attempt, 1), Name: workflow,
		Path:  cmp.Or(c.Path, ".github/workflows/"+strings.ToLower(strings.ReplaceAll(workflow, " ", "-"))+".yml"),
		Event: cmp.Or(c.Event, "pull_request"), Status: "in_progress", HeadSHA: commit.OID, CreatedAt: w.now, UpdatedAt: w.now,
		Attempts: map[int]string{},
	}
	if r.DatabaseID == 0 {
		r.DatabaseID = w.id("run")
	}
	if p != nil {
		r.HeadBranch = p.HeadRef
	}
	ids := "id of workflow " + workflow
	if w.last[ids] == 0 {
		w.last[ids] = w.id("workflow")
	}
	r.workflowID = w.last[ids]
	r.workflow = fmt.Sprintf("W_kwDOAA%d", r.workflowID)
	r.ID = w.node("WFR", r)
	w.runs[r.DatabaseID] = r
	return r
}

func (w *World) complete(r *CheckRun, conclusion string) {
	r.Status, r.Conclusion, r.CompletedAt = "COMPLETED", conclusion, w.now
	w.settleRun(r.suite)
	number := 0
	for _, n := range w.numbers {
		if w.pulls[n].Head == r.suite.commit.OID {
			number = n
		}
	}
	w.changed(r.suite.App+"[bot]", "check_"+strings.ToLower(conclusion), number,
		fmt.Sprintf("%s %d at %s", r.Name, r.DatabaseID, short(r.suite.commit.OID)), "")
	w.settle()
}

// settleRun gives the workflow run the state of its shown check runs.
func (w *World) settleRun(s *CheckSuite) {
	if s.Run == nil {
		return
	}
	s.Run.Status, s.Run.Conclusion, s.Run.UpdatedAt = "completed", "success", w.now
	for _, v := range s.commit.contexts {
		r, ok := v.(*CheckRun)
		if !ok || r.suite != s {
			continue
		}
		if r.Status != "COMPLETED" {
			s.Run.Status, s.Run.Conclusion = "in_progress", ""
			return
		}
		if verdict(r) != pass {
			s.Run.Conclusion = strings.ToLower(r.Conclusion)
		}
	}
}

// AddRun adds a workflow run that has no check on any head, such as the run
// that prloop itself is in. It returns the run's id.
func (w *World) AddRun(r WorkflowRun) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := new(WorkflowRun)
	*n = r
	if n.DatabaseID == 0 {
		n.DatabaseID = w.id("run")
	}
	n.Attempt, n.Number = max(n.Attempt, 1), max(n.Number, 1)
	n.Status = cmp.Or(n.Status, "in_progress")
	n.Name = cmp.Or(n.Name, "prloop")
	n.Path = cmp.Or(n.Path, ".github/workflows/prloop.yml")
	n.Event = cmp.Or(n.Event, "schedule")
	n.CreatedAt, n.UpdatedAt = w.now, w.now
	if n.Attempts == nil {
		n.Attempts = map[int]string{}
	}
	n.ID = w.node("WFR", n)
	w.runs[n.DatabaseID] = n
	return n.DatabaseID
}

// EndRun completes a workflow run.
func (w *World) EndRun(id int64, conclusion string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.runs[id]
	if r == nil {
		panic(fmt.Sprintf("githubtest: there is no workflow run %d", id))
	}
	r.Status, r.Conclusion, r.UpdatedAt = "completed", conclusion, w.now
}

// settle merges what is armed and no longer held back.
func (w *World) settle() {
	for _, n := range w.numbers {
		p := w.pulls[n]
		if p.AutoMerge == nil || p.State != "OPEN" || p.Draft || p.Conflict || w.blocked(p) != "" || p.Behind && w.rules[p.Base].Strict {
			continue
		}
		w.mergeAs(p, p.AutoMerge.By, p.AutoMerge.Method)
	}
}

// An outcome is what a context counts for in the rollup.
type outcome int

const (
	pass outcome = iota
	pending
	fail
)

func verdict(v any) outcome {
	state := ""
	switch v := v.(type) {
	case *CheckRun:
		if v.Status != "COMPLETED" {
			return pending
		}
		state = v.Conclusion
	case *CommitStatus:
		state = v.State
	}
	switch state {
	case "SUCCESS", "NEUTRAL", "SKIPPED":
		return pass
	case "PENDING", "EXPECTED", "STALE":
		return pending
	}
	return fail
}

func contextName(v any) string {
	switch v := v.(type) {
	case *CheckRun:
		return v.Name
	case *CommitStatus:
		return v.Context
	}
	return ""
}

// rollup is the state of a commit's contexts, as the enum StatusState.
func rollup(contexts []any) string {
	worst := pass
	for _, v := range contexts {
		worst = max(worst, verdict(v))
	}
	return [...]string{"SUCCESS", "PENDING", "FAILURE"}[worst]
}

// required reports whether a context is required by its own word or by the
// rules of the base of p.
func (w *World) required(p *Pull, v any) bool {
	switch v := v.(type) {
	case *CheckRun:
		if v.Required {
			return true
		}
	case *CommitStatus:
		if v.Required {
			return true
		}
	}
	r := w.rules[p.Base]
	return slices.Contains(r.Contexts, contextName(v)) || slices.Contains(r.Checks, contextName(v))
}

// mergeState derives what GitHub would say of p.
func (w *World) mergeState(p *Pull) string {
	if p.MergeState != "" {
		return p.MergeState
	}
	switch {
	case p.State != "OPEN":
		return "UNKNOWN"
	case p.Conflict:
		return "DIRTY"
	case p.Draft:
		return "DRAFT"
	case w.blocked(p) != "":
		return "BLOCKED"
	case p.Behind && w.rules[p.Base].Strict:
		return "BEHIND"
	}
	if c := w.commits[p.Head].contexts; len(c) > 0 && rollup(c) != "SUCCESS" {
		return "UNSTABLE"
	}
	return "CLEAN"
}

func (w *World) mergeable(p *Pull) string {
	switch {
	case p.Mergeable != "":
		return p.Mergeable
	case p.Conflict:
		return "CONFLICTING"
	}
	return "MERGEABLE"
}

// blocked says why the rules of the base hold p back, or nothing.
func (w *World) blocked(p *Pull) string {
	r := w.rules[p.Base]
	contexts := w.commits[p.Head].contexts
	missing := 0
	needed := append(slices.Clone(r.Contexts), r.Checks...)
	for _, name := range needed {
		if !slices.ContainsFunc(contexts, func(v any) bool { return contextName(v) == name && verdict(v) == pass }) {
			missing++
		}
	}
	for _, path := range r.Workflows {
		if !slices.ContainsFunc(w.commits[p.Head].Suites, func(s *CheckSuite) bool {
			return s.Run != nil && s.Run.Path == path && s.Run.Status == "completed" && s.Run.Conclusion == "success"
		}) {
			missing++
		}
	}
	for _, v := range contexts {
		if w.required(p, v) && verdict(v) != pass && !slices.Contains(needed, contextName(v)) {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Sprintf("%d of %d required status checks are expected.", missing, max(missing, len(needed)+len(r.Workflows)))
	}
	if d := w.reviewDecision(p); d == "REVIEW_REQUIRED" || d == "CHANGES_REQUESTED" {
		return "At least 1 approving review is required by reviewers with write access."
	}
	if r.ThreadResolution && slices.ContainsFunc(p.Threads, func(t *Thread) bool { return !t.Resolved }) {
		return "A conversation must be resolved before this pull request can be merged."
	}
	return ""
}

// reviewDecision derives the enum PullRequestReviewDecision, or nothing where
// no review is required.
func (w *World) reviewDecision(p *Pull) string {
	if p.ReviewDecision != "" {
		return p.ReviewDecision
	}
	latest := map[string]string{}
	for _, r := range p.Reviews {
		if w.canPush(r.Author) && (r.State == "APPROVED" || r.State == "CHANGES_REQUESTED" || r.State == "DISMISSED") {
			latest[key(r.Author)] = r.State
		}
	}
	approvals, changes := 0, false
	for _, s := range latest {
		if s == "APPROVED" {
			approvals++
		}
		changes = changes || s == "CHANGES_REQUESTED"
	}
	switch {
	case changes:
		return "CHANGES_REQUESTED"
	case w.rules[p.Base].Approvals == 0:
		return ""
	case approvals >= w.rules[p.Base].Approvals:
		return "APPROVED"
	}
	return "REVIEW_REQUIRED"
}
