package journal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

const today = "2026-11-30"

// anyRecord draws records from few words, so that their entries often are the
// same ones. The heads among them are longer than a record keeps them.
func anyRecord(t *rapid.T, name string) Record {
	return made[Record]([]string{"copilot", "cursor", string(headA), string(headB)}).Draw(t, name)
}

// Small bounds are reached by small records.
var tight = bounds{days: 2, reviews: 2, quotas: 2, notices: 1}

func TestMergeRecordIsASemilattice(t *testing.T) {
	t.Parallel()
	for name, merge := range map[string]func(a, b Record) Record{
		"with the bounds of a record": MergeRecord,
		"with tight bounds":           func(a, b Record) Record { return mergeRecord(a, b, tight) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				a, b, c := anyRecord(t, "a"), anyRecord(t, "b"), anyRecord(t, "c")
				ab := merge(a, b)
				if diff := cmp.Diff(ab, merge(b, a)); diff != "" {
					t.Fatalf("not commutative (-ab +ba):\n%s", diff)
				}
				if diff := cmp.Diff(merge(ab, c), merge(a, merge(b, c))); diff != "" {
					t.Fatalf("not associative (-(ab)c +a(bc)):\n%s", diff)
				}
				for with, again := range map[string]Record{"itself": merge(ab, ab), "a": merge(a, ab), "b": merge(ab, b), "nothing": merge(ab, Record{})} {
					if diff := cmp.Diff(ab, again); diff != "" {
						t.Fatalf("merging with %s changes something:\n%s", with, diff)
					}
				}
			})
		})
	}
}

func TestMergeRecordLosesNoEntry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRecord(t, "a"), anyRecord(t, "b")
		r := MergeRecord(a, b)
		for _, from := range []Record{a, b} {
			for _, d := range from.Days {
				oldest := len(r.Days) == KeepDays && d.Day < r.Days[0].Day
				for _, s := range d.Reviews {
					if got := r.Counts(d.Day, s.PR, s.Head, s.Reviewer); got == oldest {
						t.Fatalf("%+v of %s counts: %v, in %+v", s, d.Day, got, r.Days)
					}
				}
			}
			for _, q := range from.Quota {
				if r.QuotaUntil(q.Reviewer).Before(second(q.Until)) {
					t.Fatalf("quota of %s until %v, was %v", q.Reviewer, r.QuotaUntil(q.Reviewer), q.Until)
				}
			}
			for _, n := range from.Notices {
				if !r.Notified(n.Name) {
					t.Fatalf("the notice %q is forgotten", n.Name)
				}
			}
			if r.Left.Before(second(from.Left)) {
				t.Fatalf("it was left at %v, and says %v", from.Left, r.Left)
			}
			if r.Cursor.At.Before(second(from.Cursor.At)) {
				t.Fatalf("the cursor went back to %v from %v", r.Cursor, from.Cursor)
			}
		}
	})
}

