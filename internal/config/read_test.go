package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/fail"
)

// settings are the defaults, changed by each edit in turn.
func settings(edits ...func(*Settings)) Settings {
	s := Defaults()
	for _, edit := range edits {
		edit(&s)
	}
	return s
}

// wrapped has seed 001's defaults inside the wrapper.
func wrapped(s *Settings) {
	s.PreCommitProfiles, s.Graphify.Advisory = wrappedProfiles, AdvisoryAuto
	s.PollInterval, s.Reviewers.Cursor.Mode, s.Reviewers.Copilot.Mode = 90*time.Second, EachIter, FinalOnly
}

// good has sources that are read. The schema takes each of them too.
var good = []struct {
	says  string
	texts []string
	want  Settings
	warns []string
}{
	{"no source at all", nil, Defaults(), nil},
	{"an empty file", []string{""}, Defaults(), nil},
	{"a file of comments", []string{"# later\n---\n"}, Defaults(), nil},
	{"groups whose keys are all commented out", []string{"ci:\n  # grace: 5\nreviewers:\n  copilot:\ngates:\n  preApproval:\n"}, Defaults(), nil},
	{
		"every key",
		[]string{`
fixer: job
primaryFixer: auto
handoff:
  grace: 45
select:
  enrol: all
  bots: ["Renovate[bot]", dependabot]
  forks: true
  labels: [ready for review, "123"]
  bases: [main, "release/**"]
draft: ready
reviewers:
  copilot: {mode: each-iter, waitCap: 30, login: "Copilot", required: true}
  cursor: {enabled: true, waitCap: 31, required: false, login: "bugbot[bot]", scoreRegex: '(?i)grade:\s*([1-5])', signal: check}
  copilotSwe: {mode: review-score, waitCap: 32, login: copilot-swe-agent, scoreRegex: '(?i)ready:\s*([1-5])', judge: rubric, required: true}
  codex: {mode: each-iter, waitCap: 33, login: codex, postCommentsToPR: true, required: true}
  claudeSelf: {enabled: true, rubricFile: docs/RUBRIC.md}
  coderabbit: {mode: each-iter, waitCap: 34, login: rabbit, required: true}
  bots:
    - login: Greptile-Apps[bot]
      signal: score
      scoreRegex: '(?i)confidence score:\s*([1-5])'
      threshold: 4
    - {login: gemini, trigger: mention, mention: "@gemini review", signal: verdict, required: false, waitCap: 35}
    - {login: lint-bot, signal: check, check: "Lint / review", mode: "off"}
ci:
  checks:
    - "ci / test (*)"
    - lint
  grace: 0
  waitCap: 90
  red: handoff
  rerunFlaky: true
gates:
  preApproval:
    requireCi: false
refinement:
  maxCopilotRounds: 7
  stopOnLowSignal: true
  lowSignalRoundThreshold: 4
  lowSignalMaxComments: 1
budgets:
  startsPerRun: 1
  reviewsPerPullRequest: 8
  reviewsPerDay: 3
  handoffsPerPullRequest: 4
pollIntervalSeconds: 120
pollTickCap: 20
fixIterationCap: 4
stallTickCap: 8
wallClockCap: 600
maxOpenThreads: 60
threads: strict
notify: mention
identities: [hubot]
internalTooling:
  label: tooling
preCommitProfiles:
  demo:
    - cmd: make check
    - {cmd: make slow, if: "git diff --name-only HEAD~1 HEAD | grep -q '^slow/'"}
  default-npm: [{cmd: npm test}]
suppressions: .github/suppressions.txt
templates:
  fix: "Fixed in {commit}."
  decline: |
    No.
    {rationale} ({finding}, mail a@example.com)
  drift: "{rationale}"
  partial: "{rationale}"
  escalate: "{rationale}"
autoMerge:
  allowedTargetBranches: [dev, next]
  neverMergeToBranches: [main]
  mergeMethod: rebase
  enabled: true
  withoutChecks: true
  updateBranch: true
  deleteBranch: false
humanMergeOnly: true
people: ignore
pause: {keepQueue: true}
recap: {interval: 4, deadline: 60}
singleIteration: off
watch: {minutes: 45, onRegression: revert}
settle: true
checkpoints: {A: blocking, B: shadow, C: advisory}
proof: {checkRun: true}
convergence: literal
cleanRounds: 2
cleanup: force
minSeverity: [low, low, mid]
graphify:
  advisory: always
  promptHint: false
`},
		Settings{
			Fixer: Job,
			Select: Select{
				Enrol: EnrolAll, Bots: []string{"renovate", "dependabot"}, Forks: true,
				Labels: []string{"ready for review", "123"}, Bases: []string{"main", "release/**"},
				Stacked: StackedLoop,
			},
			HandoffGrace: 45 * time.Minute,
			Draft:        DraftReady,
			PrimaryFixer: autopilot.Auto,
			Mode:         autopilot.X,
			Reviewers: Reviewers{
				Copilot:    Reviewer{Mode: EachIter, WaitCap: 30 * time.Minute, Login: "copilot"},
				Cursor:     Reviewer{Mode: EachIter, WaitCap: 31 * time.Minute, Optional: true, Login: "bugbot", ScoreRegex: `(?i)grade:\s*([1-5])`, Signal: autopilot.Check},
				CopilotSwe: Reviewer{Mode: ReviewScore, WaitCap: 32 * time.Minute, Login: "copilot-swe-agent", ScoreRegex: `(?i)ready:\s*([1-5])`},
				Judge:      JudgeRubric,
				Codex:      Reviewer{Mode: EachIter, WaitCap: 33 * time.Minute, Login: "codex", PostCommentsToPR: true},
				ClaudeSelf: Reviewer{Mode: FinalOnly, RubricFile: "docs/RUBRIC.md"},
				CodeRabbit: Reviewer{Mode: EachIter, WaitCap: 34 * time.Minute, Login: "rabbit"},
				Bots: []Reviewer{
					{Mode: EachIter, Login: "greptile-apps", Trigger: autopilot.NoTrigger, Signal: autopilot.Score, ScoreRegex: `(?i)confidence score:\s*([1-5])`, Threshold: 4},
					{Mode: EachIter, Login: "gemini", Trigger: autopilot.Mention, Mention: "@gemini review", Signal: autopilot.Verdict, ScoreRegex: autopilot.CursorScore, Threshold: 5, Optional: true, WaitCap: 35 * time.Minute},
					{Mode: Off, Login: "lint-bot", Trigger: autopilot.NoTrigger, Signal: autopilot.Check, Check: "Lint / review", ScoreRegex: autopilot.CursorScore, Threshold: 5},
				},
			},
			CI:           CI{"globs", []string{"ci / test (*)", "lint"}, 0, 90 * time.Minute, RedHandoff, true},
			RequireCI:    false,
			Refinement:   Refinement{7, true, 4, 1},
			Budgets:      Budgets{1, 8, 3, 4},
			PollInterval: 2 * time.Minute, PollTickCap: 20,
			MaxOpenThreads: 60, Strict: true, Notify: NotifyMention,
			FixIterationCap: 4, StallTickCap: 8, WallClockCap: 10 * time.Hour,
			Identities: []string{"hubot"}, InternalTooling: InternalTooling{"tooling"},
			PreCommitProfiles: []Profile{
				{"demo", []ProfileCommand{{"make check", ""}, {"make slow", "git diff --name-only HEAD~1 HEAD | grep -q '^slow/'"}}},
				{"default-npm", []ProfileCommand{{"npm test", ""}}},
			},
			Suppressions:   ".github/suppressions.txt",
			Templates:      Templates{"Fixed in {commit}.", "No.\n{rationale} ({finding}, mail a@example.com)", "{rationale}", "{rationale}", "{rationale}"},
			AutoMerge:      AutoMerge{[]string{"dev", "next"}, []string{"main"}, Rebase, true, true, true, true},
			HumanMergeOnly: true, Ignore: true, KeepQueue: true,
			Graphify:        Graphify{AdvisoryAlways, false},
			Recap:           Recap{Interval: 4, Deadline: time.Hour},
			SingleIteration: SingleOff,
			Checkpoints:     Checkpoints{CheckpointBlocking, CheckpointShadow, CheckpointAdvisory},
			Watch:           Watch{45 * time.Minute, RevertRegression},
			Settle:          true,
			CheckRun:        true,
			Convergence:     Literal,
			CleanRounds:     2,
			CleanUp:         CleanForce,
			MinSeverity:     []Severity{Low, Low, Mid},
		},
		[]string{
			"file1:93:1: minSeverity has no effect beside threads: strict",
		},
	},
	{
		"the short form of a reviewer",
		[]string{"reviewers:\n  copilot: each-iter\n"},
		Defaults(), nil,
	},
	{
		"the input settings count over the file key by key, lists as a whole",
		[]string{"ci: {grace: 5, checks: [a, b]}\nselect: {labels: [x]}\nfixer: job", "ci: {checks: [c]}\nselect: {labels: []}"},
		settings(func(s *Settings) {
			s.CI.Grace = 5 * time.Minute
			s.CI.Set = "globs"
			s.CI.Globs = []string{"c"}
			s.Fixer = Job
		}),
		nil,
	},
	{
		"a word over globs takes the globs away",
		[]string{"ci: {checks: [a]}", "ci: {checks: required}"},
		settings(func(s *Settings) { s.CI.Set = "required" }), nil,
	},
	{
		"an input that turns the file's reviewer on again",
		[]string{"reviewers: {copilot: off}", "reviewers: {copilot: {mode: each-iter}}"},
		Defaults(), nil,
	},
	{
		"a reviewer is named by its limit alone",
		[]string{"reviewers: {copilot: {waitCap: 25}}"},
		settings(func(s *Settings) { s.Reviewers.Copilot.WaitCap = 25 * time.Minute }), nil,
	},
	{
		"reviewers by a job",
		[]string{"reviewers: {codex: each-iter, claudeSelf: true}"},
		settings(func(s *Settings) {
			s.Reviewers.Copilot.Mode, s.Reviewers.Codex.Mode, s.Reviewers.ClaudeSelf.Mode = Off, EachIter, FinalOnly
		}), nil,
	},
	{
		"no cap, which leaves a budget",
		[]string{"refinement:\n  maxCopilotRounds: none\n"},
		settings(func(s *Settings) { s.Refinement.MaxCopilotRounds = 0 }),
		[]string{"file1:2:3: refinement.maxCopilotRounds is none, so budgets.reviewsPerPullRequest (10) ends the loop"},
	},
	{
		"a cap above the budget",
		[]string{"refinement: {maxCopilotRounds: 11}\n"},
		settings(func(s *Settings) { s.Refinement.MaxCopilotRounds = 11 }),
		[]string{"file1:1:14: refinement.maxCopilotRounds has no effect above budgets.reviewsPerPullRequest (10)"},
	},
	{
		"low-signal numbers without the switch",
		[]string{"refinement:\n  lowSignalMaxComments: 0\n  lowSignalRoundThreshold: 5\n"},
		settings(func(s *Settings) {
			s.Refinement.LowSignalMaxComments = 0
			s.Refinement.LowSignalRoundThreshold = 5
		}),
		[]string{
			"file1:3:3: refinement.lowSignalRoundThreshold has no effect without refinement.stopOnLowSignal: true",
			"file1:2:3: refinement.lowSignalMaxComments has no effect without refinement.stopOnLowSignal: true",
		},
	},
	{
		"the tick beside Copilot's own limit",
		[]string{"reviewers: {copilot: {waitCap: 25}}\npollTickCap: 9\n"},
		settings(func(s *Settings) { s.Reviewers.Copilot.WaitCap = 25 * time.Minute; s.PollTickCap = 9 }),
		[]string{"file1:2:1: pollTickCap has no effect beside reviewers.copilot.waitCap"},
	},
	{
		"the wrapper, with what seed 001 has for everything else",
		[]string{"# ours\nprAutopilot:\n"},
		settings(wrapped),
		nil,
	},
	{
		"a reviewer in the wrapper leaves the others at their defaults",
		[]string{"prAutopilot:\n  reviewers: {copilot: each-iter}\n  maxOpenThreads: 9\n"},
		settings(wrapped, func(s *Settings) { s.Reviewers.Copilot.Mode = EachIter; s.MaxOpenThreads = 9 }), nil,
	},
	{
		"the wrapper with Cursor off and a tick of its own",
		[]string{"prAutopilot:\n  reviewers: {copilot: each-iter, cursor: false}\n  pollIntervalSeconds: 60\n"},
		settings(func(s *Settings) {
			wrapped(s)
			s.PollInterval, s.Reviewers.Cursor.Mode, s.Reviewers.Copilot.Mode = time.Minute, Off, EachIter
		}), nil,
	},
	{
		"the wrapper as JSON, and a tick from the input",
		[]string{`{"prAutopilot": {"pollTickCap": 4, "reviewers": {"copilot": {"mode": "each-iter"}}}}`, "pollIntervalSeconds: 60"},
		settings(wrapped, func(s *Settings) {
			s.PollInterval, s.PollTickCap, s.Reviewers.Copilot.Mode = time.Minute, 4, EachIter
		}), nil,
	},
	{
		"Cursor in the place of Copilot, by its name alone",
		[]string{"reviewers:\n  cursor: {}\n"},
		settings(func(s *Settings) { s.Reviewers.Copilot.Mode, s.Reviewers.Cursor.Mode = Off, EachIter }), nil,
	},
	{
		"CodeRabbit by its name alone",
		[]string{"reviewers:\n  coderabbit:\n    waitCap: 5\n"},
		settings(func(s *Settings) {
			s.Reviewers.Copilot.Mode = Off
			s.Reviewers.CodeRabbit.Mode, s.Reviewers.CodeRabbit.WaitCap = EachIter, 5*time.Minute
		}), nil,
	},
	{
		"Mode Y, and reviewers that it does not read",
		[]string{"primaryFixer: copilotSwe\nreviewers: {copilotSwe: each-iter, copilot: each-iter}\n"},
		settings(func(s *Settings) {
			s.PrimaryFixer, s.Mode, s.Reviewers.CopilotSwe.Mode = autopilot.CopilotSwe, autopilot.Y, EachIter
		}),
		[]string{
			"file1:1:1: " + autopilot.Ignored,
		},
	},
	{
		"claude fixes, which is a job of the user's",
		[]string{"primaryFixer: claude"},
		settings(func(s *Settings) { s.PrimaryFixer, s.Fixer = autopilot.Claude, Job }), nil,
	},
	{
		"who fixes, said in both words",
		[]string{"primaryFixer: claude\nfixer: people"},
		settings(func(s *Settings) { s.PrimaryFixer = autopilot.Claude }), nil,
	},
	{
		"anchors, for values and for groups",
		[]string{"select:\n  labels: &both [bug, docs]\n  bases: *both\nci: &ci {grace: &n 7}\npollTickCap: *n\n"},
		settings(func(s *Settings) {
			s.Select.Labels, s.Select.Bases = []string{"bug", "docs"}, []string{"bug", "docs"}
			s.CI.Grace, s.PollTickCap = 7*time.Minute, 7
		}), nil,
	},
	{
		"an alias is the newest anchor above it",
		[]string{"maxOpenThreads: &n 7\npollTickCap: &n 8\nci:\n  grace: *n\n"},
		settings(func(s *Settings) { s.MaxOpenThreads, s.PollTickCap, s.CI.Grace = 7, 8, 8*time.Minute }), nil,
	},
	{
		"doubles in lists count once",
		[]string{"identities: [hubot, 'Hubot[bot]', mona]"},
		settings(func(s *Settings) { s.Identities = []string{"hubot", "mona"} }), nil,
	},
	{
		"a byte order mark and line ends of Windows",
		[]string{"\ufefffixer: job\r\nci:\r\n  grace: 5\r\n"},
		settings(func(s *Settings) { s.Fixer = Job; s.CI.Grace = 5 * time.Minute }), nil,
	},
	{"a directive", []string{"%YAML 1.2\n---\nfixer: job\n"}, settings(func(s *Settings) { s.Fixer = Job }), nil},
}

