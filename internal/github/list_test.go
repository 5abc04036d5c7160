package github

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

const quietList = `{
  "rateLimit": {"cost": 2},
  "viewer": {"login": "github-actions[bot]", "databaseId": 41898282},
  "repository": {
    "name": "demo", "owner": {"login": "octo"}, "hasIssuesEnabled": true, "defaultBranchRef": {"name": "main"},
    "config": null,
    "issues": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
    "ended": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
    "pullRequests": {"nodes": [{
      "number": 7, "isDraft": false, "author": {"__typename": "User", "login": "Mona", "databaseId": 5},
      "headRefOid": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "headRepository": {"nameWithOwner": "octo/demo"},
      "baseRefName": "main", "baseRefOid": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
      "createdAt": "2026-10-05T10:00:00Z", "updatedAt": "2026-10-05T11:00:00Z", "mergeStateStatus": "CLEAN",
      "labels": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "statusCheckRollup": null,
      "reviewThreads": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "reviewRequests": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "reviews": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "oldest": {"totalCount": 0, "nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}},
      "newest": {"nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}}
    }], "pageInfo": {"hasNextPage": false, "endCursor": null}}
  }
}`

func quietPage() Page {
	return Page{
		At:     noon,
		Viewer: pr.Actor{Login: "github-actions", Bot: true, ID: 41898282},
		Repo:   pr.Repo{Owner: "octo", Name: "demo", DefaultBranch: "main"},
		Config: pr.File{Path: ".github/prloop.yml"},
		Pulls: []Listed{{
			Number: 7, Author: pr.Actor{Login: "mona", ID: 5}, Head: head, HeadRepo: "octo/demo",
			Base:      pr.Branch{Name: "main", OID: other},
			CreatedAt: noon.Add(-2 * time.Hour), UpdatedAt: noon.Add(-time.Hour), MergeState: "CLEAN",
		}},
	}
}

// inFirst is the place of a field of the first pull request.
func inFirst(field, json string) change {
	return change{"repository.pullRequests.nodes.0." + field, json}
}

func listing7(t *testing.T, answers ...answer) (Page, *hub, error) {
	t.Helper()
	h := &hub{t: t, answer: func(n int, _ map[string]any) answer { return answers[min(n, len(answers)-1)] }}
	c, _ := client(t, h)
	p, err := c.List(t.Context(), "", ListSize, Want{ConfigPath: ".github/prloop.yml"})
	return p, h, err
}

