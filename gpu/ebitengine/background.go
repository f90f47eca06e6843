package ebitengine

// Tiles the frame is divided into, to find out where its background shows.
const (
	tileColumns = 32
	tileRows    = 18
)

// coverage marks tiles that one opaque polygon covers wholly. Only the others
// need a background, and a background pixel costs as much as any other.
type coverage struct {
	covered            [tileRows][tileColumns]bool
	tileWide, tileHigh float32 // in pixels
}

func (c *coverage) reset(width, height float32) {
	c.covered = [tileRows][tileColumns]bool{}
	c.tileWide, c.tileHigh = width/tileColumns, height/tileRows
}

// add marks what a convex polygon of at least three corners covers.
func (c *coverage) add(polygon []point) {
	area := float32(0)
	left, top, right, bottom := polygon[0].x, polygon[0].y, polygon[0].x, polygon[0].y
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		area += p.x*q.y - q.x*p.y
		left, right = min(left, p.x), max(right, p.x)
		top, bottom = min(top, p.y), max(bottom, p.y)
	}
	// Half of this is the area; smaller ones hardly cover a tile.
	if abs(area) < 4*c.tileWide*c.tileHigh {
		return
	}
	sign := float32(1)
	if area < 0 {
		sign = -1
	}
	x0, x1 := tileSpan(left, right, c.tileWide, tileColumns)
	y0, y1 := tileSpan(top, bottom, c.tileHigh, tileRows)
	for ty := y0; ty < y1; ty++ {
		for tx := x0; tx < x1; tx++ {
			if !c.covered[ty][tx] {
				c.covered[ty][tx] = c.within(polygon, sign, float32(tx)*c.tileWide, float32(ty)*c.tileHigh)
			}
		}
	}
}

// tileSpan is the range of whole tiles between two coordinates.
func tileSpan(low, high, size float32, count int) (from, to int) {
	low, high = max(low, 0), min(high, size*float32(count))
	if !(low < high) {
		return 0, 0
	}
	return int(low / size), min(count, int(high/size)+1)
}

// within tells whether a tile lies on the inner side of every edge.
func (c *coverage) within(polygon []point, sign, x, y float32) bool {
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		// The edge function grows along (a, b); its least value on the tile is
		// at one corner.
		a, b := -(q.y-p.y)*sign, (q.x-p.x)*sign
		cx, cy := x, y
		if a < 0 {
			cx += c.tileWide
		}
		if b < 0 {
			cy += c.tileHigh
		}
		if a*(cx-p.x)+b*(cy-p.y) < 0 {
			return false
		}
	}
	return true
}

// eachRun calls f with every run of neighbouring tiles without cover.
func (c *coverage) eachRun(f func(left, top, right, bottom float32)) {
	for ty := range tileRows {
		for tx := 0; tx < tileColumns; tx++ {
			if c.covered[ty][tx] {
				continue
			}
			from := tx
			for tx < tileColumns && !c.covered[ty][tx] {
				tx++
			}
			f(float32(from)*c.tileWide, float32(ty)*c.tileHigh, float32(tx)*c.tileWide, float32(ty+1)*c.tileHigh)
		}
	}
}
