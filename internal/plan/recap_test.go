package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// none leaves the recap as the breaker.
func none(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 0 }

// anotherHead: the reviews are of the head before, so that the next is due.
func anotherHead(in *Input) {
	for i := range in.Snapshot.Reviews {
		in.Snapshot.Reviews[i].Commit = headB
	}
}

// rounds makes the one review that there is n reviews, a second apart.
func rounds(n int) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		for i := 1; i < n; i++ {
			r := s.Reviews[0]
			r.ID, r.SubmittedAt = fmt.Sprint("PRR_more", i), r.SubmittedAt.Add(time.Duration(i)*time.Second)
			s.Reviews = append(s.Reviews, r)
		}
	})
}

func gave(r journal.Recap) func(*Input) {
	return func(in *Input) { in.Journal.Recap = &r }
}

// The gate comes once for each multiple that the rounds have passed, however many
// came at once, and what was given is waited for.
func TestTheRecapComesOncePerMultiple(t *testing.T) {
	asked := func(in *Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 3, Head: headB, Step: "recap", At: opened, Deadline: opened.Add(time.Hour)}}
		in.Journal.HandedOver = 3
	}
	due := []func(*Input){known, none, edit(reviewed), anotherHead}
	open := []func(*Input){known, none, edit(reviewed), threads(1)}
	tests := []struct {
		name  string
		base  []func(*Input)
		edits []func(*Input)
		want  Code
	}{
		{"9 rounds", due, []func(*Input){rounds(9)}, ReviewRequested},
		{"10 rounds", due, []func(*Input){rounds(10)}, RecapDue},
		{"9 to 11", due, []func(*Input){rounds(11), gave(journal.Recap{})}, RecapDue},
		{"10, and asked before", due, []func(*Input){rounds(10), asked, gave(journal.Recap{Round: 10, Number: 3})}, RecapAsked},
		{"11, and asked at 11", due, []func(*Input){rounds(11), asked, gave(journal.Recap{Round: 11, Number: 3})}, RecapAsked},
		{"11, and asked at 10", due, []func(*Input){rounds(11), gave(journal.Recap{Round: 10, Verdict: "continue"})}, ReviewRequested},
		{"20, and asked at 11", due, []func(*Input){rounds(20), gave(journal.Recap{Round: 11, Verdict: "continue"})}, RecapDue},
		{"no answer by the deadline", due, []func(*Input){rounds(10), asked, gave(journal.Recap{Round: 10, Number: 3}), later2(time.Hour)}, RecapHandoff},
		{"a hand-over that nobody knows", due, []func(*Input){rounds(10), gave(journal.Recap{Round: 10, Number: 3})}, RecapHandoff},
		{"handed off", due, []func(*Input){rounds(10), gave(journal.Recap{Round: 10, Verdict: "handoff"})}, RecapHandoff},
		{"the cap is before it", due, []func(*Input){rounds(10), func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 10 }}, CapClean},
		{"a cap behind it", due, []func(*Input){rounds(10), func(in *Input) { in.Settings.Refinement.MaxCopilotRounds = 11 }}, RecapDue},
		{"feedback of round 10 goes first", open, []func(*Input){rounds(10)}, FeedbackOpen},
		{"feedback of round 11 does not", open, []func(*Input){rounds(11)}, RecapDue},
		{"converged at 10", []func(*Input){known, none, edit(reviewed)}, []func(*Input){rounds(10)}, Converged},
		{"to be reverted", due, []func(*Input){rounds(10), gave(journal.Recap{Round: 10, Verdict: "revert-and-ship", Rounds: []int{1}, Head: headA})}, RecapDue},
		{"being reverted", due, []func(*Input){rounds(10), asked, gave(journal.Recap{Round: 10, Verdict: "revert-and-ship", Rounds: []int{1}, Head: headA, Revert: 3})}, RecapAsked},
		{"reverted: one last review", due, []func(*Input){rounds(10), gave(journal.Recap{Round: 10, Verdict: "revert-and-ship", Rounds: []int{1}, Head: headA, Revert: 3, Reverted: []int{1}})}, ReviewRequested},
		{"which found something", open, []func(*Input){rounds(11), gave(journal.Recap{Round: 10, Verdict: "revert-and-ship", Rounds: []int{1}, Head: headA, Revert: 3, Reverted: []int{1}})}, RecapHandoff},
	}
	for _, tt := range tests {
		in := input(slices.Concat(tt.base, tt.edits)...)
		in.Settings.Budgets.ReviewsPerPullRequest = 100
		got := Decide(in)
		if got.Code != tt.want {
			t.Errorf("%s: %s by %s (%s), want %s", tt.name, got.Code, got.Row, got.Why, tt.want)
		}
		if got.Code == RecapDue {
			next := Decide(After(in, Settle(in.Journal, in, got, nil, in.Snapshot.At), nil))
			if next.Code != RecapAsked || next.Handoff != nil {
				t.Errorf("%s: the step after is %s (%s), want %s", tt.name, next.Code, next.Why, RecapAsked)
			}
			if slices.ContainsFunc(got.Effects, func(e effect.Effect) bool { _, ask := e.(effect.RequestReview); return ask }) {
				t.Errorf("%s: a review is asked for before the answer", tt.name)
			}
		}
	}
}

