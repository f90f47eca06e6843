package assetstest

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"sojourn/assets"
)

// Source is an [assets.Source] in memory. Its zero value is not usable; make
// one with [NewSource]. Safe for any goroutine.
type Source struct {
	name  string
	watch func(op Op, name string) // set before the source is used

	mu struct {
		sync.Mutex
		closed   bool
		mappable bool
		ranged   bool
		files    map[string][]byte
		gates    map[string]*gate
		scripts  map[string][]Fault
		count    Counts
		ranges   map[string][]Range
	}
}

// Counts is what was asked of a source.
type Counts struct {
	Opens    int // tries, the failed ones included
	Misses   int // tries of entries that are not there
	Reads    int
	Bytes    int64 // read, the mapped ones not included
	Maps     int
	Entries  int // open now
	Leases   int // out now
	Released int // leases released twice
}

// Range is one range asked of an entry, by a read or a mapping.
type Range struct {
	Off, N int64
}

// NewSource makes an empty source. Its entries cannot be mapped and are good
// at range reads.
func NewSource(name string) *Source {
	s := &Source{name: name}
	s.mu.ranged = true
	s.mu.files = make(map[string][]byte)
	s.mu.gates = make(map[string]*gate)
	s.mu.scripts = make(map[string][]Fault)
	s.mu.ranges = make(map[string][]Range)
	return s
}

// Op is what is about to be done with a source.
type Op uint8

// The operations a watcher learns of.
const (
	OpOpen Op = iota
	OpRead
	OpMap
	OpClose
)

// Watch makes f be called before each operation, on the goroutine that does it
// and outside any lock. Set it before the source is used.
func (s *Source) Watch(f func(op Op, name string)) { s.watch = f }

func (s *Source) tell(op Op, name string) {
	if s.watch != nil {
		s.watch(op, name)
	}
}

// Set puts an entry, replacing one of the same name. Entries and leases that
// are open keep the bytes they have.
func (s *Source) Set(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.files[name] = slices.Clone(data)
}

// SetText puts an entry of text.
func (s *Source) SetText(name, text string) { s.Set(name, []byte(text)) }

// Remove takes an entry out.
func (s *Source) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mu.files, name)
}

// SetMappable says whether entries opened from now on can be mapped.
func (s *Source) SetMappable(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.mappable = is
}

// SetRanged says whether entries opened from now on are good at range reads.
func (s *Source) SetRanged(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.ranged = is
}

// Counts is what was asked so far.
func (s *Source) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.count
}

// Ranges is the ranges asked of an entry so far, in order.
func (s *Source) Ranges(name string) []Range {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mu.ranges[name])
}

// Name is the name the source was made with.
func (s *Source) Name() string { return s.name }

// Open gives one entry, or the next fault of its script.
func (s *Source) Open(name string) (assets.Entry, error) {
	s.tell(OpOpen, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.count.Opens++
	if s.mu.closed {
		return nil, fmt.Errorf("%s: %s: %w", s.name, name, assets.ErrClosed)
	}
	data, ok := s.mu.files[name]
	if !ok {
		s.mu.count.Misses++
		return nil, fmt.Errorf("%s: %s: %w", s.name, name, fs.ErrNotExist)
	}
	fault := s.nextFaultLocked(name)
	if fault.Kind == FaultOpen {
		return nil, fmt.Errorf("%s: %s: %w", s.name, name, fault.err())
	}
	s.mu.count.Entries++
	return &entry{source: s, name: name, data: data, fault: fault, mappable: s.mu.mappable, ranged: s.mu.ranged}, nil
}

// List gives every entry, sorted by name.
func (s *Source) List(yield func(name string, sizeBytes int64) bool) error {
	s.mu.Lock()
	names := make([]string, 0, len(s.mu.files))
	sizes := make(map[string]int64, len(s.mu.files))
	for name, data := range s.mu.files {
		names = append(names, name)
		sizes[name] = int64(len(data))
	}
	s.mu.Unlock()
	slices.Sort(names)
	for _, name := range names {
		if !yield(name, sizes[name]) {
			return nil
		}
	}
	return nil
}

// Close ends reads, and lets go those that are held. Leases stay valid.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.closed = true
	for name, g := range s.mu.gates {
		close(g.open)
		delete(s.mu.gates, name)
	}
	return nil
}
