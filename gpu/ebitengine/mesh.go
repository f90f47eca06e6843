package ebitengine

import (
	"sojourn/assets"
	"sojourn/gpu"
)

// mesh is geometry on the device, which for this device is memory: positions
// are transformed by the processor.
type mesh struct {
	vertices []assets.Vertex
	indices  []uint32
	// planes has a plane for each triangle, positive before it: the side from
	// which its front is seen. A triangle without area has a zero normal and
	// faces nothing.
	planes       []row
	center, half vec // of the local box
	// orderFree meshes look right with their triangles in any order, as long
	// as back faces are left out: convex from outside, or from inside.
	orderFree bool
	// solid meshes are convex from outside: nothing within them is ever seen.
	solid bool
	bytes int64
	// crate is the local box in the average of the vertex colours, to be drawn
	// where the mesh covers a few pixels. Nil where it would save nothing.
	crate *mesh
}

// convexityWorkMax bounds the plane-vertex tests spent on one mesh. Larger
// meshes have their triangles sorted.
const convexityWorkMax = 1 << 16

func newMesh(vertices []assets.Vertex, indices []uint32) *mesh {
	m := readyMesh(vertices, indices)
	if len(m.planes) > 2*crateTriangles {
		m.crate = m.crated()
	}
	return m
}

func readyMesh(vertices []assets.Vertex, indices []uint32) *mesh {
	m := &mesh{
		vertices: append(make([]assets.Vertex, 0, len(vertices)), vertices...),
		indices:  append(make([]uint32, 0, len(indices)), indices...),
		planes:   make([]row, len(indices)/3),
		bytes:    gpu.GeometryBytes(len(vertices), len(indices)),
	}
	low, high := m.vertices[m.indices[0]].Pos, m.vertices[m.indices[0]].Pos
	for _, i := range m.indices {
		p := &m.vertices[i].Pos
		for k := range 3 {
			low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
		}
	}
	l, h := vecOf(low), vecOf(high)
	m.center, m.half = scaled(sum(l, h), 0.5), scaled(sub(h, l), 0.5)
	for t := range m.planes {
		a, b, c := m.corner(3*t), m.corner(3*t+1), m.corner(3*t+2)
		n := normalized(cross(sub(b, a), sub(c, a)))
		m.planes[t] = row{n, -dot(n, a)}
	}
	outside, inside := m.convex()
	m.orderFree, m.solid = outside || inside, outside && !inside
	return m
}

// crateTriangles is how many a box has.
const crateTriangles = 12

// crated makes the mesh's crate.
func (m *mesh) crated() *mesh {
	var sums [4]int
	for i := range m.vertices {
		for k, v := range m.vertices[i].Color {
			sums[k] += int(v)
		}
	}
	var color [4]uint8
	for k := range color {
		color[k] = uint8(sums[k] / len(m.vertices))
	}
	center, half := m.center.array(), m.half.array()
	var vertices []assets.Vertex
	var indices []uint32
	for axis := range 3 {
		for _, side := range [2]float32{-1, 1} {
			first := uint32(len(vertices))
			for corner := range 4 {
				v := assets.Vertex{Pos: center, Color: color}
				v.Normal[axis] = side
				v.Pos[axis] += side * half[axis]
				// Going on in the order of the axes makes this side the front.
				v.Pos[(axis+1)%3] += side * half[(axis+1)%3] * float32(2*(corner&1)-1)
				v.Pos[(axis+2)%3] += half[(axis+2)%3] * float32(corner&2-1)
				vertices = append(vertices, v)
			}
			indices = append(indices, first, first+1, first+3, first, first+3, first+2)
		}
	}
	return readyMesh(vertices, indices)
}

func (m *mesh) corner(i int) vec { return vecOf(m.vertices[m.indices[i]].Pos) }

// convex tells whether all vertices lie behind all triangles, as on a box seen
// from outside, and whether all lie before them, as on a room seen from
// inside. Both hold for what is flat.
func (m *mesh) convex() (outside, inside bool) {
	if len(m.planes)*len(m.vertices) > convexityWorkMax {
		return false, false
	}
	tolerance := 1e-4 * (m.half.x + m.half.y + m.half.z)
	outside, inside = true, true
	for t := range m.planes {
		for v := range m.vertices {
			switch d := m.planes[t].at(vecOf(m.vertices[v].Pos)); {
			case d > tolerance:
				outside = false
			case d < -tolerance:
				inside = false
			}
		}
		if !outside && !inside {
			break
		}
	}
	return outside, inside
}
