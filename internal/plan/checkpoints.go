package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/prloop/prloop/internal/command"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

// The checkpoints of seed 002 on a pull request: A approves the set of findings,
// B what is to be done about them, C the merge. A and B are passed by prloop's
// own decision unless the configuration says otherwise; where one of them holds,
// nothing is handed over. A person may hold a review at any of the three.

// heldByPerson: a person holds the review. A proof that was begun meanwhile is made
// all the same (reference/quest.md 6); its end is seen in heldBack.
func heldByPerson(s *step) bool {
	sp := s.spine()
	if sp == nil || sp.Quest.State != quest.HandedOff || sp.Quest.ProofPending {
		return false
	}
	return s.decideClaimed()
}

func (s *step) decideClaimed() bool {
	q := &s.quest.Quest
	return s.decide(Claimed, "the review at checkpoint %s is held by %s", quest.At(q.ReturnTo), q.Owner)
}

// heldBack takes the quest toward target before the step goes there, and decides
// where a checkpoint or a person holds it back.
func (s *step) heldBack(target quest.State) bool {
	sp := s.spine()
	if sp == nil {
		return false
	}
	s.unpark(s.plan.Code)
	s.toward(target)
	q := &sp.Quest
	switch {
	case q.State == quest.HandedOff:
		return s.decideClaimed()
	case q.State == quest.Hypothesised && s.shadow(quest.A), q.State == quest.Planned && s.shadow(quest.B):
		return s.decide(CheckpointShadow, "checkpoint %s is in shadow mode", quest.At(q.State))
	case q.State == quest.Hypothesised:
		return s.decide(CheckpointA, "%s at %s", s.waiting("waits", "wait"), s.snap.Head.Short())
	case q.State == quest.Planned && !q.PlanPending:
		return s.decide(CheckpointB, "%s to be handed over at %s", s.waiting("waits", "wait"), s.snap.Head.Short())
	case target != quest.Patching && q.State == quest.Patching, q.State == quest.Researching, q.State == quest.Planned:
		return s.decide(RevisionAsked, "a person sent it back at checkpoint %s", s.in.Journal.Orders.Revised.CP)
	}
	return false
}

// callsFirst: a checkpoint waits for a person before prloop has done anything.
// That is told all the same: nothing else would ever move it.
func (s *step) callsFirst() bool {
	return slices.Contains([]Code{CheckpointA, CheckpointB, CheckpointShadow}, s.plan.Code) && s.in.StartsLeft > 0
}

// waiting is what waits at a checkpoint.
func (s *step) waiting(one, many string) string {
	n := len(s.facts.Awaiting)
	if n == 0 {
		return "a head without findings waits"
	}
	return count(n, "finding "+one, "findings "+many)
}

func (s *step) shadow(cp quest.Checkpoint) bool {
	c := s.quest.Policy.Checkpoints
	return map[quest.Checkpoint]quest.Mode{quest.A: c.A, quest.B: c.B, quest.C: c.C}[cp] == quest.Shadow
}

// sentBack: a person sent it back at this checkpoint, and neither the head nor
// what is open nor the newest review is another one since.
func (s *step) sentBack(cp quest.Checkpoint) bool {
	r := s.in.Journal.Orders.Revised
	return r != nil && r.CP == string(cp) && r.Head == s.snap.Head && r.Mark == s.workMark()
}

// workMark is a digest of what is open and of the newest review.
func (s *step) workMark() string {
	object, _ := s.object()
	return journal.Mark(object + " " + strings.Join(s.marks(), " "))
}

// approver is who approved the merge of this head, and the event that says so:
// by a command, or by an approving review that stands. Nobody approves their own
// pull request, and a bot's approval is a review like any other.
func (s *step) approver() (who pr.Login, decision quest.Event) {
	decision = quest.Event{Type: quest.Decision, CP: quest.C, Verdict: quest.Approve, By: quest.Person}
	if c := s.in.Journal.Orders.Landing; c != nil && c.Head == s.snap.Head {
		decision.ID, decision.At, decision.Actor = commentID(c.Comment, c.At.Unix())+".C", c.At, string(c.By)
		return c.By, decision
	}
	newest := map[pr.Login]*pr.Review{}
	for i := range s.snap.Reviews {
		r := &s.snap.Reviews[i]
		if r.State == pr.Approved || r.State == pr.ChangesRequested || r.State == pr.Dismissed {
			newest[r.Author.Login] = r
		}
	}
	for i := range s.snap.Reviews {
		r := &s.snap.Reviews[i]
		if newest[r.Author.Login] == r && r.State == pr.Approved && r.Commit == s.snap.Head && r.Trusted && !r.Author.Bot && r.Author.Login != s.snap.Author.Login {
			decision.ID, decision.At, decision.Actor = "review@"+r.ID+".C", r.SubmittedAt, string(r.Author.Login)
			return r.Author.Login, decision
		}
	}
	return "", quest.Event{}
}

// mayLand reports whether a decision at checkpoint C would move the quest to
// landing; code and why say why not. Without a code it is a person's approval
// that is missing. The quest has the last word on every merge.
func (s *step) mayLand() (may bool, code Code, why string) {
	sp := s.spine()
	if sp == nil {
		return false, FactUnknown, "the pull request has no life cycle"
	}
	s.toward(quest.Ready)
	who, _ := s.approver()
	switch q := &sp.Quest; {
	case q.State == quest.Landing:
		return true, "", ""
	case q.State == quest.HandedOff:
		return false, Claimed, "the review is held by " + q.Owner
	case q.State == quest.Parked:
		return false, Code(q.ParkReason), "the pull request is parked"
	case q.State == quest.Hypothesised:
		return false, CheckpointA, "checkpoint A is not passed"
	case q.State == quest.Planned:
		return false, CheckpointB, "checkpoint B is not passed"
	case q.State != quest.Ready:
		return false, FactUnknown, "the life cycle is at " + string(q.State)
	case s.shadow(quest.C):
		return false, CheckpointShadow, "checkpoint C is in shadow mode"
	case sp.Policy.Checkpoints.C == quest.Blocking && who == "":
		return false, "", "nobody has approved the merge"
	}
	return true, "", ""
}

