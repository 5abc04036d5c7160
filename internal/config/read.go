package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/fail"
)

// A Source is a text with settings: the configuration file, or the input
// settings.
type Source struct {
	Name string // how problems name it: ".github/prloop.yml", "settings"
	Text string
}

// MaxBytes is how long a source may be. maxTokens bounds it once more, because
// the parser's time grows with the square of them: 64 KiB of "[" took 39 s,
// this many take a quarter of one.
const (
	MaxBytes  = 64 << 10
	maxTokens = 5000
)

// wrapper is the key that seed 001's settings stand under, and wrappedTick its
// length of a tick.
const (
	wrapper     = "prAutopilot"
	wrappedTick = 90 * time.Second
)

// wrappedProfiles are seed 001's, for the lock file that is there.
var wrappedProfiles = []Profile{
	{"default-pnpm", []ProfileCommand{{Cmd: "pnpm run typecheck"}, {Cmd: "pnpm run lint"}, {Cmd: "pnpm test"}}},
	{"default-npm", []ProfileCommand{{Cmd: "npm run typecheck"}, {Cmd: "npm run lint"}, {Cmd: "npm test"}}},
	{"default-yarn", []ProfileCommand{{Cmd: "yarn typecheck"}, {Cmd: "yarn lint"}, {Cmd: "yarn test"}}},
}

// A Place is where something stands in a source. Lines and columns count from
// 1, in characters.
type Place struct {
	Source       string
	Line, Column int
}

func (p Place) String() string {
	return fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
}

// A Problem is one thing that is wrong with a source.
type Problem struct {
	Place
	Says string // one sentence without a full stop
}

func (p Problem) String() string { return p.Place.String() + ": " + p.Says }

// Problems is the error behind the *fail.Error of ParseSettings: every problem
// with its place.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, 0, len(p))
	for _, problem := range p {
		lines = append(lines, problem.String())
	}
	return strings.Join(lines, "; ")
}

// A Warning is something in a source that has no effect, or another one than
// its words say.
type Warning Problem

func (w Warning) String() string { return Problem(w).String() }

// ParseSettings reads the settings of all sources, each counting over the ones
// before it key by key, over [Defaults]. A source without a key is as good as
// none.
//
// It is strict: all problems of all sources come in one *fail.Error, behind
// which [Problems] has them one by one.
func ParseSettings(sources ...Source) (Settings, []Warning, error) {
	r := &reader{settings: Defaults(), set: map[string]Place{}, groups: map[string]Place{}}
	for _, source := range sources {
		r.source(source)
	}
	r.together()
	if len(r.problems) > 0 {
		return Settings{}, nil, invalid(r.problems)
	}
	return r.settings, r.warnings, nil
}

// shown is how many problems an error quotes.
const shown = 50

func invalid(problems Problems) error {
	why := problems[:min(len(problems), shown)].Error()
	if more := len(problems) - shown; more > 0 {
		why += fmt.Sprintf("; and %d more", more)
	}
	return &fail.Error{
		What: "The configuration is not valid",
		Why:  why,
		Fix:  "Correct it where it says so; the README lists every key, and internal/config/prloop.schema.json checks them in an editor",
		Err:  problems,
	}
}

// A reader reads sources into settings.
type reader struct {
	settings Settings
	set      map[string]Place // where each key was last set
	groups   map[string]Place // where each group was last opened
	wrapped  *Place           // of the wrapper; nil where no source has it
	problems Problems
	warnings []Warning

	name    string // of the source that is being read
	path    string // of the key that is being read
	anchors []*ast.AnchorNode
}

