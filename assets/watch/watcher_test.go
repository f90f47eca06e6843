package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fakeNotifier says what the test tells it to. Its channels hold nothing: a
// send returns when the watcher has taken the event, and a look after it sees
// its effect.
type fakeNotifier struct {
	events chan fsnotify.Event
	errors chan error
	added  []string
	addErr func(folder string) error
	closed bool
}

func newFake() *fakeNotifier {
	return &fakeNotifier{events: make(chan fsnotify.Event), errors: make(chan error)}
}

func (f *fakeNotifier) open() (Notifier, error)       { return f, nil }
func (f *fakeNotifier) Events() <-chan fsnotify.Event { return f.events }
func (f *fakeNotifier) Errors() <-chan error          { return f.errors }
func (f *fakeNotifier) Close() error                  { f.closed = true; return nil }
func (f *fakeNotifier) Add(folder string) error {
	if f.addErr != nil {
		if err := f.addErr(folder); err != nil {
			return err
		}
	}
	f.added = append(f.added, folder)
	return nil
}

// bench is a watcher under a test's control.
type bench struct {
	*testing.T
	root  string
	looks chan time.Time
	fake  *fakeNotifier
	w     *Watcher
}

func start(t *testing.T, fake *fakeNotifier, files ...string) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, root: root, looks: make(chan time.Time), fake: fake}
	for _, f := range files {
		b.write(f, "as it was")
	}
	o := Options{Looks: b.looks}
	if fake != nil {
		o.Notify = fake.open
	}
	if b.w, err = New(root, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.w.Close() })
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *bench) write(name, text string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) event(op fsnotify.Op, name string) {
	b.fake.events <- fsnotify.Event{Name: b.path(name), Op: op}
}

// look makes the watcher look n times; the last look may still go on after.
func (b *bench) look(n int) {
	for range n {
		b.looks <- time.Time{}
	}
}

// expect looks n times and compares what was reported since.
func (b *bench) expect(n int, want ...string) {
	b.Helper()
	b.look(n)
	// A look is over when the watcher takes the next value.
	b.fake.events <- fsnotify.Event{Name: b.path("ignored~"), Op: fsnotify.Write}
	got := b.w.Changes(nil)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		b.Errorf("reported %q, want %q", got, want)
	}
}

func TestWatcher_ReportsOnceComplete(t *testing.T) {
	b := start(t, newFake(), "a.png", "sub/b.png")
	b.expect(3)
	b.write("a.png", "half")
	b.event(fsnotify.Write, "a.png")
	b.expect(1) // Seen once.
	b.write("a.png", "half and half")
	b.expect(1) // Without an event, but not as it was.
	b.write("a.png", "half and half, and an event")
	b.event(fsnotify.Write, "a.png")
	b.expect(1)
	b.expect(1, "a.png")
	b.expect(3)
	b.write("sub/b.png", "new")
	b.event(fsnotify.Write, "sub/b.png")
	b.expect(2, "sub/b.png")
}

func TestWatcher_BurstsAreOneBatch(t *testing.T) {
	b := start(t, newFake())
	for range 50 {
		for _, name := range []string{"a", "b", "c"} {
			b.write(name, "text")
			b.event(fsnotify.Create, name)
			b.event(fsnotify.Write, name)
		}
	}
	b.look(2)
	b.write("a", "once more")
	b.event(fsnotify.Write, "a")
	b.expect(2, "a", "b", "c")
	if got := b.w.Changes(nil); len(got) != 0 {
		t.Errorf("reported again: %q", got)
	}
}

func TestWatcher_IgnoresNamesOnTheWayToASave(t *testing.T) {
	b := start(t, newFake())
	for _, name := range []string{
		"a.png~", "a.png.tmp", "a.png.tmp~", ".a.png.swp", "#a.png#", ".#a.png", "4913", "a.BAK", "~$a.doc",
		".git/HEAD", "x.tmp/a.png", "___jb_tmp___", "sub/.hidden/a.png", "a.png.part", ".goutputstream-XYZ",
	} {
		b.write(name, "x")
		b.event(fsnotify.Create, name)
	}
	b.write("4913.png", "a real name")
	b.event(fsnotify.Create, "4913.png")
	b.expect(3, "4913.png")
	for _, folder := range b.fake.added {
		if ignored(filepath.Base(folder)) && folder != b.root {
			t.Errorf("%s is watched", folder)
		}
	}
}

func TestWatcher_NewFoldersAreWatched(t *testing.T) {
	b := start(t, newFake(), "old/a")
	b.write("new/deep/er/b.png", "was there before the watch")
	b.event(fsnotify.Create, "new")
	b.expect(2, "new/deep/er/b.png")
	for _, name := range []string{"", "old", "new", "new/deep", "new/deep/er"} {
		if !slices.Contains(b.fake.added, b.path(name)) {
			t.Errorf("%q is not watched; watched: %q", name, b.fake.added)
		}
	}
}

