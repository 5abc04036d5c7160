package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/github"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/plan"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

// What a step can meet on its way to the lock.
var (
	// errMoved: the journal is not the one that was decided on.
	errMoved = errors.New("the journal was written by another run")
	// errLive: another run holds the lock.
	errLive = errors.New("another run holds the lock")
)

// step takes one step of one pull request: it decides over one snapshot and
// carries out all effects of the decision. Where somebody else wrote in
// between, or the head moved, it decides anew, once.
func (r *run) step(ctx context.Context, number int) (report.Run, error) {
	s := &session{run: r, number: number}
	defer s.release(ctx)
	var before []effect.Result
	var merged *plan.Plan // the decision that this run merged by
	for steps, anew := 1, false; ; steps++ {
		w, err := r.load(ctx, number)
		if err != nil {
			return report.Run{}, err
		}
		p, err := r.decide(ctx, &w)
		if err == nil {
			p, err = r.look(ctx, w.in, p)
		}
		if err != nil {
			return report.Run{}, err
		}
		a, err := s.act(ctx, w, p)
		p = p.Came(a.results)
		switch {
		case errors.Is(err, errMoved) && !anew:
			anew = true
			s.release(ctx)
			before = append(before, a.results...)
			continue
		case errors.Is(err, errMoved), errors.Is(err, errLive):
			p = instead(p, plan.LiveOwner, "another run of prloop is writing on this pull request")
		case errors.Is(err, errReadOnly):
			p = instead(p, plan.ReadOnlyToken, "this run's token may only read; prloop would have decided: "+p.Why)
		case err != nil:
			denied, ok := errors.AsType[*github.Denied](err)
			if !ok {
				return report.Run{}, err
			}
			p = instead(p, plan.NotWritable, notWritable(w.in.Snapshot, denied))
		case a.stale() && !anew:
			anew = true
			continue
		case a.stale():
			p = instead(p, plan.HeadMoved, "a newer head came while "+w.in.Snapshot.Head.Short()+" was acted on")
		case a.failed():
			p = a.next
		case p.Code == plan.NeedsReconcile && !anew && !s.inputs.DryRun:
			anew = true
			continue
		case p.Code == plan.MergeMade && len(a.next.Needs) > 0 && merged == nil:
			merged = &p // what comes after it has more to read
			before = append(before, a.results...)
			continue
		case p.Leads && len(a.results) > 0 && steps < r.inputs.MaxSteps:
			before = append(before, a.results...)
			continue
		}
		if p.Proof != nil && a.next.Proof != nil {
			p.Proof, p.ProofText = a.next.Proof, a.next.ProofText // as the step left things, and as it is noted
		}
		a.results = append(before, a.results...)
		if w.in.Memory == journal.MemoryNone && len(a.results) > 0 {
			r.starts++
		}
		if merged != nil {
			p = *merged
		}
		return r.describe(w.in, p, a), nil
	}
}

// instead is p with another outcome: what was decided could not be done.
func instead(p plan.Plan, code plan.Code, why string) plan.Plan {
	p.Decision, p.Code, p.Why = plan.Find(code).Decision, code, why
	p.Handoff, p.Wait = nil, nil
	return p
}

func notWritable(snap *pr.Snapshot, d *github.Denied) string {
	if snap.Locked {
		return "the conversation is locked"
	}
	return fmt.Sprintf("the token lacks the permission %q", d.Right)
}

// errReadOnly: the token of this run may not write, and that is as it should
// be: the head is a fork's.
var errReadOnly = errors.New("the token may only read")

// acted is what acting came to.
type acted struct {
	results []effect.Result
	// next is what the next step will decide if nothing else happens.
	next plan.Plan
	in   plan.Input // of next
}

func (a acted) stale() bool {
	return slices.ContainsFunc(a.results, func(r effect.Result) bool {
		switch r.Effect.(type) {
		case effect.Hide, effect.DiscardReview, effect.React, effect.DisarmMerge, effect.DeleteBranch, effect.TakeOver: // of an older head anyway, or of none
			return false
		case effect.RequestReview, effect.Mention, effect.MarkReady, effect.Rerun, effect.Revert, effect.Comment, effect.UpdateStatus, effect.Record, effect.Reply, effect.Resolve,
			effect.DraftReview, effect.CheckRun, effect.Merge, effect.UpdateBranch:
		}
		return r.Outcome == effect.Stale
	})
}

