package github

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

func TestCommits(t *testing.T) {
	t.Parallel()
	push := func(n int) setting {
		return func(b *bench) {
			for range n {
				b.w.Push(b.n, githubtest.Push{Quiet: true})
			}
		}
	}
	tests := []struct {
		name     string
		before   []setting
		shown    int
		known    bool
		requests int
	}{
		{"one", nil, 1, true, 1},
		{"a page", []setting{push(99)}, 100, true, 1},
		{"three pages", []setting{push(248)}, 249, true, 3},
		{"as many as GitHub shows: there may be more", []setting{push(249)}, 250, false, 3},
		{"more than GitHub shows", []setting{push(300)}, 250, false, 3},
		{"after a force push", []setting{push(9), func(b *bench) { b.w.Push(b.n, githubtest.Push{Force: true}) }}, 1, true, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			var want []pr.SHA
			for _, oid := range b.w.Pull(b.n).Commits[:tt.shown] {
				want = append(want, pr.SHA(oid))
			}
			got, known, err := b.client().Commits(t.Context(), b.n)
			if diff := cmp.Diff(want, got); diff != "" || known != tt.known || err != nil {
				t.Errorf("known %t, %v (-want +got):\n%s", known, err, diff)
			}
			if n := len(b.w.Log()) - b.requests; n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
}

func TestCommitsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if list, _, err := b.client().Commits(t.Context(), 99); list != nil || !IsGone(err) {
		t.Errorf("of no pull request: %v, %v", list, err)
	}
	b.rights(map[string]string{"contents": "read"})
	_, _, err := b.client().Commits(t.Context(), b.n)
	if diff := cmp.Diff("Give the job the permission \"pull-requests: read\"", fail.Of(err).Fix); diff != "" {
		t.Errorf("without the right (-want +got):\n%s", diff)
	}
	b.rights(allRights)
	b.w.SetFault(func(githubtest.Request) githubtest.Fault { return githubtest.Status502 })
	if list, known, err := b.client().Commits(t.Context(), b.n); list != nil || known || !errors.Is(err, ErrUnavailable) {
		t.Errorf("in bad weather: %v, %t, %v", list, known, err)
	}
	c, _ := client(t, &script{answers: []answer{{status: 200, body: `[{"sha":"a"},null]`}}})
	if list, known, err := c.Commits(t.Context(), 7); list != nil || known || !errors.Is(err, ErrUnavailable) {
		t.Errorf("with an entry that is left out: %v, %t, %v", list, known, err)
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	paths := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%03d.go", i))
		}
		return list
	}
	line := func(path string) ChangedFile {
		return ChangedFile{Path: path, Status: "modified", Additions: 1, Deletions: 1, Patch: "@@ -1 +1 @@\n-before\n+after"}
	}
	lines := func(paths []string) (list []ChangedFile) {
		for _, p := range paths {
			list = append(list, line(p))
		}
		return list
	}
	tests := []struct {
		name     string
		pushes   []githubtest.Push
		want     []ChangedFile
		complete bool
	}{
		{"nothing was pushed", nil, nil, true},
		{"a commit without files", []githubtest.Push{{Paths: []string{}}}, nil, true},
		{"two pushes", []githubtest.Push{{Paths: []string{"b.go"}}, {Paths: []string{"a.go"}}}, []ChangedFile{line("a.go"), line("b.go")}, true},
		{
			"a renamed file, and one whose patch GitHub does not show",
			[]githubtest.Push{{Files: []githubtest.FileChange{
				{Path: "new.go", From: "old.go", Status: "renamed", Additions: 1, Patch: "@@ -0,0 +1 @@\n+x"},
				{Path: "logo.png", Status: "added"},
			}}},
			[]ChangedFile{
				{Path: "logo.png", Status: "added"},
				{Path: "new.go", Previous: "old.go", Status: "renamed", Additions: 1, Patch: "@@ -0,0 +1 @@\n+x"},
			},
			true,
		},
		{"fewer files than GitHub shows", []githubtest.Push{{Paths: paths(299)}}, lines(paths(299)), true},
		{"as many files as GitHub shows: there may be more", []githubtest.Push{{Paths: paths(300)}}, lines(paths(300)), false},
		{"more files than GitHub shows", []githubtest.Push{{Paths: paths(301)}}, lines(paths(300)), false},
		{"a force push: what it took away is not shown", []githubtest.Push{{Force: true, Paths: []string{"a.go"}}}, []ChangedFile{line("a.go")}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			for _, p := range tt.pushes {
				b.w.Push(b.n, p)
			}
			got, complete, err := b.client().Changed(t.Context(), b.head, pr.SHA(b.w.Pull(b.n).Head))
			if diff := cmp.Diff(tt.want, got); diff != "" || complete != tt.complete || err != nil {
				t.Errorf("complete %t, %v (-want +got):\n%s", complete, err, diff)
			}
			if n := len(b.w.Log()) - b.requests; n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestChangesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const nobody pr.SHA = "1111111111111111111111111111111111111111"
	b := newBench(t)
	files, complete, err := b.client().Changed(t.Context(), nobody, b.head)
	if files != nil || complete || err != nil {
		t.Errorf("since a commit that is gone: %v, %t, %v", files, complete, err)
	}
	before := len(b.w.Log())
	for _, sha := range []pr.SHA{"", "main", "../../user"} {
		if _, _, err := b.client().Changed(t.Context(), sha, b.head); err == nil {
			t.Errorf("since %q: no error", sha)
		}
	}
	if n := len(b.w.Log()) - before; n != 0 {
		t.Errorf("%d requests for what is no commit id", n)
	}
	b.rights(map[string]string{"pull-requests": "read"})
	_, _, err = b.client().Changed(t.Context(), b.head, b.head)
	if diff := cmp.Diff("Give the job the permission \"contents: read\"", fail.Of(err).Fix); diff != "" {
		t.Errorf("without the right (-want +got):\n%s", diff)
	}
	b.w.SetFault(func(githubtest.Request) githubtest.Fault { return githubtest.Status502 })
	if _, complete, err := b.client().Changed(t.Context(), b.head, b.head); complete || !errors.Is(err, ErrUnavailable) {
		t.Errorf("in bad weather: %t, %v", complete, err)
	}
	for _, body := range []string{`{"status":"ahead"}`, `{"status":"ahead","files":[null]}`, `{"files":[]}`, `{"status":"behind","files":[]}`} {
		c, _ := client(t, &script{answers: []answer{{status: 200, body: body}}})
		if files, complete, err := c.Changed(t.Context(), nobody, nobody); files != nil || complete || err != nil {
			t.Errorf("%s: %v, %t, %v", body, files, complete, err)
		}
	}
}

// Whose a commit is, GitHub tells by the account that it links. The coding agent
// has the login of the reviewer there, and an id of its own.
func TestCommitsBy(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(b *bench) {
		b.w.Push(b.n, githubtest.Push{By: githubtest.CopilotAgent, Quiet: true})
		b.w.Push(b.n, githubtest.Push{By: "mona", Quiet: true})
	})
	got, known, err := b.client().CommitsBy(t.Context(), b.n)
	if err != nil || !known || len(got) != 3 {
		t.Fatalf("CommitsBy = %v, %t, %v", got, known, err)
	}
	for i, want := range []bool{false, true, false} {
		if got[i].SHA != pr.SHA(b.w.Pull(b.n).Commits[i]) || got[i].Author.IsCopilotAgent() != want {
			t.Errorf("commit %d is %+v, by the agent: want %t", i, got[i], want)
		}
	}
	if _, known, err := b.client().CommitsBy(t.Context(), 99); known || err == nil {
		t.Errorf("of no pull request: known %t, %v", known, err)
	}
}
