package assets

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// errStopped ends a load that nobody waits for any more. It never leaves the
// store.
var errStopped = errors.New("load cancelled")

// Load is one decode in progress, as its decoder sees it. It belongs to one
// goroutine and ends with the decoder's return; keep no reference to it.
type Load struct {
	// Key is what is being loaded.
	Key Key
	// EntryName is the entry found for it, in the source SourceName.
	EntryName, SourceName string

	ctx   context.Context // of a blocking retain; nil on workers
	stop  *atomic.Bool    // of a worker's job; nil elsewhere
	pace  *pace           // of the goroutine; nil: each yield lets others run
	entry Entry
	pool  *Pool

	sizeBytes    int64 // of the entry when it was opened
	reserveBytes int64 // what the load is admitted by
}

// SizeBytes is the entry's logical size.
func (l *Load) SizeBytes() int64 { return l.sizeBytes }

// ChunkBytesMax is the unit of reading, decoding and yielding.
const ChunkBytesMax = 256 << 10

// yieldEvery is how long a goroutine decodes before it lets others run. With
// the longest step, one chunk, a waiting game is late by less than half a
// millisecond. Yielding costs a trip through the scheduler, which may wake
// another thread: much next to a small asset, of which one after the other
// fits into this time.
const yieldEvery = 100 * time.Microsecond

// pace is when a goroutine that decodes let others run the last time.
type pace struct{ last time.Time }

func (p *pace) yield() {
	if p != nil && time.Since(p.last) < yieldEvery {
		return
	}
	runtime.Gosched()
	if p != nil {
		p.last = time.Now()
	}
}

// Yield lets other goroutines run when it is time to, and tells whether to go
// on: it returns the cause when the load was cancelled. Call it at least after
// each chunk of [ChunkBytesMax].
func (l *Load) Yield() error {
	l.pace.yield()
	if l.stop != nil && l.stop.Load() {
		return errStopped
	}
	if l.ctx != nil && l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return nil
}

// Alloc lends n bytes from the store's pool.
func (l *Load) Alloc(n int) Bytes { return l.pool.Get(n) }

// LoadBytesMax bounds one read of a decoder; more is refused with
// [ErrTooLarge] before anything is allocated.
const LoadBytesMax = 1<<31 - 1

// ReadRange reads n bytes from off into a pooled block, in chunks, yielding
// in between. The caller owns the result. A short entry is [ErrCorrupt].
func (l *Load) ReadRange(off, n int64) (Bytes, error) {
	if err := l.checkRange(off, n); err != nil {
		return Bytes{}, err
	}
	b, whole := l.pool.Get(int(n)), false
	defer func() {
		if !whole { // an error, or a source that panicked
			b.Free()
		}
	}()
	if err := readChunks(l.entry, b.Slice(), off, l.Yield); err != nil {
		return Bytes{}, err
	}
	whole = true
	return b, nil
}

// ReadAll reads the whole entry into a pooled block; see [Load.ReadRange].
func (l *Load) ReadAll() (Bytes, error) { return l.ReadRange(0, l.sizeBytes) }

// MapOrRead gives a range without copying where the source can map it, with
// every page touched here on the worker so that the game goroutine never
// faults one in; otherwise it reads.
func (l *Load) MapOrRead(off, n int64) (Bytes, error) {
	if err := l.checkRange(off, n); err != nil {
		return Bytes{}, err
	}
	lease, ok := l.entry.Map(off, n)
	if !ok {
		return l.ReadRange(off, n)
	}
	b := LeaseBytes(lease)
	if err := touchPages(lease, l.Yield); err != nil {
		b.Free()
		return Bytes{}, err
	}
	return b, nil
}

func (l *Load) checkRange(off, n int64) error {
	size := l.sizeBytes
	if off < 0 || n < 0 || off > size || n > size-off {
		return fmt.Errorf("%w: %d bytes at %d of %d", ErrCorrupt, n, off, size)
	}
	if n > LoadBytesMax {
		return fmt.Errorf("%w: %d bytes in one read, at most %d", ErrTooLarge, n, LoadBytesMax)
	}
	return nil
}
