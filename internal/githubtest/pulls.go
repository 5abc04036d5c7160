package githubtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PR is a pull request to open. The zero value of a field takes what the
// comment says.
type PR struct {
	Number   int    // the next free one
	Title    string // "Change N"
	Body     string
	Author   string // mona
	HeadRef  string // "branch-N"
	Head     string // a new commit
	HeadRepo string // "owner/name" of a fork; the repository itself
	HeadGone bool   // the fork was deleted
	Base     string // the default branch
	Draft    bool
	Labels   []string
	Closes   []int // issues that its text says it closes
	Empty    bool  // its first commit changes no file, as the coding agent's does
}

// Pull is a pull request as it stands. What [World.Pull] returns is a copy.
type Pull struct {
	ID         string
	DatabaseID int64
	Number     int
	Title      string
	Body       string
	Author     string
	State      string // OPEN, CLOSED, MERGED
	Draft      bool
	Locked     bool
	HeadRef    string
	Head       string
	HeadRepo   string // empty: gone
	Base       string
	Labels     []string
	Closes     []int // issues
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ClosedAt   time.Time
	MergedAt   time.Time
	MergedBy   string
	// MergeCommit is the commit on the base branch, once merged.
	MergeCommit string

	// Mergeable, MergeState and ReviewDecision are what GitHub says instead
	// of what it would derive; empty: derived. Any string will do, also one
	// that today's schema does not have.
	Mergeable, MergeState, ReviewDecision string
	Behind                                bool // the base has moved on
	Conflict                              bool
	AutoMerge                             *AutoMerge
	Queued                                bool // in the merge queue
	HeadDeleted                           bool // its head branch is no more

	Comments []*Comment
	Reviews  []*Review
	Threads  []*Thread
	Requests []string // who is asked for a review
	Events   []*Event
	Commits  []string // oldest first

	empty   bool
	rebased []string       // the commits on the base that a rebase made
	asks    map[string]int // how often each reviewer was asked
	rounds  map[string]int // how many reviews each reviewer began
}

// AutoMerge is an armed merge.
type AutoMerge struct {
	At     time.Time
	By     string
	Method string
}

// An Issue is an issue of the repository.
type Issue struct {
	ID         string
	DatabaseID int64
	Number     int
	Title      string
	Body       string
	Author     string
	State      string // OPEN, CLOSED
	Labels     []string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ClosedAt   time.Time
	Editor     string
	EditedAt   time.Time
	Comments   []*Comment
}

// A Comment is a comment on the conversation of a pull request or issue.
type Comment struct {
	ID         string
	DatabaseID int64
	Author     string
	Body       string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	EditedAt   time.Time // zero: never edited
	Editor     string
	Hidden     string // why it was minimised: outdated, resolved, …
	Reactions  []*Reaction

	number int // where it stands
}

// A Reaction is an emoji under a comment. GitHub has one per account, content
// and comment.
type Reaction struct {
	ID         string
	DatabaseID int64
	By         string
	Content    string // as REST spells it: eyes, +1, …
	CreatedAt  time.Time
}

// A Review is a review of one commit.
type Review struct {
	ID          string
	DatabaseID  int64
	Author      string
	State       string // PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
	Commit      string
	Body        string
	CreatedAt   time.Time
	SubmittedAt time.Time // zero while pending
	Hidden      string
	Reactions   []*Reaction

	pull *Pull
}

// A Thread is a review thread.
type Thread struct {
	ID           string
	Path         string
	Line         int // 0: about the file, or outdated
	OriginalLine int
	FileLevel    bool
	Outdated     bool
	Resolved     bool
	ResolvedBy   string
	Comments     []*ThreadComment

	code string
	pull *Pull
}

// A ThreadComment is a comment of a review thread.
type ThreadComment struct {
	ID         string
	DatabaseID int64
	Author     string
	Body       string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	EditedAt   time.Time
	Editor     string
	Hidden     string
	Reactions  []*Reaction

	thread *Thread
	review *Review
	commit string
}

// An Event is an entry of the timeline.
type Event struct {
	ID         string
	DatabaseID int64
	Kind       string // as REST spells it
	At         time.Time
	Actor      string
	Reviewer   string // review_requested, review_request_removed
	Label      string // labeled, unlabeled
	Before     string // head_ref_force_pushed
	Commit     string // head_ref_force_pushed, merged, committed
	Note       string // review_dismissed: the message; auto_merge_disabled: why
	Was        string // review_dismissed: the state before; base_ref_changed: the old branch

	comment *Comment // commented
	review  *Review  // reviewed, review_dismissed
	pull    *Pull
}

