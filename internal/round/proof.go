package round

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// ProofSchema names the form of a proof.
const ProofSchema = "prloop.proof/v1"

// A Proof says by what a head has converged: "proof, not assertion" (seed 003,
// "Convergence proof"; design 6). Everything in it can be asked of GitHub again.
// Fields keep their order: the canonical spelling depends on it.
type Proof struct {
	Schema  string    `json:"schema"`
	Repo    string    `json:"repo"` // owner/name
	PR      int       `json:"pr"`
	HeadOID pr.SHA    `json:"headOid"`
	Base    ProofBase `json:"base"`
	// Kind is the kind of convergence (Verdict.Kind).
	Kind string `json:"kind"`
	// Review is the newest genuine one of the head; in the kinds that take the
	// review as it is, the newest of all; null where there is none.
	Review                   *ProofReview `json:"review"`
	OpenThreadsAwaitingReply int          `json:"openThreadsAwaitingReply"`
	// OpenThreadCount counts all unresolved threads. OpenEscalatedThreads are
	// ids of those that were answered and left open, OpenForeignThreads of those
	// by accounts that cannot push here; each sorted, at most 100.
	OpenThreadCount      int         `json:"openThreadCount"`
	OpenEscalatedThreads []string    `json:"openEscalatedThreads"`
	OpenForeignThreads   []string    `json:"openForeignThreads"`
	Checks               ProofChecks `json:"checks"`
	Rounds               int         `json:"rounds"`
	// Declined counts the findings at the head that a report declined.
	Declined        int   `json:"declined"`
	RevertedRounds  []int `json:"revertedRounds"`
	SingleIteration bool  `json:"singleIteration"`
	// ConfigDigest is of the settings in force, JournalRevision the revision of
	// the journal that was decided on; 0 where there was none.
	ConfigDigest    string `json:"configDigest"`
	JournalRevision int    `json:"journalRevision"`
	// LeftByMinSeverity are ids of open findings that are below minSeverity, sorted,
	// at most 100.
	LeftByMinSeverity []string `json:"leftByMinSeverity,omitempty"`
	// FinalPass are the reviews of the final pass, of this head; none where nobody
	// is asked at the end.
	FinalPass []ProofReview `json:"finalPass,omitempty"`
	// Digest is of everything before it.
	Digest string `json:"digest,omitempty"`
}

// A ProofBase is the base branch, and where it stood.
type ProofBase struct {
	Ref string `json:"ref"`
	OID pr.SHA `json:"oid"`
}

// A ProofReview is the review that a proof rests on.
type ProofReview struct {
	Author      pr.Login `json:"author"`
	Commit      pr.SHA   `json:"commit"`
	SubmittedAt string   `json:"submittedAt"` // RFC 3339, UTC
}

// ProofChecks are the checks that passed on the head.
type ProofChecks struct {
	// Asked: checks hold convergence up (gates.preApproval.requireCi). Where
	// they do not, none is listed.
	Asked  bool     `json:"asked"`
	Set    string   `json:"set"`    // required, all or globs
	Passed []string `json:"passed"` // names, sorted, at most 100
	More   int      `json:"more"`   // that were left out
}

// The bounds of what strangers named, so that a proof stays below 100 KiB.
const (
	maxListed = 100
	maxNamed  = 120 // bytes of a name
)

// Passed are names of checks as a proof lists them.
func Passed(names []string) (list []string, more int) {
	list = make([]string, 0, len(names))
	for _, n := range names {
		list = append(list, named(n))
	}
	slices.Sort(list)
	n := min(len(list), maxListed)
	return list[:n], len(list) - n
}

// Listed are ids as a proof lists them.
func Listed(ids []string) []string {
	list := append(make([]string, 0, len(ids)), ids...)
	slices.Sort(list)
	return list[:min(len(list), maxListed)]
}

func named(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= maxNamed {
		return s
	}
	cut := maxNamed - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Seal returns p with its digest, and its one spelling: JSON on one line of
// printable ASCII, in which nothing can end a quotation of a shell, begin a
// command of the runner or close an HTML comment. The digest is the SHA-256 of
// that line without the member digest.
func Seal(p Proof) (Proof, []byte, error) {
	p.Digest = ""
	p.Base.Ref = named(p.Base.Ref)
	data, err := journal.Spell(p)
	if err != nil {
		return Proof{}, nil, fmt.Errorf("spell the proof: %w", err)
	}
	p.Digest = journal.Sum(harmless(data))
	data, err = journal.Spell(p)
	return p, harmless(data), err
}

// ReadProof reads a proof. It must be in its one spelling, with a digest that
// fits, so that any other byte makes it none; one line end may follow. The error
// is a *journal.CorruptError.
func ReadProof(text []byte) (Proof, error) {
	if line, ok := bytes.CutSuffix(text, []byte("\n")); ok {
		text = bytes.TrimSuffix(line, []byte("\r"))
	}
	return journal.Read(text, func(given Proof) (Proof, []byte, error) {
		if why := given.wrong(); why != "" {
			return Proof{}, nil, &journal.CorruptError{Why: why}
		}
		p, again, err := Seal(given)
		if err == nil && p.Digest != given.Digest {
			err = &journal.CorruptError{Why: "its digest does not fit"}
		}
		return p, again, err
	})
}

// wrong says what no proof can be; empty where nothing is wrong.
func (p Proof) wrong() string {
	switch {
	case p.Schema != ProofSchema:
		return "it is of a version that this prloop does not read"
	case p.OpenThreadsAwaitingReply != 0:
		return "it says that threads await a reply, so it proves nothing"
	case p.Kind == "":
		return "it does not say what kind of convergence it proves"
	case p.SingleIteration != (p.Kind == Single):
		return "it does not say whether anybody was asked for a review"
	case p.Kind != LowSignal && p.Kind != CapFallback && p.Kind != Single && p.Kind != NeverReviewed && (p.Review == nil || p.Review.Commit != p.HeadOID):
		return "it has no review of its head"
	}
	return ""
}

// harmless writes JSON with everything escaped that is not plain to all its
// readers. Such letters only stand in strings, where an escape says the same.
func harmless(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, r := range string(data) {
		if r < 0x7f && !strings.ContainsRune("'`$#", r) {
			out = append(out, byte(r))
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, u)
		}
	}
	return out
}
