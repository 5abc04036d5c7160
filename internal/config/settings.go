// Package config reads what people set: the inputs of the action and the
// configuration file. Each is one table ([InputTable], [Keys]) from which also
// action.yml, the README and the JSON Schema come.
//
// Whatever is wrong is told at once and in one error; nothing that is unknown
// is passed over, because a misspelt key would leave its default in force.
//
// Start at [ParseInputs] and [ParseSettings].
package config

import (
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/pr"
)

// Settings are what .github/prloop.yml (on the default branch) and the input
// settings say, with every default filled in.
type Settings struct {
	Fixer Fixer
	// PrimaryFixer is seed 001's word for who fixes; with the reviewers' modes it
	// makes Mode (autopilot.Derive).
	PrimaryFixer autopilot.PrimaryFixer
	Mode         autopilot.Mode
	// HandoffGrace is what a job gets on top of its agent's budget: for queue,
	// checkout, tests and push.
	HandoffGrace time.Duration
	Select       Select
	Issues       Issues `json:",omitzero"`
	Draft        Draft
	Reviewers    Reviewers
	CI           CI
	// RequireCI is gates.preApproval.requireCi of seed 000's project.
	RequireCI  bool
	Refinement Refinement
	Budgets    Budgets
	// PollInterval is the length of one tick of the waiting counters
	// (pollIntervalSeconds: 300, inside the wrapper prAutopilot 90).
	PollInterval time.Duration
	PollTickCap  int // ticks that prloop waits for a review
	// FixIterationCap and StallTickCap are seed 001's caps.
	FixIterationCap int
	StallTickCap    int
	// WallClockCap is how long the loop may take in all; 0: as long as it takes.
	WallClockCap time.Duration `json:",omitzero"`
	// MaxOpenThreads is how many unresolved threads stop the loop.
	MaxOpenThreads int
	// Strict feeds every unresolved thread to the machine (threads: strict).
	Strict bool
	Notify Notify
	// Identities are former accounts of prloop; their journals are adopted.
	Identities []string
	// InternalTooling says which pull requests skip Copilot's review.
	InternalTooling InternalTooling
	// Templates are the words of replies to findings.
	Templates Templates
	// PreCommitProfiles are the commands that must pass before a commit: seed
	// 001's, by the name of a repository or default-pnpm, default-npm,
	// default-yarn. In the order of the text.
	PreCommitProfiles []Profile
	// Suppressions is the path of the file with findings that people have called
	// false positives, from the root of the repository; empty where there is none.
	Suppressions string
	ReviewerLoop ReviewerLoop
	AutoMerge    AutoMerge
	// HumanMergeOnly closes the merge for prloop, whatever else is said.
	HumanMergeOnly bool `json:",omitzero"`
	// KeepQueue: a pause leaves an armed merge armed (pause.keepQueue).
	KeepQueue bool `json:",omitzero"`
	// Ignore: open threads of people do not hold a merge back (people: ignore).
	Ignore   bool `json:",omitzero"`
	Graphify Graphify
	Recap    Recap
	// Settle: a head has converged once two snapshots in a row show the same.
	Settle bool
	// CleanRounds is how many clean reviews of one head in a row Copilot has to
	// give; MinSeverity, by round, how grave a finding is at least that is work:
	// none where every one is.
	CleanRounds CleanRounds `json:",omitzero"`
	MinSeverity []Severity  `json:",omitzero"`
	// Convergence is the form in which convergence is judged.
	Convergence Convergence `json:",omitzero"`
	// CleanUp is what is done about outdated threads after convergence.
	CleanUp CleanUp `json:",omitzero"`
	// CheckRun: the proof of convergence is shown as a check run on the head.
	CheckRun bool `json:",omitzero"`
	// SingleIteration is whether the loop goes on without a review (seed 003).
	SingleIteration Single
	// Checkpoints are the quest's (seed 002, "Checkpoints in detail").
	Checkpoints Checkpoints
	// Watch is how the base branch is watched after a merge (design 7).
	Watch Watch `json:",omitzero"`
}

// Checkpoints has the mode of each checkpoint.
type Checkpoints struct{ A, B, C Checkpoint }

// A Checkpoint is what a decision at a checkpoint can do.
type Checkpoint string

// The modes of a checkpoint.
const (
	// CheckpointAuto is blocking, and advisory where prloop may merge: of C alone.
	CheckpointAuto     Checkpoint = "auto"
	CheckpointBlocking Checkpoint = "blocking" // waits for a person
	CheckpointAdvisory Checkpoint = "advisory" // prloop decides, with evidence; a person outranks it
	CheckpointShadow   Checkpoint = "shadow"   // decisions are recorded and move nothing
)

