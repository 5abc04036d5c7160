package facts

import (
	"slices"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/copilot"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// Derive understands a snapshot. It is a pure function of its input, total, and
// independent of the order of reviews, events, requests and checks; threads
// keep GitHub's order.
func Derive(in Input) Facts {
	snap := in.Snapshot
	f := Facts{
		Reviews: classifyAll(snap),
	}
	f.HeadAt, f.FirstSight = headAt(snap, in.Journal)
	newest := -1 // the newest genuine review, of whatever head
	head := -1   // the newest genuine review of the head
	for i, r := range f.Reviews {
		atHead := r.Commit == snap.Head
		switch {
		case r.Kind == Genuine:
			f.Rounds++
			newest = i
			if atHead {
				head, f.NoticeAtHead = i, nil
			}
		case r.Kind.notice() && atHead:
			f.NoticeAtHead = &f.Reviews[i]
			if r.Kind == ErrorNotice {
				f.ErrorsAtHead++
			}
		}
	}
	// Reviews that were not read may be newer, or take these back.
	if head >= 0 && snap.Missing(pr.FactReviews) == nil {
		f.AtHead = &f.Reviews[head]
	}

	f.Request = request(in, f)
	f.QuotaUntil = quotaUntil(in, f.Reviews)
	f.CI = checks(in)
	if f.Agent = readAgent(in); f.Agent == nil {
		f.Loop, f.Final = loop(in, &f)
	}
	w := make(weights, len(snap.Threads))
	l := leaving{in.Settings.Floor(f.roundsSoFar())}
	threads := readThreads(in, w, l)
	f.Threads, f.Awaiting, f.Left = threads.Threads, threads.awaiting, threads.left
	answered := reportedOn(in)
	var body []Finding // without a thread: a report's answer ends them
	if head >= 0 {
		body = slices.DeleteFunc(slices.Clone(f.Reviews[head].Findings), answered)
		body = l.takeOut(&f, body)
		f.Awaiting = append(f.Awaiting, body...)
	}

	f.Reviewer = reviewerLoop(in, f)
	f.Copilot = copilot.Snapshot{
		PRExists:                             snap.Found,
		PRDraft:                              snap.Draft,
		PRMerged:                             snap.State == pr.Merged,
		PRClosed:                             snap.State == pr.Closed,
		CopilotReviewRequestStatus:           f.Request.Status,
		CopilotReviewPresent:                 newest >= 0,
		CopilotReviewOnCurrentHead:           f.AtHead != nil,
		UnresolvedThreadCount:                threads.unresolved,
		ActionableThreadCount:                threads.actionable,
		CopilotBodyFeedbackUnresolved:        len(body) > 0,
		CIStatus:                             f.CI.Status,
		CopilotReviewRoundCount:              f.Rounds,
		CopilotErrorReviewCountOnCurrentHead: f.ErrorsAtHead,
		MergeStateStatus:                     snap.MergeState,
	}
	if snap.Found {
		f.Copilot.PRNumber = &snap.Number
	}
	if newest >= 0 {
		f.Copilot.LastCopilotRoundMaxSignal = signal(snap, f.Reviews[newest], w)
	}
	switch {
	case f.Agent != nil:
		agentReviews(in, &f)
	case others(f.Loop):
		aggregate(in, &f, f.Loop, answered, w)
	}
	finalPass(in, &f, answered, l)
	red(in.Settings, &f, answered)
	// A push alone never says that work was done: an accepted report for this
	// head that speaks of every finding does (design 5, agentFixStatus).
	if len(f.Awaiting) > 0 && !slices.ContainsFunc(f.Awaiting, func(g Finding) bool { return !answered(g) || objected(in, g) }) {
		f.Copilot.AgentFixStatus = "applied"
	}
	return f
}

// roundsSoFar is what Rounds will be, before all is added up.
func (f *Facts) roundsSoFar() int {
	n := f.Rounds
	switch {
	case f.Agent != nil:
		n = f.Agent.rounds()
	case others(f.Loop):
		n = 0
		for i := range f.Loop {
			if r := &f.Loop[i]; r.Required {
				n = max(n, r.Rounds)
			}
		}
	}
	return n
}

// ByCommand is the action of a finding that a person dismissed by a command. It
// holds at every head.
const ByCommand = "dismissed"

// reportedOn tells the findings that an accepted report has spoken of at this
// head. Work that it called unfinished is not answered.
func reportedOn(in Input) func(Finding) bool {
	done := map[string]bool{}
	for _, a := range in.Journal.Answers {
		if a.Head == in.Snapshot.Head && a.Action != "partial" || a.Action == ByCommand {
			done[a.Finding] = true
		}
	}
	again := redone(in)
	return func(f Finding) bool { return done[journal.Mark(f.ID)] && !again(f.ID) }
}

// objected: the reply of the report to a finding stands in its thread, and
// somebody spoke after it, so that the thread awaits us anew.
func objected(in Input, f Finding) bool {
	i := slices.IndexFunc(in.Snapshot.Threads, func(t pr.Thread) bool { return f.Thread != "" && t.ID == f.Thread })
	k := slices.IndexFunc(in.Journal.Answers, func(a journal.Answer) bool {
		return a.Finding == journal.Mark(f.ID) && a.Head == in.Snapshot.Head
	})
	if i < 0 || k < 0 {
		return false
	}
	ours, since := Ours(in), in.Journal.Given(in.Journal.Answers[k].Number).At
	return slices.ContainsFunc(in.Snapshot.Threads[i].Comments, func(c pr.ThreadComment) bool {
		return ours(&c) && !since.IsZero() && !c.CreatedAt.Before(since)
	})
}

// red says what red checks do (ci.red, design 3). "wait" feeds a failure as
// pending. "handoff" makes findings of the failing checks, where rule 9 or 12
// would have stopped and nowhere else: feedback goes first anyway, and a review
// that is on its way is waited for.
func red(set config.Settings, f *Facts, answered func(Finding) bool) {
	if f.Copilot.CIStatus != copilot.CIFailure {
		return
	}
	switch set.CI.Red {
	case config.RedWait:
		f.Copilot.CIStatus = copilot.CIPending
	case config.RedHandoff:
		rule := copilot.Interpret(f.Copilot, copilot.Config{
			MaxCopilotRounds:     float64(set.Refinement.MaxCopilotRounds),
			PreApprovalRequireCI: set.RequireCI,
		}).Rule
		failing := slices.DeleteFunc(failures(f.CI), answered)
		if (rule == "9" || rule == "12") && len(failing) > 0 {
			f.Copilot.CopilotBodyFeedbackUnresolved = true
			f.Awaiting = append(f.Awaiting, failing...)
		}
	case config.RedStop:
	}
}