func TestParseSettings(t *testing.T) {
	for _, tt := range good {
		t.Run(tt.says, func(t *testing.T) {
			got, warnings, err := ParseSettings(sources(tt.texts)...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			var warns []string
			for _, w := range warnings {
				warns = append(warns, w.String())
			}
			if diff := cmp.Diff(tt.warns, warns); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// sources names texts file1, file2, ….
func sources(texts []string) []Source {
	var s []Source
	for i, text := range texts {
		s = append(s, Source{fmt.Sprintf("file%d", i+1), text})
	}
	return s
}

// bad has sources that are refused. The schema refuses them too, but for those
// in TestSchemaAgrees.
var bad = []struct {
	says  string
	texts []string
	want  []string
}{
	{
		"every problem of every source at once, in the order of the text",
		[]string{"fixer: robot\nchecks: all\nci:\n  grace: soon\n  red: blue\nrefinement:\n  stopOnLowSignal: yes\n", "notify: [comment]\n"},
		[]string{
			`file1:1:8: fixer is "robot", want "people" or "job"`,
			`file1:2:1: "checks" is no key (did you mean "ci.checks"?)`,
			`file1:4:10: ci.grace is "soon", want a whole number from 0 to 1440, in minutes`,
			`file1:5:8: ci.red is "blue", want "stop" or "handoff" or "wait"`,
			`file1:7:20: refinement.stopOnLowSignal is "yes", want true or false`,
			`file2:1:9: notify is a list, want "comment" or "mention" or "none"`,
		},
	},
	{"a key with a typing mistake", []string{"maxOpenThread: 5"}, []string{`file1:1:1: "maxOpenThread" is no key (did you mean "maxOpenThreads"?)`}},
	{"a group with a typing mistake", []string{"budget: {}"}, []string{`file1:1:1: "budget" is no key (did you mean "budgets"?)`}},
	{"a key with a mistake inside of a group", []string{"select:\n  enroll: all"}, []string{`file1:2:3: "select.enroll" is no key (did you mean "enrol"?)`}},
	{"a key in the wrong group", []string{"ci:\n  requireCi: false"}, []string{`file1:2:3: "ci.requireCi" is no key (did you mean "gates.preApproval.requireCi"?)`}},
	{"a key that is like none", []string{"colour: red"}, []string{`file1:1:1: "colour" is no key`}},
	{"a path as a key", []string{"ci.grace: 5"}, []string{`file1:1:1: "ci.grace" is no key`}},
	{"keys that are no text", []string{"1: a\ntrue: b\n~: c"}, []string{`file1:1:1: "1" is no key`, `file1:2:1: "true" is no key`, `file1:3:1: "~" is no key`}},
	{"a key that could be a command to the runner", []string{`"\n::error::x": 1`}, []string{`file1:1:1: "\n::error::x" is no key`}},
	{"a word with a typing mistake", []string{"draft: redy"}, []string{`file1:1:8: draft is "redy", want "wait" or "ready" (did you mean "ready"?)`}},
	{"a number as a word", []string{"fixer: 5"}, []string{`file1:1:8: fixer is 5, want "people" or "job"`}},
	{"a number that is too large", []string{"pollTickCap: 1001"}, []string{"file1:1:14: pollTickCap is 1001, want a whole number from 1 to 1000"}},
	{"a number beyond all bounds", []string{"pollTickCap: 99999999999999999999"}, []string{`file1:1:14: pollTickCap is "99999999999999999999", want a whole number from 1 to 1000`}},
	{"a tick that is too short", []string{"pollIntervalSeconds: 5"}, []string{"file1:1:22: pollIntervalSeconds is 5, want a whole number from 30 to 86400, in seconds"}},
	{"a number in quotes", []string{`pollTickCap: "5"`}, []string{`file1:1:14: pollTickCap is "5", want a whole number from 1 to 1000`}},
	{
		"spellings of numbers that readers of YAML take differently",
		[]string{"pollTickCap: 010\nmaxOpenThreads: 0x10\nci: {grace: 1_0, waitCap: 5.0}"},
		[]string{
			"file1:1:14: pollTickCap is 010, want a whole number from 1 to 1000",
			"file1:2:17: maxOpenThreads is 0x10, want a whole number from 1 to 1000",
			"file1:3:13: ci.grace is 1_0, want a whole number from 0 to 1440, in minutes",
			"file1:3:27: ci.waitCap is 5.0, want a whole number from 1 to 10080, in minutes",
		},
	},
	{"a duration with a unit", []string{"ci: {waitCap: 6h}"}, []string{`file1:1:15: ci.waitCap is "6h", want a whole number from 1 to 10080, in minutes`}},
	{"no rounds at all", []string{"refinement: {maxCopilotRounds: 0}"}, []string{"file1:1:32: refinement.maxCopilotRounds is 0, want a whole number from 1 to 100, or none"}},
	{"a group as a value", []string{"fixer: {a: b}"}, []string{`file1:1:8: fixer is a group of keys, want "people" or "job"`}},
	{"a group in lines as a value", []string{"fixer:\n  a: b"}, []string{`file1:2:3: fixer is a group of keys, want "people" or "job"`}},
	{"a value as a group", []string{"ci: fast"}, []string{`file1:1:5: ci is "fast", want keys with values`}},
	{"a key without a value", []string{"fixer:\nnotify: ~"}, []string{"file1:1:1: fixer has no value; leave the key out for the default", "file1:2:1: notify has no value; leave the key out for the default"}},
	{"a text as a list", []string{"identities: hubot"}, []string{`file1:1:13: identities is "hubot", want a list of logins`}},
	{
		"entries that are no logins",
		[]string{"identities: ['@mona', 7, [x], 'a b', '']"},
		[]string{
			`file1:1:14: identities has "@mona", want a login, without @`, "file1:1:23: identities has 7, want a login, without @",
			"file1:1:26: identities has a list, want a login, without @", `file1:1:31: identities has "a b", want a login, without @`,
			`file1:1:38: identities has "", want a login, without @`,
		},
	},
	{"a damaged glob", []string{"select: {bases: ['release/[']}"}, []string{`file1:1:18: select.bases has "release/[", want a glob`}},
	{"a damaged glob among checks", []string{"ci: {checks: ['{a']}"}, []string{`file1:1:15: ci.checks has "{a", want a glob`}},
	{"no check that counts", []string{"ci: {checks: []}"}, []string{"file1:1:14: ci.checks is an empty list, so no check would count; leave the key out, or say gates.preApproval.requireCi: false"}},
	{"a word for checks with a mistake", []string{"ci: {checks: requird}"}, []string{`file1:1:14: ci.checks is "requird", want "required" or "all" or a list of globs (did you mean "required"?)`}},
	{"a label of blanks", []string{"internalTooling: {label: '  '}"}, []string{`file1:1:26: internalTooling.label is "  ", want a label`}},
	{"a list that is too long", []string{"select: {labels: [" + strings.Repeat("a,", 101) + "]}"}, []string{"file1:1:18: select.labels has 101 entries, at most 100 are read"}},
	{"a key that stands twice", []string{"fixer: job\nci: {grace: 1, grace: 2}\nfixer: people"}, []string{"file1:2:16: ci.grace stands here for the second time; the first is on line 2", "file1:3:1: fixer stands here for the second time; the first is on line 1"}},
	{
		"templates with every mistake that there is",
		[]string{"templates:\n  fixx: ''\n  fix: Thanks @copilot\n  decline: '<!-- x -->{rational}'\n  drift: [a]\n  escalate:\n"},
		[]string{
			`file1:2:3: "templates.fixx" is no key (did you mean "fix"?)`,
			"file1:3:8: templates.fix lacks {commit}",
			"file1:3:8: templates.fix has a mention, and would call somebody in each reply",
			`file1:4:12: templates.decline has the placeholder "{rational}", which there is not (did you mean "{rationale}"?)`,
			"file1:4:12: templates.decline lacks {rationale}",
			`file1:4:12: templates.decline has "<!", which prloop keeps for its own marker`,
			"file1:5:10: templates.drift is a list, want a text with {rationale}",
			"file1:6:3: templates.escalate has no value; leave the key out for the default",
		},
	},
	{"a template without its placeholder", []string{"templates: {escalate: Hm}"}, []string{"file1:1:23: templates.escalate lacks {rationale}"}},
	{"a template with a mention", []string{"templates: {fix: '{commit}, (@mona)'}"}, []string{"file1:1:18: templates.fix has a mention, and would call somebody in each reply"}},
	{"a template with a hidden comment", []string{"templates: {fix: '{commit} <!-- x'}"}, []string{`file1:1:18: templates.fix has "<!", which prloop keeps for its own marker`}},
	{"a template with a placeholder that there is not", []string{"templates: {fix: '{commit} {author}'}"}, []string{`file1:1:18: templates.fix has the placeholder "{author}", which there is not`}},
	{"a template without end", []string{"templates: {fix: '{commit}" + strings.Repeat("x", 4000) + "'}"}, []string{"file1:1:18: templates.fix has 4008 characters, at most 4000 are read"}},
	{
		"profiles with every mistake that there is",
		[]string{"preCommitProfiles:\n  octo/demo: [{cmd: x}]\n  a: make\n  b: []\n  c: [{run: x}, {if: x}, {cmd: 5}, make, {cmd: x, cmd: y}]\n  c: [{cmd: x}]\n"},
		[]string{
			"file1:6:3: preCommitProfiles has \"c\" for the second time; the first is on line 5",
			`file1:2:3: preCommitProfiles has "octo/demo", want the name of a repository without its owner, or default-pnpm, default-npm, default-yarn`,
			`file1:3:6: preCommitProfiles.a is "make", want a list of 1 to 20 commands, each with cmd`,
			"file1:4:6: preCommitProfiles.b is a list, want a list of 1 to 20 commands, each with cmd",
			`file1:5:8: preCommitProfiles.c[0] has the key "run", which there is not`,
			"file1:5:17: preCommitProfiles.c[1] lacks cmd",
			"file1:5:32: preCommitProfiles.c[2].cmd is 5, want a command on one line",
			`file1:5:36: preCommitProfiles.c[3] is "make", want keys with values`,
			`file1:5:51: preCommitProfiles.c[4] has "cmd" for the second time; the first is on line 5`,
		},
	},
	{"profiles that are a list", []string{"preCommitProfiles: [{cmd: x}]"}, []string{"file1:1:20: preCommitProfiles is a list, want keys with values"}},
	{"a command in lines", []string{"preCommitProfiles: {a: [{cmd: \"x\\ny\"}]}"}, []string{`file1:1:31: preCommitProfiles.a[0].cmd is "x\ny", want a command on one line`}},
	{"a path out of the repository", []string{"suppressions: ../x"}, []string{`file1:1:15: suppressions is "../x", want a path from the root of the repository`}},
	{"a path from the root of the disk", []string{"suppressions: /etc/passwd"}, []string{`file1:1:15: suppressions is "/etc/passwd", want a path from the root of the repository`}},
	{"a severity that falls", []string{"minSeverity: [low, high, mid]"}, []string{"file1:1:26: minSeverity falls from high to mid, and it may only rise from round to round"}},
	{"a severity that there is not", []string{"minSeverity: [low, grave]"}, []string{`file1:1:20: minSeverity is "grave", want "low" or "mid" or "high"`}},
	{"no severity at all", []string{"minSeverity: []"}, []string{"file1:1:14: minSeverity has 0 entries, want 1 to 100"}},
	{"no clean round", []string{"cleanRounds: 0"}, []string{"file1:1:14: cleanRounds is 0, want a whole number from 1 to 10"}},
	{"the only reviewer is off", []string{"reviewers:\n  copilot: off"}, []string{"file1:2:3: " + autopilot.NoDriver}},
	{"the only reviewer is off by input", []string{"", "reviewers:\n  copilot:\n    mode: off"}, []string{"file2:3:5: " + autopilot.NoDriver}},
	{"reviewers without a reviewer", []string{"reviewers: {}"}, []string{"file1:1:1: " + autopilot.NoDriver}},
	{"reviewers with nothing under it", []string{"ci:\nreviewers:\n"}, []string{"file1:2:1: " + autopilot.NoDriver}},
	{"a mode that is another reviewer's", []string{"reviewers: {copilot: review-score}"}, []string{`file1:1:22: reviewers.copilot is "review-score", want "off" or "each-iter" or "final-only"`}},
	{"a reviewer that is asked at the end drives nothing", []string{"reviewers: {copilot: final-only}"}, []string{"file1:1:13: " + autopilot.NoDriver}},
	{"nobody has to review", []string{"reviewers: {copilot: {required: false}}"}, []string{`file1:1:1: every reviewer of each round has required: false, and "every required one has reviewed" is never true of none; leave one of them required`}},
	{"claude and the coding agent fix", []string{"primaryFixer: claude\nreviewers: {copilot: each-iter, copilotSwe: each-iter}"}, []string{"file1:1:1: " + autopilot.Conflict}},
	{"who fixes is ambiguous", []string{"reviewers: {copilot: each-iter, copilotSwe: each-iter}"}, []string{"file1:1:33: " + autopilot.Ambiguous}},
	{"Mode X without a reviewer", []string{"primaryFixer: claude\nreviewers: {copilot: off}"}, []string{"file1:1:1: " + autopilot.NeedsReviewer}},
	{"Mode Y without the agent", []string{"primaryFixer: copilotSwe"}, []string{"file1:1:1: " + autopilot.NeedsAgent}},
	{"a score without a digit", []string{"reviewers: {cursor: {scoreRegex: 'score: [1-5]'}}"}, []string{"file1:1:34: reviewers.cursor.scoreRegex must have one group, which is the digit of the score"}},
	{"a score that is no pattern", []string{"reviewers: {copilot: each-iter, copilotSwe: {mode: review-score, scoreRegex: '('}}"}, []string{"file1:1:78: reviewers.copilotSwe.scoreRegex is no regular expression that Go reads (RE2)"}},
	{"an account that is not Copilot's", []string{"reviewers: {copilot: {login: hubot}}"}, []string{`file1:1:30: reviewers.copilot.login is "hubot", want "copilot-pull-request-reviewer", which is what GitHub calls it`}},
	{"an account that is none", []string{"reviewers: {cursor: {login: ''}}"}, []string{`file1:1:29: reviewers.cursor.login is "", want a login, without @`}},
	{"a rubric outside of the repository", []string{"reviewers: {copilot: each-iter, claudeSelf: {rubricFile: ../x}}"}, []string{`file1:1:58: reviewers.claudeSelf.rubricFile is "../x", want a path within the repository`}},
	{"a method that GitHub does not have", []string{"autoMerge: {mergeMethod: squas}"}, []string{`file1:1:26: autoMerge.mergeMethod is "squas", want "merge" or "squash" or "rebase" (did you mean "squash"?)`}},
	{"bots with mistakes", []string{"reviewers:\n  copilot: each-iter\n  bots: [x, {}, {login: a, sgnal: score}, {login: a, trigger: mention}, {login: b, check: c}, {login: b, threshold: 6}, {login: copilot}, {login: c, login: d}]\n"}, []string{
		`file1:3:10: reviewers.bots has "x", want a bot with its login`,
		"file1:3:13: reviewers.bots has a bot without its login",
		`file1:3:28: "sgnal" is no key of a bot (did you mean "signal"?)`,
		"file1:3:43: reviewers.bots has a bot with trigger mention, and no mention to make",
		`file1:3:43: reviewers.bots has "a" twice`,
		"file1:3:73: reviewers.bots has a check, which needs signal: check",
		"file1:3:117: reviewers.bots.threshold is 6, want a whole number from 1 to 5",
		`file1:3:95: reviewers.bots has "b" twice`,
		"file1:3:121: reviewers.bots has a reviewer that has a name of its own: copilot, copilotSwe",
		"file1:3:150: login stands here for the second time",
	}},
	{"keys beside the wrapper", []string{"fixer: job\nprAutopilot:\n  threads: maybe\nprAutopilot: {}"}, []string{
		`file1:1:1: "fixer" stands beside prAutopilot; write all keys inside of it, or none`,
		`file1:3:12: threads is "maybe", want "loop" or "strict"`,
		"file1:4:1: prAutopilot stands here for the second time; the first is on line 2",
	}},
	{"a good key beside the wrapper", []string{"prAutopilot: {}\nfixer: job"}, []string{`file1:2:1: "fixer" stands beside prAutopilot; write all keys inside of it, or none`}},
	{"a wrapper around nothing that is a group", []string{"prAutopilot: on"}, []string{`file1:1:14: prAutopilot is "on", want keys with values`}},
	{"a wrapper in a wrapper", []string{"prAutopilot: {prAutopilot: {}}"}, []string{`file1:1:15: "prAutopilot" is no key`}},
	{"a list instead of keys", []string{"- fixer: job"}, []string{"file1:1:1: it is a list, want keys with values"}},
	{"a text instead of keys", []string{"people"}, []string{`file1:1:1: it is "people", want keys with values`}},
	{"two documents", []string{"fixer: job\n---\nfixer: people"}, []string{"file1:3:1: a second document begins here; one is read"}},
	{"a merge key", []string{"ci: &a {grace: 1}\nselect:\n  <<: *a"}, []string{"file1:3:3: merge keys (<<) are not read; write the keys out, or give a whole value an anchor"}},
	{"an alias of nothing", []string{"pollTickCap: *n\nmaxOpenThreads: &n 5"}, []string{`file1:1:14: no anchor "n" stands above this alias`}},
	{"a value that contains itself", []string{"reviewers: &r\n  copilot: *r"}, []string{`file1:2:3: "reviewers.copilot.copilot" is no key`}},
	{"a tag", []string{"pollTickCap: !!str 5"}, []string{"file1:1:14: tags are not read; write the value without one"}},
	{"a tab", []string{"ci:\n\tgrace: 5"}, []string{"file1:2:1: a tab stands here, and YAML takes only blanks"}},
	{"a list that does not end", []string{"ci:\n  checks: [a, b\n"}, []string{`file1:2:11: it is not YAML here ("sequence end token ']' not found")`}},
	{"bytes that are no text", []string{"fixer: job\nnotify: \xff\n"}, []string{"file1:2:1: this line is no text in UTF-8"}},
	{"a byte that ends strings elsewhere", []string{"# a\x00b"}, []string{"file1:1:1: this line is no text in UTF-8"}},
	{"a file without end", []string{strings.Repeat("# \n", MaxBytes/3+1)}, []string{"file1:1:1: it has 65538 bytes, at most 65536 are read"}},
	{"a file that would take the parser minutes", []string{strings.Repeat("[", 5001)}, []string{"file1:1:1: it has 5001 words and signs, at most 5000 are read"}},
}

func TestParseSettingsRefuses(t *testing.T) {
	for _, tt := range bad {
		t.Run(tt.says, func(t *testing.T) {
			got, warnings, err := ParseSettings(sources(tt.texts)...)
			problems, ok := errors.AsType[Problems](err)
			if !ok {
				t.Fatalf("ParseSettings = %+v, %v; want problems", got, err)
			}
			var says []string
			for _, p := range problems {
				says = append(says, p.String())
			}
			if diff := cmp.Diff(tt.want, says); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(Settings{}, got); diff != "" || warnings != nil {
				t.Errorf("settings and warnings %v beside an error:\n%s", warnings, diff)
			}
		})
	}
}

// The reader of the error sees all problems in the order of the text, on one
// line, and no more of them than can be read.
func TestErrorOfSettings(t *testing.T) {
	tests := []struct {
		says string
		text string
		want string
	}{
		{"two problems", "q: 1\nz: 2", `file1:1:1: "q" is no key; file1:2:1: "z" is no key`},
		{
			"more problems than are quoted", strings.Repeat("q: 1\n", 53),
			`file1:1:1: "q" is no key; ` + func() string {
				var more []string
				for line := 2; line <= 50; line++ {
					more = append(more, fmt.Sprintf(`file1:%d:1: "q" stands here for the second time; the first is on line 1`, line))
				}
				return strings.Join(more, "; ")
			}() + "; and 3 more",
		},
	}
	for _, tt := range tests {
		_, _, err := ParseSettings(sources([]string{tt.text})...)
		want := "What happened: The configuration is not valid.\nWhy: " + tt.want + ".\n" +
			"What to do: Correct it where it says so; the README lists every key, and internal/config/prloop.schema.json checks them in an editor.\n"
		if diff := cmp.Diff(want, fail.Render(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.says, diff)
		}
	}
}

// What Key.Default shows is what counts without the key, for every key alone.
func TestDefaultsAreShown(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys {
		if seen[k.Path] || k.Doc == "" || strings.HasSuffix(k.Doc, ".") || k.Takes() == "" {
			t.Errorf("%s stands twice, or its sentence is none", k.Path)
		}
		seen[k.Path] = true
		if k.Default() == "" {
			continue
		}
		// A reviewer that is named, by whatever key, may be on by that.
		plain := Source{"plain", "reviewers: {copilot: each-iter, cursor: false, coderabbit: off}"}
		got, _, err := ParseSettings(plain, Source{k.Path, nested(k.Path, k.Default())})
		if err != nil {
			t.Errorf("%s: its own default %s is refused: %v", k.Path, k.Default(), err)
			continue
		}
		if diff := cmp.Diff(Defaults(), got, sameLists); diff != "" {
			t.Errorf("%s: %s is not its default (-want +got):\n%s", k.Path, k.Default(), diff)
		}
	}
}

// An empty list and a missing one are the same settings.
var sameLists = cmp.Transformer("list", func(s []string) string { return fmt.Sprintf("%q", s) })

// nested is the YAML of one key.
func nested(path, value string) string {
	names := strings.Split(path, ".")
	return "{" + strings.Join(names, ": {") + ": " + value + strings.Repeat("}", len(names))
}

// Whatever the settings are, they can be written down key by key and read
// again: no field is without a key, and no two keys share one.
func TestEverySettingCanBeWritten(t *testing.T) {
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"mona", "hubot", "octo-cat", "a_b", "x1"}), 0, 3, rapid.ID)
	minutes := func(t *rapid.T, name string, lo, hi int) time.Duration {
		return time.Duration(rapid.IntRange(lo, hi).Draw(t, name)) * time.Minute
	}
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
		want := Settings{
			Fixer:        rapid.SampledFrom([]Fixer{People, Job}).Draw(t, "fixer"),
			PrimaryFixer: rapid.SampledFrom([]autopilot.PrimaryFixer{autopilot.Auto, autopilot.Claude}).Draw(t, "primaryFixer"),
			Mode:         autopilot.X,
			HandoffGrace: minutes(t, "handoffGrace", 0, day),
			Select: Select{
				Enrol:  rapid.SampledFrom([]Enrol{EnrolFresh, EnrolAll, EnrolNone}).Draw(t, "enrol"),
				Bots:   words.Draw(t, "bots"),
				Forks:  rapid.Bool().Draw(t, "forks"),
				Labels: words.Draw(t, "labels"),
				Bases:  words.Draw(t, "bases"),

				Stacked: rapid.SampledFrom([]Stacked{StackedLoop, StackedPark}).Draw(t, "stacked"),
			},
			Draft:           rapid.SampledFrom([]Draft{DraftWait, DraftReady}).Draw(t, "draft"),
			Reviewers:       someReviewers(t, func(name string) time.Duration { return minutes(t, name, 1, week) }),
			CI:              CI{Grace: minutes(t, "grace", 0, day), WaitCap: minutes(t, "ciWaitCap", 1, week), Red: rapid.SampledFrom([]Red{RedStop, RedHandoff, RedWait}).Draw(t, "red"), RerunFlaky: rapid.Bool().Draw(t, "flaky")},
			RequireCI:       rapid.Bool().Draw(t, "requireCi"),
			Settle:          rapid.Bool().Draw(t, "settle"),
			Convergence:     rapid.SampledFrom([]Convergence{Hardened, Literal}).Draw(t, "convergence"),
			CheckRun:        rapid.Bool().Draw(t, "checkRun"),
			CleanUp:         rapid.SampledFrom([]CleanUp{CleanOn, CleanForce, CleanDry, CleanOff}).Draw(t, "cleanup"),
			CleanRounds:     CleanRounds(number("clean", 1, 10)),
			MinSeverity:     rapid.SampledFrom([][]Severity{nil, {Mid}, {Low, Mid, High}}).Draw(t, "severity"),
			Watch:           Watch{minutes(t, "watch", 0, day), rapid.SampledFrom([]OnRegression{TellRegression, RevertRegression}).Draw(t, "onRegression")},
			SingleIteration: rapid.SampledFrom([]Single{SingleAuto, SingleOn, SingleOff}).Draw(t, "single"),
			Checkpoints: Checkpoints{
				rapid.SampledFrom([]Checkpoint{CheckpointAdvisory, CheckpointBlocking, CheckpointShadow}).Draw(t, "A"),
				rapid.SampledFrom([]Checkpoint{CheckpointAdvisory, CheckpointBlocking, CheckpointShadow}).Draw(t, "B"),
				rapid.SampledFrom([]Checkpoint{CheckpointAuto, CheckpointAdvisory, CheckpointBlocking, CheckpointShadow}).Draw(t, "C"),
			},
			Recap:      Recap{number("recap", 1, 100), minutes(t, "recapDeadline", 1, week)},
			Refinement: Refinement{number("cap", 0, 100), rapid.Bool().Draw(t, "low"), number("threshold", 0, 100), number("comments", 0, 100)},
			Budgets:    Budgets{number("starts", 1, 1000), number("reviews", 1, 1000), number("day", 1, 500), number("handoffs", 1, 1000)},

			PollInterval: time.Duration(number("tick", 30, 86400)) * time.Second,
			PollTickCap:  number("ticks", 1, 1000), FixIterationCap: number("fixes", 1, 100), StallTickCap: number("stall", 1, 1000), WallClockCap: minutes(t, "wallClock", 0, 8*week),
			AutoMerge:      AutoMerge{words.Draw(t, "allowed"), words.Draw(t, "never"), rapid.SampledFrom([]MergeMethod{MergeCommit, Squash, Rebase}).Draw(t, "method"), rapid.Bool().Draw(t, "merge"), rapid.Bool().Draw(t, "unchecked"), rapid.Bool().Draw(t, "update"), rapid.Bool().Draw(t, "keep")},
			HumanMergeOnly: rapid.Bool().Draw(t, "human"), Ignore: rapid.Bool().Draw(t, "ignore"), KeepQueue: rapid.Bool().Draw(t, "keepQueue"),
			Graphify:       Graphify{rapid.SampledFrom([]Advisory{AdvisoryOff, AdvisoryAuto, AdvisoryAlways}).Draw(t, "advisory"), rapid.Bool().Draw(t, "hint")},
			MaxOpenThreads: number("threads", 1, 1000),
			Strict:         rapid.Bool().Draw(t, "strict"),
			Notify:         rapid.SampledFrom([]Notify{NotifyComment, NotifyMention, NotifyNone}).Draw(t, "notify"),
			Identities:     words.Draw(t, "identities"), ReviewerLoop: ReviewerLoop{WaitCap: minutes(t, "submitCap", 1, 8*week)}, Issues: Issues{rapid.SampledFrom([]string{"", "quest"}).Draw(t, "issues"), rapid.SampledFrom([]IssueRoute{IssueAutoFix, IssueResearchOnly}).Draw(t, "route")}, InternalTooling: InternalTooling{rapid.SampledFrom([]string{"", "tooling"}).Draw(t, "label")},
		}
		want.Suppressions = rapid.SampledFrom([]string{"", "a/.b/c.txt"}).Draw(t, "suppressions")
		for _, name := range rapid.SampledFrom([][]string{nil, {"demo"}, {"default-npm", "demo"}}).Draw(t, "profiles") {
			want.PreCommitProfiles = append(want.PreCommitProfiles, Profile{name, []ProfileCommand{{"make " + name, rapid.SampledFrom([]string{"", "test -f x"}).Draw(t, "if")}}})
		}
		for i, words := range []*string{&want.Templates.Fix, &want.Templates.Decline, &want.Templates.Drift, &want.Templates.Partial, &want.Templates.Escalate} {
			*words = rapid.SampledFrom([]string{"{commit} {rationale}", "{rationale}: {commit}\n> {finding}"}).Draw(t, fmt.Sprint("template", i))
		}
		want.CI.Set = rapid.SampledFrom([]string{"required", "all", "globs"}).Draw(t, "set")
		if want.CI.Set == "globs" {
			want.CI.Globs = []string{"a/**", "b"}
		}
		var written []Source
		for _, k := range Keys {
			written = append(written, Source{k.Path, nested(k.Path, k.show(want))})
		}
		got, _, err := ParseSettings(written...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, sameLists); diff != "" {
			t.Fatalf("settings (-written +read):\n%s", diff)
		}
	})
}

