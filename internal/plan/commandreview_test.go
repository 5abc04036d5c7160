package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// codexJob: Codex reviews each head by a job, and nobody else does.
func codexJob(in *Input) {
	in.Settings.Reviewers.Copilot.Mode, in.Settings.Reviewers.Codex.Mode = config.Off, config.EachIter
}

// selfLast: claudeSelf reviews at the end, by a job.
func selfLast(in *Input) { in.Settings.Reviewers.ClaudeSelf.Mode = config.FinalOnly }

func jobOut(name string, edits ...func(*journal.Handoff)) func(*Input) {
	return func(in *Input) {
		if in.Memory != journal.MemoryFound {
			known(in)
		}
		n := len(in.Journal.Handoffs) + 1
		h := journal.Handoff{Number: n, Head: headA, Step: facts.StepReview, Reviewer: name, At: opened, Deadline: opened.Add(time.Hour)}
		for _, e := range edits {
			e(&h)
		}
		in.Journal.Handoffs, in.Journal.HandedOver = append(in.Journal.Handoffs, h), n
	}
}

func jobSaid(name string, clean bool, score int) func(*Input) {
	return func(in *Input) {
		in.Memory = journal.MemoryFound
		in.Journal.Told = append(in.Journal.Told, journal.Told{Topic: facts.ReviewTopic(name, clean, score), Head: headA})
	}
}

// What a step does about a reviewer that is a job, in a round and at the end.
func TestAJobAsAReviewer(t *testing.T) {
	t.Parallel()
	past := func(h *journal.Handoff) { h.Deadline = opened.Add(time.Minute) }
	blocked := func(h *journal.Handoff) { h.Parked = string(ReviewerBlocked) + "@" + string(headA) }
	optional := func(in *Input) { in.Settings.Reviewers.ClaudeSelf.Optional = true }
	beside := func(in *Input) {
		codexJob(in)
		in.Settings.Reviewers.Copilot.Mode = config.EachIter
	}
	for _, c := range []struct {
		says    string
		in      Input
		want    Code
		job     string // that is started
		effects int
	}{
		{"a round asks it", input(codexJob), CommandReviewDue, "codex", 0},
		{"once the checks are green", input(codexJob, check("")), WaitingForCI, "", 0},
		{"Copilot is asked in the same step", input(beside), CommandReviewDue, "codex", 2},
		{"it is asked beside a Copilot that was", input(beside, known, edit(requested)), CommandReviewDue, "codex", 0},
		{"a sweep starts none", input(codexJob, func(in *Input) { in.Sweep = true }), HandoffDue, "", 0},
		{"nor does a run that takes a report", input(codexJob, known, func(in *Input) { in.Reporting = true }), HandoffDue, "", 0},
		{"Copilot is asked by a sweep all the same", input(beside, func(in *Input) { in.Sweep = true }), ReviewRequested, "", 2},
		{"the budget of hand-overs holds", input(codexJob, known, func(in *Input) { in.Journal.HandedOver = 10 }), BudgetExhausted, "", 0},
		{"a start is one", input(codexJob, func(in *Input) { in.StartsLeft = 0 }), BudgetExhausted, "", 0},
		{"a fork's head is nobody's yet", input(codexJob, edit(func(s *pr.Snapshot) { s.HeadRepo, s.Labels = "stranger/demo", []string{config.LabelEnrol} })), ForkHeadNotCleared, "", 0},
		{"it is waited for", input(codexJob, jobOut("codex")), CommandReviewOut, "", 0},
		{"it did not report", input(codexJob, jobOut("codex", past)), CommandReviewDue, "codex", 0},
		{"it did not report twice", input(codexJob, jobOut("codex", past), jobOut("codex", past)), NoReport, "", 0},
		{"it cannot", input(codexJob, jobOut("codex", blocked)), ReviewerBlocked, "", 0},
		{"it is content", input(codexJob, jobOut("codex"), jobSaid("codex", true, 0)), Converged, "", 0},
		{"it is not", input(codexJob, jobOut("codex"), jobSaid("codex", false, 0)), FeedbackOpen, "", 0},

		{"rounds come before the end", input(selfLast), ReviewRequested, "", 2},
		{"the end asks it", input(selfLast, known, edit(reviewed)), CommandReviewDue, "claudeSelf", 0},
		{"and waits", input(selfLast, jobOut("claudeSelf"), edit(reviewed)), CommandReviewOut, "", 0},
		{"once more", input(selfLast, jobOut("claudeSelf", past), edit(reviewed)), CommandReviewDue, "claudeSelf", 0},
		{"and no more", input(selfLast, jobOut("claudeSelf", past), jobOut("claudeSelf", past), edit(reviewed)), NoReport, "", 0},
		{"it cannot, at the end", input(selfLast, jobOut("claudeSelf", blocked), edit(reviewed)), ReviewerBlocked, "", 0},
		{"who is not required is passed over", input(selfLast, optional, jobOut("claudeSelf", blocked), edit(reviewed)), Converged, "", 0},
		{"it passes", input(selfLast, jobOut("claudeSelf"), edit(reviewed), jobSaid("claudeSelf", true, 5)), Converged, "", 0},
		{"it does not", input(selfLast, jobOut("claudeSelf"), edit(reviewed), jobSaid("claudeSelf", false, 3)), FinalPassDisagrees, "", 0},
		{"of another reviewer it says nothing", input(selfLast, known, edit(reviewed), jobSaid("codex", true, 5)), CommandReviewDue, "claudeSelf", 0},
	} {
		c.in.Settings.Notify = config.NotifyNone
		p := Decide(c.in)
		job := ""
		if p.Handoff != nil && p.Handoff.Step == facts.StepReview {
			job = p.Handoff.Reviewer
		}
		if p.Code != c.want || job != c.job || len(p.Effects) != c.effects {
			t.Errorf("%s: %s by %s (%s) starts %q with %v; want %s and %q", c.says, p.Code, p.Row, p.Why, job, p.Effects, c.want, c.job)
		}
	}
}

