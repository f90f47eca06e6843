package loose

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"sojourn/assets"
	"sojourn/assets/mapped"
)

// Folder is a folder on disk as an [assets.Source]. Nothing outside the folder
// is ever read: names that climb and symbolic links that leave it are refused.
// Every method may be called from any goroutine.
//
// Files may be replaced at any time. An open entry keeps reading the file that
// it opened; a file that shrinks under it gives [assets.ErrCorrupt].
type Folder struct {
	path   string
	root   *os.Root
	closed atomic.Bool
}

var _ assets.Source = (*Folder)(nil)

// MapBytesMin is the smallest file that is mapped: below it, reading is as
// fast and costs no mapping.
const MapBytesMin = 1 << 20

// Dir opens a folder. The caller closes it.
func Dir(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", path, err)
	}
	return &Folder{path: path, root: root}, nil
}

// Name is the path the folder was opened by.
func (d *Folder) Name() string { return d.path }

// Open opens one regular file; the caller closes it. Where there is none, the
// error wraps [fs.ErrNotExist].
func (d *Folder) Open(name string) (assets.Entry, error) {
	if d.closed.Load() {
		return nil, d.fail(name, assets.ErrClosed)
	}
	if !validName(name) {
		return nil, d.fail(name, fmt.Errorf("%w: not a clean relative path", fs.ErrNotExist))
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		if errors.Is(err, syscall.ENOTDIR) {
			err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		return nil, d.fail(name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: not a regular file", fs.ErrNotExist)
	}
	if err != nil {
		f.Close()
		return nil, d.fail(name, err)
	}
	return &fileEntry{source: d, name: name, file: f, sizeBytes: info.Size()}, nil
}

func (d *Folder) fail(name string, err error) error {
	if errors.Is(err, os.ErrClosed) {
		err = assets.ErrClosed
	}
	return fmt.Errorf("folder %s: %q: %w", d.path, name, err)
}

// List yields every regular file whose name an entry can have. Symbolic links
// to folders are not followed; links that leave the folder are left out.
func (d *Folder) List(yield func(name string, sizeBytes int64) bool) error {
	if d.closed.Load() {
		return fmt.Errorf("folder %s: %w", d.path, assets.ErrClosed)
	}
	stat := func(name string, e fs.DirEntry) (fs.FileInfo, error) {
		if e.Type()&fs.ModeSymlink != 0 {
			return d.root.Stat(name)
		}
		return e.Info()
	}
	if err := list(d.root.FS(), stat, yield); err != nil {
		return fmt.Errorf("folder %s: list: %w", d.path, err)
	}
	return nil
}

// Close ends reads, also of entries that are open. Leases stay valid until
// released. Closing twice does nothing.
func (d *Folder) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	if err := d.root.Close(); err != nil {
		return fmt.Errorf("folder %s: %w", d.path, err)
	}
	return nil
}

// fileEntry is one open file.
type fileEntry struct {
	source    *Folder
	name      string
	file      *os.File
	sizeBytes int64
	closed    bool
	mapping   *mapped.File
}

var _ assets.Entry = (*fileEntry)(nil)

// SizeBytes is the size when the file was opened.
func (e *fileEntry) SizeBytes() int64 { return e.sizeBytes }

// Ranged is true.
func (e *fileEntry) Ranged() bool { return true }

// ReadAt reads from the file.
func (e *fileEntry) ReadAt(p []byte, off int64) (int, error) {
	if e.closed || e.source.closed.Load() {
		return 0, e.source.fail(e.name, assets.ErrClosed)
	}
	return readAt(e.file, p, off, e.sizeBytes, func(err error) error { return e.source.fail(e.name, err) })
}

// Map gives a view of a file of at least [MapBytesMin]. The mapping is the
// entry's own: replacing or deleting the file leaves it as it was.
func (e *fileEntry) Map(off, n int64) (assets.Lease, bool) {
	if e.closed || e.source.closed.Load() || e.sizeBytes < MapBytesMin {
		return nil, false
	}
	if off < 0 || n <= 0 || off > e.sizeBytes || n > e.sizeBytes-off {
		return nil, false
	}
	if info, err := e.file.Stat(); err != nil || info.Size() < e.sizeBytes {
		return nil, false
	}
	if e.mapping == nil {
		m, err := mapped.Open(e.file, e.sizeBytes)
		if err != nil {
			return nil, false
		}
		e.mapping = m
	}
	l, ok := e.mapping.Lease(off, n)
	if !ok {
		return nil, false
	}
	return l, true
}

// Close closes the file; leases stay. Closing twice does nothing.
func (e *fileEntry) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	if e.mapping != nil {
		e.mapping.Close()
	}
	if err := e.file.Close(); err != nil {
		return e.source.fail(e.name, err)
	}
	return nil
}

// readAt is ReadAt for a file that should have sizeBytes and must not give
// more.
func readAt(r io.ReaderAt, p []byte, off, sizeBytes int64, fail func(error) error) (int, error) {
	if off < 0 {
		return 0, fail(errors.New("negative offset"))
	}
	if off >= sizeBytes && len(p) > 0 {
		return 0, io.EOF
	}
	var eof error
	if rest := max(sizeBytes-off, 0); int64(len(p)) > rest {
		p, eof = p[:rest], io.EOF
	}
	n, err := r.ReadAt(p, off)
	switch {
	case n == len(p):
		return n, eof
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return n, fail(fmt.Errorf("%w: unexpected end after %d of %d bytes", assets.ErrCorrupt, off+int64(n), sizeBytes))
	}
	return n, fail(err)
}
