package quest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The canonical form is that of RFC 8785; its own examples are among these.
func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want, fails string }{
		{"blanks go", " { \"b\" : [ 1 , 2 ] , \"a\" : null }\n", `{"a":null,"b":[1,2]}`, ""},
		{"empty ones", `{"a":{},"b":[],"c":""}`, `{"a":{},"b":[],"c":""}`, ""},
		{"numbers", `[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0, 1e21, 100, 0.10]`, "", "more exact than a double"},
		{"short numbers", `[333333333.3333333, 1E30, 4.50, 2e-3, 1e-27, -0, 1e21, 1e20, 100, -7]`, `[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,100000000000000000000,100,-7]`, ""},
		{"a whole number that no double holds", `9007199254740993`, "", "more exact"},
		{"a number beyond all", `1e999`, "", "out of range"},
		{"a number that would be 0", `1e-999`, "", "out of range"},
		{"escapes that nobody needs", `"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"", ""},
		{"keys by UTF-16 units", `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`, "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}", ""},
		{"a key twice", `{"a":1,"\u0061":2}`, "", `the key "a" is there twice`},
		{"half a pair", `"\ud83d"`, "", "no Unicode"},
		{"the replacement character itself", "\"\ufffd\"", "\"\ufffd\"", ""},
		{"no UTF-8", "\"\xff\"", "", "not UTF-8"},
		{"no JSON", `{"a":1`, "", "not JSON"},
		{"two values", `{} {}`, "", "not JSON"},
		{"nothing", ``, "", "not JSON"},
		{"too deep", strings.Repeat("[", 101) + strings.Repeat("]", 101), "", "nested more than 100"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			if string(got) != tt.want && tt.fails == "" {
				t.Errorf("%s, %v; want %s", got, err, tt.want)
			}
			if tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("%s, %v; want an error with %q", got, err, tt.fails)
			}
		})
	}
}

// Whatever the value, its canonical form means the same, is its own canonical
// form, and does not depend on blanks or the order of keys.
func TestCanonicalIsOneSpelling(t *testing.T) {
	leaf := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }), rapid.Map(rapid.Int32(), func(n int32) any { return float64(n) }),
		rapid.Map(rapid.Float64Range(-1e30, 1e30), func(f float64) any { return f }), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
	)
	rapid.Check(t, func(t *rapid.T) {
		inner := rapid.MapOfN(rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") }), leaf, 0, 5)
		value := map[string]any{"list": rapid.SliceOfN(leaf, 0, 4).Draw(t, "list"), "object": inner.Draw(t, "object")}
		text, err := json.MarshalIndent(value, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Canonical(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := Canonical(got)
		if err != nil || string(again) != string(got) {
			t.Fatalf("%s: the canonical form of it is %s (%v)", got, again, err)
		}
		var want, meant any
		if json.Unmarshal(text, &want) != nil || json.Unmarshal(got, &meant) != nil {
			t.Fatalf("%s is not JSON", got)
		}
		if diff := cmp.Diff(want, meant); diff != "" {
			t.Fatalf("%s means something else (-want +got):\n%s", got, diff)
		}
	})
}

// FuzzCanonical: whatever the bytes, there is an answer.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{``, `{`, `{"a":[1,{"b":"\u00e9"}]}`, `"\`, `[1.5e-7,-0]`, "\"\\ud83d\\ude00\"", `{"":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Canonical(text)
		if err != nil {
			return
		}
		if again, err := Canonical(got); err != nil || string(again) != string(got) {
			t.Fatalf("%q became %q, and then %q (%v)", text, got, again, err)
		}
	})
}

// Keys of another case are other keys.
func TestBundleKeysAreExact(t *testing.T) {
	q, _, err := Fold(New("trail"), straight(6), DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	e := proofOf(func(*bundle) {})(&q)
	e.ID = "p"
	for _, edit := range []func(string) string{
		func(s string) string { return strings.Replace(s, `"head"`, `"HEAD"`, 1) },
		func(s string) string { return strings.Replace(s, `{`, `{"Head":"other",`, 1) },
		func(s string) string { return strings.Replace(s, `"rev":1`, `"rev":"1"`, 1) },
		func(s string) string { return `[` + s + `]` },
		func(string) string { return `` },
	} {
		e.Bundle = json.RawMessage(edit(string(proofOf(func(*bundle) {})(&q).Bundle)))
		e.Digest, _ = Digest(e.Bundle)
		_, _, err := Step(q, e, DefaultPolicy())
		if strings.Contains(string(e.Bundle), `"Head"`) != (err == nil) {
			t.Errorf("%s: %v", e.Bundle, err)
		}
	}
}
