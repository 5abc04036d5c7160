package effect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/pr"
)

const head pr.SHA = "1f0c9a2e00000000000000000000000000000000"

// One row for each type: its name, its key, its line of words.
var effects = []struct {
	effect          Effect
	typ, key, words string
}{
	{
		RequestReview{Reviewer: pr.CopilotReviewer, Head: head, Try: 1},
		"request_review", "review:copilot-pull-request-reviewer@1f0c9a2#1",
		"ask copilot-pull-request-reviewer to review 1f0c9a2",
	},
	{
		RequestReview{Reviewer: pr.CopilotReviewer, Head: head, Again: true, Try: 2},
		"request_review", "review:copilot-pull-request-reviewer@1f0c9a2#2",
		"ask copilot-pull-request-reviewer again to review 1f0c9a2",
	},
	{
		Mention{Reviewer: pr.CopilotAgent, Head: head, Try: 2, Body: "x"},
		"mention", "mention:copilot-swe-agent@1f0c9a2#2", "mention copilot-swe-agent to review 1f0c9a2",
	},
	{Rerun{Job: 9, Run: 3, Head: head}, "rerun", "rerun:9@1f0c9a2", "run job 9 again at 1f0c9a2"},
	{TakeOver{Issue: 41}, "take_over", "take-over:41", "take over the quest of issue 41"},
	{React{Comment: 12, Content: pr.PlusOne}, "react", "react:12@+1", "answer comment 12 with +1"},
	{MarkReady{Head: head}, "mark_ready", "ready@1f0c9a2", "mark 1f0c9a2 ready for review"},
	{
		Comment{Topic: "checks_failed", Head: head, Body: "x"},
		"comment", "comment:checks_failed@1f0c9a2", "comment on checks_failed at 1f0c9a2",
	},
	{Revert{PR: 7, Commit: head, Try: 2}, "revert", "revert:1f0c9a2#2", "open the revert of #7, merged as 1f0c9a2"},
	{UpdateStatus{Digest: "ab"}, "update_status", "status:ab", "update the status comment"},
	{
		Hide{CommentID: "IC_1", Topic: "converged", Head: head},
		"hide", "hide:IC_1", "hide the comment on converged at 1f0c9a2",
	},
	{
		Record{PR: 7, Head: head, Reviewer: pr.CopilotReviewer, Day: "2026-11-30"},
		"record", "record:7:copilot-pull-request-reviewer@1f0c9a2",
		"count the review of 1f0c9a2 by copilot-pull-request-reviewer in the repository record",
	},
	{
		Record{Reviewer: pr.CopilotReviewer, QuotaUntil: "2026-12-01T00:00:00Z"},
		"record", "record:quota:copilot-pull-request-reviewer@2026-12-01T00:00:00Z",
		"note in the repository record that copilot-pull-request-reviewer has no quota until 2026-12-01T00:00:00Z",
	},
	{
		Reply{Thread: "PRRT_1", Head: head, Handoff: 2, Finding: "4f1c", Body: "x"},
		"reply", "reply:4f1c@1f0c9a2#2", "reply in the thread PRRT_1 at 1f0c9a2",
	},
	{
		Resolve{Thread: "PRRT_1", Head: head, Finding: "4f1c"},
		"resolve", "resolve:4f1c@1f0c9a2", "resolve the thread PRRT_1 at 1f0c9a2",
	},
	{Merge{Head: head, Base: "x", Method: pr.Squash, Way: Armed, Try: 1}, "merge", "merge@1f0c9a2#1", "merge 1f0c9a2 as soon as nothing holds it back (squash)"},
	{Merge{Head: head, Base: "x", Method: pr.Rebase, Way: Direct, Try: 2}, "merge", "merge@1f0c9a2#2", "merge 1f0c9a2 (rebase)"},
	{Merge{Head: head, Base: "x", Method: pr.Squash, Way: Queued, Try: 1}, "merge", "merge@1f0c9a2#1", "put 1f0c9a2 into the merge queue"},
	{DisarmMerge{Head: head, At: "2026-12-01T00:00:00Z"}, "disarm_merge", "disarm@1f0c9a2#2026-12-01T00:00:00Z", "take back the merge that was armed for 1f0c9a2"},
	{UpdateBranch{Head: head}, "update_branch", "update-branch@1f0c9a2", "bring 1f0c9a2 up to date with its base"},
	{DeleteBranch{Branch: "x", Head: head}, "delete_branch", "delete-branch@1f0c9a2", "delete the head branch at 1f0c9a2"},
}

func TestEveryEffectHasItsNameKeyAndWords(t *testing.T) {
	for _, e := range effects {
		got := []string{e.effect.Type(), string(e.effect.Key()), e.effect.String()}
		if diff := cmp.Diff([]string{e.typ, e.key, e.words}, got); diff != "" {
			t.Errorf("%T (-want +got):\n%s", e.effect, diff)
		}
	}
}

