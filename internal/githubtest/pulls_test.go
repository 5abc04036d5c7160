package githubtest

import (
	"fmt"
	"testing"
	"time"
)

func TestAPushOutdatesThreadsAndKeepsReviewsWithTheirCommits(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Head: "1111111111111111111111111111111111111111"})
	w.Review(n, Submitted{By: "hubot", Body: "See below.", Findings: []Finding{
		{Path: "a.go", Line: 3, Text: "one"}, {Path: "b.go", Line: 4, Text: "two"}, {Path: "a.go", Text: "of the file"},
	}})
	w.Push(n, Push{Head: "2222222222222222222222222222222222222222", Paths: []string{"a.go"}})

	want := `{"headRefOid":"2222222222222222222222222222222222222222",` +
		`"reviews":{"nodes":[{"commit":{"oid":"1111111111111111111111111111111111111111"}}]},` +
		`"reviewThreads":{"nodes":[` +
		`{"path":"a.go","line":null,"originalLine":3,"isOutdated":true,"isCollapsed":true,"subjectType":"LINE"},` +
		`{"path":"b.go","line":4,"originalLine":4,"isOutdated":false,"isCollapsed":false,"subjectType":"LINE"},` +
		`{"path":"a.go","line":null,"originalLine":null,"isOutdated":false,"isCollapsed":false,"subjectType":"FILE"}]}}`
	got := onPR(t, w, "wf", `headRefOid reviews(first: 9) { nodes { commit { oid } } }
		reviewThreads(first: 9) { nodes { path line originalLine isOutdated isCollapsed subjectType } }`)
	same(t, "the pull request", want, got)
}

func TestAForcePushStandsInTheTimeline(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Head: "1111111111111111111111111111111111111111"})
	w.Advance(time.Minute)
	w.Push(n, Push{Head: "2222222222222222222222222222222222222222", By: "hubot", Force: true})
	want := `{"timelineItems":{"nodes":[{"createdAt":"2026-11-30T09:01:00Z","actor":{"login":"hubot"},` +
		`"beforeCommit":{"oid":"1111111111111111111111111111111111111111"},"afterCommit":{"oid":"2222222222222222222222222222222222222222"}}]},` +
		`"commits":{"totalCount":1}}`
	got := onPR(t, w, "wf", `timelineItems(first: 9, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes { ... on HeadRefForcePushedEvent {
		createdAt actor { login } beforeCommit { oid } afterCommit { oid } } } } commits(last: 1) { totalCount }`)
	same(t, "the timeline", want, got)
}

func TestTheLastWriteToACommentWinsAndNamesItsEditor(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	id := w.Comment(n, ActionsBot, "ours")
	w.Advance(time.Minute)
	w.EditComment(id, "mona", "theirs")
	want := `{"updatedAt":"2026-11-30T09:01:00Z","comments":{"nodes":[{"author":{"__typename":"Bot","login":"github-actions"},"body":"theirs",` +
		`"createdAt":"2026-11-30T09:00:00Z","updatedAt":"2026-11-30T09:01:00Z","lastEditedAt":"2026-11-30T09:01:00Z",` +
		`"editor":{"login":"mona"},"includesCreatedEdit":true,"viewerDidAuthor":true,"isMinimized":false}]}}`
	got := onPR(t, w, "wf", `updatedAt comments(first: 9) { nodes { author { __typename login } body createdAt updatedAt lastEditedAt
		editor { login } includesCreatedEdit viewerDidAuthor isMinimized } }`)
	same(t, "the comment", want, got)
}

func TestADeletedCommentLeavesAnEvent(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	id := w.Comment(n, ActionsBot, "ours")
	w.DeleteComment(id, "mona")
	want := `{"comments":{"totalCount":0},"timelineItems":{"nodes":[{"__typename":"PullRequestCommit"},` +
		`{"__typename":"CommentDeletedEvent","actor":{"login":"mona"},"deletedCommentAuthor":{"login":"github-actions"}}]}}`
	got := onPR(t, w, "wf", `comments(first: 9) { totalCount } timelineItems(first: 9) { nodes { __typename
		... on CommentDeletedEvent { actor { login } deletedCommentAuthor { login } } } }`)
	same(t, "the pull request", want, got)
}

