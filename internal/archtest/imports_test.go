package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/prloop/prloop"

// A may says what one package may do.
type may struct {
	// pure packages read nothing but their arguments: no disk, network,
	// context, log, clock or randomness, and no package that has one of them.
	pure bool
	// imports are the packages of this module that it may import. Package fail
	// is not named: anyone may.
	imports []string
	// outside are the modules beyond the standard library that it may import;
	// its test files may import those of testKit too.
	outside []string
	// tests are the modules that its test files may import besides.
	tests []string
	// clock: it may ask for the time.
	clock bool
}

// table says what each package may import. A package that is not in it fails
// the test until somebody has said so here. Imports point down: a package may
// import only what stands above it.
var table = map[string]may{
	// Pure.
	"pr":        {pure: true},
	"fail":      {pure: true},
	"effect":    {pure: true, imports: []string{"pr"}},
	"command":   {pure: true, imports: []string{"pr"}},
	"event":     {pure: true, imports: []string{"pr"}},
	"autopilot": {pure: true, imports: []string{"pr"}},
	"config":    {pure: true, imports: []string{"autopilot", "pr"}, outside: []string{goYAML, doublestar, levenshtein}},
	"loose":     {pure: true},
	"copilot":   {pure: true, imports: []string{"loose"}},
	"reviewer":  {pure: true, imports: []string{"loose"}},
	"conductor": {pure: true, imports: []string{"loose"}},

	"quest":   {pure: true, imports: []string{"loose"}},
	"journal": {pure: true, imports: []string{"command", "effect", "pr", "quest"}},
	"round":   {pure: true, imports: []string{"journal", "loose", "pr"}},
	"facts":   {pure: true, imports: []string{"autopilot", "config", "copilot", "effect", "journal", "pr", "reviewer"}, outside: []string{doublestar}},
	"plan": {pure: true, imports: []string{
		"autopilot", "command", "conductor", "config", "copilot", "effect", "event", "facts", "handoff", "journal", "pr", "quest", "reviewer", "round",
	}},
	"handoff": {pure: true, imports: []string{"config", "facts", "pr"}},
	"report":  {pure: true, imports: []string{"pr"}},

	// Edges: the only input and output.
	"github":  {imports: []string{"effect", "pr"}, outside: []string{goGitHub, githubv4, retryable}},
	"actions": {imports: []string{"report"}, outside: []string{githubactions}},

	// What joins them.
	"app": {imports: []string{
		"actions", "autopilot", "config", "copilot", "effect", "event", "facts", "github", "handoff", "journal", "plan", "pr", "report", "round",
	}},

	// For simulation, tests and documents. The embedded GitHub shares nothing
	// with the client, so that a mistake of one is not a mistake of both.
	// Its tests run the real clients against it.
	"githubtest": {outside: []string{gqlparser}, tests: []string{goGitHub, githubv4}, clock: true},
	"scenario": {
		imports: []string{
			"app", "conductor", "config", "copilot", "effect", "event", "facts", "githubtest", "journal", "plan", "pr", "quest", "report", "round",
		},
		outside: []string{goInternal},
	},
	"docgen":      {imports: []string{"command", "config", "copilot", "handoff", "plan", "quest", "report"}},
	"conformance": {outside: []string{goCmp}},
	"archtest":    {},
	"bench":       {}, // nothing but tests

	// The program.
	"cli":  {imports: []string{"app", "autopilot", "conductor", "config", "copilot", "journal", "plan", "quest", "reviewer", "round", "scenario"}},
	"main": {imports: []string{"cli"}},
}

// The modules that the table names.
const (
	doublestar    = "github.com/bmatcuk/doublestar/v4"
	githubactions = "github.com/sethvargo/go-githubactions"
	githubv4      = "github.com/shurcooL/githubv4"
	goCmp         = "github.com/google/go-cmp"
	goGitHub      = "github.com/google/go-github/v62"
	goInternal    = "github.com/rogpeppe/go-internal"
	goYAML        = "github.com/goccy/go-yaml"
	gqlparser     = "github.com/vektah/gqlparser/v2"
	levenshtein   = "github.com/agnivade/levenshtein"
	retryable     = "github.com/hashicorp/go-retryablehttp"
)

// testKit is what test files of every package may import besides.
var testKit = []string{
	goCmp,
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/yuin/goldmark",
	"pgregory.net/rapid",
	goInternal,
	goYAML,
}

// impure are the parts of the standard library that a pure package keeps away
// from, with everything below them; harmless are the exceptions.
var (
	impure = []string{
		"context", "crypto/rand", "database", "io/ioutil", "log", "math/rand", "net", "os",
		"path/filepath", "plugin", "runtime", "syscall", "testing", "unsafe",
	}
	harmless = []string{"net/url"}
)

func TestImports(t *testing.T) {
	packages := load(t, root())
	if len(packages) < 5 {
		t.Fatalf("only %d packages were found; is this the root of the module?", len(packages))
	}
	for _, p := range importProblems(packages, table) {
		t.Error(p)
	}
}

// importProblems holds packages against the table and returns what breaks it.
func importProblems(packages map[string]pkg, table map[string]may) []string {
	var problems []string
	for _, name := range sorted(packages) {
		rule, ok := table[name]
		if !ok {
			problems = append(problems, fmt.Sprintf("package %s is not in the import table; say in internal/archtest what it may import", name))
			continue
		}
		for _, f := range packages[name].files {
			for _, path := range f.imports {
				if why := forbidden(name, rule, f, path); why != "" {
					problems = append(problems, fmt.Sprintf("%s imports %q: %s", f.name, path, why))
				}
			}
		}
		if !rule.pure {
			continue
		}
		for _, chain := range reached(packages, name) {
			if last := chain[len(chain)-1]; !table[last].pure {
				problems = append(problems, fmt.Sprintf("package %s is pure, and reaches %s, which is not: %s", name, last, strings.Join(chain, " -> ")))
			}
		}
	}
	return problems
}

