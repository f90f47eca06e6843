package loose

import (
	"io/fs"
	"strings"

	"sojourn/assets"
)

// nameBytesMax bounds an entry's name: a stem and a suffix.
const nameBytesMax = assets.StemBytesMax + 64

// validName tells whether an entry can have this name: the rules of stems.
func validName(name string) bool {
	return fs.ValidPath(name) && name != "." && len(name) <= nameBytesMax &&
		strings.IndexFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' || r == ':' }) < 0
}

// list walks regular files. A file that vanishes or can't be looked at on the
// way is left out; a folder that can't be read is an error.
func list(fsys fs.FS, stat func(string, fs.DirEntry) (fs.FileInfo, error), yield func(string, int64) bool) error {
	return fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case !validName(name):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		}
		info, err := stat(name, e)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if !yield(name, info.Size()) {
			return fs.SkipAll
		}
		return nil
	})
}
