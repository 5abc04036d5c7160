package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/prloop/prloop/internal/pr"
)

// What was heard stays so when its row is cut; an edit of it is new.
func TestACommandIsHeardOnce(t *testing.T) {
	t.Parallel()
	var j Journal
	for i := range keepOrders + 10 {
		j = Hear(j, Order{Comment: int64(i), At: at(i), Word: "status", Reaction: pr.PlusOne})
		j = Hear(j, Order{Comment: int64(i), At: at(i), Word: "pause", Reaction: pr.Rocket})
	}
	if n := len(j.Orders.Heard); n != keepOrders+10 {
		t.Fatalf("%d rows, want each once", n)
	}
	j = AnsweredBy(Compact(j), 29, pr.PlusOne)
	if n := len(j.Orders.Heard); n != keepOrders {
		t.Errorf("%d rows are kept, want %d", n, keepOrders)
	}
	if row, ok := j.Orders.HeardOf(29, at(29)); !ok || !row.Told || row.Word != "status" {
		t.Errorf("the newest: %+v %v", row, ok)
	}
	for _, c := range []struct {
		comment int64
		minute  int
		want    bool
	}{{0, 0, true}, {9, 9, true}, {10, 10, true}, {29, 30, false}, {30, 30, false}} {
		if _, ok := j.Orders.HeardOf(c.comment, at(c.minute)); ok != c.want {
			t.Errorf("comment %d of minute %d: heard %v, want %v", c.comment, c.minute, ok, c.want)
		}
	}
}

// A journal that is rebuilt obeys nothing twice, and what holds goes on holding.
func TestRebuildKnowsWhatWasAnswered(t *testing.T) {
	t.Parallel()
	order := func(minute int, body string, answer pr.Reaction) pr.Comment {
		return pr.Comment{DatabaseID: int64(minute), Author: pr.Actor{Login: "mona"}, Body: body, CreatedAt: at(minute), Answer: answer}
	}
	row := func(minute int, word string, answer pr.Reaction) Order {
		return Order{Comment: int64(minute), At: at(minute), Word: word, Reply: "heard", Reaction: answer, Told: true}
	}
	for _, c := range []struct {
		name     string
		comments []pr.Comment
		prior    Orders
		want     Orders
	}{
		{
			"a pause holds",
			[]pr.Comment{order(1, "/prloop pause", pr.Rocket)},
			Orders{},
			Orders{Heard: []Order{row(1, "pause", pr.Rocket)}, Paused: at(1)},
		},
		{
			"one that was resumed does not",
			[]pr.Comment{order(1, "/prloop pause", pr.Rocket), order(2, "/prloop resume", pr.Rocket)},
			Orders{Paused: at(1)},
			Orders{Heard: []Order{row(1, "pause", pr.Rocket), row(2, "resume", pr.Rocket)}},
		},
		{
			"one that was refused never did, and one that was not answered is still to be heard",
			[]pr.Comment{order(1, "/prloop pause", pr.Confused), order(2, "/prloop pause", "")},
			Orders{},
			Orders{Heard: []Order{row(1, "pause", pr.Confused)}},
		},
		{
			"a stop holds at the head that the old journal names",
			[]pr.Comment{order(1, "/prloop stop", pr.Rocket)},
			Orders{Stopped: &Sight{Head: headA, At: at(1)}},
			Orders{Heard: []Order{row(1, "stop", pr.Rocket)}, Stopped: &Sight{Head: headA, At: at(1)}},
		},
		{
			"without one, at the head that stands, until a start",
			[]pr.Comment{order(1, "/prloop start", pr.Rocket), order(2, "/prloop stop", pr.Rocket)},
			Orders{},
			Orders{
				Heard:   []Order{row(1, "start", pr.Rocket), row(2, "stop", pr.Rocket)},
				Started: &Sight{At: at(1)}, Stopped: &Sight{Head: headB, At: at(2)},
			},
		},
		{"a pause of the old journal holds without its comment", nil, Orders{Paused: at(1)}, Orders{Paused: at(1)}},
	} {
		got := Rebuild(&pr.Snapshot{Number: 7, Head: headB, Comments: c.comments}, WhyEdited, at(60), &Journal{PR: 7, Rev: 2, Orders: c.prior}).Orders
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	only := []pr.Comment{order(1, "/prloop pause", pr.Rocket)}
	if got := Find(only, 7, nil, nil).Memory; got != MemoryDeleted {
		t.Errorf("an answer is all that is left: %s, want %s", got, MemoryDeleted)
	}
	if only[0].Answer = ""; Find(only, 7, nil, nil).Memory != MemoryNone {
		t.Error("a command without our answer is no trace of us")
	}
}
