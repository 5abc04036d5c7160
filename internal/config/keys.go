package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"

	"github.com/prloop/prloop/internal/autopilot"
)

// A Key is one key of the configuration file.
type Key struct {
	Path string // with dots: "select.enrol"
	// Short, where not empty, is the path of a group that may be written as
	// the value of this key alone.
	Short string
	Doc   string // one sentence, without a full stop
	// Later: it is read and checked, and has no effect yet. Whoever sets it is
	// told.
	Later bool
	value
}

// Keys are where the configuration is defined, in the order that the README
// shows them: the reader, the README's table and the JSON Schema come from it.
// Defaults are those of [Defaults].
var Keys = []Key{
	{
		Path: "fixer", Doc: "Who works findings off: `people`, or a `job` of your workflow that takes the output `handoff`",
		value: oneOf(func(s *Settings) *Fixer { return &s.Fixer }, People, Job),
	},
	{
		Path: "primaryFixer", Doc: "Who fixes, in the words of pr-autopilot: your own job (`claude`), Copilot's coding agent (`copilotSwe`), or what the reviewers' modes say (`auto`); it makes Mode X or Y",
		value: oneOf(func(s *Settings) *autopilot.PrimaryFixer { return &s.PrimaryFixer }, autopilot.Auto, autopilot.Claude, autopilot.CopilotSwe),
	},

	{
		Path: "handoff.grace", Doc: "How long a fixer job gets on top of its agent's budget, in minutes: for queue, checkout, tests and push",
		value: minutes(func(s *Settings) *time.Duration { return &s.HandoffGrace }, 0, day),
	},
	{
		Path: "select.enrol", Doc: "Which pull requests enter the loop by themselves: those opened, reopened, made ready or pushed to in the last 48 hours (`fresh`), `all`, or `none`; the label `prloop` always enters one",
		value: oneOf(func(s *Settings) *Enrol { return &s.Select.Enrol }, EnrolFresh, EnrolAll, EnrolNone),
	},
	{
		Path: "select.bots", Doc: "Bots whose pull requests are selected too; those of people and of Copilot's coding agent always are",
		value: list(func(s *Settings) *[]string { return &s.Select.Bots }, logins),
	},
	{
		Path: "select.forks", Doc: "Whether pull requests from forks are selected without the label `prloop`",
		value: trueFalse(func(s *Settings) *bool { return &s.Select.Forks }),
	},
	{
		Path: "select.labels", Doc: "Only pull requests with one of these labels; empty: with any or none",
		value: list(func(s *Settings) *[]string { return &s.Select.Labels }, labels),
	},
	{
		Path: "select.bases", Doc: "Only pull requests into one of these branches; empty: into any",
		value: list(func(s *Settings) *[]string { return &s.Select.Bases }, globs),
	},
	{
		Path: "select.stacked", Doc: "What happens to a pull request into the branch of another open one: the `loop` runs, and its merge waits for that one, or the whole of it does (`park`)",
		value: oneOf(func(s *Settings) *Stacked { return &s.Select.Stacked }, StackedLoop, StackedPark),
	},

	{
		Path: "issues.label", Doc: "Label of issues that prloop takes on, by research, a reproduction and a plan, until a pull request closes them; empty: it takes on none",
		value: text(func(s *Settings) *string { return &s.Issues.Label }, labels),
	},
	{
		Path: "issues.route", Doc: "How far it goes there: to the fix (`auto_fix`), or to the research alone (`research_only`)",
		value: oneOf(func(s *Settings) *IssueRoute { return &s.Issues.Route }, IssueAutoFix, IssueResearchOnly),
	},

	{
		Path: "draft", Doc: "What happens to a draft: `wait` until somebody marks it ready, or mark it `ready` when its checks are green",
		value: oneOf(func(s *Settings) *Draft { return &s.Draft }, DraftWait, DraftReady),
	},

	{
		Path: "reviewers.cursor.enabled", Short: "reviewers.cursor", Doc: "Whether Cursor's review of every head is read; it looks at each push by itself, and its own rules have to ask it for the score (inside the wrapper `prAutopilot`: true if missing)",
		value: onOff(func(s *Settings) *Mode { return &s.Reviewers.Cursor.Mode }, EachIter),
	},
	{
		Path: "reviewers.cursor.login", Doc: "Its account",
		value: login(func(s *Settings) *string { return &s.Reviewers.Cursor.Login }),
	},
	{
		Path: "reviewers.cursor.signal", Doc: "How it says that it is content: a `score` of 5 on a line of its own, or its `check`, Cursor Bugbot, of which neutral is no success",
		value: oneOf(func(s *Settings) *autopilot.Signal { return &s.Reviewers.Cursor.Signal }, autopilot.Score, autopilot.Check),
	},
	{
		Path: "reviewers.cursor.scoreRegex", Doc: "What begins the line of its score; the one group is the digit",
		value: pattern(func(s *Settings) *string { return &s.Reviewers.Cursor.ScoreRegex }),
	},
	required("cursor", func(s *Settings) *Reviewer { return &s.Reviewers.Cursor }),
	waitCap("cursor", func(s *Settings) *Reviewer { return &s.Reviewers.Cursor }),
	{
		Path: "reviewers.copilot.mode", Short: "reviewers.copilot", Doc: "When Copilot code review is asked: for every head (`each-iter`), at the end (`final-only`), or never (`off`); `reviewers` may be left out, and `copilot: each-iter` is short for it (inside the wrapper `prAutopilot`: final-only if missing)",
		value: oneOf(func(s *Settings) *Mode { return &s.Reviewers.Copilot.Mode }, Off, EachIter, FinalOnly),
	},
	{
		Path: "reviewers.copilot.login", Doc: "Its account, which has one name",
		value: login(func(s *Settings) *string { return &s.Reviewers.Copilot.Login }, "copilot-pull-request-reviewer", "copilot"),
	},
	required("copilot", func(s *Settings) *Reviewer { return &s.Reviewers.Copilot }),
	waitCap("copilot", func(s *Settings) *Reviewer { return &s.Reviewers.Copilot }),
	{
		Path: "reviewers.copilotSwe.mode", Short: "reviewers.copilotSwe", Doc: "What Copilot's coding agent does: fix (`each-iter`, which is Mode Y), review every head for a score by a mention (`review-score`, needs `user-token`), review once at the end (`final-only`), or nothing (`off`)",
		value: oneOf(func(s *Settings) *Mode { return &s.Reviewers.CopilotSwe.Mode }, Off, EachIter, ReviewScore, FinalOnly),
	},
	{
		Path: "reviewers.copilotSwe.login", Doc: "Its account, which has one name",
		value: login(func(s *Settings) *string { return &s.Reviewers.CopilotSwe.Login }, "copilot-swe-agent"),
	},
	{
		Path: "reviewers.copilotSwe.scoreRegex", Doc: "What begins the line of its score; the one group is the digit",
		value: pattern(func(s *Settings) *string { return &s.Reviewers.CopilotSwe.ScoreRegex }),
	},
	{
		Path: "reviewers.copilotSwe.judge", Doc: "Who judges what it pushes where it fixes: the verdicts of a job of yours, by its `report` (start it where the output should-review is true), or the built-in `rubric` alone, which asks a person to merge; what the rubric pauses is paused in both",
		value: oneOf(func(s *Settings) *Judge { return &s.Reviewers.Judge }, JudgeReport, JudgeRubric),
	},
	required("copilotSwe", func(s *Settings) *Reviewer { return &s.Reviewers.CopilotSwe }),
	waitCap("copilotSwe", func(s *Settings) *Reviewer { return &s.Reviewers.CopilotSwe }),
	{
		Path: "reviewers.codex.mode", Short: "reviewers.codex", Doc: "When Codex is asked: for every head (`each-iter`), at the end (`final-only`), or never (`off`); by a job of yours that is started where the output should-review is true, and reports in the step review",
		value: oneOf(func(s *Settings) *Mode { return &s.Reviewers.Codex.Mode }, Off, EachIter, FinalOnly),
	},
	{
		Path: "reviewers.codex.postCommentsToPR", Doc: "Whether Codex is asked on the pull request, by a mention (needs `user-token`), and not by a job of your workflow",
		value: trueFalse(func(s *Settings) *bool { return &s.Reviewers.Codex.PostCommentsToPR }),
	},
	{
		Path: "reviewers.codex.login", Doc: "Its account",
		value: login(func(s *Settings) *string { return &s.Reviewers.Codex.Login }),
	},
	required("codex", func(s *Settings) *Reviewer { return &s.Reviewers.Codex }),
	waitCap("codex", func(s *Settings) *Reviewer { return &s.Reviewers.Codex }),
	{
		Path: "reviewers.claudeSelf.enabled", Short: "reviewers.claudeSelf", Doc: "Whether a job of yours reviews once at the end, against a rubric: start it where the output should-review is true, and let it report a score from 1 to 5 (and its findings) in the step review",
		value: onOff(func(s *Settings) *Mode { return &s.Reviewers.ClaudeSelf.Mode }, FinalOnly),
	},
	{
		Path: "reviewers.claudeSelf.rubricFile", Doc: "That rubric, on the default branch, from the root of the repository; its text goes into the brief",
		value: word(func(s *Settings) *string { return &s.Reviewers.ClaudeSelf.RubricFile }, files),
	},
	required("claudeSelf", func(s *Settings) *Reviewer { return &s.Reviewers.ClaudeSelf }),
	waitCap("claudeSelf", func(s *Settings) *Reviewer { return &s.Reviewers.ClaudeSelf }),
	{
		Path: "reviewers.coderabbit.mode", Short: "reviewers.coderabbit", Doc: "When CodeRabbit's review of a head counts: in each round (`each-iter`), at the end (`final-only`), or never (`off`); it looks at each push by itself",
		value: oneOf(func(s *Settings) *Mode { return &s.Reviewers.CodeRabbit.Mode }, Off, EachIter, FinalOnly),
	},
	{
		Path: "reviewers.coderabbit.login", Doc: "Its account",
		value: login(func(s *Settings) *string { return &s.Reviewers.CodeRabbit.Login }),
	},
	required("coderabbit", func(s *Settings) *Reviewer { return &s.Reviewers.CodeRabbit }),
	waitCap("coderabbit", func(s *Settings) *Reviewer { return &s.Reviewers.CodeRabbit }),
	{
		Path: "reviewers.bots", Doc: "Further bots whose reviews are read: `login`, `mode` (each-iter, final-only), `trigger` (none, mention), `mention`, `signal` (threads, score, verdict, check), `scoreRegex`, `threshold` (5), `check`, `required` (true), `waitCap`",
		value: bots(),
	},

	{
		Path: "ci.checks", Doc: "Which checks count: the `required` ones, `all`, or those whose name matches a glob (in a name with slashes `**` crosses them); where it is missing, required ones if the base branch requires any, else all",
		value: checks(),
	},
	{
		Path: "ci.grace", Doc: "How long a head may be without any check before prloop stops (`no_checks`)",
		value: minutes(func(s *Settings) *time.Duration { return &s.CI.Grace }, 0, day),
	},
	{
		Path: "ci.waitCap", Doc: "How long to wait for pending checks of a head",
		value: minutes(func(s *Settings) *time.Duration { return &s.CI.WaitCap }, 1, week),
	},
	{
		Path: "ci.red", Doc: "What red checks do that prloop's own push did not turn red: `stop`, hand the failing check over as a finding (`handoff`), or `wait`",
		value: oneOf(func(s *Settings) *Red { return &s.CI.Red }, RedStop, RedHandoff, RedWait),
	},
	{
		Path: "ci.rerunFlaky", Doc: "Whether a job of GitHub Actions that failed on a head where it has passed before, so that no change of the code made it fail, is run again, once (needs `actions: write`)",
		value: trueFalse(func(s *Settings) *bool { return &s.CI.RerunFlaky }),
	},

	{
		Path: "gates.preApproval.requireCi", Doc: "Whether checks hold up a review and convergence; say `false` where there is no CI",
		value: trueFalse(func(s *Settings) *bool { return &s.RequireCI }),
	},

	{
		Path: "refinement.maxCopilotRounds", Doc: "After how many Copilot reviews the loop ends, or `none`",
		value: rounds(func(s *Settings) *int { return &s.Refinement.MaxCopilotRounds }, 1, 100),
	},
	{
		Path: "refinement.stopOnLowSignal", Doc: "Whether to end the loop when late rounds find little",
		value: trueFalse(func(s *Settings) *bool { return &s.Refinement.StopOnLowSignal }),
	},
	{
		Path: "refinement.lowSignalRoundThreshold", Doc: "After how many rounds a round counts as late",
		value: number(func(s *Settings) *int { return &s.Refinement.LowSignalRoundThreshold }, 0, 100),
	},
	{
		Path: "refinement.lowSignalMaxComments", Doc: "How many open comments count as little",
		value: number(func(s *Settings) *int { return &s.Refinement.LowSignalMaxComments }, 0, 100),
	},

	{
		Path: "recap.interval", Doc: "After how many rounds somebody looks back on all of them before the loop goes on; `refinement.maxCopilotRounds` ends the loop before that where it is no larger",
		value: number(func(s *Settings) *int { return &s.Recap.Interval }, 1, 100),
	},
	{
		Path: "recap.deadline", Doc: "How long people have to answer a recap; no answer by then is a hand-off (a fixer job has the budget of a wave and `handoff.grace`)",
		value: minutes(func(s *Settings) *time.Duration { return &s.Recap.Deadline }, 1, week),
	},
	{
		Path: "settle", Doc: "Whether a head has converged only once two looks in a row show the same, because GitHub may show some of it later than the rest",
		value: trueFalse(func(s *Settings) *bool { return &s.Settle }),
	},
	{
		Path: "convergence", Doc: "When a head has converged: in the `hardened` form, or by the `literal` words of copilot-pr-autopilot, in which the newest review has to find nothing, so that after findings that were all declined Copilot is asked about the same head again, within its cap, recap and budgets",
		value: oneOf(func(s *Settings) *Convergence { return &s.Convergence }, Hardened, Literal),
	},
	{
		Path: "cleanRounds", Doc: "How many reviews of one head in a row must find nothing before it has converged; Copilot is asked for the head again until then, within its cap and budgets",
		value: number(func(s *Settings) *int { return (*int)(&s.CleanRounds) }, 1, 10),
	},
	{
		Path: "proof.checkRun", Doc: "Whether the proof of convergence is put on the head as a check run named prloop too (needs `checks: write`): success where the reviews found nothing, neutral where a person has to decide; it counts for nothing in prloop's own decisions",
		value: trueFalse(func(s *Settings) *bool { return &s.CheckRun }),
	},
	{
		Path: "cleanup", Doc: "What is done about outdated threads that are still open when a head has converged, once: resolve those of the loop's reviewers that were answered for good (`on`), answer and resolve those too that `minSeverity` left (`force`), say which these would be (`dry-run`), or nothing (`off`); never one that anybody else spoke in, and never what a person has to decide",
		value: oneOf(func(s *Settings) *CleanUp { return &s.CleanUp }, CleanOn, CleanForce, CleanDry, CleanOff),
	},
	{
		Path: "minSeverity", Doc: "How grave a bot's finding is at least that is handed over; a list says it for round 1, 2 and so on, never falls, and its last word holds on. What is below is listed as left (proof, summary, status), stays open, and a person merges; one whose severity nobody says, or that a person spoke about, is always handed over",
		value: minSeverity(),
	},
	{
		Path: "singleIteration", Doc: "Whether the loop goes on without a review: open threads are worked off once, and then a person decides; where the review cannot be had (`auto`), always and without asking for one (`on`), or never (`off`)",
		value: oneOf(func(s *Settings) *Single { return &s.SingleIteration }, SingleAuto, SingleOn, SingleOff),
	},
	{
		Path: "checkpoints.A", Doc: "Whether work on findings begins by itself (`advisory`), waits for `/prloop approve A` (`blocking`), or never begins while decisions are only put on record (`shadow`)",
		value: oneOf(func(s *Settings) *Checkpoint { return &s.Checkpoints.A }, CheckpointAdvisory, CheckpointBlocking, CheckpointShadow),
	},
	{
		Path: "checkpoints.B", Doc: "The same of the plan, before the first hand-over: `/prloop approve B`",
		value: oneOf(func(s *Settings) *Checkpoint { return &s.Checkpoints.B }, CheckpointAdvisory, CheckpointBlocking, CheckpointShadow),
	},
	{
		Path: "checkpoints.C", Doc: "The same of the merge: `/prloop approve C`, or an approving review; `auto` is `advisory` where prloop may merge, else `blocking`",
		value: oneOf(func(s *Settings) *Checkpoint { return &s.Checkpoints.C }, CheckpointAuto, CheckpointAdvisory, CheckpointBlocking, CheckpointShadow),
	},

	{
		Path: "budgets.startsPerRun", Doc: "How many pull requests a run may start on: the first effect there is a start",
		value: number(func(s *Settings) *int { return &s.Budgets.StartsPerRun }, 1, 1000),
	},
	{
		Path: "budgets.reviewsPerPullRequest", Doc: "How many reviews prloop asks for on one pull request",
		value: number(func(s *Settings) *int { return &s.Budgets.ReviewsPerPullRequest }, 1, 1000),
	},
	{
		Path: "budgets.reviewsPerDay", Doc: "How many reviews prloop asks for in the repository on one day (UTC)",
		value: number(func(s *Settings) *int { return &s.Budgets.ReviewsPerDay }, 1, 500),
	},
	{
		Path: "budgets.handoffsPerPullRequest", Doc: "How often work of one pull request is handed over",
		value: number(func(s *Settings) *int { return &s.Budgets.HandoffsPerPullRequest }, 1, 1000),
	},

	{
		Path: "pollIntervalSeconds", Doc: "How long one tick is, in seconds (inside the wrapper `prAutopilot`: 90 if missing); waiting is counted in ticks of GitHub's clock, not in runs",
		value: secondsKey(func(s *Settings) *time.Duration { return &s.PollInterval }, 30, 86400),
	},
	{
		Path: "pollTickCap", Doc: "How many ticks prloop waits for a review",
		value: number(func(s *Settings) *int { return &s.PollTickCap }, 1, 1000),
	},
	{
		Path: "fixIterationCap", Doc: "How many fixes are made before the loop stops with findings open; as many rounds may end with every finding declined",
		value: number(func(s *Settings) *int { return &s.FixIterationCap }, 1, 100),
	},
	{
		Path: "stallTickCap", Doc: "How many ticks may go by without any progress where it is prloop's turn",
		value: number(func(s *Settings) *int { return &s.StallTickCap }, 1, 1000),
	},
	{
		Path: "wallClockCap", Doc: "How long the loop of one pull request may take from prloop's first effect on; 0: as long as it takes",
		value: minutes(func(s *Settings) *time.Duration { return &s.WallClockCap }, 0, 8*week),
	},
	{
		Path: "watch.minutes", Doc: "How long checks and deployments of the merge commit are watched after a merge, in minutes; what still runs then gets as long again; 0: they are not watched",
		value: minutes(func(s *Settings) *time.Duration { return &s.Watch.For }, 0, day),
	},
	{
		Path: "watch.onRegression", Doc: "What happens where one of them fails that passed on the commit before: `tell` a person, who can comment `/prloop revert`, or open the `revert` pull request",
		value: oneOf(func(s *Settings) *OnRegression { return &s.Watch.OnRegression }, TellRegression, RevertRegression),
	},
	{
		Path: "maxOpenThreads", Doc: "How many unresolved threads stop the loop",
		value: number(func(s *Settings) *int { return &s.MaxOpenThreads }, 1, 1000),
	},
	{
		Path: "threads", Doc: "Which unresolved threads count as open work: those that await an answer (`loop`), or every one (`strict`)",
		value: theWords("loop", "strict", func(s *Settings) *bool { return &s.Strict }),
	},
	{
		Path: "notify", Doc: "How a person is called when one must act, or when the loop is over: one `comment`, a comment with a `mention` of the author, or `none`",
		value: oneOf(func(s *Settings) *Notify { return &s.Notify }, NotifyComment, NotifyMention, NotifyNone),
	},
	{
		Path: "identities", Doc: "Accounts that prloop wrote with in former times; what they remembered is taken over",
		value: list(func(s *Settings) *[]string { return &s.Identities }, logins),
	},
	{
		Path: "reviewerLoop.reviewerLogin", Doc: "Whose reviews are prepared when one is asked of them: the account of `user-token`, which submits them; empty: nobody's",
		value: text(func(s *Settings) *string { return &s.ReviewerLoop.Login }, logins),
	},
	{
		Path: "reviewerLoop.angles", Doc: "What the runs of a prepared review look for, in their order; empty: all of them",
		value: list(func(s *Settings) *[]string { return &s.ReviewerLoop.Angles }, angles),
	},
	{
		Path: "reviewerLoop.waitCap", Doc: "How long a prepared review waits for its author to submit it; that the author deleted it nobody else sees; where it is missing, a week",
		value: minutes(func(s *Settings) *time.Duration { return &s.ReviewerLoop.WaitCap }, 1, 8*week),
	},
	{
		Path: "internalTooling.label", Doc: "Label of pull requests that need no Copilot review; empty: there are none",
		value: text(func(s *Settings) *string { return &s.InternalTooling.Label }, labels),
	},
	{
		Path: "preCommitProfiles", Doc: "What a fixer must run before it commits, by the name of the repository, else `default-pnpm`, `default-npm` or `default-yarn` where that lock file is there; a command with `if` is passed over where the command in `if` fails",
		value: profiles(),
	},
	{
		Path: "suppressions", Doc: "Path of a file on the default branch with findings that people have called false positives, one a line: `date | repository | fp | glob | category | reviewer or *`; the fixer is told of them",
		value: text(func(s *Settings) *string { return &s.Suppressions }, paths),
	},

	{
		Path: "templates.fix", Doc: "The reply to a finding that was fixed, in Markdown: `{commit}` stands for the commit, `{rationale}` for the fixer's words, `{finding}` for where it is; where it is missing, prloop's own words",
		value: template(func(s *Settings) *string { return &s.Templates.Fix }, InCommit),
	},
	{
		Path: "templates.decline", Doc: "The reply to a finding that was declined",
		value: template(func(s *Settings) *string { return &s.Templates.Decline }, InRationale),
	},
	{
		Path: "templates.drift", Doc: "The reply to a finding about documents or tests that had drifted from the code",
		value: template(func(s *Settings) *string { return &s.Templates.Drift }, InRationale),
	},
	{
		Path: "templates.partial", Doc: "The reply to a finding that was fixed in part and stays open",
		value: template(func(s *Settings) *string { return &s.Templates.Partial }, InRationale),
	},
	{
		Path: "templates.escalate", Doc: "The reply to a finding that a person should decide",
		value: template(func(s *Settings) *string { return &s.Templates.Escalate }, InRationale),
	},
	{
		Path: "autoMerge.enabled", Doc: "Whether prloop merges what has converged: the opt-in, which the input `auto-merge` counts over; without it a person merges",
		value: trueFalse(func(s *Settings) *bool { return &s.AutoMerge.Enabled }),
	},
	{
		Path: "autoMerge.allowedTargetBranches", Doc: "Into which branches prloop may merge",
		value: list(func(s *Settings) *[]string { return &s.AutoMerge.AllowedTargetBranches }, branches),
	},
	{
		Path: "autoMerge.neverMergeToBranches", Doc: "Into which branches it never merges, whatever else is said",
		value: list(func(s *Settings) *[]string { return &s.AutoMerge.NeverMergeToBranches }, branches),
	},
	{
		Path: "autoMerge.mergeMethod", Doc: "How it merges (a merge queue has a method of its own)",
		value: oneOf(func(s *Settings) *MergeMethod { return &s.AutoMerge.MergeMethod }, MergeCommit, Squash, Rebase),
	},
	{
		Path: "autoMerge.withoutChecks", Doc: "Whether it merges a head that no check counts for",
		value: trueFalse(func(s *Settings) *bool { return &s.AutoMerge.WithoutChecks }),
	},
	{
		Path: "autoMerge.updateBranch", Doc: "Whether a head that is behind its base is brought up to date where the base asks for that; the new head is reviewed again",
		value: trueFalse(func(s *Settings) *bool { return &s.AutoMerge.UpdateBranch }),
	},
	{
		Path: "autoMerge.deleteBranch", Doc: "Whether the head branch of what prloop merged is deleted, if it is of this repository and unprotected and no open pull request needs it",
		value: inverse(trueFalse(func(s *Settings) *bool { return &s.AutoMerge.KeepBranch }), func(s *Settings) *bool { return &s.AutoMerge.KeepBranch }),
	},
	{
		Path: "humanMergeOnly", Doc: "Whether people alone merge here, whatever else is said",
		value: trueFalse(func(s *Settings) *bool { return &s.HumanMergeOnly }),
	},
	{
		Path: "people", Doc: "What open threads of people do to a merge by prloop: hold it back (`block`), or nothing (`ignore`)",
		value: theWords("block", "ignore", func(s *Settings) *bool { return &s.Ignore }),
	},
	{
		Path: "pause.keepQueue", Doc: "Whether a pause leaves a merge armed that prloop armed",
		value: trueFalse(func(s *Settings) *bool { return &s.KeepQueue }),
	},
	{
		Path: "graphify.advisory", Doc: "What is done about a knowledge graph of the code (`graphify-out/graph.json`) before work goes to a job: nothing (`off`), one notice where there is none (`auto`), or a stop (`always`) (inside the wrapper `prAutopilot`: auto if missing)",
		value: oneOf(func(s *Settings) *Advisory { return &s.Graphify.Advisory }, AdvisoryOff, AdvisoryAuto, AdvisoryAlways),
	},
	{
		Path: "graphify.promptHint", Doc: "Whether the fixer is told to ask the knowledge graph first",
		value: trueFalse(func(s *Settings) *bool { return &s.Graphify.PromptHint }),
	},
}

