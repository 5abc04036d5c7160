package facts

import (
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

const (
	agentBase pr.SHA = "0a1b2c3d00000000000000000000000000000000"
	agentHead pr.SHA = "1b2c3d4e00000000000000000000000000000000"
)

// verdict is a verdict comment of ours.
func verdict(iteration int, ruling string, head pr.SHA, edits ...func(*pr.Comment)) pr.Comment {
	note := effect.Comment{Topic: VerdictTopic(iteration, ruling, agentBase, true), Head: head}
	c := pr.Comment{
		ID: note.Topic, Mine: true, Author: pr.Actor{Login: "github-actions", Bot: true}, CreatedAt: time.Unix(60, 0),
		Body: "- **PUSHBACK** `a.go` `-1 +1`: no\n- **APPROVE** `b.go`: yes\n" + note.Marker(),
	}
	for _, edit := range edits {
		edit(&c)
	}
	return c
}

func inModeY(comments ...pr.Comment) Input {
	set := config.Defaults()
	set.Mode = autopilot.Y
	return Input{Settings: set, Snapshot: &pr.Snapshot{Found: true, State: pr.Open, Head: agentHead, Comments: comments}}
}

// In Mode Y the verdicts are the review (design 2, last rule).
func TestVerdictsAreTheReview(t *testing.T) {
	tests := []struct {
		says           string
		in             Input
		rounds         int
		atHead, body   bool
		status         copilot.RequestStatus
		awaiting       int
		presentAnyHead bool
	}{
		{"nothing was judged", inModeY(), 0, false, false, copilot.NotRequested, 0, false},
		{"all was approved at the head", inModeY(verdict(1, Approved, agentHead)), 1, true, false, copilot.NotRequested, 0, true},
		{"of an older head it is no review of this one", inModeY(verdict(1, Approved, agentBase)), 1, false, false, copilot.NotRequested, 0, true},
		{"what goes back is a finding of the body", inModeY(verdict(2, SentBack, agentHead)), 2, true, true, copilot.NotRequested, 1, true},
		{"a pause is never clean, and no review", inModeY(verdict(3, Paused, agentHead)), 3, false, true, copilot.NotRequested, 1, true},
		{"the newest iteration counts, whatever the order", inModeY(verdict(2, Approved, agentHead), verdict(1, SentBack, agentHead)), 2, true, false, copilot.NotRequested, 0, true},
		{"somebody else's marker is none", inModeY(verdict(1, Approved, agentHead, func(c *pr.Comment) { c.Mine = false })), 0, false, false, copilot.NotRequested, 0, false},
		{"nor is a comment that somebody edited", inModeY(verdict(1, Approved, agentHead, func(c *pr.Comment) { c.EditedAt, c.Editor.Login = time.Unix(99, 0), "mona" })), 0, false, false, copilot.NotRequested, 0, false},
	}
	for _, tt := range tests {
		f := Derive(tt.in)
		c := f.Copilot
		if f.Rounds != tt.rounds || c.CopilotReviewOnCurrentHead != tt.atHead || c.CopilotBodyFeedbackUnresolved != tt.body ||
			c.CopilotReviewRequestStatus != tt.status || len(f.Awaiting) != tt.awaiting || c.CopilotReviewPresent != tt.presentAnyHead {
			t.Errorf("%s: rounds %d, at head %v, body %v, request %s, %d findings, present %v", tt.says, f.Rounds,
				c.CopilotReviewOnCurrentHead, c.CopilotBodyFeedbackUnresolved, c.CopilotReviewRequestStatus, len(f.Awaiting), c.CopilotReviewPresent)
		}
	}
}

// The journal's word stands over a comment that was rewritten; what only the
// comment knows is owed to the journal.
func TestVerdictsOfJournalAndComments(t *testing.T) {
	in := inModeY(verdict(1, Approved, agentHead))
	in.Journal.Told = []journal.Told{{Topic: VerdictTopic(1, SentBack, agentBase, true), Head: agentHead}}
	if a := Derive(in).Agent; a.AtHead == nil || a.AtHead.Ruling != SentBack || a.Untold {
		t.Errorf("the verdict is %+v", a.AtHead)
	}
	in = inModeY(verdict(1, Approved, agentHead))
	in.Journal.Agent = &journal.Agent{Base: agentBase, Head: agentBase, At: time.Unix(1, 0)}
	if a := Derive(in).Agent; !a.Untold || a.Base != pr.SHA(agentHead.Short()) || a.Waiting {
		t.Errorf("after an approval that the journal does not know: base %q, untold %v, waiting %v", a.Base, a.Untold, a.Waiting)
	}
	in = inModeY(verdict(1, SentBack, agentHead))
	if a := Derive(in).Agent; a.Base != pr.SHA(agentBase.Short()) {
		t.Errorf("what was sent back moves the base to %q", a.Base)
	}
}

// After a lost journal the oldest mention says since when commits are new. A
// stranger's copy of a marker says nothing while the journal is there.
func TestTheBaseAfterALostJournal(t *testing.T) {
	mark := func(head pr.SHA) string {
		return "@copilot please\n\n" + effect.Mention{Reviewer: pr.CopilotAgent, Head: head, Try: 1}.Marker()
	}
	in := inModeY(
		pr.Comment{Body: mark(agentHead)}, // a stranger's
		pr.Comment{Body: mark(agentHead), Insider: true, EditedAt: time.Unix(99, 0), Editor: pr.Actor{Login: "stranger"}},
		pr.Comment{Body: "I saw " + mark(agentHead)[len("@copilot please\n\n"):], Insider: true}, // within a line
		pr.Comment{Body: mark(agentBase), Insider: true},
	)
	if a := Derive(in).Agent; a.Base != "" {
		t.Errorf("without a loss the base is %q", a.Base)
	}
	in.Journal.Rebuilt = &journal.Rebuilt{Why: journal.WhyDeleted}
	if a := Derive(in).Agent; a.Base != pr.SHA(agentBase.Short()) {
		t.Errorf("the base is %q", a.Base)
	}
}

// A topic is read as it was written, and nothing else is one.
func TestVerdictTopic(t *testing.T) {
	want := Judged{Iteration: 12, Ruling: SentBack, Since: pr.SHA(agentBase.Short()), Rubric: true}
	got, ok := readVerdict(VerdictTopic(12, "PUSHBACK", agentBase, true))
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	for _, topic := range []string{"converged", "verdict_", "verdict_0_approve_0a1b2c3", "verdict_1_maybe_0a1b2c3", "verdict_1_approve", "verdict_x_approve_0a1b2c3"} {
		if RulingOf(topic) != "" {
			t.Errorf("%q is a verdict", topic)
		}
	}
}

// The lines that go back are those with the mark.
func TestItems(t *testing.T) {
	if diff := cmp.Diff([]string{"`a.go` `-1 +1`: no"}, Items(verdict(1, SentBack, agentHead).Body)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}
