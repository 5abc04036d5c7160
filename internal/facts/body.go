package facts

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// A reading is what the body of an overview says, read line by line. Nothing in
// it is a number: a count in a body is an advertisement, threads are facts
// (C029). All there is are statements that something was found, or was not.
type reading struct {
	marked bool // the first line is the marker of the second generation
	// first is the level of the first heading outside details, and title the
	// words of the first one of level 2; verdict those of the first of level 3.
	first   int
	title   string
	verdict string
	spoken  string // the verdict as it was spelt
	lead    string // the paragraph below the verdict
	// notClean: some heading, at whatever place, is a verdict that is not clean.
	notClean bool
	says     [statements]said
	// drift: what a known layout does not have, so that something may be
	// overlooked: a fence left open, a list under an unknown title.
	drift bool
	items []item
}

// A said is what a body stated of one thing: that there is none, or that there
// is some. Both can be; then some counts (isClean).
type said struct{ none, some bool }

// The things of which bodies state whether there are any.
const (
	sayGenerated = iota // v1: "generated no new comments"
	sayComments         // mid: "- **Comments generated:** 0"
	sayFindings         // v2: "**Findings:** None"
	sayOpen             // v2oct: "**0 open findings**"
	statements
)

// An item is one entry of a list of findings.
type item struct {
	path     string
	line     int
	text     string
	link     string // the discussion that it links to, "discussion_r1"
	severity string // as its picture says; empty where it has none
}

// A listing is a kind of section: what its entries are.
type listing int

// The kinds of sections.
const (
	otherSection listing = iota
	missedSection
	suppressedSection
	openSection
	resolvedSection
	harmlessSection
)

// sections are the titles of lists, without their counts. A title with a count
// that is not here is drift.
var sections = []struct {
	title string
	is    listing
}{
	{"previously missed", missedSection},
	{"suppressed comments", suppressedSection},
	{"comments suppressed due to low confidence", suppressedSection},
	{"open", openSection},
	{"open finding", openSection},
	{"open findings", openSection},
	{"resolved since last review", resolvedSection},
	{"files not reviewed", harmlessSection},
}

// finds reports whether entries of the section are findings.
func (l listing) finds() bool {
	return l == missedSection || l == suppressedSection || l == openSection
}

