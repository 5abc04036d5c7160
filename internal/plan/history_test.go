package plan

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// A history is a pull request over time: what people, reviewers, checks and a
// fixer do to it, and what prloop remembers. It keeps its own books, so that no
// rule is held against itself.
type history struct {
	t       *rapid.T
	in      Input
	heads   int
	genuine int                 // reviews that count, by its own count
	landed  int                 // requests of prloop's that GitHub registered
	bodies  map[pr.SHA][]string // what Copilot said of each head, in order
	asked   time.Time           // the newest request; zero once it was answered
	steps   int
	mention time.Time // of codex, for this head; zero before there is one
	codex   []bool    // what it said of the head since: whether it approves
}

const (
	cleanBody    = "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟢 Approval recommended\n\nFine.\n\n**Review effort:** Lite  \n**Findings:** None"
	findingsBody = "<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟡 Changes recommended\n\nSome.\n\n**Review effort:** Lite  \n**Findings:** 1"
	unknownBody  = "## A new look\n\nHere is what we think of this change."
	errorBody    = "Copilot encountered an error and was unable to review this pull request. You can try again by re-requesting a review."
)

func newHistory(t *rapid.T) *history {
	h := &history{t: t, in: input(), bodies: map[pr.SHA][]string{}}
	plain := func(t string) string { return t }
	h.in.Quote = handoff.Quoting{Text: plain, Code: plain}
	set := &h.in.Settings
	set.Refinement.MaxCopilotRounds = rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "cap")
	set.Refinement.StopOnLowSignal = rapid.Bool().Draw(t, "low signal")
	set.Budgets.ReviewsPerPullRequest = rapid.SampledFrom([]int{2, 4, 10}).Draw(t, "budget")
	set.Recap.Interval = rapid.SampledFrom([]int{2, 3, 10}).Draw(t, "interval")
	set.Fixer = rapid.SampledFrom([]config.Fixer{config.Job, config.People}).Draw(t, "fixer")
	set.SingleIteration = rapid.SampledFrom([]config.Single{config.SingleAuto, config.SingleOff, config.SingleOn}).Draw(t, "single")
	set.CleanRounds = rapid.SampledFrom([]config.CleanRounds{1, 1, 2, 3}).Draw(t, "clean rounds")
	set.Convergence = rapid.SampledFrom([]config.Convergence{config.Hardened, config.Hardened, config.Hardened, config.Literal}).Draw(t, "convergence")
	set.MinSeverity = rapid.SampledFrom([][]config.Severity{nil, nil, {config.Mid}, {config.Low, config.Mid, config.High}}).Draw(t, "severity")
	if rapid.Bool().Draw(t, "final pass") {
		set.Reviewers.Codex.Mode, set.Reviewers.Codex.PostCommentsToPR = config.FinalOnly, true
	}
	return h
}

// events are what can happen between two steps.
var events = []struct {
	name string
	do   func(*history)
}{
	{"push", (*history).push},
	{"a clean review", func(h *history) { h.review(h.in.Snapshot.Head, cleanBody, 0) }},
	{"a review with threads", func(h *history) { h.review(h.in.Snapshot.Head, findingsBody, 1) }},
	{"a review with threads", func(h *history) { h.review(h.in.Snapshot.Head, findingsBody, 2) }},
	{"a body of a new form", func(h *history) { h.review(h.in.Snapshot.Head, unknownBody, 0) }},
	{"an error notice", func(h *history) { h.review(h.in.Snapshot.Head, errorBody, 0) }},
	{"a late review of an old head", func(h *history) { h.review(headB, cleanBody, 0) }},
	{"a person's thread", func(h *history) { h.thread(pr.Actor{Login: "mona"}, true, "") }},
	{"a stranger's thread", func(h *history) { h.thread(pr.Actor{Login: "hubot"}, false, "") }},
	{"somebody speaks", (*history).speak},
	{"somebody resolves", (*history).resolve},
	{"somebody reopens", (*history).reopen},
	{"a request by hand", (*history).request},
	{"checks", (*history).checks},
	{"a page is missing", (*history).unread},
	{"a report", (*history).report},
	{"a report", (*history).report},
	{"the last reviewer approves", func(h *history) { h.says("Didn't find any major issues.", true) }},
	{"the last reviewer approves", func(h *history) { h.says("Didn't find any major issues.", true) }},
	{"the last reviewer objects", func(h *history) { h.says("Please fix the error path first.", false) }},
	{"time", func(*history) {}},
}

