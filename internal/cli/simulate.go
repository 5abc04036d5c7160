package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/scenario"
)

// defaultStory is what "prloop simulate" plays.
const defaultStory = "copilot-two-findings"

// simulateCommand has the flags of "prloop simulate".
type simulateCommand struct {
	list   bool
	story  string
	config string
	faults int
	seed   uint64
	json   bool
	serve  string
}

// run plays a story. Its exit code is 1 where the story went another way than
// its file tells, or where the faults changed its end.
func (c simulateCommand) run(ctx context.Context, sys *System) error {
	if c.list {
		return listStories(sys)
	}
	story, err := c.load(sys)
	if err != nil {
		return err
	}
	opt := scenario.Options{}
	if c.config != "" {
		text, err := os.ReadFile(c.config)
		if err != nil {
			return &fail.Error{What: "The configuration file could not be read", Why: fmt.Sprintf("%q", err.Error()), Fix: "Name a file that is there", Err: err}
		}
		opt.Config = string(text)
	}
	if c.serve != "" {
		return c.serveWorld(ctx, sys, story, opt)
	}
	return c.play(ctx, sys, story, opt)
}

func listStories(sys *System) error {
	stories, err := scenario.Load(sys.Stories, "testdata/scenarios")
	if err != nil {
		return err
	}
	for _, s := range stories {
		first, _, _ := strings.Cut(strings.ReplaceAll(s.Prose, "\n", " "), ". ")
		fmt.Fprintf(sys.Stdout, "%-36s %s.\n", s.Name, strings.TrimSuffix(first, "."))
	}
	return nil
}

func (c simulateCommand) load(sys *System) (scenario.Story, error) {
	name := c.story
	if name == "" {
		name = defaultStory
	}
	stories, err := scenario.Texts(sys.Stories, "testdata/scenarios")
	if err != nil {
		return scenario.Story{}, err
	}
	text, ok := stories[name]
	if !ok {
		file, err := os.ReadFile(name)
		if err != nil {
			return scenario.Story{}, &fail.Error{
				What: "There is no such story",
				Why:  fmt.Sprintf("%q is neither a story of prloop's nor a file that can be read", name),
				Fix:  "\"prloop simulate --list\" names the stories",
				Err:  err,
			}
		}
		text = string(file)
	}
	story, err := scenario.Parse(name, []byte(text))
	if err != nil {
		return scenario.Story{}, &fail.Error{What: "The story cannot be played", Why: fmt.Sprintf("%q", err.Error()), Fix: "Mend the file; the stories of --list are examples", Err: err}
	}
	return story, nil
}

func (c simulateCommand) play(ctx context.Context, sys *System, story scenario.Story, opt scenario.Options) error {
	tell := &teller{out: sys.Stdout, json: c.json}
	if !c.json {
		fmt.Fprintf(sys.Stdout, "%s\n%s\n\n", story.Name, story.Prose)
	}
	want, met := "", 0
	if c.faults > 0 {
		whole, err := scenario.Play(ctx, story, opt)
		if err != nil {
			return err
		}
		want = whole.End
		pick := randomFaults(whole, c.faults, c.seed)
		opt.Fault, opt.Recover = func(run, request int) scenario.Fault {
			fault := pick(run, request)
			if fault != scenario.NoFault {
				met++
			}
			return fault
		}, true
	}
	opt.Watch = tell.step
	told, err := scenario.Play(ctx, story, opt)
	if err != nil {
		return err
	}
	if !c.json {
		fmt.Fprintf(sys.Stdout, "The end\n%s", told.End)
		last := told.Runs[len(told.Runs)-1]
		if n := len(told.Extras); n > 0 {
			last = latest(last, told.Extras[n-1])
		}
		fmt.Fprintf(sys.Stdout, "\nThe job summary of the last step\n\n%s\n", last.Summary)
	}
	switch {
	case c.faults > 0 && told.End != want:
		return fmt.Errorf("the story ends otherwise with these faults:\n--- without\n%s+++ with\n%s", want, told.End)
	case c.faults > 0 && !c.json:
		fmt.Fprintf(sys.Stdout, "%d of %d faults met, in %d runs (seed %d): the same end.\n", met, c.faults, tell.broken, c.seed)
	case c.faults == 0 && opt.Config == "" && story.Want != "" && told.Transcript != story.Want:
		return fmt.Errorf("the story %s goes another way than its file tells", story.Name)
	}
	return nil
}

func latest(a, b scenario.Played) scenario.Played {
	if b.N > a.N {
		return b
	}
	return a
}