// Whatever must happen again after a push has the head in its key.
func TestAKeyOfAHeadChangesWithTheHead(t *testing.T) {
	const other pr.SHA = "2b00000000000000000000000000000000000000"
	pairs := [][2]Effect{
		{RequestReview{Reviewer: "r", Head: head}, RequestReview{Reviewer: "r", Head: other}},
		{Mention{Reviewer: "r", Head: head}, Mention{Reviewer: "r", Head: other}},
		{Rerun{Job: 9, Head: head}, Rerun{Job: 9, Head: other}},
		{Merge{Head: head}, Merge{Head: other}},
		{DisarmMerge{Head: head}, DisarmMerge{Head: other}},
		{UpdateBranch{Head: head}, UpdateBranch{Head: other}},
		{DeleteBranch{Head: head}, DeleteBranch{Head: other}},
		{MarkReady{Head: head}, MarkReady{Head: other}},
		{Comment{Topic: "t", Head: head}, Comment{Topic: "t", Head: other}},
		{Record{PR: 1, Reviewer: "r", Head: head}, Record{PR: 1, Reviewer: "r", Head: other}},
		{Reply{Finding: "f", Head: head}, Reply{Finding: "f", Head: other}},
		{Resolve{Finding: "f", Head: head}, Resolve{Finding: "f", Head: other}},
	}
	for _, p := range pairs {
		if p[0].Key() == p[1].Key() {
			t.Errorf("%T has the key %s for two heads", p[0], p[0].Key())
		}
	}
}

func TestANoteIsKnownAgainByItsMarker(t *testing.T) {
	c := Comment{Topic: "checks_failed", Head: head}
	tests := []struct {
		name, body  string
		topic, head string
		ok          bool
	}{
		{"as it was written", "Words.\n" + c.Marker(), "checks_failed", "1f0c9a2", true},
		{"with the line ends that GitHub gives back", "Words.\r\n" + c.Marker() + "\r\n", "checks_failed", "1f0c9a2", true},
		{"no marker", "Words.", "", "", false},
		{"a marker that does not end the comment", c.Marker() + "\nWords.", "", "", false},
		{"a marker of another kind", "<!-- prloop:note review:x@1 -->", "", "", false},
		{"an unfinished marker", strings.TrimSuffix(c.Marker(), " -->"), "", "", false},
	}
	for _, tt := range tests {
		topic, h, ok := ParseNote(tt.body)
		if topic != tt.topic && tt.ok || string(h) != tt.head && tt.ok || ok != tt.ok {
			t.Errorf("%s: ParseNote = %q, %q, %v, want %q, %q, %v", tt.name, topic, h, ok, tt.topic, tt.head, tt.ok)
		}
	}
}

// Each hand-over is answered by itself, and facts knows the answer as ours by
// how its marker begins.
func TestAReplyHasItsMarker(t *testing.T) {
	want := []string{
		"<!-- prloop:reply reply:4f1c@1f0c9a2#1 -->", "<!-- prloop:reply reply:4f1c@1f0c9a2#2 -->",
		"<!-- prloop:reply 2 0a1b2c3d -->",
	}
	got := []string{
		Reply{Finding: "4f1c", Head: head, Handoff: 1}.Marker(),
		Reply{Finding: "4f1c", Head: head, Handoff: 2}.Marker(),
		// Who makes the text may have made the marker, and that one counts.
		Reply{Finding: "4f1c", Head: head, Handoff: 2, Body: "<!-- prloop:reply 2 0a1b2c3d -->\r\nFixed."}.Marker(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIsReply(t *testing.T) {
	marker := Reply{Finding: "4f1c", Head: head, Handoff: 1}.Marker()
	tests := []struct {
		name, body string
		want       bool
	}{
		{"as it was written", "Fixed.\n\n" + marker, true},
		{"with the line ends that GitHub gives back", "Fixed.\r\n\r\n" + marker + "\r\n", true},
		{"with words below it", marker + "\nWords.", true},
		{"no marker", "Fixed.", false},
		{"a quotation", "> " + marker, false},
		{"a marker within a line", "See `" + marker + "`", false},
		{"a marker of another kind", Comment{Topic: "t", Head: head}.Marker(), false},
		{"an unfinished marker", strings.TrimSuffix(marker, " -->"), false},
	}
	for _, tt := range tests {
		if got := IsReply(tt.body); got != tt.want {
			t.Errorf("%s: IsReply = %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestARevertIsKnownByItsMarker(t *testing.T) {
	for body, want := range map[string]bool{
		"Words.\n\n" + Revert{Commit: head, Try: 3}.Marker():          true,
		"Words.\r\n" + Revert{Commit: head, Try: 1}.Marker() + "\r\n": true,
		"Words.": false,
		"Words. " + Revert{Commit: head, Try: 1}.Marker():                   false,
		Revert{Commit: "2b00000000000000000000000000000000000000"}.Marker(): false,
	} {
		if got := IsRevert(body, head); got != want {
			t.Errorf("IsRevert(%q) = %v, want %v", body, got, want)
		}
	}
}
