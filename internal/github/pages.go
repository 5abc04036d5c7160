package github

import (
	"context"
	"fmt"
	"time"

	"github.com/shurcooL/githubv4"
)

// maxPages bounds a list. What is longer is unknown, and says so.
const maxPages = 50

// pageSizes are what a page asks for at most, and what is tried next when
// GitHub gives up on it (case C159).
var pageSizes = [...]int{100, 50, 25, 10}

// A connection is one page of a list. GitHub may answer null for the page, for
// its nodes and for any node, so all three can be told from empty.
type connection[T any] struct {
	Nodes    []*T
	PageInfo pageInfo
}

type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}

// A reel is how far a list has been read.
type reel struct {
	on    bool   // there is more to ask for
	after string // the cursor of the next page; empty for the first
	pages int
	seen  map[string]bool
}

// cursor is the value for an "after" argument.
func (l *reel) cursor() *githubv4.String {
	if l.after == "" {
		return nil
	}
	return githubv4.NewString(githubv4.String(l.after))
}

// next moves the reel to the page that info announces. It returns why the list
// cannot be read to its end, or "".
func (l *reel) next(info pageInfo) (why string) {
	l.pages++
	l.on = false
	switch {
	case !info.HasNextPage:
		return ""
	case info.EndCursor == "":
		return "GitHub announces a further page and does not say which"
	case l.seen[info.EndCursor] || info.EndCursor == l.after:
		return "GitHub sends the same page again and again"
	case l.pages >= maxPages:
		return fmt.Sprintf("it has more than %d pages", maxPages)
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[info.EndCursor] = true
	l.after, l.on = info.EndCursor, true
	return ""
}

// gather takes one page into keep and moves the reel on. It returns why the
// list is not complete, or "".
func gather[T any](l *reel, page *connection[T], keep func(*T)) (why string) {
	if page == nil || page.Nodes == nil {
		l.on = false
		return "GitHub leaves it out"
	}
	for _, node := range page.Nodes {
		if node == nil {
			why = "GitHub leaves out an entry"
			continue
		}
		keep(node)
	}
	if lost := l.next(page.PageInfo); lost != "" {
		why = lost
	}
	return why
}

// A sizer knows how much to ask for: less, once GitHub could not serve more.
type sizer struct{ try int }

func (s *sizer) size() int { return pageSizes[s.try] }

// askSized asks for a Q with the variables for the size of the moment, and
// asks for less where GitHub times out over it.
func askSized[Q any](ctx context.Context, c *Client, s *sizer, vars func(size int) map[string]any) (*Q, []GraphQLError, error) {
	for {
		q := new(Q)
		x := &exchange{shrinks: true}
		errs, err := c.ask(ctx, x, q, vars(s.size()))
		tooMuch := x.tooBig()
		for _, e := range errs {
			tooMuch = tooMuch || e.Type == "RESOURCE_LIMITS_EXCEEDED"
		}
		if !tooMuch || x.limited != nil || s.try+1 == len(pageSizes) {
			return q, errs, err
		}
		s.try++
		if !sleep(ctx, c.door.delay(s.try, nil, time.Second<<(s.try-1))) {
			return nil, nil, ctx.Err()
		}
	}
}
