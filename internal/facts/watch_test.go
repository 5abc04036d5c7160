package facts_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// ran is a job of the workflow ci.yml, in attempt 1 of the run with this number.
func ran(name, conclusion string, number int) pr.Check {
	c := pr.Check{
		Name: name, State: "COMPLETED", Conclusion: conclusion, App: "github-actions", ID: int64(number), StartedAt: time.Unix(int64(number), 0),
		WorkflowKnown: true, Workflow: "CI", WorkflowPath: ".github/workflows/ci.yml", RunID: int64(number), RunNumber: number, RunAttempt: 1,
	}
	if conclusion == "" {
		c.State = "IN_PROGRESS"
	}
	return c
}

func deployment(env string, states ...string) pr.Deployment {
	d := pr.Deployment{ID: 1, Environment: env, CreatedAt: time.Unix(1, 0)}
	for i, s := range states {
		d.Statuses = append(d.Statuses, pr.DeploymentStatus{State: s, At: time.Unix(int64(i+2), 0)})
	}
	return d
}

// Design 7: a regression is a check or deployment that passed on the merge
// commit's first parent and fails, newest attempt, on the merge commit.
func TestWatch(t *testing.T) {
	second := func(c pr.Check) pr.Check { c.RunAttempt, c.ID = 2, c.ID+100; return c }
	blind := func(c pr.Check) pr.Check {
		c.WorkflowKnown, c.Workflow, c.WorkflowPath, c.RunID, c.RunNumber, c.RunAttempt = false, "", "", 0, 0, 0
		return c
	}
	nightly := func(c pr.Check) pr.Check {
		c.Workflow, c.WorkflowPath = "Nightly", ".github/workflows/nightly.yml"
		return c
	}
	status := func(state string) pr.Check {
		return pr.Check{Name: "legacy", Status: true, State: state, WorkflowKnown: true}
	}
	own := ran("step", "FAILURE", 9)
	own.WorkflowPath = ".github/workflows/prloop.yml"
	checks := func(list ...pr.Check) pr.Standing { return pr.Standing{Checks: list} }
	deployments := func(list ...pr.Deployment) pr.Standing { return pr.Standing{Deployments: list} }
	lost := func(f pr.Fact) []pr.Unknown { return []pr.Unknown{{Fact: f, Why: "it is"}} }
	for _, c := range []struct {
		name string
		in   pr.Watched
		want facts.Watching
	}{
		{"nothing at all", pr.Watched{}, facts.Watching{}},
		{"it passed before and fails now", pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "FAILURE", 2))}, facts.Watching{Regressions: []string{"unit"}}},
		{"neutral and skipped pass", pr.Watched{Then: checks(ran("a", "NEUTRAL", 1), ran("b", "SKIPPED", 1)), Now: checks(ran("a", "TIMED_OUT", 2), ran("b", "STARTUP_FAILURE", 2))}, facts.Watching{Regressions: []string{"a", "b"}}},
		{"it passes", pr.Watched{Then: checks(ran("unit", "FAILURE", 1)), Now: checks(ran("unit", "SUCCESS", 2))}, facts.Watching{Passed: 1}},
		{"it was red already", pr.Watched{Then: checks(ran("unit", "FAILURE", 1)), Now: checks(ran("unit", "FAILURE", 2))}, facts.Watching{Red: []string{"unit"}}},
		{"there was none before", pr.Watched{Then: checks(ran("lint", "SUCCESS", 1)), Now: checks(ran("unit", "FAILURE", 2))}, facts.Watching{Unclear: []string{"unit"}}},
		{"the one before was cancelled", pr.Watched{Then: checks(ran("unit", "CANCELLED", 1)), Now: checks(ran("unit", "FAILURE", 2))}, facts.Watching{Unclear: []string{"unit"}}},
		{"the one before had not ended", pr.Watched{Then: checks(ran("unit", "", 1)), Now: checks(ran("unit", "FAILURE", 2))}, facts.Watching{Unclear: []string{"unit"}}},
		{"the next merge cancels it", pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "CANCELLED", 2))}, facts.Watching{Unclear: []string{"unit"}}},
		{"it runs", pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "", 2))}, facts.Watching{Pending: []string{"unit"}}},
		{"it waits for an approval", pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "ACTION_REQUIRED", 2))}, facts.Watching{Pending: []string{"unit"}}},
		{
			"its second attempt passes",
			pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "FAILURE", 2), second(ran("unit", "SUCCESS", 2)))},
			facts.Watching{Passed: 1},
		},
		{
			"its second attempt fails",
			pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "SUCCESS", 2), second(ran("unit", "FAILURE", 2)))},
			facts.Watching{Regressions: []string{"unit"}},
		},
		{
			"another workflow has a job of that name",
			pr.Watched{Then: checks(ran("unit", "FAILURE", 1), nightly(ran("unit", "SUCCESS", 1))), Now: checks(nightly(ran("unit", "FAILURE", 2)))},
			facts.Watching{Regressions: []string{"unit"}},
		},
		{
			"two jobs of that name, and the workflows are not known: the worst before counts",
			pr.Watched{Then: checks(blind(ran("unit", "FAILURE", 1)), blind(ran("unit", "SUCCESS", 2))), Now: checks(blind(ran("unit", "FAILURE", 3)))},
			facts.Watching{Red: []string{"unit"}},
		},
		{"a commit status", pr.Watched{Then: checks(status("SUCCESS")), Now: checks(status("ERROR"))}, facts.Watching{Regressions: []string{"legacy"}}},
		{"a check run is no commit status", pr.Watched{Then: checks(ran("legacy", "SUCCESS", 1)), Now: checks(status("ERROR"))}, facts.Watching{Unclear: []string{"legacy"}}},
		{"our own run does not count", pr.Watched{Then: checks(own), Now: checks(own)}, facts.Watching{}},
		{
			"a deployment that the next one made inactive had passed",
			pr.Watched{Then: deployments(deployment("production", "PENDING", "SUCCESS", "INACTIVE")), Now: deployments(deployment("production", "IN_PROGRESS", "FAILURE"))},
			facts.Watching{Regressions: []string{"deployment to production"}},
		},
		{
			"deployments: red before, running, gone before it ended, to elsewhere",
			pr.Watched{
				Then: deployments(deployment("a", "ERROR"), deployment("d", "SUCCESS")),
				Now:  deployments(deployment("a", "FAILURE"), deployment("b", "QUEUED"), deployment("c", "INACTIVE"), deployment("e", "ERROR"), deployment("f", "SUCCESS")),
			},
			facts.Watching{Red: []string{"deployment to a"}, Pending: []string{"deployment to b"}, Unclear: []string{"deployment to c", "deployment to e"}, Passed: 1},
		},
		{
			"a newer deployment to the same environment counts",
			pr.Watched{Then: deployments(deployment("a", "SUCCESS")), Now: deployments(deployment("a", "FAILURE"), pr.Deployment{ID: 2, Environment: "a", CreatedAt: time.Unix(1, 0), Statuses: []pr.DeploymentStatus{{State: "SUCCESS"}}})},
			facts.Watching{Passed: 1},
		},
		{
			"checks that were not read in full show no regression, deployments do",
			pr.Watched{
				Then: pr.Standing{Checks: []pr.Check{ran("unit", "SUCCESS", 1)}, Deployments: []pr.Deployment{deployment("a", "SUCCESS")}},
				Now:  pr.Standing{Checks: []pr.Check{ran("unit", "FAILURE", 2)}, Deployments: []pr.Deployment{deployment("a", "ERROR")}}, Unknown: lost(pr.FactChecksThen),
			},
			facts.Watching{Regressions: []string{"deployment to a"}, Unclear: []string{"unit"}},
		},
		{
			"deployments that were not read in full show no regression",
			pr.Watched{Then: deployments(deployment("a", "SUCCESS")), Now: deployments(deployment("a", "ERROR")), Unknown: lost(pr.FactDeployments)},
			facts.Watching{Unclear: []string{"deployment to a"}},
		},
		{
			"nobody knows what it is held against",
			pr.Watched{Then: checks(ran("unit", "SUCCESS", 1)), Now: checks(ran("unit", "FAILURE", 2)), Unknown: lost(pr.FactBefore)},
			facts.Watching{Unclear: []string{"unit"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := facts.Watch(&c.in, facts.Own{Workflow: "octo/demo/.github/workflows/prloop.yml@refs/heads/main"}, config.Defaults())
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := cmp.Equal(c.want, facts.Watching{}); got.Nothing() != want {
				t.Errorf("Nothing() = %v, want %v", got.Nothing(), want)
			}
		})
	}
}

