package scenario

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServedPush(t *testing.T) {
	t.Parallel()
	story, err := Parse("push", []byte("One pull request.\n\n-- script --\nopen head=parser by=mona title=\"Add a parser\"\nrun pull_request opened\n"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := Serve(t.Context(), story, Options{Dir: t.TempDir()}, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	first := v.World().Pull(7).Head
	pushed := strings.Repeat("0a", 20)

	type told struct {
		Status int
		Head   string
		Events []string
	}
	opened, both := []string{"01-pull_request.json"}, []string{"01-pull_request.json", "02-pull_request.json"}
	for _, row := range []struct {
		name, query string
		want        told
	}{
		{"no such pull request", "pr=8&head=" + pushed, told{http.StatusBadRequest, first, opened}},
		{"no number", "head=" + pushed, told{http.StatusBadRequest, first, opened}},
		{"an abbreviated commit", "pr=7&head=0a0a0a0", told{http.StatusBadRequest, first, opened}},
		{"a commit in capitals", "pr=7&head=" + strings.ToUpper(pushed), told{http.StatusBadRequest, first, opened}},
		{"a push is the new head, and has its event", "pr=7&head=" + pushed + "&path=parser.go", told{http.StatusOK, pushed, both}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, v.REST+"/_/push?"+row.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		got := told{Status: resp.StatusCode, Head: v.World().Pull(7).Head}
		files, err := os.ReadDir(v.Events)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if filepath.Ext(f.Name()) == ".json" {
				got.Events = append(got.Events, f.Name())
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}
