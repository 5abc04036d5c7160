package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// asked is how a review of Copilot's is asked for. The slug alone gets 422,
// and "Copilot" gets 200 and no review (case C001,
// https://docs.github.com/en/copilot/how-tos/use-copilot-agents/request-a-code-review).
const asked = "copilot-pull-request-reviewer[bot]"

// A rung is one way to ask Copilot for a review. Reports on which one works
// contradict each other, so each is tried in turn, and none is believed: only
// what GitHub shows afterwards counts.
type rung struct {
	id           int
	name         string
	first, again int // its place for a first request, and for a further one
	ask          func(*Executor, context.Context, *sight) error
}

// ladder has the rungs of design 4.
var ladder = []rung{
	{1, "the dedicated endpoint", 1, 1, (*Executor).askEndpoint},
	{2, "requested_reviewers", 2, 3, (*Executor).askReviewers},
	{3, "requestReviewsByLogin", 3, 2, (*Executor).askByLogin},
}

// rungs returns the ladder in the order in which it is climbed. What GitHub
// forgets most often is a further request through requested_reviewers.
func rungs(again bool) []rung {
	climbed := slices.Clone(ladder)
	sort.Slice(climbed, func(i, j int) bool {
		if again {
			return climbed[i].again < climbed[j].again
		}
		return climbed[i].first < climbed[j].first
	})
	return climbed
}

// A meaning is what one answer to a rung means. The first row that fits
// counts; an answer without a row means effect.Errored, and the next rung.
type meaning struct {
	rung   int    // 0: any
	status int    // 200: GraphQL
	word   string // what GitHub's reason contains, in lower case
	result effect.RequestResult
	ends   bool // no other rung can do better
}

// What GitHub's answers can mean beside the results of a ladder.
const (
	// absent is a bare 404: there is no such endpoint on a GitHub Enterprise
	// Server, and none either for somebody without write access.
	absent effect.RequestResult = "absent"
	// moved: the pull request is no longer the one that the wish is about.
	moved effect.RequestResult = "moved"
)

// meanings are GitHub's refusals
// (https://docs.github.com/en/rest/pulls/copilot-code-review).
var meanings = []meaning{
	{0, http.StatusUnauthorized, "", effect.Forbidden, true},
	{0, http.StatusForbidden, "flagged", effect.Flagged, true},
	{0, http.StatusForbidden, "", effect.Forbidden, false},
	{0, http.StatusNotFound, "", absent, false},
	{1, http.StatusConflict, "", effect.InFlight, true},
	{0, http.StatusUnprocessableEntity, "quota", effect.Quota, true},
	{1, http.StatusUnprocessableEntity, "actor", effect.Forbidden, false},
	{1, http.StatusUnprocessableEntity, "eligible", effect.NotAvailable, true},
	{1, http.StatusUnprocessableEntity, "licens", effect.NotAvailable, true},
	{1, http.StatusUnprocessableEntity, "unavailable", effect.NotAvailable, true},
	{2, http.StatusUnprocessableEntity, "collaborator", effect.NotAvailable, false},
	{1, http.StatusServiceUnavailable, "", effect.Dropped, true},
	{3, http.StatusOK, "not_found", effect.NotAvailable, false},
	{3, http.StatusOK, "could not resolve", effect.NotAvailable, false},
	{3, http.StatusOK, "undefinedfield", absent, false},
}

// A reply is what came of one rung: effect.Landed, or what the silence or the
// refusal means.
type reply struct {
	rung   rung
	result effect.RequestResult
	ends   bool
	at     time.Time // when GitHub registered the request; zero where unknown
}

// requestReview climbs the ladder. It is the only function that can issue a
// review request.
//
// Each rung is an effect of its own: the head is looked at before it, and what
// it did is proved after it. What was refused changed nothing, so the next
// rung follows at once.
func (x *Executor) requestReview(ctx context.Context, e effect.RequestReview) (effect.Result, error) {
	if e.Reviewer != pr.CopilotReviewer && e.Reviewer != pr.Copilot {
		r := failed("only Copilot can be asked in this way")
		r.Request = effect.Errored
		return r, nil
	}
	before, err := x.look(ctx)
	if err != nil {
		return refusedLook(err)
	}
	if r, over := before.settles(e, x.t.Seen); over {
		return r, nil
	}
	var replies []reply
	for _, r := range rungs(e.Again) {
		said, err := x.climb(ctx, r, e, before)
		if err != nil {
			return refusedLook(err)
		}
		if said.result == effect.Landed {
			return effect.Result{Outcome: effect.Done, Request: effect.Landed, Rung: r.id, At: said.at}, nil
		}
		if said.result == effect.InFlight {
			return effect.Result{Outcome: effect.AlreadySo, Request: effect.InFlight}, nil
		}
		if said.result == moved {
			return stale("the pull request changed while Copilot was being asked"), nil
		}
		replies = append(replies, said)
		if said.ends {
			break
		}
	}
	return verdict(replies, x.c.who() == Workflow && !before.person), nil
}

