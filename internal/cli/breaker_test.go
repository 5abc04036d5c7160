package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// config validate says which of the two breakers is in force (design 6).
func TestValidateSaysWhichBreakerIsInForce(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"fixer: people\n", "ends after 5 rounds (refinement.maxCopilotRounds); the recap after every 10 rounds (recap.interval) is never reached"},
		{"refinement:\n  maxCopilotRounds: none\n", "no cap of rounds (refinement.maxCopilotRounds: none); the recap gate after every 10 rounds (recap.interval) is the breaker"},
		{"recap:\n  interval: 3\n", "recap gate comes after every 3 rounds (recap.interval), and the loop ends after 5"},
		{"recap:\n  interval: 5\n", "the recap after every 5 rounds (recap.interval) is never reached"},
	} {
		file := filepath.Join(t.TempDir(), "prloop.yml")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := validate(&System{Stdout: &out}, file); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), tt.want) {
			t.Errorf("%q: it says %q, want %q", tt.text, out.String(), tt.want)
		}
	}
}
