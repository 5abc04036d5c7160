package journal

import "cmp"

// Imported is what a state file of pr-autopilot said that has no place of its own.
type Imported struct {
	Version int `json:"version"` // of the file
	// Back are the verdicts that went back to the coding agent before prloop.
	Back int `json:"back,omitempty"`
}

func compareImported(x, y Imported) int {
	return cmp.Or(cmp.Compare(x.Back, y.Back), cmp.Compare(x.Version, y.Version))
}
