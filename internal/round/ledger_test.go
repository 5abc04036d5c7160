package round

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/journal"
)

// found is a finding of a round: its key, a mark of its own, what became of it.
func found(key, mark, action string) journal.LedgerFinding {
	f := journal.LedgerFinding{Key: key, Mark: mark, Path: "parser.go", Action: action}
	if action != "" && action != actResolved {
		f.Handoff = 1
	}
	return f
}

// ledger has a round for each list of findings.
func ledger(rounds ...[]journal.LedgerFinding) journal.Ledger {
	var l journal.Ledger
	for i, list := range rounds {
		l.Rounds = append(l.Rounds, journal.LedgerRound{Round: i + 1, Head: "1f0c9a2", Findings: list})
	}
	return l
}

func list(f ...journal.LedgerFinding) []journal.LedgerFinding { return f }

func push(l journal.Ledger, round int, diff string) journal.Ledger {
	p, ok := Patch("parser.go", diff)
	if !ok {
		panic("no patch: " + diff)
	}
	return Pushed(l, round, []journal.LedgerPatch{p})
}

const (
	checks = "@@ -12,2 +12,4 @@\n \tdefer done()\n-\tf.Close()\n+\tif err := f.Close(); err != nil {\n+\t\treturn err\n+\t}"
	unmade = "@@ -90,4 +90,2 @@ func moved() {\n \tother()\n-\t\tif err := f.Close(); err != nil {\n-\t\t\treturn err\n-\t\t}\n+\t\tf.Close()"
)

func TestSigns(t *testing.T) {
	open := func(marks ...string) func(string) bool {
		return func(m string) bool { return slices.Contains(marks, m) }
	}
	taken := func(l journal.Ledger) journal.Ledger { return push(push(l, 1, checks), 2, unmade) }
	tests := []struct {
		name   string
		ledger journal.Ledger
		open   func(string) bool
		want   []Sign
	}{
		{
			"an edit that was made and taken back is asked for again",
			taken(ledger(list(found("a", "1", actFix)), list(found("b", "2", actFix)), list(found("a", "3", "")))),
			open("3"),
			[]Sign{{"O1", `round 2 undoes round 1 in "parser.go", and round 3 asks for it again`, []string{"3"}}},
		},
		{
			"nobody asks for it again",
			taken(ledger(list(found("a", "1", actFix)), list(found("b", "2", actFix)), list(found("c", "3", "")))),
			open("3"), nil,
		},
		{
			"somebody has dealt with it",
			taken(ledger(list(found("a", "1", actFix)), list(found("b", "2", actFix)), list(found("a", "3", actResolved)))),
			open(), nil,
		},
		{
			"a fix that did not work is asked for once more",
			push(ledger(list(found("a", "1", actFix)), list(found("a", "2", ""))), 1, checks),
			open("2"), nil,
		},
		{
			"a push makes the edit of two rounds ago again",
			push(taken(ledger(list(found("a", "1", actFix)), list(found("b", "2", actFix)), list(found("c", "3", "")))), 3, checks),
			open(),
			[]Sign{{"O2", `round 3 undoes round 2 in "parser.go", which undid round 1`, nil}},
		},
		{
			"a push makes an edit again that nobody saw taken back",
			push(push(ledger(list(found("a", "1", actFix)), list(found("c", "2", ""))), 1, checks), 2, checks),
			open(),
			[]Sign{{"O2", `round 2 makes in "parser.go" the same change as round 1`, nil}},
		},
		{
			"two findings take turns",
			ledger(list(found("a", "1", actResolved)), list(found("b", "2", actResolved)), list(found("a", "3", actResolved)), list(found("b", "4", ""))),
			open("4"),
			[]Sign{{"O3", `round 3 undoes round 2 in "parser.go", and round 4 asks for it again`, []string{"4"}}},
		},
		{
			"the push of this very round took it back",
			push(push(ledger(list(found("a", "1", actFix)), list(found("a", "2", ""))), 1, checks), 2, unmade),
			open("2"), nil,
		},
		{
			"findings of two files take no turns",
			func() journal.Ledger {
				l := ledger(list(found("a", "1", actResolved)), list(found("b", "2", actResolved)), list(found("a", "3", actResolved)), list(found("b", "4", "")))
				l.Rounds[0].Findings[0].Path, l.Rounds[2].Findings[0].Path = "lexer.go", "lexer.go"
				return l
			}(),
			open("4"), nil,
		},
		{
			"two findings come back one after the other, and not in turns",
			ledger(list(found("b", "1", actResolved)), list(found("a", "2", actResolved)), nil, list(found("a", "4", actResolved)), list(found("b", "5", ""))),
			open("5"), nil,
		},
		{
			"a finding that the round before raised too has not come back",
			ledger(list(found("a", "1", actResolved)), list(found("b", "2", actResolved)), list(found("a", "3", actResolved)), list(found("b", "4", actResolved)), list(found("b", "5", ""))),
			open("5"), nil,
		},
		{
			"three rounds are no turns yet",
			ledger(list(found("a", "1", actResolved)), list(found("b", "2", actResolved)), list(found("a", "3", ""))),
			open("3"), nil,
		},
		{
			"what was declined comes back by itself",
			ledger(list(found("a", "1", actDecline)), list(found("b", "2", actDecline)), list(found("a", "3", actDecline)), list(found("b", "4", ""))),
			open("4"), nil,
		},
		{
			"two findings that are raised side by side take no turns",
			ledger(list(found("a", "1", actFix), found("b", "2", actFix)), list(found("c", "3", actFix)), list(found("a", "4", ""), found("b", "5", ""))),
			open("4", "5"), nil,
		},
		{
			"a declined finding is raised for the third time",
			ledger(list(found("a", "1", actDecline)), list(found("a", "2", actDecline)), list(found("a", "3", ""))),
			open("3"),
			[]Sign{{"O4", `round 3 raises in "parser.go" what rounds 1 and 2 raised, and reports answered it both times`, []string{"3"}}},
		},
		{
			"one that was fixed twice too",
			ledger(list(found("a", "1", actFix)), list(found("a", "2", actFix)), list(found("a", "3", ""))),
			open("3"),
			[]Sign{{"O4", `round 3 raises in "parser.go" what rounds 1 and 2 raised, and reports answered it both times`, []string{"3"}}},
		},
		{
			"twice in one round is one raise",
			ledger(list(found("a", "1", actDecline), found("a", "2", actDecline)), list(found("a", "3", ""))),
			open("3"), nil,
		},
		{
			"a third raise of what nobody answered is none",
			ledger(list(found("a", "1", "")), list(found("a", "2", "partial")), list(found("a", "3", ""))),
			open("3"), nil,
		},
		{"nothing happened yet", journal.Ledger{}, open("1"), nil},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		got := Signs(tt.ledger, tt.open)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
		for _, s := range got {
			seen[s.ID] = true
		}
	}
	for _, row := range signs {
		if !seen[row.id] {
			t.Errorf("no ledger shows %s: %s", row.id, row.says)
		}
	}
}

