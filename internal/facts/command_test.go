package facts

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// jobAt is a time after the head appeared, in minutes.
func jobAt(minutes int) time.Time {
	return time.Unix(6000, 0).Add(time.Duration(minutes) * time.Minute)
}

// byJob: Codex reviews each head by a job, ten minutes after the head appeared.
func byJob(edits ...func(*Input)) Input {
	set := config.Defaults()
	set.Reviewers.Copilot.Mode, set.Reviewers.Codex.Mode = config.Off, config.EachIter
	in := Input{Settings: set, Snapshot: &pr.Snapshot{
		Found: true, State: pr.Open, Number: 7, Head: agentHead, CreatedAt: jobAt(0), At: jobAt(10),
	}}
	for _, e := range edits {
		e(&in)
	}
	return in
}

func jobReview(head pr.SHA, minutes int, clean bool, score int, items ...string) func(*Input) {
	return func(in *Input) {
		c := effect.Comment{Topic: ReviewTopic("codex", clean, score), Head: head}
		body := "### Review by codex\n\n" + strings.Join(items, "\n") + "\n\n" + c.Marker()
		in.Snapshot.Comments = append(in.Snapshot.Comments, pr.Comment{
			ID: c.Topic, Mine: true, Author: pr.Actor{Login: "github-actions", Bot: true}, Body: body, CreatedAt: jobAt(minutes),
		})
	}
}

func jobHanded(number int, edits ...func(*journal.Handoff)) func(*Input) {
	return func(in *Input) {
		h := journal.Handoff{Number: number, Head: agentHead, Step: StepReview, Reviewer: "codex", At: jobAt(1), Deadline: jobAt(51)}
		for _, e := range edits {
			e(&h)
		}
		in.Journal.Handoffs = append(in.Journal.Handoffs, h)
	}
}

// What stands between a reviewer that is a job and its review of the head.
func TestAReviewerThatIsAJob(t *testing.T) {
	t.Parallel()
	past := func(h *journal.Handoff) { h.Deadline = jobAt(5) }
	parked := func(h *journal.Handoff) { h.Parked = "reviewer_blocked@" + string(agentHead) }
	older := func(h *journal.Handoff) { h.Head = agentBase }
	other := func(h *journal.Handoff) { h.Reviewer = "claudeSelf" }
	prepared := func(h *journal.Handoff) { h.Reviewer = "" }
	retried := func(r journal.Retry) func(*Input) {
		return func(in *Input) { r.Head = agentHead; in.Journal.Orders.Retried = &r }
	}
	for _, c := range []struct {
		says string
		in   Input
		row  string
		due  bool
	}{
		{"it was never asked", byJob(), "rp", true},
		{"it is at work", byJob(jobHanded(1)), "rn", false},
		{"it did not report in time", byJob(jobHanded(1, past)), "rp", true},
		{"it did not report twice", byJob(jobHanded(1, past), jobHanded(2, past)), "ro", false},
		{"but for a retry", byJob(jobHanded(1, past), jobHanded(2, past), retried(journal.Retry{Jobs: 1})), "rp", true},
		{"its second start is at work", byJob(jobHanded(1, past), jobHanded(2)), "rn", false},
		{"it says that it cannot", byJob(jobHanded(1, parked)), "rm", false},
		{"a retry after that starts it anew", byJob(jobHanded(1), retried(journal.Retry{Jobs: 1, Redo: 1})), "rp", true},
		{"it was asked about an older head", byJob(jobHanded(1, older)), "rp", true},
		{"another job was asked", byJob(jobHanded(1, other)), "rp", true},
		{"a review is prepared", byJob(jobHanded(1, prepared)), "rp", true},
		{"it has reviewed the head", byJob(jobHanded(1), jobReview(agentHead, 5, true, 0)), "ra", false},
		{"it has reviewed an older one", byJob(jobHanded(1), jobReview(agentBase, 5, true, 0)), "rn", false},
		{"comments were not read in full", byJob(jobReview(agentHead, 5, true, 0), func(in *Input) {
			in.Snapshot.Unknown = []pr.Unknown{{Fact: pr.FactComments}}
		}), "rf", false},
	} {
		r := Derive(c.in).Loop[0]
		if r.Row != c.row || r.Due() != c.due || r.Trigger != autopilot.Command {
			t.Errorf("%s: row %s (%s), due %t; want %s and %t", c.says, r.Row, r.Why, r.Due(), c.row, c.due)
		}
	}
}

