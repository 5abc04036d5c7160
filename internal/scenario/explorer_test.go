package scenario

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/app"
	"github.com/prloop/prloop/internal/githubtest"
)

// An explorer plays a duel in every order in which the requests of its two runs
// can arrive: depth first, each time anew from the story's beginning, since
// what a run asks next depends on what it was answered.
//
// Where two orders lead to one state, what follows is played once and counted
// for both. That leaves nothing out, for a state is everything that what
// follows depends on: the whole world, down to its last field and counter, and
// of each run all that it asked and all that it was answered. A run has nothing
// else to go by: no clock but the Date of the answers, no randomness that
// reaches a request. (Should that ever change, a play does not find the way of
// an earlier one again, which is an error here.) What is checked, too, is a
// matter of states and of steps between two of them.
//
// A run is over in the moment of its last answer. Until GitHub hears of it the
// run counts as at work; that is what the other run is also told where it asks
// one request earlier, and then it asks no more.
type explorer struct {
	duel   duel
	story  Story
	lines  [2]Line
	server func(run int, w *githubtest.World) http.RoundTripper
	// sleeps: the first run outlives its lease, and the second one starts only
	// then. With onePiece it then makes all its requests in one piece, at once or
	// after one more of the first run's.
	sleeps, onePiece bool
	apart            bool   // orders that lead to one state are kept apart
	wants            string // part of what is looked for; empty: anything wrong
	dir              string
	parsed           *githubtest.Queries
	alone            string // the end after one run and the next event
	fixes            int    // how often the fixer is started, then

	nodes           map[string]*node
	root            *node
	plays, requests int
	thinned         bool
	ends            map[string]bool
	late            int // ends in which the next event found something to write

	wrong string   // the first thing that went wrong
	order []string // the requests until then
}

// raceMost is how many plays the race detector gets to see of each search. It
// makes each ten times as slow, and they are all of one kind.
const (
	raceOn   = thin > 1
	raceMost = 25
)

// What can happen next: a request of one of the two runs, or time passes.
const (
	first, second = 0, 1
	sleep         = 2
)

// A node is one state.
type node struct {
	can    [3]bool // what can happen in it
	next   [3]*node
	orders int
}

func (n *node) over() bool { return !n.can[first] && !n.can[second] }

// after is the first thing after took that can happen and was not played yet;
// -1 where there is none.
func (n *node) after(took int) int {
	for i := took + 1; i < len(n.can); i++ {
		if n.can[i] && n.next[i] == nil {
			return i
		}
	}
	return -1
}

// count counts the orders from n to an end, as far as they were played.
func (n *node) count() int {
	if n.over() {
		return 1
	}
	if n.orders == 0 {
		for _, next := range n.next {
			if next != nil {
				n.orders += next.count()
			}
		}
	}
	return n.orders
}

func (x *explorer) String() string {
	words := ""
	if x.sleeps {
		words += ", one outlives its lease"
	}
	if x.thinned {
		words += ", thinned out under the race detector"
	}
	return fmt.Sprintf("two runs at once, %s%s: %d orders through %d states to %d ends (%d plays, %d requests; %d times the next event had something left to write)",
		x.duel.name, words, x.root.count(), len(x.nodes), len(x.ends), x.plays, x.requests, x.late)
}

// newExplorer plays each of the two runs alone first: they come to one end,
// which both together must come to as well.
func newExplorer(t *testing.T, d duel, server func(int, *githubtest.World) http.RoundTripper) *explorer {
	t.Helper()
	x := &explorer{
		duel: d, story: d.story(t), lines: [2]Line{d.line(t, 0), d.line(t, 1)}, server: server,
		dir: t.TempDir(), parsed: new(githubtest.Queries), nodes: map[string]*node{}, ends: map[string]bool{},
	}
	for i, l := range x.lines {
		p := x.begin(t)
		r := x.launch(t, p, i, l)
		for r.asks {
			r.step()
		}
		if r.played.Wire < d.least {
			t.Fatalf("%s: %q makes %d requests alone, want at least %d", d.name, d.runs[i], r.played.Wire, d.least)
		}
		fixes := fixers(r.played, x.nextEvent(t, p))
		end := p.end()
		if i > 0 && (end != x.alone || fixes != x.fixes) {
			t.Fatalf("%s: alone, the two runs do not come to one end:\n%s", d.name, cmp.Diff(x.alone, end))
		}
		x.alone, x.fixes = end, fixes
	}
	return x
}