// failed: what the step was for did not come about; what it leads to is what
// there is to tell.
func (a acted) failed() bool {
	return slices.ContainsFunc(a.results, func(r effect.Result) bool {
		switch r.Effect.(type) {
		case effect.RequestReview, effect.Mention, effect.MarkReady, effect.Rerun, effect.Revert, effect.Merge, effect.UpdateBranch:
			return r.Outcome == effect.Failed
		case effect.Comment, effect.UpdateStatus, effect.Hide, effect.Record, effect.Reply, effect.Resolve,
			effect.DraftReview, effect.DiscardReview, effect.React, effect.CheckRun, effect.DisarmMerge, effect.DeleteBranch, effect.TakeOver:
		}
		return false
	})
}

// A session is one run's hold on one pull request: the journal comment and the
// lock on it.
type session struct {
	*run
	number  int
	comment pr.Comment
	lock    int64     // id of the eyes reaction that is ours; 0 while it is not held
	since   time.Time // when it was made, by GitHub's clock
}

// act carries p out. It writes nothing where there is nothing to write.
func (s *session) act(ctx context.Context, w world, p plan.Plan) (acted, error) {
	quiet := acted{next: p, in: w.in}
	if s.inputs.DryRun || p.Decision == plan.Skip || p.Code == plan.LiveOwner || !rebuildable(w.in) {
		return quiet, nil
	}
	first := w.in.Memory == journal.MemoryNone
	if first && !p.Acts() {
		return quiet, nil
	}
	status := report.Status(s.describe(w.in, p, quiet))
	// What a report is told by is no state of the pull request: the step after it
	// tells that.
	// One that prloop has left stays as its last word was.
	restated := !transient(p.Code) && p.Code != plan.Left && p.Account == nil && report.StatusDigest(status) != w.in.Journal.Status
	if !first && p.Entered(w.in.Journal) && !p.Acts() && p.Final == nil && !restated && !unsettled(w) {
		return quiet, nil
	}
	if s.event.Fork && !w.in.Snapshot.CanUpdate {
		return acted{}, errReadOnly // known before the first write; the schedule has a token that writes
	}
	a, err := s.write(ctx, w, p, status)
	if errors.Is(err, github.ErrPast) {
		err = errMoved // or it may be, by whoever found our lease over
	}
	return a, err
}

// transient: a decision that says nothing of the pull request, so the status
// comment stays as it is.
func transient(code plan.Code) bool {
	return slices.Contains([]plan.Code{plan.FactUnknown, plan.RateLimited, plan.ReadOnlyToken, plan.HeadMoved, plan.LiveOwner, plan.NeedsReconcile, plan.HandoffDue, plan.StateImported}, code)
}

// unsettled: the journal has something left over, of a run that died or of
// somebody who edited it.
func unsettled(w world) bool {
	return w.in.Memory != journal.MemoryFound || len(w.in.Journal.Pending) > 0 || w.found.Journal.Lease != nil ||
		len(w.found.Duplicates) > 0 || !w.in.LockedSince.IsZero()
}

// rebuildable: a journal that was lost is written anew only from a history that
// was read in full. What could not be counted would count for nothing.
func rebuildable(in plan.Input) bool {
	return !in.Memory.Lost() || !slices.ContainsFunc(journal.RebuildReads(), func(f pr.Fact) bool { return in.Snapshot.Missing(f) != nil })
}

// write is the acting part of a step: lock, journal with the intent, effects,
// journal with what was done. The lock is left to release.
//
// Nothing is written once the lease is over: the lock may be another run's by
// then, and the journal what that run wrote. What came about until then stays
// pending, and whoever decides next finds it on GitHub.
func (s *session) write(ctx context.Context, w world, p plan.Plan, status string) (acted, error) {
	keys := make([]effect.Key, len(p.Effects))
	for i, e := range p.Effects {
		keys[i] = e.Key()
	}
	j, err := s.hold(ctx, &w, p, status, keys)
	if err != nil {
		return acted{}, s.writeError(w.in.Snapshot, err)
	}
	ctx = github.Until(ctx, j.Lease.Until)
	// Notes are hidden last: only then is it known which of them no longer say
	// what is so.
	first := slices.DeleteFunc(slices.Clone(p.Effects), isHide)
	a := acted{}
	w.begun = j
	results, broken := s.effects(ctx, w, p, first)
	a.results = results
	for {
		done := journal.Finish(plan.Settle(j, w.in, p, a.results, s.client.Now()), came(a.results), over(j, a.results, broken), s.client.Now())
		a.in = plan.After(w.in, done, a.results)
		a.next = plan.Decide(a.in)
		// What tells of it is done in the same step: a person who is called
		// because of what just came about, and the notes that are outdated by it.
		telling := s.telling(a)
		if broken != nil || len(telling) == 0 {
			text := report.Status(s.describe(a.in, a.next, a))
			if transient(a.next.Code) {
				text = status
			}
			done.Waits = nil
			if a.next.Wait != nil {
				done = journal.SetWait(done, *a.next.Wait)
			}
			done.NextWake = a.next.NextWake
			done = plan.Shown(plan.Prove(done, a.next), a.results)
			return a, errors.Join(broken, s.save(ctx, done, text), s.point(ctx, w))
		}
		more, err := s.effects(ctx, world{in: a.in, found: w.found}, a.next, telling)
		a.results, broken = append(a.results, more...), err
		if len(more) == 0 {
			broken = errors.Join(broken, errors.New("a note came to no result"))
		}
	}
}

