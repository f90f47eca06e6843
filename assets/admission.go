package assets

import "container/heap"

// Admission: a load is charged by what it may need in memory at once (content,
// stored bytes, what is built from them), a range read by its length, from
// when it starts until its result is adopted or dropped. What does not fit
// waits at the head of the queue, and so does everything behind it, so that
// large loads are not starved by small ones. One that is too large on its own
// runs alone.

// stuckTurnsMax is how many turns of the game may pass with nothing running,
// nothing adopted and the queue blocked, before one more load is let in. It
// ends the wait of a game that adopts nothing until everything is there.
const stuckTurnsMax = 4

func (s *Store) chargeLocked(n int64) {
	s.mu.inFlightBytes += n
	s.mu.inFlightBytesPeak = max(s.mu.inFlightBytesPeak, s.mu.inFlightBytes)
}

func (s *Store) dischargeLocked(n int64) {
	if n == 0 {
		return
	}
	s.mu.inFlightBytes -= n
	s.mu.stuckTurns = 0
	if len(s.mu.queue) > 0 {
		s.work.Broadcast()
	}
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
	if len(s.mu.queue) == 0 || !s.mayStartLocked(s.mu.queue[0]) {
		return nil
	}
	j := heap.Pop(&s.mu.queue).(*job)
	s.unlinkLocked(j)
	j.running = true
	s.mu.running++
	if j.sizeBytes >= 0 {
		j.charged = j.sizeBytes
		s.chargeLocked(j.charged)
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
	if !fits && s.mu.letOneIn {
		s.mu.letInCount++
		fits = true
	}
	s.mu.letOneIn = false
	s.blocked.Store(!fits)
	return fits
}

// turnLocked is called once a turn of the game; see stuckTurnsMax.
func (s *Store) turnLocked() {
	if s.mu.running > 0 || len(s.mu.queue) == 0 || s.mu.letOneIn {
		return
	}
	head := s.mu.queue[0]
	if head.sizeBytes < 0 || s.fitsLocked(head.sizeBytes) {
		return
	}
	s.mu.stuckTurns++
	if s.mu.stuckTurns < stuckTurnsMax {
		return
	}
	s.mu.stuckTurns, s.mu.letOneIn = 0, true
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
	s.dischargeLocked(j.charged) // by the size it had last time
	j.charged = size
	s.chargeLocked(size)
	return true
}
