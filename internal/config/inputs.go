package config

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/fail"
)

// Inputs are the inputs of the action, read and checked. They print without
// their secrets, by whatever verb.
type Inputs struct {
	GitHubToken string // secret
	UserToken   string // secret; empty where none was given
	Command     Command
	Report      string // of the command report: JSON, or the path of a file
	PR          int    // 0: none was named
	ConfigPath  string // of the configuration file in the repository
	Settings    string // YAML that counts over the file
	MaxSteps    int
	MaxPRs      int
	Wait        time.Duration // how long the run is held for the next change
	DryRun      bool
	Paused      bool
	AutoMerge   string   // "true" or "false" over the configuration, or empty
	StateKey    string   // secret; empty: the journal has a plain checksum
	FailOn      []string // decisions and reason codes, in the order given
	CheckRunID  int64    // 0: the runner did not tell
}

// Format prints i with its secrets as dots.
func (i Inputs) Format(f fmt.State, _ rune) {
	type plain Inputs
	for _, secret := range []*string{&i.GitHubToken, &i.UserToken, &i.StateKey} {
		if *secret != "" {
			*secret = "…"
		}
	}
	_, _ = fmt.Fprintf(f, "%+v", plain(i)) // a State takes everything
}

// An Input is one input of the action.
type Input struct {
	Name    string
	Doc     string // one sentence, without a full stop
	Default string // used by ParseInputs where the input is empty
	Runner  string // default that only the runner can work out; ParseInputs never sees it
	set     func(*Inputs, string) error
}

// InputTable is where inputs are defined, in the order that the README shows
// them; action.yml and the README's table are generated from it.
var InputTable = []Input{
	{
		Name:   "github-token",
		Doc:    "Token of the workflow: all reading is done with it, and the status comment is written with it",
		Runner: "${{ github.token }}",
		set:    token(func(i *Inputs) *string { return &i.GitHubToken }),
	},
	{
		Name: "user-token",
		Doc:  "Token of a person with write access and a Copilot seat: it asks for reviews and marks drafts ready, and reads nothing; without it prloop asks with github-token, once for each head, which GitHub may ignore",
		set:  token(func(i *Inputs) *string { return &i.UserToken }),
	},
	{
		Name:    "command",
		Doc:     "What to do: take a `step`; take the `report` of a fixer job and answer by it; or `leave` the repository, which ends every loop in it",
		Default: string(Step),
		set: func(i *Inputs, v string) error {
			if !slices.Contains(commands, Command(v)) {
				return fmt.Errorf("is %.60q, want %q, %q or %q", v, Step, TakeReport, Leave)
			}
			i.Command = Command(v)
			return nil
		},
	},
	{
		Name: "report",
		Doc:  "With `command: report`: the fixer's report, as JSON or as the path of a file in the workspace",
		set:  func(i *Inputs, v string) error { i.Report = v; return nil },
	},
	{
		Name: "pr",
		Doc:  "Number of the one pull request to step; empty: the event says which, and a schedule or a dispatch steps all",
		set:  whole(func(i *Inputs) *int { return &i.PR }, 1, maxNumber),
	},
	{
		Name:    "config",
		Doc:     "Path of the configuration file, which is read from the default branch; the file may be missing",
		Default: ".github/prloop.yml",
		set:     repositoryPath(func(i *Inputs) *string { return &i.ConfigPath }),
	},
	{
		Name: "settings",
		Doc:  "Settings as YAML, in the form of the configuration file; each key given here counts over the file",
		set:  func(i *Inputs, v string) error { i.Settings = v; return nil },
	},
	{
		Name:    "max-steps",
		Doc:     "How many steps a run may take on one pull request, where one leads straight to another",
		Default: "1",
		set:     whole(func(i *Inputs) *int { return &i.MaxSteps }, 1, 20),
	},
	{
		Name:    "max-prs",
		Doc:     "How many pull requests a sweep steps at most; the next one goes on with the rest",
		Default: "50",
		set:     whole(func(i *Inputs) *int { return &i.MaxPRs }, 1, 1000),
	},
	{
		Name:    "wait-seconds",
		Doc:     "How many seconds to hold the run for the next change, reading again at most once a minute",
		Default: "0",
		set:     seconds(func(i *Inputs) *time.Duration { return &i.Wait }, 0, 18000),
	},
	{
		Name:    "dry-run",
		Doc:     "Whether to decide and tell, but change nothing on GitHub (`true` or `false`)",
		Default: "false",
		set:     yesNo(func(i *Inputs) *bool { return &i.DryRun }),
	},
	{
		Name:    "paused",
		Doc:     "The switch that stops prloop everywhere (`true` or `false`); fed by the variable `vars.PRLOOP_PAUSED` it needs no commit",
		Default: "false",
		set:     yesNo(func(i *Inputs) *bool { return &i.Paused }),
	},
	{
		Name: "auto-merge",
		Doc:  "Whether prloop merges what has converged, over the key autoMerge.enabled (`true` or `false`); empty: as that says",
		set: func(i *Inputs, v string) error {
			i.AutoMerge = strings.ToLower(v)
			return yesNo(func(*Inputs) *bool { return new(bool) })(i, v)
		},
	},
	{
		Name: "state-key",
		Doc:  "Secret that signs the journal in the status comment (HMAC-SHA-256); empty: a plain checksum",
		set:  func(i *Inputs, v string) error { i.StateKey = v; return nil },
	},
	{
		Name: "fail-on",
		Doc:  "Decisions and reason codes that end the run with exit code 1, with commas or line breaks between; empty: none",
		set:  words(func(i *Inputs) *[]string { return &i.FailOn }),
	},
	{
		Name:   "check-run-id",
		Doc:    "Id of this job's own check run, so that prloop never waits for itself; leave it alone",
		Runner: "${{ job.check_run_id }}",
		set:    id(func(i *Inputs) *int64 { return &i.CheckRunID }),
	},
}

