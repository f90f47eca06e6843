package model

import (
	"math"

	"github.com/qmuntal/gltf"

	"sojourn/assets"
)

// normals reads the file's normals at unit length; ones that are no direction
// are computed.
func (d *document) normals(src *gltf.Primitive, p primitive) error {
	n, err := d.attribute(src.Attributes[gltf.NORMAL], 3, 3, len(p.vertices), false)
	if err != nil {
		return err
	}
	var missing []bool
	for i := range p.vertices {
		unit, ok := normalized([3]float64{float64(n[i*3]), float64(n[i*3+1]), float64(n[i*3+2])})
		if !ok {
			if missing == nil {
				missing = make([]bool, len(p.vertices))
			}
			missing[i] = true
			continue
		}
		p.vertices[i].Normal = unit
	}
	if missing != nil {
		smoothNormals(p.vertices, p.indices, missing)
	}
	return nil
}

// smoothNormals sets the normals of the vertices in which, or of all where it
// is nil: the mean of the faces around a vertex, weighted by area. A vertex
// without a face that has an area gets +Y.
func smoothNormals(v []assets.Vertex, idx []uint32, which []bool) {
	sum := make([][3]float64, len(v))
	for i := 0; i+2 < len(idx); i += 3 {
		a, b, c := v[idx[i]].Pos, v[idx[i+1]].Pos, v[idx[i+2]].Pos
		var e, f [3]float64
		for k := range 3 {
			e[k], f[k] = float64(b[k])-float64(a[k]), float64(c[k])-float64(a[k])
		}
		face := [3]float64{e[1]*f[2] - e[2]*f[1], e[2]*f[0] - e[0]*f[2], e[0]*f[1] - e[1]*f[0]}
		for _, corner := range idx[i : i+3] {
			for k := range 3 {
				sum[corner][k] += face[k]
			}
		}
	}
	for i := range v {
		if which != nil && !which[i] {
			continue
		}
		unit, ok := normalized(sum[i])
		if !ok {
			unit = [3]float32{0, 1, 0}
		}
		v[i].Normal = unit
	}
}

// normalized scales to unit length; it fails for what has no direction.
func normalized(n [3]float64) ([3]float32, bool) {
	length := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if !(length > 0) || math.IsInf(length, 0) {
		return [3]float32{}, false
	}
	return [3]float32{float32(n[0] / length), float32(n[1] / length), float32(n[2] / length)}, true
}
