// Package loose reads JSON values as JavaScript reads them. The machines of
// the seeds were written in it, and their conformance rows lean on it: a text
// is true, half a number is rounded down, a value of the wrong type is as if
// it were not there.
//
// Start at [Answer].
package loose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Answer is a machine as a black box: one line of JSON in, one line of JSON
// out, without a newline at its end. The line must be one object; what of it
// counts, machine says. Its error, like that of a line that is none, is
// answered as {"error": …}. The key is only for that error's words.
//
// What machine returns must encode; it panics otherwise.
func Answer(line []byte, key string, machine func(object map[string]any) (any, error)) []byte {
	object, err := decode(line, key)
	if err != nil {
		return encode(map[string]string{"error": err.Error()})
	}
	answer, err := machine(object)
	if err != nil {
		return encode(map[string]string{"error": err.Error()})
	}
	return encode(answer)
}

func decode(line []byte, key string) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber() // 1e999 is a number to JavaScript, and no float64 to Go
	var in any
	if err := d.Decode(&in); errors.Is(err, io.EOF) {
		return nil, errors.New("the line is empty")
	} else if err != nil {
		return nil, fmt.Errorf("the line is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the line is more than one JSON value")
	}
	object, ok := in.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the line is not an object with the key %s", key)
	}
	return object, nil
}

func encode(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic("loose: a machine's answer does not encode: " + err.Error())
	}
	return line
}

// Object returns the keys of v, and whether it is an object to JavaScript: an
// array is one too, and has none of the keys that anybody asks for.
func Object(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case map[string]any:
		return v, true
	case []any:
		return nil, true
	default:
		return nil, false
	}
}

// Truthy is JavaScript's Boolean(v) of a JSON value, so "false" is true. An
// absent key is nil.
func Truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case float64, json.Number:
		n, _ := Number(v)
		return n != 0
	default: // an object or an array, an empty one too
		return true
	}
}

// Number returns v where it is a JSON number, a float64 or a json.Number. One
// too large for a float64 is infinite, as in JavaScript.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		n, err := strconv.ParseFloat(string(v), 64)
		return n, err == nil || errors.Is(err, strconv.ErrRange)
	default:
		return 0, false
	}
}

// Count returns v where it is a number that is not negative, rounded down, and
// 0 for anything else. Zero often reads as clean: whoever counts things on
// GitHub stops at a count that is unknown, and never passes it on.
func Count(v any) int {
	if n, ok := Number(v); ok && n >= 0 {
		return Floor(n)
	}
	return 0
}

// Floor rounds n down, to at most math.MaxInt32.
func Floor(n float64) int {
	if n >= math.MaxInt32 {
		return math.MaxInt32
	}
	return int(math.Floor(n))
}

// exact is the largest number up to which JavaScript tells whole numbers apart
// (Number.MAX_SAFE_INTEGER).
const exact = 1<<53 - 1

// ID returns v rounded down where it is a number above zero and exact, and
// nil for anything else.
func ID(v any) *int64 {
	if n, ok := Number(v); ok && n > 0 && n <= exact {
		return new(int64(math.Floor(n)))
	}
	return nil
}

// Whole returns v where it is a whole number above zero and exact, and 0 for
// anything else.
func Whole(v any) int64 {
	if id := ID(v); id != nil && float64(*id) == number(v) {
		return *id
	}
	return 0
}

func number(v any) float64 {
	n, _ := Number(v)
	return n
}

// One returns v where it is exactly one of values, and otherwise the fallback.
func One[T ~string](v any, otherwise T, values ...T) T {
	if text, ok := v.(string); ok && slices.Contains(values, T(text)) {
		return T(text)
	}
	return otherwise
}

// Text returns v without the blanks around it where it is a text, and ""
// for anything else.
func Text(v any) string {
	text, _ := v.(string)
	return Trim(text)
}

// OrNull returns s for a field that spells an empty text as null.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Trim is JavaScript's trim: it takes the byte order mark for a blank, and
// U+0085 for none, unlike package strings.
func Trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
	})
}
