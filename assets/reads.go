package assets

import "fmt"

// Reads runs range reads of assets on workers: mip suffixes, mostly. It
// belongs to one goroutine. Each read holds its asset retained until its
// result was drained.
type Reads struct {
	noCopy   noCopy
	store    *Store
	owner    string
	ownerID  uint32
	queueMax int

	// Guarded by the store's lock from here on.
	waiting    []*job // queued or running
	done       []readResult
	drained    []readResult // the other buffer of done
	closed     bool
	prev, next *Reads
}

// readJob is the part of a job that range reads use.
type readJob struct {
	reads     *Reads
	off, n    int64
	tag       uint64
	source    Source
	entryName string
	entrySize int64
}

type readResult struct {
	ReadDone
	charged int64
}

// ReadDone is one finished range read.
type ReadDone struct {
	Handle Handle
	Tag    uint64
	// Bytes is what was read; the receiver frees it. Empty after an error.
	Bytes Bytes
	// Err names the asset, its entry and source. It wraps [ErrNotReady] where
	// the entry is no longer the one the asset was decoded from.
	Err error
}

// NewReads makes a queue of at most queueMax reads that are waiting, running
// or not drained yet. Close it.
func (s *Store) NewReads(owner string, queueMax int) *Reads {
	r := &Reads{store: s, owner: owner, queueMax: max(queueMax, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ownerID = s.ownerIDLocked(owner)
	if s.mu.closed {
		r.closed = true
		return r
	}
	r.next = s.mu.reads
	if r.next != nil {
		r.next.prev = r
	}
	s.mu.reads = r
	return r
}

// Submit asks for n bytes at off of the entry an asset was decoded from. The
// caller holds the asset retained. The error wraps [ErrFull] when the queue is
// full, [ErrStale] when the asset is not in memory, [ErrCorrupt] when the
// range lies outside the entry, or [ErrClosed].
func (r *Reads) Submit(h Handle, off, n int64, priority int32, tag uint64) error {
	s := r.store
	s.mu.Lock()
	defer s.unlock()
	if r.closed {
		return fmt.Errorf("range read: %w", ErrClosed)
	}
	if len(r.waiting)+len(r.done) >= r.queueMax {
		return fmt.Errorf("range reads %w: at most %d", ErrFull, r.queueMax)
	}
	e, hs := s.liveLocked(h)
	if e == nil || !e.hasPayload {
		return fmt.Errorf("range read: %w", ErrStale)
	}
	if off < 0 || n < 0 || off > e.sizeBytes || n > e.sizeBytes-off {
		return fmt.Errorf("%s: %w: %d bytes at %d of %d", e.key, ErrCorrupt, n, off, e.sizeBytes)
	}
	if wordCount(hs.word.Load()) == 0 && e.reloadPending || !s.retainLocked(h.Slot(), 1) {
		return fmt.Errorf("%s: %w", e.key, ErrStale)
	}
	j := s.newJobLocked(h, priority)
	j.sizeBytes = n
	j.read = readJob{reads: r, off: off, n: n, tag: tag, source: e.source, entryName: e.entryName, entrySize: e.sizeBytes}
	r.waiting = append(r.waiting, j)
	s.pushJobLocked(j)
	return nil
}

// Waiting is how many reads are waiting, running or not drained yet.
func (r *Reads) Waiting() int {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return len(r.waiting) + len(r.done)
}

// Drain hands finished reads to f, on the calling goroutine and outside any
// lock, in the order they finished.
func (r *Reads) Drain(f func(ReadDone)) {
	s := r.store
	s.mu.Lock()
	if len(r.done) == 0 {
		s.mu.Unlock()
		return
	}
	batch := r.done
	r.done, r.drained = r.drained[:0], nil // f may call Drain in turn
	for i := range batch {
		s.dischargeLocked(batch[i].Handle.Kind(), batch[i].charged)
	}
	s.unlock()
	for i := range batch {
		f(batch[i].ReadDone)
		s.Release(batch[i].Handle)
	}
	clear(batch)
	s.mu.Lock()
	r.drained = batch[:0]
	s.mu.Unlock()
}

// Cancel drops every read with this tag, wherever it is: nothing of it is
// drained any more.
func (r *Reads) Cancel(tag uint64) {
	s := r.store
	s.mu.Lock()
	defer s.unlock()
	r.dropLocked(func(t uint64) bool { return t == tag })
}

// Close drops every read. Closing twice does nothing.
func (r *Reads) Close() {
	s := r.store
	s.mu.Lock()
	defer s.unlock()
	r.closeLocked()
}

func (r *Reads) closeLocked() {
	if r.closed {
		return
	}
	r.closed = true
	r.dropLocked(func(uint64) bool { return true })
	if r.prev == nil {
		r.store.mu.reads = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}

func (r *Reads) dropLocked(dropped func(tag uint64) bool) {
	s := r.store
	kept := r.waiting[:0]
	for _, j := range r.waiting {
		switch {
		case !dropped(j.read.tag):
			kept = append(kept, j)
		case j.running: // its worker ends it
			j.stop.Store(true)
			s.entryLocked(j.handle.Slot()).workerRetains++
		default:
			s.unqueueLocked(j)
			s.endReadLocked(j)
		}
	}
	clear(r.waiting[len(kept):])
	r.waiting = kept
	done := r.done[:0]
	for i := range r.done {
		d := &r.done[i]
		if !dropped(d.Tag) {
			done = append(done, *d)
			continue
		}
		s.dischargeLocked(d.Handle.Kind(), d.charged)
		s.mu.doomedBytes = append(s.mu.doomedBytes, d.Bytes)
		s.releaseLocked(d.Handle.Slot())
	}
	clear(r.done[len(done):])
	r.done = done
}

// endReadLocked ends a read that nobody wants any more.
func (s *Store) endReadLocked(j *job) {
	s.releaseLocked(j.handle.Slot())
	s.freeJobLocked(j)
}

// readRange runs a range read. It enters with the lock held and leaves
// without it.
func (w *worker) readRange(j *job) {
	s := w.s
	key := s.entryLocked(j.handle.Slot()).key
	s.mu.Unlock()
	began := w.run.track.Now()
	b, err := w.readBytes(j, key)
	s.tellRead(w.run.track, began, key, j.read.n, err)

	s.mu.Lock()
	s.mu.running--
	r := j.read.reads
	if j.stop.Load() || r.closed {
		r.removeWaitingLocked(j)
		s.entryLocked(j.handle.Slot()).workerRetains--
		s.endReadLocked(j)
		s.unlock()
		b.Free()
		return
	}
	r.removeWaitingLocked(j)
	r.done = append(r.done, readResult{ReadDone{Handle: j.handle, Tag: j.read.tag, Bytes: b, Err: err}, j.charged})
	j.charged = 0
	s.freeJobLocked(j)
	s.unlock()
}

func (r *Reads) removeWaitingLocked(j *job) {
	for i, other := range r.waiting {
		if other == j {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			return
		}
	}
}

func (w *worker) readBytes(j *job, key Key) (b Bytes, err error) {
	read := &j.read
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("source panicked: %v", p)
		}
		if err != nil {
			err = explain(key, read.entryName, read.source.Name(), err)
		}
	}()
	entry, err := read.source.Open(read.entryName)
	if err != nil {
		return Bytes{}, err
	}
	defer func() { _ = entry.Close() }()
	if size := entry.SizeBytes(); size != read.entrySize {
		return Bytes{}, fmt.Errorf("%w: the entry has %d bytes by now, not %d", ErrNotReady, size, read.entrySize)
	}
	l := Load{Key: key, EntryName: read.entryName, stop: &j.stop, pace: &w.run.pace, entry: entry, pool: w.s.pool, sizeBytes: read.entrySize}
	return l.MapOrRead(read.off, read.n)
}
