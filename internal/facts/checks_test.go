package facts_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// A rollup is what the checks come to: checks as "name state detail", required
// ones with an exclamation mark.
type rollup struct {
	Status copilot.CIStatus
	Set    string
	Reason string
	Checks []string
}

func rollupOf(ci facts.CI) rollup {
	r := rollup{Status: ci.Status, Set: ci.Set, Reason: ci.Reason}
	for _, c := range ci.Checks {
		mark := ""
		if c.Required {
			mark = "!"
		}
		r.Checks = append(r.Checks, fmt.Sprintf("%s%s %s %s", c.Name, mark, c.State, c.Detail))
	}
	return r
}

func TestPayloadsOfRollups(t *testing.T) {
	want := map[string]rollup{
		"null":  {Status: "none", Set: "all"},
		"empty": {Status: "none", Set: "all"},
		"all-conclusions": {"failure", "required", "", []string{
			"action! pend action_required", "cancelled! fail cancelled", "legacy/error! fail error", "legacy/expected! pend expected", "legacy/ok! pass success",
			"neutral! pass neutral", "ok! pass success", "pending! pend pending", "queued! pend queued", "requested! pend requested", "skip! pass skipped",
			"stale! pend stale", "startup! fail startup_failure", "timed! fail timed_out", "waiting! pend waiting",
		}},
		"cancelled-superseded":                    {"success", "required", "", []string{"test! pass success"}},
		"cancelled-higher-id-rerun-not-started":   {"pending", "required", "", []string{"build! pend in_progress", "system! pend superseded"}},
		"same-name-two-workflows":                 {"failure", "required", "", []string{"build! pass success", "build! fail failure"}},
		"unknown-enums":                           {"pending", "required", "", []string{"future! pend something_new", "future2! pend paused"}},
		"copilot-check-failed-quota":              {"success", "required", "", []string{"ci! pass success"}},
		"coderabbit-green-but-skipped":            {"success", "required", "", []string{"ci! pass success"}},
		"coderabbit-green-but-skipped, all count": {"success", "all", "", []string{"CodeRabbit pass success", "ci! pass success"}},
		"copilot-check-failed-quota, all count":   {"success", "all", "", []string{"ci! pass success"}},
	}
	files, err := filepath.Glob("testdata/rollups/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if _, ok := want[name]; !ok {
			t.Errorf("no row reads %s", f)
		}
	}
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			file, all := strings.CutSuffix(name, ", all count")
			edits := []edit{checks(load[[]pr.Check](t, "rollups", file+".json")...)}
			if all {
				edits = append(edits, counting("all"))
			}
			f := derive(edits...)
			if diff := cmp.Diff(w, rollupOf(f.CI)); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
			if f.AtHead != nil || f.Copilot.CopilotReviewPresent {
				t.Error("a check counts as a review (C026)")
			}
		})
	}
}

func counting(set string, globs ...string) edit {
	return setting(func(s *config.Settings) { s.CI.Set, s.CI.Globs = set, globs })
}

func requires(contexts ...string) edit {
	return snapshot(func(s *pr.Snapshot) { s.Rules.RequiredContexts = contexts })
}

// but changes a check.
func but(c pr.Check, changes ...func(*pr.Check)) pr.Check {
	for _, change := range changes {
		change(&c)
	}
	return c
}

func inRun(number int) func(*pr.Check) {
	return func(c *pr.Check) { c.RunNumber, c.RunID, c.ID = number, int64(100+number), int64(1000-number) }
}

func attempt(n int) func(*pr.Check) { return func(c *pr.Check) { c.RunAttempt = n } }

func started(clock string) func(*pr.Check) {
	return func(c *pr.Check) { c.StartedAt = at(clock) }
}

func running(c *pr.Check)    { c.State, c.Conclusion = "IN_PROGRESS", "" }
func notStarted(c *pr.Check) { c.State, c.Conclusion, c.StartedAt = "QUEUED", "", time.Time{} }
func isRequired(c *pr.Check) { c.Required = true }
func noWorkflow(c *pr.Check) { c.WorkflowKnown, c.Workflow, c.WorkflowPath = false, "", "" }
func undated(c *pr.Check)    { c.StartedAt = time.Time{} }
func external(c *pr.Check) {
	*c = pr.Check{Name: c.Name, State: c.State, Conclusion: c.Conclusion, App: "ci", ID: c.ID, StartedAt: c.StartedAt, WorkflowKnown: true}
}
func otherApp(c *pr.Check)         { c.App = "other" }
func byID(n int64) func(*pr.Check) { return func(c *pr.Check) { c.ID = n } }

