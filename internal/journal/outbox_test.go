package journal

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
)

func TestOutbox(t *testing.T) {
	t.Parallel()
	lease := Lease{Reaction: 900, Run: 77, Attempt: 1}
	j := Begin(Journal{PR: 7}, lease, []effect.Key{"ready@1f0c9a2", "hide:x", "ready@1f0c9a2"}, at(1))
	want := Journal{
		PR: 7, Rev: 1, StartedAt: at(1),
		Lease:   &Lease{Reaction: 900, Run: 77, Attempt: 1, Until: at(11)},
		Pending: []Entry{{"ready@1f0c9a2", at(1), ""}, {"hide:x", at(1), ""}},
	}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("the intent (-want +got):\n%s", diff)
	}

	// The run dies; the next one begins with the same wish and another.
	lease = Lease{Reaction: 901, Run: 78, Attempt: 1, Until: at(22)}
	j = Begin(j, lease, []effect.Key{"hide:x", "status:9c56cc5"}, at(12))
	want.Rev, want.Lease = 2, &lease
	want.Pending = append(want.Pending, Entry{"status:9c56cc5", at(12), ""})
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("the intent after a crash (-want +got):\n%s", diff)
	}

	j = Finish(j, []effect.Key{"hide:x"}, []effect.Key{"ready@1f0c9a2"}, at(13))
	want.Rev, want.Lease = 3, nil
	want.Pending, want.Done = []Entry{{"status:9c56cc5", at(12), ""}}, []Entry{{"hide:x", at(13), ""}}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("done, dropped, and one that stays pending (-want +got):\n%s", diff)
	}

	j = Begin(j, lease, []effect.Key{"hide:x"}, at(14))
	want.Rev, want.Lease = 4, &lease
	want.Pending, want.Done = []Entry{{"status:9c56cc5", at(12), ""}, {"hide:x", at(14), ""}}, nil
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("begun again after it was done (-want +got):\n%s", diff)
	}

	j = Finish(j, []effect.Key{"hide:x", "status:9c56cc5", "hide:x"}, nil, at(15))
	want.Rev, want.Lease, want.Pending = 5, nil, nil
	want.Done = []Entry{{"status:9c56cc5", at(15), ""}, {"hide:x", at(15), ""}}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("all done (-want +got):\n%s", diff)
	}
}

func TestLeaseHoldsTenMinutes(t *testing.T) {
	t.Parallel()
	if want := 10 * time.Minute; want != LeaseTime {
		t.Errorf("LeaseTime is %v, want %v (design 3, Ownership)", LeaseTime, want)
	}
}

// A journal stays within its rows however long a pull request lives.
func TestOutboxStaysBounded(t *testing.T) {
	t.Parallel()
	j := Journal{PR: 7}
	for i := range 4 * keepRows {
		key := effect.Key(fmt.Sprintf("hide:%d", i))
		j = Finish(Begin(j, Lease{}, []effect.Key{key}, at(i)), []effect.Key{key}, nil, at(i))
	}
	want := []int{8 * keepRows, 0, keepRows}
	if diff := cmp.Diff(want, []int{j.Rev, len(j.Pending), len(j.Done)}); diff != "" {
		t.Errorf("revision, pending, done (-want +got):\n%s", diff)
	}
	if want := effect.Key("hide:199"); want != j.Done[keepRows-1].Key {
		t.Errorf("the newest done effect is %s, want %s", j.Done[keepRows-1].Key, want)
	}
}

