// Package app is one run from top to bottom: load, decide, act, tell. It alone
// knows their order; everything it calls does one of the four.
//
//	load    config, event, the world (snapshot, journal, record): all reads
//	decide  plan.Decide, pure
//	act     lock → journal (intent) → effects in order → journal (done) → unlock
//	tell    outputs, job summary, annotations, exit code
//
// A run takes one step for each pull request that its event points at, and is
// gone. What it must remember is in the journal, one comment on the pull
// request. A run that has nothing to change writes nothing.
//
// Start at [Run].
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/prloop/prloop/internal/actions"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/event"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/report"
)

// Env is the world outside the process, given by main and by tests.
type Env struct {
	Getenv  func(string) string
	Environ func() []string
	Stdout  io.Writer
	// Simulated: GitHub is the embedded one (the conductor's sourceMode).
	Simulated bool
	// Transport carries the requests; nil stands for net/http's own.
	Transport http.RoundTripper
	// Sleep waits; nil stands for the real clock.
	Sleep func(context.Context, time.Duration) error
	// Backoff overrides how long a retry waits; nil stands for the real one.
	Backoff func(attempt int, resp *http.Response) time.Duration
}

// A Result is what a run came to.
type Result struct {
	Exit int
	Runs []report.Run // one for each pull request that was looked at
	Err  error        // what ended the run before it could decide
}

// Run is one run of the action. Its exit code is 0 for every decision, and 1
// for an error that somebody has to mend, or for what fail-on names.
func Run(ctx context.Context, env Env) Result {
	runner := actions.New(env.Getenv, env.Environ, env.Stdout)
	r, err := start(env, runner)
	if err == nil {
		var runs []report.Run
		if runs, err = r.work(ctx); err == nil {
			return r.tell(runs)
		}
	}
	if run, ok := standing(r, err); ok {
		return r.tell([]report.Run{run})
	}
	runner.Fail(err)
	return Result{Exit: 1, Err: err}
}

// A run is what its steps share.
type run struct {
	env    Env
	runner *actions.Runner
	inputs config.Inputs
	event  event.Event
	repo   string // owner/name
	client *github.Client
	own    facts.Own
	runID  int64
	tries  int // the run's attempt
	// starts counts the pull requests that this run took into the loop.
	starts int
	sweep  bool
	issues map[int]bool // numbers that are issues'
	holds  bool         // the lock of the pull request in hand is ours
	around around
}

