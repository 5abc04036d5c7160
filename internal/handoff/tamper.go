package handoff

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/facts"
)

// A Push is what changed between the head that was handed over and the head
// that a report claims.
type Push struct {
	Files []Changed
	// Complete: every file is there. GitHub's comparison ends at 300 files
	// (REST, "Compare two commits").
	Complete bool
}

// Shows reports whether the diff has a line of the head's side. Where that is
// not known it says so too: GitHub has the last word.
func (p *Push) Shows(path string, line int) bool {
	if p == nil {
		return true
	}
	for _, f := range p.Files {
		if f.Path != path {
			continue
		}
		if f.Patch == "" {
			return true
		}
		for l := range strings.Lines(f.Patch) {
			if from, size, ok := newSide(l); ok && line >= from && line < from+size {
				return true
			}
		}
		return false
	}
	return !p.Complete
}

// newSide reads where a hunk is in the new file.
func newSide(header string) (from, size int, ok bool) {
	m := hunkHeader.FindStringSubmatch(header)
	if m == nil {
		return 0, 0, false
	}
	_, place, _ := strings.Cut(m[1], "+")
	first, many, counted := strings.Cut(place, ",")
	from, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	size = 1
	if counted {
		if size, err = strconv.Atoi(many); err != nil {
			return 0, 0, false
		}
	}
	return from, size, true
}

// A Changed is one file of a push, in the words of GitHub's REST API. Path,
// Previous and Patch are a stranger's.
type Changed struct {
	Path      string
	Previous  string // before it was renamed
	Status    string // added, removed, modified, renamed, copied, changed, unchanged
	Additions int
	Deletions int
	// Patch is the unified diff from its first @@ on; GitHub has none of a file
	// that is binary or too large.
	Patch string
}

// Limits bound a push. The zero Limits are the defaults.
type Limits struct {
	Lines       int      // of the whole push, added and removed; 1000
	FileLines   int      // of one file; 400
	Files       int      // 50
	NeverCommit []string // globs, besides prloop's own folder
}

// A Hunk is one change with its ruling. A Hunk without a file is about the
// push as a whole, one without a range about the file.
type Hunk struct {
	File   string // a stranger's
	Range  string // as the header has it: -1,7 +1,9
	Rule   string // id of the row that decided (TamperRows)
	Ruling Ruling
	Reason string // a sentence of ours, without a full stop
}

// tamperRows are the tamper guard's rubric (design 5). The first row that holds
// for a hunk decides, and those that hold everything up come first.
var tamperRows = []tamperRow{
	{"T1", Pause, "the path is not one of the repository", func(h *hunk) bool {
		return Outside(h.Path) != "" || h.Previous != "" && Outside(h.Previous) != ""
	}},
	{"T2", Pause, "it changes what CI runs", func(h *hunk) bool { return h.path(isWorkflow) }},
	{"T3", Pause, "it changes who owns the code", func(h *hunk) bool { return h.path(isOwners) }},
	{"T4", Pause, "it is a file that is never committed", func(h *hunk) bool { return h.path(h.judge.neverCommit) }},
	{"T5", Pause, "it changes what fixers and reviewers are told, and no finding names it", func(h *hunk) bool {
		return h.path(isInstructions) && !h.path(h.judge.points)
	}},
	{"T6", Pause, "it changes how the code is judged, and no finding names it", func(h *hunk) bool {
		return h.path(isGate) && !h.path(h.judge.points)
	}},
	{"T7", Pause, "it changes a lock file, and no finding names it or its manifest", func(h *hunk) bool {
		return h.path(isLock) && !h.manifestNamed()
	}},
	{"T8", Pause, "it deletes tests", (*hunk).deletesTests},
	{"T9", Pause, "it skips tests", func(h *hunk) bool { return isTest(h.Path) && h.count(skips, '+') > h.count(skips, '-') }},
	{"T10", Pause, "it takes assertions out of tests", func(h *hunk) bool {
		return isTest(h.Path) && h.net < 0 && h.asserts() < 0
	}},
	{"T11", Pause, "what changed is not shown: the file is binary or too large", (*hunk).unseen},
	{"T12", Pause, "more lines of one file change than the limit allows", func(h *hunk) bool {
		return h.Additions+h.Deletions > h.judge.limits.FileLines
	}},
	{"T13", Pushback, "it silences a warning of a tool", func(h *hunk) bool { return h.count(silences, '+') > h.count(silences, '-') }},
	{"T14", Pushback, "no finding names the file", func(h *hunk) bool { return !h.named() && !isTest(h.Path) && !isLock(h.Path) }},
	{"T15", Approve, "nothing speaks against it", func(*hunk) bool { return true }},
}