func TestSaw(t *testing.T) {
	t.Parallel()
	j := Saw(Saw(Saw(Journal{}, headA, at(1)), headB, at(2)), headA, at(3))
	if diff := cmp.Diff(Journal{Heads: []Sight{{headA, at(1)}, {headB, at(2)}}}, j); diff != "" {
		t.Errorf("heads (-want +got):\n%s", diff)
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	ci := Wait{"ci", headA, at(1), at(361), "ci_timeout", ""}
	review := Wait{"copilot_review", headA, at(2), at(52), "review_timeout", ""}
	j := SetWait(SetWait(Journal{}, ci), review)
	if diff := cmp.Diff([]Wait{ci, review}, j.Waits); diff != "" {
		t.Errorf("two waits (-want +got):\n%s", diff)
	}

	// Entered again, a wait goes on from where it began.
	j = SetWait(j, Wait{"ci", headA, at(9), at(99), "no_checks", ""})
	if diff := cmp.Diff([]Wait{review, {"ci", headA, at(1), at(99), "no_checks", ""}}, j.Waits); diff != "" {
		t.Errorf("the same wait again (-want +got):\n%s", diff)
	}
	// A beginning that was found to be earlier counts.
	j = SetWait(j, Wait{"ci", headA, at(0), at(99), "no_checks", ""})
	if diff := cmp.Diff([]Wait{review, {"ci", headA, at(0), at(99), "no_checks", ""}}, j.Waits); diff != "" {
		t.Errorf("an earlier beginning (-want +got):\n%s", diff)
	}
	// The head moved: the wait begins anew, and the one for the old head is over.
	moved := Wait{"copilot_review", headB, at(40), at(90), "review_timeout", ""}
	j = SetWait(j, moved)
	if diff := cmp.Diff([]Wait{{"ci", headA, at(0), at(99), "no_checks", ""}, moved}, j.Waits); diff != "" {
		t.Errorf("the head moved (-want +got):\n%s", diff)
	}
	j = ClearWait(ClearWait(j, "ci"), "ci")
	if diff := cmp.Diff([]Wait{moved}, j.Waits); diff != "" {
		t.Errorf("one is over (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Journal{}, ClearWait(j, "copilot_review")); diff != "" {
		t.Errorf("all are over (-want +got):\n%s", diff)
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	ask := func(head pr.SHA, minute, try int, result effect.RequestResult) Request {
		return Request{Reviewer: pr.CopilotReviewer, Head: head, At: at(minute), Result: result, Tries: try}
	}
	for _, row := range []struct {
		name  string
		asked []Request
		want  Journal
	}{
		{
			"a request that landed counts",
			[]Request{ask(headA, 1, 1, effect.Landed)},
			Journal{Asked: 1, Requests: []Request{ask(headA, 1, 1, effect.Landed)}},
		},
		{
			"without a number of tries it is the first",
			[]Request{ask(headA, 1, 0, effect.Landed)},
			Journal{Asked: 1, Requests: []Request{ask(headA, 1, 1, effect.Landed)}},
		},
		{
			"the same try, seen again after a crash, counts once",
			[]Request{ask(headA, 1, 1, effect.Landed), ask(headA, 12, 1, effect.InFlight)},
			Journal{Asked: 1, Requests: []Request{ask(headA, 12, 1, effect.InFlight)}},
		},
		{
			"a try that GitHub dropped counts once it shows",
			[]Request{ask(headA, 1, 1, effect.Dropped), ask(headA, 12, 1, effect.ReviewedAtHead)},
			Journal{Asked: 1, Requests: []Request{ask(headA, 12, 1, effect.ReviewedAtHead)}},
		},
		{
			"a second try after an error notice is bought too",
			[]Request{ask(headA, 1, 1, effect.Landed), ask(headA, 12, 0, effect.Landed)},
			Journal{Asked: 2, Requests: []Request{ask(headA, 12, 2, effect.Landed)}},
		},
		{
			"what GitHub refused or dropped counts nothing, and its tries do",
			[]Request{
				ask(headA, 1, 1, effect.Dropped), ask(headA, 2, 2, effect.Forbidden), ask(headA, 3, 3, effect.NotAvailable),
				ask(headA, 4, 4, effect.Quota), ask(headA, 5, 5, effect.Flagged), ask(headA, 6, 6, effect.Errored),
			},
			Journal{Asked: 0, Requests: []Request{ask(headA, 6, 6, effect.Errored)}},
		},
		{
			"an old try that comes in late lowers nothing",
			[]Request{ask(headA, 1, 3, effect.Landed), ask(headA, 2, 1, effect.Landed)},
			Journal{Asked: 1, Requests: []Request{ask(headA, 2, 3, effect.Landed)}},
		},
		{
			"each head has its row",
			[]Request{ask(headA, 1, 1, effect.Landed), ask(headB, 2, 1, effect.Landed)},
			Journal{Asked: 2, Requests: []Request{ask(headA, 1, 1, effect.Landed), ask(headB, 2, 1, effect.Landed)}},
		},
	} {
		var got Journal
		for _, r := range row.asked {
			got = Asked(got, r)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	j := Tell(Tell(Tell(Journal{}, Told{"converged", headA}), Told{"converged", "1f0c9a2"}), Told{"converged", headB})
	if diff := cmp.Diff(Journal{Told: []Told{{"converged", headA}, {"converged", headB}}}, j); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestHandOff(t *testing.T) {
	t.Parallel()
	j := HandOff(Journal{HandedOver: 4}, Handoff{Head: headA, Findings: "0a", At: at(1)})
	j = HandOff(j, Handoff{Number: 6, Head: headB, Findings: "0b", At: at(2)})
	j = HandOff(j, Handoff{Number: 6, Head: headB, Findings: "0b", At: at(3)}) // a run that does it again
	want := Journal{HandedOver: 6, Handoffs: []Handoff{{Number: 5, Head: headA, Findings: "0a", At: at(1)}, {Number: 6, Head: headB, Findings: "0b", At: at(2)}}}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("hand-overs (-want +got):\n%s", diff)
	}
	j = HandOff(j, Handoff{Number: 6, Head: headB, Findings: "0c", At: at(4)})
	if want := 7; want != j.HandedOver {
		t.Errorf("other work under an old number: %d hand-overs, want %d", j.HandedOver, want)
	}
}

func TestSetQuota(t *testing.T) {
	t.Parallel()
	j := SetQuota(SetQuota(SetQuota(Journal{}, Quota{"hubot", at(2)}), Quota{"copilot", at(9)}), Quota{"hubot", at(1)})
	if diff := cmp.Diff(Journal{QuotaUntil: []Quota{{"copilot", at(9)}, {"hubot", at(2)}}}, j); diff != "" {
		t.Errorf("quotas (-want +got):\n%s", diff)
	}
}

// No transition writes into the journal that it was given: that one was
// decided on, and is decided on again if the write does not come about.
func TestTransitionsLeaveWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	moves := map[string]func(Journal) Journal{
		"Begin":     func(j Journal) Journal { return Begin(j, Lease{Run: 9}, []effect.Key{"copilot", "hide:x"}, at(9)) },
		"Finish":    func(j Journal) Journal { return Finish(j, []effect.Key{"copilot"}, []effect.Key{""}, at(9)) },
		"Saw":       func(j Journal) Journal { return Saw(j, headC, at(9)) },
		"SetWait":   func(j Journal) Journal { return SetWait(j, Wait{What: "copilot", Head: headA}) },
		"ClearWait": func(j Journal) Journal { return ClearWait(j, "copilot") },
		"Asked":     func(j Journal) Journal { return Asked(j, Request{Reviewer: "copilot", Head: headA}) },
		"Tell":      func(j Journal) Journal { return Tell(j, Told{"copilot", headC}) },
		"HandOff":   func(j Journal) Journal { return HandOff(j, Handoff{Head: headC}) },
		"SetQuota":  func(j Journal) Journal { return SetQuota(j, Quota{"copilot", at(9)}) },
		"Compact":   func(j Journal) Journal { return compact(j, 1) },
		"Fold":      func(j Journal) Journal { return Fold(j, full()) },
		"Encode": func(j Journal) Journal {
			_, err := Encode("", j, nil)
			return Journal{Status: fmt.Sprint(err)}
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		j := made[Journal](few).Draw(t, "journal")
		// The lists have room behind them, as a list that was appended to has.
		j.Heads, j.Requests, j.Handoffs, j.Waits = roomy(j.Heads), roomy(j.Requests), roomy(j.Handoffs), roomy(j.Waits)
		j.Told, j.Pending, j.Done, j.QuotaUntil = roomy(j.Told), roomy(j.Pending), roomy(j.Done), roomy(j.QuotaUntil)
		before := behind(j)
		for name, move := range moves {
			move(j)
			if after := behind(j); before != after {
				t.Fatalf("%s changed the journal that it was given (-want +got):\n%s", name, cmp.Diff(before, after))
			}
		}
	})
}

func roomy[T any](list []T) []T { return append(make([]T, 0, len(list)+4), list...) }

// behind writes j down with what stands in the room behind its lists.
func behind(j Journal) string {
	j.Heads, j.Requests, j.Handoffs, j.Waits = stretch(j.Heads), stretch(j.Requests), stretch(j.Handoffs), stretch(j.Waits)
	j.Told, j.Pending, j.Done, j.QuotaUntil = stretch(j.Told), stretch(j.Pending), stretch(j.Done), stretch(j.QuotaUntil)
	data, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func stretch[T any](list []T) []T { return list[:cap(list)] }
