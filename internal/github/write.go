package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/shurcooL/githubv4"
)

// The rights that writing needs, in the words of a workflow file
// (https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps).
const (
	rightComment = "pull-requests: write" // comments, reactions and hiding, on a pull request
	rightReady   = "contents: write and pull-requests: write"
	rightResolve = "contents: write and pull-requests: write"
	rightMerge   = "contents: write and pull-requests: write"
	rightBranch  = "contents: write"
	rightRecord  = "issues: write"
	rightRerun   = "actions: write"
	rightChecks  = "checks: write"
	// A workflow's token also needs the repository's leave to open pull requests.
	rightRevert = "contents: write and pull-requests: write"
	// No permission of the workflow's token spends somebody's Copilot plan.
	rightRequest = "user-token of a person with write access and Copilot code review"
	// What is missing where the user-token itself is refused.
	rightPerson = "user-token of a person with write access"
)

// needs gives a refusal the name of the right that was missing.
func needs(right string, err error) error {
	if denied, ok := errors.AsType[*Denied](err); ok && denied.Right == "" {
		return &Denied{Right: right, Message: denied.Message}
	}
	return err
}

// who is the identity for what should be done with a person's rights.
func (c *Client) who() Identity {
	if c.HasUser() {
		return User
	}
	return Workflow
}

// once carries out a write exactly once as far as GitHub lets anybody know:
// when the answer was lost, done looks whether it was carried out all the
// same; if not, it is tried a second time, and no more.
func (c *Client) once(ctx context.Context, write func() error, done func() (bool, error)) error {
	for try := 1; ; try++ {
		err := write()
		if !errors.Is(err, ErrUncertain) {
			return err
		}
		if err := c.breathe(ctx); err != nil {
			return err
		}
		ok, lookErr := done()
		switch {
		case lookErr != nil:
			return lookErr
		case ok:
			return nil
		case try == 2:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
}

// breathe gives GitHub a moment to show what was just written.
func (c *Client) breathe(ctx context.Context) error {
	if !sleep(ctx, c.door.delay(1, nil, 2*time.Second)) {
		return ctx.Err()
	}
	return nil
}

// see asks GraphQL for a Q and takes any error in the answer for a failure:
// what is looked at before a write must be known whole. The one thing that may
// stay hidden is a team that was asked for a review.
func see[Q any](ctx context.Context, c *Client, size *sizer, vars func(size int) map[string]any) (*Q, error) {
	q, spoilt, err := askSized[Q](ctx, c, size, vars)
	if err != nil {
		return nil, err
	}
	if err := whole(spoilt); err != nil {
		return nil, err
	}
	return q, nil
}

// whole is the error of an answer that came with these; nil where nothing is
// missing from it but a team.
func whole(spoilt []GraphQLError) error {
	for _, e := range spoilt {
		switch {
		case hidden(e):
		case e.denied():
			return &Denied{Message: e.Message}
		default:
			return &Refused{Status: http.StatusOK, Type: e.Type, Message: e.Message}
		}
	}
	return nil
}

// errLeftOut says that GitHub answered without the thing that was asked for,
// and without a reason.
var errLeftOut = fmt.Errorf("%w: it answers without what was asked for", ErrUnavailable)

// incomplete is the error of a list that cannot be read to its end.
func incomplete(why string) error {
	return fmt.Errorf("%w: of a list, %s", ErrUnavailable, why)
}

// IsGone reports whether err says that what was asked for does not exist, or
// no longer.
func IsGone(err error) bool {
	refused, ok := errors.AsType[*Refused](err)
	return ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone || refused.Type == "NOT_FOUND")
}

// target are the variables that name the pull request.
func (c *Client) target(number int) map[string]any {
	return map[string]any{
		"owner":  githubv4.String(c.owner),
		"name":   githubv4.String(c.name),
		"number": githubv4.Int(number), //nolint:gosec // The number of a pull request fits.
	}
}
