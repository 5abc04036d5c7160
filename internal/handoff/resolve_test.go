package handoff

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

func TestMayResolve(t *testing.T) {
	const (
		over   = "a bot opened it, and it is answered"
		person = "a person opened it"
		last   = "a person spoke last in it, before our reply"
	)
	reply := pr.ThreadComment{Author: actions, Mine: true, Body: facts.ReplyMarker + " 1 0a1b2c3d -->"}
	asUser := pr.ThreadComment{Author: mona, Mine: true, Body: facts.ReplyMarker + " 1 0a1b2c3d -->"}
	by := func(a pr.Actor) pr.ThreadComment { return pr.ThreadComment{Author: a, Body: "x"} }
	tests := []struct {
		says     string
		action   Action
		comments []pr.ThreadComment
		may      bool
		why      string
	}{
		{"a fix in a bot's thread", FixIt, []pr.ThreadComment{by(reviews), reply}, true, over},
		{"a decline", Decline, []pr.ThreadComment{by(reviews), reply}, true, over},
		{"drift", Drift, []pr.ThreadComment{by(reviews)}, true, over},
		{"a partial fix", Partial, []pr.ThreadComment{by(reviews), reply}, false, "only what is fixed, declined or drift is resolved"},
		{"an escalation", Escalate, []pr.ThreadComment{by(reviews), reply}, false, "only what is fixed, declined or drift is resolved"},
		{"our reply bears a user's name", FixIt, []pr.ThreadComment{by(reviews), asUser}, true, over},
		{"the same account, without our marker, is a person", FixIt, []pr.ThreadComment{by(reviews), {Author: mona, Mine: true, Body: "hm"}}, false, last},
		{"a person's thread", FixIt, []pr.ThreadComment{by(mona), reply}, false, person},
		{"a person's thread in which a bot spoke last", FixIt, []pr.ThreadComment{by(mona), by(reviews)}, false, person},
		{"the thread of an account that is gone", FixIt, []pr.ThreadComment{by(pr.Actor{}), reply}, false, person},
		{"a person spoke last", FixIt, []pr.ThreadComment{by(reviews), by(hubot)}, false, last},
		{"our reply does not take a person's word back", FixIt, []pr.ThreadComment{by(reviews), by(hubot), reply, asUser}, false, last},
		{"an account that is gone spoke last", FixIt, []pr.ThreadComment{by(reviews), by(pr.Actor{})}, false, last},
		{"the bot spoke after the person", FixIt, []pr.ThreadComment{by(reviews), by(mona), by(reviews), reply}, true, over},
		{"nobody but us", FixIt, []pr.ThreadComment{reply}, false, last},
		{"its comments are not known", FixIt, nil, false, "nobody knows who spoke in it"},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			may, why := MayResolve(tt.action, &pr.Thread{Comments: tt.comments}, marked)
			if may != tt.may || why != tt.why {
				t.Errorf("may resolve is %t, because %q; want %t, because %q", may, why, tt.may, tt.why)
			}
		})
	}
	if may, why := MayResolve(FixIt, &pr.Thread{Resolved: true, Comments: []pr.ThreadComment{by(reviews)}}, marked); may || why != "it is resolved already" {
		t.Errorf("a resolved thread may be resolved is %t, because %q", may, why)
	}
}

// Over 10,000 generated reports: no thread is resolved that a person opened, or
// in which a person spoke last, whoever asked for it and whatever we said.
func TestNoPersonsThreadIsResolved(t *testing.T) {
	t.Parallel()
	accounts := []pr.Actor{reviews, reviews, reviews, actions, mona, hubot, {}, {Login: "copilot"}, {Login: "copilot", Bot: true, ID: pr.CopilotReviewerID}}
	resolved, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			r, c := drawReport(t), drawContext(t)
			threads := map[string]*pr.Thread{}
			for _, f := range c.Findings {
				th := &pr.Thread{ID: f.Thread, Resolved: rapid.IntRange(0, 9).Draw(t, "resolved") == 0}
				for range rapid.IntRange(0, 4).Draw(t, "comments") {
					who := rapid.SampledFrom(accounts).Draw(t, "who")
					body := rapid.SampledFrom([]string{"x", facts.ReplyMarker + " 2 0a1b2c3d -->"}).Draw(t, "body")
					th.Comments = append(th.Comments, pr.ThreadComment{Author: who, Body: body, Mine: who == actions || who == hubot})
				}
				threads[f.ID] = th
			}
			for _, reply := range Check(r, c).Replies {
				th := threads[reply.Finding.ID]
				if may, _ := MayResolve(reply.Action, th, marked); !may {
					left++
					continue
				}
				resolved++
				if th.Resolved || reply.Action == Escalate || reply.Action == Partial || reply.Silent {
					t.Fatalf("%s resolves the thread %+v", reply.Action, th)
				}
				if who := th.Comments[0].Author; !who.Bot {
					t.Fatalf("a thread by %+v is resolved", who)
				}
				var lastOther pr.Actor
				for _, said := range th.Comments {
					if !said.Mine || !strings.HasPrefix(said.Body, facts.ReplyMarker) {
						lastOther = said.Author
					}
				}
				if !lastOther.Bot {
					t.Fatalf("%+v spoke last in a thread that is resolved", lastOther)
				}
			}
		}
	})
	if resolved < 100 || left < 100 {
		t.Errorf("%d threads were resolved and %d left, which tests nothing", resolved, left)
	}
}
