// Package conformance holds a state machine against rows that somebody else
// wrote: what goes in, and what of the answer is wanted. Tests use it; the
// rows are no part of this project.
//
// Start at [Check].
package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check plays the rows of machine.jsonl in the folder that PRLOOP_VECTORS
// names, and prints how many were answered as wanted. Without the folder the
// test is skipped, and says so.
func Check(t *testing.T, machine string, eval func(line []byte) []byte) {
	t.Helper()
	folder := os.Getenv("PRLOOP_VECTORS")
	if folder == "" {
		t.Skipf("PRLOOP_VECTORS does not name a folder, so the conformance vectors of %s.jsonl were not run", machine)
	}
	text, err := os.ReadFile(filepath.Join(folder, machine+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	rows, problems, err := play(bytes.NewReader(text), eval)
	if err != nil {
		t.Fatalf("%s.jsonl: %v", machine, err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	if _, err := fmt.Fprintf(t.Output(), "%s %d/%d\n", machine, rows-len(problems), rows); err != nil {
		t.Error(err)
	}
}

// play asks eval each row's in. It returns how many rows there were, and one
// problem for each that was not answered as wanted; an error says that the
// rows are none.
func play(in io.Reader, eval func(line []byte) []byte) (rows int, problems []string, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rows++
		var row struct {
			ID   string          `json:"id"`
			In   json.RawMessage `json:"in"`
			Want map[string]any  `json:"want"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return rows, nil, fmt.Errorf("line %d: %w", rows, err)
		}
		if len(row.Want) == 0 {
			return rows, nil, fmt.Errorf("line %d wants nothing", rows)
		}
		var answer any
		if err := json.Unmarshal(eval(row.In), &answer); err != nil {
			problems = append(problems, fmt.Sprintf("%s: the answer is not JSON: %v", row.ID, err))
			continue
		}
		if diff := cmp.Diff(any(row.Want), wanted(row.Want, answer)); diff != "" {
			problems = append(problems, fmt.Sprintf("%s: %s (-want +got):\n%s", row.ID, row.In, diff))
		}
	}
	if err := lines.Err(); err != nil {
		return rows, nil, err
	}
	if rows == 0 {
		return 0, nil, errors.New("there is no row")
	}
	return rows, problems, nil
}

// wanted is got without the keys that want does not ask for, at every depth:
// an answer may have more.
func wanted(want, got any) any {
	asked, ok := want.(map[string]any)
	if !ok {
		return got
	}
	object, ok := got.(map[string]any)
	if !ok {
		return got
	}
	of := map[string]any{}
	for key, value := range asked {
		if v, ok := object[key]; ok {
			of[key] = wanted(value, v)
		}
	}
	return of
}
