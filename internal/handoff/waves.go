package handoff

// waveSize is how many findings a wave has at most (seed 003, steps 4 and 5).
const waveSize = 5

// groups returns the findings' ids by file, in the order in which the files
// come first: two findings in one file are worked off one after the other. A
// finding without a file is alone.
func groups(findings []Finding) [][]string {
	var all [][]string
	at := map[string]int{}
	for _, f := range findings {
		i, known := at[f.Path]
		if !known || f.Path == "" {
			i = len(all)
			at[f.Path] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], f.ID)
	}
	return all
}

// sameFile returns the groups of more than one finding.
func sameFile(findings []Finding) [][]string {
	all := [][]string{}
	for _, g := range groups(findings) {
		if len(g) > 1 {
			all = append(all, g)
		}
	}
	return all
}

// waves packs the findings into waves of at most waveSize, which are worked
// off one after the other: each file goes into the first wave with room for all
// of its findings. A file with more than a wave holds has waves of its own,
// which follow each other.
func waves(findings []Finding) [][]string {
	all := [][]string{}
	for _, g := range groups(findings) {
		for len(g) > waveSize {
			all = append(all, g[:waveSize:waveSize])
			g = g[waveSize:]
			if len(g) <= waveSize { // the rest stays behind its file's first part
				all = append(all, g)
				g = nil
			}
		}
		if len(g) == 0 {
			continue
		}
		i := 0
		for i < len(all) && len(all[i])+len(g) > waveSize {
			i++
		}
		if i == len(all) {
			all = append(all, nil)
		}
		all[i] = append(all[i], g...)
	}
	return all
}
