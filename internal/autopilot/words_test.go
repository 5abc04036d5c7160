package autopilot

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadScore(t *testing.T) {
	tests := []struct {
		says, text string
		want       int // 0: none
	}{
		{"alone", "Score: 4", 4},
		{"out of five", "Some words.\n\nScore: 5/5\n", 5},
		{"in other forms of that", "score: 3 out of 5", 3},
		{"bold, with a sign", "**Score: 5/5** ✅", 5},
		{"as a heading", "## Score: 2 / 5", 2},
		{"the last one counts", "Score: 5/5\nLater:\nScore: 3/5", 3},
		{"no score", "All is well.", 0},
		{"nothing", "", 0},
		{"out of fifty", "Score: 5/50", 0},
		{"a fraction", "Score: 4.5", 0},
		{"a range", "Score: 1-5", 0},
		{"zero", "Score: 0/5", 0},
		{"six", "Score: 6", 0},
		{"within a sentence", "It has to end with Score: 5/5", 0},
		{"with a condition behind it", "Score: 5/5 once the tests pass", 0},
		{"a condition takes an earlier score back", "Score: 5/5\nScore: 2/5 because a test is missing", 0},
		{"in a quotation", "> Score: 5/5\n\nNo.", 0},
		{"in a fence", "```\nScore: 5/5\n```", 0},
		{"in a fence that does not end", "~~~\nScore: 5/5", 0},
		{"before a fence that does not end", "Score: 5/5\n~~~\nBut", 0},
		{"in indented code", "Look:\n\n    Score: 5/5", 0},
		{"behind a fence", "```\nScore: 1/5\n```\nScore: 4/5", 4},
		{"the words of the rule", "End with a line: Score: X/5", 0},
	}
	for _, tt := range tests {
		got, ok := ReadScore(Pattern(CursorScore), tt.text)
		if got != tt.want || ok != (tt.want > 0) {
			t.Errorf("%s: ReadScore(%q) = %d, %t, want %d", tt.says, tt.text, got, ok, tt.want)
		}
	}
	if got, ok := ReadScore(Pattern(CursorScore), "Score: 5/5\n"+strings.Repeat("x\n", maxWords)); ok {
		t.Errorf("a text that is not read to its end has the score %d", got)
	}
	if got, _ := ReadScore(Pattern(ReadinessScore), "Score: 1/5\nReadiness: 5/5"); got != 5 {
		t.Errorf("the pattern for readiness reads %d, want 5", got)
	}
}

func TestScorePattern(t *testing.T) {
	tests := []struct{ pattern, wrong string }{
		{CursorScore, ""},
		{ReadinessScore, ""},
		{`confidence score:\s*([1-5])/5`, ""},
		{`score: [1-5]`, "must have one group, which is the digit of the score"},
		{`(score): ([1-5])`, "must have one group, which is the digit of the score"},
		{`score: ([1-5]`, "is no regular expression that Go reads (RE2)"},
		{`(?=x)([1-5])`, "is no regular expression that Go reads (RE2)"},
		{`([1-5])?`, "fits a text without anything in it"},
		{strings.Repeat("x", 200) + "(1)", "has more than 200 bytes"},
	}
	for _, tt := range tests {
		if got := ScorePattern(tt.pattern); got != tt.wrong {
			t.Errorf("ScorePattern(%q) = %q, want %q", tt.pattern, got, tt.wrong)
		}
	}
}

