package assets

import "sojourn/journal"

// SetKeepAlive sets how many bytes of unheld payloads may stay in memory, and
// frees what is over it, oldest first. Zero frees all of them, and from then
// on each payload at its last release.
func (s *Store) SetKeepAlive(bytesMax int64) {
	s.mu.Lock()
	defer s.unlock()
	s.mu.keepAliveBytesMax = max(bytesMax, 0)
	s.mu.flushCold = bytesMax <= 0
}

// Trim frees unheld payloads, oldest first, until they fit the keep-alive
// budget. It also happens by itself wherever payloads are parked.
func (s *Store) Trim() {
	s.mu.Lock()
	s.unlock()
}

// settleLocked decides about a payload whose last hold went.
func (s *Store) settleLocked(slot uint32) {
	e := s.entryLocked(slot)
	if !e.hasPayload || e.pins > 0 || e.coldID != 0 {
		return
	}
	switch {
	case e.reloadPending:
		s.destroyLocked(slot, FreeReloaded)
	case s.mu.keepAliveBytesMax == 0:
		s.destroyLocked(slot, FreeReleased)
	case e.cost.Total() > s.mu.keepAliveBytesMax:
		s.destroyLocked(slot, FreeOverBudget)
	default:
		s.parkLocked(slot)
	}
}

// parkLocked keeps an unheld payload. One that cannot be recorded is freed: a
// bookkeeping failure must not become a leak.
func (s *Store) parkLocked(slot uint32) {
	if s.mu.cold.wantsCompacting() {
		s.mu.cold.compact(func(slot uint32, id uint64) { s.entryLocked(slot).coldID = id })
	}
	id, ok := s.mu.cold.push(slot)
	if !ok {
		s.destroyLocked(slot, FreeUnrecorded)
		return
	}
	e := s.entryLocked(slot)
	e.coldID = id
	s.mu.ledger.park(e.key.Kind, e.cost, 1)
}

// unparkLocked takes a payload that is held again out of the cold queue.
func (s *Store) unparkLocked(slot uint32) {
	if s.leaveColdLocked(slot) {
		s.mu.resurrected++
	}
}

func (s *Store) leaveColdLocked(slot uint32) bool {
	e := s.entryLocked(slot)
	if e.coldID == 0 {
		return false
	}
	s.mu.cold.leave(e.coldID)
	e.coldID = 0
	s.mu.ledger.park(e.key.Kind, e.cost, -1)
	return true
}

// evictMax is how many payloads one locked region evicts.
const evictMax = 16

// trimLocked evicts what is over the budget, a bounded number at a time;
// [Store.unlock] calls it until nothing is.
func (s *Store) trimLocked() {
	reason := FreeEvicted
	if s.mu.flushCold {
		reason = FreeFlushed
	}
	for range evictMax {
		if s.mu.ledger.coldBytes <= s.mu.keepAliveBytesMax && !s.mu.flushCold {
			s.mu.ledger.coldBytesPeak = max(s.mu.ledger.coldBytesPeak, s.mu.ledger.coldBytes)
			return
		}
		slot, ok := s.mu.cold.oldest()
		if !ok {
			s.mu.flushCold = false
			return
		}
		s.mu.evicted++
		s.destroyLocked(slot, reason)
	}
}

// destroyLocked takes a payload out of its entry. Its bytes are freed by
// [Store.unlock], outside the lock.
func (s *Store) destroyLocked(slot uint32, reason FreeReason) {
	e := s.entryLocked(slot)
	s.leaveColdLocked(slot)
	s.mu.ledger.add(e.key.Kind, e.cost, -1)
	s.mu.freed.add(e.key, e.cost.Total(), reason)
	s.freedThrashLocked(e.key, reason)
	freed := journal.AssetFreed
	if reason == FreeEvicted {
		freed = journal.AssetEvicted
	}
	s.note(freed, e.key, e.cost.Total(), reason.String())
	s.mu.destroyed++
	s.mu.doomed = append(s.mu.doomed, doomedCell{s.kinds[e.key.Kind].res, s.coolAt(slot).payload.Load()})
	e.hasPayload, e.reloadPending, e.pins, e.cost = false, false, 0, Footprint{}
	e.source, e.entryName, e.sizeBytes = nil, "", 0
	s.refreshLocked(slot)
	if reason == FreeReloaded {
		s.mailLocked(slot, PhaseUnloaded)
	}
	s.maybeFreeLocked(slot)
}

// recostLocked charges a payload by what it costs now.
func (s *Store) recostLocked(slot uint32, cost Footprint) {
	e := s.entryLocked(slot)
	if e.coldID != 0 {
		s.mu.ledger.park(e.key.Kind, e.cost, -1)
		s.mu.ledger.park(e.key.Kind, cost, 1)
	}
	s.mu.ledger.add(e.key.Kind, e.cost, -1)
	s.mu.ledger.add(e.key.Kind, cost, 1)
	e.cost = cost
}
