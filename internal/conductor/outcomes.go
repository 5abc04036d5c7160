package conductor

// outcomes has what each outcome means: one row an outcome, in the seed's
// order. TestOutcomesAreComplete holds it against the constants.
var outcomes = []outcomeRow{
	{ContinueCurrentWait, OuterLoop, OuterLoopWait, ContinueWait},
	{HandoffToCopilotLoop, CopilotLoop, CopilotPRHandoff, ReenterCopilotLoop},
	{HandoffToReviewerLoop, ReviewerLoop, ReviewerLoopHandler, ReenterReviewerLoop},
	{StayWithCurrentLiveOwner, OuterLoop, OuterLoopWait, ContinueWait},
	{StopNeedsHuman, "", "", Stop},
	{DoneTerminal, "", "", Done},
	{NeedsReconcile, "", "", Stop},
}

type outcomeRow struct {
	outcome    Outcome
	family     Family
	entrypoint Entrypoint
	action     Action
}

// Outcomes returns every outcome, in the seed's order.
func Outcomes() []Outcome {
	all := make([]Outcome, len(outcomes))
	for i, row := range outcomes {
		all[i] = row.outcome
	}
	return all
}

// Terminal reports whether o ends the evaluation. The next one starts afresh
// either way: routing keeps nothing from one to the next.
func (o Outcome) Terminal() bool {
	return o == StopNeedsHuman || o == DoneTerminal || o == NeedsReconcile
}

// Next returns the outcomes that may follow o (seed 004, "Required
// transitions"): any, or none after a terminal one. It is fresh, and empty, not
// nil, where there is none.
func (o Outcome) Next() []Outcome {
	if o.Terminal() {
		return []Outcome{}
	}
	return Outcomes()
}

func rowOf(o Outcome) outcomeRow {
	for _, row := range outcomes {
		if row.outcome == o {
			return row
		}
	}
	panic("conductor: outcome " + string(o) + " has no row")
}
