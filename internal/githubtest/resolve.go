package githubtest

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The objects that exist only in answers.
type (
	repo       struct{ owner, name string }
	ref        struct{ name, oid string }
	blob       struct{ path, text string }
	pullCommit struct {
		pull   *Pull
		commit *Commit
	}
	rollupOf struct{ commit *Commit }
	rule     struct {
		kind  string // of the enum RepositoryRuleType
		rules Rules
		n     int
	}
	ruleParams rule
	label      struct{ name string }
	app        struct{ slug string }
	workflow   struct{ run *WorkflowRun }
	runFile    struct{ run *WorkflowRun }
	armed      struct{ pull *Pull }
	queued     struct{ pull *Pull }
	asked      struct {
		pull  *Pull
		login string
	}
	statusNeeded struct{ context string }
	fileNeeded   struct{ path string }
	stateCount   struct {
		state string
		count int
	}
	rate    struct{ points, nodes int }
	payload map[string]any // of a mutation, by field
)

// typeOf is the GraphQL type of a Go object.
func typeOf(v any) string {
	switch v := v.(type) {
	case *Account:
		if v.Bot() {
			return "Bot"
		}
		return "User"
	case *repo:
		return "Repository"
	case *Pull:
		return "PullRequest"
	case *Issue:
		return "Issue"
	case *Comment:
		return "IssueComment"
	case *Review:
		return "PullRequestReview"
	case *Thread:
		return "PullRequestReviewThread"
	case *ThreadComment:
		return "PullRequestReviewComment"
	case *Commit:
		return "Commit"
	case *pullCommit:
		return "PullRequestCommit"
	case *blob:
		return "Blob"
	case *CheckRun:
		return "CheckRun"
	case *CommitStatus:
		return "StatusContext"
	case *CheckSuite:
		return "CheckSuite"
	case *WorkflowRun:
		return "WorkflowRun"
	case *Deployment:
		return "Deployment"
	case *DeploymentStatus:
		return "DeploymentStatus"
	case *Reaction:
		return "Reaction"
	case *ruleParams:
		return map[string]string{
			"COPILOT_CODE_REVIEW": "CopilotCodeReviewParameters", "REQUIRED_STATUS_CHECKS": "RequiredStatusChecksParameters",
			"WORKFLOWS": "WorkflowsParameters", "PULL_REQUEST": "PullRequestParameters", "MERGE_QUEUE": "MergeQueueParameters",
		}[v.kind]
	case *Event:
		return eventType(v.Kind)
	}
	return ""
}

// eventType gives the GraphQL type of a timeline event. The three copilot_work
// events have none: GraphQL does not show them.
func eventType(kind string) string {
	switch kind {
	case "review_requested":
		return "ReviewRequestedEvent"
	case "review_request_removed":
		return "ReviewRequestRemovedEvent"
	case "ready_for_review":
		return "ReadyForReviewEvent"
	case "convert_to_draft":
		return "ConvertToDraftEvent"
	case "reopened":
		return "ReopenedEvent"
	case "closed":
		return "ClosedEvent"
	case "merged":
		return "MergedEvent"
	case "head_ref_force_pushed":
		return "HeadRefForcePushedEvent"
	case "comment_deleted":
		return "CommentDeletedEvent"
	case "labeled":
		return "LabeledEvent"
	case "unlabeled":
		return "UnlabeledEvent"
	case "review_dismissed":
		return "ReviewDismissedEvent"
	case "auto_merge_enabled":
		return "AutoMergeEnabledEvent"
	case "auto_merge_disabled":
		return "AutoMergeDisabledEvent"
	case "base_ref_changed":
		return "BaseRefChangedEvent"
	case "reviewed":
		return "PullRequestReview"
	case "commented":
		return "IssueComment"
	case "committed":
		return "PullRequestCommit"
	}
	return ""
}

// nodeID is the node id of an object that has one.
func nodeID(v any) string {
	switch v := v.(type) {
	case *Account:
		return v.nodeID
	case *Pull:
		return v.ID
	case *Issue:
		return v.ID
	case *Comment:
		return v.ID
	case *Review:
		return v.ID
	case *Thread:
		return v.ID
	case *ThreadComment:
		return v.ID
	case *Commit:
		return v.ID
	case *pullCommit:
		return fmt.Sprintf("PURC_%d_%s", v.pull.Number, v.commit.OID)
	case *CheckRun:
		return v.ID
	case *CommitStatus:
		return v.ID
	case *CheckSuite:
		return v.ID
	case *WorkflowRun:
		return v.ID
	case *Deployment:
		return v.ID
	case *DeploymentStatus:
		return v.ID
	case *Reaction:
		return v.ID
	case *Event:
		return v.ID
	case *label:
		return "LA_" + v.name
	case *asked:
		return fmt.Sprintf("RR_%d_%s", v.pull.Number, v.login)
	case *rule:
		return fmt.Sprintf("RRU_%s_%d", v.kind, v.n)
	}
	return ""
}

// on makes a resolver out of a function of one Go type.
func on[T any](f func(c *call, v T, a args) any) resolver {
	return func(c *call, self any, a args) any {
		v, ok := self.(T)
		if !ok {
			return gqlFail("", "This field is not simulated for %s.", typeOf(self))
		}
		return f(c, v, a)
	}
}

// of makes a resolver out of a plain field.
func of[T any](f func(v T) any) resolver {
	return on(func(_ *call, v T, _ args) any { return f(v) })
}

