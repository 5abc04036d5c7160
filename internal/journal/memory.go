package journal

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

// A Memory is how the journal of a pull request was found ([Find]).
type Memory string

// How a journal can be found. MemoryFound, MemoryAdopted and MemoryDuplicate
// come with a journal that holds; the four after them are rebuilt
// ([Memory.Lost]).
const (
	MemoryNone      Memory = "none"      // no trace of prloop on this pull request
	MemoryFound     Memory = "found"     // one journal, as we wrote it
	MemoryAdopted   Memory = "adopted"   // written by a former identity
	MemoryDuplicate Memory = "duplicate" // two or more that hold, folded into one
	MemoryDamaged   Memory = "damaged"   // ours, and not in the form that we write
	MemoryEdited    Memory = "edited"    // ours, last edited by somebody else
	MemoryOther     Memory = "other"     // ours, and naming another pull request
	MemoryDeleted   Memory = "deleted"   // none is there, although notes of ours are
)

// Lost reports whether there was a journal that no longer holds, so that one
// has to be rebuilt from GitHub's history ([Rebuild]).
func (m Memory) Lost() bool {
	switch m {
	case MemoryDamaged, MemoryEdited, MemoryOther, MemoryDeleted:
		return true
	case MemoryNone, MemoryFound, MemoryAdopted, MemoryDuplicate:
		return false
	}
	return true // a word that nobody knows is no proof of a journal
}

// Found is what [Find] found.
type Found struct {
	Memory Memory
	// Journal holds where Memory is found, adopted or duplicate; else it is
	// the zero one.
	Journal Journal
	// Comment is the comment of ours to write to: of those that hold the one
	// with the lowest id, else the one with the lowest id of all. It is the
	// zero Comment where there is none of ours.
	Comment pr.Comment
	// Top is the text above the journal in Comment, where that holds.
	Top string
	// Duplicates are further comments of ours that carry a journal, in the
	// order of their ids: to be deleted once Comment has been written.
	Duplicates []pr.Comment
	// Former are comments of former identities that still carry a journal: to
	// be emptied to a pointer once a journal of ours is written.
	Former []pr.Comment
	// Prior is what a journal that no longer holds says of this pull request,
	// as far as it can be read; nil where it cannot. It is no memory: only
	// [Rebuild] may take its counts, where they are higher.
	Prior *Journal
	// Why says in our words what is wrong with the journal that is lost.
	Why string
}

// Find returns the journal of pull request number among its comments, which
// must be all there are: where they could not be read in full, nothing is known
// (pr.FactComments).
//
// A comment counts by its author alone: ours is what the token's own account
// wrote (pr.Comment.Mine), and anybody else's marker is ignored. Who minimised
// it does not matter. Ours must have been edited by nobody else, hold as
// [Decode] says, and name this pull request. Against another workflow that
// writes as the same account only a key helps: then the journal is signed.
//
// identities are logins of former accounts of prloop, as the configuration
// spells them: "name[bot]" is a bot, "name" is that account, bot or not. Their
// journals count where there is none of ours.
func Find(comments []pr.Comment, number int, key []byte, identities []string) Found {
	var ours, former []carrier
	trace := false
	for _, c := range comments {
		if _, ok := command.Of(&c); ok && c.Answer != "" {
			trace = true // a command that we answered
		}
		isFormer := !c.Mine && formerly(c.Author, identities)
		if !c.Mine && !isFormer {
			continue
		}
		if _, _, ok := effect.ParseNote(c.Body); ok {
			trace = true
		}
		found, ok := look(c, number, key)
		switch {
		case !ok:
		case isFormer:
			former = append(former, found)
		default:
			ours = append(ours, found)
		}
	}
	f := Found{Memory: MemoryNone}
	switch {
	case len(ours) > 0:
		f = choose(ours)
	case len(former) > 0:
		f = choose(former)
		if !f.Memory.Lost() {
			f.Memory = MemoryAdopted
		}
		f.Comment, f.Top, f.Duplicates = pr.Comment{}, "", nil
	case trace:
		f = Found{Memory: MemoryDeleted, Why: "notes of prloop's are there, and no journal"}
	}
	for _, c := range former {
		f.Former = append(f.Former, c.comment)
	}
	return f
}

// formerly reports whether a is one of the former identities. A person may be
// called what a bot is called, so that "name[bot]" names the bot alone.
func formerly(a pr.Actor, identities []string) bool {
	return a.Login != "" && slices.ContainsFunc(identities, func(id string) bool {
		bot := strings.HasSuffix(strings.ToLower(strings.TrimSpace(id)), "[bot]")
		return pr.NewLogin(id) == a.Login && (a.Bot || !bot)
	})
}

// A carrier is a comment with a journal in it, whole or not.
type carrier struct {
	comment pr.Comment
	memory  Memory // found, damaged, edited or other
	journal Journal
	top     string
	prior   *Journal
	why     string
}

// look reads one comment; false where it carries no journal.
func look(c pr.Comment, number int, key []byte) (carrier, bool) {
	j, top, err := Decode(c.Body, key)
	if errors.Is(err, ErrNone) {
		return carrier{}, false
	}
	found := carrier{comment: c}
	corrupt, _ := errors.AsType[*CorruptError](err)
	switch {
	case !c.EditedAt.IsZero() && !same(c.Editor, c.Author):
		found.memory, found.why = MemoryEdited, "somebody else edited its comment"
	case corrupt != nil:
		found.memory, found.why = MemoryDamaged, corrupt.Why
	case j.PR != number:
		found.memory, found.why = MemoryOther, "it names another pull request"
	default:
		found.memory, found.journal, found.top = MemoryFound, j, top
		return found, true
	}
	if _, s, err := unseal(journalWord, journalMark, c.Body); err == nil {
		if j, err := s.journal(); err == nil && j.PR == number {
			found.prior = &j // whatever its checksum says
		}
	}
	return found, true
}

// same reports whether the editor of a comment is its author. Both come from
// the same answer, in the same spelling; a ghost is nobody.
func same(editor, author pr.Actor) bool {
	return editor.Login != "" && editor.Login == author.Login && editor.Bot == author.Bot
}

// choose makes one memory of the comments that carry a journal, one at least.
// Those that hold are folded; where none does, the one with the lowest id says
// what is wrong, and whatever can be read is what came before.
func choose(list []carrier) Found {
	sort.SliceStable(list, func(i, j int) bool { return list[i].comment.DatabaseID < list[j].comment.DatabaseID })
	holds := func(c carrier) bool { return c.memory == MemoryFound }
	i := max(0, slices.IndexFunc(list, holds))
	f := Found{
		Memory: list[i].memory, Journal: list[i].journal, Comment: list[i].comment,
		Top: list[i].top, Why: list[i].why,
	}
	for k, c := range list {
		if k != i {
			f.Duplicates = append(f.Duplicates, c.comment)
		}
		switch {
		case holds(c) && k != i:
			f.Memory, f.Journal = MemoryDuplicate, Fold(f.Journal, c.journal)
		case c.prior != nil && !holds(list[i]):
			f.Prior = foldPrior(f.Prior, *c.prior)
		}
	}
	return f
}

func foldPrior(a *Journal, b Journal) *Journal {
	if a != nil {
		b = Fold(*a, b)
	}
	return &b
}
