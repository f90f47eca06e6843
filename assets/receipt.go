package assets

import (
	"context"
	"errors"
	"fmt"

	"sojourn/journal"
	"sojourn/trace"
)

// receipt says that a decode of an entry is running. A reload marks it, so
// that the result, of whichever version, is thrown away. It is part of the
// decode's own frame and leaves with it.
type receipt struct {
	slot       uint32
	epoch      uint64 // of the sources it searches
	invalid    bool   // guarded by the store's lock
	prev, next *receipt
}

// decoding is one decode under way, with everything it needs outside the lock.
// Frames are reused.
type decoding struct {
	receipt
	load    Load
	res     anyResidency
	cell    uint32
	sources []Source
	source  Source // where the entry was found
	decoded bool   // the decoder ran
	track   trace.Track
	pace    pace // lasts from one load to the next
}

// beginLocked is the end of the first lock region: it registers the receipt.
// The caller leaves the lock, opens and decodes, and comes back to finishLocked.
func (s *Store) beginLocked(d *decoding, slot uint32) {
	e := s.entryLocked(slot)
	d.receipt = receipt{slot: slot, epoch: s.mu.epoch, next: e.receipts}
	if e.receipts != nil {
		e.receipts.prev = &d.receipt
	}
	e.receipts = &d.receipt
	d.res = s.kinds[e.key.Kind].res
	d.cell = d.res.reserveLocked()
	d.sources, d.source, d.decoded = s.mu.sources, nil, false
	d.load = Load{Key: e.key, pool: s.pool, ctx: d.load.ctx, stop: d.load.stop, pace: &d.pace}
	s.refreshLocked(slot)
}

func (s *Store) endReceiptLocked(d *decoding) *entry {
	e, r := s.entryLocked(d.slot), &d.receipt
	if r.prev == nil {
		e.receipts = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	return e
}

// outcome is how a decode ended.
type outcome uint8

const (
	outcomePublished outcome = iota // resident, with the retains asked for
	outcomeReloaded                 // a reload came in between: not ready
	outcomeFailed                   // failed or missing; recorded
	outcomeStopped                  // nobody waits for it any more, or the context ended
	outcomeOutdated                 // it failed, but the sources changed meanwhile: search again
)

// finishLocked is the third lock region: it ends the receipt and publishes the
// cell with the requester's retains in one step, or adopts what somebody else
// published first, or records the failure. The entry is still there
// afterwards; the caller lets it go if nothing needs it.
func (s *Store) finishLocked(d *decoding, err error, retains int) (outcome, error) {
	e := s.endReceiptLocked(d)
	if d.decoded {
		s.mu.decodes++
	}
	if err == nil {
		return s.publishLocked(e, d, retains)
	}
	d.res.discardLocked(d.cell)
	switch {
	case d.invalid:
		s.refreshLocked(d.slot)
		return outcomeReloaded, notReady(e.key)
	case d.stopped(err):
		s.refreshLocked(d.slot)
		return outcomeStopped, fmt.Errorf("%s: %w", e.key, err)
	case e.hasPayload && !e.reloadPending: // somebody else had more luck
		if !s.retainLocked(d.slot, retains) {
			return outcomeFailed, tooManyRetains(e.key)
		}
		return outcomePublished, nil
	case d.epoch != s.mu.epoch || e.hasPayload:
		s.refreshLocked(d.slot)
		return outcomeOutdated, notReady(e.key)
	case e.err != nil: // another failed first: one answer for all who raced
		s.refreshLocked(d.slot)
		return outcomeFailed, e.err
	}
	e.err, e.missing = err, errors.Is(err, ErrMissing)
	s.mu.failed.add(e.key, err)
	if s.journal.On() {
		s.note(journal.AssetFailed, e.key, 0, err.Error())
	}
	if !e.missing || !s.mu.cooking {
		s.mailLocked(d.slot, PhaseFailed)
	}
	s.refreshLocked(d.slot)
	return outcomeFailed, err
}

func (s *Store) publishLocked(e *entry, d *decoding, retains int) (outcome, error) {
	if d.invalid || e.hasPayload {
		s.mu.doomed = append(s.mu.doomed, doomedCell{d.res, d.cell})
		s.refreshLocked(d.slot)
		if d.invalid || e.reloadPending {
			return outcomeReloaded, notReady(e.key)
		}
		s.mu.duplicateDecodes++
		if !s.retainLocked(d.slot, retains) {
			return outcomeFailed, tooManyRetains(e.key)
		}
		return outcomePublished, nil
	}
	hs := s.hotAt(d.slot)
	s.coolAt(d.slot).payload.Store(d.cell)
	e.hasPayload, e.err, e.missing = true, nil, false
	e.source, e.entryName, e.sizeBytes = d.source, d.load.EntryName, d.load.sizeBytes
	e.cost = d.res.cost(d.cell)
	s.mu.ledger.add(e.key.Kind, e.cost, 1)
	s.note(journal.AssetDecoded, e.key, e.cost.Total(), "")
	// Nothing is open yet, so nobody else moves the count: the payload and its
	// requester's retains appear as one.
	hs.word.Add(uint64(retains))
	s.coolAt(d.slot).retains.Add(uint64(retains))
	s.trace.retain(s.handleLocked(d.slot), retains)
	s.refreshLocked(d.slot)
	s.mailLocked(d.slot, PhaseDecoded)
	if retains == 0 {
		s.settleLocked(d.slot)
	}
	return outcomePublished, nil
}

func (d *decoding) stopped(err error) bool {
	if errors.Is(err, errStopped) {
		return true
	}
	return d.load.ctx != nil && d.load.ctx.Err() != nil && errors.Is(err, context.Cause(d.load.ctx))
}

func notReady(k Key) error {
	return fmt.Errorf("%s: %w: it was reloaded meanwhile", k, ErrNotReady)
}

func tooManyRetains(k Key) error {
	return fmt.Errorf("%s: retains %w: at most %d", k, ErrFull, baseMax)
}
