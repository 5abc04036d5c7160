package github

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// newWatch is a live test whose token may read deployments, with checks on the
// base and, once it is merged by the method, on the merge commit.
func newWatch(t *testing.T, method string, without ...string) (l *live, before string) {
	t.Helper()
	l = newLive(t)
	rights := readOnly(without...)
	rights["deployments"] = "read"
	for _, name := range without {
		delete(rights, name)
	}
	l.w.AddToken(githubtest.Token{Value: "wf", Kind: githubtest.Workflow, Rights: rights})
	l.w.Push(l.n, githubtest.Push{})
	before = l.w.Branch("")
	l.w.CheckOn(before, githubtest.Check{Name: "unit", Conclusion: "SUCCESS"})
	l.w.Deploy(before, "production", "SUCCESS")
	l.w.Advance(time.Minute)
	now := l.w.MergeAs(l.n, "mona", method)
	l.w.CheckOn(now, githubtest.Check{Name: "unit", Conclusion: "FAILURE"})
	l.w.CheckOn(now, githubtest.Check{Name: "legacy", StatusOnly: true, Conclusion: "SUCCESS"})
	l.w.Deploy(now, "production", "SUCCESS")
	return l, before
}

func (l *live) watch(revert int) (*pr.Watched, Counts) {
	l.Helper()
	s, _ := l.read()
	c := l.client()
	w, err := c.Watch(l.Context(), s, revert)
	if err != nil {
		l.Fatal(err)
	}
	return w, c.Counts()
}

// seen is what stands on a commit, in words.
func seen(s pr.Standing) (out []string) {
	for _, c := range s.Checks {
		out = append(out, fmt.Sprintf("%s %s %s", c.Name, c.State, c.Conclusion))
	}
	for _, d := range s.Deployments {
		var states []string
		for _, v := range d.Statuses {
			states = append(states, v.State)
		}
		out = append(out, d.Environment+" "+strings.Join(states, " "))
	}
	return out
}

// The commit before the merge is what the base stood at, however it was merged;
// one request, and one more for a rebase of several commits.
func TestWatchFindsTheCommitBefore(t *testing.T) {
	for _, c := range []struct {
		method   string
		requests int
	}{{"MERGE", 1}, {"SQUASH", 1}, {"REBASE", 3}} {
		l, before := newWatch(t, c.method)
		got, counts := l.watch(0)
		want := &pr.Watched{Commit: pr.SHA(l.w.Pull(l.n).MergeCommit), Before: pr.SHA(before), Now: got.Now, Then: got.Then}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.method, diff)
		}
		if diff := cmp.Diff([]string{"unit COMPLETED FAILURE", "legacy SUCCESS ", "production SUCCESS"}, seen(got.Now)); diff != "" {
			t.Errorf("%s, now (-want +got):\n%s", c.method, diff)
		}
		if diff := cmp.Diff([]string{"unit COMPLETED SUCCESS", "production INACTIVE SUCCESS"}, seen(got.Then)); diff != "" {
			t.Errorf("%s, before (-want +got):\n%s", c.method, diff)
		}
		if counts.Requests != c.requests || counts.Points > c.requests+1 {
			t.Errorf("%s: %+v", c.method, counts)
		}
		if k := got.Now.Checks[0]; !k.WorkflowKnown || k.WorkflowPath != ".github/workflows/ci.yml" || k.App != "github-actions" {
			t.Errorf("its workflow is not known: %+v", k)
		}
	}
}

// A rebase of more commits than a page of the history shows leaves the commit
// before unknown.
func TestWatchOfALongRebase(t *testing.T) {
	l := newLive(t)
	for range 101 {
		l.w.Push(l.n, githubtest.Push{Quiet: true})
	}
	l.w.MergeAs(l.n, "mona", "REBASE")
	got, _ := l.watch(0)
	if u := got.Missing(pr.FactBefore); u == nil || got.Before != "" {
		t.Errorf("the commit before is %q, unknown: %v", got.Before, got.Unknown)
	}
}

// Checks, deployments: to the last page, on both commits.
func TestWatchReadsEveryPage(t *testing.T) {
	l, before := newWatch(t, "MERGE")
	now := l.w.Pull(l.n).MergeCommit
	for i := range 250 {
		l.w.CheckOn(now, githubtest.Check{Name: fmt.Sprint("n", i), Conclusion: "SUCCESS"})
	}
	for i := range 130 {
		l.w.CheckOn(before, githubtest.Check{Name: fmt.Sprint("b", i), Conclusion: "SUCCESS"})
	}
	for i := range 45 {
		l.w.Deploy(before, fmt.Sprint("e", i), "SUCCESS")
	}
	got, _ := l.watch(0)
	sizes := []int{len(got.Now.Checks), len(got.Now.Deployments), len(got.Then.Checks), len(got.Then.Deployments), len(got.Unknown)}
	if diff := cmp.Diff([]int{252, 1, 131, 46, 0}, sizes); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, got.Unknown)
	}
}

