package githubtest

import (
	"net/http"
	"strings"
)

// A need is a group of calls that ask the same of a token.
type need int

// The groups.
const (
	metadata need = iota // what everybody who sees the repository sees
	readPulls
	readIssues
	readEither
	readContents
	readChecks
	readStatuses
	readActions
	readDeployments
	writeComment
	writeIssue
	writeLabel
	hideComment
	requestReview
	replyInReview
	resolveThread
	changeDraft
	mergePull
	closePull
	dispatchRun
	writeChecks
	writeContents
)

// terms are the rights that an app's or a fine-grained token must have, all of
// them, each with its alternatives; and the permission that a person's account
// must have (github-platform, permission per call).
func (n need) terms() (rights []string, person string) {
	t := map[need]struct {
		rights string
		person string
	}{
		metadata:        {"", "read"},
		readPulls:       {"pull-requests:read", "read"},
		readIssues:      {"issues:read", "read"},
		readEither:      {"issues:read|pull-requests:read", "read"},
		readContents:    {"contents:read", "read"},
		readChecks:      {"checks:read", "read"},
		readStatuses:    {"statuses:read", "read"},
		readActions:     {"actions:read", "read"},
		readDeployments: {"deployments:read", "read"},
		writeComment:    {"issues:write|pull-requests:write", "read"},
		writeIssue:      {"issues:write", "read"},
		writeLabel:      {"issues:write|pull-requests:write", "triage"},
		hideComment:     {"issues:write|pull-requests:write", "write"},
		requestReview:   {"pull-requests:write", "write"},
		replyInReview:   {"pull-requests:write", "read"},
		resolveThread:   {"contents:write pull-requests:write", "write"},
		changeDraft:     {"contents:write pull-requests:write", "write"},
		mergePull:       {"contents:write pull-requests:write", "write"},
		closePull:       {"pull-requests:write", "write"},
		dispatchRun:     {"actions:write", "write"},
		writeChecks:     {"checks:write", "write"},
		writeContents:   {"contents:write", "write"},
	}[n]
	return strings.Fields(t.rights), t.person
}

// has reports whether the token's rights include one, such as "issues:read".
func (t *Token) has(right string) bool {
	for alternative := range strings.SplitSeq(right, "|") {
		name, level, _ := strings.Cut(alternative, ":")
		if got := t.Rights[name]; got == "write" || got == level {
			return true
		}
	}
	return false
}

// may reports whether the token may do what n stands for.
func (c *call) may(n need) bool {
	rights, person := n.terms()
	if c.token.Kind != User {
		for _, r := range rights {
			if !c.token.has(r) {
				return false
			}
		}
	}
	return c.token.integration() || rank(c.who.Permission) >= rank(person)
}

// refusal is GitHub's message for a missing right.
func (c *call) refusal() string {
	switch c.token.Kind {
	case Workflow, App:
		return "Resource not accessible by integration"
	case FineGrained:
		return "Resource not accessible by personal access token"
	case User:
	}
	return "Must have write access to the repository."
}

// forbidden is the refusal as a GraphQL error.
func (c *call) forbidden() error {
	if c.token.Kind == User {
		return gqlFail("FORBIDDEN", "%s does not have the correct permissions to execute this.", c.who.Login)
	}
	return gqlFail("FORBIDDEN", "%s", c.refusal())
}

// sees reports whether the repository is there for the token.
func (c *call) sees() bool {
	return !c.token.Blind && (c.token.integration() || rank(c.who.Permission) >= rank("read"))
}

// deny answers a REST call without the right.
func (c *call) deny() { c.fail(http.StatusForbidden, c.refusal()) }

// locked reports whether the conversation is closed to the token: a locked
// one takes comments, edits and reactions of people with write access alone.
func (c *call) locked(p *Pull) bool {
	return p != nil && p.Locked && (c.token.integration() || rank(c.who.Permission) < rank("write"))
}
