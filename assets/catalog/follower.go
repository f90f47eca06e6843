package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"sojourn/assets"
	"sojourn/assets/loose"
	"sojourn/assets/pack"
	"sojourn/assets/watch"
)

// Options tunes a [Follower]. The zero value is right for games.
type Options struct {
	// Watch gives the options of the watcher of one path; nil: the defaults.
	Watch func(path string) watch.Options
}

// Change is one thing that happened to one source.
type Change struct {
	// Path is what is followed.
	Path string
	// Entries are the names that changed, came or went; never empty unless Err
	// is set or the pack is the first at its path.
	Entries []string
	// Old is the pack whose place Next is to take; nil where Next is the first
	// at its path. Both are nil for a folder. Who gets the change owns Next,
	// and closes Old when nothing reads from it.
	Old, Next *pack.Pack
	// Err says why a pack could not be read anew. The old one stays.
	Err error
}

// Same tells whether an entry has the same content in both packs.
func (c *Change) Same(entry string) bool { return pack.Same(c.Old, c.Next, entry) }

// Follower watches sources. One goroutine reads packs anew; each watcher has
// its own. [Follower.Close] ends them all.
type Follower struct {
	folders []*folder
	packs   []*packFile
	stop    chan struct{}
	work    chan struct{}
	reading sync.WaitGroup
	ready   atomic.Bool
	scratch []string
	closed  bool

	mu struct {
		sync.Mutex
		changes []Change
	}
}

type folder struct {
	path    string
	watcher *watch.Watcher
}

type packFile struct {
	path    string
	watcher *watch.Watcher
	stale   atomic.Bool // to be read anew
	current *pack.Pack  // the last one that was handed out; the goroutine's
}

// Follow starts following the sources at these paths. A path is the name of a
// [loose.Folder] or [pack.Pack] among sources, or one at which a pack will be
// made in a folder that exists. The error names the path.
func Follow(paths []string, sources []assets.Source, o Options) (*Follower, error) {
	f := &Follower{stop: make(chan struct{}), work: make(chan struct{}, 1)}
	for _, path := range paths {
		if err := f.add(path, sources, o); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if len(f.packs) > 0 {
		f.reading.Add(1)
		go f.read()
		// Once at the start: a pack may have been replaced before its watcher
		// was there.
		for _, p := range f.packs {
			p.stale.Store(true)
		}
		f.poke()
	}
	return f, nil
}

func (f *Follower) add(path string, sources []assets.Source, o Options) error {
	var wo watch.Options
	if o.Watch != nil {
		wo = o.Watch(path)
	}
	for _, src := range sources {
		if src.Name() != path {
			continue
		}
		switch src := src.(type) {
		case *loose.Folder:
			w, err := watch.New(path, wo)
			if err != nil {
				return err
			}
			f.folders = append(f.folders, &folder{path: path, watcher: w})
			return nil
		case *pack.Pack:
			return f.addPack(path, src, wo)
		default:
			return fmt.Errorf("follow %s: a %T cannot be followed", path, src)
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("follow %s: it is a folder, and no source has that name", path)
	}
	return f.addPack(path, nil, wo)
}

func (f *Follower) addPack(path string, current *pack.Pack, o watch.Options) error {
	w, err := watch.NewFile(path, o)
	if err != nil {
		return err
	}
	f.packs = append(f.packs, &packFile{path: path, watcher: w, current: current})
	return nil
}

// Changes appends what changed since the last call. It never waits for the
// disk and, with nothing to tell, takes no lock and allocates nothing; for the
// game goroutine.
func (f *Follower) Changes(dst []Change) []Change {
	for _, d := range f.folders {
		if f.scratch = d.watcher.Changes(f.scratch[:0]); len(f.scratch) > 0 {
			dst = append(dst, Change{Path: d.path, Entries: append([]string(nil), f.scratch...)})
		}
	}
	for _, p := range f.packs {
		if f.scratch = p.watcher.Changes(f.scratch[:0]); len(f.scratch) > 0 {
			p.stale.Store(true)
			f.poke()
		}
	}
	if !f.ready.Load() {
		return dst
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready.Store(false)
	dst = append(dst, f.mu.changes...)
	clear(f.mu.changes)
	f.mu.changes = f.mu.changes[:0]
	return dst
}

// poke wakes the goroutine that reads packs.
func (f *Follower) poke() {
	select {
	case f.work <- struct{}{}:
	default: // it will look anyway
	}
}

func (f *Follower) read() {
	defer f.reading.Done()
	for {
		select {
		case <-f.stop:
			return
		case <-f.work:
		}
		for _, p := range f.packs {
			if p.stale.Swap(false) {
				f.reread(p)
			}
		}
	}
}

// reread compares the pack on disk with the one in use. A pack that is not
// there (yet) is no news: many programs remove a file on the way to saving it.
func (f *Follower) reread(p *packFile) {
	next, err := pack.Open(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		f.report(Change{Path: p.path, Err: err})
		return
	}
	c := Change{Path: p.path, Old: p.current, Next: next}
	add := func(name string) { c.Entries = append(c.Entries, name) }
	if p.current == nil {
		_ = next.List(func(name string, _ int64) bool { add(name); return true }) // it is open
	} else if pack.Changed(p.current, next, add); len(c.Entries) == 0 {
		_ = next.Close() // only read from
		return
	}
	p.current = next
	f.report(c)
}

func (f *Follower) report(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.changes = append(f.mu.changes, c)
	f.ready.Store(true)
}

// Trouble is why notifications of the system are not used for some paths, or
// nil: changes are then found by comparing.
func (f *Follower) Trouble() error {
	var errs []error
	for _, d := range f.folders {
		errs = append(errs, d.watcher.Trouble())
	}
	for _, p := range f.packs {
		errs = append(errs, p.watcher.Trouble())
	}
	return errors.Join(errs...)
}

// Close ends following and closes packs that nobody fetched. Closing twice
// does nothing.
func (f *Follower) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	close(f.stop)
	f.reading.Wait()
	var errs []error
	for _, d := range f.folders {
		errs = append(errs, d.watcher.Close())
	}
	for _, p := range f.packs {
		errs = append(errs, p.watcher.Close())
	}
	for _, c := range f.mu.changes {
		if c.Next != nil {
			errs = append(errs, c.Next.Close())
		}
	}
	return errors.Join(errs...)
}