// sectionOf reads a title: "Open (3)", "3 open findings", "Previously missed
// (1)". empty is true where it says itself that the list is empty.
func sectionOf(title string) (is listing, counted, empty bool) {
	words := strings.ToLower(squeeze(title))
	count := ""
	if i := strings.LastIndexByte(words, '('); i >= 0 && strings.HasSuffix(words, ")") {
		count, words = words[i+1:len(words)-1], strings.TrimSpace(words[:i])
	} else if n, rest, ok := strings.Cut(words, " "); ok && (isNumber(n) || n == "no") {
		count, words = n, rest
	}
	counted = isNumber(count) || count == "no"
	empty = counted && strings.Trim(count, "0") == "" || count == "no"
	for _, s := range sections {
		if s.title != words {
			continue
		}
		if s.is == openSection && !counted {
			return otherSection, false, false // a word of prose
		}
		return s.is, counted, empty
	}
	return otherSection, counted, empty
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// The bounds of what is kept of one body.
const (
	maxItems = 100
	maxRaw   = 2 * maxText // of one item before it is cleaned
	maxTag   = 512         // of a tag that is looked at
)

// Markers and labels of the layouts.
const markerV2 = "<!-- ccr-overview-v2 -->"

// labels end a list: they are the bookkeeping below it.
var labels = []string{"files reviewed:", "comments generated:", "review effort level:", "review effort:"}

var (
	openLine   = regexp.MustCompile(`^\**(\S+) open findings?\**\s*$`)
	discussion = regexp.MustCompile(`\]\([^()\s]*#(discussion_r\d{1,20})\)`)
	altText    = regexp.MustCompile(`(?i)\balt="([a-z]+)[^"]*"`)
	decoration = regexp.MustCompile(`(?i)</?(?:picture|source|img|strong|details|summary|br|sub|sup|b|em|i|p)(?:\s[^<>]*)?/?>`)
)

// read reads a body. It takes time linear in the body's length, and its result
// is bounded by maxItems and maxRaw (FuzzRead).
func read(body string) reading {
	p := parser{}
	body = scrub(bound(body, maxRead), false)
	if top, rest, _ := strings.Cut(strings.TrimLeft(body, " \t\n"), "\n"); strings.TrimSpace(top) == markerV2 {
		p.marked = true
		body = rest
	}
	for line := range strings.SplitSeq(body, "\n") {
		p.readLine(line)
	}
	if p.fence != "" {
		p.drift = true
	}
	p.endSection()
	return p.reading
}

// A parser reads a body line by line.
type parser struct {
	reading
	fence   string // the fence that is open
	depth   int    // how many details are open
	summary *strings.Builder
	leading bool // the lead comes next

	section struct {
		is    listing
		title string
		depth int
		// heading is the level of the heading that began it, boldTitle for a
		// bold line, 0 for a summary.
		heading int
		empty   bool
		intro   string
		found   bool
	}
	entry *entry
}

// boldTitle is the level of a title that is a bold line: below every heading.
const boldTitle = 7

// An entry is an item in the making.
type entry struct {
	item
	depth   int
	nested  bool // a details of its own
	located bool // began with a bold path:line
}

func (e *entry) add(line string) {
	room := maxRaw - len(e.text)
	if strings.TrimSpace(line) == "" {
		line = ""
		if e.text == "" || strings.HasSuffix(e.text, "\n\n") {
			return
		}
	}
	if room > 8 { // for a character, the mark of the cut and the newline
		e.text += bound(line, room-1) + "\n"
	}
}

func (p *parser) readLine(line string) {
	trim := strings.TrimSpace(line)
	switch {
	case p.fence != "":
		if strings.HasPrefix(trim, p.fence) && strings.Trim(trim, p.fence[:1]) == "" {
			p.fence = ""
		}
		p.text(line)
	case isFence(trim):
		p.fence = trim[:len(trim)-len(strings.TrimLeft(trim, trim[:1]))]
		p.text(line)
	case p.summary == nil && !strings.Contains(line, "<"):
		p.plain(line)
	default:
		p.tagged(line)
	}
}

func isFence(trim string) bool {
	return strings.HasPrefix(trim, "~~~") ||
		strings.HasPrefix(trim, "```") && !strings.Contains(strings.TrimLeft(trim, "`"), "`")
}

// tagged splits a line at the tags of details and summary, code spans apart.
func (p *parser) tagged(line string) {
	start := 0
	flush := func(end int) {
		if start < end {
			p.segment(line[start:end])
		}
	}
	for i := 0; i < len(line); {
		switch line[i] {
		case '`':
			i = afterSpan(line, i)
		case '<':
			name, closing, size := tagAt(line[i:])
			if size == 0 {
				i++
				continue
			}
			flush(i)
			p.tag(name, closing)
			i += size
			start = i
		default:
			i++
		}
	}
	flush(len(line))
}

// afterSpan returns where the code span ends that begins at i, or where its
// backticks end if it has no end.
func afterSpan(line string, i int) int {
	run := func(at int) int { return len(line[at:]) - len(strings.TrimLeft(line[at:], "`")) }
	n := run(i)
	for j := i + n; j < len(line); {
		next := strings.IndexByte(line[j:], '`')
		if next < 0 {
			break
		}
		j += next
		m := run(j)
		j += m
		if m == n {
			return j
		}
	}
	return i + n
}

// tagAt reads a tag of details or summary at the start of s; size 0: none.
func tagAt(s string) (name string, closing bool, size int) {
	rest := s[1:]
	if strings.HasPrefix(rest, "/") {
		closing, rest = true, rest[1:]
	}
	for _, n := range []string{"details", "summary"} {
		if len(rest) <= len(n) || !strings.EqualFold(rest[:len(n)], n) || !strings.ContainsRune(" \t>/", rune(rest[len(n)])) {
			continue
		}
		if end := strings.IndexByte(s[:min(len(s), maxTag)], '>'); end >= 0 {
			return n, closing, end + 1
		}
	}
	return "", false, 0
}

func (p *parser) tag(name string, closing bool) {
	switch {
	case name == "summary" && !closing:
		p.summary = &strings.Builder{}
	case name == "summary":
		p.endSummary()
	case !closing:
		p.endSummary()
		p.depth++
	default:
		p.endSummary()
		p.depth = max(0, p.depth-1)
		if p.entry != nil && p.entry.depth > p.depth {
			p.endEntry()
		}
		if p.section.depth > p.depth {
			p.endSection()
		}
	}
}

func (p *parser) segment(s string) {
	if p.summary != nil {
		if p.summary.Len() < maxRaw {
			p.summary.WriteString(s)
		}
		return
	}
	p.plain(s)
}

// endSummary takes the summary that was read: the title of a section, of an
// entry, or a part of an entry's text.
func (p *parser) endSummary() {
	if p.summary == nil {
		return
	}
	raw := p.summary.String()
	p.summary = nil
	title := words(raw)
	is, counted, empty := sectionOf(title)
	switch {
	case is != otherSection:
		p.begin(is, title, 0, empty)
	case p.section.is.finds() && p.depth > p.section.depth:
		if p.entry != nil && p.entry.nested && p.depth > p.entry.depth {
			p.entry.add(title)
			return
		}
		p.endEntry()
		p.entry = &entry{item: item{severity: alt(raw), link: link(raw)}, depth: p.depth, nested: true}
		p.entry.add(title)
		p.entry.add("")
	case counted && !empty && p.marked && p.section.is == otherSection:
		p.drift = true
	}
}

// begin begins a section.
func (p *parser) begin(is listing, title string, heading int, empty bool) {
	p.endSection()
	p.section.is, p.section.title, p.section.depth = is, title, p.depth
	p.section.heading, p.section.empty = heading, empty
	if is == openSection {
		p.say(sayOpen, empty)
	}
}

func (p *parser) say(what int, none bool) {
	if none {
		p.says[what].none = true
	} else {
		p.says[what].some = true
	}
}

// plain reads text outside fences and tags.
func (p *parser) plain(s string) {
	trim := strings.TrimSpace(s)
	if level := headingLevel(trim); level > 0 {
		p.heading(level, trim)
		return
	}
	if trim == "" {
		p.leading = p.leading && p.lead == ""
	}
	p.statement(trim)
	if p.structure(trim) {
		return
	}
	if p.leading && p.depth == 0 && trim != "" && len(p.lead) < maxText {
		p.lead += trim + "\n"
	}
	p.text(s)
}

// structure reads lines that begin or end a section, and reports whether s is
// one.
func (p *parser) structure(trim string) bool {
	if bold, ok := boldStart(trim); ok {
		if is, _, empty := sectionOf(bold); is != otherSection {
			p.begin(is, bold, boldTitle, empty)
			return true
		}
	}
	if p.section.heading == 0 {
		return false
	}
	switch {
	case trim == "---" || trim == "***" || trim == "___":
		p.endSection()
		return true
	case isLabel(trim):
		p.endSection()
		return true
	}
	return false
}

// isLabel: a line of the bookkeeping below the lists, "- **Files reviewed:** …".
func isLabel(trim string) bool {
	trim = strings.TrimLeftFunc(trim, func(r rune) bool { return r != '*' && !unicode.IsLetter(r) })
	bold, ok := boldStart(trim)
	if !ok {
		if b, isBullet := bullet(trim); isBullet {
			bold, ok = boldStart(b)
		}
	}
	if !ok {
		return false
	}
	bold = strings.ToLower(bold)
	for _, l := range labels {
		if bold == l {
			return true
		}
	}
	return false
}

func (p *parser) heading(level int, trim string) {
	spoken := words(strings.TrimRight(strings.TrimLeft(trim, "#"), "# "))
	if is, _, empty := sectionOf(spoken); is != otherSection {
		p.begin(is, spoken, level, empty)
		return
	}
	verdict := strings.TrimLeftFunc(spoken, func(r rune) bool { return !unicode.IsLetter(r) })
	lower := strings.ToLower(verdict)
	if clean, known := verdictOf(lower); known && !clean {
		p.notClean = true
	}
	if p.section.heading > 0 && level <= p.section.heading && p.depth <= p.section.depth {
		p.endSection()
	}
	if p.section.is.finds() {
		p.text(trim)
		return
	}
	if p.depth > 0 {
		return
	}
	if p.first == 0 {
		p.first = level
	}
	p.leading = false
	switch {
	case level == 2 && p.title == "":
		p.title = lower
	case level == 3 && p.verdict == "":
		p.verdict, p.spoken, p.leading = lower, verdict, true
	}
}

// statement reads what a line states of findings.
func (p *parser) statement(trim string) {
	if !strings.Contains(trim, "enerated") && !strings.Contains(trim, "inding") {
		return
	}
	lower := strings.ToLower(words(trim))
	if quantity, ended, ok := generated(lower); ok {
		p.say(sayGenerated, isNone(quantity) && ended)
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(lower, "-* "), "comments generated:**"); ok {
		n, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		p.say(sayComments, isNone(n))
	}
	if rest, ok := strings.CutPrefix(lower, "**findings:**"); ok {
		p.say(sayFindings, strings.TrimSpace(rest) == "none")
	}
	if strings.Contains(lower, " open finding") {
		if m := openLine.FindStringSubmatch(lower); m != nil {
			p.say(sayOpen, isNone(m[1]))
		}
	}
}

// generated reads "generated 3 new comments." out of a line in lower case: how
// many, and whether the sentence ends there. It is asked for every line of every
// review, so it is no regular expression.
func generated(line string) (quantity string, ended, ok bool) {
	const word = "generated "
	for from := 0; ; {
		i := strings.Index(line[from:], word)
		if i < 0 {
			return "", false, false
		}
		at := from + i
		from = at + len(word)
		if at > 0 && 'a' <= line[at-1] && line[at-1] <= 'z' {
			continue
		}
		quantity, rest, _ := strings.Cut(line[from:], " ")
		rest, ok := strings.CutPrefix(strings.TrimPrefix(rest, "new "), "comment")
		if !ok || quantity == "" || strings.ContainsAny(quantity, "\t\r\f\v") {
			continue
		}
		rest = strings.TrimPrefix(rest, "s")
		return quantity, rest == "" || rest == "." || strings.HasPrefix(rest, ".") && strings.IndexByte(" \t\r\f\v", rest[1]) >= 0, true
	}
}

func isNone(quantity string) bool {
	return quantity == "no" || quantity == "0" || quantity == "zero"
}

// text reads a line as part of a list, where one is open.
func (p *parser) text(line string) {
	if !p.section.is.finds() {
		return
	}
	trim := strings.TrimSpace(line)
	own := p.entry != nil && p.entry.nested
	if p.fence == "" && !isFence(trim) {
		if p.located(trim, own) {
			return
		}
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		if b, ok := bullet(trim); ok && !own && (!indented || p.entry == nil) {
			p.bulleted(b)
			return
		}
	}
	if p.fence == "" {
		line = plainLine(line)
	}
	switch {
	case p.entry != nil:
		p.entry.add(line)
	case len(p.section.intro) < maxText:
		p.section.intro += line + "\n"
	}
}

// located takes a line that is nothing but a path. A bold one begins an entry,
// unless that has a details of its own; any other completes the open one.
func (p *parser) located(trim string, own bool) bool {
	path, line, ok := boldLocation(trim)
	if ok && !own {
		p.endEntry()
		p.entry = &entry{item: item{path: path, line: line}, depth: p.depth, located: true}
		return true
	}
	if !ok {
		path, line, ok = codeLocation(trim)
	}
	if !ok || p.entry != nil && p.entry.path != "" {
		return false
	}
	if p.entry == nil {
		p.entry = &entry{depth: p.depth}
	}
	p.entry.path, p.entry.line = path, line
	return true
}

// bulleted begins an entry at a bullet, or fills the one that a location began.
func (p *parser) bulleted(b string) {
	e := p.entry
	switch {
	case e != nil && e.located && strings.TrimSpace(e.text) == "":
	case e != nil && e.located:
		p.endEntry()
		p.entry = &entry{item: item{path: e.path, line: e.line}, depth: p.depth, located: true}
	default:
		p.endEntry()
		p.entry = &entry{item: item{link: link(b)}, depth: p.depth}
	}
	p.entry.severity = alt(b)
	p.entry.add(words(b))
}

func (p *parser) endEntry() {
	if p.entry == nil {
		return
	}
	e := p.entry.item
	p.entry = nil
	p.section.found = true
	p.keep(e)
}

// keep keeps an item. The last one of too many says that there are more.
func (p *parser) keep(i item) {
	switch {
	case len(p.items) < maxItems-1:
		p.items = append(p.items, i)
	case len(p.items) == maxItems-1:
		p.items = append(p.items, item{text: "More findings stand in the body of the review."})
	}
}

// endSection ends a section. One that lists findings, and of which no entry was
// understood, is a finding as a whole: nothing is lost. A bold line about open
// findings is a statement before it is a title, and may stand alone.
func (p *parser) endSection() {
	p.endEntry()
	s := p.section
	p.section.is, p.section.depth, p.section.heading = otherSection, 0, 0
	p.section.intro, p.section.found = "", false
	if !s.is.finds() || s.found || s.empty || s.is == openSection && s.heading == boldTitle {
		return
	}
	p.keep(item{text: s.title + "\n\n" + s.intro})
}

// headingLevel is the level of a Markdown heading; 0: it is none.
func headingLevel(trim string) int {
	n := len(trim) - len(strings.TrimLeft(trim, "#"))
	if n == 0 || n > 6 || len(trim) == n || trim[n] != ' ' {
		return 0
	}
	return n
}

// bullet returns the text of a list item.
func bullet(trim string) (string, bool) {
	if len(trim) > 1 && strings.IndexByte("-*+", trim[0]) >= 0 && (trim[1] == ' ' || trim[1] == '\t') {
		return strings.TrimSpace(trim[2:]), true
	}
	return "", false
}

// boldStart returns the bold text that a line begins with.
func boldStart(trim string) (string, bool) {
	rest, ok := strings.CutPrefix(trim, "**")
	if !ok {
		return "", false
	}
	bold, _, ok := strings.Cut(rest, "**")
	return bold, ok
}

// boldLocation reads a line that is nothing but a bold path and line.
func boldLocation(trim string) (path string, line int, ok bool) {
	rest := strings.TrimSuffix(strings.TrimPrefix(trim, "**"), "**")
	if len(rest) != len(trim)-len("****") || strings.Contains(rest, "**") {
		return "", 0, false
	}
	return location(strings.Trim(rest, "`"))
}

// codeLocation reads a line that is nothing but a code span of path and line.
func codeLocation(trim string) (path string, line int, ok bool) {
	rest := strings.TrimSuffix(strings.TrimPrefix(trim, "`"), "`")
	if len(rest) != len(trim)-len("``") || strings.Contains(rest, "`") {
		return "", 0, false
	}
	return location(rest)
}

// location splits "path:12", "path:12-15" or a bare path. The last colon
// divides, and only where a number follows. Without a number it must look like
// a path: with a slash or a dot, and without white space.
func location(s string) (path string, line int, ok bool) {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		from, _, _ := strings.Cut(s[i+1:], "-")
		if n, err := strconv.Atoi(strings.TrimPrefix(from, "L")); err == nil && n > 0 && isNumber(strings.TrimPrefix(from, "L")) {
			return bound(strings.TrimSpace(s[:i]), maxPath), n, true
		}
	}
	if s == "" || strings.ContainsAny(s, " \t") || !strings.ContainsAny(s, "/.") || strings.HasPrefix(s, ".") && !strings.Contains(s, "/") {
		return "", 0, false
	}
	return bound(s, maxPath), 0, true
}

// words are the words of a title or a bullet: without decoration.
func words(s string) string { return squeeze(plainLine(s)) }

// plainLine is a line without the tags that only decorate.
func plainLine(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return decoration.ReplaceAllString(s, "")
}

// link returns the discussion that s links to.
func link(s string) string {
	if !strings.Contains(s, "#discussion_r") {
		return ""
	}
	if m := discussion.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// alt returns the severity that a picture's text names: "Medium severity".
func alt(s string) string {
	if !strings.Contains(s, `="`) {
		return ""
	}
	if m := altText.FindStringSubmatch(s); m != nil {
		return levelOf(strings.ToLower(m[1]))
	}
	return ""
}