func orNil[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func timeOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// actor is who did something; nil for a ghost.
func (w *World) actor(login string) any {
	if a := w.account(login); a != nil {
		return a
	}
	return nil
}

func (w *World) association(login string) string {
	a := w.account(login)
	switch {
	case a == nil:
		return "NONE"
	case key(a.Login) == key(w.opt.Owner):
		return "OWNER"
	case !a.Bot() && rank(a.Permission) >= rank("triage"):
		return "COLLABORATOR"
	}
	return "NONE"
}

func (c *call) isMe(login string) bool { return login != "" && key(login) == key(c.who.Login) }

// narrow is a database id where it fits into 32 bits; GitHub does not give the
// larger ones of reviews and review comments by the field databaseId.
func narrow(id int64) any {
	if id > 1<<31-1 {
		return nil
	}
	return id
}

func big(id int64) any { return strconv.FormatInt(id, 10) }

func (w *World) url(format string, a ...any) string {
	return "https://github.com/" + w.name() + fmt.Sprintf(format, a...)
}

// merge joins tables of fields.
func merge(tables ...map[string]resolver) map[string]resolver {
	out := map[string]resolver{}
	for _, t := range tables {
		for k, v := range t {
			out[k] = v
		}
	}
	return out
}

// resolvers is the table of every field of every type of the schema;
// TestEveryFieldIsAnswered holds it against the schema.
func resolvers() map[string]map[string]resolver {
	t := map[string]map[string]resolver{
		"Query":                    queryFields(),
		"Mutation":                 mutations(),
		"RateLimit":                rateFields(),
		"Bot":                      accountFields(),
		"User":                     merge(accountFields(), map[string]resolver{"name": of(func(a *Account) any { return a.Login })}),
		"Repository":               repositoryFields(),
		"Ref":                      refFields(),
		"RefUpdateRule":            updateRuleFields(),
		"RepositoryRule":           ruleFields(),
		"Blob":                     blobFields(),
		"Commit":                   commitFields(),
		"PullRequest":              pullFields(),
		"PullRequestCommit":        pullCommitFields(),
		"Issue":                    issueFields(),
		"IssueComment":             commentFields(),
		"PullRequestReview":        reviewFields(),
		"PullRequestReviewThread":  threadFields(),
		"PullRequestReviewComment": threadCommentFields(),
		"ReviewRequest":            askedFields(),
		"Reaction":                 reactionFields(),
		"Label":                    labelFields(),
		"StatusCheckRollup":        rollupFields(),
		"CheckRun":                 checkRunFields(),
		"Deployment":               deploymentFields(),
		"DeploymentStatus":         deploymentStatusFields(),
		"StatusContext":            statusFields(),
		"CheckSuite":               suiteFields(),
		"App":                      appFields(),
		"WorkflowRun":              runFields(),
		"WorkflowRunFile":          runFileFields(),
		"Workflow":                 workflowFields(),
		"AutoMergeRequest":         armedFields(),
		"MergeQueueEntry":          queuedFields(),
		"CheckRunStateCount":       countFields(),
		"StatusContextStateCount":  countFields(),
		"ReactionConnection":       {"viewerHasReacted": on((*call).hasReacted)},
		"ReactionGroup":            reactionGroupFields(),
		"StatusCheckRollupContextConnection": {
			"checkRunCount":              of(func(p *page) any { return count[*CheckRun](p.extra.items) }),
			"statusContextCount":         of(func(p *page) any { return count[*CommitStatus](p.extra.items) }),
			"checkRunCountsByState":      of(func(p *page) any { return runCounts(p.extra.items) }),
			"statusContextCountsByState": of(func(p *page) any { return statusCounts(p.extra.items) }),
		},
		"PullRequestTimelineItemsConnection": {
			"filteredCount": of(func(p *page) any { return p.total }),
			"pageCount":     of(func(p *page) any { return len(p.items) }),
			"updatedAt":     on(func(c *call, _ *page, _ args) any { return c.w.now }),
		},
	}
	for name, fields := range parameterFields() {
		t[name] = fields
	}
	for _, name := range []string{
		"ReviewRequestedEvent", "ReviewRequestRemovedEvent", "ReadyForReviewEvent", "ConvertToDraftEvent", "ReopenedEvent", "ClosedEvent",
		"MergedEvent", "HeadRefForcePushedEvent", "CommentDeletedEvent", "LabeledEvent", "UnlabeledEvent", "ReviewDismissedEvent",
		"AutoMergeEnabledEvent", "AutoMergeDisabledEvent", "BaseRefChangedEvent",
	} {
		t[name] = eventFields()
	}
	return t
}

func queryFields() map[string]resolver {
	return map[string]resolver{
		"viewer": on(func(c *call, _ rootOf, _ args) any {
			me := *c.who
			me.viewer = true
			return &me
		}),
		"rateLimit": on(func(*call, rootOf, args) any { return rate{} }),
		"repository": on(func(c *call, _ rootOf, a args) any {
			if !c.sees() || !strings.EqualFold(a.str("owner"), c.w.opt.Owner) || !strings.EqualFold(a.str("name"), c.w.opt.Repo) {
				return gqlFail("NOT_FOUND", "Could not resolve to a Repository with the name '%s/%s'.", a.str("owner"), a.str("name"))
			}
			return &repo{c.w.opt.Owner, c.w.opt.Repo}
		}),
		"node": on(func(c *call, _ rootOf, a args) any { return c.byID(a.str("id")) }),
		"nodes": on(func(c *call, _ rootOf, a args) any {
			ids, _ := a.list("ids")
			out := []any{}
			for _, id := range ids {
				out = append(out, c.byID(id))
			}
			return out
		}),
		"user": on(func(c *call, _ rootOf, a args) any {
			if u := c.w.accounts[key(a.str("login"))]; u != nil && !u.Bot() {
				return u
			}
			return gqlFail("NOT_FOUND", "Could not resolve to a User with the login of '%s'.", a.str("login"))
		}),
	}
}

// byID finds a node that the token can see.
func (c *call) byID(id string) any {
	missing := gqlFail("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", id)
	v, ok := c.w.nodes[id]
	if !ok || !c.sees() {
		return missing
	}
	switch v := v.(type) {
	case *Review:
		if v.State == "PENDING" && !c.isMe(v.Author) {
			return missing
		}
	case *ThreadComment:
		if !c.shows(v) {
			return missing
		}
	case *CheckRun, *CheckSuite:
		if !c.may(readChecks) {
			return c.forbidden()
		}
	case *Deployment, *DeploymentStatus:
		if !c.may(readDeployments) {
			return c.forbidden()
		}
	case *WorkflowRun:
		if !c.may(readActions) {
			return c.forbidden()
		}
	case *Event:
		if typeOf(v) == "" {
			return missing // the copilot_work events
		}
		return v.item(c.w)
	}
	return v
}

func rateFields() map[string]resolver {
	return map[string]resolver{
		"cost":      of(func(r rate) any { return r.points }),
		"nodeCount": of(func(r rate) any { return r.nodes }),
		"limit":     on(func(c *call, _ rate, _ args) any { return c.token.limit() }),
		"used":      on(func(c *call, _ rate, _ args) any { return c.token.points }),
		"remaining": on(func(c *call, _ rate, _ args) any { return max(0, c.token.limit()-c.token.points) }),
		"resetAt":   on(func(c *call, _ rate, _ args) any { return c.w.now.Truncate(time.Hour).Add(time.Hour) }),
	}
}

func accountFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(a *Account) any { return a.nodeID }),
		"databaseId": of(func(a *Account) any { return a.ID }),
		// The viewer of an app's token keeps the suffix; authors lose it.
		"login": of(func(a *Account) any {
			if a.viewer {
				return a.Login
			}
			return a.slug()
		}),
		"url": of(func(a *Account) any {
			if a.Bot() {
				return "https://github.com/apps/" + a.slug()
			}
			return "https://github.com/" + a.Login
		}),
	}
}

func repositoryFields() map[string]resolver {
	allowed := of(func(*repo) any { return true })
	return map[string]resolver{
		"id":               of(func(r *repo) any { return "R_kgDOAA" + r.name }),
		"databaseId":       of(func(*repo) any { return 800000001 }),
		"name":             of(func(r *repo) any { return r.name }),
		"nameWithOwner":    of(func(r *repo) any { return r.owner + "/" + r.name }),
		"owner":            on(func(c *call, r *repo, _ args) any { return c.w.account(r.owner) }),
		"url":              of(func(r *repo) any { return "https://github.com/" + r.owner + "/" + r.name }),
		"isPrivate":        on(func(c *call, _ *repo, _ args) any { return !c.w.opt.Public }),
		"isFork":           on(func(c *call, r *repo, _ args) any { return r.owner+"/"+r.name != c.w.name() }),
		"isArchived":       of(func(*repo) any { return false }),
		"hasIssuesEnabled": on(func(c *call, _ *repo, _ args) any { return !c.w.opt.IssuesOff }),
		"viewerPermission": on(func(c *call, _ *repo, _ args) any {
			switch {
			case c.token.integration() && c.token.has("contents:write"):
				return "WRITE"
			case c.token.integration():
				return "READ"
			}
			return strings.ToUpper(c.who.Permission)
		}),
		"defaultBranchRef": on(func(c *call, _ *repo, _ args) any {
			if !c.may(readContents) {
				return c.forbidden()
			}
			return c.w.ref(c.w.opt.DefaultBranch)
		}),
		"ref": on(func(c *call, _ *repo, a args) any {
			if !c.may(readContents) {
				return c.forbidden()
			}
			return c.w.ref(strings.TrimPrefix(a.str("qualifiedName"), "refs/heads/"))
		}),
		"object": on((*call).object),
		"label": on(func(c *call, _ *repo, a args) any {
			for _, l := range c.w.labels() {
				if strings.EqualFold(l, a.str("name")) {
					return &label{l}
				}
			}
			return nil
		}),
		"issue": on(func(c *call, _ *repo, a args) any {
			n, _ := a.num("number")
			if i := c.w.issues[n]; i != nil && !c.w.opt.IssuesOff {
				if !c.may(readIssues) {
					return c.forbidden()
				}
				return i
			}
			return gqlFail("NOT_FOUND", "Could not resolve to an Issue with the number of %d.", n)
		}),
		"issueOrPullRequest": on(func(c *call, _ *repo, a args) any {
			n, _ := a.num("number")
			if p := c.w.pulls[n]; p != nil {
				return c.readable(p)
			}
			if i := c.w.issues[n]; i != nil && c.may(readIssues) {
				return i
			}
			return gqlFail("NOT_FOUND", "Could not resolve to an issue or pull request with the number of %d.", n)
		}),
		"issues": on((*call).issues),
		"pullRequest": on(func(c *call, _ *repo, a args) any {
			n, _ := a.num("number")
			if p := c.w.pulls[n]; p != nil {
				return c.readable(p)
			}
			return gqlFail("NOT_FOUND", "Could not resolve to a PullRequest with the number of %d.", n)
		}),
		"pullRequests": on(func(c *call, _ *repo, a args) any {
			if !c.may(readPulls) {
				return c.forbidden()
			}
			return c.selectPulls(a, nil)
		}),
		"autoMergeAllowed":         on(func(c *call, _ *repo, _ args) any { return !c.w.opt.AutoMergeOff }),
		"mergeCommitAllowed":       allowed,
		"squashMergeAllowed":       allowed,
		"rebaseMergeAllowed":       allowed,
		"viewerDefaultMergeMethod": of(func(*repo) any { return "MERGE" }),
		"deleteBranchOnMerge":      of(func(*repo) any { return false }),
		"allowUpdateBranch":        allowed,
	}
}

func (c *call) readable(p *Pull) any {
	if !c.may(readPulls) {
		return c.forbidden()
	}
	return p
}

// ref is a branch, or nil where there is none.
func (w *World) ref(name string) any {
	if oid := w.baseOID(name); oid != "" {
		return &ref{name, oid}
	}
	return nil
}

