package plan

import (
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/pr"
)

// stacked puts it on the branch of pull request 6.
func stacked(state pr.State) func(*Input) {
	return edit(func(s *pr.Snapshot) {
		s.Base.Name = "topic"
		s.Parents = []pr.Linked{{Number: 6, State: state, Head: headB}}
	})
}

// A stacked pull request goes round the loop, and does not get past the merge
// before its parent (design 3).
func TestStacked(t *testing.T) {
	park := func(in *Input) { in.Settings.Select.Stacked = config.StackedPark }
	into := func(base string) func(*Input) { return edit(func(s *pr.Snapshot) { s.Base.Name = base }) }
	reopened := edit(func(s *pr.Snapshot) {
		s.Parents = []pr.Linked{{Number: 8, State: pr.Closed}, {Number: 6, State: pr.Open}}
	})
	tests := []struct {
		why  string
		in   Input
		want Code
	}{
		{"the loop runs", input(stacked(pr.Open)), ReviewRequested},
		{"converged, it waits for its parent", input(stacked(pr.Open), edit(reviewed)), WaitingForParent},
		{"an open parent counts before a newer one that was given up", input(stacked(pr.Open), edit(reviewed), reopened), WaitingForParent},
		{"a parent that was closed is a person's to judge", input(stacked(pr.Closed), edit(reviewed)), ParentOver},
		{"into the branch of a parent that is merged nothing is merged", input(stacked(pr.Merged), edit(reviewed)), ParentOver},
		{"an unknown parent is not none", input(stacked(pr.Open), edit(reviewed), unknown(pr.FactParents, "")), FactUnknown},
		{"nobody asks of a base that is a trunk", input(edit(reviewed), unknown(pr.FactParents, "")), Converged},
		{"a trunk that is released by a pull request is no stack", input(stacked(pr.Open), into("main"), edit(reviewed)), Converged},
		{"the default branch is none either", input(stacked(pr.Open), into("trunk"), edit(func(s *pr.Snapshot) { s.Repo.DefaultBranch = "trunk" }), edit(reviewed)), Converged},
		{"parked, all of it waits", input(stacked(pr.Open), park), WaitingForParent},
		{"parked, it goes on once its parent has landed", input(stacked(pr.Merged), park), ReviewRequested},
		{"parked, it does not go on by the end of its parent", input(stacked(pr.Closed), park), ParentOver},
		{"parked, an unknown parent is not none", input(stacked(pr.Open), park, unknown(pr.FactParents, "")), FactUnknown},
		{"not stacked, nothing is parked", input(park), ReviewRequested},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if p := Decide(tt.in); p.Code != tt.want {
				t.Errorf("Decide = %s by %s (%s), want %s", p.Code, p.Row, p.Why, tt.want)
			}
		})
	}
}