// refusedLook is the result where GitHub refuses what is read around a
// request, or the weather.
func refusedLook(err error) (effect.Result, error) {
	r, err := settle(err, "pull-requests: read")
	if err == nil {
		r.Request = effect.Errored
	}
	return r, err
}

// climb asks by one rung and looks for the evidence, first in the timeline of
// REST, then, after a moment, by the same look as before. Where the answer to
// the request was lost and nothing shows, it asks a second time. The error is
// the weather.
func (x *Executor) climb(ctx context.Context, r rung, e effect.RequestReview, before *sight) (reply, error) {
	for try := 1; ; try++ {
		err := r.ask(x, ctx, before)
		said := reply{rung: r}
		said.result, said.ends = interpret(r, err)
		lost := said.result == "" && errors.Is(err, ErrUncertain)
		switch {
		case said.result == "" && !lost:
			return said, err
		case said.result != effect.Dropped && !lost:
			return said, nil
		}
		at, shown, lookErr := x.proved(ctx, before)
		if lookErr != nil {
			return said, lookErr
		}
		if shown {
			return reply{rung: r, result: effect.Landed, at: at}, nil
		}
		if err := x.c.breathe(ctx); err != nil {
			return said, err
		}
		now, lookErr := x.look(ctx)
		switch {
		case lookErr != nil:
			return said, lookErr
		case now.head != e.Head || now.state != pr.Open || now.draft:
			return reply{rung: r, result: moved}, nil
		case now.since(before):
			if now.asked.after(before.maybe) {
				at = now.asked.at
			}
			return reply{rung: r, result: effect.Landed, at: at}, nil
		case !lost:
			return said, nil
		case try == 2:
			return said, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
}

// interpret finds what the answer to a rung means. A yes means nothing until
// something shows. The result is empty for the weather.
func interpret(r rung, err error) (result effect.RequestResult, ends bool) {
	status, words := 0, ""
	if denied, ok := errors.AsType[*Denied](err); ok {
		status, words = http.StatusForbidden, denied.Message
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		status, words = refused.Status, refused.Type+" "+refused.Message
	}
	switch {
	case err == nil:
		return effect.Dropped, false
	case status == 0:
		return "", false
	}
	words = strings.ToLower(words)
	for _, m := range meanings {
		if (m.rung == 0 || m.rung == r.id) && m.status == status && strings.Contains(words, m.word) {
			return m.result, m.ends
		}
	}
	return effect.Errored, false
}

// verdict is the result of a ladder on which nothing proved itself. app: the
// only token is an app's, as the workflow's own is; GitHub is known to answer
// it yes and to do nothing.
func verdict(replies []reply, app bool) effect.Result {
	said := map[effect.RequestResult]bool{}
	var notes []string
	for _, r := range replies {
		said[r.result] = true
		notes = append(notes, r.rung.name+": "+inWords[r.result])
	}
	result := effect.Forbidden // where every rung is absent, too
	switch last := replies[len(replies)-1]; {
	case last.ends:
		result = last.result
	case app:
	case said[effect.Dropped]:
		result = effect.Dropped
	case said[effect.Forbidden]:
	case said[effect.NotAvailable]:
		result = effect.NotAvailable
	case said[effect.Errored]:
		result = effect.Errored
	}
	out := failed(strings.Join(notes, "; "))
	out.Request = result
	if result == effect.Forbidden {
		out.Right = rightRequest
	}
	return out
}

// inWords says what came of a rung that did not land.
var inWords = map[effect.RequestResult]string{
	effect.Dropped:      "nothing was registered",
	effect.Forbidden:    "forbidden",
	effect.NotAvailable: "not available",
	effect.Quota:        "no quota is left",
	effect.Flagged:      "the account is flagged",
	effect.Errored:      "refused for a reason that nobody knows",
	absent:              "not there",
}

// askEndpoint is rung 1. go-github knows neither the endpoint nor its version.
func (x *Executor) askEndpoint(ctx context.Context, _ *sight) error {
	path := fmt.Sprintf("repos/%s/%s/pulls/%d/copilot-code-review", x.c.owner, x.c.name, x.t.Number)
	req, err := x.c.rest.NewRequest(http.MethodPost, path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("X-Github-Api-Version", "2026-03-10")
	_, err = x.c.rest.Do(as(ctx, x.c.who()), req, nil)
	if _, ok := errors.AsType[*gh.AcceptedError](err); ok {
		return nil // 202 is a yes too
	}
	refusal, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok || refusal.Response == nil {
		return err
	}
	// The reason stands in a field that go-github does not know.
	var body struct {
		FailureReason string `json:"failure_reason"`
		Code          string `json:"code"`
	}
	if data, err := io.ReadAll(refusal.Response.Body); err == nil && json.Unmarshal(data, &body) == nil {
		refusal.Message = cmp.Or(body.FailureReason, body.Code, refusal.Message)
	}
	if status := refusal.Response.StatusCode; status == http.StatusServiceUnavailable {
		// Here it is the endpoint's own answer, not a lost one: it cannot
		// serve the request now.
		return &Refused{Status: status, Message: refusal.Message}
	}
	return judge(err)
}

// askReviewers is rung 2.
func (x *Executor) askReviewers(ctx context.Context, _ *sight) error {
	who := gh.ReviewersRequest{Reviewers: []string{asked}}
	_, _, err := x.c.rest.PullRequests.RequestReviewers(as(ctx, x.c.who()), x.c.owner, x.c.name, x.t.Number, who)
	return judge(err)
}

// askByLogin is rung 3. Without union the request would replace everybody who
// is asked already.
func (x *Executor) askByLogin(ctx context.Context, s *sight) error {
	var m struct {
		RequestReviewsByLogin struct {
			PullRequest struct{ ID string }
		} `graphql:"requestReviewsByLogin(input: $input)"`
	}
	_, err := x.c.mutate(ctx, &m, githubv4.RequestReviewsByLoginInput{
		PullRequestID: s.id,
		BotLogins:     &[]githubv4.String{asked},
		Union:         githubv4.NewBoolean(true),
	}, x.c.who())
	return err
}

// reviewing is what is looked at around a review request: where the pull
// request stands, who is asked, and in one list, in GitHub's order, every
// request and every review.
type reviewing struct {
	Viewer     viewer
	Repository *struct {
		PullRequest *struct {
			ID             string
			State          pr.State
			IsDraft        bool
			HeadRefOid     pr.SHA
			ReviewRequests *connection[struct {
				RequestedReviewer *reviewer
			}] `graphql:"reviewRequests(first: $size, after: $afterRequests) @include(if: $withRequests)"`
			TimelineItems *connection[reviewItem] `graphql:"timelineItems(first: $size, after: $afterItems, itemTypes: [REVIEW_REQUESTED_EVENT, REVIEW_REQUEST_REMOVED_EVENT, PULL_REQUEST_REVIEW]) @include(if: $withItems)"`
		} `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type reviewItem struct {
	Typename string `graphql:"__typename"`
	Asked    struct {
		CreatedAt         time.Time
		RequestedReviewer *reviewer
	} `graphql:"... on ReviewRequestedEvent"`
	Removed struct {
		RequestedReviewer *reviewer
	} `graphql:"... on ReviewRequestRemovedEvent"`
	Review struct {
		ID     string
		Author *actor
		State  pr.ReviewState
		Commit *struct{ Oid pr.SHA }
	} `graphql:"... on PullRequestReview"`
}

// A sight is what the look around a review request saw.
type sight struct {
	id    string
	head  pr.SHA
	state pr.State
	draft bool
	// person: github-token is a person's, not the workflow's own or an app's.
	person bool
	at     time.Time // GitHub's clock
	// standing: Copilot is asked and has not reviewed since. The list of
	// requests empties when a review begins, so the order of events counts too.
	standing bool
	listed   bool
	reviews  []string // ids of Copilot's reviews of the head that stand
	// asked is the newest request of Copilot; maybe is the newest one that may
	// be of Copilot, because GitHub does not tell of whom.
	asked, maybe mark
}

// A mark is the newest of some events: their second, for GitHub's times have
// no fractions, and how many there are in it.
type mark struct {
	at   time.Time
	many int
}

func (m *mark) note(at time.Time) {
	switch {
	case at.After(m.at):
		*m = mark{at.UTC(), 1}
	case at.Equal(m.at):
		m.many++
	}
}

// after reports whether m is of later events than o, or of more.
func (m mark) after(o mark) bool { return m.at.After(o.at) || m.at.Equal(o.at) && m.many > o.many }

func (x *Executor) look(ctx context.Context) (*sight, error) {
	var s sight
	var size sizer
	asked, items := reel{on: true}, reel{on: true}
	for first := true; asked.on || items.on; first = false {
		q, err := see[reviewing](ctx, x.c, &size, func(n int) map[string]any {
			vars := x.c.target(x.t.Number)
			vars["size"] = githubv4.Int(n) //nolint:gosec // At most 100.
			vars["withRequests"], vars["afterRequests"] = githubv4.Boolean(asked.on), asked.cursor()
			vars["withItems"], vars["afterItems"] = githubv4.Boolean(items.on), items.cursor()
			return vars
		})
		if err != nil {
			return nil, err
		}
		if q.Repository == nil || q.Repository.PullRequest == nil {
			return nil, errLeftOut
		}
		p := q.Repository.PullRequest
		if !first && p.HeadRefOid != s.head {
			return nil, fmt.Errorf("%w: the head moved while it was read", ErrUnavailable)
		}
		s.id, s.head, s.state, s.draft = p.ID, p.HeadRefOid, p.State, p.IsDraft
		s.person, s.at = q.Viewer.Login != "" && !q.Viewer.actor().Bot, x.c.Now()
		why := ""
		if items.on {
			why = gather(&items, p.TimelineItems, s.take)
		}
		if asked.on && why == "" {
			why = gather(&asked, p.ReviewRequests, func(r *struct{ RequestedReviewer *reviewer }) {
				s.listed = s.listed || r.RequestedReviewer.actor().IsCopilotReviewer()
			})
		}
		if why != "" {
			return nil, incomplete(why)
		}
	}
	s.standing = s.standing || s.listed
	return &s, nil
}

// take goes on to the next item of the timeline.
func (s *sight) take(i *reviewItem) {
	switch i.Typename {
	case "ReviewRequestedEvent":
		who := i.Asked.RequestedReviewer.actor()
		if who.IsCopilotReviewer() {
			s.standing = true
			s.asked.note(i.Asked.CreatedAt)
		}
		// An event whose reviewer GitHub does not tell may be Copilot's: it
		// must not pass for a new one in the other list.
		if who.IsCopilotReviewer() || who == (pr.Actor{}) {
			s.maybe.note(i.Asked.CreatedAt)
		}
	case "ReviewRequestRemovedEvent":
		if i.Removed.RequestedReviewer.actor().IsCopilotReviewer() {
			s.standing = false
		}
	case "PullRequestReview":
		r := &i.Review
		if !r.Author.actor().IsCopilotReviewer() || r.State == pr.Pending {
			return
		}
		s.standing = false
		if r.Commit != nil && r.Commit.Oid == s.head && r.State != pr.Dismissed {
			s.reviews = append(s.reviews, r.ID)
		}
	}
}

// settles reports whether the look alone ends it, and how.
func (s *sight) settles(e effect.RequestReview, seen []string) (effect.Result, bool) {
	if r, moved := pinned(e.Head, s.head, s.state); moved {
		return r, true
	}
	switch {
	case s.draft:
		return stale("the pull request is a draft"), true
	case slices.ContainsFunc(s.reviews, func(id string) bool { return !slices.Contains(seen, id) }):
		return effect.Result{Outcome: effect.AlreadySo, Request: effect.ReviewedAtHead}, true
	case s.standing:
		return effect.Result{Outcome: effect.AlreadySo, Request: effect.InFlight, At: s.asked.at}, true
	}
	return effect.Result{}, false
}

// since reports whether s shows a request that before did not.
func (s *sight) since(before *sight) bool {
	return s.standing || len(s.reviews) > len(before.reviews) || s.asked.after(before.maybe)
}

// proved looks for the evidence in the REST timeline, which alone knows that
// Copilot began: a request newer than those that the look saw, or its work.
func (x *Executor) proved(ctx context.Context, before *sight) (at time.Time, shown bool, err error) {
	events, err := x.c.Work(ctx, x.t.Number)
	var asked mark
	var began time.Time
	for _, e := range events {
		switch {
		case e.Kind == pr.ReviewRequested && e.Reviewer.IsCopilotReviewer():
			asked.note(e.At)
		case e.Kind == pr.WorkStarted && e.Actor.IsCopilotReviewer() && e.At.After(before.at):
			began = e.At
		}
	}
	if asked.after(before.maybe) {
		return asked.at, true, nil
	}
	return began, !began.IsZero(), err
}
