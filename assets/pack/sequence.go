package pack

import (
	"errors"
	"io"
	"runtime"
)

// sequence reads decoded content from front to back, for entries that have no
// small independent frames.
type sequence struct {
	r  io.Reader // nil before the first read and after a failure
	at int64     // content offset of what r gives next
}

// readAt fills p from content offset off. restart opens the content anew at
// its start and is called when off lies before what was already read.
func (s *sequence) readAt(p []byte, off int64, c *codec, restart func() (io.Reader, int64, error)) (err error) {
	if s.r == nil || off < s.at {
		if s.r, s.at, err = restart(); err != nil {
			s.r = nil
			return err
		}
	}
	for s.at < off {
		c.out = grown(c.out, int(min(off-s.at, FrameBytesMax)))
		if err := s.fill(c.out); err != nil {
			return err
		}
	}
	for len(p) > 0 {
		n := min(len(p), FrameBytesMax)
		if err := s.fill(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

func (s *sequence) fill(p []byte) error {
	n, err := io.ReadFull(s.r, p)
	s.at += int64(n)
	if err != nil {
		s.r = nil
		return err
	}
	runtime.Gosched()
	return nil
}

// finish tells whether the content ends here, and ends well: checksums behind
// the last byte are read.
func (s *sequence) finish(declaredBytes int64) error {
	if s.r == nil {
		return nil
	}
	var more [1]byte
	n, err := io.ReadFull(s.r, more[:])
	s.r = nil
	if n > 0 {
		return errLarger(declaredBytes)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
