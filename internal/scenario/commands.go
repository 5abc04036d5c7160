package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prloop/prloop/internal/conductor"
	"github.com/prloop/prloop/internal/githubtest"
)

// A command is one word of the story language.
type command struct {
	usage    string // its arguments
	says     string // what it does
	min, max int    // arguments; max -1: any number
	do       func(context.Context, *player, Line) error
}

// language is the story language, in the order of a story. It is a function,
// because some of its words read it.
func language() map[string]command {
	return map[string]command{
		// the world before the story
		"repo":    {"[issues=off] [enterprise] [auto-merge=off]", "start from another kind of repository", 0, 0, doRepo},
		"token":   {"[right=level …] | none | bad | blind", "give the workflow token these rights instead of all", 0, 1, doToken},
		"user":    {"LOGIN | none", "give prloop the user-token of this account", 1, 1, doUser},
		"account": {"LOGIN [permission=P] [seat]", "add an account", 1, 1, doAccount},
		"rules":   {"[base=B] [require=A,B] [workflow=PATH] [on-push] [approvals=N] [queue] [strict]", "set the rules of the base branch", 0, 0, doRules},
		"check":   {"NAME [after=D] [takes=D] [conclusion=C,…|NEVER] [commit-status] [required] [app=A] [workflow=W]", "run this check on every head from now on", 1, 1, doCheck},
		"copilot": {"[start=D] [submit=D]", "set how long Copilot takes", 0, 0, doCopilot},
		"round":   {"LAYOUT [PATH:LINE TEXT …] [silent] [hangs] [vanishes] [body-only]", "script Copilot's next review", 1, -1, doRound},
		"rung":    {"endpoint|rest|by-login|all DOES … [workflow=true]", "say what the next requests by one way of asking Copilot do: works, drops, or an answer", 2, -1, doRung},
		"config":  {"FILE", "put this file of the story on the default branch as prloop's configuration", 1, 1, doConfig},
		"file":    {"PATH FILE", "put this file of the story at this path of the default branch", 2, 2, doFile},
		"input":   {"NAME VALUE", "set an input of the action for the runs that follow", 2, 2, doInput},
		// what people and time do
		"open":     {"[by=L] [head=REF] [base=REF] [draft] [fork] [gone] [label=L] [title=T] [count=N] [same-head] [empty] [closes=N]", "open a pull request", 0, 0, doOpen},
		"issue":    {"TITLE TEXT [by=L] [label=L]", "open an issue: the numbers are 41, 42, …", 2, 2, doIssue},
		"push":     {"[pr=N] [by=L] [force] [quiet] [paths=A,B] [patch=FILE] [net]", "push a new head; patch is a file of the story with what it does to the first of paths, net: with all that was done to that so far", 0, 0, doPush},
		"ready":    {"[pr=N] [by=L]", "mark ready for review", 0, 0, onPull((*githubtest.World).Ready)},
		"draft":    {"[pr=N] [by=L]", "convert to draft", 0, 0, onPull((*githubtest.World).Draft)},
		"close":    {"[pr=N] [by=L]", "close without a merge", 0, 0, onPull((*githubtest.World).Close)},
		"reopen":   {"[pr=N] [by=L]", "open again", 0, 0, onPull((*githubtest.World).Reopen)},
		"merge":    {"[pr=N] [by=L] [method=MERGE|SQUASH|REBASE]", "merge", 0, 0, doMerge},
		"deploy":   {"ENVIRONMENT STATE [pr=N] [commit=merge|before]", "deploy the head, the merge commit or the commit before it", 2, 2, doDeploy},
		"reverts":  {"refused | opened", "let GitHub refuse to open reverts from now on, or not", 1, 1, doReverts},
		"retarget": {"BASE [pr=N] [by=L]", "give the pull request another base", 1, 1, doRetarget},
		"refuse":   {"TEXT | none", "let GitHub refuse every merge, and what arms or queues one, with this text", 1, 1, doRefuse},
		"disarm":   {"[pr=N] [by=L]", "disable the merge that is armed, or take it out of the queue", 0, 0, onPull((*githubtest.World).Disarm)},
		"arm":      {"[pr=N] [by=L]", "have GitHub merge it once nothing holds it back", 0, 0, onPull((*githubtest.World).Arm)},
		"label":    {"NAME [pr=N] [by=L]", "add a label", 1, 1, doLabel},
		"unlabel":  {"NAME [pr=N] [by=L]", "remove a label", 1, 1, doUnlabel},
		"set":      {"[pr=N] [conflict=B] [behind=B] [locked=B] [state=S] [title=T] [base=REF]", "set what GitHub says of the pull request", 0, 0, doSet},
		"post":     {"NAME CONCLUSION|RUNNING [pr=N] [commit=merge|before] [commit-status] [required] [own] [app=A] [workflow=W] [run=N] [attempt=N]", "put one check on the head, on the merge commit, or on the base as it was before the merge", 2, 2, doPost},
		"review":   {"[pr=N] [by=L] [state=S] [body=B] [body-only] [PATH:LINE TEXT …]", "submit a review", 0, -1, doReview},
		"resolve":  {"all | NUMBER … [pr=N] [by=L]", "resolve threads, counted from 1", 0, -1, doResolve},
		"reply":    {"NUMBER TEXT [pr=N] [by=L]", "answer in a thread", 2, 2, doReply},
		"comment":  {"TEXT [pr=N] [by=L]", "comment on the conversation", 1, 1, doComment},
		"edit":     {"TEXT [pr=N] [by=L]", "edit the newest comment that is no bot's", 1, 1, doEdit},
		"request":  {"[LOGIN] [pr=N] [by=L]", "ask this account, or Copilot, for a review by hand", 0, 1, doRequest},
		"withdraw": {"[LOGIN] [pr=N] [by=L]", "take back the request to this account, or to Copilot", 0, 1, doWithdraw},
		"begin":    {"[pr=N] by=L", "begin a review without submitting it", 0, 0, doBegin},
		"submit":   {"[pr=N] by=L [state=S]", "submit the pending review of an account", 0, 0, doSubmit},
		"write":    {"PATH:LINE TEXT [pr=N] by=L", "write a comment into the pending review of an account", 2, 2, doWrite},
		"rewrite":  {"TEXT [pr=N] by=L", "change the first comment in the pending review of an account", 1, 1, doRewrite},
		"drop":     {"[pr=N] by=L", "delete the pending review of an account", 0, 0, doDrop},
		"journal":  {"edit|damage|delete|hide|copy [pr=N] [by=L]", "do this to the journal comment", 1, 1, doJournal},
		"spend":    {"REQUESTS POINTS", "let other workflows use up this much of the token's hour", 2, 2, doSpend},
		"outage":   {"", "let GitHub answer 502 to every request of the next run", 0, 0, doOutage},
		"die":      {"N", "let the process of the next run die after request N", 1, 1, doDie},
		"advance":  {"DURATION", "let time pass; what falls due happens", 1, 1, doAdvance},
		// prloop
		"run":    {"EVENT [ACTION] [pr=N|none] [commit=merge] [file=NAME] [issue] [unnamed] [no-event-file]", "start prloop once", 1, 2, func(ctx context.Context, p *player, l Line) error { return p.run(ctx, l) }},
		"report": {"FILE [pr=N]", "give prloop this report of a fixer; {head}, {handed} and {threadN} stand for what is so now", 1, 1, doReport},
		"route":  {"FILE", "ask the conductor about each line of this file, as \"prloop eval conductor\" does", 1, 1, doRoute},
		"during": {"N COMMAND …", "do this as request N of the next run leaves", 2, -1, doDuring},
		"times":  {"N EVENT [ACTION] every=D", "start prloop N times", 2, 3, doTimes},
		"show":   {"status | summary | outputs | proof | notes | quest | replies | brief | log | route | targets | next-wake | counters", "print this into the transcript", 1, 1, doShow},
	}
}

