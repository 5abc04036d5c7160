package handoff

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/fail"
	"github.com/prloop/prloop/internal/pr"
)

const because = "The caller holds the lock, see store.go:41."

func thread(id string) facts.Finding {
	return facts.Finding{ID: id, Thread: id, Path: id + ".go", Author: pr.CopilotReviewer, Bot: true, Trusted: true}
}

// around is a world in which hand-over 2 of T1 and T2 is out for headA, and
// headB was pushed for it.
func around(edits ...func(*Context)) Context {
	c := Context{
		PR: 7, Head: headB,
		Findings:     []facts.Finding{thread("T1"), thread("T2")},
		Known:        []string{Mark("T1"), "T2"},
		Out:          Out{Number: 2, Head: headA, Step: Fix, At: noon, Deadline: noon.Add(time.Hour)},
		Commits:      []pr.SHA{headA, headB},
		CommitsKnown: true,
		Now:          noon.Add(time.Minute),
	}
	for _, edit := range edits {
		edit(&c)
	}
	return c
}

// saying is a report that fixes T1 and declines T2.
func saying(edits ...func(*Report)) Report {
	r := Report{
		Handoff: Ref{7, headA, 2}, Head: headB, Step: Fix, Status: Complete,
		Items: []Item{
			{Finding: "T1", Action: FixIt, Commit: "bbbbbbb", Files: []string{"T1.go"}},
			{Finding: "T2", Action: Decline, Rationale: because},
		},
		Checks: []Command{{"make", 0}},
	}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

var (
	fixed    = Reply{Finding: thread("T1"), Action: FixIt, Commit: headB}
	declined = Reply{Finding: thread("T2"), Action: Decline, Rationale: because}
)

func TestCheckAccepts(t *testing.T) {
	tests := []struct {
		says   string
		report Report
		world  Context
		want   Verdict
	}{
		{"one finding fixed, one declined", saying(), around(), Verdict{Kind: Accepted, Replies: []Reply{fixed, declined}}},
		{"it came after its deadline", saying(), around(func(c *Context) { c.Now = c.Out.Deadline.Add(1) }), Verdict{Kind: Accepted, Late: true, Replies: []Reply{fixed, declined}}},
		{"it came at its deadline", saying(), around(func(c *Context) { c.Now = c.Out.Deadline }), Verdict{Kind: Accepted, Replies: []Reply{fixed, declined}}},
		{"a finding that is there twice is answered once", saying(), around(func(c *Context) { c.Findings = append(c.Findings, thread("T1")) }), Verdict{Kind: Accepted, Replies: []Reply{fixed, declined}}},
		{"people have no deadline", saying(), around(func(c *Context) { c.Out.Deadline, c.Now = time.Time{}, noon.AddDate(1, 0, 0) }), Verdict{Kind: Accepted, Replies: []Reply{fixed, declined}}},
		{"a finding that is not mentioned is an escalation", saying(func(r *Report) { r.Items = r.Items[:1] }), around(), Verdict{Kind: Accepted, Replies: []Reply{
			fixed, {Finding: thread("T2"), Action: Escalate, Silent: true},
		}}},
		{"a finding that came later is left for the next hand-over", saying(), around(func(c *Context) { c.Findings = append(c.Findings, thread("T3")) }), Verdict{
			Kind: Accepted, Replies: []Reply{fixed, declined}, Rest: []string{"T3"},
		}},
		{"it knows of a finding that came later", saying(func(r *Report) {
			r.Items = append(r.Items, Item{Finding: "T3", Action: Escalate})
		}), around(func(c *Context) { c.Findings = append(c.Findings, thread("T3")) }), Verdict{
			Kind: Accepted, Replies: []Reply{fixed, declined, {Finding: thread("T3"), Action: Escalate}},
		}},
		{"a finding that no longer awaits us has no reply", saying(), around(func(c *Context) { c.Findings = c.Findings[1:] }), Verdict{
			Kind: Accepted, Replies: []Reply{declined}, Settled: []Item{{Finding: "T1", Action: FixIt, Commit: "bbbbbbb", Files: []string{"T1.go"}}},
		}},
		{"everything was declined and nothing pushed", saying(func(r *Report) { r.Head, r.Items = headA, r.Items[1:] }), around(func(c *Context) {
			c.Head, c.Findings = headA, c.Findings[1:]
		}), Verdict{Kind: Accepted, Replies: []Reply{declined}}},
		{"triage has no commits yet", saying(func(r *Report) { r.Step, r.Items[0].Commit = Triage, "" }), around(func(c *Context) { c.Out.Step = Triage }), Verdict{
			Kind: Accepted, Replies: []Reply{{Finding: thread("T1"), Action: FixIt}, declined},
		}},
		{"a review answers no findings", saying(func(r *Report) {
			r.Step, r.Items, r.Verdicts = Review, nil, []HunkVerdict{{File: "a.go", Verdict: Approve}}
		}), around(func(c *Context) { c.Out.Step = Review }), Verdict{Kind: Accepted, Rest: []string{"T1", "T2"}}},
		{"the journal was rebuilt and does not know the step", saying(), around(func(c *Context) { c.Out.Step = "" }), Verdict{Kind: Accepted, Replies: []Reply{fixed, declined}}},
		{"the fixer is blocked", saying(func(r *Report) { r.Status, r.Items = Blocked, nil }), around(), Verdict{
			Kind: Accepted,
			Replies: []Reply{
				{Finding: thread("T1"), Action: Escalate, Silent: true}, {Finding: thread("T2"), Action: Escalate, Silent: true},
			},
			Next: Next{Kind: Park, Why: "the fixer is blocked, so a person is needed"},
		}},
		{"it is partial, and what it has counts at once", saying(func(r *Report) {
			r.Status, r.Items, r.NextAction, r.NeedsExtensionMinutes = Unfinished, r.Items[:1], "run the slow tests", 4
		}), around(), Verdict{
			Kind: Accepted, Replies: []Reply{fixed}, Rest: []string{"T2"},
			Next: Next{Kind: Extend, Minutes: 4, Why: "it is partial, says what is next and asks for time"},
		}},
		{"the commits could not be read", saying(), around(func(c *Context) { c.Commits, c.CommitsKnown = nil, false }), Verdict{Kind: Unread}},
		{"nobody needs the commits that could not be read", saying(func(r *Report) { r.Items = r.Items[1:] }), around(func(c *Context) {
			c.Commits, c.CommitsKnown, c.Findings = nil, false, c.Findings[1:]
		}), Verdict{Kind: Accepted, Replies: []Reply{declined}}},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got := Check(tt.report, tt.world)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
			if got.Exit() != 0 || got.Err() != nil {
				t.Errorf("exit code %d and error %v, want none", got.Exit(), got.Err())
			}
			if want := got.Kind == Accepted && len(got.Rest) == 0; want != got.Applied() {
				t.Errorf("applied is %t, want %t", got.Applied(), want)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	item := func(it Item) func(*Report) { return func(r *Report) { r.Items[0] = it } }
	bad := func(id, says string) Verdict {
		return Verdict{Kind: Refused, Problems: []Problem{{ID: id, Says: says}}}
	}
	stale := func(id, says string) Verdict {
		return Verdict{Kind: Stale, Problems: []Problem{{id, says, true}}}
	}
	tests := []struct {
		says   string
		report Report
		world  Context
		want   Verdict
	}{
		{"another pull request", saying(func(r *Report) { r.Handoff.PR = 8 }), around(), bad("H1", "it is for pull request 8, and this is 7")},
		{"a hand-over that was never made", saying(func(r *Report) { r.Handoff.Number = 3 }), around(), bad("H2", "hand-over 3 was never made: the newest is 2")},
		{"none is out", saying(), around(func(c *Context) { c.Out = Out{} }), bad("H2", "hand-over 2 was never made: none is known")},
		{"the hand-over's head was not copied", saying(func(r *Report) { r.Handoff.Head = headB }), around(), bad("H2", `hand-over 2 was made for the head aaaaaaa, not for "`+string(headB)+`"`)},
		{"a newer hand-over is out", saying(func(r *Report) { r.Handoff.Number = 1 }), around(), stale("H3", "it answers hand-over 1, and 2 is out")},
		{"the head moved on", saying(), around(func(c *Context) { c.Head = headC }), stale("H4", `its head is "`+string(headB)+`", and the pull request's head is bbbbbbb`)},
		{"the head moved on, and the commit is gone", saying(), around(func(c *Context) { c.Head, c.Commits = headC, []pr.SHA{headA} }), Verdict{Kind: Stale, Problems: []Problem{
			{"H4", `its head is "` + string(headB) + `", and the pull request's head is bbbbbbb`, true},
			{"I4", `items[0]: the finding "T1" names the commit "bbbbbbb", which is not in the head`, true},
		}}},
		{"another step", saying(func(r *Report) { r.Step = Recap }), around(), bad("H5", `hand-over 2 asked for the step fix, not for "recap"`)},
		{"an unknown finding", saying(func(r *Report) { r.Items = append(r.Items, Item{Finding: "T9", Action: Decline, Rationale: because}) }), around(), bad("I1", `items[2]: the finding "T9" was never handed over`)},
		{"two items about one finding", saying(func(r *Report) { r.Items = append(r.Items, r.Items[1]) }), around(), bad("I2", `items[2]: the finding "T2" has an item before this one`)},
		{"a fix without a commit", saying(item(Item{Finding: "T1", Action: FixIt, Rationale: because})), around(), bad("I3", `items[0]: the finding "T1" is fixed without a commit`)},
		{"a commit that is not in the head", saying(item(Item{Finding: "T1", Action: FixIt, Commit: headC})), around(), bad("I4", `items[0]: the finding "T1" names the commit "`+string(headC)+`", which is not in the head`)},
		{"a commit of too few digits", saying(item(Item{Finding: "T1", Action: FixIt, Commit: "bbbbbb"})), around(), bad("I4", `items[0]: the finding "T1" names the commit "bbbbbb", which is not in the head`)},
		{"a commit that could be two", saying(), around(func(c *Context) { c.Commits = append(c.Commits, headC) }), bad("I4", `items[0]: the finding "T1" names the commit "bbbbbbb", with which 2 commits begin`)},
		{"a decline without a rationale", saying(item(Item{Finding: "T1", Action: Decline, Rationale: " \n"})), around(), bad("I5", `items[0]: the finding "T1" is declined without a rationale`)},
		{"a reply that is none", saying(item(Item{Finding: "T1", Action: Decline, Rationale: "I disagree."})), around(), Verdict{Kind: Refused, Problems: []Problem{
			{ID: "I6", Says: `items[0]: the finding "T1" has no answer: it disagrees and gives no reason`},
			{ID: "I6", Says: `items[0]: the finding "T1" has no answer: it has fewer than 30 characters, and no commit`},
		}}},
		{"an action that there is not", saying(item(Item{Finding: "T1", Action: "merge"})), around(), bad("I6", `items[0]: the finding "T1" has the action "merge", which there is not`)},
		{"paths outside of the repository", saying(func(r *Report) {
			r.Items[0].Files = []string{"T1.go", "../x", "/etc/passwd"}
			r.Verdicts = []HunkVerdict{{File: `a\b`, Verdict: Approve}}
		}), around(), Verdict{Kind: Refused, Problems: []Problem{
			{ID: "I7", Says: `items[0]: the finding "T1" names the file "../x", which leads out of the repository`},
			{ID: "I7", Says: `items[0]: the finding "T1" names the file "/etc/passwd", which is absolute`},
			{ID: "I7", Says: `verdicts[0] names the file "a\\b", which has a backslash`},
		}}},
		{"a fixer's findings", saying(func(r *Report) { r.Findings = []Found{{Message: "x"}} }), around(), bad("I9", `it has findings, and the step "fix" finds nothing new; what was done about each stands in items`)},
		{"a fixer's score", saying(func(r *Report) { r.Score = 4 }), around(), bad("I12", `it has a score, and the step "fix" gives none`)},
		{
			"a review without the score that its rubric has", saying(func(r *Report) { r.Step, r.Items = Review, nil }),
			around(func(c *Context) { c.Out.Step, c.Scored = Review, true }), bad("I12", "it has no score, and this reviewer's rubric gives one from 1 to 5"),
		},
		{"a review's items", saying(func(r *Report) { r.Step = Review }), around(func(c *Context) { c.Out.Step = Review }), bad("I9", "it is of the step review and has items, which answer findings; what a review found stands in findings")},
		{
			"a review's file outside", saying(func(r *Report) {
				r.Step, r.Items, r.Findings = Review, nil, []Found{{Message: "x"}, {Path: "../x", Message: "y"}}
			}), around(func(c *Context) { c.Out.Step = Review }), bad("I7", `findings[1] names the file "../x", which leads out of the repository`),
		},
		{"a failed build", saying(func(r *Report) { r.Checks = []Command{{"make", 0}, {"go test\n::error::x", 2}} }), around(), bad("I8", `the command "go test\n::error::x" ended with 2`)},
		{
			"one answer lists all: an unknown finding, a fix without a commit, a stale head and an older hand-over",
			saying(func(r *Report) {
				r.Handoff.Number = 1
				r.Items = []Item{{Finding: "T9", Action: Decline, Rationale: because}, {Finding: "T1", Action: FixIt}}
			}),
			around(func(c *Context) { c.Head = headC }),
			Verdict{Kind: Refused, Problems: []Problem{
				{"H3", "it answers hand-over 1, and 2 is out", true},
				{"H4", `its head is "` + string(headB) + `", and the pull request's head is bbbbbbb`, true},
				{ID: "I1", Says: `items[0]: the finding "T9" was never handed over`},
				{ID: "I3", Says: `items[1]: the finding "T1" is fixed without a commit`},
			}},
		},
		{"commits that cannot be read hide nothing that is wrong", saying(func(r *Report) { r.Handoff.PR = 8 }), around(func(c *Context) { c.CommitsKnown = false }), bad("H1", "it is for pull request 8, and this is 7")},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got := Check(tt.report, tt.world)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
			var all []string
			for _, p := range tt.want.Problems {
				all = append(all, p.Says)
			}
			told, refused := errors.AsType[*fail.Error](got.Err())
			if want := tt.want.Kind == Refused; want != refused || want != (got.Exit() == 1) {
				t.Fatalf("error is %v and exit code %d, want them is %t", got.Err(), got.Exit(), want)
			}
			if refused && told.Why != strings.Join(all, "; ") {
				t.Errorf("the error says %q, want every problem", told.Why)
			}
		})
	}
}

// Every row of the checks has an id of its own, and a witness above.
func TestCheckRows(t *testing.T) {
	want := "H1 H2 H3 H4 H5 I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13"
	var got []string
	for _, r := range CheckRows() {
		got = append(got, r[0])
		if r[1] == "" {
			t.Errorf("%s has no words", r[0])
		}
	}
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestOutside(t *testing.T) {
	tests := map[string]string{
		"a.go": "", "a/b c/ü.go": "", ".github/workflows/ci.yml": "", ".gitignore": "", "...": "", "a..b": "", ".git-hooks/x": "", "x/.gitkeep": "",
		"":      "is empty",
		"/etc":  "is absolute",
		"C:/x":  "is absolute",
		"a\x00": "has control characters", "a\nb": "has control characters",
		`a\..\b`: "has a backslash",
		"..":     "leads out of the repository", "a/../../b": "leads out of the repository",
		".git/config": "is in Git's own folder", "a/.GIT/hooks": "is in Git's own folder", ".git ": "is in Git's own folder", ".git./x": "is in Git's own folder",
		".g\u200cit/x": "is in Git's own folder", "git~1/x": "is in Git's own folder", ".git::$INDEX_ALLOCATION/x": "is in Git's own folder",
	}
	for name, want := range tests {
		if got := Outside(name); want != got {
			t.Errorf("%q %q, want %q", name, got, want)
		}
	}
}

func TestNext(t *testing.T) {
	five := []Finding{{ID: "1", Path: "a"}, {ID: "2", Path: "b"}, {ID: "3", Path: "a"}, {ID: "4"}, {ID: "5", Path: "c"}}
	const (
		blocked = "the fixer is blocked, so a person is needed"
		asks    = "it is partial, says what is next and asks for time"
		halved  = "it is partial and gets no more time, so half of what is left goes out"
		spent   = "it is partial, gets no more time, and cannot become less"
	)
	partial := func(minutes int, next string) Report {
		return Report{Step: Fix, Status: Unfinished, NeedsExtensionMinutes: minutes, NextAction: next}
	}
	half := Next{Kind: Narrow, Findings: []string{"1", "3", "2"}, Why: halved}
	tests := []struct {
		says   string
		report Report
		out    Out
		rest   []Finding
		want   Next
	}{
		{"complete", Report{Step: Fix, Status: Complete}, Out{}, five, Next{}},
		{"blocked", Report{Step: Fix, Status: Blocked}, Out{}, five, Next{Kind: Park, Why: blocked}},
		{"it gets what it asks for", partial(4, "mend the writer"), Out{}, five, Next{Kind: Extend, Minutes: 4, Why: asks}},
		{"ten minutes at most", partial(60, "mend the writer"), Out{Extensions: 1}, five, Next{Kind: Extend, Minutes: 10, Why: asks}},
		{"two extensions a step", partial(4, "mend the writer"), Out{Extensions: 2}, five, half},
		{"time to go on is nothing concrete", partial(4, "Continue with the remaining work."), Out{}, five, half},
		{"no next action", partial(4, " "), Out{}, five, half},
		{"a next action in another script", partial(4, "書き込みを直す"), Out{}, five, Next{Kind: Extend, Minutes: 4, Why: asks}},
		{"it asks for no time", partial(0, "mend the writer"), Out{}, five, half},
		{"half of one is one", partial(0, ""), Out{}, five[:1], Next{Kind: Narrow, Findings: []string{"1"}, Why: halved}},
		{"half was too much", partial(0, ""), Out{Narrowed: true}, five, Next{Kind: Park, Why: spent}},
		{"more time for half", partial(3, "mend the writer"), Out{Narrowed: true}, five, Next{Kind: Extend, Minutes: 3, Why: asks}},
		{"every finding is answered", partial(0, ""), Out{Narrowed: true}, nil, Next{}},
		{"a review has no findings to halve", Report{Step: Review, Status: Unfinished}, Out{}, nil, Next{Kind: Park, Why: spent}},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got := (&box{tt.report, tt.out, tt.rest}).next()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("next (-want +got):\n%s", diff)
			}
		})
	}
}

