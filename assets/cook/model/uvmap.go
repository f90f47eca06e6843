package model

import (
	"encoding/json"
	"math"

	"github.com/qmuntal/gltf"
)

// uvMap says which texture coordinates a material wants and how they are
// transformed. A vertex has one pair of coordinates, so a material has one
// uvMap, and the transform is baked into the vertices.
type uvMap struct {
	set          int
	offset       [2]float64
	scale        [2]float64
	rotation     float64 // radians
	hasTransform bool
}

// plainUV is texture coordinate set 0 as it is.
func plainUV() uvMap { return uvMap{scale: [2]float64{1, 1}} }

// uvMapOf reads a texture reference.
func uvMapOf(set int, ext gltf.Extensions) (uvMap, error) {
	m := plainUV()
	m.set = set
	raw, ok := ext[extTransform].(json.RawMessage)
	if !ok {
		return m, nil
	}
	t := struct {
		Offset   [2]float64
		Rotation float64
		Scale    [2]float64
		TexCoord *int
	}{Scale: m.scale}
	if err := json.Unmarshal(raw, &t); err != nil {
		return m, corruptf("%s: %w", extTransform, err)
	}
	for _, v := range [...]float64{t.Offset[0], t.Offset[1], t.Rotation, t.Scale[0], t.Scale[1]} {
		if math.Abs(v) > coordinateMax {
			return m, corruptf("%s: %g is out of range", extTransform, v)
		}
	}
	if t.TexCoord != nil {
		m.set = *t.TexCoord
	}
	m.offset, m.scale, m.rotation = t.Offset, t.Scale, t.Rotation
	m.hasTransform = m.offset != [2]float64{} || m.scale != [2]float64{1, 1} || m.rotation != 0
	return m, nil
}

// apply transforms pairs in place: scale, then rotate counter-clockwise as
// seen with v pointing down, then move.
func (m uvMap) apply(uv []float32) {
	if !m.hasTransform {
		return
	}
	sin, cos := math.Sincos(m.rotation)
	for i := 0; i+1 < len(uv); i += 2 {
		u, v := float64(uv[i])*m.scale[0], float64(uv[i+1])*m.scale[1]
		uv[i] = float32(cos*u + sin*v + m.offset[0])
		uv[i+1] = float32(-sin*u + cos*v + m.offset[1])
	}
}
