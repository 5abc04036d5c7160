package githubtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A Kind is a kind of token.
type Kind string

// The kinds of token.
const (
	Workflow    Kind = "workflow"     // GITHUB_TOKEN, by default github-actions[bot]
	App         Kind = "app"          // an installation token of some app
	User        Kind = "user"         // a classic token: all that its account may do
	FineGrained Kind = "fine-grained" // a person's, bounded by Rights
)

// A Token is what a client authenticates with.
type Token struct {
	Value string
	Kind  Kind
	Login string // the workflow token needs none
	// Rights are "read" or "write" by permission, in the words of a workflow
	// file: contents, pull-requests, issues, checks, statuses, actions. What
	// they do not name is refused. A User token has no use for them.
	Rights map[string]string
	// Write and CopilotSeat give the account write permission and a seat.
	Write       bool
	CopilotSeat bool
	Blind       bool // the repository is invisible to it

	hour          time.Time
	points, calls int // used in this hour
}

// AddToken makes a token known, with its account.
func (w *World) AddToken(t Token) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Login == "" {
		t.Login = ActionsBot
	}
	a := Account{Login: t.Login, Seat: t.CopilotSeat}
	if t.Write {
		a.Permission = "write"
	}
	w.addAccount(a)
	n := new(Token)
	*n = t
	w.tokens[t.Value] = n
}

// RemoveToken makes a token invalid, as when it expires.
func (w *World) RemoveToken(value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tokens, value)
}

// Spend uses up requests and points of a token in the current hour, as other
// workflows of the repository do.
func (w *World) Spend(value string, requests, points int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.tokens[value]; t != nil {
		t.turn(w.now)
		t.calls += requests
		t.points += points
	}
}

// integration reports whether the token is an app's, as opposed to a person's.
func (t *Token) integration() bool { return t.Kind == Workflow || t.Kind == App }

// limit is how many requests, and how many points, an hour has.
func (t *Token) limit() int {
	if t.Kind == Workflow {
		return 1000
	}
	return 5000
}

func (t *Token) turn(now time.Time) {
	if h := now.Truncate(time.Hour); !h.Equal(t.hour) {
		t.hour, t.points, t.calls = h, 0, 0
	}
}

// A Request is a line of the server's log.
type Request struct {
	N         int
	At        time.Time
	Method    string
	Path      string // with the query
	Operation string // name of the GraphQL operation
	Fields    []string
	Write     bool // it changed or tried to change the world
	Status    int  // 0: no answer went out
	Login     string
	Token     Kind
	Points    int
	Cut       Fault  // the fault that met it
	Unknown   bool   // no such path
	Effect    string // what it changed, by the keys of the changes
	Errors    string // messages of the GraphQL errors in the answer
	// Expected is the head that a merge, or what arms or queues one, is pinned to;
	// empty where it is pinned to none.
	Expected string
	// Threads are the review threads that a mutation names, as they stood when
	// it arrived.
	Threads []Thread
}

func (r Request) String() string {
	what := r.Path
	if r.Operation != "" || len(r.Fields) > 0 {
		what = fmt.Sprintf("%s %s{%s}", r.Path, r.Operation, strings.Join(r.Fields, " "))
	}
	s := fmt.Sprintf("%d %s %s %d", r.N, r.Method, what, r.Status)
	if r.Effect != "" {
		s += " → " + r.Effect
	}
	return s
}

// Log returns every request that reached the world, in order.
func (w *World) Log() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// Unknown returns the requests for paths that the world does not have. A test
// that sees one is a test of something that is not simulated.
func (w *World) Unknown() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Request
	for _, r := range w.log {
		if r.Unknown {
			out = append(out, r)
		}
	}
	return out
}

// A Fault is what happens to a request.
type Fault int

// The faults. The names say whether the request was processed.
const (
	None Fault = iota
	// Status502: nothing was processed; the body is GitHub's odd JSON.
	Status502
	// Status502After: processed, and yet a 502.
	Status502After
	// SecondaryLimit: 403 without Retry-After; nothing was processed.
	SecondaryLimit
	// SecondaryLimitRetryAfter: 403 with Retry-After: 60.
	SecondaryLimitRetryAfter
	// TooManyRequests: 429 with an empty body.
	TooManyRequests
	// ResetBefore: the connection is reset, nothing was processed.
	ResetBefore
	// ResetAfter: processed, and the answer is lost.
	ResetAfter
	// Dead: nothing was processed, and every later request of that client is
	// refused (a client is one Transport; for sockets: all, until SetFault).
	Dead
	// SecondaryLimit200: GraphQL's other form, an error in an answer of 200;
	// for REST it is SecondaryLimit.
	SecondaryLimit200
)

