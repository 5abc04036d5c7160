package githubtest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v62/github"
	"github.com/shurcooL/githubv4"
)

const medium = `<picture><source media="(prefers-color-scheme: dark)" srcset="https://example.com/medium-dark.svg">` +
	`<img src="https://example.com/medium.png" alt="Medium severity" width="62" height="18" align="texttop"></picture>`

// The texts are those of the reviews that were reported from public
// repositories.
func TestTheTextOfAReviewHasTheLayoutOfItsTime(t *testing.T) {
	low := strings.NewReplacer("medium", "low", "Medium", "Low").Replace(medium)
	for _, row := range []struct {
		name     string
		layout   Layout
		findings []Finding
		resolved int
		want     string
	}{
		{
			"v1, clean", V1, nil, 0,
			"## Pull request overview\n\nWords about the change.\n\n### Reviewed changes\n\n" +
				"Copilot reviewed 6 out of 6 changed files in this pull request and generated no comments.\n",
		},
		{
			"v1, two comments and a suppressed one", V1,
			[]Finding{{Path: "a.go", Line: 1, Text: "A"}, {Path: "b.go", Line: 2, Text: "B"}, {Path: "c.go", Line: 3, Text: "C", BodyOnly: true}},
			0,
			"## Pull request overview\n\nWords about the change.\n\n### Reviewed changes\n\n" +
				"Copilot reviewed 6 out of 6 changed files in this pull request and generated 2 comments.\n\n" +
				"<details>\n<summary>Comments suppressed due to low confidence (1)</summary>\n\n**c.go:3**\n* C\n</details>\n",
		},
		{
			"v1 in one line, clean", V1Short, nil, 0,
			"Copilot reviewed 6 out of 6 changed files in this pull request and generated no new comments.\n",
		},
		{
			"v2, clean with one resolved", V2, nil, 1,
			"<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟢 Approval recommended\n\nOne sentence.\n\n" +
				"**Review effort:** Lite  \n**Findings:** None\n\n<details>\n<summary><strong>Resolved since last review (1)</strong></summary>\n\n" +
				"- " + medium + " [Fixed thing](#discussion_r700)\n</details>",
		},
		{
			"v2, three findings of two severities", V2,
			[]Finding{{Path: "a.go", Text: "A"}, {Path: "b.go", Text: "B"}, {Path: "c.go", Text: "C", Severity: "Low"}},
			0,
			"<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🟡 Changes recommended\n\nOne sentence.\n\n**Review effort:** Lite  \n" +
				"**Findings:** 2 " + medium + " · 1 " + low + "\n\n<details open>\n<summary><strong>Open (3)</strong></summary>\n\n" +
				"- " + medium + " [A](#discussion_r600) · New\n- " + medium + " [B](#discussion_r601) · New\n- " + low + " [C](#discussion_r602) · New\n</details>",
		},
		{
			"v2, a finding in the body alone", V2,
			[]Finding{{Path: "src/contract.js", Line: 171, Text: "Finding title", BodyOnly: true}},
			0,
			"<!-- ccr-overview-v2 -->\n\n## Copilot review overview\n\n### 🔵 Needs a closer look\n\nOne sentence.\n\n**Review effort:** Lite  \n" +
				"**Findings:** None\n\n<details>\n<summary><strong>Previously missed (1)</strong></summary>\n\n" +
				"In code that hasn't changed since last review\n\n<details>\n<summary>" + medium + " Finding title</summary>\n\n`src/contract.js:171`\n\n" +
				"Finding title\n</details>\n</details>",
		},
		{
			"October, approved", V2October, nil, 0,
			"<!-- ccr-overview-v2 -->\n\n### 🟢 Approved\n\nOne sentence.\n\n**0 open findings**\n\n🧠 **Review effort:** Lite",
		},
		{
			"October, one open and one resolved", V2October,
			[]Finding{{Path: "a.go", Text: "A"}},
			1,
			"<!-- ccr-overview-v2 -->\n\n### 🟡 Changes recommended\n\nOne sentence.\n\n<details open>\n<summary><strong>1 open finding</strong></summary>\n\n" +
				"- " + medium + " [A](#discussion_r600) · New\n</details>\n\n<details>\n<summary><strong>1 resolved since last review</strong></summary>\n\n" +
				"- " + medium + " [Fixed thing](#discussion_r700)\n</details>\n\n🧠 **Review effort:** Lite",
		},
		{
			"an error", ErrorNotice, nil, 0,
			"Copilot encountered an error and was unable to review this pull request. You can try again by re-requesting a review.",
		},
		{
			"no quota", QuotaNotice, nil, 0,
			"Copilot was unable to review this pull request because the user who requested the review has reached their quota limit.",
		},
		{
			"nothing to review", NoFiles, nil, 0,
			"Copilot wasn't able to review any files in this pull request. Check if the **Files changed** in this pull request are included in " +
				"[default exclusions](https://docs.github.com/en/copilot/reference/review-excluded-files).",
		},
		{
			"a progress note", StillReviewing, nil, 0,
			"Copilot is still reviewing this pull request. Findings will appear here when the review completes.",
		},
		{
			"a layout that nobody has seen", Unknown, nil, 0,
			"<!-- ccr-overview-v9 -->\n\n## Something new\n\nStatus: needs attention\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			same(t, "the text", row.want, row.layout.body(row.findings, row.resolved, 600))
		})
	}
}

