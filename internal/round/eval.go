package round

import (
	"errors"

	"github.com/prloop/prloop/internal/loose"
)

// Eval is the convergence of seed 003 as a black box: one line of JSON in, one
// line of JSON out, without a newline at its end. The line has the fields of a
// [Step9] by their names in design 10; other keys are left alone. The answer is
// an [Outcome], or {"error": …} where the line is none.
//
// Whatever could make a head look clean must be of its own type: a flag that is
// not literally true is false, a count that is no whole number from 0 on is
// unknown. Only copilotPending, which holds convergence back, has JavaScript's
// truthiness.
func Eval(line []byte) []byte {
	return loose.Answer(line, "state", func(m map[string]any) (any, error) {
		s, err := normalize(m)
		if err != nil {
			return nil, err
		}
		return Verify(s), nil
	})
}

// ErrReview says that the latest review is neither a review nor none. Read as
// none, it would end in guard 4, which asks for the least.
var ErrReview = errors.New("latestCopilotReview is neither an object nor null")

func normalize(m map[string]any) (Step9, error) {
	s := Step9{
		SingleIteration:          m["singleIteration"] == true,
		CopilotPending:           loose.Truthy(m["copilotPending"]),
		NoNewComments:            m["noNewComments"] == true,
		OpenThreadCount:          number(m["openThreadCount"]),
		OpenThreadsAwaitingReply: number(m["openThreadsAwaitingReply"]),
		TriggeredOnce:            m["triggeredOnce"] == true,
	}
	s.State, _ = m["state"].(string)
	s.HeadOID, _ = m["headOid"].(string)
	switch r := m["latestCopilotReview"].(type) {
	case nil:
	case map[string]any:
		s.LatestCopilotReview = &LatestReview{}
		s.LatestCopilotReview.CommitOID, _ = r["commitOid"].(string)
		s.LatestCopilotReview.SubmittedAt, _ = r["submittedAt"].(string)
		s.LatestCopilotReview.State, _ = r["state"].(string)
	default:
		return Step9{}, ErrReview
	}
	return s, nil
}

// number is a whole number from 0 on, and -1 for anything else: half a thread
// rounded down would be none.
func number(v any) int {
	if n, ok := loose.Number(v); ok && n >= 0 && n == float64(loose.Floor(n)) {
		return int(n)
	}
	return -1
}
