package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/prloop/prloop/internal/config"
	"github.com/prloop/prloop/internal/effect"
	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/journal"
	"github.com/prloop/prloop/internal/pr"
)

// The clean-up resolves an outdated thread that was answered for good, and leaves
// it by each of its guards. Force gets past one of them.
func TestCleanUp(t *testing.T) {
	ours := pr.ThreadComment{ID: "c2", Author: pr.Actor{Login: "github-actions", Bot: true}, Mine: true, Body: facts.ReplyMarker + " 1 0a1b2c3d -->\nDone.", CreatedAt: opened}
	finding := pr.ThreadComment{ID: "c1", Author: copilotActor, Body: "Low severity: rename this.", CreatedAt: opened}
	by := func(a pr.Actor, body string) pr.ThreadComment {
		return pr.ThreadComment{ID: "c3", Author: a, Body: body, CreatedAt: opened}
	}
	outdated := func(action string, comments ...pr.ThreadComment) func(*Input) {
		return func(in *Input) {
			in.Snapshot.Threads = []pr.Thread{{ID: "PRRT_1", Path: "a.go", Outdated: true, Comments: comments}}
			in.Settings.MinSeverity = []config.Severity{config.Mid}
			if action != "" {
				in.Journal.Answers = []journal.Answer{{Finding: journal.Mark("PRRT_1"), Action: action, Head: headB, Number: 1}}
			}
		}
	}
	mode := func(m config.CleanUp) func(*Input) { return func(in *Input) { in.Settings.CleanUp = m } }
	tests := []struct {
		says string
		in   Input
		want string // "resolve", "reply resolve", or nothing
	}{
		{"declined", input(known, edit(reviewed), outdated("decline", finding, ours)), "resolve"},
		{"fixed", input(known, edit(reviewed), outdated("fix", finding, ours)), "resolve"},
		{"called drift", input(known, edit(reviewed), outdated("drift", finding, ours)), "resolve"},
		{"not outdated", input(known, edit(reviewed), outdated("decline", finding, ours), func(in *Input) { in.Snapshot.Threads[0].Outdated = false }), ""},
		{"resolved", input(known, edit(reviewed), outdated("decline", finding, ours), func(in *Input) { in.Snapshot.Threads[0].Resolved = true }), ""},
		{"opened by a person", input(known, edit(reviewed), outdated("decline", by(pr.Actor{Login: "mona"}, "Why?"), ours), mode(config.CleanForce)), ""},
		{"opened by another bot", input(known, edit(reviewed), outdated("decline", by(pr.Actor{Login: "lint", Bot: true}, "Why?"), ours), mode(config.CleanForce)), ""},
		{"a person spoke in it", input(known, edit(reviewed), outdated("decline", finding, by(pr.Actor{Login: "hubot"}, "Hm."), ours), mode(config.CleanForce)), ""},
		{"another bot did", input(known, edit(reviewed), outdated("decline", finding, by(pr.Actor{Login: "lint", Bot: true}, "Hm."), ours), mode(config.CleanForce)), ""},
		{"a ghost did", input(known, edit(reviewed), outdated("decline", finding, by(pr.Actor{}, "Hm."), ours), mode(config.CleanForce)), ""},
		{"escalated", input(known, edit(reviewed), outdated("escalate", finding, ours), mode(config.CleanForce)), ""},
		{"fixed in part", input(known, edit(reviewed), outdated("partial", finding, ours), mode(config.CleanForce)), ""},
		{"answered by nobody knows what", input(known, edit(reviewed), outdated("", finding, ours), mode(config.CleanForce)), ""},
		{"left by minSeverity", input(known, edit(reviewed), outdated("", finding)), ""},
		{"left by minSeverity, with force", input(known, edit(reviewed), outdated("", finding), mode(config.CleanForce)), "reply resolve"},
		{"off", input(known, edit(reviewed), outdated("decline", finding, ours), mode(config.CleanOff)), ""},
		{"a dry run", input(known, edit(reviewed), outdated("decline", finding, ours), mode(config.CleanDry)), ""},
		{"once", input(known, edit(reviewed), outdated("decline", finding, ours), func(in *Input) { in.Journal.Cleaned = &journal.Cleaned{Head: headA} }), ""},
		{"once at each head", input(known, edit(reviewed), outdated("decline", finding, ours), func(in *Input) { in.Journal.Cleaned = &journal.Cleaned{Head: headB} }), "resolve"},
		{"not before convergence", input(known, edit(reviewed), check(""), outdated("decline", finding, ours)), ""},
		{"a token without the right", input(known, edit(reviewed), outdated("decline", finding, ours), func(in *Input) {
			in.Journal.Refused = []journal.Refusal{{Key: effect.Resolve{Head: headA, Finding: journal.Mark("PRRT_1")}.Key(), Right: "contents: write", Via: facts.ViaUser}}
		}), ""},
	}
	for _, tt := range tests {
		p := Decide(tt.in)
		var did []string
		for _, e := range p.Effects {
			if slices.Contains([]string{effect.Reply{}.Type(), effect.Resolve{}.Type()}, e.Type()) {
				did = append(did, e.Type())
			}
		}
		if got := strings.Join(did, " "); got != tt.want {
			t.Errorf("%s: %q, want %q (%s: %s)", tt.says, got, tt.want, p.Code, p.Why)
		}
		if (p.Cleaned != nil) != (tt.want != "") {
			t.Errorf("%s: it notes %+v", tt.says, p.Cleaned)
		}
		if dry := slices.ContainsFunc(p.Notices, func(n string) bool { return strings.Contains(n, "PRRT_1") }); dry != (tt.says == "a dry run") {
			t.Errorf("%s: the notices are %q", tt.says, p.Notices)
		}
	}
}
