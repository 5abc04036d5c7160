package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
	"github.com/prloop/prloop/internal/report"
)

// tell adds one run to the transcript.
func (p *player) tell(r Played) {
	if p.text.Len() > 0 {
		p.text.WriteString("\n")
	}
	fmt.Fprintf(&p.text, "run %d: %s at %s\n", len(p.runs), strings.Join(append([]string{r.Event}, r.Line.Args[1:]...), " "), r.At.Format("15:04:05"))
	p.text.WriteString(indent(r.Words()))
}

// Words tells one run in a few lines.
func (r Played) Words() string {
	var b strings.Builder
	if r.Died {
		return fmt.Sprintf("the process died after %s\n", plural(r.Wire, "request"))
	}
	if r.Err != nil {
		b.WriteString(fail.Render(r.Err))
	}
	for _, one := range r.Runs {
		if one.Decision == "" { // it stands for a sweep, whose pull requests have their own
			b.WriteString(came(one))
			continue
		}
		where := ""
		if one.PR != 0 {
			where = fmt.Sprintf("#%d ", one.PR)
		}
		fmt.Fprintf(&b, "%s%s (%s): %s\n", where, one.Decision, one.Code, one.Reason)
		if one.State != "" {
			fmt.Fprintf(&b, "  state %s by rule %s, step %s, round %d of %d%s\n", one.State, one.CopilotRule, one.Rule, one.Round, one.RoundCap, converged(one.Converged))
			fmt.Fprintf(&b, "  %s by priority %s%s\n", one.RoutingOutcome, one.Priority, reviewerState(one.ReviewerState))
		}
		if one.Quest != nil {
			fmt.Fprintf(&b, "  quest %s\n", questWords(*one.Quest))
		}
		if one.Wait != nil && !one.Wait.Until.IsZero() {
			fmt.Fprintf(&b, "  waits for %s until %s\n", one.Wait.What, one.Wait.Until.Format("15:04:05"))
		}
		if one.ShouldReview {
			fmt.Fprintf(&b, "  hands over the review (hand-over %d)\n", one.Handoff.Number)
		}
		switch {
		case one.ShouldFix && one.Handoff.Step != "":
			fmt.Fprintf(&b, "  hands over the %s (hand-over %d)\n", one.Handoff.Step, one.Handoff.Number)
		case one.ShouldFix:
			fmt.Fprintf(&b, "  hands over %s (hand-over %d)\n", plural(len(one.Handoff.Findings), "finding"), one.Handoff.Number)
		}
		b.WriteString(came(one))
	}
	exit := ""
	if r.Exit != 0 {
		exit = fmt.Sprintf(", exit %d", r.Exit)
	}
	fmt.Fprintf(&b, "%s, %s%s\n", plural(r.Requests, "request"), plural(r.Writes, "write"), exit)
	return b.String()
}

// came are the effects and the notices.
func came(one report.Run) string {
	var b strings.Builder
	for _, e := range one.Effects {
		fmt.Fprintf(&b, "  - %s: %s", e.Words, e.Outcome)
		if e.Result != "" {
			fmt.Fprintf(&b, " (%s)", e.Result)
		}
		if e.Note != "" {
			fmt.Fprintf(&b, ": %s", e.Note)
		}
		b.WriteString("\n")
	}
	for _, n := range one.Notices {
		fmt.Fprintf(&b, "  notice: %s\n", n)
	}
	return b.String()
}

// questWords tell where a quest stands.
func questWords(q report.Quest) string {
	words := q.State
	if q.Reason != "" {
		words += " (" + q.Reason + ")"
	}
	if q.ReturnTo != "" {
		words += " from " + q.ReturnTo
	}
	if q.Owner != "" {
		words += " by " + q.Owner
	}
	return fmt.Sprintf("%s, revision %d", words, q.Rev)
}

// reviewerState is told where there is more to it than that nobody asks.
func reviewerState(state string) string {
	if state == "" || state == "waiting_for_review_request" {
		return ""
	}
	return ", reviewer loop " + state
}

