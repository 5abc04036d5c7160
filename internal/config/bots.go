package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/prloop/prloop/internal/autopilot"
	"github.com/prloop/prloop/internal/pr"
)

// botKeys are the keys of one entry of reviewers.bots. An entry is read into
// settings of its own, where scratch is its place.
var botKeys = []Key{
	{Path: "login", Doc: "Its account", value: word(func(s *Settings) *string { return &scratch(s).Login }, logins)},
	{Path: "mode", Doc: "When it is asked: for every head, at the end, or never", value: oneOf(func(s *Settings) *Mode { return &scratch(s).Mode }, EachIter, FinalOnly, Off)},
	{Path: "trigger", Doc: "What starts its review of a head: nothing, since it looks by itself, or a mention (needs user-token)", value: oneOf(func(s *Settings) *autopilot.Trigger { return &scratch(s).Trigger }, autopilot.NoTrigger, autopilot.Mention)},
	{Path: "mention", Doc: "The words of the mention", value: word(func(s *Settings) *string { return &scratch(s).Mention }, mentions)},
	{Path: "signal", Doc: "How it says that it is content", value: oneOf(func(s *Settings) *autopilot.Signal { return &scratch(s).Signal }, autopilot.Threads, autopilot.Score, autopilot.Verdict, autopilot.Check)},
	{Path: "scoreRegex", Doc: "What begins the line of its score; the one group is the digit", value: pattern(func(s *Settings) *string { return &scratch(s).ScoreRegex })},
	{Path: "threshold", Doc: "The least score that is a success", value: number(func(s *Settings) *int { return &scratch(s).Threshold }, 1, 5)},
	{Path: "check", Doc: "The name of its check run", value: word(func(s *Settings) *string { return &scratch(s).Check }, checkNames)},
	{Path: "required", Doc: "Whether nothing converges before it has reviewed the head", value: required("", scratch).value},
	{Path: "waitCap", Doc: "How long to wait for its review of a head", value: minutes(func(s *Settings) *time.Duration { return &scratch(s).WaitCap }, 1, week)},
}

func scratch(s *Settings) *Reviewer { return &s.Reviewers.Copilot }

// aBot is a bot of which nothing but its login is said.
func aBot() Reviewer {
	return Reviewer{
		Mode: EachIter, Trigger: autopilot.NoTrigger, Signal: autopilot.Threads, ScoreRegex: autopilot.CursorScore, Threshold: 5,
	}
}

// bots is the list of further reviewers.
func bots() value {
	properties := map[string]any{}
	for _, k := range botKeys {
		leaf := map[string]any{"description": k.Doc + "."}
		for name, v := range k.schema {
			leaf[name] = v
		}
		properties[k.Path] = leaf
	}
	entry := map[string]any{"type": "object", "properties": properties, "required": []string{"login"}, "additionalProperties": false}
	return value{
		takes:  "a list of bots, each with `login` and what is said of it",
		schema: map[string]any{"type": "array", "items": entry, "maxItems": maxBots},
		set: func(r *reader, n ast.Node) {
			if all, ok := r.bots(n); ok {
				r.settings.Reviewers.Bots = all
			}
		},
		show: func(s Settings) string {
			all := make([]string, 0, len(s.Reviewers.Bots))
			for _, bot := range s.Reviewers.Bots {
				var own Settings
				*scratch(&own) = bot
				var said []string
				for _, k := range botKeys {
					if v := k.show(own); v != "" && v != `""` {
						said = append(said, k.Path+": "+v)
					}
				}
				all = append(all, "{"+strings.Join(said, ", ")+"}")
			}
			return "[" + strings.Join(all, ", ") + "]"
		},
	}
}

const maxBots = 20

func (r *reader) bots(n ast.Node) ([]Reviewer, bool) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok || len(seq.Values) > maxBots {
		r.refuse(n, fmt.Sprintf("is %s, want a list of bots, at most %d", describe(n), maxBots))
		return nil, false
	}
	var all []Reviewer
	before := len(r.problems)
	for _, entry := range seq.Values {
		if e := r.resolve(entry); e != nil {
			bot := r.bot(e)
			if bot.Login != "" && slices.ContainsFunc(all, func(b Reviewer) bool { return b.Login == bot.Login }) {
				r.refuse(e, fmt.Sprintf("has %q twice", bot.Login))
			}
			all = append(all, bot)
		}
	}
	return all, len(r.problems) == before
}

// bot reads one entry.
func (r *reader) bot(n ast.Node) Reviewer {
	if !isMapping(n) {
		r.refuse(n, "has "+describe(n)+", want a bot with its login")
		return Reviewer{}
	}
	sub := &reader{name: r.name, anchors: r.anchors}
	*scratch(&sub.settings) = aBot()
	names := make([]string, len(botKeys))
	for i, k := range botKeys {
		names[i] = k.Path
	}
	said := map[string]bool{}
	for _, pair := range entries(n) {
		name := keyText(pair)
		i := slices.Index(names, name)
		v := sub.resolve(pair.Value)
		switch {
		case i < 0:
			sub.refuseAt(pair.Key, fmt.Sprintf("%.60q is no key of a bot%s", name, DidYouMean(name, names)))
		case said[name]:
			sub.refuseAt(pair.Key, name+" stands here for the second time")
		case v != nil:
			sub.path = r.path + "." + name
			botKeys[i].set(sub, v)
		}
		said[name] = true
	}
	bot := *scratch(&sub.settings)
	sub.path = r.path
	for _, p := range botProblems {
		if len(sub.problems) == 0 && p.holds(bot) {
			sub.refuse(n, p.says)
		}
	}
	r.problems = append(r.problems, sub.problems...)
	return bot
}

// botProblems are what does not go together in one entry.
var botProblems = []struct {
	says  string
	holds func(Reviewer) bool
}{
	{"has a bot without its login", func(b Reviewer) bool { return b.Login == "" }},
	{"has a reviewer that has a name of its own: copilot, copilotSwe", func(b Reviewer) bool {
		return slices.Contains([]pr.Login{pr.Copilot, pr.CopilotReviewer, pr.CopilotAgent}, pr.Login(b.Login))
	}},
	{"has a bot with trigger mention, and no mention to make", func(b Reviewer) bool { return b.Trigger == autopilot.Mention && b.Mention == "" }},
	{"has a mention, which needs trigger: mention", func(b Reviewer) bool { return b.Trigger != autopilot.Mention && b.Mention != "" }},
	{"has a bot with signal check, and no check to look at", func(b Reviewer) bool { return b.Signal == autopilot.Check && b.Check == "" }},
	{"has a check, which needs signal: check", func(b Reviewer) bool { return b.Signal != autopilot.Check && b.Check != "" }},
}

// row is the bot as a reviewer of the loop.
func (s Settings) row(b Reviewer) autopilot.Reviewer {
	return autopilot.Reviewer{
		Name: b.Login, Logins: []pr.Login{pr.NewLogin(b.Login)},
		Trigger: b.Trigger, Mention: b.Mention, Signal: b.Signal, ScoreLine: b.ScoreRegex, Threshold: b.Threshold, Check: b.Check,
		Phase: b.phase(), Required: !b.Optional, PostsThreads: true,
		Remarks: b.Signal == autopilot.Score || b.Signal == autopilot.Verdict, WaitCap: s.wait(b),
	}
}
