package gpu

import "sojourn/assets"

// keyIndex finds a table's slot by store handle. It mirrors the store's slots,
// so a look-up is two array accesses; the caller compares whole handles,
// because slots are reused. It grows by chunks that never move: a large store
// costs no frame a copy.
type keyIndex struct {
	chunks []*[keyChunk]uint32 // by store slot: table slot + 1; zero: none
}

const keyChunk = 1024

func (x *keyIndex) at(h assets.Handle) (slot uint32, ok bool) {
	i := h.Slot()
	if int(i/keyChunk) >= len(x.chunks) {
		return 0, false
	}
	c := x.chunks[i/keyChunk]
	if c == nil || c[i%keyChunk] == 0 {
		return 0, false
	}
	return c[i%keyChunk] - 1, true
}

func (x *keyIndex) set(h assets.Handle, slot uint32) {
	i := h.Slot()
	for int(i/keyChunk) >= len(x.chunks) {
		x.chunks = append(x.chunks, nil)
	}
	if x.chunks[i/keyChunk] == nil {
		x.chunks[i/keyChunk] = new([keyChunk]uint32)
	}
	x.chunks[i/keyChunk][i%keyChunk] = slot + 1
}

// clear forgets the handle if it still leads to slot, and tells whether it
// did: a newer handle may have taken the place.
func (x *keyIndex) clear(h assets.Handle, slot uint32) bool {
	at, ok := x.at(h)
	if !ok || at != slot {
		return false
	}
	x.chunks[h.Slot()/keyChunk][h.Slot()%keyChunk] = 0
	return true
}

// ref packs a slot and a generation; generations start at one, so that zero
// names nothing.
func ref(slot, generation uint32) uint64 { return uint64(generation)<<32 | uint64(slot) }

func refSlot(r uint64) uint32       { return uint32(r) }
func refGeneration(r uint64) uint32 { return uint32(r >> 32) }

// nextGeneration skips zero when it wraps.
func nextGeneration(g uint32) uint32 { return max(g+1, 1) }
