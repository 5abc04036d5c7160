// Package pr holds a pull request as facts: what GitHub answered, read once,
// under GitHub's own words and without any of its API types. Nothing here
// judges; the derivations (what a review is worth, whether checks are green)
// are in package facts.
//
// Start at [Snapshot].
package pr

import (
	"slices"
	"strings"
	"time"
)

// A Login is an account name in its one spelling: lower case, without the
// suffix [bot]. GitHub spells one bot differently on every surface; see
// [NewLogin].
type Login string

// NewLogin spells s as a Login: it trims one trailing "[bot]" and lowers the
// case. The type of the account is a fact of its own ([Actor.Bot]), because a
// person may be called what a bot is called.
func NewLogin(s string) Login {
	return Login(strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), "[bot]"))
}

// A SHA is a full commit id in hex.
type SHA string

// Short returns the first seven digits, as people read commits.
func (s SHA) Short() string {
	if len(s) < 7 {
		return string(s)
	}
	return string(s[:7])
}

// An Actor is whoever did something. The zero Actor is a ghost: an account
// that is gone, or that GitHub does not show.
type Actor struct {
	Login Login
	Bot   bool
	ID    int64 // database id; 0 where the surface does not tell
}

// The accounts of Copilot. REST calls both of them "Copilot"; the ids tell
// them apart (github-platform: login spellings).
const (
	CopilotReviewer   Login = "copilot-pull-request-reviewer"
	CopilotAgent      Login = "copilot-swe-agent"
	Copilot           Login = "copilot"
	CopilotReviewerID int64 = 175728472
	CopilotAgentID    int64 = 198982749
)

// IsCopilotReviewer reports whether a is Copilot code review. The coding agent
// is another actor, although some surfaces give both the login "Copilot": an
// account called so counts as the reviewer unless its id says otherwise.
func (a Actor) IsCopilotReviewer() bool {
	switch {
	case !a.Bot:
		return false
	case a.ID != 0 && (a.Login == Copilot || a.Login == CopilotReviewer):
		return a.ID == CopilotReviewerID
	default:
		return a.Login == CopilotReviewer || a.Login == Copilot
	}
}

// IsCopilotAgent reports whether a is Copilot's coding agent.
func (a Actor) IsCopilotAgent() bool {
	return a.Bot && (a.Login == CopilotAgent || a.Login == Copilot && a.ID == CopilotAgentID)
}

// A State is the state of a pull request, in GitHub's words.
type State string

// The states of a pull request (GraphQL enum PullRequestState).
const (
	Open   State = "OPEN"
	Closed State = "CLOSED"
	Merged State = "MERGED"
)

// A Fact names a part of the snapshot that is read by itself and can be
// unknown by itself.
type Fact string

// The facts that can be unknown.
const (
	FactPullRequest Fact = "pull request"
	FactConfig      Fact = "configuration file"
	FactComments    Fact = "comments"
	FactReviews     Fact = "reviews"
	FactThreads     Fact = "review threads"
	FactRequests    Fact = "review requests"
	FactEvents      Fact = "timeline"
	FactRules       Fact = "rules of the base branch"
	FactChecks      Fact = "checks"
	FactWorkflows   Fact = "workflows of the checks"
	FactRecord      Fact = "repository record"
	FactWork        Fact = "Copilot's work events"
	FactGraph       Fact = "knowledge graph"
	FactAgentPush   Fact = "coding agent's commits"
	FactPermission  Fact = "permission of who commands"
	FactMerging     Fact = "state and settings of the merge"
	FactParents     Fact = "pull requests of the base branch"
	FactTwins       Fact = "pull requests of the same head"
	FactLinks       Fact = "issues and pull requests that are linked"
	FactIssue       Fact = "issue that it closes"
)

