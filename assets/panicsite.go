package assets

import (
	"path"
	"strings"
)

// panicSite picks the "file.go:line" that panicked out of a stack: the first
// frame below the runtime's panic.
func panicSite(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "panic(") {
			continue
		}
		for j := i + 3; j < len(lines); j += 2 {
			file, _, _ := strings.Cut(strings.TrimSpace(lines[j]), " ")
			if strings.Contains(file, "/runtime/") {
				continue
			}
			return path.Base(file)
		}
	}
	return "unknown place"
}
