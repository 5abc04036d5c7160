package app

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

// sweepAll steps every open pull request that is in the loop or may enter it.
// The listing tells which; what it leaves out was not read whole and cost
// nothing more. One that fails does not stop the others.
func (r *run) sweepAll(ctx context.Context) ([]report.Run, error) {
	list, first, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	due, err := r.ended(ctx, first)
	if err != nil {
		return nil, err
	}
	issues, err := r.listIssues(ctx, first)
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		if plan.Due(l, r.client.Now()) {
			due = append(due, l.Number)
		}
	}
	sort.Ints(due)
	for _, n := range issues {
		r.markIssue(n)
		due = append(due, n)
	}
	if left := len(due) - r.inputs.MaxPRs; left > 0 {
		r.runner.Info(fmt.Sprintf("%d pull requests are left for the next sweep (max-prs: %d)", left, r.inputs.MaxPRs))
		due = due[:r.inputs.MaxPRs]
	}
	r.runner.Info(fmt.Sprintf("sweep: %d open pull requests, %d to look at", len(list), len(due)))
	runs, err := r.each(ctx, due)
	// One report stands for the sweep itself: its requests belong to no pull
	// request.
	return append(runs, r.blank()), err
}

// endedPages bounds how far a sweep looks back for pull requests that ended: after
// the first page, so many of a hundred each.
const endedPages = 5

// ended are the pull requests that ended lately and are due: what is watched after
// its merge, and what ended while no run saw it.
func (r *run) ended(ctx context.Context, first github.Page) ([]int, error) {
	list, next := first.Ended, first.NextEnded
	for n := 0; next != "" && r.client.Now().Sub(list[len(list)-1].UpdatedAt) <= plan.EndedFor; n++ {
		if n == endedPages {
			r.runner.Warning("prloop sweep", fmt.Sprintf("More than %d pull requests ended in a day; the older ones are not looked at", len(list)))
			break
		}
		page, after, why, err := r.client.Ended(ctx, next)
		if err != nil {
			return nil, err
		}
		if why != "" {
			r.runner.Warning("prloop sweep", fmt.Sprintf("The %s could not be read in full: %s", pr.FactEnded, why))
		}
		if len(page) == 0 {
			break
		}
		list, next = append(list, page...), after
	}
	return plan.DueEnded(list, first.Repo, r.key(), r.client.Now()), nil
}

// listIssues are the open issues under quest, where the configuration has any.
func (r *run) listIssues(ctx context.Context, first github.Page) ([]int, error) {
	settings, _, err := parseSettings(&pr.Snapshot{Config: first.Config}, r.inputs)
	if err != nil || settings.Issues.Label == "" || first.Repo.IssuesOff {
		return nil, nil //nolint:nilerr // Each step says what is wrong with the configuration.
	}
	numbers, err := r.client.IssuesWith(ctx, settings.Issues.Label)
	return slices.DeleteFunc(numbers, func(n int) bool { return n == first.Record.Number }), err
}

// list reads every page of the open pull requests, and returns the first one
// beside them all. A page that could not be
// read in full is named: what is not on it is not stepped in this run, and
// nothing is concluded about it.
func (r *run) list(ctx context.Context) (all []pr.Listed, first github.Page, err error) {
	for after := ""; ; {
		page, err := r.client.List(ctx, after, github.ListSize, github.Want{ConfigPath: r.inputs.ConfigPath})
		if err != nil {
			return nil, first, err
		}
		if after == "" {
			first = page
		}
		all = append(all, page.Pulls...)
		for _, u := range page.Unknown {
			r.runner.Warning("prloop sweep", fmt.Sprintf("The %s could not be read in full: %s", u.Fact, u.Why))
		}
		if page.Next == "" {
			sort.Slice(all, func(i, j int) bool { return all[i].Number < all[j].Number })
			return all, first, nil
		}
		after = page.Next
	}
}
