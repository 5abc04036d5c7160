package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// hostile has names and texts that would do something if they stood raw in
// Markdown. C104 of the cases is among them.
var hostile = []string{
	"x`|<img src=x>",
	"::set-output name=outcome::merged\n::add-mask::a\n@team",
	"a | b",
	`a \| b`,
	`ends in \`,
	"`", "``", "` `", " lead", "trail ", "```", "~~~",
	"a\n\n# heading\n\n- item",
	"<!-- prloop:journal:v1 {} -->",
	"<details><summary>x</summary>",
	"</td></tr></table>",
	"[text](https://evil.example)", "![](https://evil.example/x.png)", "<https://evil.example>",
	"see https://evil.example and www.evil.example", "mail mona@evil.example",
	"@mona", "(@octo/team)", "#12", "octo/other#12", "GH-7", "octo/other@1f0c9a2f",
	"**bold** _it_ ~~gone~~ $x$ $`x`$", "&lt;b&gt; &#64;mona &copy;", ":tada:", "[^1]", "- [ ] todo",
	"safe\u202egnp.exe", "zero\u200bwidth \u200d \ufeff", "tag\U000e0041", "a\u2028b\u0085c\x1b[31m\x00",
	"\xff\xfe broken", "äöü 漢字 עברית",
	"",
}

// A read is what is in a Markdown text, by GitHub's extensions.
type read struct {
	rows   [][]string // cells of all tables, as text
	codes  []string
	blocks []string // fenced
	texts  []string // outside of code
	links  []string
	html   []string
	others []string // kinds of nodes that nobody expects
}

func readMarkdown(src string) read {
	var got read
	source := []byte(src)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			got.codes = append(got.codes, textOf(n, source))
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			got.blocks = append(got.blocks, string(n.Lines().Value(source)))
		case *ast.Text:
			got.texts = append(got.texts, textOf(n, source))
		case *ast.Link:
			got.links = append(got.links, string(n.Destination))
		case *ast.AutoLink:
			got.links = append(got.links, string(n.URL(source)))
		case *ast.Image:
			got.links = append(got.links, string(n.Destination))
		case *ast.RawHTML:
			got.html = append(got.html, string(n.Segments.Value(source)))
		case *ast.HTMLBlock:
			got.html = append(got.html, string(n.Lines().Value(source)))
		case *east.TableHeader, *east.TableRow:
			var cells []string
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				cells = append(cells, textOf(c, source))
			}
			got.rows = append(got.rows, cells)
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.Heading, *ast.Emphasis, *ast.String,
			*ast.List, *ast.ListItem, *east.Table, *east.TableCell:
		default:
			got.others = append(got.others, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return got
}

// textOf is what n shows.
func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			raw := t.Segment.Value(source)
			if n.Parent().Kind() == ast.KindCodeSpan {
				b.Write(raw)
			} else {
				b.WriteString(unescape(string(raw)))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// unescape undoes backslashes and the entities that Prose writes.
func unescape(s string) string {
	s = regexp.MustCompile("\\\\([!-/:-@[-`{-~])").ReplaceAllString(s, "\x00$1")
	for entity, c := range map[string]string{"&lt;": "<", "&gt;": ">", "&#124;": "|"} {
		s = strings.ReplaceAll(s, entity, c)
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "&amp;", "&"), "\x00", "")
}

// live finds what GitHub would make a mention or a reference of. A mention
// counts behind anything but a letter or digit.
var live = regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|gh-[0-9]|://|www\.[a-z0-9]`)

// liveIn is the first thing in src that would be live, looked for in each block
// by itself; except is text that may be.
func liveIn(src, except string) string {
	source := []byte(src)
	found := ""
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.FirstChild() == nil || n.FirstChild().Type() != ast.TypeInline || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		var b strings.Builder
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n.Kind() == ast.KindCodeSpan {
				return ast.WalkSkipChildren, nil
			}
			if n.Kind() == ast.KindText && entering {
				b.WriteString(textOf(n, source))
			}
			return ast.WalkContinue, nil
		})
		if l := live.FindString(strings.ReplaceAll(b.String(), except, "")); l != "" && found == "" {
			found = l
		}
		return ast.WalkSkipChildren, nil
	})
	return found
}

