package github

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// againOf reads the pull request once more and finds nothing against the merge.
func againOf(b *bench) func(context.Context, effect.Merge) (*pr.Snapshot, string, error) {
	return func(ctx context.Context, _ effect.Merge) (*pr.Snapshot, string, error) {
		s, err := b.executor().c.Snapshot(ctx, b.n, Want{})
		return s, "", err
	}
}

func rules(r githubtest.Rules) setting { return func(b *bench) { b.w.SetRules("", r) } }

func refuses(texts ...string) setting { return func(b *bench) { b.w.FailMerges(texts...) } }

// green has the check build of the head pass.
func green(b *bench) { b.w.Check(b.n, githubtest.Check{Name: "build", Conclusion: "SUCCESS"}) }

var (
	held    = githubtest.Rules{Contexts: []string{"build"}, Approvals: 1}
	checked = githubtest.Rules{Contexts: []string{"build"}}
	queue   = githubtest.Rules{Contexts: []string{"build"}, MergeQueue: true}
)

// What a merge comes to, by which calls, in each kind of world. Every call that
// leaves carries the head.
func TestMerge(t *testing.T) {
	t.Parallel()
	const arm, merge, enqueue = "enablePullRequestAutoMerge", "mergePullRequest", "enqueuePullRequest"
	by := func(way effect.Way) effect.Merge {
		return effect.Merge{Base: "main", Method: pr.Squash, Way: way, Settled: true, Try: 1}
	}
	unsettled := by(effect.Armed)
	unsettled.Settled = false
	ok := func(came effect.MergeResult) effect.Result { return effect.Result{Outcome: effect.Done, Merge: came} }
	no := func(class effect.MergeResult, says string) effect.Result {
		return effect.Result{Outcome: effect.Failed, Merge: class, Note: "GitHub refuses it (" + says + ")"}
	}
	running := func(b *bench) { b.w.Check(b.n, githubtest.Check{Name: "slow"}) }
	tests := []struct {
		name   string
		before []setting
		after  []setting
		wish   effect.Merge
		want   effect.Result
		calls  []string
		state  string
	}{
		{"armed while an approval is missing", []setting{rules(held), green}, nil, by(effect.Armed), ok(effect.MergeArmed), []string{arm}, "OPEN"},
		{"clean status: merged at once", []setting{rules(checked), green}, nil, by(effect.Armed), ok(effect.MergeMade), []string{arm, merge}, "MERGED"},
		{"no protection: merged at once", []setting{green}, nil, by(effect.Armed), ok(effect.MergeMade), []string{arm, merge}, "MERGED"},
		{"unstable, and nothing that is waited for runs: merged at once", []setting{rules(checked), green, running}, nil, by(effect.Armed), ok(effect.MergeMade), []string{arm, merge}, "MERGED"},
		{"unstable, and a check runs: not merged", []setting{rules(checked), green, running}, nil, unsettled, no(effect.UnstableStatus, "unstable"), []string{arm}, "OPEN"},
		{"directly", []setting{green}, nil, by(effect.Direct), ok(effect.MergeMade), []string{merge}, "MERGED"},
		{"directly, and a rule is not met", []setting{rules(held), green}, nil, by(effect.Direct), no(effect.RulesRefuse, "rules"), []string{merge}, "OPEN"},
		{"into the queue", []setting{rules(queue), green}, nil, by(effect.Queued), ok(effect.MergeQueued), []string{enqueue}, "OPEN"},
		{"arming puts it into the queue", []setting{rules(queue), green}, nil, by(effect.Armed), ok(effect.MergeQueued), []string{arm}, "OPEN"},
		{"a queue that nobody knew of", []setting{rules(queue), green}, nil, by(effect.Direct), ok(effect.MergeQueued), []string{merge, enqueue}, "OPEN"},
		{"the base moved: once more", []setting{green, refuses("Base branch was modified. Review and try the merge again.")}, nil, by(effect.Direct), ok(effect.MergeMade), []string{merge, merge}, "MERGED"},
		{"the base moved twice", []setting{green, refuses("Base branch was modified.", "Base branch was modified.")}, nil, by(effect.Direct), no(effect.BaseChanged, "base changed"), []string{merge, merge}, "OPEN"},
		{"words that nobody knows", []setting{green, refuses("Hm.")}, nil, by(effect.Armed), no(effect.MergeRefused, "refused"), []string{arm}, "OPEN"},
		{"refused twice over", []setting{green, refuses("Pull request Pull request is in clean status", "Hm.")}, nil, by(effect.Armed), no(effect.MergeRefused, "refused"), []string{arm, merge}, "OPEN"},
		{"the head moved before", []setting{green}, []setting{pushed}, by(effect.Armed), stale("the head is HEAD now"), nil, "OPEN"},
		{"the head moved at the very moment", []setting{green, refuses("Head branch was modified. Review and try the merge again.")}, nil, by(effect.Direct), stale("the head has moved"), []string{merge}, "OPEN"},
		{"somebody merged it", []setting{green}, []setting{merged}, by(effect.Armed), effect.Result{Outcome: effect.AlreadySo, Merge: effect.MergeMade}, nil, "MERGED"},
		{"somebody closed it", []setting{green}, []setting{func(b *bench) { b.w.Close(b.n, "mona") }}, by(effect.Armed), stale("the pull request is closed"), nil, "CLOSED"},
		{"somebody armed it", []setting{rules(held), green}, []setting{func(b *bench) { b.w.Arm(b.n, "mona") }}, by(effect.Armed), effect.Result{Outcome: effect.AlreadySo, Merge: effect.MergeArmed}, nil, "OPEN"},
		{"without the right", []setting{green, lacking("contents")}, nil, by(effect.Armed), effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: rightMerge}, []string{arm}, "OPEN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			e := tt.wish
			e.Head = b.head
			for _, f := range tt.after {
				f(b)
			}
			x := b.executor()
			x.t.Again = againOf(b)
			got, err := x.Do(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if made := b.w.Pull(b.n).MergeCommit; got.Outcome == effect.Done && got.ID != made {
				t.Errorf("the commit is %q, want %q", got.ID, made)
			}
			got.Effect, got.ID = nil, ""
			got.Note = strings.ReplaceAll(got.Note, pr.SHA(b.w.Pull(b.n).Head).Short(), "HEAD")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var calls []string
			for _, q := range b.w.Log()[b.requests:] {
				if q.Write {
					calls = append(calls, strings.Join(q.Fields, " "))
					if q.Expected != string(b.head) {
						t.Errorf("%s is pinned to %q", q, q.Expected)
					}
				}
			}
			if diff := cmp.Diff(tt.calls, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got := b.w.Pull(b.n).State; got != tt.state {
				t.Errorf("it is %s, want %s", got, tt.state)
			}
		})
	}
}

