package githubtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A route is one REST endpoint: the method, the path under
// /repos/{owner}/{repo}, what it needs, and how it answers. A segment in
// braces is a parameter.
type route struct {
	method, path string
	need         need
	answer       func(c *call, p params)
}

// params are the parameters of a path, unescaped.
type params map[string]string

// number is the parameter {n}; no issue or pull request has the number 0.
func (p params) number() int { return atoi(p["n"], 0) }

// routes is the table of the REST endpoints under a repository.
func routes() []route {
	return []route{
		{"GET", "", metadata, (*call).getRepo},
		{"GET", "/pulls", readPulls, (*call).listPulls},
		{"GET", "/pulls/{n}", readPulls, onPull((*call).getPull)},
		{"GET", "/pulls/{n}/requested_reviewers", readPulls, onPull((*call).getRequests)},
		{"POST", "/pulls/{n}/requested_reviewers", metadata, onPull((*call).postRequests)},
		{"DELETE", "/pulls/{n}/requested_reviewers", requestReview, onPull((*call).deleteRequests)},
		{"POST", "/pulls/{n}/copilot-code-review", metadata, onPull((*call).postCopilotReview)},
		{"GET", "/pulls/{n}/commits", readPulls, onPull((*call).listCommits)},
		{"GET", "/pulls/{n}/reviews", readPulls, onPull((*call).listReviews)},
		{"GET", "/pulls/{n}/comments", readPulls, onPull((*call).listThreadComments)},
		{"POST", "/pulls/{n}/comments", replyInReview, onPull((*call).postThreadComment)},
		{"POST", "/pulls/{n}/comments/{id}/replies", replyInReview, onPull((*call).postReply)},
		{"PUT", "/pulls/{n}/merge", mergePull, onPull((*call).putMerge)},
		{"GET", "/issues/{n}/comments", readEither, (*call).listComments},
		{"POST", "/issues/{n}/comments", writeComment, (*call).postComment},
		{"GET", "/issues/comments/{id}", readEither, onComment((*call).getComment)},
		{"PATCH", "/issues/comments/{id}", writeComment, onComment((*call).patchComment)},
		{"DELETE", "/issues/comments/{id}", writeComment, onComment((*call).dropComment)},
		{"GET", "/issues/comments/{id}/reactions", readEither, onComment((*call).listReactions)},
		{"POST", "/issues/comments/{id}/reactions", writeComment, onComment((*call).postReaction)},
		{"DELETE", "/issues/comments/{id}/reactions/{reaction}", writeComment, onComment((*call).dropReaction)},
		{"GET", "/issues/{n}/timeline", readEither, onPull((*call).listTimeline)},
		{"GET", "/issues", readIssues, (*call).listIssues},
		{"POST", "/issues", writeIssue, (*call).postIssue},
		{"GET", "/issues/{n}", readEither, (*call).getIssue},
		{"PATCH", "/issues/{n}", writeIssue, (*call).patchIssue},
		{"POST", "/issues/{n}/labels", writeLabel, (*call).postLabels},
		{"DELETE", "/issues/{n}/labels/{label}", writeLabel, (*call).dropLabel},
		{"GET", "/collaborators/{login}/permission", metadata, (*call).getPermission},
		{"GET", "/actions/runs/{id}", readActions, (*call).getRun},
		{"GET", "/actions/runs/{id}/attempts/{attempt}", readActions, (*call).getRun},
		{"POST", "/actions/workflows/{id}/dispatches", dispatchRun, (*call).postDispatch},
		{"POST", "/actions/jobs/{id}/rerun", dispatchRun, (*call).postRerun},
		{"GET", "/commits/{sha}/pulls", readPulls, (*call).commitPulls},
		{"GET", "/commits/{sha}/check-runs", readChecks, (*call).listCheckRuns},
		{"POST", "/check-runs", writeChecks, (*call).postCheckRun},
		{"GET", "/compare/{range}", readContents, (*call).compare},
		{"GET", "/rules/branches/{branch}", metadata, (*call).getRules},
		{"GET", "/contents/{path...}", readContents, (*call).getContents},
	}
}

// match compares a path with a pattern, segment by segment.
func match(pattern, path string) (params, bool) {
	p := params{}
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, seg := range want {
		if strings.HasSuffix(seg, "...}") && i < len(got) {
			rest, err := url.PathUnescape(strings.Join(got[i:], "/"))
			p[strings.Trim(seg, "{.}")] = rest
			return p, err == nil
		}
		if i >= len(got) {
			return nil, false
		}
		text, err := url.PathUnescape(got[i])
		if err != nil {
			return nil, false
		}
		switch {
		case strings.HasPrefix(seg, "{"):
			if text == "" {
				return nil, false
			}
			p[strings.Trim(seg, "{}")] = text
		case seg != text:
			return nil, false
		}
	}
	return p, len(want) == len(got)
}

func (c *call) notFound() { c.fail(http.StatusNotFound, "Not Found") }

