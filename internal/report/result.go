package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/prloop/prloop/internal/pr"
)

// Schema names the form of the output result.
const Schema = "prloop.result/v1"

// A result is the output result of one run. Lists are never null.
type result struct {
	Schema     string          `json:"schema,omitempty"`
	At         stamp           `json:"at"`
	Event      string          `json:"event"`
	Why        string          `json:"why"`
	Repo       string          `json:"repo"`
	PR         int             `json:"pr"`
	URL        string          `json:"url"`
	Head       string          `json:"head"`
	Decision   string          `json:"decision"`
	ReasonCode string          `json:"reasonCode"`
	Reason     string          `json:"reason"`
	ToDo       string          `json:"toDo"`
	Rule       string          `json:"rule"`
	RuleWords  string          `json:"ruleWords"`
	State      string          `json:"state"`
	Round      int             `json:"round"`
	RoundCap   int             `json:"roundCap"`
	Converged  bool            `json:"converged"`
	Missing    []string        `json:"missing"`
	Proof      json.RawMessage `json:"proof"` // null where there is none
	Wait       *wait           `json:"wait"`
	NextWake   stamp           `json:"nextWake"`
	DryRun     bool            `json:"dryRun"`
	ShouldFix  bool            `json:"shouldFix"`
	// ShouldReview: the hand-over is of a review.
	ShouldReview bool `json:"shouldReview"`

	Copilot   *Copilot       `json:"copilot"`
	Conductor any            `json:"conductor"`
	Quest     *Quest         `json:"quest"`
	Handoff   *handoffDigest `json:"handoff"`
	Threads   threads        `json:"threads"`
	Reviewers []reviewer     `json:"reviewers"`
	Findings  []Finding      `json:"findings"`
	Left      []Finding      `json:"leftByMinSeverity,omitempty"`
	Checks    []check        `json:"checks"`
	Effects   []Effect       `json:"effects"`
	Notices   []string       `json:"notices"`

	Requests int `json:"requests"`
	Writes   int `json:"writes"`
	Points   int `json:"points"`

	LeftOut *leftOut `json:"leftOut,omitempty"`
}

type wait struct {
	What  string `json:"what"`
	Since stamp  `json:"since"`
	Until stamp  `json:"until"`
	Then  string `json:"then"`
}

type threads struct {
	Open      int `json:"open"`
	Awaiting  int `json:"awaiting"`
	Answered  int `json:"answered"`
	Untrusted int `json:"untrusted"`
}

type reviewer struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Head   string `json:"head"`
	Rounds int    `json:"rounds"`
}

type check struct {
	Name     string `json:"name"`
	State    string `json:"state"`
	Detail   string `json:"detail"`
	Required bool   `json:"required"`
}

// A handoffDigest says in the result what the output handoff holds in full.
type handoffDigest struct {
	Number   int    `json:"number"`
	Head     string `json:"head"`
	Findings int    `json:"findings"`
}

// leftOut counts what did not fit.
type leftOut struct {
	Texts     int `json:"texts,omitempty"`
	Findings  int `json:"findings,omitempty"`
	Left      int `json:"leftByMinSeverity,omitempty"`
	Checks    int `json:"checks,omitempty"`
	Notices   int `json:"notices,omitempty"`
	Effects   int `json:"effects,omitempty"`
	Reviewers int `json:"reviewers,omitempty"`
	Missing   int `json:"missing,omitempty"`
	Copilot   int `json:"copilot,omitempty"`
	Proof     int `json:"proof,omitempty"`
	Pulls     int `json:"pulls,omitempty"`
}

// A stamp is a time as the result tells it: RFC 3339 in UTC, or null.
type stamp struct{ time.Time }

// MarshalJSON never ends with an error, whatever year it is.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + instant(s.Time) + `"`), nil
}

// MarshalJSON tells the times of a watch as all others are told: in UTC, and
// null where there is none.
func (w WatchArgs) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		PR        int    `json:"pr"`
		Head      pr.SHA `json:"head"`
		NotBefore stamp  `json:"notBefore"`
		Until     stamp  `json:"until"`
	}{w.PR, w.Head, stamp{w.NotBefore}, stamp{w.Until}})
}