func TestListKeepsEveryField(t *testing.T) {
	said := func(id string) string {
		return `{"id":"` + id + `","fullDatabaseId":"1","author":null,"viewerDidAuthor":true,"body":"text","createdAt":"2026-10-05T10:30:00Z","updatedAt":"2026-10-05T10:30:00Z","lastEditedAt":null,"editor":null,"isMinimized":false}`
	}
	got, h, err := listing7(t, edited(t, quietList, "",
		change{"repository.config", `{"__typename":"Blob","isTruncated":false,"text":"reviewers: {}\n"}`},
		change{"repository.issues", nodes(`{"id":"I_3","number":5,"state":"OPEN","body":"the record","viewerDidAuthor":true}`)},
		change{"repository.pullRequests.pageInfo", `{"hasNextPage":true,"endCursor":"p2"}`},
		inFirst("isDraft", "true"), inFirst("author", "null"), inFirst("headRepository", "null"),
		inFirst("labels", nodes(`{"name":"prloop"}`, `{"name":"bug"}`)),
		inFirst("statusCheckRollup", `{"state":"FAILURE","contexts":{"checkRunCountsByState":[{"state":"SUCCESS","count":3},{"state":"FAILURE","count":1},{"state":"QUEUED","count":0}],"statusContextCountsByState":[{"state":"PENDING","count":2}]}}`),
		inFirst("reviewThreads", nodes(`{"id":"T_2","isResolved":true}`, `{"id":"T_1","isResolved":false}`)),
		inFirst("reviewRequests", nodes(`{"requestedReviewer":{"__typename":"User","login":"Hubot","databaseId":6}}`, `{"requestedReviewer":{"__typename":"Team"}}`)),
		inFirst("reviews", nodes(`{"id":"R_1","author":null,"authorCanPushToRepository":true,"state":"APPROVED","commit":null,"submittedAt":"2026-10-05T10:45:00Z","body":"","url":""}`)),
		inFirst("oldest", strings.Replace(nodes(said("C_1"), said("C_2")), "{", `{"totalCount":40,`, 1)),
		inFirst("newest", nodes(said("C_2"), said("C_3"))),
	))
	if err != nil {
		t.Fatal(err)
	}
	at := func(minute int) time.Time { return time.Date(2026, 10, 5, 10, minute, 0, 0, time.UTC) }
	text := func(id string) pr.Comment {
		return pr.Comment{ID: id, DatabaseID: 1, Mine: true, Body: "text", CreatedAt: at(30), UpdatedAt: at(30)}
	}
	want := quietPage()
	want.Next = "p2"
	want.Config.Found, want.Config.Text = true, "reviewers: {}\n"
	want.Record = pr.Record{Number: 5, ID: "I_3", Body: "the record"}
	l := &want.Pulls[0]
	l.Draft, l.Author, l.HeadRepo = true, pr.Actor{}, ""
	l.Labels = []string{"bug", "prloop"}
	l.Rollup = "FAILURE"
	l.Checks = []pr.Count{{State: "FAILURE", N: 1}, {State: "SUCCESS", N: 3}, {Status: true, State: "PENDING", N: 2}}
	l.Threads = []pr.ListedThread{{ID: "T_2", Resolved: true}, {ID: "T_1"}}
	l.Requests = []pr.Actor{{Login: "hubot", ID: 6}}
	l.Reviews = []pr.Review{{ID: "R_1", Trusted: true, State: pr.Approved, SubmittedAt: at(45)}}
	l.Comments, l.CommentCount = []pr.Comment{text("C_1"), text("C_2"), text("C_3")}, 40
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	if len(h.vars) != 1 || h.vars[0]["size"] != 25. || h.vars[0]["after"] != nil || h.vars[0]["withRecord"] != true {
		t.Errorf("asked %v", h.vars)
	}
}

