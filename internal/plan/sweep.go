package plan

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// Due reports whether a sweep reads this pull request whole: it is in the loop
// (a journal, or the label), or something happened to it while it counts as
// fresh. updatedAt is never before an opening, a reopening or a push, so what
// it rules out is not fresh. What the listing could not show in full is due.
func Due(l pr.Listed, now time.Time) bool {
	switch {
	case slices.Contains(l.Labels, config.LabelSkip):
		return false
	case slices.Contains(l.Labels, config.LabelEnrol), len(l.Unknown) > 0:
		return true
	case journal.Find(l.Comments, l.Number, nil, nil).Comment.DatabaseID != 0:
		return true
	}
	return now.Sub(l.UpdatedAt) <= config.EnrolFor
}

// EndedFor is how far back a sweep looks for pull requests that ended: those that
// changed last within this time.
const EndedFor = 24 * time.Hour

// DueEnded are the pull requests among those that ended which a sweep steps: with
// a journal that has no final record, or that somebody did something to since it
// was written; and those that one of the others reverts. All of list that changed
// within EndedFor; what it could not show in full is due. key is what journals are
// signed with.
func DueEnded(list []pr.Listed, repo pr.Repo, key []byte, now time.Time) []int {
	over := map[int]bool{}
	var due []int
	for _, l := range list {
		if now.Sub(l.UpdatedAt) > EndedFor {
			continue
		}
		found := journal.Find(l.Comments, l.Number, key, nil)
		switch {
		case len(l.Unknown) > 0, found.Comment.DatabaseID == 0 && l.CommentCount > len(l.Comments):
		case found.Comment.DatabaseID == 0:
			continue // prloop was never here
		case finished(found.Journal) && !found.Comment.Locked && !l.UpdatedAt.After(found.Comment.UpdatedAt) && !commanded(l, found.Journal):
			over[l.Number] = true
			continue
		}
		due = append(due, l.Number)
	}
	for _, l := range list {
		m := revertBranch.FindStringSubmatch(l.HeadRef)
		if m == nil || now.Sub(l.UpdatedAt) > EndedFor || !strings.EqualFold(l.HeadRepo, repo.String()) {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil && n != l.Number && n <= math.MaxInt32 && !over[n] {
			due = append(due, n)
		}
	}
	slices.Sort(due)
	return slices.Compact(due)
}

// revertBranch is the branch that GitHub makes for a pull request that reverts
// another one.
var revertBranch = regexp.MustCompile(`^revert-([1-9][0-9]{0,9})-.`)

// commanded: a command stands there that nobody heard.
func commanded(l pr.Listed, j journal.Journal) bool {
	return slices.ContainsFunc(l.Comments, func(c pr.Comment) bool {
		said, ok := command.Of(&c)
		if !ok {
			return false
		}
		_, heard := j.Orders.HeardOf(said.ID, said.At)
		return !heard
	})
}

// finished: the loop is over, and no run that died, and no command, has left
// anything over.
func finished(j journal.Journal) bool {
	return j.Final != nil && len(j.Pending) == 0 && j.Lease == nil && (j.Watch == nil || j.Watch.Wanted.IsZero() && (j.Watch.Revert == 0 || j.Watch.Receipt != ""))
}
