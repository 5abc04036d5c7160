package scenario

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/githubtest"
)

// resolutions returns how many requests of the log would resolve a thread, and
// what is wrong with them: none may name a thread that a person opened, or in
// which a person spoke last, our own replies aside. What came of the request
// does not matter, and neither does the product's own reading of the thread. What
// was said as the request left, by its number, nobody could have looked at.
func resolutions(log []githubtest.Request, asItLeft map[int]string) (asked int, wrong []string) {
	for _, q := range log {
		if !slices.Contains(q.Fields, "resolveReviewThread") {
			continue
		}
		asked++
		if len(q.Threads) != 1 {
			wrong = append(wrong, fmt.Sprintf("request %d names %d threads", q.N, len(q.Threads)))
		}
		for _, t := range q.Threads {
			if n := len(t.Comments) - 1; asItLeft[q.N] != "" && t.Comments[n].Body == asItLeft[q.N] {
				t.Comments = t.Comments[:n]
			}
			if whose := personIn(t); whose != "" {
				wrong = append(wrong, fmt.Sprintf("request %d names the thread %s, which %s", q.N, t.ID, whose))
			}
		}
	}
	return asked, wrong
}

// personIn says how a thread is a person's; empty where it is a bot's.
func personIn(t githubtest.Thread) string {
	person := func(login string) bool { return !strings.HasSuffix(login, "[bot]") }
	if len(t.Comments) == 0 {
		return "nobody is known to have opened"
	}
	if by := t.Comments[0].Author; person(by) {
		return fmt.Sprintf("%q opened", by)
	}
	for _, c := range slices.Backward(t.Comments) {
		if c.Author == githubtest.ActionsBot && strings.HasPrefix(c.Body, "<!-- prloop:reply ") {
			continue
		}
		if person(c.Author) {
			return fmt.Sprintf("%q spoke last in", c.Author)
		}
		return ""
	}
	return ""
}

// Over the request logs of all stories no thread of a person's is resolved.
func TestNoStoryResolvesAPersonsThread(t *testing.T) {
	var asked, plays atomic.Int64
	t.Run("stories", func(t *testing.T) {
		for _, s := range stories(t) {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				n, wrong := resolutions(play(t, s, Options{}).World.Log(), nil)
				asked.Add(int64(n))
				plays.Add(1)
				for _, w := range wrong {
					t.Error(w)
				}
			})
		}
	})
	if asked.Load() < 5 {
		t.Errorf("in the logs of %d stories %d threads were to be resolved, which tests nothing", plays.Load(), asked.Load())
	}
	counted.duel(fmt.Sprintf("resolveReviewThread: %d in the request logs of %d stories, none in a person's thread", asked.Load(), plays.Load()))
}

// reportedWorlds is how many worlds TestNoReportResolvesAPersonsThread draws;
// each takes reportsEach reports.
const (
	reportedWorlds = 75
	reportsEach    = 4
)

// The same over worlds that are drawn: threads of people, bots and agents, last
// words of anybody, also while a report is being answered, and reports that say
// anything of them. (The same over 10,000 reports, before anything is asked of
// GitHub, is in package plan.)
func TestNoReportResolvesAPersonsThread(t *testing.T) {
	var asked, reports, taken, guarded atomic.Int64
	t.Run("worlds", func(t *testing.T) {
		for seed := range uint64(reportedWorlds) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				d := drawWorld(t, seed)
				n, wrong := resolutions(d.p.world.Log(), d.asItLeft)
				for _, w := range wrong {
					t.Error(w)
				}
				asked.Add(int64(n))
				for _, r := range d.p.runs[1:] {
					reports.Add(1)
					if len(r.Runs) == 1 && strings.Contains(r.Words(), "reply in the thread") {
						taken.Add(1)
					}
					guarded.Add(int64(strings.Count(r.Words(), "failed: a person's thread")))
				}
			})
		}
	})
	if reports.Load() < 300 || taken.Load() < 100 || asked.Load() < 100 || guarded.Load() < 1 {
		t.Errorf("%d reports, of which %d were answered by, led to %d resolutions and %d that the last look stopped: that tests nothing",
			reports.Load(), taken.Load(), asked.Load(), guarded.Load())
	}
	counted.duel(fmt.Sprintf("resolveReviewThread: %d in the request logs of %d drawn reports (%d answered by; the last look stopped %d), none in a person's thread",
		asked.Load(), reports.Load(), taken.Load(), guarded.Load()))
}

// A drawn world plays itself.
type drawn struct {
	*rand.Rand
	t *testing.T
	p *player
	// asItLeft has what was said at the moment that a request left, by the number
	// of the request.
	asItLeft map[int]string
}

