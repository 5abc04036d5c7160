package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/quest"
)

// lives plays a quest that goes round and round, events long: a patch, a proof
// that fails, a patch, a proof, a person's revision, a claim, a pause, comments.
func lives(t *testing.T, events int) (all *Quest, step func(e quest.Event) []quest.Effect) {
	t.Helper()
	all = &Quest{Number: 1, Policy: quest.DefaultPolicy(), From: quest.New("octo/demo#7/1")}
	q := all.From
	step = func(e quest.Event) []quest.Effect {
		e.At = at(len(all.Events))
		next, effects, err := quest.Step(q, e, all.Policy)
		if err != nil {
			t.Fatal(err)
		}
		q = next
		*all = *all.With(e)
		return effects
	}
	step(quest.Event{ID: "opened@PR_1", Type: quest.SignalReceived, Signal: "opened@PR_1", Risk: "own", Base: "main@" + string(headC)})
	step(quest.Event{ID: "opened@PR_1.triage", Type: quest.TriageDecided, Route: quest.AutoFix})
	step(quest.Event{ID: "review@0", Type: quest.ResearchDone, Hypothesis: "3 findings of review@0", Evidence: quest.Refs{"review@0"}})
	step(quest.Event{ID: "review@0.A", Type: quest.Decision, CP: quest.A, Verdict: quest.Approve, By: quest.Automatic, Evidence: quest.Refs{"review@0"}})
	step(quest.Event{ID: "review@0.r", Type: quest.Reproduced, Check: "none configured", Plan: "3 findings of review@0"})
	step(quest.Event{ID: "review@0.B", Type: quest.Decision, CP: quest.B, Verdict: quest.Approve, By: quest.Automatic, Evidence: quest.Refs{"review@0"}})
	proof := func(i int) {
		bundle, err := json.Marshal(map[string]any{"base": q.ProofBase, "head": q.PatchHead, "proof": "sha256:" + strings.Repeat("0f", 32), "questId": q.ID, "rev": q.Rev, "risk": q.Risk})
		if err != nil {
			t.Fatal(err)
		}
		digest, err := quest.Digest(bundle)
		if err != nil {
			t.Fatal(err)
		}
		step(quest.Event{ID: fmt.Sprintf("proof@%d", i), Type: quest.ProofSucceeded, Bundle: bundle, Digest: digest})
	}
	for i := 0; len(all.Events) < events; i++ {
		head := func(n int) string { return fmt.Sprintf("%07x%s", 10*i+n, headA[7:]) }
		id := func(what string) string { return fmt.Sprintf("%s@%d", what, i) }
		step(quest.Event{ID: "push@" + head(1), Type: quest.PatchWritten, Head: head(1)})
		step(quest.Event{ID: id("round"), Type: quest.ProofFailed, Reason: "2 findings of " + id("round")})
		step(quest.Event{ID: "push@" + head(2), Type: quest.PatchWritten, Head: head(2)})
		proof(2 * i)
		step(quest.Event{ID: id("comment"), Type: quest.Claim, Actor: "hubot"})
		step(quest.Event{ID: "push@" + head(3), Type: quest.HumanRevision, Head: head(3)})
		proof(2*i + 1)
		step(quest.Event{ID: id("released"), Type: quest.Release, Actor: "hubot"})
		step(quest.Event{ID: id("paused"), Type: quest.Pause, Actor: "mona"})
		step(quest.Event{ID: id("resumed"), Type: quest.Resume, Actor: "mona"})
		step(quest.Event{ID: id("said"), Type: quest.Comment})
		step(quest.Event{ID: id("revised"), Type: quest.Decision, CP: quest.C, Verdict: quest.Revise, By: quest.Person, Actor: "mona"})
	}
	return all, step
}

// A quest kept 300 events long, written down after each of them beside a journal
// that is full, stays within the bound of its comment and folds to the same
// state; what comes next asks for the same effects under the same keys.
func TestALongQuestIsKeptShort(t *testing.T) {
	t.Parallel()
	all, step := lives(t, 300)
	kept := &Quest{Number: 1, Policy: all.Policy, From: all.From}
	longest := 0
	for _, e := range all.Events {
		j := long(keepRows)
		j.Quest = kept.With(e)
		body := encode(t, "### Waiting for Copilot", Compact(j), nil)
		longest = max(longest, len(body))
		back, _, err := Decode(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		kept = back.Quest
	}
	if longest > MaxBody || kept.Folded+len(kept.Events) != len(all.Events) || len(all.Events) < 300 {
		t.Errorf("%d events take %d bytes, %d folded and %d kept", len(all.Events), longest, kept.Folded, len(kept.Events))
	}
	t.Logf("%d events, at most %d bytes of comment, %d folded and %d kept", len(all.Events), longest, kept.Folded, len(kept.Events))
	want, policy, _, err := all.Fold()
	if err != nil {
		t.Fatal(err)
	}
	got, now, _, err := kept.Fold()
	if err != nil {
		t.Fatal(err)
	}
	same := func(q quest.Quest) quest.Quest {
		q.Applied, q.Evidence = quest.Applied{}, nil // the newest alone are kept
		return q
	}
	if diff := cmp.Diff(same(want), same(got)); diff != "" || now != policy {
		t.Errorf("the fold (-of all events +of what is kept):\n%s", diff)
	}
	for _, e := range []quest.Event{{ID: "push@x", Type: quest.PatchWritten, Head: "x"}, {ID: "review@x", Type: quest.ProofFailed}} {
		a := step(e)
		var b []quest.Effect
		if got, b, err = quest.Step(got, e, now); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b); diff != "" || len(a) == 0 {
			t.Errorf("%s asks (-of all events +of what is kept):\n%s", e.Type, diff)
		}
	}
}

// Events that another journal's keeping left out are not lost: the policy that
// held then goes with them.
func TestAFoldedPolicyGoesOn(t *testing.T) {
	t.Parallel()
	all, _ := lives(t, 20)
	other := all.Policy
	other.Checkpoints.C, other.MaxAttempts = quest.Advisory, 9
	k := all.With(quest.Event{ID: "policy.1", Type: quest.PolicyChanged, Policy: &other}, quest.Event{ID: "said", Type: quest.Comment})
	for _, n := range []int{0, 1, 2, 5} {
		short := k.keep(n)
		q, policy, _, err := short.Fold()
		if err != nil || policy != other || q.State != quest.Patching && q.State != quest.Ready || short.Folded != len(k.Events)-n {
			t.Errorf("%d kept: %s, %+v, %v, %d folded", n, q.State, policy, err, short.Folded)
		}
	}
}
