package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests of this file run prloop as a process of its own: this test binary,
// told by its environment to be prloop.
const bePrloop = "PRLOOP_TEST_BE_PRLOOP"

func TestMain(m *testing.M) {
	if os.Getenv(bePrloop) != "" {
		os.Exit(Main(context.Background(), os.Args[1:], System{
			Getenv: os.Getenv, Environ: os.Environ, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Stories: os.DirFS(os.Getenv("PRLOOP_TEST_ROOT")),
		}))
	}
	os.Exit(m.Run())
}

// prloop is a command that runs prloop with args, in the environment env alone.
func prloop(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(slices.Clone(env), bePrloop+"=1", "PRLOOP_TEST_ROOT="+root)
	return cmd
}

// A server is a process of "prloop simulate --serve".
type server struct {
	rest, graphql, token, user, repository, events string
}

func serve(t *testing.T, args ...string) server {
	t.Helper()
	cmd := prloop(t, nil, append([]string{"simulate", "--serve", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	said := map[string]string{}
	in := bufio.NewScanner(out)
	for in.Scan() && !strings.HasPrefix(in.Text(), "#") {
		k, v, _ := strings.Cut(in.Text(), "=")
		said[k] = v
	}
	s := server{said["rest"], said["graphql"], said["token"], said["user-token"], said["repository"], said["events"]}
	if s.rest == "" || s.events == "" {
		t.Fatalf("the server did not say where it is: %v", said)
	}
	return s
}

func (s server) advance(t *testing.T, minutes int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.rest+"/_/advance?minutes="+strconv.Itoa(minutes), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("advance: %s %s", resp.Status, body)
	}
}

// step runs prloop once on an event file, with the variables that the runner
// sets, and returns its outputs.
func (s server) step(t *testing.T, file string, n int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	output, summary := filepath.Join(dir, "output"), filepath.Join(dir, "summary")
	for _, f := range []string{output, summary} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	event := strings.TrimSuffix(filepath.Base(file), ".json")
	_, event, _ = strings.Cut(event, "-")
	cmd := prloop(t, []string{
		"GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME=" + event, "GITHUB_EVENT_PATH=" + file,
		"GITHUB_OUTPUT=" + output, "GITHUB_STEP_SUMMARY=" + summary, "GITHUB_REPOSITORY=" + s.repository,
		"GITHUB_API_URL=" + s.rest, "GITHUB_GRAPHQL_URL=" + s.graphql, "GITHUB_SERVER_URL=https://github.com",
		"GITHUB_RUN_ID=" + strconv.Itoa(4000+n), "GITHUB_RUN_ATTEMPT=1", "GITHUB_JOB=step",
		"GITHUB_WORKFLOW_REF=" + s.repository + "/.github/workflows/prloop.yml@refs/heads/main",
		"INPUT_GITHUB-TOKEN=" + s.token, "INPUT_USER-TOKEN=" + s.user,
	})
	log, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("prloop on %s: %v\n%s", filepath.Base(file), err, log)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return outputs(string(data))
}

// outputs reads an output file as the runner does.
func outputs(file string) map[string]string {
	outs := map[string]string{}
	lines := strings.Split(file, "\n")
	for i := 0; i < len(lines); i++ {
		name, delim, ok := strings.Cut(lines[i], "<<")
		if !ok {
			continue
		}
		var value []string
		for i++; i < len(lines) && lines[i] != delim; i++ {
			value = append(value, lines[i])
		}
		outs[name] = strings.Join(value, "\n")
	}
	return outs
}

// The binary, run again and again with event files and the runner's variables
// only, takes the default story to converged; each run says as many requests
// as the server counted.
func TestTheBinaryPlaysTheDefaultStory(t *testing.T) {
	t.Parallel()
	s := serve(t)
	done := map[string]bool{}
	var codes []string
	n := 0
	for range 60 {
		files, err := filepath.Glob(filepath.Join(s.events, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if done[f] {
				continue
			}
			done[f] = true
			n++
			before := s.requests(t)
			got := s.step(t, f, n)
			codes = append(codes, got["reason-code"])
			var result struct{ Requests, Writes int }
			if err := json.Unmarshal([]byte(got["result"]), &result); err != nil {
				t.Fatalf("result: %v", err)
			}
			if made := s.requests(t) - before; made != result.Requests {
				t.Errorf("%s: the server counted %d requests, result says %d", filepath.Base(f), made, result.Requests)
			}
			if got["converged"] == "true" {
				if got["decision"] != "done" || got["reason-code"] != "converged" || got["round"] != "2" {
					t.Errorf("converged with decision %q, reason-code %q, round %q", got["decision"], got["reason-code"], got["round"])
				}
				return
			}
		}
		s.advance(t, 2)
	}
	t.Errorf("never converged: %v", codes)
}

// requests counts the server's log.
func (s server) requests(t *testing.T) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.rest+"/_/requests", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(body, []byte("\n"))
}

// run runs prloop to its end and returns what it printed and its exit code.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := prloop(t, nil, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestSimulateEndsConverged(t *testing.T) {
	t.Parallel()
	out, errs, code := run(t, "", "simulate")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"review_requested", "feedback_open", "done (converged)", "stateDiagram-v2"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
}

func TestSimulateJSONIsOneObjectALine(t *testing.T) {
	t.Parallel()
	out, _, code := run(t, "", "simulate", "--json")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var last stepLine
	for i, l := range lines {
		dec := json.NewDecoder(strings.NewReader(l))
		dec.DisallowUnknownFields()
		last = stepLine{}
		if err := dec.Decode(&last); err != nil || last.Step != i+1 || last.At.Before(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("line %d (%v): %s", i+1, err, l)
		}
	}
	if last.ReasonCode != "converged" || !last.Converged || last.Requests == 0 {
		t.Errorf("the last step is %+v", last)
	}
}

func TestSimulateWithFaultsEndsTheSame(t *testing.T) {
	t.Parallel()
	for seed := range 3 {
		out, errs, code := run(t, "", "simulate", "--faults", "3", "--seed", fmt.Sprint(seed+1))
		if code != 0 || !strings.Contains(out, "the same end") {
			t.Errorf("seed %d: exit %d\n%s", seed+1, code, errs)
		}
	}
}

func TestSimulateListsItsStoriesAndPlaysAFile(t *testing.T) {
	t.Parallel()
	out, _, code := run(t, "", "simulate", "--list")
	if code != 0 || !strings.Contains(out, defaultStory) {
		t.Errorf("exit %d: %s", code, out)
	}
	file := filepath.Join(t.TempDir(), "mine.txtar")
	if err := os.WriteFile(file, []byte("My own.\n\n-- script --\nopen by=mona\nrun pull_request opened\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "prloop.yml")
	if err := os.WriteFile(config, []byte("gates:\n  preApproval:\n    requireCi: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := run(t, "", "simulate", "--story", file, "--config", config); code != 0 || !strings.Contains(out, "review_requested") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// A line that is no JSON gets an error, and the next one its answer.
func TestEvalAnswersEachLine(t *testing.T) {
	t.Parallel()
	out, _, code := run(t, "no json\n\n{\"snapshot\":{\"prExists\":false}}\n{\"snapshot\":{\"prExists\":true,\"prMerged\":true}}", "eval", "copilot")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("exit %d, %d lines:\n%s", code, len(lines), out)
	}
	for i, want := range []string{`"error"`, `"error"`, `"state":"no_pr"`, `"state":"done"`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %s, want %s in it", i+1, lines[i], want)
		}
	}
}

func TestEvalQuest(t *testing.T) {
	t.Parallel()
	events := `[{"id":"s@1","type":"signal_received","signal":"x","fingerprint":"f"},{"id":"t@1","type":"triage_decided","route":"auto_fix"},{"id":"p@1","type":"patch_written","head":"h"}]`
	out, _, code := run(t, "no json\n{\"trail\":\"pr-7\",\"events\":"+events+"}\n", "eval", "quest")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"error":"the line is not JSON`) {
		t.Fatalf("exit %d, %d lines:\n%s", code, len(lines), out)
	}
	want := `"effects":[{"key":"pr-7:1:run_triage:s@1:1","type":"run_triage"},{"key":"pr-7:1:start_agent:t@1:1","type":"start_agent"}],` +
		`"invalid":{"index":2,"state":"researching","event":"patch_written","reason":"this state has no use for this event"}}`
	if !strings.HasSuffix(lines[1], want) || !strings.HasPrefix(lines[1], `{"quest":{"id":"pr-7","rev":1,"state":"researching",`) {
		t.Errorf("answered %s\nwant … %s", lines[1], want)
	}
}

// replay says what each event did, and ends at the first that has no place.
func TestReplay(t *testing.T) {
	t.Parallel()
	events := `[{"id":"s@1","type":"signal_received","fingerprint":"f"}, {"id":"s@1","type":"signal_received"}, {"id":"t@1","type":"triage_decided","route":"auto_fix"},
		{"id":"p@1","type":"pause"}, {"id":"e\n::error::x","type":"comment","addressed":true}, {"id":"l@1","type":"no\nsuch"}, {"id":"r@1","type":"resume"}]`
	file := filepath.Join(t.TempDir(), "events.json")
	if err := os.WriteFile(file, []byte(events), 0o600); err != nil {
		t.Fatal(err)
	}
	want := `   0  signal_received s@1: no quest → sensed, revision 1
        run_triage  eval:1:run_triage:s@1:1
   1  signal_received s@1: absorbed at sensed
   2  triage_decided t@1: sensed → researching, revision 1
        start_agent  eval:1:start_agent:t@1:1
   3  pause p@1: researching → parked (from researching), revision 1
        stop_agent  eval:1:stop_agent:p@1:1
   4  comment "e\n::error::x": parked → parked (from researching), revision 1
        reply_comment  "eval:1:reply_comment:e\n%3A%3Aerror%3A%3Ax:1"
   5  "no\nsuch" l@1: invalid at parked: there is no such event
`
	if out, errs, code := run(t, "", "replay", file); code != 1 || out != want {
		t.Errorf("exit %d: %s\n%swant\n%s", code, errs, out, want)
	}
	valid, _, _ := strings.Cut(events, `, {"id":"l@1"`)
	if out, errs, code := run(t, valid+"]", "replay", "-"); code != 0 || !strings.Contains(want, out) || out == "" {
		t.Errorf("from standard input, exit %d: %s\n%s", code, errs, out)
	}
	for _, text := range []string{"", "{", `{"events":7}`, `{"trail":7,"events":[]}`} {
		if _, errs, code := run(t, text, "replay", "-"); code != 1 || !strings.Contains(errs, "has no events to replay") {
			t.Errorf("%q: exit %d: %s", text, code, errs)
		}
	}
}

// What is wrong with a command line or a file is said in three lines.
func TestBadInputIsExplained(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.yml")
	if err := os.WriteFile(bad, []byte("fixr: people\nci:\n  red: perhaps\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no event and no command", nil, 1, []string{"What happened: There is no event", "Why: ", "What to do: "}},
		{"an unknown command", []string{"simulat"}, 2, []string{"simulate"}},
		{"an unknown story", []string{"simulate", "--story", "nothing"}, 1, []string{"There is no such story", "--list"}},
		{"a configuration file that is not there", []string{"config", "validate", "gone.yml"}, 1, []string{"could not be read"}},
		{"a file of events that is not there", []string{"replay", "gone.json"}, 1, []string{"could not be read", "prloop replay FILE"}},
		{"every problem of a configuration file", []string{"config", "validate", bad}, 1, []string{"bad.yml:1:1", "fixer", "bad.yml:3:8", "perhaps"}},
		{"an address that cannot be had", []string{"simulate", "--serve", "nowhere:99999"}, 1, []string{"could not be served"}},
	}
	for _, tt := range tests {
		out, errs, code := run(t, "", tt.args...)
		if code != tt.code {
			t.Errorf("%s: exit %d, want %d", tt.name, code, tt.code)
		}
		for _, w := range tt.want {
			if !strings.Contains(out+errs, w) {
				t.Errorf("%s: %q is missing in:\n%s%s", tt.name, w, out, errs)
			}
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	if out, _, code := run(t, "", "--help"); code != 0 || !strings.Contains(out, "simulate") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, _, code := run(t, "", "version"); code != 0 || !strings.HasPrefix(out, "prloop ") {
		t.Errorf("exit %d: %s", code, out)
	}
}
