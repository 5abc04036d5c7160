package conductor

import (
	"testing"

	"github.com/prloop/prloop/internal/conformance"
)

// TestVectors holds the contract against the conformance vectors: every key
// that a vector wants must be equal in the answer.
func TestVectors(t *testing.T) { conformance.Check(t, "conductor", Eval) }
