package journal

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
)

var key = []byte("the state key")

// The format is fixed by this text: journals that are out there must stay
// readable.
const golden = `### Waiting for Copilot

Round 1 of 5.

<!-- prloop:journal:v1 {"pr":7,"rev":1,"startedAt":"2026-11-30T12:00:00Z",` +
	`"counters":{"fixIterations":0,"pollTicksWithoutReview":0,"pollTicksWithoutActivity":0,"ticksWithoutProgress":0,"reviewIteration":0},` +
	`"asked":0,"handedOver":0,"pending":[{"key":"a -\u002d\u003e \u003c!-\u002d b","at":"2026-11-30T12:01:00Z"}],` +
	`"nextWake":"0001-01-01T00:00:00Z","sum":"sha256:2801f6c16861f13b1117975f7b858a296ce83ff8dd2719450c7b34692987dcc1"} -->`

func TestEncodeWritesThisText(t *testing.T) {
	t.Parallel()
	j := Journal{PR: 7, Rev: 1, StartedAt: at(0), Pending: []Entry{{"a --> <!-- b", at(1), ""}}}
	got := encode(t, "### Waiting for Copilot\r\n\r\nRound 1 of 5.\n", j, nil)
	if diff := cmp.Diff(golden, got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// otherClock finds a time that is not in UTC or not in whole seconds.
var otherClock = regexp.MustCompile(`T\d\d:\d\d:\d\d[^Z].{6}`)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := made[Journal](valid()).Draw(t, "journal")
		top := strings.Join(rapid.SliceOfN(rapid.SampledFrom(valid()), 0, 4).Draw(t, "top"), "\n")
		k := rapid.SampledFrom([][]byte{nil, key}).Draw(t, "key")
		body, err := Encode(top, j, k)
		if err != nil {
			t.Fatalf("Encode: %v", err)
		}
		if want, got := 1, strings.Count(body, "-->")-strings.Count(aboveBlock(top), "-->"); want != got {
			t.Fatalf("the block ends %d times, want %d: %q", got, want, body)
		}
		if want, got := 1, strings.Count(body, "<!--"); want != got {
			t.Fatalf("%d comments begin, want %d: %q", got, want, body)
		}
		if wrong := otherClock.FindString(body); wrong != "" {
			t.Fatalf("a time is not in UTC and whole seconds: %s", wrong)
		}
		back, above, err := Decode(body, k)
		if err != nil {
			t.Fatalf("Decode: %v\n%s", err, body)
		}
		if diff := cmp.Diff(whole(j), back); diff != "" {
			t.Fatalf("journal (-want +got):\n%s", diff)
		}
		if want := aboveBlock(top); want != above {
			t.Fatalf("top is %q, want %q", above, want)
		}
	})
}

