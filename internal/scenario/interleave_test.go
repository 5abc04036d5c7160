package scenario

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/app"
	"github.com/prloop/prloop/internal/githubtest"
)

const setupFirst = `prose

-- script --
check build takes=1m
open by=mona
advance 2m
`
const setupAgain = `prose

-- script --
check build takes=1m
round v2 parser.go:12 "The error of Close is dropped here."
round v2
open by=mona
advance 2m
run workflow_run completed
advance 6m
run pull_request_review submitted
resolve all by=mona
push by=mona
advance 2m
`
const setupConv = `prose

-- script --
check build takes=1m
round v2
open by=mona
advance 2m
run workflow_run completed
advance 6m
`

type gate struct {
	next  http.RoundTripper
	ready chan bool
	goOn  chan struct{}
	cut   bool
	world *githubtest.World
	n     int
}

func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if g.cut {
		return nil, errCut
	}
	g.ready <- true
	<-g.goOn
	if g.cut {
		return nil, errCut
	}
	g.n++
	return g.next.RoundTrip(req)
}

func (p *player) launch(ctx context.Context, l Line, wrap func(http.RoundTripper) http.RoundTripper) (*gate, func() Played, error) {
	event, action := l.Args[0], ""
	if len(l.Args) > 1 {
		action = l.Args[1]
	}
	body, err := p.payload(l, event, action)
	if err != nil {
		return nil, nil, err
	}
	p.count++
	n := p.count
	dir := filepath.Join(p.dir, strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	for name, text := range map[string]string{"event.json": string(body), "output": "", "summary.md": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, nil, err
		}
	}
	env := p.environment(event, dir, n)
	g := &gate{next: p.world.Transport(), ready: make(chan bool), goOn: make(chan struct{}), world: p.world}
	done := p.begin(l, event, n, env)
	var played Played
	go func() {
		var log strings.Builder
		r := app.Run(ctx, app.Env{
			Getenv: func(k string) string { return env[k] }, Environ: func() []string { return environ(env) },
			Stdout: &log, Transport: wrap(g), Backoff: noBackoff,
		})
		if !g.cut {
			done()
		}
		played = Played{N: n, Line: l, Event: event, Exit: r.Exit, Runs: r.Runs, Err: r.Err, Log: log.String(), Wire: g.n}
		g.ready <- false
	}()
	return g, func() Played { return played }, nil
}

func TestProto(t *testing.T) {
	for name, s := range map[string]string{"first": setupFirst, "again": setupAgain, "conv": setupConv} {
		t.Run(name, func(t *testing.T) {
			story, err := Parse(name, []byte(s))
			if err != nil {
				t.Fatal(err)
			}
			var path []int
			orders, reqs := 0, 0
			hist := map[string]int{}
			classes := 0
			for {
				p, err := newPlayer(story, Options{Dir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range story.Lines {
					if err := p.do(t.Context(), l); err != nil {
						t.Fatal(err)
					}
				}
				lines := []Line{{Args: []string{"workflow_run", "completed"}, Attrs: map[string]string{}}, {Args: []string{"pull_request_review", "submitted"}, Attrs: map[string]string{}}}
				var gs [2]*gate
				var res [2]func() Played
				var alive [2]bool
				for i := range gs {
					gs[i], res[i], err = p.launch(t.Context(), lines[i], func(n http.RoundTripper) http.RoundTripper { return n })
					if err != nil {
						t.Fatal(err)
					}
					alive[i] = <-gs[i].ready
				}
				var taken []int
				var both []bool
				var readB bool
				normal := true
				for alive[0] || alive[1] {
					b := alive[0] && alive[1]
					c := 0
					switch {
					case !b && alive[1]:
						c = 1
					case b && len(taken) < len(path):
						c = path[len(taken)]
					}
					taken, both = append(taken, c), append(both, b)
					nl := len(p.world.Log())
					gs[c].goOn <- struct{}{}
					alive[c] = <-gs[c].ready
					q := p.world.Log()[nl]
					read := !q.Write
					if readB && c == 0 && read {
						normal = false
					}
					readB = c == 1 && read
				}
				if normal {
					classes++
				}
				orders++
				reqs += len(taken)
				a, b := res[0](), res[1]()
				hist[fmt.Sprintf("%d+%d %s %s", a.Wire, b.Wire, a.Runs[0].Code, b.Runs[0].Code)]++
				_ = os.RemoveAll(p.dir)
				k := len(taken) - 1
				for k >= 0 && !(both[k] && taken[k] == 0) {
					k--
				}
				if k < 0 {
					break
				}
				path = append(taken[:k:k], 1)
				if orders >= 3000 && os.Getenv("ALL") == "" {
					t.Log("stopped")
					break
				}
			}
			t.Logf("%s: %d orders, %d requests, %d normal", name, orders, reqs, classes)
			for k, v := range hist {
				t.Logf("%6d %s", v, k)
			}
		})
	}
}
