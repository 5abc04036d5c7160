package facts

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"github.com/prloop/prloop/internal/pr"
)

// notices are the bodies that stand where a review should, by how they begin.
// The first row that fits names the kind. They are GitHub's fixed messages, as
// seen until November 2026.
var notices = []struct {
	kind   Kind
	begins []string
	has    string // and what else the beginning holds
}{
	{ErrorNotice, []string{"copilot encountered an error"}, ""},
	{NothingToReview, unable("review any files"), ""},
	{QuotaNotice, unable("review"), "quota"},
	{QuotaNotice, unable("review"), "premium request"},
	{ErrorNotice, unable("review this pull request"), ""}, // too large, no access, and whatever comes
	{StillReviewing, []string{"copilot is still reviewing"}, ""},
}

func unable(to string) []string {
	return []string{
		"copilot was unable to " + to,
		"copilot was not able to " + to,
		"copilot wasn't able to " + to,
		"copilot is unable to " + to,
	}
}

// noticeOf reports which notice a body is.
func noticeOf(body string) (Kind, bool) {
	const beginning = 600
	if !beginsAsNotice(body) {
		return "", false
	}
	s := strings.ToLower(squeeze(Clean(bound(body, beginning))))
	s = strings.ReplaceAll(s, "’", "'")
	s = strings.TrimLeftFunc(s, notLetter)
	for _, n := range notices {
		for _, b := range n.begins {
			if strings.HasPrefix(s, b) && strings.Contains(s, n.has) {
				return n.kind, true
			}
		}
	}
	return "", false
}

