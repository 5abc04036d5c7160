package journal

// A Memory is how the journal of a pull request was found ([Find]).
type Memory string

// How a journal can be found. Intact, Adopted and Duplicate come with a
// journal that holds; the four after them are rebuilt ([Memory.Lost]).
const (
	None      Memory = "none"      // no trace of prloop on this pull request
	Intact    Memory = "found"     // one journal, as we wrote it
	Adopted   Memory = "adopted"   // written by a former identity
	Duplicate Memory = "duplicate" // two or more that hold, folded into one
	Damaged   Memory = "damaged"   // ours, and not in the form that we write
	Edited    Memory = "edited"    // ours, last edited by somebody else
	Other     Memory = "other"     // ours, and naming another pull request
	Deleted   Memory = "deleted"   // none is there, although traces of ours are
)

// Lost reports whether there was a journal that no longer holds, so that one
// has to be rebuilt from GitHub's history ([Rebuild]).
func (m Memory) Lost() bool {
	switch m {
	case Damaged, Edited, Other, Deleted:
		return true
	case None, Intact, Adopted, Duplicate:
		return false
	}
	return true // a word that nobody knows is no proof of a journal
}
