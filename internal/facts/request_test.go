package facts_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

const errorNotice = "Copilot encountered an error and was unable to review this pull request."

// listed: GitHub lists these as asked for a review.
func listed(who ...pr.Actor) edit {
	return snapshot(func(s *pr.Snapshot) { s.Requests = append(s.Requests, who...) })
}

// requested and removed are events about Copilot, unless another one is named.
func requested(clock string, who ...pr.Actor) edit { return event(pr.ReviewRequested, clock, who) }

func removed(clock string, who ...pr.Actor) edit {
	return event(pr.ReviewRequestRemoved, clock, who)
}

func event(kind pr.EventKind, clock string, who []pr.Actor) edit {
	e := pr.Event{Kind: kind, At: at(clock), Reviewer: pr.Actor{Login: pr.Copilot, Bot: true}}
	if len(who) > 0 {
		e.Reviewer = who[0]
	}
	return snapshot(func(s *pr.Snapshot) { s.Events = append(s.Events, e) })
}

// asked: the journal says that prloop asked for the head, with the workflow's
// token.
func asked(result effect.RequestResult, clock string, changes ...func(*journal.Request)) edit {
	r := journal.Request{Reviewer: pr.CopilotReviewer, Head: head, At: at(clock), Result: result, Tries: 1, Via: facts.ViaWorkflow}
	for _, c := range changes {
		c(&r)
	}
	return func(in *facts.Input) { in.Journal.Requests = append(in.Journal.Requests, r) }
}

func begun(clock string, try int) edit {
	e := effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: head, Try: try}
	return func(in *facts.Input) {
		in.Journal.Pending = append(in.Journal.Pending, journal.Entry{Key: e.Key(), At: at(clock)})
	}
}

func now(clock string) edit { return snapshot(func(s *pr.Snapshot) { s.At = at(clock) }) }

func onPush(s *pr.Snapshot) { s.Rules.CopilotReviewOnPush = true }

