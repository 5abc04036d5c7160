package quest

import (
	"github.com/prloop/prloop/internal/loose"
)

// A Mode says what a decision at a checkpoint can do.
type Mode string

// The modes of seed 002, "Checkpoints in detail". Any other value is read as
// blocking.
const (
	Blocking Mode = "blocking" // waits for a person
	Advisory Mode = "advisory" // an automatic decision advances too
	Shadow   Mode = "shadow"   // decisions are recorded and move nothing
)

// A Policy is what a team chose. Begin with [DefaultPolicy].
type Policy struct {
	Checkpoints Checkpoints `json:"checkpoints"`
	// MaxAttempts is after how many failed proofs a quest parks; at least 1.
	MaxAttempts int `json:"maxAttempts"`
	// RebaseCap is how often a revision is rebased before it parks.
	RebaseCap int `json:"rebaseCap"`
	// MuteHours is for how long an ignored fingerprint starts no quest.
	MuteHours float64 `json:"muteHours"`
	// RequireFreshBase: a proof of an older base is not good enough.
	RequireFreshBase bool `json:"requireFreshBase"`
	// ShadowHumanOverride: a person's decision counts in shadow mode too.
	ShadowHumanOverride bool `json:"shadowHumanOverride"`
}

// Checkpoints has the mode of each checkpoint.
type Checkpoints struct {
	A Mode `json:"A"`
	B Mode `json:"B"`
	C Mode `json:"C"`
}

// DefaultPolicy is what holds where nothing is configured: A and B are
// advisory, C waits for a person.
func DefaultPolicy() Policy {
	return Policy{Checkpoints: Checkpoints{Advisory, Advisory, Blocking}, MaxAttempts: 5, RebaseCap: 5, MuteHours: 24}
}

// mode returns that of a checkpoint.
func (p *Policy) mode(cp Checkpoint) Mode {
	m := Blocking
	switch cp {
	case A:
		m = p.Checkpoints.A
	case B:
		m = p.Checkpoints.B
	case C:
		m = p.Checkpoints.C
	}
	if m != Advisory && m != Shadow {
		return Blocking
	}
	return m
}

// NormalizePolicy reads a decoded JSON value as a policy. A value of the wrong
// type counts as absent, one that is no object altogether, and so does every
// key that it does not know.
func NormalizePolicy(raw any) Policy {
	p := DefaultPolicy()
	m, _ := raw.(map[string]any)
	if c, ok := m["checkpoints"].(map[string]any); ok {
		for cp, mode := range map[string]*Mode{"A": &p.Checkpoints.A, "B": &p.Checkpoints.B, "C": &p.Checkpoints.C} {
			*mode = loose.One(c[cp], *mode, Blocking, Advisory, Shadow)
		}
	}
	if n := loose.Whole(m["maxAttempts"]); n > 0 {
		p.MaxAttempts = loose.Floor(float64(n))
	}
	if n, ok := loose.Number(m["rebaseCap"]); ok && n >= 0 {
		p.RebaseCap = loose.Floor(n)
	}
	if n, ok := loose.Number(m["muteHours"]); ok && n >= 0 && n < 1e6 {
		p.MuteHours = n
	}
	if b, ok := m["requireFreshBase"].(bool); ok {
		p.RequireFreshBase = b
	}
	if b, ok := m["shadowHumanOverride"].(bool); ok {
		p.ShadowHumanOverride = b
	}
	return p
}

// PolicyAfter is the policy that holds after events, where p held before them.
func PolicyAfter(p Policy, events []Event) Policy {
	for i := range events {
		p = events[i].policy(p)
	}
	return p
}

// policy is the one that the event is held against.
func (e *Event) policy(p Policy) Policy {
	if e.Type == PolicyChanged && e.Policy != nil {
		return *e.Policy
	}
	return p
}
