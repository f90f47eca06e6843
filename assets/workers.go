package assets

import "fmt"

// worker is one decode goroutine. It runs decoders and range reads, nothing of
// a consumer, and waits for no other job: what a job needs becomes new jobs.
type worker struct {
	s   *Store
	run decoding

	// The needs of a parent that just landed, see expand.
	expanding []expansion
	keys      []Key
	collect   func(Key)
}

// expansion is one batch item whose needs are to be followed.
type expansion struct {
	batch *Batch
	turn  uint32
	item  int32
}

func newWorker(s *Store) *worker {
	w := &worker{s: s}
	w.collect = func(k Key) { w.keys = append(w.keys, k) }
	return w
}

func (w *worker) loop() {
	defer w.s.workers.Done()
	for {
		w.s.mu.Lock()
		j := w.s.nextJobLocked()
		if j == nil {
			w.s.unlock()
			return
		}
		w.do(j)
	}
}

// do runs a job. It enters with the lock held and leaves without it.
func (w *worker) do(j *job) {
	if j.read.reads != nil {
		w.readRange(j)
		return
	}
	w.load(j)
}

// load runs a load job. It enters with the lock held and leaves without it.
func (w *worker) load(j *job) {
	s, h := w.s, j.handle
	out, err, requeued := w.outcomeOf(j)
	if requeued {
		return
	}
	s.mu.running--
	j.running = false
	switch out {
	case outcomePublished:
		w.land(j)
		s.endLoadLocked(j)
	case outcomeFailed:
		for j.waiters != nil {
			b, item := s.takeWaiterLocked(j)
			b.failLocked(item, err)
		}
		s.endLoadLocked(j)
	default: // stopped, reloaded, or the sources changed
		if j.waiters == nil {
			s.endLoadLocked(j)
			break
		}
		s.dischargeLocked(h.Kind(), j.charged)
		j.charged, j.sizeBytes = 0, -1
		j.stop.Store(false)
		s.pushJobLocked(j)
		s.refreshLocked(h.Slot())
	}
	s.unlock()
	w.expand(h)
}

// outcomeOf settles what the job comes to: a hit, a known failure, or a
// decode. It enters and leaves with the lock held, except where the job went
// back to the queue because it does not fit.
func (w *worker) outcomeOf(j *job) (out outcome, err error, requeued bool) {
	s, slot := w.s, j.handle.Slot()
	e := s.entryLocked(slot)
	switch {
	case e.hasPayload && e.reloadPending:
		return outcomeFailed, notReady(e.key), false
	case e.hasPayload:
		if !s.retainLocked(slot, j.retains()) {
			return outcomeFailed, tooManyRetains(e.key), false
		}
		return outcomePublished, nil, false
	case e.err != nil:
		return outcomeFailed, e.err, false
	}
	d := &w.run
	s.beginLocked(d, slot)
	d.load.stop = &j.stop
	s.unlock()

	began := d.track.Now()
	err = d.open(&s.kinds[d.load.Key.Kind].spec)
	if err == nil {
		if !s.admit(j, d) {
			d.close()
			return 0, nil, true
		}
		err = d.decode()
	}
	s.tellDecode(d, began, err)

	s.mu.Lock()
	out, err = s.finishLocked(d, err, j.retains())
	d.load = Load{}
	return out, err, false
}

// retains is what a load takes when it lands: one for each who waits, and one
// for the worker while it follows the needs.
func (j *job) retains() int {
	n, follow := 0, false
	for w := j.waiters; w != nil; w = w.next {
		n++
		follow = follow || w.batch.followsLocked(j.handle.Kind())
	}
	if follow {
		n++
	}
	return n
}

// land hands each who waits its retain.
func (w *worker) land(j *job) {
	follow := false
	for j.waiters != nil {
		b, item := w.s.takeWaiterLocked(j)
		charge := j.charged
		j.charged = 0
		if b.followsLocked(j.handle.Kind()) {
			b.expandLocked(item, charge)
			w.expanding = append(w.expanding, expansion{b, b.turn, item})
			follow = true
			continue
		}
		b.landLocked(item, charge)
	}
	if follow {
		w.s.entryLocked(j.handle.Slot()).workerRetains++
		w.s.mu.following++
	}
}

// needsPerRegion is how many needs are looked up under the lock at a time.
const needsPerRegion = 256

// expand turns the needs of the asset that just landed into jobs of the same
// batches. The worker's own retain keeps the payload while it is read.
func (w *worker) expand(h Handle) {
	if len(w.expanding) == 0 {
		return
	}
	s := w.s
	err := w.collectNeeds(h)
	for at := 0; at < len(w.keys); at += needsPerRegion {
		s.mu.Lock()
		for _, x := range w.expanding {
			if x.batch.turn != x.turn {
				continue // cancelled meanwhile
			}
			for _, k := range w.keys[at:min(at+needsPerRegion, len(w.keys))] {
				x.batch.needLocked(x.item, k)
			}
		}
		s.unlock()
	}
	s.mu.Lock()
	for _, x := range w.expanding {
		if x.batch.turn == x.turn {
			x.batch.expandedLocked(x.item, err)
		}
	}
	s.entryLocked(h.Slot()).workerRetains--
	s.mu.following--
	s.releaseLocked(h.Slot())
	clear(w.expanding)
	clear(w.keys)
	w.expanding, w.keys = w.expanding[:0], w.keys[:0]
	s.unlock()
}

func (w *worker) collectNeeds(h Handle) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: following its needs: %v", ErrDecoderPanic, p)
		}
	}()
	w.s.kinds[h.Kind()].res.needs(w.s.coolAt(h.Slot()).payload.Load(), w.collect)
	return nil
}
