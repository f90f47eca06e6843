package gpu

import "sojourn/assets"

// NoMap marks an empty map slot of a [MaterialRow].
const NoMap = 0xFFFFFFFF

// MaterialRowBytes is the std140 size of a row: six vec4 (96 bytes), nine
// uint32 map indices, padded to a multiple of 16.
const MaterialRowBytes = 144

// MaterialRow mirrors one material as the device sees it.
type MaterialRow struct {
	BaseColor [4]float32
	Emissive  [4]float32
	Specular  [4]float32
	Ambient   [4]float32
	Roughness [4]float32 // roughness, metallic, normal scale, occlusion strength
	Factors   [4]float32 // alpha cut-off, blend, double-sided, unlit (0 or 1)
	Maps      [assets.MapSlots]uint32
	_         [3]uint32
}
