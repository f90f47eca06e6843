package gpu

import (
	"sojourn/assets"
	"sojourn/chunked"
)

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
	rows chunked.List[assets.Bytes]
	free chunked.List[uint32]
}

func (s *suffixes) add(b assets.Bytes) uint32 {
	if s.free.Len() > 0 {
		n := s.free.Take()
		*s.at(n) = b
		return n
	}
	s.rows.Add(b)
	return uint32(s.rows.Len())
}

func (s *suffixes) at(n uint32) *assets.Bytes { return s.rows.At(int(n - 1)) }

func (s *suffixes) drop(n uint32) {
	if n == 0 {
		return
	}
	s.at(n).Free()
	s.free.Add(n)
}
