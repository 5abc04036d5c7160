package githubtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"
)

func TestCommitsOfAPullRequest(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	for range 260 {
		w.Push(n, Push{})
	}
	want := w.Pull(n).Commits[:250]
	c := rest(w, "wf")
	var got []string
	for o := (&github.ListOptions{PerPage: 100}); ; {
		page, resp, err := c.PullRequests.ListCommits(ctx, "octo", "demo", n, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page {
			got = append(got, v.GetSHA())
		}
		if o.Page = resp.NextPage; o.Page == 0 {
			break
		}
	}
	same(t, "the first 250, oldest first", want, got)

	w.Push(n, Push{Force: true})
	page, _, err := c.PullRequests.ListCommits(ctx, "octo", "demo", n, nil)
	if err != nil || len(page) != 1 || page[0].GetSHA() != w.Pull(n).Head {
		t.Errorf("after a force push: %v, %v", page, err)
	}
}

func TestCompare(t *testing.T) {
	edit := FileChange{Path: "b.go", Additions: 3, Deletions: 2, Patch: "@@ -1,2 +1,3 @@"}
	logo := FileChange{Path: "logo.png", Status: "added"}
	moved := FileChange{Path: "new.go", From: "old.go", Status: "renamed"}
	tests := []struct {
		name   string
		pushes []Push
		want   string
	}{
		{"nothing was pushed", nil, "identical +0 -0: "},
		{"a path has one line rewritten", []Push{{Paths: []string{"a.go"}}}, "ahead +1 -0: modified a.go +1 -1 patch"},
		{
			"files are as they were scripted, by path",
			[]Push{{Files: []FileChange{moved, logo, edit}}},
			"ahead +1 -0: modified b.go +3 -2 patch, added logo.png +0 -0, renamed old.go new.go +0 -0",
		},
		{
			"of several pushes each file is shown once",
			[]Push{{Files: []FileChange{edit, logo}}, {Files: []FileChange{edit, {Path: "logo.png", Status: "removed"}}}},
			"ahead +2 -0: modified b.go +6 -4 patch",
		},
		{"a force push parts from the base", []Push{{Force: true, Paths: []string{"a.go"}}}, "diverged +1 -1: modified a.go +1 -1 patch"},
	}
	for _, tt := range tests {
		w := world(Options{})
		n := w.OpenPR(PR{})
		before := w.Pull(n).Head
		for _, p := range tt.pushes {
			w.Push(n, p)
		}
		v, _, err := rest(w, "wf").Repositories.CompareCommits(ctx, "octo", "demo", before, w.Pull(n).Head, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var files []string
		for _, f := range v.Files {
			files = append(files, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s +%d -%d %s", f.GetStatus(), f.GetPreviousFilename(),
				f.GetFilename(), f.GetAdditions(), f.GetDeletions(), map[bool]string{true: "patch"}[f.Patch != nil])), " "))
		}
		got := fmt.Sprintf("%s +%d -%d: %s", v.GetStatus(), v.GetAheadBy(), v.GetBehindBy(), strings.Join(files, ", "))
		same(t, tt.name, tt.want, got)
	}
}

func TestCompareShowsThreeHundredFilesOnItsFirstPage(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	before := w.Pull(n).Head
	var paths []string
	for i := range 301 {
		paths = append(paths, fmt.Sprintf("%03d.go", i))
	}
	w.Push(n, Push{Paths: paths})
	for page, want := range map[int]int{1: 300, 2: 0} {
		v, _, err := rest(w, "wf").Repositories.CompareCommits(ctx, "octo", "demo", before, w.Pull(n).Head, &github.ListOptions{Page: page})
		if err != nil || len(v.Files) != want {
			t.Errorf("page %d has %d files (%v), want %d", page, len(v.Files), err, want)
		}
	}
}

func TestCompareWhatCannotBeCompared(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.AddToken(Token{Value: "blind", Kind: Workflow, Rights: map[string]string{"pull-requests": "read"}})
	const nobody = "1111111111111111111111111111111111111111"
	for _, row := range []struct{ name, token, base, want string }{
		{"a commit that is not there", "wf", nobody, "404 Not Found"},
		{"without the right to read contents", "blind", "main", "403 Resource not accessible by integration"},
		{"by the names of branches", "wf", "main", "200"},
	} {
		_, resp, err := rest(w, row.token).Repositories.CompareCommits(ctx, "octo", "demo", row.base, w.Pull(n).Head, nil)
		same(t, row.name, row.want, status(resp, err))
	}
}

