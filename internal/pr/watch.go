package pr

import (
	"slices"
	"time"
)

// Watched is what GitHub shows of a merge afterwards (design 7). It is read only
// when a decision asks for it (FactWatch).
type Watched struct {
	Commit SHA // on the base; empty where GitHub names none
	// Before is what the base stood at: the first parent of Commit, or of the first
	// of the commits that a rebase made. Empty where that cannot be told.
	Before SHA
	// Now is what stands on Commit, Then what stands on Before.
	Now, Then Standing
	// Revert is the newest pull request that takes the merge back; nil: none.
	Revert  *Revert
	Unknown []Unknown
}

// The facts of a merge that can be unknown by themselves.
const (
	FactWatch       Fact = "merge commit"
	FactBefore      Fact = "commit before the merge"
	FactChecksNow   Fact = "checks of the merge commit"
	FactChecksThen  Fact = "checks of the commit before the merge"
	FactDeployments Fact = "deployments"
	FactReverts     Fact = "pull requests that revert it"
	FactEnded       Fact = "pull requests that ended lately" // of a sweep
)

// Missing returns the unknown fact f, or nil where it was read in full.
func (w *Watched) Missing(f Fact) *Unknown {
	if i := slices.IndexFunc(w.Unknown, func(u Unknown) bool { return u.Fact == f }); i >= 0 {
		return &w.Unknown[i]
	}
	return nil
}

// Lose makes a fact unknown, for the first reason that there is.
func (w *Watched) Lose(f Fact, why, right string) {
	if w.Missing(f) == nil {
		w.Unknown = append(w.Unknown, Unknown{Fact: f, Why: why, Right: right})
	}
}

// A Standing is what stands on one commit.
type Standing struct {
	Checks      []Check
	Deployments []Deployment
}

// A Deployment is a commit on its way to an environment.
type Deployment struct {
	ID          int64
	Environment string // a stranger may name it
	CreatedAt   time.Time
	Statuses    []DeploymentStatus
}

// A DeploymentStatus is where a deployment stood at a time (GraphQL enum
// DeploymentStatusState).
type DeploymentStatus struct {
	State string
	At    time.Time
}

// A Revert is a pull request that takes a merge back.
type Revert struct {
	Number int
	State  State
	// Ours: it has prloop's marker.
	Ours bool
	// MergedAt and Commit are zero until it is merged.
	MergedAt time.Time
	Commit   SHA
}
