package assets

import (
	"sync/atomic"
	"unsafe"
)

// stripeCount is how many goroutines can retain one asset side by side.
const stripeCount = 8

// stripes count retains that are taken without the lock, apart by goroutine:
// where two processors change one word in turn, each fetches it from the other
// every time. Each stripe has a strand for each slot.
//
// A strand holds, from the low end: retains that have not been given back,
// whether it is granting, as in its handle the generation and the kind, and a
// tally of the latest retains. While it grants, a retain or release here is one
// change of this strand alone. It begins and ends to grant under the store's
// lock, and grants only while the slot's base is above zero and the payload is
// open.
//
// A retain adds first and looks then, for looking first would fetch the strand
// twice: so for a moment a strand may have one more than there are retains, also
// one of a slot that is not in use.
type stripes [stripeCount][slotChunk]atomic.Uint64

const (
	stripeGrants   = 1 << countBits
	stripeTagShift = countBits + 1
	stripeTagMask  = (1<<handleSlotBits - 1) << stripeTagShift

	// The tally counts retains, so that one of them is one atomic operation and
	// not two. It is at the high end, where it may run over: what ran over goes
	// to the slot's count.
	tallyShift = stripeTagShift + handleSlotBits
	tallyOne   = 1 << tallyShift
	tallyTurn  = 1 << (64 - tallyShift) // retains of one run

	// stripeRetainsMax is how many retains a strand takes, and as many again that
	// are there for a moment; more go to the base.
	stripeRetainsMax = 1 << 17

	stackBytesMin = 2 << 10
	strandsInPage = 512 // of 4 KiB
)

func stripeOf(v uint64, h Handle) bool { return uint32(v>>stripeTagShift) == uint32(h>>handleSlotBits) }

// grantsFor tells whether a strand grants retains by a handle of its slot.
func grantsFor(v uint64, h Handle) bool {
	return stripeOf(v, h) && v&stripeGrants != 0 && wordCount(v) <= stripeRetainsMax
}

// granting is a strand that grants retains by a handle from now on.
func granting(v uint64, h Handle) uint64 {
	return v&^stripeTagMask | uint64(h)>>handleSlotBits<<stripeTagShift | stripeGrants
}

// own is the strand where the calling goroutine should count its retains of a
// slot. It is told by where its stack is, so it may be another one next time: a
// retain may be given back at another stripe than it was taken. Two goroutines
// that share a stripe do so for some slots only: which bits of the stack's hash
// name it changes with each page of strands.
func (c *stripes) own(slot uint32) *atomic.Uint64 {
	var here byte
	stack := uint64(uintptr(unsafe.Pointer(&here))) / stackBytesMin
	hash := stack * 0x9E3779B97F4A7C15 // Knuth's multiplicative hashing: 2^64 over the golden ratio
	return &c[hash>>(16+slot/strandsInPage%16*3)%stripeCount][slot%slotChunk]
}

// giveBack takes one retain out of a strand, if one is there.
func giveBack(strand *atomic.Uint64) bool {
	for {
		v := strand.Load()
		if wordCount(v) == 0 {
			return false
		}
		if strand.CompareAndSwap(v, v-1) {
			return true
		}
	}
}

// giveBackAny takes one retain out of any strand of a slot.
func (c *stripes) giveBackAny(i uint32) bool {
	for stripe := range c {
		if giveBack(&c[stripe][i]) {
			return true
		}
	}
	return false
}

// count is the retains in all strands of a slot, and their tally.
func (c *stripes) count(i uint32) (n int, tally uint64) {
	for stripe := range c {
		v := c[stripe][i].Load()
		n += wordCount(v)
		tally += v >> tallyShift
	}
	return n, tally
}

// fold takes everything out of the strands of a slot: none grants any more.
func (c *stripes) fold(i uint32) (n int, tally uint64) {
	for stripe := range c {
		strand := &c[stripe][i]
		if strand.Load() == 0 {
			continue
		}
		v := strand.Swap(0)
		n += wordCount(v)
		tally += v >> tallyShift
	}
	return n, tally
}
