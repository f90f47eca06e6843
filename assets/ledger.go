package assets

// ledger counts the bytes of every payload, each in exactly one row per
// column. It reads zero when nothing is in memory. Guarded by the store's lock.
type ledger struct {
	bytes, mappedBytes, bytesPeak int64
	coldBytes, coldBytesPeak      int64
	resident, cold                int
	byKind                        [KindsMax]KindStats
}

// add counts a payload in (n is 1) or out (-1).
func (l *ledger) add(k Kind, cost Footprint, n int) {
	total := cost.Total() * int64(n)
	l.bytes += total
	l.mappedBytes += cost.MappedBytes * int64(n)
	l.bytesPeak = max(l.bytesPeak, l.bytes)
	l.resident += n
	l.byKind[k].Resident += n
	l.byKind[k].Bytes += total
	l.byKind[k].MappedBytes += cost.MappedBytes * int64(n)
}

// park counts a payload as cold (n is 1) or no longer so (-1). The peak is
// taken where trimming ends: what is parked and evicted under one lock was
// never kept.
func (l *ledger) park(k Kind, cost Footprint, n int) {
	total := cost.Total() * int64(n)
	l.coldBytes += total
	l.cold += n
	l.byKind[k].Cold += n
	l.byKind[k].ColdBytes += total
}
