package cook

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"sojourn/assets/pack"
)

// encoders lends zstd encoders. One takes tens of megabytes once it is used,
// so a run makes no more than it compresses with at a time.
type encoders struct {
	mu struct {
		sync.Mutex
		spare []*zstd.Encoder
	}
}

// encode appends data to dst as the pack keeps compressed entries.
func (e *encoders) encode(dst, data []byte) ([]byte, error) {
	enc, err := e.borrow()
	if err != nil {
		return dst, err
	}
	dst = pack.EncodeFrames(dst, data, enc)
	e.mu.Lock()
	e.mu.spare = append(e.mu.spare, enc)
	e.mu.Unlock()
	return dst, nil
}

func (e *encoders) borrow() (*zstd.Encoder, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.mu.spare)
	if n == 0 {
		return pack.NewEncoder()
	}
	enc := e.mu.spare[n-1]
	e.mu.spare = e.mu.spare[:n-1]
	return enc, nil
}

// spool keeps the outputs of one worker, encoded, in a temporary file until
// the pack is written. It belongs to one goroutine at a time.
type spool struct {
	file    *os.File
	end     int64
	enc     *encoders
	scratch []byte
}

// span is where an output lies.
type span struct {
	spool     *spool
	off, size int64
}

func newSpool(dir, base string, enc *encoders) (*spool, error) {
	f, err := os.CreateTemp(dir, base+".*.spool.tmp")
	if err != nil {
		return nil, err
	}
	return &spool{file: f, enc: enc}, nil
}

// add encodes as the pack will have it.
func (s *spool) add(data []byte, raw bool) (span, uint32, error) {
	stored := data
	if !raw {
		var err error
		if s.scratch, err = s.enc.encode(s.scratch[:0], data); err != nil {
			return span{}, 0, err
		}
		stored = s.scratch
	}
	if _, err := s.file.WriteAt(stored, s.end); err != nil {
		return span{}, 0, fmt.Errorf("spool: %w", err)
	}
	at := span{spool: s, off: s.end, size: int64(len(stored))}
	s.end += at.size
	if cap(s.scratch) > laneBytesMin {
		s.scratch = nil
	}
	return at, crc32.ChecksumIEEE(data), nil
}

// read appends the stored bytes to dst.
func (p span) read(dst []byte) ([]byte, error) {
	n := len(dst)
	if int64(cap(dst)-n) < p.size {
		dst = append(make([]byte, 0, int64(n)+p.size), dst...)
	}
	dst = dst[:int64(n)+p.size]
	if _, err := io.ReadFull(io.NewSectionReader(p.spool.file, p.off, p.size), dst[n:]); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	return dst, nil
}

func (s *spool) remove() {
	s.file.Close()
	os.Remove(s.file.Name())
}
