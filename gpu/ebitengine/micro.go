package ebitengine

// point is a position on screen, in pixels.
type point struct{ x, y float32 }

// slack is how far rounding on the device may move an edge, in pixels.
const slack = 1.0 / 64

// misses tells whether a triangle surely covers the middle of no pixel. Far
// things are made of such triangles, and on a software renderer a triangle
// costs as much as dozens of pixels even when it leaves no trace.
func misses(a, b, c point) bool {
	left, right := min(a.x, b.x, c.x)-slack, max(a.x, b.x, c.x)+slack
	top, bottom := min(a.y, b.y, c.y)-slack, max(a.y, b.y, c.y)+slack
	if right-left > 3 || bottom-top > 3 {
		return false
	}
	x0, x1 := ceil(left-0.5), ceil(right-0.5) // the middles in between
	y0, y1 := ceil(top-0.5), ceil(bottom-0.5)
	if x0 >= x1 || y0 >= y1 {
		return true
	}
	turn := (b.x-a.x)*(c.y-a.y) - (c.x-a.x)*(b.y-a.y)
	if turn < 0 {
		b, c = c, b
	}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			m := point{x + 0.5, y + 0.5}
			if m.within(a, b) && m.within(b, c) && m.within(c, a) {
				return false
			}
		}
	}
	return true
}

// within tells whether a point is on the inner side of an edge, or nearly.
func (m point) within(a, b point) bool {
	dx, dy := b.x-a.x, b.y-a.y
	return dx*(m.y-a.y)-dy*(m.x-a.x) >= -slack*(abs(dx)+abs(dy))
}

// ceil is for coordinates near the screen, far within an int32.
func ceil(v float32) float32 {
	whole := float32(int32(v))
	if whole < v {
		whole++
	}
	return whole
}
