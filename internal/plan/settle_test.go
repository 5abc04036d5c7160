package plan

import (
	"testing"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// With settle a head has converged at the second look that shows the same, and
// not by the same look twice.
func TestTwoLooksMustShowTheSame(t *testing.T) {
	settle := func(in *Input) { in.Settings.Settle = true }
	first := input(known, edit(reviewed), settle)
	got := Decide(first)
	if got.Code != Settling || got.Settling == nil || got.Proof != nil || got.Entered(first.Journal) {
		t.Fatalf("the first look: %s, noted %v, want %s", got.Code, got.Settling, Settling)
	}
	j := Settle(first.Journal, first, got, nil, first.Snapshot.At)
	noted := func(in *Input) { in.Journal = j }
	for _, tt := range []struct {
		name string
		edit func(*Input)
		want Code
		anew bool // another look is noted
	}{
		{"the same look", func(*Input) {}, Settling, false},
		{"a later one that shows the same", later2(time.Minute), Converged, false},
		{"a check more", edit(func(s *pr.Snapshot) {
			c := s.Checks[0]
			c.Name, s.At = "lint", s.At.Add(time.Minute)
			s.Checks = append(s.Checks, c)
		}), Settling, true},
		{"a thread that was resolved", edit(func(s *pr.Snapshot) {
			s.At = s.At.Add(time.Minute)
			threads(1)(&Input{Snapshot: s})
			s.Threads[0].Resolved = true
		}), Settling, true},
		{"a thread that is open", edit(func(s *pr.Snapshot) {
			s.At = s.At.Add(time.Minute)
			threads(1)(&Input{Snapshot: s})
		}), FeedbackOpen, false},
	} {
		got := Decide(input(known, edit(reviewed), settle, noted, tt.edit))
		if got.Code != tt.want || (got.Settling != nil) != tt.anew {
			t.Errorf("%s: %s (%s), noted %v; want %s, noted anew: %v", tt.name, got.Code, got.Why, got.Settling, tt.want, tt.anew)
		}
	}
}
