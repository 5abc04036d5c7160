package handoff

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// A Context is what a report is held against: the world as it is now.
type Context struct {
	PR   int
	Head pr.SHA
	// Findings await us now. Those that were not handed over are neither
	// escalated nor unknown.
	Findings []facts.Finding
	// Known are the findings that this hand-over ever gave out, as ids or as
	// their marks ([Mark]).
	Known []string
	Out   Out
	// Commits are those of the pull request at its head. Where they could not
	// be read in full, a report that names one is Unread.
	Commits      []pr.SHA
	CommitsKnown bool
	Now          time.Time
	// Rounds are those that pushed something, and so can be reverted.
	Rounds []int
	// Scored: the review that was asked for has to give a score.
	Scored bool
}

// An Out is the newest hand-over. Number 0: none is known.
type Out struct {
	Number int
	Head   pr.SHA
	Step   Step // empty: not known
	At     time.Time
	// Deadline is zero where there is none.
	Deadline time.Time
	// Extensions were granted so far; Narrowed: it already holds half of what
	// an earlier one held.
	Extensions int
	Narrowed   bool
}

// A Verdict is what becomes of a report. Only that of an accepted one has
// answers.
type Verdict struct {
	Kind Kind
	// Late: it came after its deadline. It counts all the same.
	Late bool
	// Problems are everything that speaks against it, in the order of the
	// checks.
	Problems []Problem
	// Replies has what is answered: one for each finding that awaits us and
	// that the report mentions or, once the work is over, passes over in
	// silence. In the order of the findings. Of a triage they are its rows:
	// what is to be fixed has no commit yet.
	Replies []Reply
	// Settled are items about findings that no longer await us: nothing is
	// done about them.
	Settled []Item
	// Rest are ids of findings without an answer: handed over later than the
	// report's brief, or left over by a report whose work goes on (Next).
	Rest []string
	Next Next
}

// A Kind is what becomes of a report.
type Kind string

// What becomes of a report.
const (
	Accepted Kind = "accepted"
	Refused  Kind = "refused" // for its content; exit code 1
	Stale    Kind = "stale"   // merely too late for this head or hand-over; exit code 0
	Unread   Kind = "unread"  // what it is held against could not be read: ask again
)

// A Reply is what is answered to one finding.
type Reply struct {
	Finding   facts.Finding
	Action    Action
	Rationale string // a stranger's text
	Commit    pr.SHA // in full
	// Silent: the report does not mention the finding.
	Silent bool
}

// A Problem is one thing that speaks against a report.
type Problem struct {
	ID   string // of the row that found it
	Says string // a sentence of ours; values are quoted
	// Stale: the report may be right, for another head or hand-over.
	Stale bool
}

// checkRows hold a report against the world, in the order of design 5. Each
// row returns every problem of its kind.
var checkRows = []struct {
	id    string
	says  string
	stale func(*inspection) bool // whether it may be right elsewhere
	find  func(*inspection) []string
}{
	{"H1", "it is for another pull request", never, (*inspection).wrongPR},
	{"H2", "its hand-over was never made", never, (*inspection).neverMade},
	{"H3", "a newer hand-over is out", always, (*inspection).older},
	{"H4", "its head is not the pull request's head", always, (*inspection).staleHead},
	{"H5", "it was made for another step", never, (*inspection).wrongStep},
	{"I1", "a finding is unknown", never, (*inspection).unknown},
	{"I2", "a finding has two items", never, (*inspection).twice},
	{"I3", "a fix has no commit", never, (*inspection).uncommitted},
	{"I4", "a commit is not in the head", (*inspection).moved, (*inspection).commits},
	{"I5", "a decline has no rationale", never, (*inspection).bare},
	{"I6", "the reply would be no answer", never, (*inspection).empty},
	{"I7", "a path is outside of the repository", never, (*inspection).outside},
	{"I8", "the build failed", never, (*inspection).red},
	{"I9", "a finding stands where only a review has any", never, (*inspection).misplaced},
	{"I10", "a recap has no answer, or another step has one", never, (*inspection).unasked},
	{"I11", "the rounds to revert are none that there were", never, (*inspection).noRounds},
	{"I12", "a score is missing, or stands where only a review has one", never, (*inspection).scoreless},
	{"I13", "a step without findings in its brief has no outcome", never, (*inspection).fruitless},
}