func commandNames() []string { return slices.Sorted(maps.Keys(language())) }

// Commands returns the story language: usage and meaning of each word.
func Commands() [][2]string {
	var rows [][2]string
	words := language()
	for _, n := range commandNames() {
		rows = append(rows, [2]string{strings.TrimSpace(n + " " + words[n].usage), words[n].says})
	}
	return rows
}

func doRepo(_ context.Context, p *player, l Line) error {
	p.reset(githubtest.Options{
		Owner: Owner, Repo: Repo, Now: start,
		IssuesOff: l.Attrs["issues"] == "off", Enterprise: l.Attrs["enterprise"] != "", AutoMergeOff: l.Attrs["auto-merge"] == "off",
	})
	return nil
}

func doToken(_ context.Context, p *player, l Line) error {
	switch {
	case len(l.Args) == 0:
		p.world.AddToken(githubtest.Token{Value: p.token, Kind: githubtest.Workflow, Rights: l.Attrs})
	case l.Args[0] == "none":
		delete(p.inputs, "github-token")
	case l.Args[0] == "bad":
		p.inputs["github-token"] = "expired"
	case l.Args[0] == "blind":
		p.world.AddToken(githubtest.Token{Value: p.token, Kind: githubtest.Workflow, Blind: true})
	default:
		return fmt.Errorf("%q is no kind of token", l.Args[0])
	}
	return nil
}

