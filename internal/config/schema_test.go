package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled is the schema, held against the rules for schemas on the way.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("prloop.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("prloop.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// valid reports whether an editor with the schema takes text: it is YAML, and
// the schema has nothing against it.
func valid(t *testing.T, schema *jsonschema.Schema, text string) bool {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return false
	}
	if len(bytes.TrimSpace(asJSON)) == 0 {
		asJSON = []byte("null")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatalf("%q as JSON is %q: %v", text, asJSON, err)
	}
	return schema.Validate(doc) == nil
}

// The schema and ParseSettings say the same of every row of the tables good
// and bad, but for what stands here with its reason.
func TestSchemaAgrees(t *testing.T) {
	const (
		spelling  = "the spelling is gone before a schema sees the value"
		together  = "a schema knows each key by itself"
		grammar   = "a schema has no grammar for globs, patterns and paths"
		spellings = "a schema knows one spelling, and GitHub many"
		size      = "a schema does not see the text, only its values"
		order     = "a schema cannot say that a list never falls"
		words     = "the patterns of a schema cannot say what is no placeholder"
	)
	ours := map[string]string{
		"spellings of numbers that readers of YAML take differently": spelling,
		"a value that contains itself":                               spelling,
		"two documents":                                              spelling,
		"the only reviewer is off":                                   together,
		"the only reviewer is off by input":                          together,
		"a reviewer that is asked at the end drives nothing":         together,
		"nobody has to review":                                       together,
		"claude and the coding agent fix":                            together,
		"who fixes is ambiguous":                                     together,
		"a severity that falls":                                      order,
		"Mode X without a reviewer":                                  together,
		"Mode Y without the agent":                                   together,
		"a score without a digit":                                    grammar,
		"a score that is no pattern":                                 grammar,
		"a rubric outside of the repository":                         grammar,
		"an account that is not Copilot's":                           spellings,
		"a damaged glob":                                             grammar,
		"a damaged glob among checks":                                grammar,
		"a byte that ends strings elsewhere":                         size,
		"a file without end":                                         size,
		"a template with a placeholder that there is not":            words,
	}
	schema := compiled(t)
	for _, row := range good {
		for _, text := range row.texts {
			if !valid(t, schema, text) {
				t.Errorf("%s: the schema refuses %q", row.says, text)
			}
		}
	}
	seen := 0
	for _, row := range bad {
		taken := true
		for _, text := range row.texts {
			taken = valid(t, schema, text) && taken
		}
		_, alone := ours[row.says]
		if alone {
			seen++
		}
		if taken != alone {
			t.Errorf("%s: the schema takes it is %t, want %t", row.says, taken, alone)
		}
	}
	if seen != len(ours) {
		t.Errorf("%d of %d reasons are about rows of the table", seen, len(ours))
	}
}

// The defaults that the schema tells an editor are valid themselves.
func TestSchemaTakesTheDefaults(t *testing.T) {
	schema := compiled(t)
	for _, k := range Keys {
		if d := k.Default(); d != "" && !valid(t, schema, nested(k.Path, d)) {
			t.Errorf("%s: the schema refuses its default %s", k.Path, d)
		}
	}
}

// Every key is in the schema, at the top and in the wrapper, with its sentence
// and its default.
func TestSchemaHasEveryKey(t *testing.T) {
	var root struct {
		Defs       map[string]any `json:"$defs"`
		Properties map[string]struct {
			Ref        string         `json:"$ref"`
			Properties map[string]any `json:"properties"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys {
		names := strings.Split(k.Path, ".")
		if want, got := "#/$defs/"+names[0], root.Properties[names[0]].Ref; want != got {
			t.Errorf("%s is %q at the top, want %q", names[0], got, want)
		}
		if _, ok := root.Properties[wrapper].Properties[names[0]]; !ok {
			t.Errorf("%s is not in the wrapper", names[0])
		}
		at := root.Defs[names[0]].(map[string]any)
		for _, name := range names[1:] {
			if forms, ok := at["anyOf"].([]any); ok {
				at = forms[len(forms)-1].(map[string]any)
			}
			at = at["properties"].(map[string]any)[name].(map[string]any)
		}
		if want := k.Says() + "."; at["description"] != want {
			t.Errorf("%s is described as %q, want %q", k.Path, at["description"], want)
		}
		if _, ok := at["default"]; ok != (k.Default() != "") {
			t.Errorf("%s: the schema has a default is %t", k.Path, ok)
		}
	}
}
