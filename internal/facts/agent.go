package facts

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// An Agent is what is known of the loop with Copilot's coding agent (Mode Y).
type Agent struct {
	// Judged are the verdicts that were given, by iteration.
	Judged []Judged
	// AtHead is the newest of them if it is of the head; nil else.
	AtHead *Judged
	// Base is the head since which commits are judged: the one that was approved
	// last, or that the agent was asked at first. What was sent back or paused is
	// judged again with what follows it, so that no later commit hides it. Of a
	// journal that was lost it has the first seven digits. Empty where the agent was
	// never asked.
	Base pr.SHA
	// Asked is the mention that no verdict has answered; its Head is empty where
	// none stands.
	Asked journal.Agent
	// Untold: the journal does not know of the newest verdict yet.
	Untold bool
	// Waiting: something of the agent is still to come.
	Waiting bool
	// Answer is what the agent's comments since the mention come to, and Says why
	// in our words.
	Answer Answer
	Says   string
}

// A Judged is one verdict comment (seed 001, Y.9).
type Judged struct {
	Iteration int
	Head      pr.SHA    // seven digits
	Ruling    string    // approve, pushback, pause
	Since     pr.SHA    // seven digits: what it is about came after this head
	Rubric    bool      // no report stood behind it
	Person    bool      // a person let the head go on as it is
	At        time.Time // of the comment; zero where only the journal knows of it
	// Items are its lines about hunks that go back to the agent, in Markdown of
	// ours; empty where the comment is gone.
	Items []string
}

// An Answer is what the agent says beside commits.
type Answer string

// The answers. What is none of them is no activity (autopilot D26).
const (
	NoAnswer Answer = ""
	Declines Answer = "declines" // it will not, or cannot
	Content  Answer = "content"  // it finds nothing to do
)

// The topic of a verdict comment: verdict_<iteration>_<ruling>_<since>, with _rubric
// behind it where the rubric judged alone. It stands in the comment's marker, so
// that GitHub itself knows what was judged.
const (
	topicVerdict = "verdict_"
	topicRubric  = "_rubric"
)

// What a verdict comes to, as its topic has it.
const (
	Approved = "approve"
	SentBack = "pushback"
	Paused   = "pause"
)

// VerdictTopic is the topic of the comment with the verdict of an iteration.
func VerdictTopic(iteration int, ruling string, since pr.SHA, rubric bool) string {
	t := fmt.Sprintf("%s%d_%s_%s", topicVerdict, iteration, strings.ToLower(ruling), since.Short())
	if rubric {
		t += topicRubric
	}
	return t
}

// Topic is that of the verdict's comment.
func (v *Judged) Topic() string { return VerdictTopic(v.Iteration, v.Ruling, v.Since, v.Rubric) }

// RulingOf is the ruling of a verdict comment by its topic; empty where it is
// none.
func RulingOf(topic string) string {
	v, ok := readVerdict(topic)
	if !ok {
		return ""
	}
	return v.Ruling
}

func readVerdict(topic string) (Judged, bool) {
	rest, ok := strings.CutPrefix(topic, topicVerdict)
	if !ok {
		return Judged{}, false
	}
	rest, rubric := strings.CutSuffix(rest, topicRubric)
	number, rest, _ := strings.Cut(rest, "_")
	ruling, since, _ := strings.Cut(rest, "_")
	n, err := strconv.Atoi(number)
	known := ruling == Approved || ruling == SentBack || ruling == Paused
	return Judged{Iteration: n, Ruling: ruling, Since: pr.SHA(since), Rubric: rubric}, err == nil && n > 0 && known && since != ""
}

// ItemMark begins the line of a hunk that goes back to the agent.
const ItemMark = "- **PUSHBACK** "