func TestRecord(t *testing.T) {
	t.Parallel()
	var r Record
	for _, e := range []effect.Record{
		{PR: 7, Head: headA, Reviewer: pr.CopilotReviewer, Day: today},
		{PR: 7, Head: headA, Reviewer: pr.CopilotReviewer, Day: today}, // a run that does it again
		{PR: 7, Head: headB, Reviewer: pr.CopilotReviewer, Day: today},
		{PR: 8, Head: headA, Reviewer: pr.CopilotReviewer, Day: today},
		{PR: 8, Head: headA, Reviewer: "cursor", Day: today},
		{PR: 8, Head: headA, Reviewer: pr.CopilotReviewer, Day: "2026-11-29"},
		{Reviewer: pr.CopilotReviewer, QuotaUntil: "2026-12-01T00:00:00Z"},
		{Reviewer: pr.CopilotReviewer, QuotaUntil: "2026-11-30T23:00:00+02:00"}, // earlier: the later time holds
	} {
		entry, err := RecordOf(e)
		if err != nil {
			t.Fatalf("RecordOf(%+v): %v", e, err)
		}
		r = MergeRecord(r, entry)
	}
	want := Record{
		Days: []Day{
			{"2026-11-29", []Spent{{8, "1f0c9a2", pr.CopilotReviewer}}},
			{today, []Spent{
				{7, "1f0c9a2", pr.CopilotReviewer},
				{7, "2b7d01c", pr.CopilotReviewer},
				{8, "1f0c9a2", pr.CopilotReviewer},
				{8, "1f0c9a2", "cursor"},
			}},
		},
		Quota: []Quota{{pr.CopilotReviewer, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	type answers struct {
		Today, Yesterday, Tomorrow int
		Counted, OtherHead         bool
		Quota, NoQuota             time.Time
	}
	got := answers{
		r.ReviewsOn(today), r.ReviewsOn("2026-11-29"), r.ReviewsOn("2026-12-01"),
		r.Counts(today, 7, headB, pr.CopilotReviewer), r.Counts(today, 7, headC, pr.CopilotReviewer),
		r.QuotaUntil(pr.CopilotReviewer), r.QuotaUntil("cursor"),
	}
	if diff := cmp.Diff(answers{4, 1, 0, true, false, want.Quota[0].Until, time.Time{}}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestRecordOfRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		e    effect.Record
		want string
	}{
		{effect.Record{PR: 7, Head: headA, Reviewer: "copilot"}, "read the day of a review: "},
		{effect.Record{PR: 7, Head: headA, Reviewer: "copilot", Day: "30 November"}, "read the day of a review: "},
		{effect.Record{Reviewer: "copilot", QuotaUntil: "tomorrow"}, "read the time of a quota: "},
		{effect.Record{Notice: "graphify", NoticeAt: "yesterday"}, "read the time of a notice: "},
	} {
		got, err := RecordOf(row.e)
		if err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%+v: error %v, want %q", row.e, err, row.want)
		}
		if diff := cmp.Diff(Record{}, got); diff != "" {
			t.Errorf("%+v: a record beside an error:\n%s", row.e, diff)
		}
	}
}

// crowded is a record with n reviews on each of its days.
func crowded(n int, days ...string) Record {
	r := Record{Quota: []Quota{{pr.CopilotReviewer, at(0)}}, Notices: []Notice{{"graph", at(0)}}, Cursor: Cursor{99, at(0)}}
	for _, d := range days {
		day := Day{Day: d}
		for i := range n {
			day.Reviews = append(day.Reviews, Spent{100_000 + i, pr.SHA(fmt.Sprintf("%07x", i)), pr.CopilotReviewer})
		}
		r.Days = append(r.Days, day)
	}
	return r
}

func encodeRecord(t testing.TB, top string, r Record, key []byte) string {
	t.Helper()
	body, err := EncodeRecord(top, r, key)
	if err != nil {
		t.Fatalf("EncodeRecord: %v", err)
	}
	return body
}

func TestRecordIsBounded(t *testing.T) {
	t.Parallel()
	days := []string{"2026-11-27", "2026-11-28", "2026-11-29", today}
	got := MergeRecord(crowded(MaxReviewsPerDay+20, days...), Record{})
	counts := func(r Record) map[string]int {
		m := map[string]int{}
		for _, d := range r.Days {
			m[d.Day] = len(d.Reviews)
		}
		return m
	}
	if diff := cmp.Diff(map[string]int{"2026-11-28": 500, "2026-11-29": 500, today: 500}, counts(got)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}

	empty := Record{Days: []Day{{"2026-12-01", nil}, {"2026-12-02", []Spent{}}, {"2026-12-03", nil}}}
	if diff := cmp.Diff(map[string]int{today: 1}, counts(MergeRecord(empty, crowded(1, today)))); diff != "" {
		t.Errorf("days without a review take no place (-want +got):\n%s", diff)
	}

	body := encodeRecord(t, "### prloop", got, key)
	if len(body) > MaxBody {
		t.Errorf("the body has %d bytes, more than %d", len(body), MaxBody)
	}
	back, _, err := DecodeRecord(body, key)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{today: 500}, counts(back)); diff != "" {
		t.Errorf("written: older days give way, today does not (-want +got):\n%s", diff)
	}

	if _, err := EncodeRecord(strings.Repeat("x", MaxBody), Record{}, nil); !errors.Is(err, ErrTooLong) {
		t.Errorf("a text that leaves no room: %v, want ErrTooLong", err)
	}
	for i := range 200 {
		got = MergeRecord(got, Record{
			Quota:   []Quota{{pr.Login(fmt.Sprintf("bot-%03d", i)), at(i)}},
			Notices: []Notice{{fmt.Sprintf("notice-%03d", i), at(i)}},
		})
	}
	type shape struct {
		quotas, notices           int
		firstReviewer, lastNotice string
	}
	want := shape{50, 100, "bot-150", "notice-199"}
	have := shape{len(got.Quota), len(got.Notices), string(got.Quota[0].Reviewer), got.Notices[99].Name}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(shape{})); diff != "" {
		t.Errorf("the newest quotas and notices stay (-want +got):\n%s", diff)
	}
	if len(encodeRecord(t, "", got, key)) > MaxBody {
		t.Error("a record with all lists full does not fit")
	}
}

