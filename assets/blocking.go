package assets

import (
	"context"
	"errors"
	"fmt"
)

// Retain loads an asset if need be, decoding on the calling goroutine, and
// takes a retain. It is for tools, tests and loading screens of one asset; a
// game frame uses a [Batch]. An entry that failed or is missing answers its
// error without trying again. At most [OpenEntriesMax] entries are open at
// once; more wait here, so a decoder must not call Retain. Where another goroutine decodes the same asset
// meanwhile, the first to finish wins and both hold the one payload.
//
// The error wraps [ErrMissing], [ErrNotReady] (reloaded meanwhile, or an old
// version is still held), [ErrCorrupt], [ErrDecoderPanic], the context's
// cause, or what the source or decoder said.
func (s *Store) Retain(ctx context.Context, k Key) (Handle, error) {
	if err := s.checkKey(k); err != nil {
		return 0, err
	}
	mayOpen := false
	defer func() {
		if mayOpen {
			<-s.opening
		}
	}()
	for {
		if ctx.Err() != nil {
			return 0, fmt.Errorf("%s: %w", k, context.Cause(ctx))
		}
		s.mu.Lock()
		h, d, err := s.retainOrBeginLocked(k, mayOpen)
		if errors.Is(err, errMustOpen) {
			s.unlock()
			select {
			case s.opening <- struct{}{}:
				mayOpen = true
			case <-ctx.Done():
			}
			continue // what it waited for may be there by now
		}
		if d == nil {
			s.unlock()
			return h, err
		}
		d.load.ctx, d.load.stop = ctx, nil
		s.mu.Unlock()

		out, h, err := s.decodeHere(d)
		if out == outcomeOutdated {
			continue
		}
		return h, err
	}
}

// errMustOpen says that a retain needs a turn at opening first. It never leaves
// the store.
var errMustOpen = errors.New("no turn at opening")

// retainOrBeginLocked is the first lock region: a hit takes its retain, a
// miss registers a receipt.
func (s *Store) retainOrBeginLocked(k Key, mayOpen bool) (Handle, *decoding, error) {
	slot, err := s.ensureLocked(k)
	if err != nil {
		return 0, nil, err
	}
	e := s.entryLocked(slot)
	switch {
	case e.hasPayload && e.reloadPending:
		return 0, nil, notReady(k)
	case e.hasPayload:
		if !s.retainLocked(slot, 1) {
			return 0, nil, tooManyRetains(k)
		}
		return s.handleLocked(slot), nil, nil
	case e.err != nil:
		err := e.err
		s.maybeFreeLocked(slot)
		return 0, nil, err
	case !mayOpen:
		s.maybeFreeLocked(slot)
		return 0, nil, errMustOpen
	}
	d := s.spareRunLocked()
	s.beginLocked(d, slot)
	s.mu.blocking++
	if s.ticks.Load() > 0 {
		s.mu.decodesOnTick++
	}
	return 0, d, nil
}

// decodeHere is the second and third lock region of a blocking retain.
func (s *Store) decodeHere(d *decoding) (outcome, Handle, error) {
	began := d.track.Now()
	err := d.open(&s.kinds[d.load.Key.Kind].spec)
	charged := d.load.reserveBytes
	if err == nil {
		s.mu.Lock()
		s.chargeLocked(d.load.Key.Kind, charged)
		s.mu.Unlock()
		err = d.decode()
	} else {
		charged = 0
	}
	s.tellDecode(d, began, err)

	s.mu.Lock()
	defer s.unlock()
	s.dischargeLocked(d.load.Key.Kind, charged)
	s.mu.blocking--
	if s.mu.closed {
		s.idle.Broadcast()
	}
	slot := d.slot
	out, err := s.finishLocked(d, err, 1)
	if out == outcomeReloaded && s.mu.closed {
		err = fmt.Errorf("%s: the store is %w", d.load.Key, ErrClosed)
	}
	h := Handle(0)
	if out == outcomePublished {
		h = s.handleLocked(slot)
	}
	s.mu.spareRuns = append(s.mu.spareRuns, d)
	d.load = Load{}
	s.maybeFreeLocked(slot)
	return out, h, err
}

func (s *Store) spareRunLocked() *decoding {
	if n := len(s.mu.spareRuns); n > 0 {
		d := s.mu.spareRuns[n-1]
		s.mu.spareRuns = s.mu.spareRuns[:n-1]
		return d
	}
	s.mu.runs++
	d := new(decoding)
	if s.traced.On() {
		// Frames are one goroutine's at a time, so what they record nests.
		d.track = s.traced.Track(fmt.Sprint("blocking retain ", s.mu.runs))
	}
	return d
}

// EnterTick says that a game tick begins: until [Store.LeaveTick] a decode by
// [Store.Retain], on whichever goroutine, counts as Stats.DecodesOnTick.
func (s *Store) EnterTick() {
	s.ticks.Add(1)
	if s.clock != nil {
		s.now.Store(int64(s.clock.Now()))
	}
}

// LeaveTick ends what [Store.EnterTick] began.
func (s *Store) LeaveTick() {
	if s.ticks.Add(-1) < 0 {
		s.ticks.Store(0)
		misuse("LeaveTick without EnterTick")
	}
}