// forbidden returns why a file must not import a path, or "".
func forbidden(name string, rule may, f file, path string) string {
	if own, ok := strings.CutPrefix(path, module+"/internal/"); ok {
		if f.test || own == "fail" || slices.Contains(rule.imports, own) {
			return ""
		}
		return fmt.Sprintf("package %s may import only %q and fail of this module", name, rule.imports)
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		allowed := slices.Clone(rule.outside)
		if f.test {
			allowed = append(append(allowed, testKit...), rule.tests...)
		}
		if slices.ContainsFunc(allowed, func(m string) bool { return within(path, m) }) {
			return ""
		}
		return fmt.Sprintf("package %s may import only %q beyond the standard library", name, allowed)
	}
	if rule.pure && !f.test && !slices.Contains(harmless, path) &&
		slices.ContainsFunc(impure, func(i string) bool { return within(path, i) }) {
		return fmt.Sprintf("package %s is pure", name)
	}
	return ""
}

// within reports whether path is the package or module at parent, or below it.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// reached returns a chain of imports to each package of this module that name
// reaches, by files that are no tests.
func reached(packages map[string]pkg, name string) [][]string {
	var chains [][]string
	seen := map[string]bool{name: true}
	queue := [][]string{{name}}
	for len(queue) > 0 {
		chain := queue[0]
		queue = queue[1:]
		for _, f := range packages[chain[len(chain)-1]].files {
			for _, path := range f.imports {
				own, ok := strings.CutPrefix(path, module+"/internal/")
				if !ok || f.test || seen[own] {
					continue
				}
				seen[own] = true
				next := append(slices.Clone(chain), own)
				chains = append(chains, next)
				queue = append(queue, next)
			}
		}
	}
	return chains
}

// The table itself is sound: what it names is in it, and a pure package may
// import pure ones only.
func TestImportTable(t *testing.T) {
	for _, name := range sorted(table) {
		for _, own := range table[name].imports {
			rule, ok := table[own]
			switch {
			case !ok:
				t.Errorf("%s may import %s, which is not in the table", name, own)
			case table[name].pure && !rule.pure:
				t.Errorf("%s is pure and may import %s, which is not", name, own)
			}
		}
	}
}

// The check finds what it is there to find.
func TestImportProblems(t *testing.T) {
	const (
		pr  = `"` + module + `/internal/pr"`
		app = `"` + module + `/internal/app"`
	)
	table := map[string]may{
		"pr":      {pure: true},
		"copilot": {pure: true, imports: []string{"pr"}},
		"wrong":   {pure: true, imports: []string{"app"}},
		"app":     {imports: []string{"pr"}},
		"github":  {outside: []string{goGitHub}},
	}
	tests := []struct {
		name, file, source string
		want               []string
	}{
		{"what the table allows is no problem", "internal/copilot/a.go", `import ` + pr + "\n" + `import "net/url"`, nil},
		{"a pure package has no network", "internal/copilot/a.go", `import _ "net/http"`, []string{
			`internal/copilot/a.go imports "net/http": package copilot is pure`,
		}},
		{"a pure package has no logger of any kind", "internal/copilot/a.go", `import "log/slog"`, []string{
			`internal/copilot/a.go imports "log/slog": package copilot is pure`,
		}},
		{"a test of a pure package may read files", "internal/copilot/a_test.go", `import "os"`, nil},
		{"an edge may use the network", "internal/app/a.go", `import "net/http"`, nil},
		{"an import that nobody allowed", "internal/pr/a.go", `import ` + app, []string{
			`internal/pr/a.go imports "` + module + `/internal/app": package pr may import only [] and fail of this module`,
			`package pr is pure, and reaches app, which is not: pr -> app`,
		}},
		{"an edge behind an import that the table allows by mistake", "internal/wrong/a.go", `import ` + app, []string{
			`package wrong is pure, and reaches app, which is not: wrong -> app`,
		}},
		{"GitHub's client belongs to one package", "internal/app/a.go", `import "` + goGitHub + `/github"`, []string{
			`internal/app/a.go imports "` + goGitHub + `/github": package app may import only [] beyond the standard library`,
		}},
		{"GitHub's client belongs to that package", "internal/github/a.go", `import "` + goGitHub + `/github"`, nil},
		{"another version is another module", "internal/github/a.go", `import "github.com/google/go-github/v63/github"`, []string{
			`internal/github/a.go imports "github.com/google/go-github/v63/github": package github may import only ["` + goGitHub + `"] beyond the standard library`,
		}},
		{"a package that nobody listed", "internal/common/a.go", ``, []string{
			`package common is not in the import table; say in internal/archtest what it may import`,
		}},
		{"a package below another one is one of its own", "internal/pr/deep/a.go", ``, []string{
			`package pr/deep is not in the import table; say in internal/archtest what it may import`,
		}},
		{"the packages of testdata are none of ours", "internal/pr/testdata/a.go", `import "net/http"`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			packages := load(t, tree(tt.file, tt.source))
			if diff := cmp.Diff(tt.want, importProblems(packages, table)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
