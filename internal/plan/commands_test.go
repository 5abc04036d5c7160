package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// commands is a comment of mona's, who may write; its id counts from 1.
func commands(body string) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		n := int64(len(s.Comments) + 1)
		s.Comments = append(s.Comments, pr.Comment{
			ID: fmt.Sprint("IC_", n), DatabaseID: n, Author: pr.Actor{Login: "mona"}, Body: "/prloop " + body, CreatedAt: s.At.Add(-time.Minute),
		})
		s.Writers, s.WritersRead = map[pr.Login]bool{"mona": true}, true
	})
}

func handed(parked Code, tries int) func(*Input) {
	return func(in *Input) {
		known(in)
		in.Settings.Fixer = config.Job
		reviewed(in.Snapshot)
		threads(1)(in)
		mark := journal.Mark(in.Snapshot.Threads[0].ID)
		for n := range tries {
			h := journal.Handoff{Number: n + 1, Head: headA, Findings: mark, At: opened}
			if parked != "" {
				h.Parked = string(parked) + "@" + string(headA)
			}
			in.Journal.Handoffs, in.Journal.HandedOver = append(in.Journal.Handoffs, h), n+1
		}
	}
}

// Each command, by what stands when it is given: its reply, and the reason code
// that the same step comes to.
func TestCommands(t *testing.T) {
	t.Parallel()
	paused := func(in *Input) { in.Journal.Orders.Paused = opened }
	stopped := func(in *Input) { in.Journal.Orders.Stopped = &journal.Sight{Head: headA, At: opened} }
	rounds := func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 1 }
	spent := func(in *Input) { in.Journal.Asked = in.Settings.Budgets.ReviewsPerPullRequest }
	red := check("FAILURE")
	fork := edit(func(s *pr.Snapshot) { s.HeadRepo = "stranger/demo" })
	saw := func(in *Input) { in.Journal.Heads = []journal.Sight{{Head: headA, At: opened}} }
	for _, c := range []struct {
		says  string
		in    Input
		reply string
		want  Code
	}{
		{"status", input(known), replyTold, ReviewRequested},
		{"pause", input(known), replyDone, PausedByCommand},
		{"pause", input(known, paused), replySo, PausedByCommand},
		{"resume", input(known, paused), replyDone, ReviewRequested},
		{"resume", input(known), replySo, ReviewRequested},
		{"resume", input(handed(FixerParked, 1)), replyDone, FeedbackOpen},
		{"resume", input(handed(FixerParked, 1), paused), replyDone, FixerParked}, // the pause alone ends
		{"resume", input(handed("", 2)), replyRetry, NoReport},
		{"resume", input(known, edit(reviewed), threads(1), rounds), replyRetry, RoundCapReached},
		{"resume", input(known, spent), replySpend, BudgetExhausted},
		{"stop", input(known), replyDone, StoppedByCommand},
		{"stop", input(known, stopped), replySo, StoppedByCommand},
		{"stop", input(known, paused), replyDone, StoppedByCommand},
		{"start", input(known, stopped), replyDone, ReviewRequested},
		{"start", input(known, func(in *Input) { in.Journal.Orders.Started = &journal.Sight{Head: headB} }), replySo, ReviewRequested},
		{"start", input(fork, saw), replyDone, ReviewRequested},
		{"start", input(fork), replyUnseen, ReviewRequested},                                                        // nothing tells that the person saw this head
		{"start", input(fork, edit(func(s *pr.Snapshot) { s.HeadSuiteAt = opened })), replyUnseen, ReviewRequested}, // it may be another pull request's
		{"start", input(fork, edit(func(s *pr.Snapshot) { s.At = s.At.Add(time.Second); s.CreatedAt = s.At; s.HeadSuiteAt = s.At })), replyUnseen, ReviewRequested},
		{"retry", input(handed(FixerParked, 1)), replyDone, FeedbackOpen},
		{"retry", input(handed("", 2)), replyDone, FeedbackOpen},
		{"retry", input(known, edit(reviewed), threads(1), rounds), replyDone, FeedbackOpen},
		{"retry", input(known, spent), replySpend, BudgetExhausted},
		{"retry", input(known, paused), replyPaused, PausedByCommand},
		{"retry", input(known, red), replyNothing, ChecksFailed},
		{"reset", input(known, edit(reviewed), threads(1), rounds), replyDone, FeedbackOpen},
		{"reset", input(known), replySo, ReviewRequested},
		{"rerequest", input(known, edit(reviewed)), replyReviewed, Converged},
		{"rerequest --force", input(known, edit(reviewed)), replyDone, ReviewRequested},
		{"rerequest --force", input(known, edit(requested)), replySo, WaitingForReview},
		{"rerequest --force", input(known, edit(reviewed), threads(1), rounds), replyCapped, RoundCapReached},
		{"rerequest --force", input(known, edit(reviewed), spent), replySpend, Converged},
		{"rerequest --force", input(known, edit(reviewed), paused), replyPaused, PausedByCommand},
		{"dismiss body:nothing", input(known), replyNoFinding, ReviewRequested},
		{"dismiss PRRT_0", input(known, edit(reviewed), threads(1)), replyThread, FeedbackOpen},
		{"approve spend", input(known, spent), replyDone, ReviewRequested},
		{"approve spend", input(known), replyNoSpend, ReviewRequested},
		{"approve C", input(known), replyNoCheckpoint, ReviewRequested},
		{"approve C", input(known, edit(reviewed)), replyDone, ApprovedByHand},
		{"automerge off", input(mergeable), replyDone, MergeClosed},
		{"automerge on", input(mergeable), replySo, Merging},
		{"automerge on", input(known), replyNoOptIn, ReviewRequested},
		{"automerge", input(known), replyMisused, ReviewRequested},
		{"approve A", input(known, edit(reviewed)), replyOtherCheckpoint, Converged},
		{"revise", input(known), replyNoCheckpoint, ReviewRequested},
		{"revise", input(known, edit(reviewed)), replyDone, RevisionAsked},
		{"reject", input(known, edit(reviewed)), replyDone, Rejected},
		{"claim", input(known), replyNoCheckpoint, ReviewRequested},
		{"claim", input(known, edit(reviewed)), replyDone, Claimed},
		{"release", input(known, edit(reviewed)), replyUnclaimed, Converged},
		{"revert", input(known), replyUnmerged, ReviewRequested},
		{"pause now", input(known), replyMisused, ReviewRequested},
		{"puase", input(known), replyUnknown, ReviewRequested},
		{"pause", input(known, edit(func(s *pr.Snapshot) { s.State = pr.Merged })), replyOver, Merged},
	} {
		at := c.in.Snapshot.At.Add(-time.Minute)
		commands(c.says)(&c.in)
		if c.reply == replyUnseen {
			c.in.Snapshot.Comments[0].CreatedAt = at.Add(-time.Hour)
		}
		p := Decide(c.in)
		if len(p.Heard) != 1 || p.Heard[0].Reply != c.reply || p.Code != c.want {
			t.Errorf("%q: heard %+v, decided %s (%s), want %s and %s", c.says, p.Heard, p.Code, p.Why, c.reply, c.want)
			continue
		}
		if e := p.Effects; len(e) == 0 || e[0].Key() != Decide(c.in).Effects[0].Key() || e[0].Type() != "react" {
			t.Errorf("%q: no reaction is the first effect: %v", c.says, e)
		}
		// What is entered is entered once, and is heard no more.
		once := Enter(c.in.Journal, c.in, p)
		if diff := cmp.Diff(once, Enter(once, c.in, p)); diff != "" {
			t.Errorf("%q: entered twice:\n%s", c.says, diff)
		}
		c.in.Journal, c.in.Memory = once, journal.MemoryFound
		if again := Decide(c.in); len(again.Heard) > 0 || again.Code != c.want && again.Code != Merged {
			t.Errorf("%q: the next step heard %v and decided %s", c.says, again.Heard, again.Code)
		}
	}
}

