package github

import (
	"slices"

	"github.com/prloop/prloop/internal/pr"
)

// linked is a pull request that belongs to another pull request or an issue,
// linkedIssue an issue that a pull request closes.
type linked struct {
	Number     int
	State      pr.State
	HeadRefOid pr.SHA
}

type linkedIssue struct {
	Number int
	State  pr.State
	Labels *connection[label] `graphql:"labels(first: 20)"`
}

func (v *linked) linked() pr.Linked {
	return pr.Linked{Number: v.Number, State: v.State, Head: v.HeadRefOid}
}

func (v *linkedIssue) linked() pr.Linked {
	l := pr.Linked{Number: v.Number, State: v.State}
	var more reel
	why := gather(&more, v.Labels, func(v *label) { l.Labels = append(l.Labels, v.Name) })
	slices.Sort(l.Labels)
	l.Cut = why != "" || more.on
	return l
}

// takeLinks keeps on which pull requests it is stacked, and what it closes. Of
// the former the newest are enough; the latter are all or unknown.
func (r *reading) takeLinks(p *pullRequest) {
	if r.reels[listParents].on && p.Stack != nil { // without a base branch nothing is stacked on it
		if why := gather(new(reel), p.Stack.AssociatedPullRequests, func(v *linked) {
			r.s.Parents = append(r.s.Parents, v.linked())
		}); why != "" {
			r.lose(pr.FactParents, why, "")
		}
	}
	if !r.reels[listLinks].on {
		return
	}
	var more reel
	why := gather(&more, p.ClosingIssuesReferences, func(v *linkedIssue) { r.s.Closes = append(r.s.Closes, v.linked()) })
	if why == "" && more.on {
		why = "it closes more issues than prloop looks at"
	}
	if why != "" {
		r.lose(pr.FactLinks, why, "")
	}
}
