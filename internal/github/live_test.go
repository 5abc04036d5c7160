package github

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// readOnly are the rights that deciding needs, and issues for the record.
func readOnly(without ...string) map[string]string {
	rights := map[string]string{}
	for _, name := range []string{"contents", "pull-requests", "issues", "checks", "statuses", "actions"} {
		if !slices.Contains(without, name) {
			rights[name] = "read"
		}
	}
	return rights
}

// A live test reads pull request n of a world.
type live struct {
	*testing.T
	w *githubtest.World
	n int
}

func newLive(t *testing.T, without ...string) *live {
	t.Helper()
	w := githubtest.New(githubtest.Options{})
	w.AddToken(githubtest.Token{Value: "wf", Kind: githubtest.Workflow, Rights: readOnly(without...)})
	w.AddAccount(githubtest.Account{Login: "mona", Permission: "write"})
	w.AddAccount(githubtest.Account{Login: "hubot", Permission: "read"})
	l := &live{T: t, w: w, n: w.OpenPR(githubtest.PR{Author: "mona"})}
	w.Advance(time.Minute)
	return l
}

func (l *live) client() *Client {
	l.Helper()
	c, err := New(Options{
		Token: "wf", Owner: "octo", Repo: "demo", Transport: l.w.Transport(),
		Backoff: func(int, *http.Response) time.Duration { return 0 },
	})
	if err != nil {
		l.Fatal(err)
	}
	return c
}

// read takes a snapshot and returns it with the number of requests it took.
func (l *live) read() (*pr.Snapshot, Counts) {
	l.Helper()
	c := l.client()
	s, err := c.Snapshot(l.Context(), l.n, Want{ConfigPath: ".github/prloop.yml"})
	if err != nil {
		l.Fatal(err)
	}
	if !s.At.Equal(l.w.Now()) {
		l.Errorf("the snapshot is of %v, and it is %v", s.At, l.w.Now())
	}
	return s, c.Counts()
}