// An Unknown is a fact that could not be read in full. Unknown is never zero
// and never clean: whoever needs the fact waits or stops, and names it.
type Unknown struct {
	Fact Fact
	Why  string // in our own words; GitHub's message is quoted by the reader
	// Right is the permission that was missing, in the words of a workflow
	// file ("checks: read"), or empty where the cause is another one.
	Right string
}

// A Snapshot is one pull request as it stood at At.
type Snapshot struct {
	At     time.Time // GitHub's clock: the Date header of the answer
	Repo   Repo
	Viewer Actor // who the token is

	Found  bool // false: there is no such pull request
	ID     string
	Number int
	URL    string
	Title  string // a stranger's text
	State  State
	Draft  bool
	Locked bool
	// CanUpdate: GitHub says that the token may change the pull request. Taken
	// for certain only against a fork's read-only token; elsewhere a write shows.
	CanUpdate bool
	Author    Actor
	Head      SHA
	HeadRef   string // a stranger's text
	// HeadRepo is "owner/name" of the head's repository, empty once that is
	// gone. Missing never means "not a fork" (see Fork).
	HeadRepo   string
	Base       Branch
	Labels     []string // sorted
	CreatedAt  time.Time
	UpdatedAt  time.Time
	MergeState string // GraphQL enum MergeStateStatus, as it came

	// MergedAt, MergedBy and MergeCommit (on the base) are zero until it is
	// merged. A ghost may have merged it. They, AutoMerge, Queue, HasQueue,
	// HeadDeleted and Merges are read together: FactMerging says that they are not
	// known.
	MergedAt    time.Time
	MergedBy    Actor
	MergeCommit SHA
	// AutoMerge is the merge that GitHub makes as soon as nothing holds it back;
	// nil where none is armed.
	AutoMerge *AutoMerge
	// Queue is its place in the merge queue; nil where it is in none.
	Queue *QueueEntry
	// HasQueue: its base merges through a merge queue.
	HasQueue bool
	// HeadDeleted: its head branch is no more.
	HeadDeleted bool
	Merges      Merges

	// Parents are the newest pull requests whose head is its base branch, the newest
	// first: it is stacked on one that is open.
	Parents []Linked
	// Twins are the other open pull requests of its very head, by their numbers.
	Twins []Linked
	// Closes are the issues that it closes by its merge; of an issue, ClosedBy are
	// the pull requests that do so.
	Closes   []Linked
	ClosedBy []Linked
	// Issue has what an issue has beside this; nil for a pull request.
	Issue *Issue

	// ChangedFiles counts the files that it changes; 0 where GitHub does not tell.
	ChangedFiles int
	// HeadSuiteAt is when the head's first check suite was created; zero where
	// it has none.
	HeadSuiteAt time.Time

	Comments []Comment // oldest first, all
	Reviews  []Review  // oldest first, all
	Threads  []Thread  // all, outdated ones too
	Requests []Actor   // who is asked for a review now; teams are left out
	Events   []Event   // oldest first: the kinds below
	Rules    Rules
	Checks   []Check // of the head, every context of its rollup
	Config   File
	Record   Record
	// Work has Copilot's work events from the REST timeline. It is read only
	// when a decision asks for it; WorkRead says that it was.
	Work     []Event
	WorkRead bool
	// Graph is what there is of a knowledge graph of the code. It is looked for
	// only when a decision asks for it, and empty until then.
	Graph Graph

	// Watched is what stands on the merge commit. It is read only when a decision
	// asks for it, and nil until then.
	Watched *Watched

	// Writers says of people whether they have write permission, as the
	// permission endpoint says. They are asked for only where a decision needs
	// them; WritersRead says that it was done. Who is not in it is not known.
	Writers     map[Login]bool
	Admins      map[Login]bool // of them, who administers the repository
	WritersRead bool

	Unknown []Unknown
}

// A Linked is another pull request or issue that belongs to this one.
type Linked struct {
	Number int
	State  State
	Head   SHA      // of a pull request
	Labels []string // sorted
	// Base, Author and Fork are of a pull request that has the same head.
	Base   string // a stranger may name a branch
	Author Actor
	Fork   bool // its head is in another repository
	// Cut: it has more labels than these.
	Cut bool
}

