package github

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

const copilot = githubtest.CopilotReviewer

// opened is a thread that somebody opens.
func opened(by string) setting {
	return func(b *bench) {
		b.w.Review(b.n, githubtest.Submitted{By: by, Findings: []githubtest.Finding{{Path: "a.go", Line: 3, Text: "Off by one."}}})
	}
}

func withThread(b *bench) { opened(copilot)(b) }

// says is a comment in the thread.
func says(by, body string) setting {
	return func(b *bench) { b.w.Reply(b.thread(), by, body) }
}

// replied is what replyTo comes to.
func replied(b *bench) {
	e := replyTo(b)
	says(githubtest.ActionsBot, e.Body+"\r\n\r\n"+e.Marker())(b)
}

func (b *bench) thread() string { return b.w.Pull(b.n).Threads[0].ID }

func replyTo(b *bench) effect.Reply {
	return effect.Reply{Thread: b.thread(), Head: pr.SHA(b.w.Pull(b.n).Head), Handoff: 1, Finding: "4f1c", Body: "Fixed."}
}

func resolutionOf(b *bench) effect.Resolve {
	return effect.Resolve{Thread: b.thread(), Head: pr.SHA(b.w.Pull(b.n).Head), Finding: "4f1c"}
}

// onLook happens between the look and the act.
func onLook(f setting) setting {
	return func(b *bench) {
		b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
			if r.Write {
				b.w.SetFault(nil)
				f(b)
			}
			return githubtest.None
		})
	}
}

// lost is an answer to a write that does not come; f happens meanwhile, and
// was says whether the write was carried out.
func lost(f setting, was githubtest.Fault) setting {
	return func(b *bench) {
		b.w.SetFault(func(r githubtest.Request) githubtest.Fault {
			if !r.Write {
				return githubtest.None
			}
			b.w.SetFault(nil)
			if f != nil {
				f(b)
			}
			return was
		})
	}
}

func resolvedBy(by string) setting { return func(b *bench) { b.w.Resolve(b.thread(), by) } }

func deleted(b *bench) { b.w.DeleteThread(b.thread(), "mona") }

func lockedUp(b *bench) { b.w.SetPull(b.n, func(p *githubtest.Pull) { p.Locked = true }) }

func begun(by string) setting { return func(b *bench) { b.w.BeginReview(b.n, by) } }

// manySay are n further comments of a bot.
func manySay(n int) setting {
	return func(b *bench) {
		for range n {
			b.w.Reply(b.thread(), copilot, "And another thing.")
		}
	}
}

