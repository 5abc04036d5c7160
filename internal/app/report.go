package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/report"
)

// takeReport answers by a fixer's report, and then takes a step: where the head
// is green, that asks for the next review.
func (r *run) takeReport(ctx context.Context) ([]report.Run, error) {
	rep, err := r.readReport()
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
	if next.Handoff == nil { // a narrowed hand-over goes out with the report
		next.Handoff, next.Brief, next.ShouldFix = answered.Handoff, answered.Brief, answered.ShouldFix
	}
	return []report.Run{next}, nil
}

// readReport reads the input report: JSON as it stands, or the path of a file.
func (r *run) readReport() (handoff.Report, error) {
	text := strings.TrimSpace(r.inputs.Report)
	if text == "" {
		return handoff.Report{}, &fail.Error{
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
			return handoff.Report{}, &fail.Error{
				What: "The report could not be read",
				Why:  fmt.Sprintf("%q", err.Error()),
				Fix:  "Let the fixer's job leave its report there, and check out the repository in the report's job as well",
				Err:  err,
			}
		}
	}
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
	s := &session{run: r, number: rep.Handoff.PR}
	defer s.release(ctx)
	for waited, anew := time.Duration(0), false; ; {
		w, err := r.load(ctx, rep.Handoff.PR)
		if err != nil {
			return report.Run{}, err
		}
		claim, err := r.claim(ctx, w, rep)
		if err != nil {
			return report.Run{}, err
		}
		p := plan.Take(w.in, claim)
		if err := refused(p); err != nil {
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
	if !w.in.Snapshot.Found {
		return c, nil
	}
	var err error
	if c.Commits, c.CommitsKnown, err = r.client.Commits(ctx, rep.Handoff.PR); err != nil {
		return plan.Claim{}, err
	}
	if rep.Handoff.Head == w.in.Snapshot.Head || rep.Handoff.Head == "" {
		return c, nil
	}
	files, complete, err := r.client.Changed(ctx, rep.Handoff.Head, w.in.Snapshot.Head)
	if err != nil {
		return plan.Claim{}, err
	}
	c.Push = &handoff.Push{Complete: complete}
	for _, f := range files {
		c.Push.Files = append(c.Push.Files, handoff.Changed(f))
	}
	return c, nil
}

// brief is what the fixer is told of a hand-over: as the output, and whole.
func (r *run) brief(in plan.Input, p plan.Plan) (output, whole string) {
	snap := in.Snapshot
	b := handoff.NewBrief(handoff.Input{
		Ref:           handoff.Ref{PR: snap.Number, Head: snap.Head, Number: p.Handoff.Number},
		Repository:    snap.Repo.String(),
		Base:          snap.Base.Name,
		Findings:      p.Handed(),
		Threads:       snap.Threads,
		Trusts:        facts.Trusts(in.Settings),
		Untrusted:     p.Facts.Threads.Untrusted,
		RuleFiles:     r.ruleFiles(),
		CommitMessage: fmt.Sprintf("fix: findings of the review of %s", snap.Head.Short()),
		Trailer:       fmt.Sprintf("Prloop-Handoff: %d", p.Handoff.Number),
		At:            p.Handoff.At,
		Grace:         in.Settings.HandoffGrace,
		People:        p.Handoff.Deadline.IsZero(),
	})
	const most = 96<<10 - 1 // a longer value cannot become a variable of a later step
	output, _ = handoff.Encode(b, most)
	whole, _ = handoff.Encode(b, 16<<20)
	return output, whole
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