// A Convergence is a form in which convergence is judged (design 6).
type Convergence string

// The forms.
const (
	Hardened Convergence = "hardened"
	Literal  Convergence = "literal" // the words of seed 003, step 9
)

// IsZero: the default is left out of the settings' JSON (see Judge.IsZero).
func (c Convergence) IsZero() bool { return c == "" || c == Hardened }

// CleanUp is what the clean-up of outdated threads does (seed 003, step 10).
type CleanUp string

// What it does.
const (
	CleanOn    CleanUp = "on"      // resolves what was answered
	CleanForce CleanUp = "force"   // and what awaits an answer
	CleanDry   CleanUp = "dry-run" // says what it would resolve
	CleanOff   CleanUp = "off"
)

// IsZero: the default is left out of the settings' JSON (see Judge.IsZero).
func (c CleanUp) IsZero() bool { return c == "" || c == CleanOn }

// CleanRounds is a number of reviews, from 1.
type CleanRounds int

// IsZero: the default is left out of the settings' JSON (see Judge.IsZero).
func (n CleanRounds) IsZero() bool { return n <= 1 }

// A Severity is how grave a finding is.
type Severity string

// The severities, the lightest first.
const (
	Low  Severity = "low"
	Mid  Severity = "mid"
	High Severity = "high"
)

// Rank orders severities, from 1; 0 is none of them.
func (s Severity) Rank() int { return slices.Index([]Severity{"", Low, Mid, High}, s) }

// Floor is how grave a finding is at least that is work after so many rounds. It
// only rises from round to round (a ratchet).
func (s Settings) Floor(rounds int) Severity {
	n := len(s.MinSeverity)
	if n == 0 || s.Strict {
		return Low
	}
	return s.MinSeverity[min(max(rounds, 1), n)-1]
}

// A Watch is how long a merge commit is watched, and what a regression does.
type Watch struct {
	For          time.Duration // 0: it is not watched
	OnRegression OnRegression
}

// IsZero: the default is left out of the settings' JSON, so that the digest of a
// configuration without the key is what it was before there was one.
func (w Watch) IsZero() bool { return w == Watch{} || w == watchDefault }

var watchDefault = Watch{For: 30 * time.Minute, OnRegression: TellRegression}

// OnRegression is what prloop does about a regression.
type OnRegression string

// What it does.
const (
	TellRegression   OnRegression = "tell"   // a person is called
	RevertRegression OnRegression = "revert" // the revert pull request is opened
)

// A Single is when the loop goes on without a review: open threads are worked
// off once, and a person decides.
type Single string

// When that is.
const (
	SingleAuto Single = "auto" // where the review cannot be had
	SingleOn   Single = "on"
	SingleOff  Single = "off"
)

// A Recap is when the loop is looked back on (seed 003, "round-cap recap gate").
type Recap struct {
	// Interval is after how many rounds it is due.
	Interval int
	// Deadline is how long people have for their answer. A job has its agent's
	// budget and HandoffGrace.
	Deadline time.Duration
}

// ReviewerLoop is the loop that prepares reviews for somebody (design 3).
type ReviewerLoop struct {
	// Login is whose reviews are prepared, the account of user-token; empty:
	// nobody's.
	Login string
	// Angles are what the runs look for, in their order; empty: all of them.
	Angles []string
	// WaitCap is how long a prepared review waits to be submitted; 0: a week.
	WaitCap time.Duration `json:",omitzero"`
}

// SubmitWait is how long a prepared review waits for its author.
func (l ReviewerLoop) SubmitWait() time.Duration {
	if l.WaitCap > 0 {
		return l.WaitCap
	}
	return week * time.Minute
}

// A Profile is commands that run in order; the first that fails ends it.
type Profile struct {
	Name     string
	Commands []ProfileCommand
}

// A ProfileCommand is one of a profile. Where the command If fails, it is passed over.
type ProfileCommand struct{ Cmd, If string }

// Profile is the profile for a repository by its name without the owner, else
// for the package manager whose lock file is there ("" where none is), as seed
// 001 chooses (step 11); nil where there is none.
func (s Settings) Profile(repo, manager string) *Profile {
	for _, name := range []string{repo, "default-" + manager} {
		i := slices.IndexFunc(s.PreCommitProfiles, func(p Profile) bool { return strings.EqualFold(p.Name, name) })
		if i >= 0 {
			return &s.PreCommitProfiles[i]
		}
	}
	return nil
}

