package archtest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// documents are the pages that lead people through the source.
var documents = []string{".github/CONTRIBUTING.md", "internal/README.md"}

// A document that leads to a file that is not there leads nobody anywhere.
func TestLinkedFilesExist(t *testing.T) {
	for _, doc := range documents {
		t.Run(doc, func(t *testing.T) {
			for _, p := range linkProblems(root(), doc) {
				t.Error(p)
			}
		})
	}
}

// linkProblems returns which links of a document to files of the module lead
// nowhere. A document that is not there, or links to no file, is one too.
func linkProblems(module fs.FS, doc string) []string {
	source, err := fs.ReadFile(module, doc)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	links := 0
	err = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		target, err := url.Parse(string(link.Destination))
		if err != nil {
			return ast.WalkStop, err
		}
		if target.Scheme != "" || target.Host != "" || target.Path == "" {
			return ast.WalkContinue, nil // another site, or this very page
		}
		links++
		name := path.Join(path.Dir(doc), target.Path)
		if strings.HasPrefix(target.Path, "/") {
			name = strings.TrimPrefix(path.Clean(target.Path), "/")
		}
		if _, err := fs.Stat(module, name); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			problems = append(problems, fmt.Sprintf("%s links to %s, which is not there", doc, link.Destination))
		} else if err != nil {
			return ast.WalkStop, err
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		problems = append(problems, fmt.Sprintf("%s: %v", doc, err))
	}
	if links == 0 {
		problems = append(problems, doc+" links to no file")
	}
	return problems
}

func TestLinkProblems(t *testing.T) {
	tests := []struct {
		name, doc string
		want      []string
	}{
		{"files, folders, other sites and headings", `See [the run](../internal/app/run.go#L3), [all](../internal),
[the action](/action.yml), [GitHub](https://docs.github.com/x) and [below](#below).`, nil},
		{"a file that has moved", "See [the run](../internal/app/gone.go).", []string{
			".github/C.md links to ../internal/app/gone.go, which is not there",
		}},
		{"a link by reference", "See [the run][1].\n\n[1]: ../gone.go\n", []string{
			".github/C.md links to ../gone.go, which is not there",
		}},
		{"a link out of the module", "See [it](../../elsewhere.go) and [the run](../internal/app/run.go).", []string{
			".github/C.md links to ../../elsewhere.go, which is not there",
		}},
		{"a link in code is none", "Write `[it](gone.go)`.", []string{".github/C.md links to no file"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			module := fstest.MapFS{
				".github/C.md":        {Data: []byte(tt.doc)},
				"internal/app/run.go": {},
				"action.yml":          {},
			}
			if diff := cmp.Diff(tt.want, linkProblems(module, ".github/C.md")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
	want := []string{"open README.md: file does not exist"}
	if diff := cmp.Diff(want, linkProblems(fstest.MapFS{}, "README.md")); diff != "" {
		t.Errorf("a document that is not there (-want +got):\n%s", diff)
	}
}
