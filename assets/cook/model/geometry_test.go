package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sojourn/assets"
)

// mesh is the only mesh there must be.
func (i *imported) mesh(t *testing.T) assets.Mesh {
	t.Helper()
	return i.meshes[i.only(t).Mesh]
}

func TestModes(t *testing.T) {
	square := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}
	tests := []struct {
		name    string
		mode    any
		indices []uint8
		want    string // empty: skipped
	}{
		{"default", nil, []uint8{0, 1, 2, 2, 1, 3}, "[0 1 2 2 1 3]"},
		{"triangles", 4, []uint8{0, 1, 2, 2, 1, 3}, "[0 1 2 2 1 3]"},
		{"left over", 4, []uint8{0, 1, 2, 2, 1}, "[0 1 2]"},
		{"strip", 5, []uint8{0, 1, 2, 3}, "[0 1 2 2 1 3]"},
		{"strip with jump", 5, []uint8{0, 1, 2, 2, 1, 1, 3, 2}, "[0 1 2 3 1 2]"},
		{"fan", 6, []uint8{0, 1, 3, 2}, "[0 1 3 0 3 2]"},
		{"no indices", 4, nil, "[0 1 2]"},
		{"strip without indices", 5, nil, "[0 1 2 2 1 3]"},
		{"fan without indices", 6, nil, "[0 1 2 0 2 3]"},
		{"points", 0, nil, ""}, {"lines", 1, nil, ""}, {"loop", 2, nil, ""}, {"line strip", 3, nil, ""},
		{"too few", 4, []uint8{0, 1}, ""}, {"strip of two", 5, []uint8{0, 1}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := triangle()
			p := object{"attributes": object{"POSITION": f.positions(square...)}}
			if tt.mode != nil {
				p["mode"] = tt.mode
			}
			if tt.indices != nil {
				p["indices"] = f.accessor(5121, "SCALAR", len(tt.indices), tt.indices)
			}
			f.doc["meshes"] = []any{object{"primitives": []any{p}}}
			got := mustLoad(t, f)
			if tt.want == "" {
				if len(got.model.Parts) != 0 || !strings.Contains(strings.Join(got.warnings, ""), "mesh 0 primitive 0 was left out") {
					t.Errorf("parts %v, warnings %q", got.model.Parts, got.warnings)
				}
				return
			}
			if s := fmt.Sprint(got.mesh(t).Indices); s != tt.want {
				t.Errorf("indices %s, want %s", s, tt.want)
			}
		})
	}
}

func TestStripKeepsTheWinding(t *testing.T) {
	f := triangle()
	p := f.positions(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0)
	f.doc["meshes"] = []any{object{"primitives": []any{object{"attributes": object{"POSITION": p}, "mode": 5}}}}
	for i, v := range mustLoad(t, f).mesh(t).Vertices {
		if v.Normal != [3]float32{0, 0, 1} {
			t.Errorf("normal %d is %v", i, v.Normal)
		}
	}
}

func TestNormals(t *testing.T) {
	f := triangle()
	attributes := object{
		"POSITION": f.positions(0, 0, 0, 1, 0, 0, 0, 1, 0),
		"NORMAL":   f.accessor(5126, "VEC3", 3, []float32{0, 3, 0, 0, 0, 0, float32(math.NaN()), 0, 1}),
	}
	f.doc["meshes"] = []any{object{"primitives": []any{object{"attributes": attributes}}}}
	m := mustLoad(t, f).mesh(t)
	for i, want := range [][3]float32{{0, 1, 0}, {0, 0, 1}, {0, 0, 1}} {
		if m.Vertices[i].Normal != want {
			t.Errorf("normal %d is %v, want %v", i, m.Vertices[i].Normal, want)
		}
	}
}

func TestDegenerateTrianglesGetANormal(t *testing.T) {
	f := triangle()
	f.doc["meshes"] = []any{object{"primitives": []any{object{"attributes": object{"POSITION": f.positions(make([]float32, 9)...)}}}}}
	for _, v := range mustLoad(t, f).mesh(t).Vertices {
		if v.Normal != [3]float32{0, 1, 0} {
			t.Errorf("normal %v", v.Normal)
		}
	}
}