func isHide(e effect.Effect) bool {
	_, ok := e.(effect.Hide)
	return ok
}

func isQuota(e effect.Effect) bool {
	r, ok := e.(effect.Record)
	return ok && r.QuotaUntil != ""
}

// telling are the notes that the next step would write or hide, and that this
// one can as well. So is the proof as a check run, and what it would note of a quota in the repository record:
// until that stands there, the next pull request of the same sweep is asked for.
func (s *session) telling(a acted) []effect.Effect {
	return slices.DeleteFunc(slices.Clone(a.next.Effects), func(e effect.Effect) bool {
		_, note := e.(effect.Comment)
		_, branch := e.(effect.DeleteBranch) // of what this step merged
		if _, shows := e.(effect.CheckRun); !note && !shows && !branch && !isHide(e) && !isQuota(e) {
			return true
		}
		return slices.ContainsFunc(a.results, func(r effect.Result) bool { return r.Effect.Key() == e.Key() })
	})
}

// came are the keys of what is so now.
func came(results []effect.Result) []effect.Key {
	var keys []effect.Key
	for _, r := range results {
		if r.Outcome == effect.Done || r.Outcome == effect.AlreadySo {
			keys = append(keys, r.Effect.Key())
		}
	}
	return keys
}

// over are the pending keys that leave the outbox undone: refused, stale, or of
// an earlier run and no longer wished. Where weather broke the step off, what
// has no result yet stays pending.
func over(j journal.Journal, results []effect.Result, broken error) []effect.Key {
	if broken == nil {
		keys := make([]effect.Key, len(j.Pending))
		for i, e := range j.Pending {
			keys[i] = e.Key
		}
		return keys
	}
	var keys []effect.Key
	for _, r := range results {
		keys = append(keys, r.Effect.Key())
	}
	return keys
}

// recordTop is what people read in the issue of the repository record.
const recordTop = "prloop keeps here what belongs to no single pull request: how many reviews were asked for on each day " +
	"(budgets.reviewsPerDay), and until when a reviewer has no quota. It writes the block below by itself; closing the issue " +
	"or editing it changes nothing for good.\n"

// key signs the journal where the input state-key is set.
func (r *run) key() []byte {
	if r.inputs.StateKey == "" {
		return nil
	}
	return []byte(r.inputs.StateKey)
}

// mergeRecord joins the texts of the repository record and enters e.
func (r *run) mergeRecord(e effect.Record, bodies ...string) (text string, err error) {
	entry, err := journal.RecordOf(e)
	if err != nil {
		return "", err
	}
	body := recordTop
	defer func() {
		if e.Left != "" && err == nil {
			text, err = lastWord(text, r.key())
		}
	}()
	for i, b := range bodies {
		if i == 0 {
			body = b
			continue
		}
		if other, _, err := journal.DecodeRecord(b, r.key()); err == nil {
			entry = journal.MergeRecord(entry, other)
		}
	}
	return journal.MergeBody(body, entry, r.key())
}

// point empties the journals of former identities to a pointer, once ours is
// written: they were adopted, and nobody shall adopt them again.
func (s *session) point(ctx context.Context, w world) error {
	for _, c := range w.found.Former {
		err := s.client.UpdateComment(ctx, c.DatabaseID, fmt.Sprintf("The journal of this pull request has moved to %s#issuecomment-%d.", w.in.Snapshot.URL, s.comment.DatabaseID))
		if _, denied := errors.AsType[*github.Denied](err); err != nil && !denied {
			return err
		}
	}
	return nil
}