// Text that is no UTF-8 cannot be kept, but what is written must hold.
func TestTextThatIsNoUTF8IsMended(t *testing.T) {
	t.Parallel()
	body := encode(t, "x\xff", Journal{PR: 7, Rev: 1, Told: []Told{{"a\xff\xfe--b", headA}}}, key)
	got, top, err := Decode(body, key)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	want := Journal{PR: 7, Rev: 1, Told: []Told{{"a\ufffd\ufffd--b", headA}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if want := "x\ufffd"; want != top {
		t.Errorf("top is %q, want %q", top, want)
	}
}

func TestGitHubMayChangeLineEnds(t *testing.T) {
	t.Parallel()
	body := encode(t, "one\n\ntwo", full(), nil)
	for name, back := range map[string]string{
		"as it was":                      body,
		"with CRLF":                      strings.ReplaceAll(body, "\n", "\r\n"),
		"with a newline at the end":      body + "\n",
		"with CRLF and one more newline": strings.ReplaceAll(body, "\n", "\r\n") + "\r\n",
		"with space in front":            "\n " + body,
	} {
		got, top, err := Decode(back, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(full(), got); diff != "" {
			t.Errorf("%s: journal (-want +got):\n%s", name, diff)
		}
		if want := "one\n\ntwo"; want != top {
			t.Errorf("%s: top is %q, want %q", name, top, want)
		}
		if !SameBody(body, back) {
			t.Errorf("%s: it counts as another body", name)
		}
	}
	for _, other := range []string{"", body[1:], body + "x", strings.Replace(body, "one\n\n", "one\n", 1)} {
		if SameBody(body, other) {
			t.Errorf("%q counts as the same body", other)
		}
	}
}

// resealed is body with old replaced by text, and a checksum that fits again.
func resealed(t *testing.T, body, old, text string) string {
	t.Helper()
	_, s, err := unseal(journalWord, journalMark, body)
	if err != nil {
		t.Fatalf("unseal: %v", err)
	}
	data := strings.Replace(string(s.data), old, text, 1)
	if data == string(s.data) {
		t.Fatalf("the journal has no %q", old)
	}
	return journalMark + data[:len(data)-1] + sumOpen + checksum([]byte(data), nil) + sumClose + markEnd
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	body := encode(t, "", full(), nil)
	reseal := func(old, text string) string { return resealed(t, body, old, text) }
	none := func(err error) string {
		if errors.Is(err, ErrNone) {
			return "none"
		}
		if corrupt, ok := errors.AsType[*CorruptError](err); ok {
			return corrupt.Why
		}
		return fmt.Sprintf("%T %v", err, err)
	}
	const (
		spelling = "it is not in the one spelling that prloop writes"
		kind     = "it is not JSON of the kind that prloop writes"
		number   = "it has a number that prloop never counts to"
	)
	for _, row := range []struct {
		name, body string
		key        []byte
		want       string
	}{
		{"an empty body has none", "", nil, "none"},
		{"a word about the journal is none", "prloop:journal:v1 {}", nil, "none"},
		{"the record's block is none", "<!-- prloop:record:v1 {} -->", nil, "none"},
		{"a note is none", effect.Comment{Topic: "converged", Head: headA}.Marker(), nil, "none"},
		{"a later version is not taken for none", strings.Replace(body, ":v1 ", ":v2 ", 1), nil, "it is of a version that this prloop does not read"},
		{"text stands below it", body + "\nthanks!", nil, "it does not end as prloop ends it"},
		{"its end is cut off", body[:len(body)-40], nil, "it does not end as prloop ends it"},
		{"it stands twice", body + "\n\n" + body, nil, "its checksum does not fit"},
		{"it stands within a line", "quoted: " + body, nil, "it does not stand on a line of its own"},
		{"a comment is open above it", "<!-- a\n\n" + body, nil, "it stands below text that prloop does not write"},
		{"it is too long", strings.Repeat("x", MaxBody) + "\n\n" + body, nil, "it is longer than 60000 bytes"},
		{"a member is not known", reseal(`"rev":4`, `"rev":4,"trust":true`), nil, kind},
		{"a member stands twice", reseal(`"rev":4`, `"rev":4,"rev":4`), nil, spelling},
		{"members changed places", reseal(`"pr":7,"rev":4`, `"rev":4,"pr":7`), nil, spelling},
		{"a name is spelled in capitals", reseal(`"rev":4`, `"Rev":4`), nil, spelling},
		{"there is space in it", reseal(`"rev":4`, `"rev": 4`), nil, spelling},
		{"a member that must be there is missing", reseal(`"asked":1,`, ``), nil, spelling},
		{"an empty list is written out", reseal(`"told":[{"topic":"feedback_open","head":"`+string(headA)+`"}]`, `"told":[]`), nil, spelling},
		{"a time is not in UTC", reseal(`"startedAt":"2026-11-30T12:00:00Z"`, `"startedAt":"2026-11-30T14:00:00+02:00"`), nil, spelling},
		{"a time has a fraction", reseal(`12:00:00Z`, `12:00:00.5Z`), nil, spelling},
		{"a letter is escaped without need", reseal(`"user-token"`, `"\u0075ser-token"`), nil, spelling},
		{"a number is text", reseal(`"rev":4`, `"rev":"4"`), nil, kind},
		{"something follows the object", reseal(`"nextWake":"2026-11-30T13:21:00Z"`, `"nextWake":"2026-11-30T13:21:00Z"} {"x":1`), nil, spelling},
		{"it names no pull request", reseal(`"pr":7`, `"pr":0`), nil, "it names no pull request"},
		{"it has no revision", reseal(`"rev":4`, `"rev":0`), nil, "it has no revision"},
		{"a count is below zero", reseal(`"asked":1`, `"asked":-1`), nil, number},
		{"a counter is below zero", reseal(`"fixIterations":1`, `"fixIterations":-1`), nil, number},
		{"a revision would overflow", reseal(`"rev":4`, `"rev":9223372036854775807`), nil, number},
		{"a number of tries would overflow", reseal(`"tries":2`, `"tries":1000000001`), nil, number},
		{"the checksum is another's", strings.Replace(body, `"rev":4`, `"rev":5`, 1), nil, "its checksum does not fit"},
		{"the checksum is gone", strings.Replace(body, `,"sum":"`, `,"mus":"`, 1), nil, "it has no checksum"},
		{"it is not signed, and there is a key", body, key, "it is not signed by the state-key"},
		{"it is signed, and there is no key", encode(t, "", full(), key), nil, "it is signed, and no state-key is given to check it"},
		{"it is signed with another key", encode(t, "", full(), []byte("another")), key, "its checksum does not fit"},
	} {
		got, top, err := Decode(row.body, row.key)
		if diff := cmp.Diff(row.want, none(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		if diff := cmp.Diff(Journal{}, got); diff != "" || top != "" {
			t.Errorf("%s: a journal beside an error, top %q:\n%s", row.name, top, diff)
		}
	}
}

func TestAnyChangeOfOneByteIsRefused(t *testing.T) {
	t.Parallel()
	for name, k := range map[string][]byte{"plain": nil, "signed": key} {
		body := encode(t, "", full(), k)
		for i := range len(body) {
			for _, b := range []byte{body[i] ^ 1, body[i] ^ 0x20, ' ', '\n', '0', '"', 0xff} {
				if b == body[i] {
					continue
				}
				changed := body[:i] + string([]byte{b}) + body[i+1:]
				if _, _, err := Decode(changed, k); err == nil {
					t.Errorf("%s: byte %d changed from %q to %q, and it is accepted", name, i, body[i], b)
				}
			}
			if _, _, err := Decode(body[:i]+body[i+1:], k); err == nil {
				t.Errorf("%s: byte %d left out, and it is accepted", name, i)
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		top  string
		j    Journal
		want string
	}{
		{"a journal that was never begun", "", Journal{PR: 7}, "the block does not hold: it has no revision"},
		{"a text that leaves no room", strings.Repeat("x", MaxBody-100), Journal{PR: 7, Rev: 1}, ErrTooLong.Error()},
		{"a time that no calendar has", "", Journal{PR: 7, Rev: 1, NextWake: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "spell the block: "},
	} {
		got, err := Encode(row.top, row.j, nil)
		if err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %q", row.name, err, row.want)
		}
		if got != "" {
			t.Errorf("%s: a body beside an error: %q", row.name, got)
		}
	}
}

// The text above is also made of names that strangers chose.
func TestTextAboveCannotSmuggleABlock(t *testing.T) {
	t.Parallel()
	forged := encode(t, "", full(func(j *Journal) { j.Asked, j.Rev = 0, 99 }), nil)
	for _, top := range []string{forged, "a finding\n" + forged + "\n", "<!--", "x <!-- prloop:journal:v1 ", "<!<!----"} {
		got, above, err := Decode(encode(t, top, full(), nil), nil)
		if err != nil {
			t.Errorf("%q: %v", top, err)
		}
		if diff := cmp.Diff(full(), got); diff != "" {
			t.Errorf("%q: journal (-want +got):\n%s", top, diff)
		}
		if want := plain(strings.ReplaceAll(top, "<!--", "&lt;!--")); want != above {
			t.Errorf("top is %q, want %q", above, want)
		}
	}
}

// Whatever Decode accepts, Encode writes back byte for byte, apart from the
// space around the two parts, which GitHub changes: there is one spelling of
// each journal, so that one written by hand cannot pass.
func FuzzDecode(f *testing.F) {
	for _, k := range []string{"", string(key)} {
		for _, top := range []string{"", "### Waiting\n\nfor Copilot"} {
			body, err := Encode(top, full(), []byte(k))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(body, k)
			f.Add(strings.ReplaceAll(body, "\n", "\r\n")+"\r\n", k)
			f.Add(strings.Replace(body, `"rev":4`, `"rev": 4`, 1), k)
			f.Add(strings.Replace(body, `"rev":4`, `"rev":5`, 1), k)
			f.Add(body+body, k)
		}
	}
	f.Add(golden, "")
	f.Add("<!-- prloop:journal:v1 {} -->", "")
	f.Fuzz(func(t *testing.T, body, k string) {
		j, top, err := Decode(body, []byte(k))
		if err != nil {
			if _, corrupt := errors.AsType[*CorruptError](err); !corrupt && !errors.Is(err, ErrNone) {
				t.Fatalf("unexpected kind of error %T: %v", err, err)
			}
			if diff := cmp.Diff(Journal{}, j); diff != "" || top != "" {
				t.Fatalf("a journal beside an error, top %q:\n%s", top, diff)
			}
			return
		}
		again, err := Encode(top, j, []byte(k))
		if err != nil {
			t.Fatalf("Decode accepted %q, Encode says %v", body, err)
		}
		if want, got := parts(body), parts(again); want != got {
			t.Fatalf("Decode accepted %q, Encode writes %q", want, got)
		}
		if !SameBody(again, encode(t, top, j, []byte(k))) {
			t.Fatal("two spellings of one journal")
		}
	})
}

// parts are the text and the block of a body, without the space around them.
func parts(body string) [2]string {
	top, block, _ := strings.Cut(plain(body), journalWord)
	return [2]string{plain(top), block}
}

// A journal as long as one gets before it is cut.
func BenchmarkDecodeEncode(b *testing.B) {
	body := encode(b, "### Waiting for Copilot", long(keepRows), key)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		j, top, err := Decode(body, key)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Encode(top, j, key); err != nil {
			b.Fatal(err)
		}
	}
}
