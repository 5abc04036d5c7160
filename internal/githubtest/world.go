package githubtest

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// The bots that every repository knows.
const (
	CopilotReviewer = "copilot-pull-request-reviewer[bot]"
	CopilotAgent    = "copilot-swe-agent[bot]"
	ActionsBot      = "github-actions[bot]"
)

// Options say what kind of repository the world has. The zero value of each
// field is a usable default.
type Options struct {
	Owner, Repo   string    // default octo/demo
	DefaultBranch string    // default main
	Now           time.Time // default 2026-11-30 09:00 UTC
	IssuesOff     bool      // issues are switched off
	Public        bool      // what isPrivate says; rights are enforced either way
	AutoMergeOff  bool      // "Allow auto-merge" is not ticked
	// Enterprise is a GitHub Enterprise Server: the dedicated Copilot endpoint
	// answers 404, and requestReviewsByLogin does not exist.
	Enterprise bool
	// Queries keeps parsed queries from one world to the next; nil keeps none.
	Queries *Queries
}

// An Account is a person or a bot.
type Account struct {
	Login string // a bot ends in "[bot]"
	ID    int64  // 0: the next free one
	// Permission on the repository: admin, maintain, write, triage, read or
	// none. The default is read for a person and none for a bot.
	Permission string
	Seat       bool // has Copilot code review

	nodeID string
	viewer bool // a copy that speaks for the token itself
}

// Bot reports whether the account is an app's.
func (a *Account) Bot() bool { return strings.HasSuffix(a.Login, "[bot]") }

// slug is the login as GraphQL spells it.
func (a *Account) slug() string { return strings.TrimSuffix(a.Login, "[bot]") }

// World is a repository with everything around it. Its methods may be called
// from several goroutines.
type World struct {
	mu   sync.Mutex
	opt  Options
	now  time.Time
	due  []timer
	seq  int64
	last map[string]int64 // counters of ids by kind

	accounts map[string]*Account // by key
	tokens   map[string]*Token
	files    map[string]string // of the default branch, by path
	rules    map[string]Rules  // by branch
	branches map[string]string // oid of each branch that is no head
	commits  map[string]*Commit
	runs     map[int64]*WorkflowRun
	issues   map[int]*Issue
	pulls    map[int]*Pull
	numbers  []int          // of the pull requests, ascending
	number   int            // last number given to an issue or pull request
	nodes    map[string]any // by node id

	reviewers map[string]Reviewer // by account key
	checks    []ScriptedCheck
	rungs     map[rungKey][]Does
	merges    []string             // refusals that the next merges get
	refuses   string               // what refuses every merge
	failing   map[string]*gqlError // by "Type.field"
	noReverts string               // why a revert is refused

	log     []Request
	changes []Change
	current int // request that is being processed; 0 for actors
	fault   func(Request) Fault
	dead    bool // a Dead fault hit a socket client
}

// New returns a world with an empty repository.
func New(o Options) *World {
	o.Owner = cmp.Or(o.Owner, "octo")
	o.Repo = cmp.Or(o.Repo, "demo")
	o.DefaultBranch = cmp.Or(o.DefaultBranch, "main")
	if o.Now.IsZero() {
		o.Now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	}
	w := &World{
		opt: o, now: o.Now.UTC().Truncate(time.Second),
		last:     map[string]int64{},
		accounts: map[string]*Account{}, tokens: map[string]*Token{},
		files: map[string]string{}, rules: map[string]Rules{}, branches: map[string]string{},
		commits: map[string]*Commit{}, runs: map[int64]*WorkflowRun{},
		issues: map[int]*Issue{}, pulls: map[int]*Pull{}, nodes: map[string]any{},
		reviewers: map[string]Reviewer{}, rungs: map[rungKey][]Does{}, failing: map[string]*gqlError{},
	}
	for _, a := range []Account{
		{Login: CopilotReviewer, ID: 175728472, nodeID: "BOT_kgDOCnlnWA"},
		{Login: CopilotAgent, ID: 198982749, nodeID: "BOT_kgDOC9w8XQ", Permission: "write"},
		{Login: ActionsBot, ID: 41898282, nodeID: "MDM6Qm90NDE4OTgyODI=", Permission: "write"},
		{Login: o.Owner, Permission: "admin"},
	} {
		w.addAccount(a)
	}
	w.branches[o.DefaultBranch] = w.commit("", "Initial commit").OID
	return w
}

// Now returns the simulated time.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// A timer is something that happens at a time.
type timer struct {
	at   time.Time
	seq  int64
	name string
	run  func() // called without the lock
}

// Advance moves the clock by d. What falls due on the way happens in time
// order, each at its own time.
func (w *World) Advance(d time.Duration) {
	w.mu.Lock()
	end := w.now.Add(d)
	for len(w.due) > 0 && !w.due[0].at.After(end) {
		t := w.due[0]
		w.due = w.due[1:]
		if t.at.After(w.now) {
			w.now = t.at
		}
		w.mu.Unlock()
		t.run()
		w.mu.Lock()
	}
	if end.After(w.now) {
		w.now = end
	}
	w.mu.Unlock()
}

// NextDue returns when the next scripted thing happens, and whether there is
// any.
func (w *World) NextDue() (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.due) == 0 {
		return time.Time{}, false
	}
	return w.due[0].at, true
}

// Due returns the names of what is scheduled, in time order.
func (w *World) Due() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var names []string
	for _, t := range w.due {
		names = append(names, t.name)
	}
	return names
}

// At schedules f for d from now; name says what it is.
func (w *World) At(d time.Duration, name string, f func(*World)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.schedule(d, name, func() { f(w) })
}

