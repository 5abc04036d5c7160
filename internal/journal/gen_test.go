package journal

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/quest"
)

const (
	headA pr.SHA = "1f0c9a2b3c4d5e6f708192a3b4c5d6e7f8091a2b"
	headB pr.SHA = "2b7d01c4e5f60718293a4b5c6d7e8f9001122334"
	headC pr.SHA = "3c9e44d5f6071829304b5c6d7e8f900112233445"
)

// at is a time on the one day of these tests, by minutes after noon.
func at(minutes int) time.Time {
	return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

// hostile are words that end comments, break JSON or change on their way.
var hostile = []string{
	"", "copilot", "copilot_review", "a --> b", "--!>", "<!-- x", "<!-- prloop:journal:v1 {} -->", "---", "\\--", "\"},\"sum\":\"",
	"line\r\nline\rline", "\u2028\u2029", "zoë 🙂", "\x00", "\xff--\xfe", "\ufffd", "&lt;!--", string(headA), string(headB),
}

// made makes generators of whole values by reflection, so that a new field is
// in every property at once: few words, few times (in any zone, with fractions
// of a second), few numbers.
func made[T any](words []string) *rapid.Generator[T] {
	number := rapid.OneOf(rapid.IntRange(0, 3), rapid.Just(maxNumber))
	positive := rapid.OneOf(rapid.IntRange(1, 3), rapid.Just(maxNumber))
	clock := rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.IntRange(0, 4).Draw(t, "zero") == 0 {
			return time.Time{}
		}
		zone := rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 2*60*60), time.FixedZone("", -90*60)}).Draw(t, "zone")
		return at(rapid.IntRange(0, 3).Draw(t, "minute")).Add(rapid.SampledFrom([]time.Duration{0, 999 * time.Millisecond}).Draw(t, "fraction")).In(zone)
	})
	return rapid.MakeCustom[T](rapid.MakeConfig{
		Kinds: map[reflect.Kind]*rapid.Generator[any]{
			reflect.String: rapid.SampledFrom(words).AsAny(),
			reflect.Int:    number.AsAny(),
		},
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[time.Time](): clock.AsAny(),
			reflect.TypeFor[effect.RequestResult](): rapid.SampledFrom([]effect.RequestResult{
				effect.Landed, effect.InFlight, effect.ReviewedAtHead, effect.Dropped, effect.Forbidden, "",
			}).AsAny(),
		},
		Fields: map[reflect.Type]map[string]*rapid.Generator[any]{
			reflect.TypeFor[Journal](): {"PR": positive.AsAny(), "Rev": positive.AsAny(), "Quest": quests().AsAny()},
			reflect.TypeFor[Spent]():   {"PR": positive.AsAny()},
			reflect.TypeFor[Day]():     {"Day": rapid.SampledFrom([]string{"2026-11-28", "2026-11-29", "2026-11-30", "2026-12-01"}).AsAny()},
		},
	})
}

// quests are lives of a quest as far as they come: what the table refuses is
// left out, as prloop leaves it out.
func quests() *rapid.Generator[*Quest] {
	return rapid.Custom(func(t *rapid.T) *Quest {
		k := &Quest{Number: 1, Policy: quest.DefaultPolicy(), From: quest.New("octo/demo#7/1")}
		q, _, _, _ := k.Fold()
		for i := range rapid.IntRange(0, 12).Draw(t, "events") {
			e := quest.Event{ID: fmt.Sprintf("push@%d", i), At: at(i), Type: rapid.SampledFrom(quest.Events()).Draw(t, "event"), Route: quest.AutoFix, Head: string(headA), Hypothesis: "review@PRR_1", Actor: "mona"}
			if next, _, err := quest.Step(q, e, k.Policy); err == nil {
				q, k = next, k.With(e)
			}
		}
		if rapid.Bool().Draw(t, "shortened") {
			k = k.keep(2)
		}
		return k
	})
}

// valid are the hostile words that are text.
func valid() []string {
	var words []string
	for _, w := range hostile {
		words = append(words, strings.ToValidUTF8(w, ""))
	}
	return words
}