// minSeverity is one severity, or one for each round, which never falls.
func minSeverity() value {
	words := []string{string(Low), string(Mid), string(High)}
	word := map[string]any{"enum": words}
	return value{
		takes:  either(words) + ", or a list of them that never falls",
		schema: map[string]any{"anyOf": []any{word, map[string]any{"type": "array", "items": word, "minItems": 1, "maxItems": maxRounds}}},
		set: func(r *reader, n ast.Node) {
			nodes := []ast.Node{n}
			if seq, ok := n.(*ast.SequenceNode); ok {
				nodes = seq.Values
			}
			if len(nodes) == 0 || len(nodes) > maxRounds {
				r.refuse(n, fmt.Sprintf("has %d entries, want 1 to %d", len(nodes), maxRounds))
				return
			}
			var list []Severity
			for _, one := range nodes {
				if one = r.resolve(one); one == nil {
					return
				}
				s, ok := scalar(one)
				switch level := Severity(s); {
				case !ok || level.Rank() < 1:
					r.refuse(one, wantOneOf(one, words, ""))
					return
				case len(list) > 0 && level.Rank() < list[len(list)-1].Rank():
					r.refuse(one, fmt.Sprintf("falls from %s to %s, and it may only rise from round to round", list[len(list)-1], level))
					return
				default:
					list = append(list, level)
				}
			}
			if list[len(list)-1] == Low {
				list = nil
			}
			r.settings.MinSeverity = list
		},
		show: func(s Settings) string {
			var list []string
			for _, level := range s.MinSeverity {
				list = append(list, string(level))
			}
			switch len(list) {
			case 0:
				return string(Low)
			case 1:
				return list[0]
			}
			return "[" + strings.Join(list, ", ") + "]"
		},
	}
}

