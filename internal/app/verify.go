package app

import (
	"context"
	"strings"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/round"
)

// A Verification is what it takes to hold a proof against GitHub.
type Verification struct {
	Proof round.Proof
	// Account is whom prloop writes as, as the configuration spells identities:
	// the journal and the replies are read as that account's.
	Account string
	// Config is the path of the configuration file, Workflow that of the
	// workflow which runs prloop: its own checks do not count.
	Config, Workflow string
	Env              Env
}

// Verify reads the pull request that the proof names, with the token that the
// environment has, and says of each claim whether it holds. It writes nothing.
func Verify(ctx context.Context, v Verification) ([]plan.Held, error) {
	token := first(v.Env.Getenv, "GITHUB_TOKEN", "GH_TOKEN", "INPUT_GITHUB-TOKEN")
	if token == "" {
		return nil, &fail.Error{
			What: "GitHub cannot be asked",
			Why:  "there is no token in the environment: GITHUB_TOKEN and GH_TOKEN are empty",
			Fix:  "Set GITHUB_TOKEN to a token that may read the repository, or leave --live out to check the digest alone",
		}
	}
	owner, name, ok := strings.Cut(v.Proof.Repo, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") || v.Proof.PR < 1 {
		return nil, &fail.Error{
			What: "GitHub cannot be asked",
			Why:  "the proof names no pull request of a repository",
			Fix:  "Take the proof from the output proof of the run that converged",
		}
	}
	r := &run{env: v.Env}
	r.inputs.StateKey = first(v.Env.Getenv, "PRLOOP_STATE_KEY", "INPUT_STATE-KEY")
	r.inputs.Settings = v.Env.Getenv("INPUT_SETTINGS")
	var err error
	r.client, err = github.New(github.Options{
		APIURL:     v.Env.Getenv("GITHUB_API_URL"),
		GraphQLURL: v.Env.Getenv("GITHUB_GRAPHQL_URL"),
		Token:      token,
		Owner:      owner,
		Repo:       name,
		Transport:  v.Env.Transport,
		Backoff:    v.Env.Backoff,
	})
	if err != nil {
		return nil, err
	}
	snap, err := r.client.Snapshot(ctx, v.Proof.PR, github.Want{ConfigPath: v.Config})
	if err != nil {
		return nil, err
	}
	settings, _, err := parseSettings(snap, r.inputs)
	if err != nil {
		return nil, err
	}
	in := plan.Input{Settings: settings, Snapshot: snap, Own: facts.Own{Workflow: v.Workflow}}
	identities := settings.Identities
	if v.Account != "" {
		identities = append([]string{v.Account}, identities...)
	}
	found := journal.Find(snap.Comments, v.Proof.PR, r.key(), identities)
	in.Journal, in.Memory = found.Journal, found.Memory
	return plan.Against(v.Proof, in, identities...), nil
}

func first(getenv func(string) string, names ...string) string {
	for _, n := range names {
		if v := getenv(n); v != "" {
			return v
		}
	}
	return ""
}
