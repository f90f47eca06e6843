package art

import (
	"image"
	"image/color"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// wallEdge is a wall texture's edge in texels; it covers four metres, so that
// a texture is the whole height of the wall.
const wallEdge = 512

// wall is one cell's wall: a pattern, its colours, and a number.
type wall struct {
	*grain
	seed         uint64
	shiftX       int // into the grain
	shiftY       int
	pattern      pattern
	body, second rgb
	accent       rgb
	number       *stencil
}

// pattern gives a texel's height (0 to 1), the share of the second colour, and
// how bright it is.
type pattern func(w *wall, x, y int) (height, second, bright float32)

func patterns() []pattern {
	return []pattern{bricks, plates, tiles, planks, stripes, hexagons, slabs, scales}
}

func newWall(g *grain, seed uint64, cell int) *wall {
	s := seed*1000003 + uint64(cell)
	pick := func(i int) float32 { return chance(s, i, -7) }
	list := patterns()
	// The hue drifts along the corridor; neighbours never share a pattern.
	hue := float32(math.Mod(float64(cell)*0.037+0.08*float64(pick(1)), 1))
	zone := cell*3 + cell/len(list)
	body := hsv(hue, 0.22+0.25*pick(2), 0.55+0.25*pick(3))
	return &wall{
		grain: g, seed: s,
		shiftX: int(pick(4) * grainEdge), shiftY: int(pick(5) * grainEdge),
		pattern: list[zone%len(list)],
		body:    body,
		second:  body.towards(hsv(hue+0.08, 0.3, 0.3+0.5*pick(6)), 0.7),
		accent:  hsv(hue+0.45+0.1*pick(7), 0.55, 0.95),
		number:  newStencil(strconv.Itoa(cell), 10),
	}
}

// The wall from top to bottom, in texels.
const (
	corniceAt  = 20
	numberAt   = 190 // the number's middle
	stripeAt   = 330
	stripeEnds = 350
	skirtingAt = 464
)

func (w *wall) picture() *image.NRGBA { return newSurface(wallEdge, w.texel).shaded(1.4) }

func (w *wall) texel(x, y int) paint {
	fine := w.at(x+w.shiftX, y+w.shiftY)
	cloud := w.coarseAt(x+w.shiftX, y-w.shiftY)
	height, second, bright := w.pattern(w, x, y)
	c := w.body.towards(w.second, second).times(bright * (0.93 + 0.14*fine))
	wear := ramp(0.45, 0.7, cloud)
	switch {
	case y < corniceAt || y >= skirtingAt:
		c = w.second.times(0.45 + 0.1*fine)
		height = 1.5
	case y >= stripeAt && y < stripeEnds:
		c = c.towards(w.accent.times(0.8+0.2*fine), 0.9-0.6*wear)
	}
	if plate := w.number.plate(x-wallEdge/2, y-numberAt); plate > 0 {
		c = c.towards(w.body.times(0.16+0.05*fine), 0.9*plate)
		ink := w.number.at(x-wallEdge/2, y-numberAt)
		c = c.towards(w.accent.times(0.9+0.1*fine), ink*(1-0.25*wear))
		height = lerp(height, 1.3, plate)
	}
	// Water stains run down from the cornice, dirt climbs from the floor.
	stain := ramp(0.5, 0.9, w.coarseAt(x*2+w.shiftY, y/6+w.shiftX)) * (1 - float32(y)/wallEdge)
	dirt := ramp(300, 512, float32(y)) * (0.25 + 0.3*cloud)
	c = c.times((1 - 0.35*stain) * (1 - dirt) * (0.92 + 0.16*cloud))
	return paint{color: c, height: 2*height + 0.6*fine}
}

// edge is how far into a rectangle of w by h a place is, 0 at the border and
// 1 from so many texels inside.
func edge(x, y, w, h int, width float32) float32 {
	d := min(x, w-1-x, y, h-1-y)
	if d < 0 {
		return 0
	}
	return ramp(0, width, float32(d)+0.5)
}

func bricks(w *wall, x, y int) (height, second, bright float32) {
	row := y / 32
	shifted := (x + row%2*32) % wallEdge
	column := shifted / 64
	in := edge(shifted%64, y%32, 64, 32, 4)
	tone := chance(w.seed, column, row)
	return in, lerp(0.1, 0.6, tone*tone) * in, lerp(0.62, 0.9+0.2*tone, in)
}

func plates(w *wall, x, y int) (height, second, bright float32) {
	px, py := x%128, y%128
	in := edge(px, py, 128, 128, 5)
	dx, dy := min(px, 127-px)-14, min(py, 127-py)-14
	rivet := 1 - ramp(9, 25, float32(dx*dx+dy*dy))
	brushed := w.at(x/8+w.shiftX, y*2)
	return in + rivet, 0.25 * chance(w.seed, x/128, y/128), lerp(0.5, 0.92+0.12*brushed, in) + 0.1*rivet
}

func tiles(w *wall, x, y int) (height, second, bright float32) {
	column, row := x/32, y/32
	in := edge(x%32, y%32, 32, 32, 3)
	tone := chance(w.seed, column, row)
	second = float32((column + row) % 2)
	if row == 9 || row == 1 {
		second = 1 - second
	}
	return in, second * in, lerp(0.7, 0.95+0.12*tone, in)
}

func planks(w *wall, x, y int) (height, second, bright float32) {
	plank := x / 64
	in := edge(x%64, 32, 64, 64, 3)
	shift := int(chance(w.seed, plank, 0) * grainEdge)
	fibre := w.at(x*2+shift, y/8+shift)
	knot := ramp(0.55, 0.9, w.coarseAt(x*3+shift, y/2+shift))
	tone := chance(w.seed, plank, 1)
	return in + 0.3*fibre, 0.35*tone + 0.4*knot, lerp(0.45, 0.8+0.15*tone+0.2*fibre, in)
}

func stripes(w *wall, x, y int) (height, second, bright float32) {
	px := x % 64
	band := ramp(0, 2, float32(min(px, 63-px)-14)+0.5)
	thread := w.at(x*4, y/4+w.shiftX)
	line := 1 - ramp(1, 2.5, float32(abs(px-32)))
	return 0.1 * thread, 0.9*band - 0.6*line, 0.92 + 0.1*thread
}

func hexagons(w *wall, x, y int) (height, second, bright float32) {
	const width, rows = 64, 10 // an even number of rows wraps
	const rise = float32(wallEdge) / rows
	best, next := float32(1e9), float32(1e9)
	var tone float32
	row := int(float32(y) / rise)
	for r := row - 1; r <= row+2; r++ {
		offset := float32(r&1) * width / 2
		column := int(math.Floor(float64((float32(x) - offset) / width)))
		for c := column - 1; c <= column+2; c++ {
			dx := float32(x) - (float32(c)*width + offset)
			dy := (float32(y) - float32(r)*rise) * (width * 0.866 / rise)
			d := float32(math.Sqrt(float64(dx*dx + dy*dy)))
			if d < best {
				best, next = d, best
				tone = chance(w.seed, (c+8)%8, (r+rows)%rows)
			} else if d < next {
				next = d
			}
		}
	}
	in := ramp(0, 5, next-best)
	return in, ramp(0.55, 0.6, tone) * in, lerp(0.6, 0.9+0.2*tone, in)
}

func slabs(w *wall, x, y int) (height, second, bright float32) {
	in := edge(x%256, y%256, 256, 256, 4)
	dx, dy := x%128-64, y%128-64
	hole := 1 - ramp(25, 50, float32(dx*dx+dy*dy))
	cloud := w.coarseAt(x-w.shiftY, y+w.shiftX)
	tone := chance(w.seed, x/256, y/256)
	return in - hole + 0.5*cloud, 0.2*tone + 0.3*cloud, lerp(0.55, 0.85+0.1*tone+0.1*cloud, in) * (1 - 0.5*hole)
}

func scales(w *wall, x, y int) (height, second, bright float32) {
	const size, rise = 64, 32
	row := y / rise
	d, column := fromScale(x, y-row*rise, row, size)
	if d >= size/2 { // in between two of this row: one of the next shows
		row++
		d, column = fromScale(x, y-row*rise, row, size)
	}
	tone := chance(w.seed, column, row%(wallEdge/rise))
	rim := ramp(size/2-4, size/2-1, d)
	return d / size, 0.7 * tone, (0.8 + 0.25*tone) * (1 - 0.35*rim)
}

func fromScale(x, y, row, size int) (distance float32, column int) {
	x += row & 1 * size / 2
	dx := x%size - size/2
	return float32(math.Sqrt(float64(dx*dx + y*y))), x % wallEdge / size
}

func abs(v int) int { return max(v, -v) }

// stencil is a short text, enlarged.
type stencil struct {
	img   *image.Alpha
	scale int
}

func newStencil(text string, scale int) *stencil {
	face := basicfont.Face7x13
	img := image.NewAlpha(image.Rect(0, 0, face.Advance*len(text), face.Height))
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.Opaque), Face: face, Dot: fixed.P(0, face.Ascent)}
	d.DrawString(text)
	return &stencil{img: img, scale: scale}
}