// What GitHub lists first makes no difference, and what is unread shows no
// regression, whatever it is.
func TestWatchDoesNotMindOrder(t *testing.T) {
	conclusions := []string{"SUCCESS", "FAILURE", "CANCELLED", "", "NEUTRAL", "ACTION_REQUIRED"}
	states := []string{"SUCCESS", "FAILURE", "INACTIVE", "QUEUED"}
	rapid.Check(t, func(t *rapid.T) {
		standing := func(name string) (s pr.Standing) {
			for i := range rapid.IntRange(0, 4).Draw(t, name) {
				s.Checks = append(s.Checks, ran(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "check"), rapid.SampledFrom(conclusions).Draw(t, "conclusion"), i+1))
				d := deployment(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "environment"), rapid.SampledFrom(states).Draw(t, "state"), rapid.SampledFrom(states).Draw(t, "state"))
				d.ID = int64(i)
				s.Deployments = append(s.Deployments, d)
			}
			return s
		}
		in := pr.Watched{Now: standing("now"), Then: standing("then")}
		want := facts.Watch(&in, facts.Own{}, config.Defaults())
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		for _, s := range []*pr.Standing{&in.Now, &in.Then} {
			r.Shuffle(len(s.Checks), func(i, j int) { s.Checks[i], s.Checks[j] = s.Checks[j], s.Checks[i] })
			r.Shuffle(len(s.Deployments), func(i, j int) { s.Deployments[i], s.Deployments[j] = s.Deployments[j], s.Deployments[i] })
		}
		if diff := cmp.Diff(want, facts.Watch(&in, facts.Own{}, config.Defaults())); diff != "" {
			t.Fatalf("(-as listed +shuffled):\n%s", diff)
		}
		in.Lose(pr.FactBefore, "it is", "")
		if got := facts.Watch(&in, facts.Own{}, config.Defaults()); len(got.Regressions)+len(got.Red) > 0 {
			t.Fatalf("regressions %q, red before %q, and nobody knows what stood before", got.Regressions, got.Red)
		}
	})
}
