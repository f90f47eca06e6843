package sound

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// The test files hold sines of amplitude 12000: 440 Hz, and 880 Hz on the
// right.
func TestMP3(t *testing.T) {
	for file, want := range map[string]struct{ rate, channels, frames int }{
		"mp3/stereo_24k.mp3": {24000, 2, 4800},
		"mp3/mono_44k.mp3":   {44100, 1, 8820},
		"mp3/no_tag_16k.mp3": {16000, 1, 9216},
	} {
		got := run(t, file)
		if got.err != nil {
			t.Fatal(got.err)
		}
		s := got.sound
		if int(s.Rate) != want.rate || int(s.Channels) != want.channels || s.Frames() != want.frames {
			t.Errorf("%s: %d channels, %d frames at %d", file, s.Channels, s.Frames(), s.Rate)
		}
		if peak := peakOf(s.Samples); math.Abs(peak-12000.0/32768) > 0.05 {
			t.Errorf("%s: peak %v", file, peak)
		}
	}
}

// What the encoder padded is gone: the sine starts where it started.
func TestMP3IsTrimmed(t *testing.T) {
	s := run(t, "mp3/mono_44k.mp3").sound
	worst := 0.0
	for i := 200; i < s.Frames()-200; i++ {
		want := 12000 * math.Sin(2*math.Pi*440*float64(i)/44100)
		worst = max(worst, math.Abs(float64(s.Samples[i])-want))
	}
	if worst > 1000 {
		t.Errorf("off by up to %v", worst)
	}
}

// The library would turn such frames into noise.
func TestMP3ThatTheLibraryMisreadsIsRefused(t *testing.T) {
	if got := run(t, "mp3/padded_22k.mp3"); got.err == nil || !strings.Contains(got.err.Error(), "22050") {
		t.Errorf("error %v", got.err)
	}
}

func TestCutMP3(t *testing.T) {
	for _, file := range []string{"mp3/stereo_24k.mp3", "mp3/mono_44k.mp3"} {
		b := read(t, file)
		for n := range b {
			if got := runBytes(t, "x.mp3", b[:n]); got.err == nil {
				t.Errorf("%s: the first %d of %d bytes loaded", file, n, len(b))
			}
		}
	}
}

func TestMP3Tags(t *testing.T) {
	b := read(t, "mp3/mono_44k.mp3")
	id3 := append([]byte("ID3\x04\x00\x00\x00\x00\x01\x00"), make([]byte, 128)...)
	for name, tt := range map[string]struct {
		data []byte
		want string // of the error; empty: it loads whole
	}{
		"ID3 before":     {append(bytes.Clone(id3), b...), ""},
		"two ID3 before": {bytes.Join([][]byte{id3, id3, b}, nil), ""},
		"ID3v1 after":    {append(bytes.Clone(b), append([]byte("TAG"), make([]byte, 125)...)...), ""},
		"zeros after":    {append(bytes.Clone(b), make([]byte, 999)...), ""},
		"junk before":    {append([]byte("some\xff\xfbjunk"), b...), ""},
		"junk after":     {append(bytes.Clone(b), "some junk"...), "damaged"},
		"junk between":   {bytes.Join([][]byte{b[:1000], []byte("xx"), b[1000:]}, nil), "damaged"},
		"huge ID3":       {append([]byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7f"), b...), "ID3 tag declares 268435455"},
		"empty":          {nil, "empty"},
		"text":           {[]byte("hello, this is text"), "no MP3 frame"},
	} {
		got := runBytes(t, "x.mp3", tt.data)
		if tt.want == "" && (got.err != nil || got.sound.Frames() != 8820) {
			t.Errorf("%s: %v, %d frames", name, got.err, got.sound.Frames())
		}
		if tt.want != "" && (got.err == nil || !strings.Contains(got.err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", name, got.err, tt.want)
		}
	}
}
