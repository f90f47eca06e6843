package pack

import (
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// codec is the decoding scratch of one entry at a time, lent by the pack.
type codec struct {
	dec     *zstd.Decoder // nil until an entry needs it
	inflate io.ReadCloser // nil until an entry needs it
	in      []byte        // encoded bytes around the frame at hand
	out     []byte        // a frame's content when only a part was asked for
}

const (
	// spareCodecsMax bounds how many idle codecs a pack keeps.
	spareCodecsMax = 8
	// frameEncodedBytesMax is the most a frame of FrameBytesMax takes.
	frameEncodedBytesMax = FrameBytesMax + 1<<10
)

// takeCodec lends scratch; putCodec takes it back.
func (p *Pack) takeCodec() *codec {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.mu.spare); n > 0 {
		c := p.mu.spare[n-1]
		p.mu.spare = p.mu.spare[:n-1]
		return c
	}
	return &codec{}
}

func (p *Pack) putCodec(c *codec) {
	if c.dec != nil {
		// Forgets the stream's reader; decoders of concurrency 1 own no goroutine.
		_ = c.dec.Reset(nil)
	}
	p.mu.Lock()
	if !p.closed.Load() && len(p.mu.spare) < spareCodecsMax {
		p.mu.spare = append(p.mu.spare, c)
		c = nil
	}
	p.mu.Unlock()
	if c != nil {
		c.close()
	}
}

func (c *codec) close() {
	if c.dec != nil {
		c.dec.Close()
	}
}

// decoder is the zstd decoder, bounded so that no entry makes it allocate more
// than a window and what the caller asked for.
func (c *codec) decoder() (*zstd.Decoder, error) {
	if c.dec != nil {
		return c.dec, nil
	}
	d, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(windowBytesMax),
		zstd.WithDecodeAllCapLimit(true),
	)
	c.dec = d
	return d, err
}

// inflater decodes deflate data from r.
func (c *codec) inflater(r io.Reader) (io.Reader, error) {
	if c.inflate == nil {
		c.inflate = flate.NewReader(r)
		return c.inflate, nil
	}
	return c.inflate, c.inflate.(flate.Resetter).Reset(r, nil)
}

// grown gives a block of n bytes, reusing b where it is large enough.
func grown(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return make([]byte, n)
}
