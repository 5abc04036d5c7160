package journal

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

const (
	recordMark = "<!-- prloop:record:v1 "
	recordWord = "<!-- prloop:record:"
)

// A Record is what belongs to no single pull request: the repository record.
// It sits in one issue by us, in a block like the journal's. Its entries only
// merge ([MergeRecord]): whoever writes reads again and repeats until its own
// entry is in. The zero Record is the empty one.
//
// Its entries can only hold prloop back, never allow it anything; that is why a
// record that somebody else edited counts as long as it holds ([DecodeRecord]):
// it is never worse than the empty one, which takes the place of one that does
// not.
type Record struct {
	// Days are the reviews that were bought, by UTC day, oldest day first; the
	// newest KeepDays days.
	Days []Day `json:"days,omitempty"`
	// Quota is until when a reviewer is asked for nothing in this repository,
	// sorted by reviewer.
	Quota []Quota `json:"quota,omitempty"`
	// Notices are the notices that go out once per repository, sorted by name.
	Notices []Notice `json:"notices,omitempty"`
	// Cursor is where the next sweep goes on.
	Cursor Cursor `json:"cursor"`
	// Left is when prloop was told to leave the repository (command: leave); zero
	// where it never was. It counts while the issue is closed.
	Left time.Time `json:"left,omitzero"`
}

// A Day is the reviews of one UTC day: a set, whose size is the count.
type Day struct {
	Day     string  `json:"day"` // as 2006-01-02
	Reviews []Spent `json:"reviews"`
}

// Spent is one review that was asked for.
type Spent struct {
	PR       int      `json:"pr"`
	Head     pr.SHA   `json:"head"` // its first seven digits
	Reviewer pr.Login `json:"reviewer"`
}

// A Notice is a notice that went out.
type Notice struct {
	Name string    `json:"name"` // in our own words
	At   time.Time `json:"at"`
}

// A Cursor is how far a sweep came: all pull requests up to Number were seen
// when it stopped at At. Number 0 begins at the first.
type Cursor struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}

// The bounds of a record. They belong to the format: a longer one is none.
const (
	KeepDays = 3
	// MaxReviewsPerDay is how far the reviews of one day are counted. A larger
	// budget per day cannot be kept.
	MaxReviewsPerDay = 500
)

type bounds struct{ days, reviews, quotas, notices int }

// RecordOf is the record that holds nothing but what e enters. The error says
// which value of e is no day or no time.
func RecordOf(e effect.Record) (Record, error) {
	if e.Notice != "" {
		at, err := time.Parse(time.RFC3339, e.NoticeAt)
		if err != nil {
			return Record{}, fmt.Errorf("read the time of a notice: %w", err)
		}
		return MergeRecord(Record{Notices: []Notice{{Name: e.Notice, At: at}}}, Record{}), nil
	}
	if e.Left != "" {
		at, err := time.Parse(time.RFC3339, e.Left)
		if err != nil {
			return Record{}, fmt.Errorf("read when prloop left: %w", err)
		}
		return MergeRecord(Record{Left: at}, Record{}), nil
	}
	if e.QuotaUntil != "" {
		until, err := time.Parse(time.RFC3339, e.QuotaUntil)
		if err != nil {
			return Record{}, fmt.Errorf("read the time of a quota: %w", err)
		}
		return MergeRecord(Record{Quota: []Quota{{Reviewer: e.Reviewer, Until: until}}}, Record{}), nil
	}
	if _, err := time.Parse(time.DateOnly, e.Day); err != nil {
		return Record{}, fmt.Errorf("read the day of a review: %w", err)
	}
	spent := Spent{PR: e.PR, Head: e.Head, Reviewer: e.Reviewer}
	return MergeRecord(Record{Days: []Day{{Day: e.Day, Reviews: []Spent{spent}}}}, Record{}), nil
}

