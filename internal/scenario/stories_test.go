package scenario

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/report"
)

var (
	update = flag.Bool("update", false, "write what prloop does into the stories")
	// Every single one takes longer than the ten minutes that go test gives a package.
	part  = flag.Int("part", -1, "play this 31st of all cuts and faults, from 0, instead of those that a plain run plays")
	every = flag.Bool("every", false, "play every single cut and fault, and every order of a run that outlives its lease")
)

// A plain go test plays one cut in so many, and one fault in so many. Neither
// number shares a factor with the number of kinds of faults, so each kind has
// its turn at each request of some story.
const (
	oneCutIn   = 5
	oneFaultIn = 17
	parts      = 31
)

// turn reports whether disturbance n (from 0) of s is played, one in so many.
// Which ones does not depend on the order in which stories are played.
func turn(s Story, n, oneIn int) bool {
	switch {
	case *every:
		return true
	case *part >= 0:
		return (n+len(s.Name))%parts == *part%parts
	case thin > 1:
		oneIn = thin
	}
	return (n+len(s.Name))%oneIn == 0
}

// queries are parsed once for all plays of the harness.
var queries githubtest.Queries

const folder = "../../testdata/scenarios"

// stories are all that there are. None at all is a failure.
func stories(t *testing.T) []Story {
	t.Helper()
	list, err := Load(os.DirFS(folder), ".")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func play(t *testing.T, s Story, opt Options) Told {
	t.Helper()
	opt.Dir, opt.Queries = t.TempDir(), &queries
	told, err := Play(t.Context(), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// Every story goes as its file tells it.
func TestStories(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			told := play(t, s, Options{})
			for _, q := range told.World.Unknown() {
				t.Errorf("request %d is none that GitHub has: %s %s", q.N, q.Method, q.Path)
			}
			if *update {
				save(t, s, told.Transcript)
				return
			}
			if diff := cmp.Diff(s.Want, told.Transcript); diff != "" {
				t.Errorf("%s goes another way; -update writes it (-want +got):\n%s", s.Name, diff)
			}
		})
	}
}

func save(t *testing.T, s Story, want string) {
	t.Helper()
	file := filepath.Join(folder, s.Name+".txtar")
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
	ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every run of every story is played once more, at once: it writes nothing,
// and where it waits it asks once. One more request is allowed where the event
// names no pull request, where a wait cap is due, and where a merge is watched.
func TestASecondRunIsQuiet(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			told := play(t, s, Options{Again: true})
			if len(told.Extras) == 0 {
				t.Fatal("nothing was played again")
			}
			for _, r := range told.Extras {
				saysWhen(t, told, r)
				switch {
				case startsMore(told, r), leadsOn(told, r):
					continue
				case code(r) == string(plan.Unavailable):
					continue // what answered was not GitHub, so its log has nothing
				case ended(r, plan.NotWritable) && r.Writes == 1 && len(r.Changes) == 0:
					continue // it tries, since it could be right by now, and cannot remember that it was not
				}
				if r.Writes != 0 {
					t.Errorf("line %d (%s): the second run made %d writes:\n%s", r.Line.N, r.Line.Text, r.Writes, r.Words())
				}
				for _, one := range r.Runs {
					if one.Requests != r.Requests || one.Writes != r.Writes {
						t.Errorf("line %d: the result says %d requests and %d writes, the server's log %d and %d", r.Line.N, one.Requests, one.Writes, r.Requests, r.Writes)
					}
				}
				if len(r.Runs) != 1 || r.Runs[0].Decision != string(plan.Wait) {
					continue
				}
				allowed := 1
				if byCommit(r) {
					allowed++
				}
				if capDue(r) {
					allowed++
				}
				if ended(r, plan.Watching) || ended(r, plan.RolledBack) {
					allowed++ // what stands on the merge commit is a reading of its own
				}
				if r.Runs[0].Issue && r.Event == "workflow_dispatch" { // no pull request has the number
					allowed++
				}
				if r.Requests > allowed {
					t.Errorf("line %d (%s): a quiet run made %d requests, %d are allowed:\n%s", r.Line.N, r.Line.Text, r.Requests, allowed, r.Words())
				}
			}
		})
	}
}

