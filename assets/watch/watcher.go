package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options tunes a [Watcher]. The zero value is right for games.
type Options struct {
	// Interval is the time between looks; 0 is 400 ms. A file must stay as it
	// is from one look to the next, so a writer that pauses for less is waited
	// for.
	Interval time.Duration

	// Wake, when set, is sent to, without waiting, whenever something changed.
	// Several watchers may share it; give it room for one value.
	Wake chan<- struct{}

	// Looks replaces the timer: each value received is one look. For tests.
	Looks <-chan time.Time
	// Notify replaces the system's notifications. For tests, and for systems
	// with better ones.
	Notify func() (Notifier, error)
}

// Notifier tells of changes inside folders; [fsnotify.Watcher] behind a small
// adapter, or a test's.
type Notifier interface {
	// Add watches one folder, not what is below it.
	Add(folder string) error
	// Events tells of changed files and folders by full path.
	Events() <-chan fsnotify.Event
	// Errors tells of trouble; [fsnotify.ErrEventOverflow] for lost events.
	Errors() <-chan error
	// Close ends both channels' use.
	Close() error
}

const intervalDefault = 400 * time.Millisecond

// Watcher watches one folder and all below. One goroutine does the looking;
// [Watcher.Close] stops it and waits for its end.
type Watcher struct {
	root string
	only string // the one file to report, or empty
	wake chan<- struct{}
	stop chan struct{}
	done chan struct{}
	end  sync.Once

	// ready lets Changes return without the lock while nothing changed.
	ready atomic.Bool

	mu struct {
		sync.Mutex
		changed []string            // slash paths, in the order they were complete
		listed  map[string]struct{} // what changed holds
		trouble error
	}
}

// New starts watching root, a folder. Files that exist already count as known.
// Trouble with the system's notifications is no error: see [Watcher.Trouble].
func New(root string, o Options) (*Watcher, error) { return open(root, "", o) }

// NewFile starts watching one file, which need not be there yet, in a folder
// that is. Nothing else in the folder is looked at. [Watcher.Changes] gives
// the file's base name.
func NewFile(path string, o Options) (*Watcher, error) {
	return open(filepath.Dir(path), filepath.Base(path), o)
}

func open(root, only string, o Options) (*Watcher, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("watch %s: not a folder", root)
	}
	// The walk below doesn't follow links, and the root may be one.
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	w := &Watcher{root: real, only: only, wake: o.Wake, stop: make(chan struct{}), done: make(chan struct{})}
	w.mu.listed = make(map[string]struct{})
	notify := o.Notify
	if notify == nil {
		notify = systemNotifier
	}
	l := newLooker(w)
	l.start(notify)
	go w.run(l, o)
	return w, nil
}

func (w *Watcher) run(l *looker, o Options) {
	defer close(w.done)
	defer l.end()
	looks := o.Looks
	if looks == nil {
		t := time.NewTicker(cmpOr(o.Interval, intervalDefault))
		defer t.Stop()
		looks = t.C
	}
	for {
		select {
		case <-w.stop:
			return
		case e := <-l.events:
			l.event(e)
		case err := <-l.errors:
			l.trouble(err)
		case <-looks:
			l.look()
		}
	}
}

func cmpOr(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// Changes appends the paths that changed since the last call, each once,
// slash-separated and relative to the root. It never waits for the disk; for
// the game goroutine.
func (w *Watcher) Changes(dst []string) []string {
	if !w.ready.Load() {
		return dst
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready.Store(false)
	dst = append(dst, w.mu.changed...)
	clear(w.mu.changed)
	w.mu.changed = w.mu.changed[:0]
	clear(w.mu.listed)
	return dst
}

// Trouble is why the system's notifications are not (all) used, or nil.
// Changes are then found by comparing the tree at every look.
func (w *Watcher) Trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.trouble
}

// Close stops watching and waits until the watcher's goroutine has ended.
// Changes not yet fetched can still be. Closing twice does nothing.
func (w *Watcher) Close() error {
	w.end.Do(func() { close(w.stop) })
	<-w.done
	return nil
}

func (w *Watcher) report(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.mu.listed[path]; ok {
		return
	}
	w.mu.listed[path] = struct{}{}
	w.mu.changed = append(w.mu.changed, path)
	w.ready.Store(true)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *Watcher) setTrouble(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.trouble == nil {
		w.mu.trouble = fmt.Errorf("watch %s: %w", w.root, err)
	}
}

// ErrWatchLimit is wrapped by [Watcher.Trouble] when the system has no watches
// left.
var ErrWatchLimit = errors.New("inotify watch limit reached (see fs.inotify.max_user_watches and max_user_instances)")

// named gives errors of running out of watches their right name: the system
// calls it a full disk or too many open files.
func named(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("%w; comparing the tree instead: %w", ErrWatchLimit, err)
	}
	return fmt.Errorf("no notifications; comparing the tree instead: %w", err)
}