// ReviewsOn counts the reviews of a UTC day (2006-01-02), up to
// MaxReviewsPerDay.
func (r Record) ReviewsOn(day string) int {
	for _, d := range r.Days {
		if d.Day == day {
			return len(d.Reviews)
		}
	}
	return 0
}

// Counts reports whether the review of head by reviewer is among those of day.
func (r Record) Counts(day string, number int, head pr.SHA, reviewer pr.Login) bool {
	return slices.ContainsFunc(r.Days, func(d Day) bool {
		return d.Day == day && slices.Contains(d.Reviews, Spent{number, pr.SHA(head.Short()), reviewer})
	})
}

// QuotaUntil is until when reviewer is asked for nothing; zero where it never
// ran out. It may lie in the past.
func (r Record) QuotaUntil(reviewer pr.Login) time.Time {
	for _, q := range r.Quota {
		if q.Reviewer == reviewer {
			return q.Until
		}
	}
	return time.Time{}
}

// Notified reports whether the notice of this name went out.
func (r Record) Notified(name string) bool {
	return slices.ContainsFunc(r.Notices, func(n Notice) bool { return n.Name == name })
}

// MergeRecord joins two records: the union of the reviews, the later time of
// each quota and notice, the later cursor. It is commutative, associative and
// idempotent (TestMergeRecord…), so that it does not matter in which order
// entries go in, nor how often. What comes out keeps the bounds: the newest
// days, and of each list as much as its bound allows.
func MergeRecord(a, b Record) Record {
	return mergeRecord(a, b, bounds{days: KeepDays, reviews: MaxReviewsPerDay, quotas: 50, notices: 100})
}

func mergeRecord(a, b Record, most bounds) Record {
	a, b = seconds(a), seconds(b)
	var r Record
	for _, d := range slices.Concat(a.Days, b.Days) {
		i := slices.IndexFunc(r.Days, func(o Day) bool { return o.Day == d.Day })
		if i < 0 {
			i = len(r.Days)
			r.Days = append(r.Days, Day{Day: d.Day})
		}
		for _, s := range d.Reviews {
			s.Head = pr.SHA(s.Head.Short())
			r.Days[i].Reviews = append(r.Days[i].Reviews, s)
		}
	}
	r.Days = without(r.Days, func(d Day) bool { return len(d.Reviews) == 0 })
	sort.Slice(r.Days, func(i, j int) bool { return r.Days[i].Day < r.Days[j].Day })
	r.Days = newest(r.Days, most.days)
	for i, d := range r.Days {
		sort.Slice(d.Reviews, func(i, j int) bool { return compareSpent(d.Reviews[i], d.Reviews[j]) < 0 })
		set := slices.Compact(d.Reviews)
		r.Days[i].Reviews = set[:min(len(set), most.reviews)]
	}

	r.Quota = unite(0, a.Quota, b.Quota, quotaTimes,
		func(q Quota) pr.Login { return q.Reviewer },
		func(_ int, x, y Quota) Quota { return latest(quotaTimes, x, y) })
	r.Quota = newest(r.Quota, most.quotas)
	sort.Slice(r.Quota, func(i, j int) bool { return compareQuotas(r.Quota[i], r.Quota[j]) < 0 })

	r.Notices = unite(0, a.Notices, b.Notices, noticeTimes,
		func(n Notice) string { return n.Name },
		func(_ int, x, y Notice) Notice { return latest(noticeTimes, x, y) })
	r.Notices = newest(r.Notices, most.notices)
	sort.Slice(r.Notices, func(i, j int) bool { return r.Notices[i].Name < r.Notices[j].Name })

	r.Cursor = latest(cursorTimes, a.Cursor, b.Cursor)
	if r.Left = a.Left; b.Left.After(a.Left) {
		r.Left = b.Left
	}
	return r
}

func quotaTimes(x, y Quota) int {
	return cmp.Or(x.Until.Compare(y.Until), cmp.Compare(x.Reviewer, y.Reviewer))
}