// What becomes of a reply in each kind of world.
func TestReply(t *testing.T) {
	t.Parallel()
	done := effect.Result{Outcome: effect.Done}
	so := effect.Result{Outcome: effect.AlreadySo}
	const act = "addPullRequestReviewThreadReply %d as github-actions[bot]"
	said := func(n int) []string {
		return []string{fmt.Sprintf("replied %d in THREAD on #1 by github-actions[bot]", 2900000000+n)}
	}
	wrote := func(statuses ...int) (lines []string) {
		for _, s := range statuses {
			lines = append(lines, fmt.Sprintf(act, s))
		}
		return lines
	}
	tests := []struct {
		name   string
		before []setting // what the decision saw
		after  []setting // what happened since
		edit   func(*effect.Reply)
		want   deed
	}{
		{"done: a look and the reply", []setting{withThread}, nil, nil, deed{done, "", 2, wrote(200), said(2)}},
		{
			"done with the workflow's token also where there is a person's: the marker counts only there",
			[]setting{withThread, withPerson},
			nil, nil,
			deed{done, "", 2, wrote(200), said(2)},
		},
		{"a person's thread is answered too", []setting{opened("mona")}, nil, nil, deed{done, "", 2, wrote(200), said(2)}},
		{"it is there", []setting{withThread, replied}, nil, nil, deed{so, "", 1, nil, nil}},
		{"it is there, and a person spoke after it", []setting{withThread, replied, says("mona", "No.")}, nil, nil, deed{so, "", 1, nil, nil}},
		{
			"it is there, on the second page",
			[]setting{withThread, manySay(120), replied, manySay(3)},
			nil, nil,
			deed{so, "", 2, nil, nil},
		},
		{"it is there, and the head moved since", []setting{withThread, replied}, []setting{pushed}, nil, deed{so, "", 1, nil, nil}},
		{
			"somebody else's marker is none",
			[]setting{withThread, func(b *bench) { says("mona", replyTo(b).Marker())(b) }},
			nil, nil,
			deed{done, "", 2, wrote(200), said(3)},
		},
		{
			"a marker within a line is a quotation",
			[]setting{withThread, func(b *bench) { says(githubtest.ActionsBot, "As in `"+replyTo(b).Marker()+"`")(b) }},
			nil, nil,
			deed{done, "", 2, wrote(200), said(3)},
		},
		{
			"an earlier hand-over's reply is another one",
			[]setting{withThread, replied},
			nil,
			func(e *effect.Reply) { e.Handoff = 2 },
			deed{done, "", 2, wrote(200), said(3)},
		},
		{"the head moved", []setting{withThread}, []setting{pushed}, nil, deed{stale("the head is HEAD now"), "", 1, nil, nil}},
		{"merged", []setting{withThread}, []setting{merged}, nil, deed{stale("the pull request is merged"), "", 1, nil, nil}},
		{"the thread is gone", []setting{withThread}, []setting{deleted}, nil, deed{stale("the thread is gone"), "", 1, nil, nil}},
		{
			"what is no thread is as good as gone",
			[]setting{withThread},
			nil,
			func(e *effect.Reply) { e.Thread = "PR_kwDOAA000001" },
			deed{stale("the thread is gone"), "", 1, nil, nil},
		},
		{
			"the thread goes between the look and the reply",
			[]setting{withThread},
			[]setting{onLook(deleted)},
			nil,
			deed{stale("the thread is gone"), "", 2, wrote(200), nil},
		},
		{
			"a thread of another pull request",
			[]setting{withThread, elsewhere},
			nil,
			func(e *effect.Reply) { e.Thread = "PRRT_kwDOAA000002" },
			deed{failed("the thread is not of this pull request"), "", 1, nil, nil},
		},
		{
			"without the right",
			[]setting{withThread, mayOnlyRead},
			nil, nil,
			deed{effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: "pull-requests: write"}, "", 2, wrote(200), nil},
		},
		{"the conversation is locked", []setting{withThread, lockedUp}, nil, nil, deed{failed("the conversation is locked"), "", 2, wrote(200), nil}},
		{
			"a draft review of the token's account: nothing is sent, and the draft stays",
			[]setting{withThread, begun(githubtest.ActionsBot)},
			nil, nil,
			deed{failed(draftInTheWay), "", 1, nil, nil},
		},
		{"another account's draft is nobody's business", []setting{withThread, begun("mona")}, nil, nil, deed{done, "", 2, wrote(200), said(2)}},
		{
			"a draft that begins after the look swallows the reply: it is not believed",
			[]setting{withThread},
			[]setting{onLook(begun(githubtest.ActionsBot))},
			nil,
			deed{failed(draftInTheWay), "", 2, wrote(200), said(2)},
		},
		{
			"a draft that GitHub refuses to add to",
			[]setting{withThread, func(b *bench) {
				b.w.FailField("Mutation.addPullRequestReviewThreadReply", "UNPROCESSABLE", "user_id can only have one pending review per pull request")
			}},
			nil, nil,
			deed{failed(draftInTheWay), "", 2, wrote(200), nil},
		},
		{
			"a refusal that nobody knows",
			[]setting{withThread, func(b *bench) { b.w.FailField("Mutation.addPullRequestReviewThreadReply", "UNPROCESSABLE", "No.") }},
			nil, nil,
			deed{failed("GitHub refuses it"), "", 2, wrote(200), nil},
		},
		{
			"carried out although the answer was lost: it is found",
			[]setting{withThread},
			[]setting{lost(nil, githubtest.ResetAfter)},
			nil,
			deed{done, "", 3, wrote(0), said(2)},
		},
		{
			"not carried out: it is looked for, and sent once more",
			[]setting{withThread},
			[]setting{lost(nil, githubtest.ResetBefore)},
			nil,
			deed{done, "", 4, wrote(0, 200), said(2)},
		},
		{
			"not carried out, and the head moved meanwhile: not sent again",
			[]setting{withThread},
			[]setting{lost(pushed, githubtest.ResetBefore)},
			nil,
			deed{stale("the head is HEAD now"), "", 3, wrote(0), nil},
		},
		{
			"a mark that would end the hidden comment is refused unseen",
			[]setting{withThread},
			nil,
			func(e *effect.Reply) { e.Finding = "a-->" },
			deed{failed("the mark of the finding cannot stand in a hidden marker"), "", 0, nil, nil},
		},
		{
			"a text that is too long is refused unseen",
			[]setting{withThread},
			nil,
			func(e *effect.Reply) { e.Body = strings.Repeat("x", maxComment-43) },
			deed{failed("the reply has 65537 bytes, and GitHub takes 65536"), "", 0, nil, nil},
		},
		{
			"a reply that says nothing is refused unseen",
			[]setting{withThread},
			nil,
			func(e *effect.Reply) { e.Body = e.Marker() + "\n" },
			deed{failed("the reply says nothing"), "", 0, nil, nil},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			e := replyTo(b)
			if tt.edit != nil {
				tt.edit(&e)
			}
			for _, f := range tt.after {
				f(b)
			}
			if diff := cmp.Diff(tt.want, b.inThread(e.Thread, e)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// elsewhere is a thread on another pull request.
func elsewhere(b *bench) {
	n := b.n
	b.n = b.w.OpenPR(githubtest.PR{})
	withThread(b)
	b.n = n
}

// inThread is deed with the thread under that name.
func (b *bench) inThread(id string, e effect.Effect) deed {
	b.Helper()
	d := b.deed(e)
	for i := range d.Changes {
		d.Changes[i] = strings.ReplaceAll(d.Changes[i], id, "THREAD")
	}
	return d
}

// What is posted calls no bot, has its marker once, and is known as ours.
func TestPostedReply(t *testing.T) {
	t.Parallel()
	const words = "Fixed in 1f0c9a2; @mona may ask @copilot."
	const tamed = "Fixed in 1f0c9a2; @mona may ask @\u200bcopilot."
	const own = "<!-- prloop:reply 1 0a1b2c3d -->\n" // as the decision writes it
	for _, tt := range []struct{ name, body, want string }{
		{"without a marker", words, tamed + "\n\n<!-- prloop:reply reply:4f1c@HEAD#1 -->"},
		{"with a marker", own + words, own + tamed},
	} {
		b := newBench(t, withThread)
		e := replyTo(b)
		e.Body = tt.body
		b.deed(e)
		comments := b.w.Pull(b.n).Threads[0].Comments
		got := comments[len(comments)-1].Body
		if diff := cmp.Diff(tt.want, b.plain(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if !effect.IsReply(got) {
			t.Errorf("%s: it is not read as a reply: %q", tt.name, got)
		}
		r, err := b.do(e)
		if diff := cmp.Diff(effect.Result{Effect: e, Outcome: effect.AlreadySo}, r); diff != "" || err != nil {
			t.Errorf("%s, a second time: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// Once the draft that swallowed a reply is submitted, the reply is there; until
// then it is not sent a second time.
func TestSwallowedReplyIsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, withThread)
	e := replyTo(b)
	var draft string
	onLook(func(b *bench) { draft = b.w.BeginReview(b.n, githubtest.ActionsBot) })(b)
	var got []effect.Outcome
	for run := range 3 {
		if run == 2 {
			b.w.SubmitReview(draft, "")
		}
		r, err := b.do(e)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Outcome)
	}
	if diff := cmp.Diff([]effect.Outcome{effect.Failed, effect.Failed, effect.AlreadySo}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(b.w.Pull(b.n).Threads[0].Comments); n != 2 {
		t.Errorf("%d comments in the thread, want 2", n)
	}
}

// What becomes of a resolution in each kind of world.
func TestResolve(t *testing.T) {
	t.Parallel()
	done := effect.Result{Outcome: effect.Done}
	so := effect.Result{Outcome: effect.AlreadySo}
	theirs := failed("a person's thread")
	const bot = githubtest.ActionsBot
	lacks := func(right string) effect.Result {
		return effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: right}
	}
	wrote := func(by string, statuses ...int) (lines []string) {
		for _, s := range statuses {
			lines = append(lines, fmt.Sprintf("resolveReviewThread %d as %s", s, by))
		}
		return lines
	}
	closed := func(by string) []string { return []string{"thread_resolved THREAD on #1 by " + by} }
	tests := []struct {
		name   string
		before []setting // what the decision saw
		after  []setting // what happened since
		edit   func(*effect.Resolve)
		want   deed
	}{
		{"done with the workflow's token where there is no other", []setting{withThread, replied}, nil, nil, deed{done, "", 2, wrote(bot, 200), closed(bot)}},
		{"done with the person's token", []setting{withThread, replied, withPerson}, nil, nil, deed{done, "", 2, wrote("octocat", 200), closed("octocat")}},
		{
			"the person's token does what the workflow's may not",
			[]setting{withThread, replied, withPerson, lacking("contents")},
			nil, nil,
			deed{done, "", 2, wrote("octocat", 200), closed("octocat")},
		},
		{"an outdated thread counts like all others", []setting{withThread, replied, pushed}, nil, nil, deed{done, "", 2, wrote(bot, 200), closed(bot)}},
		{"it is resolved", []setting{withThread, replied, resolvedBy("mona")}, nil, nil, deed{so, "", 1, nil, nil}},
		{"it is resolved, and the head moved since", []setting{withThread, replied, resolvedBy(bot)}, []setting{pushed}, nil, deed{so, "", 1, nil, nil}},
		{"the head moved", []setting{withThread, replied}, []setting{pushed}, nil, deed{stale("the head is HEAD now"), "", 1, nil, nil}},
		{"merged", []setting{withThread, replied}, []setting{merged}, nil, deed{stale("the pull request is merged"), "", 1, nil, nil}},
		{"the thread is gone", []setting{withThread}, []setting{deleted}, nil, deed{stale("the thread is gone"), "", 1, nil, nil}},
		{
			"the thread goes between the look and the act",
			[]setting{withThread},
			[]setting{onLook(deleted)},
			nil,
			deed{stale("the thread is gone"), "", 2, wrote(bot, 200), nil},
		},
		{
			"a thread of another pull request",
			[]setting{withThread, elsewhere},
			nil,
			func(e *effect.Resolve) { e.Thread = "PRRT_kwDOAA000002" },
			deed{failed("the thread is not of this pull request"), "", 1, nil, nil},
		},

		{"a person opened it", []setting{opened("mona"), replied}, nil, nil, deed{theirs, "", 1, nil, nil}},
		{"a ghost opened it: nobody knows that it was no person", []setting{opened(""), replied}, nil, nil, deed{theirs, "", 1, nil, nil}},
		{"a person spoke last", []setting{withThread, replied, says("mona", "Please leave it open.")}, nil, nil, deed{theirs, "", 1, nil, nil}},
		{"a stranger spoke last", []setting{withThread, replied, says("hubot", "Me too.")}, nil, nil, deed{theirs, "", 1, nil, nil}},
		{"a ghost spoke last", []setting{withThread, replied, says("", "Boo.")}, nil, nil, deed{theirs, "", 1, nil, nil}},
		{
			"a person spoke last but for our reply, which must not cover it",
			[]setting{withThread, says("mona", "Please leave it open."), replied},
			nil, nil,
			deed{theirs, "", 1, nil, nil},
		},
		{
			"a person spoke, and a bot after that",
			[]setting{withThread, says("mona", "Is it?"), says(copilot, "It is."), replied},
			nil, nil,
			deed{done, "", 2, wrote(bot, 200), closed(bot)},
		},
		{
			"a person spoke last, on the second page",
			[]setting{withThread, manySay(120), says("mona", "Please leave it open.")},
			nil, nil,
			deed{theirs, "", 2, nil, nil},
		},
		{
			"bots alone spoke, on two pages",
			[]setting{withThread, manySay(120), replied},
			nil, nil,
			deed{done, "", 3, wrote(bot, 200), closed(bot)},
		},
		{
			"a person who copies our marker is a person",
			[]setting{withThread, func(b *bench) { says("mona", replyTo(b).Marker())(b) }},
			nil, nil,
			deed{theirs, "", 1, nil, nil},
		},
		{
			"a person's account that replies for us is us, where the marker says so",
			[]setting{personalBench, withThread, func(b *bench) { says("mona", "Fixed.\n\n"+replyTo(b).Marker())(b) }},
			nil, nil,
			deed{done, "", 2, wrote("mona", 200), closed("mona")},
		},
		{
			"and a person, where it does not",
			[]setting{personalBench, withThread, says("mona", "Please leave it open.")},
			nil, nil,
			deed{theirs, "", 1, nil, nil},
		},

		{
			"without the right to write contents",
			[]setting{withThread, replied, lacking("contents")},
			nil, nil,
			deed{lacks("contents: write and pull-requests: write"), "", 2, wrote(bot, 200), nil},
		},
		{
			"a person's token without write access",
			[]setting{withThread, replied, withPerson, func(b *bench) {
				b.w.AddToken(githubtest.Token{Value: "person", Kind: githubtest.User, Login: "hubot"})
			}},
			nil, nil,
			deed{lacks("user-token of a person with write access"), "", 2, wrote("hubot", 200), nil},
		},
		{
			"a refusal that nobody knows",
			[]setting{withThread, func(b *bench) { b.w.FailField("Mutation.resolveReviewThread", "UNPROCESSABLE", "No.") }},
			nil, nil,
			deed{failed("GitHub refuses it"), "", 2, wrote(bot, 200), nil},
		},
		{
			"carried out although the answer was lost: it is found",
			[]setting{withThread},
			[]setting{lost(nil, githubtest.ResetAfter)},
			nil,
			deed{done, "", 3, wrote(bot, 0), closed(bot)},
		},
		{
			"not carried out: it is looked for, and tried once more",
			[]setting{withThread},
			[]setting{lost(nil, githubtest.ResetBefore)},
			nil,
			deed{done, "", 4, wrote(bot, 0, 200), closed(bot)},
		},
		{
			"not carried out, and a person spoke meanwhile: not tried again",
			[]setting{withThread},
			[]setting{lost(says("mona", "Wait."), githubtest.ResetBefore)},
			nil,
			deed{theirs, "", 3, wrote(bot, 0), nil},
		},
		{
			"not carried out, and the head moved meanwhile: not tried again",
			[]setting{withThread},
			[]setting{lost(pushed, githubtest.ResetBefore)},
			nil,
			deed{stale("the head is HEAD now"), "", 3, wrote(bot, 0), nil},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tt.before...)
			e := resolutionOf(b)
			if tt.edit != nil {
				tt.edit(&e)
			}
			for _, f := range tt.after {
				f(b)
			}
			if diff := cmp.Diff(tt.want, b.inThread(e.Thread, e)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// personalBench: github-token is mona's own.
func personalBench(b *bench) {
	b.w.AddToken(githubtest.Token{Value: "workflow", Kind: githubtest.User, Login: "mona", Write: true})
}

// Answers that GitHub does not give every day: what is not known whole is not
// acted on, and a yes without the thing is not believed.
func TestOddAnswersAboutThreads(t *testing.T) {
	t.Parallel()
	look := func(pull, node, errs string) answer {
		if errs != "" {
			errs = `,"errors":[` + errs + `]`
		}
		return answer{status: 200, body: `{"data":{"repository":{"pullRequest":` + pull + `},"node":` + node + `}` + errs + `}`}
	}
	const (
		pull = `{"id":"PR_7","state":"OPEN","headRefOid":"h","drafts":{"totalCount":0}}`
		page = `"pageInfo":{"hasNextPage":false}`
		bot  = `{"author":{"__typename":"Bot","login":"copilot-pull-request-reviewer"},"state":"SUBMITTED","body":"x"}`
	)
	thread := func(of, comments string) string {
		return `{"id":"T","isResolved":false,"pullRequest":` + of + `,"comments":` + comments + `}`
	}
	good := look(pull, thread(`{"id":"PR_7"}`, `{"nodes":[`+bot+`],`+page+`}`), "")
	mutated := func(field, payload string) answer {
		return answer{status: 200, body: `{"data":{"` + field + `":` + payload + `}}`}
	}
	tests := []struct {
		name    string
		answers []answer
		want    [2]string // of the reply and of the resolution: the outcome with its note, or the error
	}{
		{"a thread without comments", []answer{look(pull, thread(`{"id":"PR_7"}`, `{"nodes":[],`+page+`}`), "")}, [2]string{"", "failed: a person's thread"}},
		{"no pull request, and no reason", []answer{look("null", thread(`{"id":"PR_7"}`, `{"nodes":[],`+page+`}`), "")}, both("unavailable")},
		{"drafts that are left out", []answer{look(`{"id":"PR_7"}`, thread(`{"id":"PR_7"}`, `{"nodes":[],`+page+`}`), "")}, both("unavailable")},
		{"a thread that belongs nowhere", []answer{look(pull, thread("null", `{"nodes":[],`+page+`}`), "")}, both("unavailable")},
		{"comments that are left out", []answer{look(pull, thread(`{"id":"PR_7"}`, "null"), "")}, both("unavailable")},
		{"a comment that is left out", []answer{look(pull, thread(`{"id":"PR_7"}`, `{"nodes":[`+bot+`,null],`+page+`}`), "")}, both("unavailable")},
		{
			"a comment that is hidden is no thread that is gone",
			[]answer{look(pull, thread(`{"id":"PR_7"}`, `{"nodes":[`+bot+`,null],`+page+`}`), `{"type":"NOT_FOUND","path":["node","comments","nodes",1],"message":"x"}`)},
			both("failed: GitHub refuses it"),
		},
		{
			"a thread that the token may not see",
			[]answer{look(pull, "null", `{"type":"FORBIDDEN","path":["node"],"message":"Resource not accessible by integration"}`)},
			both("failed: the token may not do this"),
		},
		{"a thread that is null without a reason", []answer{look(pull, "null", "")}, both("stale: the thread is gone")},
		{
			"a yes that shows nothing",
			[]answer{good, mutated("addPullRequestReviewThreadReply", `{"comment":null}`)},
			[2]string{"failed: GitHub said yes and shows no reply", ""},
		},
		{
			"a yes that changes nothing",
			[]answer{good, mutated("resolveReviewThread", `{"thread":{"isResolved":false}}`)},
			[2]string{"", "failed: GitHub said yes and left it open"},
		},
	}
	for _, tt := range tests {
		for i, e := range []effect.Effect{
			effect.Reply{Thread: "T", Head: "h", Handoff: 1, Finding: "f", Body: "Fixed."},
			effect.Resolve{Thread: "T", Head: "h", Finding: "f"},
		} {
			if tt.want[i] == "" {
				continue
			}
			c, _ := client(t, &script{answers: tt.answers})
			r, err := NewExecutor(c, Target{Number: 7}).Do(t.Context(), e)
			got := string(r.Outcome) + ": " + r.Note
			if err != nil {
				got = "unavailable"
			}
			if err != nil && !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s, %s: %v", tt.name, e, err)
			}
			if got != tt.want[i] {
				t.Errorf("%s, %s: %s, want %s", tt.name, e, got, tt.want[i])
			}
		}
	}
}

func both(s string) [2]string { return [2]string{s, s} }

// Who speaks in generated threads. A ghost is not known to be a bot, and a
// person may be called what a bot is called.
var (
	machines = []string{copilot, githubtest.ActionsBot, "coderabbitai[bot]"}
	people   = []string{"mona", "hubot", "copilot", "github-actions", ""}
)

// us stands for a reply of ours.
const us = "us"

// speakers draws who speaks in a thread, one after the other. Nobody of us
// opens one.
func speakers(t *rapid.T) []string {
	first := rapid.SampledFrom(slices.Concat(machines, people)).Draw(t, "opened by")
	further := rapid.SliceOfN(rapid.SampledFrom(slices.Concat(machines, people, []string{us, us})), 0, 5).Draw(t, "then")
	return append([]string{first}, further...)
}

// isAPersons is the rule as the issue states it, but that our replies do not
// count: a person opened it, or a person spoke last.
func isAPersons(speakers []string) bool {
	others := slices.DeleteFunc(slices.Clone(speakers), func(by string) bool { return by == us })
	return slices.Contains(people, others[0]) || slices.Contains(people, others[len(others)-1])
}

// Over 10,000 generated threads the look lets nobody resolve one that a person
// opened, or in which a person spoke last, and lets the others be resolved.
func TestTheLookGuardsPeoplesThreads(t *testing.T) {
	t.Parallel()
	const each = 100 // in each of rapid's 100 draws
	marker := effect.Reply{Finding: "f", Head: "h", Handoff: 1}.Marker()
	comment := func(by string) said {
		switch {
		case by == us:
			return said{&actor{Typename: "Bot", Login: "github-actions"}, true, "Fixed.\n\n" + marker, "SUBMITTED"}
		case by == "":
			return said{Body: "Words.", State: "SUBMITTED"}
		case strings.HasSuffix(by, "[bot]"):
			login := strings.TrimSuffix(by, "[bot]")
			return said{&actor{Typename: "Bot", Login: login}, by == githubtest.ActionsBot, "Words.", "SUBMITTED"}
		}
		// Strangers know the marker too.
		return said{&actor{Typename: "User", Login: by}, false, marker, "SUBMITTED"}
	}
	total, free := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range each {
			told := speakers(t)
			d := &dialogue{head: "h", state: pr.Open}
			for _, by := range told {
				d.comments = append(d.comments, comment(by))
			}
			var want effect.Result
			if isAPersons(told) {
				want = failed("a person's thread")
			} else {
				free++
			}
			got, over := d.settled(effect.Resolve{Thread: "T", Head: "h", Finding: "f"})
			if diff := cmp.Diff(want, got); diff != "" || over != isAPersons(told) {
				t.Fatalf("a thread of %q: over %t (-want +got):\n%s", told, over, diff)
			}
			total++
		}
	})
	if total < 10_000 || free < total/20 || free > total/2 {
		t.Errorf("%d threads, %d of them free to be resolved: too few to tell", total, free)
	}
}

// The same over the request log of a world: no resolveReviewThread ever leaves
// for a person's thread, and each of the others is resolved by one.
func TestNoPersonsThreadIsEverResolved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		marker := effect.Reply{Finding: "f", Head: b.head, Handoff: 1}.Marker()
		told := rapid.SliceOfN(rapid.Custom(speakers), 1, 8).Draw(rt, "threads")
		for i, who := range told {
			opened(who[0])(b)
			thread := b.w.Pull(b.n).Threads[i].ID
			for _, by := range who[1:] {
				if by == us {
					b.w.Reply(thread, githubtest.ActionsBot, "Fixed.\n\n"+marker)
				} else {
					b.w.Reply(thread, by, "Words.")
				}
			}
		}
		var want, got []string
		b.requests = len(b.w.Log())
		for i, thread := range b.w.Pull(b.n).Threads {
			if _, err := b.do(effect.Resolve{Thread: thread.ID, Head: b.head, Finding: "f"}); err != nil {
				rt.Fatal(err)
			}
			if !isAPersons(told[i]) {
				want = append(want, thread.ID)
			}
		}
		for _, thread := range b.w.Pull(b.n).Threads {
			if thread.Resolved {
				got = append(got, thread.ID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(b.writes()) != len(want) {
			rt.Fatalf("threads of %q: %q sent; resolved (-want +got):\n%s", told, b.writes(), diff)
		}
	})
}
