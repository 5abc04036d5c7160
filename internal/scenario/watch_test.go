package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// A sweep finds what is watched behind a page of others that ended since, and
// steps none of these: a hundred pull requests that are open and quiet, and thirty
// that others merged, cost no more than the bars of a sweep allow (design 12) and
// the reading of the one that is watched.
func TestASweepFindsWhatIsWatched(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("A busy repository.\n\n-- config.yml --\nwatch: {minutes: 600}\n-- script --\nopen by=hubot head=quiet count=100\nadvance 72h\n")
	b.WriteString("copilot start=1m submit=2m\nround v2\nopen by=mona head=ours\ncheck build takes=1m\npost build SUCCESS pr=120\nrun workflow_run completed pr=120\nadvance 5m\nrun pull_request_review submitted pr=120\n")
	b.WriteString("merge pr=120 by=mona\nrun pull_request closed pr=120\nadvance 1m\n")
	for n := range 30 {
		fmt.Fprintf(&b, "merge pr=%d by=hubot\n", 10+n)
	}
	b.WriteString("advance 1h\nrun schedule\n")
	s, err := Parse("busy", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	told := play(t, s, Options{})
	last := told.Runs[len(told.Runs)-1]
	points := 0
	for _, q := range told.World.Log()[len(told.World.Log())-last.Requests:] {
		points += q.Points
	}
	var stepped []string
	for _, one := range last.Runs {
		if one.PR != 0 {
			stepped = append(stepped, fmt.Sprintf("#%d %s", one.PR, one.Code))
		}
	}
	if fmt.Sprint(stepped) != "[#120 watching]" {
		t.Errorf("the sweep steps %v:\n%s", stepped, last.Words())
	}
	// 70 are open: 3 pages. One more page of those that ended, and two readings of
	// what is watched.
	if last.Requests > 5+1 || points > 12 || last.Writes != 0 {
		t.Errorf("the sweep made %d requests, %d points, %d writes", last.Requests, points, last.Writes)
	}
}

// However a story is played, no merge has two reverts of prloop's that stand.
func TestOneRevertOfEachMerge(t *testing.T) {
	t.Parallel()
	for _, s := range stories(t) {
		if !strings.HasPrefix(s.Name, "watch-") {
			continue
		}
		told := play(t, s, Options{Again: true})
		open := map[string]int{}
		for _, n := range told.World.Pulls() {
			if p := told.World.Pull(n); strings.HasPrefix(p.HeadRef, "revert-") && p.State != "CLOSED" {
				open[strings.SplitN(p.HeadRef, "-", 3)[1]]++
			}
		}
		for of, n := range open {
			if n > 1 {
				t.Errorf("%s: #%s has %d reverts", s.Name, of, n)
			}
		}
	}
}

// The description of a revert is ours: what strangers named in it is quoted, calls
// nobody and hides nothing.
func TestTheRevertSaysWhyInOurWords(t *testing.T) {
	t.Parallel()
	src := "Names.\n\n-- config.yml --\nwatch: {onRegression: revert}\n-- script --\ncheck build takes=1m\nopen by=mona head=x title=\"@mona <!-- prloop:revert:\"\n" +
		"post build SUCCESS\nrun workflow_run completed\npost \"@hubot <!-- closes #1 -->\" SUCCESS commit=before workflow=Base\nmerge by=mona\n" +
		"advance 1m\npost \"@hubot <!-- closes #1 -->\" FAILURE commit=merge workflow=Base\nrun push commit=merge\n"
	s, err := Parse("names", []byte(strings.Replace(src, "merge by=mona", "advance 1m\nmerge by=mona", 1)))
	if err != nil {
		t.Fatal(err)
	}
	told := play(t, s, Options{})
	all := told.World.Pulls()
	p := told.World.Pull(all[len(all)-1])
	want := "Revert #7\nReverts #7.\n\n\"@\u2060hubot"
	got := p.Title + "\n" + p.Body
	if !strings.HasPrefix(got, want) || strings.Count(got, "<!--") != 1 || !strings.HasSuffix(got, "#1 -->") || strings.Contains(got, "@hubot") {
		t.Errorf("it says:\n%s", got)
	}
}