// Templates are the words of replies to findings, by what was done: Markdown of
// the repository's own with the placeholders below. An empty one stands
// for prloop's own words.
type Templates struct {
	Fix, Decline, Drift, Partial, Escalate string
}

// The placeholders of a template.
const (
	InCommit    = "{commit}"
	InRationale = "{rationale}"
	InFinding   = "{finding}"
)

// AutoMerge is to what, and how, prloop may merge (seed 001).
type AutoMerge struct {
	AllowedTargetBranches []string
	NeverMergeToBranches  []string // counts over the allowed ones
	MergeMethod           MergeMethod
	// Enabled is the opt-in: without it prloop never merges.
	Enabled bool `json:",omitzero"`
	// WithoutChecks: a head that no check counts for may be merged.
	WithoutChecks bool `json:",omitzero"`
	// UpdateBranch: a head that is behind its base is brought up to date.
	UpdateBranch bool `json:",omitzero"`
	// KeepBranch: the head branch of what prloop merged stays (deleteBranch: false).
	KeepBranch bool `json:",omitzero"`
}

// A MergeMethod is how a pull request is merged.
type MergeMethod string

// The ways to merge.
const (
	MergeCommit MergeMethod = "merge"
	Squash      MergeMethod = "squash"
	Rebase      MergeMethod = "rebase"
)

// Graphify is what a knowledge graph of the code is to the loop (seed 001).
type Graphify struct {
	Advisory   Advisory
	PromptHint bool
}

// An Advisory is how much a knowledge graph is asked for.
type Advisory string

// The advisories.
const (
	AdvisoryOff    Advisory = "off"
	AdvisoryAuto   Advisory = "auto"
	AdvisoryAlways Advisory = "always"
)

// A Fixer is who works findings off.
type Fixer string

// The fixers.
const (
	People Fixer = "people"
	Job    Fixer = "job"
)

// A Draft is what prloop does with a draft.
type Draft string

// What happens to drafts.
const (
	DraftWait  Draft = "wait"
	DraftReady Draft = "ready" // mark ready when checks are green
)

// An Enrol is which pull requests enter the loop by themselves.
type Enrol string

// Who enters by itself (select.enrol).
const (
	EnrolFresh Enrol = "fresh" // opened, reopened, made ready or pushed to in the last 48 hours
	EnrolAll   Enrol = "all"
	EnrolNone  Enrol = "none"
)

// EnrolFor is how long a pull request counts as fresh.
const EnrolFor = 48 * time.Hour

// Select says which pull requests prloop takes on.
type Select struct {
	Enrol Enrol
	// Bots are logins of bots whose pull requests are selected too. Copilot's
	// coding agent always is.
	Bots []string
	// Forks: pull requests from forks are selected without the label.
	Forks bool
	// Labels, where given: only pull requests with one of them.
	Labels []string
	// Bases, where given: only pull requests into one of these branches (globs).
	Bases []string
	// Stacked is what happens to one that is stacked on another.
	Stacked Stacked
}

// Issues says which issues are quests of their own.
type Issues struct {
	Label string     // empty: none
	Route IssueRoute `json:",omitempty"` // empty: auto_fix
}

// An IssueRoute is how far the quest of an issue goes, in the words of seed 002.
type IssueRoute string

// The routes that a configuration can name.
const (
	IssueAutoFix      IssueRoute = "auto_fix" // also where nothing is said
	IssueResearchOnly IssueRoute = "research_only"
)

// A Stacked is what happens to a pull request into the branch of another one.
type Stacked string

// The words for it.
const (
	StackedLoop Stacked = "loop" // its merge waits
	StackedPark Stacked = "park" // all of it waits
)

// Labels that prloop reads.
const (
	LabelEnrol = "prloop"
	LabelSkip  = "prloop:skip"
)

// Reviewers are the reviewers of the loop, by the names of seed 001.
type Reviewers struct {
	Copilot    Reviewer
	Cursor     Reviewer
	CopilotSwe Reviewer
	// Judge says who judges the commits of the coding agent in Mode Y.
	Judge      Judge `json:",omitzero"`
	Codex      Reviewer
	ClaudeSelf Reviewer
	CodeRabbit Reviewer
	// Bots are further ones, by their login.
	Bots []Reviewer
}

// A Judge says who judges the commits of Copilot's coding agent (design 5).
type Judge string