const maxRounds = 100

// inverse is a value that is true where the field of v is false.
func inverse(v value, of func(*Settings) *bool) value {
	set, show := v.set, v.show
	v.set = func(r *reader, n ast.Node) {
		before := len(r.problems)
		if set(r, n); len(r.problems) == before {
			*of(&r.settings) = !*of(&r.settings)
		}
	}
	v.show = func(s Settings) string { return strconv.FormatBool(show(s) == "false") }
	return v
}

// required is the key that says whether a reviewer of each round has to have
// reviewed.
func required(name string, of func(*Settings) *Reviewer) Key {
	optional := func(s *Settings) *bool { return &of(s).Optional }
	v := inverse(trueFalse(optional), optional)
	return Key{Path: "reviewers." + name + ".required", Doc: "Whether nothing converges before it has reviewed the head", value: v}
}

// waitCap is the key of how long a reviewer is waited for.
func waitCap(name string, of func(*Settings) *Reviewer) Key {
	return Key{
		Path:  "reviewers." + name + ".waitCap",
		Doc:   "How long to wait for its review of a head; where it is missing, `pollTickCap` ticks of `pollIntervalSeconds`",
		value: minutes(func(s *Settings) *time.Duration { return &of(s).WaitCap }, 1, week),
	}
}

const (
	day  = 24 * 60 // minutes
	week = 7 * day
)