// full is a journal with something in every field.
func full(edits ...func(*Journal)) Journal {
	j := Journal{
		PR: 7, Rev: 4, StartedAt: at(0), Mode: "X",
		Counters:   Counters{FixIterations: 1, PollTicksWithoutReview: 2, PollTicksWithoutActivity: 3, TicksWithoutProgress: 4, ReviewIteration: 5, PushbackRounds: 6, PollTicksWhileQueued: 7},
		Heads:      []Sight{{headA, at(0)}, {headB, at(30)}},
		Requests:   []Request{{pr.CopilotReviewer, headA, at(1), effect.Landed, 1, 1, "user-token"}, {pr.CopilotReviewer, headB, at(31), effect.Dropped, 0, 2, "github-token"}},
		Asked:      1,
		Handoffs:   []Handoff{{Number: 1, Head: headA, Findings: "0a1b2c3d 4e5f6071", At: at(20), Deadline: at(65), Extensions: 1, Narrowed: true, Reported: "complete", Parked: "fixer_parked", Step: "review", Rest: "0a1b2c3e", Next: "0a1b2c3f@" + string(headB), Iteration: 2, Pushbacks: 1, Judges: headC, Withdrawn: true, Reviewer: "codex", Cause: "octo/demo#7/1:1:start_agent:push@a.B:1"}},
		HandedOver: 1,
		Answers:    []Answer{{"0a1b2c3d", "fix", headA, 1}},
		Waits:      []Wait{{"copilot_review", headB, at(31), at(81), "review_timeout", "0a1b2c3d"}},
		Told:       []Told{{"feedback_open", headA}},
		Refused:    []Refusal{{"ready@1f0c9a2", "contents: write", "github-token"}},
		Lease:      &Lease{Reaction: 900, Run: 77, Attempt: 1, Until: at(41)},
		Pending:    []Entry{{"review:copilot-pull-request-reviewer@2b7d01c#2", at(31), ""}},
		Done:       []Entry{{"review:copilot-pull-request-reviewer@1f0c9a2#1", at(1), ""}},
		Draft:      &Draft{"PRR_1", headA, at(25), 2, "0a1b2c3d"},
		Ledger: Ledger{
			Rounds: []LedgerRound{{
				2, headA,
				[]LedgerFinding{{"0a1b2c3d4e5f", "01234567", "parser.go", "decline", 1}},
				[]LedgerPatch{{"parser.go", "0a1b2c3d4e5f", "5f4e3d2c1b0a"}},
			}},
			Scope:  3,
			Folded: LedgerTotals{1, 3, 2, 1},
		},
		Proof:      &Proven{headB, headC, 3, "sha256:0f", true},
		Final:      &Final{"converged", headA, at(19)},
		Rebuilt:    &Rebuilt{"edited", at(2)},
		QuotaUntil: []Quota{{pr.CopilotReviewer, at(600)}},
		Recap:      &Recap{Round: 10, Number: 11, Verdict: "revert-and-ship", Rounds: []int{9, 10}, Head: headB, Revert: 12, Reverted: []int{9}},
		Settled:    &Settled{"0a1b2c3d", at(23)},
		Single:     &Single{at(22), headA},
		Status:     "9c56cc51b374", Fingerprint: "ba7816bf8f01", NextWake: at(81),
		Agent: &Agent{headA, at(40), headB, "0a1b2c3d", at(41), headC},
		Orders: Orders{
			Heard: []Order{{2400000007, at(40), "pause", "done", "resume", pr.Rocket, true}}, To: at(39), Paused: at(40),
			Stopped: &Sight{headA, at(41)}, Started: &Sight{headB, at(2)}, Retried: &Retry{headA, at(3), 1, 6, 1, true, 6, 7},
			Asked: &Asking{headB, at(4), 1}, Zero: Zero{5, 10, 10, "2026-11-30", 5, 4, at(5)}, Approved: &Sight{headA, at(6)}, ByHand: at(48),
			Landing: &Consent{headB, at(7), "mona", 2400000008}, Revised: &Revised{"B", headB, "0a1b2c3d"},
		},
		Pass: &Pass{headB, at(24)}, Cleaned: &Cleaned{headA, at(26)},
		Other:    41,
		Quest:    &Quest{1, quest.DefaultPolicy(), quest.New("octo/demo#7/1"), 0, []quest.Event{{ID: "opened@PR_1", At: at(0), Type: quest.SignalReceived, Signal: "opened@PR_1"}}},
		Watch:    &Watch{headA, at(50), at(80), []string{"unit"}, true, 2, at(60), 1, 21, headB, "it ended"},
		Landing:  &Landing{headB, at(50), 2, effect.UnstableStatus, "UNSTABLE"},
		Imported: &Imported{4, 2},
	}
	for _, edit := range edits {
		edit(&j)
	}
	return j
}

// The test fails where full left a field at its zero value: then a test
// that compares it would compare nothing.
func TestFullSetsEveryField(t *testing.T) {
	v := reflect.ValueOf(full())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("full leaves %s at its zero value", v.Type().Field(i).Name)
		}
	}
}

func encode(t testing.TB, top string, j Journal, key []byte) string {
	t.Helper()
	body, err := Encode(top, j, key)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return body
}

// long is a journal with n rows in every list.
func long(n int) Journal {
	j := Journal{PR: 7, Rev: n, StartedAt: at(0), Asked: n, HandedOver: n}
	for i := range n {
		head := pr.SHA(fmt.Sprintf("%07x%s", i, headA[7:]))
		j.Heads = append(j.Heads, Sight{head, at(i)})
		j.Requests = append(j.Requests, Request{pr.CopilotReviewer, head, at(i), effect.Landed, 1, 1, "user-token"})
		j.Handoffs = append(j.Handoffs, Handoff{Number: i + 1, Head: head, Findings: "0a1b2c3d", At: at(i)})
		j.Waits = append(j.Waits, Wait{"copilot_review", head, at(i), at(i + 50), "review_timeout", ""})
		j.Told = append(j.Told, Told{"feedback_open", head})
		j.Answers = append(j.Answers, Answer{"0a1b2c3d", "fix", head, i + 1})
		j.Refused = append(j.Refused, Refusal{effect.MarkReady{Head: head}.Key(), "contents: write", "github-token"})
		j.Pending = append(j.Pending, Entry{effect.MarkReady{Head: head}.Key(), at(i), ""})
		j.Done = append(j.Done, Entry{effect.RequestReview{Reviewer: pr.CopilotReviewer, Head: head, Try: 1}.Key(), at(i), ""})
		if i%5 == 0 {
			j.Orders.Heard = append(j.Orders.Heard, Order{Comment: int64(i), At: at(i), Word: "rerequest", Reply: "not_available", Near: "rerequest", Reaction: pr.Confused, Told: true})
		}
		j.QuotaUntil = append(j.QuotaUntil, Quota{pr.Login(fmt.Sprintf("bot-%07d", i)), at(i)})
	}
	return j
}
