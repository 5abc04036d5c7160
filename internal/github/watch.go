package github

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// A standing is what stands on one commit: its checks, as in the snapshot but
// without isRequired, and its deployments.
type standing struct {
	StatusCheckRollup *struct {
		Contexts *connection[stoodCheck] `graphql:"contexts(first: $size, after: $afterChecks)"`
	} `graphql:"statusCheckRollup @include(if: $withChecks)"`
	Deployments *connection[deployment] `graphql:"deployments(first: $few, after: $afterDeployments) @include(if: $withDeployments)"`
}

type stoodCheck struct {
	Typename string `graphql:"__typename"`
	CheckRun struct {
		DatabaseID int64 `graphql:"databaseId"`
		Name       string
		Status     string
		Conclusion *string
		StartedAt  *time.Time
		CheckSuite *struct {
			App         *struct{ Slug string }
			WorkflowRun *workflowRun `graphql:"workflowRun @include(if: $withRuns)"`
		}
	} `graphql:"... on CheckRun"`
	StatusContext struct {
		Context   string
		State     string
		CreatedAt *time.Time
	} `graphql:"... on StatusContext"`
}

type deployment struct {
	DatabaseID  int64 `graphql:"databaseId"`
	Environment string
	CreatedAt   time.Time
	Statuses    *connection[deploymentStatus] `graphql:"statuses(first: 30)"`
}

type deploymentStatus struct {
	State     string
	CreatedAt time.Time
}

// fewer is the page of deployments for a page of size: each brings a list of its
// own, and the whole request shall stay at one point.
func fewer(size int) int { return max(size/5, 2) }

// A lineage is a commit with its first parent, and the pull requests that
// brought the parent to the base.
type lineage struct {
	Oid     pr.SHA
	Parents *struct {
		TotalCount int
		Nodes      []*struct {
			Oid    pr.SHA
			Of     *connection[numbered] `graphql:"associatedPullRequests(first: 20)"`
			Before standing              `graphql:"... on Commit"`
		}
	} `graphql:"parents(first: 1)"`
}

type numbered struct{ Number int }

