package handoff

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

const (
	headA pr.SHA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	headB pr.SHA = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	headC pr.SHA = "bbbbbbbccccccccccccccccccccccccccccccccc"
)

// reportWith is a report's JSON with members besides those that it needs.
func reportWith(more string) string {
	if more != "" {
		more = ", " + more
	}
	return `{"handoff": {"pr": 7, "head": "` + string(headA) + `", "number": 2}, "head": "` + string(headB) + `", "status": "complete"` + more + `}`
}

func TestParse(t *testing.T) {
	base := Report{Handoff: Ref{7, headA, 2}, Head: headB, Step: Fix, Status: Complete}
	with := func(edit func(*Report)) Report {
		r := base
		edit(&r)
		return r
	}
	tests := []struct {
		says, text string
		want       Report
	}{
		{"the step is fix where nobody says", reportWith(``), base},
		{"null stands for what is left out", reportWith(`"items": null, "step": null, "usage": null`), base},
		{"a byte order mark is passed over", "\ufeff" + reportWith(``), base},
		{"a whole number may have zeros behind its point", reportWith(`"needsExtensionMinutes": 4.0`), with(func(r *Report) { r.NeedsExtensionMinutes = 4 })},
		{"an item without what it does not need", reportWith(`"items": [{"finding": "T1", "action": "escalate", "commit": "", "rationale": null}]`), with(func(r *Report) {
			r.Items = []Item{{Finding: "T1", Action: Escalate}}
		})},
		{"everything", reportWith(`"step": "review", "nextAction": "run the slow tests", "needsExtensionMinutes": 5,
			"items": [{"finding": "check:build", "action": "fix", "rationale": "it was null", "commit": "bbbbbbb", "files": ["a.go"]}],
			"checks": [{"cmd": "make", "exit": 3221225477}], "usage": {"tokens": 12, "model": ["x", {"y": null}]},
			"verdicts": [{"file": "a.go", "range": "-1 +1", "verdict": "PAUSE", "reason": "behaviour"}]`), with(func(r *Report) {
			r.Step, r.NextAction, r.NeedsExtensionMinutes = Review, "run the slow tests", 5
			r.Items = []Item{{"check:build", FixIt, "it was null", "bbbbbbb", []string{"a.go"}}}
			r.Checks = []Command{{"make", 3221225477}}
			r.Verdicts = []HunkVerdict{{"a.go", "-1 +1", Pause, "behaviour"}}
			r.Usage = map[string]any{"tokens": 12.0, "model": []any{"x", map[string]any{"y": nil}}}
		})},
	}
	schema := compiled(t, ReportSchema())
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got, err := Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Items) == 0 {
				got.Items = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if err := schemaError(schema, tt.text); err != nil {
				t.Errorf("the schema refuses it: %v", err)
			}
		})
	}
}

// refused are reports with all that is wrong with them.
var refused = []struct {
	says, text, want string
	// ours says why a schema cannot know; it then takes the text.
	ours string
}{
	{"nothing", " \n", `it is empty`, ""},
	{"no JSON", "{\n\"head\" x", `it is not JSON: line 2: "invalid character 'x' after object key"`, ""},
	{"two values", `{} {}`, `it is not JSON: line 1: "invalid character '{' after top-level value"`, ""},
	{"bytes that are no text", "\"\xff\"", `it is not UTF-8`, ""},
	{"a list", `[]`, `the report is a list, not an object`, ""},
	{
		"every problem is told at once",
		`{"handof": {}, "head": "main", "step": "fixx", "status": 1, "items": [{"finding": 7, "action": "Fix", "comit": "abc"}, []], "checks": [{"cmd": "make", "exit": "0"}]}`,
		`the report has the unknown key "handof" (did you mean "handoff"?); ` +
			`head is "main", not a full commit id in lower case; ` +
			`step is "fixx", not one of fix, triage, build, review, recap, rebase, research, reproduce, plan, respondent (did you mean "fix"?); ` +
			`status is a number, not a text; ` +
			`items[0].finding is a number, not a text; ` +
			`items[0].action is "Fix", not one of fix, decline, drift, partial, escalate (did you mean "fix"?); ` +
			`items[0] has the unknown key "comit" (did you mean "commit"?); ` +
			`items[1] is a list, not an object; ` +
			`checks[0].exit is a text, not a whole number; ` +
			`the report lacks the key "handoff"`,
		"",
	},
	{
		"numbers out of bounds", `{"handoff": {"pr": 0, "head": "` + string(headA) + `", "number": 1.5}, "head": "` + string(headA) + `", "status": "blocked", "needsExtensionMinutes": -1}`,
		`handoff.pr is 0, not a whole number from 1 to 2147483647; handoff.number is 1.5, not a whole number from 1 to 2147483647; ` +
			`needsExtensionMinutes is -1, not a whole number from 0 to 1000`, "",
	},
	{
		"null for what is needed", reportWith(`"items": [{"finding": null, "action": "fix"}, null]`),
		`items[0].finding is null, not a text; items[1] is null, not an object`, "",
	},
	{"a key twice", reportWith(`"status": "blocked"`), `the report has the key "status" twice`, "a schema sees the last one alone"},
	{
		"an abbreviated head", `{"handoff": {"pr": 1, "head": "aaaaaaa", "number": 1}, "head": "` + strings.ToUpper(string(headA)) + `", "status": "complete"}`,
		`handoff.head is "aaaaaaa", not a full commit id in lower case; head is "` + strings.ToUpper(string(headA)) + `", not a full commit id in lower case`, "",
	},
	{
		"a commit that is none", reportWith(`"items": [{"finding": "T", "action": "fix", "commit": "HEAD"}]`),
		`items[0].commit is "HEAD", not a commit id in lower case, of 7 digits or more`, "",
	},
	{
		"a stranger's word is quoted, on one line and cut", reportWith(`"step": "` + `\n::error::` + strings.Repeat("x", 90) + `"`),
		`step is "\n::error::` + strings.Repeat("x", 47) + `…", not one of fix, triage, build, review, recap, rebase, research, reproduce, plan, respondent`, "",
	},
	{
		"too many items", reportWith(`"items": [` + strings.Repeat(`{"finding": "T", "action": "fix"},`, 500) + `7]`),
		`items has 501 entries, and at most 500 are read`, "",
	},
	{"a text without end", reportWith(`"nextAction": "` + strings.Repeat("ä", 4001) + `"`), `nextAction has 4001 characters, and at most 4000 are read`, ""},
	{"usage is no object", reportWith(`"usage": [1]`), `usage is a list, not an object`, ""},
	{"a report of a megabyte", reportWith(`"usage": {"x": "` + strings.Repeat("x", MaxReport) + `"}`), `it has 1048757 bytes, and at most 1048576 are read`, "a schema sees values, not their size"},
}