func (w *World) schedule(d time.Duration, name string, run func()) {
	w.seq++
	t := timer{at: w.now.Add(d), seq: w.seq, name: name, run: run}
	i, _ := slices.BinarySearchFunc(w.due, t, func(a, b timer) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq))
	})
	w.due = slices.Insert(w.due, i, t)
}

// later schedules f with the lock held.
func (w *World) later(d time.Duration, name string, f func()) {
	w.schedule(d, name, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		f()
	})
}

// firstID is where the ids of a kind start: about where GitHub's are today.
// Those of reviews, review comments and check runs do not fit into 32 bits.
func firstID(kind string) int64 {
	return map[string]int64{
		"account": 9000, "comment": 2400000000, "reaction": 310000000, "review": 3500000000,
		"reviewComment": 2900000000, "checkRun": 57000000000, "suite": 48000000000,
		"run": 19000000000, "workflow": 120000000, "event": 21000000000, "pull": 2600000000,
		"issue": 3600000000, "status": 38000000000,
	}[kind]
}

func (w *World) id(kind string) int64 {
	w.last[kind]++
	return firstID(kind) + w.last[kind]
}

// node registers v under a new node id with GitHub's prefix for its kind.
func (w *World) node(prefix string, v any) string {
	w.last["node "+prefix]++
	id := fmt.Sprintf("%s_kwDOAA%06d", prefix, w.last["node "+prefix])
	w.nodes[id] = v
	return id
}

// sha makes the next commit id; it depends on the repository and on how many
// came before.
func (w *World) sha(what string) string {
	w.last["sha"]++
	sum := sha1.Sum(fmt.Appendf(nil, "%s/%s %s %d", w.opt.Owner, w.opt.Repo, what, w.last["sha"]))
	return hex.EncodeToString(sum[:])
}

// key is how accounts are found: GitHub's logins ignore case. A person and a
// bot may have the same name; the suffix keeps them apart.
func key(login string) string { return strings.ToLower(strings.TrimSpace(login)) }

// AddAccount adds an account, or changes the one of that login.
func (w *World) AddAccount(a Account) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addAccount(a)
}

func (w *World) addAccount(a Account) *Account {
	if old := w.accounts[key(a.Login)]; old != nil {
		old.Permission = cmp.Or(a.Permission, old.Permission)
		old.ID = cmp.Or(a.ID, old.ID)
		old.Seat = old.Seat || a.Seat
		return old
	}
	n := new(Account)
	*n = a
	if n.ID == 0 {
		n.ID = w.id("account")
	}
	if n.Permission == "" {
		n.Permission = "read"
		if n.Bot() {
			n.Permission = "none"
		}
	}
	if n.nodeID == "" {
		prefix := "U"
		if n.Bot() {
			prefix = "BOT"
		}
		n.nodeID = w.node(prefix, n)
	} else {
		w.nodes[n.nodeID] = n
	}
	w.accounts[key(n.Login)] = n
	return n
}

// account returns the account of login, made on first mention. It returns nil
// for a ghost.
func (w *World) account(login string) *Account {
	if login == "" {
		return nil
	}
	if a := w.accounts[key(login)]; a != nil {
		return a
	}
	return w.addAccount(Account{Login: login})
}

// rank orders permissions.
func rank(permission string) int {
	return slices.Index([]string{"none", "read", "triage", "write", "maintain", "admin"}, permission)
}

func (w *World) canPush(login string) bool {
	a := w.account(login)
	return a != nil && rank(a.Permission) >= rank("write")
}

// SetFile puts a file on the default branch; an empty text removes it.
func (w *World) SetFile(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text == "" {
		delete(w.files, path)
		return
	}
	w.files[path] = text
}

// Rules are what a branch demands: the classic protection and the rulesets.
type Rules struct {
	Contexts         []string // classic protection: required status checks
	Checks           []string // ruleset rule required_status_checks
	Workflows        []string // ruleset rule workflows: paths
	Strict           bool     // branches must be up to date
	Approvals        int
	ThreadResolution bool
	MergeQueue       bool
	// Copilot is the ruleset rule copilot_code_review; nil: there is none.
	Copilot *CopilotRule
}

// CopilotRule is the ruleset rule that asks Copilot by itself.
type CopilotRule struct {
	OnPush bool // at every push, not only when the pull request opens
	Drafts bool
}

// SetRules sets the rules of a branch; an empty name is the default branch.
func (w *World) SetRules(branch string, r Rules) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules[cmp.Or(branch, w.opt.DefaultBranch)] = r
}

// A Change is one thing that became different, by whom. Key names what makes
// it the same change: two of one key are one thing done twice.
type Change struct {
	Request int // number of the request; 0: an actor of the script
	At      time.Time
	By      string
	What    string // review_requested, comment_created, reaction_added, …
	Number  int    // of the pull request or issue
	Key     string
	Text    string // body of a comment or issue, where there is one
}

func (c Change) String() string {
	by := cmp.Or(c.By, "ghost")
	return fmt.Sprintf("%s by %s", c.Key, by)
}

// Changes returns what changed, in order.
func (w *World) Changes() []Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.changes)
}

// changed notes a change. what is its kind, target the rest of its key.
func (w *World) changed(by, what string, number int, target, text string) {
	k := what
	if target != "" {
		k += " " + target
	}
	if number > 0 {
		k += fmt.Sprintf(" on #%d", number)
	}
	w.changes = append(w.changes, Change{
		Request: w.current, At: w.now, By: by, What: what, Number: number, Key: k, Text: text,
	})
}

// blobOID is the id that git gives a file.
func blobOID(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return hex.EncodeToString(sum[:])
}

func short(oid string) string {
	if len(oid) < 7 {
		return oid
	}
	return oid[:7]
}