// saysWhen: a run that acts says when to look again, as the run says that only
// waits.
func saysWhen(t *testing.T, told Told, again Played) {
	t.Helper()
	i := slices.IndexFunc(told.Runs, func(r Played) bool { return r.Line.N == again.Line.N })
	if i < 0 || startsMore(told, again) || leadsOn(told, again) || len(again.Runs) != len(told.Runs[i].Runs) {
		return
	}
	for k, one := range again.Runs {
		first := told.Runs[i].Runs[k]
		if one.Decision == string(plan.Wait) && !first.NextWake.Equal(one.NextWake) {
			t.Errorf("line %d (%s): the run said %s, the same run once more %s:\n%s", again.Line.N, again.Line.Text, first.NextWake, one.NextWake, told.Runs[i].Words())
		}
	}
}

// startsMore: the first of the two runs left pull requests to the next one
// (budgets.startsPerRun, or half of the rate limit in leave).
func startsMore(told Told, again Played) bool {
	return slices.ContainsFunc(told.Runs, func(r Played) bool {
		return r.Line.N == again.Line.N && slices.ContainsFunc(r.Runs, func(one report.Run) bool {
			return strings.Contains(one.Reason, "budgets.startsPerRun") || strings.Contains(one.Reason, "the next run of leave")
		})
	})
}

// ended: a pull request of the run came to code.
func ended(r Played, code plan.Code) bool {
	return slices.ContainsFunc(r.Runs, func(one report.Run) bool { return one.Code == string(code) })
}

// leadsOn: the first of the two runs took a step that leads straight to another
// (max-steps is 1), which the second one takes.
func leadsOn(told Told, again Played) bool {
	return slices.ContainsFunc(told.Runs, func(r Played) bool {
		return r.Line.N == again.Line.N && slices.Contains([]string{string(plan.MarkedReady), string(plan.BranchUpdated)}, code(r))
	})
}

// code is the reason code of a run of one pull request.
func code(r Played) string {
	if len(r.Runs) != 1 {
		return ""
	}
	return r.Runs[0].Code
}

// byCommit: the event named no pull request.
func byCommit(r Played) bool {
	return r.Line.Attrs["unnamed"] != "" || r.Line.Attrs["commit"] != "" || slices.Contains([]string{"status", "push", "schedule"}, r.Event) || r.Line.Attrs["pr"] == "none"
}

// capDue: the time of the review wait is over and Copilot is at work.
func capDue(r Played) bool {
	return r.Runs[0].Code == string(plan.WaitingForReview) && strings.Contains(r.Runs[0].Reason, "at work")
}

// counted counts what the harness plays; the last test prints it.
var counted tally

type tally struct {
	cuts, faults, lines atomic.Int64

	mu    sync.Mutex
	duels []string
}

// duel enters what two runs at once came to.
func (c *tally) duel(words string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.duels = append(c.duels, words)
}

// Every story is cut after every single request. The run after the lease ends
// the same world, with no effect twice.
func TestEveryCutIsRecovered(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			whole, n := play(t, s, Options{}), 0
			for i, r := range whole.Runs {
				for k := 1; k <= r.Wire; k++ {
					counted.cuts.Add(1)
					if turn(s, n, oneCutIn) && (*every || leavesMore(r, k)) {
						disturbed(t, s, whole, i+1, k, Cut)
					}
					n++
				}
			}
		})
	}
}

// Every request of every story meets a 502, a secondary limit, and a reset
// before and after the write. The world ends the same, with no effect twice.
func TestEveryFaultIsSurvived(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			whole, n := play(t, s, Options{}), 0
			for i, r := range whole.Runs {
				for k := 1; k <= r.Wire; k++ {
					for _, f := range Faults {
						if f == ResetAfter && reads(r, k) {
							continue // there is no write: it is a reset before
						}
						counted.faults.Add(1)
						if turn(s, n, oneFaultIn) {
							disturbed(t, s, whole, i+1, k, f)
						}
						n++
					}
				}
			}
		})
	}
}

// reads: request k of the run is known to be no write.
func reads(r Played, k int) bool {
	return len(r.Wrote) == r.Wire && !r.Wrote[k-1]
}

// leavesMore: a process that dies after request k leaves another world than one
// that dies after the request before it. A read leaves nothing behind.
func leavesMore(r Played, k int) bool { return k == 1 || !reads(r, k) }

