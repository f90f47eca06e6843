package meshfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"sojourn/assets"
)

func triangle() ([]assets.Vertex, []uint32) {
	return []assets.Vertex{
		{Pos: [3]float32{0, 0, 0}, Normal: [3]float32{0, 0, 1}, UV: [2]float32{0, 0}, Color: [4]uint8{1, 2, 3, 4}},
		{Pos: [3]float32{1, 0, 0}, Normal: [3]float32{0, 0, 1}, UV: [2]float32{1, 0}, Color: [4]uint8{5, 6, 7, 8}},
		{Pos: [3]float32{0, 1, 2}, Normal: [3]float32{0, 0, 1}, UV: [2]float32{0, 1}, Color: [4]uint8{9, 10, 11, 12}},
	}, []uint32{0, 1, 2}
}

func encoded(t testing.TB) []byte {
	t.Helper()
	b, err := Encode(triangle())
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

func TestVertexLayout(t *testing.T) {
	var v assets.Vertex
	for what, c := range map[string][2]uintptr{
		"size":   {unsafe.Sizeof(v), assets.VertexBytes},
		"align":  {unsafe.Alignof(v), 4},
		"normal": {unsafe.Offsetof(v.Normal), 12},
		"uv":     {unsafe.Offsetof(v.UV), 24},
		"color":  {unsafe.Offsetof(v.Color), 32},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %d, files have %d", what, c[0], c[1])
		}
	}
}

