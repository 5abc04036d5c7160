package journal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxBody is the longest comment body that is written or read, in bytes.
// GitHub refuses one over 65,536 characters ("Body is too long").
const MaxBody = 60_000

const (
	journalMark = "<!-- prloop:journal:v1 "
	journalWord = "<!-- prloop:journal:" // of every version
	markEnd     = " -->"
)

// ErrNone says that there is no block of ours in the text.
var ErrNone = errors.New("there is no block of prloop's in the text")

// ErrTooLong says that a body does not fit into [MaxBody] bytes, although its
// lists were cut as far as they may be: the text above the block is too long.
var ErrTooLong = fmt.Errorf("the text above the block leaves no room for it in %d bytes", MaxBody)

// A CorruptError says why a block of ours does not hold. It quotes nothing
// from the block.
type CorruptError struct {
	Why string // in our own words, beginning with "it"
}

func (e *CorruptError) Error() string { return "the block does not hold: " + e.Why }

// Encode returns the comment body that shows top to people and carries j below
// it. With a key the checksum is an HMAC.
//
// There is one spelling of each journal: what [Decode] accepts, Encode writes
// back byte for byte (FuzzDecode). Times become UTC and whole seconds; text
// that is no UTF-8 is mended. The JSON encoder writes <, > and & as \u003c,
// \u003e and \u0026, and "--" becomes "-\u002d", so that no value can end the
// HTML comment early (C087). In top "<!--" becomes "&lt;!--": neither a second
// block nor a comment that swallows ours can stand there.
//
// A journal that is too long is cut by [Compact] until it fits; ErrTooLong
// where even the shortest does not.
func Encode(top string, j Journal, key []byte) (string, error) {
	j = whole(j)
	if why := j.wrong(); why != "" {
		return "", &CorruptError{why}
	}
	body, err := seal(journalMark, top, j, key)
	for keep := keepRows; err == nil && len(body) > MaxBody; keep /= 2 {
		if keep == 0 {
			return "", ErrTooLong
		}
		j = compact(j, keep)
		body, err = seal(journalMark, top, j, key)
	}
	return body, err
}

// Decode returns the journal in a comment body and the text above it. The body
// may come back from GitHub with CRLF or without its last newline (C095).
//
// The error is ErrNone where there is no journal, and a *CorruptError where
// there is one that does not hold: not in our spelling, a checksum that does
// not fit, text below it, a second one above it. With a key a journal without
// an HMAC does not hold, and without a key one with an HMAC does not: when
// state-key is set, changed or taken away, journals are rebuilt once. Beside an
// error the journal is the zero one.
//
// Decode does not know whose comment it reads; see [Find].
func Decode(body string, key []byte) (j Journal, top string, err error) {
	top, s, err := unseal(journalWord, journalMark, body)
	if err == nil {
		err = s.prove(key)
	}
	if err == nil {
		j, err = s.journal()
	}
	if err != nil {
		return Journal{}, "", err
	}
	return j, top, nil
}

// Peek reads the journal in a comment body whatever its checksum says, as far as
// it is in our spelling: for people who want to see what is in it. The error is
// that of [Decode].
func Peek(body string) (Journal, error) {
	_, s, err := unseal(journalWord, journalMark, body)
	if err != nil {
		return Journal{}, err
	}
	return s.journal()
}

// journal reads the journal in a block, whatever its checksum says.
func (s sealed) journal() (Journal, error) {
	j, err := read(s.data, whole)
	if err != nil {
		return Journal{}, err
	}
	if why := j.wrong(); why != "" {
		return Journal{}, &CorruptError{why}
	}
	return j, nil
}

// maxNumber bounds every number that is counted on, so that none can be written
// into a journal that overflows later.
const maxNumber = 1_000_000_000

