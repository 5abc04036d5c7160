package githubtest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// checkRunJSON is a check run as REST spells it.
func (w *World) checkRunJSON(r *CheckRun) any {
	return map[string]any{
		"id": r.DatabaseID, "node_id": r.ID, "name": r.Name, "head_sha": r.suite.commit.OID, "external_id": r.ExternalID,
		"status": strings.ToLower(r.Status), "conclusion": orNil(strings.ToLower(r.Conclusion)),
		"started_at": stamp(r.StartedAt), "completed_at": stamp(r.CompletedAt), "details_url": r.URL,
		"output": map[string]any{"title": orNil(r.Title), "summary": orNil(r.Summary), "text": orNil(r.Text)},
		"app":    map[string]any{"slug": r.suite.App},
	}
}

// listCheckRuns answers with the check runs of a commit: the newest of each name
// in a suite, or all there ever were.
func (c *call) listCheckRuns(p params) {
	q := c.r.URL.Query()
	var found []any
	if commit := c.w.commits[p["sha"]]; commit != nil {
		for _, s := range commit.Suites {
			for _, r := range s.CheckRuns {
				shown := slices.ContainsFunc(commit.contexts, func(v any) bool { return v == any(r) })
				if name := q.Get("check_name"); (name == "" || name == r.Name) && (shown || q.Get("filter") == "all") {
					found = append(found, c.w.checkRunJSON(r))
				}
			}
		}
	}
	size := min(max(atoi(q.Get("per_page"), 30), 1), 100)
	from := min((max(atoi(q.Get("page"), 1), 1)-1)*size, len(found))
	c.json(http.StatusOK, map[string]any{"total_count": len(found), "check_runs": append([]any{}, found[from:min(from+size, len(found))]...)})
}

// postCheckRun makes a check run, as only an app may. GitHub puts that of the
// Actions app into a suite that is there already, whichever workflow's that is.
func (c *call) postCheckRun(params) {
	var in struct {
		Name       string `json:"name"`
		HeadSHA    string `json:"head_sha"`
		ExternalID string `json:"external_id"`
		Status     string `json:"status"`
		Conclusion string `json:"conclusion"`
		Output     *struct {
			Title   string `json:"title"`
			Summary string `json:"summary"`
			Text    string `json:"text"`
		} `json:"output"`
	}
	if !c.token.integration() {
		c.fail(http.StatusForbidden, "You must authenticate via a GitHub App.")
		return
	}
	if !c.decode(&in) {
		return
	}
	commit := c.w.commits[in.HeadSHA]
	const most = 65535
	switch {
	case in.Name == "" || commit == nil:
		c.fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+in.HeadSHA)
		return
	case in.Output != nil && (in.Output.Title == "" || in.Output.Summary == "" || len(in.Output.Summary) > most || len(in.Output.Text) > most):
		c.fail(http.StatusUnprocessableEntity, "Invalid request.")
		return
	case in.Status == "completed" && in.Conclusion == "":
		c.fail(http.StatusUnprocessableEntity, "Invalid request. Missing required key conclusion.")
		return
	}
	check := Check{Name: in.Name, Conclusion: strings.ToUpper(in.Conclusion), Status: strings.ToUpper(cmp.Or(in.Status, "queued"))}
	for _, s := range slices.Backward(commit.Suites) {
		if s.App == "github-actions" {
			check.Workflow, check.RunID = s.Run.Name, s.Run.DatabaseID
		}
	}
	r := c.w.check(nil, commit.OID, check)
	r.ExternalID, r.URL = in.ExternalID, ""
	if in.Output != nil {
		r.Title, r.Summary, r.Text = in.Output.Title, in.Output.Summary, in.Output.Text
	}
	c.json(http.StatusCreated, c.w.checkRunJSON(r))
}

// CheckRuns are the check runs on a commit with this name, oldest first.
func (w *World) CheckRuns(oid, name string) []CheckRun {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []CheckRun
	if commit := w.commits[oid]; commit != nil {
		for _, s := range commit.Suites {
			for _, r := range s.CheckRuns {
				if r.Name == name {
					list = append(list, *r)
				}
			}
		}
	}
	return list
}
