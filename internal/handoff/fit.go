package handoff

import (
	"encoding/json"
	"slices"
)

// MaxOutput is what a brief may have as an output, in bytes: a larger one
// cannot become an environment variable of a later step (design 5).
const MaxOutput = 96<<10 - 1

// Encode returns b as JSON of at most max bytes, and how many findings were
// left out for that (see [Fit]). It is empty where not even a brief without
// findings fits, and then all are left out.
func Encode(b Brief, max int) (out string, leftOut int) {
	fitting := Fit(b, max)
	text := encode(fitting)
	if len(text) > max {
		return "", len(b.Findings)
	}
	return text, fitting.LeftOut.Findings - b.LeftOut.Findings
}

// Fit returns b with whole findings left out, until its JSON has at most max
// bytes: those of low severity first, of those the last ones. What stays keeps
// its order, waves and groups are made anew, and the brief itself counts what
// is missing. Where that is not enough, or less than half of max is left for
// findings, ids of strangers' threads and suppressions make room first.
//
// The hand-over is of the findings that stay: whoever hands out the output
// alone writes down these.
func Fit(b Brief, max int) Brief {
	if len(encode(b)) <= max {
		return b
	}
	bare := with(b, nil)
	trim(&bare, max/2)
	b.Untrusted, b.Suppressions, b.LeftOut = bare.Untrusted, bare.Suppressions, bare.LeftOut
	b.LeftOut.Findings -= len(b.Findings)

	var order []int // the heaviest first
	for _, severity := range []string{"high", "mid", "low", ""} {
		for i, f := range b.Findings {
			if f.Severity == severity || severity == "" && !slices.Contains([]string{"high", "mid", "low"}, f.Severity) {
				order = append(order, i)
			}
		}
	}
	room := max - len(encode(bare))
	var kept []int
	for _, i := range order {
		f := b.Findings[i]
		// Beside itself its id stands in a wave, and perhaps in a group.
		if n := len(encode(f)) + 2*len(encode(f.ID)) + len(`,,[],[],`); n <= room {
			room -= n
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	stay := make([]Finding, len(kept))
	for n, i := range kept {
		stay[n] = b.Findings[i]
	}
	return with(b, stay)
}

// with is b with only these of its findings.
func with(b Brief, findings []Finding) Brief {
	b.LeftOut.Findings += len(b.Findings) - len(findings)
	b.Findings = append([]Finding{}, findings...)
	b.Waves, b.SameFileGroups = waves(b.Findings), sameFile(b.Findings)
	return b
}

// trim takes ids, then suppressions, off the ends of their lists until b fits.
func trim(b *Brief, max int) {
	over := func() int { return len(encode(b)) - max }
	n := len(b.Untrusted)
	b.Untrusted = b.Untrusted[:n-tail(b.Untrusted, over())]
	b.LeftOut.Untrusted += n - len(b.Untrusted)
	n = len(b.Suppressions)
	b.Suppressions = b.Suppressions[:n-tail(b.Suppressions, over())]
	b.LeftOut.Suppressions += n - len(b.Suppressions)
}

// tail is how many entries at the end of a list take at least size bytes, or
// all of them.
func tail[E any](entries []E, size int) int {
	n := 0
	for size > 0 && n < len(entries) {
		n++
		size -= len(encode(entries[len(entries)-n])) // the comma pays for the count
	}
	return n
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("handoff: a brief is made of JSON values: " + err.Error())
	}
	return string(text)
}
