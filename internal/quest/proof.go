package quest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns the one spelling of a JSON value: RFC 8785, keys sorted by
// UTF-16 units, no blanks, shortest numbers. It refuses what two different
// values could share a spelling of: a key that is there twice, a text that is
// no Unicode, a number that no double holds exactly as it is written.
func Canonical(value []byte) ([]byte, error) {
	text, _, err := canonicalMembers(value)
	return text, err
}

// canonicalMembers returns the members of an object besides, in their order.
func canonicalMembers(value []byte) ([]byte, members, error) {
	switch {
	case !utf8.Valid(value):
		return nil, nil, errors.New("it is not UTF-8")
	case !json.Valid(value):
		return nil, nil, errors.New("it is not JSON")
	}
	c := canon{in: value}
	c.blanks()
	if c.in[c.at] == '{' {
		return c.object(make([]byte, 0, len(value)), 1)
	}
	text, err := c.value(nil, 0)
	return text, nil, err
}

// A canon reads JSON that is known to be valid.
type canon struct {
	in []byte
	at int
}

// The deepest nesting that is read.
const deepest = 100

func (c *canon) blanks() {
	for strings.IndexByte(" \t\r\n", c.in[c.at]) >= 0 {
		c.at++
	}
}

// value appends the next value to out.
func (c *canon) value(out []byte, depth int) ([]byte, error) {
	c.blanks()
	switch b := c.in[c.at]; {
	case (b == '{' || b == '[') && depth == deepest:
		return nil, fmt.Errorf("it is nested more than %d deep", deepest)
	case b == '{':
		out, _, err := c.object(out, depth+1)
		return out, err
	case b == '[':
		return c.list(out, depth+1)
	case b == '"':
		return c.text(out)
	}
	start := c.at
	for c.at < len(c.in) && strings.IndexByte(" \t\r\n,]}", c.in[c.at]) < 0 {
		c.at++
	}
	word := string(c.in[start:c.at])
	if strings.IndexByte("tfn", word[0]) >= 0 { // true, false, null
		return append(out, word...), nil
	}
	n, err := shortest(word)
	return append(out, n...), err
}

func (c *canon) list(out []byte, depth int) ([]byte, error) {
	out = append(out, '[')
	c.at++
	for i := 0; ; i++ {
		if c.blanks(); c.in[c.at] == ']' {
			c.at++
			return append(out, ']'), nil
		}
		if i > 0 {
			out = append(out, ',')
			c.at++ // the comma
		}
		var err error
		if out, err = c.value(out, depth); err != nil {
			return nil, err
		}
	}
}

// A member is one of an object: its key and value in their canonical
// spelling, and what it is sorted by.
type member struct {
	sorts     string
	key, text []byte
}

type members []member

func (m members) Len() int           { return len(m) }
func (m members) Less(i, j int) bool { return m[i].sorts < m[j].sorts }
func (m members) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// of returns the value of a key that needs no escape, or nil.
func (m members) of(key string) []byte {
	for _, one := range m {
		if one.sorts == key {
			return one.text
		}
	}
	return nil
}

func (c *canon) object(out []byte, depth int) ([]byte, members, error) {
	all := make(members, 0, 8)
	for c.at++; ; {
		if c.blanks(); c.in[c.at] == '}' {
			c.at++
			break
		}
		if len(all) > 0 {
			c.at++ // the comma
			c.blanks()
		}
		spelled, err := c.text(make([]byte, 0, 64))
		if err != nil {
			return nil, nil, err
		}
		n := len(spelled)
		c.blanks()
		c.at++ // the colon
		if spelled, err = c.value(spelled, depth); err != nil {
			return nil, nil, err
		}
		all = append(all, member{units(string(spelled[:n])), spelled[:n], spelled[n:]})
	}
	sort.Sort(all)
	out = append(out, '{')
	for i, m := range all {
		if i > 0 {
			if all[i-1].sorts == m.sorts {
				return nil, nil, fmt.Errorf("the key %s is there twice", m.key)
			}
			out = append(out, ',')
		}
		out = append(append(append(out, m.key...), ':'), m.text...)
	}
	return append(out, '}'), all, nil
}