// Pull returns a copy of pull request n; it panics where there is none, since
// a script that names one wrongly is a mistake of its own.
func (w *World) Pull(n int) Pull {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := *w.pull(n)
	p.Labels, p.Requests, p.Commits = slices.Clone(p.Labels), slices.Clone(p.Requests), slices.Clone(p.Commits)
	p.Comments = copies(p.Comments)
	for _, c := range p.Comments {
		c.Reactions = copies(c.Reactions)
	}
	p.Reviews, p.Events = copies(p.Reviews), copies(p.Events)
	p.Threads = copies(p.Threads)
	for _, t := range p.Threads {
		t.Comments = copies(t.Comments)
	}
	return p
}

// Pulls returns the numbers of all pull requests, ascending.
func (w *World) Pulls() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.numbers)
}

// Issue returns a copy of issue n, and whether there is one.
func (w *World) Issue(n int) (Issue, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.issues[n]
	if i == nil {
		return Issue{}, false
	}
	c := *i
	c.Labels, c.Comments = slices.Clone(c.Labels), copies(c.Comments)
	return c, true
}

// Issues returns the numbers of all issues, ascending.
func (w *World) Issues() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ns []int
	for n := range w.issues {
		ns = append(ns, n)
	}
	slices.Sort(ns)
	return ns
}

func copies[T any](list []*T) []*T {
	out := make([]*T, len(list))
	for i, v := range list {
		c := *v
		out[i] = &c
	}
	return out
}

func (w *World) pull(n int) *Pull {
	p := w.pulls[n]
	if p == nil {
		panic(fmt.Sprintf("githubtest: there is no pull request #%d", n))
	}
	return p
}

// OpenPR opens a pull request and returns its number. Scripted checks begin on
// its head, and Copilot is asked where a rule says so.
func (w *World) OpenPR(o PR) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.openPR(o)
}

func (w *World) openPR(o PR) int {
	if o.Number == 0 {
		o.Number = w.number + 1
	}
	w.number = max(w.number, o.Number)
	author := w.account(cmp.Or(o.Author, "mona")).Login
	p := &Pull{
		DatabaseID: w.id("pull"), Number: o.Number,
		Title: cmp.Or(o.Title, fmt.Sprintf("Change %d", o.Number)), Body: o.Body,
		Author: author, State: "OPEN", Draft: o.Draft,
		HeadRef: cmp.Or(o.HeadRef, fmt.Sprintf("branch-%d", o.Number)), HeadRepo: cmp.Or(o.HeadRepo, w.name()),
		Base:   cmp.Or(o.Base, w.opt.DefaultBranch),
		Labels: slices.Clone(o.Labels), Closes: slices.Clone(o.Closes), CreatedAt: w.now, UpdatedAt: w.now,
		asks: map[string]int{}, rounds: map[string]int{}, empty: o.Empty,
	}
	if o.HeadGone {
		p.HeadRepo = ""
	}
	if w.baseOID(p.Base) == "" {
		w.branches[p.Base] = w.commit("", "Start of "+p.Base).OID
	}
	p.ID = w.node("PR", p)
	if at, known := slices.BinarySearch(w.numbers, p.Number); !known {
		w.numbers = slices.Insert(w.numbers, at, p.Number)
	}
	w.pulls[p.Number] = p
	w.changed(author, "opened", p.Number, "", p.Body)
	first := w.commit(o.Head, p.Title)
	if first.Author == "" {
		first.Author = author
	}
	if first.Parents == nil {
		first.Parents = []string{w.baseOID(p.Base)}
	}
	p.Head = first.OID
	p.Commits = []string{p.Head}
	w.event(p, Event{Kind: "committed", Actor: author, Commit: p.Head})
	if key(author) != key(ActionsBot) { // what the workflow token does starts no workflow
		w.headAppeared(p, author)
	}
	w.autoAsk(p, false)
	return p.Number
}

// name is owner/name of the repository.
func (w *World) name() string { return w.opt.Owner + "/" + w.opt.Repo }

// baseOID is the tip of a branch.
func (w *World) baseOID(branch string) string {
	if oid := w.branches[branch]; oid != "" {
		return oid
	}
	if p := w.headOf(branch); p != nil {
		return p.Head
	}
	for _, n := range slices.Backward(w.numbers) { // of one that is merged or closed it stays
		if p := w.pulls[n]; p.HeadRef == branch && p.HeadRepo == w.name() && !p.HeadDeleted {
			return p.Head
		}
	}
	return ""
}