// A job's recap has the deadline of a job, and its hand-over is no run's that has
// no job.
func TestARecapForAJob(t *testing.T) {
	job := func(in *Input) { in.Settings.Fixer = config.Job }
	in := input(known, none, edit(reviewed), anotherHead, rounds(10), job)
	got := Decide(in)
	if want := in.Snapshot.At.Add(35 * time.Minute); got.Handoff == nil || !got.Handoff.Deadline.Equal(want) || got.Handoff.Step != "recap" {
		t.Errorf("handed over: %+v, want a recap until %s", got.Handoff, want)
	}
	if next := Decide(After(in, Settle(in.Journal, in, got, nil, in.Snapshot.At), nil)); next.Code != RecapOut {
		t.Errorf("the step after is %s, want %s", next.Code, RecapOut)
	}
	for _, e := range []func(*Input){func(in *Input) { in.Sweep = true }, func(in *Input) { in.Reporting = true }} {
		if got := Decide(input(known, none, edit(reviewed), anotherHead, rounds(10), job, e)); got.Code != HandoffDue || got.Handoff != nil {
			t.Errorf("%s, want %s", got.Code, HandoffDue)
		}
	}
}

func file(path, patch string) handoff.Changed { return handoff.Changed{Path: path, Patch: patch} }

func TestARevertIsCheckedLineByLine(t *testing.T) {
	push := func(files ...handoff.Changed) *handoff.Push { return &handoff.Push{Files: files, Complete: true} }
	span := func(files ...handoff.Changed) handoff.Push { return *push(files...) }
	made, back := file("a.go", "@@ -1 +1 @@\n-one\n+two"), file("a.go", "@@ -1 +1 @@\n-two\n+one")
	tests := []struct {
		name   string
		push   *handoff.Push
		spans  []handoff.Push
		wrong  string
		unread string
	}{
		{"as it was", push(back), []handoff.Push{span(made)}, "", ""},
		{"nothing", nil, []handoff.Push{span(made)}, "nothing was pushed", ""},
		{"another change", push(file("a.go", "@@ -1 +1 @@\n-two\n+three")), []handoff.Push{span(made)}, "or does more", ""},
		{"a line more", push(file("a.go", "@@ -1 +1,2 @@\n-two\n+one\n+more")), []handoff.Push{span(made)}, "or does more", ""},
		{"another file too", push(back, file("b.go", "@@ -1 +1 @@\n-x\n+y")), []handoff.Push{span(made)}, `changes "b.go"`, ""},
		{"a file is left", push(back), []handoff.Push{span(made), span(file("b.go", "@@ -1 +1 @@\n-x\n+y"))}, `leaves "b.go"`, ""},
		{"a patch that GitHub does not show", push(file("a.go", "")), []handoff.Push{span(made)}, "or does more", ""},
		{"a binary file of the rounds", push(back), []handoff.Push{span(file("a.go", ""))}, "", "not shown"},
		{"one file of two spans", push(back), []handoff.Push{span(made), span(made)}, "", "not shown"},
		{"a file that was renamed", push(back), []handoff.Push{span(handoff.Changed{Path: "a.go", Previous: "b.go", Patch: made.Patch})}, "", "not shown"},
		{"a push that is not shown in full", &handoff.Push{Files: []handoff.Changed{back}}, []handoff.Push{span(made)}, "", "does not show all"},
		{"a round that is not", push(back), []handoff.Push{{Files: []handoff.Changed{made}}}, "", "does not show all"},
	}
	for _, tt := range tests {
		wrong, unread := undoes(Claim{Push: tt.push, Spans: tt.spans})
		if got := strings.Join(wrong, "; "); (got == "") != (tt.wrong == "") || !strings.Contains(got, tt.wrong) {
			t.Errorf("%s: wrong is %q, want %q", tt.name, got, tt.wrong)
		}
		if (unread == "") != (tt.unread == "") || !strings.Contains(unread, tt.unread) {
			t.Errorf("%s: unread is %q, want %q", tt.name, unread, tt.unread)
		}
	}
}

