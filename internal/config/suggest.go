package config

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// DidYouMean is the end of a sentence that refuses word: a suggestion from
// candidates, or nothing where none is near. The first of the nearest wins.
func DidYouMean(word string, candidates []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
