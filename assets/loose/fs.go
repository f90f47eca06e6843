package loose

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"sojourn/assets"
)

// FileSystem is an [fs.FS] as an [assets.Source]. Every method may be called
// from any goroutine if the file system may.
type FileSystem struct {
	name   string
	fsys   fs.FS
	closed atomic.Bool
}

var _ assets.Source = (*FileSystem)(nil)

// WholeBytesMax bounds a file that can only be read from front to back: it is
// kept in memory while its entry is open.
const WholeBytesMax = 256 << 20

// FS makes a source of fsys; errors and diagnostics call it name.
func FS(name string, fsys fs.FS) *FileSystem { return &FileSystem{name: name, fsys: fsys} }

// Name is the name given to [FS].
func (s *FileSystem) Name() string { return s.name }

// Open opens one regular file; the caller closes it. Where there is none, the
// error wraps [fs.ErrNotExist].
func (s *FileSystem) Open(name string) (assets.Entry, error) {
	if s.closed.Load() {
		return nil, s.fail(name, assets.ErrClosed)
	}
	if !validName(name) {
		return nil, s.fail(name, fmt.Errorf("%w: not a clean relative path", fs.ErrNotExist))
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, s.fail(name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: not a regular file", fs.ErrNotExist)
	}
	if err != nil {
		f.Close()
		return nil, s.fail(name, err)
	}
	e := &fsEntry{source: s, name: name, file: f, sizeBytes: info.Size()}
	switch f := f.(type) {
	case io.ReaderAt:
		e.at, e.ranged = f, true
	case io.Seeker:
		e.at, e.ranged = seekReader{f, e.file}, true
	default:
		if e.sizeBytes > WholeBytesMax {
			e.Close()
			return nil, s.fail(name, fmt.Errorf("%w: %d bytes without random access, at most %d", assets.ErrTooLarge, info.Size(), WholeBytesMax))
		}
		e.at = &wholeReader{r: e.file, sizeBytes: e.sizeBytes}
	}
	return e, nil
}

func (s *FileSystem) fail(name string, err error) error {
	return fmt.Errorf("%s: %q: %w", s.name, name, err)
}

// List yields every regular file whose name an entry can have.
func (s *FileSystem) List(yield func(name string, sizeBytes int64) bool) error {
	if s.closed.Load() {
		return fmt.Errorf("%s: %w", s.name, assets.ErrClosed)
	}
	stat := func(_ string, e fs.DirEntry) (fs.FileInfo, error) { return e.Info() }
	if err := list(s.fsys, stat, yield); err != nil {
		return fmt.Errorf("%s: list: %w", s.name, err)
	}
	return nil
}

// Close ends reads, also of entries that are open. Closing twice does nothing.
func (s *FileSystem) Close() error {
	s.closed.Store(true)
	return nil
}

type fsEntry struct {
	source    *FileSystem
	name      string
	file      fs.File
	at        io.ReaderAt
	sizeBytes int64
	ranged    bool
	closed    bool
}

var _ assets.Entry = (*fsEntry)(nil)

// SizeBytes is the size when the file was opened.
func (e *fsEntry) SizeBytes() int64 { return e.sizeBytes }

// Ranged tells whether the file can be read at any offset, or seeks.
func (e *fsEntry) Ranged() bool { return e.ranged }

// ReadAt reads from the file.
func (e *fsEntry) ReadAt(p []byte, off int64) (int, error) {
	if e.closed || e.source.closed.Load() {
		return 0, e.source.fail(e.name, assets.ErrClosed)
	}
	return readAt(e.at, p, off, e.sizeBytes, func(err error) error { return e.source.fail(e.name, err) })
}

// Map is not possible.
func (e *fsEntry) Map(int64, int64) (assets.Lease, bool) { return nil, false }

// Close closes the file. Closing twice does nothing.
func (e *fsEntry) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	return e.file.Close()
}

// seekReader reads at offsets by seeking first.
type seekReader struct {
	s io.Seeker
	r io.Reader
}

func (s seekReader) ReadAt(p []byte, off int64) (int, error) {
	if _, err := s.s.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(s.r, p)
}

// wholeReader keeps what was read so far. It grows by chunks as they arrive,
// so that a size that is only claimed allocates nothing.
type wholeReader struct {
	r         io.Reader
	sizeBytes int64
	have      []byte
	err       error
}

func (w *wholeReader) ReadAt(p []byte, off int64) (int, error) {
	for w.err == nil && int64(len(w.have)) < off+int64(len(p)) {
		n := int(min(assets.ChunkBytesMax, w.sizeBytes-int64(len(w.have))))
		at := len(w.have)
		w.have = append(w.have, make([]byte, n)...)
		k, err := io.ReadFull(w.r, w.have[at:])
		w.have, w.err = w.have[:at+k], err
	}
	if off >= int64(len(w.have)) {
		return 0, w.end()
	}
	if n := copy(p, w.have[off:]); n < len(p) {
		return n, w.end()
	}
	return len(p), nil
}

func (w *wholeReader) end() error {
	if w.err == nil || errors.Is(w.err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return w.err
}
