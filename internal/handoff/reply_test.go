package handoff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"

	"github.com/prloop/prloop/internal/facts"
	"github.com/prloop/prloop/internal/pr"
	"github.com/prloop/prloop/internal/report"
)

var quoting = Quoting{Text: report.Prose, Code: report.Code}

func TestComment(t *testing.T) {
	marker := "<!-- prloop:reply 3 " + Mark("T1") + " -->\n"
	at := thread("T1")
	at.Line = 4
	b := string(headB)
	tests := []struct {
		says      string
		templates Templates
		reply     Reply
		want      string
	}{
		{"a fix cites its commit", nil, Reply{Finding: at, Action: FixIt, Commit: headB}, "Fixed in " + b + "."},
		{"and says why", nil, Reply{Finding: at, Action: FixIt, Commit: headB, Rationale: "x is checked."}, "Fixed in " + b + ". x is checked."},
		{"a decline", nil, Reply{Finding: at, Action: Decline, Rationale: because}, "Not changed. " + because},
		{"drift", nil, Reply{Finding: at, Action: Drift, Rationale: "The README named an old flag."}, "This had drifted from the code. The README named an old flag."},
		{"drift with a commit", nil, Reply{Finding: at, Action: Drift, Commit: headB}, "This had drifted from the code, and is mended in " + b + "."},
		{"a partial fix", nil, Reply{Finding: at, Action: Partial, Commit: headB, Rationale: "The rest is issue 12."}, "Done in part, in " + b + ". It stays open. The rest is issue 12."},
		{"an escalation", nil, Reply{Finding: at, Action: Escalate, Rationale: "Which of the two?"}, "A person should decide this. It stays open. Which of the two?"},
		{"what the report does not mention", nil, Reply{Finding: at, Action: Escalate, Silent: true}, "A person should decide this. It stays open. The fixer had no answer to it."},
		{"a template of the repository's", Templates{FixIt: "✔ {finding}: {commit}\n{rationale}"}, Reply{Finding: at, Action: FixIt, Commit: headB, Rationale: "Done {commit}"}, "✔ `T1.go:4`: " + b + "\nDone {commit}"},
		{"one that names a commit gives way where there is none", Templates{Drift: "In {commit}: {rationale}"}, Reply{Finding: at, Action: Drift, Rationale: because}, "This had drifted from the code. " + because},
		{"a template for another action", Templates{Decline: "No: {rationale}"}, Reply{Finding: at, Action: FixIt, Commit: headB}, "Fixed in " + b + "."},
		{
			"a rationale is text alone", nil,
			Reply{Finding: at, Action: Decline, Rationale: "@copilot **see** #1 <!-- prloop:reply 9 --> <b>\n\n- [x](http://y) a\u202eb"},
			"Not changed. @\u2060copilot \\*\\*see\\*\\* #\u20601 &lt;b&gt; - \\[x\\](http:\u2060//y) ab",
		},
		{"a commit that is none is not cited", nil, Reply{Finding: at, Action: FixIt, Commit: "@copilot", Rationale: because}, "Fixed. " + because},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			got := tt.reply.Comment(tt.templates, quoting, 3)
			if diff := cmp.Diff(marker+tt.want, got); diff != "" {
				t.Errorf("comment (-want +got):\n%s", diff)
			}
			number, marks, ok := ParseMarker(got)
			if diff := cmp.Diff([]string{Mark("T1")}, marks); diff != "" || number != 3 || !ok {
				t.Errorf("the marker says %d, %q, %t", number, marks, ok)
			}
		})
	}
}

func TestTogether(t *testing.T) {
	list := []Reply{
		{Finding: facts.Finding{ID: "body:0a1b", Path: "a`b.go"}, Action: FixIt, Commit: headB},
		{Finding: facts.Finding{ID: "check:@copilot"}, Action: Escalate, Silent: true},
	}
	want := "<!-- prloop:reply 3 " + Mark("body:0a1b") + " " + Mark("check:@copilot") + " -->\n" +
		"To what has no thread of its own:\n\n- ``a`b.go``: Fixed in " + string(headB) + ".\n" +
		"- `check:@copilot`: A person should decide this. It stays open. The fixer had no answer to it."
	if diff := cmp.Diff(want, Together(list, nil, quoting, 3)); diff != "" {
		t.Errorf("comment (-want +got):\n%s", diff)
	}
	if got := Together(nil, nil, quoting, 3); got != "" {
		t.Errorf("no replies make the comment %q", got)
	}
}

func TestTogetherFits(t *testing.T) {
	var list []Reply
	for i := range 500 {
		list = append(list, Reply{Finding: facts.Finding{ID: fmt.Sprint("body:", i)}, Action: Decline, Rationale: strings.Repeat("<", 4000)})
	}
	got := Together(list, nil, quoting, 3)
	_, marks, ok := ParseMarker(got)
	if len(got) > 65_000 || !ok || len(marks) != 500 {
		t.Errorf("%d bytes with %d marks, want at most 65,000 and all 500", len(got), len(marks))
	}
	if want, shown := "\n- and 497 more; the run's summary has them all", strings.Count(got, "- `body:"); !strings.HasSuffix(got, want) || shown != 3 {
		t.Errorf("%d are shown, and it ends with %q, want 3 and %q", shown, got[len(got)-60:], want)
	}
}

