package github

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
)

// An issue as the record's tests see it.
type kept struct {
	Number int
	State  string
	Labels []string
	Body   string
}

func (b *bench) issues() []kept {
	var all []kept
	for _, n := range b.w.Issues() {
		i, _ := b.w.Issue(n)
		all = append(all, kept{n, i.State, i.Labels, b.plain(i.Body)})
	}
	return all
}

func TestRecord(t *testing.T) {
	t.Parallel()
	done := effect.Result{Outcome: effect.Done}
	so := effect.Result{Outcome: effect.AlreadySo}
	const mine = "record:1:copilot-pull-request-reviewer@HEAD"
	label := []string{"prloop"}
	issue := func(by, body string, labels ...string) setting {
		return func(b *bench) {
			short := b.w.Pull(b.n).Head[:7]
			b.w.OpenIssue(by, "an issue", strings.ReplaceAll(body, "HEAD", short), labels...)
		}
	}
	const us = githubtest.ActionsBot
	tests := []struct {
		name   string
		before []setting
		want   deed
		issues []kept
	}{
		{
			"the first entry opens the record",
			nil,
			deed{done, "", 3, []string{"POST issues 201 as github-actions[bot]"}, []string{"issue_created on #2 by github-actions[bot]"}},
			[]kept{{2, "OPEN", label, mine}},
		},
		{
			"a further entry joins what is there: one look and one write",
			[]setting{issue(us, "entry 1", "prloop")},
			deed{done, "", 2, []string{"PATCH issues/2 200 as github-actions[bot]"}, []string{"issue_edited on #2 by github-actions[bot]"}},
			[]kept{{2, "OPEN", label, "entry 1\n" + mine}},
		},
		{
			"an entry that is in is not written again",
			[]setting{issue(us, "entry 1\r\n"+mine+"\r\n", "prloop")},
			deed{so, "", 1, nil, nil},
			[]kept{{2, "OPEN", label, "entry 1\r\n" + mine + "\r\n"}},
		},
		{
			"somebody else's issue with the label is no record",
			[]setting{issue("mona", "entry 9", "prloop")},
			deed{done, "", 3, []string{"POST issues 201 as github-actions[bot]"}, []string{"issue_created on #3 by github-actions[bot]"}},
			[]kept{{2, "OPEN", label, "entry 9"}, {3, "OPEN", label, mine}},
		},
		{
			"an issue of ours without the label is no record",
			[]setting{issue(us, "entry 9")},
			deed{done, "", 3, []string{"POST issues 201 as github-actions[bot]"}, []string{"issue_created on #3 by github-actions[bot]"}},
			[]kept{{2, "OPEN", nil, "entry 9"}, {3, "OPEN", label, mine}},
		},
		{
			"a record that a person closed goes on",
			[]setting{issue(us, "entry 1", "prloop"), closeIssue(2)},
			deed{done, "", 2, []string{"PATCH issues/2 200 as github-actions[bot]"}, []string{"issue_edited on #2 by github-actions[bot]"}},
			[]kept{{2, "CLOSED", label, "entry 1\n" + mine}},
		},
		{
			"of two records the lowest number stays, with the entries of both",
			[]setting{issue(us, "entry 1", "prloop"), issue(us, "entry 2", "prloop")},
			deed{
				done, "", 3,
				[]string{"PATCH issues/2 200 as github-actions[bot]", "PATCH issues/3 200 as github-actions[bot]"},
				[]string{"issue_edited on #2 by github-actions[bot]", "closed on #3 by github-actions[bot]"},
			},
			[]kept{{2, "OPEN", label, "entry 1\nentry 2\n" + mine}, {3, "CLOSED", label, "entry 2"}},
		},
		{
			"a second record is closed even where nothing is missing from the first",
			[]setting{issue(us, "entry 1\n"+mine, "prloop"), issue(us, "entry 1", "prloop")},
			deed{done, "", 2, []string{"PATCH issues/3 200 as github-actions[bot]"}, []string{"closed on #3 by github-actions[bot]"}},
			[]kept{{2, "OPEN", label, "entry 1\n" + mine}, {3, "CLOSED", label, "entry 1"}},
		},
		{
			"the record is found behind a page of other people's issues",
			[]setting{func(b *bench) {
				for range 120 {
					b.w.OpenIssue("mona", "x", "x", "prloop")
				}
			}, issue(us, mine, "prloop"), onlyOurs},
			deed{so, "", 2, nil, nil},
			nil,
		},
		{
			"without the right to write issues",
			[]setting{issue(us, "entry 1", "prloop"), lacking("issues")},
			deed{
				effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: "issues: write"},
				"", 2,
				[]string{"PATCH issues/2 403 as github-actions[bot]"},
				nil,
			},
			[]kept{{2, "OPEN", label, "entry 1"}},
		},
		{
			"without the right to open one",
			[]setting{lacking("issues")},
			deed{
				effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: "issues: write"},
				"", 2,
				[]string{"POST issues 403 as github-actions[bot]"},
				nil,
			},
			nil,
		},
		{
			"without the right even to read them",
			[]setting{func(b *bench) { b.rights(map[string]string{"contents": "read", "pull-requests": "write"}) }},
			deed{effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: "issues: write"}, "", 1, nil, nil},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			if diff := cmp.Diff(tt.want, b.deed(entry(b, 1))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.issues, b.issues()); diff != "" && tt.issues != nil {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

// onlyOurs does nothing; it marks a row whose issues are too many to compare.
func onlyOurs(*bench) {}

func closeIssue(n int) setting {
	return func(b *bench) {
		if err := b.client().editIssue(b.Context(), n, closing()); err != nil {
			b.Fatal(err)
		}
	}
}

// Two runs that open the record in the same moment end with one.
func TestTwoRunsOpenTheRecord(t *testing.T) {
	t.Parallel()
	for when := 2; when <= 3; when++ { // before our POST, or before our list after it
		b := newBench(t)
		b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
			if r.N == b.requests+when {
				b.w.OpenIssue(githubtest.ActionsBot, "the record", "entry 2", "prloop")
			}
			return githubtest.None
		})
		got := b.deed(entry(b, 1))
		if got.Result.Outcome != effect.Done {
			t.Errorf("%+v", got)
		}
		b.w.SetFault(nil)
		issues := b.issues()
		want := []kept{
			{2, "OPEN", []string{"prloop"}, "entry 2\nrecord:1:copilot-pull-request-reviewer@HEAD"},
			{3, "CLOSED", []string{"prloop"}, issues[1].Body},
		}
		if diff := cmp.Diff(want, issues); diff != "" {
			t.Errorf("opened by another run before request %d (-want +got):\n%s", when, diff)
		}
	}
}

