package facts_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
)

func TestSnapshotOfTheCopilotLoop(t *testing.T) {
	seven := 7
	base := func(change func(*copilot.Snapshot)) copilot.Snapshot {
		s := copilot.Snapshot{
			PRExists: true, PRNumber: &seven, CopilotReviewRequestStatus: "none", CIStatus: "success", MergeStateStatus: "CLEAN",
		}
		change(&s)
		return s
	}
	tests := []struct {
		name  string
		edits []edit
		want  copilot.Snapshot
	}{
		{"no pull request", []edit{snapshot(func(s *pr.Snapshot) { *s = pr.Snapshot{At: s.At, Number: 7} })}, copilot.Snapshot{CopilotReviewRequestStatus: "none", CIStatus: "none"}},
		{"an open one", nil, base(func(*copilot.Snapshot) {})},
		{"a draft", []edit{snapshot(func(s *pr.Snapshot) { s.Draft = true })}, base(func(s *copilot.Snapshot) { s.PRDraft = true })},
		{"merged", []edit{snapshot(func(s *pr.Snapshot) { s.State = pr.Merged })}, base(func(s *copilot.Snapshot) { s.PRMerged = true })},
		{"closed", []edit{snapshot(func(s *pr.Snapshot) { s.State = pr.Closed })}, base(func(s *copilot.Snapshot) { s.PRClosed = true })},
		{"in conflict", []edit{snapshot(func(s *pr.Snapshot) { s.MergeState = "DIRTY" })}, base(func(s *copilot.Snapshot) { s.MergeStateStatus = "DIRTY" })},
		{
			"in the middle of it",
			[]edit{
				copilotReview("R1", redBody, older, "10:30:00"), copilotReview("R2", errorNotice, head, "11:20:00"), copilotReview("R3", redBody, head, "11:30:00"),
				thread("T1", of("R1", said(reviewer, "A crash."))), thread("T2", of("R3", said(reviewer, "Consider it."))), thread("T3", said(mona, "Why?")),
				requested("11:40:00"), checks(run("test", "QUEUED")),
			},
			base(func(s *copilot.Snapshot) {
				s.CopilotReviewRequestStatus = "requested"
				s.CopilotReviewPresent, s.CopilotReviewOnCurrentHead = true, true
				s.UnresolvedThreadCount, s.ActionableThreadCount = 3, 1
				s.CIStatus = "pending"
				s.CopilotReviewRoundCount, s.LastCopilotRoundMaxSignal = 2, facts.Mid
				s.CopilotErrorReviewCountOnCurrentHead = 1
			}),
		},
		{
			"threads come before findings of the body, and all of them count",
			[]edit{copilotReview("R1", "Copilot reviewed 1 out of 1 changed files and generated 1 comment.\n\n### Suppressed comments (1)\n\n**a.go:1**\n* Typo.\n", head, "11:30:00"), thread("T1", of("R1", said(reviewer, "Typo.")))},
			base(func(s *copilot.Snapshot) {
				s.CopilotReviewPresent, s.CopilotReviewOnCurrentHead, s.CopilotBodyFeedbackUnresolved = true, true, true
				s.UnresolvedThreadCount, s.CopilotReviewRoundCount, s.LastCopilotRoundMaxSignal = 1, 1, facts.Low
			}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, derive(tt.edits...).Copilot); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

// benchmarks has what a busy pull request has: 100 threads, ten reviews, thirty
// checks.
func busy(threads int) facts.Input {
	var edits []edit
	for i := range 10 {
		edits = append(edits, copilotReview(fmt.Sprint("R", i), redBody+"\n<details>\n<summary>Previously missed (1)</summary>\n\n<details>\n<summary>Title</summary>\n\n`a.go:1`\n\nSome prose of the finding.\n</details>\n</details>\n", older, fmt.Sprintf("10:%02d:00", i)))
	}
	edits = append(edits, copilotReview("R10", redBody, head, "11:30:00"))
	for i := range threads {
		edits = append(edits, thread(fmt.Sprint("T", i), of("R10", said(reviewer, "The index is taken before the lock, so that two writers may get the same one. Take it inside, as the other callers do, and say so in the comment above. (`offset` is off by one too.)")), said(stranger, "Is that so?")))
	}
	var list []pr.Check
	for i := range 30 {
		list = append(list, run(fmt.Sprint("job ", i), "SUCCESS"))
	}
	return input(append(edits, checks(list...), job)...)
}

// The bar is that of the whole decision: 200 µs with 100 threads (design 12).
func BenchmarkDerive(b *testing.B) {
	for _, n := range []int{0, 100} {
		b.Run(fmt.Sprint(n, " threads"), func(b *testing.B) {
			in := busy(n)
			b.ReportAllocs()
			for b.Loop() {
				facts.Derive(in)
			}
		})
	}
}
