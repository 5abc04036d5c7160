package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/fail"
)

// takeOver reads a file of pr-autopilot. Of a state file it prints the state in its
// newest version, on one line, which a run of the action takes with command: report;
// of a settings file the block prAutopilot, which is a configuration file as it
// stands. What is wrong is said, and nothing is printed then.
func takeOver(sys *System, args []string) error {
	if len(args) == 0 {
		return &usageError{what: "no file is named", help: "prloop config import FILE; pr-autopilot keeps its states in ~/.pr-autopilot and its settings in ~/.claude/settings.json"}
	}
	data, err := readFile(sys, args[0])
	if err != nil {
		return &fail.Error{
			What: "The file of pr-autopilot could not be read",
			Why:  fmt.Sprintf("%q", err.Error()),
			Fix:  "Name a state file (~/.pr-autopilot/OWNER-REPO-NUMBER.json) or a settings file with the block prAutopilot",
			Err:  err,
		}
	}
	if autopilot.IsState(data) {
		return takeOverState(sys, data)
	}
	return takeOverSettings(sys, args[0], data)
}

func takeOverState(sys *System, data []byte) error {
	st, wrong := autopilot.ReadState(data)
	if wrong != "" {
		return &fail.Error{
			What: "The state file of pr-autopilot cannot be taken over",
			Why:  wrong,
			Fix:  "Give the file as pr-autopilot left it; to begin without its counts nothing has to be taken over",
		}
	}
	fmt.Fprintf(sys.Stderr, "State of pull request #%d, version %d. Start a run with command: report, pr: %d and this line as the input report; counts are only ever raised by it.\n", st.PR, st.Version, st.PR)
	fmt.Fprintf(sys.Stdout, "%s\n", st.Spell())
	return nil
}

func takeOverSettings(sys *System, name string, data []byte) error {
	var file map[string]json.RawMessage
	block := json.RawMessage(nil)
	if err := json.Unmarshal(data, &file); err == nil {
		block = file["prAutopilot"]
	}
	if block == nil {
		return &fail.Error{
			What: "This is no file of pr-autopilot",
			Why:  "it is neither a state file (stateSchemaVersion, prNumber) nor a settings file with the block prAutopilot",
			Fix:  "Name a state file (~/.pr-autopilot/OWNER-REPO-NUMBER.json) or a settings file with the block prAutopilot",
		}
	}
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(`{"prAutopilot": `+string(block)+`}`), "", "  "); err != nil {
		return fmt.Errorf("indent the settings: %w", err)
	}
	_, warnings, err := config.ParseSettings(config.Source{Name: name, Text: text.String()})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(sys.Stderr, "warning: %s\n", w)
	}
	fmt.Fprintf(sys.Stdout, "%s\n", text.String()) // JSON is YAML
	return nil
}
