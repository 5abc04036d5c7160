package github

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// octocatsReview is the review that is prepared for the account of the
// user-token.
func octocatsReview(b *bench) effect.DraftReview {
	return effect.DraftReview{
		Login: "octocat", Head: b.head, Handoff: 1, Body: "Prepared.",
		Comments: []effect.DraftComment{{Path: "a.go", Line: 1, Body: "Off by one, @copilot."}},
	}
}

// changing lets the pull request change line 1 of a.go.
func changing(b *bench) { b.w.Push(b.n, githubtest.Push{By: "mona", Paths: []string{"a.go"}}) }

// prepared is octocatsReview as it stands.
func prepared(b *bench) { preparedBy(1)(b) }

// preparedBy is the same by another hand-over.
func preparedBy(number int) setting {
	return func(b *bench) {
		b.decide()
		e := octocatsReview(b)
		e.Handoff = number
		if r, err := b.do(e); err != nil || r.Outcome != effect.Done {
			b.Fatalf("the review was not prepared: %+v, %v", r, err)
		}
	}
}

func rewritten(b *bench) {
	if !b.w.RewriteDraft(b.n, "octocat", "Off by two.") {
		b.Fatal("there is no draft")
	}
}

func written(b *bench) {
	if !b.w.WriteInDraft(b.n, "octocat", githubtest.Finding{Path: "a.go", Line: 1, Text: "Mine."}) {
		b.Fatal("there is no draft")
	}
}

// pending is the account's pending review, with its comments one a line.
func (b *bench) pending(login string) string {
	var lines []string
	for _, r := range b.w.Pull(b.n).Reviews {
		if r.State == "PENDING" && strings.EqualFold(r.Author, login) {
			lines = append(lines, b.plain(r.Body))
		}
	}
	for _, t := range b.w.Pull(b.n).Threads {
		lines = append(lines, fmt.Sprintf("%s:%d %s", t.Path, t.Line, t.Comments[0].Body))
	}
	return strings.Join(lines, "\n")
}

const (
	draftMark = "\n\n<!-- prloop:draft-review:octocat@HEAD#1 -->"
	inPlace   = "Prepared." + draftMark + "\na.go:1 Off by one, @\u200bcopilot."
	inBody    = "Prepared.\n\n`a.go` line 1: Off by one, @\u200bcopilot." + draftMark
)

// What becomes of a review that is to be prepared, in each kind of world.
func TestDraftReview(t *testing.T) {
	t.Parallel()
	failed := func(note string) effect.Result { return effect.Result{Outcome: effect.Failed, Note: note} }
	done := effect.Result{Outcome: effect.Done, Comments: 1}
	tests := []struct {
		name   string
		before []setting
		after  setting // between the decision and the effect
		want   effect.Result
		stands string
	}{
		{"inPlace, on the account of the user-token", []setting{changing}, nil, done, inPlace},
		{"a line is not in the diff: all of it in the body", []setting{func(b *bench) {
			b.w.Push(b.n, githubtest.Push{By: "mona", Paths: []string{"b.go"}})
		}}, nil, effect.Result{Outcome: effect.Done}, inBody},
		{"there already", []setting{changing, prepared}, nil, effect.Result{Outcome: effect.AlreadySo, Comments: 1}, inPlace},
		{"there already, of a hand-over that nobody remembers", []setting{changing, preparedBy(3)}, nil, effect.Result{Outcome: effect.AlreadySo, Comments: 1}, strings.Replace(inPlace, "#1", "#3", 1)},
		{"the person has begun a review", []setting{changing, begun("octocat")}, nil, failed(taken), ""},
		{"somebody else has begun one, which nobody sees", []setting{changing, begun("mona")}, nil, done, inPlace},
		{"the head moved", []setting{changing}, pushed, effect.Result{Outcome: effect.Stale, Note: "the head is HEAD now"}, ""},
		{"it was merged", []setting{changing}, merged, effect.Result{Outcome: effect.Stale, Note: "the pull request is merged"}, ""},
		{"the answer is lost, and it was made", []setting{changing}, lost(nil, githubtest.ResetAfter), done, inPlace},
		{"the answer is lost, and it was not", []setting{changing}, lost(nil, githubtest.ResetBefore), done, inPlace},
		{"the answer is lost, and the head moves", []setting{changing}, lost(pushed, githubtest.ResetBefore), effect.Result{Outcome: effect.Stale, Note: "the head is HEAD now"}, ""},
		{"without a user-token", []setting{changing, func(b *bench) { b.person = false }}, nil, effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: rightPerson}, ""},
		{"the user-token is no more", []setting{changing, func(b *bench) { b.w.RemoveToken("person") }}, nil, effect.Result{Outcome: effect.Failed, Note: "GitHub does not accept the token", Right: rightPerson}, ""},
		{"the user-token is somebody else's", []setting{changing, func(b *bench) {
			b.w.AddToken(githubtest.Token{Value: "person", Kind: githubtest.User, Login: "mona", Write: true})
		}}, nil, failed("user-token is not of the account whose review is prepared"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, append([]setting{withPerson}, tt.before...)...)
			e := octocatsReview(b)
			if tt.after != nil {
				tt.after(b)
			}
			got, err := b.do(e)
			if err != nil {
				t.Fatal(err)
			}
			if (got.ID != "") != (got.Outcome == effect.Done || got.Outcome == effect.AlreadySo) {
				t.Errorf("the review's id is %q", got.ID)
			}
			if (got.Text != "") != (got.Outcome == effect.Done || got.Outcome == effect.AlreadySo) {
				t.Errorf("the digest of what was written is %q", got.Text)
			}
			got.ID, got.Text, got.Effect, got.Note = "", "", nil, b.plain(got.Note)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.stands, b.pending("octocat")); diff != "" {
				t.Errorf("what stands (-want +got):\n%s", diff)
			}
		})
	}
}