// CheckRows returns the rows for the documents: id and words.
func CheckRows() [][2]string {
	rows := make([][2]string, len(checkRows))
	for i, r := range checkRows {
		rows[i] = [2]string{r.id, r.says}
	}
	return rows
}

// Check holds a whole report against the world before anything is done by it.
// It never panics, whatever is in the report. One answer has everything that is
// wrong: a report with one problem of content is refused, however stale it is
// besides.
func Check(r Report, c Context) Verdict {
	if r.Step == "" {
		r.Step = Fix
	}
	in := &inspection{r: r, c: c, awaiting: map[string]bool{}, known: map[string]bool{}}
	for _, f := range c.Findings {
		in.awaiting[f.ID] = true
	}
	for _, k := range c.Known {
		in.known[k] = true
	}
	v := Verdict{Kind: Accepted, Late: !c.Out.Deadline.IsZero() && c.Now.After(c.Out.Deadline)}
	for _, row := range checkRows {
		for _, says := range row.find(in) {
			v.Problems = append(v.Problems, Problem{row.id, says, row.stale(in)})
		}
	}
	switch {
	case slices.ContainsFunc(v.Problems, func(p Problem) bool { return !p.Stale }):
		v.Kind = Refused
	case len(v.Problems) > 0:
		v.Kind = Stale
	case in.unread:
		v.Kind = Unread
	default:
		in.accept(&v)
	}
	return v
}

// An inspection is a report under check.
type inspection struct {
	r        Report
	c        Context
	awaiting map[string]bool
	known    map[string]bool
	unread   bool
}

// handed reports whether the finding was in the hand-over.
func (in *inspection) handed(id string) bool { return in.known[id] || in.known[Mark(id)] }

func never(*inspection) bool  { return false }
func always(*inspection) bool { return true }

// moved: the report is for another head, whose commits may be gone from this
// one.
func (in *inspection) moved() bool { return in.r.Head != in.c.Head }

func (in *inspection) wrongPR() []string {
	if in.r.Handoff.PR == in.c.PR {
		return nil
	}
	return say("it is for pull request %d, and this is %d", in.r.Handoff.PR, in.c.PR)
}

func (in *inspection) neverMade() []string {
	h, out := in.r.Handoff, in.c.Out
	switch {
	case out.Number == 0:
		return say("hand-over %d was never made: none is known", h.Number)
	case h.Number < 1 || h.Number > out.Number:
		return say("hand-over %d was never made: the newest is %d", h.Number, out.Number)
	case h.Number == out.Number && h.Head != out.Head:
		return say("hand-over %d was made for the head %s, not for %s", h.Number, out.Head.Short(), short(string(h.Head)))
	}
	return nil
}

func (in *inspection) older() []string {
	if n := in.r.Handoff.Number; n >= 1 && n < in.c.Out.Number {
		return say("it answers hand-over %d, and %d is out", n, in.c.Out.Number)
	}
	return nil
}

func (in *inspection) staleHead() []string {
	if !in.moved() {
		return nil
	}
	return say("its head is %s, and the pull request's head is %s", short(string(in.r.Head)), in.c.Head.Short())
}

func (in *inspection) wrongStep() []string {
	out := in.c.Out
	if out.Step == "" || in.r.Step == out.Step || in.r.Handoff.Number != out.Number {
		return nil
	}
	return say("hand-over %d asked for the step %s, not for %s", out.Number, out.Step, short(string(in.r.Step)))
}

func (in *inspection) unknown() []string {
	return in.each(func(it Item) []string {
		if in.awaiting[it.Finding] || in.handed(it.Finding) {
			return nil
		}
		return say("was never handed over")
	})
}

func (in *inspection) twice() []string {
	seen := map[string]bool{}
	return in.each(func(it Item) []string {
		if !seen[it.Finding] {
			seen[it.Finding] = true
			return nil
		}
		return say("has an item before this one")
	})
}

// uncommitted: a fix names its commit, unless only triage was asked for.
func (in *inspection) uncommitted() []string {
	return in.each(func(it Item) []string {
		if it.Action == FixIt && it.Commit == "" && in.r.Step != Triage {
			return say("is fixed without a commit")
		}
		return nil
	})
}

