package round

import (
	"testing"

	"pgregory.net/rapid"
)

// The literal form is seed 003's sentence, said over what is known: an unknown fact
// holds for nobody. Guard 4 counts once a review was asked for.
func TestTheLiteralForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacts(t)
		answer := rapid.SampledFrom([]Answer{Yes, Yes, No, Unknown})
		f.Literal, f.Single, f.Ended = true, rapid.IntRange(0, 3).Draw(t, "single") == 0, ""
		f.Reviewed, f.Pending = answer.Draw(t, "reviewed"), rapid.SampledFrom([]Answer{No, No, Yes, Unknown}).Draw(t, "pending")
		f.NothingNew, f.Triggered, f.AnyAwaits = answer.Draw(t, "nothing new"), answer.Draw(t, "triggered"), rapid.SampledFrom([]Answer{No, No, Yes, Unknown}).Draw(t, "awaits")
		f.Settle, f.Pass, f.SeveralClean = false, false, false
		sentence := f.Open == Yes && f.AnyAwaits == No &&
			(f.Single || f.Reviewed == No && f.Pending == No && f.Triggered == Yes ||
				(f.Reviewed != No || f.Pending != No) && f.ReviewedAtHead == Yes && f.NothingNew == Yes)
		v := Converged(f)
		if v.Converged != sentence || v.Converged != (len(v.Missing) == 0) || v.Converged == (v.Kind == "") {
			t.Fatalf("%+v is %+v, and the sentence says %v", f, v, sentence)
		}
		f.Settle, f.Settled = true, No
		if v := Converged(f); v.Converged || v.Missing[len(v.Missing)-1] != "settle" {
			t.Fatalf("an option counts in either form: %+v", v)
		}
	})
	literal := func(edits ...func(*Facts)) Facts {
		return facts(append(edits, func(f *Facts) {
			f.Literal, f.Settle, f.Pass, f.SeveralClean = true, false, false, false
		})...)
	}
	met := func(f *Facts) { f.NothingNew, f.AnyAwaits = Yes, No }
	for kind, f := range map[string]Facts{
		Review:        literal(met),
		DeclinesOnly:  literal(met, func(f *Facts) { f.Found = true }),
		BelowMin:      literal(met, func(f *Facts) { f.Below = true }),
		Single:        literal(met, func(f *Facts) { f.Single = true }),
		NeverReviewed: literal(met, func(f *Facts) { f.Reviewed, f.Triggered = No, Yes }),
		"":            literal(met, func(f *Facts) { f.NothingNew = No }),
	} {
		if v := Converged(f); v.Kind != kind {
			t.Errorf("want the kind %q, got %+v", kind, v)
		}
	}
}
