package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/app"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/report"
)

// A Played run is one run of prloop in a story.
type Played struct {
	N     int
	Line  Line
	Event string // name and action
	At    time.Time
	Exit  int
	Runs  []report.Run
	Err   error
	// Wire counts the requests that left the process; Requests and Writes are
	// what the server's log says.
	Wire, Requests, Writes int
	// Wrote says of each request in the server's log whether it was a write.
	Wrote   []bool
	Log     string // what the run printed
	Summary string
	Outputs string
	Changes []githubtest.Change // what it changed on GitHub
	// Happened is what people, checks and reviewers did since the run before.
	Happened []Happening
	// Broken: a fault met it. Recovery: it is the run after a broken one.
	// Repeat: it is the same run once more, at once.
	Broken, Recovery, Repeat bool
	Died                     bool // as the story says; nothing of it was told
}

// Options change how a story is played.
type Options struct {
	// Config stands in for the story's config.yml.
	Config string
	// Fault breaks request of run (both from 1).
	Fault func(run, request int) Fault
	// Again repeats every run once, at once.
	Again bool
	// Recover plays a run after every broken one, once its lease is over.
	Recover bool
	// Same says that the world after run n is as it would be had nothing broken
	// it: then the story goes on as it would, and is not played to its end.
	Same func(n int, world string) bool
	// Queries keeps parsed queries from one play to the next; nil keeps none.
	Queries *githubtest.Queries
	// Watch is told of every run as soon as it is over.
	Watch func(Played)
	// Dir is where the runner's files are kept; empty stands for a temporary
	// folder that is removed.
	Dir string
}

// A Told story is what became of it.
type Told struct {
	Runs []Played
	// Extras are the runs that the options added: recoveries and repetitions.
	Extras     []Played
	Transcript string
	// Worlds are the world after each run, with its clock. Ended early: Same
	// ended the play.
	Worlds []string
	Early  bool
	// End is the world once everything that was begun has ended, without times:
	// what must be the same however the story was disturbed.
	End string
	// World is the embedded GitHub as it stands.
	World *githubtest.World
}

// A player has the world of one story.
type player struct {
	story    Story
	opt      Options
	world    *githubtest.World
	inputs   map[string]string
	token    string
	pulls    []int // in the order of opening
	issues   int   // how many were opened
	things   []int // the numbers of the issues
	runs     []Played
	text     strings.Builder
	dir      string
	during   map[int][]Line // commands for a request of the next run
	copilot  githubtest.Reviewer
	checks   []githubtest.ScriptedCheck
	rules    githubtest.Rules
	count    int      // runs so far, extras too
	extras   []Played // recoveries and repetitions
	die      int      // the request after which the next run dies
	outage   bool     // the next run meets nothing but 502
	handed   string   // the head that was handed over last
	findings []string // the ids that were handed over last
	worlds   []string // after each run
	told     int      // changes of the world that a run has been told of
}

// start is when every story begins.
var start = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// Owner and Repo name the repository of the stories.
const (
	Owner = "octo-org"
	Repo  = "demo"
)

// Play plays s from its first line to its last. An error is of the story, or of
// the process that plays it, never of prloop: what prloop did is in Told.
func Play(ctx context.Context, s Story, opt Options) (Told, error) {
	p, err := newPlayer(s, opt)
	if err != nil {
		return Told{}, err
	}
	if opt.Dir == "" {
		defer os.RemoveAll(p.dir) //nolint:errcheck // A temporary folder that stays does no harm.
	}
	for _, l := range s.Lines {
		err := p.do(ctx, l)
		if errors.Is(err, errSame) {
			return Told{Runs: p.runs, Extras: p.extras, World: p.world, Early: true}, nil
		}
		if err != nil {
			return Told{}, fmt.Errorf("%s: script line %d (%s): %w", s.Name, l.N, l.Text, err)
		}
	}
	if len(p.runs) == 0 {
		return Told{}, fmt.Errorf("%s starts no run", s.Name)
	}
	p.text.WriteString("\nend\n" + indent(p.end()))
	p.world.Advance(24 * time.Hour) // what others have begun ends
	end := p.end()
	return Told{Runs: p.runs, Extras: p.extras, Worlds: p.worlds, Transcript: p.text.String(), End: end, World: p.world}, nil
}

func newPlayer(s Story, opt Options) (*player, error) {
	p := &player{story: s, opt: opt, inputs: map[string]string{}, during: map[int][]Line{}, dir: opt.Dir}
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "prloop-story-")
		if err != nil {
			return nil, fmt.Errorf("make a folder for the runner's files: %w", err)
		}
		p.dir = dir
	}
	if p.opt.Queries == nil {
		p.opt.Queries = new(githubtest.Queries)
	}
	p.reset(githubtest.Options{Owner: Owner, Repo: Repo, Now: start})
	return p, nil
}

