package github

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shurcooL/githubv4"

	"github.com/prloop/prloop/internal/effect"
)

// comment posts e with its marker, a hidden line that the body may bring along,
// and posts nothing where an own comment has that line already.
func (x *Executor) comment(ctx context.Context, e effect.Comment) (effect.Result, error) {
	if !topic.MatchString(e.Topic) {
		return failed("the topic cannot stand in a hidden marker"), nil
	}
	body := tame(e.Body)
	if !hasLine(body, e.Marker()) {
		body += "\n\n" + e.Marker()
	}
	if len(body) > maxComment {
		return failed(fmt.Sprintf("the comment has %d bytes, and GitHub takes %d", len(body), maxComment)), nil
	}
	t, err := x.c.talk(ctx, x.t.Number)
	if err != nil {
		return effect.Result{}, err
	}
	if _, issue := x.c.issues.Load(x.t.Number); t.head != e.Head && !issue {
		return stale("the head is " + t.head.Short() + " now"), nil
	}
	for _, o := range t.own {
		if hasLine(o.Body, e.Marker()) {
			return effect.Result{Outcome: effect.AlreadySo}, nil
		}
	}
	_, err = x.c.CreateComment(ctx, x.t.Number, body)
	if _, denied := errors.AsType[*Denied](err); denied && t.locked {
		return failed("the conversation is locked"), nil
	}
	if err != nil {
		return effect.Result{}, err
	}
	return effect.Result{Outcome: effect.Done}, nil
}

// topic is what a reason code looks like; it can end no HTML comment.
var topic = regexp.MustCompile(`^[0-9a-z_]+$`)

func hasLine(body, line string) bool {
	for l := range strings.Lines(body) {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}

// bots are set to work by a mention or a slash command: Copilot's agent pushes
// commits when it is mentioned (case C005), and others do alike. Names that
// begin with "copilot" all count, and so does any name that ends in "[bot]".
var bots = []string{
	"bugbot", "chatgpt-codex-connector", "claude", "codex", "coderabbit", "coderabbitai", "cursor", "cursoragent",
	"dependabot", "devin-ai-integration", "gemini", "gemini-code-assist", "google-labs-jules", "jules", "renovate",
	"sourcery-ai",
}

var summons = regexp.MustCompile(`(?i)[@/][0-9a-z][0-9a-z-]*(\[bot\])?`)

// tame takes the life out of what would set a bot to work: the sign and the
// name are parted by a zero width space, so that nobody reads a mention. Texts
// are made safe where they are made; this is the second guard. People's
// mentions, addresses and paths stay as they are.
func tame(body string) string {
	var b strings.Builder
	last := 0
	for _, at := range summons.FindAllStringIndex(body, -1) {
		name := strings.ToLower(body[at[0]+1 : at[1]])
		summoned := strings.HasPrefix(name, "copilot") || strings.HasSuffix(name, "[bot]") || slices.Contains(bots, name)
		if !summoned || at[0] > 0 && wordy(body[at[0]-1]) {
			continue
		}
		b.WriteString(body[last : at[0]+1])
		b.WriteString("\u200b")
		last = at[0] + 1
	}
	b.WriteString(body[last:])
	return b.String()
}

func wordy(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (x *Executor) hide(ctx context.Context, e effect.Hide) (effect.Result, error) {
	now, err := x.c.comment(ctx, e.CommentID)
	switch {
	case err != nil:
		return effect.Result{}, err
	case now == nil:
		return stale("the comment is gone"), nil
	case !now.ViewerDidAuthor:
		return failed("the comment is somebody else's"), nil
	case now.IsMinimized:
		return effect.Result{Outcome: effect.AlreadySo}, nil
	}
	var hidden bool
	write := func() error {
		var m struct {
			MinimizeComment struct {
				MinimizedComment struct{ IsMinimized bool }
			} `graphql:"minimizeComment(input: $input)"`
		}
		_, err := x.c.mutate(ctx, &m, githubv4.MinimizeCommentInput{
			SubjectID: e.CommentID, Classifier: githubv4.ReportedContentClassifiersOutdated,
		}, Workflow)
		hidden = m.MinimizeComment.MinimizedComment.IsMinimized
		return err
	}
	done := func() (bool, error) {
		now, err := x.c.comment(ctx, e.CommentID)
		hidden = now == nil || now.IsMinimized
		return hidden, err
	}
	if err := x.c.once(ctx, write, done); err != nil {
		return effect.Result{}, err
	}
	if !hidden {
		return failed("GitHub said yes and left it shown"), nil
	}
	return effect.Result{Outcome: effect.Done}, nil
}
