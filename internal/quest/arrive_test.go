package quest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestArrive(t *testing.T) {
	at := epoch
	signal := Event{ID: "s@1", At: at, Type: SignalReceived, Signal: "s", Fingerprint: "f", Severity: 2}
	quests := map[string]Quest{
		"open":      {ID: "open", State: Patching, Fingerprint: "f"},
		"parked":    {ID: "parked", State: Parked, ReturnTo: Patching, Fingerprint: "f"},
		"closed":    {ID: "closed", State: Closed, Fingerprint: "f"},
		"ignored":   {ID: "ignored", State: Abandoned, Fingerprint: "f", MutedUntil: at.Add(time.Second)},
		"past":      {ID: "past", State: Abandoned, Fingerprint: "f", MutedUntil: at},
		"killed":    {ID: "killed", State: Abandoned, Fingerprint: "f"},
		"other":     {ID: "other", State: Patching, Fingerprint: "g"},
		"not begun": {ID: "not begun", Fingerprint: "f"},
	}
	as := func(e EventType, quest string) Event {
		s := signal
		s.Type = e
		s.Quest = quest
		return s
	}
	starts := Arrival{Starts, "", as(SignalReceived, "")}
	tests := []struct {
		name       string
		known      string
		regression bool
		want       Arrival
	}{
		{"nothing is known", "", false, starts},
		{"another fingerprint", "other", false, starts},
		{"a quest without its signal is none", "not begun", false, starts},
		{"an open quest takes it", "other open", false, Arrival{Joins, "open", as(SignalAdded, "")}},
		{"a parked one, too", "parked", true, Arrival{Joins, "parked", as(SignalAdded, "")}},
		{"an open one even while it is muted", "ignored open", false, Arrival{Joins, "open", as(SignalAdded, "")}},
		{"muted", "ignored", false, Arrival{Does: Muted}},
		{"no longer muted", "past", false, starts},
		{"a closed quest is reopened by a regression", "closed", true, Arrival{Opens, "closed", as(RegressionMatched, "closed")}},
		{"and by nothing else", "closed", false, starts},
		{"an abandoned one never is", "killed", true, starts},
	}
	for _, tt := range tests {
		var known []Quest
		for name, q := range quests {
			if strings.Contains(" "+tt.known+" ", " "+name+" ") {
				known = append(known, q)
			}
		}
		if diff := cmp.Diff(tt.want, Arrive(signal, tt.regression, known)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	// Where it joins or reopens, the quest takes the event.
	q, _, err := Fold(New("trail"), straight(10), DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	a := Arrive(signal, true, []Quest{q})
	if q, _, err = Step(q, a.Event, DefaultPolicy()); err != nil || q.State != Researching || q.Rev != 2 {
		t.Errorf("the regression led to %s, revision %d: %v", q.State, q.Rev, err)
	}
	a = Arrive(Event{ID: "s@2", Fingerprint: "f"}, false, []Quest{q})
	if q, _, err = Step(q, a.Event, DefaultPolicy()); err != nil || len(q.Signals) != 3 {
		t.Errorf("%d signals: %v", len(q.Signals), err)
	}
}

func TestTriageFault(t *testing.T) {
	known := []Quest{
		{ID: "a", State: Parked, Parent: "b"},
		{ID: "b", State: Parked, Parent: "me"},
		{ID: "c", State: Landing},
		{ID: "d", State: Closed},
		{ID: "x", State: Parked, Parent: "y"},
		{ID: "y", State: Parked, Parent: "x"},
	}
	tests := []struct {
		decision Event
		want     string
	}{
		{Event{Route: AutoFix, Parent: "nobody"}, ""},
		{Event{Route: Duplicate, Of: "d"}, ""},
		{Event{Route: Duplicate, Of: "nobody"}, `there is no quest "nobody"`},
		{Event{Route: Conflict, Parent: "c"}, ""},
		{Event{Route: Conflict, Parent: "nobody"}, `there is no quest "nobody"`},
		{Event{Route: Conflict, Parent: "d"}, `quest "d" has ended`},
		{Event{Route: Conflict, Parent: "a"}, `quest "a" waits for this one`},
		{Event{Route: Conflict, Parent: "x"}, ""}, // a ring that is there already, and ends the search
	}
	for _, tt := range tests {
		if got := TriageFault(Quest{ID: "me", State: Sensed}, tt.decision, known); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.decision, got, tt.want)
		}
	}
}
