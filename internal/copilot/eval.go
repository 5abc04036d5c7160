package copilot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Eval is the machine as a black box: one line of JSON in, one line of JSON
// out, without a newline at its end. The line has {snapshot, config}; both are
// read as [Normalize] and [NormalizeConfig] do, and other keys are left alone.
// The answer is a [Result] by the seed's names, or {"error": …} where the line
// holds no snapshot.
func Eval(line []byte) []byte {
	result, err := eval(line)
	if err != nil {
		return encode(map[string]string{"error": err.Error()})
	}
	return encode(result)
}

func eval(line []byte) (Result, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber() // 1e999 is a number to JavaScript, and no float64 to Go
	var in any
	if err := d.Decode(&in); errors.Is(err, io.EOF) {
		return Result{}, errors.New("the line is empty")
	} else if err != nil {
		return Result{}, fmt.Errorf("the line is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Result{}, errors.New("the line is more than one JSON value")
	}
	object, ok := in.(map[string]any)
	if !ok {
		return Result{}, errors.New("the line is not an object with the key snapshot")
	}
	s, err := Normalize(object["snapshot"])
	if err != nil {
		return Result{}, err
	}
	return Interpret(s, NormalizeConfig(object["config"])), nil
}

func encode(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic("copilot: strings, bools and lists do not encode: " + err.Error())
	}
	return line
}

// ErrNoSnapshot says that a value is no snapshot at all.
var ErrNoSnapshot = errors.New("the snapshot is not an object")

// Normalize reads a decoded JSON value as a snapshot, by the meaning that seed
// 000's own interpreter gives it. Only a value that is neither object nor
// array is an error (ErrNoSnapshot); a field of the wrong type falls to its
// default. Two of those meanings are a trap:
//
//   - flags have JavaScript's truthiness, so "false" is true;
//   - a count that is no number is 0, which reads as clean. Whoever fills a
//     snapshot from GitHub therefore stops at a count that is unknown, and
//     never passes it on.
//
// Numbers may be float64 or json.Number. The keys of an array are not looked
// at: it has none of them.
func Normalize(raw any) (Snapshot, error) {
	var m map[string]any
	switch v := raw.(type) {
	case map[string]any:
		m = v
	case []any:
	default:
		return Snapshot{}, ErrNoSnapshot
	}
	s := Snapshot{
		PRExists:                      truthy(m["prExists"]),
		PRDraft:                       truthy(m["prDraft"]),
		PRMerged:                      truthy(m["prMerged"]),
		PRClosed:                      truthy(m["prClosed"]),
		CopilotReviewRequestStatus:    one(m["copilotReviewRequestStatus"], NotRequested, Requested, AlreadyRequested, Unavailable, RequestFailed),
		CopilotReviewOnCurrentHead:    truthy(m["copilotReviewOnCurrentHead"]),
		UnresolvedThreadCount:         count(m["unresolvedThreadCount"]),
		ActionableThreadCount:         count(m["actionableThreadCount"]),
		CopilotBodyFeedbackUnresolved: truthy(m["copilotBodyFeedbackUnresolved"]),
		CIStatus:                      one(m["ciStatus"], CINone, CISuccess, CIFailure, CIPending, CrediblyGreen),
		AgentFixStatus:                one(m["agentFixStatus"], "", fixAppliedStatus),
		CopilotReviewRoundCount:       count(m["copilotReviewRoundCount"]),
		LastCopilotRoundMaxSignal:     one(m["lastCopilotRoundMaxSignal"], "", highSignal, "mid", "low"),
		MergeStateStatus: one(m["mergeStateStatus"], "",
			"BEHIND", "BLOCKED", "CLEAN", dirty, "DRAFT", "HAS_HOOKS", "UNKNOWN", "UNSTABLE"),
	}
	s.CopilotReviewPresent = truthy(m["copilotReviewPresent"]) || s.CopilotReviewOnCurrentHead
	if n, ok := number(m["prNumber"]); ok && n > 0 && s.PRExists {
		s.PRNumber = new(floor(n))
	}
	if n, ok := number(m["copilotErrorReviewCountOnCurrentHead"]); ok && n > 0 && n == math.Floor(n) && !math.IsInf(n, 1) {
		s.CopilotErrorReviewCountOnCurrentHead = floor(n)
	}
	return s, nil
}

// NormalizeConfig reads a decoded JSON value as a configuration. A value of the
// wrong type counts as absent, one that is no object altogether, and so does
// every key that it does not know. Only a literal false of
// preApprovalRequireCi waives checks.
func NormalizeConfig(raw any) Config {
	c := DefaultConfig()
	m, _ := raw.(map[string]any)
	if n, ok := number(m["maxCopilotRounds"]); ok {
		c.MaxCopilotRounds = n
	}
	if b, ok := m["stopOnLowSignal"].(bool); ok {
		c.StopOnLowSignal = b
	}
	if n, ok := number(m["lowSignalRoundThreshold"]); ok {
		c.LowSignalRoundThreshold = n
	}
	if n, ok := number(m["lowSignalMaxComments"]); ok {
		c.LowSignalMaxComments = n
	}
	if b, ok := m["preApprovalRequireCi"].(bool); ok {
		c.PreApprovalRequireCI = b
	}
	return c
}

// truthy is JavaScript's Boolean(v) of a JSON value. An absent key is nil.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case float64, json.Number:
		n, _ := number(v)
		return n != 0
	default: // an object or an array, an empty one too
		return true
	}
}

// number returns v where it is a JSON number. One too large for a float64 is
// infinite, as in JavaScript.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		n, err := strconv.ParseFloat(string(v), 64)
		return n, err == nil || errors.Is(err, strconv.ErrRange)
	default:
		return 0, false
	}
}

// count returns v where it is a number that is not negative, rounded down, and
// 0 for anything else.
func count(v any) int {
	if n, ok := number(v); ok && n >= 0 {
		return floor(n)
	}
	return 0
}

// floor rounds n down, to what an int holds.
func floor(n float64) int {
	if n >= math.MaxInt32 {
		return math.MaxInt32
	}
	return int(math.Floor(n))
}

// one returns v where it is exactly one of values, and otherwise the fallback.
func one[T ~string](v any, otherwise T, values ...T) T {
	if text, ok := v.(string); ok && slices.Contains(values, T(text)) {
		return T(text)
	}
	return otherwise
}
