package docgen

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/quest"
	"github.com/prloop/prloop/internal/report"
)

var update = flag.Bool("update", false, "write the generated parts")

const example = "examples/copilot-loop.yml"

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", file))
	if *update && errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every generated part says what the code says. With -update it is written.
func TestGeneratedPartsAreFresh(t *testing.T) {
	parts, err := Parts(read(t, example))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		file := read(t, p.File)
		fresh := p.Text
		if p.Name != "" {
			if fresh, err = Replace(file, p.Name, p.Text); err != nil {
				t.Errorf("%s: %v", p.File, err)
				continue
			}
		}
		if *update {
			if err := os.WriteFile(filepath.Join("..", "..", p.File), []byte(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(fresh, file); diff != "" {
			t.Errorf("%s is stale; run make generate (-fresh +file):\n%s", p.File, diff)
		}
	}
}

// No file has markers that nothing is generated between.
func TestEveryMarkerHasAPart(t *testing.T) {
	parts, err := Parts(read(t, example))
	if err != nil {
		t.Fatal(err)
	}
	marker := regexp.MustCompile(`(?m)^\s*(?:#|<!--) (BEGIN|END) ([a-z-]+)`)
	for _, file := range []string{"action.yml", "README.md"} {
		var want, got []string
		for _, p := range parts {
			if p.File == file {
				want = append(want, "BEGIN "+p.Name, "END "+p.Name)
			}
		}
		for _, m := range marker.FindAllStringSubmatch(read(t, file), -1) {
			got = append(got, m[1]+" "+m[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("markers of %s, in the order of Parts (-want +got):\n%s", file, diff)
		}
	}
}

func TestReplace(t *testing.T) {
	tests := []struct {
		says string
		file string
		want string
		fail string
	}{
		{"lines between markers", "a\n# BEGIN x\nold\nold\n# END x\nb\n", "a\n# BEGIN x\nnew\n# END x\nb\n", ""},
		{"nothing between markers yet", "<!-- BEGIN x -->\n<!-- END x -->", "<!-- BEGIN x -->\nnew\n<!-- END x -->", ""},
		{"markers of another name with the same beginning", "# BEGIN xy\nkept\n# END xy\n# BEGIN x\n# END x\n", "# BEGIN xy\nkept\n# END xy\n# BEGIN x\nnew\n# END x\n", ""},
		{"no marker", "a\n", "", `no line has "BEGIN x"`},
		{"no end", "# BEGIN x\n", "", `no line after it has "END x"`},
		{"an end before the beginning", "# END x\n# BEGIN x\n", "", `no line after it has "END x"`},
		{"two beginnings", "# BEGIN x\n# BEGIN x\n# END x\n", "", `lines 1 and 2 both have "BEGIN x"`},
		{"two ends", "# BEGIN x\n# END x\n\n# END x\n", "", `lines 2 and 4 both have "END x"`},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got, err := Replace(tt.file, "x", "new\n")
			fail := ""
			if err != nil {
				fail = err.Error()
			}
			if diff := cmp.Diff([]string{tt.want, tt.fail}, []string{got, fail}); diff != "" {
				t.Errorf("Replace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTables(t *testing.T) {
	tests := []struct {
		says string
		got  string
		want string
	}{
		{
			"a default of ours, one of the runner, and none",
			InputsTable([]config.Input{{Name: "a", Doc: "One", Default: "1"}, {Name: "b", Doc: "x | y", Runner: "${{ z }}"}, {Name: "c", Doc: "Three"}}),
			"| Input | Default | What it is |\n| --- | --- | --- |\n| `a` | `1` | One |\n| `b` | `${{ z }}` | x \\| y |\n| `c` | – | Three |\n",
		},
		{
			"inputs in action.yml",
			InputsYAML([]config.Input{{Name: "a", Doc: `Say "1"`, Default: "1"}, {Name: "b", Doc: "Two", Runner: "${{ z }}"}}),
			"inputs:\n  a:\n    description: \"Say \\\"1\\\".\"\n    default: \"1\"\n  b:\n    description: \"Two.\"\n    default: \"${{ z }}\"\n",
		},
		{
			"outputs in action.yml",
			OutputsYAML([]report.OutputDoc{{Name: "a", Doc: "One"}}),
			"outputs:\n  a:\n    description: \"One.\"\n",
		},
		{
			"reasons, with and without something to do",
			ReasonsTable([]plan.Reason{{Code: "a", Decision: plan.Stop, Says: "One", ToDo: "Go"}, {Code: "b", Decision: plan.Wait, Says: "Two"}}),
			"| Reason code | Decision | What it says | What to do |\n| --- | --- | --- | --- |\n| `a` | `stop` | One | Go |\n| `b` | `wait` | Two | – |\n",
		},
		{
			"commands",
			CommandsTable([]command.Row{{Word: "a", Says: "One"}, {Word: "b", Takes: "x | y", Says: "Two", Later: true}}),
			"| Command | What it does |\n| --- | --- |\n| `/prloop a` | One |\n| `/prloop b x \\| y` | Two (not in this version) |\n",
		},
		{
			"rules",
			RulesTable([]copilot.Row{{ID: "8a", Words: "it holds", State: copilot.Done}}),
			"| Rule | Holds where | State |\n| --- | --- | --- |\n| 8a | it holds | `done` |\n",
		},
		{
			"transitions",
			TransitionsTable([]copilot.Transition{{From: copilot.PRDraft, To: copilot.Done, Words: "merged"}}),
			"| From | To | When |\n| --- | --- | --- |\n| `pr_draft` | `done` | merged |\n",
		},
		{
			"a quest's rows: no refusals, names for many states",
			QuestTable([]quest.Row{
				{ID: "a", On: []quest.EventType{quest.SignalReceived}, To: "sensed", Asks: []quest.EffectType{quest.RunTriage, quest.NotifyInbox}},
				{ID: "b", From: []quest.State{quest.Ready}, When: "x", To: "invalid: no"},
				{ID: "c", From: []quest.State{quest.Closed, quest.Abandoned}, To: "absorbed"},
			}),
			"| Row | From | On | When | To | Asks for |\n| --- | --- | --- | --- | --- | --- |\n" +
				"| a | – | `signal_received` | – | sensed | `run_triage`, `notify_inbox` |\n| c | closed, abandoned | anything else | – | absorbed | – |\n",
		},
		{
			"a quest's diagram: each edge once, without what many states share",
			QuestDiagram([]quest.Row{
				{From: []quest.State{quest.Sensed}, On: []quest.EventType{quest.TriageDecided}, Moves: quest.Triaged},
				{From: []quest.State{quest.Sensed}, On: []quest.EventType{quest.TriageDecided}, Moves: quest.Triaged},
				{From: []quest.State{quest.Ready}, On: []quest.EventType{quest.Claim}, Moves: quest.HandedOff},
				{From: quest.States(), On: []quest.EventType{quest.Kill}, Moves: quest.Abandoned},
				{From: []quest.State{quest.Ready}, On: []quest.EventType{quest.Comment}},
			}),
			"```mermaid\nstateDiagram-v2\n    [*] --> sensed\n    closed --> [*]\n    abandoned --> [*]\n    sensed --> triaged: triage_decided\n```\n",
		},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.says, diff)
		}
	}
	if _, err := Workflow("jobs: {}\n"); err == nil {
		t.Error("an example without the line to cut at was taken")
	}
}

// actionYML is action.yml as the runner reads it.
type actionYML struct {
	Name        string
	Description string
	Author      string
	Branding    struct{ Icon, Color string }
	Inputs      map[string]struct {
		Description string
		Default     string
	}
	Outputs map[string]struct{ Description string }
	Runs    struct{ Using, Image string }
}

// action.yml is what the runner takes: it evaluates expressions in every text
// of the file, descriptions included, and refuses to load the action over one
// (https://github.com/d12frosted/mirror-elpa/pull/8).
func TestActionYML(t *testing.T) {
	var got actionYML
	if err := yaml.UnmarshalWithOptions([]byte(read(t, "action.yml")), &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if got.Name != "prloop" || got.Author == "" || got.Branding.Icon == "" || got.Branding.Color == "" {
		t.Errorf("name %q, author %q, branding %v", got.Name, got.Author, got.Branding)
	}
	if len(got.Description) < 20 || len(got.Description) > 125 {
		t.Errorf("the description has %d characters, GitHub's Marketplace takes 125", len(got.Description))
	}
	if got.Runs.Using != "docker" || got.Runs.Image != "Dockerfile" {
		t.Errorf("runs %+v, want the Dockerfile without arguments", got.Runs)
	}
	for _, in := range config.InputTable {
		row, ok := got.Inputs[in.Name]
		if !ok || row.Description != in.Doc+"." || row.Default != in.Default+in.Runner {
			t.Errorf("input %s is %+v", in.Name, row)
		}
		if strings.Contains(row.Description, "${{") {
			t.Errorf("the description of input %s has an expression", in.Name)
		}
	}
	for _, out := range report.OutputDocs {
		if row, ok := got.Outputs[out.Name]; !ok || row.Description != out.Doc+"." || strings.Contains(row.Description, "${{") {
			t.Errorf("output %s is %+v", out.Name, row)
		}
	}
	if len(got.Inputs) != len(config.InputTable) || len(got.Outputs) != len(report.OutputDocs) {
		t.Errorf("%d inputs and %d outputs", len(got.Inputs), len(got.Outputs))
	}
}

// workflow has the parts of a workflow that the tests look at.
type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Jobs        map[string]struct {
		If          string
		Permissions map[string]string
		Concurrency struct {
			Group  string
			Cancel *bool `yaml:"cancel-in-progress"`
		}
		Outputs map[string]string
		Steps   []struct {
			ID   string
			Uses string
			With map[string]string
			Env  map[string]string
			Run  string
		}
	}
}

// The example uses inputs and outputs that there are, listens to what the
// design says, and lets no text of a template into a shell.
func TestExample(t *testing.T) {
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, example)), &w); err != nil {
		t.Fatal(err)
	}
	events := slices.Sorted(maps.Keys(w.On))
	want := []string{"issue_comment", "pull_request", "pull_request_review", "schedule", "workflow_dispatch", "workflow_run"}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(w.Permissions) != 0 {
		t.Errorf("every job is given %v", w.Permissions)
	}
	step := w.Jobs["step"]
	if step.If == "" || !strings.Contains(step.Concurrency.Group, "prloop") || step.Concurrency.Cancel == nil || *step.Concurrency.Cancel {
		t.Errorf("the step job has the filter %q and the concurrency %+v", step.If, step.Concurrency)
	}
	wantRights := map[string]string{
		"contents": "read", "pull-requests": "write", "issues": "write", "checks": "read", "statuses": "read", "deployments": "read", "actions": "read",
	}
	if diff := cmp.Diff(wantRights, step.Permissions); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	outputs := regexp.MustCompile(`^\$\{\{ steps\.prloop\.outputs\.([a-z-]+) \}\}$`)
	for name, value := range step.Outputs {
		m := outputs.FindStringSubmatch(value)
		if m == nil || m[1] != name || !slices.ContainsFunc(report.OutputDocs, func(d report.OutputDoc) bool { return d.Name == name }) {
			t.Errorf("output %s: %s", name, value)
		}
	}
	uses := 0
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if strings.Contains(s.Run, "${{") {
				t.Errorf("a template stands in the shell: %s", s.Run)
			}
			if s.Uses == "" {
				continue
			}
			uses++
			if s.ID != "prloop" || s.Uses != "prloop/prloop@v1" {
				t.Errorf("step %q uses %q", s.ID, s.Uses)
			}
			for name := range s.With {
				if !slices.ContainsFunc(config.InputTable, func(in config.Input) bool { return in.Name == name }) {
					t.Errorf("there is no input %q", name)
				}
			}
		}
	}
	if uses != 1 {
		t.Errorf("%d steps use an action, want prloop alone", uses)
	}
	printed := w.Jobs["told"].Steps[0].Env
	for _, name := range []string{"decision", "reason-code", "next-wake"} {
		if want := "${{ needs.step.outputs." + name + " }}"; !slices.Contains(slices.Collect(maps.Values(printed)), want) {
			t.Errorf("the later job does not get %s", name)
		}
	}
}