// land enters the decision at checkpoint C: a person's where there is one, else
// prloop's own, with the proof as its evidence. It reports whether the quest is
// landing then.
func (s *step) land() bool {
	if may, _, _ := s.mayLand(); !may {
		return false
	}
	q := &s.quest.Quest
	if q.State == quest.Landing {
		return true
	}
	bound := &quest.Binding{Rev: q.Rev, Digest: q.Proof.Digest, Base: q.Base, Head: q.PatchHead}
	who, e := s.approver()
	if who == "" {
		e = quest.Event{
			ID: "gates@" + string(s.snap.Head) + ".C", At: s.now, Type: quest.Decision, CP: quest.C, Verdict: quest.Approve,
			By: quest.Automatic, Evidence: quest.Refs{quest.Ref("proof@" + q.Proof.Digest)},
		}
	}
	e.Rev, e.Binding = q.Rev, bound
	s.enter(e)
	return q.State == quest.Landing
}

// byQuest is the reply to a command that is nothing else than an event of the
// quest.
func byQuest(_ *step, _ command.Command, o *Obeyed) string {
	if o.Reply == "" {
		return replyNoCheckpoint
	}
	return o.Reply
}

// commandOn enters what a command is to the quest, and returns the reply where
// the quest has something to say to it.
func (s *step) commandOn(c command.Command, o *Obeyed) string {
	sp := s.spine()
	if sp == nil {
		return ""
	}
	q := &sp.Quest
	e := quest.Event{ID: commentID(c.ID, c.At.Unix()), At: c.At, Actor: string(c.Author), Admin: s.snap.Admins[c.Author], By: quest.Person}
	at := quest.At(q.State)
	switch c.Word { //nolint:exhaustive // The others are no events of a quest.
	case command.Pause:
		e.Type = quest.Pause
		if q.State == quest.Parked {
			return "" // for something else perhaps: then it is paused on top of it (conclude)
		}
	case command.Resume:
		e.Type = quest.Resume
		if q.State != quest.Parked {
			return ""
		}
	case command.Stop:
		e.Type = quest.Kill
	case command.Claim:
		e.Type = quest.Claim
		switch {
		case q.State == quest.HandedOff && q.Owner == e.Actor:
			return replySo
		case q.State == quest.HandedOff:
			return replyClaimed
		case at == "", q.PlanPending:
			return replyNoCheckpoint
		}
	case command.Release:
		e.Type = quest.Release
		if q.State != quest.HandedOff {
			return replyUnclaimed
		}
	case command.Approve, command.Revise, command.Reject:
		return s.decision(c, o, e)
	default:
		return ""
	}
	return s.commanded(e)
}

// commanded enters the event of a command, and says where it is refused: then
// the one who holds the review, or the state, is against it.
func (s *step) commanded(e quest.Event) string {
	sp := s.quest
	refused := len(sp.Refused)
	if s.enter(e) {
		return replyDone
	}
	sp.Refused = sp.Refused[:refused] // the reply says it
	if sp.Quest.State == quest.HandedOff {
		return replyClaimed
	}
	return replyNoCheckpoint
}

// decision is a person's at the checkpoint at hand. An approval of the merge is
// kept until the gates pass: until then the quest stays where it is.
func (s *step) decision(c command.Command, o *Obeyed, e quest.Event) string {
	q := &s.quest.Quest
	at := quest.At(q.State)
	asked := quest.Checkpoint(strings.ToUpper(c.Args0()))
	switch {
	case strings.EqualFold(c.Args0(), "spend"), c.Word == command.Approve && asked == "" && (at == "" || at == quest.C || paused(o.Stood)):
		return "" // not about a checkpoint; the merge is approved by its name alone
	case at == "", q.PlanPending:
		return replyNoCheckpoint
	case asked != "" && asked != at:
		return replyOtherCheckpoint
	case c.At.Before(s.facts.HeadAt):
		return replyOlder
	}
	e.Type, e.CP, e.Rev = quest.Decision, at, q.Rev
	o.CP = string(at)
	switch c.Word { //nolint:exhaustive // See commandOn.
	case command.Approve:
		e.Verdict = quest.Approve
		if at == quest.C && !s.shadow(quest.C) {
			if l := s.in.Journal.Orders.Landing; l != nil && l.Head == s.snap.Head {
				return replySo
			}
			o.By = c.Author
			return replyDone
		}
	case command.Revise:
		e.Verdict = quest.Revise
		o.Mark = s.workMark()
	case command.Reject:
		e.Verdict = quest.Reject
	}
	if reply := s.commanded(e); reply != replyDone {
		return reply
	}
	if q.State == quest.Ready || quest.At(q.State) == at && !q.PlanPending {
		o.CP = ""
		return replyRecorded
	}
	return replyDone
}

// heldFrom: a person holds the review, and this command is none that goes beside
// it (seed 002, "Claimed reviews").
func (s *step) heldFrom(c command.Command) bool {
	sp := s.spine()
	beside := []command.Word{command.Status, command.Claim, command.Release, command.Stop}
	return sp != nil && sp.Quest.State == quest.HandedOff && !slices.Contains(beside, c.Word)
}

// commentID names what was said in a comment at one time: an edit says it anew.
func commentID(comment int64, said int64) string {
	return "comment@" + strconv.FormatInt(comment, 10) + "." + strconv.FormatInt(said, 10)
}
