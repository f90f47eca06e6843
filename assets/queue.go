package assets

import (
	"sync/atomic"
	"time"
)

// job is work for a worker: a load of an entry, shared by all who wait for it,
// or a range read. Guarded by the store's lock; jobs are reused.
type job struct {
	handle   Handle
	priority int32  // the lowest of its waiters'
	serial   uint64 // order among equals
	index    int    // in the queue; -1: not queued
	running  bool

	queued       time.Duration // when it first came into the queue
	older, newer *job          // in the queue, by serial

	sizeBytes int64       // what it is admitted by; negative: not known yet
	charged   int64       // of the in-flight bytes
	stop      atomic.Bool // ask the decoder to end at its next yield
	waiters   *waiter     // of a load

	read readJob // of a range read
}

// waiter is one batch item that a load will serve.
type waiter struct {
	batch *Batch
	item  int32
	next  *waiter
}

// first is who asked first: the last of the list.
func (w *waiter) first() *waiter {
	for w.next != nil {
		w = w.next
	}
	return w
}

// sparesMore is how many jobs or waiters are made at a time.
const sparesMore = 32

func (s *Store) newJobLocked(h Handle, priority int32) *job {
	if len(s.mu.spareJobs) == 0 {
		more := new([sparesMore]job)
		for i := range more {
			s.mu.spareJobs = append(s.mu.spareJobs, &more[i])
		}
	}
	n := len(s.mu.spareJobs) - 1
	j := s.mu.spareJobs[n]
	s.mu.spareJobs = s.mu.spareJobs[:n]
	s.mu.jobSerial++
	j.handle, j.priority, j.serial, j.index, j.sizeBytes = h, priority, s.mu.jobSerial, -1, -1
	j.queued = time.Duration(s.now.Load())
	return j
}

func (s *Store) freeJobLocked(j *job) {
	s.dischargeLocked(j.handle.Kind(), j.charged)
	j.charged, j.running, j.waiters, j.read = 0, false, nil, readJob{}
	j.stop.Store(false)
	s.mu.spareJobs = append(s.mu.spareJobs, j)
}

func (s *Store) pushJobLocked(j *job) {
	s.mu.queue.push(j)
	s.linkLocked(j)
	s.work.Signal()
}

// linkLocked puts a job in its place by age: at the end, or near the front
// where it comes back into the queue.
func (s *Store) linkLocked(j *job) {
	newer := (*job)(nil)
	if s.mu.newest != nil && s.mu.newest.serial > j.serial {
		for newer = s.mu.oldest; newer.serial < j.serial; newer = newer.newer {
		}
	}
	j.newer = newer
	if newer == nil {
		j.older, s.mu.newest = s.mu.newest, j
	} else {
		j.older, newer.older = newer.older, j
	}
	if j.older == nil {
		s.mu.oldest = j
	} else {
		j.older.newer = j
	}
}

func (s *Store) unlinkLocked(j *job) {
	if j.older == nil {
		s.mu.oldest = j.newer
	} else {
		j.older.newer = j.newer
	}
	if j.newer == nil {
		s.mu.newest = j.older
	} else {
		j.newer.older = j.older
	}
	j.older, j.newer = nil, nil
}

func (s *Store) unqueueLocked(j *job) {
	s.mu.queue.remove(j)
	s.unlinkLocked(j)
	s.work.Signal() // the next one may fit where this one did not
}

func (s *Store) setJobPriorityLocked(j *job, priority int32) {
	if j.priority == priority {
		return
	}
	j.priority = priority
	if j.index >= 0 {
		s.mu.queue.reorder(j)
		s.work.Signal()
	}
}

func (s *Store) addWaiterLocked(j *job, b *Batch, item int32) {
	if s.mu.spareWait == nil {
		more := new([sparesMore]waiter)
		for i := range more {
			more[i].next = s.mu.spareWait
			s.mu.spareWait = &more[i]
		}
	}
	w := s.mu.spareWait
	s.mu.spareWait = w.next
	w.batch, w.item, w.next = b, item, j.waiters
	j.waiters = w
}

// takeWaiterLocked takes the first waiter off a job.
func (s *Store) takeWaiterLocked(j *job) (b *Batch, item int32) {
	w := j.waiters
	j.waiters = w.next
	b, item = w.batch, w.item
	w.batch, w.next = nil, s.mu.spareWait
	s.mu.spareWait = w
	return b, item
}

// dropWaiterLocked takes one batch item off a job. A load nobody waits for is
// taken out of the queue, or stopped at its next yield.
func (s *Store) dropWaiterLocked(j *job, b *Batch, item int32) {
	for at := &j.waiters; *at != nil; at = &(*at).next {
		w := *at
		if w.batch != b || w.item != item {
			continue
		}
		*at = w.next
		w.batch, w.next = nil, s.mu.spareWait
		s.mu.spareWait = w
		break
	}
	switch {
	case j.waiters != nil:
		s.setJobPriorityLocked(j, j.lowestPriority())
	case j.running:
		j.stop.Store(true)
	default:
		s.unqueueLocked(j)
		s.endLoadLocked(j)
	}
}

func (j *job) lowestPriority() int32 {
	lowest := j.waiters.batch.o.Priority
	for w := j.waiters.next; w != nil; w = w.next {
		lowest = min(lowest, w.batch.o.Priority)
	}
	return lowest
}

// endLoadLocked takes a load that is over off its entry.
func (s *Store) endLoadLocked(j *job) {
	slot := j.handle.Slot()
	s.entryLocked(slot).job = nil
	s.freeJobLocked(j)
	s.refreshLocked(slot)
	s.maybeFreeLocked(slot)
}
