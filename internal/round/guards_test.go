package round

import (
	"testing"

	"pgregory.net/rapid"
)

// What prloop goes by is never more lenient than seed 003's own words, except
// for the kinds of convergence that say so of themselves.
func TestHardenedIsNeverTrueWhereLiteralIsFalse(t *testing.T) {
	reached := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacts(t)
		v := Converged(f)
		literal := Verify(f.step9())
		reached[v.Kind] = true
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
	for _, kind := range []string{"", Review, LowSignal, CapFallback} {
		if !reached[kind] {
			t.Errorf("no facts came to the kind %q", kind)
		}
	}
}

// step9 are the facts as seed 003 would see them: what is unknown counts as
// what holds convergence back.
func (f Facts) step9() Step9 {
	s := Step9{State: "OPEN", HeadOID: "head", CopilotPending: f.Pending != No, NoNewComments: f.ReviewClean == Yes, TriggeredOnce: true}
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