// readAgent reads the loop with the agent; nil in Mode X.
func readAgent(in Input) *Agent {
	if in.Settings.Mode != autopilot.Y {
		return nil
	}
	a := &Agent{}
	if j := in.Journal.Agent; j != nil {
		a.Asked, a.Base = *j, j.Base
	}
	for _, t := range in.Journal.Told {
		if v, ok := readVerdict(t.Topic); ok {
			v.Head = pr.SHA(t.Head.Short())
			a.enter(v)
		}
	}
	for _, c := range in.Snapshot.Comments {
		topic, head, ok := effect.ParseNote(c.Body)
		if v, is := readVerdict(topic); ok && is && c.Mine && byAuthor(c) {
			v.Head, v.Items, v.At = head, Items(c.Body), c.CreatedAt
			a.enter(v)
		}
	}
	if n := len(a.Judged); n > 0 {
		last := &a.Judged[n-1]
		if last.Head == pr.SHA(in.Snapshot.Head.Short()) {
			a.AtHead = last
		}
		if a.Untold = untold(in.Journal.Told, last); a.Untold || a.Base == "" {
			a.Asked = last.after(a.Base)
			a.Base = a.Asked.Base
		}
	}
	if a.Base == "" && in.Journal.Rebuilt != nil {
		a.Base = askedFirst(in.Snapshot.Comments)
	}
	if ok := in.Journal.Orders.Approved; ok != nil && ok.Head == in.Snapshot.Head {
		a.accept(*ok)
	}
	a.listen(in)
	return a
}

// accept takes a person's approval of the head as its verdict (reference D27).
// Where none was given yet nobody but that person has judged, so that a person
// merges too.
func (a *Agent) accept(ok journal.Sight) {
	v := Judged{Iteration: len(a.Judged) + 1, Head: pr.SHA(ok.Head.Short()), Since: pr.SHA(a.Base.Short()), Rubric: true}
	if n := len(a.Judged); n > 0 {
		v.Iteration = a.Judged[n-1].Iteration + 1
	}
	if a.AtHead != nil {
		v = *a.AtHead
	}
	v.Ruling, v.Person, v.At = Approved, true, ok.At
	a.AtHead, a.Base, a.Asked = &v, ok.Head, journal.Agent{Base: ok.Head, JudgedAt: ok.At}
}

// untold: the journal does not know of a verdict that GitHub shows. A run died
// between the two, or the journal was lost.
func untold(told []journal.Told, v *Judged) bool {
	for _, t := range told {
		if was, ok := readVerdict(t.Topic); ok && was.Iteration == v.Iteration {
			return false
		}
	}
	return true
}

// after is where the loop stands once the verdict was given: what was approved is
// done with, and no mention stands.
func (v *Judged) after(base pr.SHA) journal.Agent {
	next := v.Since
	if strings.HasPrefix(string(base), string(v.Since)) {
		next = base // in full
	}
	if v.Ruling == Approved {
		next = v.Head
	}
	return journal.Agent{Base: next, JudgedAt: v.At}
}

// askedFirst is the head of the oldest mention of the agent, for a journal that
// was lost. A stranger may copy its marker, and edit it later to name a head whose
// commits nobody has judged, so only an insider's own words count.
func askedFirst(comments []pr.Comment) pr.SHA {
	prefix, _, _ := strings.Cut(effect.Mention{Reviewer: pr.CopilotAgent}.Marker(), "@")
	for _, c := range comments {
		if _, rest, ok := strings.Cut(c.Body, "\n"+prefix+"@"); ok && c.Insider && c.EditedAt.IsZero() {
			head, _, _ := strings.Cut(rest, "#")
			return pr.SHA(head)
		}
	}
	return ""
}

// enter keeps one verdict for each iteration, in their order.
func (a *Agent) enter(v Judged) {
	for i := range a.Judged {
		switch was := &a.Judged[i]; {
		case was.Iteration == v.Iteration:
			if !v.At.IsZero() {
				was.Items, was.At = v.Items, v.At
			}
			return
		case was.Iteration > v.Iteration:
			a.Judged = append(a.Judged[:i], append([]Judged{v}, a.Judged[i:]...)...)
			return
		}
	}
	a.Judged = append(a.Judged, v)
}

// Items are the lines of a verdict comment that go back to the agent.
func Items(body string) []string {
	var list []string
	for l := range strings.Lines(body) {
		if item, ok := strings.CutPrefix(strings.TrimSpace(l), ItemMark); ok {
			list = append(list, item)
		}
	}
	return list
}

