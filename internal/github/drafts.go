package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// pendingReviews is what is looked at around a prepared review. It is read with
// the person's token: nobody sees another account's pending review.
type pendingReviews struct {
	Viewer     viewer
	Repository *struct {
		PullRequest *struct {
			ID         string
			State      pr.State
			HeadRefOid pr.SHA
			Drafts     *struct {
				Nodes []struct {
					ID              string
					Body            string
					ViewerDidAuthor bool
					Commit          *struct{ Oid pr.SHA }
					Comments        *struct {
						TotalCount int
						Nodes      []struct{ Body string }
					} `graphql:"comments(first: 100)"`
				}
			} `graphql:"drafts: reviews(first: 10, states: [PENDING])"`
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// A desk is an account's pending review of a pull request, of which GitHub
// allows one at a time, as the look before a write saw it.
type desk struct {
	login    pr.Login // of the person's token
	pull     string   // node id
	head     pr.SHA
	state    pr.State
	id       string // node id of the pending review; empty: there is none
	body     string
	of       pr.SHA // its commit
	comments int
	text     string // a digest of the body and the comments as they stand
}

// textOf is a digest of what a prepared review says, by which a later step sees
// whether its account wrote in it. How lines end, and blanks around a text, are
// GitHub's to keep.
func textOf(body string, comments []string) string {
	sum := sha256.New()
	for _, t := range append([]string{body}, comments...) {
		fmt.Fprintf(sum, "%q\n", strings.TrimSpace(strings.ReplaceAll(t, "\r\n", "\n")))
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// desk reads it; without a user-token nobody can.
func (x *Executor) desk(ctx context.Context) (*desk, error) {
	if !x.c.HasUser() {
		return nil, &Denied{Right: rightPerson}
	}
	q, err := see[pendingReviews](personally(ctx), x.c, new(sizer), func(int) map[string]any { return x.c.target(x.t.Number) })
	if err != nil {
		return nil, needs(rightPerson, err)
	}
	if q.Repository == nil || q.Repository.PullRequest == nil || q.Repository.PullRequest.Drafts == nil {
		return nil, errLeftOut
	}
	p := q.Repository.PullRequest
	d := &desk{login: pr.NewLogin(q.Viewer.Login), pull: p.ID, head: p.HeadRefOid, state: p.State}
	for _, r := range p.Drafts.Nodes {
		if !r.ViewerDidAuthor {
			continue
		}
		if r.Commit == nil || r.Comments == nil {
			return nil, errLeftOut
		}
		d.id, d.body, d.of, d.comments = r.ID, r.Body, r.Commit.Oid, r.Comments.TotalCount
		var said []string
		for _, c := range r.Comments.Nodes {
			said = append(said, c.Body)
		}
		d.text = textOf(r.Body, said)
	}
	return d, nil
}

// taken is told where the account has a pending review that prloop did not
// prepare: it is that person's, and left as it is.
const taken = "the account has a pending review of its own on this pull request, and GitHub allows one at a time"

// ready reports whether the look alone ends the wish, and how.
func (d *desk) ready(e effect.DraftReview) (effect.Result, bool) {
	if d.login != e.Login {
		return failed("user-token is not of the account whose review is prepared"), true
	}
	if d.id != "" && d.of == e.Head && ofPrloop(d.body, e) {
		whole, said := spelled(e, e.Comments)
		if d.comments == 0 {
			whole, said = spelled(e, nil)
		}
		return effect.Result{Outcome: effect.AlreadySo, ID: d.id, Comments: d.comments, Text: textOf(whole, said)}, true
	}
	if r, moved := pinned(e.Head, d.head, d.state); moved {
		return r, true
	}
	if d.id != "" {
		return failed(taken), true
	}
	return effect.Result{}, false
}

// ofPrloop reports whether a body is of a review that prloop prepared for this
// account and head, be it by an earlier hand-over that nobody remembers.
func ofPrloop(body string, e effect.DraftReview) bool {
	e.Handoff = 0
	mark, _ := strings.CutSuffix(e.Marker(), "0 -->")
	for line := range strings.Lines(body) {
		number, ok := strings.CutPrefix(strings.TrimSpace(line), mark)
		if n, err := strconv.Atoi(strings.TrimSuffix(number, " -->")); ok && err == nil && n > 0 {
			return true
		}
	}
	return false
}

// spelled is the review of e as it is sent, with these comments at their lines;
// where none is, all of them stand in the body.
func spelled(e effect.DraftReview, comments []effect.DraftComment) (body string, said []string) {
	body = tame(e.Body)
	for _, c := range comments {
		said = append(said, tame(c.Body))
	}
	if len(comments) == 0 {
		for _, c := range e.Comments {
			body += fmt.Sprintf("\n\n%s line %d: %s", code(c.Path), c.Line, tame(c.Body))
		}
	}
	return strings.TrimSpace(body) + "\n\n" + e.Marker(), said
}

// draftReview begins a review and leaves it pending
// (https://docs.github.com/en/graphql/reference/mutations#addpullrequestreview:
// without an event it stays so). It is made whole in one request, so that no
// half of it ever stands.
func (x *Executor) draftReview(ctx context.Context, e effect.DraftReview) (effect.Result, error) {
	d, err := x.desk(ctx)
	if err != nil {
		return effect.Result{}, err
	}
	if r, over := d.ready(e); over {
		return r, nil
	}
	r, err := x.begin(ctx, d, e, e.Comments)
	// A line that is not in the diff makes GitHub refuse all of it; then what was
	// found stands in the body, each with its place.
	if refused, ok := errors.AsType[*Refused](err); ok && len(e.Comments) > 0 && !IsGone(refused) {
		return x.begin(ctx, d, e, nil)
	}
	return r, err
}

func (x *Executor) begin(ctx context.Context, d *desk, e effect.DraftReview, comments []effect.DraftComment) (effect.Result, error) {
	body, said := spelled(e, comments)
	var threads []*githubv4.DraftPullRequestReviewThread
	side := githubv4.DiffSideRight
	for i, c := range comments {
		threads = append(threads, &githubv4.DraftPullRequestReviewThread{
			Path: githubv4.NewString(githubv4.String(c.Path)), Line: githubv4.NewInt(githubv4.Int(c.Line)), //nolint:gosec // A line of a file.
			Side: &side, Body: githubv4.String(said[i]),
		})
	}
	if len(body) > maxComment {
		return failed(fmt.Sprintf("the review has %d bytes, and GitHub takes %d", len(body), maxComment)), nil
	}
	oid := githubv4.GitObjectID(e.Head)
	text := githubv4.String(body)
	var made *struct {
		ID    string
		State string
	}
	write := func() error {
		var m struct {
			AddPullRequestReview struct {
				PullRequestReview *struct {
					ID    string
					State string
				}
			} `graphql:"addPullRequestReview(input: $input)"`
		}
		in := githubv4.AddPullRequestReviewInput{PullRequestID: d.pull, CommitOID: &oid, Body: &text}
		if len(threads) > 0 {
			in.Threads = &threads
		}
		_, err := x.c.mutate(ctx, &m, in, User)
		made = m.AddPullRequestReview.PullRequestReview
		return err
	}
	var late effect.Result // what the look after a lost answer saw
	there := func() (over bool, err error) {
		now, err := x.desk(ctx)
		if err == nil {
			late, over = now.ready(e)
		}
		return over, err
	}
	switch err := needs(rightPerson, x.c.once(ctx, write, there)); {
	case err != nil:
		return effect.Result{}, err
	case late.Outcome == effect.AlreadySo:
		return effect.Result{Outcome: effect.Done, ID: late.ID, Comments: late.Comments, Text: late.Text}, nil
	case late.Outcome != "":
		return late, nil
	case made == nil || made.ID == "" || made.State != pendingComment:
		return failed("GitHub said yes and shows no pending review"), nil
	}
	return effect.Result{Outcome: effect.Done, ID: made.ID, Comments: len(threads), Text: textOf(body, said)}, nil
}

// code quotes a path as Markdown code, on one line.
func code(path string) string {
	return "`" + strings.NewReplacer("`", "'", "\n", " ", "\r", " ").Replace(path) + "`"
}

// gone reports whether the look alone ends the discarding, and how.
func (d *desk) gone(e effect.DiscardReview) (effect.Result, bool) {
	switch {
	case d.login != e.Login:
		return failed("user-token is not of the account whose review was prepared"), true
	case d.id != e.ReviewID:
		return effect.Result{Outcome: effect.AlreadySo}, true
	case d.comments != e.Comments, e.Text != "" && d.text != e.Text, !strings.Contains(d.body, "<!-- prloop:draft-review:"):
		return stale("somebody wrote in it, so it is left as it is"), true
	}
	return effect.Result{}, false
}

// discardReview deletes a pending review
// (https://docs.github.com/en/graphql/reference/mutations#deletepullrequestreview).
func (x *Executor) discardReview(ctx context.Context, e effect.DiscardReview) (effect.Result, error) {
	d, err := x.desk(ctx)
	if err != nil {
		return effect.Result{}, err
	}
	if r, over := d.gone(e); over {
		return r, nil
	}
	write := func() error {
		var m struct {
			DeletePullRequestReview struct {
				PullRequestReview *struct{ ID string }
			} `graphql:"deletePullRequestReview(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.DeletePullRequestReviewInput{PullRequestReviewID: e.ReviewID}, User)
		return err
	}
	var late effect.Result
	so := func() (over bool, err error) {
		now, err := x.desk(ctx)
		if err == nil {
			late, over = now.gone(e)
		}
		return over, err
	}
	switch err := needs(rightPerson, x.c.once(ctx, write, so)); {
	case IsGone(err):
		return effect.Result{Outcome: effect.AlreadySo}, nil
	case err != nil:
		return effect.Result{}, err
	case late.Outcome == effect.Stale || late.Outcome == effect.Failed:
		return late, nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}