// object reads "branch:path", or a commit by its id. Only the default branch
// has files.
func (c *call) object(_ *repo, a args) any {
	if !c.may(readContents) {
		return c.forbidden()
	}
	if oid := a.str("oid"); oid != "" {
		return orNil(c.w.commits[oid])
	}
	branch, path, isFile := strings.Cut(a.str("expression"), ":")
	if !isFile {
		if oid := c.w.baseOID(branch); oid != "" {
			return c.w.commits[oid]
		}
		return orNil(c.w.commits[branch])
	}
	if c.w.commits[branch] == nil && branch != "HEAD" && branch != c.w.opt.DefaultBranch && branch != "refs/heads/"+c.w.opt.DefaultBranch &&
		branch != c.w.branches[c.w.opt.DefaultBranch] {
		return nil
	}
	text, ok := c.w.files[path]
	for name := range c.w.files {
		if !ok && strings.HasPrefix(name, path+"/") {
			return &blob{path, ""} // a folder, of which only its being there is simulated
		}
	}
	if !ok {
		return nil
	}
	return &blob{path, text}
}

// labels are all labels in use, sorted.
func (w *World) labels() []string {
	var out []string
	for _, p := range w.pulls {
		out = append(out, p.Labels...)
	}
	for _, i := range w.issues {
		out = append(out, i.Labels...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c *call) issues(_ *repo, a args) any {
	if c.w.opt.IssuesOff {
		return []any{}
	}
	if !c.may(readIssues) {
		return c.forbidden()
	}
	filter := a.sub("filterBy")
	var found []*Issue
	for _, i := range c.w.issues {
		if inList(a, "labels", i.Labels...) && inList(a, "states", i.State) &&
			inList(filter, "labels", i.Labels...) && inList(filter, "states", i.State) && c.createdBy(filter, i.Author) {
			found = append(found, i)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		x, y := found[i], found[j]
		return ordered(a.sub("orderBy"), x.CreatedAt, y.CreatedAt, x.UpdatedAt, y.UpdatedAt, x.Number, y.Number) < 0
	})
	return anys(found)
}

// createdBy matches a login as GitHub's filter does: an app by "app/slug" or by
// its login.
func (c *call) createdBy(filter args, author string) bool {
	want := filter.str("createdBy")
	if want == "" {
		return true
	}
	slug := strings.TrimSuffix(key(author), "[bot]")
	return key(want) == key(author) || key(want) == slug || key(want) == "app/"+slug
}

// inList reports whether the argument is absent, or names one of the values.
func inList(a args, name string, values ...string) bool {
	want, ok := a.list(name)
	if !ok {
		return true
	}
	return slices.ContainsFunc(values, func(v string) bool {
		return slices.ContainsFunc(want, func(s string) bool { return strings.EqualFold(s, v) })
	})
}

// ordered compares by an IssueOrder; by creation where there is none.
func ordered(order args, madeX, madeY, changedX, changedY time.Time, x, y int) int {
	n := madeX.Compare(madeY)
	if order.str("field") == "UPDATED_AT" {
		n = changedX.Compare(changedY)
	}
	n = cmp.Or(n, cmp.Compare(x, y))
	if order.str("direction") == "DESC" {
		return -n
	}
	return n
}

// selectPulls filters and sorts pull requests; keep may be nil.
func (c *call) selectPulls(a args, keep func(*Pull) bool) []any {
	var found []*Pull
	for _, n := range c.w.numbers {
		p := c.w.pulls[n]
		if (keep == nil || keep(p)) && inList(a, "states", p.State) && inList(a, "labels", p.Labels...) &&
			(a.str("headRefName") == "" || a.str("headRefName") == p.HeadRef) &&
			(a.str("baseRefName") == "" || a.str("baseRefName") == p.Base) {
			found = append(found, p)
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		x, y := found[i], found[j]
		return ordered(a.sub("orderBy"), x.CreatedAt, y.CreatedAt, x.UpdatedAt, y.UpdatedAt, x.Number, y.Number) < 0
	})
	return anys(found)
}

func refFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(r *ref) any { return "REF_" + r.name }),
		"name":       of(func(r *ref) any { return r.name }),
		"prefix":     of(func(*ref) any { return "refs/heads/" }),
		"target":     on(func(c *call, r *ref, _ args) any { return orNil(c.w.commits[r.oid]) }),
		"repository": theRepository[*ref](),
		"refUpdateRule": on(func(c *call, r *ref, _ args) any {
			rules, ok := c.w.rules[r.name]
			if !ok || len(rules.Contexts) == 0 && rules.Approvals == 0 {
				return nil
			}
			return &rule{kind: r.name, rules: rules}
		}),
		"rules": on(func(c *call, r *ref, _ args) any {
			var out []any
			for i, kind := range c.w.ruleKinds(r.name) {
				out = append(out, &rule{kind: kind, rules: c.w.rules[r.name], n: i})
			}
			return anys(out)
		}),
		"associatedPullRequests": on(func(c *call, r *ref, a args) any {
			return c.selectPulls(a, func(p *Pull) bool { return p.HeadRef == r.name && p.HeadRepo == c.w.name() })
		}),
	}
}

func theRepository[T any]() resolver {
	return on(func(c *call, _ T, _ args) any { return &repo{c.w.opt.Owner, c.w.opt.Repo} })
}

// ruleKinds are the rules of the rulesets that hold for a branch.
func (w *World) ruleKinds(branch string) []string {
	r := w.rules[branch]
	var kinds []string
	if len(r.Checks) > 0 {
		kinds = append(kinds, "REQUIRED_STATUS_CHECKS")
	}
	if len(r.Workflows) > 0 {
		kinds = append(kinds, "WORKFLOWS")
	}
	if r.ThreadResolution {
		kinds = append(kinds, "PULL_REQUEST")
	}
	if r.MergeQueue {
		kinds = append(kinds, "MERGE_QUEUE")
	}
	if r.Copilot != nil {
		kinds = append(kinds, "COPILOT_CODE_REVIEW")
	}
	return kinds
}

func updateRuleFields() map[string]resolver {
	return map[string]resolver{
		"pattern":                        of(func(r *rule) any { return r.kind }),
		"requiredApprovingReviewCount":   of(func(r *rule) any { return orNil(r.rules.Approvals) }),
		"requiredStatusCheckContexts":    of(func(r *rule) any { return strings2any(r.rules.Contexts) }),
		"requiresConversationResolution": of(func(r *rule) any { return r.rules.ThreadResolution }),
		"viewerCanPush":                  of(func(*rule) any { return false }),
	}
}

func strings2any(list []string) []any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

func ruleFields() map[string]resolver {
	return map[string]resolver{
		"id":   of(func(r *rule) any { return nodeID(r) }),
		"type": of(func(r *rule) any { return r.kind }),
		"parameters": of(func(r *rule) any {
			p := ruleParams(*r)
			return &p
		}),
	}
}

func parameterFields() map[string]map[string]resolver {
	no := of(func(*ruleParams) any { return false })
	return map[string]map[string]resolver{
		"CopilotCodeReviewParameters": {
			"reviewOnPush":            of(func(r *ruleParams) any { return r.rules.Copilot.OnPush }),
			"reviewDraftPullRequests": of(func(r *ruleParams) any { return r.rules.Copilot.Drafts }),
		},
		"RequiredStatusChecksParameters": {
			"doNotEnforceOnCreate":             no,
			"strictRequiredStatusChecksPolicy": of(func(r *ruleParams) any { return r.rules.Strict }),
			"requiredStatusChecks": of(func(r *ruleParams) any {
				out := []any{}
				for _, name := range r.rules.Checks {
					out = append(out, &statusNeeded{name})
				}
				return out
			}),
		},
		"StatusCheckConfiguration": {
			"context":       of(func(s *statusNeeded) any { return s.context }),
			"integrationId": of(func(*statusNeeded) any { return nil }),
		},
		"WorkflowsParameters": {
			"doNotEnforceOnCreate": no,
			"workflows": of(func(r *ruleParams) any {
				out := []any{}
				for _, path := range r.rules.Workflows {
					out = append(out, &fileNeeded{path})
				}
				return out
			}),
		},
		"WorkflowFileReference": {
			"path":         of(func(f *fileNeeded) any { return f.path }),
			"ref":          of(func(*fileNeeded) any { return "refs/heads/main" }),
			"repositoryId": of(func(*fileNeeded) any { return 800000001 }),
			"sha":          of(func(*fileNeeded) any { return nil }),
		},
		"PullRequestParameters": {
			"dismissStaleReviewsOnPush":      no,
			"requireCodeOwnerReview":         no,
			"requireLastPushApproval":        no,
			"requiredApprovingReviewCount":   of(func(r *ruleParams) any { return r.rules.Approvals }),
			"requiredReviewThreadResolution": of(func(r *ruleParams) any { return r.rules.ThreadResolution }),
		},
		"MergeQueueParameters": {"mergeMethod": of(func(*ruleParams) any { return "MERGE" })},
	}
}

