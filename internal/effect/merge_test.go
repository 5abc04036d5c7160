package effect

import (
	"strings"
	"testing"
)

// Each text that GitHub is known to refuse a merge with, and its class
// (github-platform, section 9; autopilot D13). The case does not count, and what
// nobody has seen stops.
func TestEachRefusalHasItsClass(t *testing.T) {
	t.Parallel()
	rows := []struct {
		text string
		want MergeResult
	}{
		{"Auto merge is not allowed for this repository", NotAllowed},
		{"Pull request Auto merge is not allowed for this repository", NotAllowed},
		{"auto-merge is not enabled for this repository", NotAllowed},
		{"Pull request Pull request is in clean status", CleanStatus},
		{"Pull request is in clean status", CleanStatus},
		{"Pull request Pull request is in unstable status", UnstableStatus},
		{"Pull request Protected branch rules not configured for this branch", NoProtection},
		{"Pull request is in dirty status", DirtyStatus},
		{"Pull request Pull request is in draft state", DraftStatus},
		{"Pull Request is still a draft", DraftStatus},
		{"Pull Request is not mergeable", Unmergeable},
		{"Pull Request has merge conflicts", DirtyStatus},
		{"Head branch was modified. Review and try the merge again.", HeadChanged},
		{"expected head sha didn’t match current head ref.", HeadChanged},
		{"Base branch was modified. Review and try the merge again.", BaseChanged},
		{"Repository rule violations found\n\n4 of 4 required status checks are expected.", RulesRefuse},
		{"Repository rule violations found\n\nChanges must be made through the merge queue", NeedsQueue},
		{`Required status check "build" is expected.`, RulesRefuse},
		{"At least 1 approving review is required by reviewers with write access.", RulesRefuse},
		{"You're not authorized to push to this protected branch.", RulesRefuse},
		{"Head branch is not up to date with the base branch", BehindBase},
		{"", MergeRefused},
		{"Something that nobody has seen.", MergeRefused},
		{"clean status of unstable things", MergeRefused},
	}
	seen := map[MergeResult]bool{}
	for _, r := range rows {
		for _, text := range []string{r.text, strings.ToUpper(r.text)} {
			if got := RefusalOf(text); got != r.want {
				t.Errorf("RefusalOf(%q) = %s, want %s", text, got, r.want)
			}
		}
		seen[r.want] = true
		if r.want.Pins() {
			t.Errorf("%q is a refusal, and counts as a merge", r.text)
		}
	}
	for _, r := range refusals {
		if !seen[r.class] {
			t.Errorf("no text has the class %s", r.class)
		}
	}
}
