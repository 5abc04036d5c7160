package scenario

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/journal"
)

// A duel is a story that ends with two runs at once on one pull request, with
// no concurrency group between them (design 3, Ownership).
type duel struct {
	name   string
	says   string
	script string
	runs   [2]string // the two events
	// least is how many requests each of the two runs makes where it is alone.
	least int
	// unlocked is part of what goes wrong in some order without the lock; empty
	// where nothing does.
	unlocked string
}

// duels are the stories. In the first one there is no journal to lock yet: the
// lowest comment decides, and its lease. In the others the lock alone decides.
var duels = []duel{
	{
		name: "first review",
		says: "two events find a pull request that has no journal and is due for its first review",
		script: `
check build takes=1m
open by=mona
advance 2m
`,
		runs:  [2]string{"run pull_request synchronize", "run workflow_run completed"},
		least: 8,
	},
	{
		name: "review of a push",
		says: "two events find the fixes pushed, the checks green, and a further review due",
		script: `
check build takes=1m
round v2 parser.go:12 "The error of Close is dropped here."
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
resolve all by=mona
push by=mona
advance 2m
`,
		runs:     [2]string{"run pull_request synchronize", "run workflow_run completed"},
		least:    8,
		unlocked: "the counter asked falls from 2 to 1",
	},
	{
		name: "converged",
		says: "an event and the sweep find a clean review, and each would call a person by a note",
		script: `
check build takes=1m
round v2
open by=mona
advance 2m
run workflow_run completed
advance 6m
`,
		runs:     [2]string{"run pull_request_review submitted", "run schedule"},
		least:    8,
		unlocked: "stands 2 times",
	},
	{
		name: "hand-over",
		says: "two events find the same findings, and each would hand them over",
		script: `
check build takes=1m
round v2 parser.go:12 "The error of Close is dropped here."
open by=mona
advance 2m
run workflow_run completed
advance 6m
`,
		runs:     [2]string{"run pull_request_review submitted", "run workflow_run completed"},
		least:    5,
		unlocked: "the fixer is started 2 times",
	},
}

func (d duel) story(t *testing.T) Story {
	t.Helper()
	s, err := Parse(d.name, []byte(d.says+".\n\n-- script --\n"+d.script))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// line is the command that starts run i.
func (d duel) line(t *testing.T, i int) Line {
	t.Helper()
	l, err := parseLine(d.runs[i])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Two runs at once on one pull request never do an effect twice and never lose
// a counter, in whichever order their requests arrive.
func TestTwoRunsInEveryOrder(t *testing.T) {
	for _, d := range duels {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			x := newExplorer(t, d, asGitHub)
			x.explore(t)
			if x.wrong != "" {
				t.Errorf("%s\n%s", x.wrong, strings.Join(x.order, "\n"))
			}
			t.Log(x)
			counted.duel(x.String())
		})
	}
}

// A run that outlives its lease finds that out by the next answer, whichever it
// is, and writes nothing more: the lock may be another run's by then. (What is
// under way meanwhile is another matter: a write that takes effect eleven
// minutes late can be called back by nobody.) With -every, all orders of both
// runs are played, which takes minutes.
func TestARunThatOutlivesItsLease(t *testing.T) {
	for _, d := range duels {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			x := newExplorer(t, d, asGitHub)
			x.sleeps, x.onePiece = true, !*every
			x.explore(t)
			if x.wrong != "" {
				t.Errorf("%s\n%s", x.wrong, strings.Join(x.order, "\n"))
			}
			t.Log(x)
			counted.duel(x.String())
		})
	}
}

// With the lock taken out, the same search finds an order that goes wrong.
func TestTwoRunsWithoutTheLock(t *testing.T) {
	if raceOn {
		t.Skip("a search that is thinned out under the race detector need not come to the one order that goes wrong")
	}
	for _, d := range duels {
		if d.unlocked == "" {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			x := newExplorer(t, d, withoutLock)
			x.wants = d.unlocked
			x.explore(t)
			if x.wrong == "" {
				t.Fatalf("in no order %s, so the search does not see what the lock is for: %s", d.unlocked, x)
			}
			t.Logf("without the lock, after %d requests of %d plays: %s\n%s", x.requests, x.plays, x.wrong, strings.Join(x.order, "\n"))
		})
	}
}

// Orders that meet in one state are gone on with once. Where every order is
// played to its end instead, there are as many, with the same ends.
func TestOrdersThatMeetGoOnAlike(t *testing.T) {
	if raceOn {
		t.Skip("a search that is thinned out under the race detector has fewer orders than there are")
	}
	d := duels[len(duels)-1]
	met, apart := newExplorer(t, d, asGitHub), newExplorer(t, d, asGitHub)
	apart.apart = true
	met.explore(t)
	apart.explore(t)
	if want, got := apart.plays, apart.root.count(); want != got || apart.wrong != "" {
		t.Fatalf("%d orders were played, %d are counted: %s", want, got, apart.wrong)
	}
	if diff := cmp.Diff(apart.root.count(), met.root.count()); diff != "" {
		t.Errorf("orders (-each played +counted):\n%s", diff)
	}
	if diff := cmp.Diff(apart.ends, met.ends); diff != "" {
		t.Errorf("ends (-each played +counted):\n%s", diff)
	}
}

