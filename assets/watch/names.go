package watch

import "strings"

// ignored tells whether a file or folder name is one that programs use on the
// way to a save, or is hidden.
func ignored(name string) bool {
	lower := strings.ToLower(name)
	switch {
	case name == "", name[0] == '.', name[0] == '~':
		return true
	case strings.HasSuffix(name, "~"):
		return true
	case name[0] == '#' && name[len(name)-1] == '#': // Emacs
		return true
	case name == "4913": // Vim probes whether it may create files
		return true
	case strings.HasPrefix(name, "___jb_"): // JetBrains' safe write
		return true
	}
	for _, suffix := range [...]string{".tmp", ".temp", ".bak", ".orig", ".swp", ".swo", ".swx", ".part", ".partial", ".crdownload", ".lock"} {
		if strings.HasSuffix(lower, suffix) {
			return true
		}
	}
	return false
}