// headOf finds the open pull request whose head is the branch (for stacks).
func (w *World) headOf(branch string) *Pull {
	for _, n := range w.numbers {
		if p := w.pulls[n]; p.HeadRef == branch && p.State == "OPEN" && p.HeadRepo == w.name() {
			return p
		}
	}
	return nil
}

func (w *World) event(p *Pull, e Event) {
	n := new(Event)
	*n = e
	n.DatabaseID, n.At, n.pull = w.id("event"), w.now, p
	n.ID = w.node("EV", n)
	p.Events = append(p.Events, n)
}

// touch moves updatedAt.
func (w *World) touch(p *Pull) { p.UpdatedAt = w.now }

// A Push moves the head of a pull request.
type Push struct {
	By    string // the author
	Head  string // a new commit
	Force bool
	// Paths are the files that it changes, besides Files: threads on their
	// lines become outdated. Neither: all files that have threads.
	Paths []string
	// Files are the changes as the compare endpoint shows them. A path that
	// only Paths names has one line rewritten.
	Files []FileChange
	// Quiet: no workflow starts, as after a push by the workflow token (which
	// is always quiet).
	Quiet bool
}

// Push pushes to pull request n and returns the new head. Reviews keep their
// commits.
func (w *World) Push(n int, o Push) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.push(w.pull(n), o)
}

func (w *World) push(p *Pull, o Push) string {
	by := w.account(cmp.Or(o.By, p.Author)).Login
	before := p.Head
	c := w.commit(o.Head, "Update")
	c.Author = by
	c.Parents = []string{before}
	if o.Force {
		c.Parents = []string{w.baseOID(p.Base)}
	}
	touched := p.touched(o)
	c.Files = changesOf(o.Files, touched)
	p.Head = c.OID
	if o.Force {
		p.Commits = []string{p.Head}
		w.event(p, Event{Kind: "head_ref_force_pushed", Actor: by, Before: before, Commit: p.Head})
	} else {
		p.Commits = append(p.Commits, p.Head)
		w.event(p, Event{Kind: "committed", Actor: by, Commit: p.Head})
	}
	for _, t := range p.Threads {
		if !t.FileLevel && slices.Contains(touched, t.Path) {
			t.Outdated, t.Line = true, 0
		}
	}
	w.touch(p)
	w.changed(by, "pushed", p.Number, short(p.Head), "")
	if p.AutoMerge != nil && !w.canPush(by) {
		w.disarm(p, by, "push by somebody without write access")
	}
	p.Queued = false
	if !o.Quiet && key(by) != key(ActionsBot) {
		w.headAppeared(p, by)
	}
	w.autoAsk(p, true)
	return p.Head
}

// SetPull changes pull request n by f, for what has no method of its own:
// Mergeable, MergeState, Behind, Locked, Title and the like.
func (w *World) SetPull(n int, f func(*Pull)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w.pull(n))
}

// Ready takes pull request n out of draft.
func (w *World) Ready(n int, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setDraft(w.pull(n), by, false)
}

// Draft makes pull request n a draft.
func (w *World) Draft(n int, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setDraft(w.pull(n), by, true)
}

func (w *World) setDraft(p *Pull, by string, draft bool) {
	if p.Draft == draft {
		return
	}
	p.Draft = draft
	w.touch(p)
	if draft {
		w.event(p, Event{Kind: "convert_to_draft", Actor: by})
		w.changed(by, "convert_to_draft", p.Number, "", "")
		return
	}
	w.event(p, Event{Kind: "ready_for_review", Actor: by})
	w.changed(by, "ready_for_review", p.Number, "at "+short(p.Head), "")
	w.autoAsk(p, false)
}

// Retarget gives pull request n another base. The head stays, and no workflow
// starts.
func (w *World) Retarget(n int, by, base string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	was := p.Base
	p.Base = base
	if w.baseOID(base) == "" {
		w.branches[base] = w.commit("", "Start of "+base).OID
	}
	w.touch(p)
	w.event(p, Event{Kind: "base_ref_changed", Actor: by, Was: was, Note: base})
	w.changed(by, "base_changed", n, "to "+base, "")
}

// Close closes pull request or issue n unmerged.
func (w *World) Close(n int, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.issues[n]; i != nil {
		w.closeIssue(i, by)
		return
	}
	w.close(w.pull(n), by)
}

