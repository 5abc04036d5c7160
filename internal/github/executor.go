package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// A Target is the pull request that effects are carried out on, as the
// decision saw it. Make one with [NewTarget].
type Target struct {
	Number int
	// Seen are the ids of Copilot's reviews of the head that the decision
	// knew. One that is not among them arrived since: nobody asks again
	// before it was read.
	Seen []string
	// IssuesOff: issues are switched off, so there is no repository record.
	IssuesOff bool
	// MergeRecord returns the text of the repository record that has all
	// entries of bodies, lowest number first, and the entry of e; without
	// bodies, that of a new record. This package does not know what a record
	// looks like.
	MergeRecord func(e effect.Record, bodies ...string) (string, error)
	// Again reads the pull request once more, right before it is merged, and says
	// why it is not to be merged by e as it stands; empty: it is.
	Again func(ctx context.Context, e effect.Merge) (s *pr.Snapshot, why string, err error)
}

// NewTarget returns the pull request of s, for effects that were decided on s.
func NewTarget(s *pr.Snapshot) Target {
	t := Target{Number: s.Number, IssuesOff: s.Repo.IssuesOff}
	for _, r := range s.Reviews {
		if r.Author.IsCopilotReviewer() && r.Commit == s.Head {
			t.Seen = append(t.Seen, r.ID)
		}
	}
	return t
}

// An Executor carries effects out on one pull request.
type Executor struct {
	c *Client
	t Target
}

// NewExecutor returns an executor for t.
func NewExecutor(c *Client, t Target) *Executor { return &Executor{c, t} }

// Do carries e out: it looks whether e is still wished for this head and
// whether it is so already, acts, and proves that it is so now. It may be
// called again after any crash: what was done is found done.
//
// A refusal is an outcome, [effect.Failed], with the missing right where one
// is missing. The error is the weather: ErrUnavailable, *RateLimited where
// GitHub asks for more patience than a run has, or the context's.
func (x *Executor) Do(ctx context.Context, e effect.Effect) (effect.Result, error) {
	for {
		r, err := x.do(ctx, e)
		if limit, ok := errors.AsType[*RateLimited](err); ok && x.c.wait(ctx, limit) {
			continue // a limited request did nothing; look again, it is a while ago
		}
		if err != nil {
			r, err = settle(err, Right(e))
		}
		r.Effect = e
		if err != nil {
			return effect.Result{Effect: e}, fmt.Errorf("%s: %w", e, err)
		}
		return r, nil
	}
}

func (x *Executor) do(ctx context.Context, e effect.Effect) (effect.Result, error) {
	switch e := e.(type) {
	case effect.RequestReview:
		return x.requestReview(ctx, e)
	case effect.Mention:
		return x.mention(ctx, e)
	case effect.Rerun:
		return x.rerun(ctx, e)
	case effect.CheckRun:
		return x.checkRun(ctx, e)
	case effect.React:
		return x.answer(ctx, e)
	case effect.MarkReady:
		return x.markReady(ctx, e)
	case effect.Comment:
		return x.comment(ctx, e)
	case effect.UpdateStatus:
		return failed("the status is written with the journal, by no effect of its own"), nil
	case effect.Hide:
		return x.hide(ctx, e)
	case effect.Record:
		return x.record(ctx, e)
	case effect.Reply:
		return x.reply(ctx, e)
	case effect.Resolve:
		return x.resolve(ctx, e)
	case effect.DraftReview:
		return x.draftReview(ctx, e)
	case effect.DiscardReview:
		return x.discardReview(ctx, e)
	case effect.Revert:
		return x.revert(ctx, e)
	case effect.Merge:
		return x.land(ctx, e)
	case effect.DisarmMerge:
		return x.disarm(ctx, e)
	case effect.UpdateBranch:
		return x.updateBranch(ctx, e)
	case effect.DeleteBranch:
		return x.deleteBranch(ctx, e)
	case effect.TakeOver:
		return failed("that is a step of its own, on the issue"), nil
	}
	return failed("nobody knows how to do this"), nil
}

// Right names the right that carrying e out needs.
func Right(e effect.Effect) string {
	switch e.(type) {
	case effect.RequestReview:
		return rightRequest
	case effect.Rerun:
		return rightRerun
	case effect.CheckRun:
		return rightChecks
	case effect.MarkReady:
		return rightReady
	case effect.Comment, effect.UpdateStatus, effect.Hide, effect.Reply, effect.Mention, effect.React:
		return rightComment
	case effect.Record:
		return rightRecord
	case effect.Resolve:
		return rightResolve
	case effect.Revert:
		return rightRevert
	case effect.DraftReview, effect.DiscardReview:
		return rightPerson
	case effect.Merge, effect.DisarmMerge, effect.UpdateBranch:
		return rightMerge
	case effect.DeleteBranch:
		return rightBranch
	case effect.TakeOver:
		return "issues: write"
	}
	return ""
}

// settle turns a refusal into an outcome. The weather stays an error.
func settle(err error, right string) (effect.Result, error) {
	if denied, ok := errors.AsType[*Denied](err); ok {
		r := failed("the token may not do this")
		r.Right = cmp.Or(denied.Right, right)
		return r, nil
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		switch refused.Status {
		case http.StatusUnauthorized:
			r := failed("GitHub does not accept the token")
			r.Right = right
			return r, nil
		case http.StatusOK:
			return failed("GitHub refuses it"), nil
		}
		return failed(fmt.Sprintf("GitHub answers %d", refused.Status)), nil
	}
	if e, ok := errors.AsType[*fail.Error](err); ok {
		return failed(e.What), nil
	}
	return effect.Result{}, err
}

func failed(note string) effect.Result {
	return effect.Result{Outcome: effect.Failed, Note: note}
}

func stale(note string) effect.Result {
	return effect.Result{Outcome: effect.Stale, Note: note}
}

// pinned reports whether the wish is out of date, and the result if it is.
func pinned(wished, head pr.SHA, state pr.State) (effect.Result, bool) {
	switch {
	case head != wished:
		return stale("the head is " + head.Short() + " now"), true
	case state != pr.Open:
		return stale("the pull request is " + strings.ToLower(string(state))), true
	}
	return effect.Result{}, false
}
