package github

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

func TestSurroundings(t *testing.T) {
	t.Parallel()
	file := func(path, text string) setting { return func(b *bench) { b.w.SetFile(path, text) } }
	const path = ".github/suppressions.txt"
	tests := []struct {
		name   string
		before []setting
		path   string
		want   Surroundings
	}{
		{"nothing", nil, path, Surroundings{File: pr.File{Path: path}}},
		{"no file is asked for", []setting{file(path, "x")}, "", Surroundings{}},
		{"the file", []setting{file(path, "a\nb\n")}, path, Surroundings{File: pr.File{Path: path, Found: true, Text: "a\nb\n"}}},
		{"pnpm", []setting{file("pnpm-lock.yaml", "x")}, "", Surroundings{Manager: "pnpm"}},
		{"npm", []setting{file("package-lock.json", "{}")}, "", Surroundings{Manager: "npm"}},
		{"yarn", []setting{file("yarn.lock", "x")}, "", Surroundings{Manager: "yarn"}},
		{"the first of two", []setting{file("yarn.lock", "x"), file("package-lock.json", "{}")}, "", Surroundings{Manager: "npm"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			got, err := b.client().Surroundings(t.Context(), tt.path)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if n := len(b.w.Log()) - b.requests; n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestSurroundingsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.rights(map[string]string{"pull-requests": "read"})
	_, err := b.client().Surroundings(t.Context(), "")
	if diff := cmp.Diff(`Give the job the permission "contents: read"`, fail.Of(err).Fix); diff != "" {
		t.Errorf("without the right (-want +got):\n%s", diff)
	}
	b.rights(allRights)
	b.w.SetFault(func(githubtest.Request) githubtest.Fault { return githubtest.Status502 })
	if s, err := b.client().Surroundings(t.Context(), ""); s != (Surroundings{}) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("from a GitHub that does not answer: %v, %v", s, err)
	}
}
