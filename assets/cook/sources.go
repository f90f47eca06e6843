package cook

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sojourn/assets"
)

// source is one file to cook.
type source struct {
	root  *root
	path  string
	stem  string
	route route
	bytes int64
	// sidecar is the path of the file that sets the UUID, or empty.
	sidecar string
}

// primary is the asset the file stands for.
func (s *source) primary() assets.Key { return assets.Key{Stem: s.stem, Kind: s.route.kind} }

func (s *source) file() string { return filepath.Join(s.root.dir, filepath.FromSlash(s.path)) }

// sidecarSuffix ends the name of a file that holds the UUID of another.
const sidecarSuffix = ".uuid"

// find lists what is to be cooked, by path. Files that clash or can't be named
// are reported and left out.
func (r *run) find() ([]*source, error) {
	table := routes()
	var list []*source
	sidecars := map[string]bool{} // of roots' paths
	for _, root := range r.roots {
		here := len(list)
		err := root.walk(func(name string, bytes int64) {
			if r.isOutput(root, name) {
				return
			}
			if strings.HasSuffix(name, sidecarSuffix) {
				sidecars[name] = false
				return
			}
			s := &source{root: root, path: name, bytes: bytes}
			s.route, s.stem = routeOf(table, name)
			list = append(list, s)
		}, func(name string, err error) { r.warn(root, name, "skipped: "+err.Error()) })
		if err != nil {
			return nil, err
		}
		for _, s := range list[here:] {
			if _, ok := sidecars[s.path+sidecarSuffix]; ok {
				s.sidecar = s.path + sidecarSuffix
				sidecars[s.sidecar] = true
			}
		}
		for name, used := range sidecars {
			if !used {
				r.warn(root, name, "skipped: it names the UUID of a file that is not there")
			}
		}
		clear(sidecars)
	}
	slices.SortFunc(list, func(a, b *source) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.root.dir, b.root.dir))
	})
	r.report.Files = len(list)
	return r.refuseClashes(r.refuseNames(list)), nil
}

func (r *run) refuseNames(list []*source) []*source {
	return slices.DeleteFunc(list, func(s *source) bool {
		err := assets.CheckStem(s.stem)
		if err == nil && strings.Contains(s.stem, "#") {
			err = fmt.Errorf("%w: '#' stands between a file and its parts", assets.ErrBadStem)
		}
		if err == nil && s.bytes > FileBytesMax {
			err = fmt.Errorf("%w: %d bytes, the limit is %d", assets.ErrTooLarge, s.bytes, int64(FileBytesMax))
		}
		if err != nil {
			r.fail(s, err)
		}
		return err != nil
	})
}

// refuseClashes drops every file whose primary asset another file claims too.
func (r *run) refuseClashes(list []*source) []*source {
	claims := map[assets.Key][]*source{}
	for _, s := range list {
		claims[s.primary()] = append(claims[s.primary()], s)
	}
	return slices.DeleteFunc(list, func(s *source) bool {
		all := claims[s.primary()]
		if len(all) > 1 {
			r.fail(s, clash(s, all, s.primary().String()))
		}
		return len(all) > 1
	})
}

func clash(s *source, all []*source, what string) error {
	var others []string
	for _, o := range all {
		if o != s {
			others = append(others, o.file())
		}
	}
	slices.Sort(others)
	return fmt.Errorf("%w: %s would also make %s", ErrCollision, strings.Join(slices.Compact(others), ", "), what)
}

// isOutput tells whether a file below a root is the pack itself, or a
// temporary file of a run.
func (r *run) isOutput(root *root, name string) bool {
	full := filepath.Join(root.dir, filepath.FromSlash(name))
	base := filepath.Base(full)
	if base != r.outBase && !isTemporary(r.outBase, base) {
		return false
	}
	here, err := os.Stat(filepath.Dir(full))
	if err != nil {
		return false
	}
	there, err := os.Stat(r.outDir)
	return err == nil && os.SameFile(here, there)
}

// isTemporary knows the names of the pack writer's and our own temporary
// files: base.NUMBER.tmp and base.NUMBER.spool.tmp.
func isTemporary(base, name string) bool {
	middle, ok := strings.CutPrefix(name, base+".")
	if !ok {
		return false
	}
	if middle, ok = strings.CutSuffix(middle, ".tmp"); !ok {
		return false
	}
	middle = strings.TrimSuffix(middle, ".spool")
	return middle != "" && strings.Trim(middle, "0123456789") == ""
}

// removeLeftovers removes temporary files of runs that were killed.
func (r *run) removeLeftovers() {
	files, err := os.ReadDir(r.outDir)
	if err != nil {
		return // creating the pack will say why
	}
	for _, f := range files {
		if isTemporary(r.outBase, f.Name()) && f.Type().IsRegular() {
			if err := os.Remove(filepath.Join(r.outDir, f.Name())); err == nil {
				r.log("removed %s, left by a run that was killed", f.Name())
			}
		}
	}
}
