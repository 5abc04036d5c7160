package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

// takeReport answers by a fixer's report, and then takes a step: where the head
// is green, that asks for the next review.
func (r *run) takeReport(ctx context.Context) ([]report.Run, error) {
	data, err := r.readInput()
	if err != nil {
		return nil, err
	}
	if autopilot.IsState(data) {
		one, err := r.importState(ctx, data)
		return []report.Run{one}, err
	}
	rep, err := r.readReport(data)
	if err != nil {
		return nil, err
	}
	answered, err := r.account(ctx, rep)
	if err != nil || answered.Code != string(plan.ReportAccepted) {
		return []report.Run{answered}, err
	}
	next, err := r.step(ctx, rep.Handoff.PR)
	if err != nil {
		return nil, err
	}
	next.Effects = append(answered.Effects, next.Effects...)
	next.Notices = append(answered.Notices, next.Notices...)
	if next.Decision == string(plan.Wait) {
		next.Decision, next.Code, next.Reason, next.ToDo = answered.Decision, answered.Code, answered.Reason, answered.ToDo
	}
	return []report.Run{next}, nil
}

// readInput reads the input report: JSON as it stands, or the path of a file.
func (r *run) readInput() ([]byte, error) {
	text := strings.TrimSpace(r.inputs.Report)
	if text == "" {
		return nil, &fail.Error{
			What: "There is no report to take",
			Why:  "command is report, and the input report is empty",
			Fix:  "Give the report as JSON, or name its file: report: .prloop/report.json",
		}
	}
	data := []byte(text)
	if !strings.HasPrefix(text, "{") {
		name := text
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.runner.Workspace(), name)
		}
		file, err := os.Open(name)
		if err == nil {
			defer file.Close() //nolint:errcheck // It was only read.
			data, err = io.ReadAll(io.LimitReader(file, handoff.MaxReport+1))
		}
		if err != nil {
			return nil, &fail.Error{
				What: "The report could not be read",
				Why:  fmt.Sprintf("%q", err.Error()),
				Fix:  "Let the fixer's job leave its report there, and check out the repository in the report's job as well",
				Err:  err,
			}
		}
	}
	return data, nil
}

func (r *run) readReport(data []byte) (handoff.Report, error) {
	rep, err := handoff.Parse(data)
	if err == nil && r.inputs.PR != 0 && rep.Handoff.PR != r.inputs.PR {
		return handoff.Report{}, &fail.Error{
			What: "The report was refused, so nothing was done",
			Why:  fmt.Sprintf("it is for pull request #%d, and the input pr is %d", rep.Handoff.PR, r.inputs.PR),
			Fix:  "Give the report of this pull request's fixer",
		}
	}
	return rep, err
}

// How long a report waits for the lock, and how often it looks: at most one
// lease, so that no report is lost to a step that acts at the same time.
const reportLooks = 15 * time.Second

// account holds the report against the world and answers by it.
func (r *run) account(ctx context.Context, rep handoff.Report) (report.Run, error) {
	return r.take(ctx, rep.Handoff.PR, func(w world) (plan.Plan, error) {
		claim, err := r.claim(ctx, w, rep)
		if err != nil {
			return plan.Plan{}, err
		}
		p := plan.Take(w.in, claim)
		return p, refused(p)
	})
}

// importState takes a state file of pr-autopilot over.
func (r *run) importState(ctx context.Context, data []byte) (report.Run, error) {
	refuse := func(why string) error {
		return &fail.Error{
			What: "The state file of pr-autopilot was refused, so nothing was done",
			Why:  why,
			Fix:  "Give the state file of this pull request as pr-autopilot left it; prloop config import FILE says what is wrong with one",
		}
	}
	st, wrong := autopilot.ReadState(data)
	if wrong == "" && r.inputs.PR != 0 && st.PR != r.inputs.PR {
		wrong = fmt.Sprintf("it is of pull request #%d, and the input pr is %d", st.PR, r.inputs.PR)
	}
	if wrong != "" {
		return report.Run{}, refuse(wrong)
	}
	return r.take(ctx, st.PR, func(w world) (plan.Plan, error) {
		p, wrong := plan.Import(w.in, st)
		if wrong != "" {
			return plan.Plan{}, refuse(wrong)
		}
		return p, nil
	})
}

