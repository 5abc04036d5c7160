package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	gh "github.com/google/go-github/v62/github"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/fail"
)

// The addresses of github.com, for an Options that names none.
const (
	DefaultAPIURL     = "https://api.github.com/"
	DefaultGraphQLURL = "https://api.github.com/graphql"
)

// Options say which repository is meant and how it is reached.
type Options struct {
	// APIURL and GraphQLURL are GITHUB_API_URL and GITHUB_GRAPHQL_URL; empty
	// means github.com.
	APIURL, GraphQLURL string
	// Token reads and writes. UserToken, where not empty, is a person's and
	// used only for what needs a person's rights; it never reads.
	Token, UserToken string
	Owner, Repo      string
	// Transport carries the requests; nil is the network.
	Transport http.RoundTripper
	// Backoff says how long to wait before the given retry, counted from 1;
	// nil waits as long as GitHub asks, else 1, 2 and 4 seconds. The response
	// is nil where there was none.
	Backoff func(attempt int, resp *http.Response) time.Duration
	// Trace gets every request, each attempt by itself.
	Trace func(Call)
}

// A Call is one request as the debug log shows it: never a header, never a
// body.
type Call struct {
	Method string // GET, POST …; "query" or "mutation" for GraphQL
	Path   string // REST: the path, escaped, without its query; GraphQL: the operation
	Status int    // 0: there was no answer
	Points int    // what GraphQL counted it as; 0 for REST
	Write  bool
	As     Identity
}

// Counts is what a client has used up so far. Requests counts every attempt
// that reached the transport, Writes those that may change something.
type Counts struct {
	Requests, Writes, Points int
}

// An Identity is whose token a request carries.
type Identity int

// The two identities. Reads are always the workflow's.
const (
	Workflow Identity = iota
	User
)

// String is the name of the input that the token came from.
func (i Identity) String() string {
	if i == User {
		return "user-token"
	}
	return "github-token"
}

// A Client speaks with one repository on GitHub. It is safe for concurrent
// use.
type Client struct {
	owner, name string
	rest        *gh.Client
	graph       *githubv4.Client
	door        *door
	issues      sync.Map // the numbers that were read as issues
}

// patience is how long a run waits for rate limits, all waits together.
// A longer wait is a reason to stop and come back (case C164).
const patience = 60 * time.Second

// retries is how often a read is repeated.
const retries = 3

// maxBody bounds an answer; GitHub's largest are a few megabytes.
const maxBody = 64 << 20

// New returns a client over one stack of transports, from the top: the door
// (reads or writes, errors with a name), the retries of go-retryablehttp, and
// the wire (token, clock, counts, GitHub's errors).
//
// Reads are repeated up to three times when GitHub answers 500 or more or the
// connection breaks. A write is never repeated: after a break nobody knows
// whether it was carried out, and only a look tells. A request is a read if it
// is a GET or HEAD, or a GraphQL query; everything else is a write.
//
// The error, if any, is a *fail.Error.
func New(o Options) (*Client, error) {
	if o.Token == "" {
		return nil, &fail.Error{
			What: "There is no token to speak with GitHub",
			Why:  `the input "github-token" is empty`,
			Fix:  "Leave the input out, or set it to `${{ github.token }}`",
		}
	}
	if !named.MatchString(o.Owner) || !named.MatchString(o.Repo) || strings.Trim(o.Owner, ".") == "" || strings.Trim(o.Repo, ".") == "" {
		return nil, &fail.Error{
			What: "The repository is not named as one",
			Why:  fmt.Sprintf("GITHUB_REPOSITORY is %q", o.Owner+"/"+o.Repo),
			Fix:  "Set GITHUB_REPOSITORY to owner/name; the runner does",
		}
	}
	api, err := parseURL("GITHUB_API_URL", o.APIURL, DefaultAPIURL)
	if err != nil {
		return nil, err
	}
	graph, err := parseURL("GITHUB_GRAPHQL_URL", o.GraphQLURL, DefaultGraphQLURL)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(api.Path, "/") {
		api.Path += "/" // go-github resolves relative to it
	}
	w := &wire{
		base:   o.Transport,
		tokens: [...]string{Workflow: o.Token, User: o.UserToken},
		home:   map[string]bool{origin(api): true, origin(graph): true},
		graph:  graph.String(),
		trace:  o.Trace,
	}
	if w.base == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = 30 * time.Second // GitHub itself gives up after 10
		w.base = t
	}
	d := &door{wire: w, backoff: o.Backoff}
	d.next = &retryablehttp.RoundTripper{Client: &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: w, CheckRedirect: w.redirect},
		RetryMax:     retries,
		CheckRetry:   d.again,
		Backoff:      d.pause,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}}
	hc := &http.Client{
		Transport: d,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the wire's client has followed what may be followed
		},
	}
	c := &Client{owner: o.Owner, name: o.Repo, door: d}
	c.rest = gh.NewClient(hc)
	c.rest.BaseURL = api
	c.rest.UserAgent = "prloop"
	c.graph = githubv4.NewEnterpriseClient(graph.String(), hc)
	return c, nil
}