func (w *World) close(p *Pull, by string) {
	if p.State != "OPEN" {
		return
	}
	p.State, p.ClosedAt = "CLOSED", w.now
	p.AutoMerge, p.Queued = nil, false
	w.touch(p)
	w.event(p, Event{Kind: "closed", Actor: by})
	w.changed(by, "closed", p.Number, "", "")
}

// Reopen opens pull request n again.
func (w *World) Reopen(n int, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.issues[n]; i != nil {
		i.State, i.ClosedAt, i.UpdatedAt = "OPEN", time.Time{}, w.now
		w.changed(by, "reopened", n, "", "")
		return
	}
	w.reopen(w.pull(n), by)
}

func (w *World) reopen(p *Pull, by string) {
	if p.State != "CLOSED" {
		return
	}
	p.State, p.ClosedAt = "OPEN", time.Time{}
	w.touch(p)
	w.event(p, Event{Kind: "reopened", Actor: by})
	w.changed(by, "reopened", p.Number, "", "")
}

// Merge merges pull request n, whatever its checks say, as a person with the
// right to bypass does. It returns the merge commit.
func (w *World) Merge(n int, by string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.merge(w.pull(n), by)
	return w.pull(n).MergeCommit
}

// MergeAs is [World.Merge] by one of the methods MERGE, SQUASH and REBASE.
func (w *World) MergeAs(n int, by, method string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mergeAs(w.pull(n), by, method)
	return w.pull(n).MergeCommit
}

func (w *World) merge(p *Pull, by string) { w.mergeAs(p, by, "MERGE") }

// mergeAs merges p. A squash is one new commit on the base, a rebase one for each
// of the pull request's: the merge commit is the last of them.
func (w *World) mergeAs(p *Pull, by, method string) {
	if p.State != "OPEN" {
		return
	}
	var c *Commit
	switch method {
	case "REBASE":
		below := w.baseOID(p.Base)
		for _, oid := range p.Commits {
			c = w.commit("", w.commits[oid].Message)
			c.Author, c.Parents = w.commits[oid].Author, []string{below}
			below = c.OID
			p.rebased = append(p.rebased, c.OID)
		}
	case "SQUASH":
		c = w.commit("", p.Title)
		c.Parents = []string{w.baseOID(p.Base)}
	default:
		c = w.commit("", "Merge "+p.Title)
		c.Parents = []string{w.baseOID(p.Base), p.Head}
	}
	w.branches[p.Base] = c.OID
	p.State, p.MergedAt, p.ClosedAt, p.MergedBy, p.MergeCommit = "MERGED", w.now, w.now, by, c.OID
	p.AutoMerge, p.Queued = nil, false
	w.touch(p)
	w.event(p, Event{Kind: "merged", Actor: by, Commit: c.OID})
	w.event(p, Event{Kind: "closed", Actor: by})
	w.changed(by, "merged", p.Number, short(p.Head), "")
	for _, n := range p.Closes {
		if i := w.issues[n]; i != nil && i.State == "OPEN" && p.Base == w.opt.DefaultBranch {
			w.closeIssue(i, by)
		}
	}
}

func (w *World) closeIssue(i *Issue, by string) {
	i.State, i.ClosedAt, i.UpdatedAt = "CLOSED", w.now, w.now
	w.changed(by, "closed", i.Number, "", "")
}

// Disarm disables the armed merge of pull request n, or takes it out of the queue.
func (w *World) Disarm(n int, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	if p.AutoMerge != nil {
		w.disarm(p, by, "")
	}
	p.Queued = false
	w.touch(p)
}

// Arm has GitHub merge pull request n once nothing holds it back.
func (w *World) Arm(n int, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	p.AutoMerge = &AutoMerge{At: w.now, By: by, Method: "SQUASH"}
	w.event(p, Event{Kind: "auto_merge_enabled", Actor: by})
	w.changed(by, "auto_merge_enabled", n, short(p.Head), "")
}

func (w *World) disarm(p *Pull, by, why string) {
	p.AutoMerge = nil
	w.event(p, Event{Kind: "auto_merge_disabled", Actor: by, Note: why})
	w.changed(by, "auto_merge_disabled", p.Number, "", "")
}

// Label puts a label on pull request or issue n.
func (w *World) Label(n int, by, label string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.label(n, by, label)
}

