package sound

import (
	"encoding/binary"
	"math"

	"sojourn/assets/cook/unit"
)

// ImportWAV cooks a RIFF WAV file: integer PCM of 8 to 32 bits, in plain and
// extensible headers, and floats of 32 and 64 bits. It is a [unit.Importer].
func ImportWAV(in *unit.Input, emit func(unit.Output)) error {
	c, err := findChunks(in)
	if err != nil {
		return err
	}
	f, err := parseFormat(c.format)
	if err != nil {
		return err
	}
	frameBytes := f.bytes * f.channels
	frames := len(c.data) / frameBytes
	if err := f.check(int64(frames)); err != nil {
		return err
	}
	if extra := len(c.data) % frameBytes; extra > 0 {
		in.Warn("%d bytes after the last whole frame were left out", extra)
	}
	samples := make([]int16, frames*f.channels)
	if holes := f.convert(samples, c.data); holes > 0 {
		in.Warn("%d samples are not numbers and became silence", holes)
	}
	return put(in, emit, f.shape, samples)
}

// convert turns stored samples into 16-bit ones, rounding to the nearest and
// clamping. Fewer valid bits than the container has lie at its top, so the
// container alone counts. holes is how many floats were no number.
func (f wavFormat) convert(dst []int16, src []byte) (holes int) {
	le := binary.LittleEndian
	for i := range dst {
		s := src[i*f.bytes:]
		switch {
		case f.encoding == unsigned:
			dst[i] = (int16(s[0]) - 128) << 8
		case f.encoding == float:
			v := 0.0
			if f.bytes == 4 {
				v = float64(math.Float32frombits(le.Uint32(s)))
			} else {
				v = math.Float64frombits(le.Uint64(s))
			}
			if math.IsNaN(v) {
				holes++
				v = 0
			}
			dst[i] = fromFloat(v)
		case f.bytes == 2:
			dst[i] = int16(le.Uint16(s))
		case f.bytes == 3:
			dst[i] = narrow(int64(int32(uint32(s[0])<<8 | uint32(s[1])<<16 | uint32(s[2])<<24)))
		default:
			dst[i] = narrow(int64(int32(le.Uint32(s))))
		}
	}
	return holes
}

// narrow rounds 32 bits to 16.
func narrow(v int64) int16 { return int16(min((v+1<<15)>>16, math.MaxInt16)) }

// fromFloat takes a sample with full scale at one.
func fromFloat(v float64) int16 {
	return int16(math.RoundToEven(min(max(v*32768, math.MinInt16), math.MaxInt16)))
}