// The permission is asked before anything is heard, of those alone who command;
// where it is not known nothing comes of the command.
func TestWhoCommandsIsAskedFirst(t *testing.T) {
	t.Parallel()
	in := input(known, commands("pause"), commands("stop"))
	in.Snapshot.Comments[1].Author.Login = "hubot"
	in.Snapshot.Comments = append(in.Snapshot.Comments, pr.Comment{DatabaseID: 9, Author: pr.Actor{Login: "stranger"}, Body: "Nice", CreatedAt: opened})
	in.Snapshot.WritersRead = false
	if p := Decide(in); !slices.Equal(p.Needs, []pr.Fact{pr.FactPermission}) || len(p.Effects) > 0 {
		t.Errorf("before it is read: %+v", p)
	}
	if got := Askers(in); !slices.Equal(got, []pr.Login{"mona", "hubot"}) {
		t.Errorf("asked for %v", got)
	}
	in.Snapshot.WritersRead, in.Snapshot.Writers = true, map[pr.Login]bool{"hubot": false}
	p := Decide(in)
	if len(p.Heard) != 1 || p.Heard[0].Reply != replyForbidden || p.Code != ReviewRequested || len(p.Notices) == 0 {
		t.Errorf("where one is not known, and one may not: heard %+v, decided %s, notices %q", p.Heard, p.Code, p.Notices)
	}
	in.Snapshot.WritersRead = false
	for name, off := range map[string]func(*Input){
		"the paused switch":    func(in *Input) { in.Paused = true },
		"another run's lease":  func(in *Input) { in.Journal.Lease = &journal.Lease{Run: 9, Until: opened.Add(time.Hour)} },
		"no start left":        func(in *Input) { in.Memory, in.StartsLeft = journal.MemoryNone, 0 },
		"comments in part":     unknown(pr.FactComments, ""),
		"a fork outside of it": func(in *Input) { in.Memory, in.Snapshot.HeadRepo = journal.MemoryNone, "" },
	} {
		other := in
		snap := *in.Snapshot
		other.Snapshot = &snap
		off(&other)
		if p := Decide(other); len(p.Needs) > 0 || len(p.Heard) > 0 {
			t.Errorf("%s: needs %v, heard %v", name, p.Needs, p.Heard)
		}
	}
}

