package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/handoff"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/round"
)

// prove makes the proof of a head that has converged. While nothing but the base
// branch moves it stays the one that the journal noted, so that a later run has
// nothing to write.
func (s *step) prove() {
	p := s.claims()
	noted := s.in.Journal.Proof
	if noted != nil && noted.Head == p.HeadOID {
		again := p
		again.Base.OID, again.JournalRevision = noted.Base, noted.Rev
		if sealed, text := seal(again); sealed.Digest == noted.Digest {
			s.plan.Proof, s.plan.ProofText = &sealed, text
			return
		}
	}
	sealed, text := seal(p)
	s.plan.Proof, s.plan.ProofText = &sealed, text
}

// Prove notes the proof of p in j, where it has one, and the quest.
func Prove(j journal.Journal, p Plan) journal.Journal {
	j = keepQuest(j, p)
	if p.Proof != nil {
		shown := j.Proof != nil && j.Proof.Digest == p.Proof.Digest && j.Proof.Shown
		j.Proof = &journal.Proven{Head: p.Proof.HeadOID, Base: p.Proof.Base.OID, Rev: p.Proof.JournalRevision, Digest: p.Proof.Digest, Shown: shown}
	}
	return j
}

// showProof puts the proof on the head as a check run (proof.checkRun), once. Where
// threads are cleaned up in this step the proof of what that leaves is shown.
func (s *step) showProof() {
	p, noted := s.plan.Proof, s.in.Journal.Proof
	if !s.in.Settings.CheckRun || s.plan.Cleaned != nil || !s.acted() && s.in.StartsLeft <= 0 ||
		noted != nil && noted.Shown && noted.Digest == p.Digest {
		return
	}
	e := effect.CheckRun{Head: p.HeadOID, Digest: p.Digest, Clean: p.Kind == round.Review}
	if r, ok := s.in.Journal.RefusedFor(e.Key(), via(s.in.UserToken)); ok {
		s.plan.Notices = append(s.plan.Notices, "The proof is not shown as a check run (proof.checkRun): the token lacks the permission "+r.Right)
		return
	}
	s.plan.Effects = append(s.plan.Effects, e)
}

// Shown notes in j that a check run carries the proof, or cannot.
func Shown(j journal.Journal, results []effect.Result) journal.Journal {
	for _, r := range results {
		e, ok := r.Effect.(effect.CheckRun)
		if ok && j.Proof != nil && j.Proof.Digest == e.Digest && (r.Outcome == effect.Done || r.Outcome == effect.AlreadySo || r.Outcome == effect.Failed && r.Right == "") {
			proven := *j.Proof
			proven.Shown, j.Proof = true, &proven
		}
	}
	return j
}

func seal(p round.Proof) (round.Proof, string) {
	sealed, text, err := round.Seal(p)
	if err != nil {
		panic(fmt.Sprintf("plan: the values of a proof are strings and numbers: %v", err))
	}
	return sealed, string(text)
}

