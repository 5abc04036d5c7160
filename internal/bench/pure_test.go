package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

const threads = 100

// decide is how long one decision takes, in µs: the median of eleven hundreds.
func decide(*lab) (float64, error) {
	in := manyThreads()
	if err := feedback(plan.Decide(in)); err != nil {
		return 0, err
	}
	const n = 100
	return median(11, func() (float64, error) {
		d, err := took(func() error {
			for range n {
				plan.Decide(in)
			}
			return nil
		})
		return float64(d.Nanoseconds()) / 1e3 / n, err
	})
}

// feedback: a decision that stopped at an earlier row would be fast for nothing.
func feedback(p plan.Plan) error {
	if p.Code != plan.FeedbackOpen || len(p.Facts.Awaiting) != threads/2 {
		return fmt.Errorf("the decision is %s (%s) over %d findings", p.Code, p.Why, len(p.Facts.Awaiting))
	}
	return nil
}

// BenchmarkDecide is for whoever looks for what takes the time.
func BenchmarkDecide(b *testing.B) {
	in := manyThreads()
	for b.Loop() {
		plan.Decide(in)
	}
}

func TestManyThreads(t *testing.T) {
	if err := feedback(plan.Decide(manyThreads())); err != nil {
		t.Error(err)
	}
}

// manyThreads is a pull request in its fifth round: 100 threads of two
// comments, half of them unresolved and awaiting us, 30 checks, 40 comments.
func manyThreads() plan.Input {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	bot := pr.Actor{Login: pr.CopilotReviewer, Bot: true, ID: pr.CopilotReviewerID}
	mona := pr.Actor{Login: "mona"}
	head := pr.SHA("00000000000000000000000000000000000000aa")
	s := &pr.Snapshot{
		At: now, Repo: pr.Repo{Owner: "octo-org", Name: "demo", DefaultBranch: "main"}, Viewer: pr.Actor{Login: "github-actions", Bot: true},
		Found: true, ID: "PR_1", Number: 1, State: pr.Open, Author: mona, Head: head, HeadRef: "parser", HeadRepo: "octo-org/demo",
		Base: pr.Branch{Name: "main", OID: "00000000000000000000000000000000000000bb"}, CreatedAt: now.Add(-24 * time.Hour), UpdatedAt: now,
		MergeState: "CLEAN", HeadSuiteAt: now.Add(-time.Hour),
	}
	for i := range 4 {
		commit := head
		if i < 3 {
			commit = pr.SHA(fmt.Sprintf("%040x", i+1))
		}
		s.Events = append(s.Events, pr.Event{Kind: pr.ReviewRequested, At: now.Add(time.Duration(i-5) * time.Hour), Actor: mona, Reviewer: bot})
		s.Reviews = append(s.Reviews, pr.Review{
			ID: fmt.Sprintf("R_%d", i), Author: bot, State: pr.Commented, Commit: commit, SubmittedAt: now.Add(time.Duration(i-4) * time.Hour).Add(30 * time.Minute),
			Body: "## Pull request overview\n\nThis pull request adds a parser.\n\nCopilot reviewed 9 out of 9 changed files in this pull request and generated 25 comments.\n",
		})
	}
	for i := range threads {
		at := now.Add(-time.Duration(threads-i) * time.Minute)
		th := pr.Thread{ID: fmt.Sprintf("T_%03d", i), Path: fmt.Sprintf("internal/parser/file%d.go", i%9), Line: i + 1, Resolved: i%2 == 0, Outdated: i%3 == 0}
		th.Comments = append(
			th.Comments,
			pr.ThreadComment{ID: fmt.Sprintf("C_%03d_1", i), Author: bot, Trusted: true, Body: "**Medium**: the error of `Close` is dropped here, so a full disk goes unnoticed.\n\n```suggestion\nreturn f.Close()\n```\n", Code: fmt.Sprintf("\tf%d.Close()", i), CreatedAt: at, ReviewID: fmt.Sprintf("R_%d", i%4)},
			pr.ThreadComment{ID: fmt.Sprintf("C_%03d_2", i), Author: bot, Trusted: true, Body: "The same holds for the error of `Flush` above.", CreatedAt: at.Add(time.Second), ReviewID: fmt.Sprintf("R_%d", i%4)},
		)
		s.Threads = append(s.Threads, th)
	}
	for i := range 30 {
		s.Checks = append(s.Checks, pr.Check{
			Name: fmt.Sprintf("test (%d)", i), State: "COMPLETED", Conclusion: "SUCCESS", ID: int64(i + 1), App: "github-actions", StartedAt: now.Add(-50 * time.Minute),
			WorkflowKnown: true, Workflow: "CI", WorkflowPath: ".github/workflows/ci.yml", RunID: int64(100 + i), RunNumber: 7, RunAttempt: 1,
		})
	}
	for i := range 40 {
		s.Comments = append(s.Comments, pr.Comment{ID: fmt.Sprintf("IC_%d", i), DatabaseID: int64(i + 1), Author: mona, Body: "Looking at it.", CreatedAt: now.Add(-3 * time.Hour)})
	}
	set := config.Defaults()
	set.MaxOpenThreads = threads + 1
	return plan.Input{
		Settings: set, Snapshot: s, Memory: journal.MemoryFound,
		Journal:    journal.Journal{PR: 1, Rev: 12, Asked: 4, HandedOver: 3, Quest: fourRounds(s)},
		Own:        facts.Own{RunID: 1, Workflow: ".github/workflows/prloop.yml", Job: "step"},
		StartsLeft: set.Budgets.StartsPerRun,
	}
}