func (d drawn) pick(from ...string) string { return from[d.IntN(len(from))] }

// speakers may open threads and speak in them: two people who can push, one who
// cannot, an account that is gone, reviewers, an agent, and prloop's own account.
var speakers = []string{
	"mona", "hubot", "stranger", "copilot", "", githubtest.CopilotReviewer, githubtest.CopilotReviewer, githubtest.CopilotReviewer,
	githubtest.CopilotAgent, "coderabbitai[bot]", githubtest.ActionsBot,
}

// drawWorld plays a pull request with up to ten threads: a hand-over, a push,
// and reports.
func drawWorld(t *testing.T, seed uint64) drawn {
	s, err := Parse("drawn", []byte("drawn\n-- script --\naccount copilot\naccount coderabbitai[bot] permission=write\ncheck build takes=1m\nopen by=mona\n-- config.yml --\nfixer: job\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlayer(s, Options{Dir: t.TempDir(), Queries: &queries})
	if err != nil {
		t.Fatal(err)
	}
	d := drawn{rand.New(rand.NewPCG(seed, 3)), t, p, map[int]string{}}
	for _, l := range s.Lines {
		d.do(l)
	}
	p.world.Advance(2 * time.Minute)
	for i := range 4 + d.IntN(6) {
		p.world.Review(7, githubtest.Submitted{By: d.pick(speakers...), Findings: []githubtest.Finding{{Path: fmt.Sprintf("f%d.go", i), Line: 3, Text: "This can be nil."}}})
		p.world.Advance(time.Second)
	}
	p.world.Review(7, githubtest.Submitted{By: githubtest.CopilotReviewer, Findings: []githubtest.Finding{{Path: "last.go", Line: 3, Text: "This can be nil."}}})
	d.talk(d.IntN(8))
	d.line("run workflow_run completed")
	pushed := d.IntN(4) > 0
	if pushed {
		p.world.Advance(time.Minute)
		d.line("push by=mona paths=" + strings.Join(d.paths(), ","))
	}
	for i := range reportsEach {
		d.talk(d.IntN(3))
		if d.IntN(2) == 0 { // somebody speaks while the report is being answered
			request, words := 4+d.IntN(12), fmt.Sprintf("Wait, is that so? (%d)", i)
			d.asItLeft[len(p.world.Log())+request] = words
			d.line(fmt.Sprintf("during %d reply %d %q by=%s", request, 1+d.IntN(len(d.threads())), words, d.pick("mona", "hubot", "stranger", "copilot")))
		}
		name := fmt.Sprintf("report%d.json", i)
		p.story.Files[name] = d.report(pushed)
		d.line("report " + name)
		p.world.Advance(time.Minute)
	}
	return d
}

func (d drawn) do(l Line) {
	if err := d.p.do(d.t.Context(), l); err != nil {
		d.t.Fatalf("%s: %v", l.Text, err)
	}
}

func (d drawn) line(text string) {
	l, err := parseLine(text)
	if err != nil {
		d.t.Fatal(err)
	}
	d.do(l)
}

func (d drawn) threads() []*githubtest.Thread { return d.p.world.Pull(7).Threads }

func (d drawn) paths() []string {
	var all []string
	for _, t := range d.threads() {
		all = append(all, t.Path)
	}
	return all
}

// talk lets anybody say something in any thread, n times. The marker of our
// replies is copied by whoever likes to.
func (d drawn) talk(n int) {
	for range n {
		all := d.threads()
		d.p.world.Reply(all[d.IntN(len(all))].ID, d.pick(speakers...), d.pick("I see it differently.", "<!-- prloop:reply 1 0a1b2c3d -->\nFixed.", "<!-- prloop:reply x -->"))
		d.p.world.Advance(time.Second)
	}
}

// report says anything of some of what was handed over.
func (d drawn) report(pushed bool) string {
	var items []map[string]any
	for _, id := range d.p.findings {
		if d.IntN(5) == 0 {
			continue
		}
		action := d.pick("fix", "fix", "decline", "decline", "drift", "partial", "escalate")
		item := map[string]any{"finding": id, "action": action, "rationale": "The caller holds the lock, see store.go line 41."}
		if pushed && (action == "fix" || d.IntN(2) == 0) {
			item["commit"] = d.p.world.Pull(7).Head
		} else if action == "fix" {
			item["action"] = "decline"
		}
		items = append(items, item)
	}
	status := d.pick("complete", "complete", "partial", "blocked")
	text, err := json.Marshal(map[string]any{
		"handoff": map[string]any{"pr": 7, "head": d.p.handed, "number": 1}, "head": d.p.world.Pull(7).Head, "status": status, "items": items,
		"nextAction": "mend the writer", "needsExtensionMinutes": d.IntN(6),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}
