package handoff

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

// JudgeAgent rules on every hunk that Copilot's coding agent pushed (Mode Y).
// It is the tamper guard's rubric where no finding was handed over: whatever
// asks for one that names the file holds, and that a file is named by none
// speaks against nothing. A push without any change is held (P2): all of
// nothing is never approved (autopilot D23).
func JudgeAgent(p Push, l Limits) []Hunk {
	anywhere := []facts.Finding{{}} // a finding without a place names every file, and points at none
	return Judge(p, anywhere, l)
}

// ReasonSilent stands at a hunk of which a review says nothing.
const ReasonSilent = "the review says nothing of it"

// Combine holds the rubric's rulings against those of a review job
// (copilotSwe.judge: report). The graver one of each hunk counts, so that
// neither takes back what the other holds. A hunk of which the review says
// nothing waits for a person: a missing verdict is no approval.
func Combine(rubric []Hunk, said []HunkVerdict) []Hunk {
	all := make([]Hunk, len(rubric))
	for i, h := range rubric {
		all[i] = h
		if h.File == "" {
			continue // about the push as a whole
		}
		v, ok := about(h, said)
		switch {
		case !ok:
			v = HunkVerdict{Verdict: Pause, Reason: ReasonSilent}
		case v.Verdict != Approve && v.Verdict != Pushback:
			v.Verdict = Pause
		}
		if gravity(v.Verdict) > gravity(h.Ruling) {
			all[i].Ruling, all[i].Reason, all[i].Rule = v.Verdict, v.Reason, ""
		}
	}
	return all
}

// about is the gravest thing that a review says of a hunk.
func about(h Hunk, said []HunkVerdict) (v HunkVerdict, ok bool) {
	for _, s := range said {
		if s.File == h.File && s.Range == h.Range && (!ok || gravity(s.Verdict) > gravity(v.Verdict)) {
			v, ok = s, true
		}
	}
	return v, ok
}

// gravity orders rulings; one that nobody knows is as grave as PAUSE.
func gravity(r Ruling) int {
	switch r {
	case Approve:
		return 0
	case Pushback:
		return 1
	case Pause:
	}
	return 2
}

// Sum is what rulings come to (seed 001, Y.10): any PAUSE pauses, else any
// PUSHBACK goes back to the agent, else all is approved. Of none at all nothing
// is known, which pauses.
func Sum(all []Hunk) Ruling {
	if len(all) == 0 {
		return Pause
	}
	sum := Approve
	for _, h := range all {
		if gravity(h.Ruling) > gravity(sum) {
			sum = h.Ruling
		}
	}
	if sum != Approve && sum != Pushback {
		return Pause
	}
	return sum
}

// A Judging is one judgement of the agent's commits.
type Judging struct {
	Iteration int // reviewIteration, from 1
	Head      pr.SHA
	// Rewritten: the head judged last is no ancestor of this one (a force-push),
	// so the change was taken from where both part.
	Rewritten bool
	Hunks     []Hunk
}

// A comment lists so many hunks, each with so many bytes of its reason: GitHub
// takes 65,536 characters, and the mention that sends hunks back repeats them.
const (
	maxShown  = 100
	maxReason = 300
)

// Comment is the verdict comment of seed 001 (Y.9): a heading with the
// iteration, the commit, how many hunks, a line for each, and the sum. File
// names and reasons are strangers' text and go through q. Nothing in it mentions
// anybody; whoever re-triggers the agent does that by a comment of its own.
func (r Judging) Comment(q Quoting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Review of the agent's commits, iteration %d\n\n", r.Iteration)
	hunks := 0
	for _, h := range r.Hunks {
		if h.File != "" {
			hunks++
		}
	}
	fmt.Fprintf(&b, "At %s, %s.", r.Head.Short(), plural(hunks, "hunk"))
	if r.Rewritten {
		b.WriteString(" The branch was rewritten, so the change is taken from where it parts from what was judged last.")
	}
	b.WriteString("\n\n")
	for i, h := range r.Hunks {
		if i == maxShown {
			fmt.Fprintf(&b, "- and %d more\n", len(r.Hunks)-maxShown)
			break
		}
		where := "the push as a whole"
		if h.File != "" {
			where = q.Code(h.File)
			if h.Range != "" {
				where += " " + q.Code(h.Range)
			}
		}
		fmt.Fprintf(&b, "- **%s** %s: %s\n", h.Ruling, where, q.Text(clip(h.Reason, maxReason)))
	}
	fmt.Fprintf(&b, "\n**Verdict: %s**", Sum(r.Hunks))
	return b.String()
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