func TestComponentTypes(t *testing.T) {
	norm := object{"normalized": true}
	tests := []struct {
		name      string
		attribute string
		shape     string
		kind      int
		values    any // three elements
		more      object
		want      string // of the last vertex
	}{
		{"float uv", "TEXCOORD_0", "VEC2", 5126, []float32{0, 0, 0, 0, -1, 2.5}, nil, "[-1 2.5]"},
		{"u8 uv", "TEXCOORD_0", "VEC2", 5121, []uint8{0, 0, 0, 0, 255, 51}, norm, "[1 0.2]"},
		{"u16 uv", "TEXCOORD_0", "VEC2", 5123, []uint16{0, 0, 0, 0, 65535, 13107}, norm, "[1 0.2]"},
		{"i8 uv", "TEXCOORD_0", "VEC2", 5120, []int8{0, 0, 0, 0, -128, 127}, norm, "[-1 1]"},
		{"i16 uv", "TEXCOORD_0", "VEC2", 5122, []int16{0, 0, 0, 0, -32768, 32767}, norm, "[-1 1]"},
		{"plain u16 uv", "TEXCOORD_0", "VEC2", 5123, []uint16{0, 0, 0, 0, 7, 9}, nil, "[7 9]"},
		{"i8 position", "POSITION", "VEC3", 5120, []int8{0, 0, 0, 1, 0, 0, -127, -128, 127}, norm, "[-1 -1 1]"},
		{"plain i16 position", "POSITION", "VEC3", 5122, []int16{0, 0, 0, 1, 0, 0, -300, 4, 5}, nil, "[-300 4 5]"},
		{"u16 position", "POSITION", "VEC3", 5123, []uint16{0, 0, 0, 1, 0, 0, 65535, 0, 0}, norm, "[1 0 0]"},
		{"float colour 3", "COLOR_0", "VEC3", 5126, []float32{0, 0, 0, 0, 0, 0, 0.5, 2, -1}, nil, "[128 255 0 255]"},
		{"float colour 4", "COLOR_0", "VEC4", 5126, []float32{0, 0, 0, 0, 0, 0, 0, 0, 1, 0.2, 0, 0.4}, nil, "[255 51 0 102]"},
		{"u8 colour 4", "COLOR_0", "VEC4", 5121, []uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, norm, "[1 2 3 4]"},
		{"u8 colour, flag missing", "COLOR_0", "VEC4", 5121, []uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, nil, "[1 2 3 4]"},
		{"u16 colour 3", "COLOR_0", "VEC3", 5123, []uint16{0, 0, 0, 0, 0, 0, 65535, 257, 0}, norm, "[255 1 0 255]"},
		{"i8 normal", "NORMAL", "VEC3", 5120, []int8{0, 0, 1, 0, 0, 1, 127, 0, 0}, norm, "[1 0 0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := triangle()
			attributes := object{"POSITION": 0}
			attributes[tt.attribute] = f.accessor(tt.kind, tt.shape, 3, tt.values, tt.more)
			f.doc["meshes"] = []any{object{"primitives": []any{object{"attributes": attributes}}}}
			f.doc["extensionsUsed"], f.doc["extensionsRequired"] = []any{extQuantization}, []any{extQuantization}
			v := mustLoad(t, f).mesh(t).Vertices[2]
			got := map[string]string{
				"POSITION": fmt.Sprint(v.Pos), "NORMAL": fmt.Sprint(v.Normal),
				"TEXCOORD_0": fmt.Sprint(v.UV), "COLOR_0": fmt.Sprint(v.Color),
			}[tt.attribute]
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A mesh without attributes to speak of has white vertices and zero UVs.
func TestMissingAttributes(t *testing.T) {
	for _, v := range mustLoad(t, triangle()).mesh(t).Vertices {
		if v.UV != [2]float32{} || v.Color != [4]uint8{255, 255, 255, 255} {
			t.Errorf("vertex %+v", v)
		}
	}
}

// Applying sparse values must not change the file's bytes, which another
// accessor may show too.
func TestSparseLeavesTheBaseAlone(t *testing.T) {
	f := triangle()
	at := f.accessor(5121, "SCALAR", 1, []uint8{1})
	value := f.positions(9, 9, 9)
	f.access = append(f.access, object{
		"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3,
		"sparse": object{"count": 1, "indices": object{"bufferView": at, "componentType": 5121}, "values": object{"bufferView": value}},
	})
	f.doc["meshes"] = []any{
		object{"name": "changed", "primitives": []any{object{"attributes": object{"POSITION": 3}}}},
		object{"name": "plain", "primitives": []any{object{"attributes": object{"POSITION": 0}}}},
	}
	f.doc["nodes"] = []any{object{"mesh": 0}, object{"mesh": 1}}
	f.doc["scenes"] = []any{object{"nodes": []any{0, 1}}}
	got := mustLoad(t, f)
	got.checkMesh(t, "", [][]float32{{0, 0, 0}, {9, 9, 9}, {0, 1, 0}}, nil, nil, nil, "changed")
	got.checkMesh(t, "", [][]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, nil, nil, nil, "plain")
}
