package autopilot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/pr"
)

// A State is a state file of pr-autopilot, as seed 001 describes it, read in its
// newest form (version 4). What prloop derives from GitHub instead (waits, the merge
// queue, handled comments) is not in it.
type State struct {
	// Version is the one that the file has, 1 to 4.
	Version int
	PR      int
	Repo    string // owner/name; empty where the file does not say
	// Mode is the mode that it was begun in. Version 1 knows Mode X alone.
	Mode Mode
	// FixIterations counts pushes, ReviewIteration the verdicts of Mode Y, of which
	// Back went back to the agent.
	FixIterations, ReviewIteration, Back int
	// Pushbacks are ids of review threads that were declined.
	Pushbacks []string
	// Head is the head that was handled last; empty where none was.
	Head      pr.SHA
	CreatedAt time.Time // zero where the file does not say
}

// stateFile has the keys of all versions. The numbers of version 1 to 3 mean what
// those of version 4 mean.
type stateFile struct {
	Version         *json.Number `json:"stateSchemaVersion,omitempty"`
	PR              int          `json:"prNumber"`
	Repo            string       `json:"repo,omitempty"`
	Mode            string       `json:"resolvedMode,omitempty"`
	CreatedAt       string       `json:"createdAt,omitempty"`
	FixIterations   int          `json:"fixIterations"`
	ReviewIteration int          `json:"reviewIteration"`
	Head            string       `json:"lastHandledHeadOid,omitempty"`
	ThreadPushbacks []pushedBack `json:"threadPushbacks,omitempty"`
	PushbackReplies []pushedBack `json:"pushbackReplies,omitempty"` // version 1
	CommitPushbacks []any        `json:"commitPushbacks,omitempty"`
}

type pushedBack struct {
	Thread string `json:"threadId"`
}

// The bounds of a state file.
const (
	MaxState     = 1 << 20 // bytes
	maxCount     = 100_000
	maxPushbacks = 500
	newestState  = 4
)

var (
	fullID   = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	threadID = regexp.MustCompile(`^[A-Za-z0-9_=+/-]{1,200}$`)
)

// IsState reports whether data looks like a state file of pr-autopilot, of whatever
// version: a report has a hand-over instead.
func IsState(data []byte) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &keys) != nil {
		return false
	}
	_, number := keys["prNumber"]
	_, fixes := keys["fixIterations"]
	_, version := keys["stateSchemaVersion"]
	_, report := keys["handoff"]
	return number && (fixes || version) && !report
}

// ReadState reads a state file of version 1 to 4. wrong says all that keeps it from
// being read; empty where nothing does. Keys that nobody knows are passed over, as
// pr-autopilot does.
func ReadState(data []byte) (s State, wrong string) {
	if len(data) > MaxState {
		return State{}, fmt.Sprintf("it has %d bytes, and at most %d are read", len(data), MaxState)
	}
	var f stateFile
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &f); err != nil {
		return State{}, fmt.Sprintf("it is no state file: %q", err.Error())
	}
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	s = State{Version: 1, PR: f.PR, Repo: f.Repo, Mode: Mode(f.Mode), FixIterations: f.FixIterations, ReviewIteration: f.ReviewIteration, Back: len(f.CommitPushbacks), Head: pr.SHA(f.Head)}
	if f.Version != nil {
		n, err := f.Version.Int64()
		if err != nil || n < 2 || n > newestState {
			bad("stateSchemaVersion is %.20q, and versions 1 (without the key) to %d are known", f.Version.String(), newestState)
		}
		s.Version = int(n)
	}
	if f.PR < 1 {
		bad("prNumber is %d, which is no pull request", f.PR)
	}
	for name, n := range map[string]int{"fixIterations": f.FixIterations, "reviewIteration": f.ReviewIteration, "commitPushbacks": len(f.CommitPushbacks)} {
		if n < 0 || n > maxCount {
			bad("%s is %d, want a number from 0 to %d", name, n, maxCount)
		}
	}
	if s.Version == 1 && s.Mode == "" {
		s.Mode = X
	}
	if s.Mode != "" && s.Mode != X && s.Mode != Y {
		bad("resolvedMode is %.20q, want X or Y", f.Mode)
	}
	if f.Head != "" && !fullID.MatchString(f.Head) {
		bad("lastHandledHeadOid is %.80q, want a full commit id", f.Head)
	}
	if f.CreatedAt != "" {
		at, err := time.Parse(time.RFC3339, f.CreatedAt)
		if err != nil {
			bad("createdAt is %.40q, want a time like 2026-05-29T10:00:00Z", f.CreatedAt)
		}
		s.CreatedAt = at.UTC()
	}
	list := f.ThreadPushbacks
	if len(list) == 0 {
		list = f.PushbackReplies // what version 2 calls threadPushbacks
	}
	if len(list) > maxPushbacks {
		bad("it has %d pushbacks, and at most %d are read", len(list), maxPushbacks)
	}
	for _, p := range list {
		if !threadID.MatchString(p.Thread) {
			bad("a pushback names the thread %.40q, which is no id", p.Thread)
			break
		}
		s.Pushbacks = append(s.Pushbacks, p.Thread)
	}
	if len(problems) > 0 {
		return State{}, strings.Join(problems, "; ")
	}
	return s, ""
}

// Spell is s as a state file of the newest version, on one line.
func (s State) Spell() []byte {
	version := json.Number(fmt.Sprint(newestState))
	f := stateFile{
		Version: &version, PR: s.PR, Repo: s.Repo, Mode: string(s.Mode), FixIterations: s.FixIterations, ReviewIteration: s.ReviewIteration, Head: string(s.Head),
	}
	if !s.CreatedAt.IsZero() {
		f.CreatedAt = s.CreatedAt.Format(time.RFC3339)
	}
	for _, id := range s.Pushbacks {
		f.ThreadPushbacks = append(f.ThreadPushbacks, pushedBack{id})
	}
	for range s.Back {
		f.CommitPushbacks = append(f.CommitPushbacks, struct{}{})
	}
	text, err := json.Marshal(f)
	if err != nil {
		panic("autopilot: a state is made of JSON values: " + err.Error())
	}
	return text
}
