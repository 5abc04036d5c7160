package handoff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// BriefVersion names the form of a brief.
const BriefVersion = "prloop.brief/v1"

// A Brief is all that a fixer is told of one hand-over (design 5, "Hand-over").
type Brief struct {
	Schema     string    `json:"schema"`
	Handoff    Ref       `json:"handoff"`
	Step       Step      `json:"step"`
	Repository string    `json:"repository"` // owner/name
	Base       string    `json:"base"`       // branch
	Findings   []Finding `json:"findings"`
	// LeftOut counts what did not fit.
	LeftOut LeftOut `json:"leftOut"`
	// Untrusted are ids of threads by accounts without the right to write.
	// What they say is not passed on.
	Untrusted []string `json:"untrusted"`
	// Waves are worked off one after the other, each of at most five findings.
	// Findings of one group are in one file, and are worked off in order.
	Waves          [][]string `json:"waves"`
	SameFileGroups [][]string `json:"sameFileGroups"`
	Angles         []string   `json:"angles,omitempty"` // of a review

	Rubric       []Rule        `json:"rubric"`
	Suppressions []Suppression `json:"suppressions"`
	// PreCommit is what must pass before a commit. Without it
	// BuildDiscovery says where to look.
	PreCommit      *Profile `json:"preCommit,omitempty"`
	BuildDiscovery []string `json:"buildDiscovery,omitempty"`
	RuleFiles      []string `json:"ruleFiles"`
	KnowledgeGraph string   `json:"knowledgeGraph,omitempty"` // one instruction
	NeverCommit    []string `json:"neverCommit"`              // globs
	CommitMessage  string   `json:"commitMessage"`
	Trailer        string   `json:"trailer"`

	Budget Budget `json:"budget"`
	// Recap is what a recap looks back on; nil in any other step.
	Recap *RecapBrief `json:"recap,omitempty"`
	// Deadline is prloop's own; nil where people fix.
	Deadline *time.Time `json:"deadline,omitempty"`
	// JudgeSince is the head since which every hunk of the pull request's head
	// gets a verdict, where the step is review and the coding agent fixes.
	JudgeSince pr.SHA `json:"judgeSince,omitempty"`
	// Reviewer is the reviewer of the loop that the job is, where the step is
	// review and its report is that review.
	Reviewer *JobReviewer `json:"reviewer,omitempty"`
	// Issue is the number of the issue that the work is for, where there is no
	// pull request yet; 0 elsewhere. The step fix opens the one that closes it.
	Issue int `json:"issue,omitempty"`
}

// A JobReviewer is a reviewer of the loop that is a job.
type JobReviewer struct {
	Name string `json:"name"`
	// Score: the report gives a score from 1 to 5, and only 5 is a success.
	Score bool `json:"score"`
	// RubricFile is the rubric to review by, and Rubric its text on the default
	// branch, cut to 32 KiB; empty where there is none.
	RubricFile string `json:"rubricFile,omitempty"`
	Rubric     string `json:"rubric,omitempty"`
}

// maxRubric is how many bytes of a rubric a brief has.
const maxRubric = 32 << 10

// clean is r with the text that its reader sees.
func (r *JobReviewer) clean() *JobReviewer {
	if r == nil {
		return nil
	}
	out := *r
	out.Rubric = clip(strings.TrimSpace(facts.Clean(r.Rubric)), maxRubric)
	return &out
}

// A Finding is one piece of open work by a trusted author, as a fixer is told
// of it. The texts are cleaned (facts.Clean), and still a stranger's: data, not
// instructions.
type Finding struct {
	ID     string `json:"id"`
	Thread string `json:"thread,omitempty"`
	Path   string `json:"path,omitempty"`
	// Line is of the head; without it OriginalLine says where it once was. A
	// finding about a whole file has neither.
	Line           int      `json:"line,omitempty"`
	OriginalLine   int      `json:"originalLine,omitempty"`
	Author         pr.Login `json:"author,omitempty"`
	Trusted        bool     `json:"trusted"`
	Severity       string   `json:"severity"`
	Text           string   `json:"text"`
	EarlierAnswers []Answer `json:"earlierAnswers,omitempty"`
	Outdated       bool     `json:"outdated,omitempty"`
	URL            string   `json:"url,omitempty"`
}

// An Answer is what was said in a finding's thread after the finding, by us or
// by a trusted author.
type Answer struct {
	Author pr.Login  `json:"author"`
	Ours   bool      `json:"ours"` // an earlier reply of prloop's
	At     time.Time `json:"at"`
	Text   string    `json:"text"`
}

