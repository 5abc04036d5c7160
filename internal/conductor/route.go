package conductor

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/loose"
)

// Route says which loop family gets control now: the first row of the table
// that holds decides ([Table]). It is total and reads nothing but its
// argument. The target is normalised (repository in lower case, without the
// blanks around it); what of a malformed one is valid is kept.
func Route(in Input) Decision {
	in.Target = normal(in.Target)
	r := first(in)
	row := rowOf(r.then)
	d := Decision{
		RoutingOutcome: r.then,
		OuterAction:    row.action,
		StopReason:     r.why,
		Priority:       r.id,
		HandoffEnvelope: Envelope{
			TargetIdentity:         in.Target,
			LoopFamily:             row.family,
			Entrypoint:             row.entrypoint,
			Reason:                 reason(r, in),
			RequiresLocalIsolation: in.RequiresLocalIsolation,
			Confidence:             confidence(in.SourceMode),
		},
	}
	if !r.preCheck {
		d.HandoffEnvelope.RequiredArgs = Args{Repo: in.Target.Repo, PR: in.Target.PR}
	}
	return d
}

// normal returns a copy of t that has its valid parts only.
func normal(t *Target) *Target {
	if t == nil {
		return nil
	}
	return &Target{Repo: strings.ToLower(loose.Trim(t.Repo)), PR: max(t.PR, 0)}
}

func confidence(s Source) Source {
	if s == Authoritative || s == FromSnapshot {
		return s
	}
	return Local
}

// reason is the evidence for a person: the rule's words and the two states.
func reason(r rule, in Input) string {
	if r.preCheck {
		return fmt.Sprintf("Pre-check %s: %s", r.id, r.when.says)
	}
	return fmt.Sprintf("Priority %s: %s (Copilot loop: %s, reviewer loop: %s)",
		r.id, r.when.says, tame(in.CopilotState), tame(in.ReviewerState))
}

// tame returns a state that is spelled like one. Any other is somebody's text,
// and not repeated.
func tame(state string) string {
	odd := func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }
	if len(state) > 64 || strings.ContainsFunc(state, odd) {
		return "an unknown state"
	}
	return state
}