func doUser(_ context.Context, p *player, l Line) error {
	if l.Args[0] == "none" {
		delete(p.inputs, "user-token")
		return nil
	}
	p.world.AddToken(githubtest.Token{Value: l.Args[0] + "-token", Login: l.Args[0], Kind: githubtest.User})
	p.inputs["user-token"] = l.Args[0] + "-token"
	return nil
}

func doAccount(_ context.Context, p *player, l Line) error {
	p.world.AddAccount(githubtest.Account{Login: l.Args[0], Permission: l.Attrs["permission"], Seat: l.Attrs["seat"] != ""})
	return nil
}

func doRules(_ context.Context, p *player, l Line) error {
	if r := l.Attrs["require"]; r != "" {
		p.rules.Contexts = append(p.rules.Contexts, strings.Split(r, ",")...)
	}
	if r := l.Attrs["ruleset"]; r != "" {
		p.rules.Checks = append(p.rules.Checks, strings.Split(r, ",")...)
	}
	if w := l.Attrs["workflow"]; w != "" {
		p.rules.Workflows = append(p.rules.Workflows, w)
	}
	if n, err := strconv.Atoi(l.Attrs["approvals"]); err == nil {
		p.rules.Approvals = n
	}
	p.rules.MergeQueue = p.rules.MergeQueue || l.Attrs["queue"] != ""
	p.rules.Strict = p.rules.Strict || l.Attrs["strict"] != ""
	if l.Attrs["on-push"] != "" {
		p.rules.Copilot = &githubtest.CopilotRule{OnPush: true}
	}
	p.world.SetRules(cmp.Or(l.Attrs["base"], "main"), p.rules)
	return nil
}

func doCheck(_ context.Context, p *player, l Line) error {
	c := githubtest.ScriptedCheck{Check: githubtest.Check{
		Name: l.Args[0], App: l.Attrs["app"], Workflow: l.Attrs["workflow"],
		StatusOnly: l.Attrs["commit-status"] != "", Required: l.Attrs["required"] != "",
	}}
	var err error
	if c.After, err = duration(l.Attrs["after"], 0); err != nil {
		return err
	}
	if c.Takes, err = duration(l.Attrs["takes"], 3*time.Minute); err != nil {
		return err
	}
	if v := l.Attrs["conclusion"]; v == "NEVER" {
		c.Never = true
	} else if v != "" {
		c.Conclusions = strings.Split(v, ",")
	}
	p.checks = append(p.checks, c)
	p.world.SetChecks(p.checks...)
	return nil
}

