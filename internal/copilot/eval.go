package copilot

import (
	"errors"
	"math"

	"github.com/prloop/prloop/internal/loose"
)

// Eval is the machine as a black box: one line of JSON in, one line of JSON
// out, without a newline at its end. The line has {snapshot, config}; both are
// read as [Normalize] and [NormalizeConfig] do, and other keys are left alone.
// The answer is a [Result] by the seed's names, or {"error": …} where the line
// holds no snapshot.
func Eval(line []byte) []byte {
	return loose.Answer(line, "snapshot", func(in map[string]any) (any, error) {
		s, err := Normalize(in["snapshot"])
		if err != nil {
			return nil, err
		}
		return Interpret(s, NormalizeConfig(in["config"])), nil
	})
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
	m, ok := loose.Object(raw)
	if !ok {
		return Snapshot{}, ErrNoSnapshot
	}
	s := Snapshot{
		PRExists:                      loose.Truthy(m["prExists"]),
		PRDraft:                       loose.Truthy(m["prDraft"]),
		PRMerged:                      loose.Truthy(m["prMerged"]),
		PRClosed:                      loose.Truthy(m["prClosed"]),
		CopilotReviewRequestStatus:    loose.One(m["copilotReviewRequestStatus"], NotRequested, Requested, AlreadyRequested, Unavailable, RequestFailed),
		CopilotReviewOnCurrentHead:    loose.Truthy(m["copilotReviewOnCurrentHead"]),
		UnresolvedThreadCount:         loose.Count(m["unresolvedThreadCount"]),
		ActionableThreadCount:         loose.Count(m["actionableThreadCount"]),
		CopilotBodyFeedbackUnresolved: loose.Truthy(m["copilotBodyFeedbackUnresolved"]),
		CIStatus:                      loose.One(m["ciStatus"], CINone, CISuccess, CIFailure, CIPending, CrediblyGreen),
		AgentFixStatus:                loose.One(m["agentFixStatus"], "", fixAppliedStatus),
		CopilotReviewRoundCount:       loose.Count(m["copilotReviewRoundCount"]),
		LastCopilotRoundMaxSignal:     loose.One(m["lastCopilotRoundMaxSignal"], "", highSignal, "mid", "low"),
		MergeStateStatus: loose.One(m["mergeStateStatus"], "",
			"BEHIND", "BLOCKED", "CLEAN", dirty, "DRAFT", "HAS_HOOKS", "UNKNOWN", "UNSTABLE"),
	}
	s.CopilotReviewPresent = loose.Truthy(m["copilotReviewPresent"]) || s.CopilotReviewOnCurrentHead
	if n, ok := loose.Number(m["prNumber"]); ok && n > 0 && s.PRExists {
		s.PRNumber = new(loose.Floor(n))
	}
	if n, ok := loose.Number(m["copilotErrorReviewCountOnCurrentHead"]); ok && n > 0 && n == math.Floor(n) && !math.IsInf(n, 1) {
		s.CopilotErrorReviewCountOnCurrentHead = loose.Floor(n)
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
	if n, ok := loose.Number(m["maxCopilotRounds"]); ok {
		c.MaxCopilotRounds = n
	}
	if b, ok := m["stopOnLowSignal"].(bool); ok {
		c.StopOnLowSignal = b
	}
	if n, ok := loose.Number(m["lowSignalRoundThreshold"]); ok {
		c.LowSignalRoundThreshold = n
	}
	if n, ok := loose.Number(m["lowSignalMaxComments"]); ok {
		c.LowSignalMaxComments = n
	}
	if b, ok := m["preApprovalRequireCi"].(bool); ok {
		c.PreApprovalRequireCI = b
	}
	return c
}
