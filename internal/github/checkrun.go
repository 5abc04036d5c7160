package github

import (
	"context"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/prloop/prloop/internal/effect"
)

// maxCheckText is how many bytes GitHub takes as summary, and as text, of a check
// run.
const maxCheckText = 65_535

// checkRun puts a check run on the head, with the workflow's token whoever's
// tokens there are: only an app may
// (https://docs.github.com/en/rest/checks/runs#create-a-check-run). One with the
// same external id is the same.
func (x *Executor) checkRun(ctx context.Context, e effect.CheckRun) (effect.Result, error) {
	if e.Digest == "" {
		return failed("a proof without a digest cannot be known again"), nil
	}
	there := func() (bool, error) {
		found := false
		err := everyPage(func(o *gh.ListOptions) (*gh.Response, error) {
			list, resp, err := x.c.rest.Checks.ListCheckRunsForRef(ctx, x.c.owner, x.c.name, string(e.Head), &gh.ListCheckRunsOptions{
				CheckName: new(string(effect.ProofCheck)), Filter: new("all"), ListOptions: *o,
			})
			if list != nil {
				for _, r := range list.CheckRuns {
					found = found || r.GetExternalID() == e.Digest && r.GetName() == effect.ProofCheck
				}
			}
			return resp, err
		})
		return found, err
	}
	switch so, err := there(); {
	case err != nil:
		return effect.Result{}, needs("checks: read", err)
	case so:
		return effect.Result{Outcome: effect.AlreadySo}, nil
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
	output := &gh.CheckRunOutput{Title: &e.Title, Summary: new(fitting(e.Summary))}
	if e.Text != "" && len(e.Text) <= maxCheckText {
		output.Text = &e.Text
	}
	write := func() error {
		_, _, err := x.c.rest.Checks.CreateCheckRun(ctx, x.c.owner, x.c.name, gh.CreateCheckRunOptions{
			Name: effect.ProofCheck, HeadSHA: string(e.Head), ExternalID: &e.Digest, Status: new("completed"),
			Conclusion: new(e.Conclusion()), CompletedAt: &gh.Timestamp{Time: x.c.Now().Truncate(time.Second)}, Output: output,
		})
		return judge(err)
	}
	if err := x.c.once(ctx, write, there); err != nil {
		return effect.Result{}, needs(rightChecks, err)
	}
	return effect.Result{Outcome: effect.Done}, nil
}

// fitting is a summary that is too long, said to be so.
func fitting(summary string) string {
	if len(summary) <= maxCheckText {
		return summary
	}
	return "The proof is too long to be shown here; the run's summary has it."
}