// A value is what a key takes.
type value struct {
	takes  string // for people: "`true` or `false`"
	schema map[string]any
	// set reads n into the settings, or says what is wrong. n is resolved: no
	// alias, no anchor.
	set func(r *reader, n ast.Node)
	// show is the value in s, as YAML.
	show func(s Settings) string
}

// Takes says for people what the key may be.
func (k Key) Takes() string { return k.takes }

// Says is Doc, and that the key has no effect yet where it has none.
func (k Key) Says() string {
	if k.Later {
		return k.Doc + " (read and checked, and without effect yet)"
	}
	return k.Doc
}

// Default is the value that counts where the key is missing, as YAML; empty
// where another key or a fact decides then.
func (k Key) Default() string { return k.show(Defaults()) }

func oneOf[T ~string](field func(*Settings) *T, allowed ...T) value {
	words := make([]string, 0, len(allowed))
	for _, a := range allowed {
		words = append(words, string(a))
	}
	return value{
		takes:  either(words),
		schema: map[string]any{"enum": words},
		set: func(r *reader, n ast.Node) {
			if s, ok := scalar(n); ok && slices.Contains(words, s) {
				*field(&r.settings) = T(s)
				return
			}
			r.refuse(n, wantOneOf(n, words, ""))
		},
		show: func(s Settings) string { return string(*field(&s)) },
	}
}

