// Package scenario plays the stories of testdata/scenarios: what happens to a
// pull request, and what prloop does about it, against the embedded GitHub.
//
// A story is one txtar file. Its comment tells it in prose. The file "script"
// has a command a line (see [Commands]): it sets up the world, lets time pass,
// lets people act, and starts runs. "config.yml" is the configuration file of
// the default branch, "events/NAME.json" are payloads that a run is given as
// they are. "want" is the transcript that the story must give; a run of the
// tests with -update writes it.
//
// Start at [Play].
package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A Story is one file of testdata/scenarios.
type Story struct {
	Name   string
	Prose  string
	Lines  []Line
	Config string
	Files  map[string]string // the other files, by name
	Want   string
}

// A Line is one command of a script.
type Line struct {
	N     int // its number in the script, from 1
	Name  string
	Args  []string
	Attrs map[string]string // key=value, and bare flags as "true"
	Text  string
}

// Parse reads a story. An error names the line and what is wrong with it.
func Parse(name string, data []byte) (Story, error) {
	ar := txtar.Parse(data)
	s := Story{Name: name, Prose: strings.TrimSpace(string(ar.Comment)), Files: map[string]string{}}
	var script string
	for _, f := range ar.Files {
		switch f.Name {
		case "script":
			script = string(f.Data)
		case "config.yml":
			s.Config = string(f.Data)
		case "want":
			s.Want = string(f.Data)
		default:
			s.Files[f.Name] = string(f.Data)
		}
	}
	if script == "" {
		return Story{}, fmt.Errorf("%s has no file %q: a story is a txtar file whose script sets up a world and starts runs", name, "script")
	}
	for i, text := range strings.Split(script, "\n") {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return Story{}, fmt.Errorf("%s: script line %d: %w", name, i+1, err)
		}
		l.N = i + 1
		s.Lines = append(s.Lines, l)
	}
	return s, nil
}

// Load reads every story of dir, sorted by name. No story at all is an error.
func Load(files fs.FS, dir string) ([]Story, error) {
	texts, err := Texts(files, dir)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("there is no story in %s", dir)
	}
	stories := make([]Story, 0, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		s, err := Parse(name, []byte(texts[name]))
		if err != nil {
			return nil, err
		}
		stories = append(stories, s)
	}
	return stories, nil
}

// standsAlone finds the attributes that stand alone in a command's usage: [draft].
var standsAlone = regexp.MustCompile(`\[([a-z-]+)\]`)

// flags are the attributes of a command that stand alone.
func (c command) flags() []string {
	var list []string
	for _, m := range standsAlone.FindAllStringSubmatch(c.usage, -1) {
		list = append(list, m[1])
	}
	return list
}

func parseLine(text string) (Line, error) {
	words, err := split(text)
	if err != nil {
		return Line{}, err
	}
	l := Line{Name: words[0].text, Attrs: map[string]string{}, Text: text}
	c, ok := language()[l.Name]
	if !ok {
		return Line{}, fmt.Errorf("%q is no command; there are: %s", l.Name, strings.Join(commandNames(), ", "))
	}
	flags := c.flags()
	for _, w := range words[1:] {
		k, v, ok := strings.Cut(w.text, "=")
		switch {
		case w.quoted:
			l.Args = append(l.Args, w.text)
		case ok && k != "" && !strings.ContainsAny(k, "/:. "):
			l.Attrs[k] = v
		case slices.Contains(flags, w.text):
			l.Attrs[w.text] = "true"
		default:
			l.Args = append(l.Args, w.text)
		}
	}
	return l, nil
}

type word struct {
	text   string
	quoted bool
}

// split cuts a line into words. A word in double quotes is a Go string; it may
// also stand behind the "=" of an attribute.
func split(text string) ([]word, error) {
	var words []word
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if text[0] == '"' {
			q, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, fmt.Errorf("a quote is not closed: %s", text)
			}
			s, err := strconv.Unquote(q)
			if err != nil {
				return nil, fmt.Errorf("%s is no string", q)
			}
			words = append(words, word{s, true})
			text = text[len(q):]
			continue
		}
		end := strings.IndexByte(text, ' ')
		if end < 0 {
			end = len(text)
		}
		if eq := strings.IndexByte(text[:end], '='); eq > 0 && strings.HasPrefix(text[eq+1:], `"`) {
			q, err := strconv.QuotedPrefix(text[eq+1:])
			if err != nil {
				return nil, fmt.Errorf("a quote is not closed: %s", text)
			}
			s, err := strconv.Unquote(q)
			if err != nil {
				return nil, fmt.Errorf("%s is no string", q)
			}
			words = append(words, word{text[:eq+1] + s, false})
			text = text[eq+1+len(q):]
			continue
		}
		words = append(words, word{text[:end], false})
		text = text[end:]
	}
	return words, nil
}