func file(path string) func(*pr.Check) {
	return func(c *pr.Check) { c.Workflow, c.WorkflowPath = "", path }
}

func status(name, state string) pr.Check {
	return pr.Check{Name: name, Status: true, State: state, StartedAt: at("11:01:00")}
}

func TestChecks(t *testing.T) {
	pass, failed := run("test", "SUCCESS"), run("test", "FAILURE")
	tests := []struct {
		name  string
		edits []edit
		want  rollup
	}{
		{"one check passes", nil, rollup{"success", "all", "", []string{"test pass success"}}},
		{"a completed run without a conclusion pends", []edit{checks(run("test", ""))}, rollup{"pending", "all", "", []string{"test pend "}}},
		{"a status that nobody knows pends", []edit{checks(status("ci", "NEW"))}, rollup{"pending", "all", "", []string{"ci pend new"}}},
		{"a pending status pends", []edit{checks(status("ci", "PENDING"))}, rollup{"pending", "all", "", []string{"ci pend pending"}}},
		{"runs that wait for an approval say so", []edit{checks(run("a", "ACTION_REQUIRED"), run("b", "STALE"))}, rollup{"pending", "all", "runs_need_approval", []string{"a pend action_required", "b pend stale"}}},
		{"stale ones too", []edit{checks(run("a", "STALE"), pass)}, rollup{"pending", "all", "check_stale", []string{"a pend stale", "test pass success"}}},
		{"a failure has no such reason", []edit{checks(run("a", "STALE"), failed)}, rollup{"failure", "all", "", []string{"a pend stale", "test fail failure"}}},

		// Which of several runs counts.
		{"of one workflow the run with the highest number", []edit{checks(but(failed, inRun(4)), but(pass, inRun(5)))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"even where the older one was re-run later", []edit{checks(but(failed, inRun(4), attempt(2), started("11:30:00")), but(pass, inRun(5)))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"a genuine cancellation of the newest fails", []edit{checks(but(run("test", "CANCELLED"), inRun(5)), but(pass, inRun(4)))}, rollup{"failure", "all", "", []string{"test fail cancelled"}}},
		{"jobs of superseded runs are ignored", []edit{checks(but(run("gone", "FAILURE"), inRun(4)), but(pass, inRun(5)))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"a job that the newest run has not begun yet pends", []edit{checks(but(run("later", "SUCCESS"), inRun(4)), but(pass, inRun(5), running))}, rollup{"pending", "all", "", []string{"later pend superseded", "test pend in_progress"}}},
		{"the newest attempt counts", []edit{checks(failed, but(pass, attempt(2)))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"a re-run of failed jobs leaves the others as they were", []edit{checks(run("build", "SUCCESS"), failed, but(pass, attempt(2)))}, rollup{"success", "all", "", []string{"build pass success", "test pass success"}}},
		{"while it is under way the others may still be run again", []edit{checks(run("build", "SUCCESS"), failed, but(pass, attempt(2), running))}, rollup{"pending", "all", "", []string{"build pend superseded", "test pend in_progress"}}},
		{"the same run twice: the later start counts", []edit{checks(but(failed, started("11:01:00")), but(pass, started("11:02:00")))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"with equal starts the higher id", []edit{checks(but(failed, byID(1)), but(pass, byID(2)))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"with equal ids the worse one", []edit{checks(failed, pass)}, rollup{"failure", "all", "", []string{"test fail failure"}}},
		{"what has not begun is newer than what has", []edit{checks(but(pass, started("11:30:00")), but(pass, notStarted, byID(2)))}, rollup{"pending", "all", "", []string{"test pend queued"}}},
		{"where a completed one does not tell when it began, the worst counts", []edit{checks(but(pass, undated, byID(3)), but(failed, byID(2)))}, rollup{"failure", "all", "", []string{"test fail failure"}}},
		{"the same name in another workflow is another check", []edit{checks(pass, but(failed, file(".github/workflows/release.yml")))}, rollup{"failure", "all", "", []string{"test fail failure", "test pass success"}}},
		{"and of another app", []edit{checks(pass, but(failed, external, otherApp))}, rollup{"failure", "all", "", []string{"test fail failure", "test pass success"}}},
		{"and so is the commit status", []edit{checks(pass, status("test", "ERROR"))}, rollup{"failure", "all", "", []string{"test fail error", "test pass success"}}},
		{"an app without workflows: the later start counts", []edit{checks(but(failed, external), but(pass, external, started("11:30:00")))}, rollup{"success", "all", "", []string{"test pass success"}}},
		{"where the workflow is unknown the worst of the name counts", []edit{checks(but(pass, noWorkflow, inRun(5), started("11:30:00"), byID(9)), but(run("test", "CANCELLED"), noWorkflow, inRun(4), byID(8)))}, rollup{"failure", "all", "", []string{"test fail cancelled"}}},
		{"but apps and commit statuses stay apart", []edit{checks(but(pass, noWorkflow), but(pass, external), status("test", "SUCCESS"))}, rollup{"success", "all", "", []string{"test pass success", "test pass success", "test pass success"}}},

		// Which checks count.
		{"where the base requires any, those", []edit{checks(pass, run("lint", "FAILURE")), requires("test")}, rollup{"success", "required", "", []string{"test! pass success"}}},
		{"as isRequired says, too", []edit{checks(but(pass, isRequired), run("lint", "FAILURE"))}, rollup{"success", "required", "", []string{"test! pass success"}}},
		{"one of a name being required is enough", []edit{checks(but(pass, isRequired, inRun(4)), but(failed, inRun(5)))}, rollup{"failure", "required", "", []string{"test! fail failure"}}},
		{"a required check that never reported pends", []edit{checks(pass), requires("absent", "test")}, rollup{"pending", "required", "", []string{"absent! pend missing", "test! pass success"}}},
		{"so it does alone", []edit{checks(), requires("absent")}, rollup{"pending", "required", "", []string{"absent! pend missing"}}},
		{"a status that is only expected never reported", []edit{checks(status("ci", "EXPECTED")), requires("ci")}, rollup{"pending", "required", "", []string{"ci! pend expected"}}},
		{"a required workflow makes its jobs required", []edit{checks(pass, but(failed, file(".github/workflows/x.yml"))), workflows("ci.yml")}, rollup{"success", "required", "", []string{"test! pass success"}}},
		{"and pends without a run", []edit{checks(pass), workflows("ci.yml", "audit.yml")}, rollup{"pending", "required", "", []string{".github/workflows/audit.yml! pend missing", "test! pass success"}}},
		{"and where nobody knows whose run it is", []edit{checks(but(pass, noWorkflow)), workflows("ci.yml")}, rollup{"pending", "required", "", []string{".github/workflows/ci.yml! pend missing"}}},
		{"all, if it says so", []edit{checks(pass, run("lint", "FAILURE")), requires("test"), counting("all")}, rollup{"failure", "all", "", []string{"lint fail failure", "test! pass success"}}},
		{"required, if it says so, of a base that requires none", []edit{counting("required")}, rollup{"none", "required", "", nil}},
		{"globs by name", []edit{checks(run("build (linux)", "SUCCESS"), run("build (windows)", "FAILURE"), run("ci / test", "SUCCESS"), run("lint", "FAILURE")), counting("globs", "build (l*)", "ci/**", "ci */*")}, rollup{"success", "globs", "", []string{"build (linux) pass success", "ci / test pass success"}}},
		{"a name among them that never reported pends", []edit{checks(pass), counting("globs", "test", "lint", "docs-*")}, rollup{"pending", "globs", "", []string{"lint pend missing", "test pass success"}}},
		{"globs that fit nothing", []edit{checks(pass), counting("globs", "docs-*")}, rollup{"none", "globs", "", nil}},

		// What was not read.
		{"without the checks it is pending at best", []edit{unknown(pr.FactChecks)}, rollup{"pending", "all", "", []string{"test pass success"}}},
		{"even with none", []edit{checks(), unknown(pr.FactChecks)}, rollup{"pending", "all", "", nil}},
		{"without the rules too", []edit{unknown(pr.FactRules)}, rollup{"pending", "all", "", []string{"test pass success"}}},
		{"what failed has failed", []edit{checks(failed), unknown(pr.FactChecks, pr.FactRules)}, rollup{"failure", "all", "", []string{"test fail failure"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := derive(tt.edits...)
			if diff := cmp.Diff(tt.want, rollupOf(f.CI)); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
			if f.Copilot.CIStatus != f.CI.Status {
				t.Errorf("the snapshot says %s", f.Copilot.CIStatus)
			}
		})
	}
}

func workflows(names ...string) edit {
	return snapshot(func(s *pr.Snapshot) {
		for _, n := range names {
			s.Rules.RequiredWorkflows = append(s.Rules.RequiredWorkflows, ".github/workflows/"+n)
		}
	})
}

// A loop must not wait for a check that it posts itself, nor for the review
// that it asked for.
func TestChecksLeftOut(t *testing.T) {
	own := func(o facts.Own) edit { return func(in *facts.Input) { in.Own = o } }
	step := but(run("step", ""), running, byID(77), file(".github/workflows/prloop.yml"), inRun(9), byID(77))
	agentRun := func(path string) pr.Check { return but(run("Agent", "FAILURE"), file(path)) }
	out := []string{"test pass success"}
	tests := []struct {
		name  string
		edits []edit
		in    []string // what is in beside nothing
	}{
		{"this job, by the id of its check run", []edit{own(facts.Own{CheckRunID: 77}), checks(step)}, nil},
		{"the id of a commit status is not it", []edit{own(facts.Own{CheckRunID: 77}), checks(pr.Check{Name: "ci", Status: true, State: "SUCCESS", ID: 77})}, []string{"ci pass success"}},
		{"all jobs of this run", []edit{own(facts.Own{RunID: 109}), checks(step)}, nil},
		{"any run of this workflow's file", []edit{own(facts.Own{Workflow: ".github/workflows/prloop.yml"}), checks(step, but(step, inRun(8)))}, nil},
		{"as the runner spells it", []edit{own(facts.Own{Workflow: "octo/mona/.github/workflows/prloop.yml@refs/heads/main"}), checks(step)}, nil},
		{"a workflow of that name elsewhere is not it", []edit{own(facts.Own{Workflow: ".github/workflows/prloop.yml"}), checks(but(step, file("dynamic/prloop.yml")))}, []string{"step pend in_progress"}},
		{"a job of our check run's name, where the workflow is unknown", []edit{own(facts.Own{CheckRunID: 77, Job: "loop"}), checks(but(step, noWorkflow), but(run("step", "CANCELLED"), noWorkflow, inRun(8)))}, nil},
		{"a job of this job's name, where nothing else is known", []edit{own(facts.Own{Job: "step"}), checks(but(step, noWorkflow))}, nil},
		{"not where the workflow is known", []edit{own(facts.Own{Job: "step"}), checks(step)}, []string{"step pend in_progress"}},
		{"not of another app", []edit{own(facts.Own{Job: "step"}), checks(but(step, noWorkflow, otherApp))}, []string{"step pend in_progress"}},
		{"nor a commit status", []edit{own(facts.Own{Job: "step"}), checks(status("step", "PENDING"))}, []string{"step pend pending"}},
		{"what we are not told of counts", []edit{checks(step)}, []string{"step pend in_progress"}},
		{"that the base requires our own check does not make us wait for it", []edit{own(facts.Own{CheckRunID: 77}), checks(step), requires("step")}, nil},
		{"that somebody else posts one of that name does", []edit{own(facts.Own{CheckRunID: 77}), checks(step, status("step", "PENDING")), requires("step")}, []string{"step! pend pending"}},

		{"the reviewer's run, by its path", []edit{checks(agentRun("dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer"))}, nil},
		{"by its other path", []edit{checks(agentRun("dynamic/agents/copilot-pull-request-reviewer"))}, nil},
		{"the coding agent's", []edit{checks(agentRun("dynamic/copilot-swe-agent/copilot"))}, nil},
		{"other dynamic workflows count", []edit{checks(agentRun("dynamic/github-code-scanning/codeql"))}, []string{"Agent fail failure"}},
		{"a path that only begins so counts", []edit{checks(agentRun("dynamic/copilot-swe-agent-of-mine/x"))}, []string{"Agent fail failure"}},
		{"the reviewer's check by its name, where the workflow is unknown", []edit{checks(but(run("copilot-pull-request-reviewer", "FAILURE"), noWorkflow), but(run("Agent", "FAILURE"), noWorkflow))}, nil},
		{"a job called Agent that is required counts", []edit{checks(but(run("Agent", "FAILURE"), noWorkflow, isRequired))}, []string{"Agent! fail failure"}},
		{"a user's workflow may call its job so", []edit{checks(run("copilot-pull-request-reviewer", "FAILURE"))}, []string{"copilot-pull-request-reviewer fail failure"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := derive(append([]edit{counting("all")}, tt.edits...)...)
			if diff := cmp.Diff(tt.in, rollupOf(f.CI).Checks); diff != "" {
				t.Error("alone (-want +got)\n" + diff)
			}
			if tt.in != nil {
				return
			}
			beside := snapshot(func(s *pr.Snapshot) { s.Checks = append(s.Checks, run("test", "SUCCESS")) })
			f = derive(append([]edit{counting("all")}, append(tt.edits, beside)...)...)
			if diff := cmp.Diff(rollup{"success", "all", "", out}, rollupOf(f.CI)); diff != "" {
				t.Error("beside another one (-want +got)\n" + diff)
			}
		})
	}
}

func TestNamesOfChecks(t *testing.T) {
	f := derive(
		checks(run("b", "FAILURE"), run("a", "FAILURE"), but(run("a", "FAILURE"), file(".github/workflows/x.yml")), but(run("d", ""), running), run("c", "SUCCESS"), status("e", "EXPECTED")),
		requires("z"), counting("all"),
	)
	got := [][]string{f.CI.Failing, f.CI.Pending, f.CI.Missing}
	if diff := cmp.Diff([][]string{{"a", "b"}, {"d"}, {"e", "z"}}, got); diff != "" {
		t.Error("failing, pending, missing (-want +got)\n" + diff)
	}
}

// What red checks do (ci.red).
func TestRedChecks(t *testing.T) {
	type outcome struct {
		CI       copilot.CIStatus // in the snapshot
		Body     bool
		State    copilot.State
		Awaiting []string
	}
	red := func(r config.Red) edit { return setting(func(s *config.Settings) { s.CI.Red = r }) }
	failing := checks(run("test", "FAILURE"), but(run("test", "TIMED_OUT"), file(".github/workflows/x.yml")), run("lint", "SUCCESS"))
	handed := outcome{"failure", true, copilot.UnresolvedFeedbackPresent, []string{"check:test"}}
	stopped := outcome{"failure", false, copilot.BlockedNeedsUserDecision, nil}
	reviewed := copilotReview("R1", cleanBody, head, "11:30:00")
	tests := []struct {
		name  string
		edits []edit
		want  outcome
	}{
		{"stop", []edit{failing}, stopped},
		{"stop after a review", []edit{failing, reviewed}, stopped},
		{"wait feeds a failure as pending", []edit{failing, red(config.RedWait)}, outcome{"pending", false, copilot.WaitingForCI, nil}},
		{"handoff makes findings of them before a review (rule 12)", []edit{failing, red(config.RedHandoff)}, handed},
		{"and after one (rule 9)", []edit{failing, reviewed, red(config.RedHandoff)}, handed},
		{"not where feedback goes first anyway", []edit{failing, thread("T1", said(reviewer, "Remark")), red(config.RedHandoff)}, outcome{"failure", false, copilot.UnresolvedFeedbackPresent, []string{"T1"}}},
		{"not while a review is on its way", []edit{failing, requested("11:40:00"), red(config.RedHandoff)}, outcome{"failure", false, copilot.WaitingForCopilotReview, nil}},
		{"not of a draft", []edit{failing, red(config.RedHandoff), snapshot(func(s *pr.Snapshot) { s.Draft = true })}, outcome{"failure", false, copilot.PRDraft, nil}},
		{"not where checks are not asked for", []edit{failing, red(config.RedHandoff), setting(func(s *config.Settings) { s.RequireCI = false })}, outcome{"failure", false, copilot.PRReadyNoFeedback, nil}},
		{"not after the last round", []edit{failing, reviewed, red(config.RedHandoff), setting(func(s *config.Settings) { s.Refinement.MaxCopilotRounds = 1 })}, outcome{"failure", false, copilot.RoundCapReached, nil}},
		{"not of checks that pass", []edit{red(config.RedHandoff)}, outcome{"success", false, copilot.PRReadyNoFeedback, nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(tt.edits...)
			f := facts.Derive(in)
			got := outcome{CI: f.Copilot.CIStatus, Body: f.Copilot.CopilotBodyFeedbackUnresolved}
			got.State = copilot.Interpret(f.Copilot, copilot.Config{
				MaxCopilotRounds: float64(in.Settings.Refinement.MaxCopilotRounds), PreApprovalRequireCI: in.Settings.RequireCI,
			}).State
			for _, x := range f.Awaiting {
				got.Awaiting = append(got.Awaiting, x.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

func TestAFailingCheckAsAFinding(t *testing.T) {
	name := "a\u202e<!-- x -->" + strings.Repeat("b", 300)
	handoff := setting(func(s *config.Settings) { s.CI.Red = config.RedHandoff })
	got := derive(handoff, checks(but(run(name, "TIMED_OUT"), func(c *pr.Check) { c.URL = "https://github.com/octo/mona/runs/1" }))).Awaiting
	short := "a" + strings.Repeat("b", 196) + "…"
	want := []facts.Finding{{
		ID: "check:" + short, Trusted: true, Severity: facts.High,
		Text: `The check "` + short + `" ended with timed_out.`, URL: "https://github.com/octo/mona/runs/1",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// A job is flaky where nothing but chance can have made it fail: it passed on
// this very head in another run of its workflow, and was not run again yet.
func TestFlaky(t *testing.T) {
	job := func(change func(*pr.Check)) pr.Check {
		c := pr.Check{
			Name: "build", State: "COMPLETED", Conclusion: "SUCCESS", App: "github-actions", ID: 10,
			WorkflowKnown: true, WorkflowPath: ".github/workflows/ci.yml", RunID: 1, RunNumber: 1, RunAttempt: 1,
		}
		change(&c)
		return c
	}
	passed := job(func(*pr.Check) {})
	failed := func(changes ...func(*pr.Check)) pr.Check {
		return job(func(c *pr.Check) {
			c.ID, c.Conclusion, c.RunID, c.RunNumber = 11, "FAILURE", 2, 2
			for _, f := range changes {
				f(c)
			}
		})
	}
	want := []facts.Flaky{{Name: "build", Job: 11, Run: 2}}
	tests := []struct {
		says   string
		checks []pr.Check
		want   []facts.Flaky
	}{
		{"it passed, and failed in a later run", []pr.Check{passed, failed()}, want},
		{"in whatever order they are listed", []pr.Check{failed(), passed}, want},
		{"it never passed", []pr.Check{failed()}, nil},
		{"another job passed", []pr.Check{job(func(c *pr.Check) { c.Name = "test" }), failed()}, nil},
		{"a job of another workflow passed", []pr.Check{job(func(c *pr.Check) { c.WorkflowPath = ".github/workflows/x.yml" }), failed()}, nil},
		{"it was skipped, which is no pass", []pr.Check{job(func(c *pr.Check) { c.Conclusion = "SKIPPED" }), failed()}, nil},
		{"it was run again already", []pr.Check{passed, failed(func(c *pr.Check) { c.RunAttempt = 2 })}, nil},
		{"it runs again", []pr.Check{passed, failed(func(c *pr.Check) { c.State, c.Conclusion = "IN_PROGRESS", "" })}, nil},
		{"it is no job of GitHub Actions", []pr.Check{passed, failed(func(c *pr.Check) { c.App = "other" })}, nil},
		{"its workflow is not known", []pr.Check{passed, failed(func(c *pr.Check) { c.WorkflowKnown = false })}, nil},
	}
	for _, tt := range tests {
		f := derive(snapshot(func(s *pr.Snapshot) { s.Checks = tt.checks }))
		if diff := cmp.Diff(tt.want, f.CI.Flaky); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.says, diff)
		}
	}
}
