package github

import (
	"context"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/pr"
)

// Listed is one open pull request as a sweep lists it.
type Listed = pr.Listed

// ListSize is how many pull requests a sweep lists in one request.
const ListSize = 25

// A Page is one page of the open pull requests, oldest first.
type Page struct {
	At     time.Time // GitHub's clock
	Viewer pr.Actor
	Repo   pr.Repo
	Pulls  []Listed
	// Next is the cursor of the next page; empty after the last one.
	Next string
	// Ended are merged and closed pull requests, the one that changed last first,
	// with their first and last comments alone; NextEnded is the cursor of the
	// next page of them. They come with the first page.
	Ended     []Listed
	NextEnded string

	// Config and Record come with the first page alone.
	Config pr.File
	Record pr.Record
	// Unknown are the parts of the page, not of one pull request, that could
	// not be read. FactPullRequest says that some pull requests are not on it.
	Unknown []pr.Unknown
}

// Missing returns the unknown fact f, or nil where it was read in full.
func (p *Page) Missing(f pr.Fact) *pr.Unknown {
	if i := slices.IndexFunc(p.Unknown, func(u pr.Unknown) bool { return u.Fact == f }); i >= 0 {
		return &p.Unknown[i]
	}
	return nil
}

func (p *Page) lose(fact pr.Fact, why, right string) {
	if p.Missing(fact) == nil {
		p.Unknown = append(p.Unknown, pr.Unknown{Fact: fact, Why: why, Right: right})
	}
}

// List reads the open pull requests after the cursor, first of them at most
// (25 cost two points). With the first page, after "", come the configuration
// file of want and the repository record. A pull request whose lists are
// longer than the listing shows says so in its Unknown.
//
// The errors are those of Snapshot.
func (c *Client) List(ctx context.Context, after string, first int, want Want) (Page, error) {
	l := listing{c: c, after: after, first: min(max(first, 1), pageSizes[0])}
	if after == "" {
		l.config, l.record = want.ConfigPath, true
	}
	if err := l.read(ctx); err != nil {
		return Page{}, c.explain("list the pull requests", err)
	}
	return l.p, nil
}

