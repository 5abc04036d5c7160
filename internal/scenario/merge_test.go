package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/githubtest"
)

// mergeCall reports whether a request merges, arms or queues a merge.
func mergeCall(q githubtest.Request) bool {
	return strings.HasSuffix(q.Path, "/merge") && q.Write || slices.ContainsFunc(q.Fields, func(f string) bool {
		return slices.Contains([]string{"mergePullRequest", "enablePullRequestAutoMerge", "enqueuePullRequest"}, f)
	})
}

// No merge call of any story leaves without the head that was judged, and none but
// for the one that stands then is carried out.
func TestNoMergeLeavesWithoutItsHead(t *testing.T) {
	calls := 0
	for _, s := range stories(t) {
		told := play(t, s, Options{})
		for _, q := range told.World.Log() {
			if !mergeCall(q) {
				continue
			}
			calls++
			if len(q.Expected) != 40 {
				t.Errorf("%s: request %d is pinned to %q: %s", s.Name, q.N, q.Expected, q)
			}
			if q.Errors == "" && q.Status == 200 && !strings.Contains(q.Effect, q.Expected[:7]) {
				t.Errorf("%s: request %d is pinned to %s, and does %q", s.Name, q.N, q.Expected, q.Effect)
			}
		}
	}
	if calls < 20 {
		t.Errorf("only %d merge calls in all stories", calls)
	}
	t.Logf("%d merge calls, each with its head", calls)
}

// A merge is made or armed once, however a run that asks for one is disturbed: the
// stories play their cuts and faults with the rest; this counts the calls that came
// to something.
func TestAMergeComesAboutOnce(t *testing.T) {
	for _, name := range []string{"merge-directly", "merge-queued", "merge-queue"} {
		s := story(t, name)
		whole := play(t, s, Options{})
		for k := 1; k <= whole.Runs[1].Wire; k++ {
			for _, f := range append([]Fault{Cut}, Faults...) {
				told := play(t, s, Options{Recover: true, Fault: func(r, q int) Fault {
					if r == 2 && q == k {
						return f
					}
					return NoFault
				}})
				came := 0
				for _, c := range told.World.Changes() {
					if c.Request != 0 && slices.Contains([]string{"merged", "auto_merge_enabled", "enqueued"}, c.What) {
						came++
					}
				}
				want := 1
				if name == "merge-queue" {
					want = 3 // the story queues it again after a push and after a pause
				}
				if came != want {
					t.Errorf("%s, request %d, %s: %d merges came about, want %d", name, k, f, came, want)
				}
			}
		}
	}
}
