package assets

// Admission: a load is charged by what it may need in memory at once (content,
// stored bytes, what is built from them), a range read by its length, from
// when it starts until its result is adopted or dropped. What does not fit
// waits at the head of the queue, and so does everything behind it, so that
// large loads are not starved by small ones. One that is too large on its own
// runs alone.
//
// Nothing else goes over the ceiling but from one state, rest: nothing runs, so
// that every byte charged is a finished result which only the game can take,
// and since the game looked last nothing ran, finished, was taken or was
// dropped. A game that looks again from there takes nothing before it gets
// more, as one does that adopts a batch when all of it is there. One load then
// enters, alone. How often or how long anybody looked does not count.
//
// No deadlock: what runs waits for nothing here, so it ends. Then the head of
// the queue fits and enters, or the next look finds the store at rest, and the
// one after that lets the head in, unless the game took or dropped something:
// which it can do but finitely often before everything fits.

func (s *Store) chargeLocked(k Kind, n int64) {
	s.mu.inFlightBytes += n
	s.mu.ledger.byKind[k].InFlightBytes += n
	s.mu.inFlightBytesPeak = max(s.mu.inFlightBytesPeak, s.mu.inFlightBytes)
	s.mu.atRest = false
}

func (s *Store) dischargeLocked(k Kind, n int64) {
	if n == 0 {
		return
	}
	s.mu.inFlightBytes -= n
	s.mu.ledger.byKind[k].InFlightBytes -= n
	s.mu.atRest = false
	if len(s.mu.queue) > 0 {
		s.work.Broadcast()
	}
}

// unadoptedLocked moves what a load declared (n, or -n back) from the row of
// what is in flight to that of what waits to be adopted: its payload is counted
// as one by now. The ceiling is charged as before.
func (s *Store) unadoptedLocked(k Kind, n int64) {
	s.mu.unadoptedBytes += n
	s.mu.ledger.byKind[k].InFlightBytes -= n
	s.mu.ledger.byKind[k].UnadoptedBytes += n
}

func (s *Store) fitsLocked(n int64) bool {
	return s.mu.inFlightBytes == 0 || n <= s.inFlightBytesMax-s.mu.inFlightBytes
}

// nextJobLocked waits for a job that may run; nil when the store closes.
func (s *Store) nextJobLocked() *job {
	for !s.mu.closed {
		if j := s.takeJobLocked(); j != nil {
			return j
		}
		s.work.Wait()
	}
	return nil
}

// takeJobLocked takes the head of the queue if it may run; it does not wait.
func (s *Store) takeJobLocked() *job {
	if len(s.mu.queue) == 0 || !s.mayStartLocked(s.mu.queue[0].job) {
		return nil
	}
	j := s.mu.queue[0].job
	s.mu.queue.remove(j)
	s.unlinkLocked(j)
	j.running = true
	s.mu.running++
	s.mu.atRest = false
	if j.sizeBytes >= 0 {
		j.charged = j.sizeBytes
		s.chargeLocked(j.handle.Kind(), j.charged)
	}
	if len(s.mu.queue) > 0 {
		s.work.Signal()
	}
	return j
}

// mayStartLocked: a job of unknown size starts, and is asked again once its
// entry is open.
func (s *Store) mayStartLocked(j *job) bool {
	fits := j.sizeBytes < 0 || s.fitsLocked(j.sizeBytes)
	if !fits && s.mu.letOneIn && !s.worksLocked() {
		s.mu.letInCount++
		fits = true
	}
	s.mu.letOneIn = false
	s.blocked.Store(!fits)
	return fits
}

// worksLocked tells whether a load or a read is at work; it will end by itself.
func (s *Store) worksLocked() bool { return s.mu.running > 0 || s.mu.blocking > 0 }

// lookLocked is called when the game looks: once a turn, and when it asks for a
// batch that is not done. See above for what it means.
func (s *Store) lookLocked() {
	if s.worksLocked() || len(s.mu.queue) == 0 {
		return
	}
	if head := s.mu.queue[0].job; head.sizeBytes < 0 || s.fitsLocked(head.sizeBytes) {
		return
	}
	if !s.mu.atRest {
		s.mu.atRest = true
		return
	}
	s.mu.letOneIn = true
	s.work.Signal()
}

// admit charges a load whose entry was just opened and tells its size. Where
// it does not fit, the load goes back to its place in the queue.
func (s *Store) admit(j *job, d *decoding) bool {
	s.mu.Lock()
	defer s.unlock()
	size := d.load.reserveBytes
	if j.sizeBytes < 0 && !s.fitsLocked(size) && j.waiters != nil {
		s.endReceiptLocked(d)
		d.res.discardLocked(d.cell)
		j.sizeBytes, j.running = size, false
		s.mu.running--
		s.pushJobLocked(j)
		s.refreshLocked(d.slot)
		return false
	}
	s.dischargeLocked(j.handle.Kind(), j.charged) // by the size it had last time
	j.charged = size
	s.chargeLocked(j.handle.Kind(), size)
	return true
}
