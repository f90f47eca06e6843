package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"math"
	"runtime"
	"strings"
	"testing"

	"sojourn/assets"
)

// allocated is what f takes, in bytes, freed or not.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

const allocatedMax = 64 << 20

func TestHostileDocuments(t *testing.T) {
	set := func(table string, i int, key string, value any) func(*testFile) {
		return func(f *testFile) {
			switch table {
			case "accessors":
				f.access[i].(object)[key] = value
			case "bufferViews":
				f.views[i].(object)[key] = value
			default:
				f.doc[table].([]any)[i].(object)[key] = value
			}
		}
	}
	top := func(key string, value any) func(*testFile) { return func(f *testFile) { f.doc[key] = value } }
	attribute := func(name string, kind int, shape string, count int, values any) func(*testFile) {
		return func(f *testFile) {
			a := f.accessor(kind, shape, count, values)
			f.doc["meshes"] = []any{object{"primitives": []any{object{"attributes": object{"POSITION": 0, name: a}}}}}
		}
	}
	indices := func(kind, count int, values any, more ...object) func(*testFile) {
		return func(f *testFile) {
			a := f.accessor(kind, "SCALAR", count, values, more...)
			f.doc["meshes"] = []any{object{"primitives": []any{object{"attributes": object{"POSITION": 0}, "indices": a}}}}
		}
	}
	const big = math.MaxInt
	tests := []struct {
		name   string
		change func(*testFile)
		want   string
	}{
		{"count over the limit", set("accessors", 0, "count", 1<<40), "accessor 0: count 1099511627776, limit"},
		{"count over the limit without a view", func(f *testFile) {
			delete(f.access[0].(object), "bufferView")
			f.access[0].(object)["count"] = assets.MeshVerticesMax + 1
		}, "accessor 0"},
		{"count over the view", set("accessors", 0, "count", 4), "accessor 0"},
		{"negative count", set("accessors", 0, "count", -1), "accessor 0: count -1"},
		{"no count", set("accessors", 0, "count", 0), "accessor 0: count 0"},
		{"negative offset", set("accessors", 0, "byteOffset", -4), "accessor 0"},
		{"offset overflow", set("accessors", 0, "byteOffset", big), "accessor 0"},
		{"no such view", set("accessors", 0, "bufferView", 99), "accessor 0: bufferView 99 does not exist"},
		{"negative view", set("accessors", 0, "bufferView", -1), "bufferView -1"},
		{"unknown component type", set("accessors", 0, "componentType", 5124), "accessor 0: unknown componentType 5124"},
		{"matrix positions", set("accessors", 0, "type", "MAT3"), "accessor 0: type MAT3"},
		{"scalar positions", set("accessors", 0, "type", "SCALAR"), "accessor 0"},
		{"unknown type", set("accessors", 0, "type", "VEC9"), "VEC9"},
		{"uint positions", set("accessors", 0, "componentType", 5125), "accessor 0"},
		{"view past the buffer", set("bufferViews", 0, "byteLength", 37), "bufferView 0"},
		{"view offset overflow", set("bufferViews", 0, "byteOffset", big), "bufferView 0"},
		{"negative view offset", set("bufferViews", 0, "byteOffset", -1), "bufferView 0"},
		{"negative view length", set("bufferViews", 0, "byteLength", -36), "bufferView 0"},
		{"stride under the element", set("bufferViews", 0, "byteStride", 8), "byteStride 8"},
		{"huge stride", set("bufferViews", 0, "byteStride", big), "byteStride"},
		{"no such buffer", set("bufferViews", 0, "buffer", 1), "buffer 1 does not exist"},
		{"NaN position", attribute("POSITION", 5126, "VEC3", 3, []float32{0, 0, 0, 0, float32(math.NaN()), 0, 0, 0, 0}), "position 1"},
		{"infinite position", attribute("POSITION", 5126, "VEC3", 3, []float32{0, 0, 0, 0, 0, 0, float32(math.Inf(1)), 0, 0}), "position 2"},
		{"far position", attribute("POSITION", 5126, "VEC3", 3, []float32{1e30, 0, 0, 0, 0, 0, 0, 0, 0}), "position 0"},
		{"too few UVs", attribute("TEXCOORD_0", 5126, "VEC2", 2, make([]float32, 4)), "accessor 1: count 2, but there are 3 positions"},
		{"vec3 UVs", attribute("TEXCOORD_0", 5126, "VEC3", 3, make([]float32, 9)), "accessor 1"},
		{"too many normals", attribute("NORMAL", 5126, "VEC3", 4, make([]float32, 12)), "accessor 1"},
		{"vec2 colours", attribute("COLOR_0", 5126, "VEC2", 3, make([]float32, 6)), "accessor 1"},
		{"index out of range", indices(5121, 3, []uint8{0, 1, 3}), "accessor 1: index 3 (number 2)"},
		{"restart index", indices(5125, 3, []uint32{0, 1, math.MaxUint32}), "accessor 1: index 4294967295"},
		{"float indices", indices(5126, 3, make([]float32, 3)), "accessor 1"},
		{"signed indices", indices(5122, 3, make([]int16, 3)), "accessor 1"},
		{"vec2 indices", indices(5121, 3, make([]uint8, 6), object{"type": "VEC2"}), "accessor 1"},
		{"index count over the limit", indices(5121, 3, make([]uint8, 3), object{"count": assets.MeshIndicesMax + 1}), "accessor 1"},
		{"no such accessor", top("meshes", []any{object{"primitives": []any{object{"attributes": object{"POSITION": 7}}}}}), "accessor 7 does not exist"},
		{"negative accessor", top("meshes", []any{object{"primitives": []any{object{"attributes": object{"POSITION": -7}}}}}), "accessor -7"},
		{"unknown mode", top("meshes", []any{object{"primitives": []any{object{"attributes": object{"POSITION": 0}, "mode": 7}}}}), "mode 7"},
		{"no such material", top("meshes", []any{object{"primitives": []any{object{"attributes": object{"POSITION": 0}, "material": 3}}}}), "material 3"},
		{"null primitive", top("meshes", []any{object{"primitives": []any{nil}}}), "primitive 0 is null"},
		{"null node", top("nodes", []any{nil}), "node 0 is null"},
		{"null buffer", top("buffers", []any{nil}), ""},
		{"no such mesh", set("nodes", 0, "mesh", 1), "node 0: mesh 1"},
		{"no such node", top("scenes", []any{object{"nodes": []any{5}}}), "scene 0: node 5"},
		{"no such scene", top("scene", 4), "scene 4"},
		{"node twice", top("scenes", []any{object{"nodes": []any{0, 0}}}), "node 0 is in the scene twice"},
		{"no such child", set("nodes", 0, "children", []any{3}), "child 3"},
		{"own child", set("nodes", 0, "children", []any{0}), "node 0 is its own ancestor"},
		{"cycle", top("nodes", []any{object{"children": []any{1}}, object{"children": []any{2}}, object{"children": []any{0}}}), "its own ancestor"},
		{"cycle out of sight", top("nodes", []any{object{"mesh": 0}, object{"children": []any{2}}, object{"children": []any{1}}}), "its own ancestor"},
		{"two parents", top("nodes", []any{object{"children": []any{1, 2}}, object{"children": []any{2}}, object{}}), "node 2 has two parents, 0 and 1"},
		{"child twice", top("nodes", []any{object{"children": []any{1, 1}}, object{}}), "node 1 has two parents"},
		{"huge scale", set("nodes", 0, "scale", []any{1e300, 1, 1}), "node 0"},
		{"huge product", top("nodes", []any{object{"children": []any{1}, "scale": []any{1e10, 1e10, 1e10}}, object{"scale": []any{1e10, 1, 1}}}), "node 1"},
		{"projection matrix", set("nodes", 0, "matrix", []any{1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), "last row"},
		{"old version", top("asset", object{"version": "1.0"}), `version "1.0"`},
		{"future version", top("asset", object{"version": "2.1", "minVersion": "2.1"}), `"2.1"`},
		{"wrong type", top("nodes", "x"), "JSON at 1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := triangle()
			tt.change(f)
			text := f.text()
			if tt.name == "null buffer" {
				text = bytes.Replace(text, []byte(`"buffers":[{`), []byte(`"buffers":[null,{`), 1)
			}
			var got *imported
			if n := allocated(func() { got = load(t, text) }); n > allocatedMax {
				t.Errorf("allocated %d bytes", n)
			}
			if got.err == nil {
				t.Fatal("it loaded")
			}
			if !strings.Contains(got.err.Error(), tt.want) || !strings.HasPrefix(got.err.Error(), "dir/test.gltf: ") {
				t.Errorf("error %q, want %q", got.err, tt.want)
			}
		})
	}
}