// disturbed plays s with one fault and holds its end against the whole story.
func disturbed(t *testing.T, s Story, whole Told, run, request int, f Fault) {
	t.Helper()
	told := play(t, s, Options{
		Recover: true,
		Fault: func(r, q int) Fault {
			if r == run && q == request {
				return f
			}
			return NoFault
		},
		// A fault that a retry took away leaves the very same world behind.
		Same: func(n int, world string) bool { return n == run && f != Cut && world == whole.Worlds[n-1] },
	})
	if told.Early {
		return
	}
	for _, wrong := range told.Doubled() {
		t.Errorf("run %d, request %d, %s: %s", run, request, f, wrong)
	}
	if f == Cut && untold(whole.Runs[run-1], told) {
		return // no fixer was started for the story's report; the deadline is the way on (story report-never)
	}
	if s.races() {
		return // what happens between two requests depends on how many there are
	}
	if diff := cmp.Diff(whole.End, told.End); diff != "" {
		t.Errorf("run %d, request %d, %s: another end (-whole +disturbed):\n%s", run, request, f, diff)
	}
}

// untold: the run that was cut would have handed over, and no run after it did.
func untold(r Played, told Told) bool {
	hands := func(one report.Run) bool { return one.Handoff != nil }
	return slices.ContainsFunc(r.Runs, hands) &&
		!slices.ContainsFunc(told.Extras, func(x Played) bool { return slices.ContainsFunc(x.Runs, hands) })
}

// races: something happens during a run of the story.
func (s Story) races() bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Name == "during" })
}

// Every row of the Copilot table, every event and every reason code has its
// story; row 6 needs a report and is shown by eval.
func TestEveryRowEventAndReasonHasItsStory(t *testing.T) {
	if raceOn {
		t.Skip("it plays every story, one after the other, and has nothing for the race detector")
	}
	rules, events, codes := map[string]bool{"6": true}, map[string]bool{}, map[string]bool{}
	for _, s := range stories(t) {
		told := play(t, s, Options{})
		for _, r := range told.Runs {
			counted.lines.Add(1)
			events[r.Event] = true
			for _, one := range r.Runs {
				rules[one.CopilotRule], codes[one.Code] = true, true
			}
		}
	}
	for _, row := range copilot.Table() {
		if !rules[row.ID] {
			t.Errorf("no story is decided by row %s of the Copilot table: %s", row.ID, row.Words)
		}
	}
	for _, e := range Events {
		if !events[e] {
			t.Errorf("no story has the event %s", e)
		}
	}
	for _, r := range plan.Reasons {
		if !codes[string(r.Code)] {
			t.Errorf("no story ends with the reason %s", r.Code)
		}
	}
}

// Events are the events of the issue, each in a story; "fork" stands for any
// that prloop does not know.
var Events = []string{
	"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment", "issue_comment", "issues",
	"check_run", "check_suite", "status", "workflow_run", "merge_group", "schedule", "workflow_dispatch",
	"repository_dispatch", "push", "fork",
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if c := &counted; c.cuts.Load()+c.faults.Load() > 0 {
		names, _ := filepath.Glob(filepath.Join(folder, "*.txtar"))
		fmt.Printf("stories %d × cuts %d × faults %d", len(names), c.cuts.Load(), c.faults.Load()) //nolint:forbidigo // The count is for whoever runs the tests.
		switch {
		case *part >= 0:
			fmt.Printf(" (part %d of %d was played)", *part%parts, parts) //nolint:forbidigo // As above.
		case *every:
			fmt.Print(", every one of them played") //nolint:forbidigo // As above.
		case thin > 1:
			fmt.Printf(" (race detector: every %dth was played)", thin) //nolint:forbidigo // As above.
		default:
			fmt.Printf(" (one cut in %d that leaves something behind, and one fault in %d was played; all are with -every)", oneCutIn, oneFaultIn) //nolint:forbidigo // As above.
		}
		fmt.Println() //nolint:forbidigo // As above.
	}
	for _, words := range slices.Sorted(slices.Values(counted.duels)) {
		fmt.Println(words) //nolint:forbidigo // The count is for whoever runs the tests.
	}
	os.Exit(code)
}