func either(words []string) string {
	return "`" + strings.Join(words[:len(words)-1], "`, `") + "` or `" + words[len(words)-1] + "`"
}

func wantOneOf(n ast.Node, words []string, more string) string {
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		quoted = append(quoted, strconv.Quote(w))
	}
	says := "is " + describe(n) + ", want " + strings.Join(quoted, " or ") + more
	if s, ok := scalar(n); ok {
		says += DidYouMean(s, words)
	}
	return says
}

// theWords is a choice between two words, of which yes sets the field.
func theWords(no, yes string, field func(*Settings) *bool) value {
	words := []string{no, yes}
	return value{
		takes:  either(words),
		schema: map[string]any{"enum": words},
		set: func(r *reader, n ast.Node) {
			s, ok := scalar(n)
			if !ok || !slices.Contains(words, s) {
				r.refuse(n, wantOneOf(n, words, ""))
				return
			}
			*field(&r.settings) = s == yes
		},
		show: func(s Settings) string {
			if *field(&s) {
				return yes
			}
			return no
		},
	}
}

func trueFalse(field func(*Settings) *bool) value {
	return value{
		takes:  "`true` or `false`",
		schema: map[string]any{"type": "boolean"},
		set: func(r *reader, n ast.Node) {
			b, ok := n.(*ast.BoolNode)
			if !ok {
				r.refuse(n, "is "+describe(n)+", want true or false")
				return
			}
			*field(&r.settings) = b.Value
		},
		show: func(s Settings) string { return strconv.FormatBool(*field(&s)) },
	}
}

