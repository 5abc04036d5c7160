package autopilot

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// maxWords bounds what is read of one text, in bytes: GitHub's own limit of a
// comment is 65,536 characters.
const maxWords = 256 << 10

// lines are the lines of a text that its author says himself: those in fences
// and quotations are somebody else's, and code is no prose. What is left is
// trimmed, with Markdown's marks taken off both ends. With quotations they are
// taken for his: notices stand in boxes, which are quotations to Markdown.
//
// whole is false where a fence is left open, or the text is longer than what is
// read: then nobody knows what stands behind.
func lines(text string, quotations bool) (kept []string, whole bool) {
	whole = len(text) <= maxWords
	if len(text) > maxWords {
		text = text[:maxWords]
	}
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		if quotations {
			line = strings.TrimPrefix(strings.TrimLeft(line, "> "), "[!")
		}
		trim := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trim, fence) && strings.Trim(trim, fence[:1]) == "" {
				fence = ""
			}
			continue
		case strings.HasPrefix(trim, "```") || strings.HasPrefix(trim, "~~~"):
			fence = trim[:len(trim)-len(strings.TrimLeft(trim, trim[:1]))]
			continue
		case strings.HasPrefix(trim, ">"), strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
			continue
		}
		if trim = strings.Trim(trim, "#*_-• \t"); trim != "" {
			kept = append(kept, trim)
		}
	}
	return kept, whole && fence == ""
}

// ReadScore reads a score from 1 to 5 out of a text: re begins a line, its
// group is the digit, and nothing but "/5" and signs follows. The last such
// line counts. One that begins like it and goes on with words or digits ("Score:
// 5/50", "Score: 5 if the tests pass") takes the score before it back: a text
// can only make the verdict worse.
//
// The text is what people see (facts.Clean); fences and quotations in it do not
// count.
func ReadScore(re *regexp.Regexp, text string) (score int, ok bool) {
	said, whole := lines(text, false)
	for _, line := range said {
		at := re.FindStringSubmatchIndex(line)
		if at == nil || at[0] != 0 || len(at) < 4 || at[2] < 0 || at[3]-at[2] != 1 {
			continue
		}
		digit := int(line[at[2]] - '0')
		score, ok = digit, digit >= 1 && digit <= 5 && scoreEnds(line[at[1]:])
	}
	if !ok || !whole {
		return 0, false
	}
	return score, true
}

var outOf = regexp.MustCompile(`^(?i)[*_ \t]*(?:/|of|out of)[*_ \t]*5\b`)

// scoreEnds: what stands behind the digit says no more.
func scoreEnds(tail string) bool {
	if m := outOf.FindString(tail); m != "" {
		tail = tail[len(m):]
	}
	return strings.IndexFunc(tail, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '/' }) < 0
}

// A Judgement is what words come to.
type Judgement string

// The judgements. Unclear is no success, and in Mode Y a question for a person.
const (
	Approves Judgement = "approves"
	Objects  Judgement = "objects"
	Unclear  Judgement = "unclear"
)

// approving, objecting and hedging are the words that judge. A hedge or a
// negation in the sentence of an approving word takes it back.
var (
	approving = words(
		`lgtm`, `looks? (?:good|great|fine|right)`, `no (?:major |blocking |further |remaining |open |critical )?(?:issues|problems|blockers|concerns|findings)`,
		`ready (?:to|for) (?:merge|be merged)`, `approved?`, `approving`, `no changes (?:are )?(?:needed|required|necessary)`,
		`(?:did not|didn't|could not|couldn't) (?:find|spot|see) any (?:major |blocking |further )?(?:issues|problems|blockers|bugs)`, `all good`,
	)
	objecting = words(
		`request(?:ing|ed)? changes`, `changes (?:are )?(?:requested|needed|required)`, `needs? (?:changes|work|a fix|to be fixed)`,
		`must be (?:fixed|changed|addressed)`, `please (?:fix|address|change|add|remove|correct)`, `blocking`, `blockers?`, `rejected?`, `not ready`,
		`should be (?:fixed|changed|addressed)`, `do not merge`, `don't merge`,
	)
	hedging = words(
		`not`, `\w+n't`, `cannot`, `never`, `nor`, `neither`, `without`, `but`, `however`, `except`, `apart from`, `aside from`, `unless`, `until`, `if`,
		`once`, `after`, `before`, `when`, `would`, `could`, `should`, `might`, `almost`, `nearly`, `mostly`, `though`, `although`, `other than`, `far from`,
		`hardly`, `barely`, `yet`, `only`, `pending`, `whether`, `dis\w+`, `unapproved`,
	)
)

func words(list ...string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + strings.Join(list, "|") + `)\b`)
}

var (
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	quoted   = regexp.MustCompile(`"[^"\n]*"`)
	sentence = regexp.MustCompile(`[.!;:]+(?:\s|$)|\n`)
)

// plainly is a text in lower case, without code spans and quoted words, with
// one kind of apostrophe.
func plainly(text string, quotations bool) (plain string, whole bool) {
	said, whole := lines(text, quotations)
	s := strings.ToLower(strings.Join(said, "\n"))
	s = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`).Replace(s)
	return quoted.ReplaceAllString(codeSpan.ReplaceAllString(s, " "), " "), whole
}

// outside is how CodeRabbit heads what it found beside the changed lines: GitHub
// takes no thread there, so it stands in the body.
var outside = regexp.MustCompile(`(?i)outside (?:of )?(?:the )?diff range comments? \((\d{1,4})\)`)

// Threadless counts the findings that a body says have no thread.
func Threadless(text string) int {
	n := 0
	for _, m := range outside.FindAllStringSubmatch(text[:min(len(text), maxWords)], -1) {
		if k, err := strconv.Atoi(m[1]); err == nil {
			n += k
		}
	}
	return n
}

// ReadVerdict reads an approval or an objection out of words, sentence by
// sentence. "Not approved", "looks good once the test is there" and "is it ready
// to merge?" approve nothing; an objection anywhere counts over every approval.
// Where neither is plain it is unclear.
func ReadVerdict(text string) Judgement {
	is, hedged := Unclear, false
	plain, whole := plainly(text, false)
	for _, s := range sentence.Split(plain, -1) {
		rest := approving.ReplaceAllString(s, " ")
		switch {
		case objecting.MatchString(rest):
			return Objects
		case rest == s: // nothing in it judges
		case hedging.MatchString(rest) || strings.Contains(s, "?"):
			hedged = true
		default:
			is = Approves
		}
	}
	if !whole || hedged {
		return Unclear
	}
	return is
}
