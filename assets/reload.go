package assets

import "slices"

// Reload says that the files of a family (a stem without its '#' part) changed
// for some kinds, and tells how many entries that touched. Their holders
// should have let go before: an asset nobody holds is freed at once, pinned or
// not, and loads anew when asked for; one that is still held becomes
// [StateReloadPending] until its last release. Decodes that are running are
// thrown away, and what was missing or failed can be asked for again. Tickets
// that require a touched asset wait again.
func (s *Store) Reload(family string, kinds KindSet) int {
	return s.reloadMatching(func(k Key) bool { return kinds.Has(k.Kind) && k.Family() == family })
}

func (s *Store) reloadEntries(match func(Key) bool) (touched []Handle) {
	s.mu.Lock()
	defer s.unlock()
	for k := range s.mu.absent {
		if match(k) {
			delete(s.mu.absent, k)
		}
	}
	for k, slot := range s.mu.byKey {
		if match(k) {
			touched = append(touched, s.handleLocked(slot))
		}
	}
	slices.Sort(touched) // the same order each time: slots are freed in it
	for _, h := range touched {
		s.reloadLocked(h.Slot())
	}
	return touched
}

func (s *Store) reloadLocked(slot uint32) {
	e, hs := s.entryLocked(slot), s.hotAt(slot)
	for r := e.receipts; r != nil; r = r.next {
		r.invalid = true
	}
	s.coolAt(slot).version.Add(1)
	e.mailed, e.onDevice = 0, false
	hadError := e.err != nil
	e.err, e.missing = nil, false
	if !e.hasPayload {
		s.refreshLocked(slot)
		if hadError {
			s.mailLocked(slot, PhaseUnloaded)
		}
		s.maybeFreeLocked(slot)
		return
	}
	e.reloadPending, e.pins = true, 0
	s.refreshLocked(slot)
	s.foldLocked(slot, 0)
	if wordCount(hs.word.Load()) == 0 {
		s.leaveColdLocked(slot)
		s.settleLocked(slot)
	}
}
