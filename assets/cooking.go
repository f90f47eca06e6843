package assets

// SetCooking says whether a cook runs beside the program. While it does, what
// no source has is not missing but [StatePending]: tickets wait for it instead
// of opening degraded, and its wake comes when the sources change. Nothing
// polls meanwhile. When the cook ends, what is still pending is missing.
func (s *Store) SetCooking(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.cooking == on {
		return
	}
	s.mu.cooking = on
	for _, slot := range s.mu.byKey {
		if e := s.entryLocked(slot); e.missing {
			s.refreshLocked(slot)
			if !on {
				s.mailLocked(slot, PhaseFailed)
			}
		}
	}
}

// Cooking tells what [Store.SetCooking] was told last.
func (s *Store) Cooking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.cooking
}

// Epoch is the probe epoch: it moves on when a source is added, removed or
// replaced, and what was missing may be looked for again.
func (s *Store) Epoch() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.epoch
}