func (r *reader) source(s Source) {
	r.name, r.path, r.anchors = s.Name, "", nil
	text := strings.TrimPrefix(s.Text, "\ufeff")
	if len(s.Text) > MaxBytes {
		r.problem(1, 1, fmt.Sprintf("it has %d bytes, at most %d are read", len(s.Text), MaxBytes))
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
			r.problem(i+1, 1, "this line is no text in UTF-8")
			return
		}
	}
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens {
		r.problem(1, 1, fmt.Sprintf("it has %d words and signs, at most %d are read", len(tokens), maxTokens))
		return
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.notYAML(err)
		return
	}
	var root ast.Node
	for _, doc := range file.Docs {
		body := doc.Body
		if _, ok := body.(*ast.DirectiveNode); ok || body == nil {
			continue
		}
		if root != nil {
			r.refuseAt(body, "a second document begins here; one is read")
			return
		}
		root = body
	}
	if root == nil {
		return
	}
	ast.Walk(walker(func(n ast.Node) {
		if a, ok := n.(*ast.AnchorNode); ok {
			r.anchors = append(r.anchors, a)
		}
	}), root)
	if root = r.resolve(root); root != nil {
		r.root(root)
	}
}

type walker func(ast.Node)

func (w walker) Visit(n ast.Node) ast.Visitor {
	w(n)
	return w
}

func (r *reader) notYAML(err error) {
	e, ok := errors.AsType[yaml.Error](err)
	if !ok || e.GetToken() == nil {
		r.problem(1, 1, "it is not YAML")
		return
	}
	says := fmt.Sprintf("it is not YAML here (%.200q)", e.GetMessage())
	if strings.Contains(e.GetMessage(), "'\t'") {
		says = "a tab stands here, and YAML takes only blanks"
	}
	p := e.GetToken().Position
	r.problem(p.Line, p.Column, says)
}

func (r *reader) root(n ast.Node) {
	if !isMapping(n) {
		if _, null := n.(*ast.NullNode); !null {
			r.refuseAt(n, "it is "+describe(n)+", want keys with values")
		}
		return
	}
	pairs := entries(n)
	i := slices.IndexFunc(pairs, func(p *ast.MappingValueNode) bool { return keyText(p) == wrapper })
	if i < 0 {
		r.group(n, "")
		return
	}
	r.wrapped = new(r.place(pairs[i].Key))
	for j, p := range pairs {
		switch {
		case j == i:
			if inner := r.resolve(p.Value); inner != nil {
				r.path = wrapper
				r.group(inner, "")
			}
		case keyText(p) == wrapper:
			r.refuseAt(p.Key, r.twice(wrapper, pairs[i]))
		default:
			r.refuseAt(p.Key, fmt.Sprintf("%.60q stands beside %s; write all keys inside of it, or none", keyText(p), wrapper))
		}
	}
}

// group reads the keys of n, which are those of Keys below the path prefix
// ("" or with a dot at its end).
func (r *reader) group(n ast.Node, prefix string) {
	if _, null := n.(*ast.NullNode); null {
		return
	}
	if !isMapping(n) {
		r.refuse(n, "is "+describe(n)+", want keys with values")
		return
	}
	first := map[string]*ast.MappingValueNode{}
	for _, pair := range entries(n) {
		name := keyText(pair)
		if _, merge := pair.Key.(*ast.MergeKeyNode); merge {
			r.refuseAt(pair.Key, "merge keys (<<) are not read; write the keys out, or give a whole value an anchor")
			continue
		}
		if earlier, ok := first[name]; ok {
			r.refuseAt(pair.Key, r.twice(prefix+name, earlier))
			continue
		}
		first[name] = pair
		r.entry(pair, prefix, name)
	}
}

func (r *reader) twice(path string, earlier *ast.MappingValueNode) string {
	return fmt.Sprintf("%s stands here for the second time; the first is on line %d", known(path), r.place(earlier.Key).Line)
}

// known spells a path for people: plain if it is one of ours, else quoted.
func known(path string) string {
	if path == wrapper || slices.ContainsFunc(Keys, func(k Key) bool {
		return k.Path == path || strings.HasPrefix(k.Path, path+".")
	}) {
		return path
	}
	return fmt.Sprintf("%.60q", path)
}

