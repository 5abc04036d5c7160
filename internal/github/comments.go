package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	gh "github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// maxComment is the longest comment or issue body, in bytes. GitHub refuses
// "Body is too long (maximum is 65536 characters)".
const maxComment = 65_536

// conversation is one page of the comments of a pull request. REST does not
// know who edited a comment, and not whether it is the token's own.
type conversation struct {
	Repository *struct {
		PullRequest *struct {
			Locked     bool
			HeadRefOid pr.SHA
			Comments   *connection[comment] `graphql:"comments(first: $size, after: $after)"`
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// A talk is the conversation of a pull request as far as it is ours.
type talk struct {
	head   pr.SHA
	locked bool
	own    []pr.Comment // oldest first
}

func (c *Client) talk(ctx context.Context, number int) (talk, error) {
	if _, issue := c.issues.Load(number); issue {
		return c.talkOn(ctx, number)
	}
	var t talk
	var size sizer
	for l := (reel{on: true}); l.on; {
		q, err := see[conversation](ctx, c, &size, func(n int) map[string]any {
			vars := c.target(number)
			vars["size"], vars["after"] = githubv4.Int(n), l.cursor() //nolint:gosec // At most 100.
			return vars
		})
		if err != nil {
			return talk{}, err
		}
		if q.Repository == nil || q.Repository.PullRequest == nil {
			return talk{}, errLeftOut
		}
		p := q.Repository.PullRequest
		t.head, t.locked = p.HeadRefOid, p.Locked
		why := gather(&l, p.Comments, func(n *comment) {
			if n.ViewerDidAuthor {
				t.own = append(t.own, n.comment())
			}
		})
		if why != "" {
			return talk{}, incomplete(why)
		}
	}
	return t, nil
}

// OwnComments returns the comments that the token's own account wrote on a
// pull request, oldest first, from all pages.
func (c *Client) OwnComments(ctx context.Context, number int) ([]pr.Comment, error) {
	t, err := c.talk(ctx, number)
	return t.own, err
}

// oneComment is a comment by its node id.
type oneComment struct {
	Node *struct {
		IssueComment comment `graphql:"... on IssueComment"`
	} `graphql:"node(id: $id)"`
}

// comment reads one comment; nil once it is deleted.
func (c *Client) comment(ctx context.Context, id string) (*comment, error) {
	q, err := see[oneComment](ctx, c, new(sizer), func(int) map[string]any {
		return map[string]any{"id": githubv4.ID(id)}
	})
	switch {
	case IsGone(err):
		return nil, nil //nolint:nilnil // It is gone, which is no error.
	case err != nil:
		return nil, err
	case q.Node == nil || q.Node.IssueComment.ID == "":
		return nil, nil //nolint:nilnil // It is gone, which is no error.
	}
	return &q.Node.IssueComment, nil
}

// ReadComment reads one comment, by its node id ([pr.Comment.ID]), in one
// request. found is false once it is deleted.
func (c *Client) ReadComment(ctx context.Context, id string) (read pr.Comment, found bool, err error) {
	n, err := c.comment(ctx, id)
	if n == nil || err != nil {
		return pr.Comment{}, false, err
	}
	return n.comment(), true, nil
}

// CreateComment posts a comment on a pull request (or issue) as the workflow's
// identity. When the answer is lost it looks for an own comment with this text
// before it posts once more.
//
// The error is a *fail.Error for a body that GitHub would not take, *Denied
// with its right, *Refused, or the weather.
func (c *Client) CreateComment(ctx context.Context, number int, body string) (pr.Comment, error) {
	if err := fits(body); err != nil {
		return pr.Comment{}, err
	}
	var made pr.Comment
	post := func() error {
		answer, _, err := c.rest.Issues.CreateComment(ctx, c.owner, c.name, number, &gh.IssueComment{Body: &body})
		if err != nil {
			return judge(err)
		}
		made = pr.Comment{
			ID: answer.GetNodeID(), DatabaseID: answer.GetID(), Author: userOf(answer.User), Mine: true,
			Body: answer.GetBody(), CreatedAt: answer.GetCreatedAt().UTC(), UpdatedAt: answer.GetUpdatedAt().UTC(),
		}
		return nil
	}
	there := func() (bool, error) {
		own, err := c.OwnComments(ctx, number)
		for _, o := range slices.Backward(own) {
			if sameText(o.Body, body) {
				made = o
				return true, nil
			}
		}
		return false, err
	}
	err := c.once(ctx, post, there)
	return made, needs(rightComment, err)
}

// UpdateComment gives an own comment a new text. When the answer is lost it
// reads the text before it writes once more. Errors as for CreateComment; one
// that [IsGone] says that the comment was deleted.
func (c *Client) UpdateComment(ctx context.Context, databaseID int64, body string) error {
	if err := fits(body); err != nil {
		return err
	}
	edit := func() error {
		_, _, err := c.rest.Issues.EditComment(ctx, c.owner, c.name, databaseID, &gh.IssueComment{Body: &body})
		return judge(err)
	}
	there := func() (bool, error) {
		now, _, err := c.rest.Issues.GetComment(ctx, c.owner, c.name, databaseID)
		return sameText(now.GetBody(), body), judge(err)
	}
	return needs(rightComment, c.once(ctx, edit, there))
}

// DeleteComment deletes an own comment. One that is gone is as good.
func (c *Client) DeleteComment(ctx context.Context, databaseID int64) error {
	remove := func() error {
		_, err := c.rest.Issues.DeleteComment(ctx, c.owner, c.name, databaseID)
		if err = judge(err); IsGone(err) {
			return nil
		}
		return err
	}
	// Deleting by id can be repeated; the second answer is the look.
	err := c.once(ctx, remove, func() (bool, error) { return false, nil })
	return needs(rightComment, err)
}

// fits reports a body that GitHub would not take, before it is sent.
func fits(body string) error {
	if len(body) <= maxComment && strings.TrimSpace(body) != "" {
		return nil
	}
	return &fail.Error{
		What: "A text of prloop's cannot be posted",
		Why:  fmt.Sprintf("it has %d bytes, and GitHub takes from 1 to %d", len(body), maxComment),
		Fix:  "Report this; it is a bug in prloop",
	}
}

// sameText compares bodies as GitHub keeps them: it may answer with CRLF and
// without the last line break (case C095).
func sameText(a, b string) bool {
	plain := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return plain(a) == plain(b)
}
