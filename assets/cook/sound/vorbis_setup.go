package sound

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Limits on a Vorbis setup header. Real encoders stay far below; the decoder
// would take memory for, or loop over, whatever a header claims.
const (
	bookEntriesMax      = 1 << 14 // of one codebook
	bookEntriesTotalMax = 1 << 17
	bookValuesMax       = 1 << 20 // entries x dimensions of one codebook
	bookValuesTotalMax  = 1 << 22
)

// Types of Vorbis headers.
const (
	vorbisIdentification = 1
	vorbisComment        = 3
	vorbisSetup          = 5
)

// vorbisHeader gives a header's body after checking its type.
func vorbisHeader(b []byte, kind byte) ([]byte, error) {
	if len(b) < 7 || b[0] != kind || string(b[1:7]) != "vorbis" {
		return nil, corruptf("Vorbis header %d is missing", kind)
	}
	return b[7:], nil
}

// checkIdentification reads the first header.
func checkIdentification(b []byte) (shape, error) {
	const identificationBytes = 23
	if len(b) < identificationBytes {
		return shape{}, corruptf("truncated Vorbis header: %d bytes, want %d", len(b), identificationBytes)
	}
	if v := binary.LittleEndian.Uint32(b); v != 0 {
		return shape{}, corruptf("Vorbis version %d is not supported", v)
	}
	s := shape{channels: int(b[4]), rate: int(min(binary.LittleEndian.Uint32(b[5:]), math.MaxInt32))}
	if err := s.check(0); err != nil {
		return shape{}, err
	}
	if short, long := b[21]&15, b[21]>>4; short < 6 || long > 13 || short > long {
		return shape{}, corruptf("Vorbis blocks of 2^%d and 2^%d frames", short, long)
	}
	return s, nil
}

// bitReader reads Vorbis's bit order: low bits first. Reading past the end
// gives zeros and sets over.
type bitReader struct {
	b    []byte
	at   int // in bits
	over bool
}

func (r *bitReader) read(n int) uint32 {
	if r.at+n > len(r.b)*8 {
		r.over = true
		r.at = len(r.b) * 8
		return 0
	}
	v := uint32(0)
	for got := 0; got < n; {
		take := min(8-r.at%8, n-got)
		part := uint32(r.b[r.at/8]) >> (r.at % 8) & (1<<take - 1)
		v |= part << got
		got += take
		r.at += take
	}
	return v
}

func (r *bitReader) skip(n int) {
	if n < 0 || n > len(r.b)*8-r.at {
		r.over = true
		n = len(r.b)*8 - r.at
	}
	r.at += n
}

// checkSetup reads the codebooks of the setup header, the only part of it
// whose sizes are not bounded by their own few bits.
func checkSetup(b []byte) error {
	r := &bitReader{b: b}
	entriesTotal, valuesTotal := 0, 0
	for n := range int(r.read(8)) + 1 {
		entries, values, err := checkCodebook(r)
		if err == nil && r.over {
			err = corruptf("truncated: unexpected end")
		}
		if err != nil {
			return corruptf("Vorbis codebook %d: %w", n, err)
		}
		entriesTotal += entries
		valuesTotal += values
		if entriesTotal > bookEntriesTotalMax || valuesTotal > bookValuesTotalMax {
			return tooLargef("Vorbis codebooks of more than %d entries or %d values", bookEntriesTotalMax, bookValuesTotalMax)
		}
	}
	return nil
}

func checkCodebook(r *bitReader) (entries, values int, err error) {
	if r.read(24) != 0x564342 {
		return 0, 0, corruptf("it does not start as one")
	}
	dimensions := int(r.read(16))
	entries = int(r.read(24))
	if dimensions == 0 || entries == 0 {
		return 0, 0, corruptf("%d entries of %d dimensions", entries, dimensions)
	}
	if entries > bookEntriesMax || entries*dimensions > bookValuesMax {
		return 0, 0, tooLargef("%d entries of %d dimensions, limit %d entries and %d values", entries, dimensions, bookEntriesMax, bookValuesMax)
	}
	if err := checkLengths(r, entries); err != nil {
		return 0, 0, err
	}
	switch lookup := r.read(4); lookup {
	case 0:
	case 1, 2:
		r.skip(64)
		valueBits := int(r.read(4)) + 1
		r.skip(1)
		values = entries * dimensions
		stored := values
		if lookup == 1 {
			stored = int(math.Floor(math.Pow(float64(entries), 1/float64(dimensions))))
		}
		r.skip(stored * valueBits)
	default:
		return 0, 0, corruptf("look-up type %d", lookup)
	}
	return entries, values, nil
}

// checkLengths reads the lengths of the codewords.
func checkLengths(r *bitReader, entries int) error {
	used := 0
	if ordered := r.read(1) == 1; ordered {
		length := int(r.read(5)) + 1
		for used < entries {
			n := int(r.read(bits.Len(uint(entries - used))))
			if r.over || length > 32 || n > entries-used {
				return corruptf("lengths of codewords that don't add up")
			}
			used += n
			length++
		}
		return nil
	}
	sparse := r.read(1) == 1
	for range entries {
		if sparse && r.read(1) == 0 {
			continue
		}
		r.skip(5)
		used++
	}
	if used == 0 && !r.over {
		return corruptf("no entry is used")
	}
	return nil
}
