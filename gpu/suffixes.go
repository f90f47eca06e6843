package gpu

import "sojourn/assets"

// suffixReads is what the table needs of an [assets.Reads].
type suffixReads interface {
	Submit(h assets.Handle, off, n int64, priority int32, tag uint64) error
	Drain(func(assets.ReadDone))
	Cancel(tag uint64)
	Close()
}

// suffixes keeps bytes that wait for their upload by number (from 1), apart
// from the pointer-free entries.
type suffixes struct {
	rows []assets.Bytes
	free []uint32
}

func (s *suffixes) add(b assets.Bytes) uint32 {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		s.rows[at-1] = b
		return at
	}
	s.rows = append(s.rows, b)
	return uint32(len(s.rows))
}

func (s *suffixes) at(n uint32) *assets.Bytes { return &s.rows[n-1] }

func (s *suffixes) drop(n uint32) {
	if n == 0 {
		return
	}
	s.rows[n-1].Free()
	s.free = append(s.free, n)
}