// onOff is true for one mode and false for off.
func onOff(field func(*Settings) *Mode, on Mode) value {
	return value{
		takes:  "`true` or `false`",
		schema: map[string]any{"type": "boolean"},
		set: func(r *reader, n ast.Node) {
			b, ok := n.(*ast.BoolNode)
			if !ok {
				r.refuse(n, "is "+describe(n)+", want true or false")
				return
			}
			*field(&r.settings) = Off
			if b.Value {
				*field(&r.settings) = on
			}
		},
		show: func(s Settings) string { return strconv.FormatBool(*field(&s) == on) },
	}
}

// word is one item that must not be empty.
func word(field func(*Settings) *string, of item) value {
	return value{
		takes:  of.want,
		schema: of.schema(),
		set: func(r *reader, n ast.Node) {
			s, ok := of.read(n)
			if !ok {
				r.refuse(n, "is "+describe(n)+", want "+of.want)
				return
			}
			*field(&r.settings) = s
		},
		show: func(s Settings) string { return strconv.Quote(*field(&s)) },
	}
}

// login is an account. Where the account has fixed names, no other is taken.
func login(field func(*Settings) *string, names ...string) value {
	v := word(field, logins)
	if len(names) == 0 {
		return v
	}
	set := v.set
	v.set = func(r *reader, n ast.Node) {
		if s, ok := logins.read(n); ok && !slices.Contains(names, s) {
			r.refuse(n, "is "+describe(n)+", want "+strconv.Quote(names[0])+", which is what GitHub calls it")
			return
		}
		set(r, n)
	}
	return v
}

// pattern is a regular expression for a score.
func pattern(field func(*Settings) *string) value {
	v := word(field, patterns)
	v.set = func(r *reader, n ast.Node) {
		s, ok := scalar(n)
		wrong := "is " + describe(n) + ", want a regular expression"
		if ok {
			wrong = autopilot.ScorePattern(s)
		}
		if wrong != "" {
			r.refuse(n, wrong)
			return
		}
		*field(&r.settings) = s
	}
	return v
}

func number(field func(*Settings) *int, lo, hi int) value {
	return measured(lo, hi, "", func(s *Settings, n int) { *field(s) = n }, func(s Settings) int { return *field(&s) })
}

func minutes(field func(*Settings) *time.Duration, lo, hi int) value {
	return duration(field, time.Minute, "minutes", lo, hi)
}

func secondsKey(field func(*Settings) *time.Duration, lo, hi int) value {
	return duration(field, time.Second, "seconds", lo, hi)
}

