package round

import (
	"testing"

	"pgregory.net/rapid"
)

// What prloop goes by is never more lenient than seed 003's own words, except
// for the kinds of convergence that say so of themselves.
func TestHardenedIsNeverTrueWhereLiteralIsFalse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacts(t)
		v := Converged(f)
		literal := Verify(f.step9())
		if v.Kind == Review && !literal.Converged {
			t.Fatalf("converged, and seed 003 says no: %+v\n%+v", f, literal)
		}
		if v.Converged && literal.Guard == 4 && v.Kind == Review {
			t.Fatalf("converged without a review: %+v", f)
		}
		if literal.Hardened && !literal.Converged {
			t.Fatalf("%+v is hardened and not converged", literal)
		}
	})
	// The exceptions, which say of themselves what they are.
	for _, tt := range []struct {
		kind    string
		facts   Facts
		literal bool
	}{
		{Review, facts(), true},
		{DeclinesOnly, facts(func(f *Facts) { f.Found = true }), false},
		{Answered, facts(func(f *Facts) { f.Found, f.Left = true, true }), false},
		{BelowMin, facts(func(f *Facts) { f.Found, f.Below = true, true }), false},
		{LowSignal, facts(func(f *Facts) { f.Ended, f.ReviewedAtHead = LowSignal, No }), false},
		{CapFallback, facts(func(f *Facts) { f.Ended, f.ReviewedAtHead = CapFallback, No }), false},
	} {
		if v, out := Converged(tt.facts), Verify(tt.facts.step9()); v.Kind != tt.kind || out.Converged != tt.literal {
			t.Errorf("%s: the kind is %q, and literally converged is %v", tt.kind, v.Kind, out.Converged)
		}
	}
}

// step9 are the facts as seed 003 would see them: what is unknown counts as
// what holds convergence back.
func (f Facts) step9() Step9 {
	s := Step9{State: "OPEN", HeadOID: "head", CopilotPending: f.Pending != No, NoNewComments: f.ReviewClean == Yes && !f.Found, TriggeredOnce: true}
	if f.Open != Yes {
		s.State = "CLOSED"
	}
	if f.Reviewed == Yes {
		s.LatestCopilotReview = &LatestReview{CommitOID: "old", State: "COMMENTED"}
		if f.ReviewedAtHead == Yes {
			s.LatestCopilotReview.CommitOID = "head"
		}
	}
	if f.ThreadsAwaitUs != No {
		s.OpenThreadsAwaitingReply = 1
	}
	return s
}
