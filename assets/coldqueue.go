package assets

import "sojourn/chunked"

// coldRecordsMax bounds the cold queue. What cannot be recorded is freed.
const coldRecordsMax = 1 << 18

// coldQueue is the parked payloads, oldest first. Leaving it, from the front
// or the middle, only marks a record; the queue is compacted after enough
// records were used up, so that steady eviction shifts nothing.
type coldQueue struct {
	records chunked.List[coldRecord]
	head    int // records before it are used up
	dead    int // records from head on that were left
	max     int
}

type coldRecord struct {
	slot uint32
	live bool
}

// push records a slot as the youngest. Its id, one or more, holds until the
// next compacting. It reports false when the queue is full.
func (q *coldQueue) push(slot uint32) (id uint64, ok bool) {
	if q.records.Len() >= q.max {
		return 0, false
	}
	q.records.Add(coldRecord{slot: slot, live: true})
	return uint64(q.records.Len()), true
}

// leave marks a record as no longer cold.
func (q *coldQueue) leave(id uint64) {
	q.records.At(int(id - 1)).live = false
	q.dead++
}

// oldest gives the first record that is still cold, passing over the others.
func (q *coldQueue) oldest() (slot uint32, ok bool) {
	for q.head < q.records.Len() {
		if r := q.records.At(q.head); r.live {
			return r.slot, true
		}
		q.head++
		q.dead--
	}
	return 0, false
}

// wantsCompacting tells whether enough records are used up to pay for a pass
// over the rest.
func (q *coldQueue) wantsCompacting() bool {
	used, all := q.head+q.dead, q.records.Len()
	return all >= 64 && 2*used >= all || all >= q.max && 16*used >= all
}

// compact drops what is used up and tells each slot that stays its new id.
func (q *coldQueue) compact(moved func(slot uint32, id uint64)) {
	kept := 0
	for i := q.head; i < q.records.Len(); i++ {
		r := *q.records.At(i)
		if !r.live {
			continue
		}
		*q.records.At(kept) = r
		kept++
		moved(r.slot, uint64(kept))
	}
	q.records.Cut(kept)
	q.head, q.dead = 0, 0
}