// named is what an owner or a repository can be called: the names go into
// addresses as they are.
var named = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

func parseURL(name, value, standard string) (*url.URL, error) {
	if value == "" {
		value = standard
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, &fail.Error{
			What: "The address of GitHub is not one",
			Why:  fmt.Sprintf("%s is %q", name, value),
			Fix:  fmt.Sprintf("Unset %s, or set it to an address such as %q", name, standard),
		}
	}
	return u, nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// Now is GitHub's clock: the newest Date header that any answer brought, to
// the second; zero before the first answer.
func (c *Client) Now() time.Time { return c.door.wire.clock() }

// Counts returns what the client has used up so far.
func (c *Client) Counts() Counts {
	c.door.wire.mu.Lock()
	defer c.door.wire.mu.Unlock()
	return c.door.wire.counts
}

// Spare reports whether more than half of each rate limit that the client met is
// still left, of what was left when it began: the other half is for what else
// the token is needed for in this hour (design 9).
func (c *Client) Spare() bool {
	w := c.door.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	for kind, n := range w.left {
		if n <= w.began[kind]/2 {
			return false
		}
	}
	return true
}

// HasUser reports whether there is a person's token.
func (c *Client) HasUser() bool { return c.door.wire.tokens[User] != "" }

// ask asks GraphQL. It fills q as far as GitHub answered and returns every
// error that came with the answer, type and path included, which githubv4
// loses. err is nil once there is any data at all: which fact an error spoils
// is the caller's to say. It is ErrUnavailable, *RateLimited, *Denied or
// *Refused. x says how to ask and tells afterwards what came of it.
func (c *Client) ask(ctx context.Context, x *exchange, q any, vars map[string]any) ([]GraphQLError, error) {
	x.operation = operation(reflect.TypeOf(q))
	x.graph = true
	x.personal = ctx.Value(personalKey{}) != nil
	err := c.graph.Query(context.WithValue(ctx, exchangeKey{}, x), q, vars)
	if x.data && x.status == http.StatusOK && x.limited == nil && !undecoded(err, x.errors) {
		return x.errors, nil
	}
	return x.errors, x.failure(err)
}

// mutate changes something through GraphQL as the given identity. Unlike with
// ask, any error in the answer is an error: *Denied, *Refused (GitHub's type
// tells which), *RateLimited, or ErrUncertain where the answer was lost.
func (c *Client) mutate(ctx context.Context, m any, input githubv4.Input, who Identity) ([]GraphQLError, error) {
	name := strings.TrimSuffix(reflect.TypeOf(input).Name(), "Input")
	x := &exchange{graph: true, write: true, operation: lowerFirst(name)}
	err := c.graph.Mutate(context.WithValue(as(ctx, who), exchangeKey{}, x), m, input, nil)
	if err == nil && x.data && len(x.errors) == 0 {
		return nil, nil
	}
	return x.errors, x.failure(err)
}

// as returns a context whose requests carry the token of who.
func as(ctx context.Context, who Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, who)
}

// personally returns a context in which [Client.ask] reads with the person's
// token. Only what nobody else sees is read so (a pending review): a
// fine-grained token cannot read all that a decision needs (design 10).
func personally(ctx context.Context) context.Context {
	return context.WithValue(as(ctx, User), personalKey{}, true)
}

