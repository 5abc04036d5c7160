package github

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/pr"
)

// issueQuery is one page of everything about an issue: five lists, one point.
type issueQuery struct {
	RateLimit  *rateLimit
	Viewer     viewer
	Repository *struct {
		repository
		Base   *struct{ Target *struct{ Oid pr.SHA } } `graphql:"base: defaultBranchRef"`
		Config *file                                   `graphql:"config: object(expression: $config) @include(if: $withConfig)"`
		Issues *connection[issue]                      `graphql:"issues(first: $size, after: $afterRecord, filterBy: {labels: [\"prloop\"]}, orderBy: {field: CREATED_AT, direction: ASC}) @include(if: $withRecord)"`
		Issue  *wholeIssue                             `graphql:"issue(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type wholeIssue struct {
	ID           string
	Number       int
	URL          string
	Title        string
	State        pr.State
	Locked       bool
	Author       *actor
	Body         string
	CreatedAt    time.Time
	UpdatedAt    time.Time
	LastEditedAt *time.Time
	Editor       *actor
	Labels       *connection[label]       `graphql:"labels(first: $size, after: $afterLabels) @include(if: $withLabels)"`
	Comments     *connection[comment]     `graphql:"comments(first: $size, after: $afterComments) @include(if: $withComments)"`
	ClosedBy     *connection[linkedClose] `graphql:"closedByPullRequestsReferences(first: 20, includeClosedPrs: true) @include(if: $withLinks)"`
}

type linkedClose struct {
	linked
	IsCrossRepository bool
}

// The lists of an issue.
const (
	issueRecord = iota
	issueLabels
	issueComments
	issueLinks
	issueLists
)

type issuePart struct {
	name, path string
	fact       pr.Fact
	right      string
}

var issueParts = [issueLists]issuePart{
	issueRecord:   {"Record", "repository.issues", pr.FactRecord, "issues: read"},
	issueLabels:   {"Labels", "repository.issue.labels", pr.FactPullRequest, "issues: read"},
	issueComments: {"Comments", "repository.issue.comments", pr.FactComments, "issues: read"},
	issueLinks:    {"Links", "repository.issue.closedByPullRequestsReferences", pr.FactLinks, "pull-requests: read"},
}

// Issue reads an issue as a snapshot, of which all that a pull request alone has
// is empty: in one request of one point where no list is longer than a page. A
// number that names no issue gives a snapshot with Found false. Unknown parts and
// errors are those of Snapshot.
func (c *Client) Issue(ctx context.Context, number int, want Want) (*pr.Snapshot, error) {
	r := issueReading{c: c, number: number, want: want, s: pr.Snapshot{
		Number: number, Repo: pr.Repo{Owner: c.owner, Name: c.name}, Issue: &pr.Issue{},
	}}
	if number < 1 || number > math.MaxInt32 {
		r.s.At = c.Now()
		return &r.s, nil
	}
	for i := range r.reels {
		r.reels[i].on = true
	}
	if err := r.all(ctx); err != nil {
		return nil, c.explain("read the issue", err)
	}
	r.s.At = c.Now()
	r.s.Record = r.record.record
	slices.Sort(r.s.Labels)
	if r.s.Found {
		c.issues.Store(number, true)
	}
	return &r.s, nil
}

// An issueReading is the snapshot of an issue in the making.
type issueReading struct {
	c      *Client
	number int
	want   Want
	size   sizer
	reels  [issueLists]reel
	pages  int
	s      pr.Snapshot
	record search
}

func (r *issueReading) lose(fact pr.Fact, why, right string) {
	if r.s.Missing(fact) == nil {
		r.s.Unknown = append(r.s.Unknown, pr.Unknown{Fact: fact, Why: why, Right: right})
	}
}

func (r *issueReading) all(ctx context.Context) error {
	for r.pages == 0 || slices.ContainsFunc(r.reels[:], func(l reel) bool { return l.on }) {
		q, errs, err := askSized[issueQuery](ctx, r.c, &r.size, r.vars)
		if err != nil {
			return err
		}
		again, err := r.take(q, errs)
		if err != nil {
			return err
		}
		if !again {
			r.pages++
		}
	}
	return nil
}

func (r *issueReading) vars(size int) map[string]any {
	vars := map[string]any{
		"owner":      githubv4.String(r.c.owner),
		"name":       githubv4.String(r.c.name),
		"number":     githubv4.Int(r.number), //nolint:gosec // Issue has looked at its range.
		"size":       githubv4.Int(size),     //nolint:gosec // At most 100.
		"config":     githubv4.String("HEAD:" + r.want.ConfigPath),
		"withConfig": githubv4.Boolean(r.pages == 0 && r.want.ConfigPath != "" && r.s.Missing(pr.FactConfig) == nil),
	}
	for i, part := range issueParts {
		vars["with"+part.name] = githubv4.Boolean(r.reels[i].on)
		if i != issueLinks {
			vars["after"+part.name] = r.reels[i].cursor()
		}
	}
	return vars
}

// take judges one answer and keeps what it brings. again says that a refusal
// took more with it than its own part: the same page is asked for without it.
func (r *issueReading) take(q *issueQuery, errs []GraphQLError) (again bool, err error) {
	missing, gave := false, false
	for _, e := range errs {
		at := e.At()
		i := slices.IndexFunc(issueParts[:], func(p issuePart) bool { return strings.HasPrefix(at+".", p.path+".") })
		switch {
		case e.Type == "NOT_FOUND" && at == "repository":
			return false, &Refused{Status: http.StatusOK, Type: e.Type, Message: e.Message}
		case e.Type == "NOT_FOUND" && at == "repository.issue":
			missing = true
		case strings.HasPrefix(at+".", "repository.config.") || at == "repository.defaultBranchRef" || at == "repository.base":
			gave = gave || r.s.Missing(pr.FactConfig) == nil
			r.lose(pr.FactConfig, say(e), rightOf(e, "contents: read"))
		case i >= 0:
			gave = gave || r.reels[i].on
			r.reels[i].on = false
			r.lose(issueParts[i].fact, say(e), rightOf(e, issueParts[i].right))
		default:
			r.lose(pr.FactPullRequest, say(e), rightOf(e, "issues: read"))
		}
	}
	repo := q.Repository
	if repo == nil {
		if gave {
			return true, nil
		}
		return false, withoutRepository(errs)
	}
	first := r.pages == 0
	r.s.Viewer, r.s.Repo = q.Viewer.actor(), repo.repo()
	if first && r.want.ConfigPath != "" && r.s.Missing(pr.FactConfig) == nil {
		var why string
		if r.s.Config, why = repo.Config.file(r.want.ConfigPath); why != "" {
			r.lose(pr.FactConfig, why, "")
		}
	}
	r.page(issueRecord, gatherOn(&r.reels[issueRecord], repo.Issues, r.record.take))
	i := repo.Issue
	if i == nil {
		r.s.Found = !missing && len(errs) > 0
		if r.s.Found {
			r.lose(pr.FactPullRequest, "GitHub leaves the issue out", "")
			r.lose(pr.FactComments, "GitHub leaves the issue out", "")
		}
		r.reels = [issueLists]reel{}
		return false, nil
	}
	r.takeIssue(i)
	if repo.Base != nil && repo.Base.Target != nil {
		r.s.Issue.Base = repo.Base.Target.Oid
	}
	return false, nil
}

func (r *issueReading) takeIssue(i *wholeIssue) {
	s := &r.s
	s.Found, s.ID, s.Number, s.URL, s.Title, s.State, s.Locked = true, i.ID, i.Number, i.URL, i.Title, i.State, i.Locked
	s.Author, s.CreatedAt, s.UpdatedAt = i.Author.actor(), i.CreatedAt.UTC(), i.UpdatedAt.UTC()
	s.HeadRepo = s.Repo.String() // nobody else's: there is no head
	s.Base.Name = s.Repo.DefaultBranch
	s.Issue = &pr.Issue{Body: i.Body, Editor: i.Editor.actor(), EditedAt: timeOf(i.LastEditedAt)}
	r.page(issueLabels, gatherOn(&r.reels[issueLabels], i.Labels, func(l *label) { s.Labels = append(s.Labels, l.Name) }))
	r.page(issueComments, gatherOn(&r.reels[issueComments], i.Comments, func(c *comment) { s.Comments = append(s.Comments, c.comment()) }))
	why := gatherOn(&r.reels[issueLinks], i.ClosedBy, func(v *linkedClose) {
		l := v.linked.linked()
		l.Fork = v.IsCrossRepository
		s.ClosedBy = append(s.ClosedBy, l)
	})
	if r.reels[issueLinks].on {
		r.reels[issueLinks].on, why = false, "more pull requests close it than prloop looks at"
	}
	r.page(issueLinks, why)
}

func (r *issueReading) page(part int, why string) {
	if why != "" {
		r.lose(issueParts[part].fact, why, "")
	}
}

// gatherOn is gather for a list that was asked for.
func gatherOn[T any](l *reel, page *connection[T], keep func(*T)) (why string) {
	if !l.on {
		return ""
	}
	return gather(l, page, keep)
}

// issueList is one page of the open issues with a label.
type issueList struct {
	RateLimit  *rateLimit
	Repository *struct {
		Issues *connection[listedIssue] `graphql:"issues(first: $size, after: $after, states: OPEN, filterBy: {labels: [$label]}, orderBy: {field: CREATED_AT, direction: ASC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type listedIssue struct{ Number int }

// IssuesWith returns the numbers of the open issues with a label, oldest first.
// The error says what kept it from reading them all.
func (c *Client) IssuesWith(ctx context.Context, name string) ([]int, error) {
	var numbers []int
	var size sizer
	for l := (reel{on: true}); l.on; {
		q, err := see[issueList](ctx, c, &size, func(n int) map[string]any {
			vars := c.target(0)
			delete(vars, "number")
			vars["size"], vars["after"], vars["label"] = githubv4.Int(n), l.cursor(), githubv4.String(name) //nolint:gosec // At most 100.
			return vars
		})
		if err != nil {
			return nil, c.explain("list the issues", needs("issues: read", err))
		}
		if q.Repository == nil {
			return nil, errLeftOut
		}
		if why := gather(&l, q.Repository.Issues, func(i *listedIssue) { numbers = append(numbers, i.Number) }); why != "" {
			return nil, incomplete(why)
		}
	}
	return numbers, nil
}

// issueTalk is one page of the comments of an issue.
type issueTalk struct {
	Repository *struct {
		Issue *struct {
			Locked   bool
			Comments *connection[comment] `graphql:"comments(first: $size, after: $after)"`
		} `graphql:"issue(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// talkOn is the conversation of an issue, as talk is that of a pull request.
func (c *Client) talkOn(ctx context.Context, number int) (talk, error) {
	var t talk
	var size sizer
	for l := (reel{on: true}); l.on; {
		q, err := see[issueTalk](ctx, c, &size, func(n int) map[string]any {
			vars := c.target(number)
			vars["size"], vars["after"] = githubv4.Int(n), l.cursor() //nolint:gosec // At most 100.
			return vars
		})
		if err != nil {
			return talk{}, err
		}
		if q.Repository == nil || q.Repository.Issue == nil {
			return talk{}, errLeftOut
		}
		t.locked = q.Repository.Issue.Locked
		why := gather(&l, q.Repository.Issue.Comments, func(n *comment) {
			if n.ViewerDidAuthor {
				t.own = append(t.own, n.comment())
			}
		})
		if why != "" {
			return talk{}, incomplete(why)
		}
	}
	return t, nil
}
