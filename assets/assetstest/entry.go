package assetstest

import (
	"fmt"
	"io"
	"sync/atomic"

	"sojourn/assets"
)

type entry struct {
	source           *Source
	name             string
	data             []byte
	fault            Fault
	mappable, ranged bool
	closed           bool
}

func (e *entry) SizeBytes() int64 { return int64(len(e.data)) }

func (e *entry) Ranged() bool { return e.ranged }

func (e *entry) ReadAt(p []byte, off int64) (int, error) {
	e.source.tell(OpRead, e.name)
	e.source.note(e.name, off, int64(len(p)), false)
	e.source.pass(e.name)
	if e.source.isClosed() {
		return 0, fmt.Errorf("%s: %s: %w", e.source.name, e.name, assets.ErrClosed)
	}
	data, atEnd := e.data, io.EOF
	switch e.fault.Kind {
	case FaultPanic:
		panic("assetstest: " + e.name)
	case FaultShort:
		data = data[:min(e.fault.At, int64(len(data)))]
	case FaultRead:
		data = data[:min(e.fault.At, int64(len(data)))]
		atEnd = e.fault.err()
	}
	if off >= int64(len(data)) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, atEnd
	}
	n := copy(p, data[off:])
	if at := e.fault.At; e.fault.Kind == FaultCorrupt && at >= off && at < off+int64(n) {
		p[at-off] ^= 0xFF
	}
	e.source.noteBytes(int64(n))
	if n < len(p) {
		return n, atEnd
	}
	return n, nil
}

func (e *entry) Map(off, n int64) (assets.Lease, bool) {
	if !e.mappable || e.fault.Kind != FaultNone || off < 0 || n < 0 || off+n > int64(len(e.data)) {
		return nil, false
	}
	e.source.tell(OpMap, e.name)
	e.source.note(e.name, off, n, true)
	e.source.pass(e.name)
	e.source.mu.Lock()
	defer e.source.mu.Unlock()
	if e.source.mu.closed {
		return nil, false
	}
	e.source.mu.count.Leases++
	return &lease{source: e.source, b: e.data[off : off+n : off+n]}, true
}

func (e *entry) Close() error {
	e.source.tell(OpClose, e.name)
	e.source.mu.Lock()
	defer e.source.mu.Unlock()
	if e.closed {
		return fmt.Errorf("%s: %s: %w twice", e.source.name, e.name, assets.ErrClosed)
	}
	e.closed = true
	e.source.mu.count.Entries--
	return nil
}

type lease struct {
	source   *Source
	b        []byte
	released atomic.Bool
}

func (l *lease) Bytes() []byte { return l.b }

func (l *lease) Release() {
	l.source.mu.Lock()
	defer l.source.mu.Unlock()
	if l.released.Swap(true) {
		l.source.mu.count.Released++
		return
	}
	l.source.mu.count.Leases--
}

func (s *Source) note(name string, off, n int64, mapped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mapped {
		s.mu.count.Maps++
	} else {
		s.mu.count.Reads++
	}
	s.mu.ranges[name] = append(s.mu.ranges[name], Range{off, n})
}

func (s *Source) noteBytes(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.count.Bytes += n
}

func (s *Source) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.closed
}