// rest answers a REST request.
func (c *call) rest() {
	path := strings.TrimPrefix(c.r.URL.EscapedPath(), "/api/v3")
	switch {
	case path == "/user" && c.r.Method == http.MethodGet:
		if c.token.integration() {
			c.deny()
			return
		}
		c.json(http.StatusOK, c.w.userJSON(c.who, c.who.Login))
		return
	case strings.HasPrefix(path, "/repos/"):
		parts := strings.SplitN(strings.TrimPrefix(path, "/repos/"), "/", 3)
		if len(parts) < 2 {
			break
		}
		rest := ""
		if len(parts) == 3 {
			rest = "/" + parts[2]
		}
		known := false
		for _, r := range routes() {
			p, ok := match(r.path, rest)
			if !ok {
				continue
			}
			known = true
			if r.method != c.r.Method {
				continue
			}
			if !c.sees() || !strings.EqualFold(parts[0], c.w.opt.Owner) || !strings.EqualFold(parts[1], c.w.opt.Repo) {
				c.notFound()
				return
			}
			if !c.may(r.need) {
				c.deny()
				return
			}
			r.answer(c, p)
			return
		}
		if known {
			c.line.Unknown = true
			c.fail(http.StatusNotFound, "Not Found")
			return
		}
	}
	c.line.Unknown = true
	c.notFound()
}

func onPull(f func(*call, *Pull, params)) func(*call, params) {
	return func(c *call, p params) {
		if pull := c.w.pulls[p.number()]; pull != nil {
			f(c, pull, p)
			return
		}
		c.notFound()
	}
}

func onComment(f func(*call, *Comment, params)) func(*call, params) {
	return func(c *call, p params) {
		id, _ := strconv.ParseInt(p["id"], 10, 64)
		if v := c.w.findComment(id); v != nil {
			f(c, v, p)
			return
		}
		c.notFound()
	}
}