// begin plays the story up to where the two runs start.
func (x *explorer) begin(t *testing.T) *player {
	t.Helper()
	p, err := newPlayer(x.story, Options{Dir: x.dir, Queries: x.parsed})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range x.story.Lines {
		if err := p.do(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// nextEvent is one more run, once every lease is over.
func (x *explorer) nextEvent(t *testing.T, p *player) Played {
	t.Helper()
	p.world.Pause(11 * time.Minute)
	if err := p.run(t.Context(), x.lines[0]); err != nil {
		t.Fatal(err)
	}
	return p.runs[len(p.runs)-1]
}

// explore plays every order, or until something goes wrong.
func (x *explorer) explore(t *testing.T) {
	t.Helper()
	for path := []int(nil); ; {
		walked := x.play(t, path)
		x.plays++
		k := len(walked) - 1
		for k >= 0 && walked[k].at.after(walked[k].took) < 0 {
			k--
		}
		if x.thinned = raceOn && k >= 0 && x.plays == raceMost; x.thinned || k < 0 || x.wrong != "" {
			return
		}
		path = path[:0]
		for _, w := range walked[:k] {
			path = append(path, w.took)
		}
		path = append(path, walked[k].at.after(walked[k].took))
	}
}

// A step is what happened in one state.
type step struct {
	at   *node
	took int
}

// play plays one order: what path says, then the first run's requests as long
// as it has any, until the end or a state that is known.
func (x *explorer) play(t *testing.T, path []int) []step {
	t.Helper()
	p := x.begin(t)
	runs := [2]*racer{x.launch(t, p, 0, x.lines[0]), x.launch(t, p, 1, x.lines[1])}
	defer func() {
		for _, r := range runs {
			r.cut()
		}
	}()
	books := openBooks(p)
	var walked []step
	var order []string
	report := func(wrong []string) {
		if all := strings.Join(wrong, "; "); all != "" && strings.Contains(all, x.wants) {
			x.wrong, x.order = all, order
		}
	}
	n, fresh := x.root, false
	if n == nil {
		n, fresh = x.visit(p, runs, nil)
		x.root = n
	}
	for (fresh || len(walked) < len(path)) && !n.over() && x.wrong == "" {
		took := n.after(-1)
		if len(walked) < len(path) {
			took = path[len(walked)]
		}
		if took == sleep {
			p.world.Pause(11 * time.Minute)
			order = append(order, "eleven minutes pass")
		} else {
			order = append(order, fmt.Sprintf("%c %s", 'A'+rune(took), runs[took].step()))
			x.requests++
		}
		walked = append(walked, step{n, took})
		report(books.check(p))
		next := n.next[took]
		if fresh = next == nil; fresh || len(walked) == len(path)-1 {
			var seen *node
			if seen, fresh = x.visit(p, runs, walked); next != nil && next != seen {
				t.Fatalf("%s: the same order went another way the second time:\n%s", x.duel.name, strings.Join(order, "\n"))
			}
			next = seen
		}
		n.next[took] = next
		n = next
	}
	if n.over() && fresh && x.wrong == "" {
		report(x.end(t, p, runs))
	}
	return walked
}

// visit returns the node of the state that the play is in, and whether it is a
// new one.
func (x *explorer) visit(p *player, runs [2]*racer, walked []step) (n *node, fresh bool) {
	h := sha256.New()
	if x.apart {
		for _, s := range walked {
			fmt.Fprint(h, s.took)
		}
	} else {
		spell(h, p.world)
		for _, r := range runs {
			fmt.Fprintf(h, "\nrun %x", r.heard.Sum(nil))
		}
	}
	key := string(h.Sum(nil))
	if n = x.nodes[key]; n != nil {
		return n, false
	}
	n = &node{can: [3]bool{first: runs[first].asks, second: runs[second].asks}}
	if x.sleeps {
		x.narrow(n, runs, walked)
	}
	x.nodes[key] = n
	return n, true
}

// narrow takes from n what does not belong to a first run that outlives its
// lease.
func (x *explorer) narrow(n *node, runs [2]*racer, walked []step) {
	slept := slices.IndexFunc(walked, func(s step) bool { return s.took == sleep })
	switch {
	case slept < 0 && runs[first].asks:
		n.can[second] = false
		n.can[sleep] = len(walked) > 0 && !runs[first].commits
	case slept >= 0 && x.onePiece && runs[second].asks && len(walked) > slept+1:
		n.can[first] = false
	}
}

// A racer is one run, held at each request until the explorer lets it go.
type racer struct {
	asks bool // it waits with a request; else it is over
	// commits: that request would change what the journal keeps, or what it keeps
	// a note of. Once it is under way nothing can call it back.
	commits bool
	next    http.RoundTripper
	world   *githubtest.World
	ready   chan bool // it has come to its next request (true) or to its end
	let     chan struct{}
	dead    bool
	heard   hash.Hash // all that it asked and was answered
	last    string    // its last request in words
	played  Played
}

// launch starts run i and brings it to its first request.
func (x *explorer) launch(t *testing.T, p *player, i int, l Line) *racer {
	t.Helper()
	body, err := p.payload(l, l.Args[0], append(l.Args, "")[1])
	if err != nil {
		t.Fatal(err)
	}
	p.count++
	n := p.count
	dir := filepath.Join(p.dir, strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"event.json": string(body), "output": "", "summary.md": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := p.environment(l.Args[0], dir, n)
	r := &racer{
		next: x.server(i, p.world), world: p.world,
		ready: make(chan bool), let: make(chan struct{}), heard: sha256.New(),
	}
	done := p.begin(l, l.Args[0], n, env)
	ctx := context.WithoutCancel(t.Context())
	go func() {
		result := app.Run(ctx, app.Env{
			Getenv:    func(k string) string { return env[k] },
			Environ:   func() []string { return environ(env) },
			Stdout:    io.Discard,
			Transport: r,
			Backoff:   noBackoff,
		})
		r.played.N, r.played.Line, r.played.Event = n, l, l.Args[0]
		r.played.Exit, r.played.Runs, r.played.Err = result.Exit, result.Runs, result.Err
		if !r.dead {
			done()
		}
		r.ready <- false
	}()
	r.asks = <-r.ready
	return r
}

// step lets the request go that the run waits with, and brings it to its next
// one or to its end. It returns the request in words.
func (r *racer) step() string {
	r.let <- struct{}{}
	r.asks = <-r.ready
	return r.last
}

// cut ends a run that is not played to its end.
func (r *racer) cut() {
	for r.dead = true; r.asks; {
		r.step()
	}
}

// RoundTrip is called by the run.
func (r *racer) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.dead {
		return nil, errCut
	}
	var asked []byte
	if req.Body != nil {
		var err error
		if asked, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(asked))
	}
	r.commits = commits(req, asked)
	r.ready <- true
	<-r.let
	if r.dead {
		return nil, errCut
	}
	r.commits = false
	r.played.Wire++
	logged := len(r.world.Log())
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	answered, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answered))
	fmt.Fprintf(r.heard, "%s %s\n%s\n%d\n%s\n", req.Method, req.URL, asked, resp.StatusCode, answered)
	for _, k := range slices.Sorted(maps.Keys(resp.Header)) {
		// Three headers tell how many requests there were until now. Nobody
		// reads them before none is left, which no story here comes to.
		if !slices.Contains([]string{"X-Ratelimit-Remaining", "X-Ratelimit-Used", "X-Github-Request-Id"}, k) {
			fmt.Fprintf(r.heard, "%s: %s\n", k, resp.Header[k])
		}
	}
	r.last = fmt.Sprintf("%s %s %d", req.Method, req.URL.Path, resp.StatusCode)
	if all := r.world.Log(); len(all) > logged {
		r.last = all[logged].String()
	}
	return resp, nil
}