// What a job's review comes to: nothing is clean that its comment does not say so,
// and nobody else's comment says anything.
func TestTheReviewOfAJob(t *testing.T) {
	t.Parallel()
	items := []string{"- **high** `a.go:3`: It is nil.", "- **PUSHBACK** `b.go` `-1 +1`: Why?", "- **note** Fine otherwise.", "no item"}
	mark := func(in *Input) { in.Snapshot.Comments[0].Mine = false }
	edited := func(in *Input) {
		in.Snapshot.Comments[0].EditedAt, in.Snapshot.Comments[0].Editor.Login = jobAt(6), "mona"
	}
	told := func(in *Input) {
		in.Snapshot.Comments = nil
		in.Journal.Told = []journal.Told{{Topic: ReviewTopic("codex", false, 0), Head: agentHead}}
	}
	for _, c := range []struct {
		says              string
		in                Input
		atHead, content   bool
		findings, awaits  int
		rounds            int
		requested, onHead bool
	}{
		{"clean", byJob(jobReview(agentHead, 5, true, 0)), true, true, 0, 0, 1, false, true},
		{"it found things", byJob(jobReview(agentHead, 5, false, 0, items...)), true, false, 3, 3, 1, false, true},
		{"twice at one head, the newer one counts", byJob(jobReview(agentHead, 5, false, 0, items...), jobReview(agentHead, 6, true, 5)), true, true, 0, 0, 2, false, true},
		{"whatever their order", byJob(jobReview(agentHead, 6, true, 5), jobReview(agentHead, 5, false, 0, items...)), true, true, 0, 0, 2, false, true},
		{"somebody else's marker is none", byJob(jobReview(agentHead, 5, true, 0), mark), false, false, 0, 0, 0, false, false},
		{"nor is what somebody edited", byJob(jobReview(agentHead, 5, true, 0), edited), false, false, 0, 0, 0, false, false},
		{"its comment is gone", byJob(told), true, false, 1, 1, 1, false, true},
	} {
		f := Derive(c.in)
		r := f.Loop[0]
		if r.AtHead != c.atHead || r.Content != c.content || len(r.Findings) != c.findings || len(f.Awaiting) != c.awaits || f.Rounds != c.rounds ||
			f.Copilot.CopilotReviewOnCurrentHead != c.onHead {
			t.Errorf("%s: %+v, %d await, %d rounds, on the head %t", c.says, r.Outcome, len(f.Awaiting), f.Rounds, f.Copilot.CopilotReviewOnCurrentHead)
		}
	}
	f := Derive(byJob(jobReview(agentHead, 5, false, 0, items...)))
	var got []string
	for _, g := range f.Awaiting {
		got = append(got, g.Severity+" "+g.Text)
	}
	want := []string{"high codex: **high** `a.go:3`: It is nil.", "mid codex: **PUSHBACK** `b.go` `-1 +1`: Why?", "low codex: **note** Fine otherwise."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what awaits us (-want +got):\n%s", diff)
	}
	// One that was answered is no work any more.
	in := byJob(jobReview(agentHead, 5, false, 0, items...))
	in.Journal.Answers = []journal.Answer{{Finding: journal.Mark(f.Awaiting[0].ID), Action: ByCommand}}
	if n := len(Derive(in).Awaiting); n != 2 {
		t.Errorf("one of three was dismissed, and %d await us", n)
	}
}

// A job that came to nothing is unavailable or failed where it is required, and is
// passed over where it is not.
func TestAJobThatIsNotRequired(t *testing.T) {
	t.Parallel()
	in := byJob(jobHanded(1, func(h *journal.Handoff) { h.Parked = "reviewer_blocked@x" }), func(in *Input) {
		in.Settings.Reviewers.Copilot.Mode = config.EachIter
	})
	if got := Derive(in).Copilot.CopilotReviewRequestStatus; got != copilot.NotRequested {
		t.Errorf("with Copilot beside it the status is %s", got)
	}
	in.Settings.Reviewers.Copilot.Mode = config.Off
	if got := Derive(in).Copilot.CopilotReviewRequestStatus; got != copilot.Unavailable {
		t.Errorf("alone and blocked it is %s", got)
	}
}

func TestReviewTopics(t *testing.T) {
	t.Parallel()
	got, ok := ReadReviewTopic(ReviewTopic("claudeSelf", false, 3))
	if want := (CommandReview{Name: "claudeself", Score: 3}); !ok || cmp.Diff(want, got) != "" {
		t.Errorf("read %+v, %t", got, ok)
	}
	for _, topic := range []string{"converged", "review_by_", "review_by_codex", "review_by_codex_clean", "review_by_codex_clean_6", "review_by_codex_maybe_1", "review_by__clean_1", "review_by_codex_clean_x", "review_prepared"} {
		if _, ok := ReadReviewTopic(topic); ok {
			t.Errorf("%q is a review", topic)
		}
	}
}