// The judges. A PAUSE of the rubric stands whoever judges.
const (
	JudgeReport Judge = "report" // a job of the user's, by the verdicts of its report
	JudgeRubric Judge = "rubric" // the built-in rubric alone
)

// IsZero: the default is left out of the settings' JSON, so that the digest of a
// configuration without the key is what it was before there was one.
func (j Judge) IsZero() bool { return j == "" || j == JudgeReport }

// A Mode is in which phase a reviewer is asked, and for what.
type Mode string

// The modes of a reviewer (seed 001).
const (
	Off         Mode = "off"
	EachIter    Mode = "each-iter"
	ReviewScore Mode = "review-score" // in each round, for a score alone
	FinalOnly   Mode = "final-only"
)

// A Reviewer is what the configuration says of one reviewer.
type Reviewer struct {
	Mode Mode
	// WaitCap is how long prloop waits for its review; 0 stands for
	// PollTickCap ticks.
	WaitCap time.Duration
	// Optional: nothing waits for it to have reviewed (required: false).
	Optional bool
	Login    string
	// ScoreRegex finds its score. Signal is how it tells that it is content,
	// where there is a choice.
	ScoreRegex string
	Signal     autopilot.Signal
	// PostCommentsToPR: Codex is asked on the pull request, and not by a job.
	PostCommentsToPR bool
	RubricFile       string // of claudeSelf
	// What a preset has by itself, of another bot.
	Trigger   autopilot.Trigger
	Mention   string
	Threshold int
	Check     string
}

// CI says which checks count, and what they hold up.
type CI struct {
	// Set is "required", "all" or "globs"; empty stands for required where the
	// base requires any, else all.
	Set   string
	Globs []string
	// Grace is how long a head may stay without any check.
	Grace time.Duration
	// WaitCap is how long pending checks are waited for.
	WaitCap time.Duration
	Red     Red
	// RerunFlaky: a check that failed on a head where it has passed is run again,
	// once.
	RerunFlaky bool
}

// Red is what happens when checks fail that prloop's own push did not turn red.
type Red string

// What red checks do.
const (
	RedStop    Red = "stop"
	RedHandoff Red = "handoff"
	RedWait    Red = "wait"
)

// Refinement has seed 000's knobs.
type Refinement struct {
	MaxCopilotRounds        int // 0: none
	StopOnLowSignal         bool
	LowSignalRoundThreshold int
	LowSignalMaxComments    int
}

// Budgets bound what prloop spends.
type Budgets struct {
	StartsPerRun           int
	ReviewsPerPullRequest  int
	ReviewsPerDay          int // of the repository, by UTC day
	HandoffsPerPullRequest int
}

// Notify is how a person is called.
type Notify string

// How a person is called.
const (
	NotifyComment Notify = "comment"
	NotifyMention Notify = "mention"
	NotifyNone    Notify = "none"
)

// InternalTooling assigns internal_tooling_direct_gate: a pull request with
// the label.
type InternalTooling struct {
	Label string
}

// Defaults are the settings without a file.
func Defaults() Settings {
	return Settings{
		Fixer:        People,
		HandoffGrace: 30 * time.Minute,
		Select:       Select{Enrol: EnrolFresh, Stacked: StackedLoop},
		Draft:        DraftWait,
		PrimaryFixer: autopilot.Auto,
		Mode:         autopilot.X,
		Reviewers: Reviewers{
			Copilot:    Reviewer{Mode: EachIter, Login: "copilot-pull-request-reviewer"},
			Cursor:     Reviewer{Mode: Off, Login: "cursor", ScoreRegex: autopilot.CursorScore, Signal: autopilot.Score},
			CopilotSwe: Reviewer{Mode: Off, Login: "copilot-swe-agent", ScoreRegex: autopilot.ReadinessScore},
			Judge:      JudgeReport,
			Codex:      Reviewer{Mode: Off, Login: "chatgpt-codex-connector"},
			ClaudeSelf: Reviewer{Mode: Off, RubricFile: "SELF-REVIEW-RUBRIC.md"},
			CodeRabbit: Reviewer{Mode: Off, Login: "coderabbitai"},
		},
		CI:         CI{Grace: 15 * time.Minute, WaitCap: 6 * time.Hour, Red: RedStop},
		RequireCI:  true,
		Refinement: Refinement{MaxCopilotRounds: 5, LowSignalRoundThreshold: 3, LowSignalMaxComments: 2},
		Budgets: Budgets{
			StartsPerRun: 5, ReviewsPerPullRequest: 10, ReviewsPerDay: 50, HandoffsPerPullRequest: 10,
		},
		PollInterval:    300 * time.Second,
		PollTickCap:     10,
		FixIterationCap: 5,
		StallTickCap:    6,
		MaxOpenThreads:  50,
		Notify:          NotifyComment,
		AutoMerge: AutoMerge{
			AllowedTargetBranches: []string{"dev"}, NeverMergeToBranches: []string{"master", "main", "production"}, MergeMethod: Squash,
		},
		Graphify: Graphify{Advisory: AdvisoryOff, PromptHint: true},
		Recap:    Recap{Interval: 10, Deadline: 24 * time.Hour},

		SingleIteration: SingleAuto,
		Checkpoints:     Checkpoints{CheckpointAdvisory, CheckpointAdvisory, CheckpointAuto},
		CleanRounds:     1,
		CleanUp:         CleanOn,
		Convergence:     Hardened,
		Watch:           watchDefault,
	}
}

