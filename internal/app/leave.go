package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

// leave ends every loop of the repository (design 7, "command: leave"). The
// repository record is closed first: from then on no other run begins a loop, and
// any of them ends what this one does not come to. One pull request that fails
// does not stop the others, and a run that has to end early is taken up by the
// next one.
func (r *run) leave(ctx context.Context) ([]report.Run, error) {
	if r.inputs.PR != 0 {
		return nil, &fail.Error{
			What: "prloop did not leave",
			Why:  fmt.Sprintf("command: leave ends every loop of the repository, and the input pr names #%d alone", r.inputs.PR),
			Fix:  "Leave the input pr out, or comment /prloop stop on that pull request",
		}
	}
	list, first, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	l := leaving{run: r, all: r.blank()}
	l.all.Heading = "prloop leaves this repository"
	if err := l.closeRecord(ctx, first); err != nil {
		return nil, err
	}
	open, over := l.due(list, first)
	issues, err := r.listIssues(ctx, first)
	if err != nil {
		return nil, err
	}
	for _, n := range issues {
		r.markIssue(n)
		open = append(open, n)
	}
	r.runner.Info(fmt.Sprintf("leave: %d open pull requests, %d that prloop was at", len(list), len(open)+len(over)))
	held := l.each(ctx, open)
	if r.client.Spare() {
		held = append(held, l.each(ctx, over)...) // ended before, and looked at once more
	}
	// Whoever acts on a pull request now is waited for, one lease at most.
	for waited := time.Duration(0); len(held) > 0 && waited < journal.LeaseTime; waited += reportLooks {
		if err := r.sleep(ctx, reportLooks); err != nil {
			break
		}
		held = l.each(ctx, held)
	}
	l.all.Notices = append(l.all.Notices, l.lastWords()...)
	if len(l.runs) == 0 {
		r.sweep = false
		l.all.Decision, l.all.Code, l.all.Reason = string(plan.Find(plan.Left).Decision), string(plan.Left), "no pull request has an open loop"
		return []report.Run{l.all}, nil
	}
	return append(l.runs, l.all), nil
}

// A leaving is one run of leave.
type leaving struct {
	*run
	runs []report.Run // the newest of each pull request
	all  report.Run   // of the repository
	// failed counts what went wrong beside the pull requests.
	failed int
}

// closeRecord closes the repository record, once.
func (l *leaving) closeRecord(ctx context.Context, first github.Page) error {
	snap := &pr.Snapshot{Repo: first.Repo, Record: first.Record}
	e := effect.Record{Left: first.At.UTC().Format(time.RFC3339)}
	switch u := first.Missing(pr.FactRecord); {
	case first.Repo.IssuesOff:
		l.noRecord("issues are switched off")
		return nil
	case u != nil:
		l.noRecord("it could not be read in full")
		return nil
	case !l.record(snap).Left.IsZero():
		return nil
	case l.inputs.DryRun:
		l.all.Effects = append(l.all.Effects, report.Effect{
			Type: e.Type(), Key: string(e.Key()), Words: e.String(), Outcome: string(effect.Skipped), Note: "dry run",
		})
		return nil
	}
	done, err := github.NewExecutor(l.client, github.Target{IssuesOff: first.Repo.IssuesOff, MergeRecord: l.mergeRecord}).Do(ctx, e)
	if errors.Is(err, github.ErrUnavailable) {
		l.failed++
		l.noRecord("GitHub did not answer")
		return nil
	}
	if err != nil {
		return err
	}
	l.runner.Info(fmt.Sprintf("%s: %s", e, outcomeWords(done)))
	l.all.Effects = append(l.all.Effects, effects(plan.Plan{}, []effect.Result{done}, false)...)
	if done.Outcome == effect.Failed {
		l.noRecord(strings.TrimSpace(done.Note + " " + done.Right))
	}
	return nil
}

func (l *leaving) noRecord(why string) {
	l.all.Notices = append(l.all.Notices, "There is no repository record ("+why+"), so each pull request remembers by itself that prloop left: until the workflow is deleted, a new pull request, a reopening or a person's push begins a loop")
}

