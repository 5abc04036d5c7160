package github

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// readiness is what is looked at before a draft is made ready.
type readiness struct {
	Repository *struct {
		PullRequest *struct {
			ID         string
			State      pr.State
			IsDraft    bool
			HeadRefOid pr.SHA
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

func (x *Executor) markReady(ctx context.Context, e effect.MarkReady) (effect.Result, error) {
	var id string
	var draft bool
	look := func() (r effect.Result, moved bool, err error) {
		q, err := see[readiness](ctx, x.c, new(sizer), func(int) map[string]any { return x.c.target(x.t.Number) })
		if err != nil {
			return effect.Result{}, false, err
		}
		if q.Repository == nil || q.Repository.PullRequest == nil {
			return effect.Result{}, false, errLeftOut
		}
		p := q.Repository.PullRequest
		id, draft = p.ID, p.IsDraft
		r, moved = pinned(e.Head, p.HeadRefOid, p.State)
		return r, moved, nil
	}
	switch r, moved, err := look(); {
	case err != nil || moved:
		return r, err
	case !draft:
		return effect.Result{Outcome: effect.AlreadySo}, nil
	}
	write := func() error {
		var m struct {
			MarkPullRequestReadyForReview struct {
				PullRequest struct{ IsDraft bool }
			} `graphql:"markPullRequestReadyForReview(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.MarkPullRequestReadyForReviewInput{PullRequestID: id}, x.c.who())
		draft = m.MarkPullRequestReadyForReview.PullRequest.IsDraft
		return err
	}
	// After a lost answer: a head that moved meanwhile must not be made ready.
	var late effect.Result
	ready := func() (bool, error) {
		r, moved, err := look()
		late = r
		return !draft || moved, err
	}
	if err := x.c.once(ctx, write, ready); err != nil {
		return effect.Result{}, err
	}
	switch {
	case !draft:
		return effect.Result{Outcome: effect.Done}, nil
	case late.Outcome != "":
		return late, nil
	}
	return failed("GitHub said yes and left it a draft"), nil
}