// randomFaults picks n requests of the whole story, and a fault for each.
func randomFaults(whole scenario.Told, n int, seed uint64) func(run, request int) scenario.Fault {
	rng := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // The faults shall be the same for the same seed.
	kinds := append([]scenario.Fault{scenario.Cut}, scenario.Faults...)
	picked := map[[2]int]scenario.Fault{}
	var all [][2]int
	for i, r := range whole.Runs {
		for k := 1; k <= r.Wire; k++ {
			all = append(all, [2]int{i + 1, k})
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, at := range all[:min(n, len(all))] {
		picked[at] = kinds[rng.IntN(len(kinds))]
	}
	return func(run, request int) scenario.Fault { return picked[[2]int{run, request}] }
}

// A teller prints each step as soon as it is over.
type teller struct {
	out    io.Writer
	json   bool
	n      int
	broken int
}

// stepLine is one step for --json.
type stepLine struct {
	Step       int          `json:"step"`
	At         time.Time    `json:"at"`
	Event      string       `json:"event"`
	PR         int          `json:"pr,omitempty"`
	Decision   string       `json:"decision"`
	ReasonCode string       `json:"reasonCode"`
	State      string       `json:"state"`
	Round      int          `json:"round"`
	Converged  bool         `json:"converged"`
	Effects    []stepEffect `json:"effects"`
	Requests   int          `json:"requests"`
	Writes     int          `json:"writes"`
	Exit       int          `json:"exit"`
	Error      string       `json:"error,omitempty"`
	Proof      string       `json:"proof,omitempty"` // for "prloop verify"
}

type stepEffect struct {
	Type    string `json:"type"`
	Key     string `json:"key"`
	Outcome string `json:"outcome"`
}

func (t *teller) step(r scenario.Played) {
	t.n++
	if r.Broken {
		t.broken++
	}
	if t.json {
		t.line(r)
		return
	}
	for _, h := range r.Happened {
		fmt.Fprintf(t.out, "%s  · %s\n", h.At.Format("15:04"), h.Words())
	}
	head := strings.TrimSpace(r.Event + " " + strings.Join(r.Line.Args[1:], " "))
	switch {
	case r.Recovery:
		head += " (the run after a broken one)"
	case r.Broken:
		head += " (a fault meets this run)"
	}
	fmt.Fprintf(t.out, "%s  step %d on %s\n", r.At.Format("15:04"), t.n, head)
	for _, line := range strings.Split(strings.TrimRight(r.Words(), "\n"), "\n") {
		fmt.Fprintf(t.out, "       %s\n", line)
	}
	fmt.Fprintln(t.out)
}

func (t *teller) line(r scenario.Played) {
	enc := json.NewEncoder(t.out)
	line := stepLine{Step: t.n, At: r.At, Event: r.Event, Requests: r.Requests, Writes: r.Writes, Exit: r.Exit, Effects: []stepEffect{}}
	if r.Err != nil {
		line.Error = r.Err.Error()
	}
	if len(r.Runs) == 0 {
		_ = enc.Encode(line)
		return
	}
	for _, one := range r.Runs {
		l := line
		l.PR, l.Decision, l.ReasonCode, l.State, l.Round, l.Converged = one.PR, one.Decision, one.Code, one.State, one.Round, one.Converged
		if one.Proof != nil {
			l.Proof = one.Proof.Text
		}
		for _, e := range one.Effects {
			l.Effects = append(l.Effects, stepEffect{e.Type, e.Key, e.Outcome})
		}
		_ = enc.Encode(l)
	}
}

// serve lets others play until the context ends.
func (c simulateCommand) serveWorld(ctx context.Context, sys *System, story scenario.Story, opt scenario.Options) error {
	served, err := scenario.Serve(ctx, story, opt, c.serve)
	if err != nil {
		return &fail.Error{What: "The story could not be served", Why: fmt.Sprintf("%q", err.Error()), Fix: "Give an address that is free, such as 127.0.0.1:0", Err: err}
	}
	fmt.Fprintf(sys.Stdout, "rest=%s\ngraphql=%s\ntoken=%s\nuser-token=%s\nrepository=%s/%s\nevents=%s\n",
		served.REST, served.GraphQL, served.Token, served.UserToken, scenario.Owner, scenario.Repo, served.Events)
	fmt.Fprintf(sys.Stdout, "# time: curl -X PUT '%s/_/advance?minutes=5' · log: curl %s/_/requests · end: Ctrl-C\n", served.REST, served.REST)
	<-ctx.Done()
	return served.Close()
}