// ReviewWait is how long the loop waits for Copilot's review.
func (s Settings) ReviewWait() time.Duration { return s.wait(s.Reviewers.Copilot) }

// AgentWait is how long the loop waits for Copilot's coding agent to do
// something (seed 001, pollTicksWithoutActivity).
func (s Settings) AgentWait() time.Duration { return s.wait(s.Reviewers.CopilotSwe) }

func (s Settings) wait(r Reviewer) time.Duration {
	if r.WaitCap > 0 {
		return r.WaitCap
	}
	return time.Duration(s.PollTickCap) * s.PollInterval
}

// Rows are the reviewers that are on, in the order of autopilot.Presets. The
// coding agent is none of them where it fixes (Mode Y).
func (s Settings) Rows() []autopilot.Reviewer {
	var rows []autopilot.Reviewer
	for _, row := range autopilot.Presets {
		r := s.Reviewers.named(row.Name)
		if r.Mode == Off || row.Name == "copilotSwe" && r.Mode == EachIter {
			continue
		}
		row.Phase, row.Required, row.WaitCap = r.phase(), !r.Optional, s.wait(*r)
		if row.Name == "copilotSwe" && r.Mode == FinalOnly { // judged by its words (seed 001, step 9)
			row.Signal, row.Mention = autopilot.Verdict, autopilot.MentionFinal
		}
		if r.Login != "" && row.Name != "copilot" {
			row.Logins = []pr.Login{pr.NewLogin(r.Login)}
		}
		if r.ScoreRegex != "" {
			row.ScoreLine = r.ScoreRegex
		}
		switch {
		case r.Signal == autopilot.Check:
			row.Signal, row.Check = autopilot.Check, bugbot
		case row.Name == "codex" && !r.PostCommentsToPR:
			row.Trigger, row.Mention, row.Signal = autopilot.Command, "", autopilot.Report
		}
		if row.Trigger == autopilot.Command { // 0: the budget of a job's review, and handoff.grace
			row.WaitCap, row.Threshold = r.WaitCap, 5
		}
		rows = append(rows, row)
	}
	for _, b := range s.Reviewers.Bots {
		if b.Mode != Off {
			rows = append(rows, s.row(b))
		}
	}
	return rows
}

func (r Reviewer) phase() autopilot.Phase {
	if r.Mode == FinalOnly {
		return autopilot.FinalOnly
	}
	return autopilot.EachIter
}

// named is what the configuration says of a preset.
func (r *Reviewers) named(preset string) *Reviewer {
	switch preset {
	case "cursor":
		return &r.Cursor
	case "copilot":
		return &r.Copilot
	case "copilotSwe":
		return &r.CopilotSwe
	case "codex":
		return &r.Codex
	case "claudeSelf":
		return &r.ClaudeSelf
	case "coderabbit":
		return &r.CodeRabbit
	}
	panic("config: no setting is of the reviewer " + preset)
}

// CopilotAlone reports whether Copilot is the only reviewer that is on.
func (s *Settings) CopilotAlone() bool {
	for _, p := range autopilot.Presets {
		if on := s.Reviewers.named(p.Name).Mode != Off; on != (p.Name == "copilot") {
			return false
		}
	}
	return !slices.ContainsFunc(s.Reviewers.Bots, func(b Reviewer) bool { return b.Mode != Off })
}

// bugbot is the check run of Cursor's reviewer.
const bugbot = "Cursor Bugbot"

// MatchAny reports whether name is one of the globs, or matches one. In a name
// with slashes "*" stops at them and "**" crosses them. The globs are valid:
// ParseSettings has looked at them.
func MatchAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return g == name || doublestar.MatchUnvalidated(g, name) })
}
