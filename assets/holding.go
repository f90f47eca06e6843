package assets

// HolderKind is what sort of owner a holding has.
type HolderKind uint8

// The kinds of holders the store knows itself.
const (
	HolderScope  HolderKind = iota
	HolderBatch             // receipts that were not adopted
	HolderReads             // range reads that are not drained
	HolderWorker            // workers that follow needs, or end a read that was dropped
)

var holderKindNames = [...]string{HolderScope: "scope", HolderBatch: "batch", HolderReads: "reads", HolderWorker: "worker"}

// String is the word diagnostics use.
func (k HolderKind) String() string {
	if int(k) < len(holderKindNames) {
		return holderKindNames[k]
	}
	return "holder-?"
}

// Holding is the retains of one holder on one asset, exactly.
type Holding struct {
	Kind  HolderKind
	Owner string // empty: it was made without a name
	N     int
}

// Holdings appends what scopes, batches, range reads and workers hold of an asset. What
// remains of its retains is held by handle: by ledgers, the device's uploads,
// the mixer, or the game.
func (s *Store) Holdings(h Handle, dst []Holding) []Holding {
	dst = s.scopes.holdings(h, dst)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, _ := s.liveLocked(h); e == nil {
		return dst
	}
	return s.holdingsLocked(h, dst)
}

func (s *Store) holdingsLocked(h Handle, dst []Holding) []Holding {
	for b := s.mu.batches; b != nil; b = b.next {
		if i, ok := b.index[h]; ok {
			if st := b.items[i].state; st == itemLanded || st == itemExpanding {
				dst = append(dst, Holding{HolderBatch, b.o.Owner, 1})
			}
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		n := 0
		for _, j := range r.waiting {
			if j.handle == h {
				n++
			}
		}
		for i := range r.done {
			if r.done[i].Handle == h {
				n++
			}
		}
		if n > 0 {
			dst = append(dst, Holding{HolderReads, r.owner, n})
		}
	}
	if n := s.entryLocked(h.Slot()).workerRetains; n > 0 {
		dst = append(dst, Holding{HolderWorker, "", int(n)})
	}
	return dst
}

func (l *scopeList) holdings(h Handle, dst []Holding) []Holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := l.mu.first; c != nil; c = c.next {
		n := 0
		c.mu.Lock()
		for i := range c.mu.held.Len() {
			if *c.mu.held.At(i) == h {
				n++
			}
		}
		c.mu.Unlock()
		if n > 0 {
			dst = append(dst, Holding{HolderScope, c.owner, n})
		}
	}
	return dst
}

// ColdPosition is where a cold asset stands in the order of eviction: 1 goes
// first, of how many. Zero for one that is not cold.
func (s *Store) ColdPosition(h Handle) (at, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.liveLocked(h)
	return s.coldPositionLocked(e)
}

func (s *Store) coldPositionLocked(e *entry) (at, of int) {
	if e == nil || e.coldID == 0 {
		return 0, s.mu.ledger.cold
	}
	for i := s.mu.cold.head; i < int(e.coldID); i++ {
		if s.mu.cold.records.At(i).live {
			at++
		}
	}
	return at, s.mu.ledger.cold
}