// take carries out what decide makes of what was given to this run, once the lock is
// free.
func (r *run) take(ctx context.Context, number int, decide func(world) (plan.Plan, error)) (report.Run, error) {
	s := &session{run: r, number: number}
	defer s.release(ctx)
	for waited, anew := time.Duration(0), false; ; {
		w, err := r.load(ctx, number)
		if err != nil {
			return report.Run{}, err
		}
		p, err := decide(w)
		if err != nil {
			return report.Run{}, err
		}
		a, err := s.act(ctx, w, p)
		live := p.Code == plan.LiveOwner || errors.Is(err, errLive)
		switch {
		case live && waited < journal.LeaseTime:
			waited += reportLooks
			if err := r.sleep(ctx, reportLooks); err != nil {
				return report.Run{}, err
			}
			continue
		case errors.Is(err, errMoved) && !anew, err == nil && a.stale() && !anew:
			anew = true
			s.release(ctx)
			continue
		case live, errors.Is(err, errMoved):
			p = instead(p, plan.LiveOwner, "another run of prloop is writing on this pull request")
		case err != nil:
			denied, ok := errors.AsType[*github.Denied](err)
			if !ok {
				return report.Run{}, err
			}
			p = instead(p, plan.NotWritable, notWritable(w.in.Snapshot, denied))
		case a.stale():
			p = instead(p, plan.HeadMoved, "a newer head came while the report was answered")
		}
		return r.describe(w.in, p, a), nil
	}
}

// refused is the one answer that lists all that is wrong with a report.
func refused(p plan.Plan) error {
	if p.Account == nil || p.Account.Verdict.Kind != handoff.Refused {
		return nil
	}
	problems := make([]string, len(p.Account.Verdict.Problems))
	for i, q := range p.Account.Verdict.Problems {
		problems[i] = q.Says
	}
	return &fail.Error{
		What: "The report was refused, so nothing was done",
		Why:  strings.Join(problems, "; "),
		Fix:  "Correct the report and run this command again; the brief has the ids of the findings and the number of the hand-over",
	}
}

// claim reads what a report is held against beside the snapshot.
func (r *run) claim(ctx context.Context, w world, rep handoff.Report) (plan.Claim, error) {
	c := plan.Claim{Report: rep}
	if !w.in.Snapshot.Found || w.in.Snapshot.Issue != nil {
		return c, nil
	}
	var err error
	if rep.Step == handoff.Review && plan.ReviewerOf(w.in.Journal, rep.Handoff.Number) != "" {
		return c, nil
	}
	if rep.Step == handoff.Review {
		base := cmp.Or(plan.Judges(w.in.Journal, rep.Handoff.Number), w.in.Snapshot.Base.OID)
		c.Diff, err = r.push(ctx, base, w.in.Snapshot.Head)
		return c, err
	}
	if c.Commits, c.CommitsKnown, err = r.client.Commits(ctx, rep.Handoff.PR); err != nil {
		return plan.Claim{}, err
	}
	if rep.Handoff.Head == w.in.Snapshot.Head || rep.Handoff.Head == "" {
		return c, nil
	}
	if rep.Step == handoff.Recap {
		if c.Spans, err = r.spans(ctx, plan.RevertSpans(w.in)); err != nil {
			return plan.Claim{}, err
		}
	}
	c.Push, err = r.push(ctx, rep.Handoff.Head, w.in.Snapshot.Head)
	return c, err
}

// push is what head has that base has not.
func (r *run) push(ctx context.Context, base, head pr.SHA) (*handoff.Push, error) {
	files, complete, err := r.client.Changed(ctx, base, head)
	if err != nil {
		return nil, err
	}
	p := &handoff.Push{Complete: complete}
	for _, f := range files {
		p.Files = append(p.Files, handoff.Changed(f))
	}
	return p, nil
}