// resultJSON is the output result of one run. Where it would be too large, the
// texts of findings are left out first, then whole entries from the end of the
// lists, each counted.
func resultJSON(r Run) string {
	res := newResult(r)
	res.Schema = Schema
	return res.fit(maxOutput)
}

func newResult(r Run) *result {
	res := &result{
		At: stamp{r.At}, Event: word(r.Event), Why: word(r.Why),
		Repo: word(r.Repo), PR: r.PR, URL: word(r.URL), Head: word(string(r.Head)),
		Decision: word(r.Decision), ReasonCode: word(r.Code), Reason: word(r.Reason), ToDo: word(r.ToDo),
		Rule: word(r.Rule), RuleWords: word(r.RuleWords),
		State: word(r.State), Round: r.Round, RoundCap: r.RoundCap,
		Converged: r.Converged, Missing: words(r.Missing), NextWake: stamp{r.NextWake},
		DryRun: r.DryRun, ShouldFix: r.ShouldFix, ShouldReview: r.ShouldReview,
		Copilot: contract(r.Copilot), Conductor: r.Conductor, Quest: r.Quest,
		Threads: threads(r.Threads), Reviewers: []reviewer{}, Findings: []Finding{}, Checks: []check{}, Effects: []Effect{},
		Notices:  words(r.Notices),
		Requests: r.Requests, Writes: r.Writes, Points: r.Points,
	}
	if w := r.Wait; w != nil {
		res.Wait = &wait{word(w.What), stamp{w.Since}, stamp{w.Until}, word(w.Then)}
	}
	if r.Proof != nil {
		res.Proof = json.RawMessage(r.Proof.Text)
	}
	if h := r.Handoff; h != nil {
		res.Handoff = &handoffDigest{h.Number, word(string(h.Head)), len(h.Findings)}
	}
	for _, v := range r.Reviewers {
		res.Reviewers = append(res.Reviewers, reviewer{word(v.Name), word(v.Status), word(string(v.Head)), v.Rounds})
	}
	for _, f := range r.Findings {
		res.Findings = append(res.Findings, told(f))
	}
	for _, f := range r.Left {
		f.Text = "" // it is work for nobody
		res.Left = append(res.Left, told(f))
	}
	for _, c := range r.Checks {
		res.Checks = append(res.Checks, check(c))
	}
	for _, e := range r.Effects {
		res.Effects = append(res.Effects, Effect{
			word(e.Type), word(e.Key), word(e.Words), word(e.Outcome), word(e.Result), word(e.Note),
		})
	}
	return res
}

// told is f as programs read it. What an untrusted account wrote is not passed
// on (design 5): whoever wants it has the id and the address.
func told(f Finding) Finding {
	f.Text = Plain(f.Text)
	if !f.Trusted {
		f.Text = ""
	}
	return f
}

func words(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, word(s))
	}
	return out
}

// contract is c with lists that are never null, and without a snapshot that
// cannot be told in JSON.
func contract(c *Copilot) *Copilot {
	if c == nil {
		return nil
	}
	d := *c
	if d.AllowedTransitions == nil {
		d.AllowedTransitions = []string{}
	}
	if _, err := json.Marshal(d.Snapshot); err != nil {
		d.Snapshot = nil
	}
	return &d
}

// fit is res as JSON of at most limit bytes. It changes res.
func (res *result) fit(limit int) string {
	s := encode(res)
	if len(s) <= limit {
		return s
	}
	res.LeftOut = &leftOut{}
	res.dropTexts()
	if s = encode(res); len(s) <= limit {
		return s
	}
	// Everything is taken out, and comes back as far as there is room, what is
	// needed most first.
	left := res.LeftOut
	lists := []list{
		listOf(&res.Missing, &left.Missing),
		listOf(&res.Reviewers, &left.Reviewers),
		listOf(&res.Effects, &left.Effects),
		listOf(&res.Notices, &left.Notices),
		listOf(&res.Checks, &left.Checks),
		listOf(&res.Findings, &left.Findings),
		listOf(&res.Left, &left.Left),
	}
	for _, l := range lists {
		l.keep(0)
	}
	if len(encode(res)) > limit && res.Proof != nil { // the output proof has it
		res.Proof, left.Proof = nil, 1
	}
	if len(encode(res)) > limit { // seed 000's contract is one piece
		res.Copilot, left.Copilot = nil, 1
	}
	room := limit - len(encode(res)) // the counts are at their longest here
	for _, l := range lists {
		n := 0
		for ; n < l.len; n++ {
			if room -= l.size(n); room < 0 {
				break
			}
		}
		l.keep(n)
		if room < 0 {
			break
		}
	}
	return encode(res)
}

