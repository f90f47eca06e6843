package assets

// doomedCell is a payload that was taken out of its entry and waits to be
// freed outside the lock.
type doomedCell struct {
	res  anyResidency
	cell uint32
}

// unlock ends a locked region that may have parked or destroyed payloads: it
// brings the cold ones under their budget, leaves the lock, and frees what was
// destroyed before it returns.
func (s *Store) unlock() {
	var batch [evictMax]doomedCell
	for {
		s.trimLocked()
		s.freeDoomedBytesLocked()
		left := max(0, len(s.mu.doomed)-len(batch))
		n := copy(batch[:], s.mu.doomed[left:])
		if n == 0 {
			break
		}
		clear(s.mu.doomed[left:])
		s.mu.doomed = s.mu.doomed[:left]
		s.mu.Unlock()
		for _, d := range batch[:n] {
			d.res.release(d.cell)
		}
		s.mu.Lock()
		for _, d := range batch[:n] {
			d.res.discardLocked(d.cell)
		}
	}
	s.mu.Unlock()
}

// freeDoomedBytesLocked frees read results that were dropped. It leaves the
// lock meanwhile.
func (s *Store) freeDoomedBytesLocked() {
	for n := len(s.mu.doomedBytes); n > 0; n = len(s.mu.doomedBytes) {
		b := s.mu.doomedBytes[n-1]
		s.mu.doomedBytes[n-1] = Bytes{}
		s.mu.doomedBytes = s.mu.doomedBytes[:n-1]
		s.mu.Unlock()
		b.Free()
		s.mu.Lock()
	}
}