func (w *World) label(n int, by, label string) {
	if i := w.issues[n]; i != nil {
		if !slices.Contains(i.Labels, label) {
			i.Labels, i.UpdatedAt = append(i.Labels, label), w.now
			w.changed(by, "labeled", n, label, "")
		}
		return
	}
	p := w.pull(n)
	if slices.Contains(p.Labels, label) {
		return
	}
	p.Labels = append(p.Labels, label)
	w.touch(p)
	w.event(p, Event{Kind: "labeled", Actor: by, Label: label})
	w.changed(by, "labeled", n, label, "")
}

// Unlabel takes a label off pull request or issue n.
func (w *World) Unlabel(n int, by, label string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.issues[n]; i != nil {
		i.Labels = slices.DeleteFunc(i.Labels, func(l string) bool { return l == label })
		i.UpdatedAt = w.now
		w.changed(by, "unlabeled", n, label, "")
		return
	}
	w.unlabel(w.pull(n), by, label)
}

func (w *World) unlabel(p *Pull, by, label string) {
	i := slices.Index(p.Labels, label)
	if i < 0 {
		return
	}
	p.Labels = slices.Delete(p.Labels, i, i+1)
	w.touch(p)
	w.event(p, Event{Kind: "unlabeled", Actor: by, Label: label})
	w.changed(by, "unlabeled", p.Number, label, "")
}

// Comment writes a comment on pull request or issue n and returns its
// database id.
func (w *World) Comment(n int, by, body string) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.comment(n, by, body).DatabaseID
}

func (w *World) comment(n int, by, body string) *Comment {
	c := &Comment{
		DatabaseID: w.id("comment"), Author: w.spell(by), Body: body,
		CreatedAt: w.now, UpdatedAt: w.now, number: n,
	}
	c.ID = w.node("IC", c)
	if i := w.issues[n]; i != nil {
		i.Comments = append(i.Comments, c)
		i.UpdatedAt = w.now
	} else {
		p := w.pull(n)
		p.Comments = append(p.Comments, c)
		w.touch(p)
		w.event(p, Event{Kind: "commented", Actor: c.Author, comment: c})
	}
	w.changed(c.Author, "comment_created", n, fmt.Sprint(c.DatabaseID), body)
	return c
}

// spell returns the login as the account has it.
func (w *World) spell(login string) string {
	if a := w.account(login); a != nil {
		return a.Login
	}
	return ""
}

// findComment finds a comment by database id, with the list that holds it.
func (w *World) findComment(id int64) *Comment {
	for _, n := range w.numbers {
		for _, c := range w.pulls[n].Comments {
			if c.DatabaseID == id {
				return c
			}
		}
	}
	for _, i := range w.issues {
		for _, c := range i.Comments {
			if c.DatabaseID == id {
				return c
			}
		}
	}
	return nil
}

func (w *World) mustComment(id int64) *Comment {
	c := w.findComment(id)
	if c == nil {
		panic(fmt.Sprintf("githubtest: there is no comment %d", id))
	}
	return c
}

// EditComment changes the text of a comment. The last write wins.
func (w *World) EditComment(id int64, by, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editComment(w.mustComment(id), by, body)
}

func (w *World) editComment(c *Comment, by, body string) {
	c.Body, c.Editor, c.EditedAt, c.UpdatedAt = body, by, w.now, w.now
	if p := w.pulls[c.number]; p != nil {
		w.touch(p)
	} else if i := w.issues[c.number]; i != nil {
		i.UpdatedAt = w.now
	}
	w.changed(by, "comment_edited", c.number, fmt.Sprint(c.DatabaseID), body)
}

// DeleteComment removes a comment.
func (w *World) DeleteComment(id int64, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deleteComment(w.mustComment(id), by)
}

func (w *World) deleteComment(c *Comment, by string) {
	same := func(x *Comment) bool { return x == c }
	if i := w.issues[c.number]; i != nil {
		i.Comments = slices.DeleteFunc(i.Comments, same)
		i.UpdatedAt = w.now
	}
	if p := w.pulls[c.number]; p != nil {
		p.Comments = slices.DeleteFunc(p.Comments, same)
		p.Events = slices.DeleteFunc(p.Events, func(e *Event) bool {
			if e.comment == c {
				delete(w.nodes, e.ID)
			}
			return e.comment == c
		})
		w.touch(p)
		w.event(p, Event{Kind: "comment_deleted", Actor: by, Note: c.Author})
	}
	delete(w.nodes, c.ID)
	w.changed(by, "comment_deleted", c.number, fmt.Sprint(c.DatabaseID), "")
}

