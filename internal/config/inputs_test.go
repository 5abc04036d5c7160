package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
)

// given is the environment's inputs as a getter.
func given(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

func TestParseInputs(t *testing.T) {
	standard := Inputs{GitHubToken: "ghs_x", Command: Step, ConfigPath: ".github/prloop.yml", MaxSteps: 1, MaxPRs: 50}
	tests := []struct {
		says string
		env  map[string]string
		want Inputs
	}{
		{"a token is enough", map[string]string{"github-token": "ghs_x"}, standard},
		{
			"every input counts",
			map[string]string{
				"github-token": "ghs_x", "user-token": "github_pat_y", "command": "report", "report": "r.json", "pr": "7", "config": "ops/prloop.yml", "settings": "fixer: job",
				"max-steps": "3", "max-prs": "9", "wait-seconds": "90", "dry-run": "true", "paused": "true", "auto-merge": "false",
				"state-key": "k e y", "fail-on": "stop", "check-run-id": "123456789012",
			},
			Inputs{
				GitHubToken: "ghs_x", UserToken: "github_pat_y", Command: TakeReport, Report: "r.json", PR: 7, ConfigPath: "ops/prloop.yml", Settings: "fixer: job",
				MaxSteps: 3, MaxPRs: 9, Wait: 90 * time.Second, DryRun: true, Paused: true, AutoMerge: "false",
				StateKey: "k e y", FailOn: []string{"stop"}, CheckRunID: 123456789012,
			},
		},
		{
			"values of block scalars end in line breaks",
			map[string]string{"github-token": " ghs_x\n", "pr": "7\n", "dry-run": "False\n", "paused": " TRUE"},
			Inputs{GitHubToken: "ghs_x", Command: Step, PR: 7, ConfigPath: ".github/prloop.yml", MaxSteps: 1, MaxPRs: 50, Paused: true},
		},
		{
			"fail-on mixes commas and line breaks, with blank lines and doubles",
			map[string]string{"github-token": "ghs_x", "fail-on": "stop, no_checks\n\n  round_cap_reached \nstop,"},
			Inputs{
				GitHubToken: "ghs_x", Command: Step, ConfigPath: ".github/prloop.yml", MaxSteps: 1, MaxPRs: 50,
				FailOn: []string{"stop", "no_checks", "round_cap_reached"},
			},
		},
		{
			"an empty value is a missing one",
			map[string]string{"github-token": "ghs_x", "max-steps": "", "paused": "  ", "check-run-id": ""},
			standard,
		},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			var names []string
			for name := range tt.env {
				names = append(names, "INPUT_"+strings.ToUpper(name))
			}
			got, err := ParseInputs(given(tt.env), names)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseInputs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseInputsRefuses(t *testing.T) {
	tests := []struct {
		says  string
		env   map[string]string
		names []string
		known []string
		want  string // Why
	}{
		{
			"every problem at once",
			map[string]string{"pr": "0", "config": "../x", "max-steps": "many", "max-prs": "1001", "wait-seconds": "-1", "dry-run": "yes", "paused": "1", "auto-merge": "on", "fail-on": "Stop!", "check-run-id": "job"},
			[]string{"dry-run", "max_steps"},
			nil,
			`"max_steps" is no input (did you mean "max-steps"?); pr is "0", want a whole number from 1 to 2147483647; ` +
				`config is "../x", want the path of a file in the repository, like .github/prloop.yml; max-steps is "many", want a whole number from 1 to 20; ` +
				`max-prs is "1001", want a whole number from 1 to 1000; wait-seconds is "-1", want a whole number from 0 to 18000; ` +
				`dry-run is "yes", want true or false; paused is "1", want true or false; auto-merge is "on", want true or false; fail-on has "Stop!", want words like stop or round_cap_reached; ` +
				`check-run-id is "job", want the id of a check run; github-token is empty`,
		},
		{
			"an input that is like none has no suggestion",
			map[string]string{"github-token": "ghs_x"},
			[]string{"INPUT_FAVOURITE-COLOUR"},
			nil,
			`"favourite-colour" is no input`,
		},
		{
			"a name is quoted, because it could be a command to the runner",
			map[string]string{"github-token": "ghs_x"},
			[]string{"X\n::add-mask::y"},
			nil,
			`"x\n::add-mask::y" is no input`,
		},
		{
			"a token of two words is not quoted",
			map[string]string{"github-token": "ghs_x\nghs_y", "user-token": "pat one"},
			nil, nil,
			"github-token has a blank, a line break or another character inside that no token has; " +
				"user-token has a blank, a line break or another character inside that no token has",
		},
		{
			"fail-on names what never comes",
			map[string]string{"github-token": "ghs_x", "fail-on": "stop,round_cap_reachd,moon"},
			nil,
			[]string{"wait", "stop", "round_cap_reached"},
			`fail-on names "round_cap_reachd", which is neither a decision nor a reason code (did you mean "round_cap_reached"?); ` +
				`fail-on names "moon", which is neither a decision nor a reason code`,
		},
	}
	for _, path := range []string{"/etc/passwd", ".", "..", "a//b", "a/", `a\b`, "HEAD:x", "a\tb", strings.Repeat("a", 256)} {
		tests = append(tests, struct {
			says  string
			env   map[string]string
			names []string
			known []string
			want  string
		}{
			fmt.Sprintf("%.20q is no file of the repository", path),
			map[string]string{"github-token": "ghs_x", "config": path},
			nil, nil,
			fmt.Sprintf("config is %.60q, want the path of a file in the repository, like .github/prloop.yml", path),
		})
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got, err := ParseInputs(given(tt.env), tt.names, tt.known...)
			e, ok := errors.AsType[*fail.Error](err)
			if !ok {
				t.Fatalf("ParseInputs = %+v, %v; want a *fail.Error", got, err)
			}
			want := fail.Error{What: "The inputs are not valid", Why: tt.want, Fix: `Correct "with:" in the workflow; the README lists every input`}
			if diff := cmp.Diff(want, *e); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(Inputs{}, got); diff != "" {
				t.Errorf("inputs beside an error:\n%s", diff)
			}
		})
	}
}

func TestNoToken(t *testing.T) {
	for _, value := range []string{"", " \n"} {
		got, err := ParseInputs(given(map[string]string{"github-token": value}), []string{"github-token"})
		if !errors.Is(err, ErrNoToken) {
			t.Fatalf("ParseInputs = %+v, %v; want ErrNoToken", got, err)
		}
		want := "What happened: prloop has no token, so it cannot read the pull request.\n" +
			"Why: The input github-token is empty; GitHub gives no secrets to runs for forks and for Dependabot, and an empty value there is not replaced by the default.\n" +
			"What to do: Leave github-token out of \"with:\", or write \"github-token: ${{ secrets.NAME || github.token }}\".\n"
		if diff := cmp.Diff(want, fail.Render(err)); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}

// Whoever prints the inputs, by whatever verb, does not print a secret.
func TestSecretsDoNotPrint(t *testing.T) {
	in := Inputs{GitHubToken: "ghs_secret", UserToken: "ghs_secret", PR: 7}
	want := "{GitHubToken:… UserToken:… Command: Report: PR:7 ConfigPath: Settings: MaxSteps:0 MaxPRs:0 Wait:0s DryRun:false Paused:false AutoMerge: StateKey: FailOn:[] CheckRunID:0}"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, in); got != want {
			t.Errorf("%s prints %s, want %s", verb, got, want)
		}
	}
	if got := fmt.Sprint(Inputs{StateKey: "secret"}, &Inputs{StateKey: "secret"}, []Inputs{{StateKey: "secret"}}); strings.Contains(got, "secret") {
		t.Errorf("Sprint prints %s", got)
	}
}

// Each row is fit for action.yml: a name with hyphens, one sentence, at most
// one default, and that default is a value that the row takes.
func TestInputTable(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, row := range InputTable {
		if !name.MatchString(row.Name) || seen[row.Name] {
			t.Errorf("%q is no name, or stands twice", row.Name)
		}
		seen[row.Name] = true
		if row.Doc == "" || strings.HasSuffix(row.Doc, ".") || strings.Contains(row.Doc, "\n") {
			t.Errorf("%s: %q is not one sentence without a full stop", row.Name, row.Doc)
		}
		if row.Default != "" && row.Runner != "" {
			t.Errorf("%s has two defaults", row.Name)
		}
		if strings.Contains(row.Default, "${{") {
			t.Errorf("%s: only the runner can work out %s", row.Name, row.Default)
		}
		if row.Default != "" {
			if err := row.set(&Inputs{}, row.Default); err != nil {
				t.Errorf("%s %v", row.Name, err)
			}
		}
	}
}