func duration(field func(*Settings) *time.Duration, unit time.Duration, name string, lo, hi int) value {
	v := measured(lo, hi, name,
		func(s *Settings, n int) { *field(s) = time.Duration(n) * unit },
		func(s Settings) int { return int(*field(&s) / unit) })
	if lo > 0 {
		show := v.show
		v.show = func(s Settings) string { // 0 stands for "another key decides"
			if *field(&s) == 0 {
				return ""
			}
			return show(s)
		}
	}
	return v
}

// measured is a whole number of units ("" for a plain count).
func measured(lo, hi int, unit string, put func(*Settings, int), get func(Settings) int) value {
	if unit != "" {
		unit = " " + unit
	}
	want := fmt.Sprintf(", want a whole number from %d to %d", lo, hi)
	if unit != "" {
		want += ", in" + unit
	}
	return value{
		takes:  fmt.Sprintf("%d to %d%s", lo, hi, unit),
		schema: map[string]any{"type": "integer", "minimum": lo, "maximum": hi},
		set: func(r *reader, n ast.Node) {
			i, ok := integer(n)
			if !ok || i < lo || i > hi {
				r.refuse(n, "is "+describe(n)+want)
				return
			}
			put(&r.settings, i)
		},
		show: func(s Settings) string { return strconv.Itoa(get(s)) },
	}
}

// rounds is a number or the word none, which is 0 in the settings. The number
// 0 is refused: seed 000's project read it as "Copilot is off".
func rounds(field func(*Settings) *int, lo, hi int) value {
	plain := number(field, lo, hi)
	return value{
		takes:  plain.takes + ", or `none`",
		schema: map[string]any{"anyOf": []any{plain.schema, map[string]any{"const": "none"}}},
		set: func(r *reader, n ast.Node) {
			if s, ok := scalar(n); ok && s == "none" {
				*field(&r.settings) = 0
				return
			}
			i, ok := integer(n)
			if !ok || i < lo || i > hi {
				r.refuse(n, fmt.Sprintf("is %s, want a whole number from %d to %d, or none", describe(n), lo, hi))
				return
			}
			*field(&r.settings) = i
		},
		show: func(s Settings) string {
			if *field(&s) == 0 {
				return "none"
			}
			return plain.show(s)
		},
	}
}

// An item is a kind of text in lists.
type item struct {
	takes   string
	want    string
	pattern *regexp.Regexp // in the grammar that RE2 and ECMA 262 share
	longest int            // in characters
	check   func(string) bool
	spell   func(string) string
}