func blobFields() map[string]resolver {
	return map[string]resolver{
		"id":             of(func(b *blob) any { return "B_" + b.path }),
		"oid":            of(func(b *blob) any { return blobOID(b.text) }),
		"abbreviatedOid": of(func(b *blob) any { return short(blobOID(b.text)) }),
		"repository":     theRepository[*blob](),
		"byteSize":       of(func(b *blob) any { return len(b.text) }),
		"isBinary":       of(func(b *blob) any { return !utf8.ValidString(b.text) || strings.ContainsRune(b.text, 0) }),
		"isTruncated":    of(func(b *blob) any { return len(b.text) > 512000 }),
		"text": of(func(b *blob) any {
			if !utf8.ValidString(b.text) || strings.ContainsRune(b.text, 0) {
				return nil
			}
			return b.text[:min(len(b.text), 512000)]
		}),
	}
}

func commitFields() map[string]resolver {
	return map[string]resolver{
		"id":              of(func(c *Commit) any { return c.ID }),
		"oid":             of(func(c *Commit) any { return c.OID }),
		"abbreviatedOid":  of(func(c *Commit) any { return short(c.OID) }),
		"repository":      theRepository[*Commit](),
		"committedDate":   of(func(c *Commit) any { return c.At }),
		"authoredDate":    of(func(c *Commit) any { return c.At }),
		"message":         of(func(c *Commit) any { return c.Message }),
		"messageHeadline": of(func(c *Commit) any { return c.Message }),
		"url":             on(func(c *call, v *Commit, _ args) any { return c.w.url("/commit/%s", v.OID) }),
		"parents": on(func(c *call, v *Commit, _ args) any {
			out := []any{}
			for _, oid := range v.Parents {
				out = append(out, c.w.commits[oid])
			}
			return out
		}),
		"checkSuites": on(func(c *call, v *Commit, a args) any {
			if !c.may(readChecks) {
				return c.forbidden()
			}
			filter := a.sub("filterBy")
			out := []any{}
			for _, s := range v.Suites {
				if id, ok := filter.num("appId"); !ok || int64(id) == appID(s.App) {
					out = append(out, s)
				}
			}
			return out
		}),
		"statusCheckRollup": on(func(c *call, v *Commit, _ args) any { return c.rollup(v) }),
		"deployments": on(func(c *call, v *Commit, a args) any {
			if !c.may(readDeployments) {
				return c.forbidden()
			}
			return anys(filter(v.Deployments, func(d *Deployment) bool { return inList(a, "environments", d.Environment) }))
		}),
		"associatedPullRequests": on(func(c *call, v *Commit, a args) any {
			return c.selectPulls(a, func(p *Pull) bool {
				return slices.Contains(p.Commits, v.OID) || slices.Contains(p.rebased, v.OID) || p.MergeCommit == v.OID
			})
		}),
		"history": on(func(c *call, v *Commit, _ args) any { return anys(c.w.below(v)) }),
	}
}

// rollup is null where a commit has no check at all.
func (c *call) rollup(v *Commit) any {
	switch {
	case !c.may(readChecks), c.token.Kind == FineGrained:
		// Fine-grained tokens have no checks permission at all.
		return c.forbidden()
	case len(v.contexts) == 0:
		return nil
	}
	return &rollupOf{v}
}

func pullCommitFields() map[string]resolver {
	return map[string]resolver{
		"id":     of(func(p *pullCommit) any { return nodeID(p) }),
		"commit": of(func(p *pullCommit) any { return p.commit }),
		"url": on(func(c *call, p *pullCommit, _ args) any {
			return c.w.url("/pull/%d/commits/%s", p.pull.Number, p.commit.OID)
		}),
	}
}

func pullFields() map[string]resolver {
	return map[string]resolver{
		"id":                  of(func(p *Pull) any { return p.ID }),
		"databaseId":          of(func(p *Pull) any { return narrow(p.DatabaseID) }),
		"fullDatabaseId":      of(func(p *Pull) any { return big(p.DatabaseID) }),
		"number":              of(func(p *Pull) any { return p.Number }),
		"title":               of(func(p *Pull) any { return p.Title }),
		"body":                of(func(p *Pull) any { return p.Body }),
		"url":                 on(func(c *call, p *Pull, _ args) any { return c.w.url("/pull/%d", p.Number) }),
		"state":               of(func(p *Pull) any { return p.State }),
		"isDraft":             of(func(p *Pull) any { return p.Draft }),
		"closed":              of(func(p *Pull) any { return p.State != "OPEN" }),
		"merged":              of(func(p *Pull) any { return p.State == "MERGED" }),
		"createdAt":           of(func(p *Pull) any { return p.CreatedAt }),
		"publishedAt":         of(func(p *Pull) any { return p.CreatedAt }),
		"updatedAt":           of(func(p *Pull) any { return p.UpdatedAt }),
		"closedAt":            of(func(p *Pull) any { return timeOrNil(p.ClosedAt) }),
		"mergedAt":            of(func(p *Pull) any { return timeOrNil(p.MergedAt) }),
		"lastEditedAt":        of(func(*Pull) any { return nil }),
		"editor":              of(func(*Pull) any { return nil }),
		"includesCreatedEdit": of(func(*Pull) any { return false }),
		"mergedBy":            on(func(c *call, p *Pull, _ args) any { return c.w.actor(p.MergedBy) }),
		"mergeCommit":         on(func(c *call, p *Pull, _ args) any { return orNil(c.w.commits[p.MergeCommit]) }),
		"author":              on(func(c *call, p *Pull, _ args) any { return c.w.actor(p.Author) }),
		"authorAssociation":   on(func(c *call, p *Pull, _ args) any { return c.w.association(p.Author) }),
		"viewerDidAuthor":     on(func(c *call, p *Pull, _ args) any { return c.isMe(p.Author) }),
		"headRefName":         of(func(p *Pull) any { return p.HeadRef }),
		"headRefOid":          of(func(p *Pull) any { return p.Head }),
		"headRef": of(func(p *Pull) any {
			if p.HeadRepo == "" || p.HeadDeleted {
				return nil
			}
			return &ref{p.HeadRef, p.Head}
		}),
		"headRepository": of(func(p *Pull) any {
			owner, name, ok := strings.Cut(p.HeadRepo, "/")
			if !ok {
				return nil
			}
			return &repo{owner, name}
		}),
		"headRepositoryOwner": on(func(c *call, p *Pull, _ args) any {
			owner, _, _ := strings.Cut(p.HeadRepo, "/")
			return c.w.actor(owner)
		}),
		"isCrossRepository":   on(func(c *call, p *Pull, _ args) any { return p.HeadRepo != c.w.name() }),
		"maintainerCanModify": of(func(*Pull) any { return false }),
		"baseRef":             on(func(c *call, p *Pull, _ args) any { return c.w.ref(p.Base) }),
		"baseRefName":         of(func(p *Pull) any { return p.Base }),
		"baseRefOid":          on(func(c *call, p *Pull, _ args) any { return c.w.baseOID(p.Base) }),
		"mergeable":           on(func(c *call, p *Pull, _ args) any { return c.w.mergeable(p) }),
		"mergeStateStatus":    on(func(c *call, p *Pull, _ args) any { return c.w.mergeState(p) }),
		"reviewDecision":      on(func(c *call, p *Pull, _ args) any { return orNil(c.w.reviewDecision(p)) }),
		"isInMergeQueue":      of(func(p *Pull) any { return p.Queued }),
		"isMergeQueueEnabled": on(func(c *call, p *Pull, _ args) any { return c.w.rules[p.Base].MergeQueue }),
		"mergeQueueEntry": of(func(p *Pull) any {
			if !p.Queued {
				return nil
			}
			return &queued{p}
		}),
		"autoMergeRequest": of(func(p *Pull) any {
			if p.AutoMerge == nil {
				return nil
			}
			return &armed{p}
		}),
		"viewerCanEnableAutoMerge": on(func(c *call, p *Pull, _ args) any {
			return c.may(mergePull) && c.w.cannotArm(p) == ""
		}),
		"viewerCanDisableAutoMerge": on(func(c *call, p *Pull, _ args) any { return c.may(mergePull) && p.AutoMerge != nil }),
		"viewerCanMergeAsAdmin": on(func(c *call, _ *Pull, _ args) any {
			return !c.token.integration() && c.who.Permission == "admin"
		}),
		"viewerCanUpdateBranch": on(func(c *call, p *Pull, _ args) any { return c.may(mergePull) && p.Behind }),
		"viewerCanUpdate":       on(func(c *call, _ *Pull, _ args) any { return c.may(closePull) }),
		"viewerCanReact":        on(func(c *call, p *Pull, _ args) any { return !c.locked(p) }),
		"viewerCanLabel":        on(func(c *call, _ *Pull, _ args) any { return c.may(writeLabel) }),
		"canBeRebased":          of(func(p *Pull) any { return !p.Conflict }),
		"locked":                of(func(p *Pull) any { return p.Locked }),
		"activeLockReason":      of(func(*Pull) any { return nil }),
		"labels":                of(func(p *Pull) any { return labelList(p.Labels) }),
		"closingIssuesReferences": on(func(c *call, p *Pull, _ args) any {
			if !c.may(readIssues) {
				return c.forbidden()
			}
			var found []*Issue
			for _, n := range p.Closes {
				if i := c.w.issues[n]; i != nil && !c.w.opt.IssuesOff {
					found = append(found, i)
				}
			}
			return anys(found)
		}),
		"comments": on(func(_ *call, p *Pull, a args) any {
			list := slices.Clone(p.Comments)
			if o := a.sub("orderBy"); o != nil {
				sort.SliceStable(list, func(i, j int) bool {
					x, y := list[i], list[j]
					return ordered(o, x.CreatedAt, y.CreatedAt, x.UpdatedAt, y.UpdatedAt, int(x.DatabaseID), int(y.DatabaseID)) < 0
				})
			}
			return anys(list)
		}),
		"reviews": on(func(c *call, p *Pull, a args) any {
			return anys(filter(c.visible(p), func(r *Review) bool {
				login := a.str("author")
				return inList(a, "states", r.State) &&
					(login == "" || key(login) == strings.TrimSuffix(key(r.Author), "[bot]") || key(login) == key(r.Author))
			}))
		}),
		"latestReviews": on(func(c *call, p *Pull, _ args) any {
			return anys(newest(filter(c.visible(p), func(r *Review) bool { return r.State != "PENDING" })))
		}),
		"latestOpinionatedReviews": on(func(c *call, p *Pull, a args) any {
			return anys(newest(filter(c.visible(p), func(r *Review) bool {
				return r.State != "PENDING" && r.State != "COMMENTED" && (!a.flag("writersOnly") || c.w.canPush(r.Author))
			})))
		}),
		"reviewThreads": on(func(c *call, p *Pull, _ args) any {
			return anys(filter(p.Threads, func(t *Thread) bool { return slices.ContainsFunc(t.Comments, c.shows) }))
		}),
		"reviewRequests": of(func(p *Pull) any {
			out := []any{}
			for _, l := range p.Requests {
				out = append(out, &asked{p, l})
			}
			return out
		}),
		"timelineItems": on((*call).timelineItems),
		"commits": on(func(c *call, p *Pull, _ args) any {
			out := []any{}
			for _, oid := range p.Commits {
				out = append(out, &pullCommit{p, c.w.commits[oid]})
			}
			return out
		}),
		"statusCheckRollup":  on(func(c *call, p *Pull, _ args) any { return c.rollup(c.w.commits[p.Head]) }),
		"repository":         theRepository[*Pull](),
		"totalCommentsCount": of(func(p *Pull) any { return len(p.Comments) }),
		"changedFiles":       on(func(c *call, p *Pull, _ args) any { return p.changedFiles(c.w) }),
		"additions":          of(func(*Pull) any { return 1 }),
		"deletions":          of(func(*Pull) any { return 0 }),
		"reactions":          of(func(*Pull) any { return &listing{} }),
		"reactionGroups":     on(func(c *call, _ *Pull, _ args) any { return c.reactionGroups(nil) }),
	}
}