// someReviewers are reviewers that drive Mode X.
func someReviewers(t *rapid.T, wait func(string) time.Duration) Reviewers {
	mode := func(name string, of ...Mode) Mode { return rapid.SampledFrom(of).Draw(t, name) }
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	login := func(name string) string {
		return rapid.SampledFrom([]string{"hubot", "some-bot"}).Draw(t, name)
	}
	score := rapid.SampledFrom([]string{autopilot.CursorScore, autopilot.ReadinessScore, `x "y"\s([1-5])`})
	return Reviewers{
		Copilot: Reviewer{Mode: EachIter, WaitCap: wait("waitCap"), Login: "copilot"},
		Cursor: Reviewer{
			Mode: mode("cursor", Off, EachIter), WaitCap: wait("cursorCap"), Optional: maybe("cursorOptional"), Login: login("cursorLogin"),
			ScoreRegex: score.Draw(t, "cursorScore"), Signal: rapid.SampledFrom([]autopilot.Signal{autopilot.Score, autopilot.Check}).Draw(t, "signal"),
		},
		CopilotSwe: Reviewer{
			Mode: mode("swe", Off, ReviewScore, FinalOnly), WaitCap: wait("sweCap"), Optional: maybe("sweOptional"),
			Login: "copilot-swe-agent", ScoreRegex: score.Draw(t, "sweScore"),
		},
		Codex: Reviewer{
			Mode: mode("codex", Off, EachIter, FinalOnly), WaitCap: wait("codexCap"), Optional: maybe("codexOptional"),
			Login: login("codexLogin"), PostCommentsToPR: maybe("codexPosts"),
		},
		Judge:      rapid.SampledFrom([]Judge{JudgeReport, JudgeRubric}).Draw(t, "judge"),
		ClaudeSelf: Reviewer{Mode: mode("claude", Off, FinalOnly), WaitCap: wait("claudeCap"), Optional: maybe("claudeOptional"), RubricFile: "a/b.md"},
		Bots: []Reviewer{
			{Mode: EachIter, Login: login("botLogin"), Trigger: autopilot.Mention, Mention: "@x y: z", Signal: autopilot.Score, ScoreRegex: score.Draw(t, "botScore"), Threshold: rapid.IntRange(1, 5).Draw(t, "threshold"), Optional: maybe("botOptional"), WaitCap: wait("botCap")},
			{Mode: mode("bot", Off, EachIter), Login: "b", Trigger: autopilot.NoTrigger, Signal: autopilot.Check, Check: "a, b: c", ScoreRegex: autopilot.CursorScore, Threshold: 5, WaitCap: wait("bot2Cap")},
		},
		CodeRabbit: Reviewer{Mode: mode("rabbit", Off, EachIter), WaitCap: wait("rabbitCap"), Optional: maybe("rabbitOptional"), Login: login("rabbitLogin")},
	}
}