func doCopilot(_ context.Context, p *player, l Line) error {
	var err error
	if p.copilot.StartAfter, err = duration(l.Attrs["start"], p.copilot.StartAfter); err != nil {
		return err
	}
	if p.copilot.SubmitAfter, err = duration(l.Attrs["submit"], p.copilot.SubmitAfter); err != nil {
		return err
	}
	p.world.SetReviewer(githubtest.CopilotReviewer, p.copilot)
	return nil
}

// layouts are the shapes of a Copilot review, by the words of the stories.
var layouts = map[string]githubtest.Layout{
	"v1": githubtest.V1, "v1-short": githubtest.V1Short, "v2": githubtest.V2, "v2oct": githubtest.V2October,
	"error": githubtest.ErrorNotice, "quota": githubtest.QuotaNotice, "no-files": githubtest.NoFiles,
	"still-reviewing": githubtest.StillReviewing, "unknown": githubtest.Unknown,
}

func doRound(_ context.Context, p *player, l Line) error {
	layout, ok := layouts[l.Args[0]]
	if !ok {
		return fmt.Errorf("%q is no layout; there are: %s", l.Args[0], strings.Join(slices.Sorted(maps.Keys(layouts)), ", "))
	}
	list, err := findings(l.Args[1:], l.Attrs["body-only"] != "")
	if err != nil {
		return err
	}
	p.copilot.Rounds = append(p.copilot.Rounds, githubtest.Round{
		Layout: layout, Findings: list, Body: l.Attrs["body"], State: l.Attrs["state"],
		Silent: l.Attrs["silent"] != "", Hangs: l.Attrs["hangs"] != "", Vanishes: l.Attrs["vanishes"] != "",
	})
	p.world.SetReviewer(githubtest.CopilotReviewer, p.copilot)
	return nil
}

// findings reads pairs of PATH:LINE and TEXT.
func findings(args []string, bodyOnly bool) ([]githubtest.Finding, error) {
	if len(args)%2 != 0 {
		return nil, fmt.Errorf("findings are pairs of PATH:LINE and TEXT")
	}
	var list []githubtest.Finding
	for pair := range slices.Chunk(args, 2) {
		path, line, _ := strings.Cut(pair[0], ":")
		n, err := strconv.Atoi(cmp.Or(line, "0"))
		if err != nil {
			return nil, fmt.Errorf("%q is no line", line)
		}
		list = append(list, githubtest.Finding{Path: path, Line: n, Text: pair[1], BodyOnly: bodyOnly})
	}
	return list, nil
}

func doRung(_ context.Context, p *player, l Line) error {
	ways := []githubtest.Rung{githubtest.Rung(l.Args[0])}
	if l.Args[0] == "all" {
		ways = []githubtest.Rung{githubtest.Endpoint, githubtest.REST, githubtest.ByLogin}
	}
	does := make([]githubtest.Does, len(l.Args)-1)
	for i, d := range l.Args[1:] {
		switch d {
		case "works":
		case "drops":
			does[i].Drop = true
		default: // a status, and after ":" GitHub's reason
			status, reason, _ := strings.Cut(d, ":")
			n, err := strconv.Atoi(status)
			if err != nil {
				return fmt.Errorf("%q is nothing that a rung does", d)
			}
			does[i] = githubtest.Does{Status: n, Reason: reason}
		}
	}
	for _, w := range ways {
		if l.Attrs["workflow"] != "" {
			p.world.SetWorkflowRung(w, does...)
		} else {
			p.world.SetRung(w, does...)
		}
	}
	return nil
}

func doConfig(_ context.Context, p *player, l Line) error {
	text, ok := p.story.Files[l.Args[0]]
	if !ok {
		return fmt.Errorf("the story has no file %q", l.Args[0])
	}
	p.world.SetFile(".github/prloop.yml", text)
	return nil
}

func doFile(_ context.Context, p *player, l Line) error {
	text, ok := p.story.Files[l.Args[1]]
	if !ok {
		return fmt.Errorf("the story has no file %q", l.Args[1])
	}
	p.world.SetFile(l.Args[0], text)
	return nil
}

