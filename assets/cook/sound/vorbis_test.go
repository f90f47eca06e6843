package sound

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jfreymuth/oggvorbis"

	"sojourn/assets"
)

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pagesOf gives where each page of a good file ends.
func pagesOf(t testing.TB, b []byte) (ends []int) {
	t.Helper()
	for rest := b; len(rest) > 0; {
		_, after, err := readPage(rest)
		if err != nil {
			t.Fatal(err)
		}
		rest = after
		ends = append(ends, len(b)-len(rest))
	}
	return ends
}

// reseal puts a page's checksum right after a change.
func reseal(page []byte) {
	binary.LittleEndian.PutUint32(page[22:], pageChecksum(page))
}

// The stock reader must agree on files that it can read.
func TestVorbisAgreesWithOggvorbis(t *testing.T) {
	for _, file := range []string{"a15/stereo_1s.ogg", "mono.ogg", "pages.ogg"} {
		want, format, err := oggvorbis.ReadAll(bytes.NewReader(read(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, file)
		if got.err != nil || int(got.sound.Rate) != format.SampleRate || int(got.sound.Channels) != format.Channels {
			t.Fatalf("%s: %v, %d at %d, want %+v", file, got.err, got.sound.Channels, got.sound.Rate, format)
		}
		if len(got.sound.Samples) != len(want) {
			t.Fatalf("%s: %d samples, want %d", file, len(got.sound.Samples), len(want))
		}
		for i, v := range want {
			if math.Abs(float64(got.sound.Samples[i])-float64(v)*32768) > 1 {
				t.Fatalf("%s: sample %d is %d, want %v", file, i, got.sound.Samples[i], v*32768)
			}
		}
	}
}

// Cutting a file anywhere, also between pages, is an error.
func TestCutOgg(t *testing.T) {
	for _, file := range []string{"a15/stereo_1s.ogg", "mono.ogg"} {
		b := read(t, file)
		for n := 0; n < len(b); n += 7 {
			if got := runBytes(t, "x.ogg", b[:n]); got.err == nil {
				t.Errorf("%s: the first %d of %d bytes loaded", file, n, len(b))
			}
		}
		for _, end := range pagesOf(t, b) {
			if end == len(b) {
				continue
			}
			if got := runBytes(t, "x.ogg", b[:end]); got.err == nil || !mentions(got.err.Error(), "truncated / unexpected end") {
				t.Errorf("%s: cut at page end %d: %v", file, end, got.err)
			}
		}
	}
}

// Every flipped bit is noticed: by a checksum, or by what the checksum does
// not hold.
func TestFlippedBitsInOgg(t *testing.T) {
	b := read(t, "a15/stereo_1s.ogg")
	for i := range b {
		changed := bytes.Clone(b)
		changed[i] ^= 1 << (i % 8)
		if got := runBytes(t, "x.ogg", changed); got.err == nil {
			t.Errorf("a flipped bit in byte %d was not noticed", i)
		}
	}
}

func TestOggPages(t *testing.T) {
	b := read(t, "mono.ogg")
	ends := pagesOf(t, b)
	unchanged := run(t, "mono.ogg")
	whole := unchanged.sound.Frames()
	lastAt := ends[len(ends)-2]
	position := func(v int64) []byte {
		c := bytes.Clone(b)
		binary.LittleEndian.PutUint64(c[lastAt+6:], uint64(v))
		reseal(c[lastAt:])
		return c
	}
	foreign := append([]byte("OggS\x00\x02"), make([]byte, 21)...)
	binary.LittleEndian.PutUint32(foreign[14:], 0xdeadbeef)
	reseal(foreign)
	tests := []struct {
		name   string
		data   []byte
		frames int // 0: an error
		want   string
	}{
		{"whole", b, whole, ""},
		{"another stream's page", bytes.Join([][]byte{b[:ends[0]], foreign, b[ends[0]:]}, nil), whole, ""},
		{"bytes after the end", append(bytes.Clone(b), "TAG and more"...), whole, ""},
		{"end trimmed", position(int64(whole) - 100), whole - 100, ""},
		{"a page is missing", bytes.Join([][]byte{b[:ends[0]], b[ends[1]:]}, nil), 0, "follows"},
		{"a page twice", bytes.Join([][]byte{b[:ends[1]], b[ends[0]:]}, nil), 0, "follows"},
		{"no first page", b[ends[0]:], 0, "start of a stream"},
		{"second stream", append(bytes.Clone(b), b...), 0, "second stream"},
		{"end too late", position(1 << 40), 0, "unexpected end"},
		{"end absurd", position(math.MaxInt64), 0, "unexpected end"},
		{"no end said", position(-1), -1, ""},
		{"ends before it starts", position(0), 0, "no samples"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runBytes(t, "x.ogg", tt.data)
			switch {
			case tt.frames == 0:
				if got.err == nil || !strings.Contains(got.err.Error(), tt.want) {
					t.Errorf("error %v, want %q", got.err, tt.want)
				}
			case got.err != nil:
				t.Error(got.err)
			case tt.frames > 0 && got.sound.Frames() != tt.frames:
				t.Errorf("%d frames, want %d", got.sound.Frames(), tt.frames)
			}
		})
	}
}

// A stream may start before or after frame zero; all that lies between its
// first and its last position is the sound.
func TestOggStartPositions(t *testing.T) {
	b := read(t, "pages.ogg")
	ends := pagesOf(t, b)
	if len(ends) < 4 {
		t.Fatalf("%d pages", len(ends))
	}
	whole := run(t, "pages.ogg").sound
	for _, shift := range []int64{0, 1000, 1 << 40, -100} {
		c := bytes.Clone(b)
		at := 0
		for _, end := range ends {
			if position := int64(binary.LittleEndian.Uint64(c[at+6:])); position > 0 {
				binary.LittleEndian.PutUint64(c[at+6:], uint64(position+shift))
				reseal(c[at:end])
			}
			at = end
		}
		got := runBytes(t, "x.ogg", c)
		if got.err != nil {
			t.Fatal(got.err)
		}
		want := whole.Samples
		if shift < 0 {
			want = want[-shift:]
		}
		if !slices.Equal(got.sound.Samples, want) {
			t.Errorf("shifted by %d: %d frames, want %d", shift, len(got.sound.Samples), len(want))
		}
	}
}

// bitWriter writes Vorbis's bit order.
type bitWriter struct {
	b    []byte
	used int
}

func (w *bitWriter) put(v uint32, n int) *bitWriter {
	for i := range n {
		if w.used%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.used/8] |= byte(v>>i&1) << (w.used % 8)
		w.used++
	}
	return w
}

