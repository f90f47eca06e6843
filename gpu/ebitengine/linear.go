package ebitengine

import (
	"math"

	"sojourn/gpu"
)

type vec3 = [3]float32

func dot(a, b vec3) float32 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b vec3) vec3 {
	return vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func sub(a, b vec3) vec3 { return vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func scaled(a vec3, s float32) vec3 { return vec3{a[0] * s, a[1] * s, a[2] * s} }

func length(a vec3) float32 { return float32(math.Sqrt(float64(dot(a, a)))) }

func abs(a float32) float32 { return math.Float32frombits(math.Float32bits(a) &^ (1 << 31)) }

// normalized answers zero for what has no direction.
func normalized(a vec3) vec3 {
	l := length(a)
	if !(l > 0) {
		return vec3{}
	}
	return scaled(a, 1/l)
}

func finite(a vec3) bool {
	s := a[0] + a[1] + a[2]
	return s-s == 0
}

// column is one of the first three columns of m: an axis of the local frame.
func column(m *gpu.Mat4, k int) vec3 { return vec3{m[4*k], m[4*k+1], m[4*k+2]} }

func transformed(m *gpu.Mat4, p vec3) vec3 {
	return vec3{
		m[0]*p[0] + m[4]*p[1] + m[8]*p[2] + m[12],
		m[1]*p[0] + m[5]*p[1] + m[9]*p[2] + m[13],
		m[2]*p[0] + m[6]*p[1] + m[10]*p[2] + m[14],
	}
}

// lens is a camera made ready for one frame of one size.
type lens struct {
	pos, right, up, ahead vec3
	width, height         float32 // of the frame, in pixels
	tanX, tanY            float32 // half the view, at distance 1
	near, far             float32
	// rows take a world position to (x*w, y*w, w): x and y in pixels, w the
	// distance along the view.
	rows [3][4]float32
	// planes of the frustum: near, far, left, right, top, bottom; positive
	// inside.
	planes [6][4]float32
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
	l.right, l.up = vec3{v[0], v[4], v[8]}, vec3{v[1], v[5], v[9]}
	l.ahead = vec3{-v[2], -v[6], -v[10]}
	// A view is rigid: its inverse moves by the negated translation, rotated back.
	for k := range 3 {
		l.pos[k] = -(l.right[k]*v[12] + l.up[k]*v[13] - l.ahead[k]*v[14])
	}
	fov := c.FovYRad
	if !(fov > 0.01 && fov < 3.1) {
		fov = 1
	}
	l.tanY = float32(math.Tan(float64(fov) / 2))
	l.tanX = l.tanY * l.width / l.height

	kx, ky := l.width/2/l.tanX, l.height/2/l.tanY
	for k := range 3 {
		l.rows[0][k] = kx*l.right[k] + l.width/2*l.ahead[k]
		l.rows[1][k] = -ky*l.up[k] + l.height/2*l.ahead[k]
		l.rows[2][k] = l.ahead[k]
	}
	for r := range l.rows {
		row := &l.rows[r]
		row[3] = -(row[0]*l.pos[0] + row[1]*l.pos[1] + row[2]*l.pos[2])
	}
	side := func(n vec3, offset float32) [4]float32 {
		return [4]float32{n[0], n[1], n[2], -dot(n, l.pos) + offset}
	}
	lean := func(n vec3, tan float32) [4]float32 {
		return side(vec3{n[0] + tan*l.ahead[0], n[1] + tan*l.ahead[1], n[2] + tan*l.ahead[2]}, 0)
	}
	l.planes = [6][4]float32{
		side(l.ahead, -l.near), side(scaled(l.ahead, -1), l.far),
		lean(l.right, l.tanX), lean(scaled(l.right, -1), l.tanX),
		lean(scaled(l.up, -1), l.tanY), lean(l.up, l.tanY),
	}
	return l
}

// product chains the lens behind a model matrix: local position to (x*w, y*w, w).
func (l *lens) product(m *gpu.Mat4) [3][4]float32 {
	var out [3][4]float32
	for r := range 3 {
		row := &l.rows[r]
		for c := range 4 {
			out[r][c] = row[0]*m[4*c] + row[1]*m[4*c+1] + row[2]*m[4*c+2]
		}
		out[r][3] += row[3]
	}
	return out
}
