package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

// next is the header that announces page n.
func next(n int) map[string]string {
	return map[string]string{"Link": fmt.Sprintf(`<https://api.github.com/x?page=%d>; rel="next"`, n)}
}

func TestPullRequestsOf(t *testing.T) {
	pull := func(number int, state, sha string) string {
		return fmt.Sprintf(`{"number":%d,"state":"%s","head":{"sha":"%s"}}`, number, state, sha)
	}
	tests := []struct {
		name     string
		sha      pr.SHA
		answers  []answer
		want     []int
		requests int
	}{
		{"open ones whose head it is, ascending", head, []answer{{status: 200, body: "[" + strings.Join([]string{
			pull(9, "open", head), pull(3, "open", head), pull(4, "closed", head), pull(5, "open", other), "null",
		}, ",") + "]"}}, []int{3, 9}, 1},
		{"the merged one whose merge commit it is", head, []answer{{status: 200, body: `[
			{"number":7,"state":"closed","merged_at":"2026-10-05T11:00:00Z","merge_commit_sha":"` + head + `","head":{"sha":"` + other + `"}},
			{"number":8,"state":"closed","merged_at":"2026-10-05T11:00:00Z","merge_commit_sha":"` + other + `","head":{"sha":"` + head + `"}},
			{"number":9,"state":"open","merged_at":null,"merge_commit_sha":"` + head + `","head":{"sha":"` + other + `"}}]`}}, []int{7}, 1},
		{"every page", head, []answer{
			{status: 200, header: next(2), body: "[" + pull(9, "open", head) + "]"},
			{status: 200, body: "[" + pull(2, "open", head) + "," + pull(9, "open", head) + "]"},
		}, []int{2, 9}, 2},
		{"none", head, []answer{{status: 200, body: "[]"}}, nil, 1},
		{"a commit that GitHub does not know", head, []answer{{status: 422, body: `{"message":"No commit found for SHA"}`}}, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{answers: tt.answers}
			c, _ := client(t, s)
			got, err := c.PullRequestsOf(t.Context(), tt.sha)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
			if len(s.requests) != tt.requests {
				t.Errorf("%d requests, want %d", len(s.requests), tt.requests)
			}
			if want, got := "/repos/octo/demo/commits/"+head+"/pulls", s.requests[0].URL.Path; want != got {
				t.Errorf("asked for %s, want %s", got, want)
			}
		})
	}
}

func TestPullRequestsOfWhatIsNoCommit(t *testing.T) {
	for _, sha := range []pr.SHA{"", "abc", "../../../user", pr.SHA(strings.ToUpper(head)), head + "0"} {
		s := &script{answers: []answer{{status: 200, body: "[]"}}}
		c, _ := client(t, s)
		if _, err := c.PullRequestsOf(t.Context(), sha); err == nil || len(s.requests) > 0 {
			t.Errorf("%q: error %v after %d requests", sha, err, len(s.requests))
		}
	}
}

func TestRESTListsFailWhole(t *testing.T) {
	page := func(n int) answer { return answer{status: 200, header: next(n), body: "[]"} }
	tests := []struct {
		name    string
		answers []answer
		want    error
	}{
		{"the same page again", []answer{page(2), page(2)}, ErrUnavailable},
		{"a list without an end", func() (list []answer) {
			for n := range maxPages + 1 {
				list = append(list, page(n+2))
			}
			return list
		}(), ErrUnavailable},
		{"a later page that cannot be read", []answer{page(2), {status: 502}}, ErrUnavailable},
		{"the rate limit on a later page", []answer{page(2), {status: 429}}, new(RateLimited)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{answers: tt.answers}
			c, _ := client(t, s)
			got, err := c.PullRequestsOf(t.Context(), head)
			checkError(t, tt.want, err)
			if got != nil || len(s.requests) > maxPages+1 {
				t.Errorf("numbers %v after %d requests", got, len(s.requests))
			}
			work, err := c.Work(t.Context(), 7)
			if err == nil || work != nil {
				t.Errorf("the timeline: %v, error %v", work, err)
			}
		})
	}
}

func TestRESTErrorsHaveAReader(t *testing.T) {
	tests := []struct {
		name   string
		answer answer
		want   string
	}{
		{"no right", answer{status: 403, body: `{"message":"Resource not accessible by integration"}`}, "The token may not look for pull requests by commit"},
		{"no repository", answer{status: 404, body: `{"message":"Not Found"}`}, `The repository "octo/demo" is not there, or the token may not see it`},
		{"a bad token", answer{status: 401, body: `{"message":"Bad credentials"}`}, `GitHub does not accept the token of the input "github-token"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := client(t, &script{answers: []answer{tt.answer}})
			_, err := c.PullRequestsOf(t.Context(), head)
			if got := fail.Of(err).What; got != tt.want {
				t.Errorf("error %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

// REST calls the reviewer and the coding agent "Copilot" alike; their ids come
// along.
func TestWorkReadsWhatTheTimelineAloneHas(t *testing.T) {
	const reviewer = `{"login":"Copilot","id":175728472,"type":"Bot"}`
	const agent = `{"login":"Copilot","id":198982749,"type":"Bot"}`
	s := &script{answers: []answer{
		{status: 200, header: next(2), body: `[
			{"event":"copilot_work_started","created_at":"2026-10-05T11:05:00Z","actor":` + reviewer + `},
			{"event":"commented","created_at":"2026-10-05T11:00:00Z","actor":null},
			{"event":"review_requested","created_at":"2026-10-05T11:00:00Z","actor":{"login":"mona","id":5,"type":"User"},"requested_reviewer":` + reviewer + `},
			null]`},
		{status: 200, body: `[
			{"event":"copilot_work_finished","created_at":"2026-10-05T11:09:00Z","actor":` + agent + `},
			{"event":"copilot_work_finished_failure","created_at":"2026-10-05T11:10:00Z","actor":null},
			{"event":"review_request_removed","created_at":"2026-10-05T11:11:00Z","actor":{"login":"mona","id":5,"type":"User"},"requested_team":{"slug":"core"}}]`},
	}}
	c, _ := client(t, s)
	got, err := c.Work(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	at := func(minute int) time.Time { return time.Date(2026, 10, 5, 11, minute, 0, 0, time.UTC) }
	mona := pr.Actor{Login: "mona", ID: 5}
	want := []pr.Event{
		{Kind: pr.ReviewRequested, At: at(0), Actor: mona, Reviewer: pr.Actor{Login: "copilot", Bot: true, ID: pr.CopilotReviewerID}},
		{Kind: pr.WorkStarted, At: at(5), Actor: pr.Actor{Login: "copilot", Bot: true, ID: pr.CopilotReviewerID}},
		{Kind: pr.WorkFinished, At: at(9), Actor: pr.Actor{Login: "copilot", Bot: true, ID: pr.CopilotAgentID}},
		{Kind: pr.WorkFailed, At: at(10)},
		{Kind: pr.ReviewRequestRemoved, At: at(11), Actor: mona},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if want, got := 2, len(s.requests); want != got {
		t.Errorf("%d requests, want %d", got, want)
	}
}

func TestWorkOfNoPullRequest(t *testing.T) {
	c, _ := client(t, &script{answers: []answer{{status: 404, body: `{"message":"Not Found"}`}}})
	_, err := c.Work(t.Context(), 7)
	checkError(t, &Refused{Status: http.StatusNotFound, Message: "Not Found"}, err)
}
