package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/report"
)

// tell writes what the run came to, and returns its end.
func (r *run) tell(runs []report.Run) Result {
	counts := r.client.Counts()
	for i := range runs {
		// The figures are the run's: a step shares its requests with the rest.
		runs[i].Requests, runs[i].Writes, runs[i].Points = counts.Requests, counts.Writes, counts.Points
	}
	for i := range runs {
		runs[i].BriefPath = r.leaveBrief(runs[i].BriefWhole)
	}
	outputs, summary := report.SweepOutputs(runs), report.SummarySweep(runs)
	if len(runs) == 1 && !r.sweep {
		outputs, summary = report.Outputs(runs[0]), report.Summary(runs[0])
	}
	for _, one := range runs {
		r.annotate(one)
	}
	if err := r.runner.SetOutputs(outputs); err != nil {
		r.runner.Fail(err)
		return Result{Exit: 1, Runs: runs, Err: err}
	}
	r.runner.Summary(summary)
	return Result{Exit: r.exit(runs), Runs: runs}
}

// annotate says in the log what was decided, and raises what a person has to
// know.
func (r *run) annotate(one report.Run) {
	where := ""
	if one.PR != 0 {
		where = "#" + strconv.Itoa(one.PR) + " "
	}
	if one.Decision == "" {
		return // it stands for a sweep; each of its pull requests is told
	}
	r.runner.Info(where + one.Decision + " (" + one.Code + "): " + one.Reason)
	for _, n := range one.Notices {
		r.runner.Annotate(report.Annotation{Level: report.LevelNotice, Title: "prloop", Text: n})
	}
	if a, ok := report.Annotate(one); ok {
		r.runner.Annotate(a)
	}
}

// blank is a report of this run about no pull request.
func (r *run) blank() report.Run {
	name := r.event.Name
	if r.event.Action != "" {
		name += " (" + r.event.Action + ")"
	}
	one := report.Run{Event: name, Why: r.event.Why, DryRun: r.inputs.DryRun}
	if r.client != nil {
		one.At = r.client.Now()
		one.Repo = r.repo
	}
	return one
}

// describe says in neutral values what a step over in came to: what p decided
// and what acting on it gave.
func (r *run) describe(in plan.Input, p plan.Plan, a acted) report.Run {
	snap, f := in.Snapshot, p.Facts
	if snap.Issue != nil {
		return r.describeIssue(in, p, a)
	}
	reason := plan.Find(p.Code)
	one := r.blank()
	one.At, one.Repo = snap.At, snap.Repo.String()
	one.PR, one.URL, one.Head = snap.Number, snap.URL, snap.Head
	one.Decision, one.Code, one.Reason, one.ToDo = string(p.Decision), string(p.Code), p.Why, reason.ToDo
	one.Says = reason.Says
	one.JobDue = p.Code == plan.HandoffDue
	if p.Code == plan.ReviewPrepared {
		one.Place = f.Reviewer.DraftReviewURL
	}
	one.Rule, one.RuleWords = p.Row, plan.Words(p.Row)
	if p.Decision != plan.Skip || p.Code == plan.NoPullRequest {
		one.State = string(p.Copilot.State)
		one.CopilotRule, one.CopilotRuleWords = p.Copilot.Rule, copilot.Words(p.Copilot.Rule)
		one.ReviewerState, one.RoutingOutcome, one.Conductor = string(p.Reviewer.State), string(p.Routing.RoutingOutcome), p.Routing
		one.Priority, one.RoutingWhy = p.Routing.Priority, p.Routing.HandoffEnvelope.Reason
	}
	one.Graph = graph()
	one.Quest = life(p)
	if now := life(a.next); now != nil { // what its effects led to
		one.Quest = now
	}
	one.Round, one.RoundCap = f.Rounds, plan.RoundCap(in.Settings, in.Journal)
	one.Converged, one.Missing = p.Converged.Converged, p.Converged.Missing
	one.Proof = proof(p)
	one.NextWake = p.NextWake
	if one.NextWake.IsZero() {
		one.NextWake = a.next.NextWake // what its effects lead to
	}
	if p.Wait != nil && p.Code != plan.Stalled { // its wait is over; the journal keeps its beginning
		one.Wait = &report.Wait{What: waitWords[p.Wait.What], Since: p.Wait.Since, Until: p.Wait.Until, Then: p.Wait.Then}
	}
	one.Reviewers = reviewers(in, f)
	one.Findings, one.Left = findings(f.Awaiting), findings(f.Left)
	for _, c := range f.CI.Checks {
		one.Checks = append(one.Checks, report.Check{Name: c.Name, State: c.State, Detail: c.Detail, Required: c.Required})
	}
	one.Threads = report.ThreadCounts{
		Open:      f.Threads.Open,
		Awaiting:  f.Threads.Awaiting,
		Answered:  len(f.Threads.Answered),
		Untrusted: len(f.Threads.Untrusted),
	}
	one.Notices = slices.Concat(p.Notices, rightNotices(a.results))
	for _, said := range p.Answers(in) {
		one.Answers = append(one.Answers, report.Answer{URL: fmt.Sprintf("%s#issuecomment-%d", snap.URL, said.Comment), Says: said.Says})
	}
	one.Effects = effects(p, a.results, r.inputs.DryRun)
	one.Copilot = contract(in, p, one)
	if p.Handoff != nil && !r.inputs.DryRun {
		one.Handoff = &report.Handoff{
			PR:        snap.Number,
			Head:      snap.Head,
			Base:      snap.Base.Name,
			Number:    p.Handoff.Number,
			Findings:  handedOver(findings(p.Handed())),
			Untrusted: f.Threads.Untrusted,
		}
		if p.Handoff.Step == string(handoff.Recap) {
			one.Handoff.Step = p.Handoff.Step
		}
		one.Brief, one.BriefWhole = r.brief(in, p)
		one.Notices = append(one.Notices, r.around.notices...)
		// Work of a fork's head is not handed to anything that runs: nobody
		// with write permission has looked at it.
		review := p.Handoff.Step == facts.StepReview
		cleared := plan.Cleared(in)
		one.ShouldFix, one.ShouldReview = cleared && !review, cleared && review
		if !cleared {
			one.Notices = append(one.Notices, "The head lives in a fork, so no job is started for it (should-fix and should-review stay false): a person with write permission does the work")
		}
	}
	return one
}

