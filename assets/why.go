package assets

import (
	"fmt"
	"strings"
)

// Why says why an asset is in memory, or is not.
type Why struct {
	Row
	KindName string
	// Entry and Source say where the payload came from.
	Entry, Source string
	// Err is why the last load failed.
	Err error
	// Scopes, Batches, Reads and Tickets name the owners that hold the asset,
	// have asked for it, read from it and wait for it. Holders without a scope
	// are in Refs only.
	Scopes, Batches, Reads, Tickets []string
	// Holdings are the retains of scopes, batches and reads, exactly.
	Holdings []Holding
	// ColdAt is the place in the order of eviction, 1 first, of ColdOf; 0 for
	// what is not cold.
	ColdAt, ColdOf int
	// Sites is where each retain was taken, with build tag tracing.
	Sites []string
	// LastFreed is the latest free of this key that is remembered.
	LastFreed *FreedRow
}

// Why answers for a key. It is false for a key without an entry; LastFreed may
// tell then where it went.
func (s *Store) Why(k Key) (Why, bool) {
	w := Why{Row: Row{Key: k}, KindName: s.KindName(k.Kind)}
	if !s.whyEntry(k, &w) {
		return w, false
	}
	w.Holdings = append(w.Holdings, s.scopes.holdings(w.Handle, nil)...)
	w.Scopes = s.scopes.holders(w.Handle)
	w.Sites = s.trace.sites(w.Handle)
	w.Tickets = s.tickets.waiting(w.Handle)
	return w, true
}

func (s *Store) whyEntry(k Key, w *Why) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row, ok := s.mu.freed.last(k); ok {
		w.LastFreed = &row
	}
	slot, ok := s.mu.byKey[k]
	if !ok {
		w.Err = s.mu.absent[k]
		return false
	}
	e := s.entryLocked(slot)
	w.Row = s.rowLocked(e, s.hotAt(slot), slot)
	// Workers land under this lock, so that the count and its owners agree.
	w.Holdings = s.holdingsLocked(w.Handle, nil)
	w.ColdAt, w.ColdOf = s.coldPositionLocked(e)
	w.Entry, w.Err = e.entryName, e.err
	if e.source != nil {
		w.Source = e.source.Name()
	}
	for b := s.mu.batches; b != nil; b = b.next {
		if i, ok := b.index[w.Handle]; ok && b.items[i].state != itemOver {
			w.Batches = append(w.Batches, ownerOr(b.o.Owner, "a batch"))
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		if r.readsLocked(w.Handle) {
			w.Reads = append(w.Reads, ownerOr(r.owner, "a reader"))
		}
	}
	return true
}

func (r *Reads) readsLocked(h Handle) bool {
	for _, j := range r.waiting {
		if j.handle == h {
			return true
		}
	}
	for i := range r.done {
		if r.done[i].Handle == h {
			return true
		}
	}
	return false
}

// waiting names the tickets that wait for an asset.
func (t *ticketTable) waiting(h Handle) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var owners []string
	for r := t.headLocked(h); r != 0; r = t.requirementLocked(r).next {
		req := t.requirementLocked(r)
		if req.handle == h && req.status == requirementWaiting {
			owners = append(owners, ownerOr(t.mu.rows[req.ticket].owner, "a ticket"))
		}
	}
	return owners
}

// String is the answer in one line.
func (w Why) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s:%s: %s, %d retains, %d pins, %d names", w.KindName, w.Key.Stem, w.State, w.Refs, w.Pins, w.Names)
	for _, part := range []struct {
		is   bool
		text string
	}{
		{w.Cold, fmt.Sprintf("cold, number %d of %d to go", w.ColdAt, w.ColdOf)}, {w.InFlight, "in flight"}, {w.OnDevice, "on the device"},
		{w.Source != "", "from " + w.Entry + " in " + w.Source},
		{len(w.Scopes) > 0, "held by " + strings.Join(w.Scopes, ", ")},
		{len(w.Batches) > 0, "asked for by " + strings.Join(w.Batches, ", ")},
		{len(w.Reads) > 0, "read by " + strings.Join(w.Reads, ", ")},
		{len(w.Tickets) > 0, "awaited by " + strings.Join(w.Tickets, ", ")},
		{len(w.Sites) > 0, "retained at " + strings.Join(w.Sites, ", ")},
	} {
		if part.is {
			text.WriteString("; " + part.text)
		}
	}
	if w.Err != nil {
		fmt.Fprintf(&text, "; %v", w.Err)
	}
	if w.LastFreed != nil {
		fmt.Fprintf(&text, "; last freed: %s", w.LastFreed.Reason)
	}
	return text.String()
}