type watchQuery struct {
	RateLimit  *rateLimit
	Repository *struct {
		Now *struct {
			Commit struct {
				lineage
				standing
			} `graphql:"... on Commit"`
		} `graphql:"now: object(oid: $commit)"`
		Known   *aRevert             `graphql:"known: pullRequest(number: $revert) @include(if: $withKnown)"`
		Reverts *connection[aRevert] `graphql:"reverts: pullRequests(first: 20, headRefName: $headRef, orderBy: {field: CREATED_AT, direction: DESC}) @include(if: $withReverts)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// aRevert is a pull request that may take a merge back.
type aRevert struct {
	Number            int
	State             pr.State
	Body              string
	HeadRefName       string
	CreatedAt         time.Time
	IsCrossRepository bool
	AuthorAssociation string
	ViewerDidAuthor   bool
	MergedAt          *time.Time
	MergeCommit       *struct{ Oid pr.SHA }
}

// inside reports whether it is of somebody who belongs to the repository, on a
// branch of this: a stranger's copy of a marker must not stand for our own.
func (v *aRevert) inside() bool {
	return !v.IsCrossRepository && (v.ViewerDidAuthor || insiders[v.AuthorAssociation])
}

func (v *aRevert) revert(commit pr.SHA) *pr.Revert {
	r := &pr.Revert{Number: v.Number, State: v.State, Ours: effect.IsRevert(v.Body, commit), MergedAt: timeOf(v.MergedAt)}
	if v.MergeCommit != nil {
		r.Commit = v.MergeCommit.Oid
	}
	return r
}

// revertBranch is how GitHub names the branch of a revert.
func revertBranch(number int, head string) string {
	return "revert-" + strconv.Itoa(number) + "-" + head
}

// Watch reads what stands on the merge commit of s and on the commit before it,
// and the pull request that reverts it: number revert, or where that is 0, the
// newest on the branch that GitHub makes for one. It is one request of one point
// where no list is longer than a page. What cannot be read in full is in Unknown
// and costs nothing else.
//
// The commit before is the first parent of the merge commit; after a rebase of
// several commits, which the merge commit is the last of, that of the first of
// them, known by the pull request that GitHub names with each.
//
// The errors are those of Snapshot.
func (c *Client) Watch(ctx context.Context, s *pr.Snapshot, revert int) (*pr.Watched, error) {
	w := &watch{c: c, s: s, revert: revert, out: &pr.Watched{Commit: s.MergeCommit}, runs: true, deployments: true}
	if s.MergeCommit == "" {
		w.out.Lose(pr.FactWatch, "GitHub names no merge commit", "")
		return w.out, nil
	}
	if err := w.all(ctx); err != nil {
		return nil, c.explain("read what stands on the merge commit", err)
	}
	return w.out, nil
}

// A watch is one reading of it.
type watch struct {
	c           *Client
	s           *pr.Snapshot
	revert      int
	size        sizer
	runs        bool // workflow runs are asked for
	checks      bool
	deployments bool
	out         *pr.Watched
}

// A side is one of the two commits.
type side struct {
	oid                 pr.SHA
	to                  *pr.Standing
	fact                pr.Fact // of its checks
	checks, deployments reel
}

func (w *watch) all(ctx context.Context) error {
	now := side{oid: w.s.MergeCommit, to: &w.out.Now, fact: pr.FactChecksNow}
	then := side{to: &w.out.Then, fact: pr.FactChecksThen}
	w.checks = true
	var q *watchQuery
	for {
		var errs []GraphQLError
		var err error
		q, errs, err = askSized[watchQuery](ctx, w.c, &w.size, w.vars)
		if err != nil {
			return err
		}
		if w.judge(errs, "repository.now.parents") && w.lost(q) {
			continue // a refusal took more with it than its own part
		}
		break
	}
	if q.Repository == nil {
		w.out.Lose(pr.FactWatch, "GitHub leaves it out", "")
		return nil
	}
	w.takeReverts(q)
	if q.Repository.Now == nil || q.Repository.Now.Commit.Oid != w.s.MergeCommit {
		w.out.Lose(pr.FactWatch, "GitHub no longer shows it", "")
		return nil
	}
	commit := &q.Repository.Now.Commit
	w.take(&now, &commit.standing)
	p := commit.Parents
	switch {
	case p == nil || len(p.Nodes) == 0 || p.Nodes[0] == nil:
		w.out.Lose(pr.FactBefore, "GitHub names no parent of the merge commit", "")
	case p.TotalCount > 1:
		then.oid = p.Nodes[0].Oid
	default:
		ours, why := w.rebased(p.Nodes[0].Of)
		switch {
		case why != "":
			w.out.Lose(pr.FactBefore, why, "")
		case ours:
			if err := w.below(ctx, &then); err != nil {
				return err
			}
		default:
			then.oid = p.Nodes[0].Oid
		}
	}
	w.out.Before = then.oid
	if then.oid != "" && then.oid == p.Nodes[0].Oid {
		w.take(&then, &p.Nodes[0].Before)
	} else if then.oid != "" {
		then.checks.on, then.deployments.on = w.checks, w.deployments
	}
	for _, s := range []*side{&now, &then} {
		if err := w.further(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (w *watch) vars(size int) map[string]any {
	vars := w.c.target(0)
	delete(vars, "number")
	vars["commit"] = githubv4.GitObjectID(w.s.MergeCommit)
	vars["size"], vars["few"] = githubv4.Int(size), githubv4.Int(fewer(size)) //nolint:gosec // At most 100.
	vars["afterChecks"], vars["afterDeployments"] = (*githubv4.String)(nil), (*githubv4.String)(nil)
	vars["withChecks"], vars["withDeployments"], vars["withRuns"] = githubv4.Boolean(w.checks), githubv4.Boolean(w.deployments), githubv4.Boolean(w.runs)
	vars["revert"], vars["withKnown"] = githubv4.Int(w.revert), githubv4.Boolean(w.revert > 0) //nolint:gosec // The number of a pull request fits.
	vars["headRef"], vars["withReverts"] = githubv4.String(revertBranch(w.s.Number, w.s.HeadRef)), githubv4.Boolean(w.revert == 0)
	return vars
}

// judge enters what the errors spoil. It reports whether a part was given up, so
// that the next answer is another one. then is the path of the commit before.
func (w *watch) judge(errs []GraphQLError, then string) (less bool) {
	for _, e := range errs {
		at := func(field string) bool { return slices.Contains(e.Path, field) }
		path := strings.Join(e.Path, ".")
		switch {
		case at("workflowRun"):
			less, w.runs = less || w.runs, false
		case at("deployments"):
			w.out.Lose(pr.FactDeployments, say(e), rightOf(e, "deployments: read"))
			less, w.deployments = less || w.deployments, false
		case at("statusCheckRollup"):
			right := "checks: read"
			if _, err := strconv.Atoi(e.Path[len(e.Path)-1]); err == nil {
				right = "statuses: read" // one entry by itself can only be a commit status
			}
			fact := pr.FactChecksNow
			if strings.HasPrefix(path, then) {
				fact = pr.FactChecksThen
			}
			w.out.Lose(fact, say(e), rightOf(e, right))
		case at("associatedPullRequests"), at("history"):
			w.out.Lose(pr.FactBefore, say(e), rightOf(e, "pull-requests: read"))
		case at("known"), at("reverts"):
			w.out.Lose(pr.FactReverts, say(e), rightOf(e, "pull-requests: read"))
		default:
			w.out.Lose(pr.FactWatch, say(e), rightOf(e, "contents: read"))
		}
	}
	return less
}

// lost reports whether q lacks what was not refused: GitHub takes away all up to
// the next field that may be missing.
func (w *watch) lost(q *watchQuery) bool {
	if q.Repository == nil || q.Repository.Now == nil {
		return true
	}
	holes := func(s *standing) bool {
		return s.StatusCheckRollup != nil && (s.StatusCheckRollup.Contexts == nil || slices.ContainsFunc(s.StatusCheckRollup.Contexts.Nodes, func(c *stoodCheck) bool {
			return c == nil || c.Typename == "CheckRun" && c.CheckRun.CheckSuite == nil
		}))
	}
	p := q.Repository.Now.Commit.Parents
	return holes(&q.Repository.Now.Commit.standing) || p == nil || len(p.Nodes) > 0 && (p.Nodes[0] == nil || holes(&p.Nodes[0].Before))
}

// take keeps one page of what stands on a commit.
func (w *watch) take(s *side, page *standing) {
	if w.checks && page.StatusCheckRollup != nil {
		why := gather(&s.checks, page.StatusCheckRollup.Contexts, func(c *stoodCheck) {
			kept, ok := c.check(w.runs)
			if !ok {
				w.out.Lose(s.fact, "GitHub answers with a kind of check that prloop does not know", "")
				return
			}
			s.to.Checks = append(s.to.Checks, kept)
		})
		if why != "" {
			w.out.Lose(s.fact, why, "")
		}
	} else {
		s.checks.on = false // there is none, or a refusal that was noted
	}
	if !w.deployments {
		s.deployments.on = false
		return
	}
	why := gather(&s.deployments, page.Deployments, func(d *deployment) {
		kept := pr.Deployment{ID: d.DatabaseID, Environment: d.Environment, CreatedAt: d.CreatedAt.UTC()}
		var statuses reel
		why := gather(&statuses, d.Statuses, func(v *deploymentStatus) {
			kept.Statuses = append(kept.Statuses, pr.DeploymentStatus{State: v.State, At: v.CreatedAt.UTC()})
		})
		if why == "" && statuses.on {
			why = "one has more statuses than a page shows"
		}
		if why != "" {
			w.out.Lose(pr.FactDeployments, why, "")
		}
		s.to.Deployments = append(s.to.Deployments, kept)
	})
	if why != "" {
		w.out.Lose(pr.FactDeployments, why, "")
	}
}

// check is c as a fact; false for a kind that is not known.
func (c *stoodCheck) check(runs bool) (pr.Check, bool) {
	full := check{Typename: c.Typename}
	full.StatusContext.Context, full.StatusContext.State, full.StatusContext.CreatedAt = c.StatusContext.Context, c.StatusContext.State, c.StatusContext.CreatedAt
	u := c.CheckRun
	full.CheckRun.DatabaseID, full.CheckRun.Name, full.CheckRun.Status, full.CheckRun.Conclusion = u.DatabaseID, u.Name, u.Status, u.Conclusion
	full.CheckRun.StartedAt, full.CheckRun.CheckSuite = u.StartedAt, u.CheckSuite
	return full.check(runs, !runs)
}

// standingQuery is a further page of what stands on one commit.
type standingQuery struct {
	RateLimit  *rateLimit
	Repository *struct {
		Object *struct {
			Commit struct{ standing } `graphql:"... on Commit"`
		} `graphql:"object(oid: $commit)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// further reads the pages of s that are left.
func (w *watch) further(ctx context.Context, s *side) error {
	for s.checks.on || s.deployments.on {
		q, errs, err := askSized[standingQuery](ctx, w.c, &w.size, func(size int) map[string]any {
			vars := w.c.target(0)
			delete(vars, "number")
			vars["commit"] = githubv4.GitObjectID(s.oid)
			vars["size"], vars["few"] = githubv4.Int(size), githubv4.Int(fewer(size)) //nolint:gosec // At most 100.
			vars["afterChecks"], vars["afterDeployments"] = s.checks.cursor(), s.deployments.cursor()
			vars["withChecks"], vars["withDeployments"] = githubv4.Boolean(s.checks.on), githubv4.Boolean(s.deployments.on)
			vars["withRuns"] = githubv4.Boolean(w.runs)
			return vars
		})
		if err != nil {
			return err
		}
		then := ""
		if s.fact != pr.FactChecksThen {
			then = "none"
		}
		w.judge(errs, then)
		if q.Repository == nil || q.Repository.Object == nil {
			w.out.Lose(s.fact, "GitHub leaves it out", "")
			w.out.Lose(pr.FactDeployments, "GitHub leaves them out", "")
			return nil
		}
		checks, deployments := w.checks, w.deployments
		w.checks, w.deployments = w.checks && s.checks.on, w.deployments && s.deployments.on
		w.take(s, &q.Repository.Object.Commit.standing)
		w.checks, w.deployments = checks, deployments
	}
	return nil
}

// rebased reports whether this pull request brought a commit, so that the merge
// was a rebase of several. why says why nobody knows.
func (w *watch) rebased(of *connection[numbered]) (ours bool, why string) {
	var list reel
	why = gather(&list, of, func(n *numbered) { ours = ours || n.Number == w.s.Number })
	if why == "" && list.on && !ours {
		why = "a commit has more pull requests than a page shows"
	}
	return ours, why
}

// historyQuery is the newest commits below the merge commit.
type historyQuery struct {
	RateLimit  *rateLimit
	Repository *struct {
		Now *struct {
			Commit struct {
				History *connection[descent] `graphql:"history(first: 100)"`
			} `graphql:"... on Commit"`
		} `graphql:"now: object(oid: $commit)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type descent struct {
	Oid     pr.SHA
	Parents *connection[struct{ Oid pr.SHA }] `graphql:"parents(first: 1)"`
	Of      *connection[numbered]             `graphql:"associatedPullRequests(first: 20)"`
}

// below finds the commit that a rebase was put upon.
func (w *watch) below(ctx context.Context, then *side) error {
	q := new(historyQuery)
	vars := w.c.target(0)
	delete(vars, "number")
	vars["commit"] = githubv4.GitObjectID(w.s.MergeCommit)
	errs, err := w.c.ask(ctx, &exchange{}, q, vars)
	if err != nil {
		return err
	}
	w.judge(errs, "none")
	commits := map[pr.SHA]*descent{}
	if q.Repository != nil && q.Repository.Now != nil && q.Repository.Now.Commit.History != nil {
		for _, d := range q.Repository.Now.Commit.History.Nodes {
			if d != nil {
				commits[d.Oid] = d
			}
		}
	}
	at := w.s.MergeCommit
	for range len(commits) + 1 {
		d := commits[at]
		if d == nil {
			break
		}
		ours, why := w.rebased(d.Of)
		switch {
		case why != "":
			w.out.Lose(pr.FactBefore, why, "")
			return nil
		case !ours && at != w.s.MergeCommit:
			then.oid = at
			return nil
		case d.Parents == nil || len(d.Parents.Nodes) == 0 || d.Parents.Nodes[0] == nil:
			at = ""
		default:
			at = d.Parents.Nodes[0].Oid
		}
	}
	w.out.Lose(pr.FactBefore, "it was merged by a rebase of more commits than a page shows", "")
	return nil
}

// takeReverts keeps the pull request that reverts the merge: the newest that
// stands, else the newest.
func (w *watch) takeReverts(q *watchQuery) {
	if w.revert > 0 {
		if q.Repository.Known == nil {
			w.out.Lose(pr.FactReverts, "GitHub leaves it out", "")
			return
		}
		w.out.Revert = q.Repository.Known.revert(w.s.MergeCommit)
		return
	}
	var list reel
	why := gather(&list, q.Repository.Reverts, func(v *aRevert) {
		if v.inside() && (w.out.Revert == nil || w.out.Revert.State == pr.Closed && v.State != pr.Closed) {
			w.out.Revert = v.revert(w.s.MergeCommit)
		}
	})
	if why != "" {
		w.out.Lose(pr.FactReverts, why, "")
	}
}

// since is one page of the newest pull requests, as a revert is looked for.
type since struct {
	RateLimit  *rateLimit
	Repository *struct {
		PullRequest *struct {
			ID          string
			State       pr.State
			HeadRefName string
			MergedAt    *time.Time
			MergeCommit *struct{ Oid pr.SHA }
		} `graphql:"pullRequest(number: $number)"`
		PullRequests *connection[aRevert] `graphql:"pullRequests(first: $size, after: $after, orderBy: {field: CREATED_AT, direction: DESC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// revert opens the pull request that takes a merge back, unless it is there: the
// one with its marker, or one that somebody opened by GitHub's button and that
// stands. All that were opened since the merge are looked at, because the name
// of its branch is GitHub's own affair.
func (x *Executor) revert(ctx context.Context, e effect.Revert) (effect.Result, error) {
	var id string
	var number int
	look := func() (r effect.Result, gone bool, err error) {
		var size sizer
		for l := (reel{on: true}); l.on; {
			q, err := see[since](ctx, x.c, &size, func(n int) map[string]any {
				vars := x.c.target(e.PR)
				vars["size"], vars["after"] = githubv4.Int(n), l.cursor() //nolint:gosec // At most 100.
				return vars
			})
			if err != nil {
				return effect.Result{}, false, err
			}
			if q.Repository == nil || q.Repository.PullRequest == nil {
				return effect.Result{}, false, errLeftOut
			}
			p := q.Repository.PullRequest
			if p.State != pr.Merged || p.MergedAt == nil || p.MergeCommit == nil || p.MergeCommit.Oid != e.Commit {
				return stale("the pull request is not merged as " + e.Commit.Short()), true, nil
			}
			id = p.ID
			older := false
			why := gather(&l, q.Repository.PullRequests, func(v *aRevert) {
				older = older || v.CreatedAt.Before(*p.MergedAt)
				byHand := v.State != pr.Closed && strings.HasPrefix(v.HeadRefName, revertBranch(e.PR, p.HeadRefName))
				if v.inside() && (hasLine(v.Body, e.Marker()) || byHand) {
					number = v.Number
				}
			})
			if why != "" {
				return effect.Result{}, false, incomplete(why)
			}
			l.on = l.on && !older && number == 0
		}
		return effect.Result{}, false, nil
	}
	switch r, gone, err := look(); {
	case err != nil || gone:
		return r, needs(rightRevert, err)
	case number != 0:
		return effect.Result{Outcome: effect.AlreadySo, Number: number}, nil
	}
	title, body := githubv4.String(e.Title), githubv4.String(e.Body+"\n\n"+e.Marker())
	write := func() error {
		var m struct {
			RevertPullRequest struct {
				RevertPullRequest *struct{ Number int }
			} `graphql:"revertPullRequest(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.RevertPullRequestInput{PullRequestID: id, Title: &title, Body: &body}, x.c.who())
		if made := m.RevertPullRequest.RevertPullRequest; err == nil && made != nil {
			number = made.Number
		}
		return err
	}
	there := func() (bool, error) {
		_, gone, err := look()
		return gone || number != 0, err
	}
	err := x.c.once(ctx, write, there)
	if refused, ok := errors.AsType[*Refused](err); ok && refused.Status == http.StatusOK {
		return failed("GitHub refuses to revert it"), nil
	}
	if err != nil {
		return effect.Result{}, needs(rightRevert, err)
	}
	if number == 0 {
		return failed("GitHub said yes and names no pull request"), nil
	}
	return effect.Result{Outcome: effect.Done, Number: number}, nil
}
