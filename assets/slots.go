package assets

import "sync/atomic"

// slotsPresized is how many entries a store has room for when it opens.
const slotsPresized = 5000

// slotChunk is how many slots are added at a time. A chunk never moves.
const slotChunk = 1024

// hotSlot is what the game goroutine touches: no pointers, no lock.
//
// Its word holds, from the low end: the retain count, the [State], three
// flags and the generation. While the count is above zero a retain or release
// is one compare-and-swap; every other change happens under the store's lock.
type hotSlot struct {
	word    atomic.Uint64
	retains atomic.Uint64 // retains ever taken here
	payload atomic.Uint32 // cell of the kind's slab
	version atomic.Uint32 // moves on with each reload
	owner   atomic.Uint32 // who took the last retain, as far as known
	low     atomic.Uint32 // the low word of its handle; of no handle while unused
}

const (
	countBits = 24
	countMask = 1<<countBits - 1
	// retainsMax is the number of retains one entry can bear; more are refused.
	retainsMax = countMask

	stateShift = countBits
	stateMask  = 0xF << stateShift

	flagOpen    = 1 << 28 // resident: may be retained
	flagPayload = 1 << 29 // a payload is there, perhaps of a version on its way out
	flagPinned  = 1 << 30

	generationShift = 32
)

func wordCount(w uint64) int         { return int(w & countMask) }
func wordState(w uint64) State       { return State(w & stateMask >> stateShift) }
func wordGeneration(w uint64) uint32 { return uint32(w >> generationShift) }

type slotChunks []*[slotChunk]hotSlot

// hot gives the slot that h names, or nil for a handle of no slot or of another
// kind. The generation is the caller's to check, on the word it acts on.
func (s *Store) hot(h Handle) *hotSlot {
	chunks := *s.chunks.Load()
	i := h.Slot()
	if int(i/slotChunk) >= len(chunks) || !h.Valid() {
		return nil
	}
	hs := &chunks[i/slotChunk][i%slotChunk]
	if hs.low.Load() != uint32(h) {
		return nil
	}
	return hs
}

// word gives h's slot and its word now, or nil if h is stale.
func (s *Store) word(h Handle) (*hotSlot, uint64) {
	hs := s.hot(h)
	if hs == nil {
		return nil, 0
	}
	w := hs.word.Load()
	if wordGeneration(w) != h.generation() {
		return nil, 0
	}
	return hs, w
}

// growSlotsLocked adds a chunk. It reports false at [EntriesMax].
func (s *Store) growSlotsLocked() bool {
	old := *s.chunks.Load()
	first := uint32(len(old)) * slotChunk
	if first+slotChunk > EntriesMax {
		return false
	}
	chunk := new([slotChunk]hotSlot)
	for i := range chunk {
		chunk[i].word.Store(1 << generationShift)
		chunk[i].low.Store(^(first + uint32(i)))
	}
	grown := make(slotChunks, len(old)+1)
	copy(grown, old)
	grown[len(old)] = chunk
	s.mu.entries = append(s.mu.entries, new([slotChunk]entry))
	for i := range uint32(slotChunk) {
		s.mu.freeSlots = append(s.mu.freeSlots, first+slotChunk-1-i)
	}
	s.chunks.Store(&grown)
	return true
}

func (s *Store) hotAt(slot uint32) *hotSlot {
	return &(*s.chunks.Load())[slot/slotChunk][slot%slotChunk]
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