// What is decided otherwise once it was read again is not merged.
func TestMergeIsDecidedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, green)
	x := b.executor()
	again := againOf(b)
	x.t.Again = func(ctx context.Context, e effect.Merge) (*pr.Snapshot, string, error) {
		s, _, err := again(ctx, e)
		return s, "a check failed since", err
	}
	got, err := x.Do(t.Context(), effect.Merge{Head: b.head, Method: pr.Squash, Way: effect.Direct})
	if err != nil || got.Outcome != effect.Stale || got.Note != "a check failed since" {
		t.Errorf("%+v, %v", got, err)
	}
	if b.w.Pull(b.n).State != "OPEN" {
		t.Error("it is merged")
	}
}

func TestDisarmUpdateAndDelete(t *testing.T) {
	t.Parallel()
	armed := []setting{rules(held), green, func(b *bench) { b.w.Arm(b.n, "mona") }}
	at := func(b *bench) string { return b.w.Pull(b.n).AutoMerge.At.UTC().Format(time.RFC3339) }
	disarm := func(b *bench) effect.Effect { return effect.DisarmMerge{Head: b.head, At: at(b)} }
	dequeue := func(b *bench) effect.Effect { return effect.DisarmMerge{Head: b.head} }
	update := func(b *bench) effect.Effect { return effect.UpdateBranch{Head: b.head} }
	remove := func(b *bench) effect.Effect {
		return effect.DeleteBranch{Branch: b.w.Pull(b.n).HeadRef, Head: b.head}
	}
	behind := func(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Behind = true }) }
	queued := func(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Queued = true }) }
	based := func(b *bench) { b.w.OpenPR(githubtest.PR{Base: b.w.Pull(b.n).HeadRef}) }
	twin := func(b *bench) { b.w.OpenPR(githubtest.PR{HeadRef: b.w.Pull(b.n).HeadRef, Base: "next"}) }
	guarded := func(r githubtest.Rules) setting {
		return func(b *bench) { b.w.SetRules(b.w.Pull(b.n).HeadRef, r) }
	}
	done, so := effect.Result{Outcome: effect.Done}, effect.Result{Outcome: effect.AlreadySo}
	lacks := func(right string) effect.Result {
		return effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: right}
	}
	for _, tt := range []struct {
		name   string
		before []setting
		after  []setting
		effect func(*bench) effect.Effect
		want   effect.Result
		writes []string
	}{
		{"disarm", armed, nil, disarm, done, []string{"disablePullRequestAutoMerge"}},
		{"disarm: it is disarmed", armed, []setting{func(b *bench) { b.w.Disarm(b.n, "mona") }}, disarm, so, nil},
		{"disarm: somebody armed it anew", armed, []setting{func(b *bench) { b.w.Advance(time.Minute); b.w.Arm(b.n, "hubot") }}, disarm, stale("somebody armed it anew"), nil},
		{"disarm: it is merged", armed, []setting{merged}, disarm, stale("the pull request is merged"), nil},
		{"disarm: after a push", armed, []setting{pushed}, disarm, done, []string{"disablePullRequestAutoMerge"}},
		{"disarm: without the right", append(slices.Clone(armed), lacking("contents")), nil, disarm, lacks(rightMerge), []string{"disablePullRequestAutoMerge"}},
		{"disarm: out of the queue", []setting{rules(queue), green, queued}, nil, dequeue, done, []string{"dequeuePullRequest"}},
		{"update", []setting{behind}, nil, update, done, []string{"updatePullRequestBranch"}},
		{"update: it is up to date", nil, nil, update, so, []string{"updatePullRequestBranch"}},
		{"update: the head moved", []setting{behind}, []setting{pushed}, update, stale("the head is HEAD now"), nil},
		{"delete", []setting{merged}, nil, remove, done, []string{"deleteRef"}},
		{"delete: it is not merged", nil, nil, remove, stale("the pull request is not merged"), nil},
		{"delete: it is gone", []setting{merged}, []setting{func(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.HeadDeleted = true }) }}, remove, so, nil},
		{"delete: it has moved on", []setting{merged}, []setting{func(b *bench) {
			other := b.w.Pull(b.n).MergeCommit
			b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Head = other })
		}}, remove, stale("the branch has moved on"), nil},
		{"delete: a pull request is based on it", []setting{based, merged}, nil, remove, stale("an open pull request needs the branch"), nil},
		{"delete: another one is of it", []setting{twin, merged}, nil, remove, stale("an open pull request needs the branch"), nil},
		{"delete: a classic rule protects it", []setting{merged, guarded(githubtest.Rules{Approvals: 1})}, nil, remove, stale("the branch is protected"), nil},
		{"delete: a ruleset protects it", []setting{merged, guarded(githubtest.Rules{Checks: []string{"build"}})}, nil, remove, stale("the branch is protected"), nil},
		{"delete: without the right", []setting{merged, lacking("contents")}, nil, remove, lacks(rightBranch), []string{"deleteRef"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			e := tt.effect(b)
			for _, f := range tt.after {
				f(b)
			}
			got := b.deed(e)
			if diff := cmp.Diff(tt.want, got.Result); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var writes []string
			for _, q := range b.w.Log()[b.requests:] {
				if q.Write {
					writes = append(writes, strings.Join(q.Fields, " "))
				}
			}
			if diff := cmp.Diff(tt.writes, writes); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if again := b.deed(e); tt.want.Outcome == effect.Done && again.Result.Outcome == effect.Done {
				t.Errorf("once more: %+v", again.Result)
			}
		})
	}
}

