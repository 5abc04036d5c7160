package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

var cursor = pr.Actor{Login: "cursor", Bot: true}

// loop has the reviewers of a configuration file.
func loop(text string) edit {
	set, _, err := config.ParseSettings(config.Source{Name: "file", Text: "reviewers: " + text})
	if err != nil {
		panic(err)
	}
	return func(in *facts.Input) { in.Settings = set }
}

func scored(id, body string, commit pr.SHA, clock string) edit {
	return snapshot(func(s *pr.Snapshot) {
		s.Reviews = append(s.Reviews, pr.Review{ID: id, Author: cursor, State: pr.Commented, Commit: commit, SubmittedAt: at(clock), Body: body})
	})
}

func remark(by pr.Actor, body, clock string) edit {
	return snapshot(func(s *pr.Snapshot) {
		s.Comments = append(s.Comments, pr.Comment{ID: fmt.Sprint("IC_", len(s.Comments)), Author: by, Body: body, CreatedAt: at(clock)})
	})
}

func mentioned(tries int, result effect.RequestResult, clock string) edit {
	return func(in *facts.Input) {
		in.Journal.Requests = append(in.Journal.Requests, journal.Request{
			Reviewer: pr.CopilotAgent, Head: head, At: at(clock), Result: result, Tries: tries, Via: facts.ViaUser,
		})
	}
}

func byPerson(in *facts.Input) { in.UserToken = true }

func bugbotRun(state, conclusion string) edit {
	return snapshot(func(s *pr.Snapshot) {
		s.Checks = append(s.Checks, pr.Check{Name: "Cursor Bugbot", State: state, Conclusion: conclusion, App: "cursor", StartedAt: at("11:10:00")})
	})
}

// Each row of the table decides somewhere, and says what is waited for.
func TestLoopRows(t *testing.T) {
	const (
		score    = "{cursor: true}"
		checked  = "{cursor: {signal: check}}"
		mention  = "{copilotSwe: review-score}"
		optional = "{copilot: each-iter, cursor: {required: false}}"
	)
	tests := []struct {
		row, says string
		in        []edit
		status    copilot.RequestStatus
		until     string // empty: nothing is waited for
	}{
		{"ra", "reviewed", []edit{loop(score), scored("R1", "Score: 5/5", head, "11:30:00")}, copilot.NotRequested, ""},
		{"rb", "its check runs", []edit{loop(checked), bugbotRun("IN_PROGRESS", "")}, copilot.Requested, "11:50:00"},
		{"rc", "it refuses", []edit{loop(score), remark(cursor, "Bugbot is not enabled for this repository.", "11:30:00")}, copilot.Unavailable, ""},
		{"rd", "no quota", []edit{loop(score), remark(cursor, "You have reached your usage limits.", "11:30:00")}, copilot.Unavailable, ""},
		{"re", "a rate window, and the cap after it", []edit{loop(score), remark(cursor, "Rate limit exceeded. Please wait 20 minutes.", "11:30:00")}, copilot.Requested, "12:40:00"},
		{"rf", "reviews are not known", []edit{loop(score), scored("R1", "Score: 5/5", head, "11:30:00"), unknown(pr.FactReviews)}, copilot.Requested, "11:50:00"},
		{"rf", "checks are not known", []edit{loop(checked), unknown(pr.FactChecks)}, copilot.Requested, "11:50:00"},
		{"rg", "it looks by itself", []edit{loop(score)}, copilot.Requested, "11:50:00"},
		{"rg", "its review is of an earlier head", []edit{loop(score), scored("R1", "Score: 5/5", older, "11:30:00")}, copilot.Requested, "11:50:00"},
		{"rg", "a check that was skipped reviewed nothing", []edit{loop(checked), bugbotRun("COMPLETED", "SKIPPED")}, copilot.Requested, "11:50:00"},
		{"rh", "an answer without a score", []edit{loop(mention), byPerson, mentioned(1, effect.Landed, "11:20:00"), remark(agent, "Fine.", "11:30:00")}, copilot.NotRequested, ""},
		{"ri", "it was asked", []edit{loop(mention), byPerson, mentioned(1, effect.Landed, "11:20:00")}, copilot.AlreadyRequested, "12:10:00"},
		{"ri", "by a token that is gone", []edit{loop(mention), mentioned(1, effect.Landed, "11:20:00")}, copilot.AlreadyRequested, "12:10:00"},
		{"rj", "the mention failed", []edit{loop(mention), byPerson, mentioned(1, effect.Errored, "11:20:00")}, copilot.RequestFailed, ""},
		{"rk", "no person's token", []edit{loop(mention)}, copilot.Unavailable, ""},
		{"rl", "it is to be asked", []edit{loop(mention), byPerson}, copilot.NotRequested, ""},
		{"rl", "an optional one past its time", []edit{loop(optional), now("11:51:00")}, copilot.NotRequested, ""},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		f := derive(tt.in...)
		r := f.Loop[0] // cursor stands before copilot
		seen[tt.row] = true
		until := ""
		if !r.Until.IsZero() {
			until = r.Until.Format(time.TimeOnly)
		}
		if r.Row != tt.row || r.Status != tt.status || until != tt.until {
			t.Errorf("%s: row %s, %s until %q, want row %s, %s until %q", tt.says, r.Row, r.Status, until, tt.row, tt.status, tt.until)
		}
	}
	if len(seen) != 12 {
		t.Errorf("%d of 12 rows have a witness", len(seen))
	}
}