// A settings file of pr-autopilot with all its keys is accepted as it stands,
// and means the same with and without the wrapper.
func TestTheWrapperChangesNothingWhereAllKeysAreGiven(t *testing.T) {
	bare, wrapped := allKeys, "prAutopilot:\n  "+strings.ReplaceAll(strings.TrimSpace(allKeys), "\n", "\n  ")
	want, _, err := ParseSettings(Source{"file1", bare})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := ParseSettings(Source{"file1", wrapped})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-without the wrapper +with it):\n%s", diff)
	}
	if got.PollInterval != 90*time.Second || got.Reviewers.Cursor.Mode != EachIter || got.Reviewers.Copilot.Mode != FinalOnly {
		t.Errorf("these are not the settings that the file has: %+v", got)
	}
	for _, k := range Keys {
		if seed := !slices.Contains(ours, strings.Split(k.Path, ".")[0]) && !ourKey(k.Path); seed && !strings.Contains(allKeys, k.Path[strings.LastIndex(k.Path, ".")+1:]+":") {
			t.Errorf("%s is a key of seed 001, and the file does not have it", k.Path)
		}
	}
}

// ours are the groups and keys that seed 001's block does not have.
var ours = []string{
	"recap", "singleIteration", "settle", "checkpoints", "cleanRounds", "minSeverity", "cleanup", "proof", "convergence", "watch", "humanMergeOnly", "people", "pause",
	"issues", "reviewerLoop", "suppressions", "templates", "wallClockCap",
	"fixer", "handoff", "select", "draft", "ci", "gates", "refinement", "budgets", "maxOpenThreads", "threads", "notify", "identities", "internalTooling",
}

