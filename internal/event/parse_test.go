package event

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

const (
	about   = "the payload is about it"
	listed  = "the payload lists it beside the checks"
	byHead  = "the payload lists no pull request of this repository, only the commit of the checks"
	nowhere = "the event is about no single pull request"
)

// Every payload in testdata is one that GitHub sent, shortened to what may
// matter, or derived from one.
func TestParseWhatGitHubSends(t *testing.T) {
	onIssue := Issue{1}
	isIssue := "the payload is about an issue"
	noThreads := Nothing{UnsupportedEvent, `prloop does not listen to the event "pull_request_review_thread"`}
	leadsNowhere := "no payload of this event leads to a pull request"

	tests := []struct {
		file string
		want Event
	}{
		{"check_run.completed.failure.json", Event{Action: "completed", Target: Numbers{[]int{2}}, Why: listed}},
		{"check_run.rerequested.neutral.no-prs.json", Event{Action: "rerequested", Target: Commit{"d6fde92930d4715a2b49857d24b940956b26d2d3"}, Why: byHead}},
		{"check_suite.completed.no-prs.json", Event{Action: "completed", Target: Commit{"ec26c3e57ca3a959ca5aad62de7213c562f8c821"}, Why: byHead}},
		{"check_suite.completed.with-pr.json", Event{Action: "completed", Target: Numbers{[]int{2}}, Why: listed}},
		{"issue_comment.created.on-issue.json", Event{Action: "created", Target: onIssue, Why: isIssue}},
		{"issue_comment.created.own-bot-comment.json", Event{Action: "created", Target: Numbers{[]int{1}}, Why: "the comment is on it"}},
		{"issue_comment.deleted.json", Event{Action: "deleted", Target: onIssue, Why: isIssue}},
		{"issue_comment.edited.json", Event{Action: "edited", Target: onIssue, Why: isIssue}},
		{"merge_group.checks_requested.json", Event{Action: "checks_requested", Target: Numbers{[]int{104}}, Why: "the branch of the merge queue is named after it"}},
		{"pull_request.closed.json", Event{Action: "closed", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.converted_to_draft.json", Event{Action: "converted_to_draft", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.edited.base-changed.json", Event{Action: "edited", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.edited.title-only.json", Event{Action: "edited", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.opened.json", Event{Action: "opened", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.ready_for_review.json", Event{Action: "ready_for_review", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.review_requested.json", Event{Action: "review_requested", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.synchronize.head-repo-null.json", Event{Action: "synchronize", Target: Numbers{[]int{2}}, Why: about, Fork: true}},
		{"pull_request.synchronize.json", Event{Action: "synchronize", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request.synchronize.unicode-branch.json", Event{Action: "synchronize", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request_review.dismissed.json", Event{Action: "dismissed", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request_review.submitted.null-body.json", Event{Action: "submitted", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request_review_comment.created.json", Event{Action: "created", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request_review_comment.created.legacy-no-line.json", Event{Action: "created", Target: Numbers{[]int{2}}, Why: about}},
		{"pull_request_review_thread.resolved.json", Event{Target: noThreads, Why: leadsNowhere}},
		{"pull_request_review_thread.unresolved.json", Event{Target: noThreads, Why: leadsNowhere}},
		{"schedule.current.json", Event{Target: Sweep{}, Why: nowhere}},
		{"status.json", Event{Target: Commit{"6113728f27ae82c7b1a177c8d03f9e96e0adf246"}, Why: "the payload names the commit of the status"}},
		{"workflow_dispatch.empty-inputs.json", Event{Target: Sweep{}, Why: nowhere}},
		{"workflow_run.completed.action_required.json", Event{Action: "completed", Target: Commit{"3484a3fb816e0859fd6e1cea078d76385ff50625"}, Why: byHead}},
		{"workflow_run.completed.no-prs.json", Event{Action: "completed", Target: Commit{"3484a3fb816e0859fd6e1cea078d76385ff50625"}, Why: byHead}},
		// The pull requests of these two belong to another repository.
		{"workflow_run.completed.two-prs-one-sha.json", Event{Action: "completed", Target: Commit{"3484a3fb816e0859fd6e1cea078d76385ff50625"}, Why: byHead}},
		{"workflow_run.completed.with-pr.json", Event{Action: "completed", Target: Commit{"3484a3fb816e0859fd6e1cea078d76385ff50625"}, Why: byHead}},
		{"workflow_run.requested.action_required.json", Event{Action: "requested", Target: Commit{"3484a3fb816e0859fd6e1cea078d76385ff50625"}, Why: byHead}},
	}

	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(tests) {
		t.Fatalf("%d rows for %d payloads (%v)", len(tests), len(files), err)
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			body, err := os.ReadFile(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Name, _, _ = strings.Cut(tt.file, ".")
			got, err := Parse(tt.want.Name, body, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

const oid = "1f0c9a2e1f0c9a2e1f0c9a2e1f0c9a2e1f0c9a2e"

func TestParse(t *testing.T) {
	const aRepo = `"repository": {"id": 5}`
	tests := []struct {
		says   string
		name   string
		body   string
		pinned int
		want   Event
	}{
		{
			"pull_request_target is read as pull_request is", "pull_request_target",
			`{"action": "opened", "pull_request": {"number": 7, "head": {"repo": {"id": 5}}}, ` + aRepo + `}`, 0,
			Event{Action: "opened", Target: Numbers{[]int{7}}, Why: about},
		},
		{
			"a head in another repository is a fork", "pull_request",
			`{"action": "opened", "pull_request": {"number": 7, "head": {"repo": {"id": 6}}}, ` + aRepo + `}`, 0,
			Event{Action: "opened", Target: Numbers{[]int{7}}, Why: about, Fork: true},
		},
		{
			"a head whose repository nobody tells is a fork", "pull_request",
			`{"pull_request": {"number": 7}}`, 0,
			Event{Target: Numbers{[]int{7}}, Why: about, Fork: true},
		},
		{
			"ghosts and missing bodies do not matter", "pull_request_review",
			`{"action": "submitted", "review": {"user": null, "body": null}, "pull_request": {"number": 7, "user": null, "body": null, "head": {"user": null, "repo": {"id": 5}}}, "sender": null, ` + aRepo + `}`, 0,
			Event{Action: "submitted", Target: Numbers{[]int{7}}, Why: about},
		},
		{
			"an activity type that GitHub does not have is left out", "pull_request",
			`{"action": "::set-output name=x::y", "pull_request": {"number": 7, "head": {"repo": {"id": 5}}}, ` + aRepo + `}`, 0,
			Event{Target: Numbers{[]int{7}}, Why: about},
		},
		{
			"an issue whose pull request is null is no pull request", "issue_comment",
			`{"action": "created", "issue": {"number": 3, "pull_request": null}}`, 0,
			Event{
				Action: "created", Target: Issue{3},
				Why: "the payload is about an issue",
			},
		},
		{
			"a label is put on an issue", "issues", `{"action": "labeled", "issue": {"number": 3}, "label": {"name": "quest"}}`, 0,
			Event{Action: "labeled", Target: Issue{3}, Why: "the payload is about an issue"},
		},
		{
			"one commit is the head of several pull requests, each listed once and in order", "workflow_run",
			`{"action": "completed", "workflow_run": {"head_sha": "` + oid + `", "pull_requests": [
				{"number": 9, "base": {"repo": {"id": 5}}}, {"number": 2, "base": {"repo": {"id": 5}}},
				{"number": 9, "base": {"repo": {"id": 5}}}, {"number": 1, "base": {"repo": {"id": 6}}}]}, ` + aRepo + `}`, 0,
			Event{Action: "completed", Target: Numbers{[]int{2, 9}}, Why: listed},
		},
		{
			"pull requests of other repositories do not count, so the commit does", "check_suite",
			`{"action": "completed", "check_suite": {"head_sha": "` + oid + `", "pull_requests": [
				{"number": 9, "base": {"repo": null}}, {"number": 1, "base": {"repo": {"id": 6}}}]}, ` + aRepo + `}`, 0,
			Event{Action: "completed", Target: Commit{oid}, Why: byHead},
		},
		{
			"without the repository no listed pull request can be told to be ours", "check_run",
			`{"check_run": {"head_sha": "` + oid + `", "pull_requests": [{"number": 9, "base": {"repo": {}}}]}}`, 0,
			Event{Target: Commit{oid}, Why: byHead},
		},
		{
			"a commit id may have 64 digits", "status",
			`{"sha": "` + strings.Repeat("aB", 32) + `"}`, 0,
			Event{Target: Commit{pr.SHA(strings.Repeat("ab", 32))}, Why: "the payload names the commit of the status"},
		},
		{
			"the base of a merge queue may have slashes", "merge_group",
			`{"action": "checks_requested", "merge_group": {"head_sha": "` + oid + `", "head_ref": "refs/heads/gh-readonly-queue/release/1.0/pr-12-` + oid + `"}}`, 0,
			Event{Action: "checks_requested", Target: Numbers{[]int{12}}, Why: "the branch of the merge queue is named after it"},
		},
		{
			"a merge group with a branch of another name is found by its commit", "merge_group",
			`{"action": "checks_requested", "merge_group": {"head_sha": "` + oid + `", "head_ref": "refs/heads/pr-12-` + oid + `"}}`, 0,
			Event{Action: "checks_requested", Target: Commit{oid}, Why: "the payload names the commit of the merge group"},
		},
		{
			"a dispatch names its pull request as a string", "workflow_dispatch",
			`{"inputs": {"pr": " 7 "}}`, 0,
			Event{Target: Numbers{[]int{7}}, Why: "inputs.pr names it"},
		},
		{
			"a dispatch names its pull request as a number", "workflow_dispatch",
			`{"inputs": {"pr": 7}}`, 0,
			Event{Target: Numbers{[]int{7}}, Why: "inputs.pr names it"},
		},
		{
			"a dispatch that leaves the number blank is a sweep", "workflow_dispatch",
			`{"inputs": {"pr": " "}}`, 0,
			Event{Target: Sweep{}, Why: nowhere},
		},
		{
			"a dispatch without inputs is a sweep", "workflow_dispatch", `{"inputs": null}`, 0,
			Event{Target: Sweep{}, Why: nowhere},
		},
		{
			"a repository dispatch names a number", "repository_dispatch",
			`{"action": "opened", "client_payload": {"pr": "", "number": 7}}`, 0,
			Event{Target: Numbers{[]int{7}}, Why: "client_payload.number names it"},
		},
		{
			"a repository dispatch carries a whole pull request", "repository_dispatch",
			`{"client_payload": {"pull_request": {"number": 7, "title": "x"}, "number": 8}}`, 0,
			Event{Target: Numbers{[]int{7}}, Why: "client_payload.pull_request names it"},
		},
		{
			"of all members of a repository dispatch pr counts first", "repository_dispatch",
			`{"client_payload": {"pr": 6, "pull_request": 7, "number": 8}}`, 0,
			Event{Target: Numbers{[]int{6}}, Why: "client_payload.pr names it"},
		},
		{
			"a repository dispatch without a payload is a sweep", "repository_dispatch", `{"client_payload": null}`, 0,
			Event{Target: Sweep{}, Why: nowhere},
		},
		{
			"a push is found by the commit that it left", "push",
			`{"ref": "refs/heads/topic", "before": "` + strings.Repeat("0", 40) + `", "after": "` + oid + `"}`, 0,
			Event{Target: Commit{oid}, Why: "the payload names the commit that was pushed"},
		},
		{
			"a tag is nobody's head", "push", `{"ref": "refs/tags/v1", "after": "` + oid + `"}`, 0,
			Event{Target: Nothing{EventIgnored, "what was pushed is no branch"}, Why: "the payload names a tag"},
		},
		{
			"a deleted branch is nobody's head", "push",
			`{"ref": "refs/heads/topic", "deleted": true, "after": "` + strings.Repeat("0", 40) + `"}`, 0,
			Event{Target: Nothing{EventIgnored, "the branch was deleted"}, Why: "the payload says so"},
		},
		{
			"an event that nobody knows is nothing, however its payload looks", "dynamic\n::x::", "{", 0,
			Event{
				Target: Nothing{UnsupportedEvent, `prloop does not listen to the event "dynamic\n::x::"`},
				Why:    "no payload of this event leads to a pull request",
			},
		},
		{
			"the input pr wins over the payload", "pull_request",
			`{"action": "opened", "pull_request": {"number": 7, "head": {"repo": null}}, ` + aRepo + `}`, 12,
			Event{Action: "opened", Target: Numbers{[]int{12}}, Why: "the input pr names it", Fork: true},
		},
		{
			"the input pr wins over a plain issue", "issue_comment", `{"action": "created", "issue": {"number": 3}}`, 12,
			Event{Action: "created", Target: Numbers{[]int{12}}, Why: "the input pr names it"},
		},
		{
			"the input pr wins over an event that nobody knows", "gollum", ``, 12,
			Event{Target: Numbers{[]int{12}}, Why: "the input pr names it"},
		},
		{
			"the input pr wins over a damaged payload", "push", `{`, 12,
			Event{Target: Numbers{[]int{12}}, Why: "the input pr names it"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			tt.want.Name = tt.name
			got, err := Parse(tt.name, []byte(tt.body), tt.pinned)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseDamaged(t *testing.T) {
	tests := []struct {
		says string
		name string
		body string
		want string // Why
	}{
		{"an empty file", "pull_request", "", "The payload of the pull_request event is empty"},
		{"a file of blanks", "schedule", " \n", "The payload of the schedule event is empty"},
		{"a file that was cut off", "pull_request", `{"pull_request": {"number": 7`, "The payload of the pull_request event is not JSON: it is damaged at byte 29 of 29"},
		{"a second value behind the first", "push", `{} {}`, "The payload of the push event is not JSON: it is damaged at byte 4 of 5"},
		{"a list", "push", `[]`, "The payload of the push event is JSON, but not an object"},
		{"null", "schedule", `null`, "The payload of the schedule event is JSON, but not an object"},
		{"no pull request", "pull_request", `{"action": "opened", "pull_request": null}`, "The payload of the pull_request event lacks pull_request"},
		{"no number", "pull_request_review", `{"pull_request": {"number": null}}`, "The payload of the pull_request_review event lacks pull_request.number"},
		{"a number as a string", "pull_request", `{"pull_request": {"number": "$(id)"}}`, "The payload of the pull_request event has another type than GitHub sends at pull_request.number (byte 35)"},
		{"a number with a fraction", "pull_request", `{"pull_request": {"number": 1.5}}`, "The payload of the pull_request event has another type than GitHub sends at pull_request.number (byte 31)"},
		{"zero", "pull_request", `{"pull_request": {"number": 0}}`, "The payload of the pull_request event has no number of a pull request at pull_request.number"},
		{"a number that GraphQL cannot take", "issue_comment", `{"issue": {"number": 2147483648, "pull_request": {}}}`, "The payload of the issue_comment event has no number of a pull request at issue.number"},
		{"no issue", "issue_comment", `{}`, "The payload of the issue_comment event lacks issue"},
		{"no check run", "check_run", `{}`, "The payload of the check_run event lacks check_run"},
		{"no workflow run", "workflow_run", `{}`, "The payload of the workflow_run event lacks workflow_run"},
		{"no commit", "check_suite", `{"check_suite": {}}`, "The payload of the check_suite event lacks check_suite.head_sha"},
		{"a listed pull request without a number", "check_run", `{"check_run": {"pull_requests": [{"base": {"repo": {"id": 5}}}]}, "repository": {"id": 5}}`, "The payload of the check_run event lacks check_run.pull_requests.number"},
		{"a branch as a commit", "status", `{"sha": "main"}`, "The payload of the status event has no commit id at sha"},
		{"the commit of nothing", "push", `{"ref": "refs/heads/x", "after": "` + strings.Repeat("0", 40) + `"}`, "The payload of the push event has no commit id at after"},
		{"no merge group", "merge_group", `{}`, "The payload of the merge_group event lacks merge_group"},
		{"a queue for a number that is too large", "merge_group", `{"merge_group": {"head_ref": "gh-readonly-queue/main/pr-99999999999-aa"}}`, "The payload of the merge_group event has no number of a pull request at merge_group.head_ref"},
		{"a push of nothing", "push", `{}`, "The payload of the push event lacks ref"},
		{"a dispatch that names a word", "workflow_dispatch", `{"inputs": {"pr": "all"}}`, "The payload of the workflow_dispatch event has no number of a pull request at inputs.pr"},
		{"a dispatch that names a negative number", "workflow_dispatch", `{"inputs": {"pr": "-7"}}`, "The payload of the workflow_dispatch event has no number of a pull request at inputs.pr"},
		{"a dispatch that names a list", "workflow_dispatch", `{"inputs": {"pr": [7]}}`, "The payload of the workflow_dispatch event has no number of a pull request at inputs.pr"},
		{"a repository dispatch with an object without a number", "repository_dispatch", `{"client_payload": {"pr": {}}}`, "The payload of the repository_dispatch event lacks client_payload.pr.number"},
		{"a repository dispatch with a string", "repository_dispatch", `{"client_payload": "x"}`, "The payload of the repository_dispatch event has another type than GitHub sends at client_payload (byte 22)"},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got, err := Parse(tt.name, []byte(tt.body), 0)
			e, ok := errors.AsType[*fail.Error](err)
			if !ok {
				t.Fatalf("Parse = %+v, %v; want a *fail.Error", got, err)
			}
			want := fail.Error{
				What: "The event file could not be read",
				Why:  tt.want,
				Fix:  "Re-run the job; outside of GitHub Actions, let GITHUB_EVENT_PATH name a file with the payload of that event",
				Err:  e.Err,
			}
			if diff := cmp.Diff(want, *e, cmp.Comparer(errors.Is)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(Event{}, got); diff != "" {
				t.Errorf("an event beside an error:\n%s", diff)
			}
		})
	}
}

// FuzzParse: whatever the file holds, Parse gives a target that can be looked
// at, or an error with a reader that quotes nothing of the file.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no payloads: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		f.Add(name, body)
	}
	f.Add("repository_dispatch", []byte(`{"client_payload": {"pr": {"number": 7}}}`))
	f.Add("workflow_dispatch", []byte(`{"inputs": {"pr": "7"}}`))
	f.Add("push", []byte(`{"ref": "refs/heads/x", "after": "`+oid+`"}`))
	f.Add("pull_request", []byte(`{"pull_request": {"number": "::error::x"}}`))

	whys := regexp.MustCompile(`^The payload of the [a-z_]+ event (is empty|is not JSON: it is damaged at byte \d+ of \d+|is JSON, but not an object|` +
		`is JSON that prloop cannot take in|has another type than GitHub sends at [a-z_.]* \(byte \d+\)|lacks [a-z_.]+|has no (number of a pull request|commit id) at [a-z_.]+)$`)
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		e, err := Parse(name, body, 0)
		if err != nil {
			fe, ok := errors.AsType[*fail.Error](err)
			if !ok || !whys.MatchString(fe.Why) {
				t.Fatalf("error without a reader: %v", err)
			}
			if diff := cmp.Diff(Event{}, e); diff != "" {
				t.Fatalf("an event beside an error:\n%s", diff)
			}
			return
		}
		if e.Name != name || e.Why == "" {
			t.Fatalf("Parse = %+v", e)
		}
		for _, row := range events {
			if row.name == name && e.Action != "" && !slices.Contains(row.actions, e.Action) {
				t.Fatalf("action %q is none of GitHub's", e.Action)
			}
		}
		switch target := e.Target.(type) {
		case Numbers:
			if len(target.PRs) == 0 || target.PRs[0] < 1 || !slices.IsSorted(target.PRs) || len(slices.Compact(slices.Clone(target.PRs))) != len(target.PRs) {
				t.Fatalf("numbers %v", target.PRs)
			}
		case Commit:
			if !sha.MatchString(string(target.SHA)) {
				t.Fatalf("commit %q", target.SHA)
			}
		case Nothing:
			if target.Because == "" || !slices.Contains([]Code{UnsupportedEvent, NotAPullRequest, EventIgnored}, target.Code) {
				t.Fatalf("nothing without a reason: %+v", target)
			}
		case Issue:
			if target.Number < 1 {
				t.Fatalf("issue %d", target.Number)
			}
		case Sweep:
		default:
			t.Fatalf("no target: %T", target)
		}
	})
}
