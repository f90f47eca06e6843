package ktx2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sojourn/assets"
)

var update = flag.Bool("update", false, "rewrite golden files")

// chain makes a full mip chain whose every byte says level and place.
func chain(w, h int, srgb, alpha bool) *Levels {
	l := &Levels{Width: w, Height: h, SRGB: srgb, HasAlpha: alpha}
	for i := range LevelCount(w, h) {
		lw, lh := LevelSize(w, h, i)
		p := make([]byte, lw*lh*texelBytes)
		for at := range p {
			p[at] = byte(i*31 + at)
		}
		l.Pixels = append(l.Pixels, p)
	}
	return l
}

func encode(t testing.TB, l *Levels) []byte {
	t.Helper()
	b, err := Encode(l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parse(b []byte) (assets.Texture, error) { return Parse(bytes.NewReader(b), int64(len(b))) }

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := chain(rapid.IntRange(1, 70).Draw(t, "width"), rapid.IntRange(1, 70).Draw(t, "height"),
			rapid.Bool().Draw(t, "srgb"), rapid.Bool().Draw(t, "alpha"))
		b, err := Encode(l)
		if err != nil {
			t.Fatal(err)
		}
		tex, err := parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if int(tex.Width) != l.Width || int(tex.Height) != l.Height || int(tex.Levels) != len(l.Pixels) ||
			tex.SRGB != l.SRGB || tex.HasAlpha != l.HasAlpha || tex.TailLevel != tex.Levels || tex.Tail.Len() != 0 {
			t.Fatalf("parsed %+v", tex)
		}
		for i, want := range l.Pixels {
			m := tex.Mips[i]
			w, h := LevelSize(l.Width, l.Height, i)
			if int(m.Width) != w || int(m.Height) != h || m.OffsetBytes%levelAlignBytes != 0 {
				t.Fatalf("level %d is %+v", i, m)
			}
			if got := b[m.OffsetBytes : m.OffsetBytes+m.SizeBytes]; !bytes.Equal(got, want) {
				t.Fatalf("level %d has other pixels", i)
			}
			// A suffix read from this level on holds every coarser level.
			off, n := tex.SuffixSpan(int32(i))
			for coarser := int32(i); coarser < tex.Levels; coarser++ {
				if !bytes.Equal(tex.LevelIn(b[off:off+n], coarser), l.Pixels[coarser]) {
					t.Fatalf("level %d in the suffix from %d has other pixels", coarser, i)
				}
			}
		}
	})
}

func TestGolden(t *testing.T) {
	for name, l := range map[string]*Levels{
		"srgb_5x3_alpha.ktx2":   chain(5, 3, true, true),
		"unorm_4x4_opaque.ktx2": chain(4, 4, false, false),
		"srgb_1x1.ktx2":         chain(1, 1, true, false),
	} {
		path := filepath.Join("testdata", name)
		got := encode(t, l)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the encoder's bytes changed", name)
		}
	}
}