// handedOver are the findings that leave the run: only those by trusted
// authors.
func handedOver(list []report.Finding) []report.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f report.Finding) bool { return !f.Trusted })
}

// waitWords says in words what each wait is for.
var waitWords = map[string]string{
	"copilot_review": "Copilot's review",
	"review":         "the review of a reviewer",
	"ci":             "the checks",
	"quota":          "quota for Copilot's reviews",
	"backoff":        "the next try of the request",
	"handoff":        "the fixer's report",
	"progress":       "progress",
	"watch":          "the end of the watch over the merge commit",
	"final_pass":     "a reviewer of the final pass",
	"recap":          "the answer to the recap",
	"review_job":     "the report of the reviewing job",
	"job_review":     "the report of a reviewer's job",
	"submission":     "its author to submit the review",
	"agent":          "commits of Copilot's coding agent",
	"verdicts":       "the verdicts of the judging job",
	"merge":          "GitHub's merge",
}

// life is the quest as it stands after the step.
func life(p plan.Plan) *report.Quest {
	if p.Quest == nil {
		return nil
	}
	q := &p.Quest.Quest
	reason := q.ParkReason
	if q.State.Terminal() {
		reason = q.Ended
	}
	return &report.Quest{
		Trail: q.ID, Rev: q.Rev, State: string(q.State), ReturnTo: string(q.ReturnTo), Reason: reason, Owner: q.Owner, Allowed: p.Quest.Allowed(),
	}
}

func proof(p plan.Plan) *report.Proof {
	if p.Proof == nil {
		return nil
	}
	out := &report.Proof{Text: p.ProofText, Digest: p.Proof.Digest}
	for _, c := range plan.Claims(*p.Proof) {
		out.Rows = append(out.Rows, report.ProofRow{Name: c.Name, Says: c.Says})
	}
	return out
}

func graph() report.Graph {
	var g report.Graph
	for _, s := range copilot.States() {
		g.States = append(g.States, string(s))
	}
	for _, e := range copilot.Transitions() {
		g.Edges = append(g.Edges, [2]string{string(e.From), string(e.To)})
	}
	return g
}

