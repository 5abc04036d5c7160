package facts

import (
	"slices"

	"github.com/prloop/prloop/internal/pr"
)

// finalPass fills in what the reviewers of the final pass found at the head
// (seed 001, step 9a). Once that pass was begun, what has no thread is work for
// people too, so that it can be answered or dismissed; before, nobody asked.
// Where a person let the disagreement go on (resume), it is feedback.
func finalPass(in Input, f *Facts, answered func(Finding) bool, l leaving) {
	if len(f.Final) == 0 {
		return
	}
	f.Pass = begun(in, f.Final)
	through := false
	if r := in.Journal.Orders.Retried; r != nil && r.Head == in.Snapshot.Head {
		through = r.Through
	}
	for i := range f.Final {
		r := &f.Final[i]
		if r.IsCopilot() && f.AtHead != nil {
			r.Findings, r.Threads = f.AtHead.Findings, f.AtHead.Threads
		}
		r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), answered)
		if r.IsCopilot() { // what others say without a thread is a verdict
			r.Findings = l.takeOut(f, r.Findings)
		}
		if !f.Pass || len(r.Findings) == 0 {
			continue
		}
		f.Awaiting = append(f.Awaiting, r.Findings...)
		f.Copilot.CopilotBodyFeedbackUnresolved = f.Copilot.CopilotBodyFeedbackUnresolved || through
	}
}

// begun: the final pass of the head was begun, as the journal says: by itself,
// by a request that was made in it, or by the note on how it ended.
func begun(in Input, final []Reviewer) bool {
	j, head := in.Journal, in.Snapshot.Head
	if j.Pass != nil && j.Pass.Head == head {
		return true
	}
	for _, q := range j.Requests {
		if q.Head == head && slices.ContainsFunc(final, func(r Reviewer) bool { return r.Login() == q.Reviewer }) {
			return true
		}
	}
	for _, h := range j.Handoffs {
		if h.Head == head && h.Reviewer != "" && slices.ContainsFunc(final, func(r Reviewer) bool { return r.Name == h.Reviewer }) {
			return true
		}
	}
	for _, t := range j.Told {
		if t.Topic == PassDisagrees && pr.SHA(t.Head.Short()) == pr.SHA(head.Short()) {
			return true
		}
	}
	return false
}

// PassDisagrees is the topic of the note on a final pass that ended with an
// objection.
const PassDisagrees = "final_pass_disagrees"

// Opened reports whether the reviewer opened the thread.
func (r Reviewer) Opened(t *pr.Thread) bool { return len(t.Comments) > 0 && r.Is(t.Comments[0].Author) }
