package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sort"

	gh "github.com/google/go-github/v62/github"

	"github.com/prloop/prloop/internal/pr"
)

var fullSHA = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// PullRequestsOf returns the numbers of the open pull requests whose head is
// sha, and of the merged one whose merge commit it is, ascending: in one request where they fit a page
// (https://docs.github.com/en/rest/commits/commits#list-pull-requests-associated-with-a-commit).
// A commit that GitHub does not know has none.
func (c *Client) PullRequestsOf(ctx context.Context, sha pr.SHA) ([]int, error) {
	if !fullSHA.MatchString(string(sha)) {
		return nil, fmt.Errorf("look for pull requests by commit: %q is no full commit id", sha)
	}
	var numbers []int
	err := everyPage(func(o *gh.ListOptions) (*gh.Response, error) {
		pulls, resp, err := c.rest.PullRequests.ListPullRequestsWithCommit(ctx, c.owner, c.name, string(sha), o)
		for _, p := range pulls {
			if p == nil {
				continue
			}
			head := p.GetState() == "open" && p.GetHead().GetSHA() == string(sha)
			if merged := !p.GetMergedAt().IsZero() && p.GetMergeCommitSHA() == string(sha); head || merged {
				numbers = append(numbers, p.GetNumber())
			}
		}
		return resp, err
	})
	if refused, ok := errors.AsType[*Refused](err); ok && refused.Status == http.StatusUnprocessableEntity {
		return nil, nil // "No commit found for SHA"
	}
	if err != nil {
		return nil, c.explain("look for pull requests by commit", err)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// workKinds are the events that Work returns.
var workKinds = [...]pr.EventKind{pr.ReviewRequested, pr.ReviewRequestRemoved, pr.WorkStarted, pr.WorkFinished, pr.WorkFailed}

// Work returns Copilot's work events on a pull request, and the review requests
// beside them, oldest first: the issue timeline, which alone has them, read to
// its end
// (https://docs.github.com/en/rest/issues/timeline#list-timeline-events-for-an-issue).
func (c *Client) Work(ctx context.Context, number int) ([]pr.Event, error) {
	var events []pr.Event
	err := everyPage(func(o *gh.ListOptions) (*gh.Response, error) {
		page, resp, err := c.rest.Issues.ListIssueTimeline(ctx, c.owner, c.name, number, o)
		for _, e := range page {
			if kind := pr.EventKind(e.GetEvent()); slices.Contains(workKinds[:], kind) {
				events = append(events, pr.Event{
					Kind:     kind,
					At:       e.GetCreatedAt().UTC(),
					Actor:    userOf(e.Actor),
					Reviewer: userOf(e.Reviewer),
				})
			}
		}
		return resp, err
	})
	if refused, ok := errors.AsType[*Refused](err); ok && refused.Status == http.StatusNotFound {
		return nil, fmt.Errorf("read the timeline of pull request %d: %w", number, err)
	}
	if err != nil {
		return nil, c.explain("read the timeline", err)
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].At.Before(events[j].At) })
	return events, nil
}

// userOf is a REST account as an actor; a ghost for nil.
func userOf(u *gh.User) pr.Actor {
	if u == nil {
		return pr.Actor{}
	}
	return pr.Actor{Login: pr.NewLogin(u.GetLogin()), Bot: u.GetType() == "Bot", ID: u.GetID()}
}

// everyPage calls read for each page of a REST list. A list that goes round or
// on without end is an error, and so is a page that cannot be read: half a
// list is none.
func everyPage(read func(*gh.ListOptions) (*gh.Response, error)) error {
	for o := (&gh.ListOptions{PerPage: pageSizes[0]}); ; {
		resp, err := read(o)
		if err != nil {
			return judge(err)
		}
		switch {
		case resp.NextPage == 0:
			return nil
		case resp.NextPage <= o.Page:
			return fmt.Errorf("%w: it sends the same page again and again", ErrUnavailable)
		case resp.NextPage > maxPages:
			return fmt.Errorf("%w: the list has more than %d pages", ErrUnavailable, maxPages)
		}
		o.Page = resp.NextPage
	}
}
