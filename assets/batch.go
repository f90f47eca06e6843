package assets

import (
	"fmt"
	"sync/atomic"
)

// BatchOptions describes a batch.
type BatchOptions struct {
	// Owner is who asks, for diagnostics.
	Owner string
	// Priority orders what waits: low values first, first come first served
	// among equals. A load that several batches wait for has the lowest.
	Priority int32
	// Closure follows what each asset needs ([KindOptions.Needs]), and what
	// those need in turn.
	Closure bool
}

// Failure is one asset of a batch that could not be loaded.
type Failure struct {
	Handle Handle
	Key    Key
	Err    error
}

// Batch loads many assets on workers. Each finished load carries one exact
// retain of its asset, the receipt, until the batch hands it over in Adopt or
// drops it in Cancel: ownership never depends on what happens to be in memory.
//
// A batch belongs to one goroutine. Once its buffers have grown, asking for
// assets that are in memory allocates nothing.
type Batch struct {
	noCopy  noCopy
	store   *Store
	ownerID uint32
	pending atomic.Int32 // items that have neither landed nor failed
	total   atomic.Int32

	// Guarded by the store's lock from here on.
	o          BatchOptions
	turn       uint32 // moves on with each Cancel and Reset
	items      []batchItem
	index      map[Handle]int32
	landed     []int32 // in the order they landed
	taken      int     // of landed: those before it were adopted
	failures   []Failure
	edges      []needEdge
	unsent     int // items from here on were not submitted
	cycle      cycleSearch
	listed     bool
	prev, next *Batch
}

type batchItem struct {
	handle    Handle
	state     itemState
	charge    int64 // of the in-flight bytes, until adopted or dropped
	firstEdge int32 // its needs, one up; 0: none
	parent    int32 // the last item that needed it, one up
}

// itemState is where one asset of a batch stands.
type itemState uint8

const (
	itemNamed     itemState = iota // added; holds a name
	itemWaiting                    // a load will serve it; holds a name
	itemExpanding                  // holds a name and its receipt; its needs are being followed
	itemLanded                     // holds its receipt
	itemOver                       // adopted, failed or dropped: holds nothing
)

// NewBatch makes an empty batch.
func (s *Store) NewBatch(o BatchOptions) *Batch {
	b := &Batch{store: s, o: o, index: make(map[Handle]int32)}
	s.mu.Lock()
	b.ownerID = s.ownerIDLocked(o.Owner)
	s.mu.Unlock()
	return b
}

// Owner is who asked.
func (b *Batch) Owner() string { return b.o.Owner }

// Add asks for an asset. One that is in memory lands at once; others wait for
// Submit. Adding one twice asks once. A stale handle, or one that is known to
// have failed, becomes a failure of the batch.
func (b *Batch) Add(h Handle) {
	s := b.store
	s.mu.Lock()
	defer s.unlock()
	if _, ok := b.index[h]; ok {
		return
	}
	e, _ := s.liveLocked(h)
	i := b.newItemLocked(h)
	switch {
	case s.mu.closed:
		b.failures = append(b.failures, Failure{Handle: h, Err: fmt.Errorf("the store is %w", ErrClosed)})
		b.endItemLocked(i)
	case e == nil:
		b.failures = append(b.failures, Failure{Handle: h, Err: fmt.Errorf("%w %#x", ErrStale, uint64(h))})
		b.endItemLocked(i)
	default:
		e.names++
		if e.hasPayload && !e.reloadPending && !b.followsLocked(h.Kind()) {
			b.sendLocked(i)
		}
	}
}

// Submit sends what was added to the workers. More can be added and submitted
// afterwards.
func (b *Batch) Submit() {
	s := b.store
	s.mu.Lock()
	defer s.unlock()
	for ; b.unsent < len(b.items); b.unsent++ {
		if b.items[b.unsent].state == itemNamed {
			b.sendLocked(int32(b.unsent))
		}
	}
}

// Done tells whether everything that was added has landed or failed. True for
// an empty batch. Without a lock, unless the queue is blocked.
func (b *Batch) Done() bool {
	if b.pending.Load() == 0 {
		return true
	}
	if b.store.blocked.Load() {
		b.store.mu.Lock()
		b.store.lookLocked()
		b.store.mu.Unlock()
	}
	return false
}

// Progress tells how many of the assets asked for have landed or failed. The
// total of a closure grows while it is followed.
func (b *Batch) Progress() (done, total int) {
	pending := int(b.pending.Load()) // first: the total only grows
	total = int(b.total.Load())
	return max(0, total-pending), total
}

// Count tells how many assets of a kind were asked for so far, what a closure
// has found included, and how many of these have neither landed nor failed. An
// asset of a closure lands when what it needs is asked for.
func (b *Batch) Count(kind Kind) (all, awaited int) {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	for i := range b.items {
		if b.items[i].handle.Kind() != kind {
			continue
		}
		all++
		switch b.items[i].state {
		case itemNamed, itemWaiting, itemExpanding:
			awaited++
		}
	}
	return all, awaited
}

// Failures is what could not be loaded so far. The slice is good until Reset.
func (b *Batch) Failures() []Failure {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	return b.failures[:len(b.failures):len(b.failures)]
}

// SetPriority reorders what of this batch still waits.
func (b *Batch) SetPriority(p int32) {
	s := b.store
	s.mu.Lock()
	defer s.mu.Unlock()
	b.o.Priority = p
	for i := range b.items {
		if b.items[i].state != itemWaiting {
			continue
		}
		if j := s.entryLocked(b.items[i].handle.Slot()).job; j != nil {
			s.setJobPriorityLocked(j, j.lowestPriority())
		}
	}
}

// Cancel drops every receipt that was not adopted, exactly, and takes back
// what still waits; loads nobody else waits for stop at their next yield. The
// failures stay until Reset.
func (b *Batch) Cancel() {
	b.store.mu.Lock()
	defer b.store.unlock()
	b.cancelLocked()
}

// Reset empties the batch for reuse and keeps its capacity. What was not
// adopted is dropped, as by Cancel.
func (b *Batch) Reset() {
	b.store.mu.Lock()
	defer b.store.unlock()
	b.cancelLocked()
	clear(b.failures)
	clear(b.index)
	b.items, b.failures, b.edges = b.items[:0], b.failures[:0], b.edges[:0]
	b.unsent = 0
	b.total.Store(0)
}