func (h *history) push() {
	s := h.in.Snapshot
	h.heads++
	s.Head = pr.SHA(fmt.Sprintf("%07x%033d", 0xabc000+h.heads, h.heads))
	s.HeadSuiteAt = s.At
	h.mention, h.codex = time.Time{}, nil
	for i := range s.Threads {
		s.Threads[i].Outdated = true
	}
}

func (h *history) says(body string, approves bool) {
	s := h.in.Snapshot
	s.Comments = append(slices.Clip(s.Comments), pr.Comment{ID: fmt.Sprint("IC_", len(s.Comments)), Author: codex, Body: body, CreatedAt: s.At})
	if !h.mention.IsZero() && s.At.After(h.mention) {
		h.codex = append(h.codex, approves)
	}
}

func (h *history) review(of pr.SHA, body string, threads int) {
	s := h.in.Snapshot
	id := fmt.Sprint("PRR_", len(s.Reviews))
	s.Reviews = append(s.Reviews, pr.Review{ID: id, Author: copilotActor, State: pr.Commented, Commit: of, SubmittedAt: s.At, Body: body})
	h.bodies[of] = append(h.bodies[of], body)
	if body == cleanBody || body == findingsBody {
		h.genuine++
	}
	h.asked = time.Time{}
	for range threads {
		h.thread(copilotActor, false, id)
	}
}

func (h *history) thread(by pr.Actor, trusted bool, review string) {
	s := h.in.Snapshot
	n := len(s.Threads)
	text := rapid.SampledFrom([]string{"This can be nil.", "This loop never ends.", "Typo.", "Low severity: a typo."}).Draw(h.t, "text")
	s.Threads = append(s.Threads, pr.Thread{ID: fmt.Sprint("PRRT_", n), Path: "a.go", Line: n + 1, Comments: []pr.ThreadComment{{
		ID: fmt.Sprint("PRRC_", n), Author: by, Trusted: trusted, Body: text, CreatedAt: s.At, ReviewID: review,
	}}})
}

// one picks a thread; nil where there is none.
func (h *history) one() *pr.Thread {
	list := h.in.Snapshot.Threads
	if len(list) == 0 {
		return nil
	}
	t := &list[rapid.IntRange(0, len(list)-1).Draw(h.t, "thread")]
	t.Comments = slices.Clone(t.Comments)
	return t
}

func (h *history) speak() {
	if t := h.one(); t != nil {
		who := rapid.SampledFrom([]pr.Actor{{Login: "mona"}, copilotActor}).Draw(h.t, "who")
		t.Comments = append(t.Comments, pr.ThreadComment{ID: fmt.Sprint(t.ID, len(t.Comments)), Author: who, Trusted: !who.Bot, Body: "And this?", CreatedAt: h.in.Snapshot.At})
	}
}

func (h *history) resolve() {
	if t := h.one(); t != nil {
		t.Resolved = true
	}
}

func (h *history) reopen() {
	if t := h.one(); t != nil {
		t.Resolved = false
	}
}

func (h *history) request() {
	s := h.in.Snapshot
	s.Events = append(s.Events, pr.Event{Kind: pr.ReviewRequested, At: s.At, Reviewer: copilotActor})
	h.asked = s.At
}

func (h *history) checks() {
	check(rapid.SampledFrom([]string{"SUCCESS", "SUCCESS", "FAILURE", ""}).Draw(h.t, "conclusion"))(&h.in)
}

// unread lets a fact go missing, or be there again.
func (h *history) unread() {
	s := h.in.Snapshot
	if len(s.Unknown) > 0 {
		s.Unknown = nil
		return
	}
	f := rapid.SampledFrom([]pr.Fact{pr.FactReviews, pr.FactThreads, pr.FactRequests, pr.FactEvents, pr.FactComments, pr.FactChecks}).Draw(h.t, "fact")
	s.Unknown = []pr.Unknown{{Fact: f, Why: "a page is missing"}}
}

