package conductor

import (
	"errors"

	"github.com/prloop/prloop/internal/loose"
)

// Eval is the contract as a black box: one line of JSON in, one line of JSON
// out, without a newline at its end. The line has {input}, which is read as
// [Normalize] does; other keys are left alone. The answer is a [Decision], or
// {"error": …} where the line holds no input.
//
// An input's requiresLocalIsolation is passed on as it came, whatever it is;
// only where it is missing it is false.
func Eval(line []byte) []byte {
	return loose.Answer(line, "input", func(object map[string]any) (any, error) {
		in, err := Normalize(object["input"])
		if err != nil {
			return nil, err
		}
		d := Route(in)
		return answer{d, asGiven{d.HandoffEnvelope, isolation(object["input"])}}, nil
	})
}

// An answer is a decision whose envelope has the isolation that was given.
type answer struct {
	Decision
	HandoffEnvelope asGiven `json:"handoffEnvelope"`
}

type asGiven struct {
	Envelope
	RequiresLocalIsolation any `json:"requiresLocalIsolation"`
}

func isolation(input any) any {
	m, _ := loose.Object(input)
	if v, ok := m["requiresLocalIsolation"]; ok {
		return v
	}
	return false
}

// ErrNoInput says that a value is no input at all.
var ErrNoInput = errors.New("the input is not an object")

// Normalize reads a decoded JSON value as an input. Only a value that is
// neither object nor array is an error (ErrNoInput); all else that is missing
// or malformed is for [Route] to fail closed on. States and ownership are
// exact: neither case nor blanks are forgiven. A target that is no object is
// none; of one that is, a repository that is no text and a number that is not
// whole and above zero are missing.
//
// requiresLocalIsolation has JavaScript's truthiness, so that whatever is meant
// for yes isolates.
func Normalize(raw any) (Input, error) {
	m, ok := loose.Object(raw)
	if !ok {
		return Input{}, ErrNoInput
	}
	in := Input{
		SourceMode:             loose.One(m["sourceMode"], Local, Authoritative, FromSnapshot),
		RequiresLocalIsolation: loose.Truthy(m["requiresLocalIsolation"]),
	}
	in.CopilotState, _ = m["copilotState"].(string)
	in.ReviewerState, _ = m["reviewerState"].(string)
	in.OwnershipState, _ = m["ownershipState"].(string)
	if target, ok := loose.Object(m["target"]); ok {
		in.Target = &Target{Repo: loose.Text(target["repo"]), PR: int(loose.Whole(target["pr"]))}
	}
	return in, nil
}