// What stands of a merge: armed, in the queue, made.
func TestLiveMerge(t *testing.T) {
	type merge struct {
		State     pr.State
		At        time.Time
		By        pr.Login
		Commit    pr.SHA
		Armed     *pr.AutoMerge
		Queue     *pr.QueueEntry
		HasQueue  bool
		HeadThere bool
	}
	l := newLive(t)
	see := func() merge {
		t.Helper()
		s, counts := l.read()
		if counts.Requests != 1 || counts.Points != 1 || len(s.Unknown) > 0 {
			t.Errorf("%+v, unknown: %v", counts, s.Unknown)
		}
		return merge{s.State, s.MergedAt, s.MergedBy.Login, s.MergeCommit, s.AutoMerge, s.Queue, s.HasQueue, !s.HeadDeleted}
	}
	same := func(want merge) {
		t.Helper()
		got := see()
		if got.Armed != nil {
			got.Armed.By.ID = 0
		}
		if got.Queue != nil {
			got.Queue.By.ID = 0
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	same(merge{State: pr.Open, HeadThere: true})
	armed := l.w.Now()
	l.w.SetRules("", githubtest.Rules{Approvals: 1}) // holds it back
	l.w.SetPull(l.n, func(p *githubtest.Pull) {
		p.AutoMerge = &githubtest.AutoMerge{At: armed, By: "mona", Method: "SQUASH"}
	})
	same(merge{State: pr.Open, HeadThere: true, Armed: &pr.AutoMerge{At: armed, By: pr.Actor{Login: "mona"}, Method: pr.Squash}})
	l.w.SetRules("", githubtest.Rules{MergeQueue: true})
	l.w.SetPull(l.n, func(p *githubtest.Pull) { p.AutoMerge, p.Queued = nil, true })
	same(merge{State: pr.Open, HeadThere: true, HasQueue: true, Queue: &pr.QueueEntry{At: l.w.Pull(l.n).UpdatedAt, By: pr.Actor{Login: "mona"}, State: "QUEUED"}})
	commit := l.w.Merge(l.n, "mona")
	same(merge{State: pr.Merged, HeadThere: true, HasQueue: true, At: l.w.Pull(l.n).MergedAt, By: "mona", Commit: pr.SHA(commit)})
}

// A pull request with something of everything is one request of one point.
func TestLivePullRequest(t *testing.T) {
	l := newLive(t)
	l.w.SetFile(".github/prloop.yml", "reviewers: {}\n")
	l.w.SetRules("", githubtest.Rules{Contexts: []string{"build"}, Checks: []string{"lint"}, Workflows: []string{".github/workflows/ci.yml"}, Copilot: &githubtest.CopilotRule{OnPush: true}})
	record := l.w.OpenIssue(githubtest.ActionsBot, "prloop", "the record", "prloop")
	l.w.OpenIssue("hubot", "mine", "a stranger's", "prloop")
	l.w.Label(l.n, "mona", "prloop")
	l.w.Check(l.n, githubtest.Check{Name: "build", Conclusion: "SUCCESS", Required: true})
	l.w.Check(l.n, githubtest.Check{Name: "deploy", Conclusion: "PENDING", StatusOnly: true})
	l.w.Comment(l.n, githubtest.ActionsBot, "mine")
	edited := l.w.Comment(l.n, "hubot", "theirs")
	l.w.Advance(time.Minute)
	l.w.EditComment(edited, "mona", "changed")
	l.w.Request(l.n, "mona", githubtest.CopilotReviewer)
	l.w.Advance(time.Minute)
	l.w.Review(l.n, githubtest.Submitted{By: "hubot", Findings: []githubtest.Finding{{Path: "a.go", Line: 3, Text: "Off by one."}}})
	thread := l.w.Pull(l.n).Threads[0]
	l.w.Advance(time.Minute)
	l.w.Reply(thread.ID, githubtest.ActionsBot, "Done.")
	l.w.Draft(l.n, "mona")

	got, counts := l.read()
	if diff := cmp.Diff(Counts{Requests: 1, Points: 1}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if len(got.Unknown) > 0 {
		t.Errorf("unknown: %v", got.Unknown)
	}
	pull := l.w.Pull(l.n)
	t0 := pull.CreatedAt
	us := got.Viewer
	if us.Login != "github-actions" || !us.Bot || us.ID == 0 {
		t.Errorf("the viewer is %+v", us)
	}
	id := func(login pr.Login) int64 {
		for _, a := range append([]pr.Actor{got.Author, got.Comments[1].Author}, got.Requests...) {
			if a.Login == login {
				return a.ID
			}
		}
		return 0
	}
	mona, hubot := pr.Actor{Login: "mona", ID: id("mona")}, pr.Actor{Login: "hubot", ID: id("hubot")}
	copilot := pr.Actor{Login: pr.CopilotReviewer, Bot: true, ID: pr.CopilotReviewerID}
	want := &pr.Snapshot{
		At: l.w.Now(), Repo: pr.Repo{Owner: "octo", Name: "demo", DefaultBranch: "main"}, Viewer: us,
		Found: true, ID: pull.ID, Number: l.n, URL: got.URL, Title: pull.Title, State: pr.Open, Draft: true, Author: mona,
		Head: pr.SHA(pull.Head), HeadRef: pull.HeadRef, HeadRepo: "octo/demo", Base: pr.Branch{Name: "main", OID: got.Base.OID},
		Labels: []string{"prloop"}, CreatedAt: t0, UpdatedAt: pull.UpdatedAt, MergeState: got.MergeState, ChangedFiles: 1,
		HeadSuiteAt: t0.Add(time.Minute),
		Comments: []pr.Comment{
			{ID: pull.Comments[0].ID, DatabaseID: pull.Comments[0].DatabaseID, Author: us, Mine: true, Body: "mine", CreatedAt: t0.Add(time.Minute), UpdatedAt: t0.Add(time.Minute)},
			{ID: pull.Comments[1].ID, DatabaseID: pull.Comments[1].DatabaseID, Author: hubot, Body: "changed", CreatedAt: t0.Add(time.Minute), UpdatedAt: t0.Add(2 * time.Minute), EditedAt: t0.Add(2 * time.Minute), Editor: mona},
		},
		Reviews: got.Reviews, Threads: got.Threads, // below
		Requests: []pr.Actor{copilot},
		Events: []pr.Event{
			{Kind: pr.ReviewRequested, At: t0.Add(2 * time.Minute), Actor: mona, Reviewer: copilot},
			{Kind: pr.ConvertedToDraft, At: t0.Add(4 * time.Minute), Actor: mona},
		},
		Rules: pr.Rules{RequiredContexts: []string{"build", "lint"}, RequiredWorkflows: []string{".github/workflows/ci.yml"}, CopilotReviewOnPush: true},
		Checks: []pr.Check{
			{Name: "build", State: "COMPLETED", Conclusion: "SUCCESS", Required: true, ID: got.Checks[0].ID, App: "github-actions", StartedAt: t0.Add(time.Minute), URL: got.Checks[0].URL, WorkflowKnown: true, Workflow: "CI", WorkflowPath: ".github/workflows/ci.yml", RunID: got.Checks[0].RunID, RunNumber: 1, RunAttempt: 1},
			{Name: "deploy", Status: true, State: "PENDING", StartedAt: t0.Add(time.Minute), WorkflowKnown: true},
		},
		Config: pr.File{Path: ".github/prloop.yml", Found: true, Text: "reviewers: {}\n"},
		Record: pr.Record{Number: record, ID: got.Record.ID, Body: "the record"},
		Merges: pr.Merges{Auto: true, Methods: []pr.MergeMethod{pr.MergeCommits, pr.Squash, pr.Rebase}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if got.MergeState == "" || got.Base.OID == "" || got.Checks[0].ID == 0 || got.Checks[0].RunID == 0 || got.Record.ID == "" || mona.ID == 0 || hubot.ID == 0 {
		t.Errorf("something is empty: %+v", got)
	}
	// The review of hubot, and the container of our reply.
	if len(got.Reviews) != 2 || len(got.Threads) != 1 || len(got.Threads[0].Comments) != 2 {
		t.Fatalf("reviews %+v, threads %+v", got.Reviews, got.Threads)
	}
	first := got.Threads[0].Comments[0]
	wantThread := pr.Thread{
		ID: thread.ID, Path: "a.go", Line: 3, OriginalLine: 3, URL: first.URL,
		Comments: []pr.ThreadComment{
			{ID: thread.Comments[0].ID, Author: hubot, Body: "Off by one.", Code: "\tcode()", CreatedAt: t0.Add(3 * time.Minute), ReviewID: got.Reviews[0].ID, URL: first.URL},
			{ID: got.Threads[0].Comments[1].ID, Author: us, Mine: true, Trusted: got.Reviews[1].Trusted, Body: "Done.", Code: "\tcode()", CreatedAt: t0.Add(4 * time.Minute), ReviewID: got.Reviews[1].ID, URL: got.Threads[0].Comments[1].URL},
		},
	}
	if diff := cmp.Diff(wantThread, got.Threads[0]); diff != "" {
		t.Errorf("thread (-want +got):\n%s", diff)
	}
	wantReview := pr.Review{ID: got.Reviews[0].ID, Author: hubot, State: pr.Commented, Commit: pr.SHA(pull.Head), SubmittedAt: t0.Add(3 * time.Minute), URL: got.Reviews[0].URL}
	if diff := cmp.Diff(wantReview, got.Reviews[0]); diff != "" {
		t.Errorf("review (-want +got):\n%s", diff)
	}
}

// Lists that are longer than a page come whole.
func TestLiveSecondPages(t *testing.T) {
	t.Run("of every list of the pull request", func(t *testing.T) {
		t.Parallel()
		l := newLive(t)
		for i := range 105 {
			l.w.Comment(l.n, "mona", fmt.Sprint(i))
		}
		for i := range 101 {
			l.w.Review(l.n, githubtest.Submitted{By: "hubot", Body: fmt.Sprint(i)})
		}
		l.w.Review(l.n, githubtest.Submitted{By: "hubot", Findings: findings(120)})
		for range 50 {
			l.w.Draft(l.n, "mona")
			l.w.Ready(l.n, "mona")
		}
		l.w.Draft(l.n, "mona")
		for i := range 150 {
			l.w.Check(l.n, githubtest.Check{Name: fmt.Sprintf("check %d", i), Conclusion: "SUCCESS"})
		}
		for i := range 102 {
			l.w.Check(l.n, githubtest.Check{Name: "scan", App: fmt.Sprintf("app-%d", i), Conclusion: "SUCCESS"})
			l.w.Label(l.n, "mona", fmt.Sprintf("label %d", i))
			l.w.AddAccount(githubtest.Account{Login: fmt.Sprintf("reader-%d", i), Permission: "write"})
			l.w.Request(l.n, "mona", fmt.Sprintf("reader-%d", i))
			l.w.OpenIssue("mona", "noise", "", "prloop")
		}
		record := l.w.OpenIssue(githubtest.ActionsBot, "prloop", "the record", "prloop")

		s, counts := l.read()
		got := map[string]int{
			"comments": len(s.Comments), "reviews": len(s.Reviews), "threads": len(s.Threads), "events": 0,
			"checks": len(s.Checks), "labels": len(s.Labels), "requests": len(s.Requests), "record": s.Record.Number,
		}
		for _, e := range s.Events {
			if e.Kind != pr.ReviewRequested {
				got["events"]++
			}
		}
		want := map[string]int{
			"comments": 105, "reviews": 102, "threads": 120, "events": 101,
			"checks": 252, "labels": 102, "requests": 102, "record": record,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(s.Unknown) > 0 {
			t.Errorf("unknown: %v", s.Unknown)
		}
		// 203 events and 252 checks are the longest lists.
		if diff := cmp.Diff(Counts{Requests: 3, Points: 3}, counts); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		seen := map[string]bool{}
		for i, c := range s.Comments {
			if c.Body != fmt.Sprint(i) || seen[c.ID] {
				t.Errorf("comment %d is %q", i, c.Body)
			}
			seen[c.ID] = true
		}
	})
	t.Run("of the comments of a thread", func(t *testing.T) {
		t.Parallel()
		l := newLive(t)
		l.w.Review(l.n, githubtest.Submitted{By: "hubot", Findings: findings(2)})
		id := l.w.Pull(l.n).Threads[1].ID
		for i := range 229 {
			l.w.Reply(id, "mona", fmt.Sprint(i+1))
		}
		s, counts := l.read()
		if len(s.Unknown) > 0 || len(s.Threads) != 2 || len(s.Threads[0].Comments) != 1 || len(s.Threads[1].Comments) != 230 {
			t.Fatalf("unknown %v, threads %d", s.Unknown, len(s.Threads))
		}
		for i, c := range s.Threads[1].Comments[1:] {
			if c.Body != fmt.Sprint(i+1) || !c.Trusted {
				t.Errorf("comment %d is %+v", i+1, c)
			}
		}
		// The 230 reviews that hold the comments take three pages; the thread
		// two more of its own.
		if counts.Requests != 5 {
			t.Errorf("%d requests, want 5", counts.Requests)
		}
	})
}

func findings(n int) (list []githubtest.Finding) {
	for i := range n {
		list = append(list, githubtest.Finding{Path: "a.go", Line: i + 1, Text: fmt.Sprint(i)})
	}
	return list
}

// What belongs to a pull request comes with it, at the same one point.
func TestLiveLinks(t *testing.T) {
	l := newLive(t, "nothing")
	issue := l.w.OpenIssue("mona", "It breaks", "always", "quest")
	parent := l.w.OpenPR(githubtest.PR{Author: "mona", HeadRef: "parent"})
	l.w.OpenPR(githubtest.PR{Author: "stranger", HeadRef: "parent", HeadRepo: "stranger/demo"}) // a branch of that name elsewhere
	l.n = l.w.OpenPR(githubtest.PR{Author: "mona", Base: "parent", Closes: []int{issue}})
	got, counts := l.read()
	if diff := cmp.Diff([]pr.Linked{{Number: parent, State: pr.Open, Head: pr.SHA(l.w.Pull(parent).Head)}}, got.Parents); diff != "" {
		t.Errorf("parents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]pr.Linked{{Number: issue, State: pr.Open, Labels: []string{"quest"}}}, got.Closes); diff != "" {
		t.Errorf("closes (-want +got):\n%s", diff)
	}
	if counts.Requests != 1 || counts.Points != 1 {
		t.Errorf("it cost %+v", counts)
	}
}

// Pull requests of the very head come with it, at the same one point. One that is
// closed, or only built upon the head, is none.
func TestLiveTwins(t *testing.T) {
	l := newLive(t, "nothing")
	head := l.w.Pull(l.n).Head
	open := func(o githubtest.PR) int {
		o.Author, o.Head = "mona", head
		return l.w.OpenPR(o)
	}
	twin := open(githubtest.PR{HeadRef: "twin", Base: "release", Labels: []string{"b", "a"}})
	fork := open(githubtest.PR{HeadRef: "fork", HeadRepo: "stranger/demo"})
	l.w.Close(open(githubtest.PR{HeadRef: "closed"}), "mona")
	l.w.Push(open(githubtest.PR{HeadRef: "upon"}), githubtest.Push{By: "mona"})
	got, counts := l.read()
	want := []pr.Linked{
		{Number: twin, State: pr.Open, Head: pr.SHA(head), Base: "release", Labels: []string{"a", "b"}},
		{Number: fork, State: pr.Open, Head: pr.SHA(head), Base: "main", Fork: true},
	}
	for i := range got.Twins {
		if got.Twins[i].Author.Login != "mona" || got.Twins[i].Author.Bot {
			t.Errorf("its author is %+v", got.Twins[i].Author)
		}
		got.Twins[i].Author = pr.Actor{}
	}
	if diff := cmp.Diff(want, got.Twins); diff != "" {
		t.Errorf("twins (-want +got):\n%s", diff)
	}
	if counts.Requests != 1 || counts.Points != 1 {
		t.Errorf("it cost %+v", counts)
	}
	for range 9 {
		open(githubtest.PR{HeadRef: "more"})
	}
	if got, _ := l.read(); got.Missing(pr.FactTwins) == nil {
		t.Error("where there are more than a page nobody knows, and it says nothing")
	}
}

// An issue comes in one request of one point, with what closes it.
func TestLiveIssue(t *testing.T) {
	l := newLive(t, "nothing")
	n := l.w.OpenIssue("mona", "It breaks", "Always.", "quest", "bug")
	l.w.SetFile(".github/prloop.yml", "issues: {label: quest}\n")
	l.w.OpenIssue(githubtest.ActionsBot, "prloop", "the record", "prloop")
	l.w.Comment(n, "hubot", "Here too.")
	fork := l.w.OpenPR(githubtest.PR{Author: "stranger", HeadRepo: "stranger/demo", Closes: []int{n}})
	own := l.w.OpenPR(githubtest.PR{Author: "mona", Closes: []int{n}})
	c := l.client()
	got, err := c.Issue(t.Context(), n, Want{ConfigPath: ".github/prloop.yml"})
	if err != nil {
		t.Fatal(err)
	}
	want := []pr.Linked{
		{Number: fork, State: pr.Open, Head: pr.SHA(l.w.Pull(fork).Head), Fork: true},
		{Number: own, State: pr.Open, Head: pr.SHA(l.w.Pull(own).Head)},
	}
	if diff := cmp.Diff(want, got.ClosedBy); diff != "" {
		t.Errorf("closed by (-want +got):\n%s", diff)
	}
	switch {
	case !got.Found || got.Issue == nil || got.Issue.Body != "Always." || got.Issue.Base == "" || got.State != pr.Open || got.Fork():
		t.Errorf("the issue is %+v, %+v", got, got.Issue)
	case len(got.Comments) != 1 || strings.Join(got.Labels, " ") != "bug quest" || !got.Config.Found || got.Record.Number == 0 || len(got.Unknown) > 0:
		t.Errorf("the issue is %+v", got)
	}
	if counts := c.Counts(); counts.Requests != 1 || counts.Points != 1 {
		t.Errorf("it cost %+v", counts)
	}
	if list, err := c.IssuesWith(t.Context(), "quest"); err != nil || len(list) != 1 || list[0] != n {
		t.Errorf("the issues with the label are %v, %v", list, err)
	}
	for _, none := range []int{own, 9999, 0} { // a pull request is no issue
		if got, err := c.Issue(t.Context(), none, Want{}); err != nil || got.Found || got.Issue == nil {
			t.Errorf("#%d is %+v, %v", none, got, err)
		}
	}
	l.w.Comment(n, githubtest.ActionsBot, "Ours.")
	if own, err := c.OwnComments(t.Context(), n); err != nil || len(own) != 1 {
		t.Errorf("its own comments: %+v, %v", own, err)
	}
}

// What may not be read of an issue is unknown by itself.
func TestLiveIssueWithoutRights(t *testing.T) {
	for without, facts := range map[string][]pr.Fact{
		"pull-requests": {pr.FactLinks}, "contents": {pr.FactConfig},
	} {
		l := newLive(t, without)
		n := l.w.OpenIssue("mona", "It breaks", "Always.")
		l.w.SetFile(".github/prloop.yml", "fixer: job\n")
		got, err := l.client().Issue(t.Context(), n, Want{ConfigPath: ".github/prloop.yml"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			if u := got.Missing(f); u == nil || u.Right == "" {
				t.Errorf("without %s: %+v", without, got.Unknown)
			}
		}
		if got.Issue == nil {
			t.Errorf("without %s the issue is lost: %+v", without, got)
		}
	}
}

// Each missing right makes its fact unknown, and nothing else.
func TestLiveMissingRights(t *testing.T) {
	const hidden = "GitHub does not show it to this token"
	tests := []struct {
		without  string
		want     []pr.Unknown
		requests int
	}{
		{"checks", []pr.Unknown{{Fact: pr.FactChecks, Why: hidden, Right: "checks: read"}}, 1},
		{"statuses", []pr.Unknown{{Fact: pr.FactChecks, Why: hidden, Right: "statuses: read"}}, 1},
		{"actions", []pr.Unknown{{Fact: pr.FactWorkflows, Why: hidden, Right: "actions: read"}}, 1},
		{"issues", []pr.Unknown{
			{Fact: pr.FactRecord, Why: hidden, Right: "issues: read"}, {Fact: pr.FactLinks, Why: hidden, Right: "issues: read"},
		}, 2}, // issues are promised, so their refusal takes the repository along
		{"contents", []pr.Unknown{{Fact: pr.FactConfig, Why: hidden, Right: "contents: read"}}, 1},
		{"nothing", nil, 1},
	}
	for _, tt := range tests {
		t.Run("without "+tt.without, func(t *testing.T) {
			l := newLive(t, tt.without)
			l.w.Check(l.n, githubtest.Check{Name: "build", Conclusion: "SUCCESS"})
			l.w.Check(l.n, githubtest.Check{Name: "deploy", Conclusion: "SUCCESS", StatusOnly: true})
			l.w.OpenIssue(githubtest.ActionsBot, "prloop", "the record", "prloop")
			l.w.SetFile(".github/prloop.yml", "reviewers: {}\n")
			l.w.Comment(l.n, "mona", "hello")
			got, counts := l.read()
			if diff := cmp.Diff(tt.want, got.Unknown); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
			if len(got.Comments) != 1 || !got.Found {
				t.Errorf("the rest is lost: %+v", got)
			}
			if counts.Requests != tt.requests {
				t.Errorf("%d requests, want %d", counts.Requests, tt.requests)
			}
			for _, c := range got.Checks {
				if want := c.Status || tt.without != "actions"; c.WorkflowKnown != want {
					t.Errorf("the workflow of %s counts as known: %t", c.Name, c.WorkflowKnown)
				}
			}
		})
	}
	t.Run("a fine-grained token of a person cannot read checks", func(t *testing.T) {
		l := newLive(t)
		l.w.AddToken(githubtest.Token{Value: "wf", Kind: githubtest.FineGrained, Login: "mona", Rights: readOnly()})
		got, _ := l.read()
		u := got.Missing(pr.FactChecks)
		if u == nil || u.Why != "GitHub does not show it to this personal access token" {
			t.Errorf("unknown %v", got.Unknown)
		}
	})
	t.Run("a repository that the token may not see", func(t *testing.T) {
		l := newLive(t)
		l.w.AddToken(githubtest.Token{Value: "wf", Kind: githubtest.Workflow, Blind: true})
		_, err := l.client().Snapshot(t.Context(), l.n, Want{})
		checkWhat(t, `The repository "octo/demo" is not there, or the token may not see it`, err)
	})
	t.Run("a token that GitHub does not know", func(t *testing.T) {
		l := newLive(t)
		l.w.RemoveToken("wf")
		_, err := l.client().Snapshot(t.Context(), l.n, Want{})
		checkWhat(t, `GitHub does not accept the token of the input "github-token"`, err)
	})
}

func checkWhat(t *testing.T, want string, err error) {
	t.Helper()
	if got := fail.Of(err).What; got != want {
		t.Errorf("error %q (%v), want %q", got, err, want)
	}
}

func TestLiveOddities(t *testing.T) {
	tests := []struct {
		name  string
		world func(l *live)
		check func(s *pr.Snapshot) bool
	}{
		{
			"a ghost wrote a comment", func(l *live) { l.w.Comment(l.n, "", "boo") },
			func(s *pr.Snapshot) bool { return s.Comments[0].Author == pr.Actor{} && !s.Comments[0].Mine },
		},
		{
			"a ghost reviewed", func(l *live) { l.w.Review(l.n, githubtest.Submitted{By: "", Findings: findings(1)}) },
			func(s *pr.Snapshot) bool {
				return s.Reviews[0].Author == pr.Actor{} && !s.Reviews[0].Trusted && s.Threads[0].Comments[0].Author == pr.Actor{}
			},
		},
		{
			"the fork is gone", func(l *live) {
				l.n = l.w.OpenPR(githubtest.PR{Author: "hubot", HeadRepo: "hubot/demo", HeadGone: true})
			},
			func(s *pr.Snapshot) bool { return s.HeadGone() && s.Fork() },
		},
		{
			"the head is in a fork", func(l *live) { l.n = l.w.OpenPR(githubtest.PR{Author: "hubot", HeadRepo: "hubot/demo"}) },
			func(s *pr.Snapshot) bool { return !s.HeadGone() && s.Fork() && s.HeadRepo == "hubot/demo" },
		},
		{
			"a merge state that nobody knows", func(l *live) { l.w.SetPull(l.n, func(p *githubtest.Pull) { p.MergeState = "SOMETHING_NEW" }) },
			func(s *pr.Snapshot) bool { return s.MergeState == "SOMETHING_NEW" },
		},
		{
			"a conclusion that nobody knows", func(l *live) { l.w.Check(l.n, githubtest.Check{Name: "x", Conclusion: "SOMETHING_NEW"}) },
			func(s *pr.Snapshot) bool { return s.Checks[0].Conclusion == "SOMETHING_NEW" },
		},
		{
			"merged", func(l *live) { l.w.Merge(l.n, "mona") },
			func(s *pr.Snapshot) bool { return s.State == pr.Merged },
		},
		{
			"no such number", func(l *live) { l.n = 4711 },
			func(s *pr.Snapshot) bool { return !s.Found && s.Number == 4711 && s.Repo.DefaultBranch == "main" },
		},
		{
			"an issue's number", func(l *live) { l.n = l.w.OpenIssue("mona", "x", "y") },
			func(s *pr.Snapshot) bool { return !s.Found },
		},
		{
			"GitHub is down for a moment", func(l *live) { l.w.SetFault(once(githubtest.Status502)) },
			func(s *pr.Snapshot) bool { return s.Found },
		},
		{
			"a connection breaks", func(l *live) { l.w.SetFault(once(githubtest.ResetBefore)) },
			func(s *pr.Snapshot) bool { return s.Found },
		},
		{
			"an answer is lost", func(l *live) { l.w.SetFault(once(githubtest.ResetAfter)) },
			func(s *pr.Snapshot) bool { return s.Found },
		},
		{
			"a secondary limit", func(l *live) { l.w.SetFault(once(githubtest.SecondaryLimit)) },
			func(s *pr.Snapshot) bool { return s.Found },
		},
		{
			"too many requests", func(l *live) { l.w.SetFault(once(githubtest.TooManyRequests)) },
			func(s *pr.Snapshot) bool { return s.Found },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLive(t)
			tt.world(l)
			got, _ := l.read()
			if len(got.Unknown) > 0 || !tt.check(got) {
				t.Errorf("unknown %v in %+v", got.Unknown, got)
			}
		})
	}
}

// once lets one request meet the fault.
func once(f githubtest.Fault) func(githubtest.Request) githubtest.Fault {
	done := false
	return func(githubtest.Request) githubtest.Fault {
		if done {
			return githubtest.None
		}
		done = true
		return f
	}
}

// When the points of the hour are spent the run is told until when, and does
// not wait for an hour.
func TestLivePrimaryLimit(t *testing.T) {
	l := newLive(t)
	l.w.Spend("wf", 0, 1000)
	_, err := l.client().Snapshot(t.Context(), l.n, Want{})
	limit, ok := errors.AsType[*RateLimited](err)
	if !ok || !limit.Until.After(l.w.Now().Add(time.Minute)) || limit.Until.After(l.w.Now().Add(time.Hour)) {
		t.Errorf("error %v, want a limit that ends within the hour", err)
	}
}

func TestLivePullRequestsOf(t *testing.T) {
	l := newLive(t)
	sha := l.w.Pull(l.n).Head
	second := l.w.OpenPR(githubtest.PR{Author: "mona", Head: sha, HeadRef: "same", Base: "other"})
	closed := l.w.OpenPR(githubtest.PR{Author: "mona", Head: sha, HeadRef: "closed"})
	l.w.Close(closed, "mona")
	moved := l.w.OpenPR(githubtest.PR{Author: "mona", Head: sha, HeadRef: "moved"})
	l.w.Push(moved, githubtest.Push{By: "mona"})
	c := l.client()
	got, err := c.PullRequestsOf(t.Context(), pr.SHA(sha))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{l.n, second}, got); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if got := c.Counts().Requests; got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
	none, err := c.PullRequestsOf(t.Context(), "0000000000000000000000000000000000000000")
	if err != nil || none != nil {
		t.Errorf("an unknown commit has %v, error %v", none, err)
	}
}

func TestLiveWork(t *testing.T) {
	l := newLive(t)
	l.w.SetReviewer(githubtest.CopilotReviewer, githubtest.Reviewer{StartAfter: time.Minute, SubmitAfter: 4 * time.Minute, Rounds: []githubtest.Round{{}}})
	for i := range 130 {
		l.w.Comment(l.n, "mona", fmt.Sprint(i)) // the work is on a later page
	}
	l.w.Request(l.n, "mona", githubtest.CopilotReviewer)
	l.w.Advance(10 * time.Minute)
	got, err := l.client().Work(t.Context(), l.n)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []pr.EventKind
	for _, e := range got {
		kinds = append(kinds, e.Kind)
		if e.Kind == pr.ReviewRequested && !e.Reviewer.IsCopilotReviewer() {
			t.Errorf("asked was %+v", e.Reviewer)
		}
	}
	if diff := cmp.Diff([]pr.EventKind{pr.ReviewRequested, pr.WorkStarted, pr.WorkFinished}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}