func TestAHiddenCommentIsStillThere(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.HideComment(w.Comment(n, "mona", "old"), "mona", "outdated")
	want := `{"comments":{"nodes":[{"body":"old","isMinimized":true,"minimizedReason":"outdated"}]}}`
	same(t, "the comment", want, onPR(t, w, "wf", `comments(first: 9) { nodes { body isMinimized minimizedReason } }`))
}

func TestAnotherAccountsPendingReviewIsInvisible(t *testing.T) {
	w := world(Options{})
	w.SetReviewer("mona", Reviewer{Rounds: []Round{{Hangs: true}}})
	n := w.OpenPR(PR{Author: "hubot"})
	w.Request(n, "hubot", "mona")
	w.Advance(time.Second)
	const fields = `reviews(first: 9) { nodes { state submittedAt } } reviewRequests(first: 9) { totalCount }`
	same(t, "what others see", `{"reviews":{"nodes":[]},"reviewRequests":{"totalCount":0}}`, onPR(t, w, "wf", fields))
	same(t, "what its author sees", `{"reviews":{"nodes":[{"state":"PENDING","submittedAt":null}]},"reviewRequests":{"totalCount":0}}`,
		onPR(t, w, "pat", fields))
	id := w.Pull(n).Reviews[0].ID
	_, errs := ask(t, w, "wf", `query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": id})
	same(t, "by its node id", []string{"NOT_FOUND node: Could not resolve to a node with the global id of '" + id + "'"}, errs)
}

func TestADismissedReviewIsRewrittenInPlace(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	id := w.Review(n, Submitted{By: "hubot", State: "CHANGES_REQUESTED", Body: "No."})
	w.Dismiss(id, "mona", "Done.")
	want := `{"reviews":{"nodes":[{"state":"DISMISSED","body":"No."}]},` +
		`"timelineItems":{"nodes":[{"previousReviewState":"CHANGES_REQUESTED","dismissalMessage":"Done."}]}}`
	got := onPR(t, w, "wf", `reviews(first: 9) { nodes { state body } }
		timelineItems(first: 9, itemTypes: [REVIEW_DISMISSED_EVENT]) { nodes { ... on ReviewDismissedEvent { previousReviewState dismissalMessage } } }`)
	same(t, "the pull request", want, got)
}

func TestAReplyComesInAReviewWithoutABody(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: CopilotReviewer, Body: "Overview.", Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}}})
	w.Reply(w.Pull(n).Threads[0].ID, "mona", "Fixed.")
	want := `{"reviews":{"nodes":[{"author":{"login":"copilot-pull-request-reviewer"},"body":"Overview.","comments":{"totalCount":1}},` +
		`{"author":{"login":"mona"},"body":"","comments":{"totalCount":1}}]},` +
		`"reviewThreads":{"nodes":[{"comments":{"nodes":[{"body":"one","replyTo":null},{"body":"Fixed.","replyTo":{"body":"one"}}]}}]}}`
	got := onPR(t, w, "wf", `reviews(first: 9) { nodes { author { login } body comments(first: 9) { totalCount } } }
		reviewThreads(first: 9) { nodes { comments(first: 9) { nodes { body replyTo { body } } } } }`)
	same(t, "the pull request", want, got)
}

func TestABotThatResolvesAThreadShowsAsNobody(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: "hubot", Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}, {Path: "a.go", Line: 4, Text: "two"}}})
	threads := w.Pull(n).Threads
	w.Resolve(threads[0].ID, ActionsBot)
	w.Resolve(threads[1].ID, "mona")
	want := `{"reviewThreads":{"nodes":[{"isResolved":true,"resolvedBy":null},{"isResolved":true,"resolvedBy":{"login":"mona"}}]}}`
	same(t, "the threads", want, onPR(t, w, "wf", `reviewThreads(first: 9) { nodes { isResolved resolvedBy { login } } }`))
	w.Unresolve(threads[1].ID, "mona")
	same(t, "the second thread", false, w.Pull(n).Threads[1].Resolved)
}

func TestAGhostIsNull(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{HeadGone: true})
	w.Comment(n, "", "left behind")
	w.SetPull(n, func(p *Pull) { p.Author = "" })
	want := `{"author":null,"headRepository":null,"headRef":null,"isCrossRepository":true,"comments":{"nodes":[{"author":null}]}}`
	got := onPR(t, w, "wf", `author { login } headRepository { nameWithOwner } headRef { name } isCrossRepository comments(first: 9) { nodes { author { login } } }`)
	same(t, "the pull request", want, got)
}

func TestTheTimelineHasEveryTurnOfAPullRequest(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Draft: true, Author: "mona"})
	w.Ready(n, "mona")
	w.Draft(n, "mona")
	w.Ready(n, "mona")
	w.Label(n, "mona", "prloop")
	w.Unlabel(n, "mona", "prloop")
	w.Request(n, "mona", "hubot")
	w.Withdraw(n, "mona", "hubot")
	w.Close(n, "mona")
	w.Reopen(n, "mona")
	w.Merge(n, "mona")
	var got []string
	for _, e := range w.Pull(n).Events {
		got = append(got, e.Kind)
	}
	want := []string{
		"committed", "ready_for_review", "convert_to_draft", "ready_for_review", "labeled", "unlabeled", "review_requested",
		"review_request_removed", "closed", "reopened", "merged", "closed",
	}
	same(t, "the events", want, got)
	seen := onPR(t, w, "wf", `state merged mergedBy { login } timelineItems(first: 50) { nodes { __typename } }`)
	same(t, "what GraphQL shows", `{"state":"MERGED","merged":true,"mergedBy":{"login":"mona"},"timelineItems":{"nodes":[`+
		`{"__typename":"PullRequestCommit"},{"__typename":"ReadyForReviewEvent"},{"__typename":"ConvertToDraftEvent"},`+
		`{"__typename":"ReadyForReviewEvent"},{"__typename":"LabeledEvent"},{"__typename":"UnlabeledEvent"},`+
		`{"__typename":"ReviewRequestedEvent"},{"__typename":"ReviewRequestRemovedEvent"},{"__typename":"ClosedEvent"},`+
		`{"__typename":"ReopenedEvent"},{"__typename":"MergedEvent"},{"__typename":"ClosedEvent"}]}}`, seen)
}

func TestScriptedChecksRunOnEveryHead(t *testing.T) {
	w := world(Options{})
	w.SetChecks(
		ScriptedCheck{Check: Check{Name: "build"}, After: time.Minute, Takes: 2 * time.Minute, Conclusions: []string{"FAILURE", "SUCCESS"}},
		ScriptedCheck{Check: Check{Name: "legacy/ci", StatusOnly: true, Creator: "hubot"}, Takes: time.Minute},
		ScriptedCheck{Check: Check{Name: "slow"}, Never: true},
	)
	n := w.OpenPR(PR{})
	const fields = `statusCheckRollup { state contexts(first: 9) { nodes { ... on CheckRun { name status conclusion } ... on StatusContext { context state } } } }`
	same(t, "at once", `{"statusCheckRollup":null}`, onPR(t, w, "wf", fields))
	w.Advance(time.Minute)
	same(t, "after a minute", `{"statusCheckRollup":{"state":"PENDING","contexts":{"nodes":[{"context":"legacy/ci","state":"SUCCESS"},`+
		`{"name":"slow","status":"IN_PROGRESS","conclusion":null},{"name":"build","status":"IN_PROGRESS","conclusion":null}]}}}`, onPR(t, w, "wf", fields))
	w.Advance(2 * time.Minute)
	same(t, "after three", `{"statusCheckRollup":{"state":"FAILURE","contexts":{"nodes":[{"context":"legacy/ci","state":"SUCCESS"},`+
		`{"name":"slow","status":"IN_PROGRESS","conclusion":null},{"name":"build","status":"COMPLETED","conclusion":"FAILURE"}]}}}`, onPR(t, w, "wf", fields))
	w.Push(n, Push{})
	w.Advance(3 * time.Minute)
	same(t, "on the second head", `{"statusCheckRollup":{"state":"PENDING","contexts":{"nodes":[{"context":"legacy/ci","state":"SUCCESS"},`+
		`{"name":"slow","status":"IN_PROGRESS","conclusion":null},{"name":"build","status":"COMPLETED","conclusion":"SUCCESS"}]}}}`, onPR(t, w, "wf", fields))
}

func TestAPushByTheWorkflowTokenStartsNoWorkflows(t *testing.T) {
	w := world(Options{})
	w.SetChecks(ScriptedCheck{Check: Check{Name: "build"}})
	n := w.OpenPR(PR{})
	w.Advance(time.Minute)
	w.Push(n, Push{By: ActionsBot})
	w.Advance(time.Hour)
	same(t, "the checks of the new head", `{"statusCheckRollup":null}`, onPR(t, w, "wf", `statusCheckRollup { state }`))
}

func TestARerunTakesThePlaceOfTheEarlierAttempt(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Check(n, Check{Name: "build", RunID: 7, RunNumber: 20, Conclusion: "FAILURE"})
	w.Check(n, Check{Name: "test", RunID: 7, Conclusion: "CANCELLED"})
	id := w.Check(n, Check{Name: "build", RunID: 7, Attempt: 2})
	const fields = `statusCheckRollup { contexts(first: 9) { nodes { ... on CheckRun { name status checkSuite { workflowRun { databaseId runNumber runAttempt } } } } } }`
	same(t, "the rollup", `{"statusCheckRollup":{"contexts":{"nodes":[{"name":"build","status":"IN_PROGRESS",`+
		`"checkSuite":{"workflowRun":{"databaseId":7,"runNumber":20,"runAttempt":2}}}]}}}`, onPR(t, w, "wf", fields))
	w.FinishCheck(id, "SUCCESS")
	same(t, "the state", `{"statusCheckRollup":{"state":"SUCCESS"}}`, onPR(t, w, "wf", `statusCheckRollup { state }`))
}

func TestTwoRunsOfOneWorkflowBothStandInTheRollup(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Check(n, Check{Name: "system", RunID: 19, RunNumber: 19, CheckRunID: 950, Conclusion: "CANCELLED"})
	w.Check(n, Check{Name: "system", RunID: 20, RunNumber: 20, CheckRunID: 900})
	w.Check(n, Check{Name: "lint", App: "linty", Conclusion: "SUCCESS"})
	same(t, "the rollup", `{"statusCheckRollup":{"contexts":{"totalCount":3,"checkRunCount":3,"statusContextCount":0,`+
		`"checkRunCountsByState":[{"state":"CANCELLED","count":1},{"state":"IN_PROGRESS","count":1},{"state":"SUCCESS","count":1}],`+
		`"nodes":[{"databaseId":950,"checkSuite":{"app":{"slug":"github-actions"},"workflowRun":{"runNumber":19}}},`+
		`{"databaseId":900,"checkSuite":{"app":{"slug":"github-actions"},"workflowRun":{"runNumber":20}}},`+
		`{"databaseId":57000000001,"checkSuite":{"app":{"slug":"linty"},"workflowRun":null}}]}}}`,
		onPR(t, w, "wf", `statusCheckRollup { contexts(first: 9) { totalCount checkRunCount statusContextCount checkRunCountsByState { state count }
			nodes { ... on CheckRun { databaseId checkSuite { app { slug } workflowRun { runNumber } } } } } }`))
}

func TestValuesThatTodaysSchemaDoesNotHavePassThrough(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Check(n, Check{Name: "odd", Status: "COMPLETED", Conclusion: "SOMETHING_NEW"})
	w.SetPull(n, func(p *Pull) { p.MergeState, p.Mergeable = "SOME_NEW_STATE", "PERHAPS" })
	same(t, "the pull request", `{"mergeStateStatus":"SOME_NEW_STATE","mergeable":"PERHAPS",`+
		`"statusCheckRollup":{"contexts":{"nodes":[{"conclusion":"SOMETHING_NEW"}]}}}`,
		onPR(t, w, "wf", `mergeStateStatus mergeable statusCheckRollup { contexts(first: 9) { nodes { ... on CheckRun { conclusion } } } }`))
}

func TestWhatTheBaseRequires(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{
		Contexts: []string{"classic"}, Checks: []string{"build"}, Workflows: []string{".github/workflows/must.yml"},
		Copilot: &CopilotRule{OnPush: true}, Strict: true,
	})
	n := w.OpenPR(PR{})
	w.Check(n, Check{Name: "build", Conclusion: "SUCCESS"})
	w.Check(n, Check{Name: "other", Conclusion: "SUCCESS"})
	w.Check(n, Check{Name: "by its own word", Conclusion: "SUCCESS", Required: true})
	got := onPR(t, w, "wf", `mergeStateStatus baseRef { refUpdateRule { requiredStatusCheckContexts } rules(first: 9) { nodes { type parameters { __typename
		... on RequiredStatusChecksParameters { strictRequiredStatusChecksPolicy requiredStatusChecks { context } }
		... on WorkflowsParameters { workflows { path } } ... on CopilotCodeReviewParameters { reviewOnPush reviewDraftPullRequests } } } } }
		statusCheckRollup { contexts(first: 9) { nodes { ... on CheckRun { name isRequired(pullRequestNumber: 1) } } } }`)
	same(t, "the pull request", `{"mergeStateStatus":"BLOCKED","baseRef":{"refUpdateRule":{"requiredStatusCheckContexts":["classic"]},"rules":{"nodes":[`+
		`{"type":"REQUIRED_STATUS_CHECKS","parameters":{"__typename":"RequiredStatusChecksParameters","strictRequiredStatusChecksPolicy":true,"requiredStatusChecks":[{"context":"build"}]}},`+
		`{"type":"WORKFLOWS","parameters":{"__typename":"WorkflowsParameters","workflows":[{"path":".github/workflows/must.yml"}]}},`+
		`{"type":"COPILOT_CODE_REVIEW","parameters":{"__typename":"CopilotCodeReviewParameters","reviewOnPush":true,"reviewDraftPullRequests":false}}]}},`+
		`"statusCheckRollup":{"contexts":{"nodes":[{"name":"build","isRequired":true},{"name":"other","isRequired":false},{"name":"by its own word","isRequired":true}]}}}`, got)
}

func TestIsRequiredMustBeToldThePullRequest(t *testing.T) {
	w := world(Options{})
	w.Check(w.OpenPR(PR{}), Check{Name: "build", Conclusion: "SUCCESS"})
	data, errs := ask(t, w, "wf", `{ repository(owner: "octo", name: "demo") { pullRequest(number: 1) { statusCheckRollup { contexts(first: 1) {
		nodes { ... on CheckRun { isRequired } } } } } } }`, nil)
	same(t, "data", `{"repository":{"pullRequest":{"statusCheckRollup":{"contexts":{"nodes":[null]}}}}}`, data)
	same(t, "errors", []string{
		"ARGUMENT_ERROR repository.pullRequest.statusCheckRollup.contexts.nodes.0.isRequired: Please provide either `pullRequestId` or `pullRequestNumber`.",
	}, errs)
}

func TestMergeState(t *testing.T) {
	green := Check{Name: "build", Conclusion: "SUCCESS"}
	red := Check{Name: "build", Conclusion: "FAILURE"}
	required := Rules{Contexts: []string{"build"}}
	for _, row := range []struct {
		name  string
		rules Rules
		check *Check
		set   func(*Pull)
		want  string
	}{
		{"nothing stands against it", Rules{}, nil, nil, "CLEAN"},
		{"a draft", Rules{}, nil, func(p *Pull) { p.Draft = true }, "DRAFT"},
		{"a conflict", Rules{}, nil, func(p *Pull) { p.Conflict = true }, "DIRTY"},
		{"a required check never reported", required, nil, nil, "BLOCKED"},
		{"a required check is red", required, &red, nil, "BLOCKED"},
		{"a required check is green", required, &green, nil, "CLEAN"},
		{"another check is red", Rules{}, &red, nil, "UNSTABLE"},
		{"behind under a strict rule", Rules{Contexts: []string{"build"}, Strict: true}, &green, func(p *Pull) { p.Behind = true }, "BEHIND"},
		{"behind without one", required, &green, func(p *Pull) { p.Behind = true }, "CLEAN"},
		{"an approval is missing", Rules{Approvals: 1}, nil, nil, "BLOCKED"},
		{"closed", Rules{}, nil, func(p *Pull) { p.State = "CLOSED" }, "UNKNOWN"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := world(Options{})
			w.SetRules("", row.rules)
			n := w.OpenPR(PR{})
			if row.check != nil {
				w.Check(n, *row.check)
			}
			if row.set != nil {
				w.SetPull(n, row.set)
			}
			same(t, "the state", fmt.Sprintf(`{"mergeStateStatus":%q}`, row.want), onPR(t, w, "wf", `mergeStateStatus`))
		})
	}
}

func TestWhatAConclusionCountsForInTheRollup(t *testing.T) {
	for state, checks := range map[string][]Check{
		"SUCCESS": {{Conclusion: "SUCCESS"}, {Conclusion: "NEUTRAL"}, {Conclusion: "SKIPPED"}, {StatusOnly: true, Conclusion: "SUCCESS"}},
		"PENDING": {
			{Status: "QUEUED"},
			{Status: "IN_PROGRESS"},
			{Status: "WAITING"},
			{Status: "REQUESTED"},
			{Status: "PENDING"},
			{Conclusion: "STALE"},
			{StatusOnly: true, Conclusion: "PENDING"},
			{StatusOnly: true, Conclusion: "EXPECTED"},
		},
		"FAILURE": {
			{Conclusion: "FAILURE"},
			{Conclusion: "TIMED_OUT"},
			{Conclusion: "CANCELLED"},
			{Conclusion: "ACTION_REQUIRED"},
			{Conclusion: "STARTUP_FAILURE"},
			{StatusOnly: true, Conclusion: "ERROR"},
			{StatusOnly: true, Conclusion: "FAILURE"},
		},
	} {
		for _, c := range checks {
			c.Name = "odd"
			w := world(Options{})
			n := w.OpenPR(PR{})
			w.Check(n, Check{Name: "green", Conclusion: "SUCCESS"})
			w.Check(n, c)
			same(t, fmt.Sprintf("%+v", c), `{"statusCheckRollup":{"state":"`+state+`"}}`, onPR(t, w, "wf", `statusCheckRollup { state }`))
		}
	}
}

func TestAnOpenThreadBlocksUnderItsRule(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{ThreadResolution: true})
	n := w.OpenPR(PR{})
	w.Review(n, Submitted{By: "hubot", Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}}})
	same(t, "with the thread open", `{"mergeStateStatus":"BLOCKED"}`, onPR(t, w, "wf", `mergeStateStatus`))
	w.Resolve(w.Pull(n).Threads[0].ID, "mona")
	same(t, "with the thread resolved", `{"mergeStateStatus":"CLEAN"}`, onPR(t, w, "wf", `mergeStateStatus`))
}

func TestReviewDecision(t *testing.T) {
	w := world(Options{})
	w.AddAccount(Account{Login: "hubot", Permission: "write"})
	n := w.OpenPR(PR{})
	same(t, "where no review is required", `{"reviewDecision":null}`, onPR(t, w, "wf", `reviewDecision`))
	w.SetRules("", Rules{Approvals: 1})
	same(t, "before any review", `{"reviewDecision":"REVIEW_REQUIRED"}`, onPR(t, w, "wf", `reviewDecision`))
	w.Review(n, Submitted{By: CopilotReviewer, State: "APPROVED"})
	same(t, "after an approval without write access", `{"reviewDecision":"REVIEW_REQUIRED"}`, onPR(t, w, "wf", `reviewDecision`))
	w.Review(n, Submitted{By: "hubot", State: "CHANGES_REQUESTED"})
	same(t, "after a refusal", `{"reviewDecision":"CHANGES_REQUESTED"}`, onPR(t, w, "wf", `reviewDecision`))
	w.Review(n, Submitted{By: "hubot", State: "APPROVED"})
	same(t, "after the same person's approval", `{"reviewDecision":"APPROVED","latestReviews":{"nodes":[{"state":"APPROVED","author":{"login":"copilot-pull-request-reviewer"}},{"state":"APPROVED","author":{"login":"hubot"}}]}}`,
		onPR(t, w, "wf", `reviewDecision latestReviews(first: 9) { nodes { state author { login } } }`))
}

func TestAPullRequestGetsAnotherBase(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	w.Retarget(n, "mona", "release")
	same(t, "the pull request", `{"baseRefName":"release","timelineItems":{"nodes":[{"previousRefName":"main","currentRefName":"release"}]}}`,
		onPR(t, w, "wf", `baseRefName timelineItems(first: 9, itemTypes: [BASE_REF_CHANGED_EVENT]) { nodes { ... on BaseRefChangedEvent { previousRefName currentRefName } } }`))
}

func TestAPullRequestMayStandOnAnother(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{HeadRef: "first", Head: "1111111111111111111111111111111111111111"})
	w.OpenPR(PR{HeadRef: "second", Base: "first"})
	data, errs := ask(t, w, "wf", `{ repository(owner: "octo", name: "demo") { pullRequest(number: 2) { baseRefOid baseRef { name associatedPullRequests(first: 9) { nodes { number } } } } } }`, nil)
	same(t, "errors", nil, errs)
	same(t, "data", `{"repository":{"pullRequest":{"baseRefOid":"1111111111111111111111111111111111111111","baseRef":{"name":"first","associatedPullRequests":{"nodes":[{"number":1}]}}}}}`, data)
}

func TestDisarmingAMergeStandsInTheTimeline(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{Contexts: []string{"build"}})
	n := w.OpenPR(PR{})
	id := map[string]any{"id": w.Pull(n).ID}
	for _, m := range []string{"enablePullRequestAutoMerge", "disablePullRequestAutoMerge"} {
		_, errs := ask(t, w, "wf", `mutation($id: ID!) { `+m+`(input: {pullRequestId: $id}) { pullRequest { number } } }`, id)
		same(t, "errors of "+m, nil, errs)
	}
	same(t, "the pull request", `{"autoMergeRequest":null,"timelineItems":{"nodes":[{"__typename":"AutoMergeEnabledEvent"},{"__typename":"AutoMergeDisabledEvent"}]}}`,
		onPR(t, w, "wf", `autoMergeRequest { mergeMethod } timelineItems(first: 9, itemTypes: [AUTO_MERGE_ENABLED_EVENT, AUTO_MERGE_DISABLED_EVENT]) { nodes { __typename } }`))
	_, errs := ask(t, w, "wf", `mutation($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }`, id)
	same(t, "once more", []string{"UNPROCESSABLE disablePullRequestAutoMerge: Can't disable auto-merge for this pull request."}, errs)
}

func TestAnArmedMergeHappensOnceNothingHoldsItBack(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{Contexts: []string{"build"}})
	n := w.OpenPR(PR{})
	id := w.Check(n, Check{Name: "build"})
	_, errs := ask(t, w, "wf", `mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { autoMergeRequest { mergeMethod enabledBy { login } } } } }`,
		map[string]any{"id": w.Pull(n).ID})
	same(t, "errors", nil, errs)
	same(t, "the state while the check runs", "OPEN", w.Pull(n).State)
	w.FinishCheck(id, "SUCCESS")
	same(t, "the state after it", "MERGED", w.Pull(n).State)
	same(t, "who merged", ActionsBot, w.Pull(n).MergedBy)

	// By a commit status, by an approval, by the last thread that is resolved.
	for _, row := range []struct {
		name  string
		rules Rules
		last  func(w *World, n int)
	}{
		{"a commit status", Rules{Contexts: []string{"ci"}}, func(w *World, n int) { w.Check(n, Check{Name: "ci", StatusOnly: true, Conclusion: "SUCCESS"}) }},
		{"an approval", Rules{Approvals: 1}, func(w *World, n int) { w.Review(n, Submitted{By: "octo", State: "APPROVED"}) }},
		{"a resolved thread", Rules{ThreadResolution: true}, func(w *World, n int) { w.Resolve(w.Pull(n).Threads[0].ID, "mona") }},
	} {
		w := world(Options{})
		n := w.OpenPR(PR{})
		w.Review(n, Submitted{By: "hubot", Findings: []Finding{{Path: "a.go", Line: 3, Text: "one"}}})
		w.SetRules("", row.rules)
		w.SetPull(n, func(p *Pull) { p.AutoMerge = &AutoMerge{At: start, By: "mona", Method: "MERGE"} })
		w.Comment(n, "mona", "waiting")
		same(t, row.name+": before", "OPEN", w.Pull(n).State)
		row.last(w, n)
		same(t, row.name+": after", "MERGED", w.Pull(n).State)
	}
}

func TestAPushByAStrangerDisarmsTheMerge(t *testing.T) {
	for by, armed := range map[string]bool{"mona": true, "stranger": false} {
		w := world(Options{})
		w.SetRules("", Rules{Contexts: []string{"ci"}})
		n := w.OpenPR(PR{})
		w.SetPull(n, func(p *Pull) { p.AutoMerge = &AutoMerge{At: start, By: "mona", Method: "MERGE"} })
		w.Push(n, Push{By: by})
		same(t, "armed after a push by "+by, armed, w.Pull(n).AutoMerge != nil)
	}
}
