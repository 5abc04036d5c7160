package github

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// merging is what is looked at before and after what changes a merge.
type merging struct {
	Repository *struct {
		PullRequest *mergeable `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type mergeable struct {
	ID               string
	State            pr.State
	HeadRefOid       pr.SHA
	AutoMergeRequest *struct{ EnabledAt *time.Time }
	MergeQueueEntry  *struct{ EnqueuedAt time.Time }
}

func (x *Executor) lookAtMerge(ctx context.Context) (*mergeable, error) {
	q, err := see[merging](ctx, x.c, new(sizer), func(int) map[string]any { return x.c.target(x.t.Number) })
	if err != nil {
		return nil, err
	}
	if q.Repository == nil || q.Repository.PullRequest == nil {
		return nil, errLeftOut
	}
	return q.Repository.PullRequest, nil
}

// came says what became of the merge of head, as far as GitHub shows it; empty
// where nothing did.
func (m *mergeable) came(head pr.SHA) effect.MergeResult {
	switch {
	case m.HeadRefOid != head:
		return ""
	case m.State == pr.Merged:
		return effect.MergeMade
	case m.State != pr.Open:
		return ""
	case m.MergeQueueEntry != nil:
		return effect.MergeQueued
	case m.AutoMergeRequest != nil:
		return effect.MergeArmed
	}
	return ""
}

// land merges, or has GitHub do it, by the way that e names, and by another where
// GitHub refuses for a reason that leads there (autopilot D13). Every request
// carries the head.
func (x *Executor) land(ctx context.Context, e effect.Merge) (effect.Result, error) {
	s, why, err := x.t.Again(ctx, e)
	if err != nil {
		return effect.Result{}, err
	}
	now := mergeable{State: s.State, HeadRefOid: s.Head}
	if s.AutoMerge != nil {
		now.AutoMergeRequest = &struct{ EnabledAt *time.Time }{&s.AutoMerge.At}
	}
	if s.Queue != nil {
		now.MergeQueueEntry = &struct{ EnqueuedAt time.Time }{s.Queue.At}
	}
	if so := now.came(e.Head); so != "" {
		return effect.Result{Outcome: effect.AlreadySo, Merge: so}, nil
	}
	if r, moved := pinned(e.Head, s.Head, s.State); moved {
		return r, nil
	}
	if why != "" {
		return stale(why), nil
	}
	way, again := e.Way, true
	for {
		got, commit, err := x.mergeBy(ctx, s.ID, way, e)
		refused, ok := errors.AsType[*Refused](err)
		switch {
		case err == nil:
			return effect.Result{Outcome: effect.Done, Merge: got, ID: commit}, nil
		case !ok || refused.Status != http.StatusOK:
			return effect.Result{}, err
		}
		class := effect.RefusalOf(refused.Message)
		switch class {
		case effect.NotAllowed, effect.CleanStatus, effect.NoProtection, effect.UnstableStatus:
			if way == effect.Armed && (class != effect.UnstableStatus || e.Settled) {
				way = effect.Direct
				continue
			}
		case effect.NeedsQueue:
			if way != effect.Queued {
				way = effect.Queued
				continue
			}
		case effect.BaseChanged:
			if again {
				again = false
				continue
			}
		case effect.HeadChanged:
			return stale("the head has moved"), nil
		case effect.MergeMade, effect.MergeArmed, effect.MergeQueued, effect.DirtyStatus, effect.BehindBase, effect.DraftStatus,
			effect.RulesRefuse, effect.Unmergeable, effect.MergeRefused:
		}
		r := failed("GitHub refuses it (" + strings.ReplaceAll(string(class), "_", " ") + ")")
		r.Merge = class
		return r, nil
	}
}

// mergeBy asks for the merge by one way, once. The commit is empty where GitHub
// does not say which it made.
func (x *Executor) mergeBy(ctx context.Context, id string, way effect.Way, e effect.Merge) (came effect.MergeResult, commit string, err error) {
	head, method := githubv4.GitObjectID(e.Head), githubv4.PullRequestMergeMethod(e.Method)
	came = map[effect.Way]effect.MergeResult{effect.Armed: effect.MergeArmed, effect.Queued: effect.MergeQueued, effect.Direct: effect.MergeMade}[way]
	write := func() (err error) {
		switch way {
		case effect.Armed:
			var m struct {
				EnablePullRequestAutoMerge struct{ PullRequest *mergeable } `graphql:"enablePullRequestAutoMerge(input: $input)"`
			}
			_, err = x.c.mutate(ctx, &m, githubv4.EnablePullRequestAutoMergeInput{PullRequestID: id, MergeMethod: &method, ExpectedHeadOid: &head}, x.c.who())
			if p := m.EnablePullRequestAutoMerge.PullRequest; err == nil && p != nil && p.came(e.Head) != "" {
				came = p.came(e.Head) // a base with a merge queue puts it there
			}
		case effect.Queued:
			var m struct {
				EnqueuePullRequest struct{ ClientMutationID string } `graphql:"enqueuePullRequest(input: $input)"`
			}
			_, err = x.c.mutate(ctx, &m, githubv4.EnqueuePullRequestInput{PullRequestID: id, ExpectedHeadOid: &head}, x.c.who())
		case effect.Direct:
			var m struct {
				MergePullRequest struct {
					PullRequest *struct{ MergeCommit *struct{ Oid string } }
				} `graphql:"mergePullRequest(input: $input)"`
			}
			_, err = x.c.mutate(ctx, &m, githubv4.MergePullRequestInput{PullRequestID: id, MergeMethod: &method, ExpectedHeadOid: &head}, x.c.who())
			if p := m.MergePullRequest.PullRequest; err == nil && p != nil && p.MergeCommit != nil {
				commit = p.MergeCommit.Oid
			}
		}
		return needs(rightMerge, err)
	}
	err = x.c.once(ctx, write, func() (bool, error) {
		p, err := x.lookAtMerge(ctx)
		if err != nil {
			return false, err
		}
		if so := p.came(e.Head); so != "" {
			came = so
			return true, nil
		}
		return false, nil
	})
	return came, commit, err
}

// disarm takes back what was armed or queued then. What was armed anew since is
// somebody else's.
func (x *Executor) disarm(ctx context.Context, e effect.DisarmMerge) (effect.Result, error) {
	p, err := x.lookAtMerge(ctx)
	if err != nil {
		return effect.Result{}, err
	}
	other := func(at *time.Time) bool { return at != nil && e.At != "" && at.UTC().Format(time.RFC3339) != e.At }
	switch {
	case p.State != pr.Open:
		return stale("the pull request is " + strings.ToLower(string(p.State))), nil
	case p.AutoMergeRequest == nil && p.MergeQueueEntry == nil:
		return effect.Result{Outcome: effect.AlreadySo}, nil
	case p.AutoMergeRequest != nil && other(p.AutoMergeRequest.EnabledAt), p.MergeQueueEntry != nil && other(&p.MergeQueueEntry.EnqueuedAt):
		return stale("somebody armed it anew"), nil
	}
	gone := func() (bool, error) {
		p, err := x.lookAtMerge(ctx)
		return err == nil && p.AutoMergeRequest == nil && p.MergeQueueEntry == nil, err
	}
	if p.AutoMergeRequest != nil {
		write := func() error {
			var m struct {
				DisablePullRequestAutoMerge struct{ ClientMutationID string } `graphql:"disablePullRequestAutoMerge(input: $input)"`
			}
			_, err := x.c.mutate(ctx, &m, githubv4.DisablePullRequestAutoMergeInput{PullRequestID: p.ID}, x.c.who())
			return needs(rightMerge, err)
		}
		if err := x.c.once(ctx, write, gone); err != nil {
			return effect.Result{}, err
		}
	}
	if p.MergeQueueEntry != nil {
		write := func() error {
			var m struct {
				DequeuePullRequest struct{ ClientMutationID string } `graphql:"dequeuePullRequest(input: $input)"`
			}
			_, err := x.c.mutate(ctx, &m, githubv4.DequeuePullRequestInput{ID: p.ID}, x.c.who())
			return needs(rightMerge, err)
		}
		if err := x.c.once(ctx, write, gone); err != nil {
			return effect.Result{}, err
		}
	}
	return effect.Result{Outcome: effect.Done}, nil
}

// updateBranch merges the base into the head.
func (x *Executor) updateBranch(ctx context.Context, e effect.UpdateBranch) (effect.Result, error) {
	p, err := x.lookAtMerge(ctx)
	if err != nil {
		return effect.Result{}, err
	}
	if r, moved := pinned(e.Head, p.HeadRefOid, p.State); moved {
		return r, nil
	}
	head := githubv4.GitObjectID(e.Head)
	write := func() error {
		var m struct {
			UpdatePullRequestBranch struct{ ClientMutationID string } `graphql:"updatePullRequestBranch(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.UpdatePullRequestBranchInput{PullRequestID: p.ID, ExpectedHeadOid: &head}, x.c.who())
		return needs(rightMerge, err)
	}
	// After a lost answer a head that moved is the update, or makes it pointless.
	err = x.c.once(ctx, write, func() (bool, error) {
		p, err := x.lookAtMerge(ctx)
		return err == nil && p.HeadRefOid != e.Head, err
	})
	if refused, ok := errors.AsType[*Refused](err); ok {
		switch message := strings.ToLower(refused.Message); {
		case strings.Contains(message, "no new commits on the base"):
			return effect.Result{Outcome: effect.AlreadySo}, nil
		case effect.RefusalOf(message) == effect.HeadChanged:
			return stale("the head has moved"), nil
		}
	}
	if err != nil {
		return effect.Result{}, err
	}
	return effect.Result{Outcome: effect.Done}, nil
}

