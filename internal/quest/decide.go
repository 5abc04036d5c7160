package quest

import "fmt"

// A ruling is what becomes of a decision.
type ruling string

const (
	acts     ruling = "it acts"
	recorded ruling = "it is recorded, and moves nothing"
	toInbox  ruling = "it goes to the inbox, and moves nothing"
	invalid  ruling = "it is invalid"
)

// matrix is the decision matrix: who decides in which mode, and what becomes
// of approve, revise and reject. An automatic decision without evidence is
// invalid in every mode, and so is one that is late or for another checkpoint.
//
// Shadow is the seed's word by word: whatever the verdict, and whoever gave
// it; ShadowHumanOverride lets people act there.
var matrix = []ruleOfMode{
	{"blocking-person", Blocking, Person, acts, acts, acts},
	{"blocking-automatic", Blocking, Automatic, recorded, recorded, recorded},
	{"advisory-person", Advisory, Person, acts, acts, acts},
	{"advisory-automatic", Advisory, Automatic, acts, acts, toInbox},
	{"shadow-person", Shadow, Person, recorded, recorded, recorded},
	{"shadow-automatic", Shadow, Automatic, recorded, recorded, recorded},
}

// A ruleOfMode is one row of the decision matrix.
type ruleOfMode struct {
	id                      string
	mode                    Mode
	by                      By
	approve, revise, reject ruling
}

// rule returns what becomes of a decision, and why where it is invalid.
func (m *machine) rule(q *Quest, e *Event, p *Policy) (ruling, string) {
	if why := decisionFault(q, e); why != "" {
		return invalid, why
	}
	by := decider(e)
	mode := p.mode(e.CP)
	if mode == Shadow && by == Person && p.ShadowHumanOverride {
		mode = Blocking
	}
	for i := range m.matrix {
		r := &m.matrix[i]
		if r.mode != mode || r.by != by {
			continue
		}
		for k, v := range []Verdict{Approve, Revise, Reject} {
			if e.Verdict == v {
				return [...]ruling{r.approve, r.revise, r.reject}[k], ""
			}
		}
	}
	return invalid, fmt.Sprintf("the verdict %q is none of approve, revise, reject", e.Verdict)
}

// decisionFault says why a decision cannot be one on this quest, whatever the
// policy, or "".
func decisionFault(q *Quest, e *Event) string {
	cp := checkpointOf(q.State)
	switch by := decider(e); {
	case e.CP != cp:
		return fmt.Sprintf("it is for checkpoint %q, and the quest is at %q", e.CP, cp)
	case q.PlanPending:
		return "the plan is being written anew"
	case by != Person && by != Automatic:
		return "it does not say whether a person or an automatic decision it was (by)"
	case by == Automatic && len(e.Evidence) == 0:
		return "an automatic decision needs evidence"
	case e.Rev != 0 && e.Rev != q.Rev:
		return fmt.Sprintf("it is on revision %d, and the quest is at %d", e.Rev, q.Rev)
	case e.Verdict == Approve && cp == C:
		return bindingFault(q, e.Binding)
	default:
		return ""
	}
}

// decider says who decided; a decision with an actor and nothing else is a
// person's.
func decider(e *Event) By {
	if e.By == "" && e.Actor != "" {
		return Person
	}
	return e.By
}

// bindingFault says why an approval of C is of something else than what is
// proved now, or "".
func bindingFault(q *Quest, b *Binding) string {
	switch {
	case q.Proof == nil:
		return "there is no proof to approve"
	case b == nil:
		return ""
	case b.Rev != 0 && b.Rev != q.Rev:
		return fmt.Sprintf("it approves revision %d, and the quest is at %d", b.Rev, q.Rev)
	case b.Digest != "" && b.Digest != q.Proof.Digest:
		return "it approves another proof than the present one"
	case b.Base != "" && b.Base != q.Base:
		return fmt.Sprintf("it approves base %q, and the base is %q", b.Base, q.Base)
	case b.Head != "" && b.Head != q.PatchHead:
		return fmt.Sprintf("it approves head %q, and the head is %q", b.Head, q.PatchHead)
	default:
		return ""
	}
}
