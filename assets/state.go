package assets

// State is where an entry stands.
type State uint8

// The states.
const (
	// StateStale: the handle names nothing, or no longer does.
	StateStale State = iota
	// StateUnloaded: known by name; nothing in memory, nothing under way.
	StateUnloaded
	// StateQueued: a load waits for a worker.
	StateQueued
	// StateDecoding: a load is running.
	StateDecoding
	// StateResident: the payload is in memory, held or cold.
	StateResident
	// StateFailed: the last load failed; [Store.Failure] tells why. It stays
	// so until a reload or until a source is added or removed.
	StateFailed
	// StateMissing: no source has it. It stays so until a reload or until a
	// source is added or removed.
	StateMissing
	// StateReloadPending: an old version is still held after a reload. It
	// cannot be retained; its last release makes the asset loadable again.
	StateReloadPending
	// StatePending: no source has it yet, and a cook runs beside
	// ([Store.SetCooking]). It is not looked for again before the sources
	// change; a wake of [PhaseUnloaded] says when.
	StatePending
)

var stateNames = [...]string{
	StateStale: "stale", StateUnloaded: "unloaded", StateQueued: "queued", StateDecoding: "decoding",
	StateResident: "resident", StateFailed: "failed", StateMissing: "missing", StateReloadPending: "reload pending", StatePending: "pending",
}

// String is the word diagnostics use.
func (st State) String() string {
	if int(st) < len(stateNames) {
		return stateNames[st]
	}
	return "state-?"
}

// Settled tells whether there is nothing to wait for: the asset is in memory,
// or cannot be had until something outside changes.
func (st State) Settled() bool {
	return st == StateResident || st == StateFailed || st == StateMissing || st == StateStale
}

// State tells where an entry stands, without a lock.
func (s *Store) State(h Handle) State {
	hs, w := s.word(h)
	if hs == nil {
		return StateStale
	}
	return wordState(w)
}

// Has tells whether the payload is in memory, held or cold, and can be
// retained. Without a lock.
func (s *Store) Has(h Handle) bool {
	hs, w := s.word(h)
	return hs != nil && wordOpen(w)
}

// Refs is the number of retains on an entry; zero for a stale handle. While
// others retain and release it may be off by theirs.
func (s *Store) Refs(h Handle) int {
	if hs, _ := s.word(h); hs == nil {
		return 0
	}
	return s.refs(h.Slot())
}

// refs is the retains on a slot, of its base and at its stripes.
func (s *Store) refs(slot uint32) int {
	chunk, i := s.chunks.chunk(slot/slotChunk), slot%slotChunk
	n, _ := chunk.stripes.count(i)
	return wordCount(chunk.hot[i].word.Load()) + n
}

// Failure tells why an entry failed or is missing; nil otherwise.
func (s *Store) Failure(h Handle) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.liveLocked(h)
	if e == nil {
		return nil
	}
	return e.err
}

// refreshLocked derives the word's state and pin from the entry. Retains may
// come and go meanwhile; the count is left as it is.
func (s *Store) refreshLocked(slot uint32) {
	e, hs := s.entryLocked(slot), s.hotAt(slot)
	state := e.stateLocked()
	if state == StateMissing && s.mu.cooking {
		state = StatePending
	}
	bits := uint64(state) << stateShift
	if e.hasPayload && e.pins > 0 {
		bits |= flagPinned
	}
	for {
		w := hs.word.Load()
		next := w&^(stateMask|flagPinned) | bits
		if hs.word.CompareAndSwap(w, next) {
			return
		}
	}
}

func (e *entry) stateLocked() State {
	switch {
	case e.hasPayload && e.reloadPending:
		return StateReloadPending
	case e.hasPayload:
		return StateResident
	case e.receipts != nil:
		return StateDecoding
	case e.err != nil && e.missing:
		return StateMissing
	case e.err != nil:
		return StateFailed
	case e.job != nil:
		return StateQueued
	}
	return StateUnloaded
}
