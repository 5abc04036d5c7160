// Package githubtest is a GitHub in memory: one world behind REST and GraphQL,
// over HTTP or in process. The real clients (go-github, githubv4) run against
// it in tests, in the stories under testdata/scenarios, and in "prloop
// simulate". It offers only what GitHub offers: comments are last write wins,
// a reaction answers 201 once and 200 after that, a review request that GitHub
// accepts may still come to nothing. It shares no code with the product; what
// it believes about GitHub is its own reading of GitHub's documentation, so
// that a wrong idea in the product meets another opinion here.
//
// # How to use it
//
//	w := githubtest.New(githubtest.Options{Owner: "octo", Repo: "demo", Now: start})
//	w.AddToken(githubtest.Token{
//		Value: "wf", Kind: githubtest.Workflow,
//		Rights: map[string]string{"contents": "read", "pull-requests": "write", "checks": "read"},
//	})
//	w.AddAccount(githubtest.Account{Login: "mona", Permission: "write", Seat: true})
//	w.SetChecks(githubtest.ScriptedCheck{
//		Check: githubtest.Check{Name: "build", Required: true}, Takes: 3 * time.Minute,
//	})
//	w.SetReviewer(githubtest.CopilotReviewer, githubtest.Reviewer{
//		StartAfter: time.Minute, SubmitAfter: 4 * time.Minute,
//		Rounds: []githubtest.Round{
//			{Layout: githubtest.V2, Findings: []githubtest.Finding{{Path: "a.go", Line: 3, Text: "Off by one."}}},
//			{Layout: githubtest.V2}, // clean
//		},
//	})
//	n := w.OpenPR(githubtest.PR{Author: "mona", HeadRef: "feature"})
//	w.At(30*time.Minute, "mona pushes the fix", func(w *githubtest.World) { w.Push(n, githubtest.Push{By: "mona"}) })
//
//	client := &http.Client{Transport: w.Transport()} // in process, no sockets
//	// REST at https://api.github.com/, GraphQL at https://api.github.com/graphql;
//	// the host does not matter. For real sockets the world is an http.Handler.
//
//	w.Advance(5 * time.Minute) // moves the clock; what falls due happens in time order
//	got := w.Pull(n)           // a copy of what is so now
//
// # What to know
//
//   - Accounts are named as REST names them: a bot ends in "[bot]", and the
//     empty name is a ghost. GraphQL answers drop the suffix, and REST calls
//     Copilot "Copilot" on some surfaces, as on GitHub.
//   - Time only moves by [World.Advance]; every answer carries the clock in its
//     Date header.
//   - Rights are enforced as for a private repository, always: what a token's
//     Rights do not name it cannot do.
//   - A request for a Copilot review by a person's token works, by a workflow's
//     it is accepted and dropped; [World.SetRung] and [World.SetWorkflowRung]
//     say otherwise. A token's person needs write permission and a seat.
//   - [World.SetFault] breaks requests, [World.FailField] a part of a query;
//     [World.Log] has every request, and [World.Changes] every change of the
//     world by who made it. A request for what is not simulated is in
//     [World.Unknown].
//   - A database id of a review or a review comment does not fit into 32 bits:
//     databaseId is null there, and fullDatabaseId has it.
//   - Ids, node ids and SHAs come from counters: the same calls in the same
//     order give the same world.
package githubtest
