package report

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// maxStatus bounds the status. The comment that holds it has room for 65,536
// characters, of which the journal may take 60,000 (design 8).
const maxStatus = 5000

// Status is the upper part of the one comment on a pull request: how things
// stand, for a person who comes by. It says nothing about the present moment,
// so that it stays the same while prloop waits, and it holds no text of
// strangers beyond paths and ids in code. It mentions nobody.
func Status(r Run) string {
	text := ""
	// The sentences are ours and short; were one not, it is cut.
	for _, n := range []int{400, 100, 30} {
		if text = standing(r, n); len(text) <= maxStatus {
			break
		}
	}
	// The tables get the room that is left.
	text += reviewers(r, 10).within(maxStatus-len(text), "\n")
	if len(r.Findings) > 0 {
		before := "\n**Open findings: " + strconv.Itoa(len(r.Findings)) + "**\n\n"
		text += openFindings(r.Findings, false, 20).within(maxStatus-len(text), before)
	}
	if len(r.Left) > 0 {
		before := "\n**" + leftWords + ": " + strconv.Itoa(len(r.Left)) + "**\n\n"
		text += openFindings(r.Left, false, 10).within(maxStatus-len(text), before)
	}
	return text
}

// standing is the status down to what a person can do, with sentences of at
// most n characters.
func standing(r Run, n int) string {
	var b strings.Builder
	b.WriteString("### " + headline(r.Decision) + "\n\n")
	if r.Reason != "" {
		b.WriteString(opening(clip(r.Reason, n)) + "\n\n")
	}
	var facts []string
	if w, ok := r.words(); ok {
		facts = append(facts, "**"+capital(w)+"**")
	} else if r.State != "" {
		facts = append(facts, Code(r.State))
	}
	if r.Round > 0 || r.RoundCap > 0 {
		facts = append(facts, rounds(r))
	}
	if r.Head != "" {
		facts = append(facts, "head "+head(r.Head))
	}
	if len(facts) > 0 {
		b.WriteString(strings.Join(facts, " · ") + "\n\n")
	}
	if r.Wait != nil {
		w := *r.Wait
		w.What, w.Then = clip(w.What, n), clip(w.Then, n)
		b.WriteString(waiting(&w) + "\n\n")
	}
	b.WriteString("**What you can do now:** " + toDo(r, n) + "\n")
	if line := lifeCycle(r.Quest); line != "" {
		b.WriteString("\n" + line + "\n")
	}
	for _, a := range r.Answers {
		b.WriteString("\n" + Link("A command", a.URL) + ": " + a.Says + ".\n")
	}
	return b.String()
}

// questWords say what each state of a quest means here (design 3).
var questWords = map[string]string{
	"sensed":       "it was seen",
	"triaged":      "a person chooses what is done with it",
	"researching":  "reviews and checks are gathered",
	"hypothesised": "checkpoint A: what was found is to be approved",
	"reproducing":  "what was found is being reproduced",
	"planned":      "checkpoint B: the plan is to be approved",
	"patching":     "it is with the fixer",
	"proving":      "the head is under checks and review",
	"ready":        "checkpoint C: the merge is to be approved",
	"landing":      "it is being merged",
	"watching":     "it is merged, and the base branch is watched",
	"closed":       "it is merged and was watched to the end",
	"rolled_back":  "the merge is being reverted",
	"parked":       "it stands still until somebody lets it go on",
	"handed_off":   "a person holds the review",
	"abandoned":    "it has ended without a merge",
}

// lifeCycle is where the pull request stands in its life cycle, in one line.
func lifeCycle(q *Quest) string {
	if q == nil {
		return ""
	}
	line := "**Life cycle:** " + Code(q.State)
	if q.Owner != "" {
		line += " by " + Code(q.Owner)
	}
	if q.ReturnTo != "" {
		line += " from " + Code(q.ReturnTo)
	}
	if says := questWords[q.State]; says != "" {
		line += ", " + says
	}
	if q.Rev > 1 {
		line += " (revision " + strconv.Itoa(q.Rev) + ")"
	}
	if len(q.Allowed) > 0 {
		commands := make([]string, len(q.Allowed))
		for i, c := range q.Allowed {
			commands[i] = Code(c)
		}
		line += " · `/prloop` " + strings.Join(commands, ", ")
	}
	return line
}

// place is the link to where a person does it.
func place(r Run) string {
	if r.Place == "" {
		return ""
	}
	return " " + Link("Open it", r.Place) + "."
}

// toDo is what a person can do now, in at most n characters, or that there is
// nothing to do.
func toDo(r Run, n int) string {
	switch {
	case r.ToDo != "":
		return sentence(clip(r.ToDo, n)) + place(r)
	case r.Decision == "wait" || r.Decision == "act":
		return "nothing; prloop goes on by itself."
	case r.Decision == "done":
		return "nothing; prloop has finished here."
	}
	return "nothing."
}

func reviewers(r Run, most int) table {
	list, more := firstOf(r.Reviewers, most)
	t := table{head: []string{"Reviewer", "Status", "Last reviewed", "Rounds"}, more: more}
	for _, v := range list {
		last := "–"
		if v.Head != "" {
			last = Cell(v.Head.Short())
		}
		t.rows = append(t.rows, []string{Cell(v.Name), Prose(clip(v.Status, 200)), last, strconv.Itoa(v.Rounds)})
	}
	return t
}

// leftWords head the table of what minSeverity leaves.
const leftWords = "Open, below minSeverity and not handed over"

// openFindings is the table of findings that are open, with what the first line of
// each says where text is asked for and its author is trusted.
func openFindings(all []Finding, text bool, most int) table {
	list, more := firstOf(all, most)
	t := table{head: []string{"Finding", "Where", "Severity"}, more: more}
	if text {
		t.head = append(t.head, "By", "It says")
	}
	for _, f := range list {
		weight := f.Severity
		if weight == "" {
			weight = "unknown"
		}
		if f.Outdated {
			weight += ", outdated"
		}
		cells := []string{Link(Cell(clip(f.ID, 60)), f.URL), where(f), Prose(weight)}
		if text {
			says := "left out: its author cannot push here"
			if f.Trusted {
				says = Cell(firstLine(f.Text))
			}
			cells = append(cells, Cell(f.Author), says)
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// StatusDigest names a status by its text: two have one digest exactly when
// they read the same.
func StatusDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Note is the one short comment beside the status: it calls a person, or tells
// that the loop is over. Logins are the people to mention (notify: mention);
// without them it mentions nobody. What is no login of a person is left out.
func Note(r Run, logins ...string) string {
	var b strings.Builder
	const most = 10 // people are called, not crowds
	for _, l := range logins[:min(len(logins), most)] {
		if isLogin(l) {
			b.WriteString("@" + l + " ")
		}
	}
	b.WriteString("**" + headline(r.Decision) + "**")
	if r.Head != "" {
		b.WriteString(" at " + head(r.Head))
	}
	b.WriteString(".")
	if r.Reason != "" {
		b.WriteString(" " + opening(clip(r.Reason, 400)))
	}
	if r.ToDo != "" {
		b.WriteString("\n\n**What to do:** " + sentence(clip(r.ToDo, 400)) + place(r))
	}
	return b.String() + "\n"
}

// isLogin reports whether s is spelled like the login of a person: letters, digits and inner hyphens, at most 39 of them.
func isLogin(s string) bool {
	return login.MatchString(s) && len(s) <= 39
}

var login = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