func TestHostileBuffers(t *testing.T) {
	for name, tt := range map[string]struct {
		buffer object
		want   string
		is     error
	}{
		"huge":                            {object{"byteLength": math.MaxInt, "uri": "data:;base64,AAAA"}, "buffer 0", assets.ErrTooLarge},
		"no length":                       {object{"uri": "data:;base64,AAAA"}, "byteLength 0", assets.ErrCorrupt},
		"negative":                        {object{"byteLength": -1, "uri": "data:;base64,AAAA"}, "byteLength -1", assets.ErrCorrupt},
		"no bytes":                        {object{"byteLength": 36}, "neither", assets.ErrCorrupt},
		"no comma":                        {object{"byteLength": 36, "uri": "data:;base64"}, "comma", assets.ErrCorrupt},
		"not base64":                      {object{"byteLength": 36, "uri": "data:text/plain,aaaa"}, "base64", assets.ErrCorrupt},
		"short":                           {object{"byteLength": 36, "uri": "data:;base64,AAAA"}, "36 bytes are declared, its data URI has 3", assets.ErrCorrupt},
		"nul":                             {object{"byteLength": 36, "uri": "a%00b"}, "not allowed", assets.ErrCorrupt},
		"folder":                          {object{"byteLength": 36, "uri": "."}, "", assets.ErrCorrupt},
		"UNC":                             {object{"byteLength": 36, "uri": `\\host\share`}, "not allowed", assets.ErrCorrupt},
		"root":                            {object{"byteLength": 36, "uri": "../.."}, "outside", assets.ErrCorrupt},
		"encoded climb after a good name": {object{"byteLength": 36, "uri": "a/..%2f..%2F../x"}, "outside", assets.ErrCorrupt},
		"encoded scheme":                  {object{"byteLength": 36, "uri": "file%3A///x"}, "not allowed", assets.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			f := triangle()
			f.data = nil
			f.doc["buffers"] = []any{tt.buffer}
			got := load(t, f.text())
			if got.err == nil || !errors.Is(got.err, tt.is) || !strings.Contains(got.err.Error(), tt.want) {
				t.Errorf("error %v, want %q", got.err, tt.want)
			}
		})
	}
}

