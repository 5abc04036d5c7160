package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/pr"
)

// Want says what a snapshot brings along beside the pull request.
type Want struct {
	// ConfigPath is a file of the default branch; empty brings none.
	ConfigPath string
}

// Snapshot reads everything of pr.Snapshot but Copilot's work events: in one
// request of one point where no list is longer than a page, and to the last
// page otherwise.
//
// A part that cannot be read in full is in Snapshot.Unknown and costs nothing
// else. A number that names no pull request gives a snapshot with Found false.
// The error is a *fail.Error where the repository is not there or the token is
// not good, else ErrUnavailable or *RateLimited (wrapped).
func (c *Client) Snapshot(ctx context.Context, number int, want Want) (*pr.Snapshot, error) {
	if number < 1 || number > math.MaxInt32 {
		return &pr.Snapshot{Number: number, Repo: pr.Repo{Owner: c.owner, Name: c.name}, At: c.Now()}, nil
	}
	for try := 0; ; try++ {
		r := newReading(c, number, want)
		err := r.all(ctx)
		if errors.Is(err, errMoved) && try < 2 {
			continue // what was read belongs to two heads
		}
		if errors.Is(err, errMoved) {
			r.lose(pr.FactPullRequest, "its head moves faster than it can be read", "")
			err = nil
		}
		if err != nil {
			return nil, c.explain("read the pull request", err)
		}
		return r.done(), nil
	}
}

// errMoved says that the head moved between two pages.
var errMoved = errors.New("the head moved while it was read")

// The lists of a snapshot. Each has a row in parts.
const (
	listConfig = iota
	listRecord
	listLabels
	listComments
	listReviews
	listThreads
	listRequests
	listEvents
	listRules
	listSuites
	listRuns
	listChecks
	listMerging
	listParents
	listLinks
	listTwins
	lists
)

// parts says for each part which variables ask for it, under which path its
// errors come, and which right it needs. The longest path that fits counts.
var parts = [lists]struct {
	name  string
	path  string
	fact  pr.Fact
	right string
}{
	listConfig:   {"Config", "repository.config", pr.FactConfig, "contents: read"},
	listRecord:   {"Record", "repository.issues", pr.FactRecord, "issues: read"},
	listLabels:   {"Labels", "repository.pullRequest.labels", pr.FactPullRequest, "pull-requests: read"},
	listComments: {"Comments", "repository.pullRequest.comments", pr.FactComments, "pull-requests: read"},
	listReviews:  {"Reviews", "repository.pullRequest.reviews", pr.FactReviews, "pull-requests: read"},
	listThreads:  {"Threads", "repository.pullRequest.reviewThreads", pr.FactThreads, "pull-requests: read"},
	listRequests: {"Requests", "repository.pullRequest.reviewRequests", pr.FactRequests, "pull-requests: read"},
	listEvents:   {"Events", "repository.pullRequest.timelineItems", pr.FactEvents, "pull-requests: read"},
	listRules:    {"Rules", "repository.pullRequest.baseRef", pr.FactRules, "contents: read"},
	listSuites:   {"Suites", "repository.pullRequest.commits.nodes.commit.checkSuites", pr.FactChecks, "checks: read"},
	listRuns:     {"Runs", "repository.pullRequest.commits.nodes.commit.statusCheckRollup.contexts.nodes.checkSuite.workflowRun", pr.FactWorkflows, "actions: read"},
	listChecks:   {"Checks", "repository.pullRequest.commits", pr.FactChecks, "checks: read"},
	listMerging:  {"Merging", "", pr.FactMerging, "contents: read and pull-requests: read"},
	listParents:  {"Parents", "repository.pullRequest.stack", pr.FactParents, "pull-requests: read"},
	listTwins:    {"Twins", "repository.pullRequest.twins", pr.FactTwins, "pull-requests: read"},
	listLinks:    {"Links", "repository.pullRequest.closingIssuesReferences", pr.FactLinks, "issues: read"},
}

// mergingFields are the fields of the part listMerging, which has no path of
// its own.
var mergingFields = []string{
	"repository.autoMergeAllowed.", "repository.mergeCommitAllowed.", "repository.squashMergeAllowed.", "repository.rebaseMergeAllowed.",
	"repository.deleteBranchOnMerge.", "repository.pullRequest.mergedAt.", "repository.pullRequest.mergedBy.", "repository.pullRequest.mergeCommit.",
	"repository.pullRequest.autoMergeRequest.", "repository.pullRequest.mergeQueueEntry.", "repository.pullRequest.isMergeQueueEnabled.",
	"repository.pullRequest.headRef.",
}

// paged reports whether the part comes in pages.
func paged(i int) bool {
	return i != listConfig && i != listRuns && i != listMerging && i != listParents && i != listLinks && i != listTwins
}

