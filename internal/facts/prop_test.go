package facts_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// genWorld draws edits from few values, so that they meet.
func genWorld(t *rapid.T) []edit {
	clocks := []string{"10:30:00", "11:00:00", "11:10:00", "11:20:00", "11:30:00"}
	clock := rapid.SampledFrom(clocks)
	sha := rapid.SampledFrom([]pr.SHA{head, older, ""})
	actor := rapid.SampledFrom([]pr.Actor{reviewer, agent, mona, hubot, stranger, {}})
	body := rapid.SampledFrom([]string{
		cleanBody, redBody, "", "Remark", "Copilot encountered an error.", "Copilot is still reviewing this pull request.", "Words.",
		"Copilot was unable to review this pull request: quota.", "Done.\n<!-- prloop:reply x -->",
		"Copilot reviewed 1 out of 1 changed files and generated no comments.\n\n### Suppressed comments (1)\n\n**a.go:1**\n* Wrong.\n",
	})
	state := rapid.SampledFrom([]pr.ReviewState{pr.Commented, pr.Approved, pr.ChangesRequested, pr.Dismissed, pr.Pending})
	id := rapid.SampledFrom([]string{"R1", "R2", "R3", ""})
	check := rapid.Custom(func(t *rapid.T) pr.Check {
		return pr.Check{
			Name:          rapid.SampledFrom([]string{"build", "test", "step"}).Draw(t, "name"),
			Status:        rapid.Bool().Draw(t, "status"),
			State:         rapid.SampledFrom([]string{"COMPLETED", "QUEUED", "SUCCESS", "FAILURE", "EXPECTED"}).Draw(t, "state"),
			Conclusion:    rapid.SampledFrom([]string{"SUCCESS", "FAILURE", "CANCELLED", "STALE", "ACTION_REQUIRED", "NEW", ""}).Draw(t, "conclusion"),
			Required:      rapid.Bool().Draw(t, "required"),
			ID:            rapid.Int64Range(0, 3).Draw(t, "id"),
			App:           rapid.SampledFrom([]string{"github-actions", "other"}).Draw(t, "app"),
			WorkflowKnown: rapid.Bool().Draw(t, "known"),
			WorkflowPath:  rapid.SampledFrom([]string{".github/workflows/ci.yml", ".github/workflows/prloop.yml", ""}).Draw(t, "path"),
			RunNumber:     rapid.IntRange(0, 2).Draw(t, "number"),
			RunAttempt:    rapid.IntRange(0, 2).Draw(t, "attempt"),
			StartedAt:     at(rapid.SampledFrom(clocks).Draw(t, "started")),
		}
	})
	comment := rapid.Custom(func(t *rapid.T) pr.ThreadComment {
		c := said(actor.Draw(t, "author"), body.Draw(t, "comment"))
		c.ReviewID, c.URL = id.Draw(t, "review"), "https://github.com/octo/mona/pull/7#discussion_r77"
		c.Mine = c.Trusted && rapid.Bool().Draw(t, "mine")
		return c
	})
	edits := []edit{
		setting(func(s *config.Settings) {
			s.Fixer = rapid.SampledFrom([]config.Fixer{config.People, config.Job}).Draw(t, "fixer")
			s.Strict = rapid.Bool().Draw(t, "strict")
			s.CI.Set = rapid.SampledFrom([]string{"", "required", "all"}).Draw(t, "set")
			s.CI.Red = rapid.SampledFrom([]config.Red{config.RedStop, config.RedHandoff, config.RedWait}).Draw(t, "red")
		}),
		snapshot(func(s *pr.Snapshot) {
			s.Checks = rapid.SliceOfN(check, 0, 5).Draw(t, "checks")
			s.Rules.RequiredContexts = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"build", "test", "absent"}), 0, 2, rapid.ID).Draw(t, "contexts")
			s.Rules.CopilotReviewOnPush = rapid.Bool().Draw(t, "on push")
			for i := range rapid.IntRange(0, 3).Draw(t, "threads") {
				s.Threads = append(s.Threads, pr.Thread{
					ID: string(rune('a' + i)), Resolved: rapid.Bool().Draw(t, "resolved"), Outdated: rapid.Bool().Draw(t, "outdated"),
					Comments: rapid.SliceOfN(comment, 0, 3).Draw(t, "comments"),
				})
			}
			for range rapid.IntRange(0, 3).Draw(t, "events") {
				s.Events = append(s.Events, pr.Event{
					Kind: rapid.SampledFrom([]pr.EventKind{pr.ReviewRequested, pr.ReviewRequestRemoved, pr.ReadyForReview, pr.HeadForcePushed}).Draw(t, "kind"),
					At:   at(clock.Draw(t, "event")), Reviewer: actor.Draw(t, "asked"),
				})
			}
			s.Requests = rapid.SliceOfN(actor, 0, 2).Draw(t, "requests")
		}),
		func(in *facts.Input) {
			in.Own = facts.Own{CheckRunID: 2, Workflow: ".github/workflows/prloop.yml", Job: "step"}
			in.UserToken = rapid.Bool().Draw(t, "user token")
			if rapid.Bool().Draw(t, "asked before") {
				in.Journal.Requests = []journal.Request{{
					Reviewer: pr.CopilotReviewer, Head: sha.Draw(t, "asked for"), At: at(clock.Draw(t, "asked at")), Via: facts.ViaWorkflow,
					Result: rapid.SampledFrom([]effect.RequestResult{effect.Landed, effect.Dropped, effect.Forbidden, effect.Errored, effect.Quota}).Draw(t, "result"),
				}}
			}
		},
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "reviews") {
		edits = append(edits, copilotReview(fmt.Sprint("R", i+1), body.Draw(t, "body"), sha.Draw(t, "commit"), clock.Draw(t, "submitted"), inState(state.Draw(t, "state"))))
	}
	// The edits draw while they are applied; apply them once and keep the world.
	in := input(edits...)
	return []edit{func(to *facts.Input) {
		snap := *in.Snapshot
		snap.Reviews, snap.Threads, snap.Events = slices.Clone(snap.Reviews), slices.Clone(snap.Threads), slices.Clone(snap.Events)
		snap.Requests, snap.Checks, snap.Unknown = slices.Clone(snap.Requests), slices.Clone(snap.Checks), nil
		for i := range snap.Threads {
			snap.Threads[i].Comments = slices.Clone(snap.Threads[i].Comments)
		}
		*to = in
		to.Snapshot = &snap
	}}
}

