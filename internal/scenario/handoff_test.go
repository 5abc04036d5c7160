package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/report"
)

// story is the one of this name.
func story(t *testing.T, name string) Story {
	t.Helper()
	list := stories(t)
	i := slices.IndexFunc(list, func(s Story) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no story %s", name)
	}
	return list[i]
}

// output is what the runner reads of one output of a run; empty where it was
// not written.
func (r Played) output(name string) string {
	_, rest, ok := strings.Cut("\n"+r.Outputs, "\n"+name+"<<")
	if !ok {
		return ""
	}
	delim, rest, _ := strings.Cut(rest, "\n")
	value, _, _ := strings.Cut(rest, "\n"+delim+"\n")
	return value
}

// Fifty events come during one hand-over. A fixer is started by one of the runs,
// in its outputs as in its result, and all that come after it write nothing.
func TestOneOfFiftyEventsStartsTheFixer(t *testing.T) {
	told := play(t, story(t, "handoff-events"), Options{})
	var during []Played // the runs from the hand-over on
	for _, r := range told.Runs {
		if len(during) > 0 || len(r.Runs) == 1 && r.Runs[0].Handoff != nil {
			during = append(during, r)
		}
	}
	if len(during) < 50 {
		t.Fatalf("%d runs came during the hand-over, want at least 50", len(during))
	}
	events := map[string]bool{}
	started, written := 0, 0
	for i, r := range during {
		events[r.Event] = true
		if slices.ContainsFunc(r.Runs, func(one report.Run) bool { return one.ShouldFix }) {
			started++
		}
		if said := r.output("should-fix"); said == "true" {
			written++
		} else if said != "false" && r.Event != "schedule" { // a sweep hands nothing over
			t.Errorf("run %d says should-fix %q", r.N, said)
		}
		if i > 0 && r.Writes != 0 {
			t.Errorf("run %d (%s) made %d writes during the hand-over:\n%s", r.N, r.Event, r.Writes, r.Words())
		}
	}
	if started != 1 || written != 1 {
		t.Errorf("of %d runs %d started a fixer, and the output should-fix was true in %d; want 1 and 1", len(during), started, written)
	}
	if len(events) < 5 {
		t.Errorf("all runs were of %d kinds of events, want 5", len(events))
	}
}

// Four hundred long findings do not fit into one brief. Those that do are handed
// over, the others follow once these are answered, and none is lost: each is
// handed over once, answered once, and never answered by silence. One that had no
// room may be answered all the same.
func TestWhatABriefHasNoRoomForFollows(t *testing.T) {
	t.Parallel()
	const all = 400
	d := player400(t, all)
	handed, handovers := map[string]int{}, 0
	for {
		d.line("run workflow_dispatch")
		last := d.p.runs[len(d.p.runs)-1]
		if last.Runs[0].Handoff == nil {
			break
		}
		handovers++
		brief := last.output("handoff")
		var b struct {
			Findings []struct{ ID string }
			LeftOut  struct{ Findings int }
		}
		if err := json.Unmarshal([]byte(brief), &b); err != nil {
			t.Fatal(err)
		}
		if len(brief) >= 96<<10 || len(b.Findings) == 0 || last.Runs[0].Handoff.Number != handovers {
			t.Fatalf("hand-over %d has %d findings in %d bytes", last.Runs[0].Handoff.Number, len(b.Findings), len(brief))
		}
		ids := make([]string, len(b.Findings))
		for i, f := range b.Findings {
			ids[i] = f.ID
			handed[f.ID]++
		}
		if want := all - len(handed); handovers == 1 && b.LeftOut.Findings != want {
			t.Errorf("the first brief says that %d were left out, want %d", b.LeftOut.Findings, want)
		}
		if handovers == 1 { // an agent that read the whole brief knows of one more
			extra := d.threads()[all-1].ID
			if handed[extra] > 0 {
				t.Fatal("the last finding had room, so the test is of nothing")
			}
			ids = append(ids, extra)
			handed[extra]++
		}
		d.line("run schedule") // while it is out, nothing is handed over
		if r := d.p.runs[len(d.p.runs)-1]; r.Writes != 0 {
			t.Fatalf("a run during the hand-over writes:\n%s", r.Words())
		}
		d.p.story.Files["done.json"] = declines(t, d.p.handed, d.p.world.Pull(7).Head, handovers, ids)
		d.line("report done.json")
		d.p.world.Advance(time.Hour) // GitHub's hourly limit
	}
	for id, n := range handed {
		if n != 1 {
			t.Errorf("%s was handed over %d times", id, n)
		}
	}
	if len(handed) != all || handovers < 4 {
		t.Errorf("%d of %d findings were handed over, in %d briefs", len(handed), all, handovers)
	}
	for i, th := range d.threads() {
		if len(th.Comments) != 2 || !th.Resolved || !strings.Contains(th.Comments[1].Body, "Not changed. The caller") {
			t.Fatalf("thread %d is resolved %t, with %d comments", i+1, th.Resolved, len(th.Comments))
		}
	}
}

// player400 is a pull request with n long findings of Copilot's.
func player400(t *testing.T, n int) drawn {
	t.Helper()
	s, err := Parse("many", []byte("many\n-- script --\ncheck build takes=1m\nopen by=mona\nadvance 2m\n-- config.yml --\nfixer: job\nmaxOpenThreads: 1000\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlayer(s, Options{Dir: t.TempDir(), Queries: &queries})
	if err != nil {
		t.Fatal(err)
	}
	d := drawn{t: t, p: p}
	for _, l := range s.Lines {
		d.do(l)
	}
	var list []githubtest.Finding
	for i := range n {
		list = append(list, githubtest.Finding{Path: fmt.Sprintf("f%d.go", i), Line: 3, Text: fmt.Sprintf("Finding %d. %s", i, strings.Repeat("This can be nil. ", 60))})
	}
	p.world.Review(7, githubtest.Submitted{By: githubtest.CopilotReviewer, Body: "Words.", Findings: list})
	return d
}

// declines is a report that declines each of the findings.
func declines(t *testing.T, handed, head string, number int, ids []string) string {
	t.Helper()
	var items []map[string]string
	for _, id := range ids {
		items = append(items, map[string]string{"finding": id, "action": "decline", "rationale": "The caller holds the lock, see store.go line 41."})
	}
	text, err := json.Marshal(map[string]any{
		"handoff": map[string]any{"pr": 7, "head": handed, "number": number}, "head": head, "status": "complete", "items": items,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
