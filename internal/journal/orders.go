package journal

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/pr"
)

// Orders are what people commanded in comments (design 10), as far as it goes
// on: which comments were answered, and what they hold or allow.
type Orders struct {
	// Heard are the newest commands, oldest first. What was said up to To was
	// heard, also where its row was cut.
	Heard []Order   `json:"heard,omitempty"`
	To    time.Time `json:"to,omitzero"`
	// Paused is when somebody paused the loop; zero while nobody has.
	Paused time.Time `json:"paused,omitzero"`
	// Stopped is when somebody stopped it, with the head of that moment; nil
	// where nobody did, or where it has begun anew.
	Stopped *Sight `json:"stopped,omitempty"`
	// Started is when somebody took it in. Its head is the one that was seen
	// then, cleared for a fixer's job; empty where a later head had come.
	Started *Sight `json:"started,omitempty"`
	// Retried is when what holds at a head was allowed once more.
	Retried *Retry `json:"retried,omitempty"`
	// Asked is the review that somebody asked for and that was not requested
	// yet; nil where there is none.
	Asked *Asking `json:"asked,omitempty"`
	// ByHand is when somebody closed the merge for prloop; zero while it is as
	// configured.
	ByHand time.Time `json:"byHand,omitzero"`
	// Zero are the counts from which the caps and budgets count.
	Zero Zero `json:"zero,omitzero"`
	// Landing is a person's approval of the merge of one head, by a command; nil
	// where there is none.
	Landing *Consent `json:"landing,omitempty"`
	// Revised is what a person sent back at a checkpoint, until something has
	// changed; nil where nothing is.
	Revised *Revised `json:"revised,omitempty"`
	// Approved is the head at which a person let a PAUSE go on; nil where nobody
	// did.
	Approved *Sight `json:"approved,omitempty"`
}

// An Order is one command that was heard, in words of our own alone.
type Order struct {
	Comment int64     `json:"comment"` // its database id
	At      time.Time `json:"at"`      // when it was said: written, or edited by its author
	Word    string    `json:"word,omitempty"`
	// Reply says in one word what became of it, Near a word that was meant
	// perhaps.
	Reply    string      `json:"reply"`
	Near     string      `json:"near,omitempty"`
	Reaction pr.Reaction `json:"reaction"`
	// Told: the reaction was tried.
	Told bool `json:"told,omitempty"`
}

// A Retry allows what ran into a cap at Head once more.
type Retry struct {
	Head pr.SHA    `json:"head"`
	At   time.Time `json:"at"`
	// Jobs are further hand-overs to a job, Rounds is how many rounds there may
	// be in all; 0: as the configuration says.
	Jobs   int `json:"jobs,omitempty"`
	Rounds int `json:"rounds,omitempty"`
	// Redo is the hand-over whose escalated findings are work again; 0: none.
	Redo int `json:"redo,omitempty"`
	// Through: signs of going in circles hold no more at Head.
	Through bool `json:"through,omitempty"`
	// Fixes and Pushbacks are how many fixes (in Mode Y, verdicts that went back)
	// and how many rounds of nothing but pushbacks there may be in all; 0: as the
	// configuration says.
	Fixes     int `json:"fixes,omitempty"`
	Pushbacks int `json:"pushbacks,omitempty"`
}

// An Asking is a review that a person asked for, for one head.
type Asking struct {
	Head pr.SHA    `json:"head"`
	At   time.Time `json:"at"`
	// Over is how many requests there were for the head before.
	Over int `json:"over,omitempty"`
}

// A Consent is who approved the merge of a head, and where.
type Consent struct {
	Head    pr.SHA    `json:"head"`
	At      time.Time `json:"at"`
	By      pr.Login  `json:"by"`
	Comment int64     `json:"comment"`
}

// Revised is what was sent back: the checkpoint, the head, and a mark of what was
// open and of the newest review.
type Revised struct {
	CP   string `json:"cp"`
	Head pr.SHA `json:"head"`
	Mark string `json:"mark"`
}

// Zero are counts that stood at a reset, a new start, or an approval.
type Zero struct {
	Rounds   int `json:"rounds,omitempty"`
	Reviews  int `json:"reviews,omitempty"`
	Handoffs int `json:"handoffs,omitempty"`
	// Day is the UTC day for which budgets.reviewsPerDay was lifted here.
	Day string `json:"day,omitempty"`
	// Fixes and Pushbacks as in Retry; Clock is from when wallClockCap counts, zero
	// where it counts from the start.
	Fixes     int       `json:"fixes,omitempty"`
	Pushbacks int       `json:"pushbacks,omitempty"`
	Clock     time.Time `json:"clock,omitzero"`
}

// HeardOf returns the row of what was said then in that comment. ok is true as
// well where it was heard so long ago that its row was cut.
func (o Orders) HeardOf(comment int64, at time.Time) (row Order, ok bool) {
	at = second(at)
	for _, r := range o.Heard {
		if r.Comment == comment && r.At.Equal(at) {
			return r, true
		}
	}
	return Order{}, !o.To.IsZero() && !at.After(o.To)
}

// Hear enters a command, once.
func Hear(j Journal, o Order) Journal {
	o.At = second(o.At)
	if _, ok := j.Orders.HeardOf(o.Comment, o.At); !ok {
		j.Orders.Heard = with(j.Orders.Heard, o)
	}
	return j
}