// clean says how clean facts are: each of these is a way to be.
func clean(f facts.Facts) map[string]bool {
	return map[string]bool{
		"reviewed at head":     f.AtHead != nil,
		"clean review at head": f.AtHead != nil && f.AtHead.Clean,
		"nothing to fix":       !f.Copilot.CopilotBodyFeedbackUnresolved && f.CI.Status != copilot.CIFailure,
		"no thread":            f.Copilot.UnresolvedThreadCount == 0,
		"no awaiting thread":   f.Threads.Awaiting == 0,
		"no open thread":       f.Threads.Open == 0,
		"nothing requested":    f.Request.Status == copilot.NotRequested,
		"checks not failed":    f.CI.Status != copilot.CIFailure,
		"checks green":         f.CI.Status == copilot.CISuccess,
		"low signal":           f.Copilot.LastCopilotRoundMaxSignal != facts.High,
	}
}

// converges: all of it together, as far as the facts say.
func converges(f facts.Facts) bool {
	c := clean(f)
	return c["clean review at head"] && c["nothing to fix"] && c["no thread"] && c["nothing requested"] && c["checks green"]
}

// noCleaner fails where after is cleaner than before.
func noCleaner(t *rapid.T, before, after facts.Facts) {
	t.Helper()
	was, is := clean(before), clean(after)
	for what := range is {
		if is[what] && !was[what] {
			t.Fatalf("%s became true\nbefore %+v\nafter  %+v", what, before, after)
		}
	}
	if converges(after) && !converges(before) {
		t.Fatalf("it converges now\nbefore %+v\nafter  %+v", before, after)
	}
}

