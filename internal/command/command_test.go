package command

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/pr"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		body string
		want Command
		ok   bool
	}{
		{"/prloop pause", Command{Word: Pause, Typed: "pause", Args: []string{}, Fits: true}, true},
		{"/prloop\tPAUSE  \r\nsince Monday", Command{Word: Pause, Typed: "pause", Args: []string{}, Fits: true}, true},
		{"/prloop pause now", Command{Word: Pause, Typed: "pause", Args: []string{"now"}}, true},
		{"/prloop rerequest --force", Command{Word: Rerequest, Typed: "rerequest", Args: []string{"--force"}, Fits: true}, true},
		{"/prloop rerequest --hard", Command{Word: Rerequest, Typed: "rerequest", Args: []string{"--hard"}}, true},
		{"/prloop rerequest --force --force", Command{Word: Rerequest, Typed: "rerequest", Args: []string{"--force", "--force"}}, true},
		{"/prloop dismiss", Command{Word: Dismiss, Typed: "dismiss", Args: []string{}}, true},
		{"/prloop dismiss check:build (linux)", Command{Word: Dismiss, Typed: "dismiss", Args: []string{"check:build", "(linux)"}, Fits: true}, true},
		{"/prloop approve spend", Command{Word: Approve, Typed: "approve", Args: []string{"spend"}, Fits: true}, true},
		{"/prloop approve C", Command{Word: Approve, Typed: "approve", Args: []string{"C"}, Fits: true}, true},
		{"/prloop approve D", Command{Word: Approve, Typed: "approve", Args: []string{"D"}}, true},
		{"/prloop resum", Command{Typed: "resum", Args: []string{}}, true},
		{"/prloop", Command{}, true},
		{"/prloop\npause", Command{}, true},
		// What is none.
		{"/prloops pause", Command{}, false},
		{"/prloop/pause", Command{}, false},
		{"> /prloop pause", Command{}, false},
		{"    /prloop pause", Command{}, false},
		{"`/prloop pause`", Command{}, false},
		{"```\n/prloop pause\n```", Command{}, false},
		{"Please /prloop pause", Command{}, false},
		{"\n/prloop pause", Command{}, false},
		{"/PRLOOP pause", Command{}, false},
		{"", Command{}, false},
	} {
		got, ok := Read(c.body)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("Read(%q): ok %v (-want +got):\n%s", c.body, ok, diff)
		}
	}
}

func TestWhoseCommentsAreCommands(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	mona, hubot := pr.Actor{Login: "mona"}, pr.Actor{Login: "hubot"}
	said := pr.Comment{DatabaseID: 5, Author: mona, Body: "/prloop pause", CreatedAt: at}
	for _, c := range []struct {
		name string
		edit func(*pr.Comment)
		want time.Time // when it was said; zero: it is no command
	}{
		{"a person's", func(*pr.Comment) {}, at},
		{"edited by its author", func(c *pr.Comment) { c.EditedAt, c.Editor = at.Add(time.Minute), mona }, at.Add(time.Minute)},
		{"edited by somebody else", func(c *pr.Comment) { c.EditedAt, c.Editor = at.Add(time.Minute), hubot }, time.Time{}},
		{"edited by an account that is gone", func(c *pr.Comment) { c.EditedAt = at.Add(time.Minute) }, time.Time{}},
		{"our own", func(c *pr.Comment) { c.Mine = true }, time.Time{}},
		{"a bot's", func(c *pr.Comment) { c.Author.Bot = true }, time.Time{}},
		{"of an account that is gone", func(c *pr.Comment) { c.Author = pr.Actor{} }, time.Time{}},
		{"hidden", func(c *pr.Comment) { c.Minimized = true }, time.Time{}},
		{"prose", func(c *pr.Comment) { c.Body = "Well done" }, time.Time{}},
	} {
		comment := said
		c.edit(&comment)
		cmd, ok := Of(&comment)
		if ok != !c.want.IsZero() || !cmd.At.Equal(c.want) {
			t.Errorf("%s: ok %v, said at %s, want %s", c.name, ok, cmd.At, c.want)
		}
		if ok && (cmd.ID != 5 || cmd.Author != "mona" || cmd.Word != Pause) {
			t.Errorf("%s: %+v", c.name, cmd)
		}
	}
}

// Whatever somebody writes, a command is a line that begins with its prefix,
// and its word is one of the table's or empty.
func FuzzRead(f *testing.F) {
	for _, body := range []string{"/prloop pause", "/prloop", "> /prloop stop", "/prloop dismiss body:1 2\r\n", "/prloop \xff\x00", "/prloopx", strings.Repeat("/prloop ", 500)} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c, ok := Read(body)
		if !ok {
			if diff := cmp.Diff(Command{}, c); diff != "" {
				t.Error(diff)
			}
			return
		}
		if !strings.HasPrefix(body, prefix) {
			t.Errorf("%q is no command", body)
		}
		if _, known := Find(c.Word); c.Word != "" && !known || c.Fits && !known {
			t.Errorf("%q has the word %q", body, c.Word)
		}
		if len(c.Typed) > maxTyped || strings.Contains(strings.Join(c.Args, ""), "\n") {
			t.Errorf("%q: %+v", body, c)
		}
	})
}