func book(dimensions, entries uint32) *bitWriter {
	return new(bitWriter).put(0, 8).put(0x564342, 24).put(dimensions, 16).put(entries, 24)
}

// Setup headers that would make the decoder loop or take gigabytes are found
// before it sees them.
func TestHostileSetupHeaders(t *testing.T) {
	for name, tt := range map[string]struct {
		header []byte
		is     error
	}{
		"empty":                    {nil, assets.ErrCorrupt},
		"not a codebook":           {new(bitWriter).put(0, 8).put(1, 24).put(1, 32).b, assets.ErrCorrupt},
		"no dimensions":            {book(0, 4).put(0, 32).b, assets.ErrCorrupt},
		"no entries":               {book(1, 0).put(0, 32).b, assets.ErrCorrupt},
		"16 million entries":       {book(1, 1<<24-1).put(0, 32).b, assets.ErrTooLarge},
		"a billion values":         {book(65535, 1<<14).put(0, 32).b, assets.ErrTooLarge},
		"ends in ordered lengths":  {book(1, 1000).put(1, 1).put(3, 5).b, assets.ErrCorrupt},
		"lengths beyond 32":        {append(book(1, 1000).put(1, 1).put(31, 5).b, make([]byte, 4000)...), assets.ErrCorrupt},
		"too many in a length":     {book(1, 5).put(1, 1).put(3, 5).put(7, 3).put(0, 32).b, assets.ErrCorrupt},
		"no entry used":            {append(book(1, 100).put(0, 1).put(1, 1).b, make([]byte, 100)...), assets.ErrCorrupt},
		"ends in plain lengths":    {book(1, 1000).put(0, 2).put(5, 5).b, assets.ErrCorrupt},
		"unknown look-up":          {book(1, 1).put(0, 2).put(5, 5).put(3, 4).put(0, 32).b, assets.ErrCorrupt},
		"ends in values":           {book(100, 1000).put(1, 1).put(9, 5).put(1000, 10).put(2, 4).put(0, 32).b, assets.ErrCorrupt},
		"ends before a second one": {append([]byte{1}, book(1, 1).put(0, 2).put(5, 5).put(0, 4).b[1:]...), assets.ErrCorrupt},
	} {
		if err := checkSetup(tt.header); !errors.Is(err, tt.is) {
			t.Errorf("%s: error %v, want %v", name, err, tt.is)
		}
	}
}

func TestGuard(t *testing.T) {
	err := guard(func() error { panic("boom") })
	if !errors.Is(err, assets.ErrDecoderPanic) || !errors.Is(err, assets.ErrCorrupt) || !strings.Contains(err.Error(), "boom") {
		t.Errorf("error %v", err)
	}
	var none []int
	if err := guard(func() error { _ = none[len(none)]; return nil }); !errors.Is(err, assets.ErrDecoderPanic) {
		t.Errorf("error %v", err)
	}
}

// sealPages puts all checksums right, so that what lies behind them is
// reached.
func sealPages(b []byte) {
	for at := 0; at+pageHeaderBytes <= len(b); {
		end := at + pageHeaderBytes + int(b[at+26])
		if end > len(b) {
			return
		}
		for _, n := range b[at+pageHeaderBytes : end] {
			end += int(n)
		}
		if end > len(b) {
			return
		}
		reseal(b[at:end])
		at = end
	}
}

// Damage behind a right checksum reaches the decoder; whatever it does with
// it, the import ends with a sound or an error.
func TestDamageBehindTheChecksum(t *testing.T) {
	b := read(t, "a15/stereo_1s.ogg")
	for i := 0; i < len(b); i += 43 {
		changed := bytes.Clone(b)
		changed[i] ^= 0xff
		sealPages(changed)
		runBytes(t, "x.ogg", changed)
	}
}