// report answers the newest hand-over: its findings, or the recap.
func (h *history) report() {
	j := h.in.Journal
	if len(j.Handoffs) == 0 {
		return
	}
	out := j.Handoffs[len(j.Handoffs)-1]
	s := h.in.Snapshot
	r := handoff.Report{Handoff: handoff.Ref{PR: s.Number, Head: out.Head, Number: out.Number}, Head: s.Head, Step: handoff.Step(out.Step), Status: handoff.Complete}
	if r.Step == handoff.Recap {
		r.Recap = &handoff.RecapAnswer{Verdict: rapid.SampledFrom(handoff.Verdicts()).Draw(h.t, "verdict")}
		if r.Recap.Verdict == handoff.RevertAndShip {
			r.Recap.Rounds = []int{1}
		}
	} else {
		for _, f := range Decide(h.in).Facts.Awaiting {
			action := rapid.SampledFrom([]handoff.Action{handoff.Decline, handoff.FixIt, handoff.Escalate, handoff.Drift}).Draw(h.t, "action")
			r.Items = append(r.Items, handoff.Item{Finding: f.ID, Action: action, Rationale: "The caller checks it before, in open().", Commit: s.Head})
		}
	}
	h.step(Take(h.in, Claim{Report: r, Commits: []pr.SHA{s.Head}, CommitsKnown: true}), true)
}

// step checks a plan, carries it out and lays the outcome over the world.
func (h *history) step(p Plan, report bool) {
	h.steps++
	h.holds(p)
	if report && (p.Account == nil || p.Account.Verdict.Kind != handoff.Accepted) {
		return
	}
	var results []effect.Result
	for _, e := range p.Effects {
		r := effect.Result{Effect: e, Outcome: effect.Done, At: h.in.Snapshot.At}
		if _, ok := e.(effect.RequestReview); ok {
			r.Request = rapid.SampledFrom([]effect.RequestResult{effect.Landed, effect.Landed, effect.Landed, effect.Dropped, effect.Forbidden}).Draw(h.t, "request")
			if r.Request == effect.Landed {
				h.landed++
				h.asked = h.in.Snapshot.At
			} else {
				r.Outcome = effect.Failed
			}
		}
		if m, ok := e.(effect.Mention); ok {
			r.Request, h.landed, h.mention, h.codex = effect.Landed, h.landed+1, h.in.Snapshot.At, nil
			if m.Reviewer != codex.Login || m.Head != h.in.Snapshot.Head {
				h.t.Fatalf("%s is mentioned about %s", m.Reviewer, m.Head)
			}
		}
		results = append(results, r)
	}
	j := Settle(Enter(h.in.Journal, h.in, p), h.in, p, results, h.in.Snapshot.At)
	j.PR, j.Rev = 7, h.in.Journal.Rev+1
	h.in = After(h.in, j, results)
}

// holds are the invariants, by the history's own books.
func (h *history) holds(p Plan) {
	set, s := h.in.Settings, h.in.Snapshot
	for _, e := range p.Effects {
		if _, ok := e.(effect.Mention); ok && h.landed >= set.Budgets.ReviewsPerPullRequest {
			h.t.Fatalf("review %d is asked for, and the budget is %d", h.landed+1, set.Budgets.ReviewsPerPullRequest)
		}
		if _, ok := e.(effect.RequestReview); !ok {
			continue
		}
		if most := set.Refinement.MaxCopilotRounds; most > 0 && h.genuine >= most {
			h.t.Fatalf("a review is asked for after %d of %d rounds: %s by %s", h.genuine, most, p.Code, p.Row)
		}
		if h.landed >= set.Budgets.ReviewsPerPullRequest {
			h.t.Fatalf("review %d is asked for, and the budget is %d", h.landed+1, set.Budgets.ReviewsPerPullRequest)
		}
		if r := h.in.Journal.Recap; h.genuine >= set.Recap.Interval && (r == nil || h.genuine/set.Recap.Interval > r.Round/set.Recap.Interval || r.Verdict == "" || r.Verdict == string(handoff.HandOff)) {
			h.t.Fatalf("a review is asked for after %d rounds with the recap %+v", h.genuine, r)
		}
	}
	if !p.Converged.Converged {
		if p.Proof != nil {
			h.t.Fatalf("%s has a proof and has not converged", p.Code)
		}
		return
	}
	converged++
	kinds[p.Converged.Kind]++
	for _, f := range []pr.Fact{pr.FactReviews, pr.FactThreads, pr.FactRequests, pr.FactEvents, pr.FactComments, pr.FactChecks} {
		if s.Missing(f) != nil {
			h.t.Fatalf("%s (%s) with the %s unread", p.Code, p.Converged.Kind, f)
		}
	}
	if !h.asked.IsZero() && !h.asked.Before(s.HeadSuiteAt) && s.At.Before(h.asked.Add(set.ReviewWait())) {
		h.t.Fatalf("%s (%s) while the review that was asked for at %s is awaited", p.Code, p.Converged.Kind, h.asked)
	}
	if b := h.bodies[s.Head]; len(b) > 0 && b[len(b)-1] == unknownBody {
		h.t.Fatalf("%s (%s), and nobody can read the newest review of the head", p.Code, p.Converged.Kind)
	}
	if p.Converged.Kind == round.Review && !slices.Contains(h.bodies[s.Head], cleanBody) && !slices.Contains(h.bodies[s.Head], findingsBody) {
		h.t.Fatalf("%s, and nobody reviewed the head", p.Code)
	}
	left := 0
	for i := range s.Threads {
		t := &s.Threads[i]
		switch {
		case !h.awaits(t):
		case h.below(t):
			left++
		default:
			h.t.Fatalf("%s (%s), and %s awaits an answer", p.Code, p.Converged.Kind, t.ID)
		}
	}
	if p.Proof == nil || len(p.Proof.LeftByMinSeverity) != left || left > 0 && !slices.Contains([]string{round.BelowMin, round.LowSignal, round.CapFallback, round.Single}, p.Converged.Kind) {
		h.t.Fatalf("%s (%s): %d findings are left by minSeverity, and the proof is %+v", p.Code, p.Converged.Kind, left, p.Proof)
	}
	if b := h.bodies[s.Head]; p.Converged.Kind == round.Review && set.CleanRounds > 1 {
		b = slices.DeleteFunc(slices.Clone(b), func(b string) bool { return b != cleanBody && b != findingsBody })
		if n := int(set.CleanRounds); len(b) < n || slices.Contains(b[len(b)-n:], findingsBody) {
			h.t.Fatalf("%s with cleanRounds: %d, and the head's reviews are %q", p.Code, n, b)
		}
	}
	if set.Reviewers.Codex.Mode == config.FinalOnly && p.Converged.Kind != round.Single {
		lasts++
		if n := len(h.codex); n == 0 || !h.codex[n-1] && p.Converged.Kind == round.Review {
			h.t.Fatalf("%s (%s), and in the final pass codex said %v", p.Code, p.Converged.Kind, h.codex)
		}
	}
}

