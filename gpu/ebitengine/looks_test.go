package ebitengine

import (
	"math"
	"testing"

	"sojourn/assets"
	"sojourn/gpu"
)

// What a look gives up, by the haste and the size on screen.
func TestLooksGiveWayToTime(t *testing.T) {
	known := func(id gpu.TextureID) face {
		return face{alive: true, averaged: true, average: [4]float32{0.5, 0.25, 0.125, 1}}
	}
	frame := &gpu.Frame{Textures: []gpu.TextureID{11, 12, 13}, Materials: make([]gpu.MaterialRow, 2)}
	for i := range frame.Materials {
		row := &frame.Materials[i]
		row.BaseColor, row.Emissive = [4]float32{1, 1, 1, 1}, [4]float32{2, 2, 2}
		for slot := range row.Maps {
			row.Maps[slot] = gpu.NoMap
		}
		row.Maps[assets.MapBaseColor] = 0
	}
	const plain, full = 0, 1
	frame.Materials[full].Maps[assets.MapNormal], frame.Materials[full].Maps[assets.MapEmissive] = 1, 2
	for _, tt := range []struct {
		name     string
		material uint32
		haste    haste
		size     int
		variant  variant
		textures [imagesPerDraw]gpu.TextureID
		red, lit float32 // of the tint
	}{
		{"plain", plain, unhurried, sizeNear, variantBase, [4]gpu.TextureID{11}, 1, 2},
		{"plain, quick", plain, quick, sizeNear, variantQuick, [4]gpu.TextureID{11}, 1, 2},
		{"plain, quick, small", plain, quick, sizeSmall, variantSmall, [4]gpu.TextureID{11}, 1, 2},
		{"plain, rushed", plain, rushed, sizeNear, variantSmall, [4]gpu.TextureID{11}, 1, 2},
		{"plain, tiny", plain, unhurried, sizeTiny, variantFlat, [4]gpu.TextureID{}, 0.5, 2},
		{"full", full, unhurried, sizeNear, variantFull, [4]gpu.TextureID{11, 12, 0, 13}, 1, 2},
		{"full, small", full, unhurried, sizeSmall, variantFull, [4]gpu.TextureID{11, 0, 0, 13}, 1, 2},
		{"full, quick", full, quick, sizeNear, variantFull, [4]gpu.TextureID{11, 0, 0, 13}, 1, 2},
		{"full, quick, small", full, quick, sizeSmall, variantSmall, [4]gpu.TextureID{11}, 1, 1},
		{"full, quick, tiny", full, quick, sizeTiny, variantFlat, [4]gpu.TextureID{}, 0.5, 1},
	} {
		l, c := lookOf(frame, tt.material, tt.size, tt.haste, known)
		if l.variant != tt.variant || l.textures != tt.textures || c.base[0] != tt.red || c.emissive.x != tt.lit {
			t.Errorf("%s: variant %d with %v, tint %v, glow %v", tt.name, l.variant, l.textures, c.base, c.emissive)
		}
	}
}

// A crate is the mesh's box, seen from outside, in its colour.
func TestCrateStandsForTheMesh(t *testing.T) {
	var vertices []assets.Vertex
	var indices []uint32
	for i := range uint32(30) { // a spiral of triangles
		angle := float64(i)
		for k := range 3 {
			s, c := math.Sincos(angle + float64(k))
			vertices = append(vertices, assets.Vertex{Pos: [3]float32{float32(3 * c), float32(i) / 5, float32(s)}, Color: [4]uint8{200, byte(100 + i%2), 0, 255}})
			indices = append(indices, 3*i+uint32(k))
		}
	}
	m := newMesh(vertices, indices)
	c := m.crate
	near := func(a, b vec) bool { return abs(a.x-b.x)+abs(a.y-b.y)+abs(a.z-b.z) < 1e-5 }
	if c == nil || !near(c.center, m.center) || !near(c.half, m.half) || !c.solid || len(c.planes) != crateTriangles || c.crate != nil {
		t.Fatalf("%+v of %v by %v", c, m.center, m.half)
	}
	for i := range c.planes {
		if c.planes[i].at(c.center) >= 0 {
			t.Errorf("triangle %d shows its back", i)
		}
	}
	if got := c.vertices[0].Color; got != [4]uint8{200, 100, 0, 255} {
		t.Errorf("colour %v", got)
	}
	if newMesh(c.vertices, c.indices).crate != nil {
		t.Error("a box has a crate of its own")
	}
	flat := &look{variant: variantFlat}
	small := box{mesh: m, rect: [4]float32{10, 10, 13, 14}}
	large := box{mesh: m, rect: [4]float32{10, 10, 13, 24}}
	hasty, calm := &looks{haste: rushed}, &looks{haste: quick}
	if small.meshFor(hasty, flat) != c || large.meshFor(hasty, flat) != m || small.meshFor(calm, flat) != m ||
		small.meshFor(hasty, &look{variant: variantSmall}) != m || small.meshFor(hasty, &look{variant: variantFlat, blend: true}) != m {
		t.Error("the wrong things are drawn as boxes")
	}
}