func ourKey(path string) bool {
	name := path[strings.LastIndex(path, ".")+1:]
	return strings.HasPrefix(path, "reviewers.coderabbit.") || strings.HasPrefix(path, "reviewers.") && slices.Contains([]string{"required", "waitCap", "signal"}, name) ||
		path == "reviewers.codex.login" || path == "reviewers.copilotSwe.judge" || path == "reviewers.bots" ||
		slices.Contains([]string{"autoMerge.enabled", "autoMerge.withoutChecks", "autoMerge.updateBranch", "autoMerge.deleteBranch"}, path)
}

// allKeys is a block of pr-autopilot with every key of seed 001, without its
// wrapper.
const allKeys = `
pollIntervalSeconds: 90
fixIterationCap: 5
pollTickCap: 10
stallTickCap: 6
primaryFixer: auto
reviewers:
  cursor: {enabled: true, login: "cursor[bot]", scoreRegex: "(?i)score:\\s*([1-5])"}
  copilot: {mode: final-only, login: "copilot-pull-request-reviewer[bot]"}
  copilotSwe: {mode: "off", login: copilot-swe-agent, scoreRegex: "(?i)readiness:\\s*([1-5])"}
  codex: {mode: "off", postCommentsToPR: false}
  claudeSelf: {enabled: false, rubricFile: SELF-REVIEW-RUBRIC.md}
preCommitProfiles:
  demo:
    - {cmd: pnpm run build}
    - {cmd: cd server && pnpm run build, if: "git diff --name-only HEAD~1 HEAD | grep -q '^server/'"}
  default-pnpm: [{cmd: pnpm run typecheck}, {cmd: pnpm run lint}, {cmd: pnpm test}]
autoMerge:
  allowedTargetBranches: [dev]
  neverMergeToBranches: [master, main, production]
  mergeMethod: squash
graphify: {advisory: auto, promptHint: true}
`

