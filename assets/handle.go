package assets

// Handle names one entry of one store: from the high end kind (6 bits),
// generation (26 bits) and slot (32 bits). It holds no pointer and no retain.
// When the entry goes its generation moves on, and a slot whose generations are
// used up serves no more, so a stale handle is refused and never answers with a
// newer asset. The zero Handle names nothing.
type Handle uint64

const (
	handleSlotBits         = 32
	handleKindShift        = handleSlotBits + generationBits
	generationBits         = 26
	generationLast         = 1<<generationBits - 1
	handleSlotMask         = 1<<handleSlotBits - 1
	handleTagMask   uint64 = ^uint64(handleSlotMask) // kind and generation

	// EntriesMax is the number of entries one store can hold at once.
	EntriesMax = 1 << 26
)

// makeTag is what a handle and its slot's word have in common.
func makeTag(kind Kind, generation uint32) uint64 {
	return uint64(kind)<<handleKindShift | uint64(generation)<<handleSlotBits
}

// Kind is the kind of the named asset.
func (h Handle) Kind() Kind { return Kind(h >> handleKindShift) }

// Valid tells whether the handle names anything; it may still be stale.
func (h Handle) Valid() bool { return h>>handleSlotBits&generationLast != 0 }

// Slot is the dense index of the entry, for tables that mirror the store's.
// Compare whole handles before trusting such a table: slots are reused.
func (h Handle) Slot() uint32 { return uint32(h & handleSlotMask) }
