package loose

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What one JSON value is to each reader.
type reading struct {
	Object, Truthy, Number bool
	Count                  int
	ID, Whole              int64 // ID: -1 for none
	Text                   string
}

func read(v any) reading {
	_, object := Object(v)
	_, number := Number(v)
	id := int64(-1)
	if p := ID(v); p != nil {
		id = *p
	}
	return reading{object, Truthy(v), number, Count(v), id, Whole(v), Text(v)}
}

func TestReadings(t *testing.T) {
	tests := []struct {
		name, json string
		want       reading
	}{
		{"null is nothing", `null`, reading{ID: -1}},
		{"false is false", `false`, reading{ID: -1}},
		{"true is no number", `true`, reading{Truthy: true, ID: -1}},
		{"the empty text is false", `""`, reading{ID: -1}},
		{"a text is true, whatever it says", `"false"`, reading{Truthy: true, ID: -1, Text: "false"}},
		{"a blank text is true, and says nothing", `"  \t"`, reading{Truthy: true, ID: -1}},
		{"a text in blanks is what is in them", "\"\u00a0\ufeffa b\u2029\"", reading{Truthy: true, ID: -1, Text: "a b"}},
		{"a number in quotes is none", `"7"`, reading{Truthy: true, ID: -1, Text: "7"}},
		{"zero is false", `0`, reading{Number: true, ID: -1}},
		{"so is its negative", `-0.0`, reading{Number: true, ID: -1}},
		{"a whole number", `7`, reading{Truthy: true, Number: true, Count: 7, ID: 7, Whole: 7}},
		{"it may have a fraction of nothing", `7.0`, reading{Truthy: true, Number: true, Count: 7, ID: 7, Whole: 7}},
		{"or an exponent", `1e2`, reading{Truthy: true, Number: true, Count: 100, ID: 100, Whole: 100}},
		{"half a number is rounded down, and not whole", `7.5`, reading{Truthy: true, Number: true, Count: 7, ID: 7}},
		{"a number below one is an id, as JavaScript rounds", `0.5`, reading{Truthy: true, Number: true}},
		{"a negative number counts nothing", `-7`, reading{Truthy: true, Number: true, ID: -1}},
		{"an id is longer than a count", `9007199254740991`, reading{Truthy: true, Number: true, Count: math.MaxInt32, ID: 9007199254740991, Whole: 9007199254740991}},
		{"beyond that numbers are not told apart", `9007199254740992`, reading{Truthy: true, Number: true, Count: math.MaxInt32, ID: -1}},
		{"an endless number is many, and no id", `1e999`, reading{Truthy: true, Number: true, Count: math.MaxInt32, ID: -1}},
		{"an endless negative one is nothing", `-1e999`, reading{Truthy: true, Number: true, ID: -1}},
		{"an empty list is true, and an object", `[]`, reading{Object: true, Truthy: true, ID: -1}},
		{"an empty object is true", `{}`, reading{Object: true, Truthy: true, ID: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := json.NewDecoder(strings.NewReader(tt.json))
			d.UseNumber()
			var v any
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, read(v)); diff != "" {
				t.Errorf("as a json.Number (-want +got):\n%s", diff)
			}
			if err := json.Unmarshal([]byte(tt.json), &v); err != nil {
				return // 1e999 is only a json.Number
			}
			if diff := cmp.Diff(tt.want, read(v)); diff != "" {
				t.Errorf("as a float64 (-want +got):\n%s", diff)
			}
		})
	}
}

// An array is an object without the keys that are asked for.
func TestObjectHasItsKeys(t *testing.T) {
	want := map[string]any{"a": true}
	if got, _ := Object(want); cmp.Diff(want, got) != "" {
		t.Errorf("Object (-want +got):\n%s", cmp.Diff(want, got))
	}
	if got, ok := Object([]any{want}); !ok || got["a"] != nil {
		t.Errorf("Object of an array = %v, %v; want no key", got, ok)
	}
}

func TestOne(t *testing.T) {
	type word string
	tests := []struct {
		name string
		v    any
		want word
	}{
		{"a value of the list is itself", "b", "b"},
		{"values are exact", "B", "none"},
		{"blanks count", " b", "none"},
		{"values are texts", []any{"b"}, "none"},
		{"an absent one is the fallback", nil, "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := One(tt.v, word("none"), "a", "b"); got != tt.want {
				t.Errorf("One = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOrNull(t *testing.T) {
	want := `["a",null," "]`
	got, err := json.Marshal([]*string{OrNull("a"), OrNull(""), OrNull(" ")})
	if err != nil || string(got) != want {
		t.Errorf("OrNull = %s, %v; want %s", got, err, want)
	}
}

// The characters that ECMAScript's WhiteSpace and LineTerminator name are
// trimmed, and no other.
func TestTrim(t *testing.T) {
	const blank = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Rune().Draw(t, "rune")
		want := string(r)
		if strings.ContainsRune(blank, r) {
			want = ""
		}
		if got := Trim(string(r)); got != want {
			t.Fatalf("Trim(%q) = %q, want %q", r, got, want)
		}
	})
	for _, r := range blank {
		if got := Trim(string(r) + "a " + string(r)); got != "a" {
			t.Errorf("Trim around %q = %q, want %q", r, got, "a")
		}
	}
	for _, r := range "\u0085\u180e\u200b" {
		if got := Trim(string(r)); got != string(r) {
			t.Errorf("Trim(%q) = %q, want it kept", r, got)
		}
	}
}

func TestAnswer(t *testing.T) {
	echo := func(object map[string]any) (any, error) {
		if object["wrong"] != nil {
			return nil, errors.New("it is wrong")
		}
		return object, nil
	}
	tests := []struct {
		name, line, want string
	}{
		{"an object is answered", `{"a": 1e999}`, `{"a":1e999}`},
		{"blanks around it change nothing", "\t{} \r\n", `{}`},
		{"an error is answered too", `{"wrong": 1}`, `{"error":"it is wrong"}`},
		{"an empty line is none", ``, `{"error":"the line is empty"}`},
		{"blanks are none", " \n", `{"error":"the line is empty"}`},
		{"half a line is none", `{"a": {`, `{"error":"the line is not JSON: unexpected EOF"}`},
		{"two values are none", `{} {}`, `{"error":"the line is more than one JSON value"}`},
		{"a value with rubbish behind it is none", `{} x`, `{"error":"the line is more than one JSON value"}`},
		{"a list is none", `[{}]`, `{"error":"the line is not an object with the key input"}`},
		{"null is none", `null`, `{"error":"the line is not an object with the key input"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(Answer([]byte(tt.line), "input", echo))); diff != "" {
				t.Errorf("Answer (-want +got):\n%s", diff)
			}
		})
	}
}