// Until returns a context whose writes are sent only before t, by GitHub's
// clock as far as it was heard ([Client.Now]). One that comes later is not
// sent, and its error is ErrPast. Reads pass.
func Until(ctx context.Context, t time.Time) context.Context {
	return context.WithValue(ctx, untilKey{}, t)
}

func identityOf(ctx context.Context) Identity {
	who, _ := ctx.Value(identityKey{}).(Identity)
	return who
}

// wait waits out a rate limit, if the run has patience left for it, and
// reports whether it did. Whoever writes calls it before looking again: the
// client itself never repeats a write.
func (c *Client) wait(ctx context.Context, limit *RateLimited) bool {
	if !c.door.wire.spend(limit.wait) {
		return false
	}
	return sleep(ctx, c.door.delay(1, limit.resp, limit.wait))
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// operation names a query by the Go type of its answer.
func operation(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return lowerFirst(t.Name())
}

func lowerFirst(s string) string {
	for i, r := range s {
		return string(unicode.ToLower(r)) + s[i+len(string(r)):]
	}
	return s
}

type (
	exchangeKey struct{}
	identityKey struct{}
	personalKey struct{}
	untilKey    struct{}
)

// An exchange is what is known of one call: what the caller says of it, and
// what came back on the last attempt. It travels in the request's context.
type exchange struct {
	graph     bool
	write     bool
	personal  bool // a read with the person's token
	operation string
	// shrinks: the caller asks for less after a 502 or 504, so the same
	// request is not repeated.
	shrinks bool

	status  int
	data    bool // GraphQL: there is a data object
	errors  []GraphQLError
	message string // REST: the message of a refusal
	limited *RateLimited
	// broken: the answer cannot be read as one, for instance "data": "null"
	// (case C159). It counts as a 502.
	broken bool
}

func (x *exchange) tooBig() bool {
	return x.status == http.StatusBadGateway || x.status == http.StatusGatewayTimeout || x.broken
}

func (x *exchange) weather() bool {
	return x.broken || x.status >= http.StatusInternalServerError
}

// A door is the upper transport: it knows reads from writes, repeats reads,
// and turns what is left into errors that callers can tell apart.
type door struct {
	wire    *wire
	next    http.RoundTripper
	backoff func(int, *http.Response) time.Duration
}

// RoundTrip returns ErrUnavailable, *RateLimited, ErrUncertain (wrapped) or
// ErrPast, or an answer. Every other refusal is an answer.
func (d *door) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		x = &exchange{
			graph: req.URL.String() == d.wire.graph,
			write: req.Method != http.MethodGet && req.Method != http.MethodHead,
		}
		req = req.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	}
	if until, ok := ctx.Value(untilKey{}).(time.Time); ok && x.write && !d.wire.clock().Before(until) {
		return nil, ErrPast
	}
	resp, err := d.next.RoundTrip(req)
	switch {
	case ctx.Err() != nil:
		discard(resp)
		return nil, ctx.Err()
	case x.limited != nil:
		discard(resp)
		return nil, x.limited
	case x.write && (err != nil || x.weather()):
		if resp != nil {
			return resp, nil // whoever wrote may want to read what it says
		}
		return nil, fmt.Errorf("%w: %w", ErrUncertain, err)
	case err != nil:
		discard(resp)
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case x.weather():
		discard(resp)
		return nil, fmt.Errorf("%w: it answers %d", ErrUnavailable, x.status)
	}
	return resp, nil
}

func discard(resp *http.Response) {
	if resp != nil {
		_ = resp.Body.Close()
	}
}

// again decides on a retry (retryablehttp.CheckRetry).
func (d *door) again(ctx context.Context, _ *http.Response, err error) (bool, error) {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case x == nil || x.write:
		return false, err
	case errors.Is(err, errStranger):
		return false, err
	case err != nil:
		return true, nil
	case x.limited != nil:
		return d.wire.spend(x.limited.wait), nil
	case x.shrinks && x.tooBig():
		return false, nil
	}
	return x.weather(), nil
}

// pause is how long to wait before a retry (retryablehttp.Backoff).
func (d *door) pause(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := time.Second << attempt
	if resp != nil {
		if x, ok := resp.Request.Context().Value(exchangeKey{}).(*exchange); ok && x.limited != nil {
			wait = x.limited.wait
		}
	}
	return d.delay(attempt+1, resp, wait)
}

