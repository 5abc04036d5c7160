package reviewer

import (
	"testing"

	"github.com/prloop/prloop/internal/conformance"
)

// TestVectors holds the machine against the conformance vectors: every key
// that a vector wants must be equal in the answer.
func TestVectors(t *testing.T) { conformance.Check(t, "reviewer", Eval) }