// decode reads the request body; it answers 400 where that is no JSON.
func (c *call) decode(v any) bool {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return true
	}
	if err := json.Unmarshal(c.body, v); err != nil {
		c.fail(http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	return true
}

// list answers with one page of items and the Link header.
func (c *call) list(items []any) {
	q := c.r.URL.Query()
	size := atoi(q.Get("per_page"), 30)
	size = min(max(size, 1), 100)
	page := max(atoi(q.Get("page"), 1), 1)
	last := max(1, (len(items)+size-1)/size)
	from := min((page-1)*size, len(items))
	to := min(from+size, len(items))
	var links []string
	link := func(n int, rel string) {
		u := *c.r.URL
		u.Scheme, u.Host = cmp.Or(u.Scheme, "https"), cmp.Or(u.Host, c.r.Host, "api.github.com")
		q := u.Query()
		q.Set("page", strconv.Itoa(n))
		u.RawQuery = q.Encode()
		links = append(links, fmt.Sprintf("<%s>; rel=%q", u.String(), rel))
	}
	if page > 1 {
		link(page-1, "prev")
	}
	if page < last {
		link(page+1, "next")
		link(last, "last")
	}
	if page > 1 {
		link(1, "first")
	}
	if len(links) > 0 {
		c.out.header.Set("Link", strings.Join(links, ", "))
	}
	c.json(http.StatusOK, append([]any{}, items[from:to]...))
}

func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// restLogin is how REST spells a bot of Copilot's on most surfaces.
func restLogin(a *Account) string {
	if key(a.Login) == key(CopilotReviewer) || key(a.Login) == key(CopilotAgent) {
		return "Copilot"
	}
	return a.Login
}

// userJSON is an account under the spelling of a surface; nil for a ghost.
func (w *World) userJSON(a *Account, login string) any {
	if a == nil {
		return nil
	}
	kind := "User"
	if a.Bot() {
		kind = "Bot"
	}
	return map[string]any{
		"login": login, "id": a.ID, "node_id": a.nodeID, "type": kind, "site_admin": false, "user_view_type": "public",
		"url": "https://api.github.com/users/" + url.PathEscape(a.Login), "html_url": "https://github.com/" + a.slug(),
	}
}

func (w *World) user(login string) any {
	a := w.account(login)
	if a == nil {
		return nil
	}
	return w.userJSON(a, restLogin(a))
}

func (w *World) repoJSON(full string) any {
	owner, name, ok := strings.Cut(full, "/")
	if !ok {
		return nil
	}
	return map[string]any{
		"id": 800000001, "node_id": "R_kgDOAA" + name, "name": name, "full_name": full, "private": !w.opt.Public,
		"fork": full != w.name(), "owner": w.user(owner), "default_branch": w.opt.DefaultBranch,
		"has_issues": !w.opt.IssuesOff, "html_url": "https://github.com/" + full, "url": "https://api.github.com/repos/" + full,
		"allow_auto_merge": !w.opt.AutoMergeOff, "archived": false,
	}
}

func (c *call) getRepo(params) { c.json(http.StatusOK, c.w.repoJSON(c.w.name())) }

func labelsJSON(names []string) []any {
	out := []any{}
	for i, n := range names {
		out = append(out, map[string]any{"id": 1000 + i, "name": n, "color": "ededed", "default": false})
	}
	return out
}

func (w *World) pullJSON(p *Pull) map[string]any {
	state := "open"
	if p.State != "OPEN" {
		state = "closed"
	}
	var mergeable any
	switch w.mergeable(p) {
	case "MERGEABLE":
		mergeable = true
	case "CONFLICTING":
		mergeable = false
	}
	var armed any
	if p.AutoMerge != nil {
		armed = map[string]any{"enabled_by": w.user(p.AutoMerge.By), "merge_method": strings.ToLower(p.AutoMerge.Method)}
	}
	requested := []any{}
	for _, l := range p.Requests {
		requested = append(requested, w.user(l))
	}
	headOwner, _, _ := strings.Cut(p.HeadRepo, "/")
	return map[string]any{
		"id": p.DatabaseID, "node_id": p.ID, "number": p.Number, "state": state, "locked": p.Locked, "title": p.Title,
		"body": p.Body, "user": w.user(p.Author), "labels": labelsJSON(p.Labels), "draft": p.Draft,
		"html_url": w.url("/pull/%d", p.Number), "url": w.api("/pulls/%d", p.Number),
		"created_at": stamp(p.CreatedAt), "updated_at": stamp(p.UpdatedAt), "closed_at": stamp(p.ClosedAt), "merged_at": stamp(p.MergedAt),
		"merged": p.State == "MERGED", "merged_by": w.user(p.MergedBy), "merge_commit_sha": orNil(p.MergeCommit),
		"mergeable": mergeable, "mergeable_state": strings.ToLower(w.mergeState(p)), "auto_merge": armed,
		"author_association": w.association(p.Author), "requested_reviewers": requested, "requested_teams": []any{},
		"comments": len(p.Comments), "commits": len(p.Commits),
		"head": map[string]any{
			"ref": p.HeadRef, "sha": p.Head, "label": headOwner + ":" + p.HeadRef, "user": w.user(headOwner), "repo": w.repoJSON(p.HeadRepo),
		},
		"base": map[string]any{
			"ref": p.Base, "sha": w.baseOID(p.Base), "label": w.opt.Owner + ":" + p.Base, "user": w.user(w.opt.Owner), "repo": w.repoJSON(w.name()),
		},
	}
}

func (w *World) api(format string, a ...any) string {
	return "https://api.github.com/repos/" + w.name() + fmt.Sprintf(format, a...)
}

func (c *call) getPull(p *Pull, _ params) { c.json(http.StatusOK, c.w.pullJSON(p)) }

func (c *call) listPulls(params) {
	q := c.r.URL.Query()
	out := []any{}
	for _, n := range c.w.numbers {
		p := c.w.pulls[n]
		open := p.State == "OPEN"
		owner, _, _ := strings.Cut(p.HeadRepo, "/")
		switch state := cmp.Or(q.Get("state"), "open"); {
		case state == "open" && !open, state == "closed" && open:
		case q.Get("head") != "" && q.Get("head") != owner+":"+p.HeadRef:
		case q.Get("base") != "" && q.Get("base") != p.Base:
		default:
			out = append(out, c.w.pullJSON(p))
		}
	}
	slices.Reverse(out)
	c.list(out)
}

func (c *call) getRequests(p *Pull, _ params) {
	users := []any{}
	for _, l := range p.Requests {
		users = append(users, c.w.user(l))
	}
	c.json(http.StatusOK, map[string]any{"users": users, "teams": []any{}})
}

// mayRequest is the right to ask for reviews. A person without write access is
// answered as if the pull request did not exist.
func (c *call) mayRequest() bool {
	switch {
	case c.may(requestReview):
		return true
	case c.token.integration() || c.token.Kind == FineGrained && !c.token.has("pull-requests:write"):
		c.deny()
	default:
		c.notFound()
	}
	return false
}

// notCollaborator is the refusal that names no login.
func (c *call) notCollaborator() {
	c.fail(http.StatusUnprocessableEntity,
		"Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the "+
			c.w.name()+" repository.")
}

func (c *call) postRequests(p *Pull, _ params) {
	if !c.mayRequest() {
		return
	}
	var in struct {
		Reviewers     []string `json:"reviewers"`
		TeamReviewers []string `json:"team_reviewers"`
	}
	if !c.decode(&in) {
		return
	}
	if p.State != "OPEN" {
		c.fail(http.StatusUnprocessableEntity, "Pull request is closed.")
		return
	}
	var ask []string
	var lag time.Duration
	status := http.StatusCreated
	for _, l := range in.Reviewers {
		a := c.w.accounts[key(l)]
		switch {
		case strings.EqualFold(l, "Copilot"), key(l) == key(CopilotAgent):
			// Accepted, and nothing comes of it.
			status = http.StatusOK
		case key(l) == key(CopilotReviewer):
			does := c.rung(REST)
			switch {
			case does.Status != 0:
				c.fail(does.Status, cmp.Or(does.Reason, http.StatusText(does.Status)))
				return
			case does.Drop:
			case !c.token.integration() && !c.who.Seat:
				c.notCollaborator()
				return
			default:
				ask, lag = append(ask, CopilotReviewer), does.Lag
			}
		case a == nil, a.Bot(), rank(a.Permission) < rank("read"):
			c.notCollaborator()
			return
		case key(l) == key(p.Author):
			c.fail(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
			return
		default:
			ask = append(ask, a.Login)
		}
	}
	for _, l := range ask {
		if key(l) == key(CopilotReviewer) {
			c.askCopilot(p, lag)
			continue
		}
		c.w.ask(p, c.who.Login, l)
	}
	c.json(status, c.w.pullJSON(p))
}

// deleteRequests takes requests back; a login that was not asked is no error.
func (c *call) deleteRequests(p *Pull, _ params) {
	var in struct {
		Reviewers []string `json:"reviewers"`
	}
	if !c.decode(&in) {
		return
	}
	for _, l := range in.Reviewers {
		c.w.withdraw(p, c.who.Login, l)
	}
	c.json(http.StatusOK, c.w.pullJSON(p))
}

// postCopilotReview is the dedicated endpoint: every call means a new review.
func (c *call) postCopilotReview(p *Pull, _ params) {
	if c.w.opt.Enterprise {
		c.notFound()
		return
	}
	if !c.mayRequest() {
		return
	}
	refuse := func(status int, reason, message string) {
		c.json(status, map[string]any{
			"message": message, "failure_reason": reason, "documentation_url": "https://docs.github.com/rest/pulls/copilot-code-review",
			"status": strconv.Itoa(status),
		})
	}
	switch {
	case p.State != "OPEN":
		refuse(http.StatusUnprocessableEntity, "PULL_REQUEST_NOT_OPEN", "The pull request is not open.")
		return
	case c.w.pendingCopilot(p):
		refuse(http.StatusConflict, "REVIEW_PENDING", "A Copilot review is already pending for this pull request.")
		return
	}
	switch does := c.rung(Endpoint); {
	case does.Status != 0:
		refuse(does.Status, does.Reason, "The Copilot review could not be requested.")
		return
	case does.Drop:
	case !c.token.integration() && !c.who.Seat:
		refuse(http.StatusUnprocessableEntity, "ACTOR_NOT_ELIGIBLE", "The actor is not eligible for Copilot code review.")
		return
	default:
		c.askCopilot(p, does.Lag)
	}
	c.json(http.StatusCreated, map[string]any{"status": "requested", "pull_request_url": c.w.api("/pulls/%d", p.Number)})
}

func (c *call) listReviews(p *Pull, _ params) {
	out := []any{}
	for _, r := range c.visible(p) {
		out = append(out, c.w.reviewJSON(r))
	}
	c.list(out)
}

// reviewJSON: on this surface a bot keeps its own login.
func (w *World) reviewJSON(r *Review) map[string]any {
	a := w.account(r.Author)
	var user any
	if a != nil {
		user = w.userJSON(a, a.Login)
	}
	return map[string]any{
		"id": r.DatabaseID, "node_id": r.ID, "user": user, "body": r.Body, "state": r.State, "commit_id": orNil(r.Commit),
		"submitted_at": stamp(r.SubmittedAt), "author_association": w.association(r.Author),
		"html_url":         w.url("/pull/%d#pullrequestreview-%d", r.pull.Number, r.DatabaseID),
		"pull_request_url": w.api("/pulls/%d", r.pull.Number),
	}
}

func (w *World) threadCommentJSON(v *ThreadComment) map[string]any {
	t := v.thread
	m := map[string]any{
		"id": v.DatabaseID, "node_id": v.ID, "pull_request_review_id": v.review.DatabaseID, "user": w.user(v.Author), "body": v.Body,
		"path": t.Path, "line": orNil(t.Line), "original_line": orNil(t.OriginalLine), "side": "RIGHT",
		"subject_type": strings.ToLower(t.subject()), "commit_id": t.pull.Head, "original_commit_id": v.commit,
		"created_at": stamp(v.CreatedAt), "updated_at": stamp(v.UpdatedAt), "author_association": w.association(v.Author),
		"html_url": w.url("/pull/%d#discussion_r%d", t.pull.Number, v.DatabaseID),
	}
	if top := t.Comments[0]; top != v {
		m["in_reply_to_id"] = top.DatabaseID
	}
	return m
}

func (c *call) listThreadComments(p *Pull, _ params) {
	var all []*ThreadComment
	for _, t := range p.Threads {
		all = append(all, filter(t.Comments, c.shows)...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].DatabaseID < all[j].DatabaseID })
	out := []any{}
	for _, v := range all {
		out = append(out, c.w.threadCommentJSON(v))
	}
	c.list(out)
}

// postThreadComment replies by naming a comment; new threads are not simulated
// here.
func (c *call) postThreadComment(p *Pull, _ params) {
	var in struct {
		Body      string `json:"body"`
		InReplyTo int64  `json:"in_reply_to"`
	}
	if c.decode(&in) {
		c.answerIn(p, in.InReplyTo, in.Body)
	}
}

func (c *call) postReply(p *Pull, ps params) {
	var in bodyOnly
	if c.decode(&in) {
		id, _ := strconv.ParseInt(ps["id"], 10, 64)
		c.answerIn(p, id, in.Body)
	}
}

// answerIn replies in a thread, which is named by its first comment.
func (c *call) answerIn(p *Pull, id int64, body string) {
	i := slices.IndexFunc(p.Threads, func(t *Thread) bool { return t.Comments[0].DatabaseID == id })
	switch err := bodyProblem(body); {
	case i < 0:
		c.notFound()
	case c.locked(p):
		c.fail(http.StatusForbidden, "Unable to create comment because issue is locked.")
	case err != nil:
		c.invalid("PullRequestReviewComment", "body", err.Error())
	case p.draftOf(c.who.Login) != nil: // GraphQL's reply joins the draft
		c.invalid("PullRequestReview", "user_id", "user_id can only have one pending review per pull request")
	default:
		c.json(http.StatusCreated, c.w.threadCommentJSON(c.w.reply(p.Threads[i], c.who.Login, body)))
	}
}

func (c *call) invalid(resource, field, message string) {
	c.fail(http.StatusUnprocessableEntity, "Validation Failed",
		map[string]any{"resource": resource, "field": field, "code": "custom", "message": message})
}

func (c *call) putMerge(p *Pull, _ params) {
	var in struct {
		SHA string `json:"sha"`
	}
	if !c.decode(&in) {
		return
	}
	c.line.Expected = in.SHA
	if why, status := c.w.mergeProblem(p, in.SHA); why != "" {
		c.fail(status, why)
		return
	}
	c.w.merge(p, c.who.Login)
	c.json(http.StatusOK, map[string]any{"sha": p.MergeCommit, "merged": true, "message": "Pull Request successfully merged"})
}

func (w *World) commentJSON(v *Comment) map[string]any {
	return map[string]any{
		"id": v.DatabaseID, "node_id": v.ID, "user": w.user(v.Author), "body": v.Body, "author_association": w.association(v.Author),
		"created_at": stamp(v.CreatedAt), "updated_at": stamp(v.UpdatedAt),
		"html_url":  w.commentURL(v),
		"issue_url": w.api("/issues/%d", v.number), "url": w.api("/issues/comments/%d", v.DatabaseID),
	}
}

func (w *World) commentURL(v *Comment) string {
	kind := "pull"
	if w.issues[v.number] != nil {
		kind = "issues"
	}
	return w.url("/%s/%d#issuecomment-%d", kind, v.number, v.DatabaseID)
}

// conversation is the list of comments of a number, and whether there is any
// such thing.
func (w *World) conversation(n int) ([]*Comment, bool) {
	if p := w.pulls[n]; p != nil {
		return p.Comments, true
	}
	if i := w.issues[n]; i != nil {
		return i.Comments, true
	}
	return nil, false
}

func (c *call) listComments(p params) {
	list, ok := c.w.conversation(p.number())
	if !ok {
		c.notFound()
		return
	}
	since, _ := time.Parse(time.RFC3339, c.r.URL.Query().Get("since"))
	out := []any{}
	for _, v := range list {
		if !v.UpdatedAt.Before(since) {
			out = append(out, c.w.commentJSON(v))
		}
	}
	c.list(out)
}

type bodyOnly struct {
	Body string `json:"body"`
}

func (c *call) postComment(p params) {
	var in bodyOnly
	if !c.decode(&in) {
		return
	}
	n := p.number()
	_, ok := c.w.conversation(n)
	switch err := bodyProblem(in.Body); {
	case !ok:
		c.notFound()
	case c.locked(c.w.pulls[n]):
		c.fail(http.StatusForbidden, "Unable to create comment because issue is locked.")
	case err != nil:
		c.invalid("IssueComment", "body", err.Error())
	default:
		c.json(http.StatusCreated, c.w.commentJSON(c.w.comment(n, c.who.Login, in.Body)))
	}
}

func (c *call) getComment(v *Comment, _ params) { c.json(http.StatusOK, c.w.commentJSON(v)) }

func (c *call) patchComment(v *Comment, _ params) {
	var in bodyOnly
	if !c.decode(&in) {
		return
	}
	switch err := bodyProblem(in.Body); {
	case !c.editable(v.Author):
		c.deny()
	case c.locked(c.w.pulls[v.number]):
		c.fail(http.StatusForbidden, "Unable to update comment because issue is locked.")
	case err != nil:
		c.invalid("IssueComment", "body", err.Error())
	default:
		c.w.editComment(v, c.who.Login, in.Body)
		c.json(http.StatusOK, c.w.commentJSON(v))
	}
}

func (c *call) dropComment(v *Comment, _ params) {
	if !c.editable(v.Author) {
		c.deny()
		return
	}
	c.w.deleteComment(v, c.who.Login)
	c.out.status = http.StatusNoContent
}

func (w *World) reactionJSON(r *Reaction) map[string]any {
	return map[string]any{
		"id": r.DatabaseID, "node_id": r.ID, "user": w.user(r.By), "content": r.Content, "created_at": stamp(r.CreatedAt),
	}
}

func (c *call) listReactions(v *Comment, _ params) {
	out := []any{}
	for _, r := range v.Reactions {
		if want := c.r.URL.Query().Get("content"); want == "" || want == r.Content {
			out = append(out, c.w.reactionJSON(r))
		}
	}
	c.list(out)
}

// postReaction answers 201 for a new reaction, 200 for one that this account
// has already.
func (c *call) postReaction(v *Comment, _ params) {
	var in struct {
		Content string `json:"content"`
	}
	if !c.decode(&in) {
		return
	}
	known := []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}
	switch {
	case !slices.Contains(known, in.Content):
		c.invalid("Reaction", "content", "content is not included in the list")
		return
	case c.locked(c.w.pulls[v.number]):
		c.fail(http.StatusForbidden, "Unable to react because issue is locked.")
		return
	}
	r, fresh := c.w.react(v, c.who.Login, in.Content)
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
	}
	c.json(status, c.w.reactionJSON(r))
}

