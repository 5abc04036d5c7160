package copilot

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVectors holds the machine against the conformance vectors: every key
// that a vector wants must be equal in the answer.
func TestVectors(t *testing.T) {
	folder := os.Getenv("PRLOOP_VECTORS")
	if folder == "" {
		t.Skip("PRLOOP_VECTORS does not name a folder, so the conformance vectors of the Copilot loop (copilot.jsonl) were not run")
	}
	f, err := os.Open(filepath.Join(folder, "copilot.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	rows, equal := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rows++
		var row struct {
			ID   string          `json:"id"`
			In   json.RawMessage `json:"in"`
			Want map[string]any  `json:"want"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("line %d: %v", rows, err)
		}
		if len(row.Want) == 0 {
			t.Fatalf("line %d wants nothing", rows)
		}
		var answer map[string]any
		if err := json.Unmarshal(Eval(row.In), &answer); err != nil {
			t.Fatalf("%s: the answer is not JSON: %v", row.ID, err)
		}
		got := map[string]any{}
		for key := range row.Want {
			if v, ok := answer[key]; ok {
				got[key] = v
			}
		}
		if diff := cmp.Diff(row.Want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", row.ID, row.In, diff)
			continue
		}
		equal++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if rows == 0 {
		t.Fatalf("%s has no vector", f.Name())
	}
	fmt.Fprintf(t.Output(), "copilot %d/%d\n", equal, rows)
}
