package githubtest

import (
	"fmt"
	"testing"
	"time"
)

func TestASuccessMakesTheOneBeforeInactive(t *testing.T) {
	w := world(Options{})
	n := w.OpenPR(PR{})
	before := w.Branch("")
	w.Deploy(before, "production", "SUCCESS")
	w.Advance(time.Minute)
	merge := w.Merge(n, "mona")
	same(t, "the parents of the merge", []string{before, w.Pull(n).Head}, w.Parents(merge))
	w.Deploy(merge, "production", "IN_PROGRESS")
	w.Advance(time.Minute)
	w.Deploy(merge, "production", "SUCCESS")
	const deployments = `{ deployments(first: 9) { nodes { environment commitOid latestStatus { state } statuses(first: 9) { nodes { state createdAt } } } } }`
	same(t, "the deployments", `{"mergeCommit":{"deployments":{"nodes":[{"environment":"production","commitOid":"`+merge+`","latestStatus":{"state":"SUCCESS"},`+
		`"statuses":{"nodes":[{"state":"SUCCESS","createdAt":"2026-11-30T09:02:00Z"},{"state":"IN_PROGRESS","createdAt":"2026-11-30T09:01:00Z"}]}}]},`+
		`"parents":{"nodes":[{"deployments":{"nodes":[{"environment":"production","commitOid":"`+before+`","latestStatus":{"state":"INACTIVE"},`+
		`"statuses":{"nodes":[{"state":"INACTIVE","createdAt":"2026-11-30T09:02:00Z"},{"state":"SUCCESS","createdAt":"2026-11-30T09:00:00Z"}]}}]}}]}}}`,
		onPR(t, w, "pat", `mergeCommit `+deployments[:len(deployments)-1]+` parents(first: 1) { nodes `+deployments+` } }`))
}

func TestDeploymentsNeedTheirRight(t *testing.T) {
	w := world(Options{})
	w.AddToken(Token{Value: "less", Kind: Workflow, Rights: map[string]string{"contents": "read", "pull-requests": "read"}})
	w.Deploy(w.Merge(w.OpenPR(PR{}), "mona"), "production", "SUCCESS")
	_, errs := ask(t, w, "less", `{ repository(owner: "octo", name: "demo") { pullRequest(number: 1) { mergeCommit { deployments(first: 1) { totalCount } } } } }`, nil)
	if len(errs) != 1 {
		t.Errorf("%d errors: %v", len(errs), errs)
	}
}

// GitHub opens a revert as often as it is asked to: that it is done once is for
// whoever asks.
func TestARevertIsOpenedAsOftenAsAsked(t *testing.T) {
	w := world(Options{})
	w.SetChecks(ScriptedCheck{Check: Check{Name: "build"}})
	n := w.OpenPR(PR{HeadRef: "feature", Title: "Faster"})
	revert := func(token, more string) (string, []string) {
		return ask(t, w, token, fmt.Sprintf(`mutation { revertPullRequest(input: {pullRequestId: %q%s}) {
			revertPullRequest { number title body headRefName baseRefName isCrossRepository author { login } statusCheckRollup { state } } } }`, w.Pull(n).ID, more), nil)
	}
	if _, errs := revert("wf", ""); len(errs) != 1 {
		t.Errorf("of an open one: %v", errs)
	}
	w.Merge(n, "mona")
	got, errs := revert("pat", `, title: "Undo", body: "Why"`)
	same(t, "the errors", 0, len(errs))
	same(t, "the first", `{"revertPullRequest":{"revertPullRequest":{"number":2,"title":"Undo","body":"Why","headRefName":"revert-1-feature",`+
		`"baseRefName":"main","isCrossRepository":false,"author":{"login":"mona"},"statusCheckRollup":null}}}`, got)
	got, _ = revert("wf", "")
	same(t, "the second", `{"revertPullRequest":{"revertPullRequest":{"number":3,"title":"Revert \"Faster\"","body":"Reverts octo/demo#1","headRefName":"revert-1-feature-1",`+
		`"baseRefName":"main","isCrossRepository":false,"author":{"login":"github-actions"},"statusCheckRollup":null}}}`, got)
	w.Advance(time.Minute)
	same(t, "checks of the person's", 1, len(w.commits[w.Pull(2).Head].contexts))
	same(t, "checks of the workflow token's", 0, len(w.commits[w.Pull(3).Head].contexts))
	w.RefuseReverts("It conflicts.")
	if _, errs := revert("wf", ""); len(errs) != 1 {
		t.Errorf("one that conflicts: %v", errs)
	}
}

func TestTheWaysToMerge(t *testing.T) {
	w := world(Options{})
	below := w.Parents(w.Pull(w.OpenPR(PR{})).Head)[0]
	for _, method := range []string{"MERGE", "SQUASH", "REBASE"} {
		n := w.OpenPR(PR{})
		w.Push(n, Push{})
		commit := w.MergeAs(n, "mona", method)
		want := map[string]int{"MERGE": 2, "SQUASH": 1, "REBASE": 1}[method]
		same(t, "parents after a "+method, want, len(w.Parents(commit)))
		first := w.Parents(commit)[0]
		if method == "REBASE" { // of two commits
			got, errs := ask(t, w, "wf", fmt.Sprintf(`{ repository(owner: "octo", name: "demo") { object(oid: %q) { ... on Commit { history(first: 2) { nodes { oid associatedPullRequests(first: 9) { nodes { number } } } } } } } }`, commit), nil)
			same(t, "errors", 0, len(errs))
			same(t, "the commits of a rebase", fmt.Sprintf(`{"repository":{"object":{"history":{"nodes":[{"oid":%q,"associatedPullRequests":{"nodes":[{"number":%d}]}},{"oid":%q,"associatedPullRequests":{"nodes":[{"number":%d}]}}]}}}}`, commit, n, first, n), got)
			first = w.Parents(first)[0]
		}
		same(t, "what a "+method+" is put upon", below, first)
		below = commit
	}
}