func TestMergeBody(t *testing.T) {
	t.Parallel()
	entry := crowded(1, today)
	other := Record{Days: []Day{{today, []Spent{{7, "2b7d01c", "cursor"}}}}}
	both := MergeRecord(entry, other)
	const top = "### What prloop keeps for this repository"
	whole := encodeRecord(t, top, other, key)
	for _, row := range []struct {
		name, body string
		want       string
	}{
		{"an empty text gets a record", "", encodeRecord(t, "", entry, key)},
		{"a text without one gets one below it", top + "\r\n", encodeRecord(t, top, entry, key)},
		{"a record that holds gets the entry, and its text stays", strings.ReplaceAll(whole, "\n", "\r\n"), encodeRecord(t, top, both, key)},
		{"a record that has the entry stays as it is", encodeRecord(t, top, both, key), encodeRecord(t, top, both, key)},
		{"a record that does not hold is begun anew, and its text stays", strings.Replace(whole, "2b7d01c", "2b7d01d", 1), encodeRecord(t, top, entry, key)},
		{"a record without the signature is begun anew", encodeRecord(t, top, other, nil), encodeRecord(t, top, entry, key)},
	} {
		got, err := MergeBody(row.body, entry, key)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestDecodeRecordRefuses(t *testing.T) {
	t.Parallel()
	r := MergeRecord(crowded(2, "2026-11-29", today), Record{Quota: []Quota{{"cursor", at(1)}}})
	body := encodeRecord(t, "", r, nil)
	reseal := func(old, text string) string {
		t.Helper()
		_, s, err := unseal(recordWord, recordMark, body)
		if err != nil {
			t.Fatal(err)
		}
		data := strings.Replace(string(s.data), old, text, 1)
		if data == string(s.data) {
			t.Fatalf("the record has no %q", old)
		}
		return recordMark + data[:len(data)-1] + sumOpen + checksum([]byte(data), nil) + sumClose + markEnd
	}
	const spelling = "it is not in the one spelling that prloop writes"
	for _, row := range []struct {
		name, body string
		key        []byte
		want       string
	}{
		{"its entries are not in order", reseal(`"pr":100000,`, `"pr":100002,`), nil, spelling},
		{"an entry stands twice", reseal(`{"pr":100001,"head":"0000001"`, `{"pr":100000,"head":"0000000"`), nil, spelling},
		{"its days are not in order", reseal(`"day":"2026-11-29"`, `"day":"2026-12-01"`), nil, spelling},
		{"a day has no reviews", reseal(`"days":[`, `"days":[{"day":"2026-11-01","reviews":[]},`), nil, spelling},
		{"a head is longer than it is kept", reseal(`"0000001"`, `"00000011"`), nil, spelling},
		{"a day is none", reseal(`"day":"2026-11-29"`, `"day":"2026-11-1x"`), nil, "it has a day that is none"},
		{"an entry names no pull request", reseal(`"pr":100000,`, `"pr":0,`), nil, "it names no pull request"},
		{"a cursor is below zero", reseal(`"number":99`, `"number":-1`), nil, "it has a cursor that points nowhere"},
		{"a member is not known", reseal(`"cursor":`, `"muted":[],"cursor":`), nil, "it is not JSON of the kind that prloop writes"},
		{"the checksum is another's", strings.Replace(body, `"number":99`, `"number":98`, 1), nil, "its checksum does not fit"},
		{"it is not signed, and there is a key", body, key, "it is not signed by the state-key"},
		{"a later version", strings.Replace(body, ":v1 ", ":v2 ", 1), nil, "it is of a version that this prloop does not read"},
		{"a journal", encode(t, "", full(), nil), nil, "none"},
	} {
		got, top, err := DecodeRecord(row.body, row.key)
		why := "none"
		if corrupt, ok := errors.AsType[*CorruptError](err); ok {
			why = corrupt.Why
		} else if !errors.Is(err, ErrNone) {
			t.Errorf("%s: error %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, why); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		if diff := cmp.Diff(Record{}, got); diff != "" || top != "" {
			t.Errorf("%s: a record beside an error, top %q:\n%s", row.name, top, diff)
		}
	}
	for i := range len(body) {
		for _, b := range []byte{body[i] ^ 1, ' ', '\n', '0'} {
			if b == body[i] {
				continue
			}
			if _, _, err := DecodeRecord(body[:i]+string([]byte{b})+body[i+1:], nil); err == nil {
				t.Errorf("byte %d changed from %q to %q, and it is accepted", i, body[i], b)
			}
		}
	}
}

func TestEncodeRecordRefuses(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Record{
		"it has a day that is none":           {Days: []Day{{"", []Spent{{7, "1f0c9a2", "cursor"}}}}},
		"it names no pull request":            {Days: []Day{{today, []Spent{{0, "1f0c9a2", "cursor"}}}}},
		"it has a name that is no text":       {Notices: []Notice{{"\xff", at(0)}}},
		"it has a cursor that points nowhere": {Cursor: Cursor{Number: -1, At: at(0)}},
	} {
		body, err := EncodeRecord("", r, nil)
		corrupt, _ := errors.AsType[*CorruptError](err)
		if diff := cmp.Diff(&CorruptError{want}, corrupt); diff != "" || body != "" {
			t.Errorf("%+v: body %q (-want +got):\n%s", r, body, diff)
		}
	}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := made[Record](valid()).Draw(t, "record")
		for i, d := range r.Days {
			for k := range d.Reviews {
				r.Days[i].Reviews[k].Head = headA // cut within a letter a word is no text
			}
		}
		body, err := EncodeRecord("### prloop", r, key)
		if err != nil {
			t.Fatalf("EncodeRecord: %v", err)
		}
		if wrong := otherClock.FindString(body); wrong != "" {
			t.Fatalf("a time is not in UTC and whole seconds: %s", wrong)
		}
		got, top, err := DecodeRecord(body, key)
		if err != nil {
			t.Fatalf("DecodeRecord: %v\n%s", err, body)
		}
		if diff := cmp.Diff(MergeRecord(r, Record{}), got); diff != "" || top != "### prloop" {
			t.Fatalf("top %q, record (-want +got):\n%s", top, diff)
		}
		if strings.Count(body, "-->") != 1 || strings.Count(body, "--") != 2 {
			t.Fatalf("the comment does not end exactly once: %q", body)
		}
	})
}

// Whatever DecodeRecord accepts, EncodeRecord writes back byte for byte, apart
// from the space around the two parts.
func FuzzRecord(f *testing.F) {
	for _, k := range []string{"", string(key)} {
		body, err := EncodeRecord("### prloop", crowded(2, "2026-11-29", today), []byte(k))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, k)
		f.Add(strings.ReplaceAll(body, "\n", "\r\n"), k)
		f.Add(strings.Replace(body, `"number":99`, `"number": 99`, 1), k)
		f.Add(strings.Replace(body, "2026-11-29", today, 1), k)
	}
	f.Add(`<!-- prloop:record:v1 {"cursor":{"number":0,"at":"0001-01-01T00:00:00Z"}} -->`, "")
	f.Fuzz(func(t *testing.T, body, k string) {
		r, top, err := DecodeRecord(body, []byte(k))
		if err != nil {
			if _, corrupt := errors.AsType[*CorruptError](err); !corrupt && !errors.Is(err, ErrNone) {
				t.Fatalf("unexpected kind of error %T: %v", err, err)
			}
			if diff := cmp.Diff(Record{}, r); diff != "" || top != "" {
				t.Fatalf("a record beside an error, top %q:\n%s", top, diff)
			}
			return
		}
		again := encodeRecord(t, top, r, []byte(k))
		cut := func(body string) [2]string {
			top, block, _ := strings.Cut(plain(body), recordWord)
			return [2]string{plain(top), block}
		}
		if want, got := cut(body), cut(again); want != got {
			t.Fatalf("DecodeRecord accepted %q, EncodeRecord writes %q", want, got)
		}
		if merged, err := MergeBody(body, Record{}, []byte(k)); err != nil || !SameBody(again, merged) {
			t.Fatalf("MergeBody with nothing: %v, %q, want %q", err, merged, again)
		}
	})
}