// spans are what the rounds pushed that a recap reverts.
func (r *run) spans(ctx context.Context, list []handoff.Span) ([]handoff.Push, error) {
	var out []handoff.Push
	for _, s := range list {
		p, err := r.push(ctx, s.From, s.To)
		if err != nil {
			return nil, err
		}
		out = append(out, *p)
	}
	return out, nil
}

// recap is what a hand-over of the step recap looks back on, with the commits that
// it asks to revert; nil of any other step.
func (r *run) recap(in plan.Input, p plan.Plan) *handoff.RecapBrief {
	b := p.RecapBrief(in)
	for i := 0; b != nil && i < len(b.Revert); i++ {
		if list := b.Revert[i].Between(r.around.commits); list != nil {
			b.Revert[i].Commits = list
		}
	}
	return b
}

// newBrief is all that the fixer is told of a hand-over.
func (r *run) newBrief(in plan.Input, p plan.Plan, findings []facts.Finding) handoff.Brief {
	snap := in.Snapshot
	subject := fmt.Sprintf("fix: findings of the review of %s", snap.Head.Short())
	if p.Handoff.Step == string(handoff.Recap) {
		subject = fmt.Sprintf("revert: what the recap of %d rounds names", p.Facts.Rounds)
	}
	return handoff.NewBrief(handoff.Input{
		Ref:           handoff.Ref{PR: snap.Number, Head: snap.Head, Number: p.Handoff.Number},
		Step:          handoff.Step(p.Handoff.Step),
		Angles:        p.Angles(in.Settings),
		Repository:    snap.Repo.String(),
		Base:          snap.Base.Name,
		Findings:      findings,
		Threads:       snap.Threads,
		Trusts:        facts.Trusts(in.Settings),
		Untrusted:     p.Facts.Threads.Untrusted,
		RuleFiles:     r.ruleFiles(),
		PreCommit:     r.around.profile,
		Suppressions:  r.around.suppressions,
		CommitMessage: subject,
		Trailer:       fmt.Sprintf("Prloop-Handoff: %d", p.Handoff.Number),
		At:            p.Handoff.At,
		Deadline:      p.Handoff.Deadline,
		Grace:         in.Settings.HandoffGrace,
		People:        p.Handoff.Deadline.IsZero(),
		Recap:         r.recap(in, p),

		KnowledgeGraph: plan.GraphHint(in),
		JudgeSince:     p.Handoff.Judges,
		Reviewer:       r.around.reviewer,
	})
}

// brief is what the fixer is told of a hand-over: as the output, and whole. The
// whole one has what the output has no room for as well; a report may answer it.
func (r *run) brief(in plan.Input, p plan.Plan) (output, whole string) {
	const all = 16 << 20
	handed := p.Handed()
	given := handed
	if !p.Handoff.Narrowed {
		given = p.Given()
	}
	b := r.newBrief(in, p, handed)
	b.LeftOut.Findings += len(given) - len(handed)
	output, _ = handoff.Encode(b, handoff.MaxOutput)
	whole, _ = handoff.Encode(r.newBrief(in, p, given), all)
	return output, whole
}

// An around is what a brief says beside the findings, from the configuration
// and the default branch.
type around struct {
	profile      *handoff.Profile
	suppressions []handoff.Suppression
	commits      []pr.SHA // of the pull request, where a recap asks to revert some
	reviewer     *handoff.JobReviewer
	notices      []string
}

