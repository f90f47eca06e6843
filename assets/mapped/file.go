package mapped

import (
	"errors"
	"os"
	"sync/atomic"
)

// ErrUnsupported is what [Open] returns where files cannot be mapped.
var ErrUnsupported = errors.New("file mappings are not supported here")

// File is a read-only mapping of a whole file, counted by its leases and its
// owner. Safe for any goroutine, Close included.
//
// A file truncated in place faults when pages behind its new end are touched:
// go through assets.Guard.
type File struct {
	bytes []byte
	// refs is one for the owner and one per lease; at zero it is unmapped.
	refs   atomic.Int64
	closed atomic.Bool
	unmap  func([]byte) error
}

// Open maps the first sizeBytes of f, which may be closed afterwards. The
// caller owns the result and closes it. Files of no bytes can't be mapped.
func Open(f *os.File, sizeBytes int64) (*File, error) {
	if sizeBytes <= 0 || sizeBytes != int64(int(sizeBytes)) {
		return nil, ErrUnsupported
	}
	b, err := mapFile(f, int(sizeBytes))
	if err != nil {
		return nil, err
	}
	m := &File{bytes: b, unmap: unmapFile}
	m.refs.Store(1)
	return m, nil
}

// Lease gives a view of n bytes at off; ok is false after Close or outside the
// file. The caller releases it.
func (m *File) Lease(off, n int64) (l *Lease, ok bool) {
	if off < 0 || n < 0 || off > int64(len(m.bytes)) || n > int64(len(m.bytes))-off || m.closed.Load() {
		return nil, false
	}
	for {
		refs := m.refs.Load()
		if refs == 0 {
			return nil, false
		}
		if m.refs.CompareAndSwap(refs, refs+1) {
			break
		}
	}
	return &Lease{file: m, off: off, bytes: m.bytes[off : off+n : off+n]}, true
}

// Leases is how many leases are out.
func (m *File) Leases() int64 {
	n := m.refs.Load()
	if !m.closed.Load() {
		n--
	}
	return n
}

// Close gives up the owner's share: no new leases, and the mapping goes with
// the last one. Closing twice does nothing.
func (m *File) Close() {
	if m.closed.CompareAndSwap(false, true) {
		m.drop()
	}
}

// drop gives one share back. m.bytes stays set, as a late Lease may look at its
// length.
func (m *File) drop() {
	if m.refs.Add(-1) == 0 {
		// Unmapping fails only for an address that was never mapped.
		if err := m.unmap(m.bytes); err != nil {
			panic("mapped: " + err.Error())
		}
	}
}

// Lease is a view into a [File]. It implements assets.Lease.
type Lease struct {
	file     *File
	off      int64
	bytes    []byte
	released atomic.Bool
}

// Bytes is the view: never written to, invalid after Release.
func (l *Lease) Bytes() []byte { return l.bytes }

// Prefetch starts to bring a part of the view into memory and does not wait:
// the mapping has no read-ahead. Outside the view it does nothing.
func (l *Lease) Prefetch(off, n int64) {
	if off < 0 || n <= 0 || off > int64(len(l.bytes)) || n > int64(len(l.bytes))-off {
		return
	}
	page := int64(os.Getpagesize())
	from := (l.off + off) / page * page
	prefetch(l.file.bytes[from : l.off+off+n])
}

// Release gives the view back. Calling it twice panics with build tag
// invariants and is ignored otherwise.
func (l *Lease) Release() {
	if !l.released.CompareAndSwap(false, true) {
		if checkReleases {
			panic("mapped: lease released twice")
		}
		return
	}
	l.bytes = nil
	l.file.drop()
}

// View is the whole mapping, for diagnostics; valid while a lease or the owner
// keeps it.
func (m *File) View() []byte { return m.bytes }
