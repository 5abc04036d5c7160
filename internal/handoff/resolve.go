package handoff

import "github.com/prloop/prloop/internal/pr"

// resolveRows say whether a thread may be resolved once it is answered
// (design 5; seed 003, step 8: escalations stay open, and never a person's
// thread). The first row that holds decides.
var resolveRows = []struct {
	id    string
	says  string
	may   bool
	holds func(*closing) bool
}{
	{"V1", "it is resolved already", false, func(c *closing) bool { return c.Resolved }},
	{"V2", "only what is fixed, declined or drift is resolved", false, func(c *closing) bool {
		return c.action != FixIt && c.action != Decline && c.action != Drift
	}},
	{"V3", "nobody knows who spoke in it", false, func(c *closing) bool { return len(c.Comments) == 0 }},
	{"V4", "a person opened it", false, func(c *closing) bool { return !c.Comments[0].Author.Bot }},
	{"V5", "a person spoke last in it, before our reply", false, (*closing).personLast},
	{"V6", "a bot opened it, and it is answered", true, func(*closing) bool { return true }},
}

// A closing is a thread that is to be resolved.
type closing struct {
	*pr.Thread
	action Action
	ours   func(*pr.ThreadComment) bool
}

// personLast looks past our own replies: they do not take a person's word back.
// An account that is gone may have been a person's.
func (c *closing) personLast() bool {
	for i := len(c.Comments) - 1; i >= 0; i-- {
		comment := &c.Comments[i]
		if c.ours != nil && c.ours(comment) {
			continue
		}
		return !comment.Author.Bot
	}
	return true // nobody but us: no bot's thread
}

// MayResolve reports whether the thread may be resolved after this action was
// answered in it, and why. All of its comments must have been read. ours tells
// prloop's own replies (facts.Ours); without it every account that is no bot
// counts as a person.
func MayResolve(a Action, t *pr.Thread, ours func(*pr.ThreadComment) bool) (may bool, why string) {
	c := &closing{t, a, ours}
	for _, row := range resolveRows {
		if row.holds(c) {
			return row.may, row.says
		}
	}
	panic("handoff: no row of the resolve policy holds; the table has lost its last row")
}
