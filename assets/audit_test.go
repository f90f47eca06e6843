package assets

import (
	"fmt"
	"slices"
)

// AuditRow is one entry, as the store sees it.
type AuditRow struct {
	Handle                  Handle
	Key                     Key
	Refs, Names, Pins       int
	Payload, Pending        bool
	Cold, Busy, Err, Queued bool
	Bytes                   int64
	Cell                    uint32
	Serial                  uint64 // the auditor's own
}

// Audit is what a store holds, and what of it its own parts account for. Its
// slices are reused.
type Audit struct {
	Rows []AuditRow
	// Refs and Names, by slot: retains and names held by batches, reads and
	// the workers themselves.
	Refs, Names []int32
	// Problems are contradictions inside the store.
	Problems []string

	Cold, Resident, Absent, Mail     int
	ColdBytes, Bytes, KeepAliveBytes int64
	InFlightBytes, ChargedBytes      int64
	Running, Queue                   int
	OverReleases                     int

	owners []OwnerStats
}

// auditColdMax bounds the cold queue of a store with few keys.
const auditColdMax = 256

// auditSlotsMax is how many slots such a store uses at most.
const auditSlotsMax = 128

func (a *Audit) problem(invariant int, format string, args ...any) {
	a.Problems = append(a.Problems, fmt.Sprintf("invariant %02d: ", invariant)+fmt.Sprintf(format, args...))
}

func (a *Audit) hold(list *[]int32, h Handle) {
	for int(h.Slot()) >= len(*list) {
		*list = append(*list, 0)
	}
	(*list)[h.Slot()]++
}

// AuditInto looks at everything in the store. The workers are those that were
// made by [Store.ManualWorker]; no goroutine may be inside the store.
func (s *Store) AuditInto(a *Audit, workers []*ManualWorker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(a.Refs)
	clear(a.Names)
	*a = Audit{Rows: a.Rows[:0], Refs: a.Refs, Names: a.Names, Problems: a.Problems[:0], owners: a.owners}
	a.Absent, a.Mail, a.KeepAliveBytes = len(s.mu.absent), len(s.mu.mail), s.mu.keepAliveBytesMax
	a.InFlightBytes, a.Running, a.OverReleases = s.mu.inFlightBytes, s.mu.running, int(s.mu.overReleases)
	s.auditHoldersLocked(a, workers)
	s.auditEntriesLocked(a)
	s.auditSumsLocked(a)
	a.Queue = len(s.mu.queue)
}

