package facts

import (
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// ReplyMarker begins the hidden comment in each reply of prloop's, at the start
// of a line. Being the token's account does not prove that prloop wrote: a
// person may use the same account, and the workflow token is every workflow's.
const ReplyMarker = "<!-- prloop:reply"

// readings of the threads: what Facts has of them, and what the machine gets.
type threadFacts struct {
	Threads
	awaiting   []Finding
	left       []Finding // below minSeverity
	unresolved int       // unresolvedThreadCount
	actionable int       // actionableThreadCount
}

// standings is what an unresolved thread can be, in this order. The first row
// that holds decides; outdated threads count like all others (design 2).
var standings = []struct {
	is    standing
	says  string
	holds func(*talk) bool
}{
	{answered, "its last comment is a reply of ours", (*talk).oursLast},
	{answered, "under fixer: people, its last comment is that of a person with write permission in a bot's thread", (*talk).personLast},
	{awaiting, "nobody knows who spoke in it", (*talk).silent},
	{awaiting, "a trusted author opened it", (*talk).trustedOpened},
	{awaiting, "a trusted author spoke in it after our last reply", (*talk).trustedSpoke},
	{untrusted, "otherwise: strangers opened it, and speak in it", func(*talk) bool { return true }},
}

// A standing is what an unresolved thread is to us.
type standing int

const (
	untrusted standing = iota
	answered
	awaiting
)

// A talk is an unresolved thread with what its standing depends on.
type talk struct {
	*pr.Thread
	people bool // fixer: people
	weighs bool // it matters whether a severity is known
	ours   func(*pr.ThreadComment) bool
	trusts func(*pr.ThreadComment) bool
}

func (t *talk) silent() bool { return len(t.Comments) == 0 }

func (t *talk) oursLast() bool { return !t.silent() && t.ours(&t.Comments[len(t.Comments)-1]) }

func (t *talk) personLast() bool {
	if !t.people || t.silent() || !t.Comments[0].Author.Bot {
		return false
	}
	last := &t.Comments[len(t.Comments)-1]
	return last.Trusted && isPerson(last.Author)
}

func (t *talk) trustedOpened() bool { return t.trusts(&t.Comments[0]) }

// trustedSpoke looks past what strangers said last: a stranger's word below a
// trusted author's does not take that back.
func (t *talk) trustedSpoke() bool {
	for i := len(t.Comments) - 1; i >= 0; i-- {
		switch c := &t.Comments[i]; {
		case t.ours(c):
			return false
		case t.trusts(c):
			return true
		}
	}
	return false
}

// personSpoke: a person said something in it, who is not us.
func (t *talk) personSpoke() bool {
	for i := range t.Comments {
		c := &t.Comments[i]
		if isPerson(c.Author) && !t.ours(c) && strings.TrimSpace(c.Body) != "" {
			return true
		}
	}
	return false
}

// Trusts returns the test of comments that count as said by somebody who may
// ask for work: its author is a reviewer of the loop, or may push to the
// repository. Copilot's reviewer always is one.
func Trusts(set config.Settings) func(*pr.ThreadComment) bool {
	rows := reviewersOf(set)
	return func(c *pr.ThreadComment) bool {
		return c.Trusted || c.Author.IsCopilotReviewer() ||
			slices.ContainsFunc(rows, func(r autopilot.Reviewer) bool { return r.Is(c.Author) })
	}
}

// isPerson: a ghost is nobody.
func isPerson(a pr.Actor) bool { return !a.Bot && a.Login != "" }

// readThreads reads the unresolved threads.
func readThreads(in Input, w weights, l leaving) threadFacts {
	var f threadFacts
	f.awaiting = make([]Finding, 0, len(in.Snapshot.Threads))
	again := redone(in)
	t := &talk{people: in.Settings.Fixer == config.People, weighs: l.floor != config.Low, ours: Ours(in), trusts: Trusts(in.Settings)}
	for i := range in.Snapshot.Threads {
		t.Thread = &in.Snapshot.Threads[i]
		if t.Resolved {
			continue
		}
		f.Open++
		if !t.silent() && t.Comments[0].Trusted && isPerson(t.Comments[0].Author) {
			f.People++
		}
		is := t.standing()
		if is == answered && again(t.ID) {
			is = awaiting
		}
		if is == awaiting && l.floor != config.Low && !again(t.ID) && !t.personSpoke() {
			if g := t.finding(w, i); l.leaves(g) {
				f.left = append(f.left, g)
				continue
			}
		}
		switch is {
		case answered:
			f.Answered = append(f.Answered, t.ID)
		case untrusted:
			f.Untrusted = append(f.Untrusted, t.ID)
		case awaiting:
			f.Awaiting++
		}
		if is != awaiting && !in.Settings.Strict {
			continue
		}
		f.unresolved++
		if t.personSpoke() {
			f.actionable++
		}
		if is != untrusted {
			f.awaiting = append(f.awaiting, t.finding(w, i))
		}
	}
	if len(f.awaiting) == 0 {
		f.awaiting = nil
	}
	if in.Snapshot.Missing(pr.FactThreads) != nil { // unknown is never zero
		f.Open, f.Awaiting, f.unresolved = max(f.Open, 1), max(f.Awaiting, 1), max(f.unresolved, 1)
	}
	return f
}

// redone tells the findings that a person let prloop try once more: those that
// the named hand-over escalated or left half done, until a later one answers
// them (design 7, retry).
func redone(in Input) func(id string) bool {
	r := in.Journal.Orders.Retried
	if r == nil || r.Redo == 0 || r.Head != in.Snapshot.Head {
		return func(string) bool { return false }
	}
	open := map[string]bool{}
	for _, a := range in.Journal.Answers {
		switch {
		case a.Head != r.Head:
		case a.Number == r.Redo && (a.Action == "escalate" || a.Action == "partial"):
			open[a.Finding] = true
		case a.Number > r.Redo:
			delete(open, a.Finding)
		}
	}
	return func(id string) bool { return open[journal.Mark(id)] }
}

func (t *talk) standing() standing {
	for _, s := range standings {
		if s.holds(t) {
			return s.is
		}
	}
	panic("facts: no row of the standings holds; the table has lost its last row")
}

// finding is the thread as work. Its text is the first comment that a trusted
// author made: a stranger's own words are never handed over.
func (t *talk) finding(w weights, thread int) Finding {
	f := Finding{
		ID:       t.ID,
		Thread:   t.ID,
		Path:     t.Path,
		Line:     t.Line,
		Outdated: t.Outdated,
		URL:      t.URL,
		Severity: Low,
	}
	i := 0
	for i < len(t.Comments) && !t.trusts(&t.Comments[i]) {
		i++
	}
	if i == len(t.Comments) {
		return f
	}
	c := &t.Comments[i]
	f.Author, f.Bot, f.Trusted = c.Author.Login, c.Author.Bot, true
	f.Text = excerpt(c.Body)
	if i == 0 {
		f.Severity = w.of(thread, t.Thread)
	} else {
		f.Severity = severity(c.Body)
	}
	if t.weighs {
		f.Unsure = !weighed(c.Body)
		if l := stated(c.Body); l != "" && alt(bound(c.Body, maxText)) == "" {
			f.Severity = l
		}
	}
	return f
}

// Ours returns the test of our own replies: the author is the token's
// account or one of the identities, and the reply carries the hidden marker. An
// identity that the settings write with the suffix [bot] must be a bot: a
// person may be called what a bot is called (C015).
func Ours(in Input) func(*pr.ThreadComment) bool {
	logins := slices.Clone(in.Identities)
	var bots []pr.Login
	for _, s := range in.Settings.Identities {
		login := pr.NewLogin(s)
		logins = append(logins, login)
		if strings.HasSuffix(strings.ToLower(strings.TrimSpace(s)), "[bot]") {
			bots = append(bots, login)
		}
	}
	return func(c *pr.ThreadComment) bool {
		if !hasMarker(c.Body) {
			return false
		}
		a := c.Author
		return c.Mine || slices.Contains(logins, a.Login) && (a.Bot || !slices.Contains(bots, a.Login))
	}
}

// hasMarker reports whether a line begins with our reply's hidden comment. A
// quotation of it does not count.
func hasMarker(body string) bool {
	for from := 0; ; {
		i := strings.Index(body[from:], ReplyMarker)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(ReplyMarker)
		if (i == 0 || body[i-1] == '\n') && strings.HasPrefix(body[from:], " ") && strings.Contains(body[from:], "-->") {
			return true
		}
	}
}
