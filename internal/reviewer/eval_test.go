package reviewer

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func decode(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestNormalize(t *testing.T) {
	blank := on(gone)
	with := func(edit func(*Snapshot)) Snapshot { return on(gone, edit) }
	tests := []struct {
		name, raw string
		want      Snapshot
	}{
		{"an empty object has every default", `{}`, blank},
		{"an array passes, and has none of the keys", `[{"prExists": true}]`, blank},
		{
			"every field is read", `{"prExists": true, "prNumber": 7, "prDraft": true, "prMerged": true, "prClosed": true, "prHeadSha": "1f0c9a2e",
				"reviewRequested": true, "reviewerLogin": "hubot", "localPlanningStatus": "complete", "localReviewRunsStatus": "completed",
				"localMergeStatus": "ready", "draftReviewPrepared": true, "draftReviewPosted": true, "draftReviewId": 3000000000,
				"draftReviewUrl": "https://github.test/x", "draftReviewCommitSha": "a", "draftReviewNotificationStatus": "notified",
				"submittedReviewPresent": true, "submittedReviewCommitSha": "b", "submittedReviewState": "COMMENTED",
				"reviewSubmissionStatus": "submitted", "followupHandedOver": true}`,
			Snapshot{
				PRExists: true, PRNumber: new(int64(7)), PRDraft: true, PRMerged: true, PRClosed: true, PRHeadSHA: head,
				ReviewRequested: true, ReviewerLogin: "hubot", LocalPlanningStatus: Complete, LocalReviewRunsStatus: Completed,
				LocalMergeStatus: Ready, DraftReviewPrepared: true, DraftReviewPosted: true, DraftReviewID: new(int64(3_000_000_000)),
				DraftReviewURL: "https://github.test/x", DraftReviewCommitSHA: "a", DraftReviewNotificationStatus: Notified,
				SubmittedReviewPresent: true, SubmittedReviewCommitSHA: "b", SubmittedReviewState: "COMMENTED",
				ReviewSubmissionStatus: Submitted, FollowupHandedOver: true,
			},
		},
		{"a text is true, whatever it says", `{"reviewRequested": "false"}`, with(asked)},
		{"zero, null and the empty text are false", `{"prExists": 0, "prDraft": -0.0, "prMerged": "", "prClosed": null}`, blank},
		{"a number and a head need a pull request", `{"prNumber": 7, "prHeadSha": "1f0c9a2e"}`, blank},
		{"a pull request's number is rounded down", `{"prExists": 1, "prNumber": 7.9}`, on(unknownHead)},
		{"a number in quotes is none", `{"draftReviewId": "55"}`, blank},
		{"a number below zero is none", `{"draftReviewId": -55}`, blank},
		{"an endless number is none", `{"draftReviewId": 1e999}`, blank},
		{
			"texts lose the blanks around them", `{"draftReviewCommitSha": " a\n", "submittedReviewCommitSha": "\tb", "draftReviewUrl": " c "}`,
			with(func(s *Snapshot) {
				s.DraftReviewCommitSHA, s.SubmittedReviewCommitSHA, s.DraftReviewURL = "a", "b", "c"
			}),
		},
		{"blank texts are unknown", `{"draftReviewCommitSha": "  ", "submittedReviewCommitSha": "", "reviewerLogin": " "}`, blank},
		{"texts are texts", `{"draftReviewCommitSha": 7, "draftReviewUrl": ["x"], "reviewerLogin": {}, "submittedReviewState": true}`, blank},
		{"a login is lower-case", `{"reviewerLogin": " HuBot "}`, with(func(s *Snapshot) { s.ReviewerLogin = "hubot" })},
		{"a verdict is upper-case", `{"submittedReviewState": " dismissed "}`, with(func(s *Snapshot) { s.SubmittedReviewState = "DISMISSED" })},
		{"a pending review is no verdict", `{"submittedReviewState": "PENDING"}`, blank},
		{
			"statuses are exact", `{"localPlanningStatus": "Failed", "localReviewRunsStatus": " failed", "localMergeStatus": "completed",
				"draftReviewNotificationStatus": "failed", "reviewSubmissionStatus": ["submitted"]}`, blank,
		},
		{"a status belongs to its part", `{"localPlanningStatus": "running", "localReviewRunsStatus": "complete", "localMergeStatus": "submitted"}`, blank},
		{"keys are exact", `{"PRExists": true, "prexists": true}`, blank},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Normalize(decode(t, tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Normalize (-want +got):\n%s", diff)
			}
		})
	}
	for _, raw := range []string{`null`, `true`, `7`, `"x"`} {
		got, err := Normalize(decode(t, raw))
		if !errors.Is(err, ErrNoSnapshot) || cmp.Diff(Snapshot{}, got) != "" {
			t.Errorf("Normalize(%s) = %+v, %v; want nothing and %v", raw, got, err, ErrNoSnapshot)
		}
	}
}