func TestWatcher_RemovedFilesAreNotReported(t *testing.T) {
	b := start(t, newFake(), "a", "b")
	b.write("a", "new")
	b.event(fsnotify.Write, "a")
	if err := errors.Join(os.Remove(b.path("a")), os.Remove(b.path("b"))); err != nil {
		t.Fatal(err)
	}
	b.event(fsnotify.Remove, "a")
	b.event(fsnotify.Remove, "b")
	b.expect(4)
	b.write("a", "back")
	b.event(fsnotify.Create, "a")
	b.event(fsnotify.Chmod, "b")
	b.expect(2, "a")
}

func TestWatcher_LostEventsAreFoundByComparing(t *testing.T) {
	b := start(t, newFake(), "a", "b")
	b.write("b", "changed while events were lost")
	b.write("c", "new while events were lost")
	b.fake.errors <- fsnotify.ErrEventOverflow
	b.expect(2, "b", "c")
	if err := b.w.Trouble(); err != nil {
		t.Errorf("lost events are no lasting trouble: %v", err)
	}
	b.write("a", "no event, no rescan")
	b.expect(3)
}

func TestCaseA06_WatchLimitIsNamedAndPollingTakesOver(t *testing.T) {
	limit := func(at int) *fakeNotifier {
		f := newFake()
		f.addErr = func(string) error {
			if len(f.added) >= at {
				return &os.SyscallError{Syscall: "inotify_add_watch", Err: syscall.ENOSPC}
			}
			return nil
		}
		return f
	}
	for name, fake := range map[string]*fakeNotifier{"at once": limit(0), "later": limit(2)} {
		t.Run(name, func(t *testing.T) {
			b := start(t, fake, "a", "x/b", "y/z/c")
			checkLimit(t, b.w)
			b.expect(3)
			b.write("y/z/c", "changed, and nobody tells")
			b.write("new/d", "new, and nobody tells")
			b.expect(2, "new/d", "y/z/c")
			b.write("y/z/c", "changed again")
			b.expect(2, "y/z/c")
		})
	}
	t.Run("no watcher at all", func(t *testing.T) {
		looks := make(chan time.Time)
		root := t.TempDir()
		w, err := New(root, Options{Looks: looks, Notify: func() (Notifier, error) { return nil, syscall.EMFILE }})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		checkLimit(t, w)
		if err := os.WriteFile(filepath.Join(root, "a"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			looks <- time.Time{}
		}
		if got := w.Changes(nil); !slices.Equal(got, []string{"a"}) {
			t.Errorf("reported %q", got)
		}
	})
}

func checkLimit(t *testing.T, w *Watcher) {
	t.Helper()
	err := w.Trouble()
	if !errors.Is(err, ErrWatchLimit) || !strings.Contains(err.Error(), "inotify watch limit") {
		t.Errorf("trouble: %v", err)
	}
}

func TestWatcher_OtherTroubleIsNamedToo(t *testing.T) {
	b := start(t, newFake(), "a")
	b.fake.errors <- errors.New("something else")
	b.write("a", "changed")
	b.expect(2, "a")
	if err := b.w.Trouble(); err == nil || errors.Is(err, ErrWatchLimit) || !strings.Contains(err.Error(), "something else") {
		t.Errorf("trouble: %v", err)
	}
}

func TestWatcher_Close(t *testing.T) {
	b := start(t, newFake(), "a")
	b.write("a", "new")
	b.event(fsnotify.Write, "a")
	b.look(3)
	if err := errors.Join(b.w.Close(), b.w.Close()); err != nil {
		t.Error(err)
	}
	if !b.fake.closed {
		t.Error("notifications were left open")
	}
	if got := b.w.Changes(nil); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after Close: %q", got)
	}
}

func TestNew_NeedsAFolder(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + "nope"} {
		if _, err := New(path, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestChanges_AllocatesNothing(t *testing.T) {
	b := start(t, newFake(), "a")
	var dst []string
	if n := testing.AllocsPerRun(100, func() { dst = b.w.Changes(dst[:0]) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A watched file is reported alone, whatever else its folder holds, and may
// come later.
func TestWatcher_OneFile(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, root: root, looks: make(chan time.Time), fake: newFake()}
	wake := make(chan struct{}, 1)
	w, err := NewFile(b.path("game.zip"), Options{Looks: b.looks, Notify: b.fake.open, Wake: wake})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b.w = w
	b.write("deep/other.png", "text")
	b.write("beside.zip", "text")
	b.event(fsnotify.Create, "deep")
	b.event(fsnotify.Create, "beside.zip")
	b.expect(3)
	if len(b.fake.added) != 1 || b.fake.added[0] != root {
		t.Errorf("watches %q", b.fake.added)
	}
	for _, text := range []string{"first", "second, longer"} {
		b.write("game.zip", text)
		b.event(fsnotify.Create, "game.zip")
		b.expect(2, "game.zip")
		select {
		case <-wake:
		default:
			t.Error("woke nobody")
		}
	}
}