// commits tells writes from reads, and from what is taken and given back by its
// id: the lock, and a journal that is one too many.
func commits(req *http.Request, body []byte) bool {
	switch {
	case req.Method == http.MethodGet, req.Method == http.MethodDelete:
		return false
	case strings.HasSuffix(req.URL.Path, "/graphql"):
		return bytes.Contains(body, []byte(`"query":"mutation`))
	}
	return !strings.HasSuffix(req.URL.Path, "/reactions")
}

// spell writes down all that the world consists of, unexported fields included,
// in one form for each value. It leaves out the log of requests and changes,
// which the server writes and never reads, and the parsed queries, which all
// worlds share.
func spell(w io.Writer, v *githubtest.World) {
	speller{w, map[uintptr]int{}}.value(reflect.ValueOf(v))
}

type speller struct {
	w    io.Writer
	seen map[uintptr]int // pointers, by the order in which they were met
}

func (s speller) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		fmt.Fprint(s.w, "nil;")
	case reflect.Bool:
		fmt.Fprintf(s.w, "%t;", v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprintf(s.w, "%d;", v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		fmt.Fprintf(s.w, "%d;", v.Uint())
	case reflect.String:
		fmt.Fprintf(s.w, "%q;", v.String())
	case reflect.Interface:
		if !v.IsNil() {
			fmt.Fprint(s.w, v.Elem().Type(), " ")
		}
		s.value(v.Elem())
	case reflect.Pointer:
		s.pointer(v)
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(s.w, "[%d:", v.Len())
		for i := range v.Len() {
			s.value(v.Index(i))
		}
		fmt.Fprint(s.w, "]")
	case reflect.Map:
		s.entries(v)
	case reflect.Struct:
		s.fields(v)
	case reflect.Func:
		fmt.Fprintf(s.w, "func %t;", !v.IsNil()) // of a timer, whose name and time are written too
	case reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Chan, reflect.UnsafePointer:
		panic("scenario: the world has a " + v.Kind().String() + ", which has no spelling")
	}
}

