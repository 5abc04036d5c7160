package plan

import (
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// Of two pull requests with one head the older one is worked on.
func TestTwoPullRequestsOfOneHead(t *testing.T) {
	t.Parallel()
	twin := func(l pr.Linked) func(*Input) {
		return edit(func(s *pr.Snapshot) { s.Twins = append(s.Twins, l) })
	}
	older := pr.Linked{Number: 3, State: pr.Open, Head: headA, Base: "main", Author: pr.Actor{Login: "mona"}}
	with := func(f func(*pr.Linked)) func(*Input) {
		l := older
		f(&l)
		return twin(l)
	}
	bot := with(func(l *pr.Linked) { l.Author = pr.Actor{Login: "dependabot", Bot: true} })
	fork := edit(func(s *pr.Snapshot) { s.HeadRepo = "stranger/demo" })
	forks := func(in *Input) { in.Settings.Select.Forks = true }
	for _, c := range []struct {
		says string
		in   Input
		want Code
	}{
		{"an older one", input(twin(older)), Duplicate},
		{"a newer one", input(with(func(l *pr.Linked) { l.Number = 9 })), ReviewRequested},
		{"a newer and an older one", input(with(func(l *pr.Linked) { l.Number = 9 }), twin(older)), Duplicate},
		{"what was begun goes on", input(known, twin(older)), ReviewRequested},
		{"a label takes it in", input(twin(older), edit(func(s *pr.Snapshot) { s.Labels = []string{config.LabelEnrol} })), ReviewRequested},
		{"a start takes it in", input(twin(older), func(in *Input) { in.Journal.Orders.Started = &journal.Sight{Head: headA} }), ReviewRequested},
		{"the older one is left out by its label", input(with(func(l *pr.Linked) { l.Labels = []string{config.LabelSkip} })), ReviewRequested},
		{"the older one goes into a branch that is not selected", input(with(func(l *pr.Linked) { l.Base = "release" }), func(in *Input) { in.Settings.Select.Bases = []string{"main"} }), ReviewRequested},
		{"the older one is a bot's that is not selected", input(bot), ReviewRequested},
		{"the older one is a bot's that is", input(bot, func(in *Input) { in.Settings.Select.Bots = []string{"dependabot"} }), Duplicate},
		{"a stranger's fork holds nothing back", input(with(func(l *pr.Linked) { l.Fork = true }), forks), ReviewRequested},
		{"but another fork", input(fork, forks, with(func(l *pr.Linked) { l.Fork = true })), Duplicate},
		{"and the repository's own branch does", input(fork, forks, twin(older)), Duplicate},
		{"what is not enrolled is no duplicate", input(twin(older), later2(72*time.Hour)), NotEnrolled},
		{"nobody knows", input(unknown(pr.FactTwins, "")), FactUnknown},
		{"nor has to, of what was begun", input(known, unknown(pr.FactTwins, "")), ReviewRequested},
		{"it is over", input(twin(older), edit(func(s *pr.Snapshot) { s.State = pr.Closed })), Closed},
	} {
		if p := Decide(c.in); p.Code != c.want {
			t.Errorf("%s: %s by %s (%s), want %s", c.says, p.Code, p.Row, p.Why, c.want)
		}
	}
}
