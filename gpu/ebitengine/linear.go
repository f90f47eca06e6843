package ebitengine

import (
	"math"

	"sojourn/gpu"
)

// vec is a direction or a place. A struct and not an array: the compiler keeps
// its fields in registers.
type vec struct{ x, y, z float32 }

func vecOf(a [3]float32) vec { return vec{a[0], a[1], a[2]} }

func (a vec) array() [3]float32 { return [3]float32{a.x, a.y, a.z} }

func dot(a, b vec) float32 { return a.x*b.x + a.y*b.y + a.z*b.z }

func cross(a, b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

func sum(a, b vec) vec { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }

func sub(a, b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func scaled(a vec, s float32) vec { return vec{a.x * s, a.y * s, a.z * s} }

func abs(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) }

// normalized answers zero for what has no direction.
func normalized(a vec) vec {
	squares := dot(a, a)
	if !(squares > 0) {
		return vec{}
	}
	return scaled(a, 1/float32(math.Sqrt(float64(squares))))
}

func finite(a vec) bool {
	s := a.x + a.y + a.z
	return s-s == 0
}

// axis is one of the first three columns of m: an axis of the local frame.
func axis(m *gpu.Mat4, k int) vec { return vec{m[4*k], m[4*k+1], m[4*k+2]} }

func transformed(m *gpu.Mat4, p vec) vec {
	return vec{
		m[0]*p.x + m[4]*p.y + m[8]*p.z + m[12],
		m[1]*p.x + m[5]*p.y + m[9]*p.z + m[13],
		m[2]*p.x + m[6]*p.y + m[10]*p.z + m[14],
	}
}

// inverted takes a world position into the local axes of m, which must have volume.
func inverted(m *gpu.Mat4, p vec) vec {
	x, y, z := axis(m, 0), axis(m, 1), axis(m, 2)
	q := sub(p, vec{m[12], m[13], m[14]})
	det := dot(x, cross(y, z))
	return vec{dot(q, cross(y, z)) / det, dot(q, cross(z, x)) / det, dot(q, cross(x, y)) / det}
}

// row is one row of a matrix that takes a position to one number.
type row struct {
	n vec
	d float32
}

func (r *row) at(p vec) float32 { return r.n.x*p.x + r.n.y*p.y + r.n.z*p.z + r.d }

// lens is a camera made ready for one frame of one size.
type lens struct {
	pos, right, up, ahead vec
	width, height         float32 // of the frame, in pixels
	tanX, tanY            float32 // half the view, at distance 1
	near, far             float32
	// rows take a world position to (x*w, y*w, w): x and y in pixels, w the
	// distance along the view.
	rows [3]row
	// planes of the frustum: near, far, left, right, top, bottom; positive
	// inside.
	planes [6]row
}

func lensOf(c *gpu.Camera, width, height int) lens {
	l := lens{width: float32(width), height: float32(height), near: c.Near, far: c.Far}
	if !(l.near > 1e-4) {
		l.near = 1e-4
	}
	if !(l.far > l.near) {
		l.far = math.MaxFloat32 / 4
	}
	v := &c.View
	l.right, l.up, l.ahead = vec{v[0], v[4], v[8]}, vec{v[1], v[5], v[9]}, vec{-v[2], -v[6], -v[10]}
	// A view is rigid: its inverse moves by the negated translation, rotated back.
	l.pos = sub(scaled(l.ahead, v[14]), sum(scaled(l.right, v[12]), scaled(l.up, v[13])))
	fov := c.FovYRad
	if !(fov > 0.01 && fov < 3.1) {
		fov = 1
	}
	l.tanY = float32(math.Tan(float64(fov) / 2))
	l.tanX = l.tanY * l.width / l.height

	through := func(n vec, offset float32) row { return row{n, -dot(n, l.pos) + offset} }
	lean := func(n vec, tan float32) row { return through(sum(n, scaled(l.ahead, tan)), 0) }
	kx, ky := l.width/2/l.tanX, l.height/2/l.tanY
	l.rows = [3]row{
		through(sum(scaled(l.right, kx), scaled(l.ahead, l.width/2)), 0),
		through(sum(scaled(l.up, -ky), scaled(l.ahead, l.height/2)), 0),
		through(l.ahead, 0),
	}
	l.planes = [6]row{
		through(l.ahead, -l.near), through(scaled(l.ahead, -1), l.far),
		lean(l.right, l.tanX), lean(scaled(l.right, -1), l.tanX),
		lean(scaled(l.up, -1), l.tanY), lean(l.up, l.tanY),
	}
	return l
}

// product chains the lens behind a model matrix: local position to (x*w, y*w, w).
func (l *lens) product(m *gpu.Mat4) (out [3]row) {
	for r := range 3 {
		n := l.rows[r].n
		out[r] = row{
			n: vec{dot(n, axis(m, 0)), dot(n, axis(m, 1)), dot(n, axis(m, 2))},
			d: l.rows[r].at(vec{m[12], m[13], m[14]}),
		}
	}
	return out
}