// start reads inputs and event: everything that can be wrong before GitHub is
// asked anything.
func start(env Env, runner *actions.Runner) (*run, error) {
	inputs, err := config.ParseInputs(runner.Input, runner.InputNames(), words()...)
	if err != nil {
		return nil, err
	}
	for _, secret := range []string{inputs.GitHubToken, inputs.UserToken, inputs.StateKey} {
		runner.Mask(secret)
	}
	name, body, err := runner.Event()
	if err != nil {
		return nil, err
	}
	ev, err := event.Parse(name, body, inputs.PR)
	if err != nil {
		return nil, err
	}
	owner, repo, err := runner.Repository()
	if err != nil {
		return nil, err
	}
	r := &run{env: env, runner: runner, inputs: inputs, event: ev, repo: owner + "/" + repo, runID: runner.RunID(), tries: runner.RunAttempt()}
	r.own = facts.Own{
		CheckRunID: inputs.CheckRunID,
		RunID:      r.runID,
		Workflow:   runner.WorkflowPath(),
		Job:        runner.Job(),
	}
	r.client, err = github.New(github.Options{
		APIURL:     runner.APIURL(),
		GraphQLURL: runner.GraphQLURL(),
		Token:      inputs.GitHubToken,
		UserToken:  inputs.UserToken,
		Owner:      owner,
		Repo:       repo,
		Transport:  env.Transport,
		Backoff:    env.Backoff,
		Trace:      trace(runner),
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// words are what fail-on can name.
func words() []string {
	list := []string{string(plan.Wait), string(plan.Act), string(plan.Handoff), string(plan.Stop), string(plan.Done), string(plan.Skip)}
	for _, r := range plan.Reasons {
		list = append(list, string(r.Code))
	}
	return list
}

// trace shows each request with its points where step debugging is on.
func trace(runner *actions.Runner) func(github.Call) {
	if !runner.Debugging() {
		return nil
	}
	return func(c github.Call) { runner.Debug(fmt.Sprint(c)) }
}

// work does what the input command says.
func (r *run) work(ctx context.Context) ([]report.Run, error) {
	switch r.inputs.Command {
	case config.TakeReport:
		return r.takeReport(ctx)
	case config.Leave:
		return r.leave(ctx)
	case config.Step:
	}
	return r.targets(ctx)
}

// targets takes the step of every pull request that the event points at.
func (r *run) targets(ctx context.Context) ([]report.Run, error) {
	switch t := r.event.Target.(type) {
	case event.Nothing:
		return []report.Run{r.nothing(plan.Code(t.Code), t.Because)}, nil
	case event.Numbers:
		return r.each(ctx, t.PRs)
	case event.Issue:
		r.markIssue(t.Number)
		return r.each(ctx, []int{t.Number})
	case event.Commit:
		found, err := r.client.PullRequestsOf(ctx, t.SHA)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return []report.Run{r.nothing(plan.NoPullRequest, fmt.Sprintf("%s is no open pull request's head, and none was merged as it", t.SHA.Short()))}, nil
		}
		return r.each(ctx, found)
	case event.Sweep:
		r.sweep = true
		return r.sweepAll(ctx)
	}
	panic("app: a target without a case")
}

// each steps the named pull requests, lowest number first. One that fails does
// not stop the others, and its error is not lost.
func (r *run) each(ctx context.Context, numbers []int) ([]report.Run, error) {
	var runs []report.Run
	var errs []error
	for _, n := range numbers {
		one, err := r.pullRequest(ctx, n)
		if err != nil {
			var ok bool
			if one, ok = standing(r, err); !ok {
				if len(numbers) == 1 {
					return nil, err
				}
				errs = append(errs, fmt.Errorf("pull request #%d: %w", n, err))
				continue
			}
			one.PR = n
		}
		runs = append(runs, one)
	}
	if len(runs) == 0 && len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for _, err := range errs {
		r.runner.Warning("prloop", fail.Of(err).Error())
	}
	return runs, nil
}

// The longest that wait-seconds lets pass between two readings.
const rereadEvery = time.Minute

// pullRequest takes one step of one pull request, and holds the run for the
// next change where wait-seconds asks for it.
func (r *run) pullRequest(ctx context.Context, number int) (report.Run, error) {
	left := r.inputs.Wait
	for {
		one, err := r.step(ctx, number)
		if err != nil || plan.Decision(one.Decision) != plan.Wait || left <= 0 {
			return one, err
		}
		pause := min(left, rereadEvery)
		left -= pause
		r.runner.Info(fmt.Sprintf("waiting (%s): reading again in %s", one.Code, pause))
		if err := r.sleep(ctx, pause); err != nil {
			return one, nil //nolint:nilerr // The run is being ended: what was decided stands.
		}
	}
}

func (r *run) sleep(ctx context.Context, d time.Duration) error {
	if r.env.Sleep != nil {
		return r.env.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// nothing is a run that has nothing to do.
func (r *run) nothing(code plan.Code, because string) report.Run {
	one := r.blank()
	one.Decision, one.Code, one.Reason = string(plan.Find(code).Decision), string(code), because
	return one
}

// standing turns weather into the standing stop that it is: GitHub that cannot
// be read, or a rate limit that is used up, is no error of the user's.
func standing(r *run, err error) (report.Run, bool) {
	if r == nil || r.client == nil {
		return report.Run{}, false
	}
	if limited, ok := errors.AsType[*github.RateLimited](err); ok {
		one := r.nothing(plan.RateLimited, "GitHub's rate limit is used up until "+limited.Until.UTC().Format("15:04:05 UTC"))
		one.NextWake = limited.Until
		return one, true
	}
	if errors.Is(err, github.ErrUnavailable) {
		return r.nothing(plan.Unavailable, "GitHub did not answer, and neither did it when asked again"), true
	}
	return report.Run{}, false
}

// exit is the exit code for what was decided.
func (r *run) exit(runs []report.Run) int {
	for _, one := range runs {
		if slices.Contains(r.inputs.FailOn, one.Decision) || slices.Contains(r.inputs.FailOn, one.Code) {
			return 1
		}
	}
	return 0
}
