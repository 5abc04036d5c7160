package effect

import (
	"fmt"
	"strings"

	"github.com/prloop/prloop/internal/pr"
)

// ProofCheck is the name of the check run that carries a proof.
const ProofCheck = "prloop"

// CheckRun puts the proof of convergence on Head as a check run of its own, once
// for each digest (design 6, "optional check run on the head that carries it"). It
// is stale once the head moved.
type CheckRun struct {
	Head   pr.SHA
	Digest string // of the proof; the check run's external id
	// Clean: the reviews found nothing, so it concludes success; neutral else.
	Clean bool
	// Title, Summary and Text are what people read, in Markdown.
	Title, Summary, Text string
}

// Key of a check run: the proof's digest, and the head.
func (e CheckRun) Key() Key {
	short := strings.TrimPrefix(e.Digest, "sha256:")
	return Key("check-run:" + short[:min(len(short), 12)] + "@" + e.Head.Short())
}

// Type of CheckRun.
func (CheckRun) Type() string { return "check_run" }

func (e CheckRun) String() string {
	return fmt.Sprintf("show the proof of %s as a check run", e.Head.Short())
}

func (CheckRun) sealed() {}

// Conclusion is what the check run ends with, in GitHub's words.
func (e CheckRun) Conclusion() string {
	if e.Clean {
		return "success"
	}
	return "neutral"
}