func filter[T any](list []T, keep func(T) bool) []T {
	out := []T{}
	for _, v := range list {
		if keep(v) {
			out = append(out, v)
		}
	}
	return out
}

// visible are the reviews that the token can see: another's pending review is
// not among them.
func (c *call) visible(p *Pull) []*Review {
	return filter(p.Reviews, func(r *Review) bool { return r.State != "PENDING" || c.isMe(r.Author) })
}

// shows reports whether the token can see the comment: what joined another's
// pending review it cannot.
func (c *call) shows(v *ThreadComment) bool { return v.review.State != "PENDING" || c.isMe(v.Author) }

// newest keeps the last review of each author.
func newest(list []*Review) []*Review {
	var out []*Review
	for _, r := range list {
		out = slices.DeleteFunc(out, func(o *Review) bool { return key(o.Author) == key(r.Author) })
		out = append(out, r)
	}
	return out
}

func labelList(names []string) []any {
	out := []any{}
	for _, n := range names {
		out = append(out, &label{n})
	}
	return out
}

func (c *call) timelineItems(p *Pull, a args) any {
	types, filtered := a.list("itemTypes")
	since, _ := time.Parse(time.RFC3339, a.str("since"))
	out := []any{}
	for _, e := range p.Events {
		name := typeOf(e)
		if name == "" || e.At.Before(since) || filtered && !slices.Contains(types, enumName(name)) {
			continue
		}
		if e.review != nil && e.Kind == "reviewed" && e.review.State == "PENDING" && !c.isMe(e.review.Author) {
			continue
		}
		out = append(out, e.item(c.w))
	}
	return &listing{items: out}
}

// item is the object that stands in the timeline for an event.
func (e *Event) item(w *World) any {
	switch e.Kind {
	case "reviewed":
		return e.review
	case "commented":
		return e.comment
	case "committed":
		return &pullCommit{e.pull, w.commits[e.Commit]}
	}
	return e
}

// enumName turns ReviewRequestedEvent into REVIEW_REQUESTED_EVENT.
func enumName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}

func eventFields() map[string]resolver {
	return map[string]resolver{
		"id":                of(func(e *Event) any { return e.ID }),
		"databaseId":        of(func(e *Event) any { return narrow(e.DatabaseID) }),
		"createdAt":         of(func(e *Event) any { return e.At }),
		"actor":             on(func(c *call, e *Event, _ args) any { return c.w.actor(e.Actor) }),
		"pullRequest":       of(func(e *Event) any { return e.pull }),
		"requestedReviewer": on(func(c *call, e *Event, _ args) any { return c.w.actor(e.Reviewer) }),
		"url": on(func(c *call, e *Event, _ args) any {
			return c.w.url("/pull/%d#event-%d", e.pull.Number, e.DatabaseID)
		}),
		"label":                of(func(e *Event) any { return &label{e.Label} }),
		"beforeCommit":         on(func(c *call, e *Event, _ args) any { return orNil(c.w.commits[e.Before]) }),
		"afterCommit":          on(func(c *call, e *Event, _ args) any { return orNil(c.w.commits[e.Commit]) }),
		"commit":               on(func(c *call, e *Event, _ args) any { return orNil(c.w.commits[e.Commit]) }),
		"mergeRefName":         of(func(e *Event) any { return e.pull.Base }),
		"deletedCommentAuthor": on(func(c *call, e *Event, _ args) any { return c.w.actor(e.Note) }),
		"dismissalMessage":     of(func(e *Event) any { return orNil(e.Note) }),
		"previousReviewState":  of(func(e *Event) any { return e.Was }),
		"review":               of(func(e *Event) any { return e.review }),
		"reason":               of(func(e *Event) any { return orNil(e.Note) }),
		"currentRefName":       of(func(e *Event) any { return e.Note }),
		"previousRefName":      of(func(e *Event) any { return e.Was }),
	}
}