func TestReviewWait(t *testing.T) {
	tests := []struct {
		says string
		text string
		want time.Duration
	}{
		{"ticks of the default length", "", 50 * time.Minute},
		{"ticks of another length", "pollIntervalSeconds: 60\npollTickCap: 3", 3 * time.Minute},
		{"a cap of its own", "reviewers: {copilot: {waitCap: 20}}", 20 * time.Minute},
	}
	for _, tt := range tests {
		s, _, err := ParseSettings(Source{"file1", tt.text})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.ReviewWait(); got != tt.want {
			t.Errorf("%s: ReviewWait = %s, want %s", tt.says, got, tt.want)
		}
	}
}

func TestMatchAny(t *testing.T) {
	tests := []struct {
		says  string
		globs []string
		name  string
		want  bool
	}{
		{"no glob matches nothing", nil, "main", false},
		{"a name without signs is itself", []string{"dev", "main"}, "main", true},
		{"a name is not a part of another", []string{"main"}, "maintenance", false},
		{"a star stops at slashes", []string{"release/*"}, "release/1/x", false},
		{"two stars cross them", []string{"release/**"}, "release/1/x", true},
		{"a star matches what people write in names of checks", []string{"test (*, 1.26)"}, "test (ubuntu, 1.26)", true},
		{"a name with signs of its own is still itself", []string{"build [x86]"}, "build [x86]", true},
	}
	for _, tt := range tests {
		if got := MatchAny(tt.globs, tt.name); got != tt.want {
			t.Errorf("%s: MatchAny(%q, %q) = %t", tt.says, tt.globs, tt.name, got)
		}
	}
}