func findings(list []facts.Finding) []report.Finding {
	out := make([]report.Finding, 0, len(list))
	for _, f := range list {
		out = append(out, report.Finding{
			ID:       f.ID,
			Path:     f.Path,
			Line:     f.Line,
			Author:   string(f.Author),
			Trusted:  f.Trusted,
			Severity: f.Severity,
			Text:     f.Text,
			Outdated: f.Outdated,
			URL:      f.URL,
		})
	}
	return out
}

// reviewers are the rows of the table of reviewers.
func reviewers(in plan.Input, f facts.Facts) []report.Reviewer {
	if f.Agent != nil {
		return []report.Reviewer{judge(in, f)}
	}
	if len(f.Loop) == 0 {
		return []report.Reviewer{reviewer(in, f)}
	}
	var rows []report.Reviewer
	for i := range f.Loop {
		rows = append(rows, row(in, f, &f.Loop[i]))
	}
	for i := range f.Final {
		last := row(in, f, &f.Final[i])
		last.Status += " (final pass)"
		rows = append(rows, last)
	}
	return rows
}

// row is the row of one reviewer of several.
func row(in plan.Input, f facts.Facts, r *facts.Reviewer) report.Reviewer {
	if !r.IsCopilot() {
		return other(in, r)
	}
	f.Rounds, f.Copilot.CopilotReviewRequestStatus = r.Rounds, r.Status
	return reviewer(in, f)
}

// other is the row of a reviewer other than Copilot.
func other(in plan.Input, r *facts.Reviewer) report.Reviewer {
	row := report.Reviewer{Name: r.Name, Rounds: r.Rounds}
	if r.AtHead {
		row.Head = in.Snapshot.Head
	}
	switch {
	case r.Status == copilot.Unavailable:
		row.Status = "cannot be had: " + r.Why
	case r.Waits():
		row.Status = "waited for since " + stamp(r.Since)
	case r.AtHead && r.Score > 0:
		row.Status = fmt.Sprintf("reviewed %s: %d of 5", in.Snapshot.Head.Short(), r.Score)
	case r.AtHead && r.Content:
		row.Status = "reviewed " + in.Snapshot.Head.Short() + ", and is content"
	case r.AtHead:
		row.Status = "reviewed " + in.Snapshot.Head.Short() + ", and is not content"
	case r.Rounds > 0:
		row.Status = "reviewed an earlier head"
	default:
		row.Status = "not asked yet"
	}
	return row
}