// entry reads one key.
func (r *reader) entry(pair *ast.MappingValueNode, prefix, name string) {
	path := prefix + name
	key := slices.IndexFunc(Keys, func(k Key) bool { return k.Path == path })
	isGroup := slices.ContainsFunc(Keys, func(k Key) bool { return strings.HasPrefix(k.Path, path+".") })
	if key < 0 && !isGroup || strings.Contains(name, ".") {
		r.refuseAt(pair.Key, fmt.Sprintf("%.60q is no key%s", path, r.suggest(prefix, name)))
		return
	}
	n := r.resolve(pair.Value)
	if n == nil {
		return
	}
	if isGroup {
		r.groups[path] = r.place(pair.Key)
	}
	if isGroup && !isMapping(n) {
		if short := slices.IndexFunc(Keys, func(k Key) bool { return k.Short == path }); short >= 0 {
			key, isGroup = short, false
		}
	}
	r.path = path
	_, null := n.(*ast.NullNode)
	switch {
	case isGroup:
		r.group(n, path+".")
	case null && Keys[key].Short == path: // a group without keys
	case null:
		r.refuseAt(pair.Key, path+" has no value; leave the key out for the default")
	default:
		before := len(r.problems)
		Keys[key].set(r, n)
		if len(r.problems) == before {
			r.set[Keys[key].Path] = r.place(pair.Key)
		}
	}
}

// suggest is the end of a sentence that refuses a key: the nearest key beside
// it, or the place of a key with that name elsewhere.
func (r *reader) suggest(prefix, name string) string {
	var beside []string
	for _, k := range Keys {
		if rest, ok := strings.CutPrefix(k.Path, prefix); ok {
			next, _, _ := strings.Cut(rest, ".")
			beside = append(beside, next)
		}
	}
	if s := DidYouMean(name, beside); s != "" {
		return s
	}
	for _, k := range Keys {
		if strings.HasSuffix(strings.ToLower(k.Path), "."+strings.ToLower(name)) {
			return fmt.Sprintf(" (did you mean %q?)", k.Path)
		}
	}
	return ""
}

// together holds keys against each other, once all sources are read.
func (r *reader) together() {
	at := func(path string) (Place, bool) {
		p, ok := r.set[path]
		return p, ok
	}
	r.defaults()
	r.mode()
	r.later()
	for _, path := range []string{"refinement.lowSignalRoundThreshold", "refinement.lowSignalMaxComments"} {
		if p, ok := at(path); ok && !r.settings.Refinement.StopOnLowSignal {
			r.warn(p, path+" has no effect without refinement.stopOnLowSignal: true")
		}
	}
	if p, ok := at("cleanRounds"); ok && r.settings.CleanRounds > 1 {
		switch n, most := int(r.settings.CleanRounds), r.settings.Refinement.MaxCopilotRounds; {
		case r.settings.Reviewers.Copilot.Mode != EachIter || r.settings.Mode == autopilot.Y:
			r.warn(p, "cleanRounds counts Copilot's reviews, and Copilot is no reviewer of each round here, so it has no effect")
		case most > 0 && n > most:
			r.warn(p, fmt.Sprintf("cleanRounds is above refinement.maxCopilotRounds (%d), which ends the loop first", most))
		}
	}
	if p, ok := at("minSeverity"); ok && r.settings.Strict && len(r.settings.MinSeverity) > 0 {
		r.warn(p, "minSeverity has no effect beside threads: strict")
	}
	if p, ok := at("pollTickCap"); ok && r.settings.Reviewers.Copilot.WaitCap > 0 && len(r.settings.Rows()) == 1 {
		r.warn(p, "pollTickCap has no effect beside reviewers.copilot.waitCap")
	}
	if p, ok := at("refinement.maxCopilotRounds"); ok {
		switch n, budget := r.settings.Refinement.MaxCopilotRounds, r.settings.Budgets.ReviewsPerPullRequest; {
		case n == 0:
			r.warn(p, fmt.Sprintf("refinement.maxCopilotRounds is none, so budgets.reviewsPerPullRequest (%d) ends the loop", budget))
		case n > budget:
			r.warn(p, fmt.Sprintf("refinement.maxCopilotRounds has no effect above budgets.reviewsPerPullRequest (%d)", budget))
		}
	}
}