func noticeTimes(x, y Notice) int {
	return cmp.Or(x.At.Compare(y.At), strings.Compare(x.Name, y.Name))
}

func cursorTimes(x, y Cursor) int {
	return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Number, y.Number))
}

func compareSpent(x, y Spent) int {
	return cmp.Or(cmp.Compare(x.PR, y.PR), cmp.Compare(x.Head, y.Head), cmp.Compare(x.Reviewer, y.Reviewer))
}

// seconds returns r with its times in UTC and whole seconds.
func seconds(r Record) Record {
	r.Quota = each(r.Quota, func(q *Quota) { q.Until = second(q.Until) })
	r.Notices = each(r.Notices, func(n *Notice) { n.At = second(n.At) })
	r.Cursor.At, r.Left = second(r.Cursor.At), second(r.Left)
	return r
}

// tidy returns r in the order and within the bounds that a record has.
func tidy(r Record) Record { return MergeRecord(r, Record{}) }

// EncodeRecord returns the body of the issue that shows top to people and
// carries r below it, in the same kind of block as a journal ([Encode]). One
// that is too long loses its oldest days, never the newest; ErrTooLong where
// that does not help.
func EncodeRecord(top string, r Record, key []byte) (string, error) {
	r = tidy(r)
	if why := r.wrong(); why != "" {
		return "", &CorruptError{why}
	}
	body, err := seal(recordMark, top, r, key)
	for err == nil && len(body) > MaxBody {
		if len(r.Days) < 2 {
			return "", ErrTooLong
		}
		r.Days = r.Days[1:]
		body, err = seal(recordMark, top, r, key)
	}
	return body, err
}

// DecodeRecord returns the record in the body of the issue and the text above
// it. Errors and the meaning of key are those of [Decode]. A record that does
// not hold is begun anew, empty, with a notice.
func DecodeRecord(body string, key []byte) (r Record, top string, err error) {
	top, s, err := unseal(recordWord, recordMark, body)
	if err == nil {
		err = s.prove(key)
	}
	if err == nil {
		r, err = read(s.data, tidy)
	}
	if err == nil && r.wrong() != "" {
		err = &CorruptError{r.wrong()}
	}
	if err != nil {
		return Record{}, "", err
	}
	return r, top, nil
}

// wrong says what no record of ours can be; empty where nothing is wrong.
func (r Record) wrong() string {
	var words []string
	for _, q := range r.Quota {
		words = append(words, string(q.Reviewer))
	}
	for _, n := range r.Notices {
		words = append(words, n.Name)
	}
	for _, d := range r.Days {
		if _, err := time.Parse(time.DateOnly, d.Day); err != nil {
			return "it has a day that is none"
		}
		if slices.ContainsFunc(d.Reviews, func(s Spent) bool { return s.PR < 1 || s.PR > maxNumber }) {
			return "it names no pull request"
		}
		for _, s := range d.Reviews {
			words = append(words, string(s.Head), string(s.Reviewer))
		}
	}
	if slices.ContainsFunc(words, func(s string) bool { return !utf8.ValidString(s) }) {
		return "it has a name that is no text" // mended names could collide
	}
	if r.Cursor.Number < 0 || r.Cursor.Number > maxNumber {
		return "it has a cursor that points nowhere"
	}
	return ""
}

// MergeBody returns the body of the issue with the entries of r in it. The text
// that people read stays. A record that does not hold is begun anew; so is a
// text without one. A writer that gets back the same body ([SameBody]) has
// nothing to write: its entries are in.
func MergeBody(body string, r Record, key []byte) (string, error) {
	old, top, err := DecodeRecord(body, key)
	switch {
	case err == nil:
	case errors.Is(err, ErrNone):
		top = body
	default:
		top, _, _ = strings.Cut(plain(body), recordWord)
	}
	return EncodeRecord(top, MergeRecord(old, r), key)
}
