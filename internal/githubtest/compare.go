package githubtest

import (
	"net/http"
	"slices"
	"sort"
	"strings"
)

// A FileChange is a file that a push changes, as GitHub's compare endpoint shows
// it (https://docs.github.com/en/rest/commits/commits#compare-two-commits).
type FileChange struct {
	Path      string
	From      string // the path before, of a renamed one
	Status    string // modified; added, removed, renamed
	Additions int
	Deletions int
	Patch     string // empty: GitHub shows none, as for binary and very large files
	// Net: it is what a comparison over this commit shows of the file, in place of
	// what earlier commits did to it.
	Net bool
}

// touched are the paths that a push changes.
func (p *Pull) touched(o Push) []string {
	paths := slices.Clone(o.Paths)
	for _, f := range o.Files {
		paths = append(paths, f.Path)
		if f.From != "" {
			paths = append(paths, f.From)
		}
	}
	if o.Paths == nil && o.Files == nil {
		for _, t := range p.Threads {
			if !t.FileLevel {
				paths = append(paths, t.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// changesOf are files, and one rewritten line for each further path.
func changesOf(files []FileChange, paths []string) []FileChange {
	out := slices.Clone(files)
	for i := range out {
		if out[i].Status == "" {
			out[i].Status = "modified"
		}
	}
	for _, path := range paths {
		if !slices.ContainsFunc(out, func(f FileChange) bool { return f.Path == path || f.From == path }) {
			out = append(out, FileChange{
				Path: path, Status: "modified", Additions: 1, Deletions: 1, Patch: "@@ -1 +1 @@\n-before\n+after",
			})
		}
	}
	return out
}

// What GitHub shows of a pull request's commits and of a comparison at most.
const (
	maxCommits = 250
	maxFiles   = 300
)

// listCommits lists the commits of a pull request, oldest first. GitHub shows
// no more than 250, whatever the page.
func (c *call) listCommits(p *Pull, _ params) {
	out := []any{}
	for _, oid := range p.Commits[:min(len(p.Commits), maxCommits)] {
		out = append(out, c.w.commitJSON(c.w.commits[oid]))
	}
	c.list(out)
}

// changedFiles counts the files that a pull request changes: its first commit
// has one that no comparison shows, unless it is empty.
func (p *Pull) changedFiles(w *World) int {
	n := len(w.changedBetween(p.Commits))
	if p.empty {
		return n
	}
	return max(1, n)
}

func (w *World) commitJSON(v *Commit) map[string]any {
	who := map[string]any{"name": "somebody", "email": "nobody@example.com", "date": stamp(v.At)}
	parents := []any{}
	for _, oid := range v.Parents {
		parents = append(parents, map[string]any{"sha": oid, "url": w.api("/commits/%s", oid)})
	}
	return map[string]any{
		"sha": v.OID, "node_id": v.ID, "author": w.user(v.Author), "committer": nil, "parents": parents,
		"commit": map[string]any{"message": v.Message, "author": who, "committer": who},
		"url":    w.api("/commits/%s", v.OID), "html_url": w.url("/commit/%s", v.OID),
	}
}

// history is oid and all that came before it, nearest first.
func (w *World) history(oid string) []string {
	list := []string{oid}
	for i := 0; i < len(list); i++ {
		v := w.commits[list[i]]
		if v == nil {
			continue
		}
		for _, p := range v.Parents {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// compare answers base...head: what head has that base has not, since they
// parted. The files come with the first page alone, 300 of them at most.
func (c *call) compare(p params) {
	base, head, ok := strings.Cut(p["range"], "...")
	oid := func(name string) string {
		if c.w.commits[name] != nil {
			return name
		}
		return c.w.baseOID(name)
	}
	base, head = oid(base), oid(head)
	if !ok || base == "" || head == "" {
		c.notFound()
		return
	}
	theirs, ours := c.w.history(base), c.w.history(head)
	i := slices.IndexFunc(ours, func(o string) bool { return slices.Contains(theirs, o) })
	if i < 0 {
		c.fail(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
		return
	}
	parted := ours[i]
	ahead := filter(ours, func(o string) bool { return !slices.Contains(theirs, o) })
	behind := filter(theirs, func(o string) bool { return !slices.Contains(ours, o) })
	slices.Reverse(ahead) // oldest first
	status := "diverged"
	switch {
	case base == head:
		status = "identical"
	case parted == base:
		status = "ahead"
	case parted == head:
		status = "behind"
	}
	q := c.r.URL.Query()
	size, page := min(max(atoi(q.Get("per_page"), 30), 1), 100), max(atoi(q.Get("page"), 1), 1)
	from := min((page-1)*size, len(ahead))
	commits := []any{}
	for _, o := range ahead[from:min(from+size, len(ahead))] {
		commits = append(commits, c.w.commitJSON(c.w.commits[o]))
	}
	files := []any{}
	if page == 1 {
		all := c.w.changedBetween(ahead)
		for _, f := range all[:min(len(all), maxFiles)] {
			files = append(files, f.json())
		}
	}
	c.json(http.StatusOK, map[string]any{
		"status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
		"base_commit": c.w.commitJSON(c.w.commits[base]), "merge_base_commit": c.w.commitJSON(c.w.commits[parted]),
		"commits": commits, "files": files,
	})
}

// changedBetween are the changes of commits, oldest first, as one change of
// each file, by path.
func (w *World) changedBetween(commits []string) []FileChange {
	by := map[string]FileChange{}
	for _, oid := range commits {
		for _, f := range w.commits[oid].Files {
			old, again := by[f.Path]
			switch {
			case !again, f.Net:
				by[f.Path] = f
				continue
			case old.Status == "added" && f.Status == "removed":
				delete(by, f.Path)
				continue
			case f.Status == "removed":
				old.Status = "removed"
			}
			old.Additions, old.Deletions = old.Additions+f.Additions, old.Deletions+f.Deletions
			if old.Patch == "" || f.Patch == "" {
				old.Patch = ""
			} else {
				old.Patch += "\n" + f.Patch
			}
			by[f.Path] = old
		}
	}
	var out []FileChange
	for _, f := range by {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

func (f FileChange) json() map[string]any {
	m := map[string]any{
		"sha": blobOID(f.Path + f.Patch), "filename": f.Path, "status": f.Status,
		"additions": f.Additions, "deletions": f.Deletions, "changes": f.Additions + f.Deletions,
	}
	if f.From != "" {
		m["previous_filename"] = f.From
	}
	if f.Patch != "" {
		m["patch"] = f.Patch
	}
	return m
}
