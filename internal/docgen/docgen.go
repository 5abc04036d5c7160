// Package docgen writes the parts of action.yml, README.md and the JSON Schemas
// that the code defines. Between lines with "BEGIN name" and "END name" text
// belongs to the code, everything else to people. The test of this package
// compares, and writes with -update (make generate).
//
// Start at [Parts].
package docgen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/quest"
	"github.com/prloop/prloop/internal/report"
)

// A Part is a generated text. Its file is named from the root of the project.
type Part struct {
	File string
	Name string // of the markers; empty: the whole file
	Text string
}

// Parts are all generated texts. example is examples/copilot-loop.yml, of
// which the README shows the beginning.
func Parts(example string) ([]Part, error) {
	workflow, err := Workflow(example)
	if err != nil {
		return nil, err
	}
	return []Part{
		{"action.yml", "inputs", InputsYAML(config.InputTable)},
		{"action.yml", "outputs", OutputsYAML(report.OutputDocs)},
		{"README.md", "workflow", workflow},
		{"README.md", "inputs", InputsTable(config.InputTable)},
		{"README.md", "outputs", OutputsTable(report.OutputDocs)},
		{"README.md", "settings", SettingsTable(config.Keys)},
		{"README.md", "order", OrderTable(plan.Order())},
		{"README.md", "rules", RulesTable(copilot.Table())},
		{"README.md", "transitions", TransitionsTable(copilot.Transitions())},
		{"README.md", "quest-diagram", QuestDiagram(quest.Table())},
		{"README.md", "quest", QuestTable(quest.Table())},
		{"README.md", "gates", GatesTable(plan.Gates())},
		{"README.md", "commands", CommandsTable(command.Table)},
		{"README.md", "reasons", ReasonsTable(plan.Reasons)},
		{"internal/config/prloop.schema.json", "", string(config.Schema())},
		{"internal/handoff/brief.schema.json", "", string(handoff.BriefSchema())},
		{"internal/handoff/report.schema.json", "", string(handoff.ReportSchema())},
	}, nil
}

// InputsYAML is the "inputs:" block of action.yml.
func InputsYAML(rows []config.Input) string {
	var b strings.Builder
	b.WriteString("inputs:\n")
	for _, in := range rows {
		fmt.Fprintf(&b, "  %s:\n    description: %q\n    default: %q\n", in.Name, in.Doc+".", cmp.Or(in.Default, in.Runner))
	}
	return b.String()
}

// OutputsYAML is the "outputs:" block of action.yml. An action in a container
// sets its values itself, so there are names and sentences alone.
func OutputsYAML(rows []report.OutputDoc) string {
	var b strings.Builder
	b.WriteString("outputs:\n")
	for _, out := range rows {
		fmt.Fprintf(&b, "  %s:\n    description: %q\n", out.Name, out.Doc+".")
	}
	return b.String()
}

// InputsTable is the README's table of inputs.
func InputsTable(rows []config.Input) string {
	t := head("Input", "Default", "What it is")
	for _, in := range rows {
		t.row(code(in.Name), code(cmp.Or(in.Default, in.Runner)), in.Doc)
	}
	return t.text()
}

// OutputsTable is the README's table of outputs.
func OutputsTable(rows []report.OutputDoc) string {
	t := head("Output", "What it is")
	for _, out := range rows {
		t.row(code(out.Name), out.Doc)
	}
	return t.text()
}

// SettingsTable is the README's table of the configuration's keys.
func SettingsTable(rows []config.Key) string {
	t := head("Key", "Takes", "Default", "What it does")
	for _, k := range rows {
		t.row(code(k.Path), k.Takes(), code(k.Default()), k.Says())
	}
	return t.text()
}

// GatesTable shows what stands before a merge, in its order.
func GatesTable(rows [][2]string) string {
	t := head("Gate", "Open where")
	for _, r := range rows {
		t.row(r[0], r[1])
	}
	return t.text()
}

