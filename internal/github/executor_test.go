package github

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// What becomes of each effect but the review request (TestRequestReview) in
// each kind of world.
func TestEffects(t *testing.T) {
	t.Parallel()
	done := effect.Result{Outcome: effect.Done}
	so := effect.Result{Outcome: effect.AlreadySo}
	lacks := func(right string) effect.Result {
		return effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: right}
	}
	ready := func(b *bench) effect.Effect { return effect.MarkReady{Head: b.head} }
	note := func(b *bench) effect.Effect {
		return effect.Comment{Topic: "round_cap_reached", Head: b.head, Body: "The rounds are spent."}
	}
	hide := func(b *bench) effect.Effect {
		return effect.Hide{CommentID: b.w.Pull(b.n).Comments[0].ID, Topic: "round_cap_reached", Head: b.head}
	}
	commanded := func(b *bench) { b.w.Comment(b.n, "mona", "/prloop pause") }
	react := reaction
	proof := func(b *bench) effect.Effect {
		return effect.CheckRun{Head: b.head, Digest: "sha256:0f", Title: "Converged", Summary: "All of it holds.", Text: "{}"}
	}
	again := func(b *bench) effect.Effect { return effect.Rerun{Job: 60, Run: 50, Head: b.head} }
	mention := func(b *bench) effect.Effect {
		return effect.Mention{Reviewer: pr.CopilotAgent, Head: b.head, Try: 1, Body: "@copilot please review this."}
	}
	const mentioned = "@copilot please review this.\n\n<!-- prloop:mention:copilot-swe-agent@%HEAD%#1 -->"
	landed := effect.Result{Outcome: effect.Done, Request: effect.Landed}
	const marked = "The rounds are spent.\n\n<!-- prloop:note comment:round_cap_reached@%HEAD% -->"
	noted := func(by, body string) setting {
		return func(b *bench) {
			short := pr.SHA(b.w.Pull(b.n).Head).Short()
			b.w.Comment(b.n, by, replaceHead(body, short))
		}
	}

	tests := []struct {
		name   string
		before []setting // what the decision saw
		after  []setting // what happened since
		effect func(*bench) effect.Effect
		want   deed
	}{
		{
			"mention: done with the person's token, since a bot's starts nothing",
			[]setting{withPerson},
			nil, mention,
			deed{landed, "0s", 2, []string{"POST issues/1/comments 201 as octocat"}, []string{"comment_created 2400000001 on #1 by octocat"}},
		},
		{
			"mention: without a person's token nothing is asked of GitHub",
			nil, nil, mention,
			deed{effect.Result{Outcome: effect.Failed, Request: effect.Forbidden, Note: "there is no user-token, and a bot's mention starts nothing"}, "", 0, nil, nil},
		},
		{
			"mention: it stands, and is as old as it is",
			[]setting{withPerson},
			[]setting{noted("octocat", mentioned), func(b *bench) { b.w.Advance(time.Minute) }},
			mention,
			deed{effect.Result{Outcome: effect.AlreadySo, Request: effect.Landed}, "1m0s", 1, nil, nil},
		},
		{
			"mention: a stranger's copy of its marker is none",
			[]setting{withPerson},
			[]setting{func(b *bench) { b.w.AddAccount(githubtest.Account{Login: "stranger"}) }, noted("stranger", mentioned)},
			mention,
			deed{landed, "0s", 2, []string{"POST issues/1/comments 201 as octocat"}, []string{"comment_created 2400000002 on #1 by octocat"}},
		},
		{
			"revert: done with the person's token, so that workflows run",
			[]setting{withPerson, asMerged},
			nil, revertOf,
			deed{effect.Result{Outcome: effect.Done, Number: 2}, "", 2, []string{"revertPullRequest 200 as octocat"}, []string{"opened on #2 by octocat"}},
		},
		{
			"revert: done with the workflow's token where there is no other",
			[]setting{asMerged},
			nil, revertOf,
			deed{effect.Result{Outcome: effect.Done, Number: 2}, "", 2, []string{"revertPullRequest 200 as github-actions[bot]"}, []string{"opened on #2 by github-actions[bot]"}},
		},
		{
			"revert: its marker is there",
			[]setting{withPerson, asMerged},
			[]setting{openedBy("octocat", "some-branch", true)},
			revertOf,
			deed{effect.Result{Outcome: effect.AlreadySo, Number: 2}, "", 1, nil, nil},
		},
		{
			"revert: somebody opened it by hand",
			[]setting{withPerson, asMerged},
			[]setting{openedBy("mona", "revert-1-branch-1", false)},
			revertOf,
			deed{effect.Result{Outcome: effect.AlreadySo, Number: 2}, "", 1, nil, nil},
		},
		{
			"revert: the one by hand was closed again",
			[]setting{withPerson, asMerged},
			[]setting{openedBy("mona", "revert-1-branch-1", false), func(b *bench) { b.w.Close(2, "mona") }},
			revertOf,
			deed{effect.Result{Outcome: effect.Done, Number: 3}, "", 2, []string{"revertPullRequest 200 as octocat"}, []string{"opened on #3 by octocat"}},
		},
		{
			"revert: a stranger's copy of its marker is none, nor is a fork's",
			[]setting{withPerson, asMerged},
			[]setting{
				func(b *bench) { b.w.AddAccount(githubtest.Account{Login: "stranger"}) }, openedBy("stranger", "revert-1-branch-1", true),
				func(b *bench) {
					b.w.OpenPR(githubtest.PR{Author: "mona", HeadRepo: "mona/demo", Body: revertMarker(b)})
				},
			},
			revertOf,
			deed{effect.Result{Outcome: effect.Done, Number: 4}, "", 2, []string{"revertPullRequest 200 as octocat"}, []string{"opened on #4 by octocat"}},
		},
		{"revert: it is not merged", []setting{withPerson}, nil, revertOf, deed{stale("the pull request is not merged as "), "", 1, nil, nil}},
		{
			"revert: GitHub cannot",
			[]setting{withPerson, asMerged, func(b *bench) { b.w.RefuseReverts("It conflicts.") }},
			nil, revertOf,
			deed{effect.Result{Outcome: effect.Failed, Note: "GitHub refuses to revert it"}, "", 2, []string{"revertPullRequest 200 as octocat"}, nil},
		},
		{
			"revert: without the right",
			[]setting{asMerged, mayOnlyRead},
			nil, revertOf,
			deed{lacks("contents: write and pull-requests: write"), "", 2, []string{"revertPullRequest 200 as github-actions[bot]"}, nil},
		},
		{"mention: the head moved", []setting{withPerson}, []setting{pushed}, mention, deed{stale("the head is HEAD now"), "", 1, nil, nil}},
		{
			"re-run: done",
			[]setting{withRed, mayRerun},
			nil, again,
			deed{done, "", 3, []string{"POST actions/jobs/60/rerun 201 as github-actions[bot]"}, []string{"job_rerun 60 by github-actions[bot]", "check_started build 57000000001 at HEAD by github-actions[bot]"}},
		},
		{
			"re-run: somebody was faster",
			[]setting{withRed},
			[]setting{func(b *bench) { b.w.Check(b.n, githubtest.Check{Name: "build", RunID: 50, Attempt: 2}) }},
			again,
			deed{so, "", 1, nil, nil},
		},
		{
			"re-run: the run goes on",
			[]setting{withRed},
			[]setting{func(b *bench) { b.w.Check(b.n, githubtest.Check{Name: "test", RunID: 50}) }},
			again,
			deed{stale("the workflow run goes on"), "", 1, nil, nil},
		},
		{"re-run: the head moved", []setting{withRed}, []setting{pushed}, again, deed{stale("the head is HEAD now"), "", 2, nil, nil}},
		{
			"re-run: without the right to write actions",
			[]setting{withRed},
			nil, again,
			deed{lacks("actions: write"), "", 3, []string{"POST actions/jobs/60/rerun 403 as github-actions[bot]"}, nil},
		},
		{
			"check run: done with the workflow's token, whoever's tokens there are",
			[]setting{mayCheck, withPerson},
			nil, proof,
			deed{done, "", 3, []string{"POST check-runs 201 as github-actions[bot]"}, []string{"check_neutral prloop 57000000001 at HEAD by github-actions[bot]"}},
		},
		{
			"check run: somebody's own check of that name is none",
			[]setting{mayCheck},
			[]setting{func(b *bench) { b.w.Check(b.n, githubtest.Check{Name: "prloop", Conclusion: "SUCCESS"}) }},
			proof,
			deed{done, "", 3, []string{"POST check-runs 201 as github-actions[bot]"}, []string{"check_neutral prloop 57000000002 at HEAD by github-actions[bot]"}},
		},
		{"check run: the head moved", []setting{mayCheck}, []setting{pushed}, proof, deed{stale("the head is HEAD now"), "", 2, nil, nil}},
		{
			"check run: without the right to write checks",
			nil, nil, proof,
			deed{lacks("checks: write"), "", 3, []string{"POST check-runs 403 as github-actions[bot]"}, nil},
		},
		{
			"ready: done with the person's token, so that workflows run",
			[]setting{asDraft, withPerson},
			nil, ready,
			deed{done, "", 2, []string{"markPullRequestReadyForReview 200 as octocat"}, []string{"ready_for_review at HEAD on #1 by octocat"}},
		},
		{
			"ready: done with the workflow's token where there is no other",
			[]setting{asDraft},
			nil, ready,
			deed{done, "", 2, []string{"markPullRequestReadyForReview 200 as github-actions[bot]"}, []string{"ready_for_review at HEAD on #1 by github-actions[bot]"}},
		},
		{"ready: it is", nil, nil, ready, deed{so, "", 1, nil, nil}},
		{"ready: the head moved", []setting{asDraft}, []setting{pushed}, ready, deed{stale("the head is HEAD now"), "", 1, nil, nil}},
		{
			"ready: closed",
			[]setting{asDraft},
			[]setting{func(b *bench) { b.w.Close(b.n, "mona") }},
			ready,
			deed{stale("the pull request is closed"), "", 1, nil, nil},
		},
		{
			"ready: without the right to write contents",
			[]setting{asDraft, lacking("contents")},
			nil, ready,
			deed{lacks("contents: write and pull-requests: write"), "", 2, []string{"markPullRequestReadyForReview 200 as github-actions[bot]"}, nil},
		},

		{
			"reaction: done",
			[]setting{commanded},
			nil, react,
			deed{done, "", 2, []string{"POST issues/comments/2400000001/reactions 201 as github-actions[bot]"}, []string{"reaction_added rocket 310000001 to comment 2400000001 on #1 by github-actions[bot]"}},
		},
		{
			"reaction: it is there",
			[]setting{commanded, func(b *bench) { b.w.React(2400000001, githubtest.ActionsBot, "rocket") }},
			nil, react,
			deed{so, "", 1, nil, nil},
		},
		{
			"reaction: the comment is gone",
			[]setting{commanded},
			[]setting{func(b *bench) { b.w.DeleteComment(2400000001, "mona") }},
			react,
			deed{stale("the comment is gone"), "", 1, nil, nil},
		},
		{
			"reaction: without the right",
			[]setting{commanded, mayOnlyRead},
			nil, react,
			deed{lacks("pull-requests: write"), "", 2, []string{"POST issues/comments/2400000001/reactions 403 as github-actions[bot]"}, nil},
		},

		{
			"comment: done",
			nil, nil, note,
			deed{done, "", 2, []string{"POST issues/1/comments 201 as github-actions[bot]"}, []string{"comment_created 2400000001 on #1 by github-actions[bot]"}},
		},
		{"comment: it is there", []setting{noted(githubtest.ActionsBot, marked)}, nil, note, deed{so, "", 1, nil, nil}},
		{
			"comment: it is there, on the second page",
			[]setting{many(60), noted(githubtest.ActionsBot, marked), many(60)},
			nil, note,
			deed{so, "", 2, nil, nil},
		},
		{
			"comment: it is there, and a person wrote below it",
			[]setting{noted(githubtest.ActionsBot, marked+"\r\n\r\nSeen, mona.")},
			nil, note,
			deed{so, "", 1, nil, nil},
		},
		{
			"comment: somebody else's marker is none",
			[]setting{noted("mona", marked)},
			nil, note,
			deed{done, "", 2, []string{"POST issues/1/comments 201 as github-actions[bot]"}, []string{"comment_created 2400000002 on #1 by github-actions[bot]"}},
		},
		{
			"comment: a marker within a line is a quotation",
			[]setting{noted(githubtest.ActionsBot, "As in `"+marked+"`")},
			nil, note,
			deed{done, "", 2, []string{"POST issues/1/comments 201 as github-actions[bot]"}, []string{"comment_created 2400000002 on #1 by github-actions[bot]"}},
		},
		{
			"comment: the same topic at an earlier head",
			[]setting{noted(githubtest.ActionsBot, marked), pushed},
			nil, note,
			deed{done, "", 2, []string{"POST issues/1/comments 201 as github-actions[bot]"}, []string{"comment_created 2400000002 on #1 by github-actions[bot]"}},
		},
		{"comment: the head moved", nil, []setting{pushed}, note, deed{stale("the head is HEAD now"), "", 1, nil, nil}},
		{
			"comment: the loop is over because it was merged",
			nil,
			[]setting{merged},
			note,
			deed{done, "", 2, []string{"POST issues/1/comments 201 as github-actions[bot]"}, []string{"comment_created 2400000001 on #1 by github-actions[bot]"}},
		},
		{
			"comment: without the right",
			[]setting{mayOnlyRead},
			nil, note,
			deed{lacks("pull-requests: write"), "", 2, []string{"POST issues/1/comments 403 as github-actions[bot]"}, nil},
		},
		{
			"comment: the conversation is locked",
			[]setting{func(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Locked = true }) }},
			nil, note,
			deed{failed("the conversation is locked"), "", 2, []string{"POST issues/1/comments 403 as github-actions[bot]"}, nil},
		},
		{
			"comment: a topic that would end the hidden marker is refused unseen",
			nil, nil, func(b *bench) effect.Effect { return effect.Comment{Topic: "a--b", Head: b.head, Body: "x"} },
			deed{failed("the topic cannot stand in a hidden marker"), "", 0, nil, nil},
		},
		{
			"comment: a text that is too long is refused unseen",
			nil, nil,
			func(b *bench) effect.Effect {
				return effect.Comment{Topic: "x", Head: b.head, Body: strings.Repeat("x", maxComment-39)}
			},
			deed{failed("the comment has 65537 bytes, and GitHub takes 65536"), "", 0, nil, nil},
		},

		{
			"hide: done",
			[]setting{withNote},
			nil, hide,
			deed{done, "", 2, []string{"minimizeComment 200 as github-actions[bot]"}, []string{"comment_hidden 2400000001 on #1 by github-actions[bot]"}},
		},
		{
			"hide: it is hidden",
			[]setting{withNote, func(b *bench) { b.w.HideComment(b.w.Pull(b.n).Comments[0].DatabaseID, "mona", "resolved") }},
			nil, hide,
			deed{so, "", 1, nil, nil},
		},
		{
			"hide: it is gone",
			[]setting{withNote},
			nil,
			func(b *bench) effect.Effect {
				e := hide(b)
				b.w.DeleteComment(b.w.Pull(b.n).Comments[0].DatabaseID, "mona")
				return e
			},
			deed{stale("the comment is gone"), "", 1, nil, nil},
		},
		{
			"hide: what is no comment is as good as gone",
			nil, nil, func(b *bench) effect.Effect { return effect.Hide{CommentID: b.w.Pull(b.n).ID} },
			deed{stale("the comment is gone"), "", 1, nil, nil},
		},
		{
			"hide: never somebody else's",
			[]setting{noted("mona", "Mine.")},
			nil, hide,
			deed{failed("the comment is somebody else's"), "", 1, nil, nil},
		},
		{
			"hide: without the right",
			[]setting{withNote, mayOnlyRead},
			nil, hide,
			deed{lacks("pull-requests: write"), "", 2, []string{"minimizeComment 200 as github-actions[bot]"}, nil},
		},

		{
			"status: it is no effect of its own",
			nil, nil, func(*bench) effect.Effect { return effect.UpdateStatus{Digest: "d"} },
			deed{failed("the status is written with the journal, by no effect of its own"), "", 0, nil, nil},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			e := tt.effect(b)
			for _, f := range tt.after {
				f(b)
			}
			if diff := cmp.Diff(tt.want, b.deed(e)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A second run finds everything done, and writes nothing.
func TestEffectsAreAlreadySoTheSecondTime(t *testing.T) {
	t.Parallel()
	for _, a := range acts {
		b := newBench(t, a.before...)
		e := a.effect(b)
		first := b.deed(e)
		b.requests = len(b.w.Log())
		want := deed{effect.Result{Outcome: effect.AlreadySo, Request: b.inFlight(e), Number: first.Result.Number}, first.Age, 1, nil, first.Changes}
		if diff := cmp.Diff(want, b.deed(e)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.name, diff)
		}
	}
}

func (b *bench) inFlight(e effect.Effect) effect.RequestResult {
	switch e.(type) {
	case effect.RequestReview:
		return effect.InFlight
	case effect.Mention:
		return effect.Landed // and it is as old as its comment
	case effect.Revert, effect.MarkReady, effect.Rerun, effect.Comment, effect.UpdateStatus, effect.Hide, effect.Record, effect.Reply, effect.Resolve,
		effect.DraftReview, effect.DiscardReview, effect.React, effect.CheckRun, effect.Merge, effect.DisarmMerge, effect.UpdateBranch, effect.DeleteBranch, effect.TakeOver:
	}
	return ""
}

// Results carry the effect that they are about.
func TestResultsNameTheirEffect(t *testing.T) {
	t.Parallel()
	for _, a := range acts {
		b := newBench(t, a.before...)
		e := a.effect(b)
		r, err := b.do(e)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, r.Effect); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.name, diff)
		}
	}
}

