package githubtest

import (
	"net/http"
	"strings"
)

// A need is what a call asks of a token.
type need struct {
	// rights that an app's or a fine-grained token must have: "a:write" or
	// alternatives "a:write|b:write"; all entries must hold.
	rights []string
	// person is the permission that a person's account must have.
	person string
}

// What each group of calls needs (github-platform, permission per call).
var (
	// Public knowledge within the repository.
	needMetadata = need{person: "read"}
	needPulls    = need{rights: []string{"pull-requests:read"}, person: "read"}
	needIssues   = need{rights: []string{"issues:read"}, person: "read"}
	needEither   = need{rights: []string{"issues:read|pull-requests:read"}, person: "read"}
	needContents = need{rights: []string{"contents:read"}, person: "read"}
	needChecks   = need{rights: []string{"checks:read"}, person: "read"}
	needStatuses = need{rights: []string{"statuses:read"}, person: "read"}
	needActions  = need{rights: []string{"actions:read"}, person: "read"}

	needComment   = need{rights: []string{"issues:write|pull-requests:write"}, person: "read"}
	needIssue     = need{rights: []string{"issues:write"}, person: "read"}
	needLabel     = need{rights: []string{"issues:write|pull-requests:write"}, person: "triage"}
	needRequest   = need{rights: []string{"pull-requests:write"}, person: "write"}
	needReply     = need{rights: []string{"pull-requests:write"}, person: "read"}
	needThread    = need{rights: []string{"contents:write", "pull-requests:write"}, person: "write"}
	needReady     = need{rights: []string{"contents:write", "pull-requests:write"}, person: "write"}
	needMerge     = need{rights: []string{"contents:write", "pull-requests:write"}, person: "write"}
	needClose     = need{rights: []string{"pull-requests:write"}, person: "write"}
	needHide      = need{rights: []string{"issues:write|pull-requests:write"}, person: "write"}
	needDispatch  = need{rights: []string{"actions:write"}, person: "write"}
	needDismissal = need{rights: []string{"pull-requests:write"}, person: "write"}
)

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
	if c.token.Kind != User {
		for _, r := range n.rights {
			if !c.token.has(r) {
				return false
			}
		}
	}
	return c.token.integration() || rank(c.who.Permission) >= rank(n.person)
}

// refusal is GitHub's message for a missing right.
func (c *call) refusal() string {
	switch c.token.Kind {
	case Workflow, App:
		return "Resource not accessible by integration"
	case FineGrained:
		return "Resource not accessible by personal access token"
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