func converged(yes bool) string {
	if yes {
		return ", converged"
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func indent(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if line != "" {
			b.WriteString("  ")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// show prints something whole into the transcript.
func (p *player) show(what, pull string) error {
	if len(p.runs) == 0 {
		return fmt.Errorf("no run was started yet")
	}
	last := p.runs[len(p.runs)-1]
	var text string
	switch what {
	case "counters":
		text = p.counters()
	case "status":
		n, err := p.number(pull)
		if err != nil {
			return err
		}
		c, ok := p.journalComment(n)
		if !ok {
			text = "(no status comment)"
			break
		}
		text, _, _ = strings.Cut(c.Body, journalMark)
	case "notes":
		n, err := p.number(pull)
		if err != nil {
			return err
		}
		for _, c := range p.comments(n) {
			if topic, _, ok := effect.ParseNote(c.Body); ok {
				body, _, _ := strings.Cut(c.Body, "<!-- prloop:note")
				text += fmt.Sprintf("[%s]%s\n%s\n", topic, hidden(c), strings.TrimSpace(body))
			}
		}
	case "route":
		for _, one := range last.Runs {
			if one.Conductor == nil {
				continue // it stands for a sweep
			}
			line, err := routeWords(one.Conductor)
			if err != nil {
				return err
			}
			text += line
		}
	case "replies":
		n, err := p.number(pull)
		if err != nil {
			return err
		}
		for i, t := range p.world.Pull(n).Threads {
			for _, c := range t.Comments {
				if c.Author == githubtest.ActionsBot {
					text += fmt.Sprintf("[thread %d]\n%s\n", i+1, c.Body)
				}
			}
		}
	case "brief":
		var err error
		if text, err = briefWords(last); err != nil {
			return err
		}
	case "quest":
		var err error
		if text, err = p.played(); err != nil {
			return err
		}
	case "summary":
		text = last.Summary
	case "targets", "next-wake":
		text = outputOf(last.Outputs, what)
	case "proof":
		text = "(none)"
		if len(last.Runs) == 1 && last.Runs[0].Proof != nil {
			text = last.Runs[0].Proof.Text
		}
	case "outputs":
		text = last.Outputs
	case "log":
		text = last.Log
	default:
		return fmt.Errorf("%q cannot be shown", what)
	}
	fmt.Fprintf(&p.text, "\n%s\n%s", what, indent(text))
	return nil
}

// played tells the quest in the journal, event by event, as replay does.
func (p *player) played() (string, error) {
	n, err := p.number("")
	if err != nil {
		return "", err
	}
	c, ok := p.journalComment(n)
	if !ok {
		return "(no journal)", nil
	}
	j, _, err := journal.Decode(c.Body, []byte(p.inputs["state-key"]))
	if err != nil || j.Quest == nil {
		return "(no quest)", err
	}
	text := ""
	for i, one := range quest.Play(j.Quest.From, j.Quest.Events, j.Quest.Policy) {
		text += one.Words(j.Quest.Folded + i)
	}
	return text, nil
}

// outputOf is the value of one output in the runner's file.
func outputOf(file, name string) string {
	_, rest, _ := strings.Cut("\n"+file, "\n"+name+"<<")
	mark, rest, _ := strings.Cut(rest, "\n")
	value, _, _ := strings.Cut(rest, "\n"+mark)
	return value
}

// routeWords is what the conductor answers, in seed 004's names.
func routeWords(decision any) (string, error) {
	data, err := json.Marshal(decision)
	if err != nil {
		return "", err
	}
	var d struct {
		RoutingOutcome, OuterAction, StopReason string
		Priority                                string
		HandoffEnvelope                         struct {
			LoopFamily, Entrypoint string
			TargetIdentity         json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return "", err
	}
	none := func(s string) string { return cmp.Or(s, "null") }
	return fmt.Sprintf("routingOutcome %s, outerAction %s, stopReason %s, loopFamily %s, entrypoint %s, target %s, by priority %s\n",
		d.RoutingOutcome, d.OuterAction, none(d.StopReason), none(d.HandoffEnvelope.LoopFamily), none(d.HandoffEnvelope.Entrypoint),
		d.HandoffEnvelope.TargetIdentity, d.Priority), nil
}

// briefWords is the brief that a run gave out, without the rubric, which is the
// same in all of them.
func briefWords(r Played) (string, error) {
	for _, one := range r.Runs {
		if one.Brief == "" {
			continue
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(one.Brief), &all); err != nil {
			return "", fmt.Errorf("read the brief: %w", err)
		}
		delete(all, "rubric")
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&b, "%s: %s\n", k, all[k])
		}
		return b.String(), nil
	}
	return "(no brief)\n", nil
}

func hidden(c *githubtest.Comment) string {
	if c.Hidden == "" {
		return ""
	}
	return " (hidden)"
}

// journalMark begins the hidden block.
const journalMark = "<!-- prloop:journal:"

// journalComment is the comment with prloop's journal: the lowest by its
// account that has the mark.
func (p *player) journalComment(n int) (*githubtest.Comment, bool) {
	for _, c := range p.comments(n) {
		if strings.Contains(c.Body, journalMark) && strings.EqualFold(c.Author, githubtest.ActionsBot) {
			return c, true
		}
	}
	return nil, false
}

// end tells the world as it stands, without times and without ids that depend
// on how many requests there were: what must be the same at the end of a story
// however its runs were disturbed.
func (p *player) end() string {
	var b strings.Builder
	for _, n := range p.world.Pulls() {
		pull := p.world.Pull(n)
		if len(p.world.Pulls()) > 20 && len(pull.Comments)+len(pull.Reviews)+len(pull.Threads) == 0 {
			continue // of many pull requests only those where something happened
		}
		state := strings.ToLower(pull.State)
		if pull.Draft {
			state += ", draft"
		}
		if pull.MergedBy != "" {
			state += " by " + pull.MergedBy
		}
		if pull.AutoMerge != nil {
			state += ", armed by " + pull.AutoMerge.By
		}
		if pull.Queued {
			state += ", in the queue"
		}
		if pull.HeadDeleted {
			state += ", its branch deleted"
		}
		if len(pull.Labels) > 0 {
			state += ", labels " + strings.Join(pull.Labels, " ")
		}
		fmt.Fprintf(&b, "#%d %s, head %s\n", n, state, pr.SHA(pull.Head).Short())
		asked := map[string]int{}
		for _, e := range pull.Events {
			if e.Kind == "review_requested" {
				asked[e.Reviewer]++
			}
		}
		for _, who := range slices.Sorted(keys(asked)) {
			fmt.Fprintf(&b, "  asked %s %s\n", who, plural(asked[who], "time"))
		}
		// By author and not by time: a retry that waits lets another's review come first.
		reviews := make([]string, len(pull.Reviews))
		for i, r := range pull.Reviews {
			reviews[i] = fmt.Sprintf("  review by %s of %s: %s\n", r.Author, pr.SHA(r.Commit).Short(), strings.ToLower(r.State))
		}
		slices.Sort(reviews)
		b.WriteString(strings.Join(reviews, ""))
		for _, r := range p.world.CheckRuns(pull.Head, "prloop") {
			if r.ExternalID != "" {
				fmt.Fprintf(&b, "  check run %s: %s, %q\n", r.Name, strings.ToLower(r.Conclusion), r.Title)
			}
		}
		for i, t := range pull.Threads {
			state := "open"
			if t.Resolved {
				state = "resolved"
			}
			fmt.Fprintf(&b, "  thread %d %s, %s\n", i+1, state, plural(len(t.Comments), "comment"))
		}
		for _, c := range pull.Comments {
			fmt.Fprintf(&b, "  comment by %s%s: %s%s\n", c.Author, hidden(c), p.commentWords(n, c), reactionWords(c))
		}
	}
	for _, n := range p.world.Issues() {
		i, ok := p.world.Issue(n)
		if !ok {
			continue
		}
		if slices.Contains(p.things, n) {
			fmt.Fprintf(&b, "issue #%d %s by %s, labels %s\n", n, strings.ToLower(i.State), i.Author, strings.Join(i.Labels, " "))
			for _, c := range i.Comments {
				fmt.Fprintf(&b, "  comment by %s%s: %s%s\n", c.Author, hidden(c), p.commentWords(n, c), reactionWords(c))
			}
			continue
		}
		fmt.Fprintf(&b, "issue #%d %s by %s, labels %s: %s\n", n, strings.ToLower(i.State), i.Author, strings.Join(i.Labels, " "), recordWords(i.Body))
	}
	return b.String()
}

// Doubled says what prloop did twice, or left behind, on any pull request: more
// than one journal, a note told twice, a lease, a lock or an outbox that is
// not empty. Nothing of it may be there at the end of a story.
func (t Told) Doubled() []string {
	var wrong []string
	for _, n := range t.World.Pulls() {
		journals, notes := 0, map[string]int{}
		for _, c := range t.World.Pull(n).Comments {
			if !strings.EqualFold(c.Author, githubtest.ActionsBot) {
				continue
			}
			if topic, head, ok := effect.ParseNote(c.Body); ok {
				notes[topic+" at "+string(head)]++
			}
			if !strings.Contains(c.Body, journalMark) {
				continue
			}
			journals++
			if j, _, err := journal.Decode(c.Body, nil); err == nil && (j.Lease != nil || len(j.Pending) > 0 || len(c.Reactions) > 0) {
				wrong = append(wrong, fmt.Sprintf("#%d: the journal has %d pending effects, %d reactions, lease %v", n, len(j.Pending), len(c.Reactions), j.Lease))
			}
		}
		if journals > 1 {
			wrong = append(wrong, fmt.Sprintf("#%d has %d journals", n, journals))
		}
		for _, note := range slices.Sorted(keys(notes)) {
			if notes[note] > 1 {
				wrong = append(wrong, fmt.Sprintf("#%d: the note on %s stands %d times", n, note, notes[note]))
			}
		}
	}
	return wrong
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// reactionWords tells how a comment was answered; those on a journal are its lock.
func reactionWords(c *githubtest.Comment) string {
	if strings.Contains(c.Body, journalMark) {
		return ""
	}
	words := ""
	for _, r := range c.Reactions {
		words += " (" + r.Content + " by " + r.By + ")"
	}
	return words
}

func (p *player) commentWords(n int, c *githubtest.Comment) string {
	if topic, head, ok := effect.ParseNote(c.Body); ok {
		return "note on " + topic + at(string(head))
	}
	if !strings.Contains(c.Body, journalMark) {
		return fmt.Sprintf("%q", c.Body)
	}
	if !strings.EqualFold(c.Author, githubtest.ActionsBot) {
		return "a copy of the journal"
	}
	j, _, err := journal.Decode(c.Body, []byte(p.inputs["state-key"]))
	if err != nil {
		return "a journal that does not decode"
	}
	var parts []string
	for _, r := range j.Requests {
		parts = append(parts, fmt.Sprintf("asked %s for %s (%s)", r.Reviewer, r.Head.Short(), r.Result))
	}
	parts = append(parts, fmt.Sprintf("asked %d, handed over %d", j.Asked, j.HandedOver))
	withdrawn := 0
	for _, h := range j.Handoffs {
		if h.Withdrawn {
			withdrawn++
		}
	}
	if withdrawn > 0 {
		parts = append(parts, fmt.Sprintf("%d withdrawn", withdrawn))
	}
	for _, t := range j.Told {
		parts = append(parts, "told "+t.Topic+at(t.Head.Short()))
	}
	for _, w := range j.Waits {
		parts = append(parts, "waits for "+w.What)
	}
	if j.Proof != nil {
		parts = append(parts, "proof of "+j.Proof.Head.Short())
	}
	if l := j.Landing; l != nil {
		parts = append(parts, "merge of "+l.Head.Short()+": "+cmp.Or(string(l.Came), "meant"))
	}
	if len(j.Pending) > 0 {
		parts = append(parts, fmt.Sprintf("%d pending", len(j.Pending)))
	}
	if j.Lease != nil {
		parts = append(parts, "leased")
	}
	if j.Final != nil {
		parts = append(parts, "final "+j.Final.Reason)
	}
	parts = append(parts, orderWords(j.Orders)...)
	if j.Quest != nil {
		q, _, _, err := j.Quest.Fold()
		if err != nil {
			return "a journal whose quest does not fold: " + err.Error()
		}
		parts = append(parts, fmt.Sprintf("quest %d %s, revision %d", j.Quest.Number, q.State, q.Rev))
	}
	for _, r := range c.Reactions {
		parts = append(parts, "reaction "+r.Content)
	}
	return fmt.Sprintf("journal of #%d: %s", n, strings.Join(parts, "; "))
}

// orderWords tells what people commanded.
func orderWords(o journal.Orders) []string {
	var parts []string
	for _, h := range o.Heard {
		parts = append(parts, fmt.Sprintf("heard %q: %s", h.Word, h.Reply))
	}
	if !o.Paused.IsZero() {
		parts = append(parts, "paused")
	}
	if !o.ByHand.IsZero() {
		parts = append(parts, "merged by hand")
	}
	if o.Stopped != nil {
		parts = append(parts, "stopped")
	}
	if o.Zero != (journal.Zero{}) {
		parts = append(parts, fmt.Sprintf("counts from %d rounds, %d reviews, %d hand-overs", o.Zero.Rounds, o.Zero.Reviews, o.Zero.Handoffs))
	}
	return parts
}

func recordWords(body string) string {
	r, _, err := journal.DecodeRecord(body, nil)
	if err != nil {
		return "no record"
	}
	var parts []string
	for _, d := range r.Days {
		parts = append(parts, fmt.Sprintf("%d reviews on %s", len(d.Reviews), d.Day))
	}
	for _, q := range r.Quota {
		parts = append(parts, "no quota for "+string(q.Reviewer))
	}
	if !r.Left.IsZero() {
		parts = append(parts, "left")
	}
	return strings.Join(parts, "; ")
}

// at is a head in words; an issue has none.
func at(head string) string {
	if head == "" {
		return ""
	}
	return " at " + head
}