// reviewed is a world whose Copilot starts after a minute and answers after
// three more.
func reviewed(o Options, rounds ...Round) (*World, int) {
	w := world(o)
	w.SetReviewer(CopilotReviewer, Reviewer{StartAfter: time.Minute, SubmitAfter: 3 * time.Minute, Rounds: rounds})
	return w, w.OpenPR(PR{Author: "hubot", Head: "1111111111111111111111111111111111111111"})
}

// timeline is the REST timeline as "event actor" lines, without the commits.
func timeline(t *testing.T, w *World) []string {
	t.Helper()
	events, _, err := rest(w, "wf").Issues.ListIssueTimeline(context.Background(), "octo", "demo", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		switch e.GetEvent() {
		case "committed":
		case "reviewed":
			out = append(out, "reviewed "+e.GetUser().GetLogin()+" "+e.GetState())
		case "review_requested", "review_request_removed":
			out = append(out, e.GetEvent()+" "+e.GetReviewer().GetLogin()+" by "+e.GetActor().GetLogin())
		default:
			out = append(out, e.GetEvent()+" "+e.GetActor().GetLogin())
		}
	}
	return out
}

func TestACopilotReviewFromTheRequestToTheEnd(t *testing.T) {
	w, n := reviewed(Options{}, Round{Findings: []Finding{{Path: "a.go", Line: 3, Text: "Off by one."}}})
	w.Request(n, "mona", CopilotReviewer)
	const fields = `reviewRequests(first: 9) { nodes { requestedReviewer { __typename ... on Bot { login databaseId } } } }
		reviews(first: 9) { nodes { state submittedAt author { login } commit { oid } } } reviewThreads(first: 9) { totalCount }
		statusCheckRollup { contexts(first: 9) { nodes { ... on CheckRun { name conclusion checkSuite { workflowRun { file { path } workflow { name } } } } } } }`
	same(t, "while the request stands", `{"reviewRequests":{"nodes":[{"requestedReviewer":{"__typename":"Bot","login":"copilot-pull-request-reviewer","databaseId":175728472}}]},`+
		`"reviews":{"nodes":[]},"reviewThreads":{"totalCount":0},"statusCheckRollup":null}`, onPR(t, w, "wf", fields))

	w.Advance(time.Minute)
	agent := `{"name":"Agent","conclusion":%s,"checkSuite":{"workflowRun":{"file":{"path":"dynamic/copilot-pull-request-reviewer/copilot-pull-request-reviewer"},"workflow":{"name":"Copilot code review"}}}}`
	same(t, "while Copilot works", `{"reviewRequests":{"nodes":[]},"reviews":{"nodes":[]},"reviewThreads":{"totalCount":0},"statusCheckRollup":{"contexts":{"nodes":[`+
		strings.Replace(agent, "%s", "null", 1)+`]}}}`, onPR(t, w, "wf", fields))
	same(t, "the timeline while Copilot works", []string{"review_requested Copilot by mona", "copilot_work_started Copilot"}, timeline(t, w))

	// A push does not change which commit is being reviewed.
	w.Push(n, Push{Head: "2222222222222222222222222222222222222222"})
	w.Advance(3 * time.Minute)
	same(t, "after the review", `{"reviewRequests":{"nodes":[]},"reviews":{"nodes":[{"state":"COMMENTED","submittedAt":"2026-11-30T09:04:00Z",`+
		`"author":{"login":"copilot-pull-request-reviewer"},"commit":{"oid":"1111111111111111111111111111111111111111"}}]},`+
		`"reviewThreads":{"totalCount":1},"statusCheckRollup":null}`, onPR(t, w, "wf", fields))
	same(t, "the timeline after the review", []string{
		"review_requested Copilot by mona", "copilot_work_started Copilot", "reviewed Copilot commented", "copilot_work_finished Copilot",
	}, timeline(t, w))
	same(t, "what GraphQL shows of it", `{"timelineItems":{"nodes":[{"__typename":"PullRequestCommit"},{"__typename":"ReviewRequestedEvent"},`+
		`{"__typename":"PullRequestCommit"},{"__typename":"PullRequestReview"}]}}`, onPR(t, w, "wf", `timelineItems(first: 9) { nodes { __typename } }`))
}