func doInput(_ context.Context, p *player, l Line) error {
	p.inputs[l.Args[0]] = l.Args[1]
	return nil
}

func doOpen(_ context.Context, p *player, l Line) error {
	o := githubtest.PR{
		Author: cmp.Or(l.Attrs["by"], "mona"), HeadRef: l.Attrs["head"], Base: l.Attrs["base"],
		Title: l.Attrs["title"], Draft: l.Attrs["draft"] != "", HeadGone: l.Attrs["gone"] != "", Empty: l.Attrs["empty"] != "",
	}
	if s := l.Attrs["closes"]; s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("%q is no number of an issue", s)
		}
		o.Closes = []int{n}
	}
	// The issue of the repository record takes a number too: the pull requests
	// of a story are 7, 21, 22, …
	o.Number = 7
	if n := len(p.pulls); n > 0 {
		o.Number = 20 + n
	}
	if l.Attrs["same-head"] != "" {
		o.Head = p.world.Pull(p.pulls[0]).Head
	}
	if l.Attrs["fork"] != "" {
		o.HeadRepo = o.Author + "/" + Repo
	}
	if s := l.Attrs["label"]; s != "" {
		o.Labels = strings.Split(s, ",")
	}
	n := 1
	if s := l.Attrs["count"]; s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			return fmt.Errorf("%q is no count", s)
		}
	}
	for range n {
		p.pulls = append(p.pulls, p.world.OpenPR(o))
		o.Number = 0
	}
	return nil
}

// onPull makes a command of a method of the world that takes a pull request
// and who does it.
func onPull(f func(w *githubtest.World, n int, by string)) func(context.Context, *player, Line) error {
	return func(_ context.Context, p *player, l Line) error {
		n, err := p.pull(l.Attrs["pr"])
		if err != nil {
			return err
		}
		f(p.world, n, cmp.Or(l.Attrs["by"], "mona"))
		return nil
	}
}

// doIssue opens an issue under a number that no pull request of a story has.
func doIssue(_ context.Context, p *player, l Line) error {
	p.issues++
	n := p.world.OpenIssueAt(firstIssue+p.issues, cmp.Or(l.Attrs["by"], "mona"), l.Args[0], l.Args[1], strings.FieldsFunc(l.Attrs["label"], func(r rune) bool { return r == ',' })...)
	p.things = append(p.things, n)
	return nil
}

// firstIssue is the number before the first issue's.
const firstIssue = 40

func doPush(ctx context.Context, p *player, l Line) error {
	patch, ok := p.story.Files[l.Attrs["patch"]]
	if l.Attrs["patch"] != "" && !ok {
		return fmt.Errorf("the story has no file %q", l.Attrs["patch"])
	}
	return onPull(func(w *githubtest.World, n int, by string) {
		o := githubtest.Push{By: by, Force: l.Attrs["force"] != "", Quiet: l.Attrs["quiet"] != ""}
		if list := l.Attrs["paths"]; list != "" {
			o.Paths = strings.Split(list, ",")
		}
		if patch != "" && len(o.Paths) > 0 {
			o.Files = []githubtest.FileChange{{
				Path: o.Paths[0], Patch: patch, Additions: strings.Count(patch, "\n+"), Deletions: strings.Count(patch, "\n-"), Net: l.Attrs["net"] != "",
			}}
		}
		w.Push(n, o)
	})(ctx, p, l)
}

func doMerge(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) { w.MergeAs(n, by, l.Attrs["method"]) })(ctx, p, l)
}

// commitOf is the commit that an attribute names: the head, the merge commit, or
// what the base stood at before the merge.
func commitOf(w *githubtest.World, n int, which string) (string, error) {
	pull := w.Pull(n)
	switch {
	case which == "":
		return pull.Head, nil
	case which == "before" && pull.MergeCommit == "":
		return w.Branch(pull.Base), nil
	case which == "before" || which == "merge" && pull.MergeCommit != "":
		oid := pull.MergeCommit
		for which == "before" && w.Brought(n, oid) {
			oid = w.Parents(oid)[0]
		}
		return oid, nil
	}
	return "", fmt.Errorf("#%d has no commit %q", n, which)
}

