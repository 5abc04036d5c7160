package handoff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/prloop/prloop/internal/config"
)

// A spec says what one JSON value may be. From one spec come both the JSON
// Schema and the reader, so they cannot disagree (FuzzParse). A spec knows each
// value by itself; what belongs together is for Check.
type spec struct {
	kind   kind
	fields []field // of an object
	of     *spec   // of a list
	// min and max bound a number; max bounds a text in characters and a list
	// in entries.
	min, max int
	words    []string       // that a text may be
	pattern  *regexp.Regexp // that a text has
	says     string         // the pattern in words
	normal   string         // the default, where the reader fills one in
}

type field struct {
	name string
	doc  string // one sentence, no full stop
	need bool
	is   spec
}

type kind int

const (
	object kind = iota
	list
	text
	whole
	boolean
	free // any object
)

// names are the kinds as JSON Schema and as a person call them.
var names = [...]struct{ schema, says string }{
	object:  {"object", "an object"},
	list:    {"array", "a list"},
	text:    {"string", "a text"},
	whole:   {"integer", "a whole number"},
	boolean: {"boolean", "true or false"},
	free:    {"object", "an object"},
}

func need(name, doc string, is spec) field { return field{name, doc, true, is} }
func may(name, doc string, is spec) field  { return field{name, doc, false, is} }

func objectOf(fields ...field) spec { return spec{kind: object, fields: fields} }
func listOf(most int, of spec) spec { return spec{kind: list, max: most, of: &of} }
func textOf(most int) spec          { return spec{kind: text, max: most} }
func between(least, most int) spec  { return spec{kind: whole, min: least, max: most} }
func yesOrNo() spec                 { return spec{kind: boolean} }
func anything() spec                { return spec{kind: free} }

// matching is a text of one form; says is the form in words.
func matching(pattern, says string) spec {
	return spec{kind: text, pattern: regexp.MustCompile(pattern), says: says}
}

func oneOf[W ~string](words ...W) spec {
	s := spec{kind: text}
	for _, w := range words {
		s.words = append(s.words, string(w))
	}
	return s
}

func (s spec) otherwise(word string) spec { s.normal = word; return s }

// schemaOf is s as a JSON Schema (draft 2020-12), for a file of its own.
func schemaOf(s spec, title string) []byte {
	root := s.schema(true)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("handoff: a schema is made of JSON values: " + err.Error())
	}
	return append(out, '\n')
}

// schema is s as a schema. A value that need not be there may be null too:
// programs like to write one for what they leave out.
func (s spec) schema(needed bool) map[string]any {
	m := map[string]any{"type": names[s.kind].schema}
	if !needed {
		m["type"] = []string{names[s.kind].schema, "null"}
	}
	switch s.kind {
	case object:
		properties, required := map[string]any{}, []string{}
		for _, f := range s.fields {
			p := f.is.schema(f.need)
			p["description"] = f.doc + "."
			properties[f.name] = p
			if f.need {
				required = append(required, f.name)
			}
		}
		m["properties"], m["required"], m["additionalProperties"] = properties, required, false
	case list:
		m["items"], m["maxItems"] = s.of.schema(true), s.max
	case text:
		if s.max > 0 {
			m["maxLength"] = s.max
		}
		if s.pattern != nil {
			m["pattern"] = s.pattern.String()
		}
		if s.words != nil {
			words := make([]any, 0, len(s.words)+1)
			for _, w := range s.words {
				words = append(words, w)
			}
			if !needed {
				words = append(words, nil)
			}
			m["enum"] = words
		}
		if s.normal != "" {
			m["default"] = s.normal
		}
	case whole:
		m["minimum"], m["maximum"] = s.min, s.max
	case boolean, free:
	}
	return m
}

// maxProblems is how many problems are told one by one.
const maxProblems = 200

// A reader reads JSON by a spec and collects whatever is wrong with it. The
// text was looked at before: it is one JSON value.
type reader struct {
	d        *json.Decoder
	root     string // what the whole text is called
	problems []string
	more     int // problems that are only counted
}

// read returns data as values by s, with everything that is wrong with it. The
// values are whole only where there is no problem. An error says that data is
// no JSON at all.
func read(data []byte, s spec, root string) (any, []string, error) {
	if err := isJSON(data); err != nil {
		return nil, nil, err
	}
	r := &reader{d: json.NewDecoder(bytes.NewReader(data)), root: root}
	r.d.UseNumber()
	v := r.value("", s, r.token())
	if r.more > 0 {
		r.problems = append(r.problems, fmt.Sprintf("and %d more", r.more))
	}
	return v, r.problems, nil
}

func isJSON(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("it is not UTF-8")
	}
	var v any
	err := json.Unmarshal(data, &v)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case err == nil:
		return nil
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("it is empty")
	case ok:
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("it is not JSON: line %d: %q", line, err.Error())
	}
	return fmt.Errorf("it is not JSON: %q", err.Error())
}