// reset begins a world: a repository with people, a workflow token with every
// right that prloop uses, and Copilot, who answers after a while.
func (p *player) reset(o githubtest.Options) {
	o.Queries = p.opt.Queries
	p.world = githubtest.New(o)
	p.token = "workflow-token"
	p.world.AddToken(githubtest.Token{Value: p.token, Kind: githubtest.Workflow, Rights: map[string]string{
		"contents": "write", "pull-requests": "write", "issues": "write",
		"checks": "read", "statuses": "read", "actions": "read", "deployments": "read",
	}})
	p.world.AddAccount(githubtest.Account{Login: "mona", Permission: "write", Seat: true})
	p.world.AddAccount(githubtest.Account{Login: "hubot", Permission: "write"})
	p.world.AddAccount(githubtest.Account{Login: "stranger", Permission: "read"})
	p.world.AddToken(githubtest.Token{Value: "mona-token", Login: "mona", Kind: githubtest.User})
	p.copilot = githubtest.Reviewer{StartAfter: time.Minute, SubmitAfter: 4 * time.Minute}
	p.world.SetReviewer(githubtest.CopilotReviewer, p.copilot)
	config := p.story.Config
	if p.opt.Config != "" {
		config = p.opt.Config
	}
	if config != "" {
		p.world.SetFile(".github/prloop.yml", config)
	}
	p.inputs["github-token"] = p.token
	p.inputs["user-token"] = "mona-token"
}

func (p *player) do(ctx context.Context, l Line) error {
	c := language()[l.Name]
	if n := len(l.Args); n < c.min || c.max >= 0 && n > c.max {
		return fmt.Errorf("%s takes %s", l.Name, c.usage)
	}
	return c.do(ctx, p, l)
}

// run starts prloop once with the event of l.
func (p *player) run(ctx context.Context, l Line) error {
	event := l.Args[0]
	action := ""
	if len(l.Args) > 1 {
		action = l.Args[1]
	}
	body, err := p.payload(l, event, action)
	if err != nil {
		return err
	}
	n := len(p.runs) + 1
	fault := p.opt.Fault
	played, err := p.once(ctx, l, event, body, func(request int) Fault {
		if fault == nil {
			return NoFault
		}
		return fault(n, request)
	}, false)
	if err != nil {
		return err
	}
	p.runs = append(p.runs, played)
	p.heed(played)
	moved := len(p.during) > 0
	p.during = map[int][]Line{}
	p.tell(played)
	if p.opt.Watch != nil {
		p.opt.Watch(played)
	}
	defer func() { p.outage = false }()
	world := p.world.Now().String() + "\n" + decisions(played) + p.end()
	p.worlds = append(p.worlds, world)
	if p.opt.Same != nil && p.opt.Same(n, world) {
		return errSame
	}
	switch {
	case p.opt.Recover && played.Broken && !p.outage:
		// The next run comes once the lease of the broken one is over.
		p.world.Pause(11 * time.Minute)
		return p.extra(ctx, l, event, body, func(again *Played) { again.Recovery = true })
	case p.opt.Again && !moved && !played.Died: // a world that moved during the run is another one
		return p.extra(ctx, l, event, body, func(again *Played) { again.Repeat = true })
	}
	return nil
}

// errSame ends a play whose rest is known.
var errSame = errors.New("the world is as it would be")

