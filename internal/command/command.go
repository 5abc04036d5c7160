// Package command reads what a person asks of prloop in a comment: the first
// line `/prloop WORD ARGUMENTS` (design 10, "Comment commands"). It only reads;
// who may command is asked at GitHub, and what a command does is said in package
// plan.
//
// Start at [Read].
package command

import (
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Word is the word of a command, in its one spelling: lower case.
type Word string

// The words, in the order of design 10.
const (
	Start     Word = "start"
	Pause     Word = "pause"
	Resume    Word = "resume"
	Stop      Word = "stop"
	Retry     Word = "retry"
	Reset     Word = "reset"
	Claim     Word = "claim"
	Release   Word = "release"
	Approve   Word = "approve"
	Reject    Word = "reject"
	Revise    Word = "revise"
	Dismiss   Word = "dismiss"
	Recap     Word = "recap"
	Automerge Word = "automerge"
	Rerequest Word = "rerequest"
	Revert    Word = "revert"
	Status    Word = "status"
)

// A Row is one command: what it takes, and what it does, for people.
type Row struct {
	Word  Word
	Takes string // its arguments; empty where it takes none
	Says  string // one sentence without a full stop
	// Later: this version knows it by name alone, and answers so.
	Later bool
	fits  func(args []string) bool
}

// Table is every command there is, in the order of design 10.
var Table = []Row{
	{Start, "", "Takes the pull request into the loop, begins anew after `stop`, and clears the head of a fork for a fixer's job, if prloop saw that head before the comment", false, none},
	{Pause, "", "Holds the loop where it is", false, none},
	{Resume, "", "Goes on after `pause`, or after a stop that holds; no count changes", false, none},
	{Stop, "", "Ends the loop here, until `start`, a reopening or a new head", false, none},
	{Retry, "", "Allows what ran into its cap once more", false, none},
	{Reset, "", "Counts rounds from here on: today's number is the new zero", false, none},
	{Claim, "", "Holds the review at a checkpoint for yourself: prloop begins nothing and decides nothing until it is released", false, none},
	{Release, "", "Gives back what you claimed; an administrator may release what somebody else holds", false, none},
	{Approve, "[A | B | C | spend]", "Approves the checkpoint that it waits at: what was found (A), the plan (B), the merge (C); accepts the head that a PAUSE verdict holds, as it is; with `spend`: lifts the budget that is used up, which counts once more from here", false, one("spend", "a", "b", "c", "")},
	{Reject, "", "Says no at a checkpoint, which ends the loop here, until `start`, a reopening or a new head", false, none},
	{Revise, "", "Sends it back at a checkpoint: to the reviewers (A), to who decides what is to be done (B), to the fixer (C)", false, none},
	{Dismiss, "KEY", "Ends a finding that has no thread, by its id in the status comment", false, some},
	{Recap, "continue | revert N | handoff", "Answers the recap", true, anything},
	{Automerge, "on | off", "Closes the merge of this pull request for prloop (`off`), or takes that back (`on`)", false, one("on", "off")},
	{Rerequest, "[--force]", "Asks for a review of the head; `--force`: also where it has one", false, one("", "--force")},
	{Revert, "", "Opens the pull request that takes the merge back, also after the watch is over", false, none},
	{Status, "", "Brings the status comment up to date", false, none},
}

func none(args []string) bool  { return len(args) == 0 }
func some(args []string) bool  { return len(args) > 0 }
func anything(_ []string) bool { return true }
func one(words ...string) func([]string) bool {
	return func(args []string) bool {
		return len(args) < 2 && slices.Contains(words, strings.ToLower(strings.Join(args, "")))
	}
}

// Find returns the row of word; ok is false where there is none.
func Find(word Word) (row Row, ok bool) {
	i := slices.IndexFunc(Table, func(r Row) bool { return r.Word == word })
	if i < 0 {
		return Row{}, false
	}
	return Table[i], true
}

// A Command is the first line of one comment, read.
type Command struct {
	// ID is the comment's database id, At when it was written, or edited by its
	// author: together they name what was said ([Said]).
	ID     int64
	At     time.Time
	Author pr.Login
	// Word is one of the table's; empty where Typed is none of them.
	Word  Word
	Typed string   // the word as it was typed, lower case, cut to 40 bytes; a stranger's text
	Args  []string // a stranger's text
	// Fits: the arguments are of the kind that the word takes.
	Fits bool
}

// prefix begins a command, at the very beginning of the comment. A quote ("> "),
// code (four spaces, a fence, a backtick) or prose before it makes it none.
const prefix = "/prloop"

// The bounds of what is read of a comment.
const (
	maxLine  = 1000
	maxTyped = 40
)

// Read reads the first line of a comment's body. ok is false where it is no
// command.
func Read(body string) (c Command, ok bool) {
	line, ok := strings.CutPrefix(body[:min(len(body), maxLine)], prefix)
	if !ok {
		return Command{}, false
	}
	line, _, _ = strings.Cut(line, "\n")
	line = strings.TrimRight(line, "\r")
	if line != "" && line[0] != ' ' && line[0] != '\t' {
		return Command{}, false // "/prloops", "/prloop/x"
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return Command{}, true
	}
	typed := strings.ToLower(words[0])
	c = Command{Typed: typed[:min(len(typed), maxTyped)], Args: words[1:]}
	if row, known := Find(Word(typed)); known {
		c.Word, c.Fits = row.Word, row.fits(c.Args)
	}
	return c, true
}

// Of reads a comment on a pull request. It is no command where it is ours, a
// bot's or a ghost's, where somebody hid it, or where somebody else than its
// author edited it last: those words are not the author's.
func Of(c *pr.Comment) (cmd Command, ok bool) {
	if !strings.HasPrefix(c.Body, prefix) || c.Mine || c.Author.Bot || c.Author.Login == "" || c.Minimized {
		return Command{}, false
	}
	if !c.EditedAt.IsZero() && c.Editor.Login != c.Author.Login {
		return Command{}, false
	}
	if cmd, ok = Read(c.Body); !ok {
		return Command{}, false
	}
	cmd.ID, cmd.Author, cmd.At = c.DatabaseID, c.Author.Login, Said(c)
	return cmd, true
}

// Said is when a comment was said: when it was written, or last edited.
func Said(c *pr.Comment) time.Time {
	if c.EditedAt.After(c.CreatedAt) {
		return c.EditedAt
	}
	return c.CreatedAt
}

// Words are the words that this version does something on, for the answer to
// one that it does not know.
func Words() []string {
	var words []string
	for _, r := range Table {
		if !r.Later {
			words = append(words, string(r.Word))
		}
	}
	return words
}

// Args0 is the first argument; empty where there is none.
func (c Command) Args0() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}
