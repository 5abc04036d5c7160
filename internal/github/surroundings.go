package github

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/pr"
)

// Surroundings are files of the default branch that a fixer is told of.
type Surroundings struct {
	// File is the one that was asked for; Why says why its text is not known,
	// empty where it is, or where there is no such file.
	File pr.File
	Why  string
	// Manager is the package manager whose lock file is there: pnpm, npm or yarn,
	// the first of them (seed 001, step 11); empty where none is.
	Manager string
}

// there is an object of which only its being there counts.
type there struct {
	Typename string `graphql:"__typename"`
}

type surroundingsQuery struct {
	RateLimit  *rateLimit
	Repository *struct {
		File *file  `graphql:"file: object(expression: $file) @include(if: $withFile)"`
		Pnpm *there `graphql:"pnpm: object(expression: \"HEAD:pnpm-lock.yaml\")"`
		Npm  *there `graphql:"npm: object(expression: \"HEAD:package-lock.json\")"`
		Yarn *there `graphql:"yarn: object(expression: \"HEAD:yarn.lock\")"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// Surroundings reads the file at path (empty: none) of the default branch, and
// which lock file is there, in one request. It is the default branch and not the
// head: what a fixer must run, and what it may pass over, is not for the author
// of a pull request to say.
//
// The errors are those of Snapshot.
func (c *Client) Surroundings(ctx context.Context, path string) (Surroundings, error) {
	q := new(surroundingsQuery)
	spoilt, err := c.ask(ctx, &exchange{}, q, map[string]any{
		"owner": githubv4.String(c.owner), "name": githubv4.String(c.name),
		"file": githubv4.String("HEAD:" + path), "withFile": githubv4.Boolean(path != ""),
	})
	if err == nil {
		err = whole(spoilt)
	}
	if err == nil && q.Repository == nil {
		err = errLeftOut
	}
	if err != nil {
		return Surroundings{}, c.explain("read the files of the default branch", needs("contents: read", err))
	}
	var s Surroundings
	if path != "" {
		s.File, s.Why = q.Repository.File.file(path)
	}
	switch {
	case q.Repository.Pnpm != nil:
		s.Manager = "pnpm"
	case q.Repository.Npm != nil:
		s.Manager = "npm"
	case q.Repository.Yarn != nil:
		s.Manager = "yarn"
	}
	return s, nil
}