// look reads what the brief of p needs beside the snapshot, and leaves to a later
// hand-over what the brief has no room for. It is one request more, and only
// where work is handed over and the configuration asks for it. It comes before
// anything is written: a run that cannot read hands nothing over.
func (r *run) look(ctx context.Context, in plan.Input, p plan.Plan) (plan.Plan, error) {
	r.around = around{}
	if p.Handoff == nil || r.inputs.DryRun || in.Snapshot.Issue != nil {
		return p, nil
	}
	if p.Recap != nil && p.Recap.Verdict != "" {
		var err error
		if r.around.commits, _, err = r.client.Commits(ctx, in.Snapshot.Number); err != nil {
			return p, err
		}
	}
	set, repo := in.Settings, in.Snapshot.Repo
	if p.Handoff.Reviewer != "" {
		return p, r.rubric(ctx, p.JobReviewer(set))
	}
	chosen := set.Profile(repo.Name, "")
	byLock := chosen == nil && len(set.PreCommitProfiles) > 0
	if set.Suppressions != "" || byLock {
		s, err := r.client.Surroundings(ctx, set.Suppressions)
		if err != nil {
			return p, err
		}
		chosen = set.Profile(repo.Name, s.Manager)
		r.around.suppress(s, repo.String())
	}
	if chosen != nil {
		r.around.profile = handoff.ProfileOf(*chosen)
	} else if byLock {
		r.around.notices = append(r.around.notices, "No pre-commit profile is for this repository or its lock file, so the fixer looks for the build by itself")
	}
	var ids []string
	// What is left out is counted in the brief, in at most five digits.
	for _, f := range handoff.Fit(r.newBrief(in, p, p.Handed()), handoff.MaxOutput-5).Findings {
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return p, nil
	}
	return p.Fitting(in, ids), nil
}

// rubric reads the rubric that a reviewer's job reviews by. It is the default
// branch's: the author of a pull request does not choose what it is held against.
func (r *run) rubric(ctx context.Context, who handoff.JobReviewer) error {
	r.around.reviewer = &who
	if who.RubricFile == "" {
		return nil
	}
	s, err := r.client.Surroundings(ctx, who.RubricFile)
	switch {
	case err != nil:
		return err
	case s.Why != "":
		r.around.notices = append(r.around.notices, fmt.Sprintf("The rubric in %q was not read: %s", who.RubricFile, s.Why))
	case !s.File.Found:
		r.around.notices = append(r.around.notices, fmt.Sprintf("There is no rubric in %q on the default branch, so %s reviews by its own", who.RubricFile, who.Name))
	}
	r.around.reviewer.Rubric = s.File.Text
	return nil
}

// suppress takes the suppressions out of their file. Without the file there are
// none; one that cannot be read hides nothing, and that is told.
func (a *around) suppress(s github.Surroundings, repo string) {
	if s.Why != "" {
		a.notices = append(a.notices, fmt.Sprintf("The suppressions in %q were not read: %s", s.File.Path, s.Why))
		return
	}
	var bad int
	if a.suppressions, bad = handoff.ReadSuppressions(s.File.Text, repo); bad > 0 {
		a.notices = append(a.notices, fmt.Sprintf("Lines of %q that are no suppressions were passed over: %d", s.File.Path, bad))
	}
}

// ruleFiles are the repository's own rules, where there is a checkout.
func (r *run) ruleFiles() []string {
	var there []string
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md", ".github/copilot-instructions.md", "README.md"} {
		if r.runner.Workspace() == "" {
			break
		}
		if info, err := os.Stat(filepath.Join(r.runner.Workspace(), name)); err == nil && info.Mode().IsRegular() {
			there = append(there, name)
		}
	}
	return there
}

// leaveBrief puts the whole brief into the workspace, in a folder that ignores
// itself for git. Without a workspace there is nobody to read it.
func (r *run) leaveBrief(whole string) string {
	ws := r.runner.Workspace()
	if ws == "" || whole == "" {
		return ""
	}
	dir := filepath.Join(ws, handoff.Folder)
	name := filepath.Join(dir, "brief.json")
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644)
	}
	if err == nil {
		err = os.WriteFile(name, []byte(whole), 0o644)
	}
	if err != nil {
		r.runner.Info(fmt.Sprintf("the brief could not be left in the workspace: %q", err.Error()))
		return ""
	}
	return filepath.Join(handoff.Folder, "brief.json")
}
