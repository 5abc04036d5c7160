package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// A reviewer whose trigger is a command is a job of the user's: a hand-over of the
// step review asks it about the head, and its report is its review (design 4). What
// it said stands in one comment of ours, so that GitHub itself knows of it.

// The topic of that comment: review_by_<name>_<clean|found>_<score>, with the name in
// lower case. The score is 0 where none was given.
const topicReviewBy = "review_by_"

// A CommandReview is one review by a job.
type CommandReview struct {
	Name  string // the reviewer's, in lower case
	Clean bool
	Score int // 1 to 5; 0: none
	Head  pr.SHA
	At    time.Time // of the comment; zero where only the journal knows of it
	// Items are what it found, in Markdown of ours; empty where the comment is gone.
	Items []string
	URL   string
}

// ReviewTopic is the topic of the comment with a job's review.
func ReviewTopic(name string, clean bool, score int) string {
	word := "found"
	if clean {
		word = "clean"
	}
	return fmt.Sprintf("%s%s_%s_%d", topicReviewBy, strings.ToLower(name), word, score)
}

// ReadReviewTopic reads a topic that ReviewTopic wrote.
func ReadReviewTopic(topic string) (CommandReview, bool) {
	rest, ok := strings.CutPrefix(topic, topicReviewBy)
	if !ok {
		return CommandReview{}, false
	}
	parts := strings.Split(rest, "_")
	if len(parts) != 3 || parts[0] == "" || parts[1] != "clean" && parts[1] != "found" {
		return CommandReview{}, false
	}
	score, err := strconv.Atoi(parts[2])
	return CommandReview{Name: parts[0], Clean: parts[1] == "clean", Score: score}, err == nil && score >= 0 && score <= 5
}

// findingMark begins the line of what a job's review found; the word behind it says
// how grave it is.
const findingMark = "- **"

// ReviewItem is one line of a job's review. The text is Markdown of ours.
func ReviewItem(severity, text string) string { return findingMark + severity + "** " + text }

// ReviewItems are the lines of a job's review that found something.
func ReviewItems(body string) []string {
	var list []string
	for l := range strings.Lines(body) {
		if strings.HasPrefix(l, findingMark) {
			list = append(list, strings.TrimSpace(strings.TrimPrefix(l, "- ")))
		}
	}
	return list
}

// reviewsBy are the reviews that a job gave under this name, the newest last.
func (in *loopInput) reviewsBy(name string) []CommandReview {
	name = strings.ToLower(name)
	var all []CommandReview
	for _, t := range in.Journal.Told {
		if v, ok := ReadReviewTopic(t.Topic); ok && v.Name == name {
			v.Head = pr.SHA(t.Head.Short())
			all = append(all, v)
		}
	}
	for _, c := range in.Snapshot.Comments {
		topic, head, ok := effect.ParseNote(c.Body)
		v, is := ReadReviewTopic(topic)
		if !ok || !is || v.Name != name || !c.Mine || !byAuthor(c) {
			continue
		}
		v.Head, v.At, v.Items = head, c.CreatedAt, ReviewItems(c.Body)
		i := slices.IndexFunc(all, func(w CommandReview) bool {
			return w.Head == head && w.Clean == v.Clean && w.Score == v.Score
		})
		if i < 0 {
			all = append(all, v)
			continue
		}
		all[i] = v
	}
	return all
}

// command fills r in from what its job reported, and from the hand-overs that asked
// it.
func (r *Reviewer) command(in *loopInput) {
	list := in.reviewsBy(r.Name)
	r.Rounds, r.Present = len(list), len(list) > 0
	for _, h := range in.Journal.Handoffs {
		if h.Reviewer == r.Name && h.Head == in.Snapshot.Head {
			r.Job, r.Asked = h, journal.Request{Head: h.Head, At: h.At, Tries: r.Asked.Tries + 1}
		}
	}
	for i := range list {
		v := &list[i]
		if in.Snapshot.Missing(pr.FactComments) != nil || v.Head != pr.SHA(in.Snapshot.Head.Short()) || r.AtHead && r.By.At.After(v.At) {
			continue
		}
		r.AtHead, r.Content, r.Score = true, v.Clean, v.Score
		r.By = &autopilot.Said{At: v.At, Commit: in.Snapshot.Head, Text: strings.Join(v.Items, "\n")}
		r.Judges, r.Findings = "", nil
		if !v.Clean {
			r.object(v)
		}
	}
}

// object makes findings of what the job found. Without its comment nobody can read
// them any more, which is one.
func (r *Reviewer) object(v *CommandReview) {
	r.Judges = "it found " + plural(len(v.Items), "thing")
	for _, text := range v.Items {
		word, _, _ := strings.Cut(strings.TrimPrefix(text, "**"), "**")
		r.Findings = append(r.Findings, Finding{
			ID: "body:" + key("", r.Name+"\n"+text), Bot: true, Trusted: true, Severity: weightOf(word), Text: r.Name + ": " + text,
		})
	}
	if len(v.Items) == 0 {
		r.Judges = "what it found is no longer there to read"
		r.Findings = []Finding{{
			ID: fmt.Sprintf("body:review-by-%s@%s", r.Name, v.Head), Bot: true, Trusted: true, Severity: High, Text: r.Name + ": " + r.Judges + ".",
		}}
	}
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// weights of the words in front of what a job found: severities, and rulings.
func weightOf(word string) string {
	switch strings.ToLower(word) {
	case "critical", "high", "pause":
		return High
	case "low", "note":
		return Low
	}
	return Mid
}

// mostJobs is how often a job is started for one head: once more where it does not
// report (design 5), and once for each retry of a person.
const mostJobs = 2

func (l *looking) jobs() int {
	if r := l.in.Journal.Orders.Retried; r != nil && r.Head == l.in.Snapshot.Head {
		return mostJobs + r.Jobs
	}
	return mostJobs
}

// jobOut: it was handed over, and its time is not over.
func (l *looking) jobOut() bool {
	if l.Asked.Tries == 0 {
		return false
	}
	l.Since, l.Until = l.Job.At, l.Job.Deadline
	redo := 0
	if r := l.in.Journal.Orders.Retried; r != nil && r.Head == l.in.Snapshot.Head {
		redo = r.Redo
	}
	return l.in.Snapshot.At.Before(l.Job.Deadline) && l.Job.Number != redo
}

// jobBlocked: it reported that it cannot review this head.
func (l *looking) jobBlocked() bool {
	return l.Job.Parked != ""
}

// jobSilent: it was started as often as may be, and did not report.
func (l *looking) jobSilent() bool {
	return l.Asked.Tries >= l.jobs()
}

// commandRows are loopRows for a reviewer that is a job.
var commandRows = []loopRow{
	{"ra", "it has reviewed the head", copilot.NotRequested, func(l *looking) bool { return l.AtHead }},
	{"rf", "comments could not be read in full", copilot.Requested, (*looking).unread},
	{"rm", "its job reports that it cannot review the head", copilot.Unavailable, (*looking).jobBlocked},
	{"rn", "its job has the head, and has not reported yet", copilot.AlreadyRequested, (*looking).jobOut},
	{"ro", "its job was started as often as may be, and did not report", copilot.RequestFailed, (*looking).jobSilent},
	{"rp", "its job is to be started", copilot.NotRequested, func(*looking) bool { return true }},
}
