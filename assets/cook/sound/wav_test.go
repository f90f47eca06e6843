package sound

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"sojourn/assets"
)

// chunk is one chunk of a RIFF file, padded.
func chunk(name string, body ...any) []byte {
	var b bytes.Buffer
	for _, v := range body {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	out := binary.LittleEndian.AppendUint32([]byte(name), uint32(b.Len()))
	out = append(out, b.Bytes()...)
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WAVE"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// format is a plain fmt chunk.
func format(tag, channels uint16, rate uint32, bits, block uint16) []byte {
	return chunk("fmt ", tag, channels, rate, rate*uint32(block), block, bits)
}

func TestWAVSamples(t *testing.T) {
	mono := func(tag, bits uint16) []byte { return format(tag, 1, 8000, bits, (bits+7)/8) }
	tests := []struct {
		name   string
		format []byte
		data   any
		want   string
	}{
		{"8 bits", mono(1, 8), []uint8{0, 1, 127, 128, 129, 255}, "[-32768 -32512 -256 0 256 32512]"},
		{"16 bits", mono(1, 16), []int16{math.MinInt16, -1, 0, 1, math.MaxInt16}, "[-32768 -1 0 1 32767]"},
		{"12 bits in 16", mono(1, 12), []int16{math.MinInt16, 16}, "[-32768 16]"},
		{"24 bits", mono(1, 24), []uint8{0, 0, 0x80, 0x7f, 0, 0, 0x80, 0, 0, 0xff, 0xff, 0x7f, 0x7f, 0xff, 0xff, 0x80, 0xff, 0xff},
			"[-32768 0 1 32767 -1 0]"},
		{"24 bits in 32, plain", format(1, 1, 8000, 24, 4), []int32{math.MinInt32, 1 << 16}, "[-32768 1]"},
		{"32 bits", mono(1, 32), []int32{math.MinInt32, -1 << 15, 1<<15 - 1, 1 << 15, math.MaxInt32}, "[-32768 0 0 1 32767]"},
		{"floats", mono(3, 32), []float32{-2, -1, 0.5, 1, 2, float32(math.Inf(1)), float32(math.NaN())}, "[-32768 -32768 16384 32767 32767 32767 0]"},
		{"doubles", mono(3, 64), []float64{-1, 0.25, math.Inf(-1), 1e300}, "[-32768 8192 -32768 32767]"},
		{"unfinished frame", format(1, 2, 8000, 16, 4), []int16{1, 2, 3}, "[1 2]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runBytes(t, "x.wav", riff(tt.format, chunk("data", tt.data)))
			if got.err != nil {
				t.Fatal(got.err)
			}
			if s := fmt.Sprint(got.sound.Samples); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

func TestWAVWithoutFinalSizes(t *testing.T) {
	file := riff(format(1, 1, 8000, 16, 2), chunk("data", []int16{1, 2, 3}))
	binary.LittleEndian.PutUint32(file[4:], sizeUnknown)
	binary.LittleEndian.PutUint32(file[len(file)-10:], sizeUnknown)
	got := runBytes(t, "x.wav", file)
	if got.err != nil || len(got.sound.Samples) != 3 || len(got.warnings) != 1 {
		t.Errorf("%v %v %q", got.sound.Samples, got.err, got.warnings)
	}
}

func TestWAVChunkOrder(t *testing.T) {
	data, f, list := chunk("data", []int16{7}), format(1, 1, 8000, 16, 2), chunk("LIST", []uint8("INFOabc"))
	for name, file := range map[string][]byte{
		"data first": riff(data, list, f), "second data": riff(list, f, data, chunk("data", []int16{9})),
		"junk after": append(riff(f, data), "abc"...), "cut chunk after": append(riff(f, data), "LIST\xff\xff\x00\x00"...),
	} {
		if got := runBytes(t, "x.wav", file); got.err != nil || fmt.Sprint(got.sound.Samples) != "[7]" {
			t.Errorf("%s: %v %v", name, got.sound.Samples, got.err)
		}
	}
}

func TestHostileWAV(t *testing.T) {
	two := chunk("data", []int16{1, 2})
	huge := func(f []byte) []byte {
		b := riff(f, chunk("data", []int16{1, 2}))
		binary.LittleEndian.PutUint32(b[len(b)-8:], 0xfffffff0)
		return b
	}
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"empty":             {nil, "empty"},
		"short":             {[]byte("RIFF"), "truncated"},
		"not WAV":           {[]byte("hello, this is text"), "not a WAV"},
		"RF64":              {append([]byte("RF64"), riff(two)[4:]...), "RF64"},
		"RIFX":              {append([]byte("RIFX"), riff(two)[4:]...), "RIFX"},
		"A-law":             {riff(format(6, 1, 8000, 8, 1), two), "A-law"},
		"mu-law":            {riff(format(7, 1, 8000, 8, 1), two), "mu-law"},
		"ADPCM":             {riff(format(2, 1, 8000, 4, 256), two), "ADPCM"},
		"unknown":           {riff(format(999, 1, 8000, 8, 1), two), "format 999"},
		"no channels":       {riff(format(1, 0, 8000, 16, 2), two), "0 channels"},
		"too many channels": {riff(format(1, 65535, 8000, 16, 2), two), "65535 channels"},
		"no rate":           {riff(format(1, 1, 0, 16, 2), two), "rate of 0"},
		"rate too high":     {riff(format(1, 1, math.MaxUint32, 16, 2), two), "rate"},
		"no block":          {riff(format(1, 1, 8000, 16, 0), two), "frames of 0 bytes"},
		"uneven block":      {riff(format(1, 2, 8000, 16, 3), two), "frames of 3 bytes"},
		"no bits":           {riff(format(1, 1, 8000, 0, 2), two), "0 bits"},
		"too many bits":     {riff(format(1, 1, 8000, 24, 2), two), "24 bits"},
		"40 bits":           {riff(format(1, 1, 8000, 40, 5), two), "5 bytes"},
		"16-bit floats":     {riff(format(3, 1, 8000, 16, 2), two), "2 bytes"},
		"short fmt":         {riff(chunk("fmt ", []uint8{1, 0, 1}), two), "fmt"},
		"short extensible":  {riff(format(0xfffe, 1, 8000, 16, 2), two), "extensible"},
		"empty data":        {riff(format(1, 1, 8000, 16, 2), chunk("data")), "no samples"},
		"data past the end": {huge(format(1, 1, 8000, 16, 2)), "truncated"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := runBytes(t, "x.wav", tt.file)
		runtime.ReadMemStats(&after)
		if got.err == nil || !strings.Contains(got.err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, got.err, tt.want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: allocated %d bytes", name, n)
		}
	}
}

// Cutting a file anywhere is an error, never a shorter sound.
func TestCutWAV(t *testing.T) {
	file := riff(format(1, 1, 8000, 16, 2), chunk("LIST", []uint8("INFOabc")), chunk("data", []int16{1, 2, 3, 4}))
	for n := range file {
		if got := runBytes(t, "x.wav", file[:n]); got.err == nil {
			t.Errorf("the first %d of %d bytes loaded", n, len(file))
		}
	}
}

func TestLimitOfFrames(t *testing.T) {
	for channels := 1; channels <= assets.SoundChannelsMax; channels++ {
		s := shape{rate: 44100, channels: channels}
		limit := framesMax(channels)
		if limit > assets.SoundFramesMax || limit*int64(channels)*sampleBytes > pcmBytesMax {
			t.Errorf("%d channels: %d frames", channels, limit)
		}
		if err := s.check(limit); err != nil {
			t.Error(err)
		}
		if err := s.check(limit + 1); !errors.Is(err, assets.ErrTooLarge) {
			t.Errorf("error %v", err)
		}
	}
}
