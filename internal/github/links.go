package github

import (
	"slices"
	"sort"

	"github.com/prloop/prloop/internal/pr"
)

// linked is a pull request that belongs to another pull request or an issue,
// linkedIssue an issue that a pull request closes.
type linked struct {
	Number     int
	State      pr.State
	HeadRefOid pr.SHA
}

// twin is a pull request that has this one's head among its commits.
type twin struct {
	Number            int
	State             pr.State
	HeadRefOid        pr.SHA
	BaseRefName       string
	IsCrossRepository bool
	Author            *actor
	Labels            *connection[label] `graphql:"labels(first: 10)"`
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

// takeTwins keeps the other open pull requests whose head is this very commit. More
// pull requests than one page has may be of a branch that many build upon; then
// nobody knows.
func (r *reading) takeTwins(p *pullRequest) {
	if p.Twins == nil || len(p.Twins.Nodes) == 0 || p.Twins.Nodes[0] == nil || p.Twins.Nodes[0].Commit == nil {
		r.lose(pr.FactTwins, "GitHub left it out", "")
		return
	}
	var more reel
	why := gather(&more, p.Twins.Nodes[0].Commit.AssociatedPullRequests, func(v *twin) {
		if v.Number == p.Number || v.State != pr.Open || v.HeadRefOid != p.HeadRefOid {
			return
		}
		l := pr.Linked{Number: v.Number, State: v.State, Head: v.HeadRefOid, Base: v.BaseRefName, Author: v.Author.actor(), Fork: v.IsCrossRepository}
		var labels reel
		cut := gather(&labels, v.Labels, func(v *label) { l.Labels = append(l.Labels, v.Name) })
		slices.Sort(l.Labels)
		l.Cut = cut != "" || labels.on
		r.s.Twins = append(r.s.Twins, l)
	})
	if why == "" && more.on {
		why = "its head is part of more pull requests than prloop looks at"
	}
	if why != "" {
		r.lose(pr.FactTwins, why, "")
	}
	sort.Slice(r.s.Twins, func(i, j int) bool { return r.s.Twins[i].Number < r.s.Twins[j].Number })
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
	if r.reels[listTwins].on {
		r.takeTwins(p)
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