func reviewer(in plan.Input, f facts.Facts) report.Reviewer {
	row := report.Reviewer{Name: "Copilot", Rounds: f.Rounds}
	if n := len(f.Reviews); n > 0 {
		row.Head = f.Reviews[n-1].Commit
	}
	switch status := f.Copilot.CopilotReviewRequestStatus; {
	case status == copilot.Unavailable:
		row.Status = "cannot be asked"
	case status == copilot.RequestFailed:
		row.Status = "the request failed"
	case status == copilot.Requested, status == copilot.AlreadyRequested:
		row.Status = "asked at " + stamp(f.Request.Since)
	case f.AtHead != nil:
		row.Status = "reviewed " + in.Snapshot.Head.Short()
	case f.Rounds > 0:
		row.Status = "reviewed an earlier head"
	default:
		row.Status = "not asked yet"
	}
	return row
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// effects are the effects of the step with their outcomes; those of a dry run
// were only planned.
func effects(p plan.Plan, results []effect.Result, dry bool) []report.Effect {
	out := make([]report.Effect, 0, len(results))
	for _, r := range results {
		out = append(out, report.Effect{
			Type:    r.Effect.Type(),
			Key:     string(r.Effect.Key()),
			Words:   r.Effect.String(),
			Outcome: string(r.Outcome),
			Result:  cmp.Or(string(r.Request), string(r.Merge)),
			Note:    r.Note,
		})
	}
	if dry {
		for _, e := range p.Effects {
			out = append(out, report.Effect{
				Type: e.Type(), Key: string(e.Key()), Words: e.String(), Outcome: string(effect.Skipped), Note: "dry run",
			})
		}
	}
	return out
}

// rightNotices names the permissions that were missing on the way, each once
// for all that it held up of one kind.
func rightNotices(results []effect.Result) []string {
	type lack struct{ right, of string }
	var lacks []lack
	wished := map[lack][]effect.Effect{}
	for _, r := range results {
		if r.Right == "" {
			continue
		}
		l := lack{r.Right, r.Effect.Type()}
		if wished[l] == nil {
			lacks = append(lacks, l)
		}
		wished[l] = append(wished[l], r.Effect)
	}
	list := make([]string, 0, len(lacks))
	for _, l := range lacks {
		first, more := wished[l][0], len(wished[l])-1
		line := "The token lacks the permission " + l.right + ", so prloop could not " + first.String()
		if more > 0 {
			line += fmt.Sprintf(", and %d more of the kind", more)
		}
		if _, open := first.(effect.Resolve); open {
			line += "; the answers stand there, nobody waits for the threads to be resolved, and the loop goes on"
		}
		list = append(list, line)
	}
	return list
}

// contract is seed 000's request and watch contract ("Normal request/watch
// routing contract"), by its names.
func contract(in plan.Input, p plan.Plan, one report.Run) *report.Copilot {
	res := p.Copilot
	transitions := make([]string, len(res.AllowedTransitions))
	for i, t := range res.AllowedTransitions {
		transitions[i] = string(t)
	}
	c := &report.Copilot{
		State:                  string(res.State),
		AllowedTransitions:     transitions,
		NextAction:             res.NextAction,
		ReviewRequestStatus:    string(p.Facts.Copilot.CopilotReviewRequestStatus),
		LoopDisposition:        res.LoopDisposition,
		Terminal:               res.Terminal,
		AutoRerequestEligible:  res.AutoRerequestEligible,
		SameHeadCleanConverged: res.SameHeadCleanConverged,
		RoundCapCleanEligible:  res.RoundCapCleanEligible,
		Rule:                   res.Rule,
		Snapshot:               p.Facts.Copilot,
	}
	requested := p.Code == plan.ReviewRequested
	switch {
	case requested || res.State == copilot.WaitingForCopilotReview:
		c.Action = "watch"
		c.RequestWatchContract.RoutingState = "copilot_request_confirmed_waiting"
		since := orTime(p.Facts.Request.Since, one.At)
		c.WatchArgs = &report.WatchArgs{PR: in.Snapshot.Number, Head: in.Snapshot.Head, NotBefore: since, Until: since.Add(in.Settings.ReviewWait())}
		if requested && !confirmed(one.Effects) {
			c.RequestWatchContract.RoutingState = "ready_state_needs_copilot_request"
		}
		return c
	case res.State == copilot.UnresolvedFeedbackPresent, res.State == copilot.AlreadyFixedNeedsReplyResolve, res.State == copilot.InternalToolingDirectGate:
		c.Action = "fix"
	default:
		c.Action = "stop"
	}
	c.RequestWatchContract.RoutingState, c.RequestWatchContract.StopState = "non_ready_state", ""
	switch {
	case res.State == copilot.PRDraft:
		c.RequestWatchContract.RoutingState = "draft_reset_requires_ready_state_reentry"
		c.RequestWatchContract.StopState = "draft_requires_ready_state_reentry"
	case res.State == copilot.PRReadyNoFeedback, res.State == copilot.ReadyToRerequestReview && res.AutoRerequestEligible:
		c.RequestWatchContract.RoutingState = "ready_state_needs_copilot_request"
		c.RequestWatchContract.StopState = "no_automatic_next_step"
	case res.State == copilot.ReviewRequestUnavailable:
		c.RequestWatchContract.StopState = "unavailable"
	case res.State == copilot.BlockedNeedsUserDecision, res.State == copilot.RoundCapReached:
		c.RequestWatchContract.StopState = "blocked"
	case c.Action == "stop":
		c.RequestWatchContract.StopState = "no_automatic_next_step"
	}
	return c
}

// confirmed: the request of this step was shown by GitHub to be registered.
func confirmed(list []report.Effect) bool {
	return slices.ContainsFunc(list, func(e report.Effect) bool {
		return e.Type == effect.RequestReview{}.Type() && slices.Contains([]string{string(effect.Landed), string(effect.InFlight)}, e.Result)
	})
}

func orTime(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

// mentions are the people that a note calls by name, where the configuration
// asks for it.
func (r *run) mentions(in plan.Input, p plan.Plan) []string {
	if in.Settings.Notify == config.NotifyMention && p.Code == plan.ReviewPrepared {
		return []string{p.Facts.Reviewer.ReviewerLogin} // who alone can go on
	}
	if in.Settings.Notify != config.NotifyMention || in.Snapshot.Author.Bot || in.Snapshot.Author.Login == "" {
		return nil
	}
	return []string{string(in.Snapshot.Author.Login)}
}
