package github

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

var (
	actionsBot = pr.Actor{Login: "github-actions", Bot: true, ID: 41898282}
	benchStart = time.Date(2026, 11, 30, 9, 1, 0, 0, time.UTC)
)

func TestCreateComment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before []setting
		nth    int // the request that a fault meets; 0: none
		fault  githubtest.Fault
		writes []string
		made   int // comments of ours with this text afterwards
		err    error
	}{
		{"posted", nil, 0, githubtest.None, []string{"POST issues/1/comments 201 as github-actions[bot]"}, 1, nil},
		{
			"posted although the answer was lost: it is found",
			nil, 1, githubtest.ResetAfter,
			[]string{"POST issues/1/comments 0 as github-actions[bot]"},
			1, nil,
		},
		{
			"posted although GitHub answered 502: it is found, on the second page",
			[]setting{many(120)},
			1, githubtest.Status502After,
			[]string{"POST issues/1/comments 502 as github-actions[bot]"},
			1, nil,
		},
		{
			"not posted: it is looked for, and posted once more",
			nil, 1, githubtest.ResetBefore,
			[]string{"POST issues/1/comments 0 as github-actions[bot]", "POST issues/1/comments 201 as github-actions[bot]"},
			1, nil,
		},
		{
			"the same text of somebody else is not ours",
			[]setting{func(b *bench) { b.w.Comment(b.n, "mona", "The text.") }},
			1, githubtest.ResetBefore,
			[]string{"POST issues/1/comments 0 as github-actions[bot]", "POST issues/1/comments 201 as github-actions[bot]"},
			1, nil,
		},
		{
			"without the right",
			[]setting{mayOnlyRead},
			0, githubtest.None,
			[]string{"POST issues/1/comments 403 as github-actions[bot]"},
			0,
			&Denied{Right: "pull-requests: write", Message: "Resource not accessible by integration"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			if tt.nth > 0 {
				b.nth(tt.nth, tt.fault)
			}
			c := b.client()
			got, err := c.CreateComment(t.Context(), b.n, "The text.")
			checkError(t, tt.err, err)
			if diff := cmp.Diff(tt.writes, b.writes()); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			var want []pr.Comment
			for _, o := range b.own() {
				if o.Body == "The text." {
					want = append(want, o)
				}
			}
			if len(want) != tt.made {
				t.Fatalf("%d comments of ours, want %d", len(want), tt.made)
			}
			if tt.made == 1 {
				if diff := cmp.Diff(want[0], got); diff != "" {
					t.Errorf("the comment (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// own are our comments as another reader sees them.
func (b *bench) own() []pr.Comment {
	b.Helper()
	own, err := b.client().OwnComments(b.Context(), b.n)
	if err != nil {
		b.Fatal(err)
	}
	return own
}

// A text that GitHub would not take is not sent.
func TestUnpostableTexts(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", " \n", strings.Repeat("x", maxComment+1)} {
		b := newBench(t)
		_, err := b.client().CreateComment(t.Context(), b.n, body)
		want := &fail.Error{
			What: "A text of prloop's cannot be posted",
			Why:  fmt.Sprintf("it has %d bytes, and GitHub takes from 1 to 65536", len(body)),
			Fix:  "Report this; it is a bug in prloop",
		}
		if diff := cmp.Diff(want, fail.Of(err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := b.client().UpdateComment(t.Context(), 1, body); fail.Of(err).What != want.What {
			t.Errorf("an update: %v", err)
		}
		if n := len(b.w.Log()) - b.requests; n != 0 {
			t.Errorf("%d requests, want none", n)
		}
	}
	b := newBench(t)
	if _, err := b.client().CreateComment(t.Context(), b.n, strings.Repeat("x", maxComment)); err != nil {
		t.Errorf("as long as GitHub takes: %v", err)
	}
}

func TestReadComment(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNote)
	id := b.w.Pull(b.n).Comments[0]
	b.w.Advance(time.Minute)
	b.w.EditComment(id.DatabaseID, "mona", "Edited.")
	b.w.HideComment(id.DatabaseID, "mona", "outdated")

	c := b.client()
	got, found, err := c.ReadComment(t.Context(), id.ID)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	want := pr.Comment{
		ID: id.ID, DatabaseID: 2400000001, Author: actionsBot, Mine: true, Body: "Edited.",
		CreatedAt: benchStart, UpdatedAt: benchStart.Add(time.Minute), EditedAt: benchStart.Add(time.Minute),
		Editor: pr.Actor{Login: "mona", ID: got.Editor.ID}, Minimized: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Counts().Requests != 1 {
		t.Errorf("%d requests, want 1", c.Counts().Requests)
	}

	b.w.DeleteComment(id.DatabaseID, "mona")
	got, found, err = b.client().ReadComment(t.Context(), id.ID)
	if diff := cmp.Diff(pr.Comment{}, got); diff != "" || found || err != nil {
		t.Errorf("a deleted one: found %t, %v\n%s", found, err, diff)
	}
	b.w.SetFault(func(githubtest.Request) githubtest.Fault { return githubtest.Status502 })
	if _, _, err = b.client().ReadComment(t.Context(), id.ID); !errors.Is(err, ErrUnavailable) {
		t.Errorf("in bad weather: %v", err)
	}
}

func TestOwnComments(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNote, many(110), withNote, func(b *bench) { b.w.Comment(b.n, "", "A ghost's.") })
	own := b.own()
	var got []int64
	for _, o := range own {
		got = append(got, o.DatabaseID)
	}
	if diff := cmp.Diff([]int64{2400000001, 2400000112}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(b.w.Log()) - b.requests; n != 2 {
		t.Errorf("%d requests for two pages", n)
	}
}

// One refusal on the way makes the whole list unknown, never shorter.
func TestOwnCommentsAreAllOrNone(t *testing.T) {
	t.Parallel()
	page := func(next bool, nodes string) answer {
		return answer{status: 200, body: fmt.Sprintf(
			`{"data":{"repository":{"pullRequest":{"comments":{"nodes":%s,"pageInfo":{"hasNextPage":%t,"endCursor":"c"}}}}}}`, nodes, next)}
	}
	tests := []struct {
		name    string
		answers []answer
	}{
		{"a page that is refused", []answer{page(true, `[]`), {status: 200, body: `{"data":{"repository":null},"errors":[{"type":"FORBIDDEN","path":["repository"],"message":"no"}]}`}}},
		{"a page that comes again", []answer{page(true, `[]`), page(true, `[]`)}},
		{"a page without its list", []answer{page(false, `null`)}},
		{"an entry that is left out", []answer{page(false, `[null]`)}},
		{"no pull request, and no reason", []answer{{status: 200, body: `{"data":{"repository":{"pullRequest":null}}}`}}},
		{"an error beside the list", []answer{{status: 200, body: strings.TrimSuffix(page(false, `[]`).body, "}") + `,"errors":[{"type":"SOME_NEW_TYPE","message":"x"}]}`}}},
	}
	for _, tt := range tests {
		c, _ := client(t, &script{answers: tt.answers})
		if own, err := c.OwnComments(t.Context(), 7); err == nil || own != nil {
			t.Errorf("%s: %v, %v", tt.name, own, err)
		}
	}
}

func TestUpdateComment(t *testing.T) {
	t.Parallel()
	const ok, lost, bad = "PATCH issues/comments/2400000001 200 as github-actions[bot]",
		"PATCH issues/comments/2400000001 0 as github-actions[bot]", "PATCH issues/comments/2400000001 502 as github-actions[bot]"
	tests := []struct {
		name   string
		fault  githubtest.Fault
		writes []string
	}{
		{"written", githubtest.None, []string{ok}},
		{"written although the answer was lost", githubtest.ResetAfter, []string{lost}},
		{"written although GitHub answered 502", githubtest.Status502After, []string{bad}},
		{"not written, so once more", githubtest.ResetBefore, []string{lost, ok}},
		{"not written at the first 502, so once more", githubtest.Status502, []string{bad, ok}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, withNote)
			b.nth(1, tt.fault)
			if err := b.client().UpdateComment(t.Context(), 2400000001, "New.\nLines.\n"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.writes, b.writes()); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"comment_edited 2400000001 on #1 by github-actions[bot]"}, b.changed()); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a comment that is gone", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		if err := b.client().UpdateComment(t.Context(), 5, "x"); !IsGone(err) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("without the right", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, withNote, mayOnlyRead)
		checkError(t, &Denied{Right: "pull-requests: write", Message: "Resource not accessible by integration"},
			b.client().UpdateComment(t.Context(), 2400000001, "x"))
	})
}

func TestDeleteComment(t *testing.T) {
	t.Parallel()
	for _, f := range []githubtest.Fault{githubtest.None, githubtest.ResetAfter, githubtest.ResetBefore, githubtest.Status502, githubtest.Status502After} {
		b := newBench(t, withNote)
		b.nth(1, f)
		if err := b.client().DeleteComment(t.Context(), 2400000001); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if diff := cmp.Diff([]string{"comment_deleted 2400000001 on #1 by github-actions[bot]"}, b.changed()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
		if err := b.client().DeleteComment(t.Context(), 2400000001); err != nil {
			t.Errorf("one that is gone: %v", err)
		}
	}
	b := newBench(t, withNote, mayOnlyRead)
	checkError(t, &Denied{Right: "pull-requests: write", Message: "Resource not accessible by integration"},
		b.client().DeleteComment(t.Context(), 2400000001))
}

// GitHub keeps texts with other line ends, and without the last one.
func TestSameText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"a\nb", "a\r\nb\n", true},
		{"a\nb", "a b", false},
		{"a", "A", false},
		{"", "\n", true},
	} {
		if got := sameText(tt.a, tt.b); got != tt.want {
			t.Errorf("sameText(%q, %q) = %t", tt.a, tt.b, got)
		}
	}
}