func TestRoundsFollowEachOtherAndEndClean(t *testing.T) {
	w, n := reviewed(Options{}, Round{Layout: ErrorNotice}, Round{Layout: V1, Findings: []Finding{{Path: "a.go", Line: 3, Text: "x"}}})
	var got []string
	for range 3 {
		w.Request(n, "mona", CopilotReviewer)
		w.Advance(time.Hour)
		p := w.Pull(n)
		got = append(got, strings.SplitN(strings.TrimSpace(p.Reviews[len(p.Reviews)-1].Body), "\n", 2)[0])
	}
	same(t, "first lines", []string{
		"Copilot encountered an error and was unable to review this pull request. You can try again by re-requesting a review.",
		"## Pull request overview", "<!-- ccr-overview-v2 -->",
	}, got)
	same(t, "threads", 1, len(w.Pull(n).Threads))
	same(t, "rounds", 3, w.Rounds(n, CopilotReviewer))
	same(t, "the timeline", []string{
		"review_requested Copilot by mona", "copilot_work_started Copilot", "reviewed Copilot commented", "copilot_work_finished_failure Copilot",
		"review_requested Copilot by mona", "copilot_work_started Copilot", "reviewed Copilot commented", "copilot_work_finished Copilot",
		"review_requested Copilot by mona", "copilot_work_started Copilot", "reviewed Copilot commented", "copilot_work_finished Copilot",
	}, timeline(t, w))
}

func TestANoticeOpensNoThreads(t *testing.T) {
	w, n := reviewed(Options{}, Round{Layout: StillReviewing, Findings: []Finding{{Path: "a.go", Line: 3, Text: "x"}}})
	w.Request(n, "mona", CopilotReviewer)
	w.Advance(time.Hour)
	same(t, "reviews", 1, len(w.Pull(n).Reviews))
	same(t, "threads", 0, len(w.Pull(n).Threads))
}

func TestAQuotaNoticeShowsAsAFailedCheckOfItsOwnName(t *testing.T) {
	w, n := reviewed(Options{}, Round{Layout: QuotaNotice})
	w.Request(n, "mona", CopilotReviewer)
	w.Advance(time.Hour)
	same(t, "the check", `{"statusCheckRollup":{"contexts":{"nodes":[{"name":"copilot-pull-request-reviewer","conclusion":"FAILURE","isRequired":false}]}}}`,
		onPR(t, w, "wf", `statusCheckRollup { contexts(first: 9) { nodes { ... on CheckRun { name conclusion isRequired(pullRequestNumber: 1) } } } }`))
}

