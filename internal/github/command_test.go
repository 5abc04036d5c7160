package github

import (
	"testing"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/githubtest"
	"github.com/prloop/prloop/internal/pr"
)

// reaction answers the one comment of a person.
func reaction(b *bench) effect.Effect {
	for _, c := range b.w.Pull(b.n).Comments {
		if c.Author == "mona" {
			return effect.React{Comment: c.DatabaseID, CommentID: c.ID, Content: pr.Rocket}
		}
	}
	return effect.React{Comment: 2400000001, CommentID: "IC_gone", Content: pr.Rocket}
}

// The endpoint folds maintain into write and triage into read; who is not known
// there has nothing.
func TestMayWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	may := map[string]bool{"admin": true, "maintain": true, "write": true}
	for _, permission := range []string{"admin", "maintain", "write", "triage", "read", ""} { // "" leaves the one before
		want := may[permission]
		b.w.AddAccount(githubtest.Account{Login: "mona", Permission: permission})
		if got, admin, err := b.client().MayWrite(t.Context(), "mona"); got != want || admin != (permission == "admin") || err != nil {
			t.Errorf("permission %q: %v, %v, want %v", permission, got, err, want)
		}
	}
	if got, _, err := b.client().MayWrite(t.Context(), pr.Login("nobody-here")); got || err != nil {
		t.Errorf("an account that is gone: %v, %v", got, err)
	}
	b.w.RemoveToken("workflow")
	if got, _, err := b.client().MayWrite(t.Context(), "mona"); got || err == nil {
		t.Errorf("with a token that is no more: %v, %v", got, err)
	}
}