// claims is everything that a proof says of the pull request as it stands.
func (s *step) claims() round.Proof {
	f, snap := s.facts, s.snap
	p := round.Proof{
		Schema:                   round.ProofSchema,
		Repo:                     snap.Repo.String(),
		PR:                       snap.Number,
		HeadOID:                  snap.Head,
		Base:                     round.ProofBase{Ref: snap.Base.Name, OID: snap.Base.OID},
		Kind:                     s.plan.Converged.Kind,
		OpenThreadsAwaitingReply: f.Copilot.UnresolvedThreadCount,
		OpenThreadCount:          f.Threads.Open,
		OpenEscalatedThreads:     round.Listed(f.Threads.Answered),
		OpenForeignThreads:       round.Listed(f.Threads.Untrusted),
		Checks:                   round.ProofChecks{Asked: s.in.Settings.RequireCI, Set: f.CI.Set, Passed: []string{}},
		Rounds:                   f.Rounds,
		Declined:                 s.declined(),
		RevertedRounds:           s.reverted(),
		SingleIteration:          s.single,
		ConfigDigest:             ConfigDigest(s.given),
	}
	if s.acted() {
		p.JournalRevision = s.in.Journal.Rev
	}
	if a := f.Agent; a != nil && a.AtHead != nil {
		p.Review = &round.ProofReview{Author: snap.Viewer.Login, Commit: snap.Head, SubmittedAt: s.judgedAt().UTC().Format(time.RFC3339)}
	} else if a == nil {
		p.Review = s.newestOf(s.facts.Loop)
	}
	if r := newestReview(f); r != nil && f.Agent == nil && !slices.ContainsFunc(f.Final, facts.Reviewer.IsCopilot) && (p.Review == nil || r.Commit == snap.Head) {
		p.Review = &round.ProofReview{Author: r.Author.Login, Commit: r.Commit, SubmittedAt: r.SubmittedAt.UTC().Format(time.RFC3339)}
	}
	p.FinalPass, p.LeftByMinSeverity = s.finalWords(), leftIDs(f.Left)
	if p.Checks.Asked {
		p.Checks.Passed, p.Checks.More = round.Passed(passed(f.CI))
	}
	return p
}

// newestOf is the newest word on this head by a reviewer that is not Copilot; nil
// where none said one.
func (s *step) newestOf(list []facts.Reviewer) *round.ProofReview {
	var found *round.ProofReview
	for i := range list {
		if list[i].IsCopilot() || !list[i].AtHead {
			continue
		}
		if one := s.word(&list[i]); found == nil || one.SubmittedAt > found.SubmittedAt {
			found = &one
		}
	}
	return found
}

// word is what a reviewer said of this head. A signal that is a check has no time
// of its own.
func (s *step) word(r *facts.Reviewer) round.ProofReview {
	one := round.ProofReview{Author: r.Login(), Commit: s.snap.Head}
	switch {
	case r.Trigger == autopilot.Command: // what a job said stands in a comment of ours
		one.Author = s.snap.Viewer.Login
		if at := r.By.At; !at.IsZero() {
			one.SubmittedAt = at.UTC().Format(time.RFC3339)
		}
	case r.IsCopilot():
		one.SubmittedAt = s.facts.AtHead.SubmittedAt.UTC().Format(time.RFC3339)
	case r.By != nil:
		one.SubmittedAt = r.By.At.UTC().Format(time.RFC3339)
	}
	return one
}

// leftIDs are the ids of what minSeverity left, as a proof lists them; nil where it
// left nothing.
func leftIDs(list []facts.Finding) []string {
	ids := make([]string, 0, len(list))
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	return round.Listed(ids)
}

// finalWords are those of the final pass, in the order of the configuration.
func (s *step) finalWords() []round.ProofReview {
	var list []round.ProofReview
	for i := range s.facts.Final {
		if r := &s.facts.Final[i]; s.hasPass() && r.AtHead {
			list = append(list, s.word(r))
		}
	}
	return list
}

// newestReview is the genuine review of the head, else the newest of all.
func newestReview(f facts.Facts) *facts.Review {
	if f.AtHead != nil {
		return f.AtHead
	}
	for i := len(f.Reviews) - 1; i >= 0; i-- {
		if f.Reviews[i].Kind == facts.Genuine {
			return &f.Reviews[i]
		}
	}
	return nil
}

func passed(ci facts.CI) []string {
	var names []string
	for _, c := range ci.Checks {
		if c.State == facts.Pass {
			names = append(names, c.Name)
		}
	}
	return names
}

// declined counts the findings of this head's reviews that were declined, by a
// report or by reference to one; the same one twice counts once.
func (s *step) declined() int {
	found := map[string]bool{}
	for _, r := range s.ledger().Rounds {
		for _, f := range r.Findings {
			if r.Head == s.snap.Head && f.Action == string(handoff.Decline) {
				found[f.Key] = true
			}
		}
	}
	return len(found)
}