// A stop ends with a new head, unless that is what a job pushed that was out.
func TestWhatBeginsAnewAfterAStop(t *testing.T) {
	t.Parallel()
	stop := journal.Sight{Head: headB, At: opened}
	job := journal.Handoff{Number: 1, Head: headB, At: opened.Add(-time.Minute), Deadline: opened.Add(time.Hour)}
	for _, c := range []struct {
		name string
		edit func(*Input)
		want bool
	}{
		{"a new head", func(*Input) {}, true},
		{"the same head", func(in *Input) { in.Snapshot.Head = headB }, false},
		{"the same head, reopened", func(in *Input) {
			in.Snapshot.Head = headB
			in.Snapshot.Events = []pr.Event{{Kind: pr.Reopened, At: opened.Add(time.Second)}}
		}, true},
		{"the push of a job that was out", func(in *Input) { in.Journal.Handoffs = []journal.Handoff{job} }, false},
		{"a push after the job's time was over", func(in *Input) {
			late := job
			late.Deadline = opened.Add(-time.Second)
			in.Journal.Handoffs = []journal.Handoff{late}
		}, true},
	} {
		in := input(known, func(in *Input) { in.Journal.Orders.Stopped = &stop }, c.edit)
		if got := Decide(in).Code != StoppedByCommand; got != c.want {
			t.Errorf("%s: begins anew: %v, want %v", c.name, got, c.want)
		}
		if got := Enter(in.Journal, in, Plan{}).Orders.Stopped == nil; got != c.want {
			t.Errorf("%s: the stop is taken out: %v, want %v", c.name, got, c.want)
		}
	}
}

// Every command of this version is weighed, and every reply has its words: none
// of the marks of fmt, no stranger's text.
func TestEveryCommandAndReplyHasItsWords(t *testing.T) {
	t.Parallel()
	for _, row := range command.Table {
		if _, ok := obeying[row.Word]; ok == row.Later {
			t.Errorf("%s: weighed %v, for later %v", row.Word, ok, row.Later)
		}
		for reply, words := range replies {
			text := saying(journal.Order{Word: string(row.Word), Reply: reply, Near: "pause"})
			if strings.Contains(text, "%!") || words.reaction == "" || words.reaction == pr.Confused && text == "" {
				t.Errorf("%s to %s: %q", reply, row.Word, text)
			}
		}
	}
}
