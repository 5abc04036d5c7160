package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxSummary bounds a summary. GitHub takes 1 MiB for a step, into which more
// than one summary may go.
const maxSummary = 256 << 10

// maxRows bounds each table of a summary of one pull request, so that the
// sections behind it are still read.
const maxRows = 100

// Summary is the job summary of one run, in Markdown: the verdict in one line
// first, then how it came about. It is at most 256 KiB long.
func Summary(r Run) string {
	p := page{max: maxSummary}
	p.add("", verdict(r))
	if r.DryRun {
		p.add("", "This was a dry run: nothing was changed.\n")
	}
	var lines []string
	if r.Wait != nil {
		lines = append(lines, waiting(r.Wait))
	}
	if !r.NextWake.IsZero() {
		lines = append(lines, "**Next look:** "+date(r.NextWake)+" at the latest.")
	}
	if r.ToDo != "" {
		lines = append(lines, "**What you can do now:** "+sentence(clip(r.ToDo, 1000)))
	}
	p.add("", strings.Join(lines, "\n\n")+"\n")
	p.add("Copilot loop", loop(r))
	p.add("Why", why(r))
	p.add("Convergence", convergence(r))
	p.add("Reviewers", reviewers(r, maxRows).String())
	p.add("Checks", checks(r).String())
	p.add("Open findings", findings(r))
	p.add(leftWords, openFindings(r.Left, true, maxRows).String())
	p.add("Effects", effects(r).String())
	p.add("Notices", bullets(r.Notices))
	p.add("", cost(r.Requests, r.Writes, r.Points))
	return p.String()
}

// verdict is the one line that says it all.
func verdict(r Run) string {
	var b strings.Builder
	b.WriteString("## " + headline(r.Decision) + "\n\n**" + Prose(r.Decision) + "**")
	if r.PR != 0 {
		b.WriteString(" · " + Link(Prose(r.Repo+"#"+strconv.Itoa(r.PR)), r.URL))
	}
	if r.Head != "" {
		b.WriteString(" at " + head(r.Head))
	}
	if r.Reason != "" {
		b.WriteString(": " + sentence(clip(r.Reason, 1000)))
	}
	if r.Code != "" {
		b.WriteString(" (" + Code(r.Code) + ")")
	}
	return b.String() + "\n"
}