// OrderTable is the README's table of the order inside a step.
func OrderTable(rows [][2]string) string {
	t := head("Row", "Decides where")
	for _, r := range rows {
		t.row(r[0], r[1])
	}
	return t.text()
}

// RulesTable is the README's table of the Copilot loop's rules.
func RulesTable(rows []copilot.Row) string {
	t := head("Rule", "Holds where", "State")
	for _, r := range rows {
		t.row(r.ID, r.Words, code(string(r.State)))
	}
	return t.text()
}

// TransitionsTable is the README's table of the Copilot loop's transitions.
func TransitionsTable(rows []copilot.Transition) string {
	t := head("From", "To", "When")
	for _, r := range rows {
		t.row(code(string(r.From)), code(string(r.To)), r.Words)
	}
	return t.text()
}

// QuestTable is the README's table of the life cycle: every row that is no
// refusal.
func QuestTable(rows []quest.Row) string {
	t := head("Row", "From", "On", "When", "To", "Asks for")
	for _, r := range rows {
		if strings.HasPrefix(r.To, "invalid") {
			continue
		}
		from := quest.Many(r.From)
		if from == "" {
			from = codes(r.From)
		}
		on := codes(r.On)
		if on == "" {
			on = "anything else"
		}
		t.row(r.ID, from, on, r.When, r.To, codes(r.Asks))
	}
	return t.text()
}

// QuestDiagram is the README's diagram of the life cycle: the main line and its
// branches, without what many states share (a pause, a claim, the end).
func QuestDiagram(rows []quest.Row) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> sensed\n    closed --> [*]\n    abandoned --> [*]\n")
	drawn := map[string]bool{}
	for _, r := range rows {
		for _, from := range r.From {
			edge := fmt.Sprintf("    %s --> %s: %s\n", from, r.Moves, codesPlain(r.On))
			shared := len(r.From) > 3 || from.Held() || r.Moves.Held() || r.Moves == quest.Abandoned && from != quest.Sensed
			if r.Moves != "" && !shared && !drawn[edge] {
				drawn[edge] = true
				b.WriteString(edge)
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// codes shows names as code, between commas.
func codes[T ~string](names []T) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = code(string(n))
	}
	return strings.Join(all, ", ")
}

// codesPlain is codes for a label of a diagram.
func codesPlain[T ~string](names []T) string { return strings.ReplaceAll(codes(names), "`", "") }

// CommandsTable is the README's table of the commands in comments.
func CommandsTable(rows []command.Row) string {
	t := head("Command", "What it does")
	for _, r := range rows {
		says := r.Says
		if r.Later {
			says += " (not in this version)"
		}
		t.row(code(strings.TrimSpace("/prloop "+string(r.Word)+" "+r.Takes)), says)
	}
	return t.text()
}

// ReasonsTable is the README's table of reason codes.
func ReasonsTable(rows []plan.Reason) string {
	t := head("Reason code", "Decision", "What it says", "What to do")
	for _, r := range rows {
		t.row(code(string(r.Code)), code(string(r.Decision)), r.Says, r.ToDo)
	}
	return t.text()
}

// cut is the line of the example where what the README shows ends.
const cut = "\n\n  # For the eye:"

// Workflow is the beginning of the example, as the README shows it.
func Workflow(example string) (string, error) {
	shown, _, ok := strings.Cut(example, cut)
	if !ok {
		return "", fmt.Errorf("no line of the example begins with %q", strings.TrimSpace(cut))
	}
	return "```yaml\n" + shown + "\n```\n", nil
}

// A table is a Markdown table.
type table struct {
	head []string
	rows [][]string
}

func head(columns ...string) *table { return &table{head: columns} }

// row adds a row of cells. An empty cell shows a dash.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = cmp.Or(strings.NewReplacer("\n", " ", "|", `\|`).Replace(c), "–")
	}
	t.rows = append(t.rows, cells)
}

func (t *table) text() string {
	var b strings.Builder
	b.WriteString("| " + strings.Join(t.head, " | ") + " |\n|" + strings.Repeat(" --- |", len(t.head)) + "\n")
	for _, cells := range t.rows {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