func TestLargestEdges(t *testing.T) {
	for _, size := range [][2]int{{assets.TextureEdgeMax, 1}, {1, assets.TextureEdgeMax}} {
		tex, err := parse(encode(t, chain(size[0], size[1], true, false)))
		if err != nil || tex.Levels != assets.MipsMax {
			t.Errorf("%v: %d levels, %v", size, tex.Levels, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	short := chain(4, 4, true, false)
	short.Pixels = short.Pixels[:2]
	cut := chain(4, 4, true, false)
	cut.Pixels[1] = cut.Pixels[1][1:]
	for name, c := range map[string]struct {
		l    *Levels
		want error
	}{
		"no size":       {&Levels{}, assets.ErrCorrupt},
		"negative size": {&Levels{Width: -1, Height: 4}, assets.ErrCorrupt},
		"too wide":      {&Levels{Width: assets.TextureEdgeMax + 1, Height: 1}, assets.ErrTooLarge},
		"short chain":   {short, assets.ErrCorrupt},
		"cut level":     {cut, assets.ErrCorrupt},
	} {
		if _, err := Encode(c.l); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTruncationAtEveryByte(t *testing.T) {
	b := encode(t, chain(3, 2, true, true))
	for n := range b {
		if _, err := parse(b[:n]); !errors.Is(err, assets.ErrCorrupt) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
		}
		// The source declares more than it has.
		if _, err := Parse(bytes.NewReader(b[:n]), int64(len(b))); n < int(pixelsStart(b)) && !errors.Is(err, assets.ErrCorrupt) {
			t.Fatalf("only %d of %d declared bytes: %v", n, len(b), err)
		}
	}
}

// pixelsStart is where the smallest level begins.
func pixelsStart(b []byte) int64 {
	levels := binary.LittleEndian.Uint32(b[atLevels:])
	return int64(binary.LittleEndian.Uint64(b[headerBytes+(levels-1)*levelEntryBytes:]))
}

func put32(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
}

func put64(at int, v uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
}

func put8(at int, v byte) func([]byte) []byte {
	return func(b []byte) []byte { b[at] = v; return b }
}

// hostile are changes to the file of chain(4, 4, sRGB, alpha): three levels.
var hostile = []struct {
	name    string
	change  func([]byte) []byte
	want    error
	mention string
}{
	{"identifier", put8(1, 'x'), assets.ErrCorrupt, "not a KTX 2.0"},
	{"format", put32(atFormat, 131), assets.ErrCorrupt, "vkFormat 131"},
	{"type size", put32(atTypeSize, 4), assets.ErrCorrupt, "typeSize"},
	{"no width", put32(atWidth, 0), assets.ErrCorrupt, "0x4"},
	{"gigapixels", put32(atWidth, 1<<31), assets.ErrTooLarge, "2147483648x4"},
	{"one over", put32(atHeight, assets.TextureEdgeMax+1), assets.ErrTooLarge, "16385"},
	{"3D", put32(atDepth, 1), assets.ErrCorrupt, "depth 1"},
	{"array", put32(atLayers, 2), assets.ErrCorrupt, "layers 2"},
	{"cube", put32(atFaces, 6), assets.ErrCorrupt, "faces 6"},
	{"no levels", put32(atLevels, 0), assets.ErrCorrupt, "0 levels"},
	{"part of a chain", put32(atLevels, 2), assets.ErrCorrupt, "full chain of 3"},
	{"many levels", put32(atLevels, 1<<31), assets.ErrCorrupt, "2147483648 levels"},
	{"supercompressed", put32(atScheme, 2), assets.ErrCorrupt, "supercompression scheme 2"},
	{"global data", put64(atGlobalBytes, 8), assets.ErrCorrupt, "supercompression data"},
	{"descriptor moved", put32(atDFDOffset, 0), assets.ErrCorrupt, "descriptor at bytes 0"},
	{"descriptor huge", put32(atDFDBytes, 0xFFFFFFFF), assets.ErrCorrupt, "at most"},
	{"descriptor small", put32(atDFDBytes, 44), assets.ErrCorrupt, "want at least"},
	{"descriptor total", put32(152, 91), assets.ErrCorrupt, "says 91"},
	{"descriptor vendor", put32(156, 5), assets.ErrCorrupt, "not a basic"},
	{"descriptor block", put8(156+6, 40), assets.ErrCorrupt, "of 40 bytes"},
	{"descriptor model", put8(156+8, 166), assets.ErrCorrupt, "colour model 166"},
	{"descriptor transfer", put8(156+10, 1), assets.ErrCorrupt, "transfer function 1"},
	{"straight alpha", put8(156+11, 0), assets.ErrCorrupt, "not premultiplied"},
	{"descriptor blocks", put8(156+12, 3), assets.ErrCorrupt, "texel blocks"},
	{"swapped channels", put8(156+24+3, 2), assets.ErrCorrupt, "sample 0"},
	{"key values early", put32(atKeyValOffset, 80), assets.ErrCorrupt, "key/value data at"},
	{"key values huge", put32(atKeyValBytes, 0xFFFFFFF0), assets.ErrCorrupt, "at most"},
	{"key values outside", put32(atKeyValBytes, 60000), assets.ErrCorrupt, "key/value data at"},
	{"pair too long", put32(244, 0xFFFFFFFF), assets.ErrCorrupt, "key/value pair of 4294967295"},
	{"pair empty", put32(244, 0), assets.ErrCorrupt, "key/value pair of 0"},
	{"pair without key", put8(248, 0), assets.ErrCorrupt, "without a key"},
	{"bottom up", put8(248+15+1, 'u'), assets.ErrCorrupt, "KTXorientation"},
	{"level size", put64(headerBytes+8, 60), assets.ErrCorrupt, "level 0 (4x4) has 60"},
	{"level unpacked size", put64(headerBytes+16, 1<<62), assets.ErrCorrupt, "unpacked"},
	{"level outside", put64(headerBytes, 1<<63), assets.ErrCorrupt, "level 0 at bytes"},
	{"level wraps", put64(headerBytes, 1<<64-32), assets.ErrCorrupt, "level 0 at bytes"},
	{"level in the header", put64(headerBytes+2*levelEntryBytes, 0), assets.ErrCorrupt, "levels start"},
	{"levels overlap", put64(headerBytes, 320), assets.ErrCorrupt, "smallest first"},
	{"bytes behind", func(b []byte) []byte { return append(b, 0, 0, 0, 0) }, assets.ErrCorrupt, "after the last level"},
}

func TestHostileFilesAreRefused(t *testing.T) {
	for _, c := range hostile {
		b := c.change(encode(t, chain(4, 4, true, true)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parse(b)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.mention) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
			t.Errorf("%s: allocated %d bytes", c.name, n)
		}
	}
}

func TestAlphaIsAssumed(t *testing.T) {
	b := encode(t, chain(4, 4, true, false))
	if tex, err := parse(b); err != nil || tex.HasAlpha {
		t.Fatalf("opaque: %v, %v", tex.HasAlpha, err)
	}
	b[bytes.Index(b, []byte(keyAlpha))] = 'x' // another writer's key
	if tex, err := parse(b); err != nil || !tex.HasAlpha {
		t.Errorf("without the key: %v, %v", tex.HasAlpha, err)
	}
	put32(atKeyValOffset, 0)(b)
	put32(atKeyValBytes, 0)(b)
	if tex, err := parse(b); err != nil || !tex.HasAlpha {
		t.Errorf("without key/value data: %v, %v", tex.HasAlpha, err)
	}
}

// brokenReader fails like a disk does.
type brokenReader struct{ err error }

func (r brokenReader) ReadAt([]byte, int64) (int, error) { return 0, r.err }

func TestReadFailuresPassThrough(t *testing.T) {
	disk := errors.New("disk on fire")
	if _, err := Parse(brokenReader{disk}, 1000); !errors.Is(err, disk) || errors.Is(err, assets.ErrCorrupt) {
		t.Errorf("disk failure: %v", err)
	}
	if _, err := Parse(brokenReader{io.EOF}, 1000); !errors.Is(err, assets.ErrCorrupt) {
		t.Errorf("short source: %v", err)
	}
	if _, err := Parse(brokenReader{nil}, -5); !errors.Is(err, assets.ErrCorrupt) {
		t.Errorf("negative size: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, size := range [][2]int{{1, 1}, {4, 4}, {5, 3}, {64, 1}} {
		f.Add(encode(f, chain(size[0], size[1], true, true)))
		f.Add(encode(f, chain(size[0], size[1], false, false)))
	}
	for _, c := range hostile {
		f.Add(c.change(encode(f, chain(4, 4, true, true))))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tex, err := parse(b)
		if err != nil {
			if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
				t.Fatalf("unsorted error: %v", err)
			}
			return
		}
		off, n := tex.SuffixSpan(0)
		if off < 0 || off+n != int64(len(b)) {
			t.Fatalf("levels at %d+%d of %d", off, n, len(b))
		}
		// What is accepted can be written again and means the same.
		l := &Levels{Width: int(tex.Width), Height: int(tex.Height), SRGB: tex.SRGB, HasAlpha: tex.HasAlpha}
		for i := range tex.Levels {
			l.Pixels = append(l.Pixels, tex.LevelIn(b[off:], i))
		}
		again, err := parse(encode(t, l))
		if err != nil || again.Width != tex.Width || again.SRGB != tex.SRGB || again.HasAlpha != tex.HasAlpha {
			t.Fatalf("again: %+v, %v", again, err)
		}
	})
}
