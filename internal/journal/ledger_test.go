package journal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// However many rounds there were and whatever strangers named their files, the
// journal fits, the newest rounds are whole, and nothing that was counted is
// lost.
func TestALongLedgerFoldsIntoTotals(t *testing.T) {
	var l Ledger
	raised := 0
	for n := 1; n <= 200; n++ {
		r := LedgerRound{Round: n, Head: headA}
		for i := range 8 {
			r.Findings = append(r.Findings, LedgerFinding{
				Key: "0a1b2c3d4e5f", Mark: fmt.Sprintf("%08x", n*100+i), Path: LedgerPath(strings.Repeat("\u202e<", 60)), Action: []string{"fix", "decline"}[i%2], Handoff: n,
			})
			r.Patches = append(r.Patches, LedgerPatch{LedgerPath(strings.Repeat("&", 200)), "0a1b2c3d4e5f", "5f4e3d2c1b0a"})
			raised++
		}
		l.Rounds = append(l.Rounds, r)
	}
	rows := 0
	for _, r := range Compact(Journal{Ledger: l}).Ledger.Rounds {
		rows += len(r.Findings) + len(r.Patches)
	}
	if rows == 0 || rows > keepRows*ledgerRows {
		t.Errorf("%d findings and patches are kept", rows)
	}
	body, err := Encode(strings.Repeat("x", 5000), full(func(j *Journal) { j.Ledger = l }), nil)
	if err != nil || len(body) > MaxBody {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	j, _, err := Decode(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := j.Ledger
	if n := len(got.Rounds); n == 0 || got.Rounds[n-1].Round != 200 || got.Folded.Rounds != 200-n {
		t.Fatalf("%d rounds are kept, up to %d are folded", n, got.Folded.Rounds)
	}
	kept := 0
	for _, r := range got.Rounds {
		if len(r.Findings) != 8 || len(r.Patches) != 8 {
			t.Errorf("round %d is not whole", r.Round)
		}
		kept += len(r.Findings)
	}
	want := LedgerTotals{Rounds: 200 - len(got.Rounds), Raised: raised - kept, Fixed: (raised - kept) / 2, Declined: (raised - kept) / 2}
	if diff := cmp.Diff(want, got.Folded); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(j, Compact(j)); diff != "" {
		t.Errorf("folded again (-first +second):\n%s", diff)
	}
}
