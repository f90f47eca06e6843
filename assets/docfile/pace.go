package docfile

import "sojourn/assets"

// pace calls yield once per [assets.ChunkBytesMax] of input.
type pace struct {
	yield func() error
	next  int
}

// at says how far the reading has come, in bytes.
func (p *pace) at(byteAt int) error {
	if byteAt < p.next {
		return nil
	}
	p.next = byteAt + assets.ChunkBytesMax
	return p.yield()
}

func noYield() error { return nil }
