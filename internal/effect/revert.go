package effect

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/pr"
)

// Revert opens the pull request that takes a merge back, with the person's token
// where there is one: what the workflow's token opens starts no workflow. It
// merges nothing. It is stale once the pull request is not merged as Commit.
type Revert struct {
	PR     int
	Commit pr.SHA // the merge commit
	Title  string // in our words
	Body   string // what people read, without its marker
	// Try counts them, from 1: one that was closed is opened anew at a person's word.
	Try int
}

// Key of a revert: merge commit and try.
func (e Revert) Key() Key { return Key(fmt.Sprintf("revert:%s#%d", e.Commit.Short(), e.Try)) }

// Marker is the hidden last line of its description by which it is known again.
// In the description of a stranger's it means nothing.
func (e Revert) Marker() string { return revertPrefix + string(e.Key()) + noteSuffix }

const revertPrefix = "<!-- prloop:"

// IsRevert reports whether a line of body is the marker of a revert of commit,
// whichever. Whose body it is, the caller has to know.
func IsRevert(body string, commit pr.SHA) bool {
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, revertPrefix+"revert:"+commit.Short()+"#") {
			return true
		}
	}
	return false
}

// Type of Revert.
func (Revert) Type() string { return "revert" }

func (e Revert) String() string {
	return fmt.Sprintf("open the revert of #%d, merged as %s", e.PR, e.Commit.Short())
}

func (Revert) sealed() {}
