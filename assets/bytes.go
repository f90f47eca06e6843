package assets

// Bytes owns payload bytes: a block of a [Pool], a mapping lease, or plain
// memory. One owner frees it; copying the value does not share ownership.
// The zero Bytes is empty.
//
// Freed at once when its owner's count says so, not when the collector comes
// by.
type Bytes struct {
	b     []byte
	lease Lease
	block *poolBlock
	turn  uint32 // the block's turn when it was lent
}

// OwnBytes wraps plain memory; Free leaves it to the collector.
func OwnBytes(b []byte) Bytes { return Bytes{b: b} }

// LeaseBytes wraps a mapping lease; Free releases it.
func LeaseBytes(l Lease) Bytes { return Bytes{b: l.Bytes(), lease: l} }

// Slice is the bytes. Do not keep it past Free.
func (b *Bytes) Slice() []byte { return b.b }

// Len is the number of bytes.
func (b *Bytes) Len() int { return len(b.b) }

// Mapped tells whether the bytes lie in a file mapping.
func (b *Bytes) Mapped() bool { return b.lease != nil }

// Footprint is what the bytes cost: the whole pool block, the mapped length,
// or the capacity of plain memory.
func (b *Bytes) Footprint() Footprint {
	if b.lease != nil {
		return Footprint{MappedBytes: int64(len(b.b))}
	}
	return Footprint{OwnedBytes: int64(cap(b.b))}
}

// Free gives the bytes back and empties b. Freeing an empty Bytes does nothing,
// and so does freeing a stale copy of a pooled one; with build tag invariants
// the latter panics.
func (b *Bytes) Free() {
	switch {
	case b.lease != nil:
		b.lease.Release()
	case b.block != nil:
		b.block.pool.put(b.block, b.turn)
	}
	*b = Bytes{}
}
