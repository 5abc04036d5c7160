package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A Lock is our eyes reaction on the journal comment (design 3, Ownership).
// A reaction is the one thing on GitHub that only one of two concurrent
// writers makes: the first gets 201, everybody after it 200 and the same
// reaction (https://docs.github.com/en/rest/reactions/reactions).
type Lock struct {
	ID        int64
	Mine      bool      // this call made it
	CreatedAt time.Time // GitHub's clock
}

// Lock takes the lock on a comment, or says who holds it: a Lock that is not
// Mine is somebody else's, who may be gone; whether it is stale is the
// caller's to say, by the journal's lease and CreatedAt.
//
// When the answer is lost, the lock is tried once more. If the lost request
// had made the reaction, the second answer is 200, and nothing in it tells
// our reaction from one that another run of the same identity made in the
// same second. So it counts as somebody else's. Nothing hangs for ever: no
// lease will ever name this reaction, so it is stale when it is ten minutes
// old, and the next step removes it.
//
// The error is *Denied with its right, a *Refused that [IsGone] once the
// comment is deleted, or the weather.
func (c *Client) Lock(ctx context.Context, commentID int64) (Lock, error) {
	for try := 1; ; try++ {
		l, err := c.react(ctx, commentID)
		if !errors.Is(err, ErrUncertain) {
			return l, needs(rightComment, err)
		}
		if try == 2 {
			return Lock{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		if err := c.breathe(ctx); err != nil {
			return Lock{}, err
		}
	}
}

func (c *Client) react(ctx context.Context, commentID int64) (Lock, error) {
	// By hand: go-github leaves created_at out.
	path := fmt.Sprintf("repos/%s/%s/issues/comments/%d/reactions", c.owner, c.name, commentID)
	req, err := c.rest.NewRequest(http.MethodPost, path, map[string]string{"content": "eyes"})
	if err != nil {
		return Lock{}, err
	}
	var made struct {
		ID        int64     `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	resp, err := c.rest.Do(ctx, req, &made)
	if err != nil {
		return Lock{}, judge(err)
	}
	return Lock{ID: made.ID, Mine: resp.StatusCode == http.StatusCreated, CreatedAt: made.CreatedAt.UTC()}, nil
}

// Unlock removes our lock by its id. A lock that is gone is as good.
func (c *Client) Unlock(ctx context.Context, commentID, reactionID int64) error {
	return c.RemoveLock(ctx, commentID, reactionID)
}

// RemoveLock removes a stale lock by its id, so that of several runs that find
// the same lock stale none removes the lock that another one took since: ids
// are never used again. A lock that is gone is as good.
func (c *Client) RemoveLock(ctx context.Context, commentID, reactionID int64) error {
	remove := func() error {
		_, err := c.rest.Reactions.DeleteIssueCommentReaction(ctx, c.owner, c.name, commentID, reactionID)
		if err = judge(err); IsGone(err) {
			return nil
		}
		return err
	}
	// Removing by id can be repeated; the second answer is the look.
	err := c.once(ctx, remove, func() (bool, error) { return false, nil })
	return needs(rightComment, err)
}

// RunOver reports whether an attempt of a workflow run is over; attempt 0 is
// the newest. known is false where nobody can tell: without "actions: read",
// and for a run that is not there. The error is the weather.
func (c *Client) RunOver(ctx context.Context, runID int64, attempt int) (over, known bool, err error) {
	run, _, err := c.rest.Actions.GetWorkflowRunByID(ctx, c.owner, c.name, runID)
	err = judge(err)
	if _, denied := errors.AsType[*Denied](err); denied || IsGone(err) {
		return false, false, nil
	}
	if err != nil || run.GetStatus() == "" {
		return false, false, err
	}
	return run.GetStatus() == "completed" || attempt > 0 && run.GetRunAttempt() > attempt, true, nil
}
