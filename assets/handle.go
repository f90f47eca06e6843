package assets

// Handle names one entry of one store: kind (6 bits) and slot (26 bits) in
// the low word, a generation in the high word. It holds no pointer and no
// retain. When the entry goes its generation moves on, so a stale handle is
// refused and never answers with a newer asset. The zero Handle names nothing.
type Handle uint64

const (
	handleSlotBits = 26
	handleSlotMask = 1<<handleSlotBits - 1

	// EntriesMax is the number of entries one store can hold at once.
	EntriesMax = 1 << handleSlotBits
)

func makeHandle(kind Kind, slot uint32, generation uint32) Handle {
	return Handle(generation)<<32 | Handle(kind)<<handleSlotBits | Handle(slot)
}

// Kind is the kind of the named asset.
func (h Handle) Kind() Kind { return Kind(h >> handleSlotBits & (KindsMax - 1)) }

// Valid tells whether the handle names anything; it may still be stale.
func (h Handle) Valid() bool { return h>>32 != 0 }

// Slot is the dense index of the entry, for tables that mirror the store's.
// Compare whole handles before trusting such a table: slots are reused.
func (h Handle) Slot() uint32 { return uint32(h & handleSlotMask) }

func (h Handle) generation() uint32 { return uint32(h >> 32) }
