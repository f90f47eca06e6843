package gpu

import "slices"

// Slots keeps the values behind device handles: slot in the low word, from 1;
// generation in the high word. Devices build their ids with it. The zero
// Slots is empty and ready.
type Slots[ID ~uint64, T any] struct {
	chunks []*[slotsChunk]slotRow[T] // they never move
	rows   int                       // in use or free
	free   []uint32
	live   int
}

// slotsChunk is how many rows come at a time.
const slotsChunk = 64

type slotRow[T any] struct {
	value      T
	generation uint32
	live       bool
}

func (s *Slots[ID, T]) row(slot uint32) *slotRow[T] {
	return &s.chunks[slot/slotsChunk][slot%slotsChunk]
}

// Add stores a value and names it. Freed slots are used again, under a new
// generation.
func (s *Slots[ID, T]) Add(value T) ID {
	var slot uint32
	if n := len(s.free); n > 0 {
		slot = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		slot = uint32(s.rows)
		if s.rows++; slot%slotsChunk == 0 {
			s.chunks = append(s.chunks, new([slotsChunk]slotRow[T]))
		}
		s.free = room(s.free, s.rows)
		s.row(slot).generation = 1
	}
	row := s.row(slot)
	row.value, row.live = value, true
	s.live++
	return ID(uint64(row.generation)<<32 | uint64(slot+1))
}

// At is the value behind id, or nil when id is zero, stale or made up. The
// pointer lasts until its Remove.
func (s *Slots[ID, T]) At(id ID) *T {
	slot := uint32(id) - 1 // zero wraps and is past every row
	if uint64(slot) >= uint64(s.rows) {
		return nil
	}
	row := s.row(slot)
	if !row.live || row.generation != uint32(id>>32) {
		return nil
	}
	return &row.value
}

// Remove takes a value out and answers it; false when id names nothing.
func (s *Slots[ID, T]) Remove(id ID) (T, bool) {
	var none T
	at := s.At(id)
	if at == nil {
		return none, false
	}
	value := *at
	slot := uint32(id) - 1
	row := s.row(slot)
	row.value, row.live = none, false
	row.generation++
	s.free = append(s.free, slot)
	s.live--
	return value, true
}

// Len is the number of live values.
func (s *Slots[ID, T]) Len() int { return s.live }

// Each calls f with every live value, in slot order.
func (s *Slots[ID, T]) Each(f func(ID, *T)) {
	for i := range uint32(s.rows) {
		if row := s.row(i); row.live {
			f(ID(uint64(row.generation)<<32|uint64(i+1)), &row.value)
		}
	}
}

// roomFor makes a slice's capacity so many at least.
func roomFor[T any](s []T, places int) []T {
	if cap(s) >= places {
		return s
	}
	larger := make([]T, len(s), places)
	copy(larger, s)
	return larger
}

// room makes a list of free slots as large as it can come to be, so that giving
// a slot back never allocates: whoever makes things pays for the growth.
func room(free []uint32, slots int) []uint32 {
	if cap(free) >= slots {
		return free
	}
	return slices.Grow(free, max(slots, 2*cap(free))-len(free))
}