// A repository without issues has no record, and that costs no request.
func TestRecordWithoutIssues(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, w: githubtest.New(githubtest.Options{IssuesOff: true}), merge: mergeLines}
	b.rights(allRights)
	b.n = b.w.OpenPR(githubtest.PR{Author: "mona"})
	b.decide()
	want := deed{failed("issues are switched off in this repository"), "", 0, nil, nil}
	if diff := cmp.Diff(want, b.deed(entry(b, 1))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.seen.Repo.IssuesOff = false // switched off since
	want.Requests = 1
	if diff := cmp.Diff(want, b.deed(entry(b, 1))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What prloop leaves, it closes, and a record that is closed already is written
// no more.
func TestLeftRecordIsClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t, withRecord)
	b.merge = func(effect.Record, ...string) (string, error) { return "a last word", nil }
	e := effect.Record{Left: "2026-11-30T09:00:00Z"}
	if got := b.deed(e); got.Result.Outcome != effect.Done || len(got.Writes) != 1 {
		t.Errorf("closing it came to %+v", got)
	}
	all := b.issues()
	if last := all[len(all)-1]; last.State != "CLOSED" || last.Body != "a last word" {
		t.Errorf("it is %+v", last)
	}
	if got := b.deed(e); got.Result.Outcome != effect.AlreadySo || len(got.Writes) != 1 { // the bench counts from the start
		t.Errorf("closing it again came to %+v", got)
	}
}

// An entry that cannot be merged, or makes the record too long, is a failure of
// this effect and no error of the run.
func TestUnmergeableRecord(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		merge func(effect.Record, ...string) (string, error)
		want  string
	}{
		{"nobody merges", nil, "nobody said what a record looks like"},
		{"it cannot be merged", func(effect.Record, ...string) (string, error) { return "", errors.New("no") }, "The repository record cannot take an entry"},
		{"it becomes too long", func(effect.Record, ...string) (string, error) { return strings.Repeat("x", maxComment+1), nil }, "A text of prloop's cannot be posted"},
	}
	for _, tt := range tests {
		b := newBench(t, withRecord)
		b.merge = tt.merge
		got := b.deed(entry(b, 1))
		if diff := cmp.Diff(failed(tt.want), got.Result); diff != "" || got.Writes != nil {
			t.Errorf("%s: %q (-want +got):\n%s", tt.name, got.Writes, diff)
		}
	}
}

// GitHub drops the label of a new issue where the token may not set it. Without
// it the record would be lost, so the issue is closed again.
func TestRecordWithoutItsLabel(t *testing.T) {
	t.Parallel()
	none := answer{status: 200, body: `{"data":{"repository":{"hasIssuesEnabled":true,"issues":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}}`}
	bare := answer{status: 201, body: `{"number":5,"labels":[]}`}
	tests := []struct {
		name   string
		labels answer
		paths  []string
		want   effect.Result
	}{
		{
			"it is set afterwards",
			answer{status: 200, body: `[{"name":"prloop"}]`},
			[]string{"POST /graphql", "POST /repos/octo/demo/issues", "POST /repos/octo/demo/issues/5/labels", "POST /graphql"},
			effect.Result{Outcome: effect.Done},
		},
		{
			"it cannot be set",
			answer{status: 200, body: `[]`},
			[]string{"POST /graphql", "POST /repos/octo/demo/issues", "POST /repos/octo/demo/issues/5/labels", "PATCH /repos/octo/demo/issues/5"},
			effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: "issues: write"},
		},
	}
	for _, tt := range tests {
		last := none
		if tt.want.Outcome == effect.Failed {
			last = answer{status: 200, body: `{"number":5,"state":"closed"}`}
		}
		s := &script{answers: []answer{none, bare, tt.labels, last}}
		c, _ := client(t, s)
		e := effect.Record{PR: 1, Head: "abcdef0"}
		// What came of the POST has the merged text already.
		merge := func(effect.Record, ...string) (string, error) { return "x", nil }
		s.answers[1].body = `{"number":5,"body":"x","labels":[]}`
		got, err := NewExecutor(c, Target{Number: 1, MergeRecord: merge}).Do(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		tt.want.Effect = e
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		var paths []string
		for _, r := range s.requests {
			paths = append(paths, r.Method+" "+r.URL.Path)
		}
		if diff := cmp.Diff(tt.paths, paths); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
