package art

import "math"

// edgeMax bounds a triangle's legs, in metres, so that none is longer than 4:
// light by vertex wants them short, and a software renderer wants them few.
const edgeMax = 2.8

type vec [3]float32

func (a vec) plus(b vec) vec       { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) minus(b vec) vec      { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) scaled(k float32) vec { return vec{a[0] * k, a[1] * k, a[2] * k} }
func (a vec) dot(b vec) float32    { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) length() float32      { return float32(math.Sqrt(float64(a.dot(a)))) }
func (a vec) unit() vec            { return a.scaled(1 / a.length()) }
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// mesh is a list of triangles, counter-clockwise from their front.
type mesh struct {
	pos, normal [][3]float32
	uv          [][2]float32
	color       [][4]uint8
	index       []uint32
}

func (m *mesh) vertex(pos, normal vec, u, v, light float32) {
	m.pos = append(m.pos, pos)
	m.normal = append(m.normal, normal)
	m.uv = append(m.uv, [2]float32{u, v})
	c := channel(light)
	m.color = append(m.color, [4]uint8{c, c, c, 255})
}

// open is light that nothing occludes.
func open(vec) float32 { return 1 }

// patch is a flat rectangle: right and down span it as its front is seen, and
// u and v grow that way from (0, 0), so many a metre.
func (m *mesh) patch(corner, right, down vec, perMetre float32, light func(vec) float32) {
	columns, rows := pieces(right), pieces(down)
	normal := down.cross(right).unit()
	first := uint32(len(m.pos))
	for j := range rows + 1 {
		for i := range columns + 1 {
			s, t := float32(i)/float32(columns), float32(j)/float32(rows)
			pos := corner.plus(right.scaled(s)).plus(down.scaled(t))
			m.vertex(pos, normal, s*right.length()*perMetre, t*down.length()*perMetre, light(pos))
		}
	}
	m.grid(first, columns, rows)
}

func pieces(span vec) int { return int(math.Ceil(float64(span.length() / edgeMax))) }

// grid joins (columns+1) x (rows+1) vertices.
func (m *mesh) grid(first uint32, columns, rows int) {
	for j := range rows {
		for i := range columns {
			a := first + uint32(j*(columns+1)+i)
			b, c, d := a+1, a+uint32(columns+1), a+uint32(columns+2)
			m.index = append(m.index, a, c, b, b, c, d)
		}
	}
}

// box has its texture on each side once where perMetre is 0.
func (m *mesh) box(low, high vec, perMetre float32) {
	size := high.minus(low)
	x, y, z := vec{size[0]}, vec{0, size[1]}, vec{0, 0, size[2]}
	side := func(corner, right, down vec) {
		first := len(m.pos)
		m.patch(corner, right, down, perMetre, open)
		if perMetre != 0 {
			return
		}
		columns, rows := pieces(right), pieces(down)
		for k := range m.uv[first:] {
			m.uv[first+k] = [2]float32{
				float32(k%(columns+1)) / float32(columns), float32(k/(columns+1)) / float32(rows),
			}
		}
	}
	side(vec{low[0], high[1], high[2]}, x, y.scaled(-1))             // +z
	side(vec{high[0], high[1], low[2]}, x.scaled(-1), y.scaled(-1))  // -z
	side(vec{high[0], high[1], high[2]}, z.scaled(-1), y.scaled(-1)) // +x
	side(vec{low[0], high[1], low[2]}, z, y.scaled(-1))              // -x
	side(vec{low[0], high[1], low[2]}, x, z)                         // +y
	side(vec{low[0], low[1], high[2]}, x, z.scaled(-1))              // -y
}

// ring is a radius at a height along a lathe's axis.
type ring struct{ radius, at float32 }

// lathe turns a profile around +Y. Neighbouring rings with the same place make
// a hard edge between them.
func (m *mesh) lathe(segments int, profile ...ring) {
	var along float32
	for k := 0; k+1 < len(profile); k++ {
		a, b := profile[k], profile[k+1]
		rise, run := b.at-a.at, b.radius-a.radius
		length := float32(math.Hypot(float64(rise), float64(run)))
		if length == 0 {
			continue
		}
		first := uint32(len(m.pos))
		for _, r := range [2]ring{b, a} { // upper row first
			for i := range segments + 1 {
				turn := float64(i) / float64(segments)
				sin, cos := math.Sincos(2 * math.Pi * turn)
				out := vec{float32(sin), 0, float32(cos)}
				normal := out.scaled(rise / length).plus(vec{0, -run / length})
				v := along
				if r == b {
					v += length
				}
				m.vertex(out.scaled(r.radius).plus(vec{0, r.at}), normal, float32(turn)*2, -v, 1)
			}
		}
		m.grid(first, segments, 1)
		along += length
	}
}
