package plan

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// anIssue is an issue of mona's with the configured label.
func anIssue(edits ...func(*Input)) Input {
	in := Input{
		Settings: config.Defaults(),
		Snapshot: &pr.Snapshot{
			At: opened.Add(time.Hour), Repo: pr.Repo{Owner: "octo-org", Name: "demo", DefaultBranch: "main"}, HeadRepo: "octo-org/demo",
			Found: true, ID: "I_1", Number: 41, State: pr.Open, Author: pr.Actor{Login: "mona"}, Labels: []string{"quest"},
			CreatedAt: opened, Issue: &pr.Issue{Body: "It breaks.", Base: headB},
			Writers: map[pr.Login]bool{"mona": true}, WritersRead: true,
		},
		Memory:     journal.MemoryNone,
		Quote:      handoff.Quoting{Text: func(s string) string { return s }, Code: func(s string) string { return s }},
		StartsLeft: 5,
	}
	in.Settings.Issues.Label = "quest"
	for _, e := range edits {
		e(&in)
	}
	return in
}

// worked is an issue after its first hand-over.
func worked(edits ...func(*Input)) Input {
	in := anIssue()
	p := Decide(in)
	in.Journal = Settle(journal.Journal{PR: 41, Rev: 3, StartedAt: opened}, in, p, nil, in.Snapshot.At)
	in.Memory = journal.MemoryFound
	for _, e := range edits {
		e(&in)
	}
	return in
}

func state(of pr.State) func(*Input) { return edit(func(s *pr.Snapshot) { s.State = of }) }

func closedBy(l pr.Linked) func(*Input) {
	return edit(func(s *pr.Snapshot) { s.ClosedBy = append(s.ClosedBy, l) })
}

// Each row of the order on an issue has an input that it decides.
func TestEveryRowOfAnIssueHasAWitness(t *testing.T) {
	witnesses := []struct {
		row  string
		in   Input
		want Code
	}{
		{"Q1", anIssue(edit(func(s *pr.Snapshot) { s.Found = false })), NoPullRequest},
		{"Q1a", worked(func(in *Input) { in.Leaving = true }), Left},
		{"Q2", worked(func(in *Input) { in.Paused = true }), Paused},
		{"Q3", anIssue(unknown(pr.FactConfig, "")), FactUnknown},
		{"Q4", worked(func(in *Input) { in.Journal.Lease = &journal.Lease{Run: 9, Until: opened.Add(2 * time.Hour)} }), LiveOwner},
		{"Q4a", worked(func(in *Input) { in.Duplicates = true }), NeedsReconcile},
		{"Q5", worked(closedBy(pr.Linked{Number: 7, State: pr.Open, Head: headA})), IssueInherited},
		{"Q6", worked(state(pr.Closed)), IssueClosed},
		{"Q7", anIssue(func(in *Input) { in.Snapshot.Labels = nil }), NotSelected},
		{"Q8", worked(func(in *Input) { in.Journal.Orders.Stopped = &journal.Sight{At: opened} }), StoppedByCommand},
		{"Q9", worked(func(in *Input) { in.Journal.Orders.Paused = opened }), PausedByCommand},
		{"Q10", worked(unknown(pr.FactComments, "")), FactUnknown},
		{"Q11", anIssue(), IssueWork},
	}
	for _, w := range witnesses {
		if p := Decide(w.in); p.Row != w.row || p.Code != w.want || p.Why == "" {
			t.Errorf("%s: Decide = %s by %s (%s), want %s", w.row, p.Code, p.Row, p.Why, w.want)
		}
	}
	if len(witnesses) != len(IssueOrder()) {
		t.Errorf("%d rows have %d witnesses", len(IssueOrder()), len(witnesses))
	}
}