// branch is what is looked at before a head branch is deleted.
type branch struct {
	Repository *struct {
		DefaultBranchRef *struct{ Name string }
		Based            struct{ TotalCount int } `graphql:"based: pullRequests(baseRefName: $branch, states: OPEN, first: 1)"`
		PullRequest      *struct {
			State      pr.State
			HeadRefOid pr.SHA
			HeadRef    *struct {
				ID            string
				Name          string
				Target        *struct{ Oid pr.SHA }
				RefUpdateRule *struct{ Pattern string }
				Rules         *connection[ruleType]    `graphql:"rules(first: 100)"`
				Open          struct{ TotalCount int } `graphql:"associatedPullRequests(states: OPEN, first: 1)"`
			}
			HeadRepository *struct{ NameWithOwner string }
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type ruleType struct{ Type string }

// guarded reports whether rules protect a branch: any but the one that has Copilot
// review it, and any that cannot be read.
func guarded(rules *connection[ruleType]) bool {
	return rules == nil || rules.PageInfo.HasNextPage || slices.ContainsFunc(rules.Nodes, func(r *ruleType) bool { return r == nil || r.Type != "COPILOT_CODE_REVIEW" })
}

// deleteBranch deletes the head branch. It is left alone where a rule protects it
// or cannot be read, where it has moved on, and where an open pull request is of
// it or based on it: GitHub would close that.
func (x *Executor) deleteBranch(ctx context.Context, e effect.DeleteBranch) (effect.Result, error) {
	vars := x.c.target(x.t.Number)
	vars["branch"] = githubv4.String(e.Branch)
	var id string
	look := func() (r effect.Result, over bool, err error) {
		q, err := see[branch](ctx, x.c, new(sizer), func(int) map[string]any { return vars })
		switch {
		case err != nil:
			return effect.Result{}, false, err
		case q.Repository == nil || q.Repository.PullRequest == nil:
			return effect.Result{}, false, errLeftOut
		}
		p := q.Repository.PullRequest
		ref := p.HeadRef
		switch {
		case ref == nil:
			return effect.Result{Outcome: effect.AlreadySo}, true, nil
		case p.State != pr.Merged:
			return stale("the pull request is not merged"), true, nil
		case p.HeadRepository == nil || !strings.EqualFold(p.HeadRepository.NameWithOwner, x.c.owner+"/"+x.c.name):
			return stale("the branch is of another repository"), true, nil
		case ref.Target == nil || ref.Target.Oid != e.Head || ref.Name != e.Branch:
			return stale("the branch has moved on"), true, nil
		case q.Repository.DefaultBranchRef == nil || q.Repository.DefaultBranchRef.Name == e.Branch, ref.RefUpdateRule != nil, guarded(ref.Rules):
			return stale("the branch is protected"), true, nil
		case q.Repository.Based.TotalCount > 0 || ref.Open.TotalCount > 0:
			return stale("an open pull request needs the branch"), true, nil
		}
		id = ref.ID
		return effect.Result{}, false, nil
	}
	if r, over, err := look(); err != nil || over {
		return r, err
	}
	write := func() error {
		var m struct {
			DeleteRef struct{ ClientMutationID string } `graphql:"deleteRef(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.DeleteRefInput{RefID: id}, x.c.who())
		return needs(rightBranch, err)
	}
	var late effect.Result
	err := x.c.once(ctx, write, func() (bool, error) {
		r, over, err := look()
		late = r
		return over, err
	})
	switch {
	case IsGone(err):
		return effect.Result{Outcome: effect.AlreadySo}, nil
	case err != nil:
		return effect.Result{}, err
	case late.Outcome == effect.Stale:
		return late, nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}
