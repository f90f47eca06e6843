package model

import (
	"encoding/base64"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"sojourn/assets"
)

// textured is a triangle with one material; images and textures pair up.
func textured(material object, images ...[]byte) *testFile {
	f := triangle()
	uv := f.accessor(5126, "VEC2", 3, []float32{0, 0, 1, 0, 0, 1})
	f.doc["meshes"] = []any{object{"primitives": []any{object{
		"attributes": object{"POSITION": 0, "TEXCOORD_0": uv, "TEXCOORD_1": f.accessor(5126, "VEC2", 3, []float32{5, 5, 6, 5, 5, 6})},
		"material":   0,
	}}}}
	var list, textures []any
	for i, data := range images {
		list = append(list, object{"uri": "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)})
		textures = append(textures, object{"source": i})
	}
	if list != nil {
		f.doc["images"], f.doc["textures"] = list, textures
	}
	f.doc["materials"] = []any{material}
	return f
}

func (i *imported) material(t *testing.T) assets.Material {
	t.Helper()
	return i.materials[i.only(t).Material]
}

func TestFactors(t *testing.T) {
	got := mustLoad(t, textured(object{
		"name": "paint", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.25, "emissiveFactor": []any{1, 0.5, 0},
		"pbrMetallicRoughness": object{"baseColorFactor": []any{0.5, 1, 0, 0.25}, "metallicFactor": 0, "roughnessFactor": 0.75},
		"extensions":           object{extUnlit: object{}, extEmissiveStrength: object{"emissiveStrength": 4}},
	}))
	want := assets.Material{
		BaseColor: [4]float32{0.5, 1, 0, 0.25}, Emissive: [3]float32{4, 2, 0}, Roughness: 0.75, NormalScale: 1, Occlusion: 1,
		AlphaCutoff: 0.25, DoubleSided: true, Unlit: true,
	}
	if m := got.material(t); m != want {
		t.Errorf("got %+v\nwant %+v", m, want)
	}
	if s := got.only(t).Material; s != "dir/test#material-paint" {
		t.Errorf("stem %s", s)
	}
}

func TestFactorDefaultsAndClamping(t *testing.T) {
	m := mustLoad(t, textured(object{"alphaMode": "BLEND"})).material(t)
	want := assets.Material{BaseColor: [4]float32{1, 1, 1, 1}, Metallic: 1, Roughness: 1, NormalScale: 1, Occlusion: 1, Blend: true}
	if m != want {
		t.Errorf("got %+v", m)
	}
	got := mustLoad(t, textured(object{"pbrMetallicRoughness": object{"metallicFactor": 1e300}, "emissiveFactor": []any{-1, 1e300, 0}}))
	if m := got.material(t); m.Metallic != 1 || m.Emissive[0] != 0 || len(got.warnings) != 3 {
		t.Errorf("%+v, warnings %q", m, got.warnings)
	}
	if got := mustLoad(t, triangle()); got.only(t).Material != "" || len(got.materials) != 0 {
		t.Errorf("a primitive without a material has %q", got.only(t).Material)
	}
}

func texel(t *testing.T, i *imported, stem string) [4]byte {
	t.Helper()
	_, _, texels, _ := i.texture(t, stem)
	return [4]byte(texels)
}

// Opaque materials ignore the alpha of their texture, so multiplying by it
// would lose colour.
func TestAlphaOfTheBaseColour(t *testing.T) {
	image := flat(2, 2, color.NRGBA{200, 100, 50, 0})
	for mode, want := range map[string][4]byte{"OPAQUE": {200, 100, 50, 255}, "MASK": {}, "BLEND": {}} {
		got := mustLoad(t, textured(object{"alphaMode": mode, "pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}}}, image))
		stem := got.material(t).Maps[assets.MapBaseColor]
		if c := texel(t, got, stem); c != want {
			t.Errorf("%s: %s has %v, want %v", mode, stem, c, want)
		}
	}
}

func TestNormalMapsAreLinear(t *testing.T) {
	got := mustLoad(t, textured(object{"normalTexture": object{"index": 0, "scale": 0.5}}, flat(4, 4, color.NRGBA{128, 128, 255, 255})))
	m := got.material(t)
	w, h, texels, linear := got.texture(t, m.Maps[assets.MapNormal])
	if w != 4 || h != 4 || !linear || [4]byte(texels) != [4]byte{128, 128, 255, 255} || m.NormalScale != 0.5 {
		t.Errorf("%dx%d linear %v %v, scale %v", w, h, linear, texels[:4], m.NormalScale)
	}
}

func TestORM(t *testing.T) {
	rough := pngOf(4, 2, func(x, y int) color.NRGBA { return color.NRGBA{9, uint8(10 * x), uint8(100 * y), 7} })
	occlusion := pngOf(2, 4, func(x, y int) color.NRGBA { return color.NRGBA{uint8(100*x + y), 1, 2, 255} })
	roughRef := object{"metallicRoughnessTexture": object{"index": 0}}
	tests := []struct {
		name     string
		material object
		w, h     int
		want     func(x, y int) [3]byte
	}{
		{"roughness alone", object{"pbrMetallicRoughness": roughRef}, 4, 2,
			func(x, y int) [3]byte { return [3]byte{255, byte(10 * x), byte(100 * y)} }},
		{"occlusion alone", object{"occlusionTexture": object{"index": 1, "strength": 0.5}}, 2, 4,
			func(x, y int) [3]byte { return [3]byte{byte(100*x + y), 255, 255} }},
		{"one image", object{"pbrMetallicRoughness": roughRef, "occlusionTexture": object{"index": 0}}, 4, 2,
			func(x, y int) [3]byte { return [3]byte{9, byte(10 * x), byte(100 * y)} }},
		{"two sizes", object{"pbrMetallicRoughness": roughRef, "occlusionTexture": object{"index": 1}}, 4, 4,
			func(x, y int) [3]byte { return [3]byte{byte(100*(x/2) + y), byte(10 * x), byte(100 * (y / 2))} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustLoad(t, textured(tt.material, rough, occlusion))
			m := got.material(t)
			w, h, texels, linear := got.texture(t, m.Maps[assets.MapORM])
			if w != tt.w || h != tt.h || !linear {
				t.Fatalf("%dx%d linear %v", w, h, linear)
			}
			for y := range h {
				for x := range w {
					at := texels[(y*w+x)*4:]
					if [3]byte(at) != tt.want(x, y) || at[3] != 255 {
						t.Errorf("texel %d,%d is %v, want %v", x, y, at[:4], tt.want(x, y))
					}
				}
			}
			want := float32(1)
			if tt.name == "occlusion alone" {
				want = 0.5
			}
			if m.Occlusion != want {
				t.Errorf("occlusion %v", m.Occlusion)
			}
		})
	}
}

func TestTexturesAreCookedOncePerUse(t *testing.T) {
	f := textured(object{"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}}, "normalTexture": object{"index": 0},
		"emissiveTexture": object{"index": 0}}, flat(2, 2, color.NRGBA{1, 2, 3, 255}))
	m := f.doc["materials"].([]any)
	f.doc["materials"] = append(m, m[0])
	meshes := f.doc["meshes"].([]any)
	p := meshes[0].(object)["primitives"].([]any)
	second := object{"attributes": p[0].(object)["attributes"], "material": 1}
	f.doc["meshes"] = []any{object{"primitives": append(p, second, p[0])}}
	got := mustLoad(t, f)
	if len(got.textures) != 2 || len(got.materials) != 2 || len(got.meshes) != 3 {
		t.Errorf("%v", got.order)
	}
}

func TestTextureTransformIsBaked(t *testing.T) {
	ref := object{"index": 0, "extensions": object{extTransform: object{
		"offset": []any{0.5, 0.25}, "scale": []any{2, 3}, "rotation": math.Pi / 2, "texCoord": 1}}}
	f := textured(object{"pbrMetallicRoughness": object{"baseColorTexture": ref}}, flat(1, 1, color.NRGBA{1, 2, 3, 255}))
	f.doc["extensionsRequired"] = []any{extTransform}
	for i, v := range mustLoad(t, f).mesh(t).Vertices {
		// (u, v) scaled, then (v, -u), then moved.
		in := [][2]float32{{5, 5}, {6, 5}, {5, 6}}[i]
		if !near(v.UV[0], in[1]*3+0.5) || !near(v.UV[1], -in[0]*2+0.25) {
			t.Errorf("uv %d is %v", i, v.UV)
		}
	}
}

func TestTexturesWithOtherCoordinatesAreLeftOut(t *testing.T) {
	got := mustLoad(t, textured(object{
		"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}, "metallicRoughnessTexture": object{"index": 0}},
		"occlusionTexture":     object{"index": 0, "texCoord": 1},
	}, flat(1, 1, color.NRGBA{50, 2, 3, 255})))
	m := got.material(t)
	if c := texel(t, got, m.Maps[assets.MapORM]); c != [4]byte{255, 2, 3, 255} {
		t.Errorf("orm %v", c)
	}
	if len(got.warnings) != 1 || !strings.Contains(got.warnings[0], "occlusion") {
		t.Errorf("warnings %q", got.warnings)
	}
}

func TestTextureCoordinateSetOne(t *testing.T) {
	got := mustLoad(t, textured(object{"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0, "texCoord": 1}}},
		flat(1, 1, color.NRGBA{1, 2, 3, 255})))
	if uv := got.mesh(t).Vertices[1].UV; uv != [2]float32{6, 5} {
		t.Errorf("uv %v", uv)
	}
}

func TestFoundWebPSource(t *testing.T) {
	f := textured(object{"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}}},
		flat(1, 1, color.NRGBA{1, 2, 3, 255}), flat(1, 1, color.NRGBA{7, 8, 9, 255}))
	f.doc["textures"] = []any{object{"source": 0, "extensions": object{extWebP: object{"source": 1}}}}
	got := mustLoad(t, f)
	if c := texel(t, got, got.material(t).Maps[assets.MapBaseColor]); c != [4]byte{7, 8, 9, 255} {
		t.Errorf("texel %v", c)
	}
}

func TestGLBWithImage(t *testing.T) {
	f := textured(object{"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}}})
	f.doc["images"] = []any{object{"bufferView": f.view(flat(3, 5, color.NRGBA{10, 20, 30, 255})), "mimeType": "image/png"}}
	f.doc["textures"] = []any{object{"source": 0}}
	got := load(t, f.glb())
	if got.err != nil {
		t.Fatal(got.err)
	}
	w, h, texels, linear := got.texture(t, got.material(t).Maps[assets.MapBaseColor])
	if w != 3 || h != 5 || linear || [4]byte(texels) != [4]byte{10, 20, 30, 255} {
		t.Errorf("%dx%d %v", w, h, texels[:4])
	}
	if s := fmt.Sprint(got.order); !strings.Contains(s, "texture:dir/test#image-0") {
		t.Errorf("outputs %s", s)
	}
}