// listQuery is one page of the listing. No list stands under another but the
// pull requests, so 25 of them are 1 + 25 × 7 lists, and with as many that ended,
// 1 + 25 × 2, two points.
type listQuery struct {
	RateLimit  *rateLimit
	Viewer     viewer
	Repository *struct {
		repository
		Config       *file               `graphql:"config: object(expression: $config) @include(if: $withConfig)"`
		Issues       *connection[issue]  `graphql:"issues(first: 100, filterBy: {labels: [\"prloop\"]}, orderBy: {field: CREATED_AT, direction: ASC}) @include(if: $withRecord)"`
		Ended        *connection[ended]  `graphql:"ended: pullRequests(first: $size, states: [CLOSED, MERGED], orderBy: {field: UPDATED_AT, direction: DESC}) @include(if: $withEnded)"`
		PullRequests *connection[listed] `graphql:"pullRequests(first: $size, after: $after, states: OPEN, orderBy: {field: CREATED_AT, direction: ASC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type listed struct {
	Number           int
	IsDraft          bool
	Author           *actor
	HeadRefOid       pr.SHA
	HeadRepository   *struct{ NameWithOwner string }
	BaseRefName      string
	BaseRefOid       pr.SHA
	CreatedAt        time.Time
	UpdatedAt        time.Time
	MergeStateStatus string
	Labels           *connection[label] `graphql:"labels(first: 50)"`
	Rollup           *struct {
		State    string
		Contexts *struct {
			CheckRunCountsByState      []stateCount
			StatusContextCountsByState []stateCount
		} `graphql:"contexts(first: 1)"`
	} `graphql:"statusCheckRollup"`
	ReviewThreads  *connection[listedThread] `graphql:"reviewThreads(first: 100)"`
	ReviewRequests *connection[request]      `graphql:"reviewRequests(first: 20)"`
	Reviews        *connection[review]       `graphql:"reviews(last: 5)"`
	Oldest         *struct {
		TotalCount int
		connection[comment]
	} `graphql:"oldest: comments(first: 15)"`
	Newest *connection[comment] `graphql:"newest: comments(last: 15)"`
}

// ended is a pull request that is merged or closed.
type ended struct {
	Number         int
	State          pr.State
	HeadRefName    string
	HeadRepository *struct{ NameWithOwner string }
	UpdatedAt      time.Time
	Oldest         *struct {
		TotalCount int
		connection[comment]
	} `graphql:"oldest: comments(first: 15)"`
	Newest *connection[comment] `graphql:"newest: comments(last: 15)"`
}

func (n *ended) listed() Listed {
	l := Listed{Number: n.Number, State: n.State, HeadRef: n.HeadRefName, UpdatedAt: n.UpdatedAt.UTC()}
	if n.HeadRepository != nil {
		l.HeadRepo = n.HeadRepository.NameWithOwner
	}
	var oldest *connection[comment]
	if n.Oldest != nil {
		oldest, l.CommentCount = &n.Oldest.connection, n.Oldest.TotalCount
	}
	for _, page := range []*connection[comment]{oldest, n.Newest} {
		why := gather(new(reel), page, func(v *comment) {
			if !slices.ContainsFunc(l.Comments, func(c pr.Comment) bool { return c.ID == v.ID }) {
				l.Comments = append(l.Comments, v.comment())
			}
		})
		if why != "" && len(l.Unknown) == 0 {
			l.Unknown = []pr.Unknown{{Fact: pr.FactComments, Why: why}}
		}
	}
	return l
}

// endedQuery is a further page of them.
type endedQuery struct {
	RateLimit  *rateLimit
	Repository *struct {
		Ended *connection[ended] `graphql:"ended: pullRequests(first: $size, after: $after, states: [CLOSED, MERGED], orderBy: {field: UPDATED_AT, direction: DESC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// Ended reads the page after the cursor of the pull requests that ended, the one
// that changed last first: a hundred of them cost two points. why says why the
// page is not whole, or "".
//
// The errors are those of Snapshot.
func (c *Client) Ended(ctx context.Context, after string) (list []Listed, next, why string, err error) {
	q, errs, err := askSized[endedQuery](ctx, c, new(sizer), func(size int) map[string]any {
		return map[string]any{
			"owner": githubv4.String(c.owner), "name": githubv4.String(c.name),
			"size": githubv4.Int(size), "after": (&reel{after: after}).cursor(), //nolint:gosec // At most 100.
		}
	})
	if err != nil {
		return nil, "", "", c.explain("list the pull requests that ended", err)
	}
	l := reel{after: after}
	var page *connection[ended]
	if q.Repository != nil {
		page = q.Repository.Ended
	}
	why = gather(&l, page, func(n *ended) { list = append(list, n.listed()) })
	for _, e := range errs {
		why = say(e)
	}
	if l.on {
		next = l.after
	}
	return list, next, why, nil
}

type listedThread struct {
	ID         string
	IsResolved bool
}

type stateCount struct {
	State string
	Count int
}

// A listing is one page in the making.
type listing struct {
	c      *Client
	after  string
	first  int
	config string // the file to ask for; empty for none
	record bool   // the record is asked for
	p      Page
}

func (l *listing) read(ctx context.Context) error {
	var size sizer
	for {
		q, errs, err := askSized[listQuery](ctx, l.c, &size, l.vars)
		if err != nil {
			return err
		}
		if again, err := l.take(q, errs); err != nil || !again {
			l.p.At = l.c.Now()
			return err
		}
	}
}

func (l *listing) vars(size int) map[string]any {
	return map[string]any{
		"owner":      githubv4.String(l.c.owner),
		"name":       githubv4.String(l.c.name),
		"size":       githubv4.Int(max(l.first*size/pageSizes[0], 1)), //nolint:gosec // At most 100.
		"after":      (&reel{after: l.after}).cursor(),
		"config":     githubv4.String("HEAD:" + l.config),
		"withConfig": githubv4.Boolean(l.config != ""),
		"withRecord": githubv4.Boolean(l.record),
		"withEnded":  githubv4.Boolean(l.after == ""),
	}
}

// take judges one answer and keeps what it brings. again says that a refusal
// took more with it than its own part: the part is given up, and the same page
// is asked for without it.
func (l *listing) take(q *listQuery, errs []GraphQLError) (again bool, err error) {
	p := &l.p
	own := map[int][]GraphQLError{} // by place on the page
	for _, e := range errs {
		part, known := partOf(e)
		switch {
		case e.Type == "NOT_FOUND" && e.At() == "repository":
			return false, &Refused{Status: http.StatusOK, Type: e.Type, Message: e.Message}
		case known && (part == listConfig || part == listRecord):
			p.lose(parts[part].fact, say(e), rightOf(e, parts[part].right))
		case len(e.Path) > 1 && e.Path[1] == "ended":
			p.lose(pr.FactEnded, say(e), rightOf(e, "pull-requests: read"))
		case len(e.Path) > 3 && e.Path[1] == "pullRequests" && e.Path[2] == "nodes":
			if i, err := strconv.Atoi(e.Path[3]); err == nil {
				own[i] = append(own[i], e)
			}
		default:
			p.lose(pr.FactPullRequest, say(e), rightOf(e, "pull-requests: read"))
		}
	}
	repo := q.Repository
	if repo == nil {
		noRecord := l.record && p.Missing(pr.FactRecord) != nil
		noConfig := l.config != "" && p.Missing(pr.FactConfig) != nil
		if noRecord || noConfig {
			l.record = l.record && !noRecord
			if noConfig {
				l.config = ""
			}
			return true, nil
		}
		return false, withoutRepository(errs)
	}
	p.Viewer, p.Repo = q.Viewer.actor(), repo.repo()
	if l.config != "" {
		var why string
		if p.Config, why = repo.Config.file(l.config); why != "" {
			p.lose(pr.FactConfig, why, "")
		}
	}
	if l.record && !p.Repo.IssuesOff {
		l.takeRecord(repo.Issues)
	}
	if l.after == "" {
		l.takeEnded(repo.Ended)
	}
	l.takePulls(repo.PullRequests, own)
	return false, nil
}

func (l *listing) takeRecord(issues *connection[issue]) {
	var found search
	reel := reel{after: "the first"}
	why := gather(&reel, issues, found.take)
	if reel.on && (found.record.Number == 0 || found.closed) {
		why = "there are too many issues with the label prloop"
	}
	if why != "" {
		l.p.lose(pr.FactRecord, why, "")
	}
	l.p.Record = found.record
}

func (l *listing) takeEnded(page *connection[ended]) {
	var next reel
	if why := gather(&next, page, func(n *ended) { l.p.Ended = append(l.p.Ended, n.listed()) }); why != "" {
		l.p.lose(pr.FactEnded, why, "")
	}
	if next.on {
		l.p.NextEnded = next.after
	}
}

func (l *listing) takePulls(pulls *connection[listed], own map[int][]GraphQLError) {
	if pulls == nil || pulls.Nodes == nil {
		l.p.lose(pr.FactPullRequest, "GitHub leaves the list out", "")
		return
	}
	for i, node := range pulls.Nodes {
		if node == nil {
			why, right := "GitHub leaves out an entry", ""
			for _, e := range own[i] {
				_, right = listedPart(e)
				why = say(e)
			}
			l.p.lose(pr.FactPullRequest, why, right)
			continue
		}
		l.p.Pulls = append(l.p.Pulls, node.listed(own[i]))
	}
	next := reel{after: l.after}
	if why := next.next(pulls.PageInfo); why != "" {
		l.p.lose(pr.FactPullRequest, why, "")
	}
	if next.on {
		l.p.Next = next.after
	}
}

// listedPart says which fact of a listed pull request an error is about, and
// which right mends it.
func listedPart(e GraphQLError) (fact pr.Fact, right string) {
	field := ""
	if len(e.Path) > 4 {
		field = e.Path[4]
	}
	switch field {
	case "statusCheckRollup":
		return pr.FactChecks, rightOf(e, "checks: read")
	case "reviewThreads":
		fact = pr.FactThreads
	case "reviewRequests":
		fact = pr.FactRequests
	case "reviews":
		fact = pr.FactReviews
	case "oldest", "newest":
		fact = pr.FactComments
	default:
		fact = pr.FactPullRequest
	}
	return fact, rightOf(e, "pull-requests: read")
}

// listed is n as plain values; errs are those about it.
func (n *listed) listed(errs []GraphQLError) Listed {
	l := Listed{
		Number:     n.Number,
		Draft:      n.IsDraft,
		Author:     n.Author.actor(),
		Head:       n.HeadRefOid,
		Base:       pr.Branch{Name: n.BaseRefName, OID: n.BaseRefOid},
		CreatedAt:  n.CreatedAt.UTC(),
		UpdatedAt:  n.UpdatedAt.UTC(),
		MergeState: n.MergeStateStatus,
	}
	if n.HeadRepository != nil {
		l.HeadRepo = n.HeadRepository.NameWithOwner
	}
	lose := func(fact pr.Fact, why, right string) {
		if !slices.ContainsFunc(l.Unknown, func(u pr.Unknown) bool { return u.Fact == fact }) {
			l.Unknown = append(l.Unknown, pr.Unknown{Fact: fact, Why: why, Right: right})
		}
	}
	for _, e := range errs {
		if !hidden(e) {
			fact, right := listedPart(e)
			lose(fact, say(e), right)
		}
	}
	whole := func(fact pr.Fact, why string, more bool) {
		if why == "" && more {
			why = "there are more than the listing shows"
		}
		if why != "" {
			lose(fact, why, "")
		}
	}
	var labels, threads, requests reel
	why := gather(&labels, n.Labels, func(v *label) { l.Labels = append(l.Labels, v.Name) })
	whole(pr.FactPullRequest, why, labels.on)
	slices.Sort(l.Labels)
	why = gather(&threads, n.ReviewThreads, func(v *listedThread) {
		l.Threads = append(l.Threads, pr.ListedThread{ID: v.ID, Resolved: v.IsResolved})
	})
	whole(pr.FactThreads, why, threads.on)
	why = gather(&requests, n.ReviewRequests, func(v *request) {
		if who := v.RequestedReviewer.actor(); who != (pr.Actor{}) {
			l.Requests = append(l.Requests, who)
		}
	})
	whole(pr.FactRequests, why, requests.on)
	why = gather(new(reel), n.Reviews, func(v *review) { l.Reviews = append(l.Reviews, v.review()) })
	whole(pr.FactReviews, why, false)

	keep := func(v *comment) {
		if !slices.ContainsFunc(l.Comments, func(c pr.Comment) bool { return c.ID == v.ID }) {
			l.Comments = append(l.Comments, v.comment())
		}
	}
	var oldest *connection[comment]
	if n.Oldest != nil {
		oldest, l.CommentCount = &n.Oldest.connection, n.Oldest.TotalCount
	}
	whole(pr.FactComments, gather(new(reel), oldest, keep), false)
	whole(pr.FactComments, gather(new(reel), n.Newest, keep), false)

	if n.Rollup != nil {
		l.Rollup = n.Rollup.State
		counts := n.Rollup.Contexts
		if counts == nil {
			lose(pr.FactChecks, "GitHub leaves it out", "")
			return l
		}
		l.Checks = append(countsOf(false, counts.CheckRunCountsByState), countsOf(true, counts.StatusContextCountsByState)...)
	}
	return l
}

// countsOf sorts counts and leaves out zeros, which GitHub gives or not.
func countsOf(status bool, counts []stateCount) []pr.Count {
	var kept []pr.Count
	for _, c := range counts {
		if c.Count > 0 {
			kept = append(kept, pr.Count{Status: status, State: c.State, N: c.Count})
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].State < kept[j].State })
	return kept
}
