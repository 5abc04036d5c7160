package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// MayWrite asks whether a person has write permission on the repository. An
// association in a payload says less: a member need not have it, and it is as
// old as the payload
// (https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user).
// GitHub folds maintain into write there, and triage into read; an account that
// it does not know has none.
//
// The error is *Denied where the token may not ask, or the weather.
func (c *Client) MayWrite(ctx context.Context, login pr.Login) (write, admin bool, err error) {
	level, _, err := c.rest.Repositories.GetPermissionLevel(ctx, c.owner, c.name, string(login))
	if err = judge(err); IsGone(err) {
		return false, false, nil
	}
	admin = level.GetPermission() == "admin"
	return admin || level.GetPermission() == "write", admin, needs("metadata: read", err)
}

// answer puts a reaction under a comment. GitHub answers 200 where it is there
// already, so it can be repeated.
func (x *Executor) answer(ctx context.Context, e effect.React) (effect.Result, error) {
	now, err := x.c.comment(ctx, e.CommentID)
	switch {
	case err != nil:
		return effect.Result{}, err
	case now == nil:
		return stale("the comment is gone"), nil
	case now.answered(e.Content):
		return effect.Result{Outcome: effect.AlreadySo}, nil
	}
	made := false
	react := func() error {
		path := fmt.Sprintf("repos/%s/%s/issues/comments/%d/reactions", x.c.owner, x.c.name, e.Comment)
		req, err := x.c.rest.NewRequest(http.MethodPost, path, map[string]string{"content": string(e.Content)})
		if err != nil {
			return err
		}
		resp, err := x.c.rest.Do(ctx, req, nil)
		made = err == nil && resp.StatusCode == http.StatusCreated
		return judge(err)
	}
	err = x.c.once(ctx, react, func() (bool, error) { return false, nil })
	if refused, ok := errors.AsType[*Refused](err); ok && IsGone(refused) {
		return stale("the comment is gone"), nil
	}
	if err != nil {
		return effect.Result{}, needs(rightComment, err)
	}
	if !made {
		return effect.Result{Outcome: effect.AlreadySo}, nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}

// answered reports whether the token's own account gave this reaction.
func (c *comment) answered(with pr.Reaction) bool {
	for _, g := range c.ReactionGroups {
		if g.Content == reactionEnum[with] && g.ViewerHasReacted {
			return true
		}
	}
	return false
}

// reactionEnum has the words of GraphQL for the reactions that answer
// (https://docs.github.com/en/graphql/reference/enums#reactioncontent).
var reactionEnum = map[pr.Reaction]string{pr.Rocket: "ROCKET", pr.PlusOne: "THUMBS_UP", pr.Confused: "CONFUSED"}