// An Issue is what an issue has that a pull request has not.
type Issue struct {
	Body string // a stranger's text
	// Editor is who edited the text last, at EditedAt; zero where nobody did.
	Editor   Actor
	EditedAt time.Time
	// Base is the newest commit of the default branch.
	Base SHA
}

// A Graph is what there is of a knowledge graph of the code (seed 001, 0.6a).
type Graph string

// What there can be of it.
const (
	GraphPresent Graph = "present"
	GraphBroken  Graph = "broken" // its folder is there, and the graph is not
	GraphAbsent  Graph = "absent"
)

// Where a knowledge graph is, from the root of the repository.
const (
	GraphFolder = "graphify-out"
	GraphFile   = "graphify-out/graph.json"
)

// Missing returns the unknown fact f, or nil where it was read in full.
func (s *Snapshot) Missing(f Fact) *Unknown {
	if i := slices.IndexFunc(s.Unknown, func(u Unknown) bool { return u.Fact == f }); i >= 0 {
		return &s.Unknown[i]
	}
	return nil
}

// Fork reports whether the head lives outside the repository. A head
// repository that is gone counts as a fork.
func (s *Snapshot) Fork() bool {
	return !strings.EqualFold(s.HeadRepo, s.Repo.String())
}

// HeadGone reports whether the head's repository no longer exists.
func (s *Snapshot) HeadGone() bool { return s.HeadRepo == "" }

// A Repo names a repository.
type Repo struct {
	Owner, Name   string
	DefaultBranch string
	// IssuesOff: issues are switched off, so there is no repository record.
	IssuesOff bool
}

func (r Repo) String() string { return r.Owner + "/" + r.Name }

// A MergeMethod is a way to merge, in GitHub's words.
type MergeMethod string

// The ways to merge (GraphQL enum PullRequestMergeMethod).
const (
	MergeCommits MergeMethod = "MERGE"
	Squash       MergeMethod = "SQUASH"
	Rebase       MergeMethod = "REBASE"
)

// Merges are the settings of the repository about merging.
type Merges struct {
	// Auto: auto-merge is allowed.
	Auto bool
	// Methods are the ways to merge that are allowed.
	Methods []MergeMethod
	// DeletesHead: GitHub deletes the head branch of what is merged by itself.
	DeletesHead bool
}

// An AutoMerge is an armed merge: who armed it, when, and how it merges.
type AutoMerge struct {
	At     time.Time
	By     Actor // a ghost where GitHub does not tell
	Method MergeMethod
}

// A QueueEntry is a place in the merge queue.
type QueueEntry struct {
	At    time.Time
	By    Actor
	State string // GraphQL enum MergeQueueEntryState, as it came
}

// A Branch is a base branch.
type Branch struct {
	Name string // a stranger may name a branch
	OID  SHA
}

// A File is a file of the default branch.
type File struct {
	Path  string
	Found bool
	Text  string
}

// A Record is the repository record as it stands: the issue by us with the
// label prloop. Number 0: there is none yet.
type Record struct {
	Number int
	ID     string
	Body   string
	Closed bool
}

// A Comment is a comment on the pull request's conversation.
type Comment struct {
	ID         string
	DatabaseID int64
	Author     Actor
	Mine       bool // the token's own account wrote it (viewerDidAuthor)
	Insider    bool // its author is an owner, member or collaborator (authorAssociation)
	Body       string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	// EditedAt is zero for a comment that was never edited. Editor is who
	// edited it last.
	EditedAt  time.Time
	Editor    Actor
	Minimized bool
	// Locked: the token's own account has put its eyes on it. On the journal
	// that is the lock of a run (design 3, Ownership).
	Locked bool
	// Answer is how the token's own account answered it by a reaction; empty
	// where it did not. Of several the one that says most.
	Answer Reaction
}