// AnsweredBy notes that a comment was given this reaction, or that this was
// tried.
func AnsweredBy(j Journal, comment int64, with pr.Reaction) Journal {
	j.Orders.Heard = each(j.Orders.Heard, func(o *Order) {
		if o.Comment == comment && o.Reaction == with {
			o.Told = true
		}
	})
	return j
}

// keepOrders is how many commands are kept: nobody gives more in a day.
const keepOrders = 20

// keep cuts the rows to the newest.
func (o Orders) keep(rows int) Orders {
	for _, cut := range o.Heard[:max(0, len(o.Heard)-rows)] {
		if cut.At.After(o.To) {
			o.To = cut.At
		}
	}
	o.Heard = newest(o.Heard, rows)
	return o
}

// whole returns o with its times in UTC and whole seconds, in lists of its own.
func (o Orders) whole() Orders {
	o.Heard = each(o.Heard, func(r *Order) { r.At = second(r.At) })
	o.To, o.Paused, o.ByHand = second(o.To), second(o.Paused), second(o.ByHand)
	o.Stopped = one(o.Stopped, func(s *Sight) { s.At = second(s.At) })
	o.Started = one(o.Started, func(s *Sight) { s.At = second(s.At) })
	o.Retried = one(o.Retried, func(r *Retry) { r.At = second(r.At) })
	o.Landing = one(o.Landing, func(c *Consent) { c.At = second(c.At) })
	o.Revised = one(o.Revised, func(*Revised) {})
	o.Asked = one(o.Asked, func(a *Asking) { a.At = second(a.At) })
	o.Approved = one(o.Approved, func(s *Sight) { s.At = second(s.At) })
	o.Zero.Clock = second(o.Zero.Clock)
	return o
}

// numbers are all that orders count.
func (o Orders) numbers() []int {
	all := []int{o.Zero.Rounds, o.Zero.Reviews, o.Zero.Handoffs, o.Zero.Fixes, o.Zero.Pushbacks}
	if o.Retried != nil {
		all = append(all, o.Retried.Jobs, o.Retried.Rounds, o.Retried.Redo, o.Retried.Fixes, o.Retried.Pushbacks)
	}
	if o.Asked != nil {
		all = append(all, o.Asked.Over)
	}
	return all
}

// moreOrders is the one of two that says more. They are taken whole: a row of
// one stands for what it changed in that one.
func moreOrders(a, b Orders) Orders {
	x, errA := Spell(a)
	y, errB := Spell(b)
	if errA != nil || errB != nil || len(x) < len(y) || len(x) == len(y) && bytes.Compare(x, y) < 0 {
		return b
	}
	return a
}

// obeyed are the orders that GitHub's history shows: commands that carry our
// reaction. Each counts as heard; those that were done, and that hold or take
// in, do so again. prior is what the old journal said: a pause in it is
// believed, since it only holds prloop back.
func obeyed(s *pr.Snapshot, prior Orders) Orders {
	type done struct {
		command.Command
		answer pr.Reaction
	}
	var list []done
	for i := range s.Comments {
		if c, ok := command.Of(&s.Comments[i]); ok && s.Comments[i].Answer != "" {
			list = append(list, done{c, s.Comments[i].Answer})
		}
	}
	sort.SliceStable(list, func(a, b int) bool { return list[a].At.Before(list[b].At) })
	var o Orders
	for _, c := range list {
		o.Heard = append(o.Heard, Order{Comment: c.ID, At: c.At, Word: string(c.Word), Reply: "heard", Reaction: c.answer, Told: true})
		if c.answer == pr.Confused {
			continue
		}
		switch c.Word {
		case command.Pause:
			o.Paused = c.At
		case command.Resume:
			o.Paused = time.Time{}
		case command.Stop, command.Reject:
			o.Stopped = &Sight{At: c.At}
		case command.Claim: // who claimed it may hold it still: it stands until somebody resumes it
			o.Paused = c.At
		case command.Release:
			o.Paused = time.Time{}
		case command.Start:
			o.Started, o.Stopped, o.Paused = &Sight{At: c.At}, nil, time.Time{}
		case command.Automerge:
			if o.ByHand = (time.Time{}); strings.EqualFold(c.Args0(), "off") {
				o.ByHand = c.At
			}
		case command.Retry, command.Reset, command.Approve, command.Dismiss, command.Rerequest: // what they allowed is asked again
		case command.Status, command.Revise, command.Recap, command.Revert:
		}
	}
	if o.Stopped != nil {
		o.Stopped.Head = headOf(s, prior)
	}
	if o.Paused.IsZero() && !prior.Paused.IsZero() && !slices.ContainsFunc(list, func(d done) bool { return d.At.After(prior.Paused) }) {
		o.Paused = prior.Paused
	}
	return o
}

// headOf is the head at which it was stopped, as far as that is known: else the
// one that stands, which errs on the side of doing nothing.
func headOf(s *pr.Snapshot, prior Orders) pr.SHA {
	if prior.Stopped != nil && prior.Stopped.Head != "" {
		return prior.Stopped.Head
	}
	return s.Head
}
