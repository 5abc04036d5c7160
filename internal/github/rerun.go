package github

import (
	"context"

	"github.com/prloop/prloop/internal/effect"
)

// rerun runs one job again
// (https://docs.github.com/en/rest/actions/workflow-runs#re-run-a-job-from-a-workflow-run).
// A run that is past its first attempt was run again already, by whomever, and
// one that has not ended cannot be.
func (x *Executor) rerun(ctx context.Context, e effect.Rerun) (effect.Result, error) {
	over := true
	again := func() (bool, error) {
		run, _, err := x.c.rest.Actions.GetWorkflowRunByID(ctx, x.c.owner, x.c.name, e.Run)
		over = run.GetStatus() == "completed"
		return run.GetRunAttempt() > 1, judge(err)
	}
	switch so, err := again(); {
	case err != nil:
		return effect.Result{}, needs(rightRerun, err)
	case so:
		return effect.Result{Outcome: effect.AlreadySo}, nil
	case !over:
		return stale("the workflow run goes on"), nil
	}
	q, err := see[readiness](ctx, x.c, new(sizer), func(int) map[string]any { return x.c.target(x.t.Number) })
	switch {
	case err != nil:
		return effect.Result{}, err
	case q.Repository == nil || q.Repository.PullRequest == nil:
		return effect.Result{}, errLeftOut
	}
	if r, moved := pinned(e.Head, q.Repository.PullRequest.HeadRefOid, q.Repository.PullRequest.State); moved {
		return r, nil
	}
	write := func() error {
		_, err := x.c.rest.Actions.RerunJobByID(ctx, x.c.owner, x.c.name, e.Job)
		return judge(err)
	}
	if err := x.c.once(ctx, write, again); err != nil {
		return effect.Result{}, needs(rightRerun, err)
	}
	return effect.Result{Outcome: effect.Done}, nil
}
