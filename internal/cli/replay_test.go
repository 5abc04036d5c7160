package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/scenario"
)

// Of every story, the journal of every pull request replays to the state that
// the story ended in, under the same keys: what asked for a request, a note or a
// hand-over is among them. explain --journal says the same.
func TestReplayOfStories(t *testing.T) {
	t.Parallel()
	stories, err := scenario.Load(os.DirFS("../../testdata/scenarios"), ".")
	if err != nil {
		t.Fatal(err)
	}
	quests, keys := 0, 0
	for _, s := range stories {
		told, err := scenario.Play(t.Context(), s, scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ended := map[int]string{} // pull request to state
		for _, r := range told.Runs {
			for _, one := range r.Runs {
				if one.Quest != nil && r.Err == nil && !one.DryRun { // a dry run writes no journal
					ended[one.PR] = one.Quest.State
				}
			}
		}
		for _, n := range told.World.Pulls() {
			for _, c := range told.World.Pull(n).Comments {
				j, err := journal.Peek(c.Body)
				if err != nil || j.Quest == nil || j.PR != n || c.Author != "github-actions[bot]" {
					continue
				}
				quests++
				out, errs, code := run(t, c.Body, "replay", "-")
				if code != 0 {
					t.Errorf("%s #%d: exit %d: %s\n%s", s.Name, n, code, errs, out)
					continue
				}
				q, _, effects, _ := j.Quest.Fold()
				last := out[strings.LastIndex(out, "→"):]
				if state := string(q.State); !strings.HasPrefix(last, "→ "+state) || !settled(ended[n], state) {
					t.Errorf("%s #%d: the replay ends with %q, the fold at %s, the story at %s", s.Name, n, last, state, ended[n])
				}
				for _, e := range effects {
					if !strings.Contains(out, e.Key) {
						t.Errorf("%s #%d: the replay lacks the key %s", s.Name, n, e.Key)
					}
				}
				trail := q.ID + ":"
				for _, cause := range causes(j) {
					keys++
					if strings.HasPrefix(cause, trail) && j.Quest.Folded == 0 && !strings.Contains(out, cause) {
						t.Errorf("%s #%d: no event of the replay asks for %s", s.Name, n, cause)
					}
				}
				if said, _, _ := run(t, c.Body, "explain", "--journal", "-"); said != out {
					t.Errorf("%s #%d: explain says something else:\n%s\nthan replay:\n%s", s.Name, n, said, out)
				}
			}
		}
	}
	if quests < 100 || keys < 100 {
		t.Errorf("only %d quests with %d causes were looked at", quests, keys)
	}
	t.Logf("%d quests, %d causes", quests, keys)
}

// settled: what a run told of the quest is what its journal keeps. A run that
// writes nothing may see more than that.
func settled(told, kept string) bool { return told == kept || told == "" }

// causes are the quest keys that the journal says it delivered.
func causes(j journal.Journal) []string {
	var list []string
	for _, e := range j.Done {
		if e.Cause != "" {
			list = append(list, e.Cause)
		}
	}
	for _, h := range j.Handoffs {
		if h.Cause != "" {
			list = append(list, h.Cause)
		}
	}
	return list
}
