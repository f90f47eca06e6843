package assets

// Snapshot is a copy of what the store holds, for a panel or a report. Its
// slices belong to the caller; taken again, they are reused, and once they
// have grown nothing is allocated.
type Snapshot struct {
	Stats   Stats
	Rows    []Row
	Freed   []FreedRow   // oldest first, at most 48
	Failed  []FailedRow  // oldest first, at most 64
	Thrash  []ThrashRow  // what came and went too often, at most 32
	Tickets []TicketView // open ones
	Batches []BatchView  // those that hold or wait for something
	Owners  []OwnerStats // those with bytes; together they have what Stats has
}

// Row is one entry.
type Row struct {
	Handle            Handle
	Key               Key
	State             State
	Refs, Pins, Names int
	Bytes             int64 // owned and mapped
	MappedBytes       int64
	Cold, InFlight    bool
	OnDevice          bool
	// Owner is who took the last retain, as far as known: holders without a
	// name leave no trace.
	Owner string
}

// TicketView is one open ticket.
type TicketView struct {
	Owner                       string
	Mode                        WakeMode
	Sealed                      bool
	Required, Satisfied, Failed int
}

// BatchView is one batch that holds or waits for something.
type BatchView struct {
	Owner                string
	Priority             int32
	Total, Pending, Held int
}

// Snapshot copies what the store holds into dst. Without [Diagnostics] dst is
// emptied.
func (s *Store) Snapshot(dst *Snapshot) {
	if !Diagnostics {
		*dst = Snapshot{}
		return
	}
	s.snapshotTickets(dst)
	s.mu.Lock()
	defer s.mu.Unlock()
	dst.Stats = s.statsLocked()
	dst.Stats.OpenTickets = len(dst.Tickets)
	dst.Freed = s.mu.freed.appendTo(dst.Freed[:0])
	dst.Failed = s.mu.failed.appendTo(dst.Failed[:0])
	dst.Thrash = s.mu.thrash.appendTo(dst.Thrash[:0])
	dst.Batches = dst.Batches[:0]
	for b := s.mu.batches; b != nil; b = b.next {
		dst.Batches = append(dst.Batches, BatchView{
			Owner: b.o.Owner, Priority: b.o.Priority,
			Total: len(b.items), Pending: int(b.pending.Load()), Held: b.heldLocked(),
		})
	}
	dst.Owners = s.ownersLocked(dst.Owners[:0])
	clear(dst.Rows)
	dst.Rows = dst.Rows[:0]
	for c, entries := range s.mu.entries {
		rows := s.chunks.chunk(uint32(c))
		for i := range entries {
			if entries[i].used {
				dst.Rows = append(dst.Rows, s.rowLocked(&entries[i], &rows.hot[i], uint32(c*slotChunk+i)))
			}
		}
	}
}

func (s *Store) rowLocked(e *entry, hs *hotSlot, slot uint32) Row {
	w := hs.word.Load()
	return Row{
		Handle: handleOf(w, slot), Key: e.key, State: wordState(w),
		Refs: s.refs(slot), Pins: int(e.pins), Names: int(e.names),
		Bytes: e.cost.Total(), MappedBytes: e.cost.MappedBytes,
		Cold: e.coldID != 0, InFlight: e.job != nil || e.receipts != nil, OnDevice: e.onDevice,
		Owner: s.mu.owners[s.coolAt(slot).owner.Load()],
	}
}

func (s *Store) snapshotTickets(dst *Snapshot) {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	dst.Tickets = dst.Tickets[:0]
	for i := range t.mu.rows {
		if row := &t.mu.rows[i]; row.open {
			dst.Tickets = append(dst.Tickets, TicketView{
				Owner: row.owner, Mode: row.mode, Sealed: row.sealed,
				Required: row.required, Satisfied: row.satisfied, Failed: row.failed,
			})
		}
	}
}
