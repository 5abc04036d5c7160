package round

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/journal"
)

// proof is one of a clean review, changed by each edit in turn.
func proof(edits ...func(*Proof)) Proof {
	p := Proof{
		Schema: ProofSchema, Repo: "octo-org/demo", PR: 7, HeadOID: "1f0c9a2", Base: ProofBase{"main", "2b7d01c"}, Kind: Review,
		Review:               &ProofReview{"copilot-pull-request-reviewer", "1f0c9a2", "2026-11-30T09:00:00Z"},
		OpenEscalatedThreads: []string{}, OpenForeignThreads: []string{},
		Checks: ProofChecks{Asked: true, Set: "all", Passed: []string{"build"}}, Rounds: 2, RevertedRounds: []int{},
		ConfigDigest: "sha256:00", JournalRevision: 8,
	}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// Whatever strangers named, a proof reads back as it was, and its text is
// printable ASCII without a quotation mark of a shell or a word of the runner.
func TestProofsReadBack(t *testing.T) {
	names := rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"build", "it's `x` $(id)", "##[group]", "a --> b", "<!-- x", "\u202eevil", "zoë 🙂", "\xff\xfe", "\x00\n::set-output", `\`, `"`, "\x7f"}),
		rapid.String(),
	), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		list, more := Passed(names.Draw(t, "checks"))
		want, text, err := Seal(proof(func(p *Proof) {
			p.Checks.Passed, p.Checks.More = list, more
			p.Base.Ref = strings.Join(names.Draw(t, "branch"), "/")
		}))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range text {
			if c < ' ' || c > '~' || strings.ContainsRune("'`$#<>", rune(c)) {
				t.Fatalf("the byte %q is in the proof: %s", c, text)
			}
		}
		if strings.Contains(string(text), "--") {
			t.Fatalf("a comment could end in the proof: %s", text)
		}
		got, err := ReadProof(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		var plain Proof // to any reader of JSON it says the same
		if err := json.Unmarshal(text, &plain); err != nil || cmp.Diff(want, plain) != "" {
			t.Fatalf("as JSON, %v (-want +got):\n%s", err, cmp.Diff(want, plain))
		}
	})
}

// The digest can be worked out by hand: the SHA-256 of the line without it.
func TestTheDigestIsOfTheLineWithoutIt(t *testing.T) {
	p, text, err := Seal(proof())
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(string(text), `,"digest":"`)
	if rest != p.Digest+`"}` || journal.Sum([]byte(line+"}")) != p.Digest {
		t.Errorf("%s is not the digest of %s}", p.Digest, line)
	}
}

// The longest proof that there can be fits into an output beside the others.
func TestAProofIsBounded(t *testing.T) {
	var checks, ids []string
	for i := range 5000 {
		checks = append(checks, fmt.Sprintf("%05d", i)+strings.Repeat("\u202e", 400))
		ids = append(ids, fmt.Sprintf("PRRT_kwDOAA%06d%s", i, strings.Repeat("x", 20)))
	}
	list, more := Passed(checks)
	_, text, err := Seal(proof(func(p *Proof) {
		p.Base.Ref = strings.Repeat("$", 5000)
		p.Checks.Passed, p.Checks.More = list, more
		p.OpenEscalatedThreads, p.OpenForeignThreads = Listed(ids), Listed(ids)
	}))
	if err != nil || len(text) > 100<<10 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if len(list)+more != len(checks) {
		t.Errorf("%d listed and %d more of %d checks", len(list), more, len(checks))
	}
}

func TestNoProofClaimsTheImpossible(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Proof)
		want string
	}{
		{"of another version", func(p *Proof) { p.Schema = "prloop.proof/v2" }, "it is of a version that this prloop does not read"},
		{"with a thread that awaits a reply", func(p *Proof) { p.OpenThreadsAwaitingReply = 1 }, "it says that threads await a reply, so it proves nothing"},
		{"of no kind", func(p *Proof) { p.Kind = "" }, "it does not say what kind of convergence it proves"},
		{"without a review", func(p *Proof) { p.Review = nil }, "it has no review of its head"},
		{"with a review of another head", func(p *Proof) { p.Review.Commit = "0000000" }, "it has no review of its head"},
	}
	for _, tt := range tests {
		_, text, err := Seal(proof(tt.edit))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadProof(text); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("a proof %s: %v, want %q", tt.name, err, tt.want)
		}
	}
	_, text, err := Seal(proof(func(p *Proof) { p.Kind, p.Review = LowSignal, nil }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadProof(text); err != nil {
		t.Errorf("the kinds that take the review as it is need none: %v", err)
	}
}

func FuzzReadProof(f *testing.F) {
	_, text, err := Seal(proof())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"prloop.proof/v1"}`))
	f.Add([]byte("null\n"))
	f.Fuzz(func(t *testing.T, given []byte) {
		p, err := ReadProof(given)
		if err != nil {
			if diff := cmp.Diff(Proof{}, p); diff != "" {
				t.Fatalf("beside an error there is a proof: %s", diff)
			}
			return
		}
		_, again, err := Seal(p)
		if err != nil || strings.TrimRight(string(given), "\r\n") != string(again) {
			t.Fatalf("two spellings of one proof:\n%s\n%s", given, again)
		}
	})
}
