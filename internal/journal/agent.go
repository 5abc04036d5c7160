package journal

import (
	"cmp"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// An Agent is where the loop with Copilot's coding agent stands (seed 001, Mode
// Y): lastHandledHeadOid and lastTriggerAt, with what they belong to.
type Agent struct {
	// Base is the head that was judged last; before there is one, the head that
	// the agent was asked at first.
	Base     pr.SHA    `json:"base"`
	JudgedAt time.Time `json:"judgedAt,omitzero"`
	// Head, About and At are of the newest mention that no verdict has answered:
	// the head, the marks of the findings that it named, and when it was made.
	// Head is empty where none stands.
	Head  pr.SHA    `json:"head,omitempty"`
	About string    `json:"about,omitempty"`
	At    time.Time `json:"at,omitzero"`
	// Pushed is the newest head that is a commit of the agent's.
	Pushed pr.SHA `json:"pushed,omitempty"`
}

func compareAgents(x, y Agent) int {
	return cmp.Or(x.At.Compare(y.At), x.JudgedAt.Compare(y.JudgedAt), cmp.Compare(x.Base, y.Base), cmp.Compare(x.Head, y.Head),
		strings.Compare(x.About, y.About), cmp.Compare(x.Pushed, y.Pushed))
}
