package ebitengine

// corner is a transformed vertex: position as (x*w, y*w, w) in pixels, then
// what is interpolated across a triangle.
type corner struct {
	x, y, w float32
	u, v    float32
	// red, green, blue and alpha are light times tint, or tint alone where
	// pixels are lit; normals matter only there.
	red, green, blue, alpha float32
	nx, ny, nz              float32
	// screen is x/w and y/w, where the corner is not behind the near plane.
	screen point
	lit    bool // the colours, coordinates and normal are there
	// beyond has a bit for each plane the corner lies outside of.
	beyond uint16
}

// Bits of corner.beyond. The screen's edges reject triangles; the guard's cut
// them, so that no coordinate leaves the range in which interpolation is exact.
const (
	beyondNear uint16 = 1 << iota
	beyondLeft
	beyondRight
	beyondTop
	beyondBottom
	guardLeft
	guardRight
	guardTop
	guardBottom

	mustCut = beyondNear | guardLeft | guardRight | guardTop | guardBottom
)

// guard is how far past each edge of the screen triangles may reach, in widths
// and heights of the screen.
const guard = 1

func (c *corner) classify(l *lens) {
	var b uint16
	ww, hw := l.width*c.w, l.height*c.w
	if c.w < l.near {
		b |= beyondNear
	} else {
		c.screen = c.onScreen()
	}
	if c.x < 0 {
		b |= beyondLeft
		if c.x < -guard*ww {
			b |= guardLeft
		}
	} else if c.x > ww {
		b |= beyondRight
		if c.x > (1+guard)*ww {
			b |= guardRight
		}
	}
	if c.y < 0 {
		b |= beyondTop
		if c.y < -guard*hw {
			b |= guardTop
		}
	} else if c.y > hw {
		b |= beyondBottom
		if c.y > (1+guard)*hw {
			b |= guardBottom
		}
	}
	c.beyond = b
}

func (c *corner) onScreen() point { return point{c.x / c.w, c.y / c.w} }

// clipper cuts triangles. A triangle cut by five planes has at most eight corners.
type clipper struct{ a, b [9]corner }

// cut answers what is left of a triangle before the near plane and within the
// guard: a convex polygon, or less than three corners for nothing. The answer
// lasts until the next call.
func (c *clipper) cut(p, q, r *corner, l *lens) []corner {
	c.a[0], c.a[1], c.a[2] = *p, *q, *r
	in, out := c.a[:3], c.b[:0]
	// Behind the camera the tests of the sides mean nothing, so all planes are
	// gone through once the near plane is crossed.
	which := p.beyond | q.beyond | r.beyond
	if which&beyondNear != 0 {
		which |= mustCut
	}
	for plane := beyondNear; plane <= guardBottom; plane <<= 1 {
		if plane&mustCut == 0 || which&plane == 0 {
			continue
		}
		out = out[:0]
		for i := range in {
			from, to := &in[i], &in[(i+1)%len(in)]
			df, dt := from.inside(plane, l), to.inside(plane, l)
			if df >= 0 {
				out = append(out, *from)
			}
			// Always from the inner corner outward: two triangles that share
			// an edge then cut it at the same point.
			if df >= 0 && dt < 0 {
				out = append(out, between(from, to, df/(df-dt)))
			} else if df < 0 && dt >= 0 {
				out = append(out, between(to, from, dt/(dt-df)))
			}
		}
		if len(out) < 3 {
			return nil
		}
		in, out = out, in[:0]
	}
	return in
}

// inside is positive on the inner side of a plane.
func (c *corner) inside(plane uint16, l *lens) float32 {
	switch plane {
	case beyondNear:
		return c.w - l.near
	case guardLeft:
		return c.x + guard*l.width*c.w
	case guardRight:
		return (1+guard)*l.width*c.w - c.x
	case guardTop:
		return c.y + guard*l.height*c.w
	default:
		return (1+guard)*l.height*c.w - c.y
	}
}

func between(p, q *corner, t float32) corner {
	return corner{
		x: p.x + (q.x-p.x)*t, y: p.y + (q.y-p.y)*t, w: p.w + (q.w-p.w)*t,
		u: p.u + (q.u-p.u)*t, v: p.v + (q.v-p.v)*t,
		red: p.red + (q.red-p.red)*t, green: p.green + (q.green-p.green)*t,
		blue: p.blue + (q.blue-p.blue)*t, alpha: p.alpha + (q.alpha-p.alpha)*t,
		nx: p.nx + (q.nx-p.nx)*t, ny: p.ny + (q.ny-p.ny)*t, nz: p.nz + (q.nz-p.nz)*t,
	}
}