// A loop that goes to and fro is seen by its fourth round, however long it would
// have gone on and wherever its lines moved.
func TestALoopThatGoesToAndFroStopsByItsFourthRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reports := rapid.Bool().Draw(t, "reports")
		action := actResolved
		if reports {
			action = actFix
		}
		var l journal.Ledger
		for n := 1; n <= 12; n++ {
			mark := fmt.Sprint(n)
			key := []string{"b", "a"}[n%2]
			others := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 2).Draw(t, "others")
			round := journal.LedgerRound{Round: n, Findings: list(found(key, mark, ""))}
			for i, o := range others {
				f := found(o+mark, fmt.Sprint(mark, "-", i), action)
				f.Path = o + ".go"
				round.Findings = append(round.Findings, f)
			}
			l = Enter(l, []journal.LedgerRound{round}, nil)
			signs := Signs(l, func(m string) bool { return m == mark })
			if len(signs) > 0 {
				if n < 3 || !strings.Contains(signs[0].Says, `undoes round`) || !strings.Contains(signs[0].Says, `"parser.go"`) {
					t.Fatalf("round %d: %+v", n, signs)
				}
				return
			}
			if n == 4 {
				t.Fatalf("four rounds went to and fro: %+v", l)
			}
			l.Rounds[len(l.Rounds)-1].Findings[0].Action = action
			if reports {
				l = push(l, n, []string{unmade, checks}[n%2])
			}
		}
	})
}