func genMesh(t *rapid.T) ([]assets.Vertex, []uint32) {
	number := rapid.Float32Range(-1e6, 1e6)
	v := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) assets.Vertex {
		var v assets.Vertex
		for _, f := range vertexFloats(&v) {
			*f = number.Draw(t, "number")
		}
		for i := range v.Color {
			v.Color[i] = rapid.Uint8().Draw(t, "color")
		}
		return v
	}), 1, 20).Draw(t, "vertices")
	corner := rapid.Uint32Range(0, uint32(len(v)-1))
	idx := rapid.SliceOfN(corner, 3, 60).Draw(t, "indices")
	return v, idx[:len(idx)/3*3]
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, idx := genMesh(t)
		file, err := Encode(v, idx)
		if err != nil {
			t.Fatal(err)
		}
		// At every shift: views where they can be, copies elsewhere.
		for shift := range 4 {
			l := &lease{b: aligned(file, shift)}
			m, err := Decode(assets.LeaseBytes(l))
			if err != nil {
				t.Fatal(err)
			}
			view := unsafe.Pointer(&m.Vertices[0]) == unsafe.Pointer(&l.b[headerBytes])
			if view != (shift == 0) || m.Data.Mapped() != view || l.released != btoi(!view) {
				t.Fatalf("shift %d: view %v, mapped %v, released %d", shift, view, m.Data.Mapped(), l.released)
			}
			if !equal(m.Vertices, v) || !equal(m.Indices, idx) || m.Bounds != BoundsOf(v) {
				t.Fatalf("shift %d: got %+v", shift, m)
			}
			m.Data.Free()
			if l.released != 1 {
				t.Fatalf("shift %d: released %d times", shift, l.released)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func equal[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestDecodeDoesNotCopyAlignedBytes(t *testing.T) {
	v := make([]assets.Vertex, 10_000)
	idx := make([]uint32, 30_000)
	file, err := Encode(v, idx)
	if err != nil {
		t.Fatal(err)
	}
	data := assets.OwnBytes(aligned(file, 0))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Decode(data)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("decoding %d bytes allocated %d", len(file), n)
	}
	if m.PayloadBytes() != 10_000*assets.VertexBytes+30_000*4 {
		t.Errorf("payload of %d bytes", m.PayloadBytes())
	}
}

func TestBounds(t *testing.T) {
	if b := BoundsOf(nil); b != (assets.Bounds{}) {
		t.Errorf("of nothing: %+v", b)
	}
	v, _ := triangle()
	b := BoundsOf(v)
	if b.Min != [3]float32{0, 0, 0} || b.Max != [3]float32{1, 1, 2} || b.Center != [3]float32{0.5, 0.5, 1} {
		t.Errorf("box %+v", b)
	}
	if want := float32(math.Sqrt(1.5)); math.Abs(float64(b.Radius-want)) > 1e-6 {
		t.Errorf("radius %g, want %g", b.Radius, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		v, _ := genMesh(t)
		b := BoundsOf(v)
		if err := checkInside(v, 0, &b); err != nil {
			t.Fatal(err)
		}
	})
}

func TestEncodeRefuses(t *testing.T) {
	v, idx := triangle()
	bad := func(set func(*assets.Vertex)) []assets.Vertex {
		v, _ := triangle()
		set(&v[1])
		return v
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, c := range map[string]struct {
		v       []assets.Vertex
		idx     []uint32
		want    error
		mention string
	}{
		"nothing":          {nil, nil, assets.ErrCorrupt, "no triangles"},
		"no indices":       {v, nil, assets.ErrCorrupt, "no triangles"},
		"part triangle":    {v, []uint32{0, 1, 2, 0}, assets.ErrCorrupt, "4 indices"},
		"index":            {v, []uint32{0, 1, 3}, assets.ErrCorrupt, "index 2 names vertex 3 of 3"},
		"nan":              {bad(func(v *assets.Vertex) { v.Pos[2] = nan }), idx, assets.ErrCorrupt, "vertex 1: position NaN"},
		"infinite":         {bad(func(v *assets.Vertex) { v.Pos[0] = inf }), idx, assets.ErrCorrupt, "vertex 1: position -Inf"},
		"far":              {bad(func(v *assets.Vertex) { v.Pos[0] = 2e12 }), idx, assets.ErrCorrupt, "vertex 1: position 2e+12"},
		"normal":           {bad(func(v *assets.Vertex) { v.Normal[0] = nan }), idx, assets.ErrCorrupt, "normal"},
		"uv":               {bad(func(v *assets.Vertex) { v.UV[1] = inf }), idx, assets.ErrCorrupt, "texture coordinates"},
		"too many indices": {v, make([]uint32, assets.MeshIndicesMax+2), assets.ErrTooLarge, "16777218 indices"},
	} {
		_, err := Encode(c.v, c.idx)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.mention) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func put32(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
}

func putFloat(at int, x float64) func([]byte) []byte {
	return put32(at, math.Float32bits(float32(x)))
}

const indicesOfTriangle = 176 // 64 + 3 x 36 = 172, rounded up

var hostile = []struct {
	name    string
	change  func([]byte) []byte
	want    error
	mention string
}{
	{"empty", func([]byte) []byte { return nil }, assets.ErrCorrupt, "0 bytes"},
	{"magic", func(b []byte) []byte { b[0] = 'x'; return b }, assets.ErrCorrupt, "not a mesh file"},
	{"version", put32(atVersion, 2), assets.ErrCorrupt, "version 2"},
	{"no vertices", put32(atVertices, 0), assets.ErrCorrupt, "no triangles"},
	{"huge", put32(atVertices, math.MaxUint32), assets.ErrTooLarge, "4294967295 vertices"},
	{"large", put32(atVertices, assets.MeshVerticesMax), assets.ErrCorrupt, "indices at 176"},
	{"huge indices", put32(atIndices, math.MaxUint32), assets.ErrTooLarge, "4294967295 indices"},
	{"large indices", put32(atIndices, 3<<20), assets.ErrCorrupt, "bytes, want"},
	{"part triangle", put32(atIndices, 2), assets.ErrCorrupt, "whole triangles"},
	{"vertices moved", put32(atVerticesStart, 0), assets.ErrCorrupt, "vertices at 0"},
	{"indices moved", put32(atIndicesStart, 172), assets.ErrCorrupt, "indices at 172"},
	{"behind", func(b []byte) []byte { return append(b, 0) }, assets.ErrCorrupt, "189 bytes, want 188"},
	{"padding", func(b []byte) []byte { b[173] = 1; return b }, assets.ErrCorrupt, "padding"},
	{"index", put32(indicesOfTriangle+4, 3), assets.ErrCorrupt, "index 1 names vertex 3 of 3"},
	{"nan", putFloat(headerBytes+4, math.NaN()), assets.ErrCorrupt, "vertex 0: position NaN"},
	{"infinite", putFloat(headerBytes+assets.VertexBytes, math.Inf(1)), assets.ErrCorrupt, "vertex 1: position +Inf"},
	{"normal", putFloat(headerBytes+12, math.NaN()), assets.ErrCorrupt, "vertex 0: normal"},
	{"bounds nan", putFloat(atBounds, math.NaN()), assets.ErrCorrupt, "bounds of axis 0"},
	{"bounds infinite", putFloat(atBounds+12, math.Inf(1)), assets.ErrCorrupt, "bounds of axis 0"},
	{"bounds turned", putFloat(atBounds, 5), assets.ErrCorrupt, "bounds of axis 0"},
	{"radius nan", putFloat(atBounds+36, math.NaN()), assets.ErrCorrupt, "bounding radius"},
	{"radius negative", putFloat(atBounds+36, -1), assets.ErrCorrupt, "bounding radius"},
	{"small box", putFloat(atBounds+12, 0.75), assets.ErrCorrupt, "outside the bounds"},
	{"small sphere", putFloat(atBounds+36, 1), assets.ErrCorrupt, "bounding sphere"},
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

func TestYieldEndsDecode(t *testing.T) {
	stop := errors.New("stop")
	v := make([]assets.Vertex, 3*verticesPerChunk)
	idx := make([]uint32, 3*indicesPerChunk)
	file, err := Encode(v, idx)
	if err != nil {
		t.Fatal(err)
	}
	for shift := range 2 {
		data := aligned(file, shift)
		calls := 0
		if _, err := DecodeChunks(assets.OwnBytes(data), func() error { calls++; return nil }); err != nil {
			t.Fatal(err)
		}
		if want := 6 * (1 + shift); calls != want {
			t.Errorf("shift %d: %d yields, want %d", shift, calls, want)
		}
		for last := range calls {
			l := &lease{b: data}
			n := 0
			_, err := DecodeChunks(assets.LeaseBytes(l), func() error {
				if n++; n > last {
					return stop
				}
				return nil
			})
			if !errors.Is(err, stop) || l.released != 0 {
				t.Errorf("shift %d, stop after %d: %v, released %d", shift, last, err, l.released)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f))
	for _, c := range hostile {
		f.Add(c.change(encoded(f)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(assets.OwnBytes(b))
		if err != nil {
			if !errors.Is(err, assets.ErrCorrupt) && !errors.Is(err, assets.ErrTooLarge) {
				t.Fatalf("unsorted error: %v", err)
			}
			return
		}
		again, err := Encode(m.Vertices, m.Indices)
		if err != nil {
			t.Fatal(err)
		}
		// The bounds may be wider than they need to be; the rest is the same.
		if !bytes.Equal(again[:atBounds], b[:atBounds]) || !bytes.Equal(again[headerBytes:], b[headerBytes:]) {
			t.Fatal("encoding again gives other bytes")
		}
	})
}