// Every configuration that the README shows is valid, and does what it says.
func TestReadmeConfigurations(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(# \\.github/prloop\\.yml.*?)```").FindAllStringSubmatch(read(t, "README.md"), -1)
	if len(blocks) == 0 {
		t.Fatal("the README shows no configuration")
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "config", "prloop.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		asJSON, err := yaml.YAMLToJSON([]byte(b[1]))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
		_, warnings, err := config.ParseSettings(config.Source{Name: "README.md", Text: b[1]})
		if err != nil || len(warnings) > 0 {
			t.Errorf("%v %v in\n%s", err, warnings, b[1])
		}
	}
}

// GitHub shows every generated table as a table, also inside of what is folded,
// and every link to a file of the project leads somewhere.
func TestReadmeIsShownAsWritten(t *testing.T) {
	source := []byte(read(t, "README.md"))
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	tables, links := 0, 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *east.Table:
			if entering {
				tables++
			}
		case *ast.Link:
			if target := string(n.Destination); entering && !strings.Contains(target, "://") {
				links++
				if _, err := os.Stat(filepath.Join("..", "..", target)); err != nil {
					t.Errorf("a link leads to %s: %v", target, err)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The permissions have a table of people; one part is the workflow.
	parts, err := Parts(read(t, example))
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for _, p := range parts {
		if p.File == "README.md" && strings.HasPrefix(p.Text, "|") {
			want++
		}
	}
	if tables != want || links == 0 {
		t.Errorf("%d tables and %d links, want %d tables", tables, links, want)
	}
}