func (f Fault) String() string {
	return [...]string{
		"none", "502", "502 after", "secondary limit", "secondary limit with retry-after", "429",
		"reset before", "reset after", "dead", "secondary limit in a 200",
	}[f]
}

// SetFault makes f decide, for each request before it is processed, what
// happens to it; nil ends all faults. f may call methods of the world.
func (w *World) SetFault(f func(Request) Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault, w.dead = f, false
}

// reply is an answer on its way out. cut: the connection breaks instead.
type reply struct {
	status int
	header http.Header
	body   []byte
	cut    Fault
}

// call is one request being processed.
type call struct {
	w     *World
	r     *http.Request
	body  []byte
	token *Token
	who   *Account
	line  *Request
	out   reply
}

// serve processes a request: log line, fault, then REST or GraphQL.
func (w *World) serve(r *http.Request, body []byte) reply {
	w.mu.Lock()
	line := Request{
		N: len(w.log) + 1, At: w.now, Method: r.Method, Path: r.URL.RequestURI(),
		Write: r.Method != http.MethodGet && r.Method != http.MethodHead,
	}
	c := &call{w: w, r: r, body: body, out: reply{header: http.Header{}}}
	c.token = w.tokens[bearer(r)]
	if c.token != nil {
		c.who = w.account(c.token.Login)
		line.Login, line.Token = c.who.Login, c.token.Kind
	}
	var q *query
	if isGraphQL(r) {
		q = parseQuery(body, w.opt.Queries)
		line.Operation, line.Fields, line.Write = q.name, q.fields, q.mutation
		if q.mutation {
			line.Threads = w.namedIn(q.variables)
		}
	}
	w.log = append(w.log, line)
	at := len(w.log) - 1
	fault := w.fault
	w.mu.Unlock()

	cut := None
	if fault != nil {
		cut = fault(line)
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	c.line = &w.log[at]
	c.line.Cut = cut
	first := len(w.changes)
	switch cut {
	case ResetBefore, Dead:
		c.out.cut = cut
	case Status502:
		c.badGateway()
	case SecondaryLimit, SecondaryLimitRetryAfter, SecondaryLimit200:
		c.secondary(cut)
	case TooManyRequests:
		c.headers()
		c.out.status = http.StatusTooManyRequests
	case None, ResetAfter, Status502After:
		w.current = line.N
		c.process(q)
		w.current = 0
		if cut == ResetAfter {
			c.out.cut = cut
		}
		if cut == Status502After {
			c.badGateway()
		}
	}
	if c.out.cut == None {
		c.line.Status = c.out.status
	}
	var effects []string
	for _, ch := range w.changes[first:] {
		effects = append(effects, ch.Key)
	}
	c.line.Effect = strings.Join(effects, "; ")
	return c.out
}

// namedIn are the threads whose node ids stand anywhere in the variables of a
// query.
func (w *World) namedIn(v any) []Thread {
	var list []Thread
	switch v := v.(type) {
	case string:
		if t, ok := w.nodes[v].(*Thread); ok {
			seen := *t
			seen.Comments = copies(t.Comments)
			list = append(list, seen)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = append(list, w.namedIn(v[k])...)
		}
	case []any:
		for _, one := range v {
			list = append(list, w.namedIn(one)...)
		}
	}
	return list
}

func isGraphQL(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == "/graphql" || r.URL.Path == "/api/graphql")
}

func bearer(r *http.Request) string {
	kind, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "bearer") && !strings.EqualFold(kind, "token") {
		return ""
	}
	return strings.TrimSpace(value)
}

func (c *call) process(q *query) {
	if c.token == nil {
		c.headers()
		c.fail(http.StatusUnauthorized, "Bad credentials")
		return
	}
	c.token.turn(c.w.now)
	if q != nil {
		c.graphQL(q)
		return
	}
	if c.token.calls >= c.token.limit() {
		c.headers()
		c.fail(http.StatusForbidden, "API rate limit exceeded for installation ID 1.")
		return
	}
	c.token.calls++
	c.headers()
	c.rest()
}