func TestParseRefuses(t *testing.T) {
	schema := compiled(t, ReportSchema())
	for _, tt := range refused {
		t.Run(tt.says, func(t *testing.T) {
			got, err := Parse([]byte(tt.text))
			if diff := cmp.Diff(Report{}, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			told, ok := errors.AsType[*fail.Error](err)
			if !ok {
				t.Fatalf("error is %v, want a *fail.Error", err)
			}
			want := &fail.Error{
				What: "The report cannot be read, so nothing was done",
				Why:  tt.want,
				Fix:  "Correct the report and run this command again; internal/handoff/report.schema.json says what a report may have",
			}
			if diff := cmp.Diff(want, told); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if took := schemaError(schema, tt.text) == nil; took != (tt.ours != "") {
				t.Errorf("the schema takes it is %t, want %t", took, tt.ours != "")
			}
		})
	}
}

func TestParseCountsWhatItDoesNotTell(t *testing.T) {
	_, err := Parse([]byte(reportWith(`"items": [` + strings.Repeat(`{},`, 150) + `{}]`)))
	told, ok := errors.AsType[*fail.Error](err)
	if !ok || !strings.HasSuffix(told.Why, "; and 102 more") || strings.Count(told.Why, "; ") != maxProblems {
		t.Errorf("error is %v, want 200 problems and the number of the others", err)
	}
}

// compiled is a schema, held against the rules for schemas on the way.
func compiled(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("x.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	ready, err := c.Compile("x.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return ready
}

// schemaError is what a schema has against text.
func schemaError(schema *jsonschema.Schema, text string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// Types and specs have the same keys, needed where the type always writes them.
func TestSpecsHaveEveryKey(t *testing.T) {
	checkKeys(t, "report", reportSpec(), reflect.TypeFor[Report](), map[string]bool{"step": true})
	checkKeys(t, "brief", briefSpec(), reflect.TypeFor[Brief](), nil)
}

func checkKeys(t *testing.T, at string, s spec, typ reflect.Type, filled map[string]bool) {
	t.Helper()
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	for s.kind == list {
		s = *s.of
	}
	if s.kind != object {
		return
	}
	var want, got []string
	for i := range typ.NumField() {
		name, rest, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if rest == "" && !filled[name] {
			name += " (needed)"
		}
		want = append(want, name)
	}
	for _, f := range s.fields {
		name := f.name
		if f.need {
			name += " (needed)"
		}
		got = append(got, name)
		if strings.HasSuffix(f.doc, ".") || f.doc == "" {
			t.Errorf("%s.%s: %q is no sentence without a full stop", at, f.name, f.doc)
		}
		if field, ok := fieldOf(typ, f.name); ok {
			checkKeys(t, at+"."+f.name, f.is, field, nil)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: keys (-type +spec):\n%s", at, diff)
	}
}

func fieldOf(typ reflect.Type, name string) (reflect.Type, bool) {
	for i := range typ.NumField() {
		if n, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); n == name {
			return typ.Field(i).Type, true
		}
	}
	return nil, false
}

// What Parse takes, the schema takes, and it reads the same again; what it
// refuses has an error with a reader. The schema refuses no less, but for what
// it cannot see.
func FuzzParse(f *testing.F) {
	f.Add([]byte(reportWith(`"items": [{"finding": "T1", "action": "fix", "commit": "bbbbbbb", "files": ["a"]}], "usage": {"a": 1e3}`)))
	f.Add([]byte(reportWith(`"checks": [{"cmd": "make", "exit": 0.0}], "verdicts": [{"file": "x", "verdict": "APPROVE"}]`)))
	for _, r := range refused {
		if len(r.text) < 1<<12 {
			f.Add([]byte(r.text))
		}
	}
	schema := compiled(f, ReportSchema())
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse(data)
		if err != nil {
			if told, ok := errors.AsType[*fail.Error](err); !ok || told.Why == "" {
				t.Fatalf("error is %v, want a *fail.Error with its problems", err)
			}
			if diff := cmp.Diff(Report{}, got); diff != "" {
				t.Fatalf("report beside an error (-want +got):\n%s", diff)
			}
			return
		}
		if err := schemaError(schema, string(data)); err != nil {
			t.Fatalf("the schema refuses what Parse takes: %v", err)
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("what was read is refused: %v", err)
		}
		second, err := json.Marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), string(second)); diff != "" {
			t.Fatalf("read again (-first +second):\n%s", diff)
		}
	})
}