// A Reaction is an emoji under a comment, in the words of the REST interface
// (https://docs.github.com/en/rest/reactions/reactions#about-reactions).
type Reaction string

// The reactions that answer a command (design 10), by how much they say: it was
// done, it is so already, it was not done.
const (
	Rocket   Reaction = "rocket"
	PlusOne  Reaction = "+1"
	Confused Reaction = "confused"
)

// A ReviewState is the state of a review, in GitHub's words.
type ReviewState string

// The states of a review (GraphQL enum PullRequestReviewState).
const (
	Pending          ReviewState = "PENDING"
	Commented        ReviewState = "COMMENTED"
	Approved         ReviewState = "APPROVED"
	ChangesRequested ReviewState = "CHANGES_REQUESTED"
	Dismissed        ReviewState = "DISMISSED"
)

// A Review is one review, with the commit that it looked at.
type Review struct {
	ID          string
	Author      Actor
	Trusted     bool // its author can push to the repository
	State       ReviewState
	Commit      SHA // empty where GitHub no longer tells
	SubmittedAt time.Time
	Body        string
	URL         string
}

// A Thread is a review thread with all its comments.
type Thread struct {
	ID           string
	Path         string
	Line         int // 0 where the thread has none any more, or is about the file
	OriginalLine int
	Resolved     bool
	Outdated     bool
	FileLevel    bool
	Comments     []ThreadComment // oldest first
	URL          string
}

// A ThreadComment is one comment of a thread.
type ThreadComment struct {
	ID        string
	Author    Actor
	Mine      bool
	Trusted   bool // its author can push to the repository
	Body      string
	Code      string // the line of code that it is about, cut to 400 bytes; a stranger's text
	CreatedAt time.Time
	ReviewID  string
	URL       string
}

// An EventKind is a kind of timeline event that prloop reads.
type EventKind string

// The timeline events. The three copilot_work kinds are REST-only.
const (
	ReviewRequested      EventKind = "review_requested"
	ReviewRequestRemoved EventKind = "review_request_removed"
	ReadyForReview       EventKind = "ready_for_review"
	ConvertedToDraft     EventKind = "convert_to_draft"
	Reopened             EventKind = "reopened"
	HeadForcePushed      EventKind = "head_ref_force_pushed"
	WorkStarted          EventKind = "copilot_work_started"
	WorkFinished         EventKind = "copilot_work_finished"
	WorkFailed           EventKind = "copilot_work_finished_failure"
)

// An Event is one entry of the timeline.
type Event struct {
	Kind  EventKind
	At    time.Time
	Actor Actor
	// Reviewer is who was asked, for the two kinds about requests.
	Reviewer Actor
}

// Rules are the rules of the base branch that prloop reads.
type Rules struct {
	// RequiredContexts are the checks that the base requires by name: of the
	// classic protection and of the rulesets. Sorted, without doubles.
	RequiredContexts []string
	// RequiredWorkflows are paths of workflow files that a ruleset requires.
	RequiredWorkflows []string
	// CopilotReviewOnPush: a ruleset asks Copilot at every push.
	CopilotReviewOnPush bool
}

// A Check is one context of the head's rollup: a check run or a commit status.
type Check struct {
	Name       string
	Status     bool   // a commit status, not a check run
	State      string // check run: its status; commit status: its state
	Conclusion string // check run: its conclusion, once completed
	Required   bool   // isRequired for this pull request
	ID         int64  // database id of a check run
	App        string // slug of the app
	StartedAt  time.Time
	URL        string
	ExternalID string // of a check run, as its app gave it

	// What follows needs "actions: read"; WorkflowKnown says that it was read
	// (or that the run belongs to no workflow).
	WorkflowKnown bool
	Workflow      string // its name
	WorkflowPath  string // its file, as in the run's workflow
	RunID         int64
	RunNumber     int
	RunAttempt    int
}