func issueFields() map[string]resolver {
	return map[string]resolver{
		"id":                  of(func(i *Issue) any { return i.ID }),
		"databaseId":          of(func(i *Issue) any { return narrow(i.DatabaseID) }),
		"fullDatabaseId":      of(func(i *Issue) any { return big(i.DatabaseID) }),
		"number":              of(func(i *Issue) any { return i.Number }),
		"title":               of(func(i *Issue) any { return i.Title }),
		"body":                of(func(i *Issue) any { return i.Body }),
		"url":                 on(func(c *call, i *Issue, _ args) any { return c.w.url("/issues/%d", i.Number) }),
		"state":               of(func(i *Issue) any { return i.State }),
		"closed":              of(func(i *Issue) any { return i.State == "CLOSED" }),
		"closedAt":            of(func(i *Issue) any { return timeOrNil(i.ClosedAt) }),
		"createdAt":           of(func(i *Issue) any { return i.CreatedAt }),
		"publishedAt":         of(func(i *Issue) any { return i.CreatedAt }),
		"updatedAt":           of(func(i *Issue) any { return i.UpdatedAt }),
		"lastEditedAt":        of(func(i *Issue) any { return timeOrNil(i.EditedAt) }),
		"includesCreatedEdit": of(func(i *Issue) any { return !i.EditedAt.IsZero() }),
		"editor":              on(func(c *call, i *Issue, _ args) any { return c.w.actor(i.Editor) }),
		"author":              on(func(c *call, i *Issue, _ args) any { return c.w.actor(i.Author) }),
		"authorAssociation":   on(func(c *call, i *Issue, _ args) any { return c.w.association(i.Author) }),
		"viewerDidAuthor":     on(func(c *call, i *Issue, _ args) any { return c.isMe(i.Author) }),
		"viewerCanUpdate":     on(func(c *call, _ *Issue, _ args) any { return c.may(writeIssue) }),
		"viewerCanReact":      of(func(*Issue) any { return true }),
		"viewerCanLabel":      on(func(c *call, _ *Issue, _ args) any { return c.may(writeLabel) }),
		"locked":              of(func(*Issue) any { return false }),
		"activeLockReason":    of(func(*Issue) any { return nil }),
		"labels":              of(func(i *Issue) any { return labelList(i.Labels) }),
		"comments":            of(func(i *Issue) any { return anys(i.Comments) }),
		"closedByPullRequestsReferences": on(func(c *call, i *Issue, a args) any {
			if !c.may(readPulls) {
				return c.forbidden()
			}
			return c.selectPulls(nil, func(p *Pull) bool {
				return slices.Contains(p.Closes, i.Number) && (p.State != "CLOSED" || a.flag("includeClosedPrs"))
			})
		}),
		"repository":     theRepository[*Issue](),
		"reactions":      of(func(*Issue) any { return &listing{} }),
		"reactionGroups": on(func(c *call, _ *Issue, _ args) any { return c.reactionGroups(nil) }),
	}
}

func commentFields() map[string]resolver {
	return map[string]resolver{
		"id":                  of(func(v *Comment) any { return v.ID }),
		"databaseId":          of(func(v *Comment) any { return v.DatabaseID }),
		"fullDatabaseId":      of(func(v *Comment) any { return big(v.DatabaseID) }),
		"author":              on(func(c *call, v *Comment, _ args) any { return c.w.actor(v.Author) }),
		"authorAssociation":   on(func(c *call, v *Comment, _ args) any { return c.w.association(v.Author) }),
		"body":                of(func(v *Comment) any { return v.Body }),
		"createdAt":           of(func(v *Comment) any { return v.CreatedAt }),
		"publishedAt":         of(func(v *Comment) any { return v.CreatedAt }),
		"updatedAt":           of(func(v *Comment) any { return v.UpdatedAt }),
		"lastEditedAt":        of(func(v *Comment) any { return timeOrNil(v.EditedAt) }),
		"includesCreatedEdit": of(func(v *Comment) any { return !v.EditedAt.IsZero() }),
		"editor":              on(func(c *call, v *Comment, _ args) any { return c.w.actor(v.Editor) }),
		"isMinimized":         of(func(v *Comment) any { return v.Hidden != "" }),
		"minimizedReason":     of(func(v *Comment) any { return orNil(v.Hidden) }),
		"viewerDidAuthor":     on(func(c *call, v *Comment, _ args) any { return c.isMe(v.Author) }),
		"viewerCanMinimize":   on(func(c *call, _ *Comment, _ args) any { return c.may(hideComment) }),
		"viewerCanUnminimize": on(func(c *call, _ *Comment, _ args) any { return c.may(hideComment) }),
		"viewerCanUpdate": on(func(c *call, v *Comment, _ args) any {
			return c.editable(v.Author) && !c.locked(c.w.pulls[v.number])
		}),
		"viewerCanDelete": on(func(c *call, v *Comment, _ args) any { return c.editable(v.Author) }),
		"viewerCanReact":  on(func(c *call, v *Comment, _ args) any { return !c.locked(c.w.pulls[v.number]) }),
		"url": on(func(c *call, v *Comment, _ args) any {
			return c.w.commentURL(v)
		}),
		"pullRequest":    on(func(c *call, v *Comment, _ args) any { return orNil(c.w.pulls[v.number]) }),
		"repository":     theRepository[*Comment](),
		"reactions":      on(func(_ *call, v *Comment, a args) any { return reactionList(v.Reactions, a) }),
		"reactionGroups": on(func(c *call, v *Comment, _ args) any { return c.reactionGroups(v.Reactions) }),
	}
}

// editable reports whether the token may edit what author wrote: its own, or
// anybody's with write access.
func (c *call) editable(author string) bool {
	if !c.may(writeComment) {
		return false
	}
	return c.isMe(author) || c.token.integration() || rank(c.who.Permission) >= rank("write")
}

func reactionList(list []*Reaction, a args) any {
	return &listing{items: anys(filter(list, func(r *Reaction) bool {
		return a.str("content") == "" || a.str("content") == reactionEnum(r.Content)
	}))}
}

func reactionEnum(content string) string {
	switch content {
	case "+1":
		return "THUMBS_UP"
	case "-1":
		return "THUMBS_DOWN"
	}
	return strings.ToUpper(content)
}

func (c *call) hasReacted(p *page, _ args) any {
	return slices.ContainsFunc(p.extra.items, func(v any) bool {
		r, ok := v.(*Reaction)
		return ok && c.isMe(r.By)
	})
}

// A reactionGroup is all reactions of one content.
type reactionGroup struct {
	content string
	first   *Reaction
	mine    bool
}

// reactionGroups has a group for each content there is, empty ones too, as on
// GitHub.
func (c *call) reactionGroups(list []*Reaction) []*reactionGroup {
	groups := make([]*reactionGroup, 0, 8)
	for _, content := range []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"} {
		g := &reactionGroup{content: content}
		for _, r := range list {
			if r.Content != content {
				continue
			}
			if g.first == nil {
				g.first = r
			}
			g.mine = g.mine || c.isMe(r.By)
		}
		groups = append(groups, g)
	}
	return groups
}

func reactionGroupFields() map[string]resolver {
	return map[string]resolver{
		"content":          of(func(g *reactionGroup) any { return reactionEnum(g.content) }),
		"viewerHasReacted": of(func(g *reactionGroup) any { return g.mine }),
		"createdAt": of(func(g *reactionGroup) any {
			if g.first == nil {
				return nil
			}
			return g.first.CreatedAt
		}),
	}
}

func reactionFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(r *Reaction) any { return r.ID }),
		"databaseId": of(func(r *Reaction) any { return r.DatabaseID }),
		"content":    of(func(r *Reaction) any { return reactionEnum(r.Content) }),
		"createdAt":  of(func(r *Reaction) any { return r.CreatedAt }),
		// The type is User: a bot's reaction has none.
		"user": on(func(c *call, r *Reaction, _ args) any {
			if a := c.w.account(r.By); a != nil && !a.Bot() {
				return a
			}
			return nil
		}),
	}
}

func reviewFields() map[string]resolver {
	return map[string]resolver{
		"id":                        of(func(r *Review) any { return r.ID }),
		"databaseId":                of(func(r *Review) any { return narrow(r.DatabaseID) }),
		"fullDatabaseId":            of(func(r *Review) any { return big(r.DatabaseID) }),
		"author":                    on(func(c *call, r *Review, _ args) any { return c.w.actor(r.Author) }),
		"authorAssociation":         on(func(c *call, r *Review, _ args) any { return c.w.association(r.Author) }),
		"authorCanPushToRepository": on(func(c *call, r *Review, _ args) any { return c.w.canPush(r.Author) }),
		"body":                      of(func(r *Review) any { return r.Body }),
		"state":                     of(func(r *Review) any { return r.State }),
		"commit":                    on(func(c *call, r *Review, _ args) any { return orNil(c.w.commits[r.Commit]) }),
		"createdAt":                 of(func(r *Review) any { return r.CreatedAt }),
		"updatedAt":                 of(func(r *Review) any { return cmp.Or(r.SubmittedAt, r.CreatedAt) }),
		"publishedAt":               of(func(r *Review) any { return timeOrNil(r.SubmittedAt) }),
		"submittedAt":               of(func(r *Review) any { return timeOrNil(r.SubmittedAt) }),
		"lastEditedAt":              of(func(*Review) any { return nil }),
		"editor":                    of(func(*Review) any { return nil }),
		"includesCreatedEdit":       of(func(*Review) any { return false }),
		"isMinimized":               of(func(r *Review) any { return r.Hidden != "" }),
		"minimizedReason":           of(func(r *Review) any { return orNil(r.Hidden) }),
		"viewerDidAuthor":           on(func(c *call, r *Review, _ args) any { return c.isMe(r.Author) }),
		"viewerCanMinimize":         on(func(c *call, _ *Review, _ args) any { return c.may(hideComment) }),
		"viewerCanUnminimize":       on(func(c *call, _ *Review, _ args) any { return c.may(hideComment) }),
		"viewerCanReact":            on(func(c *call, r *Review, _ args) any { return !c.locked(r.pull) }),
		"url": on(func(c *call, r *Review, _ args) any {
			return c.w.url("/pull/%d#pullrequestreview-%d", r.pull.Number, r.DatabaseID)
		}),
		"comments": of(func(r *Review) any {
			out := []any{}
			for _, t := range r.pull.Threads {
				for _, tc := range t.Comments {
					if tc.review == r {
						out = append(out, tc)
					}
				}
			}
			return out
		}),
		"pullRequest":    of(func(r *Review) any { return r.pull }),
		"repository":     theRepository[*Review](),
		"reactions":      on(func(_ *call, r *Review, a args) any { return reactionList(r.Reactions, a) }),
		"reactionGroups": on(func(c *call, r *Review, _ args) any { return c.reactionGroups(r.Reactions) }),
	}
}

