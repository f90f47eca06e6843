package kinds

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"sojourn/assets"
)

// memory is a source that records which bytes were asked for, and can map.
type memory struct {
	files   map[string][]byte
	mapping bool
	leases  atomic.Int64 // given out and not given back

	mu struct {
		sync.Mutex
		asked map[string]int64 // bytes, by entry
	}
}

func newMemory(mapping bool) *memory {
	m := &memory{files: map[string][]byte{}, mapping: mapping}
	m.mu.asked = map[string]int64{}
	return m
}

func (m *memory) Name() string { return "memory" }
func (m *memory) Close() error { return nil }

func (m *memory) Open(name string) (assets.Entry, error) {
	b, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("memory: %s: %w", name, fs.ErrNotExist)
	}
	return &memoryEntry{Reader: bytes.NewReader(b), name: name, b: b, m: m}, nil
}

func (m *memory) List(yield func(string, int64) bool) error {
	for name, b := range m.files {
		if !yield(name, int64(len(b))) {
			break
		}
	}
	return nil
}

func (m *memory) ask(name string, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.asked[name] += n
}

func (m *memory) asked(name string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.asked[name]
}

type memoryEntry struct {
	*bytes.Reader
	name string
	b    []byte
	m    *memory
}

var _ io.ReaderAt = (*memoryEntry)(nil)

func (e *memoryEntry) ReadAt(dst []byte, off int64) (int, error) {
	e.m.ask(e.name, int64(len(dst)))
	return e.Reader.ReadAt(dst, off)
}

func (e *memoryEntry) Close() error     { return nil }
func (e *memoryEntry) SizeBytes() int64 { return int64(len(e.b)) }
func (e *memoryEntry) Ranged() bool     { return true }

func (e *memoryEntry) Map(off, n int64) (assets.Lease, bool) {
	if !e.m.mapping {
		return nil, false
	}
	e.m.ask(e.name, n)
	e.m.leases.Add(1)
	return &memoryLease{b: e.b[off : off+n : off+n], m: e.m}, true
}

type memoryLease struct {
	b []byte
	m *memory
}

func (l *memoryLease) Bytes() []byte { return l.b }
func (l *memoryLease) Release()      { l.m.leases.Add(-1) }
