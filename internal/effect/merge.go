package effect

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/pr"
)

// A Way is how a merge is asked of GitHub first.
type Way string

// The ways.
const (
	// Armed: GitHub merges once nothing holds it back (native auto-merge). Where
	// it refuses because nothing does, or cannot, the merge is made at once.
	Armed  Way = "auto"
	Queued Way = "queue"  // the base's merge queue merges
	Direct Way = "direct" // at once
)

// Merge merges Head into Base, or has GitHub do it. Everything that the decision
// rested on is read once more right before; it is stale where it would be decided
// otherwise, and no request leaves without the head that it is for (design 7).
type Merge struct {
	Head   pr.SHA
	Base   string // a stranger may name a branch
	Method pr.MergeMethod
	Way    Way
	// Settled: nothing that GitHub would wait for is running, so a merge that it
	// will not arm for an unstable status is made at once.
	Settled bool
	Try     int // counts the merges of this head that people had tried again
}

// DisarmMerge takes back what Merge armed or queued for Head.
type DisarmMerge struct {
	Head pr.SHA
	// At is when it was armed, as RFC 3339: what is armed anew later is another.
	At string
}

// UpdateBranch merges the base into a head that is behind it. It is stale once the
// head moved.
type UpdateBranch struct {
	Head pr.SHA
}

// DeleteBranch deletes the head branch of a merged pull request, if it still is at
// Head, nothing protects it, and no open pull request needs it.
type DeleteBranch struct {
	Branch string // a stranger's text
	Head   pr.SHA
}

// A MergeResult is what became of a Merge: what GitHub did, or the class of its
// refusal (github-platform, section 9).
type MergeResult string

// The results.
const (
	MergeMade   MergeResult = "merged"
	MergeArmed  MergeResult = "armed"
	MergeQueued MergeResult = "queued"

	// What is refused for one way, where another is taken.
	NotAllowed   MergeResult = "not_allowed"   // auto-merge is switched off
	CleanStatus  MergeResult = "clean"         // there is nothing to wait for
	NoProtection MergeResult = "no_protection" // the base has no rules that hold anything back
	NeedsQueue   MergeResult = "needs_queue"   // the base merges by its queue alone

	// What is refused altogether.
	UnstableStatus MergeResult = "unstable" // checks that nobody requires run or failed
	DirtyStatus    MergeResult = "dirty"    // it conflicts with its base
	BehindBase     MergeResult = "behind"   // its base has moved on
	DraftStatus    MergeResult = "draft"
	RulesRefuse    MergeResult = "rules" // a rule of the base is not met
	HeadChanged    MergeResult = "head_changed"
	BaseChanged    MergeResult = "base_changed"
	Unmergeable    MergeResult = "not_mergeable" // GitHub does not say why
	MergeRefused   MergeResult = "refused"       // in words that prloop does not know
)

// Pins reports whether r stands for a merge that GitHub made or took on.
func (r MergeResult) Pins() bool { return r == MergeMade || r == MergeArmed || r == MergeQueued }

// refusals are the texts of GitHub's refusals, and their classes. The first row
// whose text is in the message counts; the case does not. GitHub doubles words in
// some ("Pull request Pull request is in clean status"), so no row is a whole one.
var refusals = []struct {
	text  string
	class MergeResult
}{
	{"auto merge is not allowed", NotAllowed},
	{"auto-merge is not enabled", NotAllowed},
	{"is in clean status", CleanStatus},
	{"is in unstable status", UnstableStatus},
	{"is in dirty status", DirtyStatus},
	{"is in behind status", BehindBase},
	{"is in draft state", DraftStatus},
	{"still a draft", DraftStatus},
	{"protected branch rules not configured", NoProtection},
	{"head branch was modified", HeadChanged},
	{"expected head sha", HeadChanged},
	{"base branch was modified", BaseChanged},
	{"through the merge queue", NeedsQueue},
	{"not up to date with the base", BehindBase},
	{"head branch is out of date", BehindBase},
	{"merge conflict", DirtyStatus},
	{"repository rule violations", RulesRefuse},
	{"required status check", RulesRefuse},
	{"approving review is required", RulesRefuse},
	{"protected branch", RulesRefuse},
	{"pull request is not mergeable", Unmergeable},
}

// RefusalOf is the class of GitHub's refusal of a merge.
func RefusalOf(message string) MergeResult {
	message = strings.ToLower(message)
	for _, r := range refusals {
		if strings.Contains(message, r.text) {
			return r.class
		}
	}
	return MergeRefused
}

// Key of a merge: head and try.
func (e Merge) Key() Key { return Key(fmt.Sprintf("%s%s#%d", MergePrefix, e.Head.Short(), e.Try)) }

// MergePrefix begins the keys of merges.
const MergePrefix = "merge@"

// Key of taking it back: head, and when it was armed.
func (e DisarmMerge) Key() Key { return Key("disarm@" + e.Head.Short() + "#" + e.At) }

// Key of an update: the head.
func (e UpdateBranch) Key() Key { return Key("update-branch@" + e.Head.Short()) }

// Key of deleting a branch: its head.
func (e DeleteBranch) Key() Key { return Key("delete-branch@" + e.Head.Short()) }

// Type of Merge.
func (Merge) Type() string { return "merge" }

// Type of DisarmMerge.
func (DisarmMerge) Type() string { return "disarm_merge" }

// Type of UpdateBranch.
func (UpdateBranch) Type() string { return "update_branch" }

// Type of DeleteBranch.
func (DeleteBranch) Type() string { return "delete_branch" }

func (e Merge) String() string {
	switch e.Way {
	case Armed:
		return fmt.Sprintf("merge %s as soon as nothing holds it back (%s)", e.Head.Short(), strings.ToLower(string(e.Method)))
	case Queued:
		return "put " + e.Head.Short() + " into the merge queue"
	case Direct:
	}
	return fmt.Sprintf("merge %s (%s)", e.Head.Short(), strings.ToLower(string(e.Method)))
}

func (e DisarmMerge) String() string {
	return "take back the merge that was armed for " + e.Head.Short()
}

func (e UpdateBranch) String() string { return "bring " + e.Head.Short() + " up to date with its base" }

func (e DeleteBranch) String() string { return "delete the head branch at " + e.Head.Short() }

func (Merge) sealed()        {}
func (DisarmMerge) sealed()  {}
func (UpdateBranch) sealed() {}
func (DeleteBranch) sealed() {}
