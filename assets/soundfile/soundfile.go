package soundfile

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"sojourn/assets"
)

const (
	magic   = "SJS\n"
	version = 1

	headerBytes = 64
	sampleBytes = 2

	atVersion  = 4
	atRate     = 8
	atChannels = 12
	atFrames   = 16
	atStart    = 24
	atReserved = 28
)

// FileBytesMax is the size of the largest file that [Decode] takes.
const FileBytesMax = headerBytes + assets.SoundFramesMax*assets.SoundChannelsMax*sampleBytes

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: sound: %s", assets.ErrCorrupt, fmt.Sprintf(format, args...))
}

func checkShape(rate, channels int64, frames uint64) error {
	switch {
	case rate < assets.SoundRateMin || rate > assets.SoundRateMax:
		return corrupt("rate of %d frames per second, want %d to %d", rate, assets.SoundRateMin, assets.SoundRateMax)
	case channels < 1 || channels > assets.SoundChannelsMax:
		return corrupt("%d channels, want 1 to %d", channels, assets.SoundChannelsMax)
	case frames > assets.SoundFramesMax:
		return fmt.Errorf("%w: sound: %d frames, at most %d", assets.ErrTooLarge, frames, assets.SoundFramesMax)
	case frames == 0:
		return corrupt("no samples")
	}
	return nil
}

// Encode makes the file of interleaved samples; rate is in frames per second.
// The result is the caller's; equal sounds give equal bytes. The error wraps
// [assets.ErrTooLarge] over [assets.SoundFramesMax], and [assets.ErrCorrupt]
// for a rate or number of channels out of range, no samples, or an incomplete
// frame.
func Encode(rate, channels int, samples []int16) ([]byte, error) {
	if channels > 0 && len(samples)%channels != 0 {
		return nil, corrupt("%d samples are not whole frames of %d channels", len(samples), channels)
	}
	frames := uint64(len(samples) / max(1, channels))
	if err := checkShape(int64(rate), int64(channels), frames); err != nil {
		return nil, err
	}
	out := make([]byte, headerBytes+len(samples)*sampleBytes)
	le := binary.LittleEndian
	copy(out, magic)
	le.PutUint32(out[atVersion:], version)
	le.PutUint32(out[atRate:], uint32(rate))
	le.PutUint32(out[atChannels:], uint32(channels))
	le.PutUint64(out[atFrames:], frames)
	le.PutUint32(out[atStart:], headerBytes)
	for i, s := range samples {
		le.PutUint16(out[headerBytes+i*sampleBytes:], uint16(s))
	}
	return out, nil
}

// Decode opens a sound file. On success the sound owns data: its samples are a
// view into those bytes, without a copy, where the machine is little-endian
// and the bytes are aligned to two; otherwise they are copied and data is
// freed. On failure data stays the caller's. The error wraps
// [assets.ErrTooLarge] or [assets.ErrCorrupt].
func Decode(data assets.Bytes) (assets.Sound, error) {
	return DecodeChunks(data, func() error { return nil })
}

// DecodeChunks is [Decode] for a worker: where it copies it calls yield
// between chunks of [assets.ChunkBytesMax] and returns yield's error.
func DecodeChunks(data assets.Bytes, yield func() error) (assets.Sound, error) {
	var s assets.Sound
	b := data.Slice()
	var err error
	if fault := assets.Guard(func() { s, err = readHeader(b) }); fault != nil {
		err = fault
	}
	if err != nil {
		return assets.Sound{}, err
	}
	raw := b[headerBytes:]
	if viewable(b) {
		s.Samples = unsafe.Slice((*int16)(unsafe.Pointer(&raw[0])), len(raw)/sampleBytes)
		s.Data = data
		return s, nil
	}
	samples := make([]int16, len(raw)/sampleBytes)
	const perChunk = assets.ChunkBytesMax / sampleBytes
	for at := 0; at < len(samples); at += perChunk {
		if err := yield(); err != nil {
			return assets.Sound{}, err
		}
		if err := assets.Guard(func() {
			for i := at; i < min(at+perChunk, len(samples)); i++ {
				samples[i] = int16(binary.LittleEndian.Uint16(raw[i*sampleBytes:]))
			}
		}); err != nil {
			return assets.Sound{}, err
		}
	}
	s.Samples = samples
	s.Data = assets.OwnBytes(unsafe.Slice((*byte)(unsafe.Pointer(&samples[0])), len(samples)*sampleBytes))
	data.Free()
	return s, nil
}

// readHeader checks the header against the number of bytes there are.
func readHeader(b []byte) (assets.Sound, error) {
	var none assets.Sound
	if len(b) < headerBytes {
		return none, corrupt("%d bytes, the header alone is %d", len(b), headerBytes)
	}
	le := binary.LittleEndian
	if string(b[:len(magic)]) != magic {
		return none, corrupt("this is not a sound file")
	}
	if v := le.Uint32(b[atVersion:]); v != version {
		return none, corrupt("version %d, want %d", v, version)
	}
	rate, channels, frames := le.Uint32(b[atRate:]), le.Uint32(b[atChannels:]), le.Uint64(b[atFrames:])
	if err := checkShape(int64(rate), int64(channels), frames); err != nil {
		return none, err
	}
	if start := le.Uint32(b[atStart:]); start != headerBytes {
		return none, corrupt("samples at byte %d, want %d", start, headerBytes)
	}
	for _, x := range b[atReserved:headerBytes] {
		if x != 0 {
			return none, corrupt("the header's unused bytes are not zero")
		}
	}
	if want := headerBytes + int64(frames)*int64(channels)*sampleBytes; int64(len(b)) != want {
		return none, corrupt("%d bytes, want %d for %d frames of %d channels", len(b), want, frames, channels)
	}
	return assets.Sound{Rate: int32(rate), Channels: int32(channels)}, nil
}

func viewable(b []byte) bool {
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	return little && uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(int16(0)) == 0
}