// What an account says while it has a draft joins the draft, and only the
// account sees it; REST refuses (case C044).
func TestAReplyJoinsTheDraftOfItsAccount(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: CopilotReviewer, Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}}})
	thread := w.Pull(n).Threads[0]
	draft := w.BeginReview(n, ActionsBot)
	const say = `mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "Fixed."}) { comment { state } } }`
	data, errs := ask(t, w, "wf", say, map[string]any{"id": thread.ID})
	same(t, "the answer", `{"addPullRequestReviewThreadReply":{"comment":{"state":"PENDING"}}}`, data+strings.Join(errs, ""))
	const fields = `reviewThreads(first: 9) { nodes { comments(first: 9) { nodes { body state } } } }`
	const one, two = `{"body":"one","state":"SUBMITTED"}`, `{"body":"Fixed.","state":"PENDING"}`
	seen := func(comments string) string {
		return `{"reviewThreads":{"nodes":[{"comments":{"nodes":[` + comments + `]}}]}}`
	}
	same(t, "its account sees it", seen(one+","+two), onPR(t, w, "wf", fields))
	same(t, "others do not", seen(one), onPR(t, w, "pat", fields))
	reply := w.Pull(n).Threads[0].Comments[1].ID
	_, errs = ask(t, w, "pat", `query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": reply})
	same(t, "nor by its node id", 1, len(errs))
	list, _, err := rest(w, "pat").PullRequests.ListComments(ctx, "octo", "demo", n, nil)
	if err != nil || len(list) != 1 {
		t.Errorf("nor by REST: %v, %v", list, err)
	}
	_, resp, err := rest(w, "wf").PullRequests.CreateCommentInReplyTo(ctx, "octo", "demo", n, "Fixed.", thread.Comments[0].DatabaseID)
	if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(err.Error(), "user_id can only have one pending review per pull request") {
		t.Errorf("a reply by REST: %v", err)
	}
	w.SubmitReview(draft, "")
	same(t, "once it is submitted, everybody does", seen(one+","+strings.Replace(two, "PENDING", "SUBMITTED", 1)), onPR(t, w, "pat", fields))
}

func TestADeletedThreadIsGone(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: CopilotReviewer, Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}}})
	id := w.Pull(n).Threads[0].ID
	w.DeleteThread(id, "mona")
	same(t, "the list", `{"reviewThreads":{"totalCount":0}}`, onPR(t, w, "wf", `reviewThreads(first: 9) { totalCount }`))
	_, errs := ask(t, w, "wf", `query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": id})
	same(t, "by its node id", []string{"NOT_FOUND node: Could not resolve to a node with the global id of '" + id + "'"}, errs)
}

// What the coding agent opens changes nothing at first; any other pull request has
// a changed file.
func TestAnEmptyPullRequest(t *testing.T) {
	w := New(Options{})
	empty, other := w.OpenPR(PR{Author: CopilotAgent, Empty: true}), w.OpenPR(PR{})
	for n, want := range map[int]int{empty: 0, other: 1} {
		p := w.Pull(n)
		if got := p.changedFiles(w); got != want {
			t.Errorf("#%d changes %d files, want %d", n, got, want)
		}
	}
	w.Push(empty, Push{By: CopilotAgent, Paths: []string{"a.go"}})
	if p := w.Pull(empty); p.changedFiles(w) != 1 {
		t.Errorf("after a push it changes %d files", p.changedFiles(w))
	}
}

// A commit that takes an earlier one back leaves in a comparison what it says.
func TestCompareShowsTheNetChange(t *testing.T) {
	w := New(Options{})
	n := w.OpenPR(PR{})
	w.Push(n, Push{Files: []FileChange{{Path: "a.go", Patch: "@@ -1 +1 @@\n-a\n+b"}}})
	w.Push(n, Push{Files: []FileChange{{Path: "a.go", Patch: "@@ -1 +1 @@\n-a\n+c", Net: true}}})
	got := w.changedBetween(w.Pull(n).Commits)
	if len(got) != 1 || got[0].Patch != "@@ -1 +1 @@\n-a\n+c" {
		t.Errorf("the comparison shows %+v", got)
	}
}
