package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// object is a JSON object.
type object map[string]any

// builder of documents: every value gets a view of its own in one buffer.
type testFile struct {
	doc    object
	data   []byte
	views  []any
	access []any
}

func newFile() *testFile {
	return &testFile{doc: object{"asset": object{"version": "2.0"}}}
}

func (f *testFile) view(b []byte) int {
	for len(f.data)%4 != 0 {
		f.data = append(f.data, 0xee)
	}
	f.views = append(f.views, object{"buffer": 0, "byteOffset": len(f.data), "byteLength": len(b)})
	f.data = append(f.data, b...)
	return len(f.views) - 1
}

// accessor adds numbers of any fixed-size type.
func (f *testFile) accessor(componentType int, shape string, count int, values any, more ...object) int {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err)
	}
	a := object{"bufferView": f.view(b.Bytes()), "componentType": componentType, "type": shape, "count": count}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	f.access = append(f.access, a)
	return len(f.access) - 1
}

func (f *testFile) positions(xyz ...float32) int {
	return f.accessor(5126, "VEC3", len(xyz)/3, xyz)
}

// text is the file as .gltf.
func (f *testFile) text() []byte {
	if len(f.data) > 0 {
		f.doc["buffers"] = []any{object{"byteLength": len(f.data),
			"uri": "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(f.data)}}
	}
	return f.json()
}

func (f *testFile) json() []byte {
	if f.views != nil {
		f.doc["bufferViews"] = f.views
	}
	if f.access != nil {
		f.doc["accessors"] = f.access
	}
	b, err := json.Marshal(f.doc)
	if err != nil {
		panic(err)
	}
	return b
}

// glb is the file as .glb.
func (f *testFile) glb() []byte {
	f.doc["buffers"] = []any{object{"byteLength": len(f.data)}}
	return glbOf(f.json(), f.data)
}

func glbOf(text, bin []byte) []byte {
	pad := func(b []byte, with byte) []byte {
		b = bytes.Clone(b)
		for len(b)%4 != 0 {
			b = append(b, with)
		}
		return b
	}
	text, bin = pad(text, ' '), pad(bin, 0)
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("glTF"), 2)
	out = le.AppendUint32(out, uint32(12+8+len(text)+8+len(bin)))
	out = append(le.AppendUint32(out, uint32(len(text))), "JSON"...)
	out = append(out, text...)
	out = append(le.AppendUint32(out, uint32(len(bin))), "BIN\x00"...)
	return append(out, bin...)
}

// triangle is a file with one triangle, for tests that change something else.
func triangle() *testFile {
	f := newFile()
	p := f.positions(0, 0, 0, 1, 0, 0, 0, 1, 0)
	f.doc["meshes"] = []any{object{"name": "m", "primitives": []any{object{"attributes": object{"POSITION": p}}}}}
	f.doc["nodes"] = []any{object{"mesh": 0}}
	f.doc["scenes"] = []any{object{"nodes": []any{0}}}
	return f
}

// load imports bytes that need no other file.
func load(t testing.TB, data []byte) *imported {
	t.Helper()
	return runBytes(t, nil, "dir/test.gltf", data)
}

// mustLoad is load for what must work.
func mustLoad(t testing.TB, f *testFile) *imported {
	t.Helper()
	out := load(t, f.text())
	if out.err != nil {
		t.Fatal(out.err)
	}
	return out
}

// pngOf is a picture of one colour per texel.
func pngOf(w, h int, at func(x, y int) color.NRGBA) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, at(x, y))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// flat is a picture of one colour.
func flat(w, h int, c color.NRGBA) []byte {
	return pngOf(w, h, func(x, y int) color.NRGBA { return c })
}