// ConfigDigest is the SHA-256 of the settings in force, whatever file or input
// they come from.
func ConfigDigest(set config.Settings) string {
	data, err := json.Marshal(set)
	if err != nil {
		panic(fmt.Sprintf("plan: settings are strings and numbers: %v", err))
	}
	return journal.Sum(data)
}

// A Held is one thing that a proof says, held against GitHub.
type Held struct {
	Name string // of the proof's member
	Says string // what the proof says, in our words; values are quoted
	// Broken says what is so instead, Unknown why nobody can tell; both are
	// empty where the claim holds.
	Broken  string
	Unknown string
}

// Claims are the claims of p in words, in its order.
func Claims(p round.Proof) []Held {
	list := make([]Held, 0, len(claimTable))
	for _, c := range claimTable {
		if says := c.says(p); says != "" {
			list = append(list, Held{Name: c.name, Says: says})
		}
	}
	return list
}

// Against holds every claim of p against the world of in, in the order of the
// proof. What belongs to a head that is gone is unknown: GitHub shows the checks
// of the present one. Identities are accounts that prloop writes with, beside
// those of the settings; they change no digest of these.
func Against(p round.Proof, in Input, identities ...string) []Held {
	digest := ConfigDigest(in.Settings)
	in.Settings.Identities = append(slices.Clip(in.Settings.Identities), identities...)
	s := newStep(in)
	s.plan.Converged = round.Converged(s.convergence())
	now := s.claims()
	now.ConfigDigest = digest
	moved := p.HeadOID != now.HeadOID
	var list []Held
	for _, c := range claimTable {
		claim := Held{Name: c.name, Says: c.says(p)}
		if claim.Says == "" {
			continue
		}
		var unread *pr.Unknown
		for _, f := range c.facts {
			if unread == nil {
				unread = s.snap.Missing(f)
			}
		}
		switch {
		case c.ofHead && moved:
			claim.Unknown = "the head has moved"
		case unread != nil:
			claim.Unknown = fmt.Sprintf("the %s could not be read in full: %s", unread.Fact, unread.Why)
		default:
			claim.Broken, claim.Unknown = c.now(s, p, now)
		}
		list = append(list, claim)
	}
	return list
}

