package cli

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/scenario"
)

// proven plays the default story and returns its proof, and its GitHub.
func proven(t *testing.T) (string, *githubtest.World) {
	t.Helper()
	return provenBy(t, defaultStory)
}

// provenBy plays a story that ends with a proof.
func provenBy(t *testing.T, name string) (string, *githubtest.World) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/scenarios/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	story, err := scenario.Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	told, err := scenario.Play(t.Context(), story, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := told.Runs[len(told.Runs)-1].Runs
	if len(last) == 0 || last[0].Proof == nil {
		t.Fatalf("%s ends without a proof: %+v", name, last)
	}
	return last[0].Proof.Text, told.World
}

// verified runs "prloop verify" on stdin and returns what it says.
func verified(t *testing.T, env map[string]string, text string, args ...string) (said string, code int) {
	t.Helper()
	var out bytes.Buffer
	code = Main(t.Context(), append([]string{"verify"}, args...), System{
		Getenv: func(k string) string { return env[k] },
		Stdin:  strings.NewReader(text), Stdout: &out, Stderr: &out,
	})
	return out.String(), code
}

func TestVerifyRefusesAnyOtherByte(t *testing.T) {
	text, _ := proven(t)
	for _, whole := range []string{text, text + "\n", text + "\r\n"} {
		if said, code := verified(t, nil, whole, "-"); code != 0 || !strings.Contains(said, "The proof is whole") {
			t.Fatalf("the proof itself: exit %d\n%s", code, said)
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("the proof is no printable ASCII: %s", text)
	}
	for i := range len(text) {
		for _, other := range []byte{text[i] ^ 1, text[i] ^ 0x20, ' ', '"', '0', 0xff} {
			if other == text[i] {
				continue
			}
			changed := text[:i] + string(other) + text[i+1:]
			if other == 0xff {
				changed = text[:i] + "\xff" + text[i+1:]
			}
			if said, code := verified(t, nil, changed, "-"); code != 1 {
				t.Fatalf("byte %d changed from %q to %q is accepted:\n%s\n%s", i, text[i], other, changed, said)
			}
		}
		if _, code := verified(t, nil, text[:i]+text[i+1:], "-"); code != 1 {
			t.Fatalf("the proof without byte %d is accepted", i)
		}
		if _, code := verified(t, nil, text[:i]+" "+text[i:], "-"); code != 1 {
			t.Fatalf("the proof with a blank before byte %d is accepted", i)
		}
	}
	for _, more := range []string{" ", "\n\n", "\r", "{}", text} {
		if _, code := verified(t, nil, text+more, "-"); code != 1 {
			t.Errorf("the proof followed by %q is accepted", more)
		}
	}
}

func TestVerifyLiveNamesWhatNoLongerHolds(t *testing.T) {
	const n = 7
	tests := []struct {
		name   string
		change func(*githubtest.World)
		// claims that no longer hold, and those of which nobody can tell
		broken, unknown []string
	}{
		{name: "nothing happened since", change: func(*githubtest.World) {}},
		{
			"a push", func(w *githubtest.World) { w.Push(n, githubtest.Push{By: "mona"}) },
			[]string{"headOid"},
			[]string{"checks", "declined"},
		},
		{"it was closed", func(w *githubtest.World) { w.Close(n, "mona") }, []string{"state"}, nil},
		{"it is a draft again", func(w *githubtest.World) { w.Draft(n, "mona") }, []string{"state"}, nil},
		{
			"a person opened a thread", func(w *githubtest.World) {
				w.Review(n, githubtest.Submitted{By: "hubot", Findings: []githubtest.Finding{{Path: "a.go", Line: 1, Text: "Why?"}}})
			},
			[]string{"openThreadsAwaitingReply", "openEscalatedThreads"},
			nil,
		},
		{
			"a check turned red", func(w *githubtest.World) { w.Check(n, githubtest.Check{Name: "build", Conclusion: "FAILURE"}) },
			[]string{"checks"},
			nil,
		},
		{
			"another check failed", func(w *githubtest.World) { w.Check(n, githubtest.Check{Name: "lint", Conclusion: "FAILURE"}) },
			[]string{"checks"},
			nil,
		},
		{
			"a check began anew", func(w *githubtest.World) { w.Check(n, githubtest.Check{Name: "build"}) },
			[]string{"checks"},
			nil,
		},
		{"a check passed besides", func(w *githubtest.World) { w.Check(n, githubtest.Check{Name: "lint", Conclusion: "SUCCESS"}) }, nil, nil},
		{
			"the configuration was changed", func(w *githubtest.World) { w.SetFile(".github/prloop.yml", "maxOpenThreads: 3\n") },
			[]string{"configDigest"},
			nil,
		},
		{
			"a further review came", func(w *githubtest.World) {
				w.Review(n, githubtest.Submitted{By: githubtest.CopilotReviewer, Findings: []githubtest.Finding{{Path: "a.go", Line: 1, Text: "A bug."}}})
			},
			[]string{"openThreadsAwaitingReply", "openEscalatedThreads", "rounds"},
			nil,
		},
		{
			"the journal is gone", func(w *githubtest.World) {
				for _, c := range w.Pull(n).Comments {
					w.DeleteComment(c.DatabaseID, "hubot")
				}
			},
			nil,
			[]string{"declined", "journalRevision"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, world := proven(t)
			tt.change(world)
			server := httptest.NewServer(world)
			defer server.Close()
			before := len(world.Log())
			said, code := verified(t, map[string]string{
				"GITHUB_TOKEN": "workflow-token", "GITHUB_API_URL": server.URL, "GITHUB_GRAPHQL_URL": server.URL + "/graphql",
			}, text, "-", "--live")
			var broken, unknown []string
			for line := range strings.Lines(said) {
				name, _, _ := strings.Cut(strings.Join(strings.Fields(line)[1:], " "), ":")
				switch strings.Fields(line)[0] {
				case "BROKEN":
					broken = append(broken, name)
				case "unknown":
					unknown = append(unknown, name)
				}
			}
			if strings.Join(broken, " ") != strings.Join(tt.broken, " ") || strings.Join(unknown, " ") != strings.Join(tt.unknown, " ") {
				t.Errorf("broken %v, want %v; unknown %v, want %v\n%s", broken, tt.broken, unknown, tt.unknown, said)
			}
			if holds := len(broken)+len(unknown) == 0; holds != (code == 0) || holds != strings.Contains(said, "Every claim holds") {
				t.Errorf("exit %d\n%s", code, said)
			}
			asked := world.Log()[before:]
			if len(asked) == 0 || slices.ContainsFunc(asked, func(q githubtest.Request) bool { return q.Write }) {
				t.Errorf("verify asked GitHub for nothing, or wrote: %+v", asked)
			}
		})
	}
}

// A proof that speaks of a final pass, or of what minSeverity left, is held against
// GitHub by that too.
func TestVerifyLiveHoldsTheOptionsOfAProof(t *testing.T) {
	const n = 7
	tests := []struct {
		story, claim string
		change       func(*githubtest.World)
	}{
		{"final-pass", "finalPass", func(w *githubtest.World) {
			w.Review(n, githubtest.Submitted{By: githubtest.CopilotReviewer, Body: "## Pull request overview\n\nCopilot reviewed 1 out of 1 changed files in this pull request and generated no comments."})
		}},
		{"min-severity", "leftByMinSeverity", func(w *githubtest.World) { w.Resolve(w.Pull(n).Threads[1].ID, "mona") }},
	}
	for _, tt := range tests {
		text, world := provenBy(t, tt.story)
		server := httptest.NewServer(world)
		env := map[string]string{"GITHUB_TOKEN": "workflow-token", "GITHUB_API_URL": server.URL, "GITHUB_GRAPHQL_URL": server.URL + "/graphql"}
		said, code := verified(t, env, text, "-", "--live")
		if code != 0 || !strings.Contains(said, tt.claim) || strings.Contains(said, "BROKEN") {
			t.Errorf("%s: exit %d\n%s", tt.story, code, said)
		}
		tt.change(world)
		if said, code = verified(t, env, text, "-", "--live"); code != 1 || !strings.Contains(said, "BROKEN   "+tt.claim+":") {
			t.Errorf("%s, changed: exit %d\n%s", tt.story, code, said)
		}
		server.Close()
	}
}

func TestVerifyExplainsBadInput(t *testing.T) {
	text, world := proven(t)
	server := httptest.NewServer(world)
	defer server.Close()
	elsewhere, err := os.Create(filepath.Join(t.TempDir(), "empty"))
	if err != nil {
		t.Fatal(err)
	}
	if err := elsewhere.Close(); err != nil {
		t.Fatal(err)
	}
	env := func(token string) map[string]string {
		return map[string]string{"GH_TOKEN": token, "GITHUB_API_URL": server.URL, "GITHUB_GRAPHQL_URL": server.URL + "/graphql"}
	}
	tests := []struct {
		name  string
		env   map[string]string
		stdin string
		args  []string
		code  int
		want  string
	}{
		{"no file", nil, "", nil, 2, "no file is named"},
		{"two files", nil, "", []string{"a", "b"}, 2, `"b" is too much`},
		{"an unknown flag behind the file", nil, "", []string{"-", "--alive"}, 2, "alive"},
		{"a file that is not there", nil, "", []string{"gone.json"}, 1, "The proof could not be read"},
		{"a folder", nil, "", []string{t.TempDir()}, 1, "The proof could not be read"},
		{"an empty file", nil, "", []string{elsewhere.Name()}, 1, "where the head has not converged"},
		{"no JSON", nil, "proof", []string{"-"}, 1, "it is not JSON of the kind"},
		{"another JSON", nil, `{"schema":"prloop.result/v1"}`, []string{"-"}, 1, "it is of a version"},
		{"too much", nil, strings.Repeat(" ", maxProof+1), []string{"-"}, 1, "it has more than"},
		{"no token", nil, text, []string{"--live", "-"}, 1, "there is no token"},
		{"a token that is none", env("expired"), text, []string{"--live", "-"}, 1, "What to do: "},
	}
	for _, tt := range tests {
		said, code := verified(t, tt.env, tt.stdin, tt.args...)
		if code != tt.code || !strings.Contains(said, tt.want) || !strings.Contains(said, "What to do: ") {
			t.Errorf("%s: exit %d, want %d and %q in:\n%s", tt.name, code, tt.code, tt.want, said)
		}
	}
}
