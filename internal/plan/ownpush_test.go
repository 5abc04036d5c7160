package plan

import (
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
)

// claimed: a report on the head before this one was accepted, and did this.
func claimed(action string) func(*Input) {
	return func(in *Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headB, At: opened, Reported: "complete/1"}}
		in.Journal.Answers = []journal.Answer{{Finding: "0a", Action: action, Head: headA, Number: 1}}
	}
}

// A red check is our own push's only where a report claims a fix in the head; then
// it stops whatever ci.red says, and whatever else is open.
func TestOwnPushRed(t *testing.T) {
	red := func(r config.Red) func(*Input) { return func(in *Input) { in.Settings.CI.Red = r } }
	elsewhere := func(in *Input) { in.Journal.Answers[0].Head = headB }
	same := func(in *Input) { in.Journal.Handoffs[0].Head = headA }
	for _, c := range []struct {
		name string
		in   Input
		want Code
	}{
		{"ci.red: stop", input(known, check("FAILURE"), claimed("fix"), red(config.RedStop)), OwnPushFailed},
		{"ci.red: handoff", input(known, check("FAILURE"), claimed("fix"), red(config.RedHandoff)), OwnPushFailed},
		{"ci.red: wait", input(known, check("FAILURE"), claimed("fix"), red(config.RedWait)), OwnPushFailed},
		{"half a fix", input(known, check("FAILURE"), claimed("partial")), OwnPushFailed},
		{"feedback is open too", input(known, check("FAILURE"), claimed("fix"), edit(reviewed), threads(1)), OwnPushFailed},
		{"a pushback pushes nothing", input(known, check("FAILURE"), claimed("decline")), ChecksFailed},
		{"an older head's report", input(known, check("FAILURE"), claimed("fix"), elsewhere), ChecksFailed},
		{"a report that pushed nothing", input(known, check("FAILURE"), claimed("fix"), same), ChecksFailed},
		{"green", input(known, claimed("fix"), edit(reviewed)), Converged},
		{"checks are not asked", input(known, check("FAILURE"), claimed("fix"), edit(reviewed), func(in *Input) { in.Settings.RequireCI = false }), Converged},
		{"flaky, and that is run again", input(known, flaky, claimed("fix")), ChecksRerun},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p := Decide(c.in); p.Code != c.want {
				t.Errorf("it decides %s by %s (%s), want %s", p.Code, p.Row, p.Why, c.want)
			}
		})
	}
}
