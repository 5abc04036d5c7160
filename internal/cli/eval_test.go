package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ask gives the lines to "prloop eval MACHINE" and returns its answers.
func ask(t *testing.T, machine string, lines ...string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(t.Context(), []string{"eval", machine}, System{
		Getenv: func(string) string { return "" },
		Stdin:  strings.NewReader(strings.Join(lines, "\n") + "\n"),
		Stdout: &out, Stderr: &errs,
	})
	if code != 0 || errs.Len() > 0 {
		t.Fatalf("eval %s ended with %d: %s", machine, code, errs.String())
	}
	answers := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("eval %s has %d answers to %d lines", machine, len(answers), len(lines))
	}
	return answers
}

// A looked is a line of eval convergence, with the names of the design.
type looked struct {
	State           string   `json:"state"`
	Head            string   `json:"headOid"`
	Single          bool     `json:"singleIteration"`
	Pending         bool     `json:"copilotPending"`
	Review          *lastOne `json:"latestCopilotReview"`
	NoNewComments   bool     `json:"noNewComments"`
	Open            int      `json:"openThreadCount"`
	Awaiting        int      `json:"openThreadsAwaitingReply"`
	Triggered       bool     `json:"triggeredOnce"`
	reviewed, atNow bool     // of Review, as the sentence below speaks of it
}

type lastOne struct {
	Commit string `json:"commitOid"`
	At     string `json:"submittedAt"`
	State  string `json:"state"`
}

// everyLook is each combination of what the fields can be.
func everyLook() []looked {
	reviews := []*lastOne{nil}
	for _, commit := range []string{"1f0c9a2", "0000000"} {
		for _, state := range []string{"APPROVED", "COMMENTED", "CHANGES_REQUESTED", "DISMISSED", "PENDING"} {
			reviews = append(reviews, &lastOne{commit, "2026-11-30T09:00:00Z", state})
		}
	}
	var all []looked
	yesNo := []bool{false, true}
	for _, state := range []string{"OPEN", "CLOSED", "MERGED"} {
		for _, single := range yesNo {
			for _, pending := range yesNo {
				for _, r := range reviews {
					for _, clean := range yesNo {
						for _, threads := range [][2]int{{0, 0}, {2, 0}, {2, 1}, {2, 2}} {
							for _, triggered := range yesNo {
								all = append(all, looked{
									state, "1f0c9a2", single, pending, r, clean, threads[0], threads[1], triggered,
									r != nil, r != nil && r.Commit == "1f0c9a2",
								})
							}
						}
					}
				}
			}
		}
	}
	return all
}

// The whole of step 9 as one sentence: open, and in single iteration no thread
// awaits a reply; else, where a review exists or is pending, it is of the head
// and has no new comments and no thread awaits a reply; else no thread does.
func sentence(l looked) bool {
	return l.State == "OPEN" && l.Awaiting == 0 && (l.Single || !l.reviewed && !l.Pending || l.atNow && l.NoNewComments)
}

// And as design 10 hardens it: guard 3 wants nothing pending and a review that
// counts, and guard 4 is never enough.
func hardened(l looked) bool {
	return sentence(l) && (l.Single || l.reviewed && !l.Pending && l.Review.State != "DISMISSED" && l.Review.State != "PENDING")
}

func TestConvergenceOfEveryCombination(t *testing.T) {
	looks := everyLook()
	lines := make([]string, len(looks))
	for i, l := range looks {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = string(text)
	}
	reached := map[string]int{}
	for i, answer := range ask(t, "convergence", lines...) {
		l := looks[i]
		var got struct {
			Converged, Hardened bool
			Guard               int
			Missing             []string
		}
		d := json.NewDecoder(strings.NewReader(answer))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if got.Converged != sentence(l) || got.Hardened != hardened(l) {
			t.Errorf("%s is %s; the sentence says %v, hardened %v", lines[i], answer, sentence(l), hardened(l))
		}
		if got.Hardened != (len(got.Missing) == 0) || got.Missing == nil {
			t.Errorf("%s is %s: hardened, and yet something is missing, or the other way round", lines[i], answer)
		}
		reached[fmt.Sprintf("%d %v %v", got.Guard, got.Converged, got.Hardened)]++
	}
	for _, way := range []string{
		"1 false false", "2 false false", "2 true true", "3 false false", "3 true false", "3 true true", "4 false false", "4 true false",
	} {
		if reached[way] == 0 {
			t.Errorf("no combination came to guard, converged, hardened = %s", way)
		}
		delete(reached, way)
	}
	if len(reached) > 0 {
		t.Errorf("some combinations came to what no guard allows: %v", reached)
	}
}

