package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How text gets into Markdown here. There are two kinds of it:
//
//   - A stranger's value (a path, a check's name, a finding's text) stands in a
//     code span or a fence, see [Code], [Cell] and [Fence]. Inside of code
//     GitHub looks for no mention, reference, link, emoji or emphasis at all, so
//     nothing has to be guessed about what its filters make of escaped text: an
//     entity such as &#64; would be decoded before they look.
//   - Our own words, which may quote a value, stand as text, see [Prose]. Where
//     they would make a mention, a reference or a link, U+2060 WORD JOINER
//     breaks it: GitHub's patterns want a letter or digit right after the @.
//     It is not U+200B, which lets a line break there, and not U+200D, which
//     joins the shapes of letters in some scripts.
//
// Neither lets "<!--" through: the marker of the journal is looked for in the
// text of a comment, not in what it renders to.

const joiner = "\u2060"

// unseen reports whether r takes no room on the screen: bidi controls, zero
// width characters, tags, variation selectors, fillers. They can turn text
// around or carry text that no person sees.
func unseen(r rune) bool {
	return r > 0x7f && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Visible spells s so that each of its characters is seen: what is not
// printable, and not one of the characters in keep, stands as an escape such as
// \u202e. Line ends are not printable.
func Visible(s, keep string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case strings.ContainsRune(keep, r) && r != utf8.RuneError:
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r) && !unseen(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// Line makes s one line without control characters or characters that nobody
// sees; runs of blanks become one.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unseen(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
	return strings.Join(strings.Fields(s), " ")
}

// Plain is a stranger's text as it may be handed to a program: without HTML
// comments and without characters that nobody sees (design 5, "Hand-over").
// A comment that never ends takes the rest with it, as it does on the screen.
func Plain(s string) string {
	const begin, end = "<!--", "-->"
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unseen(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), string(utf8.RuneError)))
	if !strings.Contains(s, begin) {
		return s
	}
	// What is left after a comment can join to another one, so the end of what
	// was kept is looked at after each byte.
	kept := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		kept = append(kept, s[i])
		if !strings.HasSuffix(string(kept[max(0, len(kept)-len(begin)):]), begin) {
			continue
		}
		kept = kept[:len(kept)-len(begin)]
		n := strings.Index(s[i+1:], end)
		if n < 0 {
			break
		}
		i += n + len(end)
	}
	return string(kept)
}

// clip shortens s to at most n characters, the last of which then says so.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-1]) + "…"
}

// nameLen is how many characters of a stranger's name are shown.
const nameLen = 200

// Code is a stranger's value as a code span on one line. An empty value is
// shown as a dash.
func Code(s string) string { return code(clip(Visible(s, ""), nameLen)) }

// Cell is a stranger's value as a code span that fits into the cell of a
// table. Only there a pipe needs its backslash (GitHub's table extension takes
// it away again, in code too); behind a backslash of the value's own parsers
// disagree about it, so it stands as \x7c.
func Cell(s string) string {
	s = clip(Visible(s, ""), nameLen)
	s = strings.ReplaceAll(s, `\|`, `\\x7c`)
	return code(strings.ReplaceAll(s, "|", `\|`))
}

func code(s string) string {
	if strings.TrimSpace(s) == "" {
		return "–"
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	pad := ""
	if strings.ContainsAny(s[:1]+s[len(s)-1:], "` ") {
		pad = " " // one blank on each side is taken away again
	}
	return ticks + pad + noMarker(s) + pad + ticks
}

// Fence is a stranger's text as a block, behind a fence that is longer than
// any run of backticks in it. It ends with a line end.
func Fence(s string) string {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	body := noMarker(Visible(s, "\n\t"))
	ticks := strings.Repeat("`", max(3, longestRun(body, '`')+1))
	return ticks + "text\n" + body + "\n" + ticks + "\n"
}

// noMarker breaks up what could begin an HTML comment.
func noMarker(s string) string { return strings.ReplaceAll(s, "<!", "<"+joiner+"!") }

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// Prose is a sentence of ours as inline Markdown that reads as it stands:
// nothing in it is markup, and nothing in it becomes a mention, a reference or
// a link. It fits into the cell of a table.
func Prose(s string) string {
	return proseEscapes.Replace(Line(s))
}

var proseEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;",
	"@", "@"+joiner, "#", "#"+joiner, "GH-", "GH-"+joiner, "gh-", "gh-"+joiner,
	"://", ":"+joiner+"//", "www.", "www"+joiner+".",
)

// Link is text (Markdown already) as a link to url, or text alone where url is
// no plain web address.
func Link(text, url string) string {
	rest, ok := strings.CutPrefix(url, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(url, "http://")
	}
	plain := func(r rune) bool {
		return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._/:?#=%+,", r))
	}
	if !ok || rest == "" || strings.ContainsFunc(rest, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "[" + text + "](" + url + ")"
}