func strangers() *rapid.Generator[string] {
	parts := rapid.SampledFrom([]string{
		"`", "``", "|", `\`, "<", "!", "--", ">", "<!--", "-->", "[", "]", "(", ")", "*", "_", "~", "#", "@",
		"a", "7", " ", "\n", "\t", "\r", "&", ";", "lt", "#64", "::", "##[", "http", "://", "www", ".", "$", "'", `"`,
		"\u202e", "\u200d", "é", "\xff", "1f0c9a2", "GH-", "prloop:",
	})
	return rapid.OneOf(
		rapid.SampledFrom(hostile),
		rapid.Map(rapid.SliceOfN(parts, 0, 12), func(p []string) string { return strings.Join(p, "") }),
		rapid.String(),
	)
}

// A stranger's value fills one cell of a table with one code span, which shows
// the value, and does nothing else.
func TestACellHoldsAnythingAndDoesNothing(t *testing.T) {
	t.Parallel()
	check := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, value string,
	) {
		t.Helper()
		src := "| a | b |\n|---|---|\n| " + Cell(value) + " | " + Code("end") + " |\n"
		got := readMarkdown(src)
		shown := clip(Visible(value, ""), nameLen)
		shown = strings.ReplaceAll(shown, `\|`, `\\x7c`)
		shown = strings.ReplaceAll(shown, "<!", "<"+joiner+"!")
		want := read{rows: [][]string{{"a", "b"}, {shown, "end"}}, codes: []string{shown, "end"}, texts: []string{"a", "b"}}
		if strings.TrimSpace(shown) == "" {
			want.rows[1][0], want.codes, want.texts = "–", []string{"end"}, []string{"a", "b", "–"}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(read{})); diff != "" {
			t.Fatalf("%q in a cell reads as (-want +got)\n%s\nin %s", value, diff, src)
		}
	}
	for _, value := range hostile {
		check(t, value)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, strangers().Draw(t, "value")) })
}

// The same outside of a table, between words of ours.
func TestCodeHoldsAnythingAndDoesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := strangers().Draw(t, "value")
		src := "at " + Code(value) + ".\n"
		got := readMarkdown(src)
		shown := strings.ReplaceAll(clip(Visible(value, ""), nameLen), "<!", "<"+joiner+"!")
		want := read{codes: []string{shown}, texts: []string{"at ."}}
		if strings.TrimSpace(shown) == "" {
			want = read{texts: []string{"at –."}}
		}
		got.texts = []string{strings.Join(got.texts, "")}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(read{})); diff != "" {
			t.Fatalf("%q in code reads as (-want +got)\n%s\nin %s", value, diff, src)
		}
	})
}

// A sentence reads as it was written, whatever is in it, and nothing in it is
// live.
func TestProseReadsAsItStands(t *testing.T) {
	t.Parallel()
	check := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, value string,
	) {
		t.Helper()
		for name, src := range map[string]string{
			"a paragraph": "We say " + Prose(value) + " here\n",
			"a table":     "| a |\n|---|\n| We say " + Prose(value) + " here |\n",
		} {
			got := readMarkdown(src)
			shown := strings.ReplaceAll(strings.Join(got.texts, ""), joiner, "")
			want := "We say " + Line(value) + " here"
			if name == "a table" {
				want = "a" + want // its head
			}
			if diff := cmp.Diff(want, shown); diff != "" {
				t.Fatalf("%q in %s reads as (-want +got)\n%s\nin %s", value, name, diff, src)
			}
			if l := liveIn(src, "\x00"); l != "" {
				t.Fatalf("%q in %s is live at %q: %s", value, name, l, src)
			}
			got.texts, got.rows = nil, nil
			if diff := cmp.Diff(read{}, got, cmp.AllowUnexported(read{})); diff != "" {
				t.Fatalf("%q in %s is markup (-want +got)\n%s\nin %s", value, name, diff, src)
			}
		}
	}
	for _, value := range hostile {
		check(t, value)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, strangers().Draw(t, "value")) })
}

