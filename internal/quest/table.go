package quest

// table is the transition table of seed 002, with the rows that the seed
// leaves open. Rows stand in the order of the main line, then those that
// belong to many states. Of the rows of a state and an event the first whose
// condition holds is taken; the last ones leave no pair without a row: after
// the end everything is absorbed, before it every other pair is invalid.
var table = []row{
	// How a quest starts.
	{id: "start", in: in{unborn}, on: on{SignalReceived}, then: to(Sensed), does: does{begin}, asks: asks{runTriage}},
	{id: "start-none", in: in{unborn}, on: anyEvent, then: refuse("no signal has started this quest")},
	{id: "triage-fix", in: in{Sensed}, on: on{TriageDecided}, when: when{routed(AutoFix)}, then: through(Triaged, Researching), does: does{setRoute}, asks: asks{startResearch}},
	{id: "triage-research", in: in{Sensed}, on: on{TriageDecided}, when: when{routed(ResearchOnly)}, then: through(Triaged, Researching), does: does{setRoute}, asks: asks{startResearch}},
	{id: "triage-human", in: in{Sensed}, on: on{TriageDecided}, when: when{routed(Human)}, then: to(Triaged), does: does{setRoute}, asks: asks{inbox("a person has to choose the route")}},
	{id: "triage-ignore", in: in{Sensed}, on: on{TriageDecided}, when: when{routed(Ignore)}, then: to(Abandoned), does: does{setRoute, mute, ended(endedIgnored)}, asks: asks{muteFingerprint}},
	{id: "triage-duplicate", in: in{Sensed}, on: on{TriageDecided}, when: when{routed(Duplicate), otherNamed}, then: to(Abandoned), does: does{setRoute, ended(endedDuplicate)}, asks: asks{mergeSignalOf}},
	{id: "triage-conflict", in: in{Sensed}, on: on{TriageDecided}, when: when{routed(Conflict), parentNamed}, then: to(Parked), does: does{setRoute, waitForParent}},
	{id: "triage-wrong", in: in{Sensed}, on: on{TriageDecided}, then: refuse("the route is none of auto_fix, research_only, human, ignore, duplicate with another quest, conflict with another quest")},
	{id: "reroute", in: in{Triaged}, on: on{Reroute}, when: when{routed(AutoFix, ResearchOnly)}, then: to(Researching), does: does{setRoute}, asks: asks{startResearch}},
	{id: "reroute-ignore", in: in{Triaged}, on: on{Reroute}, when: when{routed(Ignore)}, then: to(Abandoned), does: does{setRoute, mute, ended(endedIgnored)}, asks: asks{muteFingerprint}},

	// Research, and checkpoint A.
	{id: "research-done", in: in{Researching}, on: on{ResearchDone}, when: when{hypothesisGiven}, then: to(Hypothesised), does: does{addEvidence}, asks: asks{request}},
	{id: "research-empty", in: in{Researching}, on: on{ResearchDone}, then: refuse("research ends with a hypothesis, and there is none")},
	{id: "respondent-done", in: in{Researching}, on: on{RespondentDone}, then: stay, does: does{addEvidence}},
	{id: "A-approve", in: in{Hypothesised}, on: on{Decision}, when: when{decides(Approve), routeIs(AutoFix)}, then: to(Reproducing), does: does{decided, approve}, asks: asks{startReproduce}},
	{id: "A-approve-research", in: in{Hypothesised}, on: on{Decision}, when: when{decides(Approve)}, then: to(Parked), does: does{decided, approve, park(ResearchComplete)}, asks: asks{inbox("the research is complete, and was all that was asked for"), childEvidence}},
	{id: "A-revise", in: in{Hypothesised}, on: on{Decision}, when: when{decides(Revise)}, then: to(Researching), does: does{decided}, asks: asks{startResearch}},
	{id: "reroute-open", in: in{Hypothesised}, on: on{Reroute}, when: when{routed(AutoFix, ResearchOnly)}, then: stay, does: does{setRoute}},

	// Reproduction, the plan, and checkpoint B.
	{id: "reproduced", in: in{Reproducing}, on: on{Reproduced}, when: when{checkGiven, planGiven}, then: to(Planned), does: does{setCheck, planDone}, asks: asks{request}},
	{id: "reproduced-no-plan", in: in{Reproducing}, on: on{Reproduced}, when: when{checkGiven, noPlanPending}, then: stay, does: does{setCheck, planNeeded}, asks: asks{startPlan}},
	{id: "reproduced-plan", in: in{Reproducing}, on: on{PlanWritten}, when: when{planPending}, then: to(Planned), does: does{planDone}, asks: asks{request}},
	{id: "not-reproducible", in: in{Reproducing}, on: on{NotReproducible}, when: when{noPlanPending}, then: to(Parked), does: does{park(CannotReproduce)}, asks: asks{inbox("the failure cannot be reproduced")}},
	{id: "B-approve", in: in{Planned}, on: on{Decision}, when: when{decides(Approve)}, then: to(Patching), does: does{decided, approve}, asks: asks{startPatch}},
	{id: "B-revise", in: in{Planned}, on: on{Decision}, when: when{decides(Revise)}, then: stay, does: does{decided, planNeeded, noAttempts, dropRequest}, asks: asks{startPlan}},
	{id: "B-plan", in: in{Planned}, on: on{PlanWritten}, when: when{planPending}, then: stay, does: does{planDone}, asks: asks{request}},

	// The patch and its proof.
	{id: "patch", in: in{Patching}, on: on{PatchWritten}, when: when{headGiven}, then: to(Proving), does: does{setPatch}, asks: asks{runProof}},
	{id: "proof", in: in{Proving}, on: on{ProofSucceeded}, when: when{bundleMatches}, then: to(Ready), does: does{setProof}, asks: asks{request}},
	{id: "proof-failed", in: in{Proving}, on: on{ProofFailed}, when: when{attemptsLeft}, then: to(Patching), does: does{countAttempt}, asks: asks{startPatch}},
	{id: "proof-exhausted", in: in{Proving}, on: on{ProofFailed}, then: to(Parked), does: does{countAttempt, returnTo(Patching), park(AttemptsExhausted)}, asks: asks{inbox("every attempt is used up")}},
	{id: "proof-signal", in: in{Proving}, on: on{SignalAdded, SignalReceived}, when: when{ours}, then: stay, does: does{addSignal, clearC}, asks: asks{mergeSignal}},
	{id: "proof-probe", in: in{Proving}, on: on{ProbesNeeded}, then: stay, asks: asks{runProbes}},
	{id: "proof-probed", in: in{Proving}, on: on{ProbesDone}, then: stay, does: does{addResults}},
	{id: "proof-base-fresh", in: in{Proving}, on: on{BaseChanged}, when: when{baseMoved, freshAsked, rebasesLeft}, then: stay, does: does{setBase, clearC, countRebase}, asks: asks{runProof}},
	{id: "proof-base", in: in{Proving}, on: on{BaseChanged}, when: when{baseMoved}, then: stay, does: does{setBase, clearC}},
	{id: "proof-new-head", in: in{Proving}, on: on{HumanRevision}, when: when{newHead}, then: stay, does: does{revise}, asks: asks{runProof}},
	{id: "proof-same-head", in: in{Proving}, on: on{HumanRevision}, then: stay, does: does{clearC}},
	{id: "proof-wrong", in: in{Proving}, on: on{ProofSucceeded}, then: refuseFor("the bundle does not match the quest", bundleFault)},

	// Checkpoint C.
	{id: "C-approve", in: in{Ready}, on: on{Decision}, when: when{decides(Approve)}, then: to(Landing), does: does{decided, approve}, asks: asks{landIt}},
	{id: "C-revise", in: in{Ready}, on: on{Decision}, when: when{decides(Revise)}, then: to(Patching), does: does{decided, clearC, noAttempts}, asks: asks{startPatch}},
	{id: "ready-base-fresh", in: in{Ready}, on: on{BaseChanged}, when: when{baseMoved, freshAsked, rebasesLeft}, then: to(Patching), does: does{setBase, clearProof, countRebase, rebaseNeeded}, asks: asks{rebase}},
	{id: "ready-base", in: in{Ready}, on: on{BaseChanged}, when: when{baseMoved}, then: stay, does: does{setBase, clearC}, asks: asks{request}},
	{id: "ready-new-head", in: in{Ready}, on: on{HumanRevision}, when: when{newHead}, then: to(Proving), does: does{revise}, asks: asks{runProof}},
	{id: "ready-same-head", in: in{Ready}, on: on{HumanRevision}, then: stay, does: does{clearC}, asks: asks{request}},

	// What every checkpoint has.
	{id: "reject", in: in{Hypothesised, Planned, Ready}, on: on{Decision}, when: when{decides(Reject)}, then: to(Abandoned), does: does{decided, ended(Rejected)}, asks: asks{stopIfBusy, resumeDependents}},
	{id: "reject-inbox", in: in{Hypothesised, Planned, Ready}, on: on{Decision}, when: when{decidesAny(toInbox)}, then: stay, does: does{heard}, asks: asks{inbox("an automatic decision rejects this")}},
	{id: "decision-recorded", in: in{Hypothesised, Planned, Ready}, on: on{Decision}, when: when{decidesAny(recorded)}, then: stay, does: does{heard}},
	{id: "decision-wrong", in: in{Hypothesised, Planned, Ready}, on: on{Decision}, then: refuseDecision},
	{id: "claim", in: in{Hypothesised, Planned, Ready}, on: on{Claim}, when: when{actorGiven, noPlanPending}, then: to(HandedOff), does: does{setOwner}, asks: asks{reply("the review is yours")}},
	{id: "claim-wrong", in: in{Hypothesised, Planned, Ready}, on: on{Claim}, then: refuse("a claim names who claims, and waits for the plan that is being written")},
	{id: "policy", in: in{Hypothesised, Planned, Ready}, on: on{PolicyChanged}, when: when{flagDiffers}, then: stay, asks: asks{request}},

	// Landing, the watch, and the way back.
	{id: "landed", in: in{Landing}, on: on{Landed}, then: to(Watching), does: does{setCommit}, asks: asks{startWatch, registerProbe, resumeDependents}},
	{id: "land-base", in: in{Landing}, on: on{BaseChanged}, when: when{baseMoved, rebasesLeft}, then: to(Patching), does: does{setBase, clearProof, countRebase, rebaseNeeded}, asks: asks{rebase}},
	{id: "land-base-cap", in: in{Landing}, on: on{BaseChanged}, when: when{baseMoved}, then: to(Parked), does: does{setBase, clearProof, rebaseNeeded, returnTo(Patching), park(RebaseCapReached)}, asks: asks{stopAgent, inbox("the base keeps moving, and every rebase is used up")}},
	{id: "land-new-head", in: in{Landing}, on: on{HumanRevision}, when: when{newHead}, then: to(Proving), does: does{revise}, asks: asks{stopAgent, runProof}},
	{id: "land-same-head", in: in{Landing}, on: on{HumanRevision}, then: to(Ready), does: does{clearC}, asks: asks{stopAgent, request}},
	{id: "land-refused", in: in{Landing}, on: on{LandRefused}, then: to(Parked), does: does{returnTo(Ready), park(LandRefusedReason)}, asks: asks{inbox("the merge was refused")}},
	{id: "regression", in: in{Watching}, on: on{RegressionSeen}, then: to(RolledBack), asks: asks{rollback, inbox("a regression was seen")}},
	{id: "watched", in: in{Watching}, on: on{WatchClean}, then: to(Closed), does: does{endWatch}, asks: asks{reply("it was watched to the end"), childEvidence}},
	{id: "watch-probe", in: in{Watching}, on: on{ProbesNeeded}, then: stay, asks: asks{runProbes}},
	{id: "watch-probed", in: in{Watching}, on: on{ProbesDone}, then: stay, does: does{addResults}},
	{id: "rolled-back", in: in{RolledBack}, on: on{RollbackReceipt}, when: when{complete}, then: to(Researching), does: does{startOver}, asks: asks{startResearch}},
	{id: "rollback-failed", in: in{RolledBack}, on: on{RollbackReceipt}, then: stay, asks: asks{inbox("the rollback is not complete")}},
	{id: "reopen", in: in{Closed}, on: on{RegressionMatched}, when: when{regressionIsOurs}, then: to(Researching), does: does{reopen, startOver}, asks: asks{startResearch}},

	// An agent that never reported is asked once more.
	{id: "agent-lost", in: in{Researching, Reproducing, Planned, Patching}, on: on{AgentLost}, when: when{agentAtWork, lostBefore}, then: to(Parked), does: does{park(AgentLostReason)}, asks: asks{stopAgent, inbox("an agent did not report twice")}},
	{id: "agent-lost-once", in: in{Researching, Reproducing, Planned, Patching}, on: on{AgentLost}, when: when{agentAtWork}, then: stay, does: does{countLost}, asks: asks{stopAgent}, enters: true},

	// A pause, and what happens meanwhile: it is recorded, and changes where
	// the quest goes back to; effects that start work wait for the resume. A
	// regression cannot wait.
	{id: "pause", in: active, on: on{Pause}, then: to(Parked), does: does{parkAsTold}, asks: asks{stopIfBusy}},
	{id: "parked-research", in: in{Parked}, on: on{ResearchDone}, when: when{goesBackTo(Researching), notWaiting, hypothesisGiven}, then: later(Hypothesised), does: does{addEvidence}},
	{id: "parked-reproduced", in: in{Parked}, on: on{Reproduced}, when: when{goesBackTo(Reproducing), checkGiven, planGiven}, then: later(Planned), does: does{setCheck, planDone}},
	{id: "parked-reproduced-no-plan", in: in{Parked}, on: on{Reproduced}, when: when{goesBackTo(Reproducing), checkGiven, noPlanPending}, then: stay, does: does{setCheck, planNeeded}},
	{id: "parked-not-reproducible", in: in{Parked}, on: on{NotReproducible}, when: when{goesBackTo(Reproducing), noPlanPending}, then: stay, does: does{park(CannotReproduce)}, asks: asks{inbox("the failure cannot be reproduced")}},
	{id: "parked-plan", in: in{Parked}, on: on{PlanWritten}, when: when{goesBackTo(Reproducing, Planned), planPending}, then: later(Planned), does: does{planDone}},
	{id: "parked-patch", in: in{Parked}, on: on{PatchWritten}, when: when{goesBackTo(Patching), headGiven}, then: later(Proving), does: does{setPatch, proofFromHere}},
	{id: "parked-proof", in: in{Parked}, on: on{ProofSucceeded}, when: when{goesBackTo(Proving), bundleMatches}, then: later(Ready), does: does{setProof}},
	{id: "parked-proof-wrong", in: in{Parked}, on: on{ProofSucceeded}, when: when{goesBackTo(Proving)}, then: refuseFor("the bundle does not match the quest", bundleFault)},
	{id: "parked-proof-failed", in: in{Parked}, on: on{ProofFailed}, when: when{goesBackTo(Proving), attemptsLeft}, then: later(Patching), does: does{countAttempt}},
	{id: "parked-proof-exhausted", in: in{Parked}, on: on{ProofFailed}, when: when{goesBackTo(Proving)}, then: later(Patching), does: does{countAttempt, park(AttemptsExhausted)}, asks: asks{inbox("every attempt is used up")}},
	{id: "parked-probed", in: in{Parked}, on: on{ProbesDone}, when: when{goesBackTo(Proving, Watching)}, then: stay, does: does{addResults}},
	{id: "parked-respondent", in: in{Parked}, on: on{RespondentDone}, when: when{goesBackTo(Researching)}, then: stay, does: does{addEvidence}},
	{id: "parked-landed", in: in{Parked}, on: on{Landed}, when: when{goesBackTo(Landing)}, then: later(Watching), does: does{setCommit}, asks: asks{registerProbe, resumeDependents}},
	{id: "parked-land-refused", in: in{Parked}, on: on{LandRefused}, when: when{goesBackTo(Landing)}, then: later(Ready), asks: asks{inbox("the merge was refused")}},
	{id: "parked-base", in: in{Parked}, on: on{BaseChanged}, when: when{baseMoved, notLanded}, then: stay, does: does{setBase, clearC}},
	{id: "parked-new-head", in: in{Parked}, on: on{HumanRevision}, when: when{goesBackTo(Proving, Ready, Landing), newHead}, then: later(Proving), does: does{revise, proofFromHere}},
	{id: "parked-same-head", in: in{Parked}, on: on{HumanRevision}, when: when{goesBackTo(Proving, Ready, Landing)}, then: stay, does: does{clearC}},
	{id: "parked-head", in: in{Parked}, on: on{HumanRevision}, when: when{goesBackTo(Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching)}, then: stay, does: does{setHead}},
	{id: "parked-regression", in: in{Parked}, on: on{RegressionSeen}, when: when{goesBackTo(Watching)}, then: later(RolledBack), does: does{unwatched}, asks: asks{rollback, inbox("a regression was seen")}},
	{id: "parked-watched", in: in{Parked}, on: on{WatchClean}, when: when{goesBackTo(Watching)}, then: stay, does: does{watchedClean}},
	{id: "parked-rolled-back", in: in{Parked}, on: on{RollbackReceipt}, when: when{goesBackTo(RolledBack), complete}, then: later(Researching), does: does{startOver}},
	{id: "parked-rollback-failed", in: in{Parked}, on: on{RollbackReceipt}, when: when{goesBackTo(RolledBack)}, then: stay, asks: asks{inbox("the rollback is not complete")}},
	{id: "parked-agent-lost", in: in{Parked}, on: on{AgentLost}, then: absorb},
	{id: "parked-reroute", in: in{Parked}, on: on{Reroute}, when: when{parkedFor(ResearchComplete), routed(AutoFix, ResearchOnly)}, then: stay, does: does{setRoute}},
	{id: "parent-landed", in: in{Parked}, on: on{ParentLanded}, when: when{parkedFor(WaitingParent)}, then: goBack, enters: true},
	{id: "parent-ended", in: in{Parked}, on: on{ParentEnded}, when: when{parkedFor(WaitingParent)}, then: stay, asks: asks{inbox("the quest that this one waits for ended without landing")}},
	{id: "resume-watched", in: in{Parked}, on: on{Resume}, when: when{goesBackTo(Watching), wasWatchedClean}, then: to(Closed), does: does{ended(endedWatchedClean)}, asks: asks{reply("it was watched to the end"), childEvidence}},
	{id: "resume-unapproved", in: in{Parked}, on: on{Resume}, when: when{goesBackTo(Landing), cDoesNotBind, mayResume}, then: to(Ready), asks: asks{request}},
	{id: "resume-retry", in: in{Parked}, on: on{Resume}, when: when{parkedFor(AttemptsExhausted), mayResume}, then: goBack, does: does{noAttempts}, enters: true},
	{id: "resume-rebase", in: in{Parked}, on: on{Resume}, when: when{parkedFor(RebaseCapReached), mayResume}, then: goBack, does: does{noRebases}, enters: true},
	{id: "resume", in: in{Parked}, on: on{Resume}, when: when{mayResume}, then: goBack, enters: true},
	{id: "resume-wrong", in: in{Parked}, on: on{Resume}, then: refuse("what parked it is a person's to take back")},

	// A claim, and what happens meanwhile. The rules of a held review win over
	// all others.
	{id: "claimed-again", in: in{HandedOff}, on: on{Claim}, when: when{byOwner}, then: absorb},
	{id: "release-proving", in: in{HandedOff}, on: on{Release}, when: when{byOwnerOrAdmin, proofPending}, then: to(Proving)},
	{id: "release", in: in{HandedOff}, on: on{Release}, when: when{byOwnerOrAdmin}, then: goBack, enters: true},
	{id: "claimed-new-head", in: in{HandedOff}, on: on{HumanRevision}, when: when{goesBackTo(Ready), newHead}, then: stay, does: does{revise, proofRuns, dropRequest}, asks: asks{runProof}},
	{id: "claimed-same-head", in: in{HandedOff}, on: on{HumanRevision}, when: when{goesBackTo(Ready)}, then: stay, does: does{clearC}},
	{id: "claimed-head", in: in{HandedOff}, on: on{HumanRevision}, then: stay, does: does{setHead}},
	{id: "claimed-proof", in: in{HandedOff}, on: on{ProofSucceeded}, when: when{proofPending, bundleMatches}, then: later(Ready), does: does{setProof, proofRan}, asks: asks{request}},
	{id: "claimed-proof-wrong", in: in{HandedOff}, on: on{ProofSucceeded}, when: when{proofPending}, then: refuseFor("the bundle does not match the quest", bundleFault)},
	{id: "claimed-proof-failed", in: in{HandedOff}, on: on{ProofFailed}, when: when{proofPending, attemptsLeft}, then: to(Patching), does: does{countAttempt}, asks: asks{startPatch}},
	{id: "claimed-proof-exhausted", in: in{HandedOff}, on: on{ProofFailed}, when: when{proofPending}, then: to(Parked), does: does{countAttempt, returnTo(Patching), park(AttemptsExhausted)}, asks: asks{inbox("every attempt is used up")}},
	{id: "claimed-signal", in: in{HandedOff}, on: on{SignalAdded, SignalReceived}, when: when{ours, proofPending}, then: stay, does: does{addSignal, clearC}, asks: asks{mergeSignal}},
	{id: "claimed-probed", in: in{HandedOff}, on: on{ProbesDone}, when: when{proofPending}, then: stay, does: does{addResults}},
	{id: "claimed-base-fresh", in: in{HandedOff}, on: on{BaseChanged}, when: when{baseMoved, proofPending, freshAsked, rebasesLeft}, then: stay, does: does{setBase, clearC, countRebase}, asks: asks{runProof}},
	{id: "claimed-base", in: in{HandedOff}, on: on{BaseChanged}, when: when{baseMoved}, then: stay, does: does{setBase, clearC}},
	{id: "claimed-kill", in: in{HandedOff}, on: on{Kill}, when: when{byOwnerOrAdmin}, then: to(Abandoned), does: does{ended(endedKilled)}, asks: asks{stopIfBusy, resumeDependents}},
	{id: "claimed-command", in: in{HandedOff}, on: commands, then: refuse("a person holds this review: only the one who claimed it, or an administrator, can release it")},

	// What holds in many states.
	{id: "kill", in: activeOrParked, on: on{Kill}, then: to(Abandoned), does: does{ended(endedKilled)}, asks: asks{stopIfBusy, resumeDependents}},
	{id: "landed-outside-again", in: in{Watching}, on: on{LandedOutside}, when: when{sameCommit}, then: absorb},
	{id: "landed-outside", in: live, on: on{LandedOutside}, then: to(Watching), does: does{landOutside}, asks: asks{stopIfBusy, startWatch, registerProbe, resumeDependents}},
	{id: "base-same", in: live, on: on{BaseChanged}, when: when{baseStays}, then: absorb},
	{id: "base", in: in{Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching}, on: on{BaseChanged}, then: stay, does: does{setBase}},
	{id: "head", in: in{Sensed, Triaged, Researching, Hypothesised, Reproducing, Planned, Patching}, on: on{HumanRevision}, then: stay, does: does{setHead}},
	{id: "spend", in: active, on: on{SpendNeeded}, when: when{noSpendPending}, then: stay, does: does{spendAsked}, asks: asks{requestSpend}},
	{id: "spend-approved", in: active, on: on{SpendDecided}, when: when{spendPending, verdictIs(Approve)}, then: stay, does: does{spendAnswered}, asks: asks{startRespondent}},
	{id: "spend-denied", in: active, on: on{SpendDecided}, when: when{spendPending, verdictIs(Deny)}, then: stay, does: does{spendAnswered}, asks: asks{inbox("the spend was denied")}},
	{id: "comment", in: live, on: on{Comment}, then: stay, asks: asks{replyIfAsked}},
	{id: "signal", in: live, on: on{SignalAdded, SignalReceived}, when: when{ours}, then: stay, does: does{addSignal}, asks: asks{mergeSignal}},
	{id: "child-evidence", in: live, on: on{ChildEvidence}, then: stay, does: does{addChild}},
	{id: "respondent-late", in: live, on: on{RespondentDone}, then: stay, does: does{addEvidence}},
	{id: "parent-late", in: live, on: on{ParentLanded, ParentEnded}, when: when{isChild}, then: stay},
	{id: "policy-same", in: live, on: on{PolicyChanged}, then: stay},
	{id: "usage", in: allStates, on: on{UsageReceipt}, then: stay, does: does{addUsage}},
	{id: "absorbed", in: terminal, on: anyEvent, then: absorb},
	{id: "other", in: live, on: anyEvent, then: refuse("this state has no use for this event")},
}