func (s speller) pointer(v reflect.Value) {
	n, met := s.seen[v.Pointer()]
	switch {
	case v.IsNil():
		fmt.Fprint(s.w, "nil;")
	case met:
		fmt.Fprintf(s.w, "*%d;", n)
	default:
		s.seen[v.Pointer()] = len(s.seen)
		fmt.Fprint(s.w, "*")
		s.value(v.Elem())
	}
}

func (s speller) entries(v reflect.Value) {
	type entry struct {
		words string
		value reflect.Value
	}
	var list []entry
	for k, e := range v.Seq2() {
		var words strings.Builder
		speller{&words, map[uintptr]int{}}.value(k)
		list = append(list, entry{words.String(), e})
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.words, b.words) })
	fmt.Fprintf(s.w, "{%d:", len(list))
	for _, e := range list {
		fmt.Fprint(s.w, e.words)
		s.value(e.value)
	}
	fmt.Fprint(s.w, "}")
}

func (s speller) fields(v reflect.Value) {
	leave := map[reflect.Type][]string{
		reflect.TypeFor[githubtest.World]():   {"mu", "log", "changes"},
		reflect.TypeFor[githubtest.Options](): {"Queries"},
		reflect.TypeFor[time.Time]():          {"loc"}, // they are all in UTC
	}[v.Type()]
	fmt.Fprint(s.w, "{")
	for i := range v.NumField() {
		if !slices.Contains(leave, v.Type().Field(i).Name) {
			s.value(v.Field(i))
		}
	}
	fmt.Fprint(s.w, "}")
}