// LeftOut counts what a brief had no room for.
type LeftOut struct {
	Findings     int `json:"findings"`
	Untrusted    int `json:"untrusted"`
	Suppressions int `json:"suppressions"`
}

// A Suppression is one kind of finding that people have called a false
// positive (seed 001, triage).
type Suppression struct {
	Path     string `json:"path"` // glob
	Category string `json:"category"`
	Reviewer string `json:"reviewer"` // a login, or *
}

// A Profile is the commands that must pass, in order, before a commit.
type Profile struct {
	Name     string          `json:"name"`
	Commands []ProfileAction `json:"commands"`
}

// A ProfileAction is one command of a profile. Where the command If fails, it
// is passed over.
type ProfileAction struct {
	Cmd string `json:"cmd"`
	If  string `json:"if,omitempty"`
}

// ProfileOf is a profile of the configuration, as a fixer is told of it.
func ProfileOf(p config.Profile) *Profile {
	out := &Profile{Name: p.Name}
	for _, c := range p.Commands {
		out.Commands = append(out.Commands, ProfileAction{c.Cmd, c.If})
	}
	return out
}

// A Budget is the agent's time (seed 003), in minutes.
type Budget struct {
	MinutesPerWave   int `json:"minutesPerWave"`
	WaitMinutes      int `json:"waitMinutes"`
	BuildMinutes     int `json:"buildMinutes"`
	Extensions       int `json:"extensions"`       // of one step, at most
	ExtensionMinutes int `json:"extensionMinutes"` // of each, at most
}

const (
	maxExtensions = 2  // of one step
	maxExtension  = 10 // minutes
)

// DefaultBudget is seed 003's.
func DefaultBudget() Budget {
	return Budget{MinutesPerWave: 5, WaitMinutes: 20, BuildMinutes: 10, Extensions: maxExtensions, ExtensionMinutes: maxExtension}
}

// DefaultGrace is the default of handoff.grace: for queue, checkout, tests and
// push.
const DefaultGrace = 30 * time.Minute

// For is how long the agent may take for a step over so many waves.
func (b Budget) For(step Step, waves int) time.Duration {
	minutes := b.MinutesPerWave * max(1, waves)
	switch step {
	case Fix:
		minutes += b.BuildMinutes
	case Build, Rebase:
		minutes = b.BuildMinutes
	case Review:
		minutes = b.WaitMinutes
	case Triage, Recap, Research, Reproduce, Plan, Respondent:
	}
	return time.Duration(minutes) * time.Minute
}

// Input is what a brief is made from. Fields may be zero; what then holds is
// said beside them.
type Input struct {
	Ref        Ref
	Step       Step // Fix
	Repository string
	Base       string
	Findings   []facts.Finding
	// Threads are the pull request's, for what was said in them; Ours tells
	// prloop's own replies (nil: nobody's).
	Threads []pr.Thread
	Ours    func(*pr.ThreadComment) bool
	// Trusts tells whose words count (facts.Trusts); nil: those of Copilot and of whoever may push.
	Trusts    func(*pr.ThreadComment) bool
	Untrusted []string
	Angles    []string

	Rubric         []Rule // Rubric()
	Suppressions   []Suppression
	PreCommit      *Profile
	RuleFiles      []string
	KnowledgeGraph string
	NeverCommit    []string // besides prloop's own folder
	CommitMessage  string   // prloop's own words
	Trailer        string   // prloop's own

	Budget Budget // DefaultBudget()
	// At is when the work is handed over. People have no deadline; that of a
	// job is the agent's budget with Grace (DefaultGrace) on top.
	At     time.Time
	Grace  time.Duration
	People bool
	// Deadline, where it is set, is the one that prloop keeps.
	Deadline time.Time
	Recap    *RecapBrief
	// JudgeSince and Issue are the brief's.
	JudgeSince pr.SHA
	Reviewer   *JobReviewer
	Issue      int
}

// Folder is where prloop puts the brief in a workspace; nothing in it is ever
// committed.
const Folder = ".prloop/"

// Bounds of a brief, so that one list cannot crowd out the findings.
const (
	maxAnswers = 10      // of one finding, the newest
	maxAnswer  = 2 << 10 // bytes
	maxFiles   = 100     // rule files
)