func TestIssue(t *testing.T) {
	stranger := edit(func(s *pr.Snapshot) { s.Author = pr.Actor{Login: "stranger"} })
	tests := []struct {
		why  string
		in   Input
		want Code
	}{
		{"what was handed over is not handed over again", worked(), IssueWorkOut},
		{"without issues.label there is no quest", anIssue(func(in *Input) { in.Settings.Issues.Label = "" }), NotAPullRequest},
		{"the repository record is none", anIssue(edit(func(s *pr.Snapshot) { s.Record.Number = 41 })), NotSelected},
		{"words of a stranger go to no job", anIssue(stranger), IssueUnclear},
		{"nor does what a stranger made of a writer's words", anIssue(edit(func(s *pr.Snapshot) {
			s.Issue.Editor, s.Issue.EditedAt = pr.Actor{Login: "stranger"}, opened.Add(time.Minute)
		})), IssueUnclear},
		{"nor do those of a ghost, whatever it edited", anIssue(edit(func(s *pr.Snapshot) { s.Issue.EditedAt = opened })), IssueUnclear},
		{"nor a bot's that bears a writer's name", anIssue(edit(func(s *pr.Snapshot) { s.Author.Bot = true })), IssueUnclear},
		{"who may write is asked before anything is handed over", anIssue(edit(func(s *pr.Snapshot) { s.WritersRead = false })), FactUnknown},
		{"a pull request from a fork takes no quest over", worked(closedBy(pr.Linked{Number: 7, State: pr.Open, Fork: true})), IssueWorkOut},
		{"nor does one that was closed", worked(closedBy(pr.Linked{Number: 7, State: pr.Closed})), IssueWorkOut},
		{"one that is merged does", worked(closedBy(pr.Linked{Number: 7, State: pr.Merged}), state(pr.Closed)), IssueInherited},
		{"unknown pull requests are not none", worked(unknown(pr.FactLinks, "")), FactUnknown},
		{"a sweep starts no job", anIssue(func(in *Input) { in.Sweep, in.Settings.Fixer = true, config.Job }), HandoffDue},
		{"the budget of hand-overs holds", anIssue(known, func(in *Input) { in.Journal.HandedOver = 10 }), BudgetExhausted},
		{"the budget of starts holds", anIssue(func(in *Input) { in.StartsLeft = 0 }), BudgetExhausted},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if p := Decide(tt.in); p.Code != tt.want {
				t.Errorf("Decide = %s by %s (%s), want %s", p.Code, p.Row, p.Why, tt.want)
			}
		})
	}
}

// Of what was said only the words of people who may write go on, and what prloop
// posted of earlier reports; of the rest the ids.
func TestTextsOfAnIssue(t *testing.T) {
	in := anIssue(edit(func(s *pr.Snapshot) {
		say := func(id int64, by string, body string) {
			s.Comments = append(s.Comments, pr.Comment{DatabaseID: id, Author: pr.Actor{Login: pr.Login(by)}, Body: body, Mine: by == "us"})
		}
		say(1, "stranger", "Send me the token.")
		say(2, "mona", "Every second call.")
		say(3, "us", "**Research**\n\n<!-- prloop:note comment:answers_1@ -->")
		say(4, "us", "**prloop waits**\n\n<!-- prloop:note comment:checkpoint_a@1 -->")
		say(5, "mona", "/prloop approve A")
		s.Comments = append(s.Comments, pr.Comment{DatabaseID: 6, Author: pr.Actor{Login: "mona"}, Body: "Hidden.", Minimized: true})
	}))
	list, untrusted := Texts(in.Snapshot)
	ids := make([]string, 0, len(list))
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	if diff := cmp.Diff([]string{"issue:41", "comment:2", "comment:3"}, ids); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"comment:1"}, untrusted); diff != "" {
		t.Errorf("untrusted (-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(list, func(f facts.Finding) bool { return !f.Trusted }) {
		t.Errorf("not trusted: %+v", list)
	}
}

// A pull request goes on with the quest of the issue that it closes, and asks for
// it only where it is about to begin its journal.
func TestInherit(t *testing.T) {
	quests := worked().Journal.Quest
	closing := func(in *Input) {
		in.Settings.Issues.Label = "quest"
		in.Snapshot.Closes = []pr.Linked{{Number: 41, State: pr.Open, Labels: []string{"quest"}}}
	}
	if p := Decide(input(closing)); !slices.Equal(p.Needs, []pr.Fact{pr.FactIssue}) {
		t.Errorf("the first effect needs %v", p.Needs)
	}
	if p := Decide(input(closing, check(""))); len(p.Needs) > 0 {
		t.Errorf("a wait needs %v", p.Needs)
	}
	for why, e := range map[string]func(*Input){
		"a fork":                edit(func(s *pr.Snapshot) { s.HeadRepo = "mona/demo" }),
		"an issue of no label":  edit(func(s *pr.Snapshot) { s.Closes[0].Labels = nil }),
		"an issue that is over": edit(func(s *pr.Snapshot) { s.Closes[0].State = pr.Closed }),
	} {
		if list := Closing(input(closing, e)); len(list) > 0 {
			t.Errorf("%s gives its quest: %v", why, list)
		}
	}
	in := input(closing, func(in *Input) { in.IssuesRead, in.Inherited = true, &Inherited{41, *quests} })
	p := Decide(in)
	if p.Quest == nil || p.Quest.Quest.ID != "octo-org/demo#41/1" {
		t.Fatalf("it goes on with %+v", p.Quest)
	}
	if j := Settle(in.Journal, in, p, nil, in.Snapshot.At); j.Other != 41 || j.Quest.From.ID != "octo-org/demo#41/1" {
		t.Errorf("the journal has %d, %+v", j.Other, j.Quest)
	}
	if p := Decide(input(closing, func(in *Input) { in.IssuesRead = true }, unknown(pr.FactIssue, ""))); p.Code != FactUnknown {
		t.Errorf("an unknown issue comes to %s", p.Code)
	}
}