// A token that GitHub does not accept any more is a failure with a name, and
// says nothing about the other token.
func TestExpiredPersonalToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before []setting
		effect func(*bench) effect.Effect
		want   deed
	}{
		{
			"a review request", nil,
			func(b *bench) effect.Effect {
				return effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: b.head, Try: 1}
			},
			deed{
				effect.Result{Outcome: effect.Failed, Request: effect.Forbidden, Note: "the dedicated endpoint: forbidden", Right: rightRequest},
				"", 2,
				[]string{"POST pulls/1/copilot-code-review 401 as "},
				nil,
			},
		},
		{
			"marking ready",
			[]setting{asDraft},
			func(b *bench) effect.Effect { return effect.MarkReady{Head: b.head} },
			deed{
				effect.Result{Outcome: effect.Failed, Note: "GitHub does not accept the token", Right: rightReady},
				"", 2,
				[]string{"markPullRequestReadyForReview 401 as "},
				nil,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, append(tt.before, withPerson)...)
			b.w.RemoveToken("person")
			if diff := cmp.Diff(tt.want, b.deed(tt.effect(b))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// NewTarget knows which reviews of the head the decision saw.
func TestNewTarget(t *testing.T) {
	t.Parallel()
	copilot := pr.Actor{Login: pr.CopilotReviewer, Bot: true}
	s := &pr.Snapshot{
		Number: 7, Head: "b", Repo: pr.Repo{IssuesOff: true},
		Reviews: []pr.Review{
			{ID: "old", Author: copilot, Commit: "a"},
			{ID: "mona's", Author: pr.Actor{Login: "mona"}, Commit: "b"},
			{ID: "seen", Author: copilot, Commit: "b"},
		},
	}
	want := Target{Number: 7, Seen: []string{"seen"}, IssuesOff: true}
	if diff := cmp.Diff(want, NewTarget(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every effect has a right that can be told.
func TestEveryEffectHasARight(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"request_review": "user-token of a person with write access and Copilot code review",
		"mark_ready":     "contents: write and pull-requests: write",
		"comment":        "pull-requests: write",
		"update_status":  "pull-requests: write",
		"hide":           "pull-requests: write",
		"react":          "pull-requests: write",
		"record":         "issues: write",
		"reply":          "pull-requests: write",
		"resolve":        "contents: write and pull-requests: write",
		"revert":         "contents: write and pull-requests: write",
		"draft_review":   "user-token of a person with write access",
		"discard_review": "user-token of a person with write access",
		"take_over":      "issues: write",
	}
	got := map[string]string{}
	for _, e := range []effect.Effect{
		effect.RequestReview{},
		effect.MarkReady{},
		effect.Comment{},
		effect.UpdateStatus{},
		effect.Hide{},
		effect.React{},
		effect.Record{},
		effect.Reply{},
		effect.Resolve{},
		effect.Revert{},
		effect.DraftReview{},
		effect.DiscardReview{},
		effect.TakeOver{},
	} {
		got[e.Type()] = Right(e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
