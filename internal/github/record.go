package github

import (
	"context"
	"fmt"
	"slices"
	"sort"

	gh "github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// The repository record is an open issue of ours with this label and title.
const (
	recordLabel = "prloop"
	recordTitle = "prloop: what it remembers of this repository"
)

// records is one page of the issues that may be the repository record.
type records struct {
	Repository *struct {
		HasIssuesEnabled bool
		Issues           *connection[issue] `graphql:"issues(first: $size, after: $after, filterBy: {labels: [\"prloop\"]}, orderBy: {field: CREATED_AT, direction: ASC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// records returns the records of the repository, lowest number first: the open
// ones, of which there is more than one only until the next write, else the
// first closed one, which somebody closed by hand. off: issues are switched
// off.
func (c *Client) records(ctx context.Context) (found []pr.Record, off bool, err error) {
	var size sizer
	var open, closed []pr.Record
	for l := (reel{on: true}); l.on; {
		q, err := see[records](ctx, c, &size, func(n int) map[string]any {
			vars := c.target(0)
			delete(vars, "number")
			vars["size"], vars["after"] = githubv4.Int(n), l.cursor() //nolint:gosec // At most 100.
			return vars
		})
		if err != nil {
			return nil, false, err
		}
		if q.Repository == nil {
			return nil, false, errLeftOut
		}
		if !q.Repository.HasIssuesEnabled {
			return nil, true, nil
		}
		why := gather(&l, q.Repository.Issues, func(i *issue) {
			r := pr.Record{Number: i.Number, ID: i.ID, Body: i.Body, Closed: i.State == "CLOSED"}
			switch {
			case !i.ViewerDidAuthor:
			case i.State == "CLOSED":
				closed = append(closed, r)
			default:
				open = append(open, r)
			}
		})
		if why != "" {
			return nil, false, incomplete(why)
		}
	}
	if len(open) == 0 {
		open = closed[:min(1, len(closed))]
	}
	sort.Slice(open, func(i, j int) bool { return open[i].Number < open[j].Number })
	return open, false, nil
}

// record enters e into the repository record: look, merge, write. The record
// is opened by its first entry; where two runs open one at once, the lowest
// number stays, gets the entries of the others, and these are closed.
//
// Issues are last write wins: an entry that another run overwrites in the same
// moment is missing from the next snapshot, and whoever misses it enters it
// again.
func (x *Executor) record(ctx context.Context, e effect.Record) (effect.Result, error) {
	if x.t.MergeRecord == nil {
		return failed("nobody said what a record looks like"), nil
	}
	if x.t.IssuesOff {
		return failed(issuesOff), nil
	}
	found, off, err := x.c.records(ctx)
	if err != nil {
		return effect.Result{}, err
	}
	if off {
		return failed(issuesOff), nil
	}
	opened := len(found) == 0
	if opened {
		if found, err = x.openRecord(ctx, e); err != nil {
			return effect.Result{}, err
		}
	}
	bodies := make([]string, len(found))
	for i, r := range found {
		bodies[i] = r.Body
	}
	body, err := x.merge(e, bodies...)
	if err != nil {
		return effect.Result{}, err
	}
	kept, want := found[0], gh.IssueRequest{Body: &body}
	written := !sameText(kept.Body, body)
	if e.Left != "" && !kept.Closed {
		want.State, want.StateReason, written = closing().State, closing().StateReason, true
	}
	if written {
		if err := x.c.editIssue(ctx, kept.Number, &want); err != nil {
			return effect.Result{}, err
		}
	}
	for _, r := range found[1:] {
		if err := x.c.editIssue(ctx, r.Number, closing()); err != nil {
			return effect.Result{}, err
		}
	}
	if !opened && !written && len(found) == 1 {
		return effect.Result{Outcome: effect.AlreadySo}, nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}

const issuesOff = "issues are switched off in this repository"

// closing is a change that closes an issue as none that anybody works on.
func closing() *gh.IssueRequest {
	return &gh.IssueRequest{State: new("closed"), StateReason: new("not_planned")}
}

func (x *Executor) merge(e effect.Record, bodies ...string) (string, error) {
	body, err := x.t.MergeRecord(e, bodies...)
	if err != nil {
		return "", &fail.Error{
			What: "The repository record cannot take an entry",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Report this; it is a bug in prloop",
			Err:  err,
		}
	}
	return body, fits(body)
}

// openRecord opens a record with e and returns all that there are now. Another
// run may have done the same.
func (x *Executor) openRecord(ctx context.Context, e effect.Record) ([]pr.Record, error) {
	body, err := x.merge(e)
	if err != nil {
		return nil, err
	}
	var made *gh.Issue
	var found []pr.Record
	list := func() (bool, error) {
		var err error
		found, _, err = x.c.records(ctx)
		return len(found) > 0, err
	}
	open := func() error {
		var err error
		made, _, err = x.c.rest.Issues.Create(ctx, x.c.owner, x.c.name, &gh.IssueRequest{
			Title: new(recordTitle), Body: &body, Labels: &[]string{recordLabel},
		})
		return judge(err)
	}
	if err := x.c.once(ctx, open, list); err != nil {
		return nil, err
	}
	if made != nil {
		if err := x.label(ctx, made); err != nil {
			return nil, err
		}
	}
	if _, err := list(); err != nil {
		return nil, err
	}
	switch {
	case len(found) > 0:
	case made == nil:
		return nil, errLeftOut
	default: // the list lags behind
		found = []pr.Record{{Number: made.GetNumber(), ID: made.GetNodeID(), Body: made.GetBody()}}
	}
	return found, nil
}

// label sees to it that a new record carries the label by which it is found.
// GitHub drops the labels of a new issue in silence where the token may not set
// them (https://docs.github.com/en/rest/issues/issues#create-an-issue); without
// its label the issue would be lost, so it is closed again.
func (x *Executor) label(ctx context.Context, issue *gh.Issue) error {
	has := func(labels []*gh.Label) bool {
		return slices.ContainsFunc(labels, func(l *gh.Label) bool { return l.GetName() == recordLabel })
	}
	if has(issue.Labels) {
		return nil
	}
	labels, _, err := x.c.rest.Issues.AddLabelsToIssue(ctx, x.c.owner, x.c.name, issue.GetNumber(), []string{recordLabel})
	if err == nil && has(labels) {
		return nil
	}
	if err := x.c.editIssue(ctx, issue.GetNumber(), closing()); err != nil {
		return err
	}
	return &Denied{Right: rightRecord, Message: "the label was not set"}
}

// editIssue changes an issue of ours. What it sets is a state, not a step, so
// when the answer is lost it is read before it is set once more.
func (c *Client) editIssue(ctx context.Context, number int, want *gh.IssueRequest) error {
	edit := func() error {
		_, _, err := c.rest.Issues.Edit(ctx, c.owner, c.name, number, want)
		return judge(err)
	}
	so := func() (bool, error) {
		now, _, err := c.rest.Issues.Get(ctx, c.owner, c.name, number)
		if err != nil {
			return false, judge(err)
		}
		return (want.Body == nil || sameText(now.GetBody(), *want.Body)) &&
			(want.State == nil || now.GetState() == *want.State), nil
	}
	return needs(rightRecord, c.once(ctx, edit, so))
}
