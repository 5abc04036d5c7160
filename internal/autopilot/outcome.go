package autopilot

import (
	"strings"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A Said is one thing that a reviewer said: a review, or a comment of the
// conversation.
type Said struct {
	ID     string
	At     time.Time
	Commit pr.SHA // that a review looked at; empty for a comment
	Review bool
	State  pr.ReviewState // of a review
	// Text is what people see of its body (facts.Clean); Threads counts the
	// review threads that it opened.
	Text    string
	Threads int
	URL     string
}

// A Run is the newest check run of a reviewer on the head, in GitHub's words
// (enums CheckStatusState, CheckConclusionState); empty where there is none.
type Run struct {
	State, Conclusion string
}

// Seen is what an outcome is read from.
type Seen struct {
	Head   pr.SHA
	HeadAt time.Time
	// AskedAt is when the reviewer was asked for this head; zero where it was
	// not.
	AskedAt time.Time
	Said    []Said // oldest first
	Run     Run
}

// An Outcome is what a reviewer came to on a pull request. Unknown and missing
// are no success.
type Outcome struct {
	// Rounds counts what it reviewed, on any head; Present is that there is one.
	Rounds  int
	Present bool
	// AtHead: its signal for this head is there. By is what it said; nil where
	// the signal is a check.
	AtHead bool
	By     *Said
	// Content: it is a success. Score is what it gave, 0 where it gives none.
	Content bool
	Score   int
	// Judges says in our words what is not content and has no thread: "the score
	// is 3 of 5". Empty where nothing is.
	Judges string
	// Threads counts what its reviews of this head opened.
	Threads int
	// Silent: it reviewed this head, and the signal is missing.
	Silent bool
	// Notice is the newest notice since the head appeared; nil where none is.
	Notice   *Notice
	NoticeAt time.Time
	// Working: its check run on the head has not ended.
	Working bool
}

// Read reads what a reviewer came to. A review counts by its commit, and of
// those of the head the newest; a comment by being newer than the head and, for
// a reviewer that has to be asked, newer than the question (design 4).
func (r Reviewer) Read(s Seen) Outcome {
	var o Outcome
	for i := range s.Said {
		r.hear(&o, s, &s.Said[i])
	}
	if r.Signal == Check {
		r.look(&o, s)
	}
	o.Present = o.Rounds > 0
	return o
}

// hear takes in one thing that was said.
func (r Reviewer) hear(o *Outcome, s Seen, said *Said) {
	if said.Review && (said.State == pr.Dismissed || said.State == pr.Pending) {
		return
	}
	here := s.here(r, said)
	score, scored := 0, false
	if r.Signal == Score {
		score, scored = ReadScore(Pattern(r.ScoreLine), said.Text)
	}
	found := said.Threads > 0 || said.State == pr.ChangesRequested
	if !found && !scored {
		if n, ok := ReadNotice(said.Text, r.Refusals, said.At); ok {
			if here {
				o.Notice, o.NoticeAt = &n, said.At
			}
			return
		}
		if said.Review && strings.TrimSpace(said.Text) == "" && said.State != pr.Approved {
			return // the container of a reply
		}
	}
	if !said.Review && !r.speaks(said, scored) {
		// A remark, and no review; but of somebody who was asked, an answer that
		// lacks the signal.
		o.Silent = o.Silent || here && r.Trigger == Mention && !o.AtHead
		return
	}
	o.Rounds++
	if !here {
		return
	}
	o.Threads += said.Threads
	// Of two in one second nobody knows the order (case C049); then the one that
	// is not content counts.
	worse := o.By != nil && o.By.At.Equal(said.At) && o.AtHead && !o.Content
	if r.Signal != Check && !worse {
		r.judge(o, said, score, scored)
	}
	if o.Notice != nil && !said.At.Before(o.NoticeAt) {
		o.Notice = nil
	}
}

// speaks: a comment of the conversation has the signal in it.
func (r Reviewer) speaks(said *Said, scored bool) bool {
	switch {
	case !r.Remarks:
		return false
	case r.Signal == Score:
		return scored
	case r.Signal == Verdict:
		return ReadVerdict(said.Text) != Unclear
	}
	return false
}

// here: it speaks of this head.
func (s Seen) here(r Reviewer, said *Said) bool {
	if said.Review {
		return said.Commit == s.Head
	}
	if r.Trigger == Mention && s.AskedAt.IsZero() {
		return false
	}
	return said.At.After(s.HeadAt) && said.At.After(s.AskedAt)
}

// judge reads the signal of something said about the head.
func (r Reviewer) judge(o *Outcome, said *Said, score int, scored bool) {
	o.By, o.Score, o.Silent = said, 0, false
	switch r.Signal {
	case Score:
		o.AtHead, o.Silent = scored, !scored
		o.Score, o.Content = score, scored && score >= r.Threshold && said.State != pr.ChangesRequested
		o.Judges = judges(score, r.Threshold)
	case Verdict:
		o.AtHead = true
		v := ReadVerdict(said.Text)
		if said.Threads > 0 && v == Unclear {
			v = Approves // its threads are its objections
		}
		o.Content = v == Approves && said.State != pr.ChangesRequested
		o.Judges = map[Judgement]string{Approves: "", Objects: "it objects", Unclear: "its words do not say whether it approves"}[v]
	case Threads:
		o.AtHead, o.Content = true, said.State != pr.ChangesRequested || said.Threads > 0
		o.Judges = ""
		switch n := Threadless(said.Text); {
		case !o.Content:
			o.Judges = "it requests changes"
		case n > 0:
			o.Content, o.Judges = false, "its body has findings that have no thread"
		case said.Threads == 0 && said.State != pr.Approved && ReadVerdict(said.Text) == Objects:
			o.Content, o.Judges = false, "it objects, and opened no thread"
		}
	case Check, Report:
	}
	// Nothing is refused without a word: what no thread carries is said here.
	if o.AtHead && !o.Content && said.Threads == 0 && o.Judges == "" {
		o.Judges = "it requests changes"
	}
}

func judges(score, threshold int) string {
	const digits = "012345"
	if score >= threshold || score < 1 || threshold > 5 {
		return ""
	}
	return "the score is " + digits[score:score+1] + " of 5, and " + digits[threshold:threshold+1] + " is asked for"
}

// conclusions is what the check run of a reviewer says. Every other conclusion
// says nothing: it reviewed nothing. NEUTRAL is how a reviewer concludes that
// has findings, and never a success.
var conclusions = []struct {
	conclusion string
	content    bool
	judges     string
}{
	{"SUCCESS", true, ""},
	{"NEUTRAL", false, "its check ended neutral, which is how it ends with findings"},
	{"FAILURE", false, "its check failed"},
	{"ACTION_REQUIRED", false, "its check asks for an action"},
}

// look reads the check run of the head.
func (r Reviewer) look(o *Outcome, s Seen) {
	run := s.Run
	if run.State == "" {
		return
	}
	if !strings.EqualFold(run.State, "COMPLETED") {
		o.Working = true
		return
	}
	for _, c := range conclusions {
		if strings.EqualFold(c.conclusion, run.Conclusion) {
			o.AtHead, o.Content, o.Judges = true, c.content, c.judges
			if o.Threads > 0 {
				o.Judges = "" // its threads say it
			}
			o.Rounds = max(o.Rounds, 1)
			return
		}
	}
	o.Silent = true
}
