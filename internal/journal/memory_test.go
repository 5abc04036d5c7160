package journal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

var (
	us      = pr.Actor{Login: "github-actions", Bot: true}
	mona    = pr.Actor{Login: "mona", ID: 3}
	hubot   = pr.Actor{Login: "hubot-loop", Bot: true}
	hubotMe = pr.Actor{Login: "hubot-loop"} // a person who is called as the bot is
)

// said is a comment of ours, with edits.
func said(id int64, body string, edits ...func(*pr.Comment)) pr.Comment {
	c := pr.Comment{
		ID: "IC_" + string(rune('a'+id)), DatabaseID: id, Author: us, Mine: true, Body: body,
		CreatedAt: at(int(id)), UpdatedAt: at(int(id)),
	}
	for _, edit := range edits {
		edit(&c)
	}
	return c
}

func by(a pr.Actor) func(*pr.Comment) {
	return func(c *pr.Comment) { c.Author, c.Mine = a, false }
}

func editedBy(a pr.Actor) func(*pr.Comment) {
	return func(c *pr.Comment) { c.EditedAt, c.Editor = at(50), a }
}

func note(id int64, head pr.SHA, edits ...func(*pr.Comment)) pr.Comment {
	return said(id, "Please decide.\n\n"+effect.Comment{Topic: "feedback_open", Head: head}.Marker(), edits...)
}