// drawReport draws from few values, so that much of it fits together.
func drawReport(t *rapid.T) Report {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	r := Report{
		Handoff: Ref{rapid.SampledFrom([]int{7, 7, 7, 8}).Draw(t, "pr"), headA, rapid.SampledFrom([]int{2, 2, 2, 2, 1, 3, -1}).Draw(t, "number")},
		Head:    pr.SHA(pick("head", string(headB), string(headB), string(headB), string(headA), "")),
		Step:    rapid.SampledFrom([]Step{Fix, Fix, Fix, "", Triage, Review, "x"}).Draw(t, "step"),
		Status:  rapid.SampledFrom([]Status{Complete, Unfinished, Blocked}).Draw(t, "status"),
		Checks:  []Command{{"make", rapid.SampledFrom([]int{0, 0, 0, 0, 1}).Draw(t, "exit")}},

		NextAction: pick("next", "", "mend the writer"), NeedsExtensionMinutes: rapid.IntRange(-1, 20).Draw(t, "minutes"),
	}
	for range rapid.IntRange(0, 4).Draw(t, "items") {
		it := Item{
			Finding:   pick("finding", "T1", "T2", "T3", "check:build", "T1", "T2", "nobody's"),
			Action:    rapid.SampledFrom(append(Actions(), Actions()...)).Draw(t, "action"),
			Rationale: pick("rationale", because, because, because, ""),
		}
		if it.Action == FixIt || rapid.IntRange(0, 3).Draw(t, "commit") == 0 {
			it.Commit = pr.SHA(pick("sha", string(headB), "bbbbbbb", "bbbbbbb", "", string(headC)))
		}
		if rapid.IntRange(0, 9).Draw(t, "files") == 0 {
			it.Files = []string{pick("file", "a.go", "../a.go", "")}
		}
		r.Items = append(r.Items, it)
	}
	if rapid.IntRange(0, 2).Draw(t, "wrong") > 0 { // most of them are right
		r.Handoff, r.Head, r.Step, r.Checks = Ref{7, headA, 2}, headB, Fix, nil
		seen := map[string]bool{"nobody's": true}
		r.Items = slices.DeleteFunc(r.Items, func(it Item) bool {
			again := seen[it.Finding]
			seen[it.Finding] = true
			return again || it.Action != Escalate && it.Rationale == ""
		})
		for i := range r.Items {
			r.Items[i].Files = nil
			if c := &r.Items[i].Commit; *c != "" || r.Items[i].Action == FixIt {
				*c = headB
			}
		}
	}
	return r
}