// decisions are what a run told, without how many requests it took.
func decisions(r Played) string {
	words, _, _ := cutLast(strings.TrimRight(r.Words(), "\n"), "\n")
	return words + "\n"
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// heed remembers what a run handed over, for the reports of the story.
func (p *player) heed(r Played) {
	for _, one := range r.Runs {
		if one.Handoff == nil {
			continue
		}
		p.handed, p.findings = string(one.Handoff.Head), nil
		for _, f := range one.Handoff.Findings {
			p.findings = append(p.findings, f.ID)
		}
	}
}

// extra is a run that the story does not have; its transcript leaves it out.
func (p *player) extra(ctx context.Context, l Line, event string, body []byte, mark func(*Played)) error {
	var kind Played
	mark(&kind)
	again, err := p.once(ctx, l, event, body, nil, kind.Repeat)
	if err != nil {
		return err
	}
	mark(&again)
	if again.Recovery {
		p.heed(again)
	}
	p.extras = append(p.extras, again)
	if p.opt.Watch != nil {
		p.opt.Watch(again)
	}
	return nil
}

// once runs the action in process, with the environment that the runner gives
// it and real files.
func (p *player) once(ctx context.Context, l Line, event string, body []byte, fault func(int) Fault, repeat bool) (Played, error) {
	p.count++
	n := p.count
	files := map[string]string{"event.json": string(body), "output": "", "summary.md": ""}
	dir := filepath.Join(p.dir, strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Played{}, fmt.Errorf("make a folder for the runner's files: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return Played{}, fmt.Errorf("write the runner's files: %w", err)
		}
	}
	env := p.environment(event, dir, n)
	if repeat {
		delete(env, "INPUT_WAIT-SECONDS") // the repetition shall look once
	}
	for k, v := range l.Attrs {
		if name, ok := strings.CutPrefix(k, "env-"); ok {
			env[name] = v
		}
	}
	if l.Attrs["no-event-file"] != "" {
		env["GITHUB_EVENT_PATH"] = "/github/workflow/event.json"
	}
	w := &wire{next: p.world.Transport(), fault: fault}
	during := p.during
	w.before = func(request int) {
		for _, c := range during[request] {
			_ = language()[c.Name].do(ctx, p, c)
		}
	}
	broken, died := false, false
	if p.outage {
		fault = func(int) Fault { return BadGateway }
	}
	if at := p.die; at != 0 {
		fault = func(request int) Fault {
			if request == at {
				return Cut
			}
			return NoFault
		}
		p.die, died = 0, true
	}
	if fault != nil {
		w.fault = func(request int) Fault {
			f := fault(request)
			broken = broken || f != NoFault
			return f
		}
	}
	logged, changed := len(p.world.Log()), len(p.world.Changes())
	happened := happenings(p.world.Changes()[p.told:])
	var log strings.Builder
	at := p.world.Now()
	done := p.begin(l, event, n, env)
	r := app.Run(ctx, app.Env{
		Getenv:    func(k string) string { return env[k] },
		Environ:   func() []string { return environ(env) },
		Stdout:    &log,
		Simulated: true,
		Transport: w,
		Backoff:   noBackoff,
		Sleep: func(_ context.Context, d time.Duration) error {
			p.world.Advance(d)
			return nil
		},
	})
	if !w.dead { // of a dead run GitHub does not hear that it is over
		done()
	}
	if died {
		r.Runs, r.Err, r.Exit = nil, nil, 0
	}
	played := Played{N: n, Line: l, Event: event, At: at, Exit: r.Exit, Runs: r.Runs, Err: r.Err, Wire: w.n, Log: log.String(), Happened: happened, Broken: broken && !died, Died: died}
	for _, q := range p.world.Log()[logged:] {
		played.Requests++
		played.Wrote = append(played.Wrote, q.Write)
		if q.Write {
			played.Writes++
		}
	}
	for _, c := range p.world.Changes()[changed:] {
		if c.Request != 0 {
			played.Changes = append(played.Changes, c)
		}
	}
	p.told = len(p.world.Changes())
	var err error
	if played.Summary, err = read(dir, "summary.md"); err != nil {
		return Played{}, err
	}
	if played.Outputs, err = read(dir, "output"); err != nil {
		return Played{}, err
	}
	return played, os.RemoveAll(dir)
}

func read(dir, name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "", fmt.Errorf("read the runner's files: %w", err)
	}
	return string(data), nil
}

// environment is what the runner gives to run n (github-platform, Actions
// runtime): names of the documentation, values of this world.
func (p *player) environment(event, dir string, n int) map[string]string {
	env := map[string]string{
		"CI":                  "true",
		"GITHUB_ACTIONS":      "true",
		"GITHUB_EVENT_NAME":   event,
		"GITHUB_EVENT_PATH":   filepath.Join(dir, "event.json"),
		"GITHUB_OUTPUT":       filepath.Join(dir, "output"),
		"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary.md"),
		"GITHUB_REPOSITORY":   Owner + "/" + Repo,
		"GITHUB_RUN_ID":       strconv.Itoa(firstRun + n),
		"GITHUB_RUN_ATTEMPT":  "1",
		"GITHUB_JOB":          "step",
		"GITHUB_WORKFLOW_REF": Owner + "/" + Repo + "/.github/workflows/prloop.yml@refs/heads/main",
		"GITHUB_API_URL":      "https://api.github.test",
		"GITHUB_GRAPHQL_URL":  "https://api.github.test/graphql",
		"GITHUB_SERVER_URL":   "https://github.test",
	}
	for k, v := range p.inputs {
		env["INPUT_"+strings.ToUpper(k)] = v
	}
	return env
}

// begin puts run n on GitHub: as a check run on the head where the event is the
// pull request's own, else as a run of the default branch. What it returns
// ends it.
func (p *player) begin(l Line, event string, n int, env map[string]string) (done func()) {
	id := int64(firstRun + n)
	number, err := p.number(l.Attrs["pr"])
	onHead := slices.Contains([]string{"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"}, event)
	if err != nil || !slices.Contains(p.world.Pulls(), number) || !onHead || l.Attrs["file"] != "" {
		p.world.AddRun(githubtest.WorkflowRun{DatabaseID: id, Event: event})
		return func() { p.world.EndRun(id, "success") }
	}
	check := p.world.Check(number, githubtest.Check{
		Name: "step", Workflow: "prloop", Path: ".github/workflows/prloop.yml", Event: event, RunID: id,
	})
	env["INPUT_CHECK-RUN-ID"] = strconv.FormatInt(check, 10)
	return func() { p.world.FinishCheck(check, "SUCCESS") }
}

// A Happening is one thing that somebody else than prloop did.
type Happening struct{ githubtest.Change }

// Words tells it in one line.
func (h Happening) Words() string {
	return h.By + ": " + strings.Replace(h.Key, h.What, strings.ReplaceAll(h.What, "_", " "), 1)
}

func happenings(list []githubtest.Change) []Happening {
	var out []Happening
	for _, c := range list {
		if c.Request == 0 {
			out = append(out, Happening{c})
		}
	}
	return out
}

// firstRun is the number before the first run's id.
const firstRun = 9000

func environ(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for k, v := range env {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return list
}
