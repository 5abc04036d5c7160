package githubtest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// mutation makes a resolver out of a function of the input. Whatever it
// returns besides an error is the payload.
func mutation(f func(c *call, in args) (payload, error)) resolver {
	return on(func(c *call, _ rootOf, a args) any {
		in := a.sub("input")
		c.line.Expected = in.str("expectedHeadOid")
		out, err := f(c, in)
		if err != nil {
			return err
		}
		if id := in["clientMutationId"]; id != nil {
			out["clientMutationId"] = id
		}
		return out
	})
}

func mutations() map[string]resolver {
	return map[string]resolver{
		"requestReviews":                  mutation((*call).requestReviews),
		"requestReviewsByLogin":           mutation((*call).requestReviewsByLogin),
		"markPullRequestReadyForReview":   mutation(func(c *call, in args) (payload, error) { return c.draft(in, false) }),
		"convertPullRequestToDraft":       mutation(func(c *call, in args) (payload, error) { return c.draft(in, true) }),
		"minimizeComment":                 mutation((*call).minimize),
		"unminimizeComment":               mutation((*call).unminimize),
		"resolveReviewThread":             mutation(func(c *call, in args) (payload, error) { return c.resolveThread(in, true) }),
		"unresolveReviewThread":           mutation(func(c *call, in args) (payload, error) { return c.resolveThread(in, false) }),
		"addPullRequestReviewThreadReply": mutation((*call).replyInThread),
		"addPullRequestReview":            mutation((*call).addReview),
		"deletePullRequestReview":         mutation((*call).deleteReview),
		"addComment":                      mutation((*call).addComment),
		"updateIssueComment":              mutation((*call).updateComment),
		"deleteIssueComment":              mutation((*call).removeComment),
		"mergePullRequest":                mutation((*call).mergePull),
		"enablePullRequestAutoMerge":      mutation((*call).arm),
		"disablePullRequestAutoMerge":     mutation((*call).disarm),
		"revertPullRequest":               mutation((*call).revertPull),
		"enqueuePullRequest":              mutation((*call).enqueue),
		"dequeuePullRequest":              mutation((*call).dequeue),
		"updatePullRequestBranch":         mutation((*call).updateBranch),
		"deleteRef":                       mutation((*call).deleteRef),
		"closePullRequest":                mutation(func(c *call, in args) (payload, error) { return c.shut(in, true) }),
		"reopenPullRequest":               mutation(func(c *call, in args) (payload, error) { return c.shut(in, false) }),
	}
}

// find returns the node of an input's id, as the type that is needed.
func find[T any](c *call, in args, name string) (T, error) {
	var zero T
	v := c.byID(in.str(name))
	if err, ok := v.(error); ok {
		return zero, err
	}
	t, ok := v.(T)
	if !ok {
		return zero, gqlFail("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", in.str(name))
	}
	return t, nil
}

// allow is find on a pull request together with a right.
func (c *call) allow(in args, n need) (*Pull, error) {
	p, err := find[*Pull](c, in, "pullRequestId")
	if err != nil {
		return nil, err
	}
	if !c.may(n) {
		return nil, c.forbidden()
	}
	return p, nil
}

func (c *call) draft(in args, draft bool) (payload, error) {
	p, err := c.allow(in, changeDraft)
	if err != nil {
		return nil, err
	}
	switch {
	case p.State != "OPEN":
		return nil, gqlFail("UNPROCESSABLE", "Pull request is closed.")
	case p.Draft == draft && draft:
		return nil, gqlFail("UNPROCESSABLE", "Pull request is already in draft state.")
	case p.Draft == draft:
		return nil, gqlFail("UNPROCESSABLE", "Pull request is not in draft state.")
	}
	c.w.setDraft(p, c.who.Login, draft)
	return payload{"pullRequest": p}, nil
}

func (c *call) minimize(in args) (payload, error) {
	return c.hide(in, strings.ToLower(in.str("classifier")), "minimizedComment")
}

func (c *call) unminimize(in args) (payload, error) {
	return c.hide(in, "", "unminimizedComment")
}

