package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

func TestAHeadThatConvergedHasItsProof(t *testing.T) {
	got := Decide(input(known, edit(reviewed)))
	if got.Proof == nil || got.Converged.Kind != round.Review {
		t.Fatalf("%s, and no proof", got.Code)
	}
	want := round.Proof{
		Schema: round.ProofSchema, Repo: "octo-org/demo", PR: 7, HeadOID: headA, Base: round.ProofBase{Ref: "main", OID: headB}, Kind: round.Review,
		Review:               &round.ProofReview{Author: pr.CopilotReviewer, Commit: headA, SubmittedAt: "2026-11-30T09:05:00Z"},
		OpenEscalatedThreads: []string{}, OpenForeignThreads: []string{},
		Checks: round.ProofChecks{Asked: true, Set: "all", Passed: []string{"build"}}, Rounds: 1, RevertedRounds: []int{},
		ConfigDigest: ConfigDigest(config.Defaults()), JournalRevision: 3, Digest: got.Proof.Digest,
	}
	if diff := cmp.Diff(want, *got.Proof); diff != "" {
		t.Errorf("proof (-want +got):\n%s", diff)
	}
	if p, err := round.ReadProof([]byte(got.ProofText)); err != nil || cmp.Diff(want, p) != "" {
		t.Errorf("its text does not read back, %v", err)
	}
	for _, in := range []Input{input(edit(reviewed), threads(1)), input(edit(reviewed), check("FAILURE")), input(edit(reviewed), edit(requested)), input(), input(unknown(pr.FactThreads, ""), edit(reviewed))} {
		if p := Decide(in); p.Proof != nil && !p.Converged.Converged {
			t.Errorf("%s has a proof: %s", p.Code, p.ProofText)
		}
	}
}

// A later run makes the same proof while nothing but the base branch moves, so
// that it has nothing to write; whatever else changes makes another one.
func TestAProofStaysWhileNothingButTheBaseMoves(t *testing.T) {
	first := Decide(input(known, edit(reviewed)))
	noted := func(in *Input) {
		known(in)
		in.Journal = Prove(in.Journal, first)
		in.Journal.Rev += 2
	}
	tests := []struct {
		name string
		edit func(*Input)
		same bool
	}{
		{"nothing", func(*Input) {}, true},
		{"the base branch", edit(func(s *pr.Snapshot) { s.Base.OID = headA }), true},
		{"the time", later2(time.Hour), true},
		{"another check", edit(func(s *pr.Snapshot) {
			c := s.Checks[0]
			c.Name = "lint"
			s.Checks = append(s.Checks, c)
		}), false},
		{"the settings", func(in *Input) { in.Settings.MaxOpenThreads++ }, false},
	}
	for _, tt := range tests {
		got := Decide(input(noted, edit(reviewed), tt.edit))
		if got.Proof == nil || (got.Proof.Digest == first.Proof.Digest) != tt.same || got.Entered(input(noted).Journal) != tt.same {
			t.Errorf("%s changed, and the proof is %s; at first it was %s", tt.name, got.ProofText, first.ProofText)
		}
	}
	if first.Entered(input(known).Journal) {
		t.Error("a proof that the journal does not note counts as noted")
	}
}

func TestAgainstSaysWhatNobodyCanTell(t *testing.T) {
	first := Decide(input(known, edit(reviewed)))
	noted := func(in *Input) { known(in); in.Journal = Prove(in.Journal, first) }
	unread := func(f pr.Fact) Input { return input(noted, edit(reviewed), unknown(f, "")) }
	tests := []struct {
		name    string
		in      Input
		unknown []string
	}{
		{"nothing", input(noted, edit(reviewed)), nil},
		{"reviews", unread(pr.FactReviews), []string{"review", "rounds", "declined"}},
		{"threads", unread(pr.FactThreads), []string{"openThreadsAwaitingReply", "openEscalatedThreads", "declined"}},
		{"checks", unread(pr.FactChecks), []string{"checks"}},
		{"the configuration", unread(pr.FactConfig), []string{"configDigest"}},
		{"comments", unread(pr.FactComments), []string{"declined", "revertedRounds", "journalRevision"}},
		{"the pull request", unread(pr.FactPullRequest), []string{"state"}},
		{"the journal", input(noted, edit(reviewed), func(in *Input) { in.Memory, in.Journal = journal.MemoryEdited, journal.Journal{} }), []string{"declined", "revertedRounds", "journalRevision"}},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range Against(*first.Proof, tt.in) {
			if c.Broken != "" {
				t.Errorf("%s unread: %s is broken: %s", tt.name, c.Name, c.Broken)
			}
			if c.Unknown != "" {
				got = append(got, c.Name)
			}
		}
		if diff := cmp.Diff(tt.unknown, got); diff != "" {
			t.Errorf("%s unread: what nobody can tell (-want +got):\n%s", tt.name, diff)
		}
	}
}
