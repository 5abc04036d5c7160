package github

import (
	"context"
	"time"

	gh "github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// mentioned is one page of the conversation as a mention is looked for. Reads
// are the workflow's, so that GitHub does not say which comments the person of
// the user-token wrote; who may set the marker is told by the association.
type mentioned struct {
	Repository *struct {
		PullRequest *struct {
			State      pr.State
			HeadRefOid pr.SHA
			Comments   *connection[aMention] `graphql:"comments(first: $size, after: $after)"`
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type aMention struct {
	Body              string
	CreatedAt         time.Time
	AuthorAssociation string
}

// insiders are the associations of accounts that belong to the repository
// (GraphQL enum CommentAuthorAssociation). A stranger's copy of a marker must
// not stand for our own mention.
var insiders = map[string]bool{"OWNER": true, "MEMBER": true, "COLLABORATOR": true}

// mention asks a reviewer in a comment, with the person's token. It posts
// nothing where the comment with its marker is there already. What it asks in
// public starts work of others, so without a person's token it does nothing.
func (x *Executor) mention(ctx context.Context, e effect.Mention) (effect.Result, error) {
	if !x.c.HasUser() {
		r := failed("there is no user-token, and a bot's mention starts nothing")
		r.Request = effect.Forbidden
		return r, nil
	}
	var at time.Time
	look := func() (r effect.Result, moved bool, err error) {
		r, at, moved, err = x.mentionedAt(ctx, e)
		return r, moved, err
	}
	switch r, moved, err := look(); {
	case err != nil || moved:
		return r, err
	case !at.IsZero():
		return effect.Result{Outcome: effect.AlreadySo, Request: effect.Landed, At: at}, nil
	}
	body := e.Body + "\n\n" + e.Marker()
	write := func() error {
		made, _, err := x.c.rest.Issues.CreateComment(as(ctx, User), x.c.owner, x.c.name, x.t.Number, &gh.IssueComment{Body: &body})
		if err != nil {
			return judge(err)
		}
		at = made.GetCreatedAt().UTC()
		return nil
	}
	there := func() (bool, error) {
		_, moved, err := look()
		return moved || !at.IsZero(), err
	}
	if err := x.c.once(ctx, write, there); err != nil {
		return effect.Result{}, needs(rightComment, err)
	}
	if at.IsZero() {
		return stale("the head moved while it was asked"), nil
	}
	return effect.Result{Outcome: effect.Done, Request: effect.Landed, At: at}, nil
}

// mentionedAt looks for the mention of e; the zero time: there is none.
func (x *Executor) mentionedAt(ctx context.Context, e effect.Mention) (r effect.Result, at time.Time, moved bool, err error) {
	var size sizer
	for l := (reel{on: true}); l.on; {
		q, err := see[mentioned](ctx, x.c, &size, func(n int) map[string]any {
			vars := x.c.target(x.t.Number)
			vars["size"], vars["after"] = githubv4.Int(n), l.cursor() //nolint:gosec // At most 100.
			return vars
		})
		if err != nil {
			return effect.Result{}, time.Time{}, false, err
		}
		if q.Repository == nil || q.Repository.PullRequest == nil {
			return effect.Result{}, time.Time{}, false, errLeftOut
		}
		p := q.Repository.PullRequest
		if r, moved = pinned(e.Head, p.HeadRefOid, p.State); moved {
			return r, time.Time{}, true, nil
		}
		why := gather(&l, p.Comments, func(c *aMention) {
			if at.IsZero() && insiders[c.AuthorAssociation] && hasLine(c.Body, e.Marker()) {
				at = c.CreatedAt.UTC()
			}
		})
		if why != "" {
			return effect.Result{}, time.Time{}, false, incomplete(why)
		}
	}
	return effect.Result{}, at, false, nil
}