// listen reads what the agent said since it was asked. The newest words count;
// those that are no answer change nothing.
func (a *Agent) listen(in Input) {
	if a.Asked.Head == "" {
		return
	}
	for _, c := range in.Snapshot.Comments {
		if !c.Author.IsCopilotAgent() || c.Minimized || !byAuthor(c) || c.CreatedAt.Before(a.Asked.At) {
			continue
		}
		text := Clean(bound(c.Body, maxRead))
		if n, ok := autopilot.ReadNotice(text, nil, c.CreatedAt); ok {
			a.Answer, a.Says = Declines, noticeWords[n.Kind]
		} else if autopilot.ReadVerdict(text) == autopilot.Approves {
			a.Answer, a.Says = Content, "it approves"
		}
	}
}

var noticeWords = map[autopilot.NoticeKind]string{
	autopilot.Refused:    "it says that it will not do it",
	autopilot.RateWindow: "it says that it may not work before a later time",
	autopilot.NoQuota:    "it says that its quota is used up",
	autopilot.Skipped:    "it says that it looked at nothing",
	autopilot.Failed:     "it says that it met an error",
}

// finding is the verdict of the head as open work, where it asks for any.
func (a *Agent) finding() (Finding, bool) {
	if a.AtHead == nil || a.AtHead.Ruling == Approved {
		return Finding{}, false
	}
	return Finding{
		ID:  fmt.Sprintf("body:verdict-%d@%s", a.AtHead.Iteration, a.AtHead.Head),
		Bot: true, Trusted: true, Severity: Mid, Text: strings.Join(a.AtHead.Items, "\n"),
	}, true
}

// agentReviews makes the facts of the seed's machine out of the verdicts: in Mode
// Y they are the review (design 2, last rule). What other reviewers wrote outside
// of threads is not read.
func agentReviews(in Input, f *Facts) {
	a, c := f.Agent, &f.Copilot
	kept := make([]Finding, 0, len(f.Awaiting))
	for _, g := range f.Awaiting {
		if g.Thread != "" {
			kept = append(kept, g)
		}
	}
	f.Awaiting, f.AtHead, f.NoticeAtHead, f.ErrorsAtHead = kept, nil, nil, 0
	c.CopilotErrorReviewCountOnCurrentHead, c.LastCopilotRoundMaxSignal = 0, High
	c.CopilotBodyFeedbackUnresolved, c.AgentFixStatus = false, ""
	if g, ok := a.finding(); ok {
		f.Awaiting = append(f.Awaiting, g)
		c.CopilotBodyFeedbackUnresolved = true
	}
	f.Rounds = a.rounds()
	c.CopilotReviewRoundCount = f.Rounds
	c.CopilotReviewPresent = f.Rounds > 0
	c.CopilotReviewOnCurrentHead = a.AtHead != nil && a.AtHead.Ruling != Paused
	open := c.CopilotBodyFeedbackUnresolved || c.UnresolvedThreadCount > 0
	a.Waiting = a.Asked.Head != "" && (a.AtHead == nil || open && a.Asked.Head == in.Snapshot.Head)
	f.Request = a.request(in)
	c.CopilotReviewRequestStatus = f.Request.Status
	f.QuotaUntil = time.Time{}
}

// rounds is the iteration of the newest verdict.
func (a *Agent) rounds() int {
	n := 0
	if k := len(a.Judged); k > 0 {
		n = a.Judged[k-1].Iteration
	}
	if a.AtHead != nil {
		n = max(n, a.AtHead.Iteration)
	}
	return n
}

// request is the standing of the mention.
func (a *Agent) request(in Input) Request {
	for _, q := range in.Journal.Requests {
		if q.Reviewer == pr.CopilotAgent && q.Head == in.Snapshot.Head && string(q.Result) == "failed" {
			return Request{Status: copilot.RequestFailed, Row: "ya", Why: "the mention of the agent failed"}
		}
	}
	if a.Waiting {
		return Request{Status: copilot.AlreadyRequested, Row: "yb", Why: "the agent was asked, and nothing new came since", Since: a.Asked.At, Settled: true}
	}
	return Request{Status: copilot.NotRequested, Row: "yc", Why: "nothing of the agent is waited for"}
}