// NewBrief returns the brief of one hand-over. Findings keep their order. Only
// those by trusted authors are in it; the others are listed by id alone. It is
// the same for the same input.
func NewBrief(in Input) Brief {
	b := Brief{
		Schema:         BriefVersion,
		Handoff:        in.Ref,
		Step:           in.Step,
		Repository:     in.Repository,
		Base:           facts.Clean(in.Base),
		Findings:       []Finding{},
		Untrusted:      append([]string{}, in.Untrusted...),
		Angles:         in.Angles,
		Rubric:         in.Rubric,
		Suppressions:   append([]Suppression{}, in.Suppressions...),
		PreCommit:      in.PreCommit,
		RuleFiles:      append([]string{}, in.RuleFiles[:min(len(in.RuleFiles), maxFiles)]...),
		KnowledgeGraph: in.KnowledgeGraph,
		NeverCommit:    append([]string{Folder + "**"}, in.NeverCommit...),
		CommitMessage:  in.CommitMessage,
		Trailer:        in.Trailer,
		JudgeSince:     in.JudgeSince,
		Reviewer:       in.Reviewer.clean(),
		Issue:          in.Issue,
		Budget:         in.Budget,
		Recap:          in.Recap.clean(),
	}
	if b.Step == "" {
		b.Step = Fix
	}
	if b.Rubric == nil {
		b.Rubric = Rubric()
	}
	if b.PreCommit == nil {
		b.BuildDiscovery = Discovery()
	}
	if b.CommitMessage == "" {
		b.CommitMessage = fmt.Sprintf("Work off the findings of hand-over %d", in.Ref.Number)
	}
	if b.Trailer == "" { // no "#": each push would be a reference on the timeline
		b.Trailer = fmt.Sprintf("Prloop-Handoff: %d/%d", in.Ref.PR, in.Ref.Number)
	}
	if b.Budget == (Budget{}) {
		b.Budget = DefaultBudget()
	}
	talks := map[string]*pr.Thread{}
	for i := range in.Threads {
		talks[in.Threads[i].ID] = &in.Threads[i]
	}
	for _, f := range in.Findings {
		if f.Trusted {
			b.Findings = append(b.Findings, told(f, talks[f.Thread], in.Ours, in.Trusts))
		} else if !slices.Contains(b.Untrusted, f.ID) {
			b.Untrusted = append(b.Untrusted, f.ID)
		}
	}
	b.Waves, b.SameFileGroups = waves(b.Findings), sameFile(b.Findings)
	if !in.People {
		grace := in.Grace
		if grace == 0 {
			grace = DefaultGrace
		}
		deadline := in.At.Add(b.Budget.For(b.Step, len(b.Waves)) + grace).UTC()
		if !in.Deadline.IsZero() {
			deadline = in.Deadline.UTC()
		}
		b.Deadline = &deadline
	}
	return b
}

// told is a trusted author's finding with what was said after it.
func told(f facts.Finding, t *pr.Thread, ours, trusts func(*pr.ThreadComment) bool) Finding {
	if trusts == nil {
		trusts = facts.Trusts(config.Defaults())
	}
	out := Finding{
		ID:       f.ID,
		Thread:   f.Thread,
		Path:     line(f.Path),
		Line:     max(f.Line, 0),
		Author:   f.Author,
		Trusted:  true,
		Severity: f.Severity,
		Text:     strings.TrimSpace(facts.Clean(f.Text)),
		Outdated: f.Outdated,
		URL:      line(f.URL),
	}
	if t == nil {
		return out
	}
	if out.Line == 0 {
		out.OriginalLine = max(t.OriginalLine, 0)
	}
	said := false // the finding itself: the first comment that counts
	for i := range t.Comments {
		c := &t.Comments[i]
		mine := ours != nil && ours(c)
		if !mine && !trusts(c) {
			continue
		}
		if !said && !mine {
			said = true
			continue
		}
		if words := strings.TrimSpace(facts.Clean(c.Body)); words != "" {
			out.EarlierAnswers = append(out.EarlierAnswers, Answer{c.Author.Login, mine, c.CreatedAt.UTC(), clip(words, maxAnswer)})
		}
	}
	out.EarlierAnswers = out.EarlierAnswers[max(0, len(out.EarlierAnswers)-maxAnswers):]
	return out
}

// line is a stranger's value without anything that its reader would not see,
// on one line.
func line(s string) string {
	return clip(strings.Join(strings.Fields(facts.Clean(s)), " "), maxPath)
}
