package actions

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
)

// runner is a runner with an environment of its own, and what it prints.
func runner(env map[string]string) (*Runner, *bytes.Buffer) {
	var out bytes.Buffer
	environ := func() []string {
		var list []string
		for k, v := range env {
			list = append(list, k+"="+v)
		}
		return list
	}
	return New(func(k string) string { return env[k] }, environ, &out), &out
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInputsKeepTheirHyphens(t *testing.T) {
	t.Parallel()
	r, _ := runner(map[string]string{
		"INPUT_GITHUB-TOKEN": " token\n", "INPUT_MAX-PRS": "", "INPUT_UNHEARD_OF": "x", "INPUT_": "x", "GITHUB_TOKEN": "x", "MY_INPUT_A": "x",
	})
	type answer struct {
		Names              []string
		Token, None, Blank string
	}
	want := answer{Names: []string{"github-token", "max-prs", "unheard_of"}, Token: "token"}
	got := answer{r.InputNames(), r.Input("github-token"), r.Input("pr"), r.Input("max-prs")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// What GitHub says of a run, and what a shell that says nothing leaves open.
func TestTheRunIsWhatTheEnvironmentSays(t *testing.T) {
	t.Parallel()
	type answer struct {
		InActions, Debugging                                             bool
		API, GraphQL, Server, Job, Workflow, Workspace, Owner, Name, Err string
		ID                                                               int64
		Attempt                                                          int
	}
	for name, row := range map[string]struct {
		env  map[string]string
		want answer
	}{
		"a step on github.com": {
			map[string]string{
				"GITHUB_ACTIONS": "true", "RUNNER_DEBUG": "1", "GITHUB_API_URL": "https://api.github.com", "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql",
				"GITHUB_SERVER_URL": "https://github.com", "GITHUB_JOB": "step", "GITHUB_RUN_ID": "9876543210", "GITHUB_RUN_ATTEMPT": "2",
				"GITHUB_REPOSITORY": "octo/hello.world", "GITHUB_WORKSPACE": "/github/workspace",
				"GITHUB_WORKFLOW_REF": "octo/hello.world/.github/workflows/prloop.yml@refs/heads/mona@work",
			},
			answer{
				InActions: true, Debugging: true, API: "https://api.github.com", GraphQL: "https://api.github.com/graphql", Server: "https://github.com",
				Job: "step", Workflow: ".github/workflows/prloop.yml", Workspace: "/github/workspace", Owner: "octo", Name: "hello.world", ID: 9876543210, Attempt: 2,
			},
		},
		"a shell": {
			map[string]string{},
			answer{
				API: "https://api.github.com", GraphQL: "https://api.github.com/graphql", Server: "https://github.com", Attempt: 1,
				Err: `The repository is not known: GITHUB_REPOSITORY is "", want owner/name`,
			},
		},
		"a server of one's own that names its REST API alone": {
			map[string]string{"GITHUB_API_URL": "https://ghe.example/api/v3/", "GITHUB_REPOSITORY": "octo/hello/x", "GITHUB_RUN_ID": "-1", "GITHUB_RUN_ATTEMPT": "0", "GITHUB_WORKFLOW_REF": "octo"},
			answer{
				API: "https://ghe.example/api/v3", GraphQL: "https://ghe.example/api/graphql", Server: "https://github.com", Attempt: 1,
				Err: `The repository is not known: GITHUB_REPOSITORY is "octo/hello/x", want owner/name`,
			},
		},
		"an emulator at an address of its own": {
			map[string]string{"GITHUB_API_URL": "http://127.0.0.1:4010", "GITHUB_REPOSITORY": "octo/hello", "GITHUB_WORKFLOW_REF": "octo/hello/.github/workflows/a@b.yml@refs/tags/c@d"},
			answer{
				API: "http://127.0.0.1:4010", GraphQL: "http://127.0.0.1:4010/graphql", Server: "https://github.com", Attempt: 1,
				Owner: "octo", Name: "hello", Workflow: ".github/workflows/a@b.yml",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := runner(row.env)
			got := answer{
				InActions: r.InActions(), Debugging: r.Debugging(), API: r.APIURL(), GraphQL: r.GraphQLURL(), Server: r.ServerURL(),
				Job: r.Job(), Workflow: r.WorkflowPath(), Workspace: r.Workspace(), ID: r.RunID(), Attempt: r.RunAttempt(),
			}
			var err error
			if got.Owner, got.Name, err = r.Repository(); err != nil {
				got.Err = err.Error()
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

func TestTheEventIsNameAndPayload(t *testing.T) {
	t.Parallel()
	r, _ := runner(map[string]string{"GITHUB_EVENT_NAME": "schedule", "GITHUB_EVENT_PATH": file(t, `{"schedule":"*/15 * * * *"}`)})
	name, body, err := r.Event()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"schedule", `{"schedule":"*/15 * * * *"}`}, []string{name, string(body)}); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}

// An event that cannot be read has a reader: what, why, and what to do.
func TestABadEventFileHasAReader(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxEvent+1); err != nil {
		t.Fatal(err)
	}
	missing, folder, empty := filepath.Join(t.TempDir(), "missing"), t.TempDir(), file(t, " \n")
	for name, row := range map[string]struct {
		event, path, what, why string
	}{
		"no name":      {"", empty, "The event has no name", "GITHUB_EVENT_NAME is not set"},
		"no path":      {"push", "", "There is no event file", "GITHUB_EVENT_PATH is not set"},
		"no file":      {"push", missing, "The event file could not be read", `"` + missing + `": no such file or directory`},
		"a folder":     {"push", folder, "The event file could not be read", `"` + folder + `": is a directory`},
		"an empty one": {"push", empty, "The event file is empty", `"` + empty + `" holds no payload`},
		"a huge one":   {"push", large, "The event file is too large", `"` + large + `" has more than 25 MiB`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := runner(map[string]string{"GITHUB_EVENT_NAME": row.event, "GITHUB_EVENT_PATH": row.path})
			event, body, err := r.Event()
			got, ok := errors.AsType[*fail.Error](err)
			if !ok || got.Fix == "" {
				t.Fatalf("the error has no reader: %v", err)
			}
			if diff := cmp.Diff([]string{row.what, row.why, "", ""}, []string{got.What, got.Why, event, string(body)}); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

// A log that is closed is no reason to end a step half way.
func TestAClosedLogEndsNothing(t *testing.T) {
	t.Parallel()
	_, closed := io.Pipe()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": file(t, "")}
	r := New(func(k string) string { return env[k] }, func() []string { return nil }, closed)
	r.Mask("secret")
	r.Group("group")
	r.Info("line")
	r.Warning("title", "text")
	r.EndGroup()
	if err := r.SetOutputs(nil); err != nil {
		t.Errorf("the outputs depend on the log: %v", err)
	}
}

func lines(out *bytes.Buffer) []string {
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