// defaults fills in what depends on which keys are there. Inside the wrapper
// seed 001's defaults hold: Cursor in each round, Copilot at the end, a tick of
// 90 seconds. Elsewhere a reviewer that reviewers does not name is off, and one
// that it names is on where it can only be asked in one way (design 10).
func (r *reader) defaults() {
	set, opened := func(path string) bool { _, ok := r.set[path]; return ok }, func(path string) bool { _, ok := r.groups[path]; return ok }
	who := &r.settings.Reviewers
	if r.wrapped != nil {
		if !set("pollIntervalSeconds") {
			r.settings.PollInterval = wrappedTick
		}
		if !set("graphify.advisory") {
			r.settings.Graphify.Advisory = AdvisoryAuto
		}
		if _, ok := r.set["preCommitProfiles"]; !ok {
			r.settings.PreCommitProfiles = slices.Clone(wrappedProfiles)
		}
		if !set("reviewers.cursor.enabled") {
			who.Cursor.Mode = EachIter
		}
		if !set("reviewers.copilot.mode") {
			who.Copilot.Mode = FinalOnly
		}
		return
	}
	if opened("reviewers") && !opened("reviewers.copilot") {
		who.Copilot.Mode = Off
	}
	if opened("reviewers.cursor") && !set("reviewers.cursor.enabled") {
		who.Cursor.Mode = EachIter
	}
	if opened("reviewers.coderabbit") && !set("reviewers.coderabbit.mode") {
		who.CodeRabbit.Mode = EachIter
	}
}

// mode derives the mode (autopilot.Derive), and looks whether the reviewers can
// drive a loop.
func (r *reader) mode() {
	agent := r.settings.Reviewers.CopilotSwe.Mode == EachIter
	asked, needed := false, false
	for _, row := range r.settings.Rows() {
		if row.Phase != autopilot.EachIter {
			continue
		}
		asked, needed = true, needed || row.Required
	}
	cell := autopilot.Derive(r.settings.PrimaryFixer, autopilot.DriversOf(asked, agent))
	r.settings.Mode = cell.Mode
	place := r.where("primaryFixer", "reviewers.copilotSwe.mode", "reviewers.copilot.mode", "reviewers")
	switch {
	case cell.Mode == "":
		r.problemAt(place, cell.Says)
		return
	case cell.Says != "":
		r.warn(place, cell.Says)
	}
	if cell.Mode == autopilot.X && !needed {
		r.problemAt(r.where("reviewers"), `every reviewer of each round has required: false, and "every required one has reviewed" is never true of none; leave one of them required`)
	}
	if _, said := r.set["fixer"]; r.settings.PrimaryFixer == autopilot.Claude && !said {
		r.settings.Fixer = Job
	}
}

// later tells of what is accepted and has no effect yet, in one sentence for
// all keys.
func (r *reader) later() {
	var paths []string
	for _, k := range Keys {
		if _, ok := r.set[k.Path]; ok && k.Later {
			paths = append(paths, k.Path)
		}
	}
	if len(paths) > 0 {
		r.warn(r.set[paths[0]], "no effect yet: "+strings.Join(paths, ", "))
	}
	for _, row := range r.settings.Rows() {
		if row.Phase != autopilot.FinalOnly {
			continue
		}
		place := r.where("reviewers."+row.Name+".mode", "reviewers."+row.Name, "reviewers.bots")
		if r.settings.Mode == autopilot.Y {
			r.warn(place, row.Name+" is to be asked at the end, and Mode Y has no final pass: it is not asked")
		}
	}
}