func doDeploy(_ context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err != nil {
		return err
	}
	oid, err := commitOf(p.world, n, l.Attrs["commit"])
	if err == nil {
		p.world.Deploy(oid, l.Args[0], l.Args[1])
	}
	return err
}

func doReverts(_ context.Context, p *player, l Line) error {
	p.world.RefuseReverts(map[string]string{"refused": "This pull request could not be reverted."}[l.Args[0]])
	return nil
}

func doRetarget(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) { w.Retarget(n, by, l.Args[0]) })(ctx, p, l)
}

func doRefuse(_ context.Context, p *player, l Line) error {
	text := l.Args[0]
	if text == "none" {
		text = ""
	}
	p.world.RefuseMerges(text)
	return nil
}

func doLabel(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) { w.Label(n, by, l.Args[0]) })(ctx, p, l)
}

func doUnlabel(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) { w.Unlabel(n, by, l.Args[0]) })(ctx, p, l)
}

func doSet(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, _ string) {
		w.SetPull(n, func(pull *githubtest.Pull) {
			for k, v := range l.Attrs {
				switch k {
				case "conflict":
					pull.Conflict = v == "true"
				case "behind":
					pull.Behind = v == "true"
				case "locked":
					pull.Locked = v == "true"
				case "state":
					pull.MergeState = v
				case "title":
					pull.Title = v
				case "base":
					pull.Base = v
				}
			}
		})
	})(ctx, p, l)
}

func doPost(ctx context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err != nil {
		return err
	}
	oid, err := commitOf(p.world, n, l.Attrs["commit"])
	if err != nil {
		return err
	}
	return onPull(func(w *githubtest.World, n int, by string) {
		c := githubtest.Check{
			Name: l.Args[0], StatusOnly: l.Attrs["commit-status"] != "", Required: l.Attrs["required"] != "",
			App: l.Attrs["app"], Workflow: l.Attrs["workflow"], Creator: by,
		}
		if l.Args[1] != "RUNNING" {
			c.Conclusion = l.Args[1]
		}
		if run, err := strconv.ParseInt(l.Attrs["run"], 10, 64); err == nil {
			c.RunID = run
		}
		c.Attempt, _ = strconv.Atoi(l.Attrs["attempt"])
		if l.Attrs["own"] != "" {
			c.Workflow, c.Path = "prloop", ".github/workflows/prloop.yml"
		}
		if l.Attrs["commit"] == "" {
			w.Check(n, c)
		} else {
			c.Event = "push"
			w.CheckOn(oid, c)
		}
	})(ctx, p, l)
}

func doReview(ctx context.Context, p *player, l Line) error {
	list, err := findings(l.Args, l.Attrs["body-only"] != "")
	if err != nil {
		return err
	}
	return onPull(func(w *githubtest.World, n int, _ string) {
		w.Review(n, githubtest.Submitted{By: cmp.Or(l.Attrs["by"], "hubot"), State: l.Attrs["state"], Body: l.Attrs["body"], Findings: list})
	})(ctx, p, l)
}

func doResolve(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) {
		for i, t := range p.world.Pull(n).Threads {
			if slices.Contains(l.Args, "all") || slices.Contains(l.Args, strconv.Itoa(i+1)) {
				w.Resolve(t.ID, by)
			}
		}
	})(ctx, p, l)
}

func doReply(ctx context.Context, p *player, l Line) error {
	i, err := strconv.Atoi(l.Args[0])
	if err != nil {
		return fmt.Errorf("%q is no number of a thread", l.Args[0])
	}
	n, err := p.pull(l.Attrs["pr"])
	if err != nil {
		return err
	}
	threads := p.world.Pull(n).Threads
	if i < 1 || i > len(threads) {
		return fmt.Errorf("there is no thread %d", i)
	}
	return onPull(func(w *githubtest.World, _ int, by string) { w.Reply(threads[i-1].ID, by, l.Args[1]) })(ctx, p, l)
}