// HideComment minimises a comment for a reason such as "outdated"; an empty
// reason shows it again.
func (w *World) HideComment(id int64, by, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.mustComment(id)
	c.Hidden = reason
	w.changed(by, "comment_hidden", c.number, fmt.Sprint(c.DatabaseID), "")
}

// React puts a reaction under a comment, by somebody else than the tokens.
func (w *World) React(id int64, by, content string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.react(w.mustComment(id), by, content)
}

// react reports whether the reaction is new.
func (w *World) react(c *Comment, by, content string) (r *Reaction, fresh bool) {
	for _, r := range c.Reactions {
		if key(r.By) == key(by) && r.Content == content {
			return r, false
		}
	}
	r = &Reaction{DatabaseID: w.id("reaction"), By: w.spell(by), Content: content, CreatedAt: w.now}
	r.ID = w.node("REA", r)
	c.Reactions = append(c.Reactions, r)
	w.changed(r.By, "reaction_added", c.number, fmt.Sprintf("%s %d to comment %d", content, r.DatabaseID, c.DatabaseID), "")
	return r, true
}

func (w *World) unreact(c *Comment, by string, r *Reaction) {
	c.Reactions = slices.DeleteFunc(c.Reactions, func(x *Reaction) bool { return x == r })
	delete(w.nodes, r.ID)
	w.changed(by, "reaction_removed", c.number, fmt.Sprintf("%s %d from comment %d", r.Content, r.DatabaseID, c.DatabaseID), "")
}

// A Submitted review is a review that a person or another bot hands in.
type Submitted struct {
	By       string
	State    string // COMMENTED
	Body     string
	Commit   string // the head
	Findings []Finding
}

// Review submits a review on pull request n and returns its node id. It
// consumes a standing request for that reviewer.
func (w *World) Review(n int, s Submitted) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	r := w.startReview(p, s.By, cmp.Or(s.Commit, p.Head))
	w.submit(r, cmp.Or(s.State, "COMMENTED"), s.Body, s.Findings)
	return r.ID
}

// BeginReview begins a review on pull request n without submitting it, and
// returns its node id: a draft that only its author sees. What the same account
// says in threads meanwhile joins it.
func (w *World) BeginReview(n int, by string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	return w.newReview(p, by, p.Head).ID
}

// SubmitReview submits a review that was begun, with what joined it.
func (w *World) SubmitReview(id, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.nodes[id].(*Review)
	if !ok || r.State != "PENDING" {
		panic("githubtest: there is no pending review " + id)
	}
	w.submit(r, "COMMENTED", body, nil)
}

// SubmitDraft submits the pending review that an account has on pull request n:
// COMMENTED, APPROVED or CHANGES_REQUESTED. It uses up the request for it.
func (w *World) SubmitDraft(n int, by, state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	r := p.draftOf(by)
	if r == nil {
		return false
	}
	p.Requests = slices.DeleteFunc(p.Requests, func(l string) bool { return key(l) == key(by) })
	w.submit(r, cmp.Or(state, "COMMENTED"), r.Body, nil)
	return true
}

// WriteInDraft adds a comment to the pending review of an account.
func (w *World) WriteInDraft(n int, by string, f Finding) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.pull(n).draftOf(by)
	if r == nil {
		return false
	}
	w.open(r, f)
	return true
}

// RewriteDraft changes the text of the first comment of an account's pending
// review, without a comment the text of the review.
func (w *World) RewriteDraft(n int, by, text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.pull(n)
	r := p.draftOf(by)
	if r == nil {
		return false
	}
	for _, t := range p.Threads {
		if t.Comments[0].review == r {
			t.Comments[0].Body = text
			return true
		}
	}
	r.Body = text
	return true
}

// DropDraft deletes the pending review of an account, as that account does.
func (w *World) DropDraft(n int, by string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.pull(n).draftOf(by)
	if r == nil {
		return false
	}
	w.drop(r)
	return true
}

// drop deletes a pending review with its threads.
func (w *World) drop(r *Review) {
	p := r.pull
	p.Reviews = slices.DeleteFunc(p.Reviews, func(x *Review) bool { return x == r })
	p.Threads = slices.DeleteFunc(p.Threads, func(t *Thread) bool {
		if t.Comments[0].review != r {
			return false
		}
		delete(w.nodes, t.ID)
		return true
	})
	delete(w.nodes, r.ID)
	w.changed(r.Author, "review_deleted", p.Number, short(r.Commit), "")
}

