package assets

// coldRecordsMax bounds the cold queue. What cannot be recorded is freed.
const coldRecordsMax = 1 << 18

// coldQueue is the parked payloads, oldest first. Leaving it, from the front
// or the middle, only marks a record; the queue is compacted after enough
// records were used up, so that steady eviction shifts nothing.
type coldQueue struct {
	records []coldRecord
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
	if len(q.records) >= q.max {
		return 0, false
	}
	q.records = append(q.records, coldRecord{slot: slot, live: true})
	return uint64(len(q.records)), true
}

// leave marks a record as no longer cold.
func (q *coldQueue) leave(id uint64) {
	q.records[id-1].live = false
	q.dead++
}

// oldest gives the first record that is still cold, passing over the others.
func (q *coldQueue) oldest() (slot uint32, ok bool) {
	for q.head < len(q.records) {
		if r := q.records[q.head]; r.live {
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
	used, all := q.head+q.dead, len(q.records)
	return all >= 64 && 2*used >= all || all >= q.max && 16*used >= all
}

// compact drops what is used up and tells each slot that stays its new id.
func (q *coldQueue) compact(moved func(slot uint32, id uint64)) {
	kept := 0
	for _, r := range q.records[q.head:] {
		if !r.live {
			continue
		}
		q.records[kept] = r
		kept++
		moved(r.slot, uint64(kept))
	}
	q.records = q.records[:kept]
	q.head, q.dead = 0, 0
}
