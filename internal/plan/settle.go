package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/round"
)

// sight is a digest of all that convergence is judged by, as this snapshot shows
// it: GitHub shows some of it later than the rest.
func (s *step) sight() string {
	snap := s.snap
	parts := []string{string(snap.Head), snap.Base.Name, string(snap.State), fmt.Sprint(snap.Draft), string(s.facts.Copilot.CopilotReviewRequestStatus)}
	for i := range snap.Reviews {
		r := &snap.Reviews[i]
		parts = append(parts, "review", r.ID, string(r.State), string(r.Commit), journal.Mark(r.Body))
	}
	for i := range snap.Threads {
		t := &snap.Threads[i]
		last := ""
		if n := len(t.Comments); n > 0 {
			last = t.Comments[n-1].ID + journal.Mark(t.Comments[n-1].Body)
		}
		parts = append(parts, "thread", t.ID, fmt.Sprint(t.Resolved), fmt.Sprint(len(t.Comments)), last)
	}
	for _, c := range s.facts.CI.Checks {
		parts = append(parts, "check", c.Name, c.State, c.Detail)
	}
	return journal.Mark(strings.Join(parts, "\n"))
}

// settled: an earlier snapshot, the one before this, showed the same (option
// settle). The answer is No until one is noted.
func (s *step) settled() round.Answer {
	if !s.in.Settings.Settle {
		return round.Unknown // it is not asked
	}
	noted := s.in.Journal.Settled
	return round.Of(true, noted != nil && s.snap.At.After(noted.At) && noted.Sight == s.sight())
}

// settles notes this snapshot, where another one like it is all that is missing,
// and waits for that.
func (s *step) settles() bool {
	missing := s.plan.Converged.Missing
	if !slices.Equal(missing, []string{"settle"}) && !slices.Equal(missing, []string{"settle", lastOf}) {
		return false
	}
	sight := s.sight()
	if noted := s.in.Journal.Settled; noted == nil || noted.Sight != sight {
		s.plan.Settling = &journal.Settled{Sight: sight, At: s.now}
	}
	s.plan.NextWake = s.now.Add(s.in.Settings.PollInterval)
	return s.decide(Settling, "%s looks converged, and a second look is to show the same", s.snap.Head.Short())
}