func (r *reader) problem(at, format string, args ...any) {
	if len(r.problems) >= maxProblems {
		r.more++
		return
	}
	if at == "" {
		at = r.root
	}
	r.problems = append(r.problems, at+" "+fmt.Sprintf(format, args...))
}

func (r *reader) token() json.Token {
	t, err := r.d.Token()
	if err != nil {
		panic("handoff: the text was JSON when it was looked at: " + err.Error())
	}
	return t
}

// skip reads to the end of the value that begins with t.
func (r *reader) skip(t json.Token) {
	depth := 0
	for {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return
		}
		t = r.token()
	}
}

// value reads the value that begins with t.
func (r *reader) value(at string, s spec, t json.Token) any {
	if got := kindOf(t); got != s.kind && (got != object || s.kind != free) {
		r.problem(at, "is %s, not %s", called(t), names[s.kind].says)
		r.skip(t)
		return nil
	}
	switch s.kind {
	case object:
		return r.object(at, s)
	case free:
		return r.free()
	case list:
		return r.list(at, s)
	case text:
		r.text(at, s, t.(string))
	case whole:
		return r.whole(at, s, t.(json.Number))
	case boolean:
	}
	return t
}

// kindOf is the kind of the value that begins with t; -1 for null.
func kindOf(t json.Token) kind {
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return object
		}
		return list
	case string:
		return text
	case json.Number:
		return whole
	case bool:
		return boolean
	}
	return -1
}

func called(t json.Token) string {
	k := kindOf(t)
	if k < 0 {
		return "null"
	}
	if k == whole {
		return "a number"
	}
	return names[k].says
}

func (r *reader) object(at string, s spec) any {
	m := map[string]any{}
	seen := map[string]bool{}
	for r.d.More() {
		name := r.token().(string)
		t := r.token()
		i := s.index(name)
		switch {
		case i < 0:
			known := make([]string, 0, len(s.fields))
			for _, f := range s.fields {
				known = append(known, f.name)
			}
			r.problem(at, "has the unknown key %s%s", short(name), config.DidYouMean(name, known))
			r.skip(t)
		case seen[name]:
			r.problem(at, "has the key %q twice", name)
			r.skip(t)
		case t == nil && !s.fields[i].need:
		default:
			m[name] = r.value(below(at, name), s.fields[i].is, t)
		}
		seen[name] = true
	}
	r.token()
	for _, f := range s.fields {
		switch {
		case f.need && !seen[f.name]:
			r.problem(at, "lacks the key %q", f.name)
		case m[f.name] == nil && f.is.normal != "":
			m[f.name] = f.is.normal
		}
	}
	return m
}

func (s spec) index(name string) int {
	for i, f := range s.fields {
		if f.name == name {
			return i
		}
	}
	return -1
}

func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// free reads an object of any content.
func (r *reader) free() any {
	m := map[string]any{}
	for r.d.More() {
		name := r.token().(string)
		var v any
		if err := r.d.Decode(&v); err != nil {
			panic("handoff: the text was JSON when it was looked at: " + err.Error())
		}
		m[name] = v
	}
	r.token()
	return m
}

func (r *reader) list(at string, s spec) any {
	entries := []any{}
	n := 0
	for ; r.d.More(); n++ {
		t := r.token()
		if n >= s.max {
			r.skip(t)
			continue
		}
		entries = append(entries, r.value(fmt.Sprintf("%s[%d]", at, n), *s.of, t))
	}
	r.token()
	if n > s.max {
		r.problem(at, "has %d entries, and at most %d are read", n, s.max)
	}
	return entries
}

func (r *reader) text(at string, s spec, v string) {
	switch n := utf8.RuneCountInString(v); {
	case s.words != nil && !slices.Contains(s.words, v):
		r.problem(at, "is %s, not one of %s%s", short(v), strings.Join(s.words, ", "), config.DidYouMean(v, s.words))
	case s.pattern != nil && !s.pattern.MatchString(v):
		r.problem(at, "is %s, not %s", short(v), s.says)
	case s.max > 0 && n > s.max:
		r.problem(at, "has %d characters, and at most %d are read", n, s.max)
	}
}

func (r *reader) whole(at string, s spec, v json.Number) any {
	digits := v.String()
	if n, zeros, ok := strings.Cut(digits, "."); ok && strings.Trim(zeros, "0") == "" {
		digits = n // 3.0 is a whole number in JSON Schema
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < s.min || n > s.max {
		r.problem(at, "is %s, not a whole number from %d to %d", clip(v.String(), 40), s.min, s.max)
		return nil
	}
	return n
}

// short quotes what a stranger wrote, on one line and not too much of it.
func short(s string) string { return strconv.Quote(clip(s, 60)) }

// clip cuts s to at most n bytes, between two characters, and shows the cut.
func clip(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	cut := max(0, n-len(mark))
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}