func TestFind(t *testing.T) {
	t.Parallel()
	first := Journal{PR: 7, Rev: 1, Asked: 2, Status: "9c56cc5"}
	second := Journal{PR: 7, Rev: 3, Asked: 1, HandedOver: 4}
	foreign := Journal{PR: 8, Rev: 9, Asked: 9}
	top := "### Waiting"
	plain := func(j Journal) string { return encode(t, top, j, nil) }
	signed := func(j Journal) string { return encode(t, top, j, key) }
	broken := strings.Replace(plain(first), `"asked":2`, `"asked":0`, 1)
	anonymous := func(c *pr.Comment) { c.Author = pr.Actor{} }
	minimized := func(c *pr.Comment) { c.Minimized = true }
	chat := said(1, "Thanks!", by(mona))

	for _, row := range []struct {
		name       string
		comments   []pr.Comment
		key        []byte
		identities []string
		want       Found
	}{
		{
			"no comment: none", nil, nil, nil,
			Found{Memory: MemoryNone},
		},
		{
			"comments of people, and one of another workflow's: none",
			[]pr.Comment{chat, said(2, "Coverage: 81 %")},
			nil, nil,
			Found{Memory: MemoryNone},
		},
		{
			"one as we wrote it: found",
			[]pr.Comment{chat, said(2, plain(first)), said(3, "Coverage: 81 %")},
			nil, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(2, plain(first)), Top: top},
		},
		{
			"GitHub changed its line ends: found",
			[]pr.Comment{said(2, strings.ReplaceAll(plain(first), "\n", "\r\n"))},
			nil, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(2, strings.ReplaceAll(plain(first), "\n", "\r\n")), Top: top},
		},
		{
			"we edited it: found",
			[]pr.Comment{said(2, plain(first), editedBy(us))},
			nil, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(2, plain(first), editedBy(us)), Top: top},
		},
		{
			"somebody minimised it: found",
			[]pr.Comment{said(2, plain(first), minimized)},
			nil, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(2, plain(first), minimized), Top: top},
		},
		{
			"a stranger posted our marker: none",
			[]pr.Comment{said(2, plain(first), by(mona))},
			nil, nil,
			Found{Memory: MemoryNone},
		},
		{
			"a stranger's beside ours: ours is found",
			[]pr.Comment{said(1, plain(second), by(mona)), said(2, plain(first))},
			nil, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(2, plain(first)), Top: top},
		},
		{
			"somebody else edited it last: edited, with what it said",
			[]pr.Comment{said(2, plain(first), editedBy(mona))},
			nil, nil,
			Found{Memory: MemoryEdited, Comment: said(2, plain(first), editedBy(mona)), Prior: &first, Why: "somebody else edited its comment"},
		},
		{
			"a person edited it who is called as we are: edited",
			[]pr.Comment{said(2, plain(first), editedBy(pr.Actor{Login: us.Login}))},
			nil, nil,
			Found{
				Memory: MemoryEdited, Comment: said(2, plain(first), editedBy(pr.Actor{Login: us.Login})), Prior: &first,
				Why: "somebody else edited its comment",
			},
		},
		{
			"it was edited, and GitHub does not say by whom: edited",
			[]pr.Comment{said(2, plain(first), editedBy(pr.Actor{}))},
			nil, nil,
			Found{Memory: MemoryEdited, Comment: said(2, plain(first), editedBy(pr.Actor{})), Prior: &first, Why: "somebody else edited its comment"},
		},
		{
			"GitHub names neither author nor editor: edited",
			[]pr.Comment{said(2, plain(first), anonymous, editedBy(pr.Actor{}))},
			nil, nil,
			Found{
				Memory: MemoryEdited, Comment: said(2, plain(first), anonymous, editedBy(pr.Actor{})), Prior: &first,
				Why: "somebody else edited its comment",
			},
		},
		{
			"its checksum does not fit: damaged, with what can be read",
			[]pr.Comment{said(2, broken)},
			nil, nil,
			Found{Memory: MemoryDamaged, Comment: said(2, broken), Prior: &Journal{PR: 7, Rev: 1, Status: "9c56cc5"}, Why: "its checksum does not fit"},
		},
		{
			"nothing can be read: damaged",
			[]pr.Comment{said(2, "### Waiting\n\n<!-- prloop:journal:v1 {")},
			nil, nil,
			Found{Memory: MemoryDamaged, Comment: said(2, "### Waiting\n\n<!-- prloop:journal:v1 {"), Why: "it does not end as prloop ends it"},
		},
		{
			"it names another pull request: other, and nothing of it counts",
			[]pr.Comment{said(2, plain(foreign))},
			nil, nil,
			Found{Memory: MemoryOther, Comment: said(2, plain(foreign)), Why: "it names another pull request"},
		},
		{
			"it is signed: found",
			[]pr.Comment{said(2, signed(first))},
			key, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(2, signed(first)), Top: top},
		},
		{
			"a state-key is new: damaged, with what it said",
			[]pr.Comment{said(2, plain(first))},
			key, nil,
			Found{Memory: MemoryDamaged, Comment: said(2, plain(first)), Prior: &first, Why: "it is not signed by the state-key"},
		},
		{
			"two that hold: duplicate, the lowest id stays, and the fold of both counts (C081)",
			[]pr.Comment{said(4, plain(second)), said(3, plain(first))},
			nil, nil,
			Found{
				Memory: MemoryDuplicate, Journal: Fold(first, second), Comment: said(3, plain(first)), Top: top,
				Duplicates: []pr.Comment{said(4, plain(second))},
			},
		},
		{
			"one that holds beside one that does not: found, the other one is to go",
			[]pr.Comment{said(2, broken), said(3, plain(second))},
			nil, nil,
			Found{
				Memory: MemoryFound, Journal: second, Comment: said(3, plain(second)), Top: top,
				Duplicates: []pr.Comment{said(2, broken)},
			},
		},
		{
			"two that do not hold: the lowest id stays, and the counts of both are known",
			[]pr.Comment{said(2, plain(first), editedBy(mona)), said(3, plain(second), editedBy(mona))},
			nil, nil,
			Found{
				Memory: MemoryEdited, Comment: said(2, plain(first), editedBy(mona)), Why: "somebody else edited its comment",
				Duplicates: []pr.Comment{said(3, plain(second), editedBy(mona))}, Prior: new(Fold(first, second)),
			},
		},
		{
			"only a note of ours is left: deleted",
			[]pr.Comment{chat, note(2, headA)},
			nil, nil,
			Found{Memory: MemoryDeleted, Why: "notes of prloop's are there, and no journal"},
		},
		{
			"a note that somebody else posted proves nothing: none",
			[]pr.Comment{note(2, headA, by(mona))},
			nil, nil,
			Found{Memory: MemoryNone},
		},
		{
			"a journal and notes: found",
			[]pr.Comment{note(2, headA), said(3, plain(first))},
			nil, nil,
			Found{Memory: MemoryFound, Journal: first, Comment: said(3, plain(first)), Top: top},
		},
		{
			"a former identity's: adopted, and there is no comment of ours yet",
			[]pr.Comment{said(2, plain(first), by(hubot))},
			nil,
			[]string{"Hubot-Loop[bot]"},
			Found{Memory: MemoryAdopted, Journal: first, Former: []pr.Comment{said(2, plain(first), by(hubot))}},
		},
		{
			"a former identity's that it edited itself: adopted",
			[]pr.Comment{said(2, plain(first), by(hubot), editedBy(hubot))},
			nil,
			[]string{"hubot-loop"},
			Found{Memory: MemoryAdopted, Journal: first, Former: []pr.Comment{said(2, plain(first), by(hubot), editedBy(hubot))}},
		},
		{
			"a former identity that is a person, listed as one: adopted",
			[]pr.Comment{said(2, plain(first), by(hubotMe))},
			nil,
			[]string{"hubot-loop"},
			Found{Memory: MemoryAdopted, Journal: first, Former: []pr.Comment{said(2, plain(first), by(hubotMe))}},
		},
		{
			"a person who is called as the former bot is: none",
			[]pr.Comment{said(2, plain(first), by(hubotMe))},
			nil,
			[]string{"hubot-loop[bot]"},
			Found{Memory: MemoryNone},
		},
		{
			"a ghost is no former identity: none",
			[]pr.Comment{said(2, plain(first), by(pr.Actor{}))},
			nil,
			[]string{"", "[bot]"},
			Found{Memory: MemoryNone},
		},
		{
			"a former identity's that does not hold is no fresh start: edited, with what it said",
			[]pr.Comment{said(2, plain(first), by(hubot), editedBy(mona))},
			nil,
			[]string{"hubot-loop[bot]"},
			Found{
				Memory: MemoryEdited, Prior: &first, Why: "somebody else edited its comment",
				Former: []pr.Comment{said(2, plain(first), by(hubot), editedBy(mona))},
			},
		},
		{
			"ours beside a former identity's: ours is found, and theirs counts no more",
			[]pr.Comment{said(2, plain(second), by(hubot)), said(3, plain(first))},
			nil,
			[]string{"hubot-loop[bot]"},
			Found{
				Memory: MemoryFound, Journal: first, Comment: said(3, plain(first)), Top: top,
				Former: []pr.Comment{said(2, plain(second), by(hubot))},
			},
		},
		{
			"two of a former identity's: adopted, folded",
			[]pr.Comment{said(2, plain(first), by(hubot)), said(3, plain(second), by(hubot))},
			nil,
			[]string{"hubot-loop[bot]"},
			Found{
				Memory: MemoryAdopted, Journal: Fold(first, second),
				Former: []pr.Comment{said(2, plain(first), by(hubot)), said(3, plain(second), by(hubot))},
			},
		},
		{
			"only a note of a former identity is left: deleted",
			[]pr.Comment{note(2, headA, by(hubot))},
			nil,
			[]string{"hubot-loop[bot]"},
			Found{Memory: MemoryDeleted, Why: "notes of prloop's are there, and no journal"},
		},
	} {
		got := Find(row.comments, 7, row.key, row.identities)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestLost(t *testing.T) {
	t.Parallel()
	for m, want := range map[Memory]bool{
		MemoryNone: false, MemoryFound: false, MemoryAdopted: false, MemoryDuplicate: false,
		MemoryDamaged: true, MemoryEdited: true, MemoryOther: true, MemoryDeleted: true,
		"a word that nobody knows": true,
	} {
		if got := m.Lost(); want != got {
			t.Errorf("%s: lost is %v, want %v", m, got, want)
		}
	}
}