func (s *Store) auditHoldersLocked(a *Audit, workers []*ManualWorker) {
	for c := s.scopes.mu.first; c != nil; c = c.next {
		for i := range c.mu.held.Len() {
			a.hold(&a.Refs, *c.mu.held.At(i))
		}
	}
	for b := s.mu.batches; b != nil; b = b.next {
		for i := range b.items {
			item := &b.items[i]
			a.ChargedBytes += item.charge
			switch item.state {
			case itemNamed, itemWaiting:
				a.hold(&a.Names, item.handle)
			case itemExpanding:
				a.hold(&a.Names, item.handle)
				a.hold(&a.Refs, item.handle)
			case itemLanded:
				a.hold(&a.Refs, item.handle)
			}
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		for _, j := range r.waiting {
			if !j.running {
				a.hold(&a.Refs, j.handle)
			}
		}
		for i := range r.done {
			a.ChargedBytes += r.done[i].charged
			a.hold(&a.Refs, r.done[i].Handle)
		}
	}
	for i, w := range workers {
		if slices.ContainsFunc(workers[:i], func(other *ManualWorker) bool { return other.job == w.job }) {
			continue // one put it back to the queue and is closing its entry, another took it
		}
		if len(w.w.expanding) > 0 {
			a.hold(&a.Refs, w.job.handle)
		}
		if w.job == nil || !w.job.running {
			continue
		}
		a.ChargedBytes += w.job.charged
		if w.job.read.reads != nil {
			a.hold(&a.Refs, w.job.handle)
		}
	}
}

// auditEntriesLocked looks at the entries slot by slot until it has seen as
// many as there are keys: the first slots of the last chunk are in use.
func (s *Store) auditEntriesLocked(a *Audit) {
	for c := len(s.mu.entries) - 1; c >= 0; c-- {
		chunk := s.mu.entries[c]
		for i := range chunk {
			if len(a.Rows) == len(s.mu.byKey) {
				return
			}
			if chunk[i].used {
				s.auditEntryLocked(a, chunk[i].key, uint32(c*slotChunk+i))
			}
		}
	}
	if len(a.Rows) != len(s.mu.byKey) {
		a.problem(11, "%d keys are known, %d entries are used", len(s.mu.byKey), len(a.Rows))
	}
}

func (s *Store) auditEntryLocked(a *Audit, k Key, slot uint32) {
	e, hs := s.entryLocked(slot), s.hotAt(slot)
	w := hs.word.Load()
	for stripe := range stripeCount {
		v := s.chunks.chunk(slot / slotChunk).stripes[stripe][slot%slotChunk].Load()
		if w&flagFolding != 0 || v != 0 && wordCount(w) == 0 || v&stripeGrants != 0 && (!wordHeld(w) || !stripeOf(v, s.handleLocked(slot))) {
			a.problem(1, "%v: the strand at its stripe %d is %#x, its word %#x", k, stripe, v, w)
		}
	}
	row := AuditRow{
		Handle: s.handleLocked(slot), Key: k, Refs: s.refs(slot), Names: int(e.names), Pins: int(e.pins),
		Payload: e.hasPayload, Pending: e.reloadPending, Cold: e.coldID != 0, Busy: e.job != nil || e.receipts != nil,
		Err: e.err != nil, Queued: e.job != nil && e.job.index >= 0, Bytes: e.cost.Total(), Cell: s.coolAt(slot).payload.Load(),
	}
	a.Rows = append(a.Rows, row)
	if known, ok := s.mu.byKey[k]; !ok || known != slot {
		a.problem(11, "%v has an entry that its key does not lead to", k)
	}
	if h, ok := s.Find(k); !ok || h != row.Handle {
		a.problem(11, "%v is found as %#x without the lock, it is %#x", k, uint64(h), uint64(row.Handle))
	}
	if e.names == 0 && !e.hasPayload && !row.Busy {
		a.problem(11, "%v is neither named, in memory nor in flight, and still there", k)
	}
	if open := wordOpen(w); open != (e.hasPayload && !e.reloadPending) || wordState(w) != e.stateLocked() ||
		wordFull(w) != e.hasPayload || (w&flagPinned != 0) != (e.hasPayload && e.pins > 0) {
		a.problem(1, "%v: the word says %v, the entry %v", k, wordState(w), e.stateLocked())
	}
	if !e.hasPayload {
		if row.Refs > 0 {
			a.problem(1, "%v has %d retains and no payload", k, row.Refs)
		}
		if row.Bytes != 0 || row.Cold {
			a.problem(1, "%v has no payload and costs %d, cold %v", k, row.Bytes, row.Cold)
		}
		return
	}
	a.Resident++
	a.Bytes += row.Bytes
	if row.Cold {
		a.Cold++
		a.ColdBytes += row.Bytes
	}
	if idle := row.Refs == 0 && row.Pins == 0; idle != row.Cold {
		a.problem(1, "%v: %d retains, %d pins, cold %v, reload pending %v", k, row.Refs, row.Pins, row.Cold, row.Pending)
	}
}

func (s *Store) auditSumsLocked(a *Audit) {
	l := &s.mu.ledger
	if l.bytes != a.Bytes || l.resident != a.Resident || l.cold != a.Cold || l.coldBytes != a.ColdBytes {
		a.problem(1, "the ledger says %d bytes of %d, cold %d of %d; the entries say %d of %d, cold %d of %d",
			l.bytes, l.resident, l.coldBytes, l.cold, a.Bytes, a.Resident, a.ColdBytes, a.Cold)
	}
	a.owners = s.ownersLocked(a.owners[:0])
	var byOwner, byKind OwnerStats
	for _, o := range a.owners {
		byOwner.sum(o)
	}
	for _, k := range l.byKind {
		byKind.sum(OwnerStats{"", k.Resident, k.Cold, k.Bytes, k.ColdBytes, k.MappedBytes, k.InFlightBytes, k.UnadoptedBytes})
	}
	if all := (OwnerStats{"", l.resident, l.cold, l.bytes, l.coldBytes, l.mappedBytes, s.mu.inFlightBytes - s.mu.unadoptedBytes, s.mu.unadoptedBytes}); byOwner != all || byKind != all {
		a.problem(1, "the ledger says %+v, by owner that is %+v, by kind %+v", all, byOwner, byKind)
	}
	for _, o := range a.owners {
		if o.InFlightBytes < 0 || o.UnadoptedBytes < 0 {
			a.problem(1, "owner %q has %d bytes in flight", o.Owner, o.InFlightBytes)
		}
	}
	if a.ColdBytes > s.mu.keepAliveBytesMax {
		a.problem(1, "%d bytes are cold, over %d", a.ColdBytes, s.mu.keepAliveBytesMax)
	}
	live := 0
	for i := range s.index.shards {
		live += s.index.shards[i].live
	}
	if live != len(s.mu.byKey) {
		a.problem(11, "%d keys are known, %d are found without the lock", len(s.mu.byKey), live)
	}
	if len(s.mu.byKey)+len(s.mu.freeSlots) != len(s.mu.entries)*slotChunk {
		a.problem(11, "%d entries and %d free slots of %d", len(s.mu.byKey), len(s.mu.freeSlots), len(s.mu.entries)*slotChunk)
	}
	if n := s.mu.cold.records.Len(); n > auditColdMax {
		a.problem(11, "the cold queue has %d records for %d payloads", n, a.Cold)
	}
	if a.Absent > absentMax {
		a.problem(11, "%d absent keys are remembered", a.Absent)
	}
	if len(s.mu.doomed) > 0 || len(s.mu.doomedBytes) > 0 {
		a.problem(1, "%d payloads and %d reads are doomed and not freed", len(s.mu.doomed), len(s.mu.doomedBytes))
	}
	// A waiting load that outlived its queue would hang whoever waits for it.
	if queued := s.queuedLocked(a); queued != len(s.mu.queue) {
		a.problem(11, "%d jobs in the queue, %d are somebody's", len(s.mu.queue), queued)
	}
	aged, last := 0, uint64(0)
	for j := s.mu.oldest; j != nil; j = j.newer {
		if aged++; j.serial <= last || j.index < 0 || j.newer == nil && s.mu.newest != j || aged > len(s.mu.queue) {
			a.problem(11, "by age, job %d of %d comes after job %d", j.serial, len(s.mu.queue), last)
			return
		}
		last = j.serial
	}
	if aged != len(s.mu.queue) {
		a.problem(11, "%d jobs in the queue, %d by age", len(s.mu.queue), aged)
	}
}

func (o *OwnerStats) sum(p OwnerStats) {
	o.Resident += p.Resident
	o.Cold += p.Cold
	o.Bytes += p.Bytes
	o.ColdBytes += p.ColdBytes
	o.MappedBytes += p.MappedBytes
	o.InFlightBytes += p.InFlightBytes
	o.UnadoptedBytes += p.UnadoptedBytes
}

func (s *Store) queuedLocked(a *Audit) (n int) {
	for i := range a.Rows {
		if a.Rows[i].Queued {
			n++
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		for _, j := range r.waiting {
			if j.index >= 0 {
				n++
			}
		}
	}
	return n
}

// TicketAudit tells of contradictions between the tickets and what is linked
// to entries.
func (s *Store) TicketAudit(a *Audit) {
	t := &s.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	linked, required := 0, 0
	first := (len(s.mu.entries) - 1) * slotChunk // see auditEntriesLocked
	for slot := first; slot < min(t.mu.heads.Len(), first+auditSlotsMax); slot++ {
		for r := *t.mu.heads.At(slot); r != 0; r = t.requirementLocked(r).next {
			linked++
			if linked > t.mu.requirements.Len() {
				a.problem(13, "the requirements of slot %d run in a circle", slot)
				return
			}
			req := t.requirementLocked(r)
			a.hold(&a.Names, req.handle)
			if !t.mu.rows[req.ticket].open {
				a.problem(13, "a requirement of %#x is left by a closed ticket", uint64(req.handle))
			}
		}
	}
	for i := range t.mu.rows {
		if row := &t.mu.rows[i]; row.open {
			required += row.required
		}
	}
	if linked != required {
		a.problem(13, "%d requirements are linked, open tickets have %d", linked, required)
	}
}

// PoolLiveBytes is what is lent out by the store's pool.
func (s *Store) PoolLiveBytes() int64 { return s.pool.LiveBytes() }

// Held is what a scope holds.
func (c *Scope) Held() (held []Handle) {
	for i := range c.mu.held.Len() {
		held = append(held, *c.mu.held.At(i))
	}
	return held
}

// Peek is the payload in a cell, held or not.
func (r *Residency[T]) Peek(cell uint32) *T { return r.at(cell) }

// Named is what a set names.
func (t *Set) Named() []Handle { return append(slices.Clone(t.assets), t.needs...) }