// beginsAsNotice: the first word is Copilot's name, or hidden so well that it
// has to be looked for. Most bodies need no closer look.
func beginsAsNotice(body string) bool {
	const name = "copilot"
	body = strings.TrimPrefix(strings.TrimSpace(body), markerV2)
	if strings.HasPrefix(strings.TrimSpace(body), "<!--") {
		return true
	}
	body = strings.TrimLeftFunc(body, notLetter)
	if len(body) < len(name) {
		return false
	}
	return strings.EqualFold(body[:len(name)], name) || strings.IndexFunc(body[:len(name)], func(r rune) bool { return r >= 0x80 }) >= 0
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// verdicts are the headings in which a layout gives its judgement. Any other
// one is unknown, which is not clean.
var verdicts = []struct {
	says  string
	clean bool
}{
	{"approval recommended", true},
	{"approved", true},
	{"changes recommended", false},
	{"needs a closer look", false},
}

func verdictOf(heading string) (clean, known bool) {
	for _, v := range verdicts {
		if v.says == heading {
			return v.clean, true
		}
	}
	return false, false
}

// layouts are the forms that Copilot's overview has had. The first row that
// fits is the body's layout; what it asks of a clean body is beside it. All
// layouts ask besides that no list has an entry, that no heading is a verdict
// that is not clean, and that nothing is out of form (see isClean).
var layouts = []struct {
	version string
	since   string // first seen
	fits    func(reading) bool
	clean   func(reading) bool
}{
	{"v2", "2026-09", v2, func(r reading) bool { return green(r) && r.says[sayFindings].none }},
	{"v2oct", "2026-10", v2oct, func(r reading) bool { return green(r) && r.says[sayOpen].none }},
	{"mid", "2026-07", mid, func(r reading) bool { return green(r) && r.says[sayComments].none }},
	{"v1", "2025", v1, func(r reading) bool { return r.says[sayGenerated].none }},
}

// v2: the marker, a verdict, and either the title of the overview or a line
// that counts findings.
func v2(r reading) bool {
	says := r.says[sayFindings]
	return r.marked && judged(r) && (r.title == "copilot review overview" || says.none || says.some)
}

// v2oct: the marker and a verdict; the title is gone.
func v2oct(r reading) bool { return r.marked && judged(r) }

// mid: no marker, and the verdict comes first.
func mid(r reading) bool { return !r.marked && r.first == 3 && judged(r) }

// v1: the title "Pull request overview", or how many comments were generated.
func v1(r reading) bool {
	says := r.says[sayGenerated]
	return !r.marked && (r.title == "pull request overview" || says.none || says.some)
}

func judged(r reading) bool {
	_, known := verdictOf(r.verdict)
	return known
}

func green(r reading) bool {
	clean, _ := verdictOf(r.verdict)
	return clean
}

// isClean: beside what its layout asks, nothing in the body speaks of a
// finding, and nothing is out of form.
func isClean(r reading) bool {
	return len(r.items) == 0 && !r.notClean && !r.drift && !slices.ContainsFunc(r.says[:], func(s said) bool { return s.some })
}

// classifyAll classifies Copilot's submitted reviews, oldest first. Of two in
// one second GitHub does not tell the order; then the one that says less well
// of the head counts as the newer, so that it decides.
func classifyAll(snap *pr.Snapshot) []Review {
	var all []Review
	opened := map[string]int{} // threads, by the review that opened them
	for i := range snap.Threads {
		if t := &snap.Threads[i]; len(t.Comments) > 0 && t.Comments[0].ReviewID != "" {
			opened[t.Comments[0].ReviewID]++
		}
	}
	for _, r := range snap.Reviews {
		if r.Author.IsCopilotReviewer() && r.State != pr.Pending {
			all = append(all, classify(snap, r, opened[r.ID]))
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(
			a.SubmittedAt.Compare(b.SubmittedAt),
			cmp.Compare(a.badness(), b.badness()),
			strings.Compare(a.ID, b.ID),
		) < 0
	})
	return all
}

// badness orders reviews of one second: what is no review at all, then clean
// ones, then those with findings.
func (r Review) badness() int {
	switch {
	case r.Kind != Genuine:
		return 0
	case r.Clean:
		return 1
	default:
		return 2 + len(r.Findings)
	}
}

// notice reports whether a review of this kind is a notice that stands where a
// review should.
func (k Kind) notice() bool {
	switch k {
	case ErrorNotice, QuotaNotice, NothingToReview, StillReviewing, UnknownLayout:
		return true
	case Genuine, Container, Dismissed, Unbound:
	}
	return false
}

// classify says what a submitted review is that opened so many threads. Structure comes first: its state,
// its commit, its threads. The body can only make the verdict worse: a review
// of whatever body is at best what it would be with a clean one
// (TestNoBodyBeatsACleanOne).
//
//   - A dismissed review does not count.
//   - What opened threads or requests changes is a review, whatever its body.
//   - Else the body may be a notice; in an unknown layout, one that nobody knows.
//   - Nothing in it at all: it holds somebody's reply (design 4).
//   - What is not bound to a commit is no review of anything.
func classify(snap *pr.Snapshot, r pr.Review, threads int) Review {
	out := Review{Review: r, Threads: threads}
	if r.State == pr.Dismissed {
		out.Kind = Dismissed
		return out
	}
	if r.State != pr.Commented && r.State != pr.Approved && r.State != pr.ChangesRequested {
		out.Kind = UnknownLayout // a state that nobody knows
		return out
	}
	found := out.Threads > 0 || r.State == pr.ChangesRequested
	if kind, ok := noticeOf(r.Body); ok && !found {
		out.Kind = kind
		if kind == QuotaNotice {
			out.QuotaUntil = statedTime(r.Body, r.SubmittedAt)
		}
		return out
	}
	reading := read(r.Body)
	for _, l := range layouts {
		if l.fits(reading) {
			out.Layout = l.version
			out.Clean = r.State != pr.ChangesRequested && l.clean(reading) && isClean(reading)
			break
		}
	}
	switch {
	case out.Layout == "" && !found && strings.TrimSpace(Clean(bound(r.Body, maxRead))) == "":
		out.Kind = Container
		return out
	case out.Layout == "" && !found:
		out.Kind = UnknownLayout
		return out
	case r.Commit == "":
		out.Kind = Unbound
		return out
	}
	out.Kind = Genuine
	out.Findings = bodyFindings(snap, out, reading)
	return out
}

// bodyFindings are the findings of a body that have no thread: entries of its
// lists that link to no discussion, and where its verdict is not clean although
// nothing at all has a thread, the verdict itself. So a body that can never
// change ("needs a closer look", nothing open) reaches a person once.
func bodyFindings(snap *pr.Snapshot, r Review, body reading) []Finding {
	var all []Finding
	seen := map[string]int{}
	add := func(path string, line int, text, level string) {
		text = excerpt(text)
		k := key(path, text)
		seen[k]++
		if n := seen[k]; n > 1 { // the same words at another line
			k = fmt.Sprintf("%s-%d", k, n)
		}
		if level == "" {
			level = stated(text)
		}
		unsure := level == "" && !weighed(text)
		if level == "" {
			level = severity(text)
		}
		all = append(all, Finding{
			ID:       "body:" + k,
			Path:     path,
			Line:     line,
			Author:   r.Author.Login,
			Bot:      r.Author.Bot,
			Trusted:  true, // it is a reviewer of the loop
			Severity: level,
			Text:     text,
			URL:      r.URL,
			Unsure:   unsure,
		})
	}
	linked := false
	for _, i := range body.items {
		if i.link != "" && hasDiscussion(snap, i.link) {
			linked = true
			continue
		}
		add(i.path, i.line, i.text, i.severity)
	}
	if len(all) == 0 && !linked && r.Threads == 0 && !r.Clean {
		add("", 0, verdictText(r, body), Mid)
		all[0].Unsure = true // a verdict, of which nobody says how grave it is
	}
	return all
}

// verdictText is a verdict as a finding: its words and the sentence below it;
// of a layout without a verdict, how the body begins.
func verdictText(r Review, body reading) string {
	if judged(body) {
		return body.spoken + "\n\n" + body.lead
	}
	if text := excerpt(bound(r.Body, maxText)); text != "" {
		return text
	}
	return "Changes are requested, without a word."
}

// hasDiscussion reports whether one of the threads, resolved or not, is the
// discussion that a body links to. Where there are threads and none of them
// shows such an address, there is nothing to compare, and the link is believed.
func hasDiscussion(snap *pr.Snapshot, link string) bool {
	addressed, some := false, false
	for i := range snap.Threads {
		for j := range snap.Threads[i].Comments {
			url := snap.Threads[i].Comments[j].URL
			if strings.HasSuffix(url, "#"+link) {
				return true
			}
			some, addressed = true, addressed || strings.Contains(url, "#discussion_r")
		}
	}
	return some && !addressed
}

// The times that a quota notice may state: until when there is no quota.
var statedTimes = []struct {
	form   *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})`), time.RFC3339},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}`), time.DateOnly},
	{regexp.MustCompile(`(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}`), "January 2, 2006"},
	{regexp.MustCompile(`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}, \d{4}`), "Jan 2, 2006"},
}

// longestQuota bounds a stated time: quotas are monthly.
const longestQuota = 40 * 24 * time.Hour

// statedTime is the time that a quota notice states, in UTC; a day stands for
// its beginning. A time in the past, or too far away to be a quota's, is none.
func statedTime(body string, submitted time.Time) time.Time {
	body = Clean(bound(body, maxText))
	for _, s := range statedTimes {
		t, err := time.Parse(s.layout, s.form.FindString(body))
		if err == nil && t.After(submitted) && t.Before(submitted.Add(longestQuota)) {
			return t.UTC()
		}
	}
	return time.Time{}
}
