package assets

import (
	"fmt"
	"sort"
	"strings"
)

// Close stops the workers, cancels batches and reads, and frees every payload.
// What was still retained then is named by the error, which wraps [ErrHeld].
// It waits for loads that are running to reach their next yield. Closing twice
// does nothing. Do not call it while another goroutine uses payloads.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return nil
	}
	s.mu.closed = true
	s.dropWorkLocked()
	s.work.Broadcast()
	s.unlock()
	s.workers.Wait()

	s.mu.Lock()
	for s.mu.blocking > 0 {
		s.idle.Wait()
	}
	held := s.heldLocked()
	s.mu.Unlock()
	err := s.heldError(held)

	s.mu.Lock()
	s.emptyLocked()
	s.unlock()
	s.closeTickets()
	return err
}

// dropWorkLocked cancels every batch and range read, and stops what runs.
func (s *Store) dropWorkLocked() {
	for b := s.mu.batches; b != nil; b = s.mu.batches {
		b.cancelLocked()
	}
	for r := s.mu.reads; r != nil; r = s.mu.reads {
		r.closeLocked()
	}
	for _, slot := range s.mu.byKey {
		for r := s.entryLocked(slot).receipts; r != nil; r = r.next {
			r.invalid = true
		}
	}
}

type heldRow struct {
	handle Handle
	key    Key
	count  int
}

func (s *Store) heldLocked() []heldRow {
	var held []heldRow
	for k, slot := range s.mu.byKey {
		if n := s.refs(slot); n > 0 {
			held = append(held, heldRow{s.handleLocked(slot), k, n})
		}
	}
	sort.Slice(held, func(i, j int) bool {
		if held[i].key.Stem != held[j].key.Stem {
			return held[i].key.Stem < held[j].key.Stem
		}
		return held[i].key.Kind < held[j].key.Kind
	})
	return held
}

// heldListMax is how many assets the error of Close lists.
const heldListMax = 32

func (s *Store) heldError(held []heldRow) error {
	if len(held) == 0 {
		return nil
	}
	var text strings.Builder
	for i, row := range held {
		if i == heldListMax {
			fmt.Fprintf(&text, ", and %d more", len(held)-i)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%s:%s x%d", s.KindName(row.key.Kind), row.key.Stem, row.count)
		if holders := s.scopes.holders(row.handle); len(holders) > 0 {
			fmt.Fprintf(&text, " (by %s)", strings.Join(holders, ", "))
		}
		for _, site := range s.trace.sites(row.handle) {
			fmt.Fprintf(&text, " [%s]", site)
		}
	}
	return fmt.Errorf("%w: %s", ErrHeld, text.String())
}

// emptyLocked takes every payload and entry out, held or not.
func (s *Store) emptyLocked() {
	for _, slot := range s.mu.byKey {
		e, hs := s.entryLocked(slot), s.hotAt(slot)
		e.names = 0
		s.chunks.chunk(slot / slotChunk).stripes.fold(slot % slotChunk)
		if n := hs.word.Load() & countMask; n > 0 {
			hs.word.Add(-n)
		}
		if e.hasPayload {
			s.destroyLocked(slot, FreeClosed)
		} else {
			s.maybeFreeLocked(slot)
		}
	}
	clear(s.mu.absent)
	s.mu.mail = nil
	s.mailWaits.Store(false)
}