// loop is the state graph of the Copilot loop with the current state marked,
// and the round.
func loop(r Run) string {
	var b strings.Builder
	if r.State != "" {
		b.WriteString("**State:** " + Code(r.State))
		if w, ok := r.words(); ok {
			b.WriteString(", " + w)
		}
		b.WriteString(". ")
	}
	if r.PR != 0 && (r.Round > 0 || r.RoundCap > 0) {
		b.WriteString("**" + capital(rounds(r)) + ".**")
	}
	if len(r.Graph.States) > 0 {
		b.WriteString("\n\n" + mermaid(r.Graph, r.State))
	}
	if b.Len() == 0 {
		return ""
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// mermaid draws g (https://mermaid.js.org/syntax/stateDiagram.html). What is no
// name of a state is left out: it would be read as syntax.
func mermaid(g Graph, current string) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    classDef current fill:#0969da,stroke:#0969da,color:#ffffff,font-weight:bold\n")
	known := map[string]bool{}
	for _, s := range g.States {
		if stateName.MatchString(s) {
			known[s] = true
			b.WriteString("    " + s + "\n")
		}
	}
	for _, e := range g.Edges {
		if known[e[0]] && known[e[1]] {
			b.WriteString("    " + e[0] + " --> " + e[1] + "\n")
		}
	}
	if known[current] {
		b.WriteString("    class " + current + " current\n")
	}
	b.WriteString("```\n")
	return b.String()
}

var stateName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// why is the rule that decided, with its words.
func why(r Run) string {
	var lines []string
	if r.Rule != "" {
		s := "**Rule** " + Code(r.Rule)
		if r.RuleWords != "" {
			s += ": " + sentence(clip(r.RuleWords, 1000))
		}
		lines = append(lines, s)
	}
	if r.RoutingOutcome != "" {
		lines = append(lines, "**Control** "+Code(r.RoutingOutcome)+": "+sentence(clip(r.RoutingWhy, 500)))
	}
	if r.Event != "" {
		s := "**Event** " + Code(r.Event)
		if r.Why != "" {
			s += ": " + sentence(clip(r.Why, 500))
		}
		lines = append(lines, s)
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n\n") + "\n"
}

// convergence says whether the head has converged, or what is missing.
func convergence(r Run) string {
	switch {
	case r.Converged:
		return "**Converged:** every condition holds for " + head(r.Head) + ".\n" + proof(r.Proof)
	case len(r.Missing) > 0:
		return "Not yet. Still missing:\n\n" + bullets(r.Missing)
	}
	return ""
}

// CheckRun is the proof as a check run shows it: a title, what it says in words,
// and the proof as the command verify takes it.
func CheckRun(p Proof, head, kind string) (title, summary, text string) {
	return "Converged at " + head + " (" + kind + ")", "Proof of convergence, " + Code(p.Digest) + "\n\n" + claims(p), Fence(p.Text)
}

// claims is the table of what a proof says.
func claims(p Proof) string {
	t := table{head: []string{"Claim", "It says"}}
	for _, row := range p.Rows {
		t.rows = append(t.rows, []string{Code(row.Name), Prose(clip(row.Says, 1000))})
	}
	return t.String()
}

// proof is what a head has converged by: for people, and whole, as the command
// verify takes it.
func proof(p *Proof) string {
	if p == nil {
		return ""
	}
	return "\n" + claims(*p) + "\nThe proof as `prloop verify FILE` takes it, " + Code(p.Digest) + ":\n\n" + Fence(p.Text)
}

func checks(r Run) table {
	list, more := firstOf(r.Checks, maxRows)
	t := table{head: []string{"Check", "State", "GitHub says", "Required"}, more: more}
	for _, c := range list {
		required := "no"
		if c.Required {
			required = "yes"
		}
		t.rows = append(t.rows, []string{Cell(c.Name), Prose(c.State), Cell(c.Detail), required})
	}
	return t
}

func findings(r Run) string {
	text := openFindings(r.Findings, true, maxRows).String()
	n := r.Threads
	if n == (ThreadCounts{}) {
		return text
	}
	line := fmt.Sprintf("Threads: %d open, %d awaiting an answer, %d answered, %d by accounts that cannot push here.\n",
		n.Open, n.Awaiting, n.Answered, n.Untrusted)
	if text == "" {
		return line
	}
	return line + "\n" + text
}

func effects(r Run) table {
	list, more := firstOf(r.Effects, maxRows)
	t := table{head: []string{"Effect", "Outcome", "Result", "Note"}, more: more}
	for _, e := range list {
		t.rows = append(t.rows, []string{Prose(clip(e.Words, 300)), Prose(e.Outcome), Cell(e.Result), Prose(clip(e.Note, 300))})
	}
	return t
}

// bullets is a list of sentences of ours.
func bullets(list []string) string {
	var b strings.Builder
	list, more := firstOf(list, maxRows)
	for _, s := range list {
		b.WriteString("- " + sentence(clip(s, 1000)) + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "- … and %d more.\n", more)
	}
	return b.String()
}

// cost is what the run asked of GitHub.
func cost(requests, writes, points int) string {
	return fmt.Sprintf("<sub>%s, %s, %s.</sub>\n",
		count(requests, "request"), count(writes, "write"), count(points, "GraphQL point"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// firstLine is the first line of text that says something: tags are left out,
// because reviewers put pictures of a severity in front.
func firstLine(text string) string {
	const enough = 4 << 10
	text = text[:min(len(text), enough)]
	for line := range strings.Lines(tag.ReplaceAllString(Plain(text), "")) {
		if s := strings.Trim(Line(strings.ReplaceAll(line, "**", "")), "#> "); s != "" {
			return clip(s, 120)
		}
	}
	return ""
}

var tag = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)

// SummarySweep is the job summary of a run over many pull requests: what it
// came to in one line, then a table, the most urgent ones first. A run without
// a number speaks for the sweep itself, as in [SweepOutputs]. It is at most
// 256 KiB long.
func SummarySweep(runs []Run) string {
	all := pulls(runs)
	counts := map[string]int{}
	var requests, writes, points int
	var notices []string
	dryRun, heading := false, "prloop looked at every selected pull request"
	var own []Effect
	for _, r := range runs {
		requests, writes, points = max(requests, r.Requests), max(writes, r.Writes), max(points, r.Points)
		dryRun = dryRun || r.DryRun
		if r.PR == 0 {
			notices, own = append(notices, r.Notices...), append(own, r.Effects...)
			if r.Heading != "" {
				heading = r.Heading
			}
			continue
		}
		counts[r.Decision]++
	}
	var each []string
	for _, d := range urgency {
		if counts[d] > 0 {
			each = append(each, strconv.Itoa(counts[d])+" "+d)
		}
	}
	line := "**" + count(len(all), "pull request") + "**"
	if len(each) > 0 {
		line += ": " + strings.Join(each, ", ")
	}

	p := page{max: maxSummary}
	p.add("", "## "+heading+"\n\n"+line+".\n")
	if dryRun {
		p.add("", "This was a dry run: nothing was changed.\n")
	}
	t := table{head: []string{"Pull request", "Decision", "Why", "State", "Round", "Next look"}}
	room := maxSummary - 64<<10 // for what comes behind the table
	for i, at := range byUrgency(all) {
		cells := sweepRow(all[at])
		if room -= len(strings.Join(cells, " | ")) + len("|  |\n"); room < 0 {
			t.more = len(all) - i
			break
		}
		t.rows = append(t.rows, cells)
	}
	p.add("", t.String())
	p.add("Effects", effects(Run{Effects: own}).String())
	p.add("Notices", bullets(notices))
	p.add("", cost(requests, writes, points))
	return p.String()
}

func sweepRow(r Run) []string {
	next := "–"
	if !r.NextWake.IsZero() {
		next = date(r.NextWake)
	}
	state := "–"
	if r.State != "" {
		state = Cell(r.State)
	}
	reason := Cell(r.Code)
	if r.Reason != "" {
		reason = sentence(clip(r.Reason, 200)) + " " + reason
	}
	round := strconv.Itoa(r.Round)
	if r.RoundCap > 0 {
		round += " of " + strconv.Itoa(r.RoundCap)
	}
	return []string{Link(strconv.Itoa(r.PR), r.URL), Prose(r.Decision), reason, state, round, next}
}

// A page is a text of sections with a bound: a section that does not fit is
// left out as a whole, so that no table and no fence is ever cut, and is named
// at the end.
type page struct {
	max  int
	b    strings.Builder
	left []string
}

// add appends a section under a heading, or without one; an empty text is no
// section.
func (p *page) add(heading, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s := text
	if heading != "" {
		s = "### " + heading + "\n\n" + text
	}
	if p.b.Len() > 0 {
		s = "\n" + s
	}
	const room = 1 << 10 // for the last line
	if p.b.Len()+len(s) > p.max-room {
		if heading != "" {
			p.left = append(p.left, strings.ToLower(heading))
		}
		return
	}
	p.b.WriteString(s)
}

// String is the page.
func (p *page) String() string {
	if len(p.left) == 0 {
		return p.b.String()
	}
	return p.b.String() + "\nLeft out, because it would not fit: " + strings.Join(p.left, ", ") + ".\n"
}
