package assets

import (
	"hash/maphash"
	"sync/atomic"
)

// keyIndex leads from a key to its slot without a lock, so that a game that
// asks by name never waits for a worker that lost its processor. Everything
// that changes it holds the store's lock.
//
// Each shard is a table with open addressing. A cell holds 32 bits of the
// key's hash, which are also its place, and a slot; one that was left is marked
// and serves again only in the next table. What a cell says is a hint: the
// slot's own key and generation decide.
type keyIndex struct {
	seed   maphash.Seed
	shards [indexShards]indexShard
}

// indexShards bounds how much one insert may have to move.
const indexShards = 64

type indexShard struct {
	cells atomic.Pointer[[]atomic.Uint64] // a power of two, never full

	// Guarded by the store's lock.
	used int // cells that are not empty
	live int // of those: not left
}

const (
	cellLeft      = 1 // of no slot
	cellSlots     = 2 // slot 0; an empty cell is zero
	indexCellsMin = 16
)

func (x *keyIndex) hash(k Key) (shard *indexShard, tag uint64) {
	sum := (maphash.String(x.seed, k.Stem) + uint64(k.Kind)) * 0x9E3779B97F4A7C15
	return &x.shards[sum%indexShards], sum >> 32
}

// addLocked makes the key, which is not there, lead to a slot.
func (x *keyIndex) addLocked(k Key, slot uint32) {
	shard, tag := x.hash(k)
	if cells := shard.cells.Load(); cells == nil || 4*(shard.used+1) > 3*len(*cells) {
		shard.growLocked()
	}
	put(*shard.cells.Load(), tag<<32|uint64(slot+cellSlots))
	shard.used++
	shard.live++
}

func put(cells []atomic.Uint64, cell uint64) {
	mask := uint64(len(cells) - 1)
	at := cell >> 32 & mask
	for cells[at].Load() != 0 {
		at = (at + 1) & mask
	}
	cells[at].Store(cell)
}

// growLocked makes a table at most half full, without what was left. Who reads
// the old one meanwhile began before.
func (s *indexShard) growLocked() {
	size := indexCellsMin
	for size < 2*(s.live+1) {
		size *= 2
	}
	next := make([]atomic.Uint64, size)
	if old := s.cells.Load(); old != nil {
		for i := range *old {
			if cell := (*old)[i].Load(); cell > cellLeft {
				put(next, cell)
			}
		}
	}
	s.cells.Store(&next)
	s.used = s.live
}

// removeLocked takes a key out that led to a slot.
func (x *keyIndex) removeLocked(k Key, slot uint32) {
	shard, tag := x.hash(k)
	cells := *shard.cells.Load()
	mask := uint64(len(cells) - 1)
	cell := tag<<32 | uint64(slot+cellSlots)
	at := tag & mask
	for cells[at].Load() != cell {
		at = (at + 1) & mask
	}
	cells[at].Store(cellLeft)
	shard.live--
}

// Find gives the handle of a key that has an entry now. It takes no hold and
// no lock.
func (s *Store) Find(k Key) (Handle, bool) {
	shard, tag := s.index.hash(k)
	table := shard.cells.Load()
	if table == nil {
		return 0, false
	}
	cells := *table
	mask := uint64(len(cells) - 1)
	for at := tag & mask; ; at = (at + 1) & mask {
		cell := cells[at].Load()
		if cell == 0 {
			return 0, false
		}
		if cell == cellLeft || cell>>32 != tag {
			continue
		}
		if h, ok := s.named(uint32(cell)-cellSlots, k); ok {
			return h, true
		}
	}
}

// named gives the handle of a slot if it is the key's. A slot's key goes before
// its generation moves on and comes after, so that between two looks at one
// generation it is that generation's.
func (s *Store) named(slot uint32, k Key) (Handle, bool) {
	rows := s.chunks.chunk(slot / slotChunk)
	hs := &rows.hot[slot%slotChunk]
	w := hs.word.Load()
	key := rows.keys[slot%slotChunk].Load()
	if key == nil || *key != k || (hs.word.Load()^w)&handleTagMask != 0 {
		return 0, false
	}
	return handleOf(w, slot), true
}
