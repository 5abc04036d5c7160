package docgen

import (
	"fmt"
	"strings"
)

// Replace returns file with the lines between the one that has "BEGIN name" and
// the one that has "END name" replaced by text. Both must be there once, in
// this order.
func Replace(file, name, text string) (string, error) {
	lines := strings.SplitAfter(file, "\n")
	begin, end := -1, -1
	for i, line := range lines {
		fields := strings.Fields(line)
		for j := range max(0, len(fields)-1) {
			if fields[j+1] != name {
				continue
			}
			switch fields[j] {
			case "BEGIN":
				if begin >= 0 {
					return "", fmt.Errorf("lines %d and %d both have %q", begin+1, i+1, "BEGIN "+name)
				}
				begin = i
			case "END":
				if end >= 0 {
					return "", fmt.Errorf("lines %d and %d both have %q", end+1, i+1, "END "+name)
				}
				end = i
			}
		}
	}
	switch {
	case begin < 0:
		return "", fmt.Errorf("no line has %q", "BEGIN "+name)
	case end < begin:
		return "", fmt.Errorf("no line after it has %q", "END "+name)
	}
	return strings.Join(lines[:begin+1], "") + text + strings.Join(lines[end:], ""), nil
}