func (d *door) delay(attempt int, resp *http.Response, wait time.Duration) time.Duration {
	if d.backoff != nil {
		return d.backoff(attempt, resp)
	}
	return wait
}

// errStranger is a redirect away from the GitHub that the token is for.
var errStranger = errors.New("GitHub sends the request to another host")

// A wire is the lower transport: one RoundTrip is one request on the network.
type wire struct {
	base   http.RoundTripper
	tokens [2]string
	home   map[string]bool // the origins that may see a token
	graph  string          // the GraphQL address
	trace  func(Call)

	mu     sync.Mutex
	now    time.Time
	counts Counts
	waited time.Duration
	left   map[string]int // by the kind of limit, as the newest answer said
	began  map[string]int // as the first one said
}

// redirect follows a read, as for a repository that was renamed; RoundTrip sees
// to it that it stays within GitHub.
func (w *wire) redirect(req *http.Request, via []*http.Request) error {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	switch {
	case x == nil || x.write || x.graph:
		return http.ErrUseLastResponse
	case len(via) >= 5:
		return errors.New("GitHub sends the request in a circle")
	}
	return nil
}

// spend takes wait from what is left of the run's patience, or reports false.
func (w *wire) spend(wait time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waited+wait > patience {
		return false
	}
	w.waited += wait
	return true
}

func (w *wire) RoundTrip(in *http.Request) (*http.Response, error) {
	x, ok := in.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a request has come around the door")
	}
	if !w.home[origin(in.URL)] {
		return nil, errStranger
	}
	who := identityOf(in.Context())
	if !x.write && !x.personal {
		who = Workflow
	}
	req := in.Clone(in.Context())
	req.Header.Set("Authorization", "Bearer "+w.tokens[who])
	req.Header.Set("User-Agent", "prloop")

	resp, err := w.base.RoundTrip(req)
	var body []byte
	if err == nil {
		resp.Request = req
		body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
		_ = resp.Body.Close()
		if err == nil && len(body) > maxBody {
			err = fmt.Errorf("the answer is larger than %d bytes", maxBody)
		}
	}
	*x = exchange{graph: x.graph, write: x.write, personal: x.personal, operation: x.operation, shrinks: x.shrinks}
	points := 0
	if err == nil {
		points = x.read(resp, body, w.tick(resp))
	}
	w.count(x, points)
	if who == Workflow && err == nil {
		w.meter(resp.Header)
	}
	w.tell(req, x, who, points)
	if err != nil {
		return nil, err
	}
	// go-github refuses to send on its own when these say that nothing is left,
	// by the runner's clock; the limits are ours to judge.
	resp.Header = resp.Header.Clone()
	for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Ratelimit-Used"} {
		resp.Header.Del(name)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp, nil
}

// clock is the newest Date that any answer brought.
func (w *wire) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// tick moves the clock to the answer's Date, never back, and returns it.
func (w *wire) tick(resp *http.Response) time.Time {
	date, err := http.ParseTime(resp.Header.Get("Date"))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && date.After(w.now) {
		w.now = date.UTC()
	}
	return w.now
}

func (w *wire) count(x *exchange, points int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Requests++
	w.counts.Points += points
	if x.write {
		w.counts.Writes++
	}
}

// meter notes what a rate limit has left. What a clock hour gives back counts as
// a beginning anew.
func (w *wire) meter(h http.Header) {
	n, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining"))
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == nil {
		w.left, w.began = map[string]int{}, map[string]int{}
	}
	kind := h.Get("X-Ratelimit-Resource")
	w.began[kind], w.left[kind] = max(w.began[kind], n), n
}

func (w *wire) tell(req *http.Request, x *exchange, who Identity, points int) {
	if w.trace == nil {
		return
	}
	call := Call{Method: req.Method, Path: req.URL.EscapedPath(), Status: x.status, Points: points, Write: x.write, As: who}
	if x.graph && x.operation != "" {
		call.Method, call.Path = "query", x.operation
		if x.write {
			call.Method = "mutation"
		}
	}
	w.trace(call)
}

