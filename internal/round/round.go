// Package round counts the rounds of review and says whether a head has
// converged (design: "Rounds and convergence"; seed 003, step 9, in its
// hardened form: a review in flight is never convergence).
//
// Every fact is an [Answer], whose zero value is "unknown": a fact that nobody
// read never converges.
//
// Start at [Converged].
package round

// An Answer is what is known of one fact. Its zero value is Unknown.
type Answer int

// The answers.
const (
	Unknown Answer = iota
	No
	Yes
)

// Of returns Yes or No, or Unknown where the fact could not be read in full.
func Of(known, yes bool) Answer {
	switch {
	case !known:
		return Unknown
	case yes:
		return Yes
	default:
		return No
	}
}

// String returns the answer as a word.
func (a Answer) String() string {
	return [...]string{"unknown", "no", "yes"}[a]
}

// not is the answer to the opposite question; what is unknown stays unknown.
func (a Answer) not() Answer {
	switch a {
	case Yes:
		return No
	case No:
		return Yes
	case Unknown:
	}
	return Unknown
}

// Facts are what convergence is judged by. All of them speak of the pull
// request's current head, and of the required per-iteration reviewers.
type Facts struct {
	// Open: the pull request is open.
	Open Answer
	// Reviewed: every reviewer has a genuine review, on whatever head.
	Reviewed Answer
	// ReviewedAtHead: every reviewer has a genuine review of this head.
	ReviewedAtHead Answer
	// ReviewClean: the newest genuine review of this head finds nothing, in a
	// layout that is known.
	ReviewClean Answer
	// Pending: a review of this head is asked for or under way.
	Pending Answer
	// ThreadsAwaitUs: at least one unresolved thread waits for our answer.
	ThreadsAwaitUs Answer
	// BodyFinding: a finding without a thread is open.
	BodyFinding Answer
	// ChecksGreen: the checks that count have all passed on this head. It is
	// not asked where IgnoreChecks is set (gates.preApproval.requireCi: false).
	ChecksGreen  Answer
	IgnoreChecks bool
	// Found: the review of this head found something. Where ReviewClean holds all
	// the same, all of it was answered; Left says that some of that stays open
	// for a person.
	Found, Left bool
	// Settled: two snapshots in a row were equal. It is asked only where Settle
	// is set.
	Settled Answer
	Settle  bool
	// CleanInARow: so many reviews of this head in a row found nothing. It is asked
	// only where SeveralClean is set.
	CleanInARow  Answer
	SeveralClean bool
	// Below: open findings are left, because they are below minSeverity.
	Below bool
	// Agreed: every reviewer that is asked at the end alone has reviewed this head
	// and agrees. It is asked only where Pass is set, which is where there are any.
	Agreed Answer
	Pass   bool
	// Single: nobody is asked for a review, so none is judged by (seed 003,
	// guard 2: what awaits us is all).
	Single bool
	// Rubric: no report stood behind the verdicts that are the review (Mode Y).
	Rubric bool
	// Literal: the words of seed 003 count (convergence: literal). What follows is
	// asked there alone. NothingNew: the newest review of this head found nothing;
	// AnyAwaits: somebody else spoke last in an open thread, whoever; Triggered: a
	// review was asked for once.
	Literal                          bool
	NothingNew, AnyAwaits, Triggered Answer
	// Ended is LowSignal or CapFallback where the Copilot loop ended in that
	// state; anything else stands for the normal form.
	Ended string
}

// The kinds of convergence. In all but the first a person decides about the
// merge, whatever autoMerge says: what the review of the head found was declined
// (by a report, or by whoever resolved its thread), or answered and left open; what
// is open is below minSeverity; the rubric judged alone; the last two are names of states of the Copilot loop, in which the head itself
// may not have been reviewed.
const (
	Review       = "review"
	DeclinesOnly = "declines_only"
	Answered     = "answered"
	BelowMin     = "min_severity"
	Rubric       = "rubric"
	LowSignal    = "low_signal_converged"
	CapFallback  = "round_cap_clean_fallback"
	// Single is the one of single-iteration mode: nobody reviewed. Nor has anybody in
	// NeverReviewed, which the literal form alone knows.
	Single        = "single_iteration"
	NeverReviewed = "never_reviewed"
)

// A Verdict says whether a head has converged. Missing and Unknown have the
// names of conditions in the order of [Conditions], and are nil once it has.
type Verdict struct {
	Converged bool
	// Missing are the conditions that do not hold, those of Unknown included.
	Missing []string
	// Unknown are the conditions whose fact could not be read.
	Unknown []string
	// Kind is one of the kinds of convergence, or empty while the head has not
	// converged.
	Kind string
}

// Converged judges f: a head has converged when every condition holds.
//
// A loop that ended by low signal or at its cap with a clean head converges
// with the review of the head as it is: review_at_head and clean are not
// asked. Everything else is, a pending review above all.
func Converged(f Facts) Verdict {
	var v Verdict
	ended := f.Ended == LowSignal || f.Ended == CapFallback
	if f.Literal && !ended {
		return literally(f)
	}
	for _, c := range conditions {
		if ended && c.ofTheHead || f.Single && (c.ofTheHead || c.ofAReview) {
			continue
		}
		switch c.holds(f) {
		case Yes:
			continue
		case Unknown:
			v.Unknown = append(v.Unknown, c.name)
		case No:
		}
		v.Missing = append(v.Missing, c.name)
	}
	if v.Missing != nil {
		return v
	}
	v.Converged, v.Kind = true, f.kind(ended)
	return v
}

// kind is the kind of convergence, where there is one.
func (f Facts) kind(ended bool) string {
	switch {
	case f.Single:
		return Single
	case ended:
		return f.Ended
	case f.Rubric:
		return Rubric
	case f.Below:
		return BelowMin
	case f.Found && f.Left:
		return Answered
	case f.Found:
		return DeclinesOnly
	}
	return Review
}

// Rounds returns the round count: the largest number of genuine reviews that
// any required per-iteration reviewer has on the pull request, the same head
// twice being two. It is 0 of no reviewers, which the configuration refuses.
func Rounds(genuine []int) int {
	n := 0
	for _, reviews := range genuine {
		n = max(n, reviews)
	}
	return n
}
