package assets

// Touched appends the handle of every entry that the changes concern: those
// whose holders are to let go before [Store.ReloadChanges].
func (s *Store) Touched(c Changes, dst []Handle) []Handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, slot := range s.mu.byKey {
		if c.Has(k) {
			dst = append(dst, s.handleLocked(slot))
		}
	}
	return dst
}

// ReloadChanges is [Store.Reload] for many families in one step.
func (s *Store) ReloadChanges(c Changes) int { return s.reloadMatching(c.Has) }

func (s *Store) reloadMatching(match func(Key) bool) int {
	t := &s.tickets
	t.mu.Lock() // so that nobody sees a ticket satisfied by what just went
	defer t.mu.Unlock()
	touched := s.reloadEntries(match)
	for _, h := range touched {
		t.rearmLocked(h)
	}
	return len(touched)
}