// where is the place of the first of these keys or groups that a source has; of
// the wrapper, else.
func (r *reader) where(paths ...string) Place {
	for _, path := range paths {
		if p, ok := r.set[path]; ok {
			return p
		}
		if p, ok := r.groups[path]; ok {
			return p
		}
	}
	if r.wrapped != nil {
		return *r.wrapped
	}
	return Place{r.name, 1, 1}
}

func (r *reader) problemAt(p Place, says string) {
	r.problems = append(r.problems, Problem{p, says})
}

// items reads a list of one kind of text, without doubles.
func (r *reader) items(n ast.Node, of item) ([]string, bool) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.refuse(n, "is "+describe(n)+", want a list of "+of.takes)
		return nil, false
	}
	if len(seq.Values) > maxItems {
		r.refuse(n, fmt.Sprintf("has %d entries, at most %d are read", len(seq.Values), maxItems))
		return nil, false
	}
	var (
		items []string
		good  = true
	)
	for _, entry := range seq.Values {
		v := r.resolve(entry)
		if v == nil {
			good = false
			continue
		}
		s, ok := of.read(v)
		if !ok {
			r.refuse(v, "has "+describe(v)+", want "+of.want)
			good = false
			continue
		}
		if !slices.Contains(items, s) {
			items = append(items, s)
		}
	}
	return items, good
}

// members are the pairs of a group whose names are the user's own, each name
// once.
func (r *reader) members(n ast.Node, path string) ([]*ast.MappingValueNode, bool) {
	if !isMapping(n) {
		r.refuseAt(n, path+" is "+describe(n)+", want keys with values")
		return nil, false
	}
	before, first := len(r.problems), map[string]*ast.MappingValueNode{}
	for _, pair := range entries(n) {
		if _, merge := pair.Key.(*ast.MergeKeyNode); merge {
			r.refuseAt(pair.Key, "merge keys (<<) are not read; write the keys out, or give a whole value an anchor")
		} else if earlier, ok := first[keyText(pair)]; ok {
			r.refuseAt(pair.Key, fmt.Sprintf("%s has %.60q for the second time; the first is on line %d", path, keyText(pair), r.place(earlier.Key).Line))
		} else {
			first[keyText(pair)] = pair
		}
	}
	return entries(n), len(r.problems) == before
}

// profiles reads lists of commands by name.
func (r *reader) profiles(n ast.Node) ([]Profile, bool) {
	pairs, ok := r.members(n, r.path)
	if ok && len(pairs) > maxItems {
		r.refuse(n, fmt.Sprintf("has %d entries, at most %d are read", len(pairs), maxItems))
		return nil, false
	}
	var list []Profile
	for _, pair := range pairs {
		name := keyText(pair)
		if !profileName.pattern.MatchString(name) || len(name) > profileName.longest {
			r.refuseAt(pair.Key, fmt.Sprintf("%s has %.60q, want %s", r.path, name, profileName.want))
			ok = false
			continue
		}
		commands, good := r.commands(pair.Value, r.path+"."+name)
		list, ok = append(list, Profile{name, commands}), ok && good
	}
	return list, ok
}

// commands reads the commands of one profile.
func (r *reader) commands(n ast.Node, path string) ([]ProfileCommand, bool) {
	v := r.resolve(n)
	if v == nil {
		return nil, false
	}
	seq, ok := v.(*ast.SequenceNode)
	if !ok || len(seq.Values) == 0 || len(seq.Values) > maxCommands {
		r.refuseAt(v, fmt.Sprintf("%s is %s, want a list of 1 to %d commands, each with cmd", path, describe(v), maxCommands))
		return nil, false
	}
	var list []ProfileCommand
	good := true
	for i, entry := range seq.Values {
		v := r.resolve(entry)
		if v == nil {
			good = false
			continue
		}
		c, ok := r.command(v, fmt.Sprintf("%s[%d]", path, i))
		list, good = append(list, c), good && ok
	}
	return list, good
}

