package reviewer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/loose"
)

// An Angle is what one run of a review looks for.
type Angle string

// The angles, in the order in which a plan without a wish has them.
const (
	Correctness     Angle = "correctness"
	Tests           Angle = "tests"
	Maintainability Angle = "maintainability"
	Security        Angle = "security"
	Scope           Angle = "scope"
)

// Angles returns every angle, in the order of a plan without a wish.
func Angles() []Angle {
	return []Angle{Correctness, Tests, Maintainability, Security, Scope}
}

// How many runs may go at once: where nobody says, and at most.
const (
	DefaultParallel = 3
	MaxParallel     = 4
)

// A Plan is the runs of one review, for the brief of its hand-over.
type Plan struct {
	Parallel int   `json:"parallel"` // how many may run at once
	Runs     []Run `json:"runs"`     // at least one
}

// A Run looks at the change from one angle.
type Run struct {
	ID    string `json:"runId"` // review-angle-01 and so on, by its place in the plan
	Angle Angle  `json:"angle"`
}

// PlanReview plans a review from the wanted angles, in their order, each once;
// blanks around a name and its case do not count, and a name that is no angle
// is dropped. Without any it takes all of them. At most parallel runs go at
// once, by default DefaultParallel and never more than MaxParallel; the others
// follow, none is left out.
func PlanReview(wanted []string, parallel int) Plan {
	var chosen []Angle
	for _, name := range wanted {
		angle := Angle(strings.ToLower(loose.Trim(name)))
		if slices.Contains(Angles(), angle) && !slices.Contains(chosen, angle) {
			chosen = append(chosen, angle)
		}
	}
	if len(chosen) == 0 {
		chosen = Angles()
	}
	if parallel < 1 {
		parallel = DefaultParallel
	}
	plan := Plan{Parallel: min(parallel, MaxParallel), Runs: make([]Run, len(chosen))}
	for i, angle := range chosen {
		plan.Runs[i] = Run{ID: fmt.Sprintf("review-angle-%02d", i+1), Angle: angle}
	}
	return plan
}