// snapshotQuery is one page of everything. Each list is asked for under its
// own condition, so that one query serves every page; the page sizes make a
// quiet pull request cost one point (a connection counts once, and once more
// for every node above it: 10 lists + 100 threads, divided by 100).
type snapshotQuery struct {
	RateLimit  *rateLimit
	Viewer     viewer
	Repository *struct {
		repository
		mergeSettings `graphql:"... on Repository @include(if: $withMerging)"`
		Config        *file              `graphql:"config: object(expression: $config) @include(if: $withConfig)"`
		Issues        *connection[issue] `graphql:"issues(first: $size, after: $afterRecord, filterBy: {labels: [\"prloop\"]}, orderBy: {field: CREATED_AT, direction: ASC}) @include(if: $withRecord)"`
		PullRequest   *pullRequest       `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type rateLimit struct{ Cost int }

type viewer struct {
	Login      string
	DatabaseID int64 `graphql:"databaseId"`
}

// actor is the viewer as an actor. GraphQL types every viewer as a user, and
// gives a bot its suffix only here.
func (v viewer) actor() pr.Actor {
	return pr.Actor{Login: pr.NewLogin(v.Login), Bot: strings.HasSuffix(v.Login, "[bot]"), ID: v.DatabaseID}
}

type repository struct {
	Name             string
	Owner            struct{ Login string }
	HasIssuesEnabled bool
	DefaultBranchRef *struct{ Name string }
}

func (r *repository) repo() pr.Repo {
	repo := pr.Repo{Owner: r.Owner.Login, Name: r.Name, IssuesOff: !r.HasIssuesEnabled}
	if r.DefaultBranchRef != nil {
		repo.DefaultBranch = r.DefaultBranchRef.Name
	}
	return repo
}

// mergeSettings and mergeFields are the part listMerging.
type mergeSettings struct {
	AutoMergeAllowed    bool
	MergeCommitAllowed  bool
	SquashMergeAllowed  bool
	RebaseMergeAllowed  bool
	DeleteBranchOnMerge bool
}

func (m *mergeSettings) merges() pr.Merges {
	kept := pr.Merges{Auto: m.AutoMergeAllowed, DeletesHead: m.DeleteBranchOnMerge}
	for _, way := range []struct {
		allowed bool
		method  pr.MergeMethod
	}{{m.MergeCommitAllowed, pr.MergeCommits}, {m.SquashMergeAllowed, pr.Squash}, {m.RebaseMergeAllowed, pr.Rebase}} {
		if way.allowed {
			kept.Methods = append(kept.Methods, way.method)
		}
	}
	return kept
}

type mergeFields struct {
	MergedAt         *time.Time
	MergedBy         *actor
	MergeCommit      *struct{ Oid pr.SHA }
	AutoMergeRequest *struct {
		EnabledAt   *time.Time
		EnabledBy   *actor
		MergeMethod pr.MergeMethod
	}
	MergeQueueEntry *struct {
		EnqueuedAt time.Time
		Enqueuer   *actor
		State      string
	}
	IsMergeQueueEnabled bool
	HeadRef             *struct{ Name string }
}

type file struct {
	Typename string `graphql:"__typename"`
	Blob     struct {
		IsTruncated bool
		Text        *string
	} `graphql:"... on Blob"`
}

// file is f as the file at path; why says why its text is not known. nil is a
// file that is not there.
func (f *file) file(path string) (kept pr.File, why string) {
	kept = pr.File{Path: path, Found: f != nil}
	switch {
	case f == nil:
	case f.Typename != "Blob":
		why = "it is no file"
	case f.Blob.Text == nil:
		why = "it is no text"
	case f.Blob.IsTruncated:
		why = "it is too large for GitHub to show it whole"
	default:
		kept.Text = *f.Blob.Text
	}
	return kept, why
}

type issue struct {
	ID              string
	Number          int
	State           string
	Body            string
	ViewerDidAuthor bool
}

type pullRequest struct {
	ID               string
	Number           int
	URL              string
	Title            string
	State            pr.State
	IsDraft          bool
	ViewerCanUpdate  bool
	Locked           bool
	Author           *actor
	HeadRefOid       pr.SHA
	HeadRefName      string
	HeadRepository   *struct{ NameWithOwner string }
	BaseRefName      string
	BaseRefOid       pr.SHA
	CreatedAt        time.Time
	UpdatedAt        time.Time
	MergeStateStatus string
	ChangedFiles     int
	mergeFields      `graphql:"... on PullRequest @include(if: $withMerging)"`
	Labels           *connection[label]   `graphql:"labels(first: $size, after: $afterLabels) @include(if: $withLabels)"`
	Comments         *connection[comment] `graphql:"comments(first: $size, after: $afterComments) @include(if: $withComments)"`
	Reviews          *connection[review]  `graphql:"reviews(first: $size, after: $afterReviews) @include(if: $withReviews)"`
	ReviewThreads    *connection[thread]  `graphql:"reviewThreads(first: $size, after: $afterThreads) @include(if: $withThreads)"`
	ReviewRequests   *connection[request] `graphql:"reviewRequests(first: $size, after: $afterRequests) @include(if: $withRequests)"`
	TimelineItems    *connection[event]   `graphql:"timelineItems(first: $size, after: $afterEvents, itemTypes: [REVIEW_REQUESTED_EVENT, REVIEW_REQUEST_REMOVED_EVENT, READY_FOR_REVIEW_EVENT, CONVERT_TO_DRAFT_EVENT, REOPENED_EVENT, HEAD_REF_FORCE_PUSHED_EVENT]) @include(if: $withEvents)"`
	BaseRef          *struct {
		RefUpdateRule *struct{ RequiredStatusCheckContexts []*string }
		Rules         *connection[rule] `graphql:"rules(first: $size, after: $afterRules)"`
	} `graphql:"baseRef @include(if: $withRules)"`
	Stack *struct {
		AssociatedPullRequests *connection[linked] `graphql:"associatedPullRequests(first: 5, orderBy: {field: CREATED_AT, direction: DESC})"`
	} `graphql:"stack: baseRef @include(if: $withParents)"`
	Twins *struct {
		Nodes []*struct {
			Commit *struct {
				AssociatedPullRequests *connection[twin] `graphql:"associatedPullRequests(first: 10)"`
			}
		}
	} `graphql:"twins: commits(last: 1) @include(if: $withTwins)"`
	ClosingIssuesReferences *connection[linkedIssue] `graphql:"closingIssuesReferences(first: 10) @include(if: $withLinks)"`
	Commits                 *struct {
		Nodes []*struct {
			Commit *struct {
				Oid               pr.SHA
				CheckSuites       *connection[suite] `graphql:"checkSuites(first: $size, after: $afterSuites) @include(if: $withSuites)"`
				StatusCheckRollup *struct {
					Contexts *connection[check] `graphql:"contexts(first: $size, after: $afterChecks)"`
				} `graphql:"statusCheckRollup @include(if: $withChecks)"`
			}
		}
	} `graphql:"commits(last: 1)"`
}

type actor struct {
	Typename string `graphql:"__typename"`
	Login    string
	Bot      struct{ databaseID } `graphql:"... on Bot"`
	User     struct{ databaseID } `graphql:"... on User"`
}

type databaseID struct {
	DatabaseID int64 `graphql:"databaseId"`
}

// actor is a as an actor; a ghost for nil.
func (a *actor) actor() pr.Actor {
	if a == nil {
		return pr.Actor{}
	}
	// githubv4 fills a field in every fragment that has it.
	return pr.Actor{Login: pr.NewLogin(a.Login), Bot: a.Typename == "Bot", ID: a.User.DatabaseID}
}

// A reviewer is who was asked. Its type name decides which fragment counts.
type reviewer struct {
	Typename string `graphql:"__typename"`
	Bot      struct {
		Login string
		databaseID
	} `graphql:"... on Bot"`
	User struct {
		Login string
		databaseID
	} `graphql:"... on User"`
	Mannequin struct{ Login string } `graphql:"... on Mannequin"`
}

// actor is the reviewer, or the zero Actor for a team. What GitHub does not
// show is a team too: a workflow's token may not read an organization's teams,
// and gets null for them.
func (r *reviewer) actor() pr.Actor {
	switch {
	case r == nil:
		return pr.Actor{}
	case r.Typename == "Bot":
		return pr.Actor{Login: pr.NewLogin(r.Bot.Login), Bot: true, ID: r.Bot.DatabaseID}
	case r.Typename == "User":
		return pr.Actor{Login: pr.NewLogin(r.User.Login), ID: r.User.DatabaseID}
	}
	return pr.Actor{Login: pr.NewLogin(r.Mannequin.Login)}
}

// bigInt is GraphQL's BigInt, which travels as a string.
type bigInt int64

// UnmarshalJSON reads a number in quotes or without; null is 0.
func (n *bigInt) UnmarshalJSON(b []byte) error {
	b = bytes.Trim(b, `"`)
	if string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	*n = bigInt(v)
	return err
}

type label struct{ Name string }

type request struct{ RequestedReviewer *reviewer }

type suite struct{ CreatedAt time.Time }

type comment struct {
	ID              string
	FullDatabaseID  bigInt `graphql:"fullDatabaseId"`
	Author          *actor
	ViewerDidAuthor bool
	Body            string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	LastEditedAt    *time.Time
	Editor          *actor
	IsMinimized     bool

	AuthorAssociation string

	ReactionGroups []struct {
		Content          string
		ViewerHasReacted bool
	}
}

type review struct {
	ID                        string
	Author                    *actor
	AuthorCanPushToRepository bool
	State                     pr.ReviewState
	Commit                    *struct{ Oid pr.SHA }
	SubmittedAt               *time.Time
	Body                      string
	URL                       string
}

type thread struct {
	ID           string
	Path         string
	Line         *int
	OriginalLine *int
	IsResolved   bool
	IsOutdated   bool
	SubjectType  string
	Comments     *connection[threadComment] `graphql:"comments(first: $size)"`
}

type threadComment struct {
	ID                string
	Author            *actor
	ViewerDidAuthor   bool
	Body              string
	DiffHunk          string
	CreatedAt         time.Time
	URL               string
	PullRequestReview *struct {
		ID                        string
		AuthorCanPushToRepository bool
	}
}

type event struct {
	Typename        string `graphql:"__typename"`
	ReviewRequested struct {
		happened
		RequestedReviewer *reviewer
	} `graphql:"... on ReviewRequestedEvent"`
	ReviewRequestRemoved struct {
		happened
		RequestedReviewer *reviewer
	} `graphql:"... on ReviewRequestRemovedEvent"`
	ReadyForReview     struct{ happened } `graphql:"... on ReadyForReviewEvent"`
	ConvertToDraft     struct{ happened } `graphql:"... on ConvertToDraftEvent"`
	Reopened           struct{ happened } `graphql:"... on ReopenedEvent"`
	HeadRefForcePushed struct{ happened } `graphql:"... on HeadRefForcePushedEvent"`
}

type happened struct {
	CreatedAt time.Time
	Actor     *actor
}

type rule struct {
	Type       string
	Parameters *struct {
		Typename string `graphql:"__typename"`
		Checks   struct {
			RequiredStatusChecks []struct{ Context string }
		} `graphql:"... on RequiredStatusChecksParameters"`
		Workflows struct {
			Workflows []struct{ Path string }
		} `graphql:"... on WorkflowsParameters"`
		Copilot struct{ ReviewOnPush bool } `graphql:"... on CopilotCodeReviewParameters"`
	}
}

type check struct {
	Typename string `graphql:"__typename"`
	CheckRun struct {
		DatabaseID int64 `graphql:"databaseId"`
		Name       string
		Status     string
		Conclusion *string
		IsRequired bool `graphql:"isRequired(pullRequestNumber: $number)"`
		StartedAt  *time.Time
		DetailsURL string
		ExternalID *string `graphql:"externalId"`
		CheckSuite *struct {
			App         *struct{ Slug string }
			WorkflowRun *workflowRun `graphql:"workflowRun @include(if: $withRuns)"`
		}
	} `graphql:"... on CheckRun"`
	StatusContext struct {
		Context    string
		State      string
		IsRequired bool `graphql:"isRequired(pullRequestNumber: $number)"`
		CreatedAt  *time.Time
		TargetURL  string
	} `graphql:"... on StatusContext"`
}

type workflowRun struct {
	DatabaseID int64 `graphql:"databaseId"`
	RunNumber  int
	RunAttempt int
	File       *struct{ Path string }
	Workflow   struct{ Name, URL string }
}

// path is the workflow's file. The workflows that GitHub itself runs, as
// Copilot's review does, have none: their address ends in what REST calls
// their path ("dynamic/…").
func (w *workflowRun) path() string {
	if w.File != nil && w.File.Path != "" {
		return w.File.Path
	}
	_, path, _ := strings.Cut(w.Workflow.URL, "/actions/workflows/")
	if path == "" || strings.HasPrefix(path, "dynamic/") {
		return path
	}
	return ".github/workflows/" + path
}

// A reading is one snapshot in the making.
type reading struct {
	c      *Client
	number int
	want   Want
	size   sizer
	reels  [lists]reel
	pages  int
	s      pr.Snapshot
	record search

	// longer are the threads with further comments.
	longer []longThread
}

type longThread struct {
	id    string
	index int // in s.Threads
	reel  reel
}

func newReading(c *Client, number int, want Want) *reading {
	r := &reading{c: c, number: number, want: want}
	r.s = pr.Snapshot{Number: number, Repo: pr.Repo{Owner: c.owner, Name: c.name}}
	r.s.Config.Path = want.ConfigPath
	for i := range r.reels {
		r.reels[i].on = true
	}
	r.reels[listConfig].on = want.ConfigPath != ""
	return r
}

// lose makes a fact unknown, for the first reason that there is.
func (r *reading) lose(fact pr.Fact, why, right string) {
	if r.s.Missing(fact) == nil {
		r.s.Unknown = append(r.s.Unknown, pr.Unknown{Fact: fact, Why: why, Right: right})
	}
}

// all reads page after page until every list has ended.
func (r *reading) all(ctx context.Context) error {
	for r.pages == 0 || slices.ContainsFunc(r.reels[:], func(l reel) bool { return l.on }) {
		q, errs, err := askSized[snapshotQuery](ctx, r.c, &r.size, r.vars)
		if err != nil {
			return err
		}
		again, err := r.take(q, errs)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		r.pages++
		r.reels[listConfig].on, r.reels[listMerging].on = false, false
		r.reels[listParents].on, r.reels[listLinks].on, r.reels[listTwins].on = false, false, false
		r.reels[listRuns].on = r.reels[listRuns].on && r.reels[listChecks].on
	}
	for _, t := range r.longer {
		if err := r.thread(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) vars(size int) map[string]any {
	vars := map[string]any{
		"owner":  githubv4.String(r.c.owner),
		"name":   githubv4.String(r.c.name),
		"number": githubv4.Int(r.number), //nolint:gosec // Snapshot has looked at its range.
		"config": githubv4.String("HEAD:" + r.want.ConfigPath),
		"size":   githubv4.Int(size), //nolint:gosec // At most 100.
	}
	for i, part := range parts {
		vars["with"+part.name] = githubv4.Boolean(r.reels[i].on)
		if paged(i) {
			vars["after"+part.name] = r.reels[i].cursor()
		}
	}
	return vars
}

// take judges one answer and keeps what it brings. again says that a refusal
// took more with it than its own part: the part is given up, and the same page
// is asked for without it.
func (r *reading) take(q *snapshotQuery, errs []GraphQLError) (again bool, err error) {
	var missing bool
	var at [lists]bool // the parts that have an error
	for _, e := range errs {
		i, known := partOf(e)
		switch {
		case e.Type == "NOT_FOUND" && e.At() == "repository":
			return false, &Refused{Status: http.StatusOK, Type: e.Type, Message: e.Message}
		case e.Type == "NOT_FOUND" && e.At() == "repository.pullRequest":
			missing = true
		case hidden(e):
			// A team, or an account that the token may not see.
		case known:
			at[i] = true
			r.lose(parts[i].fact, say(e), rightFor(i, e))
		default:
			r.lose(pr.FactPullRequest, say(e), rightOf(e, "pull-requests: read"))
		}
	}
	repo := q.Repository
	if repo == nil || repo.PullRequest == nil && !missing {
		if r.giveUp(at) {
			return true, nil
		}
		if repo == nil {
			return false, withoutRepository(errs)
		}
	}
	p := repo.PullRequest
	if at[listRuns] && p != nil && r.reels[listRuns].on && p.lostChecks() {
		r.reels[listRuns].on = false
		return true, nil
	}
	r.s.Viewer, r.s.Repo = q.Viewer.actor(), repo.repo()
	r.takeConfig(q)
	if r.reels[listMerging].on && !at[listMerging] && p != nil {
		r.s.Merges = repo.merges()
		if len(r.s.Merges.Methods) == 0 {
			r.lose(pr.FactMerging, "GitHub names no way to merge", "")
		}
	}
	page(r, listRecord, repo.Issues, r.record.take)
	switch {
	case p == nil && (missing || len(errs) == 0):
		r.s.Found = false
		r.stop()
	case p == nil:
		r.s.Found = true
		for _, part := range parts[listLabels:] {
			r.lose(part.fact, "GitHub leaves the pull request out", "")
		}
		r.stop()
	case r.pages > 0 && p.HeadRefOid != r.s.Head:
		return false, errMoved
	default:
		r.takePullRequest(p, at[listRuns])
		if r.reels[listMerging].on && !at[listMerging] {
			r.takeMerging(&p.mergeFields)
		}
		r.takeLinks(p)
	}
	return false, nil
}

// withoutRepository is the error of an answer that has no repository in it.
func withoutRepository(errs []GraphQLError) error {
	for _, e := range errs {
		if e.denied() {
			return &Denied{Right: "contents: read", Message: e.Message}
		}
	}
	return fmt.Errorf("%w: it answers without the repository", ErrUnavailable)
}

// partOf says which part of the snapshot an error is about.
func partOf(e GraphQLError) (part int, ok bool) {
	steps := make([]string, 0, len(e.Path))
	for _, step := range e.Path {
		if _, err := strconv.Atoi(step); err != nil {
			steps = append(steps, step)
		}
	}
	path := strings.Join(steps, ".") + "."
	if path == "repository.defaultBranchRef." {
		return listConfig, true // where the file would be
	}
	if slices.ContainsFunc(mergingFields, func(f string) bool { return strings.HasPrefix(path, f) }) {
		return listMerging, true
	}
	best := ""
	for i, p := range parts {
		if p.path != "" && strings.HasPrefix(path, p.path+".") && len(p.path) > len(best) {
			part, best, ok = i, p.path, true
		}
	}
	return part, ok
}

// hidden reports whether an error only says that the token may not see who
// was asked for a review.
func hidden(e GraphQLError) bool {
	return slices.Contains(e.Path, "requestedReviewer") && (e.denied() || e.Type == "NOT_FOUND")
}

// rightOf is the right that mends the error: none does unless it was refused.
func rightOf(e GraphQLError, right string) string {
	if e.denied() {
		return right
	}
	return ""
}

// rightFor is the right that mends an error about a part. One entry of the
// checks can only be refused by itself if it is a commit status.
func rightFor(part int, e GraphQLError) string {
	right := parts[part].right
	if _, err := strconv.Atoi(e.Path[len(e.Path)-1]); err == nil && part == listChecks {
		right = "statuses: read"
	}
	return rightOf(e, right)
}

var errorType = regexp.MustCompile(`^[A-Za-z_]{1,40}$`)

// say puts an error in our own words. GitHub's are not repeated: they can hold
// what strangers wrote.
func say(e GraphQLError) string {
	switch {
	case strings.Contains(e.Message, "SAML"):
		return "the organization wants the token authorised for single sign-on first"
	case e.denied() && strings.Contains(e.Message, "personal access token"):
		return "GitHub does not show it to this personal access token"
	case e.denied():
		return "GitHub does not show it to this token"
	case errorType.MatchString(e.Type):
		return "GitHub answers with the error " + e.Type
	}
	return "GitHub answers with an error"
}

// giveUp stops asking for the parts that have an error, and reports whether
// that makes the next answer different.
func (r *reading) giveUp(at [lists]bool) (changed bool) {
	for i := range at {
		changed = changed || at[i] && r.reels[i].on
		r.reels[i].on = r.reels[i].on && !at[i]
	}
	return changed
}

func (r *reading) stop() {
	for i := range r.reels {
		if i != listRecord {
			r.reels[i].on = false
		}
	}
}

// page runs gather for a part that was asked for.
func page[T any](r *reading, part int, conn *connection[T], keep func(*T)) {
	if !r.reels[part].on {
		return
	}
	if why := gather(&r.reels[part], conn, keep); why != "" {
		r.lose(parts[part].fact, why, "")
	}
}

func (r *reading) takeConfig(q *snapshotQuery) {
	if !r.reels[listConfig].on {
		return
	}
	var why string
	if r.s.Config, why = q.Repository.Config.file(r.want.ConfigPath); why != "" {
		r.lose(pr.FactConfig, why, "")
	}
}

// A search looks for the repository record among the issues with the label:
// the oldest open one by us, else the oldest closed one.
type search struct {
	record pr.Record
	closed bool // record is closed
}

func (f *search) take(i *issue) {
	closed := i.State == "CLOSED"
	if i.ViewerDidAuthor && (f.record.Number == 0 || f.closed && !closed) {
		f.record, f.closed = pr.Record{Number: i.Number, ID: i.ID, Body: i.Body, Closed: closed}, closed
	}
}

func (r *reading) takePullRequest(p *pullRequest, runsRefused bool) {
	s := &r.s
	s.Found = true
	s.ID, s.Number, s.URL, s.Title = p.ID, p.Number, p.URL, p.Title
	s.State, s.Draft, s.Locked, s.CanUpdate = p.State, p.IsDraft, p.Locked, p.ViewerCanUpdate
	s.Author = p.Author.actor()
	s.Head, s.HeadRef = p.HeadRefOid, p.HeadRefName
	s.HeadRepo = ""
	if p.HeadRepository != nil {
		s.HeadRepo = p.HeadRepository.NameWithOwner
	}
	s.Base = pr.Branch{Name: p.BaseRefName, OID: p.BaseRefOid}
	s.CreatedAt, s.UpdatedAt = p.CreatedAt.UTC(), p.UpdatedAt.UTC()
	s.MergeState = p.MergeStateStatus
	s.ChangedFiles = p.ChangedFiles

	page(r, listLabels, p.Labels, func(l *label) { s.Labels = append(s.Labels, l.Name) })
	page(r, listComments, p.Comments, func(c *comment) { s.Comments = append(s.Comments, c.comment()) })
	page(r, listReviews, p.Reviews, func(v *review) { s.Reviews = append(s.Reviews, v.review()) })
	page(r, listThreads, p.ReviewThreads, r.takeThread)
	page(r, listRequests, p.ReviewRequests, func(q *request) {
		if who := q.RequestedReviewer.actor(); who != (pr.Actor{}) {
			s.Requests = append(s.Requests, who)
		}
	})
	page(r, listEvents, p.TimelineItems, func(e *event) {
		if kept, ok := e.event(); ok {
			s.Events = append(s.Events, kept)
		}
	})
	r.takeRules(p)
	r.takeChecks(p, runsRefused)
}

func (c *comment) comment() pr.Comment {
	locked := false
	for _, g := range c.ReactionGroups {
		locked = locked || g.Content == "EYES" && g.ViewerHasReacted
	}
	var answer pr.Reaction
	for _, r := range []pr.Reaction{pr.Confused, pr.PlusOne, pr.Rocket} {
		if c.answered(r) {
			answer = r
		}
	}
	return pr.Comment{
		Answer:     answer,
		Locked:     locked,
		ID:         c.ID,
		DatabaseID: int64(c.FullDatabaseID),
		Author:     c.Author.actor(),
		Mine:       c.ViewerDidAuthor,
		Insider:    insiders[c.AuthorAssociation],
		Body:       c.Body,
		CreatedAt:  c.CreatedAt.UTC(),
		UpdatedAt:  c.UpdatedAt.UTC(),
		EditedAt:   timeOf(c.LastEditedAt),
		Editor:     c.Editor.actor(),
		Minimized:  c.IsMinimized,
	}
}

func (v *review) review() pr.Review {
	kept := pr.Review{
		ID:          v.ID,
		Author:      v.Author.actor(),
		Trusted:     v.AuthorCanPushToRepository,
		State:       v.State,
		SubmittedAt: timeOf(v.SubmittedAt),
		Body:        v.Body,
		URL:         v.URL,
	}
	if v.Commit != nil {
		kept.Commit = v.Commit.Oid
	}
	return kept
}

func (r *reading) takeThread(t *thread) {
	kept := pr.Thread{
		ID:           t.ID,
		Path:         t.Path,
		Line:         valueOf(t.Line),
		OriginalLine: valueOf(t.OriginalLine),
		Resolved:     t.IsResolved,
		Outdated:     t.IsOutdated,
		FileLevel:    t.SubjectType == "FILE",
	}
	long := longThread{id: t.ID, index: len(r.s.Threads)}
	r.s.Threads = append(r.s.Threads, kept)
	r.takeReplies(&long, t.Comments)
	if long.reel.on {
		r.longer = append(r.longer, long)
	}
}

// lastLine is the line of the code that a hunk ends at: what its comment is
// about, wherever that moves. The rest of the hunk would only take up room.
func lastLine(hunk string) string {
	const most = 400
	hunk = strings.TrimRight(hunk, "\r\n")
	line := hunk[strings.LastIndexByte(hunk, '\n')+1:]
	if strings.HasPrefix(line, "@@") || line == "" {
		return ""
	}
	line = line[1:] // the sign
	return strings.ToValidUTF8(line[:min(len(line), most)], "")
}

func (r *reading) takeReplies(long *longThread, comments *connection[threadComment]) {
	t := &r.s.Threads[long.index]
	why := gather(&long.reel, comments, func(c *threadComment) {
		kept := pr.ThreadComment{
			ID:        c.ID,
			Author:    c.Author.actor(),
			Mine:      c.ViewerDidAuthor,
			Body:      c.Body,
			Code:      lastLine(c.DiffHunk),
			CreatedAt: c.CreatedAt.UTC(),
			URL:       c.URL,
		}
		if c.PullRequestReview != nil {
			kept.ReviewID = c.PullRequestReview.ID
			kept.Trusted = c.PullRequestReview.AuthorCanPushToRepository
		}
		if len(t.Comments) == 0 {
			t.URL = c.URL
		}
		t.Comments = append(t.Comments, kept)
	})
	if why != "" {
		r.lose(pr.FactThreads, "of the comments of a thread: "+why, "")
	}
}

// threadQuery is a further page of one thread.
type threadQuery struct {
	RateLimit *rateLimit
	Node      *struct {
		Thread struct {
			Comments *connection[threadComment] `graphql:"comments(first: $size, after: $after)"`
		} `graphql:"... on PullRequestReviewThread"`
	} `graphql:"node(id: $thread)"`
}

// thread reads the further comments of one thread.
func (r *reading) thread(ctx context.Context, long longThread) error {
	for long.reel.on {
		q, errs, err := askSized[threadQuery](ctx, r.c, &r.size, func(size int) map[string]any {
			return map[string]any{
				"thread": githubv4.ID(long.id),
				"size":   githubv4.Int(size), //nolint:gosec // At most 100.
				"after":  long.reel.cursor(),
			}
		})
		if err != nil {
			return err
		}
		for _, e := range errs {
			r.lose(pr.FactThreads, say(e), rightOf(e, parts[listThreads].right))
		}
		var comments *connection[threadComment]
		if q.Node != nil {
			comments = q.Node.Thread.Comments
		}
		r.takeReplies(&long, comments)
	}
	return nil
}

// event is e as a fact; false for a kind that was not asked for.
func (e *event) event() (pr.Event, bool) {
	var what happened
	kept := pr.Event{}
	switch e.Typename {
	case "ReviewRequestedEvent":
		kept.Kind, what, kept.Reviewer = pr.ReviewRequested, e.ReviewRequested.happened, e.ReviewRequested.RequestedReviewer.actor()
	case "ReviewRequestRemovedEvent":
		kept.Kind, what, kept.Reviewer = pr.ReviewRequestRemoved, e.ReviewRequestRemoved.happened, e.ReviewRequestRemoved.RequestedReviewer.actor()
	case "ReadyForReviewEvent":
		kept.Kind, what = pr.ReadyForReview, e.ReadyForReview.happened
	case "ConvertToDraftEvent":
		kept.Kind, what = pr.ConvertedToDraft, e.ConvertToDraft.happened
	case "ReopenedEvent":
		kept.Kind, what = pr.Reopened, e.Reopened.happened
	case "HeadRefForcePushedEvent":
		kept.Kind, what = pr.HeadForcePushed, e.HeadRefForcePushed.happened
	default:
		return pr.Event{}, false
	}
	kept.At, kept.Actor = what.CreatedAt.UTC(), what.Actor.actor()
	return kept, true
}

func (r *reading) takeRules(p *pullRequest) {
	if !r.reels[listRules].on {
		return
	}
	if p.BaseRef == nil {
		r.reels[listRules].on = false
		r.lose(pr.FactRules, "the base branch is gone", "")
		return
	}
	rules := &r.s.Rules
	if p.BaseRef.RefUpdateRule != nil && r.pages == 0 {
		for _, name := range p.BaseRef.RefUpdateRule.RequiredStatusCheckContexts {
			if name == nil {
				r.lose(pr.FactRules, "GitHub leaves out the name of a required check", "")
				continue
			}
			rules.RequiredContexts = append(rules.RequiredContexts, *name)
		}
	}
	page(r, listRules, p.BaseRef.Rules, func(u *rule) {
		switch u.Type {
		case "REQUIRED_STATUS_CHECKS", "WORKFLOWS", "COPILOT_CODE_REVIEW":
			if u.Parameters == nil {
				r.lose(pr.FactRules, "GitHub does not say what a rule demands", "")
				return
			}
		default:
			return
		}
		for _, c := range u.Parameters.Checks.RequiredStatusChecks {
			rules.RequiredContexts = append(rules.RequiredContexts, c.Context)
		}
		for _, w := range u.Parameters.Workflows.Workflows {
			rules.RequiredWorkflows = append(rules.RequiredWorkflows, w.Path)
		}
		rules.CopilotReviewOnPush = rules.CopilotReviewOnPush || u.Parameters.Copilot.ReviewOnPush
	})
}

// lostChecks reports whether a refusal about a workflow took its check along.
func (p *pullRequest) lostChecks() bool {
	if p.Commits == nil || len(p.Commits.Nodes) == 0 || p.Commits.Nodes[0] == nil || p.Commits.Nodes[0].Commit == nil {
		return true
	}
	rollup := p.Commits.Nodes[0].Commit.StatusCheckRollup
	return rollup == nil || rollup.Contexts == nil || rollup.Contexts.Nodes == nil || slices.ContainsFunc(rollup.Contexts.Nodes, func(c *check) bool {
		return c == nil || c.Typename == "CheckRun" && c.CheckRun.CheckSuite == nil
	})
}

func (r *reading) takeChecks(p *pullRequest, runsRefused bool) {
	if !r.reels[listSuites].on && !r.reels[listChecks].on {
		return
	}
	why := ""
	switch {
	case p.Commits == nil || len(p.Commits.Nodes) == 0 || p.Commits.Nodes[0] == nil || p.Commits.Nodes[0].Commit == nil:
		why = "GitHub leaves the head commit out"
	case p.Commits.Nodes[0].Commit.Oid != p.HeadRefOid:
		why = "GitHub still shows the checks of an earlier head"
	}
	if why != "" {
		r.lose(pr.FactChecks, why, "")
		r.reels[listSuites].on, r.reels[listChecks].on = false, false
		return
	}
	head := p.Commits.Nodes[0].Commit
	page(r, listSuites, head.CheckSuites, func(u *suite) {
		if at := u.CreatedAt.UTC(); r.s.HeadSuiteAt.IsZero() || at.Before(r.s.HeadSuiteAt) {
			r.s.HeadSuiteAt = at
		}
	})
	if head.StatusCheckRollup == nil {
		r.reels[listChecks].on = false // no check at all, or a refusal that was noted
		return
	}
	runs := r.reels[listRuns].on
	page(r, listChecks, head.StatusCheckRollup.Contexts, func(c *check) {
		kept, ok := c.check(runs, runsRefused)
		if !ok {
			r.lose(pr.FactChecks, "GitHub answers with a kind of check that prloop does not know", "")
			return
		}
		r.s.Checks = append(r.s.Checks, kept)
	})
}

// check is c as a fact; false for a kind that is not known. runs says that
// workflow runs were asked for, refused that GitHub refused some.
func (c *check) check(runs, refused bool) (pr.Check, bool) {
	switch c.Typename {
	case "StatusContext":
		s := c.StatusContext
		return pr.Check{
			Name:      s.Context,
			Status:    true,
			State:     s.State,
			Required:  s.IsRequired,
			StartedAt: timeOf(s.CreatedAt),
			URL:       s.TargetURL,
			// A commit status belongs to no workflow.
			WorkflowKnown: true,
		}, true
	case "CheckRun":
		u := c.CheckRun
		kept := pr.Check{
			Name:       u.Name,
			State:      u.Status,
			Conclusion: valueOf(u.Conclusion),
			Required:   u.IsRequired,
			ID:         u.DatabaseID,
			StartedAt:  timeOf(u.StartedAt),
			URL:        u.DetailsURL,
			ExternalID: valueOf(u.ExternalID),
		}
		if u.CheckSuite == nil {
			return kept, true
		}
		if u.CheckSuite.App != nil {
			kept.App = u.CheckSuite.App.Slug
		}
		w := u.CheckSuite.WorkflowRun
		kept.WorkflowKnown = runs && (w != nil || !refused)
		if w != nil {
			kept.Workflow, kept.WorkflowPath = w.Workflow.Name, w.path()
			kept.RunID, kept.RunNumber, kept.RunAttempt = w.DatabaseID, w.RunNumber, w.RunAttempt
		}
		return kept, true
	}
	return pr.Check{}, false
}

func (r *reading) takeMerging(m *mergeFields) {
	s := &r.s
	s.MergedAt, s.MergedBy = timeOf(m.MergedAt), m.MergedBy.actor()
	if m.MergeCommit != nil {
		s.MergeCommit = m.MergeCommit.Oid
	}
	if a := m.AutoMergeRequest; a != nil {
		s.AutoMerge = &pr.AutoMerge{At: timeOf(a.EnabledAt), By: a.EnabledBy.actor(), Method: a.MergeMethod}
	}
	if e := m.MergeQueueEntry; e != nil {
		s.Queue = &pr.QueueEntry{At: e.EnqueuedAt.UTC(), By: e.Enqueuer.actor(), State: e.State}
	}
	s.HasQueue, s.HeadDeleted = m.IsMergeQueueEnabled, m.HeadRef == nil
}

// done puts everything into its order.
func (r *reading) done() *pr.Snapshot {
	s := &r.s
	s.At = r.c.Now()
	s.Record = r.record.record
	if s.Repo.IssuesOff { // then there is no record to know
		unknown := s.Unknown
		s.Record, s.Unknown = pr.Record{}, nil
		for _, u := range unknown {
			if u.Fact != pr.FactRecord {
				s.Unknown = append(s.Unknown, u)
			}
		}
	}
	slices.Sort(s.Labels)
	sort.SliceStable(s.Comments, func(i, j int) bool { return s.Comments[i].CreatedAt.Before(s.Comments[j].CreatedAt) })
	sort.SliceStable(s.Reviews, func(i, j int) bool { return submitted(s.Reviews[i]).Before(submitted(s.Reviews[j])) })
	sort.SliceStable(s.Events, func(i, j int) bool { return s.Events[i].At.Before(s.Events[j].At) })
	s.Rules.RequiredContexts = set(s.Rules.RequiredContexts)
	s.Rules.RequiredWorkflows = set(s.Rules.RequiredWorkflows)
	return s
}

// submitted is when a review was submitted; one that is not yet comes last.
func submitted(v pr.Review) time.Time {
	if v.SubmittedAt.IsZero() {
		return time.Unix(1<<40, 0)
	}
	return v.SubmittedAt
}

// set sorts names and leaves out doubles.
func set(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