func (r *reader) command(n ast.Node, path string) (ProfileCommand, bool) {
	var c ProfileCommand
	pairs, ok := r.members(n, path)
	if !ok {
		return c, false
	}
	fields := map[string]*string{"cmd": &c.Cmd, "if": &c.If}
	for _, pair := range pairs {
		name := keyText(pair)
		field := fields[name]
		if field == nil {
			r.refuseAt(pair.Key, fmt.Sprintf("%s has the key %.60q, which there is not%s", path, name, DidYouMean(name, []string{"cmd", "if"})))
			ok = false
			continue
		}
		v := r.resolve(pair.Value)
		if v == nil {
			ok = false
			continue
		}
		text, good := command.read(v)
		if !good {
			r.refuseAt(v, path+"."+name+" is "+describe(v)+", want "+command.want)
		}
		*field, ok = text, ok && good
	}
	if ok && c.Cmd == "" {
		r.refuseAt(n, path+" lacks cmd")
		return c, false
	}
	return c, ok
}

// resolve follows anchors and aliases from n to the value. Beside a problem it
// returns nil. An alias stands for the newest anchor of its name above it.
func (r *reader) resolve(n ast.Node) ast.Node {
	for range maxHops {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.AliasNode:
			name := v.Value.GetToken()
			i := len(r.anchors) - 1
			for ; i >= 0; i-- {
				anchor := r.anchors[i]
				if anchor.Name.GetToken().Value == name.Value && anchor.Start.Position.Offset < v.Start.Position.Offset {
					break
				}
			}
			if i < 0 {
				r.refuseAt(v, fmt.Sprintf("no anchor %.60q stands above this alias", name.Value))
				return nil
			}
			n = r.anchors[i].Value
		case *ast.TagNode:
			r.refuseAt(v, "tags are not read; write the value without one")
			return nil
		case nil:
			return nil
		default:
			return n
		}
	}
	r.refuseAt(n, "this alias leads to itself")
	return nil
}

// maxHops is how many anchors and aliases may lead to one value.
const maxHops = 100

func (r *reader) refuse(n ast.Node, says string) { r.refuseAt(n, r.path+" "+says) }

func (r *reader) refuseAt(n ast.Node, says string) {
	r.problems = append(r.problems, Problem{r.place(n), says})
}

func (r *reader) problem(line, column int, says string) {
	r.problems = append(r.problems, Problem{Place{r.name, line, column}, says})
}

func (r *reader) warn(at Place, says string) {
	r.warnings = append(r.warnings, Warning{at, says})
}

// place is where n begins. The token of a mapping in blocks is its first
// colon, so there the first key counts.
func (r *reader) place(n ast.Node) Place {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return Place{r.name, 1, 1}
	}
	return Place{r.name, t.Position.Line, t.Position.Column}
}

func isMapping(n ast.Node) bool {
	_, ok := n.(ast.MapNode)
	return ok
}

func entries(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	default:
		return nil
	}
}

func keyText(pair *ast.MappingValueNode) string {
	var key ast.Node = pair.Key
	if k, ok := key.(*ast.MappingKeyNode); ok {
		key = k.Value
	}
	if s, ok := scalar(key); ok {
		return s
	}
	if t := key.GetToken(); t != nil {
		return t.Value
	}
	return ""
}

// scalar returns the text of a string.
func scalar(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		return strings.TrimSuffix(s.Value.Value, "\n"), true
	default:
		return "", false
	}
}

// integer returns a number in plain decimal digits. YAML readers disagree on
// every other spelling (010, 0x10, 1_000, 5.0).
func integer(n ast.Node) (int, bool) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(i.Token.Value)
	if err != nil || strconv.Itoa(v) != i.Token.Value {
		return 0, false
	}
	return v, true
}

// describe says what n is, with strangers' text quoted.
func describe(n ast.Node) string {
	if s, ok := scalar(n); ok {
		return fmt.Sprintf("%.60q", s)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return fmt.Sprintf("%.60s", n.GetToken().Value)
	default:
		if isMapping(n) {
			return "a group of keys"
		}
		return "something else"
	}
}