// dropTexts leaves out the texts of all findings and counts them.
func (res *result) dropTexts() {
	for i, f := range res.Findings {
		if f.Text != "" {
			res.Findings[i].Text = ""
			res.LeftOut.Texts++
		}
	}
}

// A list is a list of the result that can be kept in part.
type list struct {
	len  int
	size func(i int) int // bytes that entry i takes, with its comma
	keep func(n int)     // the first n entries; the rest is counted
}

func listOf[T any](all *[]T, left *int) list {
	whole := *all
	return list{
		len(whole),
		func(i int) int { return len(encode(whole[i])) + 1 },
		func(n int) { *all, *left = whole[:n], len(whole)-n },
	}
}

// A sweepResult is the output result of a sweep.
type sweepResult struct {
	Schema   string         `json:"schema"`
	At       stamp          `json:"at"`
	Event    string         `json:"event"`
	Repo     string         `json:"repo"`
	Decision string         `json:"decision"`
	Counts   map[string]int `json:"counts"` // pull requests by decision
	NextWake stamp          `json:"nextWake"`
	// Detail says how much each of pulls tells: "full", "no texts" (of
	// findings), "short" (no lists) or "row" (what a table of them needs).
	Detail   string            `json:"detail"`
	Pulls    []json.RawMessage `json:"pulls"`
	Notices  []string          `json:"notices"`
	Requests int               `json:"requests"`
	Writes   int               `json:"writes"`
	Points   int               `json:"points"`
	LeftOut  *leftOut          `json:"leftOut,omitempty"`
}

// A row is the least that the result of a sweep tells of a pull request.
type row struct {
	PR         int    `json:"pr"`
	Head       string `json:"head"`
	Decision   string `json:"decision"`
	ReasonCode string `json:"reasonCode"`
	State      string `json:"state"`
	Round      int    `json:"round"`
	Converged  bool   `json:"converged"`
	NextWake   stamp  `json:"nextWake"`
}

// sweepJSON is the output result of a sweep: every pull request, in the order
// of runs, with as much detail as fits for all of them alike. Where not even a
// row for each fits, the least urgent ones are left out, and counted.
func sweepJSON(runs []Run) string {
	res := sweepResult{
		Schema: Schema, Decision: MostUrgent(runs), Counts: map[string]int{},
		Pulls: []json.RawMessage{}, Notices: []string{},
	}
	for _, r := range runs {
		if r.PR == 0 {
			res.Notices = append(res.Notices, words(r.Notices)...)
		} else {
			res.Counts[word(r.Decision)]++
		}
		if r.At.After(res.At.Time) {
			res.At = stamp{r.At}
		}
		if res.Event == "" {
			res.Event, res.Repo = word(r.Event), word(r.Repo)
		}
		if !r.NextWake.IsZero() && (res.NextWake.IsZero() || r.NextWake.Before(res.NextWake.Time)) {
			res.NextWake = stamp{r.NextWake}
		}
		res.Requests = max(res.Requests, r.Requests)
		res.Writes = max(res.Writes, r.Writes)
		res.Points = max(res.Points, r.Points)
	}
	const maxNotices = 20
	res.Notices = res.Notices[:min(len(res.Notices), maxNotices)]

	details := []struct {
		name string
		of   func(Run) any
	}{
		{"full", func(r Run) any { return newResult(r) }},
		{"no texts", func(r Run) any {
			full := newResult(r)
			full.LeftOut = &leftOut{}
			full.dropTexts()
			if *full.LeftOut == (leftOut{}) {
				full.LeftOut = nil
			}
			return full
		}},
		{"short", func(r Run) any { return newResult(short(r)) }},
		{"row", func(r Run) any {
			return row{
				r.PR, word(string(r.Head)), word(r.Decision), word(r.Code), word(r.State),
				r.Round, r.Converged,
				stamp{r.NextWake},
			}
		}},
	}
	all := pulls(runs)
	for _, d := range details {
		res.Detail, res.Pulls = d.name, res.Pulls[:0]
		room := maxOutput
		for _, r := range all {
			res.Pulls = append(res.Pulls, json.RawMessage(encode(d.of(r))))
			if room -= len(res.Pulls[len(res.Pulls)-1]) + 1; room < 0 && d.name != "row" {
				break // too much already
			}
		}
		if room < 0 {
			continue
		}
		if s := encode(res); len(s) <= maxOutput {
			return s
		}
	}
	// Rows, the most urgent first, as many as fit; then in their order again.
	rows := res.Pulls
	res.Pulls, res.LeftOut = []json.RawMessage{}, &leftOut{Pulls: len(rows)}
	room := maxOutput - len(encode(res))
	var kept []int
	for _, i := range byUrgency(all) {
		if room -= len(rows[i]) + 1; room < 0 {
			break
		}
		kept = append(kept, i)
	}
	slices.Sort(kept)
	for _, i := range kept {
		res.Pulls = append(res.Pulls, rows[i])
	}
	res.LeftOut.Pulls -= len(kept)
	return encode(res)
}

