package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of strangers' text, in bytes.
const (
	maxRead = 256 << 10 // what is read of one body: GitHub's own limit
	maxText = 4 << 10   // Finding.Text
	maxPath = 512       // Finding.Path
	maxName = 200       // a check's name in an id
)

// Clean takes out of a stranger's text what its reader would not see: HTML
// comments (an unclosed one hides the rest), zero-width and bidi characters,
// other invisible ones, and control characters but newline and tab. Line ends
// become newlines. The result is valid UTF-8, no longer than s, and Clean of it
// is itself (TestCleanIsIdempotent). What is visible stays as it was: it is
// still a stranger's text.
func Clean(s string) string { return scrub(s, true) }

// scrub is Clean, which leaves HTML comments alone where comments is false.
func scrub(s string, comments bool) string {
	s = visible(s)
	if comments && strings.Contains(s, "<!--") {
		s = uncomment(s)
	}
	return s
}

// visible takes out what is invisible by its characters.
func visible(s string) string {
	var out []byte
	from := 0 // what begins here is copied as it is
	for i := 0; i < len(s); {
		c := s[i]
		if ' ' <= c && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != '\r' && r != '\u2028' && r != '\u2029' && r != utf8.RuneError && !isInvisible(r) {
			i += size
			continue
		}
		out = append(out, s[from:i]...)
		i += size
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\n"): // the newline follows
		case r == '\r' || r == '\u2028' || r == '\u2029':
			out = append(out, '\n')
		}
		from = i
	}
	if from == 0 {
		return s
	}
	return string(append(out, s[from:]...))
}

// uncomment takes out HTML comments. Looking at what was written, not at what
// was read, finds a comment that another one had torn apart.
func uncomment(s string) string {
	out := make([]byte, 0, len(s))
	hidden := -1 // where in out the comment begins that is not closed yet
	for i := range len(s) {
		out = append(out, s[i])
		switch {
		case hidden < 0 && s[i] == '-' && bytes.HasSuffix(out, []byte("<!--")):
			hidden = len(out) - len("<!--")
		case hidden >= 0 && s[i] == '>' && closesComment(out[hidden+len("<!"):]):
			out, hidden = out[:hidden], -1
		}
	}
	if hidden >= 0 {
		out = out[:hidden]
	}
	return string(out)
}

// closesComment: HTML ends a comment at "-->", and at "--!>" too.
func closesComment(b []byte) bool {
	return bytes.HasSuffix(b, []byte("-->")) || bytes.HasSuffix(b, []byte("--!>"))
}

func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f:
		return r < ' '
	case r < 0xa0:
		return true // delete, and the second set of controls
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// bound cuts s to at most n bytes, between two characters, and shows the cut.
func bound(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	cut := n - len(mark)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}

// excerpt is a stranger's text as a finding carries it.
func excerpt(s string) string {
	return bound(strings.TrimSpace(Clean(bound(s, maxRead))), maxText)
}

// squeeze is s on one line, each run of white space a single blank.
func squeeze(s string) string {
	blank := true // before s
	for i := range len(s) {
		was := blank
		blank = s[i] == ' '
		if s[i] < ' ' || s[i] >= 0x80 || was && blank {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	if blank {
		return strings.TrimSpace(s)
	}
	return s
}

// ledgerKey is what makes two findings the same one over the rounds: path, text
// and the line of code that it is about. Case, white space and numbers in the
// text do not count: they change where lines move.
func ledgerKey(path, text, code string) string {
	digit := false
	text = strings.Map(func(r rune) rune {
		was := digit
		if digit = r >= '0' && r <= '9'; !digit {
			return r
		}
		if was {
			return -1
		}
		return '0'
	}, text)
	return key(path, text+"\n\x00"+squeeze(code))
}

// key is what makes two thread-less findings the same one: a short digest of
// path and text, in which case and white space do not count.
func key(path, text string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(squeeze(path) + "\n" + squeeze(text))))
	return hex.EncodeToString(sum[:6])
}