func (c *call) dropReaction(v *Comment, p params) {
	id, _ := strconv.ParseInt(p["reaction"], 10, 64)
	for _, r := range v.Reactions {
		if r.DatabaseID != id {
			continue
		}
		if !c.isMe(r.By) {
			c.deny()
			return
		}
		c.w.unreact(v, c.who.Login, r)
		c.out.status = http.StatusNoContent
		return
	}
	c.notFound()
}

func (c *call) listTimeline(p *Pull, _ params) {
	out := []any{}
	for _, e := range p.Events {
		out = append(out, c.w.eventJSON(e))
	}
	c.list(out)
}

func (w *World) eventJSON(e *Event) map[string]any {
	switch e.Kind {
	case "reviewed":
		m := w.reviewJSON(e.review)
		m["event"], m["user"], m["state"] = "reviewed", w.user(e.review.Author), strings.ToLower(e.review.State)
		return m
	case "commented":
		m := w.commentJSON(e.comment)
		m["event"], m["actor"] = "commented", w.user(e.comment.Author)
		return m
	case "committed":
		c := w.commits[e.Commit]
		who := map[string]any{"name": e.Actor, "email": "nobody@example.com", "date": stamp(c.At)}
		return map[string]any{
			"event": "committed", "sha": c.OID, "node_id": c.ID, "message": c.Message, "author": who, "committer": who,
			"html_url": w.url("/commit/%s", c.OID),
		}
	}
	m := map[string]any{
		"id": e.DatabaseID, "node_id": e.ID, "event": e.Kind, "actor": w.user(e.Actor), "created_at": stamp(e.At),
		"commit_id": orNil(e.Commit), "url": w.api("/issues/events/%d", e.DatabaseID),
	}
	switch e.Kind {
	case "review_requested", "review_request_removed":
		m["review_requester"], m["requested_reviewer"], m["commit_id"] = w.user(e.Actor), w.user(e.Reviewer), nil
	case "labeled", "unlabeled":
		m["label"] = map[string]any{"name": e.Label, "color": "ededed"}
	case "review_dismissed":
		m["dismissed_review"] = map[string]any{
			"state": strings.ToLower(e.Was), "review_id": e.review.DatabaseID, "dismissal_message": e.Note,
		}
	}
	return m
}