// plate is the ground the text stands on, 0 to 1, with a margin around it.
func (s *stencil) plate(x, y int) float32 {
	b := s.img.Bounds()
	w, h := (b.Dx()+4)*s.scale, (b.Dy()+1)*s.scale
	return edge(x+w/2, y+h/2, w, h, 4)
}

// at is the ink, 0 to 1, at a place relative to the text's middle. Corners are
// rounded.
func (s *stencil) at(x, y int) float32 {
	b := s.img.Bounds()
	x, y = x+b.Dx()*s.scale/2, y+b.Dy()*s.scale/2
	if x < 0 || y < 0 || x >= b.Dx()*s.scale || y >= b.Dy()*s.scale {
		return 0
	}
	fx, fy := float32(x)/float32(s.scale)-0.5, float32(y)/float32(s.scale)-0.5
	ix, iy := int(math.Floor(float64(fx))), int(math.Floor(float64(fy)))
	tx, ty := fx-float32(ix), fy-float32(iy)
	top := lerp(s.ink(ix, iy), s.ink(ix+1, iy), tx)
	bottom := lerp(s.ink(ix, iy+1), s.ink(ix+1, iy+1), tx)
	return ramp(0.2, 0.35, lerp(top, bottom, ty))
}

func (s *stencil) ink(x, y int) float32 { return float32(s.img.AlphaAt(x, y).A) / 255 }