// due are the pull requests that prloop was at, or may have been: those with an
// open loop first, so that a run which ends early comes further each time.
func (l *leaving) due(list []pr.Listed, first github.Page) (open, over []int) {
	snap := &pr.Snapshot{Config: first.Config}
	settings, _, err := parseSettings(snap, l.inputs)
	if err != nil {
		settings = config.Defaults()
		l.all.Notices = append(l.all.Notices, "The configuration is not valid, so prloop leaves without it; journals of former identities are not looked for")
	}
	for _, p := range list {
		whole := p.CommentCount <= len(p.Comments) && !slices.ContainsFunc(p.Unknown, func(u pr.Unknown) bool { return u.Fact == pr.FactComments })
		found := journal.Find(p.Comments, p.Number, l.key(), settings.Identities)
		switch f := found.Journal.Final; {
		case found.Memory == journal.MemoryNone && whole:
		case f != nil && f.Reason == journal.Left:
			over = append(over, p.Number)
		default:
			open = append(open, p.Number)
		}
	}
	return open, over
}

// each takes the last step of the named pull requests, and returns those on which
// another run is acting.
func (l *leaving) each(ctx context.Context, numbers []int) (held []int) {
	for i, n := range numbers {
		if !l.client.Spare() {
			for _, n := range numbers[i:] {
				l.put(n, l.nothing(plan.RateLimited, "half of the rate limit is left to other work; the next run of leave goes on here"))
			}
			return held
		}
		one, err := l.step(ctx, n)
		if err != nil {
			var ok bool
			if one, ok = standing(l.run, err); !ok {
				l.runner.Warning("prloop", fail.Of(fmt.Errorf("pull request #%d: %w", n, err)).Error())
				one = l.nothing(plan.Unavailable, "the step ended in an error, which the log has")
			}
		}
		switch {
		case one.Code == string(plan.LiveOwner):
			held = append(held, n)
		case one.New:
			continue // nothing of prloop's is there
		}
		l.runner.Info(fmt.Sprintf("leave: %d of %d, #%d: %s", i+1, len(numbers), n, one.Code))
		l.put(n, one)
		if errors.Is(ctx.Err(), context.Canceled) {
			return held
		}
	}
	return held
}

// put notes what a pull request came to.
func (l *leaving) put(n int, one report.Run) {
	one.PR = n
	if i := slices.IndexFunc(l.runs, func(r report.Run) bool { return r.PR == n }); i >= 0 {
		one.Effects = append(slices.Clip(l.runs[i].Effects), one.Effects...)
		l.runs[i] = one
		return
	}
	l.runs = append(l.runs, one)
}

// lastWords are what is left to do, and what may be deleted.
func (l *leaving) lastWords() []string {
	left := 0
	for _, one := range l.runs {
		if one.Code == string(plan.Left) {
			left++
		}
	}
	labels := fmt.Sprintf("Labels of prloop's that you may delete: %s, %s", report.Code(config.LabelEnrol), report.Code(config.LabelSkip))
	switch open := len(l.runs) - left + l.failed; {
	case l.inputs.DryRun:
		return []string{labels}
	case open > 0:
		return []string{fmt.Sprintf("Not everything is ended yet: %d left; run command: leave again before you delete the workflow", open), labels}
	}
	return []string{"Every loop has ended; the workflow can be deleted", labels}
}

// lastWord is the text of the repository record that is closed.
func lastWord(body string, key []byte) (string, error) {
	rec, _, err := journal.DecodeRecord(body, key)
	if err != nil {
		return "", err
	}
	return journal.EncodeRecord(fmt.Sprintf("prloop left this repository at %s (command: leave), and begins nothing here while this issue is closed.\n\n"+
		"Once that run has ended every loop, the workflow can be deleted; so can the labels `%s` and `%s`, and this issue with it. "+
		"To let prloop begin again, open this issue again; `/prloop start` takes in one pull request alone.\n",
		rec.Left.UTC().Format("2006-01-02 15:04 UTC"), config.LabelEnrol, config.LabelSkip), rec, key)
}
