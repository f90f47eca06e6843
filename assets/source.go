package assets

import "io"

// Source gives bytes by entry name: a pack, a loose folder, an [io/fs.FS], or
// a test's memory. Names are slash-separated paths with their suffix, as a
// stem plus one of a kind's suffixes.
//
// A Source may be called from several workers at once. No call may block on
// the store.
type Source interface {
	// Name is what errors and diagnostics call this source, usually its path.
	Name() string

	// Open gives one entry. The caller closes it. Where the source lacks the
	// entry the error wraps [io/fs.ErrNotExist]; other errors name the source
	// and entry.
	Open(name string) (Entry, error)

	// List calls yield with each entry name and logical size, in any order,
	// until yield answers false.
	List(yield func(name string, sizeBytes int64) bool) error

	// Close ends reads. Leases given out before stay valid until released.
	Close() error
}

// Entry is one open file of a source. It may be used by one goroutine at a
// time and is independent of other entries.
type Entry interface {
	io.ReaderAt
	io.Closer

	// SizeBytes is the logical (uncompressed) size. It is declared by the
	// source; reading never yields more.
	SizeBytes() int64

	// Ranged tells whether ReadAt at any offset costs what it reads. Where
	// false, entries are compressed and best read from front to back.
	Ranged() bool

	// Map gives a read-only view of a range without copying. ok is false where
	// the source cannot; the caller then reads. The lease outlives the entry
	// and the source.
	Map(off, n int64) (lease Lease, ok bool)
}

// StoredSizer is implemented by entries whose stored bytes are read into memory
// beside their content: compressed ones.
type StoredSizer interface {
	// StoredBytes is how many bytes that takes.
	StoredBytes() int64
}

// Lease is a read-only view into a file mapping.
type Lease interface {
	// Bytes is the view; never written to, invalid after Release.
	Bytes() []byte
	// Release gives the view back. The mapping goes with its last lease.
	// Calling it twice panics with build tag invariants and is ignored
	// otherwise.
	Release()
}

// Prefetcher is implemented by a [Lease] that can ask the system to bring a
// part of its view into memory, without waiting for it. Whoever touches much
// of a view asks first: a mapping may have no read-ahead of its own.
type Prefetcher interface {
	Prefetch(off, n int64)
}