func TestHostileContainers(t *testing.T) {
	good := triangle().glb()
	if got := load(t, good); got.err != nil {
		t.Fatal(got.err)
	}
	// A file that ends anywhere is an error, never a part of a model.
	for n := range good {
		if got := load(t, good[:n]); got.err == nil {
			t.Errorf("the first %d of %d bytes loaded", n, len(good))
		}
	}
	change := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":            {nil, "empty"},
		"version 1":        {change(4, 1), "version 1"},
		"total too big":    {change(8, uint32(len(good)+1)), "truncated"},
		"total too small":  {change(8, 3), "truncated"},
		"huge chunk":       {change(12, math.MaxUint32), "chunk 0 declares 4294967295"},
		"first not JSON":   {change(16, 0x004e4942), "not JSON"},
		"not JSON at all":  {[]byte("hello"), "JSON at 1:"},
		"syntax":           {[]byte("{\n \"asset\": {},\n x}"), "JSON at 3:2"},
		"array":            {[]byte("[]"), "JSON"},
		"endless nesting":  {bytes.Repeat([]byte("["), 1<<20), "JSON"},
		"number too large": {[]byte(`{"asset":{"version":"2.0"},"scene":1e99}`), "JSON"},
	} {
		got := load(t, tt.data)
		if got.err == nil || !strings.Contains(got.err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, got.err, tt.want)
		}
	}
}

func TestByteOrderMarkIsTolerated(t *testing.T) {
	if got := load(t, append([]byte("\xef\xbb\xbf"), triangle().text()...)); got.err != nil {
		t.Error(got.err)
	}
}

// Accessors without bytes behind them cost memory for nothing; the totals stop
// that.
func TestTotalsAreBounded(t *testing.T) {
	f := triangle()
	f.access = []any{object{"componentType": 5126, "type": "VEC3", "count": 1 << 20}}
	var primitives []any
	for range 100 {
		primitives = append(primitives, object{"attributes": object{"POSITION": 0}})
	}
	f.doc["meshes"] = []any{object{"primitives": primitives}}
	f.data, f.views = nil, nil
	if got := load(t, f.text()); !errors.Is(got.err, assets.ErrTooLarge) || !strings.Contains(got.err.Error(), fmt.Sprint(verticesTotalMax)) {
		t.Errorf("error %v", got.err)
	}
}

func TestBrokenImages(t *testing.T) {
	good := flat(8, 8, color.NRGBA{1, 2, 3, 255})
	reference := object{"pbrMetallicRoughness": object{"metallicRoughnessTexture": object{"index": 0}}}
	for name, tt := range map[string]struct {
		change func(*testFile)
		want   string
	}{
		"cut":          {func(f *testFile) { f.doc["images"] = textured(nil, good[:40]).doc["images"] }, "image 0"},
		"no image":     {func(f *testFile) { f.doc["images"] = nil }, "image 0 does not exist"},
		"no texture":   {func(f *testFile) { f.doc["textures"] = nil }, "texture 0 does not exist"},
		"no source":    {func(f *testFile) { f.doc["textures"] = []any{object{}} }, "texture 0 has no image"},
		"empty":        {func(f *testFile) { f.doc["images"] = []any{object{}} }, "image 0"},
		"missing file": {func(f *testFile) { f.doc["images"] = []any{object{"uri": "no%20such.png"}} }, `"no%20such.png"`},
		"climbs":       {func(f *testFile) { f.doc["images"] = []any{object{"uri": "../../x.png"}} }, "outside"},
		"bad transform": {func(f *testFile) {
			f.doc["materials"] = []any{object{"emissiveTexture": object{"index": 0, "extensions": object{extTransform: "x"}}}}
		}, extTransform},
	} {
		f := textured(reference, good)
		tt.change(f)
		got := load(t, f.text())
		if got.err == nil || !strings.Contains(got.err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, got.err, tt.want)
		}
	}
}
