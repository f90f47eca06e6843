package assets

// TryRetain takes a retain on an asset that is in memory, held or cold. It
// never loads. It answers false for anything else, also for a stale handle.
func (s *Store) TryRetain(h Handle) bool {
	chunk := s.chunks.chunk(h.Slot() / slotChunk) // hot, by hand: it is too large to be inlined
	if chunk == nil {
		return false
	}
	hs := &chunk.hot[h.Slot()%slotChunk]
	for {
		w := hs.word.Load()
		if !wordOf(w, h) || !wordOpen(w) || wordCount(w) == retainsMax {
			return false
		}
		if wordCount(w) == 0 {
			return s.retainFirst(h)
		}
		next := w + 1 + tallyOne
		if w&tallyMask == tallyMask {
			next = (w + 1) &^ tallyMask
		}
		if hs.word.CompareAndSwap(w, next) {
			if w&tallyMask == tallyMask {
				chunk.cool[h.Slot()%slotChunk].retains.Add(tallyMax + 1)
			}
			s.trace.retain(h, 1)
			return true
		}
	}
}

// TryRetainAll takes a retain on each of many assets, or on none: refused is
// the first that is not in memory, -1 where all are. It is what a burst should
// call: their words are fetched side by side, where one retain after the other
// waits for memory each time.
func (s *Store) TryRetainAll(handles []Handle) (refused int) {
	s.fetch(handles)
	for i, h := range handles {
		if !s.TryRetain(h) {
			s.ReleaseAll(handles[:i])
			return i
		}
	}
	return -1
}

// ReleaseAll gives back one retain of each; see [Store.Release].
func (s *Store) ReleaseAll(handles []Handle) {
	s.fetch(handles)
	for _, h := range handles {
		s.Release(h)
	}
}

// fetch brings the words of many assets near: loads do not wait for each other,
// atomic changes do.
func (s *Store) fetch(handles []Handle) {
	for _, h := range handles {
		if chunk := s.chunks.chunk(h.Slot() / slotChunk); chunk != nil {
			chunk.hot[h.Slot()%slotChunk].word.Load()
		}
	}
}

// retainFirst takes the count from zero: the cold queue must know.
func (s *Store) retainFirst(h Handle) bool {
	s.mu.Lock()
	defer s.unlock()
	hs, w := s.word(h)
	if hs == nil || !wordOpen(w) {
		return false
	}
	return s.retainLocked(h.Slot(), 1)
}

// retainLocked takes n retains on an entry that is open, if it can bear them.
func (s *Store) retainLocked(slot uint32, n int) bool {
	hs := s.hotAt(slot)
	for {
		w := hs.word.Load()
		if wordCount(w) > retainsMax-n {
			return false
		}
		if !hs.word.CompareAndSwap(w, w+uint64(n)) {
			continue
		}
		if wordCount(w) == 0 && n > 0 {
			s.unparkLocked(slot)
		}
		s.coolAt(slot).retains.Add(uint64(n))
		s.trace.retain(s.handleLocked(slot), n)
		return true
	}
}

// Release gives back one retain. At zero, without a pin, the payload is freed
// before Release returns, or parked under the keep-alive budget. One release
// too many is refused and counted; with build tag invariants it panics.
func (s *Store) Release(h Handle) {
	chunk := s.chunks.chunk(h.Slot() / slotChunk) // as in TryRetain
	if chunk == nil {
		s.releaseLast(h)
		return
	}
	hs := &chunk.hot[h.Slot()%slotChunk]
	for {
		w := hs.word.Load()
		if !wordOf(w, h) || wordCount(w) <= 1 {
			s.releaseLast(h)
			return
		}
		if hs.word.CompareAndSwap(w, w-1) {
			s.trace.release(h)
			return
		}
	}
}

// releaseLast is a release that the store must know of, or refuses.
func (s *Store) releaseLast(h Handle) {
	s.mu.Lock()
	defer s.unlock()
	if hs, w := s.word(h); hs == nil || wordCount(w) == 0 {
		s.overReleaseLocked(h)
		return
	}
	s.releaseLocked(h.Slot())
}

// releaseLocked gives back one retain that the caller knows is there.
func (s *Store) releaseLocked(slot uint32) {
	hs := s.hotAt(slot)
	s.trace.release(s.handleLocked(slot))
	for {
		w := hs.word.Load()
		if !hs.word.CompareAndSwap(w, w-1) {
			continue
		}
		if wordCount(w) == 1 {
			s.settleLocked(slot)
		}
		return
	}
}

func (s *Store) overReleaseLocked(h Handle) {
	if s.mu.closed { // Close took everything back already
		return
	}
	s.mu.overReleases++
	name := "a stale handle"
	if e, _ := s.liveLocked(h); e != nil {
		name = e.key.String()
	}
	misuse("Release of " + name + ", which is not retained")
}

// Pin keeps a resident payload in memory at zero retains. It answers false if
// the asset is not resident. Pins count; a reload takes them all.
func (s *Store) Pin(h Handle) bool {
	s.mu.Lock()
	defer s.unlock()
	e, _ := s.liveLocked(h)
	if e == nil || !e.hasPayload || e.reloadPending {
		return false
	}
	e.pins++
	if e.pins == 1 {
		s.unparkLocked(h.Slot())
		s.refreshLocked(h.Slot())
	}
	return true
}

// Unpin gives back one pin. Without a pin, also because a reload took it, it
// does nothing.
func (s *Store) Unpin(h Handle) {
	s.mu.Lock()
	defer s.unlock()
	e, hs := s.liveLocked(h)
	if e == nil || e.pins == 0 {
		return
	}
	e.pins--
	if e.pins > 0 {
		return
	}
	s.refreshLocked(h.Slot())
	if wordCount(hs.word.Load()) == 0 {
		s.settleLocked(h.Slot())
	}
}