func TestRequest(t *testing.T) {
	// The default wait cap is 10 ticks of 5 minutes.
	standing := func(row, since string) facts.Request {
		return facts.Request{Row: row, Status: "requested", Since: at(since), Settled: true}
	}
	unsettled := func(row, since string) facts.Request {
		return facts.Request{Row: row, Status: "requested", Since: at(since)}
	}
	ours := func(since string) facts.Request {
		return facts.Request{Row: "f", Status: "already-requested", Since: at(since)}
	}
	none, settled := facts.Request{Row: "i", Status: "none"}, facts.Request{Row: "i", Status: "none", Settled: true}
	unavailable := facts.Request{Row: "g", Status: "unavailable"}
	user := func(in *facts.Input) { in.UserToken = true }
	byUser := func(r *journal.Request) { r.Via = facts.ViaUser }
	forOlder := func(r *journal.Request) { r.Head = older }

	tests := []struct {
		name  string
		edits []edit
		want  facts.Request
	}{
		{"nobody asked", nil, none},

		{"a: a pending review of the head is at work", []edit{copilotReview("R1", "", head, "11:30:00", inState(pr.Pending))}, standing("a", "11:00:00")},
		{"a: of an unknown commit, too", []edit{copilotReview("R1", "", "", "11:30:00", inState(pr.Pending)), requested("11:20:00")}, standing("a", "11:20:00")},
		{"a: of an older head it is not for this one", []edit{copilotReview("R1", "", older, "11:30:00", inState(pr.Pending))}, none},
		{"a: it outranks our refusal", []edit{copilotReview("R1", "", head, "11:30:00", inState(pr.Pending)), asked(effect.Forbidden, "11:40:00")}, standing("a", "11:40:00")},

		{"b: listed and not answered on this head", []edit{listed(reviewer), requested("11:10:00")}, standing("b", "11:10:00")},
		{"b: without an event it is as old as our own request", []edit{listed(reviewer), asked(effect.Landed, "11:12:00")}, standing("b", "11:12:00")},
		{"b: else as old as the head", []edit{listed(reviewer)}, standing("b", "11:00:00")},
		{"b: an answer on an older head is none on this one", []edit{listed(reviewer), requested("10:10:00"), copilotReview("R1", cleanBody, older, "10:30:00")}, standing("b", "10:10:00")},
		{"b: a person or the coding agent on the list is not Copilot's review", []edit{listed(mona, agent, pr.Actor{Login: pr.CopilotReviewer})}, none},

		{"c: listed and answered before: it was asked again", []edit{listed(reviewer), requested("11:40:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, standing("c", "11:40:00")},
		{"c: a request older than the answer is stale", []edit{listed(reviewer), requested("11:10:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, settled},
		{"c: in the same second the answer answers it (C049)", []edit{listed(reviewer), requested("11:30:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, settled},
		{"c: a second later it stands", []edit{listed(reviewer), requested("11:30:01"), copilotReview("R1", cleanBody, head, "11:30:00")}, standing("c", "11:30:01")},
		{"c: a notice is an answer", []edit{listed(reviewer), requested("11:10:00"), copilotReview("R1", errorNotice, head, "11:30:00")}, settled},
		{"c: a dismissed review was one", []edit{listed(reviewer), requested("11:10:00"), copilotReview("R1", redBody, head, "11:30:00", inState(pr.Dismissed))}, settled},
		{"c: the container of a reply never was", []edit{listed(reviewer), requested("11:10:00"), copilotReview("R1", "", head, "11:30:00")}, standing("b", "11:10:00")},
		{"c: without its event it stands", []edit{listed(reviewer), copilotReview("R1", cleanBody, head, "11:30:00")}, standing("c", "11:00:00")},
		{"c: with an unknown timeline it stands", []edit{listed(reviewer), requested("11:10:00"), copilotReview("R1", cleanBody, head, "11:30:00"), unknown(pr.FactEvents)}, standing("c", "11:10:00")},
		{"c: an event about somebody else is not its event", []edit{listed(reviewer), requested("11:40:00", mona), copilotReview("R1", cleanBody, head, "11:30:00")}, standing("c", "11:00:00")},

		{"d: asked and not listed: Copilot may be at work", []edit{requested("11:10:00")}, standing("d", "11:10:00")},
		{"d: the request was taken back", []edit{requested("11:10:00"), removed("11:20:00")}, none},
		{"d: taken back and asked again", []edit{requested("11:10:00"), removed("11:20:00"), requested("11:30:00")}, standing("d", "11:30:00")},
		{"d: in one second nobody knows, and it stands", []edit{requested("11:10:00"), removed("11:10:00")}, standing("d", "11:10:00")},
		{"d: somebody else's removal is not its", []edit{requested("11:10:00"), removed("11:20:00", mona)}, standing("d", "11:10:00")},
		{"d: a review of an older head consumed it", []edit{requested("11:10:00"), copilotReview("R1", cleanBody, older, "11:20:00")}, none},
		{"d: in the same second too", []edit{requested("11:20:00"), copilotReview("R1", cleanBody, older, "11:20:00")}, none},
		{"d: asked again after the review", []edit{requested("11:25:00"), copilotReview("R1", cleanBody, head, "11:20:00")}, standing("d", "11:25:00")},
		{"d: older than the head, it counts within its own wait cap", []edit{requested("10:59:59"), now("11:49:58")}, standing("d", "10:59:59")},
		{"d: and no longer", []edit{requested("10:59:59"), now("11:49:59")}, none},
		{"d: not older than the head, it counts until it is answered", []edit{requested("11:00:00"), now("18:00:00")}, standing("d", "11:00:00")},

		{"e: a review that goes on is awaited", []edit{copilotReview("R1", "Copilot is still reviewing this pull request.", head, "11:30:00")}, standing("e", "11:30:00")},
		{"e: so is one that nobody can read", []edit{copilotReview("R1", "Words.", head, "11:30:00")}, standing("e", "11:30:00")},
		{"e: until another answer comes", []edit{copilotReview("R1", "Words.", head, "11:30:00"), copilotReview("R2", errorNotice, head, "11:40:00")}, settled},
		{"e: on an older head it is nothing to wait for", []edit{copilotReview("R1", "Words.", older, "10:30:00")}, none},
		{"e: it outranks our refusal", []edit{copilotReview("R1", "Words.", head, "11:30:00"), asked(effect.NotAvailable, "11:40:00")}, standing("e", "11:30:00")},
		{"e: a later try of ours is not settled by it", []edit{copilotReview("R1", "Words.", head, "11:30:00"), begun("11:40:00", 2)}, unsettled("e", "11:30:00")},

		{"u: without the reviews nobody knows", []edit{unknown(pr.FactReviews)}, unsettled("u", "11:00:00")},
		{"u: nor without the requests", []edit{unknown(pr.FactRequests)}, unsettled("u", "11:00:00")},
		{"u: nor without the timeline", []edit{unknown(pr.FactEvents)}, unsettled("u", "11:00:00")},
		{"u: a refusal asks for evidence that there is no review", []edit{unknown(pr.FactRequests), asked(effect.Forbidden, "11:40:00")}, unsettled("u", "11:40:00")},
		{"u: other facts do not matter", []edit{unknown(pr.FactThreads, pr.FactChecks, pr.FactWorkflows, pr.FactComments)}, none},

		{"f: we asked for this head", []edit{asked(effect.Landed, "11:40:00")}, ours("11:40:00")},
		{"f: or it was asked already", []edit{asked(effect.InFlight, "11:40:00")}, ours("11:40:00")},
		{"f: it is waited for until it is answered; the cap is the wait's", []edit{asked(effect.Landed, "11:40:00"), now("18:00:00")}, ours("11:40:00")},
		{"f: for another head it says nothing", []edit{asked(effect.Landed, "10:40:00", forOlder)}, none},
		{"f: another reviewer's request says nothing", []edit{asked(effect.Landed, "11:40:00", func(r *journal.Request) { r.Reviewer = "hubot" })}, none},
		{"f: any review since ends it", []edit{asked(effect.Landed, "11:40:00"), copilotReview("R1", cleanBody, older, "11:45:00")}, none},
		{"f: in its second too", []edit{asked(effect.Landed, "11:40:00"), copilotReview("R1", cleanBody, head, "11:40:00")}, settled},
		{"f: a review before it does not", []edit{asked(effect.Landed, "11:40:00"), copilotReview("R1", errorNotice, head, "11:30:00")}, ours("11:40:00")},
		{"f: that a person took it back does", []edit{asked(effect.Landed, "11:40:00"), requested("11:40:00"), removed("11:41:00")}, none},
		{"f: what GitHub shows is said first", []edit{asked(effect.Landed, "11:40:00"), requested("11:40:01")}, standing("d", "11:40:01")},

		{"g: the token may not ask", []edit{asked(effect.Forbidden, "11:40:00")}, unavailable},
		{"g: Copilot is not to be had", []edit{asked(effect.NotAvailable, "11:40:00")}, unavailable},
		{"g: the account is flagged", []edit{asked(effect.Flagged, "11:40:00")}, unavailable},
		{"g: another kind of token may be allowed to", []edit{asked(effect.Forbidden, "11:40:00"), user}, none},
		{"g: a user's token that was refused", []edit{asked(effect.Forbidden, "11:40:00", byUser), user}, unavailable},
		{"g: and is gone now", []edit{asked(effect.Forbidden, "11:40:00", byUser)}, none},
		{"g: a new head is asked for anew", []edit{asked(effect.Forbidden, "10:40:00", forOlder)}, none},
		{"g: a review of the head that came since ends it (C027)", []edit{asked(effect.Forbidden, "11:10:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, settled},
		{"g: one of another head does not", []edit{asked(effect.Forbidden, "11:10:00"), copilotReview("R1", cleanBody, older, "11:30:00")}, unavailable},
		{"g: an answer that nobody knows", []edit{asked(effect.Errored, "11:40:00")}, facts.Request{Row: "g", Status: "failed"}},
		{"g: listed after all", []edit{asked(effect.Forbidden, "11:40:00"), listed(reviewer)}, standing("b", "11:40:00")},
		{"g: at work after all", []edit{asked(effect.Forbidden, "11:40:00"), requested("11:45:00")}, standing("d", "11:45:00")},
		{"g: a dropped request is none", []edit{asked(effect.Dropped, "11:40:00")}, none},
		{"g: one without quota is none", []edit{asked(effect.Quota, "11:40:00")}, none},
		{"g: one that found the review is none", []edit{asked(effect.ReviewedAtHead, "11:40:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, settled},

		{"h: the ruleset asks with the push", []edit{snapshot(onPush), now("11:49:59")}, unsettled("h", "11:00:00")},
		{"h: for as long as a review is waited for", []edit{snapshot(onPush), now("11:50:00")}, none},
		{"h: until its answer", []edit{snapshot(onPush), now("11:40:00"), copilotReview("R1", cleanBody, head, "11:30:00")}, settled},
		{"h: an answer on an older head is not its", []edit{snapshot(onPush), now("11:40:00"), copilotReview("R1", cleanBody, older, "10:30:00")}, unsettled("h", "11:00:00")},
		{"h: rules that were not read may ask too", []edit{unknown(pr.FactRules), now("11:40:00")}, unsettled("h", "11:00:00")},
		{"h: the wait cap is the reviewer's", []edit{snapshot(onPush), setting(func(s *config.Settings) { s.Reviewers.Copilot.WaitCap = 2 * time.Hour })}, unsettled("h", "11:00:00")},

		{"i: a pending outbox entry is settled by an answer since", []edit{begun("11:20:00", 1), copilotReview("R1", cleanBody, head, "11:30:00")}, settled},
		{"i: not by one before", []edit{begun("11:40:00", 2), copilotReview("R1", errorNotice, head, "11:30:00")}, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := derive(tt.edits...)
			got := f.Request
			if got.Why == "" {
				t.Error("it does not say why")
			}
			got.Why = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
			if f.Copilot.CopilotReviewRequestStatus != got.Status {
				t.Errorf("the snapshot says %s", f.Copilot.CopilotReviewRequestStatus)
			}
		})
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	want := map[effect.RequestResult]string{
		effect.Forbidden:    "prloop's request for the head was refused: the token may not ask for it",
		effect.NotAvailable: "prloop's request for the head was refused: Copilot's review is not to be had here",
		effect.Flagged:      "prloop's request for the head was refused: the account is flagged",
		effect.Errored:      "prloop's request for the head was refused: nobody knows GitHub's answer",
	}
	for result, why := range want {
		if diff := cmp.Diff(why, derive(asked(result, "11:40:00")).Request.Why); diff != "" {
			t.Errorf("%s (-want +got)\n%s", result, diff)
		}
	}
}

func TestQuotaUntil(t *testing.T) {
	const notice = "Copilot was unable to review this pull request because the user who requested the review has reached their quota limit."
	kept := func(until time.Time) edit {
		return func(in *facts.Input) {
			in.Journal.QuotaUntil = append(in.Journal.QuotaUntil, journal.Quota{Reviewer: pr.CopilotReviewer, Until: until}, journal.Quota{Reviewer: "hubot", Until: until.Add(time.Hour)})
		}
	}
	tests := []struct {
		name  string
		edits []edit
		want  time.Time
	}{
		{"no notice", nil, time.Time{}},
		{"a notice holds for a day", []edit{copilotReview("R1", notice, head, "11:30:00")}, at("11:30:00").Add(24 * time.Hour)},
		{"on whatever head", []edit{copilotReview("R1", notice, older, "10:30:00")}, at("10:30:00").Add(24 * time.Hour)},
		{"our own request met with no quota", []edit{asked(effect.Quota, "11:40:00")}, at("11:40:00").Add(24 * time.Hour)},
		{"the journal keeps a time", []edit{kept(at("15:00:00"))}, at("15:00:00")},
		{"the latest counts", []edit{copilotReview("R1", notice, head, "11:30:00"), kept(at("15:00:00"))}, at("11:30:00").Add(24 * time.Hour)},
		{"it is over when it is over", []edit{kept(at("12:00:00"))}, time.Time{}},
		{"a review that came since ends it", []edit{copilotReview("R1", notice, head, "11:30:00"), copilotReview("R2", cleanBody, head, "11:40:00"), kept(at("15:00:00"))}, time.Time{}},
		{"a review before does not", []edit{copilotReview("R1", notice, head, "11:30:00"), copilotReview("R2", cleanBody, head, "11:20:00")}, at("11:30:00").Add(24 * time.Hour)},
		{"a dismissed notice is none", []edit{copilotReview("R1", notice, head, "11:30:00", inState(pr.Dismissed))}, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, derive(tt.edits...).QuotaUntil); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

func TestHeadAt(t *testing.T) {
	noSuite := snapshot(func(s *pr.Snapshot) { s.HeadSuiteAt = time.Time{} })
	sight := func(sha pr.SHA, clock string) edit {
		return func(in *facts.Input) {
			in.Journal.Heads = append(in.Journal.Heads, journal.Sight{Head: sha, At: at(clock)})
		}
	}
	tests := []struct {
		name  string
		edits []edit
		want  time.Time
	}{
		{"the first check suite of the head", nil, at("11:00:00")},
		{"a suite older than the pull request does not make the head older", []edit{snapshot(func(s *pr.Snapshot) { s.HeadSuiteAt = at("09:00:00") })}, at("10:00:00")},
		{"made ready later", []edit{event(pr.ReadyForReview, "11:20:00", nil)}, at("11:20:00")},
		{"reopened later", []edit{event(pr.Reopened, "11:20:00", nil)}, at("11:20:00")},
		{"force-pushed later", []edit{event(pr.HeadForcePushed, "11:20:00", nil)}, at("11:20:00")},
		{"requests and drafts bring no head", []edit{requested("11:20:00"), event(pr.ConvertedToDraft, "11:30:00", nil)}, at("11:00:00")},
		{"without a suite, our first sight of it", []edit{noSuite, sight(older, "11:50:00"), sight(head, "11:40:00")}, at("11:40:00")},
		{"with a suite, our sight may be late", []edit{sight(head, "11:40:00")}, at("11:00:00")},
		{"without either, the pull request's creation", []edit{noSuite}, at("10:00:00")},
		{"without a suite, and our sights are of older heads: now is the first", []edit{noSuite, sight(older, "11:50:00")}, at("12:00:00")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, derive(tt.edits...).HeadAt); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}