// effects carries out list in order. It stops at weather, and tells what was
// done until then.
func (s *session) effects(ctx context.Context, w world, p plan.Plan, list []effect.Effect) ([]effect.Result, error) {
	target := github.NewTarget(w.in.Snapshot)
	target.MergeRecord = s.mergeRecord
	target.Again = func(ctx context.Context, e effect.Merge) (*pr.Snapshot, string, error) { return s.again(ctx, w, e) }
	x := github.NewExecutor(s.client, target)
	var results []effect.Result
	for _, e := range list {
		if c, ok := e.(effect.Comment); ok && c.Body == "" {
			c.Body = report.Note(s.describe(w.in, p, acted{results: results, next: p, in: w.in}), s.mentions(w.in, p)...) + "\n" + c.Marker()
			e = c
		}
		if c, ok := e.(effect.CheckRun); ok && p.Proof != nil {
			c.Title, c.Summary, c.Text = report.CheckRun(*proof(p), c.Head.Short(), p.Proof.Kind)
			e = c
		}
		do := x.Do
		if t, ok := e.(effect.TakeOver); ok {
			do = func(ctx context.Context, _ effect.Effect) (effect.Result, error) { return s.takeOver(ctx, t) }
		}
		r, err := do(ctx, e)
		if err != nil {
			return results, err
		}
		s.runner.Info(fmt.Sprintf("%s: %s", e, outcomeWords(r)))
		results = append(results, r)
	}
	return results, nil
}

// again reads the pull request once more, right before it is merged, and decides
// anew over it: only what is decided again is done (design 7, "at this moment";
// autopilot D12).
func (s *session) again(ctx context.Context, w world, e effect.Merge) (*pr.Snapshot, string, error) {
	snap, err := s.client.Snapshot(ctx, s.number, github.Want{})
	if err != nil {
		return nil, "", err
	}
	snap.Config, snap.Record = w.in.Snapshot.Config, w.in.Snapshot.Record
	in := w.in
	in.Snapshot, in.Journal, in.Memory, in.Duplicates, in.LockedSince = snap, w.begun, journal.MemoryFound, false, time.Time{}
	in.Journal.Lease = nil
	return snap, plan.Still(in, e), nil
}

// takeOver takes the step of an issue whose quest goes on here.
func (s *session) takeOver(ctx context.Context, e effect.TakeOver) (effect.Result, error) {
	s.markIssue(e.Issue)
	holds, around := s.holds, s.around
	one, err := s.step(ctx, e.Issue)
	s.holds, s.around = holds, around
	switch {
	case err != nil:
		return effect.Result{Effect: e}, err
	case one.Code == string(plan.IssueInherited), one.Code == string(plan.IssueClosed):
		return effect.Result{Effect: e, Outcome: effect.Done}, nil
	}
	return effect.Result{Effect: e, Outcome: effect.Skipped, Note: "the issue is at " + one.Code}, nil
}

func outcomeWords(r effect.Result) string {
	words := string(r.Outcome)
	if result := cmp.Or(string(r.Request), string(r.Merge)); result != "" {
		words += " (" + result + ")"
	}
	if r.Note != "" {
		words += ": " + r.Note
	}
	return words
}

// hold takes the lock, reads the journal again under it, and writes the
// intent. It returns the journal as it stands then.
func (s *session) hold(ctx context.Context, w *world, p plan.Plan, status string, keys []effect.Key) (journal.Journal, error) {
	if w.found.Comment.DatabaseID == 0 {
		return s.create(ctx, w, p, status, keys)
	}
	s.comment = w.found.Comment
	if err := s.take(ctx, *w); err != nil {
		return journal.Journal{}, err
	}
	live, found, err := s.client.ReadComment(ctx, s.comment.ID)
	if err != nil {
		return journal.Journal{}, err
	}
	if !found || !journal.SameBody(live.Body, s.comment.Body) {
		return journal.Journal{}, errMoved
	}
	// Until a lease names it, the lock holds for its own time.
	own := s.since.Add(journal.LeaseTime)
	ctx = github.Until(ctx, own)
	for _, d := range w.found.Duplicates {
		if err := s.client.DeleteComment(ctx, d.DatabaseID); err != nil {
			return journal.Journal{}, err
		}
	}
	j := journal.Because(journal.Begin(plan.Enter(w.in.Journal, w.in, p), s.lease(), keys, s.client.Now()), p.Causes)
	if len(keys) == 0 {
		j.Lease.Until = own
		return j, nil // nothing is begun: one write says it all
	}
	return j, s.save(ctx, j, status)
}