func (c *call) hide(in args, reason, field string) (payload, error) {
	reason = strings.ReplaceAll(reason, "_", "-")
	v := c.byID(in.str("subjectId"))
	if err, ok := v.(error); ok {
		return nil, err
	}
	if !c.may(hideComment) {
		return nil, c.forbidden()
	}
	var place *string
	number, id := 0, ""
	switch v := v.(type) {
	case *Comment:
		place, number, id = &v.Hidden, v.number, big(v.DatabaseID).(string)
	case *Review:
		place, number, id = &v.Hidden, v.pull.Number, v.ID
	case *ThreadComment:
		place, number, id = &v.Hidden, v.thread.pull.Number, v.ID
	default:
		return nil, gqlFail("NOT_FOUND", "Could not resolve to Minimizable node with the global id of '%s'.", in.str("subjectId"))
	}
	if *place != reason {
		*place = reason
		what := "comment_hidden"
		if reason == "" {
			what = "comment_shown"
		}
		c.w.changed(c.who.Login, what, number, id, "")
	}
	return payload{field: v}, nil
}

func (c *call) resolveThread(in args, resolved bool) (payload, error) {
	t, err := find[*Thread](c, in, "threadId")
	if err != nil {
		return nil, err
	}
	if !c.mayResolve(t) {
		return nil, c.forbidden()
	}
	c.w.resolve(t, c.who.Login, resolved)
	return payload{"thread": t}, nil
}

func (c *call) replyInThread(in args) (payload, error) {
	t, err := find[*Thread](c, in, "pullRequestReviewThreadId")
	if err != nil {
		return nil, err
	}
	if !c.may(replyInReview) {
		return nil, c.forbidden()
	}
	if c.locked(t.pull) {
		return nil, gqlFail("UNPROCESSABLE", "Unable to create comment because issue is locked.")
	}
	if err := bodyProblem(in.str("body")); err != nil {
		return nil, err
	}
	return payload{"comment": c.w.reply(t, c.who.Login, in.str("body"))}, nil
}

// addReview begins a review, and submits it where an event says so. GitHub makes
// it whole or not at all: a thread on a line that is not in the diff refuses it.
func (c *call) addReview(in args) (payload, error) {
	p, err := c.allow(in, replyInReview)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	list, _ := in["threads"].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		t := args(m)
		line, _ := t.num("line")
		if err := bodyProblem(t.str("body")); err != nil {
			return nil, err
		}
		if !c.w.inDiff(p, t.str("path"), line) {
			return nil, gqlFail("UNPROCESSABLE", "Line could not be resolved")
		}
		findings = append(findings, Finding{Path: t.str("path"), Line: line, Text: t.str("body")})
	}
	commit := cmp.Or(in.str("commitOID"), p.Head)
	switch {
	case len(in.str("body")) > maxBody:
		return nil, gqlFail("UNPROCESSABLE", "Body is too long (maximum is 65536 characters)")
	case p.draftOf(c.who.Login) != nil:
		return nil, gqlFail("UNPROCESSABLE", "User can only have one pending review per pull request")
	case !slices.Contains(p.Commits, commit):
		return nil, gqlFail("UNPROCESSABLE", "The commit is not part of the pull request")
	case in.str("event") == "" && in.str("body") == "" && len(findings) == 0:
		return nil, gqlFail("UNPROCESSABLE", "Review body can't be blank")
	}
	r := c.w.newReview(p, c.who.Login, commit)
	r.Body = in.str("body")
	for _, f := range findings {
		c.w.open(r, f)
	}
	c.w.changed(c.who.Login, "review_begun", p.Number, fmt.Sprintf("%s with %d comments", short(r.Commit), len(findings)), r.Body)
	if event := in.str("event"); event != "" {
		state := map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}[event]
		p.Requests = slices.DeleteFunc(p.Requests, func(l string) bool { return key(l) == key(r.Author) })
		c.w.submit(r, state, r.Body, nil)
	}
	return payload{"pullRequestReview": r}, nil
}

// deleteReview deletes a pending review with all that is in it.
func (c *call) deleteReview(in args) (payload, error) {
	r, err := find[*Review](c, in, "pullRequestReviewId")
	if err != nil {
		return nil, err
	}
	switch {
	case !c.isMe(r.Author) || !c.may(replyInReview):
		return nil, c.forbidden()
	case r.State != "PENDING":
		return nil, gqlFail("UNPROCESSABLE", "Can not delete a non-pending pull request review")
	}
	c.w.drop(r)
	return payload{"pullRequestReview": r}, nil
}

