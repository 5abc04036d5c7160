package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	gh "github.com/google/go-github/v62/github"

	"github.com/prloop/prloop/internal/pr"
)

// What GitHub shows of a pull request's commits, and of the files of a
// comparison, at most
// (https://docs.github.com/en/rest/pulls/pulls#list-commits-on-a-pull-request,
// https://docs.github.com/en/rest/commits/commits#compare-two-commits).
const (
	shownCommits = 250
	shownFiles   = 300
)

// Commits returns the commits of a pull request, oldest first, from all pages.
// GitHub shows no more than 250 of them: known says that these are all.
//
// The errors are those of Snapshot; one that [IsGone] says that there is no
// such pull request.
func (c *Client) Commits(ctx context.Context, number int) (list []pr.SHA, known bool, err error) {
	err = everyPage(func(o *gh.ListOptions) (*gh.Response, error) {
		page, resp, err := c.rest.PullRequests.ListCommits(ctx, c.owner, c.name, number, o)
		for _, v := range page {
			if v.GetSHA() == "" {
				return resp, incomplete("GitHub leaves out an entry")
			}
			list = append(list, pr.SHA(v.GetSHA()))
		}
		return resp, err
	})
	if refused, ok := errors.AsType[*Refused](err); ok && refused.Status == http.StatusNotFound {
		return nil, false, fmt.Errorf("read the commits of pull request %d: %w", number, err)
	}
	if err != nil {
		return nil, false, c.explain("read the commits", needs("pull-requests: read", err))
	}
	return list, len(list) < shownCommits, nil
}

// A Commit is one commit of a pull request with the account that GitHub links its
// author to; none where it links none.
type Commit struct {
	SHA    pr.SHA
	Author pr.Actor
}

// CommitsBy is [Client.Commits] with the commits' authors.
func (c *Client) CommitsBy(ctx context.Context, number int) (list []Commit, known bool, err error) {
	err = everyPage(func(o *gh.ListOptions) (*gh.Response, error) {
		page, resp, err := c.rest.PullRequests.ListCommits(ctx, c.owner, c.name, number, o)
		for _, v := range page {
			if v.GetSHA() == "" {
				return resp, incomplete("GitHub leaves out an entry")
			}
			by := v.GetAuthor()
			list = append(list, Commit{pr.SHA(v.GetSHA()), pr.Actor{
				Login: pr.NewLogin(by.GetLogin()), Bot: by.GetType() == "Bot", ID: by.GetID(),
			}})
		}
		return resp, err
	})
	if err != nil {
		return nil, false, c.explain("read the commits", needs("pull-requests: read", err))
	}
	return list, len(list) < shownCommits, nil
}

// A ChangedFile is one file of a comparison. Path, Previous and Patch are a
// stranger's.
type ChangedFile struct {
	Path      string
	Previous  string // before it was renamed
	Status    string // as REST has it: added, removed, modified, renamed, …
	Additions int    // lines
	Deletions int    // lines
	Patch     string // empty where GitHub shows none: a binary or very large file
}

// Changed returns the files that head has changed since base, in one request.
// It is complete where GitHub shows each of them: head follows base, so that
// nothing was pushed away between them, and has fewer than 300 files. Of a
// commit that GitHub no longer has nothing is known. A complete list may hold
// files without their patch.
//
// The errors are those of Snapshot.
func (c *Client) Changed(ctx context.Context, base, head pr.SHA) (files []ChangedFile, complete bool, err error) {
	for _, sha := range []pr.SHA{base, head} {
		if !fullSHA.MatchString(string(sha)) {
			return nil, false, fmt.Errorf("compare two heads: %q is no full commit id", sha)
		}
	}
	// The files come with the first page of the commits, whatever its size.
	v, _, err := c.rest.Repositories.CompareCommits(ctx, c.owner, c.name, string(base), string(head), &gh.ListOptions{PerPage: 1})
	if err = judge(err); IsGone(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, c.explain("compare two heads", needs("contents: read", err))
	}
	follows := v.GetStatus() == "ahead" || v.GetStatus() == "identical"
	complete = follows && v.Files != nil && len(v.Files) < shownFiles
	for _, f := range v.Files {
		if f.GetFilename() == "" {
			complete = false
			continue
		}
		files = append(files, ChangedFile{
			Path:      f.GetFilename(),
			Previous:  f.GetPreviousFilename(),
			Status:    f.GetStatus(),
			Additions: f.GetAdditions(),
			Deletions: f.GetDeletions(),
			Patch:     f.GetPatch(),
		})
	}
	return files, complete, nil
}
