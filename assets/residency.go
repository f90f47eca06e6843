package assets

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"sojourn/chunked"
)

// Residency is the typed side of one kind: where its payloads lie. All kinds
// share one implementation; the type parameter only says what a cell holds.
type Residency[T any] struct {
	store *Store
	o     KindOptions[T]
	// chunks never move once added, so a payload's address is good for as
	// long as the asset is retained.
	chunks atomic.Pointer[[]*[cellChunk]T]
	free   chunked.List[uint32] // guarded by the store's lock
}

// cellChunk is how many cells come at a time: some kilobytes of the largest.
const cellChunk = 16

// anyResidency is a [Residency] with its type erased. A cell is reserved
// before a decode, filled outside the lock, and becomes the payload or is
// emptied and discarded.
type anyResidency interface {
	reserveLocked() uint32
	discardLocked(cell uint32)
	decode(l *Load, cell uint32) error
	release(cell uint32)
	cost(cell uint32) Footprint
	followsNeeds() bool
	needs(cell uint32, f func(Key))
}

func newResidency[T any](s *Store, o KindOptions[T]) anyResidency {
	r := &Residency[T]{store: s, o: o}
	r.chunks.Store(&[]*[cellChunk]T{})
	return r
}

// Of is the typed side of a kind. It panics when T is not the payload type the
// kind was registered with, or the kind was not registered at all: those are
// programmer errors.
func Of[T any](s *Store, k Kind) *Residency[T] {
	if k < KindsMax {
		if r, ok := s.kinds[k].res.(*Residency[T]); ok {
			return r
		}
	}
	panic(fmt.Sprintf("assets: kind %v has no payload of type %T", k, *new(T)))
}

// Kind is the kind this residency serves.
func (r *Residency[T]) Kind() Kind { return r.o.Kind }

// Store is the store this residency belongs to.
func (r *Residency[T]) Store() *Store { return r.store }

// At is the payload of a retained or pinned asset; nil when the handle is
// stale or of another kind, or nothing is held. Valid while the caller's
// retain is. Without a lock.
func (r *Residency[T]) At(h Handle) *T {
	hs, w := r.store.word(h)
	if hs == nil || !wordFull(w) || h.Kind() != r.o.Kind || (wordCount(w) == 0 && w&flagPinned == 0) {
		return nil
	}
	return r.at(r.store.coolAt(h.Slot()).payload.Load())
}

// Remeasure asks the kind's Size again after the caller changed what the
// payload costs, as by giving back bytes the device has by now. The caller
// holds a retain and is the only one to change the payload.
func (r *Residency[T]) Remeasure(h Handle) {
	s := r.store
	s.mu.Lock()
	defer s.unlock()
	e, _ := s.liveLocked(h)
	if e == nil || !e.hasPayload || h.Kind() != r.o.Kind {
		return
	}
	s.recostLocked(h.Slot(), r.cost(s.coolAt(h.Slot()).payload.Load()))
	s.trimLocked()
}

func (r *Residency[T]) at(cell uint32) *T {
	return &(*r.chunks.Load())[cell/cellChunk][cell%cellChunk]
}

func (r *Residency[T]) reserveLocked() uint32 {
	if r.free.Len() == 0 {
		old := *r.chunks.Load()
		grown := append(old, new([cellChunk]T)) // who reads old looks no further
		first := uint32(len(old)) * cellChunk
		r.free.Reserve(len(grown) * cellChunk) // discarding never allocates
		for i := range uint32(cellChunk) {
			r.free.Add(first + cellChunk - 1 - i)
		}
		r.chunks.Store(&grown)
	}
	return r.free.Take()
}

func (r *Residency[T]) discardLocked(cell uint32) { r.free.Add(cell) }

// decode fills a cell. A panic becomes an error; what the decoder had stored
// in the cell by then is freed, what it held elsewhere goes to the collector.
func (r *Residency[T]) decode(l *Load, cell uint32) (err error) {
	out := r.at(cell)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v (%s)", ErrDecoderPanic, p, panicSite(debug.Stack()))
			r.releaseGuarded(cell)
		} else if err != nil {
			*out = *new(T)
		}
	}()
	return r.o.Decode(l, out)
}

func (r *Residency[T]) releaseGuarded(cell uint32) {
	defer func() { _ = recover() }() // the payload is half made; whatever happens, the first panic is reported
	r.release(cell)
}

// release frees a payload and empties its cell. Never under the store's lock.
func (r *Residency[T]) release(cell uint32) {
	p := r.at(cell)
	defer func() { *p = *new(T) }()
	if r.o.Free != nil {
		r.o.Free(p)
	}
}

func (r *Residency[T]) cost(cell uint32) Footprint { return r.o.Size(r.at(cell)) }

func (r *Residency[T]) followsNeeds() bool { return r.o.Needs != nil }

func (r *Residency[T]) needs(cell uint32, f func(Key)) {
	if r.o.Needs != nil {
		r.o.Needs(r.at(cell), f)
	}
}