func doComment(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) { w.Comment(n, by, l.Args[0]) })(ctx, p, l)
}

// doEdit edits the newest comment of a person, by its author unless somebody is
// named.
func doEdit(_ context.Context, p *player, l Line) error {
	n, err := p.number(l.Attrs["pr"])
	if err != nil {
		return err
	}
	for _, c := range slices.Backward(p.comments(n)) {
		if !strings.HasSuffix(c.Author, "[bot]") {
			p.world.EditComment(c.DatabaseID, cmp.Or(l.Attrs["by"], c.Author), l.Args[0])
			return nil
		}
	}
	return fmt.Errorf("pull request #%d has no comment of a person", n)
}

func doRequest(ctx context.Context, p *player, l Line) error {
	who := githubtest.CopilotReviewer
	if len(l.Args) > 0 {
		who = l.Args[0]
	}
	return onPull(func(w *githubtest.World, n int, by string) { w.Request(n, by, who) })(ctx, p, l)
}

func doWithdraw(ctx context.Context, p *player, l Line) error {
	who := githubtest.CopilotReviewer
	if len(l.Args) > 0 {
		who = l.Args[0]
	}
	return onPull(func(w *githubtest.World, n int, by string) { w.Withdraw(n, by, who) })(ctx, p, l)
}

func doBegin(ctx context.Context, p *player, l Line) error {
	return onPull(func(w *githubtest.World, n int, by string) { w.BeginReview(n, by) })(ctx, p, l)
}

// doRoute lets the conductor answer lines that no live pull request gives.
func doRoute(_ context.Context, p *player, l Line) error {
	file, ok := p.story.Files[l.Args[0]]
	if !ok {
		return fmt.Errorf("the story has no file %q", l.Args[0])
	}
	fmt.Fprintf(&p.text, "\nroute %s\n", l.Args[0])
	for line := range strings.Lines(file) {
		answer := conductor.Eval([]byte(strings.TrimSpace(line)))
		words, err := routeWords(json.RawMessage(answer))
		if err != nil {
			return err
		}
		fmt.Fprintf(&p.text, "  %s\n    %s", strings.TrimSpace(line), words)
	}
	return nil
}

func doSubmit(_ context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err == nil && !p.world.SubmitDraft(n, l.Attrs["by"], l.Attrs["state"]) {
		err = fmt.Errorf("%q has no pending review of #%d", l.Attrs["by"], n)
	}
	return err
}

func doWrite(_ context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err != nil {
		return err
	}
	list, err := findings(l.Args, false)
	if err == nil && !p.world.WriteInDraft(n, l.Attrs["by"], list[0]) {
		err = fmt.Errorf("%q has no pending review of #%d", l.Attrs["by"], n)
	}
	return err
}

func doRewrite(_ context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err == nil && !p.world.RewriteDraft(n, l.Attrs["by"], l.Args[0]) {
		err = fmt.Errorf("%q has no pending review of #%d", l.Attrs["by"], n)
	}
	return err
}

func doDrop(_ context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err == nil && !p.world.DropDraft(n, l.Attrs["by"]) {
		err = fmt.Errorf("%q has no pending review of #%d", l.Attrs["by"], n)
	}
	return err
}