func drawContext(t *rapid.T) Context {
	all := []facts.Finding{thread("T1"), thread("T2"), thread("T3"), {ID: "check:build", Trusted: true}}
	var list []facts.Finding
	for _, f := range all {
		if rapid.IntRange(0, 3).Draw(t, "awaits") > 0 {
			list = append(list, f)
		}
	}
	return around(func(c *Context) {
		c.Findings, c.Known = list, []string{"T1", Mark("T2"), "check:build"}
		c.Out.Extensions, c.Out.Narrowed = rapid.IntRange(0, 3).Draw(t, "extensions"), rapid.Bool().Draw(t, "narrowed")
		c.CommitsKnown = rapid.IntRange(0, 9).Draw(t, "known") > 0
	})
}

// Over 10,000 reports: Check ends, says why it refuses, answers nothing that it
// refuses, and in an accepted report leaves no finding of the hand-over without
// an answer, unless the work goes on.
func TestCheckIsTotal(t *testing.T) {
	t.Parallel()
	kinds := map[Kind]int{}
	nexts := map[NextKind]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			r, c := drawReport(t), drawContext(t)
			v := Check(r, c)
			kinds[v.Kind]++
			nexts[v.Next.Kind]++
			if (v.Kind == Refused || v.Kind == Stale) != (len(v.Problems) > 0) {
				t.Fatalf("%s with the problems %v", v.Kind, v.Problems)
			}
			if v.Kind != Accepted {
				if diff := cmp.Diff(Verdict{Kind: v.Kind, Late: v.Late, Problems: v.Problems}, v); diff != "" {
					t.Fatalf("a report that does not count does something:\n%s", diff)
				}
				continue
			}
			checkAnswers(t, r, c, v)
		}
	})
	for _, k := range []Kind{Accepted, Refused, Stale, Unread} {
		if kinds[k] < 20 {
			t.Errorf("%d reports were %s, which tests nothing", kinds[k], k)
		}
	}
	for _, k := range []NextKind{Nothing, Extend, Narrow, Park} {
		if nexts[k] < 20 {
			t.Errorf("after %d reports follows %q, which tests nothing", nexts[k], k)
		}
	}
}