// inDiff reports whether a line of the head's side is in the diff of p. Where
// nothing tells what p changes, any line is.
func (w *World) inDiff(p *Pull, path string, line int) bool {
	files := w.changedBetween(p.Commits)
	if len(files) == 0 {
		return true
	}
	for _, f := range files {
		if f.Path != path {
			continue
		}
		for _, h := range hunkHeader.FindAllStringSubmatch(f.Patch, -1) {
			from, size := atoi(h[1], 0), atoi(h[2], 1)
			if line >= from && line < from+size {
				return true
			}
		}
	}
	return false
}

// hunkHeader finds where hunks are in the new file.
var hunkHeader = regexp.MustCompile(`(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// maxBody is the documented limit of a comment's body.
const maxBody = 65536

func bodyProblem(body string) error {
	switch {
	case strings.TrimSpace(body) == "":
		return gqlFail("UNPROCESSABLE", "Body can't be blank")
	case len(body) > maxBody:
		return gqlFail("UNPROCESSABLE", "Body is too long (maximum is 65536 characters)")
	}
	return nil
}

func (c *call) addComment(in args) (payload, error) {
	v := c.byID(in.str("subjectId"))
	if err, ok := v.(error); ok {
		return nil, err
	}
	number := 0
	var locked bool
	switch v := v.(type) {
	case *Pull:
		number, locked = v.Number, c.locked(v)
	case *Issue:
		number = v.Number
	default:
		return nil, gqlFail("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", in.str("subjectId"))
	}
	if !c.may(writeComment) {
		return nil, c.forbidden()
	}
	if locked {
		return nil, gqlFail("UNPROCESSABLE", "Unable to create comment because issue is locked.")
	}
	if err := bodyProblem(in.str("body")); err != nil {
		return nil, err
	}
	made := c.w.comment(number, c.who.Login, in.str("body"))
	return payload{"commentEdge": &edge{cursor(made, 0), made}, "subject": v}, nil
}

func (c *call) updateComment(in args) (payload, error) {
	v, err := find[*Comment](c, in, "id")
	switch {
	case err != nil:
		return nil, err
	case !c.editable(v.Author):
		return nil, c.forbidden()
	case c.locked(c.w.pulls[v.number]):
		return nil, gqlFail("UNPROCESSABLE", "Unable to update comment because issue is locked.")
	}
	if err := bodyProblem(in.str("body")); err != nil {
		return nil, err
	}
	c.w.editComment(v, c.who.Login, in.str("body"))
	return payload{"issueComment": v}, nil
}

func (c *call) removeComment(in args) (payload, error) {
	v, err := find[*Comment](c, in, "id")
	switch {
	case err != nil:
		return nil, err
	case !c.editable(v.Author):
		return nil, c.forbidden()
	}
	c.w.deleteComment(v, c.who.Login)
	return payload{}, nil
}

// FailMerges makes the next merges and auto-merges be refused with these
// messages, one each, such as "Base branch was modified. Review and try the
// merge again.".
func (w *World) FailMerges(messages ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.merges = append(w.merges, messages...)
}

// RefuseMerges makes every merge, and all that arms or queues one, be refused with
// this message, until it is empty.
func (w *World) RefuseMerges(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuses = message
}

// refusal is the refusal that a script wants next; empty where it wants none.
func (w *World) refusal() (message string) {
	if len(w.merges) == 0 {
		return w.refuses
	}
	message, w.merges = w.merges[0], w.merges[1:]
	return message
}

// mergeProblem says why p cannot be merged now, with the status that REST
// gives it; empty: it can.
func (w *World) mergeProblem(p *Pull, expected string) (message string, status int) {
	if message = w.refusal(); message != "" {
		if strings.Contains(message, "was modified") {
			return message, 409
		}
		return message, 405
	}
	switch {
	case p.State != "OPEN":
		return "Pull Request is not mergeable", 405
	case expected != "" && expected != p.Head:
		return "Head branch was modified. Review and try the merge again.", 409
	case p.Draft:
		return "Pull Request is still a draft", 405
	case p.Conflict, w.mergeable(p) == "UNKNOWN":
		return "Pull Request is not mergeable", 405
	}
	if w.rules[p.Base].MergeQueue {
		return "Repository rule violations found\n\nChanges must be made through the merge queue", 405
	}
	if why := w.blocked(p); why != "" {
		return "Repository rule violations found\n\n" + why, 405
	}
	if p.Behind && w.rules[p.Base].Strict {
		return "Head branch is not up to date with the base branch", 405
	}
	return "", 0
}

func (c *call) mergePull(in args) (payload, error) {
	p, err := c.allow(in, mergePull)
	if err != nil {
		return nil, err
	}

	if why, _ := c.w.mergeProblem(p, in.str("expectedHeadOid")); why != "" {
		return nil, gqlFail("UNPROCESSABLE", "%s", why)
	}
	c.w.mergeAs(p, c.who.Login, in.str("mergeMethod"))
	return payload{"pullRequest": p, "actor": c.who}, nil
}

// cannotArm says why auto-merge is refused for p; empty: it is not.
func (w *World) cannotArm(p *Pull) string {
	switch {
	case w.opt.AutoMergeOff:
		return "Auto merge is not allowed for this repository"
	case p.State != "OPEN":
		return "Pull request is closed"
	case p.Draft:
		return "Pull request Pull request is in draft state"
	case w.rules[p.Base].MergeQueue:
		return ""
	}
	r := w.rules[p.Base]
	if len(r.Contexts)+len(r.Checks)+len(r.Workflows)+r.Approvals == 0 && !r.ThreadResolution {
		return "Pull request Protected branch rules not configured for this branch"
	}
	switch w.mergeState(p) {
	case "CLEAN":
		return "Pull request Pull request is in clean status"
	case "UNSTABLE":
		return "Pull request Pull request is in unstable status"
	case "DIRTY":
		return "Pull request is in dirty status"
	}
	return ""
}

func (c *call) arm(in args) (payload, error) {
	p, err := c.allow(in, mergePull)
	if err != nil {
		return nil, err
	}

	if err := c.w.refused(); err != nil {
		return nil, err
	}
	if e := in.str("expectedHeadOid"); e != "" && e != p.Head {
		return nil, gqlFail("UNPROCESSABLE", "Head branch was modified. Review and try the merge again.")
	}
	if why := c.w.cannotArm(p); why != "" {
		return nil, gqlFail("UNPROCESSABLE", "%s", why)
	}
	if c.w.rules[p.Base].MergeQueue {
		c.w.enqueue(p, c.who.Login)
		return payload{"pullRequest": p, "actor": c.who}, nil
	}
	p.AutoMerge = &AutoMerge{At: c.w.now, By: c.who.Login, Method: cmp.Or(in.str("mergeMethod"), "MERGE")}
	c.w.event(p, Event{Kind: "auto_merge_enabled", Actor: c.who.Login})
	c.w.changed(c.who.Login, "auto_merge_enabled", p.Number, short(p.Head), "")
	return payload{"pullRequest": p, "actor": c.who}, nil
}

func (c *call) disarm(in args) (payload, error) {
	p, err := c.allow(in, mergePull)
	if err != nil {
		return nil, err
	}
	if p.AutoMerge == nil {
		return nil, gqlFail("UNPROCESSABLE", "Can't disable auto-merge for this pull request.")
	}
	c.w.disarm(p, c.who.Login, "")
	return payload{"pullRequest": p, "actor": c.who}, nil
}

func (w *World) enqueue(p *Pull, by string) {
	p.Queued = true
	w.touch(p)
	w.changed(by, "enqueued", p.Number, short(p.Head), "")
}

// refused is refusal as a GraphQL error.
func (w *World) refused() error {
	if why := w.refusal(); why != "" {
		return gqlFail("UNPROCESSABLE", "%s", why)
	}
	return nil
}

func (c *call) enqueue(in args) (payload, error) {
	p, err := c.allow(in, mergePull)
	if err != nil {
		return nil, err
	}

	if err := c.w.refused(); err != nil {
		return nil, err
	}
	switch e := in.str("expectedHeadOid"); {
	case !c.w.rules[p.Base].MergeQueue:
		return nil, gqlFail("UNPROCESSABLE", "The base branch has no merge queue")
	case p.State != "OPEN" || p.Draft:
		return nil, gqlFail("UNPROCESSABLE", "Pull Request is not mergeable")
	case e != "" && e != p.Head:
		return nil, gqlFail("UNPROCESSABLE", "Head branch was modified. Review and try the merge again.")
	case p.Queued:
		return nil, gqlFail("UNPROCESSABLE", "Pull request is already in the queue")
	}
	if why := c.w.blocked(p); why != "" {
		return nil, gqlFail("UNPROCESSABLE", "Repository rule violations found\n\n%s", why)
	}
	c.w.enqueue(p, c.who.Login)
	return payload{"mergeQueueEntry": &queued{p}}, nil
}

func (c *call) dequeue(in args) (payload, error) {
	p, err := find[*Pull](c, in, "id")
	if err != nil {
		return nil, err
	}
	switch {
	case !c.may(mergePull):
		return nil, c.forbidden()
	case !p.Queued:
		return nil, gqlFail("UNPROCESSABLE", "Pull request is not in the queue")
	}
	p.Queued = false
	c.w.touch(p)
	c.w.changed(c.who.Login, "dequeued", p.Number, short(p.Head), "")
	return payload{"mergeQueueEntry": nil}, nil
}

// deleteRef deletes the head branch of a pull request. What is open from it, or
// based on it, GitHub closes.
func (c *call) deleteRef(in args) (payload, error) {
	name, ok := strings.CutPrefix(in.str("refId"), "REF_")
	switch {
	case !ok || c.w.baseOID(name) == "":
		return nil, gqlFail("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", in.str("refId"))
	case !c.may(writeContents):
		return nil, c.forbidden()
	case name == c.w.opt.DefaultBranch, c.w.protected(name):
		return nil, gqlFail("UNPROCESSABLE", "Cannot delete this branch")
	}
	delete(c.w.branches, name)
	for _, n := range c.w.numbers {
		p := c.w.pulls[n]
		ours := p.HeadRef == name && p.HeadRepo == c.w.name()
		if ours && !p.HeadDeleted {
			p.HeadDeleted = true
			c.w.touch(p)
			c.w.changed(c.who.Login, "branch_deleted", n, short(p.Head), "")
		}
		if ours || p.Base == name {
			c.w.close(p, c.who.Login)
		}
	}
	return payload{}, nil
}

// protected reports whether rules hold for the branch.
func (w *World) protected(branch string) bool {
	_, ok := w.rules[branch]
	return ok
}

func (c *call) updateBranch(in args) (payload, error) {
	p, err := c.allow(in, mergePull)
	if err != nil {
		return nil, err
	}
	switch e := in.str("expectedHeadOid"); {
	case e != "" && e != p.Head:
		return nil, gqlFail("UNPROCESSABLE", "expected head sha didn’t match current head ref.")
	case !p.Behind:
		return nil, gqlFail("UNPROCESSABLE", "There are no new commits on the base branch.")
	}
	p.Behind = false
	c.w.push(p, Push{By: c.who.Login})
	return payload{"pullRequest": p}, nil
}

func (c *call) shut(in args, shut bool) (payload, error) {
	p, err := c.allow(in, closePull)
	if err != nil {
		return nil, err
	}
	if shut {
		c.w.close(p, c.who.Login)
	} else {
		c.w.reopen(p, c.who.Login)
	}
	return payload{"pullRequest": p}, nil
}

// A Rung is a way to ask Copilot for a review.
type Rung string

// The rungs, in the order of GitHub's documentation.
const (
	Endpoint Rung = "endpoint" // POST …/copilot-code-review
	REST     Rung = "rest"     // POST …/requested_reviewers with the [bot] login
	ByLogin  Rung = "by-login" // GraphQL requestReviewsByLogin
	ByBotID  Rung = "bot-id"   // GraphQL requestReviews with botIds
)

// Does is what a rung does. The zero value works.
type Does struct {
	Drop bool // success, and nothing is registered
	// Lag: success, and the request is registered that much later.
	Lag    time.Duration
	Status int    // a REST status, or for GraphQL: an error; 0: success
	Reason string // failure_reason of the endpoint, or the message
}

type rungKey struct {
	rung        Rung
	integration bool
}

// SetRung says what the next requests by a rung do, for people's tokens; the
// last one repeats. None: it works.
func (w *World) SetRung(r Rung, does ...Does) { w.setRung(rungKey{r, false}, does) }

// SetWorkflowRung is [World.SetRung] for apps' tokens, the workflow token
// among them. By default each rung accepts their request and drops it.
func (w *World) SetWorkflowRung(r Rung, does ...Does) { w.setRung(rungKey{r, true}, does) }

func (w *World) setRung(k rungKey, does []Does) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rungs[k] = slices.Clone(does)
}

// rung takes the next behaviour of a rung for the token.
func (c *call) rung(r Rung) Does {
	k := rungKey{r, c.token.integration()}
	list, ok := c.w.rungs[k]
	switch {
	case !ok || len(list) == 0:
		return Does{Drop: k.integration}
	case len(list) > 1:
		c.w.rungs[k] = list[1:]
	}
	return list[0]
}

// askCopilot registers a request, now or after a lag.
func (c *call) askCopilot(p *Pull, lag time.Duration) {
	by := c.who.Login
	if lag == 0 {
		c.w.ask(p, by, CopilotReviewer)
		return
	}
	c.w.later(lag, "the request by "+by+" shows", func() { c.w.ask(p, by, CopilotReviewer) })
}

// pendingCopilot reports whether a Copilot review is asked for or under way.
func (w *World) pendingCopilot(p *Pull) bool {
	return w.requested(p, CopilotReviewer) || slices.ContainsFunc(p.Reviews, func(r *Review) bool {
		return key(r.Author) == key(CopilotReviewer) && r.State == "PENDING"
	})
}

// copilotHasReviewed reports whether Copilot ever reviewed p.
func (w *World) copilotHasReviewed(p *Pull) bool {
	return slices.ContainsFunc(p.Reviews, func(r *Review) bool {
		return key(r.Author) == key(CopilotReviewer) && r.State != "PENDING"
	})
}

func (c *call) requestReviews(in args) (payload, error) {
	p, err := c.requestable(in)
	if err != nil {
		return nil, err
	}
	userIDs, _ := in.list("userIds")
	botIDs, _ := in.list("botIds")
	var people, bots []string
	for _, id := range append(slices.Clone(userIDs), botIDs...) {
		a, ok := c.w.nodes[id].(*Account)
		switch {
		case !ok:
			return nil, gqlFail("NOT_FOUND", "Could not resolve to User node with the global id of '%s'.", id)
		case a.Bot():
			bots = append(bots, a.Login)
		default:
			people = append(people, a.Login)
		}
	}
	return c.requestAll(p, ByBotID, people, bots, in.flag("union"))
}

func (c *call) requestReviewsByLogin(in args) (payload, error) {
	p, err := c.requestable(in)
	if err != nil {
		return nil, err
	}
	people, _ := in.list("userLogins")
	bots, _ := in.list("botLogins")
	for _, l := range bots {
		if key(l) != key(CopilotReviewer) && key(l) != key(CopilotAgent) {
			return nil, gqlFail("NOT_FOUND", "Could not resolve user with login '%s'.", l)
		}
	}
	for _, l := range people {
		if a := c.w.accounts[key(l)]; a == nil || a.Bot() {
			return nil, gqlFail("NOT_FOUND", "Could not resolve user with login '%s'.", l)
		}
	}
	return c.requestAll(p, ByLogin, people, bots, in.flag("union"))
}

func (c *call) requestable(in args) (*Pull, error) {
	p, err := c.allow(in, requestReview)
	if err == nil && p.State != "OPEN" {
		err = gqlFail("UNPROCESSABLE", "Pull request is closed.")
	}
	return p, err
}

// requestAll asks people and bots; without union it replaces who is asked.
func (c *call) requestAll(p *Pull, by Rung, people, bots []string, union bool) (payload, error) {
	if slices.ContainsFunc(people, func(l string) bool { return key(l) == key(p.Author) }) {
		return nil, gqlFail("UNPROCESSABLE", "Review cannot be requested from pull request author.")
	}
	var copilot bool
	for _, l := range bots {
		copilot = copilot || key(l) == key(CopilotReviewer)
	}
	var does Does
	if copilot {
		does = c.rung(by)
		if !does.Drop && does.Status == 0 && !c.token.integration() && !c.who.Seat {
			return nil, gqlFail("NOT_FOUND", "Could not resolve user with login '%s'.", CopilotReviewer)
		}
		if does.Status != 0 || does.Reason != "" {
			kind := map[int]string{403: "FORBIDDEN", 404: "NOT_FOUND"}[does.Status]
			return nil, gqlFail(cmp.Or(kind, "UNPROCESSABLE"), "%s", cmp.Or(does.Reason, "Something went wrong."))
		}
		// By id the first request works, and none after a review.
		if by == ByBotID && c.w.copilotHasReviewed(p) {
			does.Drop = true
		}
	}
	if !union {
		for _, l := range slices.Clone(p.Requests) {
			if !slices.ContainsFunc(append(slices.Clone(people), bots...), func(k string) bool { return key(k) == key(l) }) {
				c.w.withdraw(p, c.who.Login, l)
			}
		}
	}
	for _, l := range people {
		c.w.ask(p, c.who.Login, l)
	}
	if copilot && !does.Drop {
		c.askCopilot(p, does.Lag)
	}
	return payload{"pullRequest": p, "actor": c.who}, nil
}
