package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/prloop/prloop/internal/fail"
)

// ErrUnavailable says that GitHub could not be read, even after the retries.
// It is the weather: the next run finds out.
var ErrUnavailable = errors.New("GitHub cannot be reached")

// ErrUncertain says that the answer to a write was lost. Whether it was
// carried out, only a look tells.
var ErrUncertain = errors.New("the answer to a write was lost")

// ErrPast says that a write was not sent, because the time that it had is over
// ([Until]).
var ErrPast = errors.New("the time for this write is over")

// RateLimited says that GitHub asks to come back later than this run waits.
type RateLimited struct {
	Until   time.Time // GitHub's clock
	Message string    // GitHub's words: a stranger's text
	wait    time.Duration
	resp    *http.Response
}

func (e *RateLimited) Error() string {
	return fmt.Sprintf("GitHub's rate limit is reached until %s (%q)", e.Until.UTC().Format(time.RFC3339), e.Message)
}

// Denied says that the token lacks a right.
type Denied struct {
	Right   string // in the words of a workflow file ("checks: read"); empty where not known
	Message string // GitHub's words: a stranger's text
}

func (e *Denied) Error() string {
	if e.Right == "" {
		return fmt.Sprintf("the token may not do this (%q)", e.Message)
	}
	return fmt.Sprintf("the token lacks %q (%q)", e.Right, e.Message)
}

// Refused says that GitHub understood and said no, for a reason other than a
// right or a limit.
type Refused struct {
	Status  int    // of the answer; 200 for GraphQL
	Type    string // of the GraphQL error: NOT_FOUND, UNPROCESSABLE …; empty for REST
	Message string // GitHub's words: a stranger's text
}

func (e *Refused) Error() string {
	if e.Type != "" {
		return fmt.Sprintf("GitHub refuses with %q (%q)", e.Type, e.Message)
	}
	return fmt.Sprintf("GitHub refuses with %d (%q)", e.Status, e.Message)
}

// A GraphQLError is one entry of an answer's "errors". An answer may carry
// data beside it.
type GraphQLError struct {
	Type    string   // FORBIDDEN, NOT_FOUND …, or the code of its extensions
	Path    []string // from the root; indices in decimal
	Message string   // GitHub's words: a stranger's text
}

// At is the path in one string: "repository.pullRequest.comments.nodes.0".
func (e GraphQLError) At() string { return strings.Join(e.Path, ".") }

// denied reports whether the error is about a missing right.
func (e GraphQLError) denied() bool {
	return e.Type == "FORBIDDEN" || e.Type == "INSUFFICIENT_SCOPES" ||
		e.Type == "" && strings.HasPrefix(e.Message, "Resource not accessible by")
}

// judge gives an error of go-github one of the names that callers branch on:
// *Denied, *Refused, ErrUncertain for a write whose answer was lost, and those
// of the transport. It returns nil for nil.
func judge(err error) error {
	refusal, ok := errors.AsType[*gh.ErrorResponse](err)
	switch {
	case err == nil || !ok || refusal.Response == nil:
		return err
	case refusal.Response.StatusCode == http.StatusForbidden:
		return &Denied{Message: refusal.Message}
	case refusal.Response.StatusCode >= 500:
		return fmt.Errorf("%w: it answers %d", ErrUncertain, refusal.Response.StatusCode)
	}
	message := refusal.Message
	for _, e := range refusal.Errors {
		if e.Message != "" {
			message += ": " + e.Message
		}
	}
	return &Refused{Status: refusal.Response.StatusCode, Message: message}
}

// explain gives the error of a read a reader where somebody can mend it: a bad
// token, a repository that is not there, a missing right. doing is in the
// infinitive, as in "read the pull request". The weather and the limits keep
// their names, for callers that wait.
func (c *Client) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = judge(err)
	if denied, ok := errors.AsType[*Denied](err); ok {
		fix := fmt.Sprintf("Give the token of the input %q the rights that the README lists", Workflow)
		if denied.Right != "" {
			fix = fmt.Sprintf("Give the job the permission %q", denied.Right)
		}
		return &fail.Error{
			What: "The token may not " + doing,
			Why:  fmt.Sprintf("GitHub answers %q", denied.Message),
			Fix:  fix,
			Err:  err,
		}
	}
	refused, ok := errors.AsType[*Refused](err)
	switch {
	case ok && refused.Status == http.StatusUnauthorized:
		return &fail.Error{
			What: fmt.Sprintf("GitHub does not accept the token of the input %q", Workflow),
			Why:  fmt.Sprintf("it answers %q", refused.Message),
			Fix:  "Pass a token that is valid; without the input, the workflow's own token is used",
			Err:  err,
		}
	case ok && (refused.Status == http.StatusNotFound || refused.Type == "NOT_FOUND"):
		return c.noRepository(refused.Message, err)
	case ok && (refused.Type == "undefinedField" || refused.Type == "undefinedType"):
		return &fail.Error{
			What: "This GitHub does not know what prloop asks for",
			Why:  fmt.Sprintf("it answers %q", refused.Message),
			Fix:  "Use prloop with github.com, or with a newer version of GitHub Enterprise Server",
			Err:  err,
		}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (c *Client) noRepository(message string, err error) error {
	return &fail.Error{
		What: fmt.Sprintf("The repository %q is not there, or the token may not see it", c.owner+"/"+c.name),
		Why:  fmt.Sprintf("GitHub answers %q", message),
		Fix:  `Check the repository's name, and give the job the permission "contents: read"`,
		Err:  err,
	}
}