// draftOf is the pending review of an account; nil: it has none.
func (p *Pull) draftOf(login string) *Review {
	i := slices.IndexFunc(p.Reviews, func(r *Review) bool { return r.State == "PENDING" && key(r.Author) == key(login) })
	if i < 0 {
		return nil
	}
	return p.Reviews[i]
}

func (w *World) newReview(p *Pull, by, commit string) *Review {
	r := &Review{DatabaseID: w.id("review"), Author: w.spell(by), State: "PENDING", Commit: commit, CreatedAt: w.now, pull: p}
	r.ID = w.node("PRR", r)
	p.Reviews = append(p.Reviews, r)
	return r
}

// startReview begins a review; the request for it is used up by that.
func (w *World) startReview(p *Pull, by, commit string) *Review {
	p.Requests = slices.DeleteFunc(p.Requests, func(l string) bool { return key(l) == key(by) })
	return w.newReview(p, by, commit)
}

func (w *World) submit(r *Review, state, body string, findings []Finding) {
	r.State, r.SubmittedAt = state, w.now
	w.event(r.pull, Event{Kind: "reviewed", Actor: r.Author, review: r})
	for _, f := range findings {
		if !f.BodyOnly {
			w.open(r, f)
		}
	}
	r.Body = body
	w.touch(r.pull)
	w.changed(r.Author, "reviewed", r.pull.Number, fmt.Sprintf("%s %s", strings.ToLower(state), short(r.Commit)), body)
	w.settle()
}

// open opens a thread for a finding.
func (w *World) open(r *Review, f Finding) {
	t := &Thread{Path: f.Path, Line: f.Line, OriginalLine: f.Line, FileLevel: f.Line == 0, code: f.Code, pull: r.pull}
	if r.Commit != r.pull.Head && !t.FileLevel {
		t.Outdated, t.Line = true, 0
	}
	t.ID = w.node("PRRT", t)
	r.pull.Threads = append(r.pull.Threads, t)
	w.say(t, r, r.Author, f.Text)
}

// hunk is the part of the diff that the thread stands under: its last line is
// the one that the thread is about.
func (t *Thread) hunk() string {
	if t.FileLevel {
		return ""
	}
	return fmt.Sprintf("@@ -%d,2 +%d,2 @@\n \tbefore()\n+%s", max(1, t.OriginalLine-1), max(1, t.OriginalLine-1), cmp.Or(t.code, "\tcode()"))
}

func (w *World) say(t *Thread, r *Review, by, body string) *ThreadComment {
	c := &ThreadComment{
		DatabaseID: w.id("reviewComment"), Author: w.spell(by), Body: body, CreatedAt: w.now, UpdatedAt: w.now,
		thread: t, review: r, commit: r.Commit,
	}
	c.ID = w.node("PRRC", c)
	t.Comments = append(t.Comments, c)
	return c
}

// Dismiss dismisses a review; GitHub rewrites its state in place.
func (w *World) Dismiss(reviewID, by, message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.nodes[reviewID].(*Review)
	if !ok {
		panic("githubtest: there is no review " + reviewID)
	}
	was := r.State
	r.State = "DISMISSED"
	w.touch(r.pull)
	w.event(r.pull, Event{Kind: "review_dismissed", Actor: by, Note: message, Was: was, review: r})
	w.changed(by, "review_dismissed", r.pull.Number, short(r.Commit), "")
}

func (w *World) thread(id string) *Thread {
	t, ok := w.nodes[id].(*Thread)
	if !ok {
		panic("githubtest: there is no review thread " + id)
	}
	return t
}

// DeleteThread deletes a review thread, as GitHub does once its last comment is
// deleted.
func (w *World) DeleteThread(id, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.thread(id)
	t.pull.Threads = slices.DeleteFunc(t.pull.Threads, func(x *Thread) bool { return x == t })
	for _, c := range t.Comments {
		delete(w.nodes, c.ID)
	}
	delete(w.nodes, id)
	w.touch(t.pull)
	w.changed(by, "thread_deleted", t.pull.Number, id, "")
}

// Reply answers in a review thread. GitHub wraps the reply in a review of its
// own, without a body; or the reply joins the draft of its author.
func (w *World) Reply(threadID, by, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reply(w.thread(threadID), by, body)
}

