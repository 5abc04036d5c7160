package round

// A Step9 is what seed 003 judges convergence by, in its own names: one look at
// the pull request by the step "Convergence verify".
type Step9 struct {
	State   string // OPEN, CLOSED or MERGED, in GitHub's words
	HeadOID string
	// SingleIteration: the review could not be asked for, so nobody waits for one.
	SingleIteration bool
	// CopilotPending: a review is asked for or under way, for whatever head.
	CopilotPending bool
	// LatestCopilotReview is the newest one of the head, else the newest of all;
	// nil where there is none.
	LatestCopilotReview *LatestReview
	// NoNewComments: its body says that it found nothing.
	NoNewComments bool
	// OpenThreadCount counts all unresolved threads. No guard asks for it: what
	// was answered and left open is listed in the proof.
	OpenThreadCount int
	// OpenThreadsAwaitingReply counts those in which somebody else spoke last;
	// below zero: unknown, which is not none.
	OpenThreadsAwaitingReply int
	// TriggeredOnce: step 1 has run. Before that guard 4 means nothing.
	TriggeredOnce bool
}

// A LatestReview is a review of Copilot's as seed 003 looks at it.
type LatestReview struct {
	CommitOID   string
	SubmittedAt string // it stands in the proof; no guard asks for it
	State       string // in GitHub's words
}

// An Outcome is what the guards say.
type Outcome struct {
	// Converged is the literal form, Hardened the one that prloop goes by.
	Converged bool `json:"converged"`
	Guard     int  `json:"guard"`
	Hardened  bool `json:"hardened"`
	// Missing are what the guard's hardened form asks for and has not, in the
	// order of the design; never nil.
	Missing []string `json:"missing"`
}

// guards are step 9 of seed 003, in its order: the first one that applies
// decides. asks are the conditions of the literal form, hard those that the
// hardened form adds (reference: contradictions C2, C4 and C5).
var guards = []struct {
	id      int
	says    string
	applies func(Step9) bool
	asks    []asked
	hard    []asked
}{
	{1, "the pull request is not open", func(s Step9) bool { return s.State != "OPEN" }, []asked{isOpen}, nil},
	{2, "single iteration", func(s Step9) bool { return s.SingleIteration }, []asked{noThreads}, nil},
	{3, "a review is there, or pending", reviewedOrPending, []asked{atHead, nothingNew, noThreads}, []asked{counts, notPending}},
	{4, "never reviewed, and not pending", func(Step9) bool { return true }, []asked{noThreads}, []asked{counts, triggered}},
}

func reviewedOrPending(s Step9) bool { return s.LatestCopilotReview != nil || s.CopilotPending }

// asked is a condition of a guard, by its name in the answer.
type asked struct {
	name  string
	holds func(Step9) bool
}

var (
	isOpen     = asked{"open", func(s Step9) bool { return s.State == "OPEN" }}
	counts     = asked{"review", func(s Step9) bool { return s.LatestCopilotReview.counts() }}
	atHead     = asked{"review_at_head", func(s Step9) bool { return s.LatestCopilotReview.at(s.HeadOID) }}
	nothingNew = asked{"no_new_comments", func(s Step9) bool { return s.NoNewComments }}
	notPending = asked{"not_pending", func(s Step9) bool { return !s.CopilotPending }}
	noThreads  = asked{"threads", func(s Step9) bool { return s.OpenThreadsAwaitingReply == 0 }}
	triggered  = asked{"trigger", func(s Step9) bool { return s.TriggeredOnce }}
)

// answerOrder is the order of Outcome.Missing (design 10).
var answerOrder = []asked{isOpen, counts, atHead, nothingNew, notPending, noThreads, triggered}

// counts: a review that was taken back, or that is not submitted, is none.
func (r *LatestReview) counts() bool {
	return r != nil && r.State != "DISMISSED" && r.State != "PENDING"
}

// at: a commit that nobody knows is no head's.
func (r *LatestReview) at(head string) bool {
	return r != nil && head != "" && r.CommitOID == head
}

// Verify judges one look by the guards of seed 003. Guard 4 never holds in the
// hardened form, whatever was asked for: nobody reviewed.
func Verify(s Step9) Outcome {
	for _, g := range guards {
		if !g.applies(s) {
			continue
		}
		out := Outcome{Guard: g.id, Converged: true, Hardened: true, Missing: []string{}}
		lacks := map[string]bool{}
		for _, a := range g.asks {
			if !a.holds(s) {
				out.Converged, out.Hardened, lacks[a.name] = false, false, true
			}
		}
		for _, a := range g.hard {
			if !a.holds(s) {
				out.Hardened, lacks[a.name] = false, true
			}
		}
		for _, a := range answerOrder {
			if lacks[a.name] {
				out.Missing = append(out.Missing, a.name)
			}
		}
		return out
	}
	panic("round: no guard applies; the table has lost its last row")
}