// short is r without its lists, without seed 000's contract and without its proof.
func short(r Run) Run {
	r.Findings, r.Left, r.Checks, r.Effects, r.Reviewers, r.Notices, r.Copilot, r.Proof = nil, nil, nil, nil, nil, nil, nil, nil
	return r
}

// byUrgency is the order of runs by the urgency of their decisions, the most
// urgent first, else as they stand; as indices.
func byUrgency(runs []Run) []int {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return rank(runs[order[i]].Decision) < rank(runs[order[j]].Decision) })
	return order
}

// handoffJSON is the output handoff. Where it would be too large, whole
// findings are left out, those of low severity first, and counted. It passes on
// no text by an account without write permission, whatever h says (design 5):
// such a finding is listed by its id.
func handoffJSON(h *Handoff) string {
	if h == nil {
		return ""
	}
	env := *h
	env.Base = word(h.Base)
	env.Findings, env.Untrusted = []Finding{}, nil
	ids := slices.Clone(h.Untrusted)
	var all []Finding
	for _, f := range h.Findings {
		if f.Trusted {
			all = append(all, told(f))
		} else {
			ids = append(ids, f.ID)
		}
	}

	const roomForIDs = 16 << 10
	room := roomForIDs
	for i, id := range ids {
		if room -= len(encode(id)) + 1; room < 0 {
			env.UntrustedLeftOut += len(ids) - i
			break
		}
		env.Untrusted = append(env.Untrusted, id)
	}

	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return severity(all[order[i]].Severity) < severity(all[order[j]].Severity) })
	env.LeftOut += len(all) // the longest that the count can be
	room = maxHandoff - len(encode(env))
	var kept []int
	for _, i := range order {
		if n := len(encode(all[i])) + 1; n <= room {
			room -= n
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	for _, i := range kept {
		env.Findings = append(env.Findings, all[i])
	}
	env.LeftOut -= len(kept)
	return encode(env)
}

// severity is the order in which findings are handed over. One without a known
// severity may be grave, so it stands between high and mid.
func severity(s string) int {
	switch s {
	case "high":
		return 0
	case "mid":
		return 2
	case "low":
		return 3
	}
	return 1
}

// encode is v as JSON on one line that does no harm where somebody pastes it
// into a script or prints it: quotes, dollars and backticks of a shell, the
// runner's "##[" and characters that nobody sees are written as \u escapes.
// They only stand in strings, where an escape says the same.
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("report: the values of a report are strings and numbers: %v", err))
	}
	var b strings.Builder
	b.Grow(len(raw) + len(raw)/16)
	kept := 0 // up to where raw is written
	for i, r := range string(raw) {
		if harmful := r == '\'' || r == '`' || r == '$' || r == '#' || r > 0x7e && (!unicode.IsPrint(r) || unseen(r)); !harmful {
			continue
		}
		b.Write(raw[kept:i])
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
		kept = i + utf8.RuneLen(r)
	}
	b.Write(raw[kept:])
	return b.String()
}
