package assets

import "sync/atomic"

// slotsPresized is how many entries a store has room for when it opens.
const slotsPresized = 5000

// slotChunk is how many slots are added at a time. A chunk never moves.
const slotChunk = 1024

// hotSlot is what the game goroutine touches: no pointers, no lock.
//
// Its word holds, from the low end: the base count, the [State], whether it is
// pinned and being folded, and as in its handle the generation and the kind.
// Retains under the lock go to the base, others to the [stripes]; a release takes
// one from wherever it finds one, without the lock while another is left in the
// base. Everything else of the word changes under the lock.
//
// What is held has a base above zero: before the last of it goes, the stripes are
// folded into it.
//
// It is kept small, like a stripe's strand: with many assets in use at once, what a
// retain costs is how many of their slots stay in the processor's cache.
type hotSlot struct {
	word atomic.Uint64
}

// coolSlot is the rest of a slot, which a plain retain leaves alone.
type coolSlot struct {
	retains atomic.Uint64 // ever taken here, but for the tallies of the stripes
	version atomic.Uint32 // moves on with each reload
	owner   atomic.Uint32 // who took the last retain, as far as known
	payload atomic.Uint32 // cell of the kind's slab
}

type slotRows struct {
	keys    *[slotChunk]atomic.Pointer[Key] // nil while unused; apart, so that the collector passes over the rest
	hot     [slotChunk]hotSlot
	stripes stripes
	cool    [slotChunk]coolSlot
}

const (
	countBits = 22
	countMask = 1<<countBits - 1
	// baseMax is the number of retains the base takes: all stripes can be folded
	// on top of it. More are refused.
	baseMax = countMask - 2*stripeCount*stripeRetainsMax

	stateShift = countBits
	stateMask  = 0xF << stateShift

	flagPinned  = 1 << (stateShift + 4)
	flagFolding = 1 << (stateShift + 5)
)

func wordCount(w uint64) int         { return int(w & countMask) }
func wordState(w uint64) State       { return State(w & stateMask >> stateShift) }
func wordGeneration(w uint64) uint32 { return uint32(w >> handleSlotBits & generationLast) }

// handleOf is the handle of a slot with this word.
func handleOf(w uint64, slot uint32) Handle { return Handle(w&handleTagMask) | Handle(slot) }

// wordOf tells whether a word is of the entry that a handle names, if the slot
// is the handle's.
func wordOf(w uint64, h Handle) bool { return (w^uint64(h))>>handleSlotBits == 0 }

// wordOpen tells whether the payload is resident: it may be retained.
func wordOpen(w uint64) bool { return w&stateMask == uint64(StateResident)<<stateShift }

// wordHeld tells whether a payload may be retained without the lock: it is open,
// and held by somebody who will stay for now.
func wordHeld(w uint64) bool {
	return w&(stateMask|flagFolding) == uint64(StateResident)<<stateShift && wordCount(w) > 0
}

// wordFull tells whether a payload is there, perhaps of a version on its way out.
func wordFull(w uint64) bool {
	return wordOpen(w) || w&stateMask == uint64(StateReloadPending)<<stateShift
}

// slotChunks are the chunks there are. They never move, and neither does what
// leads to them, so that a look-up takes no lock: one load for the first
// million slots, two for the others.
type slotChunks struct {
	near [nearChunks]atomic.Pointer[slotRows]
	far  [EntriesMax/slotChunk/nearChunks - 1]atomic.Pointer[farChunks]
}

const nearChunks = 1024

type farChunks [nearChunks]atomic.Pointer[slotRows]

// chunk is a chunk by its number, nil where there is none.
func (c *slotChunks) chunk(i uint32) *slotRows {
	if i < nearChunks {
		return c.near[i].Load()
	}
	return c.farChunk(i)
}

func (c *slotChunks) farChunk(i uint32) *slotRows {
	if i >= EntriesMax/slotChunk {
		return nil
	}
	block := c.far[i/nearChunks-1].Load()
	if block == nil {
		return nil
	}
	return block[i%nearChunks].Load()
}

// addLocked puts a chunk behind the others.
func (c *slotChunks) addLocked(i uint32, chunk *slotRows) {
	if i < nearChunks {
		c.near[i].Store(chunk)
		return
	}
	block := &c.far[i/nearChunks-1]
	if block.Load() == nil {
		block.Store(new(farChunks))
	}
	block.Load()[i%nearChunks].Store(chunk)
}

// word gives h's slot and its word now, or nil if h is stale.
func (s *Store) word(h Handle) (*hotSlot, uint64) {
	i := h.Slot()
	chunk := s.chunks.chunk(i / slotChunk)
	if chunk == nil {
		return nil, 0
	}
	hs := &chunk.hot[i%slotChunk]
	w := hs.word.Load()
	if !wordOf(w, h) || wordState(w) == StateStale {
		return nil, 0
	}
	return hs, w
}

// growSlotsLocked adds a chunk. It reports false at [EntriesMax].
func (s *Store) growSlotsLocked() bool {
	number := uint32(len(s.mu.entries))
	first := number * slotChunk
	if first+slotChunk > EntriesMax {
		return false
	}
	chunk := &slotRows{keys: new([slotChunk]atomic.Pointer[Key])}
	for i := range chunk.hot {
		chunk.hot[i].word.Store(makeTag(0, 1)) // stale while unused
	}
	s.mu.entries = append(s.mu.entries, new([slotChunk]entry))
	for i := range uint32(slotChunk) {
		s.mu.freeSlots = append(s.mu.freeSlots, first+slotChunk-1-i)
	}
	s.chunks.addLocked(number, chunk)
	return true
}

func (s *Store) hotAt(slot uint32) *hotSlot {
	return &s.chunks.chunk(slot / slotChunk).hot[slot%slotChunk]
}

func (s *Store) keyAt(slot uint32) *atomic.Pointer[Key] {
	return &s.chunks.chunk(slot / slotChunk).keys[slot%slotChunk]
}

func (s *Store) coolAt(slot uint32) *coolSlot {
	return &s.chunks.chunk(slot / slotChunk).cool[slot%slotChunk]
}

func (s *Store) entryLocked(slot uint32) *entry {
	return &s.mu.entries[slot/slotChunk][slot%slotChunk]
}

// liveLocked gives the entry h names, or nil if h is stale.
func (s *Store) liveLocked(h Handle) (*entry, *hotSlot) {
	hs, _ := s.word(h)
	if hs == nil {
		return nil, nil
	}
	return s.entryLocked(h.Slot()), hs
}
