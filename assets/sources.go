package assets

import "fmt"

// ReplaceSource puts next where old is in the order of search, as when a pack
// was made anew. same tells which entries hold the same bytes in both: what
// was loaded from those stays as it is and is read from next from now on. The
// rest stays bound to old, and is for [Store.ReloadChanges]. What failed or
// was missing may be asked for again.
//
// The caller closes old once [Store.SourceUses] says that nothing reads from
// it. same is called under the store's lock and must not call the store.
func (s *Store) ReplaceSource(old, next Source, same func(entry string) bool) error {
	s.mu.Lock()
	defer s.unlock()
	if s.mu.closed {
		return fmt.Errorf("source %s: the store is %w", next.Name(), ErrClosed)
	}
	sources := append([]Source(nil), s.mu.sources...)
	found := false
	for i := range sources {
		if sources[i] == old {
			sources[i], found = next, true
		}
	}
	if !found {
		return fmt.Errorf("assets: ReplaceSource: the store has no such source %w", ErrMissing)
	}
	for _, slot := range s.mu.byKey {
		if e := s.entryLocked(slot); e.source == old && !e.reloadPending && same(e.entryName) {
			e.source = next
		}
	}
	s.sourcesChangedLocked(sources)
	return nil
}

// SourceUses is how many entries in memory and range reads under way are bound
// to a source. A source that was removed or replaced can be closed at zero;
// closing it sooner fails those reads, never the payloads.
func (s *Store) SourceUses(src Source) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sourceUsesLocked(src)
}

func (s *Store) sourceUsesLocked(src Source) int {
	n := 0
	for _, slot := range s.mu.byKey {
		if s.entryLocked(slot).source == src {
			n++
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		for _, j := range r.waiting {
			if j.read.source == src {
				n++
			}
		}
	}
	return n
}

// SourceView is one source that is searched.
type SourceView struct {
	Name string
	// Entries is the number of entries, -1 where the source can't tell
	// without reading.
	Entries int
	// Leases is the number of mapping leases out, those of closed entries
	// included; -1 where the source doesn't map.
	Leases int
	// Resident is how many payloads came from it; Reads how many range reads
	// from it are under way.
	Resident, Reads int
}

// Sources appends the sources in the order of search: the first one that has
// an entry gives it, so a patch pack comes before what it patches.
func (s *Store) Sources(dst []SourceView) []SourceView {
	s.mu.Lock()
	sources := s.mu.sources
	first := len(dst)
	for i := len(sources) - 1; i >= 0; i-- {
		dst = append(dst, SourceView{Entries: -1, Leases: -1})
	}
	for _, slot := range s.mu.byKey {
		if e := s.entryLocked(slot); e.source != nil {
			if v := viewOf(sources, dst[first:], e.source); v != nil {
				v.Resident++
			}
		}
	}
	for r := s.mu.reads; r != nil; r = r.next {
		for _, j := range r.waiting {
			if v := viewOf(sources, dst[first:], j.read.source); v != nil {
				v.Reads++
			}
		}
	}
	s.mu.Unlock()
	for i := range dst[first:] {
		src := sources[len(sources)-1-i]
		v := &dst[first+i]
		v.Name = src.Name()
		if c, ok := src.(interface{ Len() int }); ok {
			v.Entries = c.Len()
		}
		if l, ok := src.(interface{ Leases() int }); ok {
			v.Leases = l.Leases()
		}
	}
	return dst
}

func viewOf(sources []Source, views []SourceView, src Source) *SourceView {
	for i := range views {
		if sources[len(sources)-1-i] == src {
			return &views[i]
		}
	}
	return nil
}