// claimTable has the claims of a proof in its order. now says what is so
// instead, or why nobody can tell.
var claimTable = []struct {
	name   string
	facts  []pr.Fact // without them nobody can tell
	ofHead bool      // it speaks of the head alone
	// says is empty where the proof claims nothing of the kind.
	says func(round.Proof) string
	now  func(s *step, p, now round.Proof) (broken, unknown string)
}{
	{
		"state",
		[]pr.Fact{pr.FactPullRequest},
		false,
		func(p round.Proof) string { return fmt.Sprintf("%s#%d is open", p.Repo, p.PR) },
		func(s *step, _, _ round.Proof) (string, string) {
			switch {
			case !s.snap.Found:
				return "there is no such pull request", ""
			case s.snap.State != pr.Open:
				return fmt.Sprintf("it is %q", s.snap.State), ""
			case s.snap.Draft:
				return "it is a draft", ""
			}
			return "", ""
		},
	},
	{
		"headOid", nil, false,
		func(p round.Proof) string { return "its head is " + string(p.HeadOID) },
		func(_ *step, p, now round.Proof) (string, string) {
			return differs(p.HeadOID == now.HeadOID, "its head is %s", now.HeadOID), ""
		},
	},
	{
		"base", nil, false,
		func(p round.Proof) string { return fmt.Sprintf("it goes into %q", p.Base.Ref) },
		func(_ *step, p, now round.Proof) (string, string) {
			sealed, _ := seal(now) // a name as a proof spells it
			return differs(p.Base.Ref == sealed.Base.Ref, "it goes into %q", now.Base.Ref), ""
		},
	},
	{
		"review",
		[]pr.Fact{pr.FactReviews},
		false,
		func(p round.Proof) string {
			if p.Review == nil {
				return "nobody reviewed"
			}
			return fmt.Sprintf("%q reviewed %s at %s, and no later review of that head says otherwise", p.Review.Author, p.Review.Commit, p.Review.SubmittedAt)
		},
		reviewNow,
	},
	{
		"finalPass",
		[]pr.Fact{pr.FactReviews},
		true,
		func(p round.Proof) string {
			if len(p.FinalPass) == 0 {
				return ""
			}
			var who []string
			for _, r := range p.FinalPass {
				who = append(who, fmt.Sprintf("%q at %s", r.Author, r.SubmittedAt))
			}
			return "nothing of the final pass is open: " + strings.Join(who, ", ")
		},
		func(s *step, p, now round.Proof) (string, string) {
			if slices.ContainsFunc(s.facts.Final, func(r facts.Reviewer) bool { return len(r.Findings) > 0 }) {
				return "a finding of the final pass is open", ""
			}
			return differs(slices.Equal(p.FinalPass, now.FinalPass), "other reviews are there"), ""
		},
	},
	{
		"openThreadsAwaitingReply",
		[]pr.Fact{pr.FactThreads},
		false,
		func(round.Proof) string { return "no thread awaits a reply" },
		func(_ *step, p, now round.Proof) (string, string) {
			return differs(p.OpenThreadsAwaitingReply == now.OpenThreadsAwaitingReply, "%s a reply", count(now.OpenThreadsAwaitingReply, "thread awaits", "threads await")), ""
		},
	},
	{
		"openEscalatedThreads",
		[]pr.Fact{pr.FactThreads},
		false,
		func(p round.Proof) string {
			if p.OpenThreadCount == 0 {
				return "no thread is open"
			}
			return fmt.Sprintf("%s open, %d of them answered and left open", count(p.OpenThreadCount, "thread is", "threads are"), len(p.OpenEscalatedThreads))
		},
		func(_ *step, p, now round.Proof) (string, string) {
			same := p.OpenThreadCount == now.OpenThreadCount && slices.Equal(p.OpenEscalatedThreads, now.OpenEscalatedThreads) && slices.Equal(p.OpenForeignThreads, now.OpenForeignThreads)
			return differs(same, "%s open, %d of them answered, and these are others", count(now.OpenThreadCount, "thread is", "threads are"), len(now.OpenEscalatedThreads)), ""
		},
	},
	{
		"leftByMinSeverity",
		[]pr.Fact{pr.FactThreads, pr.FactReviews},
		false,
		func(p round.Proof) string {
			if len(p.LeftByMinSeverity) == 0 {
				return ""
			}
			return count(len(p.LeftByMinSeverity), "open finding is", "open findings are") + " below minSeverity"
		},
		func(_ *step, p, now round.Proof) (string, string) {
			return differs(slices.Equal(p.LeftByMinSeverity, now.LeftByMinSeverity), "%s, and these are others", count(len(now.LeftByMinSeverity), "is", "are")), ""
		},
	},
	{
		"checks",
		[]pr.Fact{pr.FactChecks, pr.FactRules},
		true,
		func(p round.Proof) string {
			if !p.Checks.Asked {
				return "checks are not asked for"
			}
			return fmt.Sprintf("%s passed (%s)", names(p.Checks.Passed), count(len(p.Checks.Passed)+p.Checks.More, "check", "checks"))
		},
		checksNow,
	},
	{
		"rounds",
		[]pr.Fact{pr.FactReviews},
		false,
		func(p round.Proof) string { return "it had " + count(p.Rounds, "round", "rounds") },
		func(_ *step, p, now round.Proof) (string, string) {
			return differs(p.Rounds == now.Rounds, "it had %s", count(now.Rounds, "round", "rounds")), ""
		},
	},
	{
		"declined",
		[]pr.Fact{pr.FactComments, pr.FactReviews, pr.FactThreads},
		true,
		func(p round.Proof) string { return count(p.Declined, "finding", "findings") + " of the head declined" },
		func(s *step, p, now round.Proof) (string, string) {
			if s.in.Memory.Lost() || !s.acted() {
				return "", unreadable
			}
			return differs(p.Declined == now.Declined, "%d are", now.Declined), ""
		},
	},
	{
		"revertedRounds",
		[]pr.Fact{pr.FactComments},
		false,
		func(p round.Proof) string {
			if len(p.RevertedRounds) == 0 {
				return "no round was reverted"
			}
			return these(p.RevertedRounds) + " reverted"
		},
		func(s *step, p, now round.Proof) (string, string) {
			if s.in.Memory.Lost() || !s.acted() && len(p.RevertedRounds) > 0 {
				return "", unreadable
			}
			return differs(slices.Equal(p.RevertedRounds, now.RevertedRounds), "the journal says otherwise"), ""
		},
	},
	{
		"configDigest",
		[]pr.Fact{pr.FactConfig},
		false,
		func(round.Proof) string { return "the settings in force are those of then" },
		func(_ *step, p, now round.Proof) (string, string) {
			return differs(p.ConfigDigest == now.ConfigDigest, "the configuration file is another one, or the workflow's input settings is not given here"), ""
		},
	},
	{
		"journalRevision",
		[]pr.Fact{pr.FactComments},
		false,
		func(p round.Proof) string {
			return fmt.Sprintf("the journal's revision is %d or later, and it notes this proof", p.JournalRevision)
		},
		journalNow,
	},
}

