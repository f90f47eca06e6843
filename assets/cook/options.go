package cook

import (
	"errors"
	"path/filepath"
)

// Options says what to cook and where to.
type Options struct {
	// Out is the path of the pack. Cook one output once at a time.
	Out string
	// Dirs are the content roots. The stem of an asset is its file's path
	// below its root; several roots are merged.
	Dirs []string
	// Lenient makes files that cannot be cooked no error of the run.
	Lenient bool
	// Jobs is how many files are cooked at once; 0: GOMAXPROCS.
	Jobs int
	// Progress, when set, is told of every step. Calls come one at a time,
	// from any goroutine, and hold up the run.
	Progress Progress
	// Log, when set, takes a line about each file that went through, and about
	// what was cleaned up; called like Progress.
	Log func(format string, args ...any)
}

// Progress is told how far a run is.
type Progress func(Step)

// Phase is a part of a run.
type Phase uint8

// The phases, in order.
const (
	PhaseCook   Phase = iota // Path is a source file
	PhaseWrite               // Path is an entry of the pack
	PhaseCommit              // once, before the new pack takes the old one's place
)

// Step is one thing done.
type Step struct {
	Phase       Phase
	Done, Total int // of this phase
	Path        string
	Reused      bool
	Err         error // why a source file was not cooked
}

// Report is the outcome of a run, complete also beside an error of [ErrFailed].
type Report struct {
	Files       int   // source files found
	Entries     int   // assets in the pack
	Reused      int   // source files whose entries were copied from the old pack
	CookedBytes int64 // content of the entries that were made anew
	PackBytes   int64 // size of the pack
	// Failed and Warnings are sorted by path.
	Failed   []Failure
	Warnings []Warning
}

// Failure is a source file that was not cooked.
type Failure struct {
	Dir  string // content root, as in [Options.Dirs]
	Path string // slash-separated, below Dir
	Err  error
}

// File is the file's path as a user would open it.
func (f Failure) File() string { return filepath.Join(f.Dir, filepath.FromSlash(f.Path)) }

// Error is "file: reason".
func (f Failure) Error() string { return f.File() + ": " + f.Err.Error() }

// Warning is something left out or mended. Path is empty where it concerns the
// whole run.
type Warning struct {
	Dir, Path string
	Text      string
}

// String is "file: text".
func (w Warning) String() string {
	if w.Path == "" {
		return w.Text
	}
	return filepath.Join(w.Dir, filepath.FromSlash(w.Path)) + ": " + w.Text
}

var (
	// ErrFailed is wrapped by [Run] when files could not be cooked and the run
	// is not lenient. The pack was written, without them.
	ErrFailed = errors.New("some files were not cooked")
	// ErrCollision is wrapped when two files would become one asset.
	ErrCollision = errors.New("collision")
	// ErrOutside is wrapped when a file asks for one outside its content root.
	ErrOutside = errors.New("outside the content root, not allowed")
	// ErrPanic is wrapped when an importer panicked.
	ErrPanic = errors.New("importer panicked")
)

// FileBytesMax bounds a source file, and what one file may read or emit at a
// time.
const FileBytesMax = 1 << 30
