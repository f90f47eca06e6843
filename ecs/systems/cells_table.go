package systems

import (
	"time"

	"github.com/mlange-42/arche/ecs"

	"sojourn/ecs/components"
)

// cellID names a cell: the serial of its grid, which no other grid ever has,
// and its index.
type cellID struct {
	grid  uint32
	index int32
}

// cellState is where a cell stands. Cells that nobody wants have no slot.
type cellState uint8

const (
	cellWaiting cellState = iota // wanted; not asked for yet
	cellDropped                  // was waiting, and is not wanted any more
	cellLoading                  // asked for
	cellLoaded                   // its layer is shown, has failed or is gone
	cellGrace                    // nobody wants it; it stays for a while
	cellLeaving                  // nobody wants it; it is to be unloaded
)

type cellSlot struct {
	id       cellID
	entity   ecs.Entity // its StreamCell; zero while it waits
	layer    ecs.Entity
	state    cellState
	lane     components.Lane
	priority int32
	metres2  float64 // to the nearest source, while it waits
	leftAt   time.Duration
	cause    string // which window let it go

	prev, next int32 // in the chain of its state
}

const noSlot = -1

// cellTable has a slot for each cell that is wanted, loaded or on its way out.
// Slots are reused, so that a window that moves allocates nothing.
type cellTable struct {
	slots []cellSlot
	free  []int32
	index map[cellID]int32
}

func newCellTable() cellTable { return cellTable{index: make(map[cellID]int32, 256)} }

func (t *cellTable) find(id cellID) (slot int32, ok bool) {
	slot, ok = t.index[id]
	return slot, ok
}

// add makes a slot for a cell that has none.
func (t *cellTable) add(id cellID) int32 {
	var slot int32
	if n := len(t.free); n > 0 {
		slot = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		slot = int32(len(t.slots))
		t.slots = append(t.slots, cellSlot{})
	}
	t.slots[slot] = cellSlot{id: id, prev: noSlot, next: noSlot}
	t.index[id] = slot
	return slot
}

// forget takes a cell's name off its slot, which stays in use.
func (t *cellTable) forget(slot int32) { delete(t.index, t.slots[slot].id) }

// release gives a slot back.
func (t *cellTable) release(slot int32) {
	t.slots[slot] = cellSlot{}
	t.free = append(t.free, slot)
}

// cellChain is a list of slots in order of arrival. A slot is in one at most.
type cellChain struct{ head, tail, len int32 }

func newCellChain() cellChain { return cellChain{head: noSlot, tail: noSlot} }

func (t *cellTable) push(c *cellChain, slot int32) {
	s := &t.slots[slot]
	s.prev, s.next = c.tail, noSlot
	if c.tail == noSlot {
		c.head = slot
	} else {
		t.slots[c.tail].next = slot
	}
	c.tail = slot
	c.len++
}

func (t *cellTable) unlink(c *cellChain, slot int32) {
	s := &t.slots[slot]
	if s.prev == noSlot {
		c.head = s.next
	} else {
		t.slots[s.prev].next = s.next
	}
	if s.next == noSlot {
		c.tail = s.prev
	} else {
		t.slots[s.next].prev = s.prev
	}
	s.prev, s.next = noSlot, noSlot
	c.len--
}