// What is entered twice changes nothing, what is there stays, and a report's word
// outlasts the thread that only shows as resolved.
func TestEnter(t *testing.T) {
	raised := []journal.LedgerRound{
		{Round: 1, Head: "1f0c9a2", Findings: list(found("a", "1", actResolved), found("b", "2", ""))},
		{Round: 2, Head: "2b7d01c", Findings: list(found("b", "2", ""))}, // without a thread: the same mark
	}
	said := []journal.Answer{{Finding: "1", Action: actDecline, Head: "2b7d01c", Number: 3}}
	first := Enter(journal.Ledger{}, raised[:1], append(said, journal.Answer{Finding: "2", Action: "partial", Head: "2b7d01c", Number: 3}))
	want := ledger(list(found("a", "1", actDecline), found("b", "2", "partial")))
	want.Rounds[0].Findings[0].Handoff, want.Rounds[0].Findings[1].Handoff = 3, 3
	if diff := cmp.Diff(want, first); diff != "" {
		t.Fatalf("first (-want +got):\n%s", diff)
	}
	second := Enter(first, raised, append(said, journal.Answer{Finding: "2", Action: "partial", Head: "2b7d01c", Number: 3}))
	want.Rounds = append(want.Rounds, raised[1])
	if diff := cmp.Diff(want, second); diff != "" {
		t.Errorf("the answer to round 1 is not one to round 2 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(second, Enter(second, raised, said)); diff != "" {
		t.Errorf("entered again (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(second, Enter(second, nil, nil)); diff != "" {
		t.Errorf("what GitHub no longer shows is lost (-before +after):\n%s", diff)
	}
	reopened := Enter(ledger(list(found("a", "1", actResolved))), []journal.LedgerRound{{Round: 1, Head: "1f0c9a2", Findings: list(found("a", "1", ""))}}, nil)
	if diff := cmp.Diff(ledger(list(found("a", "1", ""))), reopened); diff != "" {
		t.Errorf("a thread that was opened again (-want +got):\n%s", diff)
	}
	folded := journal.Ledger{Folded: journal.LedgerTotals{Rounds: 1}}
	if got := Enter(folded, raised, nil); len(got.Rounds) != 1 || got.Rounds[0].Round != 2 {
		t.Errorf("a round that was folded comes back: %+v", got)
	}
}

// A patch is known again wherever its lines are, and backwards.
func TestPatch(t *testing.T) {
	there, _ := Patch("a.go", checks)
	moved, _ := Patch("a.go", strings.ReplaceAll(checks, "-12,2 +12,4", "-400,2 +410,4"))
	back, _ := Patch("a.go", unmade)
	if there != moved || there.Back != back.ID || there.ID != back.Back || there.ID == there.Back {
		t.Errorf("there %+v, moved %+v, back %+v", there, moved, back)
	}
	if other, _ := Patch("b.go", checks); other.ID == there.ID {
		t.Error("the same change in another file is the same patch")
	}
	if other, _ := Patch("a.go", strings.ReplaceAll(checks, "return err", "return nil")); other.ID == there.ID {
		t.Error("another change is the same patch")
	}
	for _, diff := range []string{"", "@@ -1 +1 @@\n same", "@@ -1 +1 @@\n-\n+  \n"} {
		if p, ok := Patch("a.go", diff); ok {
			t.Errorf("%q is the patch %+v", diff, p)
		}
	}
}

func TestGrown(t *testing.T) {
	first := ledger(list(found("a", "1", "")))
	tests := []struct {
		name        string
		scope, then int
		want        string
	}{
		{"three files are fourteen", 3, 14, "The pull request has grown out of its scope: files changed at its first review: 3, and now: 14"},
		{"one file is six", 1, 6, "The pull request has grown out of its scope: files changed at its first review: 1, and now: 6"},
		{"one file is five: a fix and its tests", 1, 5, ""},
		{"forty files are sixty", 40, 60, ""},
		{"nobody knows where it began", 0, 60, ""},
	}
	for _, tt := range tests {
		l := Scoped(first, tt.scope)
		l.Rounds = append(slices.Clone(l.Rounds), journal.LedgerRound{Round: 2})
		got, ok := Grown(Scoped(l, tt.then), tt.then)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDeclined(t *testing.T) {
	l := ledger(list(found("a", "1", actDecline), found("b", "2", actFix)), list(found("a", "3", ""), found("b", "4", "")))
	first, n, ok := Declined(l, "3")
	if !ok || n != 1 || first.Mark != "1" {
		t.Errorf("%+v of round %d, %v", first, n, ok)
	}
	same := ledger(list(found("a", "1", actDecline)), list(found("a", "1", "")))
	if f, n, ok := Declined(same, "1"); !ok || n != 1 || f.Action != actDecline {
		t.Errorf("a finding without a thread, which has one mark in each round, is not known again: %+v of round %d, %v", f, n, ok)
	}
	for _, mark := range []string{"1", "2", "4", "9"} {
		if f, _, ok := Declined(l, mark); ok {
			t.Errorf("%s was declined before, as %+v", mark, f)
		}
	}
}
