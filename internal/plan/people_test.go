package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// speakers open threads and speak in them.
var speakers = []pr.Actor{
	copilotActor, copilotActor, copilotActor,
	{Login: "copilot-swe-agent", Bot: true},
	{Login: "coderabbitai", Bot: true},
	{Login: "github-actions", Bot: true},
	{Login: "mona"},
	{Login: "hubot"},
	{Login: "stranger"},
	{Login: "copilot"},
	{},
}

// said is what anybody may write, our own marker included.
var said = []string{"This can be nil.", "I see it differently.", "<!-- prloop:reply 1 0a1b2c3d -->\nFixed.", ""}

// drawTalk is a thread with anybody's words in any order.
func drawTalk(t *rapid.T, n int) pr.Thread {
	th := pr.Thread{ID: fmt.Sprint("PRRT_", n), Path: fmt.Sprintf("f%d.go", n), Line: 3, Resolved: rapid.IntRange(0, 9).Draw(t, "resolved") == 0}
	for i := range rapid.IntRange(0, 4).Draw(t, "comments") {
		by := rapid.SampledFrom(speakers).Draw(t, "by")
		th.Comments = append(th.Comments, pr.ThreadComment{
			ID: fmt.Sprintf("PRRC_%d_%d", n, i), Author: by, CreatedAt: opened, ReviewID: "PRR_1",
			Body:    rapid.SampledFrom(said).Draw(t, "body"),
			Mine:    by.Login == "github-actions",
			Trusted: by.Login != "stranger" && by.Login != "" && rapid.IntRange(0, 9).Draw(t, "trusted") > 0,
		})
	}
	return th
}

// drawClaim is a report on hand-over 1 that says anything of some of the
// threads, most of the time in a form that counts.
func drawClaim(t *rapid.T, in Input) Claim {
	r := handoff.Report{
		Handoff: handoff.Ref{PR: 7, Head: headA, Number: 1}, Head: headA, Step: handoff.Fix,
		Status:     rapid.SampledFrom([]handoff.Status{handoff.Complete, handoff.Complete, handoff.Unfinished, handoff.Blocked}).Draw(t, "status"),
		NextAction: "mend the writer", NeedsExtensionMinutes: rapid.IntRange(0, 9).Draw(t, "minutes"),
	}
	for _, th := range in.Snapshot.Threads {
		if rapid.IntRange(0, 4).Draw(t, "mentioned") == 0 {
			continue
		}
		it := handoff.Item{Finding: th.ID, Action: rapid.SampledFrom(handoff.Actions()).Draw(t, "action"), Rationale: "The caller holds the lock, see store.go line 41."}
		if it.Action == handoff.FixIt || rapid.Bool().Draw(t, "committed") {
			it.Commit = headA
		}
		r.Items = append(r.Items, it)
	}
	if rapid.IntRange(0, 19).Draw(t, "wrong") == 0 {
		r.Head = headB
	}
	return Claim{Report: r, Commits: []pr.SHA{headA}, CommitsKnown: true}
}

// personal says how a thread is a person's, by its comments alone; empty where a
// bot opened it and no person spoke after. Our own replies aside.
func personal(th pr.Thread) string {
	if len(th.Comments) == 0 {
		return "nobody is known to have opened"
	}
	if by := th.Comments[0].Author; !by.Bot {
		return fmt.Sprintf("%q opened", by.Login)
	}
	last := pr.Actor{Bot: true}
	for _, c := range th.Comments {
		if !c.Mine || !strings.HasPrefix(c.Body, "<!-- prloop:reply ") {
			last = c.Author
		}
	}
	if !last.Bot {
		return fmt.Sprintf("%q spoke last in", last.Login)
	}
	return ""
}

// Over 10,000 reports no thread is resolved that a person opened, or in which a
// person spoke last: of what a report asks for, and of what an earlier run of it
// left over. (The same over request logs is in package scenario.)
func TestNoReportResolvesAPersonsThread(t *testing.T) {
	var reports, accepted, resolves, baits int
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			in := input(known, edit(reviewed), func(in *Input) {
				in.Settings.Fixer = rapid.SampledFrom([]config.Fixer{config.Job, config.People}).Draw(t, "fixer")
				in.Settings.Strict = rapid.IntRange(0, 4).Draw(t, "strict") == 0
				in.Quote = handoff.Quoting{Text: strings.TrimSpace, Code: strings.TrimSpace}
				in.UserToken = rapid.Bool().Draw(t, "user")
				var marks []string
				for n := range rapid.IntRange(1, 6).Draw(t, "threads") {
					th := drawTalk(t, n)
					in.Snapshot.Threads = append(in.Snapshot.Threads, th)
					marks = append(marks, journal.Mark(th.ID))
				}
				in.Journal.HandedOver = 1
				in.Journal.Handoffs = []journal.Handoff{{Number: 1, Head: headA, At: opened, Deadline: opened.Add(time.Hour), Findings: strings.Join(marks, " ")}}
			})
			c := drawClaim(t, in)
			p := Take(in, c)
			reports++
			if p.Account != nil && p.Account.Verdict.Kind == handoff.Accepted {
				accepted++
			}
			whose := map[string]string{}
			for _, th := range in.Snapshot.Threads {
				whose[th.ID] = personal(th)
			}
			for _, it := range c.Report.Items {
				if whose[it.Finding] != "" && it.Action != handoff.Partial && it.Action != handoff.Escalate {
					baits++
				}
			}
			for _, e := range p.Effects {
				if r, ok := e.(effect.Resolve); ok {
					resolves++
					if whose[r.Thread] != "" {
						t.Fatalf("the thread %s is resolved, which %s", r.Thread, whose[r.Thread])
					}
				}
			}
		}
	})
	if reports < 10_000 || accepted < 5_000 || resolves < 1_000 || baits < 1_000 {
		t.Errorf("%d reports, %d of them accepted, led to %d resolutions, and %d items were about a person's thread: that tests nothing", reports, accepted, resolves, baits)
	}
	t.Logf("%d reports, %d accepted: %d resolutions, none of the %d threads of people that a report would have resolved", reports, accepted, resolves, baits)
}
