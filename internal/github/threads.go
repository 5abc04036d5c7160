package github

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// threadAndPull is one page of what is looked at around a reply or a
// resolution: the thread, by its node id, and the pull request that the run is
// about. Nothing but the run says that the two belong together.
type threadAndPull struct {
	Repository *struct {
		PullRequest *struct {
			ID         string
			State      pr.State
			Locked     bool
			HeadRefOid pr.SHA
			// Nobody sees another account's draft review.
			Drafts *struct{ TotalCount int } `graphql:"drafts: reviews(first: 1, states: [PENDING])"`
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
	Node *struct {
		Thread struct {
			ID          string
			IsResolved  bool
			PullRequest *struct{ ID string }
			Comments    *connection[said] `graphql:"comments(first: $size, after: $after)"`
		} `graphql:"... on PullRequestReviewThread"`
	} `graphql:"node(id: $thread)"`
}

// said is one comment of a thread.
type said struct {
	Author          *actor
	ViewerDidAuthor bool
	Body            string
	State           string
}

// pendingComment is the state of a comment that waits in a draft review
// (https://docs.github.com/en/graphql/reference/enums#pullrequestreviewcommentstate).
const pendingComment = "PENDING"

// A dialogue is a thread as the look before a write saw it.
type dialogue struct {
	head     pr.SHA
	state    pr.State
	locked   bool
	draft    bool // the token's account has begun a review and not submitted it
	foreign  bool // the thread is not of this pull request
	resolved bool
	comments []said // all, oldest first
}

// dialogue reads a thread with all its comments; nil once it is gone.
func (x *Executor) dialogue(ctx context.Context, id string) (*dialogue, error) {
	var d dialogue
	var size sizer
	for l := (reel{on: true}); l.on; {
		q, spoilt, err := askSized[threadAndPull](ctx, x.c, &size, func(n int) map[string]any {
			vars := x.c.target(x.t.Number)
			vars["thread"] = githubv4.ID(id)
			vars["size"], vars["after"] = githubv4.Int(n), l.cursor() //nolint:gosec // At most 100.
			return vars
		})
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(spoilt, func(e GraphQLError) bool { return e.Type == "NOT_FOUND" && e.At() == "node" }) {
			return nil, nil //nolint:nilnil // It is gone, which is no error.
		}
		if err := whole(spoilt); err != nil {
			return nil, err
		}
		if q.Repository == nil || q.Repository.PullRequest == nil || q.Repository.PullRequest.Drafts == nil {
			return nil, errLeftOut
		}
		if q.Node == nil || q.Node.Thread.ID == "" {
			return nil, nil //nolint:nilnil // It is gone, or never was a thread.
		}
		p, t := q.Repository.PullRequest, &q.Node.Thread
		if t.PullRequest == nil {
			return nil, errLeftOut
		}
		d.head, d.state, d.locked, d.draft = p.HeadRefOid, p.State, p.Locked, p.Drafts.TotalCount > 0
		d.foreign, d.resolved = t.PullRequest.ID != p.ID, t.IsResolved
		if why := gather(&l, t.Comments, func(c *said) { d.comments = append(d.comments, *c) }); why != "" {
			return nil, incomplete(why)
		}
	}
	return &d, nil
}

// ours reports whether prloop wrote the comment. The account alone does not
// prove it: a person may use the same one.
func (c *said) ours() bool { return c.ViewerDidAuthor && effect.IsReply(c.Body) }

// aPersons reports whether the thread is a person's: a person opened it, or
// spoke last in it. Our own replies are looked past, because one that was
// written a moment ago must not cover what a person said just before it (case
// C038). Whoever is not known to be a bot is a person, a ghost too; and where
// nobody is known to have spoken, it may have been one.
func (d *dialogue) aPersons() bool {
	person := func(c *said) bool { return !c.Author.actor().Bot }
	if len(d.comments) == 0 || person(&d.comments[0]) {
		return true
	}
	for i := range slices.Backward(d.comments) {
		if c := &d.comments[i]; !c.ours() {
			return person(c)
		}
	}
	return true // all of it is ours; then nobody found anything
}

// elsewhere ends every wish about a thread that is not there, or not here.
func (d *dialogue) elsewhere() (effect.Result, bool) {
	switch {
	case d == nil:
		return stale("the thread is gone"), true
	case d.foreign:
		return failed("the thread is not of this pull request"), true
	}
	return effect.Result{}, false
}

// answered reports whether the look alone ends the reply, and how.
func (d *dialogue) answered(e effect.Reply) (effect.Result, bool) {
	if r, over := d.elsewhere(); over {
		return r, true
	}
	for i := range d.comments {
		if c := &d.comments[i]; c.ViewerDidAuthor && c.State != pendingComment && hasLine(c.Body, e.Marker()) {
			return effect.Result{Outcome: effect.AlreadySo}, true
		}
	}
	if r, moved := pinned(e.Head, d.head, d.state); moved {
		return r, true
	}
	if d.draft {
		return failed(draftInTheWay), true
	}
	return effect.Result{}, false
}

// draftInTheWay is told where the account of the token has begun a review:
// GitHub puts the reply into it, where nobody sees it, or refuses (case C044).
// Whose draft that is nobody knows, so it is left as it is.
const draftInTheWay = "the account of github-token has a draft review on this pull request, and GitHub allows one at a time"

// marks are what can stand for a finding in a hidden marker: nothing that ends
// an HTML comment, a line or a key.
var marks = regexp.MustCompile(`^[0-9A-Za-z._:-]{1,100}$`)

// reply answers in a thread, with the workflow's token whoever's tokens there
// are: the marker counts only in a comment of that account.
func (x *Executor) reply(ctx context.Context, e effect.Reply) (effect.Result, error) {
	if !marks.MatchString(e.Finding) {
		return failed("the mark of the finding cannot stand in a hidden marker"), nil
	}
	e.Body = tame(e.Body)
	body := e.Body
	if !effect.IsReply(body) {
		body += "\n\n" + e.Marker()
	}
	switch {
	case len(body) > maxComment:
		return failed(fmt.Sprintf("the reply has %d bytes, and GitHub takes %d", len(body), maxComment)), nil
	case strings.TrimSpace(strings.Replace(body, e.Marker(), "", 1)) == "":
		return failed("the reply says nothing"), nil
	}
	d, err := x.dialogue(ctx, e.Thread)
	if err != nil {
		return effect.Result{}, err
	}
	if r, over := d.answered(e); over {
		return r, nil
	}
	var made *struct{ State string }
	write := func() error {
		var m struct {
			AddPullRequestReviewThreadReply struct {
				Comment *struct{ State string }
			} `graphql:"addPullRequestReviewThreadReply(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.AddPullRequestReviewThreadReplyInput{
			PullRequestReviewThreadID: e.Thread, Body: githubv4.String(body),
		}, Workflow)
		made = m.AddPullRequestReviewThreadReply.Comment
		return err
	}
	var late effect.Result // what the look after a lost answer saw
	there := func() (over bool, err error) {
		now, err := x.dialogue(ctx, e.Thread)
		if err == nil {
			late, over = now.answered(e)
		}
		return over, err
	}
	err = x.c.once(ctx, write, there)
	refused, isRefused := errors.AsType[*Refused](err)
	_, denied := errors.AsType[*Denied](err)
	switch {
	case isRefused && strings.Contains(strings.ToLower(refused.Message), "pending review"):
		return failed(draftInTheWay), nil
	case (isRefused || denied) && d.locked:
		return failed("the conversation is locked"), nil
	case IsGone(err):
		return stale("the thread is gone"), nil
	case err != nil:
		return effect.Result{}, err
	case late.Outcome == effect.AlreadySo:
		return effect.Result{Outcome: effect.Done}, nil
	case late.Outcome != "":
		return late, nil
	case made == nil:
		return failed("GitHub said yes and shows no reply"), nil
	case made.State == pendingComment:
		return failed(draftInTheWay), nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}

// settled reports whether the look alone ends the resolution, and how. It is
// the second guard of people's threads: the decision is the first.
func (d *dialogue) settled(e effect.Resolve) (effect.Result, bool) {
	if r, over := d.elsewhere(); over {
		return r, true
	}
	if d.resolved {
		return effect.Result{Outcome: effect.AlreadySo}, true
	}
	if r, moved := pinned(e.Head, d.head, d.state); moved {
		return r, true
	}
	if d.aPersons() {
		return failed("a person's thread"), true
	}
	return effect.Result{}, false
}

// resolve resolves a thread. It is the only function that can.
func (x *Executor) resolve(ctx context.Context, e effect.Resolve) (effect.Result, error) {
	d, err := x.dialogue(ctx, e.Thread)
	if err != nil {
		return effect.Result{}, err
	}
	if r, over := d.settled(e); over {
		return r, nil
	}
	right := rightResolve
	if x.c.who() == User {
		right = rightPerson
	}
	var resolved bool
	write := func() error {
		var m struct {
			ResolveReviewThread struct {
				Thread struct{ IsResolved bool }
			} `graphql:"resolveReviewThread(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.ResolveReviewThreadInput{ThreadID: e.Thread}, x.c.who())
		resolved = m.ResolveReviewThread.Thread.IsResolved
		return err
	}
	// After a lost answer: a thread that a person took up meanwhile is theirs.
	var late effect.Result
	so := func() (over bool, err error) {
		now, err := x.dialogue(ctx, e.Thread)
		if err == nil {
			late, over = now.settled(e)
		}
		return over, err
	}
	switch err := needs(right, x.c.once(ctx, write, so)); {
	case IsGone(err):
		return stale("the thread is gone"), nil
	case err != nil:
		return effect.Result{}, err
	case late.Outcome == effect.AlreadySo:
		return effect.Result{Outcome: effect.Done}, nil
	case late.Outcome != "":
		return late, nil
	case !resolved:
		return failed("GitHub said yes and left it open"), nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}
