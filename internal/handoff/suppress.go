package handoff

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/prloop/prloop/internal/facts"
)

// Bounds of a suppression file.
const (
	maxSuppressions = 200  // the newest
	maxSuppressed   = 1000 // bytes of a line
)

// categories are the nine of the suppression file (seed 001, triage).
var categories = []string{
	"race-condition", "null-check", "error-handling", "style", "type-safety", "security", "performance", "correctness", "other",
}

// suppressionTypes are what a line may be. Only a false positive suppresses.
var suppressionTypes = []string{"fp", "fix", "already-fixed"}

var suppressedBy = regexp.MustCompile(`^(\*|[a-z0-9][a-z0-9_-]*)$`)

// ReadSuppressions reads a suppression file: a line is
//
//	date | repository | type | glob of files | category | reviewer or *
//
// It returns the false positives of this repository (owner/name), the newest
// 200 without doubles, and how many lines it passed over because they are none.
// Empty lines and those that begin with # are no lines. The repository of a line
// may be its name with or without the owner, or *.
func ReadSuppressions(text, repo string) (list []Suppression, bad int) {
	_, name, _ := strings.Cut(repo, "/")
	for raw := range strings.Lines(text) {
		raw = strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		s, whose, kind, ok := readSuppression(raw)
		switch {
		case !ok:
			bad++
		case kind != "fp", whose != "*" && !strings.EqualFold(whose, repo) && !strings.EqualFold(whose, name):
		default:
			list = append(slices.DeleteFunc(list, func(other Suppression) bool { return other == s }), s)
		}
	}
	return list[max(0, len(list)-maxSuppressions):], bad
}

// readSuppression reads one line. What people do not see is no part of it.
func readSuppression(raw string) (s Suppression, repo, kind string, ok bool) {
	if len(raw) > maxSuppressed {
		return s, "", "", false
	}
	parts := strings.Split(facts.Clean(raw), "|")
	if len(parts) != 6 {
		return s, "", "", false
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	by := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(parts[5]), "@"), "[bot]")
	s = Suppression{Path: parts[3], Category: strings.ToLower(parts[4]), Reviewer: by}
	kind = strings.ToLower(parts[2])
	_, err := path.Match(s.Path, "")
	ok = parts[1] != "" && err == nil && Outside(s.Path) == "" && slices.Contains(suppressionTypes, kind) &&
		slices.Contains(categories, s.Category) && suppressedBy.MatchString(by)
	return s, parts[1], kind, ok
}