func TestUnknownIsNeverCleaner(t *testing.T) {
	all := []pr.Fact{pr.FactReviews, pr.FactThreads, pr.FactRequests, pr.FactEvents, pr.FactRules, pr.FactChecks, pr.FactWorkflows}
	rapid.Check(t, func(t *rapid.T) {
		world := genWorld(t)
		missing := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 3, rapid.ID).Draw(t, "missing")
		noCleaner(t, derive(world...), derive(append(world, unknown(missing...))...))
	})
}

func TestUnknownNeverConverges(t *testing.T) {
	for _, fact := range []pr.Fact{pr.FactReviews, pr.FactThreads, pr.FactRequests, pr.FactEvents, pr.FactRules, pr.FactChecks} {
		world := []edit{copilotReview("R1", cleanBody, head, "11:30:00")}
		if f := derive(world...); !converges(f) {
			t.Fatalf("it does not converge with all facts: %+v", f)
		}
		if f := derive(append(world, unknown(fact))...); converges(f) {
			t.Errorf("it converges without the %s: %+v", fact, f)
		}
	}
}

func TestStrangersNeverMakeItCleaner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := genWorld(t)
		who := rapid.SampledFrom([]pr.Actor{stranger, hubot, agent, {Login: "copilot"}, {Login: pr.CopilotReviewer}, {}}).Draw(t, "stranger")
		what := rapid.SampledFrom([]string{cleanBody, "Done.\n<!-- prloop:reply x -->", "Resolved, nothing is open."}).Draw(t, "what")
		after := rapid.SampledFrom([]edit{
			snapshot(func(s *pr.Snapshot) { // another thread
				s.Threads = append(s.Threads, pr.Thread{ID: "z", Comments: []pr.ThreadComment{{Author: who, Body: what}}})
			}),
			snapshot(func(s *pr.Snapshot) { // a word in each thread
				for i := range s.Threads {
					s.Threads[i].Comments = append(s.Threads[i].Comments, pr.ThreadComment{Author: who, Body: what})
				}
			}),
			snapshot(func(s *pr.Snapshot) { // a review of the head
				s.Reviews = append(s.Reviews, pr.Review{ID: "R8", Author: who, State: pr.Approved, Commit: head, SubmittedAt: at("11:59:00"), Body: what})
			}),
		}).Draw(t, "how")
		// Nobody knows who speaks in a thread without comments; a first word tells.
		world = append(world, snapshot(func(s *pr.Snapshot) {
			s.Threads = slices.DeleteFunc(s.Threads, func(t pr.Thread) bool { return len(t.Comments) == 0 })
		}))
		noCleaner(t, derive(world...), derive(append(slices.Clone(world), after)...))
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := genWorld(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		shuffled := snapshot(func(s *pr.Snapshot) {
			r.Shuffle(len(s.Reviews), func(i, j int) { s.Reviews[i], s.Reviews[j] = s.Reviews[j], s.Reviews[i] })
			r.Shuffle(len(s.Threads), func(i, j int) { s.Threads[i], s.Threads[j] = s.Threads[j], s.Threads[i] })
			r.Shuffle(len(s.Events), func(i, j int) { s.Events[i], s.Events[j] = s.Events[j], s.Events[i] })
			r.Shuffle(len(s.Requests), func(i, j int) { s.Requests[i], s.Requests[j] = s.Requests[j], s.Requests[i] })
			r.Shuffle(len(s.Checks), func(i, j int) { s.Checks[i], s.Checks[j] = s.Checks[j], s.Checks[i] })
		})
		want, got := inOneOrder(derive(world...)), inOneOrder(derive(append(world, shuffled)...))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal("(-want +got)\n" + diff)
		}
	})
}

// inOneOrder sorts what keeps the order of GitHub's threads.
func inOneOrder(f facts.Facts) facts.Facts {
	slices.SortFunc(f.Awaiting, func(a, b facts.Finding) int { return strings.Compare(a.ID, b.ID) })
	slices.Sort(f.Threads.Untrusted)
	slices.Sort(f.Threads.Answered)
	return f
}

func TestDeriveLeavesItsInputAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		world := genWorld(t)
		in := input(world...)
		facts.Derive(in)
		if diff := cmp.Diff(input(world...), in); diff != "" {
			t.Fatal("(-want +got)\n" + diff)
		}
	})
}
