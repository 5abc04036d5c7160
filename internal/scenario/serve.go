package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prloop/prloop/internal/githubtest"
)

// A Served story is a world behind real sockets. Its clock stands still until
// somebody moves it (PUT /_/advance?minutes=N); then Copilot, the checks and
// the people of the story do what is due. Each thing that happens leaves the
// event that GitHub would send as a file. Nobody runs prloop: that is for
// whoever plays. A push to a repository outside is told by PUT
// /_/push?pr=N&head=SHA&path=P: the pull request gets this head.
type Served struct {
	REST, GraphQL    string
	Token, UserToken string
	Events           string // the folder of the event files

	mu     sync.Mutex
	player *player
	queue  []timed // what people do, in the order of the script
	began  time.Time
	seen   int // changes that have their event files
	files  int
	server *http.Server
	closed chan error
}

// timed is a line of the script with the time that it has there.
type timed struct {
	at   time.Duration
	line Line
}

// Serve begins to serve s at addr. Close ends it.
func Serve(ctx context.Context, s Story, opt Options, addr string) (*Served, error) {
	p, err := newPlayer(s, opt)
	if err != nil {
		return nil, err
	}
	v := &Served{player: p, Token: p.token, UserToken: p.inputs["user-token"], Events: p.dir, began: start, closed: make(chan error, 1)}
	if err := v.setUp(ctx); err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	v.REST = "http://" + l.Addr().String()
	v.GraphQL = v.REST + "/graphql"
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /_/advance", v.advance)
	mux.HandleFunc("PUT /_/push", v.push)
	mux.HandleFunc("GET /_/requests", v.requests)
	mux.Handle("/", p.world)
	v.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { v.closed <- v.server.Serve(l) }()
	return v, nil
}

// Close ends the server and removes the event files, unless the caller chose
// their folder.
func (v *Served) Close() error {
	err := v.server.Close()
	if v.player.opt.Dir == "" {
		if rmErr := os.RemoveAll(v.Events); err == nil {
			err = rmErr
		}
	}
	return err
}

// setUp does what stands before the first run, and queues what people do later.
func (v *Served) setUp(ctx context.Context) error {
	var at time.Duration
	later := false
	for _, l := range v.player.story.Lines {
		switch l.Name {
		case "run", "times":
			later = true
			continue
		case "show", "during":
			continue
		case "advance":
			d, err := duration(l.Args[0], 0)
			if err != nil {
				return err
			}
			at += d
			continue
		}
		if later {
			v.queue = append(v.queue, timed{at, l})
			continue
		}
		if err := v.player.do(ctx, l); err != nil {
			return fmt.Errorf("%s: script line %d (%s): %w", v.player.story.Name, l.N, l.Text, err)
		}
	}
	return v.writeEvents()
}

// advance moves the clock minute by minute.
func (v *Served) advance(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("minutes"))
	if err != nil || n < 1 || n > 60*24*365 {
		http.Error(w, "minutes must be a number from 1 to 525600", http.StatusBadRequest)
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for range n {
		v.player.world.Advance(time.Minute)
		if err := v.act(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	if err := v.writeEvents(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "now=%s\nevents=%d\n", v.player.world.Now().Format(time.RFC3339), v.files)
}

// push gives a pull request a head that somebody pushed elsewhere.
func (v *Served) push(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	q := r.URL.Query()
	n, err := strconv.Atoi(q.Get("pr"))
	head := q.Get("head")
	switch {
	case err != nil || !slices.Contains(v.player.world.Pulls(), n):
		http.Error(w, "pr must be the number of a pull request", http.StatusBadRequest)
		return
	case !fullSHA.MatchString(head):
		http.Error(w, "head must be a commit, as 40 hexadecimal digits", http.StatusBadRequest)
		return
	}
	v.player.world.Push(n, githubtest.Push{Head: head, Paths: q["path"]})
	if err := v.writeEvents(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "head=%s\nevents=%d\n", head, v.files)
}

var fullSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)

// act lets people do what is due. They answer threads that are there: where
// the review comes later than in the script, so do they.
func (v *Served) act(ctx context.Context) error {
	for len(v.queue) > 0 {
		next := v.queue[0]
		if v.player.world.Now().Sub(v.began) < next.at {
			return nil
		}
		if (next.line.Name == "resolve" || next.line.Name == "reply") && !v.openThread(next.line) {
			for i := range v.queue {
				v.queue[i].at += time.Minute
			}
			return nil
		}
		v.queue = v.queue[1:]
		if err := v.player.do(ctx, next.line); err != nil {
			return fmt.Errorf("script line %d (%s): %w", next.line.N, next.line.Text, err)
		}
	}
	return nil
}

func (v *Served) openThread(l Line) bool {
	n, err := v.player.number(l.Attrs["pr"])
	if err != nil {
		return false
	}
	for _, t := range v.player.world.Pull(n).Threads {
		if !t.Resolved {
			return true
		}
	}
	return false
}

// events are what GitHub sends for what happens, by the world's own word.
var events = map[string][2]string{
	"opened": {"pull_request", "opened"}, "pushed": {"pull_request", "synchronize"},
	"reopened": {"pull_request", "reopened"}, "closed": {"pull_request", "closed"}, "merged": {"pull_request", "closed"},
	"ready_for_review": {"pull_request", "ready_for_review"}, "labeled": {"pull_request", "labeled"},
	"reviewed": {"pull_request_review", "submitted"}, "comment_created": {"issue_comment", "created"},
}

// writeEvents leaves a file for everything that happened since the last time,
// but for what prloop itself did: that starts no workflow.
func (v *Served) writeEvents() error {
	changes := v.player.world.Changes()
	for _, c := range changes[v.seen:] {
		if c.Request != 0 {
			continue
		}
		e, ok := events[c.What]
		if !ok && strings.HasPrefix(c.What, "check_") && c.What != "check_started" {
			e, ok = [2]string{"workflow_run", "completed"}, true
		}
		if !ok {
			continue
		}
		body, err := v.player.payload(Line{Attrs: map[string]string{"pr": strconv.Itoa(c.Number)}}, e[0], e[1])
		if err != nil {
			return err
		}
		v.files++
		name := fmt.Sprintf("%02d-%s.json", v.files, e[0])
		if err := os.WriteFile(filepath.Join(v.Events, name), body, 0o600); err != nil {
			return fmt.Errorf("write the event file: %w", err)
		}
	}
	v.seen = len(changes)
	return nil
}

// requests answers with the server's log, a JSON object a line.
func (v *Served) requests(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/jsonl")
	out := json.NewEncoder(w)
	for _, q := range v.player.world.Log() {
		_ = out.Encode(map[string]any{
			"n": q.N, "at": q.At.Format(time.RFC3339), "method": q.Method, "path": q.Path, "operation": q.Operation,
			"write": q.Write, "status": q.Status, "login": q.Login, "points": q.Points, "effect": q.Effect,
		})
	}
}

// World is the embedded GitHub behind the sockets.
func (v *Served) World() *githubtest.World { return v.player.world }