// pushRows are about the push as a whole.
var pushRows = []struct {
	id    string
	says  string
	holds func(*judge) bool
}{
	{"P1", "not every changed file is known", func(j *judge) bool { return !j.push.Complete }},
	{"P2", "nothing that can be seen changes", func(j *judge) bool { return j.push.Complete && len(j.push.Files) == 0 }},
	{"P3", "more files change than the limit allows", func(j *judge) bool { return len(j.push.Files) > j.limits.Files }},
	{"P4", "more lines change than the limit allows", func(j *judge) bool { return j.lines() > j.limits.Lines }},
}

type tamperRow struct {
	id     string
	ruling Ruling
	says   string
	holds  func(*hunk) bool
}

// TamperRows returns the rubric for the documents: id, ruling and words.
func TamperRows() [][3]string {
	var rows [][3]string
	for _, r := range pushRows {
		rows = append(rows, [3]string{r.id, string(Pause), r.says})
	}
	for _, r := range tamperRows {
		rows = append(rows, [3]string{r.id, string(r.ruling), r.says})
	}
	return rows
}

// Judge rules on every hunk of a push that a report claims: first on the push
// as a whole, which has a row only where it is held, then on each hunk in the
// order of the files. It reads paths and text alone, and believes nothing that
// the report says of itself. A push with one PAUSE is held (see [Held]).
//
// A test file need not be named by a finding, because a fix brings its test
// along.
func Judge(p Push, findings []facts.Finding, l Limits) []Hunk {
	j := &judge{push: p, limits: defaults(l), findings: findings}
	var all []Hunk
	for _, row := range pushRows {
		if row.holds(j) {
			all = append(all, Hunk{Rule: row.id, Ruling: Pause, Reason: row.says})
		}
	}
	for _, f := range p.Files {
		file := &file{Changed: f}
		hunks := file.hunks(j)
		for _, h := range hunks {
			file.net += h.asserts()
			file.tests += h.count(tests, '+') - h.count(tests, '-')
		}
		for _, h := range hunks {
			all = append(all, h.rule())
		}
	}
	return all
}

// Held returns the hunks that hold a push.
func Held(all []Hunk) []Hunk {
	var held []Hunk
	for _, h := range all {
		if h.Ruling == Pause {
			held = append(held, h)
		}
	}
	return held
}

func defaults(l Limits) Limits {
	if l.Lines == 0 {
		l.Lines = 1000
	}
	if l.FileLines == 0 {
		l.FileLines = 400
	}
	if l.Files == 0 {
		l.Files = 50
	}
	l.NeverCommit = slices.Concat([]string{Folder + "**"}, l.NeverCommit)
	return l
}

type judge struct {
	push     Push
	limits   Limits
	findings []facts.Finding
}

func (j *judge) lines() int {
	n := 0
	for _, f := range j.push.Files {
		n += f.Additions + f.Deletions
	}
	return n
}

func (j *judge) neverCommit(name string) bool { return config.MatchAny(j.limits.NeverCommit, name) }

// names reports whether a finding names the file. One without a place (a check
// that failed) may be mended anywhere.
func (j *judge) names(name string) bool {
	return slices.ContainsFunc(j.findings, func(f facts.Finding) bool { return f.Path == "" || f.Path == name })
}

// points reports whether a finding is about exactly this file.
func (j *judge) points(name string) bool {
	return slices.ContainsFunc(j.findings, func(f facts.Finding) bool { return f.Path == name })
}

// A file is a changed file with what its hunks come to.
type file struct {
	Changed
	net   int // assertions added less removed
	tests int // likewise
	// added and removed are the lines of the patch.
	added, removed int
}

// A hunk is one change of a file; the file as a whole where its range is empty.
type hunk struct {
	*file
	judge  *judge
	ranges string
	lines  []string // with their sign
}

var hunkHeader = regexp.MustCompile(`^@@ (-\d+(?:,\d+)? \+\d+(?:,\d+)?) @@`)

// hunks parts the patch at its headers. A file without a patch is one hunk.
func (f *file) hunks(j *judge) []*hunk {
	var all []*hunk
	for l := range strings.SplitSeq(f.Patch, "\n") {
		if m := hunkHeader.FindStringSubmatch(l); m != nil {
			all = append(all, &hunk{file: f, judge: j, ranges: m[1]})
		} else if len(all) > 0 {
			last := all[len(all)-1]
			last.lines = append(last.lines, l)
			if strings.HasPrefix(l, "+") {
				f.added++
			} else if strings.HasPrefix(l, "-") {
				f.removed++
			}
		}
	}
	if len(all) == 0 {
		all = append(all, &hunk{file: f, judge: j})
	}
	return all
}

