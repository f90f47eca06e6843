package ebitengine

import (
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
