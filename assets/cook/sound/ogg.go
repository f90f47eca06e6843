package sound

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"sojourn/assets/cook/unit"
)

// packet is one packet of an Ogg stream.
type packet struct {
	data []byte
	// lastOnPage tells that no later packet ends on the same page; then
	// position is that page's: how many frames the stream has come to, -1
	// where the page does not say.
	lastOnPage bool
	position   int64
}

const (
	pageHeaderBytes = 27

	pageContinued = 1
	pageFirst     = 2
	pageLast      = 4
)

// page is one page of an Ogg file.
type page struct {
	flags    byte
	position int64
	serial   uint32
	sequence uint32
	lacing   []byte
	body     []byte
}

// readPage takes one page off the front of b, checked by its checksum.
func readPage(b []byte) (p page, rest []byte, err error) {
	if len(b) < pageHeaderBytes {
		return p, nil, corruptf("truncated: unexpected end in a page header")
	}
	if string(b[:4]) != "OggS" {
		return p, nil, corruptf("no Ogg page where one should start")
	}
	if b[4] != 0 {
		return p, nil, corruptf("Ogg version %d is not supported", b[4])
	}
	le := binary.LittleEndian
	p = page{flags: b[5], position: int64(le.Uint64(b[6:])), serial: le.Uint32(b[14:]), sequence: le.Uint32(b[18:])}
	bodyAt := pageHeaderBytes + int(b[26])
	if len(b) < bodyAt {
		return p, nil, corruptf("truncated: unexpected end in the table of page %d", p.sequence)
	}
	p.lacing = b[pageHeaderBytes:bodyAt]
	end := bodyAt
	for _, n := range p.lacing {
		end += int(n)
	}
	if len(b) < end {
		return p, nil, corruptf("truncated: unexpected end in page %d, %d bytes are missing", p.sequence, end-len(b))
	}
	p.body = b[bodyAt:end]
	if pageChecksum(b[:end]) != le.Uint32(b[22:]) {
		return p, nil, corruptf("wrong checksum of page %d", p.sequence)
	}
	return p, b[end:], nil
}

// oggCRC gives the checksum Ogg wants: the usual polynomial, but high bit
// first and without the inversions. Reversing bits in and out makes the
// standard library's table do.
func oggCRC(table *crc32.Table, crc uint32, b []byte) uint32 {
	for _, v := range b {
		crc = table[byte(crc)^bits.Reverse8(v)] ^ crc>>8
	}
	return crc
}

func pageChecksum(b []byte) uint32 {
	table := crc32.IEEETable
	crc := oggCRC(table, 0, b[:22])
	crc = oggCRC(table, crc, []byte{0, 0, 0, 0})
	return bits.Reverse32(oggCRC(table, crc, b[26:]))
}

// packetsOf takes an Ogg file apart. Only its first stream is looked at; the
// pages must follow one another without a gap, up to one that says it is the
// last. Packets point into the file where they can.
func packetsOf(in *unit.Input) ([]packet, error) {
	if len(in.Data) == 0 {
		return nil, corruptf("the file is empty")
	}
	var (
		out     []packet
		partial []byte // of a packet that goes on on the next page
		open    bool   // there is such a packet
		first   *page
		next    uint32
		others  int
	)
	rest := in.Data
	for {
		if len(rest) == 0 {
			return nil, corruptf("truncated: unexpected end, no page says it is the last")
		}
		p, after, err := readPage(rest)
		if err != nil {
			return nil, err
		}
		rest = after
		if first == nil {
			if p.flags&pageFirst == 0 {
				return nil, corruptf("the first page is not the start of a stream")
			}
			first, next = &p, p.sequence
		}
		if p.serial != first.serial {
			others++
			continue
		}
		if p.sequence != next && len(p.lacing) > 0 {
			return nil, corruptf("page %d follows where %d should", p.sequence, next)
		}
		if p.sequence == next {
			next++
		}
		if len(p.lacing) > 0 && open != (p.flags&pageContinued != 0) {
			return nil, corruptf("page %d: a packet's two parts don't meet", p.sequence)
		}
		out, partial, open = p.split(out, partial, open)
		if p.flags&pageLast != 0 {
			break
		}
	}
	if open {
		return nil, corruptf("truncated: the last packet goes on after the last page")
	}
	if bytes.HasPrefix(rest, []byte("OggS")) && rest[min(5, len(rest)-1)]&pageFirst != 0 {
		return nil, corruptf("a second stream follows the first, which is not supported")
	}
	if others > 0 {
		in.Warn("%d pages of other streams were left out", others)
	}
	if len(rest) > 0 {
		in.Warn("%d bytes after the stream's end were left out", len(rest))
	}
	return out, nil
}

// split appends the page's packets. A packet that does not end here stays in
// partial.
func (p *page) split(out []packet, partial []byte, open bool) ([]packet, []byte, bool) {
	body, size := p.body, 0
	before := len(out)
	for _, n := range p.lacing {
		size += int(n)
		if n == 255 {
			continue
		}
		data := body[:size]
		if open {
			data = append(partial, data...)
			partial, open = nil, false
		}
		out = append(out, packet{data: data, position: -1})
		body, size = body[size:], 0
	}
	if n := len(p.lacing); n > 0 && p.lacing[n-1] == 255 {
		partial, open = append(partial, body[:size]...), true
	}
	if len(out) > before {
		out[len(out)-1].lastOnPage, out[len(out)-1].position = true, p.position
	}
	return out, partial, open
}