// Everything that is asked about a merge is in GitHub's own schema.
func TestMergingSpeaksGitHubsGraphQL(t *testing.T) {
	schema := gitHubsSchema(t)
	tape := &recorder{queries: map[string]bool{}}
	for _, a := range []struct {
		before []setting
		effect func(*bench) effect.Effect
	}{
		{[]setting{green}, func(b *bench) effect.Effect {
			return effect.Merge{Head: b.head, Method: pr.Squash, Way: effect.Armed}
		}},
		{[]setting{rules(queue), green}, func(b *bench) effect.Effect { return effect.Merge{Head: b.head, Way: effect.Queued} }},
		{[]setting{rules(held), func(b *bench) { b.w.Arm(b.n, "mona") }}, func(b *bench) effect.Effect { return effect.DisarmMerge{Head: b.head} }},
		{[]setting{rules(queue), func(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Queued = true }) }}, func(b *bench) effect.Effect { return effect.DisarmMerge{Head: b.head} }},
		{[]setting{func(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Behind = true }) }}, func(b *bench) effect.Effect { return effect.UpdateBranch{Head: b.head} }},
		{[]setting{merged}, func(b *bench) effect.Effect {
			return effect.DeleteBranch{Branch: b.w.Pull(b.n).HeadRef, Head: b.head}
		}},
	} {
		b := newBench(t, a.before...)
		again := againOf(b)
		b.tape = tape
		x := b.executor()
		x.t.Again = again
		if r, err := x.Do(t.Context(), a.effect(b)); err != nil || r.Outcome != effect.Done {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	var queries []string
	for q := range tape.queries {
		if !strings.Contains(q, "reviewThreads") { // the snapshot, which has its own test
			queries = append(queries, q)
		}
	}
	slices.Sort(queries)
	// Two looks (the merge, the branch) and seven mutations.
	if len(queries) != 9 {
		t.Fatalf("%d queries, want 9: %q", len(queries), queries)
	}
	if err := githubtest.Validate(schema, queries...); err != nil {
		t.Error(err)
	}
}