// wrong says what no journal of ours can be; empty where nothing is wrong.
func (j Journal) wrong() string {
	c := j.Counters
	numbers := []int{
		j.PR, j.Rev, j.Asked, j.HandedOver, c.FixIterations, c.PollTicksWithoutReview,
		c.PollTicksWithoutActivity, c.TicksWithoutProgress, c.ReviewIteration, c.PushbackRounds, c.PollTicksWhileQueued,
	}
	for _, r := range j.Requests {
		numbers = append(numbers, r.Tries, r.Rung)
	}
	for _, h := range j.Handoffs {
		numbers = append(numbers, h.Number, h.Iteration, h.Pushbacks)
	}
	numbers = append(numbers, j.Ledger.numbers()...)
	if j.Imported != nil {
		numbers = append(numbers, j.Imported.Version, j.Imported.Back)
	}
	if j.Recap != nil {
		numbers = append(numbers, j.Recap.numbers()...)
	}
	numbers = append(append(numbers, j.Other), j.Orders.numbers()...)
	if j.Quest != nil {
		numbers = append(numbers, j.Quest.numbers()...)
	}
	if j.Landing != nil {
		numbers = append(numbers, j.Landing.Try)
	}
	if j.Proof != nil {
		numbers = append(numbers, j.Proof.Rev)
	}
	switch {
	case j.PR < 1:
		return "it names no pull request"
	case j.Rev < 1:
		return "it has no revision"
	case slices.Min(numbers) < 0 || slices.Max(numbers) > maxNumber:
		return "it has a number that prloop never counts to"
	}
	return ""
}

// SameBody reports whether a and b are the same comment body, as far as GitHub
// keeps one: line ends and the space around the text do not count (C095).
func SameBody(a, b string) bool { return plain(a) == plain(b) }

// plain is a body in the form that survives GitHub.
func plain(body string) string {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	return strings.TrimSpace(strings.ReplaceAll(body, "\r", "\n"))
}

// aboveBlock is top as it may stand above a block.
func aboveBlock(top string) string {
	top = strings.ToValidUTF8(top, "\ufffd")
	return plain(strings.ReplaceAll(top, "<!--", "&lt;!--"))
}

// A sealed is the inside of a block: the JSON without its checksum, and the
// checksum.
type sealed struct {
	data []byte
	sum  string
}

const (
	sumOpen  = `,"sum":"`
	sumClose = `"}`
	plainSum = "sha256:"
	keyedSum = "hmac-sha256:"
)

// seal writes v below top.
func seal[T any](mark, top string, v T, key []byte) (string, error) {
	data, err := Spell(v)
	if err != nil {
		return "", fmt.Errorf("spell the block: %w", err)
	}
	var b strings.Builder
	if top = aboveBlock(top); top != "" {
		b.WriteString(top + "\n\n")
	}
	b.WriteString(mark)
	b.Write(data[:len(data)-1])
	b.WriteString(sumOpen + checksum(data, key) + sumClose + markEnd)
	return b.String(), nil
}

// unseal takes a body apart: the text above the block, and what is in the
// block. word begins a block of any version, mark one that we can read.
func unseal(word, mark, body string) (string, sealed, error) {
	body = plain(body)
	i := strings.Index(body, word)
	if i < 0 {
		return "", sealed{}, ErrNone
	}
	if len(body) > MaxBody {
		return "", sealed{}, &CorruptError{fmt.Sprintf("it is longer than %d bytes", MaxBody)}
	}
	top, block := body[:i], body[i:]
	if top != "" && !strings.HasSuffix(top, "\n") {
		return "", sealed{}, &CorruptError{"it does not stand on a line of its own"}
	}
	if top = plain(top); top != aboveBlock(top) {
		return "", sealed{}, &CorruptError{"it stands below text that prloop does not write"}
	}
	block, ok := strings.CutPrefix(block, mark)
	if !ok {
		return "", sealed{}, &CorruptError{"it is of a version that this prloop does not read"}
	}
	block, ok = strings.CutSuffix(block, sumClose+markEnd)
	if !ok {
		return "", sealed{}, &CorruptError{"it does not end as prloop ends it"}
	}
	data, sum, ok := cutLast(block, sumOpen)
	if !ok {
		return "", sealed{}, &CorruptError{"it has no checksum"}
	}
	return top, sealed{[]byte(data + "}"), sum}, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// read decodes data, which must be spelled as Spell spells it, in the form that
// normal gives it.
func read[T any](data []byte, normal func(T) T) (T, error) {
	return Read(data, func(v T) (T, []byte, error) {
		v = normal(v)
		again, err := Spell(v)
		return v, again, err
	})
}

// Read decodes data, which must be spelled as again spells what it says. The
// error is a *CorruptError; beside it the value is the zero one.
func Read[T any](data []byte, again func(T) (T, []byte, error)) (T, error) {
	var v, zero T
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return zero, &CorruptError{"it is not JSON of the kind that prloop writes"}
	}
	v, spelled, err := again(v)
	if corrupt, ok := errors.AsType[*CorruptError](err); ok {
		return zero, corrupt
	}
	if err != nil || !bytes.Equal(spelled, data) {
		return zero, &CorruptError{"it is not in the one spelling that prloop writes"}
	}
	return v, nil
}