func (w *World) issueJSON(i *Issue) map[string]any {
	return map[string]any{
		"id": i.DatabaseID, "node_id": i.ID, "number": i.Number, "title": i.Title, "body": i.Body, "state": strings.ToLower(i.State),
		"user": w.user(i.Author), "labels": labelsJSON(i.Labels), "comments": len(i.Comments), "locked": false,
		"created_at": stamp(i.CreatedAt), "updated_at": stamp(i.UpdatedAt), "closed_at": stamp(i.ClosedAt),
		"author_association": w.association(i.Author), "html_url": w.url("/issues/%d", i.Number), "url": w.api("/issues/%d", i.Number),
	}
}

// pullAsIssue is a pull request as the issues endpoints show it.
func (w *World) pullAsIssue(p *Pull) map[string]any {
	m := w.pullJSON(p)
	for _, k := range []string{
		"head", "base", "merged", "merged_by", "merge_commit_sha", "mergeable", "mergeable_state", "requested_reviewers",
		"requested_teams", "auto_merge", "commits",
	} {
		delete(m, k)
	}
	m["pull_request"] = map[string]any{"url": w.api("/pulls/%d", p.Number), "html_url": w.url("/pull/%d", p.Number), "merged_at": stamp(p.MergedAt)}
	return m
}