func (h *hunk) rule() Hunk {
	for _, row := range tamperRows {
		if row.holds(h) {
			return Hunk{File: h.Path, Range: h.ranges, Rule: row.id, Ruling: row.ruling, Reason: row.says}
		}
	}
	panic("handoff: no row of the tamper guard holds; the table has lost its last row")
}

// path reports whether the file is, or was before it was renamed, of a kind.
func (h *hunk) path(is func(string) bool) bool {
	return is(h.Path) || h.Previous != "" && is(h.Previous)
}

func (h *hunk) named() bool { return h.path(h.judge.names) }

func (h *hunk) manifestNamed() bool {
	return h.path(func(name string) bool {
		dir := path.Dir(name)
		return h.judge.points(name) || slices.ContainsFunc(locks[base(name)], func(m string) bool { return h.judge.points(path.Join(dir, m)) })
	})
}

func (h *hunk) deletesTests() bool {
	switch {
	case h.Status == "removed":
		return isTest(h.Path)
	case h.Previous != "" && h.Status == "renamed" && isTest(h.Previous) && !isTest(h.Path):
		return true
	}
	return isTest(h.Path) && h.tests < 0 && h.count(tests, '-') > h.count(tests, '+')
}

// unseen: GitHub shows no patch, or not the whole of it. A file that was only
// moved has none; an empty one is not told from a binary one.
func (h *hunk) unseen() bool {
	if h.added != h.Additions || h.removed != h.Deletions {
		return true
	}
	moved := h.Status == "renamed" || h.Status == "copied" || h.Status == "unchanged"
	return h.ranges == "" && (h.Patch != "" || !moved)
}

// count counts matches in lines of one sign. What stands behind the sign of a
// comment does not count.
func (h *hunk) count(re *regexp.Regexp, sign byte) int {
	n := 0
	for _, l := range h.lines {
		if l != "" && l[0] == sign && (re == silences || !comment.MatchString(l[1:])) {
			n += len(re.FindAllString(l[1:], -1))
		}
	}
	return n
}

// asserts is how many assertions the hunk adds, less those that it removes. One
// that cannot fail is none.
func (h *hunk) asserts() int {
	return h.count(assertions, '+') - h.count(trivial, '+') - h.count(assertions, '-') + h.count(trivial, '-')
}

var (
	comment    = regexp.MustCompile(`^\s*(//|#(?:[^\[]|$)|/\*|\*|--|<!--|;)`)
	assertions = regexp.MustCompile(`\b(?:assert\w*|debug_assert\w*|Assert\w*|ASSERT_\w+|EXPECT_\w+|expect|XCTAssert\w*)!?\s*[.({\s]` +
		`|\brequire\.\w+\(|\bverify\(|\.should\b|\bshould\(|\b(?:t|b|f|tb)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\bcmp\.Diff\(`)
	trivial = regexp.MustCompile(`(?i)\bassert\w*!?\s*\(?\s*(?:true|1)\s*[);,]?\s*$|\bexpect\((true|1)\)\.to(be|equal)\((true|1)\)|\bassert\w*\(\s*(true|1)\s*,\s*(true|1)\s*\)`)
	tests   = regexp.MustCompile(`\bfunc (?:Test|Fuzz|Benchmark|Example)\w*\(|\bdef test_?\w*\(|\b(?:it|test|specify|scenario)\(|^\s*(?:it|test|specify|scenario) ["']` +
		`|@(?:Test|ParameterizedTest)\b|#\[(?:\w+::)?test\]|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|\bTEST(?:_[FP])?\(|\bfunction test\w*\(|\bfun test\w*\(`)
	skips = regexp.MustCompile(`\b(?:t|b|f|tb)\.(?:Skip|Skipf|SkipNow)\(|\btesting\.Short\(|\b(?:it|test|describe|context|suite)\.(?:skip|only|todo|failing)\b` +
		`|\bx(?:it|test|describe|context|specify)\b\s*\(|\bf(?:it|describe|context)\b\s*\(|@(?:Ignore|Disabled|Skip)\b|\bpytest\.(?:mark\.)?(?:skip|skipif|xfail)\b` +
		`|\bunittest\.(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself\.skipTest\(|#\[ignore|\[Ignore\b|\(Skip\s*=|\bGTEST_SKIP\(|\bDISABLED_\w+|\bmarkTestSkipped\(|\bpending\(|//go:build ignore`)
	silences = regexp.MustCompile(`//\s*nolint|\bnosec\b|\beslint-disable|@ts-(?:ignore|nocheck|expect-error)|#\s*(?:noqa|type:\s*ignore|pylint:\s*disable|nosec)` +
		`|#!?\[allow\(|@SuppressWarnings|\bNOLINT\b|#pragma warning disable|\bistanbul ignore|\bc8 ignore|pragma: no cover|rubocop:disable|\bphpstan-ignore|\bshellcheck disable`)
)

// The kinds of paths. Case does not count: some file systems pass over it.

