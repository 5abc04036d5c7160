// Package actions is the runner's protocol: what a run is told (inputs, event,
// addresses) and how it tells (outputs, summary, annotations, log). Nobody else
// speaks it, and nobody else imports go-githubactions.
//
// What is printed is safe whatever is in it: the runner reads commands out of
// every line of a log, so each line that leaves here is either a command of
// ours or none. Start at [New].
package actions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sethvargo/go-githubactions"

	"github.com/prloop/prloop/internal/fail"
)

// A Runner is the runner that this process was started by, or the shell that
// stands in for one: everything works without GITHUB_ACTIONS, and is then told
// in plain lines. It may be used by several goroutines.
type Runner struct {
	getenv  func(string) string
	environ func() []string
	gh      *githubactions.Action

	mu      sync.Mutex
	secrets []string // longest first
	raised  map[string]int
}

// New returns the runner of an environment. Environ lists it whole, as
// os.Environ does. What cannot be written to stdout is lost, and nothing else.
func New(getenv func(string) string, environ func() []string, stdout io.Writer) *Runner {
	return &Runner{
		getenv:  getenv,
		environ: environ,
		gh:      githubactions.New(githubactions.WithGetenv(getenv), githubactions.WithWriter(&lossy{w: stdout})),
		raised:  map[string]int{},
	}
}

// lossy keeps lines whole and hides errors: the library panics at one, and a
// closed log is no reason to leave a step half done.
type lossy struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lossy) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(p)
	return len(p), nil
}

// InActions reports whether a runner of GitHub's protocol started the process.
func (r *Runner) InActions() bool { return r.getenv("GITHUB_ACTIONS") == "true" }

// Debugging reports whether step debug logging is on.
func (r *Runner) Debugging() bool { return r.getenv("RUNNER_DEBUG") == "1" }

// Input is the value of an input, without blanks around it; "" where it is not
// set.
func (r *Runner) Input(name string) string { return r.gh.GetInput(name) }

// InputNames are the inputs that are set, to nothing too, in lower case and
// sorted. The runner passes on inputs that action.yml does not know, and keeps
// hyphens: max-prs arrives as INPUT_MAX-PRS.
func (r *Runner) InputNames() []string {
	var names []string
	for _, entry := range r.environ() {
		name, _, _ := strings.Cut(entry, "=")
		if name, ok := strings.CutPrefix(name, "INPUT_"); ok && name != "" {
			names = append(names, strings.ToLower(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// maxEvent bounds the event file. GitHub delivers no payload above 25 MB
// (https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap).
const maxEvent = 25 << 20

// Event is the name and the payload of what woke the run. The payload is not
// empty; whether it is JSON is package event's to say. An error has a reader.
func (r *Runner) Event() (name string, body []byte, err error) {
	const fix = "Run prloop as a step of a workflow; from a shell, let GITHUB_EVENT_NAME name the event and GITHUB_EVENT_PATH the file with its payload"
	name = r.getenv("GITHUB_EVENT_NAME")
	path := r.getenv("GITHUB_EVENT_PATH")
	broken := func(what, why string, err error) (string, []byte, error) {
		return "", nil, &fail.Error{What: what, Why: why, Fix: fix, Err: err}
	}
	switch {
	case name == "":
		return broken("The event has no name", "GITHUB_EVENT_NAME is not set", nil)
	case path == "":
		return broken("There is no event file", "GITHUB_EVENT_PATH is not set", nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return broken("The event file could not be read", fmt.Sprintf("%q: %v", path, cause(err)), err)
	}
	defer func() { _ = f.Close() }() // it was only read
	body, err = io.ReadAll(io.LimitReader(f, maxEvent+1))
	switch {
	case err != nil:
		return broken("The event file could not be read", fmt.Sprintf("%q: %v", path, cause(err)), err)
	case len(body) > maxEvent:
		return broken("The event file is too large", fmt.Sprintf("%q has more than %d MiB", path, maxEvent>>20), nil)
	case len(strings.TrimSpace(string(body))) == 0:
		return broken("The event file is empty", fmt.Sprintf("%q holds no payload", path), nil)
	}
	return name, body, nil
}

// cause is err without the path, which the reader is told in quotes.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

var repository = regexp.MustCompile(`^([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)$`)

// Repository is the repository that the run belongs to.
func (r *Runner) Repository() (owner, name string, err error) {
	full := r.getenv("GITHUB_REPOSITORY")
	m := repository.FindStringSubmatch(full)
	if m == nil {
		return "", "", &fail.Error{
			What: "The repository is not known",
			Why:  fmt.Sprintf("GITHUB_REPOSITORY is %q, want owner/name", full),
			Fix:  "Run prloop as a step of a workflow; from a shell, set GITHUB_REPOSITORY to owner/name",
		}
	}
	return m[1], m[2], nil
}

// APIURL is the address of the REST API, without a slash at its end.
func (r *Runner) APIURL() string {
	if u := strings.TrimRight(r.getenv("GITHUB_API_URL"), "/"); u != "" {
		return u
	}
	return "https://api.github.com"
}

// GraphQLURL is the address of the GraphQL API. Where only the REST API is
// named it stands beside that, which on a server of one's own is
// https://HOST/api/v3 and https://HOST/api/graphql
// (https://docs.github.com/en/enterprise-server/graphql/guides/forming-calls-with-graphql#the-graphql-endpoint).
func (r *Runner) GraphQLURL() string {
	if u := strings.TrimRight(r.getenv("GITHUB_GRAPHQL_URL"), "/"); u != "" {
		return u
	}
	return strings.TrimSuffix(r.APIURL(), "/v3") + "/graphql"
}

// ServerURL is the address of GitHub for people, without a slash at its end.
func (r *Runner) ServerURL() string {
	if u := strings.TrimRight(r.getenv("GITHUB_SERVER_URL"), "/"); u != "" {
		return u
	}
	return "https://github.com"
}

// RunID is the workflow run, or 0 where there is none.
func (r *Runner) RunID() int64 {
	n, err := strconv.ParseInt(r.getenv("GITHUB_RUN_ID"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// RunAttempt is the attempt of the run, from 1.
func (r *Runner) RunAttempt() int {
	n, err := strconv.Atoi(r.getenv("GITHUB_RUN_ATTEMPT"))
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// Job is the id of the job in its workflow file. It is not the name of the
// job's check.
func (r *Runner) Job() string { return r.getenv("GITHUB_JOB") }

// Workspace is the folder of the checkout, or "" where there is none.
func (r *Runner) Workspace() string { return r.getenv("GITHUB_WORKSPACE") }

// WorkflowPath is the path of the workflow's file in its repository, such as
// .github/workflows/prloop.yml; "" where it is not known. GITHUB_WORKFLOW_REF
// has it as OWNER/NAME/PATH@REF.
func (r *Runner) WorkflowPath() string {
	ref := r.getenv("GITHUB_WORKFLOW_REF")
	// A ref may hold an @, and so may a file's name, but no file's name holds
	// a slash.
	i := strings.Index(ref, "@refs/")
	if i < 0 {
		i = strings.LastIndex(ref, "@")
	}
	if i < 0 {
		i = len(ref)
	}
	parts := strings.SplitN(ref[:i], "/", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}
