package assets

// FreeReason tells why a payload was freed.
type FreeReason uint8

// The reasons.
const (
	FreeReleased   FreeReason = iota // last release, keep-alive off
	FreeEvicted                      // oldest over the keep-alive budget
	FreeFlushed                      // keep-alive was switched off
	FreeOverBudget                   // alone larger than the keep-alive budget
	FreeUnrecorded                   // the cold queue was full
	FreeReloaded                     // replaced by a reload
	FreeClosed                       // the store closed
)

var freeReasonNames = [...]string{
	FreeReleased: "released", FreeEvicted: "evicted", FreeFlushed: "flushed", FreeOverBudget: "over budget",
	FreeUnrecorded: "not recorded", FreeReloaded: "reloaded", FreeClosed: "closed",
}

// String is the word diagnostics use.
func (r FreeReason) String() string {
	if int(r) < len(freeReasonNames) {
		return freeReasonNames[r]
	}
	return "reason-?"
}

// FreedRow is one payload that was freed lately.
type FreedRow struct {
	Key    Key
	Bytes  int64
	Reason FreeReason
	Serial uint64 // counts all frees since the store opened
}

// freedMax is how many frees are remembered, for diagnostics only.
const freedMax = 48

type freedRing struct {
	rows   [freedMax]FreedRow
	serial uint64
}

func (f *freedRing) add(k Key, bytes int64, reason FreeReason) {
	f.rows[f.serial%freedMax] = FreedRow{Key: k, Bytes: bytes, Reason: reason, Serial: f.serial}
	f.serial++
}

// appendTo adds the remembered frees to dst, oldest first.
func (f *freedRing) appendTo(dst []FreedRow) []FreedRow {
	first := uint64(0)
	if f.serial > freedMax {
		first = f.serial - freedMax
	}
	for i := first; i < f.serial; i++ {
		dst = append(dst, f.rows[i%freedMax])
	}
	return dst
}

// last finds the latest free of a key.
func (f *freedRing) last(k Key) (FreedRow, bool) {
	for i := f.serial; i > 0 && i+freedMax > f.serial; i-- {
		if row := f.rows[(i-1)%freedMax]; row.Key == k {
			return row, true
		}
	}
	return FreedRow{}, false
}

// FailedRow is one load that failed lately.
type FailedRow struct {
	Key    Key
	Reason string
}

// failedMax is how many failures are remembered, for diagnostics only.
const failedMax = 64

type failedRing struct {
	rows  [failedMax]FailedRow
	total uint64
}

func (f *failedRing) add(k Key, err error) {
	f.rows[f.total%failedMax] = FailedRow{Key: k, Reason: err.Error()}
	f.total++
}

func (f *failedRing) appendTo(dst []FailedRow) []FailedRow {
	first := uint64(0)
	if f.total > failedMax {
		first = f.total - failedMax
	}
	for i := first; i < f.total; i++ {
		dst = append(dst, f.rows[i%failedMax])
	}
	return dst
}