func (w *World) reply(t *Thread, by, body string) *ThreadComment {
	r := t.pull.draftOf(by)
	if r == nil {
		r = w.newReview(t.pull, by, t.pull.Head)
		r.State, r.SubmittedAt = "COMMENTED", w.now
		w.event(t.pull, Event{Kind: "reviewed", Actor: r.Author, review: r})
	}
	c := w.say(t, r, by, body)
	w.touch(t.pull)
	w.changed(r.Author, "replied", t.pull.Number, fmt.Sprintf("%d in %s", c.DatabaseID, t.ID), body)
	return c
}

// Resolve resolves a review thread.
func (w *World) Resolve(threadID, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resolve(w.thread(threadID), by, true)
}

// Unresolve opens a review thread again.
func (w *World) Unresolve(threadID, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resolve(w.thread(threadID), by, false)
}

func (w *World) resolve(t *Thread, by string, resolved bool) {
	if t.Resolved == resolved {
		return
	}
	t.Resolved, t.ResolvedBy = resolved, by
	what := "thread_resolved"
	if !resolved {
		t.ResolvedBy, what = "", "thread_unresolved"
	}
	w.changed(by, what, t.pull.Number, t.ID, "")
	w.settle()
}

// OpenIssue opens an issue and returns its number.
func (w *World) OpenIssue(by, title, body string, labels ...string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.openIssue(by, title, body, labels).Number
}

// OpenIssueAt opens an issue under a number of its own.
func (w *World) OpenIssueAt(number int, by, title, body string, labels ...string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.number
	w.number = number - 1
	n := w.openIssue(by, title, body, labels).Number
	w.number = was
	return n
}

func (w *World) openIssue(by, title, body string, labels []string) *Issue {
	w.number++
	i := &Issue{
		DatabaseID: w.id("issue"), Number: w.number, Title: title, Body: body, Author: w.spell(by), State: "OPEN",
		Labels: slices.Clone(labels), CreatedAt: w.now, UpdatedAt: w.now,
	}
	i.ID = w.node("I", i)
	w.issues[i.Number] = i
	w.changed(i.Author, "issue_created", i.Number, "", body)
	return i
}

// EditIssue changes the body of an issue.
func (w *World) EditIssue(n int, by, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editIssue(w.issues[n], by, body)
}

func (w *World) editIssue(i *Issue, by, body string) {
	i.Body, i.Editor, i.EditedAt, i.UpdatedAt = body, by, w.now, w.now
	w.changed(by, "issue_edited", i.Number, "", body)
}

// Request asks a reviewer for a review on pull request n, as a person does on
// the page; it always registers.
func (w *World) Request(n int, by, reviewer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ask(w.pull(n), by, reviewer)
}

// Withdraw takes a review request back.
func (w *World) Withdraw(n int, by, reviewer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.withdraw(w.pull(n), by, reviewer)
}

func (w *World) requested(p *Pull, reviewer string) bool {
	return slices.ContainsFunc(p.Requests, func(l string) bool { return key(l) == key(reviewer) })
}

// ask registers a request; one that stands already is left as it is.
func (w *World) ask(p *Pull, by, reviewer string) {
	if w.requested(p, reviewer) {
		return
	}
	reviewer = w.spell(reviewer)
	p.Requests = append(p.Requests, reviewer)
	p.asks[key(reviewer)]++
	w.touch(p)
	w.event(p, Event{Kind: "review_requested", Actor: by, Reviewer: reviewer})
	w.changed(by, "review_requested", p.Number, fmt.Sprintf("%s at %s", reviewer, short(p.Head)), "")
	w.begin(p, reviewer, p.asks[key(reviewer)])
}

func (w *World) withdraw(p *Pull, by, reviewer string) {
	if !w.requested(p, reviewer) {
		return
	}
	p.Requests = slices.DeleteFunc(p.Requests, func(l string) bool { return key(l) == key(reviewer) })
	w.touch(p)
	w.event(p, Event{Kind: "review_request_removed", Actor: by, Reviewer: w.spell(reviewer)})
	w.changed(by, "review_request_removed", p.Number, w.spell(reviewer), "")
}

// autoAsk asks Copilot where the rules of the base do, on the author's
// entitlement.
func (w *World) autoAsk(p *Pull, pushed bool) {
	rule := w.rules[p.Base].Copilot
	switch {
	case rule == nil, pushed && !rule.OnPush, p.Draft && !rule.Drafts, p.State != "OPEN":
		return
	}
	if a := w.account(p.Author); a != nil && a.Seat {
		w.ask(p, p.Author, CopilotReviewer)
	}
}
