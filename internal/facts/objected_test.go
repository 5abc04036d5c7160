package facts_test

import (
	"testing"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
)

// A thread that a report answered awaits us anew once somebody spoke after the
// reply. Before the reply is made the answer is owed, whoever spoke last.
func TestAnObjectionIsNewWork(t *testing.T) {
	reported := func(in *facts.Input) {
		in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: older, At: at("11:00:00")}}
		in.Journal.Answers = []journal.Answer{{Finding: journal.Mark("T1"), Action: "decline", Head: head, Number: 1}}
	}
	question, reply, objection := said(mona, "Why?"), mine(said(mona, facts.ReplyMarker+" 1/T1 -->\nIt is checked.")), said(mona, "It is not.")
	question.CreatedAt, reply.CreatedAt, objection.CreatedAt = at("10:00:00"), at("11:10:00"), at("11:20:00")
	early := reply
	early.CreatedAt = at("10:10:00")
	for _, tt := range []struct {
		name  string
		edits edit
		want  string
	}{
		{"the reply is owed", thread("T1", question), "applied"},
		{"a reply of an older hand-over is none", thread("T1", question, early, objection), "applied"},
		{"an objection", thread("T1", question, reply, objection), ""},
	} {
		if got := derive(reported, tt.edits); got.Copilot.AgentFixStatus != tt.want || len(got.Awaiting) != 1 {
			t.Errorf("%s: agentFixStatus is %q of %d findings, want %q of 1", tt.name, got.Copilot.AgentFixStatus, len(got.Awaiting), tt.want)
		}
	}
}