// create writes the first journal of a pull request with the intent in it.
// Two runs may do so at once: both list again, the lowest comment stays and is
// locked, and the other run decides anew over it (design 3, Ownership).
func (s *session) create(ctx context.Context, w *world, p plan.Plan, status string, keys []effect.Key) (journal.Journal, error) {
	j := journal.Because(journal.Begin(plan.Enter(w.in.Journal, w.in, p), s.lease(), keys, s.client.Now()), p.Causes)
	body, err := s.body(j, status)
	if err != nil {
		return journal.Journal{}, err
	}
	made, err := s.client.CreateComment(ctx, s.number, body)
	if err != nil {
		return journal.Journal{}, err
	}
	mine, err := s.client.OwnComments(ctx, s.number)
	if err != nil {
		return journal.Journal{}, err
	}
	all := journal.Find(mine, s.number, s.key(), nil)
	if all.Comment.DatabaseID != 0 && all.Comment.DatabaseID != made.DatabaseID {
		if err := s.client.DeleteComment(ctx, made.DatabaseID); err != nil {
			return journal.Journal{}, err
		}
		return journal.Journal{}, errMoved
	}
	s.comment = made
	w.found.Comment = made
	if err := s.take(ctx, *w); err != nil {
		return journal.Journal{}, err
	}
	live, found, err := s.client.ReadComment(ctx, made.ID)
	if err != nil {
		return journal.Journal{}, err
	}
	if !found || !journal.SameBody(live.Body, body) {
		return journal.Journal{}, errMoved
	}
	if len(all.Duplicates) > 0 {
		lease := j.Lease
		j = journal.Fold(j, all.Journal)
		j.Lease = lease
	}
	for _, d := range all.Duplicates {
		if err := s.client.DeleteComment(ctx, d.DatabaseID); err != nil {
			return journal.Journal{}, err
		}
	}
	return j, nil
}

// take takes the lock: our eyes reaction on the journal comment. GitHub
// answers 201 to the one that made it, and 200 to everybody after.
func (s *session) take(ctx context.Context, w world) error {
	if s.lock != 0 {
		return nil // this run's earlier step holds it
	}
	for tries := 0; ; tries++ {
		lock, err := s.client.Lock(ctx, s.comment.DatabaseID)
		if err != nil {
			return err
		}
		if lock.Mine {
			s.lock, s.holds, s.since = lock.ID, true, cmp.Or(lock.CreatedAt, s.client.Now())
			return nil
		}
		stale, err := s.stale(ctx, w, lock)
		if err != nil {
			return err
		}
		if !stale || tries > 0 {
			return errLive
		}
		if err := s.client.Unlock(ctx, s.comment.DatabaseID, lock.ID); err != nil {
			return err
		}
	}
}

// stale reads the journal that the lock stands on, and says whether the run
// that took it is gone.
func (s *session) stale(ctx context.Context, w world, lock github.Lock) (bool, error) {
	live, found, err := s.client.ReadComment(ctx, s.comment.ID)
	if err != nil || !found {
		return false, err
	}
	j, _, err := journal.Decode(live.Body, s.key())
	if err != nil {
		j = w.in.Journal // damaged: no lease can be read out of it
		j.Lease = nil
	}
	over := false
	if l := j.Lease; l != nil && l.Reaction == lock.ID && s.client.Now().Before(l.Until) {
		if over, _, err = s.client.RunOver(ctx, l.Run, l.Attempt); err != nil {
			return false, err
		}
		over = over || l.Run == s.runID && l.Attempt < s.tries
	}
	return journal.StaleLock(j, lock.ID, lock.CreatedAt, s.client.Now(), over), nil
}

func (s *session) lease() journal.Lease {
	return journal.Lease{Reaction: s.lock, Run: s.runID, Attempt: s.tries, Until: s.client.Now().Add(journal.LeaseTime)}
}

// body is the journal comment: what people read, and j below it.
func (s *session) body(j journal.Journal, text string) (string, error) {
	j.Status = report.StatusDigest(text)
	return journal.Encode(text, j, s.key())
}

// save writes the journal comment.
func (s *session) save(ctx context.Context, j journal.Journal, text string) error {
	body, err := s.body(j, text)
	if err != nil {
		return err
	}
	return s.client.UpdateComment(ctx, s.comment.DatabaseID, body)
}

// release gives the lock back. It does so even when the run is being ended:
// what it leaves would hold up the next one until the lease is over.
func (s *session) release(ctx context.Context) {
	if s.lock == 0 {
		return
	}
	if err := s.client.Unlock(context.WithoutCancel(ctx), s.comment.DatabaseID, s.lock); err != nil {
		s.runner.Info(fmt.Sprintf("the lock stays until its lease is over: %q", err.Error()))
	}
	s.lock, s.holds = 0, false
}

// writeError tells a token that may only read, and is meant to, from one that
// lacks a right.
func (s *session) writeError(snap *pr.Snapshot, err error) error {
	if _, denied := errors.AsType[*github.Denied](err); denied && (snap.Fork() || s.event.Fork) && !snap.Locked {
		return errReadOnly
	}
	return err
}
