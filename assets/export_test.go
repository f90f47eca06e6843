package assets

// SetColdRecordsMax shortens the cold queue, for tests.
func (s *Store) SetColdRecordsMax(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.cold.max = n
}

// ColdRecords is the length of the cold queue's buffer.
func (s *Store) ColdRecords() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.cold.records.Len()
}

// InvariantsOn tells whether misuse panics.
const InvariantsOn = invariantsOn

// MailLen is the number of letters in the mailbox.
func (s *Store) MailLen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mu.mail)
}

// OpenManual makes a store without workers; see [Store.ManualWorker].
func OpenManual(o Options) (*Store, error) { return newStore(o) }

// ManualWorker does what a worker does, one job at a time, on the goroutine
// that asks.
type ManualWorker struct {
	w   *worker
	job *job // that it is at
}

// ManualWorker makes one.
func (s *Store) ManualWorker() *ManualWorker { return &ManualWorker{w: newWorker(s)} }

// RunOne runs the job at the head of the queue and tells whether there was one
// that may run.
func (m *ManualWorker) RunOne() bool {
	m.w.s.mu.Lock()
	m.job = m.w.s.takeJobLocked()
	if m.job == nil {
		m.w.s.unlock()
		return false
	}
	m.w.do(m.job)
	m.job = nil
	return true
}

// WhileLocked runs f while the store's lock is taken.
func (s *Store) WhileLocked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Locked tells whether somebody holds the store's lock.
func (s *Store) Locked() bool {
	if s.mu.TryLock() {
		s.mu.Unlock()
		return false
	}
	return true
}

// AgeFreeSlots brings the slots there are to their last generation.
func (s *Store) AgeFreeSlots() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range s.mu.freeSlots {
		s.hotAt(slot).word.Store(makeTag(0, generationLast))
	}
}

// PoolForTest is where a store's buffers come from.
func (s *Store) PoolForTest() *Pool { return s.pool }

// BeginRetain is the first half of a [Store.TryRetain], and end the other where
// it is refused.
func (s *Store) BeginRetain(h Handle) (end func()) {
	strand := s.chunks.chunk(h.Slot() / slotChunk).stripes.own(h.Slot())
	strand.Add(1 + tallyOne)
	return func() { s.takeBack(h.Slot(), strand) }
}

// Ungranted is how many strands have retains of an asset and do not grant more.
func (s *Store) Ungranted(h Handle) (n int) {
	for stripe := range stripeCount {
		v := s.chunks.chunk(h.Slot() / slotChunk).stripes[stripe][h.Slot()%slotChunk].Load()
		if wordCount(v) > 0 && !grantsFor(v, h) {
			n++
		}
	}
	return n
}

// StripeRetainsMax is how many retains one goroutine has on one asset in its strand.
const StripeRetainsMax = stripeRetainsMax

// FoldForTest ends granting, as a last release does.
func (s *Store) FoldForTest(h Handle) {
	s.mu.Lock()
	defer s.unlock()
	s.foldLocked(h.Slot(), 0)
}