// units is a text whose order by bytes is that of the UTF-16 units of a quoted
// key: UTF-8 has it, but for what takes two units (CESU-8 mends that).
func units(key string) string {
	plain := key[1 : len(key)-1]
	if strings.IndexByte(plain, '\\') >= 0 {
		_ = json.Unmarshal([]byte(key), &plain) // it was written here
	}
	if !strings.ContainsFunc(plain, func(r rune) bool { return r > '\uffff' }) {
		return plain
	}
	var b []byte
	for _, u := range utf16.Encode([]rune(plain)) {
		if utf16.IsSurrogate(rune(u)) {
			b = append(b, 0xe0|byte(u>>12), 0x80|byte(u>>6)&0xbf, 0x80|byte(u)&0xbf)
		} else {
			b = utf8.AppendRune(b, rune(u))
		}
	}
	return string(b)
}

// text appends the next string.
func (c *canon) text(out []byte) ([]byte, error) {
	start := c.at
	plain := true
	for c.at++; c.in[c.at] != '"'; c.at++ {
		if c.in[c.at] == '\\' {
			plain = false
			c.at++
		}
	}
	c.at++
	raw := c.in[start:c.at]
	if plain {
		return append(out, raw...), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	if unknown := string(utf8.RuneError); strings.Count(s, unknown) != strings.Count(string(raw), unknown) {
		return nil, errors.New("a text in it is no Unicode")
	}
	return quoted(out, s), nil
}

// quoted appends a JSON string with no escape that is not needed.
func quoted(out []byte, s string) []byte {
	out = append(out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\b':
			out = append(out, `\b`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\f':
			out = append(out, `\f`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r < ' ':
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

// shortest is the number as JavaScript writes it.
func shortest(literal string) (string, error) {
	if len(literal) < 16 && literal[0] != '-' && strings.Trim(literal, "0123456789") == "" {
		return literal, nil // a whole number that every double holds
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(f, 0) {
		return "", fmt.Errorf("the number %s is out of range", literal)
	}
	if f == 0 { // JavaScript writes -0 as 0
		if digits, _ := decimal(literal); digits != "" {
			return "", fmt.Errorf("the number %s is out of range", literal)
		}
		return "0", nil
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if a := math.Abs(f); a < 1e-6 || a >= 1e21 {
		text = strconv.FormatFloat(f, 'e', -1, 64)
		text = strings.NewReplacer("e-0", "e-", "e+0", "e+").Replace(text)
	}
	wantDigits, wantExp := decimal(literal)
	if digits, exp := decimal(text); digits != wantDigits || exp != wantExp {
		return "", fmt.Errorf("the number %s is more exact than a double", literal)
	}
	return text, nil
}

// decimal returns the digits of a number without zeros at either end, and the
// power of ten of the last one. Zero has no digits.
func decimal(literal string) (digits string, exp int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(literal, "-")), "e")
	exp, _ = strconv.Atoi(power)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exp -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	return short, exp + len(digits) - len(short)
}

// Digest returns the SHA-256 of a bundle's canonical form, in lower-case hex.
func Digest(bundle []byte) (string, error) {
	text, err := Canonical(bundle)
	if err != nil {
		return "", err
	}
	return digestOf(text), nil
}

func digestOf(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// bundleFault says why a bundle does not prove this quest, or "" where it does
// (seed 002, "Proof completion"). A bundle that does not match is no failed
// proof: it uses no attempt. What ran is not attested by it.
func bundleFault(q *Quest, e *Event, _ *Policy) string {
	if q.PatchHead == "" {
		return "no patch head is on record"
	}
	canonical, all, err := canonicalMembers(e.Bundle)
	if err != nil {
		return fmt.Sprintf("the bundle cannot be read: %q", err.Error())
	}
	if all == nil {
		return "the bundle is no object"
	}
	for _, m := range []struct{ key, want string }{
		{"questId", q.ID}, {"risk", q.Risk}, {"base", q.ProofBase}, {"head", q.PatchHead},
	} {
		if got := all.of(m.key); !bytes.Equal(got, quoted(make([]byte, 0, 64), m.want)) {
			return fmt.Sprintf("the bundle has %s %q, want %q", m.key, unquoted(got), m.want)
		}
	}
	if got := all.of("rev"); string(got) != strconv.Itoa(q.Rev) {
		return fmt.Sprintf("the bundle is of revision %q, the quest is at %d", got, q.Rev)
	}
	if digest := digestOf(canonical); digest != e.Digest {
		return fmt.Sprintf("the digest is not that of the bundle, which is %s", digest)
	}
	return ""
}

// unquoted is what a member says, for a message.
func unquoted(text []byte) string {
	var s string
	if json.Unmarshal(text, &s) != nil {
		return string(text)
	}
	return s
}
