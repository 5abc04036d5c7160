package autopilot

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A NoticeKind is what stands where a review should.
type NoticeKind string

// The kinds of notices. None of them is a review, and none is clean.
const (
	Refused    NoticeKind = "refused"     // the reviewer will not do it
	RateWindow NoticeKind = "rate_window" // not before a time
	NoQuota    NoticeKind = "quota"       // what was paid for is used up
	Skipped    NoticeKind = "skipped"     // it looked at nothing
	Failed     NoticeKind = "failed"      // it met an error
)

// A Notice is a text that stands where a review should.
type Notice struct {
	Kind NoticeKind
	// Until is from when on the reviewer may be asked again, as the notice says;
	// zero where it names no time.
	Until time.Time
}

// notices are the ways to say that nothing was reviewed. The first row that
// holds for a sentence names the kind; those with a time come first, since a
// limit is often told as a refusal too.
var notices = []struct {
	kind NoticeKind
	is   *regexp.Regexp
}{
	{RateWindow, regexp.MustCompile(`\brate[- ]limit(?:ed| exceeded| reached| hit)|\breview limit reached|\bplease wait\b.*\bbefore (?:requesting|asking)`)},
	{NoQuota, regexp.MustCompile(`\busage limits?\b|\bquota\b.*\b(?:limit|exceeded|reached|used up|exhausted)|\b(?:reached|exceeded)\b.*\bquota\b|\bspend(?:ing)? limit\b|\bout of credits\b|\bno (?:more )?premium requests\b`)},
	{Skipped, regexp.MustCompile(`^reviews? (?:was |were |is |are )?(?:skipped|paused|disabled)\b|^auto(?:matic)? reviews? (?:is|are) (?:paused|disabled)|\bno files? (?:to|could be) review(?:ed)?\b`)},
	{Failed, regexp.MustCompile(`\bencountered an error\b|\bsomething went wrong\b|\bfailed to (?:review|complete|run)\b`)},
	{Refused, regexp.MustCompile(`^(?:sorry,? )?(?:but )?i(?:'m| am) (?:unable|not able)\b|^(?:sorry,? )?(?:but )?i (?:cannot|can't|can not|won't|will not)\b|\bcan't proceed\b|\bcannot proceed\b|\bi(?:'m| am) unable to\b|\boutside (?:of )?(?:my|the) scope\b|\bnot able to (?:review|help|do|make|complete)`)},
}

// noticeWithin is how far into a text a notice is looked for, in sentences: one
// further down speaks of the code.
const noticeWithin = 6

// ReadNotice tells a notice from a review. A text with a score or findings
// beside it is no notice; whoever calls looks at those first. at is when the
// text was written: a time that it names counts from then. refusals are the
// reviewer's own words (Reviewer.Refusals).
func ReadNotice(text string, refusals []string, at time.Time) (Notice, bool) {
	plain, _ := plainly(text, true)
	for i, s := range sentence.Split(plain, noticeWithin+1) {
		if i == noticeWithin {
			break
		}
		s = strings.TrimLeft(strings.TrimSpace(s), "!⚠️❌ℹ ")
		for _, n := range notices {
			if n.is.MatchString(s) {
				return Notice{Kind: n.kind, Until: until(plain, at)}, true
			}
		}
		for _, r := range refusals {
			if strings.Contains(s, r) {
				return Notice{Kind: Refused}, true
			}
		}
	}
	return Notice{}, false
}

// longestWindow bounds a time that a notice names: quotas are monthly.
const longestWindow = 40 * 24 * time.Hour

var (
	stamp = regexp.MustCompile(`\d{4}-\d{2}-\d{2}t\d{2}:\d{2}:\d{2}(?:z|[+-]\d{2}:\d{2})`)
	span  = regexp.MustCompile(`\b(?:wait|in|after|within)\s+\**(\d{1,5})\**\s*(seconds?|minutes?|hours?|days?)(?:,?\s*(?:and\s+)?\**(\d{1,5})\**\s*(seconds?|minutes?|hours?))?`)
)

// until is the time that a notice names: a moment, or a span from at on. One in
// the past, or too far away, is none.
func until(plain string, at time.Time) time.Time {
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(stamp.FindString(plain))); err == nil {
		return within(t.UTC(), at)
	}
	m := span.FindStringSubmatch(plain)
	if m == nil {
		return time.Time{}
	}
	return within(at.Add(spanOf(m[1], m[2])+spanOf(m[3], m[4])), at)
}

func within(t, at time.Time) time.Time {
	if t.After(at) && t.Before(at.Add(longestWindow)) {
		return t
	}
	return time.Time{}
}

func spanOf(number, unit string) time.Duration {
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	switch strings.TrimSuffix(unit, "s") {
	case "second":
		return time.Duration(n) * time.Second
	case "minute":
		return time.Duration(n) * time.Minute
	case "hour":
		return time.Duration(n) * time.Hour
	case "day":
		return time.Duration(n) * 24 * time.Hour
	}
	return 0
}