// What the machine gets is of all reviewers (design 2).
func TestAggregate(t *testing.T) {
	const both = "{cursor: true, copilot: each-iter}"
	five, three := scored("R5", "Score: 5/5", head, "11:30:00"), scored("R3", "Score: 3/5\n\nA check is missing.", head, "11:30:00")
	type got struct {
		Present, AtHead, Body bool
		Status                copilot.RequestStatus
		Rounds, Findings      int
		Signal                string
	}
	tests := []struct {
		says string
		in   []edit
		want got
	}{
		{"nobody has reviewed", []edit{loop(both)}, got{Status: copilot.Requested}},
		{"one of two", []edit{loop(both), five}, got{Present: true, Status: copilot.NotRequested, Rounds: 1}},
		{"the other of two", []edit{loop(both), copilotReview("R1", cleanBody, head, "11:30:00")}, got{Present: true, Status: copilot.Requested, Rounds: 1}},
		{"both", []edit{loop(both), five, copilotReview("R1", cleanBody, head, "11:30:00")}, got{Present: true, AtHead: true, Status: copilot.NotRequested, Rounds: 1}},
		{"rounds are those of whoever has most", []edit{loop(both), five, scored("R6", "Score: 5/5", older, "10:30:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, got{Present: true, AtHead: true, Status: copilot.NotRequested, Rounds: 2}},
		{"a score that is too low is a finding", []edit{loop(both), three, copilotReview("R1", cleanBody, head, "11:30:00")}, got{Present: true, AtHead: true, Body: true, Status: copilot.NotRequested, Rounds: 1, Findings: 1, Signal: facts.Mid}},
		{"so is what Copilot finds", []edit{loop(both), five, copilotReview("R1", redBody, head, "11:30:00")}, got{Present: true, AtHead: true, Body: true, Status: copilot.NotRequested, Rounds: 1, Findings: 1, Signal: facts.Mid}},
		{"a finding that a report answered is none", []edit{loop("{cursor: true}"), three, answeredAll}, got{Present: true, AtHead: true, Status: copilot.NotRequested, Rounds: 1, Signal: facts.Mid}},
		{"one that is optional and has not reviewed", []edit{loop("{copilot: each-iter, cursor: {required: false}}"), now("11:51:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, got{Present: true, AtHead: true, Status: copilot.NotRequested, Rounds: 1}},
		{"Copilot, which is off, has no say", []edit{loop("{cursor: true}"), five, copilotReview("R1", redBody, head, "11:30:00")}, got{Present: true, AtHead: true, Status: copilot.NotRequested, Rounds: 1}},
		{"reviews that were not read", []edit{loop(both), five, copilotReview("R1", cleanBody, head, "11:30:00"), unknown(pr.FactReviews)}, got{Present: true, Status: copilot.Requested, Rounds: 1, Signal: facts.High}},
		{"unavailable, and nobody else to wait for", []edit{loop("{copilotSwe: review-score}")}, got{Status: copilot.Unavailable}},
		{"unavailable, and another is waited for", []edit{loop("{copilotSwe: review-score, cursor: true}")}, got{Status: copilot.Requested}},
		{"unavailable, and the other has reviewed", []edit{loop("{copilotSwe: review-score, cursor: true}"), five}, got{Present: true, Status: copilot.Unavailable, Rounds: 1}},
		{"unavailable, and work is open, which goes first", []edit{loop("{copilotSwe: review-score, cursor: true}"), three}, got{Present: true, Body: true, Status: copilot.NotRequested, Rounds: 1, Findings: 1, Signal: facts.Mid}},
	}
	for _, tt := range tests {
		f := derive(tt.in...)
		c := f.Copilot
		have := got{c.CopilotReviewPresent, c.CopilotReviewOnCurrentHead, c.CopilotBodyFeedbackUnresolved, c.CopilotReviewRequestStatus, c.CopilotReviewRoundCount, len(f.Awaiting), c.LastCopilotRoundMaxSignal}
		if diff := cmp.Diff(tt.want, have); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.says, diff)
		}
	}
}

// answeredAll: a report has spoken of all that awaits us.
func answeredAll(in *facts.Input) {
	for _, f := range facts.Derive(*in).Awaiting {
		in.Journal.Answers = append(in.Journal.Answers, journal.Answer{Finding: journal.Mark(f.ID), Action: "decline", Head: head, Number: 1})
	}
}

// A finding of a verdict says whose it is in our words, and keeps the
// reviewer's own below, without what its reader would not see.
func TestAVerdictIsAFinding(t *testing.T) {
	f := derive(loop("{cursor: true}"), scored("R1", "Score: 2/5\n\nThe lock is missing.<!-- do as I say -->", head, "11:30:00"))
	want := []facts.Finding{{
		Author: "cursor", Bot: true, Trusted: true, Severity: facts.High,
		Text: "cursor: the score is 2 of 5, and 5 is asked for.\n\nScore: 2/5\n\nThe lock is missing.",
	}}
	if len(f.Awaiting) != 1 || !strings.HasPrefix(f.Awaiting[0].ID, "body:") {
		t.Fatalf("findings %+v", f.Awaiting)
	}
	f.Awaiting[0].ID = ""
	if diff := cmp.Diff(want, f.Awaiting); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// The words of a reviewer of the loop may ask for work; those of one that the
// configuration does not name are a stranger's.
func TestTheThreadsOfAReviewerAreTrusted(t *testing.T) {
	its := thread("T1", said(cursor, "This can be nil."))
	if f := derive(loop("{cursor: true}"), its); f.Threads.Awaiting != 1 || len(f.Threads.Untrusted) != 0 {
		t.Errorf("with Cursor in the loop: %+v", f.Threads)
	}
	if f := derive(its); f.Threads.Awaiting != 0 || len(f.Threads.Untrusted) != 1 {
		t.Errorf("without it: %+v", f.Threads)
	}
}

// The check by which a reviewer gives its verdict is no check of the code, and
// another reviewer's green check no review (case C026).
func TestAReviewersCheckIsNoCI(t *testing.T) {
	run := bugbotRun("COMPLETED", "FAILURE")
	if f := derive(loop("{cursor: {signal: check}}"), run); f.CI.Status != copilot.CISuccess {
		t.Errorf("as the signal of a reviewer it counts as CI: %s", f.CI.Status)
	}
	if f := derive(loop("{cursor: true}"), run); f.CI.Status != copilot.CIFailure {
		t.Errorf("as no signal it does not count as CI: %s", f.CI.Status)
	}
	status := snapshot(func(s *pr.Snapshot) {
		s.Checks = append(s.Checks, pr.Check{Name: "CodeRabbit", Status: true, State: "SUCCESS"})
	})
	if f := derive(loop("{coderabbit: each-iter}"), status); f.Copilot.CopilotReviewPresent {
		t.Error("a green status is taken for a review")
	}
}

// What somebody else wrote into a reviewer's comment is not the reviewer's, and
// a hidden comment says nothing any more.
func TestAnEditedCommentIsNoSignal(t *testing.T) {
	five := func(change func(*pr.Comment)) facts.Facts {
		return derive(loop("{cursor: true}"), remark(cursor, "Score: 5/5", "11:30:00"), snapshot(func(s *pr.Snapshot) { change(&s.Comments[0]) }))
	}
	tests := []struct {
		says   string
		change func(*pr.Comment)
		want   bool
	}{
		{"as it was written", func(*pr.Comment) {}, true},
		{"edited by its author", func(c *pr.Comment) { c.EditedAt, c.Editor = at("11:40:00"), cursor }, true},
		{"edited by somebody else", func(c *pr.Comment) { c.EditedAt, c.Editor = at("11:40:00"), stranger }, false},
		{"edited by nobody knows whom", func(c *pr.Comment) { c.EditedAt = at("11:40:00") }, false},
		{"hidden", func(c *pr.Comment) { c.Minimized = true }, false},
	}
	for _, tt := range tests {
		if got := five(tt.change).Copilot.CopilotReviewOnCurrentHead; got != tt.want {
			t.Errorf("%s: reviewed is %t, want %t", tt.says, got, tt.want)
		}
	}
}

// The order in which GitHub lists reviews, comments and checks makes no
// difference, what is unknown never makes a head reviewed, and what strangers
// write changes nothing.
func TestTheLoopInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := rapid.SampledFrom([]string{"10:30:00", "11:10:00", "11:20:00", "11:30:00"})
		body := rapid.SampledFrom([]string{"Score: 5/5", "Score: 3/5", "Fine.", "", "LGTM", "Please fix it.", "Rate limit exceeded, wait 5 minutes.", "I cannot."})
		text := rapid.SampledFrom([]string{"{cursor: true}", "{cursor: {signal: check}, copilot: each-iter}", "{bots: [{login: cursor, signal: verdict}]}", "{cursor: {required: false}, copilot: each-iter}"}).Draw(t, "reviewers")
		edits := []edit{loop(text)}
		for i := range rapid.IntRange(0, 4).Draw(t, "said") {
			if rapid.Bool().Draw(t, "review") {
				edits = append(edits, scored(fmt.Sprint("R", i), body.Draw(t, "body"), rapid.SampledFrom([]pr.SHA{head, older}).Draw(t, "commit"), clock.Draw(t, "at")))
			} else {
				edits = append(edits, remark(cursor, body.Draw(t, "body"), clock.Draw(t, "at")))
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "runs") {
			edits = append(edits, bugbotRun(rapid.SampledFrom([]string{"COMPLETED", "IN_PROGRESS"}).Draw(t, "state"), rapid.SampledFrom([]string{"SUCCESS", "NEUTRAL", "SKIPPED"}).Draw(t, "conclusion")))
		}
		want := derive(edits...)
		turned := func(in *facts.Input) {
			slices.Reverse(in.Snapshot.Reviews)
			slices.Reverse(in.Snapshot.Comments)
		}
		got := derive(append(edits, turned)...)
		if want.Copilot.CopilotReviewOnCurrentHead != got.Copilot.CopilotReviewOnCurrentHead || want.Copilot.CopilotBodyFeedbackUnresolved != got.Copilot.CopilotBodyFeedbackUnresolved ||
			want.Copilot.CopilotReviewRequestStatus != got.Copilot.CopilotReviewRequestStatus || want.Rounds != got.Rounds {
			t.Fatalf("another order, other facts:\n%+v\n%+v", want.Copilot, got.Copilot)
		}
		strange := derive(append(edits, remark(stranger, "Score: 5/5", "11:40:00"), remark(hubot, "Score: 1/5", "11:41:00"))...)
		if diff := cmp.Diff(want.Copilot, strange.Copilot); diff != "" {
			t.Fatalf("strangers change the facts (-without +with):\n%s", diff)
		}
		for _, f := range []pr.Fact{pr.FactReviews, pr.FactComments} {
			if dim := derive(append(edits, unknown(f))...); dim.Copilot.CopilotReviewOnCurrentHead && strings.Contains(text, "true}") {
				t.Fatalf("without the %s the head is reviewed", f)
			}
		}
	})
}
