package bench

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	measure = flag.Bool("bars", false, "measure, print the table, and end with 1 if a bar is missed")
	peak    = flag.Bool("peak", false, "run the command that follows and print its peak resident memory in KiB; -bars uses it")
)

// A bar is one line of the table: a figure that is at most so large.
type bar struct {
	what string
	most float64
	unit string
	// figure measures. It returns errNotHere where this machine lacks what it
	// needs.
	figure func(*lab) (float64, error)
}

// bars are the lines of design 12 that apply by now, in its order.
var bars = []bar{
	{"quiet step, one pull request", 1, "requests", quietRequests},
	{"quiet step, one pull request", 0, "writes", quietWrites},
	// 1 read, the journal again under the lock, the review request with its
	// look and its proof (3), 2 journal writes, 2 lock calls, and 1 look and 1
	// write of the repository record.
	{"acting step, a review is asked for again", 11, "requests", actingRequests},
	{"sweep, 100 pull requests, none in the loop", 5, "requests", sweep(100, requests)},
	{"sweep, 100 pull requests, none in the loop", 12, "points", sweep(100, points)},
	{"sweep, 100 pull requests, none in the loop", 0, "writes", sweep(100, writes)},
	{"sweep, 1,000 pull requests, none in the loop", 45, "requests", sweep(1000, requests)},
	{"sweep, 1,000 pull requests, none in the loop", 120, "points", sweep(1000, points)},
	{"sweep, 1,000 pull requests, none in the loop", 0, "writes", sweep(1000, writes)},
	{"process start to first request", 25, "ms", firstRequest},
	{"peak resident memory of a quiet step", 20, "MiB", peakMemory},
	{"binary", 12, "MB", binarySize},
	{"image, compressed", 12, "MB", imageSize},
	{"decide, one pull request with 100 threads", 200, "µs", decide},
	{"fold, a quest of 10,000 events", 20, "ms", fold},
	{"prloop simulate, the default story", 2, "s", simulate},
}

// errNotHere: this machine lacks what a figure needs, and that is no fault.
var errNotHere = errors.New("not measured")

func TestMain(m *testing.M) {
	flag.Parse()
	switch {
	case *peak:
		exit(printPeak(os.Stdout, flag.Args()))
	case *measure:
		l, err := newLab()
		if err == nil {
			err = errors.Join(table(os.Stdout, bars, l), l.close())
		}
		exit(err)
	default:
		m.Run()
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// table measures each bar and prints one line for it. Its error names how many
// were missed.
func table(w io.Writer, bars []bar, l *lab) error {
	fmt.Fprintf(w, "%-46s %10s   %-14s %6s\n", "", "figure", "bar", "ratio")
	missed := 0
	for _, b := range bars {
		limit := fmt.Sprintf("≤ %s %s", number(b.most), b.unit)
		got, err := b.figure(l)
		switch {
		case errors.Is(err, errNotHere):
			fmt.Fprintf(w, "%-46s %10s   %-14s %6s  %v\n", b.what, "-", limit, "-", err)
			continue
		case err != nil:
			return fmt.Errorf("measure %s: %w", b.what, err)
		}
		verdict := ""
		if got > b.most {
			missed++
			verdict = "  MISSED"
		}
		fmt.Fprintf(w, "%-46s %10s   %-14s %6s%s\n", b.what, number(got), limit, ratio(got, b.most), verdict)
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d bars are missed", missed, len(bars))
	}
	return nil
}

// number shows whole figures whole, and others with two digits.
func number(f float64) string {
	if f == float64(int64(f)) {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

// ratio is figure to bar. A bar of nothing is met exactly, or missed beyond
// any ratio.
func ratio(got, most float64) string {
	switch {
	case most != 0:
		return fmt.Sprintf("%.2f", got/most)
	case got == 0:
		return "0.00"
	}
	return "∞"
}

// median of n measurements; the first error ends it.
func median(n int, figure func() (float64, error)) (float64, error) {
	all := make([]float64, n)
	for i := range all {
		f, err := figure()
		if err != nil {
			return 0, err
		}
		all[i] = f
	}
	slices.Sort(all)
	return all[n/2], nil
}

// took is how long f takes. The stopwatch is package testing's.
func took(f func() error) (time.Duration, error) {
	if err := flag.Set("test.benchtime", "1x"); err != nil {
		return 0, err
	}
	var err error
	r := testing.Benchmark(func(*testing.B) { err = f() })
	return r.T, err
}

func TestTable(t *testing.T) {
	is := func(f float64) func(*lab) (float64, error) {
		return func(*lab) (float64, error) { return f, nil }
	}
	var b bytes.Buffer
	err := table(&b, []bar{
		{"under its bar", 4, "requests", is(1)},
		{"at its bar", 2, "s", is(2)},
		{"above its bar", 12, "MB", is(12.5)},
		{"nothing, as promised", 0, "writes", is(0)},
		{"more than nothing", 0, "writes", is(1)},
		{"what this machine cannot measure", 12, "MB", func(*lab) (float64, error) {
			return 0, fmt.Errorf("%w: no engine", errNotHere)
		}},
	}, nil)
	want := `                                                   figure   bar             ratio
under its bar                                           1   ≤ 4 requests     0.25
at its bar                                              2   ≤ 2 s            1.00
above its bar                                       12.50   ≤ 12 MB          1.04  MISSED
nothing, as promised                                    0   ≤ 0 writes       0.00
more than nothing                                       1   ≤ 0 writes          ∞  MISSED
what this machine cannot measure                        -   ≤ 12 MB             -  not measured: no engine
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if want, got := "2 of 6 bars are missed", fmt.Sprint(err); want != got {
		t.Errorf("error: want %q, got %q", want, got)
	}

	broken := errors.New("the story does not play")
	err = table(io.Discard, []bar{{"broken", 1, "s", func(*lab) (float64, error) { return 0, broken }}}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("a figure that could not be measured: want %v, got %v", broken, err)
	}
}

func TestMedian(t *testing.T) {
	figures := []float64{9, 1, 5}
	got, err := median(3, func() (float64, error) {
		f := figures[0]
		figures = figures[1:]
		return f, nil
	})
	if err != nil || got != 5 {
		t.Errorf("median: want 5, got %v (%v)", got, err)
	}
}

// What is counted does not depend on the machine, so it holds in every run of
// the tests; only the largest world is left to -bars.
func TestCounts(t *testing.T) {
	counted := []string{"requests", "points", "writes"}
	l := &lab{}
	n := 0
	for _, b := range bars {
		if !slices.Contains(counted, b.unit) || b.what == "sweep, 1,000 pull requests, none in the loop" {
			continue
		}
		n++
		got, err := b.figure(l)
		if err != nil {
			t.Fatalf("%s: %v", b.what, err)
		}
		if got > b.most {
			t.Errorf("%s: at most %v %s, got %v", b.what, b.most, b.unit, got)
		}
	}
	if n < 6 {
		t.Errorf("only %d figures were counted", n)
	}
}
