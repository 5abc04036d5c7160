package quest

import "testing"

// Each invariant by its name: the machine holds it, and its mutants do not.

func TestP01SameAnswer(t *testing.T)            { proves(t, "P01") }
func TestP02TerminalAbsorbs(t *testing.T)       { proves(t, "P02") }
func TestP03UsageAlways(t *testing.T)           { proves(t, "P03") }
func TestP04UsageIsTheSum(t *testing.T)         { proves(t, "P04") }
func TestP05InvalidChangesNothing(t *testing.T) { proves(t, "P05") }
func TestP06DuplicateDoesNothing(t *testing.T)  { proves(t, "P06") }
func TestP07FoldIsSteps(t *testing.T)           { proves(t, "P07") }
func TestP08SnapshotAndRest(t *testing.T)       { proves(t, "P08") }
func TestP09KeysAreUnique(t *testing.T)         { proves(t, "P09") }
func TestP10KeysHaveNoText(t *testing.T)        { proves(t, "P10") }
func TestP11RevisionGrows(t *testing.T)         { proves(t, "P11") }
func TestP12OnlyTheseEdges(t *testing.T)        { proves(t, "P12") }
func TestP13LandingNeedsC(t *testing.T)         { proves(t, "P13") }
func TestP14CBindsAtLanding(t *testing.T)       { proves(t, "P14") }
func TestP15AfterLanding(t *testing.T)          { proves(t, "P15") }
func TestP16ReadyNeedsProof(t *testing.T)       { proves(t, "P16") }
func TestP17CIsTakenBack(t *testing.T)          { proves(t, "P17") }
func TestP18ReturnToHolds(t *testing.T)         { proves(t, "P18") }
func TestP19PauseAndResume(t *testing.T)        { proves(t, "P19") }
func TestP20ClaimAndRelease(t *testing.T)       { proves(t, "P20") }
func TestP21OwnerIsHeld(t *testing.T)           { proves(t, "P21") }
func TestP22ClaimRefuses(t *testing.T)          { proves(t, "P22") }
func TestP23FailedProofEndsClaim(t *testing.T)  { proves(t, "P23") }
func TestP24AttemptsAreBounded(t *testing.T)    { proves(t, "P24") }
func TestP25ResearchOnly(t *testing.T)          { proves(t, "P25") }
func TestP26ShadowMovesNothing(t *testing.T)    { proves(t, "P26") }
func TestP27BlockingWaits(t *testing.T)         { proves(t, "P27") }
func TestP28CheckpointsHold(t *testing.T)       { proves(t, "P28") }
func TestP29EvidenceIsNeeded(t *testing.T)      { proves(t, "P29") }
func TestP30CheckpointIsAsked(t *testing.T)     { proves(t, "P30") }
func TestP31WritesBelong(t *testing.T)          { proves(t, "P31") }
func TestP32KillStops(t *testing.T)             { proves(t, "P32") }
func TestP33SeverityFloor(t *testing.T)         { proves(t, "P33") }
func TestP34IdentityStays(t *testing.T)         { proves(t, "P34") }
func TestP35OneAgent(t *testing.T)              { proves(t, "P35") }
func TestP36CanMove(t *testing.T)               { proves(t, "P36") }
func TestP37CanBeKilled(t *testing.T)           { proves(t, "P37") }
func TestP38ChildWaits(t *testing.T)            { proves(t, "P38") }
func TestP39SignalsAreKept(t *testing.T)        { proves(t, "P39") }
func TestP40RoundTrip(t *testing.T)             { proves(t, "P40") }
func TestP41DigestHolds(t *testing.T)           { proves(t, "P41") }
func TestP42PlacesChange(t *testing.T)          { proves(t, "P42") }
func TestP43NoClock(t *testing.T)               { proves(t, "P43") }
func TestP44UndeliveredIsLeft(t *testing.T)     { proves(t, "P44") }