// asGitHub is the server as it is.
func asGitHub(_ int, w *githubtest.World) http.RoundTripper { return w.Transport() }

// withoutLock is a server on which everybody gets the lock: each reaction is a
// new one, and is forgotten.
func withoutLock(run int, w *githubtest.World) http.RoundTripper {
	return &unlocked{world: w, next: w.Transport(), id: int64(900_000_000 + 1000*run)}
}

type unlocked struct {
	world *githubtest.World
	next  http.RoundTripper
	id    int64
}

func (u *unlocked) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/reactions") {
		return u.next.RoundTrip(req)
	}
	u.id++
	return answer(req, http.StatusCreated, fmt.Sprintf(`{"id":%d,"content":"eyes","created_at":%q}`, u.id, u.world.Now().Format(time.RFC3339))), nil
}

// end says what is wrong with the end of both runs: nothing is left over,
// nobody failed, and after the next event the world is the one that a single
// run would have made.
func (x *explorer) end(t *testing.T, p *player, runs [2]*racer) []string {
	t.Helper()
	var wrong []string
	for i, r := range runs {
		if r.played.Exit != 0 || r.played.Err != nil {
			wrong = append(wrong, fmt.Sprintf("run %c ended with %d: %v", 'A'+rune(i), r.played.Exit, r.played.Err))
		}
	}
	wrong = append(wrong, Told{World: p.world}.Doubled()...)
	next := x.nextEvent(t, p)
	if next.Writes > 0 {
		x.late++
	}
	if len(wrong) == 0 {
		wrong = Told{World: p.world}.Doubled()
	}
	if n := fixers(runs[0].played, runs[1].played, next); n != x.fixes {
		wrong = append(wrong, fmt.Sprintf("the fixer is started %d times, want %d", n, x.fixes))
	}
	end := p.end()
	if diff := cmp.Diff(x.alone, end); diff != "" {
		wrong = append(wrong, "another end than that of one run (-alone +both):\n"+diff)
	}
	for _, q := range p.world.Unknown() {
		wrong = append(wrong, fmt.Sprintf("request %d is none that GitHub has: %s %s", q.N, q.Method, q.Path))
	}
	x.ends[end+codes(runs[0].played)+codes(runs[1].played)] = true
	return wrong
}

// fixers is how many runs start the fixer.
func fixers(runs ...Played) int {
	n := 0
	for _, r := range runs {
		for _, one := range r.Runs {
			if one.ShouldFix {
				n++
			}
		}
	}
	return n
}

// codes are what a run came to.
func codes(r Played) string {
	var b strings.Builder
	for _, one := range r.Runs {
		b.WriteString(" " + one.Code)
	}
	return b.String() + "\n"
}

// books are what prloop wrote down so far: nothing in them may be taken back.
type books struct {
	seen     int // changes that were looked at
	journals map[int64]journal.Journal
	record   journal.Record
}

func openBooks(p *player) *books {
	b := &books{journals: map[int64]journal.Journal{}}
	b.check(p)
	return b
}

// check says what the newest changes took back: a revision or a count of a
// journal, an entry of the repository record.
func (b *books) check(p *player) []string {
	changes := p.world.Changes()
	var wrong []string
	for _, c := range changes[b.seen:] {
		switch c.What {
		case "comment_created", "comment_edited":
			j, _, err := journal.Decode(c.Text, nil)
			if err != nil {
				continue
			}
			var id int64
			if _, err := fmt.Sscanf(c.Key, c.What+" %d", &id); err != nil {
				wrong = append(wrong, fmt.Sprintf("%q names no comment", c.Key))
			}
			wrong = append(wrong, takenBack(b.journals[id], j)...)
			b.journals[id] = j
		case "issue_created", "issue_edited":
			now, _, err := journal.DecodeRecord(c.Text, nil)
			if err != nil {
				continue
			}
			if diff := cmp.Diff(journal.MergeRecord(b.record, now), now); diff != "" {
				wrong = append(wrong, "the repository record loses an entry (-want +got):\n"+diff)
			}
			b.record = now
		}
	}
	b.seen = len(changes)
	return wrong
}

// takenBack says what of an earlier text of a journal a later one lost.
func takenBack(was, is journal.Journal) []string {
	var wrong []string
	if is.Rev <= was.Rev {
		wrong = append(wrong, fmt.Sprintf("the journal is written over: revision %d follows revision %d", is.Rev, was.Rev))
	}
	for _, c := range []struct {
		name    string
		was, is int
	}{
		{"asked", was.Asked, is.Asked},
		{"handedOver", was.HandedOver, is.HandedOver},
		{"fixIterations", was.Counters.FixIterations, is.Counters.FixIterations},
		{"reviewIteration", was.Counters.ReviewIteration, is.Counters.ReviewIteration},
		{"requests", len(was.Requests), len(is.Requests)},
		{"told", len(was.Told), len(is.Told)},
	} {
		if c.is < c.was {
			wrong = append(wrong, fmt.Sprintf("the counter %s falls from %d to %d", c.name, c.was, c.is))
		}
	}
	return wrong
}