func threadFields() map[string]resolver {
	return map[string]resolver{
		"id":                of(func(t *Thread) any { return t.ID }),
		"path":              of(func(t *Thread) any { return t.Path }),
		"line":              of(func(t *Thread) any { return orNil(t.Line) }),
		"originalLine":      of(func(t *Thread) any { return orNil(t.OriginalLine) }),
		"startLine":         of(func(*Thread) any { return nil }),
		"originalStartLine": of(func(*Thread) any { return nil }),
		"diffSide":          of(func(*Thread) any { return "RIGHT" }),
		"subjectType":       of(func(t *Thread) any { return t.subject() }),
		"isResolved":        of(func(t *Thread) any { return t.Resolved }),
		"isOutdated":        of(func(t *Thread) any { return t.Outdated }),
		"isCollapsed":       of(func(t *Thread) any { return t.Resolved || t.Outdated }),
		// The type is User: a bot that resolved shows as null.
		"resolvedBy": on(func(c *call, t *Thread, _ args) any {
			if a := c.w.account(t.ResolvedBy); a != nil && !a.Bot() {
				return a
			}
			return nil
		}),
		"viewerCanReply":     on(func(c *call, t *Thread, _ args) any { return c.may(replyInReview) && !c.locked(t.pull) }),
		"viewerCanResolve":   on(func(c *call, t *Thread, _ args) any { return c.mayResolve(t) && !t.Resolved }),
		"viewerCanUnresolve": on(func(c *call, t *Thread, _ args) any { return c.mayResolve(t) && t.Resolved }),
		"comments":           on(func(c *call, t *Thread, _ args) any { return anys(filter(t.Comments, c.shows)) }),
		"pullRequest":        of(func(t *Thread) any { return t.pull }),
		"repository":         theRepository[*Thread](),
	}
}

func (t *Thread) subject() string {
	if t.FileLevel {
		return "FILE"
	}
	return "LINE"
}

// mayResolve: with write access, or the author of the pull request.
func (c *call) mayResolve(t *Thread) bool {
	return c.may(resolveThread) || c.token.Kind == User && c.isMe(t.pull.Author)
}

func threadCommentFields() map[string]resolver {
	return map[string]resolver{
		"id":                  of(func(v *ThreadComment) any { return v.ID }),
		"databaseId":          of(func(v *ThreadComment) any { return narrow(v.DatabaseID) }),
		"fullDatabaseId":      of(func(v *ThreadComment) any { return big(v.DatabaseID) }),
		"author":              on(func(c *call, v *ThreadComment, _ args) any { return c.w.actor(v.Author) }),
		"authorAssociation":   on(func(c *call, v *ThreadComment, _ args) any { return c.w.association(v.Author) }),
		"body":                of(func(v *ThreadComment) any { return v.Body }),
		"createdAt":           of(func(v *ThreadComment) any { return v.CreatedAt }),
		"publishedAt":         of(func(v *ThreadComment) any { return v.CreatedAt }),
		"updatedAt":           of(func(v *ThreadComment) any { return v.UpdatedAt }),
		"lastEditedAt":        of(func(v *ThreadComment) any { return timeOrNil(v.EditedAt) }),
		"includesCreatedEdit": of(func(v *ThreadComment) any { return !v.EditedAt.IsZero() }),
		"editor":              on(func(c *call, v *ThreadComment, _ args) any { return c.w.actor(v.Editor) }),
		"isMinimized":         of(func(v *ThreadComment) any { return v.Hidden != "" }),
		"minimizedReason":     of(func(v *ThreadComment) any { return orNil(v.Hidden) }),
		"viewerDidAuthor":     on(func(c *call, v *ThreadComment, _ args) any { return c.isMe(v.Author) }),
		"viewerCanMinimize":   on(func(c *call, _ *ThreadComment, _ args) any { return c.may(hideComment) }),
		"viewerCanUnminimize": on(func(c *call, _ *ThreadComment, _ args) any { return c.may(hideComment) }),
		"viewerCanReact":      on(func(c *call, v *ThreadComment, _ args) any { return !c.locked(v.thread.pull) }),
		"url": on(func(c *call, v *ThreadComment, _ args) any {
			return c.w.url("/pull/%d#discussion_r%d", v.thread.pull.Number, v.DatabaseID)
		}),
		"path":              of(func(v *ThreadComment) any { return v.thread.Path }),
		"diffHunk":          of(func(v *ThreadComment) any { return v.thread.hunk() }),
		"line":              of(func(v *ThreadComment) any { return orNil(v.thread.Line) }),
		"originalLine":      of(func(v *ThreadComment) any { return orNil(v.thread.OriginalLine) }),
		"startLine":         of(func(*ThreadComment) any { return nil }),
		"originalStartLine": of(func(*ThreadComment) any { return nil }),
		"outdated":          of(func(v *ThreadComment) any { return v.thread.Outdated }),
		"subjectType":       of(func(v *ThreadComment) any { return v.thread.subject() }),
		"state": of(func(v *ThreadComment) any {
			if v.review.State == "PENDING" {
				return "PENDING"
			}
			return "SUBMITTED"
		}),
		"replyTo": of(func(v *ThreadComment) any {
			if top := v.thread.Comments[0]; top != v {
				return top
			}
			return nil
		}),
		"commit":            on(func(c *call, v *ThreadComment, _ args) any { return orNil(c.w.commits[v.thread.pull.Head]) }),
		"originalCommit":    on(func(c *call, v *ThreadComment, _ args) any { return orNil(c.w.commits[v.commit]) }),
		"pullRequest":       of(func(v *ThreadComment) any { return v.thread.pull }),
		"pullRequestReview": of(func(v *ThreadComment) any { return v.review }),
		"repository":        theRepository[*ThreadComment](),
		"reactions":         on(func(_ *call, v *ThreadComment, a args) any { return reactionList(v.Reactions, a) }),
		"reactionGroups":    on(func(c *call, v *ThreadComment, _ args) any { return c.reactionGroups(v.Reactions) }),
	}
}

func askedFields() map[string]resolver {
	return map[string]resolver{
		"id":                of(func(r *asked) any { return nodeID(r) }),
		"databaseId":        of(func(r *asked) any { return r.pull.Number }),
		"asCodeOwner":       of(func(*asked) any { return false }),
		"requestedReviewer": on(func(c *call, r *asked, _ args) any { return c.w.actor(r.login) }),
		"pullRequest":       of(func(r *asked) any { return r.pull }),
	}
}

func labelFields() map[string]resolver {
	return map[string]resolver{
		"id":          of(func(l *label) any { return nodeID(l) }),
		"name":        of(func(l *label) any { return l.name }),
		"color":       of(func(*label) any { return "ededed" }),
		"description": of(func(*label) any { return nil }),
	}
}

func rollupFields() map[string]resolver {
	return map[string]resolver{
		"id":     of(func(r *rollupOf) any { return "SCR_" + r.commit.OID }),
		"state":  of(func(r *rollupOf) any { return rollup(r.commit.contexts) }),
		"commit": of(func(r *rollupOf) any { return r.commit }),
		"contexts": on(func(c *call, r *rollupOf, _ args) any {
			items := slices.Clone(r.commit.contexts)
			for i, v := range items {
				if _, isStatus := v.(*CommitStatus); isStatus && !c.may(readStatuses) {
					items[i] = c.forbidden()
				}
			}
			return &listing{items: items}
		}),
	}
}

func count[T any](items []any) int {
	n := 0
	for _, v := range items {
		if _, ok := v.(T); ok {
			n++
		}
	}
	return n
}

