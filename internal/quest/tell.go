package quest

import (
	"fmt"
	"strconv"
	"strings"
)

// Words says what event i of a list did, with the keys of the effects that it
// asked for. What comes from outside is quoted where it is not plain.
func (p *Played) Words(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%4d  %s %s: ", i, simply(string(p.Event.Type)), simply(p.Event.ID))
	switch {
	case p.Invalid != nil:
		fmt.Fprintf(&b, "invalid at %s: %s\n", where(p.From, ""), p.Invalid.Reason)
		return b.String()
	case p.Absorbed:
		fmt.Fprintf(&b, "absorbed at %s\n", where(p.From, ""))
		return b.String()
	}
	fmt.Fprintf(&b, "%s → %s, revision %d\n", where(p.From, ""), where(p.Quest.State, p.Quest.ReturnTo), p.Quest.Rev)
	for _, e := range p.Effects {
		fmt.Fprintf(&b, "        %s  %s\n", e.Type, simply(e.Key))
	}
	return b.String()
}

// where is a state, and where a held quest goes back to.
func where(s, back State) string {
	switch {
	case s == unborn:
		return "no quest"
	case back != "":
		return fmt.Sprintf("%s (from %s)", s, back)
	}
	return string(s)
}

// simply is a text as it is, or quoted where that could be read as more.
func simply(s string) string {
	if q := strconv.QuoteToASCII(s); s == "" || q != `"`+s+`"` {
		return q
	}
	return s
}