// headers are those that every answer carries.
func (c *call) headers() {
	h := c.out.header
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Date", c.w.now.Format(http.TimeFormat))
	h.Set("Server", "github.com")
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("X-GitHub-Request-Id", fmt.Sprintf("0000:%04X:0000:0000:00000000", c.line.N))
	if c.token == nil {
		return
	}
	used, resource := c.token.calls, "core"
	if isGraphQL(c.r) {
		used, resource = c.token.points, "graphql"
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(c.token.limit()))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, c.token.limit()-used)))
	h.Set("X-RateLimit-Used", strconv.Itoa(used))
	h.Set("X-RateLimit-Resource", resource)
	h.Set("X-RateLimit-Reset", strconv.FormatInt(c.w.now.Truncate(time.Hour).Add(time.Hour).Unix(), 10))
}

// badGateway is GitHub's answer when a query takes too long: "data" is a
// string.
func (c *call) badGateway() {
	c.out = reply{header: http.Header{}}
	c.headers()
	if !isGraphQL(c.r) {
		c.out.header.Set("Content-Type", "text/html")
		c.out.status, c.out.body = http.StatusBadGateway, []byte("<html><head><title>502 Bad Gateway</title></head></html>\n")
		return
	}
	c.json(http.StatusBadGateway, map[string]any{
		"data": "null",
		"errors": []any{map[string]any{
			"message": "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug.",
		}},
	})
}

func (c *call) secondary(f Fault) {
	const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
	c.headers()
	if f == SecondaryLimit200 && isGraphQL(c.r) {
		c.errors(map[string]any{"type": "RATE_LIMITED", "message": message})
		return
	}
	if f == SecondaryLimitRetryAfter {
		c.out.header.Set("Retry-After", "60")
	}
	c.json(http.StatusForbidden, map[string]any{
		"message":           message,
		"documentation_url": "https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#rate-limit-errors",
	})
}

func (c *call) json(status int, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("githubtest: an answer cannot be encoded: %v", err))
	}
	c.out.status, c.out.body = status, bytes.TrimSpace(b.Bytes())
}

// fail answers with GitHub's error object.
func (c *call) fail(status int, message string, errors ...any) {
	v := map[string]any{
		"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status),
	}
	if len(errors) > 0 {
		v["errors"] = errors
	}
	c.json(status, v)
}

// ServeHTTP serves REST at / and GraphQL at /graphql. A reset is a reset: the
// connection is torn down.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	w.mu.Lock()
	dead := w.dead
	w.mu.Unlock()
	if dead {
		tear(rw)
		return
	}
	out := w.serve(r, body)
	if out.cut != None {
		if out.cut == Dead {
			w.mu.Lock()
			w.dead = true
			w.mu.Unlock()
		}
		tear(rw)
		return
	}
	for k, v := range out.header {
		rw.Header()[k] = v
	}
	rw.WriteHeader(out.status)
	_, _ = rw.Write(out.body) // a client that is gone loses its answer
}

// tear breaks the connection without an answer.
func tear(rw http.ResponseWriter) {
	h, ok := rw.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := h.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, not a quiet end
	}
	_ = conn.Close()
}

// Transport returns a client of the world that needs no sockets. Each one is a
// client of its own: after a [Dead] fault it stays dead.
func (w *World) Transport() http.RoundTripper { return &transport{w: w} }

type transport struct {
	w    *World
	dead atomic.Bool
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if t.dead.Load() {
		return nil, refused("dial", syscall.ECONNREFUSED)
	}
	out := t.w.serve(r, body)
	if out.cut != None {
		t.dead.Store(out.cut == Dead)
		return nil, refused("read", syscall.ECONNRESET)
	}
	out.header.Set("Content-Length", strconv.Itoa(len(out.body)))
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", out.status, http.StatusText(out.status)),
		StatusCode: out.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: out.header, Body: io.NopCloser(bytes.NewReader(out.body)), ContentLength: int64(len(out.body)), Request: r,
	}, nil
}

// refused is the error that a broken connection gives.
func refused(op string, errno syscall.Errno) error {
	return &net.OpError{
		Op: op, Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443},
		Err: os.NewSyscallError(map[string]string{"dial": "connect", "read": "read"}[op], errno),
	}
}
