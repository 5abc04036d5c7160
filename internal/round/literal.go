package round

// literally judges f in the words of seed 003, step 9 (convergence: literal), with
// what the configuration asks for beside them. A fact that nobody read holds for
// nobody, here too.
//
// What differs from the hardened form: the newest review of the head has to find
// nothing, so that findings which were declined converge only once it is asked
// again; and where nobody ever reviewed, having asked is enough, for a person to
// decide.
func literally(f Facts) Verdict {
	var v Verdict
	ask := func(name string, a Answer) {
		switch a {
		case Yes:
			return
		case Unknown:
			v.Unknown = append(v.Unknown, name)
		case No:
		}
		v.Missing = append(v.Missing, name)
	}
	kind := f.kind(false)
	ask("open", f.Open)
	switch {
	case f.Single:
		ask("threads", f.AnyAwaits.not())
	case f.Reviewed != No || f.Pending != No:
		ask("review_at_head", f.ReviewedAtHead)
		ask("no_new_comments", f.NothingNew)
		ask("threads", f.AnyAwaits.not())
	default:
		kind = NeverReviewed
		ask("threads", f.AnyAwaits.not())
		ask("trigger", f.Triggered)
	}
	for _, c := range conditions {
		if c.option && (!f.Single || !c.ofTheHead && !c.ofAReview) {
			ask(c.name, c.holds(f))
		}
	}
	if v.Missing == nil {
		v.Converged, v.Kind = true, kind
	}
	return v
}
