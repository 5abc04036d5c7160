package conformance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlay(t *testing.T) {
	type outcome struct {
		Rows     int
		Problems []string // the id of each
		Err      string
	}
	const answer = `{"state": "done", "next": null, "deep": {"a": 1, "b": [1, 2]}}`
	tests := []struct {
		name, rows, answer string
		want               outcome
	}{
		{"a row that is answered as wanted", `{"id": "x", "in": 1, "want": {"state": "done"}}`, answer, outcome{Rows: 1}},
		{"keys that nobody asks for may be there, below too", `{"id": "x", "in": 1, "want": {"deep": {"a": 1}}}`, answer, outcome{Rows: 1}},
		{"another value", `{"id": "x", "in": 1, "want": {"state": "wait"}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{"another value below", `{"id": "x", "in": 1, "want": {"deep": {"a": 2}}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{"null is wanted and there", `{"id": "x", "in": 1, "want": {"next": null}}`, answer, outcome{Rows: 1}},
		{"null is wanted, and the key is not there", `{"id": "x", "in": 1, "want": {"rule": null}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{"null is wanted below, and the key is not there", `{"id": "x", "in": 1, "want": {"deep": {"c": null}}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{"an object is wanted of a text", `{"id": "x", "in": 1, "want": {"state": {"a": 1}}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{"an empty object is wanted of null", `{"id": "x", "in": 1, "want": {"next": {}}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{"a list is wanted whole", `{"id": "x", "in": 1, "want": {"deep": {"b": [1]}}}`, answer, outcome{Rows: 1, Problems: []string{"x"}}},
		{
			"each row is its own", "{\"id\": \"x\", \"in\": 1, \"want\": {\"state\": \"a\"}}\n{\"id\": \"y\", \"in\": 1, \"want\": {\"state\": \"done\"}}\n{\"id\": \"z\", \"in\": 1, \"want\": {\"state\": \"b\"}}",
			answer,
			outcome{Rows: 3, Problems: []string{"x", "z"}},
		},
		{"an answer that is no JSON", `{"id": "x", "in": 1, "want": {"state": "done"}}`, `done`, outcome{Rows: 1, Problems: []string{"x"}}},
		{"a list for an answer", `{"id": "x", "in": 1, "want": {"state": "done"}}`, `[]`, outcome{Rows: 1, Problems: []string{"x"}}},
		{"a row that wants nothing", `{"id": "x", "in": 1, "want": {}}`, answer, outcome{Rows: 1, Err: "line 1 wants nothing"}},
		{"a row that is none", `{"id": `, answer, outcome{Rows: 1, Err: "line 1: unexpected end of JSON input"}},
		{"no row at all", ``, answer, outcome{Err: "there is no row"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got outcome
			rows, problems, err := play(strings.NewReader(tt.rows), func(line []byte) []byte {
				if string(line) != "1" {
					t.Errorf("asked %q, want the row's in", line)
				}
				return []byte(tt.answer)
			})
			got.Rows = rows
			for _, p := range problems {
				id, _, _ := strings.Cut(p, ":")
				got.Problems = append(got.Problems, id)
			}
			if err != nil {
				got.Err = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("play (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckWithoutAFolderSaysSo(t *testing.T) {
	t.Setenv("PRLOOP_VECTORS", "")
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Check(t, "copilot", func([]byte) []byte { t.Error("asked a row that is not there"); return nil })
	})
	if !skipped {
		t.Error("without PRLOOP_VECTORS the test was not skipped")
	}
}