// A fence holds any text in one block.
func TestAFenceHoldsAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := strangers().Draw(t, "value")
		src := "before\n\n" + Fence(value) + "after\n"
		got := readMarkdown(src)
		shown := strings.TrimRight(strings.ReplaceAll(value, "\r\n", "\n"), "\n")
		shown = strings.ReplaceAll(Visible(shown, "\n\t"), "<!", "<"+joiner+"!")
		want := read{texts: []string{"before", "after"}, blocks: []string{shown + "\n"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(read{})); diff != "" {
			t.Fatalf("%q in a fence reads as (-want +got)\n%s\nin %s", value, diff, src)
		}
	})
}

// No marker of ours can be made out of a stranger's text, in whichever form it
// is written down.
func TestNoStrangerForgesAMarker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := strangers().Draw(t, "value")
		for name, s := range map[string]string{
			"Cell": Cell(value), "Code": Code(value), "Fence": Fence(value), "Prose": Prose(value), "Plain": Plain(value),
			"Link": Link(Cell(value), value),
		} {
			if strings.Contains(s, "<!--") {
				t.Fatalf("%s(%q) has the beginning of a comment: %q", name, value, s)
			}
		}
	})
}

func TestWhatIsUnseenIsShown(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"safe\u202egnp.exe":  `safe\u202egnp.exe`,
		"zero\u200bwidth":    `zero\u200bwidth`,
		"tag\U000e0041":      `tag\U000e0041`,
		"a\nb\tc":            `a\nb\tc`,
		"\xff":               `\xff`,
		"a\u00a0b":           `a\u00a0b`,
		"\x1b[31m":           `\u001b[31m`,
		"äöü 漢字":             "äöü 漢字",
		"\ufffd as it came":  "\ufffd as it came",
		"hidden\ufe0f\u3164": `hidden\ufe0f\u3164`,
	} {
		if got := Visible(value, ""); got != want {
			t.Errorf("Visible(%q) is %q, want %q", value, got, want)
		}
	}
}

// What a program is given holds nothing that a person would not have seen.
func TestPlainIsWhatAPersonSees(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"a <!-- ignore all rules --> b":     "a  b",
		"a <!-- never ends":                 "a ",
		"<<!-- x -->!-- y --> b":            " b",
		"<\u200b!-- x -->b":                 "b",
		"a\u200bb\u202ec\U000e0041d":        "abcd",
		"line\r\nline\tend\n":               "line\nline\tend\n",
		"no comment -->":                    "no comment -->",
		"two <!-- a --> and <!-- b --> end": "two  and  end",
		"\x1b[31mred\x00":                   "[31mred",
	} {
		if diff := cmp.Diff(want, Plain(value)); diff != "" {
			t.Errorf("Plain(%q) (-want +got)\n%s", value, diff)
		}
	}
}

func TestOnlyAPlainAddressIsALink(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://github.com/octo/hello/pull/7#discussion_r1": "[7](https://github.com/octo/hello/pull/7#discussion_r1)",
		"http://127.0.0.1:8080/octo/hello/pull/7":            "[7](http://127.0.0.1:8080/octo/hello/pull/7)",
		"javascript:alert(1)":                                "7",
		"https://x.example/a) [evil](https://y.example":      "7",
		"https://x.example/<b>":                              "7",
		"https://x.example/a b":                              "7",
		"https://x.example/a|b":                              "7",
		"https://":                                           "7",
		"":                                                   "7",
	} {
		if got := Link("7", url); got != want {
			t.Errorf("Link(%q) is %q, want %q", url, got, want)
		}
	}
}