// doJournal does to the journal comment what people (and other workflows) do.
func doJournal(_ context.Context, p *player, l Line) error {
	n, err := p.pull(l.Attrs["pr"])
	if err != nil {
		return err
	}
	c, ok := p.journalComment(n)
	if !ok {
		return fmt.Errorf("pull request #%d has no journal comment", n)
	}
	by := cmp.Or(l.Attrs["by"], "hubot")
	switch l.Args[0] {
	case "edit":
		p.world.EditComment(c.DatabaseID, by, strings.Replace(c.Body, `"asked":`, `"asked":1`, 1))
	case "damage":
		p.world.EditComment(c.DatabaseID, githubtest.ActionsBot, c.Body[:len(c.Body)/2])
	case "delete":
		p.world.DeleteComment(c.DatabaseID, by)
	case "hide":
		p.world.HideComment(c.DatabaseID, by, "outdated")
	case "copy":
		p.world.Comment(n, cmp.Or(l.Attrs["by"], githubtest.ActionsBot), c.Body)
	case "lock":
		p.world.React(c.DatabaseID, githubtest.ActionsBot, "eyes")
	default:
		return fmt.Errorf("%q is nothing that a story does to a journal", l.Args[0])
	}
	return nil
}

func doAdvance(_ context.Context, p *player, l Line) error {
	d, err := duration(l.Args[0], 0)
	if err != nil {
		return err
	}
	p.world.Advance(d)
	return nil
}

func doSpend(_ context.Context, p *player, l Line) error {
	requests, err1 := strconv.Atoi(l.Args[0])
	points, err2 := strconv.Atoi(l.Args[1])
	if err1 != nil || err2 != nil {
		return fmt.Errorf("spend takes two numbers")
	}
	p.world.Spend(p.token, requests, points)
	return nil
}

func doDie(_ context.Context, p *player, l Line) error {
	n, err := strconv.Atoi(l.Args[0])
	if err != nil {
		return fmt.Errorf("%q is no number of a request", l.Args[0])
	}
	p.die = n
	return nil
}

func doOutage(_ context.Context, p *player, _ Line) error {
	p.outage = true
	return nil
}

func doDuring(_ context.Context, p *player, l Line) error {
	n, err := strconv.Atoi(l.Args[0])
	if err != nil {
		return fmt.Errorf("%q is no number of a request", l.Args[0])
	}
	_, text, _ := strings.Cut(l.Text, l.Args[0]+" ")
	c, err := parseLine(text)
	if err != nil {
		return err
	}
	p.during[n] = append(p.during[n], c)
	return nil
}

// doReport runs the command report. The report names what the world has: the
// head, the head that was handed over last, the threads.
func doReport(ctx context.Context, p *player, l Line) error {
	text, ok := p.story.Files[l.Args[0]]
	if !ok {
		return fmt.Errorf("the story has no file %q", l.Args[0])
	}
	n, err := p.pull(l.Attrs["pr"])
	if err != nil {
		return err
	}
	var pull githubtest.Pull
	if !slices.Contains(p.things, n) {
		pull = p.world.Pull(n)
	}
	words := []string{"{head}", pull.Head, "{handed}", p.handed, "{number}", strconv.Itoa(n)}
	for i, t := range pull.Threads {
		words = append(words, fmt.Sprintf("{thread%d}", i+1), t.ID)
	}
	for i, f := range p.findings {
		words = append(words, fmt.Sprintf("{finding%d}", i+1), f)
	}
	p.inputs["command"], p.inputs["report"] = "report", strings.NewReplacer(words...).Replace(text)
	defer func() {
		delete(p.inputs, "command")
		delete(p.inputs, "report")
	}()
	one := l
	one.Args = []string{"workflow_dispatch", "report " + l.Args[0]}
	return p.run(ctx, one)
}

func doTimes(ctx context.Context, p *player, l Line) error {
	n, err := strconv.Atoi(l.Args[0])
	if err != nil {
		return fmt.Errorf("%q is no count", l.Args[0])
	}
	every, err := duration(l.Attrs["every"], time.Second)
	if err != nil {
		return err
	}
	one := l
	one.Args = l.Args[1:]
	for range n {
		if err := p.run(ctx, one); err != nil {
			return err
		}
		p.world.Advance(every)
	}
	return nil
}

func doShow(_ context.Context, p *player, l Line) error { return p.show(l.Args[0], l.Attrs["pr"]) }

func duration(s string, other time.Duration) (time.Duration, error) {
	if s == "" {
		return other, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration (such as 90s, 5m, 2h)", s)
	}
	return d, nil
}
