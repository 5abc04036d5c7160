// Package github reads pull requests from GitHub and carries effects out on
// it. It alone knows go-github and githubv4: what comes out is in the words of
// package pr, what goes in is in those of package effect.
//
// Reading fails closed. A list is read to its last page or its fact is
// unknown; a refusal makes the fact unknown that it was about and names the
// missing permission; only what stops everything is an error. Every request
// goes through one stack of transports (see [New]), which counts it, tells the
// time by GitHub's clock, keeps the errors that githubv4 loses, and repeats
// what may be repeated.
//
// Start at [Client.Snapshot].
package github