const unreadable = "no journal of the account that prloop writes with can be read"

func differs(same bool, format string, args ...any) string {
	if same {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func reviewNow(s *step, p, now round.Proof) (broken, unknown string) {
	if p.Review == nil {
		return differs(now.Review == nil, "somebody reviewed"), ""
	}
	if now.Review != nil && *now.Review == *p.Review && p.Review.Author != pr.CopilotReviewer {
		return "", ""
	}
	for _, r := range s.facts.Reviews {
		if r.Kind == facts.Genuine && r.Author.Login == p.Review.Author && r.Commit == p.Review.Commit &&
			r.SubmittedAt.UTC().Format(time.RFC3339) == p.Review.SubmittedAt {
			if p.HeadOID == now.HeadOID && p.Kind == round.Review && (!s.plan.Converged.Converged && s.facts.Copilot.CopilotBodyFeedbackUnresolved) {
				return "a finding of the newest review of that head is open", ""
			}
			return "", ""
		}
	}
	return "there is no such review, or it was dismissed", ""
}

// checksNow looks for each check of the proof, and for any that failed since.
// Others may have begun since: they are no claim of the proof.
func checksNow(s *step, p, _ round.Proof) (broken, unknown string) {
	if !p.Checks.Asked {
		return "", ""
	}
	if failing := s.facts.CI.Failing; len(failing) > 0 {
		return names(failing) + " failed", ""
	}
	pass := map[string]bool{}
	for _, c := range s.facts.CI.Checks {
		name, _ := round.Passed([]string{c.Name})
		before, seen := pass[name[0]]
		pass[name[0]] = c.State == facts.Pass && (before || !seen)
	}
	var not []string
	for _, name := range p.Checks.Passed {
		if !pass[name] {
			not = append(not, name)
		}
	}
	if len(not) > 0 {
		return names(not) + " has not passed", ""
	}
	return "", ""
}

func journalNow(s *step, p, _ round.Proof) (broken, unknown string) {
	switch {
	case p.JournalRevision == 0:
		return "", "" // there was none to note it
	case s.in.Memory.Lost() || !s.acted():
		return "", unreadable
	case s.in.Journal.Rev < p.JournalRevision:
		return fmt.Sprintf("its revision is %d", s.in.Journal.Rev), ""
	case s.in.Journal.Proof == nil || s.in.Journal.Proof.Digest != p.Digest:
		return "it notes another proof, or none", ""
	}
	return "", ""
}