func base(name string) string { return path.Base(strings.ToLower(name)) }

func isWorkflow(name string) bool {
	return config.MatchAny([]string{
		".github/workflows/**", ".github/actions/**", "**/action.{yml,yaml}", ".github/{prloop,dependabot}.{yml,yaml}", ".github/rulesets/**",
		".gitlab-ci.yml", ".gitlab/**", ".circleci/**", ".buildkite/**", ".travis.yml", "azure-pipelines*.yml", ".azure-pipelines/**",
		"**/jenkinsfile*", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker/**", ".woodpecker.yml", ".cirrus.yml", "appveyor.yml", ".ci/**",
		"**/.gitmodules", "**/.gitattributes", ".husky/**", ".githooks/**", ".pre-commit-config.yaml", "lefthook.yml",
	}, strings.ToLower(name))
}

// isOwners: the three places where GitHub looks for it.
func isOwners(name string) bool {
	return config.MatchAny([]string{"{.github/,docs/,}codeowners"}, strings.ToLower(name))
}

func isInstructions(name string) bool {
	return config.MatchAny([]string{
		"**/agents.md", "**/claude.md", "**/gemini.md", ".claude/**", ".cursor/**", ".cursorrules", ".codex/**", ".coderabbit.{yml,yaml}",
		".github/copilot-instructions.md", ".github/instructions/**", ".github/prompts/**", ".github/agents/**", "**/skill.md",
	}, strings.ToLower(name))
}

// isGate: what tells linters, tests and coverage what to pass.
func isGate(name string) bool {
	return config.MatchAny([]string{
		"**/.golangci.{yml,yaml,toml,json}", "**/.eslintrc*", "**/eslint.config.*", "**/.eslintignore", "**/biome.json*", "**/tslint.json",
		"**/{jest,vitest,karma,playwright,cypress}.config.*", "**/.mocharc*", "**/.nycrc*", "**/{pytest,tox,mypy}.ini", "**/.flake8", "**/.pylintrc",
		"**/ruff.toml", "**/.ruff.toml", "**/.coveragerc", "**/{.,}codecov.{yml,yaml}", "**/conftest.py", "**/.rubocop*.yml", "**/clippy.toml",
		"**/phpunit.xml*", "**/phpstan.neon*", "**/sonar-project.properties", "**/.semgrepignore", "**/.trivyignore", "**/.snyk",
	}, strings.ToLower(name))
}

// locks are lock files with the manifests that they follow from.
var locks = map[string][]string{
	"package-lock.json": {"package.json"}, "npm-shrinkwrap.json": {"package.json"}, "yarn.lock": {"package.json"},
	"pnpm-lock.yaml": {"package.json"}, "bun.lock": {"package.json"}, "bun.lockb": {"package.json"}, "deno.lock": {"deno.json"},
	"go.sum": {"go.mod"}, "go.work.sum": {"go.work"}, "cargo.lock": {"Cargo.toml"}, "gemfile.lock": {"Gemfile"},
	"poetry.lock": {"pyproject.toml"}, "uv.lock": {"pyproject.toml"}, "pdm.lock": {"pyproject.toml"}, "pipfile.lock": {"Pipfile"},
	"composer.lock": {"composer.json"}, "pubspec.lock": {"pubspec.yaml"}, "mix.lock": {"mix.exs"}, "package.resolved": {"Package.swift"},
	"podfile.lock": {"Podfile"}, "packages.lock.json": {"Directory.Packages.props"}, "gradle.lockfile": {"build.gradle", "build.gradle.kts"},
	"flake.lock": {"flake.nix"}, "conan.lock": {"conanfile.txt", "conanfile.py"}, ".terraform.lock.hcl": {"versions.tf", "main.tf"},
}

func isLock(name string) bool { return locks[base(name)] != nil }

// isTest: by the names that the languages' own tools look for, and by folder.
func isTest(name string) bool {
	return testName.MatchString(path.Base(name)) || config.MatchAny([]string{
		"{test,tests,__tests__,spec,specs,testdata,__snapshots__,e2e}/**", "**/{test,tests,__tests__,spec,specs,testdata,__snapshots__,e2e}/**",
	}, strings.ToLower(name))
}

var testName = regexp.MustCompile(`(?i)[._-](test|tests|spec|specs)\.\w+$|^tests?[._-].*\.\w+$|^.+\.snap$|^conftest\.py$` +
	`|(?-i:[a-z0-9](Test|Tests|TestCase|Spec|IT)\.\w+$)`)

// String is one line for a log or a table of ours; the file is quoted.
func (h Hunk) String() string {
	return fmt.Sprintf("%s %s %s: %s (%s)", h.Ruling, short(h.File), h.Range, h.Reason, h.Rule)
}