// What the token may not see is unknown, names its right, and costs nothing else.
func TestWatchWithoutARight(t *testing.T) {
	const hidden = "GitHub does not show it to this token"
	for _, c := range []struct {
		without string
		want    []pr.Unknown
		now     []string
	}{
		{"deployments", []pr.Unknown{{Fact: pr.FactDeployments, Why: hidden, Right: "deployments: read"}}, []string{"unit COMPLETED FAILURE", "legacy SUCCESS "}},
		{"checks", []pr.Unknown{
			{Fact: pr.FactChecksNow, Why: hidden, Right: "checks: read"}, {Fact: pr.FactChecksThen, Why: hidden, Right: "checks: read"},
		}, []string{"production SUCCESS"}},
		{"actions", nil, []string{"unit COMPLETED FAILURE", "legacy SUCCESS ", "production SUCCESS"}},
	} {
		l, _ := newWatch(t, "MERGE", c.without)
		got, _ := l.watch(0)
		if diff := cmp.Diff(c.want, got.Unknown, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b pr.Unknown) bool { return a.Fact < b.Fact })); diff != "" {
			t.Errorf("without %s: unknown (-want +got):\n%s", c.without, diff)
		}
		if diff := cmp.Diff(c.now, seen(got.Now)); diff != "" {
			t.Errorf("without %s (-want +got):\n%s", c.without, diff)
		}
		for _, k := range got.Now.Checks {
			if c.without == "actions" && !k.Status && k.WorkflowKnown {
				t.Errorf("the workflow of %s is taken for known", k.Name)
			}
		}
	}
}

// A part that GitHub cannot give is unknown.
func TestWatchOfHalfAnAnswer(t *testing.T) {
	for _, c := range []struct {
		field string
		want  []pr.Fact
	}{
		{"Repository.object", []pr.Fact{pr.FactWatch}},
		{"Commit.statusCheckRollup", []pr.Fact{pr.FactChecksNow, pr.FactChecksThen}},
		{"Deployment.statuses", []pr.Fact{pr.FactDeployments}},
		{"Commit.associatedPullRequests", []pr.Fact{pr.FactBefore}},
		{"Commit.history", []pr.Fact{pr.FactBefore}},
		{"Repository.pullRequests", []pr.Fact{pr.FactReverts}},
	} {
		l, _ := newWatch(t, "REBASE")
		s, _ := l.read()
		l.w.FailField(c.field, "SERVICE_UNAVAILABLE", "no")
		got, err := l.client().Watch(t.Context(), s, 0)
		if err != nil {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		for _, f := range c.want {
			if got.Missing(f) == nil {
				t.Errorf("%s: the %s is taken for known: %v", c.field, f, got.Unknown)
			}
		}
	}
}

// Reverts: ours, by hand, of a stranger; the one that is known by its number.
func TestWatchSeesTheRevert(t *testing.T) {
	l, _ := newWatch(t, "MERGE")
	l.w.AddAccount(githubtest.Account{Login: "stranger", Permission: "read"})
	commit := pr.SHA(l.w.Pull(l.n).MergeCommit)
	marker := "<!-- prloop:revert:" + commit.Short() + "#1 -->"
	same := func(name string, want *pr.Revert, known int) {
		t.Helper()
		got, counts := l.watch(known)
		if diff := cmp.Diff(want, got.Revert); diff != "" || len(got.Unknown) > 0 || counts.Requests != 1 {
			t.Errorf("%s (-want +got):\n%s%v, %+v", name, diff, got.Unknown, counts)
		}
	}
	branch := "revert-1-branch-1"
	l.w.OpenPR(githubtest.PR{Author: "stranger", HeadRef: branch, Body: marker})
	l.w.OpenPR(githubtest.PR{Author: "mona", HeadRef: branch, HeadRepo: "mona/demo", Body: marker})
	same("none", nil, 0)
	n := l.w.OpenPR(githubtest.PR{Author: "mona", HeadRef: branch, Body: "Reverts octo/demo#1"})
	same("by hand", &pr.Revert{Number: n, State: pr.Open}, 0)
	l.w.Close(n, "mona")
	same("by hand, closed", &pr.Revert{Number: n, State: pr.Closed}, 0)
	m := l.w.OpenPR(githubtest.PR{Author: githubtest.ActionsBot, HeadRef: branch, Body: "Words.\n" + marker})
	same("ours", &pr.Revert{Number: m, State: pr.Open, Ours: true}, 0)
	same("the one that is known", &pr.Revert{Number: n, State: pr.Closed}, n)
	l.w.Merge(m, "mona")
	p := l.w.Pull(m)
	same("merged", &pr.Revert{Number: m, State: pr.Merged, Ours: true, MergedAt: p.MergedAt, Commit: pr.SHA(p.MergeCommit)}, 0)
	got, _ := l.watch(99)
	if got.Missing(pr.FactReverts) == nil {
		t.Errorf("a number that is no pull request: %+v", got)
	}
}

// Without a merge commit there is nothing to ask for.
func TestWatchWithoutACommit(t *testing.T) {
	l := newLive(t)
	got, counts := l.watch(0)
	if got.Missing(pr.FactWatch) == nil || counts.Requests != 0 {
		t.Errorf("%+v, %+v", got, counts)
	}
}

func TestWatchSpeaksGitHubsGraphQL(t *testing.T) {
	schema := gitHubsSchema(t)
	l, before := newWatch(t, "REBASE")
	for i := range 120 {
		l.w.CheckOn(before, githubtest.Check{Name: fmt.Sprint(i), Conclusion: "SUCCESS"})
	}
	rec := &recorder{next: l.w.Transport(), queries: map[string]bool{}}
	c, _ := client(t, rec)
	s, err := c.Snapshot(t.Context(), l.n, Want{})
	if err != nil {
		t.Fatal(err)
	}
	rec.queries = map[string]bool{}
	if _, err := c.Watch(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	var queries []string
	for q := range rec.queries {
		queries = append(queries, q)
	}
	if len(queries) != 3 { // the merge commit, its history, a commit by itself
		t.Errorf("%d queries: %q", len(queries), queries)
	}
	if err := githubtest.Validate(schema, queries...); err != nil {
		t.Error(err)
	}
}