func (c *call) issuesGone() bool {
	if c.w.opt.IssuesOff {
		c.fail(http.StatusGone, "Issues are disabled for this repo")
	}
	return c.w.opt.IssuesOff
}

func (c *call) listIssues(params) {
	if c.issuesGone() {
		return
	}
	q := c.r.URL.Query()
	out := []any{}
	var numbers []int
	for n := range c.w.issues {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range slices.Backward(numbers) {
		i := c.w.issues[n]
		state := cmp.Or(q.Get("state"), "open")
		if state != "all" && !strings.EqualFold(state, i.State) || !c.createdBy(args{"createdBy": q.Get("creator")}, i.Author) {
			continue
		}
		missing := slices.ContainsFunc(strings.FieldsFunc(q.Get("labels"), func(r rune) bool { return r == ',' }), func(l string) bool {
			return !slices.Contains(i.Labels, l)
		})
		if !missing {
			out = append(out, c.w.issueJSON(i))
		}
	}
	c.list(out)
}

func (c *call) postIssue(params) {
	if c.issuesGone() {
		return
	}
	var in struct {
		Title  string   `json:"title"`
		Body   string   `json:"body"`
		Labels []string `json:"labels"`
	}
	if !c.decode(&in) {
		return
	}
	switch {
	case in.Title == "":
		c.fail(http.StatusUnprocessableEntity, "Validation Failed",
			map[string]any{"resource": "Issue", "field": "title", "code": "missing_field"})
	case len(in.Body) > maxBody:
		c.invalid("Issue", "body", "body is too long (maximum is 65536 characters)")
	default:
		c.json(http.StatusCreated, c.w.issueJSON(c.w.openIssue(c.who.Login, in.Title, in.Body, in.Labels)))
	}
}

func (c *call) getIssue(p params) {
	n := p.number()
	switch {
	case c.w.pulls[n] != nil:
		c.json(http.StatusOK, c.w.pullAsIssue(c.w.pulls[n]))
	case c.w.issues[n] != nil:
		if !c.issuesGone() {
			c.json(http.StatusOK, c.w.issueJSON(c.w.issues[n]))
		}
	default:
		c.notFound()
	}
}

func (c *call) patchIssue(p params) {
	if c.issuesGone() {
		return
	}
	i := c.w.issues[p.number()]
	if i == nil {
		c.notFound()
		return
	}
	var in struct {
		Title *string `json:"title"`
		Body  *string `json:"body"`
		State *string `json:"state"`
	}
	if !c.decode(&in) {
		return
	}
	if !c.editable(i.Author) {
		c.deny()
		return
	}
	if in.Title != nil {
		i.Title = *in.Title
	}
	if in.Body != nil {
		if len(*in.Body) > maxBody {
			c.invalid("Issue", "body", "body is too long (maximum is 65536 characters)")
			return
		}
		c.w.editIssue(i, c.who.Login, *in.Body)
	}
	if in.State != nil && !strings.EqualFold(*in.State, i.State) {
		i.State, i.UpdatedAt, i.ClosedAt = strings.ToUpper(*in.State), c.w.now, time.Time{}
		what := "reopened"
		if i.State == "CLOSED" {
			what, i.ClosedAt = "closed", c.w.now
		}
		c.w.changed(c.who.Login, what, i.Number, "", "")
	}
	c.json(http.StatusOK, c.w.issueJSON(i))
}

func (c *call) postLabels(p params) {
	// Both forms are taken: the list alone, and an object with it.
	var names []string
	if json.Unmarshal(c.body, &names) != nil {
		var in struct {
			Labels []string `json:"labels"`
		}
		if !c.decode(&in) {
			return
		}
		names = in.Labels
	}
	n := p.number()
	if _, ok := c.w.conversation(n); !ok {
		c.notFound()
		return
	}
	for _, l := range names {
		c.w.label(n, c.who.Login, l)
	}
	c.json(http.StatusOK, labelsJSON(c.w.labelsOf(n)))
}

func (w *World) labelsOf(n int) []string {
	if p := w.pulls[n]; p != nil {
		return p.Labels
	}
	return w.issues[n].Labels
}

func (c *call) dropLabel(p params) {
	pull := c.w.pulls[p.number()]
	if pull == nil || !slices.Contains(pull.Labels, p["label"]) {
		c.notFound()
		return
	}
	c.w.unlabel(pull, c.who.Login, p["label"])
	c.json(http.StatusOK, labelsJSON(pull.Labels))
}

func (c *call) getPermission(p params) {
	a := c.w.accounts[key(p["login"])]
	if a == nil {
		c.fail(http.StatusNotFound, p["login"]+" is not a user")
		return
	}
	// REST folds maintain into write and triage into read.
	folded := map[string]string{"maintain": "write", "triage": "read"}
	c.json(http.StatusOK, map[string]any{
		"permission": cmp.Or(folded[a.Permission], a.Permission), "role_name": a.Permission, "user": c.w.user(a.Login),
	})
}

func (c *call) getRun(p params) {
	id, _ := strconv.ParseInt(p["id"], 10, 64)
	r := c.w.runs[id]
	if r == nil {
		c.notFound()
		return
	}
	attempt, status, conclusion := r.Attempt, r.Status, r.Conclusion
	if text, ok := p["attempt"]; ok {
		attempt = atoi(text, 0)
		switch old, known := r.Attempts[attempt]; {
		case attempt == r.Attempt:
		case known:
			status, conclusion = old, ""
		default:
			c.notFound()
			return
		}
	}
	c.json(http.StatusOK, map[string]any{
		"id": r.DatabaseID, "node_id": r.ID, "name": r.Name, "path": r.Path, "event": r.Event, "run_number": r.Number,
		"run_attempt": attempt, "status": status, "conclusion": orNil(conclusion), "head_sha": r.HeadSHA,
		"head_branch": orNil(r.HeadBranch), "workflow_id": r.workflowID, "created_at": stamp(r.CreatedAt),
		"updated_at": stamp(r.UpdatedAt), "html_url": c.w.url("/actions/runs/%d", r.DatabaseID),
	})
}

// postRerun runs one job again: a new attempt of its run, in which the other
// jobs stay as they are.
func (c *call) postRerun(p params) {
	id, _ := strconv.ParseInt(p["id"], 10, 64)
	r := c.w.checkRun(id)
	if r == nil || r.suite.Run == nil {
		c.notFound()
		return
	}
	run := r.suite.Run
	if run.Status != "completed" {
		c.fail(http.StatusForbidden, "The workflow run containing this job is already running")
		return
	}
	run.Attempts[run.Attempt] = run.Status
	run.Attempt++
	c.w.changed(c.who.Login, "job_rerun", 0, p["id"], "")
	c.w.check(nil, r.suite.commit.OID, Check{Name: r.Name, Workflow: run.Name, RunID: run.DatabaseID, Required: r.Required})
	c.json(http.StatusCreated, map[string]any{})
}

func (c *call) postDispatch(p params) {
	var in struct {
		Ref    string         `json:"ref"`
		Inputs map[string]any `json:"inputs"`
	}
	if !c.decode(&in) {
		return
	}
	if c.w.baseOID(in.Ref) == "" {
		c.fail(http.StatusUnprocessableEntity, "No ref found for: "+in.Ref)
		return
	}
	text, err := json.Marshal(in.Inputs)
	if err != nil {
		c.fail(http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	c.w.changed(c.who.Login, "workflow_dispatched", 0, p["id"]+" on "+in.Ref, string(text))
	c.out.status = http.StatusNoContent
}

// commitPulls: the open pull requests that have the commit, or the merged one
// that brought it to the default branch.
func (c *call) commitPulls(p params) {
	if c.w.commits[p["sha"]] == nil {
		c.fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+p["sha"])
		return
	}
	out := []any{}
	for _, n := range c.w.numbers {
		pull := c.w.pulls[n]
		if slices.Contains(pull.Commits, p["sha"]) || pull.MergeCommit == p["sha"] {
			out = append(out, c.w.pullJSON(pull))
		}
	}
	c.list(out)
}

func (c *call) getRules(p params) {
	r := c.w.rules[p["branch"]]
	out := []any{}
	for _, kind := range c.w.ruleKinds(p["branch"]) {
		var parameters map[string]any
		switch kind {
		case "REQUIRED_STATUS_CHECKS":
			checks := []any{}
			for _, name := range r.Checks {
				checks = append(checks, map[string]any{"context": name})
			}
			parameters = map[string]any{"strict_required_status_checks_policy": r.Strict, "required_status_checks": checks}
		case "WORKFLOWS":
			files := []any{}
			for _, path := range r.Workflows {
				files = append(files, map[string]any{"path": path, "repository_id": 800000001})
			}
			parameters = map[string]any{"workflows": files}
		case "PULL_REQUEST":
			parameters = map[string]any{
				"required_approving_review_count": r.Approvals, "required_review_thread_resolution": true,
				"dismiss_stale_reviews_on_push": false, "require_code_owner_review": false, "require_last_push_approval": false,
			}
		case "MERGE_QUEUE":
			parameters = map[string]any{"merge_method": "MERGE"}
		case "COPILOT_CODE_REVIEW":
			parameters = map[string]any{"review_on_push": r.Copilot.OnPush, "review_draft_pull_requests": r.Copilot.Drafts}
		}
		out = append(out, map[string]any{
			"type": strings.ToLower(kind), "parameters": parameters, "ruleset_id": 1, "ruleset_source": c.w.name(),
			"ruleset_source_type": "Repository",
		})
	}
	c.list(out)
}

func (c *call) getContents(p params) {
	text, ok := c.w.files[p["path"]]
	if !ok {
		c.notFound()
		return
	}
	c.json(http.StatusOK, map[string]any{
		"type": "file", "encoding": "base64", "size": len(text), "name": p["path"], "path": p["path"], "sha": blobOID(text),
		"content": []byte(text),
	})
}
