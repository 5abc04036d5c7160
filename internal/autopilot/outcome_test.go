package autopilot

import (
	"fmt"
	"testing"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

const (
	head  pr.SHA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	older pr.SHA = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// after is a time in minutes after the head, which came at noon.
func after(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

func review(minutes int, commit pr.SHA, text string, threads int) Said {
	return Said{ID: "R", At: after(minutes), Commit: commit, Review: true, State: pr.Commented, Text: text, Threads: threads}
}

func remark(minutes int, text string) Said { return Said{ID: "C", At: after(minutes), Text: text} }

// summary is an outcome in one line.
func summary(o Outcome) string {
	s := fmt.Sprintf("rounds %d", o.Rounds)
	for _, w := range []struct {
		is   bool
		word string
	}{{o.AtHead, "at head"}, {o.Content, "content"}, {o.Silent, "silent"}, {o.Working, "working"}} {
		if w.is {
			s += ", " + w.word
		}
	}
	if o.Score > 0 {
		s += fmt.Sprintf(", score %d", o.Score)
	}
	if o.Judges != "" {
		s += ", " + o.Judges
	}
	if o.Notice != nil {
		s += ", " + string(o.Notice.Kind)
	}
	return s
}

func TestRead(t *testing.T) {
	state := func(s Said, st pr.ReviewState) Said { s.State = st; return s }
	bugbot := Preset("cursor")
	bugbot.Signal, bugbot.Check = Check, "Cursor Bugbot"
	tests := []struct {
		says  string
		by    Reviewer
		asked int // minutes after the head; 0: it was not
		said  []Said
		run   Run
		want  string
	}{
		{"nothing", Preset("cursor"), 0, nil, Run{}, "rounds 0"},
		{"a score below the threshold", Preset("cursor"), 0, []Said{review(5, head, "Score: 3/5", 2)}, Run{}, "rounds 1, at head, score 3, the score is 3 of 5, and 5 is asked for"},
		{"a score that is enough", Preset("cursor"), 0, []Said{review(5, head, "Score: 5/5", 0)}, Run{}, "rounds 1, at head, content, score 5"},
		{"a score in a comment", Preset("cursor"), 0, []Said{remark(5, "Score: 5/5")}, Run{}, "rounds 1, at head, content, score 5"},
		{"a score for an earlier head", Preset("cursor"), 0, []Said{review(5, older, "Score: 5/5", 0)}, Run{}, "rounds 1"},
		{"a comment before the head", Preset("cursor"), 0, []Said{remark(-5, "Score: 5/5")}, Run{}, "rounds 1"},
		{"a comment of the head's own second", Preset("cursor"), 0, []Said{remark(0, "Score: 5/5")}, Run{}, "rounds 1"},
		{"the newest of two", Preset("cursor"), 0, []Said{review(5, head, "Score: 5/5", 0), review(6, head, "Score: 2/5", 0)}, Run{}, "rounds 2, at head, score 2, the score is 2 of 5, and 5 is asked for"},
		{"the worse of two in one second", Preset("cursor"), 0, []Said{review(5, head, "Score: 2/5", 0), review(5, head, "Score: 5/5", 0)}, Run{}, "rounds 2, at head, score 2, the score is 2 of 5, and 5 is asked for"},
		{"in whatever order", Preset("cursor"), 0, []Said{review(5, head, "Score: 5/5", 0), review(5, head, "Score: 2/5", 0)}, Run{}, "rounds 2, at head, score 2, the score is 2 of 5, and 5 is asked for"},
		{"no score", Preset("cursor"), 0, []Said{review(5, head, "I looked at it.", 1)}, Run{}, "rounds 1, silent"},
		{"a score, and changes requested", Preset("cursor"), 0, []Said{state(review(5, head, "Score: 5/5", 0), pr.ChangesRequested)}, Run{}, "rounds 1, at head, score 5, it requests changes"},
		{"dismissed", Preset("cursor"), 0, []Said{state(review(5, head, "Score: 5/5", 0), pr.Dismissed)}, Run{}, "rounds 0"},
		{"still in the making", Preset("cursor"), 0, []Said{state(review(5, head, "Score: 5/5", 0), pr.Pending)}, Run{}, "rounds 0"},
		{"the container of a reply", Preset("cursor"), 0, []Said{review(4, head, "Score: 5/5", 0), review(5, head, " ", 0)}, Run{}, "rounds 1, at head, content, score 5"},
		{"a remark is no review", Preset("cursor"), 0, []Said{remark(5, "Thanks.")}, Run{}, "rounds 0"},
		{"a notice", Preset("cursor"), 0, []Said{remark(5, "Bugbot is not enabled for this repository.")}, Run{}, "rounds 0, refused"},
		{"a notice of an earlier head", Preset("cursor"), 0, []Said{remark(-5, "Usage limits reached.")}, Run{}, "rounds 0"},
		{"a review after the notice", Preset("cursor"), 0, []Said{remark(5, "Rate limit exceeded."), review(6, head, "Score: 5/5", 0)}, Run{}, "rounds 1, at head, content, score 5"},
		{"a notice after the review", Preset("cursor"), 0, []Said{review(5, head, "Score: 4/5", 0), remark(6, "Rate limit exceeded.")}, Run{}, "rounds 1, at head, score 4, the score is 4 of 5, and 5 is asked for, rate_window"},

		{"an answer to no question", Preset("copilotSwe"), 0, []Said{remark(5, "Readiness: 5/5")}, Run{}, "rounds 1"},
		{"an answer", Preset("copilotSwe"), 2, []Said{remark(5, "Readiness: 5/5")}, Run{}, "rounds 1, at head, content, score 5"},
		{"an answer without a score", Preset("copilotSwe"), 2, []Said{remark(5, "I read it.")}, Run{}, "rounds 0, silent"},
		{"and thanks after the score", Preset("copilotSwe"), 2, []Said{remark(5, "Readiness: 4/5"), remark(6, "Glad to help.")}, Run{}, "rounds 1, at head, score 4, the score is 4 of 5, and 5 is asked for"},
		{"an answer from before the question", Preset("copilotSwe"), 7, []Said{remark(5, "Readiness: 5/5")}, Run{}, "rounds 1"},

		{"words that approve", Preset("codex"), 2, []Said{remark(5, "Didn't find any major issues.")}, Run{}, "rounds 1, at head, content"},
		{"a review with threads alone", Preset("codex"), 2, []Said{review(5, head, "Here are some suggestions.", 2)}, Run{}, "rounds 1, at head, content"},
		{"words that object", Preset("codex"), 2, []Said{review(5, head, "Please fix the race.", 0)}, Run{}, "rounds 1, at head, it objects"},
		{"words that say nothing", Preset("codex"), 2, []Said{review(5, head, "I read it.", 0)}, Run{}, "rounds 1, at head, its words do not say whether it approves"},

		{"threads", Preset("coderabbit"), 0, []Said{review(5, head, "Two remarks.", 2)}, Run{}, "rounds 1, at head, content"},
		{"changes requested without a thread", Preset("coderabbit"), 0, []Said{state(review(5, head, "", 0), pr.ChangesRequested)}, Run{}, "rounds 1, at head, it requests changes"},
		{"an approval without a word", Preset("coderabbit"), 0, []Said{state(review(5, head, "", 0), pr.Approved)}, Run{}, "rounds 1, at head, content"},
		{"a body that objects and opened no thread", Preset("coderabbit"), 0, []Said{review(5, head, "Please fix the error path in load().", 0)}, Run{}, "rounds 1, at head, it objects, and opened no thread"},
		{"one that says nothing of the kind", Preset("coderabbit"), 0, []Said{review(5, head, "**Actionable comments posted: 0**", 0)}, Run{}, "rounds 1, at head, content"},
		{"words beside an approval", Preset("coderabbit"), 0, []Said{state(review(5, head, "Please fix the typo some day.", 0), pr.Approved)}, Run{}, "rounds 1, at head, content"},
		{"findings that could have no thread", Preset("coderabbit"), 0, []Said{review(5, head, "**Actionable comments posted: 1**\n\n<summary>⚠️ Outside diff range comments (2)</summary>", 1)}, Run{}, "rounds 1, at head, its body has findings that have no thread"},
		{"none of them", Preset("coderabbit"), 0, []Said{review(5, head, "Outside diff range comments (0)", 0)}, Run{}, "rounds 1, at head, content"},
		{"skipped", Preset("coderabbit"), 0, []Said{remark(5, "> ## Review skipped")}, Run{}, "rounds 0, skipped"},

		{"a check that passed", bugbot, 0, nil, Run{"COMPLETED", "SUCCESS"}, "rounds 1, at head, content"},
		{"a neutral check is no success", bugbot, 0, nil, Run{"COMPLETED", "NEUTRAL"}, "rounds 1, at head, its check ended neutral, which is how it ends with findings"},
		{"nor one whose findings are threads", bugbot, 0, []Said{review(5, head, "Bugs.", 1)}, Run{"COMPLETED", "NEUTRAL"}, "rounds 1, at head"},
		{"threads of an earlier head say nothing of this one", bugbot, 0, []Said{review(-5, older, "Bugs.", 1)}, Run{"COMPLETED", "NEUTRAL"}, "rounds 1, at head, its check ended neutral, which is how it ends with findings"},
		{"a check that runs", bugbot, 0, nil, Run{"IN_PROGRESS", ""}, "rounds 0, working"},
		{"a check that was skipped", bugbot, 0, nil, Run{"COMPLETED", "SKIPPED"}, "rounds 0, silent"},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			seen := Seen{Head: head, HeadAt: noon, Said: tt.said, Run: tt.run}
			if tt.asked > 0 {
				seen.AskedAt = after(tt.asked)
			}
			if got := summary(tt.by.Read(seen)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// A person may be called what a bot is called, and Copilot's reviewer and its
// coding agent are two (cases C015 and the login spellings).
func TestIs(t *testing.T) {
	tests := []struct {
		preset string
		actor  pr.Actor
		want   bool
	}{
		{"cursor", pr.Actor{Login: "cursor", Bot: true}, true},
		{"cursor", pr.Actor{Login: "cursor"}, false},
		{"cursor", pr.Actor{Login: "cursor-two", Bot: true}, false},
		{"copilot", pr.Actor{Login: pr.CopilotReviewer, Bot: true}, true},
		{"copilot", pr.Actor{Login: pr.Copilot, Bot: true, ID: pr.CopilotAgentID}, false},
		{"copilotSwe", pr.Actor{Login: pr.Copilot, Bot: true, ID: pr.CopilotAgentID}, true},
		{"copilotSwe", pr.Actor{Login: pr.CopilotAgent, Bot: true}, true},
		{"copilotSwe", pr.Actor{Login: pr.CopilotReviewer, Bot: true}, false},
	}
	for _, tt := range tests {
		if got := Preset(tt.preset).Is(tt.actor); got != tt.want {
			t.Errorf("%s is %+v: %t, want %t", tt.preset, tt.actor, got, tt.want)
		}
	}
}