var (
	oneLine = regexp.MustCompile(`^[^\x00-\x1f]*\S[^\x00-\x1f]*$`)

	logins = item{
		takes: "logins", want: "a login, without @",
		pattern: regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$`), longest: 100,
		check: anything,
		spell: func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "[bot]") },
	}
	labels = item{
		takes: "labels", want: "a label",
		pattern: oneLine, longest: 50,
		check: anything,
		spell: strings.TrimSpace,
	}
	angles = item{
		takes: "angles", want: "one of correctness, tests, maintainability, security and scope",
		pattern: regexp.MustCompile(`^(correctness|tests|maintainability|security|scope)$`), longest: 20,
		check: anything,
		spell: strings.TrimSpace,
	}
	paths = item{
		takes: "paths", want: "a path from the root of the repository",
		// No part of it is . or .. or begins with two dots.
		pattern: regexp.MustCompile(`^\.?[A-Za-z0-9_-][A-Za-z0-9_.-]*(/\.?[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$`), longest: 200,
		check: anything,
		spell: strings.TrimSpace,
	}
	profileName = item{
		takes: "names", want: "the name of a repository without its owner, or default-pnpm, default-npm, default-yarn",
		pattern: regexp.MustCompile(`^[A-Za-z0-9._-]+$`), longest: 100,
		check: anything,
		spell: strings.TrimSpace,
	}
	command = item{
		takes: "commands", want: "a command on one line",
		pattern: oneLine, longest: 400,
		check: anything,
		spell: strings.TrimSpace,
	}
	branches = item{
		takes: "names of branches", want: "the name of a branch",
		pattern: oneLine, longest: 200,
		check: anything,
		spell: strings.TrimSpace,
	}
	files = item{
		takes: "paths", want: "a path within the repository",
		pattern: oneLine, longest: 500,
		check: inside,
		spell: strings.TrimSpace,
	}
	mentions = item{
		takes: "mentions", want: "words with a mention in them, as in \"@bot review\"",
		pattern: regexp.MustCompile(`@[A-Za-z0-9]`), longest: 1000,
		check: func(s string) bool { return !strings.Contains(s, "<!--") },
		spell: strings.TrimSpace,
	}
	checkNames = item{
		takes: "names of checks", want: "the name of a check",
		pattern: oneLine, longest: 200,
		check: anything,
		spell: strings.TrimSpace,
	}
	patterns = item{
		takes: "regular expressions", want: "a regular expression with one group",
		pattern: oneLine, longest: 200,
		check: anything,
		spell: strings.TrimSpace,
	}
	globs = item{
		takes: "globs", want: "a glob",
		pattern: oneLine, longest: 200,
		check: doublestar.ValidatePattern,
		spell: strings.TrimSpace,
	}
)

func anything(string) bool { return true }

// inside: a path that stays in the repository.
func inside(s string) bool {
	return !strings.HasPrefix(s, "/") && !strings.Contains(s, "\\") && !slices.Contains(strings.Split(s, "/"), "..")
}

// maxItems is how long a list may be.
const maxItems = 100

func (i item) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": i.pattern.String(), "maxLength": i.longest}
}

// read returns the item in n, in its one spelling.
func (i item) read(n ast.Node) (string, bool) {
	s, ok := scalar(n)
	if !ok || !i.pattern.MatchString(s) || utf8.RuneCountInString(s) > i.longest || !i.check(s) {
		return "", false
	}
	return i.spell(s), true
}

func list(field func(*Settings) *[]string, of item) value {
	return value{
		takes:  "a list of " + of.takes,
		schema: map[string]any{"type": "array", "items": of.schema(), "maxItems": maxItems},
		set: func(r *reader, n ast.Node) {
			if items, ok := r.items(n, of); ok {
				*field(&r.settings) = items
			}
		},
		show: func(s Settings) string { return showList(*field(&s)) },
	}
}

func showList(items []string) string {
	quoted := make([]string, 0, len(items))
	for _, i := range items {
		quoted = append(quoted, strconv.Quote(i))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// text is one item, or "" for none.
func text(field func(*Settings) *string, of item) value {
	return value{
		takes:  of.want,
		schema: map[string]any{"anyOf": []any{map[string]any{"const": ""}, of.schema()}},
		set: func(r *reader, n ast.Node) {
			if s, ok := scalar(n); ok && s == "" {
				*field(&r.settings) = ""
				return
			}
			s, ok := of.read(n)
			if !ok {
				r.refuse(n, "is "+describe(n)+", want "+of.want)
				return
			}
			*field(&r.settings) = s
		},
		show: func(s Settings) string { return strconv.Quote(*field(&s)) },
	}
}

// maxTemplate is how long a template may be, in characters.
const maxTemplate = 4000

// In a template: what looks like a placeholder, and a mention, which would call
// somebody in each reply (of "@copilot" it starts the coding agent).
var (
	placeholder = regexp.MustCompile(`\{[A-Za-z_]+\}`)
	mention     = regexp.MustCompile(`(^|[^A-Za-z0-9_/])@[A-Za-z0-9]`)
)

// template is the words of a reply, in which needed must stand.
func template(field func(*Settings) *string, needed string) value {
	return value{
		takes: "a text with `" + needed + "`",
		schema: map[string]any{
			"type": "string", "maxLength": maxTemplate, "pattern": regexp.QuoteMeta(needed),
			"not": map[string]any{"anyOf": []any{map[string]any{"pattern": mention.String()}, map[string]any{"pattern": "<!"}}},
		},
		set: func(r *reader, n ast.Node) {
			s, ok := scalar(n)
			if !ok {
				r.refuse(n, "is "+describe(n)+", want a text with "+needed)
				return
			}
			problems := badTemplate(s, needed)
			for _, says := range problems {
				r.refuse(n, says)
			}
			if len(problems) == 0 {
				*field(&r.settings) = s
			}
		},
		show: func(s Settings) string { // "" stands for prloop's own words, which depend on what was done
			if *field(&s) == "" {
				return ""
			}
			return strconv.Quote(*field(&s))
		},
	}
}

// badTemplate returns every problem of a template.
func badTemplate(s, needed string) []string {
	var problems []string
	known := []string{InCommit, InRationale, InFinding}
	for _, p := range placeholder.FindAllString(s, -1) {
		if !slices.Contains(known, p) {
			problems = append(problems, fmt.Sprintf("has the placeholder %.60q, which there is not%s", p, DidYouMean(p, known)))
		}
	}
	if !strings.Contains(s, needed) {
		problems = append(problems, "lacks "+needed)
	}
	if mention.MatchString(s) {
		problems = append(problems, "has a mention, and would call somebody in each reply")
	}
	if strings.Contains(s, "<!") {
		problems = append(problems, `has "<!", which prloop keeps for its own marker`)
	}
	if n := utf8.RuneCountInString(s); n > maxTemplate {
		problems = append(problems, fmt.Sprintf("has %d characters, at most %d are read", n, maxTemplate))
	}
	return problems
}

// maxCommands is how many commands a profile may have.
const maxCommands = 20

// profiles are lists of commands by name (seed 001, preCommitProfiles).
func profiles() value {
	one := map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"cmd"},
		"properties": map[string]any{"cmd": command.schema(), "if": command.schema()},
	}
	return value{
		takes: "lists of commands (`cmd`, `if`) by name",
		schema: map[string]any{
			"type": "object", "maxProperties": maxItems, "propertyNames": profileName.schema(),
			"additionalProperties": map[string]any{"type": "array", "minItems": 1, "maxItems": maxCommands, "items": one},
		},
		set: func(r *reader, n ast.Node) {
			if list, ok := r.profiles(n); ok {
				r.settings.PreCommitProfiles = list
			}
		},
		show: func(s Settings) string {
			var all []string
			for _, p := range s.PreCommitProfiles {
				var commands []string
				for _, c := range p.Commands {
					one := "{cmd: " + strconv.Quote(c.Cmd)
					if c.If != "" {
						one += ", if: " + strconv.Quote(c.If)
					}
					commands = append(commands, one+"}")
				}
				all = append(all, p.Name+": ["+strings.Join(commands, ", ")+"]")
			}
			return "{" + strings.Join(all, ", ") + "}"
		},
	}
}

// checks is which checks count: a word or a list of globs.
func checks() value {
	words := []string{"required", "all"}
	some := map[string]any{"type": "array", "items": globs.schema(), "minItems": 1, "maxItems": maxItems}
	return value{
		takes:  either(words) + ", or a list of globs",
		schema: map[string]any{"anyOf": []any{map[string]any{"enum": words}, some}},
		set: func(r *reader, n ast.Node) {
			if s, ok := scalar(n); ok && slices.Contains(words, s) {
				r.settings.CI.Set, r.settings.CI.Globs = s, nil
				return
			}
			seq, ok := n.(*ast.SequenceNode)
			switch {
			case !ok:
				r.refuse(n, wantOneOf(n, words, " or a list of globs"))
			case len(seq.Values) == 0:
				r.refuse(n, "is an empty list, so no check would count; leave the key out, or say gates.preApproval.requireCi: false")
			default:
				if items, ok := r.items(n, globs); ok {
					r.settings.CI.Set, r.settings.CI.Globs = "globs", items
				}
			}
		},
		show: func(s Settings) string {
			if s.CI.Set == "globs" {
				return showList(s.CI.Globs)
			}
			return s.CI.Set
		},
	}
}