func TestEval(t *testing.T) {
	const followup = `{"state":"waiting_for_author_followup","rule":"6-followup",` +
		`"allowedTransitions":["submitted_review","review_requested","waiting_for_review_request","waiting_for_re_request"],` +
		`"nextAction":"Wait for the author's answer to the review"}`
	const submitted = `{"state":"submitted_review","rule":"6",` +
		`"allowedTransitions":["review_requested","waiting_for_review_request","blocked_needs_user_decision","waiting_for_author_followup","waiting_for_re_request"],` +
		`"nextAction":"Hand the review over to be worked off, until another one is asked for"}`
	tests := []struct {
		name, line, want string
	}{
		{"a snapshot gets its state", `{"snapshot": {"prExists": true, "submittedReviewPresent": true}}`, submitted},
		{
			"a newline and other keys change nothing",
			`{"id": 1, "snapshot": {"prExists": true, "submittedReviewPresent": true, "x": 1}, "config": {}}` + "\r\n", submitted,
		},
		{"the follow-up is a fact of the snapshot", `{"snapshot": {"prExists": true, "submittedReviewPresent": true, "followupHandedOver": true}}`, followup},
		{
			"no way on is an empty list", `{"snapshot": {"prExists": true, "localMergeStatus": "failed"}}`,
			`{"state":"blocked_needs_user_decision","rule":"3","allowedTransitions":[],"nextAction":"Stop: a person has to decide how to go on"}`,
		},
		{"half a line is none", `{"snapshot": {`, `{"error":"the line is not JSON: unexpected EOF"}`},
		{"a list is none", `[{"snapshot": {}}]`, `{"error":"the line is not an object with the key snapshot"}`},
		{"a line without a snapshot is none", `{"input": {}}`, `{"error":"the snapshot is not an object"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(Eval([]byte(tt.line)))); diff != "" {
				t.Errorf("Eval (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSnapshotsSayWhatTheyAre(t *testing.T) {
	const want = `{"prExists":true,"prNumber":7,"prDraft":false,"prMerged":false,"prClosed":false,"reviewRequested":false,` +
		`"localPlanningStatus":"none","localReviewRunsStatus":"none","localMergeStatus":"none",` +
		`"draftReviewPrepared":false,"draftReviewPosted":false,"draftReviewId":null,"draftReviewNotificationStatus":"none",` +
		`"submittedReviewPresent":false,"reviewSubmissionStatus":"none","followupHandedOver":false,` +
		`"prHeadSha":"1f0c9a2e","reviewerLogin":"hubot","reviewerScope":"single_reviewer","draftReviewUrl":null,` +
		`"draftReviewCommitSha":null,"submittedReviewCommitSha":null,"submittedReviewState":null}`
	got, err := json.Marshal(on(func(s *Snapshot) { s.ReviewerLogin = "hubot" }))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("a snapshot (-want +got):\n%s", diff)
	}
	if got := on().Scope(); got != AllReviewers {
		t.Errorf("without a reviewer the scope is %s, want %s", got, AllReviewers)
	}
}

// What a result says of its snapshot can be fed back to the machine.
func TestSnapshotsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := snapshots().Draw(t, "snapshot")
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var raw map[string]any
		if err := json.Unmarshal(text, &raw); err != nil {
			t.Fatal(err)
		}
		for key, value := range raw {
			if value == "" {
				t.Fatalf("%s is neither null nor a word: %s", key, text)
			}
		}
		got, err := Normalize(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

// Whatever the line, the answer is one line of JSON: an error, or a result
// with every key.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"snapshot":[]}`, `{"snapshot":null}`, "{\"snapshot\":{}}\n{\"snapshot\":{}}",
		`{"snapshot":{"prExists":"false","prNumber":1e999,"draftReviewPosted":{},"draftReviewCommitSha":" a ","prHeadSha":"b"}}`,
		`{"snapshot":{"prExists":1,"submittedReviewPresent":[],"followupHandedOver":"no"}}`,
		"{\"snapshot\":{\"prExists\":\"\u2028\xff\"}}", strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(seed))
	}
	full := []string{"allowedTransitions", "nextAction", "rule", "state"}
	f.Fuzz(func(t *testing.T, line []byte) {
		got := Eval(line)
		if bytes.ContainsAny(got, "\r\n") {
			t.Fatalf("more than one line: %q", got)
		}
		if diff := cmp.Diff(got, Eval(line)); diff != "" {
			t.Fatalf("answered twice (-first +second):\n%s", diff)
		}
		var answer map[string]any
		if err := json.Unmarshal(got, &answer); err != nil {
			t.Fatalf("%q is not JSON: %v", got, err)
		}
		var keys []string
		for key := range answer {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if diff := cmp.Diff(full, keys); diff != "" && !slices.Equal(keys, []string{"error"}) {
			t.Fatalf("%q is neither a result nor an error (-want +got):\n%s", got, diff)
		}
	})
}
