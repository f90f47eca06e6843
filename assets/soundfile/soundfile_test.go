package soundfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"sojourn/assets"
)

func encoded(t testing.TB) []byte {
	t.Helper()
	b, err := Encode(44100, 2, []int16{1, -1, 2, -2, math.MaxInt16, math.MinInt16})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lease counts how often it was given back.
type lease struct {
	b        []byte
	released int
}

func (l *lease) Bytes() []byte { return l.b }
func (l *lease) Release()      { l.released++ }

// aligned copies b to an address that is a multiple of eight, plus shift.
func aligned(b []byte, shift int) []byte {
	words := make([]uint64, len(b)/8+2)
	room := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	return room[shift : shift+copy(room[shift:], b)]
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(assets.SoundRateMin, assets.SoundRateMax).Draw(t, "rate")
		channels := rapid.IntRange(1, assets.SoundChannelsMax).Draw(t, "channels")
		samples := rapid.SliceOfN(rapid.Int16(), channels, 200).Draw(t, "samples")
		samples = samples[:len(samples)/channels*channels]
		file, err := Encode(rate, channels, samples)
		if err != nil {
			t.Fatal(err)
		}
		for shift := range 2 {
			l := &lease{b: aligned(file, shift)}
			s, err := Decode(assets.LeaseBytes(l))
			if err != nil {
				t.Fatal(err)
			}
			view := unsafe.Pointer(&s.Samples[0]) == unsafe.Pointer(&l.b[headerBytes])
			if view != (shift == 0) || s.Data.Mapped() != view || (l.released == 0) != view {
				t.Fatalf("shift %d: view %v, mapped %v, released %d", shift, view, s.Data.Mapped(), l.released)
			}
			if int(s.Rate) != rate || int(s.Channels) != channels || !slices.Equal(s.Samples, samples) {
				t.Fatalf("shift %d: got %+v", shift, s)
			}
			s.Data.Free()
			if l.released != 1 {
				t.Fatalf("shift %d: released %d times", shift, l.released)
			}
		}
	})
}

func TestEncodeRefuses(t *testing.T) {
	two := []int16{1, 2}
	for name, c := range map[string]struct {
		rate, channels int
		samples        []int16
		mention        string
	}{
		"no rate":      {0, 1, two, "rate of 0"},
		"fast":         {assets.SoundRateMax + 1, 1, two, "rate of 384001"},
		"no channels":  {48000, 0, two, "0 channels"},
		"negative":     {48000, -2, two, "-2 channels"},
		"channels":     {48000, 9, make([]int16, 9), "9 channels"},
		"part a frame": {48000, 2, []int16{1, 2, 3}, "whole frames"},
		"nothing":      {48000, 2, nil, "no samples"},
	} {
		_, err := Encode(c.rate, c.channels, c.samples)
		if !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), c.mention) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func put32(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
}

func put64(at int, v uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
}

var hostile = []struct {
	name    string
	change  func([]byte) []byte
	want    error
	mention string
}{
	{"empty", func([]byte) []byte { return nil }, assets.ErrCorrupt, "0 bytes"},
	{"magic", func(b []byte) []byte { b[3] = 0; return b }, assets.ErrCorrupt, "not a sound file"},
	{"version", put32(atVersion, 9), assets.ErrCorrupt, "version 9"},
	{"no rate", put32(atRate, 0), assets.ErrCorrupt, "rate of 0"},
	{"fast", put32(atRate, math.MaxUint32), assets.ErrCorrupt, "rate of 4294967295"},
	{"no channels", put32(atChannels, 0), assets.ErrCorrupt, "0 channels"},
	{"channels", put32(atChannels, math.MaxUint32), assets.ErrCorrupt, "4294967295 channels"},
	{"no frames", put64(atFrames, 0), assets.ErrCorrupt, "no samples"},
	{"frames", put64(atFrames, math.MaxUint64), assets.ErrTooLarge, "18446744073709551615 frames"},
	{"long", put64(atFrames, assets.SoundFramesMax), assets.ErrCorrupt, "want 1073741888"},
	{"moved", put32(atStart, 62), assets.ErrCorrupt, "byte 62"},
	{"unused", func(b []byte) []byte { b[63] = 1; return b }, assets.ErrCorrupt, "not zero"},
	{"behind", func(b []byte) []byte { return append(b, 0, 0) }, assets.ErrCorrupt, "78 bytes, want 76"},
}

func TestHostileFilesAreRefused(t *testing.T) {
	for _, c := range hostile {
		for shift := range 2 {
			l := &lease{b: aligned(c.change(encoded(t)), shift)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Decode(assets.LeaseBytes(l))
			runtime.ReadMemStats(&after)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.mention) {
				t.Errorf("%s: %v", c.name, err)
			}
			if l.released != 0 {
				t.Errorf("%s: the caller's bytes were freed", c.name)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
				t.Errorf("%s: allocated %d bytes", c.name, n)
			}
		}
	}
}

func TestTruncationAtEveryByte(t *testing.T) {
	b := encoded(t)
	for n := range b {
		if _, err := Decode(assets.OwnBytes(b[:n:n])); !errors.Is(err, assets.ErrCorrupt) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
		}
	}
}

func TestYieldEndsCopy(t *testing.T) {
	file, err := Encode(48000, 1, make([]int16, assets.ChunkBytesMax))
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	l := &lease{b: aligned(file, 1)}
	calls := 0
	_, err = DecodeChunks(assets.LeaseBytes(l), func() error {
		if calls++; calls == 2 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || l.released != 0 {
		t.Errorf("%v, released %d", err, l.released)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f))
	for _, c := range hostile {
		f.Add(c.change(encoded(f)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(assets.OwnBytes(b))
		if err != nil {
			if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
				t.Fatalf("unsorted error: %v", err)
			}
			return
		}
		if s.Frames()*int(s.Channels) != len(s.Samples) {
			t.Fatalf("%d frames of %d channels, %d samples", s.Frames(), s.Channels, len(s.Samples))
		}
		again, err := Encode(int(s.Rate), int(s.Channels), s.Samples)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("encoding again: %v", err)
		}
	})
}