func runCounts(items []any) []any {
	return counts(items, func(v any) string {
		r, ok := v.(*CheckRun)
		switch {
		case !ok:
			return ""
		case r.Status == "COMPLETED":
			return r.Conclusion
		}
		return r.Status
	})
}

func statusCounts(items []any) []any {
	return counts(items, func(v any) string {
		if s, ok := v.(*CommitStatus); ok {
			return s.State
		}
		return ""
	})
}

func counts(items []any, state func(any) string) []any {
	n := map[string]int{}
	var order []string
	for _, v := range items {
		s := state(v)
		if s == "" {
			continue
		}
		if n[s] == 0 {
			order = append(order, s)
		}
		n[s]++
	}
	out := []any{}
	for _, s := range order {
		out = append(out, &stateCount{s, n[s]})
	}
	return out
}

func countFields() map[string]resolver {
	return map[string]resolver{
		"state": of(func(s *stateCount) any { return s.state }),
		"count": of(func(s *stateCount) any { return s.count }),
	}
}

// isRequired needs to be told the pull request.
func (c *call) isRequired(v any, a args) any {
	if id := a.str("pullRequestId"); id != "" {
		if p, ok := c.w.nodes[id].(*Pull); ok {
			return c.w.required(p, v)
		}
		return gqlFail("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", id)
	}
	n, ok := a.num("pullRequestNumber")
	if !ok {
		return gqlFail("ARGUMENT_ERROR", "Please provide either `pullRequestId` or `pullRequestNumber`.")
	}
	if p := c.w.pulls[n]; p != nil {
		return c.w.required(p, v)
	}
	return gqlFail("NOT_FOUND", "Could not resolve to a PullRequest with the number of %d.", n)
}

func checkRunFields() map[string]resolver {
	return map[string]resolver{
		"id":          of(func(r *CheckRun) any { return r.ID }),
		"databaseId":  of(func(r *CheckRun) any { return r.DatabaseID }),
		"name":        of(func(r *CheckRun) any { return r.Name }),
		"status":      of(func(r *CheckRun) any { return r.Status }),
		"conclusion":  of(func(r *CheckRun) any { return orNil(r.Conclusion) }),
		"startedAt":   of(func(r *CheckRun) any { return timeOrNil(r.StartedAt) }),
		"completedAt": of(func(r *CheckRun) any { return timeOrNil(r.CompletedAt) }),
		"detailsUrl":  of(func(r *CheckRun) any { return orNil(r.URL) }),
		"url":         on(func(c *call, r *CheckRun, _ args) any { return cmp.Or(r.URL, c.w.url("/runs/%d", r.DatabaseID)) }),
		"isRequired":  on(func(c *call, r *CheckRun, a args) any { return c.isRequired(r, a) }),
		"checkSuite":  of(func(r *CheckRun) any { return r.suite }),
		"externalId":  of(func(r *CheckRun) any { return orNil(r.ExternalID) }),
		"title":       of(func(r *CheckRun) any { return orNil(r.Title) }),
		"summary":     of(func(r *CheckRun) any { return orNil(r.Summary) }),
	}
}

func statusFields() map[string]resolver {
	return map[string]resolver{
		"id":          of(func(s *CommitStatus) any { return s.ID }),
		"context":     of(func(s *CommitStatus) any { return s.Context }),
		"state":       of(func(s *CommitStatus) any { return s.State }),
		"description": of(func(s *CommitStatus) any { return orNil(s.Text) }),
		"targetUrl":   of(func(s *CommitStatus) any { return orNil(s.URL) }),
		"createdAt":   of(func(s *CommitStatus) any { return s.CreatedAt }),
		"updatedAt":   of(func(s *CommitStatus) any { return s.CreatedAt }),
		"creator":     on(func(c *call, s *CommitStatus, _ args) any { return c.w.actor(s.Creator) }),
		"isRequired":  on(func(c *call, s *CommitStatus, a args) any { return c.isRequired(s, a) }),
		"commit":      of(func(s *CommitStatus) any { return s.commit }),
	}
}

func appID(slug string) int64 {
	if slug == "github-actions" {
		return 15368
	}
	n := int64(20000)
	for _, r := range slug {
		n += int64(r)
	}
	return n
}

func suiteFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(s *CheckSuite) any { return s.ID }),
		"databaseId": of(func(s *CheckSuite) any { return s.DatabaseID }),
		"app":        of(func(s *CheckSuite) any { return &app{s.App} }),
		"commit":     of(func(s *CheckSuite) any { return s.commit }),
		"createdAt":  of(func(s *CheckSuite) any { return s.CreatedAt }),
		"updatedAt":  of(func(s *CheckSuite) any { return s.CreatedAt }),
		"status": of(func(s *CheckSuite) any {
			if slices.ContainsFunc(s.CheckRuns, func(r *CheckRun) bool { return r.Status != "COMPLETED" }) {
				return "IN_PROGRESS"
			}
			return "COMPLETED"
		}),
		"conclusion": of(func(s *CheckSuite) any {
			worst := pass
			for _, r := range s.CheckRuns {
				worst = max(worst, verdict(r))
			}
			return [...]any{"SUCCESS", nil, "FAILURE"}[worst]
		}),
		"workflowRun": on(func(c *call, s *CheckSuite, _ args) any {
			if !c.may(readActions) {
				return c.forbidden()
			}
			if s.Run == nil {
				return nil
			}
			return s.Run
		}),
		"checkRuns": of(func(s *CheckSuite) any { return anys(s.CheckRuns) }),
	}
}

func appFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(a *app) any { return "A_" + a.slug }),
		"databaseId": of(func(a *app) any { return appID(a.slug) }),
		"name":       of(func(a *app) any { return a.slug }),
		"slug":       of(func(a *app) any { return a.slug }),
	}
}

func runFields() map[string]resolver {
	return map[string]resolver{
		"id":           of(func(r *WorkflowRun) any { return r.ID }),
		"databaseId":   of(func(r *WorkflowRun) any { return r.DatabaseID }),
		"runNumber":    of(func(r *WorkflowRun) any { return r.Number }),
		"runAttempt":   of(func(r *WorkflowRun) any { return r.Attempt }),
		"event":        of(func(r *WorkflowRun) any { return r.Event }),
		"createdAt":    of(func(r *WorkflowRun) any { return r.CreatedAt }),
		"updatedAt":    of(func(r *WorkflowRun) any { return r.UpdatedAt }),
		"url":          on(func(c *call, r *WorkflowRun, _ args) any { return c.w.url("/actions/runs/%d", r.DatabaseID) }),
		"workflow":     of(func(r *WorkflowRun) any { return &workflow{r} }),
		"file":         of(func(r *WorkflowRun) any { return &runFile{r} }),
		"checkSuite":   of(func(r *WorkflowRun) any { return r.suite }),
		"displayTitle": of(func(r *WorkflowRun) any { return r.Name }),
	}
}

func runFileFields() map[string]resolver {
	return map[string]resolver{
		"id":   of(func(f *runFile) any { return "WFRF_" + f.run.ID }),
		"path": of(func(f *runFile) any { return f.run.Path }),
		"url":  on(func(c *call, f *runFile, _ args) any { return c.w.url("/actions/runs/%d/workflow", f.run.DatabaseID) }),
	}
}

func workflowFields() map[string]resolver {
	return map[string]resolver{
		"id":         of(func(v *workflow) any { return v.run.workflow }),
		"databaseId": of(func(v *workflow) any { return v.run.workflowID }),
		"name":       of(func(v *workflow) any { return v.run.Name }),
		"url":        on(func(c *call, v *workflow, _ args) any { return c.w.url("/actions/workflows/%s", v.run.Path) }),
	}
}

func armedFields() map[string]resolver {
	return map[string]resolver{
		"enabledAt":   of(func(v *armed) any { return v.pull.AutoMerge.At }),
		"enabledBy":   on(func(c *call, v *armed, _ args) any { return c.w.actor(v.pull.AutoMerge.By) }),
		"mergeMethod": of(func(v *armed) any { return v.pull.AutoMerge.Method }),
		"pullRequest": of(func(v *armed) any { return v.pull }),
	}
}

func queuedFields() map[string]resolver {
	return map[string]resolver{
		"id":          of(func(v *queued) any { return "MQE_" + v.pull.ID }),
		"enqueuedAt":  of(func(v *queued) any { return v.pull.UpdatedAt }),
		"enqueuer":    on(func(c *call, v *queued, _ args) any { return c.w.actor(v.pull.Author) }),
		"position":    of(func(*queued) any { return 1 }),
		"state":       of(func(*queued) any { return "QUEUED" }),
		"pullRequest": of(func(v *queued) any { return v.pull }),
		"jump":        of(func(*queued) any { return false }),
		"solo":        of(func(*queued) any { return false }),
	}
}
