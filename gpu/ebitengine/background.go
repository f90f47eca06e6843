package ebitengine

// Tiles the frame is divided into, to find out where its sky shows.
const (
	tileColumns = 64
	tileRows    = 36

	// Each tile is looked at in three by three points.
	pointColumns = 2*tileColumns + 1
	pointRows    = 2*tileRows + 1
)

// coverage marks points that opaque polygons cover, whichever. A tile with
// all its points covered needs no sky: a sky pixel costs more than any other.
// A hole between polygons that misses every point gets the plain background,
// which lies under everything.
type coverage struct {
	points             [pointRows][pointColumns]bool
	tileWide, tileHigh float32 // in pixels
}

func (c *coverage) reset(width, height float32) {
	c.points = [pointRows][pointColumns]bool{}
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
	if area == 0 {
		return
	}
	sign := float32(1)
	if area < 0 {
		sign = -1
	}
	wide, high := c.tileWide/2, c.tileHigh/2
	x0, x1 := pointSpan(left, right, wide, pointColumns)
	y0, y1 := pointSpan(top, bottom, high, pointRows)
	for py := y0; py < y1; py++ {
		for px := x0; px < x1; px++ {
			if !c.points[py][px] {
				c.points[py][px] = inside(polygon, sign, float32(px)*wide, float32(py)*high)
			}
		}
	}
}

// pointSpan is the range of points between two coordinates.
func pointSpan(low, high, size float32, count int) (from, to int) {
	low, high = max(low, 0), min(high, size*float32(count-1))
	if !(low <= high) {
		return 0, 0
	}
	from, to = int(low/size), int(high/size)+1
	if float32(from)*size < low {
		from++
	}
	return from, min(to, count)
}

// inside tells whether a point lies on the inner side of every edge.
func inside(polygon []point, sign, x, y float32) bool {
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		if ((q.x-p.x)*(y-p.y)-(q.y-p.y)*(x-p.x))*sign < 0 {
			return false
		}
	}
	return true
}

// covered tells whether every point of a tile is covered.
func (c *coverage) covered(tx, ty int) bool {
	for py := 2 * ty; py <= 2*ty+2; py++ {
		for px := 2 * tx; px <= 2*tx+2; px++ {
			if !c.points[py][px] {
				return false
			}
		}
	}
	return true
}

// eachRun calls f with every run of neighbouring tiles without cover.
func (c *coverage) eachRun(f func(left, top, right, bottom float32)) {
	for ty := range tileRows {
		for tx := 0; tx < tileColumns; tx++ {
			if c.covered(tx, ty) {
				continue
			}
			from := tx
			for tx < tileColumns && !c.covered(tx, ty) {
				tx++
			}
			f(float32(from)*c.tileWide, float32(ty)*c.tileHigh, float32(tx)*c.tileWide, float32(ty+1)*c.tileHigh)
		}
	}
}
