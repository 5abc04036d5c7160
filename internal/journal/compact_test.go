package journal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
)

func TestCompactKeepsTheNewestRows(t *testing.T) {
	t.Parallel()
	all := long(keepRows + 30)
	want := all
	want.Heads, want.Requests, want.Handoffs, want.Waits = all.Heads[30:], all.Requests[30:], all.Handoffs[30:], all.Waits[30:]
	want.Refused, want.Answers = all.Refused[30:], all.Answers[30:]
	want.Told, want.Pending, want.Done, want.QuotaUntil = all.Told[30:], all.Pending[30:], all.Done[30:], all.QuotaUntil[30:]
	if diff := cmp.Diff(want, Compact(all)); diff != "" {
		t.Errorf("compact (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(long(keepRows), Compact(long(keepRows))); diff != "" {
		t.Errorf("a journal within its bound is cut (-want +got):\n%s", diff)
	}
}

func TestCompactFoldsRowsIntoTheTotals(t *testing.T) {
	t.Parallel()
	j := Journal{
		PR: 7, Rev: 1, Asked: 1, HandedOver: 1,
		Requests: []Request{{Head: headA, Result: effect.Landed}, {Head: headB, Result: effect.Forbidden}, {Head: headC, Result: effect.InFlight}},
		Handoffs: []Handoff{{Number: 4, Head: headA}, {Number: 3, Head: headB}},
	}
	got := compact(j, 1)
	want := Journal{
		PR: 7, Rev: 1, Asked: 2, HandedOver: 4,
		Requests: []Request{{Head: headC, Result: effect.InFlight}},
		Handoffs: []Handoff{{Number: 3, Head: headB}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("compact (-want +got):\n%s", diff)
	}
}

func TestCompactLowersNoCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		j := made[Journal](valid()).Draw(t, "journal")
		keep := rapid.IntRange(0, 4).Draw(t, "keep")
		got := compact(j, keep)
		if got.Counters != j.Counters || got.Asked < asked(j) || got.HandedOver < handedOver(j) || got.Rev != j.Rev {
			t.Fatalf("a count fell:\n%s", cmp.Diff(j, got))
		}
		if diff := cmp.Diff(got, compact(got, keep)); diff != "" {
			t.Fatalf("cutting again changes something:\n%s", diff)
		}
	})
}

// However many rows there are, a body is never longer than its bound, and it
// reads back with every count.
func TestEncodeCutsUntilItFits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{keepRows, 300, 2_000} {
		body := encode(t, "### Waiting for Copilot", long(n), nil)
		if len(body) > MaxBody {
			t.Errorf("%d rows: the body has %d bytes, more than %d", n, len(body), MaxBody)
		}
		got, _, err := Decode(body, nil)
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		if want := long(n); got.Asked != want.Asked || got.HandedOver != want.HandedOver {
			t.Errorf("%d rows: asked %d and handed over %d, want both %d", n, got.Asked, got.HandedOver, n)
		}
		last := long(n).Requests[n-1]
		if diff := cmp.Diff(last, got.Requests[len(got.Requests)-1]); diff != "" {
			t.Errorf("%d rows: the newest request (-want +got):\n%s", n, diff)
		}
	}
	// What fits is not cut, even where it is longer than Compact would keep it:
	// what is read is written back.
	body := encode(t, "", long(keepRows+5), nil)
	got, _, err := Decode(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(long(keepRows+5), got); diff != "" {
		t.Errorf("a journal that fits (-want +got):\n%s", diff)
	}
}

// A long text above leaves less room; the journal gives way, not the text.
func TestEncodeCutsForTheTextAbove(t *testing.T) {
	t.Parallel()
	const line = "A finding that people should read.\n"
	top := strings.Repeat(line, (MaxBody-2_000)/len(line))
	body := encode(t, top, long(keepRows), nil)
	got, above, err := Decode(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := plain(top); want != above {
		t.Error("the text above was changed")
	}
	if want := []Sight{{"0000031" + headA[7:], at(keepRows - 1)}}; cmp.Diff(want, got.Heads) != "" {
		t.Errorf("heads (-want +got):\n%s", cmp.Diff(want, got.Heads))
	}
}
