package githubtest

import (
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// fullSchema is GitHub's whole schema, from the file that PRLOOP_SCHEMA names.
func fullSchema(t *testing.T) *ast.Schema {
	t.Helper()
	path := os.Getenv("PRLOOP_SCHEMA")
	if path == "" {
		t.Skip("PRLOOP_SCHEMA names no file: the subset schema was not held against GitHub's full one")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: path, Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// ours are the types that the subset defines itself.
func ours() []*ast.Definition {
	var out []*ast.Definition
	for name, def := range theGraph().schema.Types {
		if !def.BuiltIn && !strings.HasPrefix(name, "__") {
			out = append(out, def)
		}
	}
	slices.SortFunc(out, func(a, b *ast.Definition) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// signature is a field with its arguments, as both schemas must spell it.
func signature(f *ast.FieldDefinition, args ast.ArgumentDefinitionList) string {
	var b strings.Builder
	b.WriteString(f.Name)
	for _, a := range args {
		b.WriteString(" " + a.Name + ": " + a.Type.String())
		if a.DefaultValue != nil {
			b.WriteString(" = " + a.DefaultValue.String())
		}
	}
	b.WriteString(": " + f.Type.String())
	if f.DefaultValue != nil {
		b.WriteString(" = " + f.DefaultValue.String())
	}
	return b.String()
}

func TestSchemaIsPartOfGitHubs(t *testing.T) {
	full := fullSchema(t)
	for _, def := range ours() {
		whole := full.Types[def.Name]
		if whole == nil {
			t.Errorf("GitHub has no type %s", def.Name)
			continue
		}
		if whole.Kind != def.Kind {
			t.Errorf("%s is a %s, at GitHub a %s", def.Name, def.Kind, whole.Kind)
		}
		for _, i := range def.Interfaces {
			if !slices.Contains(whole.Interfaces, i) {
				t.Errorf("%s does not implement %s at GitHub", def.Name, i)
			}
		}
		for _, m := range def.Types {
			if !slices.Contains(whole.Types, m) {
				t.Errorf("%s does not have the member %s at GitHub", def.Name, m)
			}
		}
		for _, v := range def.EnumValues {
			if whole.EnumValues.ForName(v.Name) == nil {
				t.Errorf("%s does not have the value %s at GitHub", def.Name, v.Name)
			}
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			other := whole.Fields.ForName(f.Name)
			if other == nil {
				t.Errorf("%s has no field %s at GitHub", def.Name, f.Name)
				continue
			}
			// Arguments that the subset leaves out must be optional.
			var kept ast.ArgumentDefinitionList
			for _, a := range other.Arguments {
				switch {
				case f.Arguments.ForName(a.Name) != nil:
					kept = append(kept, a)
				case a.Type.NonNull && a.DefaultValue == nil:
					t.Errorf("%s.%s lacks the argument %s, which must be given", def.Name, f.Name, a.Name)
				}
			}
			want, got := signature(other, kept), signature(f, f.Arguments)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s.%s differs from GitHub's (-want +got):\n%s", def.Name, f.Name, diff)
			}
		}
		// An input that leaves out a field which must be given would accept
		// what GitHub refuses.
		if def.Kind == ast.InputObject {
			for _, f := range whole.Fields {
				if f.Type.NonNull && f.DefaultValue == nil && def.Fields.ForName(f.Name) == nil {
					t.Errorf("%s lacks the field %s, which must be given", def.Name, f.Name)
				}
			}
		}
	}
}

func TestEveryFieldIsAnswered(t *testing.T) {
	shared := []string{"nodes", "edges", "pageInfo", "totalCount", "cursor", "node"}
	// No object of these types exists here; queries name them in fragments.
	nobody := []string{"Mannequin", "Team"}
	table := resolvers()
	for _, def := range ours() {
		if slices.Contains(nobody, def.Name) || def.Kind != ast.Object || strings.HasSuffix(def.Name, "Payload") || def.Name == "PageInfo" {
			continue
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			generic := (strings.HasSuffix(def.Name, "Connection") || strings.HasSuffix(def.Name, "Edge")) && slices.Contains(shared, f.Name)
			if !generic && table[def.Name][f.Name] == nil {
				t.Errorf("%s.%s stands in the schema and has no resolver", def.Name, f.Name)
			}
		}
	}
}
