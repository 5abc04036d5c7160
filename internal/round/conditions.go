package round

// conditions is the hardened form of convergence, in the design's order. All
// of them must hold.
var conditions = []condition{
	{name: "open", says: "the pull request is open", holds: func(f Facts) Answer { return f.Open }},
	{name: "review", says: "a genuine review exists", holds: func(f Facts) Answer { return f.Reviewed }, ofAReview: true},
	{name: "review_at_head", says: "it is of this head", holds: func(f Facts) Answer { return f.ReviewedAtHead }, ofTheHead: true},
	{name: "clean", says: "it finds nothing", holds: func(f Facts) Answer { return f.ReviewClean }, ofTheHead: true},
	{name: "no_pending", says: "no review of this head is pending", holds: func(f Facts) Answer { return f.Pending.not() }},
	{name: "threads", says: "no thread awaits us", holds: func(f Facts) Answer { return f.ThreadsAwaitUs.not() }},
	{name: "body", says: "no finding of a body is open", holds: func(f Facts) Answer { return f.BodyFinding.not() }},
	{name: "checks", says: "the checks are green on this head", holds: unless(ignoreChecks, func(f Facts) Answer { return f.ChecksGreen })},
	{name: "clean_rounds", says: "so many reviews of this head in a row find nothing (cleanRounds)", holds: unless(oneIsEnough, func(f Facts) Answer { return f.CleanInARow }), ofTheHead: true, option: true},
	{name: "settle", says: "two snapshots in a row are equal", holds: unless(noSettle, func(f Facts) Answer { return f.Settled }), option: true},
	{name: "final_pass", says: "every reviewer of the final pass agrees", holds: unless(noPass, func(f Facts) Answer { return f.Agreed }), ofAReview: true, option: true},
}

// A condition is one thing that convergence asks, with the words for it.
type condition struct {
	name, says string
	holds      func(Facts) Answer
	// ofTheHead: it is about the review of the head, which the two ends of the
	// loop take as it is.
	ofTheHead bool
	// ofAReview: it asks for one at all, which single iteration goes without.
	ofAReview bool
	// option: it is asked only where the configuration says so, in either form.
	option bool
}

func ignoreChecks(f Facts) bool { return f.IgnoreChecks }
func noSettle(f Facts) bool     { return !f.Settle }
func oneIsEnough(f Facts) bool  { return !f.SeveralClean }
func noPass(f Facts) bool       { return !f.Pass }

// unless makes a condition hold where the configuration does not ask for it.
func unless(notAsked func(Facts) bool, holds func(Facts) Answer) func(Facts) Answer {
	return func(f Facts) Answer {
		if notAsked(f) {
			return Yes
		}
		return holds(f)
	}
}

// A Condition is one row of the table of convergence.
type Condition struct {
	Name  string
	Words string
}

// Conditions returns the table of convergence, in its order.
func Conditions() []Condition {
	table := make([]Condition, len(conditions))
	for i, c := range conditions {
		table[i] = Condition{Name: c.name, Words: c.says}
	}
	return table
}