func checkAnswers(t *rapid.T, r Report, c Context, v Verdict) {
	var want, got []string
	for _, f := range c.Findings {
		want = append(want, f.ID)
	}
	for _, reply := range v.Replies {
		got = append(got, reply.Finding.ID)
		i := slices.IndexFunc(r.Items, func(it Item) bool { return it.Finding == reply.Finding.ID })
		if (i < 0) != reply.Silent || i < 0 && reply.Action != Escalate {
			t.Fatalf("reply %+v to the items %+v", reply, r.Items)
		}
		if i >= 0 && (reply.Action != r.Items[i].Action || !strings.HasPrefix(string(reply.Commit), string(r.Items[i].Commit))) {
			t.Fatalf("reply %+v to the item %+v", reply, r.Items[i])
		}
		if reply.Action == FixIt && r.Step != Triage && !slices.Contains(c.Commits, reply.Commit) {
			t.Fatalf("a fix cites %q, which is not in the head", reply.Commit)
		}
	}
	got = append(got, v.Rest...)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("findings with an answer or left over (-want +got):\n%s", diff)
	}
	goesOn := v.Next.Kind == Extend || v.Next.Kind == Narrow
	for _, id := range v.Rest {
		if id != "T3" && !goesOn && (r.Step == Fix || r.Step == "" || r.Step == Triage) {
			t.Fatalf("%s was handed over and has no answer, though nothing follows", id)
		}
	}
	for _, id := range v.Next.Findings {
		if !slices.Contains(v.Rest, id) {
			t.Fatalf("%s is handed over again, and is not left over", id)
		}
	}
	if v.Next.Kind == Extend && (v.Next.Minutes < 1 || v.Next.Minutes > 10 || c.Out.Extensions > 1) {
		t.Fatalf("extension %d is of %d minutes", c.Out.Extensions+1, v.Next.Minutes)
	}
}

// Whatever is in a report, a problem quotes it on one line.
func TestCheckQuotes(t *testing.T) {
	evil := "x\n::set-output name=a::b\u202e"
	v := Check(Report{
		Handoff: Ref{1, pr.SHA(evil), 2}, Head: pr.SHA(evil), Step: Step(evil), Items: []Item{{Finding: evil, Action: Action(evil), Commit: pr.SHA(evil), Files: []string{evil}}},
		Checks: []Command{{evil, 1}}, Verdicts: []HunkVerdict{{File: evil}},
	}, around())
	if len(v.Problems) < 9 {
		t.Errorf("%d problems, want one for each value", len(v.Problems))
	}
	if s := fmt.Sprint(v.Err()); strings.ContainsAny(s, "\n\u202e") {
		t.Errorf("a problem has a stranger's text as it is: %q", s)
	}
}