// fourRounds is the quest of a pull request with four rounds behind it.
func fourRounds(s *pr.Snapshot) *journal.Quest {
	k := &journal.Quest{Number: 1, Policy: quest.DefaultPolicy(), From: quest.New("octo-org/demo#1/1")}
	enter := func(id string, e quest.Event) {
		e.ID, e.At = id, s.CreatedAt
		k = k.With(e)
	}
	head := func(i int) string { return fmt.Sprintf("%040x", i) }
	enter("opened@PR_1", quest.Event{Type: quest.SignalReceived, Signal: "opened@PR_1", Risk: "own", Base: "main@" + string(s.Base.OID)})
	enter("opened@PR_1.triage", quest.Event{Type: quest.TriageDecided, Route: quest.AutoFix})
	enter("push@"+head(1), quest.Event{Type: quest.HumanRevision, Head: head(1)})
	enter("review@R_0", quest.Event{Type: quest.ResearchDone, Hypothesis: "25 findings of review@R_0", Evidence: quest.Refs{"review@R_0"}})
	enter("review@R_0.A", quest.Event{Type: quest.Decision, CP: quest.A, Verdict: quest.Approve, By: quest.Automatic, Evidence: quest.Refs{"review@R_0"}})
	enter("review@R_0.reproduced", quest.Event{Type: quest.Reproduced, Check: "none configured", Plan: "25 findings of review@R_0"})
	enter("review@R_0.B", quest.Event{Type: quest.Decision, CP: quest.B, Verdict: quest.Approve, By: quest.Automatic, Evidence: quest.Refs{"review@R_0"}})
	for i := 1; i < 4; i++ {
		enter("push@"+head(i+1), quest.Event{Type: quest.PatchWritten, Head: head(i + 1)})
		enter(fmt.Sprintf("review@R_%d", i), quest.Event{Type: quest.ProofFailed, Reason: fmt.Sprintf("25 findings of review@R_%d", i)})
	}
	return k
}

const events = 10_000

// fold is how long the fold of a long quest takes, in ms.
func fold(*lab) (float64, error) {
	list := longQuest()
	if err := folded(list); err != nil {
		return 0, err
	}
	return median(11, func() (float64, error) {
		d, err := took(func() error {
			_, _, err := quest.Fold(quest.New("pr-1"), list, quest.DefaultPolicy())
			return err
		})
		return float64(d.Nanoseconds()) / 1e6, err
	})
}

// folded: a fold that stopped early, or absorbed all, would be fast for
// nothing.
func folded(list []quest.Event) error {
	q, effects, err := quest.Fold(quest.New("pr-1"), list, quest.DefaultPolicy())
	if err != nil {
		return err
	}
	if n := len(q.Applied.IDs()); n != events || len(effects) < events/2 || q.Rev < events/20 {
		return fmt.Errorf("%d events were applied, with %d effects, up to revision %d", n, len(effects), q.Rev)
	}
	return nil
}

// BenchmarkFold is for whoever looks for what takes the time.
func BenchmarkFold(b *testing.B) {
	list := longQuest()
	for b.Loop() {
		if _, _, err := quest.Fold(quest.New("pr-1"), list, quest.DefaultPolicy()); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLongQuest(t *testing.T) {
	if err := folded(longQuest()); err != nil {
		t.Error(err)
	}
}

// longQuest is a quest that goes round and round: researched, patched, its
// proof failed once, proved, revised by a person's push, sent back at C; with
// receipts and ten comments between. Every tenth event has a proof bundle.
func longQuest() []quest.Event {
	list := []quest.Event{
		{Type: quest.SignalReceived, Signal: "pr-1", Fingerprint: "f"},
		{Type: quest.TriageDecided, Route: quest.AutoFix},
		{Type: quest.ResearchDone, Hypothesis: "two findings"},
		{Type: quest.Decision, CP: quest.A, Verdict: quest.Approve, By: quest.Person},
		{Type: quest.Reproduced, Check: "test", Plan: "mend both"},
		{Type: quest.Decision, CP: quest.B, Verdict: quest.Approve, By: quest.Person},
	}
	for rev := 1; len(list) < events; rev++ {
		head := func(s string) string { return fmt.Sprintf("%s%039x", s, rev) }
		list = append(
			list,
			quest.Event{Type: quest.PatchWritten, Head: head("a")},
			quest.Event{Type: quest.ProofFailed},
			quest.Event{Type: quest.PatchWritten, Head: head("b")},
			quest.Event{Type: quest.UsageReceipt, Amount: 3, Unit: "minutes"},
			proof(rev, head("b")),
			quest.Event{Type: quest.UsageReceipt, Amount: 1, Unit: "requests"},
			quest.Event{Type: quest.HumanRevision, Head: head("c")},
			proof(rev+1, head("c")),
			quest.Event{Type: quest.Decision, CP: quest.C, Verdict: quest.Revise, By: quest.Person},
		)
		for range 10 {
			list = append(list, quest.Event{Type: quest.Comment, Addressed: true})
		}
	}
	list = list[:events]
	for i := range list {
		list[i].ID = fmt.Sprintf("run@%d.1", i)
	}
	return list
}

// proof is an accepted proof bundle.
func proof(rev int, head string) quest.Event {
	bundle := fmt.Appendf(nil, `{"questId":"pr-1","rev":%d,"risk":"","base":"","head":%q,"checks":["build","test"]}`, rev, head)
	digest, err := quest.Digest(bundle)
	if err != nil {
		panic(err)
	}
	return quest.Event{Type: quest.ProofSucceeded, Bundle: bundle, Digest: digest}
}