func TestReadVerdict(t *testing.T) {
	tests := []struct {
		text string
		want Judgement
	}{
		{"LGTM", Approves},
		{"Looks good to me! Thanks.", Approves},
		{"Codex Review: Didn’t find any major issues. Keep them coming!", Approves},
		{"No blocking issues found.\nReady to merge.", Approves},
		{"No changes needed.", Approves},
		{"This is not approved.", Unclear},
		{"Not ready to merge.", Unclear},
		{"I would not say it looks good.", Unclear},
		{"Looks good, but the test is missing.", Unclear},
		{"Approved once the test is there.", Unclear},
		{"Is it ready to merge?", Unclear},
		{"It isn't approved", Unclear},
		{"It isn’t approved", Unclear},
		{"Unapproved.", Unclear},
		{"Disapproved.", Unclear},
		{"Please fix the null check. Otherwise it looks good.", Objects},
		{"LGTM\n\nTwo blockers: a and b.", Objects},
		{"Changes requested.", Objects},
		{"This is not approved yet. Please fix the null check.", Objects},
		{"Not approved. LGTM otherwise.", Unclear},
		{"> LGTM\n\nI read it.", Unclear},
		{"The button says \"approved\".", Unclear},
		{"The constant `approved` is unused.", Unclear},
		{"I have read it.", Unclear},
		{"", Unclear},
		{"LGTM\n```\nbut", Unclear},
	}
	for _, tt := range tests {
		if got := ReadVerdict(tt.text); got != tt.want {
			t.Errorf("ReadVerdict(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestReadNotice(t *testing.T) {
	tests := []struct {
		says, text string
		want       Notice // the zero one: it is none
	}{
		{
			"a rate window in a box, with its time",
			"> [!WARNING]\n> ## Rate limit exceeded\n>\n> @octocat has exceeded the limit. Please wait **14 minutes and 32 seconds** before requesting another review.",
			Notice{RateWindow, noon.Add(14*time.Minute + 32*time.Second)},
		},
		{"a rate window without a time", "Rate limit exceeded.", Notice{Kind: RateWindow}},
		{"a moment", "Usage limits are reached. Try again at 2026-11-30T15:00:00Z.", Notice{NoQuota, noon.Add(3 * time.Hour)}},
		{"a moment that is over", "You have reached your usage limits until 2026-11-29T15:00:00Z.", Notice{Kind: NoQuota}},
		{"a span beyond all quotas", "Rate limited, try again in 99999 days.", Notice{Kind: RateWindow}},
		{"quota", "Your monthly quota is exhausted.", Notice{Kind: NoQuota}},
		{"skipped, in a box", "> [!IMPORTANT]\n> ## Review skipped\n>\n> Draft detected.", Notice{Kind: Skipped}},
		{"paused", "## Reviews paused", Notice{Kind: Skipped}},
		{"an error", "The reviewer encountered an error. Try later.", Notice{Kind: Failed}},
		{"a refusal", "I cannot help with this.", Notice{Kind: Refused}},
		{"a refusal with the other apostrophe", "Sorry, I’m unable to review this repository.", Notice{Kind: Refused}},
		{"out of scope", "This is outside of my scope.", Notice{Kind: Refused}},
		{"its own words", "Bugbot is not enabled for this repository.", Notice{Kind: Refused}},
		{"a review", "This function can return nil.", Notice{}},
		{"what the code cannot do", "The caller cannot know that. Look at line 3.", Notice{}},
		{"far down", strings.Repeat("A finding. ", 8) + "I cannot say more.", Notice{}},
		{"nothing", "", Notice{}},
	}
	for _, tt := range tests {
		got, ok := ReadNotice(tt.text, Preset("cursor").Refusals, noon)
		if got != tt.want || ok != (tt.want != Notice{}) {
			t.Errorf("%s: ReadNotice(%q) = %v, %t, want %v", tt.says, tt.text, got, ok, tt.want)
		}
	}
}

// Whatever strangers write, the readers end, stay in their bounds, and text in
// front of a text never makes a score out of none. What is quoted says nothing.
func FuzzReaders(f *testing.F) {
	for _, s := range []string{
		"Score: 5/5", "LGTM", "> Score: 5", "```\nScore: 4", "Rate limit exceeded, wait 5 minutes", "Score: 5/5\nScore: 2/5 x",
		"Score: 0", "not approved", "~~~~\nx\n~~~\n", "Readiness: 5", "\xff\xfe", "Score:\u00a05", "\"Score: 5", "Please wait 99999999999 hours",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		score, ok := ReadScore(Pattern(CursorScore), text)
		if ok != (score >= 1 && score <= 5) || !ok && score != 0 {
			t.Fatalf("ReadScore(%q) = %d, %t", text, score, ok)
		}
		if after, _ := ReadScore(Pattern(CursorScore), text+"\n\nScore: 1/5 or so"); after != 0 {
			t.Fatalf("a line that takes the score back leaves %d in %q", after, text)
		}
		if v := ReadVerdict(text); v != Approves && v != Objects && v != Unclear {
			t.Fatalf("ReadVerdict(%q) = %q", text, v)
		}
		if v := ReadVerdict(text + "\n\nnot approved"); v == Approves {
			t.Fatalf("a refusal below %q approves", text)
		}
		n, ok := ReadNotice(text, nil, noon)
		if !ok && n != (Notice{}) || !n.Until.IsZero() && (!n.Until.After(noon) || n.Until.After(noon.Add(longestWindow))) {
			t.Fatalf("ReadNotice(%q) = %v, %t", text, n, ok)
		}
		quote := "> " + strings.ReplaceAll(text, "\n", "\n> ")
		if got, ok := ReadScore(Pattern(CursorScore), quote); ok {
			t.Fatalf("a quotation has the score %d: %q", got, quote)
		}
	})
}

func TestEveryPresetIsWhole(t *testing.T) {
	want := []string{
		"cursor none score", "copilot request threads", "copilotSwe mention score", "codex mention verdict",
		"claudeSelf command report", "coderabbit none threads",
	}
	var got []string
	for _, p := range Presets {
		got = append(got, p.Name+" "+string(p.Trigger)+" "+string(p.Signal))
		if (p.Trigger == Mention) != (p.Mention != "") {
			t.Errorf("%s: the trigger is %s, and the mention %q", p.Name, p.Trigger, p.Mention)
		}
		if p.Signal == Score && (p.ScoreLine == "" || p.Threshold != 5) {
			t.Errorf("%s: the score has no pattern, or a success at %d", p.Name, p.Threshold)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("presets (-want +got):\n%s", diff)
	}
}