// FuzzParseSettings: whatever the texts are, there are settings, or an error
// with a reader and places inside of the texts.
func FuzzParseSettings(f *testing.F) {
	f.Add("ci:\n  checks: [a, 'b/**']\n", "fixer: job")
	f.Add("prAutopilot:\n  reviewers: {copilot: off}\n", "")
	f.Add("a: &x [*x]\nci: *x", "<<: {b: 1}\n? [c]\n: !!str d")
	f.Add("fixer: |\n  job\n", "draft: >-\n  rea\n  dy")
	f.Add("---\n--- #\n%YAML 1.2\n...", "\ufeff\"\\x00\": \t")
	f.Fuzz(func(t *testing.T, one, two string) {
		s, _, err := ParseSettings(Source{"one", one}, Source{"two", two})
		if err == nil {
			if s.Fixer == "" || s.PollInterval <= 0 || s.Mode == "" || s.Mode == autopilot.X && len(s.Rows()) == 0 {
				t.Fatalf("settings %+v", s)
			}
			return
		}
		e, ok := errors.AsType[*fail.Error](err)
		if !ok || strings.ContainsAny(e.Why, "\n\r") {
			t.Fatalf("error without a reader: %v", err)
		}
		problems, ok := errors.AsType[Problems](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("an error without problems: %v", err)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Source != "one" && p.Source != "two" || p.Says == "" {
				t.Fatalf("a problem without a place: %s", p)
			}
		}
	})
}