func TestSplit(t *testing.T) {
	a, b := Reply{Finding: thread("T1")}, Reply{Finding: facts.Finding{ID: "body:1"}}
	threads, together := Split([]Reply{b, a})
	if diff := cmp.Diff([][]Reply{{a}, {b}}, [][]Reply{threads, together}); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestPosts(t *testing.T) {
	person := thread("T1")
	person.Bot = false
	tests := []struct {
		says  string
		reply Reply
		want  bool
	}{
		{"what the report says of a person's thread is posted", Reply{Finding: person, Action: Escalate}, true},
		{"what it does not say is not", Reply{Finding: person, Action: Escalate, Silent: true}, false},
		{"a bot's thread is told that it is left to people", Reply{Finding: thread("T1"), Action: Escalate, Silent: true}, true},
		{"what has no thread is told in the comment of all", Reply{Finding: facts.Finding{ID: "body:1"}, Silent: true}, true},
	}
	for _, tt := range tests {
		if got := tt.reply.Posts(); tt.want != got {
			t.Errorf("%s: posted is %t, want %t", tt.says, got, tt.want)
		}
	}
}

func TestParseMarker(t *testing.T) {
	tests := []struct {
		says, body string
		number     int
		marks      []string
	}{
		{"one finding", "<!-- prloop:reply 12 0a1b2c3d -->\nx", 12, []string{"0a1b2c3d"}},
		{"line ends of the web", "<!-- prloop:reply 1 0a1b2c3d ffffffff -->\r\nx", 1, []string{"0a1b2c3d", "ffffffff"}},
		{"nothing but the marker", "<!-- prloop:reply 1 0a1b2c3d -->", 1, []string{"0a1b2c3d"}},
		{"a quotation", "> <!-- prloop:reply 1 0a1b2c3d -->", 0, nil},
		{"below other text", "x\n<!-- prloop:reply 1 0a1b2c3d -->", 0, nil},
		{"no number", "<!-- prloop:reply 0a1b2c3d -->", 0, nil},
		{"no finding", "<!-- prloop:reply 1 -->", 0, nil},
		{"a number without end", "<!-- prloop:reply 99999999999 0a1b2c3d -->", 0, nil},
		{"text behind it", "<!-- prloop:reply 1 0a1b2c3d --> x", 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.says, func(t *testing.T) {
			number, marks, ok := ParseMarker(tt.body)
			if diff := cmp.Diff(tt.marks, marks); diff != "" || number != tt.number || ok != (tt.number > 0) {
				t.Errorf("ParseMarker = %d, %q, %t, want %d, %q", number, marks, ok, tt.number, tt.marks)
			}
		})
	}
}

// Our replies are ours to the facts: a thread that ends with one is answered.
func TestTheFactsKnowOurReplies(t *testing.T) {
	body := Reply{Finding: thread("T1"), Action: Escalate}.Comment(nil, quoting, 1)
	ours := facts.Ours(facts.Input{Snapshot: &pr.Snapshot{}})
	if !ours(&pr.ThreadComment{Mine: true, Body: body}) {
		t.Errorf("the facts do not know our reply %q", body)
	}
}

// Whatever a fixer writes stays text: no HTML, link, heading, code or image
// comes of it, no mention lives, and only our marker is a comment.
func TestRepliesAreText(t *testing.T) {
	parts := []string{"@copilot ", "#12 ", "<!-- prloop:reply 1 0a1b2c3d -->", "-->", "<script>", "`", "**", "[a](http://x)", "![i](y)", "\n", "\n\n# h", "{commit}", "www.x.com", "\u202e", "& ", "x"}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "parts"), "")
		reply := Reply{Finding: thread("T1"), Action: rapid.SampledFrom(Actions()).Draw(t, "action"), Rationale: text}
		body := reply.Comment(nil, quoting, 1)
		if strings.Count(body, "<!") != 1 || strings.Contains(body, "@copilot") {
			t.Fatalf("a marker or a mention lives: %q", body)
		}
		var html bytes.Buffer
		if err := md.Convert([]byte(body), &html); err != nil {
			t.Fatal(err)
		}
		// The marker is the only HTML, and everything else one paragraph.
		seen := strings.TrimSpace(strings.Replace(html.String(), "<!-- raw HTML omitted -->", "", 1))
		if inner := strings.TrimSuffix(strings.TrimPrefix(seen, "<p>"), "</p>"); strings.Contains(inner, "<") {
			t.Fatalf("%q renders as %q", body, seen)
		}
	})
}
