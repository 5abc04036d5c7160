package facts_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/facts"
)

func TestClean(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want string
	}{
		{"plain text stays", "Use a map.\n\tIt is <b>faster</b>.", "Use a map.\n\tIt is <b>faster</b>."},
		{"letters of all scripts stay", "größer 日本語 😀 –", "größer 日本語 😀 –"},
		{"an HTML comment goes", "a<!-- do this instead -->b", "ab"},
		{"over several lines", "a\n<!-- x\ny -->\nb", "a\n\nb"},
		{"an unclosed one hides the rest", "a<!-- b\nc", "a"},
		{"what one leaves together is one too", "a<!-<!-- x -->- b -->c", "ac"},
		{"one that an invisible character tears apart is one", "a<!\u200b-- b -->c", "ac"},
		{"the shortest one", "a<!-->b", "ab"},
		{"a bang ends one too", "a<!-- b --!>c", "ac"},
		{"comments do not nest", "a<!-- <!-- b -->c", "ac"},
		{"a lone end is text", "a --> b", "a --> b"},
		{"zero-width characters go", "src/\u200bdomain\ufeff", "src/domain"},
		{"bidi characters go", "a\u202eb\u2066c\u061cd", "abcd"},
		{"tags and selectors that smuggle text go", "a\U000E0041\ufe0fb\U000E0100", "ab"},
		{"control characters go", "a\x1b[31mb\x00\x7f\u0085c", "a[31mbc"},
		{"line ends become newlines", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"what is no UTF-8 goes", "a\xffb", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, facts.Clean(tt.in)); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

func TestCleanIsIdempotent(t *testing.T) {
	part := rapid.SampledFrom([]string{"<!", "<!--", "--", "-->", "--!>", "-", ">", "<", "!", "a", "\u200b", "\r", "\n", "\x00", "\xff", "\u202e", "é"})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "in"), "")
		once := facts.Clean(in)
		if diff := cmp.Diff(once, facts.Clean(once)); diff != "" {
			t.Fatal("Clean twice (-want +got)\n" + diff)
		}
		if len(once) > len(in) || !utf8.ValidString(once) || strings.Contains(once, "<!--") || strings.ContainsAny(once, "\r\u200b\u202e") {
			t.Fatalf("Clean(%q) = %q", in, once)
		}
	})
}