// A Command is what a run does.
type Command string

// The commands.
const (
	Step       Command = "step"
	TakeReport Command = "report"
	Leave      Command = "leave"
)

var commands = []Command{Step, TakeReport, Leave}

// maxNumber is the largest number of a pull request: GitHub's GraphQL takes 32
// bits.
const maxNumber = 1<<31 - 1

// ErrNoToken is behind the error of ParseInputs when nothing is wrong but that
// github-token is empty.
var ErrNoToken = errors.New("github-token is empty")

// ParseInputs reads every input through get, which gives "" for an input that
// is not set. names are those of all inputs that the environment has, as
// "max-steps" or "INPUT_MAX-STEPS"; one that the action does not have is a
// problem, because GitHub only warns of it. Where known is given, fail-on may
// name nothing else.
//
// All problems come in one *fail.Error. Values of secrets are never in it.
func ParseInputs(get func(name string) string, names []string, known ...string) (Inputs, error) {
	var (
		in       Inputs
		problems []string
	)
	for _, name := range slices.Sorted(slices.Values(names)) {
		name = strings.ToLower(strings.TrimPrefix(name, "INPUT_"))
		if !slices.Contains(inputNames(), name) {
			problems = append(problems, fmt.Sprintf("%.60q is no input%s", name, DidYouMean(name, inputNames())))
		}
	}
	for _, row := range InputTable {
		v := strings.TrimSpace(get(row.Name))
		if v == "" {
			v = row.Default
		}
		if v == "" {
			continue
		}
		if err := row.set(&in, v); err != nil {
			problems = append(problems, row.Name+" "+err.Error())
		}
	}
	for _, word := range in.FailOn {
		if len(known) > 0 && !slices.Contains(known, word) {
			problems = append(problems, fmt.Sprintf("fail-on names %.60q, which is neither a decision nor a reason code%s", word, DidYouMean(word, known)))
		}
	}
	noToken := strings.TrimSpace(get("github-token")) == ""
	switch {
	case noToken && len(problems) == 0:
		return Inputs{}, tokenMissing()
	case noToken:
		problems = append(problems, ErrNoToken.Error())
	}
	if len(problems) > 0 {
		return Inputs{}, &fail.Error{
			What: "The inputs are not valid",
			Why:  strings.Join(problems, "; "),
			Fix:  `Correct "with:" in the workflow; the README lists every input`,
		}
	}
	return in, nil
}

// tokenMissing is an error of its own, because most who meet it gave a token:
// a secret that is empty where GitHub gives none.
func tokenMissing() error {
	return &fail.Error{
		What: "prloop has no token, so it cannot read the pull request",
		Why:  "The input github-token is empty; GitHub gives no secrets to runs for forks and for Dependabot, and an empty value there is not replaced by the default",
		Fix:  `Leave github-token out of "with:", or write "github-token: ${{ secrets.NAME || github.token }}"`,
		Err:  ErrNoToken,
	}
}

func inputNames() []string {
	names := make([]string, 0, len(InputTable))
	for _, row := range InputTable {
		names = append(names, row.Name)
	}
	return names
}

// A token goes into a header, so it is one word.
func token(field func(*Inputs) *string) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return errors.New("has a blank, a line break or another character inside that no token has")
		}
		*field(i) = v
		return nil
	}
}

func whole(field func(*Inputs) *int, lo, hi int) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		n, err := between(v, lo, hi)
		*field(i) = n
		return err
	}
}

func seconds(field func(*Inputs) *time.Duration, lo, hi int) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		n, err := between(v, lo, hi)
		*field(i) = time.Duration(n) * time.Second
		return err
	}
}

func between(v string, lo, hi int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("is %.60q, want a whole number from %d to %d", v, lo, hi)
	}
	return n, nil
}

func id(field func(*Inputs) *int64) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("is %.60q, want the id of a check run", v)
		}
		*field(i) = n
		return nil
	}
}

func yesNo(field func(*Inputs) *bool) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		switch strings.ToLower(v) {
		case "true":
			*field(i) = true
		case "false":
			*field(i) = false
		default:
			return fmt.Errorf("is %.60q, want true or false", v)
		}
		return nil
	}
}

var aWord = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func words(field func(*Inputs) *[]string) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		for _, word := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
			word = strings.TrimSpace(word)
			switch {
			case word == "" || slices.Contains(*field(i), word):
			case !aWord.MatchString(word):
				return fmt.Errorf("has %.60q, want words like stop or round_cap_reached", word)
			default:
				*field(i) = append(*field(i), word)
			}
		}
		return nil
	}
}

// A path of the repository stands behind "HEAD:" in a query.
func repositoryPath(field func(*Inputs) *string) func(*Inputs, string) error {
	return func(i *Inputs, v string) error {
		control := func(r rune) bool { return r < ' ' || r == 0x7f }
		switch {
		case len(v) > 255, strings.ContainsFunc(v, control), strings.ContainsAny(v, `\:`),
			path.IsAbs(v), path.Clean(v) != v, v == ".", v == "..", strings.HasPrefix(v, "../"):
			return fmt.Errorf("is %.60q, want the path of a file in the repository, like .github/prloop.yml", v)
		}
		*field(i) = v
		return nil
	}
}