// entries are what a state begins with when a quest goes back to it.
var entries = []row{
	{id: "enter-sensed", in: in{Sensed}, asks: asks{runTriage}},
	{id: "enter-triaged", in: in{Triaged}, asks: asks{inbox("a person has to choose the route")}},
	{id: "enter-researching", in: in{Researching}, asks: asks{startResearch}},
	{id: "enter-hypothesised", in: in{Hypothesised}, asks: asks{request}},
	{id: "enter-planning", in: in{Reproducing, Planned}, when: when{planPending}, asks: asks{startPlan}},
	{id: "enter-reproducing", in: in{Reproducing}, asks: asks{startReproduce}},
	{id: "enter-planned", in: in{Planned}, asks: asks{request}},
	{id: "enter-rebasing", in: in{Patching}, when: when{rebasePending}, asks: asks{rebase}},
	{id: "enter-patching", in: in{Patching}, asks: asks{startPatch}},
	{id: "enter-proving", in: in{Proving}, asks: asks{runProof}},
	{id: "enter-ready", in: in{Ready}, asks: asks{request}},
	{id: "enter-landing", in: in{Landing}, asks: asks{landIt}},
	{id: "enter-watching", in: in{Watching}, asks: asks{startWatch}},
	{id: "enter-rolled-back", in: in{RolledBack}, asks: asks{rollback}},
}

// refuseDecision refuses a decision with what the matrix has against it.
var refuseDecision = outcome{
	says: "the decision is late, for another checkpoint, or without evidence",
	why: func(m *machine, q *Quest, e *Event, p *Policy) string {
		if _, why := m.rule(q, e, p); why != "" {
			return why
		}
		return "the decision has no row"
	},
}
