package github

import (
	"context"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/pr"
)

type graphQuery struct {
	RateLimit  *rateLimit
	Repository *struct {
		Graph  *there `graphql:"graph: object(expression: $graph)"`
		Folder *there `graphql:"folder: object(expression: $folder)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// Graph looks for a knowledge graph of the code in the tree of head, in one
// request.
//
// The errors are those of Snapshot.
func (c *Client) Graph(ctx context.Context, head pr.SHA) (pr.Graph, error) {
	q := new(graphQuery)
	spoilt, err := c.ask(ctx, &exchange{}, q, map[string]any{
		"owner": githubv4.String(c.owner), "name": githubv4.String(c.name),
		"graph": githubv4.String(string(head) + ":" + pr.GraphFile), "folder": githubv4.String(string(head) + ":" + pr.GraphFolder),
	})
	if err == nil {
		err = whole(spoilt)
	}
	if err == nil && q.Repository == nil {
		err = errLeftOut
	}
	switch {
	case err != nil:
		return "", c.explain("look for the knowledge graph", needs("contents: read", err))
	case q.Repository.Graph != nil:
		return pr.GraphPresent, nil
	case q.Repository.Folder != nil:
		return pr.GraphBroken, nil
	}
	return pr.GraphAbsent, nil
}
