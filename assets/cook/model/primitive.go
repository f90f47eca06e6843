package model

import (
	"fmt"
	"math"

	"github.com/qmuntal/gltf"

	"sojourn/assets"
)

// primitive is the geometry of one primitive: a list of triangles.
type primitive struct {
	vertices []assets.Vertex
	indices  []uint32
}

// primitive reads primitive p of mesh m. Where there is nothing to draw, skip
// says why.
func (d *document) primitive(m, p int, uv uvMap) (out primitive, skip string, err error) {
	src := d.Meshes[m].Primitives[p]
	mode := gltf.PrimitiveTriangles
	if w := d.written.Meshes[m].Primitives[p].Mode; w != nil {
		if *w < 0 || *w > 6 {
			return out, "", corruptf("unknown mode %d", *w)
		}
		mode = src.Mode
	}
	switch mode {
	case gltf.PrimitiveTriangles, gltf.PrimitiveTriangleStrip, gltf.PrimitiveTriangleFan:
	default:
		return out, fmt.Sprintf("mode %v is not triangles", mode), nil
	}
	position, ok := src.Attributes[gltf.POSITION]
	if !ok {
		return out, "it has no POSITION", nil
	}
	if err := d.notCompressed(src, position); err != nil {
		return out, "", err
	}
	if out.vertices, err = d.vertices(src, position, uv); err != nil {
		return out, "", err
	}
	if out.indices, err = d.corners(src, len(out.vertices)); err != nil {
		return out, "", err
	}
	if mode == gltf.PrimitiveTriangles {
		if extra := len(out.indices) % 3; extra != 0 {
			d.in.Warn("%s: %d corners after the last whole triangle were left out", d.primitiveName(m, p), extra)
			out.indices = out.indices[:len(out.indices)-extra]
		}
	} else if out.indices, err = triangles(out.indices, mode == gltf.PrimitiveTriangleStrip); err != nil {
		return out, "", err
	}
	if len(out.indices) == 0 {
		return out, "it has no triangles", nil
	}
	if _, ok := src.Attributes[gltf.NORMAL]; !ok {
		smoothNormals(out.vertices, out.indices, nil)
		return out, "", nil
	}
	return out, "", d.normals(src, out)
}

// primitiveName is how messages call a primitive.
func (d *document) primitiveName(m, p int) string {
	if name := d.Meshes[m].Name; name != "" {
		return fmt.Sprintf("mesh %d %s primitive %d", m, shown(name), p)
	}
	return fmt.Sprintf("mesh %d primitive %d", m, p)
}

// notCompressed refuses geometry that exists only in a compressed form, whose
// accessors would read as zeros.
func (d *document) notCompressed(src *gltf.Primitive, position int) error {
	if _, draco := src.Extensions[extDraco]; !draco {
		return nil
	}
	a, err := pick("accessor", d.Accessors, position)
	if err != nil {
		return err
	}
	if a.BufferView == nil && a.Sparse == nil {
		return corruptf("%s is not supported, and accessor %d has no uncompressed fallback", extDraco, position)
	}
	return nil
}

// vertices reads all attributes but the normals.
func (d *document) vertices(src *gltf.Primitive, position int, uv uvMap) ([]assets.Vertex, error) {
	at, err := d.attribute(position, 3, 3, 0, false)
	if err != nil {
		return nil, err
	}
	v := make([]assets.Vertex, len(at)/3)
	for i := range v {
		v[i].Pos = [3]float32(at[i*3:])
		v[i].Color = [4]uint8{255, 255, 255, 255}
		for _, c := range v[i].Pos {
			if !(math.Abs(float64(c)) <= coordinateMax) {
				return nil, corruptf("accessor %d: position %d is %v: not finite or beyond %g", position, i, v[i].Pos, float64(coordinateMax))
			}
		}
	}
	if a, ok := src.Attributes[fmt.Sprintf("TEXCOORD_%d", uv.set)]; ok {
		pairs, err := d.attribute(a, 2, 2, len(v), false)
		if err != nil {
			return nil, err
		}
		uv.apply(pairs)
		for i := range v {
			v[i].UV = [2]float32{finite(pairs[i*2]), finite(pairs[i*2+1])}
		}
	}
	if a, ok := src.Attributes[gltf.COLOR_0]; ok {
		// Integer colours are fractions whether or not the file says so.
		c, err := d.attribute(a, 3, 4, len(v), true)
		if err != nil {
			return nil, err
		}
		per := len(c) / len(v)
		for i := range v {
			for k := range per {
				v[i].Color[k] = uint8(finite(min(max(c[i*per+k], 0), 1))*255 + 0.5)
			}
		}
	}
	return v, nil
}

// attribute reads a vertex attribute of low to high components. count, where
// not zero, is how many there must be.
func (d *document) attribute(a, low, high, count int, fraction bool) ([]float32, error) {
	e, err := d.elements(a, assets.MeshVerticesMax)
	if err != nil {
		return nil, err
	}
	if e.components < low || e.components > high {
		return nil, corruptf("accessor %d: %d components, the attribute has %d", a, e.components, low)
	}
	if count != 0 && e.count != count {
		return nil, corruptf("accessor %d: count %d, but there are %d positions", a, e.count, count)
	}
	f, err := e.floats(fraction)
	if err != nil {
		return nil, corruptf("accessor %d: %w", a, err)
	}
	return f, nil
}

func finite(v float32) float32 {
	if v-v != 0 {
		return 0
	}
	return v
}

// corners gives the checked vertex indices in file order.
func (d *document) corners(src *gltf.Primitive, vertices int) ([]uint32, error) {
	if src.Indices == nil {
		idx := make([]uint32, vertices)
		for i := range idx {
			idx[i] = uint32(i)
		}
		return idx, nil
	}
	e, err := d.elements(*src.Indices, assets.MeshIndicesMax)
	if err != nil {
		return nil, err
	}
	idx, err := e.uints()
	if err != nil {
		return nil, corruptf("accessor %d: %w", *src.Indices, err)
	}
	for n, i := range idx {
		if int64(i) >= int64(vertices) {
			return nil, corruptf("accessor %d: index %d (number %d) is not below the %d vertices", *src.Indices, i, n, vertices)
		}
	}
	return idx, nil
}

// triangles turns a strip or a fan into a list, leaving out triangles that
// have a corner twice: strips use them to jump.
func triangles(idx []uint32, strip bool) ([]uint32, error) {
	if len(idx) < 3 {
		return nil, nil
	}
	n := (len(idx) - 2) * 3
	if n > assets.MeshIndicesMax {
		return nil, tooLargef("%d indices, limit %d", n, assets.MeshIndicesMax)
	}
	out := make([]uint32, 0, n)
	for i := 0; i+2 < len(idx); i++ {
		a, b, c := idx[i], idx[i+1], idx[i+2]
		switch {
		case !strip:
			a = idx[0]
		case i%2 == 1: // every other triangle of a strip is turned around
			a, b = b, a
		}
		if a != b && b != c && a != c {
			out = append(out, a, b, c)
		}
	}
	return out, nil
}
