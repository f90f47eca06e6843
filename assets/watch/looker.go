package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"
)

// looker is the state of the watcher's goroutine.
type looker struct {
	w      *Watcher
	notify Notifier // nil while there are no notifications
	events <-chan fsnotify.Event
	errors <-chan error

	known   map[string]look // files as last reported or first seen, by full path
	pending map[string]look // changed files that are not known to be complete
	compare bool            // compare the tree at every look
	rescan  bool            // compare it once: events were lost
}

// look is what one look at a file saw.
type look struct {
	sizeBytes int64
	modified  time.Time
	seen      bool // false until the first look
}

func newLooker(w *Watcher) *looker {
	return &looker{w: w, known: make(map[string]look), pending: make(map[string]look)}
}

// start opens notifications, watches every folder, and learns the files that
// are there.
func (l *looker) start(notify func() (Notifier, error)) {
	n, err := notify()
	if err != nil {
		l.fallBack(err)
	} else {
		l.notify, l.events, l.errors = n, n.Events(), n.Errors()
	}
	l.walk(l.w.root, func(path string, seen look) { l.known[path] = seen })
}

func (l *looker) end() {
	if l.notify != nil {
		l.notify.Close()
	}
}

// fallBack gives up on notifications for what can't be watched. What is
// watched already stays so.
func (l *looker) fallBack(err error) {
	l.compare = true
	l.w.setTrouble(named(err))
}

func (l *looker) trouble(err error) {
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		l.rescan = true
		return
	}
	if err == nil {
		err = fsnotify.ErrClosed
		l.errors = nil
	}
	l.fallBack(err)
}

// walk watches the folders of a subtree and calls file for each file in it.
// A folder is watched before it is read, so that nothing falls in between.
func (l *looker) walk(top string, file func(path string, seen look)) {
	if l.w.only != "" {
		l.watch(l.w.root)
		path := filepath.Join(l.w.root, l.w.only)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			file(path, lookAt(info))
		}
		return
	}
	files := 0
	_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // It vanished, or may not be read; the rest goes on.
		}
		if path != l.w.root && ignored(e.Name()) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			l.watch(path)
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			file(path, lookAt(info))
		}
		if files++; files%64 == 0 {
			runtime.Gosched()
		}
		return nil
	})
}

func (l *looker) watch(folder string) {
	if l.notify == nil || l.compare {
		return
	}
	if err := l.notify.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.fallBack(err)
	}
}

func lookAt(info fs.FileInfo) look {
	return look{sizeBytes: info.Size(), modified: info.ModTime(), seen: true}
}

// event notes that a path changed; the next looks find out whether it is
// complete.
func (l *looker) event(e fsnotify.Event) {
	if e.Name == "" {
		l.events = nil
		l.fallBack(fsnotify.ErrClosed)
		return
	}
	if e.Op == fsnotify.Chmod || l.inIgnored(e.Name) {
		return
	}
	if e.Has(fsnotify.Create) {
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() && l.w.only == "" {
			l.walk(e.Name, func(path string, _ look) { l.pending[path] = look{} })
			return
		}
	}
	if e.Has(fsnotify.Create) || e.Has(fsnotify.Write) {
		l.pending[e.Name] = look{}
	}
}

// inIgnored tells whether any part of a path below the root is ignored.
func (l *looker) inIgnored(path string) bool {
	if l.w.only != "" {
		return path != filepath.Join(l.w.root, l.w.only)
	}
	rel, err := filepath.Rel(l.w.root, path)
	if err != nil {
		return true
	}
	for rel != "." {
		if ignored(filepath.Base(rel)) {
			return true
		}
		rel = filepath.Dir(rel)
	}
	return false
}

// look is one tick: files that are as they were at the last one are complete.
func (l *looker) look() {
	if l.compare || l.rescan {
		l.rescan = false
		l.walk(l.w.root, func(path string, now look) {
			if _, ok := l.pending[path]; !ok && !now.same(l.known[path]) {
				l.pending[path] = look{}
			}
		})
	}
	for path, before := range l.pending {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			delete(l.pending, path) // A later event or comparison finds it again.
			continue
		}
		now := lookAt(info)
		if !now.same(before) {
			l.pending[path] = now
			continue
		}
		delete(l.pending, path)
		l.known[path] = now
		if rel, err := filepath.Rel(l.w.root, path); err == nil {
			l.w.report(filepath.ToSlash(rel))
		}
	}
}

func (a look) same(b look) bool {
	return a.seen == b.seen && a.sizeBytes == b.sizeBytes && a.modified.Equal(b.modified)
}
