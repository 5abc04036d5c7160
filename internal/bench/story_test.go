package bench

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/prloop/prloop/internal/scenario"
)

const stories = "../../testdata/scenarios/"

// story plays a story that is in the repository, and every run of it twice.
func (l *lab) story(name string) (scenario.Told, error) {
	if told, ok := l.told[name]; ok {
		return told, nil
	}
	data, err := os.ReadFile(stories + name + ".txtar")
	if err != nil {
		return scenario.Told{}, err
	}
	return l.play(name, string(data), scenario.Options{Again: true})
}

func (l *lab) play(name, text string, opt scenario.Options) (scenario.Told, error) {
	if told, ok := l.told[name]; ok {
		return told, nil
	}
	s, err := scenario.Parse(name, []byte(text))
	if err != nil {
		return scenario.Told{}, err
	}
	told, err := scenario.Play(context.Background(), s, opt)
	if err != nil {
		return scenario.Told{}, err
	}
	if l.told == nil {
		l.told = map[string]scenario.Told{}
	}
	l.told[name] = told
	return told, nil
}

// A figure of the run r of a story, as the server's log has it.
type figure func(told scenario.Told, r scenario.Played) float64

func requests(_ scenario.Told, r scenario.Played) float64 { return float64(r.Requests) }
func writes(_ scenario.Told, r scenario.Played) float64   { return float64(r.Writes) }

// points are those of the last run.
func points(told scenario.Told, r scenario.Played) float64 {
	sum := 0
	log := told.World.Log()
	for _, q := range log[len(log)-r.Requests:] {
		sum += q.Points
	}
	return float64(sum)
}

func quietRequests(l *lab) (float64, error) { return quiet(l, requests) }
func quietWrites(l *lab) (float64, error)   { return quiet(l, writes) }

// quiet is the largest figure of all waiting runs of the default story that
// were played a second time, the event being one that names its pull request.
func quiet(l *lab, f figure) (float64, error) {
	told, err := l.story("copilot-two-findings")
	if err != nil {
		return 0, err
	}
	most, n := 0.0, 0
	for _, r := range told.Extras {
		if len(r.Runs) == 1 && r.Runs[0].Decision == "wait" {
			most = max(most, f(told, r))
			n++
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("no run of the story waits")
	}
	return most, nil
}

// actingRequests counts the step that asks for the second review: it has a
// journal, and a review to ask for.
func actingRequests(l *lab) (float64, error) {
	told, err := l.story("copilot-two-findings")
	if err != nil {
		return 0, err
	}
	asked := 0
	for _, r := range told.Runs {
		if len(r.Runs) == 1 && r.Runs[0].Code == "review_requested" {
			if asked++; asked == 2 {
				return requests(told, r), nil
			}
		}
	}
	return 0, fmt.Errorf("the story asks for %d reviews, not for 2", asked)
}

// sweep is a schedule run over n pull requests that have not moved for three
// days.
func sweep(n int, f figure) func(*lab) (float64, error) {
	return func(l *lab) (float64, error) {
		var script strings.Builder
		script.WriteString("Nothing has happened lately.\n\n-- script --\ncheck build takes=3m\n")
		for i := range n {
			fmt.Fprintf(&script, "open head=topic-%d by=mona\n", i+1)
		}
		script.WriteString("advance 72h\nrun schedule\n")
		told, err := l.play(fmt.Sprintf("sweep-%d", n), script.String(), scenario.Options{})
		if err != nil {
			return 0, err
		}
		last := told.Runs[len(told.Runs)-1]
		if last.Exit != 0 {
			return 0, fmt.Errorf("the sweep ended with %d: %s", last.Exit, last.Log)
		}
		return f(told, last), nil
	}
}
