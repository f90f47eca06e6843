package assets

import "sync/atomic"

// TryRetain takes a retain on an asset that is in memory, held or cold. It
// never loads. It answers false for anything else, also for a stale handle.
func (s *Store) TryRetain(h Handle) bool {
	chunk := s.chunks.chunk(h.Slot() / slotChunk) // hot, by hand: it is too large to be inlined
	if chunk == nil {
		return false
	}
	strand := chunk.stripes.own(h.Slot())
	v := strand.Add(1 + tallyOne)
	if v < tallyOne {
		chunk.cool[h.Slot()%slotChunk].retains.Add(tallyTurn)
	}
	if !grantsFor(v, h) {
		return s.retainUngranted(h, strand, v)
	}
	s.trace.retain(h, 1)
	return true
}

// retainUngranted ends a retain that found its strand not granting. Only now, with
// the retain there, it can be told whether the base has one: from here on folding
// would find it.
func (s *Store) retainUngranted(h Handle, strand *atomic.Uint64, v uint64) bool {
	hs, w := s.word(h)
	if hs == nil || !wordHeld(w) || wordCount(v) > stripeRetainsMax {
		s.takeBack(h.Slot(), strand)
		return hs != nil && wordOpen(w) && s.retainFirst(h)
	}
	if s.mu.TryLock() { // else another one will make it grant
		s.grantLocked(h, strand)
		s.unlock()
	}
	s.trace.retain(h, 1)
	return true
}

// grantLocked lets a strand grant retains on what is held. It is the one that was
// asked: seen from another depth of the stack, the goroutine's own may be another.
func (s *Store) grantLocked(h Handle, strand *atomic.Uint64) {
	if hs, w := s.word(h); hs == nil || !wordHeld(w) {
		return
	}
	for {
		v := strand.Load()
		if strand.CompareAndSwap(v, granting(v, h)) {
			return
		}
	}
}

// takeBack undoes a retain in a strand. Folding may have found it there, taken it
// for one that counts, and waits for this to be told of its end.
func (s *Store) takeBack(slot uint32, strand *atomic.Uint64) {
	chunk, i := s.chunks.chunk(slot/slotChunk), slot%slotChunk
	for {
		v := strand.Load()
		if wordCount(v) == 0 || v < tallyOne {
			break
		}
		if strand.CompareAndSwap(v, v-1-tallyOne) {
			return
		}
	}
	chunk.cool[i].retains.Add(^uint64(0))
	if giveBack(strand) || chunk.stripes.giveBackAny(i) {
		return
	}
	s.mu.Lock()
	defer s.unlock()
	if wordCount(chunk.hot[i].word.Load()) > 0 { // else a release too many took it
		s.takeLocked(slot)
	}
}

// TryRetainAll takes a retain on each of many assets, or on none: refused is
// the first that is not in memory, -1 where all are. It is what a burst should
// call: their strands are fetched side by side, where one retain after the other
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

// fetch brings the strands of many assets near: loads do not wait for each other,
// atomic changes do.
func (s *Store) fetch(handles []Handle) {
	for _, h := range handles {
		if chunk := s.chunks.chunk(h.Slot() / slotChunk); chunk != nil {
			chunk.stripes.own(h.Slot()).Load()
		}
	}
}

// retainFirst takes a retain under the lock, where the count is zero: the cold
// queue must know.
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
		if wordCount(w) > baseMax-n {
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
// before Release returns, or parked under the keep-alive budget; where another
// goroutine's TryRetain is just being refused, before that returns. One release
// too many is refused and counted; with build tag invariants it panics.
func (s *Store) Release(h Handle) {
	chunk := s.chunks.chunk(h.Slot() / slotChunk) // as in TryRetain
	if chunk == nil {
		s.releaseLast(h)
		return
	}
	strand := chunk.stripes.own(h.Slot())
	for {
		v := strand.Load()
		if !stripeOf(v, h) || wordCount(v) == 0 {
			s.releaseElsewhere(h)
			return
		}
		if strand.CompareAndSwap(v, v-1) {
			s.trace.release(h)
			return
		}
	}
}

// releaseElsewhere is a release that finds nothing in its own strand.
func (s *Store) releaseElsewhere(h Handle) {
	hs, w := s.word(h)
	for hs != nil && wordOf(w, h) && wordCount(w) > 1 {
		if hs.word.CompareAndSwap(w, w-1) {
			s.trace.release(h)
			return
		}
		w = hs.word.Load()
	}
	if hs != nil && wordOf(w, h) && wordCount(w) == 1 && s.chunks.chunk(h.Slot()/slotChunk).stripes.giveBackAny(h.Slot()%slotChunk) {
		s.trace.release(h)
		return
	}
	s.releaseLast(h)
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
	s.trace.release(s.handleLocked(slot))
	s.takeLocked(slot)
}

// takeLocked takes one retain from the base of a slot. Before the last of it
// goes, no strand grants any more, and what they have becomes the base.
func (s *Store) takeLocked(slot uint32) {
	hs := s.hotAt(slot)
	for {
		w := hs.word.Load()
		if wordCount(w) > 1 {
			if hs.word.CompareAndSwap(w, w-1) {
				return
			}
			continue
		}
		s.foldLocked(slot, 1)
		if wordCount(hs.word.Load()) == 0 {
			s.settleLocked(slot)
		}
		return
	}
}

// foldLocked ends granting, and makes what the stripes have part of the base,
// but for some that are given back. While it is folding no retain counts that
// is not found.
func (s *Store) foldLocked(slot uint32, givenBack int) {
	chunk, i := s.chunks.chunk(slot/slotChunk), slot%slotChunk
	word := &chunk.hot[i].word
	word.Or(flagFolding)
	n, tally := chunk.stripes.fold(i)
	chunk.cool[i].retains.Add(tally)
	for {
		w := word.Load()
		if word.CompareAndSwap(w, w&^flagFolding+uint64(n)-uint64(givenBack)) {
			return
		}
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