// Spell writes v in its one spelling: Go's encoder with its escapes, members
// in the order of the fields, and no "--".
func Spell[T any](v T) ([]byte, error) {
	data, err := json.Marshal(v)
	if err == nil && bytes.Contains(data, []byte(`\ufffd`)) {
		// Bytes that are no UTF-8 are escaped, and read back as the letter
		// U+FFFD, which is not: only the second spelling stays.
		var mended T
		if err = json.Unmarshal(data, &mended); err == nil {
			data, err = json.Marshal(mended)
		}
	}
	return bytes.ReplaceAll(data, []byte("--"), []byte(`-\u002d`)), err
}

// checksum is over the JSON without the checksum.
func checksum(data, key []byte) string {
	if len(key) == 0 {
		return Sum(data)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return keyedSum + hex.EncodeToString(mac.Sum(nil))
}

// Sum is the SHA-256 of data, as checksums and digests spell it.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return plainSum + hex.EncodeToString(sum[:])
}

// prove checks the checksum.
func (s sealed) prove(key []byte) error {
	switch keyed := strings.HasPrefix(s.sum, keyedSum); {
	case keyed && len(key) == 0:
		return &CorruptError{"it is signed, and no state-key is given to check it"}
	case !keyed && len(key) > 0:
		return &CorruptError{"it is not signed by the state-key"}
	case !hmac.Equal([]byte(s.sum), []byte(checksum(s.data, key))):
		return &CorruptError{"its checksum does not fit"}
	}
	return nil
}

// whole returns j with its times in UTC and whole seconds, in lists of its own.
func whole(j Journal) Journal {
	j.StartedAt, j.NextWake = second(j.StartedAt), second(j.NextWake)
	j.Heads = each(j.Heads, func(s *Sight) { s.At = second(s.At) })
	j.Requests = each(j.Requests, func(r *Request) { r.At = second(r.At) })
	j.Handoffs = each(j.Handoffs, func(h *Handoff) { h.At, h.Deadline = second(h.At), second(h.Deadline) })
	j.Answers = each(j.Answers, func(*Answer) {})
	j.Ledger = j.Ledger.whole()
	j.Orders = j.Orders.whole()
	j.Waits = each(j.Waits, func(w *Wait) { w.Since, w.Until = second(w.Since), second(w.Until) })
	j.Told = each(j.Told, func(*Told) {})
	j.Refused = each(j.Refused, func(*Refusal) {})
	j.Pending = each(j.Pending, func(e *Entry) { e.At = second(e.At) })
	j.Done = each(j.Done, func(e *Entry) { e.At = second(e.At) })
	j.QuotaUntil = each(j.QuotaUntil, func(q *Quota) { q.Until = second(q.Until) })
	j.Lease = one(j.Lease, func(l *Lease) { l.Until = second(l.Until) })
	j.Draft = one(j.Draft, func(d *Draft) { d.At = second(d.At) })
	j.Final = one(j.Final, func(f *Final) { f.At = second(f.At) })
	j.Rebuilt = one(j.Rebuilt, func(r *Rebuilt) { r.At = second(r.At) })
	j.Proof = one(j.Proof, func(*Proven) {})
	j.Single = one(j.Single, func(s *Single) { s.At = second(s.At) })
	j.Settled = one(j.Settled, func(s *Settled) { s.At = second(s.At) })
	j.Cleaned = one(j.Cleaned, func(c *Cleaned) { c.At = second(c.At) })
	j.Imported = one(j.Imported, func(*Imported) {})
	j.Pass = one(j.Pass, func(p *Pass) { p.At = second(p.At) })
	j.Watch = one(j.Watch, func(w *Watch) { *w = w.whole() })
	j.Landing = one(j.Landing, func(l *Landing) { l.At = second(l.At) })
	j.Recap = one(j.Recap, func(r *Recap) { *r = r.whole() })
	j.Quest = one(j.Quest, (*Quest).whole)
	j.Agent = one(j.Agent, func(a *Agent) { a.JudgedAt, a.At = second(a.JudgedAt), second(a.At) })
	return j
}

func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// each returns a copy of list with edit done to every row; nil where it is empty.
func each[T any](list []T, edit func(*T)) []T {
	if len(list) == 0 {
		return nil
	}
	out := append(make([]T, 0, len(list)), list...)
	for i := range out {
		edit(&out[i])
	}
	return out
}

func one[T any](p *T, edit func(*T)) *T {
	if p == nil {
		return nil
	}
	v := *p
	edit(&v)
	return &v
}