func TestWhatARoundPushed(t *testing.T) {
	l := journal.Ledger{Rounds: []journal.LedgerRound{
		{Round: 4, Head: "a"}, {Round: 5, Head: "b"}, {Round: 6, Head: "b"}, {Round: 7, Head: "c"}, {Round: 8, Head: "d"},
	}}
	s := &step{snap: &pr.Snapshot{}, book: &l}
	for _, tt := range []struct {
		rounds []int
		head   pr.SHA
		want   string
	}{
		{[]int{4}, "e", "[4]:a..b"},
		{[]int{5, 6}, "e", "[5 6]:b..c"},
		{[]int{7, 8}, "e", "[7 8]:c..e"},
		{[]int{4, 7}, "e", "[7]:c..d [4]:a..b"},
		{[]int{4, 5, 6, 7, 8}, "e", "[4 5 6 7 8]:a..e"},
		{[]int{8}, "d", ""}, // nothing was pushed since
	} {
		var got []string
		for _, p := range s.spans(journal.Recap{Rounds: tt.rounds, Head: tt.head}) {
			got = append(got, fmt.Sprintf("%v:%s..%s", p.Rounds, p.From, p.To))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("rounds %v pushed %q, want %q", tt.rounds, strings.Join(got, " "), tt.want)
		}
	}
	span := handoff.Span{From: "b", To: "d"}
	if got := span.Between([]pr.SHA{"a", "b", "c", "d", "e"}); !slices.Equal(got, []pr.SHA{"d", "c"}) {
		t.Errorf("the commits are %v, want d c", got)
	}
	if got := span.Between([]pr.SHA{"a", "c", "d"}); got != nil {
		t.Errorf("the commits of a branch that was rewritten are %v, want none", got)
	}
}

// A report of the step recap: each answer, once and late, and what is no answer.
func TestAReportOfTheRecap(t *testing.T) {
	out := input(known, none, edit(reviewed), anotherHead, rounds(10), gave(journal.Recap{Round: 10, Number: 3}), func(in *Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 3, Head: headA, Step: "recap", At: opened, Deadline: opened.Add(time.Hour)}}
		in.Journal.HandedOver = 3
	})
	says := func(a *handoff.RecapAnswer, edits ...func(*handoff.Report)) Claim {
		r := handoff.Report{Handoff: handoff.Ref{PR: 7, Head: headA, Number: 3}, Head: headA, Step: handoff.Recap, Status: handoff.Complete, Recap: a}
		for _, e := range edits {
			e(&r)
		}
		return Claim{Report: r, CommitsKnown: true}
	}
	more := func(r *handoff.Report) {
		r.Status, r.NextAction, r.NeedsExtensionMinutes = handoff.Unfinished, "Read rounds 4 to 7.", 30
	}
	tests := []struct {
		name    string
		claim   Claim
		want    Code
		verdict string
		then    Code
	}{
		{"continue", says(&handoff.RecapAnswer{Verdict: handoff.Continue}), ReportAccepted, "continue", ReviewRequested},
		{"handoff", says(&handoff.RecapAnswer{Verdict: handoff.HandOff}), RecapHandoff, "handoff", RecapHandoff},
		{"revert", says(&handoff.RecapAnswer{Verdict: handoff.RevertAndShip, Rounds: []int{10}}), ReportAccepted, "revert-and-ship", RecapDue},
		{"blocked", says(nil, func(r *handoff.Report) { r.Status = handoff.Blocked }), RecapHandoff, "handoff", RecapHandoff},
		{"more time", says(nil, more), ReportAccepted, "", RecapAsked},
		{"a round that is none", says(&handoff.RecapAnswer{Verdict: handoff.RevertAndShip, Rounds: []int{11}}), ReportStale, "", RecapAsked},
		{"revert nothing", says(&handoff.RecapAnswer{Verdict: handoff.RevertAndShip}), ReportStale, "", RecapAsked},
		{"continue with rounds", says(&handoff.RecapAnswer{Verdict: handoff.Continue, Rounds: []int{10}}), ReportStale, "", RecapAsked},
		{"no answer", says(nil), ReportStale, "", RecapAsked},
		{"items", says(&handoff.RecapAnswer{Verdict: handoff.Continue}, func(r *handoff.Report) { r.Items = []handoff.Item{{Finding: "x", Action: handoff.Drift}} }), ReportStale, "", RecapAsked},
	}
	for _, tt := range tests {
		in := out
		in.Settings.Budgets.ReviewsPerPullRequest = 100
		got := Take(in, tt.claim)
		if got.Code != tt.want {
			t.Errorf("%s: %s (%s) %v, want %s", tt.name, got.Code, got.Why, got.Account, tt.want)
			continue
		}
		j := in.Journal
		if got.Account.Verdict.Kind == handoff.Accepted {
			j = Enter(j, in, got)
			if !got.Entered(j) {
				t.Errorf("%s: what was entered does not count as entered", tt.name)
			}
		}
		if j.Recap.Verdict != tt.verdict {
			t.Errorf("%s: the verdict noted is %q, want %q", tt.name, j.Recap.Verdict, tt.verdict)
		}
		if tt.name == "more time" && (!j.Handoffs[0].Deadline.Equal(opened.Add(70*time.Minute)) || got.Entered(in.Journal)) {
			t.Errorf("the deadline is %s, want ten minutes more", j.Handoffs[0].Deadline)
		}
		in.Journal = j
		if next := Decide(in); next.Code != tt.then {
			t.Errorf("%s: the step after is %s (%s), want %s", tt.name, next.Code, next.Why, tt.then)
		}
	}
}
