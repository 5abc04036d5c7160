package archtest

import (
	"io/fs"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The map of the packages has each of them, and no other.
func TestMap(t *testing.T) {
	for _, p := range mapProblems(t, root(), load(t, root())) {
		t.Error(p)
	}
}

// row is a line of the map: a package, and where its reader begins.
var row = regexp.MustCompile("(?m)^\\| \\[`([a-z]+)`\\]\\(([^)]*)\\) \\|")

// mapProblems holds internal/README.md against the packages.
func mapProblems(t *testing.T, module fs.FS, packages map[string]pkg) []string {
	t.Helper()
	text, err := fs.ReadFile(module, "internal/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	on := map[string]bool{}
	for _, m := range row.FindAllSubmatch(text, -1) {
		name := string(m[1])
		switch {
		case on[name]:
			problems = append(problems, "internal/README.md has package "+name+" twice")
		case packages[name].files == nil:
			problems = append(problems, "internal/README.md has package "+name+", which is not there")
		}
		on[name] = true
	}
	for _, name := range sorted(packages) {
		if !on[name] {
			problems = append(problems, "internal/README.md does not have package "+name+"; give it a line of the map")
		}
	}
	return problems
}

func TestMapProblems(t *testing.T) {
	packages := map[string]pkg{"pr": {files: []file{{}}}, "plan": {files: []file{{}}}}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"every package once", "| [`pr`](pr/pr.go) | facts |\n| [`plan`](plan/plan.go) | decides |\n", nil},
		{"a package that is missing", "| [`pr`](pr/pr.go) | facts |\n", []string{
			"internal/README.md does not have package plan; give it a line of the map",
		}},
		{"a package that is gone, and one that is there twice", "| [`pr`](pr/pr.go) | x |\n| [`plan`](plan/plan.go) | y |\n| [`util`](util/util.go) | z |\n| [`pr`](pr/pr.go) | x |\n", []string{
			"internal/README.md has package util, which is not there",
			"internal/README.md has package pr twice",
		}},
		{"a package that is only spoken of", "| [`plan`](plan/plan.go) | asks [`pr`](pr/pr.go) |\n", []string{
			"internal/README.md does not have package pr; give it a line of the map",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			module := fstest.MapFS{"internal/README.md": {Data: []byte(tt.text)}}
			if diff := cmp.Diff(tt.want, mapProblems(t, module, packages)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
