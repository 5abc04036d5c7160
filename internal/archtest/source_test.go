package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A pkg is one package of the module.
type pkg struct {
	files []file
}

// A file is one Go file.
type file struct {
	name    string // from the module's root
	test    bool
	text    string
	syntax  *ast.File
	lines   *token.FileSet
	imports []string
}

// root is the module's folder.
func root() fs.FS { return os.DirFS("../..") }

// load parses every Go file of a module, by the name of its package: the
// folder below internal, or main. Folders that Go leaves out are left out.
func load(t *testing.T, module fs.FS) map[string]pkg {
	t.Helper()
	packages := map[string]pkg{}
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if name != "." && (base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		f := file{name: name, test: strings.HasSuffix(name, "_test.go"), text: string(text), lines: token.NewFileSet()}
		if f.syntax, err = parser.ParseFile(f.lines, name, text, parser.SkipObjectResolution); err != nil {
			return err
		}
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		of := strings.TrimPrefix(path.Dir(name), "internal/")
		if of == "." {
			of = "main"
		}
		packages[of] = pkg{append(packages[of].files, f)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// tree is a module of one file.
func tree(name, body string) fs.FS {
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte("package p\n\n" + body + "\n")}}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func TestClock(t *testing.T) {
	for _, p := range clockProblems(load(t, root()), table) {
		t.Error(p)
	}
}

// Functions of package time. Now is what GitHub's Date header says; a pure
// package neither waits nor asks where it runs either.
var (
	clock   = []string{"Now", "Since", "Until"}
	waiting = []string{"After", "AfterFunc", "Local", "LoadLocation", "NewTicker", "NewTimer", "Tick"}
)

// clockProblems returns who asks for the time, or waits for it, and must not.
func clockProblems(packages map[string]pkg, table map[string]may) []string {
	var problems []string
	for _, name := range sorted(packages) {
		rule := table[name]
		for _, f := range packages[name].files {
			banned := []string{"Sleep"} // a test that sleeps is slow, flaky, or both
			if !rule.clock {
				banned = append(banned, clock...)
			}
			if rule.pure && !f.test {
				banned = append(banned, waiting...)
			}
			problems = append(problems, timeProblems(f, banned)...)
		}
	}
	return problems
}

// timeProblems returns where f names something of package time that is banned.
func timeProblems(f file, banned []string) []string {
	local := ""
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value != `"time"` {
			continue
		}
		local = "time"
		if spec.Name != nil {
			local = spec.Name.Name
		}
	}
	switch local {
	case "":
		return nil
	case ".":
		return []string{f.name + ` imports "time" into its own names, so nobody sees who asks for the time`}
	}
	var problems []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := sel.X.(*ast.Ident); ok && of.Name == local && slices.Contains(banned, sel.Sel.Name) {
			problems = append(problems, fmt.Sprintf("%s:%d: time.%s: the time is GitHub's, and comes with the snapshot", f.name, f.lines.Position(sel.Pos()).Line, sel.Sel.Name))
		}
		return true
	})
	return problems
}

func TestClockProblems(t *testing.T) {
	table := map[string]may{"pr": {pure: true}, "app": {}, "githubtest": {clock: true}}
	tests := []struct {
		name, file, source string
		want               []string
	}{
		{"times and durations are values", "internal/pr/a.go", `import "time"` + "\nvar d = time.Minute; var t time.Time", nil},
		{"a pure package asks for the time", "internal/pr/a.go", `import "time"` + "\nfunc f() { _ = time.Now() }", []string{
			`internal/pr/a.go:4: time.Now: the time is GitHub's, and comes with the snapshot`,
		}},
		{"it hands the clock on", "internal/pr/a.go", `import clock "time"` + "\nvar now = clock.Since", []string{
			`internal/pr/a.go:4: time.Since: the time is GitHub's, and comes with the snapshot`,
		}},
		{"it hides where the clock comes from", "internal/pr/a.go", `import . "time"`, []string{
			`internal/pr/a.go imports "time" into its own names, so nobody sees who asks for the time`,
		}},
		{"it waits", "internal/pr/a.go", `import "time"` + "\nvar t = time.After", []string{
			`internal/pr/a.go:4: time.After: the time is GitHub's, and comes with the snapshot`,
		}},
		{"an edge waits", "internal/app/a.go", `import "time"` + "\nvar t = time.After", nil},
		{"an edge asks for the time", "internal/app/a.go", `import "time"` + "\nvar t = time.Until", []string{
			`internal/app/a.go:4: time.Until: the time is GitHub's, and comes with the snapshot`,
		}},
		{"the embedded GitHub has the clock", "internal/githubtest/a.go", `import "time"` + "\nvar t = time.Now", nil},
		{"a test sleeps", "internal/githubtest/a_test.go", `import "time"` + "\nfunc f() { time.Sleep(1) }", []string{
			`internal/githubtest/a_test.go:4: time.Sleep: the time is GitHub's, and comes with the snapshot`,
		}},
		{"another Now is not the clock", "internal/pr/a.go", "var t = snapshot.Now", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, clockProblems(load(t, tree(tt.file, tt.source)), table)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSource(t *testing.T) {
	for _, p := range sourceProblems(load(t, root())) {
		t.Error(p)
	}
}

// What no Go file has. The patterns are written so that they do not match
// themselves.
var banned = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"a note to oneself; do it, or file an issue", regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)},
	// A runner's own folders, such as the one below its user's home, are
	// everybody's.
	{"a path of somebody's machine", regexp.MustCompile(`(^|[^\w.-])/(work/|root/|tmp/|Users/|home/` + `[^r]|home/r[^u])`)},
}

// sourceProblems returns what the text of the module's files must not have,
// and functions that run by themselves.
func sourceProblems(packages map[string]pkg) []string {
	var problems []string
	for _, name := range sorted(packages) {
		for _, f := range packages[name].files {
			for i, line := range strings.Split(f.text, "\n") {
				for _, b := range banned {
					if b.pattern.MatchString(line) {
						problems = append(problems, fmt.Sprintf("%s:%d: %s", f.name, i+1, b.what))
					}
				}
			}
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					problems = append(problems, fmt.Sprintf("%s:%d: a function init", f.name, f.lines.Position(fn.Pos()).Line))
				}
			}
		}
	}
	return problems
}

func TestSourceProblems(t *testing.T) {
	tests := []struct {
		name, source string
		want         []string
	}{
		{"a field ToDo is what a person can do", "type t struct{ ToDo string }", nil},
		{"a note to oneself", "// TO" + "DO: later", []string{"internal/pr/a.go:3: a note to oneself; do it, or file an issue"}},
		{"another one", "/* FIX" + "ME */", []string{"internal/pr/a.go:3: a note to oneself; do it, or file an issue"}},
		{"a path of this machine", `var p = "` + "/wo" + `rk/main"`, []string{"internal/pr/a.go:3: a path of somebody's machine"}},
		{"a path of a person's machine", `var p = "` + "/ho" + `me/mona/go"`, []string{"internal/pr/a.go:3: a path of somebody's machine"}},
		{"a runner's folder is everybody's", `var p = "/home/runner/work/spoon"`, nil},
		{"a container's folder is everybody's", `var p = "/github/workspace"`, nil},
		{"a route of an API is no path", `var p = "repos/work/x"`, nil},
		{"a function that runs by itself", "func init() {}", []string{"internal/pr/a.go:3: a function init"}},
		{"a method may be called so", "type t int\nfunc (t) init() {}", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sourceProblems(load(t, tree("internal/pr/a.go", tt.source)))); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
