package github

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/githubtest"
)

const (
	noteID     int64 = 2400000001
	reactionID int64 = 310000001
)

func TestLock(t *testing.T) {
	t.Parallel()
	const first, then, lost, bad = "POST issues/comments/2400000001/reactions 201 as github-actions[bot]",
		"POST issues/comments/2400000001/reactions 200 as github-actions[bot]",
		"POST issues/comments/2400000001/reactions 0 as github-actions[bot]",
		"POST issues/comments/2400000001/reactions 502 as github-actions[bot]"
	ours := Lock{ID: reactionID, Mine: true, CreatedAt: benchStart}
	theirs := Lock{ID: reactionID, CreatedAt: benchStart}
	tests := []struct {
		name   string
		before []setting
		fault  githubtest.Fault // of the first request
		want   Lock
		writes []string
	}{
		{"nobody holds it", nil, githubtest.None, ours, []string{first}},
		{"another run of ours holds it", []setting{locked}, githubtest.None, theirs, []string{then}},
		{
			"eyes of a person are no lock",
			[]setting{func(b *bench) { b.w.React(noteID, "mona", "eyes") }},
			githubtest.None,
			Lock{ID: reactionID + 1, Mine: true, CreatedAt: benchStart},
			[]string{first},
		},
		{
			"another reaction of ours is no lock",
			[]setting{func(b *bench) { b.w.React(noteID, githubtest.ActionsBot, "rocket") }},
			githubtest.None,
			Lock{ID: reactionID + 1, Mine: true, CreatedAt: benchStart},
			[]string{first},
		},
		{"the request was lost, so it is taken now", nil, githubtest.ResetBefore, ours, []string{lost, first}},
		{"a 502 without effect, so it is taken now", nil, githubtest.Status502, ours, []string{bad, first}},
		{"the answer was lost: nobody can tell whose it is, so it is not ours", nil, githubtest.ResetAfter, theirs, []string{lost, then}},
		{"a 502 that took effect: not ours either", nil, githubtest.Status502After, theirs, []string{bad, then}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, append([]setting{withNote}, tt.before...)...)
			b.nth(1, tt.fault)
			got, err := b.client().Lock(t.Context(), noteID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.writes, b.writes()); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// locked: a run of the same identity holds the lock.
func locked(b *bench) { b.w.React(noteID, githubtest.ActionsBot, "eyes") }

// A lock whose answer was lost holds up everybody for ten minutes and not for
// ever: it is removed by its id, and taken.
func TestLostLockIsNoDeadlock(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNote)
	b.nth(1, githubtest.ResetAfter)
	lock, err := b.client().Lock(t.Context(), noteID)
	if err != nil || lock.Mine {
		t.Fatal(lock, err)
	}
	b.w.Advance(10 * time.Minute)
	c := b.client()
	if lock, err = c.Lock(t.Context(), noteID); err != nil || lock.Mine {
		t.Fatal(lock, err)
	}
	if age := c.Now().Sub(lock.CreatedAt); age < 10*time.Minute {
		t.Fatalf("it is %s old", age)
	}
	if err := c.RemoveLock(t.Context(), noteID, lock.ID); err != nil {
		t.Fatal(err)
	}
	want := Lock{ID: reactionID + 1, Mine: true, CreatedAt: benchStart.Add(10 * time.Minute)}
	got, err := c.Lock(t.Context(), noteID)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Two runs that find the same lock stale: the second removes nothing, and does
// not get what the first took.
func TestStaleLockIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNote, locked)
	one, two := b.client(), b.client()
	for _, c := range []*Client{one, two} {
		if l, err := c.Lock(t.Context(), noteID); err != nil || l.ID != reactionID || l.Mine {
			t.Fatal(l, err)
		}
	}
	var got []Lock
	for _, c := range []*Client{one, two} {
		if err := c.RemoveLock(t.Context(), noteID, reactionID); err != nil {
			t.Fatal(err)
		}
		l, err := c.Lock(t.Context(), noteID)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l)
	}
	want := []Lock{{ID: reactionID + 1, Mine: true, CreatedAt: benchStart}, {ID: reactionID + 1, CreatedAt: benchStart}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLockErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNote, mayOnlyRead)
	_, err := b.client().Lock(t.Context(), noteID)
	checkError(t, &Denied{Right: "pull-requests: write", Message: "Resource not accessible by integration"}, err)

	b = newBench(t)
	if _, err := b.client().Lock(t.Context(), noteID); !IsGone(err) {
		t.Errorf("a comment that is gone: %v", err)
	}
	b = newBench(t, withNote)
	b.w.SetFault(func(githubtest.Request) githubtest.Fault { return githubtest.Status502 })
	if _, err := b.client().Lock(t.Context(), noteID); !errors.Is(err, ErrUnavailable) {
		t.Errorf("in bad weather: %v", err)
	}
	if n := len(b.writes()); n != 2 {
		t.Errorf("%d tries, want 2", n)
	}
}

func TestUnlock(t *testing.T) {
	t.Parallel()
	for _, f := range []githubtest.Fault{githubtest.None, githubtest.ResetBefore, githubtest.ResetAfter, githubtest.Status502, githubtest.Status502After} {
		b := newBench(t, withNote, locked, func(b *bench) { b.w.React(noteID, "mona", "eyes") })
		b.nth(1, f)
		if err := b.client().Unlock(t.Context(), noteID, reactionID); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		want := []string{"reaction_removed eyes 310000001 from comment 2400000001 on #1 by github-actions[bot]"}
		if diff := cmp.Diff(want, b.changed()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
		if err := b.client().Unlock(t.Context(), noteID, reactionID); err != nil {
			t.Errorf("a lock that is gone: %v", err)
		}
	}
	b := newBench(t, withNote, locked, mayOnlyRead)
	checkError(t, &Denied{Right: "pull-requests: write", Message: "Resource not accessible by integration"},
		b.client().Unlock(t.Context(), noteID, reactionID))
}

func TestRunOver(t *testing.T) {
	t.Parallel()
	run := func(status string, attempt int) answer {
		body := `{"id":9,"status":"` + status + `","run_attempt":` + string(rune('0'+attempt)) + `}`
		return answer{status: 200, body: body}
	}
	type said struct {
		Over, Known bool
		Weather     bool
	}
	tests := []struct {
		name    string
		answer  answer
		attempt int
		want    said
	}{
		{"it is over", run("completed", 1), 1, said{Over: true, Known: true}},
		{"it goes on", run("in_progress", 1), 1, said{Known: true}},
		{"it waits for a runner", run("queued", 1), 1, said{Known: true}},
		{"a later attempt goes on", run("in_progress", 2), 1, said{Over: true, Known: true}},
		{"the newest attempt goes on", run("in_progress", 2), 0, said{Known: true}},
		{"a status that is left out", answer{status: 200, body: `{"id":9}`}, 1, said{}},
		{"without the right to read actions", answer{status: 403, body: `{"message":"Resource not accessible by integration"}`}, 1, said{}},
		{"a run that was deleted", answer{status: 404, body: `{"message":"Not Found"}`}, 1, said{}},
		{"bad weather", answer{status: 502}, 1, said{Weather: true}},
	}
	for _, tt := range tests {
		c, _ := client(t, &script{answers: []answer{tt.answer}})
		over, known, err := c.RunOver(t.Context(), 9, tt.attempt)
		got := said{over, known, errors.Is(err, ErrUnavailable)}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil != tt.want.Weather {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}