// The proof names the account in whose comment a job's review stands.
func TestTheProofOfAJobsReview(t *testing.T) {
	t.Parallel()
	in := input(codexJob, jobOut("codex"), jobSaid("codex", true, 0), edit(func(s *pr.Snapshot) { s.Viewer = pr.Actor{Login: "github-actions", Bot: true} }))
	if p := Decide(in); p.Proof == nil || p.Proof.Review == nil || p.Proof.Review.Author != "github-actions" {
		t.Errorf("%s (%s): the proof is %+v", p.Code, p.Why, p.Proof)
	}
}

// The report of a job is its review, of the head that it was asked about.
func TestTheReportOfAReviewersJob(t *testing.T) {
	t.Parallel()
	report := func(edits ...func(*handoff.Report)) Claim {
		r := handoff.Report{Handoff: handoff.Ref{PR: 7, Head: headA, Number: 1}, Head: headA, Step: handoff.Review, Status: handoff.Complete}
		for _, e := range edits {
			e(&r)
		}
		return Claim{Report: r}
	}
	score := func(n int) func(*handoff.Report) { return func(r *handoff.Report) { r.Score = n } }
	found := func(r *handoff.Report) {
		r.Findings = []handoff.Found{{Path: "a.go", Line: 3, Message: "nil", Severity: "HIGH"}}
	}
	ruling := func(v handoff.Ruling) func(*handoff.Report) {
		return func(r *handoff.Report) {
			r.Verdicts = []handoff.HunkVerdict{{File: "a.go", Range: "-1 +1", Verdict: v, Reason: "why"}}
		}
	}
	blocked := func(r *handoff.Report) { r.Status = handoff.Blocked }
	partial := func(r *handoff.Report) {
		r.Status, r.NextAction, r.NeedsExtensionMinutes = handoff.Unfinished, "read the lexer", 5
	}
	at := func(head pr.SHA) func(*journal.Handoff) { return func(h *journal.Handoff) { h.Head = head } }
	codex := func(more ...func(*Input)) Input {
		in := input(append([]func(*Input){codexJob, jobOut("codex")}, more...)...)
		in.Quote = quoting
		return in
	}
	self := func() Input {
		in := input(selfLast, jobOut("claudeSelf"), edit(reviewed))
		in.Quote = quoting
		return in
	}
	for _, c := range []struct {
		says  string
		in    Input
		claim Claim
		want  Code
		topic string
	}{
		{"nothing was found", codex(), report(), ReportAccepted, "review_by_codex_clean_0"},
		{"a finding", codex(), report(found), ReportAccepted, "review_by_codex_found_0"},
		{"every hunk is approved", codex(), report(ruling(handoff.Approve)), ReportAccepted, "review_by_codex_clean_0"},
		{"a hunk goes back", codex(), report(ruling(handoff.Pushback)), ReportAccepted, "review_by_codex_found_0"},
		{"a hunk is paused", codex(), report(ruling(handoff.Pause)), ReportAccepted, "review_by_codex_found_0"},
		{"a score below 5", codex(), report(score(4)), ReportAccepted, "review_by_codex_found_4"},
		{"5", codex(), report(score(5)), ReportAccepted, "review_by_codex_clean_5"},
		{"5 with a finding", codex(), report(score(5), found), ReportAccepted, "review_by_codex_found_5"},
		{"it cannot", codex(), report(blocked), ReviewerBlocked, ""},
		{"it needs more time", codex(), report(partial), ReportAccepted, ""},
		{"a rubric with a score", self(), report(score(5)), ReportAccepted, "review_by_claudeself_clean_5"},
		{"and without one", self(), report(), ReportStale, ""}, // refused
		{"it was taken before", codex(jobSaid("codex", true, 0)), report(found), ReportAccepted, ""},
		{"of an older head", func() Input { in := input(codexJob, jobOut("codex", at(headB))); in.Quote = quoting; return in }(), report(func(r *handoff.Report) { r.Handoff.Head = headB }), ReportStale, ""},
		{"it is a reviewer no more", func() Input { in := codex(); in.Settings = config.Defaults(); return in }(), report(), ReportStale, ""},
	} {
		p := Take(c.in, c.claim)
		topic := ""
		for _, e := range p.Effects {
			if note, ok := e.(effect.Comment); ok && strings.HasPrefix(note.Topic, "review_by_") {
				topic = note.Topic
				if again := facts.ReviewItems(note.Body); (len(again) > 0) != strings.Contains(topic, "_found_") {
					t.Errorf("%s: the comment has the items %q", c.says, again)
				}
			}
		}
		if p.Code != c.want || topic != c.topic {
			t.Errorf("%s: %s (%s) with %q, want %s with %q", c.says, p.Code, p.Why, topic, c.want, c.topic)
		}
	}
}