// read notes what the answer says and returns the points that it cost.
func (x *exchange) read(resp *http.Response, body []byte, now time.Time) (points int) {
	x.status = resp.StatusCode
	if x.graph {
		points = x.readGraph(body)
	} else if resp.StatusCode >= 400 {
		var refusal struct{ Message string }
		if json.Unmarshal(body, &refusal) == nil {
			x.message = refusal.Message
		}
	}
	if wait, ok := x.limit(resp.Header, now); ok {
		x.limited = &RateLimited{Until: now.Add(wait), Message: x.words(), wait: wait, resp: resp}
		x.broken = false
	}
	return points
}

func (x *exchange) readGraph(body []byte) (points int) {
	var answer struct {
		Data    json.RawMessage
		Message string
		Errors  []struct {
			Type       string
			Message    string
			Path       []any
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		x.broken = x.status == http.StatusOK
		return 1
	}
	x.message = answer.Message
	nameless := true
	for _, e := range answer.Errors {
		g := GraphQLError{Type: e.Type, Message: e.Message}
		if g.Type == "" {
			g.Type = e.Extensions.Code
		}
		for _, step := range e.Path {
			switch step := step.(type) {
			case string:
				g.Path = append(g.Path, step)
			case float64:
				g.Path = append(g.Path, strconv.Itoa(int(step)))
			}
		}
		nameless = nameless && g.Type == ""
		x.errors = append(x.errors, g)
	}
	data := bytes.TrimSpace(answer.Data)
	x.data = len(data) > 0 && data[0] == '{'
	if x.status == http.StatusOK && !x.data {
		// Without data and without a reason it is the time-out page in
		// another dress.
		x.broken = nameless || len(data) > 0 && string(data) != "null"
	}
	var cost struct{ RateLimit struct{ Cost int } }
	if x.data && json.Unmarshal(data, &cost) == nil && cost.RateLimit.Cost > 0 {
		return cost.RateLimit.Cost
	}
	return 1
}

// limit reports whether the answer is a rate limit, and how long GitHub asks
// to wait: by any one of the signs, because each is missing somewhere (cases
// C164 and C165,
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
func (x *exchange) limit(h http.Header, now time.Time) (time.Duration, bool) {
	spent := h.Get("X-Ratelimit-Remaining") == "0"
	after := h.Get("Retry-After")
	limited := false
	switch x.status {
	case http.StatusTooManyRequests:
		limited = true
	case http.StatusForbidden:
		limited = after != "" || spent || saysLimit(x.message)
	}
	for _, e := range x.errors {
		limited = limited || e.Type == "RATE_LIMITED" || e.Type == "" && saysLimit(e.Message)
	}
	if !limited {
		return 0, false
	}
	if s, err := strconv.Atoi(after); err == nil && s >= 0 {
		return max(time.Duration(min(s, 24*3600))*time.Second, time.Second), true
	}
	if t, err := http.ParseTime(after); err == nil {
		return max(t.Sub(now), time.Second), true
	}
	if s, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil && spent {
		return max(time.Unix(s, 0).Sub(now), time.Second), true
	}
	return time.Minute, true // "wait for at least one minute"
}

func saysLimit(message string) bool {
	return strings.Contains(strings.ToLower(message), "rate limit")
}

// words is what GitHub said, for quoting.
func (x *exchange) words() string {
	if len(x.errors) > 0 {
		return x.errors[0].Message
	}
	return x.message
}

// failure is the error of a GraphQL call that brought nothing of use.
func (x *exchange) failure(err error) error {
	switch {
	case x.limited != nil:
		return x.limited
	case x.write && x.weather():
		return fmt.Errorf("%w: it answers %d", ErrUncertain, x.status)
	case x.status == 0 || x.weather():
		return err // from the door
	case x.status == http.StatusForbidden:
		return &Denied{Message: x.words()}
	case x.status != http.StatusOK:
		return &Refused{Status: x.status, Message: x.words()}
	}
	for _, e := range x.errors {
		if e.denied() {
			return &Denied{Message: e.Message}
		}
	}
	if len(x.errors) > 0 {
		return &Refused{Status: x.status, Type: x.errors[0].Type, Message: x.errors[0].Message}
	}
	return fmt.Errorf("read GitHub's answer: %w", err)
}

// undecoded reports whether err is githubv4's own trouble with an answer, and
// not the first of the errors that came with it.
func undecoded(err error, errs []GraphQLError) bool {
	return err != nil && (len(errs) == 0 || err.Error() != errs[0].Message)
}
