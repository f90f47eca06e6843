package assets

// ownersMax bounds how many owner names a store remembers; later ones are
// anonymous in diagnostics.
const ownersMax = 4096

// ownerIDLocked gives the number of an owner's name; 0 is nobody in particular.
func (s *Store) ownerIDLocked(name string) uint32 {
	if name == "" {
		return 0
	}
	if id, ok := s.mu.ownerIDs[name]; ok {
		return id
	}
	if len(s.mu.owners) >= ownersMax {
		return 0
	}
	id := uint32(len(s.mu.owners))
	s.mu.owners = append(s.mu.owners, name)
	s.mu.ownerIDs[name] = id
	return id
}

// OwnerHandles is the row of what no owner with a name took: by handle, by an
// anonymous scope, or by a blocking retain.
const OwnerHandles = "handles"

// OwnerStats is the part of one owner. A payload is on one row, that of who
// took it last as far as known ([Row].Owner), also once it is cold. Bytes
// include the cold and the mapped. What is in flight or unadopted is on the row
// of who asked for it first.
type OwnerStats struct {
	Owner            string
	Resident, Cold   int
	Bytes, ColdBytes int64
	MappedBytes      int64
	InFlightBytes    int64
	UnadoptedBytes   int64 // as in [KindStats]
}

// ownersLocked appends the owners that have bytes to dst, which is empty.
func (s *Store) ownersLocked(dst []OwnerStats) []OwnerStats {
	for _, name := range s.mu.owners {
		dst = append(dst, OwnerStats{Owner: name})
	}
	dst[0].Owner = OwnerHandles
	for c, entries := range s.mu.entries {
		cool := &s.chunks.chunk(uint32(c)).cool
		for i := range entries {
			e := &entries[i]
			if e.hasPayload {
				dst[cool[i].owner.Load()].add(e)
			}
			if j := e.job; j != nil && j.waiters != nil {
				dst[j.waiters.first().batch.ownerID].InFlightBytes += j.charged
			}
		}
	}
	s.inFlightByOwnerLocked(dst)
	kept := dst[:0]
	for _, row := range dst {
		if row.Resident > 0 || row.InFlightBytes+row.UnadoptedBytes > 0 {
			kept = append(kept, row)
		}
	}
	return kept
}

func (o *OwnerStats) add(e *entry) {
	o.Resident++
	o.Bytes += e.cost.Total()
	o.MappedBytes += e.cost.MappedBytes
	if e.coldID != 0 {
		o.Cold++
		o.ColdBytes += e.cost.Total()
	}
}

// inFlightByOwnerLocked adds what batches and reads have not taken yet, and
// leaves the rest, of blocking retains and of loads that nobody waits for any
// more, to the handles.
func (s *Store) inFlightByOwnerLocked(rows []OwnerStats) {
	for b := s.mu.batches; b != nil; b = b.next {
		for i := range b.items {
			rows[b.ownerID].UnadoptedBytes += b.items[i].charge
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		for _, j := range r.waiting {
			rows[r.ownerID].InFlightBytes += j.charged
		}
		for i := range r.done {
			rows[r.ownerID].InFlightBytes += r.done[i].charged
		}
	}
	rest := s.mu.inFlightBytes - s.mu.unadoptedBytes
	for i := range rows {
		rest -= rows[i].InFlightBytes
	}
	rows[0].InFlightBytes += rest
}