// What the listing does not show in full, and where it says so.
func TestListOfHalfAnAnswer(t *testing.T) {
	const hidden = "GitHub does not show it to this token"
	const more = "there are more than the listing shows"
	tests := []struct {
		name    string
		changes []change
		errs    string
		page    []pr.Unknown
		pull    []pr.Unknown
		gone    bool // the pull request is not on the page
	}{
		{name: "nothing is missing"},
		{
			name: "checks may not be read",
			errs: `[{"type":"FORBIDDEN","path":["repository","pullRequests","nodes",0,"statusCheckRollup"],"message":"Resource not accessible by integration"}]`,
			pull: []pr.Unknown{{Fact: pr.FactChecks, Why: hidden, Right: "checks: read"}},
		},
		{
			name: "lists that go on",
			changes: []change{
				inFirst("labels.pageInfo", `{"hasNextPage":true,"endCursor":"x"}`),
				inFirst("reviewThreads.pageInfo", `{"hasNextPage":true,"endCursor":"x"}`),
				inFirst("reviewRequests.pageInfo", `{"hasNextPage":true,"endCursor":"x"}`),
			},
			pull: []pr.Unknown{{Fact: pr.FactPullRequest, Why: more}, {Fact: pr.FactThreads, Why: more}, {Fact: pr.FactRequests, Why: more}},
		},
		{
			name: "lists that are null",
			changes: []change{
				inFirst("reviewThreads", "null"), inFirst("reviews.nodes", "null"), inFirst("newest", "null"), inFirst("oldest", "null"),
				inFirst("statusCheckRollup", `{"state":"SUCCESS","contexts":null}`),
			},
			pull: []pr.Unknown{
				{Fact: pr.FactThreads, Why: "GitHub leaves it out"},
				{Fact: pr.FactReviews, Why: "GitHub leaves it out"},
				{Fact: pr.FactComments, Why: "GitHub leaves it out"},
				{Fact: pr.FactChecks, Why: "GitHub leaves it out"},
			},
		},
		{
			name:    "a pull request that is null",
			changes: []change{{"repository.pullRequests.nodes", "[null]"}},
			page:    []pr.Unknown{{Fact: pr.FactPullRequest, Why: "GitHub leaves out an entry"}},
			gone:    true,
		},
		{
			name:    "a pull request that a refusal took along",
			changes: []change{{"repository.pullRequests.nodes", "[null]"}},
			errs:    `[{"type":"FORBIDDEN","path":["repository","pullRequests","nodes",0,"reviewThreads"],"message":"no"}]`,
			page:    []pr.Unknown{{Fact: pr.FactPullRequest, Why: hidden, Right: "pull-requests: read"}},
			gone:    true,
		},
		{
			name:    "the list is null",
			changes: []change{{"repository.pullRequests.nodes", "null"}},
			page:    []pr.Unknown{{Fact: pr.FactPullRequest, Why: "GitHub leaves the list out"}},
			gone:    true,
		},
		{
			name:    "the list goes on and does not say where",
			changes: []change{{"repository.pullRequests.pageInfo", `{"hasNextPage":true,"endCursor":null}`}},
			page:    []pr.Unknown{{Fact: pr.FactPullRequest, Why: "GitHub announces a further page and does not say which"}},
		},
		{
			name:    "the configuration is a folder",
			changes: []change{{"repository.config", `{"__typename":"Tree"}`}},
			page:    []pr.Unknown{{Fact: pr.FactConfig, Why: "it is no file"}},
		},
		{
			name:    "more issues than the record can be found among",
			changes: []change{{"repository.issues.pageInfo", `{"hasNextPage":true,"endCursor":"x"}`}},
			page:    []pr.Unknown{{Fact: pr.FactRecord, Why: "there are too many issues with the label prloop"}},
		},
		{
			name: "an error without a path",
			errs: `[{"type":"INTERNAL","message":"x"}]`,
			page: []pr.Unknown{{Fact: pr.FactPullRequest, Why: "GitHub answers with the error INTERNAL"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := listing7(t, edited(t, quietList, tt.errs, tt.changes...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.page, got.Unknown); diff != "" {
				t.Errorf("the page (-want +got):\n%s", diff)
			}
			if tt.gone {
				if len(got.Pulls) > 0 {
					t.Errorf("it is on the page: %+v", got.Pulls)
				}
				return
			}
			want := quietPage().Pulls
			want[0].Unknown = tt.pull
			if diff := cmp.Diff(want[0].Unknown, got.Pulls[0].Unknown); diff != "" {
				t.Errorf("the pull request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListAsksAgainWithoutTheRecord(t *testing.T) {
	first := edited(t, `{"rateLimit":{"cost":1},"viewer":{"login":"x","databaseId":1},"repository":null}`, `[{"type":"FORBIDDEN","path":["repository","issues"],"message":"no"}]`)
	got, h, err := listing7(t, first, edited(t, quietList, ""))
	if err != nil {
		t.Fatal(err)
	}
	want := []pr.Unknown{{Fact: pr.FactRecord, Why: "GitHub does not show it to this token", Right: "issues: read"}}
	if diff := cmp.Diff(want, got.Unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	if len(got.Pulls) != 1 || len(h.vars) != 2 || h.vars[1]["withRecord"] != false {
		t.Errorf("%d pull requests, asked %v", len(got.Pulls), h.vars)
	}
}

func TestListErrors(t *testing.T) {
	_, _, err := listing7(t, edited(t, quietList, `[{"type":"NOT_FOUND","path":["repository"],"message":"x"}]`, change{"repository", "null"}))
	checkWhat(t, `The repository "octo/demo" is not there, or the token may not see it`, err)
	_, _, err = listing7(t, edited(t, quietList, "", change{"repository", "null"}))
	checkError(t, ErrUnavailable, err)
	_, h, err := listing7(t, answer{status: 502})
	checkError(t, ErrUnavailable, err)
	var sizes []any
	for _, v := range h.vars {
		sizes = append(sizes, v["size"])
	}
	if diff := cmp.Diff([]any{25., 12., 6., 2.}, sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	_, _, err = listing7(t, answer{status: 429, header: map[string]string{"Retry-After": "3600"}})
	checkError(t, new(RateLimited), err)
}

// A hundred pull requests are four requests of two points each; every one is
// listed once, and no closed one.
func TestLiveList(t *testing.T) {
	l := newLive(t)
	l.w.SetFile(".github/prloop.yml", "reviewers: {}\n")
	record := l.w.OpenIssue(githubtest.ActionsBot, "prloop", "the record", "prloop")
	want := []int{l.n}
	for i := range 100 {
		n := l.w.OpenPR(githubtest.PR{Author: "mona", Draft: i%2 == 0})
		if i == 50 {
			l.w.Close(n, "mona")
			continue
		}
		want = append(want, n)
		l.w.Advance(time.Second)
	}
	for i := range 40 {
		l.w.Comment(l.n, githubtest.ActionsBot, fmt.Sprint(i))
	}
	l.w.Check(l.n, githubtest.Check{Name: "build", Conclusion: "FAILURE"})
	l.w.Check(l.n, githubtest.Check{Name: "deploy", Conclusion: "PENDING", StatusOnly: true})
	l.w.Review(l.n, githubtest.Submitted{By: "hubot", Findings: findings(3)})
	l.w.Resolve(l.w.Pull(l.n).Threads[1].ID, "mona")

	c := l.client()
	var got []int
	var first Page
	for after := ""; ; {
		p, err := c.List(t.Context(), after, ListSize, Want{ConfigPath: ".github/prloop.yml"})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Unknown) > 0 {
			t.Errorf("unknown: %v", p.Unknown)
		}
		if after == "" {
			first = p
		} else if p.Config != (pr.File{}) || p.Record != (pr.Record{}) {
			t.Errorf("a later page has %v and %v", p.Config, p.Record)
		}
		for _, pull := range p.Pulls {
			got = append(got, pull.Number)
			if len(pull.Unknown) > 0 {
				t.Errorf("of %d unknown: %v", pull.Number, pull.Unknown)
			}
		}
		if after = p.Next; after == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Counts{Requests: 4, Points: 8}, c.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if first.Record.Number != record || first.Config.Text != "reviewers: {}\n" || !first.Viewer.Bot {
		t.Errorf("the first page has %v, %v and %v", first.Record, first.Config, first.Viewer)
	}
	pull := first.Pulls[0]
	var bodies []string
	for _, c := range pull.Comments {
		bodies = append(bodies, c.Body)
	}
	if want := "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39"; strings.Join(bodies, " ") != want || pull.CommentCount != 40 {
		t.Errorf("%d comments: %q", pull.CommentCount, bodies)
	}
	checks := []pr.Count{{State: "FAILURE", N: 1}, {Status: true, State: "PENDING", N: 1}}
	if diff := cmp.Diff(checks, pull.Checks); diff != "" || pull.Rollup != "FAILURE" {
		t.Errorf("rollup %s, counts (-want +got):\n%s", pull.Rollup, diff)
	}
	var resolved []bool
	for _, th := range pull.Threads {
		resolved = append(resolved, th.Resolved)
	}
	if diff := cmp.Diff([]bool{false, true, false}, resolved); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
}

func TestListAsksForWhatItIsToldTo(t *testing.T) {
	h := &hub{t: t, answer: func(int, map[string]any) answer {
		return edited(t, strings.Replace(quietList, `"config": null,`, "", 1), "")
	}}
	c, _ := client(t, h)
	for _, first := range []int{-1, 10, 1000} {
		if _, err := c.List(t.Context(), "p2", first, Want{ConfigPath: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	type asked struct{ size, after, config, record any }
	var got []asked
	for _, v := range h.vars {
		got = append(got, asked{v["size"], v["after"], v["withConfig"], v["withRecord"]})
	}
	want := []asked{{1., "p2", false, false}, {10., "p2", false, false}, {100., "p2", false, false}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(asked{})); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