func TestAReviewThatNeverComes(t *testing.T) {
	for _, row := range []struct {
		name  string
		round Round
		want  string
	}{
		{"the request stands for ever", Round{Silent: true}, `{"reviewRequests":{"totalCount":1},"reviews":{"totalCount":0}}`},
		{"the request vanishes", Round{Vanishes: true}, `{"reviewRequests":{"totalCount":0},"reviews":{"totalCount":0}}`},
		{"the work is never done", Round{Hangs: true}, `{"reviewRequests":{"totalCount":0},"reviews":{"totalCount":0}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			w, n := reviewed(Options{}, row.round)
			w.Request(n, "mona", CopilotReviewer)
			w.Advance(24 * time.Hour)
			same(t, "the pull request", row.want, onPR(t, w, "wf", `reviewRequests(first: 9) { totalCount } reviews(first: 9) { totalCount }`))
			same(t, "whether the work began", row.round.Hangs, strings.Contains(strings.Join(timeline(t, w), ";"), "copilot_work_started"))
		})
	}
}

func TestAWithdrawnRequestIsNotAnswered(t *testing.T) {
	w, n := reviewed(Options{})
	w.Request(n, "mona", CopilotReviewer)
	w.Withdraw(n, "mona", CopilotReviewer)
	w.Advance(30 * time.Second)
	w.Request(n, "mona", CopilotReviewer)
	w.Advance(40 * time.Second) // the first request would have been answered by now
	same(t, "before the second request's minute is over", 0, len(w.Pull(n).Reviews))
	w.Advance(time.Hour)
	same(t, "in the end", 1, len(w.Pull(n).Reviews))
}

func TestARequestDuringAReviewBuysASecondReviewOfTheSameCommit(t *testing.T) {
	w, n := reviewed(Options{})
	w.Request(n, "mona", CopilotReviewer)
	w.Advance(2 * time.Minute)
	if _, _, err := rest(w, "pat").PullRequests.RequestReviewers(context.Background(), "octo", "demo", n,
		github.ReviewersRequest{Reviewers: []string{CopilotReviewer}}); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Hour)
	var got []string
	for _, r := range w.Pull(n).Reviews {
		got = append(got, short(r.Commit))
	}
	same(t, "reviewed commits", []string{"1111111", "1111111"}, got)
}

func TestTheRulesetAsksByItself(t *testing.T) {
	for _, row := range []struct {
		name       string
		rule       *CopilotRule
		draft      bool
		seat       bool
		open, push int // reviews after opening, after a push
	}{
		{"at every push", &CopilotRule{OnPush: true}, false, true, 1, 2},
		{"only when it opens", &CopilotRule{}, false, true, 1, 1},
		{"not for a draft", &CopilotRule{OnPush: true}, true, true, 0, 0},
		{"for a draft too", &CopilotRule{OnPush: true, Drafts: true}, true, true, 1, 2},
		{"not for an author without a seat", &CopilotRule{OnPush: true}, false, false, 0, 0},
		{"not without the rule", nil, false, true, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := world(Options{})
			w.AddAccount(Account{Login: "hubot", Seat: row.seat})
			w.SetRules("", Rules{Copilot: row.rule})
			w.SetReviewer(CopilotReviewer, Reviewer{})
			n := w.OpenPR(PR{Author: "hubot", Draft: row.draft})
			w.Advance(time.Minute)
			same(t, "reviews after opening", row.open, len(w.Pull(n).Reviews))
			w.Push(n, Push{})
			w.Advance(time.Minute)
			same(t, "reviews after a push", row.push, len(w.Pull(n).Reviews))
		})
	}
}

func TestTheRulesetAsksWhenADraftBecomesReady(t *testing.T) {
	w := world(Options{})
	w.SetRules("", Rules{Copilot: &CopilotRule{}})
	w.SetReviewer(CopilotReviewer, Reviewer{})
	n := w.OpenPR(PR{Draft: true})
	w.Ready(n, "mona")
	w.Advance(time.Minute)
	same(t, "reviews", 1, len(w.Pull(n).Reviews))
}

// An asking is one way to ask; it returns the status, or the GraphQL error.
type asking func(t *testing.T, w *World, token string) string

func viaEndpoint(t *testing.T, w *World, token string) string {
	c := rest(w, token)
	r, err := c.NewRequest(http.MethodPost, "repos/octo/demo/pulls/1/copilot-code-review", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-GitHub-Api-Version", "2026-03-10")
	var out map[string]any
	res, err := c.Do(context.Background(), r, &out)
	if res == nil {
		t.Fatal(err)
	}
	status := res.Status
	if err != nil {
		e, ok := errors.AsType[*github.ErrorResponse](err)
		if ok {
			status += " " + e.Message
		}
	}
	return status
}

func viaREST(login string) asking {
	return func(t *testing.T, w *World, token string) string {
		_, res, err := rest(w, token).PullRequests.RequestReviewers(context.Background(), "octo", "demo", 1,
			github.ReviewersRequest{Reviewers: []string{login}})
		if res == nil {
			t.Fatal(err)
		}
		return res.Status
	}
}

func viaLogin(login string) asking {
	return func(_ *testing.T, w *World, token string) string {
		var m struct {
			RequestReviewsByLogin struct {
				PullRequest struct{ ID string }
			} `graphql:"requestReviewsByLogin(input: $input)"`
		}
		return result(graphql(w, token).Mutate(context.Background(), &m, githubv4.RequestReviewsByLoginInput{
			PullRequestID: w.Pull(1).ID, BotLogins: &[]githubv4.String{githubv4.String(login)}, Union: githubv4.NewBoolean(true),
		}, nil))
	}
}

func viaUser(login string) asking {
	return func(_ *testing.T, w *World, token string) string {
		var m struct {
			RequestReviewsByLogin struct {
				PullRequest struct{ ID string }
			} `graphql:"requestReviewsByLogin(input: $input)"`
		}
		return result(graphql(w, token).Mutate(context.Background(), &m, githubv4.RequestReviewsByLoginInput{
			PullRequestID: w.Pull(1).ID, UserLogins: &[]githubv4.String{githubv4.String(login)}, Union: githubv4.NewBoolean(true),
		}, nil))
	}
}

func viaID(id string) asking {
	return func(_ *testing.T, w *World, token string) string {
		var m struct {
			RequestReviews struct {
				PullRequest struct{ ID string }
			} `graphql:"requestReviews(input: $input)"`
		}
		return result(graphql(w, token).Mutate(context.Background(), &m, githubv4.RequestReviewsInput{
			PullRequestID: w.Pull(1).ID, BotIDs: &[]githubv4.ID{id}, Union: githubv4.NewBoolean(true),
		}, nil))
	}
}

func result(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

func TestEachWayToAskCopilot(t *testing.T) {
	const bot = "copilot-pull-request-reviewer[bot]"
	w2 := func(w *World) { // Copilot has reviewed before
		w.SetReviewer(CopilotReviewer, Reviewer{})
		w.Request(1, "mona", CopilotReviewer)
		w.Advance(time.Minute)
		w.Push(1, Push{})
	}
	pending := func(w *World) { w.Request(1, "mona", CopilotReviewer) }
	rung := func(r Rung, d ...Does) func(*World) {
		return func(w *World) { w.SetRung(r, d...) }
	}
	for _, row := range []struct {
		name   string
		token  string
		before func(*World)
		ask    asking
		want   string
		asked  int // requests that were registered by it
	}{
		{"A works", "pat", nil, viaEndpoint, "201 Created", 1},
		{"A works again after a review", "pat", w2, viaEndpoint, "201 Created", 1},
		{"A refuses while a review is pending", "pat", pending, viaEndpoint, "409 Conflict A Copilot review is already pending for this pull request.", 0},
		{"A refuses an account without a seat", "none", nil, viaEndpoint, "422 Unprocessable Entity The actor is not eligible for Copilot code review.", 0},
		{"A hides from an account without write access", "reader", nil, viaEndpoint, "404 Not Found Not Found", 0},
		{"A says no quota", "pat", rung(Endpoint, Does{Status: 422, Reason: "NO_QUOTA"}), viaEndpoint, "422 Unprocessable Entity The Copilot review could not be requested.", 0},
		{"A says flagged", "pat", rung(Endpoint, Does{Status: 403, Reason: "ACTOR_FLAGGED"}), viaEndpoint, "403 Forbidden The Copilot review could not be requested.", 0},
		{"A says too many", "pat", rung(Endpoint, Does{Status: 429, Reason: "RATE_LIMITED"}), viaEndpoint, "429 Too Many Requests The Copilot review could not be requested.", 0},
		{"A cannot serve", "pat", rung(Endpoint, Does{Status: 503}), viaEndpoint, "503 Service Unavailable The Copilot review could not be requested.", 0},
		{"A accepts and drops", "pat", rung(Endpoint, Does{Drop: true}), viaEndpoint, "201 Created", 0},
		{"A comes to nothing for the workflow token", "wf", nil, viaEndpoint, "201 Created", 0},
		{"A works for the workflow token where it is said to", "wf", func(w *World) { w.SetWorkflowRung(Endpoint, Does{}) }, viaEndpoint, "201 Created", 1},
		{"B works", "pat", nil, viaREST(bot), "201 Created", 1},
		{"B registers nothing while the request stands", "pat", pending, viaREST(bot), "201 Created", 0},
		{"B refuses an account without a seat", "none", nil, viaREST(bot), "422 Unprocessable Entity", 0},
		{"B hides from an account without write access", "reader", nil, viaREST(bot), "404 Not Found", 0},
		{"B comes to nothing for the workflow token", "wf", nil, viaREST(bot), "201 Created", 0},
		{"B is refused to a token that may only read", "ro", nil, viaREST(bot), "403 Forbidden", 0},
		{"B fails as it is told", "pat", rung(REST, Does{Status: 422, Reason: "no"}), viaREST(bot), "422 Unprocessable Entity", 0},
		{"C, without the suffix, is refused", "pat", nil, viaREST("copilot-pull-request-reviewer"), "422 Unprocessable Entity", 0},
		{"D, by the name Copilot, is dropped", "pat", nil, viaREST("Copilot"), "200 OK", 0},
		{"the coding agent is accepted and dropped", "pat", nil, viaREST(CopilotAgent), "200 OK", 0},
		{"the author is refused", "pat", nil, viaREST("hubot"), "422 Unprocessable Entity", 0},
		{"a stranger is refused", "pat", nil, viaREST("nobody"), "422 Unprocessable Entity", 0},
		{"a person works, by the workflow token too", "wf", nil, viaREST("mona"), "201 Created", 1},
		{"E works", "pat", nil, viaLogin(bot), "ok", 1},
		{"E works again after a review", "pat", w2, viaLogin(bot), "ok", 1},
		{"E comes to nothing for the workflow token", "wf", nil, viaLogin(bot), "ok", 0},
		{"E without the suffix is refused", "pat", nil, viaLogin("copilot-pull-request-reviewer"), "Could not resolve user with login 'copilot-pull-request-reviewer'.", 0},
		{"E for another app's bot is refused", "pat", nil, viaLogin("coderabbitai[bot]"), "Could not resolve user with login 'coderabbitai[bot]'.", 0},
		{"E refuses the author", "pat", nil, viaUser("hubot"), "Review cannot be requested from pull request author.", 0},
		{"E refuses a stranger", "pat", nil, viaUser("nobody"), "Could not resolve user with login 'nobody'.", 0},
		{"E works for a person", "wf", nil, viaUser("mona"), "ok", 1},
		{"E refuses an account without a seat", "none", nil, viaLogin(bot), "Could not resolve user with login 'copilot-pull-request-reviewer[bot]'.", 0},
		{"E is refused to a token that may only read", "ro", nil, viaLogin(bot), "Resource not accessible by integration", 0},
		{"F works the first time", "pat", nil, viaID("BOT_kgDOCnlnWA"), "ok", 1},
		{"F comes to nothing after a review", "pat", w2, viaID("BOT_kgDOCnlnWA"), "ok", 0},
		{"F by the coding agent's id comes to nothing", "pat", nil, viaID("BOT_kgDOC9w8XQ"), "ok", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := world(Options{})
			w.AddToken(Token{Value: "none", Kind: User, Login: "seatless", Write: true})
			w.AddToken(Token{Value: "reader", Kind: User, Login: "reader", CopilotSeat: true})
			w.AddToken(Token{Value: "ro", Kind: Workflow, Rights: map[string]string{"pull-requests": "read"}})
			w.OpenPR(PR{Author: "hubot"})
			if row.before != nil {
				row.before(w)
			}
			count := func() int { return strings.Count(strings.Join(keys(w, 0), "\n"), "review_requested ") }
			before := count()
			same(t, "the answer", row.want, row.ask(t, w, row.token))
			same(t, "registered requests", row.asked, count()-before)
		})
	}
}

func TestARungGoesThroughItsScript(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{Author: "hubot"})
	w.SetRung(Endpoint, Does{Drop: true}, Does{Status: 503}, Does{})
	var got []string
	for range 4 {
		got = append(got, viaEndpoint(t, w, "pat")[:3])
	}
	same(t, "statuses", []string{"201", "503", "201", "409"}, got)
}

func TestARequestMayShowLater(t *testing.T) {
	for _, row := range []struct {
		rung Rung
		ask  asking
	}{{Endpoint, viaEndpoint}, {REST, viaREST(CopilotReviewer)}, {ByLogin, viaLogin(CopilotReviewer)}} {
		w := world(Options{})
		n := w.OpenPR(PR{Author: "hubot"})
		w.SetRung(row.rung, Does{Lag: 10 * time.Second})
		row.ask(t, w, "pat")
		same(t, string(row.rung)+": at once", 0, len(w.Pull(n).Requests))
		w.Advance(10 * time.Second)
		same(t, string(row.rung)+": later", []string{CopilotReviewer}, w.Pull(n).Requests)
	}
}

func TestTheFailureReasonStandsInTheAnswer(t *testing.T) {
	w := world(Options{})
	w.OpenPR(PR{Author: "hubot"})
	w.SetRung(Endpoint, Does{Status: 422, Reason: "NO_QUOTA"})
	res, err := client(w, "pat").Post("https://api.github.com/repos/octo/demo/pulls/1/copilot-code-review", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	same(t, "failure_reason", "NO_QUOTA", memberOf(t, res.Body, "failure_reason"))
}

func TestWithoutUnionARequestReplacesWhoIsAsked(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Author: "hubot"})
	w.AddAccount(Account{Login: "reviewer"})
	w.Request(n, "mona", "reviewer")
	ask(t, w, "pat", `mutation($id: ID!) { requestReviewsByLogin(input: {pullRequestId: $id, botLogins: ["copilot-pull-request-reviewer[bot]"]}) { clientMutationId } }`,
		map[string]any{"id": w.Pull(n).ID})
	same(t, "who is asked", []string{CopilotReviewer}, w.Pull(n).Requests)
	same(t, "the timeline", []string{
		"review_requested reviewer by mona", "review_request_removed reviewer by mona", "review_requested Copilot by mona",
	}, timeline(t, w))
}

func TestAnEnterpriseServerHasNeitherTheEndpointNorByLogin(t *testing.T) {
	w := world(Options{Enterprise: true})
	w.OpenPR(PR{Author: "hubot"})
	same(t, "the endpoint", "404 Not Found Not Found", viaEndpoint(t, w, "pat"))
	same(t, "by login", "Field 'requestReviewsByLogin' doesn't exist on type 'Mutation'", viaLogin(CopilotReviewer)(t, w, "pat"))
}

func TestARequestWithdrawnByRESTIsGone(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{Author: "hubot"})
	w.Request(n, "mona", CopilotReviewer)
	c := rest(w, "pat")
	users, _, err := c.PullRequests.ListReviewers(context.Background(), "octo", "demo", n, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Copilot 175728472 Bot"}
	var got []string
	for _, u := range users.Users {
		got = append(got, u.GetLogin()+" 175728472 "+u.GetType())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who is asked (-want +got):\n%s", diff)
	}
	// A login that was not asked is no error, and removes nothing.
	if _, err := c.PullRequests.RemoveReviewers(context.Background(), "octo", "demo", n, github.ReviewersRequest{Reviewers: []string{"Copilot"}}); err != nil {
		t.Fatal(err)
	}
	same(t, "after the wrong login", []string{CopilotReviewer}, w.Pull(n).Requests)
	if _, err := c.PullRequests.RemoveReviewers(context.Background(), "octo", "demo", n, github.ReviewersRequest{Reviewers: []string{CopilotReviewer}}); err != nil {
		t.Fatal(err)
	}
	same(t, "after the right one", 0, len(w.Pull(n).Requests))
}