// below: minSeverity leaves it at this round. Nobody but bots spoke in it.
func (h *history) below(t *pr.Thread) bool {
	list := h.in.Settings.MinSeverity
	if len(list) == 0 || list[min(max(h.genuine, 1), len(list))-1] == config.Low {
		return false
	}
	return t.Comments[0].Body == "Low severity: a typo." && !slices.ContainsFunc(t.Comments, func(c pr.ThreadComment) bool { return !c.Author.Bot })
}

// awaits: it is open, somebody whose word counts spoke last, and that was no
// answer: people who fix answer the threads of bots.
func (h *history) awaits(t *pr.Thread) bool {
	opener, last := t.Comments[0], t.Comments[len(t.Comments)-1]
	counts := func(c pr.ThreadComment) bool { return c.Trusted || c.Author.Bot }
	people := h.in.Settings.Fixer == config.People && opener.Author.Bot && last.Trusted && !last.Author.Bot
	return !t.Resolved && !last.Mine && (counts(opener) || counts(last)) && !people
}

var (
	converged int
	lasts     int // of these with a final pass
	kinds     = map[string]int{}
)

// Over random histories of one pull request: never more reviews than the cap and
// the budget allow, none past a recap that nobody answered; never converged with
// a thread that awaits us, a review on its way, an unread page or a body that
// nobody can read; and the same input gives the same plan.
func TestRandomHistories(t *testing.T) {
	histories, steps := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		for range rapid.IntRange(5, 30).Draw(t, "length") {
			s := *h.in.Snapshot // what a step saw stays as it was
			s.At = s.At.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "minutes")) * time.Minute)
			s.Threads, s.Reviews, s.Events, s.Checks = slices.Clone(s.Threads), slices.Clone(s.Reviews), slices.Clone(s.Events), slices.Clone(s.Checks)
			h.in.Snapshot = &s
			e := rapid.SampledFrom(events).Draw(t, "event")
			e.do(h)
			p := Decide(h.in)
			if again := Decide(h.in); !cmp.Equal(p.Effects, again.Effects) || p.Code != again.Code || p.Why != again.Why || p.ProofText != again.ProofText {
				t.Fatalf("the same input gives %s (%s) and %s (%s)", p.Code, p.Why, again.Code, again.Why)
			}
			h.step(p, false)
		}
		histories, steps = histories+1, steps+h.steps
	})
	t.Logf("%d histories, %d steps, %d of them converged (%d with a final pass): %v", histories, steps, converged, lasts, kinds)
	if !t.Failed() && (histories < 50 || len(kinds) < 4) {
		t.Errorf("these histories show too little: %v", kinds)
	}
}