// Nobody but its author sees a pending review, so the token of the workflow
// must not be the one that looks.
func TestADraftReviewIsReadByItsAuthor(t *testing.T) {
	t.Parallel()
	b := newBench(t, withPerson, changing, prepared)
	s, err := b.client().Snapshot(b.Context(), b.n, Want{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Reviews) != 0 || len(s.Threads) != 0 {
		t.Errorf("the workflow's token sees %d reviews and %d threads of a draft", len(s.Reviews), len(s.Threads))
	}
	for _, r := range b.w.Log()[b.requests:] {
		if r.Login == "octocat" && !r.Write {
			t.Errorf("%s is read with the user-token", r)
		}
	}
}

// A process that dies at any request leaves one review, whole.
func TestADraftReviewIsMadeOnce(t *testing.T) {
	t.Parallel()
	for i := 1; i <= 3; i++ {
		b := newBench(t, withPerson, changing)
		b.nth(i, githubtest.Dead)
		_, err := b.do(octocatsReview(b))
		if (err == nil) != (i > 2) {
			t.Fatalf("request %d: %v", i, err)
		}
		b.w.SetFault(nil)
		if r, err := b.do(octocatsReview(b)); err != nil || r.ID == "" {
			t.Fatalf("the second run: %+v, %v", r, err)
		}
		if diff := cmp.Diff(inPlace, b.pending("octocat")); diff != "" {
			t.Errorf("request %d: what stands (-want +got):\n%s", i, diff)
		}
	}
}

// Only what prloop prepared, and nobody touched, is discarded.
func TestDiscardReview(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before []setting
		want   effect.Result
		stands string
	}{
		{"of an older head", []setting{changing, prepared, pushed}, effect.Result{Outcome: effect.Done}, ""},
		{"somebody wrote in it", []setting{changing, prepared, written, pushed}, effect.Result{Outcome: effect.Stale, Note: "somebody wrote in it, so it is left as it is"}, "left"},
		{"somebody changed a comment of it", []setting{changing, prepared, rewritten, pushed}, effect.Result{Outcome: effect.Stale, Note: "somebody wrote in it, so it is left as it is"}, "left"},
		{"it is an earlier hand-over's, so what was written in it is not known", []setting{changing, preparedBy(3), pushed}, effect.Result{Outcome: effect.Stale, Note: "somebody wrote in it, so it is left as it is"}, "left"},
		{"it was submitted", []setting{changing, prepared, func(b *bench) { b.w.SubmitDraft(b.n, "octocat", "COMMENTED") }}, effect.Result{Outcome: effect.AlreadySo}, "left"},
		{"the user-token is somebody else's", []setting{changing, prepared, func(b *bench) {
			b.w.AddToken(githubtest.Token{Value: "person", Kind: githubtest.User, Login: "mona", Write: true})
		}}, effect.Result{Outcome: effect.Failed, Note: "user-token is not of the account whose review was prepared"}, "left"},
		{"without a user-token", []setting{changing, prepared, func(b *bench) { b.person = false }}, effect.Result{Outcome: effect.Failed, Note: "the token may not do this", Right: rightPerson}, "left"},
		{"the answer is lost, and it was deleted", []setting{changing, prepared, lost(nil, githubtest.ResetAfter)}, effect.Result{Outcome: effect.Done}, ""},
		{"the answer is lost, and it was not", []setting{changing, prepared, lost(nil, githubtest.ResetBefore)}, effect.Result{Outcome: effect.Done}, ""},
		{"the answer is lost, and somebody writes in it", []setting{changing, prepared, lost(written, githubtest.ResetBefore)}, effect.Result{Outcome: effect.Stale, Note: "somebody wrote in it, so it is left as it is"}, "left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, withPerson)
			id, head, text := "", pr.SHA(""), ""
			for _, f := range tt.before {
				f(b)
				if d := b.pending("octocat"); text == "" && d != "" { // as the executor tells it
					e := octocatsReview(b)
					e.Head = pr.SHA(b.w.Pull(b.n).Head)
					body, said := spelled(e, e.Comments)
					text = textOf(body, said)
				}
				if reviews := b.w.Pull(b.n).Reviews; id == "" && len(reviews) > 0 {
					id, head = reviews[0].ID, pr.SHA(reviews[0].Commit)
				}
			}
			got, err := b.do(effect.DiscardReview{ReviewID: id, Login: "octocat", Head: head, Comments: 1, Text: text})
			if err != nil {
				t.Fatal(err)
			}
			got.Effect = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if left := len(b.w.Pull(b.n).Reviews) > 0; left != (tt.stands == "left") {
				t.Errorf("a review is left: %t", left)
			}
		})
	}
}