func TestConvergenceNamesWhatIsMissing(t *testing.T) {
	const review = `"latestCopilotReview":{"commitOid":"a","submittedAt":"2026-11-30T09:00:00Z","state":"COMMENTED"}`
	tests := []struct{ name, line, want string }{
		{
			"a clean review of the head has it all",
			`{"state":"OPEN","headOid":"a",` + review + `,"noNewComments":true,"openThreadCount":1,"openThreadsAwaitingReply":0}`,
			`{"converged":true,"guard":3,"hardened":true,"missing":[]}`,
		},
		{
			"a closed pull request asks for nothing else",
			`{"state":"CLOSED","headOid":"a","openThreadsAwaitingReply":2}`,
			`{"converged":false,"guard":1,"hardened":false,"missing":["open"]}`,
		},
		{
			"a review in flight is only the hardened form's business",
			`{"state":"OPEN","headOid":"a",` + review + `,"copilotPending":true,"noNewComments":true,"openThreadsAwaitingReply":0}`,
			`{"converged":true,"guard":3,"hardened":false,"missing":["not_pending"]}`,
		},
		{
			"what is pending alone is no review, of no head",
			`{"state":"OPEN","headOid":"a","latestCopilotReview":null,"copilotPending":true,"openThreadsAwaitingReply":1}`,
			`{"converged":false,"guard":3,"hardened":false,"missing":["review","review_at_head","no_new_comments","not_pending","threads"]}`,
		},
		{
			"guard 4 before step 1 has run is not to be trusted",
			`{"state":"OPEN","headOid":"a","openThreadsAwaitingReply":0}`,
			`{"converged":true,"guard":4,"hardened":false,"missing":["review","trigger"]}`,
		},
		{
			"nor is it after that: nobody reviewed",
			`{"state":"OPEN","headOid":"a","openThreadsAwaitingReply":1,"triggeredOnce":true}`,
			`{"converged":false,"guard":4,"hardened":false,"missing":["review","threads"]}`,
		},
		{
			"a count that is unknown is not none",
			`{"state":"OPEN","singleIteration":true}`,
			`{"converged":false,"guard":2,"hardened":false,"missing":["threads"]}`,
		},
		{
			"nor is half a thread",
			`{"state":"OPEN","singleIteration":true,"openThreadsAwaitingReply":0.5}`,
			`{"converged":false,"guard":2,"hardened":false,"missing":["threads"]}`,
		},
		{
			"a text is no flag that makes a head clean",
			`{"state":"OPEN","headOid":"a",` + review + `,"noNewComments":"true","openThreadsAwaitingReply":0}`,
			`{"converged":false,"guard":3,"hardened":false,"missing":["no_new_comments"]}`,
		},
		{
			"a head that nobody knows has no review",
			`{"state":"OPEN","latestCopilotReview":{"state":"COMMENTED"},"noNewComments":true,"openThreadsAwaitingReply":0}`,
			`{"converged":false,"guard":3,"hardened":false,"missing":["review_at_head"]}`,
		},
	}
	lines := make([]string, len(tests))
	for i, tt := range tests {
		lines[i] = tt.line
	}
	for i, got := range ask(t, "convergence", lines...) {
		if got != tests[i].want {
			t.Errorf("%s: %s\nwant %s\n got %s", tests[i].name, tests[i].line, tests[i].want, got)
		}
	}
}

// A line that is none has its error, and the next one its answer: the same for
// every machine.
func TestEvalGoesOnAfterALineThatIsNone(t *testing.T) {
	machines := map[string]string{
		"copilot":     `{"snapshot":{}}`,
		"reviewer":    `{"snapshot":{}}`,
		"conductor":   `{"input":{}}`,
		"convergence": `{"state":"OPEN"}`,
	}
	for _, machine := range sortedKeys(machines) {
		for _, wrong := range []string{``, `{`, `[]`, `7`, machines[machine] + ` {}`, `{"state":"OPEN","latestCopilotReview":"1f0c9a2"}`} {
			answers := ask(t, machine, wrong, machines[machine])
			if !strings.HasPrefix(answers[0], `{"error":"`) {
				t.Errorf("eval %s answers %q with %s, want an error", machine, wrong, answers[0])
			}
			if strings.Contains(answers[1], `"error"`) {
				t.Errorf("eval %s answers the line after %q with %s", machine, wrong, answers[1])
			}
		}
	}
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
