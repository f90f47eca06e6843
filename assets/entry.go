package assets

import "fmt"

// entry is what the store knows of one asset. Guarded by the store's lock.
//
// It exists while it is named, held, pinned, in memory or under way; then it
// goes, its key with it, and the slot's generation moves on.
type entry struct {
	key  Key
	used bool

	names int32 // name holds: callers, tickets, batch items
	pins  int32
	// workerRetains are the retains of workers that follow its needs, or end a
	// range read that was dropped while it ran.
	workerRetains int32

	hasPayload    bool
	reloadPending bool // the payload is of an old version
	onDevice      bool // the device told so
	mailed        uint8
	cost          Footprint
	coldID        uint64 // its record in the cold queue; 0: not cold

	err     error // why the last load failed; nil otherwise
	missing bool  // err says that no source has it

	job      *job     // the load that waits or runs on a worker
	receipts *receipt // decodes that are running

	// Where the payload came from, for range reads.
	source    Source
	entryName string
	sizeBytes int64
}

// Name gives the handle of a key and keeps its slot, not its payload: the
// handle stays good, also across loading and unloading, until [Store.Forget].
// The error wraps [ErrBadStem], [ErrUnknownKind], [ErrFull] or [ErrClosed].
func (s *Store) Name(k Key) (Handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.mu.byKey[k]; !known { // what is known was checked
		if err := s.checkKey(k); err != nil {
			return 0, err
		}
	}
	return s.nameLocked(k)
}

func (s *Store) nameLocked(k Key) (Handle, error) {
	slot, err := s.ensureLocked(k)
	if err != nil {
		return 0, err
	}
	s.entryLocked(slot).names++
	return s.handleLocked(slot), nil
}

// Forget gives back one name hold. A stale handle is ignored.
func (s *Store) Forget(h Handle) {
	s.mu.Lock()
	defer s.unlock()
	s.forgetLocked(h)
}

func (s *Store) forgetLocked(h Handle) {
	e, _ := s.liveLocked(h)
	if e == nil {
		return
	}
	if e.names == 0 {
		s.mu.overReleases++
		misuse("Forget of " + e.key.String() + ", which has no name hold")
		return
	}
	e.names--
	s.maybeFreeLocked(h.Slot())
}

// KeyOf is the key a handle names.
func (s *Store) KeyOf(h Handle) (Key, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.liveLocked(h)
	if e == nil {
		return Key{}, false
	}
	return e.key, true
}

func (s *Store) checkKey(k Key) error {
	if k.Kind >= KindsMax || s.kinds[k.Kind].res == nil {
		return fmt.Errorf("%w: %s", ErrUnknownKind, k)
	}
	return CheckStem(k.Stem)
}

func (s *Store) handleLocked(slot uint32) Handle {
	return handleOf(s.hotAt(slot).word.Load(), slot)
}

// ensureLocked gives the slot of a key, making the entry if there is none.
func (s *Store) ensureLocked(k Key) (uint32, error) {
	if s.mu.closed {
		return 0, fmt.Errorf("%s: the store is %w", k, ErrClosed)
	}
	if slot, ok := s.mu.byKey[k]; ok {
		return slot, nil
	}
	if len(s.mu.freeSlots) == 0 && !s.growSlotsLocked() {
		return 0, fmt.Errorf("%s: store %w: at most %d entries", k, ErrFull, EntriesMax)
	}
	slot := s.mu.freeSlots[len(s.mu.freeSlots)-1]
	s.mu.freeSlots = s.mu.freeSlots[:len(s.mu.freeSlots)-1]
	e := s.entryLocked(slot)
	*e = entry{key: k, used: true}
	hs := s.hotAt(slot)
	hs.word.Store(makeTag(k.Kind, wordGeneration(hs.word.Load())) | uint64(StateUnloaded)<<stateShift)
	if err, ok := s.mu.absent[k]; ok {
		e.err, e.missing = err, true
	}
	s.mu.byKey[k] = slot
	s.refreshLocked(slot)
	published := k // k itself would be allocated for a key that is there, too
	s.keyAt(slot).Store(&published)
	s.index.addLocked(k, slot)
	return slot, nil
}

// maybeFreeLocked lets the entry go if nothing needs it any more.
func (s *Store) maybeFreeLocked(slot uint32) {
	e := s.entryLocked(slot)
	if !e.used || e.names > 0 || e.hasPayload || e.job != nil || e.receipts != nil {
		return
	}
	if e.missing {
		s.noteAbsentLocked(e.key, e.err)
	}
	delete(s.mu.byKey, e.key)
	s.index.removeLocked(e.key, slot)
	s.keyAt(slot).Store(nil)
	*e = entry{}
	hs, cool := s.hotAt(slot), s.coolAt(slot)
	w := hs.word.Load() // not resident: nobody moves it
	cool.owner.Store(0)
	cool.version.Store(0)
	generation := wordGeneration(w) + 1
	if generation > generationLast {
		hs.word.Store(0) // it has none left
		return
	}
	hs.word.Store(makeTag(0, generation))
	s.mu.freeSlots = append(s.mu.freeSlots, slot)
}

// absentMax bounds how many absent keys without an entry are remembered.
const absentMax = 1024

// noteAbsentLocked remembers that no source has a key, so that it is not
// probed again until the sources change.
func (s *Store) noteAbsentLocked(k Key, err error) {
	if len(s.mu.absent) >= absentMax {
		clear(s.mu.absent)
	}
	s.mu.absent[k] = err
}