func (in *inspection) commits() []string {
	return in.each(func(it Item) []string {
		if it.Commit == "" {
			return nil
		}
		if !in.c.CommitsKnown {
			in.unread = true
			return nil
		}
		switch n := len(in.matching(it.Commit)); n {
		case 1:
			return nil
		case 0:
			return say("names the commit %s, which is not in the head", short(string(it.Commit)))
		default:
			return say("names the commit %s, with which %d commits begin", short(string(it.Commit)), n)
		}
	})
}

// matching are the pull request's commits that an id, of at least 7 digits,
// means.
func (in *inspection) matching(id pr.SHA) []pr.SHA {
	var all []pr.SHA
	for _, c := range in.c.Commits {
		if c == id || len(id) >= 7 && strings.HasPrefix(string(c), string(id)) {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

func (in *inspection) bare() []string {
	return in.each(func(it Item) []string {
		if it.Action == Decline && strings.TrimSpace(it.Rationale) == "" {
			return say("is declined without a rationale")
		}
		return nil
	})
}

func (in *inspection) empty() []string {
	return in.each(func(it Item) []string {
		switch {
		case !slices.Contains(Actions(), it.Action):
			return say("has the action %s, which there is not", short(string(it.Action)))
		case it.Action == Decline && strings.TrimSpace(it.Rationale) == "":
			return nil // told by a row above
		}
		var problems []string
		for _, l := range lint(it.Action, it.Rationale, it.Commit) {
			if l.id != "L1" { // told by a row above
				problems = append(problems, "has no answer: "+l.says)
			}
		}
		return problems
	})
}

func (in *inspection) outside() []string {
	problems := in.each(func(it Item) []string {
		var problems []string
		for _, f := range it.Files {
			if why := Outside(f); why != "" {
				problems = append(problems, fmt.Sprintf("names the file %s, which %s", short(f), why))
			}
		}
		return problems
	})
	for i, f := range in.r.Findings {
		if f.Path == "" {
			continue
		}
		if why := Outside(f.Path); why != "" {
			problems = append(problems, fmt.Sprintf("findings[%d] names the file %s, which %s", i, short(f.Path), why))
		}
	}
	for i, v := range in.r.Verdicts {
		if why := Outside(v.File); why != "" {
			problems = append(problems, fmt.Sprintf("verdicts[%d] names the file %s, which %s", i, short(v.File), why))
		}
	}
	return problems
}

// red: the build may not fail, but for the failing check that a reproduction is.
func (in *inspection) red() []string {
	if in.r.Step == Reproduce {
		return nil
	}
	var problems []string
	for _, c := range in.r.Checks {
		if c.Exit != 0 {
			problems = append(problems, fmt.Sprintf("the command %s ended with %d", short(c.Cmd), c.Exit))
		}
	}
	return problems
}

// misplaced: findings belong to a review, and items to any other step.
func (in *inspection) misplaced() []string {
	switch {
	case in.r.Step == Review && len(in.r.Items) > 0:
		return say("it is of the step review and has items, which answer findings; what a review found stands in findings")
	case in.r.Step != Review && in.r.Step != Research && len(in.r.Findings) > 0:
		return say("it has findings, and the step %s finds nothing new; what was done about each stands in items", short(string(in.r.Step)))
	}
	return nil
}

// scoreless: a missing score is no success, so a review by a rubric that has one is
// none without it.
func (in *inspection) scoreless() []string {
	switch {
	case in.r.Step != Review && in.r.Score > 0:
		return say("it has a score, and the step %s gives none", short(string(in.r.Step)))
	case in.c.Scored && in.r.Step == Review && in.r.Status == Complete && in.r.Score == 0:
		return say("it has no score, and this reviewer's rubric gives one from 1 to 5")
	}
	return nil
}

// fruitless: research ends with what was found, a reproduction with the command
// that shows it or does not, a plan with what is to be done.
func (in *inspection) fruitless() []string {
	if in.r.Status != Complete {
		return nil
	}
	switch in.r.Step { //nolint:exhaustive // The others answer findings.
	case Research:
		if len(in.r.Findings) == 0 {
			return say("it is of the step research and found nothing: findings is empty")
		}
	case Reproduce:
		if len(in.r.Checks) == 0 {
			return say("it is of the step reproduce and names no command: checks is empty")
		}
	case Plan:
		if strings.TrimSpace(in.r.NextAction) == "" {
			return say("it is of the step plan and has none: nextAction is empty")
		}
	}
	return nil
}

// each returns what is wrong with the items, by wrong, each with its place and
// its finding.
func (in *inspection) each(wrong func(Item) []string) []string {
	var problems []string
	for i, it := range in.r.Items {
		for _, why := range wrong(it) {
			problems = append(problems, fmt.Sprintf("items[%d]: the finding %s %s", i, short(it.Finding), why))
		}
	}
	return problems
}

func say(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }

// Outside says why a path does not name a file of the repository that may be
// changed, from its root; it is empty where it does. Git's own folder counts as
// outside, in each spelling by which some file system finds it.
func Outside(name string) string {
	if name == "" {
		return "is empty"
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "has control characters"
	}
	if strings.Contains(name, `\`) {
		return "has a backslash"
	}
	if path.IsAbs(name) || len(name) > 1 && name[1] == ':' && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z' {
		return "is absolute"
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "leads out of the repository"
		}
		if gitFolder(part) {
			return "is in Git's own folder"
		}
	}
	return ""
}

// gitFolder: Windows takes blanks, dots and streams off the end of a name and
// has short names; macOS passes over characters that nobody sees (CVE-2014-9390).
func gitFolder(part string) bool {
	part, _, _ = strings.Cut(strings.ToLower(facts.Clean(part)), ":")
	part = strings.TrimRight(part, ". ")
	return part == ".git" || part == "git~1"
}

// accept fills in what follows from a report that counts.
func (in *inspection) accept(v *Verdict) {
	items := map[string]Item{}
	for _, it := range in.r.Items {
		if in.awaiting[it.Finding] {
			items[it.Finding] = it
		} else {
			v.Settled = append(v.Settled, it)
		}
	}
	b := &box{r: in.r, out: in.c.Out}
	for _, f := range in.c.Findings {
		if _, ok := items[f.ID]; !ok && in.handed(f.ID) && answers(in.r.Step) {
			b.rest = append(b.rest, Finding{ID: f.ID, Path: f.Path})
		}
	}
	v.Next = b.next()
	told := map[string]bool{}
	goesOn := v.Next.Kind == Extend || v.Next.Kind == Narrow
	for _, f := range in.c.Findings {
		it, mentioned := items[f.ID]
		switch {
		case told[f.ID]:
		case mentioned:
			reply := Reply{Finding: f, Action: it.Action, Rationale: it.Rationale}
			if it.Commit != "" {
				reply.Commit = in.matching(it.Commit)[0]
			}
			v.Replies = append(v.Replies, reply)
		case goesOn || !in.handed(f.ID) || !answers(in.r.Step):
			v.Rest = append(v.Rest, f.ID)
		default:
			v.Replies = append(v.Replies, Reply{Finding: f, Action: Escalate, Silent: true})
		}
		told[f.ID] = true
	}
}

// answers: a report of this step is about findings, each of which it should
// mention.
func answers(s Step) bool { return s == Fix || s == Triage }

// Applied reports whether the report is an accepted one that has an answer for
// every finding that awaits us: agentFixStatus is then applied.
func (v Verdict) Applied() bool { return v.Kind == Accepted && len(v.Rest) == 0 }

// Exit is the exit code of the command.
func (v Verdict) Exit() int {
	if v.Kind == Refused {
		return 1
	}
	return 0
}

// Reason lists every problem in one sentence without a full stop; empty where
// there is none.
func (v Verdict) Reason() string {
	all := make([]string, 0, len(v.Problems))
	for _, p := range v.Problems {
		all = append(all, p.Says)
	}
	return strings.Join(all, "; ")
}

// Err is what a refused report's author reads; nil for any other verdict.
func (v Verdict) Err() error {
	if v.Kind != Refused {
		return nil
	}
	return &fail.Error{
		What: "The report was refused, and nothing was done",
		Why:  v.Reason(),
		Fix:  "Correct the report, or let the fixer write it anew from the newest brief, and run this command again",
	}
}
